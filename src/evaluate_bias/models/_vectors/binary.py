"""The word2vec binary format: a header line, then for each word its bytes, a space, and 32-bit numbers."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import IO

import numpy as np

from ...arrays import RealArray
from ...errors import ModelError
from .streams import StreamTable, reading
from .text import read_header

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
