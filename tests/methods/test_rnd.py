"""RND: naive loops, properties, bad input. The golden cases are in the common table."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

import evaluate_bias as eb
from evaluate_bias.errors import InputError, UndefinedScoreError
from tests.support.draws import draws

from .vector_tests import LISTS, made


def run(vectors, *tests, **options):
    return eb.measure("rnd", vectors, data=list(tests), **{"ci_resamples": 99, "n_resamples": 999, **options})


def naive(vectors, x, y, a, distance="norm"):
    """RND by loops over numbers."""

    def mean(words):
        return [sum(vectors[w][k] for w in words) / len(words) for k in range(len(vectors[words[0]]))]

    def apart(u, v):
        if distance == "norm":
            return math.dist(u, v)
        dot = sum(p * q for p, q in zip(u, v, strict=True))
        return 1 - dot / math.hypot(*u) / math.hypot(*v)

    return sum(apart(vectors[w], mean(x)) - apart(vectors[w], mean(y)) for w in a) / len(a)


@pytest.mark.parametrize("distance", ["norm", "cosine"])
@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
@draws(40)
def test_score_and_exact_p_agree_with_naive_loops(distance, alternative, seed):
    rng = np.random.default_rng(seed)
    sizes = (*rng.integers(1, 6, size=3).tolist(), int(rng.integers(0, 4)))
    vectors, test = made(seed, sizes)
    result = run(vectors, test, distance=distance, alternative=alternative, ci="none")
    x, y, a = (test[name] for name in LISTS[:3])
    score = naive(vectors, x, y, a, distance)
    assert result.score == pytest.approx(score)
    splits = []
    for first in itertools.combinations([*x, *y], len(x)):
        splits.append(naive(vectors, first, [w for w in [*x, *y] if w not in first], a, distance))
    centre = sum(splits) / len(splits)
    how = {
        "two-sided": lambda v: abs(v - centre) - abs(score - centre),
        "greater": lambda v: v - score,
        "less": lambda v: score - v,
    }[alternative]
    assert result.p_value == pytest.approx(sum(how(v) >= -1e-12 for v in splits) / len(splits))
    assert result.p_error == 0.0
    assert result.details["mean_of_splits"] == pytest.approx(centre)
    if "attributes_b" in test:
        assert result.estimates["rnd_b"].value == pytest.approx(
            naive(vectors, x, y, test["attributes_b"], distance)
        )
    (row,) = result.rows
    assert [w["distance"] for w in row.details["attributes"]] == pytest.approx(
        [naive(vectors, x, y, [w], distance) for w in a]
    )
    if len(a) > 1:
        assert row.details["attributes"][0]["influence"] == pytest.approx(
            score - naive(vectors, x, y, a[1:], distance)
        )
    assert (result.n, row.n) == (sizes[0] + sizes[1],) * 2


def test_several_tests_and_controls():
    vectors, test = made(5)
    more, second = made(6)
    vectors |= {f"s{w}": v for w, v in more.items()}
    second = {"name": "second", **{k: [f"s{w}" for w in second[k]] for k in LISTS}}
    both = run(vectors, test, second)
    scores = [run(vectors, t).score for t in (test, second)]
    assert both.score == pytest.approx(sum(scores) / 2)
    assert [r.score for r in both.rows] == pytest.approx(scores)
    assert both.p_value is None  # each test has its own
    assert both.ci_low < both.score < both.ci_high
    assert both.n == 16
    control = run(vectors, test, {**second, "bias_type": "none (baseline)"})
    assert control.score == pytest.approx(scores[0])
    assert any("controls" in w for w in control.warnings)


def test_target_lists_of_different_size_are_named():
    unequal = run(*made(8, (2, 5, 3, 0)))
    assert any("target lists of 2 and 5 words" in w for w in unequal.warnings)
    assert not any("target lists of" in w for w in run(*made(8)).warnings)


def test_bad_input():
    vectors, test = made(9)
    with pytest.raises(UndefinedScoreError, match="toy/attributes_a is empty: words are needed in"):
        run(vectors, {**test, "attributes_a": []})
    with pytest.raises(UndefinedScoreError, match="toy: the mean vector of a target list is zero"):
        run({**vectors, "x0": -vectors["x1"]}, {**test, "targets_x": ["x0", "x1"]}, distance="cosine")


@pytest.mark.filterwarnings("error::RuntimeWarning")
@pytest.mark.parametrize("factor", [1e-300, 1e-160, 1e160, 1e300])
@pytest.mark.parametrize(
    "method", ["rnd", "ripa", "direct_bias", "indirect_bias", "projection", "ect", "mac"]
)
def test_vectors_whose_squares_cannot_be_computed_are_refused(method, factor):
    """Not scored: with squares of 0 every distance is 0, which would be a score of 0 with p = 1."""
    vectors, test = made(6, (3, 3, 3, 2))
    scaled = {w: (np.asarray(v) * factor).tolist() for w, v in vectors.items()}
    with pytest.raises(InputError, match=r"the largest component of the vector of '\w+' is"):
        eb.measure(method, scaled, data=[test], ci="none")
