"""Every p-value and interval that a user sees first, simulated a few times; the documentation has the long runs."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from benchmarks.calibration import draws, situations
from evaluate_bias.registry import METHODS

SITUATIONS = situations()
ROOT = Path(__file__).parents[1]


@pytest.mark.nightly
@pytest.mark.parametrize("index", range(len(SITUATIONS)), ids=[f"{s.method}: {s.what}" for s in SITUATIONS])
def test_rejection_and_coverage(index: int) -> None:
    situation = SITUATIONS[index]
    found = draws(index, 0, situation.few)
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


@pytest.mark.parametrize("name", ["calibration", "trust"])
def test_the_command_of_the_documentation_needs_no_setting(name: str, tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, ROOT / "benchmarks" / f"{name}.py", "--help"],
        env={**os.environ, "PYTHONPATH": str(ROOT / "src")},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "--write" in done.stdout
