"""Parts of the pages: the templates make them HTML, escape every text, and say how to read numbers."""

from __future__ import annotations

import base64
import functools
import io
import json
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from jinja2.environment import TemplateModule
from markupsafe import Markup, escape

from ..report.numbers import decimals
from ..report.table import T, TableColumn
from ..text import one_line

_HERE = Path(__file__).parent
_BINS = 15
_DOTS, _SHARPNESS = 110, 2
"""Pixels of the page for an inch of a picture, and dots of the picture per pixel, as on the screens of phones."""


def number(value: float | None, digits: int = 2) -> str:
    """Write a number with a true minus sign, as tables and cards round it. An open end is written as infinity.

    Examples:
        >>> number(-1.5), number(None), number(50.0, 0), number(-0.00042)
        ('−1.50', '∞', '50', '−0.00042')
    """
    return "∞" if value is None else minus(decimals(value, digits))


def minus(text: str) -> str:
    """Write the minus sign of numbers as a true minus sign."""
    return text.replace("-", "−")


def short(value: float | None, sign: str = "") -> str:
    """Write a number in as few digits as it needs. An open end is written as infinity with its sign.

    Examples:
        >>> short(None, "−"), short(-2.0), short(52.7701)
        ('−∞', '−2', '52.8')
    """
    return f"{sign}∞" if value is None else minus(f"{value:.3g}")


def draw(part: str, *values: Any, **named_values: Any) -> Markup:
    """Return a part of a page, by the name of its macro in ``parts.html.jinja``."""
    html: Markup = getattr(_macros(), part)(*values, **named_values)
    return html


def note(text: str, kind: Literal["plain", "warning", "finding"] = "plain") -> Markup:
    """Return a paragraph of plain text, or nothing if it is empty. The finding comes first and is larger."""
    return draw("note", text, kind)


def scroll_table(what: str, rows: Sequence[Mapping[str, Any]]) -> Markup:
    """Return a table that scrolls inside the page if it is wider, or nothing without rows."""
    return draw("scrolltable", what, rows)


def column_table(what: str, columns: Sequence[TableColumn[T]], rows: Sequence[T]) -> Markup:
    """Return a table of the cells of these columns, with true minus signs in number cells."""
    cells = [
        {c.title: minus(str(c.cell(row))) if c.number else str(c.cell(row)) for c in columns} for row in rows
    ]
    return scroll_table(what, cells)


def folded(title: str, *content: Markup, name: str = "fold") -> Markup:
    """Return content that is shown when its title is clicked. ``name`` is its class in the style sheet."""
    return draw("folded", title, join(*content), name)


def histogram(what: str, unit: str, values: Sequence[float]) -> Markup:
    """Draw how values are distributed around 0, as columns of equal width."""
    reach = max(map(abs, values)) or 1.0
    counts = [0] * _BINS
    for value in values:
        counts[min(_BINS - 1, math.floor((value + reach) * _BINS / (2 * reach)))] += 1
    sides = ["1"] * (_BINS // 2) + ["0"] + ["2"] * (_BINS // 2)
    ends = [-reach + i * 2 * reach / _BINS for i in range(_BINS + 1)]
    return draw("histogram", what, unit, list(zip(ends[:-1], ends[1:], counts, sides, strict=True)), reach)


def links(*files: tuple[str, str, str, str]) -> Markup:
    """Return links that save texts as files without the server keeping one.

    Args:
        files: a name, the text, its media type and the text of the link, for each.
    """

    def address(text: str, kind: str) -> str:
        return f"data:{kind};charset=utf-8;base64,{base64.b64encode(text.encode('utf-8')).decode('ascii')}"

    return draw("links", [(name, address(text, kind), label) for name, text, kind, label in files])


def picture(figure: Any, alt: str) -> Markup:
    """Draw a figure of matplotlib into the page, with the labels around its panels."""
    raw = io.BytesIO()
    figure.savefig(raw, format="png", dpi=_SHARPNESS * _DOTS, bbox_inches="tight", facecolor="white")
    png = raw.getvalue()
    width = int.from_bytes(png[16:20], "big") // _SHARPNESS  # the place of the width in a PNG
    return draw("picture", alt, f"data:image/png;base64,{base64.b64encode(png).decode('ascii')}", width)


def join(*parts: Markup) -> Markup:
    """Return parts one below the other."""
    return Markup("").join(parts)


def render(template: str, **values: Any) -> Markup:
    """Return a template of this package, filled in."""
    return Markup(_templates().get_template(f"{template}.html.jinja").render(values))


def page_defaults() -> dict[str, Any]:
    """Return what the pages start with: examples, defaults and the data sets that can be chosen."""
    return read_texts("defaults")


@functools.cache
def read_texts(name: str) -> dict[str, Any]:
    """Return a file of texts of this package."""
    texts: dict[str, Any] = json.loads((_HERE / f"{name}.json").read_text(encoding="utf-8"))
    return texts


@functools.cache
def _templates() -> Environment:
    templates = Environment(
        loader=FileSystemLoader(_HERE / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=lambda value: value if isinstance(value, Markup) else one_line(str(value)),
    )
    templates.globals |= {"number": number, "short": short}
    templates.filters["whole"] = lambda text: escape(str(text))
    return templates


@functools.cache
def _macros() -> TemplateModule:
    return _templates().get_template("parts.html.jinja").module
