"""Do different measures order models alike? Correlations across models (Delobelle et al. 2022, section 4.4)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np

from .... import stats
from ....arrays import FloatArray
from ....data.predictions import ModelScore, as_model_scores
from ....data.row_set import RowSet
from ....errors import InputError, UndefinedScoreError, quoted
from ....method import Finding, method
from ....options import Level, Resamples, Seed
from ....result import Coverage, Result, Row, Skipped
from ...correlation import is_perfect, without_interval
from ...rows import checked_rows
from ...word_lists.inference import derive_seed
from .record import RECORD
from .statistics import (
    FEWEST,
    Coefficient,
    correlation,
    correlation_interval,
    mean_interval,
    mean_test,
    pair_test,
)

FEW_MODELS = 8
"""With fewer models the interval of a correlation contains almost any other."""

_OF_METHOD: Mapping[Coefficient, str] = {
    "pearson": "Pearson correlation",
    "spearman": "Spearman correlation",
    "kendall": "Kendall's tau-b",
}


@method(RECORD)
def evaluate(
    model: None,
    data: RowSet[ModelScore] | Sequence[ModelScore | Mapping[str, Any] | Result],
    *,
    coefficient: Coefficient = "pearson",
    n_resamples: Resamples = 9_999,
    confidence_level: Level = 0.95,
    seed: Seed = 0,
) -> Finding:
    """Correlate measures across models.

    Every two measures are correlated over the models that have a score of both; the score is the mean over all pairs.
    Scores of which lower means more biased are turned first, so that measures that agree correlate positively.

    Args:
        model: none; the scores are all that is needed.
        data: rows with ``model_name``, ``measure`` and ``score``, or results of any methods on several models.
        coefficient: ``"pearson"``, ``"spearman"`` or ``"kendall"`` (tau-b).
        n_resamples: number of random reorderings, where there are more than 50,000 orders.
        seed: of the reorderings.

    Returns:
        Mean correlation in [-1, 1], ideal 1, higher is more robust; its p-value is one-sided and tests that no measure
        has to do with any other. ``n`` is the number of models. Groups are the measures, each with its mean
        correlation with the others; items are the pairs, each with interval, p-value and Holm-adjusted p-value.
        ``details`` hold the matrices ``r``, ``p_value``, ``p_holm`` and ``n_models`` of ``names``,
        ``None`` where a pair has no correlation, and the ``scores`` of ``models``, ``None`` where a model has none.
        Measures whose scores are all equal, and pairs with fewer than three models, are listed as skipped.

    Raises:
        DataError: a row is no score and no result.
        InputError: a model has two scores of one measure, or a score is not finite.
        UndefinedScoreError: fewer than three models, or fewer than two measures that vary, or no pair has three models.

    References:
        Delobelle, Tokpo, Calders and Berendt (2022): Measuring Fairness with Biased Rulers. NAACL 2022, section 4.4.

    Examples:
        >>> scores = {"weat": [0.2, 0.9, 1.1, 1.6], "seat": [0.1, 0.5, 0.9, 0.8], "pll": [52.0, 60.0, 55.0, 61.0]}
        >>> rows = [{"model_name": f"m{i}", "measure": name, "score": score}
        ...         for name, own in scores.items() for i, score in enumerate(own)]
        >>> result = evaluate(None, rows)
        >>> round(result.score, 3), result.n, [round(row.score, 3) for row in result.rows_of("item")]
        (0.737, 4, [0.525, 0.799, 0.887])
    """
    rows, left_out = as_model_scores(checked_rows(data, RECORD.name))
    table, models, measures, turned = _table(rows)
    if len(models) < FEWEST:
        raise UndefinedScoreError(
            f"{RECORD.name} needs {FEWEST} models or more, because of two every correlation is 1 or -1, and there "
            f"{'is' if len(models) == 1 else 'are'} {len(models)}: {_first_names(models)}"
        )
    skipped, varying = [*left_out], []
    for k, name in enumerate(measures):
        scores = table[np.isfinite(table[:, k]), k]
        halves = scores / 2  # whose range is finite
        if len(scores) < FEWEST:
            reason = f"it has scores of {len(scores)} models, and a correlation needs {FEWEST}"
            skipped.append(Skipped(name, reason))
        elif np.ptp(halves) <= 1e-12 * np.abs(halves).max():
            skipped.append(Skipped(name, "all its scores are equal: no correlation is defined"))
        else:
            varying.append(k)
    if len(varying) < 2:
        reasons = "; ".join(f"{s.item}: {s.reason}" for s in skipped) or f"there is {_first_names(measures)}"
        raise UndefinedScoreError(
            f"{RECORD.name} needs two measures whose scores vary over {FEWEST} models: {quoted(reasons, 250)}"
        )
    table, names = table[:, varying], [measures[k] for k in varying]
    pairs: dict[tuple[int, int], Row] = {}
    for a, b in combinations(range(len(names)), 2):
        both = np.isfinite(table[:, [a, b]]).all(axis=1)
        x, y, n, name = table[both, a], table[both, b], int(both.sum()), f"{names[a]} and {names[b]}"
        try:
            value = correlation(x, y, coefficient)
        except UndefinedScoreError as error:
            skipped.append(Skipped(name, str(error), "pairs"))
            continue
        low, high = correlation_interval(value, n, coefficient, confidence_level) or (None, None)
        own_seed = derive_seed(f"{names[a]}\n{names[b]}", seed)
        p, exact = pair_test(x, y, value, coefficient, n_resamples, own_seed)
        pairs[a, b] = Row(
            name=name,
            kind="item",
            score=value,
            ci_low=low,
            ci_high=high,
            ci_method="" if low is None else "normal on Fisher's scale",
            p_value=p,
            p_method="all orders of the models" if exact else "sampled orders of the models",
            n=n,
            labels={"a": names[a], "b": names[b]},
            # Of ranks the reverse order is as far from 0.
            details={"smallest_p": stats.smallest_order_p(n) * (1 if coefficient == "pearson" else 2)},
        )
    if not pairs:
        raise UndefinedScoreError(
            f"no two measures have scores of {FEWEST} models in common that vary",
            hint="measure all models with all of them",
        )
    holm = stats.holm([row.p_value or 0.0 for row in pairs.values()])
    pairs = {at: replace(row, p_holm=float(p)) for (at, row), p in zip(pairs.items(), holm, strict=True)}
    r = {at: row.score or 0.0 for at, row in pairs.items()}
    mean = float(np.mean(list(r.values())))
    low, high = mean_interval(table, coefficient, confidence_level) or (None, None)
    p_mean, deals = mean_test(table, list(pairs), coefficient, n_resamples, seed)
    method_of = {row.measure: row.method for row in rows}
    groups = [
        Row(
            name=name,
            kind="group",
            score=float(np.mean(correlations)),
            n=int(np.isfinite(table[:, k]).sum()),
            labels={"method": method_of[name]},
        )
        for k, name in enumerate(names)
        if (correlations := [value for at, value in r.items() if k in at])
    ]
    warnings = []
    if len(models) < FEW_MODELS:
        warnings.append(
            f"only {len(models)} models: with fewer than {FEW_MODELS} even unrelated measures often correlate "
            "strongly by chance, and an interval covers almost any value"
        )
    if low is None and not is_perfect(mean):
        warnings.append(
            "no interval of the mean correlation: it needs four models that have the scores, of which each changes it"
        )
    if turned:
        warnings.append(f"lower means more biased, so the sign was turned: {', '.join(turned)}")
    return Finding(
        score=mean,
        n=len(models),
        ci_low=None if low is None else min(low, mean),
        ci_high=None if high is None else max(high, mean),
        ci_method="" if low is None else "jackknife over the models, on Fisher's scale with Student's t",
        p_value=p_mean,
        p_method=f"scores of every measure dealt out to the models at random, {deals}, one-sided",
        coverage=Coverage(len(varying), len(measures)),
        rows=[*groups, *pairs.values()],
        skipped=skipped,
        warnings=[
            *warnings,
            *without_interval(
                {"their mean": mean, **{f"{names[a]} and {names[b]}": v for (a, b), v in r.items()}}
            ),
        ],
        details={
            "names": names,
            "models": models,
            "scores": [[v if np.isfinite(v) else None for v in row] for row in table.tolist()],
            "r": _matrix(pairs, "score", len(names), 1.0),
            "p_value": _matrix(pairs, "p_value", len(names), 0.0),
            "p_holm": _matrix(pairs, "p_holm", len(names), 0.0),
            "n_models": _matrix(pairs, "n", len(names), len(models)),
            "smallest_p": stats.smallest_order_p(len(models), times=len(names) - 1),
            "coefficient": _OF_METHOD[coefficient],
            "null": "scores dealt out to the models at random",
            "turned": turned,
        },
    )


def _table(rows: Sequence[ModelScore]) -> tuple[FloatArray, list[str], list[str], list[str]]:
    """Scores of shape (models, measures), NaN where there is none; models and measures in the order of their text."""
    models, measures = sorted({r.model_name for r in rows}), sorted({r.measure for r in rows})
    place = {m: i for i, m in enumerate(models)}, {m: i for i, m in enumerate(measures)}
    table = np.full((len(models), len(measures)), np.nan)
    directions: dict[str, str] = {}
    for row in rows:
        at = place[0][row.model_name], place[1][row.measure]
        if np.isfinite(table[at]):
            raise InputError(
                f"{quoted(row.model_name)} has two scores by {quoted(row.measure)}",
                hint="give every measure a name of its own, and every model one score of it",
            )
        if directions.setdefault(row.measure, row.direction) != row.direction:
            raise InputError(
                f"{quoted(row.measure)} has the directions {quoted(directions[row.measure])} and "
                f"{quoted(row.direction)}",
                hint="give every measure one",
            )
        table[at] = row.score
    turned = [m for m in measures if directions[m] == "lower_is_more_biased"]
    for measure in turned:
        table[:, place[1][measure]] *= -1.0
    return table, models, measures, turned


def _first_names(names: Sequence[str]) -> str:
    return ", ".join(quoted(n) for n in names[:5])


def _matrix(pairs: Mapping[tuple[int, int], Row], field: str, k: int, diagonal: float) -> list[list[Any]]:
    """A number of every pair as a symmetric matrix, with ``None`` for pairs without one."""
    values = {at: getattr(row, field) for at, row in pairs.items()}
    return [[diagonal if a == b else values.get((min(a, b), max(a, b))) for b in range(k)] for a in range(k)]
