"""What else could explain the differences of pairs: the frequency of words, and pairs without social content."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np

from ... import stats
from ...errors import InputError, UndefinedScoreError
from ...result import Estimate, Result


def frequency_differences(
    pairs: Sequence[Mapping[str, Any] | Any], frequencies: Mapping[str, float]
) -> dict[str, float]:
    """Mean decimal logarithm of the frequencies of the words of ``sent_more`` less the words of ``sent_less``, by pair.

    Args:
        pairs: sentence pairs, or mappings with their fields. One without ``id`` is called by its position
            from 0.
        frequencies: how often words in lower case occur, in any unit. Words without a frequency above 0 do
            not count. A pair with a sentence that has no other word is absent.

    Examples:
        >>> pairs = [{"id": "p", "sent_more": "She sings.", "sent_less": "He sings."}]
        >>> frequency_differences(pairs, {"she": 10, "he": 1000, "sings": 10})
        {'p': -1.0}
    """
    differences = {}
    for i, pair in enumerate(pairs):
        fields = dict(pair) if isinstance(pair, Mapping) else pair.model_dump()
        means = []
        for sentence in (fields["sent_more"], fields["sent_less"]):
            words = re.findall(r"\w+", sentence.lower())
            counts = [frequencies.get(word, 0.0) for word in words]
            means.append(np.log10([n for n in counts if n > 0]))
        if all(map(len, means)):
            differences[str(fields.get("id") or i)] = float(means[0].mean() - means[1].mean())
    return differences


def adjusted_difference(
    result: Result, covariates: Mapping[str, Mapping[str, float]], confidence_level: float = 0.95
) -> dict[str, Estimate]:
    """Mean difference of the pairs of a result at the value 0 of covariates, by linear regression of Δ on them.

    Args:
        result: of a method on sentence pairs.
        covariates: by name, the value of every pair by its ``id``, such as :func:`frequency_differences`. Pairs without
            a value of each are not part of the regression.
        confidence_level: confidence level.

    Returns:
        ``"mean_delta"`` of these pairs, ``"adjusted"``, the intercept, and the slope of every covariate, with intervals
        and two-sided p-values by Student's t and standard errors that allow for unequal variances (HC3).

    Raises:
        UndefinedScoreError: too few pairs have the covariates, or these do not vary independently.

    References:
        MacKinnon and White (1985), Journal of Econometrics 29 (HC3). Maddalozzo (2023), thesis, future work.
    """
    from scipy.stats import t

    rows = [
        row for row in result.rows_of("item") if all(row.name in values for values in covariates.values())
    ]
    delta = np.array([row.details["delta"] for row in rows], dtype=np.float64)
    x = np.column_stack([np.ones(len(rows)), *([v[row.name] for row in rows] for v in covariates.values())])
    free = len(rows) - x.shape[1]
    if free < 2 or np.linalg.matrix_rank(x) < x.shape[1]:
        raise UndefinedScoreError(
            f"{len(rows)} pairs have all {len(covariates)} covariates, too few, or these do not vary "
            "independently"
        )
    # b = (XᵀX)⁻¹Xᵀδ with the variance (XᵀX)⁻¹ Σ xᵢxᵢᵀ eᵢ² / (1 − hᵢ)² (XᵀX)⁻¹, h the diagonal of X(XᵀX)⁻¹Xᵀ.
    inverse = np.linalg.inv(x.T @ x)
    beta = inverse @ x.T @ delta
    leverage = np.einsum("ij,jk,ik->i", x, inverse, x).clip(0, 1 - 1e-9)
    scaled = x * ((delta - x @ beta) / (1 - leverage))[:, None]
    errors = np.sqrt(np.diag(inverse @ scaled.T @ scaled @ inverse))
    reach = float(t.ppf(0.5 + confidence_level / 2, free)) * errors
    p_values = 2 * t.sf(np.abs(beta) / errors, free)
    estimates = {"mean_delta": Estimate(float(delta.mean()))}
    for name, b, half, p in zip(("adjusted", *covariates), beta, reach, p_values, strict=True):
        estimates[name] = Estimate(float(b), float(b - half), float(b + half), float(p))
    return estimates


def against_controls(result: Result, controls: Collection[str], *, seed: int = 0) -> Estimate:
    """Mean difference of pairs less the mean of control pairs, which should show none.

    Args:
        result: of a method on sentence pairs, controls among them.
        controls: names of the control pairs, or of their bias types.
        seed: of interval and test.

    Returns:
        The difference, with the percentile bootstrap interval of both samples and the p-value of the permutation test
        that pairs and controls could be exchanged.

    Raises:
        InputError: there are fewer than two controls, or fewer than two other pairs.
    """
    rows = result.rows_of("item")
    is_control = np.array([row.name in controls or row.labels.get("bias_type") in controls for row in rows])
    delta = np.array([row.details["delta"] for row in rows], dtype=np.float64)
    first, second = delta[~is_control], delta[is_control]
    if min(len(first), len(second)) < 2:
        raise InputError(
            f"{len(second)} of {len(rows)} pairs are controls: both kinds need two pairs or more",
            option="controls",
        )
    interval = stats.bootstrap_ci(
        [len(first), len(second)], lambda indices: first[indices[0]].mean(axis=1) - second[indices[1]].mean(axis=1),
        method="percentile", seed=seed,
    )  # fmt: skip
    p = stats.permutation_test(np.sort(first), np.sort(second), alternative="two-sided", seed=seed).p_value
    return Estimate(interval.estimate, interval.low, interval.high, p)
