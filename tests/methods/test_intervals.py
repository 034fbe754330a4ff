"""Samples that all have the same score say nothing of what others would give: no interval, and a sentence."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.stats import special_ortho_group

import evaluate_bias as eb
from evaluate_bias.corpora.corpus import Corpus
from evaluate_bias.stats import NO_WIDTH

from .vector_tests import LISTS

ON_VECTORS: dict[str, dict[str, Any]] = {
    "weat": {},
    "seat": {"templates": "none"},
    "rnd": {},
    "mac": {},
    "ect": {},
    "rnsb": {"ci_resamples": 19},
    "ripa": {},
    "direct_bias": {},
    "indirect_bias": {},
    "projection": {},
}
ALONG = {
    "targets_x": [1.0, 0.3],
    "targets_y": [0.2, 1.0],
    "attributes_a": [1.0, 0.1],
    "attributes_b": [0.1, 1.0],
}


def listed(places: dict[str, list[float]], n: int, name: str = "t") -> tuple[dict[str, Any], dict[str, Any]]:
    """Vectors of ``n`` words a list, all in one place, turned so that they are not exact; and their test."""
    turned = special_ortho_group.rvs(4, random_state=3)
    test = {key: [f"{name}{key[-1]}{i}" for i in range(n)] for key in LISTS}
    vectors = {w: turned[:, :2] @ np.array(places[key]) for key, words in test.items() for w in words}
    return vectors, {"name": name, **test}


@pytest.mark.parametrize("n", [2, 3, 9])
@pytest.mark.parametrize("method", ON_VECTORS)
def test_words_of_a_list_that_are_all_the_same_to_the_model(method: str, n: int) -> None:
    if method == "ect" and n < 9:
        pytest.skip("attributes drawn from one list alone have no rank correlation")
    vectors, test = listed(ALONG, n)
    found = eb.measure(
        method, vectors, data=[test], same_vector="keep", **{"ci_resamples": 99, **ON_VECTORS[method]}
    )
    assert (found.ci_low, found.ci_high, found.ci_method) == (None, None, "")
    assert f"t: {NO_WIDTH}" in found.warnings
    unasked = eb.measure(
        method, vectors, data=[test], same_vector="keep", **{**ON_VECTORS[method], "ci": "none"}
    )
    assert not any(NO_WIDTH in w for w in unasked.warnings)


@pytest.mark.parametrize(
    ("method", "factor"),
    [("rnsb", 1.0), *((m, f) for m in ("ripa", "direct_bias", "projection") for f in (1e-50, 1.0, 1e50))],
)
def test_scores_of_zero_that_differ_by_rounding(method: str, factor: float) -> None:
    """Words at right angles to all others, after a rotation, have scores of 1e-17 of either sign."""
    turned = special_ortho_group.rvs(8, random_state=3)
    test = {key: [f"{key}{i}" for i in range(2)] for key in LISTS}
    vectors = {w: factor * turned[:, i] for i, w in enumerate(w for words in test.values() for w in words)}
    options = {"ripa": {"normalize": False}, "rnsb": {}}.get(method, {"direction": "mean_difference"})
    found = eb.measure(method, vectors, data=[{"name": "t", **test}], **{"ci_resamples": 99, **options})
    assert abs(found.score) <= 1e-15 * max(1.0, factor)
    assert (found.ci_low, found.ci_high) == (None, None)


def test_ceat_says_where_every_word_has_one_context() -> None:
    vectors, test = listed(ALONG, 3)
    options = {"representation": "sentence_mean", "samples": 50, "same_vector": "keep"}
    found = eb.measure("ceat", vectors, data=[test], contexts=list(vectors), **options)
    assert sum("t: all samples have the same effect size" in w for w in found.warnings) == 1
    vectors["aside"] = np.array([0.4, -1.0, 0.2, 0.5])
    more = [*vectors, *(f"aside {w}" for w in vectors)]
    found = eb.measure("ceat", vectors, data=[test], contexts=more, **options)
    assert not any("same effect size" in w for w in found.warnings)


PRONOUNS = [
    {
        "sentence_female": float(s == "female"),
        "sentence_male": float(s == "male"),
        "stereotype": s,
        "profession": f"{s}{i}",
    }
    for s in ("female", "male")
    for i in range(4)
    for _ in range(2)
]
RESOLVED = [
    {
        "stereotype": s,
        "profession": f"{s}{i}",
        **dict.fromkeys(("prediction_female", "prediction_male"), f"The {s}{i}"),
    }
    for s in ("female", "male")
    for i in range(4)
]
ANSWERS = [
    {"category": "Age", "question_index": str(i), "context_condition": "ambig", "context": "A boy and a man came.",
     "question": "Who fell?", "ans0": -2.0, "ans1": -1.0, "ans2": -3.0, "label": 2, "target_loc": 1, "unknown_loc": 2}
    for i in range(6)
]  # fmt: skip
LABELLED = [
    {"predictions": job, "references": job, "groups": group}
    for job in ("nurse", "cook")
    for group in ("female", "male")
    for _ in range(12)
]
PAIRS = [
    {"sent_more": x, "sent_less": x - 0.3, "bias_type": "age"}
    for x in np.random.default_rng(2).normal(size=12).tolist()
]


@pytest.mark.parametrize(
    ("method", "rows", "options"),
    [
        ("winobias", PRONOUNS, {"ci_resamples": 99}),
        ("winobias", RESOLVED, {"ci_resamples": 99, "variant": "coreference"}),
        ("bbq", ANSWERS, {"ci": "studentised"}),
        ("bbq", ANSWERS, {"ci": "percentile"}),
        ("tpr_gap", LABELLED, {"ci_resamples": 99}),
        ("kldivs", PAIRS, {"ci_resamples": 99}),
    ],
)
def test_rows_that_all_say_the_same(method: str, rows: list[dict[str, Any]], options: dict[str, Any]) -> None:
    found = eb.measure(method, None, data=rows, n_resamples=99, **options)
    assert (found.ci_low, found.ci_high) == (None, None)
    assert NO_WIDTH in (*found.warnings, found.ci_method.removeprefix("none: "))


@pytest.mark.parametrize("second", [["c", "d"], []])
def test_words_of_a_corpus_that_are_all_alike(second: list[str]) -> None:
    texts = [f"{seed} {word}" for seed in ("she", "he", "she") for word in "abcd" for _ in range(5)]
    test = {"name": "t", "targets_x": ["she"], "targets_y": ["he"], "attributes_a": ["a", "b"]}
    for method in ("pmi_bias", "frequency_bias"):
        found = eb.measure(method, Corpus(texts), data=[{**test, "attributes_b": second}])
        assert (found.ci_low, found.ci_high) == (None, None)
        assert f"t: {NO_WIDTH}" in found.warnings
        alone = eb.measure(
            method, Corpus(texts), data=[{**test, "attributes_a": ["a"], "attributes_b": second}]
        )
        assert "t: one word in attributes_a, so there is no interval" in alone.warnings


def test_differences_that_are_all_the_same_have_a_mean_without_interval() -> None:
    found = eb.measure("crows_pairs", None, data=[{**pair, "stereo_antistereo": "stereo"} for pair in PAIRS])
    assert found.ci_low is not None
    assert found.estimates["mean_delta"].low is None


def test_measures_that_agree_or_disagree_wholly() -> None:
    """Correlations of 1, −1 and −1, whichever model is left out: their mean is −1/3 every time."""
    rows = [
        {"model_name": f"m{i}", "measure": measure, "score": sign * float(i)}
        for measure, sign in (("first", 1), ("second", 1), ("third", -1))
        for i in range(6)
    ]
    found = eb.measure("metric_compatibility", None, data=rows)
    assert found.score == pytest.approx(-1 / 3)
    assert (found.ci_low, found.ci_high) == (None, None)
    assert any("of which each changes it" in w for w in found.warnings)
