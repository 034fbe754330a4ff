"""How large an effect a test of so many units finds in 80% of cases, and the conventional words for sizes."""

from __future__ import annotations

import bisect
import math
from functools import lru_cache
from typing import Literal, get_args

import numpy as np
from scipy import optimize
from scipy import stats as distributions

from ..errors import InputError, check_whole

POWER = 0.8
ALPHA = 0.05
"""Level of the tests."""

Scale = Literal["cohen_d", "cohen_g", "cohen_r"]
"""A difference of means in standard deviations, a share's distance from one half, a correlation."""

SIZES: dict[Scale, tuple[float, float, float]] = {
    "cohen_d": (0.2, 0.5, 0.8),
    "cohen_g": (0.05, 0.15, 0.25),
    "cohen_r": (0.1, 0.3, 0.5),
}
"""The least small, medium and large effects: Cohen (1988), Statistical Power Analysis for the Behavioral
Sciences.
"""


Size = Literal["below small", "small", "medium", "large"]
_WORDS: tuple[Size, ...] = get_args(Size)

_of_sizes = lru_cache(maxsize=4_096, typed=True)
"""A report asks the same of hundreds of results with as many units, and each answer is a search for a root."""


def size_in_words(effect: float, scale: Scale) -> Size:
    """Return what Cohen (1988) calls an effect of this size. It is a convention, not a statement about harm.

    Args:
        effect: distance from no effect, on the scale, in either direction.
        scale: ``"cohen_d"`` (0.2, 0.5, 0.8), ``"cohen_g"`` (0.05, 0.15, 0.25) or ``"cohen_r"`` (0.1, 0.3, 0.5).

    Raises:
        InputError: the effect is not a number.

    References:
        Cohen (1988), Statistical Power Analysis for the Behavioral Sciences, 2nd edition: 2.2.3, 3.2.1 and 5.2.

    Examples:
        >>> size_in_words(-0.6, "cohen_d"), size_in_words(0.02, "cohen_g"), size_in_words(0.5, "cohen_r")
        ('medium', 'below small', 'large')
    """
    if not math.isfinite(effect):
        raise InputError("`effect` must be a finite number", option="effect")
    distance = round(abs(effect), 12)  # 0.55 - 0.5 is a small effect, whatever the last bit
    return _WORDS[bisect.bisect_right(SIZES[scale], distance)]


@_of_sizes
def detectable_share(n: int, ideal: float = 0.5) -> tuple[float | None, float | None]:
    """Return the shares below and above the ideal that an exact two-sided test at 5% finds in 80% of cases.

    The test is the equal-tailed binomial one. If the ideal is one half, it equals the one that adds up the outcomes
    that are not more likely.

    Args:
        n: number of units.
        ideal: the share under the null hypothesis.

    Returns:
        The largest share below the ideal and the smallest above it, ``None`` if no share is detected so often.

    Raises:
        InputError: a number is out of its range.

    Examples:
        >>> low, high = detectable_share(100)
        >>> round(low, 3), round(high, 3)
        (0.355, 0.645)
        >>> detectable_share(5)
        (None, None)
    """
    check_whole("n", n, 1)
    if not 0 < ideal < 1:
        raise InputError("`ideal` must be between 0 and 1", option="ideal")
    # Counts from 0 to `few`, and from `many` on, are rejected.
    counts = np.arange(n + 1)
    few = int(np.sum(distributions.binom.cdf(counts, n, ideal) <= ALPHA / 2)) - 1
    many = n + 1 - int(np.sum(distributions.binom.sf(counts - 1, n, ideal) <= ALPHA / 2))

    def power(share: float) -> float:
        return float(distributions.binom.cdf(few, n, share) + distributions.binom.sf(many - 1, n, share))

    def edge(certain: float) -> float:
        return float(optimize.brentq(lambda share: power(share) - POWER, certain, ideal, xtol=1e-9))

    return edge(0.0) if few >= 0 else None, edge(1.0) if many <= n else None


@_of_sizes
def detectable_effect(n_x: int, n_y: int, *, two_sided: bool = True) -> float | None:
    """Return the effect size over two lists of words that a test at 5% finds in 80% of cases.

    The size is a difference of means in standard deviations of all words, as in association tests. It lies between -2
    and 2 for lists of equal length. If the difference is d standard deviations within the lists, it is
    d / √(1 + w d²), where w is the product of the lists' shares. The d is the one that a t-test detects, and a
    permutation test comes near it.

    Args:
        n_x: words in the first list.
        n_y: words in the second.
        two_sided: whether the test looks in both directions.

    Returns:
        The size, without a sign, ``None`` if so few words cannot reach the level.

    Raises:
        InputError: a number is out of its range.

    Examples:
        >>> round(detectable_effect(8, 8), 2), round(detectable_effect(25, 25), 2)
        (1.2, 0.75)
        >>> detectable_effect(3, 3) is None
        True
    """
    for n in (n_x, n_y):
        check_whole("n", n, 1)
    tail = ALPHA / 2 if two_sided else ALPHA
    freedom = n_x + n_y - 2
    if freedom < 1 or 1 / math.comb(n_x + n_y, n_x) > tail:
        return None
    edge = float(distributions.t.isf(tail, freedom))
    root = math.sqrt(n_x * n_y / (n_x + n_y))

    def short(d: float) -> float:
        # If four of five samples lie beyond one edge, practically none lies beyond the other.
        return float(distributions.nct.sf(edge, freedom, d * root)) - POWER

    d = float(optimize.brentq(short, 0.0, (2 * edge + 4) / root, xtol=1e-9))
    return d / math.sqrt(1 + d * d * n_x * n_y / (n_x + n_y) ** 2)


@_of_sizes
def detectable_correlation(n: int) -> float | None:
    """Return the correlation that a two-sided test at 5% of n pairs finds in 80% of cases (Fisher's scale).

    Returns:
        The correlation, without a sign, ``None`` for fewer than four pairs.

    Raises:
        InputError: a number is out of its range.

    Examples:
        >>> round(detectable_correlation(60), 2)
        0.35
    """
    check_whole("n", n, 1)
    if n < 4:
        return None
    away = float(distributions.norm.isf(ALPHA / 2) + distributions.norm.ppf(POWER))
    return math.tanh(away / math.sqrt(n - 3))
