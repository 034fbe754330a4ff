"""CEAT: against loops, worked cases, properties, bad input, and what its p-value is worth."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import evaluate_bias as eb
from evaluate_bias.errors import (
    CoverageError,
    DataError,
    InputError,
    UndefinedScoreError,
)
from evaluate_bias.methods.association.ceat import method as ceat
from evaluate_bias.methods.association.ceat.method import interval_over_words, sampled_effect_sizes, stream
from evaluate_bias.methods.word_lists.inference import Inference, derive_seed
from evaluate_bias.stats import bootstrap_ci, effect_size_variance, random_effects
from tests.support.naive_seat import OneAtATime, associations, effect_size
from tests.support.refusals import refusals
from tests.support.tiny_models import loaded_bert, tiny_causal, tiny_masked

from .vector_tests import Constant

LISTS = ("targets_x", "targets_y", "attributes_a", "attributes_b")
TEST: dict[str, Any] = {
    "name": "work",
    "targets_x": ["doctor", "engineer", "man"],
    "targets_y": ["nurse", "grandmother", "daughters"],
    "attributes_a": ["he", "bridge"],
    "attributes_b": ["she", "football"],
}
CORPUS = [
    "The nurse said that she would help the doctor.",
    "The engineer told everyone he was not able to fix the bridge.",
    "My grandmother plays football.",
    "Nobody saw the daughters of the old man.",
    "A doctor and an engineer left the bridge.",
    "The man believed the nurse.",
    "She plays football with her daughters.",
    "He helped the grandmother.",
    "The old man said he was a doctor.",
    "The nurse left the football to the engineer.",
]


def run(model: Any, test: Any = TEST, **options: Any) -> eb.Result:
    options = {"contexts": CORPUS, "samples": 40} | options
    return eb.measure("ceat", model, data=[test] if isinstance(test, Mapping) else test, **options)


def contexts_of(word: str, corpus: Sequence[str] = CORPUS) -> list[str]:
    return [s for s in corpus if word in s.lower().rstrip(".").split()]


def naive(pair: tuple[Any, Any], samples: int, seed: int = 0) -> tuple[list[float], list[float]]:
    """Effect sizes and variances, one sample, one sentence and one pair of words at a time."""
    one = OneAtATime(pair)
    words = {w for name in LISTS for w in TEST[name]}
    draws = {
        w: stream(derive_seed("work", seed), w).integers(0, len(contexts_of(w)), samples).tolist()
        for w in words
    }
    effects, variances = [], []
    for k in range(samples):
        sets = [
            [one(contexts_of(w)[draws[w][k]], w, "target_mean", -1) for w in TEST[name]] for name in LISTS
        ]
        effects.append(effect_size(*sets))
        s = [*associations(sets[0], *sets[2:]), *associations(sets[1], *sets[2:])]
        variances.append(float(np.var(s, ddof=1)))
    return effects, variances


# --- against loops --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("pair", [tiny_masked("bert"), tiny_causal("llama")], ids=["bert", "llama"])
@pytest.mark.parametrize("variance", ["reference", "hedges"])
def test_one_sample_at_a_time(pair: tuple[Any, Any], variance: Any) -> None:
    effects, variances = naive(pair, 40)
    result = run(pair, variance=variance)
    v = variances if variance == "reference" else effect_size_variance(effects, 3, 3)
    expected = random_effects(effects, v)
    item = result.items[0]
    assert result.score == pytest.approx(expected.effect, abs=1e-5)
    for key in ("tau2", "i2", "standard_error", "q"):
        assert item[key] == pytest.approx(getattr(expected, key), rel=1e-3, abs=1e-5), key
    assert item["effect_sizes"]["quantiles"] == pytest.approx(np.quantile(effects, ceat.QUANTILES), abs=1e-5)
    assert item["effect_sizes"]["mean"] == pytest.approx(np.mean(effects), abs=1e-5)


@st.composite
def material(draw: Any) -> tuple[list[list[np.ndarray]], list[list[np.ndarray]]]:
    n = draw(st.integers(1, 6))
    elements = st.floats(-1, 1).filter(lambda v: abs(v) > 1e-3)
    vectors, draws = [], []
    for least in (2, 2, 1, 1):
        contexts = [draw(st.integers(1, 3)) for _ in range(draw(st.integers(least, 3)))]
        vectors.append(
            [draw(hnp.arrays(np.float64, (k, 3), elements=elements, unique=True)) for k in contexts]
        )
        draws.append([draw(hnp.arrays(np.int64, n, elements=st.integers(0, k - 1))) for k in contexts])
    return vectors, draws


@settings(max_examples=60, deadline=None)
@given(material())
def test_vectorised_arithmetic(data: tuple[Any, Any]) -> None:
    vectors, draws = data
    n = len(draws[0][0])
    sets = [
        [
            [word[d[k]] for word, d in zip(words, drawn, strict=True)]
            for words, drawn in zip(*data, strict=True)
        ]
        for k in range(n)
    ]
    scores = [[associations(group[i], *group[2:]) for i in (0, 1)] for group in sets]
    if min(np.ptp([*x, *y]) for x, y in scores) < 1e-9:
        return
    found = sampled_effect_sizes(tuple(vectors), tuple(draws))
    assert found.effect_sizes == pytest.approx([effect_size(*s) for s in sets], abs=1e-7)
    assert found.variances == pytest.approx([np.var([*x, *y], ddof=1) for x, y in scores], rel=1e-7)
    assert found.means_x == pytest.approx(np.mean([x for x, _ in scores], axis=0), abs=1e-12)
    assert found.means_y == pytest.approx(np.mean([y for _, y in scores], axis=0), abs=1e-12)


# --- worked cases ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("variance", ["reference", "hedges"])
def test_the_bootstrap_over_words_combines_the_effect_sizes_of_the_words_drawn(variance: Any) -> None:
    """Against the score itself, of the words of every bootstrap sample with the contexts that they had."""
    rng = np.random.default_rng(3)
    sizes, n = (4, 5, 3, 2), 100
    vectors: Any = tuple([rng.normal(size=(6, 5)) for _ in range(k)] for k in sizes)
    draws: Any = tuple([rng.integers(0, 6, n) for _ in range(k)] for k in sizes)

    def score(places: Any) -> float:
        some = [
            tuple([words[i] for i in own] for words, own in zip(lists, places, strict=True))
            for lists in (vectors, draws)
        ]
        found = sampled_effect_sizes(*some)  # type: ignore[arg-type]
        d = found.effect_sizes
        v = found.variances if variance == "reference" else effect_size_variance(d, *sizes[:2])
        return random_effects(d, v).effect

    drawn: list[Any] = []

    def record(indices: Any) -> Any:
        drawn.append([list(own) for own in zip(*indices, strict=True)])
        return np.arange(len(indices[0]), dtype=float)

    lists = [[f"{name}{i}" for i in range(k)] for name, k in zip("xyab", sizes, strict=True)]
    bootstrap_ci(lists, record, n_resamples=20, method="percentile", seed=5)
    (places,) = drawn[1:]
    whole = score([range(k) for k in sizes])
    inference = Inference(ci="percentile", ci_resamples=20, confidence_level=0.9, seed=5)
    options: Any = {"words": lists, "variance": variance, "inference": inference}
    found = interval_over_words(vectors, draws, whole, **options)
    assert found is not None
    assert found.estimate == whole
    assert found.replicates == pytest.approx([score(p) for p in places])
    moved = interval_over_words(vectors, draws, whole + 0.1, **options)
    assert moved is not None
    assert (moved.low, moved.high) == pytest.approx((found.low + 0.1, found.high + 0.1))


# --- properties -----------------------------------------------------------------------------------------------


def noisy_vectors(seed: int) -> tuple[dict[str, list[float]], list[str]]:
    """Vectors of the words, and a corpus in which each stands beside one of five fillers."""
    rng = np.random.default_rng(seed)
    words = [w for name in LISTS for w in TEST[name]]
    fillers = [f"f{i}" for i in range(5)]
    vectors = {w: rng.normal(size=6).tolist() for w in (*words, *fillers)}
    return vectors, [f"{w} {f}" for w in words for f in fillers]


def test_more_samples_shrink_the_p_value_by_construction() -> None:
    vectors, corpus = noisy_vectors(1)
    options = {"contexts": corpus, "representation": "sentence_mean", "variance": "hedges"}
    results = [run(vectors, samples=n, **options) for n in (20, 200, 2_000)]
    for result in results:
        half = 1.959963985 * result.items[0]["standard_error"]
        of_paper = result.estimates["over_contexts"]
        assert (of_paper.low, of_paper.high) == pytest.approx((result.score - half, result.score + half))
    widths = [r.estimates["over_contexts"].high - r.estimates["over_contexts"].low for r in results]
    assert widths[0] > 2 * widths[1] > 4 * widths[2]
    over_words = [r.ci_high - r.ci_low for r in results]
    assert max(over_words) < 1.1 * min(over_words)
    assert results[2].extra["p_contexts"] < 0.001 * results[0].extra["p_contexts"]
    assert min(r.p_value for r in results) > 0.1
    for result, n in zip(results, (20, 200, 2_000), strict=True):
        assert f"shrink with the number of samples ({n}) by construction" in result.warnings[0]


# --- options and what is reported -----------------------------------------------------------------------------


def test_without_replacement_no_context_comes_twice(bert: Any) -> None:
    wide = {**TEST, "targets_x": ["doctor", "man"], "attributes_a": ["he"], "attributes_b": ["football"]}
    wide["targets_y"] = ["nurse", "engineer"]
    result = run(bert, wide, samples=3, replace=False)
    item = result.items[0]
    assert [w["contexts"] for w in item["words"]] == [3, 3, 3, 3]
    for word in ("doctor", "nurse"):
        drawn = stream(derive_seed("work", 0), word).permutation(3)[:3]
        assert sorted(drawn.tolist()) == [0, 1, 2]
    with pytest.raises(CoverageError, match="2 of 2 words have too few contexts"):
        run(bert, wide, samples=4, replace=False)


def test_words_with_too_few_contexts_are_listed(bert: Any) -> None:
    result = run(bert, min_contexts=2, max_missing=0.7)
    assert {(s.item, s.reason) for s in result.skipped if s.where == "work/targets_y"} == set()
    rare = run(bert, {**TEST, "targets_x": [*TEST["targets_x"], "patient"]}, max_missing=0.3)
    assert [s.to_dict() for s in rare.skipped] == [
        {"item": "patient", "reason": "no sentence of the corpus contains it", "where": "work/targets_x"}
    ]
    assert rare.coverage.to_dict()["found"] == 10
    three = run(bert, min_contexts=3, max_missing=0.7)
    assert ("grandmother", "it has 2 contexts and 3 are needed") in {
        (s.item, s.reason) for s in three.skipped
    }
    with pytest.raises(CoverageError, match="1 of 4 words have too few contexts"):
        run(bert, {**TEST, "targets_x": [*TEST["targets_x"], "patient"]})
    assert any("fewer than 10 contexts of doctor (3)" in w for w in result.warnings)


def test_words_alike_count_once(bert: Any) -> None:
    """To an uncased model, and in a search that does not look at capitals; the one in small letters is kept."""
    plain = run(bert)
    for targets in (["Doctor", "doctor", "engineer", "man"], ["man", "doctor", "engineer", "Doctor"]):
        alike = run(bert, {**TEST, "targets_x": targets})
        assert (alike.score, alike.p_value, alike.n) == (plain.score, plain.p_value, plain.n)
        assert [(s.item, s.reason) for s in alike.skipped] == [
            ("Doctor", "the same word as 'doctor', counted once")
        ]
    with pytest.raises(InputError, match="'doctor' in both targets_x and targets_y"):
        run(bert, {**TEST, "targets_y": [*TEST["targets_y"], "Doctor"]})


def test_a_text_file_and_the_capitals(bert: Any, tmp_path: Path) -> None:
    file = tmp_path / "corpus.txt"
    file.write_text("\n".join(CORPUS), encoding="utf-8")
    found = run(bert, contexts=str(file))
    assert found.items == run(bert).items
    assert found.settings["contexts"] == str(file)
    assert found.provenance["contexts"]["en"]["sentences_read"] == len(CORPUS)
    loud = [*CORPUS, "THE DOCTOR LEFT."]
    counts = [
        next(
            w["contexts"]
            for w in run(bert, contexts=loud, cased=c).items[0]["words"]
            if w["word"] == "doctor"
        )
        for c in (True, False)
    ]
    assert counts == [3, 4]


# --- bad input ------------------------------------------------------------------------------------------------


def refused(model: Any, **options: Any) -> Any:
    return ceat.evaluate(model, [TEST], **({"contexts": CORPUS, "samples": 20} | options))


test_bad_options = refusals(
    lambda options: refused(loaded_bert(), **options),
    ({"max_contexts": 2, "min_contexts": 3}, InputError, "max_contexts", "must be at least `min_contexts`"),
    ({"layer": 7}, InputError, "layer", "this model has layers 1 to 3"),
    ({"contexts": []}, DataError, None, "has no sentences"),
    ({"contexts": ["", "  "]}, DataError, None, "has no sentences"),
    ({"contexts": [1, 2]}, (DataError, InputError), "contexts", "sentences|texts"),
    ({"contexts": "no such corpus"}, DataError, None, "neither a corpus of this library"),
)

test_constant_zero_and_undefined_embeddings = refusals(
    refused,
    (Constant(1.0), UndefinedScoreError, None, "undefined in 20 of 20 samples"),
    (Constant(0.0), InputError, None, "an embedding is zero"),
)


def test_samples_without_an_effect_size_are_told() -> None:
    rng = np.random.default_rng(0)
    constant = [[np.ones((1, 2)) for _ in range(2)], [np.array([[1.0, 1.0], [1.0, 0.5]])]]
    vectors = (*constant, [np.array([[1.0, 0.0]])], [np.array([[0.0, 1.0]])])
    drawn = np.ones(100, dtype=int)
    drawn[:4] = 0
    zeros = np.zeros(100, dtype=int)
    found = sampled_effect_sizes(vectors, ([zeros, zeros], [drawn], [zeros], [zeros]))
    assert (found.n_undefined, len(found.effect_sizes)) == (4, 96)
    drawn[rng.permutation(100)[:50]] = 0
    with pytest.raises(UndefinedScoreError, match="of 100 samples: all targets are equally associated"):
        sampled_effect_sizes(vectors, ([zeros, zeros], [drawn], [zeros], [zeros]))


def test_embeddings_whose_squares_cannot_be_computed_are_refused() -> None:
    """Their norms are infinite, and all cosines would be 0."""
    lists = tuple([np.full((2, 3), 1e200), np.ones((2, 3))] for _ in range(4))
    chosen = tuple([np.zeros(5, dtype=int)] * 2 for _ in range(4))
    with pytest.raises(InputError, match=r"1e\+200"):
        sampled_effect_sizes(lists, chosen)  # type: ignore[arg-type]
