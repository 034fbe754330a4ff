"""A picture of words on a bias axis: where each lies between the two sides whose words make the axis."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ...data.schemas import WORD_LISTS
from ...methods.word_lists import ON_AXIS
from ...result import Row
from ..lines import LIST_NAMES, list_names
from ..reading import Reading
from .fonts import LabelFitter
from .picture import COLOURS, DASHED, MARKERS, add_grid, add_legend, add_title, legend_entry, stacked_panels

__all__ = ["axis_plot", "most_extreme", "names_of_lists", "words_on_axis"]

_MOST_WORDS = 60
"""Words drawn of one block: what a page can hold and an eye can read."""
_MOST_TESTS = 3
"""Panels; further tests have a picture each in a report."""
_STEP, _GAP, _EDGE = 0.175, 1.15, 0.3
"""Inches from word to word, from panel to panel, and from the last word to the edge of its panel."""

Word = Mapping[str, Any]


def words_on_axis(row: Row) -> list[Word]:
    """Return the words of a test that have a place on an axis: those asked about, then those that make it."""
    given = [w for key in ("attributes", "words") for w in row.details.get(key) or ()]
    sides = [[w.get(ON_AXIS) for w in given if w.get("list") == side] for side in WORD_LISTS[:2]]
    of_pairs = sides[0] == sides[1]  # what both words of each pair have is no place of one of them
    return [
        w
        for w in given
        if isinstance(w.get(ON_AXIS), (int, float)) and not (of_pairs and w.get("list") in WORD_LISTS[:2])
    ]


def axis_plot(reading: Reading, fitter: LabelFitter) -> Any:
    """Draw the words of the first tests on their axes, one panel a test: those asked about above those that make it."""
    tests = reading.result.rows_of("test")[:_MOST_TESTS]
    blocks = [_blocks(test) for test in tests]
    heights = [_STEP * (sum(map(len, own)) + len(own) - 1) + _EDGE for own in blocks]
    figure, axes = stacked_panels(5.4, heights, _GAP)
    for axis, test, own in zip(axes, tests, blocks, strict=True):
        _panel(axis, test, own, fitter)
    add_legend(axes[-1], _legend(tests, blocks, fitter), fitter, columns=1, below=0.62, anchor="upper center")
    return figure


def most_extreme(words: Sequence[Any], limit: int) -> list[Any]:
    """The two ends of an ordered list where it is too long to be drawn.

    Examples:
        >>> most_extreme("abcdefgh", 4)
        ['a', 'b', 'g', 'h']
    """
    if len(words) <= limit:
        return list(words)
    first = -(-limit // 2)
    return [*words[:first], *words[len(words) - (limit - first) :]]


def _blocks(test: Row) -> list[list[Word]]:
    """The words asked about and those that make the axis, each from one side to the other."""
    words = words_on_axis(test)
    makes = [w for w in words if str(w.get("list")).startswith("targets")]
    asked = [w for w in words if not str(w.get("list")).startswith("targets")]
    ordered = [sorted(some, key=lambda w: -float(w[ON_AXIS])) for some in (asked, makes)]
    return [most_extreme(some, _MOST_WORDS) for some in ordered if some]


def _panel(axis: Any, test: Row, blocks: Sequence[Sequence[Word]], fitter: LabelFitter) -> None:
    axis.axvline(0.0, **DASHED, zorder=1)
    places: list[float] = []
    labels: list[str] = []
    y = 0.0
    for block in blocks:
        for word in block:
            place = _place(word)
            colour, marker = COLOURS[place % 2], MARKERS[place % 2]
            value = float(word[ON_AXIS])
            axis.hlines(y, 0.0, value, color=colour, linewidth=1.0, zorder=2)
            face = "white" if place < 2 else colour
            axis.plot([value], [y], color=colour, marker=marker, markersize=5, markerfacecolor=face, zorder=3)
            places.append(y)
            labels.append(fitter.fit(str(word["word"])))
            y += 1.0
        y += 1.0
    for between in (sum(map(len, blocks[:i])) + i - 1.0 for i in range(1, len(blocks))):
        axis.axhline(between, color="#cccccc", linewidth=0.6, zorder=1)
    axis.set_yticks(places, labels)
    axis.tick_params(axis="y", length=0, labelsize=8)
    axis.set_ylim(y - 1.2, -0.8)
    reach = 1.08 * max((abs(float(w[ON_AXIS])) for block in blocks for w in block), default=1.0) or 1.0
    axis.set_xlim(-reach, reach)
    add_grid(axis)
    x_name, y_name, *_ = names_of_lists(test, fitter)
    axis.set_xlabel(f"side of {y_name}  ←   place on the axis   →  side of {x_name}")
    axis.set_ylabel("words, ordered by place")
    add_title(axis, fitter.fit(f"Words on the axis: {test.name}"))


def _place(word: Word) -> int:
    """Which of the four lists a word is from."""
    name = str(word.get("list"))
    return WORD_LISTS.index(name) if name in WORD_LISTS else 2


def names_of_lists(test: Row, fitter: LabelFitter) -> list[str]:
    """Return what the four lists of a test are called in its picture."""
    given = list_names(test) or ("",) * len(LIST_NAMES)
    return [fitter.fit(own or other) for own, other in zip(given, LIST_NAMES, strict=True)]


def _legend(tests: Sequence[Row], blocks: Sequence[Any], fitter: LabelFitter) -> list[Any]:
    """What the markers of the lists are, by name where all panels have the same names."""
    names = {tuple(names_of_lists(test, fitter)) for test in tests}
    shown = names.pop() if len(names) == 1 else tuple(LIST_NAMES)
    drawn = {_place(w) for own in blocks for block in own for w in block}
    entries = [
        legend_entry(
            f"{shown[place]}{' (make the axis)' if place < 2 else ''}",
            color=COLOURS[place % 2],
            marker=MARKERS[place % 2],
            markerfacecolor="white" if place < 2 else COLOURS[place % 2],
        )
        for place in (2, 3, 0, 1)
        if place in drawn
    ]
    left_out = sum(len(words_on_axis(t)) for t in tests) - sum(len(b) for own in blocks for b in own)
    if left_out:
        entries.append(legend_entry(f"{left_out} words between the ends are not drawn"))
    return entries
