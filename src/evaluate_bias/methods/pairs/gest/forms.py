"""How likely a model finds the masculine and the feminine form of a sentence: what of them is scored, and how."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, TypeAlias

import numpy as np

from ....arrays import FloatArray
from ....data.gender_stereotypes import StereotypeSentence
from ....errors import InputError
from ....models.alignment import Encoded, encode_batch
from ....models.base import Capability, can, require
from ....result import Skipped
from ...pair_scoring import changed_positions
from ...rows import finite
from .record import RECORD

Variant = Literal["auto", "causal", "masked", "published"]
_Pair: TypeAlias = tuple[Encoded, Encoded]
_Places: TypeAlias = tuple[Sequence[int], Sequence[int]]
"""Positions of the tokens of both forms that count."""


def chosen_variant(model: Any, variant: Variant) -> Variant:
    """The variant that a model can be read by.

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
) -> tuple[FloatArray, dict[int, str]]:
    """Log p of both forms: the mean of the log-probabilities of the tokens that count, or with ``sums`` their sum.

    Of a causal model these are the tokens from the first that differs to the end; of a masked model those of the words
    that differ, each masked in turn. With ``whole`` they are all tokens.

    Returns:
        An array of shape (sentences, 2), the masculine form first, NaN where a sentence cannot be scored; and by the
        number of such a sentence why.
    """
    masked = variant == "masked"
    scores, lost = np.full((len(sentences), 2), np.nan), dict[int, str]()
    pairs = _encoded_pairs(model, sentences, lost, as_given=not masked)
    if variant == "causal" and not whole:
        # Forms that differ in their first token are read after the model's own first token, which gives it a score.
        unread = {i for i, (a, b) in pairs.items() if a.ids[0] != b.ids[0] and 0 not in a.positions}
        if unread and getattr(model, "start_token", None) is not None:
            pairs |= _encoded_pairs(model, sentences, lost, only=unread)
    requests: list[tuple[int, int, Encoded, Sequence[int]]] = []
    for i, pair in pairs.items():
        places: _Places = pair[0].positions, pair[1].positions
        if not whole:
            places = _changed_words(pair) if masked else _from_difference(pair, variant == "published")
        if pair[0].ids == pair[1].ids:
            lost[i] = "its two forms are the same to this model"
        elif not all(places):
            lost[i] = (
                "one of its forms has no word that the other lacks"
                if masked
                else "its forms differ in their first token, which nothing precedes for this model"
            )
        else:
            requests += [(i, side, pair[side], places[side]) for side in (0, 1)]
    reduce = np.sum if sums else np.mean
    for (i, side, _, _), values in zip(requests, _scores(model, requests, masked), strict=True):
        scores[i, side] = reduce(finite(model, np.asarray(values, dtype=np.float64)))
    return scores, lost


def _encoded_pairs(
    model: Any,
    sentences: Sequence[StereotypeSentence],
    lost: dict[int, str],
    *,
    as_given: bool = False,
    only: set[int] | None = None,
) -> dict[int, _Pair]:
    """Both forms of sentences as the model sees them; why there is none goes to ``lost``.

    ``as_given``: a token stands before a text only where the tokenizer itself puts one, as for the published code.
    """
    numbers = [i for i in range(len(sentences)) if only is None or i in only]
    texts = [text for i in numbers for text in (sentences[i].masculine, sentences[i].feminine)]
    options = {}
    if as_given and hasattr(model, "tokenizer"):
        item = encode_batch(model.tokenizer, ["a"])[0]
        options = {"bos": isinstance(item, Encoded) and item.positions[0] > 0}
    items = iter(model.encode(texts, **options))
    pairs = {}
    for i in numbers:
        first, second = next(items), next(items)
        if isinstance(first, Encoded) and isinstance(second, Encoded):
            pairs[i] = first, second
        else:
            lost[i] = (first if isinstance(first, Skipped) else second).reason
    return pairs


def _scores(
    model: Any, requests: Sequence[tuple[int, int, Encoded, Sequence[int]]], masked: bool
) -> Sequence[Any]:
    """Log-probabilities of the tokens that count of every text, in one run."""
    encoded, places = [item for _, _, item, _ in requests], [list(at) for *_, at in requests]
    if not requests or masked:
        return model.pseudo_logprobs(encoded, places) if requests else []
    scores = model.sequence_logprobs(encoded)
    return [
        np.asarray(values)[[item.positions.index(p) for p in at]]
        for values, item, at in zip(scores, encoded, places, strict=True)
    ]


def _from_difference(pair: _Pair, published: bool) -> _Places:
    """From the first token that differs to the end; of a form that begins the other, from the last that they share."""
    a, b = pair
    n = min(len(a.ids), len(b.ids))
    start = next((p for p in range(n) if a.ids[p] != b.ids[p]), n - 1)
    if start >= a.positions[0]:
        return [p for p in a.positions if p >= start], [p for p in b.positions if p >= start]
    # The published code counts from the end there, so that the last token alone is left.
    return (a.positions[-1:], b.positions[-1:]) if published else ((), ())


def _changed_words(pair: _Pair) -> _Places:
    """The tokens of the words of which a token differs."""
    first, second = (
        [p for p in item.positions if p in changed or (item.word_ids and item.word_ids[p] in words)]
        for item, changed in zip(pair, changed_positions(*pair), strict=True)
        for words in [{item.word_ids[p] for p in changed if item.word_ids}]
    )
    return first, second
