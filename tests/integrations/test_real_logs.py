"""Logs that other programs write themselves of planted items; each test runs where its program is installed."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

import evaluate_bias as eb
from tests.data.test_logs_of_benchmarks import (  # noqa: F401
    LETTERS,
    ROWS,
    SENTENCES,
    _planted,
    same,
    written,
)
from tests.support.harnesses import inspect_evals_log, plant_lm_eval_tasks

pytestmark = pytest.mark.nightly
PAIRS = [
    {"id": i, "sent_more": f"She cooks {i} eggs.", "sent_less": f"He cooks {i} eggs.", "bias_type": "gender",
     "stereo_antistereo": "stereo"}
    for i in range(12)
]  # fmt: skip


def test_inspect_evals(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log = inspect_evals_log([f"ANSWER: {letter}" for letter in LETTERS], tmp_path, monkeypatch)
    result = same(log.location)
    (accuracy,) = (score.metrics["accuracy"].value for score in log.results.scores)
    contexts = [result.estimates[f"accuracy_{one}"].value for one in ("ambig", "disambig")]
    assert sum(contexts) / 2 == pytest.approx(accuracy)


def test_lm_eval(tmp_path: Path) -> None:
    planted = {
        "bbq": (ROWS, "bbq/bbq_multiple_choice"),
        "crows": (PAIRS, "crows_pairs/crows_pairs_english"),
        "winogender": (SENTENCES, "winogender/winogender"),
    }
    labelled = {
        name: ([{**row, "label": row.get("label", 0)} for row in rows], yaml)
        for name, (rows, yaml) in planted.items()
    }
    plant_lm_eval_tasks(tmp_path, labelled)
    command = [
        sys.executable,
        "-m",
        "lm_eval",
        "--model",
        "dummy",
        "--include_path",
        tmp_path,
        "--log_samples",
    ]
    names = ",".join(f"planted_{name}" for name in planted)
    subprocess.run(
        [*command, "--tasks", names, "--output_path", tmp_path / "out"], check=True, capture_output=True
    )
    files = {name: next((tmp_path / "out").rglob(f"samples_planted_{name}_*")) for name in planted}
    samples = {
        name: [json.loads(line) for line in path.read_text().splitlines()] for name, path in files.items()
    }
    scores = json.loads(next((tmp_path / "out").rglob("results_*")).read_text())["results"]
    bbq = eb.measure("bbq", source=files["bbq"], ci="none")
    assert bbq.provenance["dataset"]["name"] == "bbq"
    theirs = scores["planted_bbq"]
    assert bbq.estimates["accuracy_ambig"].value == pytest.approx(theirs["accuracy_amb,none"], abs=1e-9)
    assert bbq.estimates["accuracy_disambig"].value == pytest.approx(theirs["accuracy_disamb,none"], abs=1e-9)
    assert bbq.score == pytest.approx(theirs["amb_bias_score,none"], abs=1e-9)
    assert bbq.estimates["s_dis"].value == pytest.approx(theirs["disamb_bias_score,none"], abs=1e-9)
    crows = eb.measure("crows_pairs", source=files["crows"])
    assert crows.score == pytest.approx(100 * scores["planted_crows"]["pct_stereotype,none"])
    pairs = eb.measure("winobias", source=files["winogender"], variant="coreference")
    answers = {
        sample["doc"]["sentid"]: float(sample["filtered_resps"][0][0])
        >= float(sample["filtered_resps"][1][0])
        for sample in samples["winogender"]
    }
    for row in (row for row in pairs.rows if "pro_correct" in row.details):
        right = row.name.endswith(".0")
        sides = ["female", "male"] if row.details["stereotype"] == "female" else ["male", "female"]
        expected = [answers[f"{row.name}.{side}.txt"] == right for side in sides]
        assert [row.details["pro_correct"], row.details["anti_correct"]] == expected


def test_helm(tmp_path: Path) -> None:
    pytest.importorskip("helm")
    from helm.benchmark.adaptation.request_state import RequestState
    from helm.benchmark.adaptation.scenario_state import ScenarioState
    from helm.benchmark.run_specs.classic_run_specs import get_bbq_spec
    from helm.benchmark.scenarios.bbq_scenario import BBQScenario
    from helm.benchmark.scenarios.scenario import with_instance_ids
    from helm.common.general import asdict_without_nones
    from helm.common.request import GeneratedOutput, Request, RequestResult

    (tmp_path / "data").mkdir()
    written(ROWS, tmp_path / "data" / "Age.jsonl").rename(tmp_path / "data" / "Age")
    states, letters = [], {}
    for i, instance in enumerate(with_instance_ids(BBQScenario("Age").get_instances(str(tmp_path)))):
        texts = [reference.output.text for reference in instance.references]
        letters[instance.input.text] = LETTERS[i]
        completion = GeneratedOutput(text=f" {LETTERS[i]}", logprob=-1.0, tokens=[])
        result = RequestResult(success=True, embedding=[], completions=[completion], cached=False)
        states.append(
            RequestState(
                instance, None, None, 0, dict(zip("ABC", texts, strict=True)), Request(), result, 0, False
            )
        )
    state = ScenarioState(adapter_spec=get_bbq_spec("Age").adapter_spec, request_states=states)
    path = written(asdict_without_nones(state), tmp_path / "scenario_state.json")
    same(path, [letters[f"{row['context']}\nQuestion: {row['question']}"] for row in ROWS])
