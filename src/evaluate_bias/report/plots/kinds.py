"""Which pictures results have: of the scores of several, and of a single one what its details make possible."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from ...errors import InputError, bad_option
from ...methods.word_lists import ON_AXIS
from ...result import Result
from ..escape import file_name
from ..reading import Reading, read, read_all
from . import canvas, distributions, maps  # these register kinds
from .canvas import KINDS, ReportPicture
from .forest import score_pictures
from .heatmap import overview_maps
from .words import words_on_axis

__all__ = ["distributions", "maps", "method_pictures", "overview_pictures", "plot_result"]


def method_pictures(reading: Reading) -> list[ReportPicture]:
    """Return the pictures that a result's details make possible, named by their kinds."""
    result, pictures = reading.result, []
    for name, (draw, shows, has_picture) in KINDS.items():
        if not has_picture(result):
            continue
        caption = f"{reading.title} on {reading.model}: {shows}"
        if name == "axis":
            ends = [
                (float(w[ON_AXIS]), str(w["word"])) for t in result.rows_of("test") for w in words_on_axis(t)
            ]
            (low, last), (high, first) = min(ends), max(ends)
            caption += f", from {first} ({high:.2f}) to {last} ({low:.2f})".replace("(-", "(−")
        pictures.append(ReportPicture(name, caption, partial(draw, reading)))
    return pictures


def overview_pictures(readings: Sequence[Reading]) -> list[ReportPicture]:
    """Return the pictures that results of several models, methods, languages or bias types make possible.

    - models by methods: a number in every cell, each method scaled by its own range with its ideal value in
      the middle.
    - for each method its scores with intervals, test by test for a few models, one row per model for many, and then
      its tests or groups by model.

    Raises:
        InputError: the list of results is empty.
    """
    if not readings:
        raise InputError("no result to plot")
    return overview_maps(readings) + [
        replace(picture, name=f"{file_name(method)}-{picture.name}")
        for method, pictures in score_pictures(readings).items()
        for picture in pictures
    ]


def plot_result(result: Result, kind: str | None = None, ax: Any = None) -> Any:
    """Draw a result for :meth:`Result.plot`, whose arguments these are."""
    from matplotlib import pyplot

    if kind is None:
        (pictures,) = score_pictures(read_all([result])).values()
    else:
        every = method_pictures(read(result))
        if not (pictures := [p for p in every if p.name == kind]):
            raise bad_option(
                "kind", kind, f"None, for the scores{''.join(f', or {p.name!r}' for p in every)}"
            )
    draw = pictures[0].draw
    with canvas.style():
        axes = draw(ax) if ax is not None else canvas.draw_on(pyplot.figure(layout="none"), draw)
    return axes[0] if len(axes) == 1 else axes
