"""Tables of two by two: McNemar's test of two shares of the same units, its interval and power, and Cohen's kappa."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy import optimize, special
from scipy import stats as distributions

from ..arrays import FloatArray
from ..errors import UndefinedScoreError
from .proportions import wilson_of_share

_MOST_UNITS = 1_000_000


def share_difference_interval(
    gained: int, lost: int, n: int, confidence_level: float = 0.95
) -> tuple[float, float]:
    """Tango's score interval of (gained - lost) / n, the difference of two shares of the same n units.

    Its ends are the differences that a score test, whose nuisance parameter is estimated under the null hypothesis,
    just does not reject. It keeps its level for few units, and has a width if no unit changed.

    Args:
        gained: units that succeed in the second only.
        lost: units that succeed in the first only.
        n: number of units.

    References:
        Tango (1998): Equivalence test and confidence interval for the difference in proportions for the paired-sample
        design. Statistics in Medicine 17.

    Examples:
        >>> [round(end, 4) for end in share_difference_interval(12, 2, 50)]
        [0.0611, 0.3447]
    """
    z, observed = float(special.ndtri((1 + confidence_level) / 2)), (gained - lost) / n

    def statistic(delta: float) -> float:
        return float(tango_statistic(gained, lost, n, delta))

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

    It is below -z if and only if the upper end of :func:`share_difference_interval` with that z lies below
    ``delta``.

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


def mcnemar_power(n: int, changed: float, difference: float, alpha: float = 0.05) -> float:
    """Share of cases in which McNemar's exact test of n units finds a difference of two shares.

    Args:
        n: number of units.
        changed: share of the units that succeed in one measurement only, at least the difference.
        difference: the true difference of the shares.
        alpha: level of the test.

    Examples:
        >>> round(mcnemar_power(200, 0.2, 0.1), 2)
        0.88
    """
    if changed == 0:
        return 0.0
    # Over m ~ Bin(n, c) changed units, of which Bin(m, (c + |d|) / 2c) change one way: P(two-sided p <= alpha).
    spread = 8 * math.sqrt(n * changed * (1 - changed)) + 2
    m = np.arange(max(1, int(n * changed - spread)), min(n, math.ceil(n * changed + spread)) + 1)
    way = (changed + abs(difference)) / (2 * changed)
    low = distributions.binom.ppf(alpha / 2, m, 0.5)
    low = np.where(
        distributions.binom.cdf(low, m, 0.5) <= alpha / 2, low, low - 1
    )  # largest count that rejects
    rejects = distributions.binom.cdf(low, m, way) + distributions.binom.sf(m - low - 1, m, way)
    return float((distributions.binom.pmf(m, n, changed) * rejects).sum())


def units_needed(changed: float, difference: float, alpha: float = 0.05) -> int | None:
    """Units that McNemar's test needs to find a difference of shares in 80% of cases, ``None`` above a million.

    See :func:`mcnemar_power` for the arguments.

    Examples:
        >>> units_needed(0.2, 0.1) in range(160, 180)
        True
    """
    low, high = 0, 8
    while mcnemar_power(high, max(changed, difference), difference, alpha) < 0.8:
        low, high = high, 2 * high
        if high > _MOST_UNITS:
            return None
    while high - low > max(1, high // 200):
        middle = (low + high) // 2
        if mcnemar_power(middle, max(changed, difference), difference, alpha) < 0.8:
            low = middle
        else:
            high = middle
    return high


def detectable_share_of(n: int, changed: float, alpha: float = 0.05) -> float | None:
    """Return the smallest difference that McNemar's test finds in 80% of cases if so large a share of units changes."""

    def short(difference: float) -> float:
        return mcnemar_power(n, max(changed, difference), difference, alpha) - 0.8

    return None if short(1.0) < 0 else float(optimize.brentq(short, 1e-9, 1.0, xtol=1e-4))


@dataclass(frozen=True, slots=True)
class Kappa:
    """Agreement of two judgements beyond what their own rates of "yes" make likely.

    Attributes:
        kappa: (agreement - chance) / (1 - chance), in [-1, 1]: 1 for full agreement, 0 for agreement by chance.
        low, high: ends of its confidence interval.
        p_value: exact, one-sided: the chance of this much agreement or more when the second judgements are dealt out
            to the units at random.
        agreement: share of the units judged the same way.
        chance: share expected of independent judgements with the same rates of "yes".
        p_error: Monte Carlo error of a p-value for which judgements were dealt out at random.
    """

    kappa: float
    low: float
    high: float
    p_value: float
    agreement: float
    chance: float
    p_error: float = 0.0


