"""Tables of results: a data frame, Markdown and CSV, and the narrow one of a single result."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterator, Mapping, Sequence
from html import escape
from itertools import repeat
from operator import methodcaller
from typing import TYPE_CHECKING, Any

from ..method_record import Secondary
from ..registry import METHODS
from ..result import Result, option_order
from ..text import one_line, plain_p
from .data_facts import data_titles
from .escape import html_list, markdown
from .lines import (
    ALL_TESTS,
    SCORE_WITHOUT_TIES,
    ReportRow,
    declared_secondary,
    method_title,
    score_name,
    score_scale,
)
from .numbers import ci_cell, estimate_cell, score_text
from .reading import Readable, Reading, RowReading, as_readings, read, significance_note
from .score_matrix import distinguishing_names, distinguishing_suffixes
from .table import Cell, Table, TableColumn, table_of

if TYPE_CHECKING:
    import pandas as pd

_TEXTS = {"method": "method", "test": "name", "label": "label", "model": "model"}
"""Columns of text for programs, with what a row calls them."""
_NUMBERS = ("score", "ci_low", "ci_high", "p_value", "p_error", "p_holm", "p_bh")
_OF_MODEL = ("p_holm_all", "p_bh_all")


def summary_frame(results: Readable) -> pd.DataFrame:
    """Return the results as a data frame: one line per test, or the overall score and one line per group.

    Several tests of one result come after a line of all of them together, ``"all tests"``.

    Args:
        results: any number of results, of any methods and models, or their readings.

    Returns:
        Columns ``method``, ``test``, ``label``, ``model``, ``score``, ``ci_low``, ``ci_high``, ``p_value``,
        ``p_error``, ``p_holm`` and ``p_bh`` (adjusted over the tests of one result), ``p_holm_all`` and
        ``p_bh_all`` (over all results on one model), ``n``, ``coverage`` (a share in [0, 1]), ``ideal``
        and ``expected_by_chance``. After these come ``ties``, if a method counts them, and secondary values, such as
        ``lms`` and ``icat``, with their intervals in ``lms_low`` and ``lms_high``. Missing numbers are ``NaN``.

    Examples:
        >>> from evaluate_bias.result import Result, Row
        >>> row = Row(name="weat7", kind="test", score=1.5, ci_low=0.9, ci_high=1.8, p_value=0.0157)
        >>> result = Result(method="weat", score=1.5, score_range=(-2, 2), direction="two_sided", ideal=0,
        ...                 n=16, rows=[row])
        >>> summary_frame([result])[["test", "score", "ci_low", "ci_high", "p_value"]].values.tolist()
        [['weat7', 1.5, 0.9, 1.8, 0.0157]]
    """
    import pandas as pd

    table = _program_table(as_readings(results))
    kinds = {"n": "Int64"} | dict.fromkeys(_TEXTS, "object")
    columns = zip(*table.values(), strict=True) if table.rows else repeat(())
    by_title = zip(table.titles, columns, strict=False)
    return pd.DataFrame({k: pd.Series(list(v), dtype=kinds.get(k, "float64")) for k, v in by_title})


def to_csv(results: Readable) -> str:
    """Return :func:`summary_frame` as CSV with all digits.

    Text that a spreadsheet would run as a formula gets an apostrophe in front. Numbers are left alone.
    """
    return _program_table(as_readings(results)).to_csv()


def _program_table(readings: Sequence[Reading]) -> Table[Mapping[str, Any]]:
    """Return what programs read: every number with all its digits, scores as their papers define them."""
    lines = [row.published for row in all_rows(readings)]
    names = distinguishing_names(lines)
    ties = any(SCORE_WITHOUT_TIES in line.row.estimates for line in lines)
    rows = [{**_program_row(line, ties=ties), "test": name} for line, name in zip(lines, names, strict=True)]
    titles = dict.fromkeys(
        [
            *_TEXTS,
            *_NUMBERS,
            *_OF_MODEL,
            "n",
            "coverage",
            "ideal",
            "expected_by_chance",
            *(key for row in rows for key in row),
        ]
    )
    return Table(
        [TableColumn(title, methodcaller("get", title), title not in _TEXTS) for title in titles], rows
    )


def _program_row(line: ReportRow, *, ties: bool) -> dict[str, Any]:
    """Return texts and numbers of a line, then each secondary value that its method declares, with its interval."""
    row = {title: getattr(line, name) for title, name in _TEXTS.items()}
    row |= {name: getattr(line.row, name) for name in _NUMBERS}
    row |= {name: getattr(line, name) for name in _OF_MODEL} | {"n": line.row.n}
    row |= {
        "coverage": None if line.row.coverage is None else line.row.coverage.share,
        "ideal": line.result.ideal if line.row.ideal is None else line.row.ideal,
    }
    row |= {"expected_by_chance": line.ideal if line.by_chance else None}
    decided = [SCORE_WITHOUT_TIES] if SCORE_WITHOUT_TIES in line.row.estimates else []
    if ties:
        row["ties"] = float(line.row.ties) if decided else None
    for key in (*decided, *(s.key for s in declared_secondary([line]))):
        flat = dataclasses.replace(line.row.estimates[key], p=None).flat(key)
        row |= {name: None if value is None else float(value) for name, value in flat.items()}
    return row


def program_rows(readings: Sequence[Reading]) -> list[dict[str, Any]]:
    """Return the rows of :func:`summary_frame` as dicts, without what is missing."""
    lines = [row.published for row in all_rows(readings)]
    rows = (_program_row(line, ties=SCORE_WITHOUT_TIES in line.row.estimates) for line in lines)
    return [{key: value for key, value in row.items() if value is not None} for row in rows]


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
        | weat7 | 1.50 | \\[0.90, 1.80] | significant | .016 | — | — | 0 |
    """
    readings = as_readings(results)
    rows = all_rows(readings)
    parts = []
    for table in (score_table(rows, notes(readings)), *secondary_tables(rows)):
        title = f"**{markdown(table.title)}**\n\n" if table.title else ""
        parts.append(
            "\n".join([f"{title}{table.to_markdown()}", "", *(f"- {markdown(n)}" for n in table.notes), ""])
        )
    return "\n".join(parts)


