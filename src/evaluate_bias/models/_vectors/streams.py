"""Word vectors in rows: text with a word and its numbers in every line, and word2vec's binary format.

A file is scanned once, which also checks that it is whole, and afterwards read only where a word is. The index
keeps a 64-bit hash and an offset per row, 16 bytes, not the words and never the matrix. The file is
memory-mapped. A compressed one is unpacked once, into an unnamed file that disappears with the process.
"""

from __future__ import annotations

import bz2
import gzip
import lzma
import math
import mmap
import re
import shutil
import tempfile
from array import array
from collections import Counter
from collections.abc import Collection, Iterator
from functools import cached_property
from itertools import islice
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
_PROGRESS_STEP = 10_000
_LONGEST_LINE = 1 << 21
_LONGEST_WORD = 4096
_BLOCK = 1 << 20
_BOM = b"\xef\xbb\xbf"
_HEADER = re.compile(rb"\s{0,9}(\d{1,12})[ \t]{1,9}(\d{1,12})\s{0,9}")
_NUMERIC = b"0123456789.+-eE \t"
_LINES_TO_GUESS_FROM = 16
_MAX_CHARS_SHOWN = 40


def open_unpacked(path: Path, compression: str | None) -> IO[bytes]:
    """Open a file for reading, decompressed."""
    openers: dict[str | None, Any] = {"gzip": gzip.open, "bzip2": bz2.open, "xz": lzma.open, None: open}
    return cast(IO[bytes], openers[compression](path, "rb"))


