"""The tab that says what the numbers are, and what they are not."""

from __future__ import annotations

from ...registry import METHODS
from ..limits import (
    KEPT_SECONDS,
    MAX_ROWS,
    MAX_TABLE_BYTES,
    MAX_TEXT_BYTES,
    MAX_VECTOR_BYTES,
    REQUEST_SECONDS,
)
from ..parts import render

__all__ = ["about_html"]

_NOT = (
    "They do not say whether a model is fair or safe. They describe how a model treats the chosen words or sentences.",
    "A score at its ideal value means that these data found nothing. It never means that there is nothing.",
    "A small p-value says that chance is a poor explanation. It does not say that an effect is large or does harm.",
    "A score on word vectors or sentence pairs does not predict what a system built on the model will do to people.",
    "Stereotypes differ between places and languages. The packaged data are mostly from Europe and North "
    "America, and many translations were not checked by native speakers.",
    "The packaged sentence pairs illustrate the methods and were not validated: do not publish a score on them "
    "as a benchmark result.",
)


def about_html() -> str:
    """What the numbers are not, how to read every method, and what happens to a visitor's data."""
    return render(
        "about",
        not_said=_NOT,
        records=METHODS.values(),
        vectors=MAX_VECTOR_BYTES // 2**20,
        tables=MAX_TABLE_BYTES // 2**20,
        pairs=MAX_ROWS,
        texts=MAX_TEXT_BYTES // 2**20,
        hours=round(KEPT_SECONDS / 3600),
        seconds=REQUEST_SECONDS,
    )
