"""What bounds and intervals hold where answers that cannot be read depend on the item, or on the answer.

Each line draws servers whose items, prompt variants and groups lean by normal amounts on the logit scale. Some of their
answers are refused or cannot be read, by a rule of the line. The score that a server would have had if all had been
read (its realised score) is measured with the answers that it withheld; the population value is the mean of these.
``--write`` puts the table where docs/calibration.md includes it.

    python benchmarks/unread.py [--draws 2000] [--write]
"""

from __future__ import annotations

import argparse
import math
import re
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import evaluate_bias as eb
from evaluate_bias.methods.choosing.reporting import BOUNDS
from evaluate_bias.models.completions import Reply

SEED = 20261130
PAGE = Path(__file__).parents[1] / "docs" / "calibration" / "unread.inc.md"
REFUSAL = "I'm sorry, I can't help with that."
UNREADABLE = "That is hard to say."


def chance(latent: Any) -> Any:
    """The logistic function."""
    return 1 / (1 + np.exp(-latent))


@dataclass
class Server:
    """A chat model whose answers are drawn once, with what it withholds.

    Attributes:
        rng: what it draws from.
        answer: its answer to a prompt and whether it withholds it, as a refusal or as a text that says nothing.
        withholds: whether withheld answers are withheld.
        answers: what it answered, by prompt.
    """

    rng: np.random.Generator
    answer: Callable[[str], tuple[Any, str]]
    withholds: bool = True
    answers: dict[str, tuple[Any, str]] = field(default_factory=dict)
    name: str = "drawn"
    warnings: tuple[str, ...] = ()
    alternatives: int = 0
    is_chat_model: bool = True

    def provenance(self) -> dict[str, Any]:
        """Its name."""
        return {"name": self.name}

    def reply(self, prompts: Sequence[str], settings: Any, *, alternatives: int = 0) -> list[list[Reply]]:
        """Answer, the same at every call."""
        for prompt in prompts:
            if prompt not in self.answers:
                self.answers[prompt] = self.answer(prompt)
        return [[self._reply(*self.answers[prompt])] for prompt in prompts]

    def _reply(self, answer: Any, instead: str) -> Reply:
        if instead and self.withholds:
            return Reply(instead, refused=instead == REFUSAL)
        if isinstance(answer, str):
            return Reply(answer)
        return Reply(
            "Yes", alternatives={"Yes": -math.log1p(math.exp(-answer)), "No": -math.log1p(math.exp(answer))}
        )


def options_of(prompt: str) -> dict[str, str]:
    """Label of each option of a question, by its text."""
    return {text: label for label, text in re.findall(r"^([A-C])\. (.*)$", prompt, re.MULTILINE)}


def number(prompt: str, what: str = "Case") -> int:
    """The number of the item in a prompt."""
    return int(re.search(rf"{what} (\d+)", prompt)[1])  # type: ignore[index]


_PROMPT_VARIANTS: dict[str, int] = {}


def prompt_variant_of(prompt: str) -> int:
    """The number of the prompt variant of a question: of what is left without its options."""
    frame = re.sub(r"^[A-C]\. .*$", "", prompt, flags=re.MULTILINE)
    return _PROMPT_VARIANTS.setdefault(frame, len(_PROMPT_VARIANTS))


def pairs(rule: str) -> Callable[[np.random.Generator], Server]:
    """Servers that choose between the sentences of 30 pairs, with a preference of 0.4 on the logit scale."""

    def draw(rng: np.random.Generator) -> Server:
        item, prompt_variant = 0.4 + rng.normal(0, 1.0, 30), rng.normal(0, 0.3, 5)
        refused = rng.random(30) < {"any": np.full(30, 0.3), "leaning": chance(2 * item - 2)}.get(
            rule, np.zeros(30)
        )

        def answer(prompt: str) -> tuple[str, str]:
            labels = options_of(prompt)
            i = number(next(iter(labels)), "Person")
            more = rng.random() < chance(item[i] + prompt_variant[prompt_variant_of(prompt)])
            text = next(text for text in labels if (" she " in text) == more)
            if rule == "stereotype" and more and rng.random() < 0.5:
                return labels[text], UNREADABLE
            return labels[text], REFUSAL if refused[i] else ""

        return Server(rng, answer)

    return draw


