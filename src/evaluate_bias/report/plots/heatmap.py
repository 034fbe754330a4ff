"""Maps of numbers: models by methods or tests, how far settings agree, and stereotypes by language."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from ...result import Result
from ..lines import ReportRow
from ..numbers import score_cell
from ..reading import Reading, RowReading
from ..score_matrix import distinguishing_names, result_language, score_matrix, shade
from . import canvas
from .canvas import SMALL, ReportPicture, fit, is_small

_MOST_ROWS, _MOST_COLUMNS = 40, 12
"""Of one map. More go into further pictures."""
_MAX_LABEL_CHARS = 46
_UNSHADED = (0.88, 0.88, 0.88)
_NOTES = {
    "*": "* significant",
    "(*)": "(*) significant in some tests or groups",
    "grey": "grey: the range has no end, and the method has no other score",
    "dashed": "dashed: nothing follows from it (illustrative data, control, or too few items)",
}


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell of a map.

    Attributes:
        text: what is written in it.
        shade: place of its colour between -1 and 1, ``None`` for grey.
        faint: whether it has a dashed frame.
    """

    text: str
    shade: float | None
    faint: bool = False


def draw_cells(
    on: Any,
    rows: Sequence[str],
    columns: Sequence[str],
    cells: Mapping[tuple[int, int], Cell],
    *,
    title: str,
    ends: tuple[str, str, str],
    notes: Sequence[str],
    size: tuple[float, float] = (0.66, 0.3),
) -> list[Any]:
    """Draw a map from violet to orange. A cell without an entry is grey.

    Args:
        on: a figure or axes.
        rows: their names.
        columns: their names.
        cells: by places of row and column.
        title: title of the picture.
        ends: what the colours mean, at -1, 0 and 1.
        notes: lines below the map.
        size: width and height of a cell in inches.
    """
    import matplotlib
    from matplotlib.colors import ListedColormap
    from matplotlib.patches import Rectangle

    (axis,) = canvas.panels(on, size[0] * len(columns), [size[1] * len(rows)])
    shades = np.full((len(rows), len(columns)), np.nan)
    for place, cell in cells.items():
        shades[place] = np.nan if cell.shade is None else cell.shade
    # Without the darkest colours, on which numbers are hard to read.
    colours = ListedColormap(matplotlib.colormaps["PuOr_r"](np.linspace(0.08, 0.92, 256))).with_extremes(
        bad=_UNSHADED
    )
    mesh = axis.pcolormesh(
        np.ma.masked_invalid(shades), cmap=colours, vmin=-1.0, vmax=1.0, edgecolors="white", linewidth=1.2
    )
    for (i, j), cell in cells.items():
        face = _UNSHADED if cell.shade is None else mesh.to_rgba(cell.shade)[:3]
        where = {"ha": "center", "va": "center", "fontsize": 7.5, "color": _ink(face)}
        axis.text(j + 0.5, i + 0.5, cell.text.replace("-", "−"), **where)
        if cell.faint:
            frame: dict[str, Any] = {"edgecolor": "#555555", "linewidth": 0.8, "linestyle": (0, (2, 2))}
            axis.add_patch(Rectangle((j + 0.05, i + 0.09), 0.9, 0.82, fill=False, **frame))
    axis.set_ylim(len(rows), 0)
    axis.set_yticks(np.arange(len(rows)) + 0.5, [fit(name, _MAX_LABEL_CHARS) for name in rows])
    names = [fit(name, _MAX_LABEL_CHARS) for name in columns]
    axis.set_xticks(np.arange(len(columns)) + 0.5, names, rotation=40, ha="left", rotation_mode="anchor")
    axis.xaxis.tick_top()
    axis.tick_params(length=0)
    axis.spines[:].set_visible(False)
    canvas.finish_panel(axis, fit(title))
    width, height = canvas.panel_inches(axis)
    bar = axis.inset_axes((0.0, -0.38 / height, max(2.4, min(width, 4.0)) / width, 0.1 / height))
    scale = axis.figure.colorbar(mesh, cax=bar, orientation="horizontal")
    scale.set_ticks([-1.0, 0.0, 1.0], labels=list(ends))
    bar.tick_params(length=0, labelsize=7.5)
    for label, side in zip(bar.get_xticklabels(), ("left", "center", "right"), strict=True):
        label.set_ha(side)
    scale.outline.set_visible(False)
    if len(cells) < shades.size:
        notes = [*notes, "grey, no number: not measured, or undefined"]
    canvas.add_legend(
        axis, [*map(canvas.legend_entry, notes)], below=0.7, handlelength=0.0, handletextpad=0.0
    )
    return [axis]


