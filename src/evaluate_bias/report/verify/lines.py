"""Texts and structures held against the same made from recomputed results, number by number."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import zip_longest
from typing import Any

import numpy as np

from ...result import Result
from ..lines import model_name, report_lines
from .verdicts import Check

_NUMBER = re.compile(r"[-+−]?\d+(?:[.,]\d+)*(?:[eE][-+]?\d+)?")


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
        provable: lines that recomputed results give; ``None`` where all are recomputed.
        earlier: lines that it had before.
    """

    lines: tuple[str, ...]
    provable: frozenset[str] | None
    earlier: frozenset[str]

    @classmethod
    def of(cls, expected: Expected, render: Callable[[Sequence[Result]], str], text: str = "") -> Rendered:
        """Render the results, unless that text is given, and what is needed to judge lines that differ."""
        lines = lines_of(text or render(expected.results))
        whole = len(expected.provable) == len(expected.results)
        text = render(expected.provable) if expected.provable and not whole else ""
        proven = None if whole else frozenset(lines_of(text))
        earlier = frozenset(line for old in expected.earlier for line in lines_of(render(old)))
        return cls(lines, proven, earlier)


def lines_of(text: str) -> tuple[str, ...]:
    """Lines without blanks and tabs at their ends, and without empty lines at the end of the text."""
    text = text.replace("\r\n", "\n").replace("\r", "\n").rstrip(" \t\n")
    return tuple(line.rstrip(" \t") for line in text.split("\n"))


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
    pairs: Iterable[tuple[int | None, int | None]] = ((i, i) for i in range(len(found)))
    if tuple(found) != rendered.lines:
        pairs = _aligned([*map(_masked, found)], [*map(_masked, rendered.lines)])
    for here, there in pairs:
        shown = "" if here is None else found[here]
        wanted = "" if there is None else rendered.lines[there]
        place = "" if here is None else f"line {here + 1 if numbers is None else numbers[here]}"
        if shown == wanted and here is not None and there is not None:
            proven = rendered.provable is None or shown in rendered.provable
            reason = "" if proven else "the scores behind it were not recorded"
            for number in _NUMBER.findall(shown):
                known = number if proven else ""
                yield Check(file, place, "true" if proven else "not verifiable", number, known, reason)
        elif shown and shown in rendered.earlier:
            yield Check(file, place, "stale", shown, wanted, "an earlier result gives this line")
        elif here is None:
            yield Check(file, place, "false", "", wanted, "this line is missing")
        elif there is not None and _masked(shown) == _masked(wanted) and _differ_in_numbers(shown, wanted):
            for a, b in zip(_NUMBER.findall(shown), _NUMBER.findall(wanted), strict=True):
                yield Check(file, place, "true" if a == b else "false", a, b)
        else:
            reason = "the recorded scores do not give this line"
            yield Check(file, place, "false", shown or "an empty line", wanted, reason)


def _differ_in_numbers(shown: str, wanted: str) -> bool:
    """Whether two lines have as many numbers and not the same: a text may hold the mark of a number itself."""
    a, b = _NUMBER.findall(shown), _NUMBER.findall(wanted)
    return len(a) == len(b) and a != b


def check_numbers(file: str, text: str, others: Sequence[str], results: Sequence[Result]) -> Iterator[Check]:
    """Judge the numbers of a text that is worded in another format: each must be one that these results give.

    Args:
        file: what to call the text.
        text: the text.
        others: the same in today's format, whose numbers are known beside those of the results.
        results: what the text is about.
    """
    today = filter(None, map(_value, _NUMBER.findall(" ".join(others))))
    adjusted = [[line.p_holm_all, line.p_bh_all] for line in report_lines(results)]
    known = np.array([*_values([*(r.to_dict() for r in results), *adjusted]), *today])
    for number in _NUMBER.findall(text):
        value, digits = _value(number), len(re.split("[.,]", number)[-1])
        if value is None or not re.search("[.,]", number):
            continue  # years, levels and counts are of the wording
        scaled = np.outer((1, 100), known if value < 0 else np.abs(known))
        fits = bool((np.abs(scaled - value) <= 0.5000001 * 10.0**-digits).any())
        reason = "" if fits else "the recorded scores do not give this number"
        yield Check(file, "", "true" if fits else "false", number, "", reason)


def _value(number: str) -> float | None:
    try:
        return float(number.replace("−", "-").replace(",", "."))
    except ValueError:
        return None


def _values(value: Any) -> Iterator[float]:
    """All numbers within a structure."""
    if isinstance(value, (dict, list)):
        for part in value.values() if isinstance(value, dict) else value:
            yield from _values(part)
    elif isinstance(value, (int, float)) and not isinstance(value, bool):
        yield float(value)


def _masked(line: str) -> str:
    return _NUMBER.sub("#", line)


def _aligned(found: Sequence[str], wanted: Sequence[str]) -> Iterator[tuple[int | None, int | None]]:
    """Which line stands for which; ``None`` where there is none."""
    for tag, a, b, c, d in SequenceMatcher(None, found, wanted, autojunk=False).get_opcodes():
        if tag == "equal":
            yield from zip(range(a, b), range(c, d), strict=True)
        else:
            yield from zip_longest(range(a, b), range(c, d))


# --- structures as they stand in a file: nothing that a reader would pass over is lost --------------------------


class _Absent:
    def __repr__(self) -> str:
        return "nothing"


ABSENT = _Absent()
"""In place of a value that is not there."""


def leaves(a: Any, b: Any, path: str = "") -> Iterator[tuple[str, Any, Any]]:
    """Every value of two structures side by side, with its place; what one lacks is ``ABSENT``."""
    if isinstance(a, dict) and isinstance(b, dict):
        for key in dict.fromkeys((*a, *b)):
            yield from leaves(a.get(key, ABSENT), b.get(key, ABSENT), f"{path}.{key}")
    elif isinstance(a, list) and isinstance(b, list) and len(a) == len(b):
        for i, (x, y) in enumerate(zip(a, b, strict=True)):
            yield from leaves(x, y, f"{path}[{i}]")
    else:
        yield path, a, b


def same(a: Any, b: Any) -> bool:
    """Whether two values of JSON are one, 1 and 1.0 too."""
    if isinstance(a, bool) or isinstance(b, bool) or not isinstance(a, (int, float)):
        return type(a) is type(b) and bool(a == b)
    return isinstance(b, (int, float)) and a == b