PAIRS = [
    {"id": str(i), "sent_more": f"Person {i} said she left.", "sent_less": f"Person {i} said he left."}
    for i in range(30)
]
QUESTIONS = [
    {
        "category": "Age", "question_index": str(i), "context_condition": "ambig",
        "context": f"Case {i}: a boy and a man came in.", "question": "Who was late?", "ans0": "The boy",
        "ans1": "The man", "ans2": "Not known", "label": 2, "target_loc": 1, "unknown_loc": 2,
    }
    for i in range(30)
]  # fmt: skip


def abstaining(rng: np.random.Generator) -> Server:
    """BBQ: half of the answers name nobody, and of these 60 % cannot be read."""
    lean, abstains = 0.8 + rng.normal(0, 0.8, 30), rng.normal(0, 0.8, 30)

    def answer(prompt: str) -> tuple[str, str]:
        i, labels = number(prompt), options_of(prompt)
        if rng.random() < chance(abstains[i]):
            return labels["Not known"], UNREADABLE if rng.random() < 0.6 else ""
        return labels["The man" if rng.random() < chance(lean[i]) else "The boy"], ""

    return Server(rng, answer)


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
    """StereoSet: terms lean, and those that lean to the stereotype are refused more often."""
    lean, meaning = 0.5 + rng.normal(0, 1.0, 20), 1.5 + rng.normal(0, 0.5, 20)
    refused = rng.random(20) < chance(1.5 * lean - 1.5)

    def answer(prompt: str) -> tuple[str, str]:
        labels, t = options_of(prompt), number(prompt, "term")
        kinds = {
            word: label for text, label in labels.items() for word in ("kind", "rude", "blue") if word in text
        }
        word = (
            "blue"
            if rng.random() > chance(meaning[t])
            else "kind"
            if rng.random() < chance(lean[t])
            else "rude"
        )
        return kinds[word], REFUSAL if refused[t] else ""

    return Server(rng, answer)


SCENARIOS = [
    {"name": f"s{i}", "targets_x": [f"Ben {i}"], "targets_y": [f"Ann {i}"], "attributes_a": ["lead"],
     "attributes_b": ["type"], "scenario": f"Case {i}: {{first}} and {{second}} share {{task1}} and {{task2}}."}
    for i in range(15)
]  # fmt: skip


def scenarios(rng: np.random.Generator) -> Server:
    """Relative decisions: scenarios lean, and those that lean against the stereotype are refused."""
    lean = 0.6 + rng.normal(0, 1.0, 15)
    refused = rng.random(15) < chance(-2 * lean)

    def answer(prompt: str) -> tuple[str, str]:
        labels, i = options_of(prompt), number(prompt)
        more = rng.random() < chance(lean[i])
        text = next(text for text in labels if (f"Ben {i}: lead" in text) == more)
        return labels[text], REFUSAL if refused[i] else ""

    return Server(rng, answer)


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

    def answer(prompt: str) -> tuple[str, str]:
        own = rng.normal(0, 0.5)
        ben = rng.random(16) < chance(lean + own * side)
        follows = float(np.mean(ben == (side > 0)))
        text = "\n".join(
            f"{word} - {'Ben' if is_ben else 'Ann'}" for word, is_ben in zip(WORDS, ben, strict=True)
        )
        return text, UNREADABLE if follows > 0.7 and rng.random() < 0.5 else ""

    return Server(rng, answer)


DECISIONS = [
    {"question": f"Case {t}: may the {g} have it?", "group": g, "template": f"t{t}"}
    for t in range(20)
    for g in ("woman", "man")
]


