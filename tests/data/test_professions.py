"""Gendered words, professions and occupations: what is packaged, and the user's own files."""

from __future__ import annotations

import pytest

import evaluate_bias as eb
from evaluate_bias.assets import get_asset, is_cached
from evaluate_bias.data.grammar import grammar_languages, grammar_of
from evaluate_bias.data.origins import BENCHMARKS
from evaluate_bias.data.recipes import dataset_record
from evaluate_bias.data.row_set import RowSet
from evaluate_bias.data.word_lists import load_occupation_test, load_word_lists
from evaluate_bias.data.words import Occupation, load_gendered_words, load_occupations, load_professions
from evaluate_bias.errors import DataError, InputError, UnknownNameError
from tests.support.refusals import refused

LANGUAGES = grammar_languages()
NOT_VALIDATED = "not validated by native speakers"


@pytest.mark.parametrize("language", LANGUAGES)
def test_gendered_words(language):
    pairs = load_gendered_words(language)
    assert len(pairs) >= 30
    assert len({(p.female, p.male, p.kind) for p in pairs}) == len(pairs)
    assert all(p.female != p.male for p in pairs)
    assert {p.language for p in pairs} == {language}
    kinds = {"pronoun", "person", "kinship", "title", "role", "name"}
    assert {p.kind for p in pairs} == (kinds - {"pronoun"} if language == "tr" else kinds)
    if language != "en":
        assert all(p.origin.endswith(NOT_VALIDATED) for p in pairs)
    (weat6,) = load_word_lists(language=language, tests="weat6")
    names = tuple((p.male, p.female) for p in pairs if p.kind == "name")
    assert names == tuple(zip(weat6.targets_x, weat6.targets_y, strict=True))


def test_english_pairs_name_their_papers():
    pairs = {(p.female, p.male): p for p in load_gendered_words("en")}
    assert "definitional pair of Bolukbasi" in pairs["she", "he"].source
    assert "equalize pair of Bolukbasi" in pairs["queen", "king"].source
    assert pairs["widow", "widower"].origin == "written for this project"
    assert all((p.origin == "paper") == bool(p.source) for p in pairs.values())


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_genders_of_the_pairs_are_those_of_the_word_forms(language):
    grammar = grammar_of(language)
    checked = 0
    for pair in load_gendered_words(language):
        for text, gender in ((pair.female, "f"), (pair.male, "m")):
            word = grammar.words.get(text)
            if word is not None and word.kind == "person" and word.gender in ("m", "f"):
                assert word.gender == gender, text
                checked += 1
    assert checked or language in ("en", "nl", "tr")


@pytest.mark.parametrize("language", LANGUAGES)
def test_sixty_professions_in_every_language(language):
    professions = load_professions(language)
    occupations = load_occupations()
    assert [p.profession for p in professions] == [o.word for o in occupations]
    assert len({p.word for p in professions}) == len(professions)
    grammar = grammar_of(language)
    for p in professions:
        assert p.word == p.masculine
        assert grammar.word(p.masculine).kind in ("person", "mass"), p.masculine
        assert grammar.form(grammar.word(p.masculine), "plural")
        if language != "en":
            assert p.origin == "translated, not validated by native speakers"
        if language in ("is", "no", "tr", "en"):
            assert p.feminine == p.masculine


def test_the_list_of_bec_pro():
    for language in ("en", "de"):
        professions = load_professions(language, list="bec-pro")
        assert len(professions) == 60
        groups = {g: [p for p in professions if p.group == g] for g in ("female", "male", "balanced")}
        assert {len(members) for members in groups.values()} == {20}
        assert all(p.women is not None and p.women_source for p in professions)
    english = {p.profession: p.women for p in load_professions("en", list="bec-pro")}
    assert english["dental hygienist"] == 0.96
    assert english["electrician"] == 0.022
    assert len(load_professions("de", list=None)) == 120
    refused(UnknownNameError, "unknown list of professions 'bec-pro'", load_professions, "fr", list="bec-pro")


