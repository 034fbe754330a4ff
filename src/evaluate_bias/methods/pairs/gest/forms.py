"""How likely a model finds the masculine and the feminine form of a sentence: what of them is scored, and how."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, TypeAlias

import numpy as np

from ....data.gender_stereotypes import StereotypeSentence
from ....errors import InputError
from ....models.alignment import Encoded, encode_batch
from ....models.base import Capability, can, require
from ....result import Skipped
from ...pair_scoring import changed_positions
from ...rows import score_readings
from .record import RECORD

Variant = Literal["auto", "causal", "masked", "published"]
_Pair: TypeAlias = tuple[Encoded, Encoded]
_Places: TypeAlias = tuple[Sequence[int], Sequence[int]]
"""Positions of the tokens of both forms that count."""


def chosen_variant(model: Any, variant: Variant) -> Variant:
    """Return the variant that a model can be read by.

    Raises:
        CapabilityError: the model cannot be read by the one that is asked for.
        InputError: the published code is asked for, which does not read masked models.
    """
    require(model, RECORD.needs, RECORD.name)
    is_causal = can(model, Capability.SCORES_SEQUENCES)
    if variant == "auto":
        return "causal" if is_causal else "masked"
    if variant == "published" and not is_causal:
        raise InputError(
            f"gest: `variant` 'published' is for causal language models, and {model.name} is another kind",
            option="variant",
            hint="omit `variant`, which gives the ratio too, as the estimate g_s",
        )
    require(model, (RECORD.needs[variant == "masked"],), f"gest with `variant` {variant!r}")
    return variant


def read_forms(
    model: Any, sentences: Sequence[StereotypeSentence], variant: Variant, *, sums: bool, whole: bool
) -> list[tuple[float, ...] | str]:
    """Log p of both forms: the mean of the log-probabilities of the tokens that count, or with ``sums`` their sum.

    Of a causal model these are the tokens from the first that differs to the end. For a masked model, the words
    that differ, each masked in turn. With ``whole`` they are all tokens.

    Returns:
        For each sentence both numbers, the masculine form first, or why it cannot be scored.
    """
    masked = variant == "masked"
    own_start: dict[str, bool] = {}
    if not masked and hasattr(model, "tokenizer"):
        # As for the published code, a token precedes a text only if the tokenizer itself puts one there.
        item = encode_batch(model.tokenizer, ["a"])[0]
        own_start = {"bos": isinstance(item, Encoded) and item.positions[0] > 0}
    pairs = _encode(model, sentences, **own_start)
    if variant == "causal" and not whole and getattr(model, "start_token", None) is not None:
        # Forms that differ in their first token are read after the model's own first token, which gives it a score.
        unread = [
            i
            for i, pair in enumerate(pairs)
            if not isinstance(pair, str) and pair[0].ids[0] != pair[1].ids[0] and 0 not in pair[0].positions
        ]
        for i, pair in zip(unread, _encode(model, [sentences[i] for i in unread]), strict=True):
            pairs[i] = pair
    readings: list[Sequence[tuple[Encoded, Sequence[int]]] | str] = []
    for pair in pairs:
        if isinstance(pair, str):
            readings.append(pair)
            continue
        places: _Places = pair[0].positions, pair[1].positions
        if not whole:
            places = _changed_words(pair) if masked else _from_difference(pair, variant == "published")
        if pair[0].ids == pair[1].ids:
            readings.append("its two forms are the same to this model")
        elif all(places):
            readings.append(list(zip(pair, places, strict=True)))
        elif masked:
            readings.append("one of its forms has no word that the other lacks")
        else:
            readings.append("its forms differ in their first token, which nothing precedes for this model")

    def ask(texts: list[tuple[Encoded, Sequence[int]]]) -> list[Any]:
        encoded, positions = [text for text, _ in texts], [list(at) for _, at in texts]
        if masked:
            return list(model.pseudo_logprobs(encoded, positions))
        return [
            np.asarray(values, dtype=np.float64)[[text.positions.index(p) for p in at]]
            for values, (text, at) in zip(model.sequence_logprobs(encoded), texts, strict=True)
        ]

    return score_readings(model, readings, ask, np.sum if sums else np.mean)


def _encode(model: Any, sentences: Sequence[StereotypeSentence], **options: bool) -> list[_Pair | str]:
    """Return both forms of sentences as the model sees them, or why it is missing."""
    texts = [text for sentence in sentences for text in (sentence.masculine, sentence.feminine)]
    forms = model.encode(texts, **options) if texts else []
    return [
        next((form.reason for form in pair if isinstance(form, Skipped)), pair)
        for pair in zip(forms[::2], forms[1::2], strict=True)
    ]


def _from_difference(pair: _Pair, published: bool) -> _Places:
    """Places from the first token that differs to the end, or from the last shared one if one form begins the other."""
    a, b = pair
    n = min(len(a.ids), len(b.ids))
    start = next((p for p in range(n) if a.ids[p] != b.ids[p]), n - 1)
    if start >= a.positions[0]:
        return [p for p in a.positions if p >= start], [p for p in b.positions if p >= start]
    # The published code counts from the end there, so that the last token alone is left.
    return (a.positions[-1:], b.positions[-1:]) if published else ((), ())


def _changed_words(pair: _Pair) -> _Places:
    """Return the tokens of the words of which a token differs."""
    first, second = (
        [p for p in item.positions if p in changed or (item.word_ids and item.word_ids[p] in words)]
        for item, changed in zip(pair, changed_positions(*pair), strict=True)
        for words in [{item.word_ids[p] for p in changed if item.word_ids}]
    )
    return first, second
