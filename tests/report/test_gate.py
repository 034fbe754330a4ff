"""The gate against a base: by hand, on every method, and simulated."""

from __future__ import annotations

import dataclasses
import importlib
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats as distributions

import evaluate_bias as eb
from benchmarks.calibration import row
from benchmarks.calibrations.gate import MARGINS, SIZES, TABLES, cells, passed
from evaluate_bias.registry import METHODS
from evaluate_bias.report.compare.gate import Gate, GateCheck, gate
from evaluate_bias.result import Result
from tests.report.test_compare import ANSWERS, BASE, pairs
from tests.test_all_methods import measured

DOCS = Path(__file__).parents[2] / "docs"


def occupations(values: Any) -> Result:
    """A score that is a mean of numbers: MLM gender score of these occupations."""
    result = measured("mlm_gender_score")
    row = result.rows_of("item")[0]
    rows = [dataclasses.replace(row, name=f"o{k}", score=float(v)) for k, v in enumerate(values)]
    return dataclasses.replace(result, score=float(np.mean(values)), ci_low=None, ci_high=None, rows=rows)


# --- against a base -----------------------------------------------------------------------------------------------


def test_a_gate_passes_without_a_regression_and_fails_with_one():
    base, worse = pairs(BASE * 20), pairs(([True] * 65 + [False] * 35) * 20)
    same = gate(base, against=base, margin=2)
    assert (same.passed, same.exit_code) == (True, 0)
    found = gate([worse], against=[base], margin=2)
    assert (found.passed, found.exit_code) == (False, 1)
    assert "worse by more than 11 and less than 16.6 (95%)" in found.failures[0].reason
    better = gate([base], against=[worse], margin=2)
    assert better.passed
    assert "better by more than 11 (95%)" in better.checks[0].reason


def test_too_few_data_to_rule_out_the_margin_fail_without_being_called_worse():
    """A change of 50 to 50.05 was called worse."""
    base = pairs(BASE * 20)
    for few in (gate(pairs(BASE[40:60]), against=pairs(BASE[40:60]), margin=2),
                gate(pairs([*[True] * 1030, *[False] * 970]), against=base, margin=2)):  # fmt: skip
        assert few.exit_code == 1
        assert "pairs are too few to rule out 2: use more pairs, or a margin above" in few.failures[0].reason
        assert "more than" not in few.failures[0].reason


def test_the_verdict_is_that_of_the_printed_margin_and_of_the_simulation():
    """Bounds and score statistic are two ways to one decision, on both sides of the margin."""
    rng, verdicts = np.random.default_rng(0), []
    for n in (40, 200):
        for counts in rng.multinomial(n, [0.45, 0.05, 0.06, 0.44], 15).tolist():
            first = [*[True] * (counts[0] + counts[1]), *[False] * (counts[2] + counts[3])]
            second = [True] * counts[0] + [False] * counts[1] + [True] * counts[2] + [False] * counts[3]
            (check,) = gate(pairs(second), against=pairs(first), margin=8).checks
            assert check.held is not None
            assert check.passed is (check.held < 8)
            assert check.passed is bool(passed(np.array(counts), n, 0.08))
            for nearby, expected in ((check.held * (1 - 1e-6), False), (check.held * (1 + 1e-6), True)):
                if check.held > 0:
                    assert bool(passed(np.array(counts), n, nearby / 100)) is expected
            verdicts.append(check.passed)
    assert len(set(verdicts)) == 2


def test_the_line_in_the_docs_is_what_a_gate_prints():
    first = [True] * 909 + [False] * 599
    second = [True] * 863 + [False] * 46 + [True] * 54 + [False] * 545
    base, new = (dataclasses.replace(pairs(p), method="crows_pairs") for p in (first, second))
    (check,) = gate(new, against=base, margin=5).checks
    line = f"{check.outcome}  {check.name}: {check.reason}"
    assert line in (DOCS / "compare.md").read_text(encoding="utf-8")


def test_pairs_that_tie_in_one_measurement_are_left_out():
    rows = [{"sent_more": -9.0 + (1 if k % 2 else -1), "sent_less": -9.0} for k in range(400)]
    tied = [{**row, "sent_more": -9.0} if k < 100 else row for k, row in enumerate(rows)]
    (check,) = gate(
        eb.measure("pll", None, data=tied), against=eb.measure("pll", None, data=rows), margin=2
    ).checks
    assert check.reason.startswith("50 to 50 on 300 pairs")
    assert check.passed
    nearly_all = [{**row, "sent_more": -9.0} if k < 390 else row for k, row in enumerate(rows)]
    found = gate(
        eb.measure("pll", None, data=nearly_all), against=eb.measure("pll", None, data=rows), margin=2
    )
    assert found.exit_code == 2
    assert "10 of 400 pairs are decided in both" in found.checks[0].reason


