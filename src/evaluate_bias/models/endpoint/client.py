"""Requests to a server with an OpenAI-compatible API: many at a time, each once, within a budget."""

from __future__ import annotations

import asyncio
import contextlib
import functools
import hashlib
import json
import math
import os
import threading
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, ClassVar, Protocol, TypeVar

from pydantic import ValidationError

from ...errors import BudgetError, MeasurementError, ModelError, install_extra, quoted
from ...progress import track
from ..source import imported
from .address import KEY, Address
from .server_reply import ERROR_IN_REPLY, NOT_READY, Refused, ServerReply, read_json, read_reply

CHAT, COMPLETIONS = "/chat/completions", "/completions"
RESUME = "run it again: answers are kept if there is a store"
MAX_FAILURES = 20
"""Requests in a row that the server fails on, after which a run stops. One that is sent again counts once."""
_LONGEST_RETRY_AFTER, _WAITED_BY_OPENAI = 600.0, 120.0
"""Most seconds that are waited if the server asks for it (Retry-After), and those that openai's client waits."""

_T = TypeVar("_T")
_STARTING = threading.Lock()
_GIVING_UP = 5.0
"""Most seconds that cancelled work is waited for."""


class RequestCache(Protocol):
    """A place where complete replies are kept, such as a dict."""

    def get(self, key: str, /) -> Mapping[str, Any] | None:
        """Return the reply to a request, or ``None`` if it was never answered."""

    def __setitem__(self, key: str, reply: dict[str, Any], /) -> None:
        """Keep a reply. It must be there when this returns."""


@dataclass(frozen=True, slots=True)
class ServerRequest:
    """One request: the path, the body without the model's name, and the number of the draw from the same prompt."""

    path: str
    body: Mapping[str, Any]
    draw: int = 0


Sender = Callable[[ServerRequest, bool], Awaitable[tuple[int, str]]]
"""Sends a request, an option tried out or not, and gives the status and the body of the answer."""


