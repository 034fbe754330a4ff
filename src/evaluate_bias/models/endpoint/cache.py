"""Replies of a server by request, so that a rerun asks nothing twice."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any, Protocol


class RequestCache(Protocol):
    """Where complete replies are kept."""

    def get(self, key: str) -> Mapping[str, Any] | None:
        """The reply to a request, or ``None`` where it was never answered."""

    def put(self, key: str, reply: Mapping[str, Any]) -> None:
        """Keep a reply; it must be there when this returns."""


class MemoryCache(dict[str, Mapping[str, Any]]):
    """Replies of this process."""

    def put(self, key: str, reply: Mapping[str, Any]) -> None:
        """Keep a reply."""
        self[key] = reply


def request_key(url: str, path: str, body: Mapping[str, Any], draw: int) -> str:
    """The key of a request: the sha256 of address, path, body (with model and seed) and number of the draw.

    Examples:
        >>> request_key("http://a/v1", "/chat/completions", {"model": "m", "seed": 1}, 0)[:8]
        '8c23f99f'
    """
    text = json.dumps([url, path, body, draw], sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
