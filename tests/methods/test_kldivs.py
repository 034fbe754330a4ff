"""KLDivS, JSDivS and JSS."""

from __future__ import annotations

import itertools
import math
from statistics import fmean, stdev
from typing import Any

import numpy as np
import pytest
import scipy.stats
from hypothesis import assume, given
from hypothesis import strategies as st

import evaluate_bias as eb
from evaluate_bias.errors import InputError, UndefinedScoreError
from evaluate_bias.methods.pairs.kldivs import method as kldivs
from evaluate_bias.methods.pairs.kldivs.items import columns, null_mean
from evaluate_bias.models.transformer import load_transformer
from evaluate_bias.result import Result
from tests.support import naive_scoring as naive
from tests.support.refusals import refusals
from tests.support.tiny_models import tiny_causal, tiny_masked


def rows(more: Any, less: Any, bias_type: str = "age") -> list[dict[str, Any]]:
    return [{"sent_more": m, "sent_less": s, "bias_type": bias_type} for m, s in zip(more, less, strict=True)]


def published(more: Any, less: Any) -> tuple[float, float, float]:
    """KLDivS, JSDivS and JSS written out from the formulas of the two published codes, in plain Python."""

    def kl(m: float, s: float, n: float, t: float) -> float:
        return math.log(t / s) + (s * s + (m - n) ** 2) / (2 * t * t) - 0.5

    p, q = (fmean(more), stdev(more)), (fmean(less), stdev(less))
    forward, backward = kl(*p, *q), kl(*q, *p)
    mean = (p[0] + q[0]) / 2
    middle = (mean, (p[1] + q[1]) / 2)
    js = 100 * (1 - (kl(*p, *middle) + kl(*q, *middle)) / 2)
    middle = (mean, math.sqrt((p[1] ** 2 + q[1] ** 2) / 2))
    j, c = (kl(*p, *middle) + kl(*q, *middle)) / 2, abs(p[1] - q[1])
    j, c = min(j, 1) / max(j, 1), min(c, 1) / max(c, 1)
    return 100 * max(forward, backward) / (forward + backward), js, 100 * (1 - j) / (1 + c)


values = st.lists(st.tuples(st.floats(-300, 0), st.floats(-300, 0)), min_size=3, max_size=20)


@given(values)
def test_scores_are_those_of_the_expected_formulas(drawn: list[tuple[float, float]]) -> None:
    more, less = (list(column) for column in zip(*drawn, strict=True))
    assume(min(stdev(more), stdev(less)) > 1e-3)
    assume(abs(stdev(more) - stdev(less)) > 1e-2)
    expected = published(more, less)
    assert kldivs.kldivs(more, less) == pytest.approx(expected[0], rel=1e-6)
    assert kldivs.jsdivs(more, less) == pytest.approx(expected[1], rel=1e-6, abs=1e-6)
    assert kldivs.jss(more, less) == pytest.approx(expected[2], rel=1e-6, abs=1e-6)
    assert 50 <= kldivs.kldivs(more, less) <= 100
    assert kldivs.jsdivs(more, less) <= 100
    assert 0 <= kldivs.jss(more, less) <= 100


@given(values, st.sampled_from([0.25, 2.0, -1.0, -4.0]), st.integers(-50, 50))
def test_units_and_direction_do_not_matter_to_kldivs(
    drawn: list[tuple[float, float]], factor: float, shift: int
) -> None:
    more, less = (np.array(column) for column in zip(*drawn, strict=True))
    assume(min(more.std(), less.std(), abs(more.std() - less.std())) > 1e-2)
    score = kldivs.kldivs(more, less)
    assert kldivs.kldivs(shift + factor * more, shift + factor * less) == pytest.approx(score, rel=1e-6)
    assert kldivs.kldivs(less, more) == score
    assert kldivs.jsdivs(less, more) == pytest.approx(kldivs.jsdivs(more, less))
    assert kldivs.jss(less, more) == pytest.approx(kldivs.jss(more, less))
    # JSDivS has no unit either; JSS has that of the scores.
    assert kldivs.jsdivs(shift + factor * more, shift + factor * less) == pytest.approx(
        kldivs.jsdivs(more, less), rel=1e-6
    )


