"""Harnesses that run here on planted rows in place of their published data."""

from __future__ import annotations

import importlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.data.test_logs_of_benchmarks import ROWS, written


def inspect_evals_log(replies: Sequence[str], folder: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """The log of inspect_evals' BBQ on the planted rows, answered by these replies; skips where it is not installed."""
    pytest.importorskip("inspect_evals")
    import inspect_ai
    from inspect_ai.dataset import MemoryDataset
    from inspect_ai.model import ModelOutput, ModelUsage, get_model

    task = importlib.import_module("inspect_evals.bbq.bbq")

    def planted(repo_id: str, record_to_sample: Any, **_: Any) -> MemoryDataset:
        return MemoryDataset([record_to_sample(row) for row in ROWS], name="bbq")

    monkeypatch.setattr(task, "load_hf_dataset_with_script", planted)
    outputs = [ModelOutput.from_content("mockllm/model", text) for text in replies]
    for output in outputs:
        output.usage = ModelUsage()
    (log,) = inspect_ai.eval(
        task.bbq(subsets=["Age"]), model=get_model("mockllm/model", custom_outputs=outputs), log_dir=str(folder),
        display="none", max_samples=1, max_connections=1,
    )  # fmt: skip
    return log


def plant_lm_eval_tasks(folder: Path, planted: Mapping[str, tuple[Sequence[Any], str]]) -> None:
    """Write tasks ``planted_NAME`` into a folder: rows of one's own for a published task; skips without lm-eval."""
    lm_eval = pytest.importorskip("lm_eval")
    tasks = Path(lm_eval.__file__).parent / "tasks"
    for name, (rows, yaml) in planted.items():
        path = written(list(rows), folder / f"{name}.jsonl")
        (folder / f"planted_{name}.yaml").write_text(
            f"include: {tasks / yaml}.yaml\ntask: planted_{name}\ndataset_path: json\ndataset_name: null\n"
            f"dataset_kwargs: {{data_files: {{test: {path}}}}}\n"
        )
