"""Association of two sets of targets with two sets of attributes, from their vectors.

The arithmetic that WEAT shares with its contextual relatives: cosines, associations, and the effect size of words. Pure
functions over arrays.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...arrays import FloatArray
from ...errors import InputError, UndefinedScoreError, quoted
from .association import AssociationTest

TOLERANCE = 1e-12
"""Associations closer than this are equal: it is the rounding of cosines, which are at most 1, however far their
difference cancels."""
SMALLEST, LARGEST = 1e-100, 1e100
"""Of the largest component of a vector: the squares of others under- or overflow."""
_BATCH_CELLS = 1 << 20
Similarity = Literal["cosine", "dot", "euclidean"]
"""Of two words: cosine, scalar product, or negative Euclidean distance."""


def as_vectors(values: ArrayLike, name: str, *, zeros: bool = False) -> FloatArray:
    """Vectors as an array of shape (words, dimension), finite, not empty and, unless ``zeros``, none of length 0."""
    try:
        array = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError(
            f"{name} must be vectors of equal length, as an array of shape (words, dimension)"
        ) from None
    if array.ndim != 2:
        raise InputError(f"{name} must be an array of shape (words, dimension), not of shape {array.shape}")
    if array.shape[0] == 0:
        raise UndefinedScoreError(f"{name} is empty: every set needs at least one vector")
    if not np.isfinite(array).all():
        row = int(np.argmin(np.isfinite(array).all(axis=1)))
        raise InputError(
            f"{name} has NaN or infinity in vector {row}", hint="remove the word or repair its vector"
        )
    if not zeros and not array.any(axis=1).all():
        row = int(np.argmin(array.any(axis=1)))
        raise InputError(
            f"{name} has a zero vector at position {row}: its cosine is undefined", hint="remove the word"
        )
    return array


def check_sizes(words: Sequence[str], vectors: NDArray[np.floating[Any]], where: str) -> None:
    """Refuse vectors of words that are too small or too large for their squares. Vectors of zeros are the caller's."""
    sizes = np.abs(vectors).max(axis=1, initial=0.0).astype(np.float64)
    if (strange := ((sizes > 0) & (sizes < SMALLEST)) | (sizes > LARGEST)).any():
        i = int(strange.argmax())
        raise InputError(
            f"{where}: the largest component of the vector of {quoted(words[i])} is {sizes[i]:.3g}, whose square "
            "cannot be computed",
            hint=f"scale the vectors to between {SMALLEST:g} and {LARGEST:g}",
        )


def _unit(array: FloatArray) -> FloatArray:
    # Scaling by the largest component first keeps tiny and huge vectors from under- or overflowing in the norm.
    scaled = array / np.abs(array).max(axis=1, keepdims=True)
    return np.asarray(scaled / np.linalg.norm(scaled, axis=1, keepdims=True))


def cosine_similarity(left: ArrayLike, right: ArrayLike) -> FloatArray:
    """Return the cosine of every vector of ``left`` with every vector of ``right``.

    Args:
        left: array of shape (n, dimension).
        right: array of shape (m, dimension).

    Returns:
        Array of shape (n, m), values in [-1, 1].

    Raises:
        InputError: shapes differ, or a vector is zero, NaN or infinite.
        UndefinedScoreError: a set is empty.

    Examples:
        >>> cosine_similarity([[2.0, 0.0]], [[1.0, 0.0], [0.0, 3.0]]).tolist()
        [[1.0, 0.0]]
    """
    a, b = check_vectors(left=left, right=right)
    return np.clip(_unit(a) @ _unit(b).T, -1.0, 1.0)


