"""Every number behind a card, for ``evaluate-bias.json`` next to it."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from typing import Any

from ...registry import METHODS
from ...result import Result
from ...text import one_line
from ..data_facts import caveats
from ..escape import public_name
from ..reading import read_all
from ..row_tables import program_rows
from ..score_matrix import short_labels
from .settings import chosen_options


def numbers_of(results: Sequence[Result]) -> list[dict[str, Any]]:
    """Return each result with its conclusion, all rows but single items, options, data, model, limits and citations.

    Texts that could be paths on someone's machine lose their folders.

    Examples:
        >>> result = Result(method="weat", score=0.1, score_range=(-2, 2), direction="two_sided", ideal=0, n=16,
        ...                 provenance={"dataset": {"source": "/home/me/lists.json"}})
        >>> (numbers,) = numbers_of([result])
        >>> numbers["label"], numbers["conclusion"], numbers["data"]
        ('WEAT', 'no test', {'source': 'lists.json'})
    """
    out = []
    for reading, label in zip(read_all(results), short_labels(results), strict=True):
        result, record = reading.result, METHODS.get(reading.result.method)
        facts = {
            "label": label,
            "method": result.method,
            "conclusion": reading.word,
            "finding": reading.finding,
            "remarks": list(reading.remarks),
            "rows": program_rows([reading]),
            "direction": result.direction,
            "score_range": list(result.score_range),
            "options": chosen_options(result),
            "data": result.provenance.get("dataset"),
            "model": result.provenance.get("model"),
            "versions": result.provenance.get("versions"),
            "date": result.date,
            "coverage": {"found": result.coverage.found, "asked": result.coverage.asked},
            "warnings": list(result.warnings),
            "limits": list(caveats(result)),
            "paper": "" if record is None else record.paper,
            "bibtex": "" if record is None else record.bibtex,
        }
        out.append(_public({key: value for key, value in facts.items() if value not in (None, "", [], {})}))
    return out


_PROSE = ("bibtex", "paper", "limits", "warnings", "remarks", "finding", "conclusion")
"""Texts of this library that have slashes but are not paths."""


def _prose(value: Any) -> Any:
    if isinstance(value, list):
        return [_prose(one) for one in value]
    return "\n".join(map(one_line, str(value).split("\n")))


def _public(value: Any) -> Any:
    """Return a value as JSON data, without paths. An undefined number becomes ``None``."""
    if isinstance(value, Mapping):
        return {one_line(str(k)): _prose(v) if k in _PROSE else _public(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [_public(one) for one in value]
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, (str, bool, int)) or value is None:
        return public_name(value) if isinstance(value, str) else value
    return public_name(json.dumps(value, default=str))
