"""Differences between two measurements of the same units: against slow ways, and over simulated nulls."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from scipy import optimize
from scipy import stats as distributions

from evaluate_bias import stats
from evaluate_bias.stats import paired
from evaluate_bias.stats.two_by_two import share_difference_interval, units_needed


def tango_statistic(gained: int, lost: int, n: int, delta: float) -> float:
    """The score statistic, its nuisance parameter found by maximising the likelihood numerically."""

    def loss(q: float) -> float:
        cells = ((gained, q + delta), (lost, q), (n - gained - lost, 1 - 2 * q - delta))
        return -sum(k * math.log(max(p, 1e-300)) for k, p in cells if k)

    q = optimize.minimize_scalar(
        loss, bounds=(max(0.0, -delta), (1 - delta) / 2), method="bounded", options={"xatol": 1e-12}
    ).x
    return (gained - lost - n * delta) / math.sqrt(n * (2 * q + delta * (1 - delta)))


@pytest.mark.parametrize(
    ("gained", "lost", "n"),
    [(12, 2, 50), (0, 0, 50), (5, 0, 20), (0, 5, 20), (1, 1, 2), (3, 7, 300), (40, 60, 1508)],
)
def test_tangos_ends_are_just_not_rejected(gained: int, lost: int, n: int) -> None:
    low, high = share_difference_interval(gained, lost, n)
    z = distributions.norm.ppf(0.975)
    assert tango_statistic(gained, lost, n, low) == pytest.approx(z, rel=1e-4)
    assert tango_statistic(gained, lost, n, high) == pytest.approx(-z, rel=1e-4)
    assert share_difference_interval(lost, gained, n) == pytest.approx((-high, -low))


def test_tangos_ends_stay_within_the_range() -> None:
    assert share_difference_interval(20, 0, 20)[1] == 1.0
    assert share_difference_interval(0, 20, 20)[0] == -1.0


def test_shares_by_hand() -> None:
    found = stats.paired_shares([1] * 7 + [0] * 3, [0] * 6 + [1, 0, 0, 0])
    assert (found.difference, found.n) == (-0.6, 10)
    assert found.p_value == 2 / 2**6
    same = stats.paired_shares([1, 0], [1, 0])
    assert (same.difference, same.p_value) == (0.0, 1.0)


def test_means_permute_the_two_measurements_of_each_unit() -> None:
    rng = np.random.default_rng(3)
    for _ in range(20):
        a, b = rng.normal(size=(2, 7)).round(1)
        found = stats.paired_means(a, b)
        observed = abs((b - a).sum())
        signs = itertools.product((-1, 1), repeat=7)
        beyond = [abs(np.dot(s, b - a)) >= observed - 1e-9 for s in signs]
        assert found.p_value == pytest.approx(np.mean(beyond))
        assert found.difference == pytest.approx((b - a).mean())
        turned = stats.paired_means(b, a)
        assert (turned.difference, turned.p_value) == pytest.approx((-found.difference, found.p_value))


def test_sums_have_the_intervals_of_differences_from_the_mirror_image() -> None:
    rng = np.random.default_rng(4)
    a, b = rng.random((2, 60)) < 0.6
    shares, mirrored = stats.paired_shares(a, b), stats.paired_shares(~a, b)
    assert (shares.sum_low, shares.sum_high) == pytest.approx((1 + mirrored.low, 1 + mirrored.high))
    x, y = rng.normal(size=(2, 12))
    means, mirrored = stats.paired_means(x, y), stats.paired_means(-x, y)
    assert (means.sum_low, means.sum_high) == pytest.approx((mirrored.low, mirrored.high))
    one, two = rng.uniform(1, 3, size=(2, 30, 2))
    totals = stats.paired_totals(one, two, lambda t: t[:, 0] / t[:, 1])
    mirrored = stats.paired_totals(one * [-1, 1], two, lambda t: t[:, 0] / t[:, 1])
    assert (totals.sum_low, totals.sum_high) == pytest.approx((mirrored.low, mirrored.high), abs=0.01)


@pytest.mark.parametrize(
    ("difference", "total", "expected"),
    [
        ((6, 14), (126, 134), (6, 14)),  # both above the ideal: what the score moves, its distance does
        ((-14, -6), (126, 134), (-14, -6)),
        ((6, 14), (66, 74), (-14, -6)),  # both below: nearer
        ((11, 19), (96, 104), (-4, 4)),  # from one side to the other
        ((-4, 4), (126, 134), (-4, 4)),
    ],
)
def test_the_distance_changes_as_difference_and_sum_say(
    difference: tuple[float, float], total: tuple[float, float], expected: tuple[float, float]
) -> None:
    assert stats.distance_change(difference, total, (50, 50)) == expected


def test_two_scores_may_have_two_ideal_values() -> None:
    """Both 5 above their own: the distance did not change, although the score did."""
    assert stats.distance_change((8, 12), (118, 122), (50, 60)) == (-2, 2)


def test_one_unit_has_no_interval() -> None:
    found = stats.paired_means([1.0], [2.0])
    assert (found.low, found.high, found.p_value) == (None, None, 1.0)


@pytest.mark.parametrize(
    "found",
    [
        stats.paired_means([1.0, 2.0, 3.0], [1.1, 2.1, 3.1]),
        stats.paired_means([0.5, 0.25, 0.125], [0.5, 0.25, 0.125]),
    ],
    ids=["the same change everywhere", "no change of a mean"],
)
def test_units_that_change_alike_have_no_interval(found: stats.Difference) -> None:
    """An interval of no width would say that the change is known without any doubt."""
    assert (found.low, found.high, found.interval) == (None, None, "none: nothing varies")


@pytest.mark.parametrize("n", [12, 60])
def test_the_interval_of_skewed_numbers_holds_its_level(n: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Their differences are symmetric, which a studentised bootstrap does not know."""
    monkeypatch.setattr(paired, "sign_flip_test", lambda *_, **__: stats.sign_flip_test([1.0, 2.0]))
    rng = np.random.default_rng(3)
    sides = np.exp(rng.normal(size=(1000, 2, n)))
    found = [stats.paired_means(*both) for both in sides]
    assert np.mean([f.low <= 0 <= f.high for f in found]) == pytest.approx(0.955, abs=0.015)
    bootstrap = [stats.bootstrap_mean_ci(two - one, n_resamples=399) for one, two in sides[:400]]
    assert np.mean([ci.low <= 0 <= ci.high for ci in bootstrap]) < 0.93


