"""P-values of several tests, adjusted for their number, and the smallest that a test can give.

If the smallest two-sided p-value that a test can give with so many units, whatever these show, is not below
5%, a finding is out of reach and a large p-value says nothing.

Every test that rearranges units has one: a method states what its test rearranges (``MethodRecord.test``), or each
result has ``details["smallest_p"]``. They count arrangements, not how many of them are drawn. If what is
rearranged says more than its number, such as ties among the values, the smallest p-value can be larger still,
never smaller. A result without a p-value of its own has no smallest p-value: scores that are not compared with chance,
and measurements of a measurement whose p-values come from the measured method.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter

import numpy as np
import numpy.typing as npt
from scipy.stats import false_discovery_control

from ..arrays import FloatArray
from ..errors import InputError
from ._checks import flat_numbers

FEWEST_UNITS = 5
"""The floor of t tests and of tests over crossed clusters. Their p-values can be of any size, but the spread
of fewer than five units is known too badly for the test to keep its level.
"""

FEWEST_FLIPS = 6
"""Units below which no sign-flip test, binomial test of one half or exchange of two measurements reaches 5%."""

_MOST_TABLES = 4_096


def holm(p_values: npt.ArrayLike) -> FloatArray:
    """Holm's step-down adjusted p-values: rejecting if they are <= a keeps the family-wise error at a.

    Valid under any dependence of the tests. With p sorted ascending, the adjusted i-th (from 1) of m is the
    running maximum of (m - i + 1) p_i, capped at 1.

    Args:
        p_values: p-values in [0, 1], shape (m,). m may be 0.

    Returns:
        Adjusted p-values in the order of the input, shape (m,).

    Raises:
        InputError: the input is not a flat list of numbers in [0, 1].

    References:
        Holm (1979), A simple sequentially rejective multiple test procedure.

    Examples:
        >>> holm([0.01, 0.04, 0.03])
        array([0.03, 0.06, 0.06])
    """
    p = _check_p_values(p_values)
    # Running maximum over i of (m − i + 1) p_(i), i from 1, at most 1. p and the result have shape (m,).
    order = np.argsort(p, kind="stable")
    factors = np.arange(len(p), 0, -1)
    adjusted = np.empty_like(p)
    adjusted[order] = np.minimum(np.maximum.accumulate(factors * p[order]), 1.0)
    return adjusted


def benjamini_hochberg(p_values: npt.ArrayLike) -> FloatArray:
    """Benjamini-Hochberg adjusted p-values: rejecting if they are <= q keeps the false discovery rate at q.

    Valid for independent or positively dependent tests. With p sorted ascending, the adjusted i-th (from 1)
    of m is the running minimum, from the largest down, of p_i m / i, capped at 1.

    Args:
        p_values: p-values in [0, 1], shape (m,). m may be 0.

    Returns:
        Adjusted p-values in the order of the input, shape (m,).

    Raises:
        InputError: the input is not a flat list of numbers in [0, 1].

    References:
        Benjamini and Hochberg (1995), Controlling the false discovery rate.

    Examples:
        >>> benjamini_hochberg([0.01, 0.04, 0.03])
        array([0.03, 0.04, 0.04])
    """
    p = _check_p_values(p_values)
    return np.asarray(false_discovery_control(p), dtype=np.float64)


def _check_p_values(p_values: npt.ArrayLike) -> FloatArray:
    p = flat_numbers(p_values, "p_values")
    if not ((p >= 0) & (p <= 1)).all():
        raise InputError(
            "all numbers of `p_values` must be between 0 and 1, got one outside or NaN", option="p_values"
        )
    return p


def smallest_flip_p(n: int, ways: int = 2) -> float:
    """Return the smallest p-value of flipping the signs of n numbers, 2 / 2ⁿ: all unchanged, or all flipped.

    The same of n tables whose cells are permuted in so many ``ways`` each.

    Examples:
        >>> smallest_flip_p(5), smallest_flip_p(FEWEST_FLIPS)
        (0.0625, 0.03125)
    """
    return min(1.0, float(ways) ** (1 - n))


def smallest_split_p(*sizes: int, alternative: str = "two-sided") -> float:
    """Return the smallest p-value of assigning numbers to groups of these sizes.

    One assignment of all counts or, two-sided, every assignment in which groups of equal size change places.

    Examples:
        >>> [round(smallest_split_p(*sizes), 3) for sizes in ((3, 3), (3, 4), (4, 4), (2, 5), (1, 9), (2, 2, 2))]
        [0.1, 0.029, 0.029, 0.048, 0.1, 0.067]
        >>> smallest_split_p(3, 3, alternative="greater")
        0.05
    """
    ways = math.prod(math.factorial(n) for n in Counter(sizes).values()) if alternative == "two-sided" else 1
    return min(1.0, ways * math.prod(map(math.factorial, sizes)) / math.factorial(sum(sizes)))


def smallest_order_p(*sizes: int, times: int = 1) -> float:
    """Return the smallest p-value of reordering numbers within lists, each so many ``times``: one order of all.

    Examples:
        >>> round(smallest_order_p(4), 3), round(smallest_order_p(3, 3), 3), round(smallest_order_p(3, times=2), 3)
        (0.042, 0.028, 0.028)
    """
    orders: int = math.prod(map(math.factorial, sizes)) ** times
    return 1 / orders


def smallest_gap_p(*sizes: int) -> float:
    """Return the smallest p-value of assigning hits and misses to groups, by the largest rate less the smallest.

    The gap that is hardest to reach is between a group full of hits and one without any. For many units this is a
    bound.

    Examples:
        >>> [round(smallest_gap_p(*sizes), 3) for sizes in ((3, 3), (3, 4), (1, 2, 3), (3, 3, 3))]
        [0.1, 0.029, 0.167, 0.036]
    """
    if math.prod(n + 1 for n in sizes) > _MOST_TABLES:
        return smallest_split_p(*sizes)
    gaps_of_hits: dict[int, Counter[float]] = {}
    for hits in itertools.product(*(range(n + 1) for n in sizes)):
        rates = [k / n for k, n in zip(hits, sizes, strict=True)]
        ways = math.prod(map(math.comb, sizes, hits))
        gaps_of_hits.setdefault(sum(hits), Counter())[max(rates) - min(rates)] += ways
    return min(ways[max(ways)] / ways.total() for ways in gaps_of_hits.values())


def smallest_rank_p(ratings: npt.ArrayLike) -> float:
    """Return the smallest p-value of rearranging ratings over n different numbers: the orders of largest correlation.

    With m₁, m₂, … ratings of one value each, Π mᵢ! of the n! orders give the largest one, and as many the smallest.

    Examples:
        >>> [round(smallest_rank_p([0] * low + [1] * high), 3) for low, high in ((3, 3), (4, 4), (3, 5))]
        [0.1, 0.029, 0.036]
        >>> round(smallest_rank_p([1, 2, 3, 4]), 3)
        0.083
    """
    counts = np.unique(np.asarray(ratings), return_counts=True)[1].tolist()
    return min(1.0, 2 * math.prod(map(math.factorial, counts)) / math.factorial(sum(counts)))
