"""Recordings of earlier versions: replayed with the options of then, and what is worded otherwise today is said."""

from __future__ import annotations

import dataclasses
import functools
import inspect
import json
from typing import Any

import pytest

import evaluate_bias as eb
from evaluate_bias.method_record import MethodRecord
from evaluate_bias.registry import METHODS
from evaluate_bias.report import FORMAT
from evaluate_bias.report.verify import read_recording, verify, write_recording
from evaluate_bias.report.write import write_report
from tests.models.test_classifier import classifier as small_classifier
from tests.models.test_classifier import saved
from tests.test_all_methods import fixture


def with_default(monkeypatch: pytest.MonkeyPatch, method: str, **changed: Any) -> None:
    """Give options of a method other defaults, as a later version may."""
    entry, function = METHODS[method].function(), MethodRecord.function
    signature = inspect.signature(entry)
    assert all(signature.parameters[name].default != value for name, value in changed.items())

    @functools.wraps(entry)
    def later(*args: Any, **options: Any) -> Any:
        return entry(*args, **{**changed, **options})

    later.__signature__ = signature.replace(  # type: ignore[attr-defined]
        parameters=[
            p.replace(default=changed[p.name]) if p.name in changed else p
            for p in signature.parameters.values()
        ]
    )
    later.with_checked = lambda *args, **options: entry.with_checked(*args, **{**changed, **options})  # type: ignore[attr-defined]
    monkeypatch.setattr(
        MethodRecord, "function", lambda record: later if record.name == method else function(record)
    )


@pytest.mark.parametrize("method", ["weat", "seed_sensitivity"])
def test_a_later_default_does_not_make_an_old_recording_fail(method, tmp_path, monkeypatch):
    spec, rows, options = fixture(method)
    result = eb.record(method, spec, tmp_path, data=rows, **options)
    assert result.settings.get("measured_method", "weat") == "weat"
    alternative = "less" if METHODS["weat"].options()["alternative"].default != "less" else "greater"
    with_default(monkeypatch, "weat", alternative=alternative)
    again = eb.measure(method, spec, data=rows, **options)
    found = verify(tmp_path)
    assert again.to_dict()["rows"] != result.to_dict()["rows"]
    assert found.verdict == "true", found.to_markdown()


def test_all_options_are_recorded_with_their_defaults(tmp_path):
    spec, rows, options = fixture("weat")
    eb.record("weat", spec, tmp_path, data=rows, **options)
    (run,) = read_recording(tmp_path / "scores.parquet")
    kept = dict(run.request["options"][0]["$map"])
    assert set(kept) == set(METHODS["weat"].options())
    assert run.format == FORMAT


def test_a_report_beside_a_recording_of_another_format_has_a_format_of_its_own(tmp_path):
    spec, rows, options = fixture("weat")
    result = eb.record("weat", spec, tmp_path, data=rows, **options)
    write_report([result], tmp_path)
    runs = read_recording(tmp_path / "scores.parquet")
    write_recording([dataclasses.replace(r, format=FORMAT + 1) for r in runs], tmp_path / "scores.parquet")
    found = verify(tmp_path)
    assert {c.file for c in found.problems} == {"scores.parquet"}
    assert {c.reason for c in found.problems} == {f"written by format {FORMAT + 1}, sentences not compared"}
    report = tmp_path / "report.md"
    text = report.read_text()
    report.write_text(text.replace("These numbers describe", "This score tells of"))
    assert ("report.md", "false") in {(c.file, c.verdict) for c in verify(tmp_path).problems}
    report.write_text(text.replace(f"format {FORMAT}, with", f"format {FORMAT - 1}, with"))
    reasons = {(c.file, c.reason) for c in verify(tmp_path).problems}
    assert ("report.csv", f"written by format {FORMAT - 1}, texts not compared") in reasons


def test_a_sentence_of_a_result_in_another_format_is_no_forgery_and_a_changed_number_is(tmp_path):
    spec, rows, options = fixture("weat")
    result = eb.record("weat", spec, tmp_path, data=rows, **options)
    (tmp_path / "results.sqlite").unlink()  # only results.jsonl is there, as in a folder of that format
    (run,) = read_recording(tmp_path / "scores.parquet")
    for changed, verdict in (
        ({"warnings": ("worded otherwise",), "p_method": "reshuffled"}, "not verifiable"),
        ({"ci_low": result.score - 1.5}, "false"),
    ):
        old = dataclasses.replace(result, **changed)
        write_recording([dataclasses.replace(run, result=old, format=1)], tmp_path / "scores.parquet")
        (tmp_path / "results.jsonl").write_text(json.dumps(old.to_dict()) + "\n")
        assert verify(tmp_path).verdict == verdict
    write_recording([dataclasses.replace(run, result=old)], tmp_path / "scores.parquet")
    assert verify(tmp_path).verdict == "false"


def test_a_classifier_that_scored_is_not_loaded_again(tmp_path):
    classifier = saved(tmp_path / "classifier", small_classifier())
    spec, rows, options = fixture("counterfactual_text")
    options |= {"scorers": f"hf:{classifier}#toxic"}
    eb.record("counterfactual_text", spec, tmp_path / "f", data=rows, **options)
    found = verify(tmp_path / "f")
    assert found.verdict == "not verifiable"
    assert found.problems[0].reason.endswith("was not loaded: the recording does not hold what it said")


def test_results_of_an_older_revision_are_to_be_measured_again(tmp_path, monkeypatch):
    spec, rows, options = fixture("weat")
    eb.record("weat", spec, tmp_path, data=rows, **options)
    was = METHODS["weat"].revision
    monkeypatch.setitem(METHODS, "weat", dataclasses.replace(METHODS["weat"], revision=was + 1))
    found = verify(tmp_path)
    assert found.verdict == "not verifiable"
    reasons = {c.reason for c in found.problems}
    assert f"measured by revision {was} of weat, now {was + 1}: measure it again" in reasons
