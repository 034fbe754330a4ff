"""Decision gaps on arrays: what answers say of two groups within templates, over templates and the names of people."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from .... import stats
from ....arrays import FloatArray
from ....data.prompts import DecisionQuestion
from ....errors import UndefinedScoreError
from ....result import NOTHING_TO_TEST, Estimate, Sampled
from ....text import joined
from ...groups import known_mean, largest_gap, range_test
from ...rows import places_of
from .items import columns, score

FEWEST_NAMES = 3
"""Fewer names of a group are taken as they are. From three on the crossed test rejects a true null in 1 to 5.5%."""

ALONE = "more than a quarter of the templates have a single name of a group, which is in other templates too"


class Design:
    """What the questions are about.

    Attributes:
        groups: names of the groups.
        templates: names of the templates.
        who: names of the people. Without any, names of the groups.
        group: number of the group of each of these, shape (who,).
        crossing: ``"nested"`` if every name is in one template only, ``"crossed"`` if some are in several and three
            quarters of the templates have at least two names of a group, else ``"alone"``, empty without names.
    """

    def __init__(self, rows: Sequence[DecisionQuestion], groups: Sequence[str]) -> None:
        is_named, self.groups = any(row.name for row in rows), groups
        self.templates = sorted({row.template for row in rows})
        self._cells = places_of(
            (row.name or row.group, row.template) if row.group else ("", "") for row in rows
        )
        self._cells.pop(("", ""), None)
        group_of = {row.name or row.group: row.group for row in rows if row.group}
        self.who = sorted(group_of) if is_named else groups
        self.group = np.array([groups.index(group_of[who]) for who in self.who], dtype=np.int64)
        n_templates = Counter(who for who, _ in self._cells).values()
        n_names = Counter((group_of[who], template) for who, template in self._cells).values()
        self.crossing = ""
        if is_named:
            is_nested, n_alone = len(self.templates) > 1 and max(n_templates) == 1, [*n_names].count(1)
            self.crossing = "nested" if is_nested else "crossed" if 4 * n_alone <= len(n_names) else "alone"

    def cells(self, values: FloatArray) -> FloatArray:
        """Return the mean answers about each name, or about each group, shape (who, templates, columns).

        The columns are prompt variants. Answers about a name are averaged over these too. NaN if no answer
        exists.
        """
        cells = np.full((len(self.who), len(self.templates), 1 if self.crossing else values.shape[1]), np.nan)
        for (who, template), places in self._cells.items():
            of_cell = known_mean(values[places].reshape(-1, cells.shape[-1]), 0)
            cells[self.who.index(who), self.templates.index(template)] = of_cell
        return cells

    def used(self, cells: FloatArray, pair: tuple[int, int]) -> npt.NDArray[np.bool_]:
        """Return the cells that count for two groups: in templates and columns with answers about both."""
        has_both = np.isfinite(self.table(cells)[..., list(pair)]).all(axis=-1)  # (templates, columns)
        return np.asarray(np.isfinite(cells) & has_both & np.isin(self.group, pair)[:, None, None])

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
    most: float = np.inf,
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
        n_resamples: number of sign patterns, if they are sampled.
        seed: of these.
        prompt_variants: number of prompt variants of the questions, 0 if that is not known.
        most: largest contrast there can be.

    Returns:
        What is found, by the names that a finding and a row have for it, and the contrast of each template, shape
        (templates,), NaN if none exists.

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
    used = design.used(cells, (first, second))
    who, template, column = np.nonzero(used)
    if not len(who):
        raise UndefinedScoreError("no template has an answer about both groups")
    table = columns(
        [
            {"template": t, "group": g, "log_odds": y / n_columns, "weight": 1 / n_columns}
            for t, g, y, n_columns in zip(
                template, design.group[who], cells[used], used.sum(axis=-1)[who, template], strict=True
            )
        ],
        {"groups": (first, second)},
    )
    sums = np.bincount(template, table[:, 1] - table[:, 3], len(design.templates))
    contrasts = stats.without_rounding(sums, float(np.abs(cells[used]).max()))
    contrasts[~used.any(axis=(0, 2))] = np.nan
    known, is_second = contrasts[np.isfinite(contrasts)], design.group[who] == second
    n, n_names = len(known), [len(set(who[~is_second])), len(set(who[is_second]))]
    is_fixed = design.crossing in ("crossed", "alone") and min(n_names) < FEWEST_NAMES
    is_drawn = design.crossing == "crossed" and not is_fixed
    clusters: tuple[str, ...] = ("templates",)
    if design.crossing == "alone" and not is_fixed:
        clusters = ()
    elif is_drawn:
        clusters = ("names", "templates") if n >= stats.FEWEST_COLUMNS else ("names",)
    elif used.shape[2] >= stats.FEWEST_COLUMNS:
        clusters = ("templates", "prompt variants")
    numbers = {
        "names": sum(n_names) if design.crossing in ("crossed", "alone") else 0,
        "templates": n, "prompt variants": prompt_variants,
    }  # fmt: skip
    fixed = {kind: number for kind, number in numbers.items() if number and kind not in clusters}

    facts: dict[str, Any] = {
        "score": float(known.mean()), "n": n, "sampled": Sampled(clusters, fixed),
        "details": {"n_names": n_names} if design.crossing else {},
    }  # fmt: skip
    if not clusters:
        return {
            **facts,
            "p_value": None,
            "ci_method": f"none: {ALONE}",
            "p_method": f"none: {ALONE}",
        }, contrasts
    if is_drawn:
        items, over = stats.Items.of(table, who, is_second, template), ("names", "templates")
    else:
        items, over = stats.Items.of(table, template, across=column), ("templates", "prompt variants")
    how = stats.ItemInference(
        interval="crossed", test="sign_flips", clusters=over[0], across=over[1], strata="group" if is_drawn else "",
        confidence_level=confidence_level, n_resamples=n_resamples, seed=seed,
    )  # fmt: skip
    influence = items.influence(lambda totals: score(totals, {}))
    ends, test = items.crossed(facts["score"], influence, how, (-most, most))
    facts |= ends._asdict()
    if not known.any() and ends.ci_low is None:
        facts["details"][NOTHING_TO_TEST] = f"the log-odds of both groups are equal in all {n} templates"
    if is_drawn or (
        len(clusters) == 2 and n >= stats.FEWEST_UNITS
    ):  # else no t test of so few can show anything
        facts["details"]["smallest_p"] = 0.0
    else:
        test = stats.Items.of(known, range(n)).mean_test(
            known, np.ones(n), replace(how, clusters="templates")
        )
    facts |= test._asdict()
    if is_drawn:
        means = name_means(np.where(used, cells, np.nan)[..., 0])
        sides = (means[np.unique(who[side])] for side in (~is_second, is_second))
        p_names = stats.permutation_test(*sides, alternative="two-sided").p_value
        facts["estimates"] = {"p_names": Estimate(p_names)}
        if ends.ci_low is None and facts["score"]:
            how_tested = "permutation test over names, two-sided, as nothing varies"
            facts |= {"p_value": p_names, "p_method": how_tested}
    return facts, contrasts


def name_means(values: FloatArray) -> FloatArray:
    """Return the mean over templates of the answers about each name less the template's mean, shape (names,).

    Examples:
        >>> name_means(np.array([[1.0, 2.0], [np.nan, 4.0]]))
        array([-0.5,  1. ])
    """
    return known_mean(values - known_mean(values, 0), 1)


def largest_gap_of(
    design: Design, cells: FloatArray, *, n_resamples: int, seed: int
) -> tuple[float, float] | None:
    """Return the largest difference of any two groups and its p-value: groups change places among names that are drawn.

    Else they change places within templates. ``None`` if no template has all groups.
    """
    used = np.asarray(np.isfinite(cells[..., 0]).any(axis=1))
    n_names = np.bincount(design.group[used], minlength=len(design.groups))
    if design.crossing != "crossed" or n_names.min() < FEWEST_NAMES:
        return largest_gap(design.table(cells), n_resamples=n_resamples, seed=seed)
    shares = (design.group[used, None] == np.arange(len(design.groups))) / n_names  # (names, groups)
    values = name_means(cells[used, :, 0])
    return range_test(values, lambda v: v @ shares, n_resamples=n_resamples, seed=seed)


def names_warning(design: Design, sampled: Sampled, pair: tuple[int, int]) -> list[str]:
    """Return which names a result is about if they are too few to be drawn or do not cross the templates."""
    if design.crossing == "nested":
        return ["every name is in one template only, so names are drawn with their templates"]
    if "names" not in sampled.fixed:
        return []
    if not sampled.clusters:
        return [f"{ALONE}: there is neither a p-value nor an interval. Put every name in every template"]
    of_groups = ([who for who, of in zip(design.who, design.group, strict=True) if of == g] for g in pair)
    lists = "; ".join(map(joined, of_groups))
    return [
        f"a group has fewer than {FEWEST_NAMES} names: p-value and interval are for these alone ({lists})"
    ]
