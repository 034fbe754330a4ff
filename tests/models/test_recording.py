"""What is kept of a model's answers comes back as what it was."""

from __future__ import annotations

import importlib

import numpy as np
import pytest

from evaluate_bias.models.recording import _CLASSES, ValueEncoder, decoded
from evaluate_bias.result import Skipped


def test_a_skip_comes_back() -> None:
    skipped = Skipped("nurse", "not in the vocabulary", where="en")
    assert decoded(ValueEncoder().encode([skipped]), np.empty(0)) == [skipped]


@pytest.mark.parametrize(("name", "module"), _CLASSES.items())
def test_every_class_is_where_it_is_looked_for(name: str, module: str) -> None:
    assert getattr(importlib.import_module(f"evaluate_bias.{module}"), name).__name__ == name
