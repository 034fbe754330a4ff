"""The verdict on a score: a table of situations, what a robustness result speaks of, and where the table is shown."""

from __future__ import annotations

import dataclasses
import json
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import evaluate_bias as eb
from evaluate_bias.errors import UndefinedScoreError
from evaluate_bias.experiments.sources import write_results
from evaluate_bias.report.conclusions import Conclusion, Judgement, Reason
from evaluate_bias.report.trust import (
    ASPECT_RULES,
    RULES,
    Evidence,
    Reliability,
    Robust,
    judge,
    robust_state,
    trust,
)
from evaluate_bias.report.write import write_report
from evaluate_bias.result import Result
from evaluate_bias.stats import cohen_kappa, wilson_interval
from tests.support.command_line import run_app

FOUND, MISSED = Judgement(Conclusion.SIGNIFICANT), Judgement(Conclusion.NOT_SIGNIFICANT)
AROUND = Judgement(Conclusion.NO_TEST, Reason.INTERVAL_INCLUDES)
R, F, N = Reliability.ROBUST, Reliability.FRAGILE, Reliability.NOT_TESTABLE
HOLDS, FAILS, OPEN = Robust("holds", 0.9), Robust("fails", 0.1), Robust("not testable", 0.9)
SEEDS = {"seeds": HOLDS}

SITUATIONS: list[tuple[dict[str, Any], Reliability, str]] = [
    # What the data cannot tell, and half an answer, whatever else holds
    *(
        ({"judgement": judgement, **more}, reliability, rule)
        for judgement, reliability, rule in (
            (Judgement(Conclusion.SIGNIFICANT, None, "illustrative"), N, "illustrative data"),
            (Judgement(Conclusion.SIGNIFICANT, None, "control"), N, "control"),
            (Judgement(Conclusion.NO_TEST, Reason.OPTION_ORDER), N, "option order"),
            (Judgement(Conclusion.NO_TEST, Reason.ALL_EQUAL), N, "all equal"),
            (Judgement(Conclusion.TOO_FEW), N, "too few items"),
            (Judgement(Conclusion.NO_TEST, Reason.NO_INTERVAL), N, "no test"),
            (Judgement(Conclusion.NO_TEST, Reason.END_OF_RANGE), N, "no test"),
            (Judgement(Conclusion.UNCLEAR, Reason.DISAGREE), F, "unclear"),
            (Judgement(Conclusion.UNCLEAR, Reason.BEFORE_CORRECTION), F, "only before correction"),
            (Judgement(Conclusion.NO_TEST, Reason.INTERVAL_EXCLUDES), F, "interval alone"),
        )
        for more in ({}, {"near": True, "width": 0.1, "robust": SEEDS})
    ),
    (
        {"judgement": Judgement(Conclusion.SIGNIFICANT, None, "illustrative"), "coverage": 0.1},
        N,
        "illustrative data",
    ),
    ({"judgement": FOUND, "coverage": 0.49, "robust": SEEDS}, N, "low coverage"),
    ({"judgement": MISSED, "coverage": 0.1, "near": True}, N, "low coverage"),
    # Found
    ({"judgement": FOUND}, F, "no robustness test run"),
    ({"judgement": FOUND, "coverage": 0.5, "robust": SEEDS}, R, "robust"),
    ({"judgement": FOUND, "width": 0.1}, F, "no robustness test run"),
    ({"judgement": FOUND, "width": 0.1, "robust": SEEDS}, R, "robust"),
    ({"judgement": FOUND, "width": None, "robust": SEEDS}, R, "robust"),
    ({"judgement": FOUND, "width": 0.5, "robust": SEEDS}, R, "robust"),
    ({"judgement": FOUND, "width": 0.51, "robust": SEEDS}, F, "wide interval"),
    *(({"judgement": FOUND, "robust": {a: FAILS}}, F, "not robust") for a in ASPECT_RULES),
    *(({"judgement": FOUND, "robust": {a: HOLDS}}, R, "robust") for a in ASPECT_RULES if a != "agreement"),
    ({"judgement": FOUND, "robust": {"agreement": HOLDS}}, F, "no robustness test run"),
    ({"judgement": FOUND, "robust": {"seeds": OPEN}}, N, "robustness not testable"),
    ({"judgement": FOUND, "robust": {"seeds": OPEN, "templates": HOLDS}}, R, "robust"),
    ({"judgement": FOUND, "robust": {"seeds": Robust("not measured")}}, F, "no robustness test run"),
    ({"judgement": FOUND, "robust": {"seeds": Robust("does not apply")}}, F, "no robustness test run"),
    ({"judgement": FOUND, "robust": {"seeds": HOLDS, "templates": FAILS}}, F, "not robust"),
    ({"judgement": FOUND, "robust": {"seeds": HOLDS, "agreement": FAILS}}, F, "not robust"),
    ({"judgement": FOUND, "robust": {"seeds": HOLDS, "agreement": OPEN}}, R, "robust"),
    ({"judgement": FOUND, "width": 0.9, "robust": {"seeds": FAILS}}, F, "not robust"),
    # Nothing found
    ({"judgement": MISSED}, N, "interval too wide"),
    ({"judgement": MISSED, "robust": SEEDS}, N, "interval too wide"),
    ({"judgement": MISSED, "robust": {"seeds": FAILS}}, N, "interval too wide"),
    ({"judgement": MISSED, "near": True}, F, "no robustness test run"),
    ({"judgement": MISSED, "near": True, "robust": SEEDS}, R, "robust"),
    ({"judgement": MISSED, "near": True, "robust": {"paraphrases": FAILS}}, F, "not robust"),
    ({"judgement": AROUND}, N, "interval too wide"),
    ({"judgement": AROUND, "near": True}, F, "no robustness test run"),
    ({"judgement": AROUND, "near": True, "robust": SEEDS}, R, "robust"),
]


