"""What a server can do, found out by asking it a few short questions when the model is loaded."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from ...errors import ModelError, quoted
from ..chat_template import THINKING_TOKENS, ChatOptions
from ..completions import Reply
from ..thoughts import split_thoughts
from .address import SCHEME
from .client import CHAT, COMPLETIONS, Client, ServerRequest
from .server_reply import Refused, ServerReply

_QUESTION = "Answer with one word: is water wet?"
_TEXT = "Water is wet."
TOKENS = 16
"""Most tokens of a reply to a question, in which a model that thinks shows it. OpenAI's Responses accept no fewer."""
_LIMITS = (
    ("max_tokens", TOKENS),
    ("max_completion_tokens", TOKENS),
    ("max_completion_tokens", THINKING_TOKENS),
)
_TEMPERATURE = {"temperature": 0}
_SCORES, _FEWER_SCORES = ({"logprobs": True, "top_logprobs": number} for number in (20, 5))
WHOLE_DISTRIBUTION: Mapping[str, Any] = {"top_p": 1, "top_k": 0, "min_p": 0}
"""What undoes the cuts that servers make in the distribution that they draw from."""
_DRAWS = [{name: value} for name, value in WHOLE_DISTRIBUTION.items()]
REPEATABLE = {"cache_prompt": False}
"""What keeps a server from scores that depend on what it was asked before."""


@dataclass(frozen=True, slots=True)
class RequestForm:
    """The options that a server takes on one of its paths.

    Attributes:
        limit: the name of the most tokens of a reply.
        options: those of every request.
        draws: those of a draw from the model's distribution beside them.
        refused_options: those that it refuses or ignores.
    """

    limit: str
    options: Mapping[str, Any] = field(default_factory=dict)
    draws: Mapping[str, Any] = field(default_factory=dict)
    refused_options: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Abilities:
    """What was found.

    Attributes:
        chat: how it is asked in chats; ``None``: it does not chat.
        completions: how it is asked to continue texts; ``None``: it does not.
        echo: the options of a completion request that gives the log-probabilities of its prompt's tokens; ``None``: no
            such options were found to work.
        served: the model's name in its replies.
        thinks: whether a reply in a chat begins with thoughts.
    """

    chat: RequestForm | None
    completions: RequestForm | None
    echo: Mapping[str, Any] | None
    served: str
    thinks: bool = False

    @property
    def alternatives(self) -> int:
        """How many of the likeliest tokens a chat reply gives for each of its tokens; 0: none."""
        return int(self.chat.options.get("top_logprobs", 0)) if self.chat else 0

    def facts(self) -> dict[str, Any]:
        """For the provenance."""
        forms = {"chat": self.chat, "completions": self.completions}
        options = {
            name: {"limit": form.limit, **form.options, **form.draws} for name, form in forms.items() if form
        }
        options |= {} if self.echo is None else {"prompt_logprobs": dict(self.echo)}
        return {
            "served_model": self.served,
            "can": [name for name in ("chat", "prompt_logprobs", "completions") if name in options],
            "options": options,
            "refused": list(
                dict.fromkeys(name for form in forms.values() if form for name in form.refused_options)
            ),
        }


def probe(client: Client, chat_options: ChatOptions) -> Abilities:
    """Ask a server what it can do. An option that it refuses is left out or replaced by its other name.

    Raises:
        ModelError: it neither chats nor completes, or refuses an option of the user's.
        MeasurementError: it is not ready in time.
    """
    refusals: list[Refused] = []
    user_options = dict(chat_options.extra_body or {})
    texts = _PathProbe(client, COMPLETIONS, {"prompt": _TEXT}, user_options, refusals)
    if chat_options.reasoning_effort is not None:
        user_options = {**user_options, "reasoning_effort": chat_options.reasoning_effort}
    chats = _PathProbe(
        client, CHAT, {"messages": [{"role": "user", "content": _QUESTION}]}, user_options, refusals
    )
    chat = chats.form([_TEMPERATURE, _SCORES, *_DRAWS, REPEATABLE])
    if chat is None:
        chats.check_user_options()
    completions = texts.form([_TEMPERATURE, *_DRAWS, REPEATABLE])
    if chat is None and completions is None:
        texts.check_user_options()
        raise _no_answer(client, refusals)
    reply = chats.reply or texts.reply
    served = (reply.model if reply else "") or client.address.model
    if served.startswith("/") or served.endswith(".gguf"):  # where it lies is nobody's business
        served = served.rstrip("/").rpartition("/")[2]
    echo = texts.echo() if completions else None
    thinks = chat is not None and reply is not None and shows_thoughts(reply.content)
    return Abilities(chat, completions, echo, served, thinks)


def shows_thoughts(reply: Reply) -> bool:
    """Tell whether a model thought before it replied."""
    parts = split_thoughts(reply.text)
    return bool(reply.thoughts or reply.thought_tokens or parts.thoughts or parts.unfinished)


