"""The interval of the mean of several proportions."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from evaluate_bias.errors import InputError, UndefinedScoreError
from evaluate_bias.stats import mean_proportion_interval, wilson_interval


@given(st.integers(0, 40), st.integers(1, 40))
def test_one_proportion_has_wilsons_interval(k: int, n: int) -> None:
    k = min(k, n)
    assert mean_proportion_interval([k], [n]) == wilson_interval(k, n)


@pytest.mark.parametrize("level", [0.9, 0.95])
def test_it_solves_wilsons_equation_with_the_variance_between_shares(level: float) -> None:
    """The ends are where |p - mean| / sqrt(v · p (1 - p)) is Student's quantile, v the variance of the mean over that
    of one trial."""
    shares = np.array([0.2, 0.5, 0.5, 0.9])
    found = mean_proportion_interval([2, 5, 10, 9], [10, 10, 20, 10], level)
    mean = shares.mean()
    ratio = shares.var(ddof=1) / 4 / (mean * (1 - mean))
    for end in (found.low, found.high):
        t = abs(end - mean) / np.sqrt(ratio * end * (1 - end))
        assert t == pytest.approx(stats.t.ppf((1 + level) / 2, df=3))


def test_equal_shares_count_their_trials() -> None:
    """Without a spread between them, as many trials as give a mean of equal proportions its variance, 4 / (2/8)."""
    found = mean_proportion_interval([4, 4], [8, 8])
    t = stats.t.ppf(0.975, df=1)
    for end in (found.low, found.high):
        assert abs(end - 0.5) / np.sqrt(end * (1 - end) / 16) == pytest.approx(t)
    assert mean_proportion_interval([3, 3, 3], [3, 3, 3]).high == 1.0
    assert 0.3 < mean_proportion_interval([3, 3, 3], [3, 3, 3]).low < 0.5


@given(st.lists(st.tuples(st.integers(0, 50), st.integers(1, 50)), min_size=1, max_size=8))
def test_it_holds_the_mean_and_stays_in_range(drawn: list[tuple[int, int]]) -> None:
    counts = [(min(k, n), n) for k, n in drawn]
    interval = mean_proportion_interval(*map(list, zip(*counts, strict=True)))
    assert interval.estimate == pytest.approx(np.mean([k / n for k, n in counts]))
    assert 0 <= interval.low <= interval.estimate + 1e-12
    assert interval.estimate <= interval.high + 1e-12 <= 1 + 1e-12


@pytest.mark.parametrize("groups", [3, 8, 40])
@pytest.mark.parametrize("p", [0.5, 0.8])
def test_it_covers_where_trials_of_a_group_resemble_one_another(groups: int, p: float) -> None:
    """Shares that vary by a beta distribution, items of a group correlated by 0.05."""
    rng = np.random.default_rng(0)
    n = rng.integers(4, 40, groups)
    alike = (1 - 0.05) / 0.05
    held = 0
    for _ in range(600):
        k = rng.binomial(n, rng.beta(p * alike, (1 - p) * alike, groups))
        interval = mean_proportion_interval(k.tolist(), n.tolist())
        held += interval.low <= p <= interval.high
    assert 0.92 < held / 600 < 0.985


@pytest.mark.parametrize(
    ("k", "n", "error"),
    [
        ([], [], UndefinedScoreError),
        ([0], [0], UndefinedScoreError),
        ([1, 2], [3], InputError),
        ([4], [3], InputError),
        ([0.5], [3], InputError),
    ],
)
def test_bad_counts(k: list[int], n: list[int], error: type[Exception]) -> None:
    with pytest.raises(error):
        mean_proportion_interval(k, n)
