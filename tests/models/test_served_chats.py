"""Chats with served models: room for thoughts, draws, servers that are not ready, and what their errors mean."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

import evaluate_bias as eb
from evaluate_bias.errors import ModelError
from evaluate_bias.models.completions import GenerationSettings
from evaluate_bias.models.endpoint import load_endpoint
from tests.support.model_server import ModelServer
from tests.support.tiny_models import tiny_causal

DRAW = GenerationSettings(n=2, decoding="sample", temperature=0.7, seed=5)


@pytest.fixture(autouse=True)
def no_keys(monkeypatch):
    for name in ("EVALUATE_BIAS_API_KEY", "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture(scope="module")
def local():
    return eb.load_model(tiny_causal("gpt2"))


def says(message: str | Mapping[str, Any]) -> Any:
    return lambda body: (message, {"B": -0.1})


# -- room to think ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("message", "thoughts", "text"),
    [
        ({"content": "B", "reasoning_content": "A or B?"}, "A or B?", "B"),
        ({"content": "B", "reasoning": "A or B?"}, "A or B?", "B"),
        ({"content": None, "reasoning_content": "A or"}, "A or", ""),
        ("<think>A or B?</think>B", "", "<think>A or B?</think>B"),
    ],
    ids=["reasoning_content", "reasoning", "unfinished", "tags"],
)  # fmt: skip
def test_thoughts_come_apart_and_get_room(message, thoughts, text):
    usage = {"completion_tokens_details": {"reasoning_tokens": 40}}
    with ModelServer(answer=says(message), usage=usage) as server:
        model = eb.load_model(server.spec)
        ((reply,),) = model.reply(["Which?"], GenerationSettings())
        assert model.reply_tokens == 2_048
        assert eb.load_model(server.spec, reply_tokens=300).reply_tokens == 300
    assert (reply.thoughts, reply.text, reply.thought_tokens) == (thoughts, text, 40)
    assert model.abilities.thinks


def test_a_model_that_thinks_only_when_asked_something_hard_gets_room_then():
    def answer(body: Any) -> tuple[str, dict[str, float]]:
        return ("<think>Hard." if body["messages"][-1]["content"] == "Which?" else "Yes"), {"Yes": -0.1}

    with ModelServer(answer=answer) as server:
        model = eb.load_model(server.spec)
        assert model.reply_tokens == 64
        model.reply(["Which?"], GenerationSettings())
        assert model.reply_tokens == 2_048


def test_thoughts_that_name_the_other_answer_change_no_score():
    pairs, scores = [{"sent_more": "The cook said she left.", "sent_less": "The cook said he left."}], []
    for message in ("B", {"content": "B", "reasoning": "The answer is A."}):
        with ModelServer(answer=says(message), ignores=frozenset(["logprobs"])) as server:
            model = eb.load_model(server.spec)
            found = eb.measure("crows_pairs", model, variant="choice", data=pairs, prompt_variants=1)
        scores.append((found.score, found.rows, found.coverage))
    assert scores[0] == scores[1]


def test_the_user_s_fields_stand_in_every_request_in_the_record_and_in_the_key():
    cache = {}
    fields = {"chat_template_kwargs": {"enable_thinking": False}, "top_k": 50}
    with ModelServer(answer=says("B")) as server:
        for options in ({}, {"reasoning_effort": "low"}, {"reasoning_effort": "low", "extra_body": fields}):
            model = load_endpoint(server.spec, cache=cache, **options)
            model.reply(["Which?"], DRAW)
        sent = [body for path, _, body in server.requests if body.get("seed") == DRAW.seed]
    assert [body.get("reasoning_effort") for body in sent] == [None, "low", "low"]
    assert [body.get("chat_template_kwargs") for body in sent] == [None, None, fields["chat_template_kwargs"]]
    assert [body["top_k"] for body in sent] == [0, 0, 50]
    assert len(cache) == 3 * DRAW.n
    facts = model.provenance()
    assert (facts["reasoning_effort"], facts["extra_body"], facts["reply_tokens"]) == ("low", fields, 64)


def test_options_that_a_server_refuses_are_said_and_not_left_out():
    with ModelServer(answer=says("B"), refuses=frozenset(["reasoning_effort", "vendor"])) as server:
        with pytest.raises(ModelError, match="does not answer with reasoning_effort: .*unknown option"):
            eb.load_model(server.spec, reasoning_effort="low")
        with pytest.raises(ModelError, match="does not answer with vendor"):
            eb.load_model(server.spec, extra_body={"vendor": 1})
        assert len(server.requests) < 20


# -- draws -----------------------------------------------------------------------------------------------------------


def test_draws_are_of_the_whole_distribution_and_scores_of_no_prompt_cache(local):
    with ModelServer(local, answer=says("B")) as server:
        model = eb.load_model(server.spec)
        for ask in (model.reply, model.complete):
            ask(["The nurse said"], DRAW)
            ask(["The nurse said"], GenerationSettings())
        sent = [body for _, _, body in server.requests if body["max_tokens"] == DRAW.max_new_tokens]
    draws = [body for body in sent if "seed" in body]
    assert [body["temperature"] for body in draws] == [0.7] * 4
    assert all((body["top_p"], body["top_k"], body["min_p"]) == (1, 0, 0) for body in draws)
    assert not any("top_p" in body for body in sent if body not in draws)
    assert all(body["cache_prompt"] is False for body in sent)
    assert not any("cuts" in warning for warning in model.warnings)


def test_a_server_s_own_cuts_are_said_where_draws_were_asked_for():
    with ModelServer(answer=says("B"), refuses=frozenset(["top_k", "min_p"])) as server:
        model = eb.load_model(server.spec)
        model.reply(["Which?"], GenerationSettings())
        assert not any("cuts" in warning for warning in model.warnings)
        model.reply(["Which?"], DRAW)
    cut = "the server supports no top_k, min_p: its own cuts apply and exclude what is unlikely"
    assert model.warnings.count(cut) == 1


# -- servers that are not ready, or not what was meant ---------------------------------------------------------------


def test_a_loading_server_is_waited_for_and_refuses_nothing():
    with ModelServer(answer=says("B"), loading=5) as server:
        model = eb.load_model(server.spec)
        assert (model.abilities.facts()["refused"], model.alternatives) == ([], 20)
        server.loading = 3
        ((reply,),) = model.reply(["Which?"], GenerationSettings())
        assert reply.text == "B"


def test_what_an_error_means(local, monkeypatch):
    monkeypatch.setattr("openai._base_client.INITIAL_RETRY_DELAY", 0.01)
    with ModelServer(local) as server:
        address = server.spec.replace("/v1#", "#")
        with pytest.raises(ModelError, match=r"404.*name a model .* the start of its paths, usually"):
            eb.load_model(address)
        with pytest.raises(ModelError, match=r"404: no model other\); name a model that it serves$"):
            eb.load_model(server.spec.replace("#tiny", "#other"))
        server.faults = [500] * 40
        with pytest.raises(ModelError, match=r"500: planned\); its log may say why$"):
            eb.load_model(server.spec)
        server.faults = []
        model = eb.load_model(server.spec)
        model.client.max_retries = 0
    with pytest.raises(ModelError, match="no answer from .*answers are kept if there is a"):
        model.encode(["A text."])


def test_a_damaged_reply_in_the_store_is_asked_for_again():
    cache = {}
    with ModelServer(answer=says("B")) as server:
        model = load_endpoint(server.spec, cache=cache)
        model.reply(["Which?"], GenerationSettings())
        ((key, kept),) = cache.items()
        for damaged in ({}, {"content": {}}, {**kept, "content": {**kept["content"], "text": 7}}):
            cache[key] = damaged
            asked = len(server.requests)
            assert model.reply(["Which?"], GenerationSettings())[0][0].text == "B"
            assert len(server.requests) == asked + 1
            assert cache[key] == kept
