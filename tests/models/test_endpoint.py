"""Models behind an address, against a server of the OpenAI dialect on this machine."""

from __future__ import annotations

import json
import os
import socket
import ssl
import subprocess
import threading
import traceback
from collections.abc import Iterator

import numpy as np
import pytest
from typer.testing import CliRunner

import evaluate_bias as eb
from evaluate_bias.cli.main import app
from evaluate_bias.errors import BudgetError, CapabilityError, InputError, MeasurementError, ModelError
from evaluate_bias.experiments.identity import model_name
from evaluate_bias.models.completions import GenerationSettings
from evaluate_bias.models.endpoint import load_endpoint
from evaluate_bias.models.endpoint.address import parse_address
from evaluate_bias.models.endpoint.cache import MemoryCache
from evaluate_bias.models.endpoint.client import Client, ServerRequest
from tests.support.model_server import ModelServer
from tests.support.tiny_models import SENTENCES, tiny_causal

KEY = "sk-very-secret-7f3a"
PAIRS = [
    {
        "id": str(i),
        "sent_more": f"The {noun} said she left.",
        "sent_less": f"The {noun} said he left.",
        "bias_type": "gender",
    }
    for i, noun in enumerate(("nurse", "doctor", "engineer", "patient", "grandmother"))
]


@pytest.fixture(scope="module")
def local():
    return eb.load_model(tiny_causal("gpt2"))


@pytest.fixture(autouse=True)
def no_keys(monkeypatch):
    for name in ("EVALUATE_BIAS_API_KEY", "OPENAI_API_KEY", "OPENAI_BASE_URL", "OPENAI_ORG_ID"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def server(local) -> Iterator[ModelServer]:
    with ModelServer(local) as running:
        yield running


# -- addresses and keys ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("spec", "url", "model", "host"),
    [
        (
            "endpoint:http://127.0.0.1:8000/v1#a/b:c@d#e",
            "http://127.0.0.1:8000/v1",
            "a/b:c@d#e",
            "127.0.0.1:8000",
        ),
        ("endpoint:https://example.org/api/v1/#m", "https://example.org/api/v1", "m", "example.org"),
        ("endpoint:http://[::1]:80#m", "http://[::1]:80", "m", "[::1]:80"),
    ],
)
def test_an_address_is_read_as_it_is(spec, url, model, host):
    address = parse_address(spec)
    assert (address.url, address.model, address.host) == (url, model, host)
    assert address.name == f"{model} ({host})"


@pytest.mark.parametrize(
    ("spec", "says"),
    [
        ("endpoint:", "is not an address"),
        ("endpoint:example.org/v1#m", "is not an address"),
        ("endpoint:ftp://example.org#m", "is not an address"),
        ("endpoint:http://a b/v1#m", "is not an address"),
        ("endpoint:http://host:port/v1#m", "is not an address"),
        (f"endpoint:http://me:{KEY}@example.org/v1#m", "user or password"),
        (f"endpoint:http://example.org/v1?key={KEY}#m", "holds a query"),
        ("endpoint:http://example.org/v1?#m", "holds a query"),
        (f"endpoint:ftp://me:{KEY}@example.org/v1#m", "is not an address"),
        (f"endpoint:me:{KEY}@example.org/v1#m", "is not an address"),
        (f"endpoint:example.org/v1?key={KEY}#m", "is not an address"),
        (f"endpoint:http://me:{KEY}@host:port/v1#m", "is not an address"),
        (f"endpoint:http://me:{KEY}@host /v1#m", "is not an address"),
        (f"endpoint:http://me:{KEY}#@example.org/v1#m", "is not an address"),
        (f"endpoint:http://me:1/{KEY}@example.org/v1#m", "has no revisions"),
        (f"endpoint:http://me:1/{KEY}@example.org/v1", "has no revisions"),
        ("endpoint:http://example.org/v1@main#m", "has no revisions"),
        ("endpoint:http://example.org/v1", "names no model"),
        ("endpoint:http://example.org/v1#", "names no model"),
    ],
)
def test_what_is_no_address_is_one_sentence_without_the_key(spec, says):
    with pytest.raises(InputError, match=says) as caught:
        eb.load_model(spec)
    assert KEY not in str(caught.value)
    assert KEY not in model_name(spec)
    assert KEY not in str(examined(spec))


