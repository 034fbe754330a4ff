"""The command stopped for real: Ctrl-C of the whole process group, a file that may not grow as on a full disk."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import yaml

from evaluate_bias.experiments.config import GridConfig
from evaluate_bias.experiments.run import run_grid
from evaluate_bias.experiments.store import Store
from tests.hostile.toy import write_toy

pytestmark = pytest.mark.slow

SEEDS = 400
"""Enough units for a run to be under way when it is stopped."""
GRID = {
    "models": ["first.txt", "second.txt"],
    "methods": [{"method": "mac", "options": {"ci_resamples": 2_000}}],
    "data": ["lists.jsonl"],
    "seeds": list(range(SEEDS)),
}
COMMAND = (
    "import signal, sys; signal.signal(signal.SIGINT, signal.default_int_handler)\n"  # pytest in a script ignores it
    "from evaluate_bias.cli.main import main; main()"
)


@pytest.fixture
def grid(tmp_path):
    write_toy(tmp_path, "first", "second")
    (tmp_path / "grid.yaml").write_text(yaml.safe_dump(GRID))
    return tmp_path


def start(folder: Path, *words: str, **how: object) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", COMMAND, "run", "grid.yaml", "-o", "out", *words],
        cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True, **how,
    )  # fmt: skip


def count(folder: Path) -> int:
    try:
        with Store(folder / "out", read_only=True) as store:
            return len(store.units())
    except Exception:  # not there yet
        return 0


def members(group: int) -> list[str]:
    """The processes of a group that are not over."""
    found = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            state, _, pgrp = path.read_text().rpartition(")")[2].split()[:3]
        except OSError:
            continue
        if int(pgrp) == group and state != "Z":
            found.append(path.parent.name)
    return found


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs /proc to see processes")
def test_ctrl_c_ends_everything_with_130_and_loses_nothing(grid):
    process = start(grid, "--workers", "2", "--threads", "1")
    deadline = time.monotonic() + 600
    while (before := count(grid)) < 3 and process.poll() is None and time.monotonic() < deadline:
        time.sleep(0.05)
    assert before >= 3
    os.killpg(process.pid, signal.SIGINT)
    _, said = process.communicate(timeout=600)
    assert process.returncode == 130
    assert "stopped: the results are kept" in said
    assert "Traceback" not in said
    deadline = time.monotonic() + 300
    while members(process.pid) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert members(process.pid) == []
    kept = count(grid)
    assert before <= kept < 2 * SEEDS
    assert not list((grid / "out").glob(".*.lock"))
    again = run_grid(GridConfig(**{**GRID, "seeds": [0, 1, 2]}).at(grid), grid / "out")
    assert again.failed == []
    assert again.already_stored >= 3
