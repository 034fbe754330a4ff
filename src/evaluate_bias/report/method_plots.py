"""Pictures of single methods: the WSV map, correlation matrices, and the effect sizes of CEAT.

Colours are from maps that people with colour-vision deficiencies can read, and nothing is told by colour alone: cells
carry their numbers, classes their markers, significance an asterisk.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from ..report import ceat_plots, compatibility_plots, wsv_plots
from ..result import Result
from .fonts import LabelFitter
from .plots import save_picture, style

__all__ = ["method_figures", "write_method_plots"]

Drawing = Callable[[LabelFitter], Any]


def method_figures(result: Result) -> dict[str, Any]:
    """Draw the pictures that belong to a result's method.

    Args:
        result: the result of any method.

    Returns:
        Matplotlib figures by name, to be saved with ``bbox_inches="tight"``, as labels and legends lie around the
        panels: ``map`` and ``sweep`` of WSV; ``correlations`` and, of masked language
        models, ``divergence`` of template and representation compatibility; ``effect_sizes`` of CEAT. Empty for other
        methods.
    """
    with style():
        return {name: draw(LabelFitter(needs_glyphs=True)) for name, draw in _drawings(result).items()}


def write_method_plots(result: Result, stem: Path) -> list[Path]:
    """Write the pictures that belong to a result's method, each as SVG and PNG.

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


def _drawings(result: Result) -> dict[str, Drawing]:
    """What there is to draw; nothing of a result that lacks the numbers, such as one made by hand."""
    extra = result.extra
    drawings: dict[str, Drawing] = {}
    match result.method:
        case "wsv" if "sweep" in extra:
            drawings["map"] = partial(wsv_plots.wsv_map, result)
            drawings["sweep"] = partial(wsv_plots.wsv_sweep, result)
        case "template_compatibility" | "representation_compatibility" if "r" in extra:
            drawings["correlations"] = partial(compatibility_plots.correlations, result)
            if extra.get("divergence"):
                drawings["divergence"] = partial(compatibility_plots.divergence, result)
        case "ceat" if result.items and all("effect_sizes" in item for item in result.items):
            drawings["effect_sizes"] = partial(ceat_plots.effect_sizes, result)
    return drawings
