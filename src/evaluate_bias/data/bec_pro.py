"""BEC-Pro (Bartl et al. 2020): sentences made of person words, professions and templates."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Literal

from ..errors import UnknownNameError
from .load import checked_rows, find_table, loader, packaged_table
from .professions import Profession, load_professions
from .recipes import packaged_languages
from .row_set import RowSet
from .schemas import Schema
from .templates import Word, load_templates

PUBLISHED = "published"
"""What :func:`load_bec_pro` calls the sentences of the paper's own files."""

_Group = Literal["male", "female", "balanced"]
_GROUPS: tuple[_Group, ...] = ("male", "female", "balanced")


class BecProPerson(Schema):
    """A phrase for a person, such as ``"my sister"``; its last word is the person word."""

    phrase: str
    gender: Literal["male", "female"]
    language: str


class BecProRow(Schema):
    """One sentence of BEC-Pro.

    Attributes:
        id: ``en-0000`` …; the number is that of the row in the published file.
        language: language tag.
        sentence: the sentence.
        person: the person word as it stands in the sentence, without ``this`` or ``my``.
        gender: gender of the person word.
        pair: number of the person word among those of its gender, from 0: the female and the male word of one
            number belong together.
        profession: the profession as it stands in the sentence.
        profession_en: the English profession.
        profession_gender: the group of the profession by the share of women in it.
        template: id of the template, ``"bec-pro-01"`` to ``"bec-pro-05"``.
        person_start, person_end: where the person word stands, in characters, end exclusive.
        profession_start, profession_end: where the profession stands.

    Examples:
        >>> row = load_bec_pro()[200]
        >>> row.sentence, row.sentence[row.person_start : row.person_end]
        ('This woman is a taper.', 'woman')
    """

    id: str
    language: str
    sentence: str
    person: str
    gender: Literal["male", "female"]
    pair: int
    profession: str
    profession_en: str
    profession_gender: _Group
    template: str
    person_start: int
    person_end: int
    profession_start: int
    profession_end: int


@loader
def load_bec_pro(language: str = "en", *, source: str | Path | None = None) -> RowSet[BecProRow]:
    """Load BEC-Pro: 5,400 sentences a language.

    Args:
        language: ``"en"`` or ``"de"``.
        source: where the sentences come from.

            - ``None``: built here from the paper's lists and templates, with its slips corrected: ``an`` before a
              vowel, German endings after an article, and three misspelt German professions.
            - ``"published"``: the paper's own files as they are, from the cache; obtained on first use.
            - a file, a folder or a Hub id such as ``"bias/bec-pro"``.

    Raises:
        UnknownNameError: the source has no such language.
        AssetError: the published files could not be obtained.
        BiasError: as :func:`~evaluate_bias.data.load_word_lists`.

    Examples:
        >>> rows = load_bec_pro("de")
        >>> len(rows), rows[6].sentence, rows.provenance["source"]
        (5400, 'Er ist Elektroinstallateur.', 'bec_pro')
    """
    if source is None:
        if language.lower() not in packaged_languages("bec_pro"):
            raise UnknownNameError("language", language, packaged_languages("bec_pro"), option="language")
        professions = load_professions(language, list="bec-pro")
        rows = tuple(build_bec_pro(professions, language.lower()))
        return RowSet(rows, {**professions.provenance, "name": "bec_pro", "source": "bec_pro"})
    table = (
        find_table("bec_pro", f"{language.lower()}-{PUBLISHED}")
        if source == PUBLISHED
        else find_table(source, language)
    )
    return RowSet(*checked_rows(BecProRow, table, language))


def build_bec_pro(professions: Iterable[Profession], language: str) -> Iterator[BecProRow]:
    """Make the sentences in the order of the published files.

    Args:
        professions: professions with their groups.
        language: ``"en"`` or ``"de"``.

    Examples:
        >>> judge = Profession(profession="judge", word="Richter", masculine="Richter", feminine="Richterin",
        ...                    group="balanced")
        >>> [r.sentence for r in build_bec_pro([judge], "de")][54:56]
        ['Er, der Richter, hatte einen guten Arbeitstag.', 'Dieser Mann, der Richter, hatte einen guten Arbeitstag.']
    """
    table = packaged_table("bec_pro", language)
    persons = checked_rows(BecProPerson, table, language)[0]
    templates = load_templates("bec-pro", language)
    known = list(professions)
    number = 0
    for group in _GROUPS:
        members = [p for p in known if p.group == group]
        for template in templates:
            for place, person in enumerate(persons):
                pair = place % (len(persons) // 2)
                word = Word(person.phrase, kind="person", gender="f" if person.gender == "female" else "m")
                for member in members:
                    # What is known of its form for this gender, or else both its forms.
                    forms = {"m": member.masculine, "f": member.feminine}
                    profession = Word(forms[word.gender], kind="person", forms=forms)
                    filled = template.fill(person=word, profession=profession)
                    end = filled.spans["person"][1]
                    start = end - len(person.phrase.split()[-1])
                    yield BecProRow(
                        id=f"{language}-{number:04d}",
                        language=person.language,
                        sentence=filled.text,
                        person=filled.text[start:end],
                        gender=person.gender,
                        pair=pair,
                        profession=filled.surface("profession"),
                        profession_en=member.profession,
                        profession_gender=group,
                        template=filled.template,
                        person_start=start,
                        person_end=end,
                        profession_start=filled.spans["profession"][0],
                        profession_end=filled.spans["profession"][1],
                    )
                    number += 1
