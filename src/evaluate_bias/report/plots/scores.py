"""Pictures of scores with their intervals, and of many results at once: models by methods, agreement of methods."""

from __future__ import annotations

import dataclasses
import math
import textwrap
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from ...errors import InputError, bad_option
from ...result import Result
from ..escape import file_name, file_names
from ..lines import SCORE_WITHOUT_TIES, ReportRow, method_title, score_name
from ..numbers import score_cell
from ..reading import Reading, RowReading, found_means, read, read_all
from ..score_matrix import (
    ScoreMatrix,
    distinguishing_names,
    distinguishing_suffixes,
    result_language,
    score_matrix,
)
from ..verdict import FILLED_MARK, OPEN_MARK, PART_MARK
from . import canvas
from .canvas import GREY, ORANGE, ReportPicture
from .cells import correlations_across_models, draw_agreement, score_map, slices
from .details import method_pictures

FEW_MODELS = 4
"""Up to so many models stand side by side in one picture, and can be told apart test by test."""
MOST_ROWS = 40
"""Of one map; more go into further pictures."""
_TALLEST = 12.0
"""Inches of places in one picture, as much as can be looked at; more go into further pictures."""

_Place = tuple[str, str]
"""Name of a test or model, and what it compares: a place on the vertical axis, which several series share."""


@dataclass(frozen=True, slots=True)
class _DrawnScore:
    """A score in a picture: its place, the series that it is of, what may be said of it, and its parts."""

    place: _Place
    series: str
    reading: Reading | RowReading
    line: ReportRow
    parts: tuple[float, ...] = ()


