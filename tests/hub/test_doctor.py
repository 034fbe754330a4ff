"""The doctor: each finding in an environment made for it, and the whole in a fresh process."""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from typer.testing import CliRunner

from evaluate_bias.cli.main import app
from evaluate_bias.errors import install_extra
from evaluate_bias.hub import doctor
from evaluate_bias.hub.doctor import (
    Diagnosis,
    check_folders,
    check_hub,
    check_imports,
    check_modules,
    check_packages,
    check_settings,
    check_torch,
)
from evaluate_bias.hub.modules import module_names
from tests.support.hub_client import use_hub
from tests.support.loopback_hub import LoopbackHub
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


def test_packages_in_range() -> None:
    installed = versions(
        numpy="2.4.6", datasets="5.2.0", evaluate="0.4.6", torch="2.13.0+cpu", transformers="5.23.0"
    )
    findings = list(check_packages(REQUIRED, installed))
    assert told(findings) == [
        ("ok", "Python"),
        ("ok", "required packages"),
        ("ok", "extra 'models'"),
        ("note", "extra 'vectors'"),
        ("note", "extra 'space'"),
        ("note", "extra 'endpoint'"),
    ]
    assert the(findings, "required packages").text == "numpy 2.4.6, datasets 5.2.0, evaluate 0.4.6"
    vectors = the(findings, "extra 'vectors'")
    assert vectors.text == "gensim missing, needed for fastText .bin files and gensim objects"
    assert vectors.fix == install_extra("vectors")


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


def test_this_environment_is_in_range() -> None:
    findings = list(check_packages())
    assert not [f for f in findings if f.status == "problem"]
    assert "evaluate 0.4" in the(findings, "required packages").text


def test_a_folder_that_is_not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "DISTRIBUTION", "evaluate-bias-not-installed")
    findings = list(check_packages())
    assert told(findings)[1:] == [("problem", "evaluate-bias-not-installed")]


def test_imports(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "rich_but_broken.py").write_text("raise ImportError('numpy.core failed\\nand more')\n")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(doctor, "_installed_version", lambda name: None if name == "not_installed" else "1")
    findings = list(check_imports(["json", "rich_but_broken", "not_installed"]))
    assert told(findings) == [("problem", "rich_but_broken"), ("ok", "imports")]
    assert findings[0].text == "installed, but cannot be imported: ImportError: numpy.core failed"
    assert findings[0].fix == "pip install --force-reinstall rich_but_broken"


def fake_torch(*, cuda: bool = False, mps: bool = False, build: str | None = None, threads: int = 4) -> Any:
    return SimpleNamespace(
        cuda=SimpleNamespace(
            is_available=lambda: cuda, device_count=lambda: 2, get_device_name=lambda i: f"H200 #{i}"
        ),
        backends=SimpleNamespace(mps=SimpleNamespace(is_available=lambda: mps)),
        version=SimpleNamespace(cuda=build, hip=None),
        get_num_threads=lambda: threads,
    )


@pytest.mark.parametrize(
    ("torch", "driver", "status", "text"),
    [
        (fake_torch(cuda=True, build="12.8"), True, "ok", "b, on H200 #0, H200 #1"),
        (fake_torch(mps=True), False, "ok", "b, on Apple's GPU (mps) or the CPU, 4 threads"),
        (fake_torch(threads=1), False, "ok", "b, on the CPU, 1 thread"),
        (fake_torch(), True, "note", "b computes on the CPU only, though there is an NVIDIA driver"),
        (
            fake_torch(build="12.8"),
            True,
            "note",
            "b is built for GPUs (12.8) but sees none; it computes on the CPU",
        ),
        (fake_torch(build="12.8"), False, "ok", "b, on the CPU, 4 threads"),
    ],
)
def test_torch(torch: Any, driver: bool, status: str, text: str) -> None:
    finding = doctor._torch_finding("b", torch, driver)
    assert (finding.status, finding.text) == (status, text)
    assert bool(finding.fix) == (status != "ok")