test_undefined_scores_are_errors = refusals(
    kldivs.kldivs,
    ([1.0], [1.0, 2.0], UndefinedScoreError, None, "sent_more has 1 values and at least 2"),
    ([1.0, 2.0], [3.0, 3.0], UndefinedScoreError, None, "sent_less are all equal"),
    ([0.1] * 3, [1.0, 2.0, 3.0], UndefinedScoreError, None, "sent_more are all equal"),
    ([1.0, 2.0, 3.0], [3.0, 1.0, 2.0], UndefinedScoreError, None, "same mean and standard deviation"),
    ([-31.7, -32.9, -30.1, 0.3], [0.3, -30.1, -32.9, -31.7], UndefinedScoreError, None, "standard deviation"),
)


# -- bias types ------------------------------------------------------------------------------------------------------


def test_bias_types_without_a_score_are_listed_and_left_out() -> None:
    data = [
        *rows([0, 2, 4, 1], [1, 2, 3, 0], "age"),
        *rows([1], [0], "alone"),
        *rows([1, 1], [0, 2], "constant"),
        *rows([0, 5, 6, 1], [4, 3, 2, 1], ""),
    ]
    result = kldivs.evaluate(None, data)
    assert [g["name"] for g in result.groups] == ["age", "without bias type"]
    assert [(s.item, s.where) for s in result.skipped] == [("alone", "groups"), ("constant", "groups")]
    assert "at least 2 are needed" in result.skipped[0].reason
    assert (result.n, result.coverage.found, result.coverage.asked) == (8, 8, 11)
    assert len(result.items) == 11
    scores = [g["score"] for g in result.groups]
    assert result.score == pytest.approx(fmean(scores))


def naive_swaps(pairs: list[tuple[float, float]]) -> list[float]:
    """KLDivS with every possible swap of the two scores of pairs, by the definition."""
    found = []
    for swap in itertools.product((False, True), repeat=len(pairs)):
        turned = [pair[::-1] if s else pair for s, pair in zip(swap, pairs, strict=True)]
        found.append(published(*map(list, zip(*turned, strict=True)))[0])
    return found


def drawn_pairs(seed: int, n: int, ratio: float = 1.0) -> list[tuple[float, float]]:
    rng = np.random.default_rng(seed)
    sentence = rng.normal(size=n)
    more, less = ratio * sentence + 0.3 * rng.normal(size=n), sentence + 0.3 * rng.normal(size=n)
    return list(zip(more.tolist(), less.tolist(), strict=True))


@pytest.mark.parametrize("seed", range(3))
def test_p_values_and_ideals_are_those_of_all_swaps(seed: int) -> None:
    a, b = drawn_pairs(seed, 6, 1.5), drawn_pairs(seed + 10, 4)
    result = kldivs.evaluate(None, [*rows(*zip(*a, strict=True), "a"), *rows(*zip(*b, strict=True), "b")])
    of_a, of_b = naive_swaps(a), naive_swaps(b)
    both = [0.6 * x + 0.4 * y for x in of_a for y in of_b]
    for got, found in ((result.groups[0], of_a), (result.groups[1], of_b), (result.to_dict(), both)):
        assert got["p_value"] == pytest.approx(np.mean(np.array(found) >= found[0] - 1e-9))
        assert got["p_error"] == 0.0
        assert got["expected_by_chance"] == pytest.approx(fmean(found))
    assert result.extra["null_mean"] == result.expected_by_chance
    assert result.p_method == "all swaps of the two sentences of pairs, 256"
    assert result.groups[0]["p_holm"] >= result.groups[0]["p_value"]


def test_the_ideal_of_units_is_about_that_of_all_swaps() -> None:
    pairs = np.array(drawn_pairs(4, 12)) + 10 * np.random.default_rng(0).normal(size=(12, 1))
    totals = columns([{"score_more": m, "score_less": s} for m, s in pairs], {}).sum(axis=0)
    ideal = kldivs.evaluate(None, rows(*pairs.T.tolist()), gev=False).expected_by_chance
    assert ideal is not None
    assert null_mean(totals, {}) - 50 == pytest.approx(ideal - 50, rel=0.1)


def test_scores_far_from_zero_have_the_same_ideal_and_interval() -> None:
    more, less = np.array(drawn_pairs(1, 12, 1.5)).T
    near, far = (
        kldivs.evaluate(None, rows(more + shift, less + shift), gev=False, n_resamples=99)
        for shift in (0, 2**24)
    )
    assert (far.expected_by_chance, far.ci_low, far.ci_high) == pytest.approx(
        (near.expected_by_chance, near.ci_low, near.ci_high), rel=1e-5
    )


