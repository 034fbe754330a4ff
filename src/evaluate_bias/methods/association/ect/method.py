"""ECT: do two groups rank the attribute words alike? (Dev and Phillips 2019)"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ....arrays import FloatArray
from ....data.schemas import WordListTest
from ....errors import UndefinedScoreError
from ....method import Finding, method
from ....models.base import WordEmbedder
from ...word_lists.cosines import TOLERANCE, check_vectors, draw_weights, mean_cosines
from ...word_lists.inference import Inference, bootstrap_interval
from ...word_lists.pipeline import Sets, TestOutcome, VectorMaterial, influences, measure_tests
from ...word_lists.results import Headline
from ...word_lists.splits import in_first_part, split_test
from .record import RECORD

_UNDEFINED = "the mean vector of a target list is zero, or every attribute has the same cosine with it"


def embedding_coherence(x: ArrayLike, y: ArrayLike, attributes: ArrayLike) -> float:
    """Spearman's ρ between the attributes' cosines with the mean of X and with the mean of Y.

    Args:
        x: first targets, shape (n_x, dimension).
        y: second targets, shape (n_y, dimension).
        attributes: shape (n, dimension).

    Returns:
        ρ in [-1, 1], ideal 1; ties get their mean rank.

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
    found = float(
        _correlations(*(mean_cosines(side.mean(axis=0)[None], a_, np.abs(side).max()) for side in (x_, y_)))[
            0
        ]
    )
    if not np.isfinite(found):
        raise UndefinedScoreError(f"the rank correlation is undefined: {_UNDEFINED}")
    return found


def _correlations(left: FloatArray, right: FloatArray) -> FloatArray:
    """Spearman's ρ of every row of two arrays of shape (k, n); NaN where a row is constant or not finite.

    Cosines that differ by rounding alone are rounded to one rank.
    """
    from scipy.stats import rankdata

    if left.shape[1] < 2:
        return np.full(len(left), np.nan)
    # ρ = Σ (r − r̄)(s − s̄) / sqrt(Σ (r − r̄)² Σ (s − s̄)²) of the ranks r, s, whose mean is (n + 1) / 2.
    r, s = (rankdata(np.round(side, 12), axis=1) - (left.shape[1] + 1) / 2 for side in (left, right))
    spread = np.sqrt((r**2).sum(axis=1) * (s**2).sum(axis=1))
    whole = np.isfinite(left).all(axis=1) & np.isfinite(right).all(axis=1) & (spread > 0)
    return np.where(whole, (r * s).sum(axis=1) / np.where(whole, spread, 1.0), np.nan)


@method(RECORD)
def evaluate(
    model: WordEmbedder,
    tests: Sequence[WordListTest | Mapping[str, Any]],
    *,
    inference: Inference,
) -> Finding:
    """Run the Embedding Coherence Test on word vectors.

    The attributes of both lists are ranked by their cosine with the mean vector of X, and by that with the mean vector
    of Y; the score is the rank correlation. With several tests it is the mean of theirs. Controls (``bias_type``
    "none") are left out of it, unless there is nothing else.

    Args:
        model: a model that embeds words.
        tests: word-list tests, or mappings with ``name``, ``targets_x``, ``targets_y``, ``attributes_a`` and, if there
            are any, ``attributes_b``.
        n_resamples: number of random splits of the targets; where there are no more splits than that, all are counted.
        seed: of random splits and bootstrap; each test draws from a stream of its own.

    Returns:
        Score ρ in [-1, 1], ideal 1, lower is more biased. The p-value is the share of the splits of the targets into
        lists of these sizes whose ρ is as low; there is none, and a warning, where a split has no ρ. ``n`` is the
        number of target words.

    Raises:
        CapabilityError: the model does not embed words.
        CoverageError: a list loses more than ``max_missing`` of its words; the text names them.
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
        sets = material.vectors
        x, y = sets["targets_x"], sets["targets_y"]
        lists = [name for name in ("attributes_a", "attributes_b") if name in sets]
        a = np.concatenate([sets[name] for name in lists])
        if len(a) < 3:
            raise UndefinedScoreError(f"a rank correlation needs three attributes or more, not {len(a)}")
        score = embedding_coherence(x, y, a)
        pool = np.concatenate([x, y])
        size = float(np.abs(pool).max())
        cells = len(pool) + int(a.shape[1]) + len(a)

        def split(first: NDArray[Any]) -> FloatArray:
            inside = in_first_part(first, len(pool))
            return _correlations(*(mean_cosines(side @ pool, a, size) for side in (inside, 1.0 - inside)))

        def resampled(indices: list[NDArray[Any]]) -> FloatArray:
            in_x, in_y, in_a = indices
            sides = (
                mean_cosines(draw_weights(drawn, len(own)) @ own, a, size)
                for drawn, own in ((in_x, x), (in_y, y))
            )
            return _correlations(*(np.take_along_axis(side, in_a, axis=1) for side in sides))

        facts: dict[str, Any] = {}
        warnings: list[str] = []
        permutation = None
        try:
            permutation, facts["mean_of_splits"] = split_test(
                split,
                len(x),
                len(y),
                alternative="less",
                n_resamples=inference.n_resamples,
                seed=inference.seed,
                batch=max(1, (1 << 22) // cells),
                tolerance=TOLERANCE,
                undefined=f"no p-value: in a split of the targets {_UNDEFINED}",
            )
        except UndefinedScoreError as error:
            warnings.append(str(error))
        return TestOutcome(
            score=score,
            permutation=permutation,
            interval=bootstrap_interval([x, y, a], resampled, inference, cells=cells),
            facts=facts,
            words=_words(score, sets, lists, x, y, a),
            warnings=warnings,
        )

    return measure_tests(
        RECORD,
        model,
        tests,
        compute,
        inference,
        needed=("targets_x", "targets_y", "attributes_a"),
        headline=Headline(tested="permutation test of the targets, less", resampled="targets and attributes"),
    )


def _words(
    score: float, sets: Sets, lists: Sequence[str], x: FloatArray, y: FloatArray, a: FloatArray
) -> dict[str, dict[str, Sequence[Any]]]:
    """The cosines of every attribute with both means, and by how much the score falls without it."""
    to_x, to_y = (mean_cosines(side.mean(axis=0)[None], a, np.abs(side).max())[0] for side in (x, y))
    left = [
        _correlations(np.delete(to_x, i)[None], np.delete(to_y, i)[None])[0] if len(a) > 3 else np.nan
        for i in range(len(a))
    ]
    falls = influences(score, [None if np.isnan(v) else float(v) for v in left])
    words, at = {}, 0
    for name in lists:
        own = slice(at, at + len(sets[name]))
        words[name] = {
            "cosine_x": to_x[own].tolist(),
            "cosine_y": to_y[own].tolist(),
            "influence": falls[own],
        }
        at += len(sets[name])
    return words
