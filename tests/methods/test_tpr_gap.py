"""TPR gap: fairlearn's numbers on random tables, a naive implementation, groups and combinations, bad input."""

from __future__ import annotations

import math
import random
import runpy
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import evaluate_bias as eb
from evaluate_bias.data.predictions import as_label, load_predictions
from evaluate_bias.errors import DataError, InputError, UndefinedScoreError
from evaluate_bias.methods.downstream.tpr_gap.method import true_positive_rates

FAST = {"n_resamples": 99, "ci_resamples": 99}
EXAMPLE = Path(__file__).parents[2] / "docs" / "examples" / "tpr_gap.py"
Rows = list[dict[str, Any]]


def table(seed: int, classes: int, groups: int, n: int = 120) -> Rows:
    """Rows with every class in every group, predicted right or not by chance."""
    rng = random.Random(seed)
    cells = [(f"c{c}", f"g{g}") for c in range(classes) for g in range(groups)]
    drawn = cells + [rng.choice(cells) for _ in range(n - len(cells))]
    return [
        {
            "predictions": c if rng.random() < 0.6 else f"c{rng.randrange(classes)}",
            "references": c,
            "groups": g,
        }
        for c, g in drawn
    ]


def columns(rows: Rows) -> tuple[list[Any], list[Any], list[Any]]:
    return tuple([row[c] for row in rows] for c in ("predictions", "references", "groups"))  # type: ignore[return-value]


def naive(rows: Rows) -> dict[str, float]:
    """Gaps by class, one rate at a time."""
    gaps = {}
    for name in {r["references"] for r in rows}:
        rates = []
        for group in {r["groups"] for r in rows}:
            members = [r for r in rows if r["references"] == name and r["groups"] == group]
            if members:
                rates.append(sum(r["predictions"] == name for r in members) / len(members))
        if len(rates) > 1:
            gaps[name] = max(rates) - min(rates)
    return gaps


def one_against_the_rest(name: str, metrics: Any) -> Any:
    return lambda y_true, y_pred: metrics.true_positive_rate(
        (y_true == name).astype(int), (y_pred == name).astype(int), pos_label=1
    )


@pytest.mark.parametrize("classes", [2, 3, 4, 5])
def test_gaps_are_those_of_fairlearn(classes: int) -> None:
    """50 random tables for each number of classes, 200 in all, of two to four groups."""
    metrics = pytest.importorskip("fairlearn.metrics")
    for seed in range(50):
        rows = table(seed, classes, 2 + seed % 3)
        predictions, references, groups = columns(rows)
        result = eb.measure("tpr_gap", None, data=rows, **FAST)
        frame = metrics.MetricFrame(
            metrics={name: one_against_the_rest(name, metrics) for name in sorted(set(references))},
            y_true=references,
            y_pred=predictions,
            sensitive_features=groups,
        )
        expected = frame.difference().to_dict()
        found = {row.name: row.score for row in result.rows_of("group") if row.name in expected}
        assert found == pytest.approx(expected, abs=1e-12)
        values = np.array(list(expected.values()))
        assert result.score == pytest.approx(values.mean(), abs=1e-12)
        assert result.estimates["max_gap"].value == pytest.approx(values.max(), abs=1e-12)
        assert result.estimates["rms_gap"].value == pytest.approx(math.sqrt((values**2).mean()), abs=1e-12)


@pytest.mark.parametrize("seed", range(10))
def test_against_a_naive_implementation(seed: int) -> None:
    rows = table(seed, 6, 3, n=24)[3:]
    gaps = naive(rows)
    result = eb.measure("tpr_gap", None, data=rows, **FAST)
    assert {r.name: r.score for r in result.rows_of("group") if r.name in gaps} == pytest.approx(gaps)
    assert result.score == pytest.approx(np.mean(list(gaps.values())))


def test_two_groups_have_a_sign() -> None:
    rows = table(3, 2, 2)
    result = eb.measure("tpr_gap", None, data=rows, **FAST)
    rates = true_positive_rates(*columns(rows))
    for row in result.rows_of("group"):
        difference = row.estimates["difference"]
        assert difference.value == pytest.approx(rates[row.name]["g0"] - rates[row.name]["g1"])
        assert row.score == pytest.approx(abs(difference.value))
        assert difference.low is not None
        assert difference.high is not None
        assert -1 <= difference.low < difference.value < difference.high <= 1
    swapped = [{**r, "groups": {"g0": "g1", "g1": "g0"}[r["groups"]]} for r in rows]
    other = eb.measure("tpr_gap", None, data=swapped, **FAST)
    assert other.score == result.score
    assert other.estimates["difference"].value == -result.estimates["difference"].value


