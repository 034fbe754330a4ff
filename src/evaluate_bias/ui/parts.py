"""Parts of the pages as small values; the templates make them HTML, escape every text, and say how to read numbers."""

from __future__ import annotations

import base64
import functools
import io
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
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
"""Pixels of the page for an inch of a picture, and dots of the picture for each, as screens of phones have them."""


def number(value: float | None, digits: int = 2) -> str:
    """Write a number with a true minus sign, as tables and cards round it; infinity for an open end.

    Examples:
        >>> number(-1.5), number(None), number(50.0, 0), number(-0.00042)
        ('−1.50', '∞', '50', '−0.00042')
    """
    return "∞" if value is None else minus(decimals(value, digits))


def minus(text: str) -> str:
    """Write the minus sign of numbers as one."""
    return text.replace("-", "−")


def short(value: float | None, sign: str = "") -> str:
    """Write a number in as few digits as say it; infinity, with its sign, for an open end.

    Examples:
        >>> short(None, "−"), short(-2.0), short(52.7701)
        ('−∞', '−2', '52.8')
    """
    return f"{sign}∞" if value is None else minus(f"{value:.3g}")


class Part:
    """Something to show; the macro of the same name in ``parts.html.jinja`` draws it."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Note(Part):
    """A paragraph of plain text; nothing when it is empty. The finding comes first and is larger."""

    text: str
    kind: Literal["plain", "warning", "finding"] = "plain"


@dataclass(frozen=True, slots=True)
class Tile:
    """A number, its range and ideal, and its meaning, which is shown when the tile has the pointer or the focus."""

    label: str
    value: str
    scale: str
    tip: str


@dataclass(frozen=True, slots=True)
class Tiles(Part):
    """Numbers side by side, each with its range below and its meaning on hover, touch or focus."""

    tiles: Sequence[Tile]


@dataclass(frozen=True, slots=True)
class Bars(Part):
    """Bars to both sides of 0 from rows of word, series and value; ``"0"`` is the series of words without one."""

    what: str
    left: str
    right: str
    series: Mapping[str, str]
    rows: Sequence[tuple[str, str, float]]

    @property
    def reach(self) -> float:
        """The largest distance from 0."""
        return max((abs(value) for _, _, value in self.rows), default=0.0) or 1.0


@dataclass(frozen=True, slots=True)
class DividedBar(Part):
    """One bar that shows how a whole is divided: label, count and colour class (``"1"``, ``"2"``, ``"0"``)."""

    what: str
    parts: Sequence[tuple[str, int, str]]

    @property
    def total(self) -> int:
        """The whole."""
        return sum(count for _, count, _ in self.parts) or 1


@dataclass(frozen=True, slots=True)
class Histogram(Part):
    """How values are distributed around 0, as columns of equal width."""

    what: str
    unit: str
    values: Sequence[float]

    @property
    def reach(self) -> float:
        """The largest distance from 0."""
        return max((abs(v) for v in self.values), default=0.0) or 1.0

    @property
    def columns(self) -> list[tuple[float, float, int, str]]:
        """Lower and upper end, count and colour class of every column."""
        width = 2 * self.reach / _BINS
        counts = [0] * _BINS
        for value in self.values:
            counts[min(_BINS - 1, math.floor((value + self.reach) / width))] += 1
        sides = ["1"] * (_BINS // 2) + ["0"] + ["2"] * (_BINS // 2)
        ends = [-self.reach + i * width for i in range(_BINS + 1)]
        return list(zip(ends[:-1], ends[1:], counts, sides, strict=True))


@dataclass(frozen=True, slots=True)
class ScrollTable(Part):
    """A table that scrolls inside the page where it is wider; nothing without rows."""

    what: str
    rows: Sequence[Mapping[str, Any]]


@dataclass(frozen=True, slots=True)
class Folded(Part):
    """What shows when its title is clicked; ``name`` is how the style sheet knows it."""

    title: str
    parts: Sequence[Part]
    name: str = "fold"


@dataclass(frozen=True, slots=True)
class Frame(Part):
    """A whole HTML page inside this one, without scripts, forms or a way out."""

    title: str
    page: str


@dataclass(frozen=True, slots=True)
class EmbeddedPicture(Part):
    """A picture that the page itself holds, so many pixels wide where there is room."""

    alt: str
    source: str
    width: int


@dataclass(frozen=True, slots=True)
class Link:
    """A link that saves a file."""

    filename: str
    address: str
    label: str


@dataclass(frozen=True, slots=True)
class Links(Part):
    """Files to save."""

    links: Sequence[Link]


def table_part(what: str, columns: Sequence[TableColumn[T]], rows: Sequence[T]) -> ScrollTable:
    """Return the cells of these columns, with true minus signs in those of numbers."""
    cells = [
        {c.title: minus(str(c.cell(row))) if c.number else str(c.cell(row)) for c in columns} for row in rows
    ]
    return ScrollTable(what, cells)


def text_link(filename: str, text: str, kind: str, label: str) -> Link:
    """A link that saves a text as a file without the server keeping one."""
    data = base64.b64encode(text.encode("utf-8")).decode("ascii")
    return Link(filename, f"data:{kind};charset=utf-8;base64,{data}", label)


def picture(figure: Any, alt: str) -> EmbeddedPicture:
    """Draw a figure of matplotlib, with the labels around its panels."""
    raw = io.BytesIO()
    figure.savefig(raw, format="png", dpi=_SHARPNESS * _DOTS, bbox_inches="tight", facecolor="white")
    png = raw.getvalue()
    width = int.from_bytes(png[16:20], "big") // _SHARPNESS  # where the format keeps it
    return EmbeddedPicture(alt, f"data:image/png;base64,{base64.b64encode(png).decode('ascii')}", width)


def show(*parts: Part | Markup) -> Markup:
    """Return parts as HTML, one below the other; what a template made already stays as it is."""
    return Markup("").join(
        part if isinstance(part, Markup) else getattr(_macros(), type(part).__name__.lower())(part)
        for part in parts
    )


def render(template: str, **values: Any) -> Markup:
    """Return a template of this package, filled in."""
    return Markup(_templates().get_template(f"{template}.html.jinja").render(values))


def page_defaults() -> dict[str, Any]:
    """What the pages start with: examples, defaults and the data sets that can be chosen."""
    return read_texts("defaults")


@functools.cache
def read_texts(name: str) -> dict[str, Any]:
    """A file of texts of this package."""
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
    templates.globals |= {"number": number, "short": short, "minus": minus, "show": show}
    templates.filters["whole"] = lambda text: escape(str(text))
    return templates


@functools.cache
def _macros() -> TemplateModule:
    return _templates().get_template("parts.html.jinja").module
