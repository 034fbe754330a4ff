"""Gaps between rates from counts, and what chance makes of such counts."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
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
class ClusterCounts:
    """The rows that a rate is a share of, by the cluster that they belong to, such as a person.

    Attributes:
        hits, totals: of every cluster and class, shape (clusters, classes).
        group: number of each cluster's group, shape (clusters,).
        stratum: number of the stratum that most of its rows are in, shape (clusters,).
    """

    hits: csr_array
    totals: csr_array
    group: Ints
    stratum: Ints

    @property
    def is_counted(self) -> NDArray[np.bool_]:
        """Whether a cluster has rows that the rate of one of these classes is a share of, shape (clusters,)."""
        return np.asarray(self.totals.sum(axis=1) > 0)

    def of(self, classes: Sequence[int], groups: Sequence[int]) -> ClusterCounts:
        """Those of some classes and groups, given by number."""
        used = np.isin(self.group, groups)
        group = np.searchsorted(list(groups), self.group[used])
        hits, totals = (counts[used][:, list(classes)] for counts in (self.hits, self.totals))
        return ClusterCounts(hits, totals, np.asarray(group), self.stratum[used])


@dataclass(frozen=True, slots=True)
class RateCounts:
    """The rows that a rate of every class in every group is a share of, and how many of them count.

    Attributes:
        classes, groups: their names.
        tables: how many rows there are of every label in every group, within the strata in which groups are reordered,
            shape (strata, labels, groups). A label is a prediction, where classes share rows; else 1 for a row that
            counts and 0 for any other.
        labels: the label that counts for each class, shape (classes,).
        within: 1 where a stratum is a class's, shape (classes, strata).
        clusters: the same by cluster, where rows belong to clusters.
    """

    classes: tuple[str, ...]
    groups: tuple[str, ...]
    tables: Ints
    labels: Ints
    within: Ints
    clusters: ClusterCounts | None = None

    def of(self, classes: Sequence[int], groups: Sequence[int]) -> RateCounts:
        """Those of some classes and groups, given by number."""
        chosen = list(classes)
        return RateCounts(
            tuple(self.classes[i] for i in classes),
            tuple(self.groups[g] for g in groups),
            self.tables[..., list(groups)],
            self.labels[chosen],
            self.within[chosen],
            None if self.clusters is None else self.clusters.of(chosen, groups),
        )

    @property
    def hits(self) -> Ints:
        """Rows that count, shape (classes, groups)."""
        return np.asarray(np.einsum("cs,scg->cg", self.within, self.tables[:, self.labels]))

    @property
    def totals(self) -> Ints:
        """Rows that the rate is a share of, shape (classes, groups)."""
        return np.asarray(self.within @ self.tables.sum(axis=1))

    @property
    def n(self) -> int:
        """Number of rows."""
        return int(self.tables[self.within.any(axis=0)].sum())

    @property
    def smallest_p(self) -> float:
        """The smallest p-value of the mean gap: groups are reordered in each stratum on its own."""
        sizes, smallest = self.tables[self.within.any(axis=0)].sum(axis=1), smallest_gap_p
        if self.clusters is not None:
            sizes = np.zeros((self.clusters.stratum.max() + 1, len(self.groups)), dtype=np.int64)
            np.add.at(sizes, (self.clusters.stratum, self.clusters.group), self.clusters.is_counted)
        if self.clusters is not None or self.tables.shape[1] > 2:
            smallest = smallest_split_p
        return math.prod(smallest(*of_groups[of_groups > 0].tolist()) for of_groups in sizes)


def rate_counts(
    labels: Sequence[tuple[str, str, str]], rate: Rate, clusters: Sequence[str] = ()
) -> RateCounts:
    """Count what a rate is made of, one class against the others; classes and groups in the order of their names.

    Args:
        labels: prediction, reference and group of every row.
        rate: ``"tpr"``: of the members of a class, those predicted as it; ``"fpr"``: of the others, those predicted as
            it; ``"selection"``: of all rows, those predicted as it; ``"precision"``: of the rows predicted as a class,
            its members; ``"accuracy"``: of all rows, those that are right, which is one rate for all classes.
        clusters: the cluster of every row, each within one group; empty where rows stand alone.

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
    tables = np.zeros((within.shape[1], n_labels, len(groups)), dtype=np.int64)
    np.add.at(tables, (stratum, label, g), 1)
    if not clusters:
        return RateCounts(classes, groups, tables, counting, within)
    names, first, cluster = np.unique(np.array(clusters), return_index=True, return_inverse=True)
    about = within.T[stratum].astype(bool)  # (rows, classes)
    of_rows = csr_array((np.ones(len(p)), (cluster, np.arange(len(p)))), shape=(len(names), len(p)))
    hits, totals = (
        of_rows @ csr_array(cells.astype(np.float64))
        for cells in (about & (label[:, None] == counting), about)
    )
    in_strata = np.zeros((len(names), within.shape[1]))
    np.add.at(in_strata, (cluster, stratum), 1)
    most = np.unique(in_strata.argmax(axis=1), return_inverse=True)[1]
    return RateCounts(classes, groups, tables, counting, within, ClusterCounts(hits, totals, g[first], most))


