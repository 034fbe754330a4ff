"""The sentences: complete in every language, with the same placeholders, and careful in what they claim."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import re
import string
from pathlib import Path

import pytest

from evaluate_bias.data.caveats import DATA_NOTES
from evaluate_bias.errors import UnknownNameError
from evaluate_bias.registry import METHODS
from evaluate_bias.report.card.section import bias_section
from evaluate_bias.report.card.texts import (
    LANGUAGES,
    CardText,
    MethodText,
    card_text,
    english_method,
    method_text,
)
from tests.report.samples import pairs_result, weat_item, weat_result

# Claims that no measurement supports, in every language of the cards.
FORBIDDEN = re.compile(
    r"unbiased|bias[- ]free|free (?:of|from) (?:any )?bias|no bias\b(?! was detected)|unverzerrt|verzerrungsfrei|"
    r"vorurteilsfrei|"
    r"unvoreingenommen|unparteiisch|imparcial|(?:sin|libre de) sesgos?|insesgad|impartial|sans biais|non biaisé|"
    r"exempt de biais|imparzial|senza (?:bias|pregiudizi)|priv[oi] di (?:bias|pregiudizi)|"
    r"(?:is|are) fair\b|is safe\b",
    re.IGNORECASE,
)
TRANSLATED_FROM = Path(__file__).parent / "translated_from.json"
OTHERS = [language for language in LANGUAGES if language != "en"]


def placeholders(sentence: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(sentence) if name is not None}


def sentences(text: CardText) -> dict[str, str]:
    return {
        f.name: getattr(text, f.name)
        for f in dataclasses.fields(text)
        if isinstance(getattr(text, f.name), str)
    }


@pytest.mark.parametrize("language", OTHERS)
def test_same_placeholders_and_markup_as_in_english(language: str) -> None:
    english, other = sentences(card_text("en")), sentences(card_text(language))
    for name, sentence in english.items():
        assert placeholders(other[name]) == placeholders(sentence), name
        assert other[name].count("**") == sentence.count("**"), name
        assert other[name].strip(), name
    assert len(card_text(language).advice) == len(card_text("en").advice)


@pytest.mark.parametrize("language", OTHERS)
def test_translations_differ_from_english(language: str) -> None:
    english, other = sentences(card_text("en")), sentences(card_text(language))
    same = {name for name in english if english[name] == other[name]}
    assert same <= {
        "column_p", "column_p_holm", "column_n", "column_ideal", "column_test", "column_interval_mixed", "words_line",
        "data_tests", "overall_score",
        "outcome", "notes", "settings_interval", "settings_options", "settings_versions",
    }  # fmt: skip


def method_sentences(method: MethodText) -> list[str]:
    """All sentences about a method, in an order that is the same in every language."""
    p = method.p_value
    told = [method.summary, method.score_name, method.reading, *method.caveats, method.combined]
    told += [
        text
        for part in (p, p and p.parts)
        if part is not None
        for text in (part.meaning, part.small, part.large)
    ]
    return told + [part for further in method.further for part in further]


@pytest.mark.parametrize("language", OTHERS)
def test_translated_methods_follow_their_records(language: str) -> None:
    for name, method in card_text(language).methods.items():
        english = english_method(name)
        assert english is not None, f"{name} is no method"
        assert len(method.caveats) == len(english.caveats), name
        assert len(method.further) == len(english.further), name
        own, original = method_sentences(method), method_sentences(english)
        assert [placeholders(s) for s in own] == [placeholders(s) for s in original], name
        assert [s.endswith(".") for s in own] == [s.endswith(".") for s in original], name
        same = {s for s, t in zip(own, original, strict=True) if s and s == t}
        assert all(len(s) < 10 for s in same), "names such as lms may stay as they are"


@pytest.mark.parametrize("language", OTHERS)
def test_translated_data_sets_follow_their_notes(language: str) -> None:
    datasets = card_text(language).datasets
    assert set(datasets) == set(DATA_NOTES)
    for name, data in datasets.items():
        assert len(data.caveats) == len(DATA_NOTES[name].caveats)
        assert all(c.endswith(".") for c in data.caveats)


def test_translations_are_of_the_english_text_as_it_is_now() -> None:
    """A translation of an earlier text would go unnoticed: what was translated is recorded by its checksum."""
    recorded = json.loads(TRANSLATED_FROM.read_text(encoding="utf-8"))
    translated = {name for language in OTHERS for name in card_text(language).methods}
    now = {name: digest(method_sentences(english_method(name))) for name in sorted(translated)}
    now |= {f"data/{name}": digest([n.title, *n.caveats]) for name, n in sorted(DATA_NOTES.items())}
    changed = {name: value for name, value in now.items() if recorded.get(name) != value}
    assert changed == {}, f"bring their translations up to date, then enter these in {TRANSLATED_FROM.name}"
    assert set(recorded) == set(now)


def digest(told: list[str]) -> str:
    return hashlib.sha256("\n".join(told).encode()).hexdigest()[:16]


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_method_can_be_written_about(language: str) -> None:
    """In this language, or in English and visibly so."""
    text = card_text(language)
    mark = text.english_only.format(text="")
    for name in METHODS:
        method = method_text(text, name)
        assert method is not None
        foreign = language != "en" and name not in text.methods
        assert method.summary.startswith(mark) == foreign
        assert all(c.startswith(mark) == foreign for c in method.caveats)


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_text_claims_more_than_was_measured(language: str) -> None:
    text = card_text(language)
    told = [*sentences(text).values(), *text.advice, text.advice_detected]
    told += [sentence for m in text.methods.values() for sentence in method_sentences(m)]
    told += [caveat for d in text.datasets.values() for caveat in d.caveats]
    assert [t for t in told if FORBIDDEN.search(t)] == []
    items = [weat_item(score=0.0, ci_low=-0.4, ci_high=0.4, p_value=0.5, p_holm=1.0)]
    for level in ("summary", "full"):
        section = bias_section([weat_result(items), pairs_result()], language=language, level=level)
        assert not FORBIDDEN.search(section)


@pytest.mark.parametrize(
    ("language", "wanted"),
    [
        ("en", "No association was detected at the 5% level** (1 of 1): weat6. This does not show absence."),
        (
            "de",
            "Keine Assoziation auf dem 5-%-Niveau nachgewiesen** (1 von 1): weat6. Das zeigt nicht, dass keine",
        ),
        ("es", "No se detectó asociación al nivel del 5 %** (1 de 1): weat6. Esto no demuestra su ausencia."),
        (
            "fr",
            "Aucune association n'a été détectée au seuil de 5 %** (1 sur 1) : weat6. Cela ne démontre pas",
        ),
        (
            "it",
            "Nessuna associazione rilevata al livello del 5%** (1 su 1): weat6. Ciò non ne dimostra l'assenza.",
        ),
    ],
)
def test_a_result_that_is_not_significant_is_reported_as_such(language: str, wanted: str) -> None:
    items = [weat_item(score=0.1, ci_low=-0.9, ci_high=0.9, p_value=0.4, p_holm=0.4)]
    assert wanted in bias_section([weat_result(items)], language=language)


def test_unknown_language() -> None:
    with pytest.raises(UnknownNameError, match=r"unknown card language 'xyz': known are: de, en, es, fr, it"):
        card_text("xyz")
