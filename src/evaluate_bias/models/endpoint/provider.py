"""Requests to the providers that Inspect has clients for: its requests and retries, this library's cache and budget."""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
import hashlib
import json
import logging
import math
import os
import re
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from pydantic import ValidationError

from ...errors import MeasurementError, ModelError, install_extra
from ..completions import Reply
from ..source import imported
from .address import PROVIDERS, Address
from .client import CHAT, RESUME, Client, RequestCache, Sender, ServerRequest, in_own_loop
from .server_reply import Refused, ServerReply, read_reply

RETRIES = 5
_SENT = frozenset(("logprobs", "reasoning_effort", "seed", "temperature", "top_logprobs", "top_p"))
"""The options of a request that have the same name in Inspect's configuration."""
_LIMITS = ("max_tokens", "max_completion_tokens")
_TRACES = {
    "reasoning_effort": "reason|think|effort",
    "seed": "seed$",
    "temperature": "^temperature$",
    "top_p": "^topp$",
}
"""Fields of a provider's request that prove that it contains an option. Log-probabilities are seen in the reply."""
_SECRET, _SHORTEST_KEY = re.compile("KEY|TOKEN|SECRET|PASSWORD|CREDENTIAL"), 8
"""Environment variables whose values are never shown."""
_TOKEN_HOST = "openaipublic.blob.core.windows.net"
_TOKEN_FILE = (
    "Inspect counts tokens with a file from there: connect to the network once, or set TIKTOKEN_CACHE_DIR to a folder "
    "that contains it"
)


