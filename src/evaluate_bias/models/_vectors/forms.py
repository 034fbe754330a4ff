"""The spellings under which a word is looked up: case, accents, and how several words become one entry."""

from __future__ import annotations

import unicodedata
from typing import Literal

from ...text import has_dotless_i, lower_case, upper_case

Case = Literal["as_is", "lower", "first_found"]
Accents = Literal["keep", "strip", "first_found"]
Multiword = Literal["mean", "refuse"]

_JOINTS = (" ", "_", "-")


def spellings(word: str, case: Case, accents: Accents, language: str = "") -> list[str]:
    """The spellings to try, in order and without repetition; the composed form (NFC) of each is tried too.

    Examples:
        >>> spellings("Zoë", "first_found", "first_found")
        ['Zoë', 'zoë', 'ZOË', 'Zoe', 'zoe', 'ZOE']
        >>> spellings("ILIK", "first_found", "keep", "tr")
        ['ILIK', 'ılık', 'Ilık']
    """
    bases = {"keep": [word], "strip": [strip_accents(word)], "first_found": [word, strip_accents(word)]}[
        accents
    ]
    tried: dict[str, None] = {}
    for base in bases:
        low = lower_case(base, language)
        title = upper_case(low[:1], language) + low[1:] if has_dotless_i(language) else base.capitalize()
        cases = {
            "as_is": [base],
            "lower": [low],
            "first_found": [base, low, title, upper_case(base, language)],
        }[case]
        for form in cases:
            tried[form] = None
            tried[unicodedata.normalize("NFC", form)] = None
    return list(tried)


def strip_accents(word: str) -> str:
    """Remove combining marks; letters of their own, such as ø, ß and ı, stay.

    Examples:
        >>> strip_accents("garçon"), strip_accents("Ærøskøbing")
        ('garcon', 'Ærøskøbing')
    """
    marked = unicodedata.normalize("NFD", word)
    return unicodedata.normalize("NFC", "".join(c for c in marked if not unicodedata.combining(c)))


def joined_forms(item: str, case: Case, accents: Accents, language: str = "") -> list[str]:
    """The spellings under which an item of several words may be one entry of a vocabulary.

    Examples:
        >>> joined_forms("New York", "as_is", "keep")
        ['New York', 'New_York', 'New-York']
    """
    entries = dict.fromkeys([item, *(joint.join(item.split()) for joint in _JOINTS)])
    return [form for entry in entries for form in spellings(entry, case, accents, language)]
