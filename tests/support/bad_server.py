"""A server of the OpenAI dialect on 127.0.0.1 that answers as it should until it is to send something else."""

from __future__ import annotations

import asyncio
import json
import re
import threading
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from types import TracebackType
from typing import Any

Reply = dict[str, Any]


@dataclass(frozen=True)
class Wire:
    """Bytes as they are sent: at once, or part by part with pauses.

    Attributes:
        parts: the bytes.
        pause: seconds between two parts.
        times: how often the last part is sent.
    """

    parts: tuple[bytes, ...]
    pause: float = 0.0
    times: int = 1


def http(body: bytes, status: str = "200 OK", *headers: str) -> Wire:
    """A whole answer."""
    head = [f"HTTP/1.1 {status}", "Content-Type: application/json", f"Content-Length: {len(body)}", *headers]
    return Wire(("\r\n".join([*head, "Connection: close", "", ""]).encode() + body,))


def as_json(value: Any) -> Wire:
    """A JSON value with status 200; NaN and infinities as JavaScript writes them."""
    return http(json.dumps(value).encode())


def good_reply(path: str, body: Reply) -> Reply:
    """What it answers where nothing is wrong: the label B, or scores that depend on the prompt's words."""
    choice: Reply = {"index": 0, "finish_reason": "stop"}
    if path.endswith("/chat/completions"):
        choice["message"] = {"role": "assistant", "content": "B", "refusal": None}
        if body.get("logprobs"):
            top = [{"token": "B", "logprob": -0.25}, {"token": "A", "logprob": -2.0}]
            choice["logprobs"] = {"content": [{"token": "B", "logprob": -0.25, "top_logprobs": top}]}
    else:
        tokens = re.findall(r"\s*\S+", body["prompt"])
        scores = [None, *(-1 - zlib.crc32(t.encode()) % 1000 / 1000 for t in tokens[1:])]
        choice["text"] = body["prompt"] if body.get("echo") else " so"
        if body.get("echo"):
            choice["logprobs"] = {"tokens": tokens, "token_logprobs": scores}
            named = zip(tokens[1:], scores[1:], strict=True)
            choice["prompt_logprobs"] = [None, *({"5": {"decoded_token": t, "logprob": p}} for t, p in named)]
    usage = {"total_tokens": 9, "completion_tokens_details": {"reasoning_tokens": 0}}
    return {"model": "tiny", "system_fingerprint": "fp_1", "usage": usage, "choices": [choice]}


class BadServer:
    """The server. Use as a context manager; ``misbehave`` says what it sends, and from which request on.

    Attributes:
        sent_all: whether some answer in parts was sent to its end, which nobody should wait for.
    """

    def __enter__(self) -> BadServer:
        self.behave()
        self._loop = asyncio.new_event_loop()
        ready = threading.Event()

        async def serve() -> None:
            self._server = await asyncio.start_server(self._answered, "127.0.0.1", 0)
            self.port = self._server.sockets[0].getsockname()[1]
            ready.set()

        def run() -> None:
            asyncio.set_event_loop(self._loop)
            self._loop.run_until_complete(serve())
            self._loop.run_forever()
            self._server.close()
            answering = asyncio.all_tasks(self._loop)
            for task in answering:  # whoever is still answering to a client that went away
                task.cancel()
            self._loop.run_until_complete(asyncio.gather(*answering, return_exceptions=True))
            self._loop.close()

        self._thread = threading.Thread(target=run, daemon=True)
        self._thread.start()
        ready.wait()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()

    @property
    def spec(self) -> str:
        return f"endpoint:http://127.0.0.1:{self.port}/v1#tiny"

    def behave(self) -> None:
        """Answer as it should."""
        self._wrong: Callable[[Reply], Wire] | None = None

    def misbehave(self, wrong: Callable[[Reply], Wire], first: int) -> None:
        """Send what a function makes of the right reply, from a request on, counted from 1."""
        self._wrong, self._left, self.sent_all = wrong, first - 1, False

    async def _answered(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
            length = re.search(r"(?i)content-length: (\d+)", head)
            body = json.loads(await reader.readexactly(int(length[1]) if length else 0))
            right, wrong = good_reply(head.split()[1], body), self._wrong
            if wrong is not None and self._left > 0:
                self._left, wrong = self._left - 1, None
            wire = as_json(right) if wrong is None else wrong(right)
            for i, part in enumerate((*wire.parts, *wire.parts[-1:] * (wire.times - 1))):
                if i and wire.pause:
                    await asyncio.sleep(wire.pause)
                writer.write(part)
                await writer.drain()
            self.sent_all = wire.times > 1
        except (ConnectionError, asyncio.IncompleteReadError):
            pass  # the client had enough
        finally:
            writer.close()
