"""Labels beside points so that none covers another label or a point, in a way that repeats."""

from __future__ import annotations

import cmath
import math
from collections.abc import Sequence
from typing import Any

__all__ = ["label_points"]

_ANGLES = 16
_REACHES = (7.0, 11.0, 16.0, 23.0, 32.0, 44.0, 60.0)
"""Distances from point to label in points, tried from near to far."""


def label_points(
    axis: Any,
    points: Sequence[tuple[float, float]],
    labelled: Sequence[int],
    texts: Sequence[str],
) -> int:
    """Write labels near some points, with a thin line to the point where they stand further away.

    Args:
        axis: matplotlib axes with its limits set, on a figure that is as large as it will be.
        points: all points, in data coordinates; labels keep clear of them.
        labelled: positions of the points that get a label, the most important first.
        texts: their labels.

    Returns:
        Number of labels that found a free place; the others are not written.
    """
    import numpy as np

    renderer = axis.figure.canvas.get_renderer()
    pixels = axis.transData.transform(np.asarray(points, dtype=float).reshape(-1, 2))
    scale = axis.figure.dpi / 72.0
    frame = axis.get_window_extent(renderer)
    taken: list[Any] = []
    placed = 0
    for i, text in zip(labelled, texts, strict=True):
        note = axis.annotate(
            text,
            points[i],
            xytext=(0.0, 0.0),
            textcoords="offset points",
            fontsize=7.5,
            ha="center",
            va="center",
            zorder=6,
            bbox={"facecolor": "white", "edgecolor": "none", "alpha": 0.8, "pad": 0.4},
        )
        box = note.get_window_extent(renderer)
        free = next(
            (
                (offset, room)
                for offset in _offsets(box.width / scale, box.height / scale)
                if _is_free(room := _room(pixels[i], offset, box, scale), frame, taken, pixels, scale)
            ),
            None,
        )
        if free is None:
            note.remove()
            continue
        offset, room = free
        note.set_position(offset)
        taken.append(room)
        placed += 1
        if abs(offset[0]) > box.width / scale / 2 + 8 or abs(offset[1]) > box.height / scale / 2 + 8:
            line = {"arrowstyle": "-", "color": "#777777", "linewidth": 0.5, "shrinkA": 0.0, "shrinkB": 3.0}
            axis.annotate("", points[i], xytext=offset, textcoords="offset points", arrowprops=line, zorder=3)
    return placed


def _room(point: Any, offset: tuple[float, float], box: Any, scale: float) -> Any:
    """What a label takes up, in pixels, with a margin."""
    from matplotlib.transforms import Bbox

    x, y = point[0] + offset[0] * scale, point[1] + offset[1] * scale
    return Bbox.from_bounds(x - box.width / 2, y - box.height / 2, box.width, box.height).padded(1.5 * scale)


def _is_free(room: Any, frame: Any, taken: Sequence[Any], pixels: Any, scale: float) -> bool:
    """Whether a label there lies in the frame and covers neither another label nor a point."""
    inside = frame.x0 <= room.x0 and room.x1 <= frame.x1 and frame.y0 <= room.y0 and room.y1 <= frame.y1
    return inside and not room.count_overlaps(taken) and not room.padded(3 * scale).count_contains(pixels)


def _offsets(width: float, height: float) -> list[tuple[float, float]]:
    """Places around a point, in points, near ones first, beginning above it."""
    around = [cmath.rect(1.0, 2 * math.pi * k / _ANGLES) for k in range(_ANGLES)]
    return [
        (way.imag * (width / 2 + reach), way.real * (height / 2 + reach))
        for reach in _REACHES
        for way in around
    ]
