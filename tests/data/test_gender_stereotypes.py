"""Sentences of gender stereotypes: the packaged ones, EuroGEST from files in the published form, rows as published."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

import evaluate_bias as eb
from evaluate_bias.data import gender_stereotypes
from evaluate_bias.data.building import build
from evaluate_bias.data.gender_stereotypes import STEREOTYPES, as_stereotype_sentence, load_gender_stereotypes
from evaluate_bias.data.recipes import dataset_record
from evaluate_bias.data.recipes.sentences import LANGUAGES, SCAFFOLD_FILES, scaffolds_of
from evaluate_bias.errors import BiasError, DataError, InputError, UnknownNameError
from tests.support.refusals import refusals, refused
from tests.support.tiny_models import tiny_causal

OTHERS = [name for tag, name in LANGUAGES.items() if tag != "en"]


def said(words: dict[str, str]) -> dict[str, str]:
    return {name: words.get(name, f"{name} said") for name in OTHERS}


SCAFFOLDS = {
    "prompt_scaffolds": json.dumps(
        {
            "he said": said({"German": "sagte er ", "Finnish": "same"}),
            "she said": said({"German": "sagte sie ", "Finnish": "same"}),
            "the man said": said({"Finnish": "mies sanoi"}),
            "the woman said": said({"Finnish": "nainen sanoi"}),
        }
    ),
    "punc_map": json.dumps({name: ["„", "“,"] for name in OTHERS}),
    "language_test_configs": json.dumps({"language_types": {"no_gendered_pronouns": ["Finnish"]}}),
}
GENDERED = (
    "Language,GEST_sentence,German,German,Polish,Polish,stereotype_number\n"
    "Prompt,Unnamed,the man said,the woman said,the man said,the woman said,\n"
    '0,"I am, he thinks, tall.",,,Jestem wysoki,Jestem wysoka,16\n'
    "1,I cry.,Ich bin eine Heulsuse ,Ich bin eine Heulsuse,,,1\n"
)


def neutral() -> str:
    head = ",".join(["", "GEST_sentence", *OTHERS, "stereotype_number"])
    cells = {"German": '"Ich bin, sagt man, groß."', "Finnish": "Olen pitkä!"}
    return f"{head}\n0,I am tall.,{','.join(cells.get(name, '') for name in OTHERS)},16.0\n"


RECORD = dataset_record("eurogest")


def upstream(**changes: str) -> dict[str, str]:
    tables = {
        "gest_translations_gender_sensitive": GENDERED,
        "gest_translations_gender_insensitive": neutral(),
    }
    return {**tables, **SCAFFOLDS, **changes}


def test_the_packaged_sentences():
    rows = load_gender_stereotypes()
    assert Counter(row.stereotype for row in rows) == dict.fromkeys(STEREOTYPES, 4)
    assert len({row.masculine for row in rows}) == len(rows)
    for row in rows:
        assert row.masculine.endswith('," he said')
        assert row.feminine == row.masculine.replace('," he said', '," she said')
        assert "illustrative" in row.origin
    assert dataset_record("gest_style").illustrative
    refused(InputError, "set `source` to 'eurogest'", load_gender_stereotypes, language="de")


def test_the_published_tables_become_rows():
    parsed = RECORD.configs[1].read(upstream(), "tables")
    configs = {config.name: config for config in RECORD.configs}
    assert configs.keys() == LANGUAGES.keys()
    assert all(config.publishable and "2024 Matúš Pikuliak" in config.rights for config in RECORD.configs)
    rows = {
        tag: [dict(row) for row in configs[tag].convert_rows(parsed, "tables")[0]]
        for tag in ("de", "pl", "fi", "da")
    }
    assert rows["pl"] == [
        {"id": "0", "stereotype": "strong", "masculine": "Jestem wysoki", "feminine": "Jestem wysoka",
         "language": "pl", "origin": "paper"}
    ]  # fmt: skip
    assert [(r["id"], r["masculine"], r["feminine"]) for r in rows["de"]] == [
        ("1", "Ich bin eine Heulsuse", "Ich bin eine Heulsuse"),
        ("0", "„Ich bin, sagt man, groß“, sagte er", "„Ich bin, sagt man, groß“, sagte sie"),
    ]
    assert (rows["fi"][0]["masculine"], rows["da"]) == ("„Olen pitkä“, mies sanoi", [])
    table = configs["en"].read(b'sentence,stereotype\nI cry.,1\n"No, never!",8\n', "gest.csv")
    english, _ = configs["en"].convert_rows(table, "gest.csv")
    assert [(r["id"], r["stereotype"], r["feminine"]) for r in english] == [
        ("0", "emotional", '"I cry," she said'),
        ("1", "tough", '"No, never," she said'),
    ]


test_tables_of_another_form_are_refused = refusals(
    lambda changes: RECORD.configs[1].read(upstream(**changes), "tables"),
    ({"gest_translations_gender_insensitive": "a,b\n1,2\n"}, None, "not have the expected form"),
    ({"prompt_scaffolds": "[]"}, None, "not have the expected form"),
    ({"punc_map": "{"}, None, "not have the expected form"),
    (
        {"gest_translations_gender_sensitive": "Language,German\nPrompt,x\n0,y\n"},
        None,
        "not have the expected form",
    ),
    error=DataError,
)


def test_several_languages_in_one_call(tmp_path, monkeypatch):
    tables = {name: text for name, text in upstream().items() if name.startswith("gest")}
    files = {f"JacquelineRowe_EuroGEST/data/{name}.csv": text for name, text in tables.items()}
    for file in SCAFFOLD_FILES.files:
        files[f"JacquelineRowe_EuroGEST/{file.path}"] = SCAFFOLDS[Path(file.path).stem]
    files["kinit-sk_gest/data/gest_1.1.csv"] = "sentence,stereotype\nI cry.,1\n"
    for name, text in files.items():
        path = tmp_path / "up" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    configs = ["de", "en", "pl"]
    folder = build(RECORD, tmp_path / "built", configs=configs, source=tmp_path / "up", verify=False)
    monkeypatch.setattr(gender_stereotypes, "get_dataset", lambda key, configs: folder)
    rows = load_gender_stereotypes("eurogest", language=["de", "pl", "en"])
    assert [(row.language, row.id) for row in rows] == [("de", "1"), ("de", "0"), ("pl", "0"), ("en", "0")]
    assert [part["language"] for part in rows.provenance["configs"]] == ["de", "pl", "en"]
    assert rows.provenance["name"] == "eurogest"
    assert "language" not in rows.provenance
    assert len(load_gender_stereotypes("EuroGEST", language="de")) == 2
    refused(UnknownNameError, "configuration", load_gender_stereotypes, "eurogest", language="da")
    refused(InputError, "`language` is empty", load_gender_stereotypes, "eurogest", language=[])
    refused(InputError, "`language` must be a string", load_gender_stereotypes, language=["en", 3])


def test_rows_as_published_are_read_in_place_of_ours(monkeypatch):
    monkeypatch.setattr(gender_stereotypes, "published_scaffolds", lambda: scaffolds_of(SCAFFOLDS))
    row = as_stereotype_sentence(
        {"GEST_ID": 7, "Source": "I am tall.", "Stereotype_ID": "16", "Masculine": None, "Feminine": float("nan"),
         "Neutral": "Ich bin groß.", "language": "de"}
    )  # fmt: skip
    assert (row.id, row.stereotype, row.feminine) == ("7", "strong", "„Ich bin groß“, sagte sie")
    for value in (True, 17, 1.5, "kind"):
        with pytest.raises(DataError, match="give a number from 1 to 16, or one of emotional, gentle"):
            as_stereotype_sentence({"stereotype": value, "masculine": "a", "feminine": "b"})
    with pytest.raises(DataError, match="names no language"):
        as_stereotype_sentence({"Stereotype_ID": 16, "Neutral": "Ich bin groß."}, "row 0")
    with pytest.raises(DataError, match="row 0: no scaffold in 'ja'"):
        as_stereotype_sentence({"Stereotype_ID": 16, "Neutral": "x", "language": "ja"}, "row 0")
    rows = [{"sentence": f"I am number {i}.", "stereotype": i, "language": "en"} for i in range(1, 17)]
    result = eb.measure("gest", tiny_causal("gpt2"), data=rows)
    assert (result.n, result.rows_of("item")[0].name) == (16, "0")


def test_a_file_in_the_expected_form(tmp_path):
    path = tmp_path / "gest_1.1.csv"
    path.write_text("sentence,stereotype\nI cry.,1\n,2\nI fight.,8\n", encoding="utf-8")
    refused(BiasError, "masculine", load_gender_stereotypes, path)
    path.write_text("sentence,stereotype\nI cry.,1\nI fight.,8\n", encoding="utf-8")
    rows = load_gender_stereotypes(path)
    assert [(row.id, row.stereotype, row.masculine) for row in rows] == [
        ("0", "emotional", '"I cry," he said'),
        ("1", "tough", '"I fight," he said'),
    ]
