"""The tables of the bias section: scores with their inference, and the further values of a method."""

from __future__ import annotations

from collections.abc import Sequence

from ..result import format_p
from .card_markup import several
from .card_texts import CardText, MethodText
from .escape import markdown
from .rows import Row, ci_cell, comparison, further_cell, p_cell

__all__ = ["further_table", "score_table"]

_Column = tuple[str, str, list[str], bool]
"""Title, alignment, cells, and whether it is shown."""


def score_table(text: CardText, words: MethodText | None, rows: Sequence[Row]) -> str:
    """Write one line a row: score, interval, p-values, n, coverage and ideal value."""
    levels = {r.ci_level for r in rows if r.ci_low is not None}
    one_level = next(iter(levels)) if len(levels) == 1 else None
    interval = text.column_interval_mixed
    if one_level is not None:
        interval = text.column_interval.format(level=f"{100 * one_level:g}")
    compared = [comparison(r, text.list_names) for r in rows]
    return _written(
        [
            (text.column_test, "---", [markdown(r.name) for r in rows], True),
            (text.column_compared, "---", [markdown(c) for c in compared], any(compared)),
            (text.column_model, "---", [markdown(r.model) for r in rows], several(r.model for r in rows)),
            (text.column_score, "---:", [f"{r.score:.2f}" for r in rows], True),
            (interval, "---:", [_unbroken(_interval(r, one_level)) for r in rows], True),
            (text.column_p, "---:", [_unbroken(p_cell(r)) for r in rows], True),
            _adjusted(text.column_p_holm, [r.p_holm for r in rows]),
            _adjusted(text.column_p_all, [r.p_holm_all for r in rows]),
            (text.column_n, "---:", ["—" if r.n is None else str(r.n) for r in rows], True),
            (text.column_coverage, "---:", [_coverage(r) for r in rows], True),
            (text.column_ideal, "---:", [f"{r.ideal:.4g}" for r in rows], True),
        ]
    )


def further_table(text: CardText, words: MethodText | None, rows: Sequence[Row]) -> list[str]:
    """Write the method's further values and what they are; nothing where no row has any."""
    there = [
        i
        for i in range(len(words.further) if words is not None else 0)
        if any(i < len(r.further) and r.further[i] is not None for r in rows)
    ]
    if words is None or not there:
        return []
    told = [r for r in rows if any(r.further[i] is not None for i in there)]
    columns: list[_Column] = [
        (text.column_test, "---", [markdown(r.name) for r in told], True),
        (text.column_model, "---", [markdown(r.model) for r in told], several(r.model for r in rows)),
    ]
    columns += [
        (markdown(words.further[i][0]), "---:", [_unbroken(further_cell(r.further[i])) for r in told], True)
        for i in there
    ]
    meanings = "\n".join(f"- {markdown(title)}: {markdown(meaning)}" for title, meaning in _of(words, there))
    return [f"**{text.further}**\n\n{meanings}", _written(columns)]


def _of(words: MethodText, which: Sequence[int]) -> list[tuple[str, str]]:
    return [words.further[i] for i in which]


def _written(columns: Sequence[_Column]) -> str:
    shown = [c for c in columns if c[3]]
    lines = [[title for title, *_ in shown], [align for _, align, *_ in shown]]
    lines += [list(line) for line in zip(*(cells for _, _, cells, _ in shown), strict=True)]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def _adjusted(title: str, p_values: Sequence[float | None]) -> _Column:
    cells = ["—" if p is None else format_p(p).removeprefix("p = ") for p in p_values]
    return title, "---:", cells, any(p is not None for p in p_values)


def _unbroken(cell: str) -> str:
    """The cell with spaces at which no line is broken: the Hub's tables are narrow."""
    return cell.replace(" ", "\u00a0")


def _interval(row: Row, one_level: float | None) -> str:
    cell = ci_cell(row)
    return cell if one_level is not None or cell == "—" else f"{100 * row.ci_level:g}%: {cell}"


def _coverage(row: Row) -> str:
    return "—" if row.asked is None else f"{row.found}/{row.asked}"
