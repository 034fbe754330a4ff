"""MAC: how far are words for a group from words for its stereotypes, on average? (Manzini et al. 2019)"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ....arrays import FloatArray
from ....method import Finding, method
from ....models.base import WordEmbedder
from ...word_lists.cosines import cosine_similarity, draw_weights
from ...word_lists.inference import Inference, bootstrap_interval
from ...word_lists.inputs import SIDES, Tests
from ...word_lists.pipeline import VectorMaterial, by_list, left_out_of_mean, measure_tests
from ...word_lists.results import Headline, TestOutcome
from .record import RECORD


def mean_average_cosine_similarity(targets: ArrayLike, attributes: Sequence[ArrayLike]) -> float:
    """MAC = mean over targets t and sets of attributes A_j of S(t, A_j) = mean over a in A_j of 1 − cos(t, a).

    The paper calls it a similarity. It averages cosine distances.

    Args:
        targets: shape (n, dimension).
        attributes: k sets, each of shape (n_j, dimension).

    Returns:
        A number in [0, 2], ideal 1, lower is more biased.

    Raises:
        InputError: shapes differ, or a vector is zero, NaN or infinite.
        UndefinedScoreError: a set is empty.

    References:
        Manzini, Yao Chong, Black and Tsvetkov (2019), NAACL, section 3.

    Examples:
        >>> round(mean_average_cosine_similarity([[1.0, 0.0]], [[[3.0, 4.0], [1.0, 0.0]], [[0.0, 2.0]]]), 4)
        0.6
    """
    return float(np.mean([(1.0 - cosine_similarity(targets, a)).mean(axis=1) for a in attributes]))


@method(RECORD)
def evaluate(
    model: WordEmbedder,
    tests: Tests,
    *,
    inference: Inference,
) -> Finding:
    """Run MAC on word vectors.

    The cosine distance of every target word to the words of a set of attributes, averaged over that set, then over all
    targets and sets. The targets of both lists are taken together. The two lists of attributes are two sets.
    With several tests the score is the mean of theirs. Controls (``bias_type`` "none") are excluded, unless
    there is nothing else.

    Args:
        model: a model that embeds words.
        tests: word-list tests, or mappings with ``name``, ``targets_x``, ``attributes_a`` and, if there are any,
            ``targets_y`` and ``attributes_b``.
        seed: of the bootstrap. Each test draws from a stream of its own.

    Returns:
        Score MAC in [0, 2], ideal 1, lower is more biased. No p-value is computed. ``n`` is the number of target words.

    Raises:
        CapabilityError: the model does not embed words.
        CoverageError: a list loses more than ``max_missing`` of its words. The message names them.
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
        groups, attributes = ({n: v for n, v in material.vectors.items() if n in names} for names in SIDES)
        targets = np.concatenate(list(groups.values()))
        # Distance of every target to every attribute, shape (targets, attributes of the set).
        distances = [1.0 - cosine_similarity(targets, names) for names in attributes.values()]
        per_set = np.stack([d.mean(axis=1) for d in distances], axis=1)
        of_targets = per_set.mean(axis=1)
        score = float(per_set.mean())

        def resampled(indices: list[Any]) -> FloatArray:
            starts = np.cumsum([0, *map(len, groups.values())])
            target_indices, attribute_indices = indices[: len(groups)], indices[len(groups) :]
            joined = np.concatenate([i + at for i, at in zip(target_indices, starts, strict=False)], axis=1)
            weights = draw_weights(joined, len(targets))
            parts = [
                ((weights @ d) * draw_weights(i, d.shape[1])).sum(axis=1)
                for d, i in zip(distances, attribute_indices, strict=True)
            ]
            return np.asarray(np.mean(parts, axis=0))

        words = by_list(groups, distance=of_targets.tolist(), influence=left_out_of_mean(of_targets))
        for name, d in zip(attributes, distances, strict=True):
            mean_distances = d.mean(axis=0)
            influence = left_out_of_mean(mean_distances, 1 / len(distances))
            words[name] = {"distance": mean_distances.tolist(), "influence": influence}
        return TestOutcome(
            score=score,
            interval=bootstrap_interval(
                [material.words[name] for name in (*groups, *attributes)],
                resampled,
                inference,
                cells=len(targets) + sum(d.shape[1] for d in distances),
            ),
            facts={f"mac_{name[-1]}": float(per_set[:, k].mean()) for k, name in enumerate(attributes)},
            words=words,
        )

    headline = Headline(resampled="targets and attributes")
    return measure_tests(RECORD, model, tests, compute, inference, headline)
