"""What the reader of replies takes, what it calls unreadable, and where it puts tokens that are parts of letters."""

from __future__ import annotations

import itertools
import json
import math
import re
from dataclasses import asdict
from typing import Any

import pytest

from evaluate_bias.models.endpoint.server_reply import Refused, ServerReply, read_reply
from tests.support.odd_values import paths_in, with_value

CHAT = {"messages": [], "logprobs": True, "top_logprobs": 20}
PART = "\N{REPLACEMENT CHARACTER}"


def chat(top: list[dict[str, Any]], **message: Any) -> dict[str, Any]:
    scores = {"content": [{"token": "B", "logprob": -0.1, "top_logprobs": top}]}
    said = {"role": "assistant", "content": "B", **message}
    return {"choices": [{"message": said, "finish_reason": "stop", "logprobs": scores}]}


def echo(prompt: str, tokens: list[str], scores: list[float | None], **fields: Any) -> ServerReply | Refused:
    choice = {"text": prompt, "finish_reason": "length", **fields}
    if tokens:
        choice["logprobs"] = {"tokens": tokens, "token_logprobs": scores}
    return read_reply({"choices": [choice]}, {"prompt": prompt, "echo": True})


def spans(prompt: str, tokens: list[str], scores: list[float | None], **fields: Any) -> Any:
    reply = echo(prompt, tokens, scores, **fields)
    return (
        [(token.start, token.end, token.logprob) for token in reply.prompt_tokens]
        if isinstance(reply, ServerReply)
        else reply.reason
    )


def top(*pairs: tuple[str, Any]) -> list[dict[str, Any]]:
    return [{"token": token, "logprob": p} for token, p in pairs]


@pytest.mark.parametrize(
    ("alternatives", "expected"),
    [
        (top(("A", -0.5), ("B", -1.5)), {"A": -0.5, "B": -1.5}),
        (top(("A", 0), ("B", -9999.0)), {"A": 0.0, "B": -9999.0}),
        (top(("A", 5e-7)), {"A": 0.0}),  # rounding
        (top(("", -1.0), ("", -2.0)), {"": math.log(math.exp(-1) + math.exp(-2))}),  # parts of letters
        (top(("A", -0.1), ("A", -0.1)), {"A": -0.1}),  # the token itself, once more
        (top(), None),
    ],
)
def test_alternatives(alternatives, expected):
    reply = read_reply(chat(alternatives), CHAT)
    assert reply.content.alternatives == (None if expected is None else pytest.approx(expected))
    assert reply.is_complete is (expected is not None)
    assert read_reply(chat(alternatives), {"messages": []}).is_complete


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        (chat(top(("A", math.nan))), "logprobs.content.0.top_logprobs.0.logprob is nan"),
        (chat(top(("A", None))), "logprobs.content.0.top_logprobs.0.logprob is None"),
        (chat(top(("A", 40.0))), "logprobs.content.0.top_logprobs.0.logprob is 40, which no log-probability"),
        (chat(top(("A", -0.1), ("B", -0.1))), "probabilities that add up to 1.81"),
        (chat([], content=["B"]), "message.content is"),
        ({"choices": [{"message": "B", "finish_reason": "stop"}]}, "message is 'B'"),
        ({"choices": [{"message": {"content": "B"}}]}, "finish_reason is missing"),
        ({"error": {"message": "out of order"}}, "{'error': {'message': 'out of order'}}"),
        ([], r"\[\]"),
    ],
)
def test_a_reason_says_what_cannot_be_read(said, reason):
    reply = read_reply(said, CHAT)
    assert isinstance(reply, Refused)
    assert re.search(f"^the server's reply cannot be read: {reason}", reply.reason)


def test_what_was_not_asked_for_may_be_anything():
    odd = {"usage": {"total_tokens": "many"}, "model": 7, "system_fingerprint": "f" * 9_999}
    said = {**chat(top(("A", math.nan))), **odd}
    reply = read_reply(said, {"messages": []})
    assert (reply.content.text, reply.tokens, reply.model, len(reply.fingerprint)) == ("B", 0, "", 100)
    kept = json.loads(json.dumps(asdict(reply)))
    assert ServerReply(**kept) == reply


ODD = (None, True, -5, 40.0, math.nan, math.inf, "text", "f" * 9_999, [], ["a"], {}, {"text": "B"})
PARTS = {"choices": [{"text": "It is", "finish_reason": "stop", "logprobs": {
    "tokens": ["It", " is"], "token_logprobs": [None, -0.5]}, "prompt_logprobs": None}]}  # fmt: skip
FULL = {**chat([{"token": "B", "logprob": -0.1}]), "model": "m", "usage": {"total_tokens": 7}}


@pytest.mark.parametrize(
    ("said", "body"),
    [(FULL, CHAT), (PARTS, {"prompt": "It is", "echo": True})],
    ids=["chat", "prompt"],
)
def test_any_odd_value_is_unreadable_or_does_no_harm(said, body):
    for path, odd in itertools.product(paths_in(said), ODD):
        reply = read_reply(with_value(said, path, odd), body)
        if isinstance(reply, ServerReply):
            numbers = [
                *(reply.content.alternatives or {}).values(),
                *(t.logprob or 0.0 for t in reply.prompt_tokens),
            ]
            assert all(math.isfinite(n) and n <= 0 for n in numbers), (path, odd)
            assert reply.tokens >= 0, (path, odd)
            assert len(reply.model) <= 200
        else:
            assert reply.reason.startswith("the server's "), (path, odd)
            assert len(reply.reason) < 400, (path, odd)


