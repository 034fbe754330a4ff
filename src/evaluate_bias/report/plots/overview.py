"""Pictures of many results at once: models by methods, scores by test or model, agreement of the methods."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from functools import partial

from ...errors import InputError
from ...result import Result
from ..escape import file_name, file_names
from ..reading import Reading
from ..score_matrix import ScoreMatrix, result_language, score_matrix
from .canvas import ReportPicture
from .cells import score_map, slices
from .correlations import method_agreement
from .scores import MOST_ROWS, score_pictures

_MOST_COLUMNS = 12
"""Of one map; more go into further pictures."""


def overview_pictures(readings: Sequence[Reading]) -> list[ReportPicture]:
    """Return the pictures that results of several models, methods, languages or bias types make possible.

    - models by methods: a number in every cell, each method scaled by its own range with its ideal value in the middle;
    - for each method its scores with intervals, test by test for a few models, one line per model for many, and then
      its tests or groups by model;
    - the correlations of the methods across models, as Delobelle et al. (2022) draw them, with three models or more.

    Raises:
        InputError: there is no result.
    """
    if not readings:
        raise InputError("there is no result to plot")
    results = [r.result for r in readings]
    matrix = score_matrix(results)
    all_pictures = _maps(readings, matrix) if len(matrix.cells) > 1 else []
    for method, pictures in score_pictures(readings).items():
        all_pictures += [dataclasses.replace(p, name=f"{file_name(method)}-{p.name}") for p in pictures]
    all_pictures += _agreements(results, matrix)
    names = file_names(p.name for p in all_pictures)
    return [dataclasses.replace(p, name=name) for p, name in zip(all_pictures, names, strict=True)]


def _agreements(results: Sequence[Result], matrix: ScoreMatrix) -> list[ReportPicture]:
    """The correlations of all measurements; of many in several languages, of those in each language."""
    languages = list(dict.fromkeys(m.language for m in matrix.measurements))
    by_language = len(matrix.measurements) > _MOST_COLUMNS and len(languages) > 1
    pictures = []
    for language in languages if by_language else [""]:
        language_results = [r for r in results if result_language(r) == language] if by_language else results
        if language_results and (agreement := method_agreement(language_results)) is not None:
            where, end = (f" ({language})", f"-{language}") if language else ("", "")
            caption = (
                f"Correlation of the methods' scores across models{where}, as in Delobelle et al. (2022)"
            )
            pictures.append(ReportPicture(f"methods_across_models{end}", caption, agreement))
    return pictures


def _maps(readings: Sequence[Reading], matrix: ScoreMatrix) -> list[ReportPicture]:
    caption = "Scores of every model by every method; colour is the place between the ideal value and the range's ends"
    pictures = []
    for columns in slices(len(matrix.measurements), _MOST_COLUMNS):
        for rows in slices(len(matrix.models), MOST_ROWS):
            # Without the models on which nothing of this was measured.
            model_places = [i for i in rows if any((i, j) in matrix.cells for j in columns)]
            scores = {
                (y, x): (readings[place], readings[place].head.line)
                for y, i in enumerate(model_places)
                for x, j in enumerate(columns)
                if (place := matrix.cells.get((i, j))) is not None
            }
            models = [matrix.models[i] for i in model_places]
            labels = [matrix.measurements[j].label for j in columns]
            draw = partial(score_map, models, labels, scores, "Models by methods")
            if model_places:
                pictures.append(ReportPicture("models_by_methods", caption, draw))
    return pictures
