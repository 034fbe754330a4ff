"""Read the replies of servers: a reply with the types and ranges used here, or the reason why it is invalid.

Unused parts are ignored, so they can be anything. A part that is used and cannot be read makes the whole reply
unreadable. Its row is skipped, and the reply is never kept.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Annotated, Any

import numpy as np
import pydantic_core
from pydantic import (
    AfterValidator,
    AliasPath,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationError,
    ValidatorFunctionWrapHandler,
    WrapValidator,
)
from pydantic.dataclasses import dataclass

from ...errors import quoted
from ..completions import Reply

NOT_READY = (502, 503, 504)
ERROR_IN_REPLY = 599
"""Status of an error without a code that was sent with status 200."""
ROUNDING = 1e-3
"""How far above 0 a server's rounding may put a log-probability."""
_PART = "\N{REPLACEMENT CHARACTER}"
"""The replacement for a part of a letter."""


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
    """Return the text of a content that is a list of parts. Only text parts count, reasoning does not."""
    if not isinstance(content, list) or not all(
        isinstance(part, Mapping) and "type" in part for part in content
    ):
        return content
    texts = [part.get("text") for part in content if part["type"] in ("text", "output_text")]
    return "".join(texts) if all(isinstance(text, str) for text in texts) else content


LogProbability = Annotated[float, AfterValidator(_log_probability)]
_Lenient = WrapValidator(_or_none)
_Count = Annotated[Annotated[int, Field(ge=0, lt=2**53)] | None, _Lenient]


class _ReplyPart(BaseModel):
    model_config = ConfigDict(strict=True, allow_inf_nan=False)


class _Alternative(_ReplyPart):
    token: str
    logprob: LogProbability


class _TokenScores(_ReplyPart):
    top_logprobs: list[_Alternative] = []


class _PromptToken(_ReplyPart):
    decoded_token: str
    logprob: LogProbability


class _ReplyScores(_ReplyPart):
    """The scores of the first token of a chat, or of all tokens of a completion."""

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
    message: _Message = _Message()
    text: str | None = None
    logprobs: _ReplyScores | None = None
    prompt_logprobs: list[dict[str, _PromptToken] | None] | None = None


class _RawReply(_ReplyPart):
    choice: _Choice
    model: Annotated[str | None, _Lenient] = None
    system_fingerprint: Annotated[str | None, _Lenient] = None
    tokens: _Count = Field(None, validation_alias=AliasPath("usage", "total_tokens"))
    thought_tokens: _Count = Field(
        None, validation_alias=AliasPath("usage", "completion_tokens_details", "reasoning_tokens")
    )


@dataclass(frozen=True, slots=True)
class ScoredToken:
    """A token of a prompt: its place in the text, and log p(token | the tokens before it), or ``None`` for the first.

    Tokens that together write letters, each a part of one, share the place of these letters.
    """

    text: str
    start: int
    end: int
    logprob: float | None


@dataclass(frozen=True, slots=True, config=ConfigDict(allow_inf_nan=False))
class ServerReply:
    """A reply that was read, as it is kept.

    Attributes:
        content: what methods read from it.
        model: what the server calls the model, or empty if it says nothing.
        fingerprint: the server's fingerprint, or empty if it gives none.
        tokens: tokens of question and answer, as far as the server counted them.
        prompt_tokens: tokens of the prompt with their log-probabilities, if a request asked for them.
        is_complete: whether it includes the log-probabilities of a chat's first token, if a request asked for them.
            A refusal, and an answer without text, have none.

    Examples:
        >>> raw = {"choices": [{"message": {"content": "A"}, "finish_reason": "stop"}], "usage": "none"}
        >>> reply = read_reply(raw, {"messages": []})
        >>> reply.content.text, reply.content.ended, reply.tokens
        ('A', True, 0)
        >>> read_reply({"choices": [{"message": "A", "finish_reason": "stop"}]}, {"messages": []}).reason
        "the server's reply cannot be read: message is 'A'"
        >>> scores = {"tokens": ["It", " is"], "token_logprobs": [None, -0.5]}
        >>> choice = {"text": "It is", "logprobs": scores, "finish_reason": "stop"}
        >>> read_reply({"choices": [choice]}, {"prompt": "It is", "echo": True}).prompt_tokens[1]
        ScoredToken(text=' is', start=2, end=5, logprob=-0.5)
    """

    content: Reply
    model: str = ""
    fingerprint: str = ""
    tokens: int = 0
    prompt_tokens: list[ScoredToken] = Field(default_factory=list)
    is_complete: bool = True


@dataclass(frozen=True, slots=True)
class Refused:
    """A request that has no reply to keep: the server refuses it (4xx), fails on it, or its reply cannot be read."""

    reason: str
    status: int = 0
    failed: bool = False


Pairs = Sequence[tuple[str, float | None]]


def read_json(text: str | bytes) -> Any:
    """Read JSON of a limited depth.

    Raises:
        ValueError: it is not JSON, is nested too deeply, or contains half a character.
    """
    return pydantic_core.from_json(text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text)


