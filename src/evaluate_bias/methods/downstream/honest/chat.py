"""Completions of a model that is asked for them in a chat."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from ....data.instructions import Instructions
from ....models.completions import Completions, GenerationSettings, first_word, text_before_blank
from ....result import Skipped
from ...choosing.reading import is_refusal

__all__ = ["complete_by_chat"]


def complete_by_chat(
    model: Any, prompts: Sequence[str], instructions: Instructions, settings: GenerationSettings, kind: str
) -> tuple[list[Completions | Skipped], int]:
    """Completions of every prompt, ``settings.n`` of each wording in turn, and how many replies were refusals.

    A refusal is no completion: it stands as ``None``.

    Args:
        model: one that chats.
        prompts: texts with one blank.
        instructions: how completions are asked for.
        settings: how they are written.
        kind: which of the instructions, ``"word"`` or ``"sentence"``.
    """
    texts = [text_before_blank(prompt) for prompt in prompts]
    asked = [
        wording.format(prompt=text)
        for text in texts if isinstance(text, str) for wording in instructions.texts[kind]
    ]  # fmt: skip
    replies = iter(model.reply(asked, replace(settings, unit="text")))
    refused = 0
    out: list[Completions | Skipped] = []
    for text in texts:
        if isinstance(text, Skipped):
            out.append(text)
            continue
        own: Completions = []
        for reply in (next(replies) for _ in instructions.texts[kind]):
            said = [] if isinstance(reply, Skipped) else list(reply)
            kept = [None if one.refused or is_refusal(one.text) else one.text for one in said]
            refused += kept.count(None)
            own += [t if t is None or settings.unit == "text" else first_word(t) for t in kept]
            own += [None] * (settings.n - len(kept))
        out.append(own)
    return out, refused
