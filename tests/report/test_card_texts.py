"""The sentences: every language has them, beside the English of today, and none claims more than was measured."""

from __future__ import annotations

import re
import string
from collections import Counter
from pathlib import Path

import pytest
import yaml

from evaluate_bias import methods
from evaluate_bias.data.recipes import dataset_records
from evaluate_bias.errors import UnknownNameError
from evaluate_bias.methods.pair_scoring import SCORINGS
from evaluate_bias.provenance import NO_MODEL
from evaluate_bias.registry import METHODS
from evaluate_bias.report import texts
from evaluate_bias.report.card.section import bias_section
from evaluate_bias.report.escape import markdown
from evaluate_bias.report.texts import (
    LANGUAGES,
    card_text,
    method_sentences,
    method_text,
    shared_translations,
    translations,
)
from evaluate_bias.report.trust_rules import TrustVerdict
from evaluate_bias.report.verdict import Verdict
from evaluate_bias.result import Result
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
WHOLE = {"de", "es", "fr", "it"}  # another language may begin with the general sentences


def english_sentences() -> list[str]:
    """Every English sentence that ``locales`` may translate."""
    text = card_text("en")
    of_data = [sentence for note in dataset_records() for sentence in (note.title, *note.caveats)]
    general = [*text.sentences.values(), *text.advice, *text.list_names, *text.looks_at.values()]
    return [*general, NO_MODEL, *SCORINGS.values(), *of_data]


def stale_translations(language: str) -> list[str]:
    """English texts that are translated and no longer there, or shared and no longer of several methods."""
    wanted = {"": english_sentences(), **{name: method_sentences(name) for name in METHODS}}
    found = [(name, s) for name, now in wanted.items() for s in translations(language, name) if s not in now]
    of_several = Counter(s for name in METHODS for s in wanted[name])
    found += [("methods", s) for s in shared_translations(language) if of_several[s] < 2]
    return [f"{name}: {s}" for name, s in found]


def placeholders(sentence: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(sentence) if name is not None}


@pytest.mark.parametrize("language", OTHERS)
def test_translations_are_of_the_english_text_as_it_is_now(language: str) -> None:
    """Each stands beside the English that it translates: bring these up to date."""
    assert stale_translations(language) == []


@pytest.mark.parametrize("language", OTHERS)
def test_a_sentence_of_several_methods_is_translated_once(language: str) -> None:
    folder = Path(methods.__file__).parent
    found = Counter(
        pair["en"]
        for path in folder.rglob(f"texts/{language}.yaml")
        for pair in yaml.safe_load(path.read_text("utf-8"))
    )
    assert found.total() > 100 or language not in WHOLE
    assert [sentence for sentence, n in found.items() if n > 1] == []


@pytest.mark.parametrize("language", OTHERS)
def test_nothing_general_is_left_in_english(language: str) -> None:
    """What a data set says may stay in English, marked: a new one needs no translation."""
    of_data = {s for record in dataset_records() for s in (record.title, *record.caveats)}
    assert [s for s in english_sentences() if s not in translations(language) and s not in of_data] == []


@pytest.mark.parametrize("language", OTHERS)
def test_same_placeholders_and_markup_as_in_english(language: str) -> None:
    english, other = card_text("en").sentences, card_text(language).sentences
    assert set(other) == set(english)
    for name, sentence in english.items():
        assert placeholders(other[name]) == placeholders(sentence), name
        assert other[name].count("**") == sentence.count("**"), name
    pairs = [pair for name in ("", *METHODS) for pair in translations(language, name).items()]
    for original, own in pairs:
        assert own.strip(), original
        assert placeholders(own) == placeholders(original), original
        assert own.endswith(".") == original.endswith(".") or original == ".", original


def test_every_sentence_is_used() -> None:
    """A sentence that nothing names is a leftover."""
    folder = Path(texts.__file__).parent
    code = "".join(p.read_text("utf-8") for p in [*folder.rglob("*.py"), *folder.rglob("*.jinja")])
    by_key = {"two_sided", "higher_is_more_biased", "lower_is_more_biased", "higher_is_more_robust"}
    by_key |= {f"cohen_{letter}" for letter in "dgr"} | {f"said_{v.value}" for v in Verdict}
    by_key |= {f"first_{v}" for v in ("only_before", "undecided", "not_found")}
    by_key |= {f"change_{v}" for v in ("nearer", "further", "passed")}
    by_key |= {f"trust_{v.name.lower()}" for v in TrustVerdict}
    by_key |= {f"{of}_{kind}" for of in ("of", "found_in") for kind in ("tests", "groups")}
    names = {
        n for n in card_text("en").sentences if not n.startswith(("column_", "verdict_", "size_"))
    } - by_key
    assert {name for name in names if not re.search(rf"(?:text|self|sentences)\.{name}\b", code)} == set()


