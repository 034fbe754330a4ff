"""Exact counting of fixed-size subsets by their sum, without enumerating them.

Meet in the middle: the values are cut into two halves of at most 2^(n/2) subsets each. A subset of size m is
    a pair
of one subset of each half with sizes k and m - k, so the number of subsets whose sum reaches a threshold is a
number of pairs (a, b) with a >= threshold - b, counted by sorting. The idea is that of Horowitz and Sahni
(1974).
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from ._grid import IntArray, size_pairs

WORK_LIMIT = 2**40

_BLOCK = 1 << 16


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
        threshold: the sum to reach; any Python integer.

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
    left, right = (_quarters(half, size) for half in halves)
    return sum(
        _pairs_at_least(left, j, right, k, threshold)
        for j, k in size_pairs(size, len(halves[0]), len(halves[1]))
    )


def sums_by_size(values: IntArray, at_most: int) -> list[IntArray]:
    """Return, for k = 0 … min(n, at_most), the sums of all subsets of k values (unordered)."""
    if len(values) < 2:
        return [np.zeros(1, dtype=np.int64), *([values] if len(values) and at_most else [])]
    parts = _quarters(values, at_most)
    return [_joined_sums(parts, k) for k in range(min(len(values), at_most) + 1)]


_Groups = tuple[Sequence[IntArray], Sequence[IntArray]]


def _quarters(values: IntArray, at_most: int) -> _Groups:
    cut = len(values) // 2
    return sums_by_size(values[:cut], at_most), sums_by_size(values[cut:], at_most)


def _n_joined(parts: _Groups, size: int) -> int:
    return sum(len(parts[0][i]) * len(parts[1][j]) for i, j in _joins(parts, size))


def _joins(parts: _Groups, size: int) -> list[tuple[int, int]]:
    return list(size_pairs(size, len(parts[0]) - 1, len(parts[1]) - 1))


def _joined_sums(parts: _Groups, size: int, out: IntArray | None = None) -> IntArray:
    """Sums of all subsets of ``size`` from two groups of subset sums, written into ``out`` where it is given."""
    sums = np.empty(_n_joined(parts, size), dtype=np.int64) if out is None else out
    start = 0
    for i, j in _joins(parts, size):
        a, b = parts[0][i], parts[1][j]
        stop = start + len(a) * len(b)
        np.add.outer(a, b, out=sums[start:stop].reshape(len(a), len(b)))
        start = stop
    return sums


def _pairs_at_least(left: _Groups, j: int, right: _Groups, k: int, threshold: int) -> int:
    """Count pairs (a, b) of a j-subset of the left and a k-subset of the right with a + b >= threshold.

    Both lists go into one array, sums a as 2a + 1 and demands threshold - b as 2 (threshold - b), and one
    sort answers all comparisons at once: a pair counts when the demand stands before the sum, and the even
        demand
    stands before the odd sum where they are equal. The i-th sum (from 0) at position p has p - i demands
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
