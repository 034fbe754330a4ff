"""Grids: what shared passes save, what a unit costs beside its measurement, and how that grows with their number.

    python benchmarks/grid.py                    # all sections
    python benchmarks/grid.py shared growth      # some
    python benchmarks/grid.py shared --pairs 60  # a part of the sentence pairs
    python benchmarks/grid.py shared --pairs 300 --bert-pairs 0 --repeats 3

shared   every masked-LM method on CrowS-Pairs: each alone on a model just loaded, then all in one grid. It should take
         at most 1.2 times the time of the costliest alone. Models are the demonstration model, and one with random
         weights of the shape and vocabulary of BERT-base (12 layers of 768, 30,522 tokens). Seconds of processor time,
         the least of some repeats; and operations in matrix products with weights, which are exact on any machine. How
         far the grid's numbers are from those measured alone is printed too.
growth   10 to 10,000 tiny units (seeds of one word-list test on eight word vectors), whose measurement is replaced by a
         ready result, so that all that is timed is the grid: milliseconds a unit of planning, running, running again
         with nothing to do, and reading back. Planning and running should be under 20 ms together, whatever the number.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import torch

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from evaluate_bias import api
from evaluate_bias.data import load_sentence_pairs
from evaluate_bias.experiments.config import GridConfig
from evaluate_bias.experiments.plan import make_plan
from evaluate_bias.experiments.run import run_grid
from evaluate_bias.experiments.store import Store
from evaluate_bias.models.alignment import Encoded
from evaluate_bias.models.batching import BatchRunner
from evaluate_bias.models.load import load_model
from evaluate_bias.models.masked import MaskedLM
from evaluate_bias.registry import METHODS
from tests.hostile.toy import write_toy

DEMONSTRATION = "demo-mlm-en"
BERT_BASE = (12, 768, 12)
"""Layers, width and heads."""
SIZES = (10, 100, 1_000, 10_000)


WORK: Counter[str] = Counter()
"""Tokens that went through a model, and operations in products with its weights."""


def count_work() -> None:
    run, linear = BatchRunner.run, torch.nn.functional.linear

    def counted(self: BatchRunner, lengths: Any, *args: Any, **kwargs: Any) -> Any:
        WORK["tokens"] += sum(lengths)
        return run(self, lengths, *args, **kwargs)

    def product(given: Any, weight: Any, *args: Any) -> Any:
        WORK["operations"] += 2 * given.numel() * weight.shape[0]
        return linear(given, weight, *args)

    BatchRunner.run = counted  # type: ignore[method-assign]
    torch.nn.functional.linear = product


def sharing_methods() -> list[str]:
    """The masked-LM methods whose default data are those of CrowS-Pairs: they read the same sentences."""
    return [
        name
        for name, record in METHODS.items()
        if record.data_defaults.get("source") == "crows_pairs" and "scores masked tokens" in record.needs
    ]


def numbers(value: Any) -> list[float]:
    if isinstance(value, dict):
        return [n for key in sorted(value) for n in numbers(value[key])]
    if isinstance(value, list):
        return [n for item in value for n in numbers(item)]
    return [float(value)] if isinstance(value, int | float) else []


def farthest(one: Any, other: Any) -> float:
    """The largest difference of two numbers at the same place, relative to the larger where that is above 1."""
    pairs = zip(numbers(one), numbers(other), strict=True)
    return max(abs(a - b) / max(1.0, abs(a), abs(b)) for a, b in pairs)


@dataclass(frozen=True)
class Spent:
    """Seconds of processor time (the least of the repeats), tokens through the model, operations, and what came."""

    seconds: float
    tokens: int
    operations: int
    found: Any

    def __str__(self) -> str:
        return f"{self.seconds:9.2f} s {self.tokens:10,} tokens {self.operations / 1e9:10,.1f} e9 operations"


def spent(work: Callable[[], Any], repeats: int) -> Spent:
    seconds = []
    for _ in range(repeats):
        before, start = WORK.copy(), time.process_time()
        found = work()
        seconds.append(time.process_time() - start)
    done = WORK - before
    return Spent(min(seconds), done["tokens"], done["operations"], found)


def shared(n_pairs: int | None, n_bert: int, repeats: int) -> None:
    with tempfile.TemporaryDirectory() as made:
        _shared(Path(made), DEMONSTRATION, n_pairs, repeats)
    if n_bert:
        with tempfile.TemporaryDirectory() as made:
            from benchmarks.scoring import random_bert

            for part in random_bert(*BERT_BASE):
                part.save_pretrained(f"{made}/bert-base-random")
            _shared(Path(made), f"{made}/bert-base-random", n_bert, repeats)


def _shared(folder: Path, model: str, n_pairs: int | None, repeats: int) -> None:
    methods = sharing_methods()
    rows = [row.model_dump(mode="json") for row in load_sentence_pairs("crows_pairs")][:n_pairs]
    keep = ("sent_more", "sent_less", "stereo_antistereo", "bias_type")
    lines = (json.dumps({name: row[name] for name in keep}, ensure_ascii=False) for row in rows)
    (folder / "pairs.jsonl").write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    print(f"\nshared: {len(rows)} pairs of CrowS-Pairs on {Path(model).name}, least of {repeats}")
    source = str(folder / "pairs.jsonl")
    warm = load_model(model)  # everything is imported, and every kernel has run
    if isinstance(warm, MaskedLM):
        warm.token_logprobs([item for item in warm.encode(["warm up"]) if isinstance(item, Encoded)])
    alone = {
        name: spent(lambda name=name: api.measure(name, load_model(model), source=source), repeats)
        for name in methods
    }
    for name, one in alone.items():
        print(f"  {name:14} {one}  score {one.found.score:.6f}", flush=True)
    runs = iter(range(repeats))
    config = GridConfig(models=[model], methods=methods, data=["pairs.jsonl"]).at(folder)
    outs = [folder / f"out-{k}" for k in range(repeats)]
    together = spent(lambda: run_grid(config, outs[next(runs)]), repeats)
    assert together.found.measured == len(methods)
    print(f"  {'together':14} {together}")
    costliest = {key: max(getattr(one, key) for one in alone.values()) for key in ("seconds", "operations")}
    print(
        f"  together of the costliest alone: {together.seconds / costliest['seconds']:.2f} times the seconds, "
        f"{together.operations / costliest['operations']:.3f} times the operations"
    )
    with Store(outs[0], read_only=True) as store:
        found = {unit.method: result for unit, result in store.results()}
    for name, one in alone.items():
        of_grid, expected = ([r.score, r.to_dict()["rows"]] for r in (found[name], one.found))
        far = (
            "bit-identical"
            if of_grid == expected
            else f"largest difference {farthest(of_grid, expected):.1e}"
        )
        print(f"    {name:14} {far}", flush=True)


def growth(sizes: tuple[int, ...]) -> None:
    print("\ngrowth: milliseconds a unit, by the clock (and of processor time)")
    print(f"  {'units':>6} {'plan':>16} {'run':>16} {'run again':>16} {'read':>16}")
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        write_toy(folder, "first")
        options = {"source": str(folder / "lists.jsonl"), "ci": "none"}
        ready = api.measure("weat", str(folder / "first.txt"), **options)
        api.measure, measure = (lambda *args, **kwargs: ready), api.measure
        try:
            for size in sizes:
                _growth(folder, size)
        finally:
            api.measure = measure


def _growth(folder: Path, size: int) -> None:
    methods = [{"method": "weat", "options": {"ci": "none"}}]
    config = GridConfig(models=["first.txt"], methods=methods, data=["lists.jsonl"], seeds=list(range(size)))
    config, out = config.at(folder), folder / f"out-{size}"
    marks = [(time.perf_counter(), time.process_time())]
    plan = make_plan(config)
    marks.append((time.perf_counter(), time.process_time()))
    for _ in range(2):
        run_grid(plan, out)
        marks.append((time.perf_counter(), time.process_time()))
    with Store(out, read_only=True) as store:
        assert len(store.results()) == size
    marks.append((time.perf_counter(), time.process_time()))
    spent = [[1000 * (b - a) / size for a, b in zip(*m, strict=True)] for m in pairwise(marks)]
    cells = " ".join(f"{wall:8.2f} ({cpu:5.2f})" for wall, cpu in spent)
    print(f"  {size:6} {cells}", flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("sections", nargs="*", default=["shared", "growth"])
    parser.add_argument("--pairs", type=int)
    parser.add_argument(
        "--bert-pairs", type=int, default=20, help="pairs on the shape of BERT-base; 0 leaves it out"
    )
    parser.add_argument("--repeats", type=int, default=1)
    parser.add_argument("--largest", type=int, default=SIZES[-1])
    given = parser.parse_args()
    count_work()
    if "shared" in given.sections:
        shared(given.pairs, given.bert_pairs, given.repeats)
    if "growth" in given.sections:
        growth(tuple(size for size in SIZES if size <= given.largest))
