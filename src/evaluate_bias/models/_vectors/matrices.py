"""Word vectors in one matrix, memory-mapped if the format allows it: arrays, gensim, fastText, spaCy, objects."""

from __future__ import annotations

import json
import mmap
import os
import struct
import zipfile
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from ...arrays import RealArray
from ...errors import ModelError, install_extra, quoted
from ..source import imported, loading_errors

Vocabulary = str | Path | Sequence[str]

SUFFIXES = (".txt", ".json", ".parquet")
SIDECAR_NAMES = tuple(
    stem + suffix for stem in ("vocab", "vocabulary", "words", "index") for suffix in SUFFIXES
)
"""Names under which a vocabulary is looked for in the folder of a matrix."""
_COLUMNS = ("word", "words", "token", "tokens", "index", "vocab", "vocabulary")
_METADATA_KEYS = ("vocabulary", "vocab", "words")
_LARGE = 1 << 28
_MOST_PACKED = 200
"""A compressed member above ``_LARGE`` bytes that is packed tighter than this contains neither vectors nor words."""
_LONGEST_WORD = 1 << 16


class MatrixTable:
    """A matrix and the row of every word.

    Args:
        matrix: shape (rows, dimension), real numbers.
        words: the word of every row, or a function that lists the words, with ``row_of``.
        format: name of the format, for people and for provenance.
        files: the files behind the table, the main one first. A table in memory has none.
        row_of: the row of every word, by the word or its ``key``. By default it follows from ``words``, with the
            first row of each word.
        key: what a word is looked up by.
        facts: what else a reader of the results should know, JSON-safe.
        compose: makes a vector of an unknown word, if the model can.

    Raises:
        ModelError: the matrix is not a matrix, or has another number of rows than there are words.
    """

    def __init__(
        self,
        matrix: NDArray[Any],
        words: Sequence[str] | Callable[[], Iterable[str]],
        format: str,
        files: tuple[Path, ...] = (),
        *,
        row_of: Mapping[Any, int] | None = None,
        key: Callable[[str], Any] | None = None,
        facts: Mapping[str, Any] | None = None,
        compose: Callable[[str], RealArray | None] | None = None,
    ) -> None:
        where = files[0].name if files else format
        if matrix.ndim != 2 or matrix.shape[1] == 0:
            raise ModelError(
                f"{where} contains an array of shape {matrix.shape}, but (words, dimension) is needed"
            )
        if matrix.dtype.kind not in "fiu":
            raise ModelError(f"{where} contains values of type {matrix.dtype}, but real numbers are needed")
        if row_of is None:
            assert isinstance(words, Sequence)
            if len(words) != matrix.shape[0]:
                raise ModelError(f"{where} has {matrix.shape[0]} rows and its vocabulary {len(words)} words")
            # Built backwards, so the first of two rows with one word stays.
            row_of = dict(zip(reversed(words), range(len(words) - 1, -1, -1), strict=True))
            repeated = len(words) - len(row_of)
            facts = {"repeated_words": repeated} if repeated else {}
            words = partial(reversed, row_of)
        if not row_of:
            raise ModelError(f"{where} contains no words")
        self.matrix, self.format, self.files, self.compose = matrix, format, files, compose
        self.dimension = int(matrix.shape[1])
        self._words, self._row_of, self._key, self._facts = words, row_of, key or str, facts or {}

    def __len__(self) -> int:
        """Number of distinct words."""
        return len(self._row_of)

    def rows(self, words: Collection[str]) -> dict[str, RealArray]:
        """Return the vectors of those ``words`` that are in the table."""
        rows = {word: self._row_of.get(self._key(word)) for word in words}
        return {word: as_floats(self.matrix[row]) for word, row in rows.items() if row is not None}

    def words(self) -> Iterator[str]:
        """Return the words in the table's own order."""
        return iter(self._words() if callable(self._words) else self._words)

    def facts(self) -> dict[str, Any]:
        """Return further facts that a reader of the results should know."""
        return dict(self._facts)


