"""The loader that the simple kinds of rows share."""

from __future__ import annotations

from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel

from ..errors import UnknownNameError
from ..paths import packaged_data
from .row_set import RowSet
from .schemas import parse_row
from .table_source import Table, find_table, packaged_table

__all__ = ["checked_rows", "load_rows", "packaged_languages"]

M = TypeVar("M", bound=BaseModel)


def load_rows(
    schema: type[M], name: str, language: str, source: str | Path | None, *, encoding: str = "utf-8"
) -> RowSet[M]:
    """Load rows of one kind in one language.

    Args:
        schema: what a row must look like; it has the field ``language``.
        name: name of the packaged data set.
        language: language tag.
        source: ``None``: the packaged rows; else a file, a folder with one file per language, or a Hub id with one
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
            rows.append(parse_row(schema, known, f"{table.name}, row {number}"))
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
