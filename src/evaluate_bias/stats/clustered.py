"""Intervals of a proportion whose trials resemble one another within clusters of one or two kinds."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Sequence

import numpy as np
import numpy.typing as npt

from ..arrays import FloatArray
from ..errors import UndefinedScoreError
from .crossed import satterthwaite
from .proportions import ProportionInterval, wilson_interval, wilson_of_share

Clusters = Sequence[Hashable]


def clustered_variance(influence: npt.ArrayLike, *clusters: Clusters) -> tuple[float, int]:
    """Variance of a sum of contributions that resemble one another within clusters, of one kind or of two that cross.

    With u the sums of the contributions of each of m clusters, V = m / (m - 1) · Σ u²; of two kinds of clusters
    V = V_1 + V_2 - V_12, where V_12 is that of the cells that they make, and no less than the larger of the two. A kind
    of one cluster says nothing and is left out.

    Args:
        influence: contributions of the units to the estimate less its value, which add up to 0, shape (n,).
        clusters: for each kind, the cluster of every unit; without any, every unit is one.

    Returns:
        The variance, and the smaller number of clusters less one: the degrees of freedom.

    Raises:
        UndefinedScoreError: there are fewer than two clusters of every kind.

    References:
        Cameron, Gelbach and Miller (2011): Robust Inference with Multiway Clustering. Journal of Business and Economic
        Statistics 29, 238-249.

    Examples:
        >>> clustered_variance([0.1, 0.1, -0.2, 0.0], ["a", "a", "b", "c"])
        (0.12000000000000002, 2)
    """
    values = np.asarray(influence, dtype=np.float64)
    kinds = [kind for kind in clusters or [range(len(values))] if len(set(kind)) > 1]
    if not kinds:
        raise UndefinedScoreError("the variance between fewer than two clusters is undefined")
    variances = [_between(values, kind) for kind in kinds]
    variance = max(variances)
    if len(kinds) == 2:
        cells = list(zip(*kinds, strict=True))
        variance = max(variance, sum(variances) - _between(values, cells))
    return variance, min(len(set(kind)) for kind in kinds) - 1


def _between(values: FloatArray, clusters: Clusters) -> float:
    sums: dict[Hashable, float] = defaultdict(float)
    for value, cluster in zip(values.tolist(), clusters, strict=True):
        sums[cluster] += value
    return len(sums) / (len(sums) - 1) * float(np.sum(np.square(sorted(sums.values()))))


def clustered_proportion_interval(
    k: Sequence[int],
    n: Sequence[int],
    *clusters: Clusters,
    level: float = 0.95,
    further: tuple[float, float] = (0.0, 1.0),
) -> ProportionInterval:
    """Interval of the pooled proportion Σk / Σn of units that resemble one another within clusters.

    Wilson's formula with the effective number of trials p (1 - p) / V and Student's quantile, V and the degrees of
    freedom being those of :func:`clustered_variance`. Where the units' proportions are all equal, they say nothing
    about V, and every unit counts as one trial. Of one unit it is Wilson's interval.

    Args:
        k: number of successes of each unit, shape (m,).
        n: number of trials of each, shape (m,), each above 0.
        clusters: for each kind, the cluster of every unit; without any, every unit is one.
        level: nominal coverage, between 0 and 1.
        further: variance of the proportion from something else that was drawn, and its degrees of freedom; the two
            variances add up, with Satterthwaite's degrees of freedom.

    Returns:
        The interval, with Σk / Σn as its estimate.

    Raises:
        InputError: counts, clusters or the level out of range.
        UndefinedScoreError: there is no unit, or one without trials.

    Examples:
        >>> interval = clustered_proportion_interval([1, 0, 2, 1], [4, 4, 4, 4], ["a", "a", "b", "b"])
        >>> round(interval.estimate, 4), round(interval.low, 4), round(interval.high, 4)
        (0.25, 0.0045, 0.9609)
    """
    units = [wilson_interval(a, b, level) for a, b in zip(k, n, strict=True)]  # which checks the counts
    if not units:
        raise UndefinedScoreError("the proportion of no trials is undefined")
    if len(units) == 1:
        return units[0]
    successes, trials = np.asarray(k, dtype=np.float64), np.asarray(n, dtype=np.float64)
    p = float(successes.sum() / trials.sum())
    influence = (successes - p * trials) / trials.sum()
    if np.abs(influence).max() <= 1e-12:
        return wilson_of_share(p, len(units), level, len(units) - 1)
    informative = [kind for kind in clusters if len(set(kind)) > 1]
    freedom: float
    variance, freedom = clustered_variance(influence, *informative)
    # Clusters may be equal where units are not: then the units speak.
    if variance <= 1e-24:
        variance, freedom = clustered_variance(influence)
    if further[0] > 0:
        parts = ((variance, freedom), further)
        variance += further[0]
        freedom = satterthwaite(variance, parts)
    return wilson_of_share(p, p * (1 - p) / variance, level, freedom)
