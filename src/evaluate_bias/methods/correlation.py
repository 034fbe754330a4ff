"""Pearson correlations with an interval and permutation tests, one at a time and the largest of many."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from .. import stats
from ..arrays import FloatArray
from ..errors import InputError, UndefinedScoreError
from ..text import name_list

TOLERANCE = 1e-12
"""Correlations closer than this are ties, and values whose relative spread is below it do not vary."""

_MOST_NAMED = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Correlation:
    """A Pearson correlation.

    Attributes:
        r: in [-1, 1].
        ci_low, ci_high: Fisher's interval. ``None`` if |r| is 1, see :func:`fisher_interval`.
        p_value: share of the reorderings of the values whose |r| is at least the observed one, the observed order
            among them: two-sided, valid whatever the distributions are.
        p_error: its Monte Carlo error, 0 if all reorderings were counted.
    """

    r: float
    ci_low: float | None
    ci_high: float | None
    p_value: float
    p_error: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Correlations:
    """Outcome of :func:`correlate`.

    Attributes:
        each: one correlation per column.
        largest: position of the column with the largest |r|.
        largest_by_chance: mean of the largest |r| over the reorderings.
        p_largest: share of the reorderings whose largest |r| over all columns reaches the observed largest: the
            p-value of having chosen the best of them all.
        n: number of values.
        orders: how many reorderings the p-values count.
    """

    each: tuple[Correlation, ...]
    largest: int
    largest_by_chance: float
    p_largest: float
    n: int
    orders: str


def correlate(
    columns: ArrayLike,
    values: ArrayLike,
    *,
    n_resamples: int = 9_999,
    confidence_level: float = 0.95,
    seed: int = 0,
) -> Correlations:
    """Correlate every column with the same values.

    Args:
        columns: shape (n, number of columns), n >= 4.
        values: shape (n,).
        n_resamples: number of random reorderings of more than eight values. For fewer values all are counted.
        confidence_level: confidence level of the intervals.
        seed: of the reorderings.

    Returns:
        Every correlation, range -1 to 1, 0 for no linear relation, with its p-value, and the p-value of the
        largest.

    Raises:
        InputError: values are not finite, or fewer than four of them.
        UndefinedScoreError: a column or the values do not vary.

    References:
        Fisher (1921), Metron 1, 3-32 (the interval). Westfall and Young (1993), Resampling-Based Multiple Testing
        (the test of the largest).

    Examples:
        >>> correlations = correlate([[1.0, 0.2], [2.0, -0.1], [3.0, 0.4], [4.0, -0.3], [5.0, 0.1]], [1, 2, 2, 4, 5])
        >>> [round(c.r, 3) for c in correlations.each], correlations.largest
        ([0.962, -0.417], 0)
    """
    table, numbers = np.asarray(columns, dtype=np.float64), np.asarray(values, dtype=np.float64)
    if not (np.isfinite(table).all() and np.isfinite(numbers).all()):
        raise InputError("a correlation needs finite numbers, and there is NaN or infinity")
    if len(numbers) < 4:
        raise InputError(f"a correlation with an interval needs at least four values, got {len(numbers)}")
    # r = z · v, columns z (n, k) and values v (n,) of mean 0 and length 1. With R reorderings of v and their r*:
    # p = (1 + #{|r*| >= |r|}) / (R + 1), or the share of all n! orders. p of the largest has max |r*| and max |r| over
    # the columns instead.
    z = _standardised(table, "a column")
    v = _standardised(numbers[:, None], "the statistic")[:, 0]
    observed = np.clip(z.T @ v, -1.0, 1.0)
    reached = np.zeros(len(observed), dtype=int)
    reached_by_largest, total_of_largest = 0, 0.0
    bound = np.abs(observed) - TOLERANCE
    orders = stats.Orders([[len(v)]], n_resamples=n_resamples, seed=seed, width=len(v) + len(observed))
    for (order,) in orders:
        sizes = np.abs(v[order] @ z)  # shape (batch, k)
        reached += (sizes >= bound).sum(axis=0)
        largest = sizes.max(axis=1)
        reached_by_largest += int((largest >= bound.max()).sum())
        total_of_largest += float(largest.sum())
    # The standard error of artanh r is 1 / sqrt(n − 3) (Fisher).
    reach = normal_reach(confidence_level) / np.sqrt(len(numbers) - 3)
    return Correlations(
        each=tuple(
            Correlation(r=float(r), ci_low=low, ci_high=high, p_value=p, p_error=error)
            for r, (p, error) in zip(observed, map(orders.p_and_error, reached), strict=True)
            for low, high in [fisher_interval(float(r), reach) or (None, None)]
        ),
        largest=int(np.abs(observed).argmax()),
        largest_by_chance=total_of_largest / orders.total,
        p_largest=float(orders.p_value(reached_by_largest)),
        n=len(numbers),
        orders=str(orders),
    )


def symmetric(upper: ArrayLike, k: int) -> FloatArray:
    """Matrix of size k with these values above and below the diagonal, and 0 on it.

    Examples:
        >>> symmetric([1.0, 2.0, 3.0], 3).tolist()
        [[0.0, 1.0, 2.0], [1.0, 0.0, 3.0], [2.0, 3.0, 0.0]]
    """
    out = np.zeros((k, k))
    out[np.triu_indices(k, 1)] = np.asarray(upper, dtype=np.float64)
    return np.asarray(out + out.T)


def _standardised(table: FloatArray, called: str) -> FloatArray:
    """Columns of mean 0 and length 1, so that a product of two is their correlation."""
    centred = table - table.mean(axis=0)
    lengths = np.linalg.norm(centred, axis=0)
    if (lengths <= TOLERANCE * np.abs(table).max(axis=0) * np.sqrt(len(table))).any():
        raise UndefinedScoreError(f"{called} does not vary: no correlation is defined")
    return np.asarray(centred / lengths)


def is_perfect(r: float) -> bool:
    """True if |r| is 1, but for rounding."""
    return abs(r) >= 1.0 - TOLERANCE


def normal_reach(confidence_level: float) -> float:
    """Return the quantile z of the normal distribution so that ±z contains the share ``confidence_level`` of it."""
    from scipy.special import ndtri

    return float(ndtri(0.5 + confidence_level / 2))


def fisher_interval(r: float, reach: float) -> tuple[float, float] | None:
    """Interval tanh(artanh(r) ± reach) of a correlation, where ``reach`` is z times the standard error of artanh r.

    None exists if |r| is 1 (the transform is infinite, and an interval without width would look like certainty) or if
    ``reach`` is 0.

    Examples:
        >>> [round(v, 4) for v in fisher_interval(0.6, normal_reach(0.95) / (28 - 3) ** 0.5)]
        [0.2924, 0.7951]
        >>> fisher_interval(-1.0, 0.3)
    """
    if is_perfect(r):
        return None
    middle = np.arctanh(r)
    low, high = float(np.tanh(middle - reach)), float(np.tanh(middle + reach))
    return (low, high) if stats.has_width(low, high, TOLERANCE) else None


def rank_interval(r: float, n: int, confidence_level: float) -> tuple[float, float] | None:
    """Interval of Spearman's correlation of ``n`` pairs, see :func:`fisher_interval`.

    The standard error of artanh r is sqrt((1 + r² / 2) / (n − 3)) (Bonett and Wright 2000, Psychometrika 65).

    Examples:
        >>> [round(v, 3) for v in rank_interval(0.6, 28, 0.95)]
        [0.261, 0.807]
    """
    return fisher_interval(r, normal_reach(confidence_level) * np.sqrt((1 + r * r / 2) / (n - 3)))


def without_interval(correlations: Mapping[str, float]) -> list[str]:
    """Say which of these correlations have no interval because |r| is 1, given what they are called.

    Examples:
        >>> without_interval({"t": 0.5}), without_interval({"t": 0.5, "the score": -1.0})
        ([], ["a correlation of exactly 1 or −1 has no interval, since it is infinite on Fisher's scale: the score"])
    """
    perfect = [name for name, r in correlations.items() if is_perfect(r)]
    if not perfect:
        return []
    return [
        "a correlation of exactly 1 or −1 has no interval, since it is infinite on Fisher's scale: "
        f"{name_list(perfect, _MOST_NAMED)}"
    ]
