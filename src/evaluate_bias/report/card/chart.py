"""What the picture of the first screen shows, and the same in plain text where no picture can go.

Scores of different methods share one scale: 0 is the ideal value, 1 as far from it as the score can get. A score with
an open end has no place on it.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

from ..escape import one_line
from ..lines import ReportRow
from ..reading import Reading, RowReading
from ..texts import CardText

__all__ = ["ChartMark", "marks_of", "text_chart"]

_HALF = 20
"""Columns on each side of the ideal value."""
_LABEL = 26
_MOST = 12


@dataclass(frozen=True, slots=True)
class ChartMark:
    """One line of the picture, its numbers on the common scale.

    Attributes:
        label: what it is called.
        score: the score; ``None`` where the scale has no place for it.
        low, high: its interval.
        filled: whether it was found itself.
        parts: scores of its tests or groups that were found.
    """

    label: str
    score: float | None
    low: float | None
    high: float | None
    filled: bool
    parts: tuple[float, ...] = ()


def marks_of(readings: Sequence[Reading], labels: Sequence[str]) -> list[ChartMark]:
    """Return a mark for each reading, or, of a single one, for each of its rows.

    Args:
        readings: of the results to show.
        labels: what each is called.
    """
    if len(readings) == 1:
        rows = [row for row in readings[0].rows if not row.line.headline]
        return [_mark(row.name, row, row.filled) for row in rows[:_MOST]]
    return [
        _mark(label, r.head, r.filled, [] if r.filled else [p for p in r.parts if p.filled])
        for r, label in zip(readings, labels, strict=True)
    ]


def _mark(label: str, row: RowReading, filled: bool, found: Sequence[RowReading] = ()) -> ChartMark:
    parts = (_share(part.line, part.line.score) for part in found)
    line = row.line
    return ChartMark(
        label=label,
        score=_share(line, line.score),
        low=_share(line, line.ci_low),
        high=_share(line, line.ci_high),
        filled=filled,
        parts=tuple(part for part in parts if part is not None),
    )


def _share(line: ReportRow, value: float | None) -> float | None:
    """The distance from the ideal value, as a share of the farthest that the score can be from it."""
    low, high = line.score_range
    if value is None or low is None or high is None:
        return None
    reach = max(high - line.ideal, line.ideal - low)
    return max(-1.0, min(1.0, (value - line.ideal) / reach)) if reach > 0 else None


def text_chart(marks: Sequence[ChartMark], text: CardText) -> list[str]:
    """Return the lines of a chart in text, one for each mark, with a legend of the marks it has.

    Examples:
        >>> from evaluate_bias.report.texts import card_text
        >>> print("\\n".join(text_chart([ChartMark("weat7", 0.75, 0.45, 0.9, True)], card_text("en"))))
               −1                   0                   1
        weat7                       │        ├─────●──┤
        ● found
    """
    labels = _labels([mark.label for mark in marks])
    width = max(map(_cells, labels))
    lines = [" " * (width + 2) + f"−1{'0':>{_HALF - 1}}{'1':>{_HALF}}"]
    for label, mark in zip(labels, marks, strict=True):
        bar = text.no_scale if mark.score is None else _bar(mark, mark.score)
        lines.append((label + " " * (width - _cells(label) + 2) + bar).rstrip())
    drawn = [mark for mark in marks if mark.score is not None]
    legend = (
        ("●", text.legend_found, any(mark.filled for mark in drawn)),
        ("•", text.legend_part, any(mark.parts for mark in drawn)),
        ("○", text.legend_other, any(not mark.filled for mark in drawn)),
    )
    return [*lines, "   ".join(f"{sign} {label}" for sign, label, shown in legend if shown)]


def _bar(mark: ChartMark, score: float) -> str:
    cells = [" "] * (2 * _HALF + 1)
    cells[_HALF] = "│"
    if mark.low is not None and mark.high is not None:
        start, end = _column(mark.low), _column(mark.high)
        cells[start : end + 1] = "─" * (end - start + 1)
        if start <= _HALF <= end:
            cells[_HALF] = "┼"
        cells[start], cells[end] = "├", "┤"
    for part in mark.parts:
        cells[_column(part)] = "•"
    cells[_column(score)] = "●" if mark.filled else "○"
    return "".join(cells)


def _column(share: float) -> int:
    return _HALF + round(share * _HALF)


def _labels(given: Sequence[str]) -> list[str]:
    """The labels within their cells; names that differ at their ends only are cut in the middle."""
    labels = [_fitted(label) for label in given]
    return [
        _fitted(name, tail=_LABEL // 2) if labels.count(label) > given.count(name) else label
        for name, label in zip(given, labels, strict=True)
    ]


def _fitted(label: str, tail: int = 0) -> str:
    """The label within its cells, with ``tail`` of them for its end; backticks could close the code block."""
    label = one_line(label).replace("`", "'")
    if _cells(label) <= _LABEL:
        return label
    end = ""
    while tail and _cells(label[-len(end) - 1 :]) <= tail:
        end = label[-len(end) - 1 :]
    label = label[: len(label) - len(end)]
    while _cells(label) + _cells(end) >= _LABEL:
        label = label[:-1]
    return f"{label}…{end}"


def _cells(text: str) -> int:
    """Width in a fixed-width font."""
    return sum(
        0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text
    )