def cohen_kappa(
    both: int,
    only_first: int,
    only_second: int,
    neither: int,
    confidence_level: float = 0.95,
    *,
    independent: float | None = None,
) -> Kappa:
    """Cohen's kappa of a table of two by two.

    Shuffling the second judgements among the units keeps both rates of "yes", so that the number of units with "yes"
    twice is hypergeometric, and kappa rises with it: the p-value of this permutation test is exact and needs no
    sampling.

    The interval takes the large-sample variance of kappa (Fleiss, Cohen and Everitt 1969), of the table with one half
    added to every cell, and is Wilson's interval of (1 + kappa) / 2 at the number of trials that gives a proportion
    this variance. Unlike kappa plus or minus two standard errors it stays within -1 and 1, keeps a width if all
    units agree, and contains a high kappa as often as it should.

    Args:
        both: number of units judged "yes" twice.
        only_first: number of those judged "yes" by the first only.
        only_second: number of those judged "yes" by the second only.
        neither: number of those judged "no" twice.
        confidence_level: nominal coverage of the interval.
        independent: number of independent units whose kappa varies as much, if some units repeat others. Only the
            interval follows it.

    Raises:
        UndefinedScoreError: the lists are empty, or both judgements are the same for every unit, so that chance alone
            agrees fully.

    References:
        Cohen (1960), A coefficient of agreement for nominal scales. Fleiss, Cohen and Everitt (1969), Large sample
        standard errors of kappa and weighted kappa.

    Examples:
        Of 20 units 8 are judged "yes" twice, 8 "no" twice. Chance gives one half.

        >>> kappa = cohen_kappa(8, 2, 2, 8)
        >>> round(kappa.kappa, 3), round(kappa.low, 3), round(kappa.high, 3), round(kappa.p_value, 4)
        (0.6, 0.19, 0.832, 0.0115)
    """
    cells = both, only_first, only_second, neither
    n = sum(cells)
    first, second = both + only_first, both + only_second
    if not n or (first == second and first in (0, n)):
        same = "there is no item" if not n else f"every item is judged {'yes' if first else 'no'} both times"
        raise UndefinedScoreError(f"Cohen's kappa is undefined: {same}")
    kappa, agreement, chance = _kappa(*cells)
    smoothed_cells = [count * (n if independent is None else independent) / n + 0.5 for count in cells]
    variance, smoothed = _variance(*smoothed_cells), (1 + _kappa(*smoothed_cells)[0]) / 2
    share = wilson_of_share((1 + kappa) / 2, 4 * smoothed * (1 - smoothed) / variance, confidence_level)
    p_value = float(distributions.hypergeom.sf(both - 1, n, first, second))
    return Kappa(kappa, 2 * share.low - 1, 2 * share.high - 1, min(p_value, 1.0), agreement, chance)


def _kappa(a: float, b: float, c: float, d: float) -> tuple[float, float, float]:
    """Kappa, agreement and chance agreement of the cells both, first only, second only, neither."""
    n = a + b + c + d
    agreement = (a + d) / n
    chance = ((a + b) * (a + c) + (c + d) * (b + d)) / n**2
    return (agreement - chance) / (1 - chance), agreement, chance


def _variance(a: float, b: float, c: float, d: float) -> float:
    """Large-sample variance of kappa, formula 13 of Fleiss, Cohen and Everitt."""
    n = a + b + c + d
    kappa, _, chance = _kappa(a, b, c, d)
    first, second, off = (a + b) / n, (a + c) / n, 1 - kappa
    yes = a / n * (1 - (first + second) * off) ** 2
    no = d / n * (1 - (2 - first - second) * off) ** 2
    mixed = off**2 * (b / n * (second + 1 - first) ** 2 + c / n * (first + 1 - second) ** 2)
    return (yes + no + mixed - (kappa - chance * off) ** 2) / (n * (1 - chance) ** 2)
