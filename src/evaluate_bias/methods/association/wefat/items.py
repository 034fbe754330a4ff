"""The WEFAT as a function of totals over words: the correlation of their associations with the statistic."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ....arrays import FloatArray
from ...item_scores import correlation, correlation_columns


def columns(units: Sequence[Mapping[str, Any]], settings: Mapping[str, Any]) -> FloatArray:
    """Return what the correlation is made of, shape (n, 6)."""
    return correlation_columns(*([u[key] for u in units] for key in ("association", "statistic")))


score = correlation
