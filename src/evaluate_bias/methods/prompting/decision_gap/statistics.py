"""Decision gaps on arrays: the contrast of two groups within templates, and all groups together."""

from __future__ import annotations

from typing import Any

import numpy as np

from .... import stats
from ....arrays import FloatArray
from ....errors import UndefinedScoreError
from ...choosing import influence_score
from ...word_lists.inference import batch_sizes

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
    # c[t, w] = mean log-odds of the first group less those of the second; a template's is the mean over its wordings.
    cells = log_odds[..., first] - log_odds[..., second]
    known = np.isfinite(cells)
    per_template = known.sum(axis=1)
    if not per_template.any():
        raise UndefinedScoreError("no template has an answer about both groups")
    used = per_template > 0
    contrasts = np.full(len(cells), np.nan)
    contrasts[used] = np.where(known, cells, 0.0).sum(axis=1)[used] / per_template[used]
    own = contrasts[used]
    value = float(own.mean())
    place, wording = np.nonzero(known)
    influence = (cells[place, wording] - value) / (per_template[place] * used.sum())
    most = _LARGE * max(1.0, float(np.abs(own).max()))
    score = influence_score(
        value, influence, place, wording, null=0.0, level=level, what="templates", bounds=(-most, most)
    )
    test = stats.sign_flip_test(own, n_resamples=n_resamples, seed=seed)
    return {
        **score.facts(),
        "p_value": test.p_value,
        "p_low": test.p_low,
        "p_high": test.p_high,
        "p_method": f"{test.method} sign-flip test over templates, two-sided",
        "n": len(own),
        "details": {"null_sd": test.null_sd},
    }, contrasts


def largest_gap(log_odds: FloatArray, *, n_resamples: int, seed: int) -> tuple[float, float] | None:
    """Largest difference of two groups over the templates that have all, and its p: groups change within templates.

    Args:
        log_odds: shape (templates, groups); NaN where a group has no answer.
        n_resamples: number of random exchanges.
        seed: of these.

    Returns:
        ``None`` where no template has all groups.

    Examples:
        >>> round(largest_gap(np.array([[1.0, 0.5, 0.0], [0.9, 0.2, 0.3]]), n_resamples=999, seed=0)[0], 6)
        0.8
    """
    table = log_odds[np.isfinite(log_odds).all(axis=1)]
    if not len(table):
        return None
    observed = float(np.ptp(table.mean(axis=0)))
    # The largest difference of two groups is the range of the groups' means, shape (batch,).
    rng = np.random.default_rng(seed)
    slack = stats.TIE_TOLERANCE * max(1.0, float(np.abs(table).max()))
    extreme = 0
    for size in batch_sizes(n_resamples, table.size):
        drawn = rng.permuted(np.broadcast_to(table, (size, *table.shape)), axis=2).mean(axis=1)
        extreme += int((np.ptp(drawn, axis=1) >= observed - slack).sum())
    return observed, stats.sampled_p(extreme, n_resamples)[0]
