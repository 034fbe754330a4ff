"""ECT: naive loops, properties, bad input. The golden cases are in the common table."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from scipy.stats import spearmanr

from evaluate_bias.errors import UndefinedScoreError
from evaluate_bias.methods import ect
from tests.support.draws import draws

from .vector_tests import cos, made, mean_vector, run


def naive(vectors, x, y, a):
    means = [mean_vector([vectors[w] for w in side]) for side in (x, y)]
    sides = [[cos(vectors[w], m) for w in a] for m in means]
    return spearmanr(*sides).statistic


@draws(200)
def test_score_and_exact_p_agree_with_naive_loops(seed):
    rng = np.random.default_rng(seed)
    vectors, test = made(
        seed, (*rng.integers(1, 5, 2).tolist(), int(rng.integers(3, 8)), int(rng.integers(0, 4)))
    )
    x, y = test["targets_x"], test["targets_y"]
    a = test["attributes_a"] + test.get("attributes_b", [])
    result = run("ect", vectors, test)
    score = naive(vectors, x, y, a)
    assert result.score == pytest.approx(score)
    assert ect.embedding_coherence(*([vectors[w] for w in some] for some in (x, y, a))) == pytest.approx(
        score
    )
    splits = [
        naive(vectors, first, [w for w in x + y if w not in first], a)
        for first in itertools.combinations(x + y, len(x))
    ]
    assert result.p_value == pytest.approx(np.mean([s <= score + 1e-9 for s in splits]))
    assert result.details["mean_of_splits"] == pytest.approx(np.mean(splits))
    word = result.rows[0].details["attributes"][0]
    assert word["cosine_x"] == pytest.approx(cos(vectors[a[0]], mean_vector([vectors[w] for w in x])))
    if len(a) > 3:
        assert word["influence"] == pytest.approx(score - naive(vectors, x, y, a[1:]))


EQUAL = {"ex0": [1, 1, 0], "ex1": [1, -1, 0], "ey0": [0, 1, 1], "ey1": [0, 2, 1]} | {
    f"ea{i}": [0, 0, i + 1] for i in range(3)
}
PLAIN = {
    "name": "plain",
    "targets_x": ["ex0", "ex1"],
    "targets_y": ["ey0", "ey1"],
    "attributes_a": ["ea0", "ea1", "ea2"],
}


def test_one_of_several_tests_whose_attributes_have_one_cosine_is_left_out_and_listed():
    """All attributes of "plain" point one way, so their cosines with any mean are equal."""
    vectors, test = made(3, (4, 4, 5, 0), 3)
    together, alone = run("ect", vectors | EQUAL, PLAIN, test), run("ect", vectors, test)
    assert (together.score, together.p_value) == (alone.score, alone.p_value)
    assert [row.name for row in together.rows] == ["toy"]
    (skipped,) = together.skipped
    assert (skipped.item, skipped.where) == ("plain", "tests")
    assert "every attribute has the same cosine with it" in skipped.reason
    with pytest.raises(UndefinedScoreError, match="plain: .* every attribute has the same cosine with it"):
        run("ect", EQUAL, PLAIN)


def test_a_split_without_a_correlation_takes_the_p_value_and_nothing_else():
    """x and -x: in one split the mean of a side is 0, so it has no cosines."""
    vectors = {"ex0": [1, 0.2, 0], "ex1": [0, 1, 0.3], "ey0": [-1, -0.2, 0], "ey1": [0, -1, -0.3]}
    vectors |= {f"a{i}": v for i, v in enumerate(np.random.default_rng(0).normal(size=(5, 3)).tolist())}
    result = run("ect", vectors, {**PLAIN, "attributes_a": [f"a{i}" for i in range(5)]})
    assert result.score == pytest.approx(
        naive(vectors, ["ex0", "ex1"], ["ey0", "ey1"], [f"a{i}" for i in range(5)])
    )
    assert result.p_value is None
    assert any("no p-value: in a split of the targets the mean vector" in w for w in result.warnings)
