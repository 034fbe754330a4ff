"""This build beside an earlier one, in one run: the demonstration, a report on 1,000 results, directions of 100 pairs.

    python benchmarks/today.py [--parts demo report directions] [--old d23210c3]

The earlier build is checked out into a temporary folder and runs with the same packages. Processor seconds are those of
all processes of a command; other work on the machine changes them less than the time on the clock.
"""

from __future__ import annotations

import argparse
import os
import re
import resource
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PARTS = ("demo", "report", "directions")
FINDING = re.compile(r"\(-?[\d.]+ to ")
"""How an interval is printed: the first is that of the first finding on the screen."""
DIRECTIONS = """
import numpy as np
from evaluate_bias import load_model, measure
words = [f"w{i}" for i in range(3000)]
model = load_model(dict(zip(words, np.random.default_rng(0).normal(size=(3000, 300)))))
names = ("targets_x", "targets_y", "attributes_a", "attributes_b")
test = {"name": "hundred", **{name: words[100 * i : 100 * i + 100] for i, name in enumerate(names)}}
for method in ("projection", "direct_bias"):
    print(method, measure(method, model, data=[test]).score)
"""


@dataclass(frozen=True)
class Seconds:
    """Of a command: on the clock, of the processors, and until a first finding was on the screen, if any was."""

    clock: float
    processor: float
    first: float | None


def command(part: str, tree: Path, out: Path) -> list[str]:
    """What runs a part of the benchmark in a checkout."""
    if part == "demo":
        here = (tree / "src" / "evaluate_bias" / "cli" / "demo.py").is_file()
        return ["-m", "evaluate_bias.cli.demo" if here else "evaluate_bias.demo", str(out)]
    return ["-c", DIRECTIONS] if part == "directions" else [str(tree / "benchmarks" / "report.py")]


def measured(part: str, tree: Path, out: Path) -> Seconds:
    """Run a part in a checkout."""
    environment = {**os.environ, "PYTHONPATH": str(tree / "src"), "PYTHONUNBUFFERED": "1"}
    environment.setdefault("EVALUATE_BIAS_CACHE", str(ROOT / ".cache" / "evaluate-bias"))
    before, start, first = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic(), None
    with subprocess.Popen(
        [sys.executable, *command(part, tree, out)],
        cwd=tree,
        env=environment,
        stdout=subprocess.PIPE,
        text=True,
    ) as run:
        for line in run.stdout or ():
            if first is None and FINDING.search(line):
                first = time.monotonic() - start
    if run.returncode:
        raise SystemExit(f"{part} failed in {tree}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    processor = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Seconds(time.monotonic() - start, processor, first)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--parts", nargs="+", choices=PARTS, default=PARTS)
    parser.add_argument("--old", default="d23210c3", help="commit of the earlier build")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        old = Path(name) / "old"
        git = ["git", "-C", str(ROOT), "worktree"]
        subprocess.run([*git, "add", "--quiet", "--detach", str(old), options.old], check=True)
        try:
            for part in options.parts:
                was = measured(part, old, Path(name) / f"{part}-old")
                now = measured(part, ROOT, Path(name) / f"{part}-new")
                for what in ("clock", "processor", "first"):
                    a, b = getattr(was, what), getattr(now, what)
                    if a is not None and b is not None:
                        print(f"{part:<12}{what:<12}{a:8.1f} s {b:8.1f} s   ratio {b / a:.2f}", flush=True)
        finally:
            subprocess.run([*git, "remove", "--force", str(old)], check=True)


if __name__ == "__main__":
    main()
