"""Numbers and scores in trackers themselves; each test runs where its tracker is installed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from evaluate_bias.integrations.trackers import tracker_metrics, tracker_params
from evaluate_bias.integrations.trainer import BiasCardCallback
from tests.integrations.test_trainer import METHODS, train
from tests.report.samples import pairs_result, weat_result

pytestmark = pytest.mark.slow

RESULTS = [weat_result(), pairs_result()]


def scalars(folder: Path) -> dict[str, list[tuple[int, float]]]:
    """What TensorBoard reads from a folder: steps and values by tag, in every run below it."""
    reader = pytest.importorskip("tensorboard.backend.event_processing.event_multiplexer")
    found = reader.EventMultiplexer().AddRunsFromDirectory(str(folder)).Reload()
    return {
        tag: [(event.step, event.value) for event in found.Scalars(run, tag)]
        for run, tags in found.Runs().items()
        for tag in tags["scalars"]
    }


@pytest.fixture
def client(tmp_path, monkeypatch):
    """MLflow on a folder of its own."""
    mlflow = pytest.importorskip("mlflow")
    monkeypatch.setenv("MLFLOW_ALLOW_FILE_STORE", "true")
    monkeypatch.setenv("MLFLOW_DISABLE_TELEMETRY", "true")
    before = mlflow.get_tracking_uri()
    mlflow.set_tracking_uri((tmp_path / "runs").as_uri())
    yield mlflow
    while mlflow.active_run() is not None:
        mlflow.end_run()
    mlflow.set_tracking_uri(before)


def test_mlflow_takes_every_number_and_setting(client):
    metrics, params = tracker_metrics(RESULTS), tracker_params(RESULTS)
    with client.start_run() as run:
        client.log_metrics(metrics)
        client.log_params(params)
    data = client.get_run(run.info.run_id).data
    assert data.metrics == pytest.approx(metrics)
    assert data.params == params


def logged_by(trainer: Any) -> dict[str, list[tuple[int, float]]]:
    """Steps and values by key of what the callback logged, which the log of the training keeps."""
    found: dict[str, list[tuple[int, float]]] = {}
    for entry in trainer.state.log_history:
        for key in entry:
            if key.startswith("eval_bias/"):
                found.setdefault(key, []).append((entry["step"], pytest.approx(entry[key], rel=1e-6)))
    assert [step for step, _ in found["eval_bias/aul/overall"]] == [0, 1, 2]
    return found


def test_the_scores_of_a_training_reach_tensorboard(tmp_path):
    pytest.importorskip("tensorboard")
    from torch.utils.tensorboard import SummaryWriter
    from transformers.integrations import TensorBoardCallback

    writer = SummaryWriter(str(tmp_path / "runs"))
    board = TensorBoardCallback(writer)
    options = {"eval_strategy": "steps", "eval_steps": 1}
    trainer = train(tmp_path / "tiny-bert", board, BiasCardCallback(METHODS, every=1), **options)
    writer.close()
    logged = logged_by(trainer)
    # The Trainer's own tracker writes "eval_…" as "eval/…".
    assert {k: v for k, v in scalars(tmp_path / "runs").items() if "bias/" in k} == {
        key.replace("eval_", "eval/", 1): values for key, values in logged.items()
    }
