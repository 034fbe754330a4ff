"""The examples of the property tests are the same whatever ran before them in their process."""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType

import pytest
from hypothesis import given
from hypothesis import strategies as st


def examples() -> list[tuple[int, str]]:
    seen: list[tuple[int, str]] = []

    @given(st.integers(), st.text())
    def draw(number: int, text: str) -> None:
        seen.append((number, text))

    draw()
    return seen


def test_examples_do_not_depend_on_what_has_been_imported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = examples()
    assert len(set(before)) > 30
    module = ModuleType("one_more")
    module.__file__ = str(tmp_path / "one_more.py")
    lines = (f"N{n} = {10_000 + 7 * n}; T{n} = 'constant {n}'\n" for n in range(400))
    Path(module.__file__).write_text("".join(lines), encoding="utf-8")
    monkeypatch.setitem(sys.modules, module.__name__, module)
    assert examples() == before
