"""What every reader gives: a table of words and vectors that loads only the rows it is asked for."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from ...errors import ModelError

__all__ = ["ArrayTable", "FloatArray", "MappingTable", "VectorTable", "as_floats"]

FloatArray = NDArray[np.floating[Any]]


class VectorTable(Protocol):
    """Words and their vectors, looked up by exact spelling."""

    format: str
    """Name of the format, for people and for provenance."""

    files: tuple[Path, ...]
    """The files behind the table, the main one first; empty for a table in memory."""

    @property
    def dimension(self) -> int:
        """Length of every vector."""
        ...

    def __len__(self) -> int:
        """Return the number of distinct words."""
        ...

    def rows(self, words: Collection[str]) -> dict[str, FloatArray]:
        """Return the vectors of those of ``words`` that the table has."""
        ...

    def words(self) -> Iterator[str]:
        """Iterate over the words in the table's own order."""
        ...

    def facts(self) -> dict[str, Any]:
        """Return what else a reader of the results should know, JSON-safe."""
        ...


class ArrayTable:
    """A matrix (often memory-mapped) and the words of its rows.

    Args:
        matrix: array of shape (rows, dimension).
        words: one word per row; where a word stands twice its first row counts.
        format: name of the format.
        files: files behind the table.

    Raises:
        ModelError: the shapes do not fit together, or the matrix holds no real numbers.
    """

    def __init__(
        self, matrix: NDArray[Any], words: Sequence[str], format: str, files: tuple[Path, ...] = ()
    ) -> None:
        where = files[0].name if files else format
        if matrix.ndim != 2 or matrix.shape[1] == 0:
            raise ModelError(f"{where} holds an array of shape {matrix.shape}; (words, dimension) is needed")
        if matrix.dtype.kind not in "fiu":
            raise ModelError(f"{where} holds values of type {matrix.dtype}; real numbers are needed")
        if len(words) != matrix.shape[0]:
            raise ModelError(f"{where} has {matrix.shape[0]} rows and its vocabulary {len(words)} words")
        self.format, self.files, self.matrix = format, files, matrix
        # Built backwards, so that of two rows with one word the first stays.
        self._row = dict(zip(reversed(words), range(len(words) - 1, -1, -1), strict=True))

    @property
    def dimension(self) -> int:
        """Length of every vector."""
        return int(self.matrix.shape[1])

    def __len__(self) -> int:
        return len(self._row)

    def rows(self, words: Collection[str]) -> dict[str, FloatArray]:
        """Return the vectors of those of ``words`` that the table has."""
        return {word: as_floats(self.matrix[self._row[word]]) for word in words if word in self._row}

    def words(self) -> Iterator[str]:
        """Iterate over the words in the order of their rows."""
        return reversed(self._row)

    def facts(self) -> dict[str, Any]:
        """Return the number of words that stand more than once."""
        repeated = self.matrix.shape[0] - len(self._row)
        return {"repeated_words": repeated} if repeated else {}


class MappingTable:
    """A mapping word -> vector, such as a dictionary.

    Args:
        vectors: the mapping; it is not copied.

    Raises:
        ModelError: it is empty, a key is not a string, or a value is not a vector.
    """

    format = "mapping"
    files: tuple[Path, ...] = ()

    def __init__(self, vectors: Mapping[str, Any]) -> None:
        self._vectors = vectors
        for word in vectors:
            if not isinstance(word, str):
                raise ModelError(
                    f"the words of a mapping must be strings, and {word!r} is {type(word).__name__}"
                )
        first = next(iter(vectors), None)
        if first is None:
            raise ModelError("the mapping of words to vectors is empty")
        self._dimension = len(self._vector(first))

    def _vector(self, word: str) -> FloatArray:
        try:
            vector = np.asarray(self._vectors[word])
        except ValueError as error:
            raise ModelError(f"the vector of {word!r} is not a list of numbers: {error}") from error
        if vector.ndim != 1 or vector.dtype.kind not in "fiu" or vector.shape[0] == 0:
            raise ModelError(
                f"the vector of {word!r} is not a list of numbers: shape {vector.shape}, type {vector.dtype}"
            )
        return as_floats(vector)

    @property
    def dimension(self) -> int:
        """Length of the first vector, which is that of every one."""
        return self._dimension

    def __len__(self) -> int:
        return len(self._vectors)

    def rows(self, words: Collection[str]) -> dict[str, FloatArray]:
        """Return the vectors of those of ``words`` that the mapping has.

        Raises:
            ModelError: one is not a vector, or has another length than the first of the mapping.
        """
        found = {word: self._vector(word) for word in words if word in self._vectors}
        for word, vector in found.items():
            if vector.shape[0] != self._dimension:
                raise ModelError(
                    f"the vector of {word!r} has {vector.shape[0]} numbers and the first of the mapping "
                    f"{self._dimension}; all must have the same length"
                )
        return found

    def words(self) -> Iterator[str]:
        """Iterate over the words in the mapping's own order."""
        return iter(self._vectors)

    def facts(self) -> dict[str, Any]:
        """Return nothing: a mapping says no more."""
        return {}


def as_floats(vector: NDArray[Any]) -> FloatArray:
    """Return float32 and float64 as they are; half precision as float32, integers as float64.

    Examples:
        >>> as_floats(np.array([1, 2])).dtype, as_floats(np.array([1.0], dtype=np.float16)).dtype
        (dtype('float64'), dtype('float32'))
    """
    if vector.dtype.kind != "f":
        return np.asarray(vector, dtype=np.float64)
    if vector.dtype.itemsize < 4:
        return np.asarray(vector, dtype=np.float32)
    return np.asarray(vector, dtype=vector.dtype.newbyteorder("="))
