"""Analogies on made-up words: questions of known probability to be answered with the expected word."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

import evaluate_bias as eb

from . import Draw, effect, of_method, of_result

__all__ = ["SITUATIONS"]


def analogies(rng: np.random.Generator, *, n: int, share: float, together: bool = False) -> Draw:
    """Questions in spaces of their own, in which the expected word or another lies where the answer must lie.

    ``together``: one throw decides for two questions.
    """
    vectors: dict[str, Any] = {}
    rows = []
    throws = rng.random(n) < share
    for i in range(n):
        a, b, c = np.eye(3 * n)[3 * i : 3 * i + 3]
        names = [f"{name}{i}" for name in ("a", "b", "c", "expected", "other")]
        answer, beside = b + c - a, b - c
        hit = throws[i - i % 2] if together else throws[i]
        placed = (answer, beside) if hit else (beside, answer)
        vectors |= dict(zip(names, (a, b, c, *placed), strict=True))
        rows.append({"a": names[0], "b": names[1], "c": names[2], "expected": [names[3]]})
    return of_result(eb.measure("analogies", vectors, data=rows, k=1), share)


SITUATIONS = of_method(
    "analogies",
    effect("30 questions, 10 % answered as expected", partial(analogies, n=30, share=0.1)),
    effect("30 questions, 30 % answered as expected", partial(analogies, n=30, share=0.3)),
    effect(
        "30 questions, 30 % answered as expected, each two alike",
        partial(analogies, n=30, share=0.3, together=True),
        misses="questions that resemble one another count as independent, and the interval is too narrow",
    ),
    runs=600,
)
