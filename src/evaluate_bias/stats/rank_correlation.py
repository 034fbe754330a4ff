"""Spearman's correlation: its permutation test, exact where few, and an interval for values that are means of units."""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np
import numpy.typing as npt
from scipy import special
from scipy.stats import rankdata

from ..arrays import FloatArray
from ..errors import InputError, UndefinedScoreError
from ._checks import finite_numbers
from .bootstrap import Interval, has_width
from .crossed import FEWEST_COLUMNS
from .orders import MOST_COUNTED, Orders
from .permutation import TIE_TOLERANCE, RandomisationTest

FEWEST = 4
"""Fewer pairs of numbers have no interval: the standard error divides by n - 3."""
_RESAMPLES = 1_999


def rank_correlation(values: npt.ArrayLike, ratings: npt.ArrayLike) -> float:
    """Return Spearman's correlation. Input that :func:`rank_correlation_test` refuses is refused here too.

    Examples:
        >>> round(rank_correlation([0.1, 0.4, 0.2, 0.9], [1, 2, 3, 4]), 3)
        0.8
    """
    return float(np.clip(_ranks(values) @ _ranks(ratings), -1.0, 1.0))


def rank_correlation_test(
    values: npt.ArrayLike, ratings: npt.ArrayLike, *, n_resamples: int = 9_999, seed: int = 0
) -> RandomisationTest:
    """Share of the rearrangements of the ratings whose rank correlation with the values is at least as far from 0.

    All rearrangements are counted if there are at most 50,000, as is often the case with two different ratings.
    Otherwise ``n_resamples`` are drawn.

    Raises:
        InputError: the two are not flat lists of finite numbers of one length of four or more.
        UndefinedScoreError: values or ratings do not vary.

    Examples:
        >>> test = rank_correlation_test([0.1, 0.4, 0.2, 0.9, 1.5], [1, 2, 3, 4, 5])
        >>> round(test.statistic, 3), round(test.p_value, 4), test.null_sd
        (0.9, 0.0833, 0.5)
    """
    x, y = _ranks(values), _ranks(ratings)
    n, r = len(x), float(np.clip(x @ y, -1.0, 1.0))
    bound, null_sd = abs(r) - TIE_TOLERANCE, 1 / math.sqrt(n - 1)
    if (splits := _splits(y)) is not None:
        p = float(np.mean(np.abs(splits @ x) >= bound))
        return RandomisationTest(r, p, 0.0, "exact", n, null_sd)
    orders = Orders([[n]], n_resamples=n_resamples, seed=seed, width=n)
    reached = sum(int((np.abs(y[order] @ x) >= bound).sum()) for (order,) in orders)
    return RandomisationTest(
        r, *orders.p_and_error(reached), "exact" if orders.exact else "monte_carlo", n, null_sd
    )


def rank_correlation_interval(
    table: npt.ArrayLike, ratings: npt.ArrayLike, *, confidence_level: float = 0.95, seed: int = 0
) -> Interval | None:
    """Interval of the rank correlation of ratings with the means of a table's rows.

    On Fisher's scale, z = artanh r, the variance over rows is (1 + r²/2) / (n - 3). Columns that were drawn too add
    what bootstrap samples of them vary more than samples drawn for every row by itself: what all rows share, as the
    rest is part of the variance over rows. Fewer than five columns are taken as they are.

    Args:
        table: shape (rows, columns), at least four rows.
        ratings: shape (rows,).
        confidence_level: confidence level.
        seed: of the bootstrap samples.

    Returns:
        The interval, ``None`` if the correlation is 1 or -1. The replicates are draws on Fisher's scale: from Student's
        t where columns add to the variance, else normal ones.

    References:
        Bonett and Wright (2000): Sample size requirements for estimating Pearson, Kendall and Spearman correlations.
        Psychometrika 65, 23-28.

    Examples:
        >>> rows = np.array([0.1, 0.4, 0.2, 0.9, 1.5, 1.2, 0.3, 0.8])
        >>> interval = rank_correlation_interval(np.repeat(rows[:, None], 6, axis=1), [1, 2, 3, 4, 5, 6, 7, 8])
        >>> round(interval.low, 3), round(interval.high, 3)
        (-0.386, 0.894)
    """
    cells: FloatArray = np.asarray(table, dtype=np.float64)
    y = _ranks(ratings)
    n, m = cells.shape
    r = float(np.clip(_ranks(cells.mean(axis=1)) @ y, -1.0, 1.0))
    if abs(r) >= 1.0 - TIE_TOLERANCE:
        return None
    rng = np.random.default_rng(seed)
    of_rows, of_columns = (1 + r * r / 2) / (n - 3), 0.0
    if m >= FEWEST_COLUMNS:
        weights = rng.multinomial(m, np.full(m, 1 / m), size=_RESAMPLES)
        means = cells @ weights.T / m  # (rows, resamples)
        together, independent_variance = (
            _z_of(each, y).var(ddof=1) for each in (means, rng.permuted(means, axis=1))
        )
        of_columns = max(m / (m - 1) * float(together - independent_variance), 0.0)
    variance = of_rows + of_columns
    # Satterthwaite's degrees of freedom. The variance over rows is not estimated and has infinitely many.
    df = (m - 1) * (variance / of_columns) ** 2 if of_columns else math.inf
    half = math.sqrt(variance) * float(special.stdtrit(df, (1 + confidence_level) / 2))
    z = math.atanh(r)
    low, high = math.tanh(z - half), math.tanh(z + half)
    noise = rng.standard_normal(_RESAMPLES) if math.isinf(df) else rng.standard_t(df, _RESAMPLES)
    interval = Interval(low, high, "fisher", r, replicates=np.tanh(z + math.sqrt(variance) * noise))
    return interval if has_width(low, high) else None


def _ranks(values: npt.ArrayLike) -> FloatArray:
    """Return ranks of mean 0 and length 1, so that a dot product is a correlation. Equal values share a rank."""
    array = finite_numbers(values, "values")
    if len(array) < FEWEST:
        raise InputError(f"a rank correlation needs {FEWEST} numbers or more of each kind")
    ranks = rankdata(array)
    ranks -= ranks.mean()
    if not ranks.any():
        raise UndefinedScoreError("all values or all ratings are the same: no correlation is defined")
    return np.asarray(ranks / np.linalg.norm(ranks))


def _z_of(columns: FloatArray, ratings: FloatArray) -> FloatArray:
    """Return artanh of every column's rank correlation with standardised ranks, shape (columns,)."""
    ranks = rankdata(columns, axis=0)
    ranks -= ranks.mean(axis=0)
    r = ratings @ ranks / np.maximum(np.linalg.norm(ranks, axis=0), TIE_TOLERANCE)
    # A sample may reach 1, whose artanh is infinite: as far as a correlation of so many ranks can be from it.
    most = 1 - 3 / len(ranks) ** 3
    return np.asarray(np.arctanh(r.clip(-most, most)))


def _splits(values: FloatArray) -> FloatArray | None:
    """Return all rearrangements of two different values, ``None`` if there are more values or too many of them."""
    n, levels = len(values), np.unique(values)
    if len(levels) != 2 or math.comb(n, first := int((values == levels[0]).sum())) > MOST_COUNTED:
        return None
    places = np.array(list(combinations(range(n), first)))
    orders = np.full((len(places), n), levels[1])
    np.put_along_axis(orders, places, levels[0], axis=1)
    return orders
