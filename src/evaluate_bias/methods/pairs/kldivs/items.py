"""KLDivS as a function of totals over pairs: the moments of both sentences' scores, bias type by bias type."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ....arrays import FloatArray
from ...item_scores import numbers
from .inference import of_totals
from .method import divergence_score


def columns(units: Sequence[Mapping[str, Any]], settings: Mapping[str, Any]) -> FloatArray:
    """1, more, more², less, less² in the bias type of every pair, and the products of what a swap of the two changes in
    the sums of more and more²; shape (n, types, 8)."""
    both = numbers([[u["score_more"], u["score_less"]] for u in units])
    both = (both - both.mean()) / (both.std() or 1.0)  # which changes no score
    more, less = both.T
    d, d2 = more - less, more**2 - less**2
    pair_columns = np.stack([np.ones_like(d), more, more**2, less, less**2, d * d, d * d2, d2 * d2], axis=1)
    names = [u.get("bias_type", "") for u in units]
    member = numbers([[name == one for one in sorted(set(names))] for name in names])
    return np.asarray(member[:, :, None] * pair_columns[:, None, :])


def score(totals: FloatArray, settings: Mapping[str, Any]) -> FloatArray:
    """Mean over the bias types that have a score, weighted by their pairs."""
    n = totals[..., 0]
    return _mean_of_types(n, of_totals(totals[..., 1:5], n, divergence_score))


_ANGLES, _RADII = (np.arange(6) + 0.5) * np.pi / 6, np.sqrt(-2 * np.log1p(-(np.arange(4) + 0.5) / 4))
_NORMAL = [np.outer(_RADII, turn(_ANGLES)).ravel() for turn in (np.cos, np.sin)]
"""Two standard normal variables at 24 points of equal weight; the mirrored points would give the same scores."""


def null_mean(totals: FloatArray, settings: Mapping[str, Any]) -> FloatArray:
    """The mean of the score where the two sentences of pairs are swapped at random; swaps' sums are nearly normal."""
    n, more, more2, less, less2, dd, de, ee = np.moveaxis(totals[..., None], -2, 0)
    of_d = np.sqrt(np.where(dd > 0, dd, 1.0))
    shift = of_d * (dd > 0) * _NORMAL[0] / 2
    shift2 = (de / of_d * _NORMAL[0] + np.sqrt(np.maximum(ee - (de / of_d) ** 2, 0.0)) * _NORMAL[1]) / 2
    middle, middle2 = (more + less) / 2, (more2 + less2) / 2
    swapped = np.stack([middle + shift, middle2 + shift2, middle - shift, middle2 - shift2], axis=-1)
    scores = of_totals(swapped, n, divergence_score)
    is_defined = np.isfinite(scores).any(axis=-1)
    of_types = np.where(
        is_defined, np.nansum(scores, axis=-1) / np.maximum(np.isfinite(scores).sum(axis=-1), 1), np.nan
    )
    return _mean_of_types(n[..., 0], of_types)


def _mean_of_types(n: FloatArray, type_scores: FloatArray) -> FloatArray:
    weights = np.where(np.isfinite(type_scores), n, 0.0)
    return np.asarray((np.nan_to_num(type_scores) * weights).sum(axis=-1) / weights.sum(axis=-1))
