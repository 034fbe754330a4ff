"""The sentences: complete in every language, with the same placeholders, and careful in what they claim."""

from __future__ import annotations

import re
import string

import pytest

from evaluate_bias.data.caveats import DATA_NOTES
from evaluate_bias.errors import UnknownNameError
from evaluate_bias.registry import METHODS
from evaluate_bias.report.card.section import bias_section
from evaluate_bias.report.card.texts import (
    LANGUAGES,
    CardText,
    card_text,
    method_sentences,
    method_text,
    method_translations,
    stale_translations,
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
OTHERS = [language for language in LANGUAGES if language != "en"]


def placeholders(sentence: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(sentence) if name is not None}


def sentences(text: CardText) -> dict[str, str]:
    """All that a card can say in general, by name."""
    several = {f"{key}[{i}]": s for key, values in text.lists.items() for i, s in enumerate(values)}
    return {**text.sentences, **several, **text.scorings, **text.looks_at}


@pytest.mark.parametrize("language", OTHERS)
def test_same_placeholders_and_markup_as_in_english(language: str) -> None:
    english, other = sentences(card_text("en")), sentences(card_text(language))
    for name, sentence in english.items():
        assert placeholders(other[name]) == placeholders(sentence), name
        assert other[name].count("**") == sentence.count("**"), name
        assert other[name].strip(), name


@pytest.mark.parametrize("language", OTHERS)
def test_translations_differ_from_english(language: str) -> None:
    english, other = sentences(card_text("en")), sentences(card_text(language))
    same = {name for name in english if english[name] == other[name]}
    assert same <= {
        "column_p", "column_p_holm", "column_n", "column_ideal", "column_test", "column_interval_mixed", "words_line",
        "data_tests", "holds_for", "score_and_ideal",
        "outcome", "notes", "settings_interval", "settings_options", "settings_versions",
    }  # fmt: skip


@pytest.mark.parametrize("language", OTHERS)
def test_translated_methods_follow_their_records(language: str) -> None:
    for name in METHODS:
        for english, own in method_translations(name, language).items():
            assert placeholders(own) == placeholders(english), name
            assert own.endswith(".") == english.endswith("."), (name, own)
            assert own != english or len(own) < 10, "names such as lms may stay as they are"


@pytest.mark.parametrize("language", OTHERS)
def test_translated_data_sets_follow_their_notes(language: str) -> None:
    translated = card_text(language).data_sentences
    for note in DATA_NOTES.values():
        assert note.title in translated
        assert all(translated[caveat].endswith(".") for caveat in note.caveats)


@pytest.mark.parametrize("language", OTHERS)
def test_translations_are_of_the_english_text_as_it_is_now(language: str) -> None:
    assert stale_translations(language) == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_method_can_be_written_about(language: str) -> None:
    """In this language, or in English and visibly so."""
    text = card_text(language)
    mark = text.english_only.format(text="")
    for name in METHODS:
        method = method_text(text, name)
        assert method is not None
        known = method_translations(name, language)
        record = METHODS[name]
        for own, english in zip(
            (method.summary, *method.caveats), (record.summary, *record.caveats), strict=True
        ):
            assert own.startswith(mark) == (language != "en" and english not in known), name


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_text_claims_more_than_was_measured(language: str) -> None:
    text = card_text(language)
    told = [*sentences(text).values(), *text.data_sentences.values()]
    for name in METHODS:
        told += method_sentences(name) if language == "en" else method_translations(name, language).values()
    assert [t for t in told if FORBIDDEN.search(t)] == []
    items = [weat_item(score=0.0, ci_low=-0.4, ci_high=0.4, p_value=0.5, p_holm=1.0)]
    for level in ("summary", "full"):
        section = bias_section([weat_result(items), pairs_result()], language=language, level=level)
        assert not FORBIDDEN.search(section)


@pytest.mark.parametrize(
    ("language", "wanted"),
    [
        ("en", "No association was detected** (1 of 1): weat6."),
        ("de", "Keine Assoziation nachgewiesen** (1 von 1): weat6."),
        ("es", "No se detectó asociación** (1 de 1): weat6."),
        ("fr", "Aucune association n'a été détectée** (1 sur 1) : weat6."),
        ("it", "Nessuna associazione rilevata** (1 su 1): weat6."),
    ],
)
def test_a_result_that_is_not_significant_is_reported_as_such(language: str, wanted: str) -> None:
    items = [weat_item(score=0.1, ci_low=-0.9, ci_high=0.9, p_value=0.4, p_holm=0.4)]
    section = bias_section([weat_result(items)], language=language)
    assert wanted in section
    text = card_text(language)
    for sentence in (text.first_nothing, text.first_open, text.not_absence):
        assert sentence in section


def test_unknown_language() -> None:
    with pytest.raises(UnknownNameError, match=r"unknown card language 'xyz': known are: de, en, es, fr, it"):
        card_text("xyz")
