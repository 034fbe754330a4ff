"""Divergences and tests of two samples: against textbooks, against integrals, and under the null hypothesis."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import integrate
from scipy import stats as sps

from evaluate_bias.stats import distributions as dist

# Annual maximum sea levels at Port Pirie, metres (Coles 2001, An Introduction to Statistical Modeling of Extreme
# Values, section 3.4.1, where the fit is location 3.87, scale 0.198, shape -0.050, log-likelihood 4.34).
PORT_PIRIE = [
    4.03, 3.83, 3.65, 3.88, 4.01, 4.08, 4.18, 3.80, 4.36, 3.96, 3.98, 4.69, 3.85, 3.96, 3.85, 3.93, 3.75, 3.63, 3.57,
    4.25, 3.97, 4.05, 4.24, 4.22, 3.73, 4.37, 4.06, 3.71, 3.96, 4.06, 4.55, 3.79, 3.89, 4.11, 3.85, 3.86, 3.86, 4.21,
    4.01, 4.11, 4.24, 3.96, 4.21, 3.74, 3.85, 3.88, 3.66, 4.11, 3.71, 4.18, 3.90, 3.78, 3.91, 3.72, 4.00, 3.66, 3.62,
    4.33, 4.55, 3.75, 4.08, 3.90, 3.88, 3.94, 4.33,
]  # fmt: skip


# -- moments and divergences -----------------------------------------------------------------------------------------


def test_moments_are_those_of_a_sample() -> None:
    assert dist.moments([2, 4, 4, 4, 5, 5, 7, 9]) == (5.0, pytest.approx(math.sqrt(32 / 7)))


@pytest.mark.parametrize("p", [(0.0, 1.0), (2.0, 0.5), (-1.0, 3.0)])
@pytest.mark.parametrize("q", [(0.0, 1.0), (1.5, 0.7), (-4.0, 2.0)])
def test_the_divergence_is_the_integral(p: tuple[float, float], q: tuple[float, float]) -> None:
    def integrand(x: float) -> float:
        a, b = sps.norm.logpdf(x, *p), sps.norm.logpdf(x, *q)
        return float(np.exp(a) * (a - b))

    expected, _ = integrate.quad(integrand, p[0] - 12 * p[1], p[0] + 12 * p[1], limit=200)
    assert float(dist.gaussian_kl(*p, *q)) == pytest.approx(expected, abs=1e-8)


means, sds = st.floats(-100, 100), st.floats(1e-3, 100)


@given(means, sds, means, sds)
def test_the_divergence_is_that_of_the_textbook_and_not_negative(
    a: float, s: float, b: float, t: float
) -> None:
    found = float(dist.gaussian_kl(a, s, b, t))
    expected = math.log(t / s) + (s * s + (a - b) ** 2) / (2 * t * t) - 0.5
    assert found == pytest.approx(expected, rel=1e-9, abs=1e-12)
    assert found >= 0
    assert float(dist.gaussian_kl(a, s, a, s)) == 0.0


def test_close_distributions_keep_their_digits() -> None:
    # KL(N(0, 1) || N(0, (1 + e)²)) = e² - 5e³/3 + O(e⁴); the textbook's formula has no digit left here.
    e = 1e-7
    assert float(dist.gaussian_kl(0, 1, 0, 1 + e)) == pytest.approx(e * e, rel=1e-6)


# -- tests -----------------------------------------------------------------------------------------------------------


def test_shapiro_wilk_of_the_weights_of_eleven_men() -> None:
    # Shapiro and Wilk (1965), section 4: W = 0.79, significant at 1 %.
    test = dist.shapiro_wilk([148, 154, 158, 160, 161, 162, 166, 170, 182, 195, 236])
    assert test.statistic == pytest.approx(0.79, abs=0.005)
    assert test.p_value < 0.01
    assert 0 <= dist.shapiro_wilk(np.arange(5_000)).p_value < 1e-10


def test_kolmogorov_smirnov_by_hand() -> None:
    # Of the 6 equally likely ways to split 4 values in two, 2 part them completely.
    test = dist.kolmogorov_smirnov([1, 2], [3, 4])
    assert (test.statistic, test.p_value) == (1.0, pytest.approx(1 / 3))
    assert dist.kolmogorov_smirnov([1], [1]).p_value == 1.0


@pytest.mark.parametrize("first", [[1.0], range(7), np.linspace(0, 1, 30)])
def test_kolmogorov_smirnov_is_symmetric_and_sees_ranks_only(first: Any) -> None:
    second = np.array([0.2, 0.9, 3.0, 3.0, 11.0])
    a, b = dist.kolmogorov_smirnov(first, second), dist.kolmogorov_smirnov(second, first)
    c = dist.kolmogorov_smirnov(np.exp(first), np.exp(second))
    assert a.statistic == b.statistic == c.statistic
    assert a.p_value == pytest.approx(b.p_value)
    assert a.p_value == pytest.approx(c.p_value)


def test_kolmogorov_smirnov_keeps_its_level_under_equal_distributions() -> None:
    """Independent samples: p takes few values, so each is compared with the share of draws that reach it."""
    rng = np.random.default_rng(1)
    repeats = 2_000
    p = np.array([dist.kolmogorov_smirnov(*rng.normal(size=(2, 40))).p_value for _ in range(repeats)])
    for value in np.unique(p.round(12)):
        if 0.005 < value < 0.9:
            share = np.mean(p <= value + 1e-9)
            assert share == pytest.approx(value, abs=4 * math.sqrt(value * (1 - value) / repeats))


def test_kolmogorov_smirnov_of_the_scores_of_pairs_errs_on_the_safe_side() -> None:
    rng = np.random.default_rng(2)
    common = rng.normal(size=(500, 60))
    p = [
        dist.kolmogorov_smirnov(row + 0.5 * rng.normal(size=60), row + 0.5 * rng.normal(size=60)).p_value
        for row in common
    ]
    assert np.mean(np.array(p) <= 0.05) <= 0.02


def test_the_z_test_of_a_mean_by_hand() -> None:
    # mean 1, variance 5 / 3, n = 4: z = 1 / sqrt((5 / 3) / 4)
    test = dist.mean_z_test([-0.5, 0.5, 1.5, 2.5 + 1e-16])
    assert test.statistic == pytest.approx(1 / math.sqrt((5 / 3) / 4))
    test = dist.mean_z_test([0.0, 0.0, 2.0, 2.0])
    assert test.statistic == pytest.approx(math.sqrt(3))
    assert test.p_value == pytest.approx(0.0832645)


def test_outliers_by_tukeys_rule() -> None:
    # Quartiles 2 and 6, reach 6: the fences -4 and 12 belong to what is kept.
    inner = [2, 2, 2, 4, 6, 6, 6]
    assert dist.without_outliers([12, *inner, -4]).tolist() == [12, *inner, -4]
    assert dist.without_outliers([12.01, *inner, -4.01]).tolist() == inner
    assert dist.without_outliers([3.0]).tolist() == [3.0]
    assert dist.without_outliers([1.0, 1.0, 1.0, 1.0, 2.0]).tolist() == [1.0] * 4


def test_trimming_at_quantiles() -> None:
    # Of 0 to 200, the 1 % and 99 % quantiles are 2 and 198, and belong to what is kept.
    values = [*range(200, -1, -1)]
    assert dist.within_quantiles(values).tolist() == values[2:-2]
    assert dist.within_quantiles([3.0]).tolist() == [3.0]


# -- the extreme value fit -------------------------------------------------------------------------------------------


def test_the_fit_is_the_published_one() -> None:
    fit = dist.fit_gev(PORT_PIRIE)
    assert fit.location == pytest.approx(3.87, abs=0.005)
    assert fit.scale == pytest.approx(0.198, abs=0.0005)
    assert fit.shape == pytest.approx(-0.050, abs=0.0005)
    loglik = sps.genextreme.logpdf(PORT_PIRIE, -fit.shape, fit.location, fit.scale).sum()
    assert loglik == pytest.approx(4.34, abs=0.005)


@pytest.mark.parametrize("shape", [-0.6, -0.3, 0.0, 0.1, 0.5, 1.5])
def test_the_fit_finds_what_the_sample_was_drawn_from(shape: float) -> None:
    sample = sps.genextreme.rvs(-shape, loc=-30, scale=5, size=2_000, random_state=4)
    fit = dist.fit_gev(sample)
    assert fit.shape == pytest.approx(shape, abs=0.08)
    assert fit.location == pytest.approx(-30, abs=0.5)
    assert fit.scale == pytest.approx(5, rel=0.08)
    assert fit.p_value > 0.05
    best = sps.genextreme.logpdf(sample, -fit.shape, fit.location, fit.scale).sum()
    assert best >= sps.genextreme.logpdf(sample, -shape, -30, 5).sum()
    for step in ((0.02, 0, 0), (-0.02, 0, 0), (0, 0.1, 0), (0, -0.1, 0), (0, 0, 0.1), (0, 0, -0.1)):
        near = (-fit.shape + step[0], fit.location + step[1], fit.scale + step[2])
        assert sps.genextreme.logpdf(sample, *near).sum() < best


@settings(max_examples=15)
@given(st.integers(0, 50), st.floats(-50, 50), st.floats(0.1, 50))
def test_the_fit_moves_with_the_sample(seed: int, shift: float, factor: float) -> None:
    sample = sps.genextreme.rvs(0.1, size=60, random_state=seed)
    a, b = dist.fit_gev(sample), dist.fit_gev(shift + factor * sample)
    assert b.shape == pytest.approx(a.shape, abs=1e-4)
    assert b.location == pytest.approx(shift + factor * a.location, abs=1e-3 * factor)
    assert b.scale == pytest.approx(factor * a.scale, rel=1e-3)
    assert b.p_value == pytest.approx(a.p_value, abs=1e-3)
