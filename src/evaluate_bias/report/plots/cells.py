"""Maps of numbers: rows by columns, a number in every cell; and how far methods or settings agree, as such maps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations
from typing import Any

from ...result import Result
from ..lines import ReportRow
from ..numbers import score_cell
from ..reading import Reading, RowReading
from ..score_matrix import ScoreMatrix, score_matrix, shade
from ..verdict import FOUND, NOTHING_FOLLOWS
from .canvas import SMALL, add_title, fit, is_small, new_figure

_DIVERGING = "PuOr_r"
"""From violet to orange with white in the middle, which people with colour-vision deficiencies can tell apart."""
_UNDEFINED: Mapping[str, Any] = {"facecolor": "#eeeeee", "edgecolor": "#999999", "hatch": "////"}
"""How a cell looks that has no number."""
_UNPLACED: Mapping[str, Any] = {"facecolor": "white", "edgecolor": "#bbbbbb", "hatch": "\\\\\\\\"}
"""How a cell looks whose number has no place between an ideal value and an end."""

_NOTES = {
    "*": "* found",
    "(*)": "(*) a test or group was found",
    "dashed": "dashed: nothing follows from it (illustrative data, control, or too few items)",
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
        title: title of the picture.
        ends: what the colours mean, at -1, 0 and 1.
        notes: lines below the map.
        width: of a cell, in inches.
        height: of a cell, in inches.
    """
    import matplotlib
    from matplotlib.collections import PolyCollection
    from matplotlib.patches import Rectangle

    k, m = len(columns), len(rows)
    wide, tall = width * k, height * m
    below = (0.0, -0.38, max(2.4, min(wide, 4.0)), 0.1)
    figure, (axis, bar) = new_figure(wide, tall, [(0.0, 0.0, wide, tall), below])
    # The cells that have a colour: one artist draws them much faster than one each.
    placed = {place: cell.shade for place, cell in cells.items() if cell.shade is not None}
    corners = [[(j, i), (j + 1, i), (j + 1, i + 1), (j, i + 1)] for i, j in placed]
    faces = [_colour(shade) for shade in placed.values()]
    polygons = PolyCollection(corners, facecolors=faces, edgecolors="white", linewidths=1.2)
    axis.add_collection(polygons, autolim=False)
    for i in range(m):
        for j in range(k):
            _draw_cell(axis, i, j, cells.get((i, j)))
    axis.set_xlim(0, k)
    axis.set_ylim(m, 0)
    axis.set_yticks([i + 0.5 for i in range(m)], [fit(r, _LONGEST) for r in rows])
    names = [fit(c, _LONGEST) for c in columns]
    axis.set_xticks([j + 0.5 for j in range(k)], names, rotation=40, ha="left", rotation_mode="anchor")
    axis.xaxis.tick_top()
    axis.tick_params(length=0)
    axis.spines[:].set_visible(False)
    add_title(axis, fit(title), pad=8)
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
    looks = {"undefined: not measured, or no number exists": _UNDEFINED} if len(cells) < k * m else {}
    if any(cell.shade is None for cell in cells.values()):
        looks["no scale: the range has no end, and there is no other score of the method"] = _UNPLACED
    if looks:
        hatched = [Rectangle((0, 0), 1, 1, linewidth=0.0, label=t, **look) for t, look in looks.items()]
        place = {"loc": "upper left", "bbox_to_anchor": (0.0, -3.2), "borderaxespad": 0.0, "borderpad": 0.0}
        bar.legend(handles=hatched, fontsize=8, **place)
    where = {"xytext": (0.0, -26.0 - 14.0 * len(looks)), "xycoords": "axes fraction"}
    bar.annotate("\n".join(filter(None, notes)), (0.0, 0.0), textcoords="offset points", ha="left", va="top",
                 fontsize=8, annotation_clip=False, **where)  # fmt: skip
    return figure


@cache
def _colours() -> Any:
    import matplotlib

    return matplotlib.colormaps[_DIVERGING]


def _colour(shade: float) -> Any:
    return _colours()(0.5 + 0.42 * shade)


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


