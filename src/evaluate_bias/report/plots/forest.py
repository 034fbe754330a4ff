"""Forest plots: scores with their intervals one below another, changes between two models, and a card's picture."""

from __future__ import annotations

import itertools
import math
import textwrap
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from ...errors import InputError
from ..compare.change import ChangeConclusion, digits
from ..conclusions import FILLED_MARK, OPEN_MARK, PART_MARK
from ..lines import SCORE_WITHOUT_TIES, ReportRow, method_title, score_name
from ..numbers import score_cell
from ..reading import Reading, RowReading, significance_note
from ..score_matrix import distinguishing_names, distinguishing_suffixes
from . import canvas
from .canvas import BLUE, DASHED, GREY, ORANGE, ReportPicture
from .heatmap import part_maps

if TYPE_CHECKING:
    from ..compare.comparison import Comparison

FEW_MODELS = 4
"""Up to so many models are next to each other in one picture, and can be told apart test by test."""
_TALLEST = 12.0
"""Inches of rows in one picture, as much as can be looked at. More go into further pictures."""
_GLANCE_ROWS = 12
"""Tests or groups in the picture of a card with one result."""


@dataclass(frozen=True, slots=True)
class Mark:
    """A value in a row of a picture.

    Attributes:
        y: place of the row from the top.
        value: where the mark is, ``None`` for a score that has no place on the scale.
        low, high: ends of its interval, or of another line behind it.
        filled: whether the mark is filled, which means significant.
        series: what it belongs to, such as a model. Series differ in colour and marker.
        parts: further values, of its tests or groups that are significant.
        ideal: the value that means that nothing was measured.
        note: numbers that are written to the right.
        colour: of the mark, instead of its series'.
    """

    y: int
    value: float | None
    low: float | None
    high: float | None
    filled: bool = True
    series: int = 0
    parts: tuple[float, ...] = ()
    ideal: float = 0.0
    note: str = ""
    colour: str = ""


def draw_marks(
    axis: Any,
    marks: Sequence[Mark],
    labels: Sequence[str],
    title: str,
    limits: tuple[float, float] | None = None,
) -> str:
    """Draw marks on labelled rows from the top down, with a line at the ideal value. Return what that line means.

    If rows differ in their ideal value, each has a line of its own. An interval that extends beyond the panel
    ends in an arrow.
    """
    left, right = limits or (-math.inf, math.inf)
    series = [[m.series for m in marks if m.y == y] for y in range(len(labels))]
    for m in marks:
        own_colour, marker = canvas.series_look(m.series)
        colour, of_row = m.colour or own_colour, series[m.y]
        y = m.y + 0.56 * (of_row.index(m.series) / (len(of_row) - 1) - 0.5) if len(of_row) > 1 else m.y
        if m.value is None:
            axis.annotate(
                "no common scale", (m.ideal, y), (8, 0), textcoords="offset points", va="center", color=GREY
            )
            continue
        if m.low is not None and m.high is not None:
            ends = [min(max(end, left), right) for end in (m.low, m.high)]
            axis.plot(ends, [y, y], color=colour, linewidth=1.6, solid_capstyle="butt", zorder=2)
            for end, value, arrow in zip(ends, (m.low, m.high), "<>", strict=True):
                if end != value:
                    axis.plot([end], [y], arrow, color=colour, clip_on=False)
        axis.plot(m.parts, [y] * len(m.parts), "d", color=ORANGE, markersize=5)
        look = {"markersize": 6, "markeredgewidth": 1.4, "zorder": 3}
        axis.plot(
            [m.value], [y], marker, color=colour, markerfacecolor=colour if m.filled else "white", **look
        )
        canvas.write_beside(axis, y, m.note)
    for i in range(1, len(labels), 2):
        axis.axhspan(i - 0.5, i + 0.5, color="#f4f4f4", linewidth=0, zorder=0)
    ideals = {m.ideal for m in marks}
    if len(ideals) == 1:
        axis.axvline(*ideals, **DASHED, zorder=1)
    else:
        for m in marks:
            axis.plot([m.ideal, m.ideal], [m.y - 0.45, m.y + 0.45], **DASHED, zorder=1)
    axis.set_xlim(limits)
    axis.set_yticks(range(len(labels)), labels)
    axis.tick_params(axis="y", length=0)
    axis.set_ylim(len(labels) - 0.5, -0.5)
    canvas.finish_panel(axis, canvas.fit(title), grid="x")
    return f"ideal {ideals.pop():g}" if len(ideals) == 1 else "ideal of each"


