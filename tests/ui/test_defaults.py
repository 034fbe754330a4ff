"""Every tab as it stands when the page opens: its buttons give an answer, in words of the page."""

from __future__ import annotations

import html
import re
from collections.abc import Mapping
from typing import Any

import gradio as gr
import pytest

from evaluate_bias.errors import CoverageError
from evaluate_bias.ui.handlers import sentence_of
from evaluate_bias.ui.parts import page_defaults
from evaluate_bias.ui.session import Session
from tests.ui.conftest import stand_in_page

OF_THE_LIBRARY = re.compile(
    r"local folder|max_missing|other visitors|evaluate_bias\.|endpoint:|GGUF|pip install|\w=…|"
    r"targets_x|sent_more|too few units"
)
"""What nobody in front of a browser can follow, and an answer that none follows from."""
TABS = (
    "measure_words", "measure_all_words", "score_pair", "measure_pairs", "measure_item", "measure_items", "compare",
    "measure_levels", "measure_wefat", "measure_analogies", "measure_honest",
)  # fmt: skip
"""Endpoints of which the stand-ins for the models give a score; of "More methods" the first that is shown and two more
others. Chat and texts have tests of their own."""


@pytest.fixture(scope="module")
def buttons() -> Mapping[str, Any]:
    return {fn.api_name: fn for fn in stand_in_page().fns.values() if fn.api_name}


@pytest.mark.parametrize("name", TABS)
def test_the_button_of_every_tab_gives_a_score_as_the_page_opens(
    name: str, buttons: Mapping[str, Any]
) -> None:
    _, *fields = buttons[name].inputs
    values = [
        f.preprocess(f.postprocess(f.value)) if isinstance(f, gr.Dataframe) else f.value for f in fields
    ]
    page, data = buttons[name].fn(Session(), *values, gr.Progress())[:2]
    text = html.unescape(re.sub(r"<[^>]+>", " ", page))
    assert OF_THE_LIBRARY.findall(text) == []
    assert data.get("results") or "delta" in data


def test_the_defaults_are_quick_and_say_something() -> None:
    start = page_defaults()
    assert start["chat"]["items"] >= 6  # fewer items of two options each are too few for any finding
    assert (
        len(start["compare"]["models"]) == 1
    )  # of two models, a page would say what changed from one to the other


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        (
            "weat7/targets_x: 3 of 8 words have no vector (a, b, c), more than max_missing=0.2 allows; use other "
            "vectors, or raise max_missing",
            "weat7, first targets X: 3 of 8 words have no vector (a, b, c), more than the 20 % that may; use other "
            "vectors.",
        ),
        (
            "pll needs a model that scores masked tokens and m does not; use a causal language model, by Hub id, local "
            "folder or GGUF file",
            "pll needs a model that scores masked tokens and m does not; choose another model.",
        ),
        (
            "'a/b' is taken for a Hub id; the Hub cannot be reached (timed out) and the model is not in the local "
            "cache. Without the Hub you can load a local file or folder, or a named asset: x, y",
            "'a/b' is taken for a Hub id; the Hub cannot be reached (timed out) and the model is not on this "
            "machine; choose a model of the list.",
        ),
        ("no test; load it with case='lower' or use another", "no test."),
    ],
)
def test_messages_are_in_words_of_the_page(said: str, shown: str) -> None:
    assert sentence_of(CoverageError(said)) == shown
