"""Pairs of Dev et al. (2020): the lists make the paper's number of pairs, and what is built of them."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from evaluate_bias import assets
from evaluate_bias.data.origins import checksums
from evaluate_bias.data.predictions import EntailmentPair, load_entailment_pairs
from evaluate_bias.data.recipes import dataset_record
from evaluate_bias.data.recipes.coreference import N_TEMPLATES, templates, with_article
from evaluate_bias.errors import DataError, UnknownNameError
from tests.support.refusals import refused

published = pytest.mark.skipif(
    not assets.is_cached(assets.get_asset("benchmarks")), reason="the asset 'benchmarks' is not in the cache"
)
WORDS = {
    "occupations": "nurse\nengineer\n", "gendered_words": "man\ngentleman\nguy\nwoman\nlady\ngirl\n",
    "country_demonyms": "Dane\nItalian\nItalian\n", "vehicles": "car\nSUV\n", "food": "apple\n",
    "commerce_verbs": "bought\nowns\n", "driving_verbs": "drove\n", "eating_verbs": "ate\n",
    "interaction_verbs": "spoke to\n", "person_hyponyms": "adult\n", "rulers": "boss\nadult\n",
}  # fmt: skip


RECORD = dataset_record("bias_nli")


def raw(**changes: str) -> dict[str, str]:
    texts = {Path(name).name: "" for name in checksums("bias_nli")} | WORDS | changes
    return {**texts, "occupations-stats": "occupation\tbls_pct_female\nnurse\t90.5\n"}


def built(name: str, **changes: str) -> list[EntailmentPair]:
    config = next(config for config in RECORD.configs if config.name == name)
    rows, _ = config.convert_rows(config.read(raw(**changes), "lists"), "lists")
    return [EntailmentPair.model_validate(row) for row in rows]


def test_every_verb_has_its_objects_and_people_are_counted_once():
    lists = RECORD.configs[0].parse(raw(), "lists")
    things = ["a SUV", "an apple", "a car"]
    assert templates(lists) == [
        *(f"{verb} {thing}" for verb in ("bought", "owns") for thing in things),
        "spoke to an adult", "spoke to a boss", "drove a SUV", "drove a car", "ate an apple",
    ]  # fmt: skip
    assert with_article("honor") == "a honor"  # by the first letter, as published


def test_pairs_differ_in_their_subject_alone():
    rows = built("en")
    assert len(rows) == 2 * 6 * N_TEMPLATES["gendered_words"]
    assert Counter(row.group for row in rows) == {"women": 72, "men": 72}
    for row in rows:
        a, b = (with_article(word) for word in (row.target, row.attribute))
        assert row.premise == f"A{a[1:]} {row.template} ."
        assert row.hypothesis == f"A{b[1:]} {row.template} ."
        assert row.women_share == {"nurse": 0.905, "engineer": None}[row.target]
    assert {row.group for row in built("en-nationality")} == {"Dane", "Italian"}
    assert len({row.id for row in rows}) == len(rows)
    refused(DataError, "the gendered words are not gentleman", built, "en", gendered_words="man\nqueen\n")


def test_nothing_of_it_is_published_again():
    assert [config.language for config in RECORD.configs] == ["en", "en"]
    assert not any(config.publishable for config in RECORD.configs)


@published
def test_the_lists_make_the_papers_number_of_pairs():
    files = RECORD.configs[0].splits["test"].read(assets.fetch("benchmarks"), verify=False)
    lists = RECORD.configs[0].parse(files, "lists")
    assert (len(lists["occupations"]), len(lists["gendered_words"]), len(templates(lists))) == (164, 6, 1968)
    assert 164 * 6 * 1968 == 1_936_512


@published
def test_what_is_loaded_by_default():
    rows = load_entailment_pairs()
    assert len(rows) == 164 * 6 * 12
    assert sum(row.women_share is not None for row in rows) == 43 * 6 * 12
    assert rows.provenance["name"] == "bias_nli"
    nationalities = load_entailment_pairs(language="en-nationality")
    assert len(nationalities) == 164 * 28 * 6
    refused(UnknownNameError, "configuration", load_entailment_pairs, language="de")


def test_own_rows_with_probabilities_are_read(tmp_path):
    head = "premise,hypothesis,target,attribute,group,entailment,neutral,contradiction"
    path = tmp_path / "own.csv"
    path.write_text(f"{head}\nA nurse ate.,A man ate.,nurse,man,men,0.2,0.7,0.1\n", encoding="utf-8")
    (row,) = load_entailment_pairs(path)
    assert (row.probabilities, row.id, row.language) == ((0.2, 0.7, 0.1), "0", "en")
