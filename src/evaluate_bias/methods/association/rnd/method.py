"""RND: are attributes nearer to one group of words than to another? (Garg, Schiebinger, Jurafsky and Zou 2018)

:func:`relative_distances` works on arrays. :func:`evaluate` accepts a model and word lists.
"""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from ....arrays import FloatArray
from ....errors import UndefinedScoreError
from ....method import Finding, method
from ....models.base import WordEmbedder
from ...word_lists.cosines import TOLERANCE, check_vectors, mean_cosines
from ...word_lists.inference import Inference
from ...word_lists.inputs import LISTS, Tests
from ...word_lists.pipeline import VectorMaterial, left_out_of_mean, measure_tests
from ...word_lists.results import Headline, TestOutcome
from ..mean_vectors import MeanVectors
from .record import RECORD

Distance = Literal["norm", "cosine"]


def relative_distances(
    x: ArrayLike, y: ArrayLike, attributes: ArrayLike, *, distance: Distance = "norm"
) -> FloatArray:
    """Distance of every attribute to the mean of X less its distance to the mean of Y.

    Args:
        x: first targets, shape (n_x, dimension).
        y: second targets, shape (n_y, dimension).
        attributes: shape (n_a, dimension).
        distance: ``"norm"`` (Euclidean) or ``"cosine"`` (1 - cos).

    Returns:
        Array of shape (n_a,), whose mean is the RND. Positive means nearer to Y. Between -2 and 2 with
        ``"cosine"``.

    Raises:
        InputError: shapes differ, or a vector is zero, NaN or infinite.
        UndefinedScoreError: a set is empty, or the mean of one is zero with ``"cosine"``.

    References:
        Garg, Schiebinger, Jurafsky and Zou (2018), PNAS 115(16), E3635-E3644.

    Examples:
        >>> relative_distances([[1.0, 1.0], [1.0, -1.0]], [[0.0, 2.0]], [[4.0, 2.0], [0.0, 1.0]]).round(4).tolist()
        [-0.3944, 0.4142]
    """
    x_, y_, a_ = check_vectors(targets_x=x, targets_y=y, attributes=attributes)
    means = np.stack([x_.mean(axis=0), y_.mean(axis=0)])
    to_x, to_y = mean_distances(means, a_, distance, size_of(x_, y_))
    if not np.isfinite([to_x, to_y]).all():
        raise UndefinedScoreError("the mean vector of a target list is zero, so its cosine is undefined")
    return np.asarray(to_x - to_y)


def size_of(*vectors: FloatArray) -> float:
    """Largest component of any of these vectors."""
    return max(float(np.abs(array).max()) for array in vectors)


def mean_distances(means: FloatArray, attributes: FloatArray, distance: Distance, size: float) -> FloatArray:
    """Distances of means (k, dimension) to attributes (n_a, dimension), shape (k, n_a), NaN of a zero mean.

    ``size`` is the size of the vectors that are averaged.
    """
    from scipy.spatial.distance import cdist

    if distance == "norm":
        return np.asarray(cdist(means, attributes))
    return 1.0 - mean_cosines(means, attributes, size)


@method(RECORD)
def evaluate(
    model: WordEmbedder,
    tests: Tests,
    *,
    distance: Distance = "norm",
    normalize: bool = False,
    inference: Inference,
) -> Finding:
    """Run RND on word vectors.

    The distance of every word of the first attributes to the mean vector of the first targets, less its distance to the
    mean vector of the second, averaged over these words. The second attributes are excluded. If a test has
    them, ``estimates["rnd_b"]`` is the same value for them. With several tests the score is the mean of theirs.
    Controls (``bias_type`` "none") are excluded, unless there is nothing else.

    Words are matched as the model's case and accent policy says. A word repeated within a list counts once. A
    word in both target lists is refused.

    Args:
        model: a model that embeds words.
        tests: word-list tests, or mappings with ``name``, ``targets_x``, ``targets_y``, ``attributes_a`` and, if there
            are any, ``attributes_b``.
        distance: ``"norm"`` (Euclidean distance) or ``"cosine"`` (1 - cos).
        normalize: scale every word vector to length 1 first.
        alternative: ``"two-sided"``, ``"greater"`` (attributes nearer to the second targets) or ``"less"``.
        n_resamples: number of random splits of the targets. If fewer exist, all are counted.

    Returns:
        Score RND in the unit of the vectors, two-sided, ideal 0. From -2 to 2 with ``distance="cosine"``, or
        if the vectors have length 1. Positive when the attributes are nearer to the second targets. ``n`` is
        the number of target words.

    Raises:
        CapabilityError: the model does not embed words.
        CoverageError: a list loses more than ``max_missing`` of its words. The message names them.
        InputError: an option is out of range, two tests share a name, or a word is in both target lists.
        UndefinedScoreError: a list is empty, or a mean vector is zero with ``distance="cosine"``.

    References:
        Garg, Schiebinger, Jurafsky and Zou (2018): Word embeddings quantify 100 years of gender and ethnic stereotypes.
        PNAS 115(16), E3635-E3644.

    Examples:
        >>> from evaluate_bias import load_model
        >>> vectors = {"she": [1.0, 1.0], "her": [1.0, -1.0], "he": [0.0, 3.0], "him": [0.0, 1.0],
        ...            "nurse": [4.0, 2.0], "carer": [1.0, 0.5]}
        >>> result = evaluate(load_model(vectors), [{
        ...     "name": "toy", "targets_x": ["she", "her"], "targets_y": ["he", "him"],
        ...     "attributes_a": ["nurse", "carer"]}])
        >>> round(result.score, 3), round(result.p_value, 3), result.n
        (-0.849, 0.333, 4)
    """

    def compute(material: VectorMaterial, inference: Inference) -> TestOutcome:
        x, y, a = (material.vectors[name] for name in LISTS[:3])
        size = size_of(x, y)
        vectors = MeanVectors(
            x=x,
            y=y,
            a=a,
            words=(material.words["targets_x"], material.words["targets_y"], material.words["attributes_a"]),
            measure=lambda means: mean_distances(means, a, distance, size),
            score=lambda to_x, to_y: (to_x - to_y).mean(axis=1),
            rounding=TOLERANCE * (size_of(x, y, a) if distance == "norm" else 1.0),
        )
        distances = relative_distances(x, y, a, distance=distance)
        score = float(distances.mean())
        permutation, centre = vectors.permutation(
            inference.alternative,
            inference,
            "the mean vector of a split of the targets is zero, so its cosine is undefined",
        )
        facts = {"mean_of_splits": centre}
        if (b := material.vectors.get("attributes_b")) is not None:
            facts["rnd_b"] = float(relative_distances(x, y, b, distance=distance).mean())
        unequal = (
            f"with target lists of {len(x)} and {len(y)} words, chance alone gives a score other than 0: the row's "
            "mean of splits"
        )
        return TestOutcome(
            score=score,
            permutation=permutation,
            interval=vectors.interval(inference),
            # Two means of unit vectors lie at most 2 apart, and so does 1 - cos of two vectors.
            score_range=(-2.0, 2.0) if normalize or distance == "cosine" else None,
            facts=facts,
            words={
                "attributes_a": {
                    "distance": distances.tolist(),
                    "influence": left_out_of_mean(distances),
                }
            },
            warnings=[unequal] if len(x) != len(y) else [],
        )

    headline = Headline(
        tested=f"permutation test of the targets, {inference.alternative}",
        resampled="targets and attributes",
    )
    return measure_tests(RECORD, model, tests, compute, inference, headline, normalize=normalize)
