"""What a gate is asked, and what it says of bad input: conditions, files, several models, the command of a build."""

from __future__ import annotations

import dataclasses
import shlex
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
import yaml

from evaluate_bias.cli.main import app
from evaluate_bias.errors import InputError, UnknownNameError
from evaluate_bias.experiments.sources import write_results
from evaluate_bias.report.compare.gate import gate
from tests.report.test_compare import BASE, pairs, with_
from tests.support.command_line import run_command
from tests.support.refusals import refusals, refused
from tests.test_all_methods import measured


def run(*words: str) -> int:
    """The exit code of the command."""
    return app(["gate", *words], standalone_mode=False) or 0


@pytest.mark.parametrize(
    ("condition", "passed"),
    [
        ("pll.overall > 60", True),
        ("pll.overall>=50", False),
        ("pll > 40", False),
        ("pll.age < 10", True),
        ("pll.age.ci_low < 40", False),
        ("pll.p_value == 1", False),
        ("pll.overall.mean_delta != 0", True),
        ("pll.n < 1e2", True),
    ],
)
def test_conditions(condition, passed):
    assert gate([pairs(BASE)], fail_if=[condition]).passed is passed


def given_options(options):
    if options.get("against") is True:
        options = {**options, "against": [pairs(BASE)]}
    gate([pairs(BASE)], **options)


test_bad_gates = refusals(
    given_options,
    ({}, InputError, "fail_if", "nothing to check"),
    ({"against": ["base"]}, InputError, None, "`against` must be results, or the path of a folder or file"),
    ({"fail_if": 3}, InputError, "fail_if", "`fail_if` must be a string or a list of strings"),
    ({"against": True, "margins": 2}, InputError, "margins", "`margins` must be a dict or None"),
    ({"against": True}, InputError, "margin", "needs a margin"),
    ({"margin": 2}, InputError, "against", "needs `against`, a base"),
    ({"against": True, "margin": 0}, InputError, "margin", "above 0"),
    ({"against": True, "margin": float("nan")}, InputError, "margin", "`margin` must be"),
    ({"fail_if": "pll => 50"}, InputError, "fail_if", "'pll => 50' cannot be read"),
    ({"against": True, "margins": {"weat": 0.1}}, UnknownNameError, "margins", "unknown method"),
    ({"fail_if": ["weat.overall > 1"]}, UnknownNameError, None, "unknown method among these results 'weat'"),
    ({"fail_if": ["pll.ages > 1"]}, UnknownNameError, "fail_if", "did you mean 'age'"),
    ({"fail_if": ["pll.overall > 1.2.3"]}, InputError, "fail_if", "does not end in a number"),
    ({"fail_if": ["pll.overall.p_holm > 1"]}, InputError, "fail_if", "has no p_holm"),
)


def test_a_condition_that_may_mean_two_things_is_refused():
    base = pairs(BASE)
    (age,) = [row for row in base.rows if row.name == "age"]
    for name, condition in (("n", "pll.n > 3"), ("overall", "pll > 3"), ("overall", "pll.overall.n > 3")):
        clash = dataclasses.replace(base, rows=[*base.rows, dataclasses.replace(age, name=name)])
        refused(InputError, "and a score or field of this name", gate, clash, fail_if=condition)
    named_n = dataclasses.replace(base, rows=[*base.rows, dataclasses.replace(age, name="n")])
    found = gate(named_n, fail_if=["pll.n.score > 30", "pll.overall.n > 30", "pll > 90"])
    assert [c.passed for c in found.checks] == [False, False, True]


def test_what_the_base_has_and_the_build_lacks_is_not_checked():
    model = {"name": "m"}
    both = [with_(r, model=model) for r in (pairs(BASE * 20), measured("weat"))]
    found = gate(both[:1], against=both, margin=2)
    assert found.exit_code == 2
    assert any("weat" in c.reason for c in found.unchecked)
    assert gate(both[:1], against=both, margins={"pll": 2}).passed, (
        "only methods with a margin are asked about"
    )


def test_a_test_or_group_that_the_build_lacks_is_not_checked():
    """It was passed over: a build that drops its worst test passed."""
    base, weat = pairs(BASE * 20), measured("weat")
    fewer = dataclasses.replace(base, rows=[r for r in base.rows if r.name != "age"])
    assert gate(fewer, against=base, margin=2).passed
    found = gate(fewer, against=base, margin=20, groups=True)
    assert [c.name for c in found.unchecked] == ["Pseudo-log-likelihood preference (PLL), age"]
    row = weat.rows_of("test")[0] if weat.rows_of("test") else weat.overall
    two = [dataclasses.replace(row, kind="test", name=name) for name in "ab"]
    both, one = (dataclasses.replace(weat, rows=rows) for rows in (two, two[:1]))
    lacking = gate(one, against=both, margins={"weat": 0.1})
    assert (lacking.exit_code, [c.passed for c in lacking.checks]) == (2, [True, None])


