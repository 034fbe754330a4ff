"""RND on arrays: distances to mean vectors, their bootstrap samples and the permutation test of the targets."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ....arrays import FloatArray
from ....errors import UndefinedScoreError
from ....stats import PermutationTest
from ...word_lists.cosines import TOLERANCE, check_vectors, draw_weights, mean_cosines
from ...word_lists.inference import Alternative
from ...word_lists.splits import in_first_part, split_test

Distance = Literal["norm", "cosine"]

_CELLS = 1 << 22
"""Numbers of an array that is made at once."""


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
    to_x, to_y = _distances(means, a_, distance, _size(x_, y_))
    if not np.isfinite([to_x, to_y]).all():
        raise UndefinedScoreError("the mean vector of a target list is zero, so its cosine is undefined")
    return np.asarray(to_x - to_y)


def _size(*vectors: FloatArray) -> float:
    """Largest component of any of these vectors."""
    return max(float(np.abs(some).max()) for some in vectors)


def _distances(means: FloatArray, attributes: FloatArray, distance: Distance, size: float) -> FloatArray:
    """Distances of means (k, dimension) to attributes (n_a, dimension), shape (k, n_a); NaN of a zero mean.

    ``size`` is that of the vectors which the means are of.
    """
    from scipy.spatial.distance import cdist

    if distance == "norm":
        return np.asarray(cdist(means, attributes))
    return 1.0 - mean_cosines(means, attributes, size)


@dataclass(frozen=True, slots=True, kw_only=True)
class Vectors:
    """The vectors of one test: targets (n_x, dimension) and (n_y, dimension), attributes (n_a, dimension)."""

    x: FloatArray
    y: FloatArray
    a: FloatArray
    distance: Distance

    @property
    def cells(self) -> int:
        """Numbers that one sample or split needs."""
        return len(self.x) + len(self.y) + 2 * len(self.a) + int(self.x.shape[1])

    @property
    def rounding(self) -> float:
        """How far scores that are equal may differ."""
        return TOLERANCE * (_size(self.x, self.y, self.a) if self.distance == "norm" else 1.0)

    def resampled(self, indices: list[NDArray[Any]]) -> FloatArray:
        """RND of bootstrap samples, shape (batch,), of positions in X, Y and A of shapes (batch, drawn)."""
        in_x, in_y, in_a = indices
        to_x, to_y = (
            _distances(draw_weights(drawn, len(own)) @ own, self.a, self.distance, _size(own))
            for drawn, own in ((in_x, self.x), (in_y, self.y))
        )
        return np.asarray(np.take_along_axis(to_x - to_y, in_a, axis=1).mean(axis=1))

    def split(self, first: NDArray[Any]) -> FloatArray:
        """RND of splits of X ∪ Y, shape (splits,); ``first`` (splits, n_x) has the positions of the first targets."""
        pool = np.concatenate([self.x, self.y])
        inside = in_first_part(first, len(pool))
        size = _size(pool)
        to_x = _distances(inside @ pool / len(self.x), self.a, self.distance, size)
        to_y = _distances((1.0 - inside) @ pool / len(self.y), self.a, self.distance, size)
        return np.asarray((to_x - to_y).mean(axis=1))


def permutation_test(
    vectors: Vectors, alternative: Alternative, n_resamples: int, seed: int
) -> tuple[PermutationTest, float]:
    """Test whether X and Y are exchangeable, and the mean RND of the splits, which is not 0 where the sizes differ."""
    return split_test(
        vectors.split,
        len(vectors.x),
        len(vectors.y),
        alternative=alternative,
        n_resamples=n_resamples,
        seed=seed,
        batch=max(1, _CELLS // vectors.cells),
        tolerance=vectors.rounding,
        undefined="the mean vector of a split of the targets is zero, so its cosine is undefined",
    )
