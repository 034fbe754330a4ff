"""The numbers and names in one row of a result's breakdown, under whatever keys a method gives them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..method_record import Secondary
from ..registry import METHODS

__all__ = [
    "Further",
    "coverage",
    "decided_share",
    "first_number",
    "further_values",
    "list_names",
    "number",
    "ties",
    "units",
]

_NO_NAMES = ("X", "Y", "A", "B")
"""Names that the schema gives to lists which have none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Further:
    """A further value of a row, with its interval where it has one; a count is a whole number."""

    value: float | int
    low: float | None
    high: float | None


def list_names(item: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the names of a test's four word lists, each empty when it has none; nothing for what is no such test.

    Examples:
        >>> list_names({"x": "math", "y": "arts", "a": "A", "b": "B"}), list_names({"bias_type": "age"})
        (('math', 'arts', '', ''), ())
    """
    if not all(key in item for key in "xyab"):
        return ()
    given = [str(item[key] or "") for key in "xyab"]
    return tuple("" if name == default else name for name, default in zip(given, _NO_NAMES, strict=True))


def further_values(method: str, facts: Mapping[str, Any]) -> tuple[Further | None, ...]:
    """Return the values that the method's record declares as secondary, in its order, ``None`` for one not there."""
    record = METHODS.get(method)
    return () if record is None else tuple(_secondary(declared, facts) for declared in record.secondary)


def _secondary(declared: Secondary, facts: Mapping[str, Any]) -> Further | None:
    value, low, high = (_at(facts, path) for path in (declared.key, declared.low, declared.high))
    return None if value is None else Further(value=value, low=low, high=high)


def _at(facts: Mapping[str, Any], path: str) -> float | int | None:
    """The number at a path of keys, such as ``"unrelated.sign.agreement"``."""
    *outer, last = path.split(".")
    for key in outer:
        inner = facts.get(key)
        if not isinstance(inner, Mapping):
            return None
        facts = inner
    value = facts.get(last)
    return value if isinstance(value, int) and not isinstance(value, bool) else number(facts, last)


def decided_share(facts: Mapping[str, Any]) -> Further | None:
    """Return the share of the units that are no ties, with its interval, ``None`` where there is none."""
    value = number(facts, "decided_score")
    if value is None:
        return None
    return Further(value=value, low=number(facts, "decided_low"), high=number(facts, "decided_high"))


def ties(facts: Mapping[str, Any]) -> int:
    """Return the number of units that count for neither side, 0 where nothing is told."""
    return int(first_number(facts, ("ties", "neutral")) or 0)


def number(item: Mapping[str, Any], key: str) -> float | None:
    """Return a number, ``None`` where there is none under this key."""
    value = item.get(key)
    return float(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else None


def first_number(item: Mapping[str, Any], keys: Sequence[str]) -> float | None:
    """Return the number under the first of the keys that has one."""
    return next((v for v in (number(item, k) for k in keys) if v is not None), None)


def units(item: Mapping[str, Any]) -> int | None:
    """Return the number of units behind the score: the target words of a test, or ``n``."""
    counts = [number(item, k) for k in ("n_x", "n_y")]
    if all(c is not None for c in counts):
        return int(sum(c for c in counts if c is not None))
    n = number(item, "n")
    return None if n is None else int(n)


def coverage(item: Mapping[str, Any]) -> tuple[int | None, int | None]:
    """Return how much was found of what was asked, twice ``None`` where the row does not tell."""
    told = item.get("coverage")
    pair = told if isinstance(told, Mapping) else item
    found, asked = number(pair, "found"), number(pair, "asked")
    if found is not None and asked is not None:
        return int(found), int(asked)
    counts = [number(item, f"n_{key}") for key in "xyab"]
    if any(c is None for c in counts):
        return None, None
    scored = {(w.get("list"), w.get("word")) for key in ("words", "attributes") for w in item.get(key) or ()}
    # A repeated word is listed as skipped too, but it was scored once, so it is not missing.
    skipped = {(str(s.get("where", "")).rpartition("/")[2], s.get("item")) for s in item.get("skipped") or ()}
    total = int(sum(c for c in counts if c is not None))
    return total, total + len(skipped - scored)