def test_a_name_is_given_once():
    assert parse_address("endpoint:http://a/v1", "m").model == "m"
    with pytest.raises(InputError, match="named twice"):
        parse_address("endpoint:http://a/v1#n", "m")


def test_a_key_goes_over_https_or_to_this_machine_only(monkeypatch):
    monkeypatch.setenv("EVALUATE_BIAS_API_KEY", KEY)
    monkeypatch.setenv("OPENAI_API_KEY", "other")
    for private in (
        "http://127.0.0.1:1",
        "http://localhost:1",
        "https://example.org",
        "https://api.openai.com/v1",
    ):
        assert parse_address(f"endpoint:{private}#m").key() == KEY
    with pytest.raises(InputError, match="unencrypted"):
        parse_address("endpoint:http://example.org/v1#m").key()
    monkeypatch.delenv("EVALUATE_BIAS_API_KEY")
    assert parse_address("endpoint:https://api.openai.com/v1#m").key() == "other"
    for other in ("https://example.org", "http://127.0.0.1:1", "http://api.openai.com/v1"):
        assert parse_address(f"endpoint:{other}#m").key() is None


@pytest.mark.parametrize("key", [f"{KEY}-é", f"{KEY}\nX-Other: 1", f"{KEY[:4]}\x00{KEY[4:]}"])
def test_a_key_that_cannot_be_sent_is_said_and_not_shown(server, monkeypatch, key):
    monkeypatch.setattr("os.environ", {**os.environ, "EVALUATE_BIAS_API_KEY": key})
    with pytest.raises(InputError, match="holds a character that no key has") as caught:
        eb.load_model(server.spec)
    assert KEY not in str(caught.value)
    assert not server.requests
    monkeypatch.setattr("os.environ", {**os.environ, "EVALUATE_BIAS_API_KEY": "", "OPENAI_API_KEY": key})
    with pytest.raises(InputError, match="OPENAI_API_KEY holds a character that no key has"):
        parse_address("endpoint:https://api.openai.com/v1#m").key()


def test_nothing_of_the_clients_own_settings_goes_to_another_host(server, monkeypatch):
    for name in ("API_KEY", "ORG_ID", "PROJECT_ID", "ADMIN_KEY", "WEBHOOK_SECRET"):
        monkeypatch.setenv(f"OPENAI_{name}", KEY)
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:1/elsewhere")
    own = "X-Secret", "x-other", "authorization", "Host", "Cookie", "User-Agent", "Content-Type"
    monkeypatch.setenv("OPENAI_CUSTOM_HEADERS", "\n".join(f"{name}: {KEY}" for name in own))
    eb.load_model(server.spec)
    monkeypatch.setenv("EVALUATE_BIAS_API_KEY", "ours")
    eb.load_model(server.spec)
    assert all(KEY not in json.dumps([headers, body]) for _, headers, body in server.requests)
    assert {headers["host"] for _, headers, _ in server.requests} == {f"127.0.0.1:{server.port}"}
    assert {headers.get("authorization") for _, headers, _ in server.requests} == {None, "Bearer ours"}


