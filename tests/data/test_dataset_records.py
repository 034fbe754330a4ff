"""The notes on data sets: found for whatever provenance calls them, and the same ones that the modules' cards show."""

from __future__ import annotations

import pytest

from evaluate_bias.data.recipes import dataset_names, dataset_record, dataset_records, record_of
from evaluate_bias.data.sentence_pairs import load_sentence_pairs
from evaluate_bias.data.stereoset import load_stereoset
from evaluate_bias.data.word_lists import load_word_lists
from evaluate_bias.registry import METHODS


@pytest.mark.parametrize(
    ("data", "name"),
    [
        (load_word_lists(language="de"), "weat_word_lists"),
        (load_sentence_pairs(language="es"), "minimal_pairs"),
        (load_stereoset(), "stereoset_style"),
    ],
)
def test_packaged_data_are_known_by_what_their_loaders_say(data, name):
    assert record_of(data.provenance) is dataset_record(name)


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
            facts = {"source": "a name of my own.csv", "sha256": origin.facts()["sha256"]}
            assert record_of(facts) is dataset_record(name)


def test_every_note_is_complete():
    for note in dataset_records():
        assert note.caveats
        assert all(c.endswith(".") for c in note.caveats)
        assert note.illustrative == any("illustrative" in c for c in note.caveats)
    assert set(dataset_names()) <= {r.name for r in dataset_records()}


@pytest.mark.parametrize("record", METHODS.values(), ids=lambda r: r.name)
def test_a_method_says_nothing_about_particular_data(record):
    """What holds for one data set must not be told of results on another."""
    told = " ".join((record.summary, record.interpretation, *record.caveats))
    for word in ("Blodgett", "United States", "published", "packaged", "illustrative", "validated"):
        assert word not in told
