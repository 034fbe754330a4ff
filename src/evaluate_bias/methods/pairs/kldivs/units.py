"""KLDivS as a function of totals over pairs: the moments of both sentences' scores, bias type by bias type."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ....arrays import FloatArray
from ...unit_scores import numbers
from .method import divergence_score


def columns(units: Sequence[Mapping[str, Any]], settings: Mapping[str, Any]) -> FloatArray:
    """1, more, more², less, less² in the bias type of every pair; shape (n, types, 5)."""
    both = numbers([[u["score_more"], u["score_less"]] for u in units])
    both = (both - both.mean()) / (both.std() or 1.0)  # one scale for both models, which changes no score
    own = np.stack([np.ones(len(both)), both[:, 0], both[:, 0] ** 2, both[:, 1], both[:, 1] ** 2], axis=1)
    names = [u.get("bias_type", "") for u in units]
    member = numbers([[name == one for one in sorted(set(names))] for name in names])
    return np.asarray(member[:, :, None] * own[:, None, :])


def score(totals: FloatArray, settings: Mapping[str, Any]) -> FloatArray:
    """Mean over the bias types that have a score, weighted by their pairs."""
    n, more, more2, less, less2 = np.moveaxis(totals, -1, 0)

    def sd(sums: FloatArray, squares: FloatArray) -> FloatArray:
        variance = (squares - sums**2 / n) / (n - 1)
        return np.sqrt(np.where(variance > 1e-12, variance, np.nan))

    found = divergence_score(more / n, sd(more, more2), less / n, sd(less, less2))
    weights = np.where(np.isfinite(found), n, 0.0)
    return np.asarray((np.nan_to_num(found) * weights).sum(axis=-1) / weights.sum(axis=-1))
