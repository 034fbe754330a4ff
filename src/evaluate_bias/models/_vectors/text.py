"""Text formats: a word and its numbers per line, after a header (word2vec, fastText) or without (GloVe)."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import IO

import numpy as np

from ...arrays import RealArray
from ...errors import ModelError
from .table import StreamTable, floret_refusal, reading

_BOM = b"\xef\xbb\xbf"
_HEADER = re.compile(rb"\s{0,9}(\d{1,12})[ \t]{1,9}(\d{1,12})\s{0,9}")
_MOST_DIGITS = 12
_FLORET = re.compile(rb"(\d{1,12} ){6}\S{1,9} \S{1,9}\s{0,9}")
_NUMERIC = b"0123456789.+-eE \t"
_LINES_TO_GUESS_FROM = 16
_SHOWN = 40
_LONGEST_LINE = 1 << 21
_MAX_DIMENSION = 1 << 16


class TextLayout:
    """Lines of a word and its numbers; ``declared`` is the number of rows in the header, where there is one."""

    def __init__(self, name: str, dimension: int, separator: bytes, declared: int | None, start: int) -> None:
        self.format = "GloVe text" if declared is None else "word2vec text"
        self.name, self.dimension, self.separator = name, dimension, separator
        self.declared, self._start = declared, start
        self.not_finite = 0

    def scan(self, stream: IO[bytes]) -> Iterator[tuple[bytes, int]]:
        """Word and offset of every row; blank lines are passed over, malformed ones refused."""
        stream.seek(self._start)
        self.not_finite = 0
        offset, separator, dimension = self._start, self.separator, self.dimension
        lines = iter(partial(stream.readline, _LONGEST_LINE), b"")
        for number, line in enumerate(lines, start=1 if self.declared is None else 2):
            row = line.rstrip()
            word, _, rest = row.partition(separator)
            # The usual line costs two passes over its bytes; anything else is looked at number by number.
            if row.count(separator) != dimension or rest.translate(None, _NUMERIC):
                if not row:
                    offset += len(line)
                    continue
                _check_length(line, self.name)
                word, numbers = self._fields(row, f"{self.name}, line {number}")
                self.not_finite += not all(map(math.isfinite, numbers))
            yield word, offset
            offset += len(line)

    def read(self, stream: IO[bytes], offset: int) -> tuple[bytes, RealArray]:
        """Word and vector of the line at ``offset``."""
        stream.seek(offset)
        row = stream.readline(_LONGEST_LINE).rstrip()
        word, numbers = self._fields(row, f"{self.name}, row of {_quote(row.partition(self.separator)[0])}")
        return word, np.array(numbers, dtype=np.float32)

    def _fields(self, row: bytes, where: str) -> tuple[bytes, list[float]]:
        """Split a line from the right, since a word may hold separators itself (as in GloVe 840B)."""
        fields = row.rsplit(self.separator, self.dimension)
        if b"" in fields[1:]:  # columns padded with several separators
            fields = row.rsplit(None, self.dimension)
        if len(fields) != self.dimension + 1 or _ends_in_decimals(fields[0]):
            values = len(row.split()) - 1
            raise ModelError(f"{where} has {values} values and the file's rows have {self.dimension}")
        try:
            return fields[0], [float(field) for field in fields[1:]]
        except ValueError as error:
            bad = next(field for field in fields[1:] if not _is_number(field))
            raise ModelError(f"{where}: {_quote(bad)} is not a number") from error


def _quote(data: bytes) -> str:
    return repr(data[:_SHOWN].decode("utf-8", "replace"))


def _check_length(line: bytes, name: str) -> None:
    if len(line) == _LONGEST_LINE and not line.endswith(b"\n"):
        raise ModelError(
            f"{name} contains a line of more than {_LONGEST_LINE:,} bytes, which is not a word with its numbers"
        )


def _ends_in_decimals(word: bytes) -> bool:
    """Whether a 'word' with separators is in truth a word and surplus values: '3.5' is one, '. .' is not."""
    surplus = word.split()[1:]
    return bool(surplus) and all(_is_number(part) and not part.isdigit() for part in surplus)


def _is_number(field: bytes) -> bool:
    try:
        float(field)
    except ValueError:
        return False
    return True


def read_header(first_line: bytes, name: str = "") -> tuple[int, int] | None:
    """Rows and dimension when the line is a word2vec header, else ``None``."""
    match = _HEADER.fullmatch(first_line.removeprefix(_BOM))
    if match is None:
        return None
    rows, dimension = int(match.group(1)), int(match.group(2))
    if name and dimension > _MAX_DIMENSION:
        raise ModelError(
            f"{name}: the header declares vectors of {dimension:,} numbers, more than {_MAX_DIMENSION:,}"
        )
    return rows, dimension


def _check_unread_header(lines: list[bytes], name: str) -> None:
    """Refuse a first line of two numbers that is neither a header nor a row like the others."""
    fields = lines[0].removeprefix(_BOM).split()
    if len(fields) != 2 or not all(map(_is_number, fields)):
        return
    beyond = any(field.isdigit() and len(field) > _MOST_DIGITS for field in fields)
    others = _guess_dimension([line.split() for line in lines[1:] if line.strip()])
    if beyond or others > 1:
        raise ModelError(
            f"{name}: its first line, {_quote(fields[0])} and {_quote(fields[1])}, should tell how many words there "
            "are and of how many numbers, and cannot be read as two counts"
        )


def open_text(path: Path, compression: str | None) -> StreamTable:
    """Open a word2vec, fastText .vec or GloVe text file; its rows are read when words are looked up."""
    with reading(path, compression) as stream:
        lines = [stream.readline(_LONGEST_LINE) for _ in range(_LINES_TO_GUESS_FROM + 1)]
    first = lines[0]
    for line in lines:
        _check_length(line, path.name)
    header = read_header(first, path.name)
    if _FLORET.fullmatch(first.removeprefix(_BOM)):
        raise ModelError(floret_refusal(path.name))
    if header is None:
        _check_unread_header(lines, path.name)
        start = len(_BOM) if first.startswith(_BOM) else 0
        lines[0] = first[start:]
        rows = [line.split() for line in lines if line.strip()]
        dimension = _guess_dimension(rows)
        if dimension == 0:
            raise ModelError(
                f"{path.name} is not a word-vector file: its first line is {_quote(lines[0].rstrip())}"
            )
        layout = TextLayout(path.name, dimension, _separator(lines[0]), None, start)
    else:
        declared, dimension = header
        if declared == 0 or dimension == 0:
            raise ModelError(f"{path.name}: the header declares {declared} words of {dimension} numbers")
        layout = TextLayout(path.name, dimension, _separator(lines[1]), declared, len(first))
    return StreamTable(path, compression, layout)


def _guess_dimension(rows: list[list[bytes]]) -> int:
    """How many numbers most of the first rows end in, at least one field being left for the word."""
    counts: Counter[int] = Counter()
    for fields in rows:
        numbers = 0
        while numbers < len(fields) - 1 and _is_number(fields[-1 - numbers]):
            numbers += 1
        counts[numbers] += 1
    return counts.most_common(1)[0][0] if counts else 0


def _separator(line: bytes) -> bytes:
    return b"\t" if b"\t" in line and b" " not in line.rstrip() else b" "


_LONGEST_WORD = 4096
_BLOCK = 1 << 20


class BinaryLayout:
    """Rows of word, space and little-endian float32 values; some writers end each row with a line feed."""

    format = "word2vec binary"
    not_finite = 0  # its numbers are passed over, and looked at when a word is asked for

    def __init__(self, name: str, declared: int, dimension: int, start: int) -> None:
        self.name, self.dimension, self._start = name, dimension, start
        self.declared: int | None = declared
        self._rows, self._width = declared, 4 * dimension

    def scan(self, stream: IO[bytes]) -> Iterator[tuple[bytes, int]]:
        """Word and offset of every row; the data must end with the last one."""
        stream.seek(self._start)
        buffer, position, base = b"", 0, self._start
        for row in range(self._rows):
            space = buffer.find(b" ", position)
            # Refill when the row is not wholly in the buffer, so that one look finds each word.
            while space < 0 or space + 1 + self._width > len(buffer):
                if space < 0 and len(buffer) - position > _LONGEST_WORD:
                    raise ModelError(f"{self.name}: row {row + 1} does not begin with a word")
                block = stream.read(_BLOCK)
                if not block:
                    raise ModelError(
                        f"{self.name} is truncated: the header declares {self._rows} rows of {self.dimension} numbers "
                        f"and the data end in row {row + 1}"
                    )
                base += position
                buffer, position = buffer[position:] + block, 0
                space = buffer.find(b" ", position)
            yield buffer[position:space].lstrip(b"\n"), base + position
            position = space + 1 + self._width
        if (buffer[position:] + stream.read(_BLOCK)).strip(b"\n"):
            raise ModelError(
                f"{self.name}: there are data after the {self._rows} rows that the header declares"
            )

    def read(self, stream: IO[bytes], offset: int) -> tuple[bytes, RealArray]:
        """Word and vector of the row at ``offset``."""
        stream.seek(offset)
        row = stream.read(_LONGEST_WORD + 1 + self._width)
        word, _, rest = row.partition(b" ")
        return word.lstrip(b"\n"), np.frombuffer(rest[: self._width], dtype="<f4").astype(np.float32)


def open_binary(path: Path, compression: str | None) -> StreamTable:
    """Open a word2vec binary file; its rows are read when words are looked up."""
    with reading(path, compression) as stream:
        first = stream.readline(_LONGEST_WORD)
    header = read_header(first, path.name)
    if header is None or 0 in header:
        raise ModelError(
            f"{path.name} is not a word2vec file: it does not begin with the number of words and numbers"
        )
    return StreamTable(path, compression, BinaryLayout(path.name, *header, len(first)))
