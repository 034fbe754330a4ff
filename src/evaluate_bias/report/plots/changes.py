"""The picture of a comparison: the change of every score with its interval, one panel a method."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...errors import InputError
from ..compare.change import ChangeVerdict, digits
from ..lines import method_title
from . import canvas
from .canvas import BLUE, DASHED, GREY

if TYPE_CHECKING:
    from ..compare.comparison import Comparison

_STEP = 0.32
"""Inches from one line to the next."""
_GAP = 0.62
"""Inches between panels: room for ticks and the next title."""


def difference_plot(comparison: Comparison, path: str | Path) -> list[Path]:
    """Draw the changes of a comparison, one panel per method; a filled marker is a change that was found.

    Args:
        comparison: what :func:`evaluate_bias.compare` returns.
        path: where to write, with or without ``.svg`` or ``.png``; both are written.

    Returns:
        The SVG and the PNG.

    Raises:
        InputError: there is no change to draw.
        OutputError: the files cannot be written.
    """
    return canvas.save_picture(canvas.picture_stem(path), partial(_draw, comparison))


def difference_figure(comparison: Comparison) -> Any:
    """Draw what :func:`difference_plot` writes, as a figure of matplotlib.

    Raises:
        InputError: there is no change to draw.
    """
    return canvas.drawn_figure(partial(_draw, comparison))


def _draw(comparison: Comparison) -> Any:
    if not comparison.changes:
        raise InputError("no change to draw")
    methods = list(dict.fromkeys(c.method for c in comparison.changes))
    parts = [[c for c in comparison.changes if c.method == m] for m in methods]
    heights = [_STEP * len(part) + 0.12 for part in parts]
    figure, axes = canvas.stacked_panels(4.3, heights, _GAP)
    for axis, part in zip(axes, parts, strict=True):
        labels = ["overall" if c.kind == "overall" else canvas.fit(c.name) for c in part]
        canvas.label_rows(axis, labels, canvas.fit(method_title(part[0].method)))
        axis.axvline(0.0, zorder=0, **DASHED)
        for place, c in enumerate(part):
            colour = GREY if c.p_value is None else BLUE
            axis.plot([c.low, c.high], [place, place], color=colour, linewidth=1.6, solid_capstyle="butt")
            if c.verdict is not ChangeVerdict.NOT_COMPARABLE:
                canvas.draw_mark(axis, c.difference, place, colour, filled=c.found, marker="o", markersize=6)
            canvas.write_beside(axis, place, f"{digits(c.first)} to {digits(c.second)}")
    untested = "; grey: not tested" if any(c.p_value is None for c in comparison.changes) else ""
    axes[-1].set_xlabel(
        f"{canvas.fit(comparison.second)} minus {canvas.fit(comparison.first)}\n"
        f"{100 * comparison.confidence_level:g} % intervals; filled: a change was found{untested}"
    )
    return figure
