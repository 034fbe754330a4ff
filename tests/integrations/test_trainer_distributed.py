"""The Trainer callback where several processes train: one measures, and the others do not wait for ever."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.support.processes import free_port, run_python

pytestmark = pytest.mark.nightly

ROOT = Path(__file__).parents[2]
SCRIPT = """
import torch, transformers
from evaluate_bias import api
from evaluate_bias.integrations.trainer import BiasCardCallback
from tests.support.tiny_models import CORPUS, tiny_masked

calls = []
measure = api.measure

def counting(name, model, **options):
    calls.append([name, torch.distributed.get_world_size()])
    return measure(name, model, **options)

api.measure = counting

class Tracker(transformers.TrainerCallback):
    logged = []

    def on_log(self, args, state, control, logs=None, **_):
        if args.process_index == 0 or any("bias" in key for key in logs):
            self.logged.append([state.global_step, sorted(key for key in logs if "bias" in key)])

model, tokenizer = tiny_masked("bert")
model.register_buffer("beside", torch.zeros(3))  # which a wrapped model sends around at each pass
examples = [tokenizer(text) for text in CORPUS[:8]]
callback = BiasCardCallback({"aul": {"source": None, "bias_types": "age"}}, every=1)
trainer = transformers.Trainer(
    model=model,
    args=transformers.TrainingArguments(
        output_dir="out", max_steps=2, eval_strategy="steps", eval_steps=1, per_device_train_batch_size=2,
        report_to=[], use_cpu=True, disable_tqdm=True, ddp_backend="gloo", save_strategy="no",
    ),
    train_dataset=examples,
    eval_dataset=examples[:2],
    data_collator=transformers.DataCollatorForLanguageModeling(tokenizer),
    processing_class=tokenizer,
    callbacks=[callback, Tracker()],
)
trainer.train()
weights = sum(float(p.detach().double().sum()) for p in model.parameters())
answer({
    "wrapped": type(trainer.model_wrapped).__name__,
    "calls": calls,
    "results": len(callback.results),
    "logged": [entry for entry in Tracker.logged if entry[1]],
    "steps": trainer.state.global_step,
    "history": sum("eval_bias/aul/overall" in entry for entry in trainer.state.log_history),
    "weights": weights,
})
torch.distributed.destroy_process_group()
"""


def surroundings(**more: str) -> dict[str, str]:
    """The environment of a process that finds these tests, and the others at a port of their own."""
    path = os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])
    address = {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(free_port())}
    return {**os.environ, "PYTHONPATH": path, **address, **more}


def test_one_of_two_processes_measures_and_logs_and_none_hangs(tmp_path):
    shared = surroundings(WORLD_SIZE="2")

    def process(rank):
        environment = {**shared, "RANK": str(rank), "LOCAL_RANK": str(rank)}
        found: dict = run_python(SCRIPT, environment, tmp_path)
        return found

    with ThreadPoolExecutor(2) as both:
        first, second = both.map(process, range(2))
    assert first["wrapped"] == second["wrapped"] == "DistributedDataParallel"
    assert first["steps"] == second["steps"] == 2
    # Before training and at both evaluations; the second is of the final model, which is then not measured again.
    assert first["calls"] == [["aul", 2]] * 3
    assert [step for step, _ in first["logged"]] == [0, 1, 2]
    assert all("eval_bias/aul/overall" in keys for _, keys in first["logged"])
    assert (first["history"], first["results"]) == (3, 1)
    assert (second["calls"], second["logged"], second["history"], second["results"]) == ([], [], 0, 0)
    assert first["weights"] == second["weights"]  # both went on with the same model
    assert len((tmp_path / "out" / "bias_results.jsonl").read_text(encoding="utf-8").splitlines()) == 1


SHARDED = """
import copy, warnings
from types import SimpleNamespace
import torch
from torch.distributed import fsdp
from evaluate_bias.integrations.trainer import BiasCardCallback
from tests.support.tiny_models import tiny_masked

class FullyShardedDataParallel(torch.nn.Module):  # the first of its kind, which needs a GPU
    def __init__(self, module):
        super().__init__()
        self.module, self.config = module, module.config

torch.distributed.init_process_group("gloo", rank=0, world_size=1)
mesh = torch.distributed.init_device_mesh("cpu", (1,))
found = []
for shard in (lambda m: fsdp.fully_shard(m, mesh=mesh), FullyShardedDataParallel, lambda m: m):
    model, tokenizer = copy.deepcopy(tiny_masked("bert"))
    callback = BiasCardCallback({"aul": {"source": None, "bias_types": "age"}}, model_name="tiny")
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        state, args = SimpleNamespace(global_step=1), SimpleNamespace(world_size=2)
        callback._measure(args, state, shard(model), tokenizer)
    found.append([len(callback.results), [str(w.message) for w in seen if "evaluate-bias" in str(w.message)]])
answer(found)
torch.distributed.destroy_process_group()
"""


def test_weights_that_are_spread_over_processes_are_not_measured_by_one(tmp_path):
    *spread, whole = run_python(SHARDED, surroundings(), tmp_path)
    assert whole == [1, []]
    for count, (said,) in spread:
        assert count == 0
        assert "its weights are spread over 2 processes, and only the first of them measures" in said
