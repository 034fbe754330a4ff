"""TPR gap: fairlearn's numbers on random tables, a naive implementation, groups and combinations, bad input."""

from __future__ import annotations

import math
import random
from itertools import combinations
from typing import Any

import numpy as np
import pytest

import evaluate_bias as eb
from evaluate_bias.data.predictions import load_predictions
from evaluate_bias.errors import DataError, InputError, UndefinedScoreError
from evaluate_bias.methods.downstream.tpr_gap import items
from evaluate_bias.methods.downstream.tpr_gap.statistics import _draw_relabelled, rate_counts
from evaluate_bias.report.reading import read
from evaluate_bias.result import Sampled

FAST = {"n_resamples": 99, "ci_resamples": 99}
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


def test_two_groups_have_a_sign() -> None:
    rows = table(3, 2, 2)
    result = eb.measure("tpr_gap", None, data=rows, **FAST)
    for row in result.rows_of("group"):
        difference = row.estimates["difference"]
        assert difference.value == pytest.approx(row.details["tpr"]["g0"] - row.details["tpr"]["g1"])
        assert row.score == pytest.approx(abs(difference.value))
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
    assert all(r.p_holm >= r.p_value for r in result.rows_of("group"))


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
    assert abs(result.p_value - expected) <= 4 * result.p_error
    assert result.estimates["rms_gap"] == result.estimates["max_gap"]
    assert result.estimates["rms_gap"].p == result.p_value
    assert result.expected_by_chance == pytest.approx(
        (gaps * hypergeom(23, 12, 12).pmf(support)).sum(), abs=2e-3
    )


# --- other rates ------------------------------------------------------------------------------------------------

OTHERS = ("fpr", "selection", "precision", "accuracy")
RATES = ("tpr", *OTHERS)


def naive_rates(rows: Rows, rate: str) -> dict[str, dict[str, float]]:
    """Rates by class and group, one count at a time; a class without the denominator in a group has none there."""
    found: dict[str, dict[str, float]] = {}
    for name in ["all classes"] if rate == "accuracy" else {r["references"] for r in rows}:
        found[name] = {}
        for group in {r["groups"] for r in rows}:
            own = [r for r in rows if r["groups"] == group]
            about = {
                "tpr": [r for r in own if r["references"] == name],
                "fpr": [r for r in own if r["references"] != name],
                "precision": [r for r in own if r["predictions"] == name],
            }.get(rate, own)
            hits = {
                "precision": sum(r["references"] == name for r in about),
                "accuracy": sum(r["references"] == r["predictions"] for r in about),
            }.get(rate, sum(r["predictions"] == name for r in about))
            if about:
                found[name][group] = hits / len(about)
    return {name: rates for name, rates in found.items() if len(rates) > 1}


@pytest.mark.parametrize("rate", RATES)
@pytest.mark.parametrize("seed", range(4))
def test_rates_against_a_naive_implementation(rate: str, seed: int) -> None:
    rows = table(seed, 5, 3, n=24)[3:]
    expected = naive_rates(rows, rate)
    result = eb.measure("tpr_gap", None, data=rows, rate=rate, **FAST)
    classes = [r for r in result.rows_of("group") if "members" in r.details]
    assert {r.name: r.details[rate] for r in classes} == {
        n: pytest.approx(own) for n, own in expected.items()
    }
    gaps = {name: max(own.values()) - min(own.values()) for name, own in expected.items()}
    assert {r.name: r.score for r in classes} == pytest.approx(gaps)
    values = np.array(list(gaps.values()))
    assert result.score == pytest.approx(values.mean())
    assert result.estimates["max_gap"].value == pytest.approx(values.max())
    assert result.estimates["rms_gap"].value == pytest.approx(math.sqrt((values**2).mean()))
    # Tables of one label or group are themselves, and not what SciPy draws.
    assert all(0 <= row.expected_by_chance <= 1 for row in (result.overall, *result.rows_of("group")))