@dataclass
class Client:
    """Asks a server. Every reply is kept in ``cache`` at once, and its request is never sent again.

    Args:
        address: where.
        cache: where complete replies are kept.
        concurrency: most requests in flight.
        timeout: seconds until a request is given up, from its first byte to the last byte of the reply.
        ready_timeout: seconds that a server is waited for which answers 502, 503 or 504, as one does that is loading.
        max_retries: how often openai's client sends a request again.
        max_requests: most requests over the client's life, without those sent again. ``None``: no limit.
        max_tokens: most tokens, of prompts and replies, as far as the server counts them.
        until: when every request is given up, by ``time.monotonic``. ``None``: never.

    Attributes:
        requests: how many were sent.
        failed_requests: how many the server failed on, however often they were sent.
        tokens: how many tokens the server counted.
        systems: the path and the fingerprint of every system that answered, in the order they were met. A
            server may name systems of its own on each path, or on one alone.
        dropped_options: options that were requested but not sent on.
    """

    address: Address
    cache: RequestCache
    concurrency: int = 8
    timeout: float = 120.0
    ready_timeout: float = 60.0
    max_retries: int = 4
    max_requests: int | None = None
    max_tokens: int | None = None
    until: float | None = None
    requests: int = 0
    failed_requests: int = 0
    tokens: int = 0
    systems: list[tuple[str, str]] = field(default_factory=list)
    dropped_options: set[str] = field(default_factory=set)
    package: ClassVar[str] = "openai"

    def __post_init__(self) -> None:
        self._key = self.address.key()
        self._secrets: tuple[str, ...] = (self._key,) if self._key else ()
        # By path, when the model was loaded. Part of every key, so that two are never mixed.
        self.system: Mapping[str, str] = {}
        self._failures_in_a_row = 0
        self._last_reply = -math.inf

    def announce(self, n_requests: int, n_rows: int) -> None:
        """Learn how many requests about how many rows are to come. Only a client that counts them needs this."""

    def ask(
        self, requests: Sequence[ServerRequest], what: str = "asking", *, trying: bool = False
    ) -> list[ServerReply | Refused]:
        """Send the requests that are not in the cache, and equal ones once.

        Args:
            requests: the requests.
            what: what is being done, for the progress bar.
            trying: whether an option is tried out. It is then asked again each time, and a server that fails on it
                (5xx) counts as refusing it.

        Returns:
            Per request the server's reply, or why it gave none. A failed request ends everything only after 20
            failures in a row.

        Raises:
            BudgetError: the requests or tokens exceed what is left. Nothing more is sent.
            ModelError: nobody answers, or the key is refused.
            MeasurementError: 20 requests in a row failed, there are too many requests (429), the account has no credit
                (402), the server no longer knows the model (404), or it is not ready in time. Replies so far are in
                the cache.
        """
        keys = [self._key_of(request) for request in requests]
        missing = dict(zip(keys, requests, strict=True))
        stored = {} if trying else {key: self.stored_reply(key) for key in missing}
        replies: dict[str, ServerReply | Refused] = {k: reply for k, reply in stored.items() if reply}
        missing = {key: request for key, request in missing.items() if key not in replies}
        if self.max_requests is not None and self.requests + len(missing) > self.max_requests:
            raise BudgetError(
                f"{len(missing)} requests to {self.address.name} are to be sent, and "
                f"{self.max_requests - self.requests} of `max_requests` ({self.max_requests}) are left",
                option="max_requests",
                hint="raise `max_requests`, or set `limit` to measure less",
            )
        if missing:
            with track(f"{what} {self.address.model}", total=len(missing)) as advance:
                replies |= in_own_loop(lambda: self._ask_all(missing, advance, trying))
        return [replies[key] for key in keys]

    def stored_reply(self, key: str) -> ServerReply | None:
        """Return the cached reply to a request, or ``None`` if it is missing or cannot be read."""
        try:
            return None if (stored := self.cache.get(key)) is None else ServerReply(**stored)
        except (TypeError, ValidationError):
            return None

    def _key_of(self, request: ServerRequest, system: str | None = None) -> str:
        """Return the sha256 of address, path, body (with model, system and seed) and number of the draw."""
        system = self.system.get(request.path, "") if system is None else system
        body = {"model": self.address.model, "system_fingerprint": system, **request.body}
        facts = [self.address.url + self.address.place, request.path, body, request.draw]
        text = json.dumps(facts, sort_keys=True, ensure_ascii=False)
        return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()

    async def _ask_all(
        self, missing: Mapping[str, ServerRequest], advance: Callable[[float], None], trying: bool
    ) -> dict[str, ServerReply | Refused]:
        gate, replies = asyncio.Semaphore(self.concurrency), {}
        async with self._connected() as send:

            async def one(key: str, request: ServerRequest) -> None:
                async with gate:
                    replies[key] = reply = await self._ask_one(send, request, trying)
                if not trying:
                    self._count_failure(reply)
                    if isinstance(reply, ServerReply) and reply.is_complete:
                        self.cache[self._key_of(request, reply.fingerprint)] = asdict(reply)
                advance(1)

            tasks = [asyncio.ensure_future(one(key, request)) for key, request in missing.items()]
            try:
                await asyncio.gather(*tasks)
            finally:
                for task in tasks:
                    task.cancel()
        return replies

    @contextlib.asynccontextmanager
    async def _connected(self) -> AsyncIterator[Sender]:
        """Yield a function that sends a request, for as long as it is needed."""
        imported("openai", f"models behind an address need the openai package: {install_extra('endpoint')}")
        from .sending import connect

        async with connect(self.address.url, self._key, timeout=self.timeout) as server:
            yield functools.partial(self._send, server)

    def _count_failure(self, reply: ServerReply | Refused) -> None:
        """Stop everything if the server fails on every request."""
        if not (isinstance(reply, Refused) and reply.failed):
            self._failures_in_a_row, self._last_reply = 0, time.monotonic()
            return
        self.failed_requests += 1
        self._failures_in_a_row += 1
        if self._failures_in_a_row >= MAX_FAILURES:
            raise MeasurementError(
                f"{self.address.name} failed on {MAX_FAILURES} requests in a row, the last with: {reply.reason}",
                hint=RESUME,
            )

    async def _ask_one(self, send: Sender, request: ServerRequest, trying: bool) -> ServerReply | Refused:
        if self.max_tokens is not None and self.tokens >= self.max_tokens:
            raise BudgetError(
                f"{self.tokens} tokens were used for {self.address.name}, of `max_tokens` ({self.max_tokens})",
                option="max_tokens",
                hint="raise `max_tokens`, or set `limit` to measure less",
            )
        self.requests += 1
        seconds_left = None if self.until is None else max(0.0, self.until - time.monotonic())
        try:
            async with asyncio.timeout(seconds_left):
                status, text = await send(request, trying)
        except TimeoutError:
            raise MeasurementError(
                f"{self.address.name} gave no complete reply within {seconds_left:.3g} s", option="timeout"
            ) from None
        if status != 200:
            return self._refused(status, _message(text), trying)
        try:
            reply = read_reply(read_json(text), request.body)
        except ValueError:
            return Refused(f"the server's reply is longer than 16 MB or cannot be read: {quoted(text[:200])}")
        if isinstance(reply, ServerReply):
            self.tokens += reply.tokens
            if (system := (request.path, reply.fingerprint)) not in self.systems:
                self.systems.append(system)
        return reply

    async def _send(self, server: Any, request: ServerRequest, trying: bool) -> tuple[int, str]:
        """Return status and body of the answer to a request, from a server that is ready.

        Raises:
            MeasurementError: the server is not ready in time.
            ModelError: nobody answers.
        """
        from .sending import post

        body, start = {"model": self.address.model, **request.body}, time.monotonic()
        while True:
            retries = min(self.max_retries, 1) if trying else self.max_retries
            status, text, wait = await post(server, request.path, body, max_retries=retries)
            text, patience = self._without_key(text), 0.0
            if status in NOT_READY:
                patience = self.ready_timeout
            elif wait > _WAITED_BY_OPENAI:
                patience = _LONGEST_RETRY_AFTER
            if time.monotonic() + wait > start + patience:
                break
            await asyncio.sleep(wait)
        if not status:
            advice = "" if trying else f"; {RESUME}"
            raise ModelError(f"no answer from {self.address.url}: {text[:200]}{advice}")
        if status in NOT_READY and self._last_reply < start:  # it is not ready for others either
            raise MeasurementError(
                f"{self.address.name} was not ready within {self.ready_timeout:g} s ({status}: {_message(text)})",
                option="ready_timeout",
                hint=f"raise `ready_timeout`, or {RESUME}",
            )
        return status, text

    def _refused(self, status: int, message: str, trying: bool) -> Refused:
        """Return the error of a refusal, which may concern one request or all."""
        details = f"({message})" if status == ERROR_IN_REPLY else f"({status}: {message})"
        if 300 <= status < 400:
            raise ModelError(
                f"{self.address.url} redirects elsewhere, which is not followed",
                hint="give the address it leads to",
            )
        if status in (401, 403):
            way = "refuses the key" if self._key else "wants a key"
            raise ModelError(f"{self.address.name} {way} {details}", hint=f"set {KEY}")
        of_all = {
            402: (
                "requires payment",
                None,
                f"add credit to the account, then {RESUME}",
            ),
            429: ("gets too many requests", "concurrency", f"lower `concurrency`, then {RESUME}"),
            ERROR_IN_REPLY: ("answered with an error and status 200", None, f"wait, then {RESUME}"),
        }
        if trying:
            of_all[408] = ("did not answer", "timeout", f"raise `timeout`, or {RESUME}")
        else:
            of_all[404] = (
                "no longer knows the model or the path",
                None,
                f"start the server with the same model, then {RESUME}",
            )
        if status in of_all:
            problem, option, hint = of_all[status]
            raise MeasurementError(f"{self.address.name} {problem} {details}", option=option, hint=hint)
        failed = not trying and (status in (408, 409) or status >= 500)
        return Refused(f"the server {'failed on it' if failed else 'refuses it'} {details}", status, failed)

    def _without_key(self, text: str) -> str:
        """Return a text without the key, even if its JSON writes characters of the key as escapes."""
        if not self._secrets:
            return text
        with contextlib.suppress(ValueError):
            text = json.dumps(read_json(text), ensure_ascii=False)
        for secret in self._secrets:
            text = text.replace(json.dumps(secret, ensure_ascii=False)[1:-1], "[key]").replace(
                secret, "[key]"
            )
        return text


