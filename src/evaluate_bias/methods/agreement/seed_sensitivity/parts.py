"""What a measurement is made of: the words of a test, or the rows of the data; and parts of them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ....data.word_lists import WORD_LISTS
from ....errors import DataError, quoted
from ....method_record import MethodRecord
from ....stats import item_streams
from ....text import row_place, stable_order
from ...rows import as_fields

_MOST_LEFT_OUT = 200
"""Number of rows up to which each is removed once. From a list of words, each is always removed once."""


@dataclass(frozen=True, slots=True)
class Stratum:
    """A list of words, pairs of them, or the rows: what parts are drawn from.

    Attributes:
        name: the column, the columns of the pairs, or ``rows``.
        units: what is drawn, in the order of its text.
        labels: what each is called.
        keys: the text that decides what is drawn.
    """

    name: str
    units: tuple[Any, ...]
    labels: tuple[str, ...]
    keys: tuple[str, ...]

    @classmethod
    def of(cls, name: str, units: Sequence[Any]) -> Stratum:
        """In the order of their text, so that units given in another order make the same parts."""
        keys = [_key(u) for u in units]
        order = stable_order(keys)
        labels = tuple(_label(units[i], i) for i in order)
        return cls(name, tuple(units[i] for i in order), labels, tuple(keys[i] for i in order))

    def n_kept(self, share: float) -> int:
        """How many a part keeps: all of fewer than three, else two or more and never all."""
        n = len(self.units)
        return n if n < 3 else min(n - 1, max(2, round(share * n)))

    def draws(self, share: float, count: int, seed: int) -> Iterator[list[int]]:
        """The units of so many parts, drawn without replacement from a stream that only the units decide."""
        ((order, rng),) = item_streams([self.keys], seed)
        for _ in range(count):
            yield order[rng.permutation(len(self.units))[: self.n_kept(share)]].tolist()


def _key(unit: Any) -> str:
    """The text of a unit, the same whichever word of a pair, or column of a row, comes first."""
    if isinstance(unit, tuple):
        return " / ".join(sorted(map(str, unit)))
    return str(sorted(unit.items()) if isinstance(unit, Mapping) else unit)


def _label(unit: Any, place: int) -> str:
    if isinstance(unit, tuple):
        return " / ".join(map(str, unit))
    return unit if isinstance(unit, str) else str(as_fields(unit, f"row {place}").get("id") or f"row {place}")


@dataclass(frozen=True, slots=True)
class Whole:
    """One test, or all rows, of which parts are measured.

    Attributes:
        name: of the test; empty for rows.
        strata: what is drawn from.
        row: the test; nothing for rows.
    """

    name: str
    strata: tuple[Stratum, ...]
    row: Mapping[str, Any] | None = None

    @property
    def n(self) -> int:
        """Number of units."""
        return sum(len(s.units) for s in self.strata)

    @property
    def left_out_singly(self) -> bool:
        """Whether each unit is left out once; thousands of rows would take as many measurements."""
        return self.row is not None or self.n <= _MOST_LEFT_OUT

    def can_lose(self, share: float) -> bool:
        """Whether a part is less than the whole."""
        return any(s.n_kept(share) < len(s.units) for s in self.strata)

    def data(self, parts: Sequence[Iterable[int]] | None = None) -> list[Any]:
        """The rows that hold these units of every stratum; all where none are given."""
        places = parts or [range(len(s.units)) for s in self.strata]
        chosen = [[s.units[i] for i in sorted(part)] for s, part in zip(self.strata, places, strict=True)]
        if self.row is None:
            return chosen[0]
        lists: dict[str, list[str]] = {}
        for stratum, units in zip(self.strata, chosen, strict=True):
            columns = stratum.name.split(" and ")
            for place, column in enumerate(columns):
                lists[column] = [u[place] for u in units] if len(columns) > 1 else units
        absent = {w for c in lists for w in self.row[c]} - {w for words in lists.values() for w in words}
        # What says of some of the words what they are, such as which are plural, says it of those that are left.
        others = {
            c: [w for w in v if w not in absent] for c, v in self.row.items() if isinstance(v, (list, tuple))
        }
        return [{**self.row, **others, **lists}]

    def parts(self, share: float, count: int, seed: int) -> Iterator[tuple[list[int], ...]]:
        """Random parts: of every stratum as many units as it keeps."""
        return zip(*(s.draws(share, count, seed) for s in self.strata), strict=True)

    def without_each(self) -> Iterator[tuple[str, str, list[list[int]]]]:
        """Every unit of a stratum with more than one: its stratum, what it is called, and the units without it."""
        everything = [list(range(len(s.units))) for s in self.strata]
        for at, stratum in enumerate(self.strata):
            for place in range(len(stratum.units)) if len(stratum.units) > 1 else ():
                rest = [[i for i in part if (k, i) != (at, place)] for k, part in enumerate(everything)]
                yield stratum.name, stratum.labels[place], rest


def wholes(record: MethodRecord, rows: Sequence[Any]) -> list[Whole]:
    """The tests of a method on word lists, each with its lists; for any other method all its rows together.

    Raises:
        DataError: a row is neither a mapping nor a row of a data set, or has no list of words where one belongs.
    """
    columns = [c for c in WORD_LISTS if c in (*record.columns, *record.optional_columns)]
    if not columns:
        return [Whole("", (Stratum.of("rows", rows),))]
    tests = []
    for place, row in enumerate(rows):
        fields = {k: v for k, v in as_fields(row, row_place(place, len(rows))).items() if v is not None}
        tests.append(Whole(str(fields.get("name", "")), _strata(record, fields, columns), fields))
    return tests


def without(whole: Whole, lost: Collection[tuple[str, str]]) -> Whole:
    """The test without words, each given with its list, that cannot be measured."""
    if whole.row is None or not lost:
        return whole
    strata = []
    for stratum in whole.strata:
        where = "targets" if " and " in stratum.name else stratum.name  # as pairs are listed
        units = zip(stratum.units, stratum.labels, strict=True)
        strata.append(Stratum.of(stratum.name, [u for u, label in units if (where, label) not in lost]))
    return replace(whole, strata=tuple(strata))


def _strata(record: MethodRecord, row: Mapping[str, Any], columns: Sequence[str]) -> tuple[Stratum, ...]:
    lists: dict[str, list[str]] = {}
    for column in columns:
        words = () if row.get(column) is None else row[column]
        if not isinstance(words, (list, tuple)) or not all(isinstance(word, str) for word in words):
            raise DataError(f"{column} must be a list of words, got {quoted(words)}")
        lists[column] = list(words)
    strata = []
    if record.paired:
        x, y = columns[:2]
        if len(lists[x]) == len(lists[y]):
            pairs = list(dict.fromkeys(zip(lists.pop(x), lists.pop(y), strict=True)))
            strata.append(Stratum.of(f"{x} and {y}", pairs))
    strata += [Stratum.of(c, list(dict.fromkeys(words))) for c, words in lists.items() if words]
    return tuple(strata)
