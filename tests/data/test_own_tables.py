"""Every kind of data is read alike from CSV with commas, semicolons or tabs, and from frames."""

from __future__ import annotations

import csv
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet
import pytest

import evaluate_bias as eb
from evaluate_bias.data import table_files
from evaluate_bias.data.predictions import ModelScore
from evaluate_bias.data.stereoset import load_token_sets
from evaluate_bias.data.table_files import read_rows
from evaluate_bias.data.templates import load_templates
from evaluate_bias.errors import BiasError, DataError
from evaluate_bias.registry import METHODS
from tests.support.refusals import refusals, refused

LOADERS = {record.data.loader: record for record in METHODS.values()}
SOME = 8

UNPACKAGED = {"scores": [ModelScore(model_name=m, measure="weat", score=0.5) for m in ("one", "two")]}
"""Kinds of data of which nothing is packaged."""


def table_of(rows: Any) -> list[dict[str, Any]]:
    """The rows as a table has them: a cell is a value, and the options of an item have a column each."""
    dicts = [row.model_dump() for row in rows]
    for row in dicts:
        for option in row.pop("sentences", ()):
            row[option["gold_label"]] = option["sentence"]
    return dicts


def cell(value: Any) -> str:
    if isinstance(value, (list, tuple)):
        return ";".join(map(str, value))
    return "" if value is None else str(value)


@pytest.mark.parametrize("loader", LOADERS)
def test_a_table_holds_what_the_packaged_data_hold(loader, tmp_path):
    record = LOADERS[loader]
    less = {"categories": "Age"} if "categories" in record.data.options else {}
    table = table_of(UNPACKAGED.get(record.data.name) or list(record.load_data(**less))[:SOME])
    columns = list(dict.fromkeys(name for row in table for name in row))
    sources: list[Any] = [pd.DataFrame(table, columns=columns), pa.Table.from_pylist(table)]
    for delimiter, name in ((",", "comma"), (";", "semicolon"), ("\t", "tab")):
        sources.append(tmp_path / f"{name}.csv")
        with sources[-1].open("w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file, delimiter=delimiter)
            writer.writerows([columns, *([cell(row.get(name)) for name in columns] for row in table)])
    for source in sources:
        found = record.data.load()(source=source)
        assert table_of(found) == table
        assert len(found.provenance["sha256"]) == 64


def test_templates_are_read_from_a_frame_with_lists_in_a_cell():
    own = pd.DataFrame(
        {
            "id": ["a"], "set": ["mine"], "text": ["This is {target}."], "language": ["en"],
            "accepts": ["target:noun;target:adjective"],
        }
    )  # fmt: skip
    (template,) = load_templates("mine", source=own)
    assert template.kinds_of("target") == ("noun", "adjective")


def test_rows_without_a_name_are_called_by_their_position():
    rows = [{"text": "She BLANK.", "stereotypical": "cooks; knits", "anti_stereotypical": "works"}] * 2
    items = load_token_sets(pd.DataFrame(rows))
    assert [(item.id, item.stereotypical) for item in items] == [(i, ("cooks", "knits")) for i in ("0", "1")]


PAIRS = [{"sent_more": -9.0, "sent_less": -9.5 + k % 2, "bias_type": "age"} for k in range(12)]


def test_a_frame_is_measured_as_data_and_as_source():
    rows, frame, source = (
        eb.measure("pll", None, **given)
        for given in ({"data": PAIRS}, {"data": pd.DataFrame(PAIRS)}, {"source": pd.DataFrame(PAIRS)})
    )
    assert frame == source
    assert frame.provenance["dataset"]["sha256"]
    of_rows, of_frame = (
        {**result.to_dict(), "provenance": {**result.provenance, "dataset": None}} for result in (rows, frame)
    )
    assert of_rows == of_frame


def test_a_column_of_row_numbers_is_not_the_users(tmp_path):
    pd.DataFrame({"name": ["own"], "targets_x": ["a;b"], "targets_y": ["c;d"]}).to_csv(tmp_path / "own.csv")
    assert METHODS["weat"].data.load()(source=tmp_path / "own.csv")[0].targets_y == ("c", "d")


test_a_frame_that_does_not_fit_is_a_sentence = refusals(
    lambda frame: eb.measure("pll", None, data=frame),
    (pd.DataFrame([[1, 2]]), None, "must have names"),
    (pd.DataFrame([[1, 2]], columns=["id", "id"]), None, "names a column twice"),
    (pd.DataFrame({"sent_more": []}), None, "has no rows"),
    (pd.DataFrame({"sent_more": ["a"]}), "columns", "has no column sent_less"),
    (pd.DataFrame({"sent_more": [b"\xff"], "sent_less": ["b"]}), None, "sent_more"),
    (pd.DataFrame({"sent_more": [{"a": [float("nan")]}], "sent_less": ["b"]}), None, "sent_more"),
    (pd.DataFrame({"x" * 900: ["a"]}), "columns", "has no column .* \\(its columns are x{30}\\);"),
    error=BiasError,
)


@pytest.mark.parametrize("name", ["pairs.jsonl", "pairs.json"])
def test_a_key_of_a_row_that_is_given_twice_is_refused(name):
    row = '{"sent_more": "a", "sent_less": "b", "sent_more": "c"}'
    with pytest.raises(DataError, match=r"pairs\.json.*: the key 'sent_more' is given twice"):
        read_rows((row if name.endswith("l") else f"[{row}]").encode(), name)


@pytest.mark.parametrize("name", ["pairs.csv", "pairs.xlsx", "pairs.parquet"])
def test_a_table_that_is_or_unfolds_to_too_much_is_refused_by_its_size(tmp_path, monkeypatch, name):
    frame = pd.DataFrame({"sent_more": ["She cooks."] * 2_000, "sent_less": ["He cooks."] * 2_000})
    path = tmp_path / name
    write = {".csv": frame.to_csv, ".xlsx": frame.to_excel, ".parquet": frame.to_parquet}[path.suffix]
    write(path, index=False)
    assert len(read_rows(path.read_bytes(), name)) == 2_000
    # More than the packed files have, and less than their rows.
    limit = 30_000 if name == "pairs.csv" else path.stat().st_size + 1
    monkeypatch.setattr(table_files, "MAX_BYTES", limit)
    monkeypatch.setattr(table_files, "MAX_VALUES", 3_999)
    refused(DataError, "a table at most .*; give a part of its rows", eb.measure, "pll", None, source=path)


def test_cells_are_counted_before_rows_are_made(monkeypatch):
    monkeypatch.setattr(table_files, "MAX_VALUES", 6)
    commas = b'a,b\n"1, 2, 3, 4, 5, 6, 7",x\n'
    assert read_rows(commas, "a.csv") == [{"a": "1, 2, 3, 4, 5, 6, 7", "b": "x"}]
    # Nor are columns looked at before: the second row is one cell short.
    refused(DataError, r"^a.csv has 7 values, and a table at most", read_rows, b"a,b\n1\n2,3\n4,5\n", "a.csv")
