"""The sentences of a model card's bias section, in every language in which cards are written.

General sentences and those about data sets stand in ``locales/<language>.yaml``, those about a method in
``texts/<language>.yaml`` of the method's folder. Each translation stands beside the English that it translates, and
counts only as long as that is the English of today; what has none is shown in English and marked as that. Sentences
are written so that numbers and names fill them without grammar: "(2 of 4): weat6, weat7". They never call a model free
of what was measured, and they never take a missing detection for absence.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

from ...data.dataset_record import DatasetRecord
from ...data.recipes import dataset_records
from ...errors import UnknownNameError
from ...method import PValue
from ...registry import METHODS
from .markup import numbers

__all__ = [
    "LANGUAGES",
    "CardText",
    "DataText",
    "MethodText",
    "card_text",
    "data_text",
    "method_sentences",
    "method_text",
    "method_translations",
    "stale_translations",
]

LANGUAGES = ("de", "en", "es", "fr", "it")
"""Languages in which a card can be written."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MethodText:
    """What a method measures and what its number does not say, in one language.

    The fields are those of :class:`~evaluate_bias.registry.MethodRecord`; ``secondary`` has title and meaning of every
    secondary value.
    """

    summary: str
    score_name: str
    interpretation: str
    above: str
    below: str
    caveats: tuple[str, ...]
    aggregation: str
    p_value: PValue | None
    secondary: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class DataText:
    """What a data set is called and what to know about it, in one language; see :class:`DatasetRecord`."""

    title: str
    caveats: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class CardText:
    """All general sentences in one language, each as an attribute; braces name what is filled in.

    Attributes:
        language: its code.
        sentences: the sentences by name.
        lists: those that are several: ``advice``, ``list_names``.
        scorings: what each way to score a sentence computes.
        looks_at: what methods on each kind of data look at, in a few words.
        data_sentences: translations of the sentences about data sets, by their English.
    """

    language: str
    sentences: Mapping[str, str]
    lists: Mapping[str, tuple[str, ...]]
    scorings: Mapping[str, str]
    looks_at: Mapping[str, str]
    data_sentences: Mapping[str, str]

    def __getattr__(self, name: str) -> str:
        try:
            return self.sentences[name]
        except KeyError:
            raise AttributeError(f"there is no sentence {name!r}") from None

    @property
    def advice(self) -> tuple[str, ...]:
        """What to do, one sentence each."""
        return self.lists["advice"]

    @property
    def list_names(self) -> tuple[str, ...]:
        """What the four word lists of a test are called when nobody has named them."""
        return self.lists["list_names"]

    def marked(self, english: str) -> str:
        """An English sentence, marked as that."""
        return english if self.language == "en" or not english else self.english_only.format(text=english)

    def number(self, cell: str) -> str:
        """Write the numbers of a cell as this language does."""
        return numbers(cell, self.decimal)


def card_text(language: str) -> CardText:
    """Return the general sentences of a language.

    Args:
        language: a code of :data:`LANGUAGES`; a region such as in ``"de-CH"`` is ignored.

    Raises:
        UnknownNameError: cards are not written in that language.

    Examples:
        >>> card_text("de-CH").settings
        'Einstellungen'
    """
    code = language.replace("_", "-").partition("-")[0].lower()
    if code not in LANGUAGES:
        raise UnknownNameError("card language", language, LANGUAGES)
    return _card_text(code)


@functools.cache
def _card_text(code: str) -> CardText:
    english = _locale("en")
    given = english if code == "en" else _locale(code)
    own = given if code == "en" else _translated(english, given)
    sentences = {k: v for k, v in own["sentences"].items() if isinstance(v, str)}
    lists = {k: tuple(v) for k, v in own["sentences"].items() if not isinstance(v, str)}
    pairs = [pair for pairs in given.get("data", {}).values() for pair in pairs]
    return CardText(
        language=code,
        sentences=sentences,
        lists=lists,
        scorings=own["scorings"],
        looks_at=own["looks_at"],
        data_sentences={pair["en"]: pair["text"] for pair in pairs},
    )


