"""Positive and negative words, with words for groups."""

from __future__ import annotations

from .._shared import packaged_words

__all__ = ["RECORD"]

RECORD = packaged_words(
    "sentiment_words",
    "Sentiment words",
    "Positive and negative words, and words for groups",
    caveats=(
        "The words were chosen for this project and their sentiment was not rated by others; another lexicon gives "
        "other values.",
    ),
)
