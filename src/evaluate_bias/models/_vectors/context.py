"""Texts as means of word vectors, so that static vectors take part wherever texts are embedded."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

import numpy as np

from ...arrays import RealArray
from ...errors import CapabilityError, InputError, quoted
from ...result import Skipped
from ..alignment import check_texts
from ..pooling import Representation, Span, check_spans, parse_representations

_WORD = re.compile(r"[^\W_]+(?:['’‑-][^\W_]+)*")
"""A run of letters and digits, with apostrophes and hyphens inside."""

Lookup = Callable[[Sequence[str]], tuple[RealArray, list[int]]]


def embed_texts(
    name: str,
    embed_words: Lookup,
    texts: Sequence[str],
    spans: Sequence[Span | None] | None,
    representations: Sequence[Representation | str],
) -> list[RealArray | Skipped]:
    """Embed texts by the means of their words' vectors; see :meth:`StaticVectors.embed_in_context`."""
    parsed_representations = parse_representations(representations)
    for representation in parsed_representations:
        if representation.pooling not in ("sentence_mean", "target_mean") or representation.layer != -1:
            raise CapabilityError(
                f"{name} has one vector per word, so it has no {str(representation)!r}; use 'sentence_mean' or "
                "'target_mean', or a transformer"
            )
    texts = check_texts(texts)
    places = check_spans(texts, spans)
    needed = [text[slice(*span)] for text, span in zip(texts, places, strict=True) if span is not None]
    if any(representation.pooling == "sentence_mean" for representation in parsed_representations):
        needed += [word for text in texts for word in _WORD.findall(text)]
    embed_words(needed)  # all at once: a compressed file is read from its beginning whenever it is asked
    return [
        _embed_text(name, embed_words, text, span, parsed_representations)
        for text, span in zip(texts, places, strict=True)
    ]


def _embed_text(
    name: str, embed_words: Lookup, text: str, span: Span | None, representations: Sequence[Representation]
) -> RealArray | Skipped:
    if not text.strip():
        return Skipped(text, "the text is empty")
    target = None
    if span is not None:
        word = text[slice(*span)]
        word_vectors, missing = embed_words([word])
        if missing:
            return Skipped(text, f"{name} has no vector for {word!r}")
        target = word_vectors[0]
    vectors = []
    for representation in representations:
        if representation.pooling == "sentence_mean":
            word_vectors, _ = embed_words(_WORD.findall(text))
            if not len(word_vectors):
                return Skipped(text, f"{name} has no vector for any word of the text")
            vectors.append(word_vectors.mean(axis=0))
        elif target is None:
            raise InputError(f"{representation} is the vector of a word: give its span in {quoted(text)}")
        else:
            vectors.append(target)
    return np.stack(vectors)
