"""Decision gaps on arrays: the contrast of two groups within templates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from .... import stats
from ....arrays import FloatArray
from ....result import Estimate
from ...choosing import Score
from ...groups import MeanContrast, mean_contrast
from .names import name_gap, permuted_names


def group_gap(
    log_odds: FloatArray,
    first: int,
    second: int,
    *,
    level: float,
    n_resamples: int,
    seed: int,
    names: Sequence[FloatArray] = (),
) -> tuple[dict[str, Any], FloatArray]:
    """Mean over templates of the log-odds of one group less those of another.

    Args:
        log_odds: mean of each group's answers, shape (templates, wordings, groups); NaN where there is none.
        first: number of the one group.
        second: number of the other.
        level: confidence level.
        n_resamples: number of sign patterns, where they are sampled.
        seed: of these.
        names: where names stand for the groups, of every group the mean answers about its names, shape (names,
            templates); NaN where there is none.

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
    contrast = _contrast(log_odds, first, second, level)
    facts = contrast.sign_flips("templates", n_resamples, seed)
    if names:
        facts |= _of_names(contrast, facts, _answered((names[first], names[second]), contrast), level)
    return facts, contrast.contrasts


def _of_names(
    contrast: MeanContrast, facts: Mapping[str, Any], names: tuple[FloatArray, FloatArray], level: float
) -> dict[str, Any]:
    """The facts in which names are drawn too, and the p-value of the groups permuted over them."""
    score = contrast.score._replace(p_value=facts["p_value"], p_method=facts["p_method"])
    gap, error = name_gap(names, contrast.influence, score, level, contrast.limit)
    details: dict[str, Any] = {"n_names": [len(group) for group in names]}
    if error is not None:  # Student's test has no smallest p-value
        details |= {"null_sd": error, "smallest_p": 0.0}
    bounds = {} if gap.p_value == score.p_value else {"p_low": None, "p_high": None}
    return {
        **gap.facts(), **bounds, "details": details, "estimates": {"p_names": Estimate(permuted_names(names))},
    }  # fmt: skip


def rate_gap(
    rates: FloatArray, first: int, second: int, level: float, names: Sequence[FloatArray] = ()
) -> Score:
    """As :func:`group_gap`, of shares in place of log-odds, whose contrasts are 1 at most; without a p-value."""
    contrast = _contrast(rates, first, second, level, most=1.0)
    if not names:
        return contrast.score
    both = _answered((names[first], names[second]), contrast)
    return name_gap(both, contrast.influence, contrast.score, level, 1.0)[0]


def _answered(names: tuple[FloatArray, FloatArray], contrast: MeanContrast) -> tuple[FloatArray, FloatArray]:
    """Of each group the names with an answer, in the templates that have a contrast."""
    first, second = (values[:, np.isfinite(contrast.contrasts)] for values in names)
    return first[np.isfinite(first).any(axis=1)], second[np.isfinite(second).any(axis=1)]


def _contrast(
    table: FloatArray, first: int, second: int, level: float, most: float | None = None
) -> MeanContrast:
    """Mean over templates of one group's values less another's; ``table`` as for :func:`group_gap`."""
    largest = float(np.nanmax(np.abs(table[..., [first, second]]), initial=0.0))
    cells = stats.without_rounding(table[..., first] - table[..., second], largest)
    lacking = "no template has an answer about both groups"
    return mean_contrast(cells, "templates", "wordings", level=level, lacking=lacking, most=most)
