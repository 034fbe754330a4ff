"""A method whose numbers changed: its older results are marked, measured again, and not compared with newer ones."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest

import evaluate_bias as eb
from evaluate_bias.errors import DataError
from evaluate_bias.experiments.config import GridConfig
from evaluate_bias.experiments.plan import make_plan
from evaluate_bias.experiments.run import run_grid
from evaluate_bias.experiments.store import Store
from evaluate_bias.registry import METHODS
from evaluate_bias.report.card import bias_section
from evaluate_bias.report.compare import gate
from evaluate_bias.report.data_facts import outdated, revisions
from evaluate_bias.report.html import html_page
from evaluate_bias.report.write import write_report
from tests.support.command_line import run_app
from tests.support.refusals import refused
from tests.test_all_methods import fixture

OLD = "measured by revision 1 of weat, now 2: measure it again"


@pytest.fixture(autouse=True)
def first_revisions(monkeypatch):
    """All methods are at their first revision, whatever they are at."""
    for name, record in METHODS.items():
        monkeypatch.setitem(METHODS, name, dataclasses.replace(record, revision=1))


def raised(monkeypatch: pytest.MonkeyPatch, method: str = "weat") -> None:
    monkeypatch.setitem(METHODS, method, dataclasses.replace(METHODS[method], revision=2))


def measured(method: str = "weat") -> Any:
    spec, rows, options = fixture(method)
    return eb.measure(method, spec, data=rows, **options)


def test_a_result_of_an_older_revision_is_marked_and_not_compared_with_a_newer_one(monkeypatch, tmp_path):
    old = measured()
    assert (revisions(old), outdated(old)) == ({"weat": 1}, "")
    raised(monkeypatch)
    new = measured()
    assert (revisions(new), outdated(new), outdated(old)) == ({"weat": 2}, "", OLD)
    for pair in ((old, new), (new, old)):
        refused(DataError, "measured by revision 1 of weat, now 2: measure it again", eb.compare, *pair)
        with pytest.raises(DataError, match="now 2"):
            gate([pair[0]], against=[pair[1]], margin=5)
    assert eb.compare(new, new).warnings == ()
    assert OLD in eb.compare(old, old).warnings
    write_report([old], tmp_path)
    for text in (bias_section([old]), html_page([old]), (tmp_path / "report.md").read_text()):
        assert OLD in text or f"M{OLD[1:]}" in text
    assert OLD[1:] not in bias_section([new])


def test_a_result_without_revisions_is_of_the_first_one_and_a_newer_one_asks_for_an_upgrade(monkeypatch):
    result = measured()
    before = dataclasses.replace(
        result, provenance={k: v for k, v in result.provenance.items() if k != "revisions"}
    )
    assert (revisions(before), outdated(before)) == ({"weat": 1}, "")
    newer = dataclasses.replace(result, provenance={**result.provenance, "revisions": {"weat": 3}})
    assert outdated(newer) == "measured by revision 3 of weat, and this library has 1: upgrade evaluate-bias"
    for wrong in (None, 3, {"weat": "x"}, {"weat": True}, ["weat"]):
        odd = dataclasses.replace(result, provenance={**result.provenance, "revisions": wrong})
        assert revisions(odd) == {"weat": 1}
    raised(monkeypatch)
    assert outdated(before) == OLD


def test_a_method_that_measures_another_is_of_both_revisions(monkeypatch):
    old = measured("seed_sensitivity")
    name = old.settings["measured_method"]
    assert revisions(old) == {"seed_sensitivity": 1, name: 1}
    raised(monkeypatch, name)
    assert outdated(old) == f"measured by revision 1 of {name}, now 2: measure it again"


def test_a_grid_measures_anew_what_an_older_revision_measured(monkeypatch, tmp_path):
    config = GridConfig(
        models=["demo-mlm-en"],
        methods=[
            {"method": "lpbs", "options": {"ci": "none"}},
            {"method": "seat", "options": {"ci": "none", "tests": ["weat6"]}},
        ],
    )
    keys = {unit.method: unit.key for unit in make_plan(config).units}
    assert run_grid(config, tmp_path).measured == 2
    raised(monkeypatch, "lpbs")
    again = {unit.method: unit.key for unit in make_plan(config).units}
    assert (again["seat"], again["lpbs"] != keys["lpbs"]) == (keys["seat"], True)
    listed = run_app("results", tmp_path)
    assert "measured by revision 1 of lpbs, now 2" in listed.output
    done = run_grid(config, tmp_path)
    assert (done.measured, done.already_stored) == (1, 1)
    with Store(tmp_path, read_only=True) as store:
        assert all(not outdated(result) for _, result in store.results())
        assert sum(bool(outdated(result)) for _, result in store.results(history=True)) == 1
