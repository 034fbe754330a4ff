"""Drawn probabilities of a classifier on pairs of sentences: occupations, words and templates each have an effect.

A probability is the logistic function of a sum of normal effects; the means that intervals are to hold are integrals.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy import special

from evaluate_bias.methods.downstream.bias_nli.statistics import (
    contrast_cells,
    entailment_gap,
    entailment_table,
    neutral_measures,
)

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
    n: int, size: float = 0.0, *, n_templates: int = 12, of_templates: float = 0.0, of_words: float = 0.0
) -> Callable[[np.random.Generator], Draw]:
    """``n`` occupations whose gaps differ by chance (sd 0.5 on the logistic scale), ``size`` on average.

    ``of_templates`` and ``of_words`` are the standard deviations by which each template, and each word, moves the gap.
    """
    center, half = -1.5, size / 2
    spread = float(np.sqrt(OF_TARGETS**2 + 0.25**2 + (of_templates / 2) ** 2 + of_words**2 + OF_PAIRS**2))
    truth = float(logistic_mean(center + half, spread) - logistic_mean(center - half, spread))

    def draw(rng: np.random.Generator) -> Draw:
        shape = (n, WORDS, n_templates)
        target, word, template = np.indices(shape)
        side = np.where(np.arange(WORDS) < WORDS // 2, 1.0, -1.0)[:, None]
        moved = size + rng.normal(0, 0.5, (n, 1, 1)) + rng.normal(0, of_templates, (1, 1, n_templates))
        effects = rng.normal(0, OF_TARGETS, (n, 1, 1)) + rng.normal(0, of_words, (1, WORDS, 1))
        p = special.expit(center + effects + side * moved / 2 + rng.normal(0, OF_PAIRS, shape))
        places = [part.ravel() for part in (target, template, (word >= WORDS // 2).astype(int))]
        cells = contrast_cells(entailment_table(p.ravel(), *places), 0, 1)
        seed = seeded(rng)
        facts, _ = entailment_gap(cells, confidence_level=0.95, n_resamples=RESAMPLES, seed=seed)
        return Draw(facts["p_value"], facts["ci_low"], facts["ci_high"], truth)

    return draw


_TEMPLATES = (
    "p takes the templates as given, and with these the groups do differ; the interval draws templates too"
)
_WORDS = "p and interval take the words as given, and with these the groups do differ"

SITUATIONS = of_method(
    "bias_nli",
    null("gap: 40 occupations, 12 templates, none", gap(40)),
    null("gap: 12 occupations, 12 templates, none", gap(12)),
    null("gap: 164 occupations, 4 templates, none", gap(164, n_templates=4)),
    effect("gap: 40 occupations, 12 templates, 0.4 in log-odds", gap(40, 0.4)),
    effect("gap: 12 occupations, 12 templates, 0.4 in log-odds", gap(12, 0.4)),
    null(
        "gap: 40 occupations, 12 templates that move the gap, none on average",
        gap(40, of_templates=0.3),
        misses=_TEMPLATES,
    ),
    null(
        "gap: 40 occupations, 12 templates, words that move the gap, none on average",
        gap(40, of_words=0.2),
        misses=_WORDS,
    ),
    effect("net neutral 0.73: 40 occupations, 6 words", neutral(40, 1.2, "net_neutral")),
    effect("net neutral 0.96: 40 occupations, 6 words", neutral(40, 3.5, "net_neutral")),
    effect("net neutral 0.73: 164 occupations, 28 words", neutral(164, 1.2, "net_neutral", 28)),
    effect("T:0.5 of 0.88: 40 occupations, 6 words", neutral(40, 1.2, "above_50")),
)
