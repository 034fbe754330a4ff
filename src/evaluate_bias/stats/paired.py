"""Two measurements of the same units: the test of their difference, its interval, and what could have been seen."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import special

from ..arrays import FloatArray
from ..errors import InputError, UndefinedScoreError
from ._checks import finite_numbers
from .bootstrap import has_width
from .permutation import TIE_TOLERANCE
from .proportions import mcnemar_test
from .sign_flips import sign_flip_test, without_rounding
from .two_by_two import detectable_share_of, share_difference_interval, units_needed


@dataclass(frozen=True, slots=True)
class Difference:
    """A difference between two measurements of the same units, second minus first.

    Attributes:
        difference: the difference of the statistics.
        low, high: confidence interval. ``None`` if it does not exist, for the reason in ``interval``.
        sum_low, sum_high: the same of the sum of the statistics, which :func:`distance_change` needs.
        excess: of scores whose ideal value is their mean under chance, the interval of the difference of what both are
            above it.
        p_value, p_error: two-sided p-value of the null hypothesis of no difference, and its Monte Carlo error.
        test, interval: how p-value and interval were found, in words.
        n: number of units.
        error: the standard error, which :meth:`detectable` uses, ``None`` if nothing varies.
        changed: of shares, the share of the units that succeed in one measurement only, which it uses instead.
        scale: of shares, what a share of 1 is.
    """

    difference: float
    low: float | None
    high: float | None
    p_value: float
    p_error: float
    test: str
    interval: str
    n: int
    error: float | None = None
    changed: float | None = None
    scale: float = 1.0
    sum_low: float | None = None
    sum_high: float | None = None
    excess: tuple[float, float] | None = None

    def detectable(self, alpha: float = 0.05) -> float | None:
        """Return the smallest difference that a two-sided test at this level would have seen in 80% of cases.

        For one of m tests whose p-values are adjusted by Holm, give 0.05 / m.

        Returns:
            The size, given how much the units vary, ``None`` if that is unknown.

        Examples:
            >>> difference = paired_means([1.0, 2.0, 3.0, 4.0, 5.0, 6.0], [2.0, 1.5, 4.0, 3.5, 6.0, 7.5])
            >>> round(difference.detectable(), 3), round(difference.detectable(0.05 / 8), 3)
            (0.985, 1.257)
        """
        if self.changed is not None:
            share = detectable_share_of(self.n, self.changed, alpha)
            return None if share is None else self.scale * share
        z = float(special.ndtri(1 - alpha / 2) + special.ndtri(0.8))
        return None if self.error is None else z * self.error

    def more_units(self, alpha: float = 0.05) -> int | None:
        """Return how many more units McNemar's test needs to find a difference of .05 of shares in 80% of cases.

        Returns:
            ``None`` if it needs none, or more than a million, or the scores are not shares.

        Examples:
            >>> paired_shares([1, 1, 0, 0] * 50, [1, 0, 1, 0] * 50).more_units()
            1408
        """
        if self.changed is None:
            return None
        needed = units_needed(max(self.changed, 0.05), 0.05, alpha)
        return needed - self.n if needed is not None and needed > self.n else None


def paired_shares(
    first: Sequence[Any], second: Sequence[Any], confidence_level: float = 0.95, scale: float = 1.0
) -> Difference:
    """Difference between the shares of units that succeed in two measurements of the same units.

    The test is McNemar's exact one, on the units that succeed in one measurement only. The interval is
    Tango's.

    Args:
        first: whether each unit succeeds, shape (n,), as booleans or 0 and 1.
        second: the same of the other measurement.
        confidence_level: nominal coverage of the interval.
        scale: what a share of 1 is, such as 100 for percent.

    Raises:
        InputError: the lists differ in length, or contain something other than booleans, 0 and 1.
        UndefinedScoreError: the lists are empty.

    References:
        McNemar (1947), Psychometrika 12. Tango (1998), Statistics in Medicine 17.

    Examples:
        >>> difference = paired_shares([1, 1, 1, 1, 1, 1, 1, 0, 0, 0], [0, 0, 0, 0, 0, 0, 1, 0, 0, 0])
        >>> difference.difference, difference.p_value
        (-0.6, 0.03125)
    """
    a, b = _two_lists(first, second)
    if not (np.isin(a, (0, 1)).all() and np.isin(b, (0, 1)).all()):
        raise InputError("each item either succeeds or does not", hint="give booleans, or 0 and 1")
    gained, lost, n = int((b > a).sum()), int((a > b).sum()), len(a)
    low, high = share_difference_interval(gained, lost, n, confidence_level)
    # The sum less 1 is the second share less the first one's complement.
    sum_low, sum_high = share_difference_interval(
        int((a * b).sum()), int(((1 - a) * (1 - b)).sum()), n, confidence_level
    )
    p = mcnemar_test(gained, lost).p_value if gained + lost else 1.0
    return Difference(
        scale * (gained - lost) / n,
        scale * low,
        scale * high,
        p,
        0.0,
        "McNemar's exact test",
        "Tango's score interval of a difference of paired shares",
        n,
        changed=(gained + lost) / n,
        scale=scale,
        sum_low=scale * (1 + sum_low),
        sum_high=scale * (1 + sum_high),
    )


def paired_means(
    first: npt.ArrayLike, second: npt.ArrayLike, confidence_level: float = 0.95, seed: int = 0
) -> Difference:
    """Difference between the means of two measurements of the same units.

    The test swaps the two measurements of each unit in all ways (a paired permutation test, which flips the signs of
    the differences). The interval is Student's: differences of two measurements are close to symmetric, so that a
    bootstrap, which follows the skewness of the sample, would be too narrow.

    Args:
        first: a number per unit, shape (n,).
        second: the same of the other measurement.
        confidence_level: nominal coverage of the interval.
        seed: seed of the permutations.

    Raises:
        InputError: the lists differ in length, or are not finite numbers.
        UndefinedScoreError: the lists are empty.

    Examples:
        >>> difference = paired_means([1.0, 2.0, 3.0, 4.0, 5.0, 6.0], [2.0, 3.5, 4.0, 4.5, 6.0, 7.5])
        >>> round(difference.difference, 3), difference.p_value
        (1.083, 0.03125)
    """
    a, b = _two_lists(first, second)
    largest = float(np.abs([a, b]).max())
    d = without_rounding(b - a, largest)
    test = sign_flip_test(d, seed=seed)
    (low, high, words), (sum_low, sum_high, _) = (_interval(v, largest, confidence_level) for v in (d, a + b))
    return Difference(
        test.statistic,
        low,
        high,
        test.p_value,
        test.p_error,
        f"paired permutation test, {test.method.replace('_', ' ')}",
        words,
        len(d),
        error=float(d.std(ddof=1)) / math.sqrt(len(d)) or None if len(d) > 1 else None,
        sum_low=sum_low,
        sum_high=sum_high,
    )


def distance_change(
    difference: tuple[float, float], total: tuple[float, float], ideals: tuple[float, float]
) -> tuple[float, float]:
    """Return the interval of the change of two scores' distances from their ideal values, |second − c₂| − |first − c₁|.

    With D and S the difference and the sum of the two scores less their ideal values, the change is at least m > 0 if D
    and S, or −D and −S, are both at least m. So its upper bound is the larger of two minima: one over the upper bounds
    of D and S, the other over the upper bounds of −D and −S. Its lower bound is the mirror image.

    Args:
        difference: interval of the second score less the first.
        total: interval of their sum, at the same level, from the same units.
        ideals: c₁ and c₂.

    Returns:
        The ends of the interval. It includes 0 unless both D and S differ significantly from 0.

    Examples:
        From 60 to 70, each give or take 4 points, and from 42.5 to 57.5, with an ideal value of 50:

        >>> distance_change((6, 14), (126, 134), (50, 50)), distance_change((11, 19), (96, 104), (50, 50))
        ((6, 14), (-4, 4))
    """
    (d_low, d_high), (s_low, s_high) = difference, total
    d_low, d_high = (end - (ideals[1] - ideals[0]) for end in (d_low, d_high))
    s_low, s_high = (end - sum(ideals) for end in (s_low, s_high))
    return (
        -max(min(d_high, -s_low), min(-d_low, s_high)),
        max(min(d_high, s_high), min(-d_low, -s_low)),
    )


def _interval(
    values: FloatArray, largest: float, confidence_level: float
) -> tuple[float | None, float | None, str]:
    """Return Student's interval of a mean of numbers made of values up to ``largest``, and how it was computed."""
    n, mean = len(values), float(values.mean())
    if n < 2:
        return None, None, "none: one item has no interval"
    half = float(special.stdtrit(n - 1, (1 + confidence_level) / 2) * values.std(ddof=1)) / math.sqrt(n)
    if has_width(mean - half, mean + half, TIE_TOLERANCE * largest):
        return mean - half, mean + half, "Student's t of the items' differences"
    return None, None, "none: nothing varies"


