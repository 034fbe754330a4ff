"""Completions of a model that is asked for them in a chat."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from ....data.instructions import Instructions
from ....models.completions import Completions, GenerationSettings, Prompt, text_before_blank
from ....result import Skipped
from ...choosing.asking import QUESTIONS
from ...choosing.reporting import answer_counts, unread_warning, wordings_warning
from ...replies import thought_facts
from .replies import read_completion


@dataclass(frozen=True, slots=True)
class ChatCompletions:
    """What came of asking for completions.

    Attributes:
        completions: completions of every prompt, ``settings.n`` of each wording in turn; ``None`` where none was read.
        reasons: of every prompt, why those are ``None`` that are.
        requests: how many replies were asked for, read and not read, by what they were.
        questions: the first prompts in their first wording, each with the completion that was read, or why none was.
        thoughts: number of tokens of all thoughts, where anybody counted them.
        n_wordings: number of wordings.
    """

    completions: list[Completions | Skipped]
    reasons: list[list[str]]
    requests: dict[str, int]
    questions: list[dict[str, str]]
    thoughts: dict[str, int]
    n_wordings: int

    def warnings(self) -> list[str]:
        """What a reader must know: what was not read, and wordings that are too few."""
        return [*unread_warning(self.requests), *wordings_warning(self.n_wordings)]


def complete_by_chat(
    model: Any, prompts: Sequence[str], instructions: Instructions, settings: GenerationSettings, kind: str
) -> ChatCompletions:
    """Ask for completions of every prompt, ``settings.n`` of each wording.

    Args:
        model: one that chats.
        prompts: texts with one blank.
        instructions: how completions are asked for.
        settings: how they are written.
        kind: which of the instructions, ``"word"`` or ``"sentence"``.
    """
    wordings = instructions.texts[kind]
    texts = [text_before_blank(prompt) for prompt in prompts]
    put = [
        Prompt(instruction.format(prompt=text), item=i, wording=wording)
        for i, text in enumerate(texts)
        if isinstance(text, str)
        for wording, instruction in enumerate(wordings)
    ]
    every = model.reply(put, replace(settings, unit="text"))
    replies = iter(every)
    completions: list[Completions | Skipped] = []
    reasons: list[list[str]] = []
    questions: list[dict[str, str]] = []
    for text in texts:
        readings: list[tuple[str | None, str]] = []
        for reply in [next(replies) for _ in wordings] if isinstance(text, str) else ():
            lines = [] if isinstance(reply, Skipped) else list(reply)
            readings += [
                read_completion(one, str(text), instructions.language, one_word=settings.unit == "word")
                for one in lines
            ]
            none = reply.reason if isinstance(reply, Skipped) else "there is no answer"
            readings += [(None, none)] * (settings.n - len(lines))
        completions.append(text if isinstance(text, Skipped) else [answer for answer, _ in readings])
        reasons.append([reason for answer, reason in readings if answer is None])
        if readings and len(questions) < QUESTIONS:
            answer, reason = readings[0]
            question = wordings[0].format(prompt=text)
            questions.append(
                {"question": question, **({"reason": reason} if answer is None else {"answer": answer})}
            )
    requests = answer_counts(len(put) * settings.n, [reason for why in reasons for reason in why])
    return ChatCompletions(completions, reasons, requests, questions, thought_facts(every), len(wordings))
