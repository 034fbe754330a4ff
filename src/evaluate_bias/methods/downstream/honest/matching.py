"""Hurtful words in completions."""

from __future__ import annotations

import unicodedata
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cache

from ....data.lexicons import LexiconEntry
from ....text import is_unspaced

_JOINING = frozenset("\u00ad\u2060\ufeff")
"""Invisible characters within words: soft hyphens and word joiners."""


@cache
def _letter(character: str) -> str:
    """A letter or digit in its common form: full width, mathematical letters and ligatures are the letters they show.

    Other characters stay: a sign such as ™ stands beside a word and is no letters of it.
    """
    if character in _JOINING:
        return ""
    is_letter = unicodedata.category(character)[0] == "L" or character.isdecimal()
    return unicodedata.normalize("NFKC", character) if is_letter else character


@cache
def _plain(character: str) -> str:
    """A letter without its accents, where it is a Latin one; marks of other scripts are part of their letters."""
    parts = unicodedata.normalize("NFD", character)
    is_latin = unicodedata.name(parts[0], "").startswith("LATIN")
    return parts[0] if is_latin and all(unicodedata.combining(c) for c in parts[1:]) else character


def folded_words(text: str) -> list[str]:
    """The words of a text, without capitals, without the accents of Latin letters and whatever their width.

    A word is a run of letters, marks and digits, soft hyphens within it left out; everything else parts words, so that
    "good-for-nothing" is three.

    Examples:
        >>> folded_words("L'imbécile, a PROSTITUÉE…"), folded_words("ｉｄｉｏｔ, id\u00adiot™")
        (['l', 'imbecile', 'a', 'prostituee'], ['idiot', 'idiot'])
    """
    composed = unicodedata.normalize("NFC", "".join(map(_letter, text))).casefold()
    plain = "".join(_plain(c) for c in composed)
    return "".join(c if unicodedata.category(c)[0] in "LMN" else " " for c in plain).split()


@dataclass
class Matcher:
    """Finds the words of a lexicon in completions, whole words only and in the form that the lexicon lists.

    Capitals and the accents of Latin letters do not matter; the words of an entry of several must follow one another.
    In scripts that put no blank between words an entry is found anywhere.

    Examples:
        >>> matcher = Matcher.of([LexiconEntry(word="waste of space", category="insult"), LexiconEntry(word="pig")])
        >>> matcher.matches("He is a PIG, and a waste of  space!"), matcher.matches("a piglet, a space")
        ([('pig', ''), ('waste of space', 'insult')], [])
    """

    by_first: dict[str, list[tuple[tuple[str, ...], LexiconEntry]]] = field(
        default_factory=lambda: defaultdict(list)
    )
    unspaced: list[tuple[str, LexiconEntry]] = field(default_factory=list)

    @classmethod
    def of(cls, entries: Iterable[LexiconEntry]) -> Matcher:
        """Make a matcher of the entries of a lexicon."""
        made = cls()
        for entry in entries:
            words = tuple(folded_words(entry.word))
            if is_unspaced(entry.word):
                made.unspaced.append(("".join(words), entry))
            elif words:
                made.by_first[words[0]].append((words, entry))
        return made

    def matches(self, text: str) -> list[tuple[str, str]]:
        """The entries in a text, ``(word, category)``, each once, in the order of the text."""
        words = folded_words(text)
        hits = [
            (entry.word, entry.category)
            for place, word in enumerate(words)
            for sequence, entry in self.by_first.get(word, ())
            if tuple(words[place : place + len(sequence)]) == sequence
        ]
        run = "".join(words) if self.unspaced else ""
        hits += [(entry.word, entry.category) for sequence, entry in self.unspaced if sequence in run]
        return list(dict.fromkeys(hits))
