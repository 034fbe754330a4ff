"""Open a table of vectors from any supported source; the format of a file is read off its content, not its name."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import Any, Literal, NamedTuple

from ...errors import ModelError, quoted
from ...text import name_list
from .arrays import SIDECAR_NAMES, SUFFIXES, Vocabulary, open_npy, open_npz, open_safetensors
from .libraries import (
    KeyedTable,
    LoadedSpacyTable,
    SpacyTable,
    is_loaded_pipeline,
    is_spacy_folder,
    keyed_vectors,
    open_fasttext,
    open_pickled,
)
from .table import COMPRESSIONS, ArrayTable, MappingTable, VectorTable, reading
from .text import open_binary, open_text, read_header

FileKind = Literal["text", "binary", "fasttext", "npy", "npz", "safetensors", "pickle", "PyTorch", "GGUF"]


class Sniffed(NamedTuple):
    """Kind of a file, and how it is compressed."""

    kind: FileKind
    compression: str | None = None


_KINDS: dict[bytes, FileKind] = {
    b"\x93NUMPY": "npy",
    b"\xba\x16\x4f\x2f": "fasttext",
    b"GGUF": "GGUF",
    **{bytes([0x80, protocol]): "pickle" for protocol in range(2, 6)},
}
_HTML = "an HTML page: was the download refused?"
_OTHERS = {
    b"7z\xbc\xaf\x27\x1c": "a 7z archive: unpack it first",
    b"version https://git-lfs": "a Git LFS pointer, not the file itself: run 'git lfs pull'",
    b"<!DOCTYPE": _HTML,
    b"<!doctype": _HTML,
    b"<html": _HTML,
}
_HEAD = 1 << 16
_NOT_CONTROL = b"\t\n\v\f\r\x1b" + bytes(range(32, 256))


def open_path(path: Path, *, vocabulary: Vocabulary | None = None, allow_pickle: bool = False) -> VectorTable:
    """Open a file of word vectors, or the folder of a spaCy pipeline."""
    if path.is_dir():
        if is_spacy_folder(path):
            return SpacyTable(path)
        raise ModelError(f"{path} is a folder", hint="name the vector file in it")
    kind, compression = sniff(path)
    openers: dict[FileKind, Callable[[], VectorTable]] = {
        "text": lambda: open_text(path, compression),
        "binary": lambda: open_binary(path, compression),
        "fasttext": lambda: open_fasttext(path),
        "pickle": lambda: open_pickled(path, allow_pickle),
        "npy": lambda: open_npy(path, vocabulary),
        "npz": lambda: open_npz(path, vocabulary),
        "safetensors": lambda: open_safetensors(path, vocabulary),
    }
    if kind not in openers:
        raise ModelError(f"{path.name} is a {kind} model, not a file of word vectors")
    return openers[kind]()


def are_vectors(source: Any) -> bool:
    """Whether :func:`open_object` opens it."""
    is_known = keyed_vectors(source) is not None or is_loaded_pipeline(source)
    return is_known or isinstance(source, Mapping) or _is_frame(source)


def open_object(source: Any) -> VectorTable | None:
    """Open a mapping, gensim's ``KeyedVectors``, a spaCy pipeline or a DataFrame; ``None`` for anything else."""
    keyed = keyed_vectors(source)
    if keyed is not None:
        return KeyedTable(keyed, "gensim KeyedVectors")
    if is_loaded_pipeline(source):
        return LoadedSpacyTable(source)
    if _is_frame(source):
        words = list(source.index)
        if other := [word for word in words if not isinstance(word, str)]:
            raise ModelError(
                f"the index of a DataFrame of vectors must be their words, and {quoted(other[0])} is not a "
                "word"
            )
        return ArrayTable(source.to_numpy(), words, "pandas DataFrame")
    if not isinstance(source, Mapping):
        return None
    table = MappingTable(source)
    table.check()
    return table


def _is_frame(source: Any) -> bool:
    """Whether an object is a DataFrame, without importing pandas, which is slow."""
    return all(hasattr(source, name) for name in ("to_numpy", "index", "columns"))


def sniff(path: Path) -> Sniffed:
    """Return the kind of model file at ``path``; any other file is refused with a description of it."""
    with reading(path, None) as stream:
        head = stream.read(_HEAD)
    if not head:
        raise ModelError(f"{path.name} is empty")
    if head.startswith(b"PK\x03\x04"):
        return Sniffed(_sniff_zip(path))
    for magic, compression in COMPRESSIONS.items():
        if head.startswith(magic):
            return Sniffed(_sniff_compressed(path, compression), compression)
    return Sniffed(_sniff_plain(path.name, head, path.stat().st_size))


def _sniff_compressed(path: Path, compression: str) -> FileKind:
    with reading(path, compression) as stream:
        head = stream.read(_HEAD)
    if not head:
        raise ModelError(f"{path.name} contains no data")
    kind = _sniff_plain(f"{path.name} (unpacked)", head, None)
    if kind not in ("text", "binary"):
        raise ModelError(f"{path.name} is a compressed {kind} file", hint="unpack it first")
    return kind


def _sniff_zip(path: Path) -> FileKind:
    try:
        with zipfile.ZipFile(path) as zipped:
            names = zipped.namelist()
    except (zipfile.BadZipFile, NotImplementedError, ValueError, OSError) as error:
        raise ModelError(f"{path.name} is a damaged zip file: {error}") from error
    if names and all(name.endswith(".npy") for name in names):
        return "npz"
    if any(name.endswith("data.pkl") for name in names):
        return "PyTorch"
    inside = ", ".join(name[:60] for name in names[:4]) or "nothing"
    raise ModelError(
        f"{path.name} is not a vector file: it is a zip archive of {inside}", hint="unpack it first"
    )


