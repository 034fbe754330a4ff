"""Simulate how often p-values reject under the null, intervals contain the truth and verdicts are right.

``python benchmarks/calibration.py [TABLE …]`` prints tables: those of methods, by their names, and those of
docs/calibration.md (choices, compare, changes, gate, groups, prompts, trust, unread). ``--write`` puts each where its
page includes it. ``--runs N`` changes the number of draws, ``--processes N`` how many cores work.
Every row draws from a stream of its own, so that its figures do not depend on what else is run.
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
from typing import Any, NamedTuple

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import benchmarks.calibrations as package
from benchmarks.calibrations import Case, Draw, Situation, Table

PAGES = Path(__file__).parents[1] / "docs" / "calibration"
ALPHA = 0.05
CHUNK = 50


class Outcome(NamedTuple):
    """Outcomes of the draws of one situation, as shares of all draws in percent.

    Attributes:
        rejected: with a p-value of 5% or less, ``None`` if no draw has one.
        covered: with an interval that contains the truth, ``None`` if no draw has one.
        missing: without the p-value, or the interval, that other draws have. They count as misses in both shares.
        runs: number of draws.
    """

    rejected: float | None
    covered: float | None
    missing: float
    runs: int


def _all(name: str) -> list[Any]:
    modules = [
        importlib.import_module(f"{package.__name__}.{m.name}")
        for m in pkgutil.iter_modules(package.__path__)
    ]
    return [one for module in modules for one in getattr(module, name, ())]


def situations() -> list[Situation]:
    """All situations, by method."""
    return _all("SITUATIONS")


def tables() -> list[Table]:
    """The tables that are not of a method."""
    return _all("TABLES")


def rows_by_table() -> dict[str, list[Situation | Case]]:
    rows: dict[str, list[Situation | Case]] = {}
    for situation in situations():
        rows.setdefault(situation.method, []).append(situation)
    return rows | {table.name: list(table.cases) for table in tables()}


def draws(table: str, index: int, first: int, last: int) -> list[Any]:
    """Draws ``first`` to ``last`` of a row of a table, each from its own stream."""
    one = rows_by_table()[table][index]
    name = f"{one.method}: {one.what}" if isinstance(one, Situation) else " ".join(one.what)
    stream = zlib.crc32(name.encode())
    return [one.draw(np.random.default_rng([stream, i])) for i in range(first, last)]


def outcome(found: list[Draw]) -> Outcome:
    """Return the shares of all draws that reject and whose intervals contain the truth."""
    n = len(found)
    tested = [d for d in found if d.p_value is not None]
    with_interval = [d for d in found if d.low is not None and d.high is not None and d.truth is not None]
    is_missing = [
        (bool(tested) and d.p_value is None) or (bool(with_interval) and (d.low is None or d.high is None))
        for d in found
    ]
    return Outcome(
        rejected=100 * sum(d.p_value <= ALPHA for d in tested) / n if tested else None,
        covered=100 * sum(d.low <= d.truth <= d.high for d in with_interval) / n if with_interval else None,
        missing=100 * sum(is_missing) / n,
        runs=n,
    )


def row(one: Situation | Case, found: list[Any], above: str = "") -> str:
    """Return one line of the table, for a situation with the standard error of each share.

    ``above`` is the last reason in the table.
    """
    if isinstance(one, Case):
        return f"| {' | '.join([*one.what, *one.cells(found)])} |"
    seen = outcome(found)

    def share(value: float | None) -> str:
        if value is None:
            return "—"
        return f"{value:.1f} ± {100 * math.sqrt(value / 100 * (1 - value / 100) / seen.runs):.1f}"

    return (
        f"| {one.what} | {one.kind} | {share(seen.rejected)} | {share(seen.covered)} | {seen.missing:.1f} | "
        f"{seen.runs:,} | {'as above' if one.misses == above and above else one.misses} |"
    )


COLUMNS = (
    "situation", "kind", "rejected at 5 %", "interval holds the truth, %", "without test or interval, %", "draws",
    "where it misses, and why",
)  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("tables", nargs="*", help="by default all")
    parser.add_argument("--runs", type=int, help="number of draws of every row")
    parser.add_argument("--processes", type=int, default=multiprocessing.cpu_count())
    parser.add_argument("--write", action="store_true", help="write the tables of the documentation")
    options = parser.parse_args()
    rows = rows_by_table()
    own = {table.name: table.columns for table in tables()}
    if unknown := set(options.tables) - set(rows):
        parser.error(
            f"no table is called {', '.join(sorted(unknown))}: choose from {', '.join(sorted(rows))}"
        )
    with multiprocessing.get_context("spawn").Pool(options.processes) as pool:
        for name in options.tables or rows:
            columns = own.get(name, COLUMNS)
            start, above = time.monotonic(), ""
            lines = [f"| {' | '.join(columns)} |", f"|---|{'---:|' * (len(columns) - 1)}"]
            if name not in own:
                lines[1] = f"|{'---|' * len(columns)}"
            for i, one in enumerate(rows[name]):
                runs = options.runs or one.runs
                parts = [(name, i, k, min(k + CHUNK, runs)) for k in range(0, runs, CHUNK)]
                found = [d for part in pool.starmap(draws, parts) for d in part]
                lines.append(row(one, found, above))
                above = getattr(one, "misses", "") or above
            print(f"\n{name}, {time.monotonic() - start:.0f} s\n\n" + "\n".join(lines), flush=True)
            if options.write:
                page = PAGES / (f"{name}.inc.md" if name in own else f"{name}.md")
                page.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
