"""Exchanging two measurements unit by unit: against slow ways, and over simulated nulls of every method that does."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy import stats as distributions

from evaluate_bias import stats
from evaluate_bias.registry import METHODS
from evaluate_bias.report.compare import testing
from evaluate_bias.report.compare.testing import Item
from evaluate_bias.result import Sampled
from evaluate_bias.stats import exchange
from tests.stats.exchange_simulations import DRAWS, change, pairs


def ratio(totals: Any) -> Any:
    return totals[:, 0] / totals[:, 1]


def naive_p(first: Any, second: Any, score: Callable[[Any], Any]) -> float:
    """Every exchange, one after the other."""
    n, changes = len(first), []
    for chosen in itertools.product((0, 1), repeat=n):
        one = [(first, second)[k][u] for u, k in enumerate(chosen)]
        two = [(second, first)[k][u] for u, k in enumerate(chosen)]
        changes.append(float(score(np.sum(two, axis=0)[None])[0] - score(np.sum(one, axis=0)[None])[0]))
    return float(np.mean(np.abs(changes) >= abs(changes[0]) - 1e-9))


def test_all_exchanges_of_few_units() -> None:
    rng = np.random.default_rng(1)
    for n in (2, 5, 8):
        first, second = rng.uniform(1, 3, size=(2, n, 2)).round(2)
        found = stats.paired_totals(first, second, ratio)
        assert found.p_value == pytest.approx(naive_p(first, second, ratio))
        assert found.difference == pytest.approx(
            second[:, 0].sum() / second[:, 1].sum() - ratio(first.sum(0)[None])[0]
        )
        assert (found.n, found.test) == (n, "exchange of the items' two answers, exact")


def test_units_that_are_alike_are_counted() -> None:
    """Shares of 200 units, of which two kinds changed: the exchange test is McNemar's, and exact."""
    first = np.column_stack([np.r_[np.ones(90), np.zeros(110)], np.ones(200)])
    second = np.column_stack([np.r_[np.ones(70), np.zeros(20), np.ones(5), np.zeros(105)], np.ones(200)])
    found = stats.paired_totals(first, second, ratio)
    shares = stats.paired_shares(first[:, 0], second[:, 0])
    assert found.p_value == pytest.approx(shares.p_value, rel=1e-9)
    assert found.test.endswith("exact")
    assert (found.low, found.high) == pytest.approx((shares.low, shares.high), abs=0.01)


def test_a_mean_is_tested_as_by_flipping_signs() -> None:
    rng = np.random.default_rng(2)
    a, b = rng.normal(size=(2, 12))
    ones = np.ones(12)
    found = stats.paired_totals(np.column_stack([a, ones]), np.column_stack([b, ones]), ratio)
    assert found.p_value == pytest.approx(stats.sign_flip_test(b - a).p_value)


