"""Logistic regression of many labellings of the same words at once."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from ....arrays import FloatArray
from ....errors import InputError, UndefinedScoreError

__all__ = ["fit", "log_odds"]

_STEPS = 100
_TOLERANCE = 1e-10
_LEFT = 1e-6
_TOO_LONG = (
    "the classifier cannot be computed to six digits: the vectors are too long, or c too large; scale all vectors "
    "down, or take a smaller c"
)


def fit(
    gram: ArrayLike, labels: ArrayLike, weights: ArrayLike, c: float = 1.0
) -> tuple[FloatArray, FloatArray]:
    """L2-regularised logistic regression in dual form, for a batch of labellings or weightings of the same words.

    Minimises ½ αᵀKα + C Σᵢ wᵢ log(1 + exp(−yᵢ(Kα + b)ᵢ)); the weight vector of the usual form is β = Xᵀα, K = XXᵀ, and
    the intercept b is not regularised. Newton's method with step halving; the loss is strictly convex in Kα and b.

    Args:
        gram: K, shape (n, n).
        labels: y, shape (batch, n), 1 or −1.
        weights: w, shape (batch, n), at least 0: how often a word counts.
        c: inverse strength of the regularisation.

    Returns:
        α of shape (batch, n), zero for words of weight 0, and b of shape (batch,).

    Raises:
        InputError: the vectors are so long that rounding hides the minimum.
        UndefinedScoreError: a labelling has words of one class only.
    """
    k, y, w = (np.asarray(v, dtype=np.float64) for v in (gram, labels, weights))
    if not (((w > 0) & (y > 0)).any(axis=1) & ((w > 0) & (y < 0)).any(axis=1)).all():
        raise UndefinedScoreError("a classifier needs words of both classes")
    batch, n = y.shape
    alpha, b = np.zeros((batch, n)), np.zeros(batch)
    used = w > 0
    loss = _loss(k, y, w, c, alpha, b)
    for _ in range(_STEPS):
        f = alpha @ k + b[:, None]
        p = _opposite(y, f)
        h = c * w * p * (1.0 - p)
        # With D = diag(h): (I + DK) δα + h δb = c w y p − α, and Σ α = 0, because the intercept has no penalty.
        system = np.zeros((batch, n + 1, n + 1))
        system[:, :n, :n] = np.eye(n) + h[:, :, None] * k
        system[:, :n, n] = h
        system[:, n, :n] = 1.0
        right = np.concatenate([c * w * y * p - alpha, -alpha.sum(axis=1, keepdims=True)], axis=1)
        try:
            step = np.linalg.solve(system, right[:, :, None])[:, :, 0]
        except np.linalg.LinAlgError:
            raise InputError(_TOO_LONG) from None
        size = np.ones(batch)
        for _ in range(30):
            new_alpha, new_b = alpha + size[:, None] * step[:, :n], b + size * step[:, n]
            new_loss = _loss(k, y, w, c, new_alpha, new_b)
            worse = new_loss > loss + 1e-12 * np.abs(loss)
            if not worse.any():
                break
            size = np.where(worse, size / 2, size)
        alpha, b, loss = new_alpha, new_b, new_loss
        if np.abs(step).max() <= _TOLERANCE * max(1.0, np.abs(alpha).max()):
            break
    # At the minimum α = c w y p.
    left = c * w * y * _opposite(y, alpha @ k + b[:, None]) - alpha
    if np.abs(left).max() > _LEFT * np.abs(alpha).max():
        raise InputError(_TOO_LONG)
    return np.where(used, alpha, 0.0), b


def _opposite(y: FloatArray, f: FloatArray) -> FloatArray:
    """Probability p of the label's opposite; the curvature of the loss is p (1 − p)."""
    return np.asarray(1.0 / (1.0 + np.exp(np.clip(y * f, -500, 500))))


def _loss(
    k: FloatArray, y: FloatArray, w: FloatArray, c: float, alpha: FloatArray, b: FloatArray
) -> FloatArray:
    f = alpha @ k
    margins = y * (f + b[:, None])
    return np.asarray(0.5 * (alpha * f).sum(axis=1) + c * (w * np.logaddexp(0.0, -margins)).sum(axis=1))


def log_odds(cross: ArrayLike, alpha: FloatArray, b: FloatArray) -> FloatArray:
    """Log odds of the class 1 of other words, shape (batch, m); ``cross`` (n, m) has their products with the words."""
    return np.asarray(alpha @ np.asarray(cross, dtype=np.float64) + b[:, None])
