"""Contexts of words: the sentences of a corpus that contain them, found in one pass."""

from __future__ import annotations

import functools
import hashlib
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from ..errors import DataError, InputError, UnknownNameError, bad_option
from ..progress import track
from ..result import Skipped
from ..text import has_dotless_i, is_unspaced, lower_case, name_list, upper_case, word_spans
from .load import HUB_ID, SourcedTable, find_table, loader
from .recipes import dataset_record
from .table_files import TABLE_SUFFIXES, decoded, require_content

BUILT_IN = "context_sentences"

_DEFAULTS = {"en": ("en-books", "en-addresses"), "tr": ("tr-encyclopaedia",)}
_UNCASED = ("en-encyclopaedia", "tr-encyclopaedia")
_COLUMNS = ("sentence", "text")
_TOKEN = re.compile(r"\w+")


class Context(NamedTuple):
    """A sentence and where a word appears in it, in characters, end exclusive."""

    sentence: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class CorpusSentences:
    """Sentences of a corpus.

    Attributes:
        texts: the sentences.
        provenance: ``source``, ``language``, and what identifies the files.
        cased: whether the capitals of the text can be relied on.
    """

    texts: Sequence[str]
    provenance: Mapping[str, Any] = field(default_factory=dict)
    cased: bool = True


@dataclass(frozen=True, slots=True)
class ContextSet:
    """The contexts of words in a corpus.

    Attributes:
        sentences: the sentences that contain a word, in the order of the corpus, each once.
        index: by word, in the order asked for: the number of the sentence, and where the word appears in it.
        provenance: as for the sentences, with ``sentences_read`` and ``cased``.
        skipped: words that no sentence contains.

    Examples:
        >>> contexts = load_contexts(["The nurse came.", "A Nurse!", "He left."], ["nurse", "he", "she"])
        >>> [c.sentence for c in contexts["nurse"]], contexts.counts
        (['The nurse came.'], {'nurse': 1, 'he': 1, 'she': 0})
        >>> load_contexts(["A short-term loan.", "A short loan."], ["short-term", "short"]).counts
        {'short-term': 1, 'short': 2}
        >>> contexts["he"], contexts.skipped[0].reason
        ([Context(sentence='He left.', start=0, end=2)], 'no sentence of the corpus contains it')
    """

    sentences: tuple[str, ...]
    index: Mapping[str, tuple[tuple[int, int, int], ...]]
    provenance: Mapping[str, Any] = field(default_factory=dict)
    skipped: tuple[Skipped, ...] = ()

    def __getitem__(self, word: str) -> list[Context]:
        """Return the contexts of a word.

        Raises:
            UnknownNameError: the word was not asked for.
        """
        if word not in self.index:
            raise UnknownNameError("word", word, self.index)
        return [Context(self.sentences[number], start, end) for number, start, end in self.index[word]]

    @property
    def counts(self) -> dict[str, int]:
        """The number of contexts of each word."""
        return {word: len(places) for word, places in self.index.items()}