def test_more_groups_have_every_pair_and_an_omnibus_test() -> None:
    rows = table(5, 3, 4)
    result = eb.measure("tpr_gap", None, data=rows, **FAST)
    names = [f"{a} and {b}" for a, b in combinations([f"g{i}" for i in range(4)], 2)]
    assert [r.name for r in result.rows_of("group")] == ["c0", "c1", "c2", *names]
    assert "difference" not in result.estimates
    only = [r for r in rows if r["groups"] in ("g1", "g3")]
    row = next(r for r in result.rows_of("group") if r.name == "g1 and g3")
    alone = eb.measure("tpr_gap", None, data=only, **FAST)
    assert (row.score, row.p_value, row.ci_low) == (alone.score, alone.p_value, alone.ci_low)
    assert all(
        r.p_holm is not None and r.p_value is not None and r.p_holm >= r.p_value
        for r in result.rows_of("group")
    )


def test_combinations_are_groups() -> None:
    rows = [{**r, "groups_2": i % 2, "groups_3": "x"} for i, r in enumerate(table(1, 2, 2, n=80))]
    joined = [{**r, "groups": f"{r['groups']} & {i % 2} & x"} for i, r in enumerate(table(1, 2, 2, n=80))]
    found, expected = (eb.measure("tpr_gap", None, data=d, **FAST) for d in (rows, joined))
    assert found.details["groups"] == ["g0 & 0 & x", "g0 & 1 & x", "g1 & 0 & x", "g1 & 1 & x"]
    assert found.rows_of("group") == expected.rows_of("group")
    module = eb.load("tpr_gap", keep_in_memory=True)
    names = ("predictions", "references", "groups", "groups_2", "groups_3")
    again = module.compute(**{c: [r[c] for r in rows] for c in names}, **FAST)
    assert again["tpr_gap"] == found.score


def test_the_p_value_is_that_of_fisher_for_one_class_and_two_groups() -> None:
    from scipy.stats import hypergeom

    seen = {"f": (9, 12), "m": (3, 11)}
    rows = [
        {"references": "a", "predictions": "a" if i < hits else "b", "groups": g}
        for g, (hits, n) in seen.items()
        for i in range(n)
    ]
    result = eb.measure("tpr_gap", None, data=rows, n_resamples=99_999)
    support = np.arange(1, 13)
    gaps = np.abs(support / 12 - (12 - support) / 11)
    expected = hypergeom(23, 12, 12).pmf(support)[gaps >= gaps[support == 9] - 1e-12].sum()
    assert result.p_low is not None
    assert result.p_high is not None
    assert result.p_low <= expected <= result.p_high
    assert result.ideal == pytest.approx((gaps * hypergeom(23, 12, 12).pmf(support)).sum(), abs=2e-3)


def test_labels_of_any_kind_are_the_same_labels() -> None:
    rows = table(2, 2, 2)
    as_numbers = [{k: int(v[1:]) for k, v in row.items()} for row in rows]
    as_floats = [{k: np.float64(v) for k, v in row.items()} for row in as_numbers]
    as_text = [{k: str(v) for k, v in row.items()} for row in as_numbers]
    results = [
        eb.measure("tpr_gap", None, data=d, **FAST).to_dict()["rows"]
        for d in (as_numbers, as_floats, as_text)
    ]
    assert results[0] == results[1] == results[2]
    module = eb.load("tpr_gap", keep_in_memory=True)
    frame = pd.DataFrame(as_numbers)
    found = module.compute(**{c: frame[c] for c in frame}, **FAST)
    assert found["tpr_gap"] == eb.measure("tpr_gap", None, data=rows, **FAST).score
    module.add_batch(predictions=[1, 0], references=[1, 1], groups=["f", "m"])
    assert module.compute(**FAST)["tpr_gap"] == 1.0


@pytest.mark.parametrize(
    "wrong", [1.5, ["a"], {"a": 1}, object(), math.inf, 10**5_000, 1j], ids=lambda v: type(v).__name__
)
def test_what_is_no_label_is_refused(wrong: Any) -> None:
    with pytest.raises(InputError, match="a label is a text, a whole number or a truth value") as caught:
        as_label(wrong, "row 3, groups")
    assert len(str(caught.value)) <= 600
    with pytest.raises(InputError, match="label"):
        eb.measure("tpr_gap", None, data=[{"predictions": "a", "references": "a", "groups": wrong}])


# --- bad input ------------------------------------------------------------------------------------------------


def test_a_class_without_members_in_a_group_is_listed() -> None:
    rows = [
        *table(1, 2, 3, n=60),
        *({"predictions": "rare", "references": "rare", "groups": g} for g in ("g0", "g2")),
        {"predictions": "rarest", "references": "rarest", "groups": "g1"},
    ]
    result = eb.measure("tpr_gap", None, data=rows, **FAST)
    told = {(s.item, s.where): s.reason for s in result.skipped}
    assert told == {
        ("rare", "g1"): "the group 'g1' has no member of this class",
        ("rarest", "classes"): "no member of this class in 'g0', 'g2': it has no gap",
    }
    assert [r.name for r in result.rows_of("group") if " and " not in r.name] == ["c0", "c1", "rare"]
    assert (result.n, result.coverage.asked) == (62, 63)
    assert all(math.isfinite(r.score or 0.0) for r in result.rows_of("group"))


