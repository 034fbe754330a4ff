"""Two measurements of the same units: the test of their difference, its interval, and what could have been seen."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import special

from ..arrays import FloatArray
from ..errors import InputError, UndefinedScoreError
from ._checks import flat_numbers
from .bootstrap import NO_WIDTH, Interval, bootstrap_ci, bootstrap_mean_ci, has_width
from .mcnemar import detectable_share_of, share_difference_interval
from .permutation import TIE_TOLERANCE, effect_size, sampled_p
from .proportions import mcnemar_test
from .sign_flips import sign_flip_test

__all__ = [
    "Difference",
    "detectable_of",
    "paired_effect_sizes",
    "paired_means",
    "paired_shares",
    "unpaired_interval",
]

_Z_HALF, _Z_80 = float(special.ndtri(0.975)), float(special.ndtri(0.8))
_RESAMPLES = 9_999
_MOST_SWAPPED = 13
"""Up to this many units are swapped in all ways."""


@dataclass(frozen=True, slots=True)
class Difference:
    """A difference between two measurements of the same units, second minus first.

    Attributes:
        difference: the difference of the statistics.
        low, high: confidence interval; ``None`` where there is none, as ``interval`` says.
        p_value, p_low, p_high: two-sided p-value that there is none, and its bounds.
        test, interval: how p-value and interval were found, in words.
        n: number of units.
        detectable: the smallest difference that a test at 5 % would have seen in 80 % of cases, given how much the
            units vary; ``None`` where that cannot be said.
    """

    difference: float
    low: float | None
    high: float | None
    p_value: float
    p_low: float
    p_high: float
    test: str
    interval: str
    n: int
    detectable: float | None


def paired_shares(first: Sequence[Any], second: Sequence[Any], level: float = 0.95) -> Difference:
    """Difference between the shares of units that succeed in two measurements of the same units.

    The test is McNemar's exact one, on the units that succeed in one only; the interval is Tango's.

    Args:
        first: whether each unit succeeds, shape (n,), as truth values or 0 and 1.
        second: the same of the other measurement.
        level: nominal coverage of the interval.

    Raises:
        InputError: the lists differ in length, or hold something else.
        UndefinedScoreError: there is no unit.

    References:
        McNemar (1947), Psychometrika 12. Tango (1998), Statistics in Medicine 17.

    Examples:
        >>> found = paired_shares([1, 1, 1, 1, 1, 1, 1, 0, 0, 0], [0, 0, 0, 0, 0, 0, 1, 0, 0, 0])
        >>> found.difference, found.p_value
        (-0.6, 0.03125)
    """
    a, b = _two_lists(first, second)
    if not (np.isin(a, (0, 1)).all() and np.isin(b, (0, 1)).all()):
        raise InputError("each unit either succeeds or does not: give truth values, or 0 and 1")
    gained, lost, n = int((b > a).sum()), int((a > b).sum()), len(a)
    low, high = share_difference_interval(gained, lost, n, level)
    p = mcnemar_test(gained, lost).p_value if gained + lost else 1.0
    return Difference(
        (gained - lost) / n,
        low,
        high,
        p,
        p,
        p,
        "McNemar's exact test",
        "Tango's score interval of a difference of paired shares",
        n,
        detectable_share_of(n, (gained + lost) / n),
    )


def paired_means(
    first: npt.ArrayLike, second: npt.ArrayLike, level: float = 0.95, seed: int = 0
) -> Difference:
    """Difference between the means of two measurements of the same units.

    The test swaps the two measurements of each unit in all ways (a paired permutation test, which flips the signs of
    the differences); the interval is a studentised bootstrap of the units' differences.

    Args:
        first: a number per unit, shape (n,).
        second: the same of the other measurement.
        level: nominal coverage of the interval.
        seed: seed of permutations and resamples.

    Raises:
        InputError: the lists differ in length, or are not finite numbers.
        UndefinedScoreError: there is no unit.

    Examples:
        >>> found = paired_means([1.0, 2.0, 3.0, 4.0, 5.0, 6.0], [2.0, 3.5, 4.0, 4.5, 6.0, 7.5])
        >>> round(found.difference, 3), found.p_value
        (1.083, 0.03125)
    """
    a, b = _two_lists(first, second)
    d = b - a
    test = sign_flip_test(d, seed=seed)
    low = high = None
    words = "none: one unit has no interval"
    if len(d) > 1:
        found = bootstrap_mean_ci(d, n_resamples=_RESAMPLES, level=level, method="studentised", seed=seed)
        low, high, words = _wide(
            found, "studentised bootstrap of the units' differences", float(np.abs([a, b]).max())
        )
    return Difference(
        test.statistic,
        low,
        high,
        test.p_value,
        test.p_low,
        test.p_high,
        f"paired permutation test, {test.method.replace('_', ' ')}",
        words,
        len(d),
        _detectable_mean(d),
    )


def paired_effect_sizes(
    first: tuple[npt.ArrayLike, npt.ArrayLike],
    second: tuple[npt.ArrayLike, npt.ArrayLike],
    level: float = 0.95,
    seed: int = 0,
    ddof: int = 1,
) -> Difference:
    """Difference between two effect sizes of associations of the same words, such as WEAT's d.

    The associations of each measurement are centred and divided by their standard deviation over all words, which
    changes no effect size and gives the measurements one scale. The test then swaps the two measurements of each word
    in all ways, or in 9,999 random ones where there are more than 13 words, and computes both effect sizes anew: under
    its null hypothesis it is chance which of the two a word got. The interval resamples the words of each list (BCa).

    Args:
        first: associations of the words of both lists, shapes (n_x,) and (n_y,).
        second: those of the same words in the same order in the other measurement.
        level: nominal coverage of the interval.
        seed: seed of permutations and resamples.
        ddof: as of the effect size.

    Raises:
        InputError: the lists differ in length, or are not finite numbers.
        UndefinedScoreError: a measurement's associations are all equal, or there are too few.

    Examples:
        >>> found = paired_effect_sizes(([0.9, 0.8, 0.7], [0.1, 0.2, 0.3]), ([0.7, 0.2, 0.6], [0.3, 0.5, 0.1]))
        >>> round(found.difference, 3), found.n
        (-0.917, 6)
    """
    (ax, bx), (ay, by) = _two_lists(first[0], second[0]), _two_lists(first[1], second[1])
    before, after = effect_size(ax, ay, ddof), effect_size(bx, by, ddof)  # raises where one is undefined

    def effect(x: FloatArray, y: FloatArray) -> FloatArray:
        """Effect sizes of associations of shapes (batch, n_x) and (batch, n_y); NaN where they are undefined."""
        both = np.concatenate([x, y], axis=1)
        sd = both.std(axis=1, ddof=ddof)
        ok = sd > 1e-12 * np.abs(both).max(axis=1)
        return np.where(ok, (x.mean(axis=1) - y.mean(axis=1)) / np.where(ok, sd, 1.0), np.nan)

    p_value, p_low, p_high, how = _swapped(
        _standardised(ax, ay), _standardised(bx, by), lambda z: effect(z[:, : len(ax)], z[:, len(ax) :]), seed
    )
    low = high = None
    words = "none: it does not exist for so few words"
    if min(len(ax), len(ay)) > 1:
        try:
            found = bootstrap_ci(
                [len(ax), len(ay)],
                lambda i: effect(bx[i[0]], by[i[1]]) - effect(ax[i[0]], ay[i[1]]),
                n_resamples=_RESAMPLES,
                level=level,
                seed=seed,
            )
            low, high, words = _wide(found, f"{found.method} bootstrap of the words of each list", 1.0)
        except UndefinedScoreError:
            pass
    return Difference(
        after - before,
        low,
        high,
        p_value,
        p_low,
        p_high,
        f"paired permutation of the words' standardised associations, {how}",
        words,
        len(ax) + len(ay),
        detectable_of(low, high, level),
    )


def _wide(interval: Interval, how: str, largest: float) -> tuple[float | None, float | None, str]:
    """The ends of an interval of a difference between values up to ``largest``, and how they were found."""
    if has_width(interval.low, interval.high, TIE_TOLERANCE * largest):
        return interval.low, interval.high, how
    return None, None, f"none: {NO_WIDTH}"


def _standardised(x: FloatArray, y: FloatArray) -> FloatArray:
    both = np.concatenate([x, y])
    scaled: FloatArray = (both - both.mean()) / both.std()
    return scaled


def _swapped(
    first: FloatArray, second: FloatArray, statistic: Callable[[FloatArray], FloatArray], seed: int
) -> tuple[float, float, float, str]:
    """Two-sided p-value of statistic(second) - statistic(first) when units swap their measurements, and its bounds."""
    n = len(first)
    if n <= _MOST_SWAPPED:
        swaps = (np.arange(2**n)[:, None] >> np.arange(n) & 1).astype(bool)  # the first swaps nothing
    else:
        swaps = np.random.default_rng(seed).random((_RESAMPLES, n)) < 0.5
        swaps = np.concatenate([np.zeros((1, n), bool), swaps])
    change = statistic(np.where(swaps, first, second)) - statistic(np.where(swaps, second, first))
    beyond = np.abs(change) >= np.abs(change[0]) - TIE_TOLERANCE
    if n <= _MOST_SWAPPED:
        p = float(beyond.mean())
        return p, p, p, "exact"
    return *sampled_p(int(beyond[1:].sum()), _RESAMPLES), "monte carlo"


def detectable_of(low: float | None, high: float | None, level: float) -> float | None:
    """Smallest difference that would be seen in 80 % of cases, by the standard error behind an interval."""
    if low is None or high is None or high <= low:
        return None
    error = (high - low) / (2 * float(special.ndtri((1 + level) / 2)))
    return (_Z_HALF + _Z_80) * error


def unpaired_interval(
    first: tuple[float, float, float], second: tuple[float, float, float]
) -> tuple[float, float]:
    """Interval of a difference from those of two independent estimates, at their level (MOVER).

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


def _detectable_mean(differences: FloatArray) -> float | None:
    """Smallest mean of n differences that a two-sided test at 5 % sees in 80 % of cases: (z.975 + z.8) sd / √n."""
    n = len(differences)
    sd = float(differences.std(ddof=1)) if n > 1 else 0.0
    return (_Z_HALF + _Z_80) * sd / math.sqrt(n) if sd > 0 else None


def _two_lists(first: npt.ArrayLike, second: npt.ArrayLike) -> tuple[FloatArray, FloatArray]:
    a, b = flat_numbers(np.asarray(first, float), "first"), flat_numbers(np.asarray(second, float), "second")
    if len(a) != len(b):
        raise InputError(f"the measurements have {len(a)} and {len(b)} units: give those of the same units")
    if not len(a):
        raise UndefinedScoreError("there is no unit to compare")
    if not (np.isfinite(a).all() and np.isfinite(b).all()):
        raise InputError("the measurements must be finite numbers")
    return a, b
