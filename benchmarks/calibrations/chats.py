"""Chat models whose replies are drawn, for simulations that go through a whole method."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from evaluate_bias.models.completions import Reply


class DrawnChat:
    """Gives the replies that a function makes of the prompts, those of one prompt after those of another."""

    name = "drawn"
    warnings: tuple[str, ...] = ()
    is_chat_model = True

    def __init__(
        self, replies: Callable[[Sequence[str]], Sequence[Sequence[Reply]]], alternatives: int = 0
    ) -> None:
        self.replies = replies
        self.alternatives = alternatives

    def provenance(self) -> dict[str, Any]:
        return {"name": self.name}

    def reply(self, prompts: Sequence[str], settings: Any, *, alternatives: int = 0) -> list[list[Reply]]:
        return [list(several) for several in self.replies(prompts)]


def yes_or_no(log_odds: float) -> Reply:
    """Yes, with the log-probabilities of both that these log-odds of yes give."""
    return Reply(
        "Yes",
        alternatives={
            "Yes": -float(np.logaddexp(0, -log_odds)),
            "No": -float(np.logaddexp(0, log_odds)),
        },
    )
