"""A server of the OpenAI dialect on 127.0.0.1 over the project's own engine, with faults that can be set."""

from __future__ import annotations

import asyncio
import socket
import ssl
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Literal

import uvicorn
from fastapi import FastAPI, Request, Response
from fastapi.responses import JSONResponse

from evaluate_bias import Skipped
from evaluate_bias.models.completions import GenerationSettings

Body = Mapping[str, Any]


@dataclass
class ModelServer:
    """The server. Use as a context manager: ``with ModelServer(model) as server: … server.spec …``.

    Attributes:
        model: a causal model of ours, for completions; ``None``: the server only chats.
        answer: what it says in a chat, and the likeliest first tokens with their log-probabilities; or the fields of a
            message, such as ``reasoning_content``, in place of the text.
        scores_by: by which options it gives the log-probabilities of a prompt.
        form: how: ``"openai"`` in the field of the option alone; as vLLM does in both fields, without the score of the
            first token, ``"vllm"``, or with a start token before it, ``"vllm-bos"``.
        loading: how many requests it answers with 503 before it is ready, as llama.cpp does.
        refuses: options that it answers with 400.
        ignores: options that it silently leaves out.
        faults: what it answers instead, one after another: a status, or a status with headers and a body.
        latency: seconds that an answer takes.
        tls: the server's certificate, for https.
        key: the key that it wants; a wrong one is echoed in the refusal, as some servers do.
        usage: what it counts beside the tokens of question and answer.
        fingerprints: of paths that answer as another system than the rest.
        requests: path, headers and body of every request.
    """

    model: Any = None
    answer: Callable[[Body], tuple[str | Body, Mapping[str, float]]] | None = lambda body: (
        "Yes",
        {"Yes": -0.1},
    )
    scores_by: frozenset[str] = frozenset(("echo", "prompt_logprobs"))
    form: Literal["openai", "vllm", "vllm-bos"] = "openai"
    loading: int = 0
    refuses: frozenset[str] = frozenset()
    ignores: frozenset[str] = frozenset()
    faults: list[Any] = field(default_factory=list)
    latency: float = 0.0
    tls: ssl.SSLContext | None = None
    key: str | None = None
    name: str = "tiny"
    fingerprint: str = "fp_1"
    usage: Mapping[str, Any] = field(default_factory=dict)
    fingerprints: Mapping[str, str] = field(default_factory=dict)
    requests: list[tuple[str, Mapping[str, str], Body]] = field(default_factory=list)
    most_at_once: int = 0

    @property
    def spec(self) -> str:
        return f"endpoint:{'https' if self.tls else 'http'}://127.0.0.1:{self.port}/v1#{self.name}"

    def __enter__(self) -> ModelServer:
        self._now = 0
        app = FastAPI()
        app.add_api_route("/v1/chat/completions", self._chat, methods=["POST"])
        app.add_api_route("/v1/completions", self._complete, methods=["POST"])
        listening = socket.create_server(("127.0.0.1", 0))
        self.port = listening.getsockname()[1]
        config = uvicorn.Config(app, log_level="error", lifespan="off")
        config.load()
        config.ssl = self.tls
        self._server = uvicorn.Server(config)
        self._thread = threading.Thread(target=self._server.run, args=([listening],), daemon=True)
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.should_exit = True
        self._thread.join()

    async def _chat(self, request: Request) -> Response:
        return await self._answered(request, self._chat_reply)

    async def _complete(self, request: Request) -> Response:
        return await self._answered(request, self._completion)

    async def _answered(self, request: Request, reply: Callable[[Body], Response]) -> Response:
        body = await request.json()
        self.requests.append((request.url.path, dict(request.headers), body))
        self._now += 1
        self.most_at_once = max(self.most_at_once, self._now)
        try:
            await asyncio.sleep(self.latency)
            given = request.headers.get("authorization", "")
            if self.key is not None and given != f"Bearer {self.key}":
                return JSONResponse({"error": {"message": f"wrong key: {given}"}}, 401)
            if self.loading:
                self.loading -= 1
                error = {"message": "Loading model", "type": "unavailable_error", "code": 503}
                return JSONResponse({"error": error}, 503, {"retry-after": "0.01"})
            fault = self.faults.pop(0) if self.faults else None
            if fault is not None:
                status, headers, text = fault if isinstance(fault, tuple) else (fault, {}, "planned")
                return Response(text, status, headers)
            if body["model"] != self.name:
                return JSONResponse({"error": {"message": f"no model {body['model']}"}}, 404)
            if refused := self.refuses & body.keys():
                return JSONResponse({"error": {"message": f"unknown option {sorted(refused)[0]}"}}, 400)
            return reply({name: value for name, value in body.items() if name not in self.ignores})
        finally:
            self._now -= 1

    def _ended(self, path: str, choice: Body, tokens: int) -> Response:
        system = self.fingerprints.get(path, self.fingerprint)
        return JSONResponse(
            {"model": self.name, "system_fingerprint": system, "usage": {"total_tokens": tokens, **self.usage},
             "choices": [{"index": 0, "finish_reason": "stop", **choice}]}
        )  # fmt: skip

    def _chat_reply(self, body: Body) -> Response:
        if self.answer is None:
            return JSONResponse({"error": {"message": "no chat here"}}, 404)
        said, tops = self.answer(body)
        top = [{"token": token, "logprob": p} for token, p in tops.items()]
        first = {"token": next(iter(tops), ""), "logprob": 0.0, "top_logprobs": top}
        logprobs = {"content": [first]} if body.get("logprobs") else None
        message = {"role": "assistant", **({"content": said} if isinstance(said, str) else said)}
        return self._ended("/v1/chat/completions", {"message": message, "logprobs": logprobs}, 10)

    def _completion(self, body: Body) -> Response:
        if self.model is None:
            return JSONResponse({"error": {"message": "no completions here"}}, 404)
        prompt, most = body["prompt"], body.get("max_tokens", 16)
        settings = GenerationSettings(
            max_new_tokens=max(1, most), seed=body.get("seed", 0), temperature=body.get("temperature") or 1.0,
            decoding="sample" if body.get("temperature") else "top",
        )  # fmt: skip
        written = self.model.complete([prompt], settings)[0][0] if most else ""
        choice: dict[str, Any] = {"text": written}
        if asked := {"echo", "prompt_logprobs"} & body.keys() & self.scores_by:
            choice |= self._prompt_scores(prompt, "echo" in asked)
            choice["text"] = prompt * ("echo" in asked) + written
        return self._ended("/v1/completions", choice, len(prompt))

    def _prompt_scores(self, prompt: str, by_echo: bool) -> dict[str, Any]:
        """The scores of a prompt's tokens in the fields of this server's form."""
        tokens, scores = self._scored(prompt, bos=self.form == "vllm-bos")
        scored = [
            None,
            *({"7": {"logprob": p, "decoded_token": t}} for t, p in zip(tokens[1:], scores, strict=True)),
        ]
        fields: dict[str, Any] = {"prompt_logprobs": scored}
        if by_echo:
            fields["logprobs"] = {"tokens": tokens, "token_logprobs": [None, *scores]}
        if by_echo and self.form == "openai":
            del fields["prompt_logprobs"]
        return fields

    def _scored(self, prompt: str, *, bos: bool) -> tuple[list[str], list[float]]:
        """The prompt's tokens as pieces of its text, and the scores of all but the first."""
        (item,) = self.model.encode([prompt], bos=bos)
        if isinstance(item, Skipped):  # one token
            return [prompt], []
        ends = [item.offsets[p][1] for p in range(bos, len(item.ids))]
        starts = [0, *ends[:-1]]
        pieces = ["<start>"] * bos + [prompt[a:b] for a, b in zip(starts, ends, strict=True)]
        return pieces, self.model.sequence_logprobs([item])[0].tolist()
