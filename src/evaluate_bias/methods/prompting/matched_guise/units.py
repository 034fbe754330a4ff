"""The matched guise score as a function of totals over attributes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ....arrays import FloatArray
from ...unit_scores import correlation, correlation_columns, numbers


def columns(units: Sequence[Mapping[str, Any]], settings: Mapping[str, Any]) -> FloatArray:
    """What the rank correlation is made of, shape (n, 6); of a decision each attribute's part, shape (n, 1)."""
    from scipy.stats import rankdata

    q, ratings = (numbers([unit[key] for unit in units]) for key in ("association", "rating"))
    if settings.get("decision"):
        return np.asarray(np.where(ratings > ratings.mean(), q, -q)[:, None])
    return correlation_columns(rankdata(q.round(6)), rankdata(ratings))


def score(totals: FloatArray, settings: Mapping[str, Any]) -> FloatArray:
    """Spearman's correlation, or a decision's difference."""
    return np.asarray(totals[:, 0]) if settings.get("decision") else correlation(totals)