@pytest.mark.parametrize("rate", RATES)
def test_rates_are_those_of_fairlearn(rate: str) -> None:
    metrics = pytest.importorskip("fairlearn.metrics")
    from sklearn.metrics import accuracy_score, precision_score

    def metric(name: str) -> Any:
        def one(y_true: Any, y_pred: Any) -> float:
            true, predicted = (np.asarray(y) == name for y in (y_true, y_pred))
            if rate == "precision":
                return float(precision_score(true, predicted))
            names = {"tpr": "true_positive_rate", "fpr": "false_positive_rate", "selection": "selection_rate"}
            return float(getattr(metrics, names[rate])(true, predicted, pos_label=True))

        return accuracy_score if rate == "accuracy" else one

    for seed in range(6):
        rows = table(seed, 2 + seed % 3, 2 + seed % 3, n=200)
        predictions, references, groups = columns(rows)
        names = ["all classes"] if rate == "accuracy" else sorted(set(references))
        of_classes = {name: metric(name) for name in names}
        frame = metrics.MetricFrame(
            metrics=of_classes, y_true=references, y_pred=predictions, sensitive_features=groups
        )
        result = eb.measure("tpr_gap", None, data=rows, rate=rate, **FAST)
        found = {row.name: row.score for row in result.rows_of("group") if row.name in names}
        assert found == pytest.approx(frame.difference().to_dict(), abs=1e-12)


@pytest.mark.parametrize(("rate", "within"), [("fpr", "references"), ("selection", "")])
def test_groups_are_reordered_over_all_classes_at_once(rate: str, within: str) -> None:
    """The null mean of each class is that of permuting the groups of rows, one class's rows being another's too."""
    rows = table(9, 3, 2, n=60)
    predictions, references, groups = columns(rows)
    counts = rate_counts(list(zip(predictions, references, groups, strict=True)), rate)  # type: ignore[arg-type]
    draws, strata_of = np.random.default_rng(1), counts.unit_rows.argmax(axis=1)
    drawn = sum(
        np.einsum("bkg,kc->bcg", _draw_relabelled(counts.units[own], 4_000, draws), counts.unit_hits[own])
        for own in (strata_of == s for s in np.unique(strata_of))
    )
    rng = np.random.default_rng(2)
    strata = [r[within] if within else "" for r in rows]
    direct = []
    for _ in range(1_000):
        shuffled = np.array(groups)
        for stratum in set(strata):
            own = [i for i, s in enumerate(strata) if s == stratum]
            shuffled[own] = rng.permutation(shuffled[own])
        rows_of_draw = list(zip(predictions, references, shuffled.tolist(), strict=True))
        direct.append(rate_counts(rows_of_draw, rate).hits)  # type: ignore[arg-type]
    assert drawn.mean(axis=0) == pytest.approx(np.mean(direct, axis=0), abs=0.25)
    assert drawn.std(axis=0) == pytest.approx(np.std(direct, axis=0), abs=0.2)
    first, second = (
        np.corrcoef(np.asarray(d)[:, 0, 0], np.asarray(d)[:, 1, 0])[0, 1] for d in (drawn, direct)
    )
    assert first == pytest.approx(second, abs=0.12)


def test_a_class_without_the_denominator_is_listed_and_not_zero() -> None:
    rows = [
        *({"predictions": p, "references": "a", "groups": g} for g in ("f", "m") for p in ("a", "a", "b")),
        {"predictions": "a", "references": "b", "groups": "f"},
    ]
    result = eb.measure("tpr_gap", None, data=rows, rate="fpr", **FAST)
    assert [s.reason for s in result.skipped] == ["no member of another class in 'm': it has no gap"]
    assert [r.name for r in result.rows_of("group")] == ["b"]
    rows = [{**r, "predictions": "a" if r["groups"] == "m" else r["predictions"]} for r in rows]
    result = eb.measure("tpr_gap", None, data=rows, rate="precision", **FAST)
    assert [s.reason for s in result.skipped] == ["no prediction of this class in 'm': it has no gap"]


def test_sentences_name_the_rate_and_two_results_of_one_are_compared() -> None:
    rows = [
        {"id": f"{g}{i}", "references": "a" if i % 2 else "b", "groups": g,
         "predictions": "a" if i % 2 or (g == "f" and i % 4) else "b"}
        for g in ("f", "m") for i in range(80)
    ]  # fmt: skip
    result = eb.measure("tpr_gap", None, data=rows, rate="fpr", n_resamples=999, ci_resamples=99)
    assert read(result).finding.startswith("The classifier's rates (fpr) differ between f and m (0.25")
    better = [{**r, "predictions": r["references"]} for r in rows]
    for rate in RATES:
        one, two = (eb.measure("tpr_gap", None, data=d, rate=rate, **FAST) for d in (rows, better))
        change, *of_classes = eb.compare([one], [two]).changes
        assert (change.first, change.second) == pytest.approx((one.score, two.score)), rate
        assert change.p_value is not None
        # All members of a are recognised by both; only true positives are those of one class alone.
        p_values = {c.name: c.p_value for c in of_classes}
        assert (
            p_values["a"] == 1.0 > 0.001 > p_values["b"] if rate == "tpr" else {*p_values.values()} == {None}
        )


