"""GLPP: a naive eigenproblem, what becomes of the vectors, other methods on them, bad input."""

from __future__ import annotations

import numpy as np
import pytest

import evaluate_bias as eb
from evaluate_bias.errors import CapabilityError, InputError, ModelError, UndefinedScoreError
from evaluate_bias.methods import glpp
from tests.support.draws import draws
from tests.support.refusals import refusals

from .vector_tests import Listless, made, run


def naive(w, dimension, k, eta, width):
    """Eigenvalues, and an orthonormal basis of what is kept, from matrices written out word by word."""
    n = len(w)
    joined = set()
    for i in range(n):
        near = sorted((float(((w[i] - w[j]) ** 2).sum()), j) for j in range(n) if j != i)
        joined |= {frozenset((i, j)) for _, j in near[:k]}
    squared = {pair: float(((w[min(pair)] - w[max(pair)]) ** 2).sum()) for pair in joined}
    t = width or sum(squared.values()) / len(squared)
    s = np.zeros((n, n))
    for pair, apart in squared.items():
        i, j = pair
        s[i, j] = s[j, i] = np.exp(-apart / t)
    d = np.diag(s.sum(axis=1))
    c = sum(np.outer(v - w.mean(axis=0), v - w.mean(axis=0)) for v in w)
    values, vectors = np.linalg.eig(np.linalg.solve(w.T @ d @ w, w.T @ (d - s) @ w - eta * c))
    order = np.argsort(values.real)[:dimension]
    return values.real[order], np.linalg.qr(vectors.real[:, order])[0], t, s


@draws(200)
def test_agrees_with_matrices_written_out(seed):
    rng = np.random.default_rng(seed)
    size = int(rng.integers(2, 7))
    n = int(rng.integers(3 * size, 30))
    w = rng.normal(size=(n, size))
    dimension, k = int(rng.integers(1, size + 1)), int(rng.integers(1, n))
    eta = float(rng.choice([0.0, 0.5, 2.0]))
    width = None if rng.random() < 0.5 else float(rng.uniform(1, 5))
    values, basis, t, weights = naive(w, dimension, k, eta, width)
    found = glpp.fit(w, dimension, k=k, eta=eta, width=width)
    assert found.eigenvalues == pytest.approx(values, abs=1e-8)
    assert found.width == pytest.approx(t)
    rows, columns, numbers, _ = glpp.neighbour_weights(w, k, width)
    dense = np.zeros((n, n))
    dense[rows, columns] = numbers
    assert dense == pytest.approx(weights)
    lost = w - w @ basis @ basis.T
    expected = (lost**2).sum(axis=1) / (w**2).sum(axis=1)
    assert glpp.reconstruction_errors(found, w) == pytest.approx(expected, abs=1e-6)
    again = found.transform(found.reconstruct(found.transform(w)))
    assert again == pytest.approx(found.transform(w), abs=1e-9)


def test_columns_are_orthogonal_in_the_metric_of_the_graph():
    w = np.random.default_rng(0).normal(size=(40, 5))
    u = glpp.fit(w, 3, k=4).matrix
    rows, _, weights, _ = glpp.neighbour_weights(w, 4)
    degrees = np.bincount(rows, weights)
    assert u.T @ (w.T * degrees) @ w @ u == pytest.approx(np.eye(3), abs=1e-9)
    assert (u[np.abs(u).argmax(axis=0), range(3)] > 0).all()


def vocabulary(seed=1, n=60):
    vectors, test = made(seed, (5, 5, 4, 4), 6)
    rng = np.random.default_rng(seed)
    return {**vectors, **{f"w{i}": rng.normal(size=6) for i in range(n)}}, test


def test_a_comparison_is_of_the_words_of_every_list():
    """It was of the targets alone, and the sentence named another score than the result."""
    first, second = (
        run("glpp", eb.load_model(vectors), test, dimension=2) for vectors, test in map(vocabulary, (1, 2))
    )
    (change,) = eb.compare(first, second).changes
    assert (change.n, change.published_first) == (18, None)
    assert (change.first, change.second) == pytest.approx((first.score, second.score))


def test_the_score_is_the_mean_of_what_is_kept_and_says_what_each_word_gives():
    vectors, test = vocabulary()
    model = eb.load_model(vectors)
    result = run("glpp", model, test, dimension=2, ci="bca", ci_resamples=499)
    refined = glpp.refined_vectors(model, dimension=2)
    words = [w for name in ("targets_x", "targets_y", "attributes_a", "attributes_b") for w in test[name]]
    kept = 1 - glpp.reconstruction_errors(refined.projection, [vectors[w] for w in words])
    assert result.score == pytest.approx(kept.mean())
    assert result.ci_low < result.score < result.ci_high
    assert result.estimates["reconstruction_error"].value == pytest.approx(1 - kept.mean())
    (row,) = result.rows
    lines = row.details["words"] + row.details["attributes"]
    assert {line["word"]: line["kept"] for line in lines} == pytest.approx(
        dict(zip(words, kept, strict=True))
    )
    assert lines[0]["influence"] == pytest.approx(kept.mean() - kept[1:].mean())


