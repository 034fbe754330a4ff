"""The difference of entailment as a function of totals over cells of a word and a target."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ....arrays import FloatArray
from ...item_scores import numbers


def columns(units: Sequence[Mapping[str, Any]], settings: Mapping[str, Any]) -> FloatArray:
    """Weight and weighted entailment of every cell, of the first group and of the second apart, shape (n, 4).

    The weights of a group add up to 1 in these cells, whatever other cells the result has.
    """
    values = numbers([[u["weight"], u["entailment"]] for u in units])
    is_first = np.array([u["group"] == settings["groups"][0] for u in units])[:, None]
    sides = values * is_first, values * ~is_first
    return np.concatenate([side / (side[:, 0].sum() or 1.0) for side in sides], axis=1)


def in_row(unit: Mapping[str, Any], row: Any, settings: Mapping[str, Any]) -> bool:
    """Return the cells of the two groups that are compared."""
    return bool(row.kind == "overall" or unit["test"] == row.name)


def score(totals: FloatArray, settings: Mapping[str, Any]) -> FloatArray:
    """Weighted mean of the first group less the second's."""
    return np.asarray(totals[..., 1] / totals[..., 0] - totals[..., 3] / totals[..., 2])
