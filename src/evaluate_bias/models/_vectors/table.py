"""What every reader gives: a table of words and vectors that loads only the rows it is asked for."""

from __future__ import annotations

import abc
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...arrays import RealArray
from ...errors import ModelError, quoted


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
            raise ModelError(f"{where} holds an array of shape {matrix.shape}; (words, dimension) is needed")
        if matrix.dtype.kind not in "fiu":
            raise ModelError(f"{where} holds values of type {matrix.dtype}; real numbers are needed")
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
                    f"the words of a mapping must be strings, and {quoted(word)} is {type(word).__name__}"
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