def _ink(background: Sequence[float]) -> str:
    """Return black or white, whichever has the higher contrast by WCAG 2.

    Examples:
        >>> _ink((1.0, 1.0, 1.0)), _ink((0.68, 0.34, 0.02))
        ('black', 'white')
    """
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in background)
    light = 0.2126 * red + 0.7152 * green + 0.0722 * blue
    return "black" if (light + 0.05) ** 2 > 1.05 * 0.05 else "white"


# --- scores -------------------------------------------------------------------------------------------------------


def draw_scores(
    rows: Sequence[str],
    columns: Sequence[str],
    scores: Mapping[tuple[int, int], Reading | RowReading],
    title: str,
    on: Any,
) -> list[Any]:
    """Draw scores, each on the scale of its method, and mark significant ones.

    Args:
        rows: their names.
        columns: their names.
        scores: by places of row and column.
        title: title of the picture.
        on: a figure or axes.
    """
    lines = {place: entry.line for place, entry in scores.items()}
    by_method: dict[str, list[ReportRow]] = {}
    for line in lines.values():
        by_method.setdefault(line.method, []).append(line)
    furthest = {
        method: max(lines_of, key=lambda r: abs(r.score - r.ideal)) for method, lines_of in by_method.items()
    }
    cells, marks = {}, set()
    for place, entry in scores.items():
        line, faint = lines[place], entry.judgement.nothing_follows
        endless = line.score_range[1 if line.score > line.ideal else 0] is None
        colour = (
            None if endless and len(by_method[line.method]) == 1 else shade(line, [furthest[line.method]])
        )
        mark = "*" if entry.filled else "(*)" if entry.judgement.significant else ""
        marks |= {mark, "dashed" if faint else "", "grey" if colour is None else ""}
        cells[place] = Cell(f"{_number(line.score)}{mark}", colour, faint)
    notes = [
        "Each method has its own scale: white is its ideal value, full colour the end of its range",
        "(the furthest score if the range has no end).",
        *(text for mark, text in _NOTES.items() if mark in marks),
    ]
    ends = ("below the ideal", "ideal", "above the ideal")
    return draw_cells(on, rows, columns, cells, title=title, ends=ends, notes=notes)


def _number(value: float) -> str:
    """Return a score with three digits, for a narrow cell.

    Examples:
        >>> _number(1.7132), _number(60.456), _number(1234.5), _number(0.00031), _number(0.0)
        ('1.71', '60.5', '1.2e+03', '3.1e-04', '0.00')
    """
    size = abs(value)
    if size and (size < 1e-3 or size >= 1e3):
        return f"{value:.1e}"
    return f"{value:.2f}" if size < 10 else f"{value:.1f}"


def part_maps(readings: Sequence[Reading], title: str) -> list[ReportPicture]:
    """Return maps of tests or groups by model."""
    rows = [row for r in readings for row in r.rows if not row.line.headline]
    names = distinguishing_names([row.line for row in rows])
    parts = {(row.line.model, name): row for row, name in zip(rows, names, strict=True) if row.part}
    models, columns = (list(dict.fromkeys(key[side] for key in parts)) for side in (0, 1))
    scores = {(models.index(model), columns.index(name)): row for (model, name), row in parts.items()}
    return _score_maps("parts", f"{title}: tests or groups by model", models, columns, scores, title)


