"""The file of a store: its tables, and opening it for writing or read-only."""

from __future__ import annotations

import contextlib
import json
import os
import sqlite3
import time
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ..errors import DataError, OutputError
from ..files import LARGEST_JSON, short_path

SCHEMA = 5
"""Version of the tables. A store of any other version is refused."""

DAMAGED = (sqlite3.DatabaseError, UnicodeDecodeError)
"""What SQLite raises for a damaged file. Its own message may quote bytes of it that are not text."""

_APPLICATION = 0x65766231  # "evb1": tells the file from another program's
_BUSY_SECONDS = 60.0

NEVER_REMOVED = """CREATE TRIGGER results_remain BEFORE DELETE ON results
    BEGIN SELECT RAISE(ABORT, 'a result is never removed'); END"""

_TABLES = (
    # A result is split into what lists show and its rows, which may be thousands; both are compressed JSON.
    """CREATE TABLE results (
    id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, measurement TEXT NOT NULL, content TEXT NOT NULL,
    unit TEXT NOT NULL, seconds REAL NOT NULL, head BLOB NOT NULL, rows BLOB NOT NULL)""",
    """CREATE TABLE failures (
    key TEXT PRIMARY KEY, measurement TEXT NOT NULL, unit TEXT NOT NULL, kind TEXT NOT NULL, reason TEXT NOT NULL,
    current INTEGER NOT NULL)""",
    "CREATE TABLE replies (key TEXT PRIMARY KEY, reply BLOB NOT NULL) WITHOUT ROWID",
    """CREATE TRIGGER results_stay BEFORE UPDATE ON results
    BEGIN SELECT RAISE(ABORT, 'a result is never changed'); END""",
    NEVER_REMOVED,
    f"PRAGMA application_id = {_APPLICATION}",
    f"PRAGMA user_version = {SCHEMA}",
)


