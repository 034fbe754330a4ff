"""The lock that a run holds while it is alive; the system releases it when the process ends, for whatever reason."""

from __future__ import annotations

import contextlib
import secrets
from collections.abc import Iterator
from pathlib import Path

from filelock import FileLock, Timeout

from ..errors import OutputError
from ..files import short_path

_LOOKING_SECONDS = 10.0
"""How long another run may hold a lock to see whether it is free."""


class RunLock:
    """The lock of one run on a store; it can also check the locks of other runs.

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
        path = self._path(self.runner)
        while self._held is None:
            # Another run may look, just now, whether this one is over, and remove the file before it is locked.
            lock = FileLock(path, timeout=_LOOKING_SECONDS)
            try:
                lock.acquire()
            except (OSError, NotImplementedError, Timeout) as error:
                reason = getattr(error, "strerror", None) or error
                raise OutputError(f"{short_path(self._store.parent)} takes no lock ({reason})") from error
            if path.exists():
                self._held = lock
            else:
                lock.release()

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
        if not self._path(runner).exists():
            return False
        with self.inheriting(runner) as is_over:
            return not is_over

    @contextlib.contextmanager
    def inheriting(self, runner: str) -> Iterator[bool]:
        """Yield whether a run is over; if so, hold its lock inside the block, so one run takes over its units."""
        probe = FileLock(self._path(runner), timeout=0)
        try:
            probe.acquire()
        except (
            Timeout,
            OSError,
        ):  # an error of the system: somebody else's file, and better wait than measure twice
            yield False
            return
        try:
            yield True
        finally:
            probe.release()

    def forget(self, runner: str) -> None:
        """Remove the lock file of a run that is over."""
        with contextlib.suppress(OSError):
            self._path(runner).unlink()

    def _path(self, runner: str) -> Path:
        return self._store.with_name(f".{self._store.name}.{runner}.lock")
