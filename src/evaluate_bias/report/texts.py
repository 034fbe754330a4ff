"""The sentences of a model card's bias section, in every language in which cards are written.

The English of general sentences stands in ``locales/en.yaml``, that about methods, kinds of data and data sets where
these are described. Translations are pairs of an English sentence and its own: in ``locales/<language>.yaml``, and for
a method in ``texts/<language>.yaml`` of its folder, or, of a sentence that several methods have, of the folder
``methods``. What has none for the English of today is shown in English and marked as that.
Sentences are written so that numbers and names fill them without grammar: "(2 of 4): weat6, weat7".
They never call a model free of what was measured, and they never take a missing detection for absence.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from importlib.resources import files
from typing import Any

from ..data.dataset_record import DatasetRecord
from ..errors import UnknownNameError
from ..method import MethodRecord, PValue
from ..registry import METHODS
from .numbers import localised

LANGUAGES = tuple(sorted(path.name[:-5] for path in (files(__package__) / "locales").iterdir()))
"""Languages in which a card can be written: those of the files ``locales/<language>.yaml``."""


_Translate = Callable[[str], str]


@dataclass(frozen=True, slots=True, kw_only=True)
class CardText:
    """All general sentences in one language, each as an attribute; braces name what is filled in.

    Attributes:
        language: its code.
        sentences: the sentences by name.
        advice: what to do, one sentence each.
        list_names: what the four word lists of a test are called when nobody has named them.
        looks_at: what methods on each kind of data, or with each capability, look at, in a few words.
    """

    language: str
    sentences: Mapping[str, str]
    advice: tuple[str, ...]
    list_names: tuple[str, ...]
    looks_at: Mapping[str, str]

    def __getattr__(self, name: str) -> str:
        try:
            return self.sentences[name]
        except KeyError:
            raise AttributeError(f"there is no sentence {name!r}") from None

    def own(self, english: str, method: str = "") -> str:
        """Return a sentence, of a method if one is named, in this language, else in English and marked as that."""
        own = translations(self.language, method).get(english) or self.known(english)
        if own or not english or self.language == "en":
            return own or english
        return self.english_only.format(text=english)

    def known(self, english: str) -> str:
        """Return a general sentence in this language; empty where it has no translation."""
        return translations(self.language).get(english, "")

    def named(self, name: str, said: str) -> str:
        """Put a name before what is said of it."""
        return self.sentences["named"].format(name=name, said=said)

    def listed(self, names: Iterable[str], most: int) -> str:
        """Name the first of several things, each once, and say how many more there are."""
        different = list(dict.fromkeys(names))
        more = [self.more.format(n=len(different) - most)] if len(different) > most else []
        return ", ".join([*different[:most], *more])

    def number(self, cell: str) -> str:
        """Write the numbers of a cell as this language does."""
        return localised(cell, self.decimal)


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
    english = _yaml(files(__package__) / "locales" / "en.yaml")
    known = translations(code)
    mark = known.get(english["sentences"]["english_only"], "{text}")

    def own(sentence: str) -> str:
        return sentence if code == "en" else known.get(sentence) or mark.format(text=sentence)

    return CardText(
        language=code,
        sentences={k: own(v) for k, v in english["sentences"].items()},
        advice=tuple(map(own, english["advice"])),
        list_names=tuple(map(own, english["list_names"])),
        looks_at={k: own(v) for k, v in english["looks_at"].items()},
    )


def _yaml(path: Any) -> Any:
    import yaml

    return yaml.load(path.read_text(encoding="utf-8"), Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))


@functools.cache
def translations(language: str, method: str = "") -> Mapping[str, str]:
    """Return the general translations, or those of a method's sentences, by their English; empty if there are none."""
    if not method:
        return _pairs(files(__package__) / "locales", language)
    own = _pairs(files(METHODS[method].package) / "texts", language)
    shared = shared_translations(language) if own else {}
    return {**{s: shared[s] for s in method_sentences(method) if s in shared}, **own}


@functools.cache
def shared_translations(language: str) -> Mapping[str, str]:
    """Return the translations of sentences that the records of several methods have, by their English."""
    return _pairs(files("evaluate_bias.methods") / "texts", language)


def _pairs(folder: Any, language: str) -> Mapping[str, str]:
    path = folder / f"{language}.yaml"
    return {pair["en"]: pair["text"] for pair in _yaml(path)} if language != "en" and path.is_file() else {}


def method_text(text: CardText, name: str) -> MethodRecord | None:
    """Return a method's record in the language of ``text``; its sentences without a translation in English and marked.

    ``None`` for a method that is not registered.
    """
    if name not in METHODS:
        return None
    known = translations(text.language, name)
    return _translated(METHODS[name], lambda s: text.own(s, name), lambda s: known.get(s, s))


def is_translated(text: CardText, name: str) -> bool:
    """Tell whether what a method's record says is written in the language of ``text``."""
    return text.language == "en" or name not in METHODS or bool(translations(text.language, name))


def _translated(record: MethodRecord, own: _Translate, own_title: _Translate) -> MethodRecord:
    """The record with its sentences, and its titles of a few words, as two functions write them."""

    def own_p(p: PValue | None) -> PValue | None:
        return p and PValue(meaning=own(p.meaning), small=own(p.small), parts=own_p(p.parts))

    return replace(
        record,
        summary=own(record.summary),
        score_name=own_title(record.score_name),
        open_score_name=own_title(record.open_score_name),
        interpretation=own(record.interpretation),
        above=own(record.above),
        below=own(record.below),
        caveats=tuple(map(own, record.caveats)),
        aggregation=own(record.aggregation),
        p_value=own_p(record.p_value),
        secondary=tuple(
            replace(s, title=own_title(s.title), meaning=own(s.meaning)) for s in record.secondary
        ),
    )


def data_title(text: CardText, note: DatasetRecord) -> str:
    """Return what a data set is called in the language of ``text``."""
    return text.known(note.title) or note.title


def method_sentences(name: str) -> list[str]:
    """Return every English sentence of a method's record that a card can show."""
    found: dict[str, str] = {"": ""}
    _translated(METHODS[name], *[lambda s: found.setdefault(s, s)] * 2)
    return [*found][1:]
