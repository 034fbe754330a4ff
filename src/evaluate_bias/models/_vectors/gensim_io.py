"""What gensim reads better than anybody: its own objects and saved files, and fastText's binary models."""

from __future__ import annotations

import mmap
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from ...arrays import RealArray
from ...errors import ModelError, install_extra
from ..source import imported
from .table import MatrixTable, as_floats

_LONGEST_WORD = 1 << 16


class KeyedTable(MatrixTable):
    """gensim ``KeyedVectors``; fastText's kind can also compose a vector for words it has never seen."""

    def __init__(self, keyed: Any, format: str, files: tuple[Path, ...] = ()) -> None:
        self.format, self.files, self._keyed = format, files, keyed
        if len(keyed.key_to_index) == 0:
            raise ModelError(f"{files[0].name if files else 'the KeyedVectors object'} holds no words")
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
            f"{path.name} is a pickle, and loading a pickle can run any code in it; if you trust where it comes "
            "from, pass allow_pickle=True, else save the vectors in word2vec, npz or safetensors format"
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