def test_a_score_with_one_direction_of_bias_has_one_bound():
    """MAC's ideal lies within its range, but only lower is more biased: higher passes, lower does not."""
    result = measured("mac")
    low, high = (_distances(result, shift) for shift in (0.0, 0.3))
    assert gate(high, against=low, margins={"mac": 0.1}).passed
    (check,) = gate(low, against=high, margins={"mac": 0.1}).failures
    assert "worse by more than" in check.reason
    wide = gate(high, against=low, margins={"mac": 0.1}).checks[0].held
    assert wide is not None
    rng = np.random.default_rng(3)
    change = 0.3 + 0.05 * rng.normal(size=24)
    expected = -change.mean() + distributions.t.ppf(0.95, 23) * change.std(ddof=1) / 24**0.5
    assert wide == pytest.approx(expected)


def _distances(result: Result, shift: float) -> Result:
    rng = np.random.default_rng(3)
    distances = 0.5 + shift + (0.05 * rng.normal(size=24) if shift else np.zeros(24))
    (row,) = [r for r in result.rows if r.kind == "test"] or [result.overall]
    words = [{"word": f"w{k}", "list": "targets_x", "distance": float(d)} for k, d in enumerate(distances)]
    rows = [dataclasses.replace(row, kind="test", name="toy", score=float(distances.mean()), ci_low=None, ci_high=None,
                                details={**row.details, "words": words})]  # fmt: skip
    return dataclasses.replace(result, score=float(distances.mean()), ci_low=None, ci_high=None, rows=rows)


def test_tests_are_gated_by_their_own_sign_where_the_overall_score_has_none():
    """The mean |d| of several tests is one-sided, the d of each is not."""
    rng = np.random.default_rng(0)
    words = [f"w{k}" for k in range(24)]
    tests = [
        {"name": name, "targets_x": words[k:12:2], "targets_y": words[12 + k :: 2], "attributes_a": ["good"],
         "attributes_b": ["bad"]}
        for k, name in enumerate("ab")
    ]  # fmt: skip
    noise = rng.normal(size=24)
    results = []
    for slope in (0.0, 3.0):  # the words of Y come nearer to the first attribute
        angles = 0.8 - 0.1 * (noise + slope * (np.arange(24) >= 12))
        vectors = {w: [float(np.cos(a)), float(np.sin(a))] for w, a in zip(words, angles, strict=True)}
        results.append(eb.measure("weat", vectors | {"good": [1.0, 0.0], "bad": [0.0, 1.0]}, data=tests))
    base, new = results
    assert new.direction == "higher_is_more_biased"
    found = gate(new, against=base, margins={"weat": 0.2})
    assert [r.score < -1 for r in new.rows_of("test") if r.score is not None] == [True, True]
    assert [c.passed for c in found.checks] == [False, False]
    confidence_level = eb.compare(base, new, confidence_level=0.95).changes[0]
    assert found.checks[0].held == pytest.approx(confidence_level.distance_high)


def entailment_gap(lean: float, seed: int) -> Result:
    """Bias-NLI's difference of two groups; its record describes another score, with one direction and another range."""
    rng = np.random.default_rng(seed)
    rows = [
        {"premise": f"A t{t} ran.", "hypothesis": f"A {word} ran.", "target": f"t{t}", "attribute": word,
         "group": word[0], "template": "v", "entailment": p, "neutral": 0.9 - p, "contradiction": 0.1}
        for t in range(20)
        for word in ("x1", "x2", "x3", "y1", "y2", "y3")
        for p in [0.4 + lean * (word[0] == "x") + float(rng.uniform(-0.05, 0.05))]
    ]  # fmt: skip
    return eb.measure("bias_nli", None, data=rows, variant="gap", groups=("x", "y"), n_resamples=99)


@pytest.mark.parametrize("lean", [-0.3, 0.3])
def test_direction_and_range_are_those_of_the_result(lean):
    """A difference that grew was read as a share of neutral answers that rose, and passed in either direction."""
    base, worse = entailment_gap(0.0, 1), entailment_gap(lean, 2)
    found = gate(worse, against=base, margin=10)
    assert [(c.passed, c.name.endswith("margin 0.2")) for c in found.checks] == [(False, True)]
    assert found.checks[0].held == pytest.approx(eb.compare(base, worse).changes[0].distance_high)
    assert gate(entailment_gap(0.0, 3), against=base, margin=10).passed
    assert eb.compare(base, worse).changes[0].toward_ideal == "further from"


