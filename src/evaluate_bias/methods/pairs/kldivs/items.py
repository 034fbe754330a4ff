"""KLDivS as a function of totals over pairs: the moments of both sentences' scores, bias type by bias type."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from ....arrays import FloatArray
from ....stats import distributions as dist
from ...item_scores import numbers

SWAPPED = (0, 3, 4, 1, 2, 5, 6, 7)
"""The columns of a bias type in which the two sentences of pairs are swapped."""
_ROUNDING = 1e-13
"""Variances below this share of the mean square are what rounding leaves of 0."""


def columns(units: Sequence[Mapping[str, Any]], settings: Mapping[str, Any]) -> FloatArray:
    """1, more, more², less, less² in the bias type of every pair, and the products of what a swap of the two changes in
    the sums of more and more², shape (n, types, 8)."""
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
    return _mean_of_types(totals[..., 0], type_scores(totals))


def type_scores(totals: FloatArray) -> FloatArray:
    """KLDivS of bias types by their totals of 1, more, more², less and less², shape (…, 5) to (…), NaN if undefined."""
    n, more, more2, less, less2 = np.moveaxis(totals[..., :5], -1, 0)

    def sd(sums: FloatArray, squares: FloatArray) -> FloatArray:
        # What is left of squares that cancel is rounding, and a divergence computed from it would be too.
        variance = (squares - sums**2 / n) / (n - 1)
        return np.sqrt(np.where(variance > _ROUNDING * squares / n, variance, np.nan))

    return divergence_score(more / n, sd(more, more2), less / n, sd(less, less2))


def divergence_score(
    mean_p: npt.ArrayLike, sd_p: npt.ArrayLike, mean_q: npt.ArrayLike, sd_q: npt.ArrayLike
) -> FloatArray:
    """KLDivS from the moments, element by element, NaN if it is undefined.

    100 · max(F, B) / (F + B) with F = KL(P‖Q) and B = KL(Q‖P). All arguments and the result have one shape.
    """
    forward = dist.gaussian_kl(mean_p, sd_p, mean_q, sd_q)
    backward = dist.gaussian_kl(mean_q, sd_q, mean_p, sd_p)
    # Divergences of equal distributions are zero up to rounding. Their ratio would be noise.
    total = np.where(forward + backward > 1e-14, forward + backward, np.nan)
    return np.asarray(np.minimum(100.0 * np.maximum(forward, backward) / total, 100.0))  # rounding


_ANGLES, _RADII = (np.arange(6) + 0.5) * np.pi / 6, np.sqrt(-2 * np.log1p(-(np.arange(4) + 0.5) / 4))
_NORMAL = [np.outer(_RADII, turn(_ANGLES)).ravel() for turn in (np.cos, np.sin)]
"""Two standard normal variables at 24 points of equal weight. The mirrored points would give the same
scores.
"""


def null_mean(totals: FloatArray, settings: Mapping[str, Any]) -> FloatArray:
    """The mean of the score if the two sentences of pairs are swapped at random. Swaps' sums are nearly normal."""
    n, more, more2, less, less2, dd, de, ee = np.moveaxis(totals[..., None], -2, 0)
    of_d = np.sqrt(np.where(dd > 0, dd, 1.0))
    shift = of_d * (dd > 0) * _NORMAL[0] / 2
    shift2 = (de / of_d * _NORMAL[0] + np.sqrt(np.maximum(ee - (de / of_d) ** 2, 0.0)) * _NORMAL[1]) / 2
    middle, middle2 = (more + less) / 2, (more2 + less2) / 2
    moments = [middle + shift, middle2 + shift2, middle - shift, middle2 - shift2]
    scores = type_scores(
        np.stack([np.broadcast_to(n, middle.shape[:-1] + shift.shape[-1:]), *moments], axis=-1)
    )
    is_defined = np.isfinite(scores).any(axis=-1)
    of_types = np.where(
        is_defined, np.nansum(scores, axis=-1) / np.maximum(np.isfinite(scores).sum(axis=-1), 1), np.nan
    )
    return _mean_of_types(n[..., 0], of_types)


def _mean_of_types(n: FloatArray, type_scores: FloatArray) -> FloatArray:
    weights = np.where(np.isfinite(type_scores), n, 0.0)
    return np.asarray((np.nan_to_num(type_scores) * weights).sum(axis=-1) / weights.sum(axis=-1))