def mark_entries(
    marks: Sequence[Mark],
    interval: str,
    limits: tuple[float, float] = (-math.inf, math.inf),
    colour: str = GREY,
) -> list[Any]:
    """Return an entry of the legend for every kind of mark that is drawn."""
    placed = [m for m in marks if m.value is not None]
    ends = [end for m in placed for end in (m.low, m.high) if end is not None]
    kinds: list[tuple[bool, str, dict[str, Any]]] = [
        (any(m.filled for m in placed), FILLED_MARK, {"marker": "o"}),
        (any(m.parts for m in placed), PART_MARK, {"marker": "d", "color": ORANGE}),
        (not all(m.filled for m in placed), OPEN_MARK, {"marker": "o", "markerfacecolor": "white"}),
        (bool(ends), interval, {"linestyle": "-", "linewidth": 1.6}),
        (
            any(not limits[0] <= end <= limits[1] for end in ends),
            "it goes on beyond the panel",
            {"marker": ">"},
        ),
    ]
    return [
        canvas.legend_entry(label, **{"color": colour, **look}) for occurs, label, look in kinds if occurs
    ]


# --- scores of one method -----------------------------------------------------------------------------------------


def score_pictures(readings: Sequence[Reading]) -> dict[str, list[ReportPicture]]:
    """Return pictures of every score with its confidence interval by method, whose scores share a scale.

    Of a few models they have one row per test, of many one per model, followed by maps of tests or groups by model. A
    method with many rows has several pictures. If a method counts ties, the share of the decided units is
    drawn.

    Args:
        readings: of results of any methods and models, drawn in their order.

    Raises:
        InputError: the list of results is empty, or a score is too large for an axis.
    """
    if not readings:
        raise InputError("no result to plot")
    suffixes = distinguishing_suffixes([r.result for r in readings])
    pictures: dict[str, list[ReportPicture]] = {}
    for method in dict.fromkeys(r.result.method for r in readings):
        pairs = [(r, a) for r, a in zip(readings, suffixes, strict=True) if r.result.method == method]
        of_method, titles = [r for r, _ in pairs], {r.title for r, _ in pairs}
        title = titles.pop() if len(titles) == 1 else method_title(method)
        if len({r.model for r in of_method}) <= FEW_MODELS:
            rows = [row for r in of_method for row in r.rows if not row.line.headline]
            names = distinguishing_names([row.line for row in rows])
            keys = [(name, row.line.label) for name, row in zip(names, rows, strict=True)]
            score_rows: list[tuple[tuple[str, str], str, Reading | RowReading]] = [
                (key, row.line.model, row) for key, row in zip(keys, rows, strict=True)
            ]
            pictures[method] = _forests(score_rows, of_method, title, f"{title}: scores with their intervals")
            continue
        score_rows = [((r.model, ""), suffix.strip(" ()"), r) for r, suffix in pairs]
        pictures[method] = _forests(score_rows, of_method, title, f"{title}: scores with intervals by model")
        for suffix in dict.fromkeys(suffix for _, suffix in pairs):
            pictures[method] += part_maps([r for r, other in pairs if other == suffix], f"{title}{suffix}")
    return pictures


