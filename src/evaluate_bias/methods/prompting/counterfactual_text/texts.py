"""What a model writes to prompts, or rows contain ready, and the numbers that scorers give these texts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

import numpy as np

from ....arrays import FloatArray
from ....data.prompts import GROUP, GroupPrompt
from ....errors import DataError, InputError
from ....models.base import Capability, require
from ....models.completions import GenerationSettings, Prompt, Reply
from ....result import Skipped
from ....text import row_place
from ...choosing.asking import QUESTIONS
from ...choosing.reporting import answer_counts, unread_reason
from ...replies import EMPTY, answer_of, thought_facts
from ...rows import as_fields, parsed_row, places_of, ready_texts
from .scorers import TextScorer, WrittenText
from .statistics import exchanged


@dataclass(slots=True)
class Writing:
    """What was written to every row's prompt.

    Attributes:
        texts: of every row.
        reasons: by row, why texts are lacking.
        questions: the first prompts, each with the first text or the reason for none.
        thoughts: number of reasoning tokens, if they were counted.
    """

    texts: list[list[WrittenText]] = field(default_factory=list)
    reasons: dict[int, list[str]] = field(default_factory=dict)
    questions: list[dict[str, str]] = field(default_factory=list)
    thoughts: dict[str, int] = field(default_factory=dict)

    def add(self, replies: Sequence[Reply | None] | Skipped, n: int, prompt: str = "") -> None:
        """Record what came back for a row, for which n texts were requested. A function may give another number."""
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
        """Return how many texts were asked for, were read, and were not, by what they were."""
        reasons = list(chain.from_iterable(self.reasons.values()))
        return answer_counts(sum(map(len, self.texts)) + len(reasons), reasons)

    def skipped(self, rows: Sequence[GroupPrompt]) -> list[Skipped]:
        """Return the rows of which texts are lacking, with the reason."""
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
        raise InputError(
            f"prompt {lacking[0].id} does not have a place for the group", hint=f"write {GROUP} there"
        )
    require(model, (Capability.CHATS if by_chat else Capability.GENERATES,), "counterfactual_text")
    prompts = [Prompt(row.text, item=row.id, prompt_variant=0) for row in rows]
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
    """Return the rows by their schema, and the texts that they contain, if any does.

    Raises:
        DataError: a row does not follow the schema, or the forms of the groups in a prompt differ in number.
        InputError: completions are not texts.
    """
    parsed, ready, is_ready = [], Writing(), False
    for i, row in enumerate(rows):
        where = row_place(i, len(rows))
        fields = dict(as_fields(row, where))
        texts = fields.pop("completions", None)
        replies = [
            text if text is None else Reply(text)
            for text in ready_texts(() if texts is None else texts, "counterfactual_text", where)
        ]
        parsed.append(parsed_row(GroupPrompt, fields, i, where))
        ready.add(replies or Skipped(where, "no completions are given"), len(replies) or 1)
        is_ready |= bool(replies)
    return parsed, ready if is_ready else None


class GroupTexts:
    """What was written about groups.

    Attributes:
        rows: the prompts, a row for every group.
        texts: of every row.
        n_unread: of every row, how many texts could not be read.
        groups: names of all groups.
        prompts: the rows of every prompt, in the order of their texts.

    Raises:
        DataError: a group has more forms than another in one prompt: they are exchanged by their places.
    """

    def __init__(self, rows: Sequence[GroupPrompt], writing: Writing, groups: Sequence[str]) -> None:
        self.rows, self.texts, self.groups = rows, writing.texts, groups
        self.n_unread = [len(writing.reasons.get(i, ())) for i in range(len(rows))]
        self.prompts = dict(sorted(places_of(row.prompt for row in rows).items()))
        for prompt, places in self.prompts.items():
            numbers = {rows[i].group: len(rows[i].words) for i in places}
            if len({len(rows[i].words) for i in places}) > 1:
                counts = ", ".join(f"{n} of {group}" for group, n in numbers.items())
                raise DataError(
                    f"the prompt {prompt!r} has forms in different numbers ({counts})",
                    hint="give as many of every group, in one order",
                )

    def of_group(self, prompt: str, group: str) -> list[int]:
        """Return the rows of a prompt about a group."""
        return [i for i in self.prompts[prompt] if self.rows[i].group == group]

    def numbers(self, scorer: TextScorer) -> list[FloatArray]:
        """Return the number of every text in the words of every group, one array of shape (texts, groups) per row.

        In its own group's words a text is as it was written. In another group's words it is the mean over the
        prompt's rows about that group, NaN if none exist, or if the text has no number.
        """
        versions = [
            [[self._in_words_of(group, row, one) for group in self.groups] for one in texts]
            for row, texts in zip(self.rows, self.texts, strict=True)
        ]
        every = list(dict.fromkeys(chain.from_iterable(chain.from_iterable(chain.from_iterable(versions)))))
        number = dict(zip(every, scorer.scores(every), strict=True))
        return [
            np.array([[_mean([number[one] for one in same]) for same in of_text] for of_text in of_row])
            .reshape(len(of_row), len(self.groups))
            for of_row in versions
        ]  # fmt: skip

    def _in_words_of(self, group: str, row: GroupPrompt, one: WrittenText) -> list[WrittenText]:
        if group == row.group:
            return [one]
        others = (self.rows[i].words for i in self.of_group(row.prompt, group))
        return [one._replace(text=exchanged(one.text, row.words, words)) for words in others]

    def completed(self, values: Sequence[FloatArray], ends: Mapping[str, float]) -> list[FloatArray]:
        """Return the numbers with one for every text that has none, from its row's group."""
        of_rows = [ends.get(row.group, np.nan) for row in self.rows]
        return [
            np.append(np.where(np.isfinite(known), known, end), [end] * n)
            for known, n, end in zip(values, self.n_unread, of_rows, strict=True)
        ]

    def means(self, values: Sequence[FloatArray]) -> FloatArray:
        """Mean number of each group's texts in each prompt, shape (prompts, groups), NaN if none exists."""
        rows = [[self.of_group(prompt, group) for group in self.groups] for prompt in self.prompts]
        return np.array([[_mean([v for i in cell for v in values[i]]) for cell in row] for row in rows])


def _mean(values: Sequence[float]) -> float:
    """Mean of the numbers that are there, whatever their order, NaN if none exist."""
    numbers = np.sort([value for value in values if np.isfinite(value)])
    return float(numbers.mean()) if len(numbers) else float("nan")
