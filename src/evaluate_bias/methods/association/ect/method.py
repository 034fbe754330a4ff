"""ECT: do two groups rank the attribute words the same way? (Dev and Phillips 2019)"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ....arrays import FloatArray
from ....errors import UndefinedScoreError
from ....method import Finding, method
from ....models.base import WordEmbedder
from ...word_lists.cosines import check_vectors, mean_cosines
from ...word_lists.inference import Inference
from ...word_lists.inputs import LISTS, Tests
from ...word_lists.pipeline import VectorMaterial, by_list, influences, measure_tests
from ...word_lists.results import Headline, TestOutcome
from ..mean_vectors import MeanVectors
from .record import RECORD

_UNDEFINED = "the mean vector of a target list is zero, or every attribute has the same cosine with it"


def embedding_coherence(x: ArrayLike, y: ArrayLike, attributes: ArrayLike) -> float:
    """Spearman's ρ between the attributes' cosines with the mean of X and with the mean of Y.

    Args:
        x: first targets, shape (n_x, dimension).
        y: second targets, shape (n_y, dimension).
        attributes: shape (n, dimension).

    Returns:
        ρ in [-1, 1], ideal 1. Ties get their mean rank.

    Raises:
        InputError: shapes differ, or a vector is zero, NaN or infinite.
        UndefinedScoreError: a mean vector is zero, or all cosines with one are equal.

    References:
        Dev and Phillips (2019), AISTATS, section 4.3.

    Examples:
        >>> embedding_coherence([[1.0, 0.0]], [[0.0, 1.0]], [[3.0, 1.0], [1.0, 1.0], [1.0, 2.0]])
        -1.0
    """
    x_, y_, a_ = check_vectors(targets_x=x, targets_y=y, attributes=attributes)
    (rho,) = _correlations(*_cosines(x_, y_, a_))
    if not np.isfinite(rho):
        raise UndefinedScoreError(f"the rank correlation is undefined: {_UNDEFINED}")
    return float(rho)


def _cosines(x: FloatArray, y: FloatArray, a: FloatArray) -> list[FloatArray]:
    """Cosines of the attributes with the mean of X and with the mean of Y, each of shape (1, attributes)."""
    return [mean_cosines(side.mean(axis=0)[None], a, np.abs(side).max()) for side in (x, y)]


def _correlations(first: FloatArray, second: FloatArray) -> FloatArray:
    """Spearman's ρ of every row of two arrays of shape (k, n), NaN if a row is constant or not finite.

    Cosines that differ by rounding alone are rounded to one rank.
    """
    from scipy.stats import rankdata

    if first.shape[1] < 2:
        return np.full(len(first), np.nan)
    # ρ = Σ (r − r̄)(s − s̄) / sqrt(Σ (r − r̄)² Σ (s − s̄)²) of the ranks r, s, whose mean is (n + 1) / 2.
    r, s = (rankdata(np.round(side, 12), axis=1) - (first.shape[1] + 1) / 2 for side in (first, second))
    spread = np.sqrt((r**2).sum(axis=1) * (s**2).sum(axis=1))
    whole = np.isfinite(first).all(axis=1) & np.isfinite(second).all(axis=1) & (spread > 0)
    return np.where(whole, (r * s).sum(axis=1) / np.where(whole, spread, 1.0), np.nan)


@method(RECORD)
def evaluate(
    model: WordEmbedder,
    tests: Tests,
    *,
    inference: Inference,
) -> Finding:
    """Run the Embedding Coherence Test on word vectors.

    The attributes of both lists are ranked by their cosine with the mean vector of X, and with the mean vector
    of Y. The score is the rank correlation. With several tests it is the mean of theirs. Controls
    (``bias_type`` "none") are excluded, unless there is nothing else.

    Args:
        model: a model that embeds words.
        tests: word-list tests, or mappings with ``name``, ``targets_x``, ``targets_y``, ``attributes_a`` and, if there
            are any, ``attributes_b``.
        n_resamples: number of random splits of the targets. If fewer exist, all are counted.
        seed: of random splits and bootstrap. Each test draws from a stream of its own.

    Returns:
        Score ρ in [-1, 1], ideal 1, lower is more biased. The p-value is the share of the splits of the targets into
        lists of these sizes whose ρ is as low. If a split has no ρ, the p-value is missing and a warning says so. ``n``
        is the number of target words.

    Raises:
        CapabilityError: the model does not embed words.
        CoverageError: a list loses more than ``max_missing`` of its words. The message names them.
        InputError: an option is out of range, two tests share a name, or a word is in both target lists.
        UndefinedScoreError: a list is empty, there are fewer than three attributes, or ρ is undefined.

    References:
        Dev and Phillips (2019): Attenuating bias in word vectors. AISTATS 2019, PMLR 89, 879-887.

    Examples:
        >>> from evaluate_bias import load_model
        >>> vectors = {"she": [1.0, 0.2], "her": [1.0, 0.1], "he": [0.2, 1.0], "him": [0.1, 1.0],
        ...            "nurse": [3.0, 1.0], "carer": [1.0, 1.0], "smith": [1.0, 2.0]}
        >>> result = evaluate(load_model(vectors), [{
        ...     "name": "toy", "targets_x": ["she", "her"], "targets_y": ["he", "him"],
        ...     "attributes_a": ["nurse", "carer", "smith"]}], ci="none")
        >>> round(result.score, 3), round(result.p_value, 3), result.n
        (-1.0, 0.333, 4)
    """

    def compute(material: VectorMaterial, inference: Inference) -> TestOutcome:
        x, y = (material.vectors[name] for name in LISTS[:2])
        attributes = {name: rows for name, rows in material.vectors.items() if name in LISTS[2:]}
        a = np.concatenate(list(attributes.values()))
        if len(a) < 3:
            raise UndefinedScoreError(f"a rank correlation needs at least three attributes, got {len(a)}")
        score = embedding_coherence(x, y, a)
        size = float(max(np.abs(x).max(), np.abs(y).max()))
        vectors = MeanVectors(
            x=x,
            y=y,
            a=a,
            words=(
                material.words["targets_x"],
                material.words["targets_y"],
                [word for name in attributes for word in material.words[name]],
            ),
            measure=lambda means: mean_cosines(means, a, size),
            score=_correlations,
        )
        facts: dict[str, Any] = {}
        warnings: list[str] = []
        permutation = None
        try:
            permutation, facts["mean_of_splits"] = vectors.permutation(
                "less", inference, f"no p-value: in a split of the targets {_UNDEFINED}"
            )
        except UndefinedScoreError as error:
            warnings.append(str(error))
        cosines = _cosines(x, y, a)
        rest = [_correlations(*(np.delete(side, i, axis=1) for side in cosines))[0] for i in range(len(a))]
        return TestOutcome(
            score=score,
            permutation=permutation,
            interval=vectors.interval(inference),
            facts=facts,
            words=by_list(
                attributes,
                cosine_x=cosines[0][0].tolist(),
                cosine_y=cosines[1][0].tolist(),
                influence=influences(score, [None if len(a) == 3 or np.isnan(v) else v for v in rest]),
            ),
            warnings=warnings,
        )

    headline = Headline(tested="permutation test of the targets, less", resampled="targets and attributes")
    return measure_tests(RECORD, model, tests, compute, inference, headline)
