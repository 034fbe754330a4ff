"""Word lists that are not what they should be: the same for every method that takes them."""

from __future__ import annotations

import json

import numpy as np
import pytest

import evaluate_bias as eb
from evaluate_bias.errors import BiasError, CoverageError, DataError, InputError, UndefinedScoreError
from evaluate_bias.registry import METHODS

from .vector_tests import LISTS, made, run

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
        measured(name, same, test)
    one = {**test, "targets_x": ["x0"], "targets_y": ["x0"]}
    with pytest.raises(InputError, match="'x0' in both targets_x and targets_y"):
        measured(name, vectors, one)


@pytest.mark.parametrize("name", ["ripa", "direct_bias", "indirect_bias", "projection"])
def test_a_pair_with_a_missing_word_is_left_out_and_listed(name):
    vectors, test = made(5, (6, 6, 4, 4))
    shorter = {**test, "targets_x": test["targets_x"][1:], "targets_y": test["targets_y"][1:]}
    lost = {**test, "targets_x": ["unknown", *test["targets_x"][1:]]}
    found, expected = (measured(name, vectors, t) for t in (lost, shorter))
    assert found.score == pytest.approx(expected.score)
    assert [s.item for s in found.skipped] == ["unknown / y0"]
    with pytest.raises(CoverageError, match="unknown / y0"):
        measured(name, vectors, lost, max_missing=0.1)


@pytest.mark.parametrize("c", [0.0, -1.0, float("nan"), float("inf"), "high", True, 10**400])
def test_strength_out_of_range(c):
    vectors, test = made(6, (4, 4, 5, 5))
    with pytest.raises(InputError, match="c must be") as caught:
        run("rnsb", vectors, test, c=c)
    assert len(str(caught.value)) <= 600
    if c != 0.0:
        with pytest.raises(InputError, match="c must be"):
            run("direct_bias", vectors, test, c=c)


def test_strictness_0_counts_words_that_have_any_part_along_the_direction():
    vectors, test = made(6, (4, 4, 5, 5))
    assert run("direct_bias", vectors, test, c=0.0, n_resamples=19).score == 1.0


def test_lrcos_with_one_class():
    rng = np.random.default_rng(0)
    vectors = {f"w{i}": rng.normal(size=4) for i in range(30)}
    asked = {"a": "w4", "b": "w5", "c": "w8", "expected": ["w7"], "relation": "r"}
    with pytest.raises(UndefinedScoreError, match="same words on both sides"):
        eb.measure(
            "analogies", vectors, data=[asked, {**asked, "a": "w5", "b": "w4", "c": "w9"}], solver="lrcos"
        )


@pytest.mark.parametrize("method", ["mac", "rnd", "ripa", "direct_bias", "projection"])
def test_one_word_in_every_list_has_no_interval(method: str) -> None:
    vectors = {"he": [1.0, 0.2], "she": [0.1, 1.0], "work": [0.9, 0.4], "home": [0.3, 0.8]}
    lists = {"targets_x": ["he"], "targets_y": ["she"], "attributes_a": ["work"], "attributes_b": ["home"]}
    result = eb.measure(method, vectors, data=[{"name": "toy", **lists}])
    assert (result.ci_low, result.ci_high) == (None, None)
    assert any("one word in every list, so there is no interval" in w for w in result.warnings)


def test_a_mean_has_no_interval_where_one_of_its_tests_has_none():
    """Else the interval would be that of the mean of the others."""
    rng = np.random.default_rng(0)
    vectors = {f"{k}{i}": rng.normal(size=5).tolist() for k in "xyab" for i in range(6)}
    whole = {f: [f"{f[-1]}{i}" for i in range(6)] for f in LISTS}
    one = {f: [f"{f[-1]}0"] for f in LISTS}
    found = eb.measure("rnd", vectors, data=[{"name": "u", **whole}, {"name": "t", **one}], ci_resamples=99)
    assert [row.ci_low is None for row in found.rows_of("test")] == [False, True]
    assert (found.ci_low, found.ci_high) == (None, None)
    assert "t: one word in every list, so there is no interval" in found.warnings
