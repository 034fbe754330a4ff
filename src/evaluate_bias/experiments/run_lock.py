"""The lock that a run holds while it is alive: the system lifts it with the process, however that ends."""

from __future__ import annotations

import contextlib
import secrets
from pathlib import Path

from filelock import FileLock, Timeout

from ..errors import OutputError
from ..files import short_path

__all__ = ["RunLock"]


class RunLock:
    """The lock of one run on a store, and what can be seen of those of others.

    Args:
        store: the file of the store; lock files lie beside it.
    """

    def __init__(self, store: Path) -> None:
        self._store = store
        self.runner = secrets.token_hex(8)
        self._held: FileLock | None = None

    @property
    def is_held(self) -> bool:
        """Whether this run holds its lock."""
        return self._held is not None

    def hold(self) -> None:
        """Take the lock, where it is not held already.

        Raises:
            OutputError: the folder takes no lock.
        """
        if self._held is not None:
            return
        lock = FileLock(self._path(self.runner), timeout=0)
        try:
            lock.acquire()
        except (OSError, NotImplementedError, Timeout) as error:
            reason = getattr(error, "strerror", None) or error
            raise OutputError(f"{short_path(self._store.parent)} takes no lock ({reason})") from error
        self._held = lock

    def release(self) -> None:
        """Give the lock back and remove its file."""
        if self._held is not None:
            self._held.release()
            self._held = None
            self.forget(self.runner)

    def others(self) -> list[str]:
        """The runs, other than this one, that have a lock file, whether they hold it or were killed."""
        files = self._store.parent.glob(f".{self._store.name}.*.lock")
        return [name for file in files if (name := file.name.split(".")[-2]) != self.runner]

    def is_alive(self, runner: str) -> bool:
        """Whether somebody holds the lock of a run."""
        path = self._path(runner)
        if not path.exists():
            return False
        probe = FileLock(path, timeout=0)
        try:
            probe.acquire()
        except (Timeout, OSError):
            return True  # an error of the system: somebody else's file, and better wait than measure twice
        probe.release()
        return False

    def forget(self, runner: str) -> None:
        """Remove the lock file of a run that is over."""
        with contextlib.suppress(OSError):
            self._path(runner).unlink()

    def _path(self, runner: str) -> Path:
        return self._store.with_name(f".{self._store.name}.{runner}.lock")
