"""Which of the labelled options a reply chooses, by rule: no model judges another."""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping, Sequence

import numpy as np

from ...data.instructions import refusal_phrases
from ...errors import quoted
from ...models.completions import Reply

__all__ = ["REFUSED", "TRUNCATED", "chosen", "chosen_by_label", "is_refusal"]

REFUSED = "the model refuses"
TRUNCATED = "the reply breaks off"
_MARKS = " \t\n\"'“”‘’«»„*_`()[]{}<>.,:;!"


def chosen(reply: Reply, options: Sequence[str], labels: Sequence[str]) -> int | str:
    """Position of the option that a reply names, or why it names none.

    In this order: the label alone; the option alone; a label with the option behind it; the one option, or else the
    one label in marks or at the end, that stands in a sentence. Of options that contain one another the longer one
    counts. Two options, or a label and another option, are none.

    Args:
        reply: what the model said.
        options: the texts, in the order of their labels.
        labels: their labels.

    Examples:
        >>> options, labels = ["The boy", "The grandfather", "Not known"], ["A", "B", "C"]
        >>> [chosen(Reply(text), options, labels) for text in ("B", "(b).", "the boy", "**C** Not known", "A: The boy")]
        [1, 1, 0, 2, 0]
        >>> [chosen(Reply(text), options, labels) for text in ("It was the grandfather.", "The answer is (C)")]
        [1, 2]
        >>> chosen(Reply("Either the boy or the grandfather"), options, labels)
        "several options: 'Either the boy or the grandfather'"
        >>> chosen(Reply("I cannot answer that."), options, labels)
        "the model refuses: 'I cannot answer that.'"
        >>> chosen(Reply("B because", ended=False), options, labels)
        "the reply breaks off: 'B because'"
    """
    said = reply.text
    if reply.refused:
        return f"{REFUSED}: {quoted(said)}" if said.strip() else REFUSED
    if not reply.ended:
        return f"{TRUNCATED}: {quoted(said)}"
    plain, plain_options = _plain(said), [_plain(option) for option in options]
    if not plain:
        return "the reply is empty"
    alone = [i for i, label in enumerate(labels) if plain == _plain(label)]
    alone += [i for i, option in enumerate(plain_options) if plain == option]
    if len(set(alone)) == 1:
        return alone[0]
    named = _options_in(plain, plain_options)
    labelled = _labels_in(said, labels)
    found = named | labelled
    if len(found) == 1:
        return found.pop()
    if found:
        return f"several options: {quoted(said)}"
    return f"{REFUSED}: {quoted(said)}" if is_refusal(said) else f"none of the options: {quoted(said)}"


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
    phrases = sorted({_plain(phrase) for phrase in refusal_phrases()}, key=len)
    return re.compile("|".join(rf"{re.escape(phrase)}\b" for phrase in reversed(phrases)))


def _plain(text: str) -> str:
    """Without capitals, marks around it, and blanks that say nothing."""
    return " ".join(text.replace("’", "'").casefold().split()).strip(_MARKS)


def _options_in(said: str, options: Sequence[str]) -> set[int]:
    """The options that stand in a text as whole words; where one contains another, the longer one first."""
    found: set[int] = set()
    for option in sorted(set(options), key=len, reverse=True):
        pattern = re.compile(rf"(?<!\w){re.escape(option)}(?!\w)")
        if option and pattern.search(said):
            found |= {i for i, other in enumerate(options) if other == option}
            said = pattern.sub(" ", said)
    return found


def _labels_in(said: str, labels: Sequence[str]) -> set[int]:
    """The labels in a text, where one stands in marks or at an end: a bare "A" elsewhere can be an article."""
    found, bare = set(), set()
    for i, label in enumerate(labels):
        name = re.escape(label)
        if re.search(rf"(?<!\w){name}(?!\w)", said):
            bare.add(i)
        in_marks = rf"(?:^|\s)[(\[*_`\"'“]+{name}[)\]*_`\"'”:.]+"
        at_start = rf"^[(\[*_`]*{name}[)\]*_`]*\s*[).:\-–]"
        at_end = rf"(?<!\w){name}[).\s*]*$"
        if re.search(f"{in_marks}|{at_start}|{at_end}", said.strip()):
            found.add(i)
    return found | bare if found else found
