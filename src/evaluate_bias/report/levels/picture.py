"""The picture of a construct at its levels: one row for each, on the axis that they share."""

from __future__ import annotations

import textwrap
from functools import partial
from pathlib import Path
from typing import Any

from ...errors import InputError
from ..lines import short_title
from ..numbers import score_cell
from ..plots.canvas import (
    DASHED,
    GREY,
    add_legend,
    draw_mark,
    drawn_figure,
    label_rows,
    legend_entry,
    new_figure,
    picture_stem,
    save_picture,
    series_look,
    write_beside,
)
from ..plots.fonts import LabelFitter
from .level import Levels

_STEP = 0.42
"""Inches from one level to the next; more models need more."""


def levels_plot(found: Levels, path: str | Path) -> tuple[Path, Path]:
    """Draw the levels; a filled marker is an association, or its reverse, that was found.

    Args:
        found: what :func:`evaluate_bias.levels` returns.
        path: where to write, with or without ``.svg`` or ``.png``; both are written.

    Returns:
        The SVG and the PNG.

    Raises:
        InputError: no level has a place on the axis.
        OutputError: the files cannot be written.
    """
    svg, png = save_picture(picture_stem(path), partial(_draw, found))
    return svg, png


def levels_figure(found: Levels) -> Any:
    """Draw what :func:`levels_plot` writes, as a figure of matplotlib.

    Raises:
        InputError: no level has a place on the axis.
    """
    return drawn_figure(partial(_draw, found))


def _draw(found: Levels, fitter: LabelFitter) -> Any:
    shown = list(dict.fromkeys(row.level for row in found.rows))
    models = found.models
    marks = [(row, row.deviation) for row in found.rows if row.deviation is not None]
    if not marks:
        raise InputError("there is no level to draw: none was measured with a null distribution")
    step = max(_STEP, 0.2 * len(models) + 0.14)
    figure, (axis,) = new_figure(4.3, step * len(shown) + 0.12)
    axis.axvline(0.0, zorder=0, **DASHED)
    for row, at in marks:
        i = models.index(row.model)
        place = shown.index(row.level) + (i - (len(models) - 1) / 2) * 0.8 / max(len(models), 1)
        colour, marker = series_look(i)
        axis.plot([0.0, at], [place, place], color=colour, linewidth=1.2, alpha=0.45, zorder=2)
        draw_mark(axis, at, place, colour, filled=bool(row.side), marker=marker, markersize=6, zorder=3)
        if len(models) == 1 and row.line is not None:
            write_beside(axis, place, f"{short_title(row.method)} {score_cell(row.line)}")
    for place, level in enumerate(shown):
        if not any(row.level == level for row, _ in marks):
            measured = any(row.level == level and row.line is not None for row in found.rows)
            text = "no place on this axis" if measured else "not measured"
            axis.annotate(
                text, (0.02, place), xycoords=("axes fraction", "data"), va="center", fontsize=8, color=GREY
            )
    label_rows(axis, shown, "\n".join(textwrap.wrap(fitter.fit(found.construct.title), 60)))
    reach = max(2.5, *(abs(at) * 1.08 for _, at in marks))
    axis.set_xlim(-reach, reach)
    axis.set_xlabel(
        "score less its ideal value, in standard deviations of its null distribution\n"
        f"right of 0: {fitter.fit(found.construct.association)}"
    )
    entries = [
        legend_entry(fitter.fit(model), color=series_look(i)[0], marker=series_look(i)[1])
        for i, model in enumerate(models)
        if len(models) > 1
    ]
    sides = {bool(row.side) for row, _ in marks}
    look = {"color": GREY, "marker": "o"}
    entries += [legend_entry("found after correction", **look)] if True in sides else []
    entries += (
        [legend_entry("not found, or another verdict", markerfacecolor="white", **look)]
        if False in sides
        else []
    )
    add_legend(axis, entries, fitter, columns=2, below=0.72)
    return figure
