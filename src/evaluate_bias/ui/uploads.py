"""Files from visitors: looked at with suspicion before anything reads them."""

from __future__ import annotations

import math
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ..data.sentence_pairs import SentencePairSet, load_sentence_pairs
from ..data.table_files import decoded, read_rows
from ..errors import BiasError, DataError, ModelError
from ..files import short_path
from ..models._vectors.arrays import read_npy_header
from ..models._vectors.table import COMPRESSIONS
from ..models.static import StaticVectors
from .limits import (
    MAX_ARRAYS,
    MAX_CELL,
    MAX_LINE_BYTES,
    MAX_SENTENCE,
    MAX_TABLE_BYTES,
    MAX_TENSOR_HEADER,
    MAX_TEXT_BYTES,
    MAX_UNPACKED_BYTES,
    MAX_UPLOADED_WORD,
    MAX_VECTOR_BYTES,
    MAX_VECTORS,
    check_table,
)

VECTOR_TYPES = (".txt", ".vec", ".npz", ".safetensors")
TABLE_TYPES = (".csv", ".tsv", ".xlsx")
_MAX_UNPACKED_TABLE = 20 * MAX_TABLE_BYTES
"""Excel files are packed."""


def uploaded_vectors(path: str | Path) -> StaticVectors:
    """Open a visitor's word vectors; what the file is, its content tells, and its name must agree.

    Raises:
        ModelError: it is too large, compressed, pickled, not what its name says, or not word vectors.
    """
    path = Path(path)
    with _one_sentence(path, ModelError):
        _check_vector_file(path)
        return StaticVectors(path, case="first_found", name=f"upload {path.name}")


def uploaded_pairs(path: str | Path, language: str) -> SentencePairSet:
    """Read a visitor's CSV, TSV or Excel file of sentence pairs.

    Rows that name no language are in ``language``; those of other languages are left out.

    Raises:
        DataError: it is too large or too long, not UTF-8, or lacks the columns ``sent_more`` and ``sent_less``.
    """
    path = Path(path)
    with _one_sentence(path, DataError):
        uploaded_table(path, TABLE_TYPES, MAX_SENTENCE)
        return load_sentence_pairs(path, language=language)


def uploaded_table(
    path: Path, types: Sequence[str], longest: int = MAX_CELL
) -> tuple[list[str], list[list[Any]]]:
    """Columns and cells of a visitor's table.

    Raises:
        DataError: it is too large or too long, not UTF-8, no table, or a cell has more than ``longest`` characters.
    """
    with _one_sentence(path, DataError):
        if path.suffix.lower() == ".xlsx":
            _check_kind(path, types, MAX_TABLE_BYTES, DataError)
            with zipfile.ZipFile(path) as archive:
                _check_unpacked(path, archive, _MAX_UNPACKED_TABLE, DataError)
            rows = read_rows(path.read_bytes(), path.name)
        else:
            rows = read_rows(_text(path, types, MAX_TABLE_BYTES).encode(), path.name)
        columns = list(dict.fromkeys(column for row in rows for column in row))
        cells = [[row.get(column) for column in columns] for row in rows]
        check_table(columns, cells, longest)
        return columns, cells


def uploaded_text(path: str | Path) -> str:
    """Read a visitor's text, one line a text.

    Raises:
        DataError: it is too large, or not UTF-8.
    """
    path = Path(path)
    with _one_sentence(path, DataError):
        return _text(path, (".txt",), MAX_TEXT_BYTES)


def _check_kind(path: Path, types: Sequence[str], limit: int, kind: type[BiasError]) -> None:
    if path.suffix.lower() not in types:
        raise kind(f"{path.name} cannot be taken here: upload a file that ends in {' or '.join(types)}")
    size = path.stat().st_size
    if size > limit:
        raise kind(f"{path.name} has {size / 2**20:.1f} MB, and this page accepts {limit / 2**20:g} MB")


def _text(path: Path, types: Sequence[str], limit: int) -> str:
    _check_kind(path, types, limit, DataError)
    text = decoded(path.read_bytes(), path.name, "utf-8")
    if "\0" in text:
        raise DataError(f"{path.name} is not text: it contains zero bytes")
    return text


