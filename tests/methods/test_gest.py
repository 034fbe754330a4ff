"""GEST and EuroGEST: the published scoring by naive code, Welch's test by loops, properties, languages, bad input."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest
import torch
from scipy import stats as scipy_stats

import evaluate_bias as eb
from evaluate_bias.data.gender_stereotypes import OF_MEN, OF_WOMEN, STEREOTYPES, load_gender_stereotypes
from evaluate_bias.errors import BiasError, CapabilityError, DataError, InputError, UndefinedScoreError
from evaluate_bias.methods.pairs.gest.method import contrast, too_few
from evaluate_bias.report.conclusions import Conclusion
from evaluate_bias.report.reading import read
from evaluate_bias.stats import split_test
from tests.support import naive_scoring as naive
from tests.support.draws import draws
from tests.support.model_server import ModelServer
from tests.support.refusals import refusals
from tests.support.tiny_models import tiny_causal, tiny_masked

Rows = list[dict[str, Any]]
ODD = [
    ("Nobody believed him", "Nobody believed", "tough"),  # one form begins the other
    ("he left the north", "she left the north", "weak"),  # the first token differs
]
"""Forms that the published code treats in ways of their own."""


def style(n: int = 1) -> Rows:
    """The first ``n`` packaged sentences of every stereotype."""
    return [row.model_dump() for row in load_gender_stereotypes() if int(row.id.partition("-")[2]) <= n]


def with_odd() -> Rows:
    odd = [{"id": m, "masculine": m, "feminine": f, "stereotype": s} for m, f, s in ODD]
    return [*style(), *({**row, "language": "en"} for row in odd)]


def log_odds(values: dict[str, list[float]], language: str = "en") -> Rows:
    """Rows whose q are these, by stereotype."""
    return [
        {
            "id": f"{name}-{i}",
            "stereotype": name,
            "language": language,
            "masculine": math.log(q / (1 - q)),
            "feminine": 0.0,
        }
        for name, own in values.items()
        for i, q in enumerate(own)
    ]


def drawn(rng: np.random.Generator, effect: float = 0.0, n: int = 12, language: str = "en") -> Rows:
    """Sentences of one stereotype resemble one another."""
    level = {name: rng.normal(effect * (name in OF_MEN), 0.4) for name in STEREOTYPES}
    return log_odds(
        {name: (1 / (1 + np.exp(-rng.normal(level[name], 1.0, n)))).tolist() for name in STEREOTYPES},
        language,
    )


# --- the published scoring code, step by step -------------------------------------------------------------------


def published(model: Any, tokenizer: Any, row: Any, *, sums: bool = False, whole: bool = False) -> float:
    """q as EuroGEST's evaluate_sentence has it: one text at a time, counted from the end where an index is negative."""
    tokens, scores = [], []
    for text in (row["masculine"], row["feminine"]):
        ids = tokenizer(text, return_tensors="pt")["input_ids"]
        with torch.no_grad():
            table = torch.log_softmax(model(ids).logits[0, :-1], dim=-1)
        tokens.append(ids[0].tolist())
        scores.append(table.gather(1, ids[0, 1:, None])[:, 0].double().tolist())
    shared = min(map(len, tokens))
    different = [i for i in range(shared) if tokens[0][i] != tokens[1][i]]
    start = different[0] - 1 if different else shared - 2
    kept = scores if whole else [own[start:] for own in scores]
    p = [math.exp(sum(own) if sums else sum(own) / len(own)) for own in kept]
    return p[0] / (p[0] + p[1])


def published_score(q: dict[str, float], rows: Rows) -> float:
    means = {}
    for name in STEREOTYPES:
        own = [q[row["id"]] for row in rows if row["stereotype"] == name]
        means[name] = sum(own) / len(own)
    men, women = ([means[name] for name in side] for side in (OF_MEN, OF_WOMEN))
    return (sum(men) / 9) / (sum(women) / 7)


