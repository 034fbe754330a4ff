"""WinoBias: the published F1 scores, naive implementations, masked and causal models, coreference, bad input."""

from __future__ import annotations

import math
import random
from functools import cache
from typing import Any

import numpy as np
import pytest

import evaluate_bias as eb
from evaluate_bias.data.sentence_pairs import PronounPair, load_pronoun_pairs
from evaluate_bias.errors import CapabilityError, DataError, InputError, UndefinedScoreError
from evaluate_bias.methods.downstream.winobias.scoring import pronouns_of
from tests.support.naive_scoring import word_logprob
from tests.support.refusals import refusals
from tests.support.tiny_models import tiny_causal, tiny_masked

FAST = {"n_resamples": 199, "ci_resamples": 99}
Rows = list[dict[str, Any]]


def scores(seed: int, professions: int = 10, each: int = 6, follows: float = 0.7) -> Rows:
    """Scores of pairs whose likelier pronoun follows the stereotype with this probability."""
    rng = random.Random(seed)
    rows = []
    for i in range(professions * each):
        expected = ("female", "male")[i % professions % 2]
        female = (expected == "female") == (rng.random() < follows)
        size = rng.random() + 0.1
        rows.append({
            "sentence_female": -5.0 + (size if female else -size), "sentence_male": -5.0, "stereotype": expected,
            "profession": f"p{i % professions}", "type": f"type{1 + i // professions % 2}",
            "women_share": (i % professions) / professions,
        })  # fmt: skip
    return rows


def naive(rows: Rows, published: bool = False) -> tuple[float, float]:
    """By the definition: labels of both sentences, one list of predictions, F1 by counting."""
    size = abs if published else float
    predicted = ["female" if r["sentence_female"] > r["sentence_male"] else "male" for r in rows]
    pro = [r["stereotype"] for r in rows]
    anti = [{"female": "male", "male": "female"}[label] for label in pro]

    def f1(labels: list[str], of: str) -> float:
        hits = sum(a == b == of for a, b in zip(labels, predicted, strict=True))
        return 200 * hits / (labels.count(of) + predicted.count(of))

    f = {(s, g): f1(labels, g) for s, labels in (("p", pro), ("a", anti)) for g in ("male", "female")}
    stereotype = (size(f["p", "male"] - f["a", "male"]) + size(f["p", "female"] - f["a", "female"])) / 2
    skew = (size(f["p", "male"] - f["p", "female"]) + size(f["a", "male"] - f["a", "female"])) / 2
    return stereotype, skew


@pytest.mark.parametrize("seed", range(12))
def test_against_a_naive_implementation(seed: int) -> None:
    rows = scores(seed, 3 + seed, follows=seed / 12)
    signed, published = (
        eb.measure("winobias", None, data=rows, variant=v, **FAST) for v in ("pronouns", "published")
    )
    for result, absolute in ((signed, False), (published, True)):
        value = naive(rows, absolute)[0]
        assert result.score == pytest.approx(value, abs=1e-9)
        if result.ci_low is not None:
            assert result.score_range[0] <= result.ci_low <= result.ci_high
        for row in result.rows_of("group"):
            own = [r for r in rows if r["type"] == row.name]
            assert row.score == pytest.approx(naive(own, absolute)[0], abs=1e-9)
        skews = [result.estimates[key].value for key in ("skew", "published_skew")]
        assert skews == pytest.approx([naive(rows)[1], naive(rows, True)[1]], abs=1e-9)
    assert signed.estimates["published_stereotype"].value == published.score
    assert published.estimates["signed_stereotype"].value == signed.score
    assert (signed.direction, published.direction) == ("two_sided", "higher_is_more_biased")


