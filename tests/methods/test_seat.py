"""SEAT: against one sentence at a time, worked cases, properties, bad input, and what its p-values are worth."""

from __future__ import annotations

import copy
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
import transformers
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import evaluate_bias as eb
from evaluate_bias.data.seat_tests import load_seat_tests
from evaluate_bias.data.templates import load_templates, parse_template, template_languages
from evaluate_bias.errors import (
    CapabilityError,
    CoverageError,
    DataError,
    InputError,
    ModelError,
    UndefinedScoreError,
    UnknownNameError,
)
from evaluate_bias.methods.association.seat import method as seat
from evaluate_bias.methods.association.seat.clustered import SentenceTest
from evaluate_bias.methods.association.seat.stimuli import stimuli_of
from evaluate_bias.methods.word_lists.association import AssociationOutcome, association_test
from evaluate_bias.methods.word_lists.cosines import WordTest
from evaluate_bias.methods.word_lists.inference import Inference, difference_test
from evaluate_bias.methods.word_lists.inputs import forms_of
from evaluate_bias.models.pooling import Representation
from evaluate_bias.result import Skipped
from tests.support.naive_seat import OneAtATime, effect_size
from tests.support.tiny_models import CAUSAL, MASKED, SIZES, tiny_causal, tiny_masked, wordpiece_tokenizer

GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "seat.json").read_text(encoding="utf-8"))
LISTS = ("targets_x", "targets_y", "attributes_a", "attributes_b")
TEMPLATES = ["This is {target}.", "{target} is here.", "The person's name is {target}"]
TEST = {
    "name": "work",
    "targets_x": ["doctor", "engineer", "old man"],
    "targets_y": ["nurse", "grandmother", "daughters"],
    "attributes_a": ["he", "bridge", "hardworking"],
    "attributes_b": ["she", "unfriendly"],
}
LAYERS: list[Any] = [0, 1, -1, "mean", (1, 3)]
QUICK: dict[str, Any] = {"ci": "none", "p_method": "normal"}


def run(model: Any, test: Any = TEST, **options: Any) -> eb.Result:
    options.setdefault("ci_resamples", 199)
    options.setdefault("templates", TEMPLATES)
    return eb.evaluate("seat", model, data=[test] if isinstance(test, Mapping) else test, **options)


def filled(template: str, word: str) -> str:
    text = template.replace("{target}", word)
    return text[:1].upper() + text[1:] if text.endswith(".") else text


def naive_score(one: OneAtATime, representation: Representation, test: Mapping[str, Any] = TEST) -> float:
    sets = [
        [
            one(filled(t, w), w, representation.pooling, representation.layer)
            for w in test[name]
            for t in TEMPLATES
            if one.knows(filled(t, w), w)
        ]
        for name in LISTS
    ]
    return effect_size(*sets)


def precise(pair: tuple[Any, Any]) -> tuple[Any, Any]:
    """The same model in double precision, so that a difference is one of the formulas."""
    return copy.deepcopy(pair[0]).double(), pair[1]


def check_all(pair: tuple[Any, Any], representations: Sequence[Representation], **loading: Any) -> None:
    pair = precise(pair)
    model = eb.load_model(pair, progress=False, **loading)
    found = seat.sweep(model, [TEST], representations, templates=TEMPLATES, **QUICK)
    one = OneAtATime(pair)
    assert list(found) == [str(r) for r in representations]
    for representation in representations:
        expected = naive_score(one, representation)
        assert found[str(representation)].score == pytest.approx(expected, abs=1e-5), str(representation)


# --- against one sentence at a time ---------------------------------------------------------------------------


@pytest.mark.parametrize("family", MASKED)
def test_every_pooling_and_layer_of_every_masked_family(family: str) -> None:
    poolings = ("cls", "target_first", "target_mean", "sentence_mean", "last_token")
    wanted = [Representation(p, n) for p in poolings for n in LAYERS]
    check_all(tiny_masked(family), [r for r in wanted if str(r) != "cls@0"])


def test_cls_before_the_first_layer_is_the_same_everywhere() -> None:
    with pytest.raises(
        UndefinedScoreError, match=r"work \(cls@0\): the effect size is undefined: all targets"
    ):
        run(tiny_masked("bert"), representation="cls@0")


@pytest.mark.parametrize("family", [f for f in CAUSAL if f != "gemma2"])
def test_every_pooling_and_layer_of_every_causal_family(family: str) -> None:
    poolings = ("target_first", "target_mean", "sentence_mean", "last_token")
    check_all(tiny_causal(family), [Representation(p, n) for p in poolings for n in LAYERS])


