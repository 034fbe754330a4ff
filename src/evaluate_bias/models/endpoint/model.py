"""A model behind an address, with the capabilities that its server was found to have."""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from typing import Any

import numpy as np

from ...arrays import FloatArray
from ...errors import CapabilityError, InputError, ModelError
from ...provenance import software_versions
from ...result import Skipped
from ..alignment import Encoded, check_texts
from ..chat import Chat
from ..completions import Completions, GenerationSettings, Reply, first_word, text_before_blank
from .address import parse_address
from .cache import MemoryCache, RequestCache
from .client import CHAT, COMPLETIONS, Client, Refused, ServerRequest
from .probe import Abilities, first_alternatives, probe, prompt_tokens


class ServedModel:
    """What every served model has; made by :func:`load_endpoint`."""

    is_uncased = False

    def __init__(self, client: Client, abilities: Abilities, system: str | None = None) -> None:
        self.client, self.abilities, self.system = client, abilities, system
        self.name = client.address.name
        self.date = datetime.datetime.now(datetime.UTC).date().isoformat()

    @property
    def warnings(self) -> list[str]:
        """That the server may change; that it did, where replies of one path name several systems."""
        changes = [
            f"the server's system changed meanwhile: {repr(seen)[1:-1]}" for seen in self.client.changes
        ]
        return [f"a served model may change: the server was asked on {self.date}", *dict.fromkeys(changes)]

    def _one_likeliest(self, settings: GenerationSettings, what: str) -> None:
        if settings.decoding == "top" and settings.n > 1:
            raise CapabilityError(
                f"{self.name} is served, and a server does not give the {settings.n} likeliest {what}: use "
                "decoding='sample', or k=1"
            )

    def provenance(self) -> dict[str, Any]:
        """Address, served name, abilities, fingerprints and date; never the key."""
        address = self.client.address
        return {
            "kind": "endpoint",
            "name": self.name,
            "source": f"{address.url}#{address.model}",
            **self.abilities.facts(),
            "system": self.system,
            "system_fingerprint": self.client.fingerprints,
            "date": self.date,
            "versions": software_versions("openai"),
        }


class CompletingModel(ServedModel):
    """A served model that continues texts."""

    def complete(self, prompts: Sequence[str], settings: GenerationSettings) -> list[Completions | Skipped]:
        """Continue every prompt up to its blank: ``settings.n`` draws, or the likeliest continuation.

        Raises:
            CapabilityError: more than one of the likeliest continuations are asked for, which no server gives.
        """
        self._one_likeliest(settings, "continuations")
        texts = [text_before_blank(prompt) for prompt in check_texts(prompts, "prompts")]
        draws = range(settings.n)
        temperature = settings.temperature if settings.decoding == "sample" else 0
        requests = [
            ServerRequest(
                COMPLETIONS,
                {"prompt": text, "max_tokens": settings.max_new_tokens, "temperature": temperature,
                 "seed": settings.seed + draw},
                draw,
            )
            for text in texts if isinstance(text, str) for draw in draws
        ]  # fmt: skip
        replies = iter(self.client.ask(requests, "asking"))
        return [
            _completions([next(replies) for _ in draws], text, settings) if isinstance(text, str) else text
            for text in texts
        ]


