"""Scores as integers, so that sums over subsets are exact and ties are decided without rounding.

Every finite float is an integer times a power of two. Put on one common power of two, shifted to start at 0
and divided by their greatest common divisor, scores become integers whose sums fit into int64 exactly. Only if
their spread needs more bits than int64 leaves free are they rounded, once, to a coarser power of two.
The tolerance is then widened by what that rounding can move.

Subsets are counted by their sums without enumerating them, by meeting in the middle (Horowitz and Sahni 1974): the
values are cut into two halves of at most 2^(n/2) subsets each. A subset of size m is a pair of one subset of each half
with sizes k and m - k, so the number of subsets whose sum reaches a threshold is a number of pairs (a, b) with a >=
threshold - b, counted by sorting.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from ._checks import Alternative

IntArray: TypeAlias = npt.NDArray[np.int64]

# Headroom: the exact count sorts 2 * sum + 1 and compares it with thresholds as large as any sum.
_SUM_BITS = 60

WORK_LIMIT = 2**40
_BLOCK = 1 << 16


Region: TypeAlias = tuple[int | None, int | None]
"""The partitions that count, by their sum over the smaller sample: sums up to the first number do, and sums
from the second one on, which is above it. ``None`` if no small or no large sum does.
"""


@dataclass(frozen=True, slots=True, eq=False)
class Partitions:
    """Two pooled samples on an integer grid.

    The statistic of a partition is the integer D = n_other * (sum over the smaller sample) - size * (sum over
    the other), which is ``size * n_other / unit`` times the difference of the means, smaller sample minus
    other.

    Attributes:
        values: the pooled scores as non-negative integers, the smaller sample first.
        size: size of the smaller sample.
        sign: 1 if the smaller sample is X, -1 if it is Y.
        unit: score difference that one grid step represents.
        rounding: 0 if the integers are exact, else twice the most that a score was moved to fit the grid.
    """

    values: IntArray
    size: int
    sign: Literal[1, -1]
    unit: Fraction
    rounding: Fraction

    @classmethod
    def from_scores(cls, x: npt.NDArray[np.float64], y: npt.NDArray[np.float64]) -> Partitions:
        """Put two samples of finite scores on one integer grid."""
        first, second = (x, y) if len(x) <= len(y) else (y, x)
        ratios = [v.as_integer_ratio() for v in (*first.tolist(), *second.tolist())]
        # The denominator of a float is a power of two. The largest one is a multiple of all others.
        largest = max(denominator for _, denominator in ratios)
        integers, exponent = [n * (largest // d) for n, d in ratios], 1 - largest.bit_length()
        lowest = min(integers)
        integers = [v - lowest for v in integers]
        shift = max(0, max(integers).bit_length() + len(first).bit_length() - _SUM_BITS)
        rounding = Fraction(0)
        if shift:
            rounding = Fraction(2) ** (exponent + shift)
            half = 1 << (shift - 1)
            integers = [(v + half) >> shift for v in integers]
        divisor = math.gcd(*integers) or 1
        values = np.array([v // divisor for v in integers], dtype=np.int64)
        unit = Fraction(2) ** (exponent + shift) * divisor
        return cls(values, len(first), 1 if len(x) <= len(y) else -1, unit, rounding)

    @property
    def total(self) -> int:
        """Number of partitions."""
        return math.comb(len(self.values), self.size)

    def region(self, alternative: Alternative, strict: bool, tolerance: float) -> Region:
        """Return the region of partitions that are as extreme as the observed one, including ties within ``tolerance``.

        If ``strict``, only more extreme partitions are in it, without ties.
        """
        n, size = len(self.values), self.size
        grand_sum = sum(self.values.tolist())
        observed = n * sum(self.values[:size].tolist()) - size * grand_sum
        # Rounding moves a statistic by at most ``rounding``, and so the difference of two by at most twice that:
        # adding it makes every tie within ``tolerance`` count as one.
        slack = math.floor((Fraction(tolerance) + 2 * self.rounding) / self.unit * size * (n - size))
        margin = slack + 1 if strict else -slack
        side = {"greater": self.sign, "less": -self.sign, "two-sided": 0}[alternative]
        # A partition counts when D >= least (above), D <= -least (below) or either of them.
        least = (abs(observed) if side == 0 else side * observed) + margin
        if side == 0 and least <= 0:
            return None, 0
        # D = n * sum - size * grand_sum, solved for the sum and rounded inwards.
        at_least = -(-(size * grand_sum + least) // n)
        at_most = (size * grand_sum - least) // n
        return at_most if side <= 0 else None, at_least if side >= 0 else None


def size_pairs(size: int, n_left: int, n_right: int) -> Iterator[tuple[int, int]]:
    """Yield every way to take ``size`` elements as k from the left and size - k from the right."""
    for k in range(max(0, size - n_right), min(size, n_left) + 1):
        yield k, size - k


def work(n: int, size: int) -> int:
    """Number of sums that :func:`count_at_least` sorts for subsets of ``size`` out of ``n`` values.

    Beyond ``WORK_LIMIT`` that limit is returned: the exact number, of thousands of digits, is of no use.
    """
    left, right = n - n // 2, n // 2
    total = 0
    for j, k in size_pairs(size, left, right):
        total += math.comb(left, j) + math.comb(right, k)
        if total > WORK_LIMIT:
            return WORK_LIMIT
    return total


def count_at_least(values: IntArray, size: int, threshold: int) -> int:
    """Count the subsets of ``size`` values whose sum is at least ``threshold``.

    Args:
        values: non-negative integers whose sums over ``size`` stay below 2^61.
        size: number of values in a subset, 0 <= size <= len(values).
        threshold: the sum to reach. Any Python integer.

    Returns:
        The exact count, a Python integer.
    """
    ordered = np.sort(values)
    least, most = int(ordered[:size].sum()), int(ordered[len(ordered) - size :].sum())
    if threshold <= least:
        return math.comb(len(values), size)
    if threshold > most:
        return 0
    # Alternate the sorted values so that both halves cover the whole spread.
    halves = ordered[::2], ordered[1::2]
    left, right = (_split_in_two(half, size) for half in halves)
    return sum(
        _pairs_at_least(left, j, right, k, threshold)
        for j, k in size_pairs(size, len(halves[0]), len(halves[1]))
    )


def sums_by_size(values: IntArray, at_most: int) -> list[IntArray]:
    """Return, for k = 0 … min(n, at_most), the sums of all subsets of k values (unordered)."""
    if len(values) < 2:
        return [np.zeros(1, dtype=np.int64), *([values] if len(values) and at_most else [])]
    parts = _split_in_two(values, at_most)
    return [_joined_sums(parts, k) for k in range(min(len(values), at_most) + 1)]


_Groups = tuple[Sequence[IntArray], Sequence[IntArray]]


def _split_in_two(values: IntArray, at_most: int) -> _Groups:
    cut = len(values) // 2
    return sums_by_size(values[:cut], at_most), sums_by_size(values[cut:], at_most)


def _n_joined(parts: _Groups, size: int) -> int:
    return sum(len(parts[0][i]) * len(parts[1][j]) for i, j in _size_pairs_of(parts, size))


def _size_pairs_of(parts: _Groups, size: int) -> list[tuple[int, int]]:
    return list(size_pairs(size, len(parts[0]) - 1, len(parts[1]) - 1))


def _joined_sums(parts: _Groups, size: int, out: IntArray | None = None) -> IntArray:
    """Return the sums of all subsets of ``size`` from two groups of subset sums, in ``out`` if it is given."""
    sums = np.empty(_n_joined(parts, size), dtype=np.int64) if out is None else out
    start = 0
    for i, j in _size_pairs_of(parts, size):
        a, b = parts[0][i], parts[1][j]
        stop = start + len(a) * len(b)
        np.add.outer(a, b, out=sums[start:stop].reshape(len(a), len(b)))
        start = stop
    return sums


def _pairs_at_least(left: _Groups, j: int, right: _Groups, k: int, threshold: int) -> int:
    """Count pairs (a, b) of a j-subset of the left and a k-subset of the right with a + b >= threshold.

    Both lists go into one array, sums a as 2a + 1 and demands threshold - b as 2 (threshold - b), and one
    sort answers all comparisons at once: a pair counts when the demand comes before the sum, and the even
    demand comes before the odd sum if they are equal. The i-th sum (from 0) at position p has p - i demands
    before it.
    """
    n_sums, n_demands = _n_joined(left, j), _n_joined(right, k)
    keys = np.empty(n_sums + n_demands, dtype=np.int64)
    sums, demands = keys[:n_sums], keys[n_sums:]
    _joined_sums(left, j, out=sums)
    _joined_sums(right, k, out=demands)
    np.subtract(threshold, demands, out=demands)
    keys *= 2
    sums += 1
    keys.sort()
    return _odd_positions(keys) - n_sums * (n_sums - 1) // 2


def _odd_positions(keys: IntArray) -> int:
    """Sum of the positions of the odd entries, block by block to stay in cache and far from overflow."""
    positions = np.arange(min(_BLOCK, len(keys)))
    total = 0
    for start in range(0, len(keys), _BLOCK):
        odd = keys[start : start + _BLOCK] & 1
        total += int(odd @ positions[: len(odd)]) + start * int(odd.sum())
    return total
