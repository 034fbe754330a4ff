"""Models behind an address, against a server of the OpenAI dialect on this machine."""

from __future__ import annotations

import json
import os
import time
import traceback
from collections.abc import Iterator

import numpy as np
import pytest
from typer.testing import CliRunner

import evaluate_bias as eb
from evaluate_bias.cli.main import app
from evaluate_bias.errors import BudgetError, CapabilityError, InputError, MeasurementError, ModelError
from evaluate_bias.experiments.identity import model_name
from evaluate_bias.models.endpoint import client, load_endpoint
from evaluate_bias.models.endpoint.address import parse_address
from tests.support.model_server import ModelServer
from tests.support.tiny_models import SENTENCES, tiny_causal

KEY = "sk-very-secret-7f3a"
PAIRS = [
    {"id": str(i), "sent_more": f"The {noun} said she left.", "sent_less": f"The {noun} said he left."}
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
        ("endpoint:http://127.0.0.1:8/v1#a/b:c@d#e", "http://127.0.0.1:8/v1", "a/b:c@d#e", "127.0.0.1:8"),
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
        ("endpoint:example.org/v1#m", "is not an address"),
        ("endpoint:http://host:port/v1#m", "is not an address"),
        (f"endpoint:http://me:{KEY}@example.org/v1#m", "user or password"),
        (f"endpoint:http://example.org/v1?key={KEY}#m", "contains a query"),
        (f"endpoint:ftp://me:{KEY}@example.org/v1#m", "is not an address"),
        (f"endpoint:http://me:{KEY}#@example.org/v1#m", "is not an address"),
        (f"endpoint:http://me:1/{KEY}@example.org/v1", "has no revisions"),
        ("endpoint:http://example.org/v1", "names no model"),
    ],
)
def test_what_is_no_address_is_one_sentence_without_the_key(spec, says):
    with pytest.raises(InputError, match=says) as caught:
        eb.load_model(spec)
    assert KEY not in str(caught.value)
    assert KEY not in model_name(spec)
    assert KEY not in str(examined(spec))


def test_a_key_goes_over_https_or_to_this_machine_only(monkeypatch):
    monkeypatch.setenv("EVALUATE_BIAS_API_KEY", KEY)
    monkeypatch.setenv("OPENAI_API_KEY", "other")
    for private in ("http://127.0.0.1:1", "http://localhost:1", "https://example.org"):
        assert parse_address(f"endpoint:{private}#m").key() == KEY
    with pytest.raises(InputError, match="unencrypted"):
        parse_address("endpoint:http://example.org/v1#m").key()
    monkeypatch.delenv("EVALUATE_BIAS_API_KEY")
    assert parse_address("endpoint:https://api.openai.com/v1#m").key() == "other"
    for other in ("https://example.org", "http://127.0.0.1:1", "http://api.openai.com/v1"):
        assert parse_address(f"endpoint:{other}#m").key() is None


@pytest.mark.parametrize("key", [f"{KEY}-é", f"{KEY}\nX-Other: 1"])
def test_a_key_that_cannot_be_sent_is_said_and_not_shown(server, monkeypatch, key):
    monkeypatch.setattr("os.environ", {**os.environ, "EVALUATE_BIAS_API_KEY": key})
    with pytest.raises(InputError, match="contains a character that no key has") as caught:
        eb.load_model(server.spec)
    assert KEY not in str(caught.value)
    assert not server.requests


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
    busy = (429, {"retry-after": "0.01"}, f"too much, {KEY}")
    faults = [401, 403, 400, 302, 404, busy, (200, {}, f"{KEY} {{")]
    cache = {}
    with ModelServer(local, key=KEY) as server:
        model = load_endpoint(server.spec, cache=cache)
        model.client.max_retries = 0
        for run in range(len(faults)):
            server.faults = [faults[run]]
            server.key = "another" if run % 5 == 0 else KEY
            try:
                said = str([getattr(item, "reason", "") for item in model.encode([f"Text of run {run}."])])
            except (ModelError, MeasurementError) as error:
                said = "".join(traceback.format_exception(error))
            assert KEY not in said
        server.faults, server.key = [], KEY
        result = eb.measure("crows_pairs", model, variant="causal", data=PAIRS)
    assert all(headers["authorization"] == f"Bearer {KEY}" for _, headers, _ in server.requests)
    for kept in (result.to_json(), json.dumps(cache), repr(model.provenance()), caplog.text):
        assert KEY not in kept


