"""The score of a map as a function of totals over words: the correlation of their places with the first statistic."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ....arrays import FloatArray
from ...item_scores import correlation, correlation_columns


def columns(units: Sequence[Mapping[str, Any]], settings: Mapping[str, Any]) -> FloatArray:
    """Return what the correlation of one axis is made of, shape (n, 6), or of both axes, shape (n, 2, 6).

    Of both, the more correlated one comes first, and each points to larger statistics: the axes of two measurements
    then correspond to each other.
    """
    statistic = [unit["statistics"][settings["statistics"][0]] for unit in units]

    def of_axis(k: int, sign: float = 1.0) -> FloatArray:
        return correlation_columns([sign * unit[f"component_{k}"] for unit in units], statistic)

    if isinstance(component := settings["component"], int):
        return of_axis(component)
    r = {k: float(correlation(of_axis(k).sum(axis=0)[None])[0]) for k in (1, 2)}
    order = sorted(r, key=lambda k: -abs(r[k]))
    return np.stack([of_axis(k, -1.0 if r[k] < 0 else 1.0) for k in order], axis=1)


def score(totals: FloatArray, settings: Mapping[str, Any]) -> FloatArray:
    """r of one axis, or the larger |r| of both."""
    if isinstance(settings["component"], int):
        return correlation(totals)
    return np.asarray(np.abs(correlation(totals)).max(axis=-1))


def in_row(unit: Mapping[str, Any], row: Any, settings: Mapping[str, Any]) -> bool:
    """Words that have the first statistic make up the score."""
    return row.kind == "overall" and unit["statistics"].get(settings["statistics"][0]) is not None
