"""RND on arrays: distances to mean vectors."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from ....arrays import FloatArray
from ....errors import UndefinedScoreError
from ...word_lists.cosines import check_vectors, mean_cosines

Distance = Literal["norm", "cosine"]


def relative_distances(
    x: ArrayLike, y: ArrayLike, attributes: ArrayLike, *, distance: Distance = "norm"
) -> FloatArray:
    """Distance of every attribute to the mean of X less its distance to the mean of Y.

    Args:
        x: first targets, shape (n_x, dimension).
        y: second targets, shape (n_y, dimension).
        attributes: shape (n_a, dimension).
        distance: ``"norm"`` (Euclidean) or ``"cosine"`` (1 - cos).

    Returns:
        Array of shape (n_a,), whose mean is the RND; positive: nearer to Y. Between -2 and 2 with ``"cosine"``.

    Raises:
        InputError: shapes differ, or a vector is zero, NaN or infinite.
        UndefinedScoreError: a set is empty, or the mean of one is zero with ``"cosine"``.

    References:
        Garg, Schiebinger, Jurafsky and Zou (2018), PNAS 115(16), E3635-E3644.

    Examples:
        >>> relative_distances([[1.0, 1.0], [1.0, -1.0]], [[0.0, 2.0]], [[4.0, 2.0], [0.0, 1.0]]).round(4).tolist()
        [-0.3944, 0.4142]
    """
    x_, y_, a_ = check_vectors(targets_x=x, targets_y=y, attributes=attributes)
    means = np.stack([x_.mean(axis=0), y_.mean(axis=0)])
    to_x, to_y = mean_distances(means, a_, distance, size_of(x_, y_))
    if not np.isfinite([to_x, to_y]).all():
        raise UndefinedScoreError("the mean vector of a target list is zero, so its cosine is undefined")
    return np.asarray(to_x - to_y)


def size_of(*vectors: FloatArray) -> float:
    """Largest component of any of these vectors."""
    return max(float(np.abs(some).max()) for some in vectors)


def mean_distances(means: FloatArray, attributes: FloatArray, distance: Distance, size: float) -> FloatArray:
    """Distances of means (k, dimension) to attributes (n_a, dimension), shape (k, n_a); NaN of a zero mean.

    ``size`` is that of the vectors which the means are of.
    """
    from scipy.spatial.distance import cdist

    if distance == "norm":
        return np.asarray(cdist(means, attributes))
    return 1.0 - mean_cosines(means, attributes, size)
