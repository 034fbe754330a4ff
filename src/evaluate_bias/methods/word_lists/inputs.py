"""Tests and their words: read, checked, looked up in a model, and what a reader must know of the lists."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from ...arrays import FloatArray, RealArray
from ...data.schemas import parse_row
from ...data.word_lists import WordListTest
from ...errors import CoverageError, InputError, UndefinedScoreError
from ...models.base import WordEmbedder
from ...result import Skipped
from ...text import has_dotless_i, lower_case, stable_order

LISTS = ("targets_x", "targets_y", "attributes_a", "attributes_b")
SIDES = LISTS[:2], LISTS[2:]

Tests: TypeAlias = Sequence[WordListTest | Mapping[str, Any]]
"""What methods on word lists accept: tests, or dicts with their fields."""

Forms = Mapping[str, Mapping[str, str]]
"""For each list, what every word of it means: words that mean the same are the same."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Material:
    """One test as a model reads it.

    Attributes:
        test: the test.
        words: of each of its lists, the words that are scored.
        list_sizes: of each list, the number of words asked for.
        skipped: the other words, with the reason.
        warnings: what a reader must know of the words.
    """

    test: WordListTest
    words: Mapping[str, tuple[str, ...]]
    list_sizes: Mapping[str, int]
    skipped: Sequence[Skipped]
    warnings: Sequence[str] = ()


def parsed_tests(method: str, tests: Sequence[Any], schema: type[WordListTest] = WordListTest) -> list[Any]:
    """Return the tests of a call, each checked against ``schema``. Refuses two of one name."""
    parsed = [parse_row(schema, test, "word-list test") for test in tests]
    if not parsed:
        raise UndefinedScoreError(f"no test was given: {method} needs at least one set of four word lists")
    names = [t.name for t in parsed]
    repeated = sorted({n for n in names if names.count(n) > 1})
    if repeated:
        raise InputError(
            f"two tests are called {repeated[0]!r}", option="tests", hint="give every test a name of its own"
        )
    return parsed


def check_lists(
    test: WordListTest,
    forms: Forms,
    needed: Sequence[str] = LISTS,
    pairs: Sequence[Sequence[str]] = (LISTS[:2],),
) -> None:
    """Refuse a test with one of the needed lists empty, or with a word in both lists of one of the ``pairs``."""
    for one, other in pairs:
        if in_both := shared_words(forms, (one,), (other,)):
            raise InputError(
                f"{test.name}: {', '.join(map(repr, in_both))} in both {one} and {other}",
                hint="remove it from one of the lists",
            )
    for name in needed:
        if not getattr(test, name):
            raise UndefinedScoreError(f"{test.name}/{name} is empty: words are needed in {', '.join(needed)}")


def check_casing(model: Any, test: WordListTest) -> None:
    """Refuse a word for which a model without the casing of the test's language looks up another word.

    Raises:
        InputError: there is such a word.
    """
    resolve, language = getattr(model, "resolve", None), test.language
    if resolve is None or not has_dotless_i(language):
        return
    words = [word for name in LISTS for word in getattr(test, name)]
    for word, form in zip(words, resolve(words), strict=True):
        if form and form.lower() == word.lower() and lower_case(form, language) != lower_case(word, language):
            raise InputError(
                f"{test.name}: {word!r} would be measured as {form!r}, which is another word in {language!r}",
                hint=f"load the vectors with `language` set to {language.partition('-')[0]!r}, or write words and "
                "texts in lower case",
            )