def _forests(
    score_rows: Sequence[tuple[tuple[str, str], str, Reading | RowReading]],
    readings: Sequence[Reading],
    title: str,
    caption: str,
) -> list[ReportPicture]:
    """Split rows of a method, each with its name, what it compares and its series, into pictures of similar length."""
    keys = list(dict.fromkeys(key for key, _, _ in score_rows))
    labels = list(itertools.starmap(_row_label, keys))
    series = list(dict.fromkeys(name for _, name, _ in score_rows))
    lines = [entry.line for _, _, entry in score_rows]
    marks = [
        replace(
            _mark_of(entry, keys.index(key), lambda line, value: value),
            series=series.index(name),
            ideal=entry.line.ideal,
            note=score_cell(entry.line.row) if len(series) == 1 else "",
        )
        for key, name, entry in score_rows
    ]
    limits = _limits(marks, lines[0].method)
    levels = sorted({line.result.confidence_level for line in lines if line.row.ci_low is not None})
    interval = f"{' / '.join(f'{100 * level:g}%' for level in levels)} interval"
    means = significance_note(readings) if any(line.decisive_p is not None for line in lines) else ""
    ties = any(line.row.ties and SCORE_WITHOUT_TIES in line.row.estimates for line in lines)
    what = f"{score_name(lines[0])}{' without ties' if ties else ''}"
    # Room for the markers of all series, and for the longest label.
    deepest = max(label.count("\n") + 1 for label in labels)
    step = max(0.3, 0.2 * len(series) + 0.15, 0.17 * deepest + 0.08)

    def draw(rows: range, on: Any) -> list[Any]:
        page_marks = [replace(m, y=m.y - rows.start) for m in marks if m.y in rows]
        (axis,) = canvas.panels(on, 4.3, [step * len(rows) + 0.1])
        ideal = draw_marks(axis, page_marks, [labels[y] for y in rows], title, limits)
        axis.set_xlabel(canvas.fit(f"{what} (dashed: {ideal})"))
        look: dict[str, Any] = {"markerfacecolor": "none", "linestyle": "-", "linewidth": 1.6}
        entries = [
            canvas.legend_entry(canvas.fit(name), color=colour, marker=marker, **look)
            for i, name in enumerate(series)
            if name
            for colour, marker in [canvas.series_look(i)]
        ]
        entries += mark_entries(page_marks, interval, limits)
        entries += [canvas.legend_entry("\n".join(textwrap.wrap(means, 60)))] if means else []
        canvas.add_legend(axis, entries, columns=2, centre=True)
        return [axis]

    parts = canvas.slices(len(labels), max(1, int(_TALLEST / step)))
    return canvas.paged("scores", caption, [partial(draw, rows) for rows in parts])


def _mark_of(
    entry: Reading | RowReading, y: int, place: Callable[[ReportRow, float | None], float | None]
) -> Mark:
    """Return the mark of a row or of a whole result. If it is not significant, it has the marks of parts that are."""
    line = entry.line
    value, low, high = (place(line, v) for v in (line.score, line.row.ci_low, line.row.ci_high))
    parts = (
        [p.line for p in entry.parts if p.filled] if isinstance(entry, Reading) and not entry.filled else []
    )
    places = [place(part, part.score) for part in parts]
    return Mark(y, value, low, high, entry.filled, parts=tuple(p for p in places if p is not None))


def _limits(marks: Sequence[Mark], method: str) -> tuple[float, float]:
    """Return limits that contain every score, the ideal, and as much of the intervals as keeps the scores readable."""
    pairs = [(m, m.value) for m in marks if m.value is not None]
    points = [p for m, value in pairs for p in (m.ideal, value, *m.parts)]
    reach = 3 * (max(abs(value - m.ideal) for m, value in pairs) or 1.0)
    ends = [(end, m.ideal) for m, _ in pairs for end in (m.low, m.high) if end is not None]
    points += [min(max(end, ideal - reach), ideal + reach) for end, ideal in ends]
    low, high = min(points), max(points)
    margin = 0.06 * ((high - low) or 1.0)
    if not math.isfinite(high - low + 2 * margin):
        raise InputError(f"the scores of {method} are too large to draw: they reach from {low:g} to {high:g}")
    return low - margin, high + margin


