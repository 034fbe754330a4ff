"""Requests to a server of the OpenAI dialect: many at a time, each asked once, within a budget, the key kept secret."""

from __future__ import annotations

import asyncio
import contextlib
import functools
import hashlib
import itertools
import json
import math
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Protocol
from urllib.parse import urlsplit

from ...errors import BudgetError, MeasurementError, ModelError, install_extra, quoted
from ...progress import track
from ..source import imported
from .address import KEY, Address
from .own_loop import in_own_loop
from .server_reply import FAILED, Refused, ServerReply, read_json, read_reply


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


CHAT, COMPLETIONS = "/chat/completions", "/completions"
MOST_BYTES = 16 * 2**20
"""Size of the longest reply that is read."""
_NOT_READY = (502, 503, 504)
_AGAIN = (408, 409, 429)
_FIRST_WAIT, _LONGEST_WAIT = 0.5, 8.0
RESUME = "what was answered is kept where there is a store: run it again"
_ERROR_IN_REPLY = 599
"""What stands for an error without a code that was sent with status 200."""
MAX_FAILURES = 20
"""Requests in a row that the server fails on, after which a run stops; one that is sent again counts once."""


@dataclass(frozen=True, slots=True)
class ServerRequest:
    """One request: the path, the body without the model's name, and the number of the draw from the same prompt."""

    path: str
    body: Mapping[str, Any]
    draw: int = 0


Sender = Callable[[ServerRequest, bool], Awaitable[tuple[int, str]]]
"""Sends a request, an option tried out or not; gives the status and the body of the answer."""


