"""A model served over an API, with the capabilities that its server was found to have."""

from __future__ import annotations

import copy
import dataclasses
import datetime
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, TypeVar
from urllib.parse import urlsplit

import numpy as np
from annotated_types import Ge, Gt

from ...arrays import FloatArray
from ...errors import CapabilityError, InputError, ModelError, quoted
from ...options import Count
from ...provenance import software_versions
from ...result import Skipped
from ..alignment import Encoded, check_texts
from ..base import Capability, ModelKind
from ..chat_template import THINKING_TOKENS, Chat, ChatOptions, Thinking
from ..completions import Completions, GenerationSettings, Reply, first_word, messages_of, text_before_blank
from ..thoughts import split_thoughts
from .address import SCHEME, parse_address
from .client import CHAT, COMPLETIONS, Client, RequestCache, ServerRequest
from .provider import client_of
from .server_reply import Refused, ServerReply

_T = TypeVar("_T")
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
    """The options that a server accepts on one of its paths.

    Attributes:
        limit: the name of the most tokens of a reply.
        options: the options of every request.
        draws: further options of a sampled reply.
        refused_options: options that it refuses or ignores.
    """

    limit: str
    options: Mapping[str, Any] = field(default_factory=dict)
    draws: Mapping[str, Any] = field(default_factory=dict)
    refused_options: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Abilities:
    """What a server was found to support.

    Attributes:
        chat: how it is asked in chats, or ``None`` if it does not chat.
        completions: how it is asked to continue texts, or ``None`` if it does not.
        echo: the options of a completion request that gives the log-probabilities of its prompt's tokens.
            ``None``: no such options were found to work.
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
        """How many of the most likely tokens a chat reply gives for each of its tokens. 0 means none."""
        return int(self.chat.options.get("top_logprobs", 0)) if self.chat else 0

    def facts(self) -> dict[str, Any]:
        """Return facts for the provenance."""
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


class ServedModel(ModelKind):
    """A served model, which answers questions, continues texts, and scores them, as far as its server does.

    Args:
        client: asks the server.
        abilities: how it is asked for what it can do.
        chat_options: how it is asked in chats.
        capabilities: what it is used for.
    """

    capabilities = frozenset({Capability.CHATS, Capability.GENERATES, Capability.SCORES_SEQUENCES})
    label = "a served model"
    is_uncased = False

    def __init__(
        self,
        client: Client,
        abilities: Abilities,
        chat_options: ChatOptions,
        capabilities: frozenset[Capability],
    ) -> None:
        self.client, self.abilities, self.chat_options = client, abilities, chat_options
        self.capabilities = capabilities  # type: ignore[misc]  # of this server
        self.name = client.address.name
        self.date = datetime.datetime.now(datetime.UTC).date().isoformat()
        self._warnings: dict[str, None] = {}
        self._has_thought = False
        self._ids: dict[str, int] = {}
        self._scores: dict[Encoded, FloatArray] = {}

    @property
    def warnings(self) -> list[str]:
        """Warnings: the server may change or did, options were not sent, or something happened while it was asked."""
        fingerprints: dict[str, list[str]] = {}
        for path, name in self.client.systems:
            fingerprints.setdefault(path, []).append(name)
        changes = [
            f"the server's system changed meanwhile: {repr(names)[1:-1]}"
            for names in fingerprints.values()
            if len(names) > 1
        ]
        date_note = f"a served model may change: the server was asked on {self.date}"
        warnings = [date_note, *dict.fromkeys(changes), *self._warnings]
        refused = self.abilities.chat.refused_options if self.abilities.chat and self.is_chat_model else ()
        if "temperature" in refused:
            warnings.append(
                "the server supports no temperature in chats: answers are sampled, not the most likely ones"
            )
        # Cuts in the distribution of draws have a warning of their own.
        unsaid = {*WHOLE_DISTRIBUTION, *REPEATABLE, "max_tokens", "top_logprobs"}
        names = [name for name in refused if name not in unsaid]
        if names and self.client.address.is_provider:
            warnings.append(f"{self.client.address.host} supports no {', '.join(names)} from Inspect")
        return warnings

    @property
    def is_chat_model(self) -> bool:
        """True if it is asked questions."""
        return Capability.CHATS in self.capabilities

    @property
    def alternatives(self) -> int:
        """How many of the most likely first tokens a reply can include. 0 means none."""
        return self.abilities.alternatives

    @property
    def reply_tokens(self) -> int:
        """Most tokens of a reply that is read as text: more if a reply shows thoughts."""
        return self.chat_options.room(self.abilities.thinks or self._has_thought)

    def until(self, moment: float) -> ServedModel:
        """Return the same model for one user, with requests that are given up at a time of ``time.monotonic``."""
        other = copy.copy(self)
        other.client = dataclasses.replace(self.client, until=moment)
        other.client.system = self.client.system
        other._warnings = {}
        return other

    def _forms(self, form: RequestForm, settings: GenerationSettings, what: str) -> list[dict[str, Any]]:
        """Return the options of the request for each sampled reply, by the names that the server knows."""
        if settings.decoding == "top" and settings.n > 1:
            raise CapabilityError(
                f"{self.name} is served, and a server does not give the {settings.n} most likely {what}",
                hint="set `decoding` to 'sample', or `k` to 1",
            )
        options = {form.limit: settings.max_new_tokens, **form.options}
        if settings.decoding == "top":
            return [options]
        if settings.decoding == "default":
            sampled = {name: value for name, value in options.items() if name != "temperature"}
            return [sampled] * settings.n
        if "temperature" in options:
            options["temperature"] = settings.temperature
        if cuts := [name for name in WHOLE_DISTRIBUTION if name in form.refused_options]:
            warning = (
                f"the server supports no {', '.join(cuts)}: its own cuts apply and exclude what is unlikely"
            )
            self._warnings[warning] = None
        draws = {**form.draws, **({"top_p": settings.top_p} if "top_p" in form.draws else {})}
        return [{**options, **draws, "seed": settings.seed + draw} for draw in range(settings.n)]

    def _ask(
        self,
        path: str,
        texts: Sequence[str | Skipped],
        bodies: Callable[[str], list[dict[str, Any]]],
        read_replies: Callable[[str, list[ServerReply | Refused]], _T | Skipped],
        what: str = "asking",
    ) -> list[_T | Skipped]:
        """Return what is read from the replies to each text, or a skip if all are refused. Each body is a request."""
        requests = [
            [ServerRequest(path, body, draw) for draw, body in enumerate(bodies(text))]
            if isinstance(text, str)
            else []
            for text in texts
        ]
        replies = iter(self.client.ask([one for of_text in requests for one in of_text], what))
        answers: list[_T | Skipped] = []
        for text, of_text in zip(texts, requests, strict=True):
            its_replies = [next(replies) for _ in of_text]
            reasons = [reply.reason for reply in its_replies if isinstance(reply, Refused)]
            if isinstance(text, Skipped):
                answers.append(text)
            elif len(reasons) == len(its_replies):
                answers.append(Skipped(text, reasons[0]))
            else:
                answers.append(read_replies(text, its_replies))
        return answers

    def announce(self, n_requests: int, n_rows: int) -> None:
        """Say how many requests about how many rows are to come, see :meth:`.Client.announce`."""
        self.client.announce(n_requests, n_rows)

    def provenance(self) -> dict[str, Any]:
        """Return address, served name, abilities, fingerprints and date, but never the key."""
        address = self.client.address
        return {
            "kind": "endpoint",
            "name": self.name,
            "source": address.source,
            **self.abilities.facts(),
            **self.chat_options.facts(),
            "system_fingerprint": list(dict.fromkeys(name for _, name in self.client.systems if name)),
            "date": self.date,
            "versions": software_versions(self.client.package),
            **({"reply_tokens": self.reply_tokens} if self.is_chat_model else {}),
        }

    def complete(self, prompts: Sequence[str], settings: GenerationSettings) -> list[Completions | Skipped]:
        """Continue every prompt up to its blank: ``settings.n`` draws, or the most likely continuation.

        Raises:
            CapabilityError: several most likely continuations are requested, which no server gives.
        """
        assert self.abilities.completions is not None
        forms = self._forms(self.abilities.completions, settings, "continuations")
        texts = [text_before_blank(prompt) for prompt in check_texts(prompts, "prompts")]

        def read_replies(text: str, replies: list[ServerReply | Refused]) -> Completions:
            written = [None if isinstance(reply, Refused) else reply.content.text for reply in replies]
            return [t if t is None or settings.unit == "text" else first_word(t) for t in written]

        return self._ask(
            COMPLETIONS, texts, lambda text: [{"prompt": text, **form} for form in forms], read_replies
        )

    def reply(
        self, prompts: Sequence[str], settings: GenerationSettings, *, alternatives: int = 0
    ) -> list[list[Reply] | Skipped]:
        """Send every prompt as a user's turn: ``settings.n`` draws, or the most likely reply.

        Raises:
            CapabilityError: several most likely replies are requested, which no server gives.
        """
        assert self.abilities.chat is not None
        system = self.chat_options.system
        turns = [] if system is None else [{"role": "system", "content": system}]
        excluded = () if alternatives else ("logprobs", "top_logprobs")
        forms = [
            {name: value for name, value in form.items() if name not in excluded}
            for form in self._forms(self.abilities.chat, settings, "replies")
        ]

        def read_replies(prompt: str, replies: list[ServerReply | Refused]) -> list[Reply]:
            contents = [reply.content for reply in replies if isinstance(reply, ServerReply)]
            self._has_thought |= any(map(shows_thoughts, contents))
            return contents

        return self._ask(
            CHAT,
            _not_empty(check_texts(prompts, "prompts")),
            lambda text: [{"messages": [*turns, *messages_of(text)], **form} for form in forms],
            read_replies,
        )

    def encode(self, texts: Sequence[str]) -> list[Encoded | Skipped]:
        """Return the tokens of each text as the server splits it. The first, which nothing precedes, may have no score.

        One request per text, which returns the scores too.
        """
        return self._ask(
            COMPLETIONS,
            _not_empty(check_texts(texts)),
            lambda text: [{"prompt": text, **(self.abilities.echo or {})}],
            self._encoded,
            "scoring",
        )

    def encode_continuations(self, pairs: Sequence[tuple[str, str]]) -> list[Encoded | Skipped]:
        """Return the tokens of ``context + continuation``, of which only the continuation counts."""
        out: list[Encoded | Skipped] = []
        for whole, (context, _) in zip(self.encode([a + b for a, b in pairs]), pairs, strict=True):
            if isinstance(whole, Skipped):
                out.append(whole)
                continue
            shared = [span for span, number in Counter(whole.offsets).items() if number > 1]
            if any(a < len(context) < b for a, b in shared):
                out.append(Skipped(whole.text, "the server cuts the letters at the seam into parts"))
                continue
            item = whole.after(len(context), "the continuation contains no token that can be scored")
            if isinstance(item, Encoded):
                scores = dict(zip(whole.positions, self._scores[whole], strict=True))
                self._scores[item] = np.array([scores[p] for p in item.positions])
            out.append(item)
        return out

    def sequence_logprobs(self, encoded: Sequence[Encoded]) -> list[FloatArray]:
        """Return log p(token | the tokens before it) of every token that counts: one array per text.

        Raises:
            InputError: a text was not encoded by this model.
        """
        if unknown := next((item for item in encoded if item not in self._scores), None):
            raise InputError(f"encode() of {self.name} did not make the tokens of {unknown.text[:60]!r}")
        return [self._scores[item] for item in encoded]

    def _encoded(self, text: str, replies: list[ServerReply | Refused]) -> Encoded | Skipped:
        tokens = [
            token for reply in replies if isinstance(reply, ServerReply) for token in reply.prompt_tokens
        ]
        scored = [i for i, token in enumerate(tokens) if token.logprob is not None]
        if not scored:
            return Skipped(text, "a single token, which nothing precedes")
        if tokens[0].logprob is None:
            self._warnings[
                "texts were scored without a start token: their first token has no score, and the scores of others "
                "differ from the scores of the same model when it is loaded"
            ] = None
        item = Encoded(
            text, tuple(self._ids.setdefault(token.text, len(self._ids)) for token in tokens), tuple(scored),
            tuple((token.start, token.end) for token in tokens),
        )  # fmt: skip
        self._scores[item] = np.array([tokens[i].logprob for i in scored], dtype=np.float64)
        return item


def _not_empty(texts: Sequence[str]) -> list[str | Skipped]:
    return [text if text.strip() else Skipped(text, "the text is empty") for text in texts]


class ProviderModel(ServedModel):
    """A model of a provider, which Inspect only asks in chats."""

    capabilities = frozenset({Capability.CHATS})


def load_endpoint(
    spec: str,
    *,
    served_model: str | None = None,
    chat: Chat = "auto",
    system: str | None = None,
    reply_tokens: Count | None = None,
    thinking: Thinking = "auto",
    reasoning_effort: str | None = None,
    extra_body: Mapping[str, Any] | None = None,
    concurrency: Count = 8,
    timeout: Annotated[float, Gt(0)] = 120.0,
    ready_timeout: Annotated[float, Ge(0)] = 60.0,
    max_requests: Count | None = None,
    max_tokens: Count | None = None,
    cache: RequestCache | None = None,
) -> ServedModel:
    """Load a model served over an API, or of a provider, and find out what its server can do.

    Args:
        spec: ``endpoint:URL#NAME``, ``endpoint:URL``, or ``inspect:PROVIDER/NAME`` for a provider that Inspect knows.
        served_model: the name by which the server knows the model, if the address does not contain it.
        chat: whether it is asked in chats. For this and what follows see
            :class:`~evaluate_bias.models.chat_template.ChatOptions`.
        system: the system's turn.
        reply_tokens: most tokens of a reply that is read as text.
        thinking: refused, as the switch of a template belongs to the server.
        reasoning_effort: how long it is to think.
        extra_body: further fields of every request.
        concurrency: most requests in flight.
        timeout: seconds until a request is given up, from its first byte to the last byte of the reply. For a
            provider, this includes the wait before it is sent again.
        ready_timeout: seconds to wait for a server that answers 502, 503 or 504, as a loading server does. A
            provider has only ``timeout``.
        max_requests: most requests, not counting those sent again after a failure. ``None``: no limit.
        max_tokens: most tokens of prompts and replies, as far as the server counts them. ``None``: no limit.
        cache: where replies are kept, by default in memory, for as long as the model lives.

    Raises:
        InputError: not an address, or an option that no server accepts.
        ModelError: nobody answers there, the key is refused, the model is not served, or the server refuses an option.
        MeasurementError: the server is not ready in time, or does not answer in time.
        BudgetError: the limits leave no request.
    """
    address = parse_address(spec, served_model)
    if thinking != "auto":
        raise InputError(
            f"`thinking` switches a chat template, which the server of {address.name} applies itself",
            option="thinking",
            hint="give `reasoning_effort`, or the server's own field in `extra_body`, such as "
            "chat_template_kwargs with enable_thinking",
        )
    options = ChatOptions(chat, system, reply_tokens, thinking, reasoning_effort, extra_body)
    client = client_of(
        address, {} if cache is None else cache, concurrency=concurrency, timeout=timeout,
        ready_timeout=ready_timeout, max_requests=max_requests, max_tokens=max_tokens,
        **{"extra_fields": frozenset(extra_body or {})} if address.is_provider else {},
    )  # fmt: skip
    abilities = probe(client, options)
    client.system = dict(client.systems)
    chat_only = [name for name in ("system", "reasoning_effort") if getattr(options, name) is not None]
    chat_only = ["chat"] if chat is True else chat_only
    if abilities.chat is None and chat_only:
        raise ModelError(
            f"`{chat_only[0]}` needs a server that chats, and {address.name} only completes texts",
            option=chat_only[0],
            hint="omit it",
        )
    capabilities = {
        Capability.CHATS: abilities.chat is not None and chat is not False,
        Capability.GENERATES: abilities.completions is not None,
        Capability.SCORES_SEQUENCES: abilities.echo is not None,
    }
    if not any(capabilities.values()):
        raise ModelError(f"{address.name} only chats", option="chat", hint="omit `chat`")
    made = ProviderModel if address.is_provider else ServedModel
    return made(
        client, abilities, options, frozenset(one for one, is_there in capabilities.items() if is_there)
    )


# --- what a server can do, found out by asking it a few short questions when the model is loaded ----------------------


def probe(client: Client, chat_options: ChatOptions) -> Abilities:
    """Ask a server what it can do. An option that it refuses is omitted or replaced by its other name.

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
    if served.startswith("/") or served.endswith(".gguf"):  # the location of the file is private
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
        question: what is asked.
        user_options: the user's options, which are sent in every request.
        refusals: the list to which refusals are added.
        reply: the last reply.
    """

    client: Client
    path: str
    question: Mapping[str, Any]
    user_options: Mapping[str, Any]
    refusals: list[Refused]
    reply: ServerReply | None = None

    def form(self, options: Sequence[Mapping[str, Any]]) -> RequestForm | None:
        """Return how it is asked, with the options that it accepts, or ``None`` if it has no such path.

        All options are tried at once, and one by one if they are refused together.
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
            # Asked for and silently omitted, as some servers do with status 200.
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
        """Return the options by which it gives the log-probabilities of a prompt, or ``None`` if it never does."""
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
        """Refuse the user's options if the path answers only without them.

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
    """Return the fingerprint of the system that answers a short question now, or an empty string without one.

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
