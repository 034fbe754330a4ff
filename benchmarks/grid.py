"""Grids: what shared passes save.

    python benchmarks/grid.py [--pairs 150] [--repeats 3]

Every masked-LM method on CrowS-Pairs: each alone on a model just loaded, then all in one grid. Together they should
take at most 1.2 times the time of the costliest alone. Seconds of processor time, the least of the repeats, and how far
the grid's numbers are from those measured alone.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from evaluate_bias import api
from evaluate_bias.data import load_sentence_pairs
from evaluate_bias.experiments.config import GridConfig
from evaluate_bias.experiments.run import run_grid
from evaluate_bias.experiments.store import Store
from evaluate_bias.models.alignment import Encoded
from evaluate_bias.models.load import load_model
from evaluate_bias.models.masked import MaskedLM
from evaluate_bias.registry import METHODS

MODEL = "demo-mlm-en"


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


def spent(work: Callable[[], Any], repeats: int) -> tuple[float, Any]:
    """Seconds of processor time, the least of the repeats, and what came of it."""
    seconds = []
    for _ in range(repeats):
        start = time.process_time()
        found = work()
        seconds.append(time.process_time() - start)
    return min(seconds), found


def shared(folder: Path, n_pairs: int | None, repeats: int) -> None:
    # The masked-LM methods whose default data are those of CrowS-Pairs read the same sentences.
    methods = [
        name
        for name, record in METHODS.items()
        if record.data_defaults.get("source") == "crows_pairs" and "scores masked tokens" in record.needs
    ]
    rows = [row.model_dump(mode="json") for row in load_sentence_pairs("crows_pairs")][:n_pairs]
    keep = ("sent_more", "sent_less", "stereo_antistereo", "bias_type")
    lines = (json.dumps({name: row[name] for name in keep}, ensure_ascii=False) for row in rows)
    (folder / "pairs.jsonl").write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    print(f"{len(rows)} pairs of CrowS-Pairs on {MODEL}, least of {repeats}")
    source = str(folder / "pairs.jsonl")
    warm = load_model(MODEL)  # everything is imported, and every kernel has run
    if isinstance(warm, MaskedLM):
        warm.token_logprobs([item for item in warm.encode(["warm up"]) if isinstance(item, Encoded)])
    alone = {
        name: spent(lambda name=name: api.measure(name, load_model(MODEL), source=source), repeats)
        for name in methods
    }
    runs = iter(range(repeats))
    config = GridConfig(models=[MODEL], methods=methods, data=["pairs.jsonl"]).at(folder)
    together, plan = spent(lambda: run_grid(config, folder / f"out-{next(runs)}"), repeats)
    assert plan.measured == len(methods)
    with Store(folder / "out-0", read_only=True) as store:
        found = {unit.method: result for unit, result in store.results()}
    for name, (seconds, expected) in alone.items():
        far = farthest(*([r.score, r.to_dict()["rows"]] for r in (found[name], expected)))
        print(f"  {name:14} {seconds:8.2f} s, largest difference {far:.1e}")
    costliest = max(seconds for seconds, _ in alone.values())
    print(f"  {'together':14} {together:8.2f} s, {together / costliest:.2f} times the costliest alone")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--pairs", type=int, help="by default all")
    parser.add_argument("--repeats", type=int, default=1)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as made:
        shared(Path(made), given.pairs, given.repeats)
