"""Which tests are about one method: its own, and its part of the tables that hold for every method."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TESTS = ROOT / "tests"
TABLES = re.compile(r"\b(METHODS|every_method)\b")


@cache
def own_files(method: str) -> tuple[Path, ...]:
    """Its test file, or without one those that name it, and its code, which has doctests; none of what is no method."""
    code = tuple(ROOT.glob(f"src/evaluate_bias/methods/*/{method}/*.py"))
    own = TESTS / "methods" / f"test_{method}.py"
    named = [path for path in TESTS.glob("methods/test_*.py") if f'"{method}"' in path.read_text("utf-8")]
    return (*([own] if own.exists() else named), *code) if code else ()


def is_table(path: Path) -> bool:
    """Whether a file is read for tests that take the name of a method, being among the tests of all or of several."""
    return path.parent in (TESTS, TESTS / "methods") and bool(TABLES.search(path.read_text("utf-8")))


def is_about(item: pytest.Item, method: str) -> bool:
    """Whether a test that was collected is about the method."""
    if item.path in own_files(method):
        return True
    arguments = getattr(item, "callspec", None)
    return arguments is not None and any(
        value == method if isinstance(value, str) else getattr(value, "name", None) == method
        for value in arguments.params.values()
    )
