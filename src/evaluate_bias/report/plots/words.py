"""Pictures of words one below another: their places on a bias axis, and their contributions to a test's score."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ...data.word_lists import WORD_LISTS
from ...methods.word_lists import ON_AXIS
from ...result import Row
from ..lines import LIST_NAMES, driving_words, list_names
from ..reading import Reading
from . import canvas
from .forest import Mark, draw_marks

_MOST_WORDS = 60
"""Words drawn of one list of them: what a page can contain and an eye can read."""
_MOST_TESTS = 3
"""Panels. Further tests have a picture each in a report."""
_STEP = 0.175
"""Inches from word to word."""

Word = Mapping[str, Any]


def most_extreme(words: Sequence[Any], limit: int = _MOST_WORDS) -> list[Any]:
    """Return the two ends of an ordered list that is too long to be drawn.

    Examples:
        >>> most_extreme("abcdefgh", 4)
        ['a', 'b', 'g', 'h']
    """
    first = -(-limit // 2)
    return [*words[:first], *words[max(first, len(words) - (limit - first)) :]]


def words_on_axis(row: Row) -> list[Word]:
    """Return a test's words that have a position on an axis: first those asked about, then those that define it."""
    words = [w for key in ("attributes", "words") for w in row.details.get(key) or ()]
    sides = [[w.get(ON_AXIS) for w in words if w.get("list") == side] for side in WORD_LISTS[:2]]
    # A value that both words of each pair share is not the position of either.
    of_pairs = WORD_LISTS[:2] if sides[0] == sides[1] else ()
    return [w for w in words if isinstance(w.get(ON_AXIS), (int, float)) and w.get("list") not in of_pairs]


@canvas.kind("axis", "words on the axis between two groups of words", canvas.all_tests(words_on_axis))
def draw_axis(reading: Reading, on: Any) -> list[Any]:
    """Draw the words of the first tests on their axes, one panel per test, with words that define an axis below."""
    tests = reading.result.rows_of("test")[:_MOST_TESTS]
    chosen: list[list[Word]] = []
    for test in tests:
        words = sorted(words_on_axis(test), key=lambda w: -float(w[ON_AXIS]))
        compared = [w for w in words if _list_place(w) >= 2]
        chosen.append([*most_extreme(compared), *most_extreme([w for w in words if _list_place(w) < 2])])
    axes = canvas.panels(on, 5.4, [_STEP * len(words) + 0.2 for words in chosen], gap=1.15)
    for axis, test, words in zip(axes, tests, chosen, strict=True):
        _draw_words(axis, words, ON_AXIS, f"Words on the axis: {test.name}")
        makers = [_list_place(w) < 2 for w in words]
        if any(makers):
            axis.axhline(makers.index(True) - 0.5, color="#999999", linewidth=0.8)
        reach = 1.08 * max((abs(float(w[ON_AXIS])) for w in words), default=1.0) or 1.0
        axis.set_xlim(-reach, reach)
        x, y, *_ = _list_titles([test])
        axis.set_xlabel(f"side of {y}  ←   place on the axis   →  side of {x}")
    names, entries = _list_titles(tests), []
    for place in sorted(
        {_list_place(w) for words in chosen for w in words}, key=lambda place: (place < 2, place)
    ):
        colour, marker = canvas.series_look(place % 2)
        label, face = (names[place], colour) if place >= 2 else (f"{names[place]} (make the axis)", "white")
        entries.append(canvas.legend_entry(label, color=colour, marker=marker, markerfacecolor=face))
    if count := sum(len(words_on_axis(test)) for test in tests) - sum(map(len, chosen)):
        entries.append(canvas.legend_entry(f"{count} words between the ends are not drawn"))
    canvas.add_legend(axes[-1], entries, columns=1, below=0.62, centre=True)
    return axes


def associated_words(row: Row) -> list[Word]:
    """Return the target words of a test with their associations. Empty for a row without such words."""
    return [w for w in row.details.get("words") or () if isinstance(w.get("association"), (int, float))]


def draw_associations(row: Row, on: Any) -> list[Any]:
    """Draw the association of every target word of one test, sorted: which words drive the score."""
    words = sorted(associated_words(row), key=lambda w: -float(w["association"]))
    drivers = driving_words(words, row.score)
    (axis,) = canvas.panels(on, 5.4, [_STEP * len(words) + 0.2])
    counts = {w.get("sentences") for w in words}
    # How often a word counts in the means, where words differ in it.
    ends = [f" ×{w['sentences']}" if len(counts) > 1 and None not in counts else "" for w in words]
    title = row.name if row.score is None else f"{row.name}: d = {row.score:.2f}"
    _draw_words(axis, words, "association", title, ends)
    for tick, word in zip(axis.get_yticklabels(), words, strict=True):
        tick.set_fontweight("bold" if any(word is driver for driver in drivers) else "normal")
    names, entries = _list_titles([row]), []
    axis.set_xlabel(f"closer to {names[3]}  ←   association   →  closer to {names[2]}")
    for place, label in enumerate(names[:2]):
        colour, marker = canvas.series_look(place)
        if values := [float(w["association"]) for w in words if _list_place(w) == place]:
            # As the effect size has it, in which a word may count once for each of its sentences.
            mean = row.details.get(f"mean_{'xy'[place]}")
            over = "over sentences " if mean is not None and "sentences_x" in row.details else ""
            mean = sum(values) / len(values) if mean is None else float(mean)
            axis.axvline(mean, color=colour, linewidth=1.0, linestyle=":", zorder=1)
            label = f"{label} (dotted: mean {over}{mean:.3f})"
        entries.append(canvas.legend_entry(label, color=colour, marker=marker, linestyle="-", linewidth=1.2))
    entries += [canvas.legend_entry("×: number of the word's sentences")] if any(ends) else []
    entries += [canvas.legend_entry("bold: without this word the score shrinks most")] if drivers else []
    canvas.add_legend(axis, entries, columns=1, centre=True)
    return [axis]


def _draw_words(axis: Any, words: Sequence[Word], key: str, title: str, ends: Sequence[str] = ()) -> None:
    """Draw a value of each word with a line from 0. Words that define an axis are hollow."""
    marks = [
        Mark(y, float(w[key]), 0.0, float(w[key]), filled=key != ON_AXIS or place >= 2, series=place % 2)
        for y, w in enumerate(words)
        for place in [_list_place(w)]
    ]
    labels = [
        f"{canvas.fit(str(w['word']))}{end}" for w, end in zip(words, ends or [""] * len(words), strict=True)
    ]
    draw_marks(axis, marks, labels, title)
    axis.tick_params(axis="y", labelsize=8)


def _list_titles(tests: Sequence[Row]) -> tuple[str, ...]:
    """Return the names of the four lists of these tests, if all tests agree."""
    name_sets = {list_names(test) for test in tests}
    names = (name_sets.pop() if len(name_sets) == 1 else ()) or ("",) * len(LIST_NAMES)
    return tuple(canvas.fit(name or other) for name, other in zip(names, LIST_NAMES, strict=True))


def _list_place(word: Word) -> int:
    """Return which of the four lists a word is from."""
    return WORD_LISTS.index(word["list"]) if word.get("list") in WORD_LISTS else 2
