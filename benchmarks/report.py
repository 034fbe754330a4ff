"""CPU time of ``evaluate-bias report`` on many results: kept results of five methods, with other scores for each model.

    python benchmarks/report.py [--models 200]

The time is that of the whole command: it starts Python, imports, reads the file, draws and writes.
"""

from __future__ import annotations

import argparse
import dataclasses
import resource
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from evaluate_bias.experiments.results_file import read_file, write_results
from evaluate_bias.result import Result

KEPT = Path(__file__).resolve().parents[1] / "tests" / "readings" / "results"
METHODS = ("weat_several_tests", "rnd_glove", "crows_pairs_ties_30", "pll_found_in_part", "stereoset_found")


def other_score(of: Any, rng: np.random.Generator) -> Any:
    """The same with its score elsewhere in the middle half of its interval, where it has one."""
    if of.ci_low is None or of.ci_high is None:
        return of
    middle, width = (of.ci_low + of.ci_high) / 2, of.ci_high - of.ci_low
    return dataclasses.replace(of, score=float(middle + rng.uniform(-0.25, 0.25) * width))


def results(models: int) -> list[Result]:
    """The results of so many models."""
    kept, rng = [read_file(KEPT / f"{name}.json")[0] for name in METHODS], np.random.default_rng(0)
    return [
        dataclasses.replace(
            other_score(one, rng),
            rows=tuple(other_score(row, rng) for row in one.rows),
            provenance={**one.provenance, "model": {"name": f"model-{i}"}},
        )
        for i in range(models)
        for one in kept
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--models", type=int, default=200)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        given = results(options.models)
        write_results(given, folder / "results.jsonl")
        command = [sys.executable, "-m", "evaluate_bias", "report", str(folder)]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        files = sum(path.is_file() for path in folder.rglob("*")) - 1
    seconds = used.ru_utime + used.ru_stime
    print(f"{len(given):,} results of {options.models} models: {files} files, {seconds:.1f} s of CPU")


if __name__ == "__main__":
    main()
