"""A picture of the scores of a training run."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

from ..errors import InputError
from ..report.plots.canvas import (
    BLUE,
    DASHED,
    GREY,
    ORANGE,
    add_grid,
    add_legend,
    add_title,
    legend_entry,
    picture_stem,
    save_picture,
    stacked_panels,
)
from ..report.plots.fonts import LabelFitter
from .bisection import Bisection, Curve

_WIDTH, _HEIGHT, _GAP = 5.2, 1.5, 0.45
"""Of a panel, and between two, in inches."""
_MOST_LABELS = 16


def curve_plot(bisection: Bisection, path: str | Path) -> tuple[Path, Path]:
    """Draw each score over the checkpoints, with its band; where a change was found is shaded.

    Args:
        bisection: what :func:`bisect` returns.
        path: where to write, with or without ``.svg`` or ``.png``; both are written.

    Returns:
        The SVG and the PNG.

    Raises:
        InputError: there is no score to draw.
        OutputError: the files cannot be written.
    """
    if not bisection.curves:
        raise InputError("there is no score to draw")
    svg, png = save_picture(picture_stem(path), partial(_draw, bisection))
    return svg, png


def _draw(bisection: Bisection, fitter: LabelFitter) -> Any:
    figure, axes = stacked_panels(_WIDTH, [_HEIGHT] * len(bisection.curves), _GAP)
    for axis, curve in zip(axes, bisection.curves, strict=True):
        _panel(axis, curve, len(bisection.checkpoints), fitter)
        axis.tick_params(axis="x", labelbottom=False)
    labels, title = _labels(bisection, fitter)
    long = max(map(len, labels.values())) > 6
    axes[-1].tick_params(axis="x", labelbottom=True)
    for axis in axes:
        axis.set_xticks(list(labels))
    axes[-1].set_xticklabels(labels.values(), rotation=30 if long else 0, ha="right" if long else "center")
    axes[-1].set_xlabel(title)
    entries = [
        legend_entry("score", color=BLUE, marker="o", linestyle="-"),
        legend_entry(
            f"{100 * bisection.level:g} % interval", color=BLUE, alpha=0.25, linewidth=7, linestyle="-"
        ),
        legend_entry("ideal value", **DASHED),
        legend_entry("a change was found", color=ORANGE, alpha=0.25, linewidth=7, linestyle="-"),
    ]
    if len(bisection.measured) < len(bisection.checkpoints):
        entries.append(legend_entry("not measured", color=GREY, marker="|"))
    add_legend(axes[-1], entries, fitter, columns=3, below=1.0 if long else 0.6)
    return figure


def _panel(axis: Any, curve: Curve, n: int, fitter: LabelFitter) -> None:
    places = [p.place for p in curve.points]
    for step in curve.changes:
        axis.axvspan(step.first, step.second, color=ORANGE, alpha=0.2, linewidth=0, zorder=0)
    banded = [(p.place, p.low, p.high) for p in curve.points if p.low is not None and p.high is not None]
    if banded:
        at, low, high = zip(*banded, strict=True)
        axis.fill_between(at, low, high, color=BLUE, alpha=0.2, linewidth=0)
        axis.vlines(at, low, high, color=BLUE, linewidth=0.8, alpha=0.6)
    axis.plot(places, [p.score for p in curve.points], "-o", color=BLUE, markersize=4, linewidth=1.2)
    axis.axhline(curve.ideal, zorder=0, **DASHED)
    unmeasured = sorted(set(range(n)) - set(places))
    axis.plot(unmeasured, [0.03] * len(unmeasured), "|", color=GREY, transform=axis.get_xaxis_transform())
    axis.set_xlim(-0.3, n - 0.7)
    add_grid(axis, along="y")
    add_title(axis, fitter.fit(curve.title))


def _labels(bisection: Bisection, fitter: LabelFitter) -> tuple[dict[int, str], str]:
    """Names at the checkpoints that were measured, without what all have in common, which is the axis' name."""
    names = bisection.checkpoints
    common = next((names[0][:k] for k, both in enumerate(zip(*names, strict=False)) if len({*both}) > 1), "")
    common = common.rstrip("0123456789")
    if any(name == common for name in names):
        common = ""
    step = -(-len(bisection.measured) // _MOST_LABELS)
    shown = sorted({*bisection.measured[::step], bisection.measured[-1]})
    return {place: fitter.fit(names[place][len(common) :]) for place in shown}, common.rstrip(
        "-_./@ "
    ) or "checkpoint"
