"""Random-effects meta-analysis: worked by hand, against statsmodels, properties, and calibration under a null."""

from __future__ import annotations

import json
import math
from pathlib import Path
from statistics import NormalDist
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluate_bias.stats.meta_analysis import effect_size_variance, random_effects

GOLDEN = json.loads(Path(__file__).with_name("meta_analysis.json").read_text(encoding="utf-8"))
PEER = GOLDEN["statsmodels"]

effects = st.floats(-5, 5)
variances = st.floats(0.01, 10)
studies = st.lists(st.tuples(effects, variances), min_size=2, max_size=12).map(
    lambda pairs: tuple(map(list, zip(*pairs, strict=True)))
)


def naive(e: list[float], v: list[float]) -> dict[str, float]:
    """The formulas as they are printed, one sum at a time."""
    w = [1 / x for x in v]
    sum_w, sum_we = sum(w), sum(wi * ei for wi, ei in zip(w, e, strict=True))
    q = sum(wi * ei**2 for wi, ei in zip(w, e, strict=True)) - sum_we**2 / sum_w
    c = sum_w - sum(wi**2 for wi in w) / sum_w
    tau2 = max(0.0, (q - (len(e) - 1)) / c)
    w_star = [1 / (x + tau2) for x in v]
    effect = sum(wi * ei for wi, ei in zip(w_star, e, strict=True)) / sum(w_star)
    return {"q": q, "tau2": tau2, "effect": effect, "standard_error": math.sqrt(1 / sum(w_star))}


def test_worked_by_hand() -> None:
    case = GOLDEN["by_hand"]
    found = random_effects(case["effects"], case["variances"])
    for key, value in case["expected"].items():
        assert getattr(found, key) == pytest.approx(value, rel=1e-12), key
    assert found.p_value == pytest.approx(2 * (1 - NormalDist().cdf(math.sqrt(3))), rel=1e-9)
    assert (found.low, found.high) == pytest.approx((1.5 - 1.959964 * 0.75**0.5, 1.5 + 1.959964 * 0.75**0.5))
    # Q of two degrees of freedom: exp(-Q / 2).
    assert found.q_p_value == pytest.approx(math.exp(-1.8), rel=1e-12)
    assert found.n == 3


@pytest.mark.parametrize("case", PEER["cases"], ids=lambda c: f"{len(c['effects'])} effects")
def test_statsmodels(case: dict[str, Any]) -> None:
    found, expected = random_effects(case["effects"], case["variances"]), dict(case["expected"])
    assert expected.pop("row") == ("random effect" if expected["tau2"] > 0 else "fixed effect")
    expected |= {key: max(expected[key], 0.0) for key in ("tau2", "i2")}
    for key, value in expected.items():
        assert getattr(found, key) == pytest.approx(value, rel=PEER["tolerance"]), key


@given(studies)
def test_naive(study: tuple[list[float], list[float]]) -> None:
    found = random_effects(*study)
    for key, value in naive(*study).items():
        # The printed Q cancels; ours does not.
        assert getattr(found, key) == pytest.approx(value, rel=1e-6, abs=1e-6), key


@given(studies, st.floats(-100, 100).filter(lambda k: abs(k) > 0.01))
def test_unit_and_sign(study: tuple[list[float], list[float]], factor: float) -> None:
    e, v = map(np.array, study)
    plain, scaled = random_effects(e, v), random_effects(factor * e, factor**2 * v)
    assert scaled.effect == pytest.approx(factor * plain.effect, rel=1e-6, abs=1e-9)
    assert scaled.tau2 == pytest.approx(factor**2 * plain.tau2, rel=1e-6, abs=1e-9 * factor**2)
    assert scaled.i2 == pytest.approx(plain.i2, abs=1e-9)
    assert scaled.p_value == pytest.approx(plain.p_value, rel=1e-6)


@given(studies)
def test_bounds(study: tuple[list[float], list[float]]) -> None:
    found = random_effects(*study)
    e, v = study
    assert min(e) - 1e-9 <= found.effect <= max(e) + 1e-9
    assert found.low <= found.effect <= found.high
    assert 0 <= found.i2 < 1
    assert found.standard_error >= 1 / math.sqrt(sum(1 / x for x in v)) - 1e-12
    greater, less = (random_effects(*study, alternative=a).p_value for a in ("greater", "less"))
    assert greater + less == pytest.approx(1)
    assert found.p_value == pytest.approx(2 * min(greater, less))


def test_equal_effects_have_no_heterogeneity() -> None:
    found = random_effects([0.7] * 5, [0.1, 0.2, 0.3, 0.4, 0.5])
    assert (found.q, found.tau2, found.i2) == pytest.approx((0, 0, 0), abs=1e-12)
    assert found.effect == pytest.approx(0.7)


def test_a_large_mean_does_not_cancel() -> None:
    near, far = ([0.0, 1.0, 2.0], [1e9, 1e9 + 1, 1e9 + 2])
    assert random_effects(far, [1.0] * 3).q == pytest.approx(random_effects(near, [1.0] * 3).q, rel=1e-9)


# --- variance of an effect size -------------------------------------------------------------------------------


def drawn(rng: np.random.Generator, n: int, n_x: int, n_y: int, sd: float) -> tuple[np.ndarray, np.ndarray]:
    """Effect sizes of samples that do not differ, and the variance of the values of each."""
    s = rng.normal(0, sd, (n, n_x + n_y))
    spread = s.std(axis=1, ddof=1)
    return (s[:, :n_x].mean(axis=1) - s[:, n_x:].mean(axis=1)) / spread, spread**2


def test_variance_by_hand() -> None:
    assert effect_size_variance([0.0, 2.0], 4, 12).tolist() == [1 / 3, 1 / 3 + 4 / 32]


@pytest.mark.parametrize("sizes", [(8, 8), (3, 9)])
def test_variance_is_that_of_effects_without_difference(sizes: tuple[int, int]) -> None:
    d, _ = drawn(np.random.default_rng(1), 40_000, *sizes, 0.1)
    assert np.var(d) == pytest.approx(effect_size_variance(0.0, *sizes), rel=0.03)


@pytest.mark.parametrize("sd", [0.02, 0.3, 1.0])
@pytest.mark.parametrize("n", [10, 200])
def test_p_values_are_calibrated_with_the_sampling_variance(n: int, sd: float) -> None:
    """2,000 syntheses of samples without any difference: a p-value below a comes about with probability a or less.

    τ² cannot fall below 0, so the test is a little conservative, the more so the fewer the samples.
    """
    rng = np.random.default_rng(7)
    p = []
    for _ in range(2_000):
        d, _ = drawn(rng, n, 8, 8, sd)
        p.append(random_effects(d, effect_size_variance(d, 8, 8)).p_value)
    for confidence_level in (0.01, 0.05, 0.2, 0.5):
        slack = 4 * math.sqrt(confidence_level * (1 - confidence_level) / len(p))
        assert (
            confidence_level * 0.4 - slack
            < np.mean(np.array(p) <= confidence_level)
            < confidence_level + slack
        ), confidence_level
