"""RNSB: scikit-learn as the reference, properties, bad input. The golden cases are in the common table."""

from __future__ import annotations

import math

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from evaluate_bias.errors import InputError
from evaluate_bias.methods import rnsb
from evaluate_bias.methods.association.rnsb.method import coordinates, fit, log_odds
from tests.support.draws import draws

from .vector_tests import made, run


def naive(vectors, targets, good, bad, c=1.0, weights=None):
    model = LogisticRegression(C=c, tol=1e-12, max_iter=100_000)
    seeds = good + bad
    model.fit([vectors[w] for w in seeds], [0] * len(good) + [1] * len(bad), sample_weight=weights)
    p = model.predict_proba([vectors[t] for t in targets])[:, 1]
    shares = [float(v / p.sum()) for v in p]
    return sum(s * math.log(s * len(shares)) for s in shares), p


@draws(200)
def test_agrees_with_scikit_learn(seed):
    rng = np.random.default_rng(seed)
    sizes = (int(rng.integers(2, 6)), int(rng.integers(0, 4)), *rng.integers(1, 8, 2).tolist())
    vectors, test = made(seed, sizes, int(rng.integers(1, 12)))
    c = float(rng.choice([0.1, 1.0, 10.0]))
    targets = test["targets_x"] + test.get("targets_y", [])
    score, p = naive(vectors, targets, test["attributes_a"], test["attributes_b"], c)
    result = run("rnsb", vectors, test, c=c, n_resamples=19)
    assert result.score == pytest.approx(score, abs=1e-6)
    assert [w["negative"] for w in result.rows[0].details["words"]] == pytest.approx(p, abs=1e-6)
    own = rnsb.negative_probabilities(
        *([vectors[w] for w in some] for some in (test["attributes_a"], test["attributes_b"], targets)), c=c
    )
    assert own == pytest.approx(p, abs=1e-6)
    assert rnsb.relative_negative_sentiment_bias(own) == pytest.approx(score, abs=1e-6)
    assert 0 <= result.score <= math.log(len(targets))


def test_weights_and_labellings_in_one_batch_agree_with_scikit_learn():
    rng = np.random.default_rng(0)
    seeds, other = rng.normal(size=(12, 4)), rng.normal(size=(5, 4))
    y = np.stack([rng.permutation([1.0] * 6 + [-1.0] * 6) for _ in range(6)])
    weights = rng.integers(0, 4, size=(6, 12)).astype(float)
    odds = log_odds(other, fit(seeds, y, weights))
    for labels, w, found in zip(y, weights, odds, strict=True):
        model = LogisticRegression(tol=1e-12, max_iter=100_000).fit(seeds, labels, sample_weight=w)
        assert found == pytest.approx(model.decision_function(other), abs=1e-5)


def test_separated_words_have_a_finite_classifier():
    vectors = {"g": [1e3], "b": [-1e3], "x": [1.0], "y": [-1.0]}
    test = {"name": "t", "targets_x": ["x"], "targets_y": ["y"], "attributes_a": ["g"], "attributes_b": ["b"]}
    assert math.isfinite(run("rnsb", vectors, test, c=1e6, n_resamples=19).score)


@pytest.mark.parametrize("factor", [1e2, 1e5, 1e9, 1e20, 1e60])
def test_longer_vectors_are_less_regularised_and_nothing_else(factor):
    rng = np.random.default_rng(0)
    good, bad, words = rng.normal(size=(30, 3)), rng.normal(size=(30, 3)), rng.normal(size=(4, 3))
    longer = rnsb.negative_probabilities(factor * good, factor * bad, factor * words)
    # |β|² / 2 + C loss(Xβ) has the same products Xβ at its minimum where X is multiplied by s and C divided by s².
    assert longer == pytest.approx(rnsb.negative_probabilities(good, bad, words, c=factor**2), rel=1e-9)


@pytest.mark.parametrize("dimension", [3, 90])
def test_separated_vectors_too_long_for_the_digits_of_a_number_are_refused(dimension):
    rng = np.random.default_rng(0)
    good = 1e60 * (rng.normal(size=(30, dimension)) + 9.0)
    with pytest.raises(InputError, match="the classifier cannot be computed to six digits"):
        rnsb.negative_probabilities(good, -good, good[:2])


def test_words_are_classified_in_the_space_that_they_span():
    """Of more words than dimensions no system grows with the words, of fewer none with the dimension."""
    rng = np.random.default_rng(0)
    for n, dimension in ((40, 6), (6, 40)):
        words, others = rng.normal(size=(n, dimension)), rng.normal(size=(5, dimension))
        own, of_others = coordinates(words, others)
        assert own.shape[1] == min(n, dimension)
        assert own @ of_others.T == pytest.approx(words @ others.T)
        y = np.sign(np.arange(n) % 2 - 0.5)[None]
        assert fit(own, y, np.ones((1, n))).shape == (1, min(n, dimension) + 1)


def test_any_number_of_groups():
    """A word for each of many groups, as in the paper, in one list; where they are divided plays no part."""
    vectors, test = made(8, (7, 0, 6, 6))
    whole = run("rnsb", vectors, test, n_resamples=99)
    score, p = naive(vectors, test["targets_x"], test["attributes_a"], test["attributes_b"])
    assert whole.score == pytest.approx(score, abs=1e-6)
    assert [w["share"] for w in whole.rows[0].details["words"]] == pytest.approx(p / p.sum(), abs=1e-6)
    for cut in range(1, 7):
        halves = {"targets_x": test["targets_x"][:cut], "targets_y": test["targets_x"][cut:]}
        divided = run("rnsb", vectors, {**test, **halves}, n_resamples=99)
        assert (divided.score, divided.p_value) == (pytest.approx(whole.score), whole.p_value)
