"""Tests and intervals of proportions against formulas written out, scipy, and worked numbers."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats as scipy_stats

from evaluate_bias.stats import (
    binomial_test,
    mcnemar_test,
    mean_proportion_interval,
    proportion_z_test,
    two_proportions_z_test,
    wilson_interval,
)


def test_binomial_by_hand() -> None:
    # 9 or 10 heads of 10: 11 / 1024; two-sided the same again on the other side.
    assert binomial_test(9, 10, alternative="greater").p_value == pytest.approx(11 / 1024, rel=1e-12)
    assert binomial_test(9, 10, alternative="less").p_value == pytest.approx(1023 / 1024, rel=1e-12)
    test = binomial_test(9, 10)
    assert test.p_value == pytest.approx(22 / 1024, rel=1e-12)
    assert (test.estimate, test.z) == (0.9, None)


@given(st.integers(1, 25), st.data())
def test_two_sided_binomial_adds_up_the_counts_that_are_no_likelier(n: int, data: st.DataObject) -> None:
    k = data.draw(st.integers(0, n))
    p0 = data.draw(st.sampled_from([0.1, 0.3, 0.5, 0.9]))
    likelihood = [math.comb(n, i) * p0**i * (1 - p0) ** (n - i) for i in range(n + 1)]
    expected = sum(v for v in likelihood if v <= likelihood[k] * (1 + 1e-9))
    assert binomial_test(k, n, p0).p_value == pytest.approx(expected, rel=1e-9)


def test_z_variants_by_hand() -> None:
    z = 0.1 / math.sqrt(0.6 * 0.4 / 100)
    assert proportion_z_test(60, 100).z == pytest.approx(z, rel=1e-12)
    assert proportion_z_test(60, 100).p_value == pytest.approx(2 * scipy_stats.norm.sf(z), rel=1e-12)
    assert all(proportion_z_test(k, 10, method="score").p_value < 0.01 for k in (0, 10))
    assert proportion_z_test(60, 100, method="score").z == pytest.approx(2.0, rel=1e-12)
    assert proportion_z_test(60, 100, alternative="greater").p_value == pytest.approx(scipy_stats.norm.sf(z))
    assert proportion_z_test(60, 100, alternative="less").p_value == pytest.approx(scipy_stats.norm.cdf(z))


def test_two_proportions_is_the_chi_square_test_of_the_table() -> None:
    test = two_proportions_z_test(30, 50, 18, 45)
    chi_square = scipy_stats.chi2_contingency([[30, 20], [18, 27]], correction=False)
    assert test.z**2 == pytest.approx(chi_square.statistic, rel=1e-12)
    assert test.p_value == pytest.approx(chi_square.pvalue, rel=1e-9)
    assert test.estimate == pytest.approx(0.2)
    greater = two_proportions_z_test(30, 50, 18, 45, alternative="greater").p_value
    assert greater == pytest.approx(test.p_value / 2)


@given(st.integers(1, 500), st.data(), st.sampled_from([0.5, 0.9, 0.95, 0.999]))
def test_wilson_equals_scipy_and_inverts_the_score_test(
    n: int, data: st.DataObject, confidence_level: float
) -> None:
    k = data.draw(st.integers(0, n))
    ours = wilson_interval(k, n, confidence_level)
    theirs = scipy_stats.binomtest(k, n).proportion_ci(confidence_level, "wilson")
    assert (ours.low, ours.high) == pytest.approx((theirs.low, theirs.high), abs=1e-12)
    assert 0 <= ours.low <= ours.estimate <= ours.high <= 1
    for bound in (ours.low, ours.high):
        if 0 < bound < 1:
            assert proportion_z_test(k, n, bound, "score").p_value == pytest.approx(
                1 - confidence_level, rel=1e-6, abs=1e-9
            )


def test_mcnemar_by_hand() -> None:
    # 10 or more of 12 coins on one side: (66 + 12 + 1) / 4096, and the same on the other.
    assert mcnemar_test(10, 2).p_value == pytest.approx(158 / 4096, rel=1e-12)
    assert mcnemar_test(3, 3).p_value == 1.0


@given(st.integers(0, 200), st.integers(1, 200))
def test_mcnemar_does_not_care_which_is_first(b: int, c: int) -> None:
    assert mcnemar_test(b, c).p_value == pytest.approx(mcnemar_test(c, b).p_value, rel=1e-12)
    assert mcnemar_test(b, c).p_value == scipy_stats.binomtest(b, b + c).pvalue


# --- the mean of several proportions --------------------------------------------------------------------------


@given(st.integers(0, 40), st.integers(1, 40))
def test_one_proportion_has_wilsons_interval(k: int, n: int) -> None:
    k = min(k, n)
    assert mean_proportion_interval([k], [n]) == wilson_interval(k, n)


@pytest.mark.parametrize("confidence_level", [0.9, 0.95])
def test_the_interval_of_a_mean_solves_wilsons_equation_with_the_variance_between_shares(
    confidence_level: float,
) -> None:
    """The ends are where |p - mean| / sqrt(v · p (1 - p)) is Student's quantile, v the variance of the mean over that
    of one trial."""
    shares = np.array([0.2, 0.5, 0.5, 0.9])
    found = mean_proportion_interval([2, 5, 10, 9], [10, 10, 20, 10], confidence_level)
    mean = shares.mean()
    ratio = shares.var(ddof=1) / 4 / (mean * (1 - mean))
    for end in (found.low, found.high):
        t = abs(end - mean) / np.sqrt(ratio * end * (1 - end))
        assert t == pytest.approx(scipy_stats.t.ppf((1 + confidence_level) / 2, df=3))


def test_equal_shares_count_their_trials() -> None:
    """Without a spread between them, as many trials as give a mean of equal proportions its variance, 4 / (2/8)."""
    found = mean_proportion_interval([4, 4], [8, 8])
    t = scipy_stats.t.ppf(0.975, df=1)
    for end in (found.low, found.high):
        assert abs(end - 0.5) / np.sqrt(end * (1 - end) / 16) == pytest.approx(t)
    assert mean_proportion_interval([3, 3, 3], [3, 3, 3]).high == 1.0
    assert 0.3 < mean_proportion_interval([3, 3, 3], [3, 3, 3]).low < 0.5


@given(st.lists(st.tuples(st.integers(0, 50), st.integers(1, 50)), min_size=1, max_size=8))
def test_the_interval_of_a_mean_holds_it_and_stays_in_range(drawn: list[tuple[int, int]]) -> None:
    counts = [(min(k, n), n) for k, n in drawn]
    interval = mean_proportion_interval(*map(list, zip(*counts, strict=True)))
    assert interval.estimate == pytest.approx(np.mean([k / n for k, n in counts]))
    assert 0 <= interval.low <= interval.estimate + 1e-12
    assert interval.estimate <= interval.high + 1e-12 <= 1 + 1e-12


@pytest.mark.parametrize("groups", [3, 8, 40])
@pytest.mark.parametrize("p", [0.5, 0.8])
def test_the_interval_of_a_mean_covers_where_trials_of_a_group_resemble_one_another(
    groups: int, p: float
) -> None:
    """Shares that vary by a beta distribution, items of a group correlated by 0.05."""
    rng = np.random.default_rng(0)
    n = rng.integers(4, 40, groups)
    alike = (1 - 0.05) / 0.05
    held = 0
    for _ in range(600):
        k = rng.binomial(n, rng.beta(p * alike, (1 - p) * alike, groups))
        interval = mean_proportion_interval(k.tolist(), n.tolist())
        held += interval.low <= p <= interval.high
    assert 0.92 < held / 600 < 0.985