def test_single_precision_agrees_to_its_rounding() -> None:
    """Gemma's masks overflow in double precision."""
    pair = tiny_causal("gemma2")
    for name in ("target_mean", "last_token"):
        found = run(pair, representation=name, **QUICK).score
        assert found == pytest.approx(naive_score(OneAtATime(pair), Representation(name)), abs=1e-5)


def test_encoder_and_the_first_four_layers() -> None:
    torch.manual_seed(0)
    tokenizer = wordpiece_tokenizer()
    config = transformers.BertConfig(vocab_size=len(tokenizer), **{**SIZES, "num_hidden_layers": 5})
    pair = transformers.BertModel(config).eval(), tokenizer
    check_all(pair, [Representation("first4_mean"), Representation("cls"), Representation("target_mean", 4)])


@pytest.mark.parametrize("budget", [1, 9, 10_000])
def test_batch_budget_changes_nothing(budget: int) -> None:
    check_all(
        tiny_masked("bert"), [Representation("cls"), Representation("target_mean", 1)], batch_tokens=budget
    )


def test_order_of_words_and_tests_changes_nothing() -> None:
    model = eb.load_model(tiny_masked("roberta"), progress=False)
    other = {**TEST, "name": "other", "targets_x": ["bridge", "patient"], "targets_y": ["he", "she"]}
    turned = {k: list(reversed(v)) if k in LISTS else v for k, v in TEST.items()}
    plain = run(model, [TEST, other])
    mixed = run(model, [other, turned])
    for a, b in zip(plain.items, reversed(mixed.items), strict=True):
        for key in ("score", "p_sentences", "p_value", "difference", "sd"):
            assert a[key] == pytest.approx(b[key], abs=1e-6)
    alone = run(model, TEST, p_method="monte_carlo", n_resamples=500)
    company = run(model, [other, TEST], p_method="monte_carlo", n_resamples=500)
    for key in ("p_value", "ci_low", "ci_high"):
        assert alone.items[0][key] == pytest.approx(company.items[1][key], abs=1e-6)


def test_a_sweep_reads_every_text_once_and_equals_single_runs() -> None:
    model = eb.load_model(tiny_masked("bert"), progress=False)

    class Counting:
        name = "counting"
        texts: list[str] = []  # noqa: RUF012

        def provenance(self) -> Mapping[str, Any]:
            return model.provenance()

        def embed_in_context(self, texts: Any, spans: Any, representations: Any) -> Any:
            self.texts.extend(texts)
            return model.embed_in_context(texts, spans, representations)

    names = ["cls", "target_mean@1", "sentence_mean"]
    found = seat.sweep(Counting(), [TEST], names, templates=TEMPLATES, **QUICK)
    assert len(Counting.texts) == 11 * len(TEMPLATES)
    for name in names:
        single = run(model, representation=name, **QUICK)
        assert found[name].score == pytest.approx(single.score, abs=1e-6)
        assert found[name].settings == {**single.settings, "ci_resamples": 9_999}


@pytest.mark.slow
def test_minilm_one_sentence_at_a_time() -> None:
    model = eb.load_model("minilm-l6", progress=False)
    tests = load_seat_tests(tests=["weat7"])
    representations = ["cls", "target_first", "target_mean", "sentence_mean", "first4_mean", "last_token"]
    found = seat.sweep(model, list(tests), representations, **QUICK)
    one = OneAtATime((model.model, model.tokenizer))
    bleached = load_templates("seat-bleached")
    filled = [
        [(s.text, s.surface("target")) for s in bleached.expand(getattr(tests[0], name)).sentences]
        for name in LISTS
    ]
    for name in representations:
        sets = [[one(text, word, name, -1) for text, word in sentences] for sentences in filled]
        assert found[name].score == pytest.approx(effect_size(*sets), abs=1e-5), name


# --- worked cases ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("case", GOLDEN["cases"], ids=lambda c: c["name"])
def test_golden(case: dict[str, Any]) -> None:
    result = run(case["vectors"], case["test"], ci="none", **case["options"])
    for key, value in case["expected"].items():
        found = result.items[0]["score" if key == "effect_size" else key]
        assert found == pytest.approx(value, rel=1e-12), key
    assert result.score == pytest.approx(case["expected"]["effect_size"])
    assert result.p_value == pytest.approx(case["expected"]["p_value"])
    assert result.extra["p_sentences"] == pytest.approx(case["expected"]["p_sentences"])
    side = case["options"].get("alternative", "two-sided")
    assert result.p_method == f"exact permutation test of words, {side}"


def vectors_for(test: Mapping[str, Any], seed: int = 0, extra: Sequence[str] = ()) -> dict[str, list[float]]:
    rng = np.random.default_rng(seed)
    words = dict.fromkeys([w for name in LISTS for w in test[name]] + list(extra))
    return {w: rng.normal(size=5).tolist() for w in words}


