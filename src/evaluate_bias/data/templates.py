"""Template sentences, with words in them, and BEC-Pro (Bartl et al. 2020), which is made of them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, ClassVar, Literal, NamedTuple

from pydantic import AfterValidator

from ..errors import DataError, InputError, UnknownNameError, expected_form
from ..result import Skipped
from ..text import name_key
from .grammar import KINDS, Word, grammar_of
from .load import SourcedTable, checked_rows, find_table, loader, packaged_table
from .row_set import RowSet
from .schemas import GIVEN, Column, LanguageTag, Schema, parse_row
from .table_files import Row, packaged_languages
from .words import Profession, load_professions

SLOTS = ("target", "attribute", "person", "profession", "mask")
"""The slots a template may have."""


class SlotPlace(NamedTuple):
    """Where a word appears in a template: the word of a slot, or an article or another word that agrees with it.

    Attributes:
        slot: the slot.
        form: the form of its word, empty for the word itself.
        agrees_with: another slot, with whose gender the form agrees.
        article: the name of a word that agrees with the slot, such as ``"a"``, empty for the word of the
            slot.
    """

    slot: str
    form: str = ""
    agrees_with: str = ""
    article: str = ""


_FIELD = re.compile(r"\{(?P<slot>[^{}.:]*)(?:\.(?P<name>[^{}:]*)|:(?P<form>[^{}]*))?\}")


@cache
def pieces_of(text: str, language: str) -> tuple[str | SlotPlace, ...]:
    """Take a template's text apart.

    ``{target}`` is the word as it is given, ``{target:plural}`` a form of it. ``{attribute:@target}`` is the form
    that agrees with the gender of another slot, ``{attribute:@target+plural}`` a form of that. ``{target.a}`` and
    ``{target.the}`` are the articles that agree with a slot. In English a plain ``a`` or ``an`` before a slot is
    the article that agrees with it.

    Args:
        text: the text.
        language: language tag, for the articles that may be written as plain text.

    Raises:
        DataError: the text has no slot, an unknown slot, a slot twice, or a brace that is never closed.

    Examples:
        >>> pieces_of("{target} is a nurse.", "en")
        (SlotPlace(slot='target', form='', agrees_with='', article=''), ' is a nurse.')
    """
    literals = grammar_of(language).literals
    plain_article = re.compile(rf"(?i)(?:^|(?<=\s))({'|'.join(literals)})(\s)$") if literals else None
    pieces: list[str | SlotPlace] = []
    end = 0
    for match in _FIELD.finditer(text):
        before, end = text[end : match.start()], match.end()
        slot, name, form = match["slot"], match["name"], match["form"] or ""
        if slot not in SLOTS:
            raise DataError(
                f"the template {text!r} has the unknown slot {slot!r}", hint=f"choose from {', '.join(SLOTS)}"
            )
        other, _, other_form = form[1:].partition("+") if form.startswith("@") else ("", "", form)
        place = SlotPlace(slot, article=name) if name is not None else SlotPlace(slot, other_form, other)
        if plain_article and not place.article and (literal := plain_article.search(before)):
            pieces += [
                before[: literal.start()],
                SlotPlace(slot, article=literals[literal[1].lower()]),
                literal[2],
            ]
        else:
            pieces.append(before)
        pieces.append(place)
    pieces.append(text[end:])
    places = [piece for piece in pieces if isinstance(piece, SlotPlace)]
    slots = [place.slot for place in places if not place.article]
    if not slots:
        raise DataError(
            f"the template {text!r} has no slot", hint=f"write one of {', '.join(SLOTS)} in braces"
        )
    if twice := [slot for slot in slots if slots.count(slot) > 1]:
        raise DataError(f"the template {text!r} has the slot {twice[0]!r} twice")
    if any("{" in piece or "}" in piece for piece in pieces if isinstance(piece, str)):
        raise DataError(f"the template {text!r} has a brace that belongs to no slot")
    others = [place.slot if place.article else place.agrees_with for place in places]
    if unknown := [slot for slot in others if slot and slot not in slots]:
        raise DataError(f"the template {text!r} refers to the slot {unknown[0]!r}, which it does not have")
    return tuple(piece for piece in pieces if piece != "")


def _acceptance(text: str) -> str:
    slot, colon, kind = text.partition(":")
    if slot not in SLOTS or not colon or kind not in KINDS:
        raise ValueError(f"must be a slot and a kind of words such as 'target:noun', got {text!r}")
    return text


@dataclass(frozen=True, slots=True)
class Filled:
    """A template with words in its slots.

    Attributes:
        text: the sentence.
        spans: for each slot, where its word appears in ``text`` (characters, end exclusive), without article.
        words: for each slot, the word as it was asked for.
        template: id of the template.

    Examples:
        >>> filled = parse_template("{target} is an {attribute}.").fill(target="she", attribute="nurse")
        >>> filled.text, filled.spans["attribute"], filled.surface("target")
        ('She is a nurse.', (9, 14), 'She')
    """

    text: str
    spans: Mapping[str, tuple[int, int]]
    words: Mapping[str, str]
    template: str = ""

    def surface(self, slot: str) -> str:
        """Return the word as it appears in the sentence.

        Raises:
            UnknownNameError: the template has no such slot.
        """
        if slot not in self.spans:
            raise UnknownNameError("slot", slot, self.spans)
        start, end = self.spans[slot]
        return self.text[start:end]

    def replace(self, replacements: Mapping[str, str]) -> Filled:
        """Replace the words of some slots with other text, such as mask tokens. All else stays.

        Args:
            replacements: by slot, the text to put there. Articles stay as the original word has them.

        Raises:
            UnknownNameError: the template has no such slot.

        Examples:
            >>> filled = parse_template("{target} is a {attribute}.").fill(target="he", attribute="engineer")
            >>> filled.replace({"target": "[MASK]", "attribute": "[MASK] [MASK]"}).text
            '[MASK] is an [MASK] [MASK].'
        """
        for slot in replacements:
            self.surface(slot)
        text, spans, end = "", dict[str, tuple[int, int]](), 0
        for slot, (start, stop) in sorted(self.spans.items(), key=lambda item: item[1]):
            text += self.text[end:start]
            new = replacements.get(slot, self.text[start:stop])
            spans[slot] = (len(text), len(text) + len(new))
            text += new
            end = stop
        return Filled(text + self.text[end:], MappingProxyType(spans), self.words, self.template)


class Template(Schema):
    """A sentence with slots, and a row of a table of templates.

    Attributes:
        id: name of the template, unique within a language
        set: name of the set, empty for a template of the caller
        language: language tag
        text: the text with slots, such as '{target} is a nurse.'
        accepts: the kinds of words that slots are made for, such as 'target:noun'. A slot that is not named accepts
            any word
        origin: 'paper', 'translated, not validated by native speakers' …
        source: citation
        notes: what was adapted, and known problems
    """

    id: str
    set: str
    language: LanguageTag
    text: str
    accepts: tuple[Annotated[str, AfterValidator(_acceptance)], ...] = ()
    origin: str = GIVEN
    source: str = ""
    notes: str = ""

    def kinds_of(self, slot: str) -> tuple[str, ...]:
        """Return the kinds of words that a slot is made for, none if it accepts any."""
        return tuple(kind for name, _, kind in (one.partition(":") for one in self.accepts) if name == slot)

    @property
    def slots(self) -> tuple[str, ...]:
        """The slots in their order.

        Examples:
            >>> parse_template("{target} is a {attribute}.").slots
            ('target', 'attribute')
        """
        return tuple(
            piece.slot
            for piece in pieces_of(self.text, self.language)
            if isinstance(piece, SlotPlace) and not piece.article
        )

    @property
    def is_sentence(self) -> bool:
        """True if the text ends as a sentence does, so that it begins with a capital."""
        return self.text.rstrip()[-1:] in (".", "!", "?")

    def require(self, *slots: str) -> None:
        """Refuse a template that lacks one of these slots.

        Raises:
            DataError: it does.
        """
        for slot in slots:
            if slot not in self.slots:
                raise DataError(
                    f"the template {self.text!r} has no slot {slot!r} (its slots are {', '.join(self.slots)})",
                    hint=f"write {{{slot}}} where the word belongs",
                )

    def takes(self, word: str | Word, slot: str = "target") -> bool:
        """Say whether ``slot`` is made for words of this word's kind. A slot without kinds accepts any word.

        Examples:
            >>> from evaluate_bias.data import load_templates
            >>> templates = load_templates("seat-bleached")
            >>> [t.text for t in templates if t.takes("happy")]
            ['This is {target}.', 'That is {target}.', 'They are {target}.']
        """
        kinds = self.kinds_of(slot)
        return not kinds or grammar_of(self.language).word(word).kind in kinds

    def fill(self, **words: str | Word) -> Filled:
        """Put words into the slots. Articles, plurals and capitals follow the rules of the language.

        Args:
            words: a word for each slot. A :class:`~evaluate_bias.data.grammar.Word` says what the library
                cannot know of a word: its gender, its plural. What is given for ``mask`` stays as it is, and is
                ignored when the template has no such slot.

        Raises:
            DataError: a slot has no word, a slot does not exist, or a form is needed that is not known.

        Examples:
            >>> from evaluate_bias.data import load_templates
            >>> load_templates("seat-bleached")["seat-person-13"].fill(target="woman").text
            'Women are people.'
            >>> parse_template("{person} is {mask}.").fill(person="Amy", mask="<mask>").spans["mask"]
            (7, 13)
        """
        slots, grammar = self.slots, grammar_of(self.language)
        if extra := [slot for slot in words if slot not in slots and slot != "mask"]:
            raise DataError(
                f"the template {self.text!r} has no slot {extra[0]!r}",
                hint=f"give words for its slots alone: {', '.join(slots)}",
            )
        if missing := [slot for slot in slots if slot not in words]:
            raise DataError(f"the template {self.text!r} needs a word for the slot {missing[0]!r}")
        slot_words = {
            slot: Word(str(words[slot])) if slot == "mask" else grammar.word(words[slot]) for slot in slots
        }
        pieces = pieces_of(self.text, self.language)
        agreed, numbers = dict(slot_words), {}
        for piece in pieces:
            if isinstance(piece, SlotPlace) and not piece.article:
                numbers[piece.slot] = "plural" if "plural" in piece.form else "singular"
                if piece.agrees_with:
                    agreed[piece.slot] = grammar.agreed(slot_words[piece.slot], slot_words[piece.agrees_with])
        parts: list[tuple[str, str]] = []
        following = ""
        for piece in reversed(pieces):  # an article depends on what appears behind it
            if isinstance(piece, str):
                part = ("", piece)
            elif piece.article:
                agreeing = grammar.agreeing(
                    piece.article, agreed[piece.slot], numbers[piece.slot], following.lstrip()
                )
                if agreeing.endswith(("'", "’")):  # elided: written together with the next word
                    following = following.lstrip()
                    parts[-1] = (parts[-1][0], parts[-1][1].lstrip())
                part = ("", agreeing)
            else:
                word = agreed[piece.slot]
                part = (piece.slot, grammar.form(word, piece.form) if piece.form else word.text)
            parts.append(part)
            following = part[1] + following
        text, spans = "", {}
        for slot, part_text in reversed(parts):
            if slot:
                spans[slot] = (len(text), len(text) + len(part_text))
            text += part_text
        if self.is_sentence and parts[-1][0] != "mask":
            capital = grammar.capitalised(text)
            text = capital if len(capital) == len(text) else text
        cited = {slot: word.text for slot, word in slot_words.items()}
        return Filled(text, MappingProxyType(spans), MappingProxyType(cited), self.id)


def parse_template(text: str, language: str = "en") -> Template:
    """Make a template of the caller's own text.

    Args:
        text: text with one or more of the slots ``{target}``, ``{attribute}``, ``{person}``,
            ``{profession}``, ``{mask}``, each once, see
            :func:`~evaluate_bias.data.templates.pieces_of` for forms and articles.
        language: language tag of the text.

    Raises:
        DataError: the text has no slot, an unknown slot, or a slot twice.

    Examples:
        >>> parse_template("{target} is a {attribute}.").fill(target="he", attribute="actor").text
        'He is an actor.'
        >>> parse_template("He is a nurse.")
        Traceback (most recent call last):
        evaluate_bias.errors.DataError: the template 'He is a nurse.' has no slot; write one of target, ...
    """
    if not isinstance(text, str):
        raise InputError(f"a template must be a string, got {type(text).__name__}")
    pieces_of(text, language)
    return parse_row(Template, {"id": text, "set": "", "language": language, "text": text}, "template")


_PACKAGED = "bias_templates"

_SETTINGS = {"tancelis": "seat-bleached", "lauscher": "bare", "vulic": "bare"}
"""Settings of papers that read another embedding of the sentences of a set that is here already."""


@dataclass(frozen=True, slots=True)
class Expansion:
    """The sentences made of many words, and what could not be made.

    Attributes:
        sentences: in the order of the words, and for each word in the order of the templates.
        skipped: words that fit no template, or whose forms are not known.
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
        set: name of the set, see :func:`template_sets`. Capitals, hyphens and underscores do not matter.
            ``"tan-celis"`` means ``"seat-bleached"``, and ``"lauscher"`` and ``"vulic"`` mean ``"bare"``: these papers
            use the same text and read another embedding of it.
        language: language tag.
        source: ``"packaged"``: the packaged ones. A file (CSV, TSV, JSONL, JSON, Parquet) or a folder of
            such files with the columns of :class:`~evaluate_bias.data.templates.Template`, or the id of
            a Hub data set with one configuration for each language.

    Raises:
        UnknownNameError: the language is unknown, or has no such set.
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
        UnknownNameError: the language has no packaged templates.

    Examples:
        >>> {"seat-bleached", "bare"} <= {*template_sets("en")}
        True
    """
    return list(dict.fromkeys(t.set for t in _packaged_templates(language.lower())))


@cache
def _packaged_templates(language: str) -> TemplateSet:
    """Return every packaged template of a language."""
    return _templates_of(packaged_table(_PACKAGED, language), language)


def _templates_of(table: SourcedTable, language: str) -> TemplateSet:
    def prepared(row: Row, position: int, where: str) -> Row:
        if isinstance(text := row.get("text"), str):
            with expected_form(where):
                pieces_of(text, str(row.get("language") or language))
        return row

    return TemplateSet(*checked_rows(Template, table, language, prepare=prepared, key=lambda row: row.id))


PUBLISHED = "published"
"""What :func:`load_bec_pro` calls the sentences of the paper's own files."""

