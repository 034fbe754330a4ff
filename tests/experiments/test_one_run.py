"""Flags and configs are one run over one store: it resumes, and its folder is read by every command."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import yaml

from evaluate_bias.errors import DataError
from evaluate_bias.experiments.sources import read_file, read_results, write_results
from evaluate_bias.experiments.store import STORE_FILE, Store
from evaluate_bias.report.verify import verify
from tests.experiments.test_store import spoil
from tests.hostile.toy import write_toy
from tests.support.command_line import run_app
from tests.support.refusals import refused


def command(*words: object, ok: bool = True):
    done = run_app(*words)
    assert (done.exit_code == 0) == ok, (done.output, done.exception)
    return done


@pytest.fixture
def files(tmp_path):
    write_toy(tmp_path, "first", "second")
    grid = {"models": ["first.txt"], "methods": ["weat", "mac"], "data": ["lists.jsonl"]}
    (tmp_path / "grid.yaml").write_text(yaml.safe_dump(grid))
    return tmp_path


def flags(files: Path, *more: object) -> list[object]:
    chosen = [
        "-m",
        files / "first.txt",
        "--method",
        "weat",
        "--method",
        "mac",
        "--source",
        files / "lists.jsonl",
    ]
    return ["run", *chosen, "-o", files / "out", *more]


def measured(files: Path) -> list[str]:
    """Lines of the logs about units that were measured."""
    logs = sorted((files / "out" / "logs").glob("*.log"))
    return [line for log in logs for line in log.read_text().splitlines() if " measured weat" in line]


@pytest.mark.filterwarnings("ignore::evaluate_bias.experiments.store.DamagedResultWarning")
def test_a_folder_of_a_grid_is_read_by_every_command_without_an_export(files):
    out, base = files / "out", files / "base"
    for folder in (out, base):
        command("run", files / "grid.yaml", "-o", folder)
    (out / "results.jsonl").unlink()  # only a view
    command("report", out)
    command("card", out, "--card", files / "README.md")
    command("trust", out)
    command("compare", out, base)
    command("gate", out, "--against", base, "--margin", "5")
    for name in ("README.md", "evaluate-bias.json", "evaluate-bias.svg"):
        (base / name).write_bytes((files / name).read_bytes())
    assert verify(base).verdict == "true"
    assert verify(out, card=files / "README.md").verdict == "true"  # without the view, from the store
    spoil(out / STORE_FILE, "head = x'00'")
    refused(DataError, "", verify, out)


def test_results_of_a_config_are_added_or_replaced_as_those_of_flags(files):
    out, grid = files / "out", files / "grid.yaml"
    command(*flags(files, "--seed", 1))
    command("run", grid, "-o", out)
    assert len(read_results(out)) == 4
    command("run", grid, "-o", out, "--append")
    assert len(read_results(out)) == 4
    command("run", grid, "-o", out, "--overwrite")
    assert len(read_results(out)) == 2


def test_the_same_command_measures_only_what_is_missing(files):
    command(*flags(files))
    before = json.loads(command(*flags(files, "--json")).stdout)
    assert len(measured(files)) == 1
    assert [r["method"] for r in before] == ["weat", "mac"]
    (files / "first.txt").write_bytes((files / "second.txt").read_bytes())
    command(*flags(files, "--append"))  # another model under the same name
    assert len(measured(files)) == 2
    assert len(read_results(files / "out")) == 2


def test_the_view_is_written_again_where_it_is_not_what_the_store_holds(files):
    command(*flags(files))
    view = files / "out" / "results.jsonl"
    whole = view.read_bytes()
    for other in (whole[: len(whole) // 2], b""):
        view.write_bytes(other)
        assert len(read_results(files / "out")) == 2
        command(*flags(files))
        assert view.read_bytes() == whole


def test_results_from_before_there_was_a_store_are_kept(files):
    command(*flags(files))
    results = read_file(files / "out" / "results.jsonl")
    old = files / "old"
    old.mkdir()
    write_results(results, old / "results.jsonl")
    assert read_results(old) == results
    given = [str(word).replace(str(files / "out"), str(old)) for word in flags(files, "--seed", 1)]
    assert "--append to keep" in str(command(*given, ok=False).exception)
    command(*given, "--append")
    assert read_results(old)[:2] == results == read_file(old / "results.jsonl")[:2]
    assert len(read_results(old)) == 4
    with Store(old, read_only=True) as store:
        assert [unit.options for unit, _ in store.in_order()][:2] == [{"tests": ["toy"]}] * 2
    again = [str(word).replace(str(files / "out"), str(old)) for word in flags(files, "--append")]
    command(*again)
    assert len(read_results(old)) == 4  # measured again, each counts once
    assert (old / STORE_FILE).is_file()
    listed = json.loads(command("results", old, "--json").stdout)
    assert len(listed) == 4  # and is listed once
    assert len(json.loads(command("results", old, "--history", "--json").stdout)) == 6


def test_results_without_a_store_are_replaced_by_the_first_new_one(files):
    out = files / "out"
    command(*flags(files))
    (out / STORE_FILE).unlink()
    command(*flags(files, "--seed", 1, "--overwrite"))
    assert [result.settings["seed"] for result in read_results(out)] == [1, 1]
    assert read_results(out) == read_file(out / "results.jsonl")


@pytest.mark.filterwarnings("ignore::evaluate_bias.experiments.store.DamagedResultWarning")
@pytest.mark.parametrize("spoilt", ["head = x'00'", "unit = '{'", "rows = x'ff'"])
def test_a_damaged_result_that_no_run_plans_is_named_and_its_line_is_kept(files, spoilt):
    out = files / "out"
    command(*flags(files))
    whole = read_file(out / "results.jsonl")
    spoil(out / STORE_FILE, f"{spoilt} WHERE id = 1")
    done = command("run", "-m", files / "first.txt", "--method", "rnd", "--source", files / "lists.jsonl",
                   "-o", out, "--append")  # fmt: skip
    assert "is damaged in the store, and what results.jsonl has of it is kept" in done.stderr
    for results in (read_file(out / "results.jsonl"), read_results(out)):
        assert len(results) == 3
        assert all(result in results for result in whole)
    spoil(out / STORE_FILE, "head = x'00' WHERE id = 3")  # that was taken in, too
    command("run", "-m", files / "second.txt", "--method", "rnd", "--source", files / "lists.jsonl",
            "-o", out, "--append")  # fmt: skip
    assert all(result in read_file(out / "results.jsonl") for result in whole)
