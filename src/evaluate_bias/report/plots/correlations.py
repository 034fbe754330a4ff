"""Pictures of how far methods across models (Delobelle et al. 2022, section 4.4), or settings of one, agree."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import combinations
from typing import Any

from ...result import Result
from ..numbers import score_cell
from ..reading import Reading
from ..score_matrix import ScoreMatrix, score_matrix
from .canvas import SMALL, LabelFitter, is_small
from .cells import Cell, cell_map

FEWEST = 3
"""Models that a correlation takes: of two it is always 1 or -1."""
FEW_MODELS = 8
"""With fewer models a correlation is marked: its interval holds almost any other."""


def correlations(reading: Reading, fitter: LabelFitter) -> Any:
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
        fitter,
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


def method_agreement(results: Sequence[Result]) -> Callable[[LabelFitter], Any] | None:
    """Return what draws the matrix, without what is about a measurement; nothing where no two measurements have three
    models in common."""
    about_models = [r for r in results if r.direction != "higher_is_more_robust"]
    matrix, correlations = correlations_across_models(about_models)
    return partial(_draw_agreement, matrix, correlations) if correlations else None


def _draw_agreement(
    matrix: ScoreMatrix, r_of: Mapping[tuple[int, int], tuple[float, int]], fitter: LabelFitter
) -> Any:
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
    if left_out := [fitter.fit(m.label, 40) for j, m in enumerate(matrix.measurements) if j not in places]:
        listing = ", ".join(left_out[:4]) + (f" and {len(left_out) - 4} more" if len(left_out) > 4 else "")
        notes.append(f"without {listing}: no {FEWEST} models in common with another, or all scores equal")
    return cell_map(
        names,
        names,
        cells,
        fitter,
        title="Do the methods order the models alike?",
        ends=("−1", "Pearson correlation", "1"),
        notes=notes,
        width=0.68,
        height=0.42,
    )
