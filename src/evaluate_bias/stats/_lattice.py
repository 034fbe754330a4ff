"""Rigorous bracket of the share of fixed-size subsets whose sum reaches a threshold, by dynamic programming.

Sums are put on a grid of step g and counted by (subset size, grid position), so two sets of values can be
joined by counting and never by enumerating. What rounding can move is known exactly, as integers, which turns
the one threshold into two: a grid sum that certainly reaches it and one that possibly does.

Rounding every value would move sums by up to n g / 2 in total. Two things keep that small:

- Each half starts from a base block of values whose subsets are enumerated, so their exact sums are rounded
  once: a base block adds g to the width of the bracket however many values it holds.
- The values added one at a time after it are those that lie closest to the grid, and g is picked, out of many
  of about the right size, so that they lie close.

All numbers added are counts, never negative, so floating point keeps a small relative error however small the
share is; its bound widens the bracket too.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from ._grid import IntArray, size_pairs, sums_by_size

MAX_VALUES = 2000
"""A single subset of half of more values than this is too small a share of all for a float."""

_BASE = 21
_UPDATES = 4e8
_UPDATES_WITHOUT_ROUNDING = 2.5e9
_CELLS = 9e7
_ROW_OVERHEAD = 3000
_CANDIDATES = 512
_BLOCK = 1 << 13
_EPS = 2.0**-53
# Counts up to here are exact in single precision, which halves the memory to move.
_SINGLE_EXACT = 2**24
_SINGLE_EPS = 2.0**-24
_EMPTY = 1 << 62
# What products of shares that are too small for a float can lose.
_UNDERFLOW = 1e-280


@dataclass(frozen=True, slots=True, eq=False)
class LatticePlan:
    """How to put the values on a grid.

    Attributes:
        values: the centred values, sorted.
        centre: what was subtracted.
        size: subset size.
        step: grid step g.
        added: positions of the values that are added one at a time; the others form the base blocks.
        slack_below, slack_above: a sum lies between step * grid sum - slack_below and + slack_above.
    """

    values: IntArray
    centre: int
    size: int
    step: int
    added: npt.NDArray[np.intp]
    slack_below: int
    slack_above: int

    @property
    def expected_width(self) -> float:
        """Width the bracket would have at the centre of a normal distribution of sums (an estimate)."""
        n, values = len(self.values), self.values.astype(np.float64)
        deviation = math.sqrt(self.size * (n - self.size) / n) * float(values.std(ddof=1))
        return (self.slack_below + self.slack_above) / (deviation * math.sqrt(2 * math.pi))


@dataclass(slots=True, eq=False)
class _SubsetCounts:
    """Counts of the subsets of one half by size (row) and grid position of their sum (column).

    Row k is filled from ``low[k]`` to ``high[k]``; an empty row has ``low[k] > high[k]``. Counts are divided by
    2^exponent.
    """

    counts: npt.NDArray[np.floating]
    origin: int
    low: IntArray
    high: IntArray
    exponent: int

    def row(self, size: int, shift: int = 0, of: int | None = None) -> npt.NDArray[np.floating]:
        """The cells of a row, or those that the filled cells of row ``of`` reach when moved by ``shift``."""
        extent = size if of is None else of
        start, stop = self.low[extent] + shift - self.origin, self.high[extent] + shift - self.origin + 1
        return self.counts[size, start:stop]


def plan(values: IntArray, size: int, *, base: int = _BASE, updates: float = _UPDATES) -> LatticePlan:
    """Choose the grid as fine as ``updates`` table cells to update in total allow.

    Args:
        values: non-negative integers whose sums over ``size`` stay below 2^61.
        size: number of values in a subset, 0 < size <= len(values) / 2.
        base: number of values in each of the two base blocks.
        updates: the work allowed.
    """
    centre = sum(values.tolist()) // len(values)
    ordered = np.sort(values) - centre
    n_added = max(0, len(ordered) - 2 * base)
    # Which values form a half is known only later, but it is every other one, give or take the two outermost.
    half = np.concatenate([ordered[:2], ordered[2:-2:2], ordered[-2:]]).astype(np.float64)
    rows = min(size, len(half))
    lowest, highest = np.cumsum(half)[:rows], np.cumsum(half[::-1])[:rows]
    filled = 2 * float((highest - lowest).clip(0).sum())
    cells = 2 * (rows + 1) * float(max(highest.max(), 0) - min(lowest.min(), 0))
    overhead = _ROW_OVERHEAD * rows * n_added
    if cells <= _CELLS and filled * n_added / 2 + overhead <= _UPDATES_WITHOUT_ROUNDING:
        # Scores with few distinct values: a grid of single steps has no error, worth a second or two.
        smallest = 1
    else:
        budget = max(updates - overhead, updates / 100)
        smallest = math.ceil(max(cells / _CELLS, filled * n_added / 2 / budget))
    smallest = min(smallest, max(1, int(ordered[-1] - ordered[0])))

    candidates = np.array(sorted({smallest + smallest * i // (8 * _CANDIDATES) for i in range(_CANDIDATES)}))
    ratios = ordered.astype(np.float64) / candidates[:, None]
    off = np.abs(ratios - np.rint(ratios)) * candidates[:, None]
    added_error = np.sort(off, axis=1)[:, :n_added].sum(axis=1)
    best = int(np.argmin(added_error + 2 * candidates))
    step, added = int(candidates[best]), np.sort(np.argsort(off[best], kind="stable")[:n_added])

    errors = (ordered - step * _nearest(ordered, step))[added].tolist()
    half_step = step // 2
    return LatticePlan(
        values=ordered,
        centre=centre,
        size=size,
        step=step,
        added=added,
        slack_below=2 * half_step + sum(sorted((max(-e, 0) for e in errors), reverse=True)[:size]),
        slack_above=2 * (step - 1 - half_step)
        + sum(sorted((max(e, 0) for e in errors), reverse=True)[:size]),
    )


def bracket_at_least(lattice: LatticePlan, threshold: int) -> tuple[float, float]:
    """Bracket the share of subsets whose sum is at least ``threshold``.

    Args:
        lattice: the values on a grid.
        threshold: the sum to reach, in the units of the values before centring; any Python integer.

    Returns:
        Lower and upper bound of the share; the exact share lies between them with certainty.
    """
    values, size, step = lattice.values, lattice.size, lattice.step
    threshold -= size * lattice.centre
    in_base = np.ones(len(values), dtype=bool)
    in_base[lattice.added] = False
    base, added = values[in_base], _nearest(values[lattice.added], step)
    # Alternate the sorted values so that both halves cover the whole spread.
    left, right = (_fill(base[half::2], added[half::2], step, size) for half in (0, 1))
    certain = -((-lattice.slack_below - threshold) // step)
    possible = -((lattice.slack_above - threshold) // step)
    low, high = _masses(left, right, size, certain, possible)
    total = float(Fraction(math.comb(len(values), size), 1 << (left.exponent + right.exponent)))
    error = _relative_error(left, len(added)) + _relative_error(right, len(added))
    # Running totals and dot products over one row of each table.
    error += 2 * (left.counts.shape[1] + right.counts.shape[1] + size + 8) * _EPS
    return max(0.0, low / total * (1 - error) - _UNDERFLOW), min(1.0, high / total * (1 + error) + _UNDERFLOW)


def _nearest(values: IntArray, step: int) -> IntArray:
    return (values + step // 2) // step


def _fill(base: IntArray, added: IntArray, step: int, size: int) -> _SubsetCounts:
    n_values = len(base) + len(added)
    n_rows = min(size, n_values) + 1
    groups = [_nearest(sums, step) for sums in sums_by_size(base, size)]
    low, high = np.full(n_rows, _EMPTY), np.full(n_rows, -_EMPTY)
    for k, group in enumerate(groups):
        low[k], high[k] = group.min(), group.max()
    final_low, final_high = low, high
    for steps in added.tolist():
        final_low, final_high = _grown(final_low, final_high, steps)
    origin, width = int(final_low.min()), int(final_high.max() - final_low.min()) + 1
    # The largest count is some tens of times the mean one.
    single = 64 * 2.0**n_values < n_rows * width * _SINGLE_EXACT
    counts = np.zeros((n_rows, width), dtype=np.float32 if single else np.float64)
    table = _SubsetCounts(counts, origin, low, high, exponent=0 if single else n_values)
    for k, group in enumerate(groups):
        table.row(k)[:] = np.ldexp(np.bincount(group - low[k]), -table.exponent)
    for steps in added.tolist():
        for k in range(n_rows - 1, 0, -1):
            if table.low[k - 1] <= table.high[k - 1]:
                table.row(k, shift=steps, of=k - 1)[:] += table.row(k - 1)
        table.low, table.high = _grown(table.low, table.high, steps)
    return table


def _grown(low: IntArray, high: IntArray, steps: int) -> tuple[IntArray, IntArray]:
    """Filled range of every row once a value of ``steps`` grid steps is added."""
    low, high = low.copy(), high.copy()
    filled = low[:-1] <= high[:-1]
    low[1:][filled] = np.minimum(low[1:], low[:-1] + steps)[filled]
    high[1:][filled] = np.maximum(high[1:], high[:-1] + steps)[filled]
    return low, high


def _relative_error(table: _SubsetCounts, n_added: int) -> float:
    """Bound of the relative error of every count: none in single precision while all are small integers."""
    if table.counts.dtype == np.float64:
        return 2 * (n_added + 1) * _EPS
    filled = [table.row(k) for k in range(len(table.counts)) if table.low[k] <= table.high[k]]
    exact = all(float(row.max()) <= _SINGLE_EXACT for row in filled)
    return 0.0 if exact else 2 * (n_added + 1) * _SINGLE_EPS


def _masses(
    left: _SubsetCounts, right: _SubsetCounts, size: int, certain: int, possible: int
) -> tuple[float, float]:
    """Count pairs of a left and a right subset whose grid sums add up to at least each of two thresholds."""
    low = high = 0.0
    shift = certain - possible
    for j, k in size_pairs(size, len(left.counts) - 1, len(right.counts) - 1):
        a, b = left.row(j), right.row(k)[::-1]
        # The left sum at position i reaches the threshold with the i - first + 1 largest right sums.
        first = certain - int(right.high[k]) - int(left.low[j])
        running = 0.0
        for start in range(0, len(b), _BLOCK):
            largest = np.cumsum(b[start : start + _BLOCK], dtype=np.float64)
            largest += running
            running = float(largest[-1])
            low += _aligned_dot(a, largest, first + start)
            high += _aligned_dot(a, largest, first + start - shift)
        low += running * float(a[max(0, first + len(b)) :].sum(dtype=np.float64))
        high += running * float(a[max(0, first + len(b) - shift) :].sum(dtype=np.float64))
    return low, high


def _aligned_dot(a: npt.NDArray[np.floating], block: npt.NDArray[np.float64], at: int) -> float:
    """Dot product of ``block``, laid with its start at position ``at`` of ``a``, with what it covers of ``a``."""
    start, stop = max(at, 0), min(at + len(block), len(a))
    if start >= stop:
        return 0.0
    return float(a[start:stop].astype(np.float64) @ block[start - at : stop - at])
