"""PMI bias and frequency bias: closed forms, naive counts, properties, bad input."""

from __future__ import annotations

import itertools
import math
import random
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import binomtest, false_discovery_control, norm

import evaluate_bias as eb
from evaluate_bias import load_corpus
from evaluate_bias.corpora.corpus import Corpus
from evaluate_bias.errors import CoverageError, InputError, UndefinedScoreError
from evaluate_bias.methods.corpus.counted_words import Cells
from evaluate_bias.methods.corpus.frequency_bias.method import pair_frequency, pooled_pair_frequency
from evaluate_bias.methods.corpus.pmi_bias.method import pmi_bias
from tests.support.draws import draws

from .vector_tests import run

TEST = {"name": "toy", "targets_x": ["she", "her"], "targets_y": ["he"], "attributes_a": ["a", "b", "c"]}
BOTH = {**TEST, "attributes_b": ["d", "e"]}


def texts(seed, n=60):
    rng = random.Random(seed)
    return [" ".join(rng.choice(["she", "her", "he", *"abcdexyz"]) for _ in range(12)) for _ in range(n)]


def counts(some, window):
    """Counts by loops: of each word beside each group, and of all words beside it."""
    joint, context = {}, {"x": 0, "y": 0}
    for text in some:
        words = text.split()
        for i, seed in enumerate(words):
            group = "x" if seed in TEST["targets_x"] else "y" if seed in TEST["targets_y"] else None
            for other in words[max(0, i - window) : i] + words[i + 1 : i + 1 + window] if group else ():
                context[group] += 1
                joint[other, group] = joint.get((other, group), 0) + 1
    return joint, context


@draws(100)
@pytest.mark.parametrize("window", [2, 10])
def test_agree_with_naive_loops(seed, window):
    some = texts(seed)
    joint, context = counts(some, window)

    def pmi(w):
        return math.log(joint[w, "x"] / context["x"]) - math.log(joint[w, "y"] / context["y"])

    def share(w):
        return joint[w, "x"] / (joint[w, "x"] + joint[w, "y"])

    for method, value in (("pmi_bias", pmi), ("frequency_bias", share)):
        first, second = ([value(w) for w in BOTH[k]] for k in ("attributes_a", "attributes_b"))
        one = run(method, Corpus(some), TEST, window=window)
        two = run(method, Corpus(some), BOTH, window=window)
        assert one.score == pytest.approx(np.mean(first))
        assert two.score == pytest.approx(np.mean(first) - np.mean(second))
        values, centre = np.array(first + second), 0.5 if method == "frequency_bias" else 0.0
        chosen = [list(some) for some in itertools.combinations(range(5), 3)]
        apart = [abs(values[some].mean() - np.delete(values, some).mean()) for some in chosen]
        assert two.p_value == pytest.approx(np.mean(np.array(apart) >= abs(two.score) - 1e-9))
        signed = [
            abs(np.mean(signs * (values[:3] - centre))) for signs in itertools.product((-1, 1), repeat=3)
        ]
        assert one.p_value == pytest.approx(np.mean(np.array(signed) >= abs(one.score - centre) - 1e-9))
        items = [r for r in two.rows if r.kind == "item"]
        assert [r.name for r in items] == ["a", "b", "c", "d", "e"]
        assert [r.score for r in items] == pytest.approx(first + second)
        assert [r.p_bh for r in items] == pytest.approx(false_discovery_control([r.p_value for r in items]))
        assert (one.n, two.n) == (3, 5)


def test_pmi_error_and_interval_are_the_closed_form():
    rng = np.random.default_rng(0)
    for _ in range(200):
        x, not_x, y, not_y = rng.integers(1, 1000, 4).tolist()
        found = pmi_bias(Cells(x, not_x, y, not_y), confidence_level=0.9)
        error = math.sqrt(1 / x + 1 / not_x + 1 / y + 1 / not_y)
        value = math.log((x / (x + not_x)) / (y / (y + not_y)))
        assert found.value == pytest.approx(value)
        assert found.facts["standard_error"] == pytest.approx(error)
        assert (found.low, found.high) == pytest.approx(norm.interval(0.9, value, error))
        odds = math.log(x * not_y / (y * not_x))
        assert found.p_value == pytest.approx(2 * norm.sf(abs(odds) / error))


