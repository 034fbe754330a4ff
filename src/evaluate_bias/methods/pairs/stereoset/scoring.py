"""Scores of the three options of a StereoSet item, for masked and for causal models."""

from __future__ import annotations

import string
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ....data.stereoset import BLANK, LABELS, StereoSetItem, fill_span
from ....errors import CapabilityError
from ....models.alignment import Encoded
from ....models.base import Capability, can, require
from ....models.masked import MaskedRequest
from ....result import Skipped
from ...ties import EMPTY_TEXT

OptionScores = tuple[float, float, float]
Outcomes = list[OptionScores | str]
"""Of every item the scores of its options, in the order of ``LABELS``, or why it has none."""


_TWO_BLANKS = "the context has two blanks: the word for one would be scored beside what fills the other"


@dataclass(frozen=True, slots=True)
class Scorer:
    """A way to score options.

    Attributes:
        what: the number it gives, in words, for the record.
        read: takes the model and items of one task, and returns what to ask of the model about each option, the three
            of an item side by side, or why an item has no score.
        door: what the model is asked by; by ``"masked_logprobs"`` for a list of requests for each option.
        needs: attribute that the model must have beyond its capability.
        reduce: turns the numbers of an option into its score.
    """

    what: str
    read: Callable[[Any, Sequence[StereoSetItem]], list[list[Any] | str]]
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
        readings = self.read(model, items)
        options = [option for three in readings if not isinstance(three, str) for option in three]
        scores = (float(self.reduce(values)) for values in self._numbers(model, options))
        return [
            three if isinstance(three, str) else (next(scores), next(scores), next(scores))
            for three in readings
        ]

    def _numbers(self, model: Any, options: Sequence[Any]) -> Sequence[NDArray[Any]]:
        door = getattr(model, self.door)
        if self.door != "masked_logprobs" or not options:
            return door(options) if options else ()
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
        InputError: there is no model.
        CapabilityError: the model is no language model, or has no next-sentence head and ``"nsp"`` was asked for.
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
    for task, scorer in scorers.items():
        places = [i for i, item in enumerate(items) if item.task == task and not outcomes[i]]
        if places:
            for i, outcome in zip(places, scorer.score(model, [items[i] for i in places]), strict=True):
                outcomes[i] = outcome
    return outcomes, {task: scorer.what for task, scorer in scorers.items()}


def reference_word(context: str, sentence: str) -> str:
    """The word that the reference code takes for the fill: a whitespace token without any punctuation.

    Returns:
        The word, empty when there is none.

    Examples:
        >>> reference_word("She is BLANK.", "She is well-off.")
        'welloff'
    """
    number = max(k for k, token in enumerate(context.split(" ")) if BLANK in token)
    tokens = sentence.split(" ")
    return "" if number >= len(tokens) else tokens[number].translate(_NO_PUNCTUATION)


_NO_PUNCTUATION = str.maketrans("", "", string.punctuation)


def empty_text(item: StereoSetItem) -> str:
    """Which text of an item is empty, as the reason to skip it; nothing when all are there."""
    texts = {"context": item.context, **{f"{label} option": item.option(label) for label in LABELS}}
    return next((f"the {name}: {EMPTY_TEXT}" for name, text in texts.items() if not text), "")


def _options(items: Sequence[StereoSetItem]) -> list[tuple[StereoSetItem, str]]:
    """Every option beside its item, three in a row."""
    return [(item, item.option(label)) for item in items for label in LABELS]


def _in_items(flat: Sequence[Encoded | Skipped]) -> list[list[Any] | str]:
    """The three texts of every item, or why one of them cannot be read."""
    out: list[list[Any] | str] = []
    for first in range(0, len(flat), 3):
        texts = list(flat[first : first + 3])
        reasons = [
            f"the {label} option: {text.reason}"
            for label, text in zip(LABELS, texts, strict=True)
            if isinstance(text, Skipped)
        ]
        out.append(reasons[0] if reasons else texts)
    return out


def _sentences(model: Any, items: Sequence[StereoSetItem]) -> list[list[Any] | str]:
    return _in_items(model.encode([sentence for _, sentence in _options(items)]))


def _continuations(model: Any, items: Sequence[StereoSetItem]) -> list[list[Any] | str]:
    pairs = [(item.context, " " + sentence) for item, sentence in _options(items)]
    return _in_items(model.encode_continuations(pairs))


def _segments(model: Any, items: Sequence[StereoSetItem]) -> list[list[Any] | str]:
    """Context and option as the model's two segments."""
    return _in_items(model.encode_pairs([(item.context, sentence) for item, sentence in _options(items)]))


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


def _fills(model: Any, items: Sequence[StereoSetItem]) -> list[list[Any] | str]:
    """The fill's pieces: all are masked, then revealed from left to right."""
    out: list[list[Any] | str] = []
    for item, texts in zip(items, _sentences(model, items), strict=True):
        if isinstance(texts, str) or item.context.count(BLANK) > 1:
            out.append(texts if isinstance(texts, str) else _TWO_BLANKS)
            continue
        spans = [fill_span(item.context, text.text) for text in texts]
        fills = [t.span_positions(*s) if s else () for t, s in zip(texts, spans, strict=True)]
        requests = [
            [MaskedRequest(text, fill[k:], ((p, text.ids[p]),)) for k, p in enumerate(fill)]
            for text, fill in zip(texts, fills, strict=True)
        ]
        out.append(requests if all(requests) else _no_fill(requests))
    return out


def _original_fills(model: Any, items: Sequence[StereoSetItem]) -> list[list[Any] | str]:
    """The reference code's score: mean probability of the pieces, each after those before it, later ones left out.

    The pieces are those of the word on its own, so that a byte-level tokenizer reads it without the space before it;
    they replace every BLANK, and the first mask is read.
    """
    words = [[reference_word(item.context, item.option(label)) for label in LABELS] for item in items]
    flat = [word for of_item in words for word in of_item]
    ids = iter(model.tokenizer(flat, add_special_tokens=False)["input_ids"] if flat else [])
    fills = [[next(ids) for _ in LABELS] for _ in items]
    texts = [
        item.context.replace(BLANK, model.tokenizer.decode(pieces[:k]) + model.mask_token)
        for item, of_item in zip(items, fills, strict=True)
        for pieces in of_item
        for k in range(len(pieces))
    ]
    encoded = iter(model.encode(texts))
    out: list[list[Any] | str] = []
    for of_item in fills:
        option_pieces = [[(next(encoded), piece) for piece in pieces] for pieces in of_item]
        bad = next(
            (text.reason for option in option_pieces for text, _ in option if isinstance(text, Skipped)), ""
        )
        if bad or not all(option_pieces):
            out.append(bad or _no_fill(option_pieces))
            continue
        masks = [[model.mask_positions(text) for text, _ in option] for option in option_pieces]
        out.append(
            [
                [MaskedRequest(text, at, ((at[0], piece),)) for (text, piece), at in zip(*both, strict=True)]
                for both in zip(option_pieces, masks, strict=True)
            ]
        )
    return out


def _no_fill(options: Sequence[Sequence[Any]]) -> str:
    return f"no word fills the blank in the {LABELS[[bool(o) for o in options].index(False)]} option"
