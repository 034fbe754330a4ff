"""What all pictures are drawn on, in which style and with which fonts, and how they are saved."""

from __future__ import annotations

import functools
import io
import re
import threading
import warnings
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...files import atomic_write
from ...text import one_line
from ..escape import shorten
from ..lines import ALPHA

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#000000")
"""Colours of Okabe and Ito (2008), which people with colour-vision deficiencies can tell apart."""
MARKERS = ("o", "s", "D", "^", "v", "P", "X")
BLUE, ORANGE, GREY = *COLOURS[:2], "#555555"
DASHED: Mapping[str, Any] = {"color": "#444444", "linewidth": 1.0, "linestyle": (0, (4, 2))}
"""The line at the value that means that nothing was measured."""

SMALL = f"p < {ALPHA:g}"
"""What is marked where items have p-values of their own."""

_START = re.compile(r"<svg\b")
_METADATA = re.compile(r"\s*<metadata>.*?</metadata>", re.DOTALL)
_TAG = re.compile("<[^>]*>")
_ID = re.compile(r'\bid="([^"]*)"')
_GROUP_ID = re.compile(r'(?<=<g) id="[^"]*"')
_NUMBER = re.compile(r"-?\d+\.\d{2,}")
_REFERENCE = re.compile(r'(xlink:href="#|href="#|url\(#)')

_SUFFIXES = (".svg", ".png")
Panel = tuple[float, float, float, float]
"""Left, bottom, width and height in inches."""
_STYLE = {
    "svg.hashsalt": "evaluate-bias",  # makes the ids in SVG files the same in every run
    "svg.fonttype": "none",  # keeps text as text: searchable, and drawn with the reader's fonts
    "text.parse_math": False,  # a name with dollar signs is no formula
    "font.size": 9.0,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.spines.left": False,
    "legend.frameon": False,
}


_FALLBACKS = (
    "Noto Sans CJK SC",
    "Noto Sans CJK JP",
    "Noto Sans CJK KR",
    "Noto Sans SC",
    "Noto Sans KR",
    "Source Han Sans SC",
    "WenQuanYi Micro Hei",
    "WenQuanYi Zen Hei",
    "Microsoft YaHei",
    "Malgun Gothic",
    "PingFang SC",
    "Hiragino Sans GB",
    "Apple SD Gothic Neo",
    "Arial Unicode MS",
    "Unifont",
)


def fit(label: str, most: int = 90) -> str:
    """Return a label on one line; of more characters, which would widen the picture, the middle is left out."""
    return shorten(one_line(label), most)


def families() -> tuple[str, ...]:
    """Return the font families to draw with, in the order in which they are tried."""
    from matplotlib.font_manager import fontManager

    installed = {font.name for font in fontManager.ttflist}
    return ("DejaVu Sans", *(name for name in _FALLBACKS if name in installed))


Drawing = Callable[[], Any]
"""Draws a matplotlib figure, to be saved with ``bbox_inches="tight"``."""


@dataclass(frozen=True, slots=True)
class ReportPicture:
    """A picture that can be drawn.

    Attributes:
        name: for its file.
        caption: what it shows, in a sentence.
        draw: draws it.
        page: of a picture that goes on in others, which of them this is.
    """

    name: str
    caption: str
    draw: Drawing
    page: int = 1


def paged(name: str, caption: str, drawings: Sequence[Drawing]) -> list[ReportPicture]:
    """One picture as several, of which each caption says which it is."""
    several = f", {{}} of {len(drawings)}" if len(drawings) > 1 else ""
    numbered = enumerate(drawings, 1)
    return [ReportPicture(name, caption + several.format(page), draw, page) for page, draw in numbered]


def picture_stem(path: str | Path) -> Path:
    """The path without the ending of a picture."""
    path = Path(path)
    return path.with_suffix("") if path.suffix.lower() in _SUFFIXES else path


def drawn_figure(draw: Drawing) -> Any:
    """Draw a figure of matplotlib, for those who show it themselves."""
    with style():
        return draw()


