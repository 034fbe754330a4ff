"""Files that earlier versions wrote are read, compared and verified by this one."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

import evaluate_bias as eb
from evaluate_bias.experiments.sources import read_results
from evaluate_bias.experiments.store import Store
from evaluate_bias.report.compare import compare
from evaluate_bias.report.verify import verify

KEPT = Path(__file__).parent / "kept"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    copied = Path(shutil.copytree(KEPT / "folder_2026_11", tmp_path / "folder"))
    monkeypatch.chdir(copied)  # one of its results is on pairs.jsonl
    return copied


def test_results_are_read_and_compared_with_themselves() -> None:
    results = read_results(KEPT / "results_2026_11.jsonl")
    assert [r.method for r in results] == [
        "weat", "crows_pairs", "stereoset", "lpbs", "kldivs", "seed_sensitivity", "tpr_gap", "metric_compatibility",
    ]  # fmt: skip
    for result in results:
        assert eb.Result.from_json(result.to_json()) == result
        assert compare(result, result).changed == ()


def test_a_store_is_read(tmp_path: Path) -> None:
    shutil.copy(KEPT / "store_2026_11.sqlite", tmp_path / "results.sqlite")
    with Store(tmp_path, read_only=True) as store:
        assert sorted(unit.method for unit, _ in store.results()) == ["lpbs", "seat"]


def test_a_recording_is_verified_and_the_format_of_its_texts_is_named(folder: Path) -> None:
    verification = verify(folder)
    assert verification.verdict == "not verifiable", verification.to_markdown()
    reasons = {check.file: check.reason for check in verification.problems}
    texts = {"README.md", "report.md", "report.csv", "report.tex", "report.html"}
    assert {reasons[name] for name in texts} == {"written by format 1, texts not compared"}
    runs = [check.reason for check in verification.problems if check.file == "scores.parquet"]
    assert runs.count("written by format 1, sentences not compared") == 2
