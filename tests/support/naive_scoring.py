"""Sentence scores the slow way: one text at a time, one mask at a time, all logits, plain loops.

Nothing here is shared with the library: the tests hold the library's scores against these. Written from the papers.
``StubMaskedLM`` is a model whose every number is known.
"""

from __future__ import annotations

import difflib
import math
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

import numpy as np
import torch

from evaluate_bias.models.alignment import Encoded
from evaluate_bias.result import Skipped


def tokens_of(tokenizer: Any, text: str, second: str | None = None) -> tuple[list[int], list[int]]:
    """Ids, and the positions of the real tokens (of the second text, where there are two)."""
    out = tokenizer(text, second, return_special_tokens_mask=True)
    real = [p for p, special in enumerate(out["special_tokens_mask"]) if not special]
    if second is not None:
        real = [p for p in real if out.sequence_ids(0)[p] == 1]
    return out["input_ids"], real


@torch.no_grad()
def logprobs(model: Any, ids: Sequence[int], **inputs: Any) -> list[list[float]]:
    """Log-softmax over the vocabulary at every position."""
    logits = model(input_ids=torch.tensor([list(ids)]), **inputs).logits[0].double()
    return logits.log_softmax(-1).tolist()


def masked_logprob(model: Any, tokenizer: Any, ids: Sequence[int], masked: Sequence[int], read: int) -> float:
    """Log p of the token at ``read`` with the tokens at ``masked`` hidden."""
    hidden = tuple(tokenizer.mask_token_id if p in masked else token for p, token in enumerate(ids))
    return _at(model, hidden, read)[ids[read]]


@cache
def _at(model: Any, ids: tuple[int, ...], position: int) -> list[float]:
    with torch.no_grad():
        return model(input_ids=torch.tensor([ids])).logits[0, position].double().log_softmax(-1).tolist()


def shared(first: Sequence[int], second: Sequence[int]) -> list[tuple[int, int]]:
    """Positions of the shared tokens, from the opcodes of difflib on the ids as strings, as published."""
    matcher = difflib.SequenceMatcher(None, [str(i) for i in first], [str(i) for i in second])
    pairs = []
    for what, a_start, a_end, b_start, b_end in matcher.get_opcodes():
        if what == "equal":
            pairs += list(zip(range(a_start, a_end), range(b_start, b_end), strict=True))
    return pairs


def pair_scores(model: Any, tokenizer: Any, more: str, less: str, scoring: str) -> tuple[float, float]:
    """Both scores of a pair."""
    (first, real_1), (second, real_2) = tokens_of(tokenizer, more), tokens_of(tokenizer, less)
    if scoring not in ("crows_pairs", "changed_tokens"):
        return (
            sentence_score(model, tokenizer, more, scoring),
            sentence_score(model, tokenizer, less, scoring),
        )
    common = [(a, b) for a, b in shared(first, second) if a in real_1 and b in real_2]
    ours, theirs = [a for a, _ in common], [b for _, b in common]
    if scoring == "changed_tokens":
        ours, theirs = [p for p in real_1 if p not in ours], [p for p in real_2 if p not in theirs]
    sums = [
        sum(masked_logprob(model, tokenizer, ids, [p], p) for p in chosen)
        for ids, chosen in ((first, ours), (second, theirs))
    ]
    return (sums[0], sums[1]) if scoring == "crows_pairs" else (sums[0] / len(ours), sums[1] / len(theirs))


def sentence_score(model: Any, tokenizer: Any, text: str, scoring: str) -> float:
    """Score of one sentence."""
    if scoring.startswith("causal"):
        return causal_score(model, tokenizer, text, mean=scoring == "causal_mean")
    ids, real = tokens_of(tokenizer, text)
    if scoring in ("aul", "aula"):
        plain = logprobs(model, ids)
        received = attention_received(model, ids) if scoring == "aula" else [1.0] * len(ids)
        return sum(received[p] * plain[p][ids[p]] for p in real) / len(real)
    words = tokenizer(text).word_ids()
    total = 0.0
    for p in real:
        later = [q for q in real if q > p and words[q] == words[p]] if scoring == "within_word_l2r" else []
        total += masked_logprob(model, tokenizer, ids, [p, *later], p)
    return total / len(real) if scoring == "pll_mean" else total


def attention_received(model: Any, ids: Sequence[int]) -> list[float]:
    """Attention every position receives: the mean over layers, heads and queries, by loops."""
    before = model.config._attn_implementation
    model.set_attn_implementation("eager")
    try:
        with torch.no_grad():
            layers = model(input_ids=torch.tensor([list(ids)]), output_attentions=True).attentions
    finally:
        model.set_attn_implementation(before)
    weights = [layer[0].double().tolist() for layer in layers]  # layer, head, query, key
    received = []
    for key in range(len(ids)):
        numbers = [query[key] for layer in weights for head in layer for query in head]
        received.append(sum(numbers) / len(numbers))
    return received


