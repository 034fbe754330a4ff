"""Do different measures order models the same way? Correlations across models (Delobelle et al. 2022, section 4.4)."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from .... import stats
from ....arrays import FloatArray
from ....data.predictions import ModelScore, as_model_scores
from ....data.row_set import RowSet
from ....errors import InputError, UndefinedScoreError, quoted
from ....method import Finding, method
from ....options import Level, Resamples, Seed
from ....result import Coverage, Result, Row, Skipped
from ...correlation import (
    TOLERANCE,
    fisher_interval,
    is_perfect,
    normal_reach,
    rank_interval,
    without_interval,
)
from ...rows import checked_rows
from ...word_lists.inference import derive_seed
from .record import RECORD

Coefficient: TypeAlias = Literal["pearson", "spearman", "kendall"]
Pairs: TypeAlias = Sequence[tuple[int, int]]
FEWEST = 3
"""Models that a correlation needs: of two every one is 1 or -1."""

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

    Every two measures are correlated over the models that have a score of both. The score is the mean over
    all pairs. Scores of which lower means more biased are turned first, so that measures that agree correlate
    positively.

    Args:
        model: ``None``, because the scores are all that is needed.
        data: rows with ``model_name``, ``measure`` and ``score``, or results of any methods on several models.
        coefficient: ``"pearson"``, ``"spearman"`` or ``"kendall"`` (tau-b).
        n_resamples: number of random reorderings, if there are more than 50,000 orders.
        seed: of the reorderings.

    Returns:
        Mean correlation in [-1, 1], ideal 1, higher is more robust. Its p-value is one-sided and tests whether the
        measures are unrelated. ``n`` is the number of models. Groups are the measures, each with its mean correlation
        with the others. Items are the pairs, each with interval, p-value and Holm-adjusted p-value. ``details`` contain
        the matrices ``r``, ``p_value``, ``p_holm`` and ``n_models`` of ``names``, ``None`` if a pair has no
        correlation, and the ``scores`` of ``models``, ``None`` if a model has none. Measures whose scores are all
        equal, and pairs with fewer than three models, are listed as skipped.

    Raises:
        DataError: a row is neither a score nor a result.
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
    """Scores of shape (models, measures), NaN if none exists. Models and measures in the order of their text."""
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
    """Return a number of every pair as a symmetric matrix, with ``None`` for pairs without one."""
    values = {at: getattr(row, field) for at, row in pairs.items()}
    return [[diagonal if a == b else values.get((min(a, b), max(a, b))) for b in range(k)] for a in range(k)]


def correlation(first: ArrayLike, second: ArrayLike, coefficient: Coefficient = "pearson") -> float:
    """Correlate two measures across models.

    Args:
        first: scores of the models, shape (models,), at least three.
        second: other scores of the same models.
        coefficient: ``"pearson"``, ``"spearman"`` (Pearson's of the ranks, with ties at their mean) or ``"kendall"``
            (tau-b).

    Returns:
        From -1 to 1. 1 is the same order of the models (for Pearson's: on one line).

    Raises:
        UndefinedScoreError: fewer than three models, or all scores of a measure are equal.

    References:
        Kendall (1945): The treatment of ties in ranking problems. Biometrika.

    Examples:
        >>> [round(correlation([1, 2, 3, 9], [1, 3, 2, 4], kind), 3) for kind in ("pearson", "spearman", "kendall")]
        [0.826, 0.8, 0.667]
    """
    scores = [np.asarray(values, dtype=np.float64) for values in (first, second)]
    if (n := len(scores[0])) < FEWEST:
        raise UndefinedScoreError(f"a correlation needs {FEWEST} models or more, and there are {n}")
    x, y = (_features(v[None], coefficient)[0] for v in scores)
    if not (np.isfinite(x).all() and np.isfinite(y).all()):
        raise UndefinedScoreError("all scores of a measure are equal: no correlation is defined")
    return float(np.clip(x @ y, -1.0, 1.0))


def _features(values: FloatArray, coefficient: Coefficient) -> FloatArray:
    """Vectors of length 1 whose product is the correlation, (batch, models) to (batch, features), NaN if undefined.

    Pearson: (v − mean v) / ‖v − mean v‖. Spearman: the same of the ranks. Kendall's tau-b: sign(v_i − v_j) of
    all i < j, divided by the root of the number of untied pairs.
    """
    # To a largest score between 1/2 and 1 by a power of two, which rounds nothing, so that no square overflows.
    values = np.ldexp(values, -np.frexp(np.abs(values).max(axis=1, keepdims=True))[1])
    if coefficient == "kendall":
        i, j = np.triu_indices(values.shape[1], 1)
        scale = np.abs(values).max(axis=1, keepdims=True)
        differences = values[:, i] - values[:, j]
        out = np.where(np.abs(differences) <= TOLERANCE * scale, 0.0, np.sign(differences))
    else:
        from scipy.stats import rankdata

        out = np.asarray(rankdata(values, axis=1)) if coefficient == "spearman" else values
        centred = out - out.mean(axis=1, keepdims=True)
        spread, size = (np.abs(v).max(axis=1, keepdims=True) for v in (centred, out))
        out = np.where(spread <= TOLERANCE * size, 0.0, centred)
    length = np.linalg.norm(out, axis=1, keepdims=True)
    return np.where(length > 0, out / np.where(length > 0, length, 1.0), np.nan)


def correlation_interval(
    r: float, n: int, coefficient: Coefficient, confidence_level: float
) -> tuple[float, float] | None:
    """Interval of a correlation of ``n`` models on Fisher's scale, ``None`` if they are too few or |r| is 1.

    The standard error of artanh r is 1 / sqrt(n − 3) (Fisher), sqrt(0.437 / (n − 4)) for Kendall's (Fieller, Hartley
    and Pearson 1957), and the variance of :func:`~...correlation.rank_interval` for Spearman's.

    Examples:
        >>> [round(v, 3) for v in correlation_interval(0.6, 28, "spearman", 0.95)]
        [0.261, 0.807]
        >>> correlation_interval(0.6, 3, "pearson", 0.95)
    """
    if n < (5 if coefficient == "kendall" else 4):
        return None
    if coefficient == "spearman":
        return rank_interval(r, n, confidence_level)
    return fisher_interval(
        r,
        normal_reach(confidence_level)
        * math.sqrt(0.437 / (n - 4) if coefficient == "kendall" else 1 / (n - 3)),
    )


def pair_test(
    first: FloatArray, second: FloatArray, r: float, coefficient: Coefficient, n_resamples: int, seed: int
) -> tuple[float, bool]:
    """Two-sided permutation p-value of a correlation, and whether it counts all orders of the models."""
    # p = #{|r*| >= |r|} / n! over all orders. If orders are sampled, p = (1 + #) / (R + 1).
    x, n = _features(first[None], coefficient)[0], len(first)
    orders = stats.Orders([[n]], n_resamples=n_resamples, seed=seed, width=n * n)
    reached = 0
    for (order,) in orders:
        null_r = _features(second[order], coefficient) @ x
        reached += int((np.abs(null_r) >= abs(r) - TOLERANCE).sum())
    return float(orders.p_value(reached)), orders.exact


def mean_test(
    table: FloatArray, pairs: Pairs, coefficient: Coefficient, n_resamples: int, seed: int
) -> tuple[float, stats.Orders]:
    """One-sided p-value of the mean correlation of pairs: every measure's scores are dealt out to its models again.

    All deals are counted if they are few.

    Args:
        table: shape (models, measures), NaN if a model lacks a score.
        pairs: the pairs of measures that have a correlation. The mean of every deal is over these alone, too.
        coefficient: see :func:`correlation`.
        n_resamples: number of random deals.
        seed: of the deals.
    """
    # p = #{mean r* >= mean r} / deals. If deals are sampled, p = (1 + #) / (R + 1)
    observed = _mean_correlations(table.T[None], pairs, coefficient)[0]
    models, measures = table.shape
    known = [np.flatnonzero(np.isfinite(column)) for column in table.T]
    deals = stats.Orders(
        [[len(models_of)] for models_of in known],
        n_resamples=n_resamples,
        seed=seed,
        relative=all(len(models_of) == models for models_of in known),
        width=models * models * measures,
    )
    reached = 0
    for orders in deals:
        dealt = np.full((len(orders[0]), measures, models), np.nan)
        for k, (models_of, order) in enumerate(zip(known, orders, strict=True)):
            dealt[:, k, models_of] = table[models_of, k][order]
        means = _mean_correlations(dealt, pairs, coefficient)
        # Written so that a deal without a correlation (NaN) counts as one that reaches the observed mean.
        reached += int((~(means < observed - TOLERANCE)).sum())
    return float(deals.p_value(reached)), deals


def _mean_correlations(values: FloatArray, pairs: Pairs, coefficient: Coefficient) -> FloatArray:
    """Mean over pairs of measures, shape (batch, measures, models) to (batch,)."""
    has_score = np.isfinite(values[0])
    correlations = []
    for a, b in pairs:
        both = has_score[a] & has_score[b]
        x, y = (_features(values[:, k][:, both], coefficient) for k in (a, b))
        correlations.append((x * y).sum(axis=1))
    return np.asarray(np.mean(correlations, axis=0)) if correlations else np.full(len(values), np.nan)


def _defined_pairs(table: FloatArray, coefficient: Coefficient) -> Pairs:
    """Return every two measures that have scores of enough models in common, and vary over these."""
    pairs = []
    for a, b in combinations(range(table.shape[1]), 2):
        x, y = table[np.isfinite(table[:, [a, b]]).all(axis=1)][:, [a, b]].T
        if len(x) >= FEWEST and np.isfinite(
            _mean_correlations(np.stack([x, y])[None], [(0, 1)], coefficient)
        ):
            pairs.append((a, b))
    return pairs


def mean_interval(
    table: FloatArray, coefficient: Coefficient, confidence_level: float
) -> tuple[float, float] | None:
    """Interval of the mean correlation over models, by the jackknife on Fisher's scale.

    ``None`` for fewer than four models, and if the mean is 1 or −1.

    With one of n models omitted at a time, z_i = artanh of the mean correlation without model i:
    tanh( artanh(mean r) ± t(level, n − 1) · sqrt((n − 1) / n · Σ (z_i − mean z)²) ).
    """
    from scipy.special import stdtrit

    n = len(table)
    if n <= FEWEST:
        return None
    bound = 1.0 - TOLERANCE
    middle, *without_each = (
        float(_mean_correlations(rest.T[None], _defined_pairs(rest, coefficient), coefficient)[0])
        for rest in (table, *(np.delete(table, i, axis=0) for i in range(n)))
    )
    if not np.isfinite(without_each).all():
        return None
    z = np.arctanh(np.clip(without_each, -bound, bound))
    se = math.sqrt((n - 1) / n * float(((z - z.mean()) ** 2).sum()))
    reach = float(stdtrit(n - 1, 0.5 + confidence_level / 2)) * se
    return fisher_interval(middle, reach)
