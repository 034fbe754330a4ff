"""Read the replies of servers: a reply with the types and ranges used here, or the reason why it is invalid.

What is not used is left out, so that it can be anything. What is used and cannot be read makes the whole reply
unreadable; it is a row that is left out, and is never kept.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
import pydantic_core
from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationError,
    ValidatorFunctionWrapHandler,
    WrapValidator,
)

from ...errors import quoted
from ..completions import Reply

ROUNDING = 1e-3
"""How far above 0 a server's rounding may put a log-probability."""
_PART = "\N{REPLACEMENT CHARACTER}"
"""What stands for a part of a letter."""
FAILED = "the server failed on it"
"""How the reason begins for which a request has no reply, where that is the server's fault."""
_SIZES = {"model": 200, "system_fingerprint": 100}
"""Most characters of what a server calls its model and itself."""


def _log_probability(value: float) -> float:
    if value > ROUNDING:
        raise ValueError(f"is {value:g}, which no log-probability is")
    return min(value, 0.0)


def _or_none(value: Any, validate: ValidatorFunctionWrapHandler) -> Any:
    try:
        return validate(value)
    except ValidationError:
        return None


def _first_token_only(content: Any) -> Any:
    return content[:1] if isinstance(content, list) else content


def _text_of_parts(content: Any) -> Any:
    """The text of a content that is a list of parts, as far as these are texts; thoughts are none."""
    if not isinstance(content, list) or not all(
        isinstance(part, Mapping) and "type" in part for part in content
    ):
        return content
    texts = [part.get("text") for part in content if part["type"] in ("text", "output_text")]
    return "".join(texts) if all(isinstance(text, str) for text in texts) else content


LogProbability = Annotated[float, AfterValidator(_log_probability)]
_Lenient = WrapValidator(_or_none)
_Count = Annotated[int, Field(ge=0, lt=2**53)]


class _ReplyPart(BaseModel):
    model_config = ConfigDict(strict=True, allow_inf_nan=False, frozen=True)


class _Alternative(_ReplyPart):
    token: str
    logprob: LogProbability


class _TokenScores(_ReplyPart):
    top_logprobs: list[_Alternative] = []


class _PromptToken(_ReplyPart):
    decoded_token: str
    logprob: LogProbability


class _ReplyScores(_ReplyPart):
    """Of a chat, the scores of the first token; of a completion, those of all tokens."""

    content: Annotated[list[_TokenScores] | None, BeforeValidator(_first_token_only)] = None
    tokens: list[str] | None = None
    token_logprobs: list[LogProbability | None] | None = None


class _Message(_ReplyPart):
    content: Annotated[str | None, BeforeValidator(_text_of_parts)] = None
    refusal: str | None = None
    reasoning: Annotated[str | None, _Lenient] = None
    reasoning_content: Annotated[str | None, _Lenient] = None


class _Choice(_ReplyPart):
    finish_reason: str
    message: _Message | None = None
    text: str | None = None
    logprobs: _ReplyScores | None = None
    prompt_logprobs: list[dict[str, _PromptToken] | None] | None = None


class _Details(_ReplyPart):
    reasoning_tokens: Annotated[_Count | None, _Lenient] = None


class _Usage(_ReplyPart):
    total_tokens: Annotated[_Count | None, _Lenient] = None
    completion_tokens_details: Annotated[_Details | None, _Lenient] = None