@pytest.mark.parametrize("language", OTHERS)
def test_what_is_missing_or_stale_is_in_english_and_marked(
    language: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = card_text(language)
    mark = text.english_only.format(text="")
    general = texts.translations(language)
    monkeypatch.setattr(
        texts, "translations", lambda code, name="": {"an earlier text.": "x"} if name else general
    )
    for name, record in METHODS.items():
        method = method_text(text, name)
        assert method is not None
        if record.summary not in general:
            assert method.summary == mark + record.summary
        assert method.score_name == record.score_name
    note = next(r for r in dataset_records() if r.name == "weat_word_lists")
    assert not text.own(note.caveats[0]).startswith(mark)
    monkeypatch.setattr(texts, "translations", lambda code, name="": {})
    assert text.own(note.caveats[0]) == mark + note.caveats[0]


def test_a_stale_general_sentence_is_in_english_and_marked(monkeypatch: pytest.MonkeyPatch) -> None:
    english = card_text("en")
    known = {"data": "x", english.english_only: "(auf Englisch) {text}", english.limits: "Grenzen"}
    monkeypatch.setattr(texts, "translations", lambda code, name="": known)
    made = texts._card_text.__wrapped__("de")
    assert (made.limits, made.outcome) == ("Grenzen", f"(auf Englisch) {english.outcome}")


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_text_claims_more_than_was_measured(language: str) -> None:
    text = card_text(language)
    written = [*text.sentences.values(), *text.advice, *translations(language).values()]
    for name in METHODS:
        written += translations(language, name).values() if language != "en" else method_sentences(name)
    assert [t for t in written if FORBIDDEN.search(t)] == []
    items = [weat_item(score=0.0, ci_low=-0.4, ci_high=0.4, p_value=0.5, p_holm=1.0)]
    for level in ("summary", "full"):
        section = bias_section([weat_result(items), pairs_result()], language=language, level=level)
        assert not FORBIDDEN.search(section)


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_result_that_is_not_significant_is_reported_as_such(language: str) -> None:
    items = [weat_item(score=0.1, ci_low=-0.9, ci_high=0.9, p_value=0.4, p_holm=0.4)]
    section = bias_section([weat_result(items)], language=language)
    text = card_text(language)
    said = text.no_departure.format(ideal=0)
    assert text.named("weat6", f"{said} (") in section
    assert text.not_absence in section


@pytest.mark.parametrize(
    ("language", "wanted"),
    [("en", "-0.52 ["), ("de", "-0,52 ["), ("es", "-0,52 ["), ("fr", "-0,52 ["), ("it", "-0,52 [")],
)
def test_numbers_are_written_as_the_language_does(language: str, wanted: str) -> None:
    section = bias_section([weat_result([weat_item(score=-0.52)])], language=language).replace("\u00a0", " ")
    assert wanted in section
    comma = "[-0,92; -0,32]" if language != "en" else "[-0.92, -0.32]"
    assert section.count(comma) >= 2


def test_unknown_language() -> None:
    with pytest.raises(UnknownNameError, match=r"unknown card language 'xyz': known are: de, en, es, fr, it"):
        card_text("xyz")


@pytest.mark.parametrize("language", OTHERS)
def test_no_sentence_of_a_card_is_half_in_english(language: str) -> None:
    text, english = card_text(language), card_text("en")
    strange = [record for record in METHODS.values() if not translations(language, record.name)]
    assert strange
    for record in strange:
        high = record.score_range[1]
        result = Result(
            method=record.name,
            score=record.ideal + 3 if high is None else high,
            score_range=record.score_range,
            direction=record.direction,
            ideal=record.ideal,
            n=40,
            p_value=0.001,
        )
        first, _, details = bias_section([result], language=language).partition("<details>")
        (reading,) = (line for line in details.splitlines() if markdown(record.interpretation) in line)
        name = markdown(record.score_name)
        assert text.english_only.format(text=name[:1].upper() + name[1:]) in reading
        assert (
            english.score_range.split("{")[2].partition("}")[2] in reading
        )  # what stands between its two ends
        for clause in filter(None, (record.above, record.below)):
            assert markdown(clause) not in first
