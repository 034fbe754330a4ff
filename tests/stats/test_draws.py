"""Draws follow the names of what is drawn; exchanging groups mirrors them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from evaluate_bias.stats import (
    Orders,
    bootstrap_ci,
    bootstrap_mean_ci,
    item_streams,
    largest_effect_test,
    permutation_test,
    sign_flip_test,
)

RNG = np.random.default_rng(4)
X, Y = RNG.exponential(size=31), RNG.normal(0.7, 1.0, 27)
NAMES = {"x": [f"x{i}" for i in range(31)], "y": [f"y{i}" for i in range(27)]}


def difference(x: np.ndarray, y: np.ndarray) -> Any:
    return lambda i: x[i[0]].mean(axis=1) - y[i[1]].mean(axis=1)


@pytest.mark.parametrize("method", ["bca", "percentile"])
def test_exchanged_or_reordered_strata_draw_the_same_elements(method: str) -> None:
    options: Any = {"n_resamples": 499, "method": method, "seed": 3}
    found = bootstrap_ci([NAMES["x"], NAMES["y"]], difference(X, Y), **options)
    other = bootstrap_ci([NAMES["y"], NAMES["x"]], difference(Y, X), **options)
    assert (-other.high, -other.low) == pytest.approx((found.low, found.high), rel=1e-12)
    order = RNG.permutation(31)
    again = bootstrap_ci([[NAMES["x"][i] for i in order], NAMES["y"]], difference(X[order], Y), **options)
    assert (again.low, again.high) == pytest.approx((found.low, found.high), rel=1e-12)


def test_streams_differ_by_names_seed_and_purpose() -> None:
    given: list[tuple[Any, int, str]] = [(["a", "b"], 0, ""), (["a", "c"], 0, ""), (["a", "b"], 1, "")]
    given += [(["a", "b"], 0, "orders"), (2, 0, "")]
    first = [float(item_streams([names], seed, purpose)[0][1].random()) for names, seed, purpose in given]
    assert len(set(first)) == len(first)
    (_, one), (_, other) = item_streams([["a", "b"], ["b", "a"]], 0)
    assert one.random() != other.random()  # two lists of the same names are drawn independently


VALUES = {
    "skewed": X,
    "symmetric": np.array([-3.0, -1.0, -1.0, 0.0, 1.0, 1.0, 3.0] * 3),
    "signs": np.array([1.0] * 20 + [-1.0] * 14),
}


@pytest.mark.parametrize("kind", VALUES)
def test_the_interval_and_p_of_a_mean_are_mirrored(kind: str) -> None:
    values = VALUES[kind]
    found = bootstrap_mean_ci(values, n_resamples=499)
    other = bootstrap_mean_ci(RNG.permutation(-values), n_resamples=499)
    assert (-other.high, -other.low) == pytest.approx((found.low, found.high), rel=1e-12)
    assert other.p == found.p
    moved = bootstrap_mean_ci(values + 4.0, n_resamples=499)
    assert (moved.low - 4.0, moved.high - 4.0) == pytest.approx((found.low, found.high), rel=1e-9)
    assert sign_flip_test(-values, n_resamples=499).p_value == sign_flip_test(values, n_resamples=499).p_value


@pytest.mark.parametrize("alternative", ["greater", "less", "two-sided"])
@pytest.mark.parametrize("sizes", [(27, 27), (31, 27), (4, 27)])
def test_a_sampled_p_is_the_same_with_samples_exchanged_or_scores_negated(
    alternative: Any, sizes: tuple[int, int]
) -> None:
    x, y = X[: sizes[0]], Y[: sizes[1]]
    options: Any = {"method": "monte_carlo", "n_resamples": 299}
    turned: Any = {"greater": "less", "less": "greater"}.get(alternative, alternative)
    found = permutation_test(x, y, alternative=alternative, **options)
    back = {"statistic": found.statistic, "alternative": alternative}
    for other in (
        permutation_test(y, x, alternative=turned, **options),
        permutation_test(-x, -y, alternative=turned, **options),
    ):
        assert other.statistic == pytest.approx(-found.statistic, rel=1e-12)
        assert replace(other, **back) == found
    both = permutation_test(-y, -x, alternative=alternative, **options)
    assert replace(both, **back) == found


def test_orders_follow_the_names_of_their_lists() -> None:
    x, y = NAMES["x"][:9], NAMES["y"][:8]
    ((one,),) = Orders([[x, y]], n_resamples=20)
    ((other,),) = Orders([[y[::-1], x]], n_resamples=20)
    given, turned = np.array([*x, *y])[one], np.array([*y[::-1], *x])[other]
    assert (given[:, :9] == turned[:, 8:]).all()
    assert (given[:, 9:] == turned[:, 7::-1]).all()


def test_the_largest_effect_of_groups_in_another_order() -> None:
    groups = [X[:9], Y[:6], X[9:20]]
    found = largest_effect_test(groups, n_resamples=299)
    other = largest_effect_test([-g for g in groups[::-1]], n_resamples=299)
    assert (other.p_value, other.p_error) == (found.p_value, found.p_error)
