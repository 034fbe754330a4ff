"""How often the trust report is right, simulated: planted effects of known size, pure noise, and unrelated prompt
variants.

``python benchmarks/trust.py`` prints a table; ``--write`` puts it where docs/calibration.md includes it, ``--runs N``
changes the number of draws of every situation. Every situation draws from a stream of its own.
"""

from __future__ import annotations

import argparse
import sys
import time
import zlib
from collections import Counter
from collections.abc import Callable, Collection
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import evaluate_bias as eb
from benchmarks.calibrations.association import one_test, population, seeded
from evaluate_bias.report.verdict import FOUND

PAGE = Path(__file__).parents[1] / "docs" / "calibration" / "trust.inc.md"

BIAS, NOTHING, FRAGILE, NOT_TESTABLE = "robust: an effect", "robust: none", "fragile", "not testable"
OUTCOMES = (BIAS, NOTHING, FRAGILE, NOT_TESTABLE)
FAST = {"ci_resamples": 999, "n_resamples": 9_999, "p_method": "monte_carlo"}
"""Counting the permutations of 25 + 25 words takes longer than all the rest of a draw."""


@dataclass(frozen=True)
class Situation:
    """Data of a known kind.

    Attributes:
        what: in a few words, sizes included.
        right: the outcomes that are right.
        draw: makes data and returns the outcome.
        runs: number of draws.
    """

    what: str
    right: Collection[str]
    draw: Callable[[np.random.Generator], str]
    runs: int


def outcome(results: list[eb.Result]) -> str:
    """What the report says of the first result."""
    row = eb.trust(results).heads[0]
    assert row is not None
    if row.verdict.value != "robust":
        return row.verdict.value
    return BIAS if row.evidence.significance in FOUND else NOTHING


def words(rng: np.random.Generator, *, size: int, shift: float) -> str:
    """WEAT with so many words in each target list, and seed sensitivity."""
    test, vectors = one_test(rng, "t", shift, (size, size), (1.0, 1.0))
    common = {"data": [test], "seed": seeded(rng)}
    score = eb.measure("weat", vectors, **FAST, **common)
    return outcome([score, eb.measure("seed_sensitivity", vectors, n_subsets=100, **common)])


def pairs(rng: np.random.Generator, *, size: int, preference: float, kappa: float) -> str:
    """Preferences in so many sentence pairs, and in their paraphrases with this kappa between both."""
    other = 1 - preference
    both, neither = preference**2 + kappa * preference * other, other**2 + kappa * preference * other
    one = (1 - both - neither) / 2
    cell = rng.choice(4, size=size, p=[both, one, one, neither])
    first, second = rng.exponential(size=(2, size)) * np.where([cell < 2, cell % 2 == 0], 1.0, -1.0)
    rows = [
        {"sent_more": a, "sent_less": 0.0, "sent_more_par": b, "sent_less_par": 0.0}
        for a, b in zip(first.tolist(), second.tolist(), strict=True)
    ]
    return outcome([eb.measure(name, None, data=rows) for name in ("crows_pairs", "pll_robustness")])


def paraphrased(rng: np.random.Generator, *, pairs: int, preference: float) -> str:
    """A bias that was surely found, and so few paraphrases that have nothing to do with their pairs."""
    found = eb.Result(
        method="crows_pairs", score=90.0, score_range=(0, 100), direction="two_sided", ideal=50, n=300, ci_low=86,
        ci_high=93, p_value=1e-9, provenance={"model": {"name": "scores given by the caller"}},
    )  # fmt: skip
    first, second = np.where(rng.random((2, pairs)) < preference, 1.0, -1.0).tolist()
    rows = [
        {"sent_more": a, "sent_less": 0.0, "sent_more_par": b, "sent_less_par": 0.0}
        for a, b in zip(first, second, strict=True)
    ]
    try:
        return outcome([found, eb.measure("pll_robustness", None, data=rows)])
    except eb.errors.UndefinedScoreError:  # all on one side: there is no kappa
        return outcome([found])


