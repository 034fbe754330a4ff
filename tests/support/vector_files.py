"""Writers of small word-vector files in every format, written apart from the library's readers."""

from __future__ import annotations

import bz2
import gzip
import json
import lzma
import struct
from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

Vectors = Mapping[str, NDArray[np.float32]]


def sample(words: list[str], dimension: int = 6, seed: int = 0) -> dict[str, NDArray[np.float32]]:
    rng = np.random.default_rng(seed)
    return {word: rng.normal(size=dimension).astype(np.float32) for word in words}


def matrix(vectors: Vectors) -> NDArray[np.float32]:
    return np.stack(list(vectors.values()))


def text_rows(vectors: Vectors, end: str = "\n") -> str:
    return "".join(f"{word} {' '.join(map(repr, vector.tolist()))}{end}" for word, vector in vectors.items())


def glove(path: Path, vectors: Vectors) -> Path:
    path.write_text(text_rows(vectors), encoding="utf-8")
    return path


def word2vec_text(path: Path, vectors: Vectors, end: str = " \n") -> Path:
    header = f"{len(vectors)} {matrix(vectors).shape[1]}\n"
    path.write_text(header + text_rows(vectors, end), encoding="utf-8", newline="")
    return path


def word2vec_binary(path: Path, vectors: Vectors, end: bytes = b"\n") -> Path:
    rows = [word.encode() + b" " + vector.astype("<f4").tobytes() + end for word, vector in vectors.items()]
    path.write_bytes(f"{len(vectors)} {matrix(vectors).shape[1]}\n".encode() + b"".join(rows))
    return path


def compressed(path: Path, plain: Path) -> Path:
    pack: Callable[[bytes], bytes] = {".gz": gzip.compress, ".bz2": bz2.compress, ".xz": lzma.compress}[
        path.suffix
    ]
    path.write_bytes(pack(plain.read_bytes()))
    return path


def npy(path: Path, vectors: Vectors, vocabulary: str = ".txt") -> Path:
    np.save(path, matrix(vectors))
    words = list(vectors)
    beside = path.with_suffix(vocabulary)
    if vocabulary == ".txt":
        beside.write_text("\n".join(words) + "\n", encoding="utf-8")
    elif vocabulary == ".json":
        beside.write_text(json.dumps(words), encoding="utf-8")
    else:
        import pandas

        pandas.DataFrame({"index": words}).to_parquet(beside)
    return path


def npz(path: Path, vectors: Vectors, save: Callable[..., None] = np.savez) -> Path:
    save(path, vectors=matrix(vectors), words=np.array(list(vectors)))
    return path


def safetensors(path: Path, vectors: Vectors, dtype: type = np.float32, *, inside: bool = True) -> Path:
    from safetensors.numpy import save_file

    metadata = {"vocabulary": json.dumps(list(vectors))} if inside else None
    save_file({"embedding": matrix(vectors).astype(dtype)}, path, metadata=metadata)
    if not inside:
        path.with_name("vocab.json").write_text(
            json.dumps({w: i for i, w in enumerate(vectors)}), encoding="utf-8"
        )
    return path


def spacy_folder(folder: Path, vectors: Vectors, hashes: Mapping[str, int]) -> Path:
    vocab = folder / "vocab"
    vocab.mkdir(parents=True)
    with (vocab / "vectors").open("wb") as file:
        np.save(file, matrix(vectors))
    rows = b"".join(
        b"\xcf" + struct.pack(">Q", hashes[word]) + message_integer(i) for i, word in enumerate(vectors)
    )
    (vocab / "key2row").write_bytes(b"\xdf" + struct.pack(">I", len(vectors)) + rows)
    (vocab / "strings.json").write_text(json.dumps([*vectors, "without-a-vector"]), encoding="utf-8")
    return folder


def message_integer(value: int) -> bytes:
    """An unsigned integer in MessagePack's shortest form."""
    if value < 0x80:
        return bytes([value])
    for tag, width in ((0xCC, 1), (0xCD, 2), (0xCE, 4)):
        if value < 1 << (8 * width):
            return bytes([tag]) + value.to_bytes(width, "big")
    return b"\xcf" + value.to_bytes(8, "big")


def parquet_of_bytes(**columns: bytes) -> bytes:
    """A Parquet table of one row, of columns of text that may be no UTF-8."""
    import pyarrow as pa
    import pyarrow.compute as pc
    import pyarrow.parquet as pq

    unchecked = pc.CastOptions(target_type=pa.string(), allow_invalid_utf8=True)
    table = pa.table({name: pc.cast(pa.array([cell]), options=unchecked) for name, cell in columns.items()})
    pq.write_table(table, out := pa.BufferOutputStream())
    return bytes(out.getvalue())
