"""Whatever is given in place of one argument: a result, or an error of this library; never one of numpy's."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from evaluate_bias import stats
from evaluate_bias.errors import BiasError

X, Y = [1.0, 2.5, 3.0], [0.5, 1.5, 1.0]
GOOD: dict[Callable[..., Any], dict[str, Any]] = {
    stats.effect_size: {"scores_x": X, "scores_y": Y, "ddof": 1},
    stats.permutation_test: {
        "scores_x": X, "scores_y": Y, "alternative": "greater", "method": "monte_carlo", "strict": False,
        "n_resamples": 50, "seed": 0, "tolerance": 1e-9,
    },
    stats.bootstrap_ci: {
        "strata": [3], "statistic": lambda i: i[0].mean(axis=1), "n_resamples": 50, "confidence_level": 0.9,
        "method": "bca",
        "seed": 0, "batch": 7, "left_out": [[1.5, 1.0, 0.5]],
    },
    stats.bootstrap_mean_ci: {"values": X, "n_resamples": 50, "confidence_level": 0.9, "seed": 0},
    stats.binomial_test: {"k": 1, "n": 2, "p0": 0.5, "alternative": "less"},
    stats.proportion_z_test: {"k": 1, "n": 2, "p0": 0.5, "method": "z", "alternative": "less"},
    stats.two_proportions_z_test: {"k_1": 1, "n_1": 2, "k_2": 2, "n_2": 3, "alternative": "less"},
    stats.mcnemar_test: {"only_first": 1, "only_second": 2},
    stats.wilson_interval: {"k": 1, "n": 2, "confidence_level": 0.9},
    stats.sign_flip_test: {"values": X, "n_resamples": 50, "seed": 0},
    stats.largest_effect_test: {"groups": [X, Y], "ddof": 1, "n_resamples": 50, "seed": 0},
    stats.holm: {"p_values": [0.1, 0.2]},
    stats.benjamini_hochberg: {"p_values": [0.1, 0.2]},
    stats.sampled_p: {"extreme": 1, "n": 2},
}  # fmt: skip
ODD: list[Any] = ["a", None, [], ["a"], [1.0], -1, 2.5, True, float("nan"), 1j, {}, [[1.0], [2.0, 3.0]]]
NOT_CHECKED = {"statistic", "batch", "left_out"}
"""What only the library itself gives."""


@pytest.mark.parametrize("function", GOOD, ids=lambda f: f.__name__)
def test_an_odd_argument_is_told_in_one_sentence(function: Callable[..., Any]) -> None:
    good = GOOD[function]
    given = set(inspect.signature(function).parameters) - {"name"}
    assert given == set(good)
    for name in given - NOT_CHECKED:
        for odd in ODD:
            told = "a result"
            try:
                function(**{**good, name: odd})
            except BiasError as error:
                told = str(error)
            assert told
            assert "\n" not in told


def test_good_arguments_are_good() -> None:
    for function, good in GOOD.items():
        assert function(**good) is not None


def test_numbers_of_numpy_are_numbers() -> None:
    assert stats.binomial_test(np.int64(1), np.int32(2), np.float64(0.5)).p_value == 1.0
    assert stats.permutation_test(
        X, Y, method="monte_carlo", n_resamples=np.int64(9), seed=np.int64(1)
    ).p_value
    assert stats.wilson_interval(1, 2, np.float32(0.5)) == stats.wilson_interval(1, 2, 0.5)
