"""Published scores of well-known models by the same method, data and protocol, so that a reader knows what is usual.

``yardsticks.json`` is written from the ledger of published numbers by ``make ledger``. Every condition must be met: a
score on other data, on a subset, of another variant, or over fewer items than were published is not compared.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Mapping
from importlib.resources import files
from typing import Any

from ..result import Result, Row
from .data_facts import chosen_subset, dataset_facts, mapping, result_note

_MOST_DIGITS = 4
"""Significant digits of a published score that is printed with more."""


@functools.cache
def _yardsticks() -> list[dict[str, Any]]:
    text = files(__package__).joinpath("yardsticks.json").read_text(encoding="utf-8")
    return json.loads(text)  # type: ignore[no-any-return]


def published_scores(result: Result, row: Row) -> str:
    """Return scores of well-known models and their source, in the unit of the row's published score. Usually empty.

    Args:
        result: the result.
        row: one of its rows.

    Examples:
        >>> data = {"source": "crows_pairs", "config": "en", "split": "test"}
        >>> settings = {"variant": "shared", "scoring": "crows_pairs", "round_to": 3, "lower": False}
        >>> from evaluate_bias.result import Coverage
        >>> result = Result(method="crows_pairs", score=60, score_range=(0, 100), direction="two_sided", ideal=50,
        ...                 n=1508, coverage=Coverage(1508, 1508), settings=settings, provenance={"dataset": data})
        >>> published_scores(result, result.overall)
        'BERT base 60.5, RoBERTa large 64.1, ALBERT xxlarge v2 67.0 (Nangia et al. 2020)'
    """
    for yardstick in _yardsticks():
        if _is_comparable(yardstick, result, row):
            scores = (f"{model} {_shortened(score)}" for model, score in yardstick["scores"].items())
            return f"{', '.join(scores)} ({yardstick['cited']})"
    return ""


def _is_comparable(yardstick: Mapping[str, Any], result: Result, row: Row) -> bool:
    facts, note = dataset_facts(result), result_note(result)
    coverage = row.coverage or result.coverage
    return (
        result.method == yardstick["method"]
        and _name(row) == yardstick["row"]
        and note is not None
        and note.name == yardstick["data"]
        and not chosen_subset(facts)
        and "limit" not in result.settings
        and coverage.found == coverage.asked
        and row.n == yardstick["n"]
        and _has_facts(facts, yardstick["config"])
        and _has_facts(mapping(result.provenance.get("model")), yardstick.get("model", {}))
        and all(_is_setting(result, name, value) for name, value in yardstick["settings"].items())
    )


def _name(row: Row) -> str:
    """Return the name of a row in its result. Reports add the chosen data, or the language."""
    return "overall" if row.kind == "overall" else row.name.removesuffix(f" ({row.labels.get('language')})")


def _has_facts(facts: Mapping[str, Any], expected: Mapping[str, Any]) -> bool:
    return all(facts.get(name) == value for name, value in expected.items())


def _is_setting(result: Result, name: str, expected: Any) -> bool:
    """True if a setting has the value. ``auto`` lower-cases texts for exactly the models that ignore case."""
    value = result.settings.get(name)
    if expected == "auto" and isinstance(value, bool):
        return value == (mapping(result.provenance.get("model")).get("case") == "lower")
    return bool(value == expected)


def _shortened(printed: str) -> str:
    digits = sum(character.isdigit() for character in printed)
    return printed if digits <= _MOST_DIGITS else f"{float(printed):.{_MOST_DIGITS}g}"
