"""Gender stereotypes whose sentences resemble one another, by drawn log-odds of the masculine form."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from evaluate_bias import measure
from evaluate_bias.data.gender_stereotypes import OF_MEN, STEREOTYPES

from . import Draw, effect, logistic_mean, null, of_method, of_result

SENTENCE = 0.7
"""Standard deviation of the log-odds of the sentences of one stereotype."""
INCLINATION = 0.4
"""Mean log-odds of the masculine form."""


def _drawn(
    n: int,
    effect: float = 0.0,
    *,
    men: float = 0.3,
    women: float = 0.3,
    languages: int = 1,
    stereotypes: tuple[str, ...] = STEREOTYPES,
    inclination: float = INCLINATION,
    **options: Any,
) -> Callable[[np.random.Generator], Draw]:
    """Return ``n`` sentences per stereotype. Stereotypes of men and women vary by so much, in all languages equally."""
    of_men = float(logistic_mean(inclination + effect, float(np.hypot(men, SENTENCE))))
    of_women = float(logistic_mean(inclination, float(np.hypot(women, SENTENCE))))
    truth = of_men / of_women if options.get("variant") else of_men - of_women

    def draw(rng: np.random.Generator) -> Draw:
        rows = []
        for name in stereotypes:
            spread = men if name in OF_MEN else women
            # Half of the variance of a stereotype comes from its translation.
            shared = rng.normal(0, spread * np.sqrt(0.5))
            for language in ("de", "en", "fr", "it")[:languages]:
                own = rng.normal(0, spread * np.sqrt(0.5))
                odds = inclination + effect * (name in OF_MEN) + shared + own + rng.normal(0, SENTENCE, n)
                rows += [
                    {"stereotype": name, "language": language, "masculine": value, "feminine": 0.0}
                    for value in odds.tolist()
                ]
        return of_result(measure("gest", None, data=rows, min_sentences=1, **options), truth)

    return draw


_FEW = OF_MEN[:4] + tuple(name for name in STEREOTYPES if name not in OF_MEN)[:3]

_FEW_SPLITS = "35 splits: the p-value is a multiple of 1/35, and only 1/35 is below 5 %"

SITUATIONS = of_method(
    "gest",
    null("16 stereotypes of 40 sentences, no effect", _drawn(40)),
    null("the same, stereotypes of women vary twice as much", _drawn(40, women=0.6, inclination=0.0)),
    null("16 stereotypes of 4 sentences, no effect", _drawn(4)),
    null(
        "four stereotypes of men and three of women, no effect",
        _drawn(10, stereotypes=_FEW),
        misses=_FEW_SPLITS,
    ),
    null("16 stereotypes in four languages, score of all, no effect", _drawn(10, languages=4)),
    effect("16 stereotypes of 40 sentences, 0.4 in log-odds", _drawn(40, 0.4)),
    effect("the same, stereotypes of women vary twice as much", _drawn(40, 0.4, women=0.6)),
    effect('the same, g_s (`variant="published"`)', _drawn(40, 0.4, variant="published")),
    effect("16 stereotypes in four languages, score of all, 0.4 in log-odds", _drawn(10, 0.4, languages=4)),
)
