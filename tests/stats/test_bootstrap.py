"""Bootstrap intervals: equal to scipy's on the same resamples, stratification, degenerate cases, coverage."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from scipy import stats as scipy_stats

from evaluate_bias.errors import UndefinedScoreError
from evaluate_bias.stats import bootstrap_ci, bootstrap_mean_ci, item_streams

SKEWED = np.random.default_rng(0).exponential(size=30)


def variance(indices: list[np.ndarray]) -> np.ndarray:
    return np.var(SKEWED[indices[0]], axis=1)


def difference_of_means(x: np.ndarray, y: np.ndarray):
    return lambda i: x[i[0]].mean(axis=1) - y[i[1]].mean(axis=1)


def of_full_size(otherwise: float):
    """The mean of six positions; of five, which the jackknife leaves, a constant."""
    return lambda i: i[0].mean(axis=1) if i[0].shape[1] == 6 else np.full(len(i[0]), otherwise)


@pytest.mark.parametrize("method", ["bca", "percentile"])
def test_one_sample_equals_scipy_on_the_same_resamples(method: str) -> None:
    ours = bootstrap_ci([30], variance, n_resamples=2000, method=method, seed=11)
    ((_, stream),) = item_streams([30], 11)
    theirs = scipy_stats.bootstrap((SKEWED,), np.var, n_resamples=2000, method=method, rng=stream)
    assert ours.low == pytest.approx(theirs.confidence_interval.low, rel=1e-12)
    assert ours.high == pytest.approx(theirs.confidence_interval.high, rel=1e-12)
    assert ours.replicates.std(ddof=1) == pytest.approx(theirs.standard_error, rel=1e-12)
    assert (ours.estimate, ours.method, ours.note) == (pytest.approx(np.var(SKEWED)), method, "")
    other = bootstrap_ci([30], variance, n_resamples=2000, method=method, seed=12)
    assert ours.low != other.low


@pytest.mark.parametrize("method", ["bca", "percentile"])
def test_two_samples_agree_with_scipy(method: str) -> None:
    rng = np.random.default_rng(1)
    x, y = rng.exponential(size=25), rng.normal(size=40)
    ours = bootstrap_ci([25, 40], difference_of_means(x, y), n_resamples=60_000, method=method)
    theirs = scipy_stats.bootstrap(
        (x, y),
        lambda a, b, axis: a.mean(axis=axis) - b.mean(axis=axis),
        n_resamples=60_000,
        method=method,
        rng=np.random.default_rng(0),
        vectorized=True,
    ).confidence_interval
    assert (ours.low, ours.high) == pytest.approx((theirs.low, theirs.high), abs=0.02)


def test_shapes_that_the_statistic_gets() -> None:
    shapes = set()

    def statistic(indices: list[np.ndarray]) -> np.ndarray:
        shapes.add(tuple(i.shape[1] for i in indices))
        assert all(i.min() >= 0 and i.max() < n for i, n in zip(indices, (5, 3, 1), strict=True))
        return indices[0].mean(axis=1) + indices[1].mean(axis=1)

    bootstrap_ci([5, 3, 1], statistic, n_resamples=50)
    # Full size for the data and the resamples, one less where the jackknife leaves one out; never an empty stratum.
    assert shapes == {(5, 3, 1), (4, 3, 1), (5, 2, 1)}


def test_statistic_is_evaluated_on_every_leave_one_out_sample_unless_it_is_known() -> None:
    rows = []

    def statistic(indices: list[np.ndarray]) -> np.ndarray:
        if indices[0].shape[1] == 3:
            rows.extend(indices[0].tolist())
        return indices[0].sum(axis=1) * 1.0

    found = bootstrap_ci([4], statistic, n_resamples=20, batch=3)
    assert rows == [[1, 2, 3], [0, 2, 3], [0, 1, 3], [0, 1, 2]]
    known = bootstrap_ci([4], statistic, n_resamples=20, left_out=[[6.0, 5.0, 4.0, 3.0]])
    assert len(rows) == 4
    assert (known.low, known.high) == (found.low, found.high)


def test_equal_replicates_give_an_interval_of_width_zero() -> None:
    ci = bootstrap_ci([3], lambda i: np.full(len(i[0]), 2.0), n_resamples=50)
    assert (ci.low, ci.high, ci.note) == (2.0, 2.0, "")


def test_where_bca_does_not_exist_percentiles_are_given_with_a_note() -> None:
    # The largest of the negated counts of distinct elements is reached by the data alone.
    def minus_distinct(indices: list[np.ndarray]) -> np.ndarray:
        return np.array([-float(len(set(row.tolist()))) for row in indices[0]])

    beyond = bootstrap_ci([30], minus_distinct, n_resamples=200)
    assert (beyond.method, beyond.estimate) == ("percentile", -30)
    assert "one side" in beyond.note
    assert beyond.estimate < beyond.low <= beyond.high
    undefined = bootstrap_ci([6], of_full_size(np.nan), n_resamples=200)
    assert undefined.method == "percentile"
    assert "removed" in undefined.note


def test_jackknife_without_spread_gives_acceleration_zero() -> None:
    # On leave-one-out samples the statistic is constant: BCa becomes the bias-corrected interval.
    ci = bootstrap_ci([6], of_full_size(1.0), n_resamples=999)
    share = (np.mean(ci.replicates < 2.5) + np.mean(ci.replicates <= 2.5)) / 2
    tail = scipy_stats.norm.cdf(2 * scipy_stats.norm.ppf(share) - 1.959963984540054)
    assert (ci.method, ci.low) == ("bca", pytest.approx(np.quantile(ci.replicates, tail)))


def test_undefined_replicates_are_counted_and_too_many_are_an_error() -> None:
    def one_over_sd(x: np.ndarray):
        def statistic(indices: list[np.ndarray]) -> np.ndarray:
            sd = x[indices[0]].std(axis=1)
            return np.divide(1.0, sd, out=np.full(len(sd), np.nan), where=sd > 0)

        return statistic

    five = one_over_sd(np.array([0.0, 0.0, 1.0, 2.0, 5.0]))
    ci = bootstrap_ci([5], five, n_resamples=2000, method="percentile")
    # All equal: (2/5)^5 + 3 (1/5)^5 = 35 / 3125.
    assert np.isnan(ci.replicates).mean() == pytest.approx(35 / 3125, abs=0.02)
    assert math.isfinite(ci.low + ci.high)
    three = one_over_sd(np.array([0.0, 1.0, 2.0]))  # 3 of 27 have no spread, more than 5 %
    with pytest.raises(UndefinedScoreError, match="undefined on .* of 2000 resamples, more than 5%"):
        bootstrap_ci([3], three, n_resamples=2000)


# --- the studentised interval of a mean -----------------------------------------------------------------------


def test_studentised_one_resample_at_a_time() -> None:
    x = np.sort(np.random.default_rng(3).exponential(size=9)).tolist()
    mean = sum(x) / 9

    def error(sample: list[float], centre: float) -> float:
        return math.sqrt(sum((v - centre) ** 2 for v in sample) / 8 / 9)

    ratios = []
    ((_, stream),) = item_streams([9], 7)
    for row in stream.integers(0, 9, (399, 9)):
        sample = [x[i] for i in row]
        centre = sum(sample) / 9
        ratios.append((centre - mean) / error(sample, centre))
    ratios.sort()
    found = bootstrap_mean_ci(x, n_resamples=399, confidence_level=0.9, seed=7)
    assert found.low == pytest.approx(mean - ratios[-21] * error(x, mean))
    assert found.high == pytest.approx(mean - ratios[20] * error(x, mean))
    assert (found.method, found.note) == ("studentised", "")
    assert found.estimate == pytest.approx(mean)
    turned = bootstrap_mean_ci(x[::-1], n_resamples=399, confidence_level=0.9, seed=7)
    assert (turned.low, turned.high) == (found.low, found.high)


def test_few_or_equal_values_have_student_s_interval() -> None:
    found = bootstrap_mean_ci([1.0, 2.0, 3.0], n_resamples=999)
    expected = scipy_stats.t.interval(0.95, 2, loc=2.0, scale=1 / math.sqrt(3))
    assert (found.low, found.high) == pytest.approx(expected)
    assert found.method == "student"
    assert found.note.startswith("Student's t interval, because too many resamples")
    equal = bootstrap_mean_ci([0.1] * 7)
    assert (equal.low, equal.high) == pytest.approx((0.1, 0.1), abs=1e-15)


@pytest.mark.slow
@pytest.mark.parametrize("n", [10, 30, 60])
@pytest.mark.parametrize("shape", ["normal", "skewed"])
def test_studentised_coverage_of_few_values_is_nominal(n: int, shape: str) -> None:
    # 95 ± 2 % of 1,000 intervals, give or take three standard errors; the percentile interval of 10 normal values
    # has 90 %.
    rng = np.random.default_rng(5)
    covered = 0
    for seed in range(1000):
        x, truth = (rng.normal(size=n), 0.0) if shape == "normal" else (rng.gamma(2.0, size=n), 2.0)
        ci = bootstrap_mean_ci(x, n_resamples=399, seed=seed)
        covered += ci.low <= truth <= ci.high
    assert covered / 1000 == pytest.approx(0.95, abs=0.02 + 3 * math.sqrt(0.05 * 0.95 / 1000))


@pytest.mark.slow
@pytest.mark.parametrize("method", ["bca", "percentile"])
def test_coverage_is_nominal(method: str) -> None:
    # The difference of means of 80 and 80 normal draws, where both intervals should hold: of 2,000 intervals about
    # 95 % contain the true difference, give or take 0.5 % (one standard error).
    rng = np.random.default_rng(42)
    covered = 0
    for seed in range(2000):
        x, y = rng.normal(1.0, 1.0, 80), rng.normal(0.0, 2.0, 80)
        ci = bootstrap_ci([80, 80], difference_of_means(x, y), n_resamples=599, method=method, seed=seed)
        covered += ci.low <= 1.0 <= ci.high
    assert covered / 2000 == pytest.approx(0.95, abs=0.015)


def test_the_p_value_of_a_mean_is_that_of_all_resamples_and_goes_with_the_interval() -> None:
    """Five values, all 5⁵ resamples: the rarer tail of their studentised means, doubled."""
    values = np.array([-0.3, 0.2, 0.9, 1.4, 3.0])
    centred = values - values.mean()
    drawn = centred[np.array(list(itertools.product(range(5), repeat=5)))]
    with np.errstate(divide="ignore"):
        ratios = drawn.mean(axis=1) / (drawn.std(axis=1, ddof=1) / np.sqrt(5))
    observed = values.mean() / (values.std(ddof=1) / np.sqrt(5))
    expected = 2 * min(np.mean(ratios >= observed), np.mean(ratios <= observed))
    found = bootstrap_mean_ci(values, confidence_level=0.9)
    assert found.method == "studentised"
    assert abs(found.p[0] - expected) <= 4 * found.p[1]
    for confidence_level in (0.5, 0.7, 0.9):
        interval = bootstrap_mean_ci(values, confidence_level=confidence_level)
        assert (interval.p[0] < 1 - confidence_level) == (not interval.low <= 0 <= interval.high)