def test_share_and_binomial_test():
    drawn = np.random.default_rng(0).integers(0, 60, size=(200, 2)).tolist()
    for x, y in ((8, 2), (0, 5), (5, 0), (1, 1), *((x, y + 1) for x, y in drawn)):
        found = pair_frequency(Cells(x, 100, y, 100))
        expected = binomtest(x, x + y)
        assert (found.value, found.p_value) == pytest.approx((x / (x + y), expected.pvalue))
        ci = expected.proportion_ci(method="wilson")
        assert (found.low, found.high) == pytest.approx((ci.low, ci.high))


def test_no_co_occurrence_is_listed_or_smoothed():
    some = ["she a", "she b", "he b", "he c", "she c", "x d"] * 3
    test = {**TEST, "attributes_a": ["a", "b", "c", "d"]}
    with pytest.raises(CoverageError, match=r"2 of 4 words have no score .*\(a, d\)"):
        run("pmi_bias", Corpus(some), test)
    found = run("pmi_bias", Corpus(some), test, max_missing=0.5)
    assert {s.item: s.reason for s in found.skipped if s.item in "ad"} == {
        "a": "occurs near seeds of the first group alone, so its PMI is infinite or undefined without smoothing",
        "d": "occurs near seeds of neither group, so its PMI is infinite or undefined without smoothing",
    }
    assert run("pmi_bias", Corpus(some), test, smoothing=0.5).n == 4
    assert run("frequency_bias", Corpus(some), {**TEST, "attributes_a": ["a", "b", "c"]}).n == 3


def test_bad_input():
    corpus = Corpus(texts(5))
    for method in ("pmi_bias", "frequency_bias"):
        with pytest.raises(CoverageError, match="none of its 1 seeds occurs next to another word"):
            run(method, corpus, {**TEST, "targets_y": ["unknown"]})
    with pytest.raises(InputError, match="`smoothing` must be"):
        run("pmi_bias", corpus, TEST, smoothing=-1.0)


def test_what_is_no_text_and_seeds_among_the_attributes_are_warned_of(tmp_path: Path) -> None:
    file = tmp_path / "talk.txt"
    file.write_bytes(b"she is a nurse with her\nhe is a nurse with her\nhis \xff\xfe smith\n")
    tests = [
        {"name": name, "targets_x": ["she", "her"], "targets_y": ["he"], "attributes_a": words}
        for name, words in (("plain", ["nurse"]), ("with a seed", ["nurse", "her"]))
    ]
    result = eb.measure("pmi_bias", load_corpus(file), data=tests)
    assert list(result.warnings) == [
        "talk.txt: 2 characters were not valid UTF-8 and are read as U+FFFD",
        "plain: one word in attributes_a, so there is no interval",
        "with a seed: her both target and attribute, so counted near the other seeds of its own group",
    ]


@pytest.mark.parametrize("method", ["pmi_bias", "frequency_bias"])
def test_a_word_counts_once_however_it_is_written(method: str) -> None:
    corpus = Corpus(
        ["she is a nurse"] * 6 + ["he is a nurse"] * 2 + ["he is a smith"] * 4 + ["she is a smith"]
    )
    once = {**TEST, "targets_x": ["she"], "attributes_a": ["nurse", "smith"]}
    again = {**once, "targets_x": ["she", "She"], "attributes_a": ["nurse", "smith", "Nurse", "smith"]}
    first, second = (run(method, corpus, test) for test in (once, again))
    assert (second.score, second.n, second.p_value) == (first.score, first.n, first.p_value)
    assert [(s.item, s.reason) for s in second.skipped] == [
        ("She", "the same word as 'she', counted once"),
        ("smith", "given 2 times, counted once"),
        ("Nurse", "the same word as 'nurse', counted once"),
    ]
    with pytest.raises(InputError, match="'she' in both targets_x and targets_y"):
        run(method, corpus, {**once, "targets_y": ["She"]})


POOLED = ["she a b"] * 4 + ["she b c", "she a x"] + ["he a d"] * 2 + ["he b x x", "he d x"]
"""Beside she, of 12 words: a 5 times, b 5, c 1, d 0; beside he, of 9: a 2, b 1, c 0, d 3."""


