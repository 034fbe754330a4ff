"""A list of checked rows of one kind, and the loader that the simple kinds share."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Generic, TypeVar, overload

from pydantic import BaseModel

from ..errors import UnknownNameError
from ..paths import packaged_data
from ..result import Skipped
from .schemas import validated
from .table_source import Table, find_table, packaged_table

__all__ = ["RowSet", "checked_rows", "load_rows", "packaged_languages"]

M = TypeVar("M", bound=BaseModel)


@dataclass(frozen=True, slots=True)
class RowSet(Sequence[M], Generic[M]):
    """Rows in order, and the identity of what they were read from.

    Attributes:
        rows: the rows.
        provenance: ``source``, ``language``, and ``sha256`` of the file or ``revision`` of the Hub data set.
        skipped: rows of the file that could not be used, and why.

    Examples:
        >>> from evaluate_bias.data.professions import load_occupations
        >>> occupations = load_occupations()
        >>> len(occupations), occupations[0].word, occupations.provenance["source"]
        (60, 'technician', 'winogender_occupations')
    """

    rows: tuple[M, ...]
    provenance: Mapping[str, Any] = field(default_factory=dict)
    skipped: tuple[Skipped, ...] = ()

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[M]:
        return iter(self.rows)

    @overload
    def __getitem__(self, key: int) -> M: ...
    @overload
    def __getitem__(self, key: slice) -> RowSet[M]: ...
    def __getitem__(self, key: int | slice) -> M | RowSet[M]:
        if isinstance(key, slice):
            return RowSet(self.rows[key], self.provenance, self.skipped)
        return self.rows[key]

    def columns(self) -> dict[str, list[Any]]:
        """Return the rows as columns, one list for each field.

        Examples:
            >>> from evaluate_bias.data.professions import load_gendered_words
            >>> load_gendered_words("de", kinds="pronoun").columns()["female"]
            ['sie', 'ihr', 'ihre']
        """
        names = type(self.rows[0]).model_fields if self.rows else ()
        return {name: [getattr(row, name) for row in self.rows] for name in names}


def load_rows(
    schema: type[M], name: str, language: str, source: str | Path | None, *, encoding: str = "utf-8"
) -> RowSet[M]:
    """Load rows of one kind in one language.

    Args:
        schema: what a row must look like; it has the field ``language``.
        name: name of the packaged data set.
        language: language tag.
        source: ``None``: the packaged rows; else a file, a folder with one file a language, or a Hub id with one
            configuration a language. Columns that the schema does not have are left out and named in the
            provenance.
        encoding: encoding of a text file.

    Raises:
        UnknownNameError: the source has no such language.
        DataError: the source cannot be read, or a row does not follow the schema.
        HubError: the Hub could not be reached or does not have the data set.
    """
    if source is None:
        return checked_rows(schema, packaged_table(name, language), language)
    return checked_rows(schema, find_table(str(source), language, encoding=encoding), language)


def checked_rows(schema: type[M], table: Table, language: str) -> RowSet[M]:
    """Check every row of a table; rows of other languages are left out.

    Raises:
        UnknownNameError: no row is in this language.
        DataError: a row does not follow the schema.
    """
    base = language.partition("-")[0].lower()
    ignored = [column for column in table.rows[0] if column not in schema.model_fields]
    provenance = {**table.provenance, **({"ignored_columns": ignored} if ignored else {})}
    rows = []
    languages = set()
    for number, row in enumerate(table.rows, start=1):
        known = {k: v for k, v in row.items() if k in schema.model_fields and v is not None}
        own = str(known.setdefault("language", base))
        languages.add(own)
        if own.lower() in (base, language.lower()):
            rows.append(validated(schema, known, f"{table.name}, row {number}"))
    if not rows:
        raise UnknownNameError("language", language, languages)
    return RowSet(tuple(rows), provenance, table.skipped)


def packaged_languages(name: str) -> list[str]:
    """Return the languages of a packaged data set, sorted.

    Examples:
        >>> packaged_languages("gendered_words")
        ['de', 'en', 'es', 'fr', 'is', 'it', 'nl', 'no', 'tr']
    """
    return sorted(Path(f.name).stem for f in packaged_data(name).iterdir() if f.name.endswith(".jsonl"))
