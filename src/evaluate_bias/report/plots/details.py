"""Pictures of what only some methods find: which of them a result has is decided by what its details hold.

Colours are from maps that people with colour-vision deficiencies can read, and nothing is shown by colour alone: cells
carry their numbers, classes their markers, significance an asterisk.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from ...result import Result
from .correlations import correlations, divergence
from .fonts import LabelFitter
from .picture import save_picture, style
from .samples import effect_sizes
from .word_map import feature_sweep, word_map

__all__ = ["method_drawings", "method_figures", "write_method_plots"]

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


def method_figures(result: Result) -> dict[str, Any]:
    """Draw the pictures that a result's details make possible.

    Args:
        result: the result of any method.

    Returns:
        Matplotlib figures by name, to be saved with ``bbox_inches="tight"``, as labels and legends lie around the
        panels: ``map`` and ``sweep`` of words in a plane; ``correlations`` of settings and ``divergence`` of
        templates; ``effect_sizes`` over samples. Empty for a result without such details.
    """
    with style():
        return {name: draw(LabelFitter(needs_glyphs=True)) for name, draw in method_drawings(result).items()}


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
        for name, draw in method_drawings(result).items()
        for path in save_picture(stem.with_name(f"{stem.name}-{name}"), draw)
    ]


def method_drawings(result: Result) -> dict[str, Callable[[LabelFitter], Any]]:
    """Return what draws the pictures of :func:`method_figures`, by name."""
    tests = result.rows_of("test")
    chosen = [(name, draw) for keys, name, draw in _OF_RESULTS if _holds(result.details, keys)]
    chosen += [
        (name, draw)
        for keys, name, draw in _OF_TESTS
        if tests and all(_holds(t.details, keys) for t in tests)
    ]
    return {name: partial(draw, result) for name, draw in chosen}


def _holds(details: Mapping[str, Any], keys: frozenset[str]) -> bool:
    return all(details.get(key) for key in keys)
