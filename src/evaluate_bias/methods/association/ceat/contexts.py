"""Contexts of the words of CEAT: found in a corpus, a seeded choice of them, each embedded once."""

from __future__ import annotations

import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ....data.contexts import Context, ContextSet, load_contexts
from ....data.word_lists import WordListTest
from ....models.base import ContextEmbedder
from ....models.pooling import Representation
from ....result import Skipped
from ....text import has_dotless_i, lower_case
from ...word_lists.distinct import DistinctWords
from ...word_lists.inputs import LISTS, Material, caveats, check_coverage, check_lists, each_once

ContextSource = str | Path | Sequence[str] | None
"""A corpus: one of the library's, a file, a Hub data set, or a list of sentences."""


@dataclass(frozen=True, slots=True)
class WordContexts:
    """A word's embeddings in its contexts."""

    vectors: NDArray[np.floating[Any]]  # shape (contexts, dimension)
    n_contexts: int  # number of contexts in the corpus
    lost: tuple[str, ...] = ()  # why some that were chosen have no vector


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextMaterial(Material):
    """A test by the embeddings of its words in their contexts."""

    contexts: Mapping[str, WordContexts]


def language_of(test: WordListTest) -> str:
    """Language of a test; one that names none is taken as English."""
    return "en" if test.language == "und" else test.language


def stream(seed: int, word: str) -> np.random.Generator:
    """A generator of a word's own, so that its draws do not depend on which other words there are."""
    return np.random.default_rng([seed, zlib.crc32(word.encode())])


def contexts_of(
    tests: Sequence[WordListTest], source: ContextSource, cased: bool | None, column: str | None = None
) -> dict[str, ContextSet]:
    """Find the words of all tests in the corpus, one pass per language."""
    if source is not None and not isinstance(source, (str, Path)) and not hasattr(source, "column_names"):
        # A generator could be read for one language only.
        source = list(source)
    words: dict[str, dict[str, None]] = {}
    for test in tests:
        of_language = words.setdefault(language_of(test), {})
        of_language.update((word, None) for name in LISTS for word in getattr(test, name))
    return {
        language: load_contexts(source, language_words, language=language, cased=cased, column=column)
        for language, language_words in words.items()
    }


def found_forms(
    distinct: DistinctWords, test: WordListTest, contexts: Mapping[str, ContextSet]
) -> dict[str, dict[str, str]]:
    """What the words of a test stand for, to the model and in a search that may not look at capitals."""
    language = language_of(test)

    def fold(form: str) -> str:
        if contexts[language].provenance["cased"]:
            return form
        return lower_case(form, language) if has_dotless_i(language) else form.casefold()

    return {name: {w: fold(f) for w, f in forms.items()} for name, forms in distinct.forms.items()}


def counted(contexts: Mapping[str, ContextSet], max_items: int | None) -> dict[tuple[str, str], WordContexts]:
    """What :func:`embed_contexts` returns if every context can be embedded, without the vectors."""
    return {
        (language, word): WordContexts(np.empty((n if max_items is None else min(n, max_items), 0)), n)
        for language, of_language in contexts.items()
        for word, n in of_language.counts.items()
    }


def embed_contexts(
    model: ContextEmbedder,
    contexts: Mapping[str, ContextSet],
    representation: Representation,
    max_items: int | None,
    seed: int,
) -> dict[tuple[str, str], WordContexts]:
    """Embed every context of every word once, or ``max_items`` of a word chosen at random; by language and word.

    The choice depends on nothing but the seed, the word and its contexts.
    """
    chosen: dict[tuple[str, str], list[Context]] = {}
    for language, of_language in contexts.items():
        for word in of_language.index:
            of_word = list(of_language[word])
            if max_items is not None and len(of_word) > max_items:
                chosen_places = stream(seed, word).choice(len(of_word), max_items, replace=False)
                of_word = [of_word[i] for i in np.sort(chosen_places)]
            chosen[language, word] = of_word
    places = list(dict.fromkeys(context for of_word in chosen.values() for context in of_word))
    texts, spans = [c.sentence for c in places], [(c.start, c.end) for c in places]
    embeddings = model.embed_in_context(texts, spans, [representation]) if places else []
    vectors = dict(zip(places, embeddings, strict=True))
    embedded = {}
    for (language, word), of_word in chosen.items():
        of_contexts = [v[0] for c in of_word if not isinstance(v := vectors[c], Skipped)]
        lost = tuple(v.reason for c in of_word if isinstance(v := vectors[c], Skipped))
        matrix = np.stack(of_contexts) if of_contexts else np.empty((0, 0), dtype=np.float32)
        embedded[language, word] = WordContexts(matrix, len(contexts[language].index[word]), lost)
    return embedded


def read_test(
    test: WordListTest,
    distinct: DistinctWords,
    forms: Mapping[str, Mapping[str, str]],
    model: str,
    embedded: Mapping[tuple[str, str], WordContexts],
    needed: int,
    max_missing: float,
    advice: str,
) -> ContextMaterial:
    """The words of a test that have contexts enough, in the order of their text, with their embeddings there."""
    check_lists(test, forms)
    words: dict[str, tuple[str, ...]] = {}
    n_unique: dict[str, int] = {}
    left_out: list[Skipped] = [*distinct.skipped]
    for name in LISTS:
        where, list_words = f"{test.name}/{name}", getattr(test, name)
        usable: list[str] = []
        lost: list[str] = []
        # Of words alike the one in small letters, which is found at the beginning of a sentence too.
        unique, skipped = each_once(sorted(list_words, reverse=True), forms[name], where, "word")
        for word in sorted(unique, key=list_words.index):
            places = embedded[language_of(test), word]
            n, n_lost = len(places.vectors), len(places.lost)
            (lost if n < needed else usable).append(word)
            reason = ""
            if not places.n_contexts:
                reason = "no sentence of the corpus contains it"
            elif not n:
                reason = f"none of the {n_lost} contexts chosen can be embedded, the first because: {places.lost[0]}"
            elif n < needed:
                reason = f"it has {n} contexts and {needed} are needed"
            elif n_lost:
                reason = f"{n_lost} of its contexts are ignored, the first because: {places.lost[0]}"
            if reason:
                skipped.append(Skipped(word, reason, where))
        check_coverage(
            where,
            lost,
            len(unique),
            max_missing,
            missing=f"have too few contexts that {model} can embed",
            advice=advice,
        )
        words[name], n_unique[name] = tuple(sorted(usable)), len(unique)
        left_out += skipped
    of_words = {name: {w: forms[name][w] for w in items} for name, items in words.items()}
    return ContextMaterial(
        test=test,
        words=words,
        list_sizes=distinct.requested(n_unique),
        skipped=left_out,
        warnings=[
            *distinct.warnings,
            *caveats(test.name, of_words, words, itself="with one context for both in a sample"),
        ],
        contexts={w: embedded[language_of(test), w] for items in words.values() for w in items},
    )