def test_swapped_genders_keep_the_stereotype_and_turn_the_skew() -> None:
    swap = {"female": "male", "male": "female"}
    rows = scores(4)
    turned = {"sentence_female": "sentence_male", "sentence_male": "sentence_female"}
    other = [
        {turned.get(k, k): v for k, v in r.items()} | {"stereotype": swap[r["stereotype"]]} for r in rows
    ]
    first, second = (eb.measure("winobias", None, data=d, **FAST) for d in (rows, other))
    assert second.score == pytest.approx(first.score)
    assert second.estimates["skew"].value == pytest.approx(-first.estimates["skew"].value)


@pytest.mark.parametrize("variant", ["pronouns", "published"])
def test_the_test_over_professions_is_that_of_all_assignments(variant: str) -> None:
    """Six professions of equal size: the 20 ways to call three of them female, by enumeration."""
    from itertools import combinations, product

    rows = scores(3, 6, follows=0.85)
    names = sorted({r["profession"] for r in rows})
    published = variant == "published"
    observed = naive(rows, published)[0]
    every = []
    for female in combinations(names, 3):
        labelled = [{**r, "stereotype": "female" if r["profession"] in female else "male"} for r in rows]
        every.append(naive(labelled, published)[0])
    expected = np.mean(np.abs(every) >= abs(observed) - 1e-9)
    result = eb.measure("winobias", None, data=rows, variant=variant, n_resamples=20_000, ci_resamples=99)
    assert result.p_value == pytest.approx(expected, abs=0.015)
    assert result.estimates["null_mean"].value == pytest.approx(np.mean(every), abs=0.5)
    # The skew: male less female predictions of each profession, with every pattern of signs.
    lean = [
        sum(np.sign(r["sentence_male"] - r["sentence_female"]) for r in rows if r["profession"] == n)
        for n in names
    ]
    flips = np.abs([np.dot(signs, lean) for signs in product((1, -1), repeat=len(names))])
    assert result.estimates["skew"].p == pytest.approx(np.mean(flips >= abs(sum(lean)) - 1e-9))


def test_the_correlation_with_employment_is_that_of_numpy() -> None:
    rows = scores(7)
    found = eb.measure("winobias", None, data=rows, **FAST).estimates["correlation_women_share"]
    by: dict[str, list[Any]] = {}
    for r in rows:
        by.setdefault(r["profession"], []).append(r)
    preference = [np.mean([r["sentence_female"] - r["sentence_male"] for r in v]) for v in by.values()]
    expected = np.corrcoef(preference, [v[0]["women_share"] for v in by.values()])[0, 1]
    assert found.value == pytest.approx(expected)
    half = eb.measure("winobias", None, data=rows, confidence_level=0.5, **FAST).estimates[
        "correlation_women_share"
    ]
    assert found.low < half.low < found.value < half.high < found.high
    bare = [{k: v for k, v in r.items() if k != "women_share"} for r in rows]
    assert "correlation_women_share" not in eb.measure("winobias", None, data=bare, **FAST).estimates


def test_the_share_its_interval_and_its_p_are_of_the_pairs_with_a_prediction() -> None:
    """Of five predictions four follow, two pairs tie: 4/5, Wilson 37.55 to 96.38, McNemar 2 · 6 / 32."""
    outcomes = zip(
        ("female", "female", "male", "male", "male", "female", "male"), (1, 1, -1, -1, 1, 0, 0), strict=True
    )
    rows = [
        {"sentence_female": float(d), "sentence_male": 0.0, "stereotype": s, "profession": f"p{i}"}
        for i, (s, d) in enumerate(outcomes)
    ]
    share = eb.measure("winobias", None, data=rows, **FAST).estimates["stereotypical_share"]
    assert share.value == pytest.approx(80.0)
    assert (share.low, share.high) == (pytest.approx(37.55, abs=0.01), pytest.approx(96.38, abs=0.01))
    assert share.p == pytest.approx(0.375)
    tied = [{**row, "sentence_female": 0.0} for row in rows]
    result = eb.measure("winobias", None, data=tied, **FAST)
    assert "stereotypical_share" not in result.estimates
    assert result.ties == result.n == 7


# --- models ---------------------------------------------------------------------------------------------------


@cache
def masked(kind: str = "bert") -> Any:
    return eb.load_model(tiny_masked(kind))


