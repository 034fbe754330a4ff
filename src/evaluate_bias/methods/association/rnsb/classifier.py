"""Logistic regression of many labellings of the same words at once."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from ....arrays import FloatArray
from ....errors import InputError, UndefinedScoreError
from ....stats.threads import on_one_thread

_STEPS = 100
_TOLERANCE = 1e-10
_LEFT = 1e-6
_TOO_LONG = (
    "the classifier cannot be computed to six digits: the vectors are too long, or c too large; scale all vectors "
    "down, or take a smaller c"
)


def coordinates(words: FloatArray, others: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Vectors of n words, and of others, in min(n, dimension) coordinates with the same products.

    A classifier of the words lies in the space that they span, so what others have outside it plays no part.

    Args:
        words: shape (n, dimension).
        others: shape (m, dimension).
    """
    if len(words) >= words.shape[1]:
        return words, others
    axes, triangle = np.linalg.qr(words.T)  # words = ownᵀ axesᵀ
    return triangle.T, others @ axes


@on_one_thread
def fit(words: ArrayLike, labels: ArrayLike, weights: ArrayLike, c: float = 1.0) -> FloatArray:
    """L2-regularised logistic regression, for a batch of labellings or weightings of the same words.

    Minimises ½ |β|² + C Σᵢ wᵢ log(1 + exp(−yᵢ(Xβ + b)ᵢ)); the intercept b is not regularised. Newton's method with
    step halving; the loss is strictly convex. A step solves d + 1 equations for every labelling.

    Args:
        words: X, shape (n, d).
        labels: y, shape (batch, n), 1 or −1.
        weights: w, shape (batch, n), at least 0: how often a word counts.
        c: inverse strength of the regularisation.

    Returns:
        β, with b behind it, of shape (batch, d + 1).

    Raises:
        InputError: the vectors are so long that rounding hides the minimum.
        UndefinedScoreError: a labelling has words of one class only.
    """
    x, y, w = (np.asarray(v, dtype=np.float64) for v in (words, labels, weights))
    if not (((w > 0) & (y > 0)).any(axis=1) & ((w > 0) & (y < 0)).any(axis=1)).all():
        raise UndefinedScoreError("a classifier needs words of both classes")
    z, penalty = _with_one(x), np.append(np.ones(x.shape[1]), 0.0)

    def loss(beta: FloatArray) -> FloatArray:
        lost = w * np.logaddexp(0.0, -y * (beta @ z.T))
        return np.asarray(0.5 * (penalty * beta**2).sum(axis=1) + c * lost.sum(axis=1))

    beta = np.zeros((len(y), z.shape[1]))
    last = loss(beta)
    for _ in range(_STEPS):
        p = 1.0 / (1.0 + np.exp(np.clip(y * (beta @ z.T), -500, 500)))  # of the label's opposite
        gradient = penalty * beta - (c * w * y * p) @ z
        hessian = (z.T * (c * w * p * (1.0 - p))[:, None, :]) @ z + np.diag(penalty)
        try:
            step = -np.linalg.solve(hessian, gradient[:, :, None])[:, :, 0]
        except np.linalg.LinAlgError:
            raise InputError(_TOO_LONG) from None
        size = np.ones((len(y), 1))
        for _ in range(30):
            moved = beta + size * step
            now = loss(moved)
            worse = now > last + 1e-12 * np.abs(last)
            if not worse.any():
                break
            size = np.where(worse[:, None], size / 2, size)
        beta, last = moved, now
        largest_step, reached = np.abs(step).max(axis=1), np.abs(beta).max(axis=1)
        if (largest_step <= _TOLERANCE * reached).all():
            break
    if not (largest_step <= _LEFT * reached).all():
        raise InputError(_TOO_LONG)
    return beta


def log_odds(others: ArrayLike, beta: FloatArray) -> FloatArray:
    """Log odds of the class 1 of other words, shape (batch, m), by their vectors, shape (m, d)."""
    return np.asarray(beta @ _with_one(np.asarray(others, dtype=np.float64)).T)


def _with_one(vectors: FloatArray) -> FloatArray:
    return np.concatenate([vectors, np.ones((len(vectors), 1))], axis=1)
