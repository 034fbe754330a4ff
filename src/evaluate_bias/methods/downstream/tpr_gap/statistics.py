"""Gaps between rates from counts, and what chance makes of such counts."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.stats import random_table

from ....result import Estimate
from ....stats import has_width, smallest_gap_p, smallest_split_p, unpaired_interval, wilson_interval
from ....stats.crossed import clustered_proportion_interval
from ....stats.permutation import TIE_TOLERANCE, sampled_p
from ....stats.proportions import ProportionInterval
from ...word_lists.inference import Inference, batch_sizes

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Rate = Literal["tpr", "fpr", "selection", "precision", "accuracy"]


@dataclass(frozen=True, slots=True)
class ClusterCounts:
    """The rows that a rate is a share of, by the cluster that they belong to, such as a person.

    Attributes:
        hits, totals: of every cluster and class, shape (clusters, classes).
        group: number of each cluster's group, shape (clusters,).
        stratum: number of the stratum within which groups are reordered and clusters resampled, shape (clusters,).
    """

    hits: csr_array
    totals: csr_array
    group: Ints
    stratum: Ints

    def of(self, classes: Sequence[int], groups: Sequence[int]) -> ClusterCounts:
        """Those of some classes and groups, given by number."""
        used = np.isin(self.group, groups)
        group = np.searchsorted(list(groups), self.group[used])
        hits, totals = (counts[used][:, list(classes)] for counts in (self.hits, self.totals))
        return ClusterCounts(hits, totals, np.asarray(group), self.stratum[used])

    def table(self) -> Ints:
        """Number of clusters in every stratum and group."""
        out = np.zeros((self.stratum.max() + 1, self.group.max() + 1), dtype=np.int64)
        np.add.at(out, (self.stratum, self.group), 1)
        return out


@dataclass(frozen=True, slots=True)
class RateCounts:
    """The rows that a rate of every class in every group is a share of, and how many of them count.

    Attributes:
        classes, groups: their names.
        hits, totals: shape (classes, groups).
        tables: where two classes share rows, as for rates of false positives, how often every label is predicted in
            every group, within the strata in which groups are reordered; shape (strata, labels, groups).
        labels: the places of the classes among the labels.
        within: which strata are a class's, shape (classes, strata).
        clusters: the same by cluster, where rows belong to clusters.
    """

    classes: tuple[str, ...]
    groups: tuple[str, ...]
    hits: Ints
    totals: Ints
    tables: Ints | None = None
    labels: Ints | None = None
    within: Ints | None = None
    clusters: ClusterCounts | None = None

    def of(self, classes: Sequence[int], groups: Sequence[int]) -> RateCounts:
        """Those of some classes and groups, given by number."""
        cells, chosen = np.ix_(classes, groups), list(classes)
        return RateCounts(
            tuple(self.classes[i] for i in classes),
            tuple(self.groups[g] for g in groups),
            self.hits[cells],
            self.totals[cells],
            None if self.tables is None else self.tables[..., list(groups)],
            None if self.labels is None else self.labels[chosen],
            None if self.within is None else self.within[chosen],
            None if self.clusters is None else self.clusters.of(chosen, groups),
        )

    @property
    def n(self) -> int:
        """Number of rows."""
        return int(self.totals.sum() if self.tables is None else self.tables.sum())

    @property
    def smallest_p(self) -> float:
        """The smallest p-value of the mean gap: groups are reordered in each class, or stratum, on its own."""
        if self.clusters is not None:
            strata = self.clusters.table()
            return math.prod(smallest_split_p(*sizes[sizes > 0].tolist()) for sizes in strata)
        if self.tables is None:
            return math.prod(smallest_gap_p(*sizes[sizes > 0].tolist()) for sizes in self.totals)
        assert self.within is not None
        strata = self.tables.sum(axis=1)[self.within.any(axis=0)]
        return math.prod(smallest_split_p(*sizes[sizes > 0].tolist()) for sizes in strata)


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

    def counted(cells: Sequence[Ints], *sizes: int) -> Ints:
        out = np.zeros((*sizes, len(groups)), dtype=np.int64)
        np.add.at(out, (*cells, g), 1)
        return out

    # picked[c, g] = rows predicted as the class, right[c, g] = those of them that are its members
    picked, members = counted([p], len(every))[: len(classes)], counted([y], len(classes))
    right = np.zeros_like(members)
    np.add.at(right, (y[p == y], g[p == y]), 1)
    rows = members.sum(axis=0)
    class_places = np.arange(len(classes))
    match rate:
        case "accuracy":
            counts = RateCounts(("all classes",), groups, right.sum(axis=0)[None], rows[None])
        case "tpr" | "precision":
            counts = RateCounts(classes, groups, right, members if rate == "tpr" else picked)
        case "selection":
            tables, within = counted([p], len(every))[None], np.ones((len(classes), 1), dtype=np.int64)
            of_rows = np.tile(rows, (len(classes), 1))
            counts = RateCounts(classes, groups, picked, of_rows, tables, class_places, within)
        case "fpr":
            tables, within = (
                counted([y, p], len(classes), len(every)),
                1 - np.eye(len(classes), dtype=np.int64),
            )
            counts = RateCounts(classes, groups, picked - right, rows - members, tables, class_places, within)
    return replace(counts, clusters=_cluster_counts(p, y, g, rate, classes, clusters)) if clusters else counts


def _cluster_counts(
    p: Ints, y: Ints, g: Ints, rate: Rate, classes: Sequence[str], clusters: Sequence[str]
) -> ClusterCounts:
    """Counts by cluster, from the numbers of each row's prediction, class and group.

    Groups are reordered within the class that most of a cluster's rows are members of (of precision: are predicted as).
    """
    names, first, cluster = np.unique(np.array(clusters), return_index=True, return_inverse=True)
    columns = np.arange(1 if rate == "accuracy" else len(classes))
    picked, member = (labels[:, None] == columns for labels in (p, y))
    about = {"tpr": member, "precision": picked, "fpr": ~member}.get(rate, np.ones_like(member))
    counted = (p == y)[:, None] if rate == "accuracy" else about & (member if rate == "precision" else picked)
    of_rows = csr_array(
        (np.ones(len(cluster)), (cluster, np.arange(len(cluster)))), shape=(len(names), len(cluster))
    )
    hits, totals = (of_rows @ csr_array(cells.astype(np.float64)) for cells in (counted, about))
    stratum = np.zeros(len(names), dtype=np.int64)
    if rate in ("tpr", "fpr", "precision"):
        labels = p if rate == "precision" else y
        number = np.zeros((len(names), labels.max() + 1))
        np.add.at(number, (cluster, labels), 1)
        stratum = np.unique(number.argmax(axis=1), return_inverse=True)[1]
    return ClusterCounts(hits, totals, g[first], stratum)


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

    Its ideal is its mean over the reorderings.
    """

    score: float
    ideal: float
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


