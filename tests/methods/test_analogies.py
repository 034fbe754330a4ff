"""Analogies: naive loops, gensim, what is left out, bad input. The golden cases are in the common table."""

from __future__ import annotations

import math

import numpy as np
import pytest

import evaluate_bias as eb
from evaluate_bias.data.dataset_record import is_control
from evaluate_bias.data.words import load_analogies
from evaluate_bias.errors import DataError, InputError, UndefinedScoreError
from evaluate_bias.methods.direction.analogies import method as search
from tests.support.draws import draws
from tests.support.refusals import refused

from .vector_tests import cos

SOLVERS = ("3cosadd", "3cosmul", "pair_distance", "similarity", "3cosavg", "lrcos")


def unit(rng, *shape):
    found = rng.normal(size=shape)
    return found / np.linalg.norm(found, axis=-1, keepdims=True)


def naive(solver, q, i, d):
    """What a solver gives one word, in a loop over the numbers."""
    a, b, c = q.a[i], q.b[i], q.c[i]
    if solver == "3cosadd":
        return sum(x * (r - p + s) for x, p, r, s in zip(d, a, b, c, strict=True))
    if solver == "3cosavg":
        return sum(x * (s + o) for x, s, o in zip(d, c, q.learnt[i], strict=True))
    if solver == "3cosmul":
        near = [(cos(d, v) + 1) / 2 for v in (b, c, a)]
        return near[0] * near[1] / (near[2] + 0.001)
    if solver == "pair_distance":
        return cos([x - s for x, s in zip(d, c, strict=True)], [r - p for p, r in zip(a, b, strict=True)])
    if solver == "similarity":
        return -math.dist(
            [r - p for p, r in zip(a, b, strict=True)], [x - s for x, s in zip(d, c, strict=True)]
        )
    *weights, intercept = q.learnt[i]
    odds = sum(x * w for x, w in zip(d, weights, strict=True)) + intercept
    return cos(d, c) / (1 + math.exp(-odds))


@pytest.mark.parametrize("solver", SOLVERS)
@draws(100)
def test_solvers_agree_with_naive_loops(solver, seed, monkeypatch):
    rng = np.random.default_rng(seed)
    n, words, size, k = (int(rng.integers(*ends)) for ends in ((1, 5), (9, 40), (2, 7), (1, 6)))
    a, b, c, offsets = unit(rng, 4, n, size).astype(np.float32)
    weights = rng.normal(size=(n, size + 1)).astype(np.float32)
    questions = search.Questions(a, b, c, weights if solver == "lrcos" else offsets)
    vocabulary = unit(rng, words, size).astype(np.float32)
    cuts = np.sort(rng.integers(0, words, size=2))
    monkeypatch.setattr(search, "_CELLS", int(rng.integers(1, 40)))
    ids, worth = search.solve(questions, np.split(vocabulary, cuts), solver, k)
    assert ids.shape == (n, k)
    for i in range(n):
        values = [naive(solver, questions, i, d) for d in vocabulary]
        best = sorted(values, reverse=True)[:k]
        assert worth[i] == pytest.approx(best, rel=2e-4, abs=2e-5)
        assert [values[j] for j in ids[i]] == pytest.approx(best, rel=2e-4, abs=2e-5)


def test_equal_values_come_in_the_order_of_the_vocabulary():
    q = search.Questions(a=np.eye(3, dtype="f")[:1], b=np.eye(3, dtype="f")[1:2], c=np.eye(3, dtype="f")[2:])
    same = np.tile(np.array([[0.0, 0.6, 0.8]], dtype="f"), (7, 1))
    for blocks in ([same], [same[:1], same[1:4], same[4:]]):
        assert search.solve(q, blocks, "3cosadd", 3)[0].tolist() == [[0, 1, 2]]


