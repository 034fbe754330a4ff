"""Decision gaps on arrays: what answers say of two groups within templates, over templates and the names of people."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np

from .... import stats
from ....arrays import FloatArray
from ....data.decisions import DecisionQuestion
from ....result import Estimate, Sampled
from ....text import joined
from ...choosing import Score, influence_score
from ...groups import known_mean, largest_gap, mean_contrast, range_test
from ...rows import places_of

FEWEST_NAMES = 3
"""Fewer names of a group are taken as they are. From three on the crossed test rejects a true null in 1 to 5.5 %."""


class Design:
    """What the questions are about.

    Attributes:
        groups: names of the groups.
        templates: names of the templates.
        who: names of the people; without any, those of the groups.
        group: number of the group of each of these, shape (who,).
        is_named: whether people have names.
        crossing: of names that are each in more than half of the templates ``"crossed"``, of names that are each in one
            template only ``"nested"``, of others ``"partly"``.
    """

    def __init__(self, rows: Sequence[DecisionQuestion], groups: Sequence[str]) -> None:
        self.groups, self.is_named = groups, any(row.name for row in rows)
        self.templates = sorted({row.template for row in rows})
        self._cells = places_of(
            (row.name or row.group, row.template) if row.group else ("", "") for row in rows
        )
        self._cells.pop(("", ""), None)
        group_of = {row.name or row.group: row.group for row in rows if row.group}
        self.who = sorted(group_of) if self.is_named else groups
        self.group = np.array([groups.index(group_of[who]) for who in self.who], dtype=np.int64)
        n_templates = Counter(who for who, _ in self._cells).values()
        is_nested = len(self.templates) > 1 and max(n_templates) == 1
        is_crossed = 2 * min(n_templates) > len(self.templates)
        self.crossing = "crossed" if is_crossed else "nested" if is_nested else "partly"

    def cells(self, values: FloatArray) -> FloatArray:
        """Return the mean answers about each name, or about each group, shape (who, templates, columns).

        The columns are prompt variants; answers about a name are averaged over these too. NaN if there is no answer.
        """
        cells = np.full((len(self.who), len(self.templates), 1 if self.is_named else values.shape[1]), np.nan)
        for (who, template), places in self._cells.items():
            of_cell = known_mean(values[places].reshape(-1, cells.shape[-1]), 0)
            cells[self.who.index(who), self.templates.index(template)] = of_cell
        return cells

    def table(self, cells: FloatArray) -> FloatArray:
        """Return the mean of each group's cells, shape (templates, columns, groups)."""
        return np.stack([known_mean(cells[self.group == g], 0) for g in range(len(self.groups))], axis=-1)


def group_gap(
    design: Design,
    cells: FloatArray,
    first: int,
    second: int,
    *,
    confidence_level: float,
    n_resamples: int,
    seed: int,
    prompt_variants: int = 0,
    most: float | None = None,
) -> tuple[dict[str, Any], FloatArray]:
    """Mean over templates of the answers about one group less those about another.

    With at least three names of each group that cross the templates, the standard error is over names within groups and
    templates, see :func:`evaluate_bias.stats.crossed_error`. Fewer names are taken as they are.

    Args:
        design: what the answers are about.
        cells: the answers, see :meth:`Design.cells`.
        first: number of the one group.
        second: number of the other.
        confidence_level: confidence level.
        n_resamples: number of sign patterns, where they are sampled.
        seed: of these.
        prompt_variants: in how many the questions were put; 0 if that is not known.
        most: largest contrast there can be; ``None`` for no limit.

    Returns:
        What is found, by the names that a finding and a row have for it, and the contrast of each template, shape
        (templates,), NaN if there is none.

    Raises:
        UndefinedScoreError: no template has answers about both groups in one prompt variant.

    Examples:
        >>> answers = {("a", "t1"): 1.0, ("b", "t1"): 0.5, ("a", "t2"): 0.2, ("b", "t2"): 0.0}
        >>> rows = [DecisionQuestion(question="?", group=g, template=t) for g, t in answers]
        >>> design = Design(rows, ["a", "b"])
        >>> cells = design.cells(np.array([*answers.values()])[:, None])
        >>> gap, _ = group_gap(design, cells, 0, 1, confidence_level=0.95, n_resamples=99, seed=0)
        >>> round(gap["score"], 3), gap["p_value"], gap["sampled"].phrase()
        (0.35, 0.5, 'for other templates')
    """
    table = design.table(cells)
    largest = float(np.nanmax(np.abs(table[..., [first, second]]), initial=0.0))
    contrast = mean_contrast(
        stats.without_rounding(table[..., first] - table[..., second], largest), "templates", "prompt variants",
        confidence_level=confidence_level, lacking="no template has an answer about both groups", most=most,
    )  # fmt: skip
    facts = contrast.sign_flips("templates", n_resamples, seed)
    n, n_columns = contrast.influence.shape
    fixed = {"prompt variants": prompt_variants} if prompt_variants else {}
    details: dict[str, Any] = {}
    sampled, over = Sampled(("templates",), fixed), None
    if n_columns >= stats.FEWEST_COLUMNS:
        sampled = Sampled(("templates", "prompt variants"))
        if n >= stats.FEWEST_UNITS:  # else too few for any test
            over = contrast.score
    if design.is_named:
        answers = cells[..., 0][:, np.isfinite(contrast.contrasts)]
        used = np.isfinite(answers).any(axis=1)
        names = [answers[used & (design.group == g)] for g in (first, second)]
        n_names = [len(of_group) for of_group in names]
        details["n_names"] = n_names
        if design.crossing == "partly":
            why = "none: names are in more than one template, and not in more than half of them"
            facts |= {"p_value": None, "p_error": None, "p_method": why}
            facts |= {"ci_low": None, "ci_high": None, "ci_method": why}
            sampled = Sampled((), {"names": sum(n_names), "templates": n, **fixed})
        elif design.crossing == "crossed" and min(n_names) < FEWEST_NAMES:
            sampled = Sampled(("templates",), {"names": sum(n_names), **fixed})
        elif design.crossing == "crossed":
            over = _over_names(names, contrast.score.score, confidence_level, contrast.limit)
            sampled = Sampled(("names", "templates"), fixed)
            if n < stats.FEWEST_COLUMNS:
                sampled = Sampled(("names",), {"templates": n, **fixed})
            facts["estimates"] = {"p_names": Estimate(permute_names(names))}
    if over is not None:
        facts |= {**over.facts(), "p_error": 0.0}
        details["smallest_p"] = 0.0
    return {**facts, "sampled": sampled, "details": details}, contrast.contrasts