def test_a_set_of_words_is_counted_as_one() -> None:
    test = {**TEST, "attributes_a": ["a", "b", "c"]}
    result = run("pmi_bias", Corpus(POOLED), test, pooled=True, ci="bca")
    error = math.sqrt(1 / 11 + 1 / 1 + 1 / 3 + 1 / 6)
    odds = math.log(11 * 6 / (1 * 3))
    assert result.score == pytest.approx(math.log((11 / 12) / (3 / 9)))
    assert result.p_value == pytest.approx(2 * norm.sf(odds / error))
    assert (result.ci_low, result.ci_high) == pytest.approx(norm.interval(0.95, result.score, error))
    assert (result.n, result.p_method, result.coverage.found) == (3, "z test of the log odds ratio", 3)
    assert result.n_tested == 14  # co-occurrences, so that three words are not too few
    # c is never near he: it has no row of its own, and counts.
    assert [r.name for r in result.rows_of("item")] == ["a", "b"]
    assert [s.item for s in result.skipped if "counts in the set all the same" in s.reason] == ["c"]
    assert run("pmi_bias", Corpus(POOLED), test, max_missing=1.0).score != pytest.approx(result.score)
    # Words that are not in the corpus cannot count: max_missing is about these.
    with pytest.raises(CoverageError, match="use a larger corpus or other words,"):
        run("pmi_bias", Corpus(POOLED), {**test, "attributes_a": ["a", "b", "c", "q", "r"]}, pooled=True)


def test_the_difference_of_two_sets_is_their_log_odds_ratio() -> None:
    test = {**TEST, "attributes_a": ["a"], "attributes_b": ["b"]}
    result = run("pmi_bias", Corpus(POOLED), test, pooled=True, ci="bca")
    one, two = (
        run("pmi_bias", Corpus(POOLED), {**TEST, "attributes_a": [word]}, pooled=True).score for word in "ab"
    )
    assert result.score == pytest.approx(one - two) == pytest.approx(math.log(5 * 1 / (5 * 2)))
    error = math.sqrt(1 / 5 + 1 / 5 + 1 / 2 + 1)
    assert result.p_value == pytest.approx(2 * norm.sf(abs(result.score) / error))
    assert (result.ci_low, result.ci_high) == pytest.approx(norm.interval(0.95, result.score, error))


LONG = (
    ["she is a nurse"] * 6
    + ["he is a nurse and he likes the long walks in the hills"] * 2
    + ["he is a smith"] * 4
)


def test_sentences_count_once_whatever_their_length() -> None:
    test = {**TEST, "targets_x": ["she"], "attributes_a": ["nurse"]}
    for pooled in (False, True):
        result = run("pmi_bias", Corpus(LONG), test, sentences=True, pooled=pooled, ci="bca")
        assert result.score == pytest.approx(math.log(3))
    error = math.sqrt(1 / 6 - 1 / 6 + 1 / 2 - 1 / 6)
    assert result.p_value == pytest.approx(2 * norm.sf(math.log(3) / error))
    assert (result.ci_low, result.ci_high) == pytest.approx(norm.interval(0.95, result.score, error))
    assert result.p_method == "z test of the log ratio"
    # A set counts a sentence with two of its words once: 10 of 10 with she, 8 of 10 with he.
    texts = ["she a b"] * 6 + ["she b"] * 4 + ["he a b"] * 3 + ["he a"] * 5 + ["he x"] * 2
    result = run("pmi_bias", Corpus(texts), {**test, "attributes_a": ["a", "b"]}, sentences=True, pooled=True)
    assert result.score == pytest.approx(math.log(10 / 8))
    assert result.rows_of("item")[0].score == pytest.approx(math.log(6 / 8))
    odds = run(
        "pmi_bias",
        Corpus(texts),
        {**test, "attributes_a": ["a"]},
        sentences=True,
        pooled=True,
        variant="log_odds",
    )
    assert odds.score == pytest.approx(math.log((6 / 4) / (8 / 2)))