def test_drawn_swaps_agree_with_all_of_them() -> None:
    data = rows(*zip(*drawn_pairs(4, 12, 1.15), strict=True))
    every, some = (kldivs.evaluate(None, data, gev=False, n_resamples=n) for n in (2_048, 2_047))
    assert every.p_value is not None
    assert some.p_value is not None
    assert some.p_error is not None
    assert abs(some.p_value - every.p_value) <= 4 * some.p_error
    assert some.p_error > every.p_error == 0.0
    assert some.expected_by_chance == pytest.approx(every.expected_by_chance, abs=0.5)
    assert some.p_method == "random swaps of the two sentences of pairs, 2048"
    big = kldivs.evaluate(
        None, rows(*zip(*drawn_pairs(5, 200, 1.5), strict=True)), gev=False, n_resamples=999
    )
    assert big.p_value == 1 / 1_000


def test_swaps_without_a_score_are_left_out() -> None:
    # Swapping the first pair makes one sample constant.
    pairs = [(0.0, 1.0), (1.0, 0.0), (1.0, 3.0)]
    result = kldivs.evaluate(None, rows(*zip(*pairs, strict=True)))
    defined = []
    for swap in itertools.product((False, True), repeat=2):
        turned = [p[::-1] if s else p for s, p in zip((*swap, False), pairs, strict=True)]
        if all(stdev(column) > 0 for column in zip(*turned, strict=True)):
            defined.append(published(*map(list, zip(*turned, strict=True)))[0])
    assert len(defined) == 3
    assert result.expected_by_chance == pytest.approx(fmean(defined))
    assert result.p_value == pytest.approx(np.mean(np.array(defined) >= defined[0] - 1e-9))


def test_fits_can_be_left_out_and_all_pairs_have_the_tests_too() -> None:
    data = [row for name in "ab" for row in rows(*zip(*drawn_pairs(ord(name), 12), strict=True), name)]
    whole, short = kldivs.evaluate(None, data), kldivs.evaluate(None, data, gev=False)
    assert (
        {*whole.groups[0]} - {*short.groups[0]} == {*whole.extra} - {*short.extra} == {"gev_more", "gev_less"}
    )
    alone = kldivs.evaluate(None, [{**row, "bias_type": ""} for row in data]).groups[0]
    tests = {*alone} & {*whole.extra} - {"null_mean", "jsdivs", "jss"}
    assert {"shapiro_delta", "ks", "gev_less", "z_test_within_quantiles", "mean_delta"} <= tests
    for name in tests:
        assert whole.extra[name] == alone[name], name


def test_few_pairs_have_no_interval_and_tests_that_do_not_exist_say_why() -> None:
    result = kldivs.evaluate(None, rows([0, 2], [1, 5]))
    assert (result.ci_low, result.ci_high) == (None, None)
    assert result.ci_method.startswith("none: the score is undefined on too many resamples")
    assert any(w.startswith("no interval") for w in result.warnings)
    unasked = kldivs.evaluate(None, rows([0, 2, 5, 3], [1, 5, 2, 2]), gev=False, ci_resamples=0)
    assert (unasked.ci_low, unasked.ci_method, unasked.warnings) == (None, "", ())
    (group,) = result.groups
    assert "at least 3" in group["shapiro_more"]["undefined"]
    assert "at least 10" in group["gev_less"]["undefined"]
    assert group["z_test"]["p_value"] < 1
    same = kldivs.evaluate(None, rows([0, 2, 4], [1, 3, 5])).groups[0]
    assert "all equal" in same["z_test"]["undefined"]
    assert same["score"] == pytest.approx(50.0)
    assert Result.from_json(result.to_json()) == result


def test_a_resample_of_one_pair_is_undefined_and_no_score_of_100() -> None:
    # Equal values add up with a rounding error, which must not pass for a spread.
    more, less = [0.1, 0.7, 0.3, 0.9], [0.3, 0.1, 0.2, 0.4]
    result = kldivs.evaluate(None, rows(more, less), gev=False, ci_resamples=4_000)
    assert result.ci_low is not None
    draws = np.random.default_rng(1).integers(0, 4, size=(4_000, 4))
    naive_scores = [
        published([more[i] for i in d], [less[i] for i in d])[0] for d in draws.tolist() if len(set(d)) > 1
    ]
    low, high = np.quantile(naive_scores, [0.025, 0.975])
    assert result.ci_low == pytest.approx(max(50, low - max(0, fmean(naive_scores) - result.score)), abs=1.0)
    assert result.ci_high == pytest.approx(high, abs=1.0)


