"""Every tab as it stands when the page opens: its buttons give an answer, in words of the page."""

from __future__ import annotations

import html
import re
from collections.abc import Mapping
from typing import Any

import gradio as gr
import pytest

from evaluate_bias.data.kinds import SENTENCE_PAIRS
from evaluate_bias.data.recipes import record_of
from evaluate_bias.errors import CoverageError
from evaluate_bias.registry import METHODS
from evaluate_bias.ui import module_page, sentence_pairs
from evaluate_bias.ui.form import OPTION_FIELDS, Form, Tab
from evaluate_bias.ui.guard import QUEUE_LENGTH
from evaluate_bias.ui.pages import _DEFAULT_DATA, new_page
from evaluate_bias.ui.parts import page_defaults
from evaluate_bias.ui.pool import ModelPool, load_for_visitor
from evaluate_bias.ui.session import Session, sentence_of
from tests.ui.conftest import PATIENCE, load_stand_in, stand_in_page

OF_THE_LIBRARY = re.compile(
    r"local folder|other visitors|evaluate_bias\.|endpoint:|GGUF|pip install|\w=…|too few items"
)
"""What nobody in front of a browser can follow, and an answer that none follows from."""
TABS = (
    "measure_words", "measure_all_words", "score_pair", "measure_pairs", "compare",
    "measure_stereoset", "measure_wefat", "measure_analogies", "measure_honest",
)  # fmt: skip
"""Endpoints of which the stand-ins for the models give a score; of "More methods" the first that is shown and two more
others. Chat and texts have tests of their own."""


WITH_REAL_MODELS = {"ceat", "matched_guise", "wsv"}
"""Methods of which the stand-ins give no score: they know too few letters, no attribute is one of their tokens, and
their vectors have fewer dimensions than features are taken."""
LONG = {"ceat", "frequency_sensitivity", "pll_robustness", "seat", "seed_sensitivity"}
"""Methods of which a button computes for ten seconds and more."""


def press(button: Any, session: Session | None = None) -> tuple[str, dict[str, Any]]:
    """Text and data of what a button answers with what stands in its fields."""
    values = [
        f.preprocess(f.postprocess(f.value)) if isinstance(f, gr.Dataframe) else f.value
        for f in button.inputs[1:]
    ]
    page, data = button.fn(session or Session(), *values, gr.Progress())[:2]
    return html.unescape(re.sub(r"<[^>]+>", " ", page)), data


def gives_a_score(data: Mapping[str, Any]) -> bool:
    return bool(data.get("results") or "delta" in data or "scores" in data)


@pytest.fixture(scope="module")
def buttons():
    return {fn.api_name: fn for fn in stand_in_page().fns.values() if fn.api_name}


@pytest.mark.parametrize("name", TABS)
def test_the_button_of_every_tab_gives_a_score_as_the_page_opens(name, buttons):
    text, data = press(buttons[name])
    assert OF_THE_LIBRARY.findall(text) == []
    assert gives_a_score(data)


def test_the_defaults_are_quick_and_say_something():
    start = page_defaults()
    assert start["chat"]["items"] >= 6  # fewer items of two options each are too few for any finding
    assert (
        len(start["compare"]["models"]) == 1
    )  # of two models, a page would say what changed from one to the other


def test_a_page_shows_the_text_and_the_hint_of_an_error_as_they_are():
    error = CoverageError(
        "2 of 8 words are missing", option="max_missing", hint="use other words or `max_missing`"
    )
    assert sentence_of(error) == "2 of 8 words are missing. Use other words or `max_missing`."
    assert sentence_of(CoverageError("no such test")) == "no such test."


@pytest.mark.parametrize(
    "name", [pytest.param(n, marks=pytest.mark.nightly if n in LONG else ()) for n in sorted(METHODS)]
)
def test_every_page_opens_with_its_method_its_caveats_and_buttons_that_give_a_score(name, monkeypatch):
    """A field for an option is labelled with the name that ``measure`` and errors use; what it does is below it."""
    record = METHODS[name]
    drawn: dict[str, Any] = {}
    draw = Form.field
    monkeypatch.setattr(
        Form, "field", lambda form, name, *a, **k: drawn.setdefault(name, draw(form, name, *a, **k))
    )
    load = load_for_visitor if name in WITH_REAL_MODELS else load_stand_in
    page = module_page(name, ModelPool(load=load, wait=PATIENCE))
    parts = [c["props"] for c in page.get_config_file()["components"]]
    labels = [str(props.get("label")) for props in parts if props.get("visible", True)]
    assert any("Hub id" in label or "Corpus" in label for label in labels) == bool(record.needs)
    text = html.unescape(" ".join(str(props.get("value") or "") for props in parts))
    assert all(words in text for words in (record.title, *(caveat[:40] for caveat in record.caveats)))
    note = record_of({"source": _DEFAULT_DATA.get(record.data.name, record.dataset)})
    assert ("These items are illustrative" in text) == bool(note and note.illustrative)
    assert page._queue.max_size == QUEUE_LENGTH
    known = {*record.options(), *record.data_choices(), "limit"}
    for field, component in drawn.items():
        option = OPTION_FIELDS.get(field, field)
        assert option not in known or (component.label == option and component.info)
    measuring = [fn for fn in page.fns.values() if str(fn.api_name).startswith(("measure", "score"))]
    assert measuring
    for fn in measuring:
        session = Session()
        text, data = press(fn, session)
        assert gives_a_score(data), (fn.api_name, text[:200])
        if str(fn.api_name) in ("measure", "measure_words"):
            assert re.search(r"Data: .*\S", text)
            assert data["results"][0][name] == session.results[0].score


def test_examples_say_what_they_are_of_until_they_are_changed():
    page = module_page("disco", ModelPool(load=load_stand_in, wait=PATIENCE))
    (fn,) = (fn for fn in page.fns.values() if fn.api_name == "measure")
    _, *fields = fn.inputs
    table = next(f.preprocess(f.postprocess(f.value)) for f in fields if isinstance(f, gr.Dataframe))
    for changed, source in ((False, "gendered_words"), (True, "given by the caller")):
        if changed:
            table = table.iloc[:-1]
        values = [table if isinstance(f, gr.Dataframe) else f.value for f in fields]
        (result,) = fn.fn(Session(), *values, gr.Progress())[1]["results"]
        assert result["provenance"]["dataset"]["source"] == source


def test_sentence_pairs_begin_with_data_that_are_there(monkeypatch):
    (*_, (_, published)) = sentence_pairs.pair_sets()
    for built, start in ((False, "minimal_pairs"), (True, published)):
        monkeypatch.setattr(sentence_pairs, "is_built", lambda *names, there=built: there)
        assert sentence_pairs._start_set(None) == start
    # The page of one method begins with pairs that all can take.
    assert sentence_pairs._start_set(METHODS["crows_pairs"]) == "minimal_pairs"


def test_a_field_for_a_column_is_labelled_with_it():
    with new_page("columns") as (_, session):
        form = Form(Tab(ModelPool(), session), "pairs")
        form.columns(SENTENCE_PAIRS, ["sent_more", "sent_less"], ["a", "b"], ["sent_more"])
    assert [(f.label, f.value) for f in form.fields.values()] == [
        ("sent_more", "a"),
        ("sent_less (may be empty)", "b"),
    ]


def test_option_fields_are_options():
    known = {"limit"}.union(*([*record.options(), *record.data_choices()] for record in METHODS.values()))
    assert known.issuperset(OPTION_FIELDS.values())
