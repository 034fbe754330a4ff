"""One template: a sentence with slots, as text and as a row of a table, and the sentence with words in them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType
from typing import Annotated

from pydantic import AfterValidator

from ..errors import DataError, InputError, UnknownNameError
from .grammar import KINDS, Word, grammar_of
from .schemas import GIVEN, LanguageTag, Schema, parse_row

SLOTS = ("target", "attribute", "person", "profession", "mask")
"""The slots a template may have."""


@dataclass(frozen=True, slots=True)
class SlotForm:
    """A slot: the word itself, in one of its forms, or in the form that agrees with another slot."""

    slot: str
    form: str = ""
    agrees_with: str = ""


@dataclass(frozen=True, slots=True)
class Agreeing:
    """An article or another word that agrees with a slot."""

    slot: str
    name: str
    number: str


Piece = str | SlotForm | Agreeing

_FIELD = re.compile(r"\{(?P<slot>[^{}.:]*)(?:\.(?P<name>[^{}:]*)|:(?P<form>[^{}]*))?\}")


@cache
def pieces_of(text: str, language: str) -> tuple[Piece, ...]:
    """Take a template's text apart.

    ``{target}`` is the word as it is given, ``{target:plural}`` a form of it. ``{attribute:@target}`` is the form
    that agrees with the gender of another slot, ``{attribute:@target+plural}`` a form of that. ``{target.a}`` and
    ``{target.the}`` are the articles that agree with a slot. In English a plain ``a`` or ``an`` before a slot is
    the article that agrees with it.

    Args:
        text: the text.
        language: language tag, for the articles that may be written as plain text.

    Raises:
        DataError: there is no slot, one that does not exist, one twice, or a brace that is never closed.

    Examples:
        >>> pieces_of("{target} is a nurse.", "en")
        (SlotForm(slot='target', form='', agrees_with=''), ' is a nurse.')
    """
    pieces: list[Piece] = []
    end = 0
    for match in _FIELD.finditer(text):
        pieces.append(text[end : match.start()])
        pieces.append(_field(match, text))
        end = match.end()
    pieces.append(text[end:])
    forms = [piece for piece in pieces if isinstance(piece, SlotForm)]
    _check(text, pieces, [form.slot for form in forms])
    numbers = {form.slot: "plural" if "plural" in form.form else "singular" for form in forms}
    return tuple(
        Agreeing(piece.slot, piece.name, numbers[piece.slot]) if isinstance(piece, Agreeing) else piece
        for piece in _with_articles(pieces, language)
        if piece != ""
    )


def _field(match: re.Match[str], text: str) -> Piece:
    slot, name, form = match["slot"], match["name"], match["form"]
    if slot not in SLOTS:
        raise DataError(f"the template {text!r} has a slot {slot!r}; slots are {', '.join(SLOTS)}")
    if name is not None:
        return Agreeing(slot, name, "")
    if form is not None and form.startswith("@"):
        other, _, form = form[1:].partition("+")
        return SlotForm(slot, form, agrees_with=other)
    return SlotForm(slot, form or "")


def _check(text: str, pieces: list[Piece], slots: list[str]) -> None:
    if not slots:
        raise DataError(
            f"the template {text!r} has no slot", hint=f"write one of {', '.join(SLOTS)} in braces"
        )
    if twice := [slot for slot in slots if slots.count(slot) > 1]:
        raise DataError(f"the template {text!r} has the slot {twice[0]!r} twice")
    if any("{" in piece or "}" in piece for piece in pieces if isinstance(piece, str)):
        raise DataError(f"the template {text!r} has a brace that belongs to no slot")
    others = [p.agrees_with if isinstance(p, SlotForm) else p.slot for p in pieces if not isinstance(p, str)]
    if unknown := [slot for slot in others if slot and slot not in slots]:
        raise DataError(f"the template {text!r} refers to the slot {unknown[0]!r}, which it does not have")


def _with_articles(pieces: list[Piece], language: str) -> list[Piece]:
    """Turn a plain article that stands before a slot into one that agrees with it."""
    literals = grammar_of(language).literals
    if not literals:
        return pieces
    article = re.compile(rf"(?i)(?:^|(?<=\s))({'|'.join(literals)})(\s)$")
    out: list[Piece] = []
    for piece, following in zip(pieces, [*pieces[1:], ""], strict=True):
        match = article.search(piece) if isinstance(piece, str) else None
        if isinstance(piece, str) and match and isinstance(following, SlotForm):
            out += [
                piece[: match.start()],
                Agreeing(following.slot, literals[match[1].lower()], ""),
                match[2],
            ]
        else:
            out.append(piece)
    return out


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
        spans: for each slot, where its word stands in ``text`` (characters, end exclusive), without article.
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
        """Return the word as it stands in the sentence.

        Raises:
            UnknownNameError: the template has no such slot.
        """
        if slot not in self.spans:
            raise UnknownNameError("slot", slot, self.spans)
        start, end = self.spans[slot]
        return self.text[start:end]

    def replace(self, replacements: Mapping[str, str]) -> Filled:
        """Put other text, such as mask tokens, where the words of some slots stand; all else stays.

        Args:
            replacements: by slot, the text to put there. Articles stay those of the original word.

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
        accepts: the kinds of words that slots are made for, such as 'target:noun'; a slot that is not named takes any
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
        """Return the kinds of words that a slot is made for; none where it takes any."""
        return tuple(kind for name, _, kind in (one.partition(":") for one in self.accepts) if name == slot)

    @property
    def slots(self) -> tuple[str, ...]:
        """The slots in their order.

        Examples:
            >>> parse_template("{target} is a {attribute}.").slots
            ('target', 'attribute')
        """
        return tuple(p.slot for p in pieces_of(self.text, self.language) if isinstance(p, SlotForm))

    @property
    def is_sentence(self) -> bool:
        """Whether the text ends as a sentence does, so that it begins with a capital."""
        return self.text.rstrip()[-1:] in (".", "!", "?")

    def require(self, *slots: str) -> None:
        """Refuse a template that lacks one of these slots.

        Raises:
            DataError: it does.
        """
        for slot in slots:
            if slot not in self.slots:
                raise DataError(
                    f"the template {self.text!r} has no slot {slot!r}; it has {', '.join(self.slots)}"
                )

    def takes(self, word: str | Word, slot: str = "target") -> bool:
        """Say whether ``slot`` is made for words of this word's kind; a slot without kinds takes any word.

        Examples:
            >>> from evaluate_bias.data import load_templates
            >>> templates = load_templates("seat-bleached")
            >>> [t.text for t in templates if t.takes("happy")]
            ['This is {target}.', 'That is {target}.', 'They are {target}.']
        """
        kinds = self.kinds_of(slot)
        return not kinds or grammar_of(self.language).word(word).kind in kinds

    def fill(self, **words: str | Word) -> Filled:
        """Put words into the slots; articles, plurals and capitals follow the rules of the language.

        Args:
            words: a word for each slot. A :class:`~evaluate_bias.data.grammar.Word` says what the library
                cannot know of a word: its gender, its plural. What is given for ``mask`` stays as it is, and is
                ignored when the template has no such slot.

        Raises:
            DataError: a slot has no word, there is no such slot, or a form is needed that is not known.

        Examples:
            >>> from evaluate_bias.data import load_templates
            >>> load_templates("seat-bleached")["seat-person-13"].fill(target="woman").text
            'Women are people.'
            >>> parse_template("{person} is {mask}.").fill(person="Amy", mask="<mask>").spans["mask"]
            (7, 13)
        """
        pieces = pieces_of(self.text, self.language)
        grammar = grammar_of(self.language)
        slot_words = self._checked(words)
        agreed = dict(slot_words)
        for piece in pieces:
            if isinstance(piece, SlotForm) and piece.agrees_with:
                agreed[piece.slot] = grammar.agreed(slot_words[piece.slot], slot_words[piece.agrees_with])
        parts: list[tuple[str, str]] = []
        following = ""
        for piece in reversed(pieces):  # an article depends on what stands behind it
            slot = ""
            if isinstance(piece, SlotForm):
                slot, word = piece.slot, agreed[piece.slot]
                text = grammar.form(word, piece.form) if piece.form else word.text
            elif isinstance(piece, Agreeing):
                text = grammar.agreeing(piece.name, agreed[piece.slot], piece.number, following.lstrip())
                if text.endswith(("'", "’")):  # elided: written together with the next word
                    following = following.lstrip()
                    parts[-1] = (parts[-1][0], parts[-1][1].lstrip())
            else:
                text = piece
            parts.append((slot, text))
            following = text + following
        return self._joined(parts[::-1], slot_words)

    def _checked(self, words: Mapping[str, str | Word]) -> dict[str, Word]:
        extra = [slot for slot in words if slot not in self.slots and slot != "mask"]
        if extra:
            raise DataError(
                f"the template {self.text!r} has no slot {extra[0]!r}; it has {', '.join(self.slots)}"
            )
        missing = [slot for slot in self.slots if slot not in words]
        if missing:
            raise DataError(f"the template {self.text!r} needs a word for the slot {missing[0]!r}")
        grammar = grammar_of(self.language)
        return {
            slot: Word(str(words[slot])) if slot == "mask" else grammar.word(words[slot])
            for slot in self.slots
        }

    def _joined(self, parts: Sequence[tuple[str, str]], slot_words: Mapping[str, Word]) -> Filled:
        text = ""
        spans: dict[str, tuple[int, int]] = {}
        for slot, part in parts:
            if slot:
                spans[slot] = (len(text), len(text) + len(part))
            text += part
        first = parts[0][0]
        if self.is_sentence and first != "mask":
            capital = grammar_of(self.language).capitalised(text)
            if len(capital) == len(text):
                text = capital
        words = {slot: word.text for slot, word in slot_words.items()}
        return Filled(text, MappingProxyType(spans), MappingProxyType(words), self.id)


def parse_template(text: str, language: str = "en") -> Template:
    """Make a template of the caller's own text.

    Args:
        text: text with one or more of the slots ``{target}``, ``{attribute}``, ``{person}``,
            ``{profession}``, ``{mask}``, each once; see
            :func:`~evaluate_bias.data.template.pieces_of` for forms and articles.
        language: language tag of the text.

    Raises:
        DataError: there is no slot, one that does not exist, or one twice.

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