# -- what a server can do --------------------------------------------------------------------------------------------


def test_what_was_found_is_in_the_provenance(server):
    facts = eb.load_model(server.spec).provenance()
    assert facts["kind"] == "endpoint"
    assert facts["name"] == f"tiny (127.0.0.1:{server.port})"
    assert facts["source"] == f"http://127.0.0.1:{server.port}/v1#tiny"
    assert sorted(facts["can"]) == ["chat", "completions", "prompt_logprobs"]
    assert facts["system_fingerprint"] == ["fp_1"]
    assert facts["options"]["chat"] == {"limit": "max_tokens", **ALL_OPTIONS}
    echo = {"echo": True, "logprobs": 1, "max_tokens": 0, "temperature": 0}
    assert facts["options"]["prompt_logprobs"] == echo


ALL_OPTIONS = {
    "temperature": 0, "logprobs": True, "top_logprobs": 20, "top_p": 1, "top_k": 0, "min_p": 0, "cache_prompt": False
}  # fmt: skip


@pytest.mark.parametrize(
    ("how", "refused", "questions"),
    [
        ({"ignores": {"logprobs"}}, ["logprobs", "top_logprobs"], 1),
        ({"refuses": {"logprobs"}}, ["logprobs", "top_logprobs"], 9),
        ({"refuses": {"temperature", "top_logprobs"}}, ["temperature", "logprobs", "top_logprobs"], 9),
        ({"refuses": {"max_tokens"}}, ["max_tokens"], 5),
        ({"refuses": {"top_k", "min_p", "cache_prompt"}}, ["top_k", "min_p", "cache_prompt"], 8),
        ({"refuses": {"max_tokens", *ALL_OPTIONS}}, ["max_tokens", *ALL_OPTIONS], 15),
    ],
    ids=["ignored", "refused", "no temperature", "newer name", "OpenAI's own", "everything"],
)
def test_an_option_that_is_refused_or_ignored_is_left_out_or_replaced(how, refused, questions):
    with ModelServer(**{name: frozenset(value) for name, value in how.items()}) as server:
        found = eb.load_model(server.spec).abilities
        asked = sum(path.endswith("/chat/completions") for path, _, _ in server.requests)
    assert found.facts()["refused"] == refused
    options = {name: value for name, value in ALL_OPTIONS.items() if name not in refused}
    assert {**found.chat.options, **found.chat.draws} == options
    assert found.chat.limit == ("max_completion_tokens" if "max_tokens" in refused else "max_tokens")
    assert found.alternatives == options.get("top_logprobs", 0)
    assert found.completions is None
    assert found.echo is None
    assert asked <= questions


def test_a_server_that_only_chats_scores_no_pairs():
    with ModelServer() as server:
        model = eb.load_model(server.spec)
    with pytest.raises(CapabilityError, match="only answers questions; use crows_pairs with"):
        eb.measure("crows_pairs", model, variant="causal", data=PAIRS)
    with pytest.raises(CapabilityError, match="generates"):
        eb.measure(
            "honest", model, variant="completion", data=[{"prompt": "She was a [M]", "id": "1", "group": "f"}]
        )


@pytest.mark.parametrize("scores_by", ["echo", "prompt_logprobs"])
@pytest.mark.parametrize("form", ["openai", "vllm", "vllm-bos"])
def test_a_model_served_scores_as_the_model_loaded(local, form, scores_by):
    """Whatever field of its replies makes up the prompt, with and without a start token before it."""
    with ModelServer(local, form=form, scores_by=frozenset([scores_by])) as server:
        model = eb.load_model(server.spec)
        served = model.encode([*SENTENCES, " "])
        result = eb.measure("crows_pairs", model, variant="causal", data=PAIRS)
    for text, item in zip(SENTENCES, served, strict=False):
        (own,) = local.encode([text], bos=form == "vllm-bos")
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

    cache = {}
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


