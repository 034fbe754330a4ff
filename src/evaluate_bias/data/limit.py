"""The part of a data set that ``limit`` measures: as many rows of every group that is compared."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from itertools import accumulate
from typing import Any

from .schemas import Schema

_GOLDEN = 0.6180339887498949
"""The fractional parts of its multiples are spread evenly, whatever period the rows have."""


def choose_places(rows: Sequence[Any], schema: type[Schema], limit: int) -> list[int]:
    """Choose the positions of at most ``limit`` rows, in order: as many of every group, spread over its rows.

    Rows that share their values in the schema's ``within`` are chosen together, if the limit allows one such set for
    every group. The same rows give the same positions.

    Examples:
        >>> from evaluate_bias.data.words import WsvWord
        >>> rows = [{"word": str(i), "group": "female" if i < 6 else "male"} for i in range(8)]
        >>> choose_places(rows, WsvWord, 4), choose_places(rows, WsvWord, 7)
        ([0, 5, 6, 7], [0, 1, 2, 4, 5, 6, 7])
    """
    places: Sequence[int] = range(len(rows))
    if len(rows) <= limit:
        return list(places)
    for column in schema.crossed:
        blocks = _split(rows, places, (column,))
        if n := sum(size <= limit for size in accumulate(map(len, blocks))):
            return sorted(i for block in blocks[:n] for i in block)
        places = blocks[0]
    sets = _split(rows, places, schema.within) if schema.within else [[i] for i in places]
    sets = [sets[k] for k in sorted(range(len(sets)), key=lambda k: k * _GOLDEN % 1)]
    groups = _by_group(rows, sets, schema.compared)
    if sum(len(of_group[0]) for of_group in groups) > limit:
        groups = _by_group(rows, [[i] for one in sets for i in one], schema.compared)
    chosen: list[int] = []
    while groups := [g for g in groups if g and len(chosen) + len(g[0]) <= limit]:
        for of_group in groups:
            if len(chosen) + len(of_group[0]) <= limit:
                chosen += of_group.popleft()
    return sorted(chosen)


def _split(rows: Sequence[Any], places: Iterable[int], columns: Sequence[str]) -> list[list[int]]:
    """The places of rows that share their values in some columns, in order of appearance."""
    sets: dict[tuple[str, ...], list[int]] = {}
    for i in places:
        sets.setdefault(_values(rows[i], columns), []).append(i)
    return list(sets.values())


def _by_group(
    rows: Sequence[Any], sets: Iterable[list[int]], columns: Sequence[str]
) -> list[deque[list[int]]]:
    """Sets of places by the groups that their rows are of."""
    groups: dict[frozenset[tuple[str, ...]], deque[list[int]]] = {}
    for one in sets:
        groups.setdefault(frozenset(_values(rows[i], columns) for i in one), deque()).append(one)
    return list(groups.values())


def _values(row: Any, columns: Sequence[str]) -> tuple[str, ...]:
    """The texts of a row's columns, empty where it has none."""
    values = (row.get(c) if isinstance(row, Mapping) else getattr(row, c, None) for c in columns)
    return tuple("" if value is None else str(value) for value in values)
