"""RIPA: how far do words lie along the relation of word pairs such as he and she? (Ethayarajh et al. 2019)"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ....arrays import FloatArray
from ....errors import InputError, UndefinedScoreError
from ....method import Finding, method
from ....models.base import WordEmbedder
from ...word_lists.cosines import TOLERANCE, check_vectors, draw_weights
from ...word_lists.inference import Inference, bootstrap_interval, means_test, pair_names
from ...word_lists.inputs import LISTS, Tests
from ...word_lists.pipeline import VectorMaterial, left_out_of_mean, measure_tests
from ...word_lists.results import Headline, TestOutcome
from .record import RECORD


def relational_inner_products(x: ArrayLike, y: ArrayLike, attributes: ArrayLike) -> FloatArray:
    """β(w; i) = w · (x_i − y_i) / ‖x_i − y_i‖ for every attribute w and pair of words (x_i, y_i).

    Args:
        x: first words of the pairs, shape (pairs, dimension).
        y: second words, of the same shape.
        attributes: shape (n, dimension).

    Returns:
        Shape (n, pairs), in the unit of the vectors. Positive means nearer to x_i.

    Raises:
        InputError: shapes differ, or a vector is zero, NaN or infinite.
        UndefinedScoreError: a set is empty, or the two words of a pair have the same vector.

    References:
        Ethayarajh, Duvenaud and Hirst (2019), ACL, definition 1.

    Examples:
        >>> relational_inner_products([[3.0, 0.0]], [[0.0, 4.0]], [[5.0, 0.0], [0.0, 5.0]]).round(4).tolist()
        [[3.0], [-4.0]]
    """
    x_, y_, a_ = check_vectors(targets_x=x, targets_y=y, attributes=attributes)
    if len(x_) != len(y_):
        raise InputError(f"the targets are not pairs: {len(x_)} first and {len(y_)} second words")
    differences = x_ - y_
    lengths = np.linalg.norm(differences, axis=1)
    same = lengths <= TOLERANCE * np.maximum(np.linalg.norm(x_, axis=1), np.linalg.norm(y_, axis=1))
    if same.any():
        raise UndefinedScoreError(
            f"the words of pair {int(np.argmax(same)) + 1} have the same vector, so they have no direction"
        )
    return np.asarray(a_ @ (differences / lengths[:, None]).T)


@method(RECORD)
def evaluate(
    model: WordEmbedder,
    tests: Tests,
    *,
    normalize: bool = False,
    inference: Inference,
) -> Finding:
    """Run RIPA on word vectors.

    The targets are pairs: the first word of ``targets_x`` with the first of ``targets_y``, and so on. Every word of the
    first attributes is projected on the direction of every pair. The score is the mean over words and pairs.
    The second attributes are excluded. If a test has them, ``estimates["ripa_b"]`` is the same value for
    them. With several tests the score is the mean of theirs. Controls (``bias_type`` "none") are excluded,
    unless there is nothing else.

    Args:
        model: a model that embeds words.
        tests: word-list tests, or mappings with ``name``, ``targets_x``, ``targets_y``, ``attributes_a`` and, if there
            are any, ``attributes_b``.
        normalize: scale every word vector to length 1 first.
        n_resamples: number of random sign patterns, if there are more than 32 pairs.
        max_missing: largest share of the pairs, or of the attributes, that may lack a vector, in [0, 1].
        seed: of sign patterns and bootstrap. Each test draws from a stream of its own.

    Returns:
        Score in the unit of the vectors, from -1 to 1 with ``normalize``, two-sided, ideal 0. Positive when
        the attributes lie on the side of ``targets_x``. The p-value exchanges the two words within pairs.
        ``n`` is the number of target words.

    Raises:
        CapabilityError: the model does not embed words.
        CoverageError: more than ``max_missing`` of the pairs or of the attributes lack a vector. The message names
            them.
        InputError: an option is out of range, two tests share a name, a word is in both target lists, or the target
            lists have different lengths.
        UndefinedScoreError: a list is empty, or the two words of a pair have the same vector.

    References:
        Ethayarajh, Duvenaud and Hirst (2019): Understanding undesirable word embedding associations. ACL 2019,
        1696-1705.

    Examples:
        >>> from evaluate_bias import load_model
        >>> vectors = {"she": [3.0, 0.0], "he": [0.0, 4.0], "woman": [2.0, 0.0], "man": [1.0, 0.0],
        ...            "nurse": [5.0, 0.0], "carer": [5.0, 5.0]}
        >>> result = evaluate(load_model(vectors), [{
        ...     "name": "toy", "targets_x": ["she", "woman"], "targets_y": ["he", "man"],
        ...     "attributes_a": ["nurse", "carer"]}])
        >>> round(result.score, 3), result.p_value, result.n
        (3.0, 0.5, 4)
    """

    def compute(material: VectorMaterial, inference: Inference) -> TestOutcome:
        x, y, a = (material.vectors[name] for name in LISTS[:3])
        lists = [material.words[name] for name in LISTS[:3]]
        products = relational_inner_products(x, y, a)
        score = float(products.mean())

        def resampled(indices: list[NDArray[Any]]) -> FloatArray:
            pairs, words = indices
            weighted = draw_weights(words, len(a)) @ products
            return np.asarray((weighted * draw_weights(pairs, len(x))).sum(axis=1))

        def column(values: FloatArray) -> dict[str, Sequence[Any]]:
            return {"projection": values.tolist(), "influence": left_out_of_mean(values)}

        of_pairs = products.mean(axis=0)
        words = {
            **dict.fromkeys(LISTS[:2], column(of_pairs)),
            "attributes_a": column(products.mean(axis=1)),
        }
        facts = {}
        if (b := material.vectors.get("attributes_b")) is not None:
            of_b = relational_inner_products(x, y, b)
            facts["ripa_b"] = float(of_b.mean())
            words["attributes_b"] = {"projection": of_b.mean(axis=1).tolist()}
        return TestOutcome(
            score=score,
            permutation=means_test([of_pairs], inference),
            interval=bootstrap_interval(
                [pair_names(*lists[:2]), lists[2]],
                resampled,
                inference,
                rounding=TOLERANCE * float(np.abs(a).max()),
            ),
            score_range=(-1.0, 1.0) if normalize else None,
            facts=facts,
            words=words,
        )

    headline = Headline(
        tested="test that exchanges the words of pairs, two-sided", resampled="pairs and attributes"
    )
    return measure_tests(RECORD, model, tests, compute, inference, headline, normalize=normalize)
