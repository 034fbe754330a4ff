"""McNemar's test of two shares of the same units: the interval of their difference, and the test's power."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt
from scipy import optimize, special
from scipy import stats as distributions

from ..arrays import FloatArray
from ..errors import InputError
from ._checks import check_level, check_whole

_MOST_UNITS = 1_000_000
_TAIL = 0.025


def share_difference_interval(gained: int, lost: int, n: int, level: float = 0.95) -> tuple[float, float]:
    """Tango's score interval of (gained - lost) / n, the difference of two shares of the same n units.

    Its ends are the differences that a score test, whose nuisance parameter is estimated under the null hypothesis,
    just does not reject. It keeps its level for few units, and has a width where no unit changed.

    Args:
        gained: units that succeed in the second only.
        lost: units that succeed in the first only.
        n: number of units.

    Raises:
        InputError: the counts are no counts, or more units changed than there are.

    References:
        Tango (1998): Equivalence test and confidence interval for the difference in proportions for the paired-sample
        design. Statistics in Medicine 17.

    Examples:
        >>> [round(end, 4) for end in share_difference_interval(12, 2, 50)]
        [0.0611, 0.3447]
    """
    for name, value in (("gained", gained), ("lost", lost)):
        check_whole(value, name, 0)
    check_whole(n, "n", 1)
    check_level(level)
    if gained + lost > n:
        raise InputError(f"{gained} + {lost} units changed and there are only {n}")
    z = float(special.ndtri((1 + level) / 2))

    def statistic(delta: float) -> float:
        return float(tango_statistic(gained, lost, n, delta))

    observed = (gained - lost) / n

    def end(target: float, edge: float) -> float:
        if observed == edge or abs(statistic(edge)) <= z:
            return edge
        inside = edge + (observed - edge) * 1e-12
        return float(optimize.brentq(lambda d: min(max(statistic(d), -1e9), 1e9) - target, inside, observed))

    return end(z, -1.0), end(-z, 1.0)


def tango_statistic(
    gained: npt.ArrayLike, lost: npt.ArrayLike, n: npt.ArrayLike, delta: npt.ArrayLike
) -> FloatArray:
    """Tango's score statistic of a difference ``delta`` of paired shares, element by element.

    It is below -z exactly where the upper end of :func:`share_difference_interval` with that z lies below ``delta``.

    Examples:
        >>> low, _ = share_difference_interval(12, 2, 50)
        >>> float(tango_statistic(12, 2, 50, low).round(6))
        1.959964
    """
    g, lo, n, delta = (np.asarray(values, dtype=np.float64) for values in (gained, lost, n, delta))
    # (g − l − n δ) / √(n (2 q + δ (1 − δ))), q the largest-likelihood share of lost units if the difference is δ:
    # the positive root of 2 n q² + B q + C with B = −g − l + (2 n − g + l) δ and C = −l δ (1 − δ).
    b = -g - lo + (2 * n - g + lo) * delta
    c = -lo * delta * (1 - delta)
    q = (np.sqrt(np.maximum(b * b - 8 * n * c, 0.0)) - b) / (4 * n)
    variance = n * (2 * q + delta * (1 - delta))
    above = g - lo - n * delta
    without = np.where(above == 0, 0.0, np.copysign(np.inf, above))
    return np.where(variance > 0, above / np.sqrt(np.where(variance > 0, variance, 1.0)), without)


def mcnemar_power(n: int, changed: float, difference: float) -> float:
    """Share of cases in which McNemar's exact test of n units at 5 % finds a difference of two shares.

    Args:
        n: number of units.
        changed: share of the units that succeed in one measurement only; at least the difference.
        difference: the true difference of the shares.

    Raises:
        InputError: a number is out of its range.

    Examples:
        >>> round(mcnemar_power(200, 0.2, 0.1), 2)
        0.88
    """
    check_whole(n, "n", 1)
    if not abs(difference) <= changed <= 1:
        raise InputError("changed must lie between the difference and 1")
    if changed == 0:
        return 0.0
    # Over m ~ Bin(n, c) changed units, of which Bin(m, (c + |d|) / 2c) change one way: P(two-sided p <= 5 %).
    spread = 8 * math.sqrt(n * changed * (1 - changed)) + 2
    m = np.arange(max(1, int(n * changed - spread)), min(n, math.ceil(n * changed + spread)) + 1)
    way = (changed + abs(difference)) / (2 * changed)
    low = distributions.binom.ppf(_TAIL, m, 0.5)
    low = np.where(distributions.binom.cdf(low, m, 0.5) <= _TAIL, low, low - 1)  # largest count that rejects
    rejects = distributions.binom.cdf(low, m, way) + distributions.binom.sf(m - low - 1, m, way)
    return float((distributions.binom.pmf(m, n, changed) * rejects).sum())


def units_needed(changed: float, difference: float) -> int | None:
    """Units that McNemar's test needs to find a difference of shares in 80 % of cases; ``None`` above a million.

    Examples:
        >>> units_needed(0.2, 0.1) in range(160, 180)
        True
    """
    low, high = 0, 8
    while mcnemar_power(high, max(changed, difference), difference) < 0.8:
        low, high = high, 2 * high
        if high > _MOST_UNITS:
            return None
    while high - low > max(1, high // 200):
        middle = (low + high) // 2
        if mcnemar_power(middle, max(changed, difference), difference) < 0.8:
            low = middle
        else:
            high = middle
    return high


def detectable_share_of(n: int, changed: float) -> float | None:
    """Smallest difference that McNemar's test finds in 80 % of cases when so large a share of the units changes."""

    def short(difference: float) -> float:
        return mcnemar_power(n, max(changed, difference), difference) - 0.8

    return None if short(1.0) < 0 else float(optimize.brentq(short, 1e-9, 1.0, xtol=1e-4))