def situations() -> list[Situation]:
    """All situations."""
    d = {shift: f"true d = {population(shift):.2f}" for shift in (0.2, 0.5, 1.0)}
    said_nothing = (FRAGILE, NOT_TESTABLE, NOTHING)
    return [
        *(
            Situation(
                f"{n:,} pairs, pure noise, paraphrases agree",
                (NOTHING,) if n > 1_000 else said_nothing,
                partial(pairs, size=n, preference=0.5, kappa=0.8),
                100 if n > 1_000 else 200,
            )
            for n in (30, 300, 1_500)
        ),
        Situation(
            "1,500 pairs, pure noise, paraphrases unrelated",
            (FRAGILE, NOT_TESTABLE),
            partial(pairs, size=1_500, preference=0.5, kappa=0.0),
            100,
        ),
        Situation(
            "300 pairs, 65 % preferred, paraphrases agree",
            (BIAS,),
            partial(pairs, size=300, preference=0.65, kappa=0.8),
            200,
        ),
        Situation(
            "300 pairs, 65 % preferred, paraphrases unrelated",
            (FRAGILE,),
            partial(pairs, size=300, preference=0.65, kappa=0.0),
            200,
        ),
        Situation(
            "100 pairs, 55 % preferred, paraphrases agree",
            (BIAS, FRAGILE, NOT_TESTABLE),
            partial(pairs, size=100, preference=0.55, kappa=0.8),
            200,
        ),
        *(
            Situation(
                f"a bias, {n} unrelated paraphrases, {share} % preferred",
                (FRAGILE, NOT_TESTABLE) if n < 8 else (FRAGILE,),
                partial(paraphrased, pairs=n, preference=share / 100),
                2_000,
            )
            for n, share in ((5, 50), (5, 80), (8, 50), (8, 80), (30, 80))
        ),
        *(
            Situation(f"{n} + {n} words, pure noise", said_nothing, partial(words, size=n, shift=0.0), 50)
            for n in (8, 25)
        ),
        Situation(
            f"25 + 25 words, {d[0.2]}",
            (BIAS, FRAGILE, NOT_TESTABLE),
            partial(words, size=25, shift=0.2),
            50,
        ),
        Situation(
            f"8 + 8 words, {d[0.5]}", (BIAS, FRAGILE, NOT_TESTABLE), partial(words, size=8, shift=0.5), 50
        ),
        Situation(f"8 + 8 words, {d[1.0]}", (BIAS,), partial(words, size=8, shift=1.0), 50),
        Situation(f"25 + 25 words, {d[0.5]}", (BIAS,), partial(words, size=25, shift=0.5), 50),
    ]


def row(situation: Situation, runs: int | None) -> str:
    """One line of the table: the share of each outcome, and of the right ones."""
    stream = zlib.crc32(situation.what.encode())
    n = runs or situation.runs
    seen = Counter(situation.draw(np.random.default_rng([stream, i])) for i in range(n))
    shares = [f"{100 * seen[o] / n:.1f}" for o in OUTCOMES]
    right = 100 * sum(seen[o] for o in situation.right) / n
    return (
        f"| {situation.what} | {' | '.join(shares)} | {', '.join(situation.right)} | **{right:.1f}** | {n} |"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, help="number of draws of every situation")
    parser.add_argument("--write", action="store_true", help="write the table of the documentation")
    options = parser.parse_args()
    lines = [
        f"| situation | {' | '.join(OUTCOMES)} | right is | right, % | draws |",
        f"|---|{'---:|' * len(OUTCOMES)}---|---:|---:|",
    ]
    start = time.monotonic()
    for situation in situations():
        lines.append(row(situation, options.runs))
        print(lines[-1], flush=True)
    print(f"{time.monotonic() - start:.0f} s")
    if options.write:
        PAGE.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
