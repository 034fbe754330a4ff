"""Results as records of Every Eval Ever, schema 0.3.0: one JSON file for each model, laid out as its datastore is.

https://github.com/evaleval/every_eval_ever
"""

from __future__ import annotations

import hashlib
import json
import math
import uuid
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from ..data.hub_table import HUB_ID
from ..errors import InputError
from ..registry import METHODS
from ..report.card.entries import headline_lines
from ..report.card.eval_results import place_of
from ..report.card.hub_tasks import nearness, task_id
from ..report.card.settings import chosen_options
from ..report.data_facts import data_id, dataset_facts, mapping, on_illustrative_data, result_note
from ..report.lines import ReportRow, model_name, score_name
from ..result import Result
from ..text import one_line

SCHEMA = "0.3.0"
FOLDER = "eee"
"""Name of a folder that is written in this form."""

_COLLECTION = "evaluate-bias"
_ELSEWHERE = ("endpoint", "log", "function")
"""Kinds of models that somebody else may run."""


def every_eval_ever_files(
    results: Sequence[Result], clock: Callable[[], datetime] = lambda: datetime.now(UTC)
) -> tuple[dict[str, str], list[str]]:
    """Return a record for each model by its path in the datastore, and a note on each result that is in none.

    A record says of every score whether lower is better. Where bias lies on both sides of the ideal value, the distance
    from that is entered, and ``details`` has the score itself. The same results give the same path.

    Args:
        results: what was measured, on any models.
        clock: tells when the record is made.

    Raises:
        InputError: no result can be entered; the text says why.
    """
    by_model: dict[str, list[Result]] = {}
    notes = dict[str, None]()
    for result in results:
        model = one_line(model_name(result))
        if on_illustrative_data(result) or not headline_lines(result):
            why = (
                "the data are illustrative"
                if on_illustrative_data(result)
                else "too few units for any finding"
            )
            notes[f"{result.method} on {data_id(result)} is not entered: {why}"] = None
        elif "/" not in model or not HUB_ID.fullmatch(model):
            notes[
                f"{model} is not entered: Every Eval Ever names models DEVELOPER/NAME, as the Hub does; measure it "
                "under such a name, which a config gives as {model: …, name: DEVELOPER/NAME}"
            ] = None
        else:
            by_model.setdefault(model, []).append(result)
    if not by_model:
        raise InputError("; ".join(notes) or "no result matches: there is nothing to export")
    files = {}
    for model, several in by_model.items():
        content = json.dumps([result.to_dict() for result in several], sort_keys=True)
        name = uuid.UUID(bytes=hashlib.sha256(content.encode()).digest()[:16], version=4)
        record = _record(model, several, f"{name}", f"{clock().timestamp():.0f}")
        text = json.dumps(record, ensure_ascii=False, allow_nan=False, indent=2)
        files[f"data/{_COLLECTION}/{model}/{name}.json"] = f"{text}\n"
    return files, list(notes)


def _record(model: str, results: Sequence[Result], run: str, now: str) -> dict[str, Any]:
    facts = mapping(results[0].provenance.get("model"))
    known = {key: facts[key] for key in ("kind", "revision", "dtype") if facts.get(key)}
    elsewhere = facts.get("kind") in _ELSEWHERE
    return {
        "schema_version": SCHEMA,
        "evaluation_id": f"{_COLLECTION}/{model}/{run}",
        "retrieved_timestamp": now,
        "source_metadata": {
            "source_name": _COLLECTION,
            "source_type": "evaluation_run",
            "source_organization_name": "unknown",
            "evaluator_relationship": "other",
        },
        "eval_library": {
            "name": _COLLECTION,
            "version": str(mapping(results[0].provenance.get("versions")).get(_COLLECTION, "unknown")),
        },
        "model_info": {
            "name": model,
            "id": model,
            "developer": model.partition("/")[0],
            "additional_details": {
                **_texts(known),
                "deployment_type": "unknown" if elsewhere else "self_deployed",
                "model_availability": "unknown",
            },
        },
        "evaluation_results": [
            _entry(result, line) for result in results for line, _ in headline_lines(result)
        ],
    }


