"""The doctor: each finding in an environment made for it, and the whole in a fresh process."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from evaluate_bias.cli.main import app
from evaluate_bias.hub import doctor
from evaluate_bias.hub.doctor import (
    Diagnosis,
    check_hub,
    check_imports,
    check_model,
    check_modules,
    check_packages,
)
from evaluate_bias.hub.modules import module_names
from tests.support.loopback_hub import LoopbackHub
from tests.support.processes import run_python
from tests.support.toy_module import write_toy

MODULE = module_names()[-1]
OWNER = "owner of 'bias'"


def told(findings: Iterable[Diagnosis]) -> list[tuple[str, str]]:
    return [(f.status, f.subject) for f in findings]


def the(findings: Iterable[Diagnosis], subject: str) -> Diagnosis:
    (found,) = (f for f in findings if f.subject == subject)
    return found


# --- packages ---------------------------------------------------------------------------------------------

REQUIRED = [
    "numpy>=2",
    "datasets<6,>=4.4",
    "evaluate<0.5,>=0.4.6",
    "torch>=2.6; extra == 'models'",
    "transformers<6,>=5; extra == 'models'",
    "gensim>=4.3.3; extra == 'vectors'",
    "gradio<7,>=6.31; extra == 'space'",
    "gradio<7,>=6.31; extra == 'all'",
    "evaluate-bias[models]; extra == 'endpoint'",  # an extra that needs another one
    "openai>=2; extra == 'endpoint'",
]


def versions(**installed: str) -> Callable[[str], str | None]:
    return installed.get


def test_packages_out_of_range_or_missing() -> None:
    installed = versions(numpy="1.26.4", datasets="6.0.0", transformers="4.50.0")
    findings = list(check_packages(REQUIRED, installed))
    problems = {f.subject: (f.text, f.fix) for f in findings if f.status == "problem"}
    assert problems == {
        "numpy": ("1.26.4 is installed, supported is >=2", "pip install 'numpy>=2'"),
        "datasets": ("6.0.0 is installed, supported is <6,>=4.4", "pip install 'datasets<6,>=4.4'"),
        "evaluate": ("not installed", "pip install 'evaluate<0.5,>=0.4.6'"),
        "transformers": ("4.50.0 is installed, supported is <6,>=5", "pip install 'transformers<6,>=5'"),
    }
    assert the(findings, "extra 'models'").text.startswith("torch missing")


def test_an_extra_has_one_line_and_is_fine_only_where_nothing_of_it_is_missing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Also what a package needs for an extra of its own, which its name does not show."""
    required = ["gguf>=0.10; extra == 'gguf'", "torch>=2.6; extra == 'gguf'"]
    required += ["transformers<6,>=5; extra == 'serving'", "transformers[serving]<6,>=5; extra == 'serving'"]
    theirs = [
        "fastapi; extra == 'serving'",
        "uvicorn>=0.5; extra == 'serving'",
        "timm; extra == 'vision'",
        "tqdm",
    ]
    monkeypatch.setattr(doctor.metadata, "requires", lambda name: theirs)
    everything = {"gguf": "0.19", "torch": "2.13", "transformers": "5.24", "fastapi": "1", "uvicorn": "0.54"}
    extras = ("extra 'gguf'", "extra 'serving'")

    def lines(without: str) -> list[tuple[str, str]]:
        installed = {name: version for name, version in everything.items() if name != without}
        return [line for line in told(check_packages(required, installed.get)) if line[1] in extras]

    assert lines("") == [("ok", extras[0]), ("ok", extras[1])]
    assert lines("gguf") == [("note", extras[0]), ("ok", extras[1])]
    for package in ("fastapi", "uvicorn"):
        assert lines(package) == [("ok", extras[0]), ("note", extras[1])]
    everything["uvicorn"] = "0.1"
    findings = list(check_packages(required, everything.get))
    assert the(findings, "uvicorn").status == "problem"


def test_nothing_is_imported_that_takes_seconds() -> None:
    """Imports of evaluate bring the pipelines of transformers along, which are most of a start."""
    script = """
import sys
from evaluate_bias.hub.doctor import diagnose
diagnose()
answer(sorted({"evaluate", "transformers", "gradio", "ray"} & set(sys.modules)))
"""
    assert run_python(script, {**os.environ, "HF_HUB_OFFLINE": "1"}, Path.cwd()) == []


def test_imports(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "rich_but_broken.py").write_text("raise ImportError('numpy.core failed\\nand more')\n")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(doctor, "_installed_version", lambda name: None if name == "not_installed" else "1")
    findings = list(check_imports(["json", "rich_but_broken", "not_installed"]))
    assert told(findings) == [("problem", "rich_but_broken"), ("ok", "imports")]
    assert findings[0].text == "installed, but cannot be imported: ImportError: numpy.core failed"
    assert findings[0].fix == "pip install --force-reinstall rich_but_broken"


