"""The records of data sets: found for whatever provenance calls them, and the ones that the modules' cards show."""

from pathlib import Path

import pytest
from huggingface_hub import DatasetCard

from evaluate_bias import data
from evaluate_bias.data.building import render_card
from evaluate_bias.data.recipes import RECORDS, dataset_names, dataset_record, get_dataset, record_of
from evaluate_bias.data.table_files import packaged_languages
from evaluate_bias.data.word_lists import (
    load_lpbs_tests,
    load_occupation_test,
    load_seat_tests,
    load_word_lists,
)
from evaluate_bias.data.words import load_wsv_words
from evaluate_bias.errors import InputError
from evaluate_bias.registry import METHODS

SCRIPTS = Path(__file__).resolve().parents[2] / "datasets_scripts"


@pytest.mark.parametrize(
    ("source", "name"),
    [
        ("bias/minimal-pairs", "minimal_pairs"),
        ("bias/crows-pairs@main", "crows_pairs"),
        ("McGill-NLP/stereoset", "stereoset"),
        ("someone/CrowS_Pairs", "crows_pairs"),
        ("someone/minimal-pairs", None),  # a common name: data of others are not called ours
        ("someone/my-pairs", None),
        ("my_pairs.csv", None),
        ("given by the caller", None),
        ("", None),
        (None, None),
    ],
)
def test_known_by_name(source, name):
    note = record_of({"source": source})
    assert (note.name if note else None) == name


@pytest.mark.parametrize("name", ["crows_pairs", "stereoset"])
def test_a_published_file_is_known_by_its_bytes(name):
    for config in dataset_record(name).configs:
        for origin in config.splits.values():
            for sha256 in origin.pins():
                facts = {"source": "a name of my own.csv", "sha256": sha256}
                assert record_of(facts) is dataset_record(name)


def test_every_note_is_complete():
    for note in RECORDS.values():
        assert note.caveats
        assert all(c.endswith(".") for c in note.caveats)
        assert note.illustrative == any("illustrative" in c for c in note.caveats)
    assert set(dataset_names()) <= {r.name for r in RECORDS.values()}


@pytest.mark.parametrize("record", METHODS.values(), ids=lambda r: r.name)
def test_a_method_says_nothing_about_particular_data(record):
    """What holds for one data set must not be told of results on another."""
    told = " ".join((record.summary, record.interpretation, *record.caveats))
    told = told.replace("`variant` 'published'", "")  # an option, not data
    for word in ("Blodgett", "United States", "published", "packaged", "illustrative", "validated"):
        assert word not in told


@pytest.mark.parametrize(
    ("load", "name"),
    [
        (lambda: load_word_lists(language="tr"), "weat_word_lists"),
        (load_seat_tests, "weat_word_lists"),
        (load_lpbs_tests, "weat_word_lists"),
        (load_occupation_test, "professions"),
        (data.load_sentence_pairs, "minimal_pairs"),
        (data.load_stereoset, "stereoset_style"),
        (data.load_bec_pro, "bec_pro"),
        (data.load_gendered_words, "gendered_words"),
        (data.load_professions, "professions"),
        (data.load_occupations, "winogender_occupations"),
        (load_wsv_words, "winogender_occupations"),
        (data.load_templates, "bias_templates"),
    ],
)
def test_what_is_loaded_carries_the_name_of_its_data_set(load, name):
    provenance = load().provenance
    assert provenance["name"] == name
    assert record_of(provenance) is dataset_record(name)


def test_a_record_has_one_place():
    for name in dataset_names():
        record = dataset_record(name)
        assert record.name == name
        assert record.hub_id == f"bias/{name.replace('_', '-')}"
        assert {c.language for c in record.configs}
        assert all(c.licence for c in record.configs)
        if record.packaged:
            assert set(packaged_languages(name)) <= {c.language for c in record.configs}


TASKS = {"fill-mask", "text-generation", "feature-extraction", "question-answering", "text-classification"}
MAKERS = {"crowdsourced", "expert-generated", "found", "no-annotation", "other"}


@pytest.mark.parametrize("name", dataset_names())
def test_the_card_says_what_the_hub_asks_for(name):
    record = dataset_record(name)
    text = render_card(record, record.select(None) or record.configs)
    card = DatasetCard(text)
    assert {*card.data.task_categories} <= TASKS
    assert {*card.data.source_datasets} <= {"original", "extended"}
    assert {*card.data.annotations_creators} <= MAKERS
    assert all(
        (
            card.data.task_categories,
            card.data.source_datasets,
            card.data.annotations_creators,
            card.data.license,
        )
    )
    # What the project wrote was checked by nobody; what others made comes from papers or free texts.
    assert ("original" in card.data.source_datasets) == ("other" in card.data.annotations_creators)
    assert all(url in card.text for url in record.papers)
    assert ("## Papers" in card.text) == ("```bibtex\n@" in card.text) == bool(record.papers)
    assert record.papers or card.data.source_datasets == ["original"] or name == "context_sentences"
    for heading in ("## Columns", "## Licence"):
        assert heading in card.text
    if record.select(None):
        assert (SCRIPTS / name / "README.md").read_text(encoding="utf-8") == text


@pytest.mark.parametrize("name", [record.name for record in RECORDS.values() if not record.configs])
def test_what_comes_with_the_package_has_nothing_to_build(name):
    with pytest.raises(
        InputError, match=f"{name} comes with the package and needs no build; set `source` to '{name}'"
    ):
        get_dataset(name)
