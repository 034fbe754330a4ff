"""A picture of one method's groups, such as bias types, side by side for a few models."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..lines import Line, score_name
from ..numbers import decimals
from ..verdict import FOUND, line_verdict
from .fonts import LabelFitter
from .picture import (
    add_grid,
    add_legend,
    add_title,
    draw_ideals,
    draw_interval,
    draw_mark,
    interval_entries,
    legend_entry,
    model_look,
    new_figure,
    verdict_entries,
    write_beside,
)

__all__ = ["group_bars"]


def group_bars(parts: Sequence[Sequence[Line]], title: str, kind: str, fitter: LabelFitter) -> Any:
    """Draw every group as a bar from the ideal value to its score, with its interval and number of units.

    Args:
        parts: the groups of every model.
        title: title of the picture.
        kind: what a group is, such as "bias type".
        fitter: what labels go through.
    """
    names = list(dict.fromkeys(r.name for lines in parts for r in lines))
    count = len(parts)
    figure, (axis,) = new_figure(4.6, (0.16 * count + 0.16) * len(names) + 0.1)
    thick = 0.8 / count
    points = [
        v for lines in parts for r in lines for v in (r.score, r.ideal, r.ci_low, r.ci_high) if v is not None
    ]
    low, high = min(points), max(points)
    margin = 0.06 * ((high - low) or 1.0)
    for k, lines in enumerate(parts):
        colour, marker = model_look(k)
        for r in lines:
            y = names.index(r.name) + (k - (count - 1) / 2) * thick
            axis.barh(
                y, r.score - r.ideal, left=r.ideal, height=thick * 0.86, color=colour, alpha=0.35, linewidth=0
            )
            draw_interval(axis, r, y, colour, 1.6)
            found = line_verdict(r) in FOUND
            draw_mark(axis, r.score, y, colour, filled=found, marker=marker, markersize=5, zorder=4)
            if count == 1:
                write_beside(axis, y, decimals(r.score) + ("" if r.n is None else f"  (n = {r.n})"))
    first = parts[0][0]
    ideal = draw_ideals(axis, {(names.index(r.name), r.ideal) for lines in parts for r in lines})
    axis.set_xlim(low - margin, high + margin)
    axis.set_ylim(len(names) - 0.5, -0.5)
    axis.set_yticks(range(len(names)), [fitter.fit(name) for name in names])
    axis.tick_params(axis="y", length=0)
    add_grid(axis)
    axis.set_xlabel(f"{score_name(first.method)} by {kind} (dashed: {ideal})")
    add_title(axis, fitter.fit(title))
    entries = []
    for k, lines in enumerate(parts):
        colour, marker = model_look(k)
        entries.append(legend_entry(fitter.fit(lines[0].model), color=colour, marker=marker))
    every = [r for lines in parts for r in lines]
    entries += [*verdict_entries(every), *interval_entries(every, linewidth=1.6)]
    add_legend(axis, entries, fitter, columns=1)
    return figure
