"""Template sentences, and BEC-Pro (Bartl et al. 2020), which is made of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Annotated, ClassVar, Literal

from ..errors import DataError, UnknownNameError
from ..result import Skipped
from ..text import name_key
from .grammar import Word as Word
from .grammar import grammar_of
from .load import SourcedTable, checked_rows, find_table, loader, packaged_table
from .row_set import RowSet
from .schemas import Column, Schema
from .table_files import Row, packaged_languages
from .template import Filled as Filled
from .template import Template as Template
from .template import parse_template as parse_template
from .template import pieces_of
from .words import Profession, load_professions

_PACKAGED = "bias_templates"

_SETTINGS = {"tancelis": "seat-bleached", "lauscher": "bare", "vulic": "bare"}
"""Settings of papers that read another embedding of the sentences of a set that is here already."""


@dataclass(frozen=True, slots=True)
class Expansion:
    """The sentences made of many words, and what could not be made.

    Attributes:
        sentences: in the order of the words, and for each word of the templates.
        skipped: words that no template takes, or whose forms are not known.
    """

    sentences: tuple[Filled, ...]
    skipped: tuple[Skipped, ...] = ()


class TemplateSet(RowSet[Template]):
    """Templates in order, and the identity of what they were read from.

    Attributes:
        rows: the templates.
        provenance: ``source``, ``set``, ``language``, and ``sha256`` of the file or ``revision`` of the Hub
            data set.

    Examples:
        >>> templates = load_templates("bare")
        >>> templates[0].text, templates.provenance["source"], templates.provenance["language"]
        ('{target}', 'bias_templates', 'en')
    """

    kind: ClassVar = "template"

    def taking(self, word: str | Word, slot: str = "target") -> TemplateSet:
        """Return the templates whose slot is made for words of this word's kind.

        Examples:
            >>> len(load_templates("seat-bleached").taking("Amy"))
            8
        """
        return self.only(t for t in self.rows if t.takes(word, slot))

    def expand(self, words: Iterable[str | Word], slot: str = "target", **others: str | Word) -> Expansion:
        """Put every word into every template that takes it.

        Equal sentences are kept as often as they arise: the measure they serve counts sentences.

        Args:
            words: words for ``slot``.
            slot: the slot to vary.
            others: words for the other slots.

        Returns:
            The sentences, and the words that gave none with the reason.

        Raises:
            DataError: a template has not exactly these slots.

        Examples:
            >>> made = load_templates("seat-bleached").expand(["Amy", "flibber"])
            >>> made.sentences[0].text, len(made.sentences), made.skipped[0].item
            ('This is Amy.', 8, 'flibber')
        """
        sentences: list[Filled] = []
        skipped: list[Skipped] = []
        for template in self.rows:
            template.require(slot, *others)
        for word in words:
            text = word.text if isinstance(word, Word) else word
            taking = self.taking(word, slot)
            if not taking:
                skipped.append(Skipped(text, self._untaken(word, slot)))
            for template in taking:
                try:
                    sentences.append(template.fill(**{slot: word, **others}))
                except DataError as error:
                    skipped.append(Skipped(text, str(error), where=template.id))
        return Expansion(tuple(sentences), tuple(skipped))

    def _untaken(self, word: str | Word, slot: str) -> str:
        known = grammar_of(self.rows[0].language).word(word)
        kinds = ", ".join(dict.fromkeys(kind for t in self.rows for kind in t.kinds_of(slot)))
        if known.kind:
            return (
                f"no template of this set accepts a word of the kind {known.kind!r} (accepted kinds: {kinds})"
            )
        return f"its kind is not known: give Word({known.text!r}, kind=...), one of {kinds}"


@loader(Template)
def load_templates(
    set: str = "seat-bleached", language: str = "en", source: str | Path = "packaged"
) -> TemplateSet:
    """Load a set of templates.

    Args:
        set: name of the set, see :func:`template_sets`; capitals, hyphens and underscores do not matter.
            ``"tan-celis"`` stands for ``"seat-bleached"``, ``"lauscher"`` and ``"vulic"`` for ``"bare"``: these
            papers use the same text and read another embedding of it.
        language: language tag.
        source: ``"packaged"``: those of this library; a file (CSV, TSV, JSONL, JSON, Parquet) or a folder of
            such files with the columns of :class:`~evaluate_bias.data.template.Template`; or the id of
            a Hub data set with one configuration for each language.

    Raises:
        UnknownNameError: there is no such language, or no such set in it.
        BiasError: as :func:`~evaluate_bias.data.load_word_lists`.

    Examples:
        >>> [t.text for t in load_templates("bias-framework")]
        ['{target} {attribute}']
        >>> load_templates("bare", language="sw")
        Traceback (most recent call last):
        evaluate_bias.errors.UnknownNameError: unknown language 'sw'; did you mean 'es' or 'is'?
    """
    if source == "packaged":
        set = _SETTINGS.get(name_key(set), set)
        every = _packaged_templates(language.lower())
    else:
        every = _templates_of(find_table(source, language), language)
    chosen = tuple(t for t in every if name_key(t.set) == name_key(set))
    if not chosen:
        raise UnknownNameError("template set", set, {t.set for t in every}, option="set")
    return TemplateSet(chosen, {**every.provenance, "set": chosen[0].set})


def template_sets(language: str = "en") -> list[str]:
    """Return the names of the packaged sets in a language, in their order.

    Raises:
        UnknownNameError: there are no packaged templates in that language.

    Examples:
        >>> {"seat-bleached", "bare"} <= {*template_sets("en")}
        True
    """
    return list(dict.fromkeys(t.set for t in _packaged_templates(language.lower())))


@cache
def _packaged_templates(language: str) -> TemplateSet:
    """Every packaged template of a language."""
    return _templates_of(packaged_table(_PACKAGED, language), language)


def _templates_of(table: SourcedTable, language: str) -> TemplateSet:
    prepare = partial(_prepared, language)
    return TemplateSet(*checked_rows(Template, table, language, prepare=prepare, key=lambda row: row.id))


def _prepared(language: str, row: Row, position: int, where: str) -> Row:
    if isinstance(text := row.get("text"), str):
        try:
            pieces_of(text, str(row.get("language") or language))
        except DataError as error:
            raise DataError(f"{where}: {error}") from None
    return row


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

    The number in the id ``en-0000`` … is that of the row in the published file. The person is the word alone, without
    ``this`` or ``my``, and pairs are numbered from 0 among the words of a gender. ``person_start`` and the others are
    characters in the sentence, end exclusive.

    Attributes:
        sentence: the sentences
        person: the word for a person as it stands in each sentence
        gender: its gender, 'female' or 'male'
        profession: the profession as it stands in each sentence
        profession_gender: the group of the profession: 'female', 'male', or another such as 'balanced'
        template: the template of every sentence
        pair: which words for a person belong together
        profession_en: which forms of a profession belong together

    Examples:
        >>> row = load_bec_pro()[200]
        >>> row.sentence, row.sentence[row.person_start : row.person_end]
        ('This woman is a taper.', 'woman')
    """

    looks_at: ClassVar = "words for people next to professions"
    compared: ClassVar = ("gender", "profession_gender")
    within: ClassVar = ("profession_en",)
    crossed: ClassVar = ("template", "pair")

    id: str
    language: str
    sentence: str
    person: str
    gender: Literal["male", "female"]
    pair: Annotated[int, Column("text")]
    profession: str
    profession_en: str
    profession_gender: _Group
    template: str
    person_start: int
    person_end: int
    profession_start: int
    profession_end: int


@loader(BecProRow)
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
