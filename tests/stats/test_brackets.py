"""The brackets of lattice p-values contain the exact p-value: small cases by counting, large ones by big integers."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

from evaluate_bias.stats import permutation as module
from evaluate_bias.stats import permutation_test
from evaluate_bias.stats._brackets import bracket_at_least, spectral_bracket
from evaluate_bias.stats._grid import WORK_LIMIT, Partitions, count_at_least, sums_by_size, work
from evaluate_bias.stats._lattice import bracket_at_least as lattice_bracket
from evaluate_bias.stats._lattice import plan

KINDS = ("normal", "heavy tails", "clusters", "few values", "one outlier", "skewed", "pairs of near ties")


def draw(kind: str, n: int, seed: int) -> np.ndarray:
    rng = np.random.default_rng([seed, n, KINDS.index(kind)])
    base = rng.normal(size=n)
    return {
        "normal": base,
        "heavy tails": rng.standard_cauchy(n),
        "clusters": rng.integers(0, 3, n) * 5.0 + 1e-3 * base,
        "few values": np.round(2 * base),
        "one outlier": np.where(np.arange(n) == n // 2, 1e6, base),
        "skewed": np.exp(2 * base),
        "pairs of near ties": np.repeat(base[: (n + 1) // 2], 2)[:n] + 1e-9 * rng.normal(size=n),
    }[kind]


def to_integers(scores: np.ndarray, size: int) -> np.ndarray:
    return Partitions.from_scores(scores[:size], scores[size:]).values


def thresholds(values: np.ndarray, size: int, rng: np.random.Generator) -> list[int]:
    """Sums of random subsets, so that ties matter, and sums far out."""
    sums = [int(rng.permutation(values)[:size].sum()) for _ in range(3)]
    ordered = np.sort(values)
    return [*sums, sums[0] + 1, int(ordered[:size].sum()) + 1, int(ordered[-size:].sum())]


@pytest.mark.parametrize("kind", KINDS)
def test_lattice_contains_the_exact_share(kind: str) -> None:
    rng = np.random.default_rng(1)
    for n, size, base, updates in (
        (16, 8, 2, 2e3),
        (20, 10, 4, 2e4),
        (19, 5, 0, 1e4),
        (24, 12, 6, 3e5),
        (9, 1, 1, 50),
    ):
        values = to_integers(draw(kind, n, seed=n), size)
        lattice = plan(values, size, base=base, updates=updates)
        for threshold in thresholds(values, size, rng):
            exact = Fraction(count_at_least(values, size, threshold), math.comb(n, size))
            low, high = lattice_bracket(lattice, threshold)
            assert low <= exact <= high, (n, size, threshold)


@pytest.mark.parametrize("kind", KINDS)
def test_spectral_contains_the_exact_share(kind: str) -> None:
    rng = np.random.default_rng(2)
    for n, size, degree in (
        (16, 8, 64),
        (20, 10, 1024),
        (19, 5, 4096),
        (24, 12, 20_000),
        (9, 1, 256),
        (60, 3, 4096),
    ):
        values = to_integers(draw(kind, n, seed=n), size)
        for threshold in thresholds(values, size, rng)[:-2]:
            exact = Fraction(count_at_least(values, size, threshold), math.comb(n, size))
            low, high = spectral_bracket(values, size, threshold, degree=degree)
            assert low <= exact <= high, (n, size, threshold)


def test_outliers_do_not_blow_up_the_tables() -> None:
    scores = draw("normal", 64, seed=1)
    scores[[0, 1, 2]] = 1e5, -1e6, 3e6
    values = to_integers(scores, 32)
    lattice = plan(values, 32, updates=1e6)
    widest = int(np.sort(values)[-32:].sum()) // lattice.step
    assert widest * 33 < 5e8
    low, high = lattice_bracket(lattice, int(values[:32].sum()))
    assert 0 <= low <= high <= 1


def test_grid_of_single_steps_is_exact() -> None:
    values = to_integers(draw("few values", 30, seed=0), 15)
    threshold = int(values[:15].sum())
    low, high = lattice_bracket(plan(values, 15, base=5), threshold)
    assert high - low < 1e-12
    assert low <= count_at_least(values, 15, threshold) / math.comb(30, 15) <= high


def big_integer_share(values: np.ndarray, size: int, threshold: int) -> Fraction:
    """Exact share by a table of Python integers over (size, sum): slow, plain, and for whole small values only."""
    table = np.zeros((size + 1, int(np.sort(values)[-size:].sum()) + 1), dtype=object)
    table[0, 0] = 1
    for value in values.tolist():
        moved = table[:-1, : table.shape[1] - value].copy()
        table[1:, value:] += moved
    return Fraction(sum(table[size, max(threshold, 0) :].tolist()), math.comb(len(values), size))


@pytest.mark.parametrize(("n", "size"), [(120, 60), (150, 40), (210, 100)])
def test_brackets_of_large_samples_against_big_integers(n: int, size: int) -> None:
    rng = np.random.default_rng(n)
    values = rng.integers(0, 9, n)
    values[0] = 0
    for threshold in (int(values[:size].sum()), int(size * values.mean()) + 25):
        exact = big_integer_share(values, size, threshold)
        for low, high in (
            spectral_bracket(values, size, threshold, degree=1 << 14),
            lattice_bracket(plan(values, size), threshold),
            bracket_at_least(values, size, threshold),
        ):
            assert low <= exact <= high
        assert high - low < 1e-10


def test_small_samples_against_very_large_ones() -> None:
    for kind in ("normal", "heavy tails"):
        for size in (2, 4):
            values = to_integers(draw(kind, 140, seed=3), size)
            threshold = int(values[:size].sum())
            exact = Fraction(count_at_least(values, size, threshold), math.comb(140, size))
            for low, high in (
                spectral_bracket(values, size, threshold, degree=1 << 14),
                lattice_bracket(plan(values, size, updates=1e6), threshold),
            ):
                assert low <= exact <= high


@pytest.mark.parametrize("strict", [False, True])
@pytest.mark.parametrize("alternative", ["greater", "less", "two-sided"])
def test_lattice_p_value_brackets_the_exact_one(
    alternative: str, strict: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "LATTICE_EXACT_WORK", 0)
    monkeypatch.setattr(
        module, "bracket_at_least", lambda v, m, t: lattice_bracket(plan(v, m, base=4, updates=1e6), t)
    )
    options = {"alternative": alternative, "strict": strict}
    for kind, n_x, n_y in (
        ("normal", 10, 10),
        ("heavy tails", 12, 7),
        ("few values", 6, 14),
        ("clusters", 9, 9),
    ):
        scores = draw(kind, n_x + n_y, seed=8)
        exact = permutation_test(scores[:n_x], scores[n_x:], method="exact", **options)
        bracketed = permutation_test(scores[:n_x], scores[n_x:], method="lattice", **options)
        assert bracketed.p_low <= exact.p_value <= bracketed.p_high == bracketed.p_value
        assert (bracketed.bracket, bracketed.count) == ("rigorous", None)
        assert strict or bracketed.p_low >= 1 / exact.n_partitions


def test_lattice_counts_where_counting_is_faster() -> None:
    rng = np.random.default_rng(0)
    test = permutation_test(rng.normal(size=8), rng.normal(size=8), method="lattice")
    assert test.bracket == "exact"
    assert test.p_low == test.p_high == test.count / test.n_partitions


@pytest.mark.slow
def test_widths_that_are_promised() -> None:
    rng = np.random.default_rng(4)
    exact_size = permutation_test(*rng.normal(size=(2, 23)), method="exact")
    rng = np.random.default_rng(4)
    bracketed = permutation_test(*rng.normal(size=(2, 23)), method="lattice")
    assert bracketed.p_low <= exact_size.p_value <= bracketed.p_high
    for n, width in ((32, 2e-5), (48, 1e-4), (100, 1e-4), (1500, 1e-4)):
        test = permutation_test(*rng.normal(size=(2, n)), method="lattice")
        assert test.p_high - test.p_low < width


def test_sums_by_size_and_work() -> None:
    assert [sorted(g.tolist()) for g in sums_by_size(np.array([1, 2, 4]), 3)] == [
        [0],
        [1, 2, 4],
        [3, 5, 6],
        [7],
    ]
    assert [sorted(g.tolist()) for g in sums_by_size(np.array([1, 2, 4]), 1)] == [[0], [1, 2, 4]]
    assert [g.tolist() for g in sums_by_size(np.array([], dtype=np.int64), 2)] == [[0]]
    assert work(50, 25) == 2**26
    assert work(4, 1) == 1 + 2 + 2 + 1
    assert work(10_000, 5_000) == WORK_LIMIT


def test_count_outside_the_range_of_sums() -> None:
    values = np.array([0, 1, 5, 9])
    assert count_at_least(values, 2, 10**30) == 0
    assert count_at_least(values, 2, -(10**30)) == 6
    assert bracket_at_least(values, 2, 15) == (0.0, 0.0)
    assert bracket_at_least(values, 2, 1) == (1.0, 1.0)
