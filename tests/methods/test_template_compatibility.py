"""Template compatibility from words to result: sentences, scores and divergences against plain recomputation."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import entropy

import evaluate_bias as eb
from evaluate_bias.errors import CoverageError, DataError, InputError, UnknownNameError
from evaluate_bias.methods.agreement.template_compatibility.method import kl_divergence
from tests.support.golden import golden_checks
from tests.support.naive_seat import OneAtATime, effect_size
from tests.support.refusals import refusals
from tests.support.tiny_models import loaded_bert, tiny_causal, tiny_masked

from .vector_tests import IN_SENTENCES as TEST
from .vector_tests import LISTS

GOLDEN = golden_checks("template_compatibility")
TEMPLATES = ["This is the {target}.", "The {target} left.", "Nobody believed the {target}, perhaps!"]
FAST = {"subset_size": 3, "n_subsets": 6, "n_resamples": 49, "ci_resamples": 0}


def run(model: Any, test: dict[str, Any] = TEST, **options: Any) -> eb.Result:
    return eb.measure(
        "template_compatibility", model, data=[test], **{**FAST, "templates": TEMPLATES, **options}
    )


def naive(template: str, representation: str, subsets: list[dict[str, list[str]]]) -> list[float]:
    """Effect sizes of the subsets in one template, one sentence and one word at a time."""
    one = OneAtATime(tiny_masked("bert"))
    pooling, _, layer = representation.partition("@")

    def vectors(words: list[str]) -> list[np.ndarray]:
        return [one(template.replace("{target}", w), w, pooling, int(layer or -1)) for w in words]

    a, b = vectors(TEST["attributes_a"]), vectors(TEST["attributes_b"])
    return [effect_size(vectors(s["targets_x"]), vectors(s["targets_y"]), a, b) for s in subsets]


@pytest.mark.parametrize("representation", ["cls", "target_mean@-2"])
def test_scores_are_those_of_single_sentences(bert: Any, representation: str) -> None:
    result = run(bert, representation=representation)
    subsets = result.extra["subsets"]
    assert len(subsets) == 6
    assert all(
        len(set(s[name])) == 3 and set(s[name]) <= set(TEST[name]) for s in subsets for name in LISTS[:2]
    )
    table = np.column_stack([naive(t, representation, subsets) for t in TEMPLATES])
    assert np.array(result.extra["scores"]) == pytest.approx(table, abs=1e-4)
    r = np.corrcoef(table, rowvar=False)
    assert np.array(result.extra["r"]) == pytest.approx(r, abs=1e-3)
    assert result.score == pytest.approx(r[np.triu_indices(3, 1)].mean(), abs=1e-3)
    assert [(i["a"], i["b"]) for i in result.items] == [
        (TEMPLATES[0], TEMPLATES[1]), (TEMPLATES[0], TEMPLATES[2]), (TEMPLATES[1], TEMPLATES[2])
    ]  # fmt: skip
    assert [g["score"] for g in result.groups] == pytest.approx(((r.sum(axis=0) - 1) / 2).tolist(), abs=1e-3)
    assert (result.n, result.coverage.found, result.coverage.asked) == (10, 16, 16)
    assert result.direction == "higher_is_more_robust"
    assert eb.Result.from_json(result.to_json()) == result


def test_auto_is_the_sentences_own_representation(bert: Any) -> None:
    assert run(bert).settings["representation"] == "cls"
    assert run(bert).extra["r"] == run(bert, representation="cls").extra["r"]
    causal = eb.load_model(tiny_causal("gpt2"))
    result = run(causal)
    assert result.settings["representation"] == "last_token"
    assert result.extra["no_divergence"] == f"{causal.name} fills no masks"


@pytest.mark.parametrize("case", GOLDEN["divergence"], ids=lambda c: c["source"][:30])
def test_divergences_worked_by_hand(case: dict[str, Any]) -> None:
    assert kl_divergence(np.log(case["p"]), np.log(case["q"])) == pytest.approx(case["expected"], abs=1e-12)


@settings(max_examples=50, deadline=None)
@given(st.lists(st.floats(-8, 8), min_size=2, max_size=20), st.floats(-5, 5), st.integers(0, 1000))
def test_divergence_is_that_of_scipy(log_p: list[float], shift: float, seed: int) -> None:
    log_q = np.random.default_rng(seed).normal(size=len(log_p))
    expected = entropy(np.exp(log_p), np.exp(log_q))
    assert kl_divergence(np.array(log_p) + shift, log_q) == pytest.approx(expected, abs=1e-9)
    assert kl_divergence(log_p, log_p) == 0.0


@pytest.mark.parametrize("family", ["bert", "roberta"])
def test_divergences_are_those_of_the_masked_sentences(family: str) -> None:
    """Recomputed with the model's own forward pass on the sentences with a mask in place of the word."""
    import torch

    network, tokenizer = tiny_masked(family)
    model = eb.load_model((network, tokenizer))
    tokenizer = model.tokenizer  # with a mask that takes the blank before it along
    result = run(model, {**TEST, "attributes_a": ["she", "woman", "grandmother"]})
    found = result.extra["divergence"]
    assert (found["unit"], found["from"]) == ("nats", TEMPLATES[0])

    def distribution(template: str) -> np.ndarray:
        inputs = tokenizer(template.replace("{target}", tokenizer.mask_token), return_tensors="pt")
        with torch.inference_mode():
            logits = network(**inputs).logits[0]
        place = inputs["input_ids"][0].tolist().index(tokenizer.mask_token_id)
        return torch.log_softmax(logits[place].double(), dim=-1).numpy()

    p = [distribution(t) for t in TEMPLATES]
    for row, log_p in zip(found["rows"], p, strict=True):
        assert row["full"] == pytest.approx(float(np.exp(log_p) @ (log_p - p[0])), abs=1e-4)
        assert row["full_reverse"] == pytest.approx(float(np.exp(p[0]) @ (p[0] - log_p)), abs=1e-4)
    assert found["rows"][0]["full"] == 0.0
    if family == "bert":  # over the words alone, of which each is the token of its name
        ids = tokenizer.convert_tokens_to_ids(found["words"])
        of_words = [np.exp(log_p[ids]) for log_p in p]
        for row, own in zip(found["rows"], of_words, strict=True):
            assert row["words"] == pytest.approx(entropy(own, of_words[0]), abs=1e-4)
            assert row["words_reverse"] == pytest.approx(entropy(of_words[0], own), abs=1e-4)
    left_out = {s["item"] for s in found["words_left_out"]}
    assert set(found["words"]) == {"she", "woman", "grandmother", "he", "his", "man"} - left_out
    for left in found["words_left_out"]:
        assert "more than one token" in left["reason"]


