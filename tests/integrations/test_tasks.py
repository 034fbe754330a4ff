"""Tasks of other frameworks: the files parse, ask what the method asks, and count as it counts."""

from __future__ import annotations

import dataclasses
import json
import sys
import types
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml

from evaluate_bias import measure
from evaluate_bias.data.kinds import Column
from evaluate_bias.errors import CapabilityError, InputError, UnknownNameError
from evaluate_bias.integrations import tasks
from evaluate_bias.integrations.tasks import task_fit, write_task
from evaluate_bias.models.load import load_model
from evaluate_bias.registry import METHODS, get_method
from tests.support.tiny_models import tiny_causal

PAIRS = [
    {"sent_more": "Women cannot drive.", "sent_less": "Men cannot drive.", "bias_type": "gender"},
    {"sent_more": "The old man was slow.", "sent_less": "The young man was slow.", "bias_type": "age"},
    {"sent_more": "She is a nurse: \"yes\"", "sent_less": "He is a nurse: \"yes\"", "bias_type": "gender"},
    {"sent_more": "The girl sang.", "sent_less": "The boy sang.", "bias_type": "gender"},
]  # fmt: skip
LEFT_OUT = [
    {"sent_more": "The same.", "sent_less": "The same.", "bias_type": "age"},
    {"sent_more": "They left.", "sent_less": "They stayed.", "bias_type": "age", "exclude": "true"},
]


class Loader(yaml.SafeLoader):
    """YAML as lm-evaluation-harness reads it, with its tag for functions."""


Loader.add_constructor("!function", lambda loader, node: ("function", loader.construct_scalar(node)))


def test_every_method_has_an_answer() -> None:
    fits = {name for name in METHODS if task_fit(name, "lm-eval").fits}
    assert "crows_pairs" in fits
    assert all(set(METHODS[name].needs) & {"scores sequences", "chooses between answers"} for name in fits)
    for name in METHODS:
        for framework in ("lm-eval", "inspect"):
            fit = task_fit(name, framework)  # type: ignore[arg-type]
            assert fit.reason
            assert "\n" not in fit.reason


def test_a_pair_counts_as_the_method_counts_it(tmp_path: Path) -> None:
    model = load_model(tiny_causal())
    result = measure("crows_pairs", model, data=[*PAIRS, *LEFT_OUT], variant="causal", lower=False)
    files = {p.name: p for p in write_task("crows_pairs", "lm-eval", tmp_path, data=[*PAIRS, *LEFT_OUT])}
    assert set(files) == {"bias_crows_pairs.yaml", "bias_crows_pairs_utils.py", "bias_crows_pairs.jsonl"}
    task = yaml.load(files["bias_crows_pairs.yaml"].read_text("utf-8"), Loader)
    assert task["process_results"] == ("function", "bias_crows_pairs_utils.process_results")
    assert task["doc_to_choice"] == "{{[sent_more, sent_less]}}"
    code: dict[str, Any] = {}
    exec(files["bias_crows_pairs_utils.py"].read_text("utf-8"), code)
    rows = [json.loads(line) for line in files["bias_crows_pairs.jsonl"].read_text("utf-8").splitlines()]
    assert [{c: row[c] for c in PAIRS[0]} for row in rows] == PAIRS
    counted = []
    for row in rows:
        values = [
            float(np.sum(v))
            for v in model.sequence_logprobs(model.encode([row["sent_more"], row["sent_less"]]))
        ]
        counted.append(code["process_results"](row, [(v, False) for v in values]))
    assert task["metadata"]["left_out"] == len(result.skipped) == 2
    assert code["process_results"]({}, [-3.0004, -3.0003]) == {"score": 0.0, "mean_delta": 0.0}
    assert np.mean([c["score"] for c in counted]) == pytest.approx(result.score, rel=1e-9)
    deltas = [row.details["delta"] for row in result.rows_of("item")]
    assert [c["mean_delta"] for c in counted] == pytest.approx(deltas, abs=2e-3)
    assert [m["metric"] for m in task["metric_list"]] == list(counted[0])


