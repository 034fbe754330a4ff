"""Word lists that are not what they should be: the same for every method that takes them."""

from __future__ import annotations

import dataclasses
import json

import numpy as np
import pytest

import evaluate_bias as eb
from evaluate_bias.errors import BiasError, CoverageError, DataError, InputError, UndefinedScoreError
from evaluate_bias.methods.word_lists import results
from evaluate_bias.methods.word_lists.inference import Inference
from evaluate_bias.methods.word_lists.pipeline import measure_tests
from evaluate_bias.registry import METHODS

from .vector_tests import LISTS, made

NAMES = [n for n, r in METHODS.items() if r.data.name == "word_lists" and "embeds words" in r.needs]
ONE_LIST = [n for n in NAMES if "attributes_b" in METHODS[n].optional_columns]
TWO_LISTS = [n for n in NAMES if "attributes_b" in METHODS[n].columns]
OPTIONS = {
    "glpp": {"k": 3},
    "frequency_sensitivity": {"measured_method": "rnd", "n_subsets": 10},
    "seat": {"templates": ["{target}"]},
}


def options(name):
    known = METHODS[name].options()
    quick = {"ci": "none", "n_resamples": 99, "ci_resamples": 99}
    return {**{k: v for k, v in quick.items() if k in known}, **OPTIONS.get(name, {})}


def measured(name, vectors, *tests, **more):
    return eb.measure(name, vectors, data=list(tests), **{**options(name), **more})


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("place", LISTS)
def test_an_empty_string_in_a_list_is_refused(name, place):
    vectors, test = made(1, (6, 6, 6, 6))
    with pytest.raises(
        DataError, match=rf"toy': {place}\[{'0' if name == 'seed_sensitivity' else '2'}\] is blank"
    ):
        measured(name, vectors, {**test, place: [*test[place][:2], "", *test[place][3:]]})


@pytest.mark.parametrize("name", ONE_LIST)
def test_a_file_need_not_name_lists_that_a_method_has_no_use_for(name, tmp_path):
    vectors, test = made(2, (6, 6, 6, 0))
    path = tmp_path / "lists.jsonl"
    path.write_text(json.dumps(test) + "\n", encoding="utf-8")
    assert (
        eb.measure(name, vectors, source=path, **options(name)).score == measured(name, vectors, test).score
    )


@pytest.mark.parametrize("name", TWO_LISTS)
def test_a_file_without_a_list_that_a_method_needs_is_refused_by_its_name(name, tmp_path):
    vectors, test = made(2, (6, 6, 6, 0))
    path = tmp_path / "lists.jsonl"
    path.write_text(json.dumps(test) + "\n", encoding="utf-8")
    with pytest.raises(BiasError, match="attributes_b"):
        eb.measure(name, vectors, source=path, **options(name))


@pytest.mark.parametrize("name", NAMES)
def test_a_misspelt_list_is_refused(name, tmp_path):
    vectors, test = made(2, (6, 6, 6, 6))
    path = tmp_path / "lists.jsonl"
    path.write_text(json.dumps({**test, "atributes_b": test["attributes_b"]}) + "\n", encoding="utf-8")
    with pytest.raises(DataError, match="there is no field 'atributes_b'"):
        eb.measure(name, vectors, source=path, **options(name))


@pytest.mark.parametrize("name", ["weat", "rnd", "rnsb", "mac", "ect", "ripa", "direct_bias", "projection"])
def test_seeds_that_are_measured_words_too_are_named(name):
    vectors, test = made(3, (6, 6, 6, 6))
    result = measured(name, vectors, {**test, "attributes_a": [*test["attributes_a"], "x0"]})
    assert any("x0 both target and attribute" in w for w in result.warnings)
    with pytest.raises(InputError, match="'x1' in both targets_x and targets_y"):
        measured(name, vectors, {**test, "targets_y": ["x1", *test["targets_y"][1:]]})


@pytest.mark.parametrize("name", ["ripa", "direct_bias", "indirect_bias", "projection"])
def test_pairs_of_identical_words_have_no_direction(name):
    vectors, test = made(4, (3, 3, 4, 4))
    same = vectors | {y: vectors[x] for x, y in zip(test["targets_x"], test["targets_y"], strict=True)}
    with pytest.raises(UndefinedScoreError, match="toy: .*(identical|the same vector)"):
        measured(name, same, test, same_vector="keep")
    with pytest.raises(
        CoverageError, match="3 of 3 pairs have the same vector as words of the opposite list"
    ):
        measured(name, same, test)
    one = {**test, "targets_x": ["x0"], "targets_y": ["x0"]}
    with pytest.raises(InputError, match="'x0' in both targets_x and targets_y"):
        measured(name, vectors, one)


@pytest.mark.parametrize("name", NAMES)
def test_missing_and_repeated_words_are_left_out_and_listed(name):
    vectors, test = made(5, (6, 6, 6, 6))
    paired = METHODS[name].paired
    longer = {**test, "targets_x": ["unknown", *test["targets_x"], "x0"]}
    if paired:
        longer["targets_y"] = ["unheard", *test["targets_y"], "y0"]
    found, expected = (measured(name, vectors, t) for t in (longer, test))
    assert (found.score, found.n) == (pytest.approx(expected.score), expected.n)
    assert [row.name for row in found.rows] == [row.name for row in expected.rows]
    reasons = {(s.item, s.where): s.reason for s in found.skipped}
    if paired:
        assert ("unknown / unheard", "toy/targets") in reasons
    else:
        assert ("unknown", "toy/targets_x") in reasons
        assert found.coverage.asked == found.coverage.found + 1
    if "measured_method" not in METHODS[name].options():  # which hand words to another method
        assert paired or reasons["x0", "toy/targets_x"] == "given 2 times, counted once"
        with pytest.raises(CoverageError, match="unknown"):
            measured(name, vectors, longer, max_missing=0.1)


