"""Effect size and permutation test of a difference of two means, on numbers only.

The test asks how many ways of cutting the pooled scores into two samples of the observed sizes give a
difference of means as large as the observed one (Caliskan et al. 2017 use it for WEAT; it is Fisher's
randomisation test). The answer is counted, bracketed, sampled or approximated; the result says which.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

import numpy as np
import numpy.typing as npt
from scipy import special

from ..arrays import FloatArray
from ..errors import InputError, UndefinedScoreError
from ._brackets import bracket_at_least
from ._checks import Alternative as Alternative
from ._checks import (
    batches,
    check_alternative,
    check_choice,
    check_number,
    check_seed,
    check_whole,
    finite_numbers,
    normal_p,
)
from ._grid import IntArray, Partitions, Region, count_at_least, work

Method: TypeAlias = Literal["auto", "exact", "lattice", "monte_carlo", "normal"]
Bracket: TypeAlias = Literal["exact", "rigorous", "confidence", "none"]

TIE_TOLERANCE = 1e-12
"""Default tie tolerance, as a share of the largest absolute score (about 4,500 rounding units of a float)."""

AUTO_EXACT_WORK = 2**26
"""``auto`` counts exactly up to this many sums to sort (25 + 25 scores: about 2 s and 0.15 GB), else brackets."""

LATTICE_EXACT_WORK = 2**23
"""``lattice`` counts exactly up to this many sums to sort (22 + 22 scores), where that is faster than a bracket."""

MAX_EXACT_WORK = 2**29
"""``exact`` refuses more than this many sums to sort (28 + 28 scores)."""

MONTE_CARLO_LEVEL = 0.999
"""Confidence level of the interval that a Monte Carlo p-value carries."""

_MONTE_CARLO_BATCH_CELLS = 1 << 20
_MOST_DIGITS = 300


@dataclass(frozen=True, slots=True)
class PermutationTest:
    """The outcome of :func:`permutation_test`.

    Attributes:
        statistic: mean of X minus mean of Y.
        p_value: the p-value; the upper end of the bracket for ``lattice``, so that it errs on the safe side.
        p_low, p_high: bounds of the exact p-value, to be read with ``bracket``.
        bracket: what the bounds are: ``"exact"`` (both equal the p-value), ``"rigorous"`` (the exact p-value
            lies between them with certainty), ``"confidence"`` (a 99.9 % Clopper-Pearson interval, which holds the
            exact p-value for all but one in a thousand seeds; its lower end is raised to what the observed partition
            alone makes certain) or ``"none"`` (an approximation whose error is unknown; both equal the p-value).
        method: the method used, never ``"auto"``.
        alternative: the alternative hypothesis.
        n_partitions: number of ways to cut the pooled scores into the two sizes; ``None`` where that has more than
            300 digits, which few programs can write or read.
        count: number of those that are as extreme as the observed one, where they were counted.
        n_resamples: number of random partitions drawn (``monte_carlo`` only).
    """

    statistic: float
    p_value: float
    p_low: float
    p_high: float
    bracket: Bracket
    method: Literal["exact", "lattice", "monte_carlo", "normal"]
    alternative: Alternative
    n_partitions: int | None
    count: int | None
    n_resamples: int | None

    @classmethod
    def of_counts(
        cls, statistic: float, extreme: int, n: int, *, alternative: Alternative, exact: bool = False
    ) -> PermutationTest:
        """The outcome of rearrangements of any kind, ``extreme`` of ``n`` as extreme as the observed one.

        ``exact`` says that these are all there are, the observed one among them; else they are random.

        Examples:
            >>> test = PermutationTest.of_counts(1.5, 49, 999, alternative="greater")
            >>> test.p_value, test.method
            (0.05, 'monte_carlo')
        """
        p, low, high = (extreme / n,) * 3 if exact else sampled_p(extreme, n)
        return cls(
            statistic=statistic,
            p_value=p,
            p_low=low,
            p_high=high,
            bracket="exact" if exact else "confidence",
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
        p_low, p_high: bounds of the exact p-value: equal to it where everything was counted, else a 99.9 %
            Clopper-Pearson interval.
        method: ``"exact"`` or ``"monte_carlo"``.
        n: how many numbers there are; of signs those that are not 0, whose signs alone change anything.
        null_sd: standard deviation of the statistic over all sign patterns or rearrangements; of a rank correlation
            1 / √(n - 1).
    """

    statistic: float
    p_value: float
    p_low: float
    p_high: float
    method: Literal["exact", "monte_carlo"]
    n: int
    null_sd: float