def check_coverage(
    where: str,
    lost: Sequence[str],
    n_requested: int,
    max_missing: float,
    *,
    missing: str,
    advice: str,
    items: str = "words",
) -> None:
    """Refuse a list that loses all its words, or a larger share than ``max_missing``. The error names them.

    ``items`` says what the list contains, ``missing`` follows the number of those lost, and ``advice`` says what would
    work, other than raising ``max_missing``.
    """
    text = f"{where}: {len(lost)} of {n_requested} {items} {missing} ({', '.join(lost)})"
    if len(lost) == n_requested:
        raise CoverageError(text, hint=advice)
    if len(lost) > max_missing * n_requested + 1e-9:
        raise CoverageError(
            f"{text}, more than `max_missing` ({max_missing:g}) allows",
            option="max_missing",
            hint=f"{advice}, or raise `max_missing`",
        )


def check_scored(
    model: Any,
    where: str,
    lost: Mapping[str, str],
    n_requested: int,
    max_missing: float,
    *,
    scored: str = "scored",
    items: str = "words",
) -> None:
    """The same of words that a model cannot read, given with the reason for each."""
    if lost:
        word, reason = next(iter(lost.items()))
        check_coverage(
            where,
            list(lost),
            n_requested,
            max_missing,
            missing=f"cannot be {scored} with {model.name}",
            advice=f"{word!r}: {reason}; use other {items} or another model",
            items=items,
        )


def _check_vocabulary(
    model: WordEmbedder, where: str, lost: Sequence[str], n_requested: int, max_missing: float
) -> None:
    # Another case policy helps only if none is set yet.
    as_is = model.provenance().get("case", "as_is") == "as_is"
    check_coverage(
        where,
        lost,
        n_requested,
        max_missing,
        missing=f"are not in the vocabulary of {model.name}",
        advice="use other vectors"
        + (", or set the loading option `case`, for example to 'first_found'" if as_is else ""),
    )


@contextmanager
def error_context(name: str, skipped: Sequence[Skipped]) -> Iterator[None]:
    """Let an error about an undefined score say of which test, and which words were omitted."""
    try:
        yield
    except UndefinedScoreError as error:
        lost = ", ".join(dict.fromkeys(s.item for s in skipped))
        raise UndefinedScoreError(f"{name}: {error}" + (f" (without {lost})" if lost else "")) from None


def caveats(
    name: str,
    forms: Forms,
    words: Mapping[str, Collection[str]],
    *,
    itself: str = "with cosine 1 to itself",
    twice: str = "",
) -> list[str]:
    """Return what a reader must know of a test's lists, of which these words were found.

    ``itself`` says what it means that a word is both target and attribute, and ``twice`` that it is in both attribute
    lists, if it does not cancel out.
    """
    warnings = []
    (one, other), equal = SIDES[1], len({len(words.get(attributes, ())) for attributes in SIDES[1]}) == 1
    if cancelling := shared_words(forms, (one,), (other,), both=True):
        how = "it cancels out" if equal else "it does not quite cancel out, because the lists differ in size"
        warnings.append(f"{name}: {', '.join(cancelling)} in both attribute lists, {twice or f'where {how}'}")
    if both_roles := shared_words(forms, *SIDES, both=True):
        warnings.append(f"{name}: {', '.join(both_roles)} both target and attribute, {itself}")
    return warnings


def shared_words(
    forms: Forms, first: Sequence[str], second: Sequence[str], *, both: bool = False
) -> list[str]:
    """Words of the left lists that represent the same as a word of the right ones, sorted. With ``both``, also that one
    if it is another word."""
    theirs: dict[str, set[str]] = {}
    for name in second:
        for word, form in forms[name].items():
            theirs.setdefault(form, set()).add(word)
    same = sorted({(word, form) for name in first for word, form in forms[name].items() if form in theirs})
    return [w if not both or w in theirs[f] else f"{w} (= {', '.join(sorted(theirs[f]))})" for w, f in same]


@dataclass(frozen=True, slots=True)
class Lookup:
    """The words of a list that have a vector, in the order of their text, of so many asked for, and the others."""

    words: tuple[str, ...]
    vectors: FloatArray  # shape (words, dimension)
    n_requested: int
    skipped: tuple[Skipped, ...]