class ServerReply(_ReplyPart):
    """A complete reply.

    Attributes:
        choices: the first choice.
        model: what the server calls the model.
        system_fingerprint: what it calls itself.
        usage: the tokens that it counted.

    Examples:
        >>> raw = {"choices": [{"message": {"content": "A"}, "finish_reason": "stop"}], "usage": "none"}
        >>> reply = read_reply(raw, {"messages": []})
        >>> reply.text, reply.ended, reply.tokens
        ('A', True, 0)
        >>> read_reply({"choices": [{"message": "A", "finish_reason": "stop"}]}, {"messages": []}).reason
        "the server's reply cannot be read: message is 'A'"
    """

    choices: list[_Choice]
    model: Annotated[str | None, _Lenient] = None
    system_fingerprint: Annotated[str | None, _Lenient] = None
    usage: Annotated[_Usage | None, _Lenient] = None

    @property
    def _choice(self) -> _Choice:
        return self.choices[0]

    @property
    def text(self) -> str:
        """The answer, or the continuation; of a refusal its text."""
        message = self._choice.message
        if message is None:
            return self._choice.text or ""
        return message.content or message.refusal or ""

    @property
    def ended(self) -> bool:
        """Whether it ended by itself."""
        return self._choice.finish_reason != "length"

    @property
    def refused(self) -> bool:
        """Whether the server marks it as a refusal."""
        message = self._choice.message
        return bool(message and message.refusal) or self._choice.finish_reason == "content_filter"

    @property
    def thoughts(self) -> str:
        """The thoughts of the model, if the server sends them apart from the text."""
        message = self._choice.message
        return (message.reasoning_content or message.reasoning or "") if message else ""

    @property
    def thought_tokens(self) -> int | None:
        """Tokens of its thoughts, where the server counted some."""
        details = self.usage.completion_tokens_details if self.usage else None
        return (details.reasoning_tokens or None) if details else None

    @property
    def tokens(self) -> int:
        """Tokens of question and answer, as far as the server counted them."""
        return (self.usage.total_tokens or 0) if self.usage else 0

    @property
    def fingerprint(self) -> str:
        """The system that answered; empty where it names none."""
        return self.system_fingerprint or ""

    @property
    def alternatives(self) -> dict[str, float] | None:
        """The likeliest first tokens with their log-probabilities; ``None`` where none are given.

        Tokens of one text add up, as parts of letters do that some servers write as empty texts.
        """
        content = self._choice.logprobs.content if self._choice.logprobs else None
        top = content[0].top_logprobs if content else ()
        scores: dict[str, float] = {}
        for token, logprob in dict.fromkeys((one.token, one.logprob) for one in top):
            scores[token] = float(np.logaddexp(scores.get(token, -np.inf), logprob))
        return scores or None

    def is_complete(self, body: Mapping[str, Any]) -> bool:
        """Whether it brings the log-probabilities of a chat's first token along, where a request asked for them.

        A refusal, and an answer without text, have none.
        """
        if self.refused or not ("messages" in body and "logprobs" in body):
            return True
        content = self._choice.logprobs.content if self._choice.logprobs else None
        return content is not None and (not content or bool(content[0].top_logprobs))

    def prompt_tokens(self, prompt: str) -> list[ScoredToken] | None:
        """The tokens of a prompt with their log-probabilities; ``None`` where none make up the prompt.

        A reply may hold them in two fields, each with or without the first token, which nothing precedes, and with a
        start token before it: those that make up the prompt are taken.

        Examples:
            >>> scores = {"tokens": ["It", " is"], "token_logprobs": [None, -0.5]}
            >>> choice = {"text": "It is", "logprobs": scores, "finish_reason": "stop"}
            >>> read_reply({"choices": [choice]}, {"prompt": "It is", "echo": True}).prompt_tokens("It is")[1]
            ScoredToken(text=' is', start=2, end=5, logprob=-0.5)
        """
        choice = self._choice
        forms: list[Pairs] = []
        if choice.logprobs and choice.logprobs.tokens and choice.logprobs.token_logprobs:
            pairs = list(zip(choice.logprobs.tokens, choice.logprobs.token_logprobs, strict=False))
            forms += [pairs, pairs[1:]]
        entries = choice.prompt_logprobs or []
        if entries and all(entries[1:]):
            # The token itself comes first among its alternatives.
            tokens = [next(iter(entry.values())) for entry in entries if entry]
            parts = [(token.decoded_token, token.logprob) for token in tokens]
            unnamed = prompt[: len(prompt) - len("".join(text for text, _ in parts))]
            forms += [parts, parts[1:], [(unnamed, None), *parts] if entries[0] is None else []]
        placements = (
            _place_tokens(pairs, prompt) for pairs in forms if all(p is not None for _, p in pairs[1:])
        )
        return next((tokens for tokens in placements if tokens), None)


@dataclass(frozen=True, slots=True)
class Refused:
    """A request that has no reply to keep: the server refuses it (4xx), fails on it, or its reply cannot be read."""

    reason: str
    status: int = 0
    failed: bool = False


@dataclass(frozen=True, slots=True)
class ScoredToken:
    """A token of a prompt: its place in the text, and log p(token | the tokens before it), ``None`` for the first.

    Tokens that together write letters, each a part of one, share the place of these letters.
    """

    text: str
    start: int
    end: int
    logprob: float | None


Pairs = Sequence[tuple[str, float | None]]


def read_json(text: str | bytes) -> Any:
    """Read JSON of a limited depth.

    Raises:
        ValueError: it is none, is too deep, or holds half a character.
    """
    return pydantic_core.from_json(text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text)