@contextmanager
def _one_sentence(path: Path, kind: type[BiasError]) -> Iterator[None]:
    """Whatever goes wrong as an error that does not name the folder the upload lies in."""
    try:
        yield
    except BiasError as error:
        text, hint = (
            part.replace(short_path(path), path.name).replace(f"{path.parent}/", "")
            for part in (error.text, error.hint)
        )
        raise kind(text, option=error.option, hint=hint) from error
    except Exception as error:  # of a reader, from a damaged file
        raise kind(f"{path.name} cannot be read: it is damaged, or not what its name says") from error


def _check_unpacked(path: Path, archive: zipfile.ZipFile, limit: int, kind: type[BiasError]) -> None:
    unpacked = sum(member.file_size for member in archive.infolist())
    if unpacked > limit:
        raise kind(
            f"{path.name} unpacks to {unpacked / 2**20:,.0f} MB, and this page accepts {limit / 2**20:g} MB"
        )


def _check_vector_file(path: Path) -> None:
    suffix = path.suffix.lower()
    _check_kind(path, VECTOR_TYPES, MAX_VECTOR_BYTES, ModelError)
    with path.open("rb") as file:
        head = file.read(8)
    if not head:
        raise ModelError(f"{path.name} is empty")
    if head.startswith(tuple(COMPRESSIONS)):
        raise ModelError(f"{path.name} is compressed", hint="unpack it and upload what is inside")
    if head[:1] == b"\x80" and head[1:2] in b"\x02\x03\x04\x05":
        raise ModelError(
            f"{path.name} is a pickle, which could run any code",
            hint="save the vectors as text or safetensors",
        )
    is_zip = head.startswith(b"PK")
    if is_zip != (suffix == ".npz"):
        description = "a zip archive" if is_zip else "no zip archive, as every .npz file is"
        raise ModelError(f"{path.name} is {description}: its content does not fit its name")
    if is_zip:
        _check_npz(path)
    elif suffix in (".txt", ".vec"):
        _check_lines(path)
    elif MAX_TENSOR_HEADER < int.from_bytes(head, "little") < path.stat().st_size:
        raise ModelError(
            f"{path.name} has a header of more than the {MAX_TENSOR_HEADER / 2**20:g} MB this page accepts"
        )


def _check_lines(path: Path) -> None:
    lines = 0
    with path.open("rb") as file:
        while line := file.readline(MAX_LINE_BYTES + 1):
            lines += 1
            if len(line) > MAX_LINE_BYTES:
                raise ModelError(
                    f"{path.name} is not a word-vector file: a line is longer than {MAX_LINE_BYTES} bytes"
                )
            if b"\0" in line:
                raise ModelError(
                    f"{path.name} is not text", hint="upload word vectors as text, .npz or .safetensors"
                )
            if max(map(len, line.split(maxsplit=1)[:1]), default=0) > MAX_UPLOADED_WORD:
                raise ModelError(
                    f"{path.name}: the word of line {lines} is longer than {MAX_UPLOADED_WORD} bytes"
                )
    if lines > MAX_VECTORS + 1:
        raise ModelError(f"{path.name} has {lines:,} lines, and this page accepts {MAX_VECTORS:,} words")


def _check_npz(path: Path) -> None:
    """Every member is an array as large as it says, none is pickled, and all of them fit into memory."""
    with zipfile.ZipFile(path) as archive:
        members = archive.infolist()
        _check_unpacked(path, archive, MAX_UNPACKED_BYTES, ModelError)
        if len(members) > MAX_ARRAYS:
            raise ModelError(
                f"{path.name} contains {len(members):,} arrays, and this page accepts {MAX_ARRAYS:,}"
            )
        for member in members:
            member_name = member.filename[:60]
            if not member.filename.endswith(".npy"):
                raise ModelError(f"{path.name} contains {member_name!r}, which is not an array")
            with archive.open(member) as stream:
                shape, _, dtype = read_npy_header(stream)
                start = stream.tell()
            if dtype.hasobject:
                raise ModelError(
                    f"{path.name}: {member_name!r} is pickled, which could run any code",
                    hint="save words as strings with numpy.savez(…, words=numpy.array(words))",
                )
            if math.prod(shape) * dtype.itemsize != member.file_size - start:
                raise ModelError(f"{path.name}: {member_name!r} is not as large as its header declares")
            if math.prod(shape[:1]) > MAX_VECTORS:
                raise ModelError(
                    f"{path.name}: {member_name!r} has {shape[0]:,} rows, and this page accepts {MAX_VECTORS:,} words"
                )