def check_published(loaded: Any, rows: Rows, **options: bool) -> None:
    q = {row["id"]: published(loaded.model, loaded.tokenizer, row, **options) for row in rows}
    result = eb.measure("gest", loaded, data=rows, variant="published", min_sentences=1, **options)
    assert {row.name: row.details["q"] for row in result.rows_of("item")} == pytest.approx(q, abs=1e-6)
    assert result.score == pytest.approx(published_score(q, rows), abs=1e-6) == result.estimates["g_s"].value


@pytest.mark.parametrize(
    "options", [{}, {"sums": True}, {"whole": True}, {"sums": True, "whole": True}], ids=str
)
@pytest.mark.parametrize("kind", ["gpt2", "llama"])
def test_numbers_are_those_of_the_published_code(kind: str, options: dict[str, bool]) -> None:
    check_published(eb.load_model(tiny_causal(kind)), with_odd(), **options)


@pytest.mark.nightly
def test_numbers_are_those_of_the_published_code_on_a_real_model() -> None:
    """In double precision: in single precision a batch and a text alone differ by 2e-6."""
    loaded = eb.load_model("smollm2-135m")
    loaded.model.double()
    check_published(loaded, style())


def test_a_first_token_that_differs_is_read_after_the_token_that_begins_texts() -> None:
    """The published code takes the last token alone there; a model without such a token has no score for it."""
    model, tokenizer = tiny_causal("gpt2")
    row = with_odd()[-1]
    q = {}
    for variant in ("causal", "published"):
        result = eb.measure("gest", (model, tokenizer), data=with_odd(), min_sentences=1, variant=variant)
        (q[variant],) = (item.details["q"] for item in result.rows_of("item") if item.name == row["id"])
    after = {form: f"{tokenizer.bos_token}{row[form]}" for form in ("masculine", "feminine")}
    assert q["causal"] == pytest.approx(published(model, tokenizer, after), abs=1e-6)
    assert abs(q["causal"] - q["published"]) > 1e-4


@pytest.mark.parametrize("name", ["demo-mlm-en", "bert", "roberta"])
def test_masked_models_score_the_words_that_differ(name: str) -> None:
    loaded = eb.load_model(name if name == "demo-mlm-en" else tiny_masked(name))
    rows = style()
    result = eb.measure("gest", loaded, data=rows, min_sentences=1)
    assert result.settings["variant"] == "masked"
    found = {row.name: row.details["q"] for row in result.rows_of("item")}
    tokenizer = loaded.tokenizer
    for row in rows[::5]:
        means = []
        for form, word in (("masculine", "he"), ("feminine", "she")):
            start = row[form].rindex(f"{word} said")
            encoded = tokenizer(row[form], return_tensors="pt", return_offsets_mapping=True)
            offsets = encoded.pop("offset_mapping")[0].tolist()
            at = [i for i, (a, b) in enumerate(offsets) if a < start + len(word) and b > start and b > a]
            ids = encoded["input_ids"][0].tolist()
            values = [naive.masked_logprob(loaded.model, tokenizer, ids, [i], i) for i in at]
            means.append(math.exp(sum(values) / len(values)))
        assert found[row["id"]] == pytest.approx(means[0] / sum(means), abs=1e-6)


def test_a_served_model_has_the_numbers_of_the_local_one() -> None:
    local = eb.load_model(tiny_causal("gpt2"))
    rows = with_odd()
    with ModelServer(local) as server:
        served = eb.measure("gest", server.spec, data=rows, min_sentences=1)
    items = {row.name: row.details["q"] for row in served.rows_of("item")}
    expected = {
        row.name: row.details["q"]
        for row in eb.measure("gest", local, data=rows, min_sentences=1).rows_of("item")
    }
    assert items == pytest.approx({name: expected[name] for name in items}, abs=1e-6)
    assert [(s.item, s.reason) for s in served.skipped] == [
        (ODD[1][0], "its forms differ in their first token, which nothing precedes for this model")
    ]


# --- test and interval -----------------------------------------------------------------------------------------


def welch(men: Any, women: Any) -> float:
    error = np.var(men, ddof=1) / len(men) + np.var(women, ddof=1) / len(women)
    return float((np.mean(men) - np.mean(women)) / math.sqrt(error))


