"""Reading and writing results: whole or not at all, and clear about what is wrong with a file."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluate_bias.errors import DataError, OutputError
from evaluate_bias.report.results_io import read_results, write_results, write_text
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


def test_permissions_are_kept_links_followed_and_new_files_follow_the_umask(tmp_path: Path) -> None:
    path, link = tmp_path / "a.md", tmp_path / "link.md"
    write_text(path, "one\r\ntwo\n")
    mask = os.umask(0)
    os.umask(mask)
    assert stat.S_IMODE(path.stat().st_mode) == 0o666 & ~mask
    path.chmod(0o640)
    link.symlink_to(path)
    write_text(link, "three")
    assert link.is_symlink()
    assert path.read_bytes() == b"three"
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


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
        (b"[" * 100_000, "line 1"),
    ],
)
def test_broken_files_name_the_line(tmp_path: Path, content: bytes, message: str) -> None:
    good = weat_result().to_json().encode()
    path = tmp_path / "results.jsonl"
    path.write_bytes(content.replace(b"GOOD", good))
    with pytest.raises(DataError, match=message):
        read_results(path)


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
    ],
)
def test_wrong_fields_are_refused_with_the_line(tmp_path: Path, changes: dict[str, object]) -> None:
    path = tmp_path / "results.jsonl"
    path.write_text(json.dumps(weat_result().to_dict() | changes))
    with pytest.raises(DataError, match="line 1"):
        read_results(path)


def test_newer_schema_tells_to_upgrade(tmp_path: Path) -> None:
    path = tmp_path / "results.jsonl"
    path.write_text(json.dumps(weat_result().to_dict() | {"schema_version": 99}))
    with pytest.raises(DataError, match="upgrade evaluate-bias"):
        read_results(path)


def test_missing_results_tell_how_to_make_them(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="evaluate-bias run"):
        read_results(tmp_path)
