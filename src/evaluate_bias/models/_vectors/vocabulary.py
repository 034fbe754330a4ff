"""The words of a matrix that holds only numbers: a text, JSON, CSV or Parquet file beside it."""

from __future__ import annotations

import csv
import io
import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any, cast

from ...errors import ModelError, quoted

Vocabulary = str | Path | Sequence[str]

SUFFIXES = (".txt", ".json", ".parquet", ".csv", ".tsv")
_STEMS = ("vocab", "vocabulary", "words", "index")
_COLUMNS = ("word", "words", "token", "tokens", "index", "vocab", "vocabulary")

SIDECAR_NAMES = tuple(stem + suffix for stem in _STEMS for suffix in SUFFIXES)
"""Names under which a vocabulary is looked for in the folder of a matrix."""


def _find_vocabulary(matrix: Path) -> Path | None:
    """The file beside ``v.npy``: ``v.txt``, ``v.vocab.txt`` and so on, else ``vocab.txt``, …"""
    stem = matrix.name.partition(".")[0]
    middles = ("", ".vocab", "_vocab", ".words", "_words")
    names = [f"{stem}{middle}{suffix}" for middle in middles for suffix in SUFFIXES]
    candidates = (matrix.with_name(name) for name in (*names, *SIDECAR_NAMES))
    return next((path for path in candidates if path.is_file()), None)


def read_vocabulary(vocabulary: Vocabulary | None, matrix: Path) -> tuple[list[str], tuple[Path, ...]]:
    """The words of the rows of ``matrix`` and the files they came from.

    A relative name is looked for beside the matrix first; ``None`` takes the file of a usual name.
    """
    if vocabulary is None:
        path = _find_vocabulary(matrix)
        if path is None:
            raise ModelError(
                f"{matrix.name} holds numbers and no words; put its words, one per row, into a file beside it "
                f"(such as {matrix.name.partition('.')[0]}.txt or vocab.json) or name one with vocabulary="
            )
    elif isinstance(vocabulary, (str, os.PathLike)):
        beside = matrix.parent / vocabulary
        path = beside if beside.is_file() else Path(vocabulary)
        if not path.is_file():
            raise ModelError(f"there is no vocabulary file {quoted(os.fspath(vocabulary))}")
    else:
        return list(vocabulary), ()
    readers = {".json": _from_json, ".parquet": _from_parquet, ".csv": _from_csv, ".tsv": _from_csv}
    try:
        words = readers.get(path.suffix.lower(), _from_lines)(path)
    except UnicodeDecodeError as error:
        raise ModelError(f"{path.name} is not a vocabulary: it is not UTF-8 text ({error})") from error
    for row, word in enumerate(words):
        if not isinstance(word, str):
            raise ModelError(f"{path.name} is not a list of words: entry {row + 1} is {quoted(word)}")
    return cast(list[str], words), (path,)


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8-sig")


def _from_lines(path: Path) -> list[Any]:
    """One word per line; further columns (such as counts) behind a tab are passed over."""
    lines = _text(path).split("\n")
    if lines and not lines[-1]:
        lines.pop()
    return [line.rstrip("\r").partition("\t")[0] for line in lines]


def _from_json(path: Path) -> list[Any]:
    """A list of words, or an object word -> row."""
    try:
        content = json.loads(_text(path))
    except (json.JSONDecodeError, RecursionError) as error:
        raise ModelError(f"{path.name} is not a vocabulary: it is not JSON ({error})") from error
    if isinstance(content, list):
        return content
    if isinstance(content, dict) and sorted(content.values(), key=str) == sorted(
        range(len(content)), key=str
    ):
        return sorted(content, key=content.__getitem__)
    raise ModelError(
        f"{path.name} is not a vocabulary: a list of words or an object word -> row number is needed"
    )


def _from_csv(path: Path) -> list[Any]:
    """The column of words; the first row is a header when it holds a usual column name."""
    delimiter = "\t" if path.suffix.lower() == ".tsv" else ","
    rows = [row for row in csv.reader(io.StringIO(_text(path)), delimiter=delimiter) if row]
    names = [name.strip().lower() for name in rows[0]] if rows else []
    word_columns = [column for column, name in enumerate(names) if name in _COLUMNS]
    column = word_columns[0] if word_columns else 0
    return [row[column] for row in (rows[1:] if word_columns else rows) if len(row) > column]


def _from_parquet(path: Path) -> list[Any]:
    """The column of words: the only one, or one with a usual name."""
    import pyarrow
    from pyarrow import parquet

    try:
        with parquet.ParquetFile(path) as table:
            names = table.schema_arrow.names
            usual = [name for name in names if name.lower() in _COLUMNS] or (names if len(names) == 1 else [])
            if not usual:
                raise ModelError(f"{path.name} has the columns {', '.join(names)}; none is called 'word'")
            return cast(list[Any], table.read([usual[0]]).column(0).to_pylist())
    except (pyarrow.ArrowException, OSError, UnicodeDecodeError) as error:
        raise ModelError(f"{path.name} is not a readable Parquet file: {error}") from error
