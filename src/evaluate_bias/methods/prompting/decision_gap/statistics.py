"""Decision gaps on arrays: the contrast of two groups within templates, and over the names that stand for them.

Names and templates are both drawn, and cross.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from .... import stats
from ....arrays import FloatArray
from ....result import Estimate
from ....text import counted, joined
from ...choosing import Score
from ...groups import MeanContrast, mean_contrast, range_test

FEWEST_NAMES, FEWEST_TEMPLATES = 5, 8
"""Fewer names of a group, or fewer templates, are taken as they are."""
_LEAST = 0.6
"""Of V_cells: the variance is no smaller, as in :func:`~evaluate_bias.stats.crossed_error`."""
_ROUNDING = 1e-9


def group_gap(
    log_odds: FloatArray,
    first: int,
    second: int,
    *,
    confidence_level: float,
    n_resamples: int,
    seed: int,
    names: Sequence[FloatArray] = (),
) -> tuple[dict[str, Any], FloatArray]:
    """Mean over templates of the log-odds of one group less those of another.

    Args:
        log_odds: mean of each group's answers, shape (templates, prompt variants, groups); NaN where there is none.
        first: number of the one group.
        second: number of the other.
        confidence_level: confidence level.
        n_resamples: number of sign patterns, where they are sampled.
        seed: of these.
        names: where names stand for the groups, of every group the mean answers about its names, shape (names,
            templates); NaN where there is none.

    Returns:
        What is found, by the names that a finding and a row have for it, and the contrast of each template, shape
        (templates,), NaN where there is none.

    Raises:
        UndefinedScoreError: no template has answers about both groups in one prompt variant.

    Examples:
        >>> table = np.array([[[1.0, 0.5]], [[0.2, 0.0]], [[2.0, 1.4]]])
        >>> gap, contrasts = group_gap(table, 0, 1, confidence_level=0.95, n_resamples=99, seed=0)
        >>> round(gap["score"], 3), gap["p_value"], round(gap["details"]["null_sd"], 3)
        (0.433, 0.25, 0.269)
    """
    contrast = _contrast(log_odds, first, second, confidence_level)
    facts = contrast.sign_flips("templates", n_resamples, seed)
    if names:
        facts |= _of_names(
            contrast, facts, _answered((names[first], names[second]), contrast), confidence_level
        )
    return facts, contrast.contrasts


def _of_names(
    contrast: MeanContrast,
    facts: Mapping[str, Any],
    names: tuple[FloatArray, FloatArray],
    confidence_level: float,
) -> dict[str, Any]:
    """The facts in which names are drawn too, and the p-value of the groups permuted over them."""
    score = contrast.score._replace(p_value=facts["p_value"], p_method=facts["p_method"])
    gap, error = name_gap(names, contrast.influence, score, confidence_level, contrast.limit)
    details: dict[str, Any] = {"n_names": [len(group) for group in names]}
    if error is not None:  # Student's test has no smallest p-value
        details |= {"null_sd": error, "smallest_p": 0.0}
    sampled = {} if gap.p_value == score.p_value else {"p_error": None}
    return {
        **gap.facts(), **sampled, "details": details, "estimates": {"p_names": Estimate(permuted_names(names))},
    }  # fmt: skip


def rate_gap(
    rates: FloatArray, first: int, second: int, confidence_level: float, names: Sequence[FloatArray] = ()
) -> Score:
    """As :func:`group_gap`, of shares in place of log-odds, whose contrasts are 1 at most; without a p-value."""
    contrast = _contrast(rates, first, second, confidence_level, most=1.0)
    if not names:
        return contrast.score
    both = _answered((names[first], names[second]), contrast)
    return name_gap(both, contrast.influence, contrast.score, confidence_level, 1.0)[0]


def _answered(names: tuple[FloatArray, FloatArray], contrast: MeanContrast) -> tuple[FloatArray, FloatArray]:
    """Of each group the names with an answer, in the templates that have a contrast."""
    first, second = (values[:, np.isfinite(contrast.contrasts)] for values in names)
    return first[np.isfinite(first).any(axis=1)], second[np.isfinite(second).any(axis=1)]


def _contrast(
    table: FloatArray, first: int, second: int, confidence_level: float, most: float | None = None
) -> MeanContrast:
    """Mean over templates of one group's values less another's; ``table`` as for :func:`group_gap`."""
    largest = float(np.nanmax(np.abs(table[..., [first, second]]), initial=0.0))
    cells = stats.without_rounding(table[..., first] - table[..., second], largest)
    lacking = "no template has an answer about both groups"
    return mean_contrast(
        cells, "templates", "prompt variants", confidence_level=confidence_level, lacking=lacking, most=most
    )


def fixed_warning(n_names: Sequence[int], n_templates: int) -> list[str]:
    """That names or templates are too few to stand for others.

    Examples:
        >>> fixed_warning([5, 12], 8)
        []
        >>> fixed_warning([3, 12], 8)[0]
        'a group has 3 names, fewer than 5: the p-value and the interval are for these names, not for others'
    """
    few = {}
    if (fewest := min(n_names)) < FEWEST_NAMES:
        few["names"] = f"a group has {counted(fewest, 'name')}, fewer than {FEWEST_NAMES}"
    if n_templates < FEWEST_TEMPLATES:
        few["templates"] = f"there are {counted(n_templates, 'template')}, fewer than {FEWEST_TEMPLATES}"
    if len(few) == 2:
        return [f"{joined([*few.values()])}: there is neither a p-value nor an interval"]
    fixed = "the p-value and the interval are for these"
    return [f"{text}: {fixed} {kind}, not for others" for kind, text in few.items()]


def name_gap(
    names: tuple[FloatArray, FloatArray],
    influence: FloatArray,
    score: Score,
    confidence_level: float,
    limit: float,
) -> tuple[Score, float | None]:
    """Interval and test of the mean contrast of two groups, over names, templates and prompt variants.

    Args:
        names: of each group the mean answers about its names, shape (names, templates); NaN where there is none.
        influence: by how much each prompt variant moves the score in each template, shape (templates, prompt variants).
        score: the mean contrast, with its interval and test over templates.
        confidence_level: confidence level.
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
    is_sampled = {"names": True, "templates": not few_templates, "prompt variants": contrast.over_columns}
    fixed = [kind for kind, is_drawn in is_sampled.items() if not is_drawn]
    what = joined([kind for kind, is_drawn in is_sampled.items() if is_drawn])
    what += f", for these {joined(fixed)}" if fixed else ""
    if contrast.error <= _ROUNDING * limit:
        p = 1.0 if abs(score.score) <= _ROUNDING * limit else permuted_names(names)
        return Score(
            score.score, ci_method=f"none: nothing varies over {what}", p_value=p,
            p_method="permutation test over names, two-sided, as nothing varies", n_tested=len(influence),
        ), 0.0  # fmt: skip
    half = contrast.half_width(confidence_level)
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
    of both + V_templates - V_cells, no smaller than 0.6 V_cells, and what prompt variants add to it. With fewer than
    eight templates these are fixed, and V_templates and V_cells are left out.

    Args:
        names: of each group, shape (names, templates); NaN where there is no answer.
        influence: shape (templates, prompt variants).

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
    df = stats.satterthwaite(variance, varying) - 1 if varying else 1.0
    fewest = min((d for _, d in varying), default=1)
    return stats.CrossedError(
        math.sqrt(variance), max(df, float(fewest)), influence.shape[1] >= stats.FEWEST_COLUMNS
    )


