"""What stands between the network and the page: size of requests, outside connections, files a visitor may name."""

from __future__ import annotations

import atexit
import contextlib
import functools
import json
import os
import tempfile
from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from pathlib import Path
from typing import Any

from ..assets.scratch import scratch_folder
from ..errors import InputError, quoted
from ..files import is_inside
from .limits import MAX_BODY_BYTES, MAX_UPLOAD_BYTES, MAX_UPLOADS_BYTES

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]

_LEAST_BYTES = 2**16
_UPLOADS = "uploads/"
_UPLOAD = "/gradio_api/upload"
NO_UPLOAD = "there is no such upload"
"""The whole answer, whatever else lies under that name on this machine."""
_CLOSED = ("/gradio_api/deep_link",)
"""What gradio serves whether a page uses it or not, and keeps on the disk."""
_FULL = b"there is no room for another file now: each is deleted about an hour after it arrived, so try again later"
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
    """ASGI middleware: bounds every request, uploads by limits of their own and of all together, and sets headers.

    An upload that breaks off leaves nothing behind.

    The content policy keeps the browser from loading anything from elsewhere. An upload is answered with a name in
    place of the folder of this machine that it lies in, see :func:`mask_path`.
    """

    def __init__(self, app: Callable[[Scope, Receive, Send], Awaitable[None]]) -> None:
        self._app = app
        self._arriving = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass one connection on."""
        from starlette.formparsers import MultiPartException  # after which gradio deletes what has arrived

        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        path = str(scope["path"])
        is_upload = path.rstrip("/").endswith(_UPLOAD)
        most = MAX_UPLOAD_BYTES if is_upload else MAX_BODY_BYTES
        if _announced(scope) > most:
            await _refuse(send, 413, b"request too large")
            return
        if path.rstrip("/").endswith(_CLOSED):
            await _refuse(send, 404, b"there is no such page")
            return
        before, is_file, file = path.partition("/file=")
        if is_file and "://" in file:
            await _refuse(send, 403, b"files are uploaded here, not fetched from an address")
            return
        n_bytes = 0

        async def counted() -> Message:
            nonlocal n_bytes
            message = await receive()
            n_bytes += len(message.get("body", b""))
            if n_bytes > most:
                raise MultiPartException("the request is longer than the maximum allowed size")
            if is_upload and message["type"] == "http.disconnect":
                raise MultiPartException("the upload broke off")
            return message

        answer: list[Message] = []

        async def answered(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message.get("headers", ()), *_HEADERS]
            if not is_upload:
                await send(message)
                return
            answer.append(message)
            if message["type"] == "http.response.body" and not message.get("more_body"):
                for part in _hide_folder(answer):
                    await send(part)

        if is_file and file.startswith(_UPLOADS):
            if (upload := find_upload(file)) is None:
                await _refuse(send, 404, NO_UPLOAD.encode())
                return
            scope = {**scope, "path": f"{before}/file={upload}"}
        if not is_upload:
            await self._app(scope, counted, answered)
            return
        size = _announced(scope) or most
        if used_bytes(upload_folder()) + self._arriving + size > MAX_UPLOADS_BYTES:
            await _refuse(send, 507, _FULL)
            return
        self._arriving += size
        try:
            await self._app(scope, counted, answered)
        finally:
            self._arriving -= size


def _announced(scope: Scope) -> int:
    """The length a request says it has, 0 when it does not say."""
    length = dict(scope["headers"]).get(b"content-length", b"0")
    return int(length) if length.isdigit() else 0


async def _refuse(send: Send, status: int, why: bytes) -> None:
    await send({"type": "http.response.start", "status": status, "headers": list(_HEADERS)})
    await send({"type": "http.response.body", "body": why})


def _hide_folder(answer: list[Message]) -> list[Message]:
    """The answer to an upload, without the folder where it lies."""
    start, body = answer[0], b"".join(message.get("body", b"") for message in answer[1:])
    if start["status"] == 200:
        body = json.dumps([mask_path(path) for path in json.loads(body)]).encode()
    headers = [(name, value) for name, value in start["headers"] if name != b"content-length"]
    start["headers"] = [*headers, (b"content-length", str(len(body)).encode())]
    return [start, {"type": "http.response.body", "body": body}]


def mask_path(path: str) -> str:
    """Return what visitors are told an upload is called: its path within the folder of uploads.

    Examples:
        >>> mask_path(f"{upload_folder()}/8f00b204/mine.vec")
        'uploads/8f00b204/mine.vec'
    """
    return f"{_UPLOADS}{path.removeprefix(f'{upload_folder()}/')}"


def find_upload(name: str) -> Path | None:
    """Return the file that a visitor names, or ``None`` if it is not a file in the folder of uploads.

    Examples:
        >>> find_upload("uploads/8f00b204/mine.vec") is None, find_upload("uploads/../mine.vec") is None
        (True, True)
    """
    try:
        path = Path(upload_folder(), name.removeprefix(_UPLOADS)).resolve()
    except (OSError, ValueError):  # a name that no file can have
        return None
    return path if is_inside(path, upload_folder()) and path.is_file() else None


def check_number(what: str, value: Any, *, whole: bool) -> None:
    """Refuse what is no number, or no whole one: a request may hold anything.

    Examples:
        >>> check_number("items", 1.7, whole=True)
        Traceback (most recent call last):
        evaluate_bias.errors.InputError: `items` must be an integer, got 1.7
    """
    number = isinstance(value, (int, float)) and not isinstance(value, bool)
    if value is not None and not (number and (not whole or float(value).is_integer())):
        raise InputError(
            f"`{what}` must be {'an integer' if whole else 'a number'}, got {quoted(value)}", option=what
        )


def uploads_only(value: Any, *, accepts_files: bool) -> Any:
    """Return a request's input with the paths of uploads in place of the names that visitors are told.

    Gradio downloads a file whose path is an address of the web, and answers with the full path of an upload, whatever
    component they are sent to.

    Args:
        value: what was sent to a component.
        accepts_files: whether the component is a field for files.

    Raises:
        InputError: there is a file in it that was not uploaded, or one where no file belongs.

    Examples:
        >>> uploads_only([{"path": "http://127.0.0.1/secret"}], accepts_files=True)
        Traceback (most recent call last):
        evaluate_bias.errors.InputError: there is no such upload; upload the file again
    """
    if isinstance(value, Mapping):
        checked_input = {
            key: uploads_only(inner, accepts_files=accepts_files) for key, inner in value.items()
        }
        if not isinstance(path := value.get("path"), str):
            return checked_input
        if not accepts_files:
            raise InputError("this field does not accept files")
        if (upload := find_upload(path)) is None:
            raise InputError(NO_UPLOAD, hint="upload the file again")
        return {**checked_input, "path": str(upload)}
    if isinstance(value, list | tuple):
        return [uploads_only(inner, accepts_files=accepts_files) for inner in value]
    return value


@functools.cache
def upload_folder() -> Path:
    """Make the folder that gradio puts uploads into, and remove those of processes that have ended.

    Raises:
        OutputError: the temporary folder cannot be written.
    """
    home = Path(os.environ.get("GRADIO_TEMP_DIR") or tempfile.gettempdir()).resolve()
    home.mkdir(parents=True, exist_ok=True)
    until_exit = contextlib.ExitStack()
    folder = until_exit.enter_context(scratch_folder(home, "evaluate-bias-uploads-"))
    os.environ["GRADIO_TEMP_DIR"] = str(folder)
    atexit.register(until_exit.close)
    return folder


def used_bytes(folder: Path) -> int:
    """Bytes of all uploads, a small one counted as 64 KiB, so that their number is bounded with their size."""
    total = 0
    for where, _, names in os.walk(folder):
        for name in names:
            try:
                size = Path(where, name).stat().st_size
            except FileNotFoundError:  # deleted meanwhile
                continue
            total += max(_LEAST_BYTES, size)
    return total
