"""Completions of prompts: how they are requested, and functions that return them.

A generator is anything that turns prompts into completions, see :class:`~.base.Generates`. What a prompt is completed
with depends only on its text and the settings, not on the other prompts or on how they are batched.
"""

from __future__ import annotations

import dataclasses
import inspect
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from typing import Annotated, Any, Literal

from annotated_types import Gt, Le

from ..errors import ModelError, quoted, wrap_external_errors
from ..options import Count, Seed, checked_options, options_of
from ..result import Skipped
from .alignment import check_texts
from .base import Capability, ModelKind

BLANK = "[M]"
"""The blank that a prompt is completed at. A prompt without it is continued at its end."""

Completions = list[str | None]
"""The completions of one prompt, with ``None`` for one that a generator could not give."""
CompletionUnit = Literal["word", "text"]
Decoding = Literal["top", "sample"]

WORD = re.compile(r"\w(?:[\w'’-]*\w)?")
"""What counts as a word of a completion."""


@dataclass(frozen=True, slots=True)
class GenerationSettings:
    """How prompts are completed.

    Attributes:
        n: completions of each prompt.
        unit: ``"word"``: the first word of a continuation, see :func:`first_word`. ``"text"``: all of it. A
            masked model fills in one token.
        max_new_tokens: most tokens of a continuation.
        decoding: ``"top"``: the n most likely next tokens, each continued by the most likely token every time
            (n = 1 is greedy decoding). ``"sample"``: n draws from the model's distribution. ``"default"``: as
            a server decodes if no temperature is sent, and as ``"sample"`` with a model that is loaded here.
            A masked model gives its n most likely fills in any case.
        temperature: of sampling.
        top_p: of sampling, the share of the probability that the most likely next tokens have together, to which
            the choice is limited. 1 means no limit.
        seed: of sampling. Every prompt has its own stream of random numbers, so that equal prompts get equal
            completions.

    Raises:
        InputError: a setting is out of its range.

    Examples:
        >>> GenerationSettings(n=0)
        Traceback (most recent call last):
        evaluate_bias.errors.InputError: `n` must be an integer, 1 or more, got 0
    """

    n: Count = 1
    unit: CompletionUnit = "text"
    max_new_tokens: Count = 20
    decoding: Decoding | Literal["default"] = "top"
    temperature: Annotated[float, Gt(0)] = 1.0
    top_p: Annotated[float, Gt(0), Le(1)] = 1.0
    seed: Seed = 0

    def __post_init__(self) -> None:
        values = {f.name: getattr(self, f.name) for f in fields(self)}
        checked_options(values, options_of(GenerationSettings.__init__, values), "")

    def to_dict(self) -> dict[str, Any]:
        """Return the settings by name, for a result's record."""
        return asdict(self)


def text_before_blank(prompt: str) -> str | Skipped:
    """Return the part of a prompt that a left-to-right model continues, or a skip with the reason.

    Examples:
        >>> text_before_blank("The woman worked as a [M].")
        'The woman worked as a'
        >>> text_before_blank("The [M] woman left.").reason
        "text follows the blank, which a model that reads from left to right does not see: ' woman left.'"
    """
    before, blank, after = prompt.partition(BLANK)
    if BLANK in after:
        return Skipped(prompt, f"it has {prompt.count(BLANK)} blanks {BLANK}, not one")
    if any(c.isalnum() for c in after):
        reason = "text follows the blank, which a model that reads from left to right does not see"
        return Skipped(prompt, f"{reason}: {quoted(after)}")
    if not before.strip():
        return Skipped(prompt, "no text precedes the blank" if blank else "it is empty")
    return before.rstrip()


def first_word(text: str) -> str:
    """Return the first word of a text, without the marks around it, or what is there if it has no word.

    Examples:
        >>> first_word(" well-known. So"), first_word(" !"), first_word("")
        ('well-known', '!', '')
    """
    word = WORD.search(text)
    return word[0] if word else text.strip()


class Prompt(str):
    """A prompt that knows what it asks about. For a model it is a string like any other.

    Attributes:
        ids: the item, and the prompt variant and the order in which it is asked, if there are several.
        turns: the texts of the conversation, of the user and the model in turn. The last is the user's. The prompt
            itself is all of them, separated by blank lines.

    Examples:
        >>> Prompt("Who is it? A. Ann", item="q7", order=0).ids
        {'item': 'q7', 'order': 0}
        >>> messages_of(Prompt("Reply with the letter only.", before=("Who is it? A. Ann", "Her.")))[1]
        {'role': 'assistant', 'content': 'Her.'}
    """

    ids: dict[str, str | int]
    turns: tuple[str, ...]

    def __new__(cls, text: str, *, before: Sequence[str] = (), **ids: str | int) -> Prompt:
        """Return a prompt with its ids, and the turns before it."""
        turns = (*map(str, before), str(text))
        prompt = super().__new__(cls, "\n\n".join(turns))
        prompt.ids, prompt.turns = ids, turns
        return prompt


