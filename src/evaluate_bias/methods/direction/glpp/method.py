"""GLPP: re-embed words so that neighbours stay near one another, and see what is left of them (Wang et al. 2022)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ....arrays import FloatArray
from ....method import Finding, method
from ....models.base import WordEmbedder
from ...word_lists.cosines import draw_weights
from ...word_lists.inference import Inference, bootstrap_interval
from ...word_lists.inputs import Tests
from ...word_lists.pipeline import VectorMaterial, by_list, left_out_of_mean, measure_tests
from ...word_lists.results import Headline, TestOutcome
from .record import RECORD
from .refined import MAX_VOCABULARY, RefinedVectors, refined_vectors
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


@method(RECORD)
def evaluate(
    model: WordEmbedder,
    tests: Tests,
    *,
    dimension: int | None = None,
    k: int = 10,
    eta: float = 1.0,
    width: float | None = None,
    max_vocabulary: int = MAX_VOCABULARY,
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
        seed: of the bootstrap; each test draws from a stream of its own.

    Returns:
        Score in [0, 1], ideal 1: nothing is lost; ``estimates["reconstruction_error"]`` is 1 less that. There is no
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
    refined = refined_vectors(
        model, dimension=dimension, k=k, eta=eta, width=width, max_vocabulary=max_vocabulary
    )

    def compute(material: VectorMaterial, inference: Inference) -> TestOutcome:
        sets = material.vectors
        shares_kept = {
            name: 1.0 - reconstruction_errors(refined.projection, rows) for name, rows in sets.items()
        }
        every = np.concatenate(list(shares_kept.values()))
        score = float(every.mean())

        def resampled(indices: list[NDArray[Any]]) -> FloatArray:
            samples = zip(indices, shares_kept.values(), strict=True)
            return np.asarray(
                sum(draw_weights(i, len(shares)) @ shares * len(shares) for i, shares in samples) / len(every)
            )

        return TestOutcome(
            score=score,
            interval=bootstrap_interval(list(shares_kept.values()), resampled, inference),
            facts={"reconstruction_error": 1.0 - score, **refined.settings},
            words=by_list(shares_kept, kept=every.tolist(), influence=left_out_of_mean(every)),
        )

    headline = Headline(resampled="the words of every list")
    return measure_tests(RECORD, model, tests, compute, inference, headline)