@dataclass
class _PathProbe:
    """One short question, put to one path of a server with one option after the other.

    Attributes:
        client: asks the server.
        path: where.
        question: what.
        user_options: the user's options, which stand in every request.
        refusals: where refusals are added.
        reply: the last reply.
    """

    client: Client
    path: str
    question: Mapping[str, Any]
    user_options: Mapping[str, Any]
    refusals: list[Refused]
    reply: ServerReply | None = None

    def form(self, options: Sequence[Mapping[str, Any]]) -> RequestForm | None:
        """How it is asked, with those of some options that it takes; ``None`` where it has no such path.

        All options are tried at once, and one by one where they are refused together.
        """
        options = [option for option in options if not option.keys() & self.user_options.keys()]
        together = {name: value for option in options for name, value in option.items()}
        limit, tokens = _LIMITS[0]
        fields = {limit: tokens, **self.user_options, **together}
        if not self._takes(fields):
            if self.refusals[-1].status == 404:
                return None
            for limit, tokens in _LIMITS:
                fields = {limit: tokens, **self.user_options}
                if self._takes(fields):
                    break
            else:
                return None
            all_at_once = [together] * (limit != _LIMITS[0][0])
            for option in (*all_at_once, *options, *[_FEWER_SCORES] * (_SCORES in options)):
                if not option.keys() <= fields.keys() and self._takes({**fields, **option}):
                    fields |= option
        if self.reply is not None and not self.reply.is_complete:
            # Asked for and silently left out, as some servers do with status 200.
            fields = {name: value for name, value in fields.items() if name not in _SCORES}
        dropped_options = self.client.dropped_options
        fields = {name: value for name, value in fields.items() if name not in dropped_options}
        of_draws = fields.keys() & WHOLE_DISTRIBUTION.keys() - self.user_options.keys()
        probed_names = dict.fromkeys((_LIMITS[0][0], *together, *sorted(dropped_options)))
        return RequestForm(
            limit,
            {name: value for name, value in fields.items() if name != limit and name not in of_draws},
            {name: value for name, value in fields.items() if name in of_draws},
            tuple(name for name in probed_names if name not in fields),
        )

    def echo(self) -> Mapping[str, Any] | None:
        """The options by which it gives the log-probabilities of a prompt; ``None`` where there are none."""
        scores: list[dict[str, Any]] = [{"echo": True, "logprobs": 1, "max_tokens": most} for most in (0, 1)]
        for options in (*scores, {"prompt_logprobs": 0, "max_tokens": 1}):
            request = {**options, **_TEMPERATURE, **self.user_options}
            if self._takes(request):
                return request
        return None

    def _takes(self, options: Mapping[str, Any]) -> bool:
        (reply,) = self.client.ask(
            [ServerRequest(self.path, {**self.question, **options})], "probing", trying=True
        )
        if isinstance(reply, Refused):
            self.refusals.append(reply)
            return False
        self.reply = reply
        return True

    def check_user_options(self) -> None:
        """Refuse the user's options where the path answers without them alone.

        Raises:
            ModelError: it does.
        """
        reason = self.refusals[-1].reason
        if self.user_options and any(self._takes({limit: tokens}) for limit, tokens in _LIMITS[:2]):
            raise ModelError(
                f"{self.client.address.name} does not answer with {', '.join(self.user_options)}: {reason}",
                option=next(iter(self.user_options)),
                hint="omit `reasoning_effort` or `extra_body`",
            )


def system_of(client: Client) -> str:
    """The fingerprint of the system that answers now, by one short question; empty where it names none.

    Raises:
        ModelError: it answers none.
        MeasurementError: it is not ready in time.
    """
    chat = {"messages": [{"role": "user", "content": _QUESTION}]}
    refusals: list[Refused] = []
    for path, body, limit in (
        (CHAT, chat, "max_tokens"),
        (CHAT, chat, "max_completion_tokens"),
        (COMPLETIONS, {"prompt": _TEXT}, "max_tokens"),
    ):
        (reply,) = client.ask([ServerRequest(path, {**body, limit: TOKENS})], "probing", trying=True)
        if isinstance(reply, ServerReply):
            return reply.fingerprint
        refusals.append(reply)
    raise _no_answer(client, refusals)


def _no_answer(client: Client, refusals: Sequence[Refused]) -> ModelError:
    address, statuses = client.address, {reply.status for reply in refusals}
    if 0 in statuses:
        advice = "it must be a server with an OpenAI-compatible API"
    elif min(statuses) >= 500:
        advice = "its log may say why"
    elif address.is_provider:
        advice = "name a model that the provider has"
    else:
        advice = "name a model that it serves"
        if not urlsplit(address.url).path.endswith("/v1"):
            advice += f", and the start of its paths, usually {SCHEME}{address.url}/v1#{address.model}"
    return ModelError(
        f"{address.url} neither chats nor completes as {quoted(address.model)}: {refusals[0].reason}; {advice}"
    )
