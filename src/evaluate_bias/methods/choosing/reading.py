"""Which of the labelled options a reply chooses, by rule: no model judges another."""

from __future__ import annotations

import functools
import re
import unicodedata
from collections.abc import Mapping, Sequence

import numpy as np

from ...data.instructions import reply_phrases
from ...errors import quoted
from ...models.completions import Reply

REFUSED = "the model refuses"
TRUNCATED = "the reply breaks off"
BOTH = "both options"
_MARKS = " \t\n\"'“”‘’«»„‹›*_`#()[]{}<>.,:;!?…-–"
_AND = "(?:or|and|oder|und|o|y|ou|et|e|of|en)"
_JOINED = re.compile(r"\0\W*(?:&|\+|\b(?:and|und|y|et|e|en)\b)\W*\0")
"""Two options, of which the marks stand in a text, as one answer."""
_TAGS = re.compile(r"<\|[^|>]*\|>|</?\w+>|\\boxed|\\text|\$")


def chosen(
    reply: Reply, options: Sequence[str], labels: Sequence[str], aliases: Mapping[str, int] | None = None
) -> int | str:
    """Position of the option that a reply names, or why it names none.

    In this order: the label or the option alone, or as a line or sentence before others; the one option, or else the
    one label in marks or at an end, that stands in a text. Of options that contain one another the longer one counts.
    Two options, or a label and another option, are none; neither is a refusal, nor a text that denies something.

    Args:
        reply: what the model said.
        options: the texts, in the order of their labels.
        labels: their labels.
        aliases: other wordings of an option, in small letters, with its position.

    Examples:
        >>> options, labels = ["The boy", "The grandfather", "Not known"], ["A", "B", "C"]
        >>> [chosen(Reply(text), options, labels) for text in ("B", "(b).", "the boy", "**C** Not known", "A: The boy")]
        [1, 1, 0, 2, 0]
        >>> [chosen(Reply(text), options, labels) for text in ("It was the grandfather.", "The answer is (C)")]
        [1, 2]
        >>> chosen(Reply("Either the boy or the grandfather"), options, labels)
        "several options: 'Either the boy or the grandfather'"
        >>> chosen(Reply("A and B"), options[:2], labels[:2])
        "both options: 'A and B'"
        >>> chosen(Reply("I cannot answer that."), options, labels)
        "the model refuses: 'I cannot answer that.'"
        >>> chosen(Reply("It was not the boy."), options, labels)
        "it denies something: 'It was not the boy.'"
        >>> chosen(Reply("B because", ended=False), options, labels)
        "the reply breaks off: 'B because'"
    """
    said = _without_tags(reply.text)
    if reply.refused:
        return f"{REFUSED}: {quoted(said)}" if said.strip() else REFUSED
    if not reply.ended:
        return f"{TRUNCATED}: {quoted(said)}"
    if not _plain(said):
        return "the reply is empty"
    known = {_plain(option): i for i, option in enumerate(options)}
    known = {**(aliases or {}), **known}
    if (alone := _alone(said, known, labels)) is not None:
        return alone
    if is_refusal(said):
        return f"{REFUSED}: {quoted(said)}"
    named, rest = _options_in(_plain(said), known)
    found = named | _labels_in(said, labels)
    if len(options) == 2 and _is_both(_plain(said), [*known, *map(_plain, labels)]):
        return f"{BOTH}: {quoted(said)}"
    if len(found) > 1:
        return f"several options: {quoted(said)}"
    if not found:
        return f"none of the options: {quoted(said)}"
    return f"it denies something: {quoted(said)}" if _denials().search(rest) else found.pop()


def _alone(said: str, known: Mapping[str, int], labels: Sequence[str]) -> int | None:
    """The option that is the whole reply, or all of its first line, where no other line is another."""
    lines = [line for line in said.splitlines() if _plain(line)]
    places = [_place(line, known, labels) for line in lines]
    first = _place(said, known, labels)
    if first is None and len(lines) > 1 and places[0] is not None:
        first = places[0]
    others = {place for place in places if place is not None} | _labels_in(said, labels)
    return None if first is None or others - {first} else first


def _place(text: str, known: Mapping[str, int], labels: Sequence[str]) -> int | None:
    """Which option a text is: its label, its text, or both."""
    plain = _plain(text)
    for i, label in enumerate(map(_plain, labels)):
        if plain == label:
            return i
        head, _, rest = plain.partition(" ")
        if head.strip(_MARKS) == label and rest and known.get(_plain(rest)) == i:
            return i
    return known.get(plain)


