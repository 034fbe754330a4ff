"""Pictures of words in a plane: a map of chosen features beside that of all, and the sweep over features."""

from __future__ import annotations

import cmath
import math
from collections.abc import Mapping, Sequence
from typing import Any

from ...result import Result
from ..numbers import ci_cell
from ..reading import Reading
from . import canvas
from .canvas import BLUE, GREY, ORANGE, SMALL, is_small

_SEQUENTIAL = "cividis"
_CLASS_MARKERS = ("^", "v", "s", "D", "P", "X")
_EXTREMES = 4
"""Words labelled at each end of the axis and of the statistic."""


def word_map(reading: Reading) -> Any:
    """Draw the words in both maps, coloured by the statistic."""
    result = reading.result
    details = result.details
    statistic = details["statistic"]
    panels = [(0.0, 0.0, 4.6, 4.6), (5.2, 0.0, 4.6, 4.6), (10.1, 0.7, 0.14, 3.2)]
    figure, (chosen, every, bar) = canvas.new_figure(10.4, 4.6, panels)
    n_kept = f"{details['n_features']} of {details['dimension']} features"
    if not result.settings.get("rotate", True):
        n_kept += " as they are"
    selection = {"statistic": statistic, "component": 1}
    rows = [r for r in result.rows_of("group") if selection.items() <= r.details.items()]
    of_all = f"all {details['dimension']} features"
    for axis, row, keys, features, explained in (
        (chosen, rows[0], ("component_1", "component_2"), n_kept, details["explained"]),
        (every, rows[1], ("pca_1", "pca_2"), of_all, details["explained_pca"]),
    ):
        points = _map_panel(axis, result, keys)
        correlation = f"r = {row.score:.2f} {ci_cell(row)} of axis 1"
        canvas.add_title(axis, f"{row.details['map']}: {features}\n{correlation}")
        axis.set_xlabel(f"axis 1 ({explained[0]:.0%} of the variance; {canvas.fit(details['positive'])} →)")
        axis.set_ylabel(f"axis 2 ({explained[1]:.0%})")
    colours = figure.colorbar(points, cax=bar)
    colours.set_label(canvas.fit(str(statistic)), fontsize=8)
    colours.outline.set_visible(False)
    _class_legend(chosen, result)
    return figure


def _map_panel(axis: Any, result: Result, keys: tuple[str, str]) -> Any:
    """One map; returns the coloured points."""
    statistic, protected = result.details["statistic"], result.details["protected"]
    known = [row for row in result.rows_of("item") if row.details["statistics"].get(statistic) is not None]
    values = [row.details["statistics"][statistic] for row in known]
    places = [_point(row.details, keys) for row in known]
    for group, marker in zip(result.details["classes"], _CLASS_MARKERS * 9, strict=False):
        members = [_point(word, keys) for word in protected if word["group"] == group]
        look = {"marker": marker, "markersize": 4.5, "markeredgecolor": "#9a9a9a", "markeredgewidth": 0.7}
        axis.plot(*zip(*members, strict=True), linestyle="none", markerfacecolor="none", zorder=2, **look)
    edge = {"edgecolors": "black", "linewidths": 0.4}
    points_drawn = axis.scatter(
        *zip(*places, strict=True), c=values, cmap=_SEQUENTIAL, s=26, zorder=4, **edge
    )
    axis.axvline(0.0, color="#bbbbbb", linewidth=0.6, zorder=1)
    axis.axhline(0.0, color="#bbbbbb", linewidth=0.6, zorder=1)
    axis.margins(0.08)
    axis.autoscale_view()
    axis.set_xlim(axis.get_xlim())
    axis.set_ylim(axis.get_ylim())
    orders = [sorted(range(len(known)), key=key.__getitem__) for key in ([x for x, _ in places], values)]
    ends = (order[k] for n in range(min(_EXTREMES, len(known))) for order in orders for k in (n, -1 - n))
    chosen = list(dict.fromkeys(ends))
    points = [*places, *(_point(word, keys) for word in protected)]
    label_points(axis, points, chosen, [canvas.fit(known[i].name) for i in chosen])
    return points_drawn


def _point(facts: Mapping[str, Any], keys: tuple[str, str]) -> tuple[float, float]:
    return float(facts[keys[0]]), float(facts[keys[1]])


def _class_legend(axis: Any, result: Result) -> None:
    hollow = {"markerfacecolor": "none", "markeredgecolor": "#888888"}
    entries = [
        canvas.legend_entry(f"{canvas.fit(str(group))} ({count} protected words)", marker=marker, **hollow)
        for (group, count), marker in zip(result.details["classes"].items(), _CLASS_MARKERS * 9, strict=False)
    ]
    words = f"{result.n} words to evaluate; the extremes of axis 1 and of the colour are labelled"
    entries.append(canvas.legend_entry(words, marker="o", markerfacecolor="#cccccc", markeredgecolor="black"))
    canvas.add_legend(axis, entries, columns=len(entries), below=0.55)


