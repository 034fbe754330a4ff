"""Pictures of many results at once: models by methods, groups of units by model, agreement of the methods."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from ...errors import InputError
from ...registry import METHODS
from ...result import Result
from ..escape import file_name, file_names
from ..lines import Line, lines_by_result, method_title, model_name, of_decided
from ..score_matrix import ScoreMatrix, result_language, score_matrix, shade
from ..verdict import FOUND, Verdict, line_verdict, result_verdict
from .agreement import method_agreement
from .cells import Cell, cell_map, slices
from .fonts import LabelFitter
from .group_bars import group_bars
from .languages import score_strip
from .picture import picture_stem, save_picture
from .scores import numbered

__all__ = ["FEW_MODELS", "Picture", "overview_pictures", "write_overview"]

_MOST_COLUMNS, _MOST_ROWS = 12, 40
"""Of one map; more go into further pictures."""
FEW_MODELS = 4
"""Up to so many models stand side by side in one panel, and can be told apart test by test in one picture."""
_SAYS_NOTHING = (Verdict.ILLUSTRATIVE, Verdict.CONTROL, Verdict.TOO_FEW)
_FAINT = "dashed: nothing follows from it (illustrative data, control, or too few units)"

Drawing = Callable[[LabelFitter], Any]


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture that can be drawn.

    Attributes:
        name: for its file.
        caption: what it shows, in a sentence.
        draw: draws it as a matplotlib figure, to be saved with ``bbox_inches="tight"``.
    """

    name: str
    caption: str
    draw: Drawing


def overview_pictures(results: Sequence[Result]) -> list[Picture]:
    """Return the pictures that results of several models, methods, languages or bias types make possible.

    - models by methods: a number in every cell, each method scaled by its own range with its ideal value in the middle;
    - for each method its score with interval by language and model, with its tests or groups as ticks;
    - for each method with groups, such as bias types, the groups by model;
    - the correlations of the methods across models, as Delobelle et al. (2022) draw them, with three models or more.

    Args:
        results: results of any methods and models.

    Raises:
        InputError: there is no result.
    """
    if not results:
        raise InputError("there is no result to plot")
    matrix = score_matrix(results)
    # As in the tables, p-values are adjusted for those of all results.
    lines = [of_decided(own) for own in lines_by_result(results)]
    found = _maps(results, matrix, lines) if len(matrix.cells) > 1 else []
    for method in dict.fromkeys(r.method for r in results):
        places = [i for i, r in enumerate(results) if r.method == method]
        own = score_matrix([results[i] for i in places])
        title = method_title(method)
        found += _strips(own, [lines[i] for i in places], method, title)
        found += _groups(own, [lines[i] for i in places], method, title)
    found += _agreements(results, matrix)
    names = file_names(p.name for p in found)
    return [dataclasses.replace(p, name=name) for p, name in zip(found, names, strict=True)]


def _agreements(results: Sequence[Result], matrix: ScoreMatrix) -> list[Picture]:
    """The correlations of all measurements; of many in several languages, of those in each language."""
    languages = list(dict.fromkeys(m.language for m in matrix.measurements))
    apart = len(matrix.measurements) > _MOST_COLUMNS and len(languages) > 1
    found = []
    for language in languages if apart else [""]:
        own = [r for r in results if result_language(r) == language] if apart else results
        if own and (agreement := method_agreement(own)) is not None:
            where = f" ({language})" if language else ""
            n = len({model_name(r) for r in own})
            caption = f"Correlation of the methods' scores across {n} models{where} (Pearson)"
            caption += ", as in Delobelle et al. (2022)"
            name = f"methods_across_models{f'-{language}' if language else ''}"
            found.append(Picture(name, caption, agreement))
    return found


def write_overview(results: Sequence[Result], folder: str | Path) -> list[Path]:
    """Write the pictures of :func:`overview_pictures` to a folder, each as SVG and PNG.

    Returns:
        The files, SVG first. Their bytes depend on the results and on matplotlib's version only.

    Raises:
        InputError: there is no result.
        OutputError: the files cannot be written.
    """
    stem = picture_stem(Path(folder) / "overview")
    return [
        path
        for picture in overview_pictures(results)
        for path in save_picture(stem.with_name(f"{stem.name}-{picture.name}"), picture.draw)
    ]


def _maps(results: Sequence[Result], matrix: ScoreMatrix, lines: Sequence[Sequence[Line]]) -> list[Picture]:
    column_parts = slices(len(matrix.measurements), _MOST_COLUMNS)
    row_parts = slices(len(matrix.models), _MOST_ROWS)
    parts = []
    for columns in column_parts:
        for rows in row_parts:  # without the models on which nothing of this was measured
            measured = [row for row in rows if any((row, j) in matrix.cells for j in columns)]
            parts += [(measured, columns)] if measured else []
    judged = [result_verdict(own).verdict for own in lines]
    caption = "Scores of every model by every method; colour is the place between the ideal value and the range's ends"
    return [
        Picture(
            f"models_by_methods{f'-{i}' if len(parts) > 1 else ''}",
            caption + (f" (part {i} of {len(parts)})" if len(parts) > 1 else ""),
            partial(_map, results, matrix, judged, rows, columns),
        )
        for i, (rows, columns) in enumerate(parts, 1)
    ]


