"""The answer in what a model says: thoughts and marks omitted, or the reason why it is missing.

Every method that reads texts reads them through :func:`answer_of`.
"""

from __future__ import annotations

import functools
import json
import re
import unicodedata
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from ..data.instructions import PhraseKind, reply_phrases
from ..errors import quoted
from ..models.completions import Reply
from ..models.thoughts import split_thoughts
from ..result import Skipped
from ..text import is_unspaced

REFUSED = "the model refuses"
TRUNCATED = "the reply breaks off"
THINKING = "still thinking when the reply ended, so raise reply_tokens"
EMPTY = "the reply is empty"
UNASKED = "it was not put to the model"

MARKS = " \t\n\"'“”‘’«»„‹›「」『』*_`#()[]{}<>|=.,:;!?…-–—。，：；！？、"
"""Characters around a word that are not part of it."""
ARTICLES = {
    "en": "a an the",
    "de": "ein eine einen einem einer eines der die das den dem des",
    "es": "un una unos unas el la los las",
    "fr": "un une des le la les",
    "it": "un uno una il lo la i gli le",
    "nl": "een de het",
}
DEFAULT_TOKENS = 64
"""Most tokens of a reply if the model names no other number."""

_INVISIBLE = re.compile("[\u00ad\u200b\u200e\u200f\u202a-\u202e\u2060-\u2064\ufe0f\ufeff]")
_TAGS = re.compile(
    r"<\|[^|<>]{1,60}\|>|<(?:turn|channel)\|>"
    r"|</?(?:answer|final_answer|final|response|output|solution|result|choice|option|label|(?-i:[bipsu])|eos|bos|pad"
    r"|start_of_turn|end_of_turn|em|strong|mark|code|pre|br|div|span|font|center|li|ul|ol|h[1-6]|body|html)"
    r"(?:\s[^<>]{0,100})?/?>"
    r"|\\(?:boxed|fbox|text\w{0,6}|math\w{0,6}|operatorname|displaystyle|left|right|quad|[,;!()\[\]])"
    r"|\${1,2}(?=\s?\\|\s?\w\s?\$)|(?<=[})\]\w])\${1,2}",
    re.IGNORECASE,
)
_FENCE = re.compile(r"^[ \t]{0,9}(?:`{3,9}|~{3,9})[\w+-]{0,20}[ \t]{0,9}$", re.MULTILINE)
_GROUP = r"[^{}]{0,100}(?:\{[^{}]{0,100}\}[^{}]{0,100}){0,3}"
_BOX = re.compile(
    rf"\\f?boxed\s{{0,3}}\{{({_GROUP}(?:\{{{_GROUP}\}}{_GROUP}){{0,3}})\}}"
    r"|<(?:final_)?answer>([^<]{1,200})</(?:final_)?answer>"
    r"|<\|begin_of_box\|>([^<]{1,200})<\|end_of_box\|>",
    re.IGNORECASE,
)


class ReplyAnswer(NamedTuple):
    """What a reply answers.

    Attributes:
        text: its words. If the model set its answer apart, in a box, a tag or a field of JSON, only those words.
        reason: why it is missing, empty if it exists.
        set_apart: what appears in boxes and in tags for answers.
        behind: the text behind the first of these.
    """

    text: str
    reason: str = ""
    set_apart: tuple[str, ...] = ()
    behind: str = ""


def answer_of(reply: Reply | Skipped, *, fields: bool = True) -> ReplyAnswer:
    """Return the answer of a reply: its text without thoughts and without the marks of templates, HTML and TeX.

    Args:
        reply: what came back.
        fields: whether the answer of a text in JSON is the field that contains it.

    Examples:
        >>> answer_of(Reply("<think>The boy?</think> **B**")).text
        '**B**'
        >>> [answer_of(Reply(text)).text for text in ('{"answer": "B"}', "```\\nB\\n```", "B</s>", r"$\\text{B}$")]
        ['B', 'B', 'B', '{B}']
        >>> answer_of(Reply("<think>It could be", ended=False)).reason
        'still thinking when the reply ended, so raise reply_tokens'
    """
    if isinstance(reply, Skipped):
        return ReplyAnswer("", reply.reason)
    answer, thoughts, unfinished = split_thoughts(reply.text)
    if reply.refused:
        return ReplyAnswer(answer, f"{REFUSED}: {quoted(answer)}" if answer else REFUSED)
    if unfinished:
        return ReplyAnswer("", THINKING)
    boxes = list(_BOX.finditer(answer))
    text = _without_marks(_FENCE.sub("", _from_json(answer) if fields else answer))
    if not text.strip(MARKS):
        if thoughts or reply.thoughts:
            return ReplyAnswer("", THINKING)
        return ReplyAnswer("", EMPTY if reply.ended else f"{TRUNCATED}: {quoted(text)}")
    contents = tuple(_without_marks(next(filter(None, box.groups()))) for box in boxes)
    return ReplyAnswer(text, "", contents, _without_marks(answer[boxes[0].end() :]) if boxes else "")


