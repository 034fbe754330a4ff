"""What the columns hold that a model reads: texts, or ready scores in their place. The one place that decides it.

Ready answers and completions have columns of their own, which loaders read with the others.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from ..errors import DataError, InputError, UnknownNameError, quoted
from ..files import short_path
from ..text import is_same_language, row_place
from .load import ROWS, Renamed, SourcedTable, find_table
from .row_set import RowSet
from .schemas import Column
from .table_files import TABLE_SUFFIXES, Row


def score_rows(
    columns: Mapping[str, Column], rows: Sequence[Any], name: str, *, in_text: bool = False
) -> list[Row] | None:
    """Rows with scores in place of all sentences or options, as numbers; ``None``: they hold texts.

    They are scores where most of these cells are numbers.

    Args:
        columns: those of the kind of data.
        rows: the rows, which stay as they are.
        name: what to call them in an error.
        in_text: whether a text such as ``"-9.5"`` is a number, as in a file, whose cells may have no other type.

    Raises:
        DataError: a few of many numbers are none, or have a decimal comma; or a row has numbers alone
            where most others have sentences.

    Examples:
        >>> from evaluate_bias.data.kinds import SENTENCE_PAIRS
        >>> rows = [{"sent_more": "-9.5", "sent_less": -10, "id": "7"}]
        >>> score_rows(SENTENCE_PAIRS.columns, rows, "scores.csv", in_text=True)
        [{'sent_more': -9.5, 'sent_less': -10.0, 'id': '7'}]
    """
    copies = [_copy(row) for row in rows]
    cells = list(_cells(columns, copies))
    numbers = [_number(holder[key], in_text) for _, holder, key in cells]
    wrong = [cell for cell, number in zip(cells, numbers, strict=True) if number is None]
    sentences = [cell for cell in wrong if not (in_text and _has_decimal_comma(cell[1][cell[2]]))]
    if 2 * len(sentences) >= len(cells):
        texts = {number for number, _, _ in sentences}
        if texts and (scores := sorted({number for number, _, _ in cells} - texts)):
            raise DataError(
                f"{name}, {row_place(scores[0] - 1, len(rows))}: numbers alone, and other rows have sentences",
                hint="give sentences in every row, or scores in every row",
            )
        return None
    if wrong:  # too few to be sentences, one of which is a number
        number, holder, key = wrong[0]
        why = "and most others are scores: write it as a number"
        if _has_decimal_comma(holder[key]):
            why = f"with a decimal comma: write scores with a point, as in {holder[key].strip().replace(',', '.')[:40]}"
        raise DataError(f"{name}, {row_place(number - 1, len(rows))}: {key} is {quoted(holder[key])}, {why}")
    for (_, holder, key), value in zip(cells, numbers, strict=True):
        holder[key] = value
    return copies


def load_scores(
    columns: Mapping[str, Column], source: Any, *, language: str = "", **choices: Any
) -> RowSet[Row] | None:
    """The rows of a frame, a table in memory or a file that hold scores; ``None`` for texts, and for another source.

    Rows of other languages are left out where one is named.

    Raises:
        DataError: as of :func:`score_rows`.
        InputError: ``choices``, which choose among texts, are given for scores.
        UnknownNameError: no row is in this language.
    """
    table = _table(source) if any(c.holds in ("sentence", "options") for c in columns.values()) else None
    if table is None:
        return None
    name, in_file = short_path(table.name), not (table.flat or table.name == ROWS)
    if (rows := score_rows(columns, table.rows, name, in_text=in_file)) is None:
        return None
    if chosen := [choice for choice, value in choices.items() if value is not None]:
        raise InputError(
            f"{', '.join(chosen)} choose among texts, and {name} contains scores", hint="omit them"
        )
    languages = [str(row.get("language") or language).lower() for row in rows]
    rows = [
        r for r, one in zip(rows, languages, strict=True) if not language or is_same_language(one, language)
    ]
    if not rows:
        raise UnknownNameError("language", language, languages, option="language")
    ignored = [column for column in rows[0] if column not in columns]
    rows = [{column: value for column, value in row.items() if column in columns} for row in rows]
    # A file of scores is named after a model: two of them are of the same data.
    source = {"source": "given by the caller"}
    facts = {**table.provenance, **source, "language": language, "ignored_columns": ignored}
    return RowSet(tuple(rows), {name: fact for name, fact in facts.items() if fact})


def _table(source: Any) -> SourcedTable | None:
    """A table in memory, or in a file, as it is: what kind of data it holds is open."""
    place = source.source if isinstance(source, Renamed) else source
    if not isinstance(place, SourcedTable):
        try:
            if Path(place).suffix.lower() not in TABLE_SUFFIXES or not Path(place).is_file():
                return None
        except (OSError, ValueError, TypeError):  # no name that a file can have
            return None
    try:
        return find_table(source, "")
    except DataError:  # for the loader, which knows its encoding and its form
        return None


def _copy(row: Mapping[str, Any]) -> Row:
    """The row, and the options in it, to write numbers into."""
    return {
        name: [dict(o) if isinstance(o, Mapping) else o for o in value]
        if isinstance(value, (list, tuple))
        else value
        for name, value in row.items()
    }


def _cells(columns: Mapping[str, Column], rows: Sequence[Row]) -> Iterator[tuple[int, Row, str]]:
    """Number of the row, what holds the cell, and its key, of every sentence and option that is there."""
    readable = {
        name: column.holds for name, column in columns.items() if column.holds in ("sentence", "options")
    }
    for number, row in enumerate(rows, 1):
        for name in (name for name in readable if name in row):
            if readable[name] == "sentence":
                holders, key = [row], name
            else:
                holders, key = [o for o in row[name] or () if isinstance(o, dict)], "sentence"
            yield from ((number, holder, key) for holder in holders if holder.get(key) is not None)


def _has_decimal_comma(cell: Any) -> bool:
    return isinstance(cell, str) and re.fullmatch(r"\s*[+-]?\d+,\d+\s*", cell) is not None


def _number(cell: Any, in_text: bool) -> float | None:
    if isinstance(cell, bool) or not isinstance(cell, (int, float, str) if in_text else (int, float)):
        return None
    try:
        if isinstance(cell, str):  # with the minus sign of typesetting too
            return None if "_" in cell else float(cell.replace("\N{MINUS SIGN}", "-"))
        return float(cell)
    except (ValueError, OverflowError):
        return None
