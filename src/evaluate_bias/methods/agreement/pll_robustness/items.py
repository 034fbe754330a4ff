"""Cohen's kappa of preferences as a function of totals over pairs: which sentence each version prefers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ....arrays import FloatArray
from ...item_scores import numbers


def columns(units: Sequence[Mapping[str, Any]], settings: Mapping[str, Any]) -> FloatArray:
    """1, whether the pair, its paraphrase and both prefer the first sentence, shape (n, 4)."""
    a, b = (numbers([u[key] > 0 for u in units]) for key in ("delta", "delta_paraphrase"))
    return np.stack([np.ones_like(a), a, b, a * b], axis=1)


def score(totals: FloatArray, settings: Mapping[str, Any]) -> FloatArray:
    """kappa = (agreement − agreement by chance) / (1 − agreement by chance)."""
    n, a, b, both = np.moveaxis(totals, -1, 0)
    agreement = (n - a - b + 2 * both) / n
    chance = (a * b + (n - a) * (n - b)) / n**2
    return np.asarray((agreement - chance) / np.where(chance < 1, 1 - chance, np.nan))