@loader()
def load_contexts(
    source: str | Path | Iterable[str] | None,
    words: Iterable[str],
    *,
    language: str = "en",
    cased: bool | None = None,
    column: str | None = None,
) -> ContextSet:
    """Find the sentences of a corpus that contain some words.

    Args:
        source: the corpus, see :func:`load_sentences`.
        words: the words. They may contain spaces and hyphens. Only whole words are found.
        language: language tag.
        cased: ``True``: capitals must be as given, but a word in small letters is found at the beginning of a
            sentence too. ``False``: capitals do not matter. ``None``: ``False`` for the lower-cased corpora of this
            library, ``True`` for all others.
        column: column of a table or Hub data set that contains the sentences.

    Returns:
        The contexts. A sentence that contains a word twice gives one context, its first.

    Raises:
        InputError: no word was given, or one twice.
        BiasError: as :func:`load_sentences`.
    """
    sentences = load_sentences(source, language=language, column=column)
    sought = _sought_words(words)
    exact = sentences.cased if cased is None else cased
    by_first = _by_first_token([w for w in sought if not is_unspaced(w)], exact, language)
    unspaced = [w for w in sought if is_unspaced(w)]
    places: dict[str, list[tuple[int, int, int]]] = {word: [] for word in sought}
    matched_texts: list[str] = []
    with track("finding words in sentences", len(sentences.texts)) as advance:
        for text in sentences.texts:
            advance(1)
            spans_by_word = _places(text, by_first, exact, language)
            spans_by_word |= {w: spans[0] for w in unspaced if (spans := word_spans(text, w))}
            for word, (start, end) in spans_by_word.items():
                places[word].append((len(matched_texts), start, end))
            if spans_by_word:
                matched_texts.append(text)
    return ContextSet(
        tuple(matched_texts),
        {word: tuple(where) for word, where in places.items()},
        {**sentences.provenance, "sentences_read": len(sentences.texts), "cased": exact},
        tuple(
            Skipped(w, "no sentence of the corpus contains it") for w, where in places.items() if not where
        ),
    )


@loader()
def load_sentences(
    source: str | Path | Iterable[str] | None = None, *, language: str = "en", column: str | None = None
) -> CorpusSentences:
    """Load the sentences of a corpus.

    Args:
        source: where they come from.

            - ``None``: the corpus of this library in that language, from the cache, built on first use from packages
              of a registry: books and presidents' addresses in English, encyclopaedic lines in Turkish.
            - one of its configurations: ``"en-books"``, ``"en-addresses"``, ``"en-encyclopaedia"``,
              ``"tr-encyclopaedia"``.
            - a list of sentences, or a frame (pandas, polars, ``datasets`` …) with a column of them.
            - a text file with one sentence per line, or a table file (CSV, TSV, JSONL, JSON, Parquet).
            - the id of a Hub data set, whose configuration is named by ``language`` and whose split ``train`` is read.
        language: language tag.
        column: column of a table that contains the sentences. ``None``: ``sentence``, else ``text``.

    Raises:
        UnknownNameError: this library has no corpus in that language, or the source has no such configuration.
        DataError: the source is something else, has no sentences, or lacks that column.
        AssetError: the corpus could not be obtained.
        HubError: the Hub could not be reached or does not have the data set.
    """
    corpus: Any = source
    if isinstance(corpus, SourcedTable):  # a frame
        return CorpusSentences(_column(corpus, column), {**corpus.provenance, "language": language})
    if source is not None and not isinstance(source, str | Path):
        if not isinstance(corpus, Iterable):
            raise DataError(
                f"a corpus must be a list of sentences, a file or a data set, got {type(corpus).__name__}",
                option="source",
            )
        return _given_sentences(source, language)
    configurations = [c.name for c in dataset_record(BUILT_IN).configs]
    if source is None:
        if language not in _DEFAULTS:
            raise UnknownNameError("language", language, _DEFAULTS, option="language")
        return _built_in_sentences(_DEFAULTS[language], column)
    name = str(source)
    if name in configurations:
        return _built_in_sentences((name,), column)
    path = Path(name)
    if path.is_file() and path.suffix.lower() not in TABLE_SUFFIXES:
        raw = path.read_bytes()
        require_content(path, raw)
        lines, checksum = decoded(raw, name).split("\n"), hashlib.sha256(raw).hexdigest()
        return _given_sentences(lines, language, path.name, sha256=checksum)
    if not path.exists() and not HUB_ID.fullmatch(name):
        known = ", ".join(configurations)
        raise DataError(f"{name!r} is neither a corpus of this library ({known}), nor a file, nor a Hub id")
    table = find_table(name, language, split="train")
    return CorpusSentences(_column(table, column), table.provenance)


