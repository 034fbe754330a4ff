"""What is found beside what is expected."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest


def agree(found: Any, expected: Any, where: str = "", rel: float = 1e-9) -> None:
    """Everything expected is found, numbers to nine digits; what a mapping does not name may be anything."""
    if isinstance(expected, Mapping):
        for key, value in expected.items():
            agree(found[key], value, f"{where} {key}", rel)
    elif isinstance(expected, (list, tuple)):
        assert len(found) == len(expected), where
        for place, value in enumerate(expected):
            agree(found[place], value, f"{where} {place}", rel)
    elif isinstance(expected, float):
        assert found == pytest.approx(expected, rel=rel, abs=1e-12), where
    else:
        assert found == expected, where
