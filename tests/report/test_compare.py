"""Comparing results, and gates: by hand, over data that fit badly, and on a model that was trained further."""

from __future__ import annotations

import copy
import dataclasses
import importlib
import io
import json
import os
import re
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml

import evaluate_bias as eb
from evaluate_bias.cli import app
from evaluate_bias.errors import DataError, InputError, OutputError, UnknownNameError
from evaluate_bias.experiments.store import STORE_FILE, Store
from evaluate_bias.registry import METHODS
from evaluate_bias.report.compare import compare, difference_plot, gate
from evaluate_bias.report.results_io import write_results
from evaluate_bias.result import Result
from tests.test_all_methods import measured


def pairs(preferred: list[bool], kind: str = "age") -> Result:
    rows = [
        {
            "sent_more": -9.0 + (1.0 if p else -1.0),
            "sent_less": -9.0,
            "bias_type": kind if k % 2 else "gender",
        }
        for k, p in enumerate(preferred)
    ]
    return eb.measure("pll", None, data=rows)


def with_(result: Result, **facts: Any) -> Result:
    return dataclasses.replace(result, provenance={**result.provenance, **facts})


BASE = [True] * 50 + [False] * 50


def test_every_method_has_units_or_says_why_not() -> None:
    for name, record in METHODS.items():
        assert (record.units is None) == bool(record.no_units), name
        own = Path(str(importlib.import_module(record.package).__file__)).with_name("units.py")
        assert own.exists() == (record.units is not None and record.units.score == "own"), name


def test_the_units_of_every_method_give_its_score_back() -> None:
    """What the records say of units gives the score back, so that a comparison is about the score."""
    for name, record in METHODS.items():
        if record.units is None:
            continue
        result = measured(name)
        found = compare(result, result)
        checked = [c for c in found.changes if c.n is not None]
        assert checked, name
        rows = {r.name: r for r in (result.overall, *result.rows)}
        for change in checked:
            row = rows[change.name.removesuffix(" (disambiguated)")]
            assert change.first == pytest.approx(row.score, rel=1e-9, abs=1e-12), name
            assert (change.difference, change.p_value) == (0.0, 1.0), name


def test_identical_results_do_not_change() -> None:
    found = compare(pairs(BASE), pairs(BASE))
    assert found.changed == ()
    assert "no change in" in found.summary
    assert found.same_weights is None


def test_a_change_is_found_and_its_direction_said() -> None:
    worse = compare(pairs(BASE), pairs([True] * 75 + [False] * 25))
    change = worse.changes[0]
    assert (change.name, change.first, change.second, change.n) == ("overall", 50.0, 75.0, 100)
    assert change.p_value == pytest.approx(2 / 2**25)
    assert change.found
    assert change.nearer == -25
    assert "further from the ideal value 50.00" in change.sentence
    assert "−1.500 to −0.500, a change" in dataclasses.replace(change, first=-1.5, second=-0.5).sentence
    better = compare(pairs([True] * 75 + [False] * 25), pairs(BASE))
    assert better.changes[0].difference == -change.difference
    assert "nearer to the ideal" in better.changes[0].sentence
    assert better.changes[0].also["value"] == pytest.approx(-0.5)


def test_groups_are_adjusted_together() -> None:
    found = compare(pairs(BASE), pairs([True] * 75 + [False] * 25))
    groups = [c for c in found.changes if c.kind == "group"]
    assert {c.name for c in groups} == {"age", "gender"}
    for c in groups:
        assert c.n == 50
        assert c.p_holm is not None
        assert c.p_value is not None
        assert c.p_holm >= c.p_value
    assert min(c.p_holm for c in groups if c.p_holm) == pytest.approx(
        2 * min(c.p_value for c in groups if c.p_value)
    )


def test_what_stands_in_one_only_is_left_out_and_counted() -> None:
    found = compare(pairs(BASE), pairs(BASE[:60]))
    assert found.changes[0].n == 60
    assert any("60 pairs are in both; 40 stand in the first only" in w for w in found.warnings)
    assert found.changes[0].first == found.changes[0].second == pytest.approx(100 * 50 / 60)


def test_settings_versions_and_data_that_differ_are_said() -> None:
    one = pairs(BASE)
    two = dataclasses.replace(one, settings={**one.settings, "lower": True, "seed": 7})
    two = with_(two, versions={"evaluate-bias": "0.0.1"}, dataset={"source": "x", "sha256": "b" * 64})
    one = with_(one, dataset={"source": "x", "sha256": "a" * 64})
    warnings = " ".join(compare(one, two).warnings)
    assert "lower is" in warnings
    assert "seed" not in warnings
    assert "0.0.1" in warnings
    assert "the data differ" in warnings