def _over_names(names: Sequence[FloatArray], value: float, confidence_level: float, limit: float) -> Score:
    """Return the score with its interval and test over names within groups and templates.

    Args:
        names: of each group, shape (names, templates); NaN where there is no answer.
        value: the mean contrast.
        confidence_level: confidence level.
        limit: largest contrast there can be.
    """
    # By how much an answer moves the score: its deviation from the group's mean, divided by how many count.
    moves = [
        sign
        * (of_group - known_mean(of_group, 0).mean())
        / (np.isfinite(of_group).sum(axis=0) * of_group.shape[1])
        for of_group, sign in zip(names, (1.0, -1.0), strict=True)
    ]
    influence, strata = (
        np.concatenate(moves),
        np.repeat([0, 1], [len(of_group) for of_group in names]).tolist(),
    )
    name, template = np.nonzero(np.isfinite(influence))
    score = influence_score(
        value, influence[name, template], name, template, null=0.0, confidence_level=confidence_level,
        what="names", columns="templates", bounds=(-limit, limit), strata=strata,
    )  # fmt: skip
    if score.ci_low is None and value:
        test = "permutation test over names, two-sided, as nothing varies"
        score = score._replace(p_value=permute_names(names), p_method=test)
    return score


def name_means(values: FloatArray) -> FloatArray:
    """Return the mean over templates of the answers about each name less the template's mean, shape (names,).

    Examples:
        >>> name_means(np.array([[1.0, 2.0], [np.nan, 4.0]]))
        array([-0.5,  1. ])
    """
    return known_mean(values - known_mean(values, 0), 1)


def permute_names(names: Sequence[FloatArray]) -> float:
    """Return the p-value of the groups' difference for these templates: groups are permuted over names, two-sided.

    The answers about each group are of shape (names, templates). A name counts by the mean of its answers less the mean
    of their template.
    """
    values, n = name_means(np.concatenate(names)), len(names[0])
    return stats.permutation_test(values[:n], values[n:], alternative="two-sided").p_value


def largest_gap_of(
    design: Design, cells: FloatArray, *, n_resamples: int, seed: int
) -> tuple[float, float] | None:
    """Return the largest difference of any two groups and its p-value: groups change places among names that are drawn.

    Else they change places within templates. ``None`` if no template has all groups.
    """
    used = np.asarray(np.isfinite(cells[..., 0]).any(axis=1))
    n_names = np.bincount(design.group[used], minlength=len(design.groups))
    if not design.is_named or design.crossing != "crossed" or n_names.min() < FEWEST_NAMES:
        return largest_gap(design.table(cells), n_resamples=n_resamples, seed=seed)
    shares = (design.group[used, None] == np.arange(len(design.groups))) / n_names  # (names, groups)
    values = name_means(cells[used, :, 0])
    return range_test(values, lambda v: v @ shares, n_resamples=n_resamples, seed=seed)


def names_warning(design: Design, sampled: Sampled, pair: tuple[int, int]) -> list[str]:
    """Return which names a result is about if they are too few to be drawn or do not cross the templates."""
    if not design.is_named:
        return []
    if design.crossing == "nested":
        return ["every name is in one template only, so names are drawn with their templates"]
    if design.crossing == "partly":
        return [
            "names are in more than one template and not in more than half of them: there is neither a p-value nor an "
            "interval. Put every name in every template, or give every template names of its own"
        ]
    if "names" not in sampled.fixed:
        return []
    lists = "; ".join(
        f"{design.groups[g]}: {joined([who for who, of in zip(design.who, design.group, strict=True) if of == g])}"
        for g in pair
    )
    return [
        f"a group has fewer than {FEWEST_NAMES} names: p-value and interval are for these names alone ({lists})"
    ]
