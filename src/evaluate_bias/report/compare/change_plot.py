"""A picture of changes with their intervals, one line per score."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

from ...errors import InputError
from ..lines import method_title
from ..plots.canvas import (
    BLUE,
    DASHED,
    GREY,
    draw_mark,
    drawn_figure,
    label_rows,
    picture_stem,
    save_picture,
    stacked_panels,
    write_beside,
)
from ..plots.fonts import LabelFitter
from .change import Change, ChangeVerdict, digits
from .comparison import Comparison

_STEP = 0.32
"""Inches from one line to the next."""
_GAP = 0.62
"""Inches between panels: room for ticks and the next title."""


def difference_plot(comparison: Comparison, path: str | Path) -> tuple[Path, Path]:
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
    svg, png = save_picture(picture_stem(path), partial(_draw, comparison))
    return svg, png


def difference_figure(comparison: Comparison) -> Any:
    """Draw what :func:`difference_plot` writes, as a figure of matplotlib.

    Raises:
        InputError: there is no change to draw.
    """
    return drawn_figure(partial(_draw, comparison))


def _draw(comparison: Comparison, fitter: LabelFitter) -> Any:
    if not comparison.changes:
        raise InputError("there is no change to draw")
    methods = list(dict.fromkeys(c.method for c in comparison.changes))
    parts = [[c for c in comparison.changes if c.method == m] for m in methods]
    heights = [_STEP * len(part) + 0.12 for part in parts]
    figure, axes = stacked_panels(4.3, heights, _GAP)
    for axis, part in zip(axes, parts, strict=True):
        _panel(axis, part, fitter)
    untested = "; grey: not tested" if any(c.p_value is None for c in comparison.changes) else ""
    axes[-1].set_xlabel(
        f"{fitter.fit(comparison.second)} minus {fitter.fit(comparison.first)}\n"
        f"{100 * comparison.level:g} % intervals; filled: a change was found{untested}"
    )
    return figure


def _panel(axis: Any, changes: Sequence[Change], fitter: LabelFitter) -> None:
    labels = ["overall" if c.kind == "overall" else fitter.fit(c.name) for c in changes]
    label_rows(axis, labels, fitter.fit(method_title(changes[0].method)))
    axis.axvline(0.0, zorder=0, **DASHED)
    for place, c in enumerate(changes):
        colour = GREY if c.p_value is None else BLUE
        axis.plot([c.low, c.high], [place, place], color=colour, linewidth=1.6, solid_capstyle="butt")
        if c.verdict is not ChangeVerdict.NOT_COMPARABLE:
            draw_mark(axis, c.difference, place, colour, filled=c.found, marker="o", markersize=6, zorder=3)
        write_beside(axis, place, f"{digits(c.first)} to {digits(c.second)}")
