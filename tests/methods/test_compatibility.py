"""Agreement of settings over subsets: against the definition, against published tables, and under the null."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import pearsonr

from evaluate_bias.errors import InputError, UndefinedScoreError
from evaluate_bias.methods.agreement.compatibility import (
    Setting,
    Subsets,
    _correlations,
    compatibility,
    draw_subsets,
    subset_scores,
)
from evaluate_bias.stats import item_streams
from tests.support.golden import golden_checks
from tests.support.refusals import refusals

TEMPLATES = golden_checks("template_compatibility")
REPRESENTATIONS = golden_checks("representation_compatibility")


def random_settings(seed: int, n: int = 12, templates: tuple[int, ...] = (1, 3, 2)) -> list[Setting]:
    rng = np.random.default_rng(seed)
    return [
        Setting(f"s{i}", rng.normal(0.5, 1.0, size=(n, t)), rng.normal(size=(n - 2, t)))
        for i, t in enumerate(templates)
    ]


def naive_scores(given: list[Setting], subsets: Subsets, ddof: int) -> list[list[float]]:
    """Effect sizes by the definition, one subset, setting and template at a time."""
    table = []
    for in_x, in_y in zip(*subsets, strict=True):
        row = []
        for setting in given:
            sizes = []
            for t in range(setting.x.shape[1]):
                x = [setting.x[i, t] for i in in_x]
                y = [setting.y[i, t] for i in in_y]
                mean = sum(x + y) / len(x + y)
                sd = (sum((s - mean) ** 2 for s in x + y) / (len(x + y) - ddof)) ** 0.5
                sizes.append((sum(x) / len(x) - sum(y) / len(y)) / sd)
            row.append(sum(sizes) / len(sizes))
        table.append(row)
    return table


@pytest.mark.parametrize("published", [TEMPLATES, REPRESENTATIONS], ids=["templates", "representations"])
def test_published_correlations(published: dict) -> None:
    case = published["scores"]
    (r,) = _correlations(np.array(case["table"])[None])
    upper = np.concatenate([np.array(row) for row in case["upper"]])
    assert r[np.triu_indices(len(r), 1)] == pytest.approx(upper, abs=case["tolerance"])


def test_effect_size_worked_by_hand() -> None:
    case = TEMPLATES["effect_size"]
    setting = Setting("s", np.array(case["x"])[:, None], np.array(case["y"])[:, None])
    found = subset_scores([setting], (np.array([[0, 1]]), np.array([[1, 0]])))
    assert found[0, 0] == pytest.approx(case["expected"], rel=1e-12)


@pytest.mark.parametrize("ddof", [0, 1])
@pytest.mark.parametrize("seed", range(4))
def test_scores_and_correlations_are_those_of_the_definition(seed: int, ddof: int) -> None:
    given_settings = random_settings(seed)
    subsets = draw_subsets(12, 10, size=4, count=9, seed=seed)
    naive = naive_scores(given_settings, subsets, ddof)
    assert subset_scores(given_settings, subsets, ddof=ddof) == pytest.approx(np.array(naive), rel=1e-10)
    found = compatibility(given_settings, subsets, ddof=ddof, n_resamples=49, ci_resamples=0)
    columns = list(zip(*naive, strict=True))
    for i in range(3):
        for j in range(i):
            expected = pearsonr(columns[i], columns[j])
            assert found.r[i, j] == pytest.approx(expected.statistic, abs=1e-10)
            assert found.p_naive[i, j] == pytest.approx(expected.pvalue, rel=1e-8)
    assert found.mean_r == pytest.approx(found.r[np.triu_indices(3, 1)].mean())
    assert found.interval is None


def test_subsets_are_drawn_without_replacement_and_repeat_with_the_seed() -> None:
    subsets = draw_subsets(30, 25, size=10, count=20, seed=4)
    for places, n in zip(subsets, (30, 25), strict=True):
        assert places.shape == (20, 10)
        assert all(len(set(row)) == 10 for row in places.tolist())
        assert places.max() < n
    assert (draw_subsets(30, 25, size=10, count=20, seed=4)[0] == subsets[0]).all()
    assert (draw_subsets(30, 25, size=10, count=20, seed=5)[0] != subsets[0]).any()


@pytest.mark.slow
def test_the_ordinary_test_is_not_valid_and_the_permutation_test_is() -> None:
    """Two unrelated settings, 100 subsets of 10 of 30 words: the ordinary test finds agreement every fourth time."""
    rng = np.random.default_rng(0)
    ordinary = permutation = of_the_mean = 0
    for rep in range(300):
        pair = [Setting(n, rng.normal(1, 1, size=(30, 1)), rng.normal(size=(30, 1))) for n in "ab"]
        found = compatibility(
            pair, draw_subsets(30, 30, count=100, seed=rep), n_resamples=99, ci_resamples=0, seed=rep
        )
        ordinary += found.p_naive[0, 1] <= 0.05
        permutation += found.p_value[0, 1] <= 0.05
        of_the_mean += found.p_mean <= 0.05
    assert ordinary > 45  # 15 would be right
    assert permutation <= 27
    assert of_the_mean <= 27


def test_interval_is_the_bootstrap_s_standard_error_on_fisher_s_scale() -> None:
    """One bootstrap sample at a time, from the same draws, in plain Python."""
    three, subsets = random_settings(6), draw_subsets(12, 10, size=4)
    found = compatibility(three, subsets, n_resamples=1, ci_resamples=25, seed=3)
    in_x, in_y = (
        rng.integers(0, n, (25, n)) for n, (_, rng) in zip((12, 10), item_streams((12, 10), 3), strict=True)
    )
    z = []
    for x, y in zip(in_x, in_y, strict=True):
        drawn = [Setting(s.name, s.x[x], s.y[y]) for s in three]
        columns = np.array(naive_scores(drawn, subsets, 1)).T
        z.append(
            np.arctanh(np.mean([pearsonr(columns[i], columns[j])[0] for i in range(3) for j in range(i)]))
        )
    reach = 1.959963984540054 * np.std(z, ddof=1)
    middle = np.arctanh(found.mean_r)
    assert found.interval == pytest.approx((np.tanh(middle - reach), np.tanh(middle + reach)), abs=1e-9)
    same = Setting("same", three[0].x, three[0].y)
    assert compatibility([three[0], same], subsets, n_resamples=1).interval is None


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10_000), st.floats(0.05, 20), st.floats(-5, 5))
def test_a_setting_agrees_with_its_linear_image(seed: int, scale: float, shift: float) -> None:
    one = random_settings(seed, templates=(1,))[0]
    subsets = draw_subsets(12, 10, size=5, seed=seed)
    same = Setting("same", one.x * scale + shift, one.y * scale + shift)
    turned = Setting("turned", -one.x, -one.y)
    found = compatibility([one, same, turned], subsets, n_resamples=19, ci_resamples=0)
    assert found.r[0, 1] == pytest.approx(1.0, abs=1e-9)
    assert found.r[0, 2] == pytest.approx(-1.0, abs=1e-9)


SETTING, SUBSETS = random_settings(0)[0], draw_subsets(12, 10, size=4)
CONSTANT = Setting("constant", np.ones((12, 1)), np.ones((10, 1)))
SPLIT = Setting("split", np.ones((12, 1)), np.zeros((10, 1)))

test_bad_input = refusals(
    None,
    (draw_subsets, 5, 30, InputError, "subset_size", "lists of 5 and 30"),
    (draw_subsets, 10, 10, InputError, "subset_size", "would be the whole list"),
    (compatibility, [SETTING], SUBSETS, InputError, None, "at least two settings"),
    (compatibility, [SETTING, SETTING], SUBSETS, InputError, None, "two settings are called 's0'"),
    (compatibility, [SETTING, CONSTANT], SUBSETS, UndefinedScoreError, None, "equally associated"),
    (compatibility, [SETTING, SPLIT], SUBSETS, UndefinedScoreError, None, "gives every subset the same"),
)
