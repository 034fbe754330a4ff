"""Do preferences survive a paraphrase?"""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from evaluate_bias.data.sentence_pairs import load_sentence_pairs
from evaluate_bias.errors import DataError, InputError, UndefinedScoreError
from evaluate_bias.methods.agreement.pll_robustness import method as pll_robustness
from evaluate_bias.models.transformer import load_transformer
from evaluate_bias.result import Result
from tests.support import naive_scoring as naive
from tests.support.golden import golden_checks
from tests.support.refusals import refusals
from tests.support.tiny_models import tiny_causal, tiny_masked


def rows(delta: Any, par: Any, ran: Any = None, par2: Any = None) -> list[dict[str, Any]]:
    out = []
    for i, (d, p) in enumerate(zip(delta, par, strict=True)):
        row = {"id": f"p{i}", "sent_more": d, "sent_less": 0.0, "sent_more_par": p, "sent_less_par": 0.0}
        if ran is not None:
            row |= {"sent_more_ran": ran[i], "sent_less_ran": 0.0}
        if par2 is not None:
            row |= {"sent_more_par2": par2[i], "sent_less_par2": 0.0}
        out.append(row)
    return out


def exchanged(row: dict[str, Any]) -> dict[str, Any]:
    """The pair with the more and the less stereotypical sentence exchanged."""
    return {c.replace("more", "*").replace("less", "more").replace("*", "less"): t for c, t in row.items()}


def test_the_thesis_numbers_come_out() -> None:
    thesis = golden_checks("pll_robustness")["thesis"]
    n = thesis["n"]
    for case in thesis["one_sample"]:
        par = [1.0] * case["agreeing"] + [-1.0] * (n - case["agreeing"])
        result = pll_robustness.evaluate(None, rows([1.0] * n, par))
        assert (result.settings["share"], result.settings["alternative"]) == (thesis["share"], "less")
        sign = result.extra["paraphrase"]["sign"]
        assert sign["z_test"]["p_value"] == pytest.approx(case["p_value"], abs=5e-6)
    par_agrees, ran_agrees = thesis["two_sample"]["agreeing"]
    result = pll_robustness.evaluate(
        None,
        rows(
            [5.0] * n,
            [5.0] * par_agrees + [0.0] * (n - par_agrees),
            [5.0] * ran_agrees + [-5.0] * (n - ran_agrees),
        ),
    )
    test = result.extra["paraphrase"]["against_unrelated"]["band"]
    assert test["z"] == pytest.approx(thesis["two_sample"]["z"], rel=1e-12)
    assert test["p_value"] == pytest.approx(thesis["two_sample"]["p_value"], rel=1e-9)


# -- agreement -------------------------------------------------------------------------------------------------------


deltas = st.lists(st.tuples(*[st.one_of(st.just(0.0), st.floats(-5, 5))] * 2), min_size=1, max_size=20)


@settings(max_examples=40)
@given(deltas, st.randoms())
def test_agreement_is_counted_pair_by_pair(drawn: list[tuple[float, float]], random: Any) -> None:
    data = rows(*zip(*drawn, strict=True))
    assume(any(d and p for d, p in drawn))
    assume(len({v > 0 for pair in drawn for v in pair}) == 2)
    result = pll_robustness.evaluate(None, data, band_limits=(-0.5, 1))
    agreement = sum((d > 0) == (p > 0) for d, p in drawn) / len(drawn)
    assert result.extra["paraphrase"]["sign"]["agreement"] == pytest.approx(agreement)
    chance = np.mean([[(d > 0) == (p > 0) for _, p in drawn] for d, _ in drawn])
    assert result.score == pytest.approx((agreement - chance) / (1 - chance))
    assert result.ci_low <= result.score + 1e-12
    assert result.ci_high >= result.score - 1e-12
    bands = [[-1 if v < -0.5 else 0 if v <= 1 else 1 for v in pair] for pair in drawn]
    assert result.extra["paraphrase"]["band"]["agreeing"] == sum(a == b for a, b in bands)
    shuffled = pll_robustness.evaluate(None, random.sample(data, len(data)), band_limits=(-0.5, 1))
    assert (shuffled.score, shuffled.p_value, shuffled.ci_low) == (
        result.score,
        result.p_value,
        result.ci_low,
    )
    assert Result.from_json(result.to_json()) == result


