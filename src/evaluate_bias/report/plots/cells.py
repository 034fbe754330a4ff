"""Maps of numbers: rows by columns, a number in every cell, colour by its distance from the ideal value."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from ..escape import shorten
from ..lines import ReportRow
from ..reading import Reading, RowReading
from ..score_matrix import shade
from ..verdict import FOUND, NOTHING_FOLLOWS
from .canvas import LabelFitter, add_title, new_figure

_DIVERGING = "PuOr_r"
"""From violet to orange with white in the middle, which people with colour-vision deficiencies can tell apart."""
_UNDEFINED: Mapping[str, Any] = {"facecolor": "#eeeeee", "edgecolor": "#999999", "hatch": "////"}
"""How a cell looks that has no number."""
_UNPLACED: Mapping[str, Any] = {"facecolor": "white", "edgecolor": "#888888", "hatch": "...."}
"""How a cell looks whose number has no place between an ideal value and an end."""

_NOTES = {
    "*": "* found",
    "(*)": "(*) a test or group was found",
    "dashed": "dashed: nothing follows from it (illustrative data, control, or too few units)",
}
_WIDTH, _HEIGHT = 0.66, 0.3
_LONGEST = 46


@dataclass(frozen=True, slots=True)
class Cell:
    """What stands in a cell: its text, and where its colour lies between -1 and 1, ``None`` for nowhere; ``faint`` for
    an open frame."""

    text: str
    shade: float | None
    faint: bool = False


def cell_map(
    rows: Sequence[str],
    columns: Sequence[str],
    cells: Mapping[tuple[int, int], Cell],
    fitter: LabelFitter,
    *,
    title: str,
    ends: tuple[str, str, str],
    notes: Sequence[str],
    width: float = _WIDTH,
    height: float = _HEIGHT,
) -> Any:
    """Draw the map; a cell without an entry is hatched.

    Args:
        rows: their names.
        columns: their names.
        cells: by places of row and column.
        fitter: what labels go through.
        title: title of the picture.
        ends: what the colours mean, at -1, 0 and 1.
        notes: lines below the map.
        width: of a cell, in inches.
        height: of a cell, in inches.
    """
    k, m = len(columns), len(rows)
    wide, tall = width * k, height * m
    below = (0.0, -0.38, max(2.4, min(wide, 4.0)), 0.1)
    figure, (axis, bar) = new_figure(wide, tall, [(0.0, 0.0, wide, tall), below])
    _fill(axis, cells)
    for i in range(m):
        for j in range(k):
            _draw_cell(axis, i, j, cells.get((i, j)))
    axis.set_xlim(0, k)
    axis.set_ylim(m, 0)
    axis.set_yticks([i + 0.5 for i in range(m)], [shorten(fitter.fit(r), _LONGEST) for r in rows])
    names = [shorten(fitter.fit(c), _LONGEST) for c in columns]
    axis.set_xticks([j + 0.5 for j in range(k)], names, rotation=40, ha="left", rotation_mode="anchor")
    axis.xaxis.tick_top()
    axis.tick_params(length=0)
    axis.spines[:].set_visible(False)
    add_title(axis, fitter.fit(title), pad=8)
    _draw_scale(figure, bar, ends)
    looks = {"undefined: not measured, or no number exists": _UNDEFINED} if len(cells) < k * m else {}
    if any(cell.shade is None for cell in cells.values()):
        looks["no scale: the range has no end, and there is no other score of the method"] = _UNPLACED
    _write_below(bar, looks, [*notes, fitter.footnote])
    return figure


@cache
def _colours() -> Any:
    import matplotlib

    return matplotlib.colormaps[_DIVERGING]


def _colour(shade: float) -> Any:
    return _colours()(0.5 + 0.42 * shade)


def _fill(axis: Any, cells: Mapping[tuple[int, int], Cell]) -> None:
    """The cells that have a colour: one artist draws them much faster than one each."""
    from matplotlib.collections import PolyCollection

    placed = {place: cell.shade for place, cell in cells.items() if cell.shade is not None}
    corners = [[(j, i), (j + 1, i), (j + 1, i + 1), (j, i + 1)] for i, j in placed]
    faces = [_colour(shade) for shade in placed.values()]
    polygons = PolyCollection(corners, facecolors=faces, edgecolors="white", linewidths=1.2)
    axis.add_collection(polygons, autolim=False)


def _draw_cell(axis: Any, i: int, j: int, cell: Cell | None) -> None:
    """The text of a cell; hatching where there is nothing, or no place on the scale."""
    from matplotlib.patches import Rectangle

    if cell is None:
        axis.add_patch(Rectangle((j, i), 1, 1, linewidth=0.0, **_UNDEFINED))
        return
    face = (1.0, 1.0, 1.0, 1.0) if cell.shade is None else _colour(cell.shade)
    box = {"facecolor": face, "edgecolor": "none", "pad": 1.5} if cell.shade is None else None
    if cell.shade is None:
        axis.add_patch(Rectangle((j, i), 1, 1, linewidth=0.0, **_UNPLACED))
    if cell.faint:
        frame: dict[str, Any] = {"edgecolor": "#555555", "linewidth": 0.8, "linestyle": (0, (2, 2))}
        axis.add_patch(Rectangle((j + 0.05, i + 0.09), 0.9, 0.82, fill=False, **frame))
    text = cell.text.replace("-", "−")
    axis.text(j + 0.5, i + 0.5, text, ha="center", va="center", fontsize=7.5, color=_ink(face), bbox=box)


def _draw_scale(figure: Any, bar: Any, ends: tuple[str, str, str]) -> None:
    """What the colours mean."""
    import matplotlib

    image = matplotlib.cm.ScalarMappable(
        matplotlib.colors.Normalize(-1.0, 1.0),
        matplotlib.colors.ListedColormap([_colours()(0.08 + 0.84 * i / 255) for i in range(256)]),
    )
    scale = figure.colorbar(image, cax=bar, orientation="horizontal")
    scale.set_ticks([-1.0, 0.0, 1.0], labels=list(ends))
    scale.ax.tick_params(length=0, labelsize=7.5)
    first, _, last = scale.ax.get_xticklabels()
    first.set_ha("left")
    last.set_ha("right")
    scale.outline.set_visible(False)


def _write_below(bar: Any, looks: Mapping[str, Mapping[str, Any]], notes: Sequence[str]) -> None:
    """The legend of hatched cells, and notes."""
    from matplotlib.patches import Rectangle

    if looks:
        hatched = [Rectangle((0, 0), 1, 1, linewidth=0.0, label=t, **look) for t, look in looks.items()]
        place = {"loc": "upper left", "bbox_to_anchor": (0.0, -3.2), "borderaxespad": 0.0, "borderpad": 0.0}
        bar.legend(handles=hatched, fontsize=8, **place)
    where = {"xytext": (0.0, -26.0 - 14.0 * len(looks)), "xycoords": "axes fraction"}
    bar.annotate("\n".join(filter(None, notes)), (0.0, 0.0), textcoords="offset points", ha="left", va="top",
                 fontsize=8, annotation_clip=False, **where)  # fmt: skip


def score_map(
    rows: Sequence[str],
    columns: Sequence[str],
    scores: Mapping[tuple[int, int], tuple[Reading | RowReading, ReportRow]],
    title: str,
    fitter: LabelFitter,
) -> Any:
    """Draw scores, each on the scale of its method, with what was found marked.

    Args:
        rows: their names.
        columns: their names.
        scores: what may be said of a score, and its line, by places of row and column.
        title: title of the picture.
        fitter: what labels go through.
    """
    cells, meant = {}, set()
    of_method: dict[str, list[ReportRow]] = {}
    for _, line in scores.values():
        of_method.setdefault(line.method, []).append(line)
    furthest = {
        method: max(method_lines, key=lambda r: abs(r.score - r.ideal))
        for method, method_lines in of_method.items()
    }
    for place, (entry, line) in scores.items():
        endless = line.score_range[1 if line.score > line.ideal else 0] is None
        alone = endless and len(of_method[line.method]) == 1
        mark = "*" if entry.filled else "(*)" if entry.verdict in FOUND else ""
        faint = entry.verdict in NOTHING_FOLLOWS
        meant |= {mark, "dashed"} if faint else {mark}
        colour = None if alone else shade(line, [furthest[line.method]])
        cells[place] = Cell(f"{_number(line.score)}{mark}", colour, faint)
    notes = [
        "Each method has its own scale: white is its ideal value, full colour the end of its range",
        "(the furthest score where the range has no end).",
        *(text for mark, text in _NOTES.items() if mark in meant),
    ]
    ends = ("below the ideal", "ideal", "above the ideal")
    return cell_map(rows, columns, cells, fitter, title=title, ends=ends, notes=notes)


def _number(value: float) -> str:
    """A score for a narrow cell: three digits.

    Examples:
        >>> _number(1.7132), _number(60.456), _number(1234.5), _number(0.00031), _number(0.0)
        ('1.71', '60.5', '1.2e+03', '3.1e-04', '0.00')
    """
    size = abs(value)
    if size and (size < 1e-3 or size >= 1e3):
        return f"{value:.1e}"
    return f"{value:.2f}" if size < 10 else f"{value:.1f}"


def slices(count: int, most: int) -> list[range]:
    """Cut places into parts of about equal length, none longer than ``most``.

    Examples:
        >>> slices(5, 4)
        [range(0, 3), range(3, 5)]
    """
    size = -(-count // -(-count // most))
    return [range(start, min(start + size, count)) for start in range(0, count, size)]


def _ink(background: Sequence[float]) -> str:
    """Black or white, whichever stands out more by the contrast of WCAG 2.

    Examples:
        >>> _ink((1.0, 1.0, 1.0)), _ink((0.68, 0.34, 0.02))
        ('black', 'white')
    """
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in background[:3])
    light = 0.2126 * red + 0.7152 * green + 0.0722 * blue
    return "black" if (light + 0.05) ** 2 > 1.05 * 0.05 else "white"
