"""Results as entries of ``model-index`` in a card's YAML."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import PurePath
from typing import Any

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
from .front_matter import ModelIndexEntry

SCORE_DIGITS = 6
"""Digits after the point of a score that is entered."""


def model_index_entries(results: Sequence[Result]) -> list[ModelIndexEntry]:
    """Return one entry per test and one for all of them, or the overall score of a method that is not made of tests.

    Scores on illustrative data are no finding about a model and are not entered. The name of data that nobody is known
    to have validated says so. Where a model was measured with several settings, the names of its scores have them.
    Where the same score was measured more than once, the last one counts.

    Args:
        results: any number of results.
    """
    entries, matrix = {}, score_matrix(results)
    for (_, column), place in matrix.cells.items():
        result, settings = results[place], matrix.measurements[column].settings
        if on_illustrative_data(result):
            continue
        source, facts = data_id(result), dataset_facts(result)
        # Ours, and data sets of the Hub, have configurations and splits.
        known = result_note(result) is not None or ("/" in source and not PurePath(source).suffix)
        for line, test in headline_lines(result):
            score = f"{test}, {score_name(line)}" + (f", {settings}" if settings else "")
            data = {
                "name": _dataset_name(result, line),
                "type": source,
                "config": _config(facts, line, known=known),
                "split": one_line(str(facts.get("split") or ("test" if known else ""))),
            }
            value = round(line.score, SCORE_DIGITS)
            metric = {"type": one_line(result.method), "value": value, "name": score}
            entry = ModelIndexEntry(
                one_line(model_name(result)), {k: v for k, v in data.items() if v}, metric
            )
            entries[entry.model, source, data["config"], metric["name"]] = entry
    return list(entries.values())


def unentered_data(results: Sequence[Result]) -> list[str]:
    """Return a sentence on each data set whose scores are entered nowhere, or with a remark on their validation."""
    illustrative, unvalidated = dict[str, None](), dict[str, None]()
    for result in results:
        note = result_note(result)
        if note is not None and note.illustrative:
            illustrative[note.title] = None
            continue
        lines = [line for line, _ in headline_lines(result) if validation_remark(result, line)]
        unvalidated |= dict.fromkeys(_dataset_name(result, line) for line in lines)
    entered = "is entered: these data are illustrative and not validated"
    remarked = "no validation is known of these data, and their entries say so"
    return [*(f"no score on {t} {entered}" for t in illustrative), *(f"{remarked}: {n}" for n in unvalidated)]


def headline_lines(result: Result) -> list[tuple[ReportRow, str]]:
    """The rows that stand for a result outside its own report, each with its name as a plain line.

    The score of several tests together is named by these, so that those of other tests are entered beside it. A row
    with too few items, or of answers that follow the option order, represents nothing; a control test is named as one.
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


def _dataset_name(result: Result, line: ReportRow) -> str:
    """What the data are called, with a remark where they are not known to have been validated."""
    note = result_note(result)
    name = note.title if note is not None else data_id(result).rpartition("/")[2]
    name = one_line(name + _chosen(dataset_facts(result)))
    remark = validation_remark(result, line)
    return f"{name} ({one_line(remark)})" if remark else name


def validation_remark(result: Result, line: ReportRow) -> str:
    """What a reader must know about the validation of the data, empty where the data set's note is enough."""
    if "not validated" in (origin := line.row.labels.get("origin", "")):
        return origin
    return "" if result_notes(result) else "no validation recorded"


def _config(facts: Mapping[str, Any], line: ReportRow, *, known: bool) -> str:
    """The configuration of the data: the one that is named, else, where they have any, the language."""
    fact = facts.get("config")
    config = (fact if isinstance(fact, str) else "") or line.language or str(facts.get("language") or "")
    return one_line((config if known or fact else "") + _chosen(facts))


def _chosen(facts: Mapping[str, Any]) -> str:
    """What was chosen of the data, such as bias types; without it a part would be found again as the whole."""
    chosen = chosen_subset(facts)
    return f" ({', '.join(chosen)})" if chosen else ""
