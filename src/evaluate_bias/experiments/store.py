"""The store of a folder: one SQLite file that several runs may fill, with every result once and never changed.

A result is written in one transaction, with its unit. A run locks the model that it measures. The system
releases the lock when the process ends, for whatever reason, and another run continues. Failures are kept
until the same unit has a result.
"""

from __future__ import annotations

import contextlib
import json
import os
import sqlite3
import time
import warnings
import zlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal, Self

from filelock import FileLock, Timeout

from ..errors import DataError, OutputError, quoted
from ..files import LARGEST_JSON, parsed_json, require_regular_or_absent, short_path
from ..result import Result
from .unit import Unit, digest, measurement_key, unit_of_result

SCHEMA = 5
"""Version of the tables. A store of any other version is refused."""

DAMAGED = (sqlite3.DatabaseError, UnicodeDecodeError)
"""What SQLite raises for a damaged file. Its own message may quote bytes of it that are not text."""

_APPLICATION = 0x65766231  # "evb1": tells the file from another program's
_BUSY_SECONDS = 60.0
NEVER_REMOVED = """CREATE TRIGGER results_remain BEFORE DELETE ON results
    BEGIN SELECT RAISE(ABORT, 'a result is never removed'); END"""

_TABLES = (
    # A result is split into what lists show and its rows, which may be thousands. Both are compressed JSON.
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

STORE_FILE = "results.sqlite"
State = Literal["measured", "unsuitable", "failed", "missing"]
_INSERT = (
    "INSERT INTO results (key, measurement, content, unit, seconds, head, rows) VALUES (?, ?, ?, ?, ?, ?, ?)"
)


class DamagedResultWarning(UserWarning):
    """A result of a store cannot be read. The others were read."""


@dataclass(frozen=True, slots=True)
class Failure:
    """A unit without a result.

    Attributes:
        unit: the unit.
        kind: ``"failed"``, or ``"unsuitable"`` if the model cannot do what the method needs.
        reason: why it is missing.
        current: whether the last run, or one at the same time, planned the unit. Failures of earlier configs are
            history.
    """

    unit: Unit
    kind: Literal["failed", "unsuitable"]
    reason: str
    current: bool = True


def store_path(path: str | Path) -> Path:
    """Return the file of a store that is given by its folder or by itself."""
    path = Path(path)
    return path / STORE_FILE if path.is_dir() or not path.suffix else path


class Store:
    """Results of units, on disk.

    Args:
        path: the folder, or the file in it. Both are made if they do not exist.
        read_only: open what is there and write nothing, also in a folder that cannot be written.
        replace: discard the stored results when the first new one is added. A damaged file is renamed.

    Raises:
        DataError: there is nothing to read, or the file is not a store of this library or has another schema.
        OutputError: the folder or file cannot be written.
        InputError: a pipe, socket or device is there.

    Examples:
        >>> import tempfile
        >>> result = Result(method="toy", score=1.5, score_range=(-2, 2), direction="two_sided", ideal=0, n=16)
        >>> unit = Unit(key="k1", model="m", method="toy", data="d", language="en", seed=0, options={})
        >>> with tempfile.TemporaryDirectory() as folder, Store(folder) as store:
        ...     added = store.add(unit, result, seconds=0.5)
        ...     [(u.model, r.score) for u, r in store.results()]
        [('m', 1.5)]
    """

    def __init__(self, path: str | Path, *, read_only: bool = False, replace: bool = False) -> None:
        self.path = require_regular_or_absent(store_path(path))
        self._locks: dict[str, FileLock] = {}
        if read_only and not self.path.is_file():
            raise DataError(f"no results at {short_path(path)}", hint="make them with 'evaluate-bias run'")
        try:
            if replace:
                set_aside_damaged(self.path)
            self._db = opened_for_reading(self.path) if read_only else opened_for_writing(self.path)
        except (*DAMAGED, OSError) as error:
            raise self._error(error, read_only=read_only) from error
        with self._reading() as db:
            keys = {key for (key,) in db.execute("SELECT key FROM results")} if replace else set()
        self._replaced: set[str] | None = keys if replace else None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Release the locks and close the file."""
        with contextlib.suppress(OutputError, sqlite3.Error):
            self.unlock(*self._locks)
        self._db.close()
        for lock in self._locks.values():  # those whose files could not be removed
            lock.release()

    # --- writing ----------------------------------------------------------------------------------------------

    @contextlib.contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """Write all of a block or nothing. Other runs wait until it ends.

        Raises:
            OutputError: the store cannot be written.
        """
        try:
            with transaction(self._db):
                yield self._db
        except DAMAGED as error:
            raise self._error(error) from error

    def _error(self, error: Exception, *, read_only: bool = False) -> DataError | OutputError:
        text = str(getattr(error, "strerror", None) or error)
        if isinstance(error, (OSError, sqlite3.OperationalError)) and "no such" not in text:
            if read_only:
                return DataError(f"{short_path(self.path)} cannot be read ({text})")
            return not_written(self.path, text)
        text = "its tables cannot be read" if isinstance(error, UnicodeDecodeError) else text
        return DataError(
            f"{short_path(self.path)} is not a store of results, or is damaged: {text}",
            hint="move it away to go on from results.jsonl next to it, or replace both with 'evaluate-bias run "
            "--overwrite'",
        )

    def add(self, unit: Unit, result: Result, *, seconds: float) -> bool:
        """Add the result of a unit. On return it outlives this process. ``False`` if there is one, which stays.

        Raises:
            OutputError: it cannot be written.
        """
        with self.writing() as db:
            if self._replaced:
                _remove(db, self._replaced)
                db.execute("DELETE FROM failures WHERE NOT current")
                self._replaced = None
            added = db.execute(
                f"{_INSERT} ON CONFLICT (key) DO NOTHING", _row(unit, result, seconds)
            ).rowcount
            self._settle(db, unit)
        return bool(added)

    def insert_results(self, results: Iterable[Result]) -> None:
        """Add results that belong to no plan. Those that are already stored are skipped.

        Raises:
            OutputError: it cannot be written.
        """
        pairs = ((unit_of_result(result), result) for result in results)
        new = {unit.key: _row(unit, result, 0.0) for unit, result in pairs}
        with self.writing() as db:
            rows = db.execute("SELECT head, rows, key, measurement, unit FROM results").fetchall()
            known = {_content(*row[:2]) for row in rows if _stored_unit(*row[2:])}
            new = {key: row for key, row in new.items() if _content(*row[-2:]) not in known}
            _remove(db, new)  # one of the same key is this one, damaged
            db.executemany(_INSERT, new.values())
        if self._replaced is not None:
            self._replaced.update(new)

    def add_failure(self, failure: Failure) -> None:
        """Record why a unit has no result, replacing earlier failures of the same measurement.

        Raises:
            OutputError: it cannot be written.
        """
        unit = failure.unit
        with self.writing() as db:
            self._settle(db, unit)
            row = (unit.key, _measurement(unit), _unit_text(unit), failure.kind, failure.reason)
            db.execute("INSERT INTO failures VALUES (?, ?, ?, ?, ?, 1)", row)

    @staticmethod
    def _settle(db: sqlite3.Connection, unit: Unit) -> None:
        """Remove the failures of a unit."""
        db.execute("DELETE FROM failures WHERE measurement = ? OR key = ?", (_measurement(unit), unit.key))

    def note_plan(self, units: Iterable[Unit]) -> None:
        """Remove locks that killed runs have left, and make failures of units that no run at work plans history.

        Raises:
            OutputError: it cannot be written.
        """
        with self.writing() as db:
            is_alone = True
            for file in self.path.parent.glob(self._lock_file("*").name):
                if (lock := _try_lock(file)) is None:
                    is_alone = False
                else:
                    lock.release()
                    file.unlink(missing_ok=True)
            if is_alone:
                db.execute("UPDATE failures SET current = 0")
            db.executemany("UPDATE failures SET current = 1 WHERE key = ?", [(unit.key,) for unit in units])

    def drop_damaged(self, units: Iterable[Unit]) -> list[Unit]:
        """Remove the results that can no longer be read, so that their units are missing. Return these units.

        Raises:
            OutputError: the store cannot be written.
        """
        with self.writing() as db:
            damaged = self.damaged_names()
            damaged_units = [unit for unit in units if unit.key in damaged]
            _remove(db, [unit.key for unit in damaged_units])
        return damaged_units

    # --- locks ------------------------------------------------------------------------------------------------

    def lock(self, model: str) -> bool:
        """Lock a model for this run. ``False`` if a run, this one or another, is working on it.

        Args:
            model: key of the model.

        Raises:
            OutputError: the store cannot be written, or its folder does not support locks.
        """
        with self.writing():  # no lock file is removed while another run acquires it
            lock = _try_lock(self._lock_file(model))
        if lock is not None:
            self._locks[model] = lock
        return lock is not None

    def unlock(self, *models: str) -> None:
        """Release the locks of models.

        Raises:
            OutputError: the store cannot be written.
        """
        with self.writing():
            for model in models:
                self._locks.pop(model).release()
                self._lock_file(model).unlink(missing_ok=True)

    def _lock_file(self, model: str) -> Path:
        return self.path.with_name(f".{self.path.name}.{model}.lock")

    # --- reading ----------------------------------------------------------------------------------------------

    @property
    def is_empty(self) -> bool:
        """True if no result exists."""
        with self._reading() as db:
            return db.execute("SELECT 1 FROM results LIMIT 1").fetchone() is None

    def states(self, units: Iterable[Unit]) -> dict[str, State]:
        """Return the state of units by their keys."""
        with self._reading() as db:
            known: dict[str, State] = dict(db.execute("SELECT key, kind FROM failures"))
            measured = {key for (key,) in db.execute("SELECT key FROM results")} - (self._replaced or set())
        known |= dict.fromkeys(measured, "measured")
        return {unit.key: known.get(unit.key, "missing") for unit in units}

    def settled(self, units: Iterable[Unit]) -> set[str]:
        """Return the keys of units that have a result, or a model that cannot do what the method needs."""
        return {key for key, state in self.states(units).items() if state in ("measured", "unsuitable")}

    def damaged_names(self) -> dict[str, str]:
        """Return the names of results that can no longer be read, by the keys of their units."""
        with self._reading() as db:
            rows = db.execute("SELECT key, unit, measurement, head, rows FROM results")
            return {
                key: _name(key, unit)
                for key, text, measurement, *parts in rows
                if (unit := _stored_unit(key, measurement, text)) is None or _content(*parts) is None
            }

    def results(self, *, history: bool = False, rows: bool = True) -> list[tuple[Unit, Result]]:
        """Return all results with their units, in the order of model, method, data, language, seed and settings.

        One that is damaged is omitted with a :class:`DamagedResultWarning` that names it.

        Args:
            history: also those that a later one of the same measurement replaces, because model, data or library
                have changed since.
            rows: with their breakdown. Lists do without, and are many times faster.

        Raises:
            DataError: the file is damaged.
        """
        return sorted(self.in_order(history=history, rows=rows), key=listed)

    def in_order(self, *, history: bool = False, rows: bool = True) -> list[tuple[Unit, Result]]:
        """Return what :meth:`results` does, in the order in which each was first measured."""
        columns = "head, rows" if rows else "head, NULL"
        pairs = [(unit, _result(*parts)) for unit, parts in self._rows(columns, history)]
        self._warn([str(unit) for unit, result in pairs if result is None])
        return [(unit, result) for unit, result in pairs if result is not None]

    def units(self, *, history: bool = False) -> list[Unit]:
        """Return the units of :meth:`results`, without reading these."""
        return [unit for unit, _ in sorted(self._rows("NULL", history), key=listed)]

    def seconds(self) -> list[tuple[Unit, float]]:
        """Return how long each unit took, in seconds, if that is known."""
        return [(unit, seconds) for unit, (seconds,) in self._rows("seconds", history=False) if seconds]

    def failures(self, *, history: bool = False) -> list[Failure]:
        """Return the units without a result, with the reason, in the same order.

        Args:
            history: also units that neither the last run nor one at the same time planned.
        """
        with self._reading() as db:
            rows = db.execute(
                "SELECT key, measurement, unit, kind, reason, current FROM failures WHERE current >= ?",
                (not history,),
            )
            failures = [
                Failure(unit, kind, reason, bool(current))
                for key, measurement, text, kind, reason, current in rows
                if (unit := _stored_unit(key, measurement, text))  # one that is damaged will fail again
            ]
        return sorted(failures, key=lambda f: (f.unit.measurement, f.unit.key))

    def _rows(self, columns: str, history: bool) -> list[tuple[Unit, tuple[Any, ...]]]:
        """Return columns of the latest result of each measurement, in the order of the first, or of all results."""
        # The measurement of a result that belongs to no plan is its content: any later result of that content counts.
        ranked = (
            "SELECT *, rowid AS n, max(rowid) OVER measured AS last, max(rowid) OVER equal AS last_equal, "
            "min(min(rowid) OVER measured, min(rowid) OVER equal) AS first FROM results "
            "WINDOW measured AS (PARTITION BY measurement), equal AS (PARTITION BY content)"
        )
        latest = "WHERE n = last AND (measurement != content OR n = last_equal) ORDER BY first"
        chosen = "ORDER BY n" if history else latest
        with self._reading() as db:
            cursor = db.execute(f"SELECT key, measurement, unit, {columns} FROM ({ranked}) {chosen}")
            rows = [(_stored_unit(*row[:3]), row) for row in cursor]
        self._warn([_name(row[0], None) for unit, row in rows if unit is None])
        return [(unit, row[3:]) for unit, row in rows if unit is not None]

    def _warn(self, damaged: Sequence[str]) -> None:
        if damaged:
            more = f" and {len(damaged) - 1:,} more" if damaged[1:] else ""
            warnings.warn(
                f"{short_path(self.path)} contains a damaged result, which is ignored: {damaged[0]}{more}; "
                "'evaluate-bias run' with the config measures it again",
                DamagedResultWarning,
                stacklevel=3,
            )

    @contextlib.contextmanager
    def _reading(self) -> Iterator[sqlite3.Connection]:
        try:
            yield self._db
        except DAMAGED as error:
            raise self._error(error, read_only=True) from error


def _try_lock(path: Path) -> FileLock | None:
    """Return the lock of a file. ``None`` if another run holds it, or may hold it if the file is another user's."""
    lock = FileLock(path, timeout=0)
    try:
        lock.acquire()
    except (OSError, NotImplementedError) as error:
        if isinstance(error, (Timeout, PermissionError)) and path.exists():
            return None
        reason = getattr(error, "strerror", None) or error
        raise OutputError(f"{short_path(path.parent)} supports no locks ({reason})") from error
    return lock


def listed(row: tuple[Unit, Any]) -> tuple[Any, ...]:
    """Return the sort key of lists of results."""
    unit, _ = row
    return unit.measurement, unit.key


def _row(unit: Unit, result: Result, seconds: float) -> tuple[Any, ...]:
    """Return the values for ``_INSERT``. Head and rows are the last two."""
    facts = result.to_dict()
    rows = facts.pop("rows")
    about = (unit.key, _measurement(unit), digest(measurement_key(result)), _unit_text(unit), seconds)
    return (*about, zipped_json(facts), zipped_json(rows))


def _content(*parts: bytes) -> tuple[bytes, ...] | None:
    """Return what the parts of a result say, ``None`` if they were damaged."""
    try:
        return tuple(map(unzipped, parts))
    except DataError:
        return None


def _result(head: bytes, rows: bytes | None) -> Result | None:
    """Return the result with these parts, without its rows if these were not asked for, ``None`` if damaged."""
    try:
        facts, *of_rows = (
            parsed_json(unzipped(part), "a result") for part in (head, rows) if part is not None
        )
        return Result.from_dict({**facts, "rows": of_rows[0] if of_rows else []})
    except (DataError, TypeError):
        return None


def _measurement(unit: Unit) -> str:
    """Return what a unit measures, as text, without the data set's name, which is unknown if it cannot be read."""
    if unit.content_hash:
        return unit.content_hash
    return json.dumps([unit.model, unit.method, unit.language, unit.seed, dict(unit.options)], sort_keys=True)


def _unit_text(unit: Unit) -> str:
    return json.dumps(asdict(unit), ensure_ascii=False, sort_keys=True)


def _stored_unit(key: str, measurement: str, text: str) -> Unit | None:
    """Return the unit of a row. ``None`` if the row was damaged, so that what it says of itself does not agree."""
    try:
        unit = Unit(**parsed_json(text, "a unit"))
        return unit if (unit.key, _measurement(unit)) == (key, measurement) else None
    except (AttributeError, DataError, TypeError, ValueError):
        return None


def _name(key: str, unit: Unit | None) -> str:
    return f"the one with the key {quoted(key)}" if unit is None else str(unit)


def _remove(db: sqlite3.Connection, keys: Iterable[str]) -> None:
    """Remove results that are damaged, replaced or to be measured again. Any other stays for ever."""
    db.execute("DROP TRIGGER IF EXISTS results_remain")
    db.executemany("DELETE FROM results WHERE key = ?", [(key,) for key in keys])
    db.execute(NEVER_REMOVED)


def opened_for_writing(path: Path) -> sqlite3.Connection:
    """Open a store and make its tables if none exist. Several runs may do so at once.

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
        # cut may take the last units and leaves the file whole. A killed process takes none.
        db.execute("PRAGMA synchronous = NORMAL")
        with transaction(db):
            if not _has_tables(db, path):
                _make_tables(db)
    except BaseException:
        db.close()
        raise
    return db


def opened_for_reading(path: Path) -> sqlite3.Connection:
    """Open a store read-only, and leave nothing next to it that was not there.

    Raises:
        DataError: the file is not ours or of another schema, or a killed run left its log in a folder that cannot be
            written.
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
        mode = "immutable=1"  # if nobody can write, nobody changes it
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
    """Return the error of a store that cannot be written."""
    return OutputError(
        f"{short_path(path)} cannot be written ({why})",
        hint="choose a folder that can be written to, with room for the results",
    )


@contextlib.contextmanager
def transaction(db: sqlite3.Connection) -> Iterator[None]:
    """Write all of a block or nothing. Nobody else writes meanwhile."""
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
    """Return a value as the store keeps it."""
    return zlib.compress(json.dumps(value, ensure_ascii=False).encode("utf-8", "surrogatepass"), 6)


def unzipped(part: bytes) -> bytes:
    """Return the JSON of a part that :func:`zipped_json` wrote.

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
    """True if there are tables. They are refused if they are not ours, or of another schema."""
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
    """Switch to a write-ahead log. If another run does so too, SQLite gives up at once and does not wait."""
    deadline = time.monotonic() + _BUSY_SECONDS
    while True:
        try:
            db.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() > deadline:
                raise
        time.sleep(0.01)