def gaps(hits: Ints | Floats, totals: Ints | Floats) -> Floats:
    """Largest less smallest rate of a class, over the groups that have rows; shape (…, classes).

    Args:
        hits: shape (…, classes, groups).
        totals: likewise, or of shape (classes, groups) for all.

    Returns:
        NaN for a class without rows in two groups.

    Examples:
        >>> gaps(np.array([[3, 1], [2, 2], [1, 0]]), np.array([[4, 4], [2, 4], [1, 0]]))
        array([0.5, 0.5, nan])
    """
    # rate(class, group) = hits / totals; gap(class) = max over groups − min over groups
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
    """The summaries by name, and the gap of every class under ``"class:"`` and its name.

    The null hypothesis: among the rows that a rate is a share of, what counts does not depend on the group. Reordering
    the groups among the rows of a class makes the hits of its groups multivariate hypergeometric; where rows belong to
    several classes, groups are reordered within true classes (false positives) or among all rows (selection). Rows of
    one cluster stay together: the groups of clusters are reordered, and clusters are resampled. The interval draws the
    hits of every cell anew (binomial, which is the bootstrap of its rows). Both a mean of absolute differences and its
    bootstrap lie above the population's value; the bootstrap is therefore centred on the observed value, and the
    interval is one for the score that is expected with these numbers of rows, as the value by chance is.
    """
    of_null, of_interval = np.random.SeedSequence(inference.seed).spawn(2)
    null, samples, observed = (
        _by_name(counts.classes, gaps(hits, totals))
        for hits, totals in (
            _reordered(counts, inference.n_resamples, of_null),
            _redrawn(counts, inference.ci_resamples, of_interval),
            (counts.hits, counts.totals),
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
    """Mean, root of the mean square, and maximum over the classes, the last axis; and the gap of each."""
    return {
        "mean": np.nanmean(class_gaps, axis=-1),
        "rms": np.sqrt(np.nanmean(class_gaps**2, axis=-1)),
        "max": np.nanmax(class_gaps, axis=-1),
        **{f"class:{name}": class_gaps[..., i] for i, name in enumerate(classes)},
    }


Sums = tuple[Ints | Floats, Ints | Floats]
"""Hits and totals, each of shape (n, classes, groups). Totals that do not change have the shape (classes,
groups).
"""


def _reordered(counts: RateCounts, n: int, seed: np.random.SeedSequence) -> Sums:
    """Hits and totals after reordering the groups."""
    rng, n_groups = np.random.default_rng(seed), len(counts.groups)

    def permuted(group: Ints, size: int) -> Floats:
        shuffled = rng.permuted(np.tile(group, (size, 1)), axis=1)
        return np.asarray(shuffled[..., None] == np.arange(n_groups), dtype=np.float64)

    def table_like(table: Ints) -> Ints:
        """Tables with the same margins, of the labels and groups that are there."""
        of_labels, of_groups = table.sum(axis=1), table.sum(axis=0)
        if len(table) == 2:
            hits = rng.multivariate_hypergeometric(of_groups, of_labels[1], size=n, method="marginals")
            return np.stack([of_groups - hits, hits], axis=1)
        out = np.tile(table, (n, 1, 1))
        rows, columns = np.flatnonzero(of_labels), np.flatnonzero(of_groups)
        # Of one row or column the margins leave one table, for which SciPy (1.17) draws numbers that do not add up.
        if min(len(rows), len(columns)) > 1:
            drawn_tables = random_table(of_labels[rows], of_groups[columns]).rvs(n, random_state=rng)
            out[:, rows[:, None], columns] = drawn_tables
        return out

    return _sums(counts, n, table_like, permuted)


def _redrawn(counts: RateCounts, n: int, seed: np.random.SeedSequence) -> Sums:
    """Hits and totals of as many rows, or clusters, of each group, drawn anew."""
    rng, n_groups = np.random.default_rng(seed), len(counts.groups)

    def drawn_anew(group: Ints, size: int) -> Floats:
        times = np.zeros((size, len(group), n_groups))
        for place in np.unique(group):
            members = np.flatnonzero(group == place)
            n_members = len(members)
            times[:, members, place] = rng.multinomial(
                n_members, np.full(n_members, 1 / n_members), size=size
            )
        return times

    def resampled(table: Ints) -> Ints:
        rows = table.sum(axis=0)
        shares = np.where(rows > 0, table / np.maximum(rows, 1), 1 / len(table))
        return np.moveaxis(rng.multinomial(rows, shares.T, size=(n, len(rows))), 1, 2)

    return _sums(counts, n, resampled, drawn_anew)


def _sums(
    counts: RateCounts,
    n: int,
    draw_table: Callable[[Ints], Ints],
    draw_clusters: Callable[[Ints, int], Floats],
) -> Sums:
    """Hits and totals of rows, or of clusters, drawn for every stratum and added up.

    ``draw_table`` gives n tables for one, shape (n, labels, groups). ``draw_clusters`` gives, for the groups of m
    clusters and a number of draws, how often each cluster counts in each group, shape (draws, m, groups).
    """
    hits = np.zeros((n, *counts.within.shape[:1], len(counts.groups)))
    if (clusters := counts.clusters) is None:
        for table, inside in zip(counts.tables, counts.within.T, strict=True):
            if inside.any():
                hits[:, inside > 0] += draw_table(table)[:, counts.labels[inside > 0]]
        return hits, counts.totals
    totals = np.zeros_like(hits)
    for stratum in np.unique(clusters.stratum):
        members, first = np.flatnonzero(clusters.stratum == stratum), 0
        sides = [(sums, side[members].T) for sums, side in ((hits, clusters.hits), (totals, clusters.totals))]
        for size in batches(n, len(members) * len(counts.groups)):
            times = draw_clusters(clusters.group[members], size)
            for place, (sums, cells) in product(range(len(counts.groups)), sides):
                sums[first : first + size, :, place] += (cells @ times[:, :, place].T).T
            first += size
    return hits, totals


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
    clusters: ClusterCounts, class_place: int, groups: Sequence[int], confidence_level: float
) -> tuple[float, float]:
    """The same with Wilson's intervals of rates whose rows belong to clusters."""
    hits, totals = (
        np.asarray(side[:, [class_place]].todense()).ravel() for side in (clusters.hits, clusters.totals)
    )
    wilson = []
    for group in groups:
        members = np.flatnonzero((clusters.group == group) & (totals > 0))
        k, n = (side[members].astype(int).tolist() for side in (hits, totals))
        of_clusters = range(len(members))
        wilson.append(clustered_proportion_interval(k, n, of_clusters, confidence_level=confidence_level))
    return _interval_of_difference(*wilson)


def _interval_of_difference(first: ProportionInterval, second: ProportionInterval) -> tuple[float, float]:
    sides = ((side.estimate, side.low, side.high) for side in (second, first))
    return unpaired_interval(*sides)