def read_reply(raw: Any, body: Mapping[str, Any]) -> ServerReply | Refused:
    """Read what a server sent.

    Args:
        raw: the JSON of the reply.
        body: the request, which says what the reply must contain.
    """
    try:
        reply = _RawReply.model_validate({**raw, "choice": _choice_fields(raw["choices"], body)})
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        place = ".".join(str(part) for part in first["loc"]).removeprefix("choice.")
        problems = {"missing": "is missing", "value_error": first["msg"].removeprefix("Value error, ")}
        problem = problems.get(first["type"], f"is {quoted(first['input'])}")
        return Refused(f"the server's reply cannot be read: {quoted(place)[1:-1]} {problem[:200]}")
    except (LookupError, TypeError, RecursionError):
        return Refused(f"the server's reply cannot be read: {quoted(raw)}")
    choice, message = reply.choice, reply.choice.message
    content = choice.logprobs.content if choice.logprobs else None
    alternatives: dict[str, float] = {}
    top = content[0].top_logprobs if content else []
    # Tokens of one text add up, as parts of letters do that some servers write as empty texts.
    for token, logprob in dict.fromkeys((one.token, one.logprob) for one in top):
        alternatives[token] = float(np.logaddexp(alternatives.get(token, -np.inf), logprob))
    share = math.fsum(map(math.exp, alternatives.values()))
    if share > 1 + 10 * ROUNDING:
        return Refused(f"the server's reply cannot be read: probabilities that add up to {share:.3g}")
    prompt_tokens = _prompt_tokens(choice, body["prompt"]) if _asks_for_scores(body) else []
    if prompt_tokens is None:
        return Refused("the server's tokens do not make up the text")
    refused = bool(message.refusal) or choice.finish_reason == "content_filter"
    content_reply = Reply(
        text=choice.text or message.content or message.refusal or "",
        ended=choice.finish_reason != "length",
        refused=refused,
        alternatives=alternatives or None,
        thoughts=message.reasoning_content or message.reasoning or "",
        thought_tokens=reply.thought_tokens or None,
    )
    return ServerReply(
        content_reply,
        model=(reply.model or "")[:200],
        fingerprint=(reply.system_fingerprint or "")[:100],
        tokens=reply.tokens or 0,
        prompt_tokens=prompt_tokens,
        is_complete=refused or not {"messages", "logprobs"} <= body.keys() or content == [] or bool(top),
    )


def _asks_for_scores(body: Mapping[str, Any]) -> bool:
    """True if a request asks for the log-probabilities of its prompt."""
    return bool({"echo", "prompt_logprobs"} & body.keys())


def _choice_fields(choices: Any, body: Mapping[str, Any]) -> dict[str, Any]:
    """Return what is used of the choice with index 0: the answer, its end, and the requested scores."""
    choice = next((one for one in choices if isinstance(one, Mapping) and one.get("index") == 0), choices[0])
    answer, scores = "text", ["logprobs", "prompt_logprobs"] * _asks_for_scores(body)
    if "messages" in body:
        answer, scores = "message", ["logprobs"] * ("logprobs" in body)
    if choice[answer] is None and answer == "message":
        raise LookupError
    return {name: choice[name] for name in ("finish_reason", answer, *scores) if name in choice}


def _prompt_tokens(choice: _Choice, prompt: str) -> list[ScoredToken] | None:
    """Return the tokens of a prompt with their log-probabilities, or ``None`` if no tokens make up the prompt.

    A reply may contain them in two fields, each with or without the first token, which nothing precedes, and
    with a start token before it. The tokens that make up the prompt are used.
    """
    forms: list[Pairs] = []
    if choice.logprobs:
        scores = choice.logprobs
        pairs = list(zip(scores.tokens or [], scores.token_logprobs or [], strict=False))
        forms += [pairs, pairs[1:]]
    entries = choice.prompt_logprobs or []
    if entries and all(entries[1:]):
        # The token itself comes first among its alternatives.
        tokens = [next(iter(entry.values())) for entry in entries if entry]
        parts = [(token.decoded_token, token.logprob) for token in tokens]
        unnamed = prompt[: len(prompt) - len("".join(text for text, _ in parts))]
        forms += [parts, parts[1:], [(unnamed, None), *parts] if entries[0] is None else []]
    placements = (_place_tokens(pairs, prompt) for pairs in forms if all(p is not None for _, p in pairs[1:]))
    return next((tokens for tokens in placements if tokens), None)


def _place_tokens(pairs: Pairs, prompt: str) -> list[ScoredToken] | None:
    """Return the tokens with their positions, if they make up the prompt. Tokens after the prompt are dropped.

    A space before a token may be missing, as some servers omit it. Parts of a letter, written as U+FFFD,
    represent at least one character together.

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
    """Return where a token is: here, after whitespace, or after the characters that so many parts make up."""
    if parts:
        at = prompt.find(text, start + 1, start + parts + len(text))
        return None if at < 0 else at
    at = start
    while at < len(prompt) and prompt[at].isspace() and not prompt.startswith(text, at):
        at += 1
    return at if prompt.startswith(text, at) else None
