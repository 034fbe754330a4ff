"""Effect size and permutation test of a difference of two means, on numbers only.

The test asks how many ways of cutting the pooled scores into two samples of the observed sizes give a
difference of means as large as the observed one. It is Fisher's randomisation test, which Caliskan et al.
(2017) use for WEAT. The answer is counted, sampled or approximated. The result says which.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

import numpy as np
import numpy.typing as npt

from ..arrays import FloatArray
from ..errors import InputError, UndefinedScoreError, bad_option, check_whole
from ._checks import Alternative as Alternative
from ._checks import (
    batches,
    check_alternative,
    check_choice,
    check_number,
    check_seed,
    finite_numbers,
    normal_p,
)
from ._grid import IntArray, Partitions, Region, count_at_least, work
from .draws import lean

Method: TypeAlias = Literal["auto", "exact", "monte_carlo", "normal"]

TIE_TOLERANCE = 1e-12
"""Default tie tolerance, as a share of the largest absolute score (about 4,500 rounding units of a float)."""

AUTO_EXACT_WORK = 2**26
"""``auto`` counts exactly up to this many sums to sort (25 + 25 scores: about 2 s a tail and 0.15 GB), else samples."""

MAX_EXACT_WORK = 2**29
"""``exact`` refuses more than this many sums to sort (28 + 28 scores)."""

DRAWS = 99_999
"""Random rearrangements of a test whose number of draws is not given."""

ERRORS_APART = 3
"""A p-value closer to a level than this many of its Monte Carlo errors may lie on its other side."""

_MIRRORED: dict[Alternative, Alternative] = {"greater": "less", "less": "greater", "two-sided": "two-sided"}
_LEVEL = 0.05
_BATCH_BYTES = 1 << 21
_MOST_DIGITS = 300


@dataclass(frozen=True, slots=True)
class PermutationTest:
    """The outcome of :func:`permutation_test`.

    Attributes:
        statistic: mean of X minus mean of Y.
        p_value: the p-value.
        p_error: its Monte Carlo standard error, see :func:`sampled_p`, 0 if it is counted or approximated.
        method: the method used, never ``"auto"``.
        alternative: the alternative hypothesis.
        n_partitions: number of ways to cut the pooled scores into the two sizes, ``None`` if that has more
            than 300 digits, which few programs can write or read.
        count: number of partitions that are as extreme as the observed one, if they were counted.
        n_resamples: number of random partitions drawn (``monte_carlo`` only).
    """

    statistic: float
    p_value: float
    p_error: float
    method: Literal["exact", "monte_carlo", "normal"]
    alternative: Alternative
    n_partitions: int | None
    count: int | None
    n_resamples: int | None

    @classmethod
    def of_counts(
        cls, statistic: float, extreme: int, n: int, *, alternative: Alternative, exact: bool = False
    ) -> PermutationTest:
        """Return the outcome of rearrangements of any kind, ``extreme`` of ``n`` as extreme as the observed one.

        If ``exact``, these are all rearrangements, including the observed one. Otherwise they are random.

        Examples:
            >>> test = PermutationTest.of_counts(1.5, 49, 999, alternative="greater")
            >>> test.p_value, test.method
            (0.05, 'monte_carlo')
        """
        p, error = (extreme / n, 0.0) if exact else sampled_p(extreme, n)
        return cls(
            statistic=statistic,
            p_value=p,
            p_error=error,
            method="exact" if exact else "monte_carlo",
            alternative=alternative,
            n_partitions=n if exact else None,
            count=extreme if exact else None,
            n_resamples=None if exact else n,
        )


@dataclass(frozen=True, slots=True)
class RandomisationTest:
    """The outcome of a two-sided test that flips signs or rearranges numbers.

    Attributes:
        statistic: what is tested, such as a mean or a correlation.
        p_value: the two-sided p-value.
        p_error: its Monte Carlo standard error, see :func:`sampled_p`, 0 if everything was counted.
        method: ``"exact"`` or ``"monte_carlo"``.
        n: number of values. For sign flips, the number of values that are not 0, since only their signs matter.
        null_sd: standard deviation of the statistic over all sign patterns or rearrangements. For a rank
            correlation it is 1 / √(n - 1).
    """

    statistic: float
    p_value: float
    p_error: float
    method: Literal["exact", "monte_carlo"]
    n: int
    null_sd: float


def effect_size(scores_x: npt.ArrayLike, scores_y: npt.ArrayLike, ddof: int = 1) -> float:
    """Standardised difference of means, (mean of X - mean of Y) / sd of X and Y pooled into one list.

    The standard deviation comes from all scores around their common mean, as Caliskan et al. (2017) define
    it, not Cohen's pooled within-group one. Positive means that X scores higher, 0 that they do not differ.
    For equal sizes the range is [-2, 2] with ddof 0 and just inside it with ddof 1. Unequal sizes widen it to
    (n_x + n_y) / sqrt(n_x n_y).

    Args:
        scores_x: scores of the first sample, shape (n_x,).
        scores_y: scores of the second sample, shape (n_y,).
        ddof: 1 for the sample standard deviation, 0 for the population's.

    Returns:
        The effect size.

    Raises:
        UndefinedScoreError: a sample is empty, or all scores are equal (within ``TIE_TOLERANCE``).
        InputError: scores are not one-dimensional finite numbers, or ddof is neither 0 nor 1.

    Examples:
        >>> effect_size([1.0, 2.0], [-1.0, -2.0], ddof=0)
        1.8973665961010275
    """
    x, y = _check_scores(scores_x, "scores_x"), _check_scores(scores_y, "scores_y")
    if isinstance(ddof, bool) or ddof not in (0, 1):
        raise bad_option("ddof", ddof, "1 (sample standard deviation) or 0 (population)")
    pooled = np.concatenate([x, y])
    if np.ptp(pooled) <= TIE_TOLERANCE * np.max(np.abs(pooled)):
        raise UndefinedScoreError("the effect size is undefined: all scores are equal, their deviation is 0")
    return float((x.mean() - y.mean()) / pooled.std(ddof=ddof))


def permutation_test(
    scores_x: npt.ArrayLike,
    scores_y: npt.ArrayLike,
    *,
    alternative: Alternative = "greater",
    method: Method = "auto",
    strict: bool = False,
    n_resamples: int = DRAWS,
    seed: int = 0,
    tolerance: float | None = None,
) -> PermutationTest:
    """Permutation test of mean of X minus mean of Y over all partitions of the pooled scores.

    The p-value is the share of partitions into the observed sizes whose statistic is at least (``"greater"``)
    or at most (``"less"``) the observed one, or at least as far from 0 (``"two-sided"``, also for unequal
    sizes). The observed partition is one of them, so p is never 0 and the test is valid. ``strict`` counts
    only partitions beyond the observed one, as Caliskan et al. (2017) write it, and can give 0.

    How the p-value is obtained, by ``method``:

    - ``"exact"`` counts all partitions by meet in the middle, in about 2^((n_x + n_y) / 2) steps.
    - ``"monte_carlo"`` draws random partitions, with p = (k + 1) / (n_resamples + 1), k of them extreme.
      Within a draw every score is used once.
    - ``"normal"`` is the normal approximation with the exact variance of the statistic over all
      partitions, (n_x + n_y) / (n_x n_y) times the sample variance (ddof 1) of the pooled scores. It has
      no ties, so ``strict`` and ``tolerance`` change nothing.
    - ``"auto"`` is exact up to ``AUTO_EXACT_WORK`` sums to sort (25 + 25 scores). Otherwise it draws ``n_resamples``
      random partitions, and ten times as many if the p-value lies within three of its errors of 5%.

    Ties are statistics within ``tolerance`` of the observed one, so that 0.1 + 0.2 and 0.3, equal but for
    rounding, are equal here. The default tolerance is ``TIE_TOLERANCE`` times the largest absolute score.
    Pass an absolute one if scores are differences of larger numbers that nearly cancel. Sums are compared
    as integers, exactly if the scores span no more than about 54 bits. Wider spans are rounded to that many
    and the tolerance grows by what this can move, below 1e-15 of the spread.

    Args:
        scores_x: scores of the first sample, shape (n_x,).
        scores_y: scores of the second sample, shape (n_y,).
        alternative: ``"greater"``, ``"less"`` or ``"two-sided"``.
        method: see above.
        strict: exclude ties with the observed partition.
        n_resamples: number of random partitions, if they are sampled.
        seed: seed of the random partitions.
        tolerance: largest difference of statistics that is a tie, in units of the scores.

    Returns:
        The test, with its p-value, the p-value's error, and the exact count if there is one.

    Raises:
        UndefinedScoreError: a sample is empty, or all scores are equal and the method is ``normal``.
        InputError: scores are not one-dimensional finite numbers, an option is unknown, or the samples are
            too large for ``exact``.

    Examples:
        >>> test = permutation_test([3.0, 4.0, 5.0], [0.0, 1.0, 2.0])
        >>> test.count, test.n_partitions, test.p_value
        (1, 20, 0.05)
        >>> permutation_test([3.0, 4.0, 5.0], [0.0, 1.0, 2.0], alternative="two-sided").p_value
        0.1
    """
    x, y = _check_scores(scores_x, "scores_x"), _check_scores(scores_y, "scores_y")
    check_alternative(alternative)
    check_choice(method, "method", get_args(Method))
    check_whole("n_resamples", n_resamples, 1)
    check_seed(seed)
    if tolerance is None:
        tolerance = TIE_TOLERANCE * max(float(np.max(np.abs(x))), float(np.max(np.abs(y))))
    check_number(tolerance, "tolerance")
    if tolerance < 0:
        raise bad_option("tolerance", tolerance, "a finite number, 0 or more")

    statistic = float(x.mean() - y.mean())
    # The same test with the samples exchanged, or all scores negated, counts and draws the same partitions.
    first, second, side = x, y, alternative
    if len(first) > len(second):
        first, second, side = second, first, _MIRRORED[side]
    if first.mean() < second.mean():
        first, second, side = -first, -second, _MIRRORED[side]
    if len(first) == len(second) and lean(np.concatenate([first, second])) < 0:
        first, second = -second, -first
    partitions = Partitions.from_scores(first, second)
    region = partitions.region(side, strict, tolerance)
    tails = _tails(partitions, region)
    sums_to_sort = work(len(partitions.values), partitions.size)
    countable = sums_to_sort <= (AUTO_EXACT_WORK if method == "auto" else MAX_EXACT_WORK)
    if method == "exact" and not countable:
        raise InputError(
            f"{len(x)} + {len(y)} scores are too many to count exactly", hint="use method='monte_carlo'"
        )
    n_partitions = partitions.total if partitions.total < 10**_MOST_DIGITS else None
    if method == "exact" or (method == "auto" and countable):
        count = sum(m * count_at_least(values, partitions.size, least) for values, least, m in tails)
        p = count / partitions.total
        return PermutationTest(statistic, p, 0.0, "exact", alternative, n_partitions, count, None)
    if method == "normal":
        p = _normal(x, y, alternative)
        return PermutationTest(statistic, p, 0.0, "normal", alternative, n_partitions, None, None)
    sample = _sampler(partitions, region, seed)
    extreme, n_draws = sample(n_resamples), n_resamples
    if method == "auto":
        extreme, n_draws = draw_on(extreme, n_draws, sample)
    p, error = sampled_p(extreme, n_draws)
    return PermutationTest(statistic, p, error, "monte_carlo", alternative, n_partitions, None, n_draws)


def sampled_p(extreme: int, n: int) -> tuple[float, float]:
    """P-value of a test by random rearrangements, (extreme + 1) / (n + 1), and its Monte Carlo standard error.

    The error is the standard deviation of Beta(extreme + 1, n - extreme + 1): √(p (1 - p) / n) unless p is close to 0
    or 1, and never 0.

    Args:
        extreme: number of rearrangements whose statistic is at least as extreme as the observed one.
        n: number of rearrangements drawn.

    Examples:
        >>> [round(v, 4) for v in sampled_p(49, 999)]
        [0.05, 0.0069]
    """
    check_whole("n", n, 1)
    check_whole("extreme", extreme, 0)
    if extreme > n:
        raise bad_option("extreme", extreme, f"at most {n}")
    error = math.sqrt((extreme + 1) * (n - extreme + 1) / (n + 3)) / (n + 2)
    return (extreme + 1) / (n + 1), error


def draw_on(extreme: int, n: int, sample: Callable[[int], int]) -> tuple[int, int]:
    """Draw ten times as many rearrangements if p lies within three of its errors of 5%.

    Args:
        extreme: number of extreme rearrangements.
        n: number of rearrangements.
        sample: draws so many more, and returns how many of these are.

    Returns:
        The two numbers over all draws.

    Examples:
        >>> draw_on(400, 9_999, lambda n: n // 20), draw_on(500, 9_999, lambda n: n // 20)
        ((400, 9999), (5000, 99999))
    """
    p, error = sampled_p(extreme, n)
    if abs(p - _LEVEL) > ERRORS_APART * error:
        return extreme, n
    more = 9 * (n + 1)
    return extreme + sample(more), n + more


def _tails(partitions: Partitions, region: Region) -> list[tuple[IntArray, int, int]]:
    """State the region as (values, threshold, multiplicity): sums of subsets of the values >= the threshold."""
    values, size, (at_most, at_least) = partitions.values, partitions.size, region
    # With equal sizes the complement of a subset on one side lies on the other, equally far out.
    mirrored = None not in region and 2 * size == len(values)
    tails = []
    if at_least is not None:
        tails.append((values, at_least, 1 + mirrored))
    if at_most is not None and not mirrored:
        top = int(values.max())
        tails.append((top - values, size * top - at_most, 1))
    return tails


def _sampler(partitions: Partitions, region: Region, seed: int) -> Callable[[int], int]:
    """Return a function that draws a given number of random partitions and counts how many are in the region.

    A row of random bits, each set with a chance of 2⁻ʲ, is a random subset of its size, whatever that is. Single values
    chosen at random among those that are in it, or are not, are then taken out, or put in, until the size is right.
    Sums are looked up by byte, so that they are exact.
    """
    rng = np.random.default_rng(seed)
    # Sorted, so that the same scores in another order have the same p-value.
    values, size, (at_most, at_least) = np.sort(partitions.values), partitions.size, region
    n = len(values)
    width = -(-n // 8)
    bits = np.unpackbits(np.arange(256, dtype=np.uint8)[:, None], axis=1).astype(np.int64)
    # For each byte of a row and each of its 256 values: the sum and the number of the scores that it represents.
    sums_of = np.pad(values, (0, 8 * width - n)).reshape(width, 8) @ bits.T
    padding = np.uint8(0xFF << (8 * width - n) & 0xFF)
    n_and = max(0, round(math.log2(n / size)) - 1)

    def sample(n_draws: int) -> int:
        extreme = 0
        for rows in batches(n_draws, width, _BATCH_BYTES):
            signs = rng.integers(0, 256, (rows, width), dtype=np.uint8)
            for _ in range(n_and):
                signs &= rng.integers(0, 256, (rows, width), dtype=np.uint8)
            signs[:, -1] &= padding
            sums = np.zeros(rows, dtype=np.int64)
            for column, sums_of_byte in zip(signs.T, sums_of, strict=True):
                sums += sums_of_byte[column]
            surplus = np.bitwise_count(signs).sum(axis=1, dtype=np.int64) - size
            wrong = np.flatnonzero(surplus)
            while len(wrong):
                place = rng.integers(0, n, len(wrong))
                bit = np.uint8(128) >> (place % 8).astype(np.uint8)
                inside, too_many = (signs[wrong, place // 8] & bit) > 0, surplus[wrong] > 0
                fits = inside == too_many
                row, step = wrong[fits], np.where(too_many[fits], -1, 1)
                signs[row, place[fits] // 8] ^= bit[fits]
                sums[row] += step * values[place[fits]]
                surplus[row] += step
                wrong = wrong[surplus[wrong] != 0]
            if at_least is not None:
                extreme += int(np.count_nonzero(sums >= at_least))
            if at_most is not None:
                extreme += int(np.count_nonzero(sums <= at_most))
        return extreme

    return sample


def _normal(x: FloatArray, y: FloatArray, alternative: Alternative) -> float:
    pooled = np.concatenate([x, y])
    if np.ptp(pooled) <= TIE_TOLERANCE * np.max(np.abs(pooled)):
        raise UndefinedScoreError(
            "the normal approximation is undefined: all scores are equal. The exact p-value is 1"
        )
    z = float((x.mean() - y.mean()) / (pooled.std(ddof=1) * math.sqrt(1 / len(x) + 1 / len(y))))
    return normal_p(z, alternative)


def _check_scores(scores: npt.ArrayLike, name: str) -> FloatArray:
    array = finite_numbers(scores, name)
    if not array.size:
        raise UndefinedScoreError(f"{name} is empty: a difference of means needs a score on each side")
    return array
