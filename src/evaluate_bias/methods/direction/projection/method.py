"""Projections: where do words lie on the axis between the words of pairs? (Bolukbasi et al. 2016)"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .... import stats
from ....arrays import FloatArray
from ....data.schemas import WordListTest
from ....errors import UndefinedScoreError
from ....method import Finding, method
from ....models.base import WordEmbedder
from ...word_lists.cosines import TOLERANCE, cosine_similarity, draw_weights
from ...word_lists.inference import Inference, bootstrap_interval
from ...word_lists.pipeline import TestOutcome, VectorMaterial, influences, measure_tests
from ...word_lists.results import Headline
from ..axis import EQUAL, Direction, bias_direction, mixtures
from .record import RECORD


def projections(words: ArrayLike, direction: ArrayLike) -> FloatArray:
    """cos(w, g) of every word w with the direction g.

    Args:
        words: shape (n, dimension).
        direction: g, shape (dimension,).

    Returns:
        Shape (n,), values in [-1, 1]; positive: on the side of the first words of the pairs.

    Raises:
        InputError: shapes differ, or a vector is zero, NaN or infinite.

    Examples:
        >>> projections([[3.0, 4.0], [-2.0, 0.0]], [1.0, 0.0]).round(4).tolist()
        [0.6, -1.0]
    """
    return cosine_similarity(words, np.asarray(direction)[None])[:, 0]


@method(RECORD)
def evaluate(
    model: WordEmbedder,
    tests: Sequence[WordListTest | Mapping[str, Any]],
    *,
    direction: Direction = "pair_centred_pca",
    normalize: bool = True,
    inference: Inference,
) -> Finding:
    """Project words on the axis between word pairs.

    The targets are pairs (the first word of ``targets_x`` with the first of ``targets_y``, and so on) that make a
    direction. The score is the mean projection of the first attributes less that of the second; where a test has none,
    the mean projection of the first. With several tests it is the mean of theirs. Controls (``bias_type`` "none") are
    left out of it, unless there is nothing else.

    Args:
        model: a model that embeds words.
        tests: word-list tests, or mappings with ``name``, ``targets_x``, ``targets_y``, ``attributes_a`` and, if there
            are any, ``attributes_b``.
        direction: ``"pair_centred_pca"``, ``"difference_pca"``, ``"difference"`` (of one pair) or
            ``"mean_difference"``.
        normalize: scale every word vector to length 1 first.
        n_resamples: number of random splits or sign patterns, where there are too many to count.
        max_missing: largest share of the pairs, or of the attributes, that may lack a vector, in [0, 1].
        seed: of splits, sign patterns and bootstrap; each test draws from a stream of its own.

    Returns:
        Score in [-2, 2], of one list of attributes in [-1, 1]; two-sided, ideal 0. Positive when the first attributes
        lie on the side of ``targets_x``. The p-value splits the attributes into lists of their sizes; of one list it
        changes the signs of the projections. ``n`` is the number of target words, ``n_tested`` that of the attributes.

    Raises:
        CapabilityError: the model does not embed words.
        CoverageError: more than ``max_missing`` of the pairs or of the attributes lack a vector; the text names them.
        InputError: an option is out of range, two tests share a name, a word is in both target lists, or the target
            lists have different lengths.
        UndefinedScoreError: a list is empty, or the pairs have no direction, or none with a sign.

    References:
        Bolukbasi, Chang, Zou, Saligrama and Kalai (2016): Man is to computer programmer as woman is to homemaker?
        Debiasing word embeddings. NeurIPS 2016, 4349-4357.

    Examples:
        >>> from evaluate_bias import load_model
        >>> vectors = {"she": [1.0, 0.2], "he": [-1.0, 0.2], "nurse": [3.0, 4.0], "carer": [4.0, 3.0],
        ...            "smith": [-4.0, 3.0], "miner": [0.0, 1.0]}
        >>> result = evaluate(load_model(vectors), [{
        ...     "name": "toy", "targets_x": ["she"], "targets_y": ["he"], "attributes_a": ["nurse", "carer"],
        ...     "attributes_b": ["smith", "miner"]}])
        >>> round(result.score, 3), round(result.p_value, 3), result.n
        (1.1, 0.333, 2)
    """

    def compute(material: VectorMaterial, inference: Inference) -> TestOutcome:
        sets = material.vectors
        x, y, a = (sets[name] for name in ("targets_x", "targets_y", "attributes_a"))
        axis = bias_direction(x, y, direction)
        along = (x - y) @ axis.vector
        if abs(along.sum()) <= EQUAL * np.abs(along).sum():
            raise UndefinedScoreError(
                "the direction of the pairs has no sign: the sum of their differences is at right angles to it, as "
                "where one pair stands the other way round; take other pairs, or direction='mean_difference'"
            )
        lists = [a, sets["attributes_b"]] if "attributes_b" in sets else [a]
        values = [projections(some, axis.vector) for some in lists]
        signs = (1.0, -1.0)
        score = float(sum(sign * v.mean() for sign, v in zip(signs, values, strict=False)))
        differences = x - y
        onto = [differences @ (some / np.linalg.norm(some, axis=1, keepdims=True)).T for some in lists]

        def resampled(indices: list[NDArray[Any]]) -> FloatArray:
            mixed, _ = mixtures(differences, draw_weights(indices[0], len(x)) * len(x), direction)
            return np.asarray(
                sum(
                    sign * ((mixed @ to) * draw_weights(drawn, to.shape[1])).sum(axis=1)
                    for sign, to, drawn in zip(signs, onto, indices[1:], strict=False)
                )
            )

        if len(values) == 2:
            test: Any = stats.permutation_test(
                *values,
                alternative="two-sided",
                n_resamples=inference.n_resamples,
                seed=inference.seed,
                tolerance=TOLERANCE,
            )
        else:
            test = stats.sign_flip_test(values[0], n_resamples=inference.n_resamples, seed=inference.seed)
        interval = bootstrap_interval(
            [x, *lists], resampled, inference, cells=4 * len(x) ** 2 + sum(map(len, lists))
        )
        facts: dict[str, Any] = {} if axis.explained is None else {"explained_variance": axis.explained}
        names = ("attributes_a", "attributes_b")
        words: dict[str, dict[str, Sequence[Any]]] = {
            name: {"projection": v.tolist(), "influence": _falls(score, sign, v)}
            for name, sign, v in zip(names, signs, values, strict=False)
        }
        for name, some in (("targets_x", x), ("targets_y", y)):
            words[name] = {"projection": projections(some, axis.vector).tolist()}
        return TestOutcome(
            score=score,
            permutation=test,
            interval=interval,
            score_range=(-float(len(lists)), float(len(lists))),
            n_tested=sum(map(len, lists)),
            facts=facts,
            words=words,
        )

    return measure_tests(
        RECORD,
        model,
        tests,
        compute,
        inference,
        needed=("targets_x", "targets_y", "attributes_a"),
        headline=Headline(
            tested="permutation test of the attributes, two-sided", resampled="pairs and attributes"
        ),
        normalize=normalize,
    )


def _falls(score: float, sign: float, values: FloatArray) -> list[float | None]:
    """By how much the score falls when each word is left out."""
    n = len(values)
    left = [None if n == 1 else score + sign * ((values.sum() - v) / (n - 1) - values.mean()) for v in values]
    return influences(score, left)
