"""Runs on models behind an address: what was answered is in the store, and is not asked again."""

from __future__ import annotations

import json
import os
import re
import signal
import sqlite3
import subprocess
import sys
import time
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result as Shown
from typer.testing import CliRunner

import evaluate_bias as eb
from evaluate_bias.cli import measuring
from evaluate_bias.cli.main import app
from evaluate_bias.experiments.config_file import read_config
from evaluate_bias.experiments.plan import make_plan
from evaluate_bias.experiments.requests import count_requests
from evaluate_bias.experiments.store import Store
from evaluate_bias.models.endpoint import counting
from tests.support.model_server import ModelServer
from tests.support.tiny_models import tiny_causal

KEY = 'sk-very/secret"7f3a'
PLANNING, LOADING = 1, 3
"""Questions of each run to a server that can do everything: who answers, and what it can do."""


@pytest.fixture(autouse=True)
def no_keys(monkeypatch):
    for name in ("EVALUATE_BIAS_API_KEY", "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture(scope="module")
def local():
    return eb.load_model(tiny_causal("gpt2"))


@pytest.fixture
def server(local) -> Iterator[ModelServer]:
    with ModelServer(local) as running:
        yield running


def write_grid(folder: Path, spec: str, pairs: int = 6, variant: str = "causal", **options: Any) -> Path:
    rows = [
        {"id": str(i), "sent_more": f"Person {i} said she left.", "sent_less": f"Person {i} said he left.",
         "bias_type": "gender"}
        for i in range(pairs)
    ]  # fmt: skip
    (folder / "pairs.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    grid = {
        "models": [{"model": spec, "options": options}],
        "methods": [
            {"method": "crows_pairs", "options": {"variant": variant}},
            {"method": "pll_robustness", "options": {"scoring": "causal"}},
            {"method": "weat"},
        ],
        "data": [{"source": "pairs.jsonl", "methods": ["crows_pairs"]}],
        "limit": 10,
    }
    path = folder / "grid.yaml"
    path.write_text(json.dumps(grid))
    return path


def command(*words: object) -> Shown:
    return CliRunner().invoke(app, [str(word) for word in words])


def measured_texts(server: ModelServer) -> list[str]:
    """The texts that were scored, without the questions."""
    return [
        body["prompt"]
        for _, _, body in server.requests
        if body.get("prompt", "Water is wet.") != "Water is wet."
    ]


def stored(folder: Path) -> list[tuple[str, bytes]]:
    with sqlite3.connect(folder / "results.sqlite") as db:
        return [(key, zlib.decompress(reply)) for key, reply in db.execute("SELECT key, reply FROM replies")]


def scores(folder: Path) -> dict[str, float]:
    with Store(folder, read_only=True) as store:
        return {unit.method: result.score for unit, result in store.results()}


def test_what_was_answered_is_in_the_store(server, tmp_path):
    grid = write_grid(tmp_path, server.spec)
    assert command("run", grid, "-o", tmp_path / "out").exit_code == 0
    texts = measured_texts(server)
    assert len(texts) == len(set(texts)) == len(stored(tmp_path / "out"))
    before = scores(tmp_path / "out")
    (tmp_path / "out" / "results.jsonl").unlink()
    with sqlite3.connect(
        tmp_path / "out" / "results.sqlite"
    ) as db:  # as if it had been killed before any result
        db.execute("DROP TRIGGER results_remain")
        db.execute("DELETE FROM results")
    asked = len(server.requests)
    assert command("run", grid, "-o", tmp_path / "out").exit_code == 0
    assert len(server.requests) - asked == PLANNING + LOADING
    assert scores(tmp_path / "out") == before
    asked = len(server.requests)
    assert command("run", grid, "-o", tmp_path / "out").exit_code == 0
    assert len(server.requests) - asked == PLANNING


@pytest.mark.nightly
def test_a_killed_run_asks_nothing_twice_but_what_was_in_flight(server, tmp_path):
    """Killed by the system in the middle: over both runs, as many requests as of one and those in flight."""
    concurrency, grid = 4, write_grid(tmp_path, server.spec, pairs=40, concurrency=4)
    words = [sys.executable, "-m", "evaluate_bias", "run", grid, "--workers", "1", "-o"]
    server.latency = 0.03
    assert command("run", grid, "-o", tmp_path / "whole").exit_code == 0
    needed, whole = measured_texts(server), len(server.requests)
    moment, out = len(needed) // 2, tmp_path / "killed"
    server.requests.clear()
    # Of the session's group, so that a worker is killed too.
    run = subprocess.Popen(
        [*words, out], start_new_session=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    while len(measured_texts(server)) < moment:
        assert run.poll() is None
        time.sleep(0.002)
    os.killpg(run.pid, signal.SIGKILL)
    assert run.wait() == -signal.SIGKILL
    time.sleep(0.1)  # what the server had received
    assert command("run", grid, "-o", out).exit_code == 0
    assert set(measured_texts(server)) == set(needed)
    assert len(measured_texts(server)) <= len(needed) + concurrency
    assert len(server.requests) <= whole + concurrency + PLANNING + LOADING
    assert scores(out) == scores(tmp_path / "whole")


def test_another_system_is_another_unit_and_said(server, tmp_path):
    grid, out = write_grid(tmp_path, server.spec), tmp_path / "out"
    assert command("run", grid, "-o", out).exit_code == 0
    asked = len(measured_texts(server))
    server.fingerprint = "fp_2"
    shown = command("run", grid, "-o", out)
    assert shown.exit_code == 0
    assert len(measured_texts(server)) == 2 * asked
    said = " ".join(shown.stderr.split())
    assert said.count("answered as 'fp_1' before and as 'fp_2' now") == 1
    with Store(out, read_only=True) as store:
        systems = [r.provenance["model"]["system_fingerprint"] for _, r in store.results(history=True)]
        assert sorted(systems) == [["fp_1"], ["fp_1"], ["fp_2"], ["fp_2"]]
    server.fingerprint = "fp_1"
    assert command("run", grid, "-o", out).exit_code == 0
    assert len(measured_texts(server)) == 2 * asked


@pytest.mark.parametrize("variant", ["choice", "causal"])
def test_a_plan_counts_the_requests_of_the_run(server, tmp_path, variant):
    server.answer = lambda body: ("B", {"B": -0.1, "A": -2.5})
    grid, out = write_grid(tmp_path, server.spec, variant=variant), tmp_path / "out"

    def planned(*more: object) -> tuple[Mapping[str, Any], int]:
        before = len(server.requests)
        facts = json.loads(command("plan", grid, *more, "--json").stdout)
        return facts, len(server.requests) - before

    facts, asked = planned()
    (found,) = facts["requests"]
    assert asked == PLANNING + LOADING == found["questions"]
    assert facts["unfit"] == 1
    assert not out.exists()
    server.requests.clear()
    assert command("run", grid, "-o", out).exit_code == 0
    made = len(server.requests) - found["questions"]
    # Of the 12 choices half of the first eight may have to be followed up, and the others to be asked again and
    # followed up; none had to.
    assert found["requests"] == made + (4 + 2 * 4 if variant == "choice" else 0)
    assert planned("-o", out)[0]["requests"] == []
    # Half of the replies: the others are to be asked.
    with sqlite3.connect(out / "results.sqlite") as db:
        db.execute("DROP TRIGGER results_remain")
        db.execute("DELETE FROM results")
        db.execute("DELETE FROM replies WHERE key < '8'")
    left = made - len(stored(out))
    (found,) = planned("-o", out)[0]["requests"]
    assert 0 < left <= found["requests"] <= (left if variant == "causal" else 3 * left)
    left = found["requests"]
    tokens = found["reply_tokens"]
    assert (tokens > 0) is (variant == "choice")
    room = f" for at most {tokens:,} tokens of replies" if tokens > 1 else ""
    said = " ".join(command("plan", grid, "-o", out).stdout.split())
    assert f": at most {left} requests{room}, and 4 questions about" in said
    assert re.search(r"about \d+ seconds?, as the server answered at [\d.,]+ requests a second", said)


def test_a_plan_of_more_requests_than_are_counted_one_by_one_says_at_least_how_many(
    server, tmp_path, monkeypatch
):
    monkeypatch.setattr(counting, "MOST_COUNTED", 10)
    grid = write_grid(tmp_path, server.spec, variant="choice")
    facts = json.loads(command("plan", grid, "--json").stdout)
    shared, (found,) = facts["models"][0]["shared"], facts["requests"]
    assert {run["basis"] for data in shared for run in data["runs"]} == {"at least", "unfit"}
    # Six pairs in both orders by arithmetic; texts that are scored are counted until there are more than ten.
    n = 6 * 2 + 11
    assert (found["requests"], found["at_least"]) == (n, True)
    said = " ".join(command("plan", grid).stdout.split())
    assert "to measure: at least" in said
    assert f"at least {n} requests" in said


def test_a_plan_says_that_a_limit_is_too_low(server, tmp_path):
    said = " ".join(command("plan", write_grid(tmp_path, server.spec, max_requests=8)).stderr.split())
    assert "tiny (127.0.0.1" in said
    assert "a run may stop at 8 requests: raise max_requests" in said


def test_a_run_that_makes_many_requests_wants_to_be_told_so(server, tmp_path, monkeypatch):
    """The same for a server and for a local model that chats; the rate of earlier runs is used if there are any."""
    server.answer = lambda body: ("B", {"B": -0.1, "A": -2.5})
    grid, out = write_grid(tmp_path, server.spec, variant="choice"), tmp_path / "out"
    shown = command("run", grid, "-o", out)
    assert shown.exit_code == 0
    assert "assuming 2 requests a second" in " ".join(shown.stderr.split())
    monkeypatch.setattr(measuring, "_MOST_REQUESTS", 40)
    more = json.loads(grid.read_text())
    more["methods"][0]["options"] = {"variant": "choice", "protocol": "robust"}
    grid.write_text(json.dumps(more))
    server.requests.clear()
    refused = command("run", grid, "-o", out)
    assert refused.exit_code == 2
    said = " ".join(refused.stderr.split())
    assert "at most 168 requests" in said  # eight at once, four of them followed up, and 52 asked three times
    assert re.search(r"as before at [\d.,]+ requests a second", said)
    assert "--yes" in said
    assert len(server.requests) == PLANNING
    assert command("run", grid, "-o", out, "--yes").exit_code == 0


def test_requests_to_a_local_model_that_chats_are_counted(tmp_path):
    words = ["run", "-m", "smollm2-135m", "-o", str(tmp_path), "--method"]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(measuring, "_MOST_REQUESTS", 10)
        for method, options, n in (
            ("crows_pairs", ["-O", "variant=choice", "--source", "minimal_pairs", "--limit", "6"], 24),
            ("bbq", ["--source", "bbq_style", "--limit", "6", "-O", "follow_up=false"], 28),
        ):
            shown = command(*words, method, *options)
            assert shown.exit_code == 2
            assert f"at most {n} requests" in " ".join(shown.stderr.split())
    config = read_config(write_grid(tmp_path, "smollm2-135m"))
    plan = make_plan(config)
    assert count_requests(plan, set(plan.keys), None) == []  # scores of sentences are no requests


@pytest.mark.parametrize(("limit", "kept"), [({"max_requests": 15}, 12), ({"max_tokens": 200}, 5)])
def test_a_run_over_its_budget_keeps_what_was_answered_and_goes_on(server, tmp_path, limit, kept):
    ((name, most),) = limit.items()
    grid, out = write_grid(tmp_path, server.spec, concurrency=1, **limit), tmp_path / "out"
    shown = command("run", grid, "-o", out)
    assert shown.exit_code in (1, 3)
    said = f"{shown.exception} {' '.join(shown.stderr.split())}"
    assert f"`{name}` ({most})" in said
    assert "Traceback" not in said
    assert len(stored(out)) >= kept
    asked = measured_texts(server)
    assert command("run", write_grid(tmp_path, server.spec, **{name: 100_000}), "-o", out).exit_code == 0
    assert measured_texts(server)[: len(asked)] == asked
    assert len(measured_texts(server)) == len(set(measured_texts(server)))


def test_the_key_is_in_no_file_of_failing_runs(local, tmp_path, monkeypatch):
    monkeypatch.setenv("EVALUATE_BIAS_API_KEY", KEY)
    echo = json.dumps({"choices": [{"text": KEY, "finish_reason": "stop"}], "model": KEY, "extra": KEY})
    faults = [
        401, 403, 400, 302, 404, (429, {"retry-after": "0.01"}, f"too much, {KEY}"), (200, {}, f"{KEY} {{"),
        (200, {}, echo), (200, {}, echo.replace("k", "\\u006b")), (400, {}, json.dumps({"error": {"message": KEY}})),
    ]  # fmt: skip
    out, said = tmp_path / "out", ""
    with ModelServer(local, key=KEY) as server:
        grid = write_grid(tmp_path, server.spec, concurrency=1, timeout=5)
        for run in range(len(faults)):
            server.faults = [None] * (run % 7) + [faults[run % len(faults)]] * 3
            server.key = "another" if run == 0 else KEY
            shown = command("run", grid, "-o", out)
            said += shown.output + repr(shown.exception)
        server.faults, server.key = [], KEY
        assert command("run", grid, "-o", out).exit_code == 0
    plain = [
        KEY,
        json.dumps(KEY)[1:-1],
        json.dumps(KEY, ensure_ascii=False)[1:-1],
        KEY.replace("k", "\\u006b"),
    ]
    files = [path.read_bytes() for path in out.rglob("*") if path.is_file()]
    texts = [said.encode(), *files, *(reply for _, reply in stored(out))]
    assert len(texts) > 10
    assert any(b"[key]" in text for text in texts)
    assert not [form for form in plain for text in texts if form.encode() in text]
