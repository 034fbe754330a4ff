"""What gensim and spaCy keep: their objects and saved files, fastText's binary models, the folders of pipelines."""

from __future__ import annotations

import json
import mmap
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from ...arrays import RealArray
from ...errors import ModelError, install_extra
from ..source import imported
from .table import MatrixTable, as_floats, floret_refusal, load_matrix

_LONGEST_WORD = 1 << 16


class KeyedTable(MatrixTable):
    """gensim ``KeyedVectors``; fastText's kind can also compose a vector for words it has never seen."""

    def __init__(self, keyed: Any, format: str, files: tuple[Path, ...] = ()) -> None:
        self.format, self.files, self._keyed = format, files, keyed
        if len(keyed.key_to_index) == 0:
            raise ModelError(f"{files[0].name if files else 'the KeyedVectors object'} contains no words")
        self.matrix, self.row_of, self.dimension = keyed.vectors, keyed.key_to_index, int(keyed.vector_size)
        self.has_subwords = hasattr(keyed, "vectors_ngrams")

    def compose(self, word: str) -> RealArray | None:
        """The vector made of the word's parts, ``None`` when it is too short to have any."""
        from gensim.models.fasttext import ft_ngram_hashes

        keyed = self._keyed
        if not ft_ngram_hashes(word, keyed.min_n, keyed.max_n, keyed.bucket):
            return None
        return as_floats(np.asarray(keyed.get_vector(word)))

    def words(self) -> Iterator[str]:
        return iter(self._keyed.index_to_key)


def keyed_vectors(candidate: Any) -> Any | None:
    """The ``KeyedVectors`` that ``candidate`` is or holds (as a Word2Vec model does), if any."""
    for keyed in (candidate, getattr(candidate, "wv", None)):
        if all(hasattr(keyed, name) for name in ("key_to_index", "index_to_key", "vectors", "vector_size")):
            return keyed
    return None


def open_fasttext(path: Path) -> KeyedTable:
    """Load the vectors of a fastText ``.bin`` model; its output weights, the last part, are not needed nor read."""
    fasttext = imported("gensim.models.fasttext", _needs_gensim(path))
    try:
        _walk_fasttext(path)
        keyed = fasttext.load_facebook_vectors(str(path))
    except Exception as error:  # gensim checks little of what it reads, so a damaged file ends in anything
        cut = isinstance(error, struct.error)
        reason = "it ends before its header does" if cut else str(error) or type(error).__name__
        raise ModelError(f"{path.name} is a damaged or truncated fastText model: {reason}") from error
    return KeyedTable(keyed, "fastText binary", (path,))


def _walk_fasttext(path: Path) -> None:
    """Hold header, dictionary and matrix against the file's size: gensim reads a cut dictionary for ever."""
    size = path.stat().st_size
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        _, _, dimension, *_, bucket, min_n, max_n, _, _ = struct.unpack_from("<14id", data)
        entries, words, _, _, pruned = struct.unpack_from("<3i2q", data, 64)
        position = 92
        for entry in range(entries):
            end = data.find(b"\0", position, position + _LONGEST_WORD)
            if end < 0 or end + 10 > size:
                raise ValueError(f"its dictionary ends in entry {entry + 1} of {entries}")
            position = end + 10  # behind the word stand its end, a count of 8 bytes, and its kind
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


def open_pickled(path: Path, allow_pickle: bool) -> KeyedTable:
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
    keyed = keyed_vectors(loaded)
    if keyed is None:
        raise ModelError(f"{path.name} is a pickle of {type(loaded).__name__}, not of gensim's KeyedVectors")
    arrays = sorted(path.parent.glob(f"{path.name}.*.npy"))
    return KeyedTable(keyed, "gensim KeyedVectors", (path, *arrays))


def _needs_gensim(path: Path) -> str:
    return f"{path.name} is read with gensim, which is not installed; {install_extra('vectors')}"


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
                "this spaCy pipeline has no word vectors", hint="load one that has, such as en_core_web_md"
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