@dataclass
class ProviderClient(Client):
    """Asks a provider through Inspect, which knows its keys, its address and its forms of requests.

    Args:
        extra_fields: names of the user's own fields of a request.
        model: Inspect's model, by default the one that the address names.

    Raises:
        ModelError: Inspect is not installed, does not know the provider, or has no key for it.
    """

    max_retries: int = RETRIES
    extra_fields: frozenset[str] = frozenset()
    model: Any = None
    package: ClassVar[str] = "inspect_ai"

    def __post_init__(self) -> None:
        super().__post_init__()
        self._key = None  # a server's key is not for a provider
        self._secrets = tuple(
            value
            for name, value in os.environ.items()
            if _SECRET.search(name) and len(value) >= _SHORTEST_KEY
        )
        if self.model is None:
            self.model = in_own_loop(self._load)
        # Where a provider's client keeps its address. Azureai has it under a name of its own.
        api = self.model.api
        places = [
            getattr(getattr(api, "client", None), "base_url", ""),
            api.base_url,
            getattr(api, "endpoint_url", ""),
        ]
        self.address = replace(self.address, place=hashlib.sha256(str(places).encode()).hexdigest())

    async def _load(self) -> Any:
        inspect_ai = imported(
            "inspect_ai.model",
            f"models of a provider need the inspect_ai package: {install_extra('inspect')}",
        )
        # If nobody set up logging, what Inspect logs would be printed.
        logging.getLogger("inspect_ai").addHandler(logging.NullHandler())
        try:
            return inspect_ai.get_model(self.address.source.partition(":")[2], memoize=False)
        except Exception as error:
            reason = self._without_key(_plain(error))
        if reason.startswith("Model API") and reason.endswith("not recognized."):
            reason = f"Inspect knows no such provider. It knows {PROVIDERS}, among others"
        raise ModelError(f"{self.address.source} cannot be loaded: {reason}")

    def ask(
        self, requests: Sequence[ServerRequest], what: str = "asking", *, trying: bool = False
    ) -> list[ServerReply | Refused]:
        """Send what is not in the cache, see :meth:`.Client.ask`. A provider only chats."""
        if any(request.path != CHAT for request in requests):
            return [Refused("Inspect chats, and does not continue texts", 404) for _ in requests]
        return super().ask(requests, what, trying=trying)

    @contextlib.asynccontextmanager
    async def _connected(self) -> AsyncIterator[Sender]:
        async def send(request: ServerRequest, trying: bool) -> tuple[int, str]:
            # In a separate context, because Inspect keeps what was sent and received in the context.
            generation = self._generated(request, trying)
            status, answer = await asyncio.create_task(generation, context=contextvars.Context())
            return status, self._without_key(answer if isinstance(answer, str) else json.dumps(answer))

        yield send

    async def _generated(self, request: ServerRequest, trying: bool) -> tuple[int, str | Mapping[str, Any]]:
        """Return status and answer of a request: an OpenAI-compatible reply, or the provider's error message."""
        from inspect_ai.event import ModelEvent
        from inspect_ai.log import transcript
        from inspect_ai.model import ChatMessageAssistant, ChatMessageSystem, ChatMessageUser

        name = self.address.name
        kinds = {"system": ChatMessageSystem, "user": ChatMessageUser, "assistant": ChatMessageAssistant}
        turns = [kinds[turn["role"]](content=turn["content"]) for turn in request.body["messages"]]
        try:
            config = self._config(request.body, trying)
            async with asyncio.timeout(self.timeout):
                output = await self.model.generate(turns, config=config, cache=False)
        except TimeoutError:
            return 408, f"no complete reply within {self.timeout:g} s; raise `timeout`"
        except ValidationError as error:
            first = error.errors(include_url=False)[0]
            return 400, f"{'.'.join(map(str, first['loc']))}: {first['msg']}"
        except Exception as error:
            status, text = _failure(error)
        else:
            calls = [event.call for event in transcript().events if isinstance(event, ModelEvent)]
            call = calls[-1] if calls else None
            if call is not None:
                self.dropped_options.update(self._absent(config, call.request))
            if output.choices and output.stop_reason == "model_length":
                return 400, f"question and reply are too long for the model: {output.completion[:200]}"
            return 200, _openai_reply(output, call.response if call else None, self.address.model)
        if status:
            return status, text
        # The cause is dropped, since it may contain a key.
        if host := re.search(r"host='([\w.-]+)'", text):
            raise ModelError(
                f"no answer from {name}: {host[1]} cannot be reached",
                hint=_TOKEN_FILE if host[1] == _TOKEN_HOST else "check the connection to the network",
            )
        advice = "" if trying else f"; {RESUME}"
        raise ModelError(f"no answer from {name}: {self._without_key(text)[:200]}{advice}")

    def _config(self, body: Mapping[str, Any], trying: bool) -> Any:
        """Return Inspect's configuration of a request. Options that it has no name for are dropped."""
        from inspect_ai.model import GenerateConfig

        self.dropped_options.update(body.keys() - {*_LIMITS, *_SENT, *self.extra_fields, "messages"})
        options: dict[str, Any] = {"seed": 0} if trying else {}
        options |= {name: value for name, value in body.items() if name in _SENT - self.extra_fields}
        return GenerateConfig(
            **options,
            max_tokens=next(body[name] for name in _LIMITS if name in body),
            extra_body={name: body[name] for name in self.extra_fields if name in body} or None,
            max_retries=self.max_retries,
            timeout=max(1, math.ceil(self.timeout)),
            max_connections=self.concurrency,
        )

    def _absent(self, config: Any, request: Mapping[str, Any]) -> Iterator[str]:
        """Yield options that the provider's client did not send, or sent with another word for effort."""
        fields = [(_plain_name(name), value) for name, value in _fields(request)]
        for option, pattern in _TRACES.items():
            value = getattr(config, option)
            sent_values = {name: v for name, v in fields if re.search(pattern, name)}
            other_words = [v for name, v in sent_values.items() if name.endswith("effort") and v != value]
            if value is not None and (not sent_values or other_words):
                yield option
        names = {name for name, _ in fields}
        yield from (field for field in self.extra_fields if _plain_name(field) not in names)

    def _refused(self, status: int, message: str, trying: bool) -> Refused:
        if status in (401, 403):
            raise ModelError(
                f"{self.address.name} refuses the key ({status}: {message})",
                hint=f"set the environment variable that Inspect reads for {self.address.host}",
            )
        if (
            trying and status > 500
        ):  # only an error of the server's own (500) may come from an option that is tried out
            raise MeasurementError(
                f"{self.address.name} still answered {status} when it was asked again ({message})",
                hint=f"{RESUME} later",
            )
        return super()._refused(status, message, trying)


