"""Scores as integers, so that sums over subsets are exact and ties are decided without rounding.

Every finite float is an integer times a power of two. Put on one common power of two, shifted to start at 0
and divided by their greatest common divisor, scores become integers whose sums int64 holds exactly. Only when
their spread needs more bits than int64 leaves free are they rounded, once, to a coarser power of two; the
tolerance is then widened by what that rounding can move.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from ._checks import Alternative

IntArray: TypeAlias = npt.NDArray[np.int64]

# Headroom: the exact count sorts 2 * sum + 1 and compares it with thresholds as large as any sum.
_SUM_BITS = 60


@dataclass(frozen=True, slots=True)
class Region:
    """The partitions that count, given by their sum over the smaller sample.

    Attributes:
        at_most: sums up to this one count; ``None`` where no small sum does.
        at_least: sums from this one on count, and it is above ``at_most``; ``None`` where no large sum does.
    """

    at_most: int | None
    at_least: int | None


@dataclass(frozen=True, slots=True, eq=False)
class Partitions:
    """Two pooled samples on an integer grid.

    The statistic of a partition is the integer D = n_other * (sum over the smaller sample) - size * (sum over
    the other), which is ``size * n_other / unit`` times the difference of the means, smaller sample minus
    other.

    Attributes:
        values: the pooled scores as non-negative integers, the smaller sample first.
        size: size of the smaller sample.
        sign: 1 where the smaller sample is X, -1 where it is Y.
        unit: score difference that one grid step stands for.
        rounding: 0 where the integers are exact, else twice the most that a score was moved to fit the grid.
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
        integers, exponent = _common_exponent([*first.tolist(), *second.tolist()])
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
        """Say which partitions are as extreme as the observed one, ties within ``tolerance`` included.

        With ``strict`` those that are more extreme, ties excluded.
        """
        n, size = len(self.values), self.size
        grand_sum = sum(self.values.tolist())
        observed = n * sum(self.values[:size].tolist()) - size * grand_sum
        slack = self._slack(tolerance)
        margin = slack + 1 if strict else -slack
        side = {"greater": self.sign, "less": -self.sign, "two-sided": 0}[alternative]
        # A partition counts when D >= least (above), D <= -least (below) or either of them.
        least = (abs(observed) if side == 0 else side * observed) + margin
        if side == 0 and least <= 0:
            return Region(at_most=None, at_least=0)
        # D = n * sum - size * grand_sum, solved for the sum and rounded inwards.
        at_least = -(-(size * grand_sum + least) // n)
        at_most = (size * grand_sum - least) // n
        return Region(at_most if side <= 0 else None, at_least if side >= 0 else None)

    def _slack(self, tolerance: float) -> int:
        """Largest difference of two D that counts as a tie.

        Rounding moves a statistic by at most ``rounding``, and so the difference of two by at most twice that:
        adding it makes every tie within ``tolerance`` count as one.
        """
        cells = self.size * (len(self.values) - self.size)
        return math.floor((Fraction(tolerance) + 2 * self.rounding) / self.unit * cells)


def _common_exponent(values: list[float]) -> tuple[list[int], int]:
    """Write floats as integers times one power of two, exactly."""
    ratios = [v.as_integer_ratio() for v in values]
    # The denominator of a float is a power of two; the largest one serves for all.
    exponent = max(d.bit_length() - 1 for _, d in ratios)
    return [n << (exponent - (d.bit_length() - 1)) for n, d in ratios], -exponent


def size_pairs(size: int, n_left: int, n_right: int) -> Iterator[tuple[int, int]]:
    """Yield every way to take ``size`` elements as k from the left and size - k from the right."""
    for k in range(max(0, size - n_right), min(size, n_left) + 1):
        yield k, size - k
