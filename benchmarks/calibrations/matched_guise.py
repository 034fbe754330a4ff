"""Matched guise probing on a masked model whose log-probabilities are drawn."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from evaluate_bias import measure
from evaluate_bias.arrays import FloatArray
from evaluate_bias.models.masked import MaskedRequest
from evaluate_bias.models.table import TableMLM

from . import Draw, effect, null, of_method, of_result, seeded

RESAMPLES = 999
TRUTH = 6 / math.pi * math.asin(0.5 / math.sqrt(1 + 0.5**2 / 20) / 2)
"""Spearman's correlation of normal variables that correlate with 0.5, one of them with the noise of 20 pairs."""


class DrawnTexts(TableMLM):
    """Reads one word and a mask: log-probabilities of words after words, shape (words, texts)."""

    def __init__(self, words: Sequence[str], texts: Sequence[str], logprobs: FloatArray) -> None:
        super().__init__({})
        self.rows = {self.piece_id(word): i for i, word in enumerate(words)}
        self.columns = {self.piece_id(text): i for i, text in enumerate(texts)}
        self.logprobs = logprobs

    def masked_logprobs(self, requests: Sequence[MaskedRequest]) -> list[Any]:
        return [
            self.logprobs[[self.rows[t] for _, t in r.targets], self.columns[r.encoded.ids[1]]]
            for r in requests
        ]


def measured(differences: FloatArray, ratings: FloatArray, rng: np.random.Generator, truth: float) -> Draw:
    """Measure attributes by the drawn difference that each pair of texts makes, shape (attributes, pairs)."""
    n, m = differences.shape
    words, x, y = ([f"{side}{i}" for i in range(size)] for side, size in (("w", n), ("x", m), ("y", m)))
    base = rng.normal(-6, 1, (n, 1))
    model = DrawnTexts(words, [*x, *y], np.hstack([base + differences / 2, base - differences / 2]))
    test = {
        "name": "drawn",
        "targets_x": x,
        "targets_y": y,
        "attributes_a": words,
        "ratings": ratings.tolist(),
    }
    seed = seeded(rng)
    return of_result(measure("matched_guise", model, data=[test], n_resamples=RESAMPLES, seed=seed), truth)


def rated(
    correlation: float, n: int, m: int, *, slope: float = 0.0, binary: bool = False, truth: float
) -> Any:
    """Attributes lean with their ratings; the more so after some pairs than after others, by ``slope``."""

    def draw(rng: np.random.Generator) -> Draw:
        ratings = np.repeat([1.0, -1.0], n // 2) if binary else rng.normal(size=n)
        lean = correlation * ratings + np.sqrt(1 - correlation**2) * rng.normal(size=n)
        of_pairs = slope * ratings[:, None] * rng.normal(size=m) + rng.normal(0, 0.5, m)
        return measured(lean[:, None] + of_pairs + rng.normal(0, 0.5, (n, m)), ratings, rng, truth)

    return draw


def decision(gap: float, m: int) -> Any:
    """Two attributes, of which the first texts raise one over the other by ``gap`` nats; pairs differ by 1."""

    def draw(rng: np.random.Generator) -> Draw:
        of_pairs = gap / 2 + rng.normal(0, 0.5, m)
        return measured(np.stack([of_pairs, -of_pairs]), np.array([1.0, -1.0]), rng, gap)

    return draw


SITUATIONS = of_method(
    "matched_guise",
    null(
        "20 attributes of two ratings, 12 pairs, no association", rated(0.0, 20, 12, binary=True, truth=0.0)
    ),
    null("36 attributes, 20 pairs, no association", rated(0.0, 36, 20, truth=0.0)),
    effect("36 attributes, 20 pairs, ρ = 0.48", rated(0.5, 36, 20, truth=TRUTH)),
    effect("36 attributes, 20 pairs that differ, ρ = 0.48", rated(0.5, 36, 20, slope=0.5, truth=TRUTH)),
    null("a decision, 20 pairs, no difference", decision(0.0, 20)),
    effect("a decision, 20 pairs, 0.6 nats", decision(0.6, 20)),
)
