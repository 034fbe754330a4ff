"""Every kind of data is read alike from CSV with commas, semicolons or tabs, and from frames."""

from __future__ import annotations

import csv
import subprocess
import sys
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet
import pytest

import evaluate_bias as eb
from evaluate_bias.data.model_scores import ModelScore
from evaluate_bias.data.table_files import read_rows
from evaluate_bias.data.templates import load_templates
from evaluate_bias.errors import BiasError, DataError, InputError
from evaluate_bias.registry import METHODS

LOADERS = {record.data.loader: record for record in METHODS.values()}
SOME = 8

UNPACKAGED = {
    "scores": [
        ModelScore(model_name=m, measure=f, score=0.5) for m in ("one", "two") for f in ("weat", "mac")
    ]
}
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


def plain(rows: Any) -> list[dict[str, Any]]:
    return table_of(rows)


@pytest.mark.parametrize("loader", LOADERS)
@pytest.mark.parametrize("how", [",", ";", "\t", "frame", "arrow"])
def test_a_table_holds_what_the_packaged_data_hold(loader: str, how: str, tmp_path: Path) -> None:
    record = LOADERS[loader]
    default = UNPACKAGED.get(record.data.name) or list(record.load_data())[:SOME]
    table = table_of(default)
    columns = list(dict.fromkeys(name for row in table for name in row))
    source: Any
    if how == "frame":
        source = pd.DataFrame(table, columns=columns)
    elif how == "arrow":
        source = pa.Table.from_pylist(table)
    else:
        source = tmp_path / "own.csv"
        with source.open("w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file, delimiter=how)
            writer.writerows([columns, *([cell(row.get(name)) for name in columns] for row in table)])
    found = record.data.load()(source=source)
    assert plain(found) == table
    assert len(found.provenance["sha256"]) == 64


def test_templates_are_read_from_a_frame_with_lists_in_a_cell() -> None:
    own = pd.DataFrame(
        {
            "id": ["a"], "set": ["mine"], "text": ["This is {target}."], "language": ["en"],
            "accepts": ["target:noun;target:adjective"],
        }
    )  # fmt: skip
    (template,) = load_templates("mine", source=own)  # type: ignore[arg-type]
    assert template.accepts["target"] == ("noun", "adjective")


PAIRS = [{"sent_more": -9.0, "sent_less": -9.5 + k % 2, "bias_type": "age"} for k in range(12)]


def test_a_frame_is_measured_as_data_and_as_source() -> None:
    rows, frame, source = (
        eb.measure("pll", None, **given)
        for given in ({"data": PAIRS}, {"data": pd.DataFrame(PAIRS)}, {"source": pd.DataFrame(PAIRS)})
    )
    assert rows == frame == source


def test_predictions_in_a_frame_are_identified_by_their_content() -> None:
    own = pd.DataFrame(table_of(METHODS["tpr_gap"].load_data()))
    frame, source = (eb.measure("tpr_gap", None, **{key: own}) for key in ("data", "source"))
    assert frame == source
    assert frame.score == eb.measure("tpr_gap", None).score
    assert frame.provenance["dataset"]["source"] == "given by the caller"
    other = eb.measure("tpr_gap", None, data=own.iloc[1:])
    assert other.provenance["dataset"]["sha256"] != frame.provenance["dataset"]["sha256"]


def test_words_in_a_frame_are_lists_or_texts_with_semicolons() -> None:
    vectors = {w: [1.0, k / 7] for k, w in enumerate("abcdefgh")} | {"p": [1.0, 0.0], "q": [0.0, 1.0]}
    lists = {"name": ["own"], "x_label": ["tools"], "attributes_a": ["p"], "attributes_b": ["q"]}
    as_text = pd.DataFrame(lists | {"targets_x": ["a;b;c;d"], "targets_y": ["e; f; g; h"]})
    as_lists = pd.DataFrame(lists | {"targets_x": [list("abcd")], "targets_y": [list("efgh")]})
    one, two = (eb.measure("weat", vectors, data=frame) for frame in (as_text, as_lists))
    assert one.score == two.score
    assert one.rows_of("test")[0].labels["x"] == "tools"


def test_a_column_of_row_numbers_is_not_the_users(tmp_path: Path) -> None:
    path = tmp_path / "own.csv"
    pd.DataFrame({"name": ["own"], "targets_x": ["a;b"], "targets_y": ["c;d"]}).to_csv(path)
    record = METHODS["weat"]
    assert record.data.load()(source=path)[0].targets_y == ("c", "d")


@pytest.mark.parametrize(
    ("frame", "told"),
    [
        (pd.DataFrame([[1, 2]]), "need names"),
        (pd.DataFrame([[1, 2]], columns=["id", "id"]), "names a column twice"),
        (pd.DataFrame({"sent_more": []}), "has no rows"),
        (pd.DataFrame({"sent_more": ["a"]}), "has no column sent_less"),
        (pd.DataFrame({"sent_more": [b"\xff"], "sent_less": ["b"]}), "sent_more"),
        (pd.DataFrame({"sent_more": [{"a": [float("nan")]}], "sent_less": ["b"]}), "sent_more"),
        (pd.DataFrame({"x" * 900: ["a"]}), "has no column"),
    ],
)
def test_a_frame_that_does_not_fit_is_a_sentence(frame: pd.DataFrame, told: str) -> None:
    with pytest.raises(BiasError, match=told) as caught:
        eb.measure("pll", None, data=frame)
    assert len(str(caught.value)) <= 600


def test_data_and_source_together_are_refused() -> None:
    frame = pd.DataFrame(PAIRS)
    for given in (
        {"data": frame, "source": frame},
        {"data": PAIRS, "source": frame},
        {"data": frame, "source": "x"},
    ):
        with pytest.raises(InputError, match="give one of them"):
            eb.measure("pll", None, **given)


def test_missing_cells_are_nothing() -> None:
    own = pd.DataFrame({"word": ["nurse"], "women_bls": [0.9], "bls_year": [2015], "women_bergsma": [0.9]})
    own["source"] = pd.array([pd.NA], dtype="string")
    (row,) = METHODS["mlm_gender_score"].data.load()(source=own)
    assert (row.word, row.bls_year, row.source) == ("nurse", 2015, "")


def test_a_broken_csv_names_its_line(tmp_path: Path) -> None:
    path = tmp_path / "own.csv"
    path.write_text("sent_more;sent_less\nShe cooks.;He cooks.;more\n")
    with pytest.raises(DataError, match="line 2: 3 cells, and 2 columns"):
        METHODS["pll"].data.load()(source=path)


@pytest.mark.parametrize("name", ["pairs.jsonl", "pairs.json"])
def test_a_key_of_a_row_that_is_given_twice_is_refused(name: str) -> None:
    row = '{"sent_more": "a", "sent_less": "b", "sent_more": "c"}'
    with pytest.raises(DataError, match=r"pairs\.json.*: the key 'sent_more' is given twice"):
        read_rows((row if name.endswith("l") else f"[{row}]").encode(), name)


@pytest.mark.nightly
def test_a_short_process_that_reads_a_parquet_file_ends_well(tmp_path: Path) -> None:
    """Arrow's threads may outlive a read; pq.read_table aborted one in ten such processes as Python ended."""
    path = tmp_path / "t.parquet"
    pyarrow.parquet.write_table(
        pa.table({str(c): list(range(2000)) for c in range(12)}), path, compression="zstd"
    )
    code = (
        "import sys; from evaluate_bias.data.table_files import parquet_table; from pathlib import Path;"
        "raw = Path(sys.argv[1]).read_bytes(); table = parquet_table(raw); del raw"
    )
    ended = [
        subprocess.run([sys.executable, "-c", code, str(path)], check=False).returncode for _ in range(40)
    ]
    assert ended == [0] * 40
