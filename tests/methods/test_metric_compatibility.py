"""Metric compatibility against pandas and scipy, its properties, and what it refuses."""

from __future__ import annotations

import dataclasses
import math
from itertools import permutations
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import evaluate_bias as eb
from evaluate_bias.data.predictions import load_scores
from evaluate_bias.errors import DataError, InputError, UndefinedScoreError
from evaluate_bias.experiments.sources import write_results
from evaluate_bias.result import Result, Row
from tests.support.refusals import refusals

COEFFICIENTS = ("pearson", "spearman", "kendall")


def rows_of(table: np.ndarray[Any, Any]) -> list[dict[str, Any]]:
    return [
        {"model_name": f"m{i:03}", "measure": f"s{k}", "score": float(v)}
        for i, row in enumerate(table)
        for k, v in enumerate(row)
        if not math.isnan(v)
    ]


def measured(rows: list[Any], **options: Any) -> Result:
    return eb.measure("metric_compatibility", None, data=rows, **{"n_resamples": 99, **options})


@pytest.mark.parametrize("coefficient", COEFFICIENTS)
@pytest.mark.parametrize("seed", range(6))
def test_correlations_are_those_of_pandas(coefficient: str, seed: int) -> None:
    rng = np.random.default_rng(seed)
    n, k = int(rng.integers(4, 14)), int(rng.integers(2, 6))
    table = rng.normal(size=(n, k))
    if seed % 3 == 1:
        table = np.round(table)  # ties
        table[0], table[1] = 5.0, -5.0
    if seed % 3 == 2:
        table[rng.random((n, k)) < 0.15] = np.nan
        table[:3] = rng.normal(size=(3, k))
    expected = pd.DataFrame(table).corr(method=coefficient, min_periods=3).to_numpy()
    result = measured(rows_of(table), coefficient=coefficient)
    assert np.array(result.details["r"], dtype=float) == pytest.approx(expected, rel=1e-9, abs=1e-12)
    assert result.score == pytest.approx(expected[np.triu_indices(k, 1)].mean(), rel=1e-9, abs=1e-12)


def test_p_of_a_pair_is_that_of_all_orders() -> None:
    rng = np.random.default_rng(3)
    x, y = rng.normal(size=(2, 6))
    result = measured(rows_of(np.column_stack([x, y])))
    (pair,) = result.rows_of("item")
    assert pair.p_method == "all orders of the models"
    assert result.ci_low is not None
    assert not any("no interval of the mean" in w for w in result.warnings)
    r = np.corrcoef(x, y)[0, 1]
    ci = stats.pearsonr(x, y).confidence_interval()
    assert (pair.ci_low, pair.ci_high) == pytest.approx((ci.low, ci.high))
    all_r = [np.corrcoef(x, y[list(order)])[0, 1] for order in permutations(range(6))]
    assert pair.p_value == pytest.approx(np.mean(np.abs(all_r) >= abs(r) - 1e-12))


def test_constant_scores_are_listed_or_refused() -> None:
    table = np.random.default_rng(0).normal(size=(5, 3))
    table[:, 1] = 50.0
    result = measured(rows_of(table))
    assert [(s.item, "equal" in s.reason) for s in result.skipped] == [("s1", True)]
    assert result.details["names"] == ["s0", "s2"]
    assert (result.coverage.found, result.coverage.asked) == (2, 3)
    table[:, 2] = 0.1 + 0.2
    with pytest.raises(UndefinedScoreError, match="two measures whose scores vary"):
        measured(rows_of(table))


