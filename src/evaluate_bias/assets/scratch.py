"""Folders for work in progress that do not outlive the process that made them."""

from __future__ import annotations

import contextlib
import shutil
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

_LOCK = "in-use.lock"
_DAY = 24 * 3600


@contextlib.contextmanager
def scratch_folder(parent: Path, prefix: str) -> Iterator[Path]:
    """Make a folder in ``parent`` and remove it at the end.

    What processes that were killed have left under the same prefix is removed first; a living one holds a lock.
    """
    from filelock import FileLock

    remove_left_over(parent, prefix)
    while True:
        folder = Path(tempfile.mkdtemp(prefix=prefix, dir=parent))
        lock = FileLock(folder / _LOCK)
        # Another process may take the new folder for a left-over, before it is locked or while it is.
        with contextlib.suppress(FileNotFoundError, FileExistsError):
            lock.acquire()
            if (folder / _LOCK).exists():
                break
            lock.release()
    try:
        yield folder
    finally:
        lock.release()
        shutil.rmtree(folder, ignore_errors=True)


def remove_left_over(parent: Path, prefix: str) -> None:
    """Remove the folders of :func:`scratch_folder` that killed processes have left in ``parent``, and nobody else's."""
    from filelock import FileLock

    for folder in parent.glob(f"{prefix}*"):
        file = folder / _LOCK
        if folder.is_symlink() or file.is_symlink() or not file.is_file():
            continue
        with contextlib.suppress(OSError), FileLock(file, blocking=False):  # else it is in use
            shutil.rmtree(folder, ignore_errors=True)


def remove_old_parts(folder: Path) -> None:
    """Remove parts of downloads that nobody has gone on with for a day; a download in progress writes to its part."""
    for part in folder.glob("*.part"):
        with contextlib.suppress(FileNotFoundError):  # its download has ended meanwhile
            if time.time() - part.lstat().st_mtime > _DAY:
                part.unlink()
