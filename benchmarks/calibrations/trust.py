"""How often the trust report is right, simulated: planted effects, pure noise, and unrelated paraphrases."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection
from functools import partial

import numpy as np

import evaluate_bias as eb

from . import Case, Table, seeded
from .association import one_test, population
from .pairs import paraphrased_rows, with_kappa

BIAS, NOTHING, FRAGILE, NOT_TESTABLE = "robust: an effect", "robust: none", "fragile", "not testable"
OUTCOMES = (BIAS, NOTHING, FRAGILE, NOT_TESTABLE)
FAST = {"ci_resamples": 999, "n_resamples": 9_999, "p_method": "monte_carlo"}
"""Counting the permutations of 25 + 25 words takes longer than all the rest of a draw."""


def outcome(results: list[eb.Result]) -> str:
    """What the report says of the first result."""
    row = eb.trust(results).heads[0]
    assert row is not None
    if row.reliability.value != "robust":
        return row.reliability.value
    return BIAS if row.evidence.judgement.significant else NOTHING


def words(rng: np.random.Generator, *, size: int, shift: float) -> str:
    """WEAT with so many words in each target list, and seed sensitivity."""
    test, vectors = one_test(rng, "t", shift, (size, size), (1.0, 1.0))
    common = {"data": [test], "seed": seeded(rng)}
    score = eb.measure("weat", vectors, **FAST, **common)
    return outcome([score, eb.measure("seed_sensitivity", vectors, n_subsets=100, **common)])


def pairs(rng: np.random.Generator, *, size: int, preference: float, kappa: float) -> str:
    """Preferences in so many sentence pairs, and in their paraphrases with this kappa between both."""
    rows = paraphrased_rows(*with_kappa(rng, size, preference, kappa))
    return outcome([eb.measure(name, None, data=rows) for name in ("crows_pairs", "pll_robustness")])


def paraphrased(rng: np.random.Generator, *, pairs: int, preference: float) -> str:
    """A bias that was surely found, and so few paraphrases that have nothing to do with their pairs."""
    found = eb.Result(
        method="crows_pairs", score=90.0, score_range=(0, 100), direction="two_sided", ideal=50, n=300, ci_low=86,
        ci_high=93, p_value=1e-9, provenance={"model": {"name": "scores given by the caller"}},
    )  # fmt: skip
    rows = paraphrased_rows(*np.where(rng.random((2, pairs)) < preference, 1.0, -1.0))
    try:
        return outcome([found, eb.measure("pll_robustness", None, data=rows)])
    except eb.errors.UndefinedScoreError:  # all on one side: there is no kappa
        return outcome([found])


def case(what: str, right: Collection[str], draw: Callable[[np.random.Generator], str], runs: int) -> Case:
    """A row: the share of each outcome, and of those that are right."""

    def cells(found: list[str]) -> list[str]:
        seen = Counter(found)
        shares = [f"{100 * seen[o] / len(found):.1f}" for o in OUTCOMES]
        correct = 100 * sum(seen[o] for o in right) / len(found)
        return [*shares, ", ".join(right), f"**{correct:.1f}**", f"{len(found)}"]

    return Case((what,), draw, cells, runs)


def situations() -> list[Case]:
    d = {shift: f"true d = {population(shift):.2f}" for shift in (0.2, 0.5, 1.0)}
    said_nothing = (FRAGILE, NOT_TESTABLE, NOTHING)
    return [
        *(
            case(
                f"{n:,} pairs, pure noise, paraphrases agree",
                (NOTHING,) if n > 1_000 else said_nothing,
                partial(pairs, size=n, preference=0.5, kappa=0.8),
                100 if n > 1_000 else 200,
            )
            for n in (30, 300, 1_500)
        ),
        case(
            "1,500 pairs, pure noise, paraphrases unrelated",
            (FRAGILE, NOT_TESTABLE),
            partial(pairs, size=1_500, preference=0.5, kappa=0.0),
            100,
        ),
        case(
            "300 pairs, 65 % preferred, paraphrases agree",
            (BIAS,),
            partial(pairs, size=300, preference=0.65, kappa=0.8),
            200,
        ),
        case(
            "300 pairs, 65 % preferred, paraphrases unrelated",
            (FRAGILE,),
            partial(pairs, size=300, preference=0.65, kappa=0.0),
            200,
        ),
        case(
            "100 pairs, 55 % preferred, paraphrases agree",
            (BIAS, FRAGILE, NOT_TESTABLE),
            partial(pairs, size=100, preference=0.55, kappa=0.8),
            200,
        ),
        *(
            case(
                f"a bias, {n} unrelated paraphrases, {share} % preferred",
                (FRAGILE, NOT_TESTABLE) if n < 8 else (FRAGILE,),
                partial(paraphrased, pairs=n, preference=share / 100),
                2_000,
            )
            for n, share in ((5, 50), (5, 80), (8, 50), (8, 80), (30, 80))
        ),
        *(
            case(f"{n} + {n} words, pure noise", said_nothing, partial(words, size=n, shift=0.0), 50)
            for n in (8, 25)
        ),
        case(
            f"25 + 25 words, {d[0.2]}",
            (BIAS, FRAGILE, NOT_TESTABLE),
            partial(words, size=25, shift=0.2),
            50,
        ),
        case(f"8 + 8 words, {d[0.5]}", (BIAS, FRAGILE, NOT_TESTABLE), partial(words, size=8, shift=0.5), 50),
        case(f"8 + 8 words, {d[1.0]}", (BIAS,), partial(words, size=8, shift=1.0), 50),
        case(f"25 + 25 words, {d[0.5]}", (BIAS,), partial(words, size=25, shift=0.5), 50),
    ]


TABLES = (Table("trust", ("situation", *OUTCOMES, "right is", "right, %", "draws"), tuple(situations())),)
