"""A picture as text that can stand inside an HTML page, several of them in one."""

from __future__ import annotations

import io
import re
from collections.abc import Callable
from typing import Any

from .canvas import style
from .fonts import LabelFitter

__all__ = ["inline_svg"]

_START = re.compile(r"<svg\b")
_METADATA = re.compile(r"\s*<metadata>.*?</metadata>", re.DOTALL)
_TAG = re.compile("<[^>]*>")
_ID = re.compile(r'\bid="([^"]*)"')
_REFERENCE = re.compile(r'(xlink:href="#|href="#|url\(#)')


def inline_svg(draw: Callable[[LabelFitter], Any], prefix: str) -> str:
    """Draw a picture and return its ``<svg>`` element, its ids made unique in a page.

    Args:
        draw: what draws it, as :mod:`.canvas` saves it.
        prefix: of all ids, another one for every picture of a page.

    Examples:
        >>> from evaluate_bias.report.plots.canvas import new_figure
        >>> inline_svg(lambda fitter: new_figure(1.0, 1.0)[0], "p1-")[:4]
        '<svg'
    """
    with style():
        figure = draw(LabelFitter(needs_glyphs=False))
        drawn = io.StringIO()
        figure.savefig(
            drawn,
            format="svg",
            metadata={"Date": None},
            bbox_inches="tight",
            pad_inches=0.1,
            facecolor="white",
        )
    text = drawn.getvalue()
    found = _START.search(text)
    text = _METADATA.sub("", text[found.start() if found else 0 :])
    # Only within tags: a name that is drawn may read like an attribute.
    return _TAG.sub(lambda tag: _REFERENCE.sub(rf"\g<1>{prefix}", _ID.sub(rf'id="{prefix}\1"', tag[0])), text)
