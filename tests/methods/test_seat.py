"""SEAT: against one sentence at a time, worked cases, properties, bad input, and what its p-values are worth."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import evaluate_bias as eb
from evaluate_bias.data.templates import load_templates
from evaluate_bias.data.word_lists import load_seat_tests
from evaluate_bias.errors import (
    CoverageError,
    DataError,
    InputError,
    UndefinedScoreError,
    UnknownNameError,
)
from evaluate_bias.methods.association.seat import method as seat
from evaluate_bias.methods.association.seat.method import SentenceTest
from evaluate_bias.methods.word_lists.association import AssociationOutcome, association_test
from evaluate_bias.methods.word_lists.cosines import WordTest
from evaluate_bias.methods.word_lists.inference import Inference, difference_test
from evaluate_bias.models.pooling import Representation
from evaluate_bias.stats import item_streams
from tests.support.naive_seat import OneAtATime, effect_size
from tests.support.refusals import refusals
from tests.support.tiny_models import CAUSAL, MASKED, tiny_causal, tiny_masked

from .vector_tests import Constant

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
    return eb.measure("seat", model, data=[test] if isinstance(test, Mapping) else test, **options)


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


@pytest.mark.parametrize("family", [f for f in CAUSAL if f != "gemma2"])
def test_every_pooling_and_layer_of_every_causal_family(family: str) -> None:
    poolings = ("target_first", "target_mean", "sentence_mean", "last_token")
    check_all(tiny_causal(family), [Representation(p, n) for p in poolings for n in LAYERS])


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


@pytest.mark.nightly
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
    theirs = eb.measure("weat", vectors, data=[PLAIN], ci_resamples=199)
    assert ours.score == pytest.approx(theirs.score, abs=1e-12)
    assert ours.p_value == theirs.p_value == ours.items[0]["p_sentences"]
    assert (ours.ci_low, ours.ci_high) == pytest.approx((theirs.ci_low, theirs.ci_high), abs=1e-9)
    for mine, other in zip(ours.items[0]["words"], theirs.items[0]["words"], strict=True):
        assert mine["association"] == pytest.approx(other["association"], abs=1e-12)
        assert mine["influence"] == pytest.approx(other["influence"], abs=1e-12)


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


# --- what is reported -----------------------------------------------------------------------------------------


def test_words_without_a_sentence_are_listed() -> None:
    vectors = vectors_for(PLAIN)
    del vectors["s"]
    result = run(vectors, PLAIN, templates="none", max_missing=0.3)
    assert [(s.item, s.where) for s in result.skipped] == [("s", "plain/targets_x")]
    assert result.coverage.to_dict()["found"] == 12
    assert result.items[0]["n_x"] == 3
    assert result.score_range[1] > 2.0
    with pytest.raises(CoverageError, match="1 of 4 words give no sentence"):
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
    with pytest.raises(CoverageError, match="kind is not known"):
        run(tiny_masked("roberta"), test, templates="seat-bleached")


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


@settings(max_examples=40, deadline=None)
@given(clustered(), st.integers(0, 2**16))
def test_scale_and_rotation(data: tuple[list[np.ndarray], list[list[int]]], seed: int) -> None:
    x, y, a, b = data[0]
    options: dict[str, Any] = {"p_method": "normal", "ci": "none"}
    try:
        plain = clustered_test(*data, **options)
    except UndefinedScoreError:
        return
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
    streams = item_streams([max(w) + 1 for w in words], 5)
    draws = [rng.integers(0, len(order), (50, len(order))) for order, rng in streams]
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


def with_options(options: dict[str, Any]) -> Any:
    model = eb.load_model(tiny_masked("bert"), progress=False)
    return seat.evaluate(model, [TEST], **({"templates": TEMPLATES} | options))


test_bad_options = refusals(
    with_options,
    ({"templates": ["This is a nurse."]}, DataError, None, "has no slot"),
    ({"templates": ["{target} is {attribute}."]}, DataError, None, "needs the one slot {target}"),
    (
        {"templates": {"targets": "none", "attributes": ["{target}", "{attribute}"]}},
        DataError,
        None,
        "same in all",
    ),
    ({"templates": []}, InputError, "templates", "`templates` is empty"),
    ({"templates": 3}, InputError, "templates", "`templates` must be a string, a list"),
    ({"templates": {"targets": "none"}}, InputError, "templates", "have the keys 'targets' and 'attributes'"),
    ({"templates": "seat-bleech"}, UnknownNameError, "templates", "unknown template set"),
    ({"templates": "SEAT"}, UnknownNameError, "templates", "did you mean 'seat'"),
    ({"preset": "may"}, InputError, "preset", "sets `templates` and `representation`; omit these"),
    ({"representation": "cls@1", "layer": 2}, InputError, "layer", "names a layer already"),
    ({"layer": 9}, InputError, "layer", r"no layer 9 \(this model has layers 1 to 3"),
)


def test_constant_zero_and_undefined_embeddings() -> None:
    with pytest.raises(UndefinedScoreError, match=r"work: the effect size is undefined: all targets"):
        seat.evaluate(Constant(), [TEST], templates="none")
    with pytest.raises(InputError, match="the embedding of 'doctor' is zero"):
        seat.evaluate(Constant(0.0), [TEST], templates="none")
