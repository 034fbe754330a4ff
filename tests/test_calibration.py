"""Every p-value and interval that a user sees first, simulated a few times; the documentation has the long runs."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from benchmarks.calibration import COLUMNS, draws, outcome, row, rows_by_table, situations, tables
from benchmarks.calibrations import Draw, Table
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


def test_a_draw_without_test_or_interval_is_a_miss() -> None:
    """Of ten draws four have a test, which rejects in two, and six an interval, of which five hold the truth."""
    found = [
        Draw(0.01 if i < 2 else 0.5 if i < 4 else None, *((-1.0, 1.0) if i < 6 else (None, None)), truth)
        for i, truth in enumerate([0.0] * 5 + [2.0] + [0.0] * 4)
    ]
    seen = outcome(found)
    assert (seen.rejected, seen.covered, seen.missing, seen.runs) == (20.0, 50.0, 60.0, 10)
    untested = outcome([d._replace(p_value=None) for d in found])
    assert (untested.rejected, untested.covered, untested.missing) == (None, 50.0, 40.0)


def test_a_line_has_as_many_cells_as_columns() -> None:
    one = next(s for s in SITUATIONS if s.method == "crows_pairs")
    found = [Draw(0.5, -1.0, 1.0, 0.0)] * 2
    assert row(one, found).count(" | ") == len(COLUMNS) - 1


def test_every_method_has_a_situation() -> None:
    assert {s.method for s in SITUATIONS} == set(METHODS)


@pytest.mark.parametrize("method", sorted(METHODS))
def test_a_line_that_misses_says_why(method: str) -> None:
    """Of nulls 3.5 to 6.5% are rejected and 93.5 to 96.5% of intervals contain the truth, or the line says why.

    Within two standard errors of these bounds a line may miss by chance.
    """
    text = (ROOT / "docs" / "calibration" / f"{method}.md").read_text(encoding="utf-8")
    head, _, *lines = [[cell.strip() for cell in line.strip("|").split("|")] for line in text.splitlines()]
    assert tuple(head) == COLUMNS
    rows = [one for one in SITUATIONS if one.method == method]
    for one, (what, kind, rejected, covered, _, runs, why) in zip(rows, lines, strict=True):
        assert (what, kind) == (one.what, one.kind)
        shares = [(covered, 93.5, 96.5), *([(rejected, 3.5, 6.5)] if kind == "null" else [])]
        for share, low, high in shares:
            if share != "—" and not why:
                slack = 2 * 100 * (0.035 * 0.965 / int(runs.replace(",", ""))) ** 0.5
                assert low - slack <= float(share.split(" ± ")[0]) <= high + slack, (what, share)


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