def test_a_control_fails_no_gate_and_is_in_no_family():
    words = [f"w{k}" for k in range(24)]
    tests = [
        {"name": name, "targets_x": words[k:24:4], "targets_y": words[k + 2 :: 4], "attributes_a": ["good"],
         "attributes_b": ["bad"], "bias_type": kind}
        for k, (name, kind) in enumerate({"social": "gender", "flowers": "none (baseline)"}.items())
    ]  # fmt: skip
    noise, poles = np.random.default_rng(0).normal(size=24), {"good": [1.0, 0.0], "bad": [0.0, 1.0]}
    base, new = (
        eb.measure("weat", poles | {
            w: [float(np.cos(a)), float(np.sin(a))]
            for w, a in zip(words, 0.8 - 0.1 * (noise + slope * (np.arange(24) % 4 == 3)), strict=True)
        }, data=tests)
        for slope in (0.0, 3.0)  # only words of the control move
    )  # fmt: skip
    social, control = eb.compare(base, new).changes
    assert (control.control, control.significant, control.p_holm) == (True, False, None)
    assert control.p_value < 0.05
    assert social.p_holm == social.p_value == 1.0
    assert "p (Holm, 1 test)" in eb.compare(base, new).table().titles
    found = gate(new, against=base, margins={"weat": 0.2})
    assert [c.passed for c in found.checks] == [True]
    without = dataclasses.replace(base, rows=[r for r in base.rows if r.name != "flowers"])
    assert gate(without, against=base, margins={"weat": 0.2}).passed


def test_means_are_gated_by_their_distance_from_the_ideal_value():
    rng = np.random.default_rng(0)
    base = rng.normal(0.0, 0.02, 60)
    near, far = base + rng.normal(0, 0.005, 60), base + 0.3
    assert gate(occupations(near), against=occupations(base), margin=2).passed
    assert (
        gate(occupations(far + rng.normal(0, 0.01, 60)), against=occupations(base), margin=2).exit_code == 1
    )
    mirrored = gate(occupations(-near), against=occupations(base), margin=2).checks[0]
    assert mirrored.passed, "as far on the other side is no worse"
    nothing = gate(occupations(base), against=occupations(base), margin=2).checks[0]
    assert (nothing.passed, nothing.reason.partition(": ")[2]) == (True, "none of them changed")


def test_a_mirrored_score_is_not_worse_and_not_unchanged():
    rows = [row for row in ANSWERS if row["context_condition"] == "ambig"]
    sides = [
        eb.measure("bbq", data=[
            {**row, "answer": 2 if row["question_index"] in "0369" else abs(row["target_loc"] - other)} for row in rows
        ])
        for other in (0, 1)
    ]  # fmt: skip
    (check,) = gate(sides[1], against=sides[0], margin=5).checks
    assert sides[1].score == -sides[0].score != 0
    assert (check.passed, check.held) == (True, 0)
    assert check.reason.endswith("0.7333 on 15 templates: not worse (95%)")


