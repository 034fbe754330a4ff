"""Decision gaps of groups for which names stand: names and templates are both drawn, and cross."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .... import stats
from ....arrays import FloatArray
from ....data.decisions import DecisionQuestion
from ....errors import DataError
from ....result import Skipped
from ....text import counted, joined
from ...choosing import Score
from ...word_lists.inference import batch_sizes

FEWEST_NAMES, FEWEST_TEMPLATES = 5, 8
"""Fewer names of a group, or fewer templates, are taken as they are."""
_LEAST = 0.6
"""Of V_cells: the variance is no smaller, as in :func:`~evaluate_bias.stats.crossed_error`."""
_ROUNDING = 1e-9


class NameLayout(NamedTuple):
    """Which name and template each question is of, and for which group each name stands.

    Attributes:
        names: the names.
        name: number of the name of each question, shape (questions,); -1 where it names no group.
        template: number of the template of each question, shape (questions,).
        group: number of the group of each name, shape (names,).
    """

    names: Sequence[str]
    name: NDArray[np.intp]
    template: NDArray[np.intp]
    group: NDArray[np.intp]

    def cells(self, values: FloatArray) -> FloatArray:
        """Mean of the answers about each name in each template, shape (names, templates); NaN where there is none."""
        known = np.isfinite(values) & (self.name >= 0)[:, None]
        shape = (len(self.names), int(self.template.max()) + 1)
        sums, counts = np.zeros(shape), np.zeros(shape)
        np.add.at(sums, (self.name, self.template), np.where(known, values, 0.0).sum(axis=1))
        np.add.at(counts, (self.name, self.template), known.sum(axis=1))
        return np.where(counts > 0, sums / np.maximum(counts, 1), np.nan)


def name_layout(
    rows: Sequence[DecisionQuestion], templates: Sequence[str], groups: Sequence[str]
) -> NameLayout | None:
    """The layout of questions each of which names a person; ``None`` of questions that name nobody."""
    if not rows[0].name:
        return None
    standing = {row.name: groups.index(row.group) for row in rows if row.group}
    places = [{text: i for i, text in enumerate(texts)} for texts in (standing, templates)]
    return NameLayout(
        list(standing),
        np.array([places[0][row.name] if row.group else -1 for row in rows]),
        np.array([places[1][row.template] for row in rows]),
        np.array(list(standing.values())),
    )


def ambiguous_names(rows: Sequence[DecisionQuestion]) -> dict[str, Skipped]:
    """The names that stand for two groups, which say nothing of either, and why they are left out.

    Raises:
        DataError: some questions name a person and others do not.
    """
    groups: dict[str, set[str]] = {}
    for row in rows:
        groups.setdefault(row.name, set()).update({row.group} - {""})
    groups_of_name = {name: of_name for name, of_name in groups.items() if name}
    if groups_of_name and len(groups_of_name) < len(groups):
        lacking = next(row.id for row in rows if not row.name)
        raise DataError(
            f"decision_gap: the question {lacking} has no name and others have one: fill in name in all rows or in none"
        )
    return {
        name: Skipped(name, f"the name stands for two groups, {' and '.join(sorted(of_name))}", "names")
        for name, of_name in groups_of_name.items()
        if len(of_name) > 1
    }


def fixed_warning(n_names: Sequence[int], n_templates: int) -> list[str]:
    """That names or templates are too few to stand for others.

    Examples:
        >>> fixed_warning([5, 12], 8)
        []
        >>> fixed_warning([3, 12], 8)[0]
        'a group has 3 names, fewer than 5: the p-value and the interval are for these names, not for others'
    """
    fewest = min(n_names)
    few = {
        "names": f"a group has {counted(fewest, 'name')}, fewer than {FEWEST_NAMES}"
        if fewest < FEWEST_NAMES
        else "",
        "templates": f"there are {counted(n_templates, 'template')}, fewer than {FEWEST_TEMPLATES}"
        if n_templates < FEWEST_TEMPLATES
        else "",
    }
    if all(few.values()):
        return [f"{joined([*few.values()])}: there is neither a p-value nor an interval"]
    return [
        f"{text}: the p-value and the interval are for these {kind}, not for others"
        for kind, text in few.items()
        if text
    ]


def name_gap(
    names: tuple[FloatArray, FloatArray], influence: FloatArray, score: Score, level: float, limit: float
) -> tuple[Score, float | None]:
    """Interval and test of the mean contrast of two groups, over names, templates and wordings.

    Args:
        names: of each group the mean answers about its names, shape (names, templates); NaN where there is none.
        influence: by how much each wording moves the score in each template, shape (templates, wordings).
        score: the mean contrast, with its interval and test over templates.
        level: confidence level.
        limit: largest contrast there can be.

    Returns:
        The score with its interval and test, and its standard error; ``None`` where names and templates are too few,
        or names alone, and the interval and test are those over templates.
    """
    few_names = min(map(len, names)) < FEWEST_NAMES
    few_templates = len(influence) < FEWEST_TEMPLATES
    if few_names and few_templates:
        why = f"none: fewer than {FEWEST_NAMES} names of a group and than {FEWEST_TEMPLATES} templates"
        return Score(score.score, ci_method=why, p_method=why, n_tested=len(influence)), None
    if few_names:
        how = [text and f"{text}, for these names" for text in (score.ci_method, score.p_method)]
        return score._replace(ci_method=how[0], p_method=how[1]), None
    contrast = contrast_error(names, influence)
    is_sampled = {"names": True, "templates": not few_templates, "wordings": contrast.over_columns}
    fixed = [kind for kind, is_drawn in is_sampled.items() if not is_drawn]
    what = joined([kind for kind, is_drawn in is_sampled.items() if is_drawn])
    what += f", for these {joined(fixed)}" if fixed else ""
    if contrast.error <= _ROUNDING * limit:
        p = 1.0 if abs(score.score) <= _ROUNDING * limit else permuted_names(names)
        return Score(
            score.score, ci_method=f"none: nothing varies over {what}", p_value=p,
            p_method="permutation test over names, two-sided, as nothing varies", n_tested=len(influence),
        ), 0.0  # fmt: skip
    half = contrast.half_width(level)
    return Score(
        score.score, max(score.score - half, -limit), min(score.score + half, limit),
        f"crossed variances with Satterthwaite's degrees of freedom less one, over {what}",
        contrast.p_value(score.score), f"t test over {what}, two-sided", len(influence),
    ), contrast.error  # fmt: skip


def contrast_error(names: tuple[FloatArray, FloatArray], influence: FloatArray) -> stats.CrossedError:
    """Standard error of the mean contrast of two groups whose names and templates cross.

    With n names of a group, T templates, y[i, t] the mean answer about a name and m[t] that of its group: V_names =
    n / (n - 1) · Σ_i (Σ_t (y[i, t] - m[t]) / (n T))², of each group; V_templates = T / (T - 1) · Σ_t (influence of the
    template)²; V_cells, which both hold, that of what is left of y without names and templates. The variance is V_names
    of both + V_templates - V_cells, no smaller than 0.6 V_cells, and what wordings add to it. With fewer than eight
    templates these are fixed, and V_templates and V_cells are left out.

    Args:
        names: of each group, shape (names, templates); NaN where there is no answer.
        influence: shape (templates, wordings).

    Examples:
        >>> x, y = np.repeat([[1.0], [2.0], [3.0], [4.0], [5.0]], 8, axis=1), np.zeros((5, 8))
        >>> round(contrast_error((x, y), np.zeros((8, 1))).error, 4), round(float(np.sqrt(2.5 / 5)), 4)
        (0.7071, 0.7071)
    """
    n_templates = len(influence)
    both = [_name_variances(values) for values in names]
    parts, rest = [of_names for of_names, _ in both], [of_cells for _, of_cells in both]
    cells = sum(v for v, _ in rest)
    variance = sum(v for v, _ in parts)
    if n_templates < FEWEST_TEMPLATES:
        rest = []
    else:
        of_templates = n_templates / (n_templates - 1) * float((influence.sum(axis=1) ** 2).sum())
        parts.append((of_templates, n_templates - 1))
        variance += of_templates - cells
        if variance <= _LEAST * cells:
            variance, parts = _LEAST * cells, []
            rest = [(_LEAST * v, df) for v, df in rest]
    further = stats.column_variance(influence)
    variance += further[0]
    varying = [(v, df) for v, df in (*parts, *rest, further) if v > 0]
    df = variance**2 / sum(v * v / d for v, d in varying) - 1 if varying else 1.0
    fewest = min((d for _, d in varying), default=1)
    return stats.CrossedError(
        math.sqrt(variance), max(df, float(fewest)), influence.shape[1] >= stats.FEWEST_COLUMNS
    )


def _name_variances(values: FloatArray) -> tuple[tuple[float, int], tuple[float, int]]:
    """V_names and V_cells of a group, each with its degrees of freedom; ``values`` of shape (names, templates)."""
    known = np.isfinite(values)
    n, n_templates = values.shape
    filled = np.where(known, values, 0.0)
    weight = known / (known.sum(axis=0) * n_templates)
    deviations = np.where(known, filled - filled.sum(axis=0) / known.sum(axis=0), 0.0)
    of_names = n / (n - 1) * float(((weight * deviations).sum(axis=1) ** 2).sum())
    rest = np.where(
        known, deviations - deviations.sum(axis=1, keepdims=True) / known.sum(axis=1, keepdims=True), 0.0
    )
    df = int(known.sum()) - n - n_templates + 1
    of_cells = float((rest**2).sum()) / df * float((weight**2).sum()) if df > 0 else 0.0
    return (of_names, n - 1), (of_cells, max(df, 1))


def permuted_names(names: Sequence[FloatArray]) -> float:
    """p-value of the groups' difference for these templates: the groups are permuted over the names, two-sided.

    Each group's answers are of shape (names, templates); a name counts by the mean of its answers less their
    template's.
    """
    values = name_means(np.concatenate(names))
    return stats.permutation_test(
        values[: len(names[0])], values[len(names[0]) :], alternative="two-sided"
    ).p_value


def name_means(values: FloatArray) -> FloatArray:
    """Mean over templates of the answers about each name less the template's mean, shape (names,)."""
    known = np.isfinite(values)
    filled = np.where(known, values, 0.0)
    deviations = np.where(known, filled - filled.sum(axis=0) / np.maximum(known.sum(axis=0), 1), 0.0)
    return np.asarray(deviations.sum(axis=1) / known.sum(axis=1))


