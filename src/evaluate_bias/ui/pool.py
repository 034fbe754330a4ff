"""The models visitors share: loaded once, kept while they are used, one visitor at a time."""

from __future__ import annotations

import re
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..assets import Asset, asset_folder, is_cached, list_assets
from ..errors import InputError
from .deadline import with_deadline
from .limits import MAX_HUB_BYTES, MAX_WORD_LENGTH, MODELS_IN_MEMORY, Busy, Deadline

__all__ = [
    "DEFAULT_VECTORS",
    "LANGUAGE_MODELS",
    "TEXT_MODELS",
    "WORD_VECTORS",
    "ModelPool",
    "allowed_model",
    "hub_id",
    "kinds_for",
    "load_for_visitor",
    "model_choices",
]

DEFAULT_VECTORS = "glove-6b-50d"
WORD_VECTORS = ("word vectors",)
LANGUAGE_MODELS = ("masked language model", "causal language model")
TEXT_MODELS = ("sentence encoder", *LANGUAGE_MODELS)

_KINDS: dict[str, tuple[str, ...]] = {
    "embeds words": WORD_VECTORS,
    "embeds words in context": (*TEXT_MODELS, *WORD_VECTORS),
    "scores masked tokens": LANGUAGE_MODELS[:1],
    "fills a mask": LANGUAGE_MODELS[:1],
    "scores sequences": LANGUAGE_MODELS[1:],
}
"""The kinds of assets that have each capability."""

_HUB_TIMEOUT_SECONDS = 20.0
_SINGLE_FILES = (".gguf", ".vec", ".txt", ".npy", ".npz", ".kv", ".gz")


def kinds_for(needs: Iterable[str]) -> tuple[str, ...]:
    """Kinds of assets that have one of several capabilities.

    Examples:
        >>> kinds_for(("scores masked tokens", "scores sequences"))
        ('masked language model', 'causal language model')
    """
    return tuple(dict.fromkeys(kind for need in needs for kind in _KINDS.get(need, ())))


def model_choices(
    kinds: tuple[str, ...], language: str = "", *, installed: bool = True
) -> list[tuple[str, str]]:
    """Named models of some kinds, as ``(label, name)``, in the order of the kinds, then of the catalogue.

    Models whose weights are pickled are left out: these pages load no pickle.

    Args:
        kinds: kinds of assets.
        language: only those of this language; empty for all.
        installed: only those that are on this machine; the others are fetched when they are named.

    Examples:
        >>> all(name == label.split(" ")[0] for label, name in model_choices(("word vectors",)))
        True
    """
    found = [a for kind in kinds for a in list_assets() if a.kind == kind and language in ("", a.language)]
    return [
        (f"{a.name} ({a.language}, {a.kind})", a.name)
        for a in found
        if (
            not _is_pickled(a)
            if is_cached(a)
            else not installed and not any(m.endswith(".bin") for m in a.members)
        )
    ]


def _is_pickled(asset: Asset) -> bool:
    """Whether there are no weights but pickled ones (or none at all, in an incomplete checkout)."""
    files = [path.suffix for path in asset_folder(asset).rglob("*") if path.is_file()]
    is_transformer = asset.kind in (*LANGUAGE_MODELS, "sentence encoder")
    return is_transformer and not {".safetensors", ".gguf"} & set(files)


def allowed_model(spec: str) -> str:
    """Return ``spec`` if a visitor may name it: a named asset or a valid Hub id, never a path or an address.

    Raises:
        InputError: anything else.

    Examples:
        >>> allowed_model("../../etc/passwd")
        Traceback (most recent call last):
            ...
        evaluate_bias.errors.InputError: '../../etc/passwd' is neither a named model nor a Hub id such as 'user/model'
    """
    from huggingface_hub.errors import HFValidationError
    from huggingface_hub.utils import validate_repo_id  # type: ignore[attr-defined]

    spec = (spec or "").strip()
    if spec in {a.name for a in list_assets() if a.is_model}:
        return spec
    try:
        if not re.fullmatch(r"[\w.-]+/[\w.-]+", spec, re.ASCII):
            raise HFValidationError
        validate_repo_id(spec)
    except HFValidationError:
        shown = spec[:MAX_WORD_LENGTH]
        raise InputError(f"{shown!r} is neither a named model nor a Hub id such as 'user/model'") from None
    return spec


