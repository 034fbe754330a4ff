"""Word vectors in rows: text with a word and its numbers in every line, and word2vec's binary format.

A file is scanned once, which also checks that it is whole, and afterwards read only where a word is. The index keeps a
64-bit hash and an offset per row, 16 bytes, not the words and never the matrix. A compressed file is unpacked once,
into a file without a name that goes with the process.
"""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import math
import os
import re
import shutil
import tempfile
import zlib
from array import array
from collections import Counter
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from functools import cached_property, partial
from pathlib import Path
from typing import IO, Any, cast

import numpy as np
from numpy.typing import NDArray

from ...arrays import RealArray
from ...assets import cache_root
from ...errors import ModelError
from ...progress import track

COMPRESSIONS = {b"\x1f\x8b": "gzip", b"BZh": "bzip2", b"\xfd7zXZ\x00": "xz"}
"""Compressed files by their first bytes."""
FLORET = (
    "{name} contains floret vectors, which belong to hashed pieces of words and not to words: save word vectors "
    "by floret's save_vectors, or pass a mapping, such as {{word: nlp.vocab.get_vector(word)}} of a spaCy pipeline"
)
_PROGRESS_STEP = 10_000
_MOST_ROWS = 50_000_000
"""Ten times the largest published vocabularies. What unpacks to more only fills the memory."""
_MAX_DIMENSION = 1 << 16
_LONGEST_LINE = 1 << 21
_LONGEST_WORD = 4096
_BLOCK = 1 << 20
_BOM = b"\xef\xbb\xbf"
_HEADER = re.compile(rb"\s{0,9}(\d{1,12})[ \t]{1,9}(\d{1,12})\s{0,9}")
_MOST_DIGITS = 12
_FLORET_HEADER = re.compile(rb"(\d{1,12} ){6}\S{1,9} \S{1,9}\s{0,9}")
_NUMERIC = b"0123456789.+-eE \t"
_LINES_TO_GUESS_FROM = 16
_SHOWN = 40


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


