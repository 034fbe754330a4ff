"""Models of providers, asked through Inspect: its own mock provider, and OpenAI's client against a server of ours."""

from __future__ import annotations

import functools
import os
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

import inspect_ai.model as inspect_model
import pytest
from inspect_ai.model._providers.openai import OpenAIAPI
from tenacity import wait_none

import evaluate_bias as eb
from evaluate_bias.errors import CapabilityError, MeasurementError, ModelError
from evaluate_bias.models.completions import GenerationSettings
from evaluate_bias.models.endpoint import load_endpoint
from tests.support.model_server import ModelServer

MOCK, OPENAI, KEY = "inspect:mockllm/model", "inspect:openai/gpt-4o", "sk-of-nobody-7f3a"
ANSWER, DRAW = GenerationSettings(), GenerationSettings(n=2, decoding="sample", temperature=0.7, seed=5)
PAIRS = [
    {"sent_more": f"The {name} said she left.", "sent_less": f"The {name} said he left."}
    for name in ("nurse", "cook")
]
USAGE = {"prompt_tokens": 6, "completion_tokens": 4}


def output(text: str, thoughts: str = "", *, labels: dict[str, float] | None = None, **fields: Any) -> Any:
    """What a provider's client gives."""
    parts = [inspect_model.ContentReasoning(reasoning=thoughts)] if thoughts else []
    scores = [inspect_model.TopLogprob(token=token, logprob=p) for token, p in (labels or {}).items()]
    first = inspect_model.Logprob(token=text, logprob=-0.1, top_logprobs=scores)
    choice = inspect_model.ChatCompletionChoice(
        message=inspect_model.ChatMessageAssistant(content=[*parts, inspect_model.ContentText(text=text)]),
        stop_reason=fields.pop("stop_reason", "stop"),
        logprobs=inspect_model.Logprobs(content=[first]) if labels else None,
    )
    usage = inspect_model.ModelUsage(total_tokens=10, reasoning_tokens=fields.pop("reasoning_tokens", None))
    return inspect_model.ModelOutput(**{"model": "model-2026", "choices": [choice], "usage": usage, **fields})


Plant = Callable[[Any], list[Any]]


@pytest.fixture
def plant(monkeypatch) -> Plant:
    """Plants the replies of ``mockllm/model``: one for all, or a function of the question; returns the questions."""
    real = inspect_model.get_model

    def planted(reply: Any) -> list[Any]:
        calls: list[Any] = []

        def answer(turns: Any, tools: Any, tool_choice: Any, config: Any) -> Any:
            calls.append((turns[-1].text, config))
            return reply(turns[-1].text) if callable(reply) else reply

        monkeypatch.setattr(inspect_model, "get_model", functools.partial(real, custom_outputs=answer))
        return calls

    return planted


@pytest.fixture
def openai(monkeypatch) -> Any:
    """OpenAI's client of Inspect, which finds key and address of a server of ours where it always does."""

    def environment(server: ModelServer) -> ModelServer:
        monkeypatch.setenv("OPENAI_API_KEY", KEY)
        monkeypatch.setenv("OPENAI_BASE_URL", f"http://127.0.0.1:{server.port}/v1")
        return server

    monkeypatch.delenv("EVALUATE_BIAS_API_KEY", raising=False)
    monkeypatch.setattr(OpenAIAPI, "retry_wait", lambda self: wait_none())
    return environment


def gpt_4o(**options: Any) -> ModelServer:
    return ModelServer(name="gpt-4o", usage=USAGE, **{"answer": lambda body: ("B", {"B": -0.1}), **options})


# -- replies ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("labels", [None, {"B": -0.1, "A": -2.5}], ids=["text", "labels"])
def test_the_score_is_the_same_with_thoughts_that_name_the_other_answer(plant, labels):
    results = []
    for thoughts in ("", "A, as A is the likelier one. The answer is A."):
        plant(output("B", thoughts, labels=labels))
        results.append(eb.measure("crows_pairs", MOCK, variant="choice", data=PAIRS, prompt_variants=1))
    bare, thinking = results
    assert (bare.score, bare.rows, bare.coverage) == (thinking.score, thinking.rows, thinking.coverage)
    assert bare.coverage.found == bare.coverage.asked == 2