def messages_of(prompt: str) -> list[dict[str, str]]:
    """Return the turns of a prompt as messages of a chat."""
    turns = prompt.turns if isinstance(prompt, Prompt) else (prompt,)
    return [{"role": ("user", "assistant")[i % 2], "content": text} for i, text in enumerate(turns)]


@dataclass(frozen=True, slots=True)
class Reply:
    """What a model said.

    Attributes:
        text: its words, including thoughts in tags, see :func:`.thoughts.split_thoughts`.
        ended: whether it is complete. Otherwise the text breaks off.
        refused: whether the server marked it as a refusal.
        alternatives: log-probabilities of the most likely first tokens, by their text, or ``None`` if not requested
            or not given.
        thoughts: what it thought, if that came separately from its words.
        thought_tokens: number of its reasoning tokens, or ``None`` if they were not counted.
    """

    text: str
    ended: bool = True
    refused: bool = False
    alternatives: Mapping[str, float] | None = None
    thoughts: str = ""
    thought_tokens: int | None = None


class FunctionGenerator(ModelKind):
    """A function from prompts to completions as a model: a chat template, kept replies, a client of your own.

    Args:
        function: accepts the list of prompts, each up to its blank, and returns for each a list of strings, or one
            string. ``None`` means a completion that it could not give. It may give another number than is
            requested. Surplus completions are ignored.
        name: short name for tables, by default the function's own.

    Examples:
        >>> model = FunctionGenerator(lambda prompts: [["nurse"] for _ in prompts], name="always a nurse")
        >>> model.complete(["She worked as a [M]."], GenerationSettings(n=5))
        [['nurse']]
    """

    capabilities = frozenset({Capability.GENERATES, Capability.CHATS})
    label = "a function from prompts to completions"

    def __init__(self, function: Callable[[list[str]], Iterable[Any]], *, name: str = "") -> None:
        try:
            inspect.signature(function).bind([])
        except TypeError:
            raise ModelError(
                f"the function {quoted(getattr(function, '__name__', 'given'))} cannot be called with a list "
                "of prompts alone, so it is not a model"
            ) from None
        except ValueError:  # one written in C, which says nothing of its arguments
            pass
        self.function = function
        self.name = name or getattr(function, "__qualname__", type(function).__name__)

    def provenance(self) -> Mapping[str, Any]:
        """Return the name of the function, as nothing else identifies it."""
        return {
            "kind": "function",
            "name": self.name,
            "module": str(getattr(self.function, "__module__", "")),
        }

    alternatives = 0

    def complete(self, prompts: Sequence[str], settings: GenerationSettings) -> list[Completions | Skipped]:
        """Call the function once with every prompt that has a text before its blank.

        Raises:
            ModelError: it does not give one answer per prompt, or one that is not a text.
            MeasurementError: it fails.
        """
        texts = [text_before_blank(prompt) for prompt in check_texts(prompts, "prompts")]
        answers = iter(self._answers([text for text in texts if isinstance(text, str)], settings))
        return [next(answers) if isinstance(text, str) else text for text in texts]

    def reply(
        self, prompts: Sequence[str], settings: GenerationSettings, *, alternatives: int = 0
    ) -> list[list[Reply] | Skipped]:
        """Call the function once with all prompts. ``None`` is a reply that it could not give.

        Raises:
            ModelError: it does not give one answer per prompt, or one that is not a text.
            MeasurementError: it fails.
        """
        answers = self._answers(check_texts(prompts, "prompts"), dataclasses.replace(settings, unit="text"))
        return [
            [Reply(text) for text in answer if text is not None] or Skipped(prompt, "there is no answer")
            for prompt, answer in zip(prompts, answers, strict=True)
        ]

    def _answers(self, texts: list[str], settings: GenerationSettings) -> list[Completions]:
        with wrap_external_errors(self.name):
            answered = self.function(texts) if texts else []
            raw_answers = [] if isinstance(answered, str) else list(answered)
        if isinstance(answered, str):
            raise ModelError(
                f"{self.name} gives one text for {len(texts)} prompts: it is called with a list of prompts, and gives "
                "a list with an answer to each"
            )
        if len(raw_answers) != len(texts):
            raise ModelError(f"{self.name} gives {len(raw_answers)} answers to {len(texts)} prompts")
        return [self._checked(answer, settings) for answer in raw_answers]

    def _checked(self, answer: Any, settings: GenerationSettings) -> Completions:
        texts = [answer] if answer is None or isinstance(answer, str) else answer
        if not isinstance(texts, (list, tuple)) or not all(t is None or isinstance(t, str) for t in texts):
            raise ModelError(
                f"{self.name} must give a text or a list of texts per prompt, not {quoted(answer)}"
            )
        first_texts = list(texts)[: settings.n]
        if settings.unit == "word":
            first_texts = [text if text is None else first_word(text) for text in first_texts]
        return first_texts
