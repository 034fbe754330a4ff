"""Pictures of points: words in a plane, correlations by number of features, and one number over another."""

from __future__ import annotations

import cmath
import math
from collections.abc import Mapping, Sequence
from itertools import combinations, product
from typing import Any

import numpy as np

from ...result import Result
from ..lines import score_name
from ..numbers import ci_cell
from ..reading import Reading
from . import canvas
from .canvas import BLUE, GREY, ORANGE, SMALL, is_small

_CLASS_MARKERS = ("^", "v", "s", "D", "P", "X") * 9
_EXTREMES = 4
"""Words labelled at each end of the axis and of the statistic."""
_MIN_TESTS = 10
_MOST_MEASURES = 4
"""More measures would need more than six panels."""
_LABELLED = 30
"""Points of one panel that are labelled."""
_ANGLES = 16
_REACHES = (7.0, 11.0, 16.0, 23.0, 32.0, 44.0, 60.0)
"""Distances from point to label in points, tried from near to far."""


@canvas.kind(
    "map",
    "words in a plane, coloured by the number known of them",
    lambda result: all(map(result.details.get, ("sweep", "statistic", "classes", "protected"))),
)
def draw_word_map(reading: Reading, on: Any) -> list[Any]:
    """Draw words by chosen features and by all, coloured by the statistic."""
    result, details = reading.result, reading.result.details
    statistic, protected = details["statistic"], details["protected"]
    known = [row for row in result.rows_of("item") if row.details["statistics"].get(statistic) is not None]
    values = [row.details["statistics"][statistic] for row in known]
    correlations = [
        r
        for r in result.rows_of("group")
        if {"statistic": statistic, "component": 1}.items() <= r.details.items()
    ]
    n_kept = f"{details['n_features']} of {details['dimension']} features"
    n_kept += "" if result.settings.get("rotate", True) else " as they are"
    axes = canvas.panels(on, 4.6, [4.6, 4.6], gap=0.6, columns=2)
    for axis, row, keys, features, explained in (
        (axes[0], correlations[0], ("component_1", "component_2"), n_kept, details["explained"]),
        (
            axes[1],
            correlations[1],
            ("pca_1", "pca_2"),
            f"all {details['dimension']} features",
            details["explained_pca"],
        ),
    ):
        for group, marker in zip(details["classes"], _CLASS_MARKERS, strict=False):
            members = [_point(word, keys) for word in protected if word["group"] == group]
            look = {"markersize": 4.5, "markeredgecolor": "#9a9a9a", "markeredgewidth": 0.7, "zorder": 2}
            axis.plot(*zip(*members, strict=True), marker, markerfacecolor="none", **look)
        places = [_point(word.details, keys) for word in known]
        edge = {"edgecolors": "black", "linewidths": 0.4}
        points = axis.scatter(*zip(*places, strict=True), c=values, cmap="cividis", s=26, zorder=4, **edge)
        axis.axvline(0.0, color="#bbbbbb", linewidth=0.6, zorder=1)
        axis.axhline(0.0, color="#bbbbbb", linewidth=0.6, zorder=1)
        axis.margins(0.08)
        orders = [sorted(range(len(known)), key=key.__getitem__) for key in ([x for x, _ in places], values)]
        ends = (order[k] for n in range(min(_EXTREMES, len(known))) for order in orders for k in (n, -1 - n))
        chosen = list(dict.fromkeys(ends))
        everything = [*places, *(_point(word, keys) for word in protected)]
        label_points(axis, everything, chosen, [canvas.fit(known[i].name) for i in chosen])
        name = f"axis 1 ({explained[0]:.0%} of the variance; {canvas.fit(details['positive'])} →)"
        title = f"{row.details['map']}: {features}\nr = {row.score:.2f} {ci_cell(row)} of axis 1"
        canvas.finish_panel(axis, title, name, f"axis 2 ({explained[1]:.0%})")
    colours = axes[1].figure.colorbar(points, cax=axes[1].inset_axes((1.06, 0.15, 0.03, 0.7)))
    colours.set_label(canvas.fit(str(statistic)), fontsize=8)
    colours.outline.set_visible(False)
    hollow = {"markerfacecolor": "none", "markeredgecolor": "#888888"}
    entries = [
        canvas.legend_entry(f"{canvas.fit(str(group))} ({count} protected words)", marker=marker, **hollow)
        for (group, count), marker in zip(details["classes"].items(), _CLASS_MARKERS, strict=False)
    ]
    words = f"{result.n} words to evaluate, the extremes of axis 1 and of the colour are labelled"
    entries.append(canvas.legend_entry(words, marker="o", markerfacecolor="#cccccc", markeredgecolor="black"))
    canvas.add_legend(axes[0], entries, columns=len(entries))
    return axes


def _point(facts: Mapping[str, Any], keys: tuple[str, str]) -> tuple[float, float]:
    return float(facts[keys[0]]), float(facts[keys[1]])


