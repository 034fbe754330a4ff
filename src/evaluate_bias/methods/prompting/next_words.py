"""How likely words are to follow texts, for words that are one token: of masked and causal models and of endpoints."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from ...arrays import FloatArray
from ...models.alignment import Encoded, encode_batch
from ...models.base import Capability, can
from ...models.choose import encoded_answers
from ...models.masked import MaskedRequest
from ...result import Skipped
from ..rows import finite

_AT_ONCE = 1 << 15
"""Most texts with a word that are held at one time."""
NOT_ONE_TOKEN = "is not one token to this model"


@dataclass(frozen=True, slots=True)
class NextWords:
    """Log-probabilities of words after texts.

    Attributes:
        logprobs: shape (texts, words), NaN if a text or a word cannot be read, or was not asked for.
        lost_texts, lost_words: by number, why a text or a word cannot be read.
    """

    logprobs: FloatArray
    lost_texts: dict[int, str]
    lost_words: dict[int, str]


def next_words(
    model: Any, texts: Sequence[str], words: Sequence[str], cells: npt.NDArray[np.bool_] | None = None
) -> NextWords:
    """Log p(word | text), the word being the next token after a blank.

    A masked model reads the text with its mask token behind it. A causal model reads the text as its tokenizer gives
    it: a beginning-of-sequence token comes before it only if the tokenizer itself puts one. An endpoint is
    sent the text with the word.

    Args:
        model: one that scores masked tokens or sequences.
        texts: the texts, without a blank at the end.
        words: the words.
        cells: which words matter after which texts, shape (texts, words). An endpoint is not asked for the
            others.
    """
    scores_sequences = can(model, Capability.SCORES_SEQUENCES)
    if scores_sequences and not hasattr(model, "tokenizer"):
        return _score_over_api(
            model, texts, words, np.ones((len(texts), len(words)), bool) if cells is None else cells
        )
    values = np.full((len(texts), len(words)), np.nan)
    if scores_sequences:
        encoded = _as_given(model, texts)
    else:
        encoded = list(model.encode([f"{text} {model.mask_token}" for text in texts]))
    items = {i: item for i, item in enumerate(encoded) if isinstance(item, Encoded)}
    readable = list(items)
    tokens, lost_words = _tokens(model, words, texts[readable[0]]) if readable else ({}, {})
    word_places = list(tokens)
    step = max(1, _AT_ONCE // max(1, len(word_places)))
    for start in range(0, len(readable) if word_places else 0, step):
        rows = readable[start : start + step]
        logprobs = _read(model, [items[i] for i in rows], [tokens[j] for j in word_places])
        values[np.ix_(rows, word_places)] = finite(model, logprobs)
    lost_texts = {i: item.reason for i, item in enumerate(encoded) if isinstance(item, Skipped)}
    return NextWords(values, lost_texts, lost_words)


def _as_given(model: Any, texts: Sequence[str]) -> list[Encoded | Skipped]:
    """Return texts with a token before them only if the tokenizer itself puts one there."""
    item = encode_batch(model.tokenizer, ["a"])[0]
    started = isinstance(item, Encoded) and item.positions[0] > 0
    # A text of one token is refused without a token before it, but the word that follows it can be scored.
    encoded = list(model.encode(texts, bos=True if started else "auto"))
    known = (model.tokenizer.bos_token_id, model.tokenizer.eos_token_id) != (None, None)
    if started or not known:
        return encoded
    return [replace(item, ids=item.ids[1:]) if isinstance(item, Encoded) else item for item in encoded]


def _read(model: Any, encoded: Sequence[Encoded], tokens: Sequence[int]) -> FloatArray:
    """Log-probabilities of tokens after encoded texts, shape (texts, tokens)."""
    if not can(model, Capability.SCORES_SEQUENCES):
        places = [model.mask_positions(item)[-1] for item in encoded]
        requests = [
            MaskedRequest(item, (p,), tuple((p, t) for t in tokens))
            for item, p in zip(encoded, places, strict=True)
        ]
        return np.stack(model.masked_logprobs(requests))
    followed = [
        replace(item, ids=(*item.ids, t), positions=(len(item.ids),), offsets=(), word_ids=())
        for item in encoded
        for t in tokens
    ]
    values: FloatArray = np.concatenate(model.sequence_logprobs(followed))
    return values.reshape(len(encoded), len(tokens))


def _tokens(model: Any, words: Sequence[str], text: str) -> tuple[dict[int, int], dict[int, str]]:
    """Return by number the token of every word that is one token after a space, and why the others are not."""
    unknown = getattr(model.tokenizer, "unk_token_id", None)
    tokens: dict[int, int] = {}
    lost: dict[int, str] = {}
    for i, item in enumerate(encoded_answers(model, [(text, f" {word}") for word in words])):
        if isinstance(item, Skipped):
            lost[i] = item.reason
        elif len(item.tokens) != 1:
            lost[i] = NOT_ONE_TOKEN
        elif item.tokens[0] == unknown:
            lost[i] = "is unknown to this model's tokenizer"
        else:
            tokens[i] = item.tokens[0]
    return tokens, lost


def _score_over_api(
    model: Any, texts: Sequence[str], words: Sequence[str], is_needed: npt.NDArray[np.bool_]
) -> NextWords:
    """Return the same for an endpoint, which splits texts itself: every word is sent behind every text."""
    lost_texts: dict[int, str] = {}
    lost_words: dict[int, str] = {}
    values = np.full(is_needed.shape, np.nan)
    cells = np.argwhere(is_needed)
    # The words after one text first, so that words of several tokens are sent once alone.
    order = np.argsort(cells[:, 0], kind="stable")
    first = [tuple(c) for c in cells[order] if c[0] == cells[order][0, 0]]
    for part in (first, [tuple(c) for c in cells[order][len(first) :]]):
        cells_to_send = [(i, j) for i, j in part if j not in lost_words]
        items = encoded_answers(model, [(texts[i], f" {words[j]}") for i, j in cells_to_send])
        single = []
        for (i, j), item in zip(cells_to_send, items, strict=True):
            if isinstance(item, Skipped):
                lost_texts.setdefault(int(i), item.reason)
            elif len(item.positions) != 1:
                lost_words[int(j)] = NOT_ONE_TOKEN
            else:
                single.append((i, j, item))
        scores = model.sequence_logprobs([item for _, _, item in single]) if single else []
        for (i, j, _), score in zip(single, scores, strict=True):
            values[i, j] = score[0]
    return NextWords(values, lost_texts, lost_words)
