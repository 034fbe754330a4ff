"""Where uploads lie: a folder of this process, which goes with it, and how much lies there."""

from __future__ import annotations

import atexit
import functools
import os
import shutil
import tempfile
from pathlib import Path

from ..experiments.run_lock import RunLock

_NAME = "evaluate-bias-uploads"
_LEAST_BYTES = 2**16


@functools.cache
def upload_folder() -> Path:
    """Make the folder that gradio puts uploads into, and remove those of processes that have ended.

    Raises:
        OutputError: the temporary folder cannot be written.
    """
    home = Path(os.environ.get("GRADIO_TEMP_DIR") or tempfile.gettempdir()).resolve()
    home.mkdir(parents=True, exist_ok=True)
    lock = RunLock(home / _NAME)
    lock.hold()  # before there is a folder that another process could take for a left one
    for runner in lock.others():
        with lock.inheriting(runner) as over:
            if over:  # killed: one that ends by itself removes its own
                _remove(home, lock, runner)
    folder = home / f"{_NAME}-{lock.runner}"
    folder.mkdir(mode=0o700)
    os.environ["GRADIO_TEMP_DIR"] = str(folder)
    atexit.register(_remove, home, lock, lock.runner)
    return folder


def _remove(home: Path, lock: RunLock, runner: str) -> None:
    folder = home / f"{_NAME}-{runner}"
    shutil.rmtree(folder, ignore_errors=True)
    if not folder.exists():
        lock.forget(runner)


def used_bytes(folder: Path) -> int:
    """Bytes of all uploads, a small one counted as 64 KiB, so that their number is bounded with their size."""
    total = 0
    for where, _, names in os.walk(folder):
        for name in names:
            try:
                size = Path(where, name).stat().st_size
            except FileNotFoundError:  # deleted meanwhile
                continue
            total += max(_LEAST_BYTES, size)
    return total