def test_no_proxy_gets_a_key_in_clear(server, local, monkeypatch):
    monkeypatch.setenv("EVALUATE_BIAS_API_KEY", KEY)
    for name in ("NO_PROXY", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
    with ModelServer(local) as proxy:
        for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
            monkeypatch.setenv(name, f"http://127.0.0.1:{proxy.port}")
        eb.load_model(server.spec.replace("http:", "HTTP:"))
    assert server.requests
    assert not proxy.requests


def test_the_key_is_sent_and_stands_nowhere_else(local, monkeypatch, caplog, tmp_path):
    monkeypatch.setenv("EVALUATE_BIAS_API_KEY", KEY)
    caplog.set_level("DEBUG")
    faults = [
        401,
        403,
        400,
        302,
        404,
        (429, {"retry-after": "0.01"}, f"too much, {KEY}"),
        (200, {}, f"{KEY} {{"),
    ]
    cache = MemoryCache()
    with ModelServer(local, key=KEY) as server:
        model = load_endpoint(server.spec, cache=cache)
        model.client.max_retries = 0
        for run in range(60):
            server.faults = [faults[run % len(faults)]]
            server.key = "another" if run % 5 == 0 else KEY
            try:
                said = str([getattr(item, "reason", "") for item in model.encode([f"Text of run {run}."])])
            except (ModelError, MeasurementError) as error:
                said = "".join(traceback.format_exception(error))
            assert KEY not in said
        server.faults, server.key = [], KEY
        result = eb.measure("crows_pairs", model, variant="causal", data=PAIRS)
    assert all(headers["authorization"] == f"Bearer {KEY}" for _, headers, _ in server.requests)
    kept = [
        result.to_json(),
        json.dumps(cache),
        repr(model.provenance()),
        repr(model.client.address),
        caplog.text,
    ]
    assert not [text for text in kept if KEY in text]


# -- what a server can do --------------------------------------------------------------------------------------------


def test_what_was_found_is_in_the_provenance(server):
    facts = eb.load_model(server.spec).provenance()
    assert facts["kind"] == "endpoint"
    assert facts["name"] == f"tiny (127.0.0.1:{server.port})"
    assert facts["source"] == f"http://127.0.0.1:{server.port}/v1#tiny"
    assert sorted(facts["can"]) == ["chat", "completions", "prompt_logprobs"]
    assert facts["system_fingerprint"] == ["fp_1"]
    assert facts["options"]["chat"] == {
        "max_tokens": 1,
        "temperature": 0,
        "logprobs": True,
        "top_logprobs": 20,
    }


@pytest.mark.parametrize(
    ("how", "chat"),
    [
        ({"ignores": {"logprobs"}}, {"max_tokens": 1, "temperature": 0}),
        ({"refuses": {"logprobs"}}, {"max_tokens": 1, "temperature": 0}),
        ({"refuses": {"temperature", "top_logprobs"}}, {"max_tokens": 1}),
        (
            {"refuses": {"max_tokens"}},
            {"max_completion_tokens": 1, "temperature": 0, "logprobs": True, "top_logprobs": 20},
        ),
    ],
    ids=["ignored", "refused", "no temperature", "newer name"],
)
def test_an_option_that_is_refused_or_ignored_is_replaced(how, chat):
    with ModelServer(**{name: frozenset(value) for name, value in how.items()}) as server:
        found = eb.load_model(server.spec).abilities
    assert found.chat == chat
    assert found.facts()["refused"] == [
        name for name in ("max_tokens", "temperature", "logprobs", "top_logprobs") if name not in chat
    ]
    assert found.alternatives == chat.get("top_logprobs", 0)
    assert not found.completes
    assert found.echo is None


def picks_a(body):
    return "A", {"A": -0.1}


def test_answers_that_are_drawn_are_said():
    drawn = "the server takes no temperature in chats: answers are drawn, not the likeliest"
    with ModelServer(answer=picks_a, refuses=frozenset(["temperature"])) as server:
        model = eb.load_model(server.spec)
        assert drawn in eb.measure("crows_pairs", model, variant="choice", data=PAIRS).warnings
    with ModelServer() as server:
        assert drawn not in eb.load_model(server.spec).warnings


def test_a_server_that_only_chats_scores_no_pairs():
    with ModelServer() as server:
        model = eb.load_model(server.spec)
    with pytest.raises(
        CapabilityError,
        match="chats and gives no scores of texts: ask it with crows_pairs and variant='choice'",
    ):
        eb.measure("crows_pairs", model, variant="causal", data=PAIRS)
    with pytest.raises(CapabilityError, match="generates"):
        eb.measure(
            "honest", model, variant="completion", data=[{"prompt": "She was a [M]", "id": "1", "group": "f"}]
        )


@pytest.mark.parametrize("scores_by", ["echo", "prompt_logprobs"])
def test_a_model_served_scores_as_the_model_loaded(local, scores_by):
    with ModelServer(local, scores_by=frozenset([scores_by])) as server:
        model = eb.load_model(server.spec)
        served = model.encode([*SENTENCES, " "])
        result = eb.measure("crows_pairs", model, variant="causal", data=PAIRS)
    for text, item in zip(SENTENCES, served, strict=False):
        (own,) = local.encode([text], bos=False)
        if isinstance(own, eb.Skipped):
            assert isinstance(item, eb.Skipped)
            assert item.reason == "a single token, which nothing precedes"
            continue
        assert item.offsets == own.offsets or "".join(text[a:b] for a, b in item.offsets) == text
        np.testing.assert_allclose(
            model.sequence_logprobs([item])[0], local.sequence_logprobs([own])[0], rtol=0, atol=1e-4
        )
    assert isinstance(served[-1], eb.Skipped)
    assert result.coverage.found == len(PAIRS)
    assert any("served model may change" in warning for warning in result.warnings)


def test_scores_after_a_context(server, local):
    model = eb.load_model(server.spec)
    pairs = [("The nurse said", " she left."), ("The engineer said", " he left.")]
    for item, (context, rest) in zip(model.encode_continuations(pairs), pairs, strict=True):
        (own,) = local.encode([context + rest], bos=False)
        own = own.after(len(context), "")
        assert item.text[item.offsets[item.positions[0]][0] :].strip() == rest.strip()
        np.testing.assert_allclose(
            model.sequence_logprobs([item])[0], local.sequence_logprobs([own])[0], rtol=0, atol=1e-4
        )
    with pytest.raises(InputError, match="did not make the tokens"):
        model.sequence_logprobs(local.encode(["Another text."]))


# -- completions -----------------------------------------------------------------------------------------------------


def test_completions_are_those_of_the_model(server, local):
    model = eb.load_model(server.spec)
    greedy = GenerationSettings(n=1, max_new_tokens=5)
    prompts = ["The nurse said [M].", "", "The engineer said [M]."]
    ours, theirs = local.complete(prompts, greedy), model.complete(prompts, greedy)
    assert [ours[0], ours[2]] == [theirs[0], theirs[2]]
    assert isinstance(theirs[1], eb.Skipped)
    sample = GenerationSettings(n=4, max_new_tokens=4, decoding="sample", seed=3)
    drawn = model.complete(prompts[:1], sample)[0]
    assert len(drawn) == 4
    assert len(set(drawn)) > 1
    assert drawn == model.complete(prompts[:1], sample)[0]
    with pytest.raises(CapabilityError, match="decoding='sample'"):
        model.complete(prompts, GenerationSettings(n=2))


# -- one request each, within limits ---------------------------------------------------------------------------------


def test_a_rerun_asks_nothing_twice(server):
    """Each loading tries out what the server can do; the texts are asked once, and anew of another system."""

    def measured() -> tuple[float, int]:
        before = len(server.requests)
        result = eb.measure(
            "crows_pairs", load_endpoint(server.spec, cache=cache), variant="causal", data=PAIRS
        )
        asked = [body.get("prompt", "") for _, _, body in server.requests[before:]]
        return result.score, sum(text.startswith("The ") for text in asked)

    cache = MemoryCache()
    score, asked = measured()
    assert asked == 2 * len(PAIRS)
    assert measured() == (score, 0)
    server.fingerprint = "fp_2"
    assert measured() == (score, 2 * len(PAIRS))


def test_another_system_in_the_middle_is_said(server):
    model = eb.load_model(server.spec)
    model.encode(["One text."])
    server.fingerprint = "fp_2"
    result = eb.measure("crows_pairs", model, variant="causal", data=PAIRS)
    assert any("changed meanwhile: 'fp_1', 'fp_2'" in warning for warning in result.warnings)


@pytest.mark.parametrize("other", ["", "fp_completions"])
def test_each_path_may_have_a_system_of_its_own(server, other):
    server.answer, server.fingerprints = picks_a, {"/v1/completions": other}
    for variant in ("choice", "causal"):
        model = eb.load_model(server.spec)
        first = eb.measure("crows_pairs", model, variant=variant, data=PAIRS)
        asked = len(server.requests)
        assert eb.measure("crows_pairs", model, variant=variant, data=PAIRS).score == first.score
        assert len(server.requests) == asked
        assert not any("changed" in warning for warning in first.warnings)
        assert model.provenance()["system_fingerprint"] == ["fp_1", *([other] if other else [])]
    server.fingerprints = {"/v1/completions": "fp_2"}
    model.encode(["Another text."])
    assert f"the server's system changed meanwhile: {other!r}, 'fp_2'" in model.warnings


def test_no_more_requests_at_once_than_allowed(server):
    model = load_endpoint(server.spec, concurrency=3)
    server.latency, server.most_at_once = 0.05, 0
    model.encode([f"Text {i}." for i in range(12)] * 2)
    assert server.most_at_once == 3
    assert len([body for _, _, body in server.requests if body.get("prompt", "").startswith("Text")]) == 12


def test_a_budget_stops_before_it_is_passed(server):
    model = load_endpoint(server.spec, max_requests=20)
    before = len(server.requests)
    with pytest.raises(BudgetError, match=f"100 requests .* and {20 - before} of max_requests=20 are left"):
        model.encode([f"Text {i}." for i in range(100)])
    assert len(server.requests) == before
    model = load_endpoint(server.spec, max_tokens=200, concurrency=1)
    with pytest.raises(BudgetError, match="of max_tokens=200"):
        model.encode([f"Text {i}." for i in range(100)])
    assert model.client.tokens < 200 + 20


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("max_requests", 0),
        ("max_tokens", 0),
        ("concurrency", 0),
        ("concurrency", True),
        ("timeout", 0),
        ("timeout", float("inf")),
    ],
)
def test_limits_out_of_range(option, value):
    with pytest.raises(InputError, match=option):
        eb.load_model("endpoint:http://127.0.0.1:9/v1#m", **{option: value})