def _reordered(
    counts: RateCounts, n: int, seed: np.random.SeedSequence
) -> tuple[Ints | Floats, Ints | Floats]:
    """Hits after reordering the groups, shape (n, classes, groups), and totals."""
    rng = np.random.default_rng(seed)
    if counts.clusters is not None:

        def permuted(group: Ints, size: int) -> Floats:
            shuffled = rng.permuted(np.tile(group, (size, 1)), axis=1)
            return np.asarray(shuffled[..., None] == np.arange(len(counts.groups)), dtype=np.float64)

        return _sums_of_clusters(counts, n, permuted)
    if counts.tables is None:
        reordered_hits = [
            rng.multivariate_hypergeometric(totals, int(hits.sum()), size=n, method="marginals")
            for hits, totals in zip(counts.hits, counts.totals, strict=True)
        ]
        return np.stack(reordered_hits, axis=1), counts.totals

    def table_like(table: Ints) -> Ints:
        """Tables with the same margins, of the labels and groups that are there."""
        out = np.tile(table, (n, 1, 1))
        rows, columns = np.flatnonzero(table.sum(axis=1)), np.flatnonzero(table.sum(axis=0))
        # Of one row or column the margins leave one table, for which SciPy (1.17) draws numbers that do not add up.
        if min(len(rows), len(columns)) > 1:
            margins = table.sum(axis=1)[rows], table.sum(axis=0)[columns]
            out[:, rows[:, None], columns] = random_table(*margins).rvs(n, random_state=rng)
        return out

    return _hits_of_tables(counts, n, table_like), counts.totals


def _redrawn(counts: RateCounts, n: int, seed: np.random.SeedSequence) -> tuple[Ints | Floats, Ints | Floats]:
    rng = np.random.default_rng(seed)
    if counts.clusters is not None:

        def drawn_anew(group: Ints, size: int) -> Floats:
            times = np.zeros((size, len(group), len(counts.groups)))
            for place in np.unique(group):
                members = np.flatnonzero(group == place)
                n = len(members)
                times[:, members, place] = rng.multinomial(n, np.full(n, 1 / n), size=size)
            return times

        return _sums_of_clusters(counts, n, drawn_anew)
    if counts.tables is None:
        rates = counts.hits / np.maximum(counts.totals, 1)
        resampled_hits = rng.binomial(counts.totals, rates, size=(n, *counts.totals.shape))
        return np.asarray(resampled_hits, dtype=np.int64), counts.totals

    def resampled(table: Ints) -> Ints:
        """The labels of as many rows of each group, drawn anew."""
        rows = table.sum(axis=0)
        shares = np.where(rows > 0, table / np.maximum(rows, 1), 1 / len(table))
        return np.moveaxis(rng.multinomial(rows, shares.T, size=(n, len(rows))), 1, 2)

    return _hits_of_tables(counts, n, resampled), counts.totals


def _hits_of_tables(counts: RateCounts, n: int, draw: Callable[[Ints], Ints]) -> Ints:
    """Hits in tables drawn for every stratum, shape (n, labels, groups) each, added up."""
    assert counts.tables is not None
    assert counts.within is not None
    hits = np.zeros((n, *counts.hits.shape), dtype=np.int64)
    for table, inside in zip(counts.tables, counts.within.T, strict=True):
        hits += inside[:, None] * draw(table)[:, counts.labels]
    return hits


def _sums_of_clusters(
    counts: RateCounts, n: int, draw: Callable[[Ints, int], Floats]
) -> tuple[Floats, Floats]:
    """Hits and totals, shape (n, classes, groups) each, of clusters drawn within strata.

    ``draw`` gives, for the groups of m clusters and a number of draws, how often each cluster counts in each group,
    shape (draws, m, groups).
    """
    clusters = counts.clusters
    assert clusters is not None
    sums = np.zeros((2, n, *counts.hits.shape))
    for stratum in range(clusters.stratum.max() + 1):
        members = np.flatnonzero(clusters.stratum == stratum)
        cells, first = [side[members].T for side in (clusters.hits, clusters.totals)], 0
        for size in batch_sizes(n, len(members) * len(counts.groups)) if len(members) else ():
            times = draw(clusters.group[members], size)
            for place, side in product(range(len(counts.groups)), (0, 1)):
                sums[side, first : first + size, :, place] += (cells[side] @ times[:, :, place].T).T
            first += size
    return sums[0], sums[1]


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