def effect_plot(results: Sequence[Result], path: str | Path) -> list[Path]:
    """Draw every score with its confidence interval: of a few models one line per test, of many one per model.

    Every method gets a picture of its own, because their scores are on different scales, and a method with many
    lines several, so that none is taller than a page or two. A filled marker was found. Where a method counts ties,
    the share of the decided units is drawn. An interval that leaves the panel ends in an arrow.

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
    pictures = named_score_pictures(read_all(results), path)
    return [file for stem, picture in pictures for file in canvas.save_picture(stem, picture.draw)]


def named_score_pictures(readings: Sequence[Reading], path: str | Path) -> list[tuple[Path, ReportPicture]]:
    """The pictures of :func:`effect_plot`, undrawn, each with the name of its files but for their endings."""
    pictures_of_method, stem, named_pictures = score_pictures(readings), canvas.picture_stem(path), []
    for method, pictures in pictures_of_method.items():
        of_method = f"-{file_name(method)}" if len(pictures_of_method) > 1 else ""
        for page, picture in enumerate(pictures, 1):
            end = f"-{page}" if len(pictures) > 1 else ""
            named_pictures.append((stem.with_name(f"{stem.name}{of_method}{end}"), picture))
    return named_pictures


def result_figure(result: Result, kind: str | None = None) -> Any:
    """Return the first picture of :func:`effect_plot` as a figure, or one of the method's own; a notebook shows it.

    Args:
        result: the result of any method.
        kind: a name of :func:`~.details.picture_names`.

    Raises:
        InputError: there is no score to draw, or the result has no picture of this kind.
    """
    if kind is not None:
        pictures = {picture.name: picture for picture in method_pictures(read(result))}
        if kind not in pictures:
            raise bad_option(
                "kind", kind, f"None, for the scores{''.join(f', or {name!r}' for name in pictures)}"
            )
        return canvas.drawn_figure(pictures[kind].draw)
    return canvas.drawn_figure(next(iter(score_pictures(read_all([result])).values()))[0].draw)


def score_pictures(readings: Sequence[Reading]) -> dict[str, list[ReportPicture]]:
    """Return the pictures of :func:`effect_plot` by method, and of many models maps of tests or groups by model.

    Raises:
        InputError: there is nothing to draw, or a score is too large for an axis.
    """
    if not readings:
        raise InputError("no result to plot")
    suffixes = distinguishing_suffixes([r.result for r in readings])
    out = {}
    for method in dict.fromkeys(r.result.method for r in readings):
        of_this_method = [
            (r, a) for r, a in zip(readings, suffixes, strict=True) if r.result.method == method
        ]
        of_method, titles = [r for r, _ in of_this_method], {r.title for r, _ in of_this_method}
        title = titles.pop() if len(titles) == 1 else method_title(method)
        if len({r.model for r in of_method}) <= FEW_MODELS:
            marks = _marks_of_rows(of_method)
            out[method] = _forests(marks, of_method, title, f"{title}: scores with their intervals")
            continue
        # Whole results, with the parts of them that were found where they are not.
        marks = _numbered(
            _DrawnScore(
                (r.model, ""),
                a.strip(" ()"),
                r,
                r.head.line,
                () if r.filled else tuple(row.line.score for row in r.parts if row.filled),
            )
            for r, a in of_this_method
        )
        out[method] = _forests(marks, of_method, title, f"{title}: scores with intervals by model")
        for a in dict.fromkeys(a for _, a in of_this_method):
            out[method] += _part_maps([r for r, other in of_this_method if other == a], f"{title}{a}")
    return out


def _marks_of_rows(readings: Sequence[Reading]) -> list[_DrawnScore]:
    """The rows of readings, each told apart from those of other readings."""
    rows = [row for r in readings for row in r.rows if not row.line.headline]
    names = distinguishing_names([row.line for row in rows])
    return _numbered(
        _DrawnScore((name, row.line.label), row.line.model, row, row.line)
        for name, row in zip(names, rows, strict=True)
    )


def _numbered(marks: Iterable[_DrawnScore]) -> list[_DrawnScore]:
    """The marks with a number in the names of those that would hide others of the same series."""
    seen: Counter[tuple[str, _Place]] = Counter()
    out = []
    for mark in marks:
        name, label = mark.place
        seen[mark.series, mark.place] += 1
        count = seen[mark.series, mark.place]
        out.append(mark if count == 1 else dataclasses.replace(mark, place=(f"{name} #{count}", label)))
    return out


def _part_maps(readings: Sequence[Reading], title: str) -> list[ReportPicture]:
    """Tests or groups by model."""
    marks = [mark for mark in _marks_of_rows(readings) if mark.line.kind != "overall"]
    models = list(dict.fromkeys(m.series for m in marks))
    names = list(dict.fromkeys(m.place[0] for m in marks))
    drawings = []
    for part in slices(len(models), MOST_ROWS) if marks else []:
        chosen = [models[i] for i in part]
        chosen_marks = [m for m in marks if m.series in chosen]
        scores = {
            (chosen.index(m.series), names.index(m.place[0])): (m.reading, m.line) for m in chosen_marks
        }
        drawings.append(partial(score_map, chosen, names, scores, title))
    return canvas.paged("parts", f"{title}: tests or groups by model", drawings)


def _forests(
    marks: Sequence[_DrawnScore], readings: Sequence[Reading], title: str, caption: str
) -> list[ReportPicture]:
    """The marks of one method, cut into pictures of about equal length that are not too tall."""
    places = list(dict.fromkeys(m.place for m in marks))
    most = max(1, int(_TALLEST / _step(marks)))
    limits = _limits(marks)
    means = found_means(readings) if any(m.line.decisive_p is not None for m in marks) else ""
    entries = partial(_entries, means)
    drawings = []
    for part in slices(len(places), most):
        chosen = {places[i] for i in part}
        drawings.append(partial(_forest, [m for m in marks if m.place in chosen], limits, title, entries))
    return canvas.paged("scores", caption, drawings)


def _step(marks: Sequence[_DrawnScore]) -> float:
    """Inches from one line to the next: room for the markers of all series, and for the longest label."""
    series = len({m.series for m in marks})
    deepest = max(_label(*m.place).count("\n") + 1 for m in marks)
    return max(0.3 if any(m.parts for m in marks) else 0.45, 0.2 * series + 0.15, 0.17 * deepest + 0.08)


def _forest(marks: Sequence[_DrawnScore], limits: tuple[float, float], title: str, entries: Any) -> Any:
    """One method's marks on an axis with these limits."""
    places = list(dict.fromkeys(m.place for m in marks))
    series = list(dict.fromkeys(m.series for m in marks))
    figure, (axis,) = canvas.new_figure(4.3, _step(marks) * len(places) + 0.1)
    ideal = canvas.draw_ideals(axis, {(places.index(m.place), m.line.ideal) for m in marks})
    for m in marks:
        names = [other.series for other in marks if other.place == m.place]
        offset = 0.0 if len(names) == 1 else 0.56 * (names.index(m.series) / (len(names) - 1) - 0.5)
        _draw(axis, m, places.index(m.place) + offset, series.index(m.series), limits)
        if len(series) == 1:
            canvas.write_beside(axis, places.index(m.place), score_cell(m.line.row))
    for i in range(1, len(places), 2):
        axis.axhspan(i - 0.5, i + 0.5, color="#f4f4f4", linewidth=0, zorder=0)
    axis.set_xlim(*limits)
    canvas.label_rows(axis, [_label(*p) for p in places], canvas.fit(title))
    axis.set_ylim(len(places) - 0.5, -0.5)
    ties = any(m.line.row.ties and SCORE_WITHOUT_TIES in m.line.row.estimates for m in marks)
    what = score_name(marks[0].line)
    axis.set_xlabel(canvas.fit(f"{what}{' without ties' if ties else ''} (dashed: {ideal})"))
    canvas.add_legend(axis, entries(marks, limits), columns=2, anchor="upper center")
    return figure


