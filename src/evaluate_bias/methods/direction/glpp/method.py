"""GLPP: re-embed words so that neighbours stay near one another, and see what is left of them (Wang et al. 2022)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ....arrays import FloatArray, RealArray
from ....errors import CapabilityError, InputError, UndefinedScoreError, bad_option
from ....method import Finding, method
from ....models.base import Capability, WordEmbedder, WrappedModel, require
from ....options import Count
from ....result import Skipped
from ...word_lists.cosines import LARGEST, check_vectors, draw_weights
from ...word_lists.inference import Inference, bootstrap_interval
from ...word_lists.inputs import LISTS, Tests, forms_of, parsed_tests
from ...word_lists.pipeline import VectorMaterial, by_list, left_out_of_mean, measure_tests
from ...word_lists.results import Headline, TestOutcome
from .record import RECORD

_CELLS = 1 << 22
_SINGULAR = 1e-12
"""Smallest eigenvalue of W D Wᵀ, as a share of the largest, at which it still has an inverse."""

MAX_VOCABULARY = 5_000
"""A projection is fitted to so many words unless the caller says otherwise."""


@method(RECORD)
def evaluate(
    model: WordEmbedder,
    tests: Tests,
    *,
    dimension: int | None = None,
    k: Count = 10,
    eta: float = 1.0,
    width: float | None = None,
    max_vocabulary: Count = MAX_VOCABULARY,
    held_out: bool = False,
    inference: Inference,
) -> Finding:
    """Fit a global-locality preserving projection to word vectors, and measure what it keeps of the words of tests.

    The projection is fitted to the first words of the model. The score of a test is the mean, over the words of all its
    lists, of 1 less the reconstruction error. With several tests it is the mean of theirs. Controls (``bias_type``
    "none") are excluded, unless there is nothing else. To run another method on the projected vectors, give
    it the vectors of :func:`refined_vectors`.

    Args:
        model: a model that embeds words and lists them.
        tests: word-list tests, or mappings with ``name``, ``targets_x`` and whichever other lists there are.
        dimension: number of dimensions to keep, by default half of the vectors' dimensions, rounded up.
        k: number of neighbours of a word in the graph, below the number of words.
        eta: weight η of the global part, 0 or more. 0 is locality preserving projection.
        width: t of the heat kernel, above 0, by default the mean squared distance of neighbours.
        max_vocabulary: fit to so many words, the first ones of the model, which are mostly the most frequent.
        held_out: fit without the words of the tests, so that the score is about words that the projection has not seen.
        seed: of the bootstrap. Each test draws from a stream of its own.

    Returns:
        Score in [0, 1], ideal 1: nothing is lost. ``estimates["reconstruction_error"]`` is 1 less that, and
        ``estimates["distance"]`` the mean Euclidean distance of the words to their reconstructions. No
        p-value is computed. The interval resamples the words and keeps the projection. ``n`` is the
        number of target words.

    Raises:
        CapabilityError: the model does not embed words, or does not list them.
        CoverageError: a list loses more than ``max_missing`` of its words. The message names them.
        InputError: an option is out of range, two tests share a name, or a word is in both target lists.
        UndefinedScoreError: the first targets are empty, or the vectors do not determine a projection.

    References:
        Wang et al. (2022): Global-locality preserving projection for word embedding. International
        Journal of Machine Learning and Cybernetics 13.

    Examples:
        >>> from evaluate_bias import load_model
        >>> vectors = {"she": [2.0, 1.0], "her": [2.0, -1.0], "he": [-2.0, 1.0], "him": [-2.0, -1.0]}
        >>> result = evaluate(load_model(vectors), [{
        ...     "name": "toy", "targets_x": ["she"], "targets_y": ["he"]}], dimension=1, k=1, ci="none")
        >>> round(result.score, 3), result.n
        (0.8, 2)
    """
    parsed = parsed_tests(RECORD.name, tests)
    test_words = list(
        dict.fromkeys(word for test in parsed for name in LISTS for word in getattr(test, name))
    )
    refined = refined_vectors(
        model,
        dimension=dimension,
        k=k,
        eta=eta,
        width=width,
        max_vocabulary=max_vocabulary,
        without=test_words if held_out else (),
    )

    def compute(material: VectorMaterial, inference: Inference) -> TestOutcome:
        sets = material.vectors
        shares_kept = {
            name: 1.0 - reconstruction_errors(refined.projection, rows) for name, rows in sets.items()
        }
        every = np.concatenate(list(shares_kept.values()))
        lengths = np.linalg.norm(np.concatenate(list(sets.values())), axis=1)
        lost_lengths = lengths * np.sqrt(1.0 - every)
        score = float(every.mean())

        def resampled(indices: list[NDArray[Any]]) -> FloatArray:
            samples = zip(indices, shares_kept.values(), strict=True)
            return np.asarray(
                sum(draw_weights(i, len(shares)) @ shares * len(shares) for i, shares in samples) / len(every)
            )

        return TestOutcome(
            score=score,
            interval=bootstrap_interval([material.words[name] for name in shares_kept], resampled, inference),
            facts={
                "reconstruction_error": 1.0 - score,
                "distance": float(np.mean(lost_lengths)),
                **refined.settings,
            },
            words=by_list(shares_kept, kept=every.tolist(), influence=left_out_of_mean(every)),
        )

    headline = Headline(resampled="the words of every list")
    return measure_tests(RECORD, model, parsed, compute, inference, headline)


class RefinedVectors(WrappedModel):
    """The words of a model with their vectors transformed by a projection. Any method accepts it as the model.

    Words are looked up as the model does. A text is the mean of its words, as it is of the model, because the
    projection is linear.

    Args:
        model: word vectors.
        projection: of :func:`~evaluate_bias.methods.direction.glpp.method.fit`.
        settings: what it was fitted with, for the provenance.
    """

    def __init__(self, model: Any, projection: Projection, settings: Mapping[str, Any]) -> None:
        super().__init__(model)
        self.projection, self.settings = projection, dict(settings)

    @property
    def name(self) -> str:
        """Name for tables: the model's, and that it is refined."""
        return f"{self._model.name} (GLPP)"

    @property
    def dimension(self) -> int:
        """Length of every vector."""
        return int(self.projection.matrix.shape[1])

    def word_blocks(self, limit: int | None = None) -> Iterator[tuple[list[str], RealArray]]:
        """Every word with its transformed vector, in the order of the model, without keeping them."""
        for words, vectors in self._model.word_blocks(limit):
            yield words, self.projection.transform(vectors)

    def embed_words(self, words: Sequence[str]) -> tuple[RealArray, list[int]]:
        """Transformed vectors of the words found, shape (number found, dimension), and positions of the others."""
        vectors, missing = self._model.embed_words(words)
        return self.projection.transform(vectors), missing

    def embed_in_context(self, texts: Any, spans: Any, representations: Any) -> list[RealArray | Skipped]:
        """Transformed vectors of texts, or of words in them, as the model embeds them."""
        embeddings = self._model.embed_in_context(texts, spans, representations)
        return [item if isinstance(item, Skipped) else self.projection.transform(item) for item in embeddings]

    def provenance(self) -> Mapping[str, Any]:
        """JSON-safe facts: of the model, and what the projection was fitted with."""
        return {
            **self._model.provenance(),
            "name": self.name,
            "projection": {"kind": "glpp", **self.settings},
        }


