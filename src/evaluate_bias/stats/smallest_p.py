"""The smallest two-sided p-value that a test can give with so many units, whatever these show, and the fewest it takes.

Where it is not below 5 %, a finding is out of reach and a large p-value says nothing.

Every test that rearranges units has one: a method states what its test rearranges (``MethodRecord.test``), or each
result has ``details["smallest_p"]``. They count arrangements, not how many of them are drawn. Where what is rearranged
says more than its number, such as ties among the values, the smallest p-value can be larger still, never smaller. A
result without a p-value of its own has none: scores that are compared with no chance, and measurements of a
measurement whose p-values are those of the measured method.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter

import numpy as np
import numpy.typing as npt

FEWEST_UNITS = 5
"""The floor of t tests and of tests over crossed clusters. Their p-values can be of any size, but the spread of fewer
than five units is known too badly for the test to hold its level."""

FEWEST_FLIPS = 6
"""Units below which no sign-flip test, binomial test of one half or exchange of two measurements reaches 5 %."""

_MOST_TABLES = 4_096


def smallest_flip_p(n: int, ways: int = 2) -> float:
    """Of flipping the signs of n numbers: all as they are, or all flipped, 2 / 2ⁿ.

    The same of n tables whose cells are permuted in so many ``ways`` each.

    Examples:
        >>> smallest_flip_p(5), smallest_flip_p(FEWEST_FLIPS)
        (0.0625, 0.03125)
    """
    return min(1.0, float(ways) ** (1 - n))


def smallest_split_p(*sizes: int, alternative: str = "two-sided") -> float:
    """Of dealing numbers out anew to groups of these sizes: one way of all or, two-sided, as many as groups of one size
    can change places.

    Examples:
        >>> [round(smallest_split_p(*sizes), 3) for sizes in ((3, 3), (3, 4), (4, 4), (2, 5), (1, 9), (2, 2, 2))]
        [0.1, 0.029, 0.029, 0.048, 0.1, 0.067]
        >>> smallest_split_p(3, 3, alternative="greater")
        0.05
    """
    ways = math.prod(math.factorial(n) for n in Counter(sizes).values()) if alternative == "two-sided" else 1
    return min(1.0, ways * math.prod(map(math.factorial, sizes)) / math.factorial(sum(sizes)))


def smallest_order_p(*sizes: int, times: int = 1) -> float:
    """Of reordering numbers within lists of these sizes, each list so many ``times`` on its own: one order of all.

    Examples:
        >>> round(smallest_order_p(4), 3), round(smallest_order_p(3, 3), 3), round(smallest_order_p(3, times=2), 3)
        (0.042, 0.028, 0.028)
    """
    orders: int = math.prod(map(math.factorial, sizes)) ** times
    return 1 / orders


def smallest_gap_p(*sizes: int) -> float:
    """Of dealing hits and misses out anew to groups of these sizes, by the largest rate less the smallest.

    The gap that is hardest to reach is that of a group full of hits beside one without any. Of many units this is a
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
    """Of rearranging ratings over n numbers that all differ: the orders that give the largest rank correlation.

    With m₁, m₂, … ratings of one value each, Π mᵢ! of the n! orders give the largest one, and as many the smallest.

    Examples:
        >>> [round(smallest_rank_p([0] * low + [1] * high), 3) for low, high in ((3, 3), (4, 4), (3, 5))]
        [0.1, 0.029, 0.036]
        >>> round(smallest_rank_p([1, 2, 3, 4]), 3)
        0.083
    """
    counts = np.unique(np.asarray(ratings), return_counts=True)[1].tolist()
    return min(1.0, 2 * math.prod(map(math.factorial, counts)) / math.factorial(sum(counts)))