@pytest.mark.parametrize("second", [[1, 1, -1, -1, 1, -1], [1, -1, -1, 1, 1, 1], [-1, -1, 1, 1, 1, 1]])
def test_the_p_value_is_that_of_all_permutations_of_the_paraphrases(second: list[int]) -> None:
    first = [1, 1, -1, -1, 1, -1]
    result = pll_robustness.evaluate(None, rows(first, second))
    agreeing = [sum(a == b for a, b in zip(first, p, strict=True)) for p in itertools.permutations(second)]
    observed = sum(a == b for a, b in zip(first, second, strict=True))
    assert result.p_value == pytest.approx(np.mean([a >= observed for a in agreeing]))
    assert result.p_method == "exact permutation test of the paraphrases among the pairs, one-sided"


def test_mcnemar_compares_the_agreements_of_the_same_pairs() -> None:
    """Worked by hand: of nine pairs with both, six agree with the paraphrase only and one with the unrelated pair
    only; p = 2 · (1 + 7) / 2^7. The tenth has no unrelated pair. By band, no two versions of a pair differ."""
    par = [1.0] * 6 + [-1.0, 1.0, -1.0, 1.0]
    ran = [-1.0] * 6 + [1.0, 1.0, -1.0, None]
    data = rows([1.0] * 10, par, ran)
    data[9]["sent_less_ran"] = None
    result = pll_robustness.evaluate(None, data, band_limits=(-5, 5))
    found = result.extra["paraphrase"]["against_unrelated"]
    assert found["sign"]["mcnemar"] == {
        "n": 9, "paraphrase_only": 6, "unrelated_only": 1, "p_value": pytest.approx(16 / 128),
    }  # fmt: skip
    assert "every item has the same outcome" in found["band"]["mcnemar"]["undefined"]
    assert "z" in found["sign"]


def test_a_paraphrase_that_says_the_same_agrees_fully() -> None:
    delta = [2.0, -1.0, 0.0, 0.3]
    result = pll_robustness.evaluate(None, rows(delta, delta))
    paraphrase = result.extra["paraphrase"]
    assert result.score == paraphrase["sign"]["agreement"] == paraphrase["band"]["agreement"] == 1.0
    assert "undefined" in paraphrase["sign"]["z_test"]
    assert "undefined" in paraphrase["delta_z"]
    assert paraphrase["delta_ks"] == {"statistic": 0.0, "p_value": 1.0}


def test_what_is_missing_is_listed_for_each_version() -> None:
    data = rows([1, 2, 3, 4, 5], [1, -1, 1, 1, 1], [1, 1, 1, 1, -1])
    for column in ("par", "ran"):
        data[0][f"sent_more_{column}"] = data[0][f"sent_less_{column}"] = None
    data[1]["sent_more_ran"] = data[1]["sent_less_ran"] = None
    data[4]["exclude"] = True
    result = pll_robustness.evaluate(None, data)
    assert [(s.item, s.reason, s.where) for s in result.skipped] == [
        ("p4", "excluded by its column 'exclude'", ""),
        ("p0", "has no sent_more_par", "sent_more_par"),
        ("p0", "has no sent_more_ran", "sent_more_ran"),
        ("p1", "has no sent_more_ran", "sent_more_ran"),
    ]
    assert (result.n, result.coverage.asked) == (3, 5)
    assert result.extra["unrelated"]["sign"]["n"] == 2
    first = result.items[0]
    assert (first["name"], first["delta_paraphrase"], first["agrees_paraphrase"]) == ("p0", None, None)
    assert result.items[1]["agrees_paraphrase"] is False
    assert result.items[1]["agrees_unrelated"] is None


def test_the_second_paraphrase_stands_beside_the_first() -> None:
    result = pll_robustness.evaluate(None, rows([1, -1], [1, -1], par2=[1, 1]))
    assert set(result.details) == {"paraphrase", "paraphrase_2", "smallest_p"}
    assert result.extra["paraphrase_2"]["sign"]["agreement"] == 0.5
    assert result.extra["paraphrase_2"]["kappa"]["kappa"] == 0.0
    assert "against_unrelated" not in result.extra["paraphrase"]


PAIR = {"sent_more": 1.0, "sent_less": 0.0}
TWO = rows([1.0, -1.0], [1.0, -1.0])

test_pairs_without_paraphrases_are_refused = refusals(
    lambda data, options: pll_robustness.evaluate(None, data, **options),
    ([PAIR], {}, UndefinedScoreError, None, "needs the columns sent_more_par and sent_less_par"),
    ([{**PAIR, "sent_more_par": 1.0}], {}, DataError, None, "sent_less_par is absent and sent_more_par is"),
    (TWO, {"band_limits": (1.0, -1.0)}, InputError, "band_limits", "band_limits"),
    (TWO, {"share": 1.0}, InputError, "share", "share"),
)


# -- calibration -----------------------------------------------------------------------------------------------------


