"""The arithmetic of association tests: golden cases, a naive reference, and properties."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from evaluate_bias.errors import InputError, UndefinedScoreError
from evaluate_bias.methods.word_lists import cosines as assoc
from evaluate_bias.methods.word_lists.association import AssociationOutcome, association_test
from evaluate_bias.methods.word_lists.inference import Inference
from tests.support.naive_seat import associations
from tests.support.naive_seat import effect_size as naive_effect_size
from tests.support.refusals import refusals


def run(x, y, a, b, ddof=1, **options) -> AssociationOutcome:
    return association_test(assoc.WordTest.from_vectors(x, y, a, b, ddof=ddof), Inference(**options))


def naive_p(x, y, a, b, alternative):
    s = associations([*x, *y], a, b)

    def difference(chosen):
        first = [s[i] for i in chosen]
        second = [s[i] for i in range(len(s)) if i not in chosen]
        return sum(first) / len(first) - sum(second) / len(second)

    observed = difference(tuple(range(len(x))))
    splits = np.array([difference(chosen) for chosen in itertools.combinations(range(len(s)), len(x))])
    if alternative == "two-sided":
        splits, observed = np.abs(splits), abs(observed)
    sign = -1 if alternative == "less" else 1
    return np.mean(sign * splits >= sign * observed - 1e-9)


def random_sets(seed, sizes=(5, 4, 3, 6), dimension=7):
    rng = np.random.default_rng(seed)
    return [rng.normal(size=(n, dimension)) for n in sizes]


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("alternative", ["greater", "less", "two-sided"])
def test_agrees_with_naive_loops(seed, alternative):
    rng = np.random.default_rng(1000 + seed)
    sets = random_sets(seed, sizes=rng.integers(2, 6, size=4))
    t = run(*sets, alternative=alternative, ci="none")
    lists = [s.tolist() for s in sets]
    assert t.effect_size == pytest.approx(naive_effect_size(*lists), rel=1e-10)
    assert t.permutation.p_value == pytest.approx(naive_p(*lists, alternative), abs=1e-12)
    assert assoc.effect_size(*sets, ddof=0) == pytest.approx(naive_effect_size(*lists, ddof=0), rel=1e-10)


vectors = st.lists(st.floats(-3, 3, allow_subnormal=False), min_size=3, max_size=3).filter(
    lambda v: sum(x * x for x in v) > 1e-2
)
sets_of_vectors = st.tuples(*(st.lists(vectors, min_size=2, max_size=4) for _ in range(4)))


@pytest.mark.parametrize("p_method", ["auto", "exact", "monte_carlo", "normal"])
@given(sets=sets_of_vectors)
@settings(max_examples=25)
def test_both_orders_of_the_lists_have_one_p_value(p_method, sets):
    x, y, a, b = (np.array(s) for s in sets)
    s = assoc.association(np.concatenate([x, y]), a, b)
    assume(s.std() > 1e-6)
    orders = [(x, y, a, b), (y, x, a, b)]
    if p_method != "monte_carlo":  # which draws other splits of mirrored scores
        orders.append((x, y, b, a))
    tests = [run(*some, ci="none", p_method=p_method, n_resamples=99) for some in orders]
    p_values = [t.permutation.p_value for t in tests]
    assert p_values == pytest.approx([p_values[0]] * len(orders), abs=1e-9)
    assert {t.permutation.alternative for t in tests} == {"two-sided"}


def test_influence_is_the_difference_to_the_test_without_the_word():
    sets = random_sets(5)
    t = run(*sets, ci="none")
    for k, key in enumerate("xyab"):
        for i in range(len(sets[k])):
            left = [np.delete(s, i, axis=0) if j == k else s for j, s in enumerate(sets)]
            assert t.influence[key][i] == pytest.approx(t.effect_size - assoc.effect_size(*left), rel=1e-9)


@pytest.mark.slow
def test_interval_covers_the_effect_of_the_population_when_words_are_drawn_from_one():
    """Words drawn from two Gaussian clouds: about 95 of 100 intervals must hold the population's effect size."""
    rng = np.random.default_rng(7)
    centre_x, centre_y, pole_a, pole_b = rng.normal(size=(4, 20))

    def draw(n):
        return [c + rng.normal(scale=1.5, size=(n, 20)) for c in (centre_x, centre_y, pole_a, pole_b)]

    truth = assoc.effect_size(*draw(2_000), ddof=1)
    held = 0
    for i in range(200):
        interval = run(*draw(20), ci_resamples=999, p_method="normal", seed=i).interval
        held += interval.low <= truth <= interval.high
    assert 0.90 <= held / 200 <= 0.99


def refused_by_bad_input_is_named(change):
    sets = dict(zip("xyab", random_sets(0), strict=True))
    change(sets)
    return run(**sets)


test_bad_input_is_named = refusals(
    refused_by_bad_input_is_named,
    (lambda s: s.update(a=np.empty((0, 7))), UndefinedScoreError, None, "attributes_a is empty"),
    (lambda s: s.update(x=s["x"][:1]), UndefinedScoreError, None, "in each set, got 1 and 4"),
    (lambda s: s["y"].__setitem__((1, 2), np.nan), InputError, None, "has NaN or infinity in vector 1"),
    (lambda s: s["x"].__setitem__(2, 0.0), InputError, None, "targets_x has a zero vector at position 2"),
    (lambda s: s.update(a=s["a"][:, :5]), InputError, None, "same number of dimensions"),
    (lambda s: s.update(x=[[1.0, 2.0], [1.0]]), InputError, None, "equal length"),
    (lambda s: s.update(x=s["x"][0]), InputError, None, "shape"),
    (lambda s: s.update(b=s["a"]), UndefinedScoreError, None, "standard deviation|vary|equal"),
)