def effect_size(scores_x: npt.ArrayLike, scores_y: npt.ArrayLike, ddof: int = 1) -> float:
    """Standardised difference of means, (mean of X - mean of Y) / sd of X and Y pooled into one list.

    The standard deviation is that of all scores around their common mean, as Caliskan et al. (2017) define
    it, not Cohen's pooled within-group one. Positive: X scores higher; 0: no difference. For equal sizes the
    range is [-2, 2] with ddof 0 and just inside it with ddof 1; unequal sizes widen it to
    (n_x + n_y) / sqrt(n_x n_y).

    Args:
        scores_x: scores of the first sample, shape (n_x,).
        scores_y: scores of the second sample, shape (n_y,).
        ddof: 1 for the sample standard deviation, 0 for that of the population.

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
        raise InputError(f"ddof is {ddof!r}: use 1 (sample standard deviation) or 0 (population)")
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
    n_resamples: int = 99_999,
    seed: int = 0,
    tolerance: float | None = None,
) -> PermutationTest:
    """Permutation test of mean of X minus mean of Y over all partitions of the pooled scores.

    The p-value is the share of partitions into the observed sizes whose statistic is at least (``"greater"``)
    or at most (``"less"``) the observed one, or at least as far from 0 (``"two-sided"``, also for unequal
    sizes). The observed partition is one of them, so p is never 0 and the test is valid; ``strict`` counts
    only partitions beyond the observed one, as Caliskan et al. (2017) write it, and can give 0.

    How the p-value is obtained, by ``method``:

    - ``"exact"`` counts all partitions by meet in the middle, in about 2^((n_x + n_y) / 2) steps.
    - ``"lattice"`` gives a rigorous bracket of the exact p-value for any size, in about a second up
      to 1,000 + 1,000 scores (half a minute for 5,000 + 5,000); ``p_value`` is its upper end. Sums are
      counted on a grid or, for many scores, bounded through their characteristic function. Continuous
      scores give a bracket of 1e-5 to 1e-4. It is wider, up to about 1e-3, where a small sample meets a
      very large one or one score lies far outside, and as wide as the share of ties where more than 2,000
      scores take few distinct values.
    - ``"monte_carlo"`` draws random partitions; p = (k + 1) / (n_resamples + 1), k of them extreme.
      Within a draw every score is used once. The bracket is a 99.9 % Clopper-Pearson interval.
    - ``"normal"`` is the normal approximation with the exact variance of the statistic over all
      partitions, (n_x + n_y) / (n_x n_y) times the sample variance (ddof 1) of the pooled scores. It has
      no ties, so ``strict`` and ``tolerance`` change nothing.
    - ``"auto"`` is exact up to ``AUTO_EXACT_WORK`` sums to sort (25 + 25 scores), else lattice.

    Ties are statistics within ``tolerance`` of the observed one, so that 0.1 + 0.2 and 0.3, equal but for
    rounding, are equal here. The default tolerance is ``TIE_TOLERANCE`` times the largest absolute score;
    pass an absolute one where scores are differences of larger numbers that nearly cancel. Sums are compared
    as integers, exactly where the scores span no more than about 54 bits; wider spans are rounded to that many
    and the tolerance grows by what this can move, below 1e-15 of the spread.

    Args:
        scores_x: scores of the first sample, shape (n_x,).
        scores_y: scores of the second sample, shape (n_y,).
        alternative: ``"greater"``, ``"less"`` or ``"two-sided"``.
        method: see above.
        strict: leave ties with the observed partition out.
        n_resamples: number of random partitions, for ``monte_carlo``.
        seed: seed of the random partitions, for ``monte_carlo``.
        tolerance: largest difference of statistics that is a tie, in units of the scores.

    Returns:
        The test, with its p-value, bracket and exact count where there is one.

    Raises:
        UndefinedScoreError: a sample is empty; or all scores are equal and the method is ``normal``.
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
    check_whole(n_resamples, "n_resamples", 1)
    check_seed(seed)
    if tolerance is None:
        tolerance = TIE_TOLERANCE * max(float(np.max(np.abs(x))), float(np.max(np.abs(y))))
    check_number(tolerance, "tolerance")
    if tolerance < 0:
        raise InputError(f"tolerance is {tolerance!r}: it must be a finite number, 0 or larger")

    partitions = Partitions.from_scores(x, y)
    region = partitions.region(alternative, strict, tolerance)
    tails = _tails(partitions, region)
    sums_to_sort = work(len(partitions.values), partitions.size) * len(tails)
    if method == "auto":
        method = "exact" if sums_to_sort <= AUTO_EXACT_WORK else "lattice"
    elif method == "exact" and sums_to_sort > MAX_EXACT_WORK:
        raise InputError(
            f"{len(x)} + {len(y)} scores are too many to count exactly: method='lattice' brackets the p-value"
        )

    count = None
    bracket: Bracket = "none"
    if method == "exact" or (method == "lattice" and sums_to_sort <= LATTICE_EXACT_WORK):
        count = sum(m * count_at_least(values, partitions.size, least) for values, least, m in tails)
        p, bracket = count / partitions.total, "exact"
        low = high = p
    elif method == "lattice":
        (low, high), bracket = _bracket(partitions.size, tails), "rigorous"
        p = high
    elif method == "monte_carlo":
        (p, low, high), bracket = _monte_carlo(partitions, region, n_resamples, seed), "confidence"
    else:
        p = low = high = _normal(x, y, alternative)
    if bracket in ("rigorous", "confidence") and not strict:
        low = max(low, 1 / partitions.total)  # the observed partition itself counts
    return PermutationTest(
        statistic=float(x.mean() - y.mean()),
        p_value=p,
        p_low=low,
        p_high=high,
        bracket=bracket,
        method=method,
        alternative=alternative,
        n_partitions=partitions.total if partitions.total < 10**_MOST_DIGITS else None,
        count=count,
        n_resamples=n_resamples if method == "monte_carlo" else None,
    )


