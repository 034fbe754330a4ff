"""What the first screen shows of scores: a picture in SVG.

Scores of different methods share one scale: 0 is the ideal value, 1 as far from it as the score can get. A score with
an open end has no place on it. The SVG is written by hand rather than drawn, so that it is a few kilobytes and the same
bytes from the same numbers; as narrow as a telephone, so that its letters stay readable there.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path

from ...text import one_line
from ..escape import file_name, shorten
from ..lines import ReportRow
from ..reading import Reading, RowReading
from ..verdict import FILLED_MARK, OPEN_MARK, PART_MARK

FILE_NAME = "evaluate-bias.svg"
"""What the picture beside ``README.md`` is called; with the card's own name before it beside another card."""

_WIDTH, _LABELS, _HALF, _ROW, _MARGIN = 480, 192, 130, 34, 12
_LABEL = 19
"""Characters of a label: in a wide font, such as DejaVu Sans, these end before the axis."""
_LONG_LABEL = 56
"""The same of a label in smaller letters that has the whole width."""
_CENTRE = _LABELS + _HALF
_FOUND, _OTHER, _LINE = "#D55E00", "#0072B2", "#767676"
_BELOW, _ABOVE, _NO_SCALE = "← below the ideal", "above →", "no common scale"
_MOST = 12


def picture_name(card: Path) -> str:
    """Return what the picture beside a card is called: two cards in one folder have a picture each.

    Examples:
        >>> picture_name(Path("out/README.md")), picture_name(Path("out/card.md"))
        ('evaluate-bias.svg', 'card-evaluate-bias.svg')
    """
    return FILE_NAME if card.name == "README.md" else f"{file_name(card.stem)}-{FILE_NAME}"


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


def _mark(label: str, row: RowReading, filled: bool, part_rows: Sequence[RowReading] = ()) -> ChartMark:
    parts = (_share(part.line, part.line.score) for part in part_rows)
    line = row.line
    return ChartMark(
        label=label,
        score=_share(line, line.score),
        low=_share(line, line.row.ci_low),
        high=_share(line, line.row.ci_high),
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


def svg(marks: Sequence[ChartMark]) -> str:
    """Return the picture, with a legend for every kind of mark that it has."""
    legend = _legend(marks)
    top, bottom = 26, 10
    labels = [shorten(one_line(mark.label), _LABEL) for mark in marks]
    above = 0
    # Labels of one method differ at their end, which a cut label loses: then each is in a line above its mark.
    cut = [mark.label.partition(" (")[0] for mark, label in zip(marks, labels, strict=True) if "…" in label]
    if len(set(cut)) < len(cut) or len({*labels}) < len({mark.label for mark in marks}):
        above, labels = 18, [shorten(one_line(mark.label), _LONG_LABEL) for mark in marks]
    row = _ROW + above
    end = top + row * len(marks)
    height = end + 24 * len(legend) + bottom
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}" width="{_WIDTH}" height="{height}" '
        'font-family="system-ui, sans-serif" font-size="15" fill="#1f2328">',
        f'<rect width="{_WIDTH}" height="{height}" fill="#ffffff"/>',
        f'<path d="M{_CENTRE} {top - 4}V{end}" stroke="{_LINE}" stroke-width="2"/>',
    ]
    for label, shift, anchor in ((_BELOW, -_HALF, "start"), ("0", 0, "middle"), (_ABOVE, _HALF, "end")):
        where = f'x="{_CENTRE + shift}" y="{top - 9}" text-anchor="{anchor}" font-size="12" fill="{_LINE}"'
        parts.append(f"<text {where}>{escape(label)}</text>")
    for i, (mark, label) in enumerate(zip(marks, labels, strict=True)):
        y = top + row * i + above + _ROW / 2
        look = ' font-size="13" stroke="#fff" stroke-width="4" paint-order="stroke"' if above else ""
        parts.append(f'<text x="{_MARGIN}" y="{y + 5 - above:g}"{look}>{escape(label)}</text>')
        parts += _row(mark, y)
    for i, (sign, label) in enumerate(legend):
        y = end + 24 * i + 16
        parts.append(f'<g transform="translate({_MARGIN + 14} {y})">{sign}</g>')
        parts.append(f'<text x="{_MARGIN + 36}" y="{y + 5}" font-size="13">{escape(label)}</text>')
    return "\n".join([*parts, "</svg>", ""])


def _row(mark: ChartMark, y: float) -> list[str]:
    if mark.score is None:
        where = f'x="{_CENTRE + 10}" y="{y + 5:g}" font-size="12" fill="{_LINE}"'
        return [f"<text {where}>{_NO_SCALE}</text>"]
    parts = [f'<path d="M{_CENTRE - _HALF} {y:g}H{_CENTRE + _HALF}" stroke="#d0d7de"/>']
    colour = _FOUND if mark.filled else _OTHER
    if mark.low is not None and mark.high is not None:
        parts.append(f'<path d="M{_x(mark.low)} {y:g}H{_x(mark.high)}" stroke="{colour}" stroke-width="3"/>')
    parts += [_part(f"{_x(part)} {y:g}") for part in mark.parts]
    fill = colour if mark.filled else "#fff"
    parts.append(
        f'<circle cx="{_x(mark.score)}" cy="{y:g}" r="6" fill="{fill}" stroke="{colour}" stroke-width="2"/>'
    )
    return parts


def _x(share: float) -> str:
    return f"{_CENTRE + _HALF * share:.1f}"


def _interval_sign(marks: Sequence[ChartMark]) -> str:
    """A line in the colours that intervals have: that of what was found, that of the others, or half of each."""
    kinds = {mark.filled for mark in marks if mark.low is not None}
    colours = [colour for colour, filled in ((_FOUND, True), (_OTHER, False)) if filled in kinds]
    width = 18 // len(colours)
    line = '<path d="M{} 0h{}" stroke="{}" stroke-width="3"/>'
    return "".join(line.format(width * i - 9, width, colour) for i, colour in enumerate(colours))


def _part(place: str) -> str:
    return f'<path transform="translate({place})" d="M0 -5L4 0L0 5L-4 0Z" fill="{_FOUND}"/>'


def _legend(marks: Sequence[ChartMark]) -> list[tuple[str, str]]:
    """Sign and words of every kind of mark that the picture has."""
    placed_marks = [mark for mark in marks if mark.score is not None]
    filled_sign, open_sign = (
        f'<circle r="6" fill="{_FOUND}"/>',
        f'<circle r="5" fill="#fff" stroke="{_OTHER}" stroke-width="2"/>',
    )
    kinds = (
        (filled_sign, FILLED_MARK, any(mark.filled for mark in placed_marks)),
        (_part("0 0"), PART_MARK, any(mark.parts for mark in placed_marks)),
        (open_sign, OPEN_MARK, any(not mark.filled for mark in placed_marks)),
    )
    signs = [(sign, label) for sign, label, occurs in kinds if occurs]
    if any(m.low is not None for m in placed_marks):
        signs.append((_interval_sign(placed_marks), "interval"))
    ideal = "ideal value; the ends are as far from it as a score can go"
    return [*signs, (f'<path d="M0 -9V9" stroke="{_LINE}" stroke-width="2"/>', ideal)]