def test_options_of_other_models_are_refused():
    with pytest.raises(InputError, match="device belong to a model that is loaded here"):
        eb.load_model("endpoint:http://127.0.0.1:9/v1#m", device="cpu")
    with pytest.raises(InputError, match="concurrency"):
        eb.load_model({"a": [1.0]}, concurrency=2)


def test_a_run_measures_a_served_model_and_its_rerun_asks_nothing(server, tmp_path):
    (tmp_path / "pairs.jsonl").write_text("".join(json.dumps(pair) + "\n" for pair in PAIRS))
    words = ["run", "-m", server.spec, "--method", "crows_pairs", "--option", "variant=causal"]
    words += ["--data", str(tmp_path / "pairs.jsonl"), "--out", str(tmp_path / "out")]
    shown = CliRunner().invoke(app, words)
    assert shown.exit_code == 0, shown.output
    (line,) = (tmp_path / "out" / "results.jsonl").read_text().splitlines()
    found = eb.Result.from_json(line)
    assert found.provenance["model"]["name"] == f"tiny (127.0.0.1:{server.port})"
    assert found.n == len(PAIRS)
    asked = len(server.requests)
    shown = CliRunner().invoke(app, words)
    assert shown.exit_code == 0, shown.output
    assert len(server.requests) == asked + 1  # who answers


