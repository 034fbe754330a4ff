"""AUL, AULA and PLL: golden cases; their scorings against the slow way are in test_pair_scoring.py."""

from __future__ import annotations

from typing import Any

import pytest

from evaluate_bias.errors import UndefinedScoreError
from evaluate_bias.models.transformer import load_transformer
from evaluate_bias.registry import METHODS
from tests.support import naive_scoring as naive
from tests.support.golden import golden_checks
from tests.support.tiny_models import tiny_masked

CASES = [
    pytest.param(name, case, id=f"{name}: {case['name']}")
    for name in ("aul", "aula", "pll")
    for case in golden_checks(name)["cases"]
]


@pytest.mark.parametrize(("name", "case"), CASES)
def test_golden(name: str, case: dict[str, Any]) -> None:
    texts, expected = (case["input"]["more"], case["input"]["less"]), case["expected"]
    model = naive.StubMaskedLM(
        {s["text"]: s["logprobs"] for s in texts}, {s["text"]: s.get("attention", []) for s in texts}
    )
    data = [{"sent_more": texts[0]["text"], "sent_less": texts[1]["text"]}]
    evaluate = METHODS[name].function()
    if "error" in expected:
        with pytest.raises(UndefinedScoreError, match=expected["error"]):
            evaluate(model, data)
        return
    result = evaluate(model, data, **case.get("params", {}))
    assert result.score == expected["score"]
    for key in ("score_more", "score_less"):
        assert result.items[0][key] == pytest.approx(expected[key], rel=1e-12)


def test_attention_is_computed_as_before_afterwards() -> None:
    model, tokenizer = tiny_masked("bert")
    before = model.config._attn_implementation
    pair = {
        "sent_more": "Nobody believed the unkindness of women.",
        "sent_less": "Nobody believed the old men.",
    }
    METHODS["aula"].function()(load_transformer((model, tokenizer), progress=False), [pair])
    assert model.config._attn_implementation == before
