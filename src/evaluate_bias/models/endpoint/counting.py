"""How many requests a measurement will make, found by making it with placeholders for replies."""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from ...errors import BudgetError
from ..chat_template import ChatOptions
from ..completions import Reply
from .address import parse_address
from .client import CHAT, Client, ServerRequest
from .model import Abilities, ProviderModel, RequestForm, ServedModel
from .server_reply import Refused, ScoredToken, ServerReply

MOST_COUNTED = 50_000
"""Requests that are counted one by one: a million need minutes."""
_M = TypeVar("_M", bound=ServedModel)
_LIMITS = "max_tokens", "max_completion_tokens"


@dataclass
class CountingClient(Client):
    """A client that sends nothing: what is not in the cache is counted once and answered with a placeholder.

    Attributes:
        seen: the keys of what was counted.
        single_tokens: the questions for which a reply of one token was requested.
        texts: the questions for which a text with log-probabilities was requested at once.
        reply_tokens: most tokens of all replies to it, thoughts included.
        counted: how many requests were counted one by one.
        rows: the rows that the last measurement asks about, as far as it said so.
        at_least: whether there are more requests than were counted.

    Examples:
        >>> from .address import parse_address
        >>> client = CountingClient(parse_address("endpoint:http://127.0.0.1:1/v1#m"), {})
        >>> requests = [ServerRequest("/completions", {"prompt": text}) for text in ("A.", "B.", "A.")]
        >>> client.ask(requests)[0].content.text, client.requests
        (' A', 2)
    """

    seen: set[str] = field(default_factory=set)
    single_tokens: set[str] = field(default_factory=set)
    texts: dict[str, bool] = field(default_factory=dict)
    reply_tokens: int = 0
    counted: int = 0
    rows: int = 0
    at_least: bool = False

    def announce(self, n_requests: int, n_rows: int) -> None:
        """Count requests that are about to be made, all at once if they are too many to be counted one by one.

        Raises:
            BudgetError: they were counted all at once.
        """
        self.rows = n_rows
        # It is unknown which of these requests the replies in a store answer.
        if self.counted + n_requests > MOST_COUNTED and isinstance(self.cache, dict):
            self.requests += n_requests
            self.at_least = True
            raise BudgetError(f"{n_requests:,} requests")

    def ask(
        self, requests: Sequence[ServerRequest], what: str = "", *, trying: bool = False
    ) -> list[ServerReply | Refused]:
        """Count what is not in the cache, and return the replies that lead to the most further requests.

        Raises:
            BudgetError: more than :data:`MOST_COUNTED` were counted.
        """
        replies: list[ServerReply | Refused] = []
        for request in requests:
            key = self._key_of(request)
            stored = self.stored_reply(key)
            if stored is None and key not in self.seen:
                self.seen.add(key)
                self.requests += 1
                self.counted += 1
                self.reply_tokens += _most_tokens(request)
                if self.counted > MOST_COUNTED:
                    self.at_least = True
                    raise BudgetError(f"more than {MOST_COUNTED:,} requests")
            states = False
            if _most_tokens(request) == 1:
                self.single_tokens.add(_question_of(request))
            elif (
                request.body.get("logprobs") and (question := _question_of(request)) not in self.single_tokens
            ):
                # Half of the first texts state an answer: the other questions are then asked for one token, whose
                # replies state none, as little as the texts after them, so that all are followed up.
                states = self.texts.setdefault(question, len(self.texts) % 2 == 0)
            replies.append(stored or _stand_in(request, states))
        return replies


def stand_in_model(*, scores: bool) -> tuple[ServedModel, CountingClient]:
    """Return a model that counts what a chat model would be asked, and its client. No server is asked.

    Args:
        scores: whether the scores of texts are requests, too.
    """
    client = CountingClient(parse_address("endpoint:http://127.0.0.1/v1#stand-in"), {})
    chat = RequestForm("max_tokens", {"logprobs": True, "top_logprobs": 20}, {"temperature": 1.0})
    completions = RequestForm("max_tokens", {}, {"temperature": 1.0})
    echo = {"echo": True, "logprobs": 1, "max_tokens": 0}
    made = ServedModel if scores else ProviderModel
    abilities = Abilities(chat, completions, echo, "stand-in")
    return made(client, abilities, ChatOptions(), made.capabilities), client


def counting(model: _M) -> tuple[_M, CountingClient]:
    """Return the model with a client that counts and has the same cache, and that client."""
    counted = copy.copy(model)
    counted.client = client = CountingClient(model.client.address, model.client.cache)
    client.system = model.client.system
    return counted, client


def _most_tokens(request: ServerRequest) -> int:
    return max(int(request.body.get(name, 0)) for name in _LIMITS)


def _question_of(request: ServerRequest) -> str:
    return json.dumps(request.body.get("messages", request.body.get("prompt")))


def _stand_in(request: ServerRequest, states: bool) -> ServerReply:
    """Return a reply of the requested form. A single token names no label, so that methods request a text too.

    Args:
        request: what was asked.
        states: whether a text states an answer.
    """
    if request.path == CHAT:
        sure = states and _most_tokens(request) > 1
        return ServerReply(Reply("A" if states else "Who knows", alternatives={"A": 0.0 if sure else -9.0}))
    words = re.finditer(r"\s*\S+|\s+", request.body["prompt"])
    tokens = [ScoredToken(w[0], w.start(), w.end(), -1.0 if w.start() else None) for w in words]
    return ServerReply(Reply(" A"), prompt_tokens=tokens)
