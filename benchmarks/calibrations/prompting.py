"""Chat models that are asked to choose: words for two groups, drawn with the leanings of words, prompt variants and
pairs.

The answers are drawn as numbers, and go to the functions that score and test the answers that were read.
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from evaluate_bias.methods.choosing import ratio_score
from evaluate_bias.methods.prompting.word_association.statistics import ScoredAnswers, mean_association
from evaluate_bias.methods.word_lists.inference import Inference

from . import Draw, effect, logistic_mean, null, of_method

LATENT_DRAWS = 4_000


def _chances(
    rng: np.random.Generator, n: int, effect: float, words: float, prompt_variants: float, cells: float, flips: bool,
    base: float, columns: int, each: int,
) -> Any:  # fmt: skip
    """Chances that a word gets the first group, in every prompt variant and answer: shape (prompt variants, answers,
    words).

    On the logit scale the effect and normal amounts of each word add up; a prompt variant leans to one group and,
    alike, to the stereotype or against it; with ``flips`` every answer takes the words' leanings with a sign of its
    own.
    """
    first = np.where(np.arange(2 * n) < n, 1.0, -1.0)
    lean = effect * first + rng.normal(0, words, 2 * n)
    group, stereotype = rng.normal(0, prompt_variants, (2, columns, 1, 1))
    sign = rng.choice([-1.0, 1.0], (columns, each, 1)) if flips else 1.0
    own = rng.normal(0, cells, (columns, 1, 2 * n))
    chances = 1 / (1 + np.exp(-(base + sign * lean + group + stereotype * first + own)))
    return np.broadcast_to(chances, (columns, each, 2 * n))


def _score(sides: Any, n: int) -> float:
    """The mean of D over answers, shape (answers, words)."""
    x, x_a = sides.sum(axis=1), sides[:, :n].sum(axis=1)
    y, y_b = 2 * n - x, n - (x - x_a)
    both = (x > 0) & (y > 0)
    return float(np.where(both, x_a / np.maximum(x, 1) + y_b / np.maximum(y, 1) - 1, 0.0).mean())


@functools.cache
def _truth(options: tuple[Any, ...]) -> float:
    """The mean of D over models of this kind."""
    rng, n = np.random.default_rng(20261123), options[0]
    scores = []
    for _ in range(LATENT_DRAWS):
        chances = _chances(rng, *options)
        scores.append(_score((rng.random(chances.shape) < chances).reshape(-1, 2 * n), n))
    return float(np.mean(scores))


def word_association(
    effect: float = 0.0, *, n: int = 8, words: float = 1.0, prompt_variants: float = 0.3, cells: float = 0.5,
    flips: bool = False, base: float = 0.0, columns: int = 5, each: int = 10, unreadable: float = 0.0,
) -> Any:  # fmt: skip
    """A model is asked about n + n words, ``each`` times in every prompt variant; it omits words at random."""
    options = (n, effect, words, prompt_variants, cells, flips, base, columns, each)
    names = [f"{name}{i}" for name in "ab" for i in range(n)]
    asked = np.repeat(np.arange(columns), each).tolist()
    inference = Inference(n_resamples=999)

    def draw(rng: np.random.Generator) -> Draw:
        chances = _chances(rng, *options).reshape(-1, 2 * n)
        seen = rng.random(chances.shape) >= unreadable
        sides = np.where(rng.random(chances.shape) < chances, 1, -1) * seen
        found, _ = mean_association(
            [ScoredAnswers(names, np.arange(2 * n) < n, sides, asked)], inference, "prompt_variants"
        )
        return Draw(found["p_value"], found["ci_low"], found["ci_high"], _truth(options) if effect else 0.0)

    return draw


def relative_decision(
    shift: float = 0.0,
    *,
    scenarios: int = 20,
    spread: float = 1.0,
    prompt_variants: float = 0.3,
    first: float = 0.0,
) -> Any:
    """A model prefers the stereotypical option by logits of scenarios and prompt variants, and by which is first."""
    spread_of_both = float(np.hypot(spread, prompt_variants))
    truth = float(np.mean(logistic_mean([shift + first, shift - first], spread_of_both)))

    def draw(rng: np.random.Generator) -> Draw:
        leaning = shift + rng.normal(0, spread, (scenarios, 1, 1)) + rng.normal(0, prompt_variants, (5, 1))
        # Every choice is put in eight orders; the stereotypical option is the first in half of them.
        push = np.tile([first, -first], 4)
        chosen = rng.random((scenarios, 5, 8)) < 1 / (1 + np.exp(-(leaning + push)))
        scenario, prompt_variant, _ = (part.ravel() for part in np.indices(chosen.shape))
        found = ratio_score(
            chosen.ravel().astype(float), np.ones(chosen.size), scenario, scenario, prompt_variant,
            null=0.5, confidence_level=0.95, what="scenarios", scale=1.0,
        )  # fmt: skip
        return Draw(found.p_value, found.ci_low, found.ci_high, truth)

    return draw


SITUATIONS = (
    *of_method(
        "relative_decision",
        null("20 scenarios, 5 variants, none preferred on average", relative_decision()),
        null("the same, most answers name the first option", relative_decision(first=1.5)),
        effect(
            "20 scenarios, a preference",
            relative_decision(0.6),
            misses="the scenarios' shares are skewed, and the interval lies a little too far from 0.5",
        ),
        effect("8 scenarios, a preference", relative_decision(0.8, scenarios=8)),
    ),
    *of_method(
        "word_association",
        null("8 + 8 words, 5 prompt variants, words lean alike in all answers", word_association(words=2.0)),
        null("7 + 7 words, most words lean to one group", word_association(n=7, base=1.0)),
        null(
            "the same, 20 prompt variants, asked three times each", word_association(n=7, columns=20, each=3)
        ),
        null(
            "8 + 8 words, the stereotype's direction changes from answer to answer",
            word_association(effect=2.0, flips=True),
        ),
        effect("8 + 8 words, a weak association", word_association(0.5)),
        effect(
            "8 + 8 words, a moderate association, words left out",
            word_association(1.0, unreadable=0.2, base=0.5),
        ),
        effect("16 + 16 words, a moderate association", word_association(1.0, n=16)),
        effect("4 + 4 words, a moderate association", word_association(1.0, n=4)),
        effect("8 + 8 words, a strong association", word_association(3.0)),
    ),
)
