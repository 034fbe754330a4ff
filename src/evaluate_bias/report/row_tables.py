"""Tables of results: a data frame, Markdown and CSV, and the narrow one of a single result in a notebook."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from html import escape
from typing import TYPE_CHECKING

from ..registry import METHODS
from ..result import Result
from ..text import plain_p, spreadsheet
from .data_facts import data_titles
from .escape import html_list, html_table, markdown
from .lines import ALL_TESTS, DECIDED, ReportRow, declared_secondary, method_title, score_name, score_scale
from .numbers import ci_cell, estimate_cell, score_text
from .reading import Readable, Reading, RowReading, as_readings, found_means, read

if TYPE_CHECKING:
    import pandas as pd


def summary_frame(results: Readable) -> pd.DataFrame:
    """Return the results as a data frame: one line per test, or the overall score and one line per group.

    Several tests of one result come after a line of all of them together, ``"all tests"``.

    Args:
        results: any number of results, of any methods and models, or their readings.

    Returns:
        Columns ``method``, ``test``, ``label``, ``model``, ``score``, ``ci_low``, ``ci_high``, ``p_value``,
        ``p_low``, ``p_high``, ``p_holm`` and ``p_bh`` (adjusted over the tests of one result), ``p_holm_all`` and
        ``p_bh_all`` (over all results on one model), ``n``, ``coverage`` (a share in [0, 1]) and
        ``ideal``; then ``ties`` where a method counts them, and secondary values of the methods, such as ``lms`` and
        ``icat``, with their intervals in ``lms_low`` and ``lms_high``. Missing numbers are ``NaN``.

    Examples:
        >>> from evaluate_bias.result import Result, Row
        >>> row = Row(name="weat7", kind="test", score=1.5, ci_low=0.9, ci_high=1.8, p_value=0.0157)
        >>> result = Result(method="weat", score=1.5, score_range=(-2, 2), direction="two_sided", ideal=0,
        ...                 n=16, rows=[row])
        >>> summary_frame([result])[["test", "score", "ci_low", "ci_high", "p_value"]].values.tolist()
        [['weat7', 1.5, 0.9, 1.8, 0.0157]]
    """
    import pandas as pd

    lines = [row.published for row in all_rows(as_readings(results))]
    scores = ("score", "ci_low", "ci_high", "p_value", "p_low", "p_high")
    names = (*scores, "p_holm", "p_bh", "p_holm_all", "p_bh_all")
    texts = {"method": "method", "test": "name", "label": "label", "model": "model"}
    numbers: dict[str, list[float | None]] = {name: [getattr(r, name) for r in lines] for name in names}
    numbers["n"] = [r.n for r in lines]
    numbers["coverage"] = [None if r.coverage is None else r.coverage.share for r in lines]
    numbers["ideal"] = [r.ideal for r in lines]
    if any(DECIDED in r.estimates for r in lines):
        numbers["ties"] = [r.ties if DECIDED in r.estimates else None for r in lines]
    numbers |= _secondary_numbers(lines)
    columns = {k: pd.Series([getattr(r, v) for r in lines], dtype="object") for k, v in texts.items()}
    columns |= {k: pd.Series(v, dtype="Int64" if k == "n" else "float64") for k, v in numbers.items()}
    return pd.DataFrame(columns)


def to_csv(results: Readable) -> str:
    """Return :func:`summary_frame` as CSV with all digits.

    Text that a spreadsheet would run as a formula gets an apostrophe in front; numbers are left alone.
    """
    frame = summary_frame(results)
    for column in ("method", "test", "label", "model"):
        frame[column] = [spreadsheet(str(cell)) for cell in frame[column]]
    return frame.to_csv(index=False, lineterminator="\n")


def to_markdown(results: Readable) -> str:
    """Return the results as a Markdown table with notes on how to read it, and the secondary values in tables below.

    Args:
        results: any number of results, or their readings.

    Examples:
        >>> from evaluate_bias.result import Result, Row
        >>> row = Row(name="weat7", kind="test", score=1.5, ci_low=0.9, ci_high=1.8, p_value=0.0157)
        >>> result = Result(method="weat", score=1.5, score_range=(-2, 2), direction="two_sided", ideal=0,
        ...                 n=16, rows=[row])
        >>> print(to_markdown([result]).splitlines()[2])
        | weat7 | found | 1.50 | [0.90, 1.80] | .016 | — | — | 0 |
    """
    readings = as_readings(results)
    rows = all_rows(readings)
    parts = [_markdown_table(rows, table_columns(rows), notes(readings))]
    for title, chosen, columns, below in secondary_tables(rows):
        parts.append(f"**{markdown(title)}**\n\n{_markdown_table(chosen, columns, below)}")
    return "\n".join(parts)


def all_rows(readings: Sequence[Reading]) -> list[RowReading]:
    """Return the rows of all readings."""
    return [row for reading in readings for row in reading.rows]


def _markdown_table(rows: Sequence[RowReading], columns: Sequence[_Column], notes: Sequence[str]) -> str:
    table = [
        [title for title, _ in columns],
        ["---" if title in TEXT_COLUMNS else "---:" for title, _ in columns],
        *([_markdown_cell(title, cell(r)) for title, cell in columns] for r in rows),
    ]
    text = (f"| {' | '.join(cells)} |" for cells in table)
    return "\n".join([*text, "", *(f"- {markdown(note)}" for note in notes), ""])


_Column = tuple[str, Callable[[RowReading], str]]
"""Title and cell writer."""

CELLS: dict[str, Callable[[RowReading], str]] = {
    "method": lambda r: r.line.method,
    "test": lambda r: r.name,
    "verdict": lambda r: r.word,
    "compared": lambda r: r.line.label,
    "model": lambda r: r.line.model,
    "score": lambda r: score_text(r.line),
    "interval": lambda r: ci_cell(r.line),
    "p": lambda r: plain_p(r.line.p_value),
    "p_holm": lambda r: plain_p(r.line.p_adjusted),
    "n": lambda r: "—" if r.line.n is None else str(r.line.n),
    "ties": lambda r: str(r.line.ties) if DECIDED in r.line.estimates else "—",
    "with_ties": lambda r: r.with_ties or "—",
    "coverage": lambda r: f"{c.found}/{c.asked}" if (c := r.line.coverage) else "—",
    "ideal": lambda r: f"{r.line.ideal:.4g}",
}
"""What tables show of a row, in this order."""

WITH_TIES = "with ties"
"""Heading of the published scores of a method that counts ties, with their ideals in brackets."""

TEXT_COLUMNS = ("method", "test", "verdict", "what is compared", "model")


def secondary_tables(
    rows: Sequence[RowReading],
) -> Iterator[tuple[str, list[RowReading], list[_Column], list[str]]]:
    """Title, rows, columns and notes of one table per method, of the secondary values that its record declares."""
    for method in dict.fromkeys(r.line.method for r in rows):
        own = [r for r in rows if r.line.method == method]
        if not (shown := declared_secondary([r.line for r in own])):
            continue
        columns: list[_Column] = [("test", lambda r: r.name)]
        if len({r.line.model for r in rows}) > 1:
            columns.append(("model", lambda r: r.line.model))
        columns += [(s.title, partial(secondary_cell, s.key)) for s in shown]
        having = [r for r in own if any(s.key in r.line.estimates for s in shown)]
        below = [f"{s.title}: {s.meaning}" for s in shown]
        yield f"Secondary values of {method_title(method)}", having, columns, below


def secondary_cell(key: str, row: RowReading) -> str:
    """Return the cell of a secondary value."""
    return estimate_cell(row.line.estimates.get(key), key)


def _secondary_numbers(lines: Sequence[ReportRow]) -> dict[str, list[float | None]]:
    """Columns of numbers for every secondary value that a line has, under its key."""
    columns: dict[str, list[float | None]] = {}
    for place, line in enumerate(lines):
        shares = [DECIDED] if DECIDED in line.estimates else []
        for name in (*shares, *(s.key for s in declared_secondary([line]))):
            flat = dataclasses.replace(line.estimates[name], p=None).flat(name)
            for key, value in flat.items():
                columns.setdefault(key, [None] * len(lines))[place] = value
    return columns


def table_columns(rows: Sequence[RowReading]) -> list[_Column]:
    """Titles and cell writers of a table for people, without columns that would be empty, but for the interval's."""
    lines = [row.line for row in rows]
    level = one_level(lines)

    def interval(row: RowReading) -> str:
        cell = CELLS["interval"](row)
        return cell if level is not None or cell == "—" else f"{100 * row.line.ci_level:g}%: {cell}"

    shown = {
        "method": len({r.method for r in lines}) > 1,
        "compared": any(r.label for r in lines),
        "model": len({r.model for r in lines}) > 1,
        "p_holm": any(r.p_adjusted is not None for r in lines),
        "ties": any(r.ties for r in lines),
        "with_ties": any(row.with_ties for row in rows),
    }
    heading = "CI" if level is None else f"{100 * level:g}% CI"
    titles = {
        "compared": "what is compared",
        "interval": heading,
        "p_holm": "p (Holm)",
        "with_ties": WITH_TIES,
    }
    cells = CELLS | {"interval": interval}
    return [(titles.get(key, key), cell) for key, cell in cells.items() if shown.get(key, True)]


