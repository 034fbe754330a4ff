"""A result as a notebook shows it: verdict, finding, remarks, and its rows as a narrow table."""

from __future__ import annotations

from html import escape

from ..result import Result
from .escape import html_list, html_table
from .numbers import ci_cell, plain_p, score_text
from .reading import Reading, found_means, read

_MOST_ROWS = 50


def row_cells(reading: Reading) -> list[dict[str, str]]:
    """Return the rows of a reading as cells by heading: name, verdict, score, interval, p-values and n."""
    adjusted = any(row.line.p_adjusted is not None for row in reading.rows)
    labelled = any(row.line.label for row in reading.rows)
    return [
        {
            "": row.name,
            "verdict": row.word,
            "score": score_text(row.published),
            f"{100 * reading.result.ci_level:g}% CI": ci_cell(row.published),
            "p": plain_p(row.line.p_value),
            **({"p (Holm)": plain_p(row.line.p_adjusted)} if adjusted else {}),
            "n": "—" if row.line.n is None else str(row.line.n),
            **({"compared": row.line.label} if labelled else {}),
        }
        for row in reading.rows
    ]


def result_html(result: Result) -> str:
    """Return what a notebook shows of a result."""
    reading = read(result)
    rows = row_cells(reading)
    more = (
        f"<p>… and {len(rows) - _MOST_ROWS} more in <code>.rows</code></p>" if len(rows) > _MOST_ROWS else ""
    )
    notes = [*reading.remarks, *result.warnings]
    coverage = f"coverage {result.coverage.found} of {result.coverage.asked}"
    lead = f"<p><b>{escape(reading.title)}</b> on {escape(reading.model)}: {escape(reading.word)}<br>"
    return (
        f"<div>{lead}{escape(reading.finding)}<br>{escape(result.direction_text)}; {coverage}</p>{html_list(notes)}"
        f"{html_table(rows[0], (row.values() for row in rows[:_MOST_ROWS]))}"
        f"{more}<p>{escape(found_means([reading]))}</p></div>"
    )
