"""The commands of grids: what they print, what they refuse, and their exit codes."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pyarrow.parquet as pq
import pytest
import yaml

from evaluate_bias.errors import BiasError, InputError, MeasurementError
from evaluate_bias.experiments.sources import read_results
from evaluate_bias.experiments.store import STORE_FILE, DamagedResultWarning
from tests.experiments.test_store import spoil
from tests.hostile.toy import write_toy
from tests.support.command_line import run_app

GRID = {
    "models": ["first.txt", "second.txt"],
    "methods": [{"method": "weat", "options": {"ci": "none"}}, {"method": "mac", "options": {"ci": "none"}}],
    "data": ["lists.jsonl"],
}


@pytest.fixture
def grid(tmp_path):
    write_toy(tmp_path, "first", "second")
    return write(tmp_path)


def write(folder: Path, **changes: object) -> Path:
    path = folder / "grid.yaml"
    path.write_text(yaml.safe_dump({**GRID, **changes}))
    return path


def test_plan_run_plan_results(grid, tmp_path):
    out = tmp_path / "out"
    before = run_app("plan", grid, "-o", out, "--json")
    assert before.exit_code == 0
    facts = json.loads(before.stdout)
    assert (facts["runs"], facts["missing"]) == (4, 4)
    shared = facts["models"][0]["shared"]
    assert [(s["data"], s["rows"], [u["method"] for u in s["runs"]]) for s in shared] == [
        ("lists.jsonl", 1, ["weat", "mac"])
    ]
    assert facts["seconds"] > 0
    assert not out.exists(), "a plan writes nothing"
    done = run_app("run", grid, "-o", out)
    assert done.exit_code == 0
    assert "4 runs: 4 measured; " in " ".join(done.stdout.split())
    after = json.loads(run_app("plan", grid, "-o", out, "--json").stdout)
    assert (after["missing"], after["seconds"]) == (0, 0)
    assert "4 runs on 2 models, all there" in " ".join(run_app("plan", grid, "-o", out).stdout.split())
    again = json.loads(run_app("run", grid, "-o", out, "--json").stdout)
    assert (again["measured"], again["already_stored"], again["failed"]) == (0, 4, [])
    listed = json.loads(run_app("results", out, "--json").stdout)
    assert [(r["model"], r["method"]) for r in listed] == [
        ("first.txt", "mac"), ("first.txt", "weat"), ("second.txt", "mac"), ("second.txt", "weat"),
    ]  # fmt: skip


def test_a_plan_of_nothing_says_so(grid, tmp_path):
    alone = tmp_path / "alone.yaml"
    alone.write_text("models: [nothere.txt]\nmethods: [weat]\n")
    planned = run_app("plan", alone)
    assert planned.exit_code == 1
    assert "0 runs on 0 models, nothing to measure" in planned.stdout


def test_a_damaged_result_is_named_and_measured_again(grid, tmp_path):
    out = tmp_path / "out"
    run_app("run", grid, "-o", out)
    before = run_app("results", out, "--json").stdout
    spoil(out / STORE_FILE, "head = x'00' WHERE id = 2")
    with pytest.warns(DamagedResultWarning, match="is ignored: mac on first.txt"):
        assert len(json.loads(run_app("results", out, "--json").stdout)) == 3
    assert json.loads(run_app("plan", grid, "-o", out, "--json").stdout)["missing"] == 1
    done = run_app("run", grid, "-o", out)
    assert "the result was damaged and is measured again: mac on first.txt" in done.stderr
    assert "4 runs: 1 measured, 3 already stored; " in " ".join(done.stdout.split())
    assert run_app("results", out, "--json").stdout == before


def test_filters_comparison_and_exports(grid, tmp_path):
    out = tmp_path / "out"
    run_app("run", grid, "-o", out)
    assert len(json.loads(run_app("results", out, "--method", "we*", "--json").stdout)) == 2
    assert (
        len(json.loads(run_app("results", out, "-m", "first*", "-l", "en", "--seed", 0, "--json").stdout))
        == 2
    )
    shown = run_app("results", out, "--compare").stdout
    assert "first.txt" in shown.replace("\n", "")
    assert "Scores by model" in shown
    for name in ("table.csv", "table.parquet", "results.jsonl", "items.csv", "items.jsonl"):
        items = ("--items",) if name.startswith("items") else ()
        assert run_app("results", out, "--export", tmp_path / name, *items).exit_code == 0
    with (tmp_path / "table.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert [row["method"] for row in rows] == ["mac", "weat", "mac", "weat"]
    table = pq.read_table(tmp_path / "table.parquet").to_pylist()
    assert [f"{row['score']:.9g}" for row in table] == [f"{float(row['score']):.9g}" for row in rows]
    assert [r.method for r in read_results(tmp_path / "results.jsonl")] == ["mac", "weat", "mac", "weat"]
    kinds = [json.loads(line)["kind"] for line in (tmp_path / "items.jsonl").read_text().splitlines()]
    assert kinds.count("overall") == 4
    assert kinds.count("test") == 4
    assert run_app("report", tmp_path / "results.jsonl").exit_code == 0


def test_what_fails_is_told_and_in_the_exit_code(tmp_path):
    write_toy(tmp_path, "first")
    path = write(tmp_path, models=["first.txt", "./none.txt"])
    assert run_app("plan", path).exit_code == 3
    done = run_app("run", path, "-o", tmp_path / "out")
    assert done.exit_code == 3
    told = " ".join(done.output.split())
    assert "error: loading " in told
    assert "no file or folder" in told
    assert "2 measured, 2 failed" in told
    failed = json.loads(run_app("results", tmp_path / "out", "--failed", "--json").stdout)
    assert [(f["kind"], "none.txt" in f["run"]) for f in failed] == [("failed", True)] * 2
    nothing = run_app("run", write(tmp_path, models=["./none.txt"]), "-o", tmp_path / "other")
    assert isinstance(nothing.exception, MeasurementError)
    assert nothing.exit_code == 1


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["run", "grid.yaml", "-o", "out", "--method", "weat"], "a config names everything to measure"),
        (["run", "grid.yaml", "-o", "out", "--workers", "2", "--ray", "auto"], "give one of them"),
        (["run", "grid.yaml", "-o", "out", "--threads", "2"], "it goes with --workers"),
        (["run", "grid.yaml", "-o", "out", "--gpus", "1"], "they go with --ray"),
        (["run", "-m", "x", "--method", "weat", "-o", "out", "--threads", "2"], "it goes with --workers"),
        (["run", "-o", "out"], "run needs --method (see 'evaluate-bias methods') or the config of a grid"),
        (["plan"], "plan needs a config"),
        (["results", "out", "--items"], "--items goes with --export"),
        (["results", "none"], "no results at none; "),
        (["run", "none.yaml", "-o", "out"], "none.yaml cannot be read"),
    ],
)
def test_wrong_use_is_one_sentence(grid, monkeypatch, words, said):
    monkeypatch.chdir(grid.parent)
    outcome = run_app(*words)
    assert isinstance(outcome.exception, BiasError)
    assert said in str(outcome.exception)


def test_exports_of_nothing_and_of_another_kind_are_refused(grid, tmp_path):
    out = tmp_path / "out"
    run_app("run", grid, "-o", out)
    for words, said in (
        (("--export", tmp_path / "x.xlsx"), "write .csv, .jsonl, .parquet, or a folder named eee"),
        (("--export", tmp_path / "x.csv", "--model", "none"), "nothing to export"),
    ):
        outcome = run_app("results", out, *words)
        assert isinstance(outcome.exception, InputError)
        assert said in str(outcome.exception)


def test_a_grid_of_which_nothing_can_be_measured_is_an_error_and_names_no_file(tmp_path):
    write_toy(tmp_path, "first", "second")
    out = tmp_path / "out"
    for _ in range(2):  # the second time, all of it is known from the first
        done = run_app("run", write(tmp_path, methods=["aul"]), "-o", out)
        assert done.exit_code == 1
        assert "results.jsonl" not in done.output
    assert not (out / "results.jsonl").exists()


def test_tables_fit_a_terminal_and_are_whole_elsewhere(tmp_path, grid, monkeypatch):
    name = "google-bert/bert-base-multilingual-cased"
    path, out = write(tmp_path, models=["first.txt", {"model": "second.txt", "name": name}]), tmp_path / "out"
    assert run_app("run", path, "-o", out).exit_code == 0
    for words in (("plan", path), ("results", out), ("results", out, "--compare")):
        monkeypatch.delenv("COLUMNS", raising=False)
        assert name in run_app(*words).stdout
        monkeypatch.setenv("COLUMNS", "80")
        shown = run_app(*words).stdout
        table = [line for line in shown.splitlines() if line[:1] in "┃│"]
        assert len(table) > 2
        assert {len(line) for line in table} == {80}
        assert "lists.jsonl" in shown.replace("\n", "")


def test_failures_of_an_earlier_config_are_history(grid, tmp_path):
    out = tmp_path / "out"
    wrong = {"method": "weat", "options": {"tests": "nonsense"}}
    assert run_app("run", write(tmp_path, methods=[wrong, "mac"]), "-o", out).exit_code == 3
    listed = run_app("results", out, "--failed").stdout
    assert listed.startswith("failed: ")
    assert listed.count("unknown test 'nonsense'") == 1
    assert "  weat on second.txt (lists.jsonl, tests=nonsense)" in listed
    assert run_app("run", write(tmp_path), "-o", out).exit_code == 0
    assert run_app("results", out, "--failed").stdout == "0 runs without a result\n"
    assert "--failed" not in run_app("results", out).stdout
    earlier = run_app("results", out, "--failed", "--history", "--method", "weat").stdout
    assert "failed, not planned by the last run: " in earlier
    assert earlier.endswith("2 runs without a result\n")
