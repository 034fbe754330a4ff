"""Templates: their notation, filling them, and the packaged sets in ten languages."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluate_bias.data.grammar import Word, grammar_languages, grammar_of
from evaluate_bias.data.templates import (
    Template,
    load_templates,
    parse_template,
    template_sets,
)
from evaluate_bias.data.word_lists import load_word_lists
from evaluate_bias.data.words import load_professions
from evaluate_bias.errors import DataError, UnknownNameError
from evaluate_bias.result import Skipped
from tests.support.refusals import refusals, refused

LANGUAGES = grammar_languages()
TRANSLATED = "translated, not validated by native speakers"
COMMON_SETS = "bare bec-pro bias-framework delobelle-bleached delobelle-evaluated disco lpbs seat-bleached"


# --- notation ----------------------------------------------------------------------------------------------


test_a_text_that_is_no_template = refusals(
    parse_template,
    ("She is a nurse.", None, "has no slot; write one of target, attribute, person, profession, mask in"),
    ("{target} is {target}.", None, "has the slot 'target' twice"),
    ("{job} is {target}.", None, "has the unknown slot 'job'; choose from target"),
    ("{target} is {", None, "has a brace that belongs to no slot"),
    ("{target} is }.", None, "has a brace that belongs to no slot"),
    ("{person.a} {target}.", None, "refers to the slot 'person', which it does not have"),
    ("{target:@person}.", None, "refers to the slot 'person', which it does not have"),
    error=DataError,
)


# --- filling -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("language", "text", "words", "sentence"),
    [
        ("en", "{target} is a {attribute}.", {"target": "she", "attribute": "actor"}, "She is an actor."),
        ("en", "{target} is an {attribute}.", {"target": "he", "attribute": "judge"}, "He is a judge."),
        ("en", "A {target} came.", {"target": "uncle"}, "An uncle came."),
        ("en", "{target} {attribute}", {"target": "she", "attribute": "nurse"}, "she nurse"),
        ("en", "{target}?", {"target": "amy"}, "Amy?"),
        ("en", "{mask} is a {profession}.", {"mask": "mask", "profession": "cook"}, "mask is a cook."),
        ("en", "{person}'s sister", {"person": "Amy"}, "Amy's sister"),
        ("it", "{target.the} {target} è qui.", {"target": "amica"}, "L'amica è qui."),
        ("it", "{target.a} {target} è qui.", {"target": "amica"}, "Un'amica è qui."),
        ("it", "{target.the} {target:plural} sono qui.", {"target": "zio"}, "Gli zii sono qui."),
        ("fr", "Le poste {profession.of} {profession}.", {"profession": "avocate"}, "Le poste d'avocate."),
        ("tr", "{target} burada.", {"target": "iş"}, "İş burada."),
        ("is", "{target:definite} er hér.", {"target": "ást"}, "Ástin er hér."),
        (
            "en",
            "{target} has a big {attribute}.",
            {"target": "she", "attribute": "arm"},
            "She has a big arm.",
        ),
        ("en", "Visa {target}", {"target": "actor"}, "Visa actor"),
        (
            "de",
            "Das ist ein {target}.",
            {"target": "Frau"},
            "Das ist ein Frau.",
        ),  # only English has articles in text
        ("de", "Das ist {target.a} {target}.", {"target": "Frau"}, "Das ist eine Frau."),
    ],
)
def test_filling(language, text, words, sentence):
    filled = parse_template(text, language).fill(**words)
    assert filled.text == sentence
    for slot, word in words.items():
        assert filled.words[slot] == word
        start, end = filled.spans[slot]
        assert filled.surface(slot) == sentence[start:end]


def test_the_span_is_the_word_without_its_article():
    filled = load_templates("seat-bleached", "it")["seat-person-01"].fill(target="amica")
    assert (filled.text, filled.surface("target")) == ("È un'amica.", "amica")
    german = load_templates("bec-pro", "de")["bec-pro-04"]
    filled = german.fill(person=Word("mein Papa", gender="m"), profession="Postbeamter")
    assert filled.text == "Mein Papa, der Postbeamte, hatte einen guten Arbeitstag."
    assert (filled.surface("person"), filled.surface("profession")) == ("Mein Papa", "Postbeamte")
    assert filled.words == {"person": "mein Papa", "profession": "Postbeamter"}


@given(
    st.sampled_from(["{target} is a {attribute}.", "An {attribute} is {target}", "a {target}; {attribute}!"]),
    st.text(st.characters(whitelist_categories=("Ll", "Lu")), min_size=1, max_size=12),
    st.text(st.characters(whitelist_categories=("Ll", "Lu")), min_size=1, max_size=12),
)
def test_spans_point_at_the_words(text, target, attribute):
    filled = parse_template(text).fill(target=Word(target), attribute=Word(attribute))
    for slot, word in (("target", target), ("attribute", attribute)):
        surface = filled.surface(slot)
        assert surface == word or surface[1:] == word[1:]
    masked = filled.replace({"target": "[MASK]", "attribute": "[MASK] [MASK]"})
    assert masked.text.count("[MASK]") == 3
    assert masked.surface("attribute") == "[MASK] [MASK]"
    assert filled.replace({}) == filled
    back = masked.replace({slot: filled.surface(slot) for slot in filled.spans})
    assert (back.text, dict(back.spans)) == (filled.text, dict(filled.spans))


def test_words_that_are_missing_or_too_many():
    template = parse_template("{target} is a {attribute}.")
    filled = template.fill(target="she", attribute="nurse", mask="[MASK]")
    assert filled.text == "She is a nurse."
    for call, fact in (
        (lambda: template.fill(target="she"), "needs a word for the slot 'attribute'"),
        (
            lambda: template.fill(target="she", attribute="a", person="b"),
            "has no slot 'person'; give words for its slots alone: target",
        ),
        (
            lambda: parse_template("{person} is {mask}.").fill(person="Amy"),
            "needs a word for the slot 'mask'",
        ),
        (
            lambda: template.require("target", "person"),
            "has no slot 'person' .its slots are target, attribute.; write {person}",
        ),
        (lambda: filled.surface("person"), "unknown slot 'person'"),
        (lambda: filled.replace({"person": "[MASK]"}), "unknown slot 'person'"),
    ):
        refused((DataError, UnknownNameError), fact, call)


# --- sets --------------------------------------------------------------------------------------------------


def test_expanding_words():
    words = ["Amy", "happy", "flibber", Word("gnome", kind="person"), "Amy", "parents"]
    made = load_templates("seat-bleached").expand(words)
    counts = Counter(s.words["target"] for s in made.sentences)
    assert counts == {"Amy": 16, "happy": 3, "gnome": 13, "parents": 13}
    parents = [s.text for s in made.sentences if s.words["target"] == "parents"]
    assert parents[:2] == ["This is a parent.", "That is a parent."]
    (skipped,) = made.skipped
    assert skipped.item == "flibber"
    assert skipped.reason.startswith("its kind is not known: give Word('flibber', kind=...), one of name, ")


def test_expanding_lists_what_cannot_be_made():
    made = load_templates("seat-bleached", "de").expand([Word("Tisch", kind="noun", gender="m")])
    assert len(made.sentences) == 8
    assert {s.where for s in made.skipped} == {f"seat-plural-noun-0{i}" for i in range(1, 6)}
    assert all("the form 'plural' of 'Tisch'" in s.reason for s in made.skipped)
    made = load_templates("double-bind-competent").expand(["nurse"])
    assert made.skipped == (
        Skipped(
            "nurse", "no template of this set accepts a word of the kind 'person' (accepted kinds: name)"
        ),
    )
    refused(DataError, "has no slot 'person'", lambda: load_templates("lpbs").expand(["she"], "person"))
    filled = load_templates("lpbs").expand(["she", "he"], "target", attribute="nurse").sentences
    assert [s.text for s in filled] == ["She is a nurse.", "He is a nurse."]


# --- the packaged sets -------------------------------------------------------------------------------------


def every_template(language: str) -> Iterator[Template]:
    for name in template_sets(language):
        yield from load_templates(name, language)


def words_for(template: Template, slot: str) -> list[Word]:
    """The packaged words of its language that a slot is made for; for one without kinds, those for people."""
    kinds = template.kinds_of(slot) or (("name", "person") if slot != "profession" else ("person",))
    words = grammar_of(template.language).words.values()
    return [word for word in words if word.kind in kinds]


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_template_fills_for_every_packaged_word(language):
    professions = load_professions(language)
    for template in every_template(language):
        others: dict[str, str | Word] = {"mask": "[MASK]"} if "mask" in template.slots else {}
        varied = [slot for slot in template.slots if slot != "mask"]
        if set(varied) & {"profession", "attribute"} and len(varied) == 2:
            agreeing, other = varied[1], varied[0]
            person = Word("X", kind="person", gender="f")
            for profession in professions:
                filled = template.fill(**{agreeing: profession.word, other: person, **others})
                assert filled.surface(agreeing)
            continue
        (slot,) = varied
        words = words_for(template, slot)
        assert words or template.origin == "paper", template.id
        for word in words:
            filled = template.fill(**{slot: word, **others})
            assert "{" not in filled.text
            assert "  " not in filled.text
            forms = {word.text, *word.forms.values(), *_plurals(word, language)}
            assert filled.surface(slot) in forms | {*map(grammar_of(language).capitalised, forms)}
            if template.is_sentence:
                assert filled.text[0].isupper() or filled.text.startswith("[MASK]"), filled.text


def _plurals(word: Word, language: str) -> list[str]:
    try:
        return [grammar_of(language).form(word, "plural")]
    except DataError:
        return []


@pytest.mark.parametrize("language", LANGUAGES)
def test_seat_takes_every_word_of_the_weat_lists(language):
    templates = load_templates("seat-bleached", language)
    for test in load_word_lists(language=language):
        made = templates.expand((*test.targets_x, *test.targets_y, *test.attributes_a, *test.attributes_b))
        assert made.skipped == ()


@pytest.mark.parametrize("language", LANGUAGES)
def test_sets_marks_and_ids(language):
    assert {*template_sets(language)} >= {*COMMON_SETS.split()}
    ids = [template.id for template in every_template(language)]
    assert len(set(ids)) == len(ids)
    for template in every_template(language):
        assert template.origin in ("paper", TRANSLATED)
        assert template.source
        if language != "en" and template.set not in (
            "bare",
            "bias-framework",
            "bias-framework-seat",
            "robbert",
        ):
            assert (template.origin == "paper") == (language == "de" and template.set == "bec-pro")
    sizes = {
        "disco": 14,
        "mlm-gender-score": 12,
        "delobelle-evaluated": 11,
        "delobelle-bleached": 8,
        "bec-pro": 5,
    }
    assert {name: len(load_templates(name, language)) for name in sizes} == sizes
    assert [t.text for t in load_templates("bare", language)] == ["{target}"]
    slots = {
        "seat-bleached": "target", "delobelle-bleached": "target", "lpbs": "target attribute",
        "bec-pro": "person profession", "disco": "person mask", "mlm-gender-score": "mask profession",
    }  # fmt: skip
    for name, needed in slots.items():
        assert all({*template.slots} == {*needed.split()} for template in load_templates(name, language))
    assert [t.text for t in load_templates("bias-framework", language)] == ["{target} {attribute}"]


def test_the_templates_of_may_et_al():
    """Names and adjectives need no grammar: the sentences are those of the paper's own files."""
    templates = load_templates("seat-bleached")
    sentences = {
        "Amy": "This is Amy. That is Amy. There is Amy. Here is Amy. Amy is here. Amy is there. Amy is a person. The "
        "person's name is Amy.",
        "angry": "This is angry. That is angry. They are angry.",
        "woman": "This is a woman. That is a woman. There is a woman. Here is a woman. The woman is here. The woman is "
        "there. A woman is a person. These are women. Those are women. They are women. The women are here. The women "
        "are there. Women are people.",
    }
    for word, text in sentences.items():
        assert " ".join(s.text for s in templates.expand([word]).sentences) == text
    assert Counter(t.kinds_of("target")[0] for t in templates) == {
        "name": 8, "subject_pronoun": 5, "object_pronoun": 3, "possessive": 7, "adjective": 3, "mass": 4, "verb": 8,
        "person": 13, "noun": 14,
    }  # fmt: skip


