"""Files that hold one word and its vector after the other: scanned once, then read at remembered places.

The index of a file keeps a 64-bit hash and an offset per word, 16 bytes per row, not the words and never the matrix.
A compressed file is unpacked once, while it is scanned, into a file without a name that goes with the process.
"""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import tempfile
import zlib
from array import array
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import IO, Any, Protocol, cast

import numpy as np
from numpy.typing import NDArray

from ...arrays import RealArray
from ...assets import cache_root
from ...errors import ModelError
from ...progress import track
from .table import VectorTable

COMPRESSIONS = {b"\x1f\x8b": "gzip", b"BZh": "bzip2", b"\xfd7zXZ\x00": "xz"}
"""Compressed files by their first bytes."""

_PROGRESS_STEP = 10_000
_MOST_ROWS = 50_000_000
"""Ten times the largest published vocabularies; what unpacks to more only fills the memory."""


class Layout(Protocol):
    """How rows lie in a stream."""

    format: str
    dimension: int
    declared: int | None
    """Number of rows the header declares; ``None`` where there is no header."""
    not_finite: int
    """Rows with a written NaN or infinity among those scanned last, where the scan sees the numbers."""

    def scan(self, stream: IO[bytes]) -> Iterator[tuple[bytes, int]]:
        """Word and offset of every row, each of which is checked to be whole."""

    def read(self, stream: IO[bytes], offset: int) -> tuple[bytes, RealArray]:
        """Word and vector of the row at ``offset``."""


@contextmanager
def reading(path: Path, compression: str | None) -> Iterator[IO[bytes]]:
    """Open a file for reading, decompressed; a truncated or damaged file raises ``ModelError``."""
    openers: dict[str | None, Any] = {"gzip": gzip.open, "bzip2": bz2.open, "xz": lzma.open, None: open}
    try:
        with openers[compression](path, "rb") as stream:
            yield cast(IO[bytes], stream)
    except (EOFError, zlib.error, lzma.LZMAError, OSError) as error:
        # bz2 reports bad data as a bare OSError.
        if isinstance(error, OSError) and (compression is None or error.errno is not None):
            raise ModelError(f"{path.name} cannot be read: {error.strerror or error}") from error
        raise ModelError(f"{path.name}: the {compression} data are truncated or damaged ({error})") from error


class _Unpacked(io.RawIOBase):
    """An open file read from a place of its own, so that threads and forked processes do not move one another's."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file, self._at = file, 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        self._at = offset + (self._at if whence == os.SEEK_CUR else 0)
        return self._at

    def readinto(self, buffer: Any) -> int:
        data = os.pread(self._file.fileno(), len(buffer), self._at)
        buffer[: len(data)] = data
        self._at += len(data)
        return len(data)


class _Copied:
    """A stream that is read forwards, and a copy of what was read of it."""

    def __init__(self, stream: IO[bytes], copy: IO[bytes]) -> None:
        self._stream, self._copy = stream, copy

    def seek(self, offset: int) -> None:
        self.read(offset - self._stream.tell())

    def read(self, size: int) -> bytes:
        data = self._stream.read(size)
        self._copy.write(data)
        return data

    def readline(self, size: int) -> bytes:
        line = self._stream.readline(size)
        self._copy.write(line)
        return line


class StreamTable(VectorTable):
    """Words and vectors in a stream, compressed or not."""

    def __init__(self, path: Path, compression: str | None, layout: Layout) -> None:
        self.files = (path,)
        self.format = f"{layout.format}, {compression}" if compression else layout.format
        self.dimension = layout.dimension
        self._path, self._compression, self._layout = path, compression, layout
        self._not_finite = 0
        self._unpacked: IO[bytes] | None = None

    def __len__(self) -> int:
        return len(self._index[0]) - self._repeated

    def rows(self, words: Collection[str]) -> dict[str, RealArray]:
        """Vectors of those of ``words`` that the file has, read front to back."""
        places = sorted(
            (offset, position, word)
            for word in words
            for position, offset in enumerate(self._offsets(word.encode("utf-8", "surrogatepass")))
        )
        row_of: dict[str, tuple[int, RealArray]] = {}
        if places:
            with self._reading() as stream:
                for offset, position, word in places:
                    spelled, vector = self._layout.read(stream, offset)
                    # Two words may share a hash, so the spelling decides; the first row of a word counts.
                    same = spelled == word.encode("utf-8", "surrogatepass")
                    if same and (word not in row_of or position < row_of[word][0]):
                        row_of[word] = (position, vector)
        return {word: row_of[word][1] for word in words if word in row_of}

    def words(self) -> Iterator[str]:
        """The words in the file's order; bytes that are not UTF-8 are shown as U+FFFD."""
        with self._reading() as stream:
            for word, _ in self._layout.scan(stream):
                yield word.decode("utf-8", "replace")

    def facts(self) -> dict[str, Any]:
        counts = {"repeated_words": self._repeated, "rows_not_finite": self._not_finite}
        return {name: count for name, count in counts.items() if count}

    @cached_property
    def _index(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Hashes in ascending order and the offsets that go with them, earlier rows first."""
        hashes, offsets = array("q"), array("q")
        layout, total = self._layout, None if self._compression else self._path.stat().st_size
        with (
            reading(self._path, self._compression) as stream,
            track(f"reading {self._path.name}", total, unit="bytes") as advance,
        ):
            copy = None
            if self._compression:
                folder = cache_root() if cache_root().is_dir() else None
                copy = tempfile.TemporaryFile(dir=folder)  # noqa: SIM115 (kept with the table)
                stream = cast(IO[bytes], _Copied(stream, copy))
            last = 0
            for row, (word, offset) in enumerate(layout.scan(stream)):
                hashes.append(hash(word))
                offsets.append(offset)
                if row % _PROGRESS_STEP == 0:
                    if row > _MOST_ROWS:
                        raise ModelError(f"{self._path.name} holds more than {_MOST_ROWS:,} rows")
                    advance(offset - last)
                    last = offset
            if copy is not None:
                copy.flush()
                self._unpacked = copy
        if layout.declared is not None and layout.declared != len(hashes):
            raise ModelError(
                f"{self._path.name}: the header declares {layout.declared} rows and there are {len(hashes)}; "
                "the file is damaged or was cut short"
            )
        self._not_finite = layout.not_finite
        values = np.frombuffer(hashes, dtype=np.int64)
        order = np.argsort(values, kind="stable")
        return values[order], np.frombuffer(offsets, dtype=np.int64)[order]

    @contextmanager
    def _reading(self) -> Iterator[IO[bytes]]:
        """The rows: as they were unpacked, once they were scanned."""
        if self._unpacked is None:
            with reading(self._path, self._compression) as stream:
                yield stream
        else:
            yield cast(IO[bytes], io.BufferedReader(_Unpacked(self._unpacked)))

    @cached_property
    def _repeated(self) -> int:
        hashes, _ = self._index
        return int(np.count_nonzero(hashes[1:] == hashes[:-1]))

    def _offsets(self, word: bytes) -> list[int]:
        hashes, offsets = self._index
        value = hash(word)
        low, high = np.searchsorted(hashes, value, "left"), np.searchsorted(hashes, value, "right")
        return [int(offset) for offset in offsets[low:high]]
