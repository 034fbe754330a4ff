"""``.eval_results/*.yaml``: tasks that the data sets declare, dates that stay, variants apart, and what is left out."""

from __future__ import annotations

import dataclasses
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
import yaml
from huggingface_hub import parse_eval_result_entries

from evaluate_bias.data.pair_flags import ROW_FLAGS
from evaluate_bias.data.recipes import dataset_names, dataset_record
from evaluate_bias.errors import CardError
from evaluate_bias.registry import METHODS
from evaluate_bias.report.card import card
from evaluate_bias.report.card.entries import eval_results_files
from evaluate_bias.report.card.hub_tasks import EVAL_YAML, declared_tasks, eval_yaml, nearness
from evaluate_bias.report.data_facts import on_illustrative_data
from evaluate_bias.result import Result, Row
from tests.report.samples import weat_item, weat_result

MODEL = {"name": "me/model"}
VERSIONS = {"evaluate-bias": "0.1.0"}
WEAT_LISTS = METHODS["weat"].dataset
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


def test_an_entry_has_task_value_date_source_revision_and_notes() -> None:
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


@pytest.mark.parametrize("ideal", [50.0, 0.0, 1.0])
def test_nearness_is_higher_the_nearer_whichever_side(ideal: float) -> None:
    by_distance = [nearness(ideal + sign * d, ideal) for d in (0.0, 0.5, 1.0, 20.0) for sign in (1, -1)]
    assert by_distance == sorted(by_distance, reverse=True)
    assert str(by_distance[0]) == "0.0"


def test_the_date_of_the_result_counts_and_an_entry_that_says_the_same_keeps_its_own() -> None:
    result = measured("crows_pairs", CROWS)
    dated = dataclasses.replace(result, provenance={**result.provenance, "date": "2025-05-05"})
    assert (
        "date: '2025-05-05'" in eval_results_files([dated], clock=noon)[0]["evaluate-bias-crows_pairs.yaml"]
    )
    first, _ = eval_results_files([result], clock=noon)
    later = lambda: datetime(2027, 1, 1, tzinfo=UTC)  # noqa: E731
    assert eval_results_files([result], existing=first.__getitem__, clock=later)[0] == first
    changed = dataclasses.replace(result, score=61.0)
    second, _ = eval_results_files([changed], existing=first.__getitem__, clock=later)
    assert "2027-01-01T00:00:00Z" in second["evaluate-bias-crows_pairs.yaml"]


def test_entries_of_other_tasks_stay() -> None:
    first, _ = eval_results_files([measured("crows_pairs", CROWS)], clock=noon)
    french = measured("crows_pairs", {**CROWS, "config": "fr", "language": "fr"})
    second, _ = eval_results_files([french], existing=first.__getitem__, clock=noon)
    found = entries(second)["evaluate-bias-crows_pairs.yaml"]
    assert [e.task_id for e in found] == ["crows_pairs-en", "crows_pairs-fr"]


@pytest.mark.parametrize("text", ["- 1\n", "a: b\n", "- dataset: {}\n", "[\n", "3\n", "- &a [*a]\n"])
def test_a_file_that_holds_something_else_is_refused(text: str) -> None:
    with pytest.raises(CardError, match="does not hold evaluation results"):
        eval_results_files([measured("crows_pairs", CROWS)], existing=lambda name: text)


def test_another_choice_of_options_is_a_variant_in_a_file_of_its_own() -> None:
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


def test_several_models_are_entered_nowhere() -> None:
    two = [measured("crows_pairs", CROWS), weat_result()]
    files, left_out = eval_results_files(two)
    assert files == {}
    assert left_out == ["everything (the results are of 2 models: me/model, glove-6b-50d)"]


@pytest.mark.parametrize(
    ("dataset", "reason"),
    [
        ({"source": "given by the caller"}, "custom (no data set of the Hub)"),
        ({"source": "/home/me/p.csv"}, "p.csv (no data set of the Hub)"),
        ({"name": "minimal_pairs", "language": "en"}, "bias/minimal-pairs (illustrative)"),
        ({**CROWS, "bias_types": ["age", "gender"]}, "crows_pairs on bias/crows-pairs (only age, gender)"),
        (
            {**CROWS, "without_flags": ["name", "negation"]},
            "crows_pairs on bias/crows-pairs (only pairs without the flag name or negation)",
        ),
        (
            {**CROWS, "without_flags": [*ROW_FLAGS]},
            "crows_pairs on bias/crows-pairs (only pairs without flags)",
        ),
        ({**CROWS, "config": "es"}, "crows_pairs overall on bias/crows-pairs (no task of its eval.yaml)"),
        ({**CROWS, "config": "xx"}, "crows_pairs overall on bias/crows-pairs (no task of its eval.yaml)"),
        (
            {"name": "stereoset", "config": "intrasentence", "split": "validation"},
            "crows_pairs overall on bias/stereoset (no task of its eval.yaml)",
        ),
    ],
)
def test_what_has_no_task_is_left_out_with_the_reason(dataset: dict[str, Any], reason: str) -> None:
    assert eval_results_files([measured("crows_pairs", dataset)]) == ({}, [reason])


def test_the_score_of_chosen_tests_is_not_that_of_all() -> None:
    lists = {"name": "weat_word_lists", "source": "weat_word_lists", "language": "en"}
    some = measured("weat", lists, ("weat6", "weat7"))
    files, left_out = eval_results_files([some], clock=noon)
    assert [e.task_id for e in entries(files)["evaluate-bias-weat.yaml"]] == [
        "weat-en-weat6",
        "weat-en-weat7",
    ]
    assert left_out == ["weat all tests (weat6, weat7) on bias/weat-word-lists (no task of its eval.yaml)"]
    everything = measured("weat", lists, tuple(f"weat{i}" for i in range(1, 11)))
    files, left_out = eval_results_files([everything], clock=noon)
    assert left_out == []
    assert entries(files)["evaluate-bias-weat.yaml"][0].task_id == "weat-en"