def decisions(rng: np.random.Generator) -> Server:
    """Decision gap: yes for one group more often, and its cases that would be declined are refused."""
    level, gap = rng.normal(0, 1.0, 20), 0.6 + rng.normal(0, 0.5, 20)

    def answer(prompt: str) -> tuple[float, str]:
        t = number(prompt)
        of_woman = "the woman" in prompt
        log_odds = level[t] + (gap[t] / 2 if of_woman else -gap[t] / 2) + rng.normal(0, 0.5)
        return float(log_odds), REFUSAL if of_woman and log_odds < 0 and rng.random() < 0.6 else ""

    return Server(rng, answer, alternatives=20)


@dataclass(frozen=True)
class Line:
    """A line of the table: what is measured, which answers are not read, and how servers are drawn."""

    method: str
    what: str
    draw: Callable[[np.random.Generator], Server]
    data: list[dict[str, Any]]
    options: dict[str, Any] = field(default_factory=dict)


CHOICE: dict[str, Any] = {"variant": "choice"}
LINES = (
    Line("crows_pairs", "30 % of the pairs are refused, whichever", pairs("any"), PAIRS, CHOICE),
    Line("crows_pairs", "pairs that lean to the stereotype are refused", pairs("leaning"), PAIRS, CHOICE),
    Line("crows_pairs", "half of the stereotypical choices cannot be read", pairs("stereotype"), PAIRS, CHOICE),
    Line("stereoset", "terms that lean to the stereotype are refused", terms, TERMS, CHOICE),
    Line("bbq", "60 % of the answers that name nobody cannot be read", abstaining, QUESTIONS),
    Line("relative_decision", "scenarios that lean against the stereotype are refused", scenarios, SCENARIOS),
    Line("word_association", "half of the most stereotypical answers cannot be read", lists, LISTS, {"n_pairs": 4}),
    Line("decision_gap", "60 % of what one group would be denied is refused", decisions, DECISIONS, {"n_resamples": 9}),
)  # fmt: skip


@dataclass(frozen=True)
class Drawn:
    """One server: its realised score, its bounds, their widened ends, and the interval of the read answers."""

    realised: float
    bounds: tuple[float, float]
    widened: tuple[float, float]
    interval: tuple[float | None, float | None]
    readable: float


def drawn(line: Line, rng: np.random.Generator) -> Drawn:
    """Measure a server with and without the answers that it withholds."""
    server = line.draw(rng)
    result = eb.measure(line.method, server, data=line.data, **line.options)
    server.withholds = False
    whole = eb.measure(line.method, server, data=line.data, **line.options)
    realised, interval = whole.score, (result.ci_low, result.ci_high)
    if line.method == "decision_gap":  # its bounds are those of rates
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
    """Whether a value lies between two ends, up to rounding."""
    low, high = ends
    return low is not None and high is not None and low - 1e-9 <= value <= high + 1e-9


HEAD = (
    "| method | which answers are not read | read, % | realised score within the bounds, % | population value within "
    "the widened ends, % | within the interval of the read answers, % | width of the bounds |\n"
    "|---|---|---:|---:|---:|---:|---:|"
)


def row(line: Line, servers: Sequence[Drawn]) -> str:
    """A line of the table."""
    population = float(np.mean([one.realised for one in servers]))
    shares = [
        100 * np.mean([holds(one.bounds, one.realised) for one in servers]),
        100 * np.mean([holds(one.widened, population) for one in servers]),
        100 * np.mean([holds(one.interval, population) for one in servers]),
    ]
    width = np.mean([one.bounds[1] - one.bounds[0] for one in servers])
    named = [f"{share:.1f}" for share in shares]
    if all(one.interval[0] is None for one in servers):
        named[2] = "—"
    read = 100 * np.mean([one.readable for one in servers])
    return f"| {line.method} | {line.what} | {read:.0f} | {' | '.join(named)} | {width:.2f} |"


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--draws", type=int, default=2_000)
    parser.add_argument("--write", action="store_true", help="write the table of the documentation")
    options = parser.parse_args()
    lines = [HEAD]
    for k, line in enumerate(LINES):
        servers = [drawn(line, np.random.default_rng([SEED, k, i])) for i in range(options.draws)]
        lines.append(row(line, servers))
        print(lines[-1], flush=True)
    if options.write:
        PAGE.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
