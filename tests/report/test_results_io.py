"""Reading and writing results: whole or not at all, and clear about what is wrong with a file."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from evaluate_bias.cli.main import app
from evaluate_bias.errors import DataError, InputError, OutputError
from evaluate_bias.experiments.results_file import write_results
from evaluate_bias.experiments.sources import read_results
from evaluate_bias.report.card import card
from evaluate_bias.report.plots import effect_plot
from evaluate_bias.report.write import write_report
from evaluate_bias.result import SCHEMA_VERSION
from tests.report.samples import pairs_result, weat_item, weat_result


def test_round_trip_through_file_and_folder(tmp_path: Path) -> None:
    results = [weat_result(), pairs_result()]
    write_results(results, tmp_path / "deep" / "results.jsonl")
    assert read_results(tmp_path / "deep") == results
    assert read_results(str(tmp_path / "deep" / "results.jsonl")) == results
    assert [p.name for p in (tmp_path / "deep").iterdir()] == ["results.jsonl"]


@given(label=st.text(max_size=20))
def test_any_label_survives(label: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    path = tmp_path_factory.mktemp("io") / "results.jsonl"
    try:
        label.encode("utf-8")
    except UnicodeEncodeError:
        return
    results = [weat_result([weat_item(x=label)])]
    write_results(results, path)
    assert read_results(path) == results


def test_line_separators_inside_strings_do_not_split_lines(tmp_path: Path) -> None:
    results = [weat_result([weat_item(x="a\u2028b\x85c\x0cd")])]
    write_results(results, tmp_path)
    assert read_results(tmp_path) == results


def test_a_failed_write_keeps_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "results.jsonl"
    write_results([weat_result()], path)
    before = path.read_bytes()

    def full_disk(self: Path, target: Path) -> Path:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", full_disk)
    with pytest.raises(OutputError, match="No space left on device"):
        write_results([pairs_result()], path)
    assert path.read_bytes() == before
    assert [p.name for p in tmp_path.iterdir()] == ["results.jsonl"]


def test_target_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(OutputError, match="cannot be written"):
        write_results([weat_result()], tmp_path / "file" / "results.jsonl")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "is empty"),
        (b"\n\n", "is empty"),
        (b"GOOD\n{broken\n", "line 2 is not JSON: .* at column 2"),
        (b"GOOD\n\n[1]\n", "line 3: .*not an object"),
        (b"\xff\xfe\x00", "not UTF-8"),
        (b'{"method": "weat"}\n', "line 1: not a result"),
        (b'{"method": "weat", "weat": NaN}\n', "line 1: NaN is not a number"),
        (b'{"method": "weat", "weat": 1}\n', "line 1: not a complete 'weat' result"),
        (b'{"method": "weat", "weat": 1, "weat": 0}\n', "line 1: the key 'weat' is given twice"),
        (b"[" * 100_000, "line 1: it is nested more than 40 deep"),
        (b'{"a":' * 5000 + b"1" + b"}" * 5000, "line 1: it is nested more than 40 deep"),
        (b'{"method": "weat", "weat": ' + b"1" * 5000 + b"}", "line 1 holds a number of more digits than"),
    ],
)
def test_broken_files_name_the_line(tmp_path: Path, content: bytes, message: str) -> None:
    good = weat_result().to_json().encode()
    path = tmp_path / "results.jsonl"
    path.write_bytes(content.replace(b"GOOD", good))
    with pytest.raises(DataError, match=message):
        read_results(path)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"weat": -2.5}, "score of 'overall' is -2.5, and its range is -2 to 2"),
        ({"weat": 2.00001}, "and its range is -2 to 2"),
        ({"ideal": 3}, "ideal of 'overall' is 3, and its range is -2 to 2"),
        ({"score_range": [None, 0.5]}, "is 0.75, and its range is −∞ to 0.5"),
        ({"coverage": {"found": 9, "asked": 1}}, "coverage of 'overall' is 9 of 1"),
        ({"coverage": 5.0}, "coverage must hold 'found' and 'asked', not 5.0"),
        ({"settings": 5}, "settings must map names to values, not 5"),
        ({"rows": 5}, "a field is missing, unknown or of another type"),
        (
            {"rows": [weat_item().to_dict() | {"score": 9.0}]},
            "score of 'weat6' is 9, and its range is -2 to 2",
        ),
    ],
)
def test_what_no_result_can_have_is_refused(changes: dict[str, object], message: str, tmp_path: Path) -> None:
    stored = weat_result(score=0.75, score_range=(-2.0, 2.0), ideal=0.4).to_dict()
    (tmp_path / "results.jsonl").write_text(json.dumps(stored))
    assert len(read_results(tmp_path)) == 1
    (tmp_path / "results.jsonl").write_text(json.dumps(stored | changes))
    with pytest.raises(DataError, match=message):
        read_results(tmp_path)


@pytest.mark.parametrize(
    "changes",
    [
        {"schema_version": SCHEMA_VERSION + 1},
        {"schema_version": "2"},
        {"weat": None},
        {"ideal": None},
        {"weat": 10**400},
        {"rows": [1, 2]},
        {"rows": [{"name": "a", "kind": "test"}]},
        {"rows": [{"name": "a", "kind": "sum", "score": 1}]},
        {"schema_version": 1, "items": [1, 2]},
        {"coverage": None},
        {"coverage": []},
        {"skipped": [{"word": "x"}]},
        {"score_range": 3},
        {"p_value": "small"},
        {"n": None},
        {"n": -5},
        {"ties": -1},
        {"n_tested": 2.5},
        {"p_value": 5},
        {"p_low": -0.1},
        {"ci_level": 1.5},
        {"ci_level": 0},
        {"ci_low": 2, "ci_high": 1},
        {"score_range": [2, -2]},
        {"direction": "sideways"},
        {"coverage": {"found": -1, "asked": 3}},
        {"ci_method": 5},
        {"warnings": [5]},
        {"skipped": [{"item": "x", "reason": 7}]},
        {"rows": [{"name": "a", "kind": "test", "score": 1, "p_holm": 1.01}]},
        {"rows": [{"name": "a", "kind": "test", "score": 1, "n": -1}]},
        {"rows": [{"name": 5, "kind": "test", "score": 1}]},
        {"rows": [{"name": "a", "kind": "test", "score": 1, "labels": [1]}]},
        {"rows": [{"name": "a", "kind": "test", "score": 1, "estimates": {"d": {"value": 1, "p": -1}}}]},
        {
            "rows": [
                {
                    "name": "a",
                    "kind": "test",
                    "score": 1,
                    "estimates": {"d": {"value": 1, "low": 2, "high": 1}},
                }
            ]
        },
        {"rows": [{"name": "a", "kind": "test", "score": 1e300}]},
        {"weat": -7},
        {"rows": [{"name": "a", "kind": "test", "score": 1, "details": [1]}]},
        {"details": {"x" * 5000: float("inf")}},
        {"provenance": ["a"]},
        {"settings": "abc"},
        {"method": ["weat"]},
        {"estimates": {"d": 5}},
    ],
)
def test_wrong_fields_are_refused_with_the_line(tmp_path: Path, changes: dict[str, object]) -> None:
    path = tmp_path / "results.jsonl"
    path.write_text(json.dumps(weat_result().to_dict() | changes))
    with pytest.raises(DataError, match="line 1") as caught:
        read_results(path)
    assert len(str(caught.value)) <= 600


def test_a_pipe_or_folder_is_refused_and_never_waited_for(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    (tmp_path / "results.jsonl").mkdir()
    for call in (
        lambda: read_results(pipe),
        lambda: read_results(tmp_path),
        lambda: write_results([weat_result()], pipe),
        lambda: card(weat_result(), pipe),
    ):
        with pytest.raises(InputError, match="is a (named pipe|folder), not a file"):
            call()
    (tmp_path / "card").mkdir()
    os.mkfifo(tmp_path / "card" / "evaluate-bias.svg")
    with pytest.raises(InputError, match=r"evaluate-bias\.svg is a named pipe"):
        card(weat_result(), tmp_path / "card")
    os.mkfifo(tmp_path / "report.md")
    with pytest.raises(InputError, match=r"report\.md is a named pipe"):
        write_report([weat_result()], tmp_path)
    assert stat.S_ISFIFO(pipe.stat().st_mode)


def test_what_is_read_with_a_bad_number_is_no_traceback_at_the_command(tmp_path: Path) -> None:
    path = tmp_path / "results.jsonl"
    path.write_text(json.dumps(weat_result().to_dict() | {"p_value": 5}))
    told = CliRunner().invoke(app, ["report", str(path)])
    assert isinstance(told.exception, DataError)
    assert "p_value is 5: a p-value lies between 0 and 1" in str(told.exception)


def test_a_picture_that_is_killed_half_way_leaves_the_old_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every picture is drawn in memory and put in its place in one step."""
    stem = tmp_path / "plot"
    before = [p.read_bytes() for p in effect_plot([weat_result()], stem)]

    def killed(self: Path, target: Path) -> Path:
        raise KeyboardInterrupt

    monkeypatch.setattr(Path, "replace", killed)
    with pytest.raises(KeyboardInterrupt):
        effect_plot([weat_result([weat_item("weat7", 0.5)])], stem)
    assert [stem.with_suffix(s).read_bytes() for s in (".svg", ".png")] == before
    assert sorted(p.name for p in tmp_path.iterdir()) == ["plot.png", "plot.svg"]


