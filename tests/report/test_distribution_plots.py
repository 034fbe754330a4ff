"""Histograms, distributions with fitted curves and scatter plots: what is drawn is what the result holds."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from scipy import stats

import evaluate_bias as eb
from evaluate_bias.errors import InputError
from evaluate_bias.result import Estimate, Result
from tests.report.samples import kinds_of, weat_item, weat_result

RNG = np.random.default_rng(0)
PAIRS = [{"sent_more": a, "sent_less": b} for a, b in RNG.normal(-20, 3, size=(60, 2)).tolist()]
FAST = {"ci": "none", "n_resamples": 19, "ci_resamples": 19}


def kldivs_result() -> Result:
    return eb.measure("kldivs", None, data=PAIRS, n_resamples=19, ci_resamples=19, distributions=["norm"])


def sets_result(n: int, base: float = 10.0) -> Result:
    rows = [weat_item(f"set {i}", 0.1 * i - 0.4, mean_frequency=base ** (i % 4)) for i in range(n)]
    return weat_result(rows, estimates={"z": Estimate(2.5, p=0.012)})


def test_histogram_has_every_test_and_the_z_test() -> None:
    result = sets_result(12)
    axis = result.plot(kind="histogram")
    assert sum(bar.get_height() for bar in axis.patches) == 12
    assert "12 tests, z = 2.50, p = .012" in axis.get_title(loc="left")
    assert {float(line.get_xdata()[0]) for line in axis.lines} == {result.score, result.reference}
    assert "histogram" not in kinds_of(sets_result(9))


def test_distributions_have_the_fitted_curves_and_the_trimmed_differences() -> None:
    result = kldivs_result()
    both, differences = result.plot(kind="distributions")
    curves = [line for line in both.lines if len(line.get_xdata())]
    assert len(curves) == 4  # two samples, GEV and normal
    fit = result.extra["gev_more"]
    x, y = curves[0].get_data()
    # scipy has the opposite sign of the shape
    assert y == pytest.approx(stats.genextreme.pdf(x, -fit["shape"], fit["location"], fit["scale"]))
    x, y = curves[2].get_data()
    more = [pair["sent_more"] for pair in PAIRS]
    assert y == pytest.approx(stats.norm.pdf(x, np.mean(more), np.std(more)), rel=1e-6)
    delta = np.array([pair["sent_more"] - pair["sent_less"] for pair in PAIRS])
    low, high = np.quantile(delta, [0.01, 0.99])
    kept = delta[(delta >= low) & (delta <= high)]
    assert sum(bar.get_height() for bar in differences.patches) == len(kept) == 58
    z = kept.mean() / (kept.std(ddof=1) / np.sqrt(len(kept)))
    assert f"mean difference {kept.mean():.3g}, z = {z:.2f}" in differences.get_title(loc="left")


def test_a_fit_in_a_kept_result_names_a_distribution_and_nothing_else_of_scipy() -> None:
    result = kldivs_result()
    details = {**result.details, "fit_describe_more": {"parameters": {"a": [1.0, 2.0]}}}
    with pytest.raises(InputError, match="no continuous distribution 'describe'"):
        dataclasses.replace(result, details=details).plot(kind="distributions")


def test_distributions_of_paraphrases() -> None:
    rows = [
        {"sent_more": a, "sent_less": 0.0, "sent_more_par": a + noise, "sent_less_par": 0.0}
        for a, noise in RNG.normal(size=(40, 2)).tolist()
    ]
    rows.append({"sent_more": 1.0, "sent_less": 0.0})
    result = eb.measure("pll_robustness", None, data=rows)
    both, differences = result.plot(kind="distributions")
    assert "40 pairs" in both.get_title(loc="left")
    assert sum(bar.get_height() for bar in differences.patches) == 40


def test_scatter_of_scores_over_frequency() -> None:
    result = sets_result(12)
    axis = result.plot(kind="scatter")
    x, y = axis.lines[0].get_data()
    expected = {f"{0.1 * i - 0.4:.6f}": float(i % 4) for i in range(12)}
    assert {f"{b:.6f}": a for a, b in zip(x, y, strict=True)} == pytest.approx(expected)
    assert f"{np.corrcoef(x, y)[0, 1]:.2f}" in axis.get_title(loc="left")
    assert "scatter" not in kinds_of(sets_result(12, base=1.0))  # nothing to correlate


def test_scatter_of_measures_has_the_models_that_have_both() -> None:
    scores = {"a": [1.0, 2.0, 4.0, 3.0], "b": [2.0, 1.0, 5.0, 3.5], "c": [1.0, 5.0, 2.0]}
    rows = [
        {"model_name": f"m{i}", "measure": name, "score": score}
        for name, values in scores.items()
        for i, score in enumerate(values)
    ]
    result = eb.measure("metric_compatibility", None, data=rows, n_resamples=19)
    assert result.details["scores"][3] == [3.0, 3.5, None]
    axes = result.plot(kind="scatter")
    assert [len(axis.lines[0].get_xdata()) for axis in axes] == [4, 3, 3]
    assert [axis.get_title(loc="left") for axis in axes] == [
        f"Pearson correlation {row.score:.2f}" for row in result.rows_of("item")
    ]
    five = [
        {**row, "measure": f"{row['measure']}{k}", "score": row["score"] + k} for row in rows for k in (0, 1)
    ]
    assert "scatter" not in kinds_of(eb.measure("metric_compatibility", None, data=five, n_resamples=19))


def test_an_unknown_kind_is_refused_with_those_that_exist() -> None:
    with pytest.raises(InputError) as caught:
        sets_result(12).plot(kind="maps")
    assert caught.value.option == "kind"
    assert "'histogram'" in str(caught.value)
    assert "'scatter'" in str(caught.value)