def one_level(lines: Sequence[ReportRow]) -> float | None:
    """Return the level of the intervals, ``None`` where there are none or several."""
    levels = {r.ci_level for r in lines if r.ci_low is not None}
    return levels.pop() if len(levels) == 1 else None


def _markdown_cell(title: str, cell: str) -> str:
    return markdown(cell) if title in TEXT_COLUMNS else cell.replace("*", r"\*").replace("<", "&lt;")


def notes(readings: Sequence[Reading]) -> list[str]:
    """Return what a reader must know to read the table rightly, one sentence or two a note."""
    out = []
    lines = [row.line for row in all_rows(readings)]
    for method in dict.fromkeys(r.result.method for r in readings):
        record = METHODS.get(method)
        first = next(r.result for r in readings if r.result.method == method)
        own = [r for r in lines if r.method == method]
        name = f"{record.title}, {score_name(own[-1])}" if record else method
        interpretation = record.interpretation if record else f"{first.direction_text.capitalize()}."
        out.append(f"{name}: from {score_scale(own)}. {interpretation}")
        if record and record.aggregation and any(r.headline for r in own):
            out.append(f"{ALL_TESTS} of {record.title}: {record.aggregation}")
    if sources := data_titles([r.result for r in readings]):
        out.append(f"Data: {'; '.join(sources).removesuffix('.')}.")
    models = sorted({r.model for r in readings})
    if len(models) == 1:
        out.append(f"Model: {models[0]}.")
    out.append(found_means(readings))
    if any(r.ties for r in lines):
        out.append("ties: units of n that count for neither side.")
    if any(row.with_ties for row in all_rows(readings)):
        out.append(
            "with ties: the published score, which counts ties as not preferred, and its ideal in brackets."
        )
    out.append("coverage: what could be scored, of what was asked for.")
    return out