def as_floats(vector: NDArray[Any]) -> RealArray:
    """Return float32 and float64 as they are, half precision as float32, integers as float64."""
    if vector.dtype.kind != "f":
        return np.asarray(vector, dtype=np.float64)
    if vector.dtype.itemsize < 4:
        return np.asarray(vector, dtype=np.float32)
    return np.asarray(vector, dtype=vector.dtype.newbyteorder("="))


# --- arrays in files -------------------------------------------------------------------------------------------


def read_vocabulary(vocabulary: Vocabulary | None, matrix: Path) -> tuple[list[str], tuple[Path, ...]]:
    """Return the words of the rows of ``matrix`` and the files they came from.

    A relative name is looked for next to the matrix first. With ``None``, a file with a usual name is read.
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
                f"{stem}.txt or vocab.json), or name one with the loading option `vocabulary`",
            )
    elif isinstance(vocabulary, (str, os.PathLike)):
        beside = matrix.parent / vocabulary
        path = beside if beside.is_file() else Path(vocabulary)
        if not path.is_file():
            raise ModelError(f"no vocabulary file {quoted(os.fspath(vocabulary))}", option="vocabulary")
    else:
        return list(vocabulary), ()
    with loading_errors(path):
        words = _words_of_parquet(path) if path.suffix.lower() == ".parquet" else _words_of_text(path)
    for row, word in enumerate(words):
        if not isinstance(word, str):
            raise ModelError(f"{path.name} is not a list of words: entry {row + 1} is {quoted(word)}")
    return cast(list[str], words), (path,)


def _words_of_text(path: Path) -> list[Any]:
    """Read JSON (a list of words, or an object word -> row), or a text with one word per line, up to a tab."""
    text = path.read_text(encoding="utf-8-sig")
    if path.suffix.lower() != ".json":
        lines = text.removesuffix("\n").split("\n") if text else []
        return [line.rstrip("\r").partition("\t")[0] for line in lines]
    content = json.loads(text)
    if isinstance(content, list):
        return content
    if isinstance(content, dict) and sorted(content.values(), key=str) == sorted(
        range(len(content)), key=str
    ):
        return sorted(content, key=content.__getitem__)
    raise ModelError(
        f"{path.name} is not a vocabulary: a list of words or an object word -> row number is needed"
    )


def _words_of_parquet(path: Path) -> list[Any]:
    """Return the column of words: the only one, or one with a usual name."""
    from pyarrow import parquet

    with parquet.ParquetFile(path) as table:
        names = table.schema_arrow.names
        usual = [name for name in names if name.lower() in _COLUMNS] or (names if len(names) == 1 else [])
        if not usual:
            raise ModelError(f"{path.name} has the columns {', '.join(names)}, and none is called 'word'")
        return cast(list[Any], table.read([usual[0]]).column(0).to_pylist())


def open_npy(path: Path, vocabulary: Vocabulary | None) -> MatrixTable:
    """Open a ``.npy`` matrix with the words of its rows."""
    matrix = np.load(path, mmap_mode="r", allow_pickle=False)
    words, files = read_vocabulary(vocabulary, path)
    return MatrixTable(matrix, words, "npy", (path, *files))


def open_npz(path: Path, vocabulary: Vocabulary | None) -> MatrixTable:
    """Read an ``.npz`` file: a matrix and its words, or one array per word."""
    with zipfile.ZipFile(path) as zipped:
        for member in zipped.infolist():
            if member.file_size > max(_LARGE, _MOST_PACKED * member.compress_size):
                raise ModelError(
                    f"{path.name}: {member.filename} would unpack to {member.file_size:,} bytes from "
                    f"{member.compress_size:,}, which is not a matrix of word vectors: the file is damaged, or made "
                    "to fill the memory"
                )
    with np.load(path, allow_pickle=False) as archive:
        arrays = {name: archive[name] for name in archive.files}
    matrices = [one for one in arrays.values() if one.ndim == 2 and one.dtype.kind in "fiu"]
    lists = [one for one in arrays.values() if one.ndim == 1 and one.dtype.kind in "US"]
    if arrays and all(one.ndim == 1 and one.dtype.kind in "fiu" for one in arrays.values()):
        return table_of_mapping(arrays, "npz of vectors", (path,))
    if len(matrices) != 1:
        raise ModelError(
            f"{path.name} contains the arrays {', '.join([*arrays][:9]) or 'none'}, but one matrix (words, dimension) "
            "and one array of strings are needed, or one vector per word"
        )
    if vocabulary is None and len(lists) == 1:
        words = [w.decode("utf-8") if isinstance(w, bytes) else w for w in lists[0].tolist()]
        return MatrixTable(matrices[0], words, "npz", (path,))
    words, files = read_vocabulary(vocabulary, path)
    return MatrixTable(matrices[0], words, "npz", (path, *files))


def open_safetensors(path: Path, vocabulary: Vocabulary | None) -> MatrixTable:
    """Open a safetensors file with one matrix and its words, in its metadata or next to it."""
    from safetensors import safe_open

    with safe_open(path, framework="numpy") as file:
        metadata = file.metadata() or {}
        slices = {name: file.get_slice(name) for name in file.keys()}  # noqa: SIM118 (no mapping)
        matrices = {name: part for name, part in slices.items() if len(part.get_shape()) == 2}
        if len(matrices) != 1:
            raise ModelError(
                f"{path.name} contains {len(matrices)} matrices. Word vectors are one matrix (words, dimension), and a "
                "transformer needs a config.json next to it, which names its model_type"
            )
        ((name, part),) = matrices.items()
        if part.get_dtype() not in ("F64", "F32", "F16"):
            raise ModelError(
                f"{path.name}: {name} is stored as {part.get_dtype()}", hint="save it as F32, F64 or F16"
            )
        matrix = file.get_tensor(name)
    inside = next((metadata[key] for key in _METADATA_KEYS if key in metadata), None)
    if vocabulary is not None or inside is None:
        words, files = read_vocabulary(vocabulary, path)
        return MatrixTable(matrix, words, "safetensors", (path, *files))
    try:
        words = json.loads(inside)
    except json.JSONDecodeError:
        words = inside.split("\n")
    if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
        raise ModelError(f"{path.name}: the vocabulary in its metadata is not a list of words")
    return MatrixTable(matrix, words, "safetensors", (path,))


# --- in memory -------------------------------------------------------------------------------------------------


def are_vectors(source: Any) -> bool:
    """Return True if :func:`open_object` opens an object."""
    is_known = _keyed_vectors(source) is not None or _is_pipeline(source) or _is_frame(source)
    return is_known or isinstance(source, Mapping)


def open_object(source: Any) -> MatrixTable:
    """Open a mapping, gensim's ``KeyedVectors``, a spaCy pipeline or a DataFrame."""
    if (keyed := _keyed_vectors(source)) is not None:
        return _keyed_table(keyed, "gensim KeyedVectors")
    if _is_pipeline(source):
        vectors, strings = source.vocab.vectors, source.vocab.strings
        if not len(vectors.key2row):
            raise ModelError(
                "this spaCy pipeline has no word vectors", hint="load one that has, such as en_core_web_md"
            )
        row_of = dict(vectors.key2row)
        return _spacy_table(
            np.asarray(vectors.data), row_of, lambda: (strings[key] for key in row_of if key in strings)
        )
    if _is_frame(source):
        words = list(source.index)
        if other := [word for word in words if not isinstance(word, str)]:
            raise ModelError(
                f"the index of a DataFrame of vectors must be their words, and {quoted(other[0])} is not a "
                "word"
            )
        return MatrixTable(source.to_numpy(), words, "pandas DataFrame")
    if not isinstance(source, Mapping):
        raise ModelError(
            f"a {type(source).__name__} is not word vectors",
            hint="use a vector file, KeyedVectors, a spaCy pipeline, a dict or a DataFrame",
        )
    table = table_of_mapping(source, "mapping")
    if not (finite := np.isfinite(table.matrix).all(axis=1)).all():
        word = [*source][int(np.argmin(finite))]
        raise ModelError(f"NaN or infinity in the vector of {quoted(word)}. Such vectors cannot be compared")
    return table


