"""The rows of the ledger: printed numbers, and the call of this library that gives each."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import Any

import yaml

__all__ = ["Row", "Source", "Table", "load_sources", "status_of"]

FOLDER = Path(__file__).parent

EQUAL, ROUNDED, DIFFERS, NEEDED, PENDING = (
    "equal",
    "within rounding",
    "different",
    "not available",
    "not run yet",
)
STATUSES = (EQUAL, ROUNDED, DIFFERS, NEEDED, PENDING)


@dataclass(frozen=True, kw_only=True)
class Row:
    """A printed number.

    Attributes:
        cell: its place in the table.
        printed: as printed, a text, so that its digits are known.
        value: Python expression of our number. ``result`` is what the table's call returned.
        fields: names that call and value use, with their values in this row.
        tolerance: largest difference that counts as rounding, by default one unit of the last printed digit.
        because: why our number is another one.
        needs: what the row would need and cannot have here, ``None`` if it runs.
        known_as: what cards and reports call the model, if they show the number next to scores of other models.
    """

    cell: str
    printed: str
    value: str
    fields: Mapping[str, Any] = field(default_factory=dict)
    tolerance: float | None = None
    because: str | None = None
    needs: str | None = None
    known_as: str | None = None


@dataclass(frozen=True, kw_only=True)
class Table:
    """Printed numbers that one call gives.

    Attributes:
        reads: "nothing", or "repository" for rows that read files of the source's repository.
        dataset: data set of this library that the rows need besides.
        yardstick: the conditions under which a result is compared with the rows that have ``known_as``, see
            :func:`benchmarks.ledger.page.write_yardsticks`. ``None`` if no result is compared with them.
    """

    name: str
    call: str
    rows: tuple[Row, ...]
    value: str = "result.score"
    note: str = ""
    reads: str = "nothing"
    dataset: str | None = None
    yardstick: Mapping[str, Any] | None = None


@dataclass(frozen=True, kw_only=True)
class Source:
    """A paper, thesis or package.

    Attributes:
        setup: Python code before the calls.
    """

    key: str
    title: str
    reference: str
    url: str
    tables: tuple[Table, ...]
    repository: str | None = None
    commit: str = ""
    licence: str = ""
    setup: str = ""


# The loader in C if it is available: the sources take seconds in Python.
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def load_sources(folder: Path = FOLDER) -> list[Source]:
    """Read every source of a folder, in the order of their file names."""
    return [_source(path) for path in sorted(folder.glob("*.yaml"))]


def _source(path: Path) -> Source:
    content = yaml.load(path.read_text(encoding="utf-8"), Loader=_LOADER)
    tables = tuple(_table(t) for t in content.pop("tables"))
    source = Source(key=path.stem, tables=tables, **content)
    for table in tables:
        if table.reads == "repository" and not source.repository:
            raise ValueError(f"{path.name}: {table.name} reads a repository that the source does not name")
    return source


def _table(content: dict[str, Any]) -> Table:
    common = {
        key: content.pop(key) for key in ("tolerance", "because", "needs", "known_as") if key in content
    }
    value = content.get("value", Table.value)
    rows = tuple(_rows(content.pop("rows"), value, common))
    table = Table(rows=rows, **content)
    cells = [row.cell for row in rows]
    if len(set(cells)) < len(cells):
        raise ValueError(f"{table.name}: a cell occurs twice")
    return table


def _rows(rows: list[dict[str, Any]], value: str, common: dict[str, Any]) -> Iterator[Row]:
    own = {"cell", "printed", "value", "tolerance", "because", "needs", "known_as"}
    for row in rows:
        if not isinstance(row["printed"], str):
            raise TypeError(f"{row['cell']}: the printed number stands in quotation marks, as printed")
        fields = {key: given for key, given in row.items() if key not in own}
        named = {key: given for key, given in row.items() if key in own}
        yield Row(**{"value": value, "fields": fields, **common, **named})


def status_of(row: Row, ours: float | None) -> str:
    """Compare our number with the printed one.

    Raises:
        ValueError: the numbers differ and the row gives no reason, or it gives one and they do not.
    """
    if row.needs is not None:
        return NEEDED
    if ours is None:
        return PENDING
    unit = last_digit(row.printed)
    distance = abs(ours - float(row.printed))
    slack = 1e-9 * max(unit, abs(ours) if math.isfinite(ours) else 0.0)
    if distance <= unit / 2 + slack:
        status = EQUAL
    elif distance <= (unit if row.tolerance is None else row.tolerance) + slack:
        status = ROUNDED
    else:
        status = DIFFERS
    if (status == DIFFERS) != (row.because is not None):
        verb = "differs, and the row does not say why" if row.because is None else "does not differ any more"
        raise ValueError(f"{row.cell}: {ours!r} beside the printed {row.printed} {verb}")
    return status


def last_digit(printed: str) -> float:
    """Return the unit of the last printed digit."""
    if not re.fullmatch(r"-?\d*\.?\d+(e[-+]?\d+)?", printed):
        raise ValueError(f"{printed!r} is not a printed number")
    exponent = Decimal(printed).as_tuple().exponent
    return 10.0 ** int(exponent)