def test_whatever_goes_wrong_is_no_verdict(tmp_path, monkeypatch):
    """Exit code 1 would say that the build is worse."""

    def broken(*_, **__):
        raise RuntimeError("a mistake of ours")

    monkeypatch.setattr("evaluate_bias.report.compare.comparing._compare_pair", broken)
    write_results([pairs(BASE)], tmp_path / "base.jsonl")
    assert (
        run(*[str(tmp_path / "base.jsonl"), "--against", str(tmp_path / "base.jsonl"), "--margin", "2"]) == 2
    )


def test_the_command(tmp_path, capsys):
    base, new, bare = (tmp_path / f"{name}.jsonl" for name in ("base", "new", "bare"))
    write_results([pairs(BASE * 20)], base)
    write_results([pairs(([True] * 65 + [False] * 35) * 20)], new)
    write_results([dataclasses.replace(pairs(BASE * 20), rows=())], bare)
    files = ["--junit", str(tmp_path / "j.xml"), "--summary", str(tmp_path / "s.md")]
    for results, code, counts in ((base, 0, ("0", "0")), (new, 1, ("1", "0")), (bare, 2, ("0", "1"))):
        assert run(str(results), "--against", str(base), "--margin", "2", *files) == code
        suite = ET.parse(tmp_path / "j.xml").getroot()
        assert (suite.get("failures"), suite.get("errors")) == counts
        outcome = ("passed", "failed", "not checked")[code]
        assert f"**Bias gate: {outcome} (" in (tmp_path / "s.md").read_text(encoding="utf-8")
        assert outcome in capsys.readouterr().out.lower()
    assert run(str(base), "--fail-if", "pll.overall > 60") == 0
    for wrong in (
        [str(new), "--against", str(base), "--margin", "two"],
        [str(new), "--against", str(base), "--margin", "nan"],
        [str(new), "--fail-if", "weat.overall > 1"],
        [str(tmp_path / "missing.jsonl"), "--fail-if", "pll > 1"],
    ):
        capsys.readouterr()
        assert run(*wrong) == 2
        assert capsys.readouterr().err.startswith("error: ")


@pytest.mark.parametrize("planted", [False, True])
def test_the_example_of_a_build_fails_with_a_regression_and_passes_without(planted, tmp_path, monkeypatch):
    """The gate's line of docs/examples/bias-gate.yml, run as it stands there."""
    text = (Path(__file__).parents[2] / "docs/examples/bias-gate.yml").read_text(encoding="utf-8")
    steps = yaml.safe_load(text)["jobs"]["gate"]["steps"]
    (line,) = [step["run"] for step in steps if step.get("name") == "gate"]
    base = dataclasses.replace(pairs(BASE * 20), method="crows_pairs")
    new = (
        dataclasses.replace(pairs(([True] * 58 + [False] * 42) * 20), method="crows_pairs")
        if planted
        else base
    )
    for folder, result in (("bias/base.jsonl", base), ("out/results.jsonl", new)):
        (tmp_path / folder).parent.mkdir()
        write_results([result], tmp_path / folder)
    monkeypatch.chdir(tmp_path)
    program, *words = shlex.split(line.replace("$GITHUB_STEP_SUMMARY", "summary.md"))
    assert program == "evaluate-bias"
    assert run_command(*words).code == int(planted)
    summary = (tmp_path / "summary.md").read_text(encoding="utf-8")
    assert f"Bias gate: {'failed' if planted else 'passed'}" in summary


def test_a_gate_checks_one_of_several_models():
    """Its error pointed to an option that it had not."""
    base = [with_(pairs(BASE), model={"name": name}) for name in "ab"]
    worse = with_(pairs([True] * 80 + [False] * 20), model={"name": "b"})
    refused(InputError, r"of several models \(a, b\); choose one with", gate, base, against=base, margin=2)
    refused(InputError, "may mean 2 results .*; choose one with", gate, base, fail_if="pll.overall > 60")
    assert gate(base, fail_if="pll.overall > 60", model="a").passed
    for model, against in (("b", base), ("b", base[:1]), (None, base[:1])):  # a base of one model is that one
        found = gate([worse] if model is None else [base[0], worse], against=against, margin=2, model=model)
        assert [check.passed for check in found.checks] == [False]
    assert gate([base[0], worse], against=base, margin=50, model="a").passed
    refused(UnknownNameError, "unknown model among these", gate, base, against=base, margin=2, model="c")
    with pytest.raises(UnknownNameError, match="unknown model among these results 'c'; choose from a, b"):
        gate([with_(worse, model={"name": "c"})], against=base, margin=2, model="c")
