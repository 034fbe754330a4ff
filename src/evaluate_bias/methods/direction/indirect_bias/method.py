"""IndirectBias: how much of the similarity of two words is due to a bias direction? (Bolukbasi et al. 2016)"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ....arrays import FloatArray
from ....errors import UndefinedScoreError
from ....method import Finding, method
from ....models.base import WordEmbedder
from ...word_lists.cosines import cosine_similarity, draw_weights
from ...word_lists.inference import Inference, bootstrap_interval, pair_names
from ...word_lists.inputs import LISTS, Tests
from ...word_lists.pipeline import VectorMaterial, measure_tests
from ...word_lists.results import Headline, TestOutcome
from .. import axis as directions
from .record import RECORD

_MIN_DIVISOR = 1e-6
"""A share of a similarity below this, or of a word outside the direction, has no stable quotient."""


def indirect_bias(first: ArrayLike, second: ArrayLike, direction: ArrayLike) -> FloatArray:
    """β(w, v) = (w·v − cos(w⊥, v⊥)) / (w·v) of every two words, w⊥ being w without its part along the direction.

    The vectors are scaled to length 1 first.

    Args:
        first: words w, shape (n, dimension).
        second: words v, shape (m, dimension).
        direction: shape (dimension,).

    Returns:
        Shape (n, m), without bounds, ideal 0. 1 means that the words are similar by the direction alone. A negative
        value means that they are more similar without it. NaN if the words have no similarity to explain, or one lies
        along the direction.

    Raises:
        InputError: shapes differ, or a vector is zero, NaN or infinite.

    References:
        Bolukbasi, Chang, Zou, Saligrama and Kalai (2016), NeurIPS, section 5.3.

    Examples:
        >>> indirect_bias([[0.6, 0.8, 0.0]], [[0.6, 0.0, 0.8]], [1.0, 0.0, 0.0]).round(4).tolist()
        [[1.0]]
    """
    along_w, along_v = (directions.projections(words, direction)[None] for words in (first, second))
    return np.asarray(_beta(cosine_similarity(first, second), along_w, along_v)[0])


def _beta(similarity: FloatArray, along_w: FloatArray, along_v: FloatArray) -> FloatArray:
    """β of similarities (n, m), for several directions: projections (batch, n) and (batch, m) to (batch, n, m)."""
    # w⊥·v⊥ = w·v − (w·g)(v·g), and ‖w⊥‖² = 1 − (w·g)².
    w_lengths, v_lengths = (np.sqrt((1.0 - along**2).clip(0.0)) for along in (along_w, along_v))
    lengths = w_lengths[:, :, None] * v_lengths[:, None, :]
    whole = (lengths > _MIN_DIVISOR) & (np.abs(similarity) > _MIN_DIVISOR)
    rest = (similarity - along_w[:, :, None] * along_v[:, None, :]) / np.where(whole, lengths, 1.0)
    beta = (similarity - rest) / np.where(np.abs(similarity) > _MIN_DIVISOR, similarity, 1.0)
    return np.where(whole, beta, np.nan)


@method(RECORD)
def evaluate(
    model: WordEmbedder,
    tests: Tests,
    *,
    direction: directions.Direction = "pair_centred_pca",
    inference: Inference,
) -> Finding:
    """Run IndirectBias on word vectors.

    The targets are pairs (the first word of ``targets_x`` with the first of ``targets_y``, and so on) that make a
    direction. The score is the mean of β(w, v) over the words w of the first attributes and v of the second,
    weighted by |w · v|. Pairs of words whose similarity is 0 are omitted. With several tests the score is the
    mean of theirs. Controls (``bias_type`` "none") are excluded, unless there is nothing else.

    Args:
        model: a model that embeds words.
        tests: word-list tests, or mappings with ``name``, ``targets_x``, ``targets_y``, ``attributes_a`` and
            ``attributes_b``.
        direction: ``"pair_centred_pca"``, ``"difference_pca"``, ``"difference"`` (of one pair) or
            ``"mean_difference"``.
        n_resamples: number of directions of random word pairs for the p-value.
        max_missing: largest share of the pairs, or of the attributes, that may lack a vector, in [0, 1].
        seed: of random pairs and bootstrap. Each test draws from a stream of its own.

    Returns:
        Score without bounds, ideal 0, higher is more biased. The p-value is the share of the directions of as many
        random word pairs along which the score is as high. A model without a list of its words has none.
        ``n`` is the number of target words.

    Raises:
        CapabilityError: the model does not embed words.
        CoverageError: more than ``max_missing`` of the pairs or of the attributes lack a vector. The message names
            them.
        InputError: an option is out of range, two tests share a name, a word is in both target lists, or the target
            lists have different lengths.
        UndefinedScoreError: a list is empty, the pairs have no direction, or no two attributes have a similarity.

    References:
        Bolukbasi, Chang, Zou, Saligrama and Kalai (2016): Man is to computer programmer as woman is to homemaker?
        Debiasing word embeddings. NeurIPS 2016, 4349-4357.

    Examples:
        >>> from evaluate_bias import load_model
        >>> vectors = {"she": [1.0, 0.0, 0.0], "he": [-1.0, 0.0, 0.0], "nurse": [0.6, 0.8, 0.0],
        ...            "carer": [0.6, 0.0, 0.8]}
        >>> result = evaluate(load_model(vectors), [{
        ...     "name": "toy", "targets_x": ["she"], "targets_y": ["he"], "attributes_a": ["nurse"],
        ...     "attributes_b": ["carer"]}], direction="difference", ci="none")
        >>> round(result.score, 3), result.n
        (1.0, 2)
    """
    reference = directions.reference_vectors(model, True)

    def compute(material: VectorMaterial, inference: Inference) -> TestOutcome:
        lists = [material.words[name] for name in LISTS]
        x, y, a, b = (material.vectors[name] for name in LISTS)
        axis, differences = directions.bias_direction(x, y, direction), x - y
        similarity = cosine_similarity(a, b)
        # The same word on both sides is similar to itself whatever the direction.
        similarity = np.where(similarity > 1 - 1e-12, 0.0, similarity)
        along_a, along_b = (directions.projections(words, axis.vector)[None] for words in (a, b))
        beta = _beta(similarity, along_a, along_b)[0]
        undefined = int((~np.isfinite(beta)).sum())
        if undefined == beta.size:
            raise UndefinedScoreError(
                "no two attributes have a similarity of which a share could be explained"
            )
        ones = np.ones(beta.shape)
        score = float(_weighted(beta[None], similarity, ones)[0])
        to_a, to_b = differences @ a.T, differences @ b.T

        def resampled(indices: list[NDArray[Any]]) -> FloatArray:
            pairs, in_a, in_b = indices
            mixed = directions.drawn_mixtures(differences, pairs, direction)
            weights = draw_weights(in_a, len(a))[:, :, None] * draw_weights(in_b, len(b))[:, None, :]
            return _weighted(_beta(similarity, mixed @ to_a, mixed @ to_b), similarity, weights)

        def along(axes: FloatArray) -> FloatArray:
            betas = (_beta(similarity, g[None] @ a.T, g[None] @ b.T) for g in axes)
            return np.concatenate([_weighted(beta, similarity, ones) for beta in betas])

        test, notes = directions.reference_test(
            score, along, reference, (len(x), len(x)), direction, inference
        )
        if undefined:
            notes.append(
                f"{undefined} of {beta.size} pairs of attributes have no similarity of which a share could "
                "be explained, or are one word, and are ignored"
            )
        return TestOutcome(
            score=score,
            permutation=test,
            interval=bootstrap_interval(
                [pair_names(*lists[:2]), *lists[2:]],
                resampled,
                inference,
                cells=4 * (len(x) ** 2 + len(a) * len(b)),
            ),
            facts=axis.facts,
            words={
                "attributes_a": {"beta": _means(beta), "projection": along_a[0].tolist()},
                "attributes_b": {"beta": _means(beta.T), "projection": along_b[0].tolist()},
            },
            warnings=notes,
        )

    headline = Headline(tested="comparison with random word pairs", resampled="pairs and attributes")
    return measure_tests(RECORD, model, tests, compute, inference, headline, normalize=True)


def _weighted(beta: FloatArray, similarity: FloatArray, times: FloatArray) -> FloatArray:
    """Σ |w·v| β / Σ |w·v| over the pairs that have a β, each counted so many times: (batch, n, m) to (batch,)."""
    weights = np.where(np.isfinite(beta), times * np.abs(similarity), 0.0)
    total = weights.sum(axis=(1, 2))
    with np.errstate(invalid="ignore"):
        return np.asarray(
            (np.nan_to_num(beta) * weights).sum(axis=(1, 2)) / np.where(total > 0, total, np.nan)
        )


def _means(beta: FloatArray) -> list[float | None]:
    """Mean β of every word of the rows. ``None`` of one that has none."""
    return [float(np.nanmean(row)) if np.isfinite(row).any() else None for row in beta]