def score_map(
    rows: Sequence[str],
    columns: Sequence[str],
    scores: Mapping[tuple[int, int], tuple[Reading | RowReading, ReportRow]],
    title: str,
) -> Any:
    """Draw scores, each on the scale of its method, with what was found marked.

    Args:
        rows: their names.
        columns: their names.
        scores: what may be said of a score, and its line, by places of row and column.
        title: title of the picture.
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
    return cell_map(rows, columns, cells, title=title, ends=ends, notes=notes)


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


FEWEST = 3
"""Models that a correlation takes: of two it is always 1 or -1."""
FEW_MODELS = 8
"""With fewer models a correlation is marked: its interval holds almost any other."""


def correlations(reading: Reading) -> Any:
    """Draw the matrix of correlations, with an asterisk at those that unrelated settings would not reach.

    A cell is hatched where two measures have too few models in common.
    """
    details = reading.result.details
    p, templates = details["p_holm"], details.get("texts")
    cells = {
        (i, j): Cell(f"{value:.2f}{'*' if i != j and is_small(p[i][j]) else ''}", value)
        for i, row in enumerate(details["r"])
        for j, value in enumerate(row)
        if value is not None
    }
    short = [f"{'T' if templates else ''}{i + 1}" for i in range(len(details["r"]))]
    called = zip(map(_slots, templates or details["names"]), short, strict=True)
    names = [f"{text}  {name}" for text, name in called]
    notes = [f"* {SMALL}: {details.get('null', 'words reordered within their lists')},"]
    notes.append("Holm-adjusted over all pairs")
    if models := details.get("models"):
        notes.insert(0, f"across {len(models)} models")
    return cell_map(
        names,
        short,
        cells,
        title=f"{reading.title}: mean correlation {score_cell(reading.head.line.row)}",
        ends=("−1", details.get("coefficient", "Pearson correlation"), "1"),
        notes=notes,
    )


def _slots(text: str) -> str:
    """A template as people write it, the word as a line and the mask as the word MASK."""
    return text.replace("{target}", "___").replace("{mask}", "MASK")


def correlations_across_models(
    results: Sequence[Result],
) -> tuple[ScoreMatrix, dict[tuple[int, int], tuple[float, int]]]:
    """Correlate the scores of every two measurements over the models that have both.

    Scores of which lower means more measured bias are turned first, so that measurements that agree correlate
    positively.

    Args:
        results: results of any methods and models.

    Returns:
        The results by model and measurement; and, by places of two measurements, Pearson's correlation in [-1, 1] and
        the number of models behind it. A pair with fewer than three models in common, or one whose scores are all
        equal over these, has no entry.

    Examples:
        >>> def result(method, model, score):
        ...     return Result(method=method, score=score, score_range=(-2, 2), direction="two_sided", ideal=0, n=9,
        ...                   provenance={"model": {"name": model}})
        >>> scores = {"weat": (0.1, 0.5, 0.9), "seat": (0.3, 0.4, 0.8)}
        >>> results = [result(m, f"m{i}", s) for m, own in scores.items() for i, s in enumerate(own)]
        >>> {k: (round(r, 3), n) for k, (r, n) in correlations_across_models(results)[1].items()}
        {(0, 1): (0.945, 3)}
    """
    import numpy as np

    matrix = score_matrix(results)
    scores = np.full((len(matrix.measurements), len(matrix.models)), np.nan)
    for (model, measurement), place in matrix.cells.items():
        turn = -1.0 if results[place].direction == "lower_is_more_biased" else 1.0
        scores[measurement, model] = turn * results[place].score
    correlations = {}
    for a, b in combinations(range(len(scores)), 2):
        both = scores[[a, b]][:, ~np.isnan(scores[[a, b]]).any(axis=0)]
        if both.shape[1] < FEWEST:
            continue
        x, y = both - both.mean(axis=1, keepdims=True)
        # Means of equal scores may differ from them by rounding.
        if (np.abs([x, y]).max(axis=1) <= 1e-12 * np.maximum(1.0, np.abs(both).max(axis=1))).any():
            continue
        r = float(np.sum(x * y) / np.sqrt(np.sum(x * x) * np.sum(y * y)))
        correlations[a, b] = (max(-1.0, min(1.0, r)), both.shape[1])
    return matrix, correlations


def draw_agreement(matrix: ScoreMatrix, r_of: Mapping[tuple[int, int], tuple[float, int]]) -> Any:
    """Draw the matrix of what :func:`correlations_across_models` returns."""
    places = [j for j in range(len(matrix.measurements)) if any(j in pair for pair in r_of)]
    names = [matrix.measurements[j].label for j in places]
    cells = {}
    for a, i in enumerate(places):
        cells[a, a] = Cell("1", 1.0)
        for b, j in enumerate(places):
            if (cell := r_of.get((min(i, j), max(i, j)))) is not None and i != j:
                cells[a, b] = Cell(f"{cell[0]:.2f}\nn = {cell[1]}", cell[0], faint=cell[1] < FEW_MODELS)
    few = f"; dashed: fewer than {FEW_MODELS}, too few to rely on"
    notes = [f"n: models with both scores{few if any(c.faint for c in cells.values()) else ''}"]
    if left_out := [fit(m.label, 40) for j, m in enumerate(matrix.measurements) if j not in places]:
        listing = ", ".join(left_out[:4]) + (f" and {len(left_out) - 4} more" if len(left_out) > 4 else "")
        notes.append(f"without {listing}: no {FEWEST} models in common with another, or all scores equal")
    return cell_map(
        names,
        names,
        cells,
        title="Do the methods order the models alike?",
        ends=("−1", "Pearson correlation", "1"),
        notes=notes,
        width=0.68,
        height=0.42,
    )
