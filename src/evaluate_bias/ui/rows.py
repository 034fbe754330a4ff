"""Rows of any kind of data as a table of texts: read from a table or a file, and example rows to start with."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ..data.kinds import READY
from ..data.recipes import is_packaged, record_of
from ..errors import BiasError, InputError
from ..hub.golden import golden_cases
from ..registry import MethodRecord
from .limits import MAX_CELL, check_table
from .uploads import uploaded_table

ROW_TYPES = (".csv", ".tsv", ".jsonl", ".xlsx")
_EXAMPLES, _WORDS = 8, 60
"""Rows that a table starts with: of sentences or questions, and of words, of which few say nothing."""


def row_columns(record: MethodRecord) -> list[str]:
    """The columns of the table: those that the method needs, then those that it reads where they are given."""
    return [*record.columns, *record.optional_columns]


def rows_from_cells(
    record: MethodRecord, columns: Sequence[str], table: Sequence[Sequence[Any]]
) -> list[Any]:
    """Rows for a method from the cells of a table; what an empty cell means, the column says.

    Words are separated by commas or semicolons; what starts with a bracket is read as JSON.

    Raises:
        InputError: there is no row, or too many, or a cell is too long or no number where one is needed.
    """
    filled = [
        row for row in ([_cell_text(c) for c in row] for row in table) if any(str(c).strip() for c in row)
    ]
    if not filled:
        raise InputError("fill in at least one row of the table")
    check_table(columns, filled, MAX_CELL)
    if lacking := [c for c in record.columns if c not in columns]:
        raise InputError(
            f"the table has no column {', '.join(lacking)}; it has {', '.join(map(str, columns))[:200]}"
        )
    rows = []
    for number, row in enumerate(filled, 1):
        known = {}
        for column, cell in zip(columns, row, strict=False):
            value = _value(record, str(column), cell, f"row {number}, {column}")
            if value is not None:
                known[str(column)] = value
        rows.append(known)
    return rows


def _cell_text(cell: Any) -> Any:
    """A cell; the empty text for what tables hold where there is nothing."""
    return "" if cell is None or (isinstance(cell, float) and not math.isfinite(cell)) else cell


def _value(record: MethodRecord, column: str, cell: Any, where: str) -> Any:
    """What a cell says; ``None`` for nothing."""
    if isinstance(cell, list | dict):
        return cell
    text = str(cell).strip()
    known = record.data.columns.get(column)
    holds = known.holds if known is not None else "text"
    if not text:
        return "" if column in record.columns and holds in ("text", "sentence", "label") else None
    if text[0] in "[{":
        try:
            return json.loads(text)
        except (ValueError, RecursionError):
            pass
    if holds in ("words", "numbers"):
        return [word.strip() for word in text.replace(";", ",").split(",") if word.strip()]
    if holds in ("number", "probability", "label", "sentence"):
        return _number(text, str(holds), where)
    return text


def _number(text: str, holds: str, where: str) -> Any:
    """A whole number, where one may stand; another number; else the text where the column may hold one."""
    if holds != "sentence" and re.fullmatch(r"[-+]?\d{1,15}", text):
        return int(text)
    if holds == "label":
        return text
    try:
        number = float(text)
    except ValueError:
        if holds in ("number", "probability"):
            raise InputError(f"{where}: {text[:60]!r} is not a number") from None
        return text
    return number if math.isfinite(number) else text


def uploaded_rows(record: MethodRecord, path: str | Path) -> list[Any]:
    """Rows for a method from a visitor's CSV, TSV, JSON Lines or Excel file.

    Raises:
        DataError: it is too large or too long, not UTF-8, or no table.
        InputError: a column is lacking, or a cell is not what its column holds.
    """
    return rows_from_cells(record, *uploaded_table(Path(path), ROW_TYPES))


def cells(record: MethodRecord, rows: Sequence[Any]) -> list[list[str]]:
    """Rows as the texts of a table, which :func:`rows_from_cells` reads back."""
    known = record.data.columns
    texts = {name for name, column in known.items() if column.holds == "completions"}
    return [[_text(_field(row, c), as_json=c in texts) for c in row_columns(record)] for row in rows]


def _field(row: Any, column: str) -> Any:
    return row.get(column) if isinstance(row, Mapping) else getattr(row, column, None)


def _text(value: Any, *, as_json: bool = False) -> str:
    if value is None:
        return ""
    if isinstance(value, Sequence) and not isinstance(value, str):
        if not as_json and all(isinstance(item, str) and not {",", ";"} & set(item) for item in value):
            return ", ".join(value)
        return json.dumps([_plain(item) for item in value], ensure_ascii=False)
    return str(value)


def _plain(item: Any) -> Any:
    return item.model_dump() if hasattr(item, "model_dump") else item


class ExampleRows(list[Any]):
    """Rows that a page starts with, and what they are of."""

    provenance: Mapping[str, Any] = {"source": "the worked example of the page"}


def example_rows(record: MethodRecord) -> ExampleRows:
    """A few rows to start with: of the method's data set where it is packaged, else of its worked example.

    Methods that ask a chat model start with ready answers where a worked example has some: a small model takes minutes
    to give them. A few rows of predictions or scores, which no model completes, would not make a whole.
    """
    if "chats" in record.needs and hold_scores(record, ready := _golden(record, ready=True)):
        return ready
    note = record_of({"source": record.dataset})
    if record.needs and note is not None and (note.packaged or is_packaged(note.name)):
        try:
            rows = _spread(record.load_data(), record)
        except BiasError:
            rows = ExampleRows()
        filled = [c for c in record.columns if record.data.columns[c].holds != "number"]
        if rows and all(_field(row, column) is not None for row in rows for column in filled):
            return rows
    return _golden(record)


def _spread(rows: Any, record: MethodRecord) -> ExampleRows:
    """A few rows from the first to the last, so that not all are of one group.

    Sentences made of templates and pairs of people are those of the first template and pair: so many belong together.
    """
    crossed = hasattr(rows[0], "template") and hasattr(rows[0], "pair")
    examples = (
        [r for r in rows if (r.template, r.pair) == (rows[0].template, rows[0].pair)] if crossed else rows
    )
    limit = _WORDS if crossed or any("embeds" in need for need in record.needs) else _EXAMPLES
    n = len(examples)
    chosen = ExampleRows([examples[i * n // limit] for i in range(limit)] if n > limit else examples)
    chosen.provenance = {**rows.provenance, "part": f"{len(chosen)} of {len(rows):,} rows"}
    return chosen


def _golden(record: MethodRecord, *, ready: bool = False) -> ExampleRows:
    """The rows of the first worked case that can be put into a table, or of the first one with ready answers."""
    for case in golden_cases(record.name):
        columns = case.get("input")
        if isinstance(columns, dict) and columns and all(isinstance(v, list) for v in columns.values()):
            length = min(len(next(iter(columns.values()))), _EXAMPLES)
            rows = ExampleRows({name: column[i] for name, column in columns.items()} for i in range(length))
            if not ready or hold_scores(record, rows):
                return rows
    return ExampleRows()


def hold_scores(record: MethodRecord, rows: Sequence[Any]) -> bool:
    """Whether rows hold ready scores where sentences may stand, or completions, so that no model is needed."""
    texts = [c for c in record.columns if record.data.columns[c].holds == "sentence"]
    ready = [c for c in record.optional_columns if record.data.columns[c].holds in READY]
    return any(isinstance(_field(row, column), (int, float)) for row in rows for column in texts) or any(
        _field(row, column) for row in rows for column in ready
    )


def published_rows(record: MethodRecord, limit: int) -> list[Any]:
    """The first rows of the method's default data set.

    Raises:
        BiasError: it cannot be obtained.
    """
    rows = record.load_data()
    return [rows[i] for i in range(min(limit, len(rows)))]
