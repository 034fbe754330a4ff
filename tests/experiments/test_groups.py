"""Several groups with a method: the pairs are the method's own, the omnibus test is counted naively, bad input."""

import itertools

import numpy as np
import pytest

import evaluate_bias as eb
from evaluate_bias.errors import InputError, UnknownNameError
from evaluate_bias.experiments import groups as module
from evaluate_bias.experiments.groups import intersect, pairwise
from evaluate_bias.stats import holm
from tests.support.refusals import refusals, refused

RNG = np.random.default_rng(6)
WORDS = [f"w{i}" for i in range(24)]
VECTORS = {word: RNG.normal(0.2, 1.0, 8).tolist() for word in WORDS}
GROUPS = {"a": WORDS[:4], "b": WORDS[4:9], "c": WORDS[9:12]}
A, B = WORDS[12:16], WORDS[16:20]
TARGETS = {"targets_x": A, "targets_y": B}
ATTRIBUTES = {"attributes_a": A, "attributes_b": B}


def test_the_pairs_are_what_the_method_says_of_each_and_adjusted_after_holm():
    found = pairwise("weat", VECTORS, GROUPS, **ATTRIBUTES, omnibus_resamples=0)
    assert (found.p_value, found.null_mean, found.n_resamples) == (None, None, 0)
    p = []
    for row, (one, other) in zip(found.pairs, itertools.combinations(GROUPS, 2), strict=True):
        test = {"name": "pair", "targets_x": GROUPS[one], "targets_y": GROUPS[other], **ATTRIBUTES}
        alone = eb.measure("weat", VECTORS, data=[test])
        assert row.name == f"{one} / {other}"
        assert row.score == pytest.approx(alone.score, rel=1e-12)
        assert row.p_value == alone.p_value
        p.append(row.p_value)
    assert [row.p_holm for row in found.pairs] == pytest.approx(holm(p).tolist(), rel=1e-12)
    best = max(found.pairs, key=lambda row: abs(row.score))
    assert (found.strongest, found.statistic) == (best.name, abs(best.score))
    assert found.groups == {"a": 4, "b": 5, "c": 3}


def test_dealt_associations_and_measured_relabellings_agree(monkeypatch):
    quick = pairwise("weat", VECTORS, GROUPS, **ATTRIBUTES, omnibus_resamples=999)
    monkeypatch.setattr(module, "_associations", lambda *_: None)
    slow = pairwise("weat", VECTORS, GROUPS, **ATTRIBUTES, omnibus_resamples=149)
    assert slow.statistic == quick.statistic
    assert abs(slow.p_value - quick.p_value) <= 4 * slow.p_error
    assert slow.null_mean == pytest.approx(quick.null_mean, abs=0.12)


@pytest.mark.parametrize(("method", "role"), [("rnd", "targets"), ("weat", "attributes"), ("ect", "targets")])
def test_any_method_that_compares_two_lists(method, role):
    lists = (
        TARGETS if role == "attributes" else {"attributes_a": [*A, *B]} if method != "weat" else ATTRIBUTES
    )
    found = pairwise(method, VECTORS, GROUPS, role=role, **lists, omnibus_resamples=19)
    ideal = eb.registry.get_method(method).ideal
    assert found.statistic == max(abs(row.score - ideal) for row in found.pairs)
    assert 1 / 20 <= found.p_value <= 1
    assert 0 < found.p_error < 0.5
    again = pairwise(method, VECTORS, GROUPS, role=role, **lists, omnibus_resamples=19)
    assert again == found


def test_a_planted_group_is_found_and_words_without_a_vector_are_in_no_group():
    rng = np.random.default_rng(1)
    vectors = {w: rng.normal(0, 0.3, 4).tolist() for w in WORDS}
    for word in A:
        vectors[word] = [1.0, 0.0, 0.0, rng.normal(0, 1e-3)]
    for word in B:
        vectors[word] = [0.0, 1.0, 0.0, rng.normal(0, 1e-3)]
    sets = {"a": WORDS[:4] + WORDS[20:22], "b": [*GROUPS["b"], "absent"], "c": [*GROUPS["c"], *WORDS[22:]]}
    for word in sets["a"]:
        vectors[word] = (rng.normal(0, 0.3, 4) + np.array([1.5, 0, 0, 0])).tolist()
    found = pairwise("weat", vectors, sets, **ATTRIBUTES)
    assert found.strongest.startswith("a / ")
    assert found.p_value < 0.05
    assert found.groups["b"] == 5
    assert {s.item for s in found.result.skipped} == {"absent"}


def test_intersections_are_the_words_of_all_properties():
    made = intersect({"f": ["x", "y", "z"], "m": ["u", "v"]}, {"old": {"x", "u"}, "young": {"z", "y", "v"}})
    assert made == {"f & old": ["x"], "f & young": ["y", "z"], "m & old": ["u"], "m & young": ["v"]}
    three = intersect({"f": ["x"], "m": ["u"]}, {"old": ["x", "u"]}, {"here": ["u", "x"]})
    assert three == {"f & old & here": ["x"], "m & old & here": ["u"]}
    refused(InputError, "no word belongs to 'f & old'", intersect, {"f": ["x"], "m": ["u"]}, {"old": ["u"]})
    refused(InputError, "at least two properties", intersect, {"f": ["x"]})


def given_method_change(method, change):
    given = {"groups": GROUPS, **ATTRIBUTES, **change}
    pairwise(method, VECTORS, **given)


test_bad_input_is_one_clear_sentence = refusals(
    given_method_change,
    ("weat", {"groups": {"a": ["w1", "w2"]}}, InputError, "groups", "at least two names"),
    ("weat", {"groups": {"a": ["w1", "w2"], "b": "w3"}}, InputError, "groups", "'b' must be a list of words"),
    ("weat", {"groups": {"a": ["w1", "w2"], "b": ["w2", "w3"]}}, InputError, None, "'w2' is in 'a' and 'b'"),
    ("weat", {"role": "both"}, UnknownNameError, "role", "unknown role 'both'"),
    ("weat", {"omnibus_resamples": -1}, InputError, "omnibus_resamples", "`omnibus_resamples` must be"),
    ("weat", {"targets_x": ["w1"]}, InputError, None, "targets_x is made of the groups"),
    ("weat", {"levle": 0.9}, UnknownNameError, None, "levle"),
    ("mac", {}, InputError, "role", "mac does not compare two lists"),
)


def test_printed_groups_are_a_line_for_each_pair():
    found = pairwise("weat", VECTORS, GROUPS, **ATTRIBUTES, omnibus_resamples=99)
    first, *lines = str(found).splitlines()
    assert first.startswith(f"weat, 3 groups, strongest: {found.strongest} ({found.statistic:.4f})")
    assert first.endswith("for all groups together")
    for line, row in zip(lines, found.pairs, strict=True):
        assert line.startswith(f"  {row.name} = {row.score:.4f}  [95% CI ")
        assert line.endswith(f"p (Holm) = {row.p_holm:.4g}")
