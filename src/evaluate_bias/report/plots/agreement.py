"""The correlations of methods across models, drawn as a matrix (Delobelle et al. 2022, section 4.4)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from ...result import Result
from ..score_matrix import ScoreMatrix, score_matrix
from .cells import Cell, cell_map
from .fonts import LabelFitter

__all__ = ["FEWEST", "FEW_MODELS", "correlations_across_models", "method_agreement"]

FEWEST = 3
"""Models that a correlation takes: of two it is always 1 or -1."""
FEW_MODELS = 8
"""With fewer models a correlation is marked: its interval holds almost any other."""


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
    found = {}
    for a in range(len(matrix.measurements)):
        for b in range(a + 1, len(matrix.measurements)):
            both = [
                (_turned(results[matrix.cells[i, a]]), _turned(results[matrix.cells[i, b]]))
                for i in range(len(matrix.models))
                if (i, a) in matrix.cells and (i, b) in matrix.cells
            ]
            if len(both) < FEWEST:
                continue
            x, y = (np.asarray(v) - np.mean(v) for v in zip(*both, strict=True))
            # Means of equal scores may differ from them by rounding.
            if any(
                np.max(np.abs(v)) <= 1e-12 * max(1.0, np.max(np.abs(w)))
                for v, w in zip((x, y), zip(*both, strict=True), strict=True)
            ):
                continue
            r = float(np.sum(x * y) / np.sqrt(np.sum(x * x) * np.sum(y * y)))
            found[a, b] = (max(-1.0, min(1.0, r)), len(both))
    return matrix, found


def method_agreement(results: Sequence[Result]) -> Callable[[LabelFitter], Any] | None:
    """Return what draws the matrix, without what is about a measurement; nothing where no two measurements have three
    models in common."""
    about_models = [r for r in results if r.direction != "higher_is_more_robust"]
    matrix, found = correlations_across_models(about_models)
    return partial(_draw, matrix, found) if found else None


def _draw(
    matrix: ScoreMatrix, found: Mapping[tuple[int, int], tuple[float, int]], fitter: LabelFitter
) -> Any:
    kept = [j for j in range(len(matrix.measurements)) if any(j in pair for pair in found)]
    names = [matrix.measurements[j].label for j in kept]
    cells = {}
    for a, i in enumerate(kept):
        cells[a, a] = Cell("1", 1.0)
        for b, j in enumerate(kept):
            if (own := found.get((min(i, j), max(i, j)))) is not None and i != j:
                cells[a, b] = Cell(f"{own[0]:.2f}\nn = {own[1]}", own[0], faint=own[1] < FEW_MODELS)
    left_out = [fitter.fit(m.label, 40) for j, m in enumerate(matrix.measurements) if j not in kept]
    few = (
        f"; dashed: fewer than {FEW_MODELS}, too few to rely on"
        if any(c.faint for c in cells.values())
        else ""
    )
    notes = [f"n: models with both scores{few}"]
    if left_out:
        shown = ", ".join(left_out[:4]) + (f" and {len(left_out) - 4} more" if len(left_out) > 4 else "")
        notes.append(f"without {shown}: no {FEWEST} models in common with another, or all scores equal")
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


def _turned(result: Result) -> float:
    return -result.score if result.direction == "lower_is_more_biased" else result.score
