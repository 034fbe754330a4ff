"""The doctor: versions and extras against what is required, caches, and what a model can do."""

from __future__ import annotations

import dataclasses
import json
import os
from collections.abc import Iterable
from importlib.metadata import PackageNotFoundError
from pathlib import Path
from types import SimpleNamespace

import pytest

from evaluate_bias.hub import doctor
from evaluate_bias.hub.doctor import Diagnosis, check_caches, check_model, check_packages
from tests.support.command_line import run_app
from tests.support.processes import run_python

REQUIRED = {
    "evaluate-bias": [
        "numpy>=2",
        "huggingface-hub>=1",
        "torch>=2.6; extra == 'models'",
        "transformers<6,>=5; extra == 'models'",
        "transformers<6,>=5; extra == 'serving'",
        "transformers[serving]<6,>=5; extra == 'serving'",
        "pywin32; sys_platform == 'win32'",
    ],
    "transformers": [
        "tqdm",
        "fastapi; extra == 'serving'",
        "uvicorn>=0.5; extra == 'serving'",
        "timm; extra == 'vision'",
    ],
}
INSTALLED = {
    "numpy": "2.1", "huggingface_hub": "1.2", "torch": "2.7", "transformers": "5.1", "fastapi": "1", "uvicorn": "0.5",
}  # fmt: skip


def checked(monkeypatch: pytest.MonkeyPatch, **changes: str | None) -> dict[str, Diagnosis]:
    """The findings in an environment with these packages; ``None``: not installed."""
    versions = {name: version for name, version in {**INSTALLED, **changes}.items() if version is not None}
    stand_in = SimpleNamespace(
        PackageNotFoundError=PackageNotFoundError,
        requires=REQUIRED.__getitem__,
        metadata=lambda name: SimpleNamespace(get_all=lambda field: ["models", "serving"]),
        distributions=lambda: [
            SimpleNamespace(name=name, version=version) for name, version in versions.items()
        ],
    )
    monkeypatch.setattr(doctor, "metadata", stand_in)
    return {finding.subject: finding for finding in check_packages()}


def test_versions_and_extras(monkeypatch):
    found = checked(monkeypatch)
    assert {name: finding.status for name, finding in found.items()} == dict.fromkeys(
        ("required packages", "extra models", "extra serving"), "ok"
    )
    assert found["required packages"].text == "numpy 2.1, huggingface-hub 1.2"


@pytest.mark.parametrize(
    ("changes", "subject", "status", "fact", "fix"),
    [
        ({"numpy": "1.26"}, "numpy", "problem", "version 1.26 is installed", "numpy>=2"),
        ({"numpy": None}, "required packages", "problem", "numpy", "pip install evaluate-bias"),
        (
            {"transformers": "4.50"},
            "transformers",
            "problem",
            "version 4.50 is installed",
            "transformers<6,>=5",
        ),
        ({"torch": None}, "extra models", "note", "torch", "evaluate-bias[models]"),
        (
            {"fastapi": None},
            "extra serving",
            "note",
            "fastapi",
            "evaluate-bias[serving]",
        ),  # an extra of transformers
        ({"uvicorn": "0.1"}, "uvicorn", "problem", "version 0.1 is installed", "uvicorn>=0.5"),
    ],
)
def test_a_package_that_is_missing_or_too_old(monkeypatch, changes, subject, status, fact, fix):
    found = checked(monkeypatch, **changes)[subject]
    assert found.status == status
    assert fact in found.text
    assert fix in found.fix


def test_a_checkout_that_is_not_installed():
    (finding,) = check_packages("no-such-distribution")
    assert (finding.status, finding.fix) == ("problem", "pip install no-such-distribution")


def test_caches(monkeypatch, tmp_path):
    monkeypatch.setenv("EVALUATE_BIAS_CACHE", str(tmp_path))
    (assets, *_) = check_caches()
    assert str(tmp_path) in assets.text


def test_nothing_is_imported_that_takes_seconds():
    script = """
import sys
from evaluate_bias.hub.doctor import diagnose
diagnose()
answer(sorted({"evaluate", "transformers", "torch", "gradio", "ray"} & set(sys.modules)))
"""
    assert run_python(script, {**os.environ, "HF_HUB_OFFLINE": "1"}, Path.cwd()) == []


def by_subject(findings: Iterable[Diagnosis]) -> dict[str, Diagnosis]:
    return {finding.subject: finding for finding in findings}


def test_what_a_model_can_do(tmp_path):
    (tmp_path / "words.txt").write_text("she 1 0\nhe 0 1\n")
    found = by_subject(check_model(str(tmp_path / "words.txt")))
    assert found["words.txt"].text == "embeds words, embeds words in context"
    assert {"weat", "rnsb"} <= set(found["methods"].text.split(", "))
    assert "bbq" not in found["methods"].text.split(", ")
    (finding,) = check_model(str(tmp_path / "absent.txt"))
    assert finding.status == "problem"


@pytest.mark.parametrize(
    ("status", "code", "last"), [("note", 0, "0 problems, 1 note"), ("problem", 1, "1 problem, 0 notes")]
)
def test_the_command(monkeypatch, status, code, last):
    finding = Diagnosis("a [toy]", status, "a [b] c " + "many words " * 40, "delete it")
    monkeypatch.setattr(doctor, "diagnose", lambda: [finding])
    monkeypatch.delenv("COLUMNS", raising=False)
    done = run_app("doctor")
    assert done.exit_code == code
    for part in ("a [toy]", "a [b] c", "fix: delete it", last):
        assert part in done.output
    assert max(map(len, done.output.splitlines())) <= 100
    as_json = run_app("doctor", "--json")
    assert as_json.exit_code == code
    assert json.loads(as_json.output) == {"problems": code, "findings": [dataclasses.asdict(finding)]}


def test_options_of_loading_need_a_model():
    shown = run_app("doctor", "--model-option", "timeout=3")
    assert "--model-option" in str(shown.exception)