PLAIN = {
    "name": "plain",
    "targets_x": ["p", "q", "r", "s"],
    "targets_y": ["t", "u", "v", "w"],
    "attributes_a": ["a", "b", "c"],
    "attributes_b": ["d", "e"],
}


def test_words_alone_are_weat() -> None:
    vectors = vectors_for(PLAIN)
    ours = run(vectors, PLAIN, templates="none", representation="target_mean")
    theirs = eb.evaluate("weat", vectors, data=[PLAIN], ci_resamples=199)
    assert ours.score == pytest.approx(theirs.score, abs=1e-12)
    assert ours.p_value == theirs.p_value == ours.items[0]["p_sentences"]
    assert (ours.ci_low, ours.ci_high) == pytest.approx((theirs.ci_low, theirs.ci_high), abs=1e-9)
    for mine, other in zip(ours.items[0]["words"], theirs.items[0]["words"], strict=True):
        assert mine["association"] == pytest.approx(other["association"], abs=1e-12)
        assert mine["influence"] == pytest.approx(other["influence"], abs=1e-12)


def test_weat_on_a_contextual_model() -> None:
    pair = tiny_masked("bert")
    result = run(pair, templates="none", representation="target_mean")
    one = OneAtATime(pair)
    sets = [[one(w, w, "target_mean", -1) for w in TEST[name]] for name in LISTS]
    assert result.score == pytest.approx(effect_size(*sets), abs=1e-5)  # float32, divided by a small spread
    assert result.items[0]["sentences_x"] == 3


def test_ready_sentences_and_duplicates_do_not_collapse() -> None:
    pair = tiny_masked("bert")
    sentences = {
        "name": "ready",
        "targets_x": ["The nurse said she left.", "The nurse said she left.", "Nobody believed it."],
        "targets_y": ["The engineer said he left.", "He left."],
        "attributes_a": ["The patient is old."],
        "attributes_b": ["The bridge is old."],
    }
    result = run(pair, sentences, templates="none", representation="sentence_mean")
    one = OneAtATime(pair)
    sets = [[one(s, s, "sentence_mean", -1) for s in sentences[name]] for name in LISTS]
    assert result.score == pytest.approx(effect_size(*sets), abs=1e-5)  # float32, divided by a small spread
    item = result.items[0]
    assert (item["n_x"], item["sentences_x"]) == (2, 3)
    assert any(
        "'The nurse said she left.' is given 2 times and counts as often" in w for w in result.warnings
    )
    # The vector of "the word" in a ready sentence is that of all of it.
    whole = run(pair, sentences, templates="none", representation="target_mean")
    assert whole.score == pytest.approx(result.score, abs=1e-6)


def test_equal_sentences_of_different_words_do_not_collapse() -> None:
    vectors = vectors_for(PLAIN)
    vectors |= {"x1": vectors["p"], "x2": vectors["p"]}
    twice = {**PLAIN, "targets_x": ["x1", "x2", "q", "r"]}
    once = {**PLAIN, "targets_x": ["p", "q", "r"]}
    a, b = (run(vectors, t, templates="none", **QUICK) for t in (twice, once))
    assert abs(a.score - b.score) > 1e-3


def test_words_that_the_model_does_not_tell_apart_are_one_word() -> None:
    """Written in other letters a word has the same vectors, so its sentences are those of a word given twice."""
    vectors = vectors_for(PLAIN, extra=["is"])
    model = eb.load_model(vectors, case="first_found")
    options = {"templates": ["{target}", "is {target}"], "ci_resamples": 49}
    tests = [{**PLAIN, "targets_x": x} for x in (list("ppqrs"), list("pPqrs"), list("srqPp"))]
    first, *others = (run(model, test, **options) for test in tests)
    for other in others:
        assert other.score == pytest.approx(first.score)
        assert (other.p_value, other.n, other.coverage) == (first.p_value, first.n, first.coverage)
        assert (other.ci_low, other.ci_high) == pytest.approx((first.ci_low, first.ci_high))
    assert "plain/targets_x: 'P', 'p' is given 2 times and counts as often" in others[0].warnings
    assert [w["word"] for w in others[0].rows[0].details["words"][:4]] == ["P", "q", "r", "s"]
    apart = run({**vectors, "P": [1.0, 0.0, 2.0, 0.0, 1.0]}, tests[1], **options)
    assert apart.n == first.n + 1
    with pytest.raises(InputError, match="'T' in both targets_x and targets_y"):
        run(model, {**PLAIN, "targets_x": list("pqrT")}, **options)


