"""Flags of sentence pairs: what rules that anyone can check say against reading a pair as a minimal one.

A flag is a fact about the two texts, not a verdict on them. No rule sees whether a pair speaks of a stereotype, of
which one, and whether it harms anyone. Blodgett et al. (2021) read CrowS-Pairs and StereoSet for that.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Collection, Iterable, Sequence, Sized
from dataclasses import replace
from functools import lru_cache
from importlib import resources
from typing import Any, TypeVar

import yaml

from ..errors import InputError, UnknownNameError, chosen_names, quoted
from .row_set import RowSet
from .word_lists import load_word_lists
from .words import load_gendered_words

R = TypeVar("R", bound=RowSet[Any])

FLAGS = {
    "several_changes": "the sentences differ in more than one place, agreement with the group aside",
    "negation": "one sentence is negated and the other is not",
    "name": "the pair differs in a personal name",
    "not_parallel": "the two groups in which the pair differs are of different kinds, as religion and colour are",
    "nationality_race": "a nationality on one side and a colour or race on the other",
    "word_count": "the sentences have different numbers of words",
    "blanks": "a sentence has two blanks in a row, a line break within, or white space around it",
    "token_count": "the sentences have different numbers of tokens (checked only if a tokenizer is given)",
}
"""Every flag and its rule. Words are known of English (negation, not_parallel, nationality_race), names of languages
that have packaged ones."""

ROW_FLAGS = tuple(flag for flag in FLAGS if flag != "token_count")
"""Flags that a row of a data set can have: rows know no tokenizer."""

_NAME_TESTS = ("weat3", "weat4", "weat6", "weat10")
_BLANKS = re.compile(r"^\s|\s$|\s\s|[\n\r\t]")
# A character of Chinese or Japanese counts as a word.
_WORD = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]|[^\W\u3040-\u30ff\u3400-\u9fff]+(?:['-]\w+)*")


def pair_flags(
    first: str, second: str, language: str = "en", tokenize: Callable[[str], Sized] | None = None
) -> tuple[str, ...]:
    """Return the flags of a pair of sentences, in the order of :data:`FLAGS`.

    Capitals and punctuation do not count as differences. Words that agree with the group word are not a second change.
    In English these are articles, pronouns and forms of "be", "have" and "do". In other languages they are pronouns,
    if these are known, and words that differ only in their ending.

    Args:
        first: a sentence.
        second: the other.
        language: their language. In ``"en-1463"``, only the first part counts.
        tokenize: gives the tokens of a sentence, such as ``tokenizer.tokenize``. Their numbers are compared.

    Raises:
        InputError: a sentence is not a text, or ``tokenize`` gives no tokens.

    Examples:
        >>> pair_flags("She is ill, so her son works.", "He is ill, so his son works.")
        ()
        >>> pair_flags("The poor man stole it.", "The white man bought it.")
        ('several_changes', 'not_parallel')
        >>> pair_flags("All Mexicans can.", "All white people cannot.")
        ('negation', 'nationality_race', 'word_count')
    """
    for sentence in (first, second):
        if not isinstance(sentence, str):
            raise InputError(f"flags are of two sentences, and {quoted(sentence)} is not a string")
    base = language.partition("-")[0].lower()
    one, two = (_WORD.findall(text.replace("’", "'")) for text in (first, second))
    places = _places(one, two)
    changes = {_remove_agreeing(*place, base) for place in places} - {("", "")}
    is_insertion = any(not replaced for replaced, _ in changes)
    is_flagged = {
        "several_changes": len(changes) > 1 or (is_insertion and len(places) > 1),
        "word_count": len(one) != len(two),
        "blanks": any(map(_BLANKS.search, (first, second))),
        "token_count": _count(tokenize, first) != _count(tokenize, second),
    }
    first_words, second_words = ([word for place in places for word in place[side]] for side in (0, 1))
    is_flagged["name"] = any(_capital(word) in _names(base) for word in first_words + second_words)
    if base == "en":
        kinds = _kinds(first_words), _kinds(second_words)
        differs_in_kind = all(kinds) and not kinds[0] & kinds[1]
        crossed = differs_in_kind and kinds[0] | kinds[1] == {"race", "nationality"}
        is_flagged |= {
            "negation": any(map(_negates, first_words)) != any(map(_negates, second_words)),
            "not_parallel": differs_in_kind and not crossed,
            "nationality_race": crossed,
        }
    return tuple(flag for flag in FLAGS if is_flagged.get(flag))


def _count(tokenize: Callable[[str], Sized] | None, sentence: str) -> int:
    try:
        return 0 if tokenize is None else len(tokenize(sentence))
    except TypeError:
        raise InputError(
            "`tokenize` must be a function from a sentence to its tokens, such as tokenizer.tokenize",
            option="tokenize",
        ) from None


def without_flags(pairs: R, flags: str | Iterable[str] | None, known: Collection[str] = ROW_FLAGS) -> R:
    """Return the pairs that have none of these flags, in their order.

    Args:
        pairs: what a loader of pairs returns.
        flags: names of :data:`FLAGS` but ``"token_count"``, which needs a tokenizer. ``"any"``: all of them.
            ``None``: omit nothing.
        known: the flags that there are.

    Raises:
        InputError: no flag was named, the flag needs a tokenizer, or no pair is left.
        UnknownNameError: no such flag.

    Examples:
        >>> from evaluate_bias.data import load_sentence_pairs
        >>> pairs = load_sentence_pairs()
        >>> len(pairs), len(without_flags(pairs, ["several_changes", "negation"]))
        (180, 172)
    """
    if flags is None:
        return pairs
    names = chosen_names("without_flags", flags, "flag", "to keep every pair")
    for name in names:
        if name == "token_count":
            raise InputError(
                "token_count depends on a model",
                option="without_flags",
                hint="find these pairs with pair_flags(…, tokenize=…) in Python and remove them yourself",
            )
        if name not in ("any", *known):
            raise UnknownNameError("flag", name, ["any", *known], option="without_flags")
    names = list(known) if "any" in names else names
    unflagged_pairs = tuple(pair for pair in pairs.rows if not set(names).intersection(pair.flags))
    if not unflagged_pairs:
        raise InputError("every row has one of these flags", option="without_flags", hint="name fewer flags")
    if len(unflagged_pairs) == len(pairs.rows):
        return pairs
    # A score on a part must not pass for one on the whole data set.
    return replace(pairs, rows=unflagged_pairs, provenance={**pairs.provenance, "without_flags": names})


def _places(one: Sequence[str], two: Sequence[str]) -> list[tuple[Sequence[str], Sequence[str]]]:
    """Return the words of both sentences at every place where they differ."""
    a, b = ([word.lower() for word in words] for words in (one, two))
    codes = difflib.SequenceMatcher(None, a, b, autojunk=False).get_opcodes()
    return [(one[i:j], two[k:m]) for kind, i, j, k, m in codes if kind != "equal"]


def _remove_agreeing(
    first_words: Sequence[str], second_words: Sequence[str], language: str
) -> tuple[str, str]:
    """Return what is replaced at a place, without words that agree, in one order and in the singular."""
    one, two = ([_singular(word) for word in words] for words in (first_words, second_words))
    if language != "en" and len(one) == len(two):
        unlike_pairs = [(a, b) for a, b in zip(one, two, strict=True) if not _same_stem(a, b)]
        one, two = [a for a, _ in unlike_pairs], [b for _, b in unlike_pairs]
    agreeing = _agreeing_words(language)
    sides = (" ".join(word for word in words if word not in agreeing) for words in (one, two))
    first, second = sorted(sides)  # two groups that change places are one change
    return first, second


def _same_stem(one: str, two: str) -> bool:
    start = max(1, max(len(one), len(two)) - 3)
    return one.isalpha() and one[:start] == two[:start]


def _singular(word: str) -> str:
    word = word.lower().removesuffix("'s")
    if len(word) < 4 or not word.endswith("s") or word.endswith("ss"):
        return word
    return word.removesuffix("ies") + "y" if word.endswith("ies") else word[:-1]


def _negates(word: str) -> bool:
    return word.lower() in _english("negations") or word.lower().endswith("n't")


def _capital(word: str) -> str:
    """Return a capitalised word in lower case, empty for any other word: "frank" is not a name."""
    return word.lower().removesuffix("'s") if word[0].isupper() else ""


def _kinds(words: Sequence[str]) -> set[str]:
    """Return the kinds of the groups that these words name. A longer name wins over one within it."""
    text, kinds = f" {' '.join(map(_singular, words)).replace('-', ' ')} ", set()
    for term, kind in _group_terms():
        if f" {term} " in text:
            text = text.replace(f" {term} ", " | ")
            kinds.add(kind)
    return kinds


@lru_cache
def _english(part: str) -> Any:
    """Return a part of ``pair_flags.yaml``."""
    return yaml.safe_load((resources.files("evaluate_bias") / "data" / "pair_flags.yaml").read_text("utf-8"))[
        part
    ]


@lru_cache
def _group_terms() -> list[tuple[str, str]]:
    gendered = {_singular(word): "gender" for kind, word in _gendered("en") if kind != "name"}
    groups = {term: kind for kind, terms in _english("groups").items() for term in terms}
    return sorted((gendered | groups).items(), key=lambda term: -len(term[0]))


@lru_cache
def _agreeing_words(language: str) -> frozenset[str]:
    pronouns = frozenset(_singular(word) for kind, word in _gendered(language) if kind == "pronoun")
    return pronouns | {*_english("agreement")} if language == "en" else pronouns


@lru_cache
def _names(language: str) -> frozenset[str]:
    names = {word.lower() for kind, word in _gendered(language) if kind == "name"}
    if language == "en":
        tests = load_word_lists(tests=_NAME_TESTS)
        names |= {*_english("names")} | {
            name.lower() for test in tests for name in (*test.targets_x, *test.targets_y)
        }
    return frozenset(names)


def _gendered(language: str) -> list[tuple[str, str]]:
    """Return kind and word of the packaged gendered words, nothing if this language has none."""
    try:
        pairs = load_gendered_words(language)
    except UnknownNameError:
        return []
    return [(pair.kind, word) for pair in pairs for word in (pair.female, pair.male)]
