"""Covariates of pair scores: planted effects, a naive regression, control pairs, bad input."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import linregress

import evaluate_bias as eb
from evaluate_bias.errors import InputError, UndefinedScoreError
from evaluate_bias.methods.pairs.covariates import (
    adjusted_difference,
    against_controls,
    frequency_differences,
)


def measured(delta, kinds=None):
    rows = [
        {"id": f"p{i}", "sent_more": float(d), "sent_less": 0.0, "bias_type": kinds[i] if kinds else "gender"}
        for i, d in enumerate(delta)
    ]
    return eb.measure("pll", None, data=rows)


def test_a_difference_that_frequency_explains_is_gone_at_equal_frequencies() -> None:
    rng = np.random.default_rng(0)
    x = rng.normal(1.0, 1.0, 200)
    delta = 0.8 * x + rng.normal(0, 0.3, 200)
    found = adjusted_difference(measured(delta), {"frequency": {f"p{i}": v for i, v in enumerate(x)}})
    line = linregress(x, delta)
    assert found["frequency"].value == pytest.approx(line.slope)
    assert found["adjusted"].value == pytest.approx(line.intercept)
    assert found["mean_delta"].value > 0.6
    assert found["adjusted"].low < 0 < found["adjusted"].high
    assert found["adjusted"].p > 0.05 > found["frequency"].p


def test_intervals_keep_their_level_where_variances_differ() -> None:
    rng = np.random.default_rng(1)
    hits = []
    for _ in range(80):
        x = rng.normal(size=30)
        delta = 0.5 + 0.3 * x + rng.normal(size=30) * (0.2 + np.abs(x))
        found = adjusted_difference(measured(delta), {"x": {f"p{i}": v for i, v in enumerate(x)}})
        hits.append(
            (found["x"].low <= 0.3 <= found["x"].high, found["adjusted"].low <= 0.5 <= found["adjusted"].high)
        )
    assert np.mean(hits, axis=0) == pytest.approx([0.95, 0.95], abs=0.08)


def test_frequencies_of_the_words_of_a_pair() -> None:
    pairs = [
        {"sent_more": "A nurse.", "sent_less": "A smith."},
        {"id": "q", "sent_more": "xyz", "sent_less": "a"},
    ]
    assert frequency_differences(pairs, {"a": 100, "nurse": 1, "smith": 10}) == {"0": pytest.approx(-0.5)}
    with pytest.raises(UndefinedScoreError):
        adjusted_difference(measured([1.0, 2.0, 3.0]), {"x": {"p0": 1.0}})


def test_pairs_are_compared_with_control_pairs() -> None:
    rng = np.random.default_rng(2)
    kinds = ["gender"] * 40 + ["none (control)"] * 40
    delta = np.concatenate([rng.normal(1.0, 1.0, 40), rng.normal(0.9, 1.0, 40)])
    found = against_controls(measured(delta, kinds), {"none (control)"})
    assert found.value == pytest.approx(delta[:40].mean() - delta[40:].mean())
    assert found.low < found.value < found.high
    assert found.p > 0.05
    assert (
        against_controls(measured(np.append(delta[:40] + 1, delta[40:]), kinds), {"none (control)"}).p < 0.01
    )
    with pytest.raises(InputError) as caught:
        against_controls(measured(delta, kinds), {"no such type"})
    assert caught.value.option == "controls"
