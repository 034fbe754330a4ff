"""The units that two results share, with their values in both."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from ...errors import DataError, quoted
from ...method import Units
from ...result import Result, Row
from ...row import number

__all__ = ["Shared", "UnitValue", "shared_units", "units_of"]

FIRST, SECOND = "targets_x", "targets_y"
A, B = "attributes_a", "attributes_b"


@dataclass(frozen=True, slots=True)
class UnitValue:
    """One unit of a result: what counts for the score, its cluster or list, its labels, and a further number."""

    value: float
    within: str
    labels: frozenset[str]
    also: float | None


@dataclass(frozen=True, slots=True)
class Shared:
    """Units of two results that are the same, in the order of the first; and how many stand in one only."""

    names: tuple[str, ...]
    first: tuple[UnitValue, ...]
    second: tuple[UnitValue, ...]
    only_first: int
    only_second: int


def units_of(source: Result | Row, units: Units) -> dict[str, UnitValue]:
    """Return the units of a result whose units are its items, or of a row of kind ``"test"``, by name.

    Raises:
        DataError: a unit's value is missing or no number, or two units have one name.
    """
    found: dict[str, UnitValue] = {}
    for name, fields, labels in _entries(source, units):
        raw = fields.get(units.value)
        value = units.outcomes.get(raw) if isinstance(raw, str) else number(raw, units.value)
        if value is None:
            if isinstance(source, Result):
                raise DataError(f"unit {quoted(name)} has no {units.value}: it cannot be compared")
            continue  # a test may list words that have no value of their own
        within = str(fields.get("list" if units.list else units.cluster, ""))
        key = f"{within}/{name}" if units.list else name
        if key in found:
            raise DataError(
                f"two units are named {quoted(name)}: give each a name of its own to compare them"
            )
        also = number(fields.get(units.also), units.also) if units.also else None
        found[key] = UnitValue(float(value), within, frozenset(labels), None if also is None else float(also))
    return found


def _entries(source: Result | Row, units: Units) -> Iterable[tuple[str, Mapping[str, Any], Iterable[str]]]:
    """Name, fields and labels of every unit."""
    if isinstance(source, Row):
        listed = source.details.get(units.list, ())
        if not isinstance(listed, (list, tuple)):
            return
        for entry in listed:
            if isinstance(entry, Mapping) and isinstance(entry.get("word"), str):
                yield entry["word"], entry, ()
        return
    for row in source.rows_of("item"):
        yield row.name, {"score": row.score, **row.details}, row.labels.values()


def shared_units(first: Mapping[str, UnitValue], second: Mapping[str, UnitValue]) -> Shared:
    """Return the units that both have, in the order of the first."""
    names = tuple(name for name in first if name in second)
    return Shared(
        names,
        tuple(first[n] for n in names),
        tuple(second[n] for n in names),
        len(first) - len(names),
        len(second) - len(names),
    )
