"""What stands between the network and the page: size of requests, outside connections, files a visitor may name."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from typing import Any

from ..errors import InputError
from .limits import MAX_BODY_BYTES

__all__ = ["Guard", "refuse_addresses"]

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]

_POLICY = (
    "default-src 'self' data: blob:; script-src 'self' 'unsafe-inline' 'unsafe-eval' blob:; "
    "style-src 'self' 'unsafe-inline'; object-src 'none'; base-uri 'self'; form-action 'self'"
)
_HEADERS = (
    (b"content-security-policy", _POLICY.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
)


class Guard:
    """ASGI middleware: bounds every request but uploads, which have a limit of their own, and sets headers.

    The content policy keeps the browser from loading anything from elsewhere.
    """

    def __init__(self, app: Callable[[Scope, Receive, Send], Awaitable[None]]) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass one connection on."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        unbounded = str(scope["path"]).endswith("/upload")
        if not unbounded and _announced(scope) > MAX_BODY_BYTES:
            await _refuse(send)
            return
        arrived = 0

        async def counted() -> Message:
            nonlocal arrived
            message = await receive()
            arrived += len(message.get("body", b""))
            if arrived > MAX_BODY_BYTES and not unbounded:
                raise ValueError("the request is longer than it said")
            return message

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message.get("headers", ()), *_HEADERS]
            await send(message)

        await self._app(scope, counted, with_headers)


def _announced(scope: Scope) -> int:
    """The length a request says it has, 0 when it does not say."""
    length = dict(scope["headers"]).get(b"content-length", b"0")
    return int(length) if length.isdigit() else 0


async def _refuse(send: Send) -> None:
    await send({"type": "http.response.start", "status": 413, "headers": list(_HEADERS)})
    await send({"type": "http.response.body", "body": b"request too large"})


def refuse_addresses(value: Any) -> None:
    """Look through a request's input for files that are not uploads.

    Gradio downloads a file whose path is an address of the web, whatever component it is sent to.

    Raises:
        InputError: there is one.

    Examples:
        >>> refuse_addresses([{"path": "http://127.0.0.1/secret", "meta": {"_type": "gradio.FileData"}}])
        Traceback (most recent call last):
        evaluate_bias.errors.InputError: files are uploaded here, not fetched from an address
    """
    if isinstance(value, Mapping):
        path = value.get("path")
        if isinstance(path, str) and "://" in path:
            raise InputError("files are uploaded here, not fetched from an address")
        for inner in value.values():
            refuse_addresses(inner)
    elif isinstance(value, (list, tuple)):
        for inner in value:
            refuse_addresses(inner)
