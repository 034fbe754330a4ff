"""Pictures of results: a forest plot of scores with their intervals, and the words behind one test.

Colours are from a palette that people with colour-vision deficiencies can tell apart (Okabe and Ito 2008),
and nothing is told by colour alone: models differ in marker, significance shows in the marker's filling.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from ..errors import InputError, OutputError
from ..registry import METHODS
from ..result import Result
from .escape import file_name
from .fonts import LabelFitter, families
from .row_values import list_names
from .rows import ALPHA, LIST_NAMES, Row, ci_cell, of_decided, result_rows, with_remark

__all__ = ["effect_plot", "save_picture", "style", "word_plot"]

_COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#000000")
_MARKERS = ("o", "s", "D", "^", "v", "P", "X")
_SUFFIXES = (".svg", ".png")
_TALLEST = 12.0
"""Inches of lines in one picture, as much as can be looked at; more lines go into further pictures."""
_STYLE = {
    "svg.hashsalt": "evaluate-bias",  # makes the ids in SVG files the same in every run
    "svg.fonttype": "none",  # keeps text as text: searchable, and drawn with the reader's fonts
    "font.size": 9.0,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.spines.left": False,
    "legend.frameon": False,
}


def effect_plot(results: Sequence[Result], path: str | Path) -> list[Path]:
    """Draw every score with its confidence interval, one line a test, models side by side.

    Every method gets a picture of its own, because their scores are on different scales, and a method with many
    lines several, so that none is taller than a page or two. A filled marker means p < 0.05 (Holm-adjusted where
    the method gives that). Where a method counts ties, the share of the
    decided units is drawn. An interval that leaves the panel ends in an arrow.

    Args:
        results: results of any methods and models, drawn in their order.
        path: where to write, with or without ``.svg`` or ``.png``; both are written. With several methods their
            names are added to the file's, and numbers where a method takes several pictures.

    Returns:
        The files of each picture, SVG first. Their bytes depend on the results and on matplotlib's version only.

    Raises:
        InputError: there is no result to draw.
        DataError: a row of a result's breakdown has no score or no name.
        OutputError: the files cannot be written.
    """
    rows = of_decided(result_rows(results))
    if not rows:
        raise InputError("there is no result to plot")
    by_method = {m: [r for r in rows if r.method == m] for m in dict.fromkeys(r.method for r in rows)}
    stem = _stem(path)
    written = []
    for method, part in by_method.items():
        pages = _pages(part)
        for page, lines in enumerate(pages, 1):
            name = stem.name + (f"-{file_name(method)}" if len(by_method) > 1 else "")
            name += f"-{page}" if len(pages) > 1 else ""
            chosen = [r for r in part if (r.name, r.label) in lines]
            written += save_picture(stem.with_name(name), partial(_forest, chosen, _limits(part)))
    return written


def word_plot(item: Mapping[str, Any], path: str | Path) -> list[Path]:
    """Draw the association of every target word of one test, sorted: which words drive the score.

    Args:
        item: one row of ``Result.items`` of a word-association test, with ``words``.
        path: where to write, with or without ``.svg`` or ``.png``; both are written.

    Returns:
        The two files, SVG first.

    Raises:
        InputError: the row has no words with associations.
        OutputError: the files cannot be written.
    """
    words = [w for w in item.get("words") or () if isinstance(w.get("association"), (int, float))]
    if not words:
        raise InputError(f"{item.get('name', 'this row')} has no words with associations to plot")
    return save_picture(_stem(path), partial(_words, item, words))


def _stem(path: str | Path) -> Path:
    """The path without the ending of a picture."""
    path = Path(path)
    return path.with_suffix("") if path.suffix.lower() in _SUFFIXES else path


def save_picture(stem: Path, draw: Callable[[LabelFitter], Any]) -> list[Path]:
    """Draw and write both formats: a PNG needs a font for every character, an SVG leaves that to its reader."""
    written = []
    with style():
        fitter = LabelFitter(needs_glyphs=True)
        bitmap = draw(fitter)
        frames = [_frame(bitmap)] * 2
        figures = [bitmap] * 2
        if fitter.footnote:
            figures[0] = draw(LabelFitter(needs_glyphs=False))
            frames[0] = _frame(figures[0])
        for suffix, figure, frame in zip(_SUFFIXES, figures, frames, strict=True):
            target = stem.parent / f"{stem.name}{suffix}"
            metadata = {"Date": None} if suffix == ".svg" else {"Software": None}
            try:
                target.parent.mkdir(parents=True, exist_ok=True)
                figure.savefig(target, dpi=160, metadata=metadata, bbox_inches=frame, facecolor="white")
            except OSError as error:
                raise OutputError(
                    f"{target} cannot be written ({error.strerror or error}): choose another folder"
                ) from error
            written.append(target)
    return written


def _frame(figure: Any) -> Any:
    """The picture's edges in inches, around labels and legend; found once for both formats, as that takes long."""
    figure.draw_without_rendering()
    return figure.get_tightbbox().padded(0.1)