_MOST_ROWS = 50
"""Of one result in a notebook."""


def row_cells(reading: Reading) -> list[dict[str, str]]:
    """Return the rows of a reading as cells by heading: name, verdict, score, interval, p-values and n."""
    lines = [row.line for row in reading.rows]
    columns = {
        "": "test",
        "verdict": "verdict",
        "score": "score",
        f"{100 * reading.result.ci_level:g}% CI": "interval",
        "p": "p",
        **({"p (Holm)": "p_holm"} if any(line.p_adjusted is not None for line in lines) else {}),
        "n": "n",
        **({WITH_TIES: "with_ties"} if any(row.with_ties for row in reading.rows) else {}),
        **({"ideal": "ideal"} if len({line.ideal for line in lines if not line.headline}) > 1 else {}),
        **({"compared": "compared"} if any(line.label for line in lines) else {}),
    }
    return [{title: CELLS[key](row) for title, key in columns.items()} for row in reading.rows]


def result_html(result: Result) -> str:
    """Return what a notebook shows of a result."""
    reading = read(result)
    rows = row_cells(reading)
    left = len(rows) - _MOST_ROWS
    more = f"<p>… and {left} more in <code>.rows</code></p>" if left > 0 else ""
    notes = [*reading.remarks, *result.warnings]
    coverage = f"coverage {result.coverage.found} of {result.coverage.asked}"
    lead = f"<p><b>{escape(reading.title)}</b> on {escape(reading.model)}: {escape(reading.word)}<br>"
    return (
        f"<div>{lead}{escape(reading.finding)}<br>{escape(result.direction_text)}; {coverage}</p>{html_list(notes)}"
        f"{html_table(rows[0], (row.values() for row in rows[:_MOST_ROWS]))}"
        f"{more}<p>{escape(found_means([reading]))}</p></div>"
    )