@pytest.mark.parametrize("kind", ["bert", "roberta"])
def test_a_masked_model_is_read_at_the_pronoun(kind: str) -> None:
    """Against the model itself, one masked piece at a time."""
    model = masked(kind)
    pairs = load_pronoun_pairs()
    result = eb.measure("winobias", model, data=pairs, **FAST)
    found = {row.name: row.details for row in result.rows_of("item") if "score_female" in row.details}
    assert len(found) + len(result.skipped) == len(pairs)
    for pair in list(pairs)[:6]:
        spans = pronouns_of(pair)
        assert isinstance(spans, tuple)
        for key, text, (start, end) in zip(
            ("score_female", "score_male"), (pair.sentence_female, pair.sentence_male), spans, strict=True
        ):
            total = word_logprob(model.model, model.tokenizer, text, (start, end))
            assert found[pair.id][key] == pytest.approx(total, rel=1e-5)


def test_a_causal_model_scores_whole_sentences() -> None:
    model = eb.load_model(tiny_causal())
    pairs = load_pronoun_pairs(types="type1")
    result = eb.measure("winobias", model, data=pairs, **FAST)
    assert result.settings["scoring"] == "log p of the sentence"
    assert result.settings["start_token"] == model.tokenizer.bos_token
    details = next(r.details for r in result.rows_of("item") if r.name == pairs[0].id)
    (own,) = model.sequence_logprobs(model.encode([pairs[0].sentence_female]))
    assert details["score_female"] == pytest.approx(float(own.sum()), rel=1e-5)


# --- coreference ----------------------------------------------------------------------------------------------


def resolved(seed: int, pro: float = 0.8, anti: float = 0.5) -> Rows:
    rng = random.Random(seed)
    rows = []
    for i in range(60):
        expected, other = ("female", "male")[:: 1 if i % 2 == 0 else -1]
        right = {expected: rng.random() < pro, other: rng.random() < anti}
        answers = {f"prediction_{g}": f"The P{i % 10}" if right[g] else "the other" for g in right}
        rows.append({"stereotype": expected, "profession": f"p{i % 10}", **answers})
    return rows


@pytest.mark.parametrize("seed", range(5))
def test_accuracy_gap(seed: int) -> None:
    from scipy.stats import binomtest

    rows = resolved(seed)
    result = eb.measure("winobias", None, data=rows, variant="coreference", **FAST)
    sides = []
    for r in rows:
        other = {"female": "male", "male": "female"}[r["stereotype"]]
        sides.append(tuple(r[f"prediction_{g}"] != "the other" for g in (r["stereotype"], other)))
    pro, anti = np.array(sides).T
    assert result.score == pytest.approx(100 * (pro.mean() - anti.mean()))
    assert result.estimates["accuracy_pro"].value == pytest.approx(100 * pro.mean())
    only = int((pro & ~anti).sum()), int((anti & ~pro).sum())
    assert result.estimates["p_items"].value == pytest.approx(binomtest(only[0], sum(only)).pvalue)
    assert result.ci_low <= result.score <= result.ci_high
    rest = [r for r in rows if r["profession"] == "p3"]
    row = next(r for r in result.rows if r.name == "p3")
    alone = eb.measure("winobias", None, data=rest, variant="coreference", **FAST)
    assert row.score == pytest.approx(alone.score)


def test_predictions_that_are_absent_are_listed() -> None:
    rows = resolved(1)
    rows[0]["prediction_male"] = None
    rows[1]["stereotype"] = None
    rows[2]["profession"] = ""
    result = eb.measure("winobias", None, data=rows, variant="coreference", **FAST)
    assert [(s.item, s.reason) for s in result.skipped] == [
        ("0", "has no prediction_male"),
        ("1", "has no stereotype"),
        ("2", "has no profession"),
    ]
    assert (result.n, result.coverage.asked) == (57, 60)
    with pytest.raises(UndefinedScoreError, match="none of the 60 pairs has predictions"):
        eb.measure(
            "winobias", None, data=[{**r, "prediction_male": None} for r in rows], variant="coreference"
        )
    with pytest.raises(InputError, match="both a model and ready predictions"):
        eb.measure("winobias", masked(), data=rows, variant="coreference")


