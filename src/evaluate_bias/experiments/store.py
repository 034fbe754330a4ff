"""The store of a folder: one SQLite file that several runs may fill, with every result once and never changed.

A result is written in one transaction, with its unit. A run claims the units that it measures. The system releases the
lock of a killed run together with its process; another run that finds the lock free takes over the claimed units.
Failures are kept beside the results until the same unit has a result.
"""

from __future__ import annotations

import contextlib
import sqlite3
import warnings
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, Self

from ..errors import DataError, OutputError
from ..files import require_regular_or_absent, short_path
from ..result import Result
from .opening import (
    DAMAGED,
    not_written,
    opened_for_reading,
    opened_for_writing,
    set_aside_damaged,
    transaction,
)
from .run_lock import RunLock
from .tables import (
    INSERT,
    INSERT_FAILURE,
    SCHEMA,
    content,
    insert_results,
    measurement_text,
    packed,
    remove,
    stored_unit,
    unit_name,
    unit_text,
    unpacked,
)
from .unit import RECORDED, Unit

__all__ = ["SCHEMA", "STORE_FILE", "DamagedResultWarning", "Failure", "State", "Store", "store_path"]

STORE_FILE = "results.sqlite"

State = Literal["measured", "unsuitable", "failed", "missing"]


class DamagedResultWarning(UserWarning):
    """A result of a store cannot be read; the others were."""


@dataclass(frozen=True, slots=True)
class Failure:
    """A unit without a result.

    Attributes:
        unit: the unit.
        kind: ``"failed"``, or ``"unsuitable"`` where the model cannot do what the method needs.
        reason: why there is none.
        current: whether the last run, or one beside it, planned the unit; those of earlier configs are history.
    """

    unit: Unit
    kind: Literal["failed", "unsuitable"]
    reason: str
    current: bool = True


def store_path(path: str | Path) -> Path:
    """The file of a store that is given by its folder or by itself."""
    path = Path(path)
    return path / STORE_FILE if path.is_dir() or not path.suffix else path


