"""A forest plot in plain text: the Hub shows no inline pictures in a card, but it does show a code block."""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ..escape import one_line
from ..lines import Line

__all__ = ["Mark", "axis", "text_chart"]

_WIDTH = 41
_LABEL = 26


@dataclass(frozen=True, slots=True)
class Mark:
    """One line of a chart.

    Attributes:
        label: what it is called.
        line: score, interval, ideal value and range.
        found: whether it is marked as found.
        parts: scores of its groups that are marked as found where it is not.
    """

    label: str
    line: Line
    found: bool
    parts: tuple[float, ...] = ()


def text_chart(marks: Sequence[Mark], number: Callable[[str], str] = str) -> list[str]:
    """Return the lines of a chart: one mark per line, on the axis of its own range.

    An axis depends on the score's range only, so that a score that changes changes its own line; where the range is
    open, it depends on scores and intervals. Where all have one axis and one ideal value, numbers stand above it.

    Examples:
        >>> from evaluate_bias.report.lines import report_lines
        >>> from evaluate_bias.result import Result, Row
        >>> row = Row(name="weat7", kind="test", score=1.5, ci_low=0.9, ci_high=1.8, p_value=0.01)
        >>> result = Result(method="weat", score=1.5, score_range=(-2, 2), direction="two_sided", ideal=0, n=16,
        ...                 rows=[row])
        >>> print("\\n".join(text_chart([Mark("weat7", line, True) for line in report_lines([result])])))
               -2                   0                   2
        weat7                       │        ├─────●──┤
    """
    labels = [_fitted(mark.label) for mark in marks]
    # Names that differ at their ends only are cut in the middle.
    given = [mark.label for mark in marks]
    labels = [
        _fitted(name, tail=_LABEL // 2) if labels.count(label) > given.count(name) else label
        for name, label in zip(given, labels, strict=True)
    ]
    width = max(_cells(label) for label in labels)
    scales = {(m.line.score_range, m.line.ideal) for m in marks}
    common = axis([m.line for m in marks]) if len(scales) == 1 else None
    lines = []
    if common is not None:
        ideal = marks[0].line.ideal
        lines.append(" " * (width + 2) + number(_scale(common[0], ideal, common[1], _column(ideal, *common))))
    for label, mark in zip(labels, marks, strict=True):
        low, high = common or axis([mark.line])
        bar = _line(mark, low, high, _column(mark.line.ideal, low, high))
        ends = "" if common else f"  {number(f'{low:.3g}')} … {number(f'{high:.3g}')}"
        lines.append((label + " " * (width - _cells(label) + 2) + bar + ends).rstrip())
    return lines


def axis(rows: Sequence[Line]) -> tuple[float, float]:
    """The ends of an axis for these lines: the score's range, rounded outwards where it is open."""
    lows, highs = [r.score_range[0] for r in rows], [r.score_range[1] for r in rows]
    ends = [v for r in rows for v in (r.score, r.ideal, r.ci_low, r.ci_high) if v is not None]
    low = _rounded_out(min(ends), math.floor) if None in lows else min(v for v in lows if v is not None)
    high = _rounded_out(max(ends), math.ceil) if None in highs else max(v for v in highs if v is not None)
    if low < high:
        return low, high
    return (low - 1.0 if None in lows else low), low + 1.0


def _rounded_out(value: float, towards: object) -> float:
    """Round to one significant digit, downwards or upwards."""
    if value == 0:
        return 0.0
    unit = 10.0 ** math.floor(math.log10(abs(value)))
    return (math.floor if towards is math.floor else math.ceil)(value / unit) * unit


def _column(value: float, low: float, high: float) -> int:
    share = (min(max(value, low), high) - low) / (high - low)
    return round(share * (_WIDTH - 1))


def _scale(low: float, ideal: float, high: float, ideal_column: int) -> str:
    """Numbers above the axis; the ideal's is left out where it would run into another."""
    left, middle, right = (f"{v:.3g}" for v in (low, ideal, high))
    start = ideal_column - len(middle) // 2
    cells = list(left.ljust(_WIDTH + 1 - len(right)) + right)
    if start > len(left) and start + len(middle) < _WIDTH - len(right):
        cells[start : start + len(middle)] = middle
    # The first number may be negative: its digits, not its sign, stand over the axis's end.
    return "".join(cells)


def _line(mark: Mark, low: float, high: float, ideal: int) -> str:
    row, cells = mark.line, [" "] * _WIDTH
    cells[ideal] = "│"
    if row.ci_low is not None and row.ci_high is not None:
        start, end = _column(row.ci_low, low, high), _column(row.ci_high, low, high)
        cells[start : end + 1] = "─" * (end - start + 1)
        if start <= ideal <= end:
            cells[ideal] = "┼"
        cells[end] = "┤" if row.ci_high <= high else "›"
        cells[start] = "├" if row.ci_low >= low else "‹"
    cells[_column(row.score, low, high)] = "●" if mark.found else "○"
    for part in mark.parts:
        cells[_column(part, low, high)] = "●"
    return "".join(cells)


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
