"""The tab that asks chat models: the library's numbers, what was asked, limits, and a model behind an address."""

import html
import re

import gradio as gr
import pytest
from gradio_client.exceptions import AppError

import evaluate_bias as eb
from evaluate_bias.errors import InputError, MeasurementError, UndefinedScoreError
from evaluate_bias.models.completions import GenerationSettings
from evaluate_bias.registry import METHODS
from evaluate_bias.ui import explorer_page
from evaluate_bias.ui.chat import (
    ENDPOINT,
    MAX_ASKED,
    OPTIONS,
    both_html,
    chat_methods,
    run_chat,
    write_about_both,
)
from evaluate_bias.ui.guard import Deadline, OutOfTime, with_deadline
from evaluate_bias.ui.outcome import result_page
from evaluate_bias.ui.pool import ModelPool
from evaluate_bias.ui.session import Session
from tests.models.test_chat import with_template
from tests.support.model_server import ModelServer
from tests.support.refusals import refusals, refused
from tests.ui.caller import Caller
from tests.ui.conftest import PATIENCE, load_stand_in
from tests.ui.test_page import named, part

MODEL = "chats/first-label"


@pytest.fixture(scope="module")
def client(address):
    return Caller(address)


def test_every_method_that_can_ask_is_offered():
    assert {r.name for r in chat_methods()} == {r.name for r in METHODS.values() if "chats" in r.needs}


@pytest.mark.parametrize("name", ["crows_pairs", "honest", "relative_decision", "word_association"])
def test_the_tab_gives_the_library_s_number_and_shows_what_was_asked(name, client):
    asked = {"model": MODEL, "items": 2, "prompt_variants": 1}
    try:
        prompt_variants = {"prompt_variants": 1} if "prompt_variants" in METHODS[name].options() else {}
        expected = eb.measure(name, load_stand_in(MODEL), limit=2, **prompt_variants, **METHODS[name].asks)
    except UndefinedScoreError as error:  # of a letter that is no answer
        with pytest.raises(AppError, match=re.escape(str(error)[:60])):
            client.predict(api_name="/measure_chat", method=name, **asked)
        return
    page, data = client.predict(api_name="/measure_chat", method=name, **asked)
    (found,) = (eb.Result.from_dict(one) for one in data["results"])
    assert (found.method, found.score) == (name, expected.score)
    questions = found.details["questions"]
    assert len(questions) >= 2
    assert all(question["answer"].startswith("A") for question in questions)
    assert "the answer that was read" in page
    assert found.settings["limit"] == 2
    assert html.escape(found.warnings[0]) in page


def test_texts_about_two_groups_stand_side_by_side_with_their_difference(client):
    asked = {
        "model": MODEL,
        "prompt": "Praise {group}.",
        "first": "my sister",
        "second": "my brother",
        "texts": 2,
    }
    page, data = client.predict(api_name="/write_about_both", **asked)
    assert "the first less the second" in page
    assert data["results"][0]["counterfactual_text"] == 0.0
    for change, said in (
        ({"prompt": "Hi."}, "does not have a place for the group"),
        ({"second": ""}, "group is empty"),
    ):
        refused(AppError, said, client.predict, api_name="/write_about_both", **{**asked, **change})
    result = write_about_both(
        lambda prompts: [["Very kind.", "No."] if "sister" in p else ["Mean."] for p in prompts],
        f"\n {asked['prompt']} ", ("my sister", "my brother"), 2,
    )  # fmt: skip
    assert result.details["questions"][0]["question"] == "Praise my sister."
    page = both_html(result)
    assert "number of words: raw difference 0.50, scorer&#39;s own part 0.00, score 0.50" in page
    assert re.search(r"Very kind\.</td><td[^>]*>Mean\.</td><td[^>]*>\S+</td><td[^>]*>1.00</td>", page)


def test_an_answer_that_was_not_read_is_shown_with_the_reason():
    def shy(prompts):
        return ["I cannot answer that." if i == 0 else "A" for i, _ in enumerate(prompts)]

    page = result_page(run_chat("crows_pairs", eb.load_model(shy), 2, 3))
    assert "not read: the model refuses" in page