class Store:
    """Results of units, on disk.

    Args:
        path: the folder, or the file in it; both are made where they do not exist.
        read_only: open what is there and write nothing, also where nothing can be written.
        replace: discard the stored results when the first new one is added; a damaged file is renamed.

    Raises:
        DataError: there is nothing to read, or the file is no store of this library or has another schema.
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
        self._lock = RunLock(self.path)
        self.runner = self._lock.runner
        if read_only and not self.path.is_file():
            raise DataError(f"no results at {short_path(path)}", hint="make them with 'evaluate-bias run'")
        try:
            if replace:
                set_aside_damaged(self.path)
            self._db = opened_for_reading(self.path) if read_only else opened_for_writing(self.path)
        except (*DAMAGED, OSError) as error:
            raise self._error(error, read_only=read_only) from error
        with self._reading() as db:
            keys = db.execute("SELECT key FROM results") if replace else ()
            self._replaced = {key for (key,) in keys}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Give claims back and close the file."""
        with contextlib.suppress(OutputError, sqlite3.Error):
            if self._lock.is_held:
                self.release()
        self._db.close()
        self._lock.release()

    # --- writing ----------------------------------------------------------------------------------------------

    @contextlib.contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """Write all of a block or nothing; other runs wait until it ends.

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
            hint="move it away to go on from results.jsonl beside it, or replace both with 'evaluate-bias run "
            "--overwrite'",
        )

    def add(self, unit: Unit, result: Result, *, seconds: float) -> bool:
        """Add the result of a unit; on return it outlives this process. ``False`` where there is one, which stays.

        Raises:
            OutputError: it cannot be written.
        """
        row = (unit.key, measurement_text(unit), unit_text(unit), seconds, *packed(result.to_dict()))
        with self.writing() as db:
            if self._replaced:
                remove(db, list(self._replaced))
                self._replaced = set()
            added = db.execute(f"{INSERT} ON CONFLICT (key) DO NOTHING", row).rowcount
            self._settle(db, unit)
        return bool(added)

    def insert_results(self, results: Iterable[Result]) -> None:
        """Add results that belong to no plan; those that are already stored are skipped.

        Raises:
            OutputError: it cannot be written.
        """
        with self.writing() as db:
            added = insert_results(db, results)
        if self._replaced:
            self._replaced.update(added)

    def add_failure(self, failure: Failure) -> None:
        """Record why a unit has no result, replacing earlier failures of the same measurement.

        Raises:
            OutputError: it cannot be written.
        """
        unit = failure.unit
        with self.writing() as db:
            self._settle(db, unit)
            db.execute(
                INSERT_FAILURE,
                (unit.key, measurement_text(unit), unit_text(unit), failure.kind, failure.reason),
            )
            db.execute("INSERT OR IGNORE INTO planned VALUES (?, ?)", (unit.key, self.runner))

    @staticmethod
    def _settle(db: sqlite3.Connection, unit: Unit) -> None:
        """Remove the failures and claims of a unit."""
        about = (measurement_text(unit), unit.key)
        db.execute("DELETE FROM failures WHERE measurement = ? OR key = ?", about)
        db.execute("DELETE FROM claims WHERE key = ?", (unit.key,))

    def note_plan(self, units: Iterable[Unit]) -> None:
        """Record the units that this run plans, replacing those of finished runs; other units' failures become history.

        Raises:
            OutputError: it cannot be written.
        """
        with self.writing() as db:
            self._lock.hold()
            for (runner,) in db.execute("SELECT DISTINCT runner FROM planned").fetchall():
                if runner == self.runner or not self._lock.is_alive(runner):
                    db.execute("DELETE FROM planned WHERE runner = ?", (runner,))
            db.executemany(
                "INSERT OR IGNORE INTO planned VALUES (?, ?)", [(unit.key, self.runner) for unit in units]
            )

    def drop_damaged(self, units: Iterable[Unit]) -> list[Unit]:
        """Remove the results that can no longer be read, so that their units are missing; return these.

        Raises:
            OutputError: the store cannot be written.
        """
        with self.writing() as db:
            damaged = self.damaged_names()
            damaged_units = [unit for unit in units if unit.key in damaged]
            remove(db, [unit.key for unit in damaged_units])
        return damaged_units

    def drop(self, units: Iterable[Unit]) -> None:
        """Remove the results of units, so that they are missing.

        Raises:
            OutputError: the store cannot be written.
        """
        with self.writing() as db:
            remove(db, [unit.key for unit in units])

    # --- claims -----------------------------------------------------------------------------------------------

    def claim(self, units: Sequence[Unit]) -> list[Unit]:
        """Claim units, except those that are measured, unsuitable, or claimed by another live run.

        The claims hold until the units have a result or failure, :meth:`release`, or the end of this process.

        Raises:
            OutputError: the store cannot be written.
        """
        with self.writing() as db:
            # Locks come and go within the transaction, so that nobody takes a lock that is being made for a dead one's.
            self._lock.hold()
            settled = self.settled(units)
            claims = dict(db.execute("SELECT key, runner FROM claims WHERE runner != ?", (self.runner,)))
            for runner in {*claims.values(), *self._lock.others()}:
                if not self._lock.is_alive(runner):
                    db.execute("DELETE FROM claims WHERE runner = ?", (runner,))
                    claims = {key: other for key, other in claims.items() if other != runner}
                    self._lock.forget(runner)
            free = [unit for unit in units if unit.key not in settled and unit.key not in claims]
            db.executemany(
                "INSERT OR IGNORE INTO claims (key, runner) VALUES (?, ?)",
                [(unit.key, self.runner) for unit in free],
            )
        return free

    def release(self, units: Iterable[Unit] | None = None) -> None:
        """Give claims back, by default all of this run."""
        with self.writing() as db:
            if units is None:
                db.execute("DELETE FROM claims WHERE runner = ?", (self.runner,))
            else:
                db.executemany(
                    "DELETE FROM claims WHERE key = ? AND runner = ?", [(u.key, self.runner) for u in units]
                )

    @contextlib.contextmanager
    def last_process(self) -> Iterator[bool]:
        """End this run and yield whether it is the last one on the store; no other run can begin inside the block.

        Raises:
            OutputError: the store cannot be written.
        """
        with self.writing():
            yield not any(map(self._lock.is_alive, self._lock.others()))
            self._lock.release()

    # --- reading ----------------------------------------------------------------------------------------------

    def states(self, units: Iterable[Unit]) -> dict[str, State]:
        """The state of units by their keys; a result with a recording stands for one without."""
        with self._reading() as db:
            known: dict[str, State] = dict(db.execute("SELECT key, kind FROM failures"))
            measured = {key for (key,) in db.execute("SELECT key FROM results")} - self._replaced
        known |= dict.fromkeys(measured | {key.removesuffix(RECORDED) for key in measured}, "measured")
        return {unit.key: known.get(unit.key, "missing") for unit in units}

    def settled(self, units: Iterable[Unit]) -> set[str]:
        """Keys of the units that have a result, or a model that cannot do what the method needs."""
        return {key for key, state in self.states(units).items() if state in ("measured", "unsuitable")}

    def damaged_names(self) -> dict[str, str]:
        """Names of the results that can no longer be read, by the keys of their units."""
        with self._reading() as db:
            rows = db.execute("SELECT key, measurement, unit, head, rows FROM results")
            return {
                row[0]: unit_name(row[0], row[2])
                for row in rows
                if stored_unit(*row[:3]) is None or content(*row[3:]) is None
            }

    def results(self, *, history: bool = False, rows: bool = True) -> list[tuple[Unit, Result]]:
        """Return all results with their units, in the order of model, method, data, language, seed and settings.

        One that is damaged is left out with a :class:`DamagedResultWarning` that names it.

        Args:
            history: also those that a later one of the same measurement replaces, because model, data or library
                have changed since.
            rows: with their breakdown; lists do without, and are many times faster.

        Raises:
            DataError: the file is damaged.
        """
        return sorted(self.in_order(history=history, rows=rows), key=_listed)

    def in_order(self, *, history: bool = False, rows: bool = True) -> list[tuple[Unit, Result]]:
        """Return what :meth:`results` does, in the order in which each was first measured."""
        columns = "head, rows" if rows else "head, NULL"
        unit_facts = [(unit, unpacked(*parts)) for unit, parts in self._rows(columns, history)]
        self._warn([str(unit) for unit, facts in unit_facts if facts is None])
        return [(unit, Result.from_dict(facts)) for unit, facts in unit_facts if facts is not None]

    def units(self, *, history: bool = False) -> list[Unit]:
        """Return the units of :meth:`results`, without reading these."""
        return [unit for unit, _ in sorted(self._rows("NULL", history), key=_listed)]

    def seconds(self) -> list[tuple[Unit, float]]:
        """Return how long each unit took, in seconds, where that is known."""
        return [(unit, seconds) for unit, (seconds,) in self._rows("seconds", history=False) if seconds]

    def failures(self, *, history: bool = False) -> list[Failure]:
        """Return the units without a result, with the reason, in the same order.

        Args:
            history: also units that neither the last run nor one beside it planned.
        """
        with self._reading() as db:
            planned = {key for (key,) in db.execute("SELECT key FROM planned")}
            rows = db.execute("SELECT key, measurement, unit, kind, reason FROM failures")
            failures = [
                Failure(unit, kind, reason, key in planned)
                for key, measurement, text, kind, reason in rows
                if (unit := stored_unit(key, measurement, text))  # one that is damaged will fail again
            ]
        current_failures = (failure for failure in failures if history or failure.current)
        return sorted(current_failures, key=lambda f: (f.unit.measurement, f.unit.key))

    def _rows(self, columns: str, history: bool) -> list[tuple[Unit, tuple[Any, ...]]]:
        """Columns of the latest result of each measurement, in the order of the first ones, or of all results."""
        latest = (
            "JOIN (SELECT max(rowid) AS last, min(rowid) AS first FROM results GROUP BY measurement) "
            "ON results.rowid = last ORDER BY first"
        )
        with self._reading() as db:
            cursor = db.execute(
                f"SELECT key, measurement, unit, {columns} FROM results {'ORDER BY rowid' if history else latest}"
            )
            entries = [(unit_name(row[0], row[2]), stored_unit(*row[:3]), tuple(row[3:])) for row in cursor]
        self._warn([name for name, unit, _ in entries if unit is None])
        return [(unit, values) for _, unit, values in entries if unit is not None]

    def _warn(self, damaged: Sequence[str]) -> None:
        if damaged:
            more = f" and {len(damaged) - 1:,} more" if damaged[1:] else ""
            warnings.warn(
                f"{short_path(self.path)} holds a damaged result, which is left out: {damaged[0]}{more}; "
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


def _listed(row: tuple[Unit, Any]) -> tuple[Any, ...]:
    """The sort key of lists of results."""
    unit, _ = row
    return unit.measurement, unit.key
