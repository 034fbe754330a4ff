"""Scores as functions of totals over units, see :class:`evaluate_bias.units.UnitFunctions`; methods share them."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ..arrays import FloatArray


def numbers(units: npt.ArrayLike) -> FloatArray:
    """Numbers as a float array."""
    return np.asarray(units, dtype=np.float64)


def correlation_columns(x: npt.ArrayLike, y: npt.ArrayLike) -> FloatArray:
    """What Pearson's r is made of, for every unit: 1, x, y, x², y², xy of standardised values; shape (n, 6).

    Standardised, two measurements have one scale, and r is the same.
    """
    a, b = (_standardised(numbers(values)) for values in (x, y))
    return np.stack([np.ones_like(a), a, b, a * a, b * b, a * b], axis=1)


def correlation(totals: FloatArray, settings: object = None) -> FloatArray:
    """Pearson's r of totals of :func:`correlation_columns`, shape (batch, 6); NaN where values do not vary.

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