def hub_id(text: str) -> str:
    """Return a valid Hub id.

    A visitor's text is never taken for a path: one that happens to be a path here is refused like any other that is
    not a Hub id.

    Raises:
        InputError: it is no such id.

    Examples:
        >>> hub_id(" google-bert/bert-base-uncased ")
        'google-bert/bert-base-uncased'
    """
    spec = allowed_model(text)
    if "/" not in spec or Path(spec).exists():
        raise InputError(f"{spec[:60]!r} is not a Hub id such as 'user/model'")
    return spec


def load_for_visitor(spec: str) -> Any:
    """Load a named asset or a Hub model of bearable size, never a pickle.

    Raises:
        InputError: the name is neither, or the model is too large for this page.
        ModelError: it cannot be loaded.
        AssetError: a named asset cannot be fetched.
    """
    from ..models.load import load_model

    name = allowed_model(spec)
    if name not in {asset.name for asset in list_assets()}:
        name = hub_id(name)
        _refuse_large(name)
    return load_model(name)


def _refuse_large(repo_id: str) -> None:
    """Raise InputError for a repository whose weights are beyond the limit; without the Hub, the cache decides."""
    import huggingface_hub
    from huggingface_hub.errors import HfHubHTTPError

    network = tuple(base for base in HfHubHTTPError.__bases__ if issubclass(base, Exception))
    try:
        info = huggingface_hub.HfApi().model_info(
            repo_id, files_metadata=True, timeout=_HUB_TIMEOUT_SECONDS, token=False
        )
    except network:
        return  # load_model says what is wrong, or finds the model in the cache
    sizes = {s.rfilename: s.size or 0 for s in info.siblings or ()}
    shards = sum(size for name, size in sizes.items() if name.endswith(".safetensors") and "/" not in name)
    largest = max([shards, *(size for name, size in sizes.items() if name.endswith(_SINGLE_FILES))])
    if largest > MAX_HUB_BYTES:
        raise InputError(
            f"{repo_id} has weights of {largest / 1e9:.1f} GB, and this page loads up to "
            f"{MAX_HUB_BYTES / 1e9:.1f} GB; measure it on your own machine"
        )


@dataclass(eq=False, slots=True)
class _Entry:
    model: Any
    lock: threading.Lock = field(default_factory=threading.Lock)


class ModelPool:
    """A few models in memory, the least recently used one making room for the next.

    Loads wait for each other, so that fifty visitors asking for one model load it once; a model serves one request at
    a time.

    Args:
        capacity: number of models kept.
        load: makes a model of a visitor's text.

    Examples:
        >>> pool = ModelPool(load=lambda name: {"she": [1.0]})
        >>> with pool.borrow("anything", Deadline()) as model:
        ...     model
        {'she': [1.0]}
    """

    def __init__(
        self, capacity: int = MODELS_IN_MEMORY, load: Callable[[str], Any] = load_for_visitor
    ) -> None:
        self._capacity, self._load = capacity, load
        self._entries: OrderedDict[str, _Entry] = OrderedDict()
        self._guard, self._loading = threading.Lock(), threading.Lock()

    @contextmanager
    def borrow(self, spec: str, deadline: Deadline) -> Iterator[Any]:
        """Lend the model, loading it first where needed.

        Raises:
            Busy: other requests held it for as long as this one may take.
            BiasError: it cannot be loaded.
        """
        deadline.doing = "opening the model"
        deadline.step(0, 1)
        entry = self._entry(str(spec or "").strip(), deadline)
        with _held(entry.lock, deadline):
            deadline.doing = "measuring"
            yield with_deadline(entry.model, deadline)

    def _entry(self, spec: str, deadline: Deadline) -> _Entry:
        found = self._found(spec)
        if found is not None:
            return found
        with _held(self._loading, deadline):
            found = self._found(spec)
            if found is None:
                found = _Entry(self._load(spec))
                with self._guard:
                    self._entries[spec] = found
                    while len(self._entries) > self._capacity:
                        self._entries.popitem(last=False)
        return found

    def _found(self, spec: str) -> _Entry | None:
        with self._guard:
            if spec in self._entries:
                self._entries.move_to_end(spec)
            return self._entries.get(spec)


@contextmanager
def _held(lock: threading.Lock, deadline: Deadline) -> Iterator[None]:
    if not lock.acquire(timeout=deadline.remaining):
        raise Busy("other visitors are using this model: try again in a minute, or choose another one")
    try:
        yield
    finally:
        lock.release()