def _row_label(name: str, label: str) -> str:
    """Return the name and what is compared, on further lines if both do not fit on one."""
    text = f"{canvas.fit(name)}: {canvas.fit(label, 240)}" if label else canvas.fit(name)
    if not label or len(text) <= 38:
        return text
    lines = [line for part in text.replace(" — ", " —\n").split("\n") for line in textwrap.wrap(part, 58)]
    return "\n".join(lines if len(lines) <= 4 else [*lines[:3], f"{lines[3][:57]}…"])


# --- a card's picture ---------------------------------------------------------------------------------------------


def glance_marks(readings: Sequence[Reading], labels: Sequence[str]) -> tuple[list[Mark], list[str]]:
    """Return a mark and a label for each reading, or, of a single one, for each of its rows.

    Scores of different methods share one scale: 0 is the ideal value, 1 as far from it as the score can get. A score
    with an open end has no place on it.

    Args:
        readings: of the results to show.
        labels: what each is called.
    """
    rows: Sequence[Reading | RowReading] = readings
    if len(readings) == 1:
        rows = parts = [row for row in readings[0].rows if not row.line.headline][:_GLANCE_ROWS]
        labels = distinguishing_names([row.line for row in parts])
    return [_mark_of(entry, y, _share) for y, entry in enumerate(rows)], list(labels)


def _share(line: ReportRow, value: float | None) -> float | None:
    """Return the distance from the ideal value, as a share of the farthest that the score can be from it."""
    low, high = line.score_range
    if value is None or low is None or high is None:
        return None
    reach = max(high - line.ideal, line.ideal - low)
    return max(-1.0, min(1.0, (value - line.ideal) / reach)) if reach > 0 else None


def draw_glance(marks: Sequence[Mark], labels: Sequence[str], on: Any) -> list[Any]:
    """Draw marks of :func:`glance_marks`, as narrow as a telephone, so that letters stay readable there."""
    wrapped = ["\n".join(textwrap.wrap(canvas.fit(label, 72), 24)) for label in labels]
    step = max(0.3, *(0.16 * (label.count("\n") + 1) + 0.1 for label in wrapped))
    (axis,) = canvas.panels(on, 2.3, [step * len(marks)])
    draw_marks(axis, marks, wrapped, "", (-1.06, 1.06))
    axis.set_xticks([-1, 0, 1], ["← below", "ideal", "above →"])
    entries = mark_entries(marks, "interval")
    entries.append(canvas.legend_entry("the ends are as far from the\nideal as a score can go"))
    canvas.add_legend(axis, entries, columns=1, below=0.35, centre=True)
    return [axis]


# --- changes ------------------------------------------------------------------------------------------------------


def draw_changes(comparison: Comparison, on: Any) -> list[Any]:
    """Draw the changes of a comparison, one panel per method. A filled marker is a significant change.

    Args:
        comparison: what :func:`evaluate_bias.compare` returns.
        on: a figure, or axes for the changes of one method.

    Raises:
        InputError: the comparison has no change to draw.
    """
    if not comparison.changes:
        raise InputError("no change to draw")
    methods = list(dict.fromkeys(c.method for c in comparison.changes))
    by_method = [[c for c in comparison.changes if c.method == m] for m in methods]
    axes = canvas.panels(on, 4.3, [0.32 * len(changes) + 0.12 for changes in by_method], gap=0.62)
    for axis, changes in zip(axes, by_method, strict=True):
        marks = [
            Mark(
                y=y,
                value=math.nan if c.conclusion is ChangeConclusion.NOT_COMPARABLE else c.difference,
                low=c.low,
                high=c.high,
                filled=c.significant,
                note=f"{digits(c.first)} to {digits(c.second)}",
                colour=GREY if c.p_value is None else BLUE,
            )
            for y, c in enumerate(changes)
        ]
        labels = ["overall" if c.kind == "overall" else canvas.fit(c.name) for c in changes]
        draw_marks(axis, marks, labels, method_title(changes[0].method))
    untested = "; grey: not tested" if any(c.p_value is None for c in comparison.changes) else ""
    axes[-1].set_xlabel(
        f"{canvas.fit(comparison.second)} minus {canvas.fit(comparison.first)}\n"
        f"{100 * comparison.confidence_level:g}% intervals, filled: significant change{untested}"
    )
    return axes