def test_a_task_that_the_build_lacks_is_not_checked():
    """Categories of BBQ have a row for ambiguous and one for disambiguated questions, of one name."""
    two = [{**row, "category": ("Age", "Religion")[k // 4 % 2]} for k, row in enumerate(ANSWERS)]
    base, part = (
        eb.measure("bbq", data=rows) for rows in (two, [r for r in two if r["context_condition"] == "ambig"])
    )
    found = gate(part, against=base, margin=99, groups=True)
    missing = [c.name for c in found.unchecked if "the base has it" in c.reason]
    assert missing == [f"BBQ bias score, {category} (disambiguated)" for category in ("Age", "Religion")]


def test_a_named_method_of_both_without_a_common_test_is_not_checked():
    base, new = (
        eb.measure("counterfactual_text", data=[
            {"prompt": f"Praise {{group}} {k}.", "group": group, "completions": ["so kind"]}
            for k in range(6) for group in ("women", "men")
        ], scorers=scorer)
        for scorer in ("length", "refusal")
    )  # fmt: skip
    (missing, check) = gate(new, against=base, margins={"counterfactual_text": 1.0}).checks
    assert missing.reason == "the base has it and this build has not: measure it on both"
    assert (check.passed, check.reason) == (None, "no score of it could be compared, as the notes explain")


@pytest.mark.parametrize("name", METHODS)
def test_every_method_passes_against_itself_or_is_not_checked(name):
    result = measured(name)
    found = gate(result, against=result, margins={name: 0.1})
    assert found.exit_code in ({0, 2} if METHODS[name].units else {2})
    for check in found.unchecked:
        assert check.reason.endswith("."), "it says why"
        assert "not checked" in check.reason


def test_scores_without_shared_units_are_never_passed():
    base = pairs(BASE * 20)
    bare = dataclasses.replace(base, rows=())
    for found in (gate(bare, against=base, margin=50), gate(base, against=bare, margin=50)):
        assert (found.passed, found.exit_code) == (False, 2)
        assert [c.outcome for c in found.checks] == ["not checked"]
        assert "not checked" in found.to_markdown()
    ripa = measured("ripa")
    (check,) = gate(ripa, against=ripa, margin=2).checks
    assert (check.passed, check.reason) == (
        None,
        "its scale has no ends, so it needs a margin of its own: ripa=NUMBER",
    )
    assert Gate(()).exit_code == 2, "nothing checked is nothing passed"
    failed = Gate((GateCheck("a", None, ""), GateCheck("b", False, "")))
    assert failed.exit_code == 1
    assert (
        ET.fromstring(failed.to_junit()).attrib | {"failures": "1", "errors": "1"}
        == ET.fromstring(failed.to_junit()).attrib
    )


@pytest.mark.parametrize("name", ["kldivs", "tpr_gap"])
def test_the_mean_under_chance_is_that_of_the_method(name):
    """As a comparison computes it, from totals, it agrees with the permutations of the measurement."""
    rng = np.random.default_rng(0)
    if name == "kldivs":
        more = rng.normal(-20, 4, 300)
        rows = [{"score_more": m, "score_less": x, "bias_type": "ab"[k % 2]}
                for k, (m, x) in enumerate(zip(more, more + rng.normal(-0.5, 3, 300), strict=True))]  # fmt: skip
        data = [
            {"sent_more": r["score_more"], "sent_less": r["score_less"], "bias_type": r["bias_type"]}
            for r in rows
        ]
    else:
        labels = zip(rng.integers(0, 5, 600), rng.integers(0, 3, 600), rng.random(600) < 0.7, strict=True)
        rows = [
            {"class": str(c), "group": str(g), "prediction": str(c) if hit else "x"} for c, g, hit in labels
        ]
        data = [
            {"references": r["class"], "groups": r["group"], "predictions": r["prediction"]} for r in rows
        ]
    result = eb.measure(name, None, data=data)
    own = importlib.import_module(f"{METHODS[name].package}.items")
    totals = own.columns(rows, {}).sum(axis=0)[None]
    assert own.score(totals, {}) == pytest.approx(result.score)
    above = result.score - result.reference
    assert abs(own.null_mean(totals, {})[0] - result.reference) < 0.05 * abs(
        above
    ) + 0.03 * result.reference * (name != "kldivs")
    assert abs(own.null_mean(totals, {})[0] - METHODS[name].ideal) > 0


def test_what_exceeds_chance_is_gated_and_not_the_bare_score():
    """Noisier scores raise both KLDivS and its mean under chance: that alone is no bias."""
    rng = np.random.default_rng(4)
    more = rng.normal(-20, 4, 60)
    less = more + rng.normal(0, 3, 60)
    rows = [
        [
            {"sent_more": m, "sent_less": x, "bias_type": "age"}
            for m, x in zip(more, less + shift, strict=True)
        ]
        for shift in (0.0, 0.2)
    ]
    base, new = (eb.measure("kldivs", None, data=some) for some in rows)
    change = eb.compare(base, new, confidence_level=0.9).changes[0]
    assert change.excess is not None
    assert change.low is not None
    assert change.excess != (change.low, change.high)
    (check,) = gate(new, against=base, margin=20).checks
    assert check.held == pytest.approx(change.excess[1])


# --- simulated ----------------------------------------------------------------------------------------------------


def test_a_model_that_is_worse_by_the_margin_passes_in_at_most_6_percent():
    found = {(n, margin): cells(None, n, margin) for n in SIZES for margin in MARGINS}
    assert sum(len(of) for of in found.values()) == 108
    assert max(c.error for of in found.values() for c in of) <= 6.0
    power = {(*key, c.base, c.r): c.power for key, of in found.items() for c in of}
    assert power[1500, 2, 60, 0.98] == pytest.approx(86, abs=2)
    assert power[200, 5, 50, 0.9] == pytest.approx(11.5, abs=1.5)
    _, _, *lines = (DOCS / "calibration" / "gate.inc.md").read_text(encoding="utf-8").splitlines()
    (table,) = TABLES
    assert lines == [row(case, [of]) for case, of in zip(table.cases, found.values(), strict=True)]