def test_random_exchanges_are_within_their_error_of_the_exact_p(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(3)
    first, second = rng.uniform(1, 3, size=(2, 10, 2))
    exact = stats.paired_totals(first, second, ratio)
    monkeypatch.setattr(exchange, "_MOST_EXACT", 1)
    sampled = stats.paired_totals(first, second, ratio)
    assert sampled.test.endswith("monte carlo")
    assert exact.p_error == 0.0
    assert abs(sampled.p_value - exact.p_value) <= 4 * sampled.p_error


def test_neither_the_order_nor_the_names_of_units_matter() -> None:
    rng = np.random.default_rng(4)
    first, second = rng.uniform(1, 3, size=(2, 30, 2))
    strata = [f"s{k % 3}" for k in range(30)]
    order = rng.permutation(30)
    one = stats.paired_totals(first, second, ratio, strata=strata)
    two = stats.paired_totals(first[order], second[order], ratio, strata=[strata[i] for i in order])
    assert (two.p_value, two.low, two.high) == pytest.approx((one.p_value, one.low, one.high))
    turned = stats.paired_totals(second, first, ratio, strata=strata)
    assert "monte carlo" in one.test
    assert turned.p_value == one.p_value
    assert turned.difference == pytest.approx(-one.difference, rel=1e-12)


def test_groups_that_are_exchanged_mirror_a_change() -> None:
    """Numbers of two groups: whichever comes first, the same exchanges are made."""
    rng = np.random.default_rng(8)
    first, second = rng.normal(size=(2, 30, 2))

    def gap(totals: Any) -> Any:
        return (totals[:, 0] - totals[:, 1]) / 30

    one = stats.paired_totals(first, second, gap)
    two = stats.paired_totals(first[:, ::-1], second[:, ::-1], gap)
    assert "monte carlo" in one.test
    assert two.p_value == one.p_value
    assert (two.difference, two.low, two.high) == pytest.approx(
        (-one.difference, -one.high, -one.low), rel=1e-12
    )


def test_units_less_their_mean_vary_by_one_in_n_less() -> None:
    """A contrast of four units with four: what all eight have in common in a measurement has no part in the test."""
    sign = np.repeat([0.25, -0.25], 4)
    one, two = np.random.default_rng(7).normal(size=(2, 8)) + sign * [[0.0], [4.0]]
    p_values = []
    for shift in (0.0, 3.0):
        sides = [(sign * (side - side.mean()))[:, None] for side in (one, two + shift)]
        p_values.append(stats.paired_totals(*sides, lambda t: t[:, 0], less_mean=True).p_value)
    flips = np.array([*itertools.product((1, -1), repeat=8)]) @ (sides[1] - sides[0])[:, 0]
    naive = np.mean(np.abs(flips) >= abs(flips[0]) * np.sqrt(7 / 8) - 1e-9)
    assert 2 / 2**8 < naive < 1
    assert p_values == pytest.approx([naive, naive])


def test_the_same_measurement_twice_did_not_change() -> None:
    side = np.random.default_rng(5).uniform(1, 3, size=(20, 2))
    found = stats.paired_totals(side, side, ratio)
    assert (found.difference, found.p_value, found.low, found.high) == (0.0, 1.0, None, None)
    assert found.interval == "none: nothing varies"
    assert found.detectable() is None


def test_the_interval_is_students_with_the_error_of_the_jackknife() -> None:
    """Without one unit at a time, spelled out: of the difference, the sum and what exceeds the mean under chance."""
    rng = np.random.default_rng(6)
    first, second = rng.uniform(1, 3, size=(2, 13, 2))
    strata = ["a"] * 5 + ["b"] * 6 + ["c", "d"]  # strata of one form one together

    def by_chance(totals: Any) -> Any:
        return totals[:, 1] / 50

    found = stats.paired_totals(
        first, second, ratio, strata=strata, null_mean=by_chance, confidence_level=0.9
    )
    ends: dict[str, tuple[float, float]] = {}
    for name, sign, is_excess in (("difference", -1, False), ("sum", 1, False), ("excess", -1, True)):

        def statistic(one: Any, two: Any, sign: int = sign, is_excess: bool = is_excess) -> float:
            values = [
                float(ratio(side.sum(0)[None])[0] - is_excess * by_chance(side.sum(0)[None])[0])
                for side in (one, two)
            ]
            return values[1] + sign * values[0]

        variance = 0.0
        for part in (range(5), range(5, 11), range(11, 13)):
            m, without = len(part), []
            for i in part:
                # Each stratum keeps its share of the units that are left.
                weights = np.full((13, 1), 12 / 13)
                weights[part] *= m / (m - 1)
                weights[i] = 0
                without.append(statistic(weights * first, weights * second))
            variance += (m - 1) / m * sum((v - sum(without) / m) ** 2 for v in without)
        half = distributions.t.ppf(0.95, 13 - 3) * variance**0.5
        middle = statistic(first, second)
        ends[name] = middle - half, middle + half
    assert (found.low, found.high) == pytest.approx(ends["difference"])
    assert (found.sum_low, found.sum_high) == pytest.approx(ends["sum"])
    assert found.excess == pytest.approx(ends["excess"])


@pytest.mark.parametrize("sizes", [[2] * 12, [5] * 8, [1] * 10 + [2] * 5, [1, 10, 10], [1] * 8])
def test_the_interval_keeps_its_level_in_small_strata(
    sizes: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A share of all items, whose strata have few: without each stratum's share 62% to 94% would hold no change."""
    monkeypatch.setattr(exchange, "_RESAMPLES", 9)
    monkeypatch.setattr(exchange, "_MOST_EXACT", 0)
    rng, n, draws = np.random.default_rng(1), sum(sizes), 500
    strata = np.repeat(np.arange(len(sizes)), sizes).tolist()
    held = 0
    for _ in range(draws):
        values = rng.normal(size=(n, 1)) + rng.normal(size=(n, 2))
        first, second = (np.stack([side, np.ones(n)], axis=1) for side in values.T)
        found = stats.paired_totals(first, second, ratio, strata=strata)
        assert found.low is not None
        assert found.high is not None
        held += found.low <= 0 <= found.high
    assert held / draws == pytest.approx(0.95, abs=0.03)


@pytest.mark.parametrize("infinite_without_one", [True, False])
def test_without_one_of_the_items_the_score_must_exist(infinite_without_one: bool) -> None:
    """Only one item counts: nothing says how much the score would vary with another one."""
    rest = [float(infinite_without_one), 0.0]
    first, second = ([[hit, 1.0], *[rest] * 5] for hit in (1.0, 0.0))
    found = stats.paired_totals(first, second, ratio)
    assert (found.difference, found.low) == (-1.0, None)
    assert "undefined without one" in found.interval


def test_exchanges_on_which_a_score_is_undefined_speak_against_a_change() -> None:
    first, second = [[1.0, 1.0], [1.0, 0.0]], [[0.0, 0.0], [0.0, 1.0]]
    found = stats.paired_totals(first, second, lambda t: np.where(t[:, 1] == 2, np.nan, t[:, 0]))
    assert found.p_value == 1.0


def test_one_unit_has_no_interval() -> None:
    found = stats.paired_totals([[1.0, 2.0]], [[2.0, 2.0]], ratio)
    assert (found.low, found.high, found.p_value) == (None, None, 1.0)


def crossed(n: dict[str, Any], sampled: Sampled | None = None) -> dict[str, Any]:
    record = METHODS["honest"]
    assert record.units is not None
    items = [
        tuple(Item(0.0, "", True, frozenset(), fields) for fields in pair)
        for pair in zip(*DRAWS["honest"](np.random.default_rng(3), 0.9), strict=True)
        if all(pair[0][key] in values for key, values in n.items())
    ]
    return testing.run_test(items, record, record.units, ({}, {}), 0.95, 0, sampled)[0]


def test_a_change_over_two_kinds_of_clusters_says_so_and_is_no_surer_than_over_one() -> None:
    found = crossed({})
    assert "crossed mean squares" in found["test"]
    assert "crossed mean squares" in found["interval"]
    assert 0 < found["p_value"] < 0.05
    assert 0 <= found["p_error"] < 0.01
    assert 0 < found["low"] < found["difference"] < found["high"]
    alone = crossed({"identity": ["0"]})  # of one kind only, there is one test
    assert alone["items"] == "templates"
    assert "crossed" not in alone["test"]


@pytest.mark.parametrize(
    ("sampled", "kind", "is_crossed"),
    [
        (Sampled(("templates", "identities")), "templates", True),
        (Sampled(("templates",), {"identities": 10}), "templates", False),
        (Sampled(("identities",), {"templates": 20}), "identities", False),
        (Sampled(("prompts",), {"identities": 10}), "templates", False),  # another word for templates
        (Sampled(("prompts",), {"identities": 10, "templates": 20}), "prompts", False),
    ],
)
def test_clusters_are_drawn_as_the_result_declares(sampled: Sampled, kind: str, *, is_crossed: bool) -> None:
    found = crossed({}, sampled)
    assert found["items"] == kind
    assert ("crossed" in found["test"]) == is_crossed


# --- the scores of methods --------------------------------------------------------------------------------------


def test_every_score_of_a_methods_own_is_simulated() -> None:
    own = {name for name, record in METHODS.items() if record.units and record.units.score == "function"}
    assert not own - set(DRAWS)


# One on items and one on words each time, the others at night.
EACH_TIME = {"bec_pro", "seat"}
COSTLY = {"tpr_gap", "kldivs", "gest"}


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.nightly] * (name not in EACH_TIME)) for name in DRAWS]
)
def test_a_change_is_found_in_five_percent_of_nulls(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exchange, "_RESAMPLES", 199)
    rng = np.random.default_rng(11)
    n = 400 if name in COSTLY else 1000
    p = np.array([change(name, rng)["p_value"] for _ in range(n)])
    # A p-value of 200 equally likely places is at most 5 % in ten of them.
    # McNemar's p-values are discrete: of the pairs that change here the exact test rejects in about 4 %.
    expected = {"pll": 0.042, "crows_pairs": 0.042}
    assert np.mean(p <= 0.05) == pytest.approx(expected.get(name, 0.05), abs=2.2 * (0.05 * 0.95 / n) ** 0.5)


