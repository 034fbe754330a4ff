"""Files of word vectors: what a file is, by its content and not its name, and which file of a folder to read."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Iterable
from pathlib import Path, PurePosixPath
from typing import Literal

from ...errors import ModelError
from ...text import name_list
from .matrices import (
    SIDECAR_NAMES,
    SUFFIXES,
    MatrixTable,
    Vocabulary,
    is_spacy_folder,
    open_fasttext,
    open_npy,
    open_npz,
    open_pickled,
    open_safetensors,
    open_spacy_folder,
)
from .streams import COMPRESSIONS, BinaryTable, TextTable, open_unpacked, read_header

FileKind = Literal["text", "binary", "fasttext", "npy", "npz", "safetensors", "pickle", "PyTorch", "GGUF"]

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


def open_path(
    path: Path, *, vocabulary: Vocabulary | None = None, allow_pickle: bool = False
) -> MatrixTable | TextTable:
    """Open a file of word vectors, or the folder of a spaCy pipeline."""
    if path.is_dir():
        if is_spacy_folder(path):
            return open_spacy_folder(path)
        raise ModelError(f"{path} is a folder", hint="name the vector file in it")
    match sniff(path):
        case "text", compression:
            return TextTable(path, compression)
        case "binary", compression:
            return BinaryTable(path, compression)
        case "fasttext", _:
            return open_fasttext(path)
        case "pickle", _:
            return open_pickled(path, allow_pickle)
        case "npy", _:
            return open_npy(path, vocabulary)
        case "npz", _:
            return open_npz(path, vocabulary)
        case "safetensors", _:
            return open_safetensors(path, vocabulary)
        case kind, _:
            raise ModelError(f"{path.name} is a {kind} model, not a file of word vectors")


def sniff(path: Path) -> tuple[FileKind, str | None]:
    """Return the kind and compression of the model file at ``path``. Refuse any other file with a description of it."""
    with path.open("rb") as stream:
        head = stream.read(_HEAD)
    if not head:
        raise ModelError(f"{path.name} is empty")
    if head.startswith(b"PK\x03\x04"):
        return _sniff_zip(path), None
    compression = next((name for magic, name in COMPRESSIONS.items() if head.startswith(magic)), None)
    if compression is None:
        return _sniff_plain(path.name, head, path.stat().st_size), None
    with open_unpacked(path, compression) as stream:
        head = stream.read(_HEAD)
    if not head:
        raise ModelError(f"{path.name} contains no data")
    kind = _sniff_plain(f"{path.name} (unpacked)", head, None)
    if kind not in ("text", "binary"):
        raise ModelError(f"{path.name} is a compressed {kind} file", hint="unpack it first")
    return kind, compression


def _sniff_zip(path: Path) -> FileKind:
    with zipfile.ZipFile(path) as zipped:
        names = zipped.namelist()
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
    length = int.from_bytes(head[:8], "little")  # of the header of safetensors
    if head[8:9] == b"{" and 2 <= length < (1 << 27) and (size is None or length + 8 <= size):
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


def _is_text(data: bytes) -> bool:
    """True if bytes are text. Scraped words contain few control characters, binary numbers about one in ten bytes."""
    return b"\0" not in data and len(data.translate(None, _NOT_CONTROL)) <= len(data) // 1000


VECTOR_SUFFIXES = (".vec", ".bin", ".kv", ".model", ".npz", ".npy", ".safetensors", ".w2v", ".glove", ".txt")
"""How the names of vector files usually end. Their content decides what they are."""

_COMPRESSED = (".gz", ".bz2", ".xz")
_NEVER_VECTORS = frozenset(
    {"requirements.txt", "license.txt", "readme.txt", "pytorch_model.bin", "training_args.bin"}
)
_MAX_NAMES_SHOWN = 9


def model_type(config: str | bytes) -> str | None:
    """Return the model type (or first architecture) that a ``config.json`` names, if any."""
    try:
        content = json.loads(config)
        type_name = content.get("model_type") or next(iter(content.get("architectures") or ()), None)
    except (ValueError, TypeError, AttributeError, RecursionError):
        return None
    return str(type_name) if type_name else None


def choose_vector_file(names: Iterable[str], where: str) -> str:
    """Return the only file of word vectors among ``names`` (relative paths with ``/``)."""
    known = set(names)
    candidates = []
    for name in sorted(known):
        base, parts = PurePosixPath(name).name.lower(), name.split(".")
        # A name that extends another's, as in big.model and big.model.vectors.npy, belongs to that file.
        shorter = known.intersection(".".join(parts[:n]) for n in range(1, len(parts)))
        belongs = any(_stem(name) != other.lower() for other in shorter)
        if (
            not belongs
            and _stem(name).endswith(VECTOR_SUFFIXES)
            and base not in {*_NEVER_VECTORS, *SIDECAR_NAMES}
        ):
            candidates.append(name)
    # A text next to a vector file is its vocabulary or a note.
    choices = [name for name in candidates if not _stem(name).endswith(".txt")] or candidates
    if len(choices) == 1:
        return choices[0]
    if not choices:
        raise ModelError(
            f"{where} contains neither a transformer (a config.json that names its model_type, or a GGUF file) nor a "
            f"word-vector file ({', '.join(VECTOR_SUFFIXES)})"
        )
    raise ModelError(
        f"{where} contains several vector files",
        option="file",
        hint=f"set the loading option `file` to one of {name_list(choices, _MAX_NAMES_SHOWN)}",
    )


def sidecars(names: Iterable[str], chosen: str) -> list[str]:
    """Return the files that must lie next to ``chosen``: a vocabulary, and arrays that gensim stores separately."""
    path = PurePosixPath(chosen)
    stem = path.name.partition(".")[0]
    return [
        name
        for name in names
        if name != chosen
        and PurePosixPath(name).parent == path.parent
        and (
            name.startswith(f"{chosen}.")
            or (base := PurePosixPath(name).name) in SIDECAR_NAMES
            or (base.startswith(stem) and name.endswith(SUFFIXES))
        )
    ]


def _stem(name: str) -> str:
    low = name.lower()
    return next((low.removesuffix(end) for end in _COMPRESSED if low.endswith(end)), low)