class TextTable:
    """Lines of a word and its numbers, after a header (word2vec, fastText) or without one (GloVe)."""

    kind = "text"
    compose = None

    def __init__(self, path: Path, compression: str | None) -> None:
        self.files, self._name, self._compression = (path,), path.name, compression
        self._declared: int | None = None
        self._not_finite = 0
        with open_unpacked(path, compression) as stream:
            file = stream
            if compression:
                folder = cache_root() if cache_root().is_dir() else None
                file = cast(IO[bytes], tempfile.TemporaryFile(dir=folder))  # noqa: SIM115 (it goes with the map)
                shutil.copyfileobj(stream, file, _BLOCK)
                file.flush()
            self._data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        self._start, self.dimension = self._open()
        self.format = f"{'GloVe' if self._declared is None else 'word2vec'} {self.kind}"
        if compression:
            self.format += f", {compression}"

    def _open(self) -> tuple[int, int]:
        """Return where the rows start and how many numbers they have, by the first lines."""
        start = len(_BOM) if self._data[: len(_BOM)] == _BOM else 0
        lines = list(islice(self._lines(start), _LINES_TO_GUESS_FROM))
        header = read_header(lines[0]) if lines else None
        if header is None:
            dimension = _guess_dimension(lines)
            if dimension == 0:
                first = f"its first line is {_quote(lines[0].rstrip())}" if lines else "it has no line"
                raise ModelError(f"{self._name} is not a word-vector file: {first}")
        else:
            self._declared, dimension = header
            if 0 in header:
                raise ModelError(
                    f"{self._name}: the header declares {header[0]} words of {header[1]} numbers"
                )
            start += len(lines.pop(0))
        self._separator = b"\t" if lines and b"\t" in lines[0] and b" " not in lines[0].rstrip() else b" "
        return start, dimension

    def _lines(self, position: int) -> Iterator[bytes]:
        """Yield the lines from an offset on, each with its line end."""
        while position < len(self._data):
            end = self._data.find(b"\n", position, position + _LONGEST_LINE) + 1 or len(self._data)
            if end - position > _LONGEST_LINE:
                raise ModelError(
                    f"{self._name} contains a line of more than {_LONGEST_LINE:,} bytes, which is not a word with its "
                    "numbers"
                )
            yield self._data[position:end]
            position = end

    def __reduce__(self) -> tuple[Any, ...]:
        """Let another process open the file itself, as hashes are only valid within one process."""
        return type(self), (*self.files, self._compression)

    def __len__(self) -> int:
        """Number of distinct words."""
        return len(self._index[0]) - self._repeated

    def rows(self, words: Collection[str]) -> dict[str, RealArray]:
        """Return the vectors of those ``words`` that are in the file, read front to back."""
        hashes, offsets = self._index
        places = []
        for word in words:
            spelled = word.encode("utf-8", "surrogatepass")
            low, high = (np.searchsorted(hashes, hash(spelled), side) for side in ("left", "right"))
            places += [(int(offset), word, spelled) for offset in offsets[low:high]]
        row_of: dict[str, RealArray] = {}
        for offset, word, spelled in sorted(places):
            row, vector = self._read(offset)
            # Two words may share a hash, so the spelling decides. The first row of a word counts.
            if row == spelled:
                row_of.setdefault(word, vector)
        return {word: row_of[word] for word in words if word in row_of}

    def words(self) -> Iterator[str]:
        """Yield the words in the file's order. Bytes that are not UTF-8 are shown as U+FFFD."""
        for word, _ in self._scan():
            yield word.decode("utf-8", "replace")

    def facts(self) -> dict[str, Any]:
        """Return how many rows repeat a word, and how many contain NaN or infinity."""
        counts = {"repeated_words": self._repeated, "rows_not_finite": self._not_finite}
        return {name: count for name, count in counts.items() if count}

    @cached_property
    def _index(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Hashes in ascending order and the offsets that go with them, earlier rows first."""
        hashes, offsets = array("q"), array("q")
        with track(f"reading {self._name}", len(self._data), unit="bytes") as advance:
            last = 0
            for row, (word, offset) in enumerate(self._scan()):
                hashes.append(hash(word))
                offsets.append(offset)
                if row % _PROGRESS_STEP == 0:
                    advance(offset - last)
                    last = offset
        if self._declared is not None and self._declared != len(hashes):
            raise ModelError(
                f"{self._name}: the header declares {self._declared} rows and there are {len(hashes)}: the file is "
                "damaged or was cut short"
            )
        values = np.frombuffer(hashes, dtype=np.int64)
        order = np.argsort(values, kind="stable")
        return values[order], np.frombuffer(offsets, dtype=np.int64)[order]

    @cached_property
    def _repeated(self) -> int:
        hashes, _ = self._index
        return int(np.count_nonzero(hashes[1:] == hashes[:-1]))

    def _scan(self) -> Iterator[tuple[bytes, int]]:
        """Yield word and offset of every row. Blank lines are skipped, malformed ones refused."""
        self._not_finite = 0
        offset, separator, dimension = self._start, self._separator, self.dimension
        for number, line in enumerate(self._lines(offset), start=1 if self._declared is None else 2):
            row = line.rstrip()
            word, _, rest = row.partition(separator)
            # A usual line costs two passes over its bytes. Any other line is checked number by number.
            if row and (row.count(separator) != dimension or rest.translate(None, _NUMERIC)):
                word, numbers = self._fields(row, f"{self._name}, line {number}")
                self._not_finite += not all(map(math.isfinite, numbers))
            if row:
                yield word, offset
            offset += len(line)

    def _read(self, offset: int) -> tuple[bytes, RealArray]:
        """Return word and vector of the row at ``offset``."""
        row = next(self._lines(offset)).rstrip()
        word, numbers = self._fields(row, f"{self._name}, row of {_quote(row.partition(self._separator)[0])}")
        return word, np.array(numbers, dtype=np.float32)

    def _fields(self, row: bytes, where: str) -> tuple[bytes, list[float]]:
        """Split a line from the right, since a word may contain separators itself (as in GloVe 840B)."""
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
    """Rows of a word, a space and little-endian float32 values. Some writers end each row with a line feed.

    Numbers are skipped when the file is scanned, and read when a word is requested.
    """

    kind = "binary"

    def _open(self) -> tuple[int, int]:
        first = self._data[: self._data.find(b"\n", 0, _LONGEST_WORD) + 1]
        header = read_header(first)
        if header is None or 0 in header:
            raise ModelError(
                f"{self._name} is not a word2vec file: it does not begin with the number of words and numbers"
            )
        self._declared, dimension = header
        return len(first), dimension

    def _scan(self) -> Iterator[tuple[bytes, int]]:
        """Yield word and offset of every row. The data must end with the last one."""
        position, size, n_rows = self._start, len(self._data), self._declared or 0
        for row in range(1, n_rows + 1):
            space = self._data.find(b" ", position, position + _LONGEST_WORD)
            if space < 0 and position + _LONGEST_WORD <= size:
                raise ModelError(f"{self._name}: row {row} does not begin with a word")
            end = space + 1 + 4 * self.dimension
            if space < 0 or end > size:
                raise ModelError(
                    f"{self._name} is truncated: the header declares {n_rows} rows of {self.dimension} numbers and the "
                    f"data end in row {row}"
                )
            yield self._data[position:space].lstrip(b"\n"), position
            position = end
        if self._data[position : position + _BLOCK].strip(b"\n"):
            raise ModelError(f"{self._name}: there are data after the {n_rows} rows that the header declares")

    def _read(self, offset: int) -> tuple[bytes, RealArray]:
        space = self._data.find(b" ", offset)
        numbers = np.frombuffer(self._data, "<f4", self.dimension, space + 1)
        return self._data[offset:space].lstrip(b"\n"), numbers.astype(np.float32)


def read_header(first_line: bytes) -> tuple[int, int] | None:
    """Return rows and dimension if the line is a word2vec header, else ``None``."""
    match = _HEADER.fullmatch(first_line.removeprefix(_BOM))
    return None if match is None else (int(match[1]), int(match[2]))


def _guess_dimension(lines: list[bytes]) -> int:
    """Return how many numbers most of the first rows end in. At least one field is left for the word."""
    counts: Counter[int] = Counter()
    for fields in (line.split() for line in lines if line.strip()):
        numbers = 0
        while numbers < len(fields) - 1 and _is_number(fields[-1 - numbers]):
            numbers += 1
        counts[numbers] += 1
    return counts.most_common(1)[0][0] if counts else 0


def _quote(data: bytes) -> str:
    return repr(data[:_MAX_CHARS_SHOWN].decode("utf-8", "replace"))


def _is_number(field: bytes) -> bool:
    try:
        float(field)
    except ValueError:
        return False
    return True
