"""The page that helps to choose names every method."""

from __future__ import annotations

import re
from pathlib import Path

from evaluate_bias.registry import METHODS

PAGE = Path(__file__).parents[1] / "docs" / "which-metric.md"


def test_every_method_stands_in_the_table():
    table = [line for line in PAGE.read_text(encoding="utf-8").splitlines() if line.startswith("|")]
    run = [name for line in table for name in re.findall(r"`(\w+)`", line.split("|")[2])]
    assert sorted(set(METHODS) - set(run)) == []
    assert len(run) == len(set(run)), "one place for each"
