"""The largest effect size of several groups: a naive count, exact on small data, what changes nothing, bad input."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from evaluate_bias.stats import effect_size, largest_effect_test, permutation_test


def naive_largest(groups: list[list[float]], ddof: int = 1) -> float:
    return max(abs(effect_size(a, b, ddof)) for a, b in itertools.combinations(groups, 2))


def test_the_p_value_is_the_share_of_all_relabellings() -> None:
    groups = [[0.1, 0.9], [2.0, 1.5], [0.4, 3.1, 1.9]]
    values = [v for g in groups for v in g]
    observed = naive_largest(groups)
    every = []
    for order in itertools.permutations(range(7)):
        dealt = [values[i] for i in order]
        every.append(naive_largest([dealt[:2], dealt[2:4], dealt[4:]]))
    exact = np.mean(np.array(every) >= observed - 1e-9)
    found = largest_effect_test(groups, n_resamples=20_000)
    assert found.statistic == pytest.approx(observed, rel=1e-12)
    assert abs(found.p_value - exact) <= 4 * found.p_error
    assert found.p_value == pytest.approx(exact, abs=0.015)
    assert found.null_mean == pytest.approx(np.mean(every), rel=0.01)


def test_two_groups_are_the_test_of_two_means() -> None:
    """With two groups the pooled spread is the same whatever the labels, so that |d| orders as the difference does."""
    rng = np.random.default_rng(4)
    x, y = rng.normal(0.8, 1, 7).tolist(), rng.normal(0, 1, 6).tolist()
    exact = permutation_test(x, y, alternative="two-sided", method="exact").p_value
    found = largest_effect_test([x, y], n_resamples=20_000)
    assert abs(found.p_value - exact) <= 4 * found.p_error


def test_what_changes_nothing() -> None:
    rng = np.random.default_rng(0)
    groups = [rng.normal(k / 2, 1, n).tolist() for k, n in enumerate((5, 8, 3))]
    one = largest_effect_test(groups, n_resamples=500)
    inside = [list(reversed(g)) for g in groups]
    scaled = [[3 * v + 7 for v in g] for g in groups]
    assert largest_effect_test(inside, n_resamples=500).p_value == one.p_value
    again = largest_effect_test(scaled, n_resamples=500)
    assert (again.p_value, again.pair) == (one.p_value, one.pair)
    assert again.statistic == pytest.approx(one.statistic, rel=1e-9)
    turned = [[-v for v in g] for g in groups]
    other = largest_effect_test(turned[::-1], n_resamples=500)
    assert other.statistic == pytest.approx(one.statistic, rel=1e-9)
    assert other.p_value == one.p_value


def test_it_rejects_as_often_as_it_should_without_a_difference() -> None:
    rng = np.random.default_rng(12)
    p = [
        largest_effect_test([rng.exponential(1, n) for n in (4, 9, 6, 12)], n_resamples=199, seed=i).p_value
        for i in range(400)
    ]
    assert 0.02 <= np.mean(np.array(p) <= 0.05) <= 0.085
    assert np.mean(p) == pytest.approx(0.5, abs=0.06)
