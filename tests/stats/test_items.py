"""A table of items: derivatives, intervals, tests and changes against closed forms and the functions of one case."""

from __future__ import annotations

import numpy as np
import pytest

from evaluate_bias import stats
from evaluate_bias.errors import UndefinedScoreError
from evaluate_bias.methods.item_scores import mean
from evaluate_bias.stats import FISHER_Z, LOG_ODDS, ItemInference, two_way_interval
from evaluate_bias.stats.items import Items, Link

HOW = {"test": "sign_flips", "clusters": "templates", "ci_resamples": 999, "seed": 3}


def share(totals):
    return totals[:, 1] / totals[:, 0]


def kappa(totals):
    n, a, b, both = np.moveaxis(totals, -1, 0)
    chance = (a * b + (n - a) * (n - b)) / n**2
    return ((n - a - b + 2 * both) / n - chance) / (1 - chance)


def drawn(seed=0, n=60):
    """Hits of items, of 12 templates in two strata, and 6 prompt variants."""
    rng = np.random.default_rng(seed)
    templates = rng.integers(0, 12, n)
    hits = rng.random(n) < 0.3 + 0.4 * (templates % 3 == 0)
    columns = np.stack([np.ones(n), hits], axis=1)
    return Items.of(columns, [f"t{t}" for t in templates], templates // 6, rng.integers(0, 6, n))


def test_influence_is_the_derivative_of_the_score():
    items = drawn()
    value = items.value(share)
    expected = (items.columns[:, 1] - value) / len(items.columns)
    assert items.influence(share) == pytest.approx(expected, abs=1e-13)
    rng = np.random.default_rng(1)
    a, b = rng.random((2, 40)) < 0.6
    pairs = Items.of(np.stack([np.ones(40), a, b, a & b], axis=1), range(40))
    weights = np.ones(40)
    for i in range(0, 40, 7):  # the derivative in the weight of an item
        ends = []
        for shift in (1e-5, -1e-5):
            weights[i] = 1 + shift
            ends.append(kappa((weights[:, None] * pairs.columns).sum(axis=0)[None])[0])
        weights[i] = 1
        assert pairs.influence(kappa)[i] == pytest.approx((ends[0] - ends[1]) / 2e-5, abs=1e-9)


def test_the_interval_of_a_mean_is_students():
    values = np.random.default_rng(2).normal(size=15)
    items = Items.of(np.stack([np.ones(15), values], axis=1), range(15))
    low, high, how = items.interval(share, stats.ItemInference(interval="t", **HOW))
    half = 2.1447866879169273 * values.std(ddof=1) / np.sqrt(15)  # t of 14 degrees of freedom at .975
    assert (low, high) == pytest.approx((values.mean() - half, values.mean() + half), abs=1e-10)
    assert how == "Student's t interval over templates"


def test_students_interval_of_equal_values_speaks_of_no_bootstrap():
    items = Items.of(np.ones((15, 2)), range(15))
    ends = items.interval(share, stats.ItemInference(interval="t", **HOW))
    assert ends == (None, None, "none: nothing varies over templates")


@pytest.mark.parametrize("interval", ["studentised", "percentile", "bca", "t", "crossed"])
def test_the_order_of_the_rows_changes_nothing(interval):
    items, inference = drawn(), stats.ItemInference(interval=interval, **HOW)
    order = np.random.default_rng(5).permutation(len(items.columns))
    one, two = (table.interval(share, inference, (0.0, 1.0)) for table in (items, items.where(order)))
    assert one[:2] == pytest.approx(two[:2], abs=1e-12)
    assert 0 < one.ci_low < items.value(share) < one.ci_high <= 1


def test_a_share_of_all_hits_has_no_interval_and_one_cluster_neither():
    items = drawn()
    for interval in ("studentised", "percentile", "crossed"):
        inference = stats.ItemInference(interval=interval, **HOW)
        sure = Items(np.ones_like(items.columns), items.clusters, items.strata, items.across)
        assert sure.interval(share, inference, (0.0, 1.0))[:2] == (None, None)
        alone = Items.of(items.columns, ["t"] * len(items.columns), across=items.across)
        ends = alone.interval(share, inference, (0.0, 1.0))
        assert ends[:2] == (None, None)
        assert ends.ci_method.startswith("none: ")


def test_the_sign_flip_test_is_that_of_the_clusters_sums():
    items = drawn(7)
    values = np.where(items.columns[:, 1] > 0, 1.0, -1.0)
    values[items.clusters == 2] = 0.0
    sums = np.bincount(items.clusters, values)
    test = items.mean_test(values, items.columns[:, 0], stats.ItemInference(interval="none", **HOW))
    expected = stats.sign_flip_test(sums, n_resamples=99_999, seed=3)
    assert (test.p_value, test.n_tested) == (expected.p_value, 11)


def test_a_crossed_test_says_that_all_clusters_agree():
    items = Items.of(np.ones((20, 2)), np.repeat(np.arange(4), 5), across=np.tile(np.arange(5), 4))
    inference = stats.ItemInference(interval="crossed", test="crossed", clusters="templates")
    test = items.mean_test(np.ones(20), np.ones(20), inference)
    assert (test.p_value, test.n_tested) == (2 / 2**4, 4)
    assert items.mean_test(np.zeros(20), np.ones(20), inference).p_value == 1.0


def test_a_change_is_that_of_exchanged_clusters():
    one, two = drawn(1), drawn(2)
    exchanged = stats.change(one, two, share, crosses=False)
    sides = [np.zeros((12, 2)) for _ in range(2)]
    for side, table in zip(sides, (one, two), strict=True):
        np.add.at(side, one.clusters, table.columns)
    places = [one.strata[one.clusters == k][0] for k in range(12)]
    assert exchanged == stats.paired_totals(*sides, share, strata=places)
    assert stats.change(one, two, share, crosses=False, strata=False) == stats.paired_totals(*sides, share)


def test_labels_are_permuted_over_clusters():
    rng = np.random.default_rng(4)
    values, label = rng.normal(size=24) + np.repeat([0.0, 1.0], 12), np.repeat([0, 1], 12)
    blocks = np.zeros((24, 2, 2))
    blocks[np.arange(24), label] = np.stack([np.ones(24), values], axis=1)
    items = Items(blocks, np.arange(24), label, np.zeros(24, dtype=int))
    null_mean, (p, error) = items.label_permutation(
        lambda t: np.subtract(*(t[..., 1] / t[..., 0]).T), 20_000, 0
    )
    exact = stats.permutation_test(values[:12], values[12:], method="exact", alternative="two-sided")
    assert p == pytest.approx(exact.p_value, abs=4 * error)
    assert abs(null_mean) < 0.02


def test_permuted_labels_move_clusters_as_wholes():
    """Two clusters a label with equal members: of six splits two are as far from 0, as many as of four clusters."""
    label = np.repeat([0, 0, 1, 1], 5)
    blocks = np.zeros((20, 2, 2))
    blocks[np.arange(20), label] = np.stack([np.ones(20), np.repeat([1.0, 2.0, 5.0, 6.0], 5)], axis=1)
    items = Items(blocks, np.repeat(np.arange(4), 5), label, np.zeros(20, dtype=int))
    p, error = items.label_permutation(lambda t: np.subtract(*(t[..., 1] / t[..., 0]).T), 20_000, 0)[1]
    assert p == pytest.approx(1 / 3, abs=4 * error)


# Shares of wins


def won_lost_tied(won, lost, tied):
    return np.repeat([[1.0, 0.0, 1.0], [0.0, 1.0, 1.0], [0.0, 0.0, 1.0]], [won, lost, tied], axis=0)


@pytest.mark.parametrize("ties", ["drop", "keep"])
def test_items_that_are_there_three_times_are_one_cluster_and_no_more_evidence(ties):
    columns = won_lost_tied(11, 4, 5)
    how = stats.ItemInference(interval="wilson", test="binomial", clusters="pairs", ties=ties)
    once = stats.Items.of(columns, range(20))
    often = stats.Items.of(np.repeat(columns, 3, axis=0), np.repeat(np.arange(20), 3))
    assert np.allclose(once.wins(how)[:4], often.wins(how)[:4])
    assert once.wins(how).n_tested == often.wins(how).n_tested
    # One half of the items that are tested, by signs: with items of one size the binomial test.
    assert often.wins_test(how).p_value == pytest.approx(once.wins_test(how).p_value)
    assert often.wins_test(how).p_method.startswith("sign-flip test")


def test_an_interval_of_wins_includes_the_ideal_if_that_of_the_decided_includes_one_half():
    how = stats.ItemInference(interval="wilson", test="binomial", clusters="pairs")
    for won in range(21):
        wins = stats.Items.of(won_lost_tied(won, 20 - won, 15), range(35)).wins(how, 100.0)
        _, low, high = wins.decided
        assert (wins.low <= wins.ideal <= wins.high) == (low <= 50 <= high)
        assert wins.low <= wins.score <= wins.high


def test_a_mean_over_one_cluster_has_no_interval_and_no_wins_no_share():
    how = stats.ItemInference(interval="wilson", test="sign_flips", clusters="terms", mean_of="clusters")
    table = stats.Items.of(won_lost_tied(9, 1, 2), [0] * 10 + [1] * 2)
    assert (table.wins(how).low, table.wins(how).decided) == (None, (0.9, None, None))
    with pytest.raises(UndefinedScoreError):
        table.where(np.array([10, 11])).wins(how)


def test_rows_and_columns_are_both_drawn() -> None:
    """The same draws as of index arrays: rows within two strata, and the columns."""
    values = np.add.outer(np.random.default_rng(2).normal(size=9), [0.1, 0.9, 0.3, 0.2])
    how = ItemInference(
        interval="bca", test="sign_flips", clusters="pairs", across="templates", ci_resamples=499
    )
    cells, strata = (
        np.stack([np.ones_like(values), values], axis=2),
        [["a", "b", "c", "d"], ["e", "f", "g", "h", "i"]],
    )
    found = two_way_interval(cells, mean, how, strata, [["x", "y", "z", "w"]])

    def drawn(indices: list[np.ndarray]) -> np.ndarray:
        rows = np.concatenate([indices[0], indices[1] + 4], axis=1)
        return values[rows[:, :, None], indices[2][:, None, :]].mean(axis=(1, 2))

    naive = stats.bootstrap_ci([*strata, ["x", "y", "z", "w"]], drawn, n_resamples=499)
    assert (found.ci_low, found.ci_high) == pytest.approx((naive.low, naive.high))
    flat = two_way_interval(np.ones((9, 4, 2)), mean, how, strata, [["x", "y", "z", "w"]])
    assert flat.ci_low is None


@pytest.mark.parametrize("link", [FISHER_Z, LOG_ODDS])
def test_an_interval_on_a_scale_stays_in_its_range(link: Link) -> None:
    """The ends are those of the linked score with the influence divided by its room, brought back."""
    shares = np.repeat([0.9, 0.99, 0.6, 0.97], 6)
    items = Items.of(shares, np.repeat(range(4), 6), across=np.tile(range(6), 4))
    how = ItemInference(interval="crossed", test="crossed", clusters="words", across="prompts")
    value = float(shares.mean())
    influence = (shares - value) / len(shares)
    (low, high, method), _ = items.crossed(value, influence, how, (0.0, 1.0), link=link)
    plain, _ = items.crossed(float(link.to(value)), influence / link.room(value), how, (-50.0, 50.0))
    assert (low, high) == pytest.approx((link.back(plain.ci_low), link.back(plain.ci_high)))
    assert method.startswith(f"{link.name}, ")
    assert high < 1
    at_end, _ = items.crossed(1.0, np.zeros(24), how, (0.0, 1.0), link=link)
    assert at_end.ci_method == "none: nothing varies over words and prompts"
