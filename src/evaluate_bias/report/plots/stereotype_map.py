"""A map of stereotypes by language: how likely the masculine form is beside each, against the mean of its language."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...result import Result
from ..numbers import score_cell
from ..reading import Reading
from ..score_matrix import result_language
from .canvas import LabelFitter
from .cells import Cell, cell_map


def stereotype_values(result: Result) -> dict[str, dict[tuple[str, str], float]]:
    """Of every language the value of every stereotype, by its name and whom it is of; empty where there are none."""
    parts = {row.name: row.details for row in result.rows_of("test")}
    parts = parts or {result_language(result) or "all sentences": result.details}
    return {
        language: {(name, side): v for side, some in own["stereotypes"].items() for name, v in some.items()}
        for language, own in parts.items()
        if "stereotypes" in own
    }


def stereotype_map(reading: Reading, fitter: LabelFitter) -> Any:
    """Draw the map, the stereotypes in the order of the result, with what they are of."""
    values = stereotype_values(reading.result)
    names = sorted(
        dict.fromkeys(name for own in values.values() for name in own), key=lambda n: n[1] == "men"
    )
    means = {language: float(np.mean([*own.values()])) for language, own in values.items()}
    reach = max(abs(v - means[at]) for at, own in values.items() for v in own.values()) or 1.0
    cells = {
        (names.index(name), j): Cell(f"{v:.2f}".removeprefix("0"), (v - means[language]) / reach)
        for j, (language, own) in enumerate(values.items())
        for name, v in own.items()
    }
    return cell_map(
        [f"{stereotype} ({side})" for stereotype, side in names],
        list(values),
        cells,
        fitter,
        title=f"{reading.title}: {score_cell(reading.head.line.row)}",
        ends=("less", "mean", "more"),
        notes=[
            "Numbers: mean probability of the masculine form.",
            f"Colour: the same less the mean of its language, full at {reach:.2g}.",
        ],
        width=0.5,
    )
