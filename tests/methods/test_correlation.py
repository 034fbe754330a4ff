"""Correlations, their intervals, and permutation tests: of one and of the largest."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.stats import pearsonr

import evaluate_bias as eb
from evaluate_bias.errors import InputError, UndefinedScoreError
from evaluate_bias.methods.correlation import correlate, fisher_interval, rank_interval
from tests.support.refusals import refusals


def table(seed: int, n: int = 12, k: int = 3) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    values = rng.normal(size=n)
    return rng.normal(size=(n, k)) + 0.5 * values[:, None], values


@pytest.mark.parametrize("seed", range(5))
def test_correlation_and_interval_are_those_of_scipy(seed: int) -> None:
    columns, values = table(seed)
    found = correlate(columns, values, n_resamples=99, confidence_level=0.9)
    for j, one in enumerate(found.each):
        expected = pearsonr(columns[:, j], values)
        interval = expected.confidence_interval(0.9)
        assert (one.r, one.ci_low, one.ci_high) == pytest.approx(
            (expected.statistic, interval.low, interval.high), rel=1e-12
        )
    assert found.n == 12


def test_the_largest_pays_for_the_choice() -> None:
    rng = np.random.default_rng(4)
    columns, values = rng.normal(size=(20, 30)), rng.normal(size=20)
    found = correlate(columns, values, n_resamples=1_999)
    best = found.each[found.largest]
    assert abs(best.r) == max(abs(c.r) for c in found.each)
    assert best.p_value < 0.05 < found.p_largest


def test_p_largest_keeps_its_level() -> None:
    """Among 300 null data sets with 8 columns, about 5% have p_largest <= 0.05; the smallest p far more."""
    rng = np.random.default_rng(0)
    chosen = best = 0
    for rep in range(300):
        found = correlate(rng.normal(size=(15, 8)), rng.normal(size=15), n_resamples=199, seed=rep)
        chosen += found.p_largest <= 0.05
        best += min(c.p_value for c in found.each) <= 0.05
    assert chosen <= 27  # 15 expected, three standard deviations above
    assert best > 60


def test_a_columns_p_value_does_not_depend_on_its_company() -> None:
    columns, values = table(1, k=4)
    together = correlate(columns, values, n_resamples=500, seed=7)
    for j in range(4):
        alone = correlate(columns[:, [j]], values, n_resamples=500, seed=7)
        assert alone.each[0].p_value == together.each[j].p_value


def test_perfect_correlation() -> None:
    found = correlate([[1.0], [2.0], [3.0], [4.0]], [2.0, 4.0, 6.0, 8.0], n_resamples=99).each[0]
    assert found.r == pytest.approx(1.0)
    assert (found.ci_low, found.ci_high) == (None, None)
    assert fisher_interval(-1.0, 0.5) is None
    assert rank_interval(-1.0, 10, 0.95) is None
    low, high = fisher_interval(1.0 - 1e-9, 0.5) or (1.0, 1.0)
    assert low < 1.0 - 1e-9 < high < 1.0


PERFECT = "no interval, since it is infinite on Fisher's scale"
RISING = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6]


def wefat_rows() -> tuple[dict[str, list[float]], list[dict[str, Any]]]:
    """Words whose association is a straight line in their statistic."""
    vectors = {"she": [1.0, 0.0, 0.0], "he": [0.0, 1.0, 0.0]}
    # s = (x − y) / sd of (x, y) has one of two values where there is one word a side.
    vectors |= {f"w{i}": [1.0, 2.0, 3.0 + i] if i < 3 else [2.0, 1.0, 3.0 + i] for i in range(6)}
    rows = [{"word": "she", "group": "female"}, {"word": "he", "group": "male"}]
    return vectors, rows + [{"word": f"w{i}", "statistic": float(i >= 3)} for i in range(6)]


def frequency_rows() -> tuple[dict[str, list[float]], list[dict[str, Any]], dict[str, Any]]:
    """Words whose part of RND is their log frequency."""
    vectors = {f"x{i}": [i + 1.0, 0.0] for i in range(6)} | {"y": [0.5, 0.0], "home": [90.0, 0.0]}
    test = {
        "name": "t",
        "targets_x": [f"x{i}" for i in range(6)],
        "targets_y": ["y"],
        "attributes_a": ["home"],
    }
    return vectors, [test], {w: 10.0 ** float(v[0]) for w, v in vectors.items() if w != "home"}


def test_methods_give_no_interval_of_a_perfect_correlation_and_say_why() -> None:
    vectors, rows = wefat_rows()
    found = eb.measure("wefat", vectors, data=rows, n_resamples=99)
    assert abs(found.score) == pytest.approx(1.0, abs=1e-12)
    assert (found.ci_low, found.ci_high, found.ci_method) == (None, None, "")
    assert any(PERFECT in w and w.endswith("the score") for w in found.warnings)

    vectors, tests, frequencies = frequency_rows()
    options = {"measured_method": "rnd", "frequencies": frequencies, "n_resamples": 99}
    found = eb.measure("frequency_sensitivity", vectors, data=tests, **options)
    assert abs(found.score) == pytest.approx(1.0, abs=1e-12)
    assert (found.ci_low, found.ci_high, found.ci_method) == (None, None, "")
    assert any(PERFECT in w and w.endswith("t") for w in found.warnings)
    # With a perfect one among them the mean of several has none either: its part would have no width.
    vectors |= {"x5": [0.5, 3.0], "z": [2.5, 1.0], "z2": [0.5, 2.0]}
    other = {**tests[0], "name": "u", "targets_x": ["x1", "x3", "x5", "z", "z2"]}
    frequencies |= {"z": 7.0, "z2": 20.0}
    only = {**tests[0], "targets_x": [f"x{i}" for i in range(5)]}
    alone = eb.measure("frequency_sensitivity", vectors, data=[other], **options)
    both = eb.measure("frequency_sensitivity", vectors, data=[only, other], **options)
    assert alone.ci_low is not None
    assert both.ci_low is None
    assert [row.ci_low is None for row in both.rows_of("test")] == [True, False]

    models = [
        {"model_name": f"m{i}", "measure": name, "score": value}
        for name, values in (("a", RISING), ("b", RISING), ("c", [0.2, 0.1, 0.5, 0.3, 0.6, 0.4]))
        for i, value in enumerate(values)
    ]
    for chosen, mean in ((models[:12], True), (models, False)):
        found = eb.measure("metric_compatibility", None, data=chosen, n_resamples=99)
        (pair,) = [row for row in found.rows_of("item") if row.name == "a and b"]
        assert (pair.score, pair.ci_low, pair.ci_high) == (pytest.approx(1.0), None, None)
        assert (found.ci_low is None) is mean
        (said,) = [w for w in found.warnings if PERFECT in w]
        assert said.endswith("their mean, a and b" if mean else ": a and b")
        assert not any("needs four models" in w for w in found.warnings)


test_bad_input = refusals(
    correlate,
    ([[1.0], [2.0], [3.0]], [1, 2, 3], InputError, None, "at least four"),
    ([[1.0], [np.nan], [3.0], [4.0]], [1, 2, 3, 4], InputError, None, "NaN"),
    ([[1.0, 1.0], [2.0, 1.0], [3.0, 1.0], [4.0, 1.0]], [1, 2, 3, 5], UndefinedScoreError, None, "a column"),
    ([[1.0], [2.0], [3.0], [4.0]], [7, 7, 7, 7], UndefinedScoreError, None, "the statistic does not vary"),
)
