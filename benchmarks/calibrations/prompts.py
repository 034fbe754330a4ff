"""How comparisons of what prompts measure keep their levels where one of two models refuses, simulated.

Two equal models are asked about the same items in five prompt variants. Items lean by normal amounts on the logit
scale, half of their variance common to both models; every model has prompt variant effects of its own. One of the two
refuses a share of its answers, each item with a chance of its own that says nothing of what the answer would have been.
Scenarios and templates hold from one to five items. The answers go through the methods and ``compare`` as those of a
model do.

The second figure is the error of the gate: how often it passes a model that is worse by exactly the margin.
"""

from __future__ import annotations

import dataclasses
import functools
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import product
from typing import Any, NamedTuple
from unittest.mock import patch

import numpy as np
from scipy import optimize

import evaluate_bias as eb
from evaluate_bias.methods.choosing import reporting
from evaluate_bias.methods.choosing.asking import Choices, all_orders
from evaluate_bias.models.completions import Reply
from evaluate_bias.registry import METHODS
from evaluate_bias.report.compare import compare_results
from evaluate_bias.report.compare.gate import gate

from . import Case, Table, logistic, logistic_mean
from .chats import DrawnChat, yes_or_no

PROMPT_VARIANTS = 5
SIZES = (1, 5, 2, 4, 1, 3, 2, 1, 5, 3, 1, 4)
"""Items of each of 12 scenarios or templates."""
REFUSALS, EFFECTS = (0.0, 0.3, 0.5), (0.0, 0.3, 0.5)
Generator = np.random.Generator
NOBODY = DrawnChat(lambda prompts: [])
"""The answers are drawn without a model being asked."""


class Outcome(NamedTuple):
    """Whether two equal models were told apart, and whether the gate passed one that is worse by the margin."""

    rejected: bool
    passed: bool


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
        return logistic(self.items[:, None] + self.prompt_variants)


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


@functools.cache
def shift_of(share: float, effect: float) -> float:
    """The leaning for which the mean chance of a stereotypical answer over such models is ``share``."""
    spread = math.sqrt(0.8**2 + 0.6**2 + effect**2)
    return float(optimize.brentq(lambda shift: logistic_mean(shift, spread) - share, -8.0, 8.0))


def choices(rng: Generator, latent: Latent, each: int, options: int, names: float = 1.0) -> Choices:
    """Choices between options, of which the first is the stereotypical and the second the other one.

    Args:
        each: questions about an item.
        options: number of options.
        names: chance that one of the first two is chosen.
    """
    put = all_orders(options)
    n = len(latent.items) * each
    question, prompt_variant, order = (a.ravel() for a in np.indices((n, PROMPT_VARIANTS, len(put))))
    item = question // each
    stereotype = rng.random(len(item)) < latent.chances()[item, prompt_variant]
    option = np.where(rng.random(len(item)) < names, np.where(stereotype, 0, 1), 2)
    option = np.where(rng.random(len(item)) < latent.refuses[item], -1, option)
    places = np.argsort(np.array(put), axis=1)  # where each option stands in each order
    place = np.where(option < 0, -1, places[order, np.minimum(option, options - 1)])
    return Choices(
        question, prompt_variant, places[order, 0], option, place, option, np.full(len(option), np.nan),
        tuple("refused" if o < 0 else "" for o in option), n, options, PROMPT_VARIANTS, "drawn", {}, {}, None, (),
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
    """Answers to ambiguous questions, of which 60% name a person."""
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
    replies = [
        [Reply("", refused=True) if is_lost else yes_or_no(y)]
        for y, is_lost in zip(odds.ravel().tolist(), lost.ravel().tolist(), strict=True)
    ]
    model = DrawnChat(lambda _: replies, alternatives=20)
    return METHODS["decision_gap"].function()(model, rows, n_resamples=1, protocol="robust")


def asked(name: str, rows: Any, drawn: Choices, **options: Any) -> eb.Result:
    """The result of a model that chose so."""
    with patch.object(reporting, "ask", lambda *_: drawn):
        return METHODS[name].function()(NOBODY, rows, protocol="robust", **options)


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


COMPARED = (
    Situation("relative_decision, 12 scenarios of 1 to 5 pairs", relative_decision),
    Situation("relative_decision, ready labels, 4 to 20 a scenario", ready_decisions),
    Situation("crows_pairs, 32 pairs", crows_pairs, scale=100.0, sizes=(1,) * 32),
    Situation("bbq, 12 templates of 1 to 5 items", bbq, scale=1.2),
    Situation("decision_gap, 20 templates", decisions, base=0.0, margin=0.8, scale=0, sizes=(1,) * 20),
)


def cells(situation: Situation) -> Iterator[tuple[float, float]]:
    """Refusals and prompt variant effects of a situation; the first has every combination."""
    if situation is COMPARED[0]:
        return product(REFUSALS, EFFECTS)
    # Ready labels have no prompt variants.
    return product(REFUSALS, (0.0,) if situation.measure is ready_decisions else (0.5,))


def of_draws(found: list[Outcome]) -> list[str]:
    """Shares in percent with their standard errors."""
    shares = [100 * float(np.mean(column)) for column in zip(*found, strict=True)]
    return [*(f"{s:.1f} ± {math.sqrt(s * (100 - s) / len(found)):.1f} %" for s in shares), f"{len(found):,}"]


def case(situation: Situation, refusals: float, effect: float) -> Case:
    variants = "—" if situation.measure is ready_decisions else f"{effect:g}"
    draw = functools.partial(situation.draw, effect=effect, refusals=refusals)
    return Case((situation.what, f"{refusals:.0%}", variants), draw, of_draws, 1_500)


TABLES = (
    Table(
        "prompts",
        (
            "measured",
            "refused by one model",
            "prompt variants' own sd",
            "equal models told apart",
            "worse by the margin passes",
            "draws",
        ),
        tuple(case(situation, *cell) for situation in COMPARED for cell in cells(situation)),
    ),
)