_Group = Literal["male", "female", "balanced"]
_GROUPS: tuple[_Group, ...] = ("male", "female", "balanced")


class BecProRow(Schema):
    """One sentence of BEC-Pro.

    The number in the id ``en-0000`` … is the number of the row in the published file. The person is the word alone,
    without ``this`` or ``my``, and pairs are numbered from 0 among the words of a gender. ``person_start`` and the
    others are characters in the sentence, end exclusive.

    Attributes:
        sentence: the sentences
        person: the word for a person as it appears in each sentence
        gender: its gender, 'female' or 'male'
        profession: the profession as it appears in each sentence
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
            - ``"published"``: the paper's own files as they are, from the cache, obtained on first use.
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
    # A phrase for a person, such as "my sister", ends with the person word.
    persons = packaged_table("bec_pro", language).rows
    templates = load_templates("bec-pro", language)
    known = list(professions)
    number = 0
    for group in _GROUPS:
        members = [p for p in known if p.group == group]
        for template in templates:
            for place, person in enumerate(persons):
                pair = place % (len(persons) // 2)
                phrase, gender = person["phrase"], person["gender"]
                word = Word(phrase, kind="person", gender="f" if gender == "female" else "m")
                for member in members:
                    # What is known of its form for this gender, or else both its forms.
                    forms = {"m": member.masculine, "f": member.feminine}
                    profession = Word(forms[word.gender], kind="person", forms=forms)
                    filled = template.fill(person=word, profession=profession)
                    end = filled.spans["person"][1]
                    start = end - len(phrase.split()[-1])
                    yield BecProRow(
                        id=f"{language}-{number:04d}",
                        language=person["language"],
                        sentence=filled.text,
                        person=filled.text[start:end],
                        gender=gender,
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