def test_the_same_weights_are_recognised() -> None:
    one = with_(pairs(BASE), model={"name": "a", "weights_sha256": {"model.safetensors": "ab"}})
    two = with_(pairs(BASE), model={"name": "b", "weights_sha256": {"other.safetensors": "ab"}})
    three = with_(pairs(BASE), model={"name": "c", "weights_sha256": {"model.safetensors": "cd"}})
    assert compare(one, two).same_weights is True
    assert "a and b (the same weights)" in compare(one, two).summary
    assert compare(one, three).same_weights is False


def test_words_are_compared_on_those_that_both_models_have() -> None:
    rng = np.random.default_rng(0)
    words = [f"w{k}" for k in range(12)]
    test = {
        "name": "toy",
        "targets_x": words[:6],
        "targets_y": words[6:],
        "attributes_a": ["good"],
        "attributes_b": ["bad"],
    }
    poles = {"good": [1.0, 0.0, 0.0], "bad": [0.0, 1.0, 0.0]}
    biased = {w: [1.0 if k < 6 else 0.0, 0.5, float(rng.random())] for k, w in enumerate(words)}
    mixed = {w: [float(k % 2), 0.5, float(rng.random())] for k, w in enumerate(words)}
    del mixed["w3"]
    found = compare(
        poles | biased, poles | mixed, methods="weat", data=[test], max_missing=0.5, n_resamples=99
    )
    (change,) = found.changes
    assert change.n == 11
    assert change.found
    assert change.nearer > 0
    shared = eb.measure(
        "weat", poles | {w: v for w, v in biased.items() if w != "w3"}, data=[test], max_missing=0.5
    )
    assert change.first == pytest.approx(shared.rows[0].score)


def test_scores_without_units_have_a_difference_and_no_test() -> None:
    result = measured("metric_compatibility")
    found = compare(result, result)
    assert found.changes[0].p_value is None
    assert "there is no test. Its units are models" in found.changes[0].sentence
    assert "no change could be tested" in found.summary


def test_tables_json_and_pictures(tmp_path: Path) -> None:
    found = compare(pairs(BASE), pairs([True] * 75 + [False] * 25))
    again = json.loads(found.to_json())
    assert again["changes"][0]["found"] is True
    assert found.to_frame()["name"].tolist() == [c.name for c in found.changes]
    assert set(found.to_frame()["name"]) == {"overall", "age", "gender"}
    text = found.to_markdown()
    assert text.count("\n| ") == 4
    assert "further from it" in text
    svg, png = difference_plot(found, tmp_path / "difference")
    ET.parse(svg)
    assert png.stat().st_size > 5000
    assert str(found).startswith(found.summary)


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (
            lambda: compare({"a": [1.0]}, {"a": [1.0]}),
            InputError,
            "neither a dict nor a dict holds results; if they are models, say with methods=",
        ),
        (lambda: compare(pairs(BASE), {"a": [1.0]}), InputError, "two of a kind"),
        (lambda: compare(pairs(BASE), pairs(BASE), methods="pll"), InputError, "belong to models"),
        (lambda: compare(pairs(BASE), measured("weat")), InputError, "no method and data set in common"),
        (
            lambda: compare(measured("weat"), dataclasses.replace(measured("weat"), provenance={})),
            InputError,
            "in common: weat (given by the caller) on one side, weat (data without a name) on the other",
        ),
        (lambda: compare(pairs(BASE), pairs(BASE), level=1.5), InputError, "between 0 and 1"),
        (lambda: compare(pairs(BASE), pairs(BASE), level="0.9"), InputError, "between 0 and 1"),
        (lambda: compare(Path("nothing"), pairs(BASE)), InputError, "'nothing', holds none"),
        (lambda: compare([], pairs(BASE)), InputError, "two of a kind"),
        (
            lambda: compare(pairs(BASE), pairs(BASE), models=("nobody", None)),
            UnknownNameError,
            "unknown model with results 'nobody'",
        ),
        (
            lambda: compare([with_(pairs(BASE), model={"name": n}) for n in "ab"], pairs(BASE)),
            InputError,
            "results of several models",
        ),
        (lambda: compare("missing.jsonl", "missing.jsonl"), DataError, "no results at"),
    ],
)
def test_bad_input(call: Any, error: type[Exception], text: str) -> None:
    with pytest.raises(error) as caught:
        call()
    assert text in str(caught.value)