def test_the_error_of_two_sets_of_sentences_is_that_of_simulated_ones() -> None:
    rng = np.random.default_rng(0)
    shares = {"x": (0.3, 0.2, 0.2, 0.3), "y": (0.2, 0.3, 0.2, 0.3)}  # both, only a, only b, neither
    values = []
    for _ in range(4_000):
        both, a, b, _ = np.transpose([rng.multinomial(200, p) for p in shares.values()])
        values.append(math.log((both + a)[0] * (both + b)[1] / ((both + b)[0] * (both + a)[1])))
    kinds = (["{} a b"] * 3 + ["{} a"] * 2 + ["{} b"] * 2 + ["{} c"] * 3) * 20
    other = (["{} a b"] * 2 + ["{} a"] * 3 + ["{} b"] * 2 + ["{} c"] * 3) * 20
    texts = [one.format("she") for one in kinds] + [one.format("he") for one in other]
    test = {**TEST, "attributes_a": ["a"], "attributes_b": ["b"]}
    result = run("pmi_bias", Corpus(texts), test, sentences=True, pooled=True)
    assert result.score == pytest.approx(math.log(0.5 * 0.4 / (0.5 * 0.5)))
    assert result.rows[0].details["standard_error"] == pytest.approx(np.std(values), rel=0.05)
    with pytest.raises(InputError) as caught:
        run("pmi_bias", Corpus(texts), test, sentences=True, pooled=True, variant="log_odds")
    assert caught.value.option == "variant"


def test_shares_of_sets_add_up_their_counts() -> None:
    texts = ["she a"] * 11 + ["she b"] * 2 + ["he a"] * 9 + ["he b"] + ["she d", "he d"]
    test = {**TEST, "attributes_a": ["a", "b"]}
    one = run("frequency_bias", Corpus(texts), test, pooled=True, ci="bca")
    expected = binomtest(13, 23)
    assert (one.score, one.p_value) == pytest.approx((13 / 23, expected.pvalue))
    assert one.ci_low == pytest.approx(expected.proportion_ci(method="wilson").low)
    assert run("frequency_bias", Corpus(texts), test).score == pytest.approx((11 / 20 + 2 / 3) / 2)
    two = run("frequency_bias", Corpus(texts), {**test, "attributes_b": ["d"]}, pooled=True, ci="bca")
    assert two.score == pytest.approx(13 / 23 - 1 / 2)
    assert two.score_range == (-1.0, 1.0)
    # Newcombe (1998), method 10: 56 of 70 and 48 of 80.
    cells = [Cells(56, 0, 14, 0), Cells(48, 0, 32, 0)]
    found = pooled_pair_frequency(cells)
    assert (round(found.low, 4), round(found.high, 4)) == (0.0524, 0.3339)


def test_sets_without_a_value_say_why() -> None:
    with pytest.raises(InputError, match="'b' in both attributes_a and attributes_b"):
        run(
            "pmi_bias",
            Corpus(POOLED),
            {**TEST, "attributes_a": ["a", "b"], "attributes_b": ["B"]},
            pooled=True,
        )
    with pytest.raises(UndefinedScoreError, match="words leaves no other word near the seeds of a group"):
        run("pmi_bias", Corpus(["she a", "he a"]), {**TEST, "name": "t", "attributes_a": ["a"]}, pooled=True)


def test_many_sets_have_the_z_of_their_mean() -> None:
    tests = [
        {
            **TEST,
            "name": name,
            "attributes_a": list(name),
            "bias_type": "none (baseline)" if name == "bd" else "",
        }
        for name in ("ab", "abc", "bc", "bd", "c", "q")
    ]
    result = eb.measure(
        "pmi_bias", Corpus(POOLED), data=tests, pooled=True, max_missing=1.0, z_alternative="greater"
    )
    rows = {row.name: row for row in result.rows_of("test")}
    assert list(rows) == ["ab", "abc", "bc", "bd"]
    assert {s.item: s.reason.partition(" occurs")[0] for s in result.skipped if s.where == "tests"} == {
        name: f"{name}: a set of words" for name in "cq"
    }
    scores = np.array([rows[name].score for name in ("ab", "abc", "bc")])
    z = scores.mean() / (scores.std(ddof=1) / math.sqrt(3))
    found = result.estimates["z"]
    assert (found.value, found.p) == pytest.approx((z, norm.sf(z)))
    assert result.score == pytest.approx(scores.mean())
    assert rows["abc"].details["mean_frequency"] == pytest.approx((7 + 6 + 1) / 3)