@pytest.mark.parametrize("name", NAMES)
def test_words_in_other_letters_count_once(name):
    vectors, test = made(6, (6, 6, 6, 6))
    model = eb.load_model(vectors, case="lower")
    longer = {**test, **{column: [*test[column], test[column][0].upper()] for column in LISTS}}
    found, same = (measured(name, model, t) for t in (longer, test))
    assert (found.score, found.p_value, found.n) == (pytest.approx(same.score), same.p_value, same.n)
    lost = ["X0 / Y0"] if METHODS[name].paired else ["X0", "Y0"]
    assert {s.item.upper() for s in found.skipped} >= {*lost, "A0"}
    with pytest.raises(InputError, match="in both targets_x and targets_y"):
        measured(name, model, {**test, "targets_y": ["X0", *test["targets_y"][1:]]})


@pytest.mark.parametrize("method", ["mac", "rnd", "ripa", "direct_bias", "projection"])
def test_one_word_in_every_list_has_no_interval(method: str) -> None:
    vectors = {"he": [1.0, 0.2], "she": [0.1, 1.0], "work": [0.9, 0.4], "home": [0.3, 0.8]}
    lists = {"targets_x": ["he"], "targets_y": ["she"], "attributes_a": ["work"], "attributes_b": ["home"]}
    result = eb.measure(method, vectors, data=[{"name": "toy", **lists}])
    assert (result.ci_low, result.ci_high) == (None, None)
    assert any("one word in every list, so the interval is undefined" in w for w in result.warnings)


def test_a_mean_has_no_interval_where_one_of_its_tests_has_none():
    """Else the interval would be that of the mean of the others."""
    rng = np.random.default_rng(0)
    vectors = {f"{k}{i}": rng.normal(size=5).tolist() for k in "xyab" for i in range(6)}
    whole = {f: [f"{f[-1]}{i}" for i in range(6)] for f in LISTS}
    one = {f: [f"{f[-1]}0"] for f in LISTS}
    found = eb.measure("rnd", vectors, data=[{"name": "u", **whole}, {"name": "t", **one}], ci_resamples=99)
    assert [row.ci_low is None for row in found.rows_of("test")] == [False, True]
    assert (found.ci_low, found.ci_high) == (None, None)
    assert "t: one word in every list, so the interval is undefined" in found.warnings


@pytest.mark.parametrize("name", ["weat", "pmi_bias"])
def test_no_other_turkish_word_is_measured_in_place_of_one(name):
    """ılık is lukewarm, ilik is marrow; with the casing of its language the word is found, without it refused."""
    rng = np.random.default_rng(0)
    test = {
        "name": "tr", "language": "tr", "targets_x": ["ILIK", "sıcak"], "targets_y": ["kar", "buz"],
        "attributes_a": ["iyi", "güzel"], "attributes_b": ["kötü", "fena"],
    }  # fmt: skip
    words = ["ılık", "ilik", *(w for column in LISTS for w in test[column] if w != "ILIK")]
    vectors = {w: rng.normal(size=5) for w in words}
    model = eb.load_model(vectors, case="lower") if name == "weat" else eb.load_corpus([" ".join(words)] * 9)
    with pytest.raises(InputError, match="would be measured as 'ilik', which is another word in 'tr'"):
        eb.measure(name, model, data=[test])
    eb.measure(name, model, data=[{**test, "targets_x": ["ılık", "sıcak"]}])
    if name == "weat":
        turkish = eb.load_model(vectors, case="lower", language="tr")
        assert eb.measure(name, turkish, data=[test]).n == 4


@pytest.mark.parametrize("name", ["ripa", "projection"])
def test_four_lists_of_ones_own_say_which_words_become_the_axis(name):
    vectors, test = made(3)
    result = eb.measure(name, vectors, data=[test])
    (note,) = [w for w in result.warnings if "the axis is made of the targets, read as pairs (" in w]
    assert f"{test['targets_x'][0]} / {test['targets_y'][0]}, " in note
    assert "swap targets and attributes" in note
    assert not any("axis is made" in w for w in eb.measure(name, "glove-6b-50d").warnings)
    of_others = eb.measure(name, "glove-6b-50d", source="weat_word_lists", tests="weat6")
    assert any("weat6: the axis is made of the targets" in w for w in of_others.warnings)


def test_lists_that_a_method_does_not_read_are_not_counted():
    columns = ("name", "targets_x", "attributes_a", "attributes_b")
    record = dataclasses.replace(METHODS["weat"], columns=columns)
    vectors, test = made(3)
    seen = []

    def compute(material, inference):
        seen.append({name for name, words in material.words.items() if words})
        return results.TestOutcome(score=0.5, interval=None)

    found = measure_tests(
        record, eb.load_model(vectors), [test], compute, Inference(), results.Headline(resampled="targets")
    )
    assert seen == [set(columns[1:])]
    assert found.n == len(test["targets_x"])
