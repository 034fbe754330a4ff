"""Reorderings within lists: all where they are few, random ones elsewhere, and no p-value below one order of all."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from evaluate_bias.methods.agreement.compatibility import (
    Setting,
    compatibility,
    draw_subsets,
    subset_scores,
)
from evaluate_bias.methods.agreement.metric_compatibility.method import mean_test
from evaluate_bias.methods.correlation import correlate
from evaluate_bias.stats import Orders


@pytest.mark.parametrize("sizes", [[[3]], [[2, 3]], [[3], [2, 1]], [[2], [3], [2]], [[1]]])
def test_all_orders_come_once(sizes: list[list[int]]) -> None:
    def lists(own: list[int]) -> list[tuple[int, ...]]:
        ends = [0, *itertools.accumulate(own)]
        parts = [itertools.permutations(range(a, b)) for a, b in itertools.pairwise(ends)]
        return [tuple(itertools.chain(*order)) for order in itertools.product(*parts)]

    orders = Orders(sizes, width=10, cells=40)  # batches of four
    found = [
        tuple(tuple(row.tolist()) for row in rows) for batch in orders for rows in zip(*batch, strict=True)
    ]
    assert sorted(found) == sorted(itertools.product(*map(lists, sizes)))
    assert orders.exact
    assert orders.total == len(found)


def test_random_orders_stay_within_their_list() -> None:
    orders = Orders([[9, 4]], n_resamples=50, seed=3, width=10, cells=200)
    rows = np.vstack([own for (own,) in orders])
    assert not orders.exact
    assert rows.shape == (50, 13)
    assert (np.sort(rows[:, :9], axis=1) == np.arange(9)).all()
    assert (np.sort(rows[:, 9:], axis=1) == np.arange(9, 13)).all()
    assert orders.p_value(4) == 5 / 51
    # Two lists of six numbers have more orders than are counted, and more were drawn than there are.
    assert Orders([[6, 6]], n_resamples=10_000_000).p_value(0) == 1 / math.factorial(6) ** 2


@pytest.mark.parametrize(
    ("models", "measures", "missing"),
    [(3, 2, False), (3, 3, False), (4, 2, False), (5, 2, False), (4, 2, True), (5, 2, True)],
)
def test_the_mean_of_few_models_counts_all_deals(models: int, measures: int, missing: bool) -> None:
    table = np.random.default_rng(models + measures).normal(size=(models, measures))
    if missing:
        table[0, 0] = np.nan

    def mean(columns: list[list[float]]) -> float:
        both = [
            [(a, b) for a, b in zip(u, v, strict=True) if not (math.isnan(a) or math.isnan(b))]
            for u, v in itertools.combinations(columns, 2)
        ]
        return float(np.mean([np.corrcoef(np.transpose(pairs))[0, 1] for pairs in both]))

    columns, deals = table.T.tolist(), []
    for column in columns:
        known = [i for i, v in enumerate(column) if not math.isnan(v)]
        dealt = []
        for order in itertools.permutations(known):
            own = [math.nan] * len(column)
            for i, j in zip(known, order, strict=True):
                own[i] = column[j]
            dealt.append(own)
        deals.append(dealt)
    observed = mean(columns)
    means = [mean(list(deal)) for deal in itertools.product(*deals)]
    p, _ = mean_test(table, list(itertools.combinations(range(table.shape[1]), 2)), "pearson", 99, 0)
    assert p == pytest.approx(np.mean([m >= observed - 1e-9 for m in means]))
    assert p >= 1 / math.factorial(models) ** (measures - 1 + missing)


def test_short_lists_of_words_count_all_orders() -> None:
    k, rng = 2, np.random.default_rng(2)
    common = rng.normal(size=(6, 1))
    values = [common + 0.8 * rng.normal(size=(6, 1)) for _ in range(k)]
    settings = [Setting(f"s{i}", v[:3], v[3:]) for i, v in enumerate(values)]
    subsets = draw_subsets(3, 3, size=2, count=6, seed=1)
    found = compatibility(settings, subsets, n_resamples=19, ci_resamples=0)
    orders = list(itertools.product(itertools.permutations(range(3)), repeat=2))

    def r(setting: list[Setting]) -> np.ndarray:
        return np.asarray(np.corrcoef(subset_scores(setting, subsets), rowvar=False))

    every = [
        r([Setting(s.name, s.x[list(x)], s.y[list(y)]) for s, (x, y) in zip(settings, order, strict=True)])
        for order in itertools.product(orders, repeat=k)
    ]
    p = np.mean([m[0, 1] >= found.mean_r - 1e-9 for m in every])
    assert found.orders == "all 1,296 orders"
    assert found.p_mean == pytest.approx(p)
    assert found.p_value[0, 1] == pytest.approx(np.mean([abs(m[0, 1]) >= found.mean_r - 1e-9 for m in every]))


def test_correlations_of_few_values_count_all_orders() -> None:
    rng = np.random.default_rng(0)
    for n in range(4, 7):
        columns = rng.normal(size=(n, 3))
        values = columns[:, 0] + 0.3 * rng.normal(size=n)
        found = correlate(columns, values, n_resamples=9)
        every = [
            np.abs(np.corrcoef(np.column_stack([columns, order]), rowvar=False)[3, :3])
            for order in itertools.permutations(values)
        ]
        for j, each in enumerate(found.each):
            p = np.mean([r[j] >= abs(each.r) - 1e-9 for r in every])
            assert (each.p_value, each.p_error) == (pytest.approx(p), 0.0)
            assert each.p_value >= 1 / math.factorial(n)
        best = max(abs(each.r) for each in found.each)
        assert found.p_largest == pytest.approx(np.mean([r.max() >= best - 1e-9 for r in every]))