# -- prompts ---------------------------------------------------------------------------------------------------------

WORDS = ["It", " is", " wet"]


def entries(*tokens: tuple[str, float | None] | None) -> list[Any]:
    return [None if t is None else {"7": {"decoded_token": t[0], "logprob": t[1]}} for t in tokens]


@pytest.mark.parametrize(
    ("tokens", "scores", "fields"),
    [
        (WORDS, [None, -1.0, -2.0], {}),
        ([*WORDS, " so"], [None, -1.0, -2.0, -3.0], {}),  # written after it
        (WORDS, [None, -1.0, -2.0], {"prompt_logprobs": entries(None, (" is", -1.0), (" wet", -2.0))}),
        ([], [], {"prompt_logprobs": entries(None, (" is", -1.0), (" wet", -2.0))}),  # the first is not named
    ],
    ids=["echo", "with more", "both fields", "prompt_logprobs"],
)
def test_scores_without_the_first_token(tokens, scores, fields):
    assert spans("It is wet", tokens, scores, **fields) == [(0, 2, None), (2, 5, -1.0), (5, 9, -2.0)]


@pytest.mark.parametrize(
    ("tokens", "scores", "fields"),
    [
        (["<s>", *WORDS], [None, -0.5, -1.0, -2.0], {}),
        ([], [], {"prompt_logprobs": entries(None, ("It", -0.5), (" is", -1.0), (" wet", -2.0))}),
        ([], [], {"prompt_logprobs": entries(("<s>", 0.0), ("It", -0.5), (" is", -1.0), (" wet", -2.0))}),
    ],
    ids=["echo", "prompt_logprobs", "a scored start"],
)
def test_scores_behind_a_start_token(tokens, scores, fields):
    assert spans("It is wet", tokens, scores, **fields) == [(0, 2, -0.5), (2, 5, -1.0), (5, 9, -2.0)]


@pytest.mark.parametrize(
    ("prompt", "tokens", "places"),
    [
        ("It is wet", ["It", "is", "wet"], [(0, 2), (3, 5), (6, 9)]),  # a blank that the server leaves out
        ("물은 wet", ["물", PART, PART, PART, " wet"], [(0, 1), (1, 2), (1, 2), (1, 2), (2, 6)]),
        ("It 물은.", ["It", f" {PART}", PART, PART * 4, "."], [(0, 2), (2, 5), (3, 5), (3, 5), (5, 6)]),
        ("It \N{BEAR FACE}", ["It", f" {PART}", PART, PART], [(0, 2), (2, 4), (3, 4), (3, 4)]),
        ("é is", [PART, f"{PART} is"], [(0, 1), (0, 4)]),
        ("Née", ["N", PART, PART, "e"], [(0, 1), (1, 2), (1, 2), (2, 3)]),
    ],
)
def test_parts_of_letters_stand_where_their_letters_do(prompt, tokens, places):
    """Whole sums need no place of each token, and those behind the letters have theirs."""
    scores = [None, *(-float(i) for i in range(1, len(tokens)))]
    assert spans(prompt, tokens, scores) == [(*p, s) for p, s in zip(places, scores, strict=True)]


@pytest.mark.parametrize(
    ("tokens", "scores", "fields"),
    [
        (WORDS, [None, -1.0, None], {}),
        (WORDS, [None, -1.0], {}),
        (["It", " was", " wet"], [None, -1.0, -2.0], {}),
        ([PART, " was wet"], [None, -1.0], {}),
        ([PART], [None], {}),
        ([], [], {}),
        ([], [], {"prompt_logprobs": entries(None, None, (" wet", -2.0))}),
        ([], [], {"prompt_logprobs": [{}]}),
        ([], [], {"prompt_logprobs": entries(None, (" was", -1.0), (" dry", -2.0))}),
    ],
)
def test_what_does_not_make_up_the_prompt(tokens, scores, fields):
    assert spans("It is wet", tokens, scores, **fields) == "the server's tokens do not make up the text"


def test_the_choice_of_index_0_is_read_wherever_it_is_in_the_list():
    (first,) = chat([])["choices"]
    other = {**first, "message": {**first["message"], "content": "A"}}
    reply = read_reply({"choices": [{**other, "index": 1}, {**first, "index": 0}]}, {"messages": []})
    assert reply.content.text == "B"


def test_content_as_a_list_of_parts_is_their_texts_without_thoughts():
    thoughts = {"type": "thinking", "thinking": [{"type": "text", "text": "A?"}]}
    parts = [thoughts, {"type": "text", "text": "The "}, {"type": "text", "text": "boy"}]
    assert read_reply(chat([], content=parts), {"messages": []}).content.text == "The boy"
    assert read_reply(chat([], content=[{"text": "B"}]), {"messages": []}).status == 0
