"""What the demonstration measures: one grid, with every method that its models can be measured with."""

from itertools import pairwise

import pytest

from evaluate_bias.assets import get_asset
from evaluate_bias.cli import demo
from evaluate_bias.cli.demo import (
    CLASSIFIER,
    DESCRIPTIONS,
    OF_TEXTS,
    PARTS,
    PLAN,
    demo_grid,
    part,
)
from evaluate_bias.experiments.store import Store
from evaluate_bias.experiments.unit import Unit
from evaluate_bias.experiments.worker import Outcome
from evaluate_bias.options import checked_options
from evaluate_bias.registry import METHODS
from tests.report.samples import weat_item, weat_result

NOT_MEASURED = {
    "metric_compatibility", "bias_nli", "counterfactual_text", "word_association", "relative_decision"
}  # fmt: skip
"""What needs the scores of several models by the same methods, which these are not, or a classifier of inferences, of
which no package has one, and what writes or asks for minutes."""


def test_every_method_is_measured():
    measured = {name for methods in PLAN.values() for name in methods}
    assert METHODS.keys() - measured == NOT_MEASURED
    assert PLAN.keys() == DESCRIPTIONS.keys()


@pytest.mark.parametrize(
    ("low", "high", "shown"),
    [
        (0.911, 1.52, "glove: weat 1.06 (0.91 to 1.5)"),
        (1.0555, 1.0638, "glove: weat 1.06 (1.056 to 1.064)"),
        (None, None, "glove: weat 1.06"),
    ],
)
def test_no_interval_is_shown_as_if_it_had_no_width(low, high, shown):
    result = weat_result([weat_item()], score=1.0597, ci_low=low, ci_high=high)
    unit = Unit(key="", model="glove", method="weat", data="", language="en", seed=0, options={})
    outcome = Outcome(unit=unit, kind="measured", result=result.to_json())
    assert demo._describe_unit(outcome) == shown


@pytest.mark.parametrize("model", PLAN)
def test_the_plan_can_be_carried_out(model):
    assert model == CLASSIFIER or get_asset(model.removeprefix("corpus:"))
    for method, options in PLAN[model].items():
        record = METHODS[method]
        checked_options(options, {**record.options(), **record.data_choices()}, method)


def test_the_parts_of_data_sets_are_rows_of_the_whole(tmp_path):
    config = demo_grid(tmp_path)
    assert (tmp_path / OF_TEXTS).is_file()
    assert [m.name for m in config.models] == list(PLAN)
    for name, (method, options, n, together) in PARTS.items():
        record = METHODS[method]
        rows = record.load_data(source=str(tmp_path / part(name)))
        whole = {row.id: row for row in record.load_data(**options)}
        assert name.endswith(f"-{n}-of-{len(whole)}")
        assert len({row.id for row in rows}) == n
        places = [list(whole).index(row.id) for row in rows]
        assert places == sorted(places)
        assert {b - a for a, b in pairwise(places) if a % together + 1 < together} <= {1}
        for row in rows:
            assert row.model_dump(exclude={"origin"}) == whole[row.id].model_dump(exclude={"origin"})


def test_a_second_run_measures_nothing_and_writes_the_same(tmp_path, monkeypatch, capsys):
    quick = {"lpbs": {"ci": "none", "tests": ["kurita7"]}}
    monkeypatch.setattr(demo, "PLAN", {CLASSIFIER: PLAN[CLASSIFIER], "demo-mlm-en": quick})
    monkeypatch.setattr(demo, "PARTS", {})
    monkeypatch.setattr(demo, "WORKERS", 1)
    demo.run_demo(tmp_path)
    last_screen = capsys.readouterr().out.partition("Conclusions")[2]
    assert f"{CLASSIFIER}: " in last_screen
    assert "demo-mlm-en: significant in 0 of 1 methods" in last_screen
    files = {
        p: p.read_bytes()
        for p in tmp_path.rglob("*")
        if p.suffix in (".md", ".csv", ".tex", ".jsonl", ".html")
    }
    assert {p.name for p in files} >= {"report.md", "report.csv", "report.tex", "results.jsonl", "README.md"}
    assert (tmp_path / "model_cards" / "demo-mlm-en" / "model_card.html") in files
    with Store(tmp_path, read_only=True) as store:
        assert len(store.results()) == 2
        seconds = store.seconds()
    demo.run_demo(tmp_path)
    assert {p: p.read_bytes() for p in files} == files
    with Store(tmp_path, read_only=True) as store:
        assert store.seconds() == seconds
