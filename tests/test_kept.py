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


def test_a_recording_is_verified_with_the_numbers_of_its_card_and_report(folder: Path) -> None:
    """Their sentences are of another format; every number of theirs is one that the recorded scores give."""
    found = verify(folder)
    assert found.verdict == "not verifiable", found.to_markdown()
    assert {check.verdict for check in found.checks} == {"true", "not verifiable"}


def test_a_changed_number_in_its_card_is_found(folder: Path) -> None:
    card = folder / "README.md"
    (result, *_) = [r for r in read_results(folder) if r.method == "crows_pairs"]
    text = card.read_text(encoding="utf-8")
    shown = f"{result.score:.2f}"
    assert shown in text
    card.write_text(text.replace(shown, f"{result.score + 10:.2f}"), encoding="utf-8")
    assert verify(folder).verdict == "false"