def read_reply(raw: Any, body: Mapping[str, Any]) -> ServerReply | Refused:
    """Read what a server sent, or what was kept of it.

    Args:
        raw: the JSON of the reply.
        body: the request, which says what the reply must hold.
    """
    try:
        reply = ServerReply.model_validate(_read_fields(raw, body))
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        place = ".".join(str(part) for part in first["loc"]).removeprefix("choices.0.")
        problems = {"missing": "is missing", "value_error": first["msg"].removeprefix("Value error, ")}
        problem = problems.get(first["type"], f"is {quoted(first['input'])}")
        return Refused(f"the server's reply cannot be read: {quoted(place)[1:-1]} {problem[:200]}")
    except (LookupError, TypeError, RecursionError):
        return Refused(f"the server's reply cannot be read: {quoted(raw)}")
    share = math.fsum(math.exp(logprob) for logprob in (reply.alternatives or {}).values())
    if share > 1 + 10 * ROUNDING:
        return Refused(f"the server's reply cannot be read: probabilities that add up to {share:.3g}")
    if asks_for_scores(body) and reply.prompt_tokens(body["prompt"]) is None:
        return Refused("the server's tokens do not make up the text")
    return reply


def as_reply(reply: ServerReply) -> Reply:
    """What methods read of a reply."""
    return Reply(
        reply.text, reply.ended, reply.refused, reply.alternatives, reply.thoughts, reply.thought_tokens
    )


def asks_for_scores(body: Mapping[str, Any]) -> bool:
    """Whether a request asks for the log-probabilities of its prompt."""
    return bool({"echo", "prompt_logprobs"} & body.keys())


def _read_fields(raw: Any, body: Mapping[str, Any]) -> Any:
    """What is used of a reply: of the choice with index 0 the answer, its end, and the scores that were asked for."""
    choices = raw["choices"]
    choice = next((one for one in choices if isinstance(one, Mapping) and one.get("index") == 0), choices[0])
    answer = "message" if "messages" in body else "text"
    chat_scores = ["logprobs"] * ("logprobs" in body)
    scores = chat_scores if answer == "message" else ["logprobs", "prompt_logprobs"] * asks_for_scores(body)
    if answer not in choice or choice["message" if answer == "message" else "finish_reason"] is None:
        raise LookupError
    fields = {name: choice[name] for name in ("finish_reason", answer, *scores) if name in choice}
    names = {k: raw[k][:most] for k, most in _SIZES.items() if isinstance(raw.get(k), str)}
    return {"choices": [fields], "usage": raw.get("usage"), **names}


def _place_tokens(pairs: Pairs, prompt: str) -> list[ScoredToken] | None:
    """The tokens with their places, where they make up the prompt; what was written after it is left off.

    A blank before a token may be missing, as some servers leave it out. Parts of a letter, written as U+FFFD, stand for
    at least one character together.

    Examples:
        >>> parts = [("It", None), ("is", -1.0), (" \ufffd", -1.0), ("\ufffd", -1.0), (".", -1.0)]
        >>> [(token.start, token.end) for token in _place_tokens(parts, "It is \N{BEAR FACE}.")]
        [(0, 2), (3, 5), (5, 7), (6, 7), (7, 8)]
    """
    places: list[tuple[int, int]] = []
    open_tokens: list[int] = []  # tokens with parts of letters, until it is known where these end
    start = parts = 0
    for text, _ in pairs:
        if start == len(prompt):
            break
        letters = text.strip(_PART)
        begin = start
        if letters:
            leading = len(text) - len(text.lstrip(_PART))
            at = _place_of(letters, prompt, start, parts + leading)
            if at is None:
                break
            for i in open_tokens:
                places[i] = (places[i][0], at)
            begin, start, parts, open_tokens = (start if leading else at), at + len(letters), 0, []
        places.append((begin, start))
        if text.endswith(_PART):
            parts += len(text) - len(text.rstrip(_PART)) if letters else len(text)
            open_tokens.append(len(places) - 1)
    if open_tokens and len(prompt) - start <= parts:
        start = len(prompt)
        for i in open_tokens:
            places[i] = (places[i][0], start)
    tokens = [ScoredToken(t, a, b, p) for (t, p), (a, b) in zip(pairs, places, strict=False)]
    return tokens if start == len(prompt) else None


def _place_of(text: str, prompt: str, start: int, parts: int) -> int | None:
    """Where a token stands: here, behind blanks, or behind the letters that so many parts make up."""
    if parts:
        at = prompt.find(text, start + 1, start + parts + len(text))
        return None if at < 0 else at
    at = start
    while at < len(prompt) and prompt[at].isspace() and not prompt.startswith(text, at):
        at += 1
    return at if prompt.startswith(text, at) else None