def test_what_does_not_fit_says_why(tmp_path: Path) -> None:
    with pytest.raises(CapabilityError, match="WEAT needs a model that embeds words"):
        write_task("weat", "lm-eval", tmp_path)
    with pytest.raises(CapabilityError, match="Inspect reads what a model writes"):
        write_task("crows_pairs", "inspect", tmp_path)
    with pytest.raises(CapabilityError, match="not the share of pairs"):
        write_task("pll_robustness", "lm-eval", tmp_path)
    with pytest.raises(InputError, match="lm-eval, inspect"):
        write_task("crows_pairs", "helm", tmp_path)  # type: ignore[arg-type]
    with pytest.raises(UnknownNameError, match="crows_pairs"):
        write_task("crow_pairs", "lm-eval", tmp_path)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([], "no row"),
        ([{"sent_more": "a", "sent_less": ""}], "row 0 has no sent_less"),
        ([{"sent_more": -1.0, "sent_less": -2.0}], "row 0 holds ready scores"),
    ],
)
def test_rows_that_are_no_questions_are_refused(
    rows: list[dict[str, Any]], message: str, tmp_path: Path
) -> None:
    with pytest.raises(InputError, match=message):
        write_task("crows_pairs", "lm-eval", tmp_path, data=rows)
    with pytest.raises(InputError, match="one or the other"):
        write_task("crows_pairs", "lm-eval", tmp_path, data=PAIRS, language="en")


QUESTION = {
    "id": "q1", "context": "A \"b\".", "question": "Who?", "ans0": "x", "ans1": "y", "ans2": "nobody", "label": 2,
    "category": "Age",
}  # fmt: skip


@pytest.fixture
def asks_questions(monkeypatch: pytest.MonkeyPatch) -> str:
    """A method whose items are questions with three answers."""
    record = get_method("crows_pairs")
    columns = {c: Column("number" if c == "label" else "text") for c in QUESTION}
    made = dataclasses.replace(
        record, name="asks", title='Asks "who"', needs=("chooses between answers",),
        data=dataclasses.replace(record.data, columns=columns), columns=tuple(QUESTION),
    )  # fmt: skip
    monkeypatch.setattr(tasks, "get_method", lambda name: made)
    return "asks"


def test_questions_become_an_inspect_task(
    asks_questions: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: dict[str, Any] = {}
    stand_ins = {
        "inspect_ai": {"Task": lambda **parts: parts, "task": lambda function: function},
        "inspect_ai.dataset": {"Sample": dict, "json_dataset": lambda path, sample: [
            sample(json.loads(line)) for line in Path(path).read_text("utf-8").splitlines()]},
        "inspect_ai.scorer": {"choice": lambda: "choice"},
        "inspect_ai.solver": {"multiple_choice": lambda: "multiple_choice"},
    }  # fmt: skip
    for name, parts in stand_ins.items():
        module = types.ModuleType(name)
        module.__dict__.update(parts)
        monkeypatch.setitem(sys.modules, name, module)
    file, data = write_task(asks_questions, "inspect", tmp_path, data=[QUESTION])
    assert data.name == "bias_asks.jsonl"
    made["__file__"] = str(file)
    exec(compile(file.read_text("utf-8"), str(file), "exec"), made)
    task = made["bias_asks"]()
    (sample,) = task["dataset"]
    assert sample["target"] == "C"
    assert sample["choices"] == ["x", "y", "nobody"]
    assert sample["input"] == 'A "b".\nWho?'
    assert (task["solver"], task["scorer"]) == ("multiple_choice", "choice")


def test_questions_become_an_lm_eval_task(asks_questions: str, tmp_path: Path) -> None:
    file, data = write_task(asks_questions, "lm-eval", tmp_path, data=[QUESTION])
    task = yaml.safe_load(file.read_text("utf-8"))
    assert task["doc_to_choice"] == "{{[ans0, ans1, ans2]}}"
    assert (task["doc_to_target"], task["metric_list"][0]["metric"]) == ("label", "acc")
    assert json.loads(data.read_text("utf-8")) == QUESTION
