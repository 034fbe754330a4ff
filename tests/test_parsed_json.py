"""The reader of JSON that strangers wrote: a table of what it accepts and refuses, and its use by every such reader."""

from __future__ import annotations

import contextlib
import json
import math
import sqlite3
import zlib
from pathlib import Path
from typing import Any

import pytest

import evaluate_bias as eb
from evaluate_bias import files
from evaluate_bias.data.table_files import json_values
from evaluate_bias.errors import DataError
from evaluate_bias.experiments.requests import StoredReplies
from evaluate_bias.experiments.sources import read_results
from evaluate_bias.experiments.store import DamagedResultWarning, Store
from evaluate_bias.experiments.unit import unit_of_result
from evaluate_bias.files import DEEPEST_JSON, parsed_json
from evaluate_bias.result import Result
from tests.experiments.test_store import result, spoil

DEEP = "[" * (DEEPEST_JSON + 1) + "]" * (DEEPEST_JSON + 1)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("null", None),
        ('{"a": [1, 2.5, "[[", true]}', {"a": [1, 2.5, "[[", True]}),
        (b'{"a": "\xc3\xa9"}', {"a": "é"}),
        ('"\\u2028"', "\u2028"),
        ("1e308", 1e308),
        ("12345678901234567890", 12345678901234567890),
        (DEEP[1:-1], json.loads(DEEP[1:-1])),
    ],
)
def test_what_is_read(text: str | bytes, value: Any) -> None:
    assert parsed_json(text, "the file") == value


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "not JSON that can be read"),
        ("{'a': 1}", "not JSON that can be read"),
        (b'"\xff"', "not JSON that can be read"),
        (DEEP, "nested more than 40 deep"),
        ('{"a":' * 41 + "1" + "}" * 41, "nested more than 40 deep"),
        ('{"a": 1, "b": {"c": 1, "c": 2}}', "the key 'c' is given twice"),
        ("[NaN]", "NaN is not a finite number"),
        ("[-Infinity]", "-Infinity is not a finite number"),
        ("[1e400]", "1e400 is not a finite number"),
        ("1" * 5000, "Exceeds the limit"),
    ],
)
def test_what_is_refused(text: str | bytes, message: str) -> None:
    with pytest.raises(DataError, match=message) as refused:
        parsed_json(text, "the file")
    assert str(refused.value).startswith("the file")
    assert len(str(refused.value)) < 300


def test_a_text_that_is_too_large_is_refused_before_it_is_parsed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "LARGEST_JSON", 10)
    assert parsed_json("[1, 2, 33]", "the file") == [1, 2, 33]
    with pytest.raises(DataError, match="the file has 11 characters, and at most 10 are read"):
        parsed_json("[1, 2, 333]", "the file")


def test_cells_of_tables_may_be_nan() -> None:
    (row,) = json_values('[{"a": NaN, "b": Infinity}]', "table.json")
    assert math.isnan(row["a"])
    assert row["b"] == math.inf
    with pytest.raises(DataError, match="nested more than 40 deep"):
        json_values(DEEP, "table.json")


@pytest.mark.parametrize("bad", [DEEP, '{"a": 1, "a": 2}'])
def test_every_reader_of_files_refuses_the_same(bad: str, tmp_path: Path) -> None:
    with pytest.raises(DataError):
        Result.from_json(bad)
    lines = tmp_path / "results.jsonl"
    lines.write_text(result().to_json() + "\n" + bad + "\n")
    with pytest.raises(DataError, match=r"results\.jsonl, line 2"):
        read_results(lines)
    with pytest.raises(DataError):
        eb.measure("pll", source=_written(tmp_path / "rows.jsonl", bad))
    raw = zlib.compress(bad.encode())
    with Store(tmp_path / "out") as store:
        store.add(unit_of_result(result()), result(), seconds=0)
        spoil(store.path, f"rows = x'{raw.hex()}'")
        with pytest.warns(DamagedResultWarning, match="contains a damaged result"):
            assert store.results() == []
        replies = StoredReplies(store.path)
        replies["key"] = {"content": {}}
        assert replies.get("key") == {"content": {}}
        with contextlib.closing(sqlite3.connect(store.path, isolation_level=None)) as db:
            db.execute("UPDATE replies SET reply = ?", (raw,))
        assert replies.get("key") is None
        replies.close()


def _written(path: Path, text: str) -> Path:
    path.write_text(text + "\n")
    return path