def made(seed=0, n=12, words=60, size=6):
    rng = np.random.default_rng(seed)
    names = [f"w{i}" for i in range(words)]
    rows = [
        {"a": a, "b": b, "c": c, "expected": list(more), "relation": f"r{i % 2}"}
        for i, (a, b, c, *more) in enumerate(rng.permutation(names)[:7].tolist() for _ in range(n))
    ]
    return dict(zip(names, rng.normal(size=(words, size)), strict=True)), rows


def words_of(row, key="answers"):
    return [a["word"] for a in row.details[key]]


@pytest.mark.parametrize("solver", SOLVERS)
def test_shares_are_those_of_the_answers(solver):
    vectors, rows = made(n=30)
    result = eb.measure("analogies", vectors, data=rows, solver=solver, k=4)
    items = result.rows_of("item")
    assert len(items) == len(rows) == result.n
    inputs = [{r["a"], r["b"], r["c"]} for r in rows]
    counts = dict.fromkeys(("score", "unrestricted_share", "input_share", "top_k_share"), 0)
    for item, asked, own in zip(items, rows, inputs, strict=True):
        answers, everything = words_of(item), words_of(item, "nothing_ruled_out")
        assert len(answers) == len(everything) == 4
        assert own.isdisjoint(answers)
        assert [w for w in everything if w not in own] == answers[: len(set(everything) - own)]
        counts["score"] += answers[0] in asked["expected"]
        counts["unrestricted_share"] += everything[0] in asked["expected"]
        counts["input_share"] += everything[0] in own
        counts["top_k_share"] += not set(asked["expected"]).isdisjoint(answers)
        assert (item.details["rank"] is not None) == (not set(asked["expected"]).isdisjoint(answers))
    found = {"score": result.score} | {key: e.value for key, e in result.estimates.items()}
    assert found == pytest.approx({key: count / 30 for key, count in counts.items()})
    wilson = eb.stats.wilson_interval(counts["score"], 30, 0.95)
    assert (result.ci_low, result.ci_high, result.p_value) == (wilson.low, wilson.high, None)
    assert sum(row.n for row in result.rows_of("group")) == 30


def test_what_is_learnt_leaves_the_own_pair_out():
    """The pair that holds the answer may lie anywhere: it changes no answer."""
    vectors, _ = made(5)
    rows = [
        {"a": f"w{i}", "b": f"w{i + 10}", "c": f"w{j}", "expected": [f"w{j + 10}"], "relation": "r"}
        for i, j in ((0, 1), (1, 2), (2, 3), (3, 0))
    ]
    own = [{"a": "w1", "b": "w11", "c": "w40", "expected": ["w41"], "relation": "r"}]
    whole = eb.measure("analogies", vectors, data=[*rows, *own], solver="3cosavg")
    without = eb.measure("analogies", vectors, data=[r for r in rows if r["a"] != "w1"], solver="3cosavg")
    more = eb.measure("analogies", vectors, data=[r for r in rows if r["a"] != "w2"], solver="3cosavg")
    first = [r.rows_of("item")[0].details["answers"][0]["value"] for r in (whole, without, more)]
    assert first[0] == first[1] != first[2]


def test_3cosavg_learns_from_two_sets_of_unequal_size():
    vectors, _ = made(6)
    question = {"a": "w0", "b": "w10", "c": "w3", "expected": ["w13"]}
    sets = {"sources": ["w0", "w1", "w2"], "targets": ["w10", "w11"]}
    result = eb.measure("analogies", vectors, data=[{**question, **sets}], solver="3cosavg", k=3)
    units = {word: v / np.linalg.norm(v) for word, v in vectors.items()}
    offset = np.mean([units[w] for w in sets["targets"]], axis=0) - np.mean(
        [units[w] for w in sets["sources"]], axis=0
    )
    values = {
        w: v @ (units["w3"] + offset)
        for w, v in units.items()
        if w not in ("w3", *sets["sources"], *sets["targets"])
    }
    best = sorted(values, key=values.get, reverse=True)[:3]
    assert words_of(result.rows_of("item")[0]) == best
    # Sets of equal size give what their pairs give.
    pairs = [{"a": f"w{i}", "b": f"w{i + 10}", "c": "w3", "expected": ["w13"]} for i in range(2)]
    of_pairs = eb.measure("analogies", vectors, data=pairs, solver="3cosavg")
    sets = {"sources": ["w0", "w1"], "targets": ["w10", "w11"]}
    of_sets = eb.measure("analogies", vectors, data=[{**question, **sets}], solver="3cosavg")
    one, other = (
        {a["word"]: a["value"] for a in r.rows_of("item")[0].details["nothing_ruled_out"]}
        for r in (of_pairs, of_sets)
    )
    assert one == pytest.approx(other)
    with pytest.raises(DataError, match="sources"):
        eb.measure("analogies", vectors, data=[{**question, "sources": ["w0"]}], solver="3cosavg")