def client_of(address: Address, cache: RequestCache, **options: Any) -> Client:
    """Return the client for an address of a server or a provider."""
    return (ProviderClient if address.is_provider else Client)(address, cache, **options)


def reply_of(output: Any) -> Reply:
    """Return the reply in a model's output in Inspect, read as the reply of a provider.

    Raises:
        ModelError: it cannot be read.
    """
    reply = read_reply(_openai_reply(output, None, ""), {"messages": [], "logprobs": True})
    if isinstance(reply, Refused):
        raise ModelError(reply.reason)
    return reply.content


def _openai_reply(output: Any, raw: Mapping[str, Any] | None, model: str) -> dict[str, Any]:
    """Return what Inspect gives, as a server with an OpenAI-compatible API would have sent it.

    If the provider names no system, the version of the model that it names counts as one.
    """
    system = (raw or {}).get("system_fingerprint") or (output.model if output.model != model else None)
    counts: dict[str, Any] = {}
    if output.usage is not None:
        counts["total_tokens"] = output.usage.total_tokens
        counts["completion_tokens_details"] = {"reasoning_tokens": output.usage.reasoning_tokens}
    choices = [_openai_choice(choice) for choice in output.choices[:1]]
    return {"model": output.model, "system_fingerprint": system, "usage": counts, "choices": choices}


def _openai_choice(choice: Any) -> dict[str, Any]:
    parts = choice.message.content if isinstance(choice.message.content, list) else []
    thoughts = [
        (not part.redacted and part.reasoning) or part.summary or ""
        for part in parts
        if part.type == "reasoning"
    ]
    tokens = choice.logprobs.content[:1] if choice.logprobs else None
    scores = None if tokens is None else [token.model_dump(exclude_none=True) for token in tokens]
    return {
        "message": {"content": choice.message.text, "reasoning_content": "\n".join(thoughts)},
        "finish_reason": "length" if choice.stop_reason == "max_tokens" else choice.stop_reason,
        "logprobs": None if scores is None else {"content": scores},
    }


def _failure(error: BaseException) -> tuple[int, str]:
    """Return status and text of a provider's error, with 0 for no status. After retries, the last error counts."""
    attempt = getattr(error, "last_attempt", None)
    error = (attempt.exception() if attempt is not None else None) or error
    response = getattr(error, "response", None)
    metadata = response.get("ResponseMetadata", {}) if isinstance(response, dict) else {}  # of AWS
    codes = (
        getattr(error, "status_code", None),
        getattr(error, "code", None),
        metadata.get("HTTPStatusCode"),
    )
    status = next((code for code in codes if isinstance(code, int)), 0)
    text = getattr(error, "provider_message", None) or f"{type(error).__name__}: {_plain(error)}"
    return status, text


def _plain(error: BaseException) -> str:
    """Return the text of an error on one line, without marks for a terminal."""
    text = str(getattr(error, "message", None) or error)
    return " ".join(re.sub(r"\[/?[a-z ]+\]", "", text).removeprefix("ERROR: ").split())


def _plain_name(name: str) -> str:
    return name.replace("_", "").lower()


def _fields(value: Any) -> Iterator[tuple[str, Any]]:
    """Yield the names and values of all fields of a request that have a value, including nested ones."""
    if isinstance(value, Mapping):
        for name, item in value.items():
            if item is not None:
                yield str(name), item
                yield from _fields(item)
    elif isinstance(value, list):
        for item in value:
            yield from _fields(item)