def test_no_more_requests_at_once_than_allowed(server):
    model = load_endpoint(server.spec, concurrency=3)
    server.latency, server.most_at_once = 0.05, 0
    model.encode([f"Text {i}." for i in range(12)] * 2)
    assert server.most_at_once == 3
    assert len([body for _, _, body in server.requests if body.get("prompt", "").startswith("Text")]) == 12


def test_a_budget_stops_before_it_is_passed(server):
    model = load_endpoint(server.spec, max_requests=20)
    before = len(server.requests)
    with pytest.raises(
        BudgetError, match=f"100 requests .* and {20 - before} of `max_requests` .20. are left"
    ):
        model.encode([f"Text {i}." for i in range(100)])
    assert len(server.requests) == before
    model = load_endpoint(server.spec, max_tokens=200, concurrency=1)
    with pytest.raises(BudgetError, match="of `max_tokens` .200."):
        model.encode([f"Text {i}." for i in range(100)])
    assert model.client.tokens < 200 + 20


# -- faults ----------------------------------------------------------------------------------------------------------


def test_a_key_that_is_wanted_or_wrong(local, monkeypatch):
    with ModelServer(local, key=KEY) as server:
        with pytest.raises(ModelError, match="wants a key .401.*set EVALUATE_BIAS_API_KEY"):
            eb.load_model(server.spec)
        monkeypatch.setenv("EVALUATE_BIAS_API_KEY", "sk-old")
        with pytest.raises(ModelError, match=r"refuses the key .401: wrong key: Bearer \[key\]"):
            eb.load_model(server.spec)


def test_a_redirection_is_not_followed_and_a_busy_server_is_waited_for(server):
    model = eb.load_model(server.spec)
    server.faults = [(307, {"location": "http://127.0.0.1:1/v1/completions"}, "")]
    with pytest.raises(ModelError, match="redirects elsewhere"):
        model.encode(["A text."])
    server.faults = [(429, {"retry-after": "0.01"}, "slow down"), (503, {"retry-after": "0.01"}, "")]
    (item,) = model.encode(["A text."])
    assert item.text == "A text."


def test_a_delay_that_openai_does_not_wait_for_is_waited_for_up_to_a_limit(server, monkeypatch):
    model = load_endpoint(server.spec, concurrency=1)
    monkeypatch.setattr("openai._base_client.MAX_RETRY_AFTER_DELAY", 0.02)
    monkeypatch.setattr(client, "_WAITED_BY_OPENAI", 0.02)
    server.faults = [(429, {"retry-after": "0.2"}, "slow down")]
    start = time.monotonic()
    (item,) = model.encode(["A text."])
    assert item.text == "A text."
    assert time.monotonic() - start >= 0.2
    monkeypatch.setattr(client, "_LONGEST_RETRY_AFTER", 0.1)
    server.faults = [(429, {"retry-after": "0.2"}, "slow down")]
    with pytest.raises(MeasurementError, match="429") as caught:
        model.encode(["Another text."])
    assert caught.value.option == "concurrency"


def test_a_reply_that_is_late_is_a_row_and_is_not_sent_again(server):
    model = load_endpoint(server.spec, timeout=0.3)
    asked, server.latency = len(server.requests), 0.6
    (item,) = model.encode(["A text."])
    assert "timeout" in item.reason
    assert len(server.requests) == asked + 1


def test_a_prompt_that_the_server_always_fails_on_is_skipped_and_the_rest_goes_on(server):
    model = load_endpoint(server.spec, cache={}, concurrency=1)
    model.client.max_retries = 1
    texts = [f"Text {i}." for i in range(6)]
    server.faults = [None, (500, {"retry-after": "0"}, "planned"), (500, {"retry-after": "0"}, "planned")]
    first, second, *others = model.encode(texts)
    assert not any(isinstance(item, eb.Skipped) for item in (first, *others))
    assert second.reason == "the server failed on it (500: planned)"
    assert model.client.failed_requests == 1
    asked = len(server.requests)
    assert not isinstance(model.encode(texts)[1], eb.Skipped)
    assert len(server.requests) - asked == 1


