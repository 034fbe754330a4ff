"""Matrices and word lists of R's .rda files, so that R need not be installed."""

from __future__ import annotations

import bz2
import gzip
import lzma
import struct
from typing import Any

import numpy as np

_OPENERS = {b"BZh": bz2.decompress, b"\xfd7z": lzma.decompress, b"\x1f\x8b": gzip.decompress}
_NULL, _REFERENCE, _MISSING = 254, 255, 0xFFFFFFFF


def read_r(content: bytes) -> dict[str, Any]:
    """Return the objects of a .rda file by name.

    A matrix with row names is a dictionary of rows, everything else a list.
    """
    plain = next(
        (opened(content) for magic, opened in _OPENERS.items() if content.startswith(magic)), content
    )
    if plain[:4] != b"RDX2" and plain[:4] != b"RDX3":
        raise ValueError("not a file that R's save() wrote")
    reader = _Reader(plain, at=7)
    version, _, _ = reader.ints(3)
    if version == 3:
        reader.take(reader.ints(1)[0])
    return dict(reader.item())


class _Reader:
    """R's binary serialization in big-endian order, of the types that vectors and lists need."""

    def __init__(self, content: bytes, at: int) -> None:
        self.content, self.at = content, at
        self.symbols: list[str] = []

    def take(self, length: int) -> bytes:
        self.at += length
        return self.content[self.at - length : self.at]

    def ints(self, count: int) -> tuple[int, ...]:
        return struct.unpack(f">{count}I", self.take(4 * count))

    def item(self) -> Any:
        (flags,) = self.ints(1)
        kind = flags & 0xFF
        if kind == _NULL:
            return []
        if kind == _REFERENCE:
            return self.symbols[(flags >> 8) - 1]
        if kind == 1:  # symbol
            self.symbols.append(self.item())
            return self.symbols[-1]
        if kind == 2:  # pair list
            name = self.item() if flags & 0x400 else ""
            value = self.item()
            return [(name, value), *self.item()]
        (length,) = self.ints(1)
        if kind == 9:  # text
            return "" if length == _MISSING else self.take(length).decode("utf-8")
        if kind in (10, 13):  # logical, integer
            values: Any = list(self.ints(length))
        elif kind == 14:  # double
            values = np.frombuffer(self.take(8 * length), dtype=">f8").astype(float)
        elif kind in (16, 19):  # texts, list
            values = [self.item() for _ in range(length)]
        else:
            raise ValueError(f"type {kind} of R is not read here")
        attributes = dict(self.item()) if flags & 0x200 else {}
        return _shaped(values, attributes)


def _shaped(values: Any, attributes: dict[str, Any]) -> Any:
    if "dim" not in attributes:
        return values
    rows = np.reshape(values, attributes["dim"], order="F")
    return dict(zip(attributes["dimnames"][0], rows, strict=True))
