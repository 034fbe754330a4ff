"""The tables of a method's details: scores with their inference, and the method's secondary values."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from ...method_record import Secondary
from ...result.row import Row
from ..escape import Markdown, markdown
from ..lines import LISTS_IN_SENTENCES, ReportRow, comparison
from ..numbers import ci_cell, decimals, estimate_cell, score_cell
from ..reading import RowReading
from ..row_tables import CELLS, WITH_TIES, one_level, secondary_cell

_TITLES = {
    "test": "Test",
    "verdict": "Verdict",
    "model": "Model",
    "score": "Score",
    "p": "p",
    "p_holm": "p (Holm)",
    "n": "n",
    "coverage": "Coverage",
    "with_ties": WITH_TIES.capitalize(),
    "ideal": "Ideal",
}
_TEXTS = ("test", "verdict", "model")


def score_table(
    rows: Sequence[RowReading], secondary: Sequence[Secondary] = (), *, full: bool = False
) -> list[list[Markdown]]:
    """One line per row, after titles and alignments: verdict, score with its interval, p-values, n, and so on.

    Coverage is left out where it is whole, ideal value and n where they are the same in every line and said above.
    """
    no_finding = not full and all(row.line.illustrative for row in rows)
    if no_finding:
        rows = [row for row in rows if row.line.kind != "group"]
    lines = [row.line for row in rows]
    level = one_level(lines)
    adjusted = any(r.p_adjusted is not None for r in lines)
    one_score = len(lines) == 1 or lines[0].kind != "overall"
    shown = {
        "test": True,
        "verdict": not no_finding,
        "model": len({r.model for r in lines}) > 1,
        "score": True,
        "p": full or not (adjusted or no_finding),
        "p_holm": adjusted and not no_finding,
        "n": one_score or len({r.n for r in lines}) > 1,
        "coverage": any(r.coverage and r.coverage.found < r.coverage.asked for r in lines),
        "with_ties": any(row.with_ties for row in rows),
        "ideal": len({*map(CELLS["ideal"], rows)}) > 1,
    }

    def test(row: RowReading) -> str:
        lists = comparison(row.line, LISTS_IN_SENTENCES)
        return f"{row.name}: {lists}" if lists else row.name

    cells = CELLS | {"test": test, "score": lambda row: _score(row.line, level)}
    titles = _TITLES | {"score": score_title(lines)}
    columns = [(titles[key], key in _TEXTS, cells[key]) for key, wanted in shown.items() if wanted]
    columns += [(markdown(s.title), False, partial(secondary_cell, s.key)) for s in secondary]
    table = [[title for title, _, _ in columns], ["---" if words else "---:" for _, words, _ in columns]]
    for row in rows:
        table.append([markdown(c(row)) if words else _number(c(row)) for _, words, c in columns])
    return [[Markdown(cell) for cell in line] for line in table]


def score_title(lines: Sequence[ReportRow]) -> str:
    """Return the heading of scores with their intervals, which says the level where all have the same."""
    level = one_level(lines)
    if level is not None:
        return f"Score [{100 * level:g}% CI]"
    return "Score [CI]" if any(r.ci_low is not None for r in lines) else "Score"


def secondary_of(words: Sequence[Secondary], lines: Sequence[ReportRow]) -> list[Secondary]:
    """Return the secondary values that say more than the score."""
    known = ((key, e, (r.score, r.ci_low, r.ci_high)) for r in lines for key, e in r.estimates.items())
    keys = {key for key, e, score in known if (e.value, e.low, e.high) != score}
    return [s for s in words if s.key in keys]


def secondary_text(row: Row, secondary: Sequence[Secondary]) -> list[str]:
    """Return title and number of each of these values that the row has."""
    own = ((s, row.estimates[s.key]) for s in secondary if s.key in row.estimates)
    return [f"{markdown(s.title)} {_number(estimate_cell(e, s.key))}" for s, e in own]


def _number(cell: str) -> str:
    """The cell with spaces at which no line is broken: the Hub's tables are narrow."""
    return cell.replace(" ", "\u00a0")


def _score(line: ReportRow, level: float | None) -> str:
    if level is not None or line.ci_low is None:
        return score_cell(line)
    return f"{decimals(line.score)} {100 * line.ci_level:g}%: {ci_cell(line)}"
