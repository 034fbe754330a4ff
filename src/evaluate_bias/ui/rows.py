"""The tab of any kind of data: a table to fill in or upload, made from a method's record, with rows to start with."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, Sequence
from contextlib import nullcontext, suppress
from itertools import groupby
from pathlib import Path
from typing import Any

from ..api import measure
from ..data.kinds import STEREOSET
from ..data.recipes import is_packaged, record_of
from ..data.row_set import choose_places
from ..data.schemas import READY
from ..data.stereoset import LABELS
from ..errors import BiasError, InputError
from ..hub.golden import golden_cases
from ..options import Option
from ..registry import MethodRecord
from ..result import Result
from .form import Answer, Click, Form, Tab, Values, outputs, quick_options
from .guard import MAX_CELL, MAX_ROWS, check_table, uploaded_table

ROW_TYPES = (".csv", ".tsv", ".jsonl", ".xlsx")
_EXAMPLES, _WORDS = 8, 60
"""Rows that a table starts with: sentences or questions, and words, of which a few would say nothing."""
_STAND_INS = {STEREOSET.name: "stereoset_style"}
"""Packaged data of a kind, instead of data that are fetched."""
_NO_MODEL = "none: the table contains scores or answers"
_STATISTICS = ("alternative", "p_method", "ci", "strict")
"""Options that all methods share and no page offers."""
_NUMBERS = ("n_features", "subset_size")
"""Integer options whose defaults fit the published words, but not every visitor's."""
_CHARACTER, _AROUND, _LONGEST = 9, 34, 30
_MAX_ROWS_FILLED = 30
"""Rows that the button for the published data fills in, if a model is to be asked about each."""


def row_columns(record: MethodRecord) -> list[str]:
    """Return the columns of the table: first those that the method needs, then those that it reads if given.

    The options of an item have a column each.
    """
    return [name for column in (*record.columns, *record.optional_columns) for name in _parts(record, column)]


def _parts(record: MethodRecord, column: str) -> Sequence[str]:
    return LABELS if record.data.columns[column].holds == "options" else [column]