def _deviations(values: FloatArray) -> FloatArray:
    """The answers about names less those of their template; 0 where there is none.

    ``values`` and the deviations are of shape (names, templates).
    """
    known = np.isfinite(values)
    filled = np.where(known, values, 0.0)
    return np.where(known, filled - filled.sum(axis=0) / np.maximum(known.sum(axis=0), 1), 0.0)


def _name_variances(values: FloatArray) -> tuple[tuple[float, int], tuple[float, int]]:
    """V_names and V_cells of a group, each with its degrees of freedom; ``values`` of shape (names, templates)."""
    known, deviations = np.isfinite(values), _deviations(values)
    n, n_templates = values.shape
    weight = known / (known.sum(axis=0) * n_templates)
    of_names = n / (n - 1) * float(((weight * deviations).sum(axis=1) ** 2).sum())
    own_means = deviations.sum(axis=1, keepdims=True) / known.sum(axis=1, keepdims=True)
    rest = np.where(known, deviations - own_means, 0.0)
    df = int(known.sum()) - n - n_templates + 1
    of_cells = float((rest**2).sum()) / df * float((weight**2).sum()) if df > 0 else 0.0
    return (of_names, n - 1), (of_cells, max(df, 1))


def name_means(values: FloatArray) -> FloatArray:
    """Mean over templates of the answers about each name less the template's mean, shape (names,).

    Examples:
        >>> name_means(np.array([[1.0, 2.0], [np.nan, 4.0]]))
        array([-0.5,  1. ])
    """
    return np.asarray(_deviations(values).sum(axis=1) / np.isfinite(values).sum(axis=1))


def permuted_names(names: Sequence[FloatArray]) -> float:
    """p-value of the groups' difference for these templates: the groups are permuted over the names, two-sided.

    Each group's answers are of shape (names, templates); a name counts by the mean of its answers less their
    template's.
    """
    values, n = name_means(np.concatenate(names)), len(names[0])
    return stats.permutation_test(values[:n], values[n:], alternative="two-sided").p_value


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
    shares = np.repeat(np.eye(len(sizes)) / sizes, sizes, axis=0)  # (names, groups)
    values = name_means(np.concatenate(answered))
    return range_test(values, lambda means: means @ shares, n_resamples=n_resamples, seed=seed)
