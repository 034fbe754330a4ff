"""Seed sensitivity against a naive loop over subsets, its properties, and what it refuses."""

from __future__ import annotations

import itertools
import re
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import evaluate_bias as eb
from evaluate_bias.methods.agreement.seed_sensitivity.method import RememberingModel
from evaluate_bias.methods.measured import warnings_of_parts

from .vector_tests import LISTS, cos


def made_up(
    seed: int = 0, shift: float = 0.7, size: int = 6
) -> tuple[dict[str, Any], dict[str, list[float]]]:
    rng = np.random.default_rng(seed)
    signs = dict(zip(LISTS, (shift, -shift, 1.0, -1.0), strict=True))
    test: dict[str, Any] = {"name": "t", **{k: [f"{k}{i}" for i in range(size)] for k in LISTS}}
    vectors = {w: rng.normal(size=8) + np.eye(8)[0] * signs[k] for k in LISTS for w in test[k]}
    return test, {w: v.tolist() for w, v in vectors.items()}


def naive_mac(test: dict[str, Any], vectors: dict[str, list[float]]) -> float:
    targets = test["targets_x"] + test["targets_y"]
    means = [np.mean([1 - cos(vectors[t], vectors[a]) for a in test[k]]) for t in targets for k in LISTS[2:]]
    return float(np.mean(means))


def test_leaving_out_is_that_of_a_naive_loop() -> None:
    test, vectors = made_up()
    result = eb.measure("seed_sensitivity", vectors, data=[test], measured_method="mac", n_subsets=10)
    whole = naive_mac(test, vectors)
    items = {row.name: row.details["score_without"] for row in result.rows_of("item")}
    assert len(items) == 24
    for column, word in ((c, w) for c in LISTS for w in test[c]):
        rest = {**test, column: [w for w in test[column] if w != word]}
        assert items[f"{column}: {word}"] == pytest.approx(naive_mac(rest, vectors), rel=1e-9)
    estimates = result.estimates
    assert estimates["measured_score"].value == pytest.approx(whole, rel=1e-9)
    assert estimates["largest_change"].value == pytest.approx(
        max(abs(s - whole) for s in items.values()), rel=1e-9
    )
    first = result.rows_of("test")[0].details["influential"][0]
    assert abs(first["change"]) == pytest.approx(estimates["largest_change"].value)
    assert "verdict_flips" not in estimates


def test_the_share_is_that_of_all_parts() -> None:
    """Of one list of four, parts keep three: over many draws, each of the four counts alike."""
    vectors = {"a": [0.9], "b": [0.9], "c": [0.9], "d": [-1.6], "good": [1.0]}
    vectors = {w: [v[0], float(np.sqrt(max(0.0, 4.0 - v[0] ** 2)))] for w, v in vectors.items()} | {
        "good": [1.0, 0.0]
    }
    test = {
        "name": "t",
        "targets_x": ["a", "b", "c", "d"],
        "targets_y": [],
        "attributes_a": ["good"],
        "attributes_b": [],
    }
    whole = np.mean([1 - v[0] / 2 for w, v in vectors.items() if w != "good"])
    parts = [np.mean([1 - vectors[w][0] / 2 for w in p]) for p in itertools.combinations("abcd", 3)]
    expected = np.mean([np.sign(p - 1) == np.sign(whole - 1) for p in parts])
    options = {"measured_options": {"same_vector": "keep"}, "measured_method": "mac"}
    result = eb.measure("seed_sensitivity", vectors, data=[test], **options, n_subsets=400)
    assert result.score == pytest.approx(expected, abs=0.07)
    assert 0 < expected <= 1
    low, high = result.estimates["measured_score"].low, result.estimates["measured_score"].high
    assert low == pytest.approx(min(parts))
    assert high == pytest.approx(max(parts))


def test_standard_error_is_that_of_new_words() -> None:
    """The delete-d jackknife estimates the spread over new samples of words."""
    found, scores = [], []
    for seed in range(20):
        test, vectors = made_up(seed)
        result = eb.measure("seed_sensitivity", vectors, data=[test], measured_method="mac", n_subsets=20)
        found.append(result.rows_of("test")[0].details["standard_error"])
        scores.append(result.estimates["measured_score"].value)
    assert np.mean(found) == pytest.approx(np.std(scores, ddof=1), rel=0.4)