def test_under_independence_every_test_keeps_its_level() -> None:
    """Δ of pair, paraphrase and unrelated pair drawn independently, symmetric about 0."""
    rng = np.random.default_rng(5)
    repeats, rejected = 250, dict.fromkeys(("kappa", "binomial", "score", "two", "ks", "z"), 0)
    for _ in range(repeats):
        data = rows(*rng.normal(size=(3, 60)).tolist())
        result = pll_robustness.evaluate(None, data, share=0.5, alternative="two-sided")
        paraphrase = result.extra["paraphrase"]
        rejected["kappa"] += result.p_value <= 0.05
        rejected["binomial"] += paraphrase["sign"]["p_value"] <= 0.05
        rejected["score"] += paraphrase["sign"]["score_test"]["p_value"] <= 0.05
        rejected["two"] += paraphrase["against_unrelated"]["sign"].get("p_value", 1.0) <= 0.05
        rejected["ks"] += paraphrase["delta_ks"]["p_value"] <= 0.05
        rejected["z"] += paraphrase["delta_z"]["p_value"] <= 0.05
    for name, count in rejected.items():
        assert 0.004 < count / repeats < 0.09, name


# -- models ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("scoring", ["pll", "crows_pairs", "causal"])
def test_packaged_pairs_on_a_model_equal_the_slow_way(scoring: Any) -> None:
    model, tokenizer = tiny_causal("llama") if scoring == "causal" else tiny_masked("albert")
    data = list(load_sentence_pairs(bias_types="religion"))[:3]
    # One the other way round too, so that not all preferences can be on one side.
    sentences = {c: getattr(data[0], c) for c in type(data[0]).model_fields if c.startswith("sent_")}
    data.append(data[0].model_copy(update={"id": "turned", **exchanged(sentences)}))
    result = pll_robustness.evaluate(
        load_transformer((model, tokenizer), progress=False), data, scoring=scoring, lower=False
    )
    assert result.n + len(result.skipped) >= 3
    for item in result.items:
        pair = next(p for p in data if p.id == item["name"])
        for name, more, less in [
            ("delta", pair.sent_more, pair.sent_less),
            ("delta_paraphrase", pair.sent_more_par, pair.sent_less_par),
            ("delta_paraphrase_2", pair.sent_more_par2, pair.sent_less_par2),
            ("delta_unrelated", pair.sent_more_ran, pair.sent_less_ran),
        ]:
            if item[name] is not None:
                a, b = naive.pair_scores(model, tokenizer, str(more), str(less), scoring)
                assert item[name] == pytest.approx(a - b, abs=2e-4)


def test_a_version_that_cannot_be_scored_does_not_spoil_the_others() -> None:
    model = load_transformer(tiny_masked("bert"), progress=False)
    row = {
        "sent_more": "The nurse said she left.",
        "sent_less": "The nurse said he left.",
        "sent_more_par": "she left, the nurse said",
        "sent_less_par": "he left, the nurse said",
    }
    bad = {"sent_more_ran": "the same", "sent_less_ran": "the same"}
    result = pll_robustness.evaluate(model, [{**row, **bad}, exchanged({**row, **bad})])
    assert set(result.details) == {"paraphrase", "smallest_p"}
    assert any("unrelated" in w and "identical" in w for w in result.warnings)
    with pytest.raises(UndefinedScoreError, match="identical"):
        pll_robustness.evaluate(model, [{**row, "sent_more_par": "the same", "sent_less_par": "the same"}])


# Repeated rows


def test_pairs_repeated_unequally_often_are_shuffled_with_their_weights() -> None:
    """All placements of the paraphrases' preferences among eight pairs, of which one is there three times."""
    data = rows([1.0, 1.0, 1.0, 1.0, -1.0, -1.0, -1.0, -1.0], [1.0, 1.0, 1.0, -1.0, -1.0, -1.0, -1.0, 1.0])
    result = pll_robustness.evaluate(None, [data[0], data[0], *data])
    weights = np.array([3, 1, 1, 1, 1, 1, 1, 1])
    first = np.array([row["sent_more"] > 0 for row in data])

    def kappa(second: Any) -> float:
        a, b = weights @ first / 10, weights @ second / 10
        chance = a * b + (1 - a) * (1 - b)
        return float((weights @ (first == second) / 10 - chance) / (1 - chance))

    every = [kappa(np.isin(np.arange(8), yes)) for yes in itertools.combinations(range(8), 4)]
    expected = np.mean(np.array(every) >= result.score - 1e-9)
    assert result.score == pytest.approx(kappa(np.array([row["sent_more_par"] > 0 for row in data])))
    assert abs(result.p_value - expected) <= 4 * result.p_error
    assert result.n_tested == 8
