"""Word vectors seen through a projection, as a model of their own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from ....arrays import FloatArray, RealArray
from ....errors import CapabilityError, UndefinedScoreError
from ....models.base import ScoringEndpoints, WordEmbedder, require
from ....result import Skipped
from .statistics import Projection, fit

MAX_VOCABULARY = 5_000
"""A projection is fitted to so many words unless the caller says otherwise."""


class RefinedVectors(ScoringEndpoints):
    """The words of a model with their vectors transformed by a projection; any method takes it for the model.

    Words are looked up as the model does. A text is the mean of its words, as it is of the model, because the
    projection is linear.

    Args:
        model: word vectors.
        projection: of :func:`~evaluate_bias.methods.direction.glpp.statistics.fit`.
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
        """JSON-safe facts: those of the model, and what the projection was fitted with."""
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
) -> RefinedVectors:
    """Word vectors transformed by a global-locality preserving projection, as a model that any method takes.

    Args:
        model: word vectors; see :func:`evaluate_bias.load_model`.
        dimension: number of dimensions to keep; by default half of them, rounded up.
        k: number of neighbours of a word in the graph.
        eta: weight η of the global part, 0 or more.
        width: t of the heat kernel, above 0; by default the mean squared distance of neighbours.
        max_vocabulary: fit to so many words, the first ones of the model; all words are transformed.

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
    require(model, WordEmbedder, "glpp")
    if not hasattr(model, "word_blocks"):
        raise CapabilityError(
            f"glpp is fitted to the words of a model, and {model.name} does not list its words; use word vectors: a "
            "file, KeyedVectors or a mapping word -> vector"
        )
    vectors = _first(model, max_vocabulary)
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


def _first(model: Any, limit: int) -> FloatArray:
    """Vectors of the first words of a model; those that are zero have no direction and are left out."""
    blocks = [np.asarray(vectors, dtype=np.float64) for _, vectors in model.word_blocks(limit)]
    if not blocks:
        raise UndefinedScoreError(f"{model.name} has no words to fit a projection to")
    vectors_found = np.concatenate(blocks)
    return np.asarray(vectors_found[vectors_found.any(axis=1)])
