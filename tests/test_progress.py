"""The progress bar appears on a terminal after a while, and nowhere else."""

from __future__ import annotations

import io
import sys
import types

import pytest

from evaluate_bias.progress import track


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize("total", [None, 3])
def test_long_work_on_a_terminal_shows_what_is_done(
    monkeypatch: pytest.MonkeyPatch, total: int | None
) -> None:
    monkeypatch.setattr(sys, "stderr", terminal := Terminal())
    with track("counting words", total, unit="bytes", delay=0.0) as advance:
        advance(1)
    assert "counting words" in terminal.getvalue()


def test_short_work_prints_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", terminal := Terminal())
    with track("counting words", 3, delay=3600.0) as advance:
        advance(3)
    assert terminal.getvalue() == ""


@pytest.mark.parametrize("is_open", [True, False])
def test_a_notebook_shows_it_where_somebody_has_it_open(
    monkeypatch: pytest.MonkeyPatch, is_open: bool
) -> None:
    """Standard error is no terminal there; run unseen, a notebook would keep a line for each step."""
    shell = types.SimpleNamespace(kernel=types.SimpleNamespace(_allow_stdin=is_open))
    monkeypatch.setitem(sys.modules, "ipykernel", types.ModuleType("ipykernel"))
    monkeypatch.setitem(sys.modules, "IPython", types.SimpleNamespace(get_ipython=lambda: shell))
    monkeypatch.setattr(sys, "stderr", stream := io.StringIO())
    with track("counting words", 3, delay=0.0) as advance:
        advance(1)
    assert ("counting words" in stream.getvalue()) is is_open


@pytest.mark.parametrize("enabled", [True, False])
def test_nothing_is_shown_where_nobody_looks(monkeypatch: pytest.MonkeyPatch, enabled: bool) -> None:
    monkeypatch.delitem(sys.modules, "ipykernel", raising=False)
    monkeypatch.setattr(sys, "stderr", stream := io.StringIO() if enabled else Terminal())
    with track("counting words", 3, delay=0.0, enabled=enabled) as advance:
        advance(3)
    assert stream.getvalue() == ""