def all_rows(readings: Sequence[Reading]) -> list[RowReading]:
    """Return the rows of all readings."""
    return [row for reading in readings for row in reading.rows]


WITH_TIES = "with ties"
"""Heading of the published scores of a method that counts ties, with their ideals in brackets."""

COLUMNS: Mapping[str, TableColumn[RowReading]] = {
    "method": TableColumn("method", lambda r: r.line.method),
    "test": TableColumn("test", lambda r: r.name),
    "model": TableColumn("model", lambda r: r.line.model),
    "score": TableColumn("score", lambda r: score_text(r.line.row), True),
    "interval": TableColumn("CI", lambda r: ci_cell(r.line.row), True),
    "conclusion": TableColumn("conclusion", lambda r: r.word),
    "p": TableColumn("p", lambda r: plain_p(r.line.row.p_value), True),
    "p_holm": TableColumn("p (Holm)", lambda r: plain_p(r.line.p_adjusted), True),
    "n": TableColumn("n", lambda r: "—" if r.line.row.n is None else r.line.row.n, True),
    "ties": TableColumn(
        "ties", lambda r: r.line.row.ties if SCORE_WITHOUT_TIES in r.line.row.estimates else "—", True
    ),
    "with_ties": TableColumn(WITH_TIES, lambda r: r.with_ties or "—", True),
    "coverage": TableColumn(
        "coverage", lambda r: f"{c.found}/{c.asked}" if (c := r.line.row.coverage) else "—", True
    ),
    "ideal": TableColumn("ideal", lambda r: f"{'chance: ' * r.line.by_chance}{r.line.ideal:.4g}", True),
    "other_models": TableColumn("other models", lambda r: r.other_models or "—"),
    "compared": TableColumn("what is compared", lambda r: r.line.label),
}
"""What tables show of a row, in an order in which the scores are in view on the screen of a phone."""