@pytest.mark.parametrize(("evidence", "reliability", "rule"), SITUATIONS)
def test_situations(evidence, reliability, rule):
    found, reason, by = judge(Evidence(**evidence))
    assert (found, by) == (reliability, rule)
    assert reason.endswith(".")
    assert len(reason) < 250
    assert "{" not in reason


def test_every_rule_decides_a_situation():
    assert {rule for *_, rule in SITUATIONS} == {r.name for r in RULES}


def test_rules_stand_in_the_documentation_in_their_order():
    text = (Path(__file__).parents[2] / "docs" / "trust.md").read_text(encoding="utf-8")
    places = [text.index(f"| {rule.name} |") for rule in RULES]
    assert places == sorted(places)
    for rule in RULES:
        line = next(t for t in text.splitlines() if f"| {rule.name} |" in t)
        assert f"`{rule.reliability.value}`" in line
    for aspect, known in ASPECT_RULES.items():
        assert f"| {known.bound:g} " in next(t for t in text.splitlines() if t.startswith(f"| {aspect} |"))


def test_the_fewest_units_are_those_that_can_show_it_if_all_agree():
    def parts(n):
        return wilson_interval(n, n).low

    def pairs(n):
        return max(cohen_kappa(k, 0, 0, n - k).low for k in range(1, n))

    for aspect, low in (("seeds", parts), ("paraphrases", pairs)):
        n = ASPECT_RULES[aspect].min_items
        assert low(n - 1) < ASPECT_RULES[aspect].bound <= low(n)
        assert robust_state(aspect, 1.0, low(n - 1), 1.0, n - 1) == "not testable"
        assert robust_state(aspect, 1.0, low(n), 1.0, n) == "holds"


@pytest.mark.nightly
@pytest.mark.parametrize("n", [5, 8, 30])
def test_unrelated_paraphrases_are_robust_in_at_most_one_draw_of_a_hundred(n):
    draws = np.random.default_rng(n)
    preferred = score("crows_pairs", score=90.0, ideal=50, score_range=(0, 100), ci_low=80, ci_high=96)
    found: Counter[str] = Counter()
    for _ in range(300):
        signs = np.where(draws.random((2, n)) < 0.7, 1.0, -1.0)
        rows = [
            {"sent_more": a, "sent_less": 0.0, "sent_more_par": b, "sent_less_par": 0.0} for a, b in signs.T
        ]
        try:
            paraphrased = eb.measure("pll_robustness", None, data=rows)
        except UndefinedScoreError:  # all on one side: there is no kappa
            found["undefined"] += 1
            continue
        model = {"provenance": preferred.provenance}
        (row,) = trust([preferred, dataclasses.replace(paraphrased, **model)]).rows
        found[row.reliability.value] += 1
    assert found["robust"] <= 3, found
    assert found["fragile"] + found["not testable"] > 150


