"""Matched guise probing on arrays: associations of attributes, their rank correlation with ratings, decisions."""

from __future__ import annotations

from typing import Any

import numpy as np

from .... import stats
from ....arrays import FloatArray
from ....errors import UndefinedScoreError
from ....stats import Interval
from ...word_lists.inference import Inference, sign_flips
from ...word_lists.results import TestOutcome

ROUNDING = 6
"""Decimals of associations, in nats, in which models in single precision agree; what is left are ties."""
_ATTRIBUTE_RESAMPLES = 9_999
_REPLICATES = 1_999


def rated_outcome(differences: FloatArray, ratings: FloatArray, inference: Inference) -> TestOutcome:
    """Rank correlation of the attributes' associations with their ratings.

    Args:
        differences: log p of an attribute after the first text of a pair less that after the second, shape
            (attributes, pairs).
        ratings: shape (attributes,).
        inference: number of rearrangements, level and seed.

    Raises:
        UndefinedScoreError: there are fewer than four attributes, or associations or ratings do not vary.

    Examples:
        >>> d = np.array([[0.3, 0.5], [0.2, 0.1], [-0.1, 0.0], [-0.4, -0.2]])
        >>> outcome = rated_outcome(d, np.array([2.0, 1.0, -2.0, -1.0]), Inference())
        >>> round(outcome.score, 3), round(outcome.permutation.p_value, 3)
        (0.8, 0.333)
    """
    n = len(ratings)
    if n < 4:
        raise UndefinedScoreError(
            f"a correlation needs four attributes, and {n} can be scored: give more, or two for a decision"
        )
    # q(x) = mean over pairs and prompts of log p(x | first) − log p(x | second), shape (attributes,).
    q = differences.mean(axis=1).round(ROUNDING)
    test = stats.rank_correlation_test(q, ratings, n_resamples=inference.n_resamples, seed=inference.seed)
    interval = stats.rank_correlation_interval(
        differences.round(ROUNDING), ratings, level=inference.level, seed=inference.seed
    )
    rest = [_correlation(np.delete(q, i), np.delete(ratings, i)) for i in range(n)]
    influence = [None if r is None else test.statistic - r for r in rest]
    return TestOutcome(
        score=test.statistic,
        interval=interval,
        permutation=test,
        n_tested=n,
        facts={"mean_association": float(differences.mean()), "null_sd": test.null_sd},
        words=_columns(differences, ratings, inference) | {"influence": influence},
    )


def decision_outcome(
    differences: FloatArray, ratings: FloatArray, shares: FloatArray, inference: Inference
) -> TestOutcome:
    """How much more the first texts than the second raise the attribute that is rated higher over the other one.

    Args:
        differences: as for :func:`rated_outcome`, of two attributes.
        ratings: shape (2,).
        shares: share of prompts in which the higher rated attribute is the likelier one, shape (pairs, 2).
        inference: number of sign patterns, level and seed.

    Raises:
        UndefinedScoreError: there are no two attributes, or both are rated alike.

    Examples:
        >>> d = np.array([[0.3, 0.5, 0.1], [0.2, 0.1, -0.2]])
        >>> outcome = decision_outcome(d, np.array([1.0, -1.0]), np.zeros((3, 2)), Inference())
        >>> round(outcome.score, 3), outcome.permutation.p_value, round(outcome.facts["null_sd"], 3)
        (0.267, 0.25, 0.17)
    """
    if len(ratings) != 2:
        raise UndefinedScoreError("a decision needs both its attributes, and one cannot be scored")
    if ratings[0] == ratings[1]:
        raise UndefinedScoreError("a decision needs attributes of different ratings: one above the other")
    high = int(ratings[1] > ratings[0])
    contrast = stats.without_rounding(
        differences[high] - differences[1 - high], float(np.abs(differences).max())
    )
    n, score = len(contrast), float(contrast.mean())
    test = sign_flips(contrast, inference)
    error = stats.crossed_error(((contrast - score) / n)[:, None])
    interval = None
    if error is not None and stats.has_width(
        score - (half := error.half_width(inference.level)), score + half
    ):
        t_values = np.random.default_rng(inference.seed).standard_t(error.df, _REPLICATES)
        interval = Interval(
            score - half, score + half, "student", score, error.error, _REPLICATES, 0,
            replicates=score + error.error * t_values,
        )  # fmt: skip
    return TestOutcome(
        score=score,
        interval=interval,
        permutation=test,
        n_tested=n,
        score_range=(None, None),
        facts={
            "mean_association": float(differences.mean()),
            "decided": float((shares[:, 0] - shares[:, 1]).mean()),
            "null_sd": test.null_sd,
        },
        row_facts={
            "share_x": float(shares[:, 0].mean()),
            "share_y": float(shares[:, 1].mean()),
            "pairs": contrast.tolist(),
        },
        words=_columns(differences, ratings, inference),
    )


def _columns(differences: FloatArray, ratings: FloatArray, inference: Inference) -> dict[str, Any]:
    """What is said of every attribute: its association, rating, and the sign-flip test of its pairs."""
    tests = [
        stats.sign_flip_test(pair_differences, n_resamples=_ATTRIBUTE_RESAMPLES, seed=inference.seed)
        for pair_differences in differences
    ]
    p = [test.p_value for test in tests]
    return {
        "association": [test.statistic for test in tests],
        "rating": ratings.tolist(),
        "p_value": p,
        "p_holm": stats.holm(p).tolist(),
    }


def _correlation(q: FloatArray, ratings: FloatArray) -> float | None:
    """Spearman's correlation; ``None`` where one of the two does not vary, or there are too few."""
    if len(q) < 4 or np.ptp(q) == 0 or np.ptp(ratings) == 0:
        return None
    return stats.rank_correlation(q, ratings)