def test_rotation_and_scale_change_nothing_and_all_dimensions_keep_everything():
    vectors, test = vocabulary()
    score = run("glpp", vectors, test).score
    turn = np.linalg.qr(np.random.default_rng(1).normal(size=(6, 6)))[0]
    for change in (lambda v: 1e3 * v, lambda v: turn @ v):
        assert run("glpp", {w: change(v) for w, v in vectors.items()}, test).score == pytest.approx(score)
    assert run("glpp", vectors, test, dimension=6).score == pytest.approx(1.0)
    kept = [run("glpp", vectors, test, dimension=d).score for d in range(1, 7)]
    assert kept == sorted(kept)


@pytest.mark.parametrize("method", ["weat", "rnd", "mac", "ripa", "direct_bias", "projection", "seat"])
def test_other_methods_take_refined_vectors_for_a_model(method):
    vectors, test = vocabulary()
    refined = glpp.refined_vectors(eb.load_model(vectors, case="first_found"), dimension=3)
    written = {w: refined.projection.matrix.T @ v for w, v in vectors.items()}
    test = {**test, "targets_x": [w.upper() for w in test["targets_x"]]}
    lower = {**test, "targets_x": [w.lower() for w in test["targets_x"]]}
    options = {"templates": ["{target}"]} if method == "seat" else {}
    found = eb.measure(method, refined, data=[test], ci="none", **options)
    expected = eb.measure(method, written, data=[lower], ci="none", **options)
    assert found.score == pytest.approx(expected.score)
    assert found.provenance["model"]["name"] == "mapping (GLPP)"
    assert found.provenance["model"]["projection"]["dimension"] == 3


VECTORS, TEST = vocabulary()
SHORT = {"name": "toy", "targets_x": TEST["targets_x"]}
FEW = dict(list(VECTORS.items())[:5])

test_bad_input = refusals(
    lambda vectors, options, test=SHORT: run("glpp", vectors, test, **options),
    (FEW, {"k": 5}, InputError, "k", "`k` must be from 1 to 4"),
    (FEW, {"k": 2}, UndefinedScoreError, None, "W D Wᵀ of 5 vectors of dimension 6 is singular"),
    ({w: np.append(v[:5], v[0]) for w, v in VECTORS.items()}, {}, UndefinedScoreError, None, "is singular"),
    ({w: np.ones(6) for w in VECTORS}, {}, UndefinedScoreError, None, "the same as its neighbours"),
    (VECTORS, {"k": 0}, InputError, "k", "`k` must be an integer, 1 or more"),
    (VECTORS, {"dimension": 0}, InputError, "dimension", "`dimension` must be from 1 to 6"),
    (VECTORS, {"dimension": 7}, InputError, "dimension", "`dimension` must be from 1 to 6"),
    (VECTORS, {"dimension": 10**400}, InputError, "dimension", "`dimension` must be from 1 to 6"),
    (VECTORS, {"eta": -1.0}, InputError, "eta", "`eta` must be 0 or more"),
    (VECTORS, {"eta": float("nan")}, InputError, "eta", "`eta` must be"),
    (VECTORS, {"width": 0.0}, InputError, "width", "`width` must be above 0"),
    (VECTORS, {"max_vocabulary": 0}, InputError, "max_vocabulary", "max_vocabulary"),
    (VECTORS, {}, {**SHORT, "targets_x": []}, UndefinedScoreError, None, "targets_x is empty"),
    (Listless(), {}, CapabilityError, None, "listless does not list its words"),
)

test_vectors_that_cannot_be_refined = refusals(
    None,
    (glpp.refined_vectors, object(), CapabilityError, "model", "glpp needs a model that embeds words"),
    (
        lambda: glpp.refined_vectors(eb.load_model(VECTORS | {"w3": np.full(6, np.nan)})),
        ModelError,
        None,
        "NaN or",
    ),
)


def test_a_zero_vector_is_not_fitted():
    refined = glpp.refined_vectors(eb.load_model({**VECTORS, "w3": np.zeros(6)}))
    assert refined.provenance()["projection"]["words_fitted"] == len(VECTORS) - 1


def test_words_that_are_held_out_and_their_distance() -> None:
    rng = np.random.default_rng(0)
    vectors = {f"w{i}": rng.normal(size=6) for i in range(40)}
    test = {"name": "t", "targets_x": ["w0", "w1"], "targets_y": ["w2"]}
    result = eb.measure("glpp", vectors, data=[test], dimension=3, k=4, held_out=True, ci="none")
    unseen = np.array([vectors[f"w{i}"] for i in range(3)])
    projection = glpp.fit(np.array(list(vectors.values()))[3:], 3, k=4)
    rebuilt = projection.reconstruct(projection.transform(unseen))
    assert result.estimates["distance"].value == pytest.approx(
        np.linalg.norm(unseen - rebuilt, axis=1).mean()
    )
    assert result.details["words_fitted"] == 37
    seen = eb.measure("glpp", vectors, data=[test], dimension=3, k=4, ci="none")
    assert seen.details["words_fitted"] == 40
    assert seen.score != pytest.approx(result.score)
