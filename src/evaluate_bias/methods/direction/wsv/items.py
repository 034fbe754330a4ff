"""The score of a map as a function of totals over words: the correlation of their places with the first statistic."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ....arrays import FloatArray
from ...item_scores import correlation, correlation_columns


def columns(units: Sequence[Mapping[str, Any]], settings: Mapping[str, Any]) -> FloatArray:
    """What the correlation is made of; shape (n, 6)."""
    first = settings["statistics"][0]
    axis = f"component_{settings['component']}"
    return correlation_columns([u[axis] for u in units], [u["statistics"][first] for u in units])


def in_row(unit: Mapping[str, Any], row: Any, settings: Mapping[str, Any]) -> bool:
    """Words that have the first statistic make up the score of one axis; the larger of two is no function of totals."""
    has_statistic = unit["statistics"].get(settings["statistics"][0]) is not None
    return row.kind == "overall" and has_statistic and isinstance(settings["component"], int)


score = correlation