@canvas.kind(
    "sweep",
    "size of the correlations over the number of features kept",
    lambda result: result.details.get("sweep"),
)
def draw_sweep(reading: Reading, on: Any) -> list[Any]:
    """Draw the size of the correlations over the number of features kept."""
    details = reading.result.details
    axes = canvas.panels(on, 6.0, [2.5] * len(details["sweep"]))
    for axis, (name, sweep) in zip(axes, details["sweep"].items(), strict=True):
        for component, colour, look in ((1, BLUE, "o-"), (2, ORANGE, "s--")):
            rows = [r for r in sweep["rows"] if r["component"] == component]
            x, y = [r["n_features"] for r in rows], [r["abs_r"] for r in rows]
            axis.plot(
                x, y, look, color=colour, linewidth=1.2, markerfacecolor="white", label=f"axis {component}"
            )
            small = [i for i, r in enumerate(rows) if is_small(r["p_holm"])]
            axis.plot([x[i] for i in small], [y[i] for i in small], look[0], color=colour)
        label = f"the score: {details['n_features']} features"
        axis.axvline(details["n_features"], color=GREY, linewidth=0.9, linestyle=":", zorder=1, label=label)
        axis.set_xscale("log", base=2)
        counts = {r["n_features"] for r in sweep["rows"]}
        ticks = sorted(n for n in counts if n & (n - 1) == 0 or n == details["dimension"])
        axis.set_xticks(ticks, [str(t) for t in ticks])
        axis.minorticks_off()
        axis.set_ylim(0.0, 1.0)
        canvas.finish_panel(axis, canvas.fit(str(name)), "features kept", "|r|", grid="y")
    small = canvas.legend_entry(f"filled: {SMALL}, Holm-adjusted over the sweep", marker="o", color=GREY)
    canvas.add_legend(axes[-1], [*axes[-1].get_legend_handles_labels()[0], small], columns=2)
    return axes


Panel = tuple[str, str, str, Mapping[str, tuple[float, float]]]
"""The names of two numbers, the title with their correlation, and the points by name."""


def _scatter_panels(result: Result) -> list[Panel]:
    """Return the panels of :func:`draw_scatter`, none if the result has no two numbers of the same things."""
    details = result.details
    if {"models", "scores", "turned"} <= set(details) and len(details["names"]) <= _MOST_MEASURES:
        names = [f"{n} (sign reversed)" if n in details["turned"] else n for n in details["names"]]
        by_model = list(zip(details["models"], details["scores"], strict=True))
        return [
            (
                names[a],
                names[b],
                f"{details['coefficient']} {r:.2f}",
                {m: (s[a], s[b]) for m, s in by_model if None not in (s[a], s[b])},
            )
            for a, b in combinations(range(len(names)), 2)
            if (r := details["r"][a][b]) is not None
        ]
    points = {
        row.name: (float(np.log10(row.details["mean_frequency"])), row.score)
        for row in result.rows_of("test")
        if row.details.get("mean_frequency") and row.score is not None
    }
    if len(points) < _MIN_TESTS or not np.ptp(list(points.values()), axis=0).all():
        return []
    r = np.corrcoef(list(points.values()), rowvar=False)[0, 1]
    name = "decimal logarithm of the mean frequency"
    return [(name, score_name(result), f"{len(points)} tests, Pearson correlation {r:.2f}", points)]


@canvas.kind(
    "scatter", "one number over another, with their correlation", lambda result: _scatter_panels(result)
)
def draw_scatter(reading: Reading, on: Any) -> list[Any]:
    """Draw one number over another, a panel for every two."""
    scatters = _scatter_panels(reading.result)
    axes = canvas.panels(on, 2.8, [2.8] * len(scatters), gap=1.0, columns=2)
    for axis, (x_name, y_name, title, points) in zip(axes, scatters, strict=True):
        axis.plot(*zip(*points.values(), strict=True), "o", color=BLUE, markersize=4, zorder=3)
        axis.margins(0.12)
        canvas.finish_panel(axis, title, canvas.fit(x_name, 40), canvas.fit(y_name, 40))
        names = [canvas.fit(name, 24) for name in points][:_LABELLED]
        label_points(axis, list(points.values()), range(len(names)), names)
    return axes


def label_points(
    axis: Any, points: Sequence[tuple[float, float]], labelled: Sequence[int], texts: Sequence[str]
) -> int:
    """Write labels near some points, each with a thin line to its point.

    Args:
        axis: axes of matplotlib, on a figure that is as large as it will be.
        points: all points, in data coordinates. Labels keep clear of them.
        labelled: positions of the points that get a label, the most important first.
        texts: their labels.

    Returns:
        Number of labels that found a free place. The others are omitted.
    """
    axis.set(xlim=axis.get_xlim(), ylim=axis.get_ylim())
    pixels, frame = (
        axis.transData.transform(np.asarray(points, dtype=float).reshape(-1, 2)),
        axis.get_window_extent(),
    )
    scale, boxes = axis.figure.dpi / 72.0, list[Any]()
    look: dict[str, Any] = {
        "bbox": {"facecolor": "white", "edgecolor": "none", "alpha": 0.8, "pad": 0.4},
        "arrowprops": {"arrowstyle": "-", "color": "#777777", "linewidth": 0.5, "shrinkB": 5.0},
    }
    for i, text in zip(labelled, texts, strict=True):
        where = {"xytext": (0.0, 0.0), "textcoords": "offset points", "ha": "center", "va": "center"}
        note = axis.annotate(text, points[i], fontsize=7.5, zorder=6, **where, **look)
        box = note.get_window_extent()
        for reach, angle in product(_REACHES, range(_ANGLES)):
            way = cmath.rect(1.0, 2 * math.pi * angle / _ANGLES)  # beginning above the point
            x, y = way.imag * (box.width / 2 + reach * scale), way.real * (box.height / 2 + reach * scale)
            room = box.translated(x, y).padded(1.5 * scale)
            inside = frame.contains(*room.min) and frame.contains(*room.max)
            if (
                inside
                and not room.count_overlaps(boxes)
                and not room.padded(3 * scale).count_contains(pixels)
            ):
                note.set_position((x / scale, y / scale))
                boxes.append(room)
                break
        else:
            note.remove()
    return len(boxes)