# -- faults ----------------------------------------------------------------------------------------------------------


def test_nobody_answers():
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    with pytest.raises(ModelError, match=f"no answer from http://127.0.0.1:{port}/v1"):
        eb.load_model(f"endpoint:http://127.0.0.1:{port}/v1#m", timeout=5)


def test_a_model_that_is_not_served(server):
    with pytest.raises(ModelError, match=r"neither chats nor completes as 'other'.*no model other"):
        eb.load_model(server.spec.replace("#tiny", "#other"))


def test_a_key_that_is_wanted_or_wrong(local, monkeypatch):
    with ModelServer(local, key=KEY) as server:
        with pytest.raises(ModelError, match="wants a key .401.*set EVALUATE_BIAS_API_KEY"):
            eb.load_model(server.spec)
        monkeypatch.setenv("EVALUATE_BIAS_API_KEY", "sk-old")
        with pytest.raises(ModelError, match=r"refuses the key .401: wrong key: Bearer \[key\]"):
            eb.load_model(server.spec)


def test_an_address_that_leads_elsewhere_is_not_followed(server):
    model = eb.load_model(server.spec)
    server.faults = [(307, {"location": "http://127.0.0.1:1/v1/completions"}, "")]
    with pytest.raises(ModelError, match="redirects elsewhere"):
        model.encode(["A text."])


