"""Forms of words and what agrees with them: articles, plurals, gender.

``packaged/grammar/<language>.json`` contains the rules of a language,
``packaged/word_forms/<language>.jsonl`` the words whose forms no rule gives. A form that is neither written
down nor given by a rule is an error that says what to give. It is never guessed.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any

from pydantic import BaseModel

from ..errors import DataError
from ..paths import packaged_data

KINDS = (
    "name",
    "person",
    "plural_person",
    "noun",
    "plural_noun",
    "mass",
    "adjective",
    "adverb",
    "verb",
    "subject_pronoun",
    "object_pronoun",
    "possessive",
)
"""Kinds of words: ``person`` and ``noun`` can be counted, ``mass`` cannot, ``plural_…`` are cited in the plural."""

GENDERS = ("m", "f", "n", "c")
"""Grammatical genders: masculine, feminine, neuter, and ``c`` for the common gender of Dutch."""


@dataclass(frozen=True, slots=True)
class Word:
    """A word with what its form alone does not tell.

    Attributes:
        text: the word as it is cited.
        kind: one of :data:`KINDS`, empty when unknown.
        gender: grammatical gender of a noun, or of a person's name or pronoun: ``"m"``, ``"f"``, ``"n"``,
            ``"c"``, empty when unknown or when the language has none.
        forms: other forms by name, such as ``plural``, ``singular``, ``definite``, ``m``, ``f``. Articles that differ
            from the rules are under their names ``a`` and ``the``. The gender of the person is under ``agrees_as`` if
            it differs from the word's own (German *Mädchen*).

    Examples:
        >>> Word("Pflegefachperson", kind="person", gender="f", forms={"plural": "Pflegefachpersonen"}).gender
        'f'
    """

    text: str
    kind: str = ""
    gender: str = ""
    forms: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))

    def __post_init__(self) -> None:
        if not self.text.strip():
            raise DataError("a word is blank")
        if self.kind and self.kind not in KINDS:
            raise DataError(f"the kind of {self.text!r} must be one of {', '.join(KINDS)}, got {self.kind!r}")
        if self.gender and self.gender not in GENDERS:
            raise DataError(
                f"the gender of {self.text!r} must be one of {', '.join(GENDERS)}, got {self.gender!r}"
            )


class _Agreement(BaseModel):
    """One choice of what agrees with a word: ``use`` it when everything else fits."""

    use: str
    before: re.Pattern[str] | None = None
    gender: str = ""
    number: str = ""


class Grammar(BaseModel):
    """The rules of one language and the words it knows.

    Attributes:
        language: language tag.
        words: known words.
        agreements: by name (``a``, ``the`` …), the choices in order. The first that fits is taken.
        rules: by form, pairs of a pattern and its replacement. The first that matches is taken.
        same_as: forms that equal another form in words that do not say otherwise.
        genders: pairs of a pattern and a gender, for words that are not known.
        literals: articles that agree with the word behind them when a template has them as plain text.
        capitals: beginnings of a word that are not capitalised letter by letter.
    """

    language: str
    words: Mapping[str, Word]
    agreements: Mapping[str, tuple[_Agreement, ...]] = {}
    rules: Mapping[str, tuple[tuple[re.Pattern[str], str], ...]] = {}
    same_as: Mapping[str, str] = {}
    genders: tuple[tuple[re.Pattern[str], str], ...] = ()
    literals: Mapping[str, str] = {}
    capitals: Mapping[str, str] = {}

    def word(self, text: str | Word) -> Word:
        """Return what is known of a word. A :class:`Word` is taken as it is.

        A word that is only known with other capitals keeps the capitals it was given with.

        Examples:
            >>> grammar_of("en").word("parents").forms["singular"]
            'parent'
            >>> grammar_of("en").word("flibber").kind
            ''
        """
        if isinstance(text, Word):
            return text
        if text in self.words:
            return self.words[text]
        known = _folded_words(self.language).get(text.casefold())
        return Word(text) if known is None else replace(known, text=text)

    def form(self, word: Word, name: str) -> str:
        """Return a form of a word.

        Args:
            word: the word.
            name: ``"singular"``, ``"plural"`` or another form that the language's templates use.

        Raises:
            DataError: the form is not known. The text says what to give.

        Examples:
            >>> english = grammar_of("en")
            >>> english.form(english.word("child"), "plural"), english.form(Word("nurse"), "plural")
            ('children', 'nurses')
        """
        if name in word.forms:
            return word.forms[name]
        if name == "singular" or (name == "plural" and word.kind.startswith("plural_")):
            return word.text
        if name in self.same_as:
            return self.form(word, self.same_as[name])
        for pattern, replacement in self.rules.get(name, ()):
            if pattern.search(word.text):
                return pattern.sub(replacement, word.text, count=1)
        raise DataError(
            f"the form {name!r} of {word.text!r} is not known in {self.language!r}",
            hint=f"give Word({word.text!r}, forms={{{name!r}: ...}}) in Python",
        )

    def agreed(self, word: Word, other: Word) -> Word:
        """Return the form of a word that agrees with the gender of another word, as a word of its own.

        Words for things are returned as they are: they have one gender only.

        Raises:
            DataError: the word is one for a person, an adjective or unknown, and its forms are not known.

        Examples:
            >>> german = grammar_of("de")
            >>> german.agreed(german.word("Lehrer"), german.word("sie")).text
            'Lehrerin'
        """
        if word.kind not in ("person", "adjective", "") and not {"m", "f"} & {*word.forms}:
            return word
        gender = other.forms.get("agrees_as") or self.gender(other)
        text = self.form(word, gender)
        known = self.words.get(text, Word(text, word.kind))
        # One form for all takes the article of the person it is said of: la contabile, il contabile.
        is_for_all = word.forms.get("m") == word.forms.get("f")
        return known if known.gender and not is_for_all else replace(known, gender=gender)

    def gender(self, word: Word) -> str:
        """Return the grammatical gender of a word.

        Raises:
            DataError: it is not known.
        """
        if word.gender:
            return word.gender
        for pattern, gender in self.genders:
            if pattern.search(word.text):
                return gender
        raise DataError(
            f"the gender of {word.text!r} is not known in {self.language!r}",
            hint=f"give Word({word.text!r}, gender=...), one of {', '.join(GENDERS)}",
        )

    def agreeing(self, name: str, word: Word, number: str, following: str) -> str:
        """Return the article, or another word, that agrees with ``word``.

        Args:
            name: which, such as ``"a"`` or ``"the"``.
            word: the word it agrees with.
            number: ``"singular"`` or ``"plural"``.
            following: the text that will appear behind it.

        Raises:
            DataError: the language has nothing of that name, or the word's gender is needed and not known.

        Examples:
            >>> english = grammar_of("en")
            >>> [english.agreeing("a", Word(w), "singular", w) for w in ("hour", "university", "nurse")]
            ['an', 'a', 'a']
        """
        if number == "singular" and name in word.forms:
            return word.forms[name]
        choices = self.agreements.get(name)
        if choices is None:
            known = ", ".join(self.agreements)
            raise DataError(
                f"the language {self.language!r} has no rule {name!r} for agreement",
                hint=f"choose from {known}" if known else "write the word without a rule",
            )
        for choice in choices:
            if choice.number and choice.number != number:
                continue
            if choice.before and not choice.before.match(following):
                continue
            if choice.gender and self.gender(word) not in choice.gender:
                continue
            return choice.use
        raise DataError(f"no {name!r} of the language {self.language!r} fits {word.text!r} ({number})")

    def capitalised(self, text: str) -> str:
        """Return ``text`` with a capital at its beginning, as the language writes it.

        Examples:
            >>> grammar_of("tr").capitalised("iyi"), grammar_of("nl").capitalised("ijs")
            ('İyi', 'IJs')
        """
        for beginning, capital in self.capitals.items():
            if text.startswith(beginning):
                return capital + text[len(beginning) :]
        return text[:1].upper() + text[1:]


def grammar_languages() -> list[str]:
    """Return the languages with packaged rules, sorted.

    Examples:
        >>> "en" in grammar_languages()
        True
    """
    return sorted(Path(f.name).stem for f in packaged_data("grammar").iterdir() if f.name.endswith(".json"))


@cache
def grammar_of(language: str) -> Grammar:
    """Return the rules of a language. One without packaged rules has none and knows no word.

    Args:
        language: language tag. What follows a hyphen is ignored.

    Examples:
        >>> len(grammar_of("en").words) > 100, len(grammar_of("sw").words)
        (True, 0)
    """
    base = language.partition("-")[0].lower()
    file = packaged_data("grammar") / f"{base}.json"
    data: dict[str, Any] = json.loads(file.read_text(encoding="utf-8")) if file.is_file() else {}
    return Grammar.model_validate({**data, "language": base, "words": {w.text: w for w in _words(base)}})


@cache
def _folded_words(language: str) -> Mapping[str, Word]:
    """Return the known words by their lower-cased text, the first of those that are equal."""
    folded: dict[str, Word] = {}
    for word in grammar_of(language).words.values():
        folded.setdefault(word.text.casefold(), word)
    return folded


def _words(language: str) -> Iterator[Word]:
    file = packaged_data("word_forms") / f"{language}.jsonl"
    if not file.is_file():
        return
    for line in file.read_text(encoding="utf-8").split("\n"):
        if line:
            row = json.loads(line)
            forms = {k: v for k, v in row.items() if k not in ("word", "kind", "gender")}
            yield Word(row["word"], row.get("kind", ""), row.get("gender", ""), MappingProxyType(forms))