def test_an_uncased_model_does_not_tell_capitals_apart() -> None:
    model = eb.load_model(tiny_masked("bert"), progress=False)
    assert model.is_uncased
    twice, alike = (
        run(model, {**TEST, "attributes_a": [*TEST["attributes_a"], word]}, **QUICK)
        for word in (TEST["attributes_a"][0], TEST["attributes_a"][0].upper())
    )
    assert alike.score == pytest.approx(twice.score, abs=1e-5)
    assert alike.rows[0].details["n_a"] == twice.rows[0].details["n_a"] == len(TEST["attributes_a"])


def test_static_vectors_take_the_mean_of_a_sentence() -> None:
    vectors = vectors_for(PLAIN, extra=["this", "is"])
    result = run(vectors, PLAIN, templates=["{target}", "this is {target}"], **QUICK)
    sets = [
        [
            np.mean([vectors[v] for v in words], axis=0)
            for w in PLAIN[name]
            for words in ([w], ["this", "is", w])
        ]
        for name in LISTS
    ]
    assert result.score == pytest.approx(effect_size(*sets), abs=1e-9)
    assert result.settings["representation"] == "sentence_mean"


# --- templates, presets, representations ---------------------------------------------------------------------


def test_the_templates_of_the_paper() -> None:
    result = run(tiny_masked("roberta"), load_seat_tests(tests=["weat6"]), templates=None, **QUICK)
    item = result.items[0]
    assert (item["sentences_x"], item["sentences_a"], item["sentences_b"]) == (64, 90, 108)
    assert result.settings["templates"] == "seat"
    assert result.settings["representation"] == "cls"
    assert [w["sentences"] for w in item["words"]] == [8] * 16


@pytest.mark.parametrize("name", ["double-bind-competent", "double-bind-likable"])
def test_double_binds_have_templates_of_their_own(name: str) -> None:
    test = load_seat_tests(tests=[name])
    first = run(tiny_masked("roberta"), test, templates="seat", **QUICK)
    sides = {"targets": name, "attributes": "double-bind-attribute"}
    assert first.items == run(tiny_masked("roberta"), test, templates=sides, **QUICK).items
    assert first.items[0]["sentences_x"] == 8


def test_all_default_tests_have_sentences_for_every_word() -> None:
    vectors = eb.load_model("glove-6b-50d")
    result = eb.evaluate("seat", vectors, templates="seat", **QUICK)
    assert [i["name"] for i in result.items] == [
        *(f"weat{k}" for k in range(1, 11)),
        "angry-black-woman",
        "angry-black-woman-terms",
        "double-bind-competent",
        "double-bind-likable",
    ]
    assert all("not in the vocabulary" in s.reason or "no vector" in s.reason for s in result.skipped), (
        result.skipped
    )


@pytest.mark.parametrize("language", template_languages("seat-bleached"))
def test_every_packaged_word_has_sentences_in_its_language(language: str) -> None:
    for test in load_seat_tests(language=language):
        forms = {name: forms_of(None, getattr(test, name)) for name in LISTS}
        for name, one in stimuli_of(test, forms, "seat").items():
            assert {s.word for s in one.sentences} == set(range(len(one.words))), f"{test.name}/{name}"
            assert all(0 <= s.span[0] < s.span[1] <= len(s.text) for s in one.sentences)


@pytest.mark.parametrize(
    ("preset", "templates", "representation"),
    [
        ("may", "seat", "cls"),
        ("tan_celis", "seat", "target_first"),
        ("delobelle", "delobelle-bleached", "target_mean"),
    ],
)
def test_presets(preset: str, templates: str, representation: str) -> None:
    model = eb.load_model(tiny_masked("roberta"), progress=False)
    tests = load_seat_tests(tests=["weat6"])
    found = run(model, tests, preset=preset, templates=None, **QUICK)
    spelled = run(model, tests, templates=templates, representation=representation, **QUICK)
    assert found.items == spelled.items
    assert found.settings == {**spelled.settings, "preset": preset}


def test_preset_of_lauscher() -> None:
    assert seat.PRESETS["lauscher"].templates == "none"
    assert seat.PRESETS["lauscher"].representation == "first4_mean"
    with pytest.raises(InputError, match="no layer 4; this model has layers 1 to 3"):
        run(tiny_masked("bert"), preset="lauscher", templates=None)


@pytest.mark.parametrize(
    ("model", "expected"),
    [
        (tiny_masked("roberta"), "cls"),
        (tiny_causal("gpt2"), "last_token"),
        (vectors_for(PLAIN), "sentence_mean"),
    ],
    ids=["masked", "causal", "static"],
)
def test_the_representation_of_a_sentence_by_kind_of_model(model: Any, expected: str) -> None:
    test = PLAIN if expected == "sentence_mean" else TEST
    options = {"templates": "none", **QUICK}
    automatic = run(model, test, **options)
    assert automatic.settings["representation"] == expected
    assert automatic.items == run(model, test, representation=expected, **options).items


