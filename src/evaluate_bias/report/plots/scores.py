"""A picture of scores with their intervals, one line per test."""

from __future__ import annotations

import dataclasses
import math
from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from ...errors import InputError
from ...registry import METHODS
from ...result import Result
from ..escape import file_name
from ..lines import DECIDED, Line, of_decided, report_lines, with_remark
from ..numbers import score_cell
from ..verdict import Verdict, line_verdict
from .fonts import LabelFitter
from .picture import (
    add_grid,
    add_legend,
    add_title,
    draw_ideals,
    draw_mark,
    interval_entries,
    legend_entry,
    model_look,
    new_figure,
    picture_stem,
    save_picture,
    verdict_entries,
    write_beside,
)

__all__ = ["effect_plot", "forests", "numbered", "plots_by_method"]

_TALLEST = 12.0
"""Inches of places in one picture, as much as can be looked at; more go into further pictures."""


def effect_plot(results: Sequence[Result], path: str | Path) -> list[Path]:
    """Draw every score with its confidence interval, one line per test, models side by side.

    Every method gets a picture of its own, because their scores are on different scales, and a method with many
    lines several, so that none is taller than a page or two. A filled marker means p < 0.05 (Holm-adjusted where
    the method gives that). Where a method counts ties, the share of the decided units is drawn. An interval that
    leaves the panel ends in an arrow.

    Args:
        results: results of any methods and models, drawn in their order.
        path: where to write, with or without ``.svg`` or ``.png``; both are written. With several methods their
            names are added to the file's, and numbers where a method takes several pictures.

    Returns:
        The files of each picture, SVG first. Their bytes depend on the results and on matplotlib's version only.

    Raises:
        InputError: there is no result to draw, or a score is too large for an axis.
        OutputError: the files cannot be written.
    """
    return [file for files in plots_by_method(results, path).values() for file in files]


def plots_by_method(results: Sequence[Result], path: str | Path) -> dict[str, list[Path]]:
    """Do what :func:`effect_plot` does, and return the files by the method that they show."""
    drawings = forests(results)
    stem = picture_stem(path)
    written: dict[str, list[Path]] = {method: [] for method in drawings}
    for method, pages in drawings.items():
        for page, draw in enumerate(pages, 1):
            name = stem.name + (f"-{file_name(method)}" if len(drawings) > 1 else "")
            name += f"-{page}" if len(pages) > 1 else ""
            written[method] += save_picture(stem.with_name(name), draw)
    return written


def forests(
    results: Sequence[Result], wanted: Callable[[str], bool] = lambda method: True
) -> dict[str, list[Callable[[LabelFitter], Any]]]:
    """Return what draws the pictures of :func:`effect_plot`, by method.

    Args:
        results: results of any methods and models; p-values are adjusted for those of all.
        wanted: tells of which methods.

    Raises:
        InputError: there is no result to draw.
    """
    lines = of_decided(report_lines(results, headline=False))
    if not lines:
        raise InputError("there is no result to plot")
    methods = filter(wanted, dict.fromkeys(r.method for r in lines))
    by_method = {m: numbered([r for r in lines if r.method == m]) for m in methods}
    return {
        method: [
            partial(_forest, [r for r in part if (r.name, r.label) in places], _limits(part))
            for places in _pages(part)
        ]
        for method, part in by_method.items()
    }


def numbered(lines: Sequence[Line]) -> list[Line]:
    """The lines with a number in the names of those that would hide others of the same model."""
    seen: Counter[tuple[str, str, str]] = Counter()
    out = []
    for line in lines:
        key = line.model, line.name, line.label
        seen[key] += 1
        out.append(line if seen[key] == 1 else dataclasses.replace(line, name=f"{line.name} #{seen[key]}"))
    return out


_Place = tuple[str, str]
"""Name of a test, and what it compares: a place on the vertical axis, which several models share."""


