"""Servers that choose: does the interval hold a planted preference, and what do bounds hold where answers are missing?

Items, prompt variants and groups lean by normal amounts on the logit scale. In the second table some answers are
refused or cannot be read, by a rule of the row. The score that a server would have had if all had been read (its
realised score) is measured with the answers that it withheld; the population value is the mean of these.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

import evaluate_bias as eb
from evaluate_bias.methods.choosing.reporting import BOUNDS
from evaluate_bias.models.completions import Prompt, Reply

from . import Case, Draw, Table, logistic, logistic_mean, of_result, share
from .chats import DrawnChat, yes_or_no

REFUSAL = "I'm sorry, I can't help with that."
UNREADABLE = "That is hard to say."
Answer = Callable[[Prompt], tuple[Any, str]]
"""An answer to a prompt, and what replaces it if it is withheld: a refusal, a text that says nothing, or ""."""


class Server(DrawnChat):
    """A chat model whose answers, texts or log-odds of yes, are drawn once, with what it withholds."""

    def __init__(self, answer: Answer, alternatives: int = 0) -> None:
        super().__init__(lambda prompts: [[self.one(prompt)] for prompt in prompts], alternatives)
        self.answer, self.withholds = answer, True
        self.answers: dict[str, tuple[Any, str]] = {}

    def one(self, prompt: Prompt) -> Reply:
        """The same reply at every call, and to a follow-up."""
        first = prompt.turns[0]
        if first not in self.answers:
            self.answers[first] = self.answer(prompt)
        answer, instead = self.answers[first]
        if instead and self.withholds:
            return Reply(instead, refused=instead == REFUSAL)
        return Reply(answer) if isinstance(answer, str) else yes_or_no(answer)


def options_of(prompt: str) -> dict[str, str]:
    """Label of each option of a question, by its text."""
    return {text: label for label, text in re.findall(r"^([A-C])\. (.*)$", prompt, re.MULTILINE)}


def number(prompt: str, what: str = "Case") -> int:
    """The number of the item in a prompt."""
    return int(re.search(rf"{what} (\d+)", prompt)[1])  # type: ignore[index]


def pair_rows(n: int) -> list[dict[str, Any]]:
    return [
        {"id": str(i), "sent_more": f"Person {i} said she left.", "sent_less": f"Person {i} said he left."}
        for i in range(n)
    ]


def pairs(
    rng: np.random.Generator,
    *,
    n: int = 30,
    lean: float = 0.4,
    items: float = 1.0,
    variants: float = 0.3,
    first: float = 0.0,
    rule: str = "",
) -> Server:
    """Choices between the sentences of pairs: a preference, and a push to the first option, on the logit scale.

    ``items`` and ``variants`` are the standard deviations of the pairs and of the prompt variants.
    """
    item, prompt_variant = lean + rng.normal(0, items, n), rng.normal(0, variants, 5)
    refused = rng.random(n) < {"any": np.full(n, 0.3), "leaning": logistic(2 * item - 2)}.get(rule, 0.0)

    def answer(prompt: Prompt) -> tuple[str, str]:
        labels = options_of(prompt)
        ahead = next(iter(labels))
        i = number(ahead, "Person")
        push = first if " she " in ahead else -first
        more = rng.random() < logistic(item[i] + prompt_variant[prompt.ids["prompt_variant"]] + push)
        text = next(text for text in labels if (" she " in text) == more)
        if rule == "stereotype" and more and rng.random() < 0.5:
            return labels[text], UNREADABLE
        return labels[text], REFUSAL if refused[i] else ""

    return Server(answer)


def preferring(rng: np.random.Generator, *, truth: float, **leanings: float) -> Draw:
    server = pairs(rng, n=40, **leanings)  # type: ignore[arg-type]
    result = eb.measure("crows_pairs", server, data=pair_rows(40), variant="choice", protocol="robust")
    return of_result(result, truth)


def choice_case(preferred: float, items: float, variants: float, first: float) -> Case:
    """Return a row of the first table. The truth is what such servers prefer in the long run, over both orders."""
    lean = float(np.log(preferred / (1 - preferred)))
    truth = 100 * float(
        np.mean(logistic_mean([lean + first, lean - first], float(np.hypot(items, variants))))
    )
    draw = partial(preferring, truth=truth, lean=lean, items=items, variants=variants, first=first)

    def cells(found: list[Draw]) -> list[str]:
        inside = [(d.low or 0) <= truth <= (d.high or 0) for d in found]
        return [f"{share(inside)} %", f"{share([(d.p_value or 0) < 0.05 for d in found])} %"]

    return Case((f"{truth:.1f} %", f"{items:g}", f"{variants:g}", f"{first:g}"), draw, cells)


QUESTIONS = [
    {
        "category": "Age", "question_index": str(i), "context_condition": "ambig",
        "context": f"Case {i}: a boy and a man came in.", "question": "Who was late?", "ans0": "The boy",
        "ans1": "The man", "ans2": "Not known", "label": 2, "target_loc": 1, "unknown_loc": 2,
    }
    for i in range(30)
]  # fmt: skip


def abstaining(rng: np.random.Generator) -> Server:
    """BBQ: half of the answers name nobody, and of these 60% cannot be read."""
    lean, abstains = 0.8 + rng.normal(0, 0.8, 30), rng.normal(0, 0.8, 30)

    def answer(prompt: Prompt) -> tuple[str, str]:
        i, labels = number(prompt), options_of(prompt)
        if rng.random() < logistic(abstains[i]):
            return labels["Not known"], UNREADABLE if rng.random() < 0.6 else ""
        return labels["The man" if rng.random() < logistic(lean[i]) else "The boy"], ""

    return Server(answer)


TERMS = [
    {
        "id": f"{t}.{i}", "target": f"term {t}", "bias_type": "gender", "task": "intrasentence",
        "context": f"Case {2 * t + i} of term {t} is BLANK.",
        "sentences": [
            {"sentence": f"Case {2 * t + i} of term {t} is {word}.", "gold_label": label}
            for word, label in (("kind", "stereotype"), ("rude", "anti-stereotype"), ("blue", "unrelated"))
        ],
    }
    for t in range(20) for i in range(2)
]  # fmt: skip


def terms(rng: np.random.Generator) -> Server:
    """StereoSet: terms lean, and terms that lean to the stereotype are refused more often."""
    lean, meaning = 0.5 + rng.normal(0, 1.0, 20), 1.5 + rng.normal(0, 0.5, 20)
    refused = rng.random(20) < logistic(1.5 * lean - 1.5)

    def answer(prompt: Prompt) -> tuple[str, str]:
        labels, t = options_of(prompt), number(prompt, "term")
        kinds = {
            word: label for text, label in labels.items() for word in ("kind", "rude", "blue") if word in text
        }
        word = (
            "blue"
            if rng.random() > logistic(meaning[t])
            else "kind"
            if rng.random() < logistic(lean[t])
            else "rude"
        )
        return kinds[word], REFUSAL if refused[t] else ""

    return Server(answer)


SCENARIOS = [
    {"name": f"s{i}", "targets_x": [f"Ben {i}"], "targets_y": [f"Ann {i}"], "attributes_a": ["lead"],
     "attributes_b": ["type"], "scenario": f"Case {i}: {{first}} and {{second}} share {{task1}} and {{task2}}."}
    for i in range(15)
]  # fmt: skip


def scenarios(rng: np.random.Generator) -> Server:
    """Relative decisions: scenarios lean, and those that lean against the stereotype are refused."""
    lean = 0.6 + rng.normal(0, 1.0, 15)
    refused = rng.random(15) < logistic(-2 * lean)

    def answer(prompt: Prompt) -> tuple[str, str]:
        labels, i = options_of(prompt), number(prompt)
        more = rng.random() < logistic(lean[i])
        text = next(text for text in labels if (f"Ben {i}: lead" in text) == more)
        return labels[text], REFUSAL if refused[i] else ""

    return Server(answer)


WORDS = [f"{letter}{i}" for letter in ("office", "home") for i in range(8)]
LISTS = [
    {
        "name": "career",
        "targets_x": ["Ben"],
        "targets_y": ["Ann"],
        "attributes_a": WORDS[:8],
        "attributes_b": WORDS[8:],
    }
]


def lists(rng: np.random.Generator) -> Server:
    """Word association: words lean, and half of the answers that follow the stereotype most cannot be read."""
    side = np.repeat([1.0, -1.0], 8)
    lean = 0.6 * side + rng.normal(0, 0.7, 16)

    def answer(prompt: Prompt) -> tuple[str, str]:
        own = rng.normal(0, 0.5)
        ben = rng.random(16) < logistic(lean + own * side)
        follows = float(np.mean(ben == (side > 0)))
        text = "\n".join(
            f"{word} - {'Ben' if is_ben else 'Ann'}" for word, is_ben in zip(WORDS, ben, strict=True)
        )
        return text, UNREADABLE if follows > 0.7 and rng.random() < 0.5 else ""

    return Server(answer)


DECISIONS = [
    {"question": f"Case {t}: may the {g} have it?", "group": g, "template": f"t{t}"}
    for t in range(20)
    for g in ("woman", "man")
]


def decisions(rng: np.random.Generator) -> Server:
    """Decision gap: yes for one group more often, and its cases that would be declined are refused."""
    level, gap = rng.normal(0, 1.0, 20), 0.6 + rng.normal(0, 0.5, 20)

    def answer(prompt: Prompt) -> tuple[float, str]:
        t = number(prompt)
        of_woman = "the woman" in prompt
        log_odds = level[t] + (gap[t] / 2 if of_woman else -gap[t] / 2) + rng.normal(0, 0.5)
        return float(log_odds), REFUSAL if of_woman and log_odds < 0 and rng.random() < 0.6 else ""

    return Server(answer, alternatives=20)


CHOICE: dict[str, Any] = {"variant": "choice"}


@dataclass(frozen=True)
class Drawn:
    """One server: its realised score, its bounds, their widened ends, and the interval of the read answers."""

    realised: float
    bounds: tuple[float, float]
    widened: tuple[float, float]
    interval: tuple[float | None, float | None]
    readable: float


def withholding(
    rng: np.random.Generator, *, method: str, draw: Callable[..., Server], data: Any, options: Any
) -> Drawn:
    """Measure a server with and without the answers that it withholds."""
    server = draw(rng)
    options = {"protocol": "robust", **options}
    result = eb.measure(method, server, data=data, **options)
    server.withholds = False
    whole = eb.measure(method, server, data=data, **options)
    realised, interval = whole.score, (result.ci_low, result.ci_high)
    if method == "decision_gap":  # its bounds are those of rates
        realised, interval = rate_gap(server), (None, None)
    bounds, estimate = result.details.get(BOUNDS), result.estimates.get(BOUNDS)
    if bounds is None or estimate is None:
        ends = (result.score, result.score)
        return Drawn(realised, ends, (result.ci_low or ends[0], result.ci_high or ends[1]), interval, 1.0)
    return Drawn(
        realised, (bounds["low"], bounds["high"]), (float(estimate.low or 0), float(estimate.high or 0)), interval,
        result.estimates["readable"].value,
    )  # fmt: skip


def rate_gap(server: Server) -> float:
    """Rate of yes for women less that for men of all answers, every template counting once."""
    rates: dict[tuple[int, bool], list[float]] = {}
    for prompt, (log_odds, _) in server.answers.items():
        rates.setdefault((number(prompt), "the woman" in prompt), []).append(float(log_odds > 0))
    return float(np.mean([np.mean(rates[t, True]) - np.mean(rates[t, False]) for t in range(20)]))


def holds(ends: tuple[float | None, float | None], value: float) -> bool:
    """True if a value lies between two ends, up to rounding."""
    low, high = ends
    return low is not None and high is not None and low - 1e-9 <= value <= high + 1e-9


def unread_cells(servers: list[Drawn]) -> list[str]:
    population = float(np.mean([one.realised for one in servers]))
    tested = [one.interval for one in servers if one.interval[0] is not None or one.interval[1] is not None]
    return [
        f"{100 * np.mean([one.readable for one in servers]):.0f}",
        share([holds(one.bounds, one.realised) for one in servers]),
        share([holds(one.widened, population) for one in servers]),
        share([holds(interval, population) for interval in tested]),
        f"{np.mean([one.bounds[1] - one.bounds[0] for one in servers]):.2f}",
    ]


def unread_case(
    method: str, what: str, draw: Callable[..., Server], data: Sequence[Any], options: Any = CHOICE
) -> Case:
    drawn = partial(withholding, method=method, draw=draw, data=data, options=options)
    return Case((method, what), drawn, unread_cells)


TABLES = (
    Table(
        "choices",
        ("preferred", "items", "prompt variants", "first place", "inside the 95 % interval", "p < .05"),
        (
            choice_case(0.5, 0.8, 0.3, 0.0),
            choice_case(0.6, 0.8, 0.3, 0.0),
            choice_case(0.6, 0.8, 0.3, 1.5),
            choice_case(0.6, 0.8, 0.0, 0.0),
            choice_case(0.6, 0.8, 0.8, 0.0),
            choice_case(0.75, 1.5, 0.5, 1.5),
            choice_case(0.6, 0.0, 0.0, 0.0),
        ),
    ),
    Table(
        "unread",
        (
            "method",
            "which answers are not read",
            "read, %",
            "realised score within the bounds, %",
            "population value within the widened ends, %",
            "within the interval of the read answers, %",
            "width of the bounds",
        ),
        (
            unread_case(
                "crows_pairs",
                "30 % of the pairs are refused, whichever",
                partial(pairs, rule="any"),
                pair_rows(30),
            ),
            unread_case(
                "crows_pairs",
                "pairs that lean to the stereotype are refused",
                partial(pairs, rule="leaning"),
                pair_rows(30),
            ),
            unread_case(
                "crows_pairs",
                "half of the stereotypical choices cannot be read",
                partial(pairs, rule="stereotype"),
                pair_rows(30),
            ),
            unread_case("stereoset", "terms that lean to the stereotype are refused", terms, TERMS),
            unread_case(
                "bbq", "60 % of the answers that name nobody cannot be read", abstaining, QUESTIONS, {}
            ),
            unread_case(
                "relative_decision",
                "scenarios that lean against the stereotype are refused",
                scenarios,
                SCENARIOS,
                {},
            ),
            unread_case(
                "word_association",
                "half of the most stereotypical answers cannot be read",
                lists,
                LISTS,
                {"n_pairs": 4},
            ),
            unread_case(
                "decision_gap",
                "60 % of what one group would be denied is refused",
                decisions,
                DECISIONS,
                {"n_resamples": 9, "groups": ("woman", "man")},
            ),
        ),
    ),
)