@contextmanager
def style() -> Iterator[None]:
    """Draw with the settings that all pictures share; figures keep them afterwards."""
    import warnings

    import matplotlib

    with matplotlib.rc_context({**_STYLE, "font.family": list(families())}), warnings.catch_warnings():
        # LabelFitter has dealt with characters that no font has.
        warnings.filterwarnings("ignore", message="Glyph .* missing")
        yield


def _figure(width: float, height: float) -> tuple[Any, Any]:
    """A figure that is one panel of this size in inches.

    Labels and legend lie outside the figure and are taken in when it is saved: the panel keeps its size however
    long the labels are, and no layout has to be searched for. The figure is not one of pyplot's, which stay alive
    and are not thread-safe.
    """
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height))
    FigureCanvasAgg(figure)
    return figure, figure.add_axes((0.0, 0.0, 1.0, 1.0))


_Line = tuple[str, str]
"""Name of a test, and what it compares."""


def _pages(rows: Sequence[Row]) -> list[list[_Line]]:
    """The lines of one method, cut into pictures of about equal length that are not too tall."""
    lines = list(dict.fromkeys((r.name, r.label) for r in rows))
    most = max(1, int(_TALLEST / _step(rows, LabelFitter(needs_glyphs=False))))
    count = -(-len(lines) // most)
    size = -(-len(lines) // count)
    return [lines[i : i + size] for i in range(0, len(lines), size)]


def _step(rows: Sequence[Row], fitter: LabelFitter) -> float:
    """Inches from one line to the next: room for the markers of all models, and for the longest label."""
    models = len({r.model for r in rows})
    deepest = max(_line_label(r.name, r.label, fitter).count("\n") + 1 for r in rows)
    return max(0.45, 0.2 * models + 0.15, 0.17 * deepest + 0.08)


def _forest(rows: Sequence[Row], limits: tuple[float, float], fitter: LabelFitter) -> Any:
    """One method's rows on an axis with these limits."""
    models = list(dict.fromkeys(r.model for r in rows))
    lines = list(dict.fromkeys((r.name, r.label) for r in rows))
    figure, axis = _figure(4.3, _step(rows, fitter) * len(lines) + 0.1)
    _panel(axis, rows, lines, models, limits, fitter)
    _legend(axis, _legend_handles(models, rows, fitter), fitter, columns=2)
    return figure


def _panel(
    axis: Any,
    rows: Sequence[Row],
    lines: Sequence[_Line],
    models: Sequence[str],
    limits: tuple[float, float],
    fitter: LabelFitter,
) -> None:
    method = rows[0].method
    record = METHODS.get(method)
    low, high = limits
    ideal = rows[0].ideal
    axis.axvline(ideal, color="#444444", linewidth=1.0, linestyle=(0, (4, 2)), zorder=1)
    here = [m for m in models if any(r.model == m for r in rows)]
    for row in rows:
        offset = 0.0 if len(here) == 1 else 0.56 * (here.index(row.model) / (len(here) - 1) - 0.5)
        _mark(axis, row, lines.index((row.name, row.label)) + offset, models.index(row.model), low, high)
    for i in range(1, len(lines), 2):
        axis.axhspan(i - 0.5, i + 0.5, color="#f4f4f4", linewidth=0, zorder=0)
    axis.set_xlim(low, high)
    axis.set_ylim(len(lines) - 0.5, -0.5)
    axis.set_yticks(range(len(lines)), [_line_label(*line, fitter) for line in lines])
    axis.tick_params(axis="y", length=0)
    axis.grid(axis="x", color="#dddddd", linewidth=0.6)
    axis.set_axisbelow(True)
    what = record.score_name if record else f"{method} score"
    if any(r.ties and r.decided is not None for r in rows):
        what += " without ties"
    axis.set_xlabel(f"{what} (dashed: ideal {ideal:g})")
    title = with_remark(record.title if record else method, rows)
    axis.set_title(title, loc="left", fontsize=10, fontweight="bold")
    if len(here) == 1:
        for row in rows:
            interval = "" if row.ci_low is None else f" {ci_cell(row)}"
            axis.annotate(
                f"{row.score:.2f}{interval}".replace("-", "−"),
                (1.02, lines.index((row.name, row.label))),
                xycoords=("axes fraction", "data"),
                va="center",
                fontsize=8,
                annotation_clip=False,
            )


def _mark(axis: Any, row: Row, y: float, place: int, low: float, high: float) -> None:
    colour, marker = _COLOURS[place % len(_COLOURS)], _MARKERS[place % len(_MARKERS)]
    if row.ci_low is not None and row.ci_high is not None:
        start, end = max(row.ci_low, low), min(row.ci_high, high)
        axis.plot([start, end], [y, y], color=colour, linewidth=1.6, solid_capstyle="butt", zorder=2)
        for value, limit, arrow in ((row.ci_low, low, "<"), (row.ci_high, high, ">")):
            beyond = value < limit if arrow == "<" else value > limit
            style = {"marker": arrow, "markersize": 6} if beyond else {"marker": "|", "markersize": 7}
            position = limit if beyond else value
            axis.plot([position], [y], color=colour, linestyle="none", clip_on=False, zorder=2, **style)
    axis.plot(
        [row.score],
        [y],
        marker=marker,
        markersize=6.5,
        markerfacecolor=colour if row.significant else "white",
        markeredgecolor=colour,
        markeredgewidth=1.4,
        linestyle="none",
        zorder=3,
    )


def _limits(rows: Sequence[Row]) -> tuple[float, float]:
    """Limits that hold every score and the ideal, and intervals as far as these leave the scores readable."""
    ideal = rows[0].ideal
    points = [ideal, *(r.score for r in rows)]
    reach = max(abs(p - ideal) for p in points) or 1.0
    ends = [e for r in rows for e in (r.ci_low, r.ci_high) if e is not None]
    points += [min(max(e, ideal - 3 * reach), ideal + 3 * reach) for e in ends]
    low, high = min(points), max(points)
    margin = 0.06 * ((high - low) or 1.0)
    return low - margin, high + margin


def _line_label(name: str, label: str, fitter: LabelFitter) -> str:
    """The name, and what is compared on further lines when both do not fit on one."""
    if not label:
        return fitter.fit(name)
    text = f"{fitter.fit(name)}: {fitter.fit(label)}"
    return text if len(text) <= 38 else "\n".join(_wrapped(text))


def _wrapped(text: str, width: int = 58) -> list[str]:
    import textwrap

    first, dash, second = text.partition(" — ")
    parts = [f"{first} —", second] if dash else [first]
    lines = [line for part in parts for line in textwrap.wrap(part, width)]
    return lines if len(lines) <= 4 else [*lines[:3], lines[3][: width - 1] + "…"]


def _legend_handles(models: Sequence[str], rows: Sequence[Row], fitter: LabelFitter) -> list[Any]:
    from matplotlib.lines import Line2D

    handles = [
        Line2D(
            [],
            [],
            color=_COLOURS[i % len(_COLOURS)],
            marker=_MARKERS[i % len(_MARKERS)],
            linewidth=1.6,
            label=fitter.fit(model),
        )
        for i, model in enumerate(models)
    ]
    if any(r.decisive_p is not None for r in rows):
        adjusted = ", Holm-adjusted" if any(r.p_holm is not None for r in rows) else ""
        shown = ", or illustrative data" if any(r.illustrative for r in rows) else ""
        for filled, text in (
            (True, f"p < {ALPHA:g}{adjusted}"),
            (False, f"p ≥ {ALPHA:g}, or no p-value{shown}"),
        ):
            face = "#444444" if filled else "white"
            handles.append(
                Line2D(
                    [], [], color="#444444", marker="o", markerfacecolor=face, linestyle="none", label=text
                )
            )
    levels = sorted({r.ci_level for r in rows if r.ci_low is not None})
    if levels:
        text = " / ".join(f"{100 * level:g}%" for level in levels) + " confidence interval"
        handles.append(Line2D([], [], color="#444444", marker="|", linewidth=1.6, label=text))
    return handles


def _legend(axis: Any, handles: Sequence[Any], fitter: LabelFitter, *, columns: int) -> None:
    """Put the legend below the panel and its axis label."""
    from matplotlib.lines import Line2D

    footnote = [Line2D([], [], linestyle="none", label=fitter.footnote)] if fitter.footnote else []
    height = axis.get_position().height * axis.figure.get_figheight()
    axis.legend(
        handles=[*handles, *footnote],
        loc="upper center",
        bbox_to_anchor=(0.5, -0.5 / height),
        borderaxespad=0.0,
        ncols=columns,
    )


def _words(item: Mapping[str, Any], words: Sequence[Mapping[str, Any]], fitter: LabelFitter) -> Any:
    from matplotlib.lines import Line2D

    ordered = sorted(words, key=lambda w: float(w["association"]), reverse=True)
    drivers = _drivers(ordered, float(item.get("effect_size") or 0.0))
    given = list_names(item) or ("",) * len(LIST_NAMES)
    x, y, a, b = (fitter.fit(own or other) for own, other in zip(given, LIST_NAMES, strict=True))
    figure, axis = _figure(5.4, 0.175 * len(ordered) + 0.3)
    axis.axvline(0.0, color="#444444", linewidth=1.0, linestyle=(0, (4, 2)), zorder=1)
    handles = []
    for place, (list_name, name) in enumerate((("targets_x", x), ("targets_y", y))):
        colour, marker = _COLOURS[place], _MARKERS[place]
        points = [(float(w["association"]), i) for i, w in enumerate(ordered) if w.get("list") == list_name]
        values, places = [v for v, _ in points], [y for _, y in points]
        axis.hlines(places, 0.0, values, color=colour, linewidth=1.2, zorder=2)
        axis.plot(values, places, color=colour, marker=marker, markersize=5, linestyle="none", zorder=3)
        told = name
        if points:
            mean, of = _mean(item, list_name, values)
            axis.axvline(mean, color=colour, linewidth=1.0, linestyle=":", zorder=1)
            told = f"{name} (dotted: mean {of}{mean:.3f})"
        handles.append(Line2D([], [], color=colour, marker=marker, linewidth=1.2, label=told))
    axis.set_yticks(range(len(ordered)), [fitter.fit(f"{w['word']}{_times(w, words)}") for w in ordered])
    for text, word in zip(axis.get_yticklabels(), ordered, strict=True):
        text.set_fontsize(8)
        text.set_fontweight("bold" if id(word) in drivers else "normal")
    axis.set_ylim(len(ordered) - 0.4, -0.6)
    axis.tick_params(axis="y", length=0)
    axis.grid(axis="x", color="#dddddd", linewidth=0.6)
    axis.set_axisbelow(True)
    axis.set_xlabel(f"closer to {b}  ←   association   →  closer to {a}")
    axis.set_title(fitter.fit(_word_title(item)), loc="left", fontsize=10, fontweight="bold")
    if any(_times(w, words) for w in words):
        handles.append(Line2D([], [], linestyle="none", label="×: number of the word's sentences"))
    if drivers:
        handles.append(
            Line2D([], [], linestyle="none", label="bold: without this word the score shrinks most")
        )
    _legend(axis, handles, fitter, columns=1)
    return figure


def _mean(item: Mapping[str, Any], list_name: str, values: Sequence[float]) -> tuple[float, str]:
    """The mean of a side as the effect size takes it, in which a word may count once for each of its sentences."""
    mean = item.get(f"mean_{list_name[-1]}")
    if isinstance(mean, (int, float)):
        return float(mean), "over sentences " if "sentences_x" in item else ""
    return sum(values) / len(values), ""


def _times(word: Mapping[str, Any], words: Sequence[Mapping[str, Any]]) -> str:
    """How often a word counts in the means, where words differ in it."""
    counts = {w.get("sentences") for w in words}
    return f" ×{word['sentences']}" if len(counts) > 1 and None not in counts else ""


def _word_title(item: Mapping[str, Any]) -> str:
    name = str(item.get("name") or "test")
    score = item.get("effect_size")
    return name if score is None else f"{name}: d = {float(score):.2f}"


def _drivers(words: Sequence[Mapping[str, Any]], score: float, most: int = 3) -> set[int]:
    """Identities of the words that push the score furthest in its own direction."""
    sign = -1.0 if score < 0 else 1.0
    push = [(sign * float(w["influence"]), id(w)) for w in words if w.get("influence") is not None]
    return {identity for value, identity in sorted(push, reverse=True)[:most] if value > 0}
