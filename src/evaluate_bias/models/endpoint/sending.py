"""Requests by openai's client, which sends them again if that may help, over connections with limits.

The module is imported when a server is asked, because openai need not be installed.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Mapping
from typing import Any

import openai

from .server_reply import ERROR_IN_REPLY, NOT_READY, read_json

MOST_BYTES = 16 * 2**20
"""Size of the longest reply that is read."""
_DEFAULT_WAIT = 1.0


class _LimitedConnections(openai.DefaultAsyncHttpxClient):
    """Connections that limit size and time of an answer, and send no header that openai's client adds.

    Args:
        key: the key, or ``None`` to send none.
        is_tls: whether the address uses https.
        timeout: seconds until an answer must be complete. Timeouts of HTTP libraries only limit the time between two
            bytes.
    """

    def __init__(self, key: str | None, *, is_tls: bool, timeout: float) -> None:
        super().__init__(
            follow_redirects=False,
            timeout=None,
            trust_env=is_tls,  # a proxy would get texts and key in clear
            verify=is_tls,  # reading certificates, if none is needed, takes longer than a request
        )
        self._key, self._seconds = key, timeout

    async def send(self, request: Any, **options: Any) -> Any:
        # What the client takes from its own environment variables is for its own host.
        request.headers.clear()
        request.headers.update(
            {"Host": request.url.netloc.decode(), "User-Agent": "evaluate-bias", "Accept": "application/json",
             "Accept-Encoding": "identity", "Content-Type": "application/json",
             "Content-Length": str(len(request.content)),
             **({"Authorization": f"Bearer {self._key}"} if self._key else {})}
        )  # fmt: skip
        body = bytearray()
        try:
            async with asyncio.timeout(self._seconds):
                answer = await super().send(request, **{**options, "stream": True})
                try:
                    async for part in answer.aiter_raw():
                        body += part
                        if len(body) > MOST_BYTES:
                            break
                finally:
                    await answer.aclose()
        except TimeoutError:
            raise openai.APITimeoutError(request) from None
        status = _status_of(bytes(body)) if answer.status_code == 200 else answer.status_code
        headers = {"content-type": "application/json; charset=utf-8"}
        if "retry-after" in answer.headers:
            headers["retry-after"] = answer.headers["retry-after"]
        if status in NOT_READY:  # waited for by the caller, as long as its user says
            headers["x-should-retry"] = "false"
        return type(answer)(status, headers=headers, content=bytes(body), request=request)


def connect(url: str, key: str | None, *, timeout: float) -> openai.AsyncOpenAI:
    """Return a client for an address."""
    connections = _LimitedConnections(key, is_tls=url.lower().startswith("https:"), timeout=timeout)
    return openai.AsyncOpenAI(base_url=url, api_key=key or "none", timeout=None, http_client=connections)


async def post(
    server: openai.AsyncOpenAI, path: str, body: Mapping[str, Any], *, max_retries: int
) -> tuple[int, str, float]:
    """Send a request, and send it again after 408, 409, 429, 500, 501, 505 and above, and a broken connection.

    Returns:
        Status and text of the answer, and the seconds after which the server wants to be asked again. The status is 0
        if nobody answers, and 408 if no complete answer came in time.
    """
    # Errors are not chained: they carry what the server said, and it may echo a key.
    try:
        # The typed calls of the client take longer over a request than all else that is done here.
        text = await server.post(path, cast_to=str, body=body, options={"max_retries": max_retries})
    except openai.APIStatusError as error:
        try:
            wait = float(error.response.headers.get("retry-after", ""))
        except ValueError:
            wait = math.nan
        return error.status_code, error.response.text, wait if wait >= 0 else _DEFAULT_WAIT
    except openai.APIConnectionError as error:
        # Older clients wrap an error that is raised while they send.
        if isinstance(error.__cause__ or error, openai.APITimeoutError):
            return 408, "no complete reply in time: raise `timeout`", 0.0
        return 0, str(error.__cause__ or error)[:200] or "the connection failed", 0.0
    return 200, text, 0.0


def _status_of(body: bytes) -> int:
    """Return 200, or the status of an error that was sent with status 200: its code if it names one.

    Examples:
        >>> _status_of(b'{"choices": []}'), _status_of(b'{"error": {"code": 402}}'), _status_of(b'{"error": "busy"}')
        (200, 402, 599)
    """
    if b'"error"' not in body:
        return 200
    try:
        reply = read_json(body)
    except ValueError:
        return 200  # read as any reply is, and refused
    error = reply.get("error") if isinstance(reply, dict) else None
    if not error or "choices" in reply:
        return 200
    code = error.get("code", error.get("status")) if isinstance(error, dict) else None
    return code if isinstance(code, int) and 400 <= code < 600 else ERROR_IN_REPLY
