"""RNSB as a function of totals over targets: of each, its negative sentiment."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ....arrays import FloatArray
from ...item_scores import numbers


def columns(units: Sequence[Mapping[str, Any]], settings: Mapping[str, Any]) -> FloatArray:
    """1, p and p log p of every target, p its negative sentiment, shape (n, 3)."""
    p = numbers([u["negative"] for u in units])
    return np.stack([np.ones_like(p), p, p * np.log(np.where(p > 0, p, 1.0))], axis=1)


def score(totals: FloatArray, settings: Mapping[str, Any]) -> FloatArray:
    """Divergence from equal shares, Σ q log(n q) with q = p / Σp."""
    n, p, p_log_p = np.moveaxis(totals, -1, 0)
    return np.asarray(np.maximum(p_log_p / p - np.log(p) + np.log(n), 0.0))
