"""Log-probabilities of the two pronouns of a pair, or why it has none."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ....arrays import FloatArray
from ....data.sentence_pairs import PronounPair
from ....data.templates import Filled
from ....errors import quoted
from ....models.base import Capability, can
from ....result import Skipped
from ...rows import finite, how_read, row_scores
from ...template_filling import read_words, word_logprobs

SENTENCES = ("sentence_female", "sentence_male")
_FORMS = frozenset({("she", "he"), ("her", "him"), ("her", "his"), ("hers", "his"), ("herself", "himself")})
"""English pronouns that occur in the same place of a sentence."""

Pronouns = tuple[tuple[int, int], tuple[int, int]]
"""Position of the pronoun in the female and the male sentence: characters, end exclusive."""


def pronouns_of(pair: PronounPair) -> Pronouns | str:
    """Return where the pronouns of a pair appear, or why it cannot be scored.

    Examples:
        >>> pronouns_of(PronounPair(sentence_female="Did she go?", sentence_male="Did he go?"))
        ((4, 7), (4, 6))
        >>> pronouns_of(PronounPair(sentence_female="Did she call her?", sentence_male="Did he call him?"))
        'the sentences differ in several words: there must be one pronoun'
    """
    female, male = str(pair.sentence_female), str(pair.sentence_male)
    ours, theirs = female.split(), male.split()
    if len(ours) != len(theirs):
        return "the sentences differ in more than a pronoun: they have different numbers of words"
    places = [i for i, (a, b) in enumerate(zip(ours, theirs, strict=True)) if a != b]
    if not places:
        return "the two sentences are the same: they have no pronoun to compare"
    if len(places) > 1:
        return "the sentences differ in several words: there must be one pronoun"
    spans = [_span(text, words, places[0]) for text, words in ((female, ours), (male, theirs))]
    first, second = (text[a:b].lower() for text, (a, b) in zip((female, male), spans, strict=True))
    if pair.language.partition("-")[0] == "en" and (first, second) not in _FORMS:
        return (
            f"the sentences differ in {quoted(first, 30)} and {quoted(second, 30)}, which are not a female and a male "
            "pronoun of one form"
        )
    return spans[0], spans[1]


def _span(text: str, words: Sequence[str], place: int) -> tuple[int, int]:
    """Return where a word appears, without the marks around it."""
    start = 0
    for word in words[:place]:
        start = text.index(word, start) + len(word)
    word = words[place]
    start = text.index(word, start)
    bare = word.strip(".,;:!?\"'()[]")
    start += word.index(bare)
    return start, start + len(bare)


def scored(model: Any, pairs: Sequence[PronounPair]) -> list[tuple[float, float] | str]:
    """Scores of the female and the male sentence of every pair, or why it has none.

    A masked model gives log p of either pronoun when it is masked, its subword tokens from left to right. A causal
    model gives log p of either sentence, which differ in the pronoun only.

    Raises:
        InputError: a score is not finite.
    """
    absent = [next((c for c in SENTENCES if not getattr(pair, c)), "") for pair in pairs]
    complete = [i for i, column in enumerate(absent) if not column]
    scores = iter(row_scores(model, complete, SENTENCES, lambda: _read(model, [pairs[i] for i in complete])))
    why = "the partner of the other sentence is missing"
    return [f"has no {column}: {why}" if column else next(scores) for column in absent]


def _read(model: Any, pairs: Sequence[PronounPair]) -> list[tuple[float, float] | str]:
    spans = [pronouns_of(pair) for pair in pairs]
    texts = [
        (str(getattr(pair, column)), place)
        for pair, both in zip(pairs, spans, strict=True)
        if not isinstance(both, str)
        for column, place in zip(SENTENCES, both, strict=True)
    ]
    readings = _readable(model, texts)
    both_readings = zip(readings[::2], readings[1::2], strict=True)
    reasons = [next((r for r in both if isinstance(r, str)), "") for both in both_readings]
    clozes = [one for i, one in enumerate(readings) if not reasons[i // 2]]
    values = iter(_log_probabilities(model, clozes).tolist())
    outcomes = iter([reason or (next(values), next(values)) for reason in reasons])
    return [span if isinstance(span, str) else next(outcomes) for span in spans]


def _readable(model: Any, texts: Sequence[tuple[str, tuple[int, int]]]) -> list[Any]:
    """Return what the model makes of texts and the places of their pronouns, or why it can make nothing of them."""
    if can(model, Capability.SCORES_MASKED_TOKENS):
        return list(
            read_words(model, [Filled(t, {"pronoun": p}, {"pronoun": t[slice(*p)]}) for t, p in texts])
        )
    encoded = model.encode([text for text, _ in texts])
    return [one.reason if isinstance(one, Skipped) else one for one in encoded]


def how_scored(model: Any) -> str:
    """Return what a model scores of a pair, in words."""
    what = "pronoun at its mask" if can(model, Capability.SCORES_MASKED_TOKENS) else "sentence"
    return how_read(model, f"log p of the {what}")


def _log_probabilities(model: Any, texts: Sequence[Any]) -> FloatArray:
    if can(model, Capability.SCORES_MASKED_TOKENS):
        return word_logprobs(model, [cloze.requests("pronoun") for cloze in texts])
    return finite(model, np.array([v.sum() for v in model.sequence_logprobs(texts)] if texts else []))
