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

from ..data.load import HUB_ID
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

_COLLECTION = "evaluate-bias"


def every_eval_ever_files(
    results: Sequence[Result], clock: Callable[[], datetime] = lambda: datetime.now(UTC)
) -> tuple[dict[str, str], list[str]]:
    """Return a record for each model by its path in the datastore, and a note on each result that is in none.

    A record says of every score whether lower is better. If bias lies on both sides of the ideal value, the
    distance from that is entered, and ``details`` has the score itself. The same results give the same path.

    Args:
        results: what was measured, on any models.
        clock: tells when the record is made.

    Raises:
        InputError: no result can be entered. The text says why.
    """
    by_model: dict[str, list[Result]] = {}
    notes = dict[str, None]()
    for result in results:
        measurement = f"{result.method} on {data_id(result)}"
        if on_illustrative_data(result):
            notes[f"{measurement} is not entered: the data are illustrative"] = None
        elif not headline_lines(result):
            notes[f"{measurement} is not entered: too few items for any finding"] = None
        elif model := HUB_ID.fullmatch(model_name(result)):
            by_model.setdefault(model["id"], []).append(result)
        else:
            way = "under such a name, which a config gives as {model: …, name: DEVELOPER/NAME}"
            form = f"Every Eval Ever names models DEVELOPER/NAME, as the Hub does. Measure it {way}"
            notes[f"{one_line(model_name(result))} is not entered: {form}"] = None
    if not by_model:
        raise InputError("; ".join(notes) or "no result matches: there is nothing to export")
    files = {}
    for name, several in by_model.items():
        content = "".join(result.to_json() for result in several).encode("utf-8", "surrogatepass")
        run = uuid.UUID(bytes=hashlib.sha256(content).digest()[:16], version=4)
        record = _record(name, several, str(run), f"{clock().timestamp():.0f}")
        text = json.dumps(record, ensure_ascii=False, allow_nan=False, indent=2)
        files[f"data/{_COLLECTION}/{name}/{run}.json"] = f"{text}\n"
    return files, list(notes)


def _record(model: str, results: Sequence[Result], run: str, now: str) -> dict[str, Any]:
    facts = mapping(results[0].provenance.get("model"))
    known = {key: facts[key] for key in ("kind", "revision", "dtype") if facts.get(key)}
    deployment = "unknown" if facts.get("kind") in ("endpoint", "log", "function") else "self_deployed"
    version = mapping(results[0].provenance.get("versions")).get(_COLLECTION, "unknown")
    return {
        "schema_version": "0.3.0",
        "evaluation_id": f"{_COLLECTION}/{model}/{run}",
        "retrieved_timestamp": now,
        "source_metadata": {
            "source_name": _COLLECTION, "source_type": "evaluation_run",
            "source_organization_name": "unknown", "evaluator_relationship": "other",
        },
        "eval_library": {"name": _COLLECTION, "version": str(version)},
        "model_info": {
            "name": model, "id": model, "developer": model.partition("/")[0],
            "additional_details": _texts(known) | {"deployment_type": deployment, "model_availability": "unknown"},
        },
        "evaluation_results": [_entry(result, line) for result in results for line, _ in headline_lines(result)],
    }  # fmt: skip


def _entry(result: Result, line: ReportRow) -> dict[str, Any]:
    """Return one score, or its distance from the ideal value if bias lies on both sides of it."""
    record = METHODS.get(result.method)
    low = -math.inf if line.score_range[0] is None else line.score_range[0]
    high = math.inf if line.score_range[1] is None else line.score_range[1]
    score, ends = line.score, [end for end in (line.row.ci_low, line.row.ci_high) if end is not None]
    # A test has two sides if the mean size of several has one.
    is_part = line.score_range != result.score_range and low < line.ideal < high
    if both_sides := line.result.direction == "two_sided" or is_part:
        low, high = 0.0, max(line.ideal - low, high - line.ideal)
        inside = [line.ideal] if len(ends) == 2 and ends[0] <= line.ideal <= ends[1] else []
        score, *ends = (-nearness(number, line.ideal) for number in (score, *ends, *inside))
    uncertainty: dict[str, Any] = {} if line.row.n is None else {"num_samples": line.row.n}
    if ends:
        interval = {"lower": min(ends), "upper": max(ends), "confidence_level": line.result.confidence_level}
        uncertainty["confidence_interval"] = interval | (
            {"method": line.row.ci_method} if line.row.ci_method else {}
        )
    details: dict[str, Any] = {
        "score": line.score,
        "expected_by_chance" if line.by_chance else "ideal": line.ideal,
    }
    details |= {key: getattr(line.row, key) for key in ("ci_low", "ci_high", "p_value", "ties")}
    details |= {"direction": "two_sided" if both_sides else line.result.direction}
    details |= {"coverage": line.row.coverage.share if line.row.coverage else None}
    return {
        "evaluation_name": f"{_COLLECTION}.{task_id(*place_of(result, line))}",
        **({"evaluation_timestamp": result.date} if result.date else {}),
        "source_data": _data(result),
        "metric_config": {
            "evaluation_description": record.summary if record else result.method,
            "metric_id": f"{_COLLECTION}.{result.method}{'.distance' * both_sides}",
            "metric_name": f"{f'distance from {line.ideal:g} of ' * both_sides}{score_name(line)}",
            "metric_parameters": _texts(chosen_options(result)),
            "lower_is_better": both_sides or line.result.direction == "higher_is_more_biased",
            "score_type": "continuous", "min_score": _bound(low), "max_score": _bound(high),
        },
        "score_details": {
            "score": score, "uncertainty": uncertainty,
            "details": _texts({key: value for key, value in details.items() if value is not None}),
        },
    }  # fmt: skip


def _data(result: Result) -> dict[str, Any]:
    facts, note = dataset_facts(result), result_note(result)
    keys = ("config", "split", "language", "revision", "sha256", "bias_types", "without_flags", "subset")
    source: dict[str, Any] = {"dataset_name": note.name if note else data_id(result), "source_type": "other"}
    if note is None and HUB_ID.fullmatch(data_id(result)):
        source |= {"source_type": "hf_dataset", "hf_repo": data_id(result)}
    elif note is not None and note.papers:
        source |= {"source_type": "url", "url": list(note.papers)}
    return source | {"additional_details": _texts({key: facts[key] for key in keys if facts.get(key)})}


def _texts(values: Mapping[str, Any]) -> dict[str, str]:
    """Return the values as texts, which is all that the schema accepts next to its own fields."""
    return {k: v if isinstance(v, str) else json.dumps(v, ensure_ascii=False) for k, v in values.items()}


def _bound(value: float) -> float | str:
    """Return the end of a range as JSON represents it."""
    return value if math.isfinite(value) else "Infinity" if value > 0 else "-Infinity"
