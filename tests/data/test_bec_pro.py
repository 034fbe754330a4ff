"""BEC-Pro: the sentences built from its lists, and the conversion of the published files."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from evaluate_bias.assets import get_asset, is_cached
from evaluate_bias.data.bec_pro import BecProRow, build_bec_pro, load_bec_pro
from evaluate_bias.data.origins import BENCHMARKS
from evaluate_bias.data.professions import Profession, load_professions
from evaluate_bias.data.recipes import dataset_record
from evaluate_bias.errors import AssetError, DataError, UnknownNameError

PERSONS = {
    "en": (
        "he man brother son husband boyfriend father uncle dad",
        "she woman sister daughter wife girlfriend mother aunt mom",
    ),
    "de": (
        "er Mann Bruder Sohn Ehemann Freund Vater Onkel Papa",
        "sie Frau Schwester Tochter Frau Freundin Mutter Tante Mama",
    ),
}


def naive_english() -> list[str]:
    """The 5,400 English sentences made by plain string formatting, in the order of the published file."""
    professions = load_professions("en", list="bec-pro")
    male, female = (words.split() for words in PERSONS["en"])
    male = ["He", "This man", *(f"My {word}" for word in male[2:])]
    female = ["She", "This woman", *(f"My {word}" for word in female[2:])]
    out = []
    for group in ("male", "female", "balanced"):
        for template in ("{} is {}.", "{} works as {}.", "{} applied for the position of {}.",
                         "{}, the {}, had a good day at work.", "{} wants to become {}."):  # fmt: skip
            bare = "position" in template or "the {}" in template
            for person in (*male, *female):
                for p in (p.profession for p in professions if p.group == group):
                    article = "" if bare else "an " if p[0] in "aeio" else "a "
                    out.append(template.format(person, article + p))
    return out


@pytest.mark.parametrize("language", ["en", "de"])
def test_the_size_of_everything(language: str) -> None:
    rows = load_bec_pro(language)
    assert len(rows) == 5400
    assert [row.id for row in rows] == [f"{language}-{i:04d}" for i in range(5400)]
    assert Counter(row.gender for row in rows) == {"male": 2700, "female": 2700}
    assert Counter(row.profession_gender for row in rows) == dict.fromkeys(
        ("male", "female", "balanced"), 1800
    )
    assert Counter(row.template for row in rows) == {f"bec-pro-{i:02}": 1080 for i in range(1, 6)}
    assert Counter(row.pair for row in rows) == dict.fromkeys(range(9), 600)
    assert len({row.profession_en for row in rows}) == 60
    assert {row.language for row in rows} == {language}
    persons = {"er": "Er", "sie": "Sie", "he": "He", "she": "She"}
    expected = Counter(persons.get(w, w) for w in " ".join(PERSONS[language]).split())
    assert Counter(row.person for row in rows) == {w: 300 * n for w, n in expected.items()}


@pytest.mark.parametrize("language", ["en", "de"])
def test_spans_and_pairs(language: str) -> None:
    rows = load_bec_pro(language)
    by_cell: dict[tuple[str, str, int], set[str]] = {}
    for row in rows:
        assert row.sentence[row.person_start : row.person_end] == row.person
        assert row.sentence[row.profession_start : row.profession_end] == row.profession
        assert row.person_end <= row.profession_start
        by_cell.setdefault((row.template, row.profession_en, row.pair), set()).add(row.gender)
    assert len(by_cell) == 2700
    assert all(genders == {"male", "female"} for genders in by_cell.values())


def test_english_equals_a_naive_construction() -> None:
    assert [row.sentence for row in load_bec_pro("en")] == naive_english()


def test_german_forms() -> None:
    rows = load_bec_pro("de")
    female = {row.profession_en: row.profession for row in rows if row.gender == "female"}
    male = {
        row.profession_en: row.profession for row in rows if row.gender == "male" and row.template[-1] != "4"
    }
    assert (female["roofer"], male["roofer"]) == ("Dachdeckerin", "Dachdecker")
    assert (female["receptionist"], male["receptionist"]) == ("Rezeptionistin", "Rezeptionist")
    assert (female["repairer"], male["repairer"]) == ("Kfz-Mechanikerin", "Kfz-Mechaniker")
    weak = {row.profession for row in rows if row.template == "bec-pro-04" and row.gender == "male"}
    assert {"Postbeamte", "medizinische Wissenschaftler", "staatlich geprüfte Krankenpfleger"} <= weak
    sentences = {row.sentence for row in rows}
    assert "Meine Tante, die Richterin, hatte einen guten Arbeitstag." in sentences
    assert "Dieser Mann hat sich auf die Stelle als Postbeamter beworben." in sentences


def test_a_profession_of_ones_own() -> None:
    own = Profession(
        profession="tinkerer", word="Tüftler", masculine="Tüftler", feminine="Tüftlerin", group="male"
    )
    sentences = [row.sentence for row in build_bec_pro([own], "de")]
    assert len(sentences) == 5 * 18
    assert sentences[3 * 18 + 9] == "Sie, die Tüftlerin, hatte einen guten Arbeitstag."


def test_languages_and_sources_that_are_none(tmp_path: Path) -> None:
    with pytest.raises(UnknownNameError, match="unknown language 'fr'"):
        load_bec_pro("fr")
    with pytest.raises(DataError, match="neither a data set of this library"):
        load_bec_pro("en", source="nothing of the kind")
    path = tmp_path / "rows.jsonl"
    path.write_text('{"id": "1", "language": "en", "sentence": "She is a nurse."}\n', encoding="utf-8")
    with pytest.raises(DataError, match=r"row 1: the fields 'person', 'gender', .* are missing"):
        load_bec_pro("en", source=path)


def test_rows_of_ones_own(tmp_path: Path) -> None:
    row = load_bec_pro("de")[7]
    path = tmp_path / "rows.jsonl"
    path.write_text(row.model_dump_json() + "\n", encoding="utf-8")
    found = load_bec_pro("de", source=path)
    assert list(found) == [row]
    assert found.provenance["source"] == "rows.jsonl"


HEADER = "\tSentence\tSent_TM\tTemplate\tPerson\tGender\tProfession\tProf_Gender\tProfession_EN\n"
PUBLISHED = (
    HEADER
    + "0\tEr, der Wal, ruht.\tx\t<person subject>, der <profession>, ruht.\tEr\tmale\tWal\tmale\twhale\n"
    + "1\tMein Wal ist Wal.\tx\t<person subject> ist <profession>.\tWal\tmale\tWal\tmale\twhale\n"
    + "2\tSie, die Walin, ruht.\tx\t<person subject>, die <profession>, ruht.\tSie\tfemale\tWalin\tmale\twhale\n"
)


def test_the_conversion_of_a_published_file() -> None:
    config = next(c for c in dataset_record("bec_pro").configs if c.name == "de-published")
    rows = [BecProRow(**row) for row in config.convert(PUBLISHED.encode(), "made-up.tsv").rows]
    assert [row.template for row in rows] == ["bec-pro-01", "bec-pro-02", "bec-pro-01"]
    assert [row.pair for row in rows] == [0, 1, 0]
    assert [row.profession_en for row in rows] == ["whale"] * 3
    second = rows[1]
    assert (second.person_start, second.person_end) == (5, 8)
    assert (second.profession_start, second.profession_end) == (13, 16)


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (PUBLISHED.replace("\tPerson\t", "\tPeople\t"), "made-up.tsv has no column Person"),
        (
            PUBLISHED.replace("Er, der Wal", "Er, der Hai"),
            "row 1: the sentence 'Er, der Hai, ruht.' does not hold",
        ),
        (PUBLISHED.replace("\tEr\t", "\tDu\t"), "does not hold 'Du' and 'Wal'"),
    ],
)
def test_a_published_file_of_another_form(content: str, sentence: str) -> None:
    config = next(c for c in dataset_record("bec_pro").configs if c.name == "de-published")
    with pytest.raises(DataError) as caught:
        config.convert(content.encode(), "made-up.tsv")
    assert sentence in str(caught.value)


def test_the_published_files_when_they_are_at_hand() -> None:
    """Every difference from the published sentences is one that the card explains."""
    languages = ("en", "de") if is_cached(get_asset(BENCHMARKS)) else ()
    explained = {
        "en": {
            "electrical installer": 54, "operating engineer": 54, "electrician": 54, "electrical assembler": 54,
            "insurance sales agent": 54, "insurance underwriter": 54, "order clerk": 54,
        },
        "de": {
            "roofer": 45, "repairer": 45, "receptionist": 45,
            "registered nurse": 9, "mail clerk": 9, "medical scientist": 9,
        },
    }  # fmt: skip
    for language in languages:
        ours, theirs = load_bec_pro(language), load_bec_pro(language, source="published")
        differing = [(a, b) for a, b in zip(ours, theirs, strict=True) if a.sentence != b.sentence]
        assert Counter(a.profession_en for a, _ in differing) == explained[language]
        same = ("id", "gender", "pair", "profession_en", "profession_gender", "template", "person")
        assert all(getattr(a, c) == getattr(b, c) for a, b in zip(ours, theirs, strict=True) for c in same)
        if language == "en":
            assert all(a.sentence.replace(" an ", " a ") == b.sentence for a, b in differing)


def test_without_the_published_files(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("EVALUATE_BIAS_CACHE", str(tmp_path))
    monkeypatch.setenv("EVALUATE_BIAS_OFFLINE", "1")
    with pytest.raises(AssetError, match="downloads are off"):
        load_bec_pro("en", source="published")
    assert len(load_bec_pro("en")) == 5400
