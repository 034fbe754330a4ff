"""Drawn texts about two groups: those of a prompt resemble one another, and groups differ in it by chance."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from evaluate_bias import measure
from evaluate_bias.models.completions import Reply

from . import Draw, effect, null, of_method, of_result, seeded
from .chats import DrawnChat

TEXTS = 5
"""Texts of each prompt and group."""
RESAMPLES = 1_999
WORDS, PER_SD = 25, 5
"""Words of a text on average, and what a standard deviation of the drawn numbers is in words."""
REFUSAL, ANSWER = "I'm sorry, but I can't help with that.", "Here it is."
GROUPS = {"x": ["my aunt", "she"], "y": ["my uncle", "he"]}


def leaning(text: str) -> float:
    """Number of words, and two more where a text is about "her"."""
    return len(text.split()) + 2.0 * text.startswith("She")


def _measured(
    texts: Sequence[Sequence[Sequence[str]]], scorer: str | Callable[[str], float], truth: float, seed: int
) -> Draw:
    """The texts of every prompt and group, scored as the method does it."""
    rows = [
        {"prompt": f"Case {t}: write to {{group}}.", "group": group, "forms": forms, "language": "en"}
        for t in range(len(texts))
        for group, forms in GROUPS.items()
    ]
    replies = [[Reply(text) for text in several] for both in texts for several in both]
    model = DrawnChat(lambda _: replies)
    options: dict[str, Any] = {"scorers": scorer, "k": TEXTS, "n_resamples": RESAMPLES, "seed": seed}
    return of_result(measure("counterfactual_text", model, data=rows, **options), truth)


def _lengths(
    n: int,
    effect: float = 0.0,
    *,
    carriers: float = 1.0,
    skewed: bool = False,
    scorer: str | Callable[[str], float] = "length",
) -> Callable[[np.random.Generator], Draw]:
    """``n`` prompts with levels of sd 1, on which groups differ by chance (sd 0.3); texts vary by 1 around them.

    ``carriers`` is the share of the prompts on which the first group's texts are longer, by ``effect / carriers``.
    """

    def draw(rng: np.random.Generator) -> Draw:
        level = rng.normal(0, 1, (n, 1, 1)) + rng.normal(0, 0.3, (n, 2, 1))
        noise = rng.normal(0, 1, (n, 2, TEXTS))
        numbers = level + (np.exp(noise) - np.exp(0.5) if skewed else noise)
        numbers[:, 0] += (rng.random((n, 1)) < carriers) * effect / carriers
        words = np.maximum(np.rint(WORDS + PER_SD * numbers).astype(int), 1)
        texts = [
            [[f"{who}{' said' * (w - 1)}" for w in own] for who, own in zip(("She", "He"), both, strict=True)]
            for both in words.tolist()
        ]
        return _measured(texts, scorer, effect * PER_SD, seeded(rng))

    return draw


def _refusals(n: int, effect: float = 0.0, carriers: float = 1.0) -> Callable[[np.random.Generator], Draw]:
    """``n`` prompts that are refused in 0 to 60% of the texts, and of the first group by ``effect`` more often.

    With fewer ``carriers`` the others are never refused.
    """

    def draw(rng: np.random.Generator) -> Draw:
        rate = np.repeat(rng.uniform(0, 0.6, (n, 1, 1)) if carriers == 1 else np.zeros((n, 1, 1)), 2, axis=1)
        rate[:, 0] += (rng.random((n, 1)) < carriers) * effect / carriers
        refused = (rng.random((n, 2, TEXTS)) < rate).tolist()
        texts = [[[REFUSAL if one else ANSWER for one in own] for own in both] for both in refused]
        return _measured(texts, "refusal", effect, seeded(rng))

    return draw


_FEW = "a sample with few of the prompts that carry the effect varies little, and its interval is too narrow"
_NONE = "about three prompts differ, so that most draws have no test and nearly all no interval"
_TEN = "where fewer than 10 prompts differ there is no interval"

SITUATIONS = of_method(
    "counterfactual_text",
    null("40 prompts, lengths, no difference", _lengths(40)),
    null("12 prompts, lengths, no difference", _lengths(12)),
    null("40 prompts, skewed lengths, no difference", _lengths(40, skewed=True)),
    null(
        "40 prompts, a scorer that adds 2 words to one group's texts, no difference",
        _lengths(40, scorer=leaning),
        runs=1_000,
    ),
    null("40 prompts, refusals of 0 to 60 %, no difference", _refusals(40)),
    null("12 prompts, refusals of 0 to 60 %, no difference", _refusals(12), misses=_TEN),
    effect("40 prompts, lengths, a difference of 2 words", _lengths(40, 0.4)),
    effect("12 prompts, lengths, a difference of 2 words", _lengths(12, 0.4)),
    effect(
        "40 prompts, the scorer that adds 2 words, a difference of 2 words",
        _lengths(40, 0.4, scorer=leaning),
        runs=1_000,
    ),
    effect("40 prompts, 2 words on average, half of them carry it", _lengths(40, 0.4, carriers=0.5)),
    effect("40 prompts, refusals, 20 points more", _refusals(40, 0.2)),
    effect(
        "40 prompts, 2 words on average, 8 % of them carry it", _lengths(40, 0.4, carriers=0.08), misses=_FEW
    ),
    effect(
        "40 prompts, refusals, 4 points more, 8 % of them carry it", _refusals(40, 0.04, 0.08), misses=_NONE
    ),
    effect(
        "150 prompts, refusals, 4 points more, 8 % of them carry it", _refusals(150, 0.04, 0.08), misses=_TEN
    ),
)
