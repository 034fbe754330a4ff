"""Results as entries of ``model-index`` in a card's YAML."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from ...result import Result
from ...text import one_line
from ..conclusions import Conclusion, Reason
from ..data_facts import (
    chosen_subset,
    data_id,
    dataset_facts,
    on_illustrative_data,
    result_note,
    result_notes,
)
from ..lines import ReportRow, model_name, score_name
from ..reading import read
from ..score_matrix import score_matrix
from .front_matter import TASK_TYPE

if TYPE_CHECKING:
    from huggingface_hub import EvalResult

SCORE_DIGITS = 6
"""Digits after the point of a score that is entered."""


def model_index_entries(results: Sequence[Result]) -> dict[str, list[EvalResult]]:
    """Return by model one entry per test and one for all of them, or the overall score of a method without tests.

    Scores on illustrative data are not findings about a model and are not entered. The name of data that are not
    known to have been validated says so. The name of a score adds what its data set does not tell: the settings (if a
    model was measured with several), the part of the data, and the language. If the same score
    was measured more than once, the last one counts.

    Args:
        results: any number of results.
    """
    from huggingface_hub import EvalResult

    entries: dict[str, dict[tuple[Any, ...], EvalResult]] = {}
    matrix = score_matrix(results)
    for (_, column), place in matrix.cells.items():
        result, settings = results[place], matrix.measurements[column].settings
        if on_illustrative_data(result):
            continue
        source, facts, note = data_id(result), dataset_facts(result), result_note(result)
        # Ours, and data sets of the Hub, have splits.
        split = facts.get("split") or (
            "test" if note or ("/" in source and not PurePath(source).suffix) else ""
        )
        lines = headline_lines(result)
        for line, test in lines:
            configs = measured_configs(result, line)
            known = {} if note is None else {c.name: c.language for c in note.configs}
            one_config = len(configs) == 1 and (facts.get("config") or configs[0] in known)
            config = one_line(configs[0]) if one_config else ""
            part = [p for p in chosen_subset(facts) if p not in test]
            part += configs if facts.get("config") and 1 < len(configs) < len(known) else []
            name = ", ".join(filter(None, [test, score_name(line), settings, *part]))
            if not config and len({*known.values()}) != 1 and len(configs) == 1 and configs[0]:
                name += f" [{configs[0]}]"
            entry = EvalResult(
                task_type=TASK_TYPE,
                task_name="Measured social bias",
                dataset_type=source,
                dataset_name=_dataset_name(result, [line for line, _ in lines]),
                dataset_config=config or None,
                dataset_split=one_line(str(split)) or None,
                metric_type=one_line(result.method),
                metric_value=round(line.score, SCORE_DIGITS),
                metric_name=one_line(name),
            )
            of_model = entries.setdefault(one_line(model_name(result)), {})
            of_model[(*entry.unique_identifier, entry.metric_type, entry.metric_name)] = entry
    return {model: list(of_model.values()) for model, of_model in entries.items()}


def measured_configs(result: Result, line: ReportRow) -> list[str]:
    """Return the configurations of the data that a score is of, or the languages of data without configurations."""
    facts = dataset_facts(result)
    if config := facts.get("config"):
        return [str(name) for name in config] if isinstance(config, list) else [str(config)]
    languages = dict.fromkeys(row.labels.get("language", "") for row in result.rows_of("test"))
    if line.headline and len(languages) > 1:
        return list(languages)
    known = str(facts.get("language") or "")
    return [known if known.startswith(line.language) else line.language]


def unentered_data(results: Sequence[Result]) -> list[str]:
    """Return a sentence on each data set whose scores are entered nowhere, or with a remark on their validation."""
    illustrative, unvalidated = dict[str, None](), dict[str, None]()
    for result in results:
        note = result_note(result)
        if note is not None and note.illustrative:
            illustrative[note.title] = None
            continue
        lines = [line for line, _ in headline_lines(result)]
        if any(validation_remark(result, line) for line in lines):
            unvalidated[_dataset_name(result, lines)] = None
    entered = "is entered: these data are illustrative and not validated"
    remarked = "no validation is known of these data, and their entries say so"
    return [*(f"no score on {t} {entered}" for t in illustrative), *(f"{remarked}: {n}" for n in unvalidated)]


def headline_lines(result: Result) -> list[tuple[ReportRow, str]]:
    """Return the rows that represent a result outside its own report, each with its name as plain text.

    The score of several tests together is named after them, so that scores of other tests are entered next to it. Rows
    with too few items, or with answers that follow the option order, are omitted. The name of a control test says that
    it is one.
    """
    rows = [
        row
        for row in read(result).rows
        if row.judgement.conclusion is not Conclusion.TOO_FEW
        and row.judgement.reason is not Reason.OPTION_ORDER
    ]
    if not result.rows_of("test"):
        rows = rows[:1]
    elif not any(row.line.kind == "test" for row in rows):
        return []
    chosen = [row.published for row in rows if row.line.kind != "group"]
    of_tests = ", ".join(r.name for r in chosen if r.kind == "test" and not r.control)
    names = [f"{r.name.removesuffix(f' ({r.language})')}{' (control)' * r.control}" for r in chosen]
    pairs = zip(chosen, names, strict=True)
    return [(r, one_line(f"{name} ({of_tests})" if r.headline else name)) for r, name in pairs]


def _dataset_name(result: Result, lines: Sequence[ReportRow]) -> str:
    """Return the name of the data, with a remark if they are not known to have been validated."""
    note = result_note(result)
    name = note.title if note is not None else data_id(result).rpartition("/")[2]
    remarks = dict.fromkeys(filter(None, (validation_remark(result, line) for line in lines)))
    return one_line(f"{name} ({', '.join(remarks)})" if remarks else name)


def validation_remark(result: Result, line: ReportRow) -> str:
    """Return what a reader must know about the validation of the data, empty if the data set's note is enough."""
    if "not validated" in (origin := line.row.labels.get("origin", "")):
        return origin
    return "" if result_notes(result) else "no validation recorded"