def thinks(reply: Reply) -> bool:
    """True if a reply contains thoughts, so that its first token begins no answer."""
    parts = split_thoughts(reply.text)
    return bool(reply.thoughts or parts.thoughts or parts.unfinished)


def _without_marks(text: str) -> str:
    """Return a text without the marks of templates, HTML and TeX, and without invisible characters."""
    return _TAGS.sub("", _INVISIBLE.sub("", text)).strip()


def _from_json(text: str) -> str:
    """Return the answer in the first JSON value of a text, or its only field. Without either, return the text."""
    begins = text.lstrip()[:1] == "["
    try:
        value, _ = json.JSONDecoder().raw_decode(text, text.index("[" if begins else "{"))
    except (ValueError, RecursionError):
        return text
    while isinstance(value, dict | list):
        fields = value.items() if isinstance(value, dict) else [("", one) for one in value]
        answers = [one for key, one in fields if plain(key).replace("_", " ") in reply_phrases("answer")]
        if not answers and len(fields) != 1:
            return text
        value = answers[0] if answers else next(one for _, one in fields)
    return value if isinstance(value, str) else text


def plain(text: str) -> str:
    """Return a text without capitals, marks around it, and blanks that say nothing.

    Examples:
        >>> plain(" **The  Boy.**"), plain("Ｂ")
        ('the boy', 'b')
    """
    text = _INVISIBLE.sub("", unicodedata.normalize("NFKC", text))
    return " ".join(text.replace("’", "'").casefold().split()).strip(MARKS)


def is_refusal(text: str) -> bool:
    """True if a reply begins as refusals do, in any of the languages of ``reply_phrases.yaml``.

    Examples:
        >>> is_refusal("Es tut mir leid, das kann ich nicht beantworten."), is_refusal("The boy.")
        (True, False)
    """
    return phrase_pattern("refusals").match(plain(text[:400])) is not None


@functools.cache
def phrase_pattern(kind: PhraseKind) -> re.Pattern[str]:
    """Return a pattern of the phrases of a kind, whole words only in scripts that have blanks between them."""
    words, others = (
        "|".join(re.escape(phrase) for phrase in reply_phrases(kind) if has_blanks(phrase) is spaced)
        for spaced in (True, False)
    )
    return re.compile(rf"(?<!\w)(?:{words})(?!\w)|{others}", re.IGNORECASE)


def has_blanks(phrase: str) -> bool:
    """True if words of its script appear between blanks, without particles that join them."""
    return not (is_unspaced(phrase) or re.search("[가-힣]", phrase))


def thought_facts(replies: Iterable[Sequence[Reply] | Skipped]) -> dict[str, int]:
    """How many tokens the thoughts of replies have, for the details of a result, nothing if they were not counted."""
    tokens = [
        reply.thought_tokens
        for several in replies
        if not isinstance(several, Skipped)
        for reply in several
        if reply.thought_tokens is not None
    ]
    return {"thought_tokens": sum(tokens)} if tokens else {}


def room_for(model: Any, tokens: int) -> int:
    """Most tokens of a reply that needs so many: more if the model needs room for thoughts."""
    return tokens + max(0, reply_tokens(model) - DEFAULT_TOKENS)


def reply_tokens(model: Any) -> int:
    """Most tokens of a reply that is read as text."""
    return int(getattr(model, "reply_tokens", DEFAULT_TOKENS))
