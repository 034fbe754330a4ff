"""From word lists to sentences and their vectors, for SEAT: which template takes which word, where it then stands."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ....data.templates import Template, TemplateSet
from ....data.word_lists import WordListTest
from ....errors import DataError, InputError, UnknownNameError, quoted
from ....models.base import ContextEmbedder
from ....models.pooling import Representation
from ....result import Skipped
from ....text import stable_order
from ...template_filling import named_templates, template_texts
from ...word_lists.distinct import DistinctWords
from ...word_lists.inputs import LISTS, Forms, Material, caveats, check_coverage

_OneSide = str | Sequence[str | Template]
Templates = _OneSide | Mapping[str, _OneSide]
"""A set's name, templates of one's own, ``"none"``, or one of these for ``"targets"`` and ``"attributes"`` each."""

PAPER = "seat"
"""The templates of May et al.: bleached ones, and the ones for the double binds of these tests."""

_BLEACHED = "seat-bleached"
_DOUBLE_BIND = "double-bind-attribute"
_OWN: Mapping[str, Mapping[str, str]] = {
    f"double-bind-{kind}": {"targets": f"double-bind-{kind}", "attributes": _DOUBLE_BIND}
    for kind in ("competent", "likable")
}
"""Tests that the paper puts into templates of their own."""

_SLOTS = {"targets": ("target",), "attributes": ("attribute", "target")}


_WORD = re.compile(r"[^\W_]+")
Place = tuple[str, tuple[int, int]]
"""A text, and the position of the word in it."""


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
    if templates != "none" and (
        sentence := next((x for x in test.targets_x if x.endswith(".") and " " in x), None)
    ):
        raise InputError(
            f"{test.name}: {quoted(sentence)} is a sentence, which does not fit into templates",
            option="templates",
            hint="set `templates` to 'none'",
        )
    sides = {side: _read(option, language, side) for side, option in _sides(templates, test.name).items()}
    return {
        name: _stimuli(getattr(test, name), forms[name], f"{test.name}/{name}", sides[name.partition("_")[0]])
        for name in LISTS
    }


def shown_templates(templates: Templates) -> Any:
    """Return the option as it can stand in a result's settings."""
    if isinstance(templates, Mapping):
        return {side: template_texts(option) for side, option in templates.items()}
    return template_texts(templates)


def _sides(templates: Templates, test: str) -> Mapping[str, _OneSide]:
    if templates == PAPER:
        return _OWN.get(test, dict.fromkeys(_SLOTS, _BLEACHED))
    if not isinstance(templates, Mapping):
        return dict.fromkeys(_SLOTS, templates)
    if set(templates) != set(_SLOTS):
        raise InputError(
            "`templates` by side must have the keys 'targets' and 'attributes', got "
            f"{', '.join(map(repr, templates))}",
            option="templates",
        )
    return templates


def _read(option: _OneSide, language: str, side: str) -> tuple[TemplateSet, str] | None:
    """The templates of one side and their slot; ``None`` where words stand alone."""
    if option == "none":
        return None
    try:
        chosen = TemplateSet(tuple(named_templates(option, language)))
    except UnknownNameError as error:
        raise UnknownNameError(
            error.kind, option, [*error.known, PAPER, "none"], option="templates"
        ) from None
    slots = {t.slots for t in chosen}
    if slot := next((s for s in _SLOTS[side] if slots == {(s,)}), ""):
        return chosen, slot
    wrong = next((t for t in chosen if len(t.slots) != 1 or t.slots[0] not in _SLOTS[side]), chosen[0])
    raise DataError(
        f"the template {wrong.text!r} cannot contain the {side} of seat: it needs the one slot "
        f"{' or '.join('{' + s + '}' for s in _SLOTS[side])}, the same in all templates"
    )


def _stimuli(
    items: Sequence[str], forms: Mapping[str, str], where: str, side: tuple[TemplateSet, str] | None
) -> ListStimuli:
    # Called by the least of their spellings: the same in any order of the list.
    called = {forms[word]: word for word in sorted(set(items), reverse=True)}
    words = tuple(dict.fromkeys(called[forms[word]] for word in items))
    number = {word: words.index(called[forms[word]]) for word in items}
    sentences: list[StimulusSentence] = []
    skipped: list[Skipped] = []
    for word in items:
        if side is None:
            sentences.append(StimulusSentence(word, (0, len(word)), number[word]))
            continue
        if " " in word and word.endswith((".", "!", "?")):
            raise InputError(
                f"{where}: {word!r} is a sentence already",
                option="templates",
                hint="set `templates` to 'none'",
            )
        templates, slot = side
        made = templates.expand([word], slot)
        sentences += [StimulusSentence(s.text, s.spans[slot], number[word]) for s in made.sentences]
        for s in made.skipped:
            reason = f"template {s.where}: {s.reason}" if s.where else s.reason
            skipped.append(Skipped(word, reason, where))
    return ListStimuli(words, tuple(sentences), tuple(dict.fromkeys(skipped)))