@pytest.mark.parametrize("name", ["weat", "mac", "ect", "rnd", "rnsb", "ripa", "direct_bias", "projection"])
def test_methods_on_words_are_measured_through_the_registry(name: str) -> None:
    test, vectors = made_up()
    result = eb.measure("seed_sensitivity", vectors, data=[test], measured_method=name, n_subsets=6)
    assert 0 <= result.score <= 1
    assert result.settings["measured_method"] == name
    full = eb.measure(name, vectors, data=[test], **result.settings["measured_options"])
    own = full.rows_of("test")[0] if full.rows_of("test") else full
    assert result.estimates["measured_score"].value == pytest.approx(own.score, rel=1e-9)
    whole_p = result.details["measured_p_value"]
    for rest in (row.details for row in result.rows_of("item") if whole_p is not None):
        same_side = np.sign(rest["score_without"] - full.reference) == np.sign(own.score - full.reference)
        same = (rest["p_without"] < 0.05) == (whole_p < 0.05) and (whole_p >= 0.05 or same_side)
        assert rest["same_conclusion"] == same


def test_every_word_is_asked_for_once() -> None:
    test, vectors = made_up()
    asked: list[str] = []

    class Counting:
        name = "counting"

        def provenance(self) -> dict[str, Any]:
            return {"name": self.name}

        def embed_words(self, words: Any) -> Any:
            asked.extend(words)
            return np.array([vectors[w] for w in words]), []

    eb.measure("seed_sensitivity", Counting(), data=[test], n_subsets=20)
    assert sorted(asked) == sorted(vectors)


def test_what_is_remembered_is_what_the_model_says() -> None:
    calls = []

    class Model:
        name = "m"

        def embed_in_context(self, texts: Any, spans: Any, representations: Any) -> list[Any]:
            calls.append(list(texts))
            return [
                np.array([len(t), 0 if s is None else s[0]], dtype=float)
                for t, s in zip(texts, spans, strict=True)
            ]

    model = RememberingModel(Model())
    first = model.embed_in_context(["a", "bb", "a"], [(0, 1), None, (0, 1)], ["mean"])
    again = model.embed_in_context(["a", "a"], [(0, 1), (3, 4)], ["mean"])
    assert [v.tolist() for v in first] == [[1, 0], [2, 0], [1, 0]]
    assert [v.tolist() for v in again] == [[1, 0], [1, 3]]
    assert calls == [["a", "bb"], ["a"]]
    assert not hasattr(model, "embed_words")


@pytest.mark.parametrize(
    ("method", "options", "part"),
    [
        ("seed_sensitivity", {}, "in [0-9]+ of 46 subsets: "),
        ("frequency_sensitivity", {"frequencies": "count"}, "in [0-9]+ of 20 sets: "),
    ],
)
def test_warnings_of_the_measured_method_are_handed_on_once(
    method: str, options: dict[str, Any], part: str
) -> None:
    test, vectors = made_up()
    twice = {**test, "attributes_b": ["attributes_a0", *test["attributes_b"]]}
    twice["targets_x"] = ["attributes_a1", *test["targets_x"]]
    if options:
        options = {"frequencies": {w: float(i + 1) for i, w in enumerate(vectors)}}
    found = eb.measure(method, vectors, data=[twice], n_subsets=20, **options).warnings
    whole = eb.measure("weat", vectors, data=[twice], ci="none").warnings
    assert len(whole) == 2
    assert [w for w in found if w in whole] == [*whole]
    others = [w for w in found if re.match(part, w)]
    if (
        method == "seed_sensitivity"
    ):  # parts may drop a word of one list only, after which the word cancels out
        assert [re.sub("^in [0-9]+", "", w) for w in others] == [
            " of 46 subsets: t: attributes_a0 in both attribute lists, where it cancels out"
        ]
    else:  # attributes stay whole, and no interval is asked for, so that none is rough
        assert others == []


def test_warnings_of_parts_are_counted_and_the_rare_ones_summed_up() -> None:
    whole, *parts = (
        SimpleNamespace(warnings=tuple(given))
        for given in (["w"], ["w", "a", "a"], ["a", "b"], ["b", "c"], ["b"], ["d", "e", "f", "g"])
    )
    found = warnings_of_parts(whole, parts, "part")  # type: ignore[arg-type]
    assert found == [
        "w",
        "in 3 of 5 parts: b",
        "in 2 of 5 parts: a",
        "in 1 of 5 parts: c",
        "in 1 of 5 parts: d",
        "in 1 of 5 parts: e",
        "2 rarer warnings of parts",
    ]
