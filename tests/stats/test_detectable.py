"""What would have been found in 80 % of cases is: by simulation, by hand, and by independent sums."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats as distributions

from evaluate_bias import stats


@pytest.mark.parametrize("n", [6, 10, 37, 100, 1000])
@pytest.mark.parametrize("ideal", [0.5, 0.42])
def test_a_share_at_the_edge_is_found_in_80_percent_of_cases(n: int, ideal: float) -> None:
    """The power is summed over all counts, with a p-value of scipy's own."""
    low, high = stats.detectable_share(n, ideal)
    for share in (low, high):
        if share is None:
            continue
        below = distributions.binom.cdf(np.arange(n + 1), n, ideal)
        above = distributions.binom.sf(np.arange(n + 1) - 1, n, ideal)
        rejects = 2 * np.minimum(below, above) <= 0.05
        power = distributions.binom.pmf(np.arange(n + 1), n, share)[rejects].sum()
        assert power == pytest.approx(0.8, abs=1e-6)


def test_at_one_half_the_test_is_the_exact_binomial_one() -> None:
    n = 41
    low, high = stats.detectable_share(n)
    assert low is not None
    assert high is not None
    assert low == pytest.approx(1 - high)
    rejects = [stats.binomial_test(k, n).p_value < 0.05 for k in range(n + 1)]
    power = sum(p for p, r in zip(distributions.binom.pmf(range(n + 1), n, high), rejects, strict=True) if r)
    assert power == pytest.approx(0.8, abs=1e-6)


def test_more_units_find_less_and_too_few_nothing() -> None:
    ends = [stats.detectable_share(n)[1] for n in (6, 20, 100, 1500)]
    assert ends == sorted(ends, reverse=True)  # type: ignore[type-var]
    assert stats.detectable_share(5) == (None, None)
    assert stats.detectable_share(1, 0.01)[0] is None


@pytest.mark.parametrize(
    ("n_x", "n_y", "two_sided"), [(8, 8, True), (8, 8, False), (25, 25, True), (6, 12, False)]
)
def test_an_effect_at_the_edge_is_found_by_the_permutation_test(n_x: int, n_y: int, two_sided: bool) -> None:
    size = stats.detectable_effect(n_x, n_y, two_sided=two_sided)
    assert size is not None
    w = n_x * n_y / (n_x + n_y) ** 2
    d = size / math.sqrt(1 - w * size * size)
    rng = np.random.default_rng(7)
    found, runs = 0, 400
    for _ in range(runs):
        values = rng.normal(size=n_x + n_y)
        values[:n_x] += d
        swapped = rng.permuted(np.tile(values, (999, 1)), axis=1)
        here = values[:n_x].mean() - values[n_x:].mean()
        there = swapped[:, :n_x].mean(1) - swapped[:, n_x:].mean(1)
        above = np.abs(there) >= abs(here) if two_sided else there >= here
        found += (1 + above.sum()) / 1000 <= 0.05
    assert found / runs == pytest.approx(0.8, abs=0.07)


def test_a_correlation_at_the_edge_is_found_in_80_percent_of_cases() -> None:
    n = 40
    r = stats.detectable_correlation(n)
    assert r is not None
    rng = np.random.default_rng(3)
    x = rng.normal(size=(2000, n))
    y = r * x + math.sqrt(1 - r * r) * rng.normal(size=(2000, n))
    p = np.array([distributions.pearsonr(a, b).pvalue for a, b in zip(x, y, strict=True)])
    assert (p < 0.05).mean() == pytest.approx(0.8, abs=0.03)
    assert stats.detectable_correlation(3) is None


def test_words_are_those_of_cohen_at_their_edges() -> None:
    cases = [
        (0.19, "cohen_d", "below small"), (0.2, "cohen_d", "small"), (0.5, "cohen_d", "medium"),
        (-0.8, "cohen_d", "large"), (0.55 - 0.5, "cohen_g", "small"), (0.65 - 0.5, "cohen_g", "medium"),
        (0.25, "cohen_g", "large"), (0.3, "cohen_r", "medium"), (0.0, "cohen_r", "below small"),
    ]  # fmt: skip
    assert [stats.size_in_words(effect, scale) for effect, scale, _ in cases] == [word for *_, word in cases]  # type: ignore[arg-type]
