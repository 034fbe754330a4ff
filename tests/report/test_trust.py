"""The verdict on a score: a table of situations, what a robustness result speaks of, and where the table is shown."""

from __future__ import annotations

import dataclasses
import json
import shlex
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

import evaluate_bias as eb
from evaluate_bias.cli.main import app
from evaluate_bias.errors import UndefinedScoreError
from evaluate_bias.experiments.results_file import write_results
from evaluate_bias.experiments.sources import read_results
from evaluate_bias.method_record import Aspect
from evaluate_bias.registry import METHODS
from evaluate_bias.report.missing_robustness import robustness_commands
from evaluate_bias.report.trust import trust
from evaluate_bias.report.trust_rules import (
    ASPECTS,
    BOUNDS,
    FEWEST,
    RULES,
    Evidence,
    Robust,
    TrustVerdict,
    judge,
    robust_state,
)
from evaluate_bias.report.verdict import Verdict as V
from evaluate_bias.report.write import write_report
from evaluate_bias.result import Result
from evaluate_bias.stats import cohen_kappa, wilson_interval

S, F, N = TrustVerdict.SOLID, TrustVerdict.FRAGILE, TrustVerdict.NOT_MEASURABLE
HOLDS, FAILS, OPEN = Robust("holds", 0.9), Robust("fails", 0.1), Robust("open", 0.9)
SEEDS = {"seeds": HOLDS}

SITUATIONS: list[tuple[dict[str, Any], TrustVerdict, str]] = [
    # What the data cannot tell, and half an answer, whatever else holds
    *(
        ({"significance": significance, **more}, verdict, rule)
        for significance, verdict, rule in (
            (V.ILLUSTRATIVE, N, "illustrative data"),
            (V.CONTROL, N, "control"),
            (V.TOO_FEW, N, "too few items"),
            (V.NO_INFERENCE, N, "no inference"),
            (V.AT_EDGE, N, "at the edge"),
            (V.UNDECIDED, F, "undecided"),
            (V.ONLY_BEFORE, F, "only before adjusting"),
            (V.INTERVAL_EXCLUDES, F, "interval alone"),
        )
        for more in ({}, {"near": True, "width": 0.1, "robust": SEEDS})
    ),
    ({"significance": V.ILLUSTRATIVE, "coverage": 0.1}, N, "illustrative data"),
    ({"significance": V.FOUND, "coverage": 0.49, "robust": SEEDS}, N, "low coverage"),
    ({"significance": V.NOT_FOUND, "coverage": 0.1, "near": True}, N, "low coverage"),
    # Found
    ({"significance": V.FOUND}, F, "robustness not measured"),
    ({"significance": V.FOUND, "coverage": 0.5, "robust": SEEDS}, S, "answered"),
    ({"significance": V.FOUND, "width": 0.1}, F, "robustness not measured"),
    ({"significance": V.FOUND, "width": 0.1, "robust": SEEDS}, S, "answered"),
    ({"significance": V.FOUND, "width": None, "robust": SEEDS}, S, "answered"),
    ({"significance": V.FOUND, "width": 0.5, "robust": SEEDS}, S, "answered"),
    ({"significance": V.FOUND, "width": 0.51, "robust": SEEDS}, F, "wide interval"),
    ({"significance": V.FOUND_IN_PART, "robust": SEEDS}, S, "answered"),
    ({"significance": V.FOUND_IN_PART}, F, "robustness not measured"),
    *(({"significance": V.FOUND, "robust": {a: FAILS}}, F, "not robust") for a in ASPECTS),
    *(({"significance": V.FOUND, "robust": {a: HOLDS}}, S, "answered") for a in ASPECTS if a != "agreement"),
    ({"significance": V.FOUND, "robust": {"agreement": HOLDS}}, F, "robustness not measured"),
    ({"significance": V.FOUND, "robust": {"seeds": OPEN}}, F, "robustness not measured"),
    ({"significance": V.FOUND, "robust": {"seeds": Robust("not measured")}}, F, "robustness not measured"),
    ({"significance": V.FOUND, "robust": {"seeds": Robust("does not apply")}}, F, "robustness not measured"),
    ({"significance": V.FOUND, "robust": {"seeds": HOLDS, "templates": FAILS}}, F, "not robust"),
    ({"significance": V.FOUND, "robust": {"seeds": HOLDS, "agreement": FAILS}}, F, "not robust"),
    ({"significance": V.FOUND, "robust": {"seeds": HOLDS, "agreement": OPEN}}, S, "answered"),
    ({"significance": V.FOUND, "width": 0.9, "robust": {"seeds": FAILS}}, F, "not robust"),
    # Nothing found
    ({"significance": V.NOT_FOUND}, N, "wide around the ideal"),
    ({"significance": V.NOT_FOUND, "robust": SEEDS}, N, "wide around the ideal"),
    ({"significance": V.NOT_FOUND, "robust": {"seeds": FAILS}}, N, "wide around the ideal"),
    ({"significance": V.NOT_FOUND, "near": True}, F, "robustness not measured"),
    ({"significance": V.NOT_FOUND, "near": True, "robust": SEEDS}, S, "answered"),
    ({"significance": V.NOT_FOUND, "near": True, "robust": {"paraphrases": FAILS}}, F, "not robust"),
    ({"significance": V.INTERVAL_INCLUDES}, N, "wide around the ideal"),
    ({"significance": V.INTERVAL_INCLUDES, "near": True}, F, "robustness not measured"),
    ({"significance": V.INTERVAL_INCLUDES, "near": True, "robust": SEEDS}, S, "answered"),
]


