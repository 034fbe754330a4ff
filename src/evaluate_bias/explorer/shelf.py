"""The models visitors share: loaded once, kept while they are used, one visitor at a time."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..assets import Asset, asset_folder, is_cached, list_assets
from ..errors import InputError
from ..gradio_ui import allowed_model
from .limits import MAX_HUB_BYTES, MODELS_IN_MEMORY, Busy, Watch
from .supervised import supervised

__all__ = [
    "DEFAULT_VECTORS",
    "LANGUAGE_MODELS",
    "TEXT_MODELS",
    "WORD_VECTORS",
    "ModelShelf",
    "hub_id",
    "load_for_visitor",
    "model_choices",
]

DEFAULT_VECTORS = "glove-6b-50d"
WORD_VECTORS = ("word vectors",)
LANGUAGE_MODELS = ("masked language model", "causal language model")
TEXT_MODELS = ("sentence encoder", *LANGUAGE_MODELS)

_HUB_TIMEOUT_SECONDS = 20.0
_SINGLE_FILES = (".gguf", ".vec", ".txt", ".npy", ".npz", ".kv", ".gz")


def model_choices(kinds: tuple[str, ...], language: str = "") -> list[tuple[str, str]]:
    """Named models of some kinds that are on this machine, as ``(label, name)``, in the catalogue's order.

    Models whose weights are pickled are left out: this page loads no pickle.

    Args:
        kinds: kinds of assets.
        language: only those of this language; empty for all.

    Examples:
        >>> all(name == label.split(" ")[0] for label, name in model_choices(("word vectors",)))
        True
    """
    found = [a for a in list_assets() if a.kind in kinds and is_cached(a) and not _is_pickled(a)]
    found = [a for a in found if language in ("", a.language)]
    return [(f"{a.name} ({a.language}, {a.kind})", a.name) for a in found]


def _is_pickled(asset: Asset) -> bool:
    """Whether there are no weights but pickled ones (or none at all, in an incomplete checkout)."""
    files = [path.suffix for path in asset_folder(asset).rglob("*") if path.is_file()]
    is_transformer = asset.kind in (*LANGUAGE_MODELS, "sentence encoder")
    return is_transformer and not {".safetensors", ".gguf"} & set(files)


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


class ModelShelf:
    """A few models in memory, the least recently used one making room for the next.

    Loads wait for each other, so that fifty visitors asking for one model load it once; a model serves one request at
    a time.

    Args:
        capacity: number of models kept.
        load: makes a model of a visitor's text.

    Examples:
        >>> shelf = ModelShelf(load=lambda name: {"she": [1.0]})
        >>> with shelf.use("anything", Watch()) as model:
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
    def use(self, spec: str, watch: Watch) -> Iterator[Any]:
        """Lend the model, loading it first where needed.

        Raises:
            Busy: other requests held it for as long as this one may take.
            BiasError: it cannot be loaded.
        """
        watch.doing = "opening the model"
        watch.step(0, 1)
        entry = self._entry(str(spec or "").strip(), watch)
        with _held(entry.lock, watch):
            watch.doing = "measuring"
            yield supervised(entry.model, watch)

    def _entry(self, spec: str, watch: Watch) -> _Entry:
        found = self._found(spec)
        if found is not None:
            return found
        with _held(self._loading, watch):
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
def _held(lock: threading.Lock, watch: Watch) -> Iterator[None]:
    if not lock.acquire(timeout=watch.remaining):
        raise Busy("other visitors are using this model: try again in a minute, or choose another one")
    try:
        yield
    finally:
        lock.release()