@dataclass
class Client:
    """Asks a server; what was answered is kept in ``cache`` at once and never asked again.

    Args:
        address: where.
        cache: where complete replies are kept.
        concurrency: most requests in flight.
        timeout: seconds until a request is given up, from its first byte to the last byte of the reply.
        ready_timeout: seconds that a server is waited for which answers 502, 503 or 504, as one does that is loading.
        max_retries: how often a request is sent again after 408, 409, 429, another 5xx or a broken connection, waiting
            as long as the server says (Retry-After).
        max_requests: most requests over the client's life, without those sent again; ``None``: no limit.
        max_tokens: most tokens, of prompts and replies, as far as the server counts them.
        until: when every request is given up, by ``time.monotonic``; ``None``: no such moment.

    Attributes:
        requests: how many were sent.
        failed_requests: how many the server failed on, however often they were sent.
        tokens: how many tokens the server counted.
        systems: the path and the fingerprint of every system that answered, in the order they were met; a server may
            name systems of its own on each path, or on one alone.
        dropped_options: options that were asked for and not sent on.
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
        # By path, when the model was loaded; part of every key, so that two are never mixed.
        self.system: Mapping[str, str] = {}
        self._failures_in_a_row = 0
        self._last_reply = -math.inf

    def announce(self, n_requests: int, n_rows: int) -> None:
        """Hear how many requests about how many rows are to come; only who counts them wants to know."""

    @property
    def fingerprints(self) -> list[str]:
        """The fingerprints that the server named."""
        return list(dict.fromkeys(name for _, name in self.systems if name))

    @property
    def changes(self) -> list[list[str]]:
        """The fingerprints of every path that had several."""
        fingerprints: dict[str, list[str]] = {}
        for path, name in self.systems:
            fingerprints.setdefault(path, []).append(name)
        return [names for names in fingerprints.values() if len(names) > 1]

    def ask(
        self, requests: Sequence[ServerRequest], what: str = "asking", *, trying: bool = False
    ) -> list[ServerReply | Refused]:
        """Send what is not in the cache; equal requests once.

        Args:
            requests: the requests.
            what: what is being done, for the progress bar.
            trying: whether an option is tried out: asked anew each time, and a server that breaks over it (5xx)
                refuses it.

        Returns:
            Per request the server's reply, or why there is none: a request that the server fails on ends only after 20
            of them in a row.

        Raises:
            BudgetError: the requests, or the tokens, are more than are left; nothing more is sent.
            ModelError: nobody answers, or the key is refused.
            MeasurementError: 20 requests in a row failed, there are too many requests (429), the account has no credit
                (402), the server no longer knows the model (404), or it is not ready in time; what was answered is in
                the cache.
        """
        keys = [self._key_of(request) for request in requests]
        distinct = dict(zip(keys, requests, strict=True))
        replies: dict[str, ServerReply | Refused] = {}
        if not trying:
            replies = {
                key: stored
                for key, request in distinct.items()
                if (stored := self.stored_reply(key, request))
            }
        missing = {key: request for key, request in distinct.items() if key not in replies}
        self._check_budget(len(missing))
        if missing:
            with track(f"{what} {self.address.model}", total=len(missing)) as advance:
                replies |= in_own_loop(lambda: self._ask_all(missing, advance, trying))
        return [replies[key] for key in keys]

    def stored_reply(self, key: str, request: ServerRequest) -> ServerReply | None:
        """The cached reply to a request; ``None`` if there is none, or it cannot be read."""
        stored = self.cache.get(key)
        reply = None if stored is None else read_reply(stored, request.body)
        return reply if isinstance(reply, ServerReply) and reply.is_complete(request.body) else None

    def _key_of(self, request: ServerRequest, system: str | None = None) -> str:
        system = self.system.get(request.path, "") if system is None else system
        body = {"model": self.address.model, "system_fingerprint": system, **request.body}
        return request_key(self.address.url + self.address.place, request.path, body, request.draw)

    def _check_budget(self, count: int) -> None:
        if self.max_requests is not None and self.requests + count > self.max_requests:
            raise BudgetError(
                f"{count} requests to {self.address.name} are to be sent, and "
                f"{self.max_requests - self.requests} of `max_requests` ({self.max_requests}) are left",
                option="max_requests",
                hint="raise `max_requests`, or set `limit` to measure less",
            )

    async def _ask_all(
        self, missing: Mapping[str, ServerRequest], advance: Callable[[float], None], trying: bool
    ) -> dict[str, ServerReply | Refused]:
        gate = asyncio.Semaphore(self.concurrency)
        async with self._connected() as send:

            async def one(key: str, request: ServerRequest) -> tuple[str, ServerReply | Refused]:
                async with gate:
                    reply = await self._ask_one(send, request, trying)
                if not trying:
                    self._count_failure(reply)
                if isinstance(reply, ServerReply) and reply.is_complete(request.body) and not trying:
                    self.cache.put(
                        self._key_of(request, reply.fingerprint), reply.model_dump(exclude_none=True)
                    )
                advance(1)
                return key, reply

            tasks = [asyncio.ensure_future(one(key, request)) for key, request in missing.items()]
            try:
                return dict(await asyncio.gather(*tasks))
            finally:
                for task in tasks:
                    task.cancel()

    @contextlib.asynccontextmanager
    async def _connected(self) -> AsyncIterator[Sender]:
        """What sends a request, for as long as it is needed."""
        openai = imported(
            "openai",
            f"models behind an address need the openai package; {install_extra('endpoint')}",
        )
        is_tls = urlsplit(self.address.url).scheme == "https"
        http = _bounded(openai.DefaultAsyncHttpxClient)(
            follow_redirects=False, event_hooks={"request": [self._only_ours]},
            trust_env=is_tls,  # a proxy would get texts and key in clear
            verify=is_tls,  # reading certificates takes longer than a request, where none is needed
        )  # fmt: skip
        async with openai.AsyncOpenAI(
            base_url=self.address.url, api_key=self._key or "none", timeout=self.timeout, max_retries=0,
            http_client=http,
        ) as server:  # fmt: skip
            yield functools.partial(self._sent, openai, server)

    def _count_failure(self, reply: ServerReply | Refused) -> None:
        """Stop where the server fails on everything."""
        if not (isinstance(reply, Refused) and reply.failed):
            self._failures_in_a_row, self._last_reply = 0, time.monotonic()
            return
        self.failed_requests += 1
        self._failures_in_a_row += 1
        if self._failures_in_a_row >= MAX_FAILURES:
            raise MeasurementError(
                f"{self.address.name} failed on {MAX_FAILURES} requests in a row; the last: {reply.reason}",
                hint=f"{RESUME}",
            )

    async def _ask_one(self, send: Sender, request: ServerRequest, trying: bool) -> ServerReply | Refused:
        if self.max_tokens is not None and self.tokens >= self.max_tokens:
            raise BudgetError(
                f"{self.tokens} tokens were used for {self.address.name}, of `max_tokens` ({self.max_tokens})",
                option="max_tokens",
                hint="raise `max_tokens`, or set `limit` to measure less",
            )
        self.requests += 1
        status, text = await send(request, trying)
        if status == 200:
            return self._read(text, request)
        return self._refused(status, _message(text), trying)

    async def _sent(self, openai: Any, server: Any, request: ServerRequest, trying: bool) -> tuple[int, str]:
        """Status and body of the answer to a request, sent again where that may help; 408 if it takes too long.

        Raises:
            MeasurementError: the server is not ready in time.
            ModelError: nobody answers.
        """
        body, start = {"model": self.address.model, **request.body}, time.monotonic()
        retries = min(self.max_retries, 1) if trying else self.max_retries
        ready, failures = time.monotonic() + self.ready_timeout, 0
        for attempt in itertools.count():
            seconds_left = math.inf if self.until is None else max(0.0, self.until - time.monotonic())
            limit, wait = min(self.timeout, seconds_left), min(_FIRST_WAIT * 2**attempt, _LONGEST_WAIT)
            try:
                async with asyncio.timeout(limit):
                    # The typed calls of the client take longer over a request than all else that is done here.
                    text = self._without_key(str(await server.post(request.path, cast_to=str, body=body)))
                    if (status := _status_of(text)) == 200:
                        return status, text
            except TimeoutError:
                return self._late(limit, trying)
            except openai.APIStatusError as error:
                # Judged below: an error raised here would carry what the server said, and it may echo a key.
                status, text = int(error.status_code), self._without_key(error.response.text)
                with contextlib.suppress(ValueError):
                    wait = min(max(0.0, float(error.response.headers.get("retry-after", wait))), 60.0)
            except openai.APIConnectionError as error:
                status, text = 0, self._without_key(str(error.__cause__ or error))
            if status in _NOT_READY:
                if time.monotonic() + wait > ready:
                    if self._last_reply > start:  # it is ready for others
                        return status, text
                    raise MeasurementError(
                        f"{self.address.name} was not ready within {self.ready_timeout:g} s ({status}: "
                        f"{_message(text)})",
                        option="ready_timeout",
                        hint=f"{RESUME}, or raise `ready_timeout`",
                    )
            elif status and status < 500 and status not in _AGAIN:
                return status, text
            elif failures == retries:
                if status:
                    return status, text
                advice = "" if trying else f"; {RESUME}"
                raise ModelError(
                    f"no answer from {self.address.url}: {text[:200] or 'the connection failed'}{advice}"
                )
            else:
                failures += 1
            await asyncio.sleep(min(wait, seconds_left))
        raise AssertionError  # the loop has no end

    def _late(self, limit: float, trying: bool) -> tuple[int, str]:
        """What a request comes to that has no complete reply after so many seconds.

        Raises:
            MeasurementError: an option was being tried out, or no time is left for other requests.
        """
        if trying or (self.until is not None and time.monotonic() >= self.until):
            raise MeasurementError(
                f"{self.address.name} gave no complete reply within {limit:.3g} s",
                option="timeout",
                hint=f"{RESUME}, or raise `timeout`",
            )
        return 408, f"no complete reply within {limit:.3g} s; raise `timeout`"

    async def _only_ours(self, request: Any) -> None:
        """Send no header but these: what the client takes from its own environment variables is for its own host."""
        request.headers.clear()
        request.headers.update(
            {"Host": request.url.netloc.decode(), "User-Agent": "evaluate-bias", "Accept": "application/json",
             "Accept-Encoding": "identity", "Content-Type": "application/json",
             "Content-Length": str(len(request.content)),
             **({"Authorization": f"Bearer {self._key}"} if self._key else {})}
        )  # fmt: skip

    def _refused(self, status: int, message: str, trying: bool) -> Refused:
        """What a refusal means: for one request, or for all."""
        if 300 <= status < 400:
            raise ModelError(
                f"{self.address.url} redirects elsewhere, which is not followed",
                hint="give the address it leads to",
            )
        if status in (401, 403):
            way = "refuses the key" if self._key else "wants a key"
            raise ModelError(f"{self.address.name} {way} ({status}: {message})", hint=f"set {KEY}")
        if status == 402:
            raise MeasurementError(
                f"{self.address.name} requires payment (402: {message})",
                hint=f"add credit to the account; {RESUME} then",
            )
        if status == _ERROR_IN_REPLY:
            raise MeasurementError(
                f"{self.address.name} answered with an error and status 200 ({message}); {RESUME} later"
            )
        if status == 429:
            raise MeasurementError(
                f"{self.address.name} answered 429 {self.max_retries + 1} times ({message})",
                option="concurrency",
                hint=f"lower `concurrency`; {RESUME} later",
            )
        if trying:
            return Refused(f"the server refuses it ({status}: {message})", status)
        if status == 404:
            raise MeasurementError(
                f"{self.address.name} no longer knows the model or the path (404: {message})",
                hint=f"start the server with the same model; {RESUME} then",
            )
        if status in _AGAIN or status >= 500:
            return Refused(f"{FAILED} ({status}: {message})", status, failed=True)
        return Refused(f"the server refuses it ({status}: {message})", status)

    def _read(self, text: str, request: ServerRequest) -> ServerReply | Refused:
        """A complete reply, whose tokens and system are counted."""
        if len(text) > MOST_BYTES:
            return Refused(f"the server's reply is longer than {MOST_BYTES / 2**20:.3g} MB")
        try:
            reply = read_reply(read_json(text), request.body)
        except ValueError:
            return Refused(f"the server's reply cannot be read: {quoted(text[:200])}")
        if isinstance(reply, ServerReply):
            self.tokens += reply.tokens
            if (system := (request.path, reply.fingerprint)) not in self.systems:
                self.systems.append(system)
        return reply

    def _without_key(self, text: str) -> str:
        """A text without the key, also where its JSON has letters of the key as escapes."""
        if not self._secrets:
            return text
        with contextlib.suppress(ValueError):
            text = json.dumps(read_json(text), ensure_ascii=False)
        for secret in self._secrets:
            text = text.replace(json.dumps(secret, ensure_ascii=False)[1:-1], "[key]").replace(
                secret, "[key]"
            )
        return text


def _bounded(client: Any) -> Any:
    """The class of a client of HTTP whose answers have a limit; of their headers those are left that are used here."""

    class Bounded(client):  # type: ignore[misc]
        async def send(self, request: Any, **options: Any) -> Any:
            answer = await super().send(request, **{**options, "stream": True})
            body = bytearray()
            try:
                async for part in answer.aiter_raw():
                    body += part
                    if len(body) > MOST_BYTES:
                        break
            finally:
                await answer.aclose()
            headers = {name: answer.headers[name] for name in ("retry-after",) if name in answer.headers}
            return type(answer)(
                answer.status_code, headers={**headers, "content-type": "application/json; charset=utf-8"},
                content=bytes(body), request=request,
            )  # fmt: skip

    return Bounded


def _status_of(text: str) -> int:
    """200, or the status of an error that was sent with status 200: its code if it names one.

    Examples:
        >>> _status_of('{"choices": []}'), _status_of('{"error": {"code": 402}}'), _status_of('{"error": "overloaded"}')
        (200, 402, 599)
    """
    if '"error"' not in text:
        return 200
    try:
        body = read_json(text)
    except ValueError:
        return 200  # read as any reply is, and refused
    error = body.get("error") if isinstance(body, dict) else None
    if not error or "choices" in body:
        return 200
    code = error.get("code", error.get("status")) if isinstance(error, dict) else None
    return code if isinstance(code, int) and 400 <= code < 600 else _ERROR_IN_REPLY


def _message(text: str) -> str:
    """What a server says of an error, in at most 200 characters."""
    try:
        body = read_json(text)
        error = body.get("error", body) if isinstance(body, dict) else body
        text = str(error.get("message", error) if isinstance(error, dict) else error)
    except ValueError:
        pass
    return " ".join(text[:1_000].split())[:200] or "no reason given"