def opened_for_writing(path: Path) -> sqlite3.Connection:
    """Open a store and make its tables if there are none; several runs may do so at once.

    Raises:
        DataError: the file is not ours, or of another schema.
        OSError: its folder cannot be made.
        sqlite3.DatabaseError, UnicodeDecodeError: it cannot be written, or is damaged.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    # Replies of servers are kept by the thread that asks for them, while the one that opened the file waits.
    db = _connected(path, check_same_thread=False)
    try:
        _has_tables(db, path)  # before anything is written to another program's file
        _log_ahead(db)
        # A commit is handed to the system, which outlives any process, and synced at checkpoints of the log: a power
        # cut may take the last units and leaves the file whole; a killed process takes none.
        db.execute("PRAGMA synchronous = NORMAL")
        with transaction(db):
            if not _has_tables(db, path):
                _make_tables(db)
    except BaseException:
        db.close()
        raise
    return db


def opened_for_reading(path: Path) -> sqlite3.Connection:
    """Open a store read-only; nothing is left beside it that was not there.

    Raises:
        DataError: the file is not ours or of another schema, or a killed run left its log where nobody can write.
        sqlite3.DatabaseError, UnicodeDecodeError: it cannot be read, or is damaged.
    """
    file = path.resolve()
    log, index = (file.with_name(f"{file.name}-{end}") for end in ("wal", "shm"))
    # SQLite makes a log and an index to read, and only a connection that may write takes them away again.
    if (os.access(file, os.W_OK) and os.access(file.parent, os.W_OK)) or (log.exists() and index.exists()):
        mode = f"mode={'ro' if log.exists() else 'rw'}"
    elif log.exists():
        raise DataError(
            f"{short_path(path)} cannot be read in a folder that cannot be written: a killed run left {log.name} "
            "next to it, with results that are not in it yet",
            hint="copy both files to another folder and read them there",
        )
    else:
        mode = "immutable=1"  # where nobody can write, nobody changes it
    db = _connected(f"{file.as_uri()}?{mode}", uri=True)
    try:
        if not _has_tables(db, path):  # a run has made the file just now
            db.close()
            db = _connected(":memory:")
            _make_tables(db)
        db.execute("PRAGMA query_only = ON")
    except BaseException:
        db.close()
        raise
    return db


def set_aside_damaged(path: Path) -> None:
    """Give a file that SQLite calls damaged, and its log, the ending ``.damaged``, so that a new one can be made.

    Raises:
        OSError: it cannot be renamed.
    """
    if not path.is_file():
        return
    try:
        with contextlib.closing(_connected(path)) as db:
            if db.execute("PRAGMA quick_check(1)").fetchone() == ("ok",):
                return
    except sqlite3.OperationalError:  # locked, or not to be read: not damaged
        return
    except DAMAGED:
        pass
    for file in (path, path.with_name(f"{path.name}-wal"), path.with_name(f"{path.name}-shm")):
        with contextlib.suppress(FileNotFoundError):
            file.replace(file.with_name(f"{file.name}.damaged"))


def not_written(path: Path, why: object) -> OutputError:
    """The error of a store that cannot be written."""
    return OutputError(
        f"{short_path(path)} cannot be written ({why})",
        hint="choose a folder that can be written to, with room for the results",
    )


@contextlib.contextmanager
def transaction(db: sqlite3.Connection) -> Iterator[None]:
    """Write all of a block or nothing; nobody else writes meanwhile."""
    db.execute("BEGIN IMMEDIATE")
    try:
        yield
        db.execute("COMMIT")
    except BaseException:
        if db.in_transaction:
            with contextlib.suppress(sqlite3.Error):
                db.execute("ROLLBACK")
        raise


def zipped_json(value: Any) -> bytes:
    """A value as the store keeps it."""
    return zlib.compress(json.dumps(value, ensure_ascii=False).encode("utf-8", "surrogatepass"), 6)


def unzipped(part: bytes) -> bytes:
    """The JSON of a part that :func:`zipped_json` wrote.

    Raises:
        DataError: it is damaged, or larger than any that is read.
    """
    try:
        whole = zlib.decompressobj()
        text = whole.decompress(part, LARGEST_JSON)
    except (zlib.error, TypeError) as error:
        raise DataError("a part of the store was damaged") from error
    if not whole.eof:
        raise DataError("a part of the store was cut off, or is too large")
    return text


def _connected(address: str | Path, **options: bool) -> sqlite3.Connection:
    db = sqlite3.connect(address, timeout=_BUSY_SECONDS, isolation_level=None, **options)
    # In a damaged file, bytes that are not text are read as U+FFFD, so that all else can be read.
    db.text_factory = lambda raw: raw.decode("utf-8", "replace")
    return db


def _has_tables(db: sqlite3.Connection, path: Path) -> bool:
    """True if there are tables; they are refused if they are not ours, or of another schema."""
    # One statement sees one state: another run may make the tables at this moment.
    application, version, tables = db.execute(
        "SELECT application_id, user_version, (SELECT count(*) FROM sqlite_master) "
        "FROM pragma_application_id, pragma_user_version"
    ).fetchone()
    if application != _APPLICATION and tables:
        raise DataError(f"{short_path(path)} is a database of another program, not a store of results")
    if tables and version != SCHEMA:
        raise DataError(
            f"{short_path(path)} is a store of schema {version}, and this version of evaluate-bias reads schema "
            f"{SCHEMA}",
            hint="measure again into another folder, or use the version of evaluate-bias that wrote it",
        )
    return bool(tables)


def _make_tables(db: sqlite3.Connection) -> None:
    for statement in _TABLES:  # executescript would commit what is open
        db.execute(statement)


def _log_ahead(db: sqlite3.Connection) -> None:
    """Switch to a write-ahead log; if another run does so too, SQLite gives up at once and does not wait."""
    deadline = time.monotonic() + _BUSY_SECONDS
    while True:
        try:
            db.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() > deadline:
                raise
        time.sleep(0.01)