@pytest.mark.slow
def test_no_change_is_found_in_five_percent_of_nulls() -> None:
    rng = np.random.default_rng(5)
    p: dict[str, list[float]] = {"shares": [], "means": []}
    held: dict[str, int] = dict.fromkeys(p, 0)
    for _ in range(250):
        a = rng.random(1500) < 0.6
        b = np.where(rng.random(1500) < 0.4, rng.random(1500) < 0.6, a)
        means = rng.normal(size=(2, 24))
        found = {"shares": stats.paired_shares(a, b), "means": stats.paired_means(means[0], means[1])}
        for kind, one in found.items():
            p[kind].append(one.p_value)
            assert one.low is not None
            assert one.high is not None
            held[kind] += one.low <= 0 <= one.high
    for kind, values in p.items():
        # McNemar's p-values are discrete: with these data the exact test rejects in 4.3 %.
        confidence_level = stats.mcnemar_power(1500, 0.192, 0.0) if kind == "shares" else 0.05
        assert np.mean(np.array(values) < 0.05) == pytest.approx(confidence_level, abs=0.03), kind
        assert held[kind] / 250 == pytest.approx(0.95, abs=0.03), kind


@pytest.mark.slow
def test_a_detectable_change_is_found_in_eighty_percent() -> None:
    n = 120
    rng = np.random.default_rng(6)
    changed = 0.3
    first = np.arange(n) < n // 2
    example = stats.paired_shares(first, np.where(np.arange(n) % 10 < 3, ~first, first))
    detectable = example.detectable()
    assert detectable is not None
    share = (changed + detectable) / (2 * changed)
    seen = []
    for _ in range(300):
        m = rng.binomial(n, changed)
        gained = rng.binomial(m, share)
        a = np.r_[np.zeros(gained), np.ones(m - gained), np.zeros(n - m)]
        b = np.r_[np.ones(gained), np.zeros(m - gained), np.zeros(n - m)]
        seen.append(stats.paired_shares(a, b).p_value <= 0.05)
    assert np.mean(seen) == pytest.approx(0.8, abs=0.06)
    needed = units_needed(changed, detectable)
    assert needed == pytest.approx(n, rel=0.05)