def _entry(result: Result, line: ReportRow) -> dict[str, Any]:
    """One score, or its distance from the ideal value where bias lies on both sides of that."""
    record, options = METHODS.get(result.method), chosen_options(result)
    name = f"{_COLLECTION}.{task_id(*place_of(result, line))}"
    low, high = (
        end if end is not None else sign * math.inf
        for sign, end in zip((-1, 1), line.score_range, strict=True)
    )
    score, interval = line.score, [line.ci_low, line.ci_high]
    # A test has two sides where the mean size of several has one.
    is_part = line.score_range != result.score_range and low < line.ideal < high
    if both_sides := line.direction == "two_sided" or is_part:
        low, high = 0.0, max(line.ideal - low, high - line.ideal)
        score = -nearness(line.score, line.ideal)
        if line.ci_low is not None and line.ci_high is not None:
            ends = sorted(-nearness(end, line.ideal) for end in (line.ci_low, line.ci_high))
            interval = [0.0 if line.ci_low <= line.ideal <= line.ci_high else ends[0], ends[1]]
    uncertainty: dict[str, Any] = {"num_samples": line.n} if line.n is not None else {}
    if None not in interval:
        bounds = {"lower": interval[0], "upper": interval[1], "confidence_level": line.ci_level}
        method = {"method": line.ci_method} if line.ci_method else {}
        uncertainty["confidence_interval"] = bounds | method
    numbers = {key: getattr(line, key) for key in ("score", "ideal", "ci_low", "ci_high", "p_value", "ties")}
    direction = "two_sided" if both_sides else line.direction
    about = {**numbers, "direction": direction, "coverage": line.coverage and line.coverage.share}
    facts = f"{data_id(result)} {json.dumps(options, sort_keys=True)}"
    date = result.provenance.get("date")
    return {
        "evaluation_result_id": f"{name}-{hashlib.sha256(facts.encode()).hexdigest()[:8]}",
        "evaluation_name": name,
        **({"evaluation_timestamp": str(date)} if date else {}),
        "source_data": _data(result),
        "metric_config": {
            "evaluation_description": record.summary if record else result.method,
            "metric_id": f"{_COLLECTION}.{result.method}{'.distance' * both_sides}",
            "metric_name": f"{f'distance from {line.ideal:g} of ' * both_sides}{score_name(line)}",
            "metric_parameters": {
                key: value if isinstance(value, (str, int, float)) else json.dumps(value)
                for key, value in options.items()
            },
            "lower_is_better": both_sides or line.direction == "higher_is_more_biased",
            "score_type": "continuous",
            "min_score": _bound(low),
            "max_score": _bound(high),
        },
        "score_details": {
            "score": score,
            "details": _texts({key: value for key, value in about.items() if value is not None}),
            "uncertainty": uncertainty,
        },
    }


def _data(result: Result) -> dict[str, Any]:
    facts, note = dataset_facts(result), result_note(result)
    keys = ("config", "split", "language", "revision", "sha256", "bias_types", "without_flags", "part")
    details = _texts({key: facts[key] for key in keys if facts.get(key)})
    source: dict[str, Any] = {"source_type": "other"}
    if note is None and HUB_ID.fullmatch(data_id(result)):
        source = {"source_type": "hf_dataset", "hf_repo": data_id(result)}
    elif note is not None and note.papers:
        source = {"source_type": "url", "url": list(note.papers)}
    name = data_id(result) if note is None else note.name
    return {"dataset_name": name, **source, **({"additional_details": details} if details else {})}


def _texts(values: Mapping[str, Any]) -> dict[str, str]:
    """The values as texts, which is all that the schema takes beside its own fields."""
    return {k: v if isinstance(v, str) else json.dumps(v, ensure_ascii=False) for k, v in values.items()}


def _bound(value: float) -> float | str:
    """The end of a range as JSON has it."""
    return value if math.isfinite(value) else "Infinity" if value > 0 else "-Infinity"
