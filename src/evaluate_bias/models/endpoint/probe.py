"""What a server can do, found out by asking it a few short questions when the model is loaded."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from typing import Any

from ...errors import ModelError, quoted
from .client import CHAT, COMPLETIONS, Client, Refused, ServerRequest, system_fingerprint

_QUESTION = "Answer with one word: is water wet?"
_TEXT = "Water is wet."


@dataclass(frozen=True, slots=True)
class Abilities:
    """What was found.

    Attributes:
        chat: the options that a chat request takes beside its messages; ``None``: it does not chat.
        completes: it continues texts.
        echo: the options of a completion request that gives the log-probabilities of its prompt's tokens; ``None``: no
            such options are known to work.
        served: the model's name in its replies.
        refused: the options of a chat request that it refuses or ignores.
    """

    chat: Mapping[str, Any] | None
    completes: bool
    echo: Mapping[str, Any] | None
    served: str
    refused: tuple[str, ...] = ()

    @property
    def alternatives(self) -> int:
        """How many of the likeliest tokens a chat reply gives for each of its tokens; 0: none."""
        return int((self.chat or {}).get("top_logprobs", 0))

    def facts(self) -> dict[str, Any]:
        """For the provenance."""
        known = {"chat": self.chat, "prompt_logprobs": self.echo}
        return {
            "served_model": self.served,
            "can": [name for name, options in known.items() if options is not None]
            + ["completions"] * self.completes,
            "options": {name: dict(options) for name, options in known.items() if options is not None},
            "refused": list(self.refused),
        }


@dataclass(frozen=True, slots=True)
class ScoredToken:
    """A token of a prompt: its place in the text, and log p(token | the tokens before it), ``None`` for the first."""

    text: str
    start: int
    logprob: float | None


def probe(client: Client) -> Abilities:
    """Ask a server what it can do. An option that it refuses is left out or replaced by its other name.

    Raises:
        ModelError: it neither chats nor completes.
    """
    refused: list[str] = []
    chat = _first(
        client, CHAT, {"messages": [{"role": "user", "content": _QUESTION}]}, _chat_options(), refused
    )
    plain = _first(
        client, COMPLETIONS, {"prompt": _TEXT}, iter([{"max_tokens": 1, "temperature": 0}]), refused
    )
    if chat is None and plain is None:
        raise _no_answer(client, refused)
    echo = None if plain is None else _first(client, COMPLETIONS, {"prompt": _TEXT}, _echo_options(), refused)
    options, reply = chat or plain or ({}, {})
    if chat is not None and first_alternatives(reply["choices"][0]) is None:
        # Asked for and silently left out, as some servers do with status 200.
        options = {name: value for name, value in options.items() if name not in ("logprobs", "top_logprobs")}
    return Abilities(
        chat=None if chat is None else options,
        completes=plain is not None,
        echo=None if echo is None else echo[0],
        served=str(reply.get("model") or client.address.model),
        refused=() if chat is None else tuple(name for name in next(_chat_options()) if name not in options),
    )


def system_of(client: Client) -> str:
    """The fingerprint of the system that answers now, by one short question; empty where it names none.

    Raises:
        ModelError: it answers none.
    """
    chat = {"messages": [{"role": "user", "content": _QUESTION}]}
    refused: list[str] = []
    for path, body, limit in (
        (CHAT, chat, "max_tokens"),
        (CHAT, chat, "max_completion_tokens"),
        (COMPLETIONS, {"prompt": _TEXT}, "max_tokens"),
    ):
        if found := _first(client, path, body, iter([{limit: 1}]), refused):
            return system_fingerprint(found[1])
    raise _no_answer(client, refused)


def _no_answer(client: Client, refused: list[str]) -> ModelError:
    return ModelError(
        f"{client.address.url} neither chats nor completes as {quoted(client.address.model)}: {refused[0]}; name a "
        "model that it serves, and the address up to and with /v1"
    )


def _chat_options() -> Iterator[dict[str, Any]]:
    scores = [{"logprobs": True, "top_logprobs": 20}, {"logprobs": True, "top_logprobs": 5}, {}]
    for limit, temperature, asked in product(
        ("max_tokens", "max_completion_tokens"), ({"temperature": 0}, {}), scores
    ):
        yield {limit: 1, **temperature, **asked}


def _echo_options() -> Iterator[dict[str, Any]]:
    for most in (0, 1):
        yield {"echo": True, "logprobs": 1, "max_tokens": most, "temperature": 0}
    yield {"prompt_logprobs": 0, "max_tokens": 1, "temperature": 0}


def _first(
    client: Client, path: str, body: Mapping[str, Any], variants: Iterator[dict[str, Any]], refused: list[str]
) -> tuple[dict[str, Any], Mapping[str, Any]] | None:
    """The first options that are answered as asked, and the reply; ``None`` where none are."""
    for options in variants:
        (reply,) = client.ask([ServerRequest(path, {**body, **options})], "probing", trying=True)
        if isinstance(reply, Refused):
            refused.append(reply.reason)
            if reply.status == 404:
                return None
        elif not {"echo", "prompt_logprobs"} & options.keys() or prompt_tokens(reply, _TEXT) is not None:
            return options, reply
    return None


def first_alternatives(choice: Mapping[str, Any]) -> dict[str, float] | None:
    """The likeliest first tokens of a chat's answer with their log-probabilities; ``None`` where none are given.

    Examples:
        >>> top = [{"token": "A", "logprob": -0.5}, {"token": "B", "logprob": -1.5}]
        >>> first_alternatives({"logprobs": {"content": [{"token": "A", "top_logprobs": top}]}})
        {'A': -0.5, 'B': -1.5}
        >>> first_alternatives({"logprobs": None}) is None
        True
    """
    try:
        top = choice["logprobs"]["content"][0]["top_logprobs"]
        return {str(one["token"]): float(one["logprob"]) for one in top} or None
    except (KeyError, IndexError, TypeError, ValueError):
        return None


def prompt_tokens(reply: Mapping[str, Any], prompt: str) -> list[ScoredToken] | None:
    """The tokens of a prompt in a reply, with their log-probabilities; ``None`` where they do not make up the prompt.

    Examples:
        >>> logprobs = {"tokens": ["It", " is"], "token_logprobs": [None, -0.5], "text_offset": [0, 2]}
        >>> prompt_tokens({"choices": [{"text": "It is", "logprobs": logprobs}]}, "It is")[1]
        ScoredToken(text=' is', start=2, logprob=-0.5)
        >>> prompt_tokens({"choices": [{"text": "It is", "logprobs": None}]}, "It is") is None
        True
    """
    choice = reply["choices"][0]
    try:
        if choice.get("prompt_logprobs") is not None:
            entries = [entry for entry in choice["prompt_logprobs"] if entry is not None]
            pairs = [_first_alternative(entry) for entry in entries]
        else:
            pairs = list(zip(choice["logprobs"]["tokens"], choice["logprobs"]["token_logprobs"], strict=True))
        return _placed([(str(text), None if p is None else float(p)) for text, p in pairs], prompt)
    except (KeyError, TypeError, ValueError, AttributeError):
        return None


def _first_alternative(entry: Mapping[str, Any]) -> tuple[str, Any]:
    """The token itself, which comes first among its alternatives."""
    first = next(iter(entry.values()))
    return first["decoded_token"], first["logprob"]


def _placed(pairs: list[tuple[str, float | None]], prompt: str) -> list[ScoredToken] | None:
    """The tokens with their places, where they make up the prompt (and what was written after it is left off)."""
    found, start = [], 0
    for text, logprob in pairs:
        if start >= len(prompt):
            break
        if not prompt.startswith(text, start):
            return None
        found.append(ScoredToken(text, start, logprob))
        start += len(text)
    return found if start == len(prompt) else None
