"""Run a piece of Python in a fresh process and get its answer; a port for processes that are still to start."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import textwrap
from collections.abc import Mapping
from pathlib import Path
from typing import Any

__all__ = ["free_port", "run_python"]

_PRELUDE = """
import json, sys

class Absent:
    names = {without!r}

    def find_spec(self, name, path=None, target=None):
        if name in self.names:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)

sys.meta_path.insert(0, Absent())

def answer(value):
    print("\\nANSWER " + json.dumps(value))
"""


def free_port() -> int:
    """A port of 127.0.0.1 that is free, and below those that systems give to whoever asks for any."""
    for port in range(20_000 + os.getpid() % 10_000, 32_768):
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
        return port
    raise AssertionError("no port is free")


def run_python(
    code: str,
    env: Mapping[str, str],
    cwd: Path,
    *,
    python: Path | str = sys.executable,
    without: tuple[str, ...] = (),
    timeout: float = 900.0,
) -> Any:
    """Run ``code`` in a fresh process, in the folder ``cwd``, and return what it passed to ``answer(value)``.

    The packages named in ``without`` cannot be imported there, as if they were not installed.

    Raises:
        AssertionError: the process failed or gave no answer; the text holds its output.
    """
    script = _PRELUDE.format(without=without) + textwrap.dedent(code)
    done = subprocess.run(
        [str(python), "-c", script],
        env=dict(env),
        cwd=cwd,
        capture_output=True,
        text=True,
        timeout=timeout,
        check=False,
    )
    answers = [
        line.removeprefix("ANSWER ") for line in done.stdout.splitlines() if line.startswith("ANSWER ")
    ]
    if done.returncode != 0 or not answers:
        raise AssertionError(f"exit {done.returncode}\n{done.stdout}\n{done.stderr}")
    return json.loads(answers[-1])
