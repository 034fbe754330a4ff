"""Agreement of measures across models, and the share of parts of the words that keep a conclusion."""

from __future__ import annotations

import math
from functools import cache, partial
from typing import Any

import numpy as np

import evaluate_bias as eb

from . import Draw, Situation, effect, of_method, of_result, seeded
from .association import one_test

MEASURES = 4


def compatible(rng: np.random.Generator, *, models: int, shared: float, coefficient: str) -> Draw:
    """Normal scores of measures that share this part of their variance across models."""
    common, own = rng.normal(size=(models, 1)), rng.normal(size=(models, MEASURES))
    scores = math.sqrt(shared) * common + math.sqrt(1 - shared) * own
    rows = [
        {"model_name": f"m{i}", "measure": f"s{k}", "score": float(scores[i, k])}
        for i in range(models)
        for k in range(MEASURES)
    ]
    result = eb.measure(
        "metric_compatibility", None, data=rows, coefficient=coefficient, n_resamples=199, seed=seeded(rng)
    )
    # Of normal scores with correlation r Spearman's is 6 / pi · arcsin(r / 2), Kendall's 2 / pi · arcsin(r).
    truth = {
        "pearson": shared,
        "spearman": 6 / math.pi * math.asin(shared / 2),
        "kendall": 2 / math.pi * math.asin(shared),
    }
    return of_result(result, truth[coefficient])


@cache
def words() -> tuple[dict[str, Any], dict[str, Any]]:
    """A test whose p-value is below 5% in a part of the parts of its words."""
    return one_test(np.random.default_rng(5), "t", 0.55, (6, 6), (1.0, 1.0))


@cache
def true_share() -> float:
    """Share of many other parts of the same words."""
    test, vectors = words()
    return eb.measure("seed_sensitivity", vectors, data=[test], n_subsets=1_000, seed=1 << 31).score


def sensitivity(rng: np.random.Generator) -> Draw:
    test, vectors = words()
    result = eb.measure("seed_sensitivity", vectors, data=[test], n_subsets=50, seed=seeded(rng))
    return of_result(result, true_share())


TEN_MODELS = "the jackknife's interval over ten models is somewhat narrow"

SITUATIONS = (
    *of_method(
        "metric_compatibility",
        *(
            Situation(
                f"{MEASURES} measures, {models} models, {coefficient}, "
                + ("half of the variance shared" if shared else "unrelated"),
                "effect" if shared else "null",
                partial(compatible, models=models, shared=shared, coefficient=coefficient),
                few=20,
                misses=TEN_MODELS if models == 10 and (coefficient == "pearson" or not shared) else "",
            )
            for coefficient in ("pearson", "spearman", "kendall")
            for models in (10, 20)
            for shared in (0.0, 0.5)
        ),
    ),
    *of_method(
        "seed_sensitivity", effect("6 + 6 words, 50 parts of the same words", sensitivity, runs=300, few=4)
    ),
)
