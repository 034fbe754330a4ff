"""Net neutral and its relatives over pairs of sentences, and the contrast of two groups, on arrays."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import special

from .... import stats
from ....arrays import FloatArray
from ....errors import UndefinedScoreError
from ....result import Estimate
from ...choosing.asking import IntArray
from ...choosing.scores import Score
from ...groups import known_mean, mean_contrast

THRESHOLDS = {"above_50": 0.5, "above_70": 0.7}
"""What the paper's T:τ counts as neutral."""
_FEWEST_SHARES = 5
_ROUNDING = 1e-12


def neutral_measures(
    probabilities: FloatArray,
    targets: IntArray,
    attributes: IntArray,
    confidence_level: float,
    *,
    averaged: bool = False,
) -> dict[str, Score]:
    """The paper's NN, FN, T:0.5 and T:0.7, with intervals.

    Args:
        probabilities: of entailment, neutral and contradiction, shape (pairs, 3).
        targets: number of each pair's target.
        attributes: number of its attribute.
        confidence_level: confidence level.
        averaged: average the probabilities of a target and an attribute first.

    Examples:
        >>> pairs = np.array([[0.1, 0.8, 0.1], [0.3, 0.6, 0.1], [0.5, 0.4, 0.1], [0.4, 0.4, 0.2]])
        >>> scores = neutral_measures(pairs, np.array([0, 0, 1, 1]), np.zeros(4, int), 0.95)
        >>> {key: round(score.score, 2) for key, score in scores.items()}
        {'net_neutral': 0.55, 'fraction_neutral': 0.75, 'above_50': 0.5, 'above_70': 0.25}
    """
    if averaged:
        words = np.stack([targets, attributes], axis=1)
        (targets, attributes), places = (part.T for part in np.unique(words, axis=0, return_inverse=True))
        totals = np.zeros((len(targets), 3))
        np.add.at(totals, places.ravel(), probabilities)
        probabilities = totals / np.bincount(places.ravel())[:, None]
    neutral = probabilities[:, 1]
    values = {
        "net_neutral": neutral,
        "fraction_neutral": (neutral >= probabilities.max(axis=1)).astype(np.float64),
        **{key: (neutral > least).astype(np.float64) for key, least in THRESHOLDS.items()},
    }
    return {
        key: mean_over_pairs(per_pair, targets, attributes, confidence_level)
        for key, per_pair in values.items()
    }


def mean_over_pairs(
    values: FloatArray, targets: IntArray, attributes: IntArray, confidence_level: float
) -> Score:
    """Mean over pairs, with an interval whose clusters are targets and attributes, which cross.

    Args:
        values: in [0, 1], shape (pairs,).
        targets: number of each pair's target.
        attributes: number of its attribute.
        confidence_level: confidence level.

    Returns:
        A score without a p-value: its ideal is an end of the range, which is never reached by chance.
    """
    mean = float(values.mean())
    # Of a number x of odds x / (1 - x): the interval is one of its log-odds, whose error is that of x by x (1 - x).
    table = np.zeros((int(targets.max()) + 1, int(attributes.max()) + 1))
    np.add.at(table, (targets, attributes), (values - mean) / len(values))
    table = table[np.bincount(targets) > 0][:, np.bincount(attributes) > 0]
    error = stats.crossed_error(table)
    if error is None:
        return Score(mean, ci_method="none: targets are fewer than two")
    slope = mean * (1 - mean)
    if slope <= _ROUNDING or error.error <= _ROUNDING:
        return Score(mean, ci_method="none: nothing varies over targets and attributes")
    half = error.half_width(confidence_level) / slope
    low, high = (float(end) for end in special.expit(special.logit(mean) + np.array([-half, half])))
    how = (
        "crossed mean squares of log-odds, over targets and attributes"
        if error.over_columns
        else "Student's t of log-odds, over targets, for these attributes alone"
    )
    return Score(mean, low, high, how)