def largest_name_gap(
    names: Sequence[FloatArray], *, n_resamples: int, seed: int
) -> tuple[float, float] | None:
    """Largest difference of two groups' means over their names, and its p: the groups change among the names.

    Args:
        names: of every group, shape (names, templates); NaN where there is no answer.
        n_resamples: number of random exchanges.
        seed: of these.

    Returns:
        ``None`` where a group has no answer.

    Examples:
        >>> names = [np.array([[1.0], [1.2]]), np.array([[0.0], [0.2]])]
        >>> round(largest_name_gap(names, n_resamples=999, seed=0)[0], 6)
        1.0
    """
    answered = [rates[np.isfinite(rates).any(axis=1)] for rates in names]
    sizes = [len(rates) for rates in answered]
    if not all(sizes):
        return None
    values = name_means(np.concatenate(answered))
    shares = np.repeat(np.eye(len(sizes)) / sizes, sizes, axis=0)  # (names, groups)
    observed = float(np.ptp(values @ shares))
    rng = np.random.default_rng(seed)
    slack = stats.TIE_TOLERANCE * max(1.0, float(np.abs(values).max()))
    extreme = 0
    for size in batch_sizes(n_resamples, values.size):
        shuffled = rng.permuted(np.broadcast_to(values, (size, len(values))), axis=1) @ shares
        extreme += int((np.ptp(shuffled, axis=1) >= observed - slack).sum())
    return observed, stats.sampled_p(extreme, n_resamples)[0]
