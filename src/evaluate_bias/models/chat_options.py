"""How a model is spoken to, wherever it runs: loaded here, behind an address, or at a provider."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from ..errors import InputError, quoted

Chat = Literal["auto"] | bool
"""Whether a model is spoken to by its chat template; ``"auto"``: where it has one."""
Thinking = Literal["auto", "on", "off"]

REPLY_TOKENS = 64
"""Most tokens of a reply that is read as text."""
THINKING_TOKENS = 2_048
"""The same of a model that thinks before it answers."""
_FIXED = frozenset(
    ("echo", "logprobs", "max_completion_tokens", "max_tokens", "messages", "model", "n", "prompt",
     "prompt_logprobs", "seed", "stream", "temperature", "top_logprobs")
)  # fmt: skip
"""Fields of a request that say what is measured."""


@dataclass(frozen=True, slots=True)
class ChatOptions:
    """Options of ``load_model`` for models that chat.

    Attributes:
        chat: ``"auto"`` asks a model in chats where it can, ``True`` insists on that, ``False`` never does.
            Likelihoods of texts never use a chat.
        system: the system's turn; where a template has no place for one, it stands before the question in the user's
            turn.
        reply_tokens: most tokens of a reply that is read as text, thoughts included; ``None`` for 64, and for 2,048
            where the template or a reply shows that the model thinks.
        thinking: the switch for thoughts of the chat template: ``"on"``, ``"off"``, or ``"auto"`` for what the template
            does by itself.
        reasoning_effort: how long the model is to think, in the words of the model, such as ``"low"``.
        extra_body: further fields of every request to a server, such as
            ``{"chat_template_kwargs": {"enable_thinking": False}}``.

    Raises:
        InputError: ``extra_body`` holds a field that says what is measured.

    Examples:
        >>> ChatOptions(extra_body={"temperature": 2})
        Traceback (most recent call last):
        evaluate_bias.errors.InputError: extra_body cannot hold 'temperature', which the measurement sets itself
    """

    chat: Chat = "auto"
    system: str | None = None
    reply_tokens: int | None = None
    thinking: Thinking = "auto"
    reasoning_effort: str | None = None
    extra_body: Mapping[str, Any] | None = None

    def __post_init__(self) -> None:
        if fixed := sorted(_FIXED & set(self.extra_body or {})):
            raise InputError(f"extra_body cannot hold {quoted(fixed[0])}, which the measurement sets itself")

    def room(self, thinks: bool, most: int | None = None) -> int:
        """Most tokens of a reply.

        Args:
            thinks: whether the model thinks.
            most: most tokens that it reads and writes; half of them are left for the question.

        Examples:
            >>> ChatOptions().room(False), ChatOptions().room(True), ChatOptions(reply_tokens=200).room(True)
            (64, 2048, 200)
            >>> ChatOptions().room(True, 1024)
            512
        """
        if self.reply_tokens is not None:
            return self.reply_tokens
        tokens = THINKING_TOKENS if thinks else REPLY_TOKENS
        return tokens if most is None else min(tokens, max(1, most // 2))

    def facts(self) -> dict[str, Any]:
        """For the provenance: the system's turn, and the other options where they are given."""
        others = {"reasoning_effort": self.reasoning_effort, "extra_body": self.extra_body}
        return {"system": self.system, **{k: v for k, v in others.items() if v is not None}}