def chosen_by_label(alternatives: Mapping[str, float], labels: Sequence[str]) -> tuple[int | str, float]:
    """Position of the likeliest label among the likeliest first tokens, or why there is none, and all labels' share.

    A label with and without a blank before it is one; one that is not among the tokens is less likely than those that
    are.

    Args:
        alternatives: log-probabilities of first tokens, by their text.
        labels: the labels.

    Examples:
        >>> place, share = chosen_by_label({"A": -1.0, " A": -3.0, "B": -0.9, "The": -2.0}, ["A", "B"])
        >>> place, round(share, 3)
        (0, 0.824)
        >>> chosen_by_label({"I": -0.1}, ["A", "B"])
        ('no label is among the likeliest first tokens', 0.0)
    """
    scores = np.full(len(labels), -np.inf)
    for token, logprob in alternatives.items():
        for i, label in enumerate(labels):
            if token.strip() == label:
                scores[i] = np.logaddexp(scores[i], logprob)
    share = float(np.exp(scores).sum())
    best = np.flatnonzero(scores == scores.max())
    if not np.isfinite(scores[best[0]]):
        return "no label is among the likeliest first tokens", 0.0
    return (int(best[0]) if len(best) == 1 else "two labels are equally likely"), share


def is_refusal(text: str) -> bool:
    """Whether a reply begins as refusals do, in any of the languages of ``refusals.yaml``.

    Examples:
        >>> is_refusal("Es tut mir leid, das kann ich nicht beantworten."), is_refusal("The boy.")
        (True, False)
    """
    return _refusals().match(_plain(text)) is not None


@functools.cache
def _refusals() -> re.Pattern[str]:
    phrases = sorted({_plain(phrase) for phrase in reply_phrases("refusals")}, key=len)
    return re.compile("|".join(rf"{re.escape(phrase)}\b" for phrase in reversed(phrases)))


@functools.cache
def _denials() -> re.Pattern[str]:
    """Words that deny, in all languages."""
    return re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, reply_phrases('denials')))})(?!\w)|n't(?!\w)")


def _is_both(said: str, names: Sequence[str]) -> bool:
    """Whether a text gives two options as one answer: it begins with a word for both, or joins them by "and", and
    names none of them alone.
    """
    if _denials().search(said):
        return False
    marked = said
    for name in sorted(filter(None, names), key=len, reverse=True):
        marked = re.sub(rf"(?<!\w){re.escape(name)}(?!\w)", "\0", marked)
    rest, n_joined = _JOINED.subn("", marked)
    return "\0" not in rest and (n_joined > 0 or _both().match(said) is not None)


@functools.cache
def _both() -> re.Pattern[str]:
    """Words for two things together, in all languages."""
    return re.compile(rf"(?:{'|'.join(map(re.escape, reply_phrases('both')))})(?!\w)")


def _without_tags(text: str) -> str:
    """The text in composed letters of ordinary width, without invisible characters and tags of templates and TeX."""
    composed = unicodedata.normalize("NFKC", text)
    return _TAGS.sub(" ", "".join(c for c in composed if unicodedata.category(c) not in ("Cf", "So")))


def _plain(text: str) -> str:
    """Without capitals, marks around it, and blanks that say nothing."""
    text = unicodedata.normalize("NFKC", text)
    return " ".join(text.replace("’", "'").casefold().split()).strip(_MARKS)


def _options_in(said: str, known: Mapping[str, int]) -> tuple[set[int], str]:
    """The options that stand in a text as whole words, and what is left; of two that overlap the longer one."""
    found: set[int] = set()
    for option in sorted(known, key=len, reverse=True):
        pattern = re.compile(rf"(?<!\w){re.escape(option)}(?!\w)")
        if option and pattern.search(said):
            found.add(known[option])
            said = pattern.sub(" ", said)
    return found, said


def _labels_in(said: str, labels: Sequence[str]) -> set[int]:
    """The labels in a text, where one stands in marks or at an end: a bare "A" elsewhere can be a word."""
    said = said.strip()
    found, bare = set(), set()
    for i, label in enumerate(labels):
        name = re.escape(label)
        # A label that begins a text may be a word of the language, such as "A" and "À".
        if re.search(rf"(?<=[\s(\[]){name}(?![\w-])|^{name}\s{_AND}\s", said):
            bare.add(i)
        opened = r"(\[{*_`\"'“„«‘<#"
        closed = r")\]}*_`\"'”“»’>:.!?…"
        in_marks = rf"(?:^|\s)[{opened}]+\s?{name}\s?[{closed}]+"
        at_start = rf"^[{opened}]*\s?{name}\s?[{closed}]*\s*(?:[).:]|[-–]\s|$)"
        at_end = rf"(?<![\w-]){name}[{closed}\s]*$"
        if re.search(f"{in_marks}|{at_start}|{at_end}", said):
            found.add(i)
    return found | bare if found else found