def test_a_driver_without_a_gpu_that_torch_sees(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    torch = pytest.importorskip("torch")
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    for driver, status in ((tmp_path, "note"), (tmp_path / "none", "ok")):
        monkeypatch.setattr(doctor, "NVIDIA_DRIVER", driver)
        (finding,) = doctor.check_torch()
        assert (finding.status, bool(finding.fix)) == (status, status == "note")


# --- modules in the cache ---------------------------------------------------------------------------------


def put_copy(
    cache: Path, script: str, *, name: str = "bias--toy", code_hash: str = "a" * 64, age: float = 0
) -> Path:
    path = cache / name / code_hash / f"{name.split('--')[1]}.py"
    path.parent.mkdir(parents=True)
    path.write_text(script)
    os.utime(path, (time.time() - age,) * 2)
    return path


@pytest.fixture
def root(tmp_path: Path) -> Path:
    write_toy(tmp_path / "mine", 1)
    return tmp_path / "mine"


def test_modules_are_current_absent_or_other(tmp_path: Path, root: Path) -> None:
    cache = tmp_path / "cache"
    (absent,) = list(check_modules(cache, root=root, cwd=tmp_path))
    assert (absent.status, absent.fix) == ("note", "evaluate-bias install")
    assert absent.text.endswith("needs the Hub for them: toy")

    script = (root / "toy" / "toy.py").read_text()
    put_copy(cache, script, age=60)
    assert told(check_modules(cache, root=root, cwd=tmp_path)) == [("ok", "cached modules")]
    put_copy(cache, script.replace("1", "2"), code_hash="b" * 64)  # newer, so evaluate takes it
    (other,) = list(check_modules(cache, root=root, cwd=tmp_path))
    assert (other.status, other.subject, other.fix) == ("note", "bias/toy", "evaluate-bias install toy")
    put_copy(cache, "not a copy of evaluate's", code_hash="c")  # its folder is no hash
    assert told(check_modules(cache, root=root, cwd=tmp_path))[0] == ("note", "bias/toy")


# --- network ---------------------------------------------------------------------------------------------------


def test_the_hub_answers(hub: LoopbackHub, monkeypatch: pytest.MonkeyPatch) -> None:
    findings = list(check_hub())
    assert told(findings) == [("ok", "Hub"), ("ok", OWNER), ("note", "bias on the Hub"), ("ok", "login")]
    assert the(findings, OWNER).text == "an organisation on the Hub, The people of bias, and yours"
    assert the(findings, "login").text == "logged in as writer, token with the role 'write', member of bias"
    hub.add_repo("space", f"bias/{MODULE}")
    monkeypatch.delenv("HF_TOKEN")
    findings = list(check_hub())
    assert told(findings) == [("ok", "Hub"), ("note", OWNER), ("note", "login")]
    assert "'hf auth login'" in the(findings, "login").fix


@pytest.mark.parametrize(
    ("fault", "text"),
    [
        ({"drop": True}, "cannot be reached"),
        ({"status": 503}, "answers with an error of its own (503)"),
        ({"delay": 600.0}, "cannot be reached"),
    ],
)
def test_a_hub_that_does_not_answer(hub: LoopbackHub, fault: dict[str, Any], text: str) -> None:
    hub.fault(".", **fault)
    (finding,) = list(check_hub(timeout=0.3 if "delay" in fault else 300.0))
    assert (finding.status, finding.subject) == ("note", "Hub")
    assert text in finding.text
    assert "nothing is known about who owns 'bias'" in finding.text


# --- the command ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("status", "code", "last"), [("note", 0, "0 problems, 1 note"), ("problem", 1, "1 problem, 0 notes")]
)
def test_the_command(monkeypatch: pytest.MonkeyPatch, status: Any, code: int, last: str) -> None:
    finding = Diagnosis("modules", "bias/[toy]", status, "a [b] c", "delete it")
    monkeypatch.setattr(doctor, "diagnose", lambda: [finding])
    monkeypatch.delenv("COLUMNS", raising=False)
    done = CliRunner().invoke(app, ["doctor"])
    assert done.exit_code == code
    assert "bias/[toy]" in done.output
    assert "a [b] c" in done.output
    assert "fix: delete it" in done.output
    assert last in done.output
    long = Diagnosis("modules", "toy", status, "many words " * 40, "delete it")
    monkeypatch.setattr(doctor, "diagnose", lambda: [long])
    assert max(map(len, CliRunner().invoke(app, ["doctor"]).output.splitlines())) <= 100
    monkeypatch.setattr(doctor, "diagnose", lambda: [finding])
    as_json = CliRunner().invoke(app, ["doctor", "--json"])
    assert as_json.exit_code == code
    assert json.loads(as_json.output) == {"problems": code, "findings": [finding.to_dict()]}


def test_a_model_that_is_loaded_here_has_no_server_to_ask():
    assert "--model-option goes with a model" in str(
        CliRunner().invoke(app, ["doctor", "--model-option", "timeout=3"]).exception
    )
    (finding,) = check_model("models/mine")
    assert finding.status == "problem"
    assert "endpoint:URL#NAME" in finding.text
    assert "evaluate-bias methods --model" in finding.text
