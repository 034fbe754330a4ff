"""How often p-values reject under the null and how often intervals hold the truth, simulated.

``python benchmarks/calibration.py [METHOD …]`` prints a table per method; ``--write`` puts it where the method's page
includes it. ``--runs N`` changes the number of draws, ``--processes N`` how many cores work.
Every situation draws from a stream of its own, so that its figures do not depend on what else is run.
"""

from __future__ import annotations

import argparse
import importlib
import math
import multiprocessing
import pkgutil
import sys
import time
import zlib
from pathlib import Path
from typing import NamedTuple

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import benchmarks.calibrations as package
from benchmarks.calibrations import Draw, Situation

PAGES = Path(__file__).parents[1] / "docs" / "calibration"
ALPHA = 0.05
CHUNK = 50


class Outcome(NamedTuple):
    """What the draws of one situation came to; shares in percent, ``None`` where there is no p-value or interval."""

    rejected: float | None
    covered: float | None
    runs: int


def situations() -> list[Situation]:
    """All situations, by method."""
    modules = [
        importlib.import_module(f"{package.__name__}.{m.name}")
        for m in pkgutil.iter_modules(package.__path__)
    ]
    return [s for module in modules for s in module.SITUATIONS]


def draws(index: int, first: int, last: int) -> list[Draw]:
    """Draws ``first`` to ``last`` of a situation, each from its own stream."""
    situation = situations()[index]
    stream = zlib.crc32(f"{situation.method}: {situation.what}".encode())
    return [situation.draw(np.random.default_rng([stream, i])) for i in range(first, last)]


def outcome(found: list[Draw]) -> Outcome:
    """Shares of rejections and of intervals that hold the truth."""
    p = [d.p_value for d in found if d.p_value is not None]
    held = [
        d.low <= d.truth <= d.high
        for d in found
        if d.low is not None and d.high is not None and d.truth is not None
    ]
    return Outcome(
        rejected=100 * float(np.mean(np.array(p) <= ALPHA)) if p else None,
        covered=100 * float(np.mean(held)) if held else None,
        runs=len(found),
    )


def row(situation: Situation, seen: Outcome, above: str = "") -> str:
    """One line of the table, with the standard error of each share; ``above`` is the last reason in the table."""

    def share(value: float | None) -> str:
        if value is None:
            return "—"
        return f"{value:.1f} ± {100 * math.sqrt(value / 100 * (1 - value / 100) / seen.runs):.1f}"

    return (
        f"| {situation.what} | {situation.kind} | {share(seen.rejected)} | {share(seen.covered)} | {seen.runs:,} |"
        f" {'as above' if situation.misses == above and above else situation.misses} |"
    )


HEAD = (
    "| situation | kind | rejected at 5 % | interval holds the truth, % | draws | where it misses, and why |\n"
    "|---|---|---|---|---|---|"
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("methods", nargs="*", help="methods; by default all")
    parser.add_argument("--runs", type=int, help="number of draws of every situation")
    parser.add_argument("--processes", type=int, default=multiprocessing.cpu_count())
    parser.add_argument("--write", action="store_true", help="write the tables of the documentation")
    options = parser.parse_args()
    chosen = [
        (i, s) for i, s in enumerate(situations()) if not options.methods or s.method in options.methods
    ]
    if not chosen:
        parser.error(f"no situation of {', '.join(options.methods)}")
    with multiprocessing.get_context("spawn").Pool(options.processes) as pool:
        for method in dict.fromkeys(s.method for _, s in chosen):
            start, lines, above = time.monotonic(), [HEAD], ""
            for i, situation in chosen:
                if situation.method != method:
                    continue
                runs = options.runs or situation.runs
                parts = [(i, k, min(k + CHUNK, runs)) for k in range(0, runs, CHUNK)]
                seen = outcome([d for part in pool.starmap(draws, parts) for d in part])
                lines.append(row(situation, seen, above))
                above = situation.misses or above
            print(f"\n{method}, {time.monotonic() - start:.0f} s\n\n" + "\n".join(lines), flush=True)
            if options.write:
                (PAGES / f"{method}.md").write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