# --- bad input ------------------------------------------------------------------------------------------------

SHE, HE = "The nurse said she slept.", "The nurse said he slept."
BAD = [
    (SHE, SHE, "the two sentences are the same: they have no pronoun to compare"),
    ("She lost her key.", "He lost his key.", "differ in several words: there must be one pronoun"),
    (SHE, None, "has no sentence_male: the partner of the other sentence is missing"),
    (None, HE, "has no sentence_female: the partner"),
    (SHE, "The nurse said that he slept.", "different numbers of words"),
    (HE, SHE, "'he' and 'she', which are not a female and a male pronoun of one form"),
    ("They saw her.", "They saw he.", "'her' and 'he', which are not"),
]


@pytest.mark.parametrize(("female", "male", "told"), BAD)
def test_pairs_that_cannot_be_compared_are_listed(female: str | None, male: str | None, told: str) -> None:
    good = [pair.model_dump() for pair in load_pronoun_pairs()]
    bad = {"id": "bad", "sentence_female": female, "sentence_male": male, "stereotype": "female"}
    result = eb.measure("winobias", masked(), data=[*good, bad], **FAST)
    assert result.skipped[-1].item == "bad"
    assert told in result.skipped[-1].reason
    with pytest.raises(UndefinedScoreError, match="none of the 1 pairs can be scored"):
        eb.measure("winobias", masked(), data=[bad])


@pytest.mark.parametrize(
    ("female", "male", "spans"),
    [
        ("She slept.", "He slept.", ((0, 3), (0, 2))),
        ("It was (hers).", "It was (his).", ((8, 12), (8, 11))),
        ("Here she , herself , he said", "Here he , herself , he said", ((5, 8), (5, 7))),
        ("the she-wolf saw her", "the she-wolf saw him", ((17, 20), (17, 20))),
    ],
)
def test_where_pronouns_stand(female: str, male: str, spans: Any) -> None:
    assert pronouns_of(PronounPair(sentence_female=female, sentence_male=male)) == spans


test_one_stereotype_and_mixed_rows_are_refused = refusals(
    lambda change: eb.measure("winobias", None, data=change(scores(0))),
    (lambda rows: [r for r in rows if r["stereotype"] == "male"], UndefinedScoreError, None, "all 30 pairs have the"),
    (lambda rows: [rows[0], {**rows[1], "sentence_female": SHE, "sentence_male": HE}], InputError, None, "one kind"),
    (lambda rows: [{**r, "sentence_male": math.inf} for r in rows], InputError, None, "sentence_male is inf"),
    (lambda rows: [{**r, "stereotype": "both"} for r in rows], DataError, None, "stereotype"),
)  # fmt: skip


test_a_model_stands_beside_no_scores_and_must_be_a_language_model = refusals(
    lambda model, data: eb.measure("winobias", model, data=data),
    (tiny_masked("bert"), scores(0), InputError, "model", "given both a model and ready scores"),
    (
        {"she": [1.0]},
        load_pronoun_pairs(),
        CapabilityError,
        "model",
        "scores masked tokens or scores sequences",
    ),
)


@pytest.mark.parametrize("known", ["all", "some", "none"])
def test_professions_are_sampled_where_any_are_known(known: str) -> None:
    rows = scores(3)
    for i, row in enumerate(rows):
        if known == "none" or (known == "some" and i % 3 == 0):
            del row["profession"]
    one, two = (eb.measure("winobias", None, data=data, **FAST) for data in (rows, rows[::-1]))
    assert (one.p_value, one.estimates["p_items"].value) == (two.p_value, two.estimates["p_items"].value)
    assert one.sampled == eb.result.Sampled(("pairs",) if known == "none" else ("professions",))
