"""Adjusted p-values against definitions, and the smallest ones by every arrangement of data that none can beat."""

from __future__ import annotations

from itertools import combinations, permutations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluate_bias.stats import (
    FEWEST_FLIPS,
    benjamini_hochberg,
    binomial_test,
    holm,
    permutation_test,
    rank_correlation_test,
    sign_flip_test,
    smallest_flip_p,
    smallest_gap_p,
    smallest_order_p,
    smallest_rank_p,
    smallest_split_p,
)


@pytest.mark.parametrize("n", range(1, 9))
def test_flips(n: int) -> None:
    values = 2.0 ** np.arange(n)
    assert smallest_flip_p(n) == sign_flip_test(values).p_value == pytest.approx(binomial_test(n, n).p_value)
    assert (smallest_flip_p(n) < 0.05) == (n >= FEWEST_FLIPS)
    assert min(sign_flip_test(np.array(signs) * values).p_value
               for signs in np.array(np.meshgrid(*[[-1, 1]] * n)).T.reshape(-1, n)) == smallest_flip_p(n)  # fmt: skip


@pytest.mark.parametrize("alternative", ["two-sided", "greater"])
@pytest.mark.parametrize("sizes", [(x, y) for x in range(1, 5) for y in range(1, 5)], ids=str)
def test_splits_of_two_lists(sizes: tuple[int, int], alternative: str) -> None:
    """Over every split of numbers, and of numbers one of which is far from the others."""
    n = sum(sizes)
    smallest = 1.0
    for values in (np.arange(n) ** 2.0, 2.0 ** np.arange(n), np.arange(n) >= sizes[1]):
        for places in combinations(range(n), sizes[0]):
            inside = np.isin(range(n), places)
            groups = (values[part].astype(float) for part in (inside, ~inside))
            smallest = min(smallest, permutation_test(*groups, alternative=alternative).p_value)
    assert smallest_split_p(*sizes, alternative=alternative) == pytest.approx(smallest)


def test_splits_of_three_lists() -> None:
    """The spread between groups, of all ways to deal six numbers to three groups of two."""
    values = np.array([0.0, 0.1, 5.0, 5.1, 9.0, 9.1])
    every = [np.reshape(values[list(order)], (3, 2)).mean(axis=1).var() for order in permutations(range(6))]
    share = np.mean([spread >= max(every) - 1e-12 for spread in every])
    assert smallest_split_p(2, 2, 2) == pytest.approx(share)


@pytest.mark.parametrize(
    "ratings", [[1, 2, 3, 4], [0, 0, 1, 1], [0, 0, 0, 1], [0, 0, 1, 2, 2], [0, 0, 0, 1, 1, 1]]
)
def test_ratings(ratings: list[int]) -> None:
    orders = set(permutations(ratings))
    n = len(ratings)
    assert smallest_rank_p(ratings) == pytest.approx(
        min(rank_correlation_test(range(n), order).p_value for order in orders)
    )


@pytest.mark.parametrize("sizes", [(1, 1), (2, 1), (2, 2), (1, 2, 3), (2, 2, 2), (1, 1, 3)])
def test_gaps(sizes: tuple[int, ...]) -> None:
    """Of every number of hits, the share of ways to place them whose gap is the largest."""
    groups = np.repeat(range(len(sizes)), sizes)
    smallest = 1.0
    for n in range(len(groups) + 1):
        rates = [
            np.bincount(groups[list(hits)], minlength=len(sizes)) / sizes
            for hits in combinations(range(len(groups)), n)
        ]
        gaps = np.array([np.ptp(rate) for rate in rates])
        smallest = min(smallest, np.mean(gaps >= gaps.max() - 1e-12))
    assert smallest_gap_p(*sizes) == pytest.approx(smallest)
    assert smallest_split_p(*sizes) <= smallest + 1e-12  # what it is bounded by where there are many


@pytest.mark.parametrize("sizes", [(3,), (4,), (3, 2), (3, 3)])
def test_orders(sizes: tuple[int, ...]) -> None:
    """Correlations of numbers with all orders of others within their lists."""
    x = [np.array([0.0, 1.0, 5.0, 20.0])[:n] for n in sizes]
    orders = product(*(permutations(part) for part in x))
    every = [abs(np.corrcoef(np.concatenate(x), np.concatenate(order))[0, 1]) for order in orders]
    assert smallest_order_p(*sizes) == pytest.approx(np.mean(np.array(every) >= max(every) - 1e-12))
    assert smallest_order_p(*sizes, times=2) == pytest.approx(smallest_order_p(*sizes) ** 2)


# --- adjusted for their number --------------------------------------------------------------------------------

p_lists = st.lists(st.floats(0, 1) | st.sampled_from([0.0, 0.01, 0.5, 1.0]), min_size=1, max_size=30)


def test_by_hand() -> None:
    p = [0.04, 0.001, 0.03, 0.005]
    # Sorted .001 .005 .03 .04: Holm 4, 3, 2, 1 times, never falling; BH 4/1, 4/2, 4/3, 4/4 times, never rising back.
    assert holm(p) == pytest.approx([0.06, 0.004, 0.06, 0.015])
    assert benjamini_hochberg(p) == pytest.approx([0.04, 0.004, 0.04, 0.01])


@given(p_lists, st.sampled_from([0.01, 0.05, 0.2]))
def test_holm_rejects_what_the_stepwise_procedure_rejects(p: list[float], confidence_level: float) -> None:
    rejected = set()
    for step, i in enumerate(np.argsort(p, kind="stable")):
        if p[i] * (len(p) - step) > confidence_level:
            break
        rejected.add(int(i))
    assert set(np.flatnonzero(holm(p) <= confidence_level).tolist()) == rejected


@given(p_lists, st.randoms())
def test_order_and_bounds(p: list[float], random) -> None:
    order = list(range(len(p)))
    random.shuffle(order)
    for adjust in (holm, benjamini_hochberg):
        adjusted = adjust(p)
        assert adjust([p[i] for i in order]) == pytest.approx(adjusted[order])
        assert (adjusted >= np.array(p) * (1 - 1e-12)).all()
        assert (adjusted <= 1).all()
    assert (benjamini_hochberg(p) <= holm(p) * (1 + 1e-12)).all()


def test_empty_family_stays_empty() -> None:
    assert holm([]).shape == benjamini_hochberg([]).shape == (0,)
