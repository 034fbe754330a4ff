"""Separate the reasoning in a reply from the answer. Methods read only the answer."""

from __future__ import annotations

import re
from typing import NamedTuple

_NAMES = (
    "think|thinks|thinking|thought|thoughts|reason|reasoning|reflection|analysis|scratchpad|antthinking|"
    "(?:inner|internal)_(?:monologue|thoughts)|chain_of_thought|cot"
)
# Every repetition has a limit, so that a text is read in time that grows as its length does.
_MARK = re.compile(
    rf"""
      <\s{{0,3}}(?P<end>/?)\s{{0,3}}(?:\w{{1,20}}:)?(?P<name>{_NAMES})(?:\s[^<>]{{0,200}})?(?P<empty>/?)>
    | [\[◁](?P<end_of_bracket>/?)think(?:ing)?[\]▷]                                   # Mistral, Kimi
    | <\|(?:start_of_|begin_of_|start_|begin_|(?P<end_before>end_of_|end_|/))?(?:think(?:ing)?|thoughts?|reasoning)
      (?:[:_](?:start|begin|(?P<end_behind>end)))?\|>                                 # Cohere, OpenThinker, Solar
    | <\|inner_(?:prefix|(?P<suffix>suffix))\|>                                       # Apertus
    | <\|channel>(?!\s{{0,3}}final)(?:thought)? | (?P<end_of_channel><channel\|>)      # Gemma
    | \A\s{{0,9}}here(?:\ is|'s)\ my\ thought\ process: | (?P<response>here(?:\ is|'s)\ my\ response:)  # Granite
    """,
    re.VERBOSE | re.IGNORECASE,
)
_HARMONY = re.compile(r"<\|(start|channel|constrain|message|end|return|call|eom|eot)\|>")
_TO_SOMEBODY_ELSE = re.compile(r"\bto=(?!user\b)")
_STRIPPED_FINAL, _STRIPPED_THOUGHT = (
    re.compile(rf"\A\s{{0,9}}(?:assistant)?(?:{names})(?=[^\W_a-z]|[\"'(*\[])")
    for names in ("final", "analysis|commentary")
)
"""The name of a channel at the beginning, which is not a word there: it runs on into a capital, a digit or a mark."""


class SplitReply(NamedTuple):
    """A reply's text in its two parts.

    Attributes:
        answer: what is left for reading.
        thoughts: what was thought, without its tags.
        unfinished: whether the text ends within a thought.
    """

    answer: str
    thoughts: str = ""
    unfinished: bool = False


def split_thoughts(text: str) -> SplitReply:
    """Split a reply's text into its answer and its thoughts.

    Reasoning appears in tags such as ``<think>``, in any case, or in the marks that Mistral, Kimi,
    Cohere, Gemma and others use for it. Tags may be nested and repeated. If only the closing tag is there, the
    opening one was in the prompt, and everything before it is reasoning. If the closing tag is missing, everything
    that follows is. Of the channels of gpt-oss only ``final`` is an answer, also if its special tokens were removed
    from the text.

    Args:
        text: what the model wrote.

    Examples:
        >>> split_thoughts("<think>A or B? A.</think>\\nB")
        SplitReply(answer='B', thoughts='A or B? A.', unfinished=False)
        >>> split_thoughts("A or B? A.</think>B").answer
        'B'
        >>> split_thoughts("<think>It could be A").unfinished
        True
        >>> split_thoughts("<|channel|>analysis<|message|>A?<|end|><|start|>assistant<|channel|>final<|message|>B")
        SplitReply(answer='B', thoughts='A?', unfinished=False)
        >>> split_thoughts("analysisCould be A.assistantfinalB").answer
        'B'
    """
    if "<|message|>" in text or "<|channel|>" in text:
        return _of_channels(text)
    thought, final, answer = text.rpartition("assistantfinal")
    if final:
        return SplitReply(split_thoughts(answer).answer, _STRIPPED_THOUGHT.sub("", thought).strip())
    if _STRIPPED_THOUGHT.match(text):
        return SplitReply("", _STRIPPED_THOUGHT.sub("", text).strip(), True)
    return _of_tags(_STRIPPED_FINAL.sub("", text))


def _of_tags(text: str) -> SplitReply:
    """Return the parts of a text with tags. Each tag is examined once."""
    answer: list[str] = []
    thoughts: list[str] = []
    open_names: list[str] = []
    place = 0
    for mark in _MARK.finditer(text):
        (thoughts if open_names else answer).append(text[place : mark.start()])
        place = mark.end()
        name = (mark["name"] or "").lower()
        if mark["empty"] or (mark["response"] and not open_names):
            continue
        if not any(mark[kind] for kind in _ENDS):
            open_names.append(name)
        elif not open_names:  # it was opened in the prompt
            thoughts += answer
            answer = []
        elif name in open_names:
            del open_names[open_names.index(name) :]
        else:  # opened by one name and closed by another
            open_names = []
    (thoughts if open_names else answer).append(text[place:])
    return SplitReply(" ".join(answer).strip(), " ".join(thoughts).strip(), bool(open_names))


_ENDS = [kind for kind in _MARK.groupindex if kind not in ("name", "empty")]
"""The groups that only closing marks have."""


def _of_channels(text: str) -> SplitReply:
    """Return the parts of a text in channels. Text in ``final``, or in no channel, is the answer."""
    answer: list[str] = []
    thoughts: list[str] = []
    # What comes before the first token belongs to a channel that the prompt opened.
    header, in_body, into = "", True, thoughts
    pieces = _HARMONY.split(text)
    for token, piece in zip(["", *pieces[1::2]], pieces[::2], strict=True):
        if token == "message":
            is_answer = "final" in header or not ("channel" in header or _TO_SOMEBODY_ELSE.search(header))
            into, in_body = (answer if is_answer else thoughts), True
        elif token:
            header = ("" if token in ("start", "end", "return", "call", "eom", "eot") else header) + token
            in_body = False
        if in_body:
            into.append(piece)
        if not in_body or not token:
            header += f" {piece[:200]}"
    inner = _of_tags("".join(answer))
    thought = "\n".join(filter(None, ["".join(thoughts).strip(), inner.thoughts]))
    return SplitReply(inner.answer, thought, inner.unfinished or not answer)
