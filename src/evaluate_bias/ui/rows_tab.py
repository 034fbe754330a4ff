"""The tab of a kind of data that has no page of its own: a table to fill in or upload, made from the record."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, get_args, get_origin

from ..api import measure
from ..errors import InputError
from ..options import Option
from ..registry import MethodRecord
from ..result import Result
from .handlers import named_inputs, on_click, wrap_errors
from .limits import MAX_ROWS
from .outcome import result_page
from .rows import (
    ROW_TYPES,
    cells,
    example_rows,
    hold_scores,
    published_rows,
    row_columns,
    rows_from_cells,
    uploaded_rows,
)
from .session import Session
from .tab import Tab, answer, choice, model_box, outputs, upload_boxes, upload_path

__all__ = ["rows_tab", "run_rows", "variants"]

_NO_MODEL = "none: the table holds scores or answers"
_STATISTICS = ("alternative", "p_method", "ci", "strict")
"""Options that all methods share and no page offers."""
_CHARACTER, _AROUND, _LONGEST = 9, 34, 30
_FILLED = 30
"""Rows that the button for the published data fills in, where a model is to be asked about each."""


def variants(record: MethodRecord) -> dict[str, Option]:
    """The options of a method that choose among named ways to compute, without those that all methods share.

    Examples:
        >>> from evaluate_bias.registry import get_method
        >>> list(variants(get_method("analogies")))
        ['solver']
    """
    return {
        name: option
        for name, option in record.options().items()
        if name not in _STATISTICS
        and get_origin(option.kind) is Literal
        and all(isinstance(value, str) for value in get_args(option.kind))
    }


def run_rows(record: MethodRecord, model: Any, rows: list[Any], chosen: Mapping[str, Any]) -> Result:
    """Measure rows of a table.

    Raises:
        BiasError: whatever the method raises.
    """
    return measure(record.name, model, data=rows, **chosen)


def rows_tab(tab: Tab, prefix: str = "rows") -> None:
    """Build the tab inside the page that is being built."""
    import gradio as gr

    assert tab.method is not None
    record = tab.method
    columns = row_columns(record)
    options = variants(record)
    of_models = bool(record.needs)
    examples = example_rows(record)

    def measure_rows(
        session: Session, model: str | None, table: Any, upload: str | None, own: bool, *given: Any
    ) -> tuple[str, dict[str, Any]]:
        *chosen, progress = given
        values = {name: value for name, value in zip(options, chosen, strict=False) if value is not None}
        path = upload_path(own, upload)
        rows = uploaded_rows(record, path) if path else rows_from_cells(record, *_table(table))
        if model:
            with tab.lent(model, progress) as lent:
                result = run_rows(record, lent, rows, values)
        else:
            result = run_rows(record, None, rows, values)
        return answer(session, [result], result_page(result))

    def fill() -> Any:
        return cells(record, published_rows(record, _FILLED if of_models else MAX_ROWS))

    with gr.Row():
        none = _NO_MODEL if record.takes_scores or not of_models else ""
        model = model_box(tab, (), prefix, none=none, visible=of_models)
        if none and hold_scores(record, examples):
            model.value = ""
        controls = [
            choice(
                name.replace("_", " ").capitalize(), f"{prefix}-{name}", get_args(option.kind), option.default
            )
            for name, option in options.items()
        ]
    meanings = [f"**{c}**: {record.data.columns[c].text}" for c in columns if record.data.columns[c].text]
    optional = f" May be left empty: {', '.join(record.optional_columns)}." if record.optional_columns else ""
    gr.Markdown(f"One row each. {'; '.join(meanings)}.{optional}", elem_id=f"{prefix}-columns")
    table = gr.Dataframe(
        cells(record, examples),
        headers=columns,
        column_count=len(columns),
        column_widths=[_column_width(c, examples) for c in columns],
        datatype="str",
        type="pandas",
        interactive=True,
        wrap=True,
        max_height=380,
        label="Rows",
        elem_id=f"{prefix}-table",
    )
    own, upload = upload_boxes(
        "table",
        prefix,
        ROW_TYPES,
        f"A {', '.join(ROW_TYPES)} file with the columns {', '.join(record.columns)}, UTF-8, up to {MAX_ROWS} rows",
    )
    with gr.Row():
        run = gr.Button("Measure these rows", variant="primary", elem_id=f"{prefix}-run")
        published = gr.Button("Fill in rows of the published data", elem_id=f"{prefix}-published")
    output = outputs(f"{prefix}-output")
    published.click(wrap_errors(fill), None, table, api_visibility="private")
    on_click(
        run,
        named_inputs(measure_rows, ["model", "table", "upload", "own", *options]),
        [tab.session, model, table, upload, own, *controls],
        output,
        api_name=tab.endpoint("measure"),
        about=(
            f"{record.title}: {record.summary} 'table' has the columns {', '.join(columns)}, as "
            '{"headers": […], "data": [[…]]}. Returns HTML and the result as data.'
        ),
    )


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