def test_the_list_of_delobelle():
    professions = load_professions("en", list="delobelle")
    women, men = ([p for p in professions if p.group == group] for group in ("female", "male"))
    assert len(women) == len(men) == 30
    assert len({p.word for p in professions}) == 60
    shares = {p.word: p.women for p in professions if p.women is not None}
    assert [p.word for p in women] == sorted((p.word for p in women), key=lambda w: -shares[w])
    assert [p.word for p in men] == sorted((p.word for p in men), key=lambda w: shares[w])
    # By hand from the authors' table: nurses (89.4 + 90.1 + 90.8) / 3, mechanics (0 + 0.1 + 1.7 + 1.9 + 3.1 + 3.6) / 6,
    # and the two at the borders, next to which come waiters with 70.1 and operators with 21.9.
    assert (shares["nurse"], shares["mechanic"]) == (0.901, 0.0173)
    assert (women[-1].word, shares["psychologist"]) == ("psychologist", 0.703)
    assert (men[-1].word, shares["dishwasher"]) == ("dishwasher", 0.213)
    # As appendix B.1 prints it; the authors' code has "hairdresser".
    assert [p.word for p in women if p.word.startswith("hair")] == ["hairstylist"]
    grammar = grammar_of("en")
    assert {grammar.word(p.word).kind for p in professions} == {"person"}
    refused(UnknownNameError, "unknown list of professions", load_professions, "de", list="delobelle")


def test_the_compatibility_methods_draw_from_the_list_of_delobelle():
    (test,) = load_occupation_test()
    assert test.targets_x == tuple(p.word for p in load_professions(list="delobelle") if p.group == "female")
    assert test.targets_y == tuple(p.word for p in load_professions(list="delobelle") if p.group == "male")
    for wrong in (1, 31, True, 2.0):
        refused(InputError, "`n_targets` must be an integer from 2 to", load_occupation_test, n_targets=wrong)


def published(occupations: RowSet[Occupation]) -> bytes:
    """The published table written back from the packaged numbers."""
    lines = ["occupation\tbergsma_pct_female\tbls_pct_female\tbls_year"]
    for o in occupations:
        assert o.women_bergsma is not None
        lines.append(
            f"{o.word}\t{round(100 * o.women_bergsma, 2)}\t{round(100 * o.women_bls, 2)}\t{o.bls_year}"
        )
    return "\n".join(lines).encode()


def test_the_packaged_numbers_are_those_of_the_recipe():
    (config,) = dataset_record("winogender-occupations").configs
    raws = [published(load_occupations())]
    if is_cached(get_asset(BENCHMARKS)):
        raws.append(config.splits["test"].read(None, True))
    for raw in raws:
        table = config.read(raw, "occupations-stats.tsv")
        rows = [Occupation(**row) for row in config.convert_rows(table, "occupations-stats.tsv")[0]]
        assert rows == list(load_occupations())
    table = config.read(b"occupation\tbls_year\nnurse\t2015\n", "table.tsv")
    with pytest.raises(DataError, match=r"row 1: bls_pct_female is missing"):
        config.convert_rows(table, "table.tsv")


def test_occupations_of_other_languages_have_both_forms_and_the_same_shares():
    english = {o.word: o.women_bls for o in load_occupations()}
    italian = load_occupations(language="it")
    forms = {(p.profession, form) for p in load_professions("it") for form in (p.masculine, p.feminine)}
    assert {(english[job], word) for job, word in forms} == {(o.women_bls, o.word) for o in italian}
    some = [o.model_dump() for o in italian[:6]]
    result = eb.measure("mlm_gender_score", "demo-mlm-en", data=some, n_resamples=99)
    assert (result.n, result.details["female"]) == (len({o.word for o in italian[:6]}), "lei")
