"""Projections: where do words lie on the axis between the words of pairs? (Bolukbasi et al. 2016)"""

from __future__ import annotations

import dataclasses
from typing import Any, get_args

import numpy as np
from numpy.typing import NDArray

from ....arrays import FloatArray
from ....errors import UndefinedScoreError
from ....method import Finding, method
from ....models.base import WordEmbedder
from ...word_lists.cosines import TOLERANCE, draw_weights
from ...word_lists.inference import Inference, bootstrap_interval, means_test
from ...word_lists.inputs import LISTS, Tests
from ...word_lists.pipeline import VectorMaterial, left_out_of_mean, measure_tests
from ...word_lists.results import Headline, TestOutcome
from .. import axis as directions
from ..axis import projections
from .record import RECORD

__all__ = ["evaluate", "projections"]


@method(RECORD)
def evaluate(
    model: WordEmbedder,
    tests: Tests,
    *,
    direction: directions.Direction | directions.OfLists = "pair_centred_pca",
    normalize: bool = True,
    inference: Inference,
) -> Finding:
    """Project words on the axis between word pairs.

    The targets are pairs (the first word of ``targets_x`` with the first of ``targets_y``, and so on) that make a
    direction. The score is the mean projection of the first attributes less the second's. If a test has no second
    attributes, it is the mean projection of the first. With several tests it is the mean of theirs. Controls
    (``bias_type`` "none") are excluded, unless there is nothing else.

    Args:
        model: a model that embeds words.
        tests: word-list tests, or mappings with ``name``, ``targets_x``, ``targets_y``, ``attributes_a`` and, if there
            are any, ``attributes_b``.
        direction: ``"pair_centred_pca"``, ``"difference_pca"``, ``"difference"`` (of one pair) or
            ``"mean_difference"``. For target lists of any sizes, such as names, which are not read as pairs: ``"sum"``,
            the sum of the first list scaled to length 1 minus the sum of the second scaled to length 1, or
            ``"all_pairs"`` (``"pair_centred_pca"`` of every word of the first list with every word of the second). The
            details of ``"all_pairs"`` name the ``best_pair``, the pair whose difference lies most along the direction,
            with its cosine.
        normalize: scale every word vector to length 1 first.
        n_resamples: number of random splits or sign patterns, if there are too many to count.
        max_missing: largest share of the pairs, or of the attributes, that may lack a vector, in [0, 1].
        seed: of splits, sign patterns and bootstrap. Each test draws from a stream of its own.

    Returns:
        Score in [-2, 2], for one list of attributes in [-1, 1], two-sided, ideal 0. Positive when the first
        attributes lie on the side of ``targets_x``. The p-value splits the attributes into lists of their
        sizes. For one list it changes the signs of the projections. ``n`` is the number of target words,
        ``n_tested`` the number of attributes.

    Raises:
        CapabilityError: the model does not embed words.
        CoverageError: more than ``max_missing`` of the pairs or of the attributes lack a vector. The message names
            them.
        InputError: an option is out of range, two tests share a name, a word is in both target lists, or the target
            lists are read as pairs and have different lengths.
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

    of_lists = direction in get_args(directions.OfLists)

    def compute(material: VectorMaterial, inference: Inference) -> TestOutcome:
        x, y = (material.vectors[name] for name in LISTS[:2])
        attributes = {name: rows for name, rows in material.vectors.items() if name in LISTS[2:]}
        axis = directions.bias_direction(x, y, direction)
        along = np.subtract(*(directions.all_pairs(x, y) if of_lists else (x, y))) @ axis.vector
        if abs(along.sum()) <= directions.EQUAL * np.abs(along).sum():
            raise UndefinedScoreError(
                "the direction of the pairs has no sign, because the sum of their differences is at right "
                "angles to it, for example if one pair is reversed",
                option="direction",
                hint="use other pairs, or set `direction` to 'mean_difference'",
            )
        on_axis = {name: projections(rows, axis.vector) for name, rows in material.vectors.items()}
        values, signs = [on_axis[name] for name in attributes], (1.0, -1.0)
        score = float(sum(sign * v.mean() for sign, v in zip(signs, values, strict=False)))
        units = [(a / np.linalg.norm(a, axis=1, keepdims=True)).T for a in attributes.values()]

        def resampled(indices: list[NDArray[Any]]) -> FloatArray:
            axes = directions.drawn_axes(x, y, indices[: len(lists)], direction)
            return np.asarray(
                sum(
                    sign * ((axes @ to) * draw_weights(word_indices, to.shape[1])).sum(axis=1)
                    for sign, to, word_indices in zip(signs, units, indices[len(lists) :], strict=False)
                )
            )

        first, second = (material.words[name] for name in LISTS[:2])
        n, (lists, cells) = (
            sum(map(len, values)),
            directions.drawn_lists(first, second, x.shape[1], direction),
        )
        words: dict[str, dict[str, Any]] = {name: {"projection": v.tolist()} for name, v in on_axis.items()}
        for name, sign in zip(attributes, signs, strict=False):
            words[name]["influence"] = left_out_of_mean(on_axis[name], sign)
        return TestOutcome(
            score=score,
            permutation=means_test(values, inference, TOLERANCE),
            interval=bootstrap_interval(
                [*lists, *(material.words[name] for name in attributes)],
                resampled,
                inference,
                cells=cells + n,
            ),
            score_range=(-float(len(values)), float(len(values))),
            n_tested=n,
            facts=axis.facts,
            row_facts=directions.best_pair(material.words, x, y, axis, direction),
            words=words,
        )

    headline = Headline(
        tested="permutation test of the attributes, two-sided",
        resampled=f"{'targets' if of_lists else 'pairs'} and attributes",
    )
    record = dataclasses.replace(RECORD, paired=not of_lists)
    return measure_tests(record, model, tests, compute, inference, headline, normalize=normalize)
