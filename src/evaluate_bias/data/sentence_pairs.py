"""Sentence pairs: the packaged ones, CrowS-Pairs, the user's own files, and data sets of the Hub."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from ..errors import DataError, UnknownNameError
from ..text import name_key
from .pair_schemas import PAIR_COLUMNS, TWINS, SentencePair, as_sentence_pair
from .recipes import get_dataset
from .row_set import SourcedList, TypedRowSet
from .table_source import Table, find_table
from .tables import Row

__all__ = ["SentencePairSet", "get_dataset", "load_sentence_pairs"]

_BUILT_IN = {"crowspairs": "crows_pairs", "minimalpairs": "minimal_pairs"}


@dataclass(frozen=True, slots=True)
class SentencePairSet(TypedRowSet[SentencePair]):
    """Sentence pairs in order, and the identity of what they were read from.

    Attributes:
        rows: the pairs.
        provenance: ``source``, ``language``, and what identifies the content: ``sha256`` of the file, or
            ``repository`` and ``revision``; ``ignored_columns`` where the file has columns that are not read.
        skipped: rows of a published data set that have no two sentences.

    Examples:
        >>> pairs = load_sentence_pairs(language="de", bias_types="gender")
        >>> len(pairs), pairs[0].sent_more, pairs["de-gender-02"].sent_less
        (5, 'Frauen können nicht einparken.', 'Er blieb zu Hause, um sich um das Baby zu kümmern.')
    """

    kind: ClassVar = "pair"
    most_offered: ClassVar = 20

    def columns(self) -> dict[str, list[Any]]:
        """Return the pairs as columns, one list for each field of a pair.

        Examples:
            >>> load_sentence_pairs(language="es", bias_types="age").columns()["stereo_antistereo"]
            ['stereo', 'stereo', 'stereo', 'stereo', 'antistereo']
        """
        rows = self.rows
        return {c: SourcedList([getattr(pair, c) for pair in rows], self.provenance) for c in PAIR_COLUMNS}


def load_sentence_pairs(
    source: str | Path | None = None,
    *,
    language: str = "en",
    bias_types: str | Iterable[str] | None = None,
    encoding: str = "utf-8",
) -> SentencePairSet:
    """Load sentence pairs of one language.

    Args:
        source: where to read from.

            - ``None``: the minimal pairs packaged with this library (English, German, Spanish, Chinese,
              Korean): illustrative, not validated.
            - ``"crows_pairs"``: the published CrowS-Pairs, from the cache; built on first use.
            - a file: CSV, TSV, JSONL, JSON, YAML or Parquet. Only the columns ``sent_more`` and ``sent_less`` are
              needed; the others are those of :class:`~evaluate_bias.data.pair_schemas.SentencePair`, and what
              else is there is ignored and named in the provenance. CrowS-Pairs' own CSV file is read as is. A
              row with an empty sentence is kept, for the method to list.
            - a folder: one that :func:`get_dataset` made, or with one file for each language.
            - the id of a Hub data set with one configuration for each language, such as
              ``"bias/crows-pairs"`` or, pinned, ``"bias/crows-pairs@<revision>"``; the split ``test`` is read.
        language: language tag, file name without ending, or configuration name: ``"en"``, ``"nl"``, ``"fr"``,
            ``"en-1463"``, ``"es"`` for CrowS-Pairs. In a file, rows of other languages are left out, and rows
            that name no language belong to the one asked for.
        bias_types: the bias types wanted; ``None`` for all.
        encoding: encoding of a CSV, TSV or JSON file.

    Returns:
        The pairs and their provenance.

    Raises:
        UnknownNameError: the source has no such language or bias type.
        DataError: the source is no file, folder or Hub id, or what it holds does not follow the schema.
        AssetError: the published data set could not be obtained.
        HubError: the Hub could not be reached or does not have the data set.

    Examples:
        >>> pairs = load_sentence_pairs()
        >>> len(pairs), pairs.provenance["source"]
        (180, 'minimal_pairs')
        >>> load_sentence_pairs(bias_types="sex")
        Traceback (most recent call last):
        evaluate_bias.errors.UnknownNameError: unknown bias type 'sex': known are: age, disability, ...
    """
    name = _BUILT_IN.get(name_key(source)) if isinstance(source, str) else None
    if source is None:
        name = "minimal_pairs"
    table = find_table(name or str(source), language, built_in=name is not None, encoding=encoding)
    pairs = _of_language(_checked(table, language), table, language)
    found = SentencePairSet(pairs, table.provenance, table.skipped)
    return found if bias_types is None else found.select(bias_types)


def _checked(table: Table, language: str) -> tuple[SentencePair, ...]:
    """Check every row; the parts it does not give are filled in."""
    there = list(table.rows[0])
    missing = [column for column in ("sent_more", "sent_less") if column not in there]
    if missing:
        raise DataError(f"{table.name} has no column {', '.join(missing)}; it has {', '.join(there)}")
    ignored = [c for c in there if c not in PAIR_COLUMNS and c not in _INDEX]
    if ignored:
        table.provenance["ignored_columns"] = ignored
    base = language.partition("-")[0]
    pairs = []
    seen: set[str] = set()
    for position, row in enumerate(table.rows):
        known = {column: row[column] for column in PAIR_COLUMNS if row.get(column) is not None}
        known |= _empty_sentences(row)
        named = next((row[c] for c in ("id", *_INDEX) if row.get(c) is not None), position)
        known["id"] = str(named)
        known.setdefault("language", base)
        pair = as_sentence_pair(known, f"{table.name}, row {position + 1}")
        if pair.id in seen:
            raise DataError(f"{table.name} has two pairs with the id {pair.id!r}")
        seen.add(pair.id)
        pairs.append(pair)
    return tuple(pairs)


def _empty_sentences(row: Row) -> dict[str, str]:
    """Empty cells that are empty sentences: those of a pair that has to be there, or whose other sentence is.

    A table has one sign for nothing and for an empty text.
    """
    return {
        column: ""
        for twins in TWINS
        for column, other in (twins, twins[::-1])
        if column in row and row[column] is None and (twins == TWINS[0] or row.get(other) is not None)
    }


_INDEX = ("", "Unnamed: 0")
"""What a column of row numbers is called in a CSV file, and what pandas makes of that."""


def _of_language(pairs: tuple[SentencePair, ...], table: Table, language: str) -> tuple[SentencePair, ...]:
    wanted = language.lower()
    chosen = tuple(p for p in pairs if p.language.lower() in (wanted, wanted.partition("-")[0]))
    if not chosen:
        raise UnknownNameError("language", language, {p.language for p in pairs})
    return chosen