def rows_from_cells(
    record: MethodRecord, columns: Sequence[str], table: Sequence[Sequence[Any]]
) -> list[Any]:
    """Return rows for a method from the cells of a table. The column defines what an empty cell means.

    Words are separated by commas or semicolons. A cell that starts with a bracket is read as JSON.

    Raises:
        InputError: rows are missing, or too many, or a cell is too long, or not a number where one is needed.
    """
    texts = [
        ["" if c is None or (isinstance(c, float) and math.isnan(c)) else c for c in row] for row in table
    ]
    filled = [row for row in texts if any(str(c).strip() for c in row)]
    if not filled:
        raise InputError("fill in at least one row of the table")
    check_table(columns, filled, MAX_CELL)
    absent = [column for column in record.columns if column not in columns]
    lacking = [part for column in absent for part in _parts(record, column) if part not in columns]
    if lacking:
        raise InputError(
            f"the table has no column {', '.join(lacking)} (its columns are {', '.join(map(str, columns))[:200]})",
            hint="rename its columns",
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


def _value(record: MethodRecord, column: str, cell: Any, where: str) -> Any:
    """Return what a cell says: an integer if allowed, another number, or its text. An empty cell is ``None``."""
    if isinstance(cell, list | dict):
        return cell
    text = str(cell).strip()
    known = record.data.columns.get(column)
    holds = known.holds if known is not None else "text"
    if not text:
        return "" if column in record.columns and holds in ("text", "sentence", "label") else None
    if text[0] in "[{":
        with suppress(ValueError, RecursionError):
            return json.loads(text)
    if holds in ("words", "numbers"):
        return [word.strip() for word in text.replace(";", ",").split(",") if word.strip()]
    if holds in ("number", "probability", "label") and re.fullmatch(r"[-+]?\d{1,15}", text):
        return int(text)
    if holds in ("number", "probability", "sentence"):
        with suppress(ValueError):
            if math.isfinite(number := float(text)):
                return number
        if holds != "sentence":
            raise InputError(f"{where}: {text[:60]!r} is not a number")
    return text


def cells(record: MethodRecord, rows: Sequence[Any]) -> list[list[str]]:
    """Return rows as the texts of a table, which :func:`rows_from_cells` reads back."""
    known = record.data.columns
    texts = {name for name, column in known.items() if column.holds == "completions"}
    return [[_text(_field(row, c), as_json=c in texts) for c in row_columns(record)] for row in rows]


def _field(row: Any, column: str) -> Any:
    row = row if isinstance(row, Mapping) else row.model_dump()
    options = {o["gold_label"]: o["sentence"] for o in row.get("sentences") or () if column in LABELS}
    return row.get(column, options.get(column))


def _text(value: Any, *, as_json: bool = False) -> str:
    if value is None:
        return ""
    if isinstance(value, Sequence) and not isinstance(value, str):
        if not as_json and all(isinstance(item, str) and not {",", ";"} & set(item) for item in value):
            return ", ".join(value)
        return json.dumps(list(value), ensure_ascii=False)
    return str(value)


class ExampleRows(list[Any]):
    """Rows that a page starts with, and where they come from."""

    provenance: Mapping[str, Any] = {"source": "the worked example of the page"}


def example_rows(record: MethodRecord) -> ExampleRows:
    """Return a few rows to start with, from the method's data set if it is packaged, else from its worked example.

    Methods that ask a chat model start with ready answers if a worked example has some: a small model takes
    minutes to give them. A few rows of predictions or scores, which no model completes, would not be a complete
    input.
    """
    if "chats" in record.needs and hold_scores(record, ready := _golden(record, ready=True)):
        return ready
    note, stand_in = record_of({"source": record.dataset}), _STAND_INS.get(record.data.name)
    if stand_in or (record.needs and note is not None and (note.packaged or is_packaged(note.name))):
        try:
            every = record.load_data(**({"source": stand_in} if stand_in else {}))
            limit = _WORDS if any("embeds" in need for need in record.needs) else _EXAMPLES
            rows = ExampleRows(every[i] for i in choose_places(every, record.data.schema, limit))
            rows.provenance = {**every.provenance, "subset": f"{len(rows)} of {len(every):,} rows"}
        except BiasError:
            rows = ExampleRows()
        filled = [c for c in record.columns if record.data.columns[c].holds != "number"]
        if rows and all(_field(row, column) is not None for row in rows for column in filled):
            return rows
    return _golden(record)


def _golden(record: MethodRecord, *, ready: bool = False) -> ExampleRows:
    """Return the rows of the first worked case that can be put into a table, or of the first one with ready answers."""
    for case in golden_cases(record.name):
        columns = case.get("input")
        if isinstance(columns, dict) and columns and all(isinstance(v, list) for v in columns.values()):
            length = min(len(next(iter(columns.values()))), _EXAMPLES)
            rows = ExampleRows({name: column[i] for name, column in columns.items()} for i in range(length))
            if not ready or hold_scores(record, rows):
                return rows
    return ExampleRows()


def hold_scores(record: MethodRecord, rows: Sequence[Any]) -> bool:
    """True if rows contain precomputed scores in place of sentences, or completions, so that no model is needed."""
    texts = [c for c in record.columns if record.data.columns[c].holds == "sentence"]
    ready = [c for c in record.optional_columns if record.data.columns[c].holds in READY]
    return any(isinstance(_field(row, column), (int, float)) for row in rows for column in texts) or any(
        _field(row, column) for row in rows for column in ready
    )


def variants(record: MethodRecord) -> dict[str, Option]:
    """Return the options of a method that a page offers: named ways to compute it, and numbers that fit the words.

    Examples:
        >>> from evaluate_bias.registry import get_method
        >>> list(variants(get_method("analogies")))
        ['solver']
    """
    return {
        name: option
        for name, option in record.options().items()
        if name in _NUMBERS or (name not in _STATISTICS and _is_choice(option))
    }


def _is_choice(option: Option) -> bool:
    return bool(option.choices) and all(isinstance(v, str) for v in option.choices)


def run_rows(record: MethodRecord, model: Any, rows: list[Any], chosen: Mapping[str, Any]) -> Result:
    """Measure rows of a table.

    Raises:
        BiasError: whatever the method raises.
    """
    return measure(record.name, model, data=rows, **quick_options(record), **chosen)


def rows_tab(tab: Tab, record: MethodRecord, prefix: str = "rows") -> None:
    """Draw the tab of any kind of data: a table of its columns, with examples, and the method's named variants."""
    import gradio as gr

    columns, options, examples = row_columns(record), variants(record), example_rows(record)
    example_cells = cells(record, rows_from_cells(record, columns, cells(record, examples)))

    def measure_rows(click: Click) -> Answer:
        option_values = {name: click.values[name] for name in options}
        chosen = {name: value for name, value in option_values.items() if value is not None}
        path = click.upload
        upload = uploaded_table(Path(path), ROW_TYPES) if path else None
        rows = rows_from_cells(record, *upload) if upload else typed_rows(click.values["table"])
        with click.model() if click.values.get("model") else nullcontext() as model:
            return click.answer(run_rows(record, model, rows, chosen))

    def typed_rows(table: Any) -> list[Any]:
        """Return the rows of the table, named after their source if nobody has changed them."""
        if table is None:
            raise InputError("fill in at least one row of the table")
        rows = ExampleRows(
            rows_from_cells(record, [*map(str, table.columns)], table.astype(object).values.tolist())
        )
        if cells(record, rows) == example_cells:
            rows.provenance = examples.provenance
            return rows
        return list(rows)

    def published() -> Values:
        rows = record.load_data()
        places = choose_places(rows, record.data.schema, _MAX_ROWS_FILLED if record.needs else MAX_ROWS)
        return {"table": cells(record, [rows[i] for i in places])}

    meanings = groupby(columns, lambda column: record.data.columns[column].text)
    optional = f" May be left empty: {', '.join(record.optional_columns)}." if record.optional_columns else ""
    form = Form(
        tab,
        "rows",
        prefix,
        title=record.title,
        summary=record.summary,
        types=", ".join(ROW_TYPES),
        columns=", ".join(record.columns),
        all_columns=", ".join(columns),
        meanings="; ".join(f"**{', '.join(names)}**: {text}" for text, names in meanings if text),
        optional=optional,
        rows=MAX_ROWS,
    )
    with gr.Row() if options else nullcontext():
        none = _NO_MODEL if record.needs_no_model else ""
        form.model(none=none, needless=hold_scores(record, examples))
        for name, option in options.items():
            common = {"label": name, "value": option.default, "info": option.text}
            if _is_choice(option):
                form.field(name, choices=option.choices, **common)
            else:
                form.field(name, "Number", precision=0, **common)
    form.help()
    form.field(
        "table",
        "Dataframe",
        value=cells(record, examples),
        headers=columns,
        column_count=len(columns),
        column_widths=[_column_width(c, examples) for c in columns],
        datatype="str",
    )
    form.upload(ROW_TYPES)
    with gr.Row():
        run = form.button("measure")
        filler = gr.Button(
            "Fill in rows of the published data", variant="secondary", elem_id=f"{prefix}-published"
        )
    form.on_measure(run, "measure", measure_rows, outputs(f"{prefix}-output"), options=options)
    form.on_fill(filler, published, ["table"])


def _column_width(column: str, rows: Sequence[Any]) -> str:
    """Return the pixels for a column's name and its longest text. On a narrower page, the table scrolls."""
    longest = max(len(str(_field(row, column))) for row in rows)
    return f"{_CHARACTER * max(len(column), min(longest, _LONGEST)) + _AROUND}px"