@pytest.mark.parametrize(
    "part",
    [{"reasoning": "A or B?"}, {"reasoning": "c2VjcmV0", "redacted": True, "summary": "A or B?"}],
    ids=["thoughts", "encrypted"],
)
def test_a_reply_has_its_thoughts_or_their_summary_apart_and_counted(plant, part):
    planted = output("B", "x", labels={"B": -0.1}, reasoning_tokens=40)
    planted.choices[0].message.content[0] = inspect_model.ContentReasoning(**part)
    plant(planted)
    model = eb.load_model(MOCK)
    ((reply,),) = model.reply(["Which?"], ANSWER, alternatives=20)
    assert (reply.text, reply.thoughts, reply.thought_tokens) == ("B", "A or B?", 40)
    assert reply.alternatives == {"B": -0.1}
    assert model.reply_tokens == 2_048


@pytest.mark.parametrize(
    ("planted", "ended", "refused"),
    [("max_tokens", False, False), ("content_filter", True, True), ("unknown", True, False)],
)
def test_how_a_reply_ended(plant, planted, ended, refused):
    plant(output("B", stop_reason=planted))
    ((reply,),) = eb.load_model(MOCK).reply(["Which?"], ANSWER)
    assert (reply.ended, reply.refused) == (ended, refused)


def test_a_question_that_is_too_long_or_without_an_answer_is_a_row_and_is_asked_again(plant):
    cache = {}
    for bad in (output("It is too long.", stop_reason="model_length"), output("B", choices=[])):
        calls = plant(lambda text, bad=bad: bad if text == "Which?" else output("B"))
        model = load_endpoint(MOCK, cache=cache)
        for _ in range(2):
            (row,) = model.reply(["Which?"], ANSWER)
            assert isinstance(row, eb.Skipped)
        assert [text for text, _ in calls].count("Which?") == 2
    assert not cache


def test_what_the_provider_is_asked(plant):
    calls = plant(output("B", labels={"B": -0.1}))
    model = eb.load_model(MOCK, system="Be brief.", concurrency=3, timeout=7.2)
    model.reply(["Which?", "Which?"], DRAW, alternatives=20)
    assert len(calls) == 1 + DRAW.n
    config = calls[-1][1]
    assert (config.max_tokens, config.temperature, config.seed) == (
        20,
        None,
        6,
    )  # the mock supports no temperature
    assert (config.logprobs, config.top_logprobs) == (True, 20)
    assert (config.max_retries, config.timeout, config.max_connections) == (5, 8, 3)
    assert not config.cache
    assert config.extra_body is None


def test_options_that_are_left_out_are_found_and_said(plant):
    plant(output("B"))
    model = eb.load_model(MOCK, reasoning_effort="low", extra_body={"vendor": 1})
    left_out = {"temperature", "seed", "logprobs", "reasoning_effort", "vendor"}
    assert set(model.provenance()["refused"]) >= left_out
    assert model.alternatives == 0
    (warning,) = (text for text in model.warnings if "from Inspect" in text)
    assert (
        set(warning.removeprefix("mockllm supports no ").removesuffix(" from Inspect").split(", "))
        == left_out
    )
    assert any("answers are sampled" in text for text in model.warnings)


def test_log_probabilities_that_do_not_come_are_asked_for_no_more(openai):
    with gpt_4o(ignores=frozenset(["logprobs"])) as server:
        openai(server)
        model = eb.load_model(OPENAI)
        result = eb.measure("crows_pairs", model, variant="choice", data=PAIRS, prompt_variants=1)
    assert model.alternatives == 0
    assert result.coverage.found == result.coverage.asked == 2
    assert "openai supports no logprobs from Inspect" in result.warnings