def test_one_pair_only_is_no_evidence() -> None:
    found = compare(pairs([True]), pairs([True]))
    assert not found.changes[0].found
    assert found.changes[0].p_value == 1.0


# --- the gate ---------------------------------------------------------------------------------------------------


def test_a_gate_passes_without_a_regression_and_fails_with_one() -> None:
    base = pairs(BASE * 20)
    assert gate([base], against=[base], margin=2).passed
    worse = gate([pairs(([True] * 65 + [False] * 35) * 20)], against=[base], margin=2)
    assert not worse.passed
    assert worse.failures[0].reason.endswith(": worse")
    better = gate([base], against=[pairs(([True] * 65 + [False] * 35) * 20)], margin=2)
    assert better.passed


def test_too_few_data_to_rule_out_the_margin_fail() -> None:
    few = gate([pairs(BASE[40:60])], against=[pairs(BASE[40:60])], margin=2)
    assert not few.passed
    assert "too few to rule out the margin" in few.failures[0].reason


def test_crossing_the_ideal_value_counts_by_distance() -> None:
    low, high = pairs(([True] * 40 + [False] * 60) * 20), pairs(([True] * 60 + [False] * 40) * 20)
    assert gate([high], against=[low], margin=4).passed


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
def test_conditions(condition: str, passed: bool) -> None:
    assert gate([pairs(BASE)], fail_if=[condition]).passed is passed


@pytest.mark.parametrize(
    ("options", "error", "text"),
    [
        ({}, InputError, "nothing to check"),
        ({"against": True}, InputError, "needs a margin"),
        ({"margin": 2}, InputError, "needs a base"),
        ({"against": True, "margin": 0}, InputError, "above 0"),
        ({"against": True, "margin": -1}, InputError, "above 0"),
        ({"against": True, "margin": float("nan")}, InputError, "above 0"),
        ({"against": True, "margin": True}, InputError, "above 0"),
        ({"fail_if": ["pll > 1e999"]}, InputError, "does not end in a number"),
        ({"fail_if": "pll => 50"}, InputError, "'pll => 50' cannot be read"),
        ({"against": True, "margins": {"weat": 0.1}}, UnknownNameError, "unknown method"),
        ({"fail_if": ["weat.overall > 1"]}, UnknownNameError, "unknown method with a result 'weat'"),
        ({"fail_if": ["pll.ages > 1"]}, UnknownNameError, "did you mean 'age'"),
        ({"fail_if": ["pll.overall.scor > 1"]}, UnknownNameError, "'overall.scor'"),
        ({"fail_if": ["pll.overall"]}, InputError, "cannot be read"),
        ({"fail_if": ["pll.overall > 1.2.3"]}, InputError, "does not end in a number"),
        ({"fail_if": ["pll.overall.p_holm > 1"]}, InputError, "has no p_holm"),
    ],
)
def test_bad_gates(options: dict[str, Any], error: type[Exception], text: str) -> None:
    if options.get("against"):
        options = {**options, "against": [pairs(BASE)]}
    with pytest.raises(error) as caught:
        gate([pairs(BASE)], **options)
    assert text in str(caught.value)


def test_what_the_base_has_and_the_build_lacks_fails() -> None:
    model = {"name": "m"}
    both = [with_(r, model=model) for r in (pairs(BASE * 20), measured("weat"))]
    found = gate(both[:1], against=both, margin=2)
    assert any("weat" in c.reason for c in found.failures)