def test_one_group_is_no_comparison() -> None:
    rows = [{**r, "groups": "only"} for r in table(1, 2, 2)]
    with pytest.raises(
        UndefinedScoreError, match="all rows are of one group, 'only': a gap needs two groups"
    ):
        eb.measure("tpr_gap", None, data=rows)


def test_no_class_in_two_groups_is_undefined() -> None:
    rows = [{"predictions": c, "references": c, "groups": g} for c, g in (("a", "f"), ("b", "m"))]
    with pytest.raises(UndefinedScoreError, match="no class has members in two groups"):
        eb.measure("tpr_gap", None, data=rows)


def test_rows_without_a_label_are_listed() -> None:
    rows = table(4, 2, 2)
    rows[0]["predictions"] = None
    rows[1]["groups"] = float("nan")
    rows[2]["references"] = " "
    result = eb.measure("tpr_gap", None, data=rows, **FAST)
    assert [(s.item, s.where) for s in result.skipped] == [
        ("0", "predictions"),
        ("1", "groups"),
        ("2", "references"),
    ]
    assert result.coverage.found == len(rows) - 3
    assert result.score == eb.measure("tpr_gap", None, data=rows[3:], **FAST).score
    with pytest.raises(UndefinedScoreError, match="no row has a prediction, a reference and a group"):
        eb.measure("tpr_gap", None, data=[{**r, "predictions": None} for r in rows])


def test_columns_of_different_lengths_are_refused() -> None:
    with pytest.raises(InputError, match="one value per row each, not 2, 1 and 2"):
        true_positive_rates(["a", "b"], ["a"], ["f", "m"])
    with pytest.raises(InputError, match="one value per row"):
        eb.load("tpr_gap", keep_in_memory=True).compute(
            predictions=["a", "b"], references=["a"], groups=["f", "m"]
        )


def test_labels_of_another_kind_are_refused_or_reported() -> None:
    rows = table(6, 2, 2)
    with pytest.raises(
        InputError, match="no prediction is one of the classes of the references: '7' was predicted"
    ):
        eb.measure("tpr_gap", None, data=[{**r, "predictions": 7} for r in rows])
    rows[5]["predictions"] = "elsewhere"
    result = eb.measure("tpr_gap", None, data=rows, **FAST)
    assert "1 predicted label not among the classes of the references ('elsewhere')" in " ".join(
        result.warnings
    )


def test_all_right_has_no_gap() -> None:
    rows = [{**r, "predictions": r["references"]} for r in table(6, 3, 2)]
    result = eb.measure("tpr_gap", None, data=rows, **FAST)
    assert (result.score, result.ideal, result.p_value) == (0, 0, 1)
    assert (result.ci_low, result.ci_high) == (None, None)  # every sample has no gap


def test_no_interval_where_none_is_asked_for() -> None:
    result = eb.measure("tpr_gap", None, data=table(6, 3, 2), n_resamples=99, ci_resamples=0)
    assert (result.ci_low, result.ci_high, result.ci_method) == (None, None, "")


# --- the data and the example ---------------------------------------------------------------------------------


def test_default_data_show_a_planted_gap() -> None:
    result = eb.measure("tpr_gap", None, **FAST)
    assert result.n == len(load_predictions()) == 320
    assert result.p_value == pytest.approx(0.01)
    assert result.ci_low is not None
    assert result.ci_low > 2 * result.ideal


def test_a_file_of_predictions(tmp_path: Path) -> None:
    rows = table(8, 2, 2)
    path = tmp_path / "mine.csv"
    pd.DataFrame(rows).to_csv(path, index=False)
    found = eb.measure("tpr_gap", None, source=str(path), **FAST)
    assert found.rows_of("group") == eb.measure("tpr_gap", None, data=rows, **FAST).rows_of("group")
    assert found.provenance["dataset"]["source"] == "mine.csv"


def test_the_example_prints_what_the_page_shows(capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("sklearn")
    runpy.run_path(str(EXAMPLE))
    assert capsys.readouterr().out == EXAMPLE.with_suffix(".txt").read_text(encoding="utf-8")


def test_a_file_without_a_column_says_which_and_what_it_has(tmp_path: Path) -> None:
    path = tmp_path / "predictions.csv"
    path.write_text("prediction,references,group\na,a,w\nb,b,m\n", encoding="utf-8")
    told = r"has no column 'predictions', 'groups': its columns are 'prediction', 'references', 'group'$"
    with pytest.raises(DataError, match=told):
        eb.measure("tpr_gap", None, source=str(path))