def score(method: str = "weat", model: str = "m", **more: Any) -> Result:
    given: dict[str, Any] = {
        "score": 1.5, "score_range": (-2, 2), "direction": "two_sided", "ideal": 0, "n": 16, "ci_low": 1.0,
        "ci_high": 1.8, "p_value": 0.001,
    }  # fmt: skip
    return Result(method=method, provenance={"model": {"name": model}}, **{**given, **more})


def robustness(method: str, value: float, model: str = "m", **more: Any) -> Result:
    given: dict[str, Any] = {
        "ci_low": value - 0.02,
        "ci_high": min(1.0, value + 0.02),
        "score_range": (-1, 1),
        "direction": "higher_is_more_robust",
        "ideal": 1,
        "n": 30,
    }
    return Result(method=method, score=value, provenance={"model": {"name": model}}, **{**given, **more})


def seeds(value: float, of: str = "weat", model: str = "m", **more: Any) -> Result:
    return robustness(
        "seed_sensitivity", value, model, settings={"measured_method": of, "n_subsets": 200}, **more
    )


@pytest.mark.parametrize(
    ("others", "aspect", "state"),
    [
        ([], "seeds", "not measured"),
        ([seeds(0.83)], "seeds", "holds"),
        ([seeds(0.81)], "seeds", "fails"),  # its interval begins at 0.79
        ([seeds(0.95, ci_low=None, ci_high=None)], "seeds", "not testable"),
        ([seeds(0.95, confidence_level=0.5)], "seeds", "not testable"),
        ([seeds(0.9), seeds(0.2)], "seeds", "fails"),
        ([seeds(0.9, of="mac")], "seeds", "not measured"),
        ([seeds(0.9, model="other")], "seeds", "not measured"),
        ([robustness("pll_robustness", 0.9)], "paraphrases", "does not apply"),
        ([robustness("template_compatibility", 0.9)], "templates", "does not apply"),
    ],
)
def test_what_speaks_of_a_score_on_words(others, aspect, state):
    (row,) = trust([score(), *others]).rows
    assert row.evidence.robust[aspect].state == state


@pytest.mark.parametrize(
    ("method", "other", "aspect"),
    [
        ("crows_pairs", "pll_robustness", "paraphrases"),
        ("seat", "template_compatibility", "templates"),
        ("seat", "representation_compatibility", "representation"),
    ],
)
def test_robustness_joins_in_by_its_record(method, other, aspect):
    (row,) = trust([score(method), robustness(other, 0.95)]).rows
    assert str(row.evidence.robust[aspect]) == "holds (0.95)"
    assert row.reliability is R
    (row,) = trust([score(method), robustness(other, 0.1)]).rows
    assert (row.reliability, row.rule) == (F, "not robust")


def test_a_method_that_is_not_known_has_a_row_too():
    (row,) = trust([score("of_my_own")]).rows
    assert row.rule == "no robustness test run"


def test_report_and_command(tmp_path):
    write_report([score(), seeds(0.95)], tmp_path)
    report = (tmp_path / "report.md").read_text(encoding="utf-8")
    assert "## How far to trust each score" in report
    assert "| Significant, and robust to other subsets of the words or items (0.95). |" in report
    write_results([score(), seeds(0.95)], tmp_path)
    for given in (tmp_path, tmp_path / "results.jsonl"):
        done = run_app("trust", given, "--json")
        assert done.exit_code == 0
        (line,) = json.loads(done.stdout)
        assert (line["reliability"], line["rule"], line["seeds_value"]) == ("robust", "robust", 0.95)
    assert "robust" in run_app("trust", tmp_path).stdout
    write_results([seeds(0.95)], tmp_path)
    assert "no score" in run_app("trust", tmp_path).stdout


@pytest.mark.parametrize(
    ("method", "others", "mend"),
    [
        ("weat", [], ("seed_sensitivity with measured_method=weat",)),
        (
            "weat",
            [robustness("seed_sensitivity", 0.95, settings={"measured_method": "weat", "n_subsets": 5})],
            ("seed_sensitivity with measured_method=weat and n_subsets of at least 16",),
        ),
        ("crows_pairs", [], ("seed_sensitivity with measured_method=crows_pairs", "pll_robustness")),
        ("weat", [seeds(0.95)], ()),  # it is robust
        ("weat", [seeds(0.1)], ()),  # it is not, and no other test would change that
        ("of_my_own", [], ()),
    ],
)
def test_what_would_mend_a_score(method, others, mend):
    (row,) = trust([score(method), *others]).rows
    assert row.mend == mend
