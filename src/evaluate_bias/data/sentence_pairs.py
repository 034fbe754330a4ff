"""Sentence pairs: the packaged ones, CrowS-Pairs, the user's own files, and data sets of the Hub."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import ClassVar

from ..errors import DataError
from .load import ROW_NUMBERS, SourcedTable, checked_rows, find_table, loader, with_id
from .pair_flags import without_flags as leave_out_flagged
from .pair_schemas import TWINS, SentencePair
from .recipes import dataset_key
from .row_set import TypedRowSet
from .schemas import listed
from .stereoset import load_stereoset
from .table_files import Row

PACKAGED = "minimal_pairs"
STEREOSET_FORMS = ("stereoset", "stereoset_style")


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


def _of_stereoset(source: str, language: str) -> SourcedTable:
    """The intrasentence items of StereoSet as a table of pairs."""
    items = load_stereoset(
        None if dataset_key(source) != "stereoset" else source, task="intrasentence", language=language
    )
    rows: list[Row] = [
        {
            "id": item.id,
            "sent_more": item.option("stereotype"),
            "sent_less": item.option("anti-stereotype"),
            "bias_type": item.bias_type,
            "language": item.language,
        }
        for item in items
    ]
    return SourcedTable(source, rows, dict(items.provenance), items.skipped)


@loader
def load_sentence_pairs(
    source: str | Path | None = None,
    *,
    language: str = "en",
    bias_types: str | Iterable[str] | None = None,
    without_flags: str | Iterable[str] | None = None,
) -> SentencePairSet:
    """Load sentence pairs of one language.

    Args:
        source: where to read from.

            - ``None``: the minimal pairs packaged with this library (English, German, Spanish, Portuguese,
              Chinese, Korean): illustrative, not validated.
            - ``"CrowS-Pairs"``: the published data set, from the cache; built on first use.
            - ``"stereoset"`` or ``"stereoset_style"``: the stereotype and the anti-stereotype of every intrasentence
              item of StereoSet, or of the packaged items of that form.
            - a file, a folder or a Hub data set, as of :func:`~evaluate_bias.data.load_word_lists`. Only the columns
              ``sent_more`` and ``sent_less`` are needed; the others are those of
              :class:`~evaluate_bias.data.pair_schemas.SentencePair`, and what else is there is ignored and named in
              the provenance. CrowS-Pairs' own CSV file is read as is. A row with an empty sentence is kept, for the
              method to list.
        language: language tag, file name without ending, or configuration name: ``"en"``, ``"nl"``, ``"fr"``,
            ``"en-1463"``, ``"es"`` for CrowS-Pairs.
        bias_types: the bias types wanted; ``None`` for all.
        without_flags: flags of pairs to leave out, see :data:`~evaluate_bias.data.pair_flags.FLAGS`; ``"any"``: every
            pair that has one; ``None``: leave out none.

    Raises:
        UnknownNameError: the source has no such language or bias type.
        AssetError: the published data set could not be obtained.
        BiasError: as :func:`~evaluate_bias.data.load_word_lists`.

    Examples:
        >>> pairs = load_sentence_pairs()
        >>> len(pairs), pairs.provenance["source"]
        (180, 'minimal_pairs')
        >>> load_sentence_pairs(bias_types="sex")
        Traceback (most recent call last):
        evaluate_bias.errors.UnknownNameError: unknown bias type 'sex'; choose from age, disability, ...
    """
    if isinstance(source, str) and dataset_key(source) in STEREOSET_FORMS:
        table = _of_stereoset(source, language)
    else:
        table = find_table(PACKAGED if source is None else source, language)
    columns = list(table.rows[0])
    missing = [column for column in ("sent_more", "sent_less") if column not in columns]
    if missing:
        raise DataError(
            f"{table.name} has no column {', '.join(missing)}; it has {listed(columns)}",
            option="columns",
            hint="say with `columns` which ones are meant",
        )
    for row in table.rows:  # a column of row numbers is no column that is ignored
        numbers = [row.pop(c) for c in ROW_NUMBERS if c in row]
        if row.get("id") is None and numbers:
            row["id"] = numbers[0]
    pairs = SentencePairSet(
        *checked_rows(SentencePair, table, language, prepare=_prepared, key=lambda pair: pair.id)
    )
    chosen = pairs if bias_types is None else pairs.select(bias_types)
    return leave_out_flagged(chosen, without_flags)


def _prepared(row: Row, position: int, where: str) -> Row:
    # Empty cells that are empty sentences: of a pair that has to be there, or whose other sentence is there.
    empty = {
        column: ""
        for twins in TWINS
        for column, other in (twins, twins[::-1])
        if column in row and row[column] is None and (twins == TWINS[0] or row.get(other) is not None)
    }
    return with_id({**row, **empty}, position)
