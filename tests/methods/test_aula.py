"""AULA: preference by the likelihood of all unmasked tokens, weighted by attention."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from evaluate_bias.methods.pairs.aula import method as aula
from evaluate_bias.models.transformer import load_transformer
from tests.support import naive_scoring as naive
from tests.support.tiny_models import tiny_masked

CASES = json.loads((Path(__file__).parents[1] / "golden" / "aula.json").read_text(encoding="utf-8"))["cases"]
PAIR = {"sent_more": "Nobody believed the unkindness of women.", "sent_less": "Nobody believed the old men."}


@pytest.mark.parametrize("case", CASES, ids=lambda c: c["name"])
def test_golden(case: dict[str, Any]) -> None:
    more, less = case["input"]["more"], case["input"]["less"]
    model = naive.StubMaskedLM(
        {s["text"]: s["logprobs"] for s in (more, less)},
        {s["text"]: s.get("attention", []) for s in (more, less)},
    )
    result = aula.evaluate(model, [{"sent_more": more["text"], "sent_less": less["text"]}])
    expected = case["expected"]
    assert result.score == expected["score"]
    assert result.items[0]["score_more"] == pytest.approx(expected["score_more"], rel=1e-12)
    assert result.items[0]["score_less"] == pytest.approx(expected["score_less"], rel=1e-12)


def test_a_model_equals_the_slow_way() -> None:
    model, tokenizer = tiny_masked("electra")
    result = aula.evaluate(load_transformer((model, tokenizer), progress=False), [PAIR])
    expected = naive.pair_scores(model, tokenizer, *PAIR.values(), "aula")
    assert (result.items[0]["score_more"], result.items[0]["score_less"]) == pytest.approx(
        expected, rel=1e-6, abs=1e-5
    )


def test_the_model_computes_as_before_afterwards() -> None:
    model, tokenizer = tiny_masked("bert")
    before = model.config._attn_implementation
    aula.evaluate(load_transformer((model, tokenizer), progress=False), [PAIR])
    assert model.config._attn_implementation == before