def _message(text: str) -> str:
    """Return what a server says about an error, in at most 200 characters."""
    with contextlib.suppress(ValueError):
        body = read_json(text)
        error = body.get("error", body) if isinstance(body, dict) else body
        text = str(error.get("message", error) if isinstance(error, dict) else error)
    return " ".join(text[:1_000].split())[:200] or "no reason given"


# --- one event loop in one thread of ours: a notebook, a page in the browser and other callers have loops already -----


@functools.cache
def _running_loop() -> asyncio.AbstractEventLoop:
    loop = asyncio.new_event_loop()
    threading.Thread(target=loop.run_forever, name="evaluate-bias requests", daemon=True).start()
    return loop


if hasattr(os, "register_at_fork"):  # a forked process has no thread that turns the loop
    os.register_at_fork(after_in_child=_running_loop.cache_clear)


def in_own_loop(work: Callable[[], Awaitable[_T]]) -> _T:
    """Run a coroutine to its end in the loop of this library. An interrupt cancels it.

    Examples:
        >>> in_own_loop(lambda: asyncio.sleep(0, "done"))
        'done'
    """
    ended = threading.Event()

    async def run() -> _T:
        try:
            return await work()
        finally:
            ended.set()

    with _STARTING:
        loop = _running_loop()
    future = asyncio.run_coroutine_threadsafe(run(), loop)
    try:
        return future.result()
    except KeyboardInterrupt:
        future.cancel()
        ended.wait(_GIVING_UP)
        raise