class TextTable:
    """Lines of a word and its numbers, after a header (word2vec, fastText) or without one (GloVe)."""

    kind = "text"
    compose = None

    def __init__(self, path: Path, compression: str | None) -> None:
        self.files, self._path, self._compression = (path,), path, compression
        self._declared: int | None = None
        self._not_finite = 0
        self._open()
        self.format = f"{'GloVe' if self._declared is None else 'word2vec'} {self.kind}"
        if compression:
            self.format += f", {compression}"

    def _open(self) -> None:
        """Find out how the rows are written, from the first lines."""
        name = self._path.name
        with reading(self._path, self._compression) as stream:
            lines = [stream.readline(_LONGEST_LINE) for _ in range(_LINES_TO_GUESS_FROM + 1)]
        for line in lines:
            _check_length(line, name)
        header = read_header(lines[0], name)
        if _FLORET_HEADER.fullmatch(lines[0].removeprefix(_BOM)):
            raise ModelError(FLORET.format(name=name))
        if header is None:
            self._start = len(_BOM) if lines[0].startswith(_BOM) else 0
            first = lines[0] = lines[0][self._start :]
            self.dimension = _guess_dimension(lines)
            _check_unread_header(lines, name)
            if self.dimension == 0:
                raise ModelError(
                    f"{name} is not a word-vector file: its first line is {_quote(lines[0].rstrip())}"
                )
        else:
            first = lines[1]
            self._declared, self.dimension = header
            self._start = len(lines[0])
            if 0 in header:
                raise ModelError(f"{name}: the header declares {header[0]} words of {header[1]} numbers")
        self._separator = b"\t" if b"\t" in first and b" " not in first.rstrip() else b" "

    def __len__(self) -> int:
        """Number of distinct words."""
        return len(self._index[0]) - self._repeated

    def rows(self, words: Collection[str]) -> dict[str, RealArray]:
        """Vectors of those of ``words`` that the file has, read front to back."""
        hashes, offsets = self._index
        places = []
        for word in words:
            spelled = word.encode("utf-8", "surrogatepass")
            low, high = (np.searchsorted(hashes, hash(spelled), side) for side in ("left", "right"))
            places += [(int(offset), k, word, spelled) for k, offset in enumerate(offsets[low:high])]
        row_of: dict[str, tuple[int, RealArray]] = {}
        if places:
            with self._reading() as stream:
                for offset, k, word, spelled in sorted(places):
                    row, vector = self._read(stream, offset)
                    # Two words may share a hash, so the spelling decides; the first row of a word counts.
                    if row == spelled and (word not in row_of or k < row_of[word][0]):
                        row_of[word] = (k, vector)
        return {word: row_of[word][1] for word in words if word in row_of}

    def words(self) -> Iterator[str]:
        """The words in the file's order; bytes that are not UTF-8 are shown as U+FFFD."""
        with self._reading() as stream:
            for word, _ in self._scan(stream):
                yield word.decode("utf-8", "replace")

    def facts(self) -> dict[str, Any]:
        """How many rows repeat a word, and how many hold NaN or infinity."""
        counts = {"repeated_words": self._repeated, "rows_not_finite": self._not_finite}
        return {name: count for name, count in counts.items() if count}

    @cached_property
    def _index(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Hashes in ascending order and the offsets that go with them, earlier rows first."""
        hashes, offsets = array("q"), array("q")
        size = os.fstat(self._unpacked.fileno()).st_size if self._unpacked else self._path.stat().st_size
        with self._reading() as stream, track(f"reading {self._path.name}", size, unit="bytes") as advance:
            last = 0
            for row, (word, offset) in enumerate(self._scan(stream)):
                hashes.append(hash(word))
                offsets.append(offset)
                if row % _PROGRESS_STEP == 0:
                    if row > _MOST_ROWS:
                        raise ModelError(f"{self._path.name} contains more than {_MOST_ROWS:,} rows")
                    advance(offset - last)
                    last = offset
        if self._declared is not None and self._declared != len(hashes):
            raise ModelError(
                f"{self._path.name}: the header declares {self._declared} rows and there are {len(hashes)}: "
                "the file is damaged or was cut short"
            )
        values = np.frombuffer(hashes, dtype=np.int64)
        order = np.argsort(values, kind="stable")
        return values[order], np.frombuffer(offsets, dtype=np.int64)[order]

    @cached_property
    def _repeated(self) -> int:
        hashes, _ = self._index
        return int(np.count_nonzero(hashes[1:] == hashes[:-1]))

    @cached_property
    def _unpacked(self) -> IO[bytes] | None:
        """The content of a compressed file, in a file without a name."""
        if self._compression is None:
            return None
        with reading(self._path, self._compression) as stream:
            folder = cache_root() if cache_root().is_dir() else None
            copy = tempfile.TemporaryFile(dir=folder)  # noqa: SIM115 (kept with the table)
            shutil.copyfileobj(stream, copy, _BLOCK)
            copy.flush()
        return cast(IO[bytes], copy)

    @contextmanager
    def _reading(self) -> Iterator[IO[bytes]]:
        if self._unpacked is not None:
            yield cast(IO[bytes], io.BufferedReader(_Unpacked(self._unpacked)))
        else:
            with reading(self._path, None) as stream:
                yield stream

    def _scan(self, stream: IO[bytes]) -> Iterator[tuple[bytes, int]]:
        """Word and offset of every row; blank lines are passed over, malformed ones refused."""
        stream.seek(self._start)
        self._not_finite = 0
        offset, separator, dimension, name = self._start, self._separator, self.dimension, self._path.name
        lines = iter(partial(stream.readline, _LONGEST_LINE), b"")
        for number, line in enumerate(lines, start=1 if self._declared is None else 2):
            row = line.rstrip()
            word, _, rest = row.partition(separator)
            # The usual line costs two passes over its bytes; anything else is looked at number by number.
            if row.count(separator) != dimension or rest.translate(None, _NUMERIC):
                if not row:
                    offset += len(line)
                    continue
                _check_length(line, name)
                word, numbers = self._fields(row, f"{name}, line {number}")
                self._not_finite += not all(map(math.isfinite, numbers))
            yield word, offset
            offset += len(line)

    def _read(self, stream: IO[bytes], offset: int) -> tuple[bytes, RealArray]:
        """Word and vector of the row at ``offset``."""
        stream.seek(offset)
        row = stream.readline(_LONGEST_LINE).rstrip()
        word, numbers = self._fields(
            row, f"{self._path.name}, row of {_quote(row.partition(self._separator)[0])}"
        )
        return word, np.array(numbers, dtype=np.float32)

    def _fields(self, row: bytes, where: str) -> tuple[bytes, list[float]]:
        """Split a line from the right, since a word may hold separators itself (as in GloVe 840B)."""
        fields = row.rsplit(self._separator, self.dimension)
        if b"" in fields[1:]:  # columns padded with several separators
            fields = row.rsplit(None, self.dimension)
        # A 'word' with separators may be a word and surplus values: '3.5' is one, '. .' is not.
        surplus = fields[0].split()[1:]
        has_surplus = bool(surplus) and all(_is_number(part) and not part.isdigit() for part in surplus)
        if len(fields) != self.dimension + 1 or has_surplus:
            values = len(row.split()) - 1
            raise ModelError(f"{where} has {values} values and the file's rows have {self.dimension}")
        try:
            return fields[0], [float(field) for field in fields[1:]]
        except ValueError as error:
            bad = next(field for field in fields[1:] if not _is_number(field))
            raise ModelError(f"{where}: {_quote(bad)} is not a number") from error


class BinaryTable(TextTable):
    """Rows of a word, a space and little-endian float32 values; some writers end each row with a line feed.

    Its numbers are passed over when it is scanned, and looked at when a word is asked for.
    """

    kind = "binary"

    def _open(self) -> None:
        with reading(self._path, self._compression) as stream:
            first = stream.readline(_LONGEST_WORD)
        header = read_header(first, self._path.name)
        if header is None or 0 in header:
            raise ModelError(
                f"{self._path.name} is not a word2vec file: it does not begin with the number of words and numbers"
            )
        self._declared, self.dimension = header
        self._rows, self._start, self._width = header[0], len(first), 4 * self.dimension

    def _scan(self, stream: IO[bytes]) -> Iterator[tuple[bytes, int]]:
        """Word and offset of every row; the data must end with the last one."""
        stream.seek(self._start)
        name, buffer, position, base = self._path.name, b"", 0, self._start
        for row in range(self._rows):
            space = buffer.find(b" ", position)
            # Refill when the row is not wholly in the buffer, so that one look finds each word.
            while space < 0 or space + 1 + self._width > len(buffer):
                if space < 0 and len(buffer) - position > _LONGEST_WORD:
                    raise ModelError(f"{name}: row {row + 1} does not begin with a word")
                block = stream.read(_BLOCK)
                if not block:
                    raise ModelError(
                        f"{name} is truncated: the header declares {self._rows} rows of {self.dimension} numbers "
                        f"and the data end in row {row + 1}"
                    )
                base += position
                buffer, position = buffer[position:] + block, 0
                space = buffer.find(b" ", position)
            yield buffer[position:space].lstrip(b"\n"), base + position
            position = space + 1 + self._width
        if (buffer[position:] + stream.read(_BLOCK)).strip(b"\n"):
            raise ModelError(f"{name}: there are data after the {self._rows} rows that the header declares")

    def _read(self, stream: IO[bytes], offset: int) -> tuple[bytes, RealArray]:
        stream.seek(offset)
        word, _, rest = stream.read(_LONGEST_WORD + 1 + self._width).partition(b" ")
        return word.lstrip(b"\n"), np.frombuffer(rest[: self._width], dtype="<f4").astype(np.float32)


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
    fields = lines[0].split()
    if len(fields) != 2 or not all(map(_is_number, fields)):
        return
    beyond = any(field.isdigit() and len(field) > _MOST_DIGITS for field in fields)
    if beyond or _guess_dimension(lines[1:]) > 1:
        raise ModelError(
            f"{name}: its first line, {_quote(fields[0])} and {_quote(fields[1])}, should tell how many words there "
            "are and of how many numbers, and cannot be read as two counts"
        )


def _guess_dimension(lines: list[bytes]) -> int:
    """How many numbers most of the first rows end in, at least one field being left for the word."""
    counts: Counter[int] = Counter()
    for fields in (line.split() for line in lines if line.strip()):
        numbers = 0
        while numbers < len(fields) - 1 and _is_number(fields[-1 - numbers]):
            numbers += 1
        counts[numbers] += 1
    return counts.most_common(1)[0][0] if counts else 0


def _check_length(line: bytes, name: str) -> None:
    if len(line) == _LONGEST_LINE and not line.endswith(b"\n"):
        raise ModelError(
            f"{name} contains a line of more than {_LONGEST_LINE:,} bytes, which is not a word with its numbers"
        )


def _quote(data: bytes) -> str:
    return repr(data[:_SHOWN].decode("utf-8", "replace"))


def _is_number(field: bytes) -> bool:
    try:
        float(field)
    except ValueError:
        return False
    return True
