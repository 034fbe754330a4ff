"""``.eval_results/*.yaml``: tasks that the data sets declare, dates that stay, variants apart, and what is left out."""

from __future__ import annotations

import dataclasses
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
import yaml
from huggingface_hub import parse_eval_result_entries

import evaluate_bias as eb
from evaluate_bias.data.recipes import dataset_names, dataset_record
from evaluate_bias.errors import CardError
from evaluate_bias.registry import METHODS
from evaluate_bias.report.card import card
from evaluate_bias.report.card.eval_results import eval_results_files
from evaluate_bias.report.card.hub_tasks import EVAL_YAML, declared_tasks, eval_yaml
from evaluate_bias.report.data_facts import on_illustrative_data
from evaluate_bias.result import Result, Row
from tests.support.refusals import refused

MODEL = {"name": "me/model"}
VERSIONS = {"evaluate-bias": "0.1.0"}
SCRIPTS = Path(__file__).parents[2] / "datasets_scripts"


def noon() -> datetime:
    return datetime(2026, 1, 2, 12, 0, 0, 999, tzinfo=UTC)


def measured(method: str, dataset: dict[str, Any], tests: tuple[str, ...] = (), **fields: Any) -> Result:
    """A result of a registered method as its entry would make it, with a score of 60."""
    record = METHODS[method]
    rows = tuple(Row(name=t, kind="test", score=60.0, labels={"language": "en"}) for t in tests)
    return Result(
        method=method,
        score=60.0,
        score_range=(None, None),
        direction=record.direction,
        ideal=record.ideal,
        n=10,
        rows=rows,
        provenance={"model": MODEL, "versions": VERSIONS, "dataset": dataset},
        **fields,
    )


CROWS = {
    "source": "bias/crows-pairs",
    "config": "en",
    "split": "test",
    "language": "en",
    "revision": "abc123",
}


def entries(files: dict[str, str]) -> dict[str, list[Any]]:
    return {name: parse_eval_result_entries(yaml.safe_load(text)) for name, text in files.items()}


def declared(name: str) -> dict[str, dict[str, str]]:
    """The tasks of a data set as its committed ``eval.yaml`` has them."""
    path = SCRIPTS / name / EVAL_YAML
    return {t["id"]: t for t in yaml.safe_load(path.read_text())["tasks"]} if path.exists() else {}


def test_an_entry_has_task_value_date_source_revision_and_notes():
    result = measured("crows_pairs", CROWS, ci_low=55.0, ci_high=65.0, p_value=0.01)
    files, left_out = eval_results_files([result], clock=noon)
    found = entries(files)
    assert left_out == []
    assert sorted(found) == ["evaluate-bias-crows_pairs-nearness.yaml", "evaluate-bias-crows_pairs.yaml"]
    (score,) = found["evaluate-bias-crows_pairs.yaml"]
    assert (score.dataset_id, score.task_id, score.value) == ("bias/crows-pairs", "crows_pairs-en", 60.0)
    assert (score.date, score.dataset_revision) == ("2026-01-02T12:00:00Z", "abc123")
    assert (score.source_url, score.source_name) == ("https://huggingface.co/me/model", "evaluate-bias 0.1.0")
    assert score.notes == "model me/model; language en; 95% CI [55.00, 65.00]; p = .010; ideal 50"
    (near,) = found["evaluate-bias-crows_pairs-nearness.yaml"]
    assert (near.task_id, near.value) == ("crows_pairs-en-nearness", -10.0)
    assert near.notes.startswith("minus the distance of the score 60.0000 from its ideal 50; model me/model")


def test_the_date_of_the_result_counts_and_an_entry_that_says_the_same_keeps_its_own():
    result = measured("crows_pairs", CROWS)
    dated = dataclasses.replace(result, date="2025-05-05")
    assert (
        "date: '2025-05-05'" in eval_results_files([dated], clock=noon)[0]["evaluate-bias-crows_pairs.yaml"]
    )
    first, _ = eval_results_files([result], clock=noon)
    later = lambda: datetime(2027, 1, 1, tzinfo=UTC)  # noqa: E731
    assert eval_results_files([result], existing=first, clock=later)[0] == {}
    changed = dataclasses.replace(result, score=61.0)
    second, _ = eval_results_files([changed], existing=first, clock=later)
    assert "2027-01-01T00:00:00Z" in second["evaluate-bias-crows_pairs.yaml"]


