"""Decision gaps on arrays: the contrast of two groups within templates."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .... import stats
from ....arrays import FloatArray
from ....errors import UndefinedScoreError
from ....result import Estimate
from ...choosing import Score, influence_score
from .names import name_gap, permuted_names

_LARGE = 1e3


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
    score, influence, contrasts = mean_contrast(log_odds, first, second, level)
    defined = contrasts[np.isfinite(contrasts)]
    test = stats.sign_flip_test(defined, n_resamples=n_resamples, seed=seed)
    score = score._replace(
        p_value=test.p_value, p_method=f"{test.method} sign-flip test over templates, two-sided"
    )
    facts = {
        "p_low": test.p_low,
        "p_high": test.p_high,
        "n": len(defined),
        "details": {"null_sd": test.null_sd},
    }
    if names:
        facts |= _of_names(score, influence, contrasts, (names[first], names[second]), level)
    return {**score.facts(), **facts}, contrasts


def _of_names(
    score: Score,
    influence: FloatArray,
    contrasts: FloatArray,
    names: tuple[FloatArray, FloatArray],
    level: float,
) -> dict[str, Any]:
    """The facts in which names are drawn too, and the p-value of the groups permuted over them."""
    x, y = _answered(names, contrasts)
    gap, error = name_gap((x, y), influence, score, level, _limit(contrasts))
    facts: dict[str, Any] = {**gap.facts(), "details": {"n_names": [len(x), len(y)]}}
    if gap.p_value != score.p_value:
        facts |= {"p_low": None, "p_high": None}
    if error is not None:  # Student's test has no smallest p-value
        facts["details"] |= {"null_sd": error, "smallest_p": 0.0}
    return facts | {"estimates": {"p_names": Estimate(permuted_names((x, y)))}}


def rate_gap(
    rates: FloatArray, first: int, second: int, level: float, names: Sequence[FloatArray] = ()
) -> Score:
    """As :func:`group_gap`, of shares in place of log-odds, whose contrasts are 1 at most; without a p-value."""
    score, influence, contrasts = mean_contrast(rates, first, second, level, most=1.0)
    if not names:
        return score
    return name_gap(_answered((names[first], names[second]), contrasts), influence, score, level, 1.0)[0]


def _answered(names: tuple[FloatArray, FloatArray], contrasts: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Of each group the names with an answer, in the templates that have a contrast."""
    first, second = (values[:, np.isfinite(contrasts)] for values in names)
    return first[np.isfinite(first).any(axis=1)], second[np.isfinite(second).any(axis=1)]


def mean_contrast(
    table: FloatArray, first: int, second: int, level: float, most: float | None = None
) -> tuple[Score, FloatArray, FloatArray]:
    """Mean over templates of one group's values less another's, with its interval and test over templates.

    Args:
        table: mean of each group's values, shape (templates, wordings, groups); NaN where there is none.
        first: number of the one group.
        second: number of the other.
        level: confidence level.
        most: largest difference there can be; ``None`` for no limit.

    Returns:
        The mean; by how much each wording moves it in each template that has a contrast, shape (templates, wordings);
        and the contrasts of all templates, NaN where there is none.

    Raises:
        UndefinedScoreError: no template has answers about both groups in one wording.
    """
    # c[t, w] = mean of the first group less that of the second; a template's is the mean over its wordings.
    sizes = np.abs(table[..., [first, second]])
    cells = stats.without_rounding(
        table[..., first] - table[..., second], float(np.nanmax(sizes, initial=0.0))
    )
    known = np.isfinite(cells)
    per_template = known.sum(axis=1)
    if not per_template.any():
        raise UndefinedScoreError("no template has an answer about both groups")
    used = per_template > 0
    contrasts = np.full(len(cells), np.nan)
    means = np.where(known, cells, 0.0).sum(axis=1)[used] / per_template[used]
    contrasts[used] = stats.without_rounding(means, float(np.nanmax(np.abs(cells))))
    value = float(contrasts[used].mean())
    moves = np.where(known, cells - value, 0.0)[used] / (per_template[used, None] * used.sum())
    place, wording = np.nonzero(known[used])
    limit = _limit(contrasts) if most is None else most
    score = influence_score(
        value,
        moves[place, wording],
        place,
        wording,
        null=0.0,
        level=level,
        what="templates",
        bounds=(-limit, limit),
    )
    return score, moves, contrasts


def _limit(contrasts: FloatArray) -> float:
    """A difference beyond all that contrasts without a limit have."""
    return _LARGE * max(1.0, float(np.nanmax(np.abs(contrasts))))
