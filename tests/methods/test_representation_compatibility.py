"""Representation compatibility from words to result: settings in templates and of the word alone."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import evaluate_bias as eb
from evaluate_bias.errors import CapabilityError, InputError
from evaluate_bias.methods.agreement.representation_compatibility import (
    method as representation_compatibility,
)
from evaluate_bias.methods.word_lists.cosines import effect_size
from tests.support.refusals import refusals
from tests.support.tiny_models import loaded_bert, tiny_causal

from .vector_tests import IN_SENTENCES as TEST

TEMPLATES = ["This is the {target}.", "The {target} left."]
FAST = {"subset_size": 3, "n_subsets": 6, "n_resamples": 49, "ci_resamples": 0, "templates": TEMPLATES}
SIX = ["cls", "bare:cls", "target_mean", "bare:target_mean", "target_first", "bare:sentence_mean@1"]


def run(model: Any, test: dict[str, Any] = TEST, **options: Any) -> eb.Result:
    return eb.measure(
        "representation_compatibility", model, data=[test], **{**FAST, "representations": SIX, **options}
    )


def naive(model: Any, name: str, subset: dict[str, list[str]]) -> float:
    """Effect size of a subset: averaged over the templates, or of the words alone."""
    bare, representation = name.startswith("bare:"), name.removeprefix("bare:")
    sizes = []
    for template in ["{target}"] if bare else TEMPLATES:

        def vectors(words: list[str], template: str = template) -> np.ndarray:
            start = template.index("{target}")
            texts = [template.replace("{target}", w) for w in words]
            spans = [(start, start + len(w)) for w in words]
            return np.stack([v[0] for v in model.embed_in_context(texts, spans, [representation])])

        sizes.append(
            effect_size(
                vectors(subset["targets_x"]),
                vectors(subset["targets_y"]),
                vectors(TEST["attributes_a"]),
                vectors(TEST["attributes_b"]),
            )
        )
    return float(np.mean(sizes))


def test_scores_are_those_of_single_settings(bert: Any) -> None:
    result = run(bert)
    assert result.extra["names"] == SIX
    for i, subset in enumerate(result.extra["subsets"]):
        expected = [naive(bert, name, subset) for name in SIX]
        assert result.extra["scores"][i] == pytest.approx(expected, abs=1e-4)
    r = np.corrcoef(np.array(result.extra["scores"]), rowvar=False)
    assert np.array(result.extra["r"]) == pytest.approx(r, abs=1e-9)
    assert [g["templates"] for g in result.groups] == [2, 0, 2, 0, 2, 0]
    assert len(result.items) == 15
    assert eb.Result.from_json(result.to_json()) == result


def test_the_papers_six_need_a_model_that_has_them() -> None:
    with pytest.raises(InputError, match=r"no layer 4 \(this model has layers 1 to 3"):
        representation_compatibility.evaluate(loaded_bert(), [TEST], subset_size=3)
    causal = eb.load_model(tiny_causal("gpt2"))
    with pytest.raises(CapabilityError, match="so it has no 'cls'; use"):
        run(causal)
    result = run(causal, representations=["last_token", "target_mean", "bare:target_mean"])
    assert result.n == 10


test_bad_input = refusals(
    lambda given: run(loaded_bert(), representations=given),
    ("cls", InputError, "representations", "`representations` must be a list"),
    (["cls", None], InputError, "representations", "`representations` must be a list"),
    (["cls"], InputError, None, "at least two settings"),
    (["cls", "cls"], InputError, None, "two settings are called 'cls'"),
)
