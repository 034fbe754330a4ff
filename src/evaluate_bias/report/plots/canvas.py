"""What all pictures are drawn on, in which style and with which fonts, and how they are saved.

A picture is a function that draws on a figure, which it makes as large as its panels, or on axes of the caller. Labels
and legends lie around the panels, and the figure grows to what is drawn: panels keep their size however long labels
are.
"""

from __future__ import annotations

import io
import re
import threading
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...errors import InputError
from ...files import atomic_write
from ...text import one_line
from ..escape import shorten
from ..lines import ALPHA

if TYPE_CHECKING:
    from ...result import Result, Row
    from ..reading import Reading

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#000000")
"""Colours of Okabe and Ito (2008), which people with colour-vision deficiencies can tell apart."""
MARKERS = ("o", "s", "D", "^", "v", "P", "X")
BLUE, ORANGE, GREY = *COLOURS[:2], "#555555"
DASHED: Mapping[str, Any] = {"color": "#444444", "linewidth": 1.0, "linestyle": (0, (4, 2))}
"""The line at the value that means that nothing was measured."""

SMALL = f"p < {ALPHA:g}"
"""What is marked if items have p-values of their own."""

_STYLE = {
    "svg.hashsalt": "evaluate-bias",  # makes the ids in SVG files the same in every run
    "svg.fonttype": "none",  # keeps text as text: searchable, and drawn with the reader's fonts
    "text.parse_math": False,  # a name with dollar signs is not a formula
    "font.size": 9.0,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.spines.left": False,
    "axes.titlesize": 10.0,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "axes.titlepad": 8.0,
    "axes.axisbelow": True,
    "grid.color": "#dddddd",
    "grid.linewidth": 0.6,
    "legend.frameon": False,
}
_FALLBACKS = (
    "Noto Sans CJK SC", "Noto Sans CJK JP", "Noto Sans CJK KR", "Noto Sans SC", "Noto Sans KR", "Source Han Sans SC",
    "WenQuanYi Micro Hei", "WenQuanYi Zen Hei", "Microsoft YaHei", "Malgun Gothic", "PingFang SC", "Hiragino Sans GB",
    "Apple SD Gothic Neo", "Arial Unicode MS", "Unifont",
)  # fmt: skip
_SVG_FONTS = "DejaVu Sans, Verdana, sans-serif"
"""Fonts with letters as wide as the measured ones, whatever fonts the drawing machine has."""
_DRAWING = threading.RLock()
"""Settings of matplotlib apply to the whole process: threads draw in turn, and restore them."""

Drawing = Callable[[Any], list[Any]]
"""Draws on a figure or on axes of matplotlib, and returns the panels."""


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


DrawResult = Callable[["Reading", Any], list[Any]]
"""Draws a reading on a figure or on axes, and returns the panels."""

KINDS: dict[str, tuple[DrawResult, str, Callable[[Result], Any]]] = {}
"""What draws the pictures of single results, what they show, and which results have them, by the name of the kind."""


def kind(name: str, shows: str, has_picture: Callable[[Result], Any]) -> Callable[[DrawResult], DrawResult]:
    """Register a function as what draws a kind of picture.

    Args:
        name: of the kind, as :meth:`Result.plot` accepts it.
        shows: what it shows, a clause.
        has_picture: tells whether a result has what is drawn.
    """

    def register(draw: DrawResult) -> DrawResult:
        KINDS[name] = draw, shows, has_picture
        return draw

    return register


def all_tests(holds: Callable[[Row], Any]) -> Callable[[Result], bool]:
    """Return a function that tells whether a condition holds for all tests of a result, which has at least one."""
    return lambda result: bool(tests := result.rows_of("test")) and all(map(holds, tests))


def paged(name: str, caption: str, drawings: Sequence[Drawing]) -> list[ReportPicture]:
    """Return one picture as several, of which each caption says which it is."""
    several = f", {{}} of {len(drawings)}" if len(drawings) > 1 else ""
    numbered = enumerate(drawings, 1)
    return [ReportPicture(name, caption + several.format(page), draw, page) for page, draw in numbered]