def _draw(axis: Any, mark: _DrawnScore, y: float, place: int, limits: tuple[float, float]) -> None:
    colour, marker = canvas.series_look(place)
    low, high = mark.line.row.ci_low, mark.line.row.ci_high
    if low is not None and high is not None:
        visible_ends = [min(max(end, limits[0]), limits[1]) for end in (low, high)]
        axis.plot(visible_ends, [y, y], color=colour, linewidth=1.6, solid_capstyle="butt", zorder=2)
        for end, value, arrow in zip(visible_ends, (low, high), "<>", strict=True):
            cap = {"marker": "|", "markersize": 7} if end == value else {"marker": arrow, "markersize": 6}
            axis.plot([end], [y], color=colour, linestyle="none", clip_on=False, zorder=2, **cap)
    for part in mark.parts:
        axis.plot([part], [y], color=ORANGE, marker="d", markersize=5, zorder=2)
    look = {"marker": marker, "markersize": 6.5, "markeredgewidth": 1.4}
    canvas.draw_mark(axis, mark.line.score, y, colour, filled=mark.reading.filled, **look)


def _entries(means: str, marks: Sequence[_DrawnScore], limits: tuple[float, float]) -> list[Any]:
    """An entry of the legend for every kind of mark that is drawn."""
    series = [(name, *canvas.series_look(i)) for i, name in enumerate(dict.fromkeys(m.series for m in marks))]
    levels = sorted({m.line.result.confidence_level for m in marks if m.line.row.ci_low is not None})
    level = " / ".join(f"{100 * level:g}%" for level in levels)
    ends = [end for m in marks for end in (m.line.row.ci_low, m.line.row.ci_high) if end is not None]
    look = {"markerfacecolor": "none", "linestyle": "-", "linewidth": 1.6}
    entries = [
        canvas.legend_entry(canvas.fit(name), color=colour, marker=marker, **look)
        for name, colour, marker in series
        if name
    ]
    kinds: list[tuple[bool, str, str, str]] = [
        (any(m.reading.filled for m in marks), FILLED_MARK, "o", GREY),
        (any(m.parts for m in marks), PART_MARK, "d", ORANGE),
        (not all(m.reading.filled for m in marks), OPEN_MARK, "o", "white"),
        (bool(levels), f"{level} interval", "|", GREY),
        (any(e < limits[0] or e > limits[1] for e in ends), "it goes on beyond the panel", ">", GREY),
        (bool(means), "\n".join(textwrap.wrap(means, 60)), "", GREY),
    ]
    return entries + [
        canvas.legend_entry(
            label, marker=marker, color=ORANGE if face == ORANGE else GREY, markerfacecolor=face
        )
        for occurs, label, marker, face in kinds
        if occurs
    ]


