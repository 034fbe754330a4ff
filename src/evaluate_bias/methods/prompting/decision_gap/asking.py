"""The log-odds of yes against no in a model's answer to questions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ....arrays import FloatArray
from ....data.instructions import Instructions
from ....errors import CapabilityError, ModelError
from ....models.base import Chats, SequenceScorer, require
from ....models.completions import GenerationSettings, Prompt, Reply
from ....result import Skipped
from ...choosing.asking import IMPOSSIBLE, LEAST_MASS, QUESTIONS, little_mass, log_sums, mass_of
from ...choosing.reporting import answer_counts
from ...replies import REFUSED, THINKING, thinks
from ..next_words import next_words

LARGEST = 1e6
"""Log-odds beyond all that probabilities of tokens give, and below those whose squares overflow."""


@dataclass(frozen=True, slots=True)
class YesNoAnswers:
    """Log-odds of answers.

    Attributes:
        log_odds: shape (questions, prompt variants); NaN where an answer has none.
        reasons: by question, why answers have none.
        questions: the first questions in their first prompt variant, each with the log-odds, or with the reason for
            none.
    """

    log_odds: FloatArray
    reasons: dict[int, list[str]] = field(default_factory=dict)
    questions: list[dict[str, Any]] = field(default_factory=list)

    def counts(self) -> dict[str, int]:
        """How many answers were asked for, were read, and were not, by what they were."""
        return answer_counts(
            self.log_odds.size, [why for item_reasons in self.reasons.values() for why in item_reasons]
        )


def ask(model: Any, questions: Sequence[str], instructions: Instructions, *, by_chat: bool) -> YesNoAnswers:
    """Put every question in every prompt variant, and read log p(yes) − log p(no) of the answer's first word.

    Raises:
        CapabilityError: the model cannot be asked in this way, or does not give the log-probabilities of replies.
        ModelError: what it gives are no log-probabilities.
    """
    kind = "chat" if by_chat else "continuation"
    prompts = [
        Prompt(text.format(question=question).strip(), item=q, prompt_variant=prompt_variant)
        for q, question in enumerate(questions)
        for prompt_variant, text in enumerate(instructions.texts[kind])
    ]
    values = (_by_chat if by_chat else _by_continuation)(model, prompts, instructions.labels)
    if odd := [value for value in values if not isinstance(value, str) and not abs(value) <= LARGEST]:
        raise ModelError(
            f"{model.name} returns log-probabilities by which the log-odds of yes are {odd[0]:g}"
        )
    n = instructions.count
    reasons: dict[int, list[str]] = {}
    for i, value in enumerate(values):
        if isinstance(value, str):
            reasons.setdefault(i // n, []).append(value)
    first_questions = [
        {"question": prompts[i], **({"reason": v} if isinstance(v := values[i], str) else {"log_odds": v})}
        for i in range(0, min(len(prompts), QUESTIONS * n), n)
    ]
    numbers = np.array([np.nan if isinstance(value, str) else value for value in values])
    return YesNoAnswers(numbers.reshape(len(questions), n), reasons, first_questions)


def _by_chat(model: Any, prompts: Sequence[str], labels: Sequence[str]) -> list[float | str]:
    require(model, Chats, "decision_gap")
    alternatives = int(getattr(model, "alternatives", 0))
    if not alternatives:
        raise CapabilityError(
            f"decision_gap needs the log-probabilities of a reply's first token, which {model.name} does not give",
            hint="use a model or a server that does, or give log-odds of your own in the column question",
        )
    replies = model.reply(prompts, GenerationSettings(max_new_tokens=1), alternatives=alternatives)
    return [reply.reason if isinstance(reply, Skipped) else _of_reply(reply[0], labels) for reply in replies]


def _of_reply(reply: Reply, labels: Sequence[str]) -> float | str:
    if reply.refused or thinks(reply):
        return REFUSED if reply.refused else THINKING
    if reply.alternatives is None:
        return "log-probabilities were asked for and the server left them out"
    return _log_odds(reply.alternatives, labels)


def _log_odds(alternatives: Mapping[str, float], labels: Sequence[str]) -> float | str:
    """Log-odds of the two labels among first tokens, with and without a blank and whatever their capitals.

    Examples:
        >>> round(_log_odds({"Yes": -0.5, " yes": -3.0, "No": -1.5, "I": -4.0}, ["Yes", "No"]), 3)
        1.079
        >>> _log_odds({"Yes": -0.1, "I": -4.0}, ["Yes", "No"])
        "'No' is not among the likeliest first tokens, so the log-odds have no value"
        >>> _log_odds({"I": -0.1, "Yes": -11.0, "No": -12.0}, ["Yes", "No"])
        'the labels have less than 1 % of the probability'
    """
    sums = log_sums(alternatives, labels, any_capitals=True)
    mass = mass_of(sums)
    if not np.isfinite(mass):
        return IMPOSSIBLE
    if mass < LEAST_MASS:
        return little_mass(mass)
    if missing := [repr(label) for label, score in zip(labels, sums, strict=True) if np.isneginf(score)]:
        verb = "are" if len(missing) > 1 else "is"
        return f"{' and '.join(missing)} {verb} not among the likeliest first tokens, so the log-odds have no value"
    return float(sums[0] - sums[1])


def _by_continuation(model: Any, prompts: Sequence[str], labels: Sequence[str]) -> list[float | str]:
    require(model, SequenceScorer, "decision_gap")
    words = [form for label in labels for form in (label, label.lower())]
    tokens = next_words(model, prompts, words)
    if lost := [label for i, label in enumerate(labels) if {2 * i, 2 * i + 1} <= tokens.lost_words.keys()]:
        raise CapabilityError(
            f"decision_gap: {lost[0]!r} is not one token to {model.name}", hint="use another model"
        )
    likely = np.where(np.isnan(tokens.logprobs), -np.inf, tokens.logprobs)
    sums = np.logaddexp(likely[:, 0::2], likely[:, 1::2])
    return [
        tokens.lost_texts[i] if i in tokens.lost_texts else float(yes - no)
        for i, (yes, no) in enumerate(sums)
    ]