def score_table(rows: Sequence[RowReading], notes: Sequence[str] = ()) -> Table[RowReading]:
    """Return the table of all scores for people, without columns that would be empty, but for the interval's."""
    lines = [row.line for row in rows]
    confidence_level = one_level(lines)

    def interval(row: RowReading) -> str:
        cell = ci_cell(row.line.row)
        return (
            cell
            if confidence_level is not None or cell == "—"
            else f"{100 * row.line.result.confidence_level:g}%: {cell}"
        )

    results = list({id(line.result): line.result for line in lines}.values())
    suffixes = dict(zip(map(id, results), distinguishing_suffixes(results), strict=True))
    is_shown = {
        "method": len({r.method for r in lines}) > 1 or any(suffixes.values()),
        "compared": any(r.label for r in lines),
        "model": len({r.model for r in lines}) > 1,
        "p_holm": any(r.p_adjusted is not None for r in lines),
        "ties": any(r.row.ties for r in lines),
        "with_ties": any(row.with_ties for row in rows),
        "other_models": any(row.other_models for row in rows),
    }
    heading = "CI" if confidence_level is None else f"{100 * confidence_level:g}% CI"
    columns = {
        **COLUMNS,
        "method": TableColumn("method", lambda r: f"{r.line.method}{suffixes[id(r.line.result)]}"),
        "interval": TableColumn(heading, interval, True),
    }
    return Table([column for key, column in columns.items() if is_shown.get(key, True)], rows, notes=notes)


def secondary_tables(rows: Sequence[RowReading]) -> Iterator[Table[RowReading]]:
    """Yield a table per method of the secondary values that its record declares."""
    for method in dict.fromkeys(r.line.method for r in rows):
        method_rows = [r for r in rows if r.line.method == method]
        if not (secondary_values := declared_secondary([r.line for r in method_rows])):
            continue
        models = [COLUMNS["model"]] if len({r.line.model for r in rows}) > 1 else []
        columns = [names_column("test", method_rows), *models, *map(secondary_column, secondary_values)]
        having = [r for r in method_rows if any(s.key in r.line.row.estimates for s in secondary_values)]
        below = [f"{s.title}: {s.meaning}" for s in secondary_values]
        yield Table(columns, having, f"Secondary values of {method_title(method)}", below)


def names_column(title: str, rows: Sequence[RowReading]) -> TableColumn[RowReading]:
    """Return the column of names that tell these rows apart."""
    names = distinguishing_names([row.line for row in rows])
    name_of = dict(zip(map(id, rows), names, strict=True))
    return TableColumn(title, lambda row: name_of[id(row)])


def secondary_column(value: Secondary) -> TableColumn[RowReading]:
    """Return the column of a secondary value."""

    def cell(row: RowReading) -> str:
        return estimate_cell(row.line.row.estimates.get(value.key), value.key)

    return TableColumn(value.title, cell, True)


def one_level(lines: Sequence[ReportRow]) -> float | None:
    """Return the level of the intervals, ``None`` without intervals or with several levels."""
    levels = {r.result.confidence_level for r in lines if r.row.ci_low is not None}
    return levels.pop() if len(levels) == 1 else None


def notes(readings: Sequence[Reading]) -> list[str]:
    """Return what a reader must know to read the table rightly, one sentence or two a note."""
    out = []
    lines = [row.line for row in all_rows(readings)]
    for method in dict.fromkeys(r.result.method for r in readings):
        record = METHODS.get(method)
        results = [r.result for r in readings if r.result.method == method]
        method_lines = [r for r in lines if r.method == method]
        name = f"{record.title}, {score_name(method_lines[-1])}" if record else method
        meanings = dict.fromkeys(
            record.interpretation_of(result.score_range)
            if record
            else f"{result.direction_text.capitalize()}."
            for result in results
        )
        out.append(f"{name}: from {score_scale(method_lines)}. {' '.join(meanings)}")
        if record and record.aggregation and any(r.headline for r in method_lines):
            out.append(f"{ALL_TESTS} of {record.title}: {record.aggregation}")
    if sources := data_titles([r.result for r in readings]):
        out.append(f"Data: {'; '.join(sources).removesuffix('.')}.")
    models = sorted({r.model for r in readings})
    if len(models) == 1:
        out.append(f"Model: {models[0]}.")
    out.append(significance_note(readings))
    for reading in readings:
        if clause := option_order(reading.result.details):
            out.append(f"no test, {reading.title}, {reading.model}: {clause}.")
    if any(r.row.ties for r in lines):
        out.append("ties: items of n that count for neither side.")
    if any(row.with_ties for row in all_rows(readings)):
        out.append(
            "with ties: the published score, which counts ties as not preferred, and its ideal in brackets."
        )
    if any(row.other_models for row in all_rows(readings)):
        out.append("other models: published scores by the same method, data and settings.")
    out.append("coverage: what could be scored, of what was asked for.")
    return out