def test_all_pairs_as_one_type_stand_beside_the_mean_over_types() -> None:
    more, less = [0.0, 2.0, 4.0, 9.0, 1.0], [1.0, 2.0, 3.0, 5.0, 2.0]
    data = [*rows(more[:3], less[:3], "age"), *rows(more[3:], less[3:], "race")]
    result = kldivs.evaluate(None, data)
    assert result.estimates["kldivs_all_pairs"].value == pytest.approx(published(more, less)[0])
    assert result.estimates["kldivs_all_pairs"].value != pytest.approx(result.score, abs=0.01)
    assert all("kldivs_all_pairs" not in row.estimates for row in result.rows)


# -- models ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("scoring", ["aul", "changed_tokens", "causal"])
def test_sentences_are_scored_as_asked(scoring: Any) -> None:
    model, tokenizer = tiny_causal("gpt2") if scoring == "causal" else tiny_masked("roberta")
    pairs = [
        ("The nurse said she left.", "The nurse said he left."),
        ("Women play football.", "Men play football."),
        ("His daughters left.", "His sons left."),
    ]
    data = [{"sent_more": more, "sent_less": less} for more, less in pairs]
    result = kldivs.evaluate(load_transformer((model, tokenizer), progress=False), data, scoring=scoring)
    expected = [naive.pair_scores(model, tokenizer, *pair, scoring) for pair in pairs]
    assert result.score == pytest.approx(published(*map(list, zip(*expected, strict=True)))[0], rel=1e-3)
    assert result.settings["scoring"] == scoring
    assert result.settings.get("start_token") == (tokenizer.bos_token if scoring == "causal" else None)


def test_other_distributions_and_trimmed_differences_are_those_of_scipy() -> None:
    rng = np.random.default_rng(0)
    more, less = rng.normal(-40, 5, 120), rng.gumbel(-42, 4, 120)
    pairs = [{"sent_more": m, "sent_less": n} for m, n in zip(more.tolist(), less.tolist(), strict=True)]
    options = {"gev": False, "n_resamples": 19, "ci_resamples": 19}
    result = eb.measure("kldivs", None, data=pairs, distributions=["norm", "skewnorm"], **options)
    shape, loc, scale = scipy.stats.skewnorm.fit(less)
    found = result.details["fit_skewnorm_less"]
    assert found["parameters"] == pytest.approx({"a": shape, "loc": loc, "scale": scale})
    assert found["p_value"] == pytest.approx(
        scipy.stats.kstest(less, "skewnorm", args=(shape, loc, scale)).pvalue
    )
    assert result.details["fit_norm_more"]["log_likelihood"] == pytest.approx(
        scipy.stats.norm.logpdf(more, more.mean(), more.std()).sum()
    )
    delta = more - less
    low, high = np.quantile(delta, [0.01, 0.99])
    trimmed = scipy.stats.shapiro(delta[(delta > low) & (delta < high)])
    assert result.details["shapiro_delta_within_quantiles"]["statistic"] == pytest.approx(trimmed.statistic)
    with pytest.raises(InputError) as caught:
        eb.measure("kldivs", None, data=pairs, distributions=["binom"], **options)
    assert caught.value.option == "distributions"


def test_pairs_given_three_times_are_no_more_evidence() -> None:
    numbers = np.random.default_rng(2).normal([0.4, 0.0], [1.0, 1.5], (24, 2)).tolist()
    rows = [
        {"id": f"p{i}", "sent_more": a, "sent_less": b, "bias_type": ("age", "race")[i % 2]}
        for i, (a, b) in enumerate(numbers)
    ]
    options: Any = {"n_resamples": 299, "ci_resamples": 299, "gev": False}
    often = eb.measure("kldivs", data=[dict(row) for row in rows for _ in range(3)], **options)
    once = eb.measure("kldivs", data=rows, **options)
    assert often.details["n_repeated"] == 48
    # The sample deviation divides by n - 1, so that three times the pairs move the score a little.
    assert often.score == pytest.approx(once.score, abs=0.5)
    assert often.p_value == pytest.approx(once.p_value, abs=0.02)
    assert (often.ci_low, often.ci_high) == pytest.approx((once.ci_low, once.ci_high), abs=1.0)
