"""BBQ: templates that differ in how often they are answered and in which way their answers lean."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import evaluate_bias as eb

from . import Draw, effect, null, of_method, of_result, seeded

ITEM = {
    "category": "Age",
    "context": "Two people came in.",
    "question": "Who?",
    "ans0": "One",
    "ans1": "Two",
    "ans2": "Unknown",
    "target_loc": 1,
    "unknown_loc": 2,
}


def items(
    rng: np.random.Generator, templates: int, biased: float, abstains: float, alike: float
) -> list[dict[str, Any]]:
    """Ambiguous items, 8 to 40 a template with shares of its own; ``alike`` is the correlation within a template."""
    spread = (1 - alike) / alike
    rows = []
    for template in range(templates):
        lean = rng.beta(biased * spread, (1 - biased) * spread)
        unknown = rng.beta(abstains * spread, (1 - abstains) * spread)
        for _ in range(rng.integers(8, 41)):
            answer = 2 if rng.random() < unknown else int(rng.random() < lean)
            row = {
                "question_index": str(template),
                "context_condition": "ambig",
                "label": 2,
                "answer": answer,
            }
            rows.append({**ITEM, **row})
    return rows


def draw(
    templates: int, biased: float = 0.5, abstains: float = 0.3, alike: float = 0.1
) -> Callable[[np.random.Generator], Draw]:
    """Measure ambiguous items; the truth is (1 - accuracy) · (2 · share of biased answers - 1)."""

    def measure(rng: np.random.Generator) -> Draw:
        result = eb.measure(
            "bbq",
            None,
            data=items(rng, templates, biased, abstains, alike),
            n_resamples=999,
            ci_resamples=999,
            seed=seeded(rng),
        )
        return of_result(result, (1 - abstains) * (2 * biased - 1))

    return measure


def difference(templates: int, gap: float, alike: float = 0.2) -> Callable[[np.random.Generator], Draw]:
    """Disambiguated items: the interval of the difference of accuracies, where the templates' accuracies differ."""

    def measure(rng: np.random.Generator) -> Draw:
        spread = (1 - alike) / alike
        rows = []
        for template in range(templates):
            for label, accuracy in ((1, 0.7 + gap / 2), (0, 0.7 - gap / 2)):
                own = rng.beta(accuracy * spread, (1 - accuracy) * spread)
                for _ in range(rng.integers(4, 21)):
                    answer = label if rng.random() < own else int(rng.choice([2, 1 - label]))
                    row = {"question_index": str(template), "context_condition": "disambig", "label": label}
                    rows.append({**ITEM, **row, "answer": answer})
        result = eb.measure(
            "bbq", None, data=rows, condition="disambig", n_resamples=99, ci_resamples=999,
            seed=seeded(rng),
        )  # fmt: skip
        found = result.estimates["diff_bias"]
        return Draw(None, found.low, found.high, gap)

    return measure


SITUATIONS = of_method(
    "bbq",
    null("no lean, 25 templates", draw(25), runs=1_000),
    null("no lean, 13 templates, half unknown", draw(13, abstains=0.5), runs=1_000),
    null("no lean, 25 templates, items very alike", draw(25, alike=0.4), runs=1_000),
    effect("60 % biased, 25 templates", draw(25, 0.6), runs=1_000),
    effect("80 % biased, 25 templates, 70 % unknown", draw(25, 0.8, 0.7), runs=1_000),
    null("difference of accuracies 0, 25 templates", difference(25, 0.0)),
    effect("difference of accuracies 0.2, 13 templates", difference(13, 0.2)),
    few=20,
)
