"""How many requests a measurement will make, found by making it with stand-ins for replies."""

from __future__ import annotations

import copy
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from .client import CHAT, Client, ServerRequest
from .model import ServedModel

_M = TypeVar("_M", bound=ServedModel)


@dataclass
class CountingClient(Client):
    """A client that sends nothing: what is not in the cache is counted once and answered with a stand-in.

    Examples:
        >>> from .address import parse_address
        >>> client = CountingClient(parse_address("endpoint:http://127.0.0.1:1/v1#m"), {})
        >>> requests = [ServerRequest("/completions", {"prompt": text}) for text in ("A.", "B.", "A.")]
        >>> client.ask(requests)[0]["choices"][0]["text"], client.requests
        (' A', 2)
    """

    seen: set[str] = field(default_factory=set)

    def ask(
        self, requests: Sequence[ServerRequest], what: str = "", *, trying: bool = False
    ) -> list[dict[str, Any] | Any]:
        """Count what is not in the cache."""
        replies = []
        for request in requests:
            key = self._key_of(request)
            kept = self.cache.get(key)
            if kept is None and key not in self.seen:
                self.seen.add(key)
                self.requests += 1
            replies.append(_stand_in(request) if kept is None else dict(kept))
        return replies


def counting(model: _M) -> _M:
    """The model with a client that counts, over the same cache."""
    counted = copy.copy(model)
    counted.client = client = CountingClient(model.client.address, model.client.cache)
    client.system = model.client.system
    return counted


def _stand_in(request: ServerRequest) -> dict[str, Any]:
    """A reply of the form that was asked for, which says nothing."""
    choice: dict[str, Any] = {"finish_reason": "stop"}
    if request.path == CHAT:
        top = [{"token": "A", "logprob": -1.0}]
        choice["message"] = {"role": "assistant", "content": "A"}
        choice["logprobs"] = {"content": [{"token": "A", "logprob": -1.0, "top_logprobs": top}]}
        return {"choices": [choice]}
    tokens = re.findall(r"\s*\S+|\s+", request.body["prompt"])
    choice["text"] = " A"
    if request.body.get("echo"):
        choice["logprobs"] = {"tokens": tokens, "token_logprobs": [None, *[-1.0] * (len(tokens) - 1)]}
    if "prompt_logprobs" in request.body:
        choice["prompt_logprobs"] = [None, *({"0": {"decoded_token": t, "logprob": -1.0}} for t in tokens)]
    return {"choices": [choice]}
