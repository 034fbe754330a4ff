"""Scores as functions of totals over units, see :class:`~evaluate_bias.method_record.UnitFunctions`."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ..arrays import FloatArray


def numbers(units: npt.ArrayLike) -> FloatArray:
    """Numbers as a float array."""
    return np.asarray(units, dtype=np.float64)


def correlation_columns(x: npt.ArrayLike, y: npt.ArrayLike) -> FloatArray:
    """Return what Pearson's r is made of, for every unit: 1, x, y, x², y², xy of standardised values, shape (n, 6).

    Standardised, two measurements have one scale, and r is the same.
    """
    a, b = (_standardised(numbers(values)) for values in (x, y))
    return np.stack([np.ones_like(a), a, b, a * a, b * b, a * b], axis=1)


def correlation(totals: FloatArray, settings: object = None) -> FloatArray:
    """Pearson's r of totals of :func:`correlation_columns`, shape (batch, 6), NaN if values do not vary.

    Examples:
        >>> columns = correlation_columns([1.0, 2.0, 3.0, 4.0], [1.0, 3.0, 2.0, 4.0])
        >>> correlation(columns.sum(axis=0)[None]).round(6).tolist()
        [0.8]
    """
    n, x, y, xx, yy, xy = np.moveaxis(totals, -1, 0)
    # r = (n Σxy − Σx Σy) / √((n Σx² − (Σx)²) (n Σy² − (Σy)²))
    of_x, of_y = n * xx - x * x, n * yy - y * y
    ok = (of_x > 1e-9 * n * n) & (of_y > 1e-9 * n * n)
    r = (n * xy - x * y) / np.sqrt(np.where(ok, of_x * of_y, 1.0))
    return np.where(ok, r.clip(-1.0, 1.0), np.nan)


def _standardised(values: FloatArray) -> FloatArray:
    spread = values.std()
    return np.asarray((values - values.mean()) / (spread if spread > 0 else 1.0))


def mean(totals: FloatArray) -> FloatArray:
    """Mean of values, of totals of their weights and weighted values, shape (batch, 2)."""
    return np.asarray(totals[:, 1] / totals[:, 0])


def difference_columns(values: FloatArray, weights: FloatArray, inside: FloatArray) -> FloatArray:
    """Return what a difference of the means of two lists is made of: weights, then weighted values, of each list.

    Args:
        values: weighted value of every item, shape (n,).
        weights: its weight.
        inside: whether it is of each list, shape (n, 2).

    Returns:
        Shape (n, 4). What all items have in common is taken from them, as it cancels out of a difference.
    """
    values = values - weights * values.sum() / weights.sum()
    return np.concatenate([inside * weights[:, None], inside * values[:, None]], axis=1)


def difference_of_means(totals: FloatArray) -> FloatArray:
    """Mean of the first list less the second's, of totals of :func:`difference_columns`, shape (batch, 4)."""
    return np.asarray(totals[:, 2] / totals[:, 0] - totals[:, 3] / totals[:, 1])


def effect_size_columns(values: FloatArray, inside: FloatArray) -> FloatArray:
    """Return what an effect size is made of: membership of each list, values of each, and squares, shape (n, 5).

    Centred and scaled, which changes no d, two measurements have one scale.
    """
    scaled = _standardised(values)
    return np.column_stack([inside, inside * scaled[:, None], scaled**2])


def effect_size(totals: FloatArray, ddof: int) -> FloatArray:
    """d = (mean over X - mean over Y) / standard deviation over both, of totals of :func:`effect_size_columns`.

    ``totals`` are of shape (batch, 5), NaN if values do not vary.

    Examples:
        >>> inside = np.array([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0], [0.0, 1.0]])
        >>> columns = effect_size_columns(np.array([3.0, 2.0, 1.0, 0.0]), inside)
        >>> effect_size(columns.sum(axis=0)[None], ddof=0).round(6).tolist()
        [1.788854]
    """
    n_x, n_y, x, y, squares = totals.T
    variance = (squares - (x + y) ** 2 / (n_x + n_y)) / (n_x + n_y - ddof)
    return np.asarray((x / n_x - y / n_y) / np.sqrt(np.where(variance > 1e-12, variance, np.nan)))
