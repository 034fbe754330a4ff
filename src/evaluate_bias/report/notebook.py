"""A result as a notebook shows it: verdict, finding, remarks, and its rows as a narrow table."""

from __future__ import annotations

import html
from collections.abc import Sequence

from ..result import Result
from .numbers import ci_cell, plain_p, score_text
from .reading import Reading, found_means, read

__all__ = ["result_html", "row_cells"]

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
    lead = f"<p><b>{_text(reading.title)}</b> on {_text(reading.model)}: {_text(reading.word)}<br>"
    return (
        f"<div>{lead}{_text(reading.finding)}<br>{_text(result.direction_text)}; {coverage}</p>"
        + (f"<ul>{''.join(f'<li>{_text(note)}</li>' for note in notes)}</ul>" if notes else "")
        + _table(rows[:_MOST_ROWS])
        + f"{more}<p>{_text(found_means([reading]))}</p></div>"
    )


def _table(rows: Sequence[dict[str, str]]) -> str:
    head = "".join(f"<th>{_text(name)}</th>" for name in rows[0])
    body = "".join("<tr>" + "".join(f"<td>{_text(c)}</td>" for c in row.values()) + "</tr>" for row in rows)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _text(text: str) -> str:
    return html.escape(text)