def test_templates_with_a_mask_of_their_own(bert: Any) -> None:
    result = run(bert, templates=[*TEMPLATES, "The {target} is a {mask}."])
    assert result.extra["texts"][-1] == "The {target} is a {mask}."
    assert len(result.extra["divergence"]["rows"]) == 4
    with pytest.raises(InputError, match="has a mask, and this model has no mask token"):
        run(eb.load_model(tiny_causal("gpt2")), templates=[*TEMPLATES, "The {target} is a {mask}."])


def test_packaged_templates_and_default_data() -> None:
    model = eb.load_model("demo-mlm-en")
    result = eb.measure("template_compatibility", model, n_resamples=99, ci_resamples=99, n_subsets=10)
    assert len(result.extra["names"]) == 11
    assert (result.n, result.coverage.share) == (60, 1.0)
    assert 0.5 < result.score < 1.0
    assert result.ci_low is not None
    assert result.provenance["dataset"]["source"] == "professions"
    assert result.settings["test"] == "occupations"


def test_missing_and_repeated_words_are_listed() -> None:
    rng = np.random.default_rng(1)
    vectors = {w: rng.normal(size=8) for name in LISTS for w in TEST[name]}
    del vectors["patient"]
    result = run(
        vectors, {**TEST, "attributes_a": ["she", "her", "woman", "she"]}, representation="target_mean"
    )
    assert [(s.item, s.where) for s in result.skipped] == [
        ("patient", "tiny/targets_x"),
        ("she", "tiny/attributes_a"),
    ]
    assert (result.n, result.coverage.found, result.coverage.asked) == (9, 15, 16)
    del vectors["nurse"]
    with pytest.raises(CoverageError, match="2 of 5 words cannot be embedded"):
        run(vectors, representation="target_mean")


test_bad_input = refusals(
    lambda options: run(loaded_bert(), **options),
    ({"templates": TEMPLATES[:1]}, InputError, "templates", "`templates` must name at least two"),
    ({"templates": ["The {person} left.", *TEMPLATES]}, DataError, None, r"must have the slot \{target\}"),
    ({"templates": ["{target} is a {attribute}.", *TEMPLATES]}, DataError, None, r"no other but \{mask\}"),
    ({"templates": "delobelle-evaluatid"}, UnknownNameError, "set", "template set"),
    ({"test": {**TEST, "language": "sw"}, "templates": "delobelle-evaluated"}, InputError, "templates", "only in de"),
    ({"templates": [TEMPLATES[0], TEMPLATES[0]]}, InputError, None, "two settings are called"),
    ({"subset_size": 10}, InputError, "subset_size", "a subset needs 10 words"),
    ({"representation": "cls@12"}, InputError, "layer", "no layer 12"),
)  # fmt: skip


def test_one_test_is_compared(bert: Any) -> None:
    with pytest.raises(InputError, match="one test at a time, and 2 were given"):
        eb.measure("template_compatibility", bert, data=[TEST, {**TEST, "name": "other"}])
