"""A picture of every item with its own interval, such as the words that a corpus puts beside two groups."""

from __future__ import annotations

from typing import Any

from ...data.schemas import WORD_LISTS
from ...registry import METHODS
from ...result import Result
from ..reading import Reading
from .axis import most_extreme
from .canvas import (
    COLOURS,
    DASHED,
    MARKERS,
    SMALL,
    add_grid,
    add_legend,
    add_title,
    draw_mark,
    is_small,
    legend_entry,
    new_figure,
)
from .fonts import LabelFitter

__all__ = ["intervals"]

_MOST = 60


def intervals(reading: Reading, fitter: LabelFitter) -> Any:
    """Draw the score of every item with its interval, from the highest to the lowest; filled where p is small."""
    result = reading.result
    given = [r for r in result.rows_of("item") if None not in (r.score, r.ci_low, r.ci_high)]
    ordered = sorted(given, key=lambda r: -(r.score or 0.0))
    shown = most_extreme(ordered, _MOST)
    names = _lists(result, fitter)
    lists = list(dict.fromkeys(str(r.labels.get("list", "")) for r in given))
    record = METHODS.get(result.method)
    ideal = next((r.ideal for r in shown if r.ideal is not None), record.ideal if record else result.ideal)
    figure, (axis,) = new_figure(5.4, 0.19 * len(shown) + 0.3)
    axis.axvline(ideal, **DASHED, zorder=1)
    for y, row in enumerate(shown):
        place = lists.index(str(row.labels.get("list", "")))
        colour, marker = COLOURS[place % len(COLOURS)], MARKERS[place % len(MARKERS)]
        axis.plot([row.ci_low, row.ci_high], [y, y], color=colour, linewidth=1.4, zorder=2)
        p = row.p_value if row.p_bh is None else row.p_bh
        draw_mark(axis, row.score, y, colour, filled=is_small(p), marker=marker, markersize=5.5, zorder=3)
    axis.set_yticks(range(len(shown)), [fitter.fit(r.name) for r in shown])
    axis.tick_params(axis="y", length=0, labelsize=8)
    axis.set_ylim(len(shown) - 0.4, -0.6)
    axis.set_ylabel("words, ordered by value")
    add_grid(axis)
    what = record.score_name.removeprefix("mean ") if record else f"{result.method} score"
    x, y_name = names["targets_x"], names["targets_y"]
    sides = f"beside {y_name}  ←   {what}   →  beside {x}" if x else what
    axis.set_xlabel(sides)
    add_title(axis, f"Every word with its {100 * result.ci_level:g}% interval")
    entries = [
        legend_entry(
            names.get(name) or name or "score",
            color=COLOURS[i % len(COLOURS)],
            marker=MARKERS[i % len(MARKERS)],
            linestyle="-",
        )
        for i, name in enumerate(lists)
    ]
    if any(r.p_value is not None for r in shown):
        entries.append(
            legend_entry(f"filled: {SMALL}, adjusted for the number of words", marker="o", color="#444444")
        )
    if len(shown) < len(ordered):
        entries.append(legend_entry(f"{len(ordered) - len(shown)} words between the ends are not drawn"))
    add_legend(axis, entries, fitter, columns=1, below=0.6, anchor="upper center")
    return figure


def _lists(result: Result, fitter: LabelFitter) -> dict[str, str]:
    """What the lists of words are called, where all tests say the same; empty otherwise."""
    found = {}
    for name, key in zip(WORD_LISTS, "xyab", strict=True):
        said = {t.labels.get(key, "") for t in result.rows_of("test")}
        found[name] = fitter.fit(said.pop()) if len(said) == 1 else ""
    return found
