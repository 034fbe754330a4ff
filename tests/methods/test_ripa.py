"""RIPA: naive loops, properties, bad input. The golden cases are in the common table."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from evaluate_bias.methods import ripa
from tests.support.draws import draws

from .vector_tests import dot, made, run


def naive(vectors, pairs, words):
    found = []
    for w in words:
        for x, y in pairs:
            b = [p - q for p, q in zip(vectors[x], vectors[y], strict=True)]
            found.append(dot(vectors[w], b) / math.hypot(*b))
    return sum(found) / len(found)


@draws(200)
def test_score_and_exact_p_agree_with_naive_loops(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 6))
    vectors, test = made(seed, (n, n, int(rng.integers(1, 5)), int(rng.integers(0, 3))))
    pairs = list(zip(test["targets_x"], test["targets_y"], strict=True))
    result = run("ripa", vectors, test)
    score = naive(vectors, pairs, test["attributes_a"])
    assert result.score == pytest.approx(score)
    assert ripa.relational_inner_products(
        *([vectors[w] for w in test[k]] for k in ("targets_x", "targets_y", "attributes_a"))
    ).mean() == pytest.approx(score)
    flipped = [
        naive(
            vectors,
            [p if keep else p[::-1] for p, keep in zip(pairs, signs, strict=True)],
            test["attributes_a"],
        )
        for signs in itertools.product((True, False), repeat=n)
    ]
    assert result.p_value == pytest.approx(np.mean([abs(v) >= abs(score) - 1e-9 for v in flipped]))
    if "attributes_b" in test:
        assert result.estimates["ripa_b"].value == pytest.approx(naive(vectors, pairs, test["attributes_b"]))
    word = result.rows[0].details["attributes"][0]
    assert word["projection"] == pytest.approx(naive(vectors, pairs, test["attributes_a"][:1]))
    if len(test["attributes_a"]) > 1:
        assert word["influence"] == pytest.approx(score - naive(vectors, pairs, test["attributes_a"][1:]))


def test_scale_rotation_shift_of_pairs_and_exchanged_targets():
    vectors, test = made(3)
    result = run("ripa", vectors, test, ci="bca", ci_resamples=199)
    turn = np.linalg.qr(np.random.default_rng(1).normal(size=(5, 5)))[0]
    for change, factor in ((lambda v: 1e3 * v, 1e3), (lambda v: turn @ v, 1.0)):
        other = run("ripa", {w: change(v) for w, v in vectors.items()}, test, ci="bca", ci_resamples=199)
        assert [other.score, other.ci_low, other.ci_high] == pytest.approx(
            [factor * v for v in (result.score, result.ci_low, result.ci_high)]
        )
    turned = {**test, "targets_x": test["targets_y"], "targets_y": test["targets_x"]}
    other = run("ripa", vectors, turned)
    assert (other.score, other.p_value) == (pytest.approx(-result.score), result.p_value)
    lengths = {w: (i + 1.0) * v for i, (w, v) in enumerate(vectors.items())}
    normal = run("ripa", lengths, test, normalize=True)
    assert normal.score == pytest.approx(run("ripa", vectors, test, normalize=True).score)
    assert normal.score_range == (-1.0, 1.0)
