"""Matched guise probing: the published rule by naive loops, properties, bad input; golden cases are elsewhere."""

from __future__ import annotations

import itertools
import math
from functools import cache

import numpy as np
import pytest
import torch
from scipy.stats import spearmanr

import evaluate_bias as eb
from evaluate_bias import stats
from evaluate_bias.errors import CoverageError, DataError, InputError, UndefinedScoreError
from evaluate_bias.methods.prompting.matched_guise.method import decision_outcome
from evaluate_bias.methods.prompting.next_words import next_words
from evaluate_bias.methods.word_lists.inference import Inference
from evaluate_bias.models.table import TableMLM
from evaluate_bias.report.reading import read
from tests.support.draws import draws
from tests.support.model_server import ModelServer
from tests.support.refusals import refusals
from tests.support.tiny_models import tiny_causal, tiny_masked

WORDS = ["he", "as", "not", "of", "it", "so", "by", "at"]
"""One token after a blank to every tiny model."""
PAIRS = [("he said she left", "she said he left"), ("the old man", "the people"), ("nobody", "everyone")]
PROMPTS = ["The nurse said {text} and the", "People believed {text}, so the"]


def run(model, **changes):
    options = {k: changes.pop(k) for k in ("calibrate", "n_resamples", "max_missing") if k in changes}
    test = {
        "name": "t", "targets_x": [x for x, _ in PAIRS], "targets_y": [y for _, y in PAIRS],
        "attributes_a": WORDS[:4], "attributes_b": WORDS[4:8], "prompts": PROMPTS, **changes,
    }  # fmt: skip
    return eb.measure("matched_guise", model, data=[test], **{"n_resamples": 199, **options})


@cache
def single(kind):
    """A tiny model, and the tokens of words after a blank."""
    model, tokenizer = tiny_masked("bert") if kind == "masked" else tiny_causal(kind)
    ids = {w: tokenizer(f"the {w}", add_special_tokens=False)["input_ids"] for w in WORDS}
    the = len(tokenizer("the", add_special_tokens=False)["input_ids"])
    return model, tokenizer, {w: i[-1] for w, i in ids.items() if len(i) == the + 1}


def published(kind, text, token):
    """Probability of a token after a text as the published code reads it: ``encode``, softmax, one position."""
    model, tokenizer, _ = single(kind)
    ids = tokenizer.encode(f"{text} {tokenizer.mask_token}" if kind == "masked" else text)
    with torch.no_grad():
        probabilities = torch.softmax(model(torch.tensor([ids])).logits[0], dim=-1)
    return float(probabilities[-2 if kind == "masked" else -1][token])


@pytest.mark.parametrize("kind", ["masked", "gpt2", "llama"])
def test_associations_and_score_are_those_of_the_published_rule(kind):
    model, tokenizer, ids = single(kind)
    words = list(ids)
    half = len(words) // 2
    result = run((model, tokenizer), attributes_a=words[:half], attributes_b=words[half:])
    q = {}
    for word, token in ids.items():
        ratios = [
            math.log(published(kind, v.format(text=x), token) / published(kind, v.format(text=y), token))
            for v in PROMPTS
            for x, y in PAIRS
        ]
        q[word] = sum(ratios) / len(ratios)
    found = {line["word"]: line["association"] for line in result.rows[0].details["attributes"]}
    assert found == pytest.approx(q, abs=1e-5)
    ratings = [1] * half + [-1] * (len(words) - half)
    assert result.score == pytest.approx(spearmanr(list(q.values()), ratings).statistic, abs=1e-9)
    assert result.details["null_sd"] == pytest.approx(1 / math.sqrt(len(words) - 1))


@pytest.mark.parametrize("kind", ["masked", "gpt2"])
def test_a_decision_is_the_difference_of_two_associations_and_calibration_leaves_it(kind):
    model, tokenizer, ids = single(kind)
    (a, first), (b, second) = list(ids.items())[:2]

    def ratio(text, token):
        return math.log(published(kind, text, token))

    contrasts = [
        np.mean([
            ratio(v.format(text=x), first) - ratio(v.format(text=y), first)
            - ratio(v.format(text=x), second) + ratio(v.format(text=y), second)
            for v in PROMPTS
        ])
        for x, y in PAIRS
    ]  # fmt: skip
    plain, calibrated = (
        run((model, tokenizer), attributes_a=[a], attributes_b=[b], calibrate=c) for c in (False, True)
    )
    assert plain.score == pytest.approx(np.mean(contrasts), abs=1e-5) == calibrated.score
    half = (
        4.30265 * np.std(contrasts, ddof=1) / math.sqrt(len(PAIRS))
    )  # Student's t with two degrees of freedom
    assert (plain.ci_low, plain.ci_high) == pytest.approx((plain.score - half, plain.score + half), abs=1e-4)
    signs = [np.mean(np.multiply(contrasts, s)) for s in itertools.product((1, -1), repeat=len(PAIRS))]
    assert plain.p_value == np.mean(np.abs(signs) >= abs(np.mean(contrasts)) - 1e-9)
    assert plain.details["null_sd"] == pytest.approx(np.std(signs), abs=1e-5)

    def is_likelier(prompt, text):
        one, other = (
            ratio(prompt.format(text=text), token) - ratio(prompt.format(text=""), token)
            for token in (first, second)
        )
        return one > other

    shares = [np.mean([is_likelier(v, pair[side]) for v in PROMPTS for pair in PAIRS]) for side in (0, 1)]
    assert calibrated.estimates["decided"].value == pytest.approx(shares[0] - shares[1])


