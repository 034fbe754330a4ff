"""The tables of a store and the form of their rows."""

from __future__ import annotations

import json
import sqlite3
import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from ..errors import DataError, quoted
from ..result import Result
from .unit import Unit, unit_of_result

SCHEMA = 4
"""Version of the tables; a store of any other version is refused."""

APPLICATION = 0x65766231  # "evb1": tells the file from another program's

_REMAIN = """CREATE TRIGGER results_remain BEFORE DELETE ON results
    BEGIN SELECT RAISE(ABORT, 'a result is never removed'); END"""

RESULTS = (
    """CREATE TABLE results (
    id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, measurement TEXT NOT NULL, unit TEXT NOT NULL,
    seconds REAL NOT NULL, head BLOB NOT NULL, rows BLOB NOT NULL)""",
    """CREATE TABLE failures (
    id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, measurement TEXT NOT NULL, unit TEXT NOT NULL,
    kind TEXT NOT NULL, reason TEXT NOT NULL)""",
    """CREATE TRIGGER results_stay BEFORE UPDATE ON results
    BEGIN SELECT RAISE(ABORT, 'a result is never changed'); END""",
    _REMAIN,
)
"""A result is split into what lists show and its rows, which may be thousands; both are compressed JSON."""

CLAIMS = "CREATE TABLE claims (key TEXT PRIMARY KEY, runner TEXT NOT NULL) WITHOUT ROWID"

PLANNED = (
    "CREATE TABLE planned (key TEXT NOT NULL, runner TEXT NOT NULL, PRIMARY KEY (key, runner)) WITHOUT ROWID"
)
"""The units of the last run and of those beside it: what others left without a result is history."""

INSERT = "INSERT INTO results (key, measurement, unit, seconds, head, rows) VALUES (?, ?, ?, ?, ?, ?)"
INSERT_FAILURE = "INSERT INTO failures (key, measurement, unit, kind, reason) VALUES (?, ?, ?, ?, ?)"


def packed(facts: Mapping[str, Any]) -> tuple[bytes, bytes]:
    """The head and the rows of a result, as they are stored."""
    head = {name: value for name, value in facts.items() if name != "rows"}
    return _squeezed(head), _squeezed(facts["rows"])


def _squeezed(value: Any) -> bytes:
    return zlib.compress(
        json.dumps(value, ensure_ascii=False, allow_nan=False).encode("utf-8", "surrogatepass"), 6
    )


def measurement_text(unit: Unit) -> str:
    """What a unit measures, as a text; without the data set's name, which is not known of one that cannot be read."""
    if unit.content_hash:
        return unit.content_hash
    return json.dumps([unit.model, unit.method, unit.language, unit.seed, dict(unit.options)], sort_keys=True)


def insert_results(db: sqlite3.Connection, results: Iterable[Result]) -> list[str]:
    """Add results that belong to no plan and are not stored yet; return the keys of those added."""
    rows = db.execute("SELECT key, measurement, unit, head, rows FROM results")
    known_contents = {content(*row[3:]) for row in rows if stored_unit(*row[:3])}
    new = {}
    for result in results:
        parts, unit = packed(result.to_dict()), unit_of_result(result)
        if content(*parts) not in known_contents:
            new[unit.key] = (unit.key, measurement_text(unit), unit_text(unit), 0.0, *parts)
    remove(db, list(new))  # one of the same key is this one, damaged
    db.executemany(INSERT, new.values())
    return list(new)


def content(*parts: bytes) -> tuple[bytes, ...] | None:
    """What the parts of a result say; ``None`` where they were damaged."""
    try:
        return tuple(map(zlib.decompress, parts))
    except (zlib.error, TypeError):
        return None


def create(db: sqlite3.Connection) -> None:
    """Make the tables of a new store."""
    for statement in (*RESULTS, CLAIMS, PLANNED):  # executescript would commit what is open
        db.execute(statement)
    db.execute(f"PRAGMA application_id = {APPLICATION}")
    db.execute(f"PRAGMA user_version = {SCHEMA}")


def readable_text(raw: bytes) -> str:
    """A text of the file; bytes that are none, in a damaged one, as U+FFFD, so that all else can be read."""
    return raw.decode("utf-8", "replace")


def remove(db: sqlite3.Connection, keys: Sequence[str]) -> None:
    """Remove results that are damaged, replaced or to be measured again; any other stays for ever."""
    if not keys:
        return
    db.execute("DROP TRIGGER IF EXISTS results_remain")
    db.executemany("DELETE FROM results WHERE key = ?", [(key,) for key in keys])
    db.execute(_REMAIN)


def unit_text(unit: Unit) -> str:
    """A unit, as it is stored."""
    return json.dumps(asdict(unit), ensure_ascii=False, sort_keys=True)


def unit_of(text: str) -> Unit:
    """The unit that was stored as a text.

    Raises:
        DataError: it was damaged.
    """
    try:
        return Unit(**json.loads(text))
    except (TypeError, ValueError) as error:
        raise DataError("a run of the store cannot be read: it was damaged") from error


def stored_unit(key: str, measurement: str, text: str) -> Unit | None:
    """The unit of a row; ``None`` where the row was damaged, so that what it says of itself does not agree."""
    try:
        unit = unit_of(text)
        return unit if (unit.key, measurement_text(unit)) == (key, measurement) else None
    except (AttributeError, DataError, TypeError, ValueError):
        return None


def unpacked(head: bytes, rows: bytes | None) -> dict[str, Any] | None:
    """What a result was written from; ``None`` where it was damaged."""
    try:
        facts = json.loads(zlib.decompress(head))
        return {**facts, "rows": [] if rows is None else json.loads(zlib.decompress(rows))}
    except (zlib.error, TypeError, ValueError):
        return None


def unit_name(key: str, text: str) -> str:
    """The name of a unit, as far as it can be read from a row that may be damaged."""
    try:
        return str(unit_of(text))
    except (AttributeError, DataError, TypeError):
        return f"the one with the key {quoted(key)}"