def test_a_busy_server_is_waited_for(server):
    model = eb.load_model(server.spec)
    server.faults = [(429, {"retry-after": "0.01"}, "slow down"), (503, {"retry-after": "0.01"}, "")]
    (item,) = model.encode(["A text."])
    assert item.text == "A text."


def test_a_server_that_fails_for_good_loses_no_answer(server):
    cache = MemoryCache()
    model = load_endpoint(server.spec, cache=cache, concurrency=1)
    model.client.max_retries = 0
    texts = [f"Text {i}." for i in range(6)]
    server.faults = [None, None, None, 500]
    with pytest.raises(MeasurementError, match="answered 500 1 times"):
        model.encode(texts)
    asked = len(server.requests)
    server.faults = []
    assert not any(isinstance(item, eb.Skipped) for item in model.encode(texts))
    # The fifth may have been on its way when the fourth failed; a slow server counts it here.
    assert len(server.requests) - asked in (3, 4)


@pytest.mark.parametrize(
    ("fault", "says"),
    [
        ((200, {}, '{"choices": [{"text": "half'), "cannot be read"),
        ((200, {}, "<html>welcome</html>"), "cannot be read"),
        ((200, {}, '{"choices": []}'), "cannot be read"),
        ((200, {}, '{"choices": [{"text": "It", "finish_reason": null}]}'), "cannot be read"),
        ((200, {}, '{"choices": [{"text": "It", "finish_reason": "stop"}]}'), "do not make up the text"),
        ((400, {}, '{"error": {"message": "the context is too long"}}'), "400: the context is too long"),
    ],
    ids=["half", "html", "no choice", "no end", "no scores", "too long"],
)
def test_a_reply_that_is_none_is_a_row_that_is_left_out(server, fault, says):
    model = load_endpoint(server.spec, concurrency=1)
    server.faults = [fault]
    bad, good = model.encode(["A text.", "Another text."])
    assert isinstance(bad, eb.Skipped)
    assert says in bad.reason
    assert not isinstance(good, eb.Skipped)


def test_a_slow_server_is_given_up(server):
    model = load_endpoint(server.spec, timeout=0.2)
    model.client.max_retries, server.latency = 0, 1.0
    with pytest.raises(MeasurementError, match="no answer within 0.2 s"):
        model.encode(["A text."])


def test_a_certificate_that_nobody_vouches_for(tmp_path):
    pair = [str(tmp_path / name) for name in ("key.pem", "cert.pem")]
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1", "-subj", "/CN=localhost",
         "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", pair[0], "-out", pair[1]],
        check=True, capture_output=True,
    )  # fmt: skip
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(pair[1], pair[0])
    with (
        ModelServer(tls=context) as server,
        pytest.raises(ModelError, match="certificate verify failed") as caught,
    ):
        eb.load_model(server.spec, timeout=5)
    assert str(caught.value).startswith(f"no answer from https://127.0.0.1:{server.port}/v1: ")
    assert "\n" not in str(caught.value)


def answers_once(reply: bytes) -> tuple[int, threading.Thread]:
    """A server that sends the same bytes to everybody and hangs up."""
    listening = socket.create_server(("127.0.0.1", 0))
    listening.settimeout(20)

    def serve() -> None:
        with listening:
            for _ in range(20):
                try:
                    connection, _ = listening.accept()
                except TimeoutError:
                    return
                with connection:
                    asked = connection.recv(65536)
                    if not asked or b"stop" in asked:
                        return
                    connection.sendall(reply)

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    return listening.getsockname()[1], thread


@pytest.mark.parametrize(
    "reply",
    [
        b'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 500\r\n\r\n{"choices": [',
        b'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{"cho',
        b"SSH-2.0-OpenSSH_9.6\r\n",
        b"",
    ],
    ids=["body", "chunk", "another protocol", "nothing"],
)
def test_a_connection_that_is_cut_in_the_middle(reply, monkeypatch):
    port, thread = answers_once(reply)
    address = parse_address(f"endpoint:http://127.0.0.1:{port}/v1#m")
    client = Client(address, MemoryCache(), max_retries=0, timeout=10)
    with pytest.raises(ModelError, match=f"no answer from http://127.0.0.1:{port}/v1: ") as caught:
        client.ask([ServerRequest("/completions", {"prompt": "A text."})])
    assert "\n" not in str(caught.value)
    assert not client.cache
    with socket.create_connection(("127.0.0.1", port)) as last:
        last.sendall(b"stop")
    thread.join()


