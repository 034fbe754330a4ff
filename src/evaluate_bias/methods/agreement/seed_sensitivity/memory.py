"""A model that is asked everything once: parts of the same words, measured one after the other, share its passes."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from ....models.base import WrappedModel

_PER_ITEM = (
    "answer_scores",
    "attended_logprobs",
    "complete",
    "embed_in_context",
    "encode",
    "encode_pairs",
    "inference_probabilities",
    "mask_distributions",
    "masked_logprobs",
    "pseudo_logprobs",
    "reply",
    "sequence_logprobs",
    "token_logprobs",
)
"""Doors of a model that answer item by item."""

_BESIDE: Mapping[str, tuple[int | str, ...]] = {
    "embed_in_context": (0, "spans"),
    "pseudo_logprobs": (0, "positions"),
}
"""Which of their further arguments, by place or name, may contain a value for each item."""

_WHOLE = ("cooccurrences", "encode_continuations", "next_sentence_logprobs")
"""Doors whose answers belong to a whole call."""


class RememberingModel(WrappedModel):
    """A model that keeps what it has answered; what it can do stays what it was.

    Examples:
        >>> class Vectors:
        ...     name = "v"
        ...     def embed_words(self, words):
        ...         print(words)
        ...         return np.ones((len(words), 2)), []
        >>> model = RememberingModel(Vectors())
        >>> [len(model.embed_words(words)[0]) for words in (["a", "b"], ["b"], ["b", "c"])]
        ['a', 'b']
        ['c']
        [2, 1, 2]
    """

    def __init__(self, model: Any) -> None:
        super().__init__(model)
        self._kept: dict[Hashable, Any] = {}

    def __getattr__(self, name: str) -> Any:
        value = super().__getattr__(name)
        if name == "embed_words":
            return self._embed_words
        if name in _PER_ITEM:
            return partial(self._ask_by_item, name, value)
        return partial(self._ask_once, name, value) if name in _WHOLE else value

    def provenance(self) -> Mapping[str, Any]:
        """The model's own."""
        facts: Mapping[str, Any] = self._ask_once("provenance", self._model.provenance)
        return facts

    def _embed_words(self, words: Sequence[str]) -> tuple[Any, list[int]]:
        new = [w for w in dict.fromkeys(words) if ("word", w) not in self._kept]
        if new or not words:
            vectors, missing = self._model.embed_words(new)
            lost = set(missing)
            self._kept["dimension"] = np.asarray(vectors)[:0]
            rows = iter(vectors)
            for place, word in enumerate(new):
                self._kept["word", word] = None if place in lost else next(rows)
        rows_of_words = [self._kept["word", w] for w in words]
        known_vectors = [v for v in rows_of_words if v is not None]
        return np.stack(known_vectors) if known_vectors else self._kept["dimension"], [
            i for i, v in enumerate(rows_of_words) if v is None
        ]

    def _ask_by_item(self, name: str, method: Any, items: Sequence[Any], /, *args: Any, **kwargs: Any) -> Any:
        # An argument with a value for each item goes along with its item; any other is the same for all.
        arguments: dict[Any, Any] = {**dict(enumerate(args)), **kwargs}
        beside = {
            k: arguments[k] for k in _BESIDE.get(name, ()) if k in arguments and _listed(arguments[k], items)
        }
        rest = {k: None if k in beside else v for k, v in arguments.items()}
        keys = [_key((name, item, [v[i] for v in beside.values()], rest)) for i, item in enumerate(items)]
        new = {key: i for i, key in reversed(list(enumerate(keys))) if key not in self._kept}
        if new or not len(items):
            at = sorted(new.values())
            chosen = {k: [v[i] for i in at] if k in beside else v for k, v in arguments.items()}
            in_order, keywords = [chosen[k] for k in range(len(args))], {k: chosen[k] for k in kwargs}
            answers = method([items[i] for i in at], *in_order, **keywords)
            self._kept |= {keys[i]: answer for i, answer in zip(at, answers, strict=True)}
        return [self._kept[key] for key in keys]

    def _ask_once(self, name: str, method: Any, /, *args: Any, **kwargs: Any) -> Any:
        key = _key((name, args, kwargs))
        if key not in self._kept:
            self._kept[key] = method(*args, **kwargs)
        return self._kept[key]


def _key(value: Any) -> Hashable:
    """The same for two values that ask the same."""
    if isinstance(value, Mapping):
        return tuple((_key(k), _key(v)) for k, v in value.items())
    if isinstance(value, (list, tuple)):
        return tuple(map(_key, value))
    if isinstance(value, np.ndarray):
        return (value.shape, value.dtype.str, value.tobytes())
    return value if value.__hash__ is not None else repr(value)


def _listed(value: Any, items: Sequence[Any]) -> bool:
    return not isinstance(value, str) and isinstance(value, Sequence) and len(value) == len(items)
