"""Gendered words, professions and occupations: what is packaged, and the user's own files."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from evaluate_bias.assets import get_asset, is_cached
from evaluate_bias.data.grammar import grammar_languages, grammar_of
from evaluate_bias.data.origins import BENCHMARKS
from evaluate_bias.data.professions import (
    GenderedPair,
    Occupation,
    load_gendered_words,
    load_occupations,
    load_professions,
)
from evaluate_bias.data.recipes import recipe
from evaluate_bias.data.row_set import RowSet
from evaluate_bias.data.word_lists import load_word_lists
from evaluate_bias.errors import DataError, InputError, UnknownNameError

LANGUAGES = grammar_languages()
NOT_VALIDATED = "not validated by native speakers"


@pytest.mark.parametrize("language", LANGUAGES)
def test_gendered_words(language: str) -> None:
    pairs = load_gendered_words(language)
    assert len(pairs) >= 30
    assert len({(p.female, p.male, p.kind) for p in pairs}) == len(pairs)
    assert all(p.female != p.male for p in pairs)
    assert {p.language for p in pairs} == {language}
    kinds = {"pronoun", "person", "kinship", "title", "role", "name"}
    assert {p.kind for p in pairs} == (kinds - {"pronoun"} if language == "tr" else kinds)
    if language != "en":
        assert all(p.origin.endswith(NOT_VALIDATED) for p in pairs)


@pytest.mark.parametrize("language", LANGUAGES)
def test_names_are_those_of_weat_6(language: str) -> None:
    (weat6,) = load_word_lists(language=language, tests="weat6")
    names = load_gendered_words(language, kinds="name")
    assert [p.male for p in names] == list(weat6.targets_x)
    assert [p.female for p in names] == list(weat6.targets_y)


def test_english_pairs_name_their_papers() -> None:
    pairs = {(p.female, p.male): p for p in load_gendered_words("en")}
    assert "definitional pair of Bolukbasi" in pairs["she", "he"].source
    assert "equalize pair of Bolukbasi" in pairs["queen", "king"].source
    assert pairs["widow", "widower"].origin == "written for this project"
    assert all((p.origin == "paper") == bool(p.source) for p in pairs.values())


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_genders_of_the_pairs_are_those_of_the_word_forms(language: str) -> None:
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
def test_sixty_professions_in_every_language(language: str) -> None:
    professions = load_professions(language)
    occupations = load_occupations()
    assert [p.profession for p in professions] == [o.word for o in occupations]
    grammar = grammar_of(language)
    for p in professions:
        assert p.word == p.masculine
        assert grammar.word(p.masculine).kind in ("person", "mass"), p.masculine
        assert grammar.form(grammar.word(p.masculine), "plural")
        if language != "en":
            assert p.origin == "translated, not validated by native speakers"
        if language in ("is", "no", "tr", "en"):
            assert p.feminine == p.masculine


def test_the_list_of_bec_pro() -> None:
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
    with pytest.raises(UnknownNameError, match="unknown list of professions 'bec-pro'"):
        load_professions("fr", list="bec-pro")


def test_the_share_of_women() -> None:
    occupations = load_occupations()
    assert len(occupations) == 60
    assert occupations.columns()["bls_year"].count(2016) == 9
    by_word = {o.word: o for o in occupations}
    # From the published table: nurse 88.31, 89.58, 2015; plumber 3.34, 0.7, 2015; worker 13.43, 37.92, 2016.
    assert (by_word["nurse"].women_bergsma, by_word["nurse"].women_bls) == (0.8831, 0.8958)
    assert (by_word["plumber"].women_bergsma, by_word["plumber"].women_bls) == (0.0334, 0.007)
    assert (by_word["worker"].women_bls, by_word["worker"].bls_year) == (0.3792, 2016)


def published(occupations: RowSet[Occupation]) -> bytes:
    """The published table written back from the packaged numbers."""
    lines = ["occupation\tbergsma_pct_female\tbls_pct_female\tbls_year"]
    for o in occupations:
        assert o.women_bergsma is not None
        lines.append(
            f"{o.word}\t{round(100 * o.women_bergsma, 2)}\t{round(100 * o.women_bls, 2)}\t{o.bls_year}"
        )
    return "\n".join(lines).encode()


def test_the_packaged_numbers_are_those_of_the_recipe() -> None:
    (config,) = recipe("winogender-occupations").configs
    raws = [published(load_occupations())]
    if is_cached(get_asset(BENCHMARKS)):
        raws.append(config.splits["test"].read(None, True))
    for raw in raws:
        rows = [Occupation(**row) for row in config.convert(raw, "occupations-stats.tsv").rows]
        assert rows == list(load_occupations())
    with pytest.raises(DataError, match=r"row 1 .*women_bls|row 1: the field 'women_bls'"):
        config.convert(b"occupation\tbls_year\nnurse\t2015\n", "table.tsv")


# --- the user's own ----------------------------------------------------------------------------------------


def test_pairs_of_a_file(tmp_path: Path) -> None:
    path = tmp_path / "pairs.csv"
    path.write_text("female,male,kind,comment\nmaid,butler,role,old\n", encoding="utf-8")
    found = load_gendered_words("en", source=path)
    assert [(p.female, p.male, p.language) for p in found] == [("maid", "butler", "en")]
    assert found.provenance["ignored_columns"] == ["comment"]


@pytest.mark.parametrize(
    ("row", "sentence"),
    [
        ({"female": "maid", "kind": "role"}, "row 1: the field 'male' is missing"),
        ({"female": " maid", "male": "butler", "kind": "role"}, "female is blank, or has spaces around it"),
        (
            {"female": "maid", "male": "butler", "kind": "job"},
            "row 1: kind: Input should be 'pronoun', 'person'",
        ),
    ],
)
def test_rows_that_are_no_pairs(tmp_path: Path, row: dict[str, str], sentence: str) -> None:
    path = tmp_path / "pairs.jsonl"
    path.write_text(json.dumps(row), encoding="utf-8")
    with pytest.raises(DataError) as caught:
        load_gendered_words("en", source=path)
    assert sentence in str(caught.value)


def test_shares_are_between_0_and_1(tmp_path: Path) -> None:
    path = tmp_path / "occupations.jsonl"
    path.write_text('{"word": "nurse", "women_bls": 89.58}', encoding="utf-8")
    with pytest.raises(DataError, match="women_bls: Input should be less than or equal to 1"):
        load_occupations(path)


def test_languages_and_kinds_that_are_not_there(tmp_path: Path) -> None:
    with pytest.raises(UnknownNameError, match="unknown language 'ru'"):
        load_gendered_words("ru")
    with pytest.raises(UnknownNameError, match="unknown kind of pair 'names': did you mean 'name'"):
        load_gendered_words("en", kinds=["pronoun", "names"])
    with pytest.raises(InputError, match="no kind of pair was named"):
        load_gendered_words("en", kinds=[])
    path = tmp_path / "pairs.jsonl"
    pair = GenderedPair(female="kona", male="maður", kind="person", language="is")
    path.write_text(pair.model_dump_json(), encoding="utf-8")
    with pytest.raises(UnknownNameError, match="unknown language 'en': known are: is"):
        load_gendered_words("en", source=path)
    assert list(load_gendered_words("is", source=path)) == [pair]


def test_a_row_set_is_a_sequence() -> None:
    pairs = load_gendered_words("en")
    assert pairs[0].female == "she"
    assert [p.female for p in pairs[:2]] == ["she", "her"]
    assert isinstance(pairs[:2], RowSet)
    assert pairs[:2].provenance == pairs.provenance
    assert pairs[:0].columns() == {}
