"""Formats that hold the matrix as one array, memory-mapped where they allow it: .npy, .npz, safetensors."""

from __future__ import annotations

import json
import math
import os
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from ...errors import ModelError, quoted
from .table import ArrayTable, MappingTable, VectorTable, load_matrix

Vocabulary = str | Path | Sequence[str]

SUFFIXES = (".txt", ".json", ".parquet")
_STEMS = ("vocab", "vocabulary", "words", "index")
_COLUMNS = ("word", "words", "token", "tokens", "index", "vocab", "vocabulary")

SIDECAR_NAMES = tuple(stem + suffix for stem in _STEMS for suffix in SUFFIXES)
"""Names under which a vocabulary is looked for in the folder of a matrix."""


def read_vocabulary(vocabulary: Vocabulary | None, matrix: Path) -> tuple[list[str], tuple[Path, ...]]:
    """The words of the rows of ``matrix`` and the files they came from.

    A relative name is looked for beside the matrix first; ``None`` takes the file of a usual name.
    """
    if vocabulary is None:
        stem = matrix.name.partition(".")[0]
        middles = ("", ".vocab", "_vocab", ".words", "_words")
        names = [f"{stem}{middle}{suffix}" for middle in middles for suffix in SUFFIXES]
        candidates = (matrix.with_name(name) for name in (*names, *SIDECAR_NAMES))
        path = next((place for place in candidates if place.is_file()), None)
        if path is None:
            raise ModelError(
                f"{matrix.name} contains numbers and no words",
                option="vocabulary",
                hint="put its words, one per row, into a file next to it (such as "
                f"{matrix.name.partition('.')[0]}.txt or vocab.json), or name one with the loading option "
                "`vocabulary`",
            )
    elif isinstance(vocabulary, (str, os.PathLike)):
        beside = matrix.parent / vocabulary
        path = beside if beside.is_file() else Path(vocabulary)
        if not path.is_file():
            raise ModelError(f"no vocabulary file {quoted(os.fspath(vocabulary))}", option="vocabulary")
    else:
        return list(vocabulary), ()
    readers = {".json": _from_json, ".parquet": _from_parquet}
    try:
        words = readers.get(path.suffix.lower(), _from_lines)(path)
    except UnicodeDecodeError as error:
        raise ModelError(f"{path.name} is not a vocabulary: it is not UTF-8 text ({error})") from error
    for row, word in enumerate(words):
        if not isinstance(word, str):
            raise ModelError(f"{path.name} is not a list of words: entry {row + 1} is {quoted(word)}")
    return cast(list[str], words), (path,)


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8-sig")


def _from_lines(path: Path) -> list[Any]:
    """One word per line; further columns (such as counts) behind a tab are passed over."""
    lines = _text(path).split("\n")
    if lines and not lines[-1]:
        lines.pop()
    return [line.rstrip("\r").partition("\t")[0] for line in lines]


def _from_json(path: Path) -> list[Any]:
    """A list of words, or an object word -> row."""
    try:
        content = json.loads(_text(path))
    except (json.JSONDecodeError, RecursionError) as error:
        raise ModelError(f"{path.name} is not a vocabulary: it is not JSON ({error})") from error
    if isinstance(content, list):
        return content
    if isinstance(content, dict) and sorted(content.values(), key=str) == sorted(
        range(len(content)), key=str
    ):
        return sorted(content, key=content.__getitem__)
    raise ModelError(
        f"{path.name} is not a vocabulary: a list of words or an object word -> row number is needed"
    )


def _from_parquet(path: Path) -> list[Any]:
    """The column of words: the only one, or one with a usual name."""
    import pyarrow
    from pyarrow import parquet

    try:
        with parquet.ParquetFile(path) as table:
            names = table.schema_arrow.names
            usual = [name for name in names if name.lower() in _COLUMNS] or (names if len(names) == 1 else [])
            if not usual:
                raise ModelError(f"{path.name} has the columns {', '.join(names)}; none is called 'word'")
            return cast(list[Any], table.read([usual[0]]).column(0).to_pylist())
    except (pyarrow.ArrowException, OSError, UnicodeDecodeError) as error:
        raise ModelError(f"{path.name} is not a readable Parquet file: {error}") from error


_METADATA_KEYS = ("vocabulary", "vocab", "words")
_SAFETENSORS_TYPES = {"F64": "<f8", "F32": "<f4", "F16": "<f2"}
_ZIP_LOCAL_HEADER = 30
_LARGE = 1 << 28
_MOST_PACKED = 200
"""A compressed member above ``_LARGE`` bytes that is packed tighter than this is no vectors and no words."""


class _Header(NamedTuple):
    """What a member of an archive says of itself."""

    shape: tuple[int, ...]
    fortran: bool
    dtype: np.dtype[Any]

    def is_array(self, dimensions: int, kinds: str) -> bool:
        return len(self.shape) == dimensions and self.dtype.kind in kinds


def open_npy(path: Path, vocabulary: Vocabulary | None) -> ArrayTable:
    """Open a ``.npy`` matrix with the words of its rows."""
    matrix = load_matrix(path, path.name)
    words, files = read_vocabulary(vocabulary, path)
    return ArrayTable(matrix, words, "npy", (path, *files))


