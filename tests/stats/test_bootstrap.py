"""Bootstrap intervals: equal to scipy's on the same resamples, stratification, degenerate cases, coverage."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from scipy import stats as scipy_stats

from evaluate_bias.errors import InputError, UndefinedScoreError
from evaluate_bias.stats import bootstrap_ci, bootstrap_mean_ci
from evaluate_bias.stats.bootstrap import MeanMethod


def difference_of_means(x: np.ndarray, y: np.ndarray):
    return lambda i: x[i[0]].mean(axis=1) - y[i[1]].mean(axis=1)


@pytest.mark.parametrize("method", ["bca", "percentile"])
def test_one_sample_equals_scipy_on_the_same_resamples(method: str) -> None:
    x = np.random.default_rng(0).exponential(size=30)
    ours = bootstrap_ci([30], lambda i: np.var(x[i[0]], axis=1), n_resamples=2000, method=method, seed=11)
    # The generator of the first stratum is the first child of the seed.
    theirs = scipy_stats.bootstrap(
        (x,),
        np.var,
        n_resamples=2000,
        method=method,
        rng=np.random.default_rng(11).spawn(1)[0],
        vectorized=True,
    )
    assert ours.low == pytest.approx(theirs.confidence_interval.low, rel=1e-12)
    assert ours.high == pytest.approx(theirs.confidence_interval.high, rel=1e-12)
    assert ours.standard_error == pytest.approx(theirs.standard_error, rel=1e-12)
    assert (ours.estimate, ours.method, ours.note) == (pytest.approx(np.var(x)), method, "")


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
    assert ours.low == pytest.approx(theirs.low, abs=0.01)
    assert ours.high == pytest.approx(theirs.high, abs=0.01)


def test_bca_by_hand() -> None:
    # Every formula of the interval written out for one sample, on the replicates that came back.
    x = np.array([1.0, 2.0, 4.0, 8.0, 16.0, 3.0, 5.0])
    ci = bootstrap_ci([7], lambda i: x[i[0]].mean(axis=1), n_resamples=500, keep_replicates=True)
    replicates = ci.replicates
    left_out = np.array([np.delete(x, i).mean() for i in range(7)])
    centred = left_out.mean() - left_out
    acceleration = np.sum(centred**3) / (6 * np.sum(centred**2) ** 1.5)
    share = (np.sum(replicates < x.mean()) + 0.5 * np.sum(replicates == x.mean())) / 500
    bias = scipy_stats.norm.ppf(share)
    for bound, tail in ((ci.low, 0.025), (ci.high, 0.975)):
        z = bias + scipy_stats.norm.ppf(tail)
        corrected = scipy_stats.norm.cdf(bias + z / (1 - acceleration * z))
        assert bound == pytest.approx(np.quantile(replicates, corrected), rel=1e-12)
    assert ci.standard_error == pytest.approx(np.std(replicates, ddof=1))


def test_seed_is_reproducible_and_matters() -> None:
    x = np.random.default_rng(3).normal(size=20)
    one = bootstrap_mean_ci(x, seed=1, n_resamples=500)
    assert (one.low, one.high) == (lambda c: (c.low, c.high))(bootstrap_mean_ci(x, seed=1, n_resamples=500))
    assert one.low != bootstrap_mean_ci(x, seed=2, n_resamples=500).low


def test_shapes_that_the_statistic_gets() -> None:
    shapes = set()

    def statistic(indices: list[np.ndarray]) -> np.ndarray:
        shapes.add(tuple(i.shape[1] for i in indices))
        assert all(i.min() >= 0 and i.max() < n for i, n in zip(indices, (5, 3, 1), strict=True))
        return indices[0].mean(axis=1) + indices[1].mean(axis=1)

    bootstrap_ci([5, 3, 1], statistic, n_resamples=50)
    # Full size for the data and the resamples, one less where the jackknife leaves one out; never an empty stratum.
    assert shapes == {(5, 3, 1), (4, 3, 1), (5, 2, 1)}


def test_fixed_strata_are_neither_resampled_nor_left_out() -> None:
    x, y = np.array([1.0, 2.0, 4.0, 9.0]), np.array([100.0, 200.0, 900.0])
    seen = []

    def statistic(indices: list[np.ndarray]) -> np.ndarray:
        seen.append(indices[1])
        return x[indices[0]].mean(axis=1) + y[indices[1]].mean(axis=1)

    ci = bootstrap_ci([4, 3], statistic, resample=[True, False], n_resamples=300)
    assert all((rows == np.arange(3)).all() for rows in seen)
    alone = bootstrap_mean_ci(x, n_resamples=300)
    assert (ci.low - 400, ci.high - 400) == pytest.approx((alone.low, alone.high))


def test_statistic_is_evaluated_on_every_leave_one_out_sample() -> None:
    rows = []

    def statistic(indices: list[np.ndarray]) -> np.ndarray:
        if indices[0].shape[1] == 3:
            rows.extend(indices[0].tolist())
        return indices[0].sum(axis=1) * 1.0

    bootstrap_ci([4], statistic, n_resamples=20, batch=3)
    assert rows == [[1, 2, 3], [0, 2, 3], [0, 1, 3], [0, 1, 2]]


def test_equal_replicates_give_an_interval_of_width_zero() -> None:
    ci = bootstrap_mean_ci([2.0, 2.0, 2.0])
    assert (ci.low, ci.high, ci.standard_error, ci.note) == (2.0, 2.0, 0.0, "")


def test_estimate_beyond_all_replicates_falls_back_to_percentiles_with_a_note() -> None:
    # The largest of the negated counts of distinct elements is reached by the data alone.
    def minus_distinct(indices: list[np.ndarray]) -> np.ndarray:
        return np.array([-float(len(set(row.tolist()))) for row in indices[0]])

    ci = bootstrap_ci([30], minus_distinct, n_resamples=200)
    assert ci.method == "percentile"
    assert "one side" in ci.note
    assert ci.estimate == -30 < ci.low <= ci.high


def test_jackknife_that_is_undefined_falls_back_with_a_note() -> None:
    def only_full(indices: list[np.ndarray]) -> np.ndarray:
        return indices[0].mean(axis=1) if indices[0].shape[1] == 6 else np.full(len(indices[0]), np.nan)

    ci = bootstrap_ci([6], only_full, n_resamples=200)
    assert ci.method == "percentile"
    assert "left out" in ci.note


def test_jackknife_without_spread_gives_acceleration_zero() -> None:
    # On leave-one-out samples the statistic is constant: BCa becomes the bias-corrected interval.
    def statistic(indices: list[np.ndarray]) -> np.ndarray:
        return indices[0].mean(axis=1) if indices[0].shape[1] == 6 else np.ones(len(indices[0]))

    ci = bootstrap_ci([6], statistic, n_resamples=999, keep_replicates=True)
    share = (np.mean(ci.replicates < 2.5) + np.mean(ci.replicates <= 2.5)) / 2
    bias = scipy_stats.norm.ppf(share)
    assert ci.method == "bca"
    assert ci.low == pytest.approx(
        np.quantile(ci.replicates, scipy_stats.norm.cdf(2 * bias - 1.959963984540054))
    )


def test_undefined_replicates_are_counted_and_too_many_are_an_error() -> None:
    x = np.array([0.0, 0.0, 1.0, 2.0, 5.0])

    def one_over_sd(indices: list[np.ndarray]) -> np.ndarray:
        sd = x[indices[0]].std(axis=1)
        return np.divide(1.0, sd, out=np.full(len(sd), np.nan), where=sd > 0)

    ci = bootstrap_ci([5], one_over_sd, n_resamples=2000, method="percentile", keep_replicates=True)
    # All equal: (2/5)^5 + 3 (1/5)^5 = 35 / 3125.
    assert ci.n_undefined == np.isnan(ci.replicates).sum()
    assert ci.n_undefined / 2000 == pytest.approx(35 / 3125, abs=0.01)
    assert math.isfinite(ci.low + ci.high + ci.standard_error)
    with pytest.raises(UndefinedScoreError, match="undefined on .* of 2000 resamples"):
        bootstrap_ci([5], one_over_sd, n_resamples=2000, max_undefined=0.001)


def test_undefined_on_the_data_is_an_error() -> None:
    with pytest.raises(UndefinedScoreError, match="data themselves"):
        bootstrap_ci([3], lambda i: np.full(len(i[0]), np.nan))
    with pytest.raises(UndefinedScoreError, match="empty"):
        bootstrap_mean_ci([])


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"sizes": []}, "at least one stratum"),
        ({"sizes": [3, 0]}, "the size of a stratum is 0"),
        ({"n_resamples": 0}, "n_resamples"),
        ({"level": 1.0}, "level"),
        ({"method": "basic"}, "method is 'basic'"),
        ({"resample": [True, False]}, "resample has 2 entries"),
        ({"max_undefined": 1.0}, "max_undefined"),
        ({"batch": 0}, "batch"),
        ({"statistic": lambda i: np.zeros((len(i[0]), 2))}, "returned shape"),
    ],
)
def test_bad_options(options, text) -> None:
    arguments = {"sizes": [3], "statistic": lambda i: i[0].mean(axis=1), **options}
    with pytest.raises(InputError, match=text):
        bootstrap_ci(arguments.pop("sizes"), arguments.pop("statistic"), **arguments)


def test_bad_values() -> None:
    with pytest.raises(InputError, match="finite"):
        bootstrap_mean_ci([1.0, math.nan])
    with pytest.raises(
        InputError, match=r"method is 'normal': use one of 'studentised', 'bca', 'percentile'"
    ):
        bootstrap_mean_ci([1.0, 2.0], method="normal")  # type: ignore[arg-type]
    for options in ({"n_resamples": 0}, {"level": 95}, {"seed": -1}):
        with pytest.raises(InputError):
            bootstrap_mean_ci([1.0, 2.0], method="studentised", **options)  # type: ignore[arg-type]


# --- the studentised interval of a mean -----------------------------------------------------------------------


def test_studentised_one_resample_at_a_time() -> None:
    x = np.sort(np.random.default_rng(3).exponential(size=9)).tolist()
    mean = sum(x) / 9

    def error(sample: list[float], centre: float) -> float:
        return math.sqrt(sum((v - centre) ** 2 for v in sample) / 8 / 9)

    ratios = []
    for row in np.random.default_rng(7).spawn(1)[0].integers(0, 9, (399, 9)):
        sample = [x[i] for i in row]
        centre = sum(sample) / 9
        ratios.append((centre - mean) / error(sample, centre))
    ratios.sort()
    found = bootstrap_mean_ci(x, n_resamples=399, level=0.9, method="studentised", seed=7)
    assert found.low == pytest.approx(mean - ratios[-21] * error(x, mean))
    assert found.high == pytest.approx(mean - ratios[20] * error(x, mean))
    assert (found.method, found.note, found.n_undefined) == ("studentised", "", 0)
    assert found.estimate == pytest.approx(mean)


def test_few_or_equal_values_have_student_s_interval() -> None:
    found = bootstrap_mean_ci([1.0, 2.0, 3.0], n_resamples=999, method="studentised")
    expected = scipy_stats.t.interval(0.95, 2, loc=2.0, scale=1 / math.sqrt(3))
    assert (found.low, found.high) == pytest.approx(expected)
    assert found.method == "student"
    assert found.note.startswith("Student's t interval, because too many resamples")
    equal = bootstrap_mean_ci([0.1] * 7, method="studentised")
    assert (equal.low, equal.high) == pytest.approx((0.1, 0.1), abs=1e-15)
    with pytest.raises(UndefinedScoreError, match="a single value has no standard error"):
        bootstrap_mean_ci([1.0], method="studentised")


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
        ci = bootstrap_mean_ci(x, n_resamples=399, method="studentised", seed=seed)
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


def test_the_p_value_of_a_mean_is_that_of_all_resamples_and_goes_with_the_interval():
    """Five values, all 5⁵ resamples: the rarer tail of their studentised means, doubled."""
    values = np.array([-0.3, 0.2, 0.9, 1.4, 3.0])
    centred = values - values.mean()
    drawn = centred[np.array(list(itertools.product(range(5), repeat=5)))]
    with np.errstate(divide="ignore"):
        ratios = drawn.mean(axis=1) / (drawn.std(axis=1, ddof=1) / np.sqrt(5))
    observed = values.mean() / (values.std(ddof=1) / np.sqrt(5))
    expected = 2 * min(np.mean(ratios >= observed), np.mean(ratios <= observed))
    found = bootstrap_mean_ci(values, method="studentised", level=0.9)
    assert found.method == "studentised"
    assert found.p[1] <= expected <= found.p[2]
    for level in (0.5, 0.7, 0.9):
        interval = bootstrap_mean_ci(values, method="studentised", level=level)
        assert (interval.p[0] < 1 - level) == (not interval.low <= 0 <= interval.high)


@pytest.mark.parametrize("method", ["studentised", "bca", "percentile"])
def test_the_order_of_the_values_does_not_matter(method: MeanMethod) -> None:
    x = np.random.default_rng(3).exponential(size=12)
    one, other = (bootstrap_mean_ci(v, n_resamples=199, method=method) for v in (x, x[::-1]))
    assert (one.low, one.high) == (other.low, other.high)
