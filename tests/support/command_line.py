"""The command line in this process, with streams as strict as a terminal's."""

from __future__ import annotations

import contextlib
import io
from dataclasses import dataclass
from typing import Any

from click.testing import Result as Shown
from typer.testing import CliRunner

from evaluate_bias.cli.main import app, guarded, run_words

__all__ = ["CommandEnd", "Shown", "run_app", "run_command"]


@dataclass
class CommandEnd:
    """How a command ended: its exit code and what it printed."""

    code: int
    out: str
    err: str


def run_app(*words: object, **options: Any) -> Shown:
    """Run ``evaluate-bias`` with these words; an error that it raises is ``exception``."""
    return CliRunner().invoke(app, [str(word) for word in words], **options)


def run_command(*words: object) -> CommandEnd:
    """Run ``evaluate-bias`` with these words, errors written as the installed command writes them."""
    streams = [
        io.TextIOWrapper(io.BytesIO(), "utf-8", errors=errors, newline="\n")
        for errors in ("strict", "backslashreplace")
    ]
    code = 0
    with contextlib.redirect_stdout(streams[0]), contextlib.redirect_stderr(streams[1]):
        try:
            guarded(lambda: run_words([str(word) for word in words]))
        except SystemExit as leave:
            code = 0 if leave.code is None else int(leave.code)
    printed = []
    for stream in streams:
        stream.flush()
        printed.append(stream.buffer.getvalue().decode("utf-8"))
    return CommandEnd(code, *printed)
