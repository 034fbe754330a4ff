"""Scores of the three options of a StereoSet item, for masked and for causal models."""

from __future__ import annotations

import string
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ....data.stereoset import BLANK, LABELS, StereoSetItem, fill_span
from ....errors import CapabilityError
from ....models.base import Capability, can, require
from ....models.masked import MaskedRequest
from ....result import Skipped
from ...rows import score_readings
from ...ties import EMPTY_TEXT

Outcomes = list[tuple[float, ...] | str]
"""Of every item the scores of its three options, in the order of ``LABELS``, or why it has none."""


_NO_FILL = Skipped("", "no word fills the blank")
_TWO_BLANKS = "the context has two blanks: the word for one would be scored next to what fills the other"


@dataclass(frozen=True, slots=True)
class Scorer:
    """A way to score options.

    Attributes:
        what: the number it gives, in words, for the record.
        read: returns what to ask a model about each option of items of one task, an item's in a row, or why an
            option cannot be read.
        door: what the model is asked by. With ``"masked_logprobs"`` every option has a list of requests.
        needs: attribute that the model must have beyond its capability.
        reduce: turns the numbers of an option into its score.
    """

    what: str
    read: Callable[[Any, Sequence[StereoSetItem]], Sequence[Any]]
    door: str
    needs: str = "encode"
    reduce: Callable[[NDArray[Any]], Any] = np.mean

    def score(self, model: Any, items: Sequence[StereoSetItem]) -> Outcomes:
        """Score the options of items of one task, all in one run.

        Raises:
            CapabilityError: an object of the user's own that lacks what this way of scoring needs.
        """
        if not hasattr(model, self.needs):
            raise CapabilityError(
                f"stereoset's {self.what} needs {self.needs!r}, which {model.name} lacks",
                hint="use a model that evaluate_bias.load_model has loaded",
            )
        options = self.read(model, items)
        readings: list[Sequence[Any] | str] = []
        for first in range(0, len(options), 3):
            three = options[first : first + 3]
            unread = [
                f"the {label} option: {option.reason}"
                for label, option in zip(LABELS, three, strict=True)
                if isinstance(option, Skipped)
            ]
            readings.append(unread[0] if unread else three)
        return score_readings(model, readings, partial(self._ask, model), self.reduce)

    def _ask(self, model: Any, options: list[Any]) -> Sequence[NDArray[Any]]:
        door = getattr(model, self.door)
        if self.door != "masked_logprobs":
            return door(options)  # type: ignore[no-any-return]
        values = np.concatenate(door([request for requests in options for request in requests]))
        return np.split(values, np.cumsum([len(requests) for requests in options])[:-1])


def score_options(
    model: Any,
    items: Sequence[StereoSetItem],
    variant: Literal["default", "original"],
    intersentence: Literal["auto", "nsp", "likelihood"],
) -> tuple[Outcomes, dict[str, str]]:
    """Score the options of items, each task in one run of the model, and say by task what the scores are.

    Raises:
        InputError: no model.
        CapabilityError: the model is not a language model, or has no next-sentence head and ``"nsp"`` was
            asked for.
    """
    if can(model, Capability.SCORES_SEQUENCES):
        scorers = {
            "intrasentence": Scorer("mean log p of the sentence", _sentences, "sequence_logprobs"),
            "intersentence": Scorer(
                "mean log p of the continuation", _continuations, "sequence_logprobs", "encode_continuations"
            ),
        }
    else:
        require(model, (Capability.SCORES_MASKED_TOKENS,), "stereoset")
        nsp = intersentence != "likelihood" and _has_next_sentence_head(model, insist=intersentence == "nsp")
        scorers = {
            "intrasentence": Scorer(
                "original code", _original_fills, "masked_logprobs", "tokenizer", lambda v: np.exp(v).mean()
            )
            if variant == "original"
            else Scorer("mean log p of the fill, left to right", _fills, "masked_logprobs"),
            "intersentence": Scorer("next-sentence head", _segments, "next_sentence_logprobs", "encode_pairs")
            if nsp
            else Scorer(
                "mean pseudo-log-likelihood of the continuation", _segments, "pseudo_logprobs", "encode_pairs"
            ),
        }
    outcomes: Outcomes = [empty_text(item) for item in items]
    if scorers["intrasentence"].read is _fills:
        outcomes = [
            why or (_TWO_BLANKS if item.task == "intrasentence" and item.context.count(BLANK) > 1 else "")
            for item, why in zip(items, outcomes, strict=True)
        ]
    for task, scorer in scorers.items():
        places = [i for i, item in enumerate(items) if item.task == task and not outcomes[i]]
        if places:
            for i, outcome in zip(places, scorer.score(model, [items[i] for i in places]), strict=True):
                outcomes[i] = outcome
    return outcomes, {task: scorer.what for task, scorer in scorers.items()}


