"""MAC: how far are words for a group from words for its stereotypes, on average? (Manzini et al. 2019)"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ....arrays import FloatArray
from ....data.schemas import WordListTest
from ....method import Finding, method
from ....models.base import WordEmbedder
from ...word_lists.cosines import check_vectors, cosine_similarity, draw_weights
from ...word_lists.inference import Inference, bootstrap_interval
from ...word_lists.pipeline import TestOutcome, VectorMaterial, influences, measure_tests
from ...word_lists.results import Headline
from .record import RECORD


def cosine_distances(targets: ArrayLike, attributes: Sequence[ArrayLike]) -> FloatArray:
    """S(t, A_j) = mean over a in A_j of 1 − cos(t, a), for every target and set of attributes.

    Args:
        targets: shape (n, dimension).
        attributes: k sets, each of shape (n_j, dimension).

    Returns:
        Shape (n, k), values in [0, 2]; 1 is orthogonal, lower is nearer.

    Raises:
        InputError: shapes differ, or a vector is zero, NaN or infinite.
        UndefinedScoreError: a set is empty.

    Examples:
        >>> cosine_distances([[1.0, 0.0]], [[[3.0, 4.0], [1.0, 0.0]], [[0.0, 2.0]]]).round(4).tolist()
        [[0.2, 1.0]]
    """
    return np.stack([1.0 - cosine_similarity(targets, some).mean(axis=1) for some in attributes], axis=1)


def mean_average_cosine_similarity(targets: ArrayLike, attributes: Sequence[ArrayLike]) -> float:
    """MAC = mean over targets t and sets of attributes A_j of S(t, A_j), see :func:`cosine_distances`.

    The paper calls it a similarity; it averages cosine distances.

    Args:
        targets: shape (n, dimension).
        attributes: k sets, each of shape (n_j, dimension).

    Returns:
        A number in [0, 2], ideal 1; lower is more biased.

    Raises:
        InputError, UndefinedScoreError: as :func:`cosine_distances`.

    References:
        Manzini, Yao Chong, Black and Tsvetkov (2019), NAACL, section 3.

    Examples:
        >>> round(mean_average_cosine_similarity([[1.0, 0.0]], [[[3.0, 4.0], [1.0, 0.0]], [[0.0, 2.0]]]), 4)
        0.6
    """
    return float(cosine_distances(targets, attributes).mean())


@method(RECORD)
def evaluate(
    model: WordEmbedder,
    tests: Sequence[WordListTest | Mapping[str, Any]],
    *,
    inference: Inference,
) -> Finding:
    """Run MAC on word vectors.

    The cosine distance of every target word to the words of a set of attributes, averaged over that set, then over all
    targets and sets. The targets of both lists are taken together; the two lists of attributes are two sets. With
    several tests the score is the mean of theirs. Controls (``bias_type`` "none") are left out of it, unless there is
    nothing else.

    Args:
        model: a model that embeds words.
        tests: word-list tests, or mappings with ``name``, ``targets_x``, ``attributes_a`` and, if there are any,
            ``targets_y`` and ``attributes_b``.
        seed: of the bootstrap; each test draws from a stream of its own.

    Returns:
        Score MAC in [0, 2], ideal 1, lower is more biased; no p-value. ``n`` is the number of target words.

    Raises:
        CapabilityError: the model does not embed words.
        CoverageError: a list loses more than ``max_missing`` of its words; the text names them.
        InputError: an option is out of range, two tests share a name, or a word is in both target lists.
        UndefinedScoreError: a needed list is empty.

    References:
        Manzini, Yao Chong, Black and Tsvetkov (2019): Black is to criminal as Caucasian is to police: detecting and
        removing multiclass bias in word embeddings. NAACL 2019, 615-621.

    Examples:
        >>> from evaluate_bias import load_model
        >>> vectors = {"she": [1.0, 0.0], "he": [0.0, 1.0], "nurse": [3.0, 4.0], "carer": [1.0, 0.0]}
        >>> result = evaluate(load_model(vectors), [{"name": "toy", "targets_x": ["she"], "targets_y": ["he"],
        ...                   "attributes_a": ["nurse", "carer"]}])
        >>> round(result.score, 3), result.p_value, result.n
        (0.4, None, 2)
    """

    def compute(material: VectorMaterial, inference: Inference) -> TestOutcome:
        sets = material.vectors
        check_vectors(**sets)
        groups = [sets[name] for name in ("targets_x", "targets_y") if name in sets]
        named = {name: sets[name] for name in ("attributes_a", "attributes_b") if name in sets}
        targets = np.concatenate(groups)
        # Distance of every target to every attribute, shape (targets, attributes of the set).
        distances = [1.0 - cosine_similarity(targets, some) for some in named.values()]
        per_set = np.stack([d.mean(axis=1) for d in distances], axis=1)
        score = float(per_set.mean())

        def resampled(indices: list[Any]) -> FloatArray:
            drawn, own = indices[: len(groups)], indices[len(groups) :]
            offsets = np.cumsum([0, *(len(g) for g in groups)])[:-1]
            joined = np.concatenate([d + at for d, at in zip(drawn, offsets, strict=True)], axis=1)
            of_targets = draw_weights(joined, len(targets))
            parts = [
                ((of_targets @ d) * draw_weights(i, d.shape[1])).sum(axis=1)
                for d, i in zip(distances, own, strict=True)
            ]
            return np.asarray(np.mean(parts, axis=0))

        interval = bootstrap_interval(
            [*groups, *named.values()],
            resampled,
            inference,
            cells=len(targets) + sum(d.shape[1] for d in distances),
        )
        words, at = {}, 0
        for name in ("targets_x", "targets_y"):
            if name in sets:
                own = per_set[at : at + len(sets[name])].mean(axis=1)
                at += len(own)
                words[name] = {
                    "distance": own.tolist(),
                    "influence": _falls(score, per_set.mean(axis=1), own),
                }
        for k, (name, d) in enumerate(zip(named, distances, strict=True)):
            own = d.mean(axis=0)
            others = float(np.delete(per_set, k, axis=1).mean()) if len(named) > 1 else 0.0
            left = [
                None
                if len(own) == 1
                else (others * (len(named) - 1) + (own.sum() - v) / (len(own) - 1)) / len(named)
                for v in own
            ]
            words[name] = {"distance": own.tolist(), "influence": influences(score, left)}
        facts = {f"mac_{name[-1]}": float(per_set[:, k].mean()) for k, name in enumerate(named)}
        return TestOutcome(score=score, interval=interval, facts=facts, words=words)

    return measure_tests(
        RECORD,
        model,
        tests,
        compute,
        inference,
        needed=("targets_x", "attributes_a"),
        headline=Headline(resampled="targets and attributes"),
    )


def _falls(score: float, of_all: FloatArray, own: FloatArray) -> list[float | None]:
    """By how much the score falls when each target is left out."""
    n = len(of_all)
    return influences(score, [None if n == 1 else (of_all.sum() - v) / (n - 1) for v in own])
