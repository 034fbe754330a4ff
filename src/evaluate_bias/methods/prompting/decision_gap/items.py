"""The score of decision_gap as a function of totals over answers."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ....arrays import FloatArray
from ....method_record import Fields, Settings


def columns(items: Sequence[Fields], settings: Settings) -> FloatArray:
    """Weights and weighted log-odds of the first group, then of the second, shape (items, 4).

    In every template that has both groups the answers about a group add up to the same weight.
    """
    first, second = settings["groups"]
    weights: dict[tuple[str, str], float] = {}
    for item in items:
        key = item["template"], item["group"]
        weights[key] = weights.get(key, 0.0) + item.get("weight", 1.0)
    table = np.zeros((len(items), 4))
    for row, item in zip(table, items, strict=True):
        of_both = [weights.get((item["template"], group), 0.0) for group in (first, second)]
        if min(of_both) > 0:
            side = 2 * (item["group"] != first)
            share = 1 / weights[item["template"], item["group"]]
            row[side : side + 2] = item.get("weight", 1.0) * share, item["log_odds"] * share
    return table


def score(totals: FloatArray, settings: Settings) -> FloatArray:
    """Mean log-odds of the first group less the second's, of totals of shape (batch, 4)."""
    return np.asarray(totals[:, 1] / totals[:, 0] - totals[:, 3] / totals[:, 2])
