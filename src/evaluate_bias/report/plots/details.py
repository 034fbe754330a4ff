"""Pictures of what only some methods find: which of them a result has is decided by what its details hold.

Colours are from maps that people with colour-vision deficiencies can read, and nothing is shown by colour alone: cells
carry their numbers, classes their markers, significance an asterisk.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from ...errors import InputError, quoted
from ...methods.word_lists import ON_AXIS
from ...result import Result
from ..reading import Reading, read
from .answers import answers
from .canvas import ReportPicture, style
from .correlations import correlations, divergence
from .fonts import LabelFitter
from .samples import effect_sizes
from .word_map import feature_sweep, word_map
from .word_rows import axis_plot, intervals, words_on_axis

_Draw = Callable[[Reading, LabelFitter], Any]

_KINDS: Mapping[str, tuple[_Draw, str]] = {
    "map": (word_map, "words in a plane, coloured by the number known of them"),
    "sweep": (feature_sweep, "size of the correlations over the number of features kept"),
    "correlations": (correlations, "correlations of settings with one another"),
    "divergence": (divergence, "how far templates are from one another"),
    "effect_sizes": (effect_sizes, "effect sizes over random contexts, one row per test"),
    "answers": (answers, "the first answers to every question"),
    "axis": (axis_plot, "words on the axis between two groups of words"),
    "words": (intervals, "every word with its interval"),
}
"""What draws the pictures, and what they show."""


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
    shows = _KINDS[name][1]
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

    Raises:
        InputError: something else than a result was given.
    """
    if not isinstance(result, Result):
        raise InputError(f"pictures are drawn of the result of a method, not of {quoted(result)}")
    reading = read(result)
    with style():
        return {p.name: p.draw(LabelFitter(needs_glyphs=True)) for p in method_pictures(reading)}


def method_pictures(reading: Reading) -> list[ReportPicture]:
    """Return the pictures of :func:`method_figures`."""
    result = reading.result
    of = f"{reading.title} on {reading.model}"
    return [
        ReportPicture(name, f"{of}: {picture_text(result, name)}", partial(_KINDS[name][0], reading))
        for name in picture_names(result)
    ]


def picture_names(result: Result) -> list[str]:
    """Return the names of the pictures that :func:`method_figures` would draw."""
    tests, items = result.rows_of("test"), result.rows_of("item")
    held: dict[str, bool] = {
        "map": _holds(result.details, "sweep", "statistic", "classes", "protected"),
        "sweep": _holds(result.details, "sweep"),
        "correlations": _holds(result.details, "r", "p_holm", "names"),
        "divergence": _holds(result.details, "divergence", "texts"),
        "effect_sizes": bool(tests) and all(_holds(t.details, "effect_sizes") for t in tests),
        "answers": any(_holds(i.details, "answers") for i in items),
        "axis": bool(tests) and all(words_on_axis(t) for t in tests),
        "words": bool(tests and items) and all(i.ci_low is not None and i.ci_high is not None for i in items),
    }
    return [name for name, there in held.items() if there]


def _holds(details: Mapping[str, Any], *keys: str) -> bool:
    return all(details.get(key) for key in keys)