def sampled_p(extreme: int, n: int) -> tuple[float, float, float]:
    """P-value of a test by random rearrangements, (extreme + 1) / (n + 1), and its 99.9 % Clopper-Pearson interval.

    Args:
        extreme: number of rearrangements whose statistic is at least as extreme as the observed one.
        n: number of rearrangements drawn.

    Examples:
        >>> [round(v, 4) for v in sampled_p(49, 999)]
        [0.05, 0.0295, 0.0756]
    """
    check_whole(n, "n", 1)
    check_whole(extreme, "extreme", 0)
    if extreme > n:
        raise InputError(f"extreme is {extreme} of {n}: it cannot be more than all")
    tail = (1 - MONTE_CARLO_LEVEL) / 2
    low = float(special.betaincinv(extreme, n - extreme + 1, tail)) if extreme else 0.0
    high = float(special.betaincinv(extreme + 1, n - extreme, 1 - tail)) if extreme < n else 1.0
    return (extreme + 1) / (n + 1), low, high


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


def _bracket(size: int, tails: Sequence[tuple[IntArray, int, int]]) -> tuple[float, float]:
    low = high = 0.0
    for values, threshold, multiplicity in tails:
        tail_low, tail_high = bracket_at_least(values, size, threshold)
        low, high = low + multiplicity * tail_low, high + multiplicity * tail_high
    return low, min(high, 1.0)


def _monte_carlo(partitions: Partitions, region: Region, n: int, seed: int) -> tuple[float, float, float]:
    """Return the p-value of random partitions, see :func:`sampled_p`."""
    rng = np.random.default_rng(seed)
    # Sorted, so that the same scores in another order have the same p-value.
    values, size, (at_most, at_least) = np.sort(partitions.values), partitions.size, region
    extreme = 0
    for rows in batches(n, len(values), _MONTE_CARLO_BATCH_CELLS):
        keys = rng.random((rows, len(values)))
        # The positions of the smallest keys are a uniform subset without repetition.
        sums = values[np.argpartition(keys, size - 1, axis=1)[:, :size]].sum(axis=1)
        if at_least is not None:
            extreme += int(np.count_nonzero(sums >= at_least))
        if at_most is not None:
            extreme += int(np.count_nonzero(sums <= at_most))
    return sampled_p(extreme, n)


def _normal(x: FloatArray, y: FloatArray, alternative: Alternative) -> float:
    pooled = np.concatenate([x, y])
    if np.ptp(pooled) <= TIE_TOLERANCE * np.max(np.abs(pooled)):
        raise UndefinedScoreError(
            "the normal approximation is undefined: all scores are equal; the exact p-value is 1"
        )
    z = float((x.mean() - y.mean()) / (pooled.std(ddof=1) * math.sqrt(1 / len(x) + 1 / len(y))))
    return normal_p(z, alternative)


def _check_scores(scores: npt.ArrayLike, name: str) -> FloatArray:
    array = finite_numbers(scores, name)
    if not array.size:
        raise UndefinedScoreError(f"{name} is empty: a difference of means needs a score on each side")
    return array
