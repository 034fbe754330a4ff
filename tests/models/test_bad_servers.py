"""Servers that send anything: a row that is left out or a sentence, in time, and nothing of it is kept."""

from __future__ import annotations

import contextlib
import copy
import json
import math
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import pytest

import evaluate_bias as eb
from evaluate_bias.errors import BiasError
from evaluate_bias.models.endpoint import client as endpoint_client
from evaluate_bias.models.endpoint import load_endpoint, sending
from tests.support.bad_server import BadServer, Reply, Wire, as_json, http

PAIRS = [
    {"id": str(i), "sent_more": f"The {noun} said she left.", "sent_less": f"The {noun} said he left.",
     "bias_type": "gender"}
    for i, noun in enumerate(("nurse", "doctor", "engineer", "patient"))
]  # fmt: skip
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
CHUNKED = HEAD + b"Transfer-Encoding: chunked\r\n\r\n"
LIMIT = 20_000
"""Most bytes of a reply in these tests."""


def at(path: str, value: Any) -> Callable[[Reply], Wire]:
    """The right reply, but for one field."""

    def wrong(reply: Reply) -> Wire:
        reply = copy.deepcopy(reply)
        *way, last = [int(key) if key.isdigit() else key for key in path.split(".")]
        place: Any = reply
        for key in way:
            if isinstance(place, Mapping) and key not in place:
                return as_json(reply)  # a request that did not ask for it
            place = place[key]
        place[last] = value
        return as_json(reply)

    return wrong


def sent(wire: Wire) -> Callable[[Reply], Wire]:
    return lambda reply: wire


NAN, INF = math.nan, math.inf
OF_CHATS = {
    "no choices": at("choices", []),
    "a text for a message": at("choices.0.message", "B"),
    "a log-probability of 40": at("choices.0.logprobs.content.0.top_logprobs.0.logprob", 40.0),
    "a log-probability of infinity": at("choices.0.logprobs.content.0.top_logprobs.0.logprob", INF),
    "probabilities of 1.6": at("choices.0.logprobs.content.0.top_logprobs.1.logprob", -0.2),
    "content in parts of no kind": at("choices.0.message.content", [{"text": "B"}]),
    "half a character": lambda reply: http(json.dumps(reply).replace('"B"', '"\\ud83d"').encode()),
    "a fingerprint that is huge": at("system_fingerprint", "f" * 5_000),
    "a negative number of tokens": at("usage.total_tokens", -5),
}
SCORES = "choices.0.logprobs.token_logprobs"


def both(reply: Reply, **fields: Any) -> Wire:
    """A reply with other fields of scores, where some were asked for."""
    choice = reply["choices"][0]
    if "prompt_logprobs" in choice:
        choice = {**choice, **fields}
    return as_json({**reply, "choices": [choice]})