def error_of(low: float | None, high: float | None, confidence_level: float) -> float | None:
    """Return the standard error behind an interval, as for a normal estimate, ``None`` if it has no width."""
    if low is None or high is None or high <= low:
        return None
    return (high - low) / (2 * float(special.ndtri((1 + confidence_level) / 2)))


def unpaired_interval(
    first: tuple[float, float, float], second: tuple[float, float, float]
) -> tuple[float, float]:
    """Return the interval of a difference from the intervals of two independent estimates, at their level (MOVER).

    Two measurements of the same units agree more than independent ones, so for them it is wider than it need be.

    Args:
        first: estimate, lower and upper end.
        second: the same of the other measurement.

    References:
        Zou and Donner (2008): Construction of confidence limits about effect measures. Statistics in Medicine 27.

    Examples:
        >>> unpaired_interval((50.0, 47.0, 53.0), (60.0, 56.0, 64.0))
        (5.0, 15.0)
    """
    (a, a_low, a_high), (b, b_low, b_high) = first, second
    down, up = math.hypot(b - b_low, a_high - a), math.hypot(b_high - b, a - a_low)
    return b - a - down, b - a + up


def _two_lists(first: npt.ArrayLike, second: npt.ArrayLike) -> tuple[FloatArray, FloatArray]:
    a, b = finite_numbers(first, "first"), finite_numbers(second, "second")
    if len(a) != len(b):
        raise InputError(
            f"the measurements have {len(a)} and {len(b)} items", hint="give measurements of the same items"
        )
    if not len(a):
        raise UndefinedScoreError("no item to compare")
    return a, b
