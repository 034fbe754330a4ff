"""Effect size and permutation test: worked by hand, against full enumeration, properties, bad input, calibration."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats as scipy_stats

from evaluate_bias.errors import UndefinedScoreError
from evaluate_bias.stats import effect_size, permutation_test
from evaluate_bias.stats import permutation as module

ALTERNATIVES = ("greater", "less", "two-sided")


def enumerate_count(x: list[int], y: list[int], alternative: str, strict: bool) -> int:
    """Count by listing every partition; integers only, so nothing is rounded."""
    pooled, n_x, n_y = x + y, len(x), len(y)

    def statistic(chosen: tuple[int, ...]) -> int:
        sum_x = sum(pooled[i] for i in chosen)
        value = n_y * sum_x - n_x * (sum(pooled) - sum_x)
        return {"greater": value, "less": -value, "two-sided": abs(value)}[alternative]

    observed = statistic(tuple(range(n_x)))
    values = [statistic(c) for c in itertools.combinations(range(n_x + n_y), n_x)]
    return sum(v > observed if strict else v >= observed for v in values)


def random_case(seed: int) -> tuple[list[int], list[int]]:
    """Small integer samples; a narrow range on most of them makes ties common, many of which are not trivial."""
    rng = np.random.default_rng(seed)
    n_x, n_y = rng.integers(1, 7, 2)
    spread = int(rng.choice([1, 3, 10, 1000]))
    scores = rng.integers(-spread, spread + 1, n_x + n_y).tolist()
    return scores[:n_x], scores[n_x:]


@pytest.mark.parametrize("scale", [1.0, 0.1, 1 / 3, 1e-9])
@pytest.mark.parametrize("block", range(4))
def test_exact_count_equals_full_enumeration(block: int, scale: float) -> None:
    # 60 cases a block, 240 in all, each for three alternatives, strict and not. A scale of 0.1 or 1/3 makes
    # scores whose sums are equal in exact arithmetic and differ in floating point.
    for seed in range(60 * block, 60 * block + 60):
        x, y = random_case(seed)
        for alternative, strict in itertools.product(ALTERNATIVES, (False, True)):
            test = permutation_test(
                [v * scale for v in x],
                [v * scale for v in y],
                method="exact",
                alternative=alternative,
                strict=strict,
            )
            assert test.count == enumerate_count(x, y, alternative, strict), (seed, alternative, strict)
            assert test.n_partitions == math.comb(len(x) + len(y), len(x))
            assert (test.p_value, test.p_error) == (test.count / test.n_partitions, 0.0)


def test_worked_by_hand() -> None:
    # Sums over X of the 6 partitions of 1, 2, 4 | 8 taken two and two: 3, 5, 6, 9, 10, 12; X = {8, 2} has 10.
    test = permutation_test([8.0, 2.0], [1.0, 4.0])
    assert (test.count, test.n_partitions, test.statistic) == (2, 6, 2.5)
    assert permutation_test([8.0, 2.0], [1.0, 4.0], strict=True).count == 1
    assert permutation_test([8.0, 2.0], [1.0, 4.0], alternative="less").count == 5
    assert permutation_test([8.0, 2.0], [1.0, 4.0], alternative="two-sided").count == 4


def test_two_sided_with_unequal_sizes_is_not_twice_one_side() -> None:
    # X holds one of 0, 1, 2, 9, so the statistic is proportional to the distance to the mean 3: 3, 2, 1, 6.
    assert permutation_test([0.0], [1.0, 2.0, 9.0], alternative="two-sided").count == 2
    assert permutation_test([0.0], [1.0, 2.0, 9.0], alternative="less").count == 1
    assert permutation_test([9.0], [1.0, 2.0, 0.0], alternative="two-sided").count == 1


def test_sums_that_differ_only_by_rounding_are_ties() -> None:
    # 0.1 + 0.2 > 0.3 in floating point; {0.1, 0.2} and {0.0, 0.3} are the same sum.
    assert 0.1 + 0.2 != 0.3 + 0.0
    for x, y in (([0.1, 0.2], [0.0, 0.3]), ([0.0, 0.3], [0.1, 0.2])):
        test = permutation_test(x, y)
        assert test.count == 4
        assert permutation_test(x, y, strict=True).count == 2


def test_tolerance_is_in_units_of_the_statistic() -> None:
    # The statistics of the two partitions are 0.5 and -0.5: a tolerance of 1 reaches the other, less does not.
    assert permutation_test([1.0], [0.5], tolerance=0.99).count == 1
    assert permutation_test([1.0], [0.5], tolerance=1.0).count == 2
    assert permutation_test([1.0], [0.5], tolerance=0.0).count == 1
    assert permutation_test([1.0], [0.5], tolerance=1.0, strict=True).count == 0


def test_scores_that_span_more_bits_than_fit_are_rounded_on_the_safe_side() -> None:
    tiny = [1.0, 1e-30, 3e-30, 0.5]
    partitions = module.Partitions.from_scores(np.array(tiny[:2]), np.array(tiny[2:]))
    assert 0 < partitions.rounding < 1e-15
    # The sums over X are 1, 1, 1.5, 0.5, 0.5 and 0 but for 1e-30, which counts as a tie whichever way it goes.
    assert permutation_test(tiny[:2], tiny[2:]).count == 3
    assert permutation_test(tiny[:2], tiny[2:], tolerance=0.0).count == 3
    assert module.Partitions.from_scores(np.array([0.1, 0.7]), np.array([0.3])).rounding == 0


def test_largest_exact_case_of_the_literature_is_counted() -> None:
    # 20 + 20 scores that are powers of two: every subset has its own sum, so the order is that of the numbers
    # written in base two. X holds the 19 largest and the smallest but one.
    powers = [2.0**k for k in range(40)]
    x, y = [*powers[21:], powers[19]], [*powers[:19], powers[20]]
    assert permutation_test(x, y).count == 2
    assert permutation_test(x, y, strict=True).count == 1


@pytest.mark.parametrize(("extreme", "n"), [(0, 99), (49, 999), (99, 99)])
def test_a_sampled_p_value_counts_the_observed_one_and_has_the_error_of_a_share(extreme: int, n: int) -> None:
    p, error = module.sampled_p(extreme, n)
    assert p == (extreme + 1) / (n + 1)
    assert error == pytest.approx(scipy_stats.beta(extreme + 1, n - extreme + 1).std())


def test_monte_carlo_is_seeded_and_never_zero() -> None:
    x, y = np.arange(20) + 100.0, np.arange(20) * 1.0
    first = permutation_test(x, y, method="monte_carlo", n_resamples=99, seed=1)
    assert first == permutation_test(x, y, method="monte_carlo", n_resamples=99, seed=1)
    assert (first.p_value, first.n_resamples, first.count) == (0.01, 99, None)
    assert 0 < first.p_error < 0.011


@pytest.mark.parametrize("sizes", [(1, 9), (3, 5), (2, 14), (8, 8), (5, 12)])
def test_every_subset_is_drawn_equally_often(sizes: tuple[int, int]) -> None:
    """Scores that are powers of two: the share of draws with a sum from each subset's on is counted for all of them."""
    n = sum(sizes)
    scores = 2.0 ** np.arange(n)
    partitions = module.Partitions.from_scores(scores[: sizes[0]], scores[sizes[0] :])
    values = np.sort(partitions.values)
    subsets = list(itertools.combinations(range(n), partitions.size))
    sums = sorted(int(values[list(chosen)].sum()) for chosen in subsets)
    drawn = 20_000
    for k in range(1, len(sums), max(1, len(sums) // 25)):
        share = module._sampler(partitions, (None, sums[k]), seed=k)(drawn) / drawn
        expected = (len(sums) - k) / len(sums)
        assert abs(share - expected) <= 4.5 * math.sqrt(expected * (1 - expected) / drawn), (k, len(sums))


def test_normal_approximation_uses_the_exact_variance_over_partitions() -> None:
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=4), rng.normal(size=6)
    pooled = np.concatenate([x, y])
    statistics = []
    for chosen in itertools.combinations(range(10), 4):
        mask = np.isin(np.arange(10), chosen)
        statistics.append(pooled[mask].mean() - pooled[~mask].mean())
    z = (x.mean() - y.mean()) / np.std(statistics)
    greater = permutation_test(x, y, method="normal").p_value
    assert greater == pytest.approx(scipy_stats.norm.sf(z), rel=1e-12)
    assert permutation_test(x, y, method="normal", alternative="less").p_value == pytest.approx(1 - greater)
    two_sided = permutation_test(x, y, method="normal", alternative="two-sided")
    assert two_sided.p_value == pytest.approx(2 * min(greater, 1 - greater))
    assert two_sided.p_error == 0.0


def test_auto_counts_up_to_25_and_25_and_samples_beyond(monkeypatch: pytest.MonkeyPatch) -> None:
    assert module.work(50, 25) == module.AUTO_EXACT_WORK
    assert module.work(52, 26) > module.AUTO_EXACT_WORK
    monkeypatch.setattr(module, "AUTO_EXACT_WORK", module.work(12, 6))
    rng = np.random.default_rng(0)
    assert permutation_test(rng.normal(size=6), rng.normal(size=6)).method == "exact"
    beyond = permutation_test(rng.normal(size=7) + 2, rng.normal(size=7))
    assert (beyond.method, beyond.count, beyond.n_resamples) == ("monte_carlo", None, module.DRAWS)


def test_auto_draws_ten_times_as_many_close_to_the_level(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "AUTO_EXACT_WORK", 0)
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(2, 12))
    x += y.mean() - x.mean()
    for shift, n in ((0.61, 99_999), (0.0, 9_999)):
        exact = permutation_test(x + shift, y, method="exact")
        found = permutation_test(x + shift, y, n_resamples=9_999)
        assert found.n_resamples == n
        assert abs(found.p_value - exact.p_value) <= 4 * found.p_error
        assert found.p_error == pytest.approx(math.sqrt(exact.p_value * (1 - exact.p_value) / n), rel=0.1)


