"""Card, results and recorded scores sent to the Hub, and verified from there without the model."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

import evaluate_bias as eb
from evaluate_bias.models.load import load_model
from tests.report.test_verify import vectors
from tests.support.hub_store import Blob
from tests.support.loopback_hub import LoopbackHub
from tests.support.processes import run_python

CARD = "---\nlicense: mit\n---\n\n# Model\n\n## Bias, Risks, and Limitations\n\nNone known.\n"
CODE = """
from typer.testing import CliRunner
from evaluate_bias.cli.main import app

def command(*words):
    done = CliRunner().invoke(app, [str(word) for word in words])
    said = done.stdout if isinstance(done.exception, (SystemExit, type(None))) else str(done.exception)
    return [done.exit_code, said, done.stderr]

def push(folder, *more):
    return command("card", folder, "--push", "--model", "writer/model", "--no-pull-request", *more)

def verify():
    return command("verify", "writer/model", "--json")
"""


def measured(folder: Path, *tests: str, seed: int = 0, name: str = "writer/model") -> Path:
    for method in ("weat", "mac"):
        eb.record(method, load_model(vectors(seed), name=name), folder, tests=list(tests), seed=0)
    return folder


def answers(code: str, hub: LoopbackHub, folder: Path) -> list[list[object]]:
    found: list[list[object]] = run_python(CODE + code, hub.env(), folder)
    assert hub.outside == []
    return found


def put(hub: LoopbackHub, name: str, content: str | bytes) -> None:
    """Change a file on the Hub by hand."""
    repo = hub.repos["model", "writer/model"]
    raw = content.encode() if isinstance(content, str) else content
    repo.commit("main", {**repo.at().files, name: Blob(raw)}, "edit")


@pytest.mark.slow
def test_a_pushed_card_is_verified_from_the_hub_and_one_changed_number_is_found(tmp_path: Path) -> None:
    out = measured(tmp_path / "out", "weat6", "weat7")
    with LoopbackHub() as hub:
        repo = hub.add_repo("model", "writer/model", {"README.md": CARD, "model.safetensors": b"weights"})
        plain, bare, sent, again, whole = answers(
            f"""
folder = {str(out)!r}
answer([push(folder), verify(), push(folder, "--scores"), push(folder, "--scores"), verify()])
""",
            hub,
            tmp_path,
        )
        assert plain[0] == 0
        assert "with --scores anyone could verify the card" in " ".join(str(plain[2]).split())
        assert (bare[0], json.loads(str(bare[1]))["verdict"]) == (3, "not verifiable")
        assert "/commit/" in str(sent[1])
        assert "unchanged" in str(again[1])
        assert (whole[0], json.loads(str(whole[1]))["verdict"]) == (0, "true"), whole
        counts = json.loads(str(whole[1]))["counts"]
        assert {"README.md", "README.md, model-index", "results.jsonl", "evaluate-bias.svg"} < set(counts)
        assert ".eval_results/evaluate-bias-weat.yaml" in counts
        assert not any("safetensors" in request.path for request in hub.requests)

        files = {
            name: content.decode()
            for name, content in repo.files().items()
            if name.endswith((".md", ".yaml", "l"))
        }
        changes = {
            "README.md": (r"(value: -?\d+\.\d*?)(\d)\n", 2),
            "results.jsonl": (r"(\"score\": -?\d+\.\d{3})(\d)", 2),
            ".eval_results/evaluate-bias-weat.yaml": (r"(value: -?\d+\.\d*?)(\d)\n", 2),
        }
        for name, (pattern, group) in changes.items():
            found = re.search(pattern, files[name])
            assert found is not None
            start, digit = found.start(group), str((int(found[group]) + 1) % 10)
            put(hub, name, files[name][:start] + digit + files[name][start + 1 :])
            (forged,) = answers("answer([verify()])", hub, tmp_path)
            assert forged[0] == 1, name
            said = json.loads(str(forged[1]))
            assert said["verdict"] == "false"
            assert {p["file"].partition(",")[0] for p in said["problems"] if p["verdict"] == "false"} == {
                name
            }
            put(hub, name, files[name])


@pytest.mark.slow
def test_of_several_models_only_the_named_one_is_sent(tmp_path: Path) -> None:
    out = tmp_path / "out"
    measured(out, "weat6")
    measured(out, "weat6", seed=1, name="org/other")
    (out / "alone").mkdir()
    eb.record("weat", load_model(vectors(2), name="org/third"), out / "alone", tests=["weat7"])
    with LoopbackHub() as hub:
        repo = hub.add_repo("model", "writer/model", {"README.md": CARD})
        sent, found, none = answers(
            f"""
sent = push({str(out)!r}, "--scores")
found = verify()
from evaluate_bias.errors import BiasError
from evaluate_bias.hub.push_card import push_card
from evaluate_bias.experiments.sources import read_results
try:
    push_card(read_results({str(out)!r}), "writer/model", scores={str(out / "alone")!r})
    none = "sent"
except BiasError as error:
    none = f"{{type(error).__name__}}: {{error}}"
answer([sent, found, [none]])
""",
            hub,
            tmp_path,
        )
        assert sent[0] == 0, sent
        assert "org/other" in str(sent[2])
        assert b"org/other" not in repo.files()["results.jsonl"]
        assert json.loads(str(found[1]))["verdict"] == "true", found
        assert str(none[0]).startswith("InputError")
        assert "has no scores of these results" in str(none[0])
