"""What single items, or the words of tests, contributed: as much as a page can carry, and the whole as CSV."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ...registry import METHODS
from ...result import Result
from ...text import one_line
from ..table import Cell, Table, table_of

LONGEST = 400
"""Characters of a cell in a page."""


def has_long_texts(table: Table[Any]) -> bool:
    """Whether a page cuts texts of a table off."""
    return any(isinstance(cell, str) and len(cell) > LONGEST for row in table.rows for cell in row)


def item_table(result: Result) -> Table[Sequence[Cell]] | None:
    """Return the items of a result, or what its tests are made of; nothing where it has neither.

    Examples:
        >>> from evaluate_bias.result import Row
        >>> rows = [Row(name="1", kind="item", labels={"bias_type": "age"}, details={"delta": 0.5})]
        >>> result = Result(method="pll", score=60, score_range=(0, 100), direction="two_sided", ideal=50, n=1,
        ...                 rows=rows)
        >>> table = item_table(result)
        >>> table.titles, table.rows
        (['name', 'bias_type', 'delta'], [('1', 'age', 0.5)])
    """
    flat = [_flat(row.flat()) for row in result.rows_of("item")]
    if not flat:
        record = METHODS.get(result.method)
        key = record.units.list if record is not None and record.units is not None else ""
        flat = [
            {"test": row.name, **_flat(unit)}
            for row in result.rows_of("test")
            for unit in (row.details.get(key) or () if key else ())
            if isinstance(unit, Mapping)
        ]
    if not flat:
        return None
    columns = tuple(dict.fromkeys(key for line in flat for key in line))
    return table_of(columns, [tuple(line.get(c) for c in columns) for line in flat])


def flattened(facts: Mapping[str, Any], before: str = "") -> Iterator[tuple[str, Any]]:
    """Yield names and values of nested facts in one list; a name has those above it before it."""
    for key, value in facts.items():
        name = f"{before}{one_line(str(key))}"
        if isinstance(value, Mapping):
            yield from flattened(value, f"{name}.")
        else:
            yield name, value


def _cell(value: Any) -> Cell:
    if value is None or isinstance(value, (bool, int, float)):
        return value
    return one_line(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False))


def _flat(line: Mapping[str, Any]) -> dict[str, Cell]:
    return {name: _cell(value) for name, value in flattened(line)}


def cut_to_fit(tables: Sequence[Table[Any]], most_rows: int, most_bytes: int) -> list[int]:
    """Return how many rows of each table a page carries: equal parts of the room, what one leaves is for the others.

    Args:
        tables: the tables.
        most_rows: of one table.
        most_bytes: of all together, as :func:`script_json` writes them.

    Examples:
        >>> small, large = table_of(["a"], [(1,)]), table_of(["a"], [(i,) for i in range(1000)])
        >>> cut_to_fit([large, small], 500, 10_000), cut_to_fit([large, small], 500, 100)
        ([500, 1], [21, 1])
    """
    sizes = [[len(script_json(row)) + 1 for row in _cut_rows(t.rows[:most_rows])] for t in tables]
    counts = [0] * len(tables)
    room = most_bytes
    for rank, i in enumerate(sorted(range(len(tables)), key=lambda i: sum(sizes[i]))):
        share = room // (len(tables) - rank)
        used = 0
        for size in sizes[i]:
            if used + size > share:
                break
            used += size
            counts[i] += 1
        room -= used
    return counts


def script_json(value: Any) -> str:
    """Return JSON that can stand in a ``<script>`` element: nothing in it ends the element.

    Examples:
        >>> script_json(["</script><b>", 0.5])
        '["\\\\u003c/script>\\\\u003cb>",0.5]'
    """
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


def shown_rows(table: Table[Any], count: int) -> str:
    """Return the first rows as :func:`script_json` with the columns."""
    return script_json({"columns": table.titles, "rows": _cut_rows(table.rows[:count])})


def _cut_rows(rows: Sequence[tuple[Cell, ...]]) -> list[list[Cell]]:
    """Rows with long texts cut off."""

    def cut(cell: Cell) -> Cell:
        return f"{cell[: LONGEST - 1]}…" if isinstance(cell, str) and len(cell) > LONGEST else cell

    return [[cut(cell) for cell in row] for row in rows]
