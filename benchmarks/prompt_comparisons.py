"""How comparisons of what prompts measure keep their levels where one of two models refuses, simulated.

Two equal models are asked about the same items in five prompt variants. Items lean by normal amounts on the logit
scale, half of their variance common to both models; every model has prompt variant effects of its own. One of the two
refuses a share of its answers, each item with a chance of its own that says nothing of what the answer would have been.
Scenarios and templates hold from one to five items. The answers go through the methods and ``compare`` as those of a
model do.

The second figure is the error of the gate: how often it passes a model that is worse by exactly the margin.

    python benchmarks/prompt_comparisons.py [--draws 1000] [--write]
"""

from __future__ import annotations

import argparse
import dataclasses
import functools
import math
import sys
import time
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple
from unittest.mock import patch

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import evaluate_bias as eb
from evaluate_bias.methods.choosing import reporting
from evaluate_bias.methods.choosing.asking import Choices, orders
from evaluate_bias.methods.prompting.decision_gap import method as decision_gap
from evaluate_bias.methods.prompting.decision_gap.asking import YesNoAnswers
from evaluate_bias.registry import METHODS
from evaluate_bias.report.compare import compare_results
from evaluate_bias.report.compare.gate import gate

PAGE = Path(__file__).parents[1] / "docs" / "calibration" / "prompts.inc.md"
PROMPT_VARIANTS = 5
SIZES = (1, 5, 2, 4, 1, 3, 2, 1, 5, 3, 1, 4)
"""Items of each of 12 scenarios or templates."""
REFUSALS, EFFECTS = (0.0, 0.3, 0.5), (0.0, 0.3, 0.5)
Generator = np.random.Generator


class Outcome(NamedTuple):
    """Whether two equal models were told apart, and whether the gate passed one that is worse by the margin."""

    rejected: bool
    passed: bool


class Asked:
    """A chat model whose answers are drawn without its being asked."""

    name = "drawn"
    warnings: tuple[str, ...] = ()
    alternatives = 0
    is_chat_model = True

    def provenance(self) -> dict[str, Any]:
        """Its name."""
        return {"name": self.name}

    def reply(self, *_: Any, **__: Any) -> Any:
        """Nobody asks it."""
        raise NotImplementedError


@dataclass(frozen=True)
class Latent:
    """What the answers of one model are drawn from, on the logit scale.

    Attributes:
        items: leaning of each item, shape (items,).
        prompt_variants: that of each prompt variant, shape (5,).
        refuses: chance that an answer about an item is refused, shape (items,).
    """

    items: Any
    prompt_variants: Any
    refuses: Any

    def chances(self) -> Any:
        """Chance of the stereotypical answer, shape (items, prompt variants)."""
        return 1 / (1 + np.exp(-(self.items[:, None] + self.prompt_variants)))


def latents(
    rng: Generator, sizes: tuple[int, ...], effect: float, refusals: float, shifts: Any
) -> list[Latent]:
    """Models whose groups of items and whose items lean with sd 0.8 and 0.6; all but the first refuse."""
    group = np.repeat(np.arange(len(sizes)), sizes)
    n = len(group)
    common = rng.normal(0, 0.8, len(sizes))[group] + rng.normal(0, 0.6, n)
    refuses = rng.beta(4 * refusals, 4 * (1 - refusals), n) if refusals else np.zeros(n)
    return [
        Latent(
            shift + math.sqrt(0.5) * (common + rng.normal(0, 0.8, len(sizes))[group] + rng.normal(0, 0.6, n)),
            rng.normal(0, effect, PROMPT_VARIANTS),
            chance,
        )
        for shift, chance in zip(shifts, (np.zeros(n), refuses, refuses), strict=False)
    ]