def test_scores_are_those_of_the_same_server_without_inspect(openai):
    def answer(body: Any) -> tuple[dict[str, str], dict[str, float]]:
        label = "AB"[len(body["messages"][-1]["content"]) % 2]
        return {"content": label, "reasoning_content": "B or A?"}, {label: -0.1, "AB"[label == "A"]: -2.4}

    with gpt_4o(answer=answer) as server:
        openai(server)
        one, other = (
            eb.measure("crows_pairs", spec, variant="choice", data=PAIRS) for spec in (OPENAI, server.spec)
        )
    assert (one.score, one.coverage) == (other.score, other.coverage)
    assert [row.score for row in one.rows] == [row.score for row in other.rows]


# -- budget, store, failures -----------------------------------------------------------------------------------------


def test_a_request_has_a_time_limit(openai):
    with gpt_4o() as server:
        openai(server)
        model = eb.load_model(OPENAI, timeout=0.5)
        server.latency = 2.0
        (skipped,) = model.reply(["Which?"], ANSWER)
        assert "no complete reply within 0.5 s" in skipped.reason
        visitor = model.until(time.monotonic() + 0.2)
        with pytest.raises(MeasurementError, match=r"gave no complete reply within 0.[12]"):
            visitor.reply(["Which?"], ANSWER)
        server.latency = 0.0
        assert model.reply(["Which?"], ANSWER)[0][0].text == "B"
    assert (visitor.client.model, visitor.client.cache) == (model.client.model, model.client.cache)


def test_a_key_that_is_refused_is_not_shown(openai):
    with gpt_4o(key="another") as server:
        openai(server)
        with pytest.raises(ModelError, match=r"refuses the key \(401: .*\[key\].*variable that") as caught:
            eb.load_model(OPENAI)
    assert KEY not in repr(caught.value)
    assert caught.value.__cause__ is caught.value.__context__ is None


def test_an_error_of_the_provider_s_client_is_one_sentence(plant):
    def answer(text: str) -> Any:
        if text == "Which?":
            raise ValueError("[bold]planned[/bold]\nerror")
        return output("B")

    plant(answer)
    model = eb.load_model(MOCK)
    with pytest.raises(ModelError, match=r"^no answer from model \(mockllm\): ValueError: planned"):
        model.reply(["Which?"], ANSWER)


@pytest.mark.parametrize(
    ("host", "advice"),
    [("openaipublic.blob.core.windows.net", "TIKTOKEN_CACHE_DIR"), ("a.test", "connection")],
)
def test_a_host_that_cannot_be_reached_is_named_with_what_to_do(plant, host, advice):
    def answer(text: str) -> Any:
        raise ConnectionError(
            f"HTTPSConnectionPool(host='{host}', port=443): Max retries exceeded with url: /x"
        )

    plant(answer)
    with pytest.raises(ModelError, match="cannot be reached") as error:
        eb.load_model(MOCK).reply(["Which?"], ANSWER)
    assert host in error.value.text
    assert "HTTPSConnectionPool" not in error.value.text
    assert advice in error.value.hint


def test_likelihoods_are_refused_and_point_to_an_endpoint(plant):
    plant(output("B"))
    model = eb.load_model(MOCK)
    for method, options in (("kldivs", {}), ("crows_pairs", {"variant": "causal"}), ("gest", {})):
        with pytest.raises(CapabilityError, match="endpoint:URL#NAME, whose server gives log-probabilities"):
            eb.measure(method, model, **options)


@pytest.mark.nightly
def test_nothing_is_printed_and_no_file_is_written(tmp_path):
    code = """
import functools, inspect_ai.model as m, evaluate_bias as eb
out = m.ModelOutput.from_content("m", "B")
out.usage = m.ModelUsage(total_tokens=1)
m.get_model = functools.partial(m.get_model, custom_outputs=lambda *args: out)
eb.measure("crows_pairs", "inspect:mockllm/model", variant="choice", limit=2, prompt_variants=1)
"""
    # A home of its own shows what is written there.
    homes = dict.fromkeys(("HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME"), str(tmp_path))
    command, environment = [sys.executable, "-c", code], {**os.environ, **homes}
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("", "")
    assert [path.name for path in tmp_path.rglob("*") if "inspect" in path.name] == []


# -- beside others ---------------------------------------------------------------------------------------------------