def slices(count: int, most: int) -> list[range]:
    """Split positions into slices of about equal length, none longer than ``most``.

    Examples:
        >>> slices(5, 4)
        [range(0, 3), range(3, 5)]
    """
    size = -(-count // -(-count // most)) if count else 1
    return [range(start, min(start + size, count)) for start in range(0, count, size)]


def fit(label: str, most: int = 90) -> str:
    """Return a label on one line, without its middle if it is so long that it would widen the picture."""
    return shorten(one_line(label), most)


# --- drawing and saving -------------------------------------------------------------------------------------------


@contextmanager
def style(**settings: Any) -> Iterator[None]:
    """Draw with the settings that all pictures share, regardless of the caller's. Figures keep them afterwards."""
    from matplotlib import style as styles
    from matplotlib.font_manager import fontManager

    installed = {font.name for font in fontManager.ttflist}
    families = ["DejaVu Sans", *(name for name in _FALLBACKS if name in installed)]
    chosen = {**_STYLE, "font.family": families, **settings}
    with _DRAWING, styles.context(["default", chosen]), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing")
        yield


def draw_on(figure: Any, draw: Drawing) -> list[Any]:
    """Draw on an empty figure, which grows to the labels and legends around its panels. Return the panels."""
    axes = draw(figure)
    (width, height), box = figure.get_size_inches(), figure.get_tightbbox().padded(0.1)
    places = [axis.get_position().bounds for axis in figure.axes]
    figure.set_size_inches(box.width, box.height)
    for axis, (x, y, w, h) in zip(figure.axes, places, strict=True):
        x0, y0 = (x * width - box.x0) / box.width, (y * height - box.y0) / box.height
        axis.set_position((x0, y0, w * width / box.width, h * height / box.height))
    return axes


def draw_figure(draw: Drawing) -> Any:
    """Return a picture as a figure of matplotlib.

    It is not one of pyplot's, which stay alive and are not thread-safe.
    """
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    with style():
        FigureCanvasAgg(figure := Figure())
        draw_on(figure, draw)
    return figure


def save_picture(stem: Path, draw: Drawing, *, png: bool = True) -> list[Path]:
    """Draw and write an SVG and, unless told otherwise, a PNG.

    The SVG keeps text as text. In the PNG a character that no installed font has is a box.
    """
    figure, written = draw_figure(draw), []
    for suffix, metadata in ((".svg", {"Date": None}), (".png", {"Software": None}))[: 1 + png]:
        buffer = io.BytesIO()
        with style():
            figure.savefig(buffer, format=suffix[1:], dpi=160, metadata=metadata)
        written.append(atomic_write(stem.parent / f"{stem.name}{suffix}", buffer.getvalue()))
    return written


def svg_text(draw: Drawing, page_id: str = "") -> str:
    """Draw a picture and return its ``<svg>`` element, as short as it can be.

    Args:
        draw: what draws it.
        page_id: another one for every picture of an HTML page, so that no two of their ids are equal.

    Examples:
        >>> svg_text(lambda figure: panels(figure, 1.0, [1.0]))[:4]
        '<svg'
    """
    figure, buffer = draw_figure(draw), io.StringIO()
    with style(**{"svg.hashsalt": f"evaluate-bias{page_id}"}):
        figure.savefig(buffer, format="svg", metadata={"Date": None})
    text = buffer.getvalue()
    text = re.sub(r"\s*<metadata>.*?</metadata>", "", text[text.index("<svg") :], flags=re.DOTALL)

    def shorten_tag(tag: re.Match[str]) -> str:
        """Return a tag without unused identifiers, in fonts that readers have, and rounded to tenths of points."""
        text = re.sub(r'^<g id="[^"]*"', "<g", tag[0])
        text = re.sub(r"font-family: [^;\"]*", f"font-family: {_SVG_FONTS}", text)
        text = re.sub(r"-?\d+\.\d{2,}", lambda n: f"{float(n[0]):.1f}".removesuffix(".0"), text)
        return " ".join(text.split())

    # Only within tags, as a name that is drawn may read like an attribute or a number.
    return re.sub(r">\s+<", ">\n<", re.sub("<[^>]*>", shorten_tag, text))


# --- parts of a picture -------------------------------------------------------------------------------------------


def panels(
    on: Any, width: float, heights: Sequence[float], *, gap: float = 0.9, columns: int = 1
) -> list[Any]:
    """Make a figure as large as its panels and return these, row by row, or the axes if a picture has one panel.

    Args:
        on: an empty figure, or axes of the caller.
        width: of every panel, in inches.
        heights: of the panels, in inches, equal within a row.
        gap: inches between panels.
        columns: number of panels in a row.

    Raises:
        InputError: a picture of several panels was asked for on one axes.
    """
    if not hasattr(on, "add_axes"):
        if len(heights) > 1:
            problem = f"this picture has {len(heights)} panels, which one Axes has no room for"
            raise InputError(problem, option="ax", hint="leave out `ax`")
        return [on]
    rows, columns = heights[::columns], min(columns, len(heights))
    full_width, full_height = width * columns + gap * (columns - 1), sum(rows) + gap * (len(rows) - 1)
    on.set_size_inches(full_width, full_height)
    axes = []
    for i, height in enumerate(heights):
        row, column = divmod(i, columns)
        x0, y0 = column * (width + gap), full_height - sum(rows[: row + 1]) - gap * row
        place = (x0 / full_width, y0 / full_height, width / full_width, height / full_height)
        axes.append(on.add_axes(place))
    return axes


def panel_inches(axis: Any) -> tuple[float, float]:
    """Return width and height of a panel in inches."""
    box = axis.get_window_extent()
    return box.width / axis.figure.dpi, box.height / axis.figure.dpi


def finish_panel(axis: Any, title: str, x: str = "", y: str = "", grid: str = "") -> None:
    """Write title and names of the axes of a panel, and draw a grid behind it at the ticks of one axis."""
    axis.set_title(title)
    axis.set_xlabel(x)
    axis.set_ylabel(y)
    if grid:
        axis.grid(axis=grid)


def write_beside(axis: Any, y: float, text: str) -> None:
    """Write numbers to the right of the panel, at a height in its own units."""
    where: dict[str, Any] = {"xycoords": ("axes fraction", "data"), "va": "center", "annotation_clip": False}
    axis.annotate(text.replace("-", "−"), (1.02, y), fontsize=8, **where)


def series_look(place: int) -> tuple[str, str]:
    """Return colour and marker of a model or list by its position. The first 49 are all different."""
    n = len(COLOURS)
    return COLOURS[place % n], MARKERS[(place + place // n) % n]


def is_small(p: float | None) -> bool:
    """True if the p-value of an item, which no reading mentions, is marked in a picture, see :data:`SMALL`."""
    return p is not None and p < ALPHA


def legend_entry(label: str, **look: Any) -> Any:
    """Return an entry of a legend: a line or marker with this look, or only the text if no look is given."""
    from matplotlib.lines import Line2D

    return Line2D([], [], label=label, **{"linestyle": "none", **look})


def add_legend(
    axis: Any,
    handles: Sequence[Any] = (),
    *,
    columns: int = 1,
    below: float = 0.55,
    centre: bool = False,
    **look: Any,
) -> None:
    """Put the legend below the panel and its axis label, ``below`` inches from the panel.

    Its entries are those given, or what is drawn with a label.
    """
    axis.legend(
        handles=handles or axis.get_legend_handles_labels()[0],
        loc="upper center" if centre else "upper left",
        bbox_to_anchor=(0.5 if centre else 0.0, -below / panel_inches(axis)[1]),
        borderaxespad=0.0,
        ncols=columns,
        **look,
    )