scores = st.lists(st.integers(-50, 50).map(lambda v: v / 8), min_size=1, max_size=6)


@settings(deadline=None, max_examples=60)
@given(scores, scores)
def test_symmetries(x: list[float], y: list[float]) -> None:
    greater = permutation_test(x, y)
    assert greater.count == permutation_test(y, x, alternative="less").count
    assert greater.count == permutation_test(x[::-1], y[::-1]).count
    assert greater.count == permutation_test([4 * v + 3 for v in x], [4 * v + 3 for v in y]).count
    negated = permutation_test([-v for v in x], [-v for v in y], alternative="less")
    assert greater.count == negated.count
    below = permutation_test(x, y, alternative="less", strict=True)
    assert greater.count + below.count == greater.n_partitions
    two_sided = permutation_test(x, y, alternative="two-sided").count
    assert two_sided == permutation_test(y, x, alternative="two-sided").count
    assert 1 <= greater.count <= greater.n_partitions


@settings(deadline=None, max_examples=60)
@given(scores, scores)
def test_effect_size_properties(x: list[float], y: list[float]) -> None:
    if len(set(x + y)) == 1:
        with pytest.raises(UndefinedScoreError):
            effect_size(x, y)
        return
    d = effect_size(x, y)
    assert effect_size(y, x) == pytest.approx(-d, abs=1e-12)
    assert effect_size([2 * v - 1 for v in x], [2 * v - 1 for v in y]) == pytest.approx(d, abs=1e-12)
    n = len(x) + len(y)
    assert effect_size(x, y, ddof=0) == pytest.approx(d * math.sqrt(n / (n - 1)), abs=1e-12)
    assert abs(effect_size(x, y, ddof=0)) <= n / math.sqrt(len(x) * len(y)) + 1e-12


