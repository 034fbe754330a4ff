"""Which file of a folder or repository holds word vectors, and whether it holds a transformer instead."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import PurePosixPath

from ...errors import ModelError
from .vocabulary import SIDECAR_NAMES, SUFFIXES

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
            f"{where} holds neither a transformer (config.json or a GGUF file) nor a word-vector file "
            f"({', '.join(VECTOR_SUFFIXES)})"
        )
    several = ", ".join(choices[:_SHOWN]) + (" …" if len(choices) > _SHOWN else "")
    raise ModelError(f"{where} holds several vector files; choose one with file=: {several}")


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
