"""The ECT as a function of totals over attributes: the correlation of their ranks among the cosines of both sides."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from scipy.stats import rankdata

from ....arrays import FloatArray
from ...item_scores import correlation, correlation_columns


def columns(units: Sequence[Mapping[str, Any]], settings: Mapping[str, Any]) -> FloatArray:
    """Return what the correlation of ranks is made of, shape (n, 6)."""
    return correlation_columns(*(rankdata([u[key] for u in units]) for key in ("cosine_x", "cosine_y")))


score = correlation