class ChattingModel(ServedModel):
    """A served model that answers questions."""

    is_chat_model = True

    @property
    def warnings(self) -> list[str]:
        """Those of every served model; that answers are drawn, where the server takes no temperature."""
        drawn = "the server takes no temperature in chats: answers are drawn, not the likeliest"
        return super().warnings + [drawn] * ("temperature" in self.abilities.refused)

    @property
    def alternatives(self) -> int:
        """How many of the likeliest first tokens a reply can bring along; 0: none."""
        return self.abilities.alternatives

    def reply(
        self, prompts: Sequence[str], settings: GenerationSettings, *, alternatives: int = 0
    ) -> list[list[Reply] | Skipped]:
        """Put every prompt as a user's turn: ``settings.n`` draws, or the likeliest reply.

        Raises:
            CapabilityError: more than one of the likeliest replies are asked for, which no server gives.
        """
        self._one_likeliest(settings, "replies")
        asked = list(check_texts(prompts, "prompts"))
        options = self._options(settings, alternatives)
        turns = [] if self.system is None else [{"role": "system", "content": self.system}]
        draws = range(settings.n)
        requests = [
            ServerRequest(
                CHAT,
                {"messages": [*turns, {"role": "user", "content": prompt}], **options,
                 **({"seed": settings.seed + draw} if settings.decoding == "sample" else {})},
                draw,
            )
            for prompt in asked if prompt.strip() for draw in draws
        ]  # fmt: skip
        replies = iter(self.client.ask(requests, "asking"))
        out: list[list[Reply] | Skipped] = []
        for prompt in asked:
            own = [next(replies) for _ in draws] if prompt.strip() else [Refused("the text is empty")]
            said = [_reply(one) for one in own if not isinstance(one, Refused)]
            out.append(said or Skipped(prompt, next(one.reason for one in own if isinstance(one, Refused))))
        return out

    def _options(self, settings: GenerationSettings, alternatives: int) -> dict[str, Any]:
        """The options of a request, by the names that the server was found to know."""
        options: dict[str, Any] = dict(self.abilities.chat or {})
        limit = "max_completion_tokens" if "max_completion_tokens" in options else "max_tokens"
        options[limit] = settings.max_new_tokens
        if "temperature" in options:
            options["temperature"] = settings.temperature if settings.decoding == "sample" else 0
        if not alternatives:
            options = {k: v for k, v in options.items() if k not in ("logprobs", "top_logprobs")}
        return options


class ScoringModel(CompletingModel):
    """A served model whose server also gives the log-probabilities of a prompt's tokens."""

    def __init__(self, client: Client, abilities: Abilities, system: str | None = None) -> None:
        super().__init__(client, abilities, system)
        self._ids: dict[str, int] = {}
        self._scores: dict[Encoded, FloatArray] = {}

    def encode(self, texts: Sequence[str]) -> list[Encoded | Skipped]:
        """The tokens of each text as the server splits it; the first, which nothing precedes, may have no score.

        One request a text, which brings the scores too.
        """
        texts = check_texts(texts)
        requests = [
            ServerRequest(COMPLETIONS, {"prompt": text, **(self.abilities.echo or {})})
            for text in texts
            if text.strip()
        ]
        replies = iter(self.client.ask(requests, "scoring"))
        return [
            self._encoded(text, next(replies)) if text.strip() else Skipped(text, "the text is empty")
            for text in texts
        ]

    def encode_continuations(self, pairs: Sequence[tuple[str, str]]) -> list[Encoded | Skipped]:
        """Tokens of ``context + continuation``, of which those of the continuation count."""
        out = []
        for item, (context, _) in zip(self.encode([a + b for a, b in pairs]), pairs, strict=True):
            if isinstance(item, Encoded):
                scores = dict(zip(item.positions, self._scores[item], strict=True))
                item = item.after(len(context), "the continuation holds no token that can be scored")
                if isinstance(item, Encoded):
                    self._scores[item] = np.array([scores[p] for p in item.positions])
            out.append(item)
        return out

    def sequence_logprobs(self, encoded: Sequence[Encoded]) -> list[FloatArray]:
        """Log p(token | the tokens before it) of every token that counts; one array per text.

        Raises:
            InputError: a text that this model did not encode.
        """
        if unknown := next((item for item in encoded if item not in self._scores), None):
            raise InputError(f"encode() of {self.name} did not make the tokens of {unknown.text[:60]!r}")
        return [self._scores[item] for item in encoded]

    def _encoded(self, text: str, reply: dict[str, Any] | Refused) -> Encoded | Skipped:
        if isinstance(reply, Refused):
            return Skipped(text, reply.reason)
        tokens = prompt_tokens(reply, text)
        if tokens is None:
            return Skipped(text, "the server's tokens do not make up the text")
        scored = [i for i, token in enumerate(tokens) if token.logprob is not None]
        if not scored:
            return Skipped(text, "a single token, which nothing precedes")
        item = Encoded(
            text, tuple(self._ids.setdefault(token.text, len(self._ids)) for token in tokens), tuple(scored),
            tuple((token.start, token.start + len(token.text)) for token in tokens),
        )  # fmt: skip
        self._scores[item] = np.array([tokens[i].logprob for i in scored], dtype=np.float64)
        return item