test_what_is_too_much_or_not_offered_is_refused = refusals(
    lambda client, given: client.predict(
        api_name="/measure_chat", **{"model": MODEL, "items": 1, "prompt_variants": 1, **given}
    ),
    ({"method": "decision_gap", "items": 2}, None, "needs the log-probabilities of a reply's first token"),
    ({"items": MAX_ASKED + 1}, None, str(MAX_ASKED)),
    ({"items": 1.7}, None, "must be an integer, got 1.7"),
    ({"method": "weat"}, None, "weat"),
    ({"model": "endpoint:http://127.0.0.1:9/v1#m"}, None, "neither a named model nor a Hub id"),
    ({"model": "glove-6b-50d"}, None, "crows_pairs"),
    error=AppError,
    fixtures=("client",),
)


def test_a_chat_model_is_watched_by_its_deadline():
    model, seen = eb.load_model(with_template()), []
    prompts = [f"Say {i}." for i in range(40)]
    settings = GenerationSettings(max_new_tokens=1)
    watched = with_deadline(model, Deadline(PATIENCE, lambda share, doing: seen.append(share)))
    alike = watched.reply(prompts, settings, alternatives=3)
    assert [r.text for (r,) in alike] == [r.text for (r,) in model.reply(prompts, settings, alternatives=3)]
    assert seen == [0.0, 0.8]
    refused(OutOfTime, "", lambda: with_deadline(model, Deadline(0)).reply(prompts, settings))


def test_a_model_behind_an_address_is_offered_where_the_operator_sets_one(
    monkeypatch,
):
    def asked(page, model):
        ask = named(page, "measure_chat").fn
        return ask(Session(), "crows_pairs", model, 1, 1, progress=lambda *a, **k: None)

    with ModelServer(answer=lambda body: ("B", {"B": -0.1, "A": -2.0})) as server:
        without = [value for _, value in part(explorer_page(), "chat-model").choices]
        monkeypatch.setenv(ENDPOINT, server.spec)
        monkeypatch.setenv(OPTIONS, '{"reasoning_effort": "low"}')
        page = explorer_page()
        choices = part(page, "chat-model").choices
        ((label, served),) = [choice for choice in choices if choice[1] not in without]
        assert label.startswith("tiny (127.0.0.1:")
        before = len(server.requests)
        _, data = asked(page, served)
        sent = len(server.requests) - before
        refused(gr.Error, "neither a named model", asked, page, server.spec)
        with pytest.raises(gr.Error, match="neither a named model"):
            named(page, "score_pair").fn(
                Session(), served, "She left.", "He left.", "pll", progress=lambda *a, **k: None
            )
    assert data["results"][0]["details"]["requests"] == {"asked": 2, "read": 2}
    assert sent >= 2
    assert all(body["reasoning_effort"] == "low" for _, _, body in server.requests if body.get("messages"))
    for text, says in (("{", "must be options in JSON"), ('{"efort": 1}', "has no option 'efort'")):
        monkeypatch.setenv(OPTIONS, text)
        refused(InputError, says, explorer_page)


def test_a_visitor_whose_requests_hang_keeps_no_one_waiting():
    pool = ModelPool(wait=0.0)
    with (
        ModelServer(answer=lambda body: ("B", {"B": -0.1})) as server,
        pool.borrow_served(server.spec, {}, Deadline(PATIENCE)) as first,
        pool.borrow_served(server.spec, {}, Deadline(PATIENCE)) as second,
    ):
        assert second.reply(["Which?"], GenerationSettings())
        server.latency = 1.0
        with (
            pool.borrow_served(server.spec, {}, Deadline(0.2)) as hurried,
            pytest.raises(MeasurementError, match="gave no complete reply within 0"),
        ):
            hurried.reply(["Who?"], GenerationSettings())
        server.latency = 0.0
        assert first.reply(["Who?"], GenerationSettings())


def test_long_replies_are_written_few_at_a_time():
    model, seen = eb.load_model(lambda prompts: ["A"] * len(prompts)), []
    watched = with_deadline(model, Deadline(PATIENCE, lambda share, doing: seen.append(share)))
    for tokens, looks in ((1, 1), (64, 1), (512, 5), (4_096, 20)):
        seen.clear()
        watched.reply([f"Say {i}." for i in range(20)], GenerationSettings(max_new_tokens=tokens))
        assert len(seen) == looks
