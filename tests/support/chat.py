"""A chat model that answers by a function of the prompt."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from evaluate_bias.models.completions import Reply
from evaluate_bias.result import Skipped


class Chat:
    """Gives each prompt the reply, or the log-probabilities of first tokens, that a function of it returns."""

    name = "chat"
    warnings: tuple[str, ...] = ()
    alternatives = 20
    is_chat_model = True

    def __init__(self, answer: Callable[[str], Any]) -> None:
        self.answer = answer
        self.asked: list[str] = []

    def provenance(self) -> dict[str, str]:
        return {"name": self.name}

    def reply(self, prompts: list[str], settings: Any, *, alternatives: int = 0) -> list[Any]:
        self.asked += prompts
        replies = [self.answer(prompt) for prompt in prompts]
        return [
            r if isinstance(r, Skipped) else [r if isinstance(r, Reply) else Reply("Yes", alternatives=r)]
            for r in replies
        ]