def test_layer_is_part_of_the_representation() -> None:
    model = eb.load_model(tiny_masked("bert"), progress=False)
    for layer, written in ((1, "@1"), (-2, "@-2"), ((1, 2), "@1+2"), ("mean", "@mean")):
        split = run(model, representation="target_mean", layer=layer, **QUICK)
        assert split.items == run(model, representation=f"target_mean{written}", **QUICK).items
        assert split.settings["representation"] == f"target_mean{written}"
    assert run(model, layer=1, **QUICK).settings["representation"] == "cls@1"


def test_template_objects_and_sides() -> None:
    model = eb.load_model(tiny_masked("bert"), progress=False)
    made = [parse_template(t) for t in TEMPLATES]
    assert run(model, templates=made, **QUICK).items == run(model, **QUICK).items
    sides = run(model, templates={"targets": TEMPLATES, "attributes": "none"}, **QUICK)
    assert (sides.items[0]["sentences_x"], sides.items[0]["sentences_a"]) == (9, 3)
    assert sides.settings["templates"] == {"targets": TEMPLATES, "attributes": "none"}


# --- what is reported -----------------------------------------------------------------------------------------


def test_result_survives_json_and_a_seed_fixes_it() -> None:
    result = run(tiny_masked("bert"), [TEST, {**TEST, "name": "again"}])
    assert eb.Result.from_json(result.to_json()) == result
    assert run(tiny_masked("bert"), [TEST, {**TEST, "name": "again"}]).to_json() == result.to_json()
    assert run(tiny_masked("bert"), [TEST, {**TEST, "name": "again"}], seed=1).ci_high != result.ci_high
    assert result.score == pytest.approx(np.mean([abs(i["score"]) for i in result.items]))
    # The same words with the same numbers: the splits of both tests are the same, and the p-value is that of one.
    assert result.p_value == pytest.approx(run(tiny_masked("bert")).p_value, abs=0.01)
    assert result.n == 12
    assert result.coverage.to_dict() == {"found": 22, "asked": 22, "share": 1.0}
    assert result.ci_low < result.score < result.ci_high


def test_words_without_a_sentence_are_listed() -> None:
    vectors = vectors_for(PLAIN)
    del vectors["s"]
    result = run(vectors, PLAIN, templates="none", max_missing=0.3)
    assert [(s.item, s.where) for s in result.skipped] == [("s", "plain/targets_x")]
    assert result.coverage.to_dict()["found"] == 12
    assert result.items[0]["n_x"] == 3
    assert result.score_range[1] > 2.0
    with pytest.raises(
        CoverageError, match=r"plain/targets_x: 1 of 4 words give no sentence .* \(s\).*max_missing"
    ):
        run(vectors, PLAIN, templates="none")


def test_a_word_of_unknown_kind_is_listed_with_the_way_out() -> None:
    test = {
        "name": "kinds",
        "targets_x": ["man", "boy", "flibber"],
        "targets_y": ["woman", "girl"],
        "attributes_a": ["math"],
        "attributes_b": ["art"],
    }
    found = run(tiny_masked("roberta"), test, templates="seat-bleached", max_missing=0.5, **QUICK)
    assert [s.item for s in found.skipped] == ["flibber"]
    assert "its kind is not known" in found.skipped[0].reason
    with pytest.raises(CoverageError, match=r"flibber.*kind is not known.*templates=\['This is"):
        run(tiny_masked("roberta"), test, templates="seat-bleached")


def test_sentences_too_long_for_the_model_are_listed() -> None:
    long = " ".join(["she"] * 80) + " {target}"
    result = run(tiny_masked("bert"), templates=["This is {target}.", long], **QUICK)
    assert result.items[0]["sentences_x"] == 3
    assert len(result.skipped) == 11
    assert all("doctor" in s.reason or s.item != "doctor" for s in result.skipped)
    with pytest.raises(CoverageError, match="work/targets_x: none of its 3 words gives a sentence"):
        run(tiny_masked("bert"), templates=[long])


def test_a_word_of_many_pieces_is_averaged() -> None:
    test = {**TEST, "targets_x": ["uncommunicative" * 3, "doctor"]}
    pair = precise(tiny_masked("bert"))
    assert len(pair[1].tokenize("uncommunicative" * 3)) > 10
    result = run(pair, test, representation="target_mean", **QUICK)
    assert result.score == pytest.approx(
        naive_score(OneAtATime(pair), Representation("target_mean"), test), abs=1e-6
    )


def test_a_word_of_no_piece_is_listed() -> None:
    hyphen = "\N{SOFT HYPHEN}"  # BERT's normaliser takes it away
    test = {**TEST, "targets_x": [*TEST["targets_x"], hyphen]}
    result = run(tiny_masked("bert"), test, max_missing=0.3, representation="target_mean", **QUICK)
    assert {s.item for s in result.skipped} == {hyphen}
    assert "the tokenizer finds no token" in result.skipped[0].reason
    assert result.score == pytest.approx(
        run(tiny_masked("bert"), representation="target_mean", **QUICK).score
    )


