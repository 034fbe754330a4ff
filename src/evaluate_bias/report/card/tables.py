"""The tables of a method's details: scores with their inference, and the method's secondary values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ...result import Estimate
from ..escape import markdown
from ..lines import Line, comparison
from ..numbers import ci_cell, decimals, estimate_cell, p_cell, plain_p, score_cell
from .markup import Markdown, several
from .texts import CardText, MethodText

__all__ = ["Table", "overall_values", "score_table", "secondary_values"]

_Column = tuple[str, str, list[str], bool]
"""Title, alignment, cells, and whether it is shown."""


@dataclass(frozen=True, slots=True)
class Table:
    """A table as rows of cells; the first has the titles, the second the alignments."""

    rows: tuple[tuple[Markdown, ...], ...]


def score_table(
    text: CardText, lines: Sequence[Line], secondary: Sequence[tuple[int, str]] = (), *, full: bool = False
) -> Table:
    """One line per row: score with its interval, p-values, n, coverage, ideal value, and secondary values.

    Coverage is left out where it is whole, ideal value and n where they are the same in every line and said above.
    """
    no_finding = not full and all(r.illustrative for r in lines)
    if no_finding:
        lines = [r for r in lines if r.kind != "group"]
    levels = {r.ci_level for r in lines if r.ci_low is not None}
    one_level = next(iter(levels)) if len(levels) == 1 else None
    interval = text.column_interval_mixed
    if one_level is not None:
        interval = text.column_interval.format(level=f"{100 * one_level:g}")
    compared = [comparison(r, text.list_names) for r in lines]
    named = [f"{r.name}: {c}" if c else r.name for r, c in zip(lines, compared, strict=True)]
    same_ideal = not several(f"{r.ideal:.4g}" for r in lines)
    same_n = len(lines) > 1 and lines[0].kind == "overall" and not several(str(r.n) for r in lines)
    covered = all(r.coverage is None or r.coverage.found == r.coverage.asked for r in lines)
    adjusted = any(r.p_adjusted is not None for r in lines)
    return _table(
        [
            (text.column_test, "---", [markdown(n) for n in named], True),
            (text.column_model, "---", [markdown(r.model) for r in lines], several(r.model for r in lines)),
            (
                f"{text.column_score} [{interval}]" if levels else text.column_score,
                "---:",
                [_number(text, _score(r, one_level)) for r in lines],
                True,
            ),
            (
                text.column_p,
                "---:",
                [_number(text, p_cell(r)) for r in lines],
                full or not (adjusted or no_finding),
            ),
            (
                text.column_p_holm,
                "---:",
                [_number(text, plain_p(r.p_adjusted)) for r in lines],
                adjusted and not no_finding,
            ),
            (text.column_n, "---:", ["—" if r.n is None else str(r.n) for r in lines], not same_n),
            (text.column_coverage, "---:", [_coverage(r) for r in lines], not covered),
            (text.column_ideal, "---:", [_number(text, f"{r.ideal:.4g}") for r in lines], not same_ideal),
            *(
                (
                    markdown(title),
                    "---:",
                    [_number(text, estimate_cell(r.secondary[i])) for r in lines],
                    True,
                )
                for i, title in secondary
            ),
        ]
    )


def secondary_values(words: MethodText | None, lines: Sequence[Line]) -> list[tuple[int, str, str]]:
    """Return place, title and meaning of the secondary values that the lines have."""
    titles = () if words is None else words.secondary
    return [
        (i, *pair)
        for i, pair in enumerate(titles)
        if any(not _repeats(r, r.secondary[i]) for r in lines if r.secondary[i] is not None)
    ]


def overall_values(
    text: CardText, lines: Sequence[Line], values: Sequence[tuple[int, str, str]]
) -> list[str]:
    """Write the secondary values of every overall score, one line each."""
    found = []
    for line in (r for r in lines if r.kind == "overall"):
        own = [(title, e) for i, title, _ in values if (e := line.secondary[i]) is not None]
        written = ", ".join(f"{markdown(title)} {_number(text, estimate_cell(e))}" for title, e in own)
        found += [f"{markdown(line.name)}: {written}"] if own else []
    return found


def _repeats(line: Line, estimate: Estimate | None) -> bool:
    """Whether a secondary value and its interval are those of the score, as without ties the share of the decided."""
    return estimate is not None and (estimate.value, estimate.low, estimate.high) == (
        line.score,
        line.ci_low,
        line.ci_high,
    )


def _table(columns: Sequence[_Column]) -> Table:
    shown = [c for c in columns if c[3]]
    rows = [[title for title, *_ in shown], [align for _, align, *_ in shown]]
    rows += [list(row) for row in zip(*(cells for _, _, cells, _ in shown), strict=True)]
    return Table(tuple(tuple(map(Markdown, row)) for row in rows))


def _number(text: CardText, cell: str) -> str:
    """The cell with spaces at which no line is broken: the Hub's tables are narrow."""
    return text.number(cell).replace(" ", "\u00a0")


def _score(line: Line, one_level: float | None) -> str:
    if one_level is not None or line.ci_low is None:
        return score_cell(line)
    return f"{decimals(line.score)} {100 * line.ci_level:g}%: {ci_cell(line)}"


def _coverage(line: Line) -> str:
    return "—" if line.coverage is None else f"{line.coverage.found}/{line.coverage.asked}"
