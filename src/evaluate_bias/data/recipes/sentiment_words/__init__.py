"""Positive and negative words, with words for groups."""

from .._shared import packaged_words

RECORD = packaged_words(
    "sentiment_words",
    "Sentiment words",
    "Positive and negative words, and words for groups",
    caveats=(
        "The words were chosen for this project and their sentiment was not rated by others; another lexicon gives "
        "other values.",
    ),
)