def overview_maps(readings: Sequence[Reading]) -> list[ReportPicture]:
    """Return maps of models by methods, if there is more than one result."""
    matrix = score_matrix([r.result for r in readings])
    if len(matrix.cells) < 2:
        return []
    caption = "Scores of every model by every method. Colour is the place between the ideal value and the range's ends"
    scores = {place: readings[i] for place, i in matrix.cells.items()}
    labels = [m.label for m in matrix.measurements]
    return _score_maps("models_by_methods", caption, matrix.models, labels, scores, "Models by methods")


def _score_maps(
    name: str,
    caption: str,
    models: Sequence[str],
    columns: Sequence[str],
    scores: Mapping[tuple[int, int], Reading | RowReading],
    title: str,
) -> list[ReportPicture]:
    """Split a map into pictures, each without the models that have nothing in it."""
    drawings = []
    for part in canvas.slices(len(columns), _MOST_COLUMNS):
        for places in canvas.slices(len(models), _MOST_ROWS):
            rows = [i for i in places if any((i, j) in scores for j in part)]
            cells = {
                (y, x): scores[i, j]
                for y, i in enumerate(rows)
                for x, j in enumerate(part)
                if (i, j) in scores
            }
            names = [models[i] for i in rows], [columns[j] for j in part]
            drawings += [partial(draw_scores, *names, cells, title)] if rows else []
    return canvas.paged(name, caption, drawings)


# --- correlations -------------------------------------------------------------------------------------------------


@canvas.kind(
    "correlations",
    "correlations of settings with one another",
    lambda result: all(map(result.details.get, ("r", "p_holm", "names"))),
)
def draw_correlations(reading: Reading, on: Any) -> list[Any]:
    """Draw the matrix of correlations, with an asterisk at correlations that unrelated settings would not reach.

    A cell is grey if two methods have too few models in common.
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
    # A template as people write it.
    texts = [t.replace("{target}", "___").replace("{mask}", "MASK") for t in templates or details["names"]]
    notes = [f"across {len(models)} models"] if (models := details.get("models")) else []
    notes += [f"* {SMALL}: {details.get('null', 'words reordered within their lists')},"]
    notes += ["Holm-adjusted over all pairs"]
    return draw_cells(
        on,
        [f"{text}  {name}" for text, name in zip(texts, short, strict=True)],
        short,
        cells,
        title=f"{reading.title}: mean correlation {score_cell(reading.line.row)}",
        ends=("−1", details.get("coefficient", "Pearson correlation"), "1"),
        notes=notes,
    )


# --- stereotypes --------------------------------------------------------------------------------------------------


def _stereotypes(result: Result) -> dict[str, dict[tuple[str, str], float]]:
    """Return by language the value of every stereotype, by its name and group. Empty without stereotypes."""
    parts = {row.name: row.details for row in result.rows_of("test")}
    parts = parts or {result_language(result) or "all sentences": result.details}
    return {
        language: {
            (name, side): v for side, of_side in details["stereotypes"].items() for name, v in of_side.items()
        }
        for language, details in parts.items()
        if "stereotypes" in details
    }


@canvas.kind(
    "stereotypes",
    "how likely the masculine form is with each stereotype, by language",
    lambda result: _stereotypes(result),
)
def draw_stereotypes(reading: Reading, on: Any) -> list[Any]:
    """Draw stereotypes by language, in the order of the result, with whom they are of."""
    values = _stereotypes(reading.result)
    names = sorted(
        dict.fromkeys(name for part in values.values() for name in part), key=lambda name: name[1] == "men"
    )
    means = {language: float(np.mean([*part.values()])) for language, part in values.items()}
    reach = max(abs(v - means[at]) for at, part in values.items() for v in part.values()) or 1.0
    cells = {
        (names.index(name), j): Cell(f"{v:.2f}".removeprefix("0"), (v - means[language]) / reach)
        for j, (language, part) in enumerate(values.items())
        for name, v in part.items()
    }
    return draw_cells(
        on,
        [f"{stereotype} ({side})" for stereotype, side in names],
        list(values),
        cells,
        title=f"{reading.title}: {score_cell(reading.line.row)}",
        ends=("less", "mean", "more"),
        notes=[
            "Numbers: mean probability of the masculine form.",
            f"Colour: the same less the mean of its language, full at {reach:.2g}.",
        ],
        size=(0.5, 0.3),
    )