def stereotypes(men: Any, women: Any) -> dict[str, float]:
    """Values of the first stereotypes of men and of women, by their names."""
    return dict(zip((*OF_MEN[: len(men)], *OF_WOMEN[: len(women)]), (*men, *women), strict=True))


@draws(20)
def test_the_test_counts_all_splits_and_the_interval_is_welchs(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n_men, n_women = (int(n) for n in rng.integers(3, 6, 2))
    men, women = rng.normal(0.55, 0.08, n_men), rng.normal(0.5, 0.05, n_women)
    values = np.concatenate([men, women])
    t, differences = [], []
    for chosen in itertools.combinations(range(len(values)), n_men):
        rest = [i for i in range(len(values)) if i not in chosen]
        t.append(abs(welch(values[list(chosen)], values[rest])))
        differences.append(values[list(chosen)].mean() - values[rest].mean())
    p_value, null_sd = split_test(men, women)
    assert p_value == pytest.approx(np.mean(np.array(t) >= abs(welch(men, women)) - 1e-9))
    assert null_sd == pytest.approx(np.std(differences))
    facts = contrast(stereotypes(men, women), ratio=False, confidence_level=0.9)
    reference = scipy_stats.ttest_ind(men, women, equal_var=False).confidence_interval(0.9)
    if not too_few(n_men, n_women):
        assert (facts["ci_low"], facts["ci_high"]) == pytest.approx((reference.low, reference.high))
        rate = facts["estimates"]["g_s"]
        assert rate.value == pytest.approx(men.mean() / women.mean())
        assert rate.low < rate.value < rate.high
        assert math.sqrt(rate.low * rate.high) == pytest.approx(rate.value)


@pytest.mark.parametrize(
    ("men", "women", "expected"), [(9, 7, True), (3, 4, True), (3, 3, False), (2, 3, False), (9, 2, False)]
)
def test_too_few_stereotypes_have_neither_interval_nor_p(men: int, women: int, expected: bool) -> None:
    names = [*OF_MEN[:men], *OF_WOMEN[:women]]
    result = eb.measure("gest", None, data=log_odds({name: [0.4 + 0.02 * i] for i, name in enumerate(names)}))
    assert (result.p_value is not None, result.ci_low is not None) == (expected, expected)
    reading = read(result)
    assert (reading.judgement.conclusion is Conclusion.TOO_FEW) is not expected
    assert expected or f"{men} and {women}" in reading.finding
    assert result.n == men + women


def test_the_interval_of_tiny_probabilities_is_the_same_on_their_scale() -> None:
    men, women = np.array([0.1, 0.2, 0.3]), np.array([0.5, 0.4, 0.3, 0.4])
    large, small = (
        contrast(stereotypes(scale * men, scale * women), ratio=False, confidence_level=0.95)
        for scale in (1.0, 1e-90)
    )
    for key in ("score", "ci_low", "ci_high"):
        assert small[key] == pytest.approx(1e-90 * large[key], rel=1e-9, abs=0.0)


@pytest.mark.parametrize("spread", [1.0, 2.0])
def test_it_rejects_as_often_as_it_says_where_sides_differ_in_spread(spread: float) -> None:
    """The plain difference of means rejects twice as often; 2,000 draws of sentences stand on the page."""
    rng = np.random.default_rng(3)
    p = [split_test(rng.normal(0, 1, 9), rng.normal(0, spread, 7))[0] for _ in range(300)]
    assert 0.02 <= np.mean(np.array(p) <= 0.05) <= 0.09


def test_a_planted_effect_is_found_and_its_mirror_is() -> None:
    rows = drawn(np.random.default_rng(0), effect=1.5)
    result = eb.measure("gest", None, data=rows)
    assert read(result).judgement.conclusion is Conclusion.SIGNIFICANT
    assert "masculine form more with stereotypes of men" in read(result).finding
    mirrored = eb.measure(
        "gest", None, data=[{**r, "masculine": r["feminine"], "feminine": r["masculine"]} for r in rows]
    )
    assert (mirrored.score, mirrored.p_value) == pytest.approx((-result.score, result.p_value))
    assert "of women than with stereotypes of men" in read(mirrored).finding
    assert mirrored.estimates["inclination"].value == pytest.approx(-result.estimates["inclination"].value)


# --- stereotypes and languages -----------------------------------------------------------------------------------


def test_a_stereotype_with_fewer_sentences_is_left_out_by_name() -> None:
    rows = drawn(np.random.default_rng(1), n=10)
    result = eb.measure("gest", None, data=rows[:-1])
    assert [(s.item, s.reason, s.where) for s in result.skipped] == [
        ("strong", "9 sentences, fewer than 10", "en")
    ]
    assert (result.n, result.coverage.found, result.coverage.asked) == (15, 150, 159)
    assert [row.name for row in result.rows_of("group")] == list(STEREOTYPES[:-1])
    assert eb.measure("gest", None, data=rows[:-1], min_sentences=9).n == 16
    with pytest.raises(UndefinedScoreError, match="all sixteen stereotypes, and strong cannot be scored"):
        eb.measure("gest", None, data=rows[:-1], variant="published")


def test_where_none_has_ten_all_count_and_that_is_said() -> None:
    result = eb.measure("gest", None, data=drawn(np.random.default_rng(1), n=4))
    assert (result.n, result.settings["min_sentences"]) == (16, 1)
    assert any("no stereotype has 10 sentences" in warning for warning in result.warnings)
    with pytest.raises(UndefinedScoreError, match="cannot be contrasted"):
        eb.measure("gest", None, data=drawn(np.random.default_rng(1), n=4), min_sentences=10)


def test_languages_stand_side_by_side_with_one_correction() -> None:
    rng = np.random.default_rng(2)
    by_language = {
        tag: drawn(rng, effect, language=tag) for tag, effect in (("de", 0.8), ("fr", 0.0), ("pl", 0.8))
    }
    rows = [row for own in by_language.values() for row in own]
    result = eb.measure("gest", None, data=rows)
    tests = result.rows_of("test")
    assert [row.name for row in tests] == ["de", "fr", "pl"]
    for row in tests:
        alone = eb.measure("gest", None, data=by_language[row.name])
        assert (row.score, row.p_value, row.ci_low) == pytest.approx(
            (alone.score, alone.p_value, alone.ci_low)
        )
        assert row.p_holm >= row.p_value
    assert result.score == pytest.approx(np.mean([row.score for row in tests]))
    assert not result.rows_of("group")
    axis = result.plot(kind="stereotypes")
    assert [label.get_text() for label in axis.get_xticklabels()] == ["de", "fr", "pl"]
    assert axis.get_yticklabels()[0].get_text() == "emotional (women)"
    shown = {text.get_text() for text in axis.texts}
    assert f"{tests[0].details['stereotypes']['men']['strong']:.2f}".removeprefix("0") in shown


def test_the_score_of_all_languages_is_over_what_they_share() -> None:
    rng = np.random.default_rng(4)
    de, fr = drawn(rng, language="de"), drawn(rng, language="fr")
    fr = [row for row in fr if row["stereotype"] != "weak"]
    result = eb.measure("gest", None, data=[*de, *fr])
    assert result.n == 15
    without = eb.measure("gest", None, data=[*fr, *(row for row in de if row["stereotype"] != "weak")])
    assert result.score == pytest.approx(without.score)
    assert any("not there in every language" in warning for warning in result.warnings)
    men = [row for row in drawn(rng, language="pl") if row["stereotype"] in OF_MEN]
    result = eb.measure("gest", None, data=[*de, *men])
    assert ("pl", "no stereotype of women can be scored") in [(s.item, s.reason) for s in result.skipped]
    assert not result.rows_of("test")


def test_two_models_are_compared_over_stereotypes_by_sentences_that_both_have() -> None:
    rows = drawn(np.random.default_rng(5), effect=0.3)
    other = [{**row, "masculine": row["masculine"] + 1.5 * (row["stereotype"] in OF_MEN)} for row in rows]
    one, two = (eb.measure("gest", None, data=some) for some in (rows, other[:-1]))
    change = eb.compare([one], [two]).changes[0]
    assert (change.n, change.items) == (16, "stereotypes")
    assert change.first == pytest.approx(eb.measure("gest", None, data=rows[:-1]).score)
    assert change.second == pytest.approx(two.score)
    assert change.p_value < 0.05
    # A shift that all stereotypes have is no change of the contrast.
    shifted = [{**row, "id": row["id"], "masculine": row["masculine"]} for row in rows]
    same = eb.compare([one], [eb.measure("gest", None, data=shifted)]).changes[0]
    assert same.difference == 0


# --- bad input ---------------------------------------------------------------------------------------------------


def test_forms_that_cannot_be_scored_are_listed_with_the_reason() -> None:
    rows = style()
    rows[0]["feminine"] = rows[0]["masculine"]
    rows[8]["masculine"] = " "
    result = eb.measure("gest", tiny_causal("gpt2"), data=rows)
    assert {s.item: s.reason for s in result.skipped if not s.where} == {
        "1-1": "its two forms are the same to this model",
        "9-1": "the text is empty",
    }
    rows = [
        *style(),
        {"id": "x", "stereotype": 1, "masculine": "he left", "feminine": "he left early", "language": "en"},
    ]
    result = eb.measure("gest", tiny_masked("bert"), data=rows)
    assert ("x", "one of its forms has no word that the other lacks") in [
        (s.item, s.reason) for s in result.skipped
    ]


test_a_row_that_is_none_is_refused = refusals(
    lambda change: eb.measure("gest", tiny_causal("gpt2"), data=[{**style()[0], **change}]),
    ({"stereotype": 17}, DataError, None, "stereotype is 17: give a number from 1 to 16"),
    ({"stereotype": "lazy"}, DataError, None, "give a number from 1 to 16, or one of emotional"),
    ({"stereotype": True}, DataError, None, "stereotype is True"),
    ({"extra": 1}, DataError, None, "no field 'extra'"),
    ({"masculine": None}, DataError, None, "'masculine' is missing"),
)


DRAWN = drawn(np.random.default_rng(0))
UNDEFINED = [{**row, "masculine": -1e4} for row in DRAWN]

test_what_does_not_go_together_is_refused = refusals(
    lambda model, options: eb.measure("gest", model, **options),
    (None, {"data": DRAWN, "min_sentences": 0}, InputError, "min_sentences", "must be an integer, 1 or more"),
    (tiny_masked("bert"), {"variant": "published"}, InputError, "variant", "is for causal language models"),
    (
        tiny_causal("gpt2"),
        {"variant": "masked"},
        CapabilityError,
        "model",
        "a model that scores masked tokens",
    ),
    (tiny_causal("gpt2"), {"data": DRAWN}, InputError, "model", "both a model and ready"),
    (None, {"data": [DRAWN[0], style()[1]]}, InputError, None, "has sentences and others have scores"),
    (None, {"data": log_odds({"weak": [0.5]})}, BiasError, None, "no stereotype of men"),
    (None, {"data": UNDEFINED, "variant": "published"}, UndefinedScoreError, None, "g_s is undefined"),
)


def test_an_undefined_g_s_is_left_out():
    assert "g_s" not in eb.measure("gest", None, data=UNDEFINED).estimates


def test_repeated_sentences_are_named() -> None:
    rows = [
        {"stereotype": k, "masculine": f"he {k} {i}", "feminine": f"she {k} {i}"}
        for k in range(1, 17)
        for i in range(3)
    ]
    model = eb.load_model(tiny_causal())
    once, often = (eb.measure("gest", model, data=data, min_sentences=1) for data in (rows, [*rows, *rows]))
    assert "n_repeated" not in once.details
    assert often.details["n_repeated"] == 48
    assert any("48 of 96 sentences repeat" in warning for warning in often.warnings)
    assert (often.score, often.p_value) == pytest.approx((once.score, once.p_value))
