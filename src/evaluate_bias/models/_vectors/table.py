"""What every reader gives: a table of words and vectors that loads only the rows it is asked for.

The index of a stream keeps a 64-bit hash and an offset per word, 16 bytes per row, not the words and never the matrix.
A compressed file is unpacked once, while it is scanned, into a file without a name that goes with the process.
"""

from __future__ import annotations

import abc
import bz2
import gzip
import io
import lzma
import os
import tempfile
import zlib
from array import array
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import IO, Any, Protocol, cast

import numpy as np
from numpy.typing import NDArray

from ...arrays import RealArray
from ...assets import cache_root
from ...errors import ModelError, quoted
from ...progress import track


class VectorTable(abc.ABC):
    """Words and their vectors, looked up by exact spelling.

    Attributes:
        format: name of the format, for people and for provenance.
        files: the files behind the table, the main one first; empty for a table in memory.
        dimension: length of every vector.
    """

    format: str
    files: tuple[Path, ...] = ()
    dimension: int

    @abc.abstractmethod
    def __len__(self) -> int:
        """Number of distinct words."""

    @abc.abstractmethod
    def rows(self, words: Collection[str]) -> dict[str, RealArray]:
        """Vectors of those of ``words`` that the table has."""

    @abc.abstractmethod
    def words(self) -> Iterator[str]:
        """The words in the table's own order."""

    def facts(self) -> dict[str, Any]:
        """What else a reader of the results should know, JSON-safe."""
        return {}


class MatrixTable(VectorTable):
    """A matrix (often memory-mapped), and the row of each word, by the word or a key of it."""

    matrix: NDArray[Any]
    row_of: dict[Any, int]

    def __len__(self) -> int:
        return len(self.row_of)

    def key(self, word: str) -> Any:
        """What a word is looked up by."""
        return word

    def rows(self, words: Collection[str]) -> dict[str, RealArray]:
        keys = {word: self.key(word) for word in words}
        return {word: as_floats(self.matrix[self.row_of[k]]) for word, k in keys.items() if k in self.row_of}


class ArrayTable(MatrixTable):
    """A matrix and the words of its rows."""

    def __init__(
        self, matrix: NDArray[Any], words: Sequence[str], format: str, files: tuple[Path, ...] = ()
    ) -> None:
        where = files[0].name if files else format
        if matrix.ndim != 2 or matrix.shape[1] == 0:
            raise ModelError(
                f"{where} contains an array of shape {matrix.shape}; (words, dimension) is needed"
            )
        if matrix.dtype.kind not in "fiu":
            raise ModelError(f"{where} contains values of type {matrix.dtype}; real numbers are needed")
        if len(words) != matrix.shape[0]:
            raise ModelError(f"{where} has {matrix.shape[0]} rows and its vocabulary {len(words)} words")
        self.format, self.files, self.matrix = format, files, matrix
        self.dimension = int(matrix.shape[1])
        # Built backwards, so that of two rows with one word the first stays.
        self.row_of = dict(zip(reversed(words), range(len(words) - 1, -1, -1), strict=True))

    def words(self) -> Iterator[str]:
        return reversed(self.row_of)

    def facts(self) -> dict[str, Any]:
        repeated = self.matrix.shape[0] - len(self.row_of)
        return {"repeated_words": repeated} if repeated else {}


class MappingTable(VectorTable):
    """A mapping word -> vector in memory, whose vectors are read when they are asked for."""

    def __init__(
        self, vectors: Mapping[str, Any], format: str = "mapping", files: tuple[Path, ...] = ()
    ) -> None:
        self._vectors, self.format, self.files = vectors, format, files
        for word in vectors:
            if not isinstance(word, str):
                raise ModelError(
                    f"the words of a dict must be strings, and {quoted(word)} is {type(word).__name__}"
                )
        first = next(iter(vectors), None)
        if first is None:
            raise ModelError("the mapping of words to vectors is empty")
        self.dimension = len(self._vector(first))

    def _vector(self, word: str) -> RealArray:
        value = self._vectors[word]
        try:
            if hasattr(value, "detach"):  # a tensor of torch, maybe with a gradient or on a GPU
                value = value.detach().cpu()
                value = value.float() if str(value.dtype) == "torch.bfloat16" else value
            vector = np.asarray(value)
        except Exception as error:  # whatever the object's own conversion raises
            raise ModelError(f"the vector of {quoted(word)} is not a list of numbers: {error}") from error
        if vector.ndim != 1 or vector.dtype.kind not in "fiu" or vector.shape[0] == 0:
            raise ModelError(
                f"the vector of {quoted(word)} is not a list of numbers: shape {vector.shape}, type {vector.dtype}"
            )
        return as_floats(vector)

    def check(self) -> None:
        """Read every vector once, and refuse what no method could use."""
        for word in self._vectors:
            if not np.isfinite(self.rows([word])[word]).all():
                raise ModelError(
                    f"NaN or infinity in the vector of {quoted(word)}; such vectors cannot be compared"
                )

    def __len__(self) -> int:
        return len(self._vectors)

    def rows(self, words: Collection[str]) -> dict[str, RealArray]:
        vectors = {word: self._vector(word) for word in words if word in self._vectors}
        for word, vector in vectors.items():
            if vector.shape[0] != self.dimension:
                raise ModelError(
                    f"the vector of {quoted(word)} has {vector.shape[0]} numbers and the first of the mapping "
                    f"{self.dimension}; all must have the same length"
                )
        return vectors

    def words(self) -> Iterator[str]:
        return iter(self._vectors)


def floret_refusal(name: str) -> str:
    """Why vectors of floret are not read, and what to do."""
    return (
        f"{name} holds floret vectors, which belong to hashed pieces of words and not to words: save those of words "
        "by floret's save_vectors, or pass a mapping, such as {word: nlp.vocab.get_vector(word)} of a spaCy pipeline"
    )


def load_matrix(path: Path, where: str) -> NDArray[Any]:
    """Memory-map a ``.npy`` file; ``where`` names it in messages."""
    try:
        return np.asanyarray(np.load(path, mmap_mode="r", allow_pickle=False))
    except (ValueError, TypeError, OverflowError, EOFError, OSError) as error:
        raise ModelError(f"{where} is not a readable .npy matrix: {error}") from error


def as_floats(vector: NDArray[Any]) -> RealArray:
    """float32 and float64 as they are, half precision as float32, integers as float64."""
    if vector.dtype.kind != "f":
        return np.asarray(vector, dtype=np.float64)
    if vector.dtype.itemsize < 4:
        return np.asarray(vector, dtype=np.float32)
    return np.asarray(vector, dtype=vector.dtype.newbyteorder("="))


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
                        raise ModelError(f"{self._path.name} contains more than {_MOST_ROWS:,} rows")
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