def refined_vectors(
    model: Any,
    *,
    dimension: int | None = None,
    k: int = 10,
    eta: float = 1.0,
    width: float | None = None,
    max_vocabulary: int = MAX_VOCABULARY,
    without: Sequence[str] = (),
) -> RefinedVectors:
    """Word vectors transformed by a global-locality preserving projection, as a model that any method accepts.

    Args:
        model: word vectors, see :func:`evaluate_bias.load_model`.
        dimension: number of dimensions to keep, by default half of them, rounded up.
        k: number of neighbours of a word in the graph.
        eta: weight η of the global part, 0 or more.
        width: t of the heat kernel, above 0, by default the mean squared distance of neighbours.
        max_vocabulary: fit to so many words, the first ones of the model. All words are transformed.
        without: words that the projection is not fitted to.

    Returns:
        The model, with its ``projection``.

    Raises:
        CapabilityError: the model does not embed words, or does not list them.
        InputError: an option is out of range.
        UndefinedScoreError: the vectors do not determine a projection.

    References:
        Wang et al. (2022), International Journal of Machine Learning and Cybernetics 13.

    Examples:
        >>> from evaluate_bias import load_model, measure
        >>> vectors = {"she": [2.0, 1.0], "her": [2.0, -1.0], "he": [-2.0, 1.0], "him": [-2.0, -1.0]}
        >>> refined = refined_vectors(load_model(vectors), dimension=1, k=1)
        >>> test = {"name": "toy", "targets_x": ["she"], "attributes_a": ["her", "him"]}
        >>> round(measure("mac", refined, data=[test]).score, 6)
        1.0
    """
    require(model, (Capability.EMBEDS_WORDS,), "glpp")
    if not hasattr(model, "word_blocks"):
        raise CapabilityError(
            f"glpp is fitted to the words of a model, and {model.name} does not list its words",
            hint="use word vectors: a file, KeyedVectors or a dict from words to vectors",
        )
    excluded = set(forms_of(model, list(without)).values())
    blocks = [
        np.asarray(vectors, dtype=np.float64)[[word not in excluded for word in words]]
        for words, vectors in model.word_blocks(max_vocabulary)
    ]
    if not sum(map(len, blocks)):
        raise UndefinedScoreError(f"{model.name} has no words to fit a projection to")
    vectors = np.concatenate(blocks)
    vectors = vectors[vectors.any(axis=1)]  # a zero vector has no direction
    chosen = -(-vectors.shape[1] // 2) if dimension is None else dimension
    projection = fit(vectors, chosen, k=k, eta=eta, width=width)
    settings = {
        "dimension": chosen,
        "k": k,
        "eta": float(eta),
        "width": projection.width,
        "words_fitted": len(vectors),
    }
    return RefinedVectors(model, projection, settings)


@dataclass(frozen=True, slots=True)
class Projection:
    """A linear map to fewer dimensions.

    Attributes:
        matrix: U, one column per new dimension, shape (dimension, new dimension). Uᵀ (W D Wᵀ) U is the
            identity.
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
        dimension: number of dimensions to keep, from 1 to the dimension of the vectors.
        k: number of neighbours, below n.
        eta: weight η of the global part, 0 or more. 0 is locality preserving projection (He and Niyogi 2003).
        width: t of the heat kernel, above 0, by default the mean squared distance of neighbours.

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
    # W D Wᵀ and W S Wᵀ, each of shape (dimension, dimension). W L Wᵀ is their difference.
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
    """Return the graph of neighbours: i and j are joined if either is among the k nearest of the other.

    Args:
        vectors: shape (n, dimension).
        k: number of neighbours, from 1 to n − 1.
        width: t of the heat kernel, by default the mean squared distance of joined vectors.

    Returns:
        Rows, columns and weights exp(−‖wᵢ − wⱼ‖² / t) of the entries of the symmetric matrix S that are not 0, and t.

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
        Shape (n,), values in [0, 1], 0 if nothing is lost.

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