# --- clusters ---------------------------------------------------------------------------------------------------


def of_people(seed: int, people: int = 12, rows: int = 8, sd: float = 3.0) -> Rows:
    """Two classes whose members have several rows each, which are recognised together or not; no gap."""
    rng = np.random.default_rng(seed)
    return [
        {
            "predictions": c if seen else {"a": "b", "b": "a"}[c],
            "references": c,
            "groups": g,
            "cluster": f"{c}{g}{i}",
        }
        for c in ("a", "b")
        for g in ("f", "m")
        for i in range(people)
        for seen in rng.random(rows) < 1 / (1 + np.exp(-rng.normal(0, sd)))
    ]


@pytest.mark.parametrize("rate", ["tpr", "selection"])
def test_rows_of_one_person_are_no_independent_evidence(rate: str) -> None:
    """Of 40 classifiers without a gap, rows alone reject 25 % or more; by clusters at most 6 (binomial: 1 in 1,000)."""
    rejected = {"rows": 0, "clusters": 0}
    for seed in range(40):
        rows = of_people(seed)
        for what, data in (("clusters", rows), ("rows", [{**r, "cluster": None} for r in rows])):
            result = eb.measure("tpr_gap", None, data=data, rate=rate, n_resamples=199, ci_resamples=0)
            rejected[what] += result.p_value <= 0.05
    assert rejected["clusters"] <= 6
    assert rejected["rows"] >= 10


def test_clusters_keep_the_score_and_say_what_is_sampled() -> None:
    rows = of_people(1)
    result = eb.measure("tpr_gap", None, data=rows, **FAST)
    alone = eb.measure("tpr_gap", None, data=[{**r, "cluster": None} for r in rows], **FAST)
    assert result.score == alone.score
    assert (result.sampled, alone.sampled) == (Sampled(("clusters",)), Sampled(("rows",)))
    assert result.ci_high - result.ci_low > 1.3 * (alone.ci_high - alone.ci_low)
    assert (result.n, result.n_tested, alone.n_tested) == (384, 48, None)
    of_class, of_row = (r.rows_of("group")[0].estimates["difference"] for r in (result, alone))
    assert of_class.value == of_row.value
    assert of_class.high - of_class.low > 1.3 * (of_row.high - of_row.low)
    shuffled = [rows[i] for i in np.random.default_rng(0).permutation(len(rows))]
    again = eb.measure("tpr_gap", None, data=shuffled, **FAST)
    assert (again.p_value, again.ci_low, again.expected_by_chance) == (
        result.p_value,
        result.ci_low,
        result.expected_by_chance,
    )


@pytest.mark.parametrize("rate", ["tpr", "fpr", "selection", "precision", "accuracy"])
def test_a_comparison_takes_the_mean_under_chance_of_clusters(rate: str) -> None:
    """Of totals over clusters it is that of the reordered clusters; of rows alone it would be half of it."""
    rows = of_people(1)
    result = eb.measure("tpr_gap", None, data=rows, rate=rate, n_resamples=1_999, ci_resamples=0)
    units = [{**row.labels, **row.details} for row in result.rows_of("item")]
    by_cluster, by_row = (
        items.null_mean(items.columns(some, {"rate": rate}).sum(axis=0)[None], {"rate": rate})[0]
        for some in (units, [{**unit, "cluster": ""} for unit in units])
    )
    assert by_cluster == pytest.approx(result.expected_by_chance, rel=0.06)
    assert by_row < 0.6 * result.expected_by_chance
    of_one_row = [{**unit, "cluster": f"row {i}"} for i, unit in enumerate(units)]
    totals = items.columns(of_one_row, {"rate": rate}).sum(axis=0)[None]
    assert items.null_mean(totals, {"rate": rate})[0] == pytest.approx(by_row)


