"""Pages of the modules: an explorer's tab with one method, for every kind of data; what they compute and refuse."""

from __future__ import annotations

import html
import re
from typing import Any

import pytest

import evaluate_bias as eb
from evaluate_bias.data import load_sentence_pairs
from evaluate_bias.data.kinds import SENTENCE_PAIRS
from evaluate_bias.errors import CapabilityError, InputError
from evaluate_bias.registry import METHODS, get_method
from evaluate_bias.ui.handlers import shown_errors
from evaluate_bias.ui.outcome import result_page
from evaluate_bias.ui.pair_tokens import (
    default_scoring,
    pair_html,
    score_pair,
)
from evaluate_bias.ui.pool import allowed_model
from evaluate_bias.ui.sentence_pairs import chosen_pairs, run_pairs, sentence_columns
from evaluate_bias.ui.word_lists import run_lists
from tests.support.tiny_models import tiny_causal, tiny_masked, with_both_preferences

VECTORS = {
    "north": [0.0, 1.0],
    "up": [0.0, 2.0],
    "east": [1.0, 0.0],
    "right": [3.0, 0.0],
    "top": [0.0, 5.0],
    "side": [4.0, 0.0],
}
PAIRS = [r for r in METHODS.values() if r.data.name == SENTENCE_PAIRS.name]
HOSTILE = "<img src=x onerror=alert(1)>"


@pytest.fixture(scope="module")
def masked() -> Any:
    return with_both_preferences(tiny_masked, load_sentence_pairs(language="de", bias_types="gender"))


@pytest.fixture(scope="module")
def causal() -> Any:
    return with_both_preferences(tiny_causal, load_sentence_pairs(bias_types="age"), scoring="causal")


def test_errors_are_shown_with_typed_text_escaped() -> None:
    import gradio as gr

    with pytest.raises(gr.Error) as caught, shown_errors():
        allowed_model(HOSTILE)
    assert "<" not in caught.value.message
    assert f"'{HOSTILE}' is neither a named model" in html.unescape(caught.value.message)


def test_typed_word_lists() -> None:
    vectors = eb.load_model(VECTORS)
    texts = ["north, up", "east, right", "top", "side"]
    result = run_lists(vectors, "en", "", texts, get_method("weat"))
    assert result.score == pytest.approx(3**0.5)
    shown = result_page(result)
    bars = re.findall(r'<tr class="eb-s(\d)"><th scope="row">(\w+)<.*?eb-num">(.*?)<', shown)
    assert sorted(bars) == [
        ("1", "north", "1.000"),
        ("1", "up", "1.000"),
        ("2", "east", "−1.000"),
        ("2", "right", "−1.000"),
    ]
    assert "6 of 6" in shown
    with pytest.raises(InputError, match="second attributes B: type at least one word"):
        run_lists(vectors, "en", "", [*texts[:3], ""], get_method("weat"))


@pytest.mark.parametrize("record", PAIRS, ids=lambda r: r.name)
def test_one_pair_is_scored_as_the_method_scores_sentences(record: Any, masked: Any) -> None:
    packaged = load_sentence_pairs(bias_types="gender")[0]
    texts = [getattr(packaged, c) for c in sentence_columns(record)]
    assert (len(texts) == 4) == (record.name == "pll_robustness")
    scored = score_pair(masked, texts[0], texts[1], default_scoring(record))
    side = "more" if scored.delta > 0 else "less"
    assert f"finds the <strong>{side} stereotypical</strong> sentence" in pair_html(scored)
    if record.name not in ("kldivs", "pll_robustness"):  # the method itself says the same of the pair
        pair = dict(zip(sentence_columns(record), texts, strict=True))
        (row,) = eb.measure(record.name, masked, data=[pair]).rows_of("item")
        measured = (row.details["score_more"], row.details["score_less"])
        assert measured == pytest.approx((scored.score_more, scored.score_less), rel=1e-6)
        assert row.details["verdict"] == side


@pytest.mark.parametrize("record", PAIRS, ids=lambda r: r.name)
def test_a_causal_model_is_scored_left_to_right_where_the_method_can(record: Any, causal: Any) -> None:
    pairs = chosen_pairs("en", "age")
    if "scores sequences" not in record.needs:
        with pytest.raises(CapabilityError, match="masked-LM head"):
            run_pairs(record.name, causal, pairs)
        return
    assert "causal" in run_pairs(record.name, causal, pairs).settings["scoring"]