def _completions(
    replies: Sequence[dict[str, Any] | Refused], text: str, settings: GenerationSettings
) -> Completions | Skipped:
    if all(isinstance(reply, Refused) for reply in replies) and isinstance(replies[0], Refused):
        return Skipped(text, replies[0].reason)
    found = [
        None if isinstance(reply, Refused) else str(reply["choices"][0].get("text") or "")
        for reply in replies
    ]
    return [t if t is None or settings.unit == "text" else first_word(t) for t in found]


class _ChattingCompletingModel(ChattingModel, CompletingModel):
    pass


class _ChattingScoringModel(ChattingModel, ScoringModel):
    pass


_CLASSES: dict[tuple[bool, bool, bool], type[ServedModel]] = {
    (True, False, False): ChattingModel,
    (False, True, False): CompletingModel,
    (True, True, False): _ChattingCompletingModel,
    (False, True, True): ScoringModel,
    (True, True, True): _ChattingScoringModel,
}
"""By what the server does: chats, completes, gives the log-probabilities of prompts."""


def _reply(reply: dict[str, Any]) -> Reply:
    choice = reply["choices"][0]
    message = choice.get("message") or {}
    text = str(message.get("content") or "")
    refusal = message.get("refusal")
    finish = choice.get("finish_reason")
    return Reply(
        text or str(refusal or ""),
        ended=finish != "length",
        refused=bool(refusal) or finish == "content_filter",
        alternatives=first_alternatives(choice),
    )


def load_endpoint(
    spec: str,
    *,
    served_model: str | None = None,
    chat: Chat = "auto",
    system: str | None = None,
    concurrency: int = 8,
    timeout: float = 120.0,
    max_requests: int | None = None,
    max_tokens: int | None = None,
    cache: RequestCache | None = None,
) -> ServedModel:
    """Load a model behind an address and find out what its server can do.

    Args:
        spec: ``endpoint:URL#NAME``, or ``endpoint:URL``.
        served_model: the name by which the server knows the model, where the address does not hold it.
        chat: ``"auto"`` asks it in chats where the server has them, ``True`` insists on that, ``False`` never does.
        system: the system's turn of chats; by default none is given.
        concurrency: most requests in flight.
        timeout: seconds until a request is given up.
        max_requests: most requests, those sent again after a failure not counted; ``None``: no limit.
        max_tokens: most tokens of prompts and replies, as far as the server counts them; ``None``: no limit.
        cache: where replies are kept; by default in memory, for as long as the model lives.

    Raises:
        InputError: not an address.
        ModelError: nobody answers there, the key is refused, or the model is not served.
        BudgetError: the limits leave no request.
    """
    client = Client(
        parse_address(spec, served_model), MemoryCache() if cache is None else cache, concurrency, timeout,
        max_requests=max_requests, max_tokens=max_tokens,
    )  # fmt: skip
    abilities = probe(client)
    client.system = dict(client.systems)
    if abilities.chat is None and (chat is True or system is not None):
        given = "chat=True" if chat is True else "system=…"
        raise ModelError(f"{given} needs a server that chats, and {client.address.name} only completes texts")
    chats = abilities.chat is not None and chat is not False
    if not chats and not abilities.completes:
        raise ModelError(f"{client.address.name} only chats: leave chat=False out")
    return _CLASSES[chats, abilities.completes, abilities.echo is not None](client, abilities, system)