def _pages(lines: Sequence[Line]) -> list[list[_Place]]:
    """The places of one method, cut into pictures of about equal length that are not too tall."""
    places = list(dict.fromkeys((r.name, r.label) for r in lines))
    most = max(1, int(_TALLEST / _step(lines, LabelFitter(needs_glyphs=False))))
    count = -(-len(places) // most)
    size = -(-len(places) // count)
    return [places[i : i + size] for i in range(0, len(places), size)]


def _step(lines: Sequence[Line], fitter: LabelFitter) -> float:
    """Inches from one line to the next: room for the markers of all models, and for the longest label."""
    models = len({r.model for r in lines})
    deepest = max(_label(r.name, r.label, fitter).count("\n") + 1 for r in lines)
    return max(0.45, 0.2 * models + 0.15, 0.17 * deepest + 0.08)


def _forest(lines: Sequence[Line], limits: tuple[float, float], fitter: LabelFitter) -> Any:
    """One method's lines on an axis with these limits."""
    models = list(dict.fromkeys(r.model for r in lines))
    places = list(dict.fromkeys((r.name, r.label) for r in lines))
    figure, (axis,) = new_figure(4.3, _step(lines, fitter) * len(places) + 0.1)
    _panel(axis, lines, places, models, limits, fitter)
    add_legend(axis, _legend_entries(models, lines, fitter), fitter, columns=2, anchor="upper center")
    return figure


def _panel(
    axis: Any,
    lines: Sequence[Line],
    places: Sequence[_Place],
    models: Sequence[str],
    limits: tuple[float, float],
    fitter: LabelFitter,
) -> None:
    method = lines[0].method
    record = METHODS.get(method)
    low, high = limits
    ideals = {(places.index((r.name, r.label)), r.ideal) for r in lines}
    ideal = draw_ideals(axis, ideals)
    here = [m for m in models if any(r.model == m for r in lines)]
    at: dict[_Place, list[str]] = {place: [] for place in places}
    for model, place in dict.fromkeys((r.model, (r.name, r.label)) for r in lines):
        at[place].append(model)
    for line in lines:
        there = at[line.name, line.label]
        offset = 0.0 if len(there) == 1 else 0.56 * (there.index(line.model) / (len(there) - 1) - 0.5)
        _mark(axis, line, places.index((line.name, line.label)) + offset, models.index(line.model), low, high)
    for i in range(1, len(places), 2):
        axis.axhspan(i - 0.5, i + 0.5, color="#f4f4f4", linewidth=0, zorder=0)
    axis.set_xlim(low, high)
    axis.set_ylim(len(places) - 0.5, -0.5)
    axis.set_yticks(range(len(places)), [_label(*p, fitter) for p in places])
    axis.tick_params(axis="y", length=0)
    add_grid(axis)
    what = record.score_name if record else f"{method} score"
    if any(r.ties and DECIDED in r.estimates for r in lines):
        what += " without ties"
    axis.set_xlabel(fitter.fit(f"{what} (dashed: {ideal})"))
    add_title(axis, fitter.fit(with_remark(record.title if record else method, lines)))
    if len(here) == 1:
        for line in lines:
            write_beside(axis, places.index((line.name, line.label)), score_cell(line))


def _mark(axis: Any, line: Line, y: float, place: int, low: float, high: float) -> None:
    colour, marker = model_look(place)
    if line.ci_low is not None and line.ci_high is not None:
        start, end = max(line.ci_low, low), min(line.ci_high, high)
        axis.plot([start, end], [y, y], color=colour, linewidth=1.6, solid_capstyle="butt", zorder=2)
        for value, limit, arrow in ((line.ci_low, low, "<"), (line.ci_high, high, ">")):
            beyond = value < limit if arrow == "<" else value > limit
            style = {"marker": arrow, "markersize": 6} if beyond else {"marker": "|", "markersize": 7}
            position = limit if beyond else value
            axis.plot([position], [y], color=colour, linestyle="none", clip_on=False, zorder=2, **style)
    look = {"marker": marker, "markersize": 6.5, "markeredgewidth": 1.4, "zorder": 3}
    draw_mark(axis, line.score, y, colour, filled=line_verdict(line) is Verdict.FOUND, **look)


def _limits(lines: Sequence[Line]) -> tuple[float, float]:
    """Limits that hold every score and the ideal, and intervals as far as these leave the scores readable."""
    points = [p for r in lines for p in (r.ideal, r.score)]
    reach = 3 * (max(abs(r.score - r.ideal) for r in lines) or 1.0)
    ends = [(e, r.ideal) for r in lines for e in (r.ci_low, r.ci_high) if e is not None]
    points += [min(max(end, ideal - reach), ideal + reach) for end, ideal in ends]
    low, high = min(points), max(points)
    margin = 0.06 * ((high - low) or 1.0)
    if not math.isfinite(high - low + 2 * margin):
        raise InputError(
            f"the scores of {lines[0].method} are too large to draw: they reach from {low:g} to {high:g}"
        )
    return low - margin, high + margin


def _label(name: str, label: str, fitter: LabelFitter) -> str:
    """The name, and what is compared on further lines when both do not fit on one."""
    if not label:
        return fitter.fit(name)
    text = f"{fitter.fit(name)}: {fitter.fit(label, 240)}"
    return text if len(text) <= 38 else "\n".join(_wrapped(text))


def _wrapped(text: str, width: int = 58) -> list[str]:
    import textwrap

    first, dash, second = text.partition(" — ")
    parts = [f"{first} —", second] if dash else [first]
    lines = [line for part in parts for line in textwrap.wrap(part, width)]
    return lines if len(lines) <= 4 else [*lines[:3], lines[3][: width - 1] + "…"]


def _legend_entries(models: Sequence[str], lines: Sequence[Line], fitter: LabelFitter) -> list[Any]:
    entries = [
        legend_entry(fitter.fit(model), color=colour, marker=marker, linestyle="-", linewidth=1.6)
        for model, (colour, marker) in zip(models, map(model_look, range(len(models))), strict=True)
    ]
    return [*entries, *verdict_entries(lines), *interval_entries(lines, marker="|", linewidth=1.6)]