def _limits(marks: Sequence[_DrawnScore]) -> tuple[float, float]:
    """Limits that hold every score and the ideal, and intervals as far as these leave the scores readable."""
    lines = [m.line for m in marks]
    points = [p for r in lines for p in (r.ideal, r.score)] + [p for m in marks for p in m.parts]
    reach = 3 * (max(abs(r.score - r.ideal) for r in lines) or 1.0)
    ends = [(e, r.ideal) for r in lines for e in (r.row.ci_low, r.row.ci_high) if e is not None]
    points += [min(max(end, ideal - reach), ideal + reach) for end, ideal in ends]
    low, high = min(points), max(points)
    margin = 0.06 * ((high - low) or 1.0)
    if not math.isfinite(high - low + 2 * margin):
        ends_text = f"they reach from {low:g} to {high:g}"
        raise InputError(f"the scores of {lines[0].method} are too large to draw: {ends_text}")
    return low - margin, high + margin


def _label(name: str, label: str) -> str:
    """The name, and what is compared on further lines when both do not fit on one."""
    if not label:
        return canvas.fit(name)
    text = f"{canvas.fit(name)}: {canvas.fit(label, 240)}"
    if len(text) <= 38:
        return text
    first, dash, second = text.partition(" — ")
    parts = [f"{first} —", second] if dash else [first]
    lines = [line for part in parts for line in textwrap.wrap(part, 58)]
    return "\n".join(lines if len(lines) <= 4 else [*lines[:3], f"{lines[3][:57]}…"])


_MOST_COLUMNS = 12
"""Of one map; more go into further pictures."""


def overview_pictures(readings: Sequence[Reading]) -> list[ReportPicture]:
    """Return the pictures that results of several models, methods, languages or bias types make possible.

    - models by methods: a number in every cell, each method scaled by its own range with its ideal value in the middle;
    - the correlations of the methods across models, as Delobelle et al. (2022) draw them, with three models or more;
    - for each method its scores with intervals, test by test for a few models, one line per model for many, and then
      its tests or groups by model.

    Raises:
        InputError: there is no result.
    """
    if not readings:
        raise InputError("no result to plot")
    results = [r.result for r in readings]
    matrix = score_matrix(results)
    all_pictures = [
        *(_maps(readings, matrix) if len(matrix.cells) > 1 else []),
        *_agreements(results, matrix),
    ]
    for method, pictures in score_pictures(readings).items():
        all_pictures += [dataclasses.replace(p, name=f"{file_name(method)}-{p.name}") for p in pictures]
    names = file_names(p.name for p in all_pictures)
    return [dataclasses.replace(p, name=name) for p, name in zip(all_pictures, names, strict=True)]


def _agreements(results: Sequence[Result], matrix: ScoreMatrix) -> list[ReportPicture]:
    """The correlations of all measurements; of many in several languages, of those in each language."""
    languages = list(dict.fromkeys(m.language for m in matrix.measurements))
    by_language = len(matrix.measurements) > _MOST_COLUMNS and len(languages) > 1
    pictures = []
    for language in languages if by_language else [""]:
        # Without what is about a measurement.
        about_models = [
            r
            for r in results
            if r.direction != "higher_is_more_robust" and not (by_language and result_language(r) != language)
        ]
        of_language, correlations = correlations_across_models(about_models)
        if correlations:  # two measurements have three models in common
            where, end = (f" ({language})", f"-{language}") if language else ("", "")
            caption = (
                f"Correlation of the methods' scores across models{where}, as in Delobelle et al. (2022)"
            )
            draw = partial(draw_agreement, of_language, correlations)
            pictures.append(ReportPicture(f"methods_across_models{end}", caption, draw))
    return pictures


def _maps(readings: Sequence[Reading], matrix: ScoreMatrix) -> list[ReportPicture]:
    caption = "Scores of every model by every method; colour is the place between the ideal value and the range's ends"
    pictures = []
    for columns in slices(len(matrix.measurements), _MOST_COLUMNS):
        for rows in slices(len(matrix.models), MOST_ROWS):
            # Without the models on which nothing of this was measured.
            model_places = [i for i in rows if any((i, j) in matrix.cells for j in columns)]
            scores = {
                (y, x): (readings[place], readings[place].head.line)
                for y, i in enumerate(model_places)
                for x, j in enumerate(columns)
                if (place := matrix.cells.get((i, j))) is not None
            }
            models = [matrix.models[i] for i in model_places]
            labels = [matrix.measurements[j].label for j in columns]
            draw = partial(score_map, models, labels, scores, "Models by methods")
            if model_places:
                pictures.append(ReportPicture("models_by_methods", caption, draw))
    return pictures
