"""Files that hold scores in place of sentences, which no model need score."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Collection
from pathlib import Path
from typing import Any

from ..errors import DataError, quoted
from ..files import short_path
from .row_set import RowSet
from .table_files import TABLE_SUFFIXES, read_rows


def read_scores(source: Any, columns: Collection[str]) -> RowSet[dict[str, Any]] | None:
    """Read a file whose ``columns`` of sentences hold numbers; ``None`` where it is no such file.

    The cells of a CSV file are text: they are numbers where all cells of these columns can be read as one.

    Raises:
        DataError: the file is empty, in another encoding, or broken, or a few of many numbers are none or have a
            decimal comma.

    Examples:
        >>> import pathlib, tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     file = pathlib.Path(folder) / "scores.csv"
        ...     _ = file.write_text("sent_more,sent_less\\n-9.5,-10\\n", encoding="utf-8")
        ...     read_scores(file, ["sent_more", "sent_less"]).rows
        ({'sent_more': -9.5, 'sent_less': -10.0},)
    """
    if not isinstance(source, (str, os.PathLike)):
        return None
    path = Path(source)
    try:
        if path.suffix.lower() not in TABLE_SUFFIXES or not path.is_file():
            return None
    except (OSError, ValueError):  # no name that a file can have
        return None
    raw = path.read_bytes()
    rows = read_rows(raw, str(path))
    cells = [(row, c) for row in rows for c in columns if row.get(c) is not None]
    numbers = [_number(row[c]) for row, c in cells]
    wrong = [cell for cell, number in zip(cells, numbers, strict=True) if number is None]
    sentences = [cell for cell in wrong if not _has_decimal_comma(cell)]
    if 2 * len(sentences) >= len(cells):
        return None
    if wrong:  # too few to be a file of sentences, one of which is a number
        row, column = wrong[0]
        place = next(i for i, other in enumerate(rows, 1) if other is row)
        why = "and most others are scores: write it as a number"
        if _has_decimal_comma(wrong[0]):
            why = f"with a decimal comma: write scores with a point, as in {row[column].strip().replace(',', '.')[:40]}"
        raise DataError(f"{short_path(path)}, row {place}: {column} is {quoted(row[column])}, {why}")
    for (row, column), number in zip(cells, numbers, strict=True):
        row[column] = number
    return RowSet(tuple(rows), {"source": "given by the caller", "sha256": hashlib.sha256(raw).hexdigest()})


def _has_decimal_comma(cell: tuple[dict[str, Any], str]) -> bool:
    row, column = cell
    return isinstance(row[column], str) and re.fullmatch(r"\s*[+-]?\d+,\d+\s*", row[column]) is not None


def _number(cell: Any) -> float | None:
    if isinstance(cell, bool) or not isinstance(cell, (int, float, str)):
        return None
    try:
        return None if isinstance(cell, str) and "_" in cell else float(cell)
    except (ValueError, OverflowError):
        return None
