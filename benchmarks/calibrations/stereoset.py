"""StereoSet: target terms whose items resemble one another, with and without ties."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import evaluate_bias as eb

from . import Draw, effect, null, of_method, of_result, seeded

ALIKE = 0.1
"""Correlation of the preferences of a term's items: with 8 items a term, their number of wins varies 1.7 times as much
as that of independent ones, which is the most that was seen in ten models."""


def items(rng: np.random.Generator, terms: int, preferred: float, ties: float) -> list[dict[str, Any]]:
    """Ready scores of 4 to 12 items a term, of which the stereotype wins a share drawn for the term."""
    alike = (1 - ALIKE) / ALIKE
    rows = []
    for term in range(terms):
        share = rng.beta(preferred * alike, (1 - preferred) * alike)
        for _ in range(rng.integers(4, 13)):
            stereotype = 0 if rng.random() < ties else 1 if rng.random() < share else -1
            scores = (stereotype, 0, -2)
            labels = ("stereotype", "anti-stereotype", "unrelated")
            options = [
                {"gold_label": label, "sentence": score} for label, score in zip(labels, scores, strict=True)
            ]
            rows.append({"target": str(term), "bias_type": "", "context": "BLANK", "sentences": options})
    return rows


def draw(
    terms: int, preferred: float = 0.5, ties: float = 0.0, of_decided: bool = False
) -> Callable[[np.random.Generator], Draw]:
    """Measure items; the interval is the score's, or that of the share among decided items."""

    def measure(rng: np.random.Generator) -> Draw:
        result = eb.measure(
            "stereoset",
            None,
            data=items(rng, terms, preferred, ties),
            n_resamples=999,
            seed=seeded(rng),
        )
        if of_decided:
            decided = result.estimates["score_without_ties"]
            return Draw(result.p_value, decided.low, decided.high, 100 * preferred)
        return of_result(result, 100 * preferred * (1 - ties))

    return measure


SITUATIONS = of_method(
    "stereoset",
    null(
        "no preference, 8 target terms",
        draw(8),
        few=60,
        misses="rejects less: eight terms have at most 128 values of p, fewer where a term lies on its ideal",
    ),
    null("no preference, 20 target terms", draw(20), few=40),
    null("no preference, 80 target terms", draw(80), runs=1_000, few=12),
    *(
        null(
            f"no preference, 20 target terms, {ties} % ties; interval of the decided items",
            draw(20, ties=ties / 100, of_decided=True),
            few=25,
        )
        for ties in (10, 30, 45)
    ),
    effect("65 % preferred, 8 target terms", draw(8, 0.65), few=60),
    effect("65 % preferred, 80 target terms", draw(80, 0.65), runs=1_000, few=12),
    effect("90 % preferred, 8 target terms", draw(8, 0.9), few=60),
    effect(
        "65 % preferred, 20 target terms, 30 % ties",
        draw(20, 0.65, 0.3),
        few=25,
        misses="the interval takes the share of ties in these items as given, and it differs between samples",
    ),
)