def mean_chance(shift: float, effect: float) -> float:
    """The mean chance of a stereotypical answer over such models."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(61)
    latent = shift + math.sqrt(0.8**2 + 0.6**2 + effect**2) * nodes
    return float(weights @ (1 / (1 + np.exp(-latent))) / weights.sum())


@functools.cache
def shift_of(share: float, effect: float) -> float:
    """The leaning for which that mean is ``share``."""
    low, high = -8.0, 8.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if mean_chance(middle, effect) < share else (low, middle)
    return low


def choices(rng: Generator, latent: Latent, each: int, options: int, names: float = 1.0) -> Choices:
    """Choices between options, of which the first is the stereotypical and the second the other one.

    Args:
        each: questions about an item.
        options: number of options.
        names: chance that one of the first two is chosen.
    """
    put = orders(options)
    n = len(latent.items) * each
    question, prompt_variant, order = (a.ravel() for a in np.indices((n, PROMPT_VARIANTS, len(put))))
    item = question // each
    stereotype = rng.random(len(item)) < latent.chances()[item, prompt_variant]
    option = np.where(rng.random(len(item)) < names, np.where(stereotype, 0, 1), 2)
    option = np.where(rng.random(len(item)) < latent.refuses[item], -1, option)
    position = np.array([one.index(0) for one in put])[order]
    return Choices(
        question, prompt_variant, position, option, position == 0, tuple("refused" if o < 0 else "" for o in option),
        n, options, PROMPT_VARIANTS, "drawn", {}, {}, None, (),
    )  # fmt: skip


def relative_decision(rng: Generator, latent: Latent) -> eb.Result:
    """Choices between two assignments of tasks, each pair of people and tasks put in four orders."""
    tests = [
        {"name": f"s{s}", "targets_x": ["Ben"], "targets_y": ["Ann"], "attributes_b": ["type"],
         "attributes_a": [f"lead {i}" for i in range(size)], "scenario": "{first}, {second}: {task1}, {task2}."}
        for s, size in enumerate(SIZES)
    ]  # fmt: skip
    drawn = choices(rng, latent, 4, 2)
    return asked("relative_decision", tests, drawn, n_pairs=max(SIZES))


def ready_decisions(rng: Generator, latent: Latent) -> eb.Result:
    """The same with ready labels: 4 decisions about each pair, of which a scenario keeps no order."""
    said = np.where(
        rng.random((4, len(latent.items))) < latent.chances().mean(axis=1),
        "stereotypical",
        "anti-stereotypical",
    )
    said = np.where(rng.random(said.shape) < latent.refuses, "refused", said)
    ends = np.cumsum((0, *SIZES))
    tests = [
        {"name": f"s{s}", "targets_x": ["Ben"], "targets_y": ["Ann"], "attributes_a": ["lead"],
         "attributes_b": ["type"], "decisions": said[:, ends[s] : ends[s + 1]].ravel().tolist()}
        for s in range(len(SIZES))
    ]  # fmt: skip
    return METHODS["relative_decision"].function()(None, tests)


def crows_pairs(rng: Generator, latent: Latent) -> eb.Result:
    """Choices between the sentences of pairs."""
    rows = [
        {"id": str(i), "sent_more": f"Case {i}: she.", "sent_less": f"Case {i}: he."}
        for i in range(len(latent.items))
    ]
    return asked("crows_pairs", rows, choices(rng, latent, 1, 2), variant="choice")


def bbq(rng: Generator, latent: Latent) -> eb.Result:
    """Answers to ambiguous questions, of which 60 % name a person."""
    rows = [
        {"category": "Age", "question_index": str(t), "context_condition": "ambig", "context": f"Case {t}.{i}.",
         "question": "Who?", "ans0": "The man", "ans1": "The boy", "ans2": "Not known", "label": 2, "target_loc": 0,
         "unknown_loc": 2}
        for t, size in enumerate(SIZES) for i in range(size)
    ]  # fmt: skip
    return asked("bbq", rows, choices(rng, latent, 1, 3, names=0.6), variant="choice")


def decisions(rng: Generator, latent: Latent) -> eb.Result:
    """Log-odds of yes for two groups; an item is a template, whose contrast leans as items do."""
    n = len(latent.items)
    rows = [
        {"question": f"Case {i}, {g}?", "group": g, "template": f"t{i}"} for i in range(n) for g in ("x", "y")
    ]
    contrast = latent.items[:, None] + latent.prompt_variants
    odds = np.stack([contrast / 2, -contrast / 2], axis=1).reshape(2 * n, -1) + rng.normal(
        0, 0.5, (2 * n, PROMPT_VARIANTS)
    )
    lost = rng.random(odds.shape) < np.repeat(latent.refuses, 2)[:, None]
    answers = YesNoAnswers(np.where(lost, np.nan, odds))
    with patch.object(decision_gap, "ask", lambda *_, **__: answers):
        return METHODS["decision_gap"].function()(Asked(), rows, n_resamples=1)


def asked(name: str, rows: Any, drawn: Choices, **options: Any) -> eb.Result:
    """The result of a model that chose so."""
    with patch.object(reporting, "ask", lambda *_: drawn):
        return METHODS[name].function()(Asked(), rows, **options)


def overall(result: eb.Result) -> eb.Result:
    """A result without the rows of its groups, of which this simulation says nothing."""
    return dataclasses.replace(result, rows=result.rows_of("item"))


@dataclass(frozen=True)
class Situation:
    """Two models, of which the second refuses.

    Attributes:
        what: method and sizes, in words.
        measure: the result of one model.
        base: share of stereotypical answers of the first.
        margin: of the gate, in shares.
        scale: the score's units of a share.
        sizes: items of every cluster.
    """

    what: str
    measure: Callable[[Generator, Latent], eb.Result]
    base: float = 0.5
    margin: float = 0.15
    scale: float = 1.0
    sizes: tuple[int, ...] = SIZES

    def draw(self, rng: Generator, effect: float, refusals: float) -> Outcome:
        """Two equal models compared, and the first one held against one that is worse by the margin."""
        shares = (self.base, self.base, self.base + self.margin)
        # A mean of leanings is no share.
        shifts = [share if self.scale == 0 else shift_of(share, effect) for share in shares]
        base, equal, worse = (
            overall(self.measure(rng, one)) for one in latents(rng, self.sizes, effect, refusals, shifts)
        )
        change = compare_results([base], [equal]).changes[0]
        margins = {base.method: self.margin * (self.scale or 1.0)}
        check = gate(worse, against=base, margins=margins).checks[0]
        return Outcome(change.p_value is not None and change.p_value < 0.05, bool(check.passed))


SITUATIONS = (
    Situation("relative_decision, 12 scenarios of 1 to 5 pairs", relative_decision),
    Situation("relative_decision, ready labels, 4 to 20 a scenario", ready_decisions),
    Situation("crows_pairs, 32 pairs", crows_pairs, scale=100.0, sizes=(1,) * 32),
    Situation("bbq, 12 templates of 1 to 5 items", bbq, scale=1.2),
    Situation("decision_gap, 20 templates", decisions, base=0.0, margin=0.8, scale=0, sizes=(1,) * 20),
)


def cells(situation: Situation) -> Iterator[tuple[float, float]]:
    """Refusals and prompt variant effects of a situation; the first has every combination."""
    if situation is SITUATIONS[0]:
        return product(REFUSALS, EFFECTS)
    # Ready labels have no prompt variants.
    return product(REFUSALS, (0.0,) if situation.measure is ready_decisions else (0.5,))


def outcomes(situation: Situation, refusals: float, effect: float, draws: int) -> list[Outcome]:
    """Draws of a cell, from a stream of its own."""
    stream = zlib.crc32(f"{situation.what} {refusals} {effect}".encode())
    return [situation.draw(np.random.default_rng([stream, i]), effect, refusals) for i in range(draws)]


def table(draws: int) -> list[str]:
    """A line a cell: shares in percent with their standard errors."""
    lines = [
        "| measured | refused by one model | prompt variants' sd | equals told apart | worse by the margin passes "
        "| draws |",
        "|---|---:|---:|---:|---:|---:|",
    ]
    for situation in SITUATIONS:
        for refusals, effect in cells(situation):
            seen = outcomes(situation, refusals, effect, draws)
            shares = [100 * float(np.mean(column)) for column in zip(*seen, strict=True)]
            written = [f"{s:.1f} ± {math.sqrt(s * (100 - s) / draws):.1f} %" for s in shares]
            prompt_variants = "—" if situation.measure is ready_decisions else f"{effect:g}"
            lines.append(
                f"| {situation.what} | {refusals:.0%} | {prompt_variants} | {' | '.join(written)} | {draws:,} |"
            )
            print(lines[-1], flush=True)
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--draws", type=int, default=1_000)
    parser.add_argument("--write", action="store_true", help="write the table of the documentation")
    options, start = parser.parse_args(), time.monotonic()
    lines = table(options.draws)
    print(f"{time.monotonic() - start:.0f} s")
    if options.write:
        PAGE.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
