"""The sentences of a model card's bias section, one package a language.

English sentences about methods and data sets stand in their records; the other languages have theirs in a module a
family of methods, and what nobody has translated is shown in English and marked as that. Sentences are written so that
numbers and names fill them without grammar: "(2 of 4): weat6, weat7". They never call a model free of what was
measured, and they never take a missing detection for absence.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from dataclasses import dataclass, field

from ...data.caveats import DataNote
from ...errors import UnknownNameError
from ...method import PValue
from ...registry import METHODS

__all__ = [
    "LANGUAGES",
    "CardText",
    "DataText",
    "MethodText",
    "card_text",
    "data_text",
    "english_method",
    "method_text",
]

LANGUAGES = ("de", "en", "es", "fr", "it")
"""Languages in which a card can be written."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MethodText:
    """What a method measures and what its number does not tell, in one language.

    The fields are those of :class:`~evaluate_bias.registry.MethodRecord`, whose English text is the original;
    ``further`` has title and meaning of every secondary value.
    """

    summary: str
    score_name: str
    reading: str
    caveats: tuple[str, ...]
    combined: str = ""
    p_value: PValue | None = None
    further: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class DataText:
    """What a data set is called and what to know about it, in one language; see :class:`DataNote`."""

    title: str
    caveats: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class CardText:
    """All sentences in one language; braces name what is filled in.

    ``scorings`` says what each of the ways to score a sentence computes, see
    :data:`evaluate_bias.methods.pair_scoring.SCORINGS`.
    """

    language: str
    section_title: str
    heading: str
    intro: str
    measured_with: str

    what: str
    scored_by: str
    data: str
    reading: str
    outcome: str
    limits: str

    data_tests: str
    data_units: str
    data_unknown: str
    data_language: str
    data_no_language: str
    data_from: str
    data_revision: str
    data_split: str
    data_unpinned: str
    origin_paper: str
    origin_translated: str
    origin_caller: str
    origin_other: str
    baseline: str
    data_not_validated: str
    coverage_gap: str

    score_range: str
    score_range_robust: str
    two_sided: str
    higher_is_more_biased: str
    lower_is_more_biased: str
    higher_is_more_robust: str

    detected_test: str
    undetected_test: str
    detected_other: str
    undetected_other: str
    rejected: str
    not_rejected: str
    p_small: str
    p_large: str
    only_before: str
    control_detected: str
    control_undetected: str
    too_small: str
    edge: str
    interval_only: str
    interval_includes: str
    no_p_excludes: str
    no_p_includes: str
    no_inference: str
    adjusted: str
    adjusted_all: str
    nothing: str
    with_interval: str
    overall_score: str
    furthest: str
    of_decided: str
    illustrative_title: str
    illustrative_outcome: str

    not_the_application: str
    not_absence: str
    not_size: str
    english_only: str

    column_test: str
    column_compared: str
    column_model: str
    column_score: str
    column_interval: str
    column_interval_mixed: str
    column_p: str
    column_p_holm: str
    column_p_all: str
    column_n: str
    column_coverage: str
    column_ideal: str
    overall: str
    list_names: tuple[str, str, str, str]
    further: str
    chart_legend: str

    notes: str
    more_notes: str
    words: str
    words_line: str
    skipped: str
    more_skipped: str

    settings: str
    settings_model: str
    settings_data: str
    settings_all_tests: str
    settings_each_test: str
    settings_p: str
    settings_interval: str
    settings_options: str
    settings_versions: str
    settings_paper: str

    recommendations: str
    advice: tuple[str, ...]
    advice_detected: str

    scorings: Mapping[str, str]
    methods: Mapping[str, MethodText] = field(default_factory=dict)
    datasets: Mapping[str, DataText] = field(default_factory=dict)


def method_text(text: CardText, name: str) -> MethodText | None:
    """Return a method's sentences in the language of ``text``, else in English and marked as that.

    ``None`` for a method that is not registered.
    """
    if name in text.methods:
        return text.methods[name]
    english = english_method(name)
    if english is None or text.language == "en":
        return english

    def marked(sentence: str) -> str:
        return text.english_only.format(text=sentence) if sentence else ""

    def marked_p(p: PValue | None) -> PValue | None:
        if p is None:
            return None
        return PValue(
            meaning=marked(p.meaning), small=marked(p.small), large=marked(p.large), parts=marked_p(p.parts)
        )

    return MethodText(
        summary=marked(english.summary),
        score_name=english.score_name,
        reading=marked(english.reading),
        caveats=tuple(marked(c) for c in english.caveats),
        combined=marked(english.combined),
        p_value=marked_p(english.p_value),
        further=tuple((title, marked(meaning)) for title, meaning in english.further),
    )


def data_text(text: CardText, note: DataNote) -> DataText:
    """Return the sentences about a data set in the language of ``text``, else in English and marked as that."""
    if note.name in text.datasets:
        return text.datasets[note.name]
    if text.language == "en":
        return DataText(title=note.title, caveats=note.caveats)
    return DataText(title=note.title, caveats=tuple(text.english_only.format(text=c) for c in note.caveats))


def english_method(name: str) -> MethodText | None:
    """Return a method's sentences from its registry record, ``None`` for a method that is not registered."""
    record = METHODS.get(name)
    if record is None:
        return None
    return MethodText(
        summary=record.summary,
        score_name=record.score_name,
        reading=record.reading,
        caveats=record.caveats,
        combined=record.combined,
        p_value=record.p_value,
        further=tuple((s.title, s.meaning) for s in record.secondary),
    )


def card_text(language: str) -> CardText:
    """Return the sentences of a language.

    Args:
        language: a code of :data:`LANGUAGES`; a region such as in ``"de-CH"`` is ignored.

    Raises:
        UnknownNameError: cards are not written in that language.

    Examples:
        >>> card_text("de-CH").settings
        'Einstellungen und Versionen'
    """
    code = language.replace("_", "-").partition("-")[0].lower()
    if code not in LANGUAGES:
        raise UnknownNameError("card language", language, LANGUAGES)
    text: CardText = importlib.import_module(f"{__name__}.{code}").TEXT
    return text