def open_npz(path: Path, vocabulary: Vocabulary | None) -> VectorTable:
    """Open an ``.npz`` file: a matrix (mapped where it is not compressed) and its words, or one array per word."""
    try:
        with np.load(path, allow_pickle=False) as archive:
            names = archive.files
            members = set(archive.zip.namelist())
            headers = {n: _npz_header(archive, n if n in members else f"{n}.npy", path.name) for n in names}
            matrices = [name for name in names if headers[name].is_array(2, "fiu")]
            lists = [name for name in names if headers[name].is_array(1, "US")]
            if not matrices and names and all(header.is_array(1, "fiu") for header in headers.values()):
                return MappingTable({name: archive[name] for name in names}, "npz of vectors", (path,))
            if len(matrices) != 1:
                raise ModelError(
                    f"{path.name} contains the arrays {', '.join(names[:9]) or 'none'}; one matrix (words, dimension) "
                    "and one array of strings are needed, or one vector per word"
                )
            matrix = _mapped_member(path, matrices[0])
            if matrix is None:
                matrix = archive[matrices[0]]
            if vocabulary is None and len(lists) == 1:
                words = archive[lists[0]].tolist()
                spelled = [word.decode("utf-8") if isinstance(word, bytes) else word for word in words]
                return ArrayTable(matrix, spelled, "npz", (path,))
    except ModelError:
        raise
    except Exception as error:  # a damaged archive ends in whatever zipfile, zlib and numpy raise
        raise ModelError(f"{path.name} is not a readable .npz file: {error}") from error
    words, files = read_vocabulary(vocabulary, path)
    return ArrayTable(matrix, words, "npz", (path, *files))


def open_safetensors(path: Path, vocabulary: Vocabulary | None) -> ArrayTable:
    """Open a safetensors file with one matrix and its words, in its metadata or beside it."""
    from safetensors import SafetensorError, safe_open

    try:
        with safe_open(path, framework="numpy") as file:  # checks the header and every offset
            metadata = file.metadata() or {}
    except (SafetensorError, OSError) as error:
        raise ModelError(f"{path.name} is not a readable safetensors file: {error}") from error
    with path.open("rb") as stream:
        start = 8 + int.from_bytes(stream.read(8), "little")
        header = json.loads(stream.read(start - 8))
    matrices = {n: t for n, t in header.items() if n != "__metadata__" and len(t["shape"]) == 2}
    if len(matrices) != 1:
        raise ModelError(
            f"{path.name} contains {len(matrices)} matrices; word vectors are one matrix (words, dimension), and a "
            "transformer needs its config.json beside it, which names its model_type"
        )
    ((name, tensor),) = matrices.items()
    if tensor["dtype"] not in _SAFETENSORS_TYPES:
        raise ModelError(
            f"{path.name}: {name} is stored as {tensor['dtype']}", hint="save it as F32, F64 or F16"
        )
    if 0 in tensor["shape"]:
        raise ModelError(
            f"{path.name} contains an array of shape {tensor['shape']}; (words, dimension) is needed"
        )
    matrix = np.memmap(
        path, dtype=_SAFETENSORS_TYPES[tensor["dtype"]], mode="r", offset=start + tensor["data_offsets"][0],
        shape=tuple(tensor["shape"]),
    )  # fmt: skip
    inside = next((metadata[key] for key in _METADATA_KEYS if key in metadata), None)
    if vocabulary is None and inside is not None:
        return ArrayTable(matrix, _metadata_words(inside, path), "safetensors", (path,))
    words, files = read_vocabulary(vocabulary, path)
    return ArrayTable(matrix, words, "safetensors", (path, *files))


def _metadata_words(text: str, path: Path) -> list[str]:
    try:
        words = json.loads(text)
    except json.JSONDecodeError:
        words = text.split("\n")
    if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
        raise ModelError(f"{path.name}: the vocabulary in its metadata is not a list of words")
    return words


def _npz_header(archive: Any, member: str, file: str) -> _Header:
    """Shape and type of a member, without its numbers; refused where the member could not hold them."""
    with archive.zip.open(member) as stream:
        header = read_npy_header(stream)
    info = archive.zip.getinfo(member)
    size = math.prod(header.shape) * header.dtype.itemsize
    if size < 0 or size > info.file_size or (size > _LARGE and size > _MOST_PACKED * info.compress_size):
        raise ModelError(
            f"{file}: {member} would unpack to {size:,} bytes from {info.compress_size:,}, which is not a matrix of "
            "word vectors: the file is damaged, or made to fill the memory"
        )
    return header


def read_npy_header(stream: Any) -> _Header:
    version = np.lib.format.read_magic(stream)
    read_header = (
        np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
    )
    return _Header(*read_header(stream))


def _mapped_member(path: Path, name: str) -> NDArray[Any] | None:
    """Memory-map a member that is stored as it is; ``None`` when it is compressed."""
    with zipfile.ZipFile(path) as zipped, path.open("rb") as stream:
        info = zipped.getinfo(f"{name}.npy")
        if info.compress_type != zipfile.ZIP_STORED:
            return None
        # The local header repeats the name and may carry another extra field than the directory.
        stream.seek(info.header_offset)
        local = stream.read(_ZIP_LOCAL_HEADER)
        lengths = int.from_bytes(local[26:28], "little") + int.from_bytes(local[28:30], "little")
        stream.seek(info.header_offset + _ZIP_LOCAL_HEADER + lengths)
        header = read_npy_header(stream)
        order: Literal["F", "C"] = "F" if header.fortran else "C"
        return np.memmap(path, header.dtype, "r", stream.tell(), header.shape, order)
