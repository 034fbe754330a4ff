"""Pictures of words one below another, by value: on a bias axis, by their association, or with an interval each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from ...data.word_lists import WORD_LISTS
from ...errors import InputError
from ...methods.word_lists import ON_AXIS
from ...result import Row
from ..lines import LIST_NAMES, driving_words, list_names
from ..reading import Reading
from . import canvas
from .canvas import DASHED

_MOST_WORDS = 60
"""Words drawn of one block: what a page can hold and an eye can read."""
_MOST_TESTS = 3
"""Panels; further tests have a picture each in a report."""
_STEP, _GAP, _EDGE = 0.175, 1.15, 0.3
"""Inches from word to word, from panel to panel, and from the last word to the edge of its panel."""

Word = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class _Mark:
    """A word in a panel: its value, the line behind that, and the place of its list, which says how it looks."""

    word: str
    value: float
    line: tuple[float | None, float | None]
    place: int
    filled: bool = True
    bold: bool = False


_Blocks = Sequence[Sequence[_Mark]]
"""The words of a panel, those between two thin lines together."""


def _figure(panels: Sequence[_Blocks]) -> tuple[Any, list[Any]]:
    """A figure with room for these blocks of words, panel by panel."""
    heights = [_STEP * (sum(map(len, blocks)) + len(blocks) - 1) + _EDGE for blocks in panels]
    return canvas.stacked_panels(5.4, heights, _GAP)


def _draw(axis: Any, blocks: _Blocks, title: str, ideal: float) -> None:
    """Draw the words from the top down, with a thin line between the blocks."""
    axis.axvline(ideal, **DASHED, zorder=1)
    places: list[int] = []
    for block in blocks:
        first = places[-1] + 2 if places else 0
        if places:
            axis.axhline(first - 1, color="#cccccc", linewidth=0.6, zorder=1)
        for y, mark in enumerate(block, first):
            colour, marker = canvas.series_look(mark.place)
            axis.plot(mark.line, [y, y], color=colour, linewidth=1.2, zorder=2)
            canvas.draw_mark(axis, mark.value, y, colour, filled=mark.filled, marker=marker, markersize=5)
            places.append(y)
    marks = [mark for block in blocks for mark in block]
    canvas.label_rows(axis, [canvas.fit(mark.word) for mark in marks], canvas.fit(title), places, labelsize=8)
    for tick, mark in zip(axis.get_yticklabels(), marks, strict=True):
        tick.set_fontweight("bold" if mark.bold else "normal")


def _sides(axis: Any, left: str, what: str, right: str) -> None:
    axis.set_xlabel(f"{left}  ←   {what}   →  {right}")


def most_extreme(words: Sequence[Any], limit: int = _MOST_WORDS) -> list[Any]:
    """The two ends of an ordered list where it is too long to be drawn.

    Examples:
        >>> most_extreme("abcdefgh", 4)
        ['a', 'b', 'g', 'h']
    """
    first = -(-limit // 2)
    return [*words[:first], *words[max(first, len(words) - (limit - first)) :]]


def _list_names(tests: Sequence[Row]) -> tuple[str, ...]:
    """What the four lists of these tests are called, where all say the same."""
    name_sets = {list_names(test) for test in tests}
    names = (name_sets.pop() if len(name_sets) == 1 else ()) or ("",) * len(LIST_NAMES)
    return tuple(canvas.fit(name or other) for name, other in zip(names, LIST_NAMES, strict=True))


def _place(word: Word) -> int:
    """Which of the four lists a word is from."""
    return WORD_LISTS.index(word["list"]) if word.get("list") in WORD_LISTS else 2


def _not_drawn(count: int) -> list[Any]:
    return [canvas.legend_entry(f"{count} words between the ends are not drawn")] if count else []


# --- places on an axis ----------------------------------------------------------------------------------------


def words_on_axis(row: Row) -> list[Word]:
    """Return the words of a test that have a place on an axis: those asked about, then those that make it."""
    words = [w for key in ("attributes", "words") for w in row.details.get(key) or ()]
    sides = [[w.get(ON_AXIS) for w in words if w.get("list") == side] for side in WORD_LISTS[:2]]
    # What both words of each pair have is no place of one of them.
    of_pairs = WORD_LISTS[:2] if sides[0] == sides[1] else ()
    return [w for w in words if isinstance(w.get(ON_AXIS), (int, float)) and w.get("list") not in of_pairs]


def axis_plot(reading: Reading) -> Any:
    """Draw the words of the first tests on their axes, one panel a test: those asked about above those that make it."""
    tests = reading.result.rows_of("test")[:_MOST_TESTS]
    panels = [_blocks(test) for test in tests]
    figure, axes = _figure(panels)
    for axis, test, blocks in zip(axes, tests, panels, strict=True):
        _draw(axis, blocks, f"Words on the axis: {test.name}", 0.0)
        reach = 1.08 * max((abs(mark.value) for block in blocks for mark in block), default=1.0) or 1.0
        axis.set_xlim(-reach, reach)
        x, y, *_ = _list_names([test])
        _sides(axis, f"side of {y}", "place on the axis", f"side of {x}")
    marks = [mark for blocks in panels for block in blocks for mark in block]
    names = _list_names(tests)
    kinds, entries = {(mark.place, mark.filled) for mark in marks}, []
    for place, filled in sorted(kinds, key=lambda kind: (not kind[1], kind[0])):
        colour, marker = canvas.series_look(place)
        label, face = (names[place + 2], colour) if filled else (f"{names[place]} (make the axis)", "white")
        entries.append(canvas.legend_entry(label, color=colour, marker=marker, markerfacecolor=face))
    entries += _not_drawn(sum(len(words_on_axis(test)) for test in tests) - len(marks))
    canvas.add_legend(axes[-1], entries, columns=1, below=0.62, anchor="upper center")
    return figure


def _blocks(test: Row) -> list[list[_Mark]]:
    """The words asked about and those that make the axis, each from one side to the other."""
    marks = []
    for word in sorted(words_on_axis(test), key=lambda w: -float(w[ON_AXIS])):
        value, place = float(word[ON_AXIS]), _place(word)
        marks.append(_Mark(str(word["word"]), value, (0.0, value), place % 2, filled=place >= 2))
    parts = [[m for m in marks if m.filled], [m for m in marks if not m.filled]]
    return [most_extreme(part) for part in parts if part]


# --- associations ---------------------------------------------------------------------------------------------


def associated_words(row: Row) -> list[Word]:
    """Return the target words of a test with their associations; none of a row that has no such words."""
    return [w for w in row.details.get("words") or () if isinstance(w.get("association"), (int, float))]


def word_plot(row: Row, path: str | Path, *, png: bool = True) -> list[Path]:
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
    return canvas.save_picture(canvas.picture_stem(path), partial(_words, row, words), png=png)


def _words(row: Row, words: Sequence[Word]) -> Any:
    drivers = driving_words(words, row.score)
    marks = []
    for word in sorted(words, key=lambda w: -float(w["association"])):
        value, bold = float(word["association"]), any(word is driver for driver in drivers)
        text = f"{word['word']}{_times(word, words)}"
        marks.append(_Mark(text, value, (0.0, value), _place(word), bold=bold))
    figure, (axis,) = _figure([[marks]])
    title = row.name if row.score is None else f"{row.name}: d = {row.score:.2f}"
    _draw(axis, [marks], title, 0.0)
    names = _list_names([row])
    _sides(axis, f"closer to {names[3]}", "association", f"closer to {names[2]}")
    entries = []
    for place, name in enumerate(names[:2]):
        colour, marker = canvas.series_look(place)
        text = name
        if values := [mark.value for mark in marks if mark.place == place]:
            mean, over = _mean(row, WORD_LISTS[place], values)
            axis.axvline(mean, color=colour, linewidth=1.0, linestyle=":", zorder=1)
            text = f"{name} (dotted: mean {over}{mean:.3f})"
        entries.append(canvas.legend_entry(text, color=colour, marker=marker, linestyle="-", linewidth=1.2))
    if any(_times(w, words) for w in words):
        entries.append(canvas.legend_entry("×: number of the word's sentences"))
    if drivers:
        entries.append(canvas.legend_entry("bold: without this word the score shrinks most"))
    canvas.add_legend(axis, entries, columns=1, anchor="upper center")
    return figure


def _mean(row: Row, list_name: str, values: Sequence[float]) -> tuple[float, str]:
    """The mean of a side as the effect size takes it, in which a word may count once for each of its sentences."""
    mean = row.details.get(f"mean_{list_name[-1]}")
    if isinstance(mean, (int, float)):
        return float(mean), "over sentences " if "sentences_x" in row.details else ""
    return sum(values) / len(values), ""


def _times(word: Word, words: Sequence[Word]) -> str:
    """How often a word counts in the means, where words differ in it."""
    counts = {w.get("sentences") for w in words}
    return f" ×{word['sentences']}" if len(counts) > 1 and None not in counts else ""
