"""Grids: what shared passes save, what a unit costs beside its measurement, and how that grows with their number.

    python benchmarks/grid.py                    # all sections
    python benchmarks/grid.py shared growth      # some
    python benchmarks/grid.py shared --pairs 60  # a part of the sentence pairs

shared   every masked-LM method on CrowS-Pairs, on the demonstration model: each alone on a model just loaded, then all
         in one grid, for the methods that mask each token in turn, those that read whole sentences, and both. Where
         methods ask for the same passes, the grid's time should be at most 1.2 times that of the costliest alone. How
         far its numbers are from those measured alone is printed too.
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
from itertools import pairwise
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from evaluate_bias import api
from evaluate_bias.data import load_sentence_pairs
from evaluate_bias.experiments.config import GridConfig
from evaluate_bias.experiments.plan import make_plan
from evaluate_bias.experiments.run import run_grid
from evaluate_bias.experiments.store import Store
from evaluate_bias.models.batching import BatchRunner
from evaluate_bias.models.load import load_model
from evaluate_bias.registry import METHODS
from tests.hostile.toy import write_toy

MODEL = "demo-mlm-en"
WHOLE_SENTENCES = {"aul", "aula", "kldivs"}
"""Methods that read sentences with nothing masked; the others mask one token after the other, in some 14 copies."""
SIZES = (10, 100, 1_000, 10_000)


TOKENS: Counter[str] = Counter()
"""Tokens that went through a model."""


def count_tokens() -> None:
    run = BatchRunner.run

    def counted(self: BatchRunner, lengths: Any, *args: Any, **kwargs: Any) -> Any:
        TOKENS["all"] += sum(lengths)
        return run(self, lengths, *args, **kwargs)

    BatchRunner.run = counted  # type: ignore[method-assign]


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


def shared(n_pairs: int | None) -> None:
    methods = sharing_methods()
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        rows = [row.model_dump(mode="json") for row in load_sentence_pairs("crows_pairs")][:n_pairs]
        keep = ("sent_more", "sent_less", "stereo_antistereo", "bias_type")
        lines = (json.dumps({name: row[name] for name in keep}, ensure_ascii=False) for row in rows)
        (folder / "pairs.jsonl").write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
        print(f"\nshared: {len(rows)} pairs of CrowS-Pairs on {MODEL}; seconds of processor time")
        load_model(MODEL).embed_in_context(["warm up"], None, ["sentence_mean"])
        alone: dict[str, tuple[float, Any]] = {}
        tokens: dict[str, int] = {}
        for name in methods:
            start, before = time.process_time(), TOKENS.total()
            result = api.measure(name, load_model(MODEL), source=str(folder / "pairs.jsonl"))
            alone[name] = time.process_time() - start, result
            tokens[name] = TOKENS.total() - before
            print(
                f"  {name:14} alone {alone[name][0]:8.2f} s  {tokens[name]:9,} tokens  score {result.score:.6f}"
            )
        for what, kind in (
            ("masked copies", [name for name in methods if name not in WHOLE_SENTENCES]),
            ("whole sentences", [name for name in methods if name in WHOLE_SENTENCES]),
            ("all", methods),
        ):
            _together(folder, what, kind, alone, tokens)


def _together(
    folder: Path, what: str, methods: list[str], alone: dict[str, tuple[float, Any]], tokens: dict[str, int]
) -> None:
    config = GridConfig(models=[MODEL], methods=methods, data=["pairs.jsonl"]).at(folder)
    out = folder / what.replace(" ", "-")
    start, before = time.process_time(), TOKENS.total()
    summary = run_grid(config, out)
    together, read = time.process_time() - start, TOKENS.total() - before
    assert summary.measured == len(methods)
    with Store(out, read_only=True) as store:
        found = {unit.method: result for unit, result in store.results()}
    seconds = {name: alone[name][0] for name in methods}
    most, costliest = max(tokens[name] for name in methods), max(seconds.values())
    print(f"  {what}: {', '.join(methods)}")
    print(
        f"    one by one {sum(seconds.values()):.2f} s, costliest {costliest:.2f} s, together {together:.2f} s: "
        f"{together / costliest:.2f} times the costliest"
    )
    print(
        f"    tokens through the model: {sum(tokens[name] for name in methods):,} one by one, {most:,} of the "
        f"costliest, {read:,} together: {read / most:.2f} times the costliest"
    )
    for name in methods:
        result = alone[name][1]
        same = found[name].to_dict()["rows"] == result.to_dict()["rows"] and found[name].score == result.score
        far = farthest(found[name].to_dict()["rows"], result.to_dict()["rows"])
        print(f"    {name:14} {'bit-identical' if same else f'largest difference {far:.1e}'}")


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
    parser.add_argument("--largest", type=int, default=SIZES[-1])
    given = parser.parse_args()
    count_tokens()
    if "shared" in given.sections:
        shared(given.pairs)
    if "growth" in given.sections:
        growth(tuple(size for size in SIZES if size <= given.largest))