def test_the_p_value_over_words_is_set_against_that_over_sentences() -> None:
    rng = np.random.default_rng(3)
    base = {
        "p": [1.0, 0.4],
        "q": [0.6, 0.5],
        "r": [0.2, 0.9],
        "t": [0.1, 1.0],
        "u": [0.5, 0.6],
        "v": [0.7, 0.3],
    }
    filler = {f"f{i}": (0.02 * rng.normal(size=2)).tolist() for i in range(6)}
    vectors = {**base, **filler, "a": [1.0, 0.0], "b": [0.0, 1.0]}
    test = {
        "name": "few",
        "targets_x": ["p", "q", "v"],
        "targets_y": ["r", "t", "u"],
        "attributes_a": ["a"],
        "attributes_b": ["b"],
    }
    result = run(vectors, test, templates=["{target}", *(f"f{i} {{target}}" for i in range(6))])
    item = result.items[0]
    assert (
        item["p_sentences"] == result.extra["p_sentences"] < 0.001 < 0.05 <= item["p_value"] == result.p_value
    )


def test_a_sign_that_depends_on_the_number_of_sentences_is_told() -> None:
    vectors = {
        "p": [1.0, 0.0],
        "q": [0.0, 1.0],
        "r": [0.8, 0.6],
        "t": [0.6, 0.8],
        "a": [1.0, 0.0],
        "b": [0.0, 1.0],
    }
    test = {
        "targets_x": ["p", "p", "p", "q"],
        "targets_y": ["r", "t"],
        "attributes_a": ["a"],
        "attributes_b": ["b"],
    }
    plain = run(vectors, {"name": "even", **test}, templates="none", **QUICK)
    assert plain.score > 0
    assert not any("other sign" in w for w in plain.warnings)
    vectors["r"] = [0.9, 0.1]
    turned = run(vectors, {"name": "odd", **test}, templates="none", **QUICK)
    assert turned.score > 0
    assert any(w.startswith("odd: d, in which every sentence counts once, is") for w in turned.warnings)


# --- the arithmetic of sentences that belong to words -----------------------------------------------------------


def clustered_test(sets: Any, owners: Any, **options: Any) -> AssociationOutcome:
    return association_test(SentenceTest.from_vectors(sets, owners), Inference(**options))


def groups(draw: Any, n_words: int) -> list[int]:
    counts = draw(st.lists(st.integers(1, 3), min_size=n_words, max_size=n_words))
    return [i for i, k in enumerate(counts) for _ in range(k)]


@st.composite
def clustered(draw: Any) -> tuple[list[np.ndarray], list[list[int]]]:
    words = [groups(draw, draw(st.integers(2, 4))) for _ in range(4)]
    numbers = st.floats(-1, 1).filter(lambda v: abs(v) > 1e-3)
    sets = [draw(hnp.arrays(np.float64, (len(w), 3), elements=numbers, unique=True)) for w in words]
    return sets, words


@settings(max_examples=40, deadline=None)
@given(clustered(), st.integers(0, 2**16))
def test_swaps_scale_and_rotation(data: tuple[list[np.ndarray], list[list[int]]], seed: int) -> None:
    (x, y, a, b), (of_x, of_y, of_a, of_b) = data
    options: dict[str, Any] = {"p_method": "normal", "ci": "none"}
    try:
        plain = clustered_test([x, y, a, b], [of_x, of_y, of_a, of_b], **options)
    except UndefinedScoreError:
        return
    targets = clustered_test([y, x, a, b], [of_y, of_x, of_a, of_b], **options)
    attributes = clustered_test([x, y, b, a], [of_x, of_y, of_b, of_a], **options)
    assert targets.effect_size == pytest.approx(-plain.effect_size, abs=1e-9)
    assert attributes.effect_size == pytest.approx(-plain.effect_size, abs=1e-9)
    rng = np.random.default_rng(seed)
    turn, _ = np.linalg.qr(rng.normal(size=(3, 3)))
    moved = [v @ turn * rng.uniform(0.1, 10, (len(v), 1)) for v in (x, y, a, b)]
    assert clustered_test(moved, data[1], **options).effect_size == pytest.approx(plain.effect_size, abs=1e-7)
    assert plain.effect_size == pytest.approx(effect_size(x, y, a, b), abs=1e-9)