def table_of_mapping(vectors: Mapping[str, Any], format: str, files: tuple[Path, ...] = ()) -> MatrixTable:
    """Return a table from a mapping word -> vector."""
    rows = []
    for word, value in vectors.items():
        if not isinstance(word, str):
            raise ModelError(
                f"the words of a dict must be strings, and {quoted(word)} is {type(word).__name__}"
            )
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
        rows.append(as_floats(vector))
        if len(vector) != len(rows[0]):
            raise ModelError(
                f"the vector of {quoted(word)} has {len(vector)} numbers and the first of the mapping "
                f"{len(rows[0])}, but all must have the same length"
            )
    if not rows:
        raise ModelError("the mapping of words to vectors is empty")
    return MatrixTable(np.stack(rows), list(vectors), format, files)


def _is_frame(source: Any) -> bool:
    """True if an object is a DataFrame, without importing pandas, which is slow."""
    return all(hasattr(source, name) for name in ("to_numpy", "index", "columns"))


# --- gensim and fastText ---------------------------------------------------------------------------------------


def _keyed_vectors(candidate: Any) -> Any | None:
    """Return the ``KeyedVectors`` that ``candidate`` is or contains (as a Word2Vec model does), if any."""
    for keyed in (candidate, getattr(candidate, "wv", None)):
        if all(hasattr(keyed, name) for name in ("key_to_index", "index_to_key", "vectors", "vector_size")):
            return keyed
    return None


