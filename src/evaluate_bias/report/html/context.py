"""What the template of the HTML page is filled with: readings, and the facts of each result beside them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ...method import MethodRecord, Secondary
from ...registry import METHODS
from ..data_facts import caveats, data_sources, data_titles, public_source
from ..escape import looks_like_path, one_line, public_name
from ..lines import ALL_TESTS, declared_secondary, score_name, score_scale
from ..reading import Reading, RowReading
from ..score_matrix import told_apart
from ..trust import TrustRow, trust
from .items import flattened

_LONGEST = 300


@dataclass(frozen=True, slots=True, kw_only=True)
class ResultPart:
    """What the page says about one result.

    Attributes:
        anchor: of its place in the page.
        reading: what may be said of it.
        apart: what tells it from others by the same method on the same model.
        rows: its rows, each with how far to trust it where that can be said.
        secondary: the secondary values that they have.
        data: what people call its data.
    """

    anchor: str
    reading: Reading
    apart: str
    rows: tuple[tuple[RowReading, TrustRow | None], ...]
    secondary: tuple[Secondary, ...]
    data: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class MethodNotes:
    """What to know about a method and its data before quoting a score; ``record`` is ``None`` if it is not ours."""

    title: str
    name: str
    record: MethodRecord | None
    scale: str
    reading: str
    caveats: tuple[str, ...]


def result_parts(readings: Sequence[Reading]) -> list[ResultPart]:
    """Return what the page says about each result."""
    results = [r.result for r in readings]
    table = trust(results)
    parts = []
    for i, (reading, apart) in enumerate(zip(readings, told_apart(results), strict=True)):
        judged = iter(table.by_result[i])
        rows = [(r, table.heads[i] if r.line.headline else next(judged, None)) for r in reading.rows]
        language = reading.head.line.language
        parts.append(
            ResultPart(
                anchor=f"result-{i + 1}",
                reading=reading,
                apart=apart or (f" ({language})" if language else ""),
                rows=tuple(rows),
                secondary=tuple(declared_secondary([row.line for row in reading.rows])),
                data=tuple(data_titles([reading.result])),
            )
        )
    return parts


def method_parts(readings: Sequence[Reading]) -> list[MethodNotes]:
    """Return what to know about each method, with the caveats of the data it was used on."""
    parts = []
    for method in dict.fromkeys(r.result.method for r in readings):
        own = [r for r in readings if r.result.method == method]
        record, lines = METHODS.get(method), [row.published for r in own for row in r.rows]
        reading = record.interpretation if record else f"{own[0].result.direction_text.capitalize()}."
        if record and record.aggregation and any(line.headline for line in lines):
            reading += f" {ALL_TESTS.capitalize()}: {record.aggregation}"
        parts.append(
            MethodNotes(
                title=record.title if record else one_line(method),
                name=method,
                record=record,
                scale=f"{score_name(lines[-1])}, {score_scale(lines)}",
                reading=reading,
                caveats=tuple(dict.fromkeys(caveat for r in own for caveat in caveats(r.result))),
            )
        )
    return parts


def provenance(reading: Reading) -> Iterable[tuple[str, str]]:
    """Yield where model and data come from, by name, as it may be published."""
    yield "model", reading.model
    for facts in data_sources(reading.result):
        if source := public_source(facts):
            yield "data", source
    yield from flat(reading.result.provenance)


def flat(facts: Mapping[str, Any]) -> Iterable[tuple[str, str]]:
    """Yield names and values in one list; of paths only their last part, as they tell about someone's machine."""
    for name, value in flattened(facts):
        text = _public(value) if isinstance(value, str) else json.dumps(_public(value), ensure_ascii=False)
        yield name, text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"


def _public(value: Any) -> Any:
    if isinstance(value, list):
        return [_public(v) for v in value]
    if not isinstance(value, str):
        return value
    shown = one_line(value)
    return public_name(shown) if looks_like_path(shown) else shown
