"""Files that hold scores in place of sentences, which no model need score."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Collection
from pathlib import Path
from typing import Any

from .row_set import RowSet
from .tables import TABLE_SUFFIXES, read_rows

__all__ = ["read_scores"]


def read_scores(source: Any, columns: Collection[str]) -> RowSet[dict[str, Any]] | None:
    """Read a file whose ``columns`` of sentences hold numbers; ``None`` where it is no such file.

    The cells of a CSV file are text: they are numbers where all cells of these columns can be read as one.

    Raises:
        DataError: the file is empty, in another encoding, or broken.

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
    if path.suffix.lower() not in TABLE_SUFFIXES or not path.is_file():
        return None
    raw = path.read_bytes()
    rows = read_rows(raw, str(path))
    cells = [(row, c) for row in rows for c in columns if row.get(c) is not None]
    numbers = [_number(row[c]) for row, c in cells]
    if not cells or None in numbers:
        return None
    for (row, column), number in zip(cells, numbers, strict=True):
        row[column] = number
    return RowSet(tuple(rows), {"source": "given by the caller", "sha256": hashlib.sha256(raw).hexdigest()})


def _number(cell: Any) -> float | None:
    if isinstance(cell, bool) or not isinstance(cell, (int, float, str)):
        return None
    try:
        return float(cell)
    except ValueError:
        return None