@settings(max_examples=25, deadline=None)
@given(clustered())
def test_one_sentence_a_word_is_the_plain_test(data: tuple[list[np.ndarray], list[list[int]]]) -> None:
    """To the bit where both take means of cosines, as with vectors longer than the lists; else up to rounding."""
    sets = [np.pad(vectors, ((0, 0), (0, 20))) for vectors in data[0]]
    try:
        plain = association_test(WordTest.from_vectors(*sets), Inference(ci="none"))
    except UndefinedScoreError:
        return
    found = clustered_test(sets, [range(len(s)) for s in sets], ci="none")
    assert found.effect_size == plain.effect_size
    assert found.permutation.p_value == plain.permutation.p_value
    for key in "xyab":
        assert found.influence[key] == pytest.approx(plain.influence[key], abs=1e-9)
    of_means = association_test(WordTest.from_vectors(*data[0]), Inference(ci="none"))
    assert found.effect_size == pytest.approx(of_means.effect_size, abs=1e-9)
    assert found.permutation.p_value == of_means.permutation.p_value


def test_the_interval_draws_words_with_all_their_sentences() -> None:
    rng = np.random.default_rng(0)
    words = [[0, 0, 0, 1, 2, 2], [0, 1, 1, 2], [0, 0, 1], [0, 1, 1, 1]]
    sets = [rng.normal(size=(len(w), 4)) for w in words]
    found = clustered_test(sets, words, ci="percentile", ci_resamples=50, seed=5)
    generators = np.random.default_rng(5).spawn(4)
    draws = [g.integers(0, max(w) + 1, (50, max(w) + 1)) for g, w in zip(generators, words, strict=True)]
    interval = found.interval
    assert interval is not None
    assert interval.replicates is not None
    for k, replicate in enumerate(interval.replicates):
        drawn = [
            [v for word in draw[k] for v, of in zip(vectors, w, strict=True) if of == word]
            for vectors, w, draw in zip(sets, words, draws, strict=True)
        ]
        assert replicate == pytest.approx(effect_size(*drawn), abs=1e-9)


def test_p_over_words_is_calibrated_and_p_over_sentences_is_not() -> None:
    """Words differ, groups do not: three noisy sentences of each of five and five words."""
    rng = np.random.default_rng(11)
    a, b = np.eye(4)[:1], np.eye(4)[1:2]
    words = [np.repeat(np.arange(5), 3)] * 2 + [np.zeros(1, dtype=int)] * 2
    p: list[tuple[float, float]] = []
    for _ in range(400):
        sets = [
            np.repeat(rng.normal(size=(5, 4)), 3, axis=0) + 0.2 * rng.normal(size=(15, 4)) for _ in range(2)
        ]
        found = clustered_test([*sets, a, b], words, ci="none", p_method="normal")
        sides = SentenceTest.from_vectors([*sets, a, b], words).sides
        of_sentences = difference_test(*sides, 1e-12, Inference(p_method="normal"))
        p.append((of_sentences.p_value, found.permutation.p_value))
    sentences, of_words = (np.mean(np.array(values) <= 0.05) for values in zip(*p, strict=True))
    assert 0.02 < of_words < 0.09
    assert sentences > 0.12


# --- bad input ------------------------------------------------------------------------------------------------


class Constant:
    """A model whose every embedding is the same, or what it is told."""

    name = "constant"

    def __init__(self, value: Any = 1.0) -> None:
        self.value = value

    def provenance(self) -> Mapping[str, Any]:
        return {"kind": "double", "name": self.name}

    def embed_in_context(self, texts: Any, spans: Any, representations: Any) -> list[Any]:
        return [np.full((len(representations), 3), self.value) for _ in texts]


@pytest.mark.parametrize(
    ("options", "error", "text"),
    [
        ({"templates": ["This is a nurse."]}, DataError, "has no slot"),
        ({"templates": ["{target} is {target}."]}, DataError, "slot 'target' twice"),
        ({"templates": ["{target} is {attribute}."]}, DataError, "needs the one slot {target}"),
        ({"templates": ["{person} is here."]}, DataError, "needs the one slot {target}"),
        (
            {"templates": {"targets": "none", "attributes": ["{target}", "{attribute}"]}},
            DataError,
            "the same in all",
        ),
        ({"templates": []}, InputError, "templates is empty"),
        ({"templates": 3}, InputError, "templates must be the name of a set"),
        ({"templates": {"targets": "none"}}, InputError, "need the keys 'targets' and 'attributes'"),
        ({"templates": "seat-bleech"}, UnknownNameError, "unknown template set"),
        ({"templates": "SEAT"}, UnknownNameError, "did you mean 'seat'"),
        ({"preset": "mai", "templates": None}, InputError, "preset must be 'may'"),
        ({"preset": "may"}, InputError, "sets templates and representation; leave these out"),
        ({"representation": "mean"}, InputError, "there is no representation 'mean'"),
        ({"representation": "cls@x"}, InputError, "after '@' comes a layer"),
        ({"representation": "cls@1", "layer": 2}, InputError, "names a layer already"),
        ({"layer": 9}, InputError, "no layer 9; this model has layers 1 to 3"),
        ({"ddof": 2}, InputError, "ddof"),
        ({"seed": -1}, InputError, "seed must be a whole number"),
        ({"max_missing": 2}, InputError, "max_missing must be a share"),
        ({"ci": "t"}, InputError, "ci must be"),
        ({"alternative": "both"}, InputError, "alternative"),
    ],
    ids=lambda v: str(v)[:40] if isinstance(v, dict) else None,
)
def test_bad_options(options: dict[str, Any], error: type[Exception], text: str) -> None:
    model = eb.load_model(tiny_masked("bert"), progress=False)
    with pytest.raises(error, match=text):
        seat.evaluate(model, [TEST], **({"templates": TEMPLATES} | options))


