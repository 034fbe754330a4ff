"""The assignment of words to two groups that a reply writes down, read by rule."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from ....errors import quoted
from ....models.completions import Reply
from ....result import Skipped
from ...choosing.reading import REFUSED, TRUNCATED, is_refusal

_APOSTROPHES = re.compile(r"['’‘`´]")
_WORD = re.compile(r"[^\W_]+")
_NUMBER = re.compile(r"^\d+ ")
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

    A line may be numbered, and hold several pairs between commas or semicolons, or one name and several words. Other
    lines say nothing. A word that got both groups is not counted.

    Args:
        reply: what the model said.
        words: keys of the attribute words, see :func:`key_of`.
        names: keys of the group words, and 1 for the first group, -1 for the second.

    Examples:
        >>> said = "Here you are:\\n1. **Office** - Ben\\n2) home: julia\\nsalary = Kim; wedding -> Julia"
        >>> names = {"ben": 1, "julia": -1}
        >>> found = read_assignment(Reply(said), ["office", "home", "salary", "wedding", "family"], names)
        >>> found.sides.tolist(), dict(found.faults)
        ([1, -1, 0, -1, 0], {'unknown name': 1, 'neither': 1})
        >>> read_assignment(Reply("I cannot do that."), ["office"], names).reason
        "the model refuses: 'I cannot do that.'"
    """
    nothing = np.zeros(len(words), dtype=np.int64)
    if isinstance(reply, Skipped):
        return Assignment(nothing, reason=reply.reason)
    if reply.refused:
        return Assignment(nothing, reason=f"{REFUSED}: {quoted(reply.text)}")
    if not reply.ended:
        return Assignment(nothing, reason=f"{TRUNCATED}: {quoted(reply.text)}")
    pairs = {
        key: (i, name)
        for i, word in enumerate(words)
        for name in names
        for key in (f"{word} {name}", f"{name} {word}")
    }
    given: dict[int, set[int]] = {}
    used: set[str] = set()
    unknown: set[int] = set()
    faults: Counter[str] = Counter()
    marked = True
    for line, is_marked in _lines(reply.text, pairs):
        if found := pairs.get(line):
            given.setdefault(found[0], set()).add(names[found[1]])
            used.add(found[1])
            marked &= is_marked
        elif starts := [i for i, word in enumerate(words) if line.startswith(f"{word} ")]:
            unknown.add(max(starts, key=lambda i: len(words[i])))
        elif any(line.endswith(f" {name}") for name in names):
            faults["unknown word"] += 1
    unknown -= set(given)
    sides = nothing
    for i, found_sides in given.items():
        sides[i] = 0 if len(found_sides) > 1 else next(iter(found_sides))
    faults["twice"] = sum(len(found_sides) > 1 for found_sides in given.values())
    faults["unknown name"] = len(unknown)
    faults["neither"] = len(words) - len(given) - len(unknown)
    if sides.any():
        order = tuple(sorted(used, key=lambda name: (-names[name], name)))
        return Assignment(sides, order, {kind: n for kind, n in faults.items() if n}, marked)
    if is_refusal(reply.text):
        return Assignment(sides, reason=f"{REFUSED}: {quoted(reply.text)}")
    return Assignment(
        sides,
        reason=f"no word is assigned to a group: {quoted(reply.text)}"
        if reply.text.strip()
        else "the reply is empty",
    )


def _lines(text: str, pairs: Mapping[str, tuple[int, str]]) -> list[tuple[str, bool]]:
    """The keys of a reply's lines without their numbers, and whether the published code reads them.

    A line that is no pair is cut at commas and semicolons. A name that opens or closes it stands for all its words.
    """
    found = []
    for line in text.splitlines():
        parts = [line] if _line_key(line) in pairs else re.split("[,;]", line)
        keys = [(_line_key(part), _BY_HYPHEN.match(part) is not None) for part in parts]
        name = _name_of_all([key for key, _ in keys if key], pairs)
        found += [(f"{key} {name}", False) if f"{key} {name}" in pairs else (key, by) for key, by in keys]
    return [(key, marked) for key, marked in found if key]


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