def _keyed_table(keyed: Any, format: str, files: tuple[Path, ...] = ()) -> MatrixTable:
    def compose(word: str) -> RealArray | None:
        """Return the vector composed of the word's n-grams, or ``None`` if it is too short to have any."""
        from gensim.models.fasttext import ft_ngram_hashes

        if not ft_ngram_hashes(word, keyed.min_n, keyed.max_n, keyed.bucket):
            return None
        return as_floats(np.asarray(keyed.get_vector(word)))

    return MatrixTable(
        keyed.vectors, keyed.index_to_key, format, files, row_of=keyed.key_to_index,
        compose=compose if hasattr(keyed, "vectors_ngrams") else None,
    )  # fmt: skip


def open_fasttext(path: Path) -> MatrixTable:
    """Load the vectors of a fastText ``.bin`` model. Its output weights, the last part, are neither needed nor read."""
    fasttext = imported("gensim.models.fasttext", _needs_gensim(path))
    _walk_fasttext(path)
    return _keyed_table(fasttext.load_facebook_vectors(str(path)), "fastText binary", (path,))


def _walk_fasttext(path: Path) -> None:
    """Check header, dictionary and matrix against the file's size: gensim never stops reading a cut dictionary."""
    size = path.stat().st_size
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        _, _, dimension, *_, bucket, min_n, max_n, _, _ = struct.unpack_from("<14id", data)
        entries, words, _, _, pruned = struct.unpack_from("<3i2q", data, 64)
        position = 92
        for entry in range(entries):
            end = data.find(b"\0", position, position + _LONGEST_WORD)
            if end < 0 or end + 10 > size:
                raise ValueError(f"its dictionary ends in entry {entry + 1} of {entries}")
            position = end + 10  # the word is followed by its end, a count of 8 bytes, and its kind
        position += 8 * max(0, pruned)
        quantised, rows, columns = struct.unpack_from("<?2q", data, position)
    if quantised:
        raise ValueError("it is quantised (.ftz), which gensim does not read")
    whole = (
        dimension > 0 and columns == dimension and rows == words + bucket and min(words, bucket, min_n) >= 0
    )
    if not whole or max_n > _LONGEST_WORD or position + 17 + 4 * rows * columns > size:
        raise ValueError(
            f"a matrix of {rows} rows and {columns} columns does not fit its header or the {size} bytes of the file"
        )


