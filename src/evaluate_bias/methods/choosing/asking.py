"""Putting questions with labelled options to a chat model: every order of the options, every wording."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import permutations
from typing import Any

import numpy as np
import numpy.typing as npt

from ...arrays import FloatArray
from ...data.instructions import Instructions, Wordings, load_instructions
from ...models.completions import GenerationSettings
from ...result import Skipped
from ..template_filling import one_language
from .reading import chosen, chosen_by_label

_TOKENS = 64
"""Most tokens of a reply that is read as text."""
_AT_ONCE = 1 << 14
"""Most prompts that are held at one time."""
QUESTIONS = 5
"""Questions that a result shows as they were put."""

IntArray = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Question:
    """A question with options.

    Attributes:
        kind: which of the method's instructions puts it.
        fields: what fills the instruction, apart from the options.
        options: their texts.
        target: place in ``options`` of the stereotypical one.
        aliases: other wordings of an option, in small letters, with its place.
    """

    kind: str
    fields: Mapping[str, str]
    options: tuple[str, ...]
    target: int
    aliases: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Choices:
    """What was chosen, one entry for each request: shape (requests,).

    Attributes:
        question: number of the question.
        wording: number of the wording.
        position: where the target stood among the options.
        option: the option that was chosen, -1 where none was read.
        first: whether it stood first.
        reasons: why none was read, empty where one was.
        n_questions, n_options, n_wordings: their numbers.
        how: how the answers were read, in words.
        label_share: mean probability of all labels together, where answers were read by it.
        questions: the first questions in their first wording and order, each with the answer that was read, or with the
            reason why none was.
    """

    question: IntArray
    wording: IntArray
    position: IntArray
    option: IntArray
    first: npt.NDArray[np.bool_]
    reasons: tuple[str, ...]
    n_questions: int
    n_options: int
    n_wordings: int
    how: str
    label_share: float | None
    questions: tuple[Mapping[str, str], ...]

    def weights(self) -> FloatArray:
        """How much each answer counts, shape (requests,): those of a question that is scored add up to 1.

        Within a question, answers with the target in one position count alike, and so does every position. A question
        of which a position was never read is not scored: all its answers weigh 0.
        """
        read = self.option >= 0
        cell = self.question * self.n_options + self.position
        counts = np.bincount(cell, weights=read, minlength=self.n_questions * self.n_options)
        complete = np.all(counts.reshape(self.n_questions, self.n_options) > 0, axis=1).ravel()
        return np.where(
            read & complete[self.question], 1 / (self.n_options * np.maximum(counts[cell], 1)), 0.0
        )


def instructions_of(package: str, items: Iterable[Any], wordings: Wordings) -> Instructions:
    """The instructions of a method, given its package, in the language of the items.

    Raises:
        InputError: the items are of several languages, or there are no instructions in theirs.
    """
    language = one_language(package.rpartition(".")[2], (item.language for item in items))
    return load_instructions(package, language, wordings)


def orders(k: int) -> list[tuple[int, ...]]:
    """The orders in which k options are put: all of them up to three, else the cyclic shifts and their reversals.

    Examples:
        >>> orders(2), len(orders(3)), len(orders(5)), orders(4)[1], orders(4)[5]
        ([(0, 1), (1, 0)], 6, 10, (1, 2, 3, 0), (0, 3, 2, 1))
    """
    if k <= 3:
        return list(permutations(range(k)))
    shifts = [tuple((start + i) % k for i in range(k)) for start in range(k)]
    return shifts + [tuple(reversed(shift)) for shift in shifts]


def ask(model: Any, questions: Sequence[Question], instructions: Instructions) -> Choices:
    """Ask every question in every order of its options and in every wording.

    Answers are read by the log-probabilities of the labels where the model gives those of its likeliest first tokens,
    else from what it says; see :mod:`.reading`.

    Args:
        model: one that chats, see :class:`evaluate_bias.models.base.Chats`.
        questions: all with the same number of options, at least one.
        instructions: their wordings and the labels of the options.
    """
    k = len(questions[0].options)
    labels = instructions.labels[:k]
    alternatives = int(getattr(model, "alternatives", 0))
    settings = GenerationSettings(max_new_tokens=1 if alternatives else _TOKENS)
    found: list[tuple[int | str, float]] = []
    put: list[Mapping[str, str]] = []
    requests = [
        (q, wording, order)
        for q in range(len(questions))
        for wording in range(instructions.count)
        for order in orders(k)
    ]
    each = len(requests) // len(questions)
    for start in range(0, len(requests), _AT_ONCE):
        batch = requests[start : start + _AT_ONCE]
        prompts = [_prompt(questions[q], instructions, w, order) for q, w, order in batch]
        replies = model.reply(prompts, settings, alternatives=alternatives)
        for prompt, reply, (q, _, order) in zip(prompts, replies, batch, strict=True):
            place, share = _read(reply, questions[q], order, labels, by_label=bool(alternatives))
            if len(put) < QUESTIONS and len(found) == q * each:
                shown = (
                    {"reason": place}
                    if isinstance(place, str)
                    else {"answer": f"{labels[place]}. {questions[q].options[order[place]]}"}
                )
                put.append({"question": prompt, **shown})
            found.append((place, share))
    places = [place if isinstance(place, int) else -1 for place, _ in found]
    shares = [share for place, share in found if isinstance(place, int)]
    return Choices(
        question=np.array([q for q, _, _ in requests]),
        wording=np.array([w for _, w, _ in requests]),
        position=np.array([order.index(questions[q].target) for q, _, order in requests]),
        option=np.array(
            [order[p] if p >= 0 else -1 for p, (_, _, order) in zip(places, requests, strict=True)]
        ),
        first=np.array(places) == 0,
        reasons=tuple("" if isinstance(place, int) else place for place, _ in found),
        n_questions=len(questions),
        n_options=k,
        n_wordings=instructions.count,
        how="log-probabilities of the labels" if alternatives else "text of the reply",
        label_share=float(np.mean(shares)) if alternatives and shares else None,
        questions=tuple(put),
    )


def _prompt(question: Question, instructions: Instructions, wording: int, order: Sequence[int]) -> str:
    labels = instructions.labels
    listed = "\n".join(f"{label}. {question.options[i]}" for label, i in zip(labels, order, strict=False))
    return instructions.texts[question.kind][wording].format(**question.fields, options=listed).strip()


def _read(
    reply: Any, question: Question, order: Sequence[int], labels: Sequence[str], *, by_label: bool
) -> tuple[int | str, float]:
    if isinstance(reply, Skipped):
        return reply.reason, 0.0
    (said,) = reply
    if by_label and said.alternatives is None and not said.refused:
        return "log-probabilities were asked for and the server left them out", 0.0
    if by_label and not said.refused:
        return chosen_by_label(said.alternatives, labels)
    aliases = {text: order.index(place) for text, place in question.aliases.items()}
    return chosen(said, [question.options[i] for i in order], labels, aliases), 0.0