def feature_sweep(reading: Reading) -> Any:
    """Draw the size of the correlations over the number of features kept."""
    result = reading.result
    sweeps = result.details["sweep"]
    figure, axes = canvas.stacked_panels(6.0, [2.5] * len(sweeps), 0.9)
    for axis, (name, sweep) in zip(axes, sweeps.items(), strict=True):
        for component, colour, style, marker in ((1, BLUE, "-", "o"), (2, ORANGE, "--", "s")):
            rows = [r for r in sweep["rows"] if r["component"] == component]
            x = [r["n_features"] for r in rows]
            axis.plot(x, [r["abs_r"] for r in rows], color=colour, linestyle=style, linewidth=1.2, zorder=2)
            for row in rows:
                small, x = is_small(row["p_holm"]), row["n_features"]
                canvas.draw_mark(axis, x, row["abs_r"], colour, filled=small, marker=marker, markersize=6)
        axis.axvline(result.details["n_features"], color=GREY, linewidth=0.9, linestyle=":", zorder=1)
        axis.set_xscale("log", base=2)
        counts = {r["n_features"] for r in sweep["rows"]}
        ticks = sorted(n for n in counts if n & (n - 1) == 0 or n == result.details["dimension"])
        axis.set_xticks(ticks, [str(t) for t in ticks])
        axis.minorticks_off()
        axis.set_ylim(0.0, 1.0)
        canvas.add_grid(axis, "y")
        axis.set_ylabel("|r|")
        axis.set_xlabel("features kept")
        canvas.add_title(axis, canvas.fit(str(name)))
    filled = f"filled: {SMALL}, Holm-adjusted over the sweep"
    entries = [
        canvas.legend_entry("axis 1", color=BLUE, marker="o", linestyle="-"),
        canvas.legend_entry("axis 2", color=ORANGE, marker="s", linestyle="--"),
        canvas.legend_entry(f"the score: {result.details['n_features']} features", color=GREY, linestyle=":"),
        canvas.legend_entry(filled, marker="o", color=GREY),
    ]
    canvas.add_legend(axes[-1], entries, columns=2, below=0.6)
    return figure


_ANGLES = 16
_REACHES = (7.0, 11.0, 16.0, 23.0, 32.0, 44.0, 60.0)
"""Distances from point to label in points, tried from near to far."""


def label_points(
    axis: Any, points: Sequence[tuple[float, float]], labelled: Sequence[int], texts: Sequence[str]
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
    centred: dict[str, Any] = {"textcoords": "offset points", "ha": "center", "va": "center"}
    paper = {"facecolor": "white", "edgecolor": "none", "alpha": 0.8, "pad": 0.4}
    boxes: list[Any] = []
    for i, text in zip(labelled, texts, strict=True):
        note = axis.annotate(
            text, points[i], xytext=(0.0, 0.0), fontsize=7.5, zorder=6, bbox=paper, **centred
        )
        box = note.get_window_extent(renderer)
        width, height = box.width / scale, box.height / scale
        for offset in _offsets(width, height):
            room = _room(pixels[i], offset, box, scale)
            if _is_free(room, frame, boxes, pixels, scale):
                break
        else:
            note.remove()
            continue
        note.set_position(offset)
        boxes.append(room)
        if abs(offset[0]) > width / 2 + 8 or abs(offset[1]) > height / 2 + 8:
            line = {"arrowstyle": "-", "color": "#777777", "linewidth": 0.5, "shrinkA": 0.0, "shrinkB": 3.0}
            axis.annotate("", points[i], xytext=offset, textcoords="offset points", arrowprops=line, zorder=3)
    return len(boxes)


def _room(point: Any, offset: tuple[float, float], box: Any, scale: float) -> Any:
    """What a label takes up, in pixels, with a margin."""
    from matplotlib.transforms import Bbox

    x, y = point[0] + offset[0] * scale, point[1] + offset[1] * scale
    return Bbox.from_bounds(x - box.width / 2, y - box.height / 2, box.width, box.height).padded(1.5 * scale)


def _is_free(room: Any, frame: Any, boxes: Sequence[Any], pixels: Any, scale: float) -> bool:
    """Whether a label there lies in the frame and covers neither another label nor a point."""
    inside = frame.x0 <= room.x0 and room.x1 <= frame.x1 and frame.y0 <= room.y0 and room.y1 <= frame.y1
    return inside and not room.count_overlaps(boxes) and not room.padded(3 * scale).count_contains(pixels)


def _offsets(width: float, height: float) -> list[tuple[float, float]]:
    """Places around a point, in points, near ones first, beginning above it."""
    around = [cmath.rect(1.0, 2 * math.pi * k / _ANGLES) for k in range(_ANGLES)]
    places = ((way, width / 2 + reach, height / 2 + reach) for reach in _REACHES for way in around)
    return [(way.imag * x, way.real * y) for way, x, y in places]