def _sniff_plain(name: str, head: bytes, size: int | None) -> FileKind:
    for magic, kind in _KINDS.items():
        if head.startswith(magic):
            return kind
    if _is_safetensors(head, size):
        return "safetensors"
    start = head.lstrip(b"\xef\xbb\xbf \t\r\n")
    for magic, what in _OTHERS.items():
        if start.startswith(magic):
            raise ModelError(f"{name} is not a vector file: it looks like {what}")
    if head[257:262] == b"ustar":
        raise ModelError(f"{name} is not a vector file: it looks like a tar archive", hint="unpack it first")
    first, _, rest = head.partition(b"\n")
    if read_header(first) is not None:
        return "text" if _is_text(rest) else "binary"
    if not _is_text(head):
        raise ModelError(f"{name} is not a vector file: it contains binary data of no known format")
    return "text"


def _is_safetensors(head: bytes, size: int | None) -> bool:
    length = int.from_bytes(head[:8], "little")
    return head[8:9] == b"{" and 2 <= length < (1 << 27) and (size is None or length + 8 <= size)


def _is_text(data: bytes) -> bool:
    """Whether bytes are text: scraped words hold a few control characters; of bytes of numbers one in ten is one."""
    return b"\0" not in data and len(data.translate(None, _NOT_CONTROL)) <= len(data) // 1000


VECTOR_SUFFIXES = (".vec", ".bin", ".kv", ".model", ".npz", ".npy", ".safetensors", ".w2v", ".glove", ".txt")
"""How the names of vector files usually end; their content decides what they are."""

_COMPRESSED = (".gz", ".bz2", ".xz")
_NEVER = frozenset(
    {"requirements.txt", "license.txt", "readme.txt", "pytorch_model.bin", "training_args.bin"}
)
_SHOWN = 9
_MOST_LABELS = 10**6


def model_type(config: str | bytes) -> str | None:
    """The model type (or first architecture) that a ``config.json`` tells, if any."""
    try:
        content = json.loads(config)
        type_name = content.get("model_type") or next(iter(content.get("architectures") or ()), None)
    except (ValueError, TypeError, AttributeError, RecursionError):
        return None
    labels = content.get("num_labels")
    if isinstance(labels, int) and labels > _MOST_LABELS:
        raise ModelError(f"a configuration of {labels:,} labels is too large for a model")
    return str(type_name) if type_name else None


@contextmanager
def naming_config(config: bytes | None, where: str) -> Iterator[None]:
    """Name a ``config.json`` of no model as the cause where word vectors, looked for instead, are not found either."""
    try:
        yield
    except ModelError as error:
        if config is None or model_type(config) is not None:
            raise
        try:
            fault = "names no model_type" if isinstance(json.loads(config), dict) else "is no JSON object"
        except (ValueError, RecursionError):
            fault = "is damaged: it cannot be read as JSON"
        raise ModelError(
            f"the config.json of {where} {fault}; nor does it hold word vectors: {error}"
        ) from error


def choose_vector_file(names: Iterable[str], where: str) -> str:
    """The one file of word vectors among ``names`` (relative paths with ``/``)."""
    known = set(names)
    candidates = [
        name for name in sorted(known) if _may_hold_vectors(name) and not _belongs_to_another(name, known)
    ]
    # A text beside a vector file is its vocabulary or a note.
    choices = [name for name in candidates if not _stem(name).endswith(".txt")] or candidates
    if len(choices) == 1:
        return choices[0]
    if not choices:
        raise ModelError(
            f"{where} contains neither a transformer (config.json or a GGUF file) nor a word-vector file "
            f"({', '.join(VECTOR_SUFFIXES)})"
        )
    raise ModelError(
        f"{where} contains several vector files",
        option="file",
        hint=f"set the loading option `file` to one of {name_list(choices, _SHOWN)}",
    )


def sidecars(names: Iterable[str], chosen: str) -> list[str]:
    """The files that must lie beside ``chosen``: a vocabulary, and arrays that gensim stores apart."""
    path = PurePosixPath(chosen)
    stem = path.name.partition(".")[0]
    beside = [name for name in names if PurePosixPath(name).parent == path.parent and name != chosen]
    return [
        name
        for name in beside
        if name.startswith(f"{chosen}.")
        or PurePosixPath(name).name in SIDECAR_NAMES
        or (PurePosixPath(name).name.startswith(stem) and name.endswith(SUFFIXES))
    ]


def _stem(name: str) -> str:
    low = name.lower()
    return next((low.removesuffix(end) for end in _COMPRESSED if low.endswith(end)), low)


def _may_hold_vectors(name: str) -> bool:
    base = PurePosixPath(name).name.lower()
    return _stem(name).endswith(VECTOR_SUFFIXES) and base not in _NEVER and base not in SIDECAR_NAMES


def _belongs_to_another(name: str, names: set[str]) -> bool:
    """Whether a name only extends another's, as in ``big.model`` and ``big.model.vectors.npy``."""
    parts = name.split(".")
    shorter = (".".join(parts[:n]) for n in range(1, len(parts)))
    return any(other in names and _stem(name) != other.lower() for other in shorter)
