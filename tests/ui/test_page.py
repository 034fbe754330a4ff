"""What the explorer's buttons do, without a server or a browser."""

from __future__ import annotations

import asyncio
import datetime
from typing import Any

import gradio as gr
import pytest
from gradio.state_holder import SessionState

from evaluate_bias.registry import METHODS
from evaluate_bias.ui import pool
from evaluate_bias.ui.pool import MODELS_IN_MEMORY
from evaluate_bias.ui.session import Session
from evaluate_bias.ui.word_lists import lists_as_text
from tests.support.refusals import refused
from tests.ui.conftest import stand_in_page


@pytest.fixture(scope="module")
def page():
    return stand_in_page()


def test_a_field_that_is_an_option_is_labelled_with_its_name_and_says_what_it_is(page):
    options = {
        name for record in METHODS.values() for name in (*record.options(), *record.data_choices(), "limit")
    }
    fields = [block for block in page.blocks.values() if getattr(block, "label", None) in options]
    assert len(fields) > 10
    assert [field.elem_id for field in fields if not getattr(field, "info", "")] == []


def named(page: Any, name: str) -> Any:
    return next(f for f in page.fns.values() if f.api_name == name)


def part(page: Any, elem_id: str) -> Any:
    return next(b for b in page.blocks.values() if b.elem_id == elem_id)


def updated(event: Any, *given: Any) -> dict[str, Any]:
    """What a choice or an example puts into fields, by their ids."""
    return {block.elem_id: value for block, value in zip(event.outputs, event.fn(*given), strict=True)}


def bound_to(page: Any, elem_id: str) -> Any:
    """What a button, or a change of a field, does first."""
    number = part(page, elem_id)._id
    return next(f for f in page.fns.values() if any(target[0] == number for target in f.targets))


def test_two_requests_of_one_visitor_that_fail_at_once_say_each_what_failed(page):
    session = Session()
    requests = {
        "score_pair": (["demo-mlm-en", "", "He left.", "pll"], "sent_more"),
        "measure_words": (["glove-6b-50d", None, "en", None, "", "", "", "", False, ""], "targets_x"),
    }
    for name, (given, _) in requests.items():
        with pytest.raises(gr.Error):
            named(page, name).fn(session, *given, progress=lambda *a, **k: None)
    for name, (_, said) in requests.items():
        (failed,) = [
            f
            for f in page.fns.values()
            if f.trigger_after == named(page, name)._id and f.trigger_only_on_failure
        ]
        shown, *rest = failed.fn(session)
        assert said in shown
        assert rest == [None]
    assert not session.errors


def test_an_example_brings_back_the_languages_that_a_method_took_away(page):
    languages = part(page, "words-language")
    known: dict[str, Any] = {}
    chosen = bound_to(page, "words-method")
    updates = updated(chosen, known, "projection", "glove-6b-50d", "de", "weat7")
    assert updates["words-language"]["choices"] == ["en"]
    again = updated(bound_to(page, "words-example-weat7"), known)
    assert again["words-language"]["choices"] == [value for _, value in languages.choices]
    assert again["words-language"]["value"] == "en"
    assert tuple(again[f"words-{key}"] for key in "xyab") == lists_as_text("en", "weat7")


def test_a_choice_that_changes_nothing_leaves_what_was_typed(page):
    """Gradio's drop-down says twice that something was chosen, and once that it was when it is only passed through."""
    known, test, method = dict[str, Any](), bound_to(page, "words-test"), bound_to(page, "words-method")
    nothing = [gr.skip()] * len(test.outputs)
    assert test.fn(known, "weat7", "", "glove-6b-50d", "en") == nothing  # as the page was built
    assert (
        updated(test, known, "weat6", "", "glove-6b-50d", "en")["words-x"] == lists_as_text("en", "weat6")[0]
    )
    assert test.fn(known, "weat6", "", "glove-6b-50d", "en") == nothing
    updated(method, known, "projection", "glove-6b-50d", "en", "weat6")
    assert test.fn(known, "occupations", "projection", "glove-6b-50d", "en") == nothing  # the server chose it
    updated(bound_to(page, "words-example-weat7"), known)
    assert test.fn(known, "weat7", "", "glove-6b-50d", "en") == nothing
    refused(gr.Error, "", test.fn, known, "no such test", "", "glove-6b-50d", "en")
    with pytest.raises(gr.Error):  # what failed is tried again
        test.fn(known, "no such test", "", "glove-6b-50d", "en")


def test_what_a_visitor_measured_is_forgotten_an_hour_after_its_last_use(page):
    state = SessionState(page)
    given = [None, "glove-6b-50d", None, "en", "weat7", *lists_as_text("en", "weat7"), False, ""]
    asyncio.run(page.process_api(named(page, "measure_words"), given, state=state))
    ((block, session, expired),) = state.state_components
    assert block.time_to_live == 3600
    assert [r.method for r in session.results] == ["weat"]
    assert not expired
    state._state_ttl[block._id] = (3600, datetime.datetime.now() - datetime.timedelta(seconds=3601))
    assert [expired for *_, expired in state.state_components] == [True]
    asyncio.run(page.process_api(named(page, "measure_words"), given, state=state))
    assert [expired for *_, expired in state.state_components] == [False]


def test_what_needs_no_model_is_bounded_too(page):
    """Where no pool of models makes visitors wait for one another, gradio's queue does."""
    bounds = {f.api_name: f.concurrency_limit for f in page.fns.values() if f.api_name}
    assert bounds["measure_text"] == MODELS_IN_MEMORY
    assert bounds["measure_words"] == "default"


@pytest.mark.parametrize("here", [(), ("glove-6b-50d", "demo-mlm-en", "smollm2-135m")])
def test_a_comparison_begins_with_one_model_that_can_be_chosen(monkeypatch, here):
    monkeypatch.setattr(pool, "is_cached", lambda asset: asset.name in here)
    monkeypatch.setattr(pool, "_is_pickled", lambda asset: False)
    page = stand_in_page()
    models, methods = (part(page, f"compare-{name}") for name in ("models", "methods"))
    assert models.value == ["glove-6b-50d"]
    assert len(methods.value) == 2
    assert {*models.value} <= {name for _, name in models.choices}
    assert {*methods.value} <= {name for _, name in methods.choices}
