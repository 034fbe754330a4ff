"""The score as a function of totals over prompts: a mean, of those of one scorer and pair of groups."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ....arrays import FloatArray
from ...item_scores import numbers


def columns(units: Sequence[Mapping[str, Any]], settings: Mapping[str, Any]) -> FloatArray:
    """Difference of every prompt, and 1; shape (n, 2)."""
    return np.stack([numbers([u["score"] for u in units]), np.ones(len(units))], axis=1)


def in_row(unit: Mapping[str, Any], row: Any, settings: Mapping[str, Any]) -> bool:
    """The prompts of a row's scorer and groups; the score of all is that of the first of these."""
    return bool(unit["test"] == (settings["tests"][0] if row.kind == "overall" else row.name))


def score(totals: FloatArray, settings: Mapping[str, Any]) -> FloatArray:
    """Mean difference."""
    return np.asarray(totals[..., 0] / totals[..., 1])