@draws(20)
def test_exchanged_guises_and_negated_ratings_turn_the_sign(seed):
    rng = np.random.default_rng(seed)
    likely = {}
    for text in sorted({t for pair in PAIRS for t in pair}):
        of_words = dict(zip(WORDS, rng.uniform(0.01, 0.09, len(WORDS)).tolist(), strict=True))
        likely[f"{text} is [MASK]"] = {str(len(text.split()) + 1): of_words}
    ratings = rng.normal(size=len(WORDS)).round(1).tolist()
    base = {
        "prompts": ["{text} is"],
        "attributes_a": WORDS,
        "attributes_b": [],
        "n_resamples": 99,
        "ratings": ratings,
    }
    turned = {"targets_x": [y for _, y in PAIRS], "targets_y": [x for x, _ in PAIRS]}
    order = rng.permutation(len(WORDS))
    changes = (
        {}, turned, {"ratings": [-r for r in ratings]}, {"ratings": [10 * r + 3 for r in ratings]},
        {"attributes_a": [WORDS[i] for i in order], "ratings": [ratings[i] for i in order]},
    )  # fmt: skip
    one, exchanged, negated, *same = (run(TableMLM(likely), **{**base, **change}) for change in changes)
    assert one.score == pytest.approx(-exchanged.score) == pytest.approx(-negated.score)
    assert {(other.score, other.p_value) for other in same} == {(one.score, one.p_value)}


@draws(100)
def test_the_permutation_test_counts_every_order(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(4, 6))
    q, ratings = rng.normal(size=n).round(1), rng.integers(0, 3, n)
    if len(set(q)) < 2 or len(set(ratings)) < 2:
        return
    found = stats.rank_correlation_test(q, ratings)
    every = [spearmanr(q, order).statistic for order in itertools.permutations(ratings)]
    assert found.statistic == pytest.approx(spearmanr(q, ratings).statistic)
    assert found.p_value == pytest.approx(np.mean(np.abs(every) >= abs(found.statistic) - 1e-9))
    assert np.std(every) == pytest.approx(found.null_sd)


def test_many_orders_are_sampled():
    rng = np.random.default_rng(0)
    q, ratings = rng.normal(size=30), rng.normal(size=30)
    found = stats.rank_correlation_test(q, ratings, n_resamples=20_000)
    assert found.method == "monte_carlo"
    assert 0 < found.p_error < 0.004
    assert found.p_value == pytest.approx(spearmanr(q, ratings).pvalue, abs=0.02)


def test_a_text_that_is_too_long_costs_its_pair_and_no_attribute():
    long = "he " * 2999 + "he"
    pairs = [(long, "she"), *PAIRS]
    result = run(
        tiny_causal("gpt2"), targets_x=[x for x, _ in pairs], targets_y=[y for _, y in pairs], max_missing=0.5
    )
    assert result.score == run(tiny_causal("gpt2")).score
    assert [s.where for s in result.skipped] == ["t/targets"]


@pytest.mark.parametrize(
    ("ratings", "smallest"),
    [([1, 2, 3, 4], ".083"), ([1, 1, 1, 2, 2, 2], ".100"), ([1, 2, 3, 4, 5], ""), ([1, 1, 1, 1, 2, 2, 2, 2], "")],
)  # fmt: skip
def test_ratings_that_allow_no_p_value_below_5_percent_are_too_few(ratings, smallest):
    """Enough of five different ones, and of two values four each (.029), but not three each (.100)."""
    n = len(ratings)
    result = run(tiny_causal("gpt2"), attributes_a=WORDS[:n], attributes_b=[], ratings=ratings)
    finding = read(result).finding
    n_pairs = result.sampled.fixed.get("pairs of texts", stats.FEWEST_COLUMNS)
    assert result.sampled.draws("attribute")
    assert result.sampled.draws("pair of texts") == (n_pairs >= stats.FEWEST_COLUMNS)
    least = stats.rank_correlation_test(range(n), ratings).p_value
    assert ("oo few items" in finding) == (least >= 0.05) == bool(smallest)
    if smallest:
        assert finding == f"Too few items: with {n} attributes, the smallest possible p-value is {smallest}."


def test_what_rounding_leaves_of_equal_associations_decides_nothing():
    outcome = decision_outcome(
        np.array([[0.1 + 0.2] * 12, [0.3] * 12]), np.array([1.0, -1.0]), np.zeros((12, 2)), Inference()
    )
    assert (outcome.score, outcome.permutation.p_value) == (0.0, 1.0)