def test_effect_size_by_hand() -> None:
    # Means 2 and 5, deviations from 3.5 squared: 6.25, 2.25, .25, .25, 2.25, 6.25, in all 17.5.
    assert effect_size([1, 2, 3], [4, 5, 6]) == pytest.approx(-3 / math.sqrt(17.5 / 5), rel=1e-15)
    assert effect_size([1, 2, 3], [4, 5, 6], ddof=0) == pytest.approx(-3 / math.sqrt(17.5 / 6), rel=1e-15)


def test_a_number_of_partitions_beyond_any_program_is_told_by_its_logarithm() -> None:
    """C(20000, 10000) has 6,019 digits, and Python writes no integer of more than 4,300."""
    scores = np.arange(10_000) / 7.0
    test = permutation_test(scores, scores + 100.0, method="normal")
    assert test.n_partitions is None
    assert permutation_test([1.0] * 400, [2.0] * 400, method="normal").n_partitions == math.comb(800, 400)


@pytest.mark.parametrize("seed", range(12))
def test_sampled_partitions_against_the_count(seed: int) -> None:
    """With and without ties, every alternative."""
    rng = np.random.default_rng(seed)
    n_x, n_y = rng.integers(3, 11, 2)
    pooled = rng.normal(size=n_x + n_y) if seed % 2 else rng.integers(0, 5, n_x + n_y).astype(float)
    x, y = pooled[:n_x] + 0.3, pooled[n_x:]
    for alternative in ("greater", "less", "two-sided"):
        for strict in (False, True):
            options = {"alternative": alternative, "strict": strict}
            exact = permutation_test(x, y, method="exact", **options)
            sampled = permutation_test(x, y, method="monte_carlo", n_resamples=2_000, seed=seed, **options)
            assert abs(sampled.p_value - exact.p_value) <= 4.5 * sampled.p_error


@pytest.mark.slow
@pytest.mark.parametrize("alternative", ["greater", "two-sided"])
def test_exact_p_values_are_uniform_under_the_null(alternative: str) -> None:
    # 9 + 9 continuous scores: p is a multiple of 1 / 48620 (two-sided 2 / 48620), far finer than the distance the
    # test sees at 2,000 draws (about 0.03), so that discreteness does not matter.
    rng = np.random.default_rng(20240101)
    draws = rng.standard_t(3, size=(2000, 18))
    p_values = [
        permutation_test(row[:9], row[9:], method="exact", alternative=alternative).p_value for row in draws
    ]
    assert scipy_stats.kstest(p_values, "uniform").pvalue > 0.01
    assert np.mean(np.array(p_values) <= 0.05) == pytest.approx(0.05, abs=0.015)


def test_sampled_partitions_do_not_depend_on_the_order_of_the_scores() -> None:
    x, y = np.random.default_rng(0).normal(size=(2, 12))
    one, other = (
        permutation_test(a, b, method="monte_carlo", n_resamples=99) for a, b in ((x, y), (x[::-1], y[::-1]))
    )
    assert one.p_value == other.p_value