def forms_of(model: Any, words: Sequence[str]) -> dict[str, str]:
    """Return what each word represents: the word of the vocabulary, if the model says it, else the word itself, without
    capitals if the model has none."""
    resolve = getattr(model, "resolve", None)
    resolved_words = [None] * len(words) if resolve is None else resolve(list(words))
    fold = str.lower if getattr(model, "is_uncased", False) else str
    return {w: fold(f or w) for w, f in zip(words, resolved_words, strict=True)}


def each_once(
    words: Sequence[str], forms: Mapping[str, Any], where: str, what: str
) -> tuple[list[str], list[Skipped]]:
    """The words of a list, the first of those that represent the same, and the others, which have the same ``what``."""
    skipped: list[Skipped] = []
    first: dict[Any, str] = {}
    for word in dict.fromkeys(words):
        first_word = first.setdefault(forms[word], word)
        if first_word != word:
            skipped.append(Skipped(word, f"the same {what} as {first_word!r}, counted once", where))
        elif (times := words.count(word)) > 1:
            skipped.append(Skipped(word, f"given {times} times, counted once", where))
    return list(first.values()), skipped


def look_up(
    model: WordEmbedder,
    list_words: Sequence[str],
    forms: Mapping[str, str],
    vectors: Mapping[str, RealArray],
    where: str,
    max_missing: float,
) -> Lookup:
    """Look up the words of a list in the vectors of the model, each once: words with the same form are the same."""
    unique, skipped = each_once(list_words, forms, where, "vector")
    lost = [word for word in unique if word not in vectors]
    skipped.extend(Skipped(word, "not in the vocabulary", where) for word in lost)
    _check_vocabulary(model, where, lost, len(unique), max_missing)
    words = [word for word in unique if word in vectors]
    words = [words[i] for i in stable_order([forms[w] for w in words])]
    return Lookup(tuple(words), _matrix(where, words, vectors), len(unique), tuple(skipped))


def _matrix(where: str, words: Sequence[str], vectors: Mapping[str, RealArray]) -> FloatArray:
    """The vectors of words, shape (words, dimension). One without direction is refused by the name of its word."""
    matrix = np.array([vectors[w] for w in words], dtype=np.float64)
    for word, vector in zip(words, matrix, strict=True):
        if not np.any(vector):
            raise InputError(
                f"{where}: the vector of {word!r} is zero, so its cosine is undefined", hint="remove the word"
            )
    return matrix


def look_up_pairs(
    model: WordEmbedder,
    test: WordListTest,
    forms: Forms,
    vectors: Mapping[str, RealArray],
    max_missing: float,
) -> dict[str, Lookup]:
    """Look up targets that are pairs. A pair of which a word has no vector, and a repeated one, is omitted and listed.

    Pairs whose words represent the same words of the vocabulary (``forms``) are repeated ones.

    Raises:
        CoverageError: more than ``max_missing`` of the pairs lack a vector.
    """
    where = f"{test.name}/targets"
    names = [" / ".join(pair) for pair in sorted(zip(test.targets_x, test.targets_y, strict=True))]
    pairs = {" / ".join(pair): pair for pair in zip(test.targets_x, test.targets_y, strict=True)}
    alike = {name: (forms["targets_x"][x], forms["targets_y"][y]) for name, (x, y) in pairs.items()}
    unique, skipped = each_once(names, alike, where, "vectors")
    lost = [name for name in unique if not vectors.keys() >= set(pairs[name])]
    skipped += [Skipped(pair, "a word is not in the vocabulary", where) for pair in lost]
    _check_vocabulary(model, where, lost, len(unique), max_missing)
    out = {}
    for side, name in enumerate(LISTS[:2]):
        words = tuple(pairs[pair][side] for pair in unique if pair not in lost)
        matrix = _matrix(f"{test.name}/{name}", words, vectors)
        out[name] = Lookup(words, matrix, len(unique), () if side else tuple(skipped))
    return out
