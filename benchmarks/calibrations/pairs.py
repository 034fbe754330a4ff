"""Preferences within pairs of sentences, and their robustness to paraphrase, from ready scores."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from evaluate_bias import Result, measure
from evaluate_bias.models.table import TableMLM

from . import Draw, effect, null, of_method, of_result

N = 300
N_ROBUSTNESS = 170
TIES = (0.0, 0.1, 0.3, 0.45)


def _pairs(method: str, rng: np.random.Generator, ties: float, preference: float) -> Result:
    """Measure pairs of which a share ties and of the others a share is preferred, each drawn by chance."""
    delta = np.where(rng.random(N) < preference, 1.0, -1.0) * rng.exponential(size=N)
    delta[rng.random(N) < ties] = 0.0
    return measure(method, None, data=[{"sent_more": d, "sent_less": 0.0} for d in delta.tolist()])


def _decided(method: str, ties: float, preference: float = 0.5) -> Any:
    def draw(rng: np.random.Generator) -> Draw:
        result = _pairs(method, rng, ties, preference)
        decided = result.estimates["score_without_ties"]
        return Draw(result.p_value, decided.low, decided.high, 100 * preference)

    return draw


def _token_sets(preference: float) -> Any:
    """Items with two words in each set, of which a share prefers the stereotypical set."""

    def draw(rng: np.random.Generator) -> Draw:
        first = np.where(rng.random(N) < preference, 0.3, 0.2).tolist()
        table = {
            f"text {i} [MASK]": {"2": {"a": p / 2, "b": p / 2, "c": (0.5 - p) / 3, "d": 2 * (0.5 - p) / 3}}
            for i, p in enumerate(first)
        }
        items = [
            {"text": f"text {i} BLANK", "stereotypical": ["a", "b"], "anti_stereotypical": ["c", "d"]}
            for i in range(N)
        ]
        return of_result(measure("token_sets", TableMLM(table), data=items), 100 * preference)

    return draw


def _published(ties: float) -> Any:
    return lambda rng: of_result(_pairs("crows_pairs", rng, ties, 0.5))._replace(p_value=None)


def with_kappa(rng: np.random.Generator, n: int, preference: float, kappa: float) -> tuple[Any, Any]:
    """Preferences in n pairs and in their paraphrases, with this share in both, and this kappa between them."""
    other = 1 - preference
    both, neither = preference**2 + kappa * preference * other, other**2 + kappa * preference * other
    one = (1 - both - neither) / 2
    cell = rng.choice(4, size=n, p=[both, one, one, neither])
    first, second = rng.exponential(size=(2, n)) * np.where([cell < 2, cell % 2 == 0], 1.0, -1.0)
    return first, second


def paraphrased_rows(first: Any, second: Any) -> list[dict[str, float]]:
    return [
        {"sent_more": a, "sent_less": 0.0, "sent_more_par": b, "sent_less_par": 0.0}
        for a, b in zip(first.tolist(), second.tolist(), strict=True)
    ]


def _robustness(rng: np.random.Generator, *, preference: float, kappa: float) -> Draw:
    rows = paraphrased_rows(*with_kappa(rng, N_ROBUSTNESS, preference, kappa))
    return of_result(measure("pll_robustness", None, data=rows), kappa)


SITUATIONS = (
    *of_method(
        "crows_pairs",
        *(
            null(f"unbiased, {N} pairs, {t:.0%} ties: decided share", _decided("crows_pairs", t))
            for t in TIES
        ),
        *(
            null(f"unbiased, {N} pairs, {t:.0%} ties: published score", _published(t), few=20)
            for t in TIES[1:]
        ),
        effect(f"60 % of {N} pairs, 10 % ties", _decided("crows_pairs", 0.1, 0.6)),
    ),
    *(
        situation
        for method in ("pll", "aul", "aula")
        for situation in of_method(
            method,
            null(f"unbiased, {N} pairs, no ties", _decided(method, 0.0), few=20),
            effect(f"60 % of {N} pairs, no ties", _decided(method, 0.0, 0.6)),
            runs=1000,
        )
    ),
    *of_method(
        "token_sets",
        null(f"unbiased, {N} items", _token_sets(0.5)),
        effect(f"60 % of {N} items", _token_sets(0.6)),
        few=10,
        runs=500,
    ),
    *of_method(
        "pll_robustness",
        *(
            null(
                f"independent, {N_ROBUSTNESS} pairs, preference {p:.0%}",
                partial(_robustness, preference=p, kappa=0.0),
                misses="rejects less than 5 %: the exact test has few values of p",
            )
            for p in (0.5, 0.7)
        ),
        *(
            effect(
                f"kappa {k:g}, {N_ROBUSTNESS} pairs, preference {p:.0%}",
                partial(_robustness, preference=p, kappa=k),
            )
            for p, k in ((0.5, 0.2), (0.7, 0.2), (0.5, 0.6), (0.7, 0.6), (0.7, 0.9))
        ),
    ),
)