@pytest.mark.parametrize(("pairs", "enough"), [(5, False), (6, True)])
def test_a_decision_needs_six_pairs(pairs, enough):
    texts = [f"{word} said" for word in WORDS]
    result = run(
        tiny_causal("gpt2"), targets_x=texts[:pairs], targets_y=[f"the {t}" for t in texts[:pairs]],
        attributes_a=["he"], attributes_b=["as"],
    )  # fmt: skip
    assert ("oo few items" in read(result).finding) is not enough
    assert result.sampled.phrase() == "for other pairs of texts"


def test_two_models_decisions_are_compared_pair_by_pair():
    texts = [f"{word} said" for word in WORDS]
    sides = [
        run(tiny_causal(kind), targets_x=texts, targets_y=[f"the {t}" for t in texts],
            attributes_a=["he"], attributes_b=["as"])
        for kind in ("gpt2", "llama")
    ]  # fmt: skip
    change = eb.compare(*sides).changes[0]
    one, two = ([pair["score"] for pair in side.rows[0].details["pairs"]] for side in sides)
    assert np.mean(one) == pytest.approx(sides[0].score)
    assert (change.first, change.second) == pytest.approx((sides[0].score, sides[1].score))
    naive = stats.sign_flip_test(np.subtract(two, one)).p_value
    assert (change.p_value, change.items, change.n) == (pytest.approx(naive), "pairs", len(WORDS))


def test_attributes_of_several_tokens_and_repeated_pairs_are_left_out_and_listed():
    model, tokenizer, ids = single("gpt2")
    known = list(ids)
    result = run(
        (model, tokenizer), targets_x=["he", "he"], targets_y=["she", "she"], attributes_a=[*known[:2], "grandmother"],
        attributes_b=known[2:5], max_missing=0.5,
    )  # fmt: skip
    assert {s.item: s.reason for s in result.skipped} == {
        "he / she": "given 2 times, counted once",
        "grandmother": "is not one token to this model",
    }
    assert any("fewer than 5 pairs" in w for w in result.warnings)
    with pytest.raises(CoverageError, match="'grandmother': is not one token"):
        run((model, tokenizer), attributes_a=["grandmother"], attributes_b=known[:2], max_missing=0.1)


test_bad_rows_are_refused = refusals(
    lambda changes: run(tiny_causal("gpt2"), **changes),
    ({"targets_y": ["she"]}, InputError, None, "3 texts and targets_y 1"),
    ({"attributes_b": WORDS[:2]}, InputError, None, "in both attribute lists"),
    ({"prompts": ["no place"]}, DataError, None, "has no {text}"),
    ({"ratings": [1.0]}, DataError, None, "1 numbers for 8 attributes"),
    ({"targets_x": [], "targets_y": []}, UndefinedScoreError, None, "give pairs of texts"),
    ({"attributes_a": [], "attributes_b": []}, UndefinedScoreError, None, "attributes_a is empty"),
    ({"attributes_b": [], "ratings": [1.0] * 4}, UndefinedScoreError, None, "are the same"),
    ({"attributes_a": WORDS[:2], "attributes_b": WORDS[4:5]}, UndefinedScoreError, None, "four attributes"),
    ({"attributes_a": ["he", "as"], "attributes_b": []}, UndefinedScoreError, None, "different ratings"),
    (
        {"prompts": ["{text}"], "calibrate": True, "attributes_a": ["he"], "attributes_b": ["as"]},
        InputError,
        "calibrate",
        "empty",
    ),
)


def test_decisions_and_rated_attributes_do_not_mix():
    common = {"targets_x": ["he"], "targets_y": ["she"]}
    rows = [
        {"name": "d", "attributes_a": ["nurse"], "attributes_b": ["doctor"], **common},
        {"name": "r", "attributes_a": WORDS[:4], "attributes_b": WORDS[4:], **common},
    ]
    with pytest.raises(InputError, match="d is a decision between two attributes and r a correlation"):
        eb.measure("matched_guise", tiny_masked("bert"), data=rows)


def test_an_endpoint_gives_the_numbers_of_the_model_behind_it():
    local = eb.load_model(tiny_causal("gpt2"))
    words = [*single("gpt2")[2], "grandmother"]
    texts = ["The nurse said that he", "People from the north"]
    with ModelServer(local) as server:
        sent = next_words(eb.load_model(server.spec), texts, words)
    read = next_words(local, texts, words)
    np.testing.assert_allclose(sent.logprobs, read.logprobs, atol=1e-5)
    assert sent.lost_words == read.lost_words == {len(words) - 1: "is not one token to this model"}


def test_the_unit_scores_are_the_score():
    from evaluate_bias.methods.prompting.matched_guise import items

    model, tokenizer, ids = single("gpt2")
    words = list(ids)
    result = run((model, tokenizer), attributes_a=words[:3], attributes_b=words[3:])
    lines = result.rows[0].details["attributes"]
    totals = items.columns(lines, result.settings).sum(axis=0)[None]
    assert items.score(totals, result.settings)[0] == pytest.approx(result.score)