def _map(
    results: Sequence[Result],
    matrix: ScoreMatrix,
    judged: Sequence[Verdict],
    rows: Sequence[int],
    columns: Sequence[int],
    fitter: LabelFitter,
) -> Any:
    of_method: Mapping[str, list[Result]] = {
        m.method: [r for r in results if r.method == m.method] for m in matrix.measurements
    }
    cells, found, illustrative = {}, False, False
    for i, row in enumerate(rows):
        for j, column in enumerate(columns):
            if (place := matrix.cells.get((row, column))) is None:
                continue
            result, verdict = results[place], judged[place]
            mark = "*" if verdict in FOUND else ""
            faint = verdict in _SAYS_NOTHING
            found, illustrative = found or bool(mark), illustrative or faint
            own = of_method[result.method]
            end = result.score_range[1 if result.score > result.ideal else 0]
            place_of = None if end is None and len(own) == 1 else shade(result, own)
            cells[i, j] = Cell(f"{number(result.score)}{mark}", place_of, faint=faint)
    notes = [
        "Each method has its own scale: white is its ideal value, full colour the end of its range",
        "(the furthest score where the range has no end).",
        "* found, in all or a part of its tests or groups" if found else "",
        _FAINT if illustrative else "",
    ]
    return cell_map(
        [matrix.models[i] for i in rows],
        [matrix.measurements[j].label for j in columns],
        cells,
        fitter,
        title="Models by methods",
        ends=("below the ideal", "ideal", "above the ideal"),
        notes=[n for n in notes if n],
    )


def number(value: float) -> str:
    """A score for a narrow cell: three digits.

    Examples:
        >>> number(1.7132), number(60.456), number(1234.5), number(0.00031), number(0.0)
        ('1.71', '60.5', '1.2e+03', '3.1e-04', '0.00')
    """
    size = abs(value)
    if size and (size < 1e-3 or size >= 1e3):
        return f"{value:.1e}"
    return f"{value:.2f}" if size < 10 else f"{value:.1f}"


def _strips(matrix: ScoreMatrix, lines: Sequence[Sequence[Line]], method: str, title: str) -> list[Picture]:
    if len(matrix.cells) < 2:
        return []
    of_parts = slices(len(matrix.models), _MOST_ROWS)
    return [
        Picture(
            f"{file_name(method)}-by_language_and_model{f'-{i}' if len(of_parts) > 1 else ''}",
            f"{title}: score with interval by {'language and ' if len(matrix.measurements) > 1 else ''}model",
            partial(score_strip, lines, matrix, models, title),
        )
        for i, models in enumerate(of_parts, 1)
    ]


def _groups(matrix: ScoreMatrix, lines: Sequence[Sequence[Line]], method: str, title: str) -> list[Picture]:
    """One picture per measurement of a method whose results have groups, or tests on many models."""
    record = METHODS.get(method)
    pictures = []
    for j, measurement in enumerate(matrix.measurements):
        what = f"{title}{measurement.label.removeprefix(method)}"
        places = [i for m in range(len(matrix.models)) if (i := matrix.cells.get((m, j))) is not None]
        for kind in ("group", "test"):
            parts = [numbered([r for r in lines[i] if r.kind == kind]) for i in places]
            parts = [part for part in parts if part]
            if not parts or (
                kind == "test" and len(parts) <= FEW_MODELS
            ):  # the picture of all tests shows these
                continue
            called = (record.group_by if record else "group") if kind == "group" else "test"
            several = f" and model{f' (first {_MOST_ROWS})' if len(parts) > _MOST_ROWS else ''}"
            draw: Drawing
            if len(parts) <= FEW_MODELS:
                draw = partial(group_bars, parts, what, called)
            else:
                draw = partial(_part_map, parts[:_MOST_ROWS], what)
            caption = f"{what}: score by {called}{several if len(parts) > 1 else ''}"
            pictures.append(Picture(f"{file_name(measurement.label)}-{kind}s", caption, draw))
    return pictures


def _part_map(parts: Sequence[Sequence[Line]], title: str, fitter: LabelFitter) -> Any:
    """Tests or groups by model."""
    every = [r for own in parts for r in own]
    names = list(dict.fromkeys(r.name for r in every))
    cells = {}
    for i, own in enumerate(parts):
        for line in own:
            verdict = line_verdict(line)
            cells[i, names.index(line.name)] = Cell(
                f"{number(line.score)}{'*' if verdict in FOUND else ''}",
                shade(line, every),
                faint=verdict in _SAYS_NOTHING,
            )
    notes = ["* found"] if any("*" in c.text for c in cells.values()) else []
    notes += [_FAINT] if any(c.faint for c in cells.values()) else []
    return cell_map(
        [own[0].model for own in parts],
        names,
        cells,
        fitter,
        title=title,
        ends=("below the ideal", "ideal", "above the ideal"),
        notes=notes,
    )
