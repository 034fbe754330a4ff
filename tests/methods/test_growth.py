"""How work and memory grow with what a user gives: operations are counted, nothing is timed."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest

from evaluate_bias.methods.word_lists.association import association_test
from evaluate_bias.methods.word_lists.cosines import WordTest
from evaluate_bias.methods.word_lists.inference import Inference

from ..support.operations import counted, operations


def words(n: int, dimension: int) -> WordTest:
    rng = np.random.default_rng(0)
    x, y, a, b = (rng.normal(size=(n, dimension)) for _ in range(4))
    made = WordTest.from_vectors(x, y, a, b)
    return WordTest(n_first=n, targets=counted(made.targets), a=counted(made.a), b=counted(made.b))


@pytest.mark.parametrize("dimension", [4, 400])
def test_the_influence_of_every_word_is_quadratic_in_the_lists(dimension):
    def left_out(n: int) -> int:
        found = words(n, dimension)
        assert len(found.scores) == 2 * n  # which makes the cosines
        return operations(lambda: [list(found.without(kind)) for kind in range(4)])

    assert left_out(160) < 4.2**2 * left_out(40)


@pytest.mark.parametrize("dimension", [4, 400])
def test_an_interval_of_words_is_linear_in_the_lists_beyond_their_cosines(dimension):
    def resampled(n: int) -> int:
        rng = np.random.default_rng(0)
        found = words(n, dimension)
        return operations(lambda: found.resampled([rng.integers(0, n, (50, n)) for _ in range(4)]))

    assert resampled(160) < (4.2 if dimension == 4 else 4.2**2) * resampled(40)


def test_long_lists_need_no_array_of_all_cosines():
    n = 1_000
    found = words(n, 4)
    tracemalloc.start()
    association_test(found, Inference(p_method="normal", ci_resamples=20))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 2 * n * 2 * n * 8
