"""What a model writes to prompts, or rows hold ready, and what of it could not be read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ....data.prompts import GROUP, GroupPrompt
from ....data.schemas import parse_row
from ....errors import InputError, quoted
from ....models.base import Chats, Generates, require
from ....models.completions import GenerationSettings, Prompt, Reply
from ....result import Skipped
from ....text import row_place
from ...choosing.asking import QUESTIONS
from ...choosing.reporting import answer_counts, unread_reason
from ...replies import EMPTY, answer_of, thought_facts
from ...rows import as_fields, with_text_id
from .scorers import WrittenText

_OF = "counterfactual_text: "


@dataclass(slots=True)
class Writing:
    """What was written to every row's prompt.

    Attributes:
        texts: of every row.
        reasons: by row, why texts are lacking.
        questions: the first prompts, each with the first text or the reason for none.
        thoughts: number of tokens of all thoughts, where anybody counted them.
    """

    texts: list[list[WrittenText]] = field(default_factory=list)
    reasons: dict[int, list[str]] = field(default_factory=dict)
    questions: list[dict[str, str]] = field(default_factory=list)
    thoughts: dict[str, int] = field(default_factory=dict)

    def add(self, replies: Sequence[Reply | None] | Skipped, n: int, prompt: str = "") -> None:
        """Take up what came back for a row, for which n texts were asked; a function may give another number."""
        reasons = [replies.reason] * n if isinstance(replies, Skipped) else []
        texts = []
        for reply in () if isinstance(replies, Skipped) else replies:
            answer = answer_of(Reply("") if reply is None else reply, fields=False)
            refused = reply is not None and reply.refused
            if answer.text.strip() or refused:
                texts.append(WrittenText(answer.text.strip(), refused))
            else:
                reasons.append(answer.reason or EMPTY)
        if reasons:
            self.reasons[len(self.texts)] = reasons
        if prompt and len(self.questions) < QUESTIONS:
            outcome = {"answer": texts[0].text} if texts else {"reason": reasons[0]}
            self.questions.append({"question": prompt, **outcome})
        self.texts.append(texts)

    def counts(self) -> dict[str, int]:
        """How many texts were asked for, were read, and were not, by what they were."""
        reasons = [reason for of_row in self.reasons.values() for reason in of_row]
        return answer_counts(sum(map(len, self.texts)) + len(reasons), reasons)

    def skipped(self, rows: Sequence[GroupPrompt]) -> list[Skipped]:
        """The rows of which texts are lacking, with the reason."""
        n_read = {i: len(self.texts[i]) for i in self.reasons}
        return [
            Skipped(rows[i].id, unread_reason(why, len(why) + n_read[i]), "answers" if n_read[i] else "")
            for i, why in self.reasons.items()
        ]


def written_by(
    model: Any, rows: Sequence[GroupPrompt], settings: GenerationSettings, *, by_chat: bool
) -> Writing:
    """Let a model write to every prompt, ``settings.n`` texts each.

    Raises:
        CapabilityError: the model does not write in this way.
        InputError: a prompt has no ``{group}``.
    """
    if lacking := [row for row in rows if GROUP not in row.prompt]:
        raise InputError(f"prompt {lacking[0].id} does not say where the group stands: write {GROUP} there")
    require(model, Chats if by_chat else Generates, "counterfactual_text")
    prompts = [Prompt(row.text, item=row.id, wording=0) for row in rows]
    replies = model.reply(prompts, settings) if by_chat else model.complete(prompts, settings)
    writing = Writing()
    for prompt, several in zip(prompts, replies, strict=True):
        if not (by_chat or isinstance(several, Skipped)):
            several = [None if text is None else Reply(text) for text in several]
        writing.add(several, settings.n, prompt)
    if by_chat:
        writing.thoughts = thought_facts(replies)
    return writing


def parsed_rows(rows: Sequence[Any]) -> tuple[list[GroupPrompt], Writing | None]:
    """The rows by their schema, and the texts that they hold, if any does.

    Raises:
        DataError: a row does not follow the schema, or the forms of the groups in a prompt differ in number.
        InputError: completions are no texts.
    """
    parsed, ready, is_ready = [], Writing(), False
    for i, row in enumerate(rows):
        where = row_place(i, len(rows))
        fields = {k: v for k, v in with_text_id(as_fields(row, where), where).items() if v is not None}
        texts = fields.pop("completions", ())
        if isinstance(texts, (str, bytes, Mapping)) or not hasattr(texts, "__iter__"):
            raise InputError(f"{_OF}completions of {where} must be a list of texts, not {quoted(texts)}")
        if odd := [text for text in texts if text is not None and not isinstance(text, str)]:
            raise InputError(f"{_OF}a completion of {where} must be text, not {quoted(odd[0])}")
        prompt = parse_row(GroupPrompt, {"id": str(i), **fields}, where)
        parsed.append(prompt if prompt.id else prompt.model_copy(update={"id": str(i)}))
        replies = [None if text is None else Reply(text) for text in texts]
        ready.add(replies or Skipped(where, "no completions are given"), len(replies) or 1)
        is_ready |= bool(replies)
    return parsed, ready if is_ready else None