def save_picture(stem: Path, draw: Drawing, *, png: bool = True) -> list[Path]:
    """Draw and write an SVG and, unless told otherwise, a PNG.

    The SVG keeps text as text. In the PNG a character that no installed font has is a box.
    """
    written = []
    with style():
        figure = draw()
        frame = figure.get_tightbbox().padded(0.1)  # around labels and legend; the same for both formats
        for suffix, metadata in ((".svg", {"Date": None}), (".png", {"Software": None}))[: 1 + png]:
            buffer = io.BytesIO()
            how = {"format": suffix[1:], "metadata": metadata, "bbox_inches": frame, "facecolor": "white"}
            figure.savefig(buffer, dpi=160, **how)
            written.append(atomic_write(stem.parent / f"{stem.name}{suffix}", buffer.getvalue()))
    return written


def inline_svg(draw: Drawing, prefix: str) -> str:
    """Draw a picture and return its ``<svg>`` element, its ids made unique in a page.

    Args:
        draw: what draws it, as :func:`save_picture` saves it.
        prefix: of all ids, another one for every picture of a page.

    Examples:
        >>> from evaluate_bias.report.plots.canvas import new_figure
        >>> inline_svg(lambda: new_figure(1.0, 1.0)[0], "p1-")[:4]
        '<svg'
    """
    with style():
        figure = draw()
        buffer = io.StringIO()
        how = {"format": "svg", "metadata": {"Date": None}, "bbox_inches": "tight", "facecolor": "white"}
        figure.savefig(buffer, pad_inches=0.1, **how)
    text = buffer.getvalue()
    start = _START.search(text)
    text = _METADATA.sub("", text[start.start() if start else 0 :])

    def smaller(tag: re.Match[str]) -> str:
        """A tag with its own ids, without those of groups, to which nothing refers, and with tenths of points."""
        with_own_ids = _ID.sub(rf'id="{prefix}\1"', _GROUP_ID.sub("", tag[0]))
        short = _NUMBER.sub(lambda number: f"{float(number[0]):.1f}".removesuffix(".0"), with_own_ids)
        return " ".join(_REFERENCE.sub(rf"\g<1>{prefix}", short).split())

    # Only within tags: a name that is drawn may read like an attribute or a number.
    return re.sub(r">\s+<", "><", _TAG.sub(smaller, text))


_DRAWING = threading.RLock()
"""Settings of matplotlib are those of the process: threads that draw take turns, and leave them as they were."""


@contextmanager
def style() -> Iterator[None]:
    """Draw with the settings that all pictures share; figures keep them afterwards."""
    import matplotlib

    settings = {**_STYLE, "font.family": list(families())}
    with _DRAWING, matplotlib.rc_context(settings), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing")
        yield


@functools.cache
def _figure_class() -> Any:
    from matplotlib.figure import Figure

    class TightFigure(Figure):
        """A figure that is saved with all that lies around its panels, unless another box is asked for."""

        def savefig(self, *args: Any, **options: Any) -> Any:
            return super().savefig(*args, **{"bbox_inches": "tight", **options})

    return TightFigure


def new_figure(width: float, height: float, panels: Sequence[Panel] = ()) -> tuple[Any, list[Any]]:
    """A figure of this size in inches with these panels; with one that fills it where none are given.

    Labels and legends lie outside the figure and are taken in when it is saved: panels keep their size however long
    the labels are, and no layout has to be searched for. The figure is not one of pyplot's, which stay alive and are
    not thread-safe.
    """
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    figure = _figure_class()(figsize=(width, height))
    FigureCanvasAgg(figure)
    chosen = panels or [(0.0, 0.0, width, height)]
    return figure, [figure.add_axes((x / width, y / height, w / width, h / height)) for x, y, w, h in chosen]


def stacked_panels(width: float, heights: Sequence[float], gap: float) -> tuple[Any, list[Any]]:
    """A figure of panels of these heights in inches, the first on top, so far from one another."""
    tops = [sum(heights[k:]) + gap * (len(heights) - 1 - k) for k in range(len(heights))]
    panels = [(0.0, top - height, width, height) for top, height in zip(tops, heights, strict=True)]
    return new_figure(width, tops[0], panels)


