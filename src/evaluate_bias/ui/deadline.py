"""Models with a deadline: the same numbers, in portions, with progress and a look at the clock between them."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from ..models.base import WrappedModel
from ..models.chat import ChatLM
from ..models.completions import GenerationSettings
from ..models.endpoint.model import ServedModel
from ..models.engine import TransformerModel
from ..models.score_memo import ScoreMemo
from .limits import Deadline

PORTION = 32
"""Texts scored between two looks at the clock."""
_PORTION_TOKENS = 2_048
"""Most tokens that are written between two looks."""

_PARALLEL = {
    "embed_words": 0,
    "encode": 0,
    "embed_in_context": 2,
    "pseudo_logprobs": 2,
    "masked_logprobs": 1,
    "token_logprobs": 1,
    "attended_logprobs": 1,
    "sequence_logprobs": 1,
    "mask_distributions": 1,
    "complete": 1,
    "reply": 1,
}
"""What a model does, and how many of the arguments hold one entry per text; with none, it is done at once."""

_MOST_KEPT = 2**26
"""Bytes of scores that the methods of one request share."""


def with_deadline(model: Any, deadline: Deadline) -> Any:
    """Return ``model`` for one request: it reports progress and stops when the request's time is used up.

    A transformer gets a scorer of its own around the shared weights, so that what one visitor's text makes it warn
    about is not shown to another. The methods of the request share its passes. A server's answer is given up in
    time.
    """
    if isinstance(model, ServedModel):
        model = model.until(time.monotonic() + deadline.remaining)
    if isinstance(model, TransformerModel):
        shared = model
        model = type(shared)(shared.model, shared.tokenizer, shared.source, progress=False)
        if isinstance(shared, ChatLM):
            model.template = shared.template
        model.memo = ScoreMemo(_MOST_KEPT)
    return _Timed(model, deadline) if any(hasattr(model, name) for name in _PARALLEL) else model


class _Timed(WrappedModel):
    """A model that is read in portions."""

    def __init__(self, model: Any, deadline: Deadline) -> None:
        super().__init__(model)
        self._deadline = deadline

    def __getattr__(self, name: str) -> Any:
        value = super().__getattr__(name)
        return partial(self._read_in_portions, name, value) if name in _PARALLEL else value

    def _read_in_portions(self, name: str, method: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Any:
        parallel = _PARALLEL[name]
        if not parallel:
            self._deadline.step(0, 1)
            return method(*args, **kwargs)
        out: list[Any] = []
        total = len(args[0])
        settings = next((one for one in args[1:] if isinstance(one, GenerationSettings)), None)
        tokens = settings.n * settings.max_new_tokens if settings else 1
        size = max(1, min(PORTION, _PORTION_TOKENS // tokens))
        for start in range(0, total, size):
            self._deadline.step(start, total)
            portion = [_part(a, start, size) if i < parallel else a for i, a in enumerate(args)]
            out.extend(method(*portion, **kwargs))
        return out


def _part(values: Sequence[Any] | None, start: int, size: int) -> Any:
    return values if values is None or isinstance(values, str) else values[start : start + size]