def test_only_clusters_of_the_classes_of_a_row_count_for_its_test() -> None:
    rows = of_people(1)
    alone = {"predictions": "c", "references": "c", "groups": "f", "cluster": "cf0"}
    result = eb.measure("tpr_gap", None, data=[*rows, alone], **FAST)
    assert (result.n, result.n_tested) == (384, 48)
    few = [row for row in rows if row["references"] == "a" or row["cluster"][2:] in ("0", "1")]
    of_class = {
        row.name: row.details for row in eb.measure("tpr_gap", None, data=few, **FAST).rows_of("group")
    }
    assert of_class["b"]["smallest_p"] == pytest.approx(2 / 6)  # two people of each group


def test_clusters_of_one_row_are_rows() -> None:
    """The groups of rows reordered by hypergeometric numbers and one by one: the same up to the Monte Carlo error."""
    rows = [{**r, "cluster": f"row {i}"} for i, r in enumerate(table(3, 3, 2))]
    for rate in ("tpr", "fpr", "selection", "precision", "accuracy"):
        options = {"rate": rate, "n_resamples": 4_999, "ci_resamples": 2_000}
        one, other = (
            eb.measure("tpr_gap", None, data=data, **options)
            for data in (rows, [{**r, "cluster": None} for r in rows])
        )
        assert one.p_value == pytest.approx(
            other.p_value, abs=4 * 2**0.5 * max(other.p_error, one.p_error)
        ), rate
        assert one.expected_by_chance == pytest.approx(other.expected_by_chance, abs=0.006), rate
        assert (one.ci_low, one.ci_high) == pytest.approx((other.ci_low, other.ci_high), abs=0.015), rate


def test_a_cluster_of_two_groups_is_refused() -> None:
    rows = of_people(1)
    with pytest.raises(DataError, match="'af0' has rows of two groups"):
        eb.measure("tpr_gap", None, data=[*rows, {**rows[0], "groups": "m"}], **FAST)


def test_two_models_on_the_same_people_are_compared_by_people() -> None:
    one, two = (eb.measure("tpr_gap", None, data=of_people(seed), **FAST) for seed in (1, 2))
    change = eb.compare([one], [two]).changes[0]
    assert (change.n, change.items) == (48, "clusters")


def test_selection_rates_are_those_of_a_class() -> None:
    """Every row is selected for one class, so that their mean over classes was 50 % in both groups, always."""
    rows = [
        {"references": c, "predictions": "hire" if i < hired else "reject", "groups": g}
        for g, hired in (("f", 2), ("m", 8))
        for i in range(10)
        for c in ("hire", "reject")
    ]
    result = eb.measure("tpr_gap", None, data=rows, rate="selection", **FAST)
    assert result.details["rates"]["rate of hire (selection)"] == {"f": 0.2, "m": 0.8}
    many = eb.measure("tpr_gap", None, data=table(2, 7, 2, n=140), rate="selection", **FAST)
    largest = max(many.rows_of("group"), key=lambda row: row.score)
    assert many.details["rates"] == {f"rate of {largest.name} (selection)": largest.details["selection"]}


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


def test_rows_without_a_label_are_listed() -> None:
    rows = table(4, 2, 2)
    rows[0]["predictions"] = None
    rows[1]["groups"] = float("nan")
    rows[2]["references"] = " "
    result = eb.measure("tpr_gap", None, data=rows, **FAST)
    assert [s.where for s in result.skipped] == ["predictions", "groups", "references"]
    assert result.coverage.found == len(rows) - 3
    assert result.score == eb.measure("tpr_gap", None, data=rows[3:], **FAST).score
    with pytest.raises(UndefinedScoreError, match="no row has a prediction, a reference and a group"):
        eb.measure("tpr_gap", None, data=[{**r, "predictions": None} for r in rows])


def test_labels_of_another_kind_are_refused_or_reported() -> None:
    rows = table(6, 2, 2)
    with pytest.raises(InputError, match="no prediction is one of the classes of the references"):
        eb.measure("tpr_gap", None, data=[{**r, "predictions": 7} for r in rows])
    rows[5]["predictions"] = "elsewhere"
    result = eb.measure("tpr_gap", None, data=rows, **FAST)
    warnings = " ".join(result.warnings)
    assert "1 predicted label not among the classes of the references ('elsewhere')" in warnings


def test_default_data_show_a_planted_gap() -> None:
    result = eb.measure("tpr_gap", None, **FAST)
    assert result.n == len(load_predictions()) == 320
    assert result.p_value == pytest.approx(0.01)
    assert result.ci_low is not None
    assert result.ci_low > 2 * result.expected_by_chance


# --- the data and the example ---------------------------------------------------------------------------------