def test_controls_have_no_companion() -> None:
    control = weat_item("weat1", 1.9, bias_type="none (baseline)")
    files, _ = eval_results_files([weat_result([control, weat_item("weat6")])], clock=noon)
    found = entries(files)
    assert [e.task_id for e in found["evaluate-bias-weat.yaml"]] == ["weat-en-weat1", "weat-en-weat6"]
    assert [e.task_id for e in found["evaluate-bias-weat-nearness.yaml"]] == ["weat-en-weat6-nearness"]


def test_a_copy_of_the_data_has_no_revision_of_ours() -> None:
    copy = {"source": "McGill-NLP/stereoset", "config": "intrasentence", "split": "test", "revision": "abc"}
    files, _ = eval_results_files([measured("stereoset", copy)], clock=noon)
    (entry,) = entries(files)["evaluate-bias-stereoset.yaml"]
    assert (entry.dataset_id, entry.task_id) == ("bias/stereoset", "stereoset-intrasentence-test")
    assert entry.dataset_revision is None


def test_a_model_without_a_page_has_no_source() -> None:
    files, _ = eval_results_files([weat_result()], clock=noon)
    assert all(e.source_url is None and e.source_name is None for own in entries(files).values() for e in own)
    files, _ = eval_results_files([weat_result()], model="me/glove", clock=noon)
    assert {e.source_url for own in entries(files).values() for e in own} == {
        "https://huggingface.co/me/glove"
    }


# --- what the data sets declare -------------------------------------------------------------------------------


@pytest.mark.parametrize("name", dataset_names())
def test_eval_yaml_declares_each_task_once_on_a_configuration_and_split_of_the_data(name: str) -> None:
    path, text = SCRIPTS / name / EVAL_YAML, eval_yaml(name)
    assert (path.read_text() if path.exists() else "") == text
    if not text:
        assert declared_tasks(name) == ()
        return
    content = yaml.safe_load(text)
    assert list(content) == ["name", "description", "evaluation_framework", "tasks"]
    ids = [task["id"] for task in content["tasks"]]
    assert len(set(ids)) == len(ids)
    configs = {c.name: c for c in dataset_record(name).configs if c.publishable}
    for task in content["tasks"]:
        assert set(task) <= {"id", "config", "split"}
        splits = {s for c in configs.values() for s in c.splits}
        assert task["split"] in (configs[task["config"]].splits if "config" in task else splits)


@pytest.mark.parametrize("method", [name for name, record in METHODS.items() if record.dataset])
def test_every_entry_has_a_declared_task(method: str) -> None:
    """On the data that each method measures by default, at least one score is entered, and each under its task."""
    record = METHODS[method]
    data = record.load_data()
    tests = tuple(row.name for row in data) if record.aggregation else ()
    result = measured(method, data.provenance, tests)
    files, left_out = eval_results_files([result], clock=noon)
    if on_illustrative_data(result):
        assert files == {}
        return
    assert left_out == []
    found = [e for own in entries(files).values() for e in own]
    known = declared(record.dataset.rpartition("/")[2].replace("-", "_"))
    assert found
    for entry in found:
        assert entry.dataset_id == record.dataset
        assert entry.task_id in known
    assert {e.task_id.removesuffix("-nearness") for e in found} == {
        e.task_id for e in found if not e.task_id.endswith("-nearness")
    }


@pytest.mark.parametrize("method", [m.name for m in METHODS.values() if m.dataset == WEAT_LISTS])
def test_each_task_of_the_word_lists_can_be_entered_and_each_entry_is_a_task(method: str) -> None:
    """Every configuration, with the tests that the method measures unasked and with each test by itself."""
    record, entered = METHODS[method], set()
    load, source = record.data.load(), record.data_defaults.get("source")
    for config in (c for c in dataset_record("weat_word_lists").configs if c.publishable):
        tests = config.tests or tuple(t.name for t in load(source=source, language=config.name))
        unasked = tuple(t for t in record.data_defaults.get("tests", tests) if t in tests)
        controls = {"weat1", "weat2"}
        for chosen in [unasked, *((t,) for t in tests)]:
            dataset = {
                "source": WEAT_LISTS,
                "config": config.name,
                "split": "test",
                "language": config.language,
            }
            result = measured(method, dataset, chosen if record.aggregation else ())
            rows = [
                dataclasses.replace(r, labels=_labels(r.name, config.language, controls)) for r in result.rows
            ]
            files, _ = eval_results_files([dataclasses.replace(result, rows=tuple(rows))], clock=noon)
            entered |= {e.task_id for own in entries(files).values() for e in own}
    known = {t for t in declared("weat_word_lists") if t == method or t.startswith(f"{method}-")}
    assert entered == known


def _labels(test: str, language: str, controls: set[str]) -> dict[str, str]:
    return {"language": language, "bias_type": "none" if test.removesuffix("b") in controls else "gender"}


def test_card_writes_them_beside_it_and_twice_changes_nothing(tmp_path: Path) -> None:
    results = [measured("crows_pairs", CROWS)]
    update = card(results, tmp_path, eval_results=True)
    assert [p.parent.name for p in update.written][-2:] == [".eval_results"] * 2
    assert not card(results, tmp_path, eval_results=True).changed
    (tmp_path / ".eval_results" / "evaluate-bias-crows_pairs.yaml").write_bytes(b"\xff")
    with pytest.raises(CardError, match="not UTF-8"):
        card(results, tmp_path, eval_results=True)