OF_SCORES: dict[str, Callable[[Reply], Wire]] = {
    "null in the middle, twice": lambda reply: both(
        reply,
        logprobs={"tokens": ["The", " x", " said"], "token_logprobs": [None, -1.0, None]},
        prompt_logprobs=[None, None, {"5": {"decoded_token": "x", "logprob": -1.0}}],
    ),
    "no number for a score": at(f"{SCORES}.2", {}),
    "scores above 0": at(f"{SCORES}.1", 40.0),
    "tokens of another text": at("choices.0.logprobs.tokens", ["Quite", " another", " text", " as", " such"]),
    "no scores": lambda reply: both(reply, logprobs=None, prompt_logprobs=None),
    "an entry of NaN": lambda reply: both(
        reply, logprobs=None, prompt_logprobs=[None, {"5": {"decoded_token": " x", "logprob": NAN}}]
    ),
}
OF_BOTH: dict[str, Callable[[Reply], Wire]] = {
    "nothing": sent(http(b"")),
    "half of it": lambda reply: http(json.dumps(reply).encode()[:-30]),
    "an event stream": lambda reply: http(b"data: " + json.dumps(reply).encode() + b"\n\ndata: [DONE]\n\n"),
    "an error with status 200": sent(as_json({"error": {"message": "out of order"}})),
    "bytes of no code": sent(http(bytes(range(128, 256)))),
    "too long": lambda reply: as_json({**reply, "padding": "x" * 2 * LIMIT}),
    "too long without an end": sent(Wire((CHUNKED, b"2710\r\n" + b" " * 10_000 + b"\r\n"), 0.0, 10_000)),
    "byte by byte": sent(Wire((HEAD + b"Content-Length: 900\r\n\r\n", b" "), 0.05, 900)),
    "a head without an end": sent(Wire((b"HTTP/1.1 200 OK\r\n", b"X: y\r\n"), 0.05, 900)),
    "silence": sent(Wire((b"", b""), 0.05, 900)),
    "less than it says": sent(Wire((HEAD + b'Content-Length: 500\r\n\r\n{"choices": [',))),
    "a broken chunk": sent(Wire((CHUNKED + b"zz\r\n{}\r\n",))),
    "another protocol": sent(Wire((b"SSH-2.0-OpenSSH_9.6\r\n",))),
    "a closed connection": sent(Wire((b"",))),
    **{f"status {code}": sent(http(b"{}", f"{code} Odd")) for code in (204, 301, 400, 401)},
    **{f"status {code}": sent(http(b"no", f"{code} Odd", "Retry-After: 0")) for code in (429, 500)},
    "not ready": sent(http(b"Loading model", "503 Busy", "Retry-After: 0.05")),
    "wait for ever": sent(http(b"", "503 Busy", "Retry-After: 99")),
    "an error that is too long": sent(http(b"x" * 2 * LIMIT, "400 Bad")),
}  # fmt: skip
KINDS = [
    *(("choice", name, wrong) for name, wrong in {**OF_BOTH, **OF_CHATS}.items()),
    *(("causal", name, wrong) for name, wrong in OF_SCORES.items()),
]


def measured(server: BadServer, variant: str, cache: dict[str, Any], **limits: Any) -> eb.Result:
    model = load_endpoint(server.spec, cache=cache, concurrency=1, **limits)
    model.client.max_retries = 0
    options = {"prompt_variants": 1} if variant == "choice" else {}
    return eb.measure("crows_pairs", model, variant=variant, data=PAIRS, **options)


@pytest.fixture(scope="module")
def server() -> Iterator[BadServer]:
    with BadServer() as running:
        yield running


@pytest.fixture(scope="module")
def right(server: BadServer) -> dict[str, eb.Result]:
    return {variant: measured(server, variant, {}) for variant in ("choice", "causal")}


@pytest.mark.parametrize(
    ("variant", "wrong"), [pytest.param(v, wrong, id=f"{v}: {name}") for v, name, wrong in KINDS]
)
def test_what_a_server_sends_is_a_row_or_a_sentence(server, right, variant, wrong, monkeypatch):
    """From the first request on, and from the tenth; the next run is complete, since nothing bad was kept."""
    monkeypatch.setattr(sending, "MOST_BYTES", LIMIT)
    monkeypatch.setattr("openai._base_client.INITIAL_RETRY_DELAY", 0.01)
    monkeypatch.setattr(endpoint_client, "MAX_FAILURES", 2)
    cache = {}
    for first in (1, 10):
        server.misbehave(wrong, first)
        found = None
        with contextlib.suppress(BiasError):  # a sentence
            found = measured(server, variant, cache, timeout=0.5, ready_timeout=0.1)
        if found is not None:
            assert math.isfinite(found.score)
            assert 0 <= found.details.get("label_probability", 0) <= 1.01
            json.loads(found.to_json(), parse_constant=pytest.fail)
            assert max(map(len, found.provenance["model"]["system_fingerprint"]), default=0) <= 100
        assert not server.sent_all
    server.behave()
    again = measured(server, variant, cache)
    assert again.score == right[variant].score
    assert again.coverage == right[variant].coverage
