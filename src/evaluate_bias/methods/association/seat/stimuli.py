"""From word lists to sentences, for SEAT: which template takes which word, and where the word then stands."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ....errors import DataError, InputError, UnknownNameError
from ....result import Skipped
from ...word_lists.inputs import LISTS, Forms

if TYPE_CHECKING:
    from ....data.schemas import WordListTest
    from ....data.templates import Template, TemplateSet


_OneSide = str | Sequence["str | Template"]
Templates = _OneSide | Mapping[str, _OneSide]
"""A set's name, templates of one's own, ``"none"``, or one of these for ``"targets"`` and ``"attributes"`` each."""

PAPER = "seat"
"""The templates of May et al.: bleached ones, and those of the double binds for these tests."""

_BLEACHED = "seat-bleached"
_DOUBLE_BIND = "double-bind-attribute"
_OWN: Mapping[str, Mapping[str, str]] = {
    f"double-bind-{kind}": {"targets": f"double-bind-{kind}", "attributes": _DOUBLE_BIND}
    for kind in ("competent", "likable")
}
"""Tests that the paper puts into templates of their own."""

_SLOTS = {"targets": ("target",), "attributes": ("attribute", "target")}


@dataclass(frozen=True, slots=True)
class StimulusSentence:
    """A text to embed, the characters where the word stands, and the number of that word."""

    text: str
    span: tuple[int, int]
    word: int


@dataclass(frozen=True, slots=True)
class ListStimuli:
    """The words of a list that the model tells apart, their sentences (equal ones as often as they arise), and what
    gave none."""

    words: tuple[str, ...]
    sentences: tuple[StimulusSentence, ...]
    skipped: tuple[Skipped, ...]


def stimuli_of(test: WordListTest, forms: Forms, templates: Templates) -> dict[str, ListStimuli]:
    """Put the words of each of a test's lists into templates; a test that names no language is taken as English.

    Words of one form are the same word, and have the sentences of all.
    """
    language = "en" if test.language == "und" else test.language
    read = {side: _read(option, language, side) for side, option in _sides(templates, test.name).items()}
    return {
        name: _stimuli(getattr(test, name), forms[name], f"{test.name}/{name}", read[name.partition("_")[0]])
        for name in LISTS
    }


def shown_templates(templates: Templates) -> Any:
    """Return the option as it can stand in a result's settings."""
    if isinstance(templates, Mapping):
        return {side: shown_templates(option) for side, option in templates.items()}
    return templates if isinstance(templates, str) else [getattr(t, "text", t) for t in templates]


def _sides(templates: Templates, test: str) -> Mapping[str, _OneSide]:
    if isinstance(templates, Mapping):
        if set(templates) != set(_SLOTS):
            raise InputError(
                f"templates by side need the keys 'targets' and 'attributes', not {', '.join(map(repr, templates))}"
            )
        return templates
    if templates == PAPER:
        return _OWN.get(test, dict.fromkeys(_SLOTS, _BLEACHED))
    return dict.fromkeys(_SLOTS, templates)


def _read(option: _OneSide, language: str, side: str) -> tuple[TemplateSet, str] | None:
    """The templates of one side and their slot; ``None`` where words stand alone."""
    from ....data.templates import Template, TemplateSet, load_templates, parse_template

    if isinstance(option, str):
        if option == "none":
            return None
        try:
            chosen = load_templates(option, language)
        except UnknownNameError as error:
            if error.kind == "language":
                raise
            raise UnknownNameError(error.kind, option, [*error.known, PAPER, "none"]) from None
    elif isinstance(option, Sequence):
        chosen = TemplateSet(
            tuple(t if isinstance(t, Template) else parse_template(t, language) for t in option)
        )
    else:
        raise InputError(
            f"templates must be the name of a set, a list of templates or 'none', not {option!r}"
        )
    if not chosen:
        raise InputError("templates is empty: give the name of a set, at least one template, or 'none'")
    allowed = _SLOTS[side]
    slots = {t.slots for t in chosen}
    slot = next((s for s in allowed if slots == {(s,)}), None)
    if slot is None:
        wrong = next((t for t in chosen if len(t.slots) != 1 or t.slots[0] not in allowed), chosen[0])
        raise DataError(
            f"the template {wrong.text!r} cannot hold the {side} of seat: it needs the one slot "
            f"{' or '.join('{' + s + '}' for s in allowed)}, the same in all templates"
        )
    return chosen, slot


def _stimuli(
    given: Sequence[str], forms: Mapping[str, str], where: str, read: tuple[TemplateSet, str] | None
) -> ListStimuli:
    # Called by the least of their spellings: the same in any order of the list.
    called = {forms[word]: word for word in sorted(set(given), reverse=True)}
    words = tuple(dict.fromkeys(called[forms[word]] for word in given))
    place = {word: i for i, word in enumerate(words)}
    number = {word: place[called[forms[word]]] for word in given}
    sentences: list[StimulusSentence] = []
    skipped: list[Skipped] = []
    for word in given:
        if read is None:
            sentences.append(StimulusSentence(word, (0, len(word)), number[word]))
            continue
        if _is_sentence(word):
            raise InputError(
                f"{where}: {word!r} is a sentence already; ready sentences need templates='none'"
            )
        templates, slot = read
        made = templates.expand([word], slot)
        sentences += [StimulusSentence(s.text, s.spans[slot], number[word]) for s in made.sentences]
        skipped += [Skipped(word, _reason(s), where) for s in made.skipped]
    return ListStimuli(words, tuple(sentences), tuple(dict.fromkeys(skipped)))


def _is_sentence(item: str) -> bool:
    return " " in item and item.endswith((".", "!", "?"))


def _reason(skip: Skipped) -> str:
    return f"template {skip.where}: {skip.reason}" if skip.where else skip.reason
