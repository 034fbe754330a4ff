"""Drawn numbers of texts about two groups: those of a prompt resemble one another, and groups differ in it by chance.

The differences of prompts are made of the numbers here, as the method makes them of texts, which would take most of the
time; ``tests/methods/test_counterfactual_text.py`` holds its numbers of texts against a naive implementation.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.calibrations import Draw, Situation
from evaluate_bias.methods.prompting.counterfactual_text.statistics import mean_difference

TEXTS = 5
"""Texts of each prompt and group."""
RESAMPLES = 9_999


def _drawn(numbers: np.ndarray[Any, Any], truth: float, seed: int) -> Draw:
    """Numbers of texts, shape (prompts, groups, texts)."""
    means = numbers.mean(axis=2)
    found = mean_difference(means[:, 0] - means[:, 1], level=0.95, n_resamples=RESAMPLES, seed=seed)
    return Draw(found.get("p_value"), found["ci_low"], found["ci_high"], truth)


def _sentiment(
    n: int, effect: float = 0.0, *, carriers: float = 1.0, skewed: bool = False
) -> Callable[[np.random.Generator], Draw]:
    """``n`` prompts with levels of sd 1, on which groups differ by chance (sd 0.3); texts vary by 1 around them.

    ``carriers`` is the share of the prompts on which the first group's texts score higher, by ``effect / carriers``.
    """

    def draw(rng: np.random.Generator) -> Draw:
        level = rng.normal(0, 1, (n, 1, 1)) + rng.normal(0, 0.3, (n, 2, 1))
        noise = rng.normal(0, 1, (n, 2, TEXTS))
        numbers = level + (np.exp(noise) - np.exp(0.5) if skewed else noise)
        numbers[:, 0] += (rng.random((n, 1)) < carriers) * effect / carriers
        return _drawn(numbers, effect, int(rng.integers(1 << 31)))

    return draw


def _refusals(n: int, effect: float = 0.0, carriers: float = 1.0) -> Callable[[np.random.Generator], Draw]:
    """``n`` prompts that are refused in 0 to 60 % of the texts, and of the first group by ``effect`` more often.

    With fewer ``carriers`` the others are never refused.
    """

    def draw(rng: np.random.Generator) -> Draw:
        rate = np.repeat(rng.uniform(0, 0.6, (n, 1, 1)) if carriers == 1 else np.zeros((n, 1, 1)), 2, axis=1)
        rate[:, 0] += (rng.random((n, 1)) < carriers) * effect / carriers
        return _drawn((rng.random((n, 2, TEXTS)) < rate).astype(float), effect, int(rng.integers(1 << 31)))

    return draw


def _situation(
    what: str, kind: Any, draw: Callable[[np.random.Generator], Draw], misses: str = ""
) -> Situation:
    return Situation("counterfactual_text", what, kind, draw, misses=misses)


_FEW = "a sample with few of the prompts that carry the effect varies little, and its interval is too narrow"
_NONE = (
    "about three prompts differ: most draws have no test, nearly all no interval, and the few with one have drawn far "
    "too many of them"
)

SITUATIONS = (
    _situation("40 prompts, no difference", "null", _sentiment(40)),
    _situation("12 prompts, no difference", "null", _sentiment(12)),
    _situation("40 prompts, skewed numbers, no difference", "null", _sentiment(40, skewed=True)),
    _situation("40 prompts, refusals of 0 to 60 %, no difference", "null", _refusals(40)),
    _situation("12 prompts, refusals of 0 to 60 %, no difference", "null", _refusals(12)),
    _situation("40 prompts, a difference of 0.4", "effect", _sentiment(40, 0.4)),
    _situation("12 prompts, a difference of 0.4", "effect", _sentiment(12, 0.4)),
    _situation("40 prompts, 0.4 on average, half of them carry it", "effect", _sentiment(40, 0.4, carriers=0.5)),
    _situation("40 prompts, refusals, 20 points more", "effect", _refusals(40, 0.2)),
    _situation("40 prompts, 0.4 on average, 8 % of them carry it", "effect", _sentiment(40, 0.4, carriers=0.08), _FEW),
    _situation("40 prompts, refusals, 4 points more, 8 % of them carry it", "effect", _refusals(40, 0.04, 0.08), _NONE),
    _situation("150 prompts, refusals, 4 points more, 8 % of them carry it", "effect", _refusals(150, 0.04, 0.08)),
)  # fmt: skip
