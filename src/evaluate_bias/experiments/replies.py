"""What servers answered, kept in the store of a run, so that a run that goes on asks nothing twice."""

from __future__ import annotations

import json
import sqlite3
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ..models.endpoint.server_reply import read_json
from .opening import not_written, opened_for_reading, opened_for_writing

_TABLE = "CREATE TABLE IF NOT EXISTS replies (key TEXT PRIMARY KEY, reply BLOB NOT NULL) WITHOUT ROWID"


class StoredReplies:
    """A :class:`~evaluate_bias.models.endpoint.RequestCache` in the file of a store.

    Several processes may keep replies in one file, beside the store itself. A store that never met a served model has
    no table of replies.

    Args:
        path: the file of the store.
        read_only: keep nothing; the file must be there.

    Raises:
        OutputError: the file cannot be written.

    Examples:
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     replies = StoredReplies(Path(folder, "results.sqlite"))
        ...     replies.put("key", {"choices": []})
        ...     replies.get("key"), replies.get("other")
        ...     replies.close()
        ({'choices': []}, None)
    """

    def __init__(self, path: Path, *, read_only: bool = False) -> None:
        self._path = path
        self._db = opened_for_reading(path) if read_only else opened_for_writing(path)
        if not read_only:
            self._write(_TABLE)

    def get(self, key: str) -> Mapping[str, Any] | None:
        """The reply to a request; ``None`` where there is none, or one that was damaged."""
        try:
            row = self._db.execute("SELECT reply FROM replies WHERE key = ?", (key,)).fetchone()
            return None if row is None else dict(read_json(zlib.decompress(row[0])))
        except (sqlite3.Error, zlib.error, TypeError, ValueError):
            return None

    def put(self, key: str, reply: Mapping[str, Any]) -> None:
        """Keep a reply; on return it outlives this process.

        Raises:
            OutputError: it cannot be written.
        """
        text = json.dumps(reply, ensure_ascii=False).encode("utf-8", "surrogatepass")
        self._write("INSERT OR REPLACE INTO replies VALUES (?, ?)", (key, zlib.compress(text, 1)))

    def _write(self, statement: str, values: tuple[Any, ...] = ()) -> None:
        try:
            self._db.execute(statement, values)
        except sqlite3.Error as error:
            raise not_written(self._path, error) from error

    def close(self) -> None:
        """Close the file."""
        self._db.close()