def test_no_torch(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    assert list(check_torch()) == []


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


def test_a_folder_that_is_taken_first(tmp_path: Path, root: Path) -> None:
    write_toy(tmp_path / "bias", 2)
    findings = list(check_modules(tmp_path / "cache", root=root, cwd=tmp_path))
    assert f"takes {tmp_path / 'bias' / 'toy' / 'toy.py'} before the Hub" in the(findings, "bias/toy").text


# --- folders, settings, network ---------------------------------------------------------------------------


def test_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folders = {"EVALUATE_BIAS_CACHE": tmp_path / "not" / "yet"}
    free = 80e9
    monkeypatch.setattr(doctor.shutil, "disk_usage", lambda path: SimpleNamespace(free=free))
    (fine,) = list(check_folders(folders))
    assert (fine.status, fine.text) == ("ok", f"{tmp_path / 'not' / 'yet'}, 80.0 GB free")
    free = 2e9
    assert next(check_folders(folders)).status == "note"
    free = 1e8
    assert next(check_folders(folders)).status == "problem"
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    (problem,) = list(check_folders({"HF_HOME": tmp_path / "file"}))
    assert problem.status == "problem"
    assert problem.fix == "set HF_HOME to a folder that can be written"


def test_settings_show_no_secret() -> None:
    assert list(check_settings({})) == []
    both = list(
        check_settings({"HF_HUB_OFFLINE": "1", "HF_EVALUATE_OFFLINE": "on", "EVALUATE_BIAS_OFFLINE": "0"})
    )
    assert told(both) == [("note", "HF_HUB_OFFLINE"), ("note", "HF_EVALUATE_OFFLINE")]
    assert "unless HF_EVALUATE_OFFLINE is set too" in both[0].text
    secret = {
        "HTTPS_PROXY": "http://me:secret@proxy:8080",
        "HF_TOKEN": "hf_secret",
        "HF_ENDPOINT": "https://mirror",
    }
    (finding,) = list(check_settings(secret))
    assert finding.text == "HF_ENDPOINT=https://mirror; through a proxy (HTTPS_PROXY)"


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch) -> Iterator[LoopbackHub]:
    with LoopbackHub() as server:
        use_hub(server, monkeypatch, token=server.token)
        yield server


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
    ("owners", "text"),
    [
        (
            {"bias": "organizations"},
            "an organisation on the Hub, The people of bias, and not yours: evaluate.load",
        ),
        ({"bias": "users"}, "a user on the Hub, The people of bias, and not yours: evaluate.load"),
        ({}, "nobody has this name on the Hub; whoever takes it decides which code evaluate.load"),
    ],
)
def test_whose_the_organisation_is(
    hub: LoopbackHub, monkeypatch: pytest.MonkeyPatch, owners: dict[str, str], text: str
) -> None:
    monkeypatch.setenv("HF_TOKEN", hub.reader_token)
    hub.owners = owners
    found = the(list(check_hub()), OWNER)
    assert found.status == "note"
    assert found.text.startswith(text)
    assert "evaluate_bias.load" in found.fix
    assert all(r.headers.get("authorization") is None for r in hub.seen("overview"))


@pytest.mark.parametrize("fault", [{"drop": True}, {"status": 500}, {"status": 503}])
def test_an_owner_that_the_hub_does_not_tell(hub: LoopbackHub, fault: dict[str, Any]) -> None:
    hub.fault("overview", **fault)
    found = the(list(check_hub()), OWNER)
    assert (found.status, found.text.partition(":")[0]) == ("note", "unknown")


@pytest.mark.parametrize("token", ["hf_revoked", "hf_two words"])
def test_a_bad_token(hub: LoopbackHub, monkeypatch: pytest.MonkeyPatch, token: str) -> None:
    monkeypatch.setenv("HF_TOKEN", token)
    findings = list(check_hub())
    assert the(findings, "login").status == "problem"
    assert token not in str(findings)
    assert hub.seen(f"spaces/bias/{MODULE}")[0].headers.get("authorization") is None


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


def test_a_login_that_cannot_be_looked_up(hub: LoopbackHub) -> None:
    hub.fault("whoami", status=500)
    assert the(check_hub(), "login").status == "note"
    hub.clear_faults()
    hub.fault("whoami", drop=True)
    assert the(check_hub(), "login").status == "note"


def test_offline_makes_no_request(hub: LoopbackHub, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    (finding,) = list(check_hub())
    assert (finding.status, finding.subject) == ("note", "Hub")
    assert "nothing is known about who owns 'bias'" in finding.text
    assert hub.requests == []


# --- the command ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("status", "code", "last"), [("note", 0, "no problems, 1 note"), ("problem", 1, "1 problem, no notes")]
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
