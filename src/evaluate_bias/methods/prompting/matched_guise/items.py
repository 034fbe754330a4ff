"""The matched guise score as a function of totals over attributes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ....arrays import FloatArray
from ...item_scores import correlation, correlation_columns, numbers


def columns(units: Sequence[Mapping[str, Any]], settings: Mapping[str, Any]) -> FloatArray:
    """Return what the rank correlation is made of, shape (n, 6)."""
    from scipy.stats import rankdata

    q, ratings = (numbers([unit[key] for unit in units]) for key in ("association", "rating"))
    return correlation_columns(rankdata(q.round(6)), rankdata(ratings))


score = correlation
