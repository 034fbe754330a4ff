"""A map of numbers: rows by columns, a number in every cell, colour by its distance from the ideal value."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..escape import shorten
from .fonts import LabelFitter
from .picture import add_title, new_figure

__all__ = ["DIVERGING", "UNDEFINED", "Cell", "cell_map", "ink", "slices"]

DIVERGING = "PuOr_r"
"""From violet to orange with white in the middle, which people with colour-vision deficiencies can tell apart."""
UNDEFINED: Mapping[str, Any] = {
    "facecolor": "#eeeeee",
    "edgecolor": "#999999",
    "hatch": "////",
    "linewidth": 0.0,
}
"""How a cell looks that has no number."""
UNPLACED: Mapping[str, Any] = {
    "facecolor": "white",
    "edgecolor": "#888888",
    "hatch": "....",
    "linewidth": 0.0,
}
"""How a cell looks whose number has no place between an ideal value and an end."""

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
    import matplotlib
    from matplotlib.patches import Rectangle

    k, m = len(columns), len(rows)
    wide, tall = width * k, height * m
    figure, (axis, bar) = new_figure(
        wide, tall, [(0.0, 0.0, wide, tall), (0.0, -0.38, max(2.4, min(wide, 4.0)), 0.1)]
    )
    colours = matplotlib.colormaps[DIVERGING]
    for i in range(m):
        for j in range(k):
            cell = cells.get((i, j))
            if cell is None:
                axis.add_patch(Rectangle((j, i), 1, 1, **UNDEFINED))
                continue
            face = (1.0, 1.0, 1.0, 1.0) if cell.shade is None else colours(0.5 + 0.42 * cell.shade)
            if cell.shade is None:
                axis.add_patch(Rectangle((j, i), 1, 1, **UNPLACED))
            else:
                axis.add_patch(Rectangle((j, i), 1, 1, facecolor=face, edgecolor="white", linewidth=1.2))
            if cell.faint:
                axis.add_patch(
                    Rectangle(
                        (j + 0.05, i + 0.09),
                        0.9,
                        0.82,
                        fill=False,
                        edgecolor="#555555",
                        linewidth=0.8,
                        linestyle=(0, (2, 2)),
                    )
                )
            axis.text(
                j + 0.5,
                i + 0.5,
                cell.text.replace("-", "−"),
                ha="center",
                va="center",
                fontsize=7.5,
                color=ink(face),
                bbox={"facecolor": face, "edgecolor": "none", "pad": 1.5} if cell.shade is None else None,
            )
    axis.set_xlim(0, k)
    axis.set_ylim(m, 0)
    axis.set_yticks([i + 0.5 for i in range(m)], [shorten(fitter.fit(r), _LONGEST) for r in rows])
    axis.set_xticks(
        [j + 0.5 for j in range(k)],
        [shorten(fitter.fit(c), _LONGEST) for c in columns],
        rotation=40,
        ha="left",
        rotation_mode="anchor",
    )
    axis.xaxis.tick_top()
    axis.tick_params(length=0)
    for spine in axis.spines.values():
        spine.set_visible(False)
    add_title(axis, fitter.fit(title), pad=8)
    image = matplotlib.cm.ScalarMappable(
        matplotlib.colors.Normalize(-1.0, 1.0),
        matplotlib.colors.ListedColormap([colours(0.08 + 0.84 * i / 255) for i in range(256)]),
    )
    scale = figure.colorbar(image, cax=bar, orientation="horizontal")
    scale.set_ticks([-1.0, 0.0, 1.0], labels=list(ends))
    scale.ax.tick_params(length=0, labelsize=7.5)
    first, _, last = scale.ax.get_xticklabels()
    first.set_ha("left")
    last.set_ha("right")
    scale.outline.set_visible(False)
    below = -26.0
    looks: list[tuple[str, Mapping[str, Any]]] = []
    if len(cells) < k * m:
        looks.append(("undefined: not measured, or no number exists", UNDEFINED))
    if any(cell.shade is None for cell in cells.values()):
        looks.append(("no scale: the range has no end, and there is no other score of the method", UNPLACED))
    if looks:
        hatched = [Rectangle((0, 0), 1, 1, label=label, **look) for label, look in looks]
        bar.legend(handles=hatched, loc="upper left", bbox_to_anchor=(0.0, -3.2), borderaxespad=0.0, fontsize=8,
                   borderpad=0.0)  # fmt: skip
        below -= 14.0 * len(looks)
    said = "\n".join(filter(None, (*notes, fitter.footnote)))
    bar.annotate(said, (0.0, 0.0), xytext=(0.0, below), xycoords="axes fraction", textcoords="offset points",
                 ha="left", va="top", fontsize=8, annotation_clip=False)  # fmt: skip
    return figure


def slices(count: int, most: int) -> list[range]:
    """Cut places into parts of about equal length, none longer than ``most``.

    Examples:
        >>> slices(5, 4)
        [range(0, 3), range(3, 5)]
    """
    size = -(-count // -(-count // most))
    return [range(start, min(start + size, count)) for start in range(0, count, size)]


def ink(background: Sequence[float]) -> str:
    """Black or white, whichever stands out more by the contrast of WCAG 2.

    Examples:
        >>> ink((1.0, 1.0, 1.0)), ink((0.68, 0.34, 0.02))
        ('black', 'white')
    """
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in background[:3])
    light = 0.2126 * red + 0.7152 * green + 0.0722 * blue
    return "black" if (light + 0.05) ** 2 > 1.05 * 0.05 else "white"
