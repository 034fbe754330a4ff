"""``results.jsonl`` beside a store: what the store holds, for people and other programs."""

from __future__ import annotations

import time
from contextlib import suppress
from pathlib import Path

from ..errors import DataError, OutputError
from ..files import atomic_write, open_regular, require_regular_or_absent, short_path
from .measurement import latest
from .results_file import RESULTS_FILE, read_file
from .store import Store

ALWAYS_WRITTEN = 50
"""Up to this many results the file is written after each; beyond it, writing takes at most a tenth of the time."""


class ResultsView:
    """``results.jsonl`` during a run: written after each unit while it is small.

    Args:
        store: what it shows.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._results = 0
        self._due = 0.0

    def write(self) -> None:
        """Write the file now."""
        start = time.monotonic()
        self._results = write_results_file(self._store)
        end = time.monotonic()
        self._due = end + 10 * (end - start)

    def write_if_due(self) -> None:
        """Write the file where it is small, or was last written long ago."""
        if self._results <= ALWAYS_WRITTEN or time.monotonic() >= self._due:
            self.write()


def import_results(store: Store) -> dict[str, str]:
    """Restore results that are damaged in the store from ``results.jsonl``, before that is written again.

    Returns:
        Names of the damaged results, by the keys of their units.
    """
    damaged, path = store.damaged_names(), store.path.with_name(RESULTS_FILE)
    if damaged and path.exists():
        with suppress(DataError):  # damaged too
            store.insert_results(read_file(path))
    return damaged


def write_results_file(store: Store) -> int:
    """Write ``results.jsonl`` beside a store, where it is not what the store holds; return how many results that are.

    A reader never sees half a file. Several runs take turns by the lock of the store.

    Raises:
        InputError: a folder, pipe, socket or device is there.
        OutputError: it cannot be written.
    """
    path = require_regular_or_absent(store.path.with_name(RESULTS_FILE))
    with store.exclusive_access():
        results = latest(result for _, result in store.in_order())
        text = "".join(f"{result.to_json()}\n" for result in results)
        if results and _content(path) != text.encode():
            atomic_write(path, text)
    return len(results)


def _content(path: Path) -> bytes | None:
    try:
        with open_regular(path) as file:
            return file.read()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise OutputError(f"{short_path(path)} cannot be read: {error.strerror or error}") from error
