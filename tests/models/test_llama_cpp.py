"""llama.cpp's own server: what it gives, what it does while it loads, what its draws leave out, and what agrees."""

from __future__ import annotations

import json
import math
import urllib.request
from typing import Any

import pytest

import evaluate_bias as eb
from evaluate_bias.assets import fetch
from evaluate_bias.models.completions import GenerationSettings
from tests.support.llama_server import NAME, in_float32, served_by_llama, start, wait_for
from tests.support.processes import free_port

pytestmark = [pytest.mark.nightly]

pytest.importorskip("xllamacpp")

PAIRS = [
    {"id": str(i), "sent_more": f"The {noun} said she left.", "sent_less": f"The {noun} said he left.",
     "bias_type": "gender"}
    for i, noun in enumerate(("nurse", "doctor", "cook"))
]  # fmt: skip
N_DRAWS = 25
QUESTIONS = ["Answer with one word: is water wet?", "A. she\nB. he\nAnswer A or B.", "Say a word."]


@pytest.fixture(scope="module")
def gguf():
    (path,) = fetch("smollm2-135m").glob("*.gguf")
    return path


@pytest.fixture(scope="module")
def spec(gguf):
    with served_by_llama(gguf) as spec:
        yield spec


def asked(spec: str, path: str, **body: Any) -> dict[str, Any]:
    """What the server answers without this library."""
    address = spec.removeprefix("endpoint:").partition("#")[0]
    request = urllib.request.Request(
        f"{address}{path}", json.dumps({"model": NAME, **body}).encode(), {"Content-Type": "application/json"}
    )
    with urllib.request.urlopen(request, timeout=300) as answer:
        return json.load(answer)


def test_it_chats_with_log_probabilities_and_ignores_echo(spec):
    model = eb.load_model(spec)
    assert model.alternatives == 20
    assert model.abilities.facts()["refused"] == []
    assert model.abilities.completions is not None
    assert model.abilities.echo is None
    assert not model.abilities.thinks
    for (reply,) in model.reply(QUESTIONS, GenerationSettings(max_new_tokens=2), alternatives=20):
        assert reply.text
        assert 0.3 < sum(map(math.exp, reply.alternatives.values())) <= 1.001
    echoed = asked(spec, "/completions", prompt="Water is wet.", echo=True, logprobs=1, max_tokens=0)
    assert not echoed["choices"][0]["text"].startswith("Water")
    assert echoed["usage"]["completion_tokens"] == 1


@pytest.mark.nightly
def test_a_request_while_it_loads_is_answered_when_it_has(gguf):
    port = free_port()
    server = start(gguf, port)
    try:
        wait_for(port, 503)
        model = eb.load_model(f"endpoint:http://127.0.0.1:{port}/v1#{NAME}")
    finally:
        server.kill()
        server.wait(30)
    assert model.alternatives == 20
    assert model.abilities.facts()["refused"] == []


def test_draws_are_of_the_whole_distribution(spec):
    """By itself it leaves out every token with less than .05 of the likeliest one's probability."""
    question = QUESTIONS[2]
    model = eb.load_model(spec, concurrency=2, timeout=600)
    ((reply,),) = model.reply([question], GenerationSettings(max_new_tokens=1), alternatives=20)
    least = 0.05 * math.exp(max(reply.alternatives.values()))
    likely = {token for token, p in reply.alternatives.items() if math.exp(p) >= least}
    mass = sum(math.exp(reply.alternatives[token]) for token in likely)
    assert mass < 0.8
    turns = [{"role": "user", "content": question}]
    of_server = [
        asked(spec, "/chat/completions", messages=turns, max_tokens=1, temperature=1, seed=i)
        for i in range(N_DRAWS)
    ]
    assert {answer["choices"][0]["message"]["content"] for answer in of_server} <= likely
    settings = GenerationSettings(n=N_DRAWS, max_new_tokens=1, decoding="sample")
    (draws,) = model.reply([question], settings)
    n_likely = sum(draw.text in likely for draw in draws)
    assert abs(n_likely / N_DRAWS - mass) < 3.5 * math.sqrt(mass * (1 - mass) / N_DRAWS)
    assert not any("cuts" in warning for warning in model.warnings)


def test_scores_of_the_same_float32_weights_agree(gguf, tmp_path):
    """With keys and values in float32 too; what remains is the server's own arithmetic."""
    exact = in_float32(gguf, tmp_path / "float32.gguf")
    local = eb.load_model(exact)
    settings = GenerationSettings(max_new_tokens=1)
    options = {"data": PAIRS[:2], "variant": "choice", "prompt_variants": 1}
    ours, expected = (
        local.reply(QUESTIONS, settings, alternatives=20),
        eb.measure("crows_pairs", local, **options),
    )
    with served_by_llama(exact, exact=True) as spec:
        served = eb.load_model(spec, concurrency=2, timeout=600)
        theirs, found = (
            served.reply(QUESTIONS, settings, alternatives=20),
            eb.measure("crows_pairs", served, **options),
        )
    for (mine,), (other,) in zip(ours, theirs, strict=True):
        common = mine.alternatives.keys() & other.alternatives.keys()
        assert len(common) >= 18
        assert max(abs(mine.alternatives[token] - other.alternatives[token]) for token in common) < 3e-4
    assert found.score == pytest.approx(expected.score, abs=1e-4)
    assert found.details["label_probability"] == pytest.approx(
        expected.details["label_probability"], abs=1e-4
    )
    assert [row.details for row in found.rows_of("item")] == [row.details for row in expected.rows_of("item")]