def reference_word(context: str, sentence: str) -> str:
    """Return the word that the reference code takes for the fill: a whitespace token without any punctuation.

    Returns:
        The word, empty if none exists.

    Examples:
        >>> reference_word("She is BLANK.", "She is well-off.")
        'welloff'
    """
    number = max(k for k, token in enumerate(context.split(" ")) if BLANK in token)
    tokens = sentence.split(" ")
    return "" if number >= len(tokens) else tokens[number].translate(_NO_PUNCTUATION)


_NO_PUNCTUATION = str.maketrans("", "", string.punctuation)


def empty_text(item: StereoSetItem) -> str:
    """Return which text of an item is empty, as the reason to skip it, nothing when all are there."""
    texts = {"context": item.context, **{f"{label} option": item.option(label) for label in LABELS}}
    return next((f"the {name}: {EMPTY_TEXT}" for name, text in texts.items() if not text), "")


def _options(items: Sequence[StereoSetItem]) -> list[tuple[StereoSetItem, str]]:
    """Return every option next to its item, three in a row."""
    return [(item, item.option(label)) for item in items for label in LABELS]


def _sentences(model: Any, items: Sequence[StereoSetItem]) -> Sequence[Any]:
    return model.encode([sentence for _, sentence in _options(items)])  # type: ignore[no-any-return]


def _continuations(model: Any, items: Sequence[StereoSetItem]) -> Sequence[Any]:
    pairs = [(item.context, " " + sentence) for item, sentence in _options(items)]
    return model.encode_continuations(pairs)  # type: ignore[no-any-return]


def _segments(model: Any, items: Sequence[StereoSetItem]) -> Sequence[Any]:
    """Context and option as the model's two segments."""
    pairs = [(item.context, sentence) for item, sentence in _options(items)]
    return model.encode_pairs(pairs)  # type: ignore[no-any-return]


def _has_next_sentence_head(model: Any, *, insist: bool) -> bool:
    if hasattr(model, "next_sentence_logprobs"):
        try:
            model.next_sentence_logprobs([])
        except CapabilityError:
            pass
        else:
            return True
    if insist:
        raise CapabilityError(
            f"{model.name} has no next-sentence head",
            option="intersentence",
            hint="set `intersentence` to 'likelihood', or use a BERT pre-trained with one",
        )
    return False


def _fills(model: Any, items: Sequence[StereoSetItem]) -> list[Any]:
    """Return the fill's pieces: all are masked, then revealed from left to right."""
    options: list[Any] = []
    for (item, _), text in zip(_options(items), _sentences(model, items), strict=True):
        if isinstance(text, Skipped):
            options.append(text)
            continue
        span = fill_span(item.context, text.text)
        fill = text.span_positions(*span) if span else ()
        requests = [MaskedRequest(text, fill[k:], ((p, text.ids[p]),)) for k, p in enumerate(fill)]
        options.append(requests or _NO_FILL)
    return options


def _original_fills(model: Any, items: Sequence[StereoSetItem]) -> list[Any]:
    """The reference code's score: mean probability of the pieces, each after those before it, later ones omitted.

    The word is tokenised on its own, so that a byte-level tokenizer reads it without the space
    before it. They replace every BLANK, and the first mask is read.
    """
    words = [reference_word(item.context, sentence) for item, sentence in _options(items)]
    fills = model.tokenizer(words, add_special_tokens=False)["input_ids"]
    texts = [
        item.context.replace(BLANK, model.tokenizer.decode(pieces[:k]) + model.mask_token)
        for (item, _), pieces in zip(_options(items), fills, strict=True)
        for k in range(len(pieces))
    ]
    encoded = iter(model.encode(texts))
    options: list[Any] = []
    for pieces in fills:
        prompts = [next(encoded) for _ in pieces]
        unread = [prompt for prompt in prompts if isinstance(prompt, Skipped)]
        requests = (
            []
            if unread
            else [
                MaskedRequest(prompt, at, ((at[0], piece),))
                for prompt, piece in zip(prompts, pieces, strict=True)
                for at in [model.mask_positions(prompt)]
            ]
        )
        options.append(unread[0] if unread else requests or _NO_FILL)
    return options
