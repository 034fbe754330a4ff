"""Correlations of measures across models: three coefficients, their intervals, and permutation tests."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import combinations
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from .... import stats
from ....arrays import FloatArray
from ....errors import UndefinedScoreError
from ...correlation import TOLERANCE, fisher_interval, normal_reach, rank_interval

Coefficient: TypeAlias = Literal["pearson", "spearman", "kendall"]
Pairs: TypeAlias = Sequence[tuple[int, int]]

FEWEST = 3
"""Models that a correlation needs: of two every one is 1 or -1."""


def correlation(first: ArrayLike, second: ArrayLike, coefficient: Coefficient = "pearson") -> float:
    """Correlate two measures across models.

    Args:
        first: scores of the models, shape (models,), at least three.
        second: other scores of the same models.
        coefficient: ``"pearson"``; ``"spearman"``, Pearson's of the ranks, ties at their mean; or ``"kendall"``, tau-b.

    Returns:
        From -1 to 1; 1 is the same order of the models (for Pearson's: on one line).

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
    """Vectors of length 1 whose product is the correlation, (batch, models) to (batch, features); NaN where none.

    Pearson: (v − mean v) / ‖v − mean v‖; Spearman: the same of the ranks; Kendall's tau-b: sign(v_i − v_j) of all
    i < j, divided by the root of the number of untied pairs.
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
    """Interval of a correlation of ``n`` models on Fisher's scale; nothing where they are too few, or |r| is 1.

    The standard error of artanh r is 1 / sqrt(n − 3) (Fisher), sqrt(0.437 / (n − 4)) for Kendall's (Fieller, Hartley
    and Pearson 1957), and that of :func:`~...correlation.rank_interval` for Spearman's.

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
    # p = #{|r*| >= |r|} / n! over all orders; sampled, (1 + #) / (R + 1).
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
    """One-sided p-value of the mean correlation of pairs: every measure's scores are dealt out to its models anew.

    All deals are counted where they are few.

    Args:
        table: shape (models, measures), NaN where a model lacks a score.
        pairs: the pairs of measures that have a correlation; of these alone is the mean of every deal too.
        coefficient: see :func:`correlation`.
        n_resamples: number of random deals.
        seed: of the deals.
    """
    # p = #{mean r* >= mean r} / deals; sampled, (1 + #) / (R + 1)
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
    """Every two measures that have scores of enough models in common, and vary over these."""
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

    Nothing below four models, and where the mean is 1 or −1.

    With one of n models left out at a time, z_i = artanh of the mean correlation without model i:
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
