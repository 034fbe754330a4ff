"""A picture of one method's score with its interval by language and model, however many models there are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..escape import shorten
from ..lines import Line, score_name
from ..score_matrix import ScoreMatrix
from ..verdict import FOUND, found_means, result_verdict
from .fonts import LabelFitter
from .picture import (
    BLUE,
    DASHED,
    ORANGE,
    add_grid,
    add_title,
    draw_mark,
    interval_entries,
    legend_entry,
    new_figure,
)

__all__ = ["score_strip"]

_COLUMNS, _PANEL, _GAP = 3, 2.6, 0.28
_ROW = 0.26
_LONGEST = 38


def score_strip(
    lines: Sequence[Sequence[Line]],
    matrix: ScoreMatrix,
    models: Sequence[int],
    title: str,
    fitter: LabelFitter,
) -> Any:
    """Draw one panel per measurement (language), with a line per model: score, interval, and its parts as ticks.

    Args:
        lines: those of every result of one method, as :func:`..lines.of_decided` gives them.
        matrix: these results by model and measurement.
        models: places of the models to draw.
        title: title of the picture.
        fitter: what labels go through.
    """
    shown = [j for j in range(len(matrix.measurements)) if any((i, j) in matrix.cells for i in models)]
    across = min(_COLUMNS, len(shown))
    down = -(-len(shown) // across)
    tall = _ROW * len(models) + 0.12
    step = tall + 0.62
    width, height = across * _PANEL + (across - 1) * _GAP, down * step - 0.62
    panels = [
        ((k % across) * (_PANEL + _GAP), height - tall - (k // across) * step, _PANEL, tall)
        for k in range(len(shown))
    ]
    figure, axes = new_figure(width, height, panels)
    low, high = _limits([lines[i] for i in matrix.cells.values()])
    for k, (axis, j) in enumerate(zip(axes, shown, strict=True)):
        for y, model in enumerate(models):
            if (place := matrix.cells.get((model, j))) is not None:
                _draw(axis, y, lines[place], low, high)
            else:
                axis.annotate("not measured", (0.5, y), xycoords=("axes fraction", "data"), ha="center", va="center",
                              fontsize=7, color="#777777")  # fmt: skip
        for y in range(1, len(models), 2):
            axis.axhspan(y - 0.5, y + 0.5, color="#f4f4f4", linewidth=0, zorder=0)
        first = next(lines[matrix.cells[i, j]][0] for i in models if (i, j) in matrix.cells)
        axis.axvline(first.ideal, **DASHED, zorder=1)
        axis.set_xlim(low, high)
        axis.set_ylim(len(models) - 0.5, -0.5)
        names = (
            [shorten(fitter.fit(matrix.models[i]), _LONGEST) for i in models]
            if k % across == 0
            else [""] * len(models)
        )
        axis.set_yticks(range(len(models)), names)
        axis.tick_params(axis="y", length=0)
        add_grid(axis)
        heading = _heading(matrix, j) if len(shown) > 1 else ""
        add_title(axis, shorten(fitter.fit(heading), _LONGEST) if heading else fitter.fit(title))
        if k >= len(shown) - across:
            axis.set_xlabel(f"{score_name(first.method)}\n(dashed: ideal {first.ideal:g})", fontsize=8)
    if len(shown) > 1:
        above = {"xycoords": "axes fraction", "textcoords": "offset points"}
        axes[0].annotate(
            fitter.fit(title), (0.0, 1.0), xytext=(0.0, 26.0), fontsize=11, fontweight="bold", **above
        )
    _legend(figure, axes[(down - 1) * across], lines, fitter)
    return figure


def _heading(matrix: ScoreMatrix, j: int) -> str:
    """What tells a measurement from the others of its method."""
    measurement = matrix.measurements[j]
    return measurement.label.removeprefix(measurement.method).strip(" ()")


def _limits(lines: Sequence[Sequence[Line]]) -> tuple[float, float]:
    """Limits that hold every score, and intervals as far as these leave the scores readable."""
    points = [v for own in lines for r in own for v in (r.score, r.ideal)]
    least, most = min(points), max(points)
    room = (most - least) or 1.0
    ends = [e for own in lines for e in (own[0].ci_low, own[0].ci_high) if e is not None]
    points += [min(max(e, least - room), most + room) for e in ends]
    least, most = min(points), max(points)
    margin = 0.05 * ((most - least) or 1.0)
    return least - margin, most + margin


def _draw(axis: Any, y: int, lines: Sequence[Line], low: float, high: float) -> None:
    """The score as a marker, filled where something was found; tests or groups as ticks in another colour."""
    line, found = lines[0], result_verdict(lines).verdict in FOUND
    parts = [r.score for r in lines[1:] if r.kind != "overall"]
    axis.plot(
        parts,
        [y] * len(parts),
        color=ORANGE,
        linestyle="none",
        marker="|",
        markersize=6,
        alpha=0.75,
        zorder=2,
    )
    if line.ci_low is not None and line.ci_high is not None:
        ends = [min(max(e, low), high) for e in (line.ci_low, line.ci_high)]
        axis.plot(ends, [y, y], color=BLUE, linewidth=1.8, solid_capstyle="butt", zorder=3)
        for value, end, beyond in ((line.ci_low, ends[0], "<"), (line.ci_high, ends[1], ">")):
            if value != end:
                axis.plot(
                    [end],
                    [y],
                    color=BLUE,
                    marker=beyond,
                    markersize=5,
                    linestyle="none",
                    clip_on=False,
                    zorder=3,
                )
    look = {"marker": "o", "markersize": 5.5, "markeredgewidth": 1.3, "zorder": 4}
    draw_mark(axis, line.score, y, BLUE, filled=found, **look)


def _legend(figure: Any, axis: Any, lines: Sequence[Sequence[Line]], fitter: LabelFitter) -> None:
    every = [r for own in lines for r in own]
    entries = [legend_entry("Score", color=BLUE, marker="o")]
    if any(r.decisive_p is not None for r in every):
        entries = [
            legend_entry(
                "Score; filled: " + found_means(every, short=True).replace("Found", "found"),
                color=BLUE,
                marker="o",
            ),
            legend_entry("Score; any other verdict", color=BLUE, marker="o", markerfacecolor="white"),
        ]
    entries += interval_entries(every, color=BLUE, linewidth=1.8)
    if any(len(own) > 1 for own in lines):
        kind = "One of its tests" if any(r.kind == "test" for r in every) else "One of its groups"
        entries.append(legend_entry(kind, color=ORANGE, marker="|", markersize=7))
    if fitter.footnote:
        entries.append(legend_entry(fitter.footnote))
    height = axis.get_position().height * figure.get_figheight()
    axis.legend(
        handles=entries, loc="upper left", bbox_to_anchor=(0.0, -0.62 / height), borderaxespad=0.0, fontsize=8
    )