def test_cls_of_a_model_that_has_none() -> None:
    with pytest.raises(CapabilityError, match="has no 'cls'; use 'sentence_mean'"):
        run(tiny_causal("gpt2"), representation="cls")
    with pytest.raises(CapabilityError, match="'cls'|static|word vectors"):
        run(vectors_for(PLAIN), PLAIN, representation="cls")


def test_a_model_that_embeds_no_text() -> None:
    with pytest.raises(CapabilityError, match="embeds words in context"):
        seat.evaluate(object(), [TEST])  # type: ignore[arg-type]
    with pytest.raises(InputError, match="seat needs model="):
        eb.evaluate("seat", None, data=[TEST])


def test_constant_zero_and_undefined_embeddings() -> None:
    with pytest.raises(UndefinedScoreError, match=r"work \(cls\): the effect size is undefined: all targets"):
        seat.evaluate(Constant(), [TEST], templates="none")
    with pytest.raises(InputError, match="the embedding of 'doctor' is zero"):
        seat.evaluate(Constant(0.0), [TEST], templates="none")
    with pytest.raises(ModelError, match="returns NaN or infinite numbers"):
        seat.evaluate(Constant(np.nan), [TEST], templates="none")


def test_language_without_templates() -> None:
    with pytest.raises(
        UnknownNameError, match=r"unknown language 'sw': the template set 'seat-bleached' has de, en,"
    ):
        run(tiny_masked("bert"), {**TEST, "language": "sw"}, templates="seat")
    run(tiny_masked("bert"), {**TEST, "language": "sw"}, **QUICK)


def test_ready_sentences_are_put_into_no_template() -> None:
    test = {**TEST, "targets_x": ["This is a doctor.", "This is an engineer."]}
    with pytest.raises(InputError, match="is a sentence already; ready sentences need templates='none'"):
        run(tiny_masked("bert"), test)


def test_bad_lists() -> None:
    for change, error, text in (
        ({"targets_x": []}, UndefinedScoreError, "work/targets_x is empty"),
        ({"targets_x": ["nurse", "doctor"]}, InputError, "'nurse' in both targets_x and targets_y"),
        ({"targets_x": "doctor"}, DataError, "targets_x"),
    ):
        with pytest.raises(error, match=text):
            run(tiny_masked("bert"), {**TEST, **change})
    with pytest.raises(InputError, match="two tests are called 'work'"):
        run(tiny_masked("bert"), [TEST, TEST])
    with pytest.raises(UndefinedScoreError, match="no test was given: seat needs"):
        run(tiny_masked("bert"), [])
    one = {**TEST, "targets_x": ["doctor"]}
    with pytest.raises(
        UndefinedScoreError,
        match=r"work \(cls\): the test needs at least two target sentences in each set, got 1 and 3",
    ):
        run(tiny_masked("bert"), one, templates="none")
    with pytest.raises(InputError, match="name at least one representation"):
        seat.sweep(eb.load_model(tiny_masked("bert")), [TEST], [])


def test_shared_attributes_are_told() -> None:
    test = {**TEST, "attributes_b": ["she", "unfriendly", "he"]}
    assert any("he in both attribute lists" in w for w in run(tiny_masked("bert"), test).warnings)


def test_a_skip_of_the_model_is_a_skip_of_the_result() -> None:
    class Partial(Constant):
        def embed_in_context(self, texts: Any, spans: Any, representations: Any) -> list[Any]:
            rng = np.random.default_rng(0)
            return [
                Skipped(t, "refused") if t == "This is he." else rng.normal(size=(len(representations), 3))
                for t in texts
            ]

    result = seat.evaluate(Partial(), [TEST], templates=TEMPLATES, representation="cls", **QUICK)
    assert [(s.item, s.reason, s.where) for s in result.skipped] == [
        ("he", "'This is he.': refused", "work/attributes_a")
    ]
    assert result.items[0]["sentences_a"] == 8
