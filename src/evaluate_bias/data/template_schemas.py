"""What a template must look like, as a row and as text with slots."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Annotated

from pydantic import AfterValidator

from ..errors import DataError
from .grammar import KINDS, grammar_of
from .schemas import LanguageTag, Schema

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
    slots = [piece.slot for piece in pieces if isinstance(piece, SlotForm)]
    _check(text, pieces, slots)
    numbers = {
        p.slot: "plural" if "plural" in p.form else "singular" for p in pieces if isinstance(p, SlotForm)
    }
    return tuple(_numbered(_with_articles(pieces, language), numbers))


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
        raise DataError(f"the template {text!r} has no slot; write one of {', '.join(SLOTS)} in braces")
    for slot in slots:
        if slots.count(slot) > 1:
            raise DataError(f"the template {text!r} has the slot {slot!r} twice")
    if any("{" in piece or "}" in piece for piece in pieces if isinstance(piece, str)):
        raise DataError(f"the template {text!r} has a brace that belongs to no slot")
    for piece in pieces:
        other = piece.agrees_with or piece.slot if isinstance(piece, SlotForm) else ""
        other = piece.slot if isinstance(piece, Agreeing) else other
        if other and other not in slots:
            raise DataError(f"the template {text!r} refers to the slot {other!r}, which it does not have")


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


def _numbered(pieces: list[Piece], numbers: Mapping[str, str]) -> list[Piece]:
    """Give what agrees with a slot the slot's number, and leave empty pieces out."""
    return [
        Agreeing(piece.slot, piece.name, numbers[piece.slot]) if isinstance(piece, Agreeing) else piece
        for piece in pieces
        if piece != ""
    ]


def _acceptance(text: str) -> str:
    slot, colon, kind = text.partition(":")
    if slot not in SLOTS or not colon or kind not in KINDS:
        raise ValueError(f"must be a slot and a kind of words such as 'target:noun', not {text!r}")
    return text


class TemplateRow(Schema):
    """One template as a row of a table.

    Attributes:
        id: name of the template, unique within a language.
        set: the set it belongs to.
        language: language tag.
        text: the text with slots, see :func:`pieces_of`.
        accepts: the kinds of words a slot is made for, ``"target:noun"``; a slot that is not named takes any.
        origin: ``"paper"``, ``"translated, not validated by native speakers"`` ….
        source: citation.
        notes: what was adapted, and known problems.
    """

    id: str
    set: str
    language: LanguageTag
    text: str
    accepts: tuple[Annotated[str, AfterValidator(_acceptance)], ...] = ()
    origin: str = "given by the caller"
    source: str = ""
    notes: str = ""
