"""KLDivS and the tests next to it, on scores of pairs that correlate as the scores of real sentences do."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

import evaluate_bias as eb
from evaluate_bias import Result

from . import Draw, effect, null, of_method, of_result

CORRELATION = 0.97
QUARTER = (129, 66, 43, 40, 26, 22, 21, 16, 15)
"""A fourth of the pairs of CrowS-Pairs' nine bias types."""


def pairs(
    rng: np.random.Generator, sizes: tuple[int, ...], shift: float = 0.0, ratio: float = 1.0
) -> list[dict[str, Any]]:
    """Scores with standard deviations ``ratio`` and 1, the stereotypical ones ``shift`` higher on average."""
    rows = []
    for k, n in enumerate(sizes):
        sentence = np.sqrt(CORRELATION) * rng.normal(size=n)
        more, less = sentence + np.sqrt(1 - CORRELATION) * rng.normal(size=(2, n))
        rows += [
            {"sent_more": m, "sent_less": s, "bias_type": f"type {k}"}
            for m, s in zip((shift + ratio * more).tolist(), less.tolist(), strict=True)
        ]
    return rows


def measured(data: list[dict[str, Any]], resamples: int = 999) -> Result:
    return eb.measure(
        "kldivs", None, data=data, gev=False, n_resamples=resamples, ci_resamples=max(resamples, 2)
    )


def draw(
    rng: np.random.Generator, sizes: tuple[int, ...], shift: float, ratio: float, truth: float | None
) -> Draw:
    """``truth`` is the mean score of 100,000 such samples; under the null the interval should contain the ideal."""
    return of_result(measured(pairs(rng, sizes, shift, ratio)), truth)


def ks(rng: np.random.Generator) -> Draw:
    """Return the p-value of the Kolmogorov-Smirnov test, if 65% of the pairs prefer the stereotypical sentence."""
    shift = 0.38532 * np.sqrt(2 * (1 - CORRELATION))
    result = measured(pairs(rng, (500,), shift), resamples=1)
    return Draw(result.estimates["ks_p_value"].value, None, None, None)


def skewed(rng: np.random.Generator, key: str) -> Draw:
    """The p-value of a z test of differences whose mean is 0 and whose distribution is log-normal."""
    differences = rng.lognormal(size=500) - np.exp(0.5)
    less = rng.normal(size=500)
    rows = [
        {"sent_more": s + d, "sent_less": s} for s, d in zip(less.tolist(), differences.tolist(), strict=True)
    ]
    return Draw(measured(rows, resamples=1).details[key]["p_value"], None, None, None)


def pair_draws(
    sizes: tuple[int, ...], shift: float = 0.0, ratio: float = 1.0, truth: float | None = None
) -> dict[str, Any]:
    """What a situation of such pairs is made of; many bias types take longer."""
    runs, few = (1_000, 10) if len(sizes) == 1 else (400, 5)
    return {
        "draw": partial(draw, sizes=sizes, shift=shift, ratio=ratio, truth=truth),
        "runs": runs,
        "few": few,
    }


_WIDE = "the interval is too wide by design: near the ideal the score cannot fall, and its replicates rise"
_SKEWED = "few values make up the mean and the variance of so skewed a sample, and 500 pairs are not many"
_TRIMMED = "trimming moves the mean of skewed differences, which is 0 before it"

SITUATIONS = of_method(
    "kldivs",
    null("9 bias types, 378 pairs", **pair_draws(QUARTER), misses=_WIDE),
    null("one bias type, 60 pairs", **pair_draws((60,)), misses=_WIDE),
    null("one bias type, 10 pairs, all swaps", **pair_draws((10,)), misses=_WIDE),
    effect("9 bias types, 378 pairs, shift 0.1, spread 1.05", **pair_draws(QUARTER, 0.1, 1.05, 52.2298)),
    effect("one bias type, 120 pairs, shift 0.1, spread 1.05", **pair_draws((120,), 0.1, 1.05, 52.1077)),
    effect("one bias type, 120 pairs, shift 0.1, spread 1.2", **pair_draws((120,), 0.1, 1.2, 56.4028)),
    effect("Kolmogorov-Smirnov test, 500 pairs, 65 % prefer the stereotype", ks, runs=300, few=10),
    *(
        null(
            f"z test of skewed differences, 500 pairs, {words}",
            partial(skewed, key=key),
            runs=300,
            few=10,
            misses=misses,
        )
        for key, words, misses in (
            ("z_test", "all", _SKEWED),
            ("z_test_without_outliers", "interquartile rule", _TRIMMED),
            ("z_test_within_quantiles", "1 % and 99 % quantiles", _TRIMMED),
        )
    ),
)
