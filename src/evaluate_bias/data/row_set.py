"""Checked rows of one kind, with the identity of what they were read from, and the part that ``limit`` selects."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import accumulate, islice
from typing import Any, ClassVar, Generic, Self, TypeVar, overload

from pydantic import BaseModel

from ..errors import UnknownNameError, chosen_names
from ..result import Skipped
from ..text import name_key
from .schemas import Schema

M = TypeVar("M")


class SourcedList(list[Any]):
    """A column that carries the identity of the data that it was taken from."""

    def __init__(self, values: Iterable[Any], provenance: Mapping[str, Any]) -> None:
        super().__init__(values)
        self.provenance = provenance


@dataclass(frozen=True)
class RowSet(Sequence[M], Generic[M]):
    """Rows in order, and the identity of what they were read from.

    A row is found by its position, or by its ``id`` if rows have one.

    Attributes:
        rows: the rows.
        provenance: ``source``, ``language``, and what identifies the content: ``sha256`` of the file, ``revision`` of
            the Hub data set, or ``repository`` and ``revision``.
        skipped: rows of the file that could not be used, and why.

    Examples:
        >>> from evaluate_bias.data.words import load_occupations
        >>> occupations = load_occupations()
        >>> len(occupations), occupations[0].word, occupations.provenance["source"]
        (60, 'technician', 'winogender_occupations')
    """

    kind: ClassVar[str] = "row"
    named_by: ClassVar[str] = "id"
    most_offered: ClassVar[int | None] = None
    """How many ids the error of an unknown one looks through."""

    rows: tuple[M, ...]
    provenance: Mapping[str, Any] = field(default_factory=dict)
    skipped: tuple[Skipped, ...] = ()

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[M]:
        return iter(self.rows)

    @overload
    def __getitem__(self, key: int | str) -> M: ...
    @overload
    def __getitem__(self, key: slice) -> Self: ...
    def __getitem__(self, key: int | str | slice) -> M | Self:
        if isinstance(key, slice):
            return self.only(self.rows[key])
        if isinstance(key, int):
            return self.rows[key]
        place = self._places.get(self._same(key))
        if place is None:
            names = (getattr(row, self.named_by, "") for row in self.rows)
            raise UnknownNameError(self.kind, key, filter(None, islice(names, self.most_offered)))
        return self.rows[place]

    @staticmethod
    def _same(name: str) -> str:
        """Return what different spellings of one name have in common."""
        return name

    @cached_property
    def _places(self) -> dict[str, int]:
        """The position of the first row of each name. Without it, looking up every row would be quadratic."""
        names = ((getattr(row, self.named_by, None), place) for place, row in enumerate(self.rows))
        return {self._same(name): place for name, place in reversed(list(names)) if name is not None}

    def only(self, rows: Iterable[M]) -> Self:
        """Return the set with these of its rows."""
        return replace(self, rows=tuple(rows))

    def where(self, column: str, names: str | Iterable[str] | None, what: str, option: str) -> Self:
        """Return the rows whose ``column`` is one of these names, in their order. ``None``: all of them.

        Args:
            column: a field of the rows.
            names: one name or several.
            what: what such a name is, for errors.
            option: the option that contains the names, for errors.

        Raises:
            InputError: no name was given.
            UnknownNameError: no row has such a name.

        Examples:
            >>> from evaluate_bias.data.words import load_professions
            >>> len(load_professions(list=None).where("list", ["bec-pro", "delobelle"], "list", "list"))
            120
        """
        if names is None:
            return self
        chosen = chosen_names(option, names, what)
        known = {getattr(row, column) for row in self.rows}
        if unknown := next((name for name in chosen if name not in known), None):
            raise UnknownNameError(what, unknown, filter(None, known), option=option)
        return self.only(row for row in self.rows if getattr(row, column) in chosen)

    def columns(self) -> dict[str, list[Any]]:
        """Return the rows as columns, one list for each field. Empty columns of ready answers are omitted.

        Examples:
            >>> from evaluate_bias.data.words import load_gendered_words
            >>> load_gendered_words("de", kinds="pronoun").columns()["female"]
            ['sie', 'ihr', 'ihre']
        """
        if not self.rows or not isinstance(self.rows[0], BaseModel):
            return {}
        schema = type(self.rows[0])
        ready = schema.ready() if issubclass(schema, Schema) else ()
        absent = {name for name in ready if all(getattr(row, name) in (None, ()) for row in self.rows)}
        names = [name for name in schema.model_fields if name not in absent]
        names += ["flags"] if hasattr(self.rows[0], "flags") else []
        return {
            name: SourcedList([getattr(row, name) for row in self.rows], self.provenance) for name in names
        }


class TypedRowSet(RowSet[M]):
    """Rows that each belong to a bias type."""

    @property
    def bias_types(self) -> tuple[str, ...]:
        """The bias types in order of their first row.

        Examples:
            >>> from evaluate_bias.data import load_sentence_pairs
            >>> load_sentence_pairs().bias_types[:3]
            ('race-color', 'socioeconomic', 'gender')
        """
        return tuple(dict.fromkeys(row.bias_type for row in self.rows))  # type: ignore[attr-defined]

    def select(self, bias_types: str | Iterable[str]) -> Self:
        """Return the rows of one bias type or several, in their order.

        Args:
            bias_types: names. Capitals, spaces, hyphens and underscores do not matter.

        Raises:
            InputError: no bias type was named.
            UnknownNameError: no row is of that type.

        Examples:
            >>> from evaluate_bias.data import load_sentence_pairs, load_stereoset
            >>> load_sentence_pairs().select(["Age", "race_color"]).bias_types
            ('race-color', 'age')
            >>> load_stereoset().select(["Race", "gender"]).bias_types
            ('gender', 'race')
        """
        known = {name_key(name): name for name in self.bias_types}
        names = [bias_types] if isinstance(bias_types, str) else bias_types
        known_names = [known.get(name_key(name), name) for name in names]
        chosen = self.where("bias_type", known_names, "bias type", "bias_types")
        if len(chosen.bias_types) == len(known):
            return chosen
        # A score on a part must not pass for one on the whole data set.
        return replace(chosen, provenance={**self.provenance, "bias_types": list(chosen.bias_types)})


_GOLDEN = 0.6180339887498949
"""The fractional parts of its multiples are spread evenly, whatever period the rows have."""


def choose_places(rows: Sequence[Any], schema: type[Schema], limit: int) -> list[int]:
    """Choose the positions of at most ``limit`` rows, in order: as many of every group, spread over its rows.

    Rows that share their values in the schema's ``within`` are chosen together, if the limit allows one such set for
    every group. The same rows give the same positions.

    Examples:
        >>> from evaluate_bias.data.words import WsvWord
        >>> rows = [{"word": str(i), "group": "female" if i < 6 else "male"} for i in range(8)]
        >>> choose_places(rows, WsvWord, 4), choose_places(rows, WsvWord, 7)
        ([0, 5, 6, 7], [0, 1, 2, 4, 5, 6, 7])
    """
    places: Sequence[int] = range(len(rows))
    if len(rows) <= limit:
        return list(places)
    for column in schema.crossed:
        blocks = _split(rows, places, (column,))
        if n := sum(size <= limit for size in accumulate(map(len, blocks))):
            return sorted(i for block in blocks[:n] for i in block)
        places = blocks[0]
    sets = _split(rows, places, schema.within) if schema.within else [[i] for i in places]
    sets = [sets[k] for k in sorted(range(len(sets)), key=lambda k: k * _GOLDEN % 1)]
    groups = _by_group(rows, sets, schema.compared)
    if sum(len(of_group[0]) for of_group in groups) > limit:
        groups = _by_group(rows, [[i] for one in sets for i in one], schema.compared)
    chosen: list[int] = []
    while groups := [g for g in groups if g and len(chosen) + len(g[0]) <= limit]:
        for of_group in groups:
            if len(chosen) + len(of_group[0]) <= limit:
                chosen += of_group.popleft()
    return sorted(chosen)


def _split(rows: Sequence[Any], places: Iterable[int], columns: Sequence[str]) -> list[list[int]]:
    """Return the places of rows that share their values in some columns, in order of appearance."""
    sets: dict[tuple[str, ...], list[int]] = {}
    for i in places:
        sets.setdefault(_values(rows[i], columns), []).append(i)
    return list(sets.values())


def _by_group(
    rows: Sequence[Any], sets: Iterable[list[int]], columns: Sequence[str]
) -> list[deque[list[int]]]:
    """Return sets of positions by the groups that their rows belong to."""
    groups: dict[frozenset[tuple[str, ...]], deque[list[int]]] = {}
    for one in sets:
        groups.setdefault(frozenset(_values(rows[i], columns) for i in one), deque()).append(one)
    return list(groups.values())


def _values(row: Any, columns: Sequence[str]) -> tuple[str, ...]:
    """Return the texts of a row's columns, empty if it has none."""
    values = (row.get(c) if isinstance(row, Mapping) else getattr(row, c, None) for c in columns)
    return tuple("" if value is None else str(value) for value in values)