def _sought_words(words: Iterable[str]) -> list[str]:
    if isinstance(words, str):
        raise bad_option("words", words, "a list of words")
    word_list = list(words)
    if not word_list:
        raise InputError("`words` is empty", option="words")
    for word in word_list:
        if not isinstance(word, str) or not _TOKEN.match(word):
            raise InputError(
                f"{word!r} cannot be searched for: a word must begin with a letter or a digit", option="words"
            )
    if twice := [word for word, times in Counter(word_list).items() if times > 1]:
        raise InputError(f"`words` has {twice[0]!r} twice", option="words")
    return word_list


def _by_first_token(words: Sequence[str], cased: bool, language: str) -> Mapping[str, list[tuple[str, str]]]:
    """Return words by their first token, each with a pattern of the whole word.

    If ``cased``, a form that only begins sentences is listed under its token with ``^`` before it.
    """
    sought: defaultdict[str, list[tuple[str, str]]] = defaultdict(list)
    for word in words:
        start = _TOKEN.match(word)
        token = start[0] if start else word
        whole = r"\s+".join(map(re.escape, word.split())) + r"(?!\w)"
        if not cased:
            sought[_case_folded(token, language)].append((word, f"(?i){whole}"))
            continue
        sought[token].append((word, whole))
        if word == word.lower():
            begins = f"^{upper_case(token[0], language)}{token[1:]}"
            sought[begins].append((word, f"(?i:{whole[0]}){whole[1:]}"))
    return sought


_compiled = functools.lru_cache(maxsize=100_000)(re.compile)


def _case_folded(token: str, language: str) -> str:
    return lower_case(token, language) if has_dotless_i(language) else token.casefold()


def _places(
    text: str, by_first: Mapping[str, list[tuple[str, str]]], cased: bool, language: str
) -> dict[str, tuple[int, int]]:
    """Return the first place of each word in a sentence."""
    places: dict[str, tuple[int, int]] = {}
    for number, match in enumerate(_TOKEN.finditer(text)):
        token = match[0] if cased else _case_folded(match[0], language)
        candidates = by_first.get(token, [])
        if cased and not number:
            candidates = [*candidates, *by_first.get(f"^{token}", ())]
        for word, pattern in candidates:
            if word not in places and (place := _compiled(pattern).match(text, match.start())):
                places[word] = place.span()
    return places


def _given_sentences(
    texts: Iterable[str], language: str, name: str = "given by the caller", **identity: str
) -> CorpusSentences:
    sentences = []
    for text in texts:
        if not isinstance(text, str):
            raise DataError(f"a corpus is a list of sentences, and one of them is {type(text).__name__}")
        if text.strip():
            sentences.append(text.strip())
    if not sentences:
        raise DataError(f"the corpus ({name}) has no sentences")
    return CorpusSentences(sentences, {"source": name, "language": language, **identity})


def _built_in_sentences(configurations: Sequence[str], column: str | None) -> CorpusSentences:
    tables = [find_table(BUILT_IN, name, split="train") for name in configurations]
    texts = [text for table in tables for text in _column(table, column)]
    identity = {"name": BUILT_IN, "source": BUILT_IN, "configs": [table.provenance for table in tables]}
    return CorpusSentences(texts, identity, cased=not set(configurations) & set(_UNCASED))


def _column(table: SourcedTable, column: str | None) -> list[str]:
    names = list(table.rows[0])
    name = column or next((c for c in _COLUMNS if c in names), "")
    if name not in names:
        has = name_list([known[:30] for known in names], 20)
        raise DataError(
            f"{table.name} has no column {column or ' or '.join(_COLUMNS)} (its columns are {has})",
            option="column",
            hint="name the column with the text with `column`",
        )
    texts = [str(row[name]).strip() for row in table.rows if row.get(name) is not None]
    if not any(texts):
        raise DataError(f"{table.name} has no sentences")
    return [text for text in texts if text]