def test_scores_of_other_tests_and_variants_of_the_same_data_go():
    """As in ``model-index``: no two scores of one method on one data set in one language, for one model."""
    result = eb.measure("weat", "glove-6b-50d", tests=["weat7"])
    first, _ = eval_results_files([result], clock=noon)
    assert [e.task_id for e in entries(first)["evaluate-bias-weat.yaml"]] == ["weat-en-weat7"]
    other = eb.measure("weat", "glove-6b-50d", tests=["weat6"])
    second, _ = eval_results_files([other], existing=first, clock=noon)
    assert [e.task_id for e in entries(second)["evaluate-bias-weat.yaml"]] == ["weat-en-weat6"]
    variant = eb.measure("weat", "glove-6b-50d", tests=["weat6"], ddof=0)
    third, _ = eval_results_files([variant], existing=second, clock=noon)
    assert third.pop("evaluate-bias-weat.yaml") == ""
    assert [e.task_id for own in entries(third).values() for e in own] == ["weat-en-weat6"]


def test_entries_of_other_tasks_stay():
    first, _ = eval_results_files([measured("crows_pairs", CROWS)], clock=noon)
    french = measured("crows_pairs", {**CROWS, "config": "fr", "language": "fr"})
    second, _ = eval_results_files([french], existing=first, clock=noon)
    found = entries(second)["evaluate-bias-crows_pairs.yaml"]
    assert [e.task_id for e in found] == ["crows_pairs-en", "crows_pairs-fr"]


@pytest.mark.parametrize("text", ["- 1\n", "a: b\n", "- dataset: {}\n", "[\n", "3\n"])
def test_a_file_that_holds_something_else_is_refused(text):
    with pytest.raises(CardError, match="does not contain evaluation results"):
        eval_results_files([measured("crows_pairs", CROWS)], existing={"evaluate-bias-weat.yaml": text})


def test_another_choice_of_options_is_a_variant_in_a_file_of_its_own():
    plain = measured("crows_pairs", CROWS, settings={"round_to": 3, "seed": 0})
    seeded = measured("crows_pairs", CROWS, settings={"round_to": 3, "seed": 7})
    other = measured("crows_pairs", CROWS, settings={"round_to": None, "seed": 0})
    files, _ = eval_results_files([plain, seeded, other], clock=noon)
    assert len(files) == 4
    assert (
        len({e.task_id for name, own in entries(files).items() if "nearness" not in name for e in own}) == 1
    )
    assert all(len(own) == 1 for own in entries(files).values())
    assert sum("round_to None" in text for text in files.values()) == 2


@pytest.mark.parametrize(
    ("dataset", "reason"),
    [
        ({"source": "/home/me/p.csv"}, "p.csv (no data set of the Hub)"),
        ({**CROWS, "bias_types": ["age", "gender"]}, "crows_pairs on bias/crows-pairs (only age, gender)"),
        (
            {**CROWS, "without_flags": ["name", "negation"]},
            "crows_pairs on bias/crows-pairs (only pairs without the flag name or negation)",
        ),
        (
            {**CROWS, "config": "es"},
            "crows_pairs overall on bias/crows-pairs (no configuration of it on the Hub)",
        ),
    ],
)
def test_what_has_no_task_is_left_out_with_the_reason(dataset, reason):
    notes = [f"not entered in .eval_results: {reason}"]
    assert eval_results_files([measured("crows_pairs", dataset)]) == ({}, notes)


def test_entries_of_another_model_are_named_and_dropped(tmp_path):
    """The repository was of another model before: its scores stay until somebody says that they go."""
    old, new = (measured("crows_pairs", {**CROWS, "config": c, "language": c}) for c in ("fr", "en"))
    folder = tmp_path / ".eval_results"
    card(old, tmp_path, model="me/old")
    update = card(new, tmp_path, model="me/new")
    stale = ".eval_results also has scores of me/old. If these are no longer true, drop='me/old' removes them"
    assert stale in update.warnings
    scores = folder / "evaluate-bias-crows_pairs.yaml"
    assert [e["dataset"]["task_id"] for e in yaml.safe_load(scores.read_text())] == [
        "crows_pairs-fr",
        "crows_pairs-en",
    ]
    update = card(new, tmp_path, model="me/new", drop=["me/old"])
    assert not any("me/old" in w for w in update.warnings)
    assert [e["dataset"]["task_id"] for e in yaml.safe_load(scores.read_text())] == ["crows_pairs-en"]
    assert card(new, tmp_path, model="me/new").outcome == "unchanged"


