"""Tests of proportions (exact binomial, z in two variants) and their intervals (Wilson, Clopper-Pearson)."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any, Literal, TypeAlias, get_args

from scipy import special, stats

from ..errors import InputError, UndefinedScoreError, bad_option, check_whole
from ._checks import (
    Alternative,
    check_alternative,
    check_choice,
    check_confidence_level,
    check_number,
    normal_p,
)

ZMethod: TypeAlias = Literal["z", "score"]
ProportionMethod: TypeAlias = Literal["binomial", "z", "score"]
PROPORTION_TESTS: Mapping[ProportionMethod, str] = {
    "binomial": "exact binomial test",
    "z": "z test with the sample's variance",
    "score": "score test",
}
"""The tests of a proportion in words: exact, z with the variance of the sample, z with the variance under
the null hypothesis.
"""


@dataclass(frozen=True, slots=True)
class ProportionTest:
    """The outcome of a test on a proportion, or on a difference of two.

    Attributes:
        estimate: the proportion k / n, or the difference of two proportions.
        z: the test statistic, ``None`` for the exact test, which has none.
        p_value: the p-value.
    """

    estimate: float
    z: float | None
    p_value: float


@dataclass(frozen=True, slots=True)
class ProportionInterval:
    """A confidence interval of a proportion.

    Attributes:
        low, high: the bounds, in [0, 1].
        estimate: the proportion k / n.
    """

    low: float
    high: float
    estimate: float


def binomial_test(k: int, n: int, p0: float = 0.5, alternative: Alternative = "two-sided") -> ProportionTest:
    """Exact binomial test of a proportion against ``p0``.

    The two-sided p-value adds up the probabilities of all counts that are not more likely than k under
    ``p0``.

    Args:
        k: number of successes, 0 <= k <= n.
        n: number of trials.
        p0: proportion under the null hypothesis, in [0, 1].
        alternative: ``"greater"``, ``"less"`` or ``"two-sided"``.

    Returns:
        The test.

    Raises:
        InputError: counts or options out of range.
        UndefinedScoreError: n is 0.

    Examples:
        >>> round(binomial_test(9, 10).p_value, 6), round(binomial_test(9, 10, alternative="greater").p_value, 6)
        (0.021484, 0.010742)
    """
    _check_counts(k, n)
    _check_options(p0, alternative)
    p_value = float(stats.binomtest(int(k), int(n), p0, alternative).pvalue)
    return ProportionTest(k / n, None, min(p_value, 1.0))


def proportion_z_test(
    k: int, n: int, p0: float = 0.5, method: ZMethod = "z", alternative: Alternative = "two-sided"
) -> ProportionTest:
    """Normal approximation of the test of a proportion against ``p0``.

    z = (k / n - p0) / sqrt(variance / n). For ``"z"`` the variance is the sample's, p (1 - p) (Wald, the variant of
    Maddalozzo's thesis on bias metrics). For ``"score"`` it is the null hypothesis's, p0 (1 - p0), which keeps the
    level better. Prefer :func:`binomial_test`, which is exact.

    Args:
        k: number of successes, 0 <= k <= n.
        n: number of trials.
        p0: proportion under the null hypothesis, in [0, 1].
        method: ``"z"`` or ``"score"``.
        alternative: ``"greater"``, ``"less"`` or ``"two-sided"``.

    Returns:
        The test.

    Raises:
        InputError: counts or options out of range.
        UndefinedScoreError: n is 0, or the variance is 0 (k is 0 or n for ``"z"``, p0 is 0 or 1 for
            ``"score"``).

    Examples:
        >>> test = proportion_z_test(60, 100)
        >>> round(test.z, 4), round(test.p_value, 4)
        (2.0412, 0.0412)
        >>> round(proportion_z_test(60, 100, method="score").z, 4)
        2.0
    """
    _check_counts(k, n)
    _check_options(p0, alternative)
    check_choice(method, "method", get_args(ZMethod))
    p = k / n
    variance = p * (1 - p) if method == "z" else p0 * (1 - p0)
    if variance == 0:
        advice = "`method` 'score' or binomial_test" if method == "z" else "binomial_test"
        raise UndefinedScoreError(
            f"the z test is undefined: the variance is 0 for {k} of {n}",
            option="method",
            hint=f"use {advice}",
        )
    z = (p - p0) / math.sqrt(variance / n)
    return ProportionTest(p, z, normal_p(z, alternative))


def named_proportion_test(k: int, n: int, p_method: ProportionMethod) -> ProportionTest:
    """Two-sided test of a proportion against one half by the name of the test.

    Args:
        k: number of successes, 0 <= k <= n.
        n: number of trials.
        p_method: ``"binomial"`` (exact), ``"z"`` (normal, variance of the sample) or ``"score"`` (normal, variance of
            the null hypothesis), see :func:`binomial_test` and :func:`proportion_z_test`.

    Returns:
        The test.

    Raises:
        InputError: counts out of range, or no such test.
        UndefinedScoreError: n is 0, or the variance of a z test is 0.

    Examples:
        >>> [round(named_proportion_test(98, 170, m).p_value, 5) for m in ("binomial", "z", "score")]
        [0.05487, 0.04361, 0.04614]
    """
    if p_method == "binomial":
        return binomial_test(k, n)
    return proportion_z_test(k, n, method=p_method)


def two_proportions_z_test(
    k_1: int, n_1: int, k_2: int, n_2: int, alternative: Alternative = "two-sided"
) -> ProportionTest:
    """Normal approximation of the test that two independent proportions are equal, with the pooled variance.

    With p = (k_1 + k_2) / (n_1 + n_2), z = (k_1 / n_1 - k_2 / n_2) / sqrt(p (1 - p) (1 / n_1 + 1 / n_2)).

    Args:
        k_1: successes in the first sample.
        n_1: trials of the first sample.
        k_2: successes in the second sample.
        n_2: trials of the second sample.
        alternative: ``"greater"`` (the first proportion is larger), ``"less"`` or ``"two-sided"``.

    Returns:
        The test. Its estimate is the first proportion minus the second.

    Raises:
        InputError: counts or options out of range.
        UndefinedScoreError: a sample is empty, or all trials or none are successes.

    Examples:
        >>> test = two_proportions_z_test(30, 50, 20, 50)
        >>> round(test.estimate, 4), round(test.z, 4), round(test.p_value, 4)
        (0.2, 2.0, 0.0455)
    """
    _check_counts(k_1, n_1)
    _check_counts(k_2, n_2)
    _check_options(0.0, alternative)
    pooled = (k_1 + k_2) / (n_1 + n_2)
    if pooled in (0.0, 1.0):
        raise UndefinedScoreError("the z test is undefined: all trials of both samples have the same outcome")
    difference = k_1 / n_1 - k_2 / n_2
    z = difference / math.sqrt(pooled * (1 - pooled) * (1 / n_1 + 1 / n_2))
    return ProportionTest(difference, z, normal_p(z, alternative))


def mcnemar_test(only_first: int, only_second: int) -> ProportionTest:
    """McNemar's exact test: do two proportions differ that were found on the same units?

    Under the null hypothesis a unit that succeeds in one only is as likely to do so in the first as in the second, so
    the number that succeed in the first only is binomial with one half.

    Args:
        only_first: units that succeed in the first and not in the second.
        only_second: units that succeed in the second and not in the first.

    Returns:
        The two-sided test. Its estimate is the share of ``only_first`` in both counts.

    Raises:
        InputError: a count is not an integer, 0 or more.
        UndefinedScoreError: both counts are 0.

    References:
        McNemar (1947), Note on the sampling error of the difference between correlated proportions or percentages.

    Examples:
        >>> round(mcnemar_test(10, 2).p_value, 6)
        0.038574
    """
    check_whole("only_first", only_first, 0)
    check_whole("only_second", only_second, 0)
    if not only_first + only_second:
        raise UndefinedScoreError("McNemar's test is undefined: every item has the same outcome in both")
    return binomial_test(only_first, only_first + only_second)


def wilson_interval(k: int, n: int, confidence_level: float = 0.95) -> ProportionInterval:
    """Wilson's score interval of a proportion: all p0 that the two-sided score test does not reject.

    Args:
        k: number of successes, 0 <= k <= n.
        n: number of trials.
        confidence_level: nominal coverage, between 0 and 1.

    Returns:
        The interval.

    Raises:
        InputError: counts or the level out of range.
        UndefinedScoreError: n is 0.

    References:
        Wilson (1927), Probable inference, the law of succession, and statistical inference.

    Examples:
        >>> interval = wilson_interval(60, 100)
        >>> round(interval.low, 4), round(interval.high, 4)
        (0.502, 0.6906)
    """
    _check_counts(k, n)
    return wilson_of_share(k / n, n, confidence_level)


def clopper_pearson_interval(k: int, n: int, confidence_level: float = 0.95) -> ProportionInterval:
    """Exact interval of a proportion: all p0 that neither one-sided binomial test rejects at half the error.

    Args:
        k: number of successes, 0 <= k <= n.
        n: number of trials.
        confidence_level: least coverage, between 0 and 1.

    Raises:
        InputError: counts or the level out of range.
        UndefinedScoreError: n is 0.

    References:
        Clopper and Pearson (1934): The use of confidence or fiducial limits illustrated in the case of the binomial.
        Biometrika 26, 404-413.

    Examples:
        >>> round(clopper_pearson_interval(0, 220).high, 4), round(clopper_pearson_interval(0, 20).high, 3)
        (0.0166, 0.168)
    """
    _check_counts(k, n)
    check_confidence_level(confidence_level)
    tail = (1 - float(confidence_level)) / 2
    low = float(special.betaincinv(k, n - k + 1, tail)) if k else 0.0
    high = float(special.betainccinv(k + 1, n - k, tail)) if k < n else 1.0
    return ProportionInterval(low, high, k / n)


def mean_proportion_interval(
    k: Sequence[int], n: Sequence[int], confidence_level: float = 0.95
) -> ProportionInterval:
    """Interval of the unweighted mean of several proportions, each of its own trials, that may differ from one another.

    Wilson's formula at the mean p of the m shares k_i / n_i, with Student's quantile of m - 1 degrees of freedom and
    the effective number of trials p (1 - p) / (s² / m), where s is the standard deviation of the shares: trials of one
    proportion may resemble one another. If the shares are all equal, they say nothing about that, and the
    number of trials is m² / Σ(1 / n_i). For one proportion it is Wilson's interval.

    References:
        Franco, Little, Louis and Slud (2019): Comparative Study of Confidence Intervals for Proportions in Complex
        Sample Surveys. Journal of Survey Statistics and Methodology 7, 334-364.

    Args:
        k: number of successes of each, shape (m,).
        n: number of trials of each, shape (m,).
        confidence_level: nominal coverage, between 0 and 1.

    Returns:
        The interval, with the mean as its estimate.

    Raises:
        InputError: counts or the level out of range.
        UndefinedScoreError: proportions are missing, or one has no trials.

    Examples:
        >>> interval = mean_proportion_interval([4, 3, 9], [8, 5, 12])
        >>> round(interval.estimate, 4), round(interval.low, 4), round(interval.high, 4)
        (0.6167, 0.3174, 0.8477)
    """
    if not len(n):
        raise UndefinedScoreError("the mean of no proportion is undefined")
    if len(k) != len(n):
        raise InputError(f"{len(k)} numbers of successes for {len(n)} of trials", hint="give one each")
    for successes, trials in zip(k, n, strict=True):
        _check_counts(successes, trials)
    if len(n) == 1:
        return wilson_interval(k[0], n[0], confidence_level)
    shares = [a / b for a, b in zip(k, n, strict=True)]
    mean = math.fsum(shares) / len(n)
    spread = math.fsum((share - mean) ** 2 for share in shares) / (len(n) - 1)
    if spread > 1e-24:  # shares that are equal up to rounding have no spread
        effective = mean * (1 - mean) * len(n) / spread
    else:
        effective = len(n) ** 2 / math.fsum(1 / trials for trials in n)
    return wilson_of_share(mean, effective, confidence_level, len(n) - 1)


def wilson_of_share(
    p: float, n: float, confidence_level: float = 0.95, freedom: float | None = None
) -> ProportionInterval:
    """Return Wilson's interval of a share whose variance is the same as with ``n`` trials. n need not be an integer.

    It uses the normal quantile, or Student's if the variance has limited degrees of freedom.
    """
    check_confidence_level(confidence_level)
    tail = (1 + float(confidence_level)) / 2
    z = float(special.ndtri(tail) if freedom is None else special.stdtrit(freedom, tail))
    centre = (p + z * z / (2 * n)) / (1 + z * z / n)
    half_width = z / (1 + z * z / n) * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n))
    # At the ends the formula gives exactly 0 and 1, up to rounding.
    low = 0.0 if p == 0 else centre - half_width
    high = 1.0 if p == 1 else centre + half_width
    return ProportionInterval(low, high, p)


def _check_counts(k: Any, n: Any) -> None:
    whole = all(isinstance(v, Real) and float(v).is_integer() for v in (k, n))
    if not whole or not 0 <= k <= n:
        raise InputError(
            f"{k!r} successes of {n!r} trials: both must be integers with 0 <= successes <= trials"
        )
    if n == 0:
        raise UndefinedScoreError("a proportion of 0 trials is undefined")


def _check_options(p0: Any, alternative: Any) -> None:
    check_number(p0, "p0")
    if not 0 <= p0 <= 1:
        raise bad_option("p0", p0, "a number from 0 to 1")
    check_alternative(alternative)
