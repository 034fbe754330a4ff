"""GLPP: re-embed words so that neighbours stay near one another, and see what is left of them (Wang et al. 2022)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ....arrays import FloatArray, RealArray
from ....errors import CapabilityError, UndefinedScoreError
from ....method import Finding, method
from ....models.base import Capability, WordEmbedder, WrappedModel, require
from ....options import Count
from ....result import Skipped
from ...word_lists.cosines import draw_weights
from ...word_lists.inference import Inference, bootstrap_interval
from ...word_lists.inputs import LISTS, Tests, forms_of, parsed_tests
from ...word_lists.pipeline import VectorMaterial, by_list, left_out_of_mean, measure_tests
from ...word_lists.results import Headline, TestOutcome
from .record import RECORD
from .statistics import Projection, fit, neighbour_weights, reconstruction_errors

__all__ = [
    "Projection",
    "RefinedVectors",
    "evaluate",
    "fit",
    "neighbour_weights",
    "reconstruction_errors",
    "refined_vectors",
]

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
    "none") are left out of it, unless there is nothing else. To run another method on the projected vectors, give it
    those of :func:`refined_vectors`.

    Args:
        model: a model that embeds words and lists them.
        tests: word-list tests, or mappings with ``name``, ``targets_x`` and whichever other lists there are.
        dimension: number of dimensions to keep; by default half of those of the vectors, rounded up.
        k: number of neighbours of a word in the graph, below the number of words.
        eta: weight η of the global part, 0 or more; 0 is locality preserving projection.
        width: t of the heat kernel, above 0; by default the mean squared distance of neighbours.
        max_vocabulary: fit to so many words, the first ones of the model, which are mostly the most frequent.
        held_out: fit without the words of the tests, so that the score is about words that the projection has not seen.
        seed: of the bootstrap; each test draws from a stream of its own.

    Returns:
        Score in [0, 1], ideal 1: nothing is lost; ``estimates["reconstruction_error"]`` is 1 less that, and
        ``estimates["distance"]`` the mean Euclidean distance of the words to their reconstructions. There is no
        p-value. The interval resamples the words and takes the projection as it is. ``n`` is the number of target
        words.

    Raises:
        CapabilityError: the model does not embed words, or does not list them.
        CoverageError: a list loses more than ``max_missing`` of its words; the text names them.
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
    without: Sequence[str] = (),
) -> RefinedVectors:
    """Word vectors transformed by a global-locality preserving projection, as a model that any method takes.

    Args:
        model: word vectors; see :func:`evaluate_bias.load_model`.
        dimension: number of dimensions to keep; by default half of them, rounded up.
        k: number of neighbours of a word in the graph.
        eta: weight η of the global part, 0 or more.
        width: t of the heat kernel, above 0; by default the mean squared distance of neighbours.
        max_vocabulary: fit to so many words, the first ones of the model; all words are transformed.
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