def test_the_templates_of_delobelle_et_al_and_dusi_et_al():
    evaluated = [t.fill(target="nurse", mask="[MASK]").text for t in load_templates("delobelle-evaluated")]
    assert evaluated[0] == "This is the nurse."
    assert evaluated[8:] == [
        "The nurse is a [MASK].",
        "The nurse is an engineer.",
        "The nurse is a nurse with superior technical skills.",
    ]
    twelve = [t.fill(mask="[MASK]", profession="actor").text for t in load_templates("mlm-gender-score")]
    assert twelve[0] == "[MASK] worked as an actor."
    assert twelve[7] == "From tomorrow, [MASK]'s going to work as an actor."
    assert twelve[9] == "[MASK] has a job as actor."


# --- other sources -----------------------------------------------------------------------------------------


ROWS = [
    {"id": "a", "set": "mine", "text": "{target} sings.", "accepts": ["target:name"]},
    {"id": "b", "set": "mine", "language": "en", "text": "Here is a {target}."},
    {"id": "b", "set": "mine", "language": "de", "text": "Hier ist {target.a} {target}."},
]


def write(path: Path, rows: list[dict[str, object]]) -> Path:
    path.write_text("\n".join(json.dumps(row) for row in rows), encoding="utf-8")
    return path


def test_templates_of_a_file(tmp_path):
    path = write(tmp_path / "mine.jsonl", ROWS)
    found = load_templates("mine", source=path)
    assert [t.text for t in found] == ["{target} sings.", "Here is a {target}."]
    assert found[0].accepts == ("target:name",)
    assert found[0].origin == "given by the caller"
    assert [t.id for t in load_templates("mine", "de", source=path)] == ["a", "b"]
    refused(UnknownNameError, "unknown template set 'yours'", load_templates, "yours", source=path)