def _translated(english: Mapping[str, Any], given: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """Every English sentence in the other language, or marked where there is none of the English of today."""
    mark = given["sentences"]["english_only"]["text"]

    def own(original: Any, translation: Any) -> Any:
        if isinstance(original, list):
            pairs = translation or [None] * len(original)
            return [own(o, t) for o, t in zip(original, pairs, strict=True)]
        current = translation is not None and translation["en"] == original
        return translation["text"] if current else mark.format(text=original)

    return {
        part: {k: own(v, given.get(part, {}).get(k)) for k, v in english[part].items()}
        for part in ("sentences", "scorings", "looks_at")
    }


@functools.cache
def _locale(code: str) -> Mapping[str, Any]:
    loaded: Mapping[str, Any] = _yaml(files(__package__) / "locales" / f"{code}.yaml")
    return loaded


def _yaml(path: Any) -> Any:
    import yaml

    return yaml.load(path.read_text(encoding="utf-8"), Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))


@functools.cache
def method_translations(name: str, language: str) -> Mapping[str, str]:
    """Return the translations of a method's sentences, by their English; empty where there are none."""
    path = files(METHODS[name].package) / "texts" / f"{language}.yaml"
    return {pair["en"]: pair["text"] for pair in _yaml(path)} if path.is_file() else {}


def method_text(text: CardText, name: str) -> MethodText | None:
    """Return a method's sentences in the language of ``text``, those without a translation in English and marked.

    ``None`` for a method that is not registered.
    """
    record = METHODS.get(name)
    if record is None:
        return None
    known = method_translations(name, text.language)

    def own(sentence: str) -> str:
        return known.get(sentence) or text.marked(sentence)

    def own_p(p: PValue | None) -> PValue | None:
        if p is None:
            return None
        return PValue(meaning=own(p.meaning), small=own(p.small), large=own(p.large), parts=own_p(p.parts))

    return MethodText(
        summary=own(record.summary),
        score_name=known.get(record.score_name, record.score_name),
        interpretation=own(record.interpretation),
        above=own(record.above),
        below=own(record.below),
        caveats=tuple(own(c) for c in record.caveats),
        aggregation=own(record.aggregation),
        p_value=own_p(record.p_value),
        secondary=tuple((known.get(s.title, s.title), own(s.meaning)) for s in record.secondary),
    )


def data_text(text: CardText, note: DatasetRecord) -> DataText:
    """Return the sentences about a data set in the language of ``text``, else in English and marked as that."""
    return DataText(
        title=text.data_sentences.get(note.title, note.title),
        caveats=tuple(text.data_sentences.get(c) or text.marked(c) for c in note.caveats),
    )


def method_sentences(name: str) -> list[str]:
    """Return every English sentence of a method's record that a card can show."""
    record = METHODS[name]
    p = record.p_value
    parts = [q for q in (p, p and p.parts) if q is not None]
    found = [record.summary, record.score_name, record.interpretation, record.above, record.below]
    found += [*record.caveats, record.aggregation]
    found += [sentence for q in parts for sentence in (q.meaning, q.small, q.large)]
    found += [sentence for s in record.secondary for sentence in (s.title, s.meaning)]
    return [sentence for sentence in dict.fromkeys(found) if sentence]


def stale_translations(language: str) -> list[str]:
    """Return where a translation is of an English text that is no longer there, one place each."""
    english, given = _locale("en"), _locale(language)
    stale = [
        f"{part}.{key}"
        for part in ("sentences", "scorings", "looks_at")
        for key, value in given.get(part, {}).items()
        if _originals(value) != _originals(english[part].get(key), text=None)
    ]
    now = {sentence for note in dataset_records() for sentence in (note.title, *note.caveats)}
    stale += [f"data: {sentence}" for sentence in _card_text(language).data_sentences if sentence not in now]
    for name in METHODS:
        present = set(method_sentences(name))
        stale += [f"{name}: {s}" for s in method_translations(name, language) if s not in present]
    return stale


def _originals(value: Any, text: str | None = "en") -> list[Any]:
    values: Iterable[Any] = value if isinstance(value, list) else [value]
    return [v if text is None else v[text] for v in values]
