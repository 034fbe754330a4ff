"""Checked rows of one kind, in order, with the identity of what they were read from."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import islice
from typing import Any, ClassVar, Generic, Protocol, Self, TypeVar, overload

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

    A row is found by its position, or by its ``id`` where rows have one.

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
        """What two ways to write one name have in common."""
        return name

    @cached_property
    def _places(self) -> dict[str, int]:
        """Where the first row of each name stands; without it, looking up every row would be quadratic."""
        names = ((getattr(row, self.named_by, None), place) for place, row in enumerate(self.rows))
        return {self._same(name): place for name, place in reversed(list(names)) if name is not None}

    def only(self, rows: Iterable[M]) -> Self:
        """Return the set with these of its rows."""
        return replace(self, rows=tuple(rows))

    def where(self, column: str, names: str | Iterable[str] | None, what: str, option: str) -> Self:
        """Return the rows in whose ``column`` one of these names stands, in their order; ``None``: all of them.

        Args:
            column: a field of the rows.
            names: one name or several.
            what: what such a name is, for errors.
            option: the option that holds the names, for errors.

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
        """Return the rows as columns, one list for each field; of ready answers only where there are some.

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


class _HasBiasType(Protocol):
    @property
    def bias_type(self) -> str: ...


T = TypeVar("T", bound=_HasBiasType)


class TypedRowSet(RowSet[T]):
    """Rows that each belong to a bias type."""

    @property
    def bias_types(self) -> tuple[str, ...]:
        """The bias types in order of their first row.

        Examples:
            >>> from evaluate_bias.data import load_sentence_pairs
            >>> load_sentence_pairs().bias_types[:3]
            ('race-color', 'socioeconomic', 'gender')
        """
        return tuple(dict.fromkeys(row.bias_type for row in self.rows))

    def select(self, bias_types: str | Iterable[str]) -> Self:
        """Return the rows of one bias type or several, in their order.

        Args:
            bias_types: names; capitals, spaces, hyphens and underscores do not matter.

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