def test_failures_in_a_row_stop_a_run_and_what_was_answered_is_kept(server):
    model = load_endpoint(server.spec, cache={}, concurrency=1)
    model.client.max_retries = 0
    texts = [f"Text {i}." for i in range(60)]
    server.faults = [None, *[500] * 19, None, *[500] * 20]
    with pytest.raises(MeasurementError, match="failed on 20 requests in a row"):
        model.encode(texts)
    assert model.client.failed_requests == 39
    asked = len(server.requests)
    server.faults = []
    assert not any(isinstance(item, eb.Skipped) for item in model.encode(texts))
    # A further one may have been on its way when the last failed; a slow server counts it here.
    assert 57 <= len(server.requests) - asked <= 59


@pytest.mark.parametrize(
    ("fault", "fact"),
    [
        (402, "402"),
        (404, "404"),
        ((200, {}, '{"error": {"message": "no credit", "code": 402}}'), "402: no credit"),
        (429, "429"),
    ],
    ids=["402", "404 in mid-run", "402 within an error with status 200", "429"],
)
def test_a_failure_that_concerns_every_request_is_no_answer(server, fault, fact):
    cache = {}
    model = load_endpoint(server.spec, cache=cache, concurrency=1)
    model.client.max_retries = 0
    server.faults = [None, fault]
    with pytest.raises(MeasurementError, match=fact):
        model.encode(["Text 1.", "Text 2.", "Text 3."])
    kept = len(cache)
    assert not any(isinstance(item, eb.Skipped) for item in model.encode(["Text 1.", "Text 2.", "Text 3."]))
    assert len(cache) - kept in (1, 2)  # the third may have been answered on its way


def test_an_error_with_status_200_is_sent_again_as_one_with_status_500(server):
    model = load_endpoint(server.spec, concurrency=1)
    model.client.max_retries = 1
    server.faults = [(200, {}, '{"error": {"message": "overloaded"}}')]
    (item,) = model.encode(["Text 1."])
    assert not isinstance(item, eb.Skipped)
    model.client.max_retries = 0
    server.faults = [(200, {}, '{"error": {"message": "overloaded"}}')]
    with pytest.raises(MeasurementError, match="status 200 .overloaded."):
        model.encode(["Text 2."])
    assert not isinstance(model.encode(["Text 2."])[0], eb.Skipped)
    server.faults = [(200, {}, '{"error": {"message": "overloaded", "code": 503}}'), None]
    (item,) = model.encode(["Text 3."])
    assert not isinstance(item, eb.Skipped)


@pytest.mark.parametrize(("form", "is_said"), [("openai", True), ("vllm-bos", False)])
def test_a_server_that_scores_without_a_start_token_is_said_to(local, form, is_said):
    with ModelServer(local, form=form) as server:
        result = eb.measure("crows_pairs", eb.load_model(server.spec), variant="causal", data=PAIRS)
    assert any("without a start token" in warning for warning in result.warnings) is is_said


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


def test_the_doctor_says_what_a_server_can_do_and_lacks(server):
    code, found = examined(server.spec)
    assert code == 0
    assert "scores sequences" in found[f"tiny (127.0.0.1:{server.port})"][1].split(", ")
    assert found["served as"] == ("ok", "tiny: chat, prompt_logprobs, completions")
    assert found["log-probabilities in chats"] == ("ok", "of 20 tokens")
    assert {"crows_pairs", "decision_gap", "honest"} <= set(found["methods"][1].split(", "))
    with ModelServer(ignores=frozenset(["logprobs"]), refuses=frozenset(["min_p"])) as other:
        code, found = examined(other.spec)
        assert code == 0
        assert found["options"][0] == "note"
        assert "min_p" in found["options"][1]
        assert found["log-probabilities in chats"][0] == "note"
        assert "decision_gap" not in found["methods"][1].split(", ")
        assert found["served as"][1] == "tiny: chat"
        wrong = other.spec.replace("#tiny", "#other")
        code, found = examined(wrong)
        assert (code, "no model other" in found[wrong][1]) == (1, True)


def test_a_password_in_an_address_is_written_nowhere(tmp_path):
    spec = "endpoint:http://user:hunter2@h/v1#m"
    said = CliRunner().invoke(app, ["run", "-m", spec, "--method", "bbq", "--out", str(tmp_path / "out")])
    assert said.exit_code != 0
    told = f"{said.output} {said.exception}"
    assert "every record would show" in told
    kept = b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
    assert b"hunter2" not in kept + told.encode()