@pytest.mark.parametrize(("evidence", "verdict", "rule"), SITUATIONS)
def test_situations(evidence: dict[str, Any], verdict: TrustVerdict, rule: str) -> None:
    found, reason, by = judge(Evidence(**evidence))
    assert (found, by) == (verdict, rule)
    assert reason.endswith(".")
    assert len(reason) < 250
    assert "{" not in reason


def test_every_rule_decides_a_situation() -> None:
    assert {rule for *_, rule in SITUATIONS} == {r.name for r in RULES}
    assert set(BOUNDS) == set(ASPECTS)


def test_rules_stand_in_the_documentation_in_their_order() -> None:
    text = (Path(__file__).parents[2] / "docs" / "trust.md").read_text(encoding="utf-8")
    places = [text.index(f"| {rule.name} |") for rule in RULES]
    assert places == sorted(places)
    for rule in RULES:
        line = next(t for t in text.splitlines() if f"| {rule.name} |" in t)
        assert f"`{rule.verdict.value}`" in line
    for aspect, bound in BOUNDS.items():
        assert f"| {aspect} |" in text
        assert f" {bound:g} " in next(t for t in text.splitlines() if t.startswith(f"| {aspect} |"))


def test_the_fewest_units_are_those_that_can_show_it_if_all_agree() -> None:
    def parts(n: int) -> float:
        return wilson_interval(n, n).low

    def pairs(n: int) -> float:
        return max(cohen_kappa(k, 0, 0, n - k).low for k in range(1, n))

    for aspect, low in (("seeds", parts), ("paraphrases", pairs)):
        n = FEWEST[aspect]
        assert low(n - 1) < BOUNDS[aspect] <= low(n)
        assert robust_state(aspect, 1.0, low(n - 1), 1.0, n - 1) == "open"
        assert robust_state(aspect, 1.0, low(n), 1.0, n) == "holds"


@pytest.mark.parametrize("n", [5, 8, 30])
def test_unrelated_paraphrases_are_solid_in_at_most_one_draw_of_a_hundred(n: int) -> None:
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
        found[row.verdict.value] += 1
    assert found["solid"] <= 3, found
    assert found["fragile"] > 150


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
        ([seeds(0.95, ci_low=None, ci_high=None)], "seeds", "open"),
        ([seeds(0.95, confidence_level=0.5)], "seeds", "open"),
        ([seeds(0.9), seeds(0.2)], "seeds", "fails"),
        ([seeds(0.9, of="mac")], "seeds", "not measured"),
        ([seeds(0.9, model="other")], "seeds", "not measured"),
        ([robustness("pll_robustness", 0.9)], "paraphrases", "does not apply"),
        ([robustness("template_compatibility", 0.9)], "templates", "does not apply"),
    ],
)
def test_what_speaks_of_a_score_on_words(others: list[Result], aspect: str, state: str) -> None:
    (row,) = trust([score(), *others]).rows
    assert getattr(row, aspect).state == state


@pytest.mark.parametrize(
    ("method", "other", "aspect"),
    [
        ("crows_pairs", "pll_robustness", "paraphrases"),
        ("seat", "template_compatibility", "templates"),
        ("seat", "representation_compatibility", "representation"),
    ],
)
def test_robustness_joins_in_by_its_record(method: str, other: str, aspect: str) -> None:
    (row,) = trust([score(method), robustness(other, 0.95)]).rows
    assert str(getattr(row, aspect)) == "holds (0.95)"
    assert row.verdict is S
    (row,) = trust([score(method), robustness(other, 0.1)]).rows
    assert (row.verdict, row.rule) == (F, "not robust")


def test_a_method_that_is_not_known_has_a_row_too() -> None:
    (row,) = trust([score("of_my_own")]).rows
    assert row.rule == "robustness not measured"


