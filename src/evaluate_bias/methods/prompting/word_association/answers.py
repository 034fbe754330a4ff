"""The assignment of words to two groups that a reply writes down, read by rule."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from ....errors import quoted
from ....models.completions import Reply
from ....result import Skipped
from ...replies import REFUSED, TRUNCATED, answer_of, is_refusal

_APOSTROPHES = re.compile(r"['’‘`´]")
_WORD = re.compile(r"[^\W_]+")
_NUMBER = re.compile(r"^\d+ ")
_SEGMENT = re.compile(r"[;|；/]|(?<=\w\w\w)\.\s")
_AND = {"and", "und", "y", "e", "et", "en"}
_BY_HYPHEN = re.compile(r"(?!'[^']*'\s*-[^'\"]*$).*[-:]", re.DOTALL)
"""A line as the published code reads it: with a hyphen or colon, and no quotation marks around the word alone."""


@dataclass(frozen=True, slots=True)
class Assignment:
    """What a reply assigns.

    Attributes:
        sides: for each attribute word 1 where it got the first group, -1 the second, else 0; shape (words,).
        faults: how many words were assigned ``"twice"`` (to both groups), to ``"neither"``, to an ``"unknown name"``,
            and how many lines assign an ``"unknown word"``.
        names: keys of the group words that stand in it, those of the first group first.
        marked: whether every line that assigns a word is of a form that the published code reads.
        reason: why nothing was read; empty where something was.
    """

    sides: npt.NDArray[np.int64]
    names: tuple[str, ...] = ()
    faults: Mapping[str, int] = field(default_factory=dict)
    marked: bool = True
    reason: str = ""


def key_of(text: str) -> str:
    """The words of a text without capitals, marks and apostrophes, by which texts are the same.

    Examples:
        >>> key_of("**Ice-cream**:  'White',"), key_of("didn’t do it") == key_of("didnt do it")
        ('ice cream white', True)
    """
    plain = _APOSTROPHES.sub("", unicodedata.normalize("NFKC", text).casefold())
    return " ".join(_WORD.findall(plain))


def read_assignment(reply: Reply | Skipped, words: Sequence[str], names: Mapping[str, int]) -> Assignment:
    """Read a reply line by line: a word, its group's name, and marks alone around them, in either order.

    A line may be numbered, hold several pairs between commas or semicolons, or names with the words of each behind or
    before it; a name alone on a line stands for the words on the lines below. Other lines say nothing. A word that got
    both groups is not counted.

    Args:
        reply: what the model said.
        words: keys of the attribute words, see :func:`key_of`.
        names: keys of the group words, and 1 for the first group, -1 for the second.

    Examples:
        >>> answer = "Here you are:\\n1. **Office** - Ben\\n2) home: julia\\nsalary = Kim; wedding -> Julia"
        >>> names = {"ben": 1, "julia": -1}
        >>> assignment = read_assignment(Reply(answer), ["office", "home", "salary", "wedding", "family"], names)
        >>> assignment.sides.tolist(), dict(assignment.faults)
        ([1, -1, 0, -1, 0], {'unknown name': 1, 'neither': 1})
        >>> reply = Reply("Ben: office, salary; Julia: home, wedding")
        >>> read_assignment(reply, ["office", "home", "salary", "wedding"], names).sides.tolist()
        [1, -1, 1, -1]
        >>> read_assignment(Reply("I cannot do that."), ["office"], names).reason
        "the model refuses: 'I cannot do that.'"
    """
    sides = np.zeros(len(words), dtype=np.int64)
    answer = answer_of(reply, fields=False)
    if answer.reason:
        return Assignment(sides, reason=answer.reason)
    if isinstance(reply, Reply) and not reply.ended:
        return Assignment(sides, reason=f"{TRUNCATED}: {quoted(answer.text)}")
    pairs = {
        key: (i, name)
        for i, word in enumerate(words)
        for name in names
        for key in (f"{word} {name}", f"{name} {word}")
    }
    sides_of: dict[int, set[int]] = {}
    used: set[str] = set()
    unknown: set[int] = set()
    faults: Counter[str] = Counter()
    marked = True
    for line, is_marked in _lines(answer.text, pairs, words, names):
        if pair := pairs.get(line):
            sides_of.setdefault(pair[0], set()).add(names[pair[1]])
            used.add(pair[1])
            marked &= is_marked
        elif starts := [i for i, word in enumerate(words) if line.startswith(f"{word} ")]:
            unknown.add(max(starts, key=lambda i: len(words[i])))
        elif any(line.endswith(f" {name}") for name in names):
            faults["unknown word"] += 1
    unknown -= set(sides_of)
    for i, both in sides_of.items():
        sides[i] = 0 if len(both) > 1 else next(iter(both))
    faults["twice"] = sum(len(both) > 1 for both in sides_of.values())
    faults["unknown name"] = len(unknown)
    faults["neither"] = len(words) - len(sides_of) - len(unknown)
    if sides.any():
        order = tuple(sorted(used, key=lambda name: (-names[name], name)))
        return Assignment(sides, order, {kind: n for kind, n in faults.items() if n}, marked)
    why = REFUSED if is_refusal(answer.text) else "no word is assigned to a group"
    return Assignment(sides, reason=f"{why}: {quoted(answer.text)}")


def _lines(
    text: str, pairs: Mapping[str, tuple[int, str]], words: Collection[str], names: Collection[str]
) -> list[tuple[str, bool]]:
    """The keys of a reply's lines without their numbers, and whether the published code reads them.

    A line that is no pair is cut at commas and semicolons. A name stands for all words behind it, or before it, up to
    the next name; one that is a line of its own stands for the lines of words below it.
    """
    keys: list[tuple[str, bool]] = []
    header = ""
    for line in text.splitlines():
        parts = [line] if _line_key(line) in pairs else re.split("[,;]", line)
        keyed = [(key, _BY_HYPHEN.match(part) is not None) for part in parts if (key := _line_key(part))]
        whole = _tokens(line, words, names)
        pieces = [_grouped(_tokens(piece, words, names), names) for piece in _SEGMENT.split(line)]
        groups = [pair for piece in pieces for pair in piece] if all(pieces) else _grouped(whole, names)
        if not keyed or all(key in pairs for key, _ in keyed):
            keys += keyed
        elif groups:
            keys += [(f"{word} {name}", False) for word, name in groups]
        elif len(whole) == 1 and whole[0] in names:
            header = whole[0]
        elif header and whole and not set(whole) & set(names):
            keys += [(f"{word} {header}", False) for word in whole]
        else:
            header, name = "", _name_of_all([key for key, _ in keyed], pairs)
            keys += [(f"{key} {name}", False) if f"{key} {name}" in pairs else (key, by) for key, by in keyed]
    return keys


def _tokens(line: str, words: Collection[str], names: Collection[str]) -> list[str]:
    """The words and names that a line is made of, in order; empty where it holds anything else."""
    known = {*words, *names}
    most = max(key.count(" ") for key in known) + 1
    pieces = _line_key(line).split()
    tokens: list[str] = []
    place = 0
    while place < len(pieces):
        sizes = range(min(most, len(pieces) - place), 0, -1)
        n = next((n for n in sizes if " ".join(pieces[place : place + n]) in known), 0)
        if not n and pieces[place] not in _AND:
            return []
        tokens += [" ".join(pieces[place : place + n])] * (n > 0)
        place += max(n, 1)
    return tokens


def _grouped(tokens: Sequence[str], names: Collection[str]) -> list[tuple[str, str]]:
    """Every word with its name, where names lead or close groups of words; none where it is not clear which."""
    places = [i for i, token in enumerate(tokens) if token in names]
    leads = places[:1] == [0]
    if not leads and places[-1:] != [len(tokens) - 1]:
        return []
    starts = [place + 1 for place in places] if leads else [0, *(place + 1 for place in places[:-1])]
    ends = [*places[1:], len(tokens)] if leads else places
    groups = [tokens[start:end] for start, end in zip(starts, ends, strict=True)]
    sizes = set(map(len, groups))
    several = len({tokens[place] for place in places}) == len(places) and (
        leads or min(sizes) > 1 or len(groups) == 1
    )
    if 0 in sizes or not (sizes == {1} or several):
        return []
    return [(word, tokens[place]) for place, group in zip(places, groups, strict=True) for word in group]


def _name_of_all(parts: Sequence[str], pairs: Mapping[str, tuple[int, str]]) -> str:
    """The name at the beginning or end of a line with a single pair; empty without one."""
    known = [key for key in parts if key in pairs]
    if len(known) != 1:
        return ""
    name = pairs[known[0]][1]
    is_outside = parts[0].startswith(f"{name} ") or parts[-1].endswith(f" {name}")
    return name if is_outside and known[0] in (parts[0], parts[-1]) else ""


def _line_key(line: str) -> str:
    return _NUMBER.sub("", key_of(line))
