"""The units that two results share, with their values in both."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ...errors import DataError, quoted
from ...method import ScoreUnits
from ...result import Result, Row
from ...result.row import number
from .change import Ties

__all__ = ["Shared", "UnitValue", "shared_units", "units_of"]

_Key = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class UnitValue:
    """One unit of a result: what counts for the score, its list, its labels, whether it decides, and all its fields."""

    value: float
    within: str
    labels: frozenset[str]
    decided: bool
    fields: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Shared:
    """Units of two results that are the same, in the order of the first; and how many stand in one only."""

    first: tuple[UnitValue, ...]
    second: tuple[UnitValue, ...]
    only_first: int = 0
    only_second: int = 0

    def __len__(self) -> int:
        return len(self.first)

    def those(self, wanted: Callable[[UnitValue], bool]) -> Shared:
        """The units of which the first result says so."""
        return self.at([i for i, unit in enumerate(self.first) if wanted(unit)])

    def at(self, places: Sequence[int]) -> Shared:
        """The units at these places."""
        return Shared(tuple(self.first[i] for i in places), tuple(self.second[i] for i in places))

    def decided(self) -> tuple[Shared, Ties]:
        """The units that decide in both measurements, and where the others tie."""
        found = [(a.decided, b.decided) for a, b in zip(self.first, self.second, strict=True)]
        ties = Ties(*map(found.count, ((False, True), (True, False), (False, False))))
        return self.at([i for i, both in enumerate(found) if all(both)]), ties


def units_of(source: Result | Row, units: ScoreUnits) -> dict[_Key, UnitValue]:
    """Return the units of a result whose units are its items, or of a row of kind ``"test"``, by what they are.

    A unit is known by its name and by what is no outcome: its list, its clusters and its strata.

    Raises:
        DataError: a unit's value is missing or no number, or two units have one name.
    """
    found: dict[_Key, UnitValue] = {}
    for fields, labels in _entries(source, units):
        name, raw = fields["name"], fields.get(units.value)
        own = units.score == "own"
        if raw is None and (own or isinstance(source, Row)):
            continue  # rows that are no units, and words that have no value of their own
        value = 0.0 if own else units.outcomes.get(raw) if isinstance(raw, str) else number(raw, units.value)
        absent = [key for key in (units.value, *units.clusters, *units.strata) if key not in fields]
        if absent:
            raise DataError(
                f"unit {quoted(name)} has no {absent[0]}, which earlier versions did not keep: measure again to test "
                "the change"
            )
        if value is None:
            raise DataError(f"unit {quoted(name)} has no {units.value} that counts: it cannot be compared")
        within = str(fields["list"]) if units.list else ""
        if units.lists and within not in units.lists:
            continue
        key = (within, name, *(str(fields[k]) for k in (*units.clusters, *units.strata)))
        if key in found:
            raise DataError(
                f"two units are named {quoted(name)}: give each a name of its own to compare them"
            )
        decided = not units.tie or raw != units.tie
        found[key] = UnitValue(float(value), within, frozenset(labels), decided, fields)
    return found


def _entries(source: Result | Row, units: ScoreUnits) -> Iterable[tuple[Mapping[str, Any], Iterable[str]]]:
    """Fields and labels of every unit."""
    if isinstance(source, Row):
        listed = source.details.get(units.list, ())
        for entry in listed if isinstance(listed, Sequence) else ():
            if isinstance(entry, Mapping) and isinstance(entry.get("word"), str):
                yield {**entry, "name": entry["word"], "list": entry.get("list", "")}, ()
        return
    for row in source.rows_of("item"):
        yield (
            {**row.labels, **row.details, "name": row.name, "score": row.score, "n": row.n},
            row.labels.values(),
        )


def shared_units(first: Mapping[_Key, UnitValue], second: Mapping[_Key, UnitValue]) -> Shared:
    """Return the units that both have, in the order of the first."""
    names = [name for name in first if name in second]
    return Shared(
        tuple(first[n] for n in names),
        tuple(second[n] for n in names),
        len(first) - len(names),
        len(second) - len(names),
    )