def test_report_and_command(tmp_path: Path) -> None:
    write_report([score(), seeds(0.95)], tmp_path)
    report = (tmp_path / "report.md").read_text(encoding="utf-8")
    assert "## How far to trust each score" in report
    assert "| solid | Found, and it holds with other parts of the words or items (0.95). |" in report
    write_results([score(), seeds(0.95)], tmp_path)
    for given in (tmp_path, tmp_path / "results.jsonl"):
        done = CliRunner().invoke(app, ["trust", str(given), "--json"])
        assert done.exit_code == 0
        (line,) = json.loads(done.stdout)
        assert (line["verdict"], line["rule"], line["seeds_value"]) == ("solid", "answered", 0.95)
    assert "solid" in CliRunner().invoke(app, ["trust", str(tmp_path)]).stdout
    write_results([score("crows_pairs"), score("of_my_own")], tmp_path)
    shown = CliRunner().invoke(app, ["trust", str(tmp_path)]).stdout
    model = score().provenance["model"]["name"]
    # The command gives word lists to seed_sensitivity, so there is none for pairs.
    assert f"evaluate-bias run -m {model} --method pll_robustness" in " ".join(shown.split())
    assert shown.count("evaluate-bias run") == 1
    write_results([seeds(0.95)], tmp_path)
    assert "no score" in CliRunner().invoke(app, ["trust", str(tmp_path)]).stdout


def test_the_printed_command_measures_the_same_thing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    draws = np.random.default_rng(0)
    lists = {key: [f"{key}{i}" for i in range(6)] for key in ("x", "y", "a", "b")}
    words = [word.capitalize() for own in lists.values() for word in own]
    lines = [" ".join([word.lower(), *map(str, draws.normal(size=8).round(3))]) for word in words]
    Path("vectors.txt").write_text("\n".join(lines) + "\n")
    fields = zip(("targets_x", "targets_y", "attributes_a", "attributes_b"), lists.values(), strict=True)
    own = {name: [word.capitalize() for word in some] for name, some in fields}
    tests = [{"name": name, "language": "nl", **own} for name in ("first", "second")]
    Path("lists.jsonl").write_text("".join(json.dumps(test) + "\n" for test in tests))

    def run(line: str) -> str:
        shown = CliRunner().invoke(app, shlex.split(line))
        assert shown.exit_code == 0, shown.output + repr(shown.exception)
        return shown.stdout

    run(
        "run -m vectors.txt --model-option case=lower --method weat --source lists.jsonl -l nl -t second -O ddof=0 "
        "--seed 3 -o out"
    )
    (line,) = (text for text in run("trust out").splitlines() if "evaluate-bias run" in text)
    run(line.strip().removeprefix("evaluate-bias ") + " -o out --append -O n_subsets=20")
    weat, seeds = read_results("out")
    assert seeds.method == "seed_sensitivity"
    assert seeds.provenance["dataset"] == weat.provenance["dataset"]
    assert seeds.provenance["model"] == weat.provenance["model"]
    assert seeds.settings["measured_options"]["ddof"] == 0
    assert seeds.settings["seed"] == 3
    (row,) = seeds.rows_of("test")
    assert row.estimates["measured_score"].value == pytest.approx(weat.score)
    (judged,) = trust([weat, seeds]).rows
    assert judged.seeds.state != "not measured"
    assert judged.commands == ()


@pytest.mark.parametrize(
    ("method", "dataset", "aspect", "flags"),
    [
        ("weat", {"source": "weat_word_lists", "language": "de"}, "seeds", "-l de -O measured_method=weat"),
        ("rnsb", {"source": "sentiment_words"}, "seeds", "--source sentiment_words -O measured_method=rnsb"),
        ("weat", {"source": "given by the caller"}, "seeds", None),
        ("bbq", {"source": "bbq"}, "seeds", None),
        ("crows_pairs", {"source": "minimal_pairs", "language": "en"}, "paraphrases", ""),
        ("crows_pairs", {"source": "crows_pairs"}, "paraphrases", None),  # it has no paraphrases
        ("seat", {"source": "weat_word_lists"}, "templates", ""),
    ],
)
def test_commands_by_the_data_of_a_score(
    method: str, dataset: dict[str, str], aspect: Aspect, flags: str | None
) -> None:
    provenance = {"model": {"name": "m"}, "dataset": dataset}
    commands = robustness_commands(dataclasses.replace(score(method), provenance=provenance), [aspect])
    record = next(r for r in METHODS.values() if r.robustness and r.robustness.aspect == aspect)
    expected = [f"evaluate-bias run -m m --method {record.name} {flags}".strip()] if flags is not None else []
    assert commands == expected


def test_a_command_loads_a_model_in_the_precision_it_was_measured_in() -> None:
    for dtype, words in (("float32", ""), ("bfloat16", " --model-option dtype=bfloat16")):
        facts = {"model": {"name": "m", "dtype": dtype}, "dataset": {"source": "weat_word_lists"}}
        (command,) = robustness_commands(dataclasses.replace(score("seat"), provenance=facts), ["templates"])
        assert command.startswith(f"evaluate-bias run -m m{words} --method ")