def entailment_table(
    entailment: FloatArray, targets: IntArray, templates: IntArray, groups: IntArray
) -> FloatArray:
    """Mean probability of entailment of each group's attributes, shape (targets, templates, groups); NaN without any.

    Args:
        entailment: shape (pairs,).
        targets: number of each pair's target, from 0.
        templates: of its template.
        groups: of the group of its attribute.
    """
    places = targets, templates, groups
    shape = tuple(int(part.max()) + 1 for part in places)
    totals, counts = np.zeros(shape), np.zeros(shape)
    np.add.at(totals, places, entailment)
    np.add.at(counts, places, 1.0)
    return np.where(counts > 0, totals / np.maximum(counts, 1), np.nan)


def contrast_cells(table: FloatArray, first: int, second: int | None) -> FloatArray:
    """One group's entailment less another's, or less the mean of all others', shape (targets, templates)."""
    others = np.delete(table, first, axis=-1) if second is None else table[..., [second]]
    scale = float(np.nanmax(table, initial=0.0))
    return stats.without_rounding(table[..., first] - known_mean(others, axis=-1), scale)


def entailment_gap(
    cells: FloatArray, *, confidence_level: float, n_resamples: int, seed: int
) -> tuple[dict[str, Any], FloatArray]:
    """Mean over targets of the contrast of two groups.

    Args:
        cells: contrast of every target in every template, shape (targets, templates); NaN where there is none.
        confidence_level: confidence level.
        n_resamples: number of sign patterns, where they are sampled.
        seed: of these.

    Returns:
        Score, interval over targets and templates and sign-flip test over targets, by the names that a finding and a
        row have for them; and the contrast of each target, shape (targets,), NaN where there is none.

    Raises:
        UndefinedScoreError: no target has both groups in one template.

    Examples:
        >>> cells = np.array([[0.2, 0.1], [0.1, 0.1], [0.3, 0.2], [0.0, np.nan]])
        >>> facts, contrasts = entailment_gap(cells, confidence_level=0.95,
        ...     n_resamples=99, seed=0)
        >>> round(facts["score"], 3), facts["p_value"], contrasts.round(2).tolist()
        (0.125, 0.25, [0.15, 0.1, 0.25, 0.0])
    """
    lacking = "no target has pairs of both groups in one template"
    contrast = mean_contrast(
        cells, "targets", "templates", confidence_level=confidence_level, most=1.0, lacking=lacking
    )
    n_tested = int(np.count_nonzero(np.nan_to_num(contrast.contrasts)))
    return {**contrast.sign_flips("targets", n_resamples, seed), "n_tested": n_tested}, contrast.contrasts


def share_correlation(
    contrasts: FloatArray, shares: FloatArray, *, confidence_level: float, n_resamples: int, seed: int
) -> Estimate | None:
    """Spearman's correlation of the targets' contrasts with the shares of women among them.

    Args:
        contrasts: shape (targets,); NaN where there is none.
        shares: likewise.
        confidence_level: confidence level.
        n_resamples: number of rearrangements, where they are sampled.
        seed: of these.

    Returns:
        ``None`` with fewer than five targets that have both, or where one of the two does not vary.

    Examples:
        >>> correlation = share_correlation(
        ...     np.array([0.3, 0.2, 0.1, 0.0, -0.1]), np.array([0.1, 0.2, 0.5, 0.7, 0.9]),
        ...     confidence_level=0.95, n_resamples=99, seed=0)
        >>> round(correlation.value, 3), round(correlation.p, 4)
        (-1.0, 0.0167)
    """
    both = np.isfinite(contrasts) & np.isfinite(shares)
    x, y = contrasts[both], shares[both]
    if len(x) < _FEWEST_SHARES:
        return None
    try:
        test = stats.rank_correlation_test(x, y, n_resamples=n_resamples, seed=seed)
    except UndefinedScoreError:
        return None
    interval = stats.rank_correlation_interval(x[:, None], y, confidence_level=confidence_level, seed=seed)
    low, high = (None, None) if interval is None else (interval.low, interval.high)
    return Estimate(test.statistic, low, high, test.p_value)