@pytest.mark.parametrize(
    ("choice", "kept"),
    [
        ({"text": "", "finish_reason": "stop"}, ""),
        ({"text": " and so on and", "finish_reason": "length"}, "and so on and"),
        ({"text": None, "finish_reason": "content_filter"}, ""),
    ],
    ids=["empty", "endless", "withheld"],
)
def test_a_completion_that_is_empty_or_has_no_end(server, choice, kept):
    """It is a completion of the length that was asked for, or an empty one; none counts as another."""
    model = load_endpoint(server.spec, concurrency=1)
    server.faults = [(200, {}, json.dumps({"choices": [choice]}))]
    settings = GenerationSettings(n=1, max_new_tokens=4, unit="text")
    assert [text.strip() for text in model.complete(["The nurse said [M]."], settings)[0]] == [kept]


def test_a_context_that_is_too_long_is_left_out_and_counted(server):
    long = {**PAIRS[0], "id": "long", "sent_more": "She left. " * 2000, "sent_less": "He left. " * 2000}
    model = load_endpoint(server.spec, concurrency=1)
    server.faults = [(400, {}, '{"error": {"message": "the context is too long"}}')] * 2
    result = eb.measure("crows_pairs", model, variant="causal", data=[long, *PAIRS])
    assert (result.coverage.found, result.coverage.asked) == (len(PAIRS), len(PAIRS) + 1)
    assert "400: the context is too long" in result.skipped[0].reason


# -- the doctor ------------------------------------------------------------------------------------------------------


def examined(spec: str) -> tuple[int, dict[str, tuple[str, str]]]:
    shown = CliRunner().invoke(app, ["doctor", spec, "--json"])
    findings = json.loads(shown.stdout)["findings"]
    return shown.exit_code, {f["subject"]: (f["status"], f["text"]) for f in findings}


def test_the_doctor_says_what_a_server_can_do(server):
    code, found = examined(server.spec)
    assert code == 0
    assert found[f"tiny (127.0.0.1:{server.port})"] == ("ok", "answers as 'tiny', system 'fp_1'")
    assert found["chats"] == ("ok", "yes, with the log-probabilities of the 20 likeliest tokens")
    assert found["completes texts"] == ("ok", "yes")
    assert found["scores prompts"] == ("ok", "yes, by echo")
    assert {"crows_pairs", "honest"} <= set(found["methods"][1].split(", "))
    shown = CliRunner().invoke(app, ["doctor", server.spec])
    assert "This server" in shown.stdout
    assert "no problems, no notes" in shown.stdout


def test_the_doctor_says_what_a_server_lacks(monkeypatch):
    with ModelServer(ignores=frozenset(["logprobs"])) as server:
        code, found = examined(server.spec)
        assert code == 0
        assert found["chats"] == ("ok", "yes, without log-probabilities: answers are read as text")
        assert found["completes texts"] == found["scores prompts"] == ("note", "no")
        code, found = examined(server.spec.replace("#tiny", "#other"))
        assert code == 1
        assert "no model other" in found[server.spec.replace("#tiny", "#other")][1]
        server.key = KEY
        monkeypatch.setenv("EVALUATE_BIAS_API_KEY", "sk-old")
        code, found = examined(server.spec)
        assert code == 1
        assert "refuses the key (401: wrong key: Bearer [key])" in found[server.spec][1]
    code, found = examined("bert-base")
    assert code == 1
    assert "is not an address" in found["bert-base"][1]


@pytest.mark.parametrize(
    "spec", ["endpoint:http://user:hunter2@h/v1#m", "endpoint:http://h/v1?key=hunter2#m"]
)
def test_a_password_in_an_address_is_written_nowhere(spec, tmp_path):
    said = CliRunner().invoke(app, ["run", "-m", spec, "--method", "bbq", "--out", str(tmp_path / "out")])
    assert said.exit_code != 0
    told = f"{said.output} {said.exception}"
    assert "would stand in every record" in told
    kept = b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
    assert b"hunter2" not in kept + told.encode()
