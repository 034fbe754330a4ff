"""Global-locality preserving projection of vectors: the graph of neighbours, the eigenproblem, what is lost."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ....arrays import FloatArray
from ....errors import InputError, UndefinedScoreError, bad_option
from ...word_lists.cosines import LARGEST, check_vectors

_CELLS = 1 << 22
_SINGULAR = 1e-12
"""Smallest eigenvalue of W D Wᵀ, as a share of the largest, at which it still has an inverse."""


@dataclass(frozen=True, slots=True)
class Projection:
    """A linear map to fewer dimensions.

    Attributes:
        matrix: U, one column per new dimension, shape (dimension, new dimension); Uᵀ (W D Wᵀ) U is the identity.
        eigenvalues: λ of the columns, ascending.
        width: t of the heat kernel.
    """

    matrix: FloatArray
    eigenvalues: FloatArray
    width: float

    def transform(self, vectors: ArrayLike) -> FloatArray:
        """Uᵀw of every vector, shape (n, dimension) to (n, new dimension)."""
        return np.asarray(np.asarray(vectors, dtype=np.float64) @ self.matrix)

    def reconstruct(self, transformed: ArrayLike) -> FloatArray:
        """The shortest vectors with these transforms, U (UᵀU)⁻¹ y: shape (n, new dimension) to (n, dimension)."""
        return np.asarray(np.asarray(transformed, dtype=np.float64) @ np.linalg.pinv(self.matrix))


def fit(
    vectors: ArrayLike,
    dimension: int,
    *,
    k: int = 10,
    eta: float = 1.0,
    width: float | None = None,
) -> Projection:
    """Fit a global-locality preserving projection: neighbours stay near one another, the whole stays spread out.

    With W the vectors as columns, S the weights of the graph of neighbours, D = diag(Σⱼ Sᵢⱼ), L = D − S and
    C = Σ (w − w̄)(w − w̄)ᵀ, the columns of U are the eigenvectors of (W L Wᵀ − η C) u = λ W D Wᵀ u of the smallest λ.

    Args:
        vectors: shape (n, dimension).
        dimension: number of dimensions to keep, from 1 to that of the vectors.
        k: number of neighbours, below n.
        eta: weight η of the global part, 0 or more; 0 is locality preserving projection (He and Niyogi 2003).
        width: t of the heat kernel, above 0; by default the mean squared distance of neighbours.

    Returns:
        The projection. Every column of U has its largest entry positive.

    Raises:
        InputError: k is not below n, another argument is out of range, or a vector is zero, NaN, infinite or too long.
        UndefinedScoreError: W D Wᵀ is singular, or all vectors are the same.

    References:
        Wang et al. (2022), International Journal of Machine Learning and Cybernetics 13.

    Examples:
        >>> projection = fit([[2.0, 1.0], [2.0, -1.0], [-2.0, 1.0], [-2.0, -1.0]], 1, k=1)
        >>> projection.matrix.round(3).tolist(), projection.eigenvalues.round(3).tolist()
        ([[0.412], [0.0]], [-2.718])
    """
    from scipy.linalg import eigh
    from scipy.sparse import csr_array

    (w,) = check_vectors(vectors=vectors)
    n, size = w.shape
    if (largest_component := np.abs(w).max(initial=0.0)) > LARGEST:
        raise InputError(
            f"the largest component of the vectors is {largest_component:.3g}, whose square cannot be computed",
            hint=f"scale the vectors to at most {LARGEST:g}",
        )
    if not 1 <= dimension <= size:
        raise bad_option("dimension", dimension, f"from 1 to {size}, the dimension of the vectors")
    if not 0 <= eta < np.inf:
        raise bad_option("eta", eta, "0 or more")
    rows, columns, weights, width = neighbour_weights(w, k, width)
    degrees = np.bincount(rows, weights, minlength=n)
    # W D Wᵀ and W S Wᵀ, each of shape (dimension, dimension); W L Wᵀ is their difference.
    total = (w * degrees[:, None]).T @ w
    near = w.T @ (csr_array((weights, (rows, columns)), shape=(n, n)) @ w)
    centred = w - w.mean(axis=0)
    values = np.linalg.eigvalsh(total)
    if values[0] <= _SINGULAR * values[-1]:
        raise UndefinedScoreError(
            f"the matrix W D Wᵀ of {n} vectors of dimension {size} is singular, so that the eigenproblem has no "
            "solution",
            hint="give more vectors than dimensions, with no dimension that depends on others",
        )
    local = total - near
    local = (local + local.T) / 2 - eta * centred.T @ centred
    eigenvalues, matrix = eigh(local, total, subset_by_index=[0, dimension - 1])
    largest = matrix[np.abs(matrix).argmax(axis=0), np.arange(dimension)]
    return Projection(matrix * np.where(largest < 0, -1.0, 1.0), eigenvalues, width)


def neighbour_weights(
    vectors: FloatArray, k: int, width: float | None = None
) -> tuple[NDArray[np.int64], NDArray[np.int64], FloatArray, float]:
    """The graph of neighbours: i and j are joined where either is among the k nearest of the other.

    Args:
        vectors: shape (n, dimension).
        k: number of neighbours, from 1 to n − 1.
        width: t of the heat kernel; by default the mean squared distance of joined vectors.

    Returns:
        Rows, columns and weights exp(−‖wᵢ − wⱼ‖² / t) of the symmetric matrix S where it is not 0, and t.

    Raises:
        InputError: k is not below n, or ``width`` is not above 0.
        UndefinedScoreError: neighbours are all the same vector, so that t is 0.

    Examples:
        >>> rows, columns, weights, width = neighbour_weights(np.array([[0.0], [1.0], [3.0]]), 1, 1.0)
        >>> list(zip(rows.tolist(), columns.tolist(), weights.round(3).tolist()))
        [(0, 1, 0.368), (1, 0, 0.368), (1, 2, 0.018), (2, 1, 0.018)]
    """
    from sklearn.neighbors import kneighbors_graph

    n = len(vectors)
    if not 1 <= k < n:
        raise bad_option("k", k, f"from 1 to {n - 1}, below the number of {n} vectors")
    if width is not None and not 0 < width < np.inf:
        raise bad_option("width", width, "above 0")
    graph = kneighbors_graph(vectors, k)
    graph = graph + graph.T
    graph.sort_indices()
    rows, columns = graph.nonzero()
    squared_distance = np.empty(len(rows))
    step = max(1, _CELLS // vectors.shape[1])
    for part in (slice(start, start + step) for start in range(0, len(rows), step)):
        squared_distance[part] = ((vectors[rows[part]] - vectors[columns[part]]) ** 2).sum(axis=1)
    t = float(squared_distance.mean()) if width is None else float(width)
    if t == 0:
        raise UndefinedScoreError(
            "every vector is the same as its neighbours: they have no graph of distances"
        )
    return rows, columns, np.exp(-squared_distance / t), t


def reconstruction_errors(projection: Projection, vectors: ArrayLike) -> FloatArray:
    """‖w − ŵ‖² / ‖w‖² of every vector w and its reconstruction ŵ from what the projection keeps.

    Args:
        projection: of :func:`fit`.
        vectors: shape (n, dimension).

    Returns:
        Shape (n,), values in [0, 1]; 0 where nothing is lost.

    Raises:
        InputError: a vector is zero, NaN or infinite.

    Examples:
        >>> along = Projection(np.array([[1.0], [0.0]]), np.array([0.0]), 1.0)
        >>> reconstruction_errors(along, [[3.0, 4.0], [2.0, 0.0]]).round(12).tolist()
        [0.64, 0.0]
    """
    (w,) = check_vectors(vectors=vectors)
    lost = ((w - projection.reconstruct(projection.transform(w))) ** 2).sum(axis=1)
    return np.asarray(np.clip(lost / (w**2).sum(axis=1), 0.0, 1.0))
