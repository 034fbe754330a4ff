"""Runs the command line in processes of its own and kills them at a chosen moment.

The process started with ``python -m tests.hostile.killed`` imports everything once; for each request, a line of JSON,
it forks a child that runs the command, and answers with how that ended. A moment is the nth time that the child is
about to write below a folder (``at``), a little later (``delay``), or so many seconds after its start (``after``).
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

__all__ = ["Commands", "Ended"]

_CHANGES = (
    "os.rename",
    "os.mkdir",
    "os.remove",
    "os.rmdir",
    "os.link",
    "os.symlink",
    "os.truncate",
    "os.chmod",
)
_WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND


@dataclass
class Ended:
    """How a command ended: its exit code (-9: killed), what it printed, and its writes.

    Each write is what was about to happen, and how many results there were in ``count`` then.
    """

    code: int
    printed: str
    writes: list[tuple[str, int]]
    seconds: float


class Commands:
    """The process that runs commands."""

    def __init__(self, cwd: Path, env: dict[str, str]) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.hostile.killed"],
            cwd=Path(__file__).parents[2],
            env={**os.environ, **env},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        self._cwd = cwd

    def run(
        self,
        *arguments: object,
        below: Path,
        cache: Path,
        count: Path | None = None,
        fetch: bool = False,
        at: int = 0,
        delay: float = 0.0,
        after: float = 0.0,
    ) -> Ended:
        """Run a command, or fetch an address into the cache, and kill it at a moment if one is given."""
        request = {
            "arguments": [str(a) for a in arguments],
            "cwd": str(self._cwd),
            "below": str(below),
            "cache": str(cache),
            "fetch": fetch,
            "count": str(count or ""),
            "at": at,
            "delay": delay,
            "after": after,
        }
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(f"{json.dumps(request)}\n")
        self._process.stdin.flush()
        answer = json.loads(self._process.stdout.readline())
        return Ended(
            answer["code"], answer["printed"], [(w, n) for w, n in answer["writes"]], answer["seconds"]
        )

    def close(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait(timeout=300)


def _about_to_write(event: str, values: tuple[Any, ...]) -> str:
    """The path that an event is about to change, empty where it changes none."""
    if event in _CHANGES:
        return os.fsdecode(values[0]) if isinstance(values[0], (str, bytes, os.PathLike)) else ""
    if event == "open" and isinstance(values[0], (str, bytes, os.PathLike)) and values[2] & _WRITES:
        return os.fsdecode(values[0])
    return ""


def _child(request: dict[str, Any], report: int, printed: int) -> None:
    """Run the command and report each write before it happens."""
    count, seen = Path(request["count"]) if request["count"] else None, 0

    def hook(event: str, values: tuple[Any, ...]) -> None:
        nonlocal seen
        path = _about_to_write(event, values)
        if not path or not Path(request["cwd"], path).is_relative_to(request["below"]):
            return
        seen += 1
        results = count.read_bytes().count(b"\n") if count is not None and count.is_file() else 0
        os.write(report, f"{json.dumps([f'{event} {Path(path).name}', results])}\n".encode())
        if seen == request["at"]:
            command = os.getpid()
            if request["delay"] and os.fork():  # the parent is killed a little later, wherever it is then
                return
            time.sleep(request["delay"])
            if command in (os.getpid(), os.getppid()):  # one that has ended is no parent any more
                os.kill(command, signal.SIGKILL)
            os._exit(0)

    os.chdir(request["cwd"])
    os.environ["EVALUATE_BIAS_CACHE"] = request["cache"]
    os.dup2(printed, 1)
    os.dup2(printed, 2)
    sys.addaudithook(hook)
    from evaluate_bias.cli.main import app, guarded

    code = 0
    try:
        if request["fetch"]:
            _fetch(*request["arguments"])
        else:
            guarded(lambda: app(args=request["arguments"], prog_name="evaluate-bias"))
    except SystemExit as leave:
        code = int(leave.code or 0)
    except BaseException:
        import traceback

        traceback.print_exc()
        code = 70
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


def _fetch(address: str, digest: str) -> None:
    from evaluate_bias.assets import Asset, Url, fetch

    asset = Asset(
        name="file",
        kind="text",
        description="",
        language="en",
        licence="",
        size=1,
        source=Url(address, digest),
    )
    fetch(asset, offline=False)


def warm_up(folder: Path) -> None:
    from evaluate_bias.cli.main import app
    from tests.hostile.toy import METHODS, run_arguments, write_toy

    write_toy(folder, "first")
    for arguments in (
        run_arguments(folder, "first", methods=METHODS),
        ["report", folder / "out"],
        ["card", folder / "out", "--card", folder / "README.md"],
    ):
        app(args=[str(a) for a in arguments], prog_name="evaluate-bias", standalone_mode=False)


def _serve() -> None:
    import tempfile

    import pyarrow.parquet

    assert pyarrow.parquet is not None
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    with tempfile.TemporaryDirectory() as folder:  # once here, so that no child imports anything
        warm_up(Path(folder))
    for line in sys.stdin:
        request = json.loads(line)
        with tempfile.TemporaryFile() as report, tempfile.TemporaryFile() as printed:
            started = time.monotonic()
            child = os.fork()
            if not child:
                _child(request, report.fileno(), printed.fileno())
            if request["after"]:
                time.sleep(request["after"])
                os.kill(child, signal.SIGKILL)
            _, status = os.waitpid(child, 0)
            seconds = time.monotonic() - started
            report.seek(0)
            printed.seek(0)
            answer = {
                "code": os.waitstatus_to_exitcode(status),
                "printed": printed.read().decode("utf-8", "replace"),
                "writes": [json.loads(entry) for entry in report],
                "seconds": seconds,
            }
        print(json.dumps(answer), file=answers, flush=True)


if __name__ == "__main__":
    _serve()