def split_similarities(words: FloatArray, a: FloatArray, b: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Cosines of every word with the first, and with the second attributes."""
    similarities = cosine_similarity(words, np.concatenate([a, b]))
    return similarities[:, : len(a)], similarities[:, len(a) :]


def association(words: ArrayLike, a: ArrayLike, b: ArrayLike) -> FloatArray:
    """Differential association s(w, A, B) = mean over A of cos(w, a) - mean over B of cos(w, b).

    Args:
        words: array of shape (n, dimension).
        a: first attributes, shape (n_a, dimension).
        b: second attributes, shape (n_b, dimension).

    Returns:
        Array of shape (n,), values in [-2, 2], positive means closer to A, 0 means equally close.

    Raises:
        InputError: shapes differ, or a vector is zero, NaN or infinite.
        UndefinedScoreError: a set is empty.

    References:
        Caliskan, Bryson and Narayanan (2017), Science 356, 183-186.

    Examples:
        >>> association([[1.0, 0.0], [1.0, 1.0]], [[1.0, 0.0]], [[0.0, 1.0]]).round(12).tolist()
        [1.0, 0.0]
    """
    cos_a, cos_b = split_similarities(*check_vectors(words=words, attributes_a=a, attributes_b=b))
    return np.asarray(cos_a.mean(axis=1) - cos_b.mean(axis=1))


def check_vectors(**sets: ArrayLike) -> list[FloatArray]:
    """Return sets of vectors as arrays of one dimension, none of them empty, zero or not finite."""
    arrays = [as_vectors(values, name) for name, values in sets.items()]
    sizes = {name: array.shape[1] for name, array in zip(sets, arrays, strict=True)}
    if len(set(sizes.values())) > 1:
        size_text = ", ".join(f"{name} {size}" for name, size in sizes.items())
        raise InputError(f"all vectors must have the same number of dimensions, got {size_text}")
    return arrays


def effect_size(x: ArrayLike, y: ArrayLike, a: ArrayLike, b: ArrayLike, *, ddof: int = 1) -> float:
    """WEAT effect size d = (mean over X of s - mean over Y of s) / sd of s over X and Y together.

    Args:
        x: first targets, shape (n_x, dimension).
        y: second targets, shape (n_y, dimension).
        a: first attributes, shape (n_a, dimension).
        b: second attributes, shape (n_b, dimension).
        ddof: 1 for the sample standard deviation, which gives the published values, 0 for the population's.

    Returns:
        d, between -2 and 2 for targets of equal number, positive means X goes with A and Y with B, ideal 0.

    Raises:
        InputError: shapes differ, a vector is zero, NaN or infinite, or ``ddof`` is not 0 or 1.
        UndefinedScoreError: a set is empty, or all targets are equally associated (standard deviation 0).

    References:
        Caliskan, Bryson and Narayanan (2017), Science 356, 183-186.

    Examples:
        >>> x, y = [[1.0, 0.0], [1.0, 0.2]], [[0.0, 1.0], [0.1, 1.0]]
        >>> round(effect_size(x, y, a=[[1.0, 0.1]], b=[[0.1, 1.0]]), 4)
        1.7248
    """
    return WordTest.from_vectors(x, y, a, b, ddof=ddof).d


def effect_size_bound(n_x: int, n_y: int, ddof: int = 1) -> float:
    """Largest possible |d| for these sizes.

    The extreme is reached when all of X share one association and all of Y another. It is 2 for sets of equal size
    with ``ddof=0`` and grows when the sizes differ.

    Examples:
        >>> effect_size_bound(8, 8, ddof=0), round(effect_size_bound(8, 8), 4), round(effect_size_bound(2, 8), 4)
        (2.0, 1.9365, 2.3717)
    """
    n = n_x + n_y
    return float(n / np.sqrt(n_x * n_y) * np.sqrt((n - ddof) / n))


@dataclass(frozen=True, kw_only=True)
class WordTest(AssociationTest):
    """Target words, scored by their association s(w, A, B): what WEAT compares.

    Attributes:
        targets: vectors of the targets, X first, of length 1, shape (n_x + n_y, dimension).
        a: vectors of the attributes A, of length 1, shape (n_a, dimension).
        b: of attributes B, shape (n_b, dimension).
        similarity: of two words. The vectors have length 1 only for the cosine.
    """

    targets: FloatArray
    a: FloatArray
    b: FloatArray
    similarity: Similarity = "cosine"

    units = "target words"

    @cached_property
    def tolerance(self) -> float:
        """Scores closer than this are equal: the rounding of the largest similarity that such vectors can have."""
        if self.similarity == "cosine":
            return TOLERANCE
        lengths = [float(np.linalg.norm(vectors, axis=1).max()) for vectors in (self.targets, self.a, self.b)]
        largest = lengths[0] * max(lengths[1:]) if self.similarity == "dot" else 2 * max(lengths)
        return TOLERANCE * largest

    @property
    def smallest_side(self) -> int:
        """Two words, or one in either list for the population's standard deviation, which makes d 2 or −2."""
        return 1 if self.ddof == 0 and len(self.targets) == 2 else 2

    @classmethod
    def from_vectors(
        cls,
        x: ArrayLike,
        y: ArrayLike,
        a: ArrayLike,
        b: ArrayLike,
        *,
        ddof: int = 1,
        similarity: Similarity = "cosine",
    ) -> WordTest:
        """Words by their vectors, each set of shape (words, dimension).

        Raises:
            InputError: shapes differ, or a vector is zero, NaN or infinite.
            UndefinedScoreError: a set is empty.
        """
        x_, y_, a_, b_ = check_vectors(targets_x=x, targets_y=y, attributes_a=a, attributes_b=b)
        targets, a_, b_ = (
            _unit(vectors) if similarity == "cosine" else vectors
            for vectors in (np.concatenate([x_, y_]), a_, b_)
        )
        return cls(n_first=len(x_), ddof=ddof, targets=targets, a=a_, b=b_, similarity=similarity)

    @cached_property
    def _few_cosines(self) -> bool:
        """True if similarities are averaged, not vectors: when they are fewer, or are not a product of vectors."""
        if self.similarity == "euclidean":
            return True
        n, n_attributes = len(self.targets), len(self.a) + len(self.b)
        return n * n_attributes <= (n + n_attributes) * int(self.targets.shape[1])

    @cached_property
    def _attributes(self) -> tuple[FloatArray, FloatArray]:
        """A and B as what their means are taken of: cosines (n_a, n_x + n_y), or vectors (n_a, dimension)."""
        if not self._few_cosines:
            return self.a, self.b
        attributes = np.concatenate([self.a, self.b])
        if self.similarity == "euclidean":
            from scipy.spatial.distance import cdist

            similarities = -cdist(attributes, self.targets)
        else:
            similarities = (self.targets @ attributes.T).T
        if self.similarity == "cosine":
            similarities = np.clip(similarities, -1.0, 1.0)
        return similarities[: len(self.a)], similarities[len(self.a) :]

    def _associations(self, means: FloatArray) -> FloatArray:
        """s of every target from means of A less means of B, of the kind of ``_attributes``: (k, …) to (k, n)."""
        # A mean of cosines of unit vectors is the product with the mean vector, so no n × n array is needed.
        return means if self._few_cosines else means @ self.targets.T

    @cached_property
    def scores(self) -> FloatArray:
        """s(w, A, B) of every target, shape (n_x + n_y,)."""
        a, b = self._attributes
        return self._associations(a.mean(axis=0) - b.mean(axis=0))

    @property
    def sizes(self) -> tuple[int, ...]:
        """Number of words of X, Y, A and B."""
        return self.n_first, len(self.targets) - self.n_first, len(self.a), len(self.b)

    def resampled(self, indices: list[NDArray[Any]]) -> FloatArray:
        """Effect size of every bootstrap sample, see :class:`AssociationTest`."""
        in_x, in_y, in_a, in_b = indices
        a, b = self._attributes
        # Each attribute weighted by the share of the draws that took it. s (batch, n_x + n_y).
        s = self._associations(draw_weights(in_a, len(a)) @ a - draw_weights(in_b, len(b)) @ b)
        s_x, s_y = s[:, : self.n_first], s[:, self.n_first :]
        return self.effect_sizes(np.take_along_axis(s_x, in_x, axis=1), np.take_along_axis(s_y, in_y, axis=1))

    def without(self, kind: int) -> Iterator[tuple[FloatArray, int] | None]:
        """Associations without each word of one list, see :class:`AssociationTest`."""
        s, n_x, n = self.scores, self.n_first, self.sizes[kind]
        batch = max(1, _BATCH_CELLS // len(s))
        if kind < 2:
            places = np.arange(n) + kind * n_x
            for start in range(0, n, batch):
                yield np.stack([np.delete(s, i) for i in places[start : start + batch]]), n_x - (kind == 0)
            return
        if n == 1:
            yield None
            return
        attributes, others, sign = (*self._attributes, 1.0) if kind == 2 else (*self._attributes[::-1], -1.0)
        total, mean = attributes.sum(axis=0), others.mean(axis=0)
        for start in range(0, n, batch):
            # Means over all attributes of the list but one.
            rest = (total - attributes[start : start + batch]) / (n - 1)
            yield self._associations(sign * (rest - mean)), n_x


def mean_cosines(means: FloatArray, words: FloatArray, size: float) -> FloatArray:
    """Cosines of means (k, dimension) of vectors of a size with words (n, dimension), shape (k, n), NaN of a zero mean.

    ``size`` is the largest component of those vectors: a mean that is smaller by far is what rounding leaves of 0.
    """
    lengths = np.linalg.norm(means, axis=1, keepdims=True)
    zero = lengths <= TOLERANCE * size
    units = np.where(zero, np.nan, means / np.where(zero, 1.0, lengths))
    return np.asarray(units @ (words / np.linalg.norm(words, axis=1, keepdims=True)).T)


def draw_weights(indices: NDArray[Any], size: int) -> FloatArray:
    """Share of each of ``size`` elements in every resample, shape (batch, size), of draws of shape (batch, drawn)."""
    batch, n_drawn = indices.shape
    flat = (indices + np.arange(batch)[:, None] * size).ravel()
    return np.asarray(np.bincount(flat, minlength=batch * size).reshape(batch, size) / n_drawn)