def embed(
    model: ContextEmbedder, stimuli: Sequence[Mapping[str, ListStimuli]], representation: Representation
) -> dict[Place, Any]:
    """Embed every distinct text and place once, shape (dimension,); a skip where the model cannot."""
    places = list(
        dict.fromkeys((s.text, s.span) for test in stimuli for one in test.values() for s in one.sentences)
    )
    # A ready sentence has no word to look for unless the representation asks for one, which then is all of it.
    spans = [
        span if representation.needs_span or " " not in text or span != (0, len(text)) else None
        for text, span in places
    ]
    vectors = model.embed_in_context([text for text, _ in places], spans, [representation]) if places else []
    return {
        place: vector if isinstance(vector, Skipped) else vector[0]
        for place, vector in zip(places, vectors, strict=True)
    }


def words_without_vector(model: Any, places: Iterable[Place]) -> list[str]:
    """Words of the templates that word vectors do not have, which the mean of a sentence leaves out."""
    if not hasattr(model, "embed_words"):
        return []
    rest = " ".join(dict.fromkeys(f"{text[:start]} {text[end:]}" for text, (start, end) in places))
    words = list(dict.fromkeys(_WORD.findall(rest)))
    _, missing = model.embed_words(words) if words else (None, [])
    return [words[i] for i in missing]


@dataclass(frozen=True, slots=True, kw_only=True)
class SentenceMaterial(Material):
    """A test by the sentences on its words.

    Attributes:
        vectors: of the sentences of each list, shape (sentences, dimension).
        owners: for each list, the number of the word each sentence belongs to, shape (sentences,).
    """

    warnings: list[str]
    vectors: Sequence[NDArray[np.float64]]
    owners: Sequence[NDArray[np.intp]]


def prepare(
    model: str,
    test: WordListTest,
    distinct: DistinctWords,
    stimuli: Mapping[str, ListStimuli],
    vectors: Mapping[Place, Any],
    max_missing: float,
) -> SentenceMaterial:
    """Gather the vectors of a test; refuses a list that loses too many of its words."""
    words: dict[str, tuple[str, ...]] = {}
    forms, left_out, warnings = distinct.forms, [*distinct.skipped], [*distinct.warnings]
    of_lists, owners = [], []
    for name in LISTS:
        where, one = f"{test.name}/{name}", stimuli[name]
        embedded_sentences: list[StimulusSentence] = []
        skipped: list[Skipped] = []
        for sentence in one.sentences:
            vector = vectors[sentence.text, sentence.span]
            if isinstance(vector, Skipped):
                reason = f"{sentence.text!r}: {vector.reason}"
                skipped.append(Skipped(one.words[sentence.word], reason, where))
            elif not vector.any():
                raise InputError(
                    f"{where}: the embedding of {sentence.text!r} is zero, so its cosine is undefined"
                )
            else:
                embedded_sentences.append(sentence)
        left_out += [*one.skipped, *skipped]
        having = {s.word for s in embedded_sentences}
        embedded_words = [i for i in stable_order(one.words) if i in having]
        lost = [word for i, word in enumerate(one.words) if i not in having]
        reason = next((s.reason for s in (*one.skipped, *skipped) if s.item in lost), "")
        advice = "use words the model knows, or another model"
        if any(s.item in lost for s in one.skipped):  # the templates are what did not take a word
            advice = "use `templates` that fit any word, such as ['This is {target}.'], or 'none'"
        check_coverage(
            where,
            lost,
            len(one.words),
            max_missing,
            missing=f"give no sentence that {model} can embed",
            advice=f"the first because {reason}; {advice}",
        )
        number = {word: i for i, word in enumerate(embedded_words)}
        embedded_sentences.sort(key=lambda s: number[s.word])
        words[name] = tuple(one.words[i] for i in embedded_words)
        of_lists.append(np.stack([vectors[s.text, s.span] for s in embedded_sentences]).astype(np.float64))
        owners.append(np.array([number[s.word] for s in embedded_sentences], dtype=np.intp))
        for word in one.words:
            alike = [w for w in getattr(test, name) if forms[name][w] == forms[name][word]]
            spelt = ", ".join(map(repr, sorted(set(alike))))
            if len(alike) > 1:
                warnings.append(f"{where}: {spelt} is given {len(alike)} times and counts as often")
    found_forms = {name: {w: forms[name][w] for w in items} for name, items in words.items()}
    return SentenceMaterial(
        test=test,
        words=words,
        list_sizes=distinct.requested({name: len(stimuli[name].words) for name in LISTS}),
        skipped=left_out,
        warnings=[*warnings, *caveats(test.name, found_forms, words)],
        vectors=of_lists,
        owners=owners,
    )
