"""Records of Every Eval Ever: what they say of scores, and their own validator on those of all kept results."""

from __future__ import annotations

import json
import os
import subprocess
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from evaluate_bias.errors import InputError
from evaluate_bias.experiments.sources import write_results
from evaluate_bias.integrations.every_eval_ever import every_eval_ever_files
from evaluate_bias.report.card.subject import renamed
from evaluate_bias.result import Result
from tests.readings.surfaces import CASES, result
from tests.report.samples import pairs_result, weat_result
from tests.support.command_line import run_app

NOW = datetime(2026, 11, 28, tzinfo=UTC)


def records(*results: Result) -> dict[str, Any]:
    files, _ = every_eval_ever_files(results, lambda: NOW)
    return {path: json.loads(text) for path, text in files.items()}


@pytest.fixture(scope="module")
def all_records():
    """Records of every kept result that can be entered."""
    made: dict[str, Any] = {}
    for case in CASES:
        try:
            made |= records(*renamed([result(case)], f"org/{case}"))
        except InputError:
            continue
    return made


def test_every_record_says_what_a_reader_must_know(all_records):
    assert len(all_records) > 8
    directions = set()
    for path, record in all_records.items():
        assert path.startswith(f"data/evaluate-bias/{record['model_info']['id']}/")
        assert record["retrieved_timestamp"] == str(int(NOW.timestamp()))
        entries = record["evaluation_results"]
        names = {json.dumps([e["evaluation_name"], e["metric_config"]]) for e in entries}
        assert len(names) == len(entries) > 0
        for entry in entries:
            metric, score = entry["metric_config"], entry["score_details"]
            details = score["details"]
            assert all(isinstance(value, str) for value in details.values())
            directions.add(details["direction"])
            both_sides = details["direction"] == "two_sided"
            value, ideal = (
                float(details["score"]),
                float(details.get("expected_by_chance", details.get("ideal"))),
            )
            assert score["score"] == (abs(value - ideal) if both_sides else value)
            is_lower_better = both_sides or details["direction"] == "higher_is_more_biased"
            assert metric["lower_is_better"] is is_lower_better
            assert (
                float(metric["min_score"]) <= score["score"] <= float(metric["max_score"])
            )  # "Infinity" too
            if interval := score["uncertainty"].get("confidence_interval"):
                assert interval["lower"] <= interval["upper"]
                ends = (float(details["ci_low"]), float(details["ci_high"]))
                inside = [x for x in (*ends, ideal) if ends[0] <= x <= ends[1]]
                distances = [abs(x - ideal) for x in inside] if both_sides else ends
                assert (interval["lower"], interval["upper"]) == (min(distances), max(distances))
    assert directions >= {"two_sided", "higher_is_more_biased", "higher_is_more_robust"}


def test_a_record_holds_the_results_of_one_model_and_keeps_its_path():
    both = [*renamed([pairs_result()], "org/a"), weat_result(model="org/a"), weat_result(model="org/b")]
    first, second = records(*both), records(*both)
    assert first == second
    (record,) = records(*renamed([result("weat_several_tests")], "org/a")).values()
    mean_size, *tests = (one["metric_config"]["metric_id"] for one in record["evaluation_results"])
    assert (mean_size, {*tests}) == ("evaluate-bias.weat", {"evaluate-bias.weat.distance"})
    assert [len(one["evaluation_results"]) for one in first.values()] == [6, 5]
    changed = replace(both[2], score=0.76)
    assert records(changed).keys() != records(both[2]).keys()
    (path,) = records(weat_result(model="org/b@v1"))
    assert path.startswith("data/evaluate-bias/org/b/")
    for name in ("../b", "org/..", "org/b@up/../.."):
        with pytest.raises(InputError, match="names models DEVELOPER/NAME"):
            every_eval_ever_files([weat_result(model=name)])
    (record,) = records(weat_result(model="org/b", score_range=(None, 2.0))).values()
    assert record["evaluation_results"][0]["metric_config"]["max_score"] == "Infinity"


def test_the_command_writes_them_and_names_what_is_left_out(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_results([weat_result(model="org/glove"), pairs_result()], tmp_path / "results.jsonl")
    done = run_app("results", "results.jsonl", "--export", "eee")
    assert done.exit_code == 0, done.output
    (path,) = Path("eee").rglob("*.json")
    assert str(path) in done.output.replace("\n", "")
    assert "note: bert-base-uncased is not entered: Every Eval Ever names models" in done.output
    for arguments, message in (
        (["--model", "bert*"], "bert-base-uncased is not entered"),
        (["--model", "none"], "there is nothing to export"),
        (["--items"], "--items goes with --export FILE"),
    ):
        done = run_app("results", "results.jsonl", "--export", "eee", *arguments)
        assert isinstance(done.exception, InputError)
        assert message in str(done.exception)


def test_illustrative_data_are_not_entered():
    with pytest.raises(InputError, match="bbq on bbq_style is not entered: the data are illustrative"):
        every_eval_ever_files(renamed([result("bbq_illustrative")], "org/a"))
    with pytest.raises(InputError, match="pll on .* is not entered: too few items for any finding"):
        every_eval_ever_files(renamed([result("pll_too_few")], "org/a"))


@pytest.mark.nightly
def test_their_validator_takes_all(all_records, tmp_path):
    if not Path(python := os.environ.get("EEE_PYTHON", "")).is_file():
        pytest.skip(
            "needs every-eval-ever, on Python 3.12, in an environment that EEE_PYTHON names: make test-nightly"
        )
    for path, record in all_records.items():
        (tmp_path / path).parent.mkdir(parents=True)
        (tmp_path / path).write_text(json.dumps(record))
    code = """
import json, pathlib, sys, jsonschema, every_eval_ever
schema = json.loads((pathlib.Path(every_eval_ever.__file__).parent / "schemas" / "eval.schema.json").read_text())
checker = jsonschema.Draft7Validator(schema)
files = sorted(pathlib.Path(sys.argv[1]).rglob("*.json"))
errors = [e.message for f in files for e in checker.iter_errors(json.loads(f.read_text()))]
print(json.dumps([schema["version"], errors]))
"""
    by_schema = subprocess.run(
        [python, "-c", code, str(tmp_path)], capture_output=True, text=True, check=True
    )
    assert json.loads(by_schema.stdout) == ["0.3.0", []]
    pattern = str(tmp_path / "data" / "*" / "*" / "*" / "*.json")
    command = [python, "-m", "every_eval_ever", "validate", "--format", "json", pattern]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    found = json.loads(done.stdout)
    assert [(f["file"], f["errors"], f["warnings"]) for f in found if f["errors"] or f["warnings"]] == []
    assert (done.returncode, len(found)) == (0, len(all_records))
