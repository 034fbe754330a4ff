"""The tab of a kind of data that has no page of its own: a table to fill in or upload, made from the record."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import replace
from typing import Any, Literal, get_args, get_origin

from ..api import measure
from ..errors import InputError
from ..options import Option
from ..registry import MethodRecord
from ..result import Result
from .fields import Field, Values
from .kind_page import Answer, Click, Filler, KindPage, PageSection, PageWording
from .limits import MAX_ROWS
from .rows import (
    ROW_TYPES,
    ExampleRows,
    cells,
    example_rows,
    hold_scores,
    published_rows,
    row_columns,
    rows_from_cells,
    uploaded_rows,
)
from .tab import Tab, quick_options

_NO_MODEL = "none: the table holds scores or answers"
_STATISTICS = ("alternative", "p_method", "ci", "strict")
"""Options that all methods share and no page offers."""
_NUMBERS = ("n_features", "subset_size")
"""Whole numbers whose defaults fit the published words, and not every visitor's."""
_CHARACTER, _AROUND, _LONGEST = 9, 34, 30
_FILLED = 30
"""Rows that the button for the published data fills in, where a model is to be asked about each."""


def variants(record: MethodRecord) -> dict[str, Option]:
    """The options of a method that a page offers: named ways to compute it, and numbers that fit the words.

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
    return get_origin(option.kind) is Literal and all(isinstance(v, str) for v in get_args(option.kind))


def run_rows(record: MethodRecord, model: Any, rows: list[Any], chosen: Mapping[str, Any]) -> Result:
    """Measure rows of a table.

    Raises:
        BiasError: whatever the method raises.
    """
    return measure(record.name, model, data=rows, **quick_options(record), **chosen)


def rows_page(tab: Tab, prefix: str = "rows") -> KindPage:
    """The tab of any kind of data: a table of its columns, with examples, and the method's named variants."""
    record = tab.only
    columns, options, examples = row_columns(record), variants(record), example_rows(record)
    example_cells = cells(record, rows_from_cells(record, columns, cells(record, examples)))

    def measure_rows(click: Click) -> Answer:
        option_values = {name: click.values[name] for name in options}
        chosen = {name: value for name, value in option_values.items() if value is not None}
        path = click.upload
        rows = uploaded_rows(record, path) if path else typed_rows(click.values["table"])
        with click.model() if click.values.get("model") else nullcontext() as model:
            return click.answer(run_rows(record, model, rows, chosen))

    def typed_rows(table: Any) -> list[Any]:
        """The rows of the table, named after what they are of where nobody has changed them."""
        rows = ExampleRows(rows_from_cells(record, *_table(table)))
        if cells(record, rows) == example_cells:
            rows.provenance = examples.provenance
            return rows
        return list(rows)

    def published() -> Values:
        return {"table": cells(record, published_rows(record, _FILLED if record.needs else MAX_ROWS))}

    known = record.data.columns
    optional = f" May be left empty: {', '.join(record.optional_columns)}." if record.optional_columns else ""
    wording = PageWording(
        "rows",
        prefix,
        title=record.title,
        summary=record.summary,
        types=", ".join(ROW_TYPES),
        columns=", ".join(record.columns),
        all_columns=", ".join(columns),
        meanings="; ".join(f"**{c}**: {known[c].text}" for c in columns if known[c].text),
        optional=optional,
        rows=MAX_ROWS,
    )
    none = _NO_MODEL if record.needs_no_model else ""
    model = wording.model(tab, none=none)
    if none and hold_scores(record, examples):
        model = replace(model, value="")
    controls = [_option_field(name, option, wording) for name, option in options.items()]
    table = wording.field(
        "table", widget="table", value=cells(record, examples), more=_shape(columns, examples)
    )
    reads = ["model", "table", "upload", "own", *options]
    filler = Filler(
        button="Fill in rows of the published data",
        elem_id=f"{prefix}-published",
        values=published,
        fills=["table"],
    )
    section = PageSection(
        output=f"{prefix}-output",
        text=wording.help,
        rows=[[table], *wording.upload(ROW_TYPES)],
        measurements=[wording.button("measure", measure_rows, endpoint=tab.endpoint("measure"), reads=reads)],
        fillers=[] if record.data.is_whole else [filler],
    )
    return KindPage(sections=[PageSection(rows=[[model, *controls]]), section])


def _option_field(name: str, option: Option, wording: PageWording) -> Field:
    """The field of an option: a choice among names, or a whole number."""
    label = name.replace("_", " ").capitalize()
    if _is_choice(option):
        return wording.field(name, label=label, value=option.default, choices=get_args(option.kind))
    return wording.field(name, label=label, widget="number", value=option.default, more={"precision": 0})


def _shape(columns: Sequence[str], rows: Sequence[Any]) -> dict[str, Any]:
    """The columns of the table, as gradio asks for them."""
    return {
        "headers": list(columns),
        "column_count": len(columns),
        "column_widths": [_column_width(c, rows) for c in columns],
        "datatype": "str",
    }


def _column_width(column: str, rows: Sequence[Any]) -> str:
    """Pixels for the name of a column and for its longest text; a narrower page scrolls within the table."""
    longest = max(
        len(str(r.get(column, "") if isinstance(r, Mapping) else getattr(r, column, ""))) for r in rows
    )
    return f"{_CHARACTER * max(len(column), min(longest, _LONGEST)) + _AROUND}px"


def _table(table: Any) -> tuple[list[str], list[Any]]:
    """Headers and cells of a table as gradio hands it on."""
    if table is None:
        raise InputError("fill in at least one row of the table")
    return [str(name) for name in table.columns], table.astype(object).values.tolist()