def test_similarity_depends_on_the_length_of_vectors():
    vectors = {"a": [1.0, 0], "b": [3.0, 0], "c": [0.0, 1.0], "near": [2.2, 1.0], "along": [8.0, 4.0]}
    question = {"a": "a", "b": "b", "c": "c", "expected": ["near"]}
    result = eb.measure("analogies", vectors, data=[question], solver="similarity", k=2)
    assert words_of(result.rows_of("item")[0]) == ["near", "along"]
    assert result.rows_of("item")[0].details["answers"][0]["value"] == pytest.approx(-0.2, abs=1e-5)


def test_an_answer_may_be_a_word_of_the_question():
    vectors = {
        "man": [1.0, 0.0, 0.0],
        "woman": [0.9, 0.1, 0.0],
        "doctor": [0.3, 0.0, 1.0],
        "nurse": [0.0, 0.5, 1.0],
    }
    question = {"a": "man", "b": "woman", "c": "doctor", "expected": ["doctor"]}
    result = eb.measure("analogies", vectors, data=[question], exclude_inputs=False, k=1)
    assert (result.score, words_of(result.rows_of("item")[0])) == (1.0, ["doctor"])
    assert result.rows_of("item")[0].details["rank"] == 1
    with pytest.raises(UndefinedScoreError):
        eb.measure("analogies", vectors, data=[question], k=1)


def test_a_relation_with_nothing_to_learn_from_is_listed():
    vectors, _ = made()
    own = {"a": "w1", "b": "w2", "c": "w2", "expected": ["w3"], "relation": "alone"}
    more = {"a": "w4", "b": "w5", "c": "w6", "expected": ["w7"], "relation": "other"}
    result = eb.measure("analogies", vectors, data=[own, more], solver="3cosavg")
    assert [(s.item, s.where) for s in result.skipped] == [("w1 : w2 :: w2 : ?", "alone")]
    both = [{**more, "c": "w8"}, {**more, "a": "w5", "b": "w4", "c": "w9"}]
    with pytest.raises(UndefinedScoreError, match="same words on both sides"):
        eb.measure("analogies", vectors, data=both, solver="lrcos")


def test_lrcos_draws_its_random_words_from_the_seed():
    vectors, rows = made(4, words=200)
    values = [
        [
            r.details["answers"][0]["value"]
            for r in eb.measure("analogies", vectors, data=rows, solver="lrcos", seed=s).rows_of("item")
        ]
        for s in (0, 0, 1)
    ]
    assert values[0] == values[1] != values[2]


def test_what_cannot_be_asked_is_listed():
    vectors, _ = made()
    vectors["zero"] = np.zeros(6)
    base = {"a": "w1", "b": "w2", "c": "w3", "expected": ["w4"]}
    bad = {
        "no vector, or a zero one, of nowhere": {**base, "a": "nowhere"},
        "no vector, or a zero one, of zero": {**base, "c": "zero"},
        "its first word occurs in it twice": {**base, "b": "w1"},
        "the expected words are words of the question": {**base, "expected": ["w2", "w3"]},
        "given more than once, counted once": base,
        "no expected word among the 60 words that are searched": {
            **base,
            "a": "w9",
            "expected": ["none", "zero"],
        },
    }
    result = eb.measure("analogies", vectors, data=[base, *bad.values()])
    assert [s.reason for s in result.skipped] == list(bad)
    assert (result.n, result.coverage.found, result.coverage.asked) == (1, 1, 7)
    assert any("1 words with a zero vector, such as 'zero'" in w for w in result.warnings)
    with pytest.raises(UndefinedScoreError, match="none of the 1 questions .* occurs in it twice"):
        eb.measure("analogies", vectors, data=[{**base, "c": "w1"}])


