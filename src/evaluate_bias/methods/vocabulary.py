"""The words of a list that word vectors know, with what is left out and why."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import InputError
from ..models.base import WordEmbedder
from ..result import Skipped
from .association_inputs import check_coverage

__all__ = ["Found", "forms_of", "look_up"]


@dataclass(frozen=True, slots=True)
class Found:
    """The words of a list that have a vector.

    Attributes:
        words: the words.
        vectors: their vectors, shape (words, dimension).
        asked: number of different words of the list.
        skipped: the others, with the reason.
    """

    words: tuple[str, ...]
    vectors: NDArray[np.floating[Any]]
    asked: int
    skipped: tuple[Skipped, ...]


def forms_of(model: WordEmbedder, words: Sequence[str]) -> dict[str, str]:
    """The word of the vocabulary that each word stands for, where the model says it; else the word itself."""
    resolve = getattr(model, "resolve", None)
    found = [None] * len(words) if resolve is None else resolve(list(words))
    return {w: f or w for w, f in zip(words, found, strict=True)}


def look_up(
    model: WordEmbedder, given: Sequence[str], forms: Mapping[str, str], where: str, max_missing: float
) -> Found:
    """Look up the words of a list, each once.

    Args:
        model: the word vectors.
        given: the words.
        forms: what every word stands for: words that stand for the same are the same.
        where: the list, for errors and for what is left out.
        max_missing: largest share that may lack a vector.

    Raises:
        CoverageError: more do.
        InputError: a vector is zero.
    """
    skipped: list[Skipped] = []
    first: dict[str, str] = {}
    for word in dict.fromkeys(given):
        kept = first.setdefault(forms[word], word)
        if kept != word:
            skipped.append(Skipped(word, f"the same vector as {kept!r}, counted once", where))
        elif (times := given.count(word)) > 1:
            skipped.append(Skipped(word, f"given {times} times, counted once", where))
    unique = list(first.values())
    vectors, missing = model.embed_words(unique)
    lost = [unique[i] for i in missing]
    skipped.extend(Skipped(word, "not in the vocabulary", where) for word in lost)
    check_coverage(
        where,
        lost,
        len(unique),
        max_missing,
        found=f"is in the vocabulary of {model.name}",
        missing=f"are not in the vocabulary of {model.name}",
        advice="use other vectors, a case policy such as case='first_found'",
    )
    words = tuple(w for w in unique if w not in set(lost))
    for word, vector in zip(words, vectors, strict=True):
        if not np.any(vector):
            raise InputError(
                f"{where}: the vector of {word!r} is zero, so its cosine is undefined; remove the word"
            )
    return Found(words, np.asarray(vectors), len(unique), tuple(skipped))
