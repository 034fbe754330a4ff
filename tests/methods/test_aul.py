"""AUL: preference by the likelihood of all unmasked tokens."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from evaluate_bias.errors import UndefinedScoreError
from evaluate_bias.methods.pairs.aul import method as aul
from evaluate_bias.models.transformer import load_transformer
from tests.support import naive_scoring as naive
from tests.support.tiny_models import tiny_masked

CASES = json.loads((Path(__file__).parents[1] / "golden" / "aul.json").read_text(encoding="utf-8"))["cases"]
PAIR = {"sent_more": "Nobody believed the unkindness of women.", "sent_less": "Nobody believed the old men."}


@pytest.mark.parametrize("case", CASES, ids=lambda c: c["name"])
def test_golden(case: dict[str, Any]) -> None:
    more, less = case["input"]["more"], case["input"]["less"]
    model = naive.StubMaskedLM(
        {s["text"]: s["logprobs"] for s in (more, less)},
        {s["text"]: s.get("attention", []) for s in (more, less)},
    )
    data, expected = [{"sent_more": more["text"], "sent_less": less["text"]}], case["expected"]
    if "error" in expected:
        with pytest.raises(UndefinedScoreError, match=expected["error"]):
            aul.evaluate(model, data)
        return
    result = aul.evaluate(model, data)
    assert result.score == expected["score"]
    assert result.items[0]["score_more"] == pytest.approx(expected["score_more"], rel=1e-12)
    assert result.items[0]["score_less"] == pytest.approx(expected["score_less"], rel=1e-12)


def test_a_model_equals_the_slow_way() -> None:
    model, tokenizer = tiny_masked("electra")
    result = aul.evaluate(load_transformer((model, tokenizer), progress=False), [PAIR])
    expected = naive.pair_scores(model, tokenizer, *PAIR.values(), "aul")
    assert (result.items[0]["score_more"], result.items[0]["score_less"]) == pytest.approx(
        expected, rel=1e-6, abs=1e-5
    )
