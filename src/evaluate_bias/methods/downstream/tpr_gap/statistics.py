"""Gaps between rates from counts, and what chance makes of such counts."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.stats import random_table

from ....result import Estimate
from ....stats import (
    batches,
    has_width,
    smallest_gap_p,
    smallest_split_p,
    unpaired_interval,
    wilson_interval,
)
from ....stats.crossed import clustered_proportion_interval
from ....stats.permutation import TIE_TOLERANCE, sampled_p
from ....stats.proportions import ProportionInterval
from ...word_lists.inference import Inference

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Rate = Literal["tpr", "fpr", "selection", "precision", "accuracy"]


@dataclass(frozen=True, slots=True)
class RateCounts:
    """The rows that a rate of every class in every group is a share of, and how many of them count.

    Units are rows, or clusters of rows such as all rows of one person. Units that are the same are of one kind.

    Attributes:
        classes, groups: their names.
        units: how many units of each kind are in every group, shape (kinds, groups).
        unit_hits: how many rows of a unit count for each class, shape (kinds, classes).
        unit_rows: how many rows of a unit are in each stratum, shape (kinds, strata). Groups are reordered within the
            stratum that most rows of a unit are in.
        within: 1 if a stratum is a class's, shape (classes, strata).
        clustered: whether units are clusters.
        binary: whether units are rows that count or do not, for one class each.
    """

    classes: tuple[str, ...]
    groups: tuple[str, ...]
    units: Ints
    unit_hits: Ints
    unit_rows: Ints
    within: Ints
    clustered: bool
    binary: bool

    def of(self, classes: Sequence[int], groups: Sequence[int]) -> RateCounts:
        """Those of some classes and groups, given by number."""
        chosen = list(classes)
        return replace(
            self, classes=tuple(self.classes[i] for i in classes), groups=tuple(self.groups[g] for g in groups),
            units=self.units[:, list(groups)], unit_hits=self.unit_hits[:, chosen], within=self.within[chosen],
        )  # fmt: skip

    @property
    def unit_totals(self) -> Ints:
        """Rows of a unit that the rate of each class is a share of, shape (kinds, classes)."""
        return np.asarray(self.unit_rows @ self.within.T)

    @property
    def hits(self) -> Ints:
        """Rows that count, shape (classes, groups)."""
        return np.asarray(self.unit_hits.T @ self.units)

    @property
    def totals(self) -> Ints:
        """Rows that the rate is a share of, shape (classes, groups)."""
        return np.asarray(self.unit_totals.T @ self.units)

    @property
    def n(self) -> int:
        """Number of rows."""
        return int((self.unit_rows[:, self.within.any(axis=0)].sum(axis=1) @ self.units).sum())

    @property
    def counted_units(self) -> Ints:
        """Units with rows that the rate of one of these classes is a share of, shape (strata, groups)."""
        sizes = np.zeros((self.unit_rows.shape[1], len(self.groups)), dtype=np.int64)
        is_counted = self.unit_totals.sum(axis=1, keepdims=True) > 0
        np.add.at(sizes, self.unit_rows.argmax(axis=1), self.units * is_counted)
        return sizes

    @property
    def smallest_p(self) -> float:
        """The smallest p-value of the mean gap: groups are reordered in each stratum on its own."""
        smallest = smallest_gap_p if self.binary else smallest_split_p
        return math.prod(
            smallest(*of_groups[of_groups > 0].tolist())
            for of_groups in self.counted_units
            if of_groups.any()
        )


def rate_counts(
    labels: Sequence[tuple[str, str, str]], rate: Rate, clusters: Sequence[str] = ()
) -> RateCounts:
    """Count what a rate is made of, one class against the others. Classes and groups in the order of their names.

    Args:
        labels: prediction, reference and group of every row.
        rate: ``"tpr"``: of the members of a class, those predicted as it. ``"fpr"``: of the others, those
            predicted as it. ``"selection"``: of all rows, those predicted as it. ``"precision"``: of the rows
            predicted as a class, its members. ``"accuracy"``: of all rows, those that are right, which is one
            rate for all classes.
        clusters: the cluster of every row, each within one group, empty if rows stand alone.

    Examples:
        >>> rows = [("a", "a", "f"), ("a", "b", "f"), ("b", "b", "m"), ("b", "a", "m")]
        >>> counts = rate_counts(rows, "fpr")
        >>> counts.hits.tolist(), counts.totals.tolist()
        ([[1, 0], [0, 1]], [[1, 1], [1, 1]])
    """
    (_, *classes_and_groups) = zip(*labels, strict=True)
    classes, groups = (tuple(sorted(set(column))) for column in classes_and_groups)
    # The classes are the first of the labels.
    every = [*classes, *sorted({prediction for prediction, _, _ in labels}.difference(classes))]
    places = [{name: i for i, name in enumerate(names)} for names in (every, classes, groups)]
    p, y, g = np.array([[place[name] for place, name in zip(places, row, strict=True)] for row in labels]).T

    stratum, members = np.zeros_like(y), np.ones((len(classes), 1))
    match rate:
        case "tpr":
            stratum, members = y, np.eye(len(classes))
        case "fpr":
            stratum, members = y, 1 - np.eye(len(classes))
        case "precision":
            stratum, members = p, np.eye(len(classes), len(every))
        case "accuracy":
            classes, members = ("all classes",), np.ones((1, 1))
    within = members.astype(np.int64)
    if rate in ("fpr", "selection"):  # whose classes share rows
        label, n_labels, counting = p, len(every), np.arange(len(classes))
    else:
        label, n_labels, counting = (p == y).astype(np.int64), 2, np.ones(len(classes), dtype=np.int64)

    # The cells of rows with one stratum and one label. A unit is the number of its rows in each cell.
    (strata, labels_of), cell = (
        part.T for part in np.unique(np.stack([stratum, label], 1), axis=0, return_inverse=True)
    )
    units, unit_group = np.eye(len(strata), dtype=np.int64), g
    kind = cell.ravel()
    if clusters:
        _, first, place = np.unique(np.array(clusters), return_index=True, return_inverse=True)
        cells_of = np.zeros((len(first), len(strata)), dtype=np.int64)
        np.add.at(cells_of, (place, kind), 1)
        units, kind = np.unique(cells_of, axis=0, return_inverse=True)
        kind, unit_group = kind.ravel(), g[first]
    in_groups = np.zeros((len(units), len(groups)), dtype=np.int64)
    np.add.at(in_groups, (kind, unit_group), 1)
    return RateCounts(
        classes, groups, in_groups,
        unit_hits=units @ (within.T[strata] * (labels_of[:, None] == counting)),
        unit_rows=units @ np.eye(within.shape[1], dtype=np.int64)[strata],
        within=within, clustered=bool(clusters), binary=n_labels == 2 and not clusters,
    )  # fmt: skip


def gaps(hits: Ints | Floats, totals: Ints | Floats) -> Floats:
    """Largest less smallest rate of a class, over the groups that have rows, shape (…, classes).

    Args:
        hits: shape (…, classes, groups).
        totals: the same, or of shape (classes, groups) for all.

    Returns:
        NaN for a class without rows in two groups.

    Examples:
        >>> gaps(np.array([[3, 1], [2, 2], [1, 0]]), np.array([[4, 4], [2, 4], [1, 0]]))
        array([0.5, 0.5, nan])
    """
    # rate(class, group) = hits / totals. gap(class) = max over groups − min over groups
    has_rows = totals > 0
    rates = hits / np.where(has_rows, totals, 1)
    largest, smallest = (
        np.where(has_rows, rates, -np.inf).max(axis=-1),
        np.where(has_rows, rates, np.inf).min(axis=-1),
    )
    has_gap = has_rows.sum(axis=-1) > 1
    return np.asarray(
        np.where(has_gap, np.where(has_gap, largest, 0.0) - np.where(has_gap, smallest, 0.0), np.nan)
    )


class TestedGap(NamedTuple):
    """A gap, or a summary of gaps, with what chance makes of it, by the names that a finding and a row have for it.

    By chance it is its mean over the reorderings.
    """

    score: float
    expected_by_chance: float
    ci_low: float | None
    ci_high: float | None
    p_value: float
    p_error: float

    def estimate(self) -> Estimate:
        """As a secondary value."""
        return Estimate(self.score, self.ci_low, self.ci_high, self.p_value)


def tested(counts: RateCounts, inference: Inference) -> dict[str, TestedGap]:
    """Return the summaries by name, and the gap of every class under ``"class:"`` and its name.

    The null hypothesis: among the rows that a rate is a share of, what counts does not depend on the group. Reordering
    the groups among the rows of a class makes the hits of its groups multivariate hypergeometric. If rows
    belong to several classes, groups are reordered within true classes (false positives) or among all rows
    (selection). Rows of one cluster stay together: the groups of clusters are reordered, and clusters are
    resampled. The interval draws the hits of every cell again (binomial, which is the bootstrap of its rows).
    Both a mean of absolute differences and its bootstrap lie above the population's value. The bootstrap is
    therefore centred on the observed value, and the interval is one for the score that is expected with these
    numbers of rows, as the value by chance is.
    """
    of_null, of_interval = np.random.SeedSequence(inference.seed).spawn(2)
    null, samples, observed = (
        _by_name(counts.classes, class_gaps)
        for class_gaps in (
            _drawn_gaps(counts, inference.n_resamples, _draw_relabelled, of_null),
            _drawn_gaps(counts, inference.ci_resamples, _draw_resampled, of_interval),
            gaps(counts.hits, counts.totals),
        )
    )
    tails = ((1 - inference.confidence_level) / 2, (1 + inference.confidence_level) / 2)
    results = {}
    for name, value in observed.items():
        reached = int((null[name] >= value - TIE_TOLERANCE).sum())
        ends: tuple[float | None, float | None] = (None, None)
        if inference.ci_resamples:
            spread = np.nanquantile(samples[name] - np.nanmean(samples[name]), tails)
            low, high = np.clip(float(value) + spread, 0.0, 1.0).tolist()
            if has_width(low, high, TIE_TOLERANCE):
                ends = low, high
        p = sampled_p(reached, inference.n_resamples)
        results[name] = TestedGap(float(value), float(np.nanmean(null[name])), *ends, *p)
    return results


def _by_name(classes: tuple[str, ...], class_gaps: Floats) -> dict[str, Floats]:
    """Mean, root of the mean square, and maximum over the classes, the last axis, and the gap of each."""
    return {
        "mean": np.nanmean(class_gaps, axis=-1),
        "rms": np.sqrt(np.nanmean(class_gaps**2, axis=-1)),
        "max": np.nanmax(class_gaps, axis=-1),
        **{f"class:{name}": class_gaps[..., i] for i, name in enumerate(classes)},
    }


def _draw_relabelled(table: Ints, n: int, rng: np.random.Generator) -> Ints:
    """n tables with the margins of one, of units by kind and group: groups are reordered, shape (n, kinds, groups)."""
    of_kinds, of_groups = table.sum(axis=1), table.sum(axis=0)
    out = np.tile(table, (n, 1, 1))
    rows, columns = np.flatnonzero(of_kinds), np.flatnonzero(of_groups)
    # Of one row or column the margins leave one table, for which SciPy (1.17) draws numbers that do not add up.
    if min(len(rows), len(columns)) > 1:
        drawn_tables = random_table(of_kinds[rows], of_groups[columns]).rvs(n, random_state=rng)
        out[:, rows[:, None], columns] = drawn_tables
    return out


def _draw_resampled(table: Ints, n: int, rng: np.random.Generator) -> Ints:
    """n tables of as many units of each group, drawn again from its own, shape (n, kinds, groups)."""
    sizes = table.sum(axis=0)
    shares = np.where(sizes > 0, table / np.maximum(sizes, 1), 1 / len(table))
    return np.moveaxis(rng.multinomial(sizes, shares.T, size=(n, len(sizes))), 1, 2)


def _drawn_gaps(
    counts: RateCounts,
    n: int,
    draw: Callable[[Ints, int, np.random.Generator], Ints],
    seed: np.random.SeedSequence,
) -> Floats:
    """Gaps of n draws of the units of every stratum, shape (n, classes)."""
    rng, strata = np.random.default_rng(seed), counts.unit_rows.argmax(axis=1)
    units = counts.units[:, np.lexsort(counts.units)]  # so that the groups' names change no draw
    sums = np.zeros((2, n, len(counts.groups), len(counts.classes)))
    for stratum in np.unique(strata[counts.unit_totals.any(axis=1)]):
        members, first = strata == stratum, 0
        table = units[members]
        for size in batches(n, table.size):
            redrawn = draw(table, size, rng).astype(np.float64)
            for side, of_unit in zip(sums, (counts.unit_hits, counts.unit_totals), strict=True):
                side[first : first + size] += np.tensordot(
                    redrawn, of_unit[members].astype(np.float64), (1, 0)
                )
            first += size
    return gaps(*np.moveaxis(sums, 2, 3))


def newcombe_interval(hits: Ints, totals: Ints, confidence_level: float) -> tuple[float, float]:
    """Interval of a difference of two independent proportions (Newcombe 1998, Statistics in Medicine 17, method 10).

    Examples:
        >>> low, high = newcombe_interval(np.array([56, 48]), np.array([70, 80]), 0.95)
        >>> round(low, 4), round(high, 4)  # his table II, example (a)
        (0.0524, 0.3339)
    """
    wilson = [wilson_interval(int(k), int(n), confidence_level) for k, n in zip(hits, totals, strict=True)]
    return _interval_of_difference(*wilson)


def clustered_interval(
    counts: RateCounts, class_place: int, groups: Sequence[int], confidence_level: float
) -> tuple[float, float]:
    """Return the same with Wilson's intervals of rates whose rows belong to clusters."""
    hits, totals = counts.unit_hits[:, class_place], counts.unit_totals[:, class_place]
    wilson = []
    for group in groups:
        members = np.repeat(np.arange(len(totals)), np.where(totals > 0, counts.units[:, group], 0))
        k, n = hits[members].tolist(), totals[members].tolist()
        wilson.append(clustered_proportion_interval(k, n, range(len(n)), confidence_level=confidence_level))
    return _interval_of_difference(*wilson)


def _interval_of_difference(first: ProportionInterval, second: ProportionInterval) -> tuple[float, float]:
    sides = ((side.estimate, side.low, side.high) for side in (second, first))
    return unpaired_interval(*sides)
