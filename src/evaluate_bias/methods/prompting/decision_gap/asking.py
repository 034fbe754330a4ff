"""The log-odds of yes against no in a model's answers to questions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ....data.instructions import Instructions
from ....data.prompts import DecisionQuestion
from ....errors import CapabilityError, ModelError
from ....models.base import Capability, require
from ....models.completions import Reply
from ....result import Skipped
from ...choosing import Protocol, Question
from ...choosing.asking import LEAST_MASS, Choices
from ...choosing.asking import ask as ask_questions
from ..next_words import next_words

LARGEST = 1e6
"""Log-odds beyond all that probabilities of tokens give, and below those whose squares overflow."""


def ask(
    model: Any, rows: Sequence[DecisionQuestion], instructions: Instructions, *, by_chat: bool
) -> Choices:
    """Ask every question in every prompt variant, and read log p(yes) − log p(no) of the answer's first word.

    Raises:
        CapabilityError: the model cannot be asked in this way, or does not give the log-probabilities of replies.
        ModelError: what it gives are not log-probabilities.
    """
    require(model, (Capability.CHATS if by_chat else Capability.SCORES_SEQUENCES,), "decision_gap")
    if by_chat and not getattr(model, "alternatives", 0):
        raise CapabilityError(
            f"decision_gap needs the log-probabilities of a reply's first token, which {model.name} does not give",
            hint="use a model or a server that does, or give log-odds of your own in the column question",
        )
    kind, labels = "chat" if by_chat else "continuation", instructions.labels
    protocol = Protocol(
        instructions, follow_up=False, orders=lambda k: [tuple(range(k))], reads_log_odds=True,
        least_mass=LEAST_MASS if by_chat else 0.0,  # a text may go on in many ways
    )  # fmt: skip
    choices = ask_questions(
        model if by_chat else _Continued(model, labels),
        [Question(kind, {"question": row.question}, labels, 0) for row in rows],
        protocol,
        [row.id for row in rows],
    )
    if (largest := np.nanmax(np.abs(choices.log_odds), initial=0.0)) > LARGEST:
        raise ModelError(f"{model.name} returns log-probabilities by which log-odds of yes are {largest:g}")
    return choices


class _Continued:
    """A model that completes texts, which replies with its next word."""

    def __init__(self, model: Any, labels: Sequence[str]) -> None:
        self.model, self.labels, self.alternatives = model, labels, 2 * len(labels)

    def reply(
        self, prompts: Sequence[str], settings: Any, *, alternatives: int
    ) -> list[list[Reply] | Skipped]:
        forms = [form for label in self.labels for form in (label, label.lower())]
        words = next_words(self.model, prompts, forms)
        for i, label in enumerate(self.labels):
            if {2 * i, 2 * i + 1} <= words.lost_words.keys():
                raise CapabilityError(
                    f"decision_gap: {label!r} is not one token to {self.model.name}", hint="use another model"
                )
        return [
            Skipped(str(prompt), words.lost_texts[i])
            if i in words.lost_texts
            else [Reply("", alternatives={w: p for w, p in zip(forms, logprobs, strict=True) if p == p})]
            for i, (prompt, logprobs) in enumerate(zip(prompts, words.logprobs.tolist(), strict=True))
        ]
