"""The spellings under which a word is looked up: case, accents, and how several words become one entry."""

from __future__ import annotations

import unicodedata
from typing import Literal

Case = Literal["as_is", "lower", "first_found"]
Accents = Literal["keep", "strip", "first_found"]
Multiword = Literal["mean", "refuse"]

_JOINTS = (" ", "_", "-")


def spellings(word: str, case: Case, accents: Accents) -> list[str]:
    """The spellings to try, in order and without repetition; the composed form (NFC) of each is tried too.

    Examples:
        >>> spellings("Zoë", "first_found", "first_found")
        ['Zoë', 'zoë', 'ZOË', 'Zoe', 'zoe', 'ZOE']
    """
    bases = {"keep": [word], "strip": [strip_accents(word)], "first_found": [word, strip_accents(word)]}[
        accents
    ]
    tried: dict[str, None] = {}
    for base in bases:
        cases = {
            "as_is": [base],
            "lower": [base.lower()],
            "first_found": [base, base.lower(), base.capitalize(), base.upper()],
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


def joined_forms(item: str, case: Case, accents: Accents) -> list[str]:
    """The spellings under which an item of several words may be one entry of a vocabulary.

    Examples:
        >>> joined_forms("New York", "as_is", "keep")
        ['New York', 'New_York', 'New-York']
    """
    joined = [joint.join(item.split()) for joint in _JOINTS]
    return [form for text in dict.fromkeys([item, *joined]) for form in spellings(text, case, accents)]
