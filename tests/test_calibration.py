"""Every p-value and interval that a user sees first, simulated a few times; the documentation has the long runs."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from benchmarks.calibration import draws, row, rows_by_table, situations, tables
from benchmarks.calibrations import Table
from evaluate_bias.registry import METHODS

SITUATIONS = situations()
ROWS = [(table, i) for table, rows in rows_by_table().items() for i in range(len(rows))]
ROOT = Path(__file__).parents[1]


@pytest.mark.nightly
@pytest.mark.parametrize(("table", "index"), [(t, i) for t, i in ROWS if t in METHODS])
def test_rejection_and_coverage(table: str, index: int) -> None:
    situation = rows_by_table()[table][index]
    found = draws(table, index, 0, situation.few)
    p = np.array([d.p_value for d in found if d.p_value is not None])
    held = np.array([d.low <= d.truth <= d.high for d in found if d.low is not None and d.truth is not None])
    assert len(p) or len(held)
    assert ((p >= 0) & (p <= 1)).all()
    if situation.misses:
        return
    # Bounds that a right test or interval leaves once in ten thousand times, with the tolerance of the documentation.
    if situation.kind == "null" and len(p):
        assert (p <= 0.05).sum() <= stats.binom.ppf(0.9999, len(p), 0.065)
    if len(held):
        assert held.sum() >= stats.binom.ppf(0.0001, len(held), 0.93)


def test_every_method_has_a_situation() -> None:
    assert {s.method for s in SITUATIONS} == set(METHODS)


@pytest.mark.parametrize("table", [table for table in tables() if table.name != "gate"], ids=lambda t: t.name)
def test_a_table_of_the_documentation_has_the_rows_that_are_drawn(table: Table) -> None:
    """As many columns, and the same cases; the gate's figures are tested exactly beside the gate."""
    text = (ROOT / "docs" / "calibration" / f"{table.name}.inc.md").read_text(encoding="utf-8")
    head, _, *lines = [[cell.strip() for cell in line.strip("| ").split(" | ")] for line in text.splitlines()]
    assert tuple(head) == table.columns
    assert [tuple(line[: len(case.what)]) for line, case in zip(lines, table.cases, strict=True)] == [
        case.what for case in table.cases
    ]
    line = row(table.cases[0], draws(table.name, 0, 0, 2))
    assert line.count(" | ") == len(table.columns) - 1


def test_the_command_of_the_documentation_needs_no_setting(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, ROOT / "benchmarks" / "calibration.py", "--help"],
        env={**os.environ, "PYTHONPATH": str(ROOT / "src")},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "--write" in done.stdout
