"""Pseudo-log-likelihood preference."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from evaluate_bias.methods.pairs.pll import method as pll
from evaluate_bias.models.transformer import load_transformer
from tests.support import naive_scoring as naive
from tests.support.tiny_models import tiny_masked

CASES = json.loads((Path(__file__).parents[1] / "golden" / "pll.json").read_text(encoding="utf-8"))["cases"]
PAIR = {
    "sent_more": "Nobody believed the unkindness of women.",
    "sent_less": "Nobody believed the unfriendly old men.",
}


@pytest.mark.parametrize("case", CASES, ids=lambda c: c["name"])
def test_golden(case: dict[str, Any]) -> None:
    more, less = case["input"]["more"], case["input"]["less"]
    model = naive.StubMaskedLM({s["text"]: s["logprobs"] for s in (more, less)})
    result = pll.evaluate(model, [{"sent_more": more["text"], "sent_less": less["text"]}], **case["params"])
    expected = case["expected"]
    assert result.score == expected["score"]
    assert result.items[0]["score_more"] == pytest.approx(expected["score_more"], rel=1e-12)
    assert result.items[0]["score_less"] == pytest.approx(expected["score_less"], rel=1e-12)


@pytest.mark.parametrize(
    ("options", "scoring"),
    [({}, "pll"), ({"reduction": "mean"}, "pll_mean"), ({"variant": "within_word_l2r"}, "within_word_l2r")],
)
def test_variants_equal_the_slow_way(options: dict[str, Any], scoring: str) -> None:
    model, tokenizer = tiny_masked("bert")
    result = pll.evaluate(load_transformer((model, tokenizer), progress=False), [PAIR], **options)
    expected = naive.pair_scores(model, tokenizer, *PAIR.values(), scoring)
    assert (result.items[0]["score_more"], result.items[0]["score_less"]) == pytest.approx(
        expected, rel=1e-6, abs=1e-5
    )
    assert result.settings["scoring"] == scoring
