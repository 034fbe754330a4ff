"""Card, results and recorded scores sent to the Hub, and verified from there without the model."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import evaluate_bias as eb
from evaluate_bias.cli.main import app
from evaluate_bias.errors import InputError
from evaluate_bias.experiments.sources import read_results
from evaluate_bias.hub.push_card import push_card
from evaluate_bias.models.load import load_model
from tests.report.test_verify import vectors
from tests.support.hub_store import Blob, Repo
from tests.support.loopback_hub import LoopbackHub

CARD = "---\nlicense: mit\n---\n\n# Model\n\n## Bias, Risks, and Limitations\n\nNone known.\n"
EVAL_RESULTS = ".eval_results/evaluate-bias-weat.yaml"

pytestmark = pytest.mark.slow


def measured(folder: Path, *tests: str, seed: int = 0, name: str = "writer/model") -> Path:
    for method in ("weat", "mac"):
        eb.record(method, load_model(vectors(seed), name=name), folder, tests=list(tests), seed=0)
    return folder


def push(folder: Path, *more: str) -> Any:
    arguments = ["card", str(folder), "--push", "--model", "writer/model", "--no-pull-request", *more]
    done = CliRunner().invoke(app, arguments)
    assert done.exit_code == 0, done.output
    return done


def verify() -> tuple[int, dict[str, Any]]:
    done = CliRunner().invoke(app, ["verify", "writer/model", "--json"])
    return done.exit_code, json.loads(done.stdout)


@pytest.fixture
def repo(hub: LoopbackHub) -> Repo:
    return hub.add_repo("model", "writer/model", {"README.md": CARD, "model.safetensors": b"weights"})


def test_a_pushed_card_is_verified_from_the_hub_and_one_changed_number_is_found(
    hub: LoopbackHub, repo: Repo, tmp_path: Path
) -> None:
    out = measured(tmp_path / "out", "weat6", "weat7")
    assert "with --scores anyone could verify the card" in " ".join(push(out).stderr.split())
    code, said = verify()
    assert (code, said["verdict"]) == (3, "not verifiable")
    assert "/commit/" in push(out, "--scores").stdout
    assert "unchanged" in push(out, "--scores").stdout
    code, said = verify()
    assert (code, said["verdict"]) == (0, "true"), said
    surfaces = {"README.md", "README.md, model-index", "results.jsonl", "evaluate-bias.svg", EVAL_RESULTS}
    assert surfaces <= set(said["counts"])
    assert not any("safetensors" in request.path for request in hub.requests)
    assert hub.outside == []

    right = dict(repo.at().files)
    changes = {
        "README.md": rb"(value: -?\d+\.\d*?)(\d)\n",
        "results.jsonl": rb"(\"score\": -?\d+\.\d{3})(\d)",
        EVAL_RESULTS: rb"(value: -?\d+\.\d*?)(\d)\n",
    }
    for name, pattern in changes.items():
        content = repo.files()[name]
        match = re.search(pattern, content)
        assert match is not None
        start, digit = match.start(2), str((int(match[2]) + 1) % 10).encode()
        repo.commit("main", {**right, name: Blob(content[:start] + digit + content[start + 1 :])}, "edit")
        code, said = verify()
        assert (code, said["verdict"]) == (1, "false"), name
        problems = [p["file"].partition(",")[0] for p in said["problems"] if p["verdict"] == "false"]
        assert set(problems) == {name}
        repo.commit("main", right, "back")


def test_of_several_models_only_the_named_one_is_sent(repo: Repo, tmp_path: Path) -> None:
    out = measured(tmp_path / "out", "weat6")
    measured(out, "weat6", seed=1, name="org/other")
    (out / "alone").mkdir()
    eb.record("weat", load_model(vectors(2), name="org/third"), out / "alone", tests=["weat7"])
    assert "org/other" in push(out, "--scores").stderr
    assert b"org/other" not in repo.files()["results.jsonl"]
    assert verify()[1]["verdict"] == "true"
    with pytest.raises(InputError, match="has no scores of these results"):
        push_card(read_results(out), "writer/model", scores=out / "alone")
