"""Pictures of what only some methods find: which of them a result has is decided by what its details hold.

Colours are from maps that people with colour-vision deficiencies can read, and nothing is shown by colour alone: cells
carry their numbers, classes their markers, significance an asterisk.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from ...methods.vector_lists import ON_AXIS
from ...result import Result
from .answers import answers
from .axis import axis_plot, words_on_axis
from .correlations import correlations, divergence
from .fonts import LabelFitter
from .intervals import intervals
from .picture import save_picture, style
from .samples import effect_sizes
from .word_map import feature_sweep, word_map

__all__ = ["method_figures", "picture_names", "picture_text", "write_method_plots"]

Drawing = Callable[[Result, LabelFitter], Any]

_OF_RESULTS: tuple[tuple[frozenset[str], str, Drawing], ...] = (
    (frozenset({"sweep", "statistic", "classes", "protected"}), "map", word_map),
    (frozenset({"sweep"}), "sweep", feature_sweep),
    (frozenset({"r", "p_holm", "names"}), "correlations", correlations),
    (frozenset({"divergence", "texts"}), "divergence", divergence),
)
"""What the details of a result hold, and the name and drawing of the picture that it makes possible."""

_OF_TESTS: tuple[tuple[frozenset[str], str, Drawing], ...] = (
    (frozenset({"effect_sizes"}), "effect_sizes", effect_sizes),
)
"""The same for the details of every test of a result."""

_OF_ITEMS: tuple[tuple[frozenset[str], str, Drawing], ...] = ((frozenset({"answers"}), "answers", answers),)
"""The same for the details of at least one item."""


_SHOWS = {
    "map": "words in a plane, coloured by the number known of them",
    "sweep": "size of the correlations over the number of features kept",
    "correlations": "correlations of settings with one another",
    "divergence": "how far templates are from one another",
    "effect_sizes": "effect sizes over random contexts, one row per test",
    "answers": "the first answers to every question",
    "axis": "words on the axis between two groups of words",
    "words": "every word with its interval",
}


def picture_text(result: Result, name: str) -> str:
    """Return what a picture of :func:`method_figures` shows, for those who do not see it.

    Examples:
        >>> picture_text(Result(method="x", score=0, score_range=(0, 1), direction="two_sided", ideal=0, n=1), "map")
        'words in a plane, coloured by the number known of them'
    """
    ends: list[tuple[float, str]] = []
    if name == "axis":
        ends = [(float(w[ON_AXIS]), str(w["word"])) for t in result.rows_of("test") for w in words_on_axis(t)]
    elif name == "words":
        ends = [(r.score, r.name) for r in result.rows_of("item") if r.score is not None]
    shows = _SHOWS.get(name, name.replace("_", " "))
    if not ends:
        return shows
    (low, last), (high, first) = min(ends), max(ends)
    return f"{shows}, from {first} ({_signed(high)}) to {last} ({_signed(low)})"


def _signed(value: float) -> str:
    return f"{value:.2f}".replace("-", "−")


def method_figures(result: Result) -> dict[str, Any]:
    """Draw the pictures that a result's details make possible.

    Args:
        result: the result of any method.

    Returns:
        Matplotlib figures by name, to be saved with ``bbox_inches="tight"``, as labels and legends lie around the
        panels: ``map`` and ``sweep`` of words in a plane; ``correlations`` of settings and ``divergence`` of
        templates; ``effect_sizes`` over samples; ``answers`` to questions; words on an ``axis``; ``words`` with an
        interval each. Empty for a result without such details.
    """
    with style():
        return {name: draw(LabelFitter(needs_glyphs=True)) for name, draw in _drawings(result).items()}


def picture_names(result: Result) -> list[str]:
    """Return the names of the pictures that :func:`method_figures` would draw."""
    return list(_drawings(result))


def write_method_plots(result: Result, stem: Path) -> list[Path]:
    """Write the pictures of :func:`method_figures`, each as SVG and PNG.

    Args:
        result: the result of any method.
        stem: path and beginning of the files' names; the name of the picture is added.

    Returns:
        The files, SVG first.

    Raises:
        OutputError: the files cannot be written.
    """
    return [
        path
        for name, draw in _drawings(result).items()
        for path in save_picture(stem.with_name(f"{stem.name}-{name}"), draw)
    ]


def _drawings(result: Result) -> dict[str, Callable[[LabelFitter], Any]]:
    tests = result.rows_of("test")
    chosen = [(name, draw) for keys, name, draw in _OF_RESULTS if _holds(result.details, keys)]
    chosen += [
        (name, draw)
        for keys, name, draw in _OF_TESTS
        if tests and all(_holds(t.details, keys) for t in tests)
    ]
    items = result.rows_of("item")
    chosen += [(name, draw) for keys, name, draw in _OF_ITEMS if any(_holds(i.details, keys) for i in items)]
    if tests and all(words_on_axis(test) for test in tests):
        chosen.append(("axis", axis_plot))
    if tests and items and all(i.ci_low is not None and i.ci_high is not None for i in items):
        chosen.append(("words", intervals))
    return {name: partial(draw, result) for name, draw in chosen}


def _holds(details: Mapping[str, Any], keys: frozenset[str]) -> bool:
    return all(details.get(key) for key in keys)
