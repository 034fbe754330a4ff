"""The models visitors share: loaded once, kept while they are used, one visitor at a time."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

from ..assets import Asset, asset_folder, is_cached, list_assets
from ..errors import InputError
from ..models._hub import find_repo
from ..models.base import Capability, can
from ..models.kinds import kinds_of
from .guard import (
    QUEUE_LENGTH,
    Busy,
    Deadline,
    allowed_model,
    is_named,
    with_deadline,
)

MAX_HUB_BYTES = 2 * 2**30
WAIT_SECONDS = 120.0
MODELS_IN_MEMORY = 3
MAX_REPLY_TOKENS = 24  # of the models in the list, which repeat the option that they choose

WORD_VECTORS = ("word vectors",)
LANGUAGE_MODELS = ("masked language model", "causal language model")
TEXT_MODELS = ("sentence encoder", *LANGUAGE_MODELS)

_SINGLE_FILES = (".gguf", ".vec", ".txt", ".npy", ".npz", ".kv", ".gz")


def kinds_for(needs: Iterable[str]) -> tuple[str, ...]:
    """Return the kinds of assets that have one of several capabilities.

    Examples:
        >>> kinds_for(("scores masked tokens", "scores sequences"))
        ('masked language model', 'causal language model')
    """
    kinds = (kind.asset_kind for need in needs for kind in kinds_of() if can(kind, need))
    return tuple(dict.fromkeys(filter(None, kinds)))


def model_choices(
    kinds: tuple[str, ...], language: str = "", *, installed: bool = True
) -> list[tuple[str, str]]:
    """Return named models of some kinds as ``(label, name)``, in the order of the kinds, then of the catalogue.

    Models whose weights are pickled are omitted: these pages load no pickle.

    Args:
        kinds: kinds of assets.
        language: only assets of this language, or empty for all.
        installed: only models that are on this machine. Others are fetched when they are named.

    Examples:
        >>> all(name == label.split(" ")[0] for label, name in model_choices(("word vectors",)))
        True
    """
    assets = [a for kind in kinds for a in list_assets() if a.kind == kind and language in ("", a.language)]
    return [
        (f"{a.name} ({a.language}, {a.kind})", a.name)
        for a in assets
        if (
            not _is_pickled(a)
            if is_cached(a)
            else not installed and not any(m.endswith(".bin") for m in a.members)
        )
    ]


def _is_pickled(asset: Asset) -> bool:
    """True if all weights are pickled (or missing, in an incomplete checkout)."""
    files = [path.suffix for path in asset_folder(asset).rglob("*") if path.is_file()]
    is_transformer = asset.kind in (*LANGUAGE_MODELS, "sentence encoder")
    return is_transformer and not {".safetensors", ".gguf"} & set(files)


def load_for_visitor(spec: str) -> Any:
    """Load a named asset or a Hub model of bearable size, never a pickle.

    Raises:
        InputError: the name is neither, or the model is too large for this page.
        ModelError: it cannot be loaded.
        AssetError: a named asset cannot be fetched.
    """
    from ..models.chat import ChatLM
    from ..models.limited_template import LimitedRenderer
    from ..models.load import load_model

    name = allowed_model(spec)
    is_asset = is_named(name)
    if not is_asset:
        _refuse_large(name)
    model = load_model(name)
    if isinstance(model, ChatLM) and is_asset:
        options = replace(model.template.options, reply_tokens=MAX_REPLY_TOKENS)
        model.template = replace(model.template, options=options)
    elif isinstance(model, ChatLM):
        model.template = replace(model.template, renderer=LimitedRenderer())
    return model


def _refuse_large(repo_id: str) -> None:
    """Raise InputError for a repository whose weights exceed the limit."""
    sizes = find_repo(repo_id, None, token=False).files
    shards = sum(size for name, size in sizes.items() if name.endswith(".safetensors") and "/" not in name)
    largest = max([shards, *(size for name, size in sizes.items() if name.endswith(_SINGLE_FILES))])
    if largest > MAX_HUB_BYTES:
        raise InputError(
            f"{repo_id} has weights of {largest / 1e9:.1f} GB, and this page loads up to {MAX_HUB_BYTES / 1e9:.1f} "
            "GB",
            hint="measure it on your own machine",
        )


@dataclass(eq=False, slots=True)
class _Place:
    """A place in memory. ``model`` is ``None`` while it is being loaded."""

    model: Any = None
    busy: bool = False


class ModelPool:
    """A few models in memory, the least recently used one making room for the next.

    A model serves one request at a time, and is loaded once however many ask for it. Requests are served in the order
    in which they came. A request that waits for a busy model lets requests for other models pass. There are never
    more models in memory than the pool has places.

    Attributes:
        own_model: the name of a model that pages offer first, and its kinds, see :func:`pool_with`. Empty without
            one.

    Args:
        capacity: number of models kept.
        load: makes a model of a visitor's text.
        wait: seconds that a request waits for others.

    Examples:
        >>> pool = ModelPool(load=lambda name: {"she": [1.0]})
        >>> with pool.borrow("anything", Deadline()) as model:
        ...     model
        {'she': [1.0]}
    """

    def __init__(
        self,
        capacity: int = MODELS_IN_MEMORY,
        load: Callable[[str], Any] = load_for_visitor,
        wait: float = WAIT_SECONDS,
    ) -> None:
        self.own_model: tuple[str, tuple[str, ...]] = ("", ())
        self._capacity, self._load, self._seconds = capacity, load, wait
        self._places: OrderedDict[Hashable, _Place] = OrderedDict()
        self._waiting: list[tuple[object, Hashable]] = []
        self._changed = threading.Condition()

    @contextmanager
    def borrow(self, spec: str, deadline: Deadline) -> Iterator[Any]:
        """Lend the model, and load it first if needed.

        Raises:
            Busy: other requests held it for too long, or too many wait.
            BiasError: it cannot be loaded.
        """
        name = str(spec or "").strip()
        with self._lend(name, lambda: self._load(name), deadline) as model:
            yield model

    @contextmanager
    def borrow_served(self, address: str, options: Mapping[str, Any], deadline: Deadline) -> Iterator[Any]:
        """Lend the served model of whoever runs the page. No visitor can name one.

        A server answers many at a time, so visitors wait for one another only while it is asked what it can do.

        Raises:
            Busy: other requests held it for too long, or too many wait.
            BiasError: it does not answer.
        """
        from ..models.load import load_model

        with self._lend(("served", address), lambda: load_model(address, **options), deadline) as model:
            pass
        yield model

    @contextmanager
    def borrow_upload(self, path: str, load: Callable[[str], Any], deadline: Deadline) -> Iterator[Any]:
        """Lend what a visitor uploaded, which takes a place in memory too and is not kept there.

        Raises:
            Busy: every place was taken for too long, or too many wait.
            BiasError: it cannot be read.
        """
        key = object()
        try:
            with self._lend(key, lambda: load(path), deadline) as model:
                yield model
        finally:
            with self._changed:
                self._places.pop(key, None)
                self._changed.notify_all()

    @contextmanager
    def _lend(self, key: Hashable, load: Callable[[], Any], deadline: Deadline) -> Iterator[Any]:
        deadline.step(0, 1)
        with self._changed:
            place = self._take(key, deadline)
        try:
            if place.model is None:
                deadline.doing = "opening the model"
                deadline.step(0, 1)
                place.model = load()
            deadline.doing = "measuring"
            yield with_deadline(place.model, deadline)
        finally:
            with self._changed:
                place.busy = False
                if place.model is None:  # it could not be loaded
                    del self._places[key]
                self._changed.notify_all()

    def _take(self, key: Hashable, deadline: Deadline) -> _Place:
        """Wait for the model's place, or for room for a new one. The caller has the lock."""
        if len(self._waiting) >= QUEUE_LENGTH:
            raise Busy("too many requests are waiting: try again in a minute")
        mine = (object(), key)
        self._waiting.append(mine)

        def is_next() -> bool:
            return mine == next((one for one in self._waiting if self._has_place(one[1])), None)

        try:
            if not is_next():
                # Whoever holds it: perhaps this visitor, with a click before.
                with deadline.paused("waiting for a model that is in use"):
                    if not self._changed.wait_for(is_next, self._seconds):
                        raise Busy("the model is in use: try again in a minute, or choose another one")
        finally:
            self._waiting.remove(mine)
        place = self._places.setdefault(key, _Place())
        place.busy = True
        self._places.move_to_end(key)
        if len(self._places) > self._capacity:
            del self._places[next(other for other, one in self._places.items() if not one.busy)]
        self._changed.notify_all()  # another model may be free for the next in the queue
        return place

    def _has_place(self, key: Hashable) -> bool:
        """True if the model is in memory and free, or if there is room for it."""
        if key in self._places:
            return not self._places[key].busy
        return len(self._places) < self._capacity or any(not one.busy for one in self._places.values())


def pool_with(spec: Any) -> ModelPool:
    """Return a pool that also lends a model of this machine: a folder, a file, whatever ``load_model`` accepts.

    It is for pages that only its owner sees. What visitors may name does not change.

    Raises:
        BiasError: it cannot be loaded.

    Examples:
        >>> pool_with({"she": [1.0, 0.0]}).own_model
        ('mapping', ('word vectors', 'sentence encoder'))
    """
    from ..models.load import load_model

    model = load_model(spec)
    needs = [capability for capability in Capability if can(model, capability)]
    # The first kind that has a capability is the one it is typical of.
    kinds = tuple(dict.fromkeys(kind for need in needs for kind in kinds_for((need,))[:1]))
    name = str(model.name)
    pool = ModelPool(load=lambda text: model if text == name else load_for_visitor(text))
    pool.own_model = (name, kinds)
    return pool
