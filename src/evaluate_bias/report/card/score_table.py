"""The tables of a method's details: scores with their inference, and the method's secondary values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ...method_record import Secondary
from ...result.row import Row
from ..escape import Markdown, markdown
from ..lines import LISTS_IN_SENTENCES, ReportRow, comparison
from ..numbers import ci_cell, decimals, estimate_cell, score_cell
from ..reading import RowReading
from ..row_tables import COLUMNS, one_level, secondary_column
from ..table import Table, TableColumn


def score_table(
    rows: Sequence[RowReading], secondary: Sequence[Secondary] = (), *, full: bool = False
) -> Table[RowReading]:
    """One line per row: verdict, score with its interval, p-values, n, and so on.

    Coverage is left out where it is whole, ideal value and n where they are the same in every line and said above.
    """
    no_finding = not full and all(row.line.illustrative for row in rows)
    if no_finding:
        rows = [row for row in rows if row.line.kind != "group"]
    lines = [row.line for row in rows]
    level = one_level(lines)
    adjusted = any(r.p_adjusted is not None for r in lines)
    one_score = len(lines) == 1 or lines[0].kind != "overall"
    ideals = TableColumn("Ideal", COLUMNS["ideal"].cell, True)
    is_shown = {
        TableColumn("Test", _name): True,
        TableColumn("Verdict", COLUMNS["verdict"].cell): not no_finding,
        TableColumn("Model", COLUMNS["model"].cell): len({r.model for r in lines}) > 1,
        TableColumn(Markdown(score_title(lines)), lambda row: _score(row.line, level), True): True,
        COLUMNS["p"]: full or not (adjusted or no_finding),
        COLUMNS["p_holm"]: adjusted and not no_finding,
        COLUMNS["n"]: one_score or len({r.row.n for r in lines}) > 1,
        TableColumn("Coverage", COLUMNS["coverage"].cell, True): any(
            r.row.coverage and r.row.coverage.found < r.row.coverage.asked for r in lines
        ),
        TableColumn("With ties", COLUMNS["with_ties"].cell, True): any(row.with_ties for row in rows),
        ideals: len({*map(ideals.cell, rows)}) > 1,
    }
    columns = [
        *(column for column, has_column in is_shown.items() if has_column),
        *map(secondary_column, secondary),
    ]
    return Table([_unbroken(column) if column.number else column for column in columns], rows)


def _name(row: RowReading) -> str:
    lists = comparison(row.line.row, LISTS_IN_SENTENCES)
    return f"{row.name}: {lists}" if lists else row.name


def _unbroken(column: TableColumn[RowReading]) -> TableColumn[RowReading]:
    return replace(column, cell=lambda row: _number(str(column.cell(row))))


def score_title(lines: Sequence[ReportRow]) -> str:
    """Return the heading of scores with their intervals, which says the level where all have the same."""
    level = one_level(lines)
    if level is not None:
        return f"Score [{100 * level:g}% CI]"
    return "Score [CI]" if any(r.row.ci_low is not None for r in lines) else "Score"


def secondary_of(words: Sequence[Secondary], lines: Sequence[ReportRow]) -> list[Secondary]:
    """Return the secondary values that say more than the score."""
    known = (
        (key, e, (r.score, r.row.ci_low, r.row.ci_high)) for r in lines for key, e in r.row.estimates.items()
    )
    keys = {key for key, e, score in known if (e.value, e.low, e.high) != score}
    return [s for s in words if s.key in keys]


def secondary_text(row: Row, secondary: Sequence[Secondary]) -> list[str]:
    """Return title and number of each of these values that the row has."""
    pairs = ((s, row.estimates[s.key]) for s in secondary if s.key in row.estimates)
    return [f"{markdown(s.title)} {_number(estimate_cell(e, s.key))}" for s, e in pairs]


def _number(cell: str) -> str:
    """The cell with spaces at which no line is broken: the Hub's tables are narrow."""
    return cell.replace(" ", "\u00a0")


def _score(line: ReportRow, level: float | None) -> str:
    if level is not None or line.row.ci_low is None:
        return score_cell(line.row)
    return f"{decimals(line.score)} {100 * line.result.ci_level:g}%: {ci_cell(line.row)}"