def open_pickled(path: Path, allow_pickle: bool) -> MatrixTable:
    """Load vectors that gensim saved, when their pickle is allowed by name."""
    if not allow_pickle:
        raise ModelError(
            f"{path.name} is a pickle, and loading a pickle can run any code in it",
            option="allow_pickle",
            hint="if you trust its source, set the loading option `allow_pickle` to true, else save the "
            "vectors in word2vec, npz or safetensors format",
        )
    utils = imported("gensim.utils", _needs_gensim(path))
    try:
        loaded = utils.SaveLoad.load(str(path), mmap="r")
    except Exception as error:  # a pickle can raise anything
        raise ModelError(f"{path.name} is a pickle that gensim cannot load: {error}") from error
    keyed = _keyed_vectors(loaded)
    if keyed is None:
        raise ModelError(f"{path.name} is a pickle of {type(loaded).__name__}, not of gensim's KeyedVectors")
    arrays = sorted(path.parent.glob(f"{path.name}.*.npy"))
    return _keyed_table(keyed, "gensim KeyedVectors", (path, *arrays))


def _needs_gensim(path: Path) -> str:
    return f"{path.name} is read with gensim, which is not installed: {install_extra('vectors')}"


# --- spaCy -----------------------------------------------------------------------------------------------------


def is_spacy_folder(folder: Path) -> bool:
    """True if ``folder`` contains a pipeline with vectors."""
    return all((folder / "vocab" / name).is_file() for name in ("vectors", "key2row"))


def _is_pipeline(candidate: Any) -> bool:
    return hasattr(getattr(getattr(candidate, "vocab", None), "vectors", None), "key2row")


def _spacy_table(
    matrix: NDArray[Any],
    row_of: Mapping[int, int],
    words: Callable[[], Iterable[str]],
    files: tuple[Path, ...] = (),
) -> MatrixTable:
    facts = {"distinct_vectors": len(matrix)}
    return MatrixTable(matrix, words, "spaCy vectors", files, row_of=row_of, key=string_hash, facts=facts)


def open_spacy_folder(folder: Path) -> MatrixTable:
    """Open the vectors below ``vocab/`` of a pipeline's folder, memory-mapped."""
    vocab, name = folder / "vocab", folder.name
    files = vocab / "vectors", vocab / "key2row"
    matrix = np.load(files[0], mmap_mode="r", allow_pickle=False)
    row_of = _read_integer_map(files[1].read_bytes(), f"{name}/vocab/key2row")
    if any(row >= matrix.shape[0] for row in row_of.values()):
        raise ModelError(f"{name}: vocab/key2row points beyond the {len(matrix)} rows of vocab/vectors")

    def words() -> Iterator[str]:
        """Yield the strings that have a row. This is slow, since every string has to be hashed."""
        strings = vocab / "strings.json"
        if not strings.is_file():
            raise ModelError(f"{name}: vocab/strings.json is missing, so its words cannot be listed")
        for word in json.loads(strings.read_text(encoding="utf-8")):
            if string_hash(word) in row_of:
                yield word

    return _spacy_table(matrix, row_of, words, files)


def string_hash(text: str) -> int:
    """Return the 64-bit hash under which spaCy stores a string: MurmurHash64A of its UTF-8 bytes with seed 1.

    Examples:
        >>> string_hash("coffee")
        3197928453018144401
    """
    mask, multiplier = (1 << 64) - 1, 0xC6A4A7935BD1E995
    data = text.encode("utf-8", "surrogatepass")
    value = (1 ^ (len(data) * multiplier)) & mask
    whole = len(data) // 8 * 8
    for (block,) in struct.iter_unpack("<Q", data[:whole]):
        block = block * multiplier & mask
        block = (block ^ (block >> 47)) * multiplier & mask
        value = (value ^ block) * multiplier & mask
    if tail := data[whole:]:
        value = (value ^ int.from_bytes(tail, "little")) * multiplier & mask
    value = (value ^ (value >> 47)) * multiplier & mask
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

    tag = data[0]
    width = {0xDE: 2, 0xDF: 4}.get(tag, 0)
    position = 1 + width
    count = int.from_bytes(data[1:position], "big") if width else tag & 0x0F
    table = {integer(): integer() for _ in range(count)}
    if position != len(data):
        raise ModelError(f"{where} is not a map of integers, or was cut short")
    return table
