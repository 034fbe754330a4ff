"""How every page shows what may be said of a result: sentence, tiles, tables and pictures, and what to know of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from markupsafe import Markup

from ..registry import get_method
from ..report.data_facts import caveats
from ..report.lines import SCORE_WITHOUT_TIES, declared_secondary, list_names
from ..report.numbers import ci_cell, estimate_cell, procedure, score_text
from ..report.reading import Reading, found_means, read
from ..report.row_tables import WITH_TIES, result_table, secondary_column
from ..result import Result
from ..text import plain_p
from .data_parts import data_parts
from .parts import (
    EmbeddedPicture,
    Folded,
    Note,
    Part,
    ScrollTable,
    Tile,
    Tiles,
    minus,
    picture,
    short,
    show,
    table_part,
)

_SHOWN = 20
"""Skipped things that are named; the others are counted."""


def result_page(result: Result, rows: Sequence[Any] = ()) -> Markup:
    """A result of any method: what was found, of what; what its data alone show; and what all results have.

    Args:
        result: the result.
        rows: the data that were measured, of which pairs are shown in full.
    """
    reading = read(result)
    alone = [row.line for row in reading.parts if len(reading.rows) == 1]  # several stand in a table
    tests = [f"{r.name} ({r.label})" if any(list_names(r.row)) else r.name for r in alone]
    left_out = [f"{s.item} ({s.reason})" for s in result.skipped]
    if len(left_out) > _SHOWN:
        left_out[_SHOWN:] = [f"and {len(left_out) - _SHOWN} more"]
    return show(
        Note(reading.finding, "finding"),
        Note(f"{reading.title} of {reading.model}. Data: {', '.join((*tests, reading.data))}."),
        *map(Note, reading.remarks),
        score_tiles(reading),
        *data_parts(reading, rows),
        _secondary_table(reading),
        *rows_table(reading),
        *_pictures(result),
        Note(f"Not scored or merged: {', '.join(left_out)}." if left_out else ""),
        *(Note(w, "warning") for w in result.warnings),
        Folded("Know before you quote it", [Note(caveat) for caveat in caveats(result)], "caveats"),
    )


def score_tiles(reading: Reading) -> Tiles:
    """Score, interval, p-value and coverage of a result."""
    result, line = reading.result, reading.head.line
    record = get_method(result.method)
    name, means = record.name_of(line.score_range), record.interpretation
    # Several tests with signs are taken together by their absolute values.
    if record.aggregation and (record.direction, result.direction) == ("two_sided", "higher_is_more_biased"):
        name, means = f"mean absolute {name}", record.aggregation
    low, high = line.score_range
    scale = f"{short(low, '−')} to {short(high)}, ideal {short(line.ideal)}"
    tiles = [Tile(name, minus(score_text(line.row)), f"range {scale}", means)]
    if line.row.ci_low is not None:
        tip = f"A narrow interval is more certain than a wide one. Computed by {procedure(result.ci_method)}."
        tiles.append(
            Tile(f"{100 * line.result.confidence_level:g}% interval", minus(ci_cell(line.row)), "", tip)
        )
    if line.row.p_value is not None and not line.headline:  # of several tests, each has its own
        error = line.row.p_error or 0.0
        sampled = f"Monte Carlo error {plain_p(error)}" if error >= 0.0005 else ""
        tip = f"A small p-value does not mean a large effect. Computed by {procedure(result.p_method)}."
        tiles.append(Tile("p-value", plain_p(line.row.p_value), sampled, tip))
    scored = f"{result.coverage.found} of {result.coverage.asked}"
    tip = (
        "How much of what was asked for (words, texts or answers) could be scored. The rest is not measured."
    )
    return Tiles([*tiles, Tile("coverage", scored, "scored", tip)])


def _secondary_table(reading: Reading) -> ScrollTable:
    """The secondary values of the whole result, each with its meaning."""
    estimates, head = reading.result.estimates, reading.head
    record = get_method(reading.result.method)
    known = [s for s in record.secondary if s.key in estimates and s.key != SCORE_WITHOUT_TIES]
    rows = [
        {"name": s.title, "value": minus(estimate_cell(estimates[s.key], s.key)), "meaning": s.meaning}
        for s in known
    ]
    if head.with_ties and len(reading.rows) == 1:  # of several rows, each has its own in their table
        meaning = "The published score, which counts ties as not preferred, and its ideal."
        rows.insert(0, {"name": WITH_TIES, "value": minus(head.with_ties), "meaning": meaning})
    return ScrollTable("Further values", rows)


def rows_table(reading: Reading) -> list[Part]:
    """The rows of a result with their verdicts, and what "found" means; nothing for a single row."""
    if len(reading.rows) == 1:
        return []
    record, lines = get_method(reading.result.method), [row.line for row in reading.rows]
    table = result_table(reading, record.group_by)
    of_parts = declared_secondary([line for line in lines if line.kind != "overall"])
    columns = [
        column
        for column in (*table.columns, *map(secondary_column, of_parts))
        if any(column.cell(row) != "—" for row in table.rows)
    ]
    ideals = {short(line.ideal) for line in lines if not line.headline}
    ideal = f", ideal {ideals.pop()}" if len(ideals) == 1 else ""
    what = f"By {record.group_by}: {record.name_of(lines[-1].score_range)}{ideal}"
    tested = any(line.row.p_value is not None for line in lines)
    return [table_part(what, columns, table.rows), Note(found_means([reading]) if tested else "")]


def _pictures(result: Result) -> list[EmbeddedPicture]:
    """The pictures that the result's details make."""
    from ..report.plots import method_figures, picture_text  # matplotlib takes its time

    title = get_method(result.method).title
    return [
        picture(figure, f"{title}: {picture_text(result, name)}")
        for name, figure in method_figures(result).items()
    ]
