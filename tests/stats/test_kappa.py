"""Cohen's kappa of a table of two by two."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import stats as sps

from evaluate_bias.stats import cohen_kappa

cells = st.tuples(*[st.integers(0, 12)] * 4)


def defined(table: tuple[int, ...]) -> bool:
    a, b, c, d = table
    return b + c + d > 0 and a + b + c > 0


@given(cells)
def test_kappa_is_the_share_of_what_chance_leaves(table: tuple[int, ...]) -> None:
    assume(defined(table))
    first = [v for v, count in zip((1, 1, 0, 0), table, strict=True) for _ in range(count)]
    second = [v for v, count in zip((1, 0, 1, 0), table, strict=True) for _ in range(count)]
    agreement = np.mean(np.equal(first, second))
    chance = np.mean(np.equal.outer(first, second))
    found = cohen_kappa(*table)
    assert found.kappa == pytest.approx((agreement - chance) / (1 - chance))
    assert (found.agreement, found.chance) == pytest.approx((agreement, chance))
    assert -1 - 1e-12 <= found.low <= found.kappa + 1e-12
    assert found.kappa - 1e-12 <= found.high <= 1 + 1e-12
    a, b, c, d = table
    assert found.p_value == pytest.approx(sps.fisher_exact([[a, b], [c, d]], alternative="greater").pvalue)
    # Yes and no, or first and second, may be exchanged.
    for other in ((d, c, b, a), (a, c, b, d)):
        turned = cohen_kappa(*other)
        assert (turned.kappa, turned.low, turned.high) == pytest.approx((found.kappa, found.low, found.high))
        assert turned.p_value == pytest.approx(found.p_value)


def test_the_p_value_counts_permutations() -> None:
    first, second = (1, 1, 1, 0, 0, 0), (1, 1, 0, 1, 0, 0)
    agreeing = [sum(map(int.__eq__, first, p)) for p in itertools.permutations(second)]
    assert cohen_kappa(2, 1, 1, 2).p_value == pytest.approx(np.mean([a >= 4 for a in agreeing]))


def test_the_variance_is_that_of_many_tables() -> None:
    """Fleiss, Cohen and Everitt against the spread of kappa over 20,000 drawn tables."""
    n, chances = 2_000, (0.5, 0.1, 0.05, 0.35)
    drawn = np.random.default_rng(3).multinomial(n, chances, size=20_000)
    a, b, c, d = drawn.T / n
    agreement, chance = a + d, (a + b) * (a + c) + (c + d) * (b + d)
    spread = np.std((agreement - chance) / (1 - chance))
    found = cohen_kappa(*(round(n * share) for share in chances))
    assert (found.high - found.low) / (2 * 1.959964) == pytest.approx(spread, rel=0.02)


def test_full_agreement_keeps_a_width() -> None:
    few, many = cohen_kappa(5, 0, 0, 5), cohen_kappa(50, 0, 0, 50)
    assert few.high == many.high == 1.0
    assert few.low < many.low < 1.0
    assert many.p_value == pytest.approx(1 / math.comb(100, 50))