def test_the_same_task_of_another_model_is_replaced_with_a_note(tmp_path):
    card(measured("crows_pairs", CROWS), tmp_path, model="me/old")
    update = card(measured("crows_pairs", CROWS), tmp_path, model="me/new")
    assert "scores of me/old in .eval_results were replaced: a task there has one score" in update.warnings
    assert not any("also has scores" in w for w in update.warnings if ".eval_results" in w)


"""What the Hub's page on evaluation results says that an entry may have of what this library writes."""


def test_the_score_of_chosen_tests_is_not_that_of_all():
    lists = {"name": "weat_word_lists", "source": "weat_word_lists", "language": "en"}
    some = measured("weat", lists, ("weat6", "weat7"))
    files, left_out = eval_results_files([some], clock=noon)
    assert [e.task_id for e in entries(files)["evaluate-bias-weat.yaml"]] == [
        "weat-en-weat6",
        "weat-en-weat7",
    ]
    reason = "weat all tests (weat6, weat7) on bias/weat-word-lists (not all of its tests)"
    assert left_out == [f"not entered in .eval_results: {reason}"]
    everything = measured("weat", lists, tuple(f"weat{i}" for i in range(1, 11)))
    files, left_out = eval_results_files([everything], clock=noon)
    assert left_out == []
    assert entries(files)["evaluate-bias-weat.yaml"][0].task_id == "weat-en"


# --- what the data sets declare -------------------------------------------------------------------------------


@pytest.mark.parametrize("name", dataset_names())
def test_eval_yaml_declares_each_task_once_on_a_configuration_and_split_of_the_data(name):
    path, text = SCRIPTS / name / EVAL_YAML, eval_yaml(name)
    assert (path.read_text() if path.exists() else "") == text
    if not text:
        assert declared_tasks(name) == ()
        return
    content = yaml.safe_load(text)
    assert list(content) == ["name", "description", "evaluation_framework", "tasks"]
    assert content["evaluation_framework"] == "inspect-ai"
    ids = [task["id"] for task in content["tasks"]]
    assert len(set(ids)) == len(ids)
    configs = {c.name: c for c in dataset_record(name).configs if c.publishable}
    for task in content["tasks"]:
        splits = {s for c in configs.values() for s in c.splits}
        assert task["split"] in (configs[task["config"]].splits if "config" in task else splits)
        assert task["scorers"] == [{"name": f"evaluate_bias/{task['id'].partition('-')[0]}"}]


def test_tasks_are_declared_of_data_whose_rows_hold_choices():
    assert {name for name in dataset_names() if declared_tasks(name)} == {"bbq", "crows_pairs", "stereoset"}


@pytest.mark.parametrize("method", [name for name, record in METHODS.items() if record.dataset])
def test_every_entry_has_a_declared_task(method):
    """On the data that each method measures by default."""
    record = METHODS[method]
    data = record.load_data()
    tests = tuple(row.name for row in data) if record.aggregation and "tests" in record.data.options else ()
    result = measured(method, data.provenance, tests)
    files, _ = eval_results_files([result], clock=noon)
    found = [e for own in entries(files).values() for e in own]
    known = declared(record.dataset.rpartition("/")[2].replace("-", "_"))
    if on_illustrative_data(result):
        assert files == {}
        return
    assert found
    assert {entry.dataset_id for entry in found} == {record.dataset}
    companions = {entry.task_id for entry in found if entry.task_id.endswith("-nearness")}
    assert companions == {id for id in known if id.endswith("-nearness")} & {
        f"{entry.task_id}-nearness" for entry in found
    }


def test_card_writes_them_beside_it_and_twice_changes_nothing(tmp_path):
    results = [measured("crows_pairs", CROWS)]
    update = card(results, tmp_path)
    assert [p.parent.name for p in update.written][-2:] == [".eval_results"] * 2
    assert not card(results, tmp_path).changed
    (tmp_path / ".eval_results" / "evaluate-bias-crows_pairs.yaml").write_bytes(b"\xff")
    refused(CardError, "not UTF-8", card, results, tmp_path)
