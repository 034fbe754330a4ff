"""The sign-flip test: against enumeration, exact against sampled, and its level."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluate_bias.stats import paired_means, sign_flip_test
from evaluate_bias.stats.sign_flips import MOST_COUNTED


@given(st.lists(st.integers(-6, 6), min_size=1, max_size=9), st.randoms())
def test_it_counts_the_patterns(values: list[int], random: object) -> None:
    patterns = [
        abs(sum(s * v for s, v in zip(p, values, strict=True))) for p in product((1, -1), repeat=len(values))
    ]
    expected = np.mean([total >= abs(sum(values)) for total in patterns])
    found = sign_flip_test(np.array(values) / 7)
    assert found.p_value == pytest.approx(expected)
    assert found.p_error == 0.0
    assert sign_flip_test([-v / 7 for v in reversed(values)]).p_value == found.p_value


def test_by_hand() -> None:
    """Of the 8 signed sums of 1, 2, 4 two are as far from 0 as 7, four as far as 5."""
    assert sign_flip_test([1, 2, 4]).p_value == 2 / 8
    assert sign_flip_test([-1, 2, 4]).p_value == 4 / 8
    assert sign_flip_test([-1, 2, 4, 0]).statistic == 1.25


def test_sampled_and_counted_agree(monkeypatch: pytest.MonkeyPatch) -> None:
    values = np.random.default_rng(1).normal(0.4, 1, 20)
    counted = sign_flip_test(values)
    monkeypatch.setattr("evaluate_bias.stats.sign_flips.MOST_COUNTED", 10)
    sampled = sign_flip_test(values)
    assert (counted.method, sampled.method) == ("exact", "monte_carlo")
    assert abs(sampled.p_value - counted.p_value) <= 4 * sampled.p_error
    assert sampled.p_value == sign_flip_test(np.flip(values)).p_value
    assert sampled.p_value != sign_flip_test(values, seed=1).p_value


def test_many_equal_numbers_are_never_beyond_doubt_impossible() -> None:
    found = sign_flip_test(np.ones(MOST_COUNTED + 1), n_resamples=999)
    assert (found.method, found.p_value) == ("monte_carlo", 1 / 1000)
    assert 0 < found.p_error < 0.0011
    assert sign_flip_test(np.ones(MOST_COUNTED)).method == "exact"


def test_a_p_value_close_to_the_level_takes_ten_times_as_many_draws() -> None:
    rng = np.random.default_rng(0)
    values = rng.normal(size=60)
    values += 1.99 * values.std(ddof=1) / np.sqrt(60) - values.mean()  # p is about .05
    close, given = sign_flip_test(values), sign_flip_test(values, n_resamples=99_999)
    assert abs(given.p_value - 0.05) < 3 * given.p_error
    assert close.p_error == pytest.approx(given.p_error / np.sqrt(10), rel=0.05)
    assert abs(close.p_value - given.p_value) < 4 * given.p_error
    far = sign_flip_test(values + 0.2)
    assert far == sign_flip_test(values + 0.2, n_resamples=99_999)


def test_what_rounding_leaves_of_equal_scores_is_no_difference() -> None:
    first, second = [0.1 + 0.2 + 0.3] * 12, [0.3 + 0.2 + 0.1] * 12
    assert first != second
    difference = paired_means(first, second)
    assert (difference.difference, difference.p_value) == (0.0, 1.0)