def test_a_pair_without_a_correlation_is_left_out_of_every_mean() -> None:
    """The first and the third measure vary over no models in common, until their scores are dealt out anew."""
    table = np.array([[1.0, 2.0, 3.0], [1.0, 5.0, 1.0], [1.0, 3.0, 2.0], [4.0, 1.0, np.nan]])
    result = measured(rows_of(table))
    assert [s.item for s in result.skipped] == ["s0 and s2"]
    first, second, third = table[:, 0], table[:, 1], table[:3, 2]
    means = [
        np.mean([np.corrcoef(a, b)[0, 1], np.corrcoef(b[:3], c)[0, 1]])
        for a in permutations(first)
        for b in map(np.array, permutations(second))
        for c in permutations(third)
    ]
    assert result.p_value == pytest.approx(np.mean(np.array(means) >= result.score - 1e-9))


def test_pairs_with_too_few_models_are_listed() -> None:
    table = np.random.default_rng(1).normal(size=(6, 3))
    table[:4, 0] = table[5, 0] = np.nan
    table[0:3, 0] = [1.0, 2.0, 4.0]
    table[:2, 2] = np.nan
    result = measured(rows_of(table))
    assert [s.item for s in result.skipped] == ["s0 and s2"]
    assert result.details["r"][0][2] is None
    assert {r.name for r in result.rows_of("item")} == {"s0 and s1", "s1 and s2"}


def of_rows(change: dict[str, Any]) -> Any:
    rows = rows_of(np.random.default_rng(0).normal(size=(4, 2)))
    rows[0] = {**rows[0], **change}
    return measured(rows)


test_bad_rows = refusals(
    of_rows,
    ({"score": math.nan}, (DataError, InputError), None, "finite|number"),
    ({"score": math.inf}, (DataError, InputError), None, "finite|number"),
    ({"score": "high"}, (DataError, InputError), None, "number"),
    ({"measure": None}, (DataError, InputError), None, "measure"),
    ({"model_name": "m001"}, (DataError, InputError), None, "two scores"),
    ({"extra": 1}, (DataError, InputError), None, "extra"),
)


def result(method: str, model: str, score: float, **more: Any) -> Result:
    given = {"score_range": (None, None), "direction": "two_sided", "ideal": 0.0, "n": 9}
    return Result(method=method, score=score, **{**given, **more}, provenance={"model": {"name": model}})


def test_results_are_rows(tmp_path: Path) -> None:
    rng = np.random.default_rng(2)
    a, b = rng.normal(size=(2, 5))
    results = [result("weat", f"m{i}", float(a[i])) for i in range(5)]
    results += [result("mac", f"m{i}", float(-b[i]), direction="lower_is_more_biased") for i in range(5)]
    results.append(result("pll_robustness", "m0", 0.5, direction="higher_is_more_robust"))
    found = measured(results)
    assert found.score == pytest.approx(np.corrcoef(a, b)[0, 1])
    assert found.details["turned"] == ["mac"]
    assert [s.item for s in found.skipped] == ["pll_robustness"]
    assert {r.labels["method"] for r in found.rows_of("group")} == {"weat", "mac"}
    write_results(results, tmp_path / "results.jsonl")
    for source in (tmp_path, tmp_path / "results.jsonl"):
        read = eb.measure("metric_compatibility", None, source=str(source), n_resamples=99)
        assert (read.score, read.p_value) == (found.score, found.p_value)
    assert len(load_scores(tmp_path)) == 10


def test_results_of_one_method_are_told_apart_by_what_differs() -> None:
    rng = np.random.default_rng(2)
    results = [
        dataclasses.replace(
            result("weat", f"m{i}", float(rng.normal())), rows=(Row(name=test, kind="test", score=1.0),)
        )
        for i in range(4)
        for test in ("weat6", "weat7")
    ]
    assert measured(results).details["names"] == ["weat (weat6)", "weat (weat7)"]
    with pytest.raises(InputError, match="two scores"):
        measured([*results, results[0]])


def test_scores_are_packaged_nowhere() -> None:
    """On the command line both ``data`` and ``source`` are ``--source``, so the sentence names one of them."""
    with pytest.raises(InputError, match="give the file or folder of your results as `source`"):
        load_scores()