def causal_score(model: Any, tokenizer: Any, text: str, *, mean: bool = False, context: str = "") -> float:
    """Log-likelihood of ``text`` after ``context``, a beginning token in front."""
    encoded = tokenizer(context + text, return_special_tokens_mask=True, return_offsets_mapping=True)
    real = [p for p, special in enumerate(encoded["special_tokens_mask"]) if not special]
    start = tokenizer.bos_token_id if tokenizer.bos_token_id is not None else tokenizer.eos_token_id
    ids = [start, *(encoded["input_ids"][p] for p in real)]
    scored = [k for k, p in enumerate(real, start=1) if encoded["offset_mapping"][p][1] > len(context)]
    table = logprobs(model, ids)
    values = [table[k - 1][ids[k]] for k in scored]
    return sum(values) / (len(values) if mean else 1)


def word_logprob(
    model: Any,
    tokenizer: Any,
    text: str,
    word: tuple[int, int],
    hidden: tuple[int, int] = (0, 0),
    mean: bool = False,
) -> float:
    """Log p of the pieces of a word, given by its characters: all hidden, then shown from left to right.

    The pieces of another word stay hidden.
    """
    encoded = tokenizer(text, return_offsets_mapping=True, return_special_tokens_mask=True)
    own, others = (
        [
            p
            for p, (a, b) in enumerate(encoded["offset_mapping"])
            if not encoded["special_tokens_mask"][p] and a < end and b > start
        ]
        for start, end in (word, hidden)
    )
    ids = encoded["input_ids"]
    total = sum(masked_logprob(model, tokenizer, ids, [*own[k:], *others], p) for k, p in enumerate(own))
    return total / len(own) if mean else total


def fill_score(model: Any, tokenizer: Any, sentence: str, word: str) -> float:
    """Mean log p of a word's pieces."""
    start = sentence.index(word)
    return word_logprob(model, tokenizer, sentence, (start, start + len(word)), mean=True)


def original_fill_score(model: Any, tokenizer: Any, context: str, word: str) -> float:
    """StereoSet's published code: mean probability of the pieces of the bare word, later ones left out."""
    pieces = tokenizer(word, add_special_tokens=False)["input_ids"]
    total = 0.0
    for k, piece in enumerate(pieces):
        text = context.replace("BLANK", tokenizer.decode(pieces[:k]) + tokenizer.mask_token)
        # A mask takes the blank before it along, as the word in its place does.
        ids = tokenizer(text.replace(f" {tokenizer.mask_token}", tokenizer.mask_token))["input_ids"]
        total += math.exp(logprobs(model, ids)[ids.index(tokenizer.mask_token_id)][piece])
    return total / len(pieces)


class StubMaskedLM:
    """A masked model that splits at spaces and takes every log-probability from a table.

    Args:
        table: for each text, the log-probability of each of its tokens: masked, and whatever is asked.
        attention: for each text, the attention each of its tokens receives.
    """

    name = "stub"
    is_uncased = False
    warnings: Sequence[str] = ()

    def __init__(
        self, table: Mapping[str, Sequence[float]], attention: Mapping[str, Sequence[float]] | None = None
    ) -> None:
        self.table, self.attention = table, attention or {}
        self._ids: dict[str, int] = {}

    def provenance(self) -> dict[str, Any]:
        return {"name": self.name}

    def encode(self, texts: Sequence[str]) -> list[Encoded | Skipped]:
        return [self._encode(text) for text in texts]

    def _encode(self, text: str) -> Encoded:
        tokens = [self._ids.setdefault(word, 10 + len(self._ids)) for word in text.split()]
        return Encoded(text, (1, *tokens, 2), tuple(range(1, len(tokens) + 1)))

    def pseudo_logprobs(self, encoded: Sequence[Encoded], positions: Any = "all") -> list[Any]:
        chosen = [e.positions for e in encoded] if isinstance(positions, str) else positions
        return [
            np.array([self.table[e.text][p - 1] for p in where])
            for e, where in zip(encoded, chosen, strict=True)
        ]

    def token_logprobs(self, encoded: Sequence[Encoded]) -> list[Any]:
        return [np.array(self.table[e.text]) for e in encoded]

    def attended_logprobs(self, encoded: Sequence[Encoded]) -> list[Any]:
        return [np.array([self.table[e.text], self.attention[e.text]]) for e in encoded]

    def masked_logprobs(self, requests: Sequence[Any]) -> list[Any]:
        return [np.array([self.table[r.encoded.text][p - 1] for p, _ in r.targets]) for r in requests]
