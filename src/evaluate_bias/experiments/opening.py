"""Opening the file of a store: created if necessary for writing, or opened read-only."""

from __future__ import annotations

import contextlib
import os
import shutil
import sqlite3
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from ..errors import DataError, OutputError
from ..files import short_path
from .tables import APPLICATION, SCHEMA, create, readable_text

DAMAGED = (sqlite3.DatabaseError, UnicodeDecodeError)
"""What SQLite answers to a damaged file; its own sentence may quote bytes of it that are no text."""

_BUSY_SECONDS = 60.0


def opened_for_writing(path: Path) -> sqlite3.Connection:
    """Open a store, created if necessary; several runs may do so at once.

    Raises:
        DataError: the file is not ours, or of another schema.
        OSError: its folder cannot be made.
        sqlite3.DatabaseError, UnicodeDecodeError: it cannot be written, or is damaged.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    # Replies of servers are kept by the thread that asks for them, while the one that opened the file waits.
    db = sqlite3.connect(path, timeout=_BUSY_SECONDS, isolation_level=None, check_same_thread=False)
    db.text_factory = readable_text
    try:
        _has_tables(db, path)  # before anything is written to another program's file
        _log_ahead(db)
        # A commit is handed to the system, which outlives any process, and synced at checkpoints of the log: a power
        # cut may take the last units and leaves the file whole; a killed process takes none.
        db.execute("PRAGMA synchronous = NORMAL")
        with transaction(db):
            if not _has_tables(db, path):
                create(db)
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
        with contextlib.closing(sqlite3.connect(path, timeout=_BUSY_SECONDS, isolation_level=None)) as db:
            whole = db.execute("PRAGMA quick_check(1)").fetchone() == ("ok",)
    except sqlite3.OperationalError:  # locked, or not to be read: not damaged
        return
    except DAMAGED:
        whole = False
    for file in (
        () if whole else (path, path.with_name(f"{path.name}-wal"), path.with_name(f"{path.name}-shm"))
    ):
        with contextlib.suppress(FileNotFoundError):
            file.replace(file.with_name(f"{file.name}.damaged"))


def not_written(path: Path, why: object) -> OutputError:
    """The error of a store that cannot be written."""
    return OutputError(
        f"{short_path(path)} cannot be written ({why})",
        hint="choose a folder that can be written to, with room for the results",
    )


def opened_for_reading(path: Path) -> sqlite3.Connection:
    """Open a store read-only.

    Nothing is left beside it that was not there. Where the folder cannot be written, nobody else writes either: the
    file is read as it stands, and, with the log that a killed run left, from a copy of both.

    Raises:
        DataError: the file is not ours, or of another schema.
        OSError: it cannot be copied.
        sqlite3.DatabaseError, UnicodeDecodeError: it cannot be read, or is damaged.
    """
    file = path.resolve()
    log, index = (file.with_name(f"{file.name}-{end}") for end in ("wal", "shm"))
    # SQLite makes a log and an index to read, and only a connection that may write takes them away again.
    cleans_up = os.access(file, os.W_OK) and os.access(file.parent, os.W_OK)
    if cleans_up or (log.exists() and index.exists()):
        with contextlib.suppress(sqlite3.OperationalError):
            db = _read(f"{file.as_uri()}?mode={'ro' if log.exists() else 'rw'}", path)
            db.execute("PRAGMA query_only = ON")
            return db
    if not log.exists():
        return _read(f"{file.as_uri()}?immutable=1", path)
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / file.name
        shutil.copyfile(file, copy)
        shutil.copyfile(log, copy.with_name(log.name))
        return _read(copy.as_uri(), path, keep=False)


def _read(address: str, path: Path, *, keep: bool = True) -> sqlite3.Connection:
    """The database at an address; in memory if it is not to be kept, or has no tables yet."""
    db = sqlite3.connect(address, timeout=_BUSY_SECONDS, isolation_level=None, uri=True)
    db.text_factory = readable_text
    try:
        has_tables = _has_tables(db, path)
        if has_tables and keep:
            return db
        memory = sqlite3.connect(":memory:", isolation_level=None)
        memory.text_factory = readable_text
        db.backup(memory)
    except BaseException:
        db.close()
        raise
    db.close()
    if not has_tables:
        create(memory)
    return memory


def _has_tables(db: sqlite3.Connection, path: Path) -> bool:
    """Whether there are tables; refused where they are not ours, or of another schema."""
    # One statement sees one state: another run may make the tables at this moment.
    application, version, tables = db.execute(
        "SELECT application_id, user_version, (SELECT count(*) FROM sqlite_master) "
        "FROM pragma_application_id, pragma_user_version"
    ).fetchone()
    if application != APPLICATION and tables:
        raise DataError(f"{short_path(path)} is a database of another program, not a store of results")
    if tables and version != SCHEMA:
        raise DataError(
            f"{short_path(path)} is a store of schema {version}, and this version of evaluate-bias reads schema "
            f"{SCHEMA}",
            hint="measure again into another folder, or use the version of evaluate-bias that wrote it",
        )
    return bool(tables)


def _log_ahead(db: sqlite3.Connection) -> None:
    """Switch to a write-ahead log; where another run does so too, SQLite gives up at once and does not wait."""
    deadline = time.monotonic() + _BUSY_SECONDS
    while True:
        try:
            db.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() > deadline:
                raise
        time.sleep(0.01)


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