def test_the_commands(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    base, new = tmp_path / "base.jsonl", tmp_path / "new.jsonl"
    write_results([pairs(BASE * 20)], base)
    write_results([pairs(([True] * 65 + [False] * 35) * 20)], new)

    def run(*words: str) -> int:
        try:
            app(list(words), standalone_mode=False)
        except SystemExit as stop:
            return int(stop.code or 0)
        return 0

    app(["compare", str(base), str(new), "--out", str(tmp_path / "out")], standalone_mode=False)
    assert "further from the ideal" in capsys.readouterr().out
    assert {p.name for p in (tmp_path / "out").iterdir()} == {
        f"comparison.{e}" for e in ("md", "json", "svg", "png")
    }
    with pytest.raises(OutputError, match="cannot be written"):
        app(["compare", str(base), str(new), "--out", str(base)], standalone_mode=False)
    app(["compare", str(base), str(new), "--json"], standalone_mode=False)
    assert json.loads(capsys.readouterr().out)["changes"][0]["difference"] == 15.0
    files = ["--junit", str(tmp_path / "j.xml"), "--summary", str(tmp_path / "s.md")]
    assert app(
        ["gate", str(base), "--against", str(base), "--margin", "2", *files], standalone_mode=False
    ) in (0, None)
    assert ET.parse(tmp_path / "j.xml").getroot().get("failures") == "0"
    assert (
        app(["gate", str(new), "--against", str(base), "--margin", "2", *files], standalone_mode=False) == 1
    )
    assert ET.parse(tmp_path / "j.xml").getroot().get("failures") == "1"
    assert "**Bias gate: failed**" in (tmp_path / "s.md").read_text(encoding="utf-8")
    assert app(["gate", str(base), "--fail-if", "pll.overall > 60"], standalone_mode=False) in (0, None)
    for wrong in (
        [str(new), "--against", str(base), "--margin", "two"],
        [str(new), "--against", str(base), "--margin", "nan"],
        [str(new), "--fail-if", "weat.overall > 1"],
        [str(tmp_path / "missing.jsonl"), "--fail-if", "pll > 1"],
    ):
        capsys.readouterr()
        assert app(["gate", *wrong], standalone_mode=False) == 2
        assert capsys.readouterr().err.startswith("error: ")


def test_junit_holds_any_name() -> None:
    result = pairs(BASE)
    result = dataclasses.replace(
        result, rows=[dataclasses.replace(r, name='a\x00<&"') for r in result.rows[:1]]
    )
    found = gate([result], fail_if=["pll.overall > 60"])
    ET.fromstring(found.to_junit())
    check = dataclasses.replace(found.checks[0], name='a\x00<&"', passed=False, reason="\x1b[2J")
    ET.fromstring(dataclasses.replace(found, checks=(check,)).to_junit())


# --- a model that was trained further ---------------------------------------------------------------------------


@pytest.mark.slow
def test_a_model_trained_on_swapped_sentences_changes_and_a_copy_does_not() -> None:
    import torch

    from evaluate_bias.models.load import load_model

    before = load_model("demo-mlm-en", progress=False)
    after = load_model("demo-mlm-en", progress=False)
    model, tokenizer = copy.deepcopy(after.model), after.tokenizer
    women, men = (
        ("engineer", "mechanic", "carpenter", "plumber"),
        ("nurse", "librarian", "secretary", "teacher"),
    )
    swapped = [f"{who} is a {job}." for who, jobs in (("she", women), ("he", men)) for job in jobs]
    batch = tokenizer(swapped, return_tensors="pt", padding=True)
    labels = torch.full_like(batch["input_ids"], -100)
    labels[:, 1] = batch["input_ids"][:, 1]
    batch["input_ids"][:, 1] = tokenizer.mask_token_id
    optimiser = torch.optim.AdamW(model.parameters(), lr=2e-4)
    torch.manual_seed(0)
    model.train()
    for _ in range(20):
        optimiser.zero_grad()
        model(**batch, labels=labels).loss.backward()
        optimiser.step()
    model.eval()
    found = compare(before, (model, tokenizer), methods="mlm_gender_score")
    change = found.changes[0]
    assert change.n == 60
    assert change.found
    assert abs(change.difference) > 0.02
    same = compare(before, after, methods="mlm_gender_score")
    assert same.same_weights is True
    assert same.changed == ()
    assert same.changes[0].difference == 0


@pytest.mark.parametrize("planted", [False, True])
def test_the_example_of_a_build_fails_with_a_regression_and_passes_without(
    planted: bool, tmp_path: Path
) -> None:
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
    done = subprocess.run(
        ["/bin/sh", "-ec", line.replace("evaluate-bias", f"{sys.executable} -m evaluate_bias", 1)],
        cwd=tmp_path,
        env={**os.environ, "GITHUB_STEP_SUMMARY": "summary.md"},
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == int(planted), done.stderr
    assert f"Bias gate: {'failed' if planted else 'passed'}" in (tmp_path / "summary.md").read_text(
        encoding="utf-8"
    )


def test_a_gate_checks_one_of_several_models() -> None:
    """Its error pointed to an option that it had not."""
    base = [with_(pairs(BASE), model={"name": name}) for name in "ab"]
    worse = with_(pairs([True] * 80 + [False] * 20), model={"name": "b"})
    with pytest.raises(InputError, match=r"of several models \(a, b\): choose one with model=…"):
        gate(base, against=base, margin=2)
    with pytest.raises(InputError, match="may mean 2 results .*: choose one with model=…"):
        gate(base, fail_if="pll.overall > 60")
    assert gate(base, fail_if="pll.overall > 60", model="a").passed
    for model, against in (("b", base), ("b", base[:1]), (None, base[:1])):  # a base of one model is that one
        found = gate([worse] if model is None else [base[0], worse], against=against, margin=2, model=model)
        assert [check.passed for check in found.checks] == [False]
    assert gate([base[0], worse], against=base, margin=50, model="a").passed
    with pytest.raises(UnknownNameError, match="unknown model with results 'c'"):
        gate(base, against=base, margin=2, model="c")
    with pytest.raises(UnknownNameError, match="unknown model with results 'c'"):
        gate([with_(worse, model={"name": "c"})], against=base, margin=2, model="c")


def test_the_store_of_a_grid_is_no_model(tmp_path: Path) -> None:
    """It was taken for one, and methods to measure it with were asked for."""
    with Store(tmp_path):
        pass
    for given in (tmp_path, tmp_path / STORE_FILE):
        with pytest.raises(
            DataError, match=r"write them with 'evaluate-bias results \S+ --export \S+jsonl'$"
        ):
            compare(given, given)


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


# --- files of ready scores --------------------------------------------------------------------------------------


def test_files_of_scores_are_compared_with_progress_on_a_terminal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def file(name: str, preferred: int) -> Path:
        rows = [f"p{k},{-8.5 - (k >= preferred)},-9" for k in range(40)]
        (tmp_path / name).write_text("\n".join(["id,sent_more,sent_less", *rows]), encoding="utf-8")
        return tmp_path / name

    monkeypatch.setattr(sys, "stderr", terminal := Terminal())
    found = compare(file("before.csv", 20), file("after.csv", 35), methods="pll")
    assert re.search(r"measuring: +0%\|.* 0/2 \[", terminal.getvalue())
    assert (found.changes[0].first, found.changes[0].second, found.changes[0].n) == (50.0, 87.5, 40)
    assert found.changes[0].found
    assert found.summary.startswith("before.csv and after.csv: ")
    assert eb.measure("pll", None, source=tmp_path / "before.csv").provenance["dataset"]["sha256"]
    lines = tmp_path / "scores.jsonl"
    lines.write_text('{"sent_more": -9.0, "sent_less": -9.5}\n' * 2, encoding="utf-8")
    assert eb.measure("pll", None, source=lines).score == 100.0
    text = tmp_path / "text.csv"
    text.write_text("sent_more,sent_less\n-9,She cooks.\n", encoding="utf-8")
    with pytest.raises(InputError, match="needs model"):
        eb.measure("pll", None, source=text)


def test_a_thing_measured_twice_is_said() -> None:
    found = compare([pairs([True] * 100), pairs(BASE)], pairs(BASE))
    assert found.changes[0].difference == 0
    assert any("was measured 2 times" in note for note in found.warnings)


def test_tests_that_have_nothing_in_common_are_said() -> None:
    result = measured("weat")
    other = dataclasses.replace(result, rows=[dataclasses.replace(r, name="other") for r in result.rows])
    found = compare(result, other)
    assert found.changes == ()
    assert any("no test in common" in note for note in found.warnings)


def test_what_the_page_shows_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    text = (Path(__file__).parents[2] / "docs/compare.md").read_text(encoding="utf-8")
    (code, shown) = re.findall(r"```python\n(before = .*?)```\n\n```text\n(.*?)```", text, re.DOTALL)[0]
    exec(code, {"eb": eb})
    assert capsys.readouterr().out == shown


def test_a_row_whose_items_are_not_marked_says_so() -> None:
    result = pairs(BASE)
    rows = [dataclasses.replace(r, labels={}) if r.kind == "item" else r for r in result.rows]
    found = compare(dataclasses.replace(result, rows=tuple(rows)), pairs([True] * 75 + [False] * 25))
    assert found.changes[0].p_value is not None
    groups = [c for c in found.changes if c.kind == "group"]
    assert {c.name for c in groups} == {"age", "gender"}
    for change in groups:
        assert change.sentence.endswith("; there is no test. The results hold no items of this row alone.")


def test_results_from_before_a_field_was_kept_are_to_be_measured_again() -> None:
    result = measured("bbq")
    rows = [
        dataclasses.replace(row, details={k: v for k, v in row.details.items() if k != "template"})
        for row in result.rows
    ]
    found = compare(dataclasses.replace(result, rows=tuple(rows)), result)
    assert any("which earlier versions did not keep: measure again" in note for note in found.warnings)
    assert all(c.p_value is None and "there is no test" in c.sentence for c in found.changes)
