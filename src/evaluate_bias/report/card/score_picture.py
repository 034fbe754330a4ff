"""The picture of the first screen as SVG: every score with its interval on one scale, the ideal value in its middle.

Written by hand rather than drawn, so that it is a few kilobytes and the same bytes from the same numbers; as narrow as
a telephone, so that its letters stay readable there.
"""

from __future__ import annotations

import html
from collections.abc import Sequence

from ..escape import one_line, shorten
from ..texts import CardText
from .chart import ChartMark

__all__ = ["FILE_NAME", "svg"]

FILE_NAME = "evaluate-bias.svg"
"""What the picture beside a card is called."""

_WIDTH, _LABELS, _HALF, _ROW, _MARGIN = 480, 172, 140, 34, 12
_LABEL = 21
_CENTRE = _LABELS + _HALF
_FOUND, _OTHER, _LINE = "#D55E00", "#0072B2", "#767676"


def svg(marks: Sequence[ChartMark], text: CardText) -> str:
    """Return the picture, with a legend for every kind of mark that it has."""
    legend = _legend(marks, text)
    top, bottom = 26, 10
    height = top + _ROW * len(marks) + 24 * len(legend) + bottom
    end = top + _ROW * len(marks)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}" width="{_WIDTH}" height="{height}" '
        'font-family="system-ui, sans-serif" font-size="15" fill="#1f2328">',
        f'<rect width="{_WIDTH}" height="{height}" fill="#ffffff"/>',
        f'<path d="M{_CENTRE} {top - 4}V{end}" stroke="{_LINE}" stroke-width="2"/>',
        *_axis(text, top - 9),
    ]
    for i, mark in enumerate(marks):
        parts += _row(mark, top + _ROW * i + _ROW / 2, text.no_scale)
    for i, (sign, label) in enumerate(legend):
        y = end + 24 * i + 16
        parts.append(f'<g transform="translate({_MARGIN + 14} {y})">{sign}</g>')
        parts.append(f'<text x="{_MARGIN + 36}" y="{y + 5}" font-size="13">{_text(label)}</text>')
    return "\n".join([*parts, "</svg>", ""])


def _axis(text: CardText, y: int) -> list[str]:
    ends = ((text.axis_low, -_HALF, "start"), ("0", 0, "middle"), (text.axis_high, _HALF, "end"))
    style = f'font-size="12" fill="{_LINE}"'
    return [
        f'<text x="{_CENTRE + shift}" y="{y}" text-anchor="{anchor}" {style}>{_text(label)}</text>'
        for label, shift, anchor in ends
    ]


def _row(mark: ChartMark, y: float, no_scale: str) -> list[str]:
    label = shorten(one_line(mark.label), _LABEL)
    parts = [f'<text x="{_MARGIN}" y="{y + 5:g}">{_text(label)}</text>']
    if mark.score is None:
        where = f'x="{_CENTRE + 10}" y="{y + 5:g}" font-size="12" fill="{_LINE}"'
        return [*parts, f"<text {where}>{_text(no_scale)}</text>"]
    parts.append(f'<path d="M{_CENTRE - _HALF} {y:g}H{_CENTRE + _HALF}" stroke="#d0d7de"/>')
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


def _part(place: str) -> str:
    return f'<path transform="translate({place})" d="M0 -5L4 0L0 5L-4 0Z" fill="{_FOUND}"/>'


def _legend(marks: Sequence[ChartMark], text: CardText) -> list[tuple[str, str]]:
    """Sign and words of every kind of mark that the picture has."""
    drawn = [mark for mark in marks if mark.score is not None]
    signs = [
        (f'<circle r="6" fill="{_FOUND}"/>', text.legend_found, any(m.filled for m in drawn)),
        (_part("0 0"), text.legend_part, any(m.parts for m in drawn)),
        (
            f'<circle r="5" fill="#fff" stroke="{_OTHER}" stroke-width="2"/>',
            text.legend_other,
            any(not m.filled for m in drawn),
        ),
        (
            f'<path d="M-9 0H9" stroke="{_OTHER}" stroke-width="3"/>',
            text.legend_interval,
            any(m.low is not None for m in drawn),
        ),
        (f'<path d="M0 -9V9" stroke="{_LINE}" stroke-width="2"/>', text.legend_ideal, True),
    ]
    return [(sign, label) for sign, label, shown in signs if shown]


def _text(text: str) -> str:
    return html.escape(text)