@pytest.mark.parametrize("scale", [1e200, 1e-200])
@pytest.mark.parametrize("word", ["king", "other"], ids=["of a question", "of the vocabulary"])
def test_vectors_whose_squares_cannot_be_computed_are_refused(word, scale):
    vectors = {w: np.eye(5)[i] + 1.0 for i, w in enumerate(("man", "woman", "king", "queen", "other"))}
    vectors[word] = vectors[word] * scale
    question = {"a": "man", "b": "woman", "c": "king", "expected": ["queen"]}
    refused(InputError, word, eb.measure, "analogies", vectors, data=[question], k=1)


def test_controls_are_left_out_of_the_score():
    vectors, rows = made(2)
    first = eb.measure("analogies", vectors, data=rows).rows_of("item")
    hits = [
        {**r, "expected": [words_of(i)[0]], "bias_type": "none (control)", "relation": "facts"}
        for r, i in zip(rows, first, strict=True)
    ]
    misses = [{**r, "a": r["b"], "b": r["a"], "expected": ["w0"]} for r in rows if "w0" not in r.values()]
    result = eb.measure("analogies", vectors, data=[*hits, *misses])
    assert result.estimates["control_share"].value == 1.0
    assert result.n == len(misses) - len(result.skipped)
    assert result.score < 1
    alone = eb.measure("analogies", vectors, data=hits)
    assert alone.score == 1.0
    assert any("the score is theirs" in w for w in alone.warnings)


def test_only_the_first_words_are_searched():
    vectors, _ = made()
    asked = [{"a": "w1", "b": "w2", "c": "w55", "expected": ["w4", "w59"]}]
    result = eb.measure("analogies", vectors, data=asked, max_vocabulary=20, k=17)
    (item,) = result.rows_of("item")
    assert set(words_of(item)) <= {f"w{i}" for i in range(20)}
    assert result.details["words_searched"] == 20
    with pytest.raises(InputError, match="20 words are searched, and 21 are needed"):
        eb.measure("analogies", vectors, data=asked, max_vocabulary=20, k=18)
    with pytest.raises(UndefinedScoreError, match="no expected word among the 20 words"):
        eb.measure("analogies", vectors, data=[{**asked[0], "expected": ["w59"]}], max_vocabulary=20)


def test_the_packaged_questions():
    rows = load_analogies()
    controls = [r for r in rows if is_control(r.bias_type)]
    assert (len(rows), len(controls)) == (50, 20)
    assert {r.relation for r in controls}.isdisjoint(r.relation for r in rows if r not in controls)
    assert len({(r.a, r.b, r.c) for r in rows}) == 50
    assert all({r.a, r.b, r.c}.isdisjoint(r.expected) and r.a not in (r.b, r.c) for r in rows)
    assert rows.provenance["name"] == "analogy_pairs"


def test_3cosadd_is_most_similar_of_gensim():
    models = pytest.importorskip("gensim.models")
    vectors, rows = made(words=300, n=40)
    keyed = models.KeyedVectors(6)
    keyed.add_vectors(list(vectors), np.array(list(vectors.values()), dtype=np.float32))
    result = eb.measure("analogies", keyed, data=rows)
    for row, asked in zip(result.rows_of("item"), rows, strict=True):
        theirs = keyed.most_similar(positive=[asked["b"], asked["c"]], negative=[asked["a"]], topn=10)
        assert words_of(row) == [word for word, _ in theirs]
