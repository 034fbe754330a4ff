"""Gender stereotypes on arrays: men's against women's by their means, with Welch's test over the stereotypes."""

from __future__ import annotations

import math
from functools import cache
from itertools import combinations
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import special

from ....arrays import FloatArray
from ....errors import UndefinedScoreError
from ....result import Estimate
from ....stats import TIE_TOLERANCE, has_width
from ....text import plain_p

FEWEST = 3
"""Stereotypes that either side needs for a test and an interval."""
_LARGEST_LOG = 700.0
"""A number whose exponential a float can hold."""


def too_few(n_men: int, n_women: int) -> str:
    """Return why so many stereotypes cannot be tested, a clause; empty if they can.

    It takes three on either side, and a split that gives a p-value of 5 %.

    Examples:
        >>> too_few(9, 7), too_few(3, 4)
        ('', '')
        >>> too_few(3, 3)
        'with 3 and 3 stereotypes, the smallest possible p-value is .100'
        >>> too_few(9, 2)
        'a test takes 3 stereotypes of men and 3 of women, and there are 9 and 2'
    """
    if min(n_men, n_women) < FEWEST:
        takes = f"{FEWEST} stereotypes of men and {FEWEST} of women"
        return f"a test takes {takes}, and there are {n_men} and {n_women}"
    # Of two sides of one size, a split and its mirror image are equally far from 0.
    smallest = (1 + (n_men == n_women)) / math.comb(n_men + n_women, n_men)
    what = f"with {n_men} and {n_women} stereotypes"
    return f"{what}, the smallest possible p-value is {plain_p(smallest)}" if smallest > 0.05 else ""


def split_test(men: npt.ArrayLike, women: npt.ArrayLike) -> tuple[float, float]:
    """Two-sided test of a difference of means: Welch's t, permuted over all splits of the values into these sizes.

    The plain difference rejects too often where the sides differ in spread as well as in size.

    Args:
        men: values of one side, shape (n_men,), two or more.
        women: values of the other.

    Returns:
        The p-value, and the standard deviation of the difference over the splits.

    References:
        Janssen (1997): Studentized permutation tests for non-i.i.d. hypotheses and the generalized Behrens-Fisher
        problem. Statistics & Probability Letters 36, 9-21.

    Examples:
        >>> [round(number, 4) for number in split_test([0.6, 0.7, 0.8, 0.75], [0.3, 0.4, 0.2])]
        [0.0286, 0.1801]
    """
    values = np.concatenate([np.asarray(men, np.float64), np.asarray(women, np.float64)])
    values = values - values.mean()
    n, k = len(values), np.size(men)
    inside = _splits(n, k)
    # Sums of the values, which add up to 0, and of their squares, over the k inside; shape (splits,)
    total, squares = inside @ values, inside @ values**2
    mean, other = total / k, -total / (n - k)
    error = (squares / k - mean**2) / (k - 1) + ((np.sum(values**2) - squares) / (n - k) - other**2) / (
        n - k - 1
    )
    difference = mean - other
    # Without any spread within both sides t is infinite, and 0 where nothing varies at all.
    spread, floor = np.abs(values).max(), TIE_TOLERANCE * np.abs(values).max() ** 2
    unbounded = np.where(np.abs(difference) > TIE_TOLERANCE * spread, np.inf, 0.0)
    t = np.where(error > floor, np.abs(difference) / np.sqrt(np.maximum(error, floor or 1.0)), unbounded)
    extreme = t >= t[0] * (1 - 1e-9)
    return float(extreme.mean()), float(difference.std())


@cache
def _splits(n: int, k: int) -> FloatArray:
    """Every way to take k of n, a row each with 1 for what is taken; the first is that of the first k."""
    chosen = np.array(list(combinations(range(n), k)))
    inside = np.zeros((len(chosen), n))
    inside[np.arange(len(chosen))[:, None], chosen] = 1.0
    return inside


def contrast(men: FloatArray, women: FloatArray, *, ratio: bool, confidence_level: float) -> dict[str, Any]:
    """Mean of the men's stereotypes less that of the women's, or their ratio g_s, as fields of a finding or a row.

    Args:
        men: mean probability of the masculine form for every stereotype of men, shape (n_men,), in [0, 1].
        women: the same of women.
        ratio: whether the score is g_s.
        confidence_level: level of the intervals.

    Returns:
        Score, interval and p-value, ``n`` of stereotypes, the estimates ``g_s`` and ``inclination``, and ``null_sd``
        among the details. With too few stereotypes there is neither interval nor p-value, and ``details["too_few"]``
        says why.

    Examples:
        >>> a, b = np.array([0.6, 0.7, 0.8]), np.array([0.5, 0.4, 0.3, 0.4])
        >>> facts = contrast(a, b, ratio=False, confidence_level=0.95)
        >>> round(facts["score"], 3), round(facts["p_value"], 4), round(facts["estimates"]["g_s"].value, 3)
        (0.3, 0.0286, 1.75)
    """
    means = float(men.mean()), float(women.mean())
    why_none = too_few(len(men), len(women))
    testable = not why_none
    p_value, null_sd = split_test(men, women) if testable else (None, None)
    difference = Estimate(means[0] - means[1])
    rate = Estimate(means[0] / means[1]) if means[1] > 0 else None
    if testable:
        variances = [float(side.var(ddof=1)) / len(side) for side in (men, women)]
        dfs = len(men) - 1, len(women) - 1
        difference = _welch(difference.value, variances, dfs, confidence_level)
        if rate is not None and means[0] > 0:
            # On the scale of logarithms, where the variance of a mean is divided by its square.
            relative = [v / m**2 for v, m in zip(variances, means, strict=True)]
            logs = _welch(math.log(rate.value), relative, dfs, confidence_level)
            if logs.low is not None and logs.high is not None and logs.high < _LARGEST_LOG:
                rate = Estimate(rate.value, math.exp(logs.low), math.exp(logs.high))
    if ratio and rate is None:
        raise UndefinedScoreError(
            "g_s is undefined: with stereotypes of women the masculine form has no probability"
        )
    score = rate if ratio and rate is not None else difference
    every = np.concatenate([men, women])
    return {
        "score": score.value,
        "ci_low": score.low,
        "ci_high": score.high,
        "p_value": p_value,
        "n": len(every),
        "estimates": {
            **({} if rate is None else {"g_s": rate}),
            "inclination": Estimate(float(every.mean()) - 0.5),
        },
        "details": {"null_sd": null_sd} if testable else {"too_few": why_none},
    }


def _welch(value: float, variances: list[float], dfs: tuple[int, int], confidence_level: float) -> Estimate:
    """A difference of two means with Welch's interval; without one where nothing varies."""
    variance = sum(variances)
    if variance <= 0:
        return Estimate(value)
    # Of the variances' shares, as the square of a small variance would be 0.
    df = 1 / sum((v / variance) ** 2 / d for v, d in zip(variances, dfs, strict=True))
    half = math.sqrt(variance) * float(special.stdtrit(df, (1 + confidence_level) / 2))
    ends = (value - half, value + half)
    return Estimate(value, *ends) if has_width(*ends) else Estimate(value)
