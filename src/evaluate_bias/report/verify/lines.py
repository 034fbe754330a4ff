"""Text held against the same text rendered from recomputed results, number by number."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import zip_longest

from ...result import Result
from ..lines import model_name
from .verdicts import Check, Verdict

__all__ = ["Expected", "Rendered", "check_lines"]

_NUMBER = re.compile(r"[-+−]?\d+(?:[.,]\d+)*(?:[eE][-+]?\d+)?")
# Three digits behind a point or comma may be thousands, unless a zero stands before it.
_DECIMAL = re.compile(r"(?P<whole>-?(?:0(?=[.,]\d{3})|\d+(?![.,]\d{3}\b)))(?:[.,](?P<part>\d+))?", re.ASCII)


@dataclass(frozen=True, slots=True)
class Expected:
    """Results as they are recomputed, in the order in which they are stored.

    Attributes:
        results: the results; those that cannot be recomputed as they are stored.
        provable: those of them that were recomputed.
        earlier: the same list as it was before, the latest first.
        left: numbers of those that were recorded and do not stand in ``results.jsonl``.
    """

    results: tuple[Result, ...]
    provable: tuple[Result, ...]
    earlier: tuple[tuple[Result, ...], ...]
    left: frozenset[int] = frozenset()

    def choices(self, is_told: Callable[[Result], bool] = lambda result: True) -> list[tuple[int, ...]]:
        """Numbers of the results that a text may be about: all, those of one model, and those that it tells of."""
        everything = range(len(self.results))
        names = [model_name(r) for r in self.results]
        of_models = [[i for i in everything if names[i] == name] for name in dict.fromkeys(names)]
        sets: list[Sequence[int]] = [[i for i in everything if i not in self.left], everything, *of_models]
        sets += [[i for i in own if is_told(self.results[i])] for own in sets]
        return [places for places in dict.fromkeys(map(tuple, sets)) if places]

    def only(self, places: Sequence[int]) -> Expected:
        """These of the results."""
        results = tuple(self.results[i] for i in places)
        return Expected(
            results,
            tuple(r for r in results if any(r is p for p in self.provable)),
            tuple(tuple(old[i] for i in places) for old in self.earlier),
        )


@dataclass(frozen=True, slots=True)
class Rendered:
    """What stands in a text that is written from results.

    Attributes:
        lines: its lines.
        masked: the same with a mark in place of every number.
        provable: lines that recomputed results give; ``None`` where all are recomputed.
        earlier: lines that it had before.
    """

    lines: tuple[str, ...]
    masked: tuple[str, ...]
    provable: frozenset[str] | None
    earlier: frozenset[str]

    @classmethod
    def of(cls, expected: Expected, render: Callable[[Sequence[Result]], str]) -> Rendered:
        """Render the results, and what is needed to judge lines that differ."""
        lines = lines_of(render(expected.results))
        whole = len(expected.provable) == len(expected.results)
        proven = (
            None if whole else frozenset(lines_of(render(expected.provable)) if expected.provable else ())
        )
        earlier = frozenset(line for old in expected.earlier for line in lines_of(render(old)))
        return cls(lines, tuple(map(_masked, lines)), proven, earlier)


def lines_of(text: str) -> tuple[str, ...]:
    """Lines without what is blank at their ends."""
    return tuple(
        line.rstrip() for line in text.replace("\r\n", "\n").replace("\r", "\n").rstrip().split("\n")
    )


def check_lines(
    file: str, found: Sequence[str], rendered: Rendered, numbers: Sequence[int] | None = None
) -> Iterator[Check]:
    """Judge every number of a text, and every line that is not as it would be written.

    Args:
        file: what to call the text.
        found: its lines, as :func:`lines_of` gives them.
        rendered: what it should be.
        numbers: the numbers of its lines; by default from 1 on.
    """
    if tuple(found) == rendered.lines:
        pairs: list[tuple[int | None, int | None]] = [(i, i) for i in range(len(found))]
    else:
        pairs = list(_aligned([_masked(line) for line in found], rendered.masked))
    for here, there in pairs:
        shown = "" if here is None else found[here]
        wanted = "" if there is None else rendered.lines[there]
        place = "" if here is None else f"line {here + 1 if numbers is None else numbers[here]}"
        if shown == wanted:
            yield from _same(file, place, shown, rendered)
        elif shown and shown in rendered.earlier:
            yield Check(file, place, "stale", shown, wanted, "an earlier result gives this line")
        elif _masked(shown) == _masked(wanted):
            yield from _numbers(file, place, shown, wanted)
        elif shown:
            yield Check(file, place, "false", shown, wanted, "the recorded scores do not give this line")
        else:
            yield Check(file, place, "false", "", wanted, "this line is missing")


def _same(file: str, place: str, line: str, rendered: Rendered) -> Iterator[Check]:
    proven = rendered.provable is None or line in rendered.provable
    verdict: Verdict = "true" if proven else "not verifiable"
    reason = "" if proven else "the scores behind it were not recorded"
    for number in _NUMBER.findall(line):
        yield Check(file, place, verdict, number, number if proven else "", reason)


def _numbers(file: str, place: str, shown: str, wanted: str) -> Iterator[Check]:
    """Two lines that differ in their numbers alone."""
    for a, b in zip(_NUMBER.findall(shown), _NUMBER.findall(wanted), strict=True):
        yield Check(file, place, "true" if _alike(a, b) else "false", a, b)


def _alike(a: str, b: str) -> bool:
    """Whether two numbers are one that is written in two ways: 61.30 for 61.3, or a hyphen for the minus sign."""
    if a == b:
        return True
    one, other = (_DECIMAL.fullmatch(number.replace("−", "-")) for number in (a, b))
    return one is not None and other is not None and _shortest(one) == _shortest(other)


def _shortest(number: re.Match[str]) -> tuple[str, str]:
    return number["whole"], (number["part"] or "").rstrip("0")


def _masked(line: str) -> str:
    return _NUMBER.sub("#", line)


def _aligned(found: Sequence[str], wanted: Sequence[str]) -> Iterator[tuple[int | None, int | None]]:
    """Which line stands for which; ``None`` where there is none."""
    for tag, a, b, c, d in SequenceMatcher(None, found, wanted, autojunk=False).get_opcodes():
        if tag == "equal":
            yield from zip(range(a, b), range(c, d), strict=True)
        else:
            yield from zip_longest(range(a, b), range(c, d))