def test_two_models_of_one_scale_are_compared_on_it() -> None:
    """Each on a scale of its own, a model whose scores spread twice as far would be taken for the same."""
    units, own = METHODS["kldivs"].units, METHODS["kldivs"].unit_functions()
    assert units is not None
    assert units.one_scale
    first = pairs(np.random.default_rng(1), 0.0)[0]
    keys = ("score_more", "score_less")
    doubled = [unit | {key: 2 * unit[key] for key in keys} for unit in first]
    one, two = np.split(own.columns([*first, *doubled], {}), 2)
    assert two[:, 0, 1].std() == pytest.approx(2 * one[:, 0, 1].std())


def test_effect_sizes_swap_the_two_measurements_of_each_word() -> None:
    rng = np.random.default_rng(4)
    for scale in (1.0, 7.0):  # each measurement is on a scale of its own
        before, after = rng.normal(size=(2, 8))
        items = [
            tuple(Item(v, f"targets_{'xy'[k > 3]}", True, frozenset(), {}) for v in values)
            for k, values in enumerate(zip(scale * before + 1, after, strict=True))
        ]
        units = METHODS["weat"].units
        assert units is not None
        found, _ = testing.run_test(items, METHODS["weat"], units, ({}, {}), 0.95, 0, None)
        z = [(m - m.mean()) / m.std() for m in (before, after)]
        changes = []
        for chosen in itertools.product((0, 1), repeat=8):
            one, two = ([z[k ^ side][w] for w, k in enumerate(chosen)] for side in (0, 1))
            changes.append(stats.effect_size(two[:4], two[4:]) - stats.effect_size(one[:4], one[4:]))
        assert found["first"] == pytest.approx(stats.effect_size(before[:4], before[4:]))
        assert found["difference"] == pytest.approx(changes[0])
        # Each measurement is centred at its own mean, so that the exchanged ones vary less.
        beyond = np.abs(changes) >= abs(changes[0]) * (7 / 8) ** 0.5 - 1e-9
        assert found["p_value"] == pytest.approx(np.mean(beyond))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "coverage"),
    [
        ("bec_pro", 0.95),
        ("ect", 0.95),
        ("rnsb", 0.95),
        ("kldivs", 0.99),  # near the lower end of its range, where a score hardly moves with its items
    ],
)
def test_intervals_hold_their_level(name: str, coverage: float, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exchange, "_test_exchange", lambda *_: (1.0, 1.0, ""))
    rng = np.random.default_rng(13)
    found = [change(name, rng) for _ in range(400)]
    assert np.mean([f["low"] <= 0 <= f["high"] for f in found]) == pytest.approx(coverage, abs=0.025)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "shift"), [("bec_pro", 0.6)])
def test_a_detectable_change_is_found_in_eighty_percent(
    name: str, shift: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The power at a shift is that of a normal test whose standard error is that behind the detectable difference."""
    monkeypatch.setattr(exchange, "_RESAMPLES", 999)  # fewer find less
    rng = np.random.default_rng(12)
    found = [change(name, rng, shift) for _ in range(300)]
    difference = np.mean([f["difference"] for f in found])
    error = np.median([f["of"].detectable() for f in found]) / distributions.norm.ppf([0.975, 0.8]).sum()
    power = distributions.norm.cdf(abs(difference) / error - distributions.norm.ppf(0.975))
    assert power == pytest.approx(0.8, abs=0.1)  # the shift is one that is about detectable
    assert np.mean([f["p_value"] <= 0.05 for f in found]) == pytest.approx(power, abs=0.06)
