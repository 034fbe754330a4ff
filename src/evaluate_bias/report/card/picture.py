"""The picture of the first screen as SVG: every score with its interval and ideal value on the axis of its own range.

Written by hand rather than drawn, so that it is a few kilobytes and the same bytes from the same numbers.
"""

from __future__ import annotations

import html
from collections.abc import Callable, Sequence

from ..escape import one_line
from ..numbers import decimals
from .chart import Mark, axis

__all__ = ["FILE_NAME", "svg"]

FILE_NAME = "evaluate-bias.svg"
"""What the picture beside a card is called."""

_LABELS, _AXIS, _ROW, _TOP, _MARGIN = 260, 380, 34, 30, 40
_LABEL = 38
_FOUND, _OTHER, _LINE = "#D55E00", "#0072B2", "#767676"


def svg(marks: Sequence[Mark], legend: tuple[str, str, str], number: Callable[[str], str] = str) -> str:
    """Return the picture."""
    width, height = _LABELS + _AXIS + 2 * _MARGIN, _TOP + _ROW * len(marks) + 12
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        'font-family="system-ui, sans-serif" font-size="13" fill="#1f2328">',
        f'<rect width="{width}" height="{height}" fill="#ffffff"/>',
        *_legend(legend),
    ]
    for i, mark in enumerate(marks):
        parts += _row(mark, _TOP + _ROW * i + _ROW / 2, number)
    return "\n".join([*parts, "</svg>", ""])


def _legend(legend: tuple[str, str, str]) -> list[str]:
    marks = (
        f'<circle cx="0" cy="16" r="5" fill="{_FOUND}"/>',
        f'<circle cx="0" cy="16" r="4.2" fill="#fff" stroke="{_OTHER}" stroke-width="2"/>',
        f'<path d="M0 8v16" stroke="{_LINE}" stroke-width="2"/>',
    )
    parts, x = [], 16
    for mark, text in zip(marks, legend, strict=True):
        parts.append(f'<g transform="translate({x})">{mark}<text x="10" y="20">{_text(text)}</text></g>')
        x += 40 + 8 * len(text)
    return parts


def _row(mark: Mark, y: float, number: Callable[[str], str]) -> list[str]:
    line, (low, high) = mark.line, axis([mark.line])
    colour = _FOUND if mark.found else _OTHER

    def x(value: float) -> str:
        share = (min(max(value, low), high) - low) / (high - low)
        return f"{_LABELS + _MARGIN + share * _AXIS:.1f}"

    label = one_line(mark.label)
    label = label if len(label) <= _LABEL else f"{label[: _LABEL - 1]}…"
    parts = [
        f'<text x="12" y="{y + 4:g}">{_text(label)}</text>',
        f'<path d="M{x(low)} {y:g}H{x(high)}" stroke="#d0d7de"/>',
        f'<path d="M{x(line.ideal)} {y - 9:g}v18" stroke="{_LINE}" stroke-width="2"/>',
        *_ends(low, high, x, y, number),
    ]
    if line.ci_low is not None and line.ci_high is not None:
        parts.append(
            f'<path d="M{x(line.ci_low)} {y:g}H{x(line.ci_high)}" stroke="{colour}" stroke-width="3"/>'
        )
    parts += [f'<circle cx="{x(part)}" cy="{y:g}" r="4" fill="{_FOUND}"/>' for part in mark.parts]
    fill = colour if mark.found else "#fff"
    parts.append(
        f'<circle cx="{x(line.score)}" cy="{y:g}" r="5" fill="{fill}" stroke="{colour}" stroke-width="2">'
        f"<title>{_text(f'{label}: {number(decimals(line.score))}')}</title></circle>"
    )
    return parts


def _ends(
    low: float, high: float, x: Callable[[float], str], y: float, number: Callable[[str], str]
) -> list[str]:
    style = f'font-size="10" fill="{_LINE}"'
    return [
        f'<text x="{float(x(end)) + shift:.1f}" y="{y + 3.5:g}" text-anchor="{anchor}" {style}>'
        f"{_text(number(f'{end:.3g}'))}</text>"
        for end, shift, anchor in ((low, -5, "end"), (high, 5, "start"))
    ]


def _text(text: str) -> str:
    return html.escape(text.replace("-", "−") if text[:1] == "-" else text)
