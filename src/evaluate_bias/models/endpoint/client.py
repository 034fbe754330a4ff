"""Requests to a server of the OpenAI dialect: many at a time, each asked once, within a budget, the key kept secret."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any, TypeVar
from urllib.parse import urlsplit

from ...errors import BudgetError, MeasurementError, ModelError, install_extra, quoted
from ...progress import track
from ..source import imported
from .address import KEY, Address
from .cache import RequestCache, request_key

CHAT, COMPLETIONS = "/chat/completions", "/completions"
_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class ServerRequest:
    """One request: the path, the body without the model's name, and the number of the draw from the same prompt."""

    path: str
    body: Mapping[str, Any]
    draw: int = 0


@dataclass(frozen=True, slots=True)
class Refused:
    """A request that has no reply to keep: one that the server refuses (4xx), or whose reply cannot be read."""

    reason: str
    status: int = 0


@dataclass
class Client:
    """Asks a server; what was answered is kept in ``cache`` at once and never asked again.

    Args:
        address: where.
        cache: where complete replies are kept.
        concurrency: most requests in flight.
        timeout: seconds until a request is given up.
        max_retries: how often a request is sent again after 408, 409, 429, 5xx or a broken connection, waiting as long
            as the server says (Retry-After).
        max_requests: most requests over the client's life, without those sent again; ``None``: no limit.
        max_tokens: most tokens, of prompts and replies, as far as the server counts them.

    Attributes:
        requests: how many were sent.
        tokens: how many tokens the server counted.
        systems: the path and the fingerprint of every system that answered, in the order they were met; a server may
            name systems of its own on each path, or on one alone.
    """

    address: Address
    cache: RequestCache
    concurrency: int = 8
    timeout: float = 120.0
    max_retries: int = 4
    max_requests: int | None = None
    max_tokens: int | None = None
    requests: int = 0
    tokens: int = 0
    systems: list[tuple[str, str]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._key = self.address.key()
        # By path, when the model was loaded; part of every key, so that two are never mixed.
        self.system: Mapping[str, str] = {}

    @property
    def fingerprints(self) -> list[str]:
        """The fingerprints that the server named."""
        return list(dict.fromkeys(name for _, name in self.systems if name))

    @property
    def changes(self) -> list[list[str]]:
        """The fingerprints of every path that had several."""
        named: dict[str, list[str]] = {}
        for path, name in self.systems:
            named.setdefault(path, []).append(name)
        return [names for names in named.values() if len(names) > 1]

    def ask(
        self, requests: Sequence[ServerRequest], what: str = "asking", *, trying: bool = False
    ) -> list[dict[str, Any] | Refused]:
        """Send what is not in the cache; equal requests once.

        Args:
            requests: the requests.
            what: what is being done, for the progress bar.
            trying: whether an option is tried out: asked anew each time, and a server that breaks over it (5xx)
                refuses it.

        Returns:
            Per request the server's reply, or why there is none.

        Raises:
            BudgetError: the requests, or the tokens, are more than are left; nothing more is sent.
            ModelError: nobody answers, the key is refused, or the server does not know the model or the path.
            MeasurementError: it fails again and again; what was answered is in the cache.
        """
        keys = [self._key_of(request) for request in requests]
        kept = {key: None if trying else self.cache.get(key) for key in dict.fromkeys(keys)}
        missing = {key: r for key, r in zip(keys, requests, strict=True) if kept[key] is None}
        self._check_budget(len(missing))
        fresh: dict[str, Any] = {}
        if missing:
            with track(f"{what} {self.address.model}", total=len(missing)) as advance:
                fresh = _in_own_loop(lambda: self._ask_all(missing, advance, trying))
        return [fresh[key] if kept[key] is None else dict(kept[key] or {}) for key in keys]

    def _key_of(self, request: ServerRequest, system: str | None = None) -> str:
        system = self.system.get(request.path, "") if system is None else system
        body = {"model": self.address.model, "system_fingerprint": system, **request.body}
        return request_key(self.address.url, request.path, body, request.draw)

    def _check_budget(self, wanted: int) -> None:
        if self.max_requests is not None and self.requests + wanted > self.max_requests:
            raise BudgetError(
                f"{wanted} requests to {self.address.name} are to be sent, and {self.max_requests - self.requests} of "
                f"max_requests={self.max_requests} are left: raise it, or measure less with limit=…"
            )

    async def _ask_all(
        self, missing: Mapping[str, ServerRequest], advance: Callable[[float], None], trying: bool
    ) -> dict[str, Any]:
        openai = imported(
            "openai",
            f"models behind an address need the openai package; {install_extra('endpoint')}",
        )
        gate = asyncio.Semaphore(self.concurrency)
        http = openai.DefaultAsyncHttpxClient(
            follow_redirects=False, event_hooks={"request": [self._only_ours]},
            # A proxy would get texts and key in clear.
            trust_env=urlsplit(self.address.url).scheme == "https",
        )  # fmt: skip
        async with openai.AsyncOpenAI(
            base_url=self.address.url, api_key=self._key or "none", timeout=self.timeout,
            max_retries=min(self.max_retries, 1) if trying else self.max_retries,
            http_client=http,
        ) as server:  # fmt: skip

            async def one(key: str, request: ServerRequest) -> tuple[str, Any]:
                async with gate:
                    reply = await self._ask_one(openai, server, request, trying)
                if not isinstance(reply, Refused) and not trying:
                    self.cache.put(self._key_of(request, system_fingerprint(reply)), reply)
                advance(1)
                return key, reply

            tasks = [asyncio.ensure_future(one(key, request)) for key, request in missing.items()]
            try:
                return dict(await asyncio.gather(*tasks))
            finally:
                for task in tasks:
                    task.cancel()

    async def _ask_one(
        self, openai: Any, server: Any, request: ServerRequest, trying: bool
    ) -> dict[str, Any] | Refused:
        if self.max_tokens is not None and self.tokens >= self.max_tokens:
            raise BudgetError(
                f"{self.tokens} tokens were used, of max_tokens={self.max_tokens} for {self.address.name}: raise it, "
                "or measure less with limit=…"
            )
        self.requests += 1
        body = {"model": self.address.model, **request.body}
        try:
            # The typed calls of the client take longer over a request than all else that is done here.
            status, text = 200, str(await server.post(request.path, cast_to=str, body=body))
        except openai.APIStatusError as error:
            # Read here and judged below: an error raised here would carry what the server said, and it may echo a key.
            status, text = int(error.status_code), error.response.text
        except openai.APITimeoutError:
            raise MeasurementError(
                f"{self.address.name} gave no answer within {self.timeout:g} s, {self.max_retries + 1} times; what was "
                "answered is kept where there is a store: run it again, or with a longer timeout=…"
            ) from None
        except openai.APIConnectionError as error:
            cause = self._without_key(str(error.__cause__ or error))
            raise ModelError(
                f"no answer from {self.address.url}: {cause[:200] or 'the connection failed'}"
            ) from None
        text = self._without_key(text)
        if status == 200:
            return self._read(text, request.path)
        return self._refused(status, _message(text), trying)

    async def _only_ours(self, request: Any) -> None:
        """Send no header but these: what the client takes from its own environment variables is for its own host."""
        request.headers.clear()
        request.headers.update(
            {"Host": request.url.netloc.decode(), "User-Agent": "evaluate-bias", "Accept": "application/json",
             "Content-Type": "application/json", "Content-Length": str(len(request.content)),
             **({"Authorization": f"Bearer {self._key}"} if self._key else {})}
        )  # fmt: skip

    def _refused(self, status: int, said: str, trying: bool) -> Refused:
        """What a refusal means: for one request, or for all."""
        if 300 <= status < 400:
            raise ModelError(
                f"{self.address.url} redirects elsewhere, which is not followed: give the address it leads to"
            )
        if status in (401, 403):
            way = "refuses the key" if self._key else "wants a key"
            raise ModelError(f"{self.address.name} {way} ({status}: {said}); set {KEY}")
        if status == 429 or (status >= 500 and not trying):
            raise MeasurementError(
                f"{self.address.name} answered {status} {self.max_retries + 1} times ({said}); run it again later"
            )
        return Refused(f"the server refuses it ({status}: {said})", status)

    def _read(self, text: str, path: str) -> dict[str, Any] | Refused:
        """A complete reply: JSON with a first choice that says how it ended."""
        try:
            reply = json.loads(text)
            choice = reply["choices"][0]
            complete = choice.get("finish_reason") is not None and ("message" in choice or "text" in choice)
        except (ValueError, KeyError, IndexError, TypeError, AttributeError):
            complete = False
        if not complete:
            return Refused(f"the server's reply cannot be read: {quoted(text)}")
        usage = reply.get("usage") or {}
        self.tokens += int(usage.get("total_tokens") or 0)
        if (system := (path, system_fingerprint(reply))) not in self.systems:
            self.systems.append(system)
        return dict(reply)

    def _without_key(self, text: str) -> str:
        """A text without the key, also where its JSON has letters of the key as escapes."""
        if not self._key:
            return text
        with contextlib.suppress(ValueError):
            text = json.dumps(json.loads(text), ensure_ascii=False)
        return text.replace(json.dumps(self._key, ensure_ascii=False)[1:-1], "[key]").replace(
            self._key, "[key]"
        )


def system_fingerprint(reply: Mapping[str, Any]) -> str:
    """The fingerprint of the system that answered; empty where it names none."""
    return str(reply.get("system_fingerprint") or "")


def _message(text: str) -> str:
    """What a server says of an error, in at most 200 characters."""
    try:
        found = json.loads(text)
        error = found.get("error", found) if isinstance(found, dict) else found
        text = str(error.get("message", error) if isinstance(error, dict) else error)
    except ValueError:
        pass
    return " ".join(text.split())[:200] or "no reason given"


def _in_own_loop(work: Callable[[], Awaitable[_T]]) -> _T:
    """Run a coroutine in a thread with a loop of its own, as a notebook's thread has one already."""

    async def run() -> _T:
        return await work()

    loop = asyncio.new_event_loop()
    with ThreadPoolExecutor(1) as pool:
        task = loop.create_task(run())

        def turn() -> _T:
            asyncio.set_event_loop(loop)
            try:
                return loop.run_until_complete(task)
            finally:
                loop.run_until_complete(loop.shutdown_asyncgens())
                loop.close()

        future = pool.submit(turn)
        try:
            return future.result()
        except KeyboardInterrupt:
            loop.call_soon_threadsafe(task.cancel)
            raise
