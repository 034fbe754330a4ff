"""Drawn probabilities of a classifier on pairs of sentences: occupations, words and templates each have an effect.

A probability is the logistic function of a sum of normal effects; the means that intervals are to hold are integrals.
"""

from __future__ import annotations

import functools
from collections.abc import Callable

import numpy as np
from scipy import special

from evaluate_bias.arrays import FloatArray
from evaluate_bias.methods.downstream.bias_nli.statistics import entailment_gap, neutral_measures

from . import Draw, effect, logistic_mean, null, of_method, seeded

RESAMPLES = 999
WORDS = 6
"""Half of them are of each group."""
OF_TARGETS, OF_WORDS, OF_PAIRS = 0.7, 0.4, 0.5
"""Standard deviations of the effects of occupations, words, and both with a template, on the logistic scale."""


def neutral(
    n: int, center: float, measure: str, n_words: int = WORDS
) -> Callable[[np.random.Generator], Draw]:
    """Net neutral, or a share, over ``n`` occupations and some words; the effects of the templates are fixed."""
    of_templates = np.linspace(-0.5, 0.5, 6)
    spread = float(np.sqrt(OF_TARGETS**2 + OF_WORDS**2 + OF_PAIRS**2))
    if measure == "net_neutral":
        truth = float(logistic_mean(center + of_templates, spread).mean())
    else:  # the share above 0.5 is that of sums above 0
        truth = float(special.ndtr((center + of_templates) / spread).mean())

    def draw(rng: np.random.Generator) -> Draw:
        shape = (n, n_words, len(of_templates))
        target, word, _ = np.indices(shape)
        effects = rng.normal(0, OF_TARGETS, (n, 1, 1)) + rng.normal(0, OF_WORDS, (1, n_words, 1))
        p = special.expit(center + effects + of_templates + rng.normal(0, OF_PAIRS, shape)).ravel()
        probabilities = np.stack([(1 - p) / 2, p, (1 - p) / 2], axis=1)
        found = neutral_measures(probabilities, target.ravel(), word.ravel(), 0.95)[measure]
        return Draw(None, found.ci_low, found.ci_high, truth)

    return draw


def gap(
    n: int,
    size: float = 0.0,
    *,
    words: int = 3,
    n_templates: int = 12,
    of_words: float = 0.4,
    skewed: bool = False,
) -> Callable[[np.random.Generator], Draw]:
    """``n`` occupations whose gaps differ by chance (sd 0.5 on the logistic scale), ``size`` on average.

    ``words`` of each group move entailment by effects with the standard deviation ``of_words``, which are exponential
    if ``skewed``.
    """
    center, half = -1.5, size / 2

    def drawn(rng: np.random.Generator, shape: tuple[int, ...]) -> FloatArray:
        """Entailment, shape (..., targets, words of both groups, templates)."""
        many, cells = shape[:-3], shape[-3:]
        moved = size + rng.normal(0, 0.5, (*many, cells[0], 1, 1))
        side = np.where(np.arange(2 * words) < words, 1.0, -1.0)[:, None]
        of_word = (
            rng.exponential(1, (*many, 1, 2 * words, 1)) - 1
            if skewed
            else rng.normal(size=(*many, 1, 2 * words, 1))
        )
        effects = rng.normal(0, OF_TARGETS, (*many, cells[0], 1, 1)) + of_words * of_word
        return special.expit(center + effects + side * moved / 2 + rng.normal(0, OF_PAIRS, shape))

    @functools.cache
    def expected() -> float:
        p = drawn(np.random.default_rng(0), (400_000, 1, 2 * words, 1))[:, 0, :, 0]
        return float(p[:, :words].mean() - p[:, words:].mean()) if half else 0.0

    def draw(rng: np.random.Generator) -> Draw:
        shape = (n, 2 * words, n_templates)
        target, word, template = (part.ravel() for part in np.indices(shape))
        facts = entailment_gap(
            drawn(rng, shape).ravel(), target, word, template, (word >= words).astype(int), 0, 1,
            confidence_level=0.95, n_resamples=RESAMPLES, seed=seeded(rng),
        ).facts  # fmt: skip
        return Draw(facts["p_value"], facts["ci_low"], facts["ci_high"], expected())

    return draw


_THREE = "three words a group leave few degrees of freedom, and the test is conservative"
_FEW = "p and interval take two words of a group as given, and with these the groups do differ"

SITUATIONS = of_method(
    "bias_nli",
    null("gap: 40 occupations, 3 + 3 words, none", gap(40), misses=_THREE),
    null("gap: 12 occupations, 3 + 3 words, none", gap(12)),
    null("gap: 40 occupations, 3 + 3 words with skewed effects, none", gap(40, skewed=True), misses=_THREE),
    null("gap: 40 occupations, 3 + 3 words without effects of their own, none", gap(40, of_words=0.0)),
    null("gap: 164 occupations, 6 + 6 words, 4 templates, none", gap(164, words=6, n_templates=4)),
    null("gap: 40 occupations, 2 + 2 words, none", gap(40, words=2), misses=_FEW),
    effect("gap: 40 occupations, 3 + 3 words, 1.2 in log-odds", gap(40, 1.2)),
    effect("gap: 164 occupations, 6 + 6 words, 1.2 in log-odds", gap(164, 1.2, words=6)),
    effect("net neutral 0.73: 40 occupations, 6 words", neutral(40, 1.2, "net_neutral")),
    effect("net neutral 0.96: 40 occupations, 6 words", neutral(40, 3.5, "net_neutral")),
    effect("net neutral 0.73: 164 occupations, 28 words", neutral(164, 1.2, "net_neutral", 28)),
    effect("T:0.5 of 0.88: 40 occupations, 6 words", neutral(40, 1.2, "above_50")),
)
