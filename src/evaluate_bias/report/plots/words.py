"""A picture of the words behind one test: which of them drive its score."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from ...errors import InputError
from ...result import Row
from .axis import names_of_lists
from .canvas import (
    COLOURS,
    DASHED,
    MARKERS,
    add_grid,
    add_legend,
    add_title,
    legend_entry,
    new_figure,
    picture_stem,
    save_picture,
)
from .fonts import LabelFitter

__all__ = ["associated_words", "word_plot"]


def associated_words(row: Row) -> list[Mapping[str, Any]]:
    """Return the target words of a test with their associations; none of a row that has no such words."""
    return [w for w in row.details.get("words") or () if isinstance(w.get("association"), (int, float))]


def word_plot(row: Row, path: str | Path) -> list[Path]:
    """Draw the association of every target word of one test, sorted: which words drive the score.

    Args:
        row: a test of a result, with ``words`` in its details.
        path: where to write, with or without ``.svg`` or ``.png``; both are written.

    Returns:
        The two files, SVG first.

    Raises:
        InputError: the row has no words with associations.
        OutputError: the files cannot be written.
    """
    words = associated_words(row)
    if not words:
        raise InputError(f"{row.name} has no words with associations to plot")
    return save_picture(picture_stem(path), partial(_words, row, words))


def _words(row: Row, words: Sequence[Mapping[str, Any]], fitter: LabelFitter) -> Any:
    ordered = sorted(words, key=lambda w: float(w["association"]), reverse=True)
    drivers = _drivers(ordered, row.score or 0.0)
    x, y, a, b = names_of_lists(row, fitter)
    figure, (axis,) = new_figure(5.4, 0.175 * len(ordered) + 0.3)
    axis.axvline(0.0, **DASHED, zorder=1)
    entries = []
    for place, (list_name, name) in enumerate((("targets_x", x), ("targets_y", y))):
        colour, marker = COLOURS[place], MARKERS[place]
        points = [(float(w["association"]), i) for i, w in enumerate(ordered) if w.get("list") == list_name]
        values, places = [v for v, _ in points], [y for _, y in points]
        axis.hlines(places, 0.0, values, color=colour, linewidth=1.2, zorder=2)
        axis.plot(values, places, color=colour, marker=marker, markersize=5, linestyle="none", zorder=3)
        text = name
        if points:
            mean, of = _mean(row, list_name, values)
            axis.axvline(mean, color=colour, linewidth=1.0, linestyle=":", zorder=1)
            text = f"{name} (dotted: mean {of}{mean:.3f})"
        entries.append(legend_entry(text, color=colour, marker=marker, linestyle="-", linewidth=1.2))
    axis.set_yticks(range(len(ordered)), [fitter.fit(f"{w['word']}{_times(w, words)}") for w in ordered])
    for tick, word in zip(axis.get_yticklabels(), ordered, strict=True):
        tick.set_fontsize(8)
        tick.set_fontweight("bold" if id(word) in drivers else "normal")
    axis.set_ylim(len(ordered) - 0.4, -0.6)
    axis.tick_params(axis="y", length=0)
    add_grid(axis)
    axis.set_xlabel(f"closer to {b}  ←   association   →  closer to {a}")
    add_title(axis, fitter.fit(row.name if row.score is None else f"{row.name}: d = {row.score:.2f}"))
    if any(_times(w, words) for w in words):
        entries.append(legend_entry("×: number of the word's sentences"))
    if drivers:
        entries.append(legend_entry("bold: without this word the score shrinks most"))
    add_legend(axis, entries, fitter, columns=1, anchor="upper center")
    return figure


def _mean(row: Row, list_name: str, values: Sequence[float]) -> tuple[float, str]:
    """The mean of a side as the effect size takes it, in which a word may count once for each of its sentences."""
    mean = row.details.get(f"mean_{list_name[-1]}")
    if isinstance(mean, (int, float)):
        return float(mean), "over sentences " if "sentences_x" in row.details else ""
    return sum(values) / len(values), ""


def _times(word: Mapping[str, Any], words: Sequence[Mapping[str, Any]]) -> str:
    """How often a word counts in the means, where words differ in it."""
    counts = {w.get("sentences") for w in words}
    return f" ×{word['sentences']}" if len(counts) > 1 and None not in counts else ""


def _drivers(words: Sequence[Mapping[str, Any]], score: float, max_items: int = 3) -> set[int]:
    """Identities of the words that push the score furthest in its own direction."""
    sign = -1.0 if score < 0 else 1.0
    pushing = [w for w in words if w.get("influence") is not None]
    pushing.sort(key=lambda w: -sign * float(w["influence"]))  # of equal ones the first
    return {id(w) for w in pushing[:max_items] if sign * float(w["influence"]) > 0}
