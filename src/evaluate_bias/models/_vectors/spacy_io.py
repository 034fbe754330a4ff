"""The vectors of a spaCy pipeline, read from its folder without spaCy, or from the pipeline that was loaded.

A pipeline keeps a matrix, a table hash of a word -> row, and the list of all strings it has seen. Many words may share
a row. Words are found by their hash, so the strings are read only to list the words.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from ...errors import ModelError
from .table import MatrixTable, floret_refusal, load_matrix

_MASK = (1 << 64) - 1
_MULTIPLIER = 0xC6A4A7935BD1E995
_SEED = 1


def is_spacy_folder(folder: Path) -> bool:
    """Whether ``folder`` holds a pipeline with vectors."""
    return all((folder / "vocab" / name).is_file() for name in ("vectors", "key2row"))


class SpacyTable(MatrixTable):
    """Vectors below ``vocab/`` of a pipeline's folder, memory-mapped."""

    format = "spaCy vectors"

    def __init__(self, folder: Path) -> None:
        vocab = folder / "vocab"
        self.files = (vocab / "vectors", vocab / "key2row")
        self._strings = vocab / "strings.json"
        self._name = folder.name
        settings = vocab / "vectors.cfg"  # of spaCy 3.2 and later
        if settings.is_file() and b'"floret"' in settings.read_bytes():
            raise ModelError(floret_refusal(self._name))
        self.matrix = load_matrix(self.files[0], f"{self._name}: vocab/vectors")
        if self.matrix.ndim != 2 or self.matrix.dtype.kind != "f":
            raise ModelError(f"{self._name}: vocab/vectors is not a matrix of real numbers")
        self.dimension, rows = int(self.matrix.shape[1]), self.matrix.shape[0]
        self.row_of = _read_integer_map(self.files[1].read_bytes(), f"{self._name}/vocab/key2row")
        if any(row >= rows for row in self.row_of.values()):
            raise ModelError(f"{self._name}: vocab/key2row points beyond the {rows} rows of vocab/vectors")

    def key(self, word: str) -> int:
        return string_hash(word)

    def words(self) -> Iterator[str]:
        """The strings that have a row; slow, since every string has to be hashed."""
        if not self._strings.is_file():
            raise ModelError(f"{self._name}: vocab/strings.json is missing, so its words cannot be listed")
        for word in json.loads(self._strings.read_text(encoding="utf-8")):
            if string_hash(word) in self.row_of:
                yield word

    def facts(self) -> dict[str, Any]:
        return {"distinct_vectors": int(self.matrix.shape[0])}


class LoadedSpacyTable(SpacyTable):
    """The same of a ``Language`` in memory, which has read its table and its strings."""

    def __init__(self, pipeline: Any) -> None:
        self._vocab = pipeline.vocab
        self.files = ()
        self.matrix, self.row_of = np.asarray(self._vocab.vectors.data), dict(self._vocab.vectors.key2row)
        if str(getattr(self._vocab.vectors, "mode", "")).endswith("floret"):
            raise ModelError(floret_refusal("this spaCy pipeline"))
        if not self.row_of:
            raise ModelError(
                "this spaCy pipeline has no word vectors: load one that has, such as en_core_web_md"
            )
        self.dimension = int(self.matrix.shape[1])

    def words(self) -> Iterator[str]:
        strings = self._vocab.strings
        return (strings[key] for key in self.row_of if key in strings)


def is_loaded_pipeline(candidate: Any) -> bool:
    """Whether ``candidate`` is a ``Language`` of spaCy."""
    return hasattr(getattr(getattr(candidate, "vocab", None), "vectors", None), "key2row")


def string_hash(text: str) -> int:
    """The 64-bit hash under which spaCy stores a string: MurmurHash64A of its UTF-8 bytes with seed 1.

    Examples:
        >>> string_hash("coffee")
        3197928453018144401
    """
    data = text.encode("utf-8", "surrogatepass")
    value = (_SEED ^ (len(data) * _MULTIPLIER)) & _MASK
    whole = len(data) // 8 * 8
    for (block,) in struct.iter_unpack("<Q", data[:whole]):
        block = block * _MULTIPLIER & _MASK
        block = (block ^ (block >> 47)) * _MULTIPLIER & _MASK
        value = (value ^ block) * _MULTIPLIER & _MASK
    if tail := data[whole:]:
        value = (value ^ int.from_bytes(tail, "little")) * _MULTIPLIER & _MASK
    value = (value ^ (value >> 47)) * _MULTIPLIER & _MASK
    return value ^ (value >> 47)


def _read_integer_map(data: bytes, where: str) -> dict[int, int]:
    """Decode the one kind of MessagePack value this format needs: a map of unsigned integers."""
    sizes = {0xCC: 1, 0xCD: 2, 0xCE: 4, 0xCF: 8}
    position = 0

    def integer() -> int:
        nonlocal position
        tag = data[position]
        position += 1
        if tag < 0x80:
            return tag
        width = sizes[tag]
        position += width
        return int.from_bytes(data[position - width : position], "big")

    try:
        tag = data[0]
        width = {0xDE: 2, 0xDF: 4}.get(tag, 0)
        if not width and not 0x80 <= tag < 0x90:
            raise KeyError(tag)
        position = 1 + width
        count = int.from_bytes(data[1:position], "big") if width else tag & 0x0F
        table = {integer(): integer() for _ in range(count)}
    except (IndexError, KeyError) as error:
        raise ModelError(f"{where} is damaged or truncated: not a map of integers") from error
    if position != len(data):
        raise ModelError(f"{where} is damaged or truncated: {len(data)} bytes, {position} expected")
    return table
