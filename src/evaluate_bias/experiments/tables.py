"""The tables of a store, the form of their rows, and the upgrade from older schemas."""

from __future__ import annotations

import json
import sqlite3
import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any

from ..errors import DataError, quoted
from ..result import Result
from .unit import Unit, digest, measurement_key, unit_of_result

SCHEMA = 4
"""Version of the tables; an older store is upgraded to it when it is opened for writing."""

APPLICATION = 0x65766231  # "evb1": tells the file from another program's

_REMAIN = """CREATE TRIGGER results_remain BEFORE DELETE ON results
    BEGIN SELECT RAISE(ABORT, 'a result is never removed'); END"""

_STAY = """CREATE TRIGGER results_stay BEFORE UPDATE ON results
    BEGIN SELECT RAISE(ABORT, 'a result is never changed'); END"""

RESULTS = (
    """CREATE TABLE results (
    id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, measurement TEXT NOT NULL, unit TEXT NOT NULL,
    seconds REAL NOT NULL, head BLOB NOT NULL, rows BLOB NOT NULL)""",
    """CREATE TABLE failures (
    id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, measurement TEXT NOT NULL, unit TEXT NOT NULL,
    kind TEXT NOT NULL, reason TEXT NOT NULL)""",
    _STAY,
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


def from_schema_1(db: sqlite3.Connection) -> None:
    """Schema 1 kept a result whole, and did not say what a unit measures."""
    results = db.execute("SELECT key, unit, seconds, result FROM results ORDER BY id").fetchall()
    failures = db.execute("SELECT key, unit, kind, reason FROM failures ORDER BY id").fetchall()
    db.execute("DROP TABLE results")
    db.execute("DROP TABLE failures")
    _execute(db, *RESULTS)
    for key, text, seconds, whole in results:
        parts = packed(json.loads(zlib.decompress(whole)))
        db.execute(INSERT, (key, measurement_text(unit_of(text)), text, seconds, *parts))
    for key, text, kind, reason in failures:
        db.execute(INSERT_FAILURE, (key, measurement_text(unit_of(text)), text, kind, reason))


def from_schema_2(db: sqlite3.Connection) -> None:
    """Schema 2 did not say which units a run had planned."""
    db.execute(PLANNED)
    db.execute("INSERT INTO planned SELECT key, '' FROM failures")


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


def link_earlier_results(db: sqlite3.Connection, unit: Unit, result: Result) -> None:
    """Make imported results of the same measurement earlier results of a unit that now has one of its own."""
    measurement = digest(measurement_key(result))
    keys = [key for (key,) in db.execute("SELECT key FROM results WHERE measurement = ?", (measurement,))]
    if keys:
        db.execute("DROP TRIGGER IF EXISTS results_stay")
        for key in keys:
            row = (measurement_text(unit), unit_text(replace(unit, key=key)), key)
            db.execute("UPDATE results SET measurement = ?, unit = ? WHERE key = ?", row)
        db.execute(_STAY)


def _execute(db: sqlite3.Connection, *statements: str) -> None:
    """Run statements one after the other; ``executescript`` would commit what is open."""
    for statement in statements:
        db.execute(statement)


def create(db: sqlite3.Connection) -> None:
    """Make the tables of a new store."""
    _execute(db, *RESULTS, CLAIMS, PLANNED)
    db.execute(f"PRAGMA application_id = {APPLICATION}")


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
        facts: Mapping[str, Any] = json.loads(text)
        # Stores of earlier versions call the hash "given".
        return Unit(**{"content_hash" if name == "given" else name: value for name, value in facts.items()})
    except (TypeError, ValueError) as error:
        raise DataError("a unit of the store cannot be read: it was damaged") from error


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