def add_title(axis: Any, text: str, **where: Any) -> None:
    """Write the title of a panel."""
    axis.set_title(text, loc="left", fontsize=10, fontweight="bold", **where)


def draw_ideals(axis: Any, ideals: Collection[tuple[float, float]]) -> str:
    """Draw the line at the ideal value, or one at each place of the vertical axis where they differ; and say which.

    Args:
        axis: the panel.
        ideals: places and ideal values.
    """
    values = {ideal for _, ideal in ideals}
    if len(values) == 1:
        (ideal,) = values
        axis.axvline(ideal, **DASHED, zorder=1)
        return f"ideal {ideal:g}"
    for place, ideal in sorted(ideals):
        axis.plot([ideal, ideal], [place - 0.45, place + 0.45], **DASHED, zorder=1)
    return "ideal of each"


def draw_mark(axis: Any, x: float | None, y: float, colour: str, *, filled: bool, **look: Any) -> None:
    """Draw a score as a marker, filled where it was found."""
    look = {"linestyle": "none", "markeredgecolor": colour, "zorder": 3} | look
    axis.plot([x], [y], markerfacecolor=colour if filled else "white", **look)


def label_rows(
    axis: Any, labels: Sequence[str], title: str, places: Sequence[float] = (), **look: Any
) -> None:
    """Finish a panel of rows: a label each from the top down, a grid behind them, and a title.

    Args:
        axis: the panel.
        labels: one for each row.
        title: of the panel.
        places: of the rows on the vertical axis; one below another by default.
        look: of the labels, as ``tick_params`` takes it.
    """
    places = places or range(len(labels))
    axis.set_yticks(places, labels)
    axis.tick_params(axis="y", length=0, **look)
    axis.set_ylim(places[-1] + 0.6, places[0] - 0.6)
    axis.yaxis.set_label_coords(0.0, 0.5)  # there is none, and no place is searched for it
    add_grid(axis)
    add_title(axis, title, y=1.0)  # nothing is above the panel, where a place would be searched for it


def add_grid(axis: Any, along: str = "x") -> None:
    """Draw thin lines behind everything, at the ticks of the axis ``along``."""
    axis.grid(axis=along, color="#dddddd", linewidth=0.6)
    axis.set_axisbelow(True)


def write_beside(axis: Any, y: float, text: str) -> None:
    """Write numbers to the right of the panel, at a height in its own units."""
    where: dict[str, Any] = {"xycoords": ("axes fraction", "data"), "va": "center", "annotation_clip": False}
    axis.annotate(text.replace("-", "−"), (1.02, y), fontsize=8, **where)


def legend_entry(label: str, **look: Any) -> Any:
    """An entry of a legend: a line or marker that looks like this; the text alone where nothing is given."""
    from matplotlib.lines import Line2D

    return Line2D([], [], label=label, **{"linestyle": "none", **look})


def series_look(place: int) -> tuple[str, str]:
    """Colour and marker of a model or list by its place; of 49 no two have the same."""
    n = len(COLOURS)
    return COLOURS[place % n], MARKERS[(place + place // n) % n]


def is_small(p: float | None) -> bool:
    """Whether a p-value of an item, which no reading speaks of, is marked in a picture; see :data:`SMALL`."""
    return p is not None and p < ALPHA


def add_legend(
    axis: Any,
    handles: Sequence[Any],
    *,
    columns: int,
    below: float = 0.5,
    anchor: str = "upper left",
) -> None:
    """Put the legend below the panel and its axis label.

    Args:
        axis: the panel.
        handles: what is explained.
        columns: number of columns.
        below: distance from the panel in inches.
        anchor: which corner of the legend lies there, ``"upper left"`` or ``"upper center"``.
    """
    height = axis.get_position().height * axis.figure.get_figheight()
    axis.legend(
        handles=list(handles),
        loc=anchor,
        bbox_to_anchor=(0.5 if anchor == "upper center" else 0.0, -below / height),
        borderaxespad=0.0,
        ncols=columns,
    )
