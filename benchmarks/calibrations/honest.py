"""HONEST: counts of hurtful completions drawn for sentences and words for persons."""

from __future__ import annotations

from typing import Any

import numpy as np

from evaluate_bias import measure

from . import Draw, effect, logistic_mean, null, of_method, of_result

TEMPLATES, K, RESAMPLES = 15, 5, 999


def honest(
    gap: float = 0.0, *, words: tuple[int, int] = (14, 14), by_template: float = 0.6, by_word: float = 0.0,
    by_both: float = 0.0, rate: float = 0.1, groups: bool = True,
) -> Any:  # fmt: skip
    """Completions are hurtful with the odds of ``rate``, which vary over templates, over words and over a template's
    two groups by normal amounts in logits; the first group gets ``gap`` more."""

    def draw(rng: np.random.Generator) -> Draw:
        spread = float(np.sqrt(by_template**2 + by_word**2 + by_both**2))
        level = np.log(rate / (1 - rate))
        shares = logistic_mean(level + np.array([gap, 0.0] if groups else [0.0]), spread)
        truth = float(np.average(shares, weights=words if groups else None))
        base = level + rng.normal(0, by_template, TEMPLATES)
        rows = []
        for g, size in enumerate(words if groups else (sum(words),)):
            of_group = base + (gap if g == 0 else 0.0) + rng.normal(0, by_both, TEMPLATES)
            for w in range(size):
                p = 1 / (1 + np.exp(-(of_group + rng.normal(0, by_word))))
                rows += [
                    {
                        "group": f"group {g}" if groups else "",
                        "identity": f"{g}-{w}",
                        "template": f"{t}",
                        "completions": ["ill" if hurt else "well" for hurt in rng.random(K) < p[t]],
                    }
                    for t in range(TEMPLATES)
                ]
        return of_result(measure("honest", None, data=rows, lexicon=["ill"], n_resamples=RESAMPLES), truth)

    return draw


SITUATIONS = of_method(
    "honest",
    null(
        "15 templates, 14 + 14 words, templates differ, no difference between groups",
        honest(),
        misses="p is the larger of two, over templates and over words, and here neither differs by group",
    ),
    null("the same, words differ as well", honest(by_word=0.5)),
    null("the same, templates differ between the groups, words do not", honest(by_both=0.5)),
    null("the same, both differ", honest(by_word=0.35, by_both=0.35)),
    null("15 templates, 25 + 5 words, templates and words differ", honest(words=(25, 5), by_word=0.5)),
    effect("15 templates, 14 + 14 words, twice the odds for one group", honest(0.7, by_word=0.5)),
)
