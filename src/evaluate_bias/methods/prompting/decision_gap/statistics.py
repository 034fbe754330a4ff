"""Decision gaps on arrays: the contrast of two groups within templates."""

from __future__ import annotations

from typing import Any

import numpy as np

from .... import stats
from ....arrays import FloatArray
from ....errors import UndefinedScoreError
from ...choosing import Score, influence_score

_LARGE = 1e3


def group_gap(
    log_odds: FloatArray, first: int, second: int, *, level: float, n_resamples: int, seed: int
) -> tuple[dict[str, Any], FloatArray]:
    """Mean over templates of the log-odds of one group less those of another.

    Args:
        log_odds: mean of each group's answers, shape (templates, wordings, groups); NaN where there is none.
        first: number of the one group.
        second: number of the other.
        level: confidence level.
        n_resamples: number of sign patterns, where they are sampled.
        seed: of these.

    Returns:
        What is found, by the names that a finding and a row have for it, and the contrast of each template, shape
        (templates,), NaN where there is none.

    Raises:
        UndefinedScoreError: no template has answers about both groups in one wording.

    Examples:
        >>> table = np.array([[[1.0, 0.5]], [[0.2, 0.0]], [[2.0, 1.4]]])
        >>> gap, contrasts = group_gap(table, 0, 1, level=0.95, n_resamples=99, seed=0)
        >>> round(gap["score"], 3), gap["p_value"], round(gap["details"]["null_sd"], 3)
        (0.433, 0.25, 0.269)
    """
    score, defined, contrasts = mean_contrast(log_odds, first, second, level)
    test = stats.sign_flip_test(defined, n_resamples=n_resamples, seed=seed)
    return {
        **score.facts(),
        "p_value": test.p_value,
        "p_low": test.p_low,
        "p_high": test.p_high,
        "p_method": f"{test.method} sign-flip test over templates, two-sided",
        "n": len(defined),
        "details": {"null_sd": test.null_sd},
    }, contrasts


def mean_contrast(
    table: FloatArray, first: int, second: int, level: float, most: float | None = None
) -> tuple[Score, FloatArray, FloatArray]:
    """Mean over templates of one group's values less another's, with its interval.

    Args:
        table: mean of each group's values, shape (templates, wordings, groups); NaN where there is none.
        first: number of the one group.
        second: number of the other.
        level: confidence level.
        most: largest difference there can be; ``None`` for no limit.

    Returns:
        The mean, the contrasts of the templates that have one, and those of all, NaN where there is none.

    Raises:
        UndefinedScoreError: no template has answers about both groups in one wording.
    """
    # c[t, w] = mean of the first group less that of the second; a template's is the mean over its wordings.
    cells = table[..., first] - table[..., second]
    known = np.isfinite(cells)
    per_template = known.sum(axis=1)
    if not per_template.any():
        raise UndefinedScoreError("no template has an answer about both groups")
    used = per_template > 0
    contrasts = np.full(len(cells), np.nan)
    contrasts[used] = np.where(known, cells, 0.0).sum(axis=1)[used] / per_template[used]
    defined = contrasts[used]
    value = float(defined.mean())
    place, wording = np.nonzero(known)
    influence = (cells[place, wording] - value) / (per_template[place] * used.sum())
    limit = _LARGE * max(1.0, float(np.abs(defined).max())) if most is None else most
    score = influence_score(
        value, influence, place, wording, null=0.0, level=level, what="templates", bounds=(-limit, limit)
    )
    return score, defined, contrasts