def item_table(result: Result) -> Table[Sequence[Cell]] | None:
    """Return the items of a result, or what its tests are made of, ``None`` if it has neither.

    Examples:
        >>> from evaluate_bias.result import Row
        >>> rows = [Row(name="1", kind="item", labels={"bias_type": "age"}, details={"delta": 0.5})]
        >>> result = Result(method="pll", score=60, score_range=(0, 100), direction="two_sided", ideal=50, n=1,
        ...                 rows=rows)
        >>> table = item_table(result)
        >>> table.titles, table.rows
        (['name', 'bias_type', 'delta'], [('1', 'age', 0.5)])
    """
    flat = [_flat(row.flat()) for row in result.rows_of("item")]
    if not flat:
        record = METHODS.get(result.method)
        key = record.units.list if record is not None and record.units is not None else ""
        flat = [
            {"test": row.name, **_flat(unit)}
            for row in result.rows_of("test")
            for unit in (row.details.get(key) or () if key else ())
            if isinstance(unit, Mapping)
        ]
    if not flat:
        return None
    columns = tuple(dict.fromkeys(key for line in flat for key in line))
    return table_of(columns, [tuple(line.get(c) for c in columns) for line in flat])


def flattened(facts: Mapping[str, Any], before: str = "") -> Iterator[tuple[str, Any]]:
    """Yield names and values of nested facts in one list. Each name is preceded by the names above it."""
    for key, value in facts.items():
        name = f"{before}{one_line(str(key))}"
        if isinstance(value, Mapping):
            yield from flattened(value, f"{name}.")
        else:
            yield name, value


def _flat(line: Mapping[str, Any]) -> dict[str, Cell]:
    """Return nested facts as cells: what is not a number becomes text on one line."""
    out: dict[str, Cell] = {}
    for name, value in flattened(line):
        if value is None or isinstance(value, (bool, int, float)):
            out[name] = value
        else:
            out[name] = one_line(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False))
    return out


_MOST_ROWS = 50
"""Of one result in a notebook."""


def result_table(reading: Reading, heading: str = "", most: int | None = None) -> Table[RowReading]:
    """Return the narrow table of one result, for a terminal or a notebook: at most so many rows.

    ``heading`` is the heading of the column with the names of the rows.
    """
    lines = [row.line for row in reading.rows]
    is_shown = {
        "p_holm": any(line.p_adjusted is not None for line in lines),
        "with_ties": any(row.with_ties for row in reading.rows),
        "ideal": len({line.ideal for line in lines if not line.headline}) > 1,
        "compared": any(line.label for line in lines),
    }
    titles = {
        "test": heading,
        "interval": f"{100 * reading.result.confidence_level:g}% CI",
        "compared": "compared",
    }
    keys = ("test", "conclusion", "score", "interval", "p", "p_holm", "n", "with_ties", "ideal", "compared")
    columns = [
        dataclasses.replace(COLUMNS[key], title=titles.get(key, COLUMNS[key].title))
        for key in keys
        if is_shown.get(key, True)
    ]
    return Table(columns, reading.rows[:most])


def result_html(result: Result) -> str:
    """Return what a notebook shows of a result."""
    reading = read(result)
    n_more = len(reading.rows) - _MOST_ROWS
    more = f"<p>… and {n_more} more in <code>.rows</code></p>" if n_more > 0 else ""
    notes = [*reading.remarks, *result.warnings]
    coverage = f"coverage {result.coverage.found} of {result.coverage.asked}"
    lead = f"<p><b>{escape(reading.title)}</b> on {escape(reading.model)}: {escape(reading.word)}<br>"
    return (
        f"<div>{lead}{escape(reading.finding)}<br>{escape(result.direction_text)}; {coverage}</p>{html_list(notes)}"
        f"{result_table(reading, most=_MOST_ROWS).to_html()}"
        f"{more}<p>{escape(significance_note([reading]))}</p></div>"
    )
