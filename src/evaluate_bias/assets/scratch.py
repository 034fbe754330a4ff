"""Folders for work in progress that do not outlive the process that made them."""

from __future__ import annotations

import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

__all__ = ["remove_old_parts", "scratch_folder"]

_LOCK = "in-use.lock"
_DAY = 24 * 3600


@contextmanager
def scratch_folder(parent: Path, prefix: str) -> Iterator[Path]:
    """Make a folder in ``parent`` and remove it at the end.

    What processes that were killed have left under the same prefix is removed first; a living one holds a lock.
    """
    from filelock import FileLock

    for left in parent.glob(f"{prefix}*"):
        _remove_unused(left)
    while True:
        folder = Path(tempfile.mkdtemp(prefix=prefix, dir=parent))
        lock = FileLock(folder / _LOCK)
        lock.acquire()
        if (folder / _LOCK).exists():  # no other process took the new folder for a left-over
            break
        lock.release()
    try:
        yield folder
    finally:
        lock.release()
        shutil.rmtree(folder, ignore_errors=True)


def _remove_unused(folder: Path) -> None:
    from filelock import FileLock, Timeout

    lock = FileLock(folder / _LOCK)
    try:
        lock.acquire(blocking=False)
    except (Timeout, OSError):
        return
    shutil.rmtree(folder, ignore_errors=True)
    lock.release()


def remove_old_parts(folder: Path) -> None:
    """Remove parts of downloads that nobody has gone on with for a day; a download in progress writes to its part."""
    for part in folder.glob("*.part"):
        if time.time() - part.lstat().st_mtime > _DAY:
            part.unlink(missing_ok=True)