def test_newer_schema_tells_to_upgrade(tmp_path: Path) -> None:
    path = tmp_path / "results.jsonl"
    path.write_text(json.dumps(weat_result().to_dict() | {"schema_version": 99}))
    with pytest.raises(DataError, match="upgrade evaluate-bias"):
        read_results(path)


def test_missing_results_tell_how_to_make_them(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="evaluate-bias run"):
        read_results(tmp_path)


@pytest.mark.parametrize(
    "name", ["report.md", "report.tex", "report.csv", "effect_sizes.svg", "words/weat9.png"]
)
def test_a_report_that_cannot_be_written_whole_is_not_begun(name: str, tmp_path: Path) -> None:
    (tmp_path / name).parent.mkdir(exist_ok=True)
    os.mkfifo(tmp_path / name)
    with pytest.raises(InputError, match="named pipe"):
        write_report([weat_result()], tmp_path)
    assert [p for p in tmp_path.rglob("*") if not p.is_dir()] == [tmp_path / name]


def test_a_store_without_results_is_told_how_to_make_them(tmp_path):
    (tmp_path / "results.sqlite").touch()
    with pytest.raises(DataError, match=r"\S+results\.sqlite: make them with 'evaluate-bias run'") as refused:
        read_results(tmp_path)
    assert len(str(refused.value)) <= 600
