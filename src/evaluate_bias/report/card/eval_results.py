"""Results as entries of ``.eval_results/*.yaml`` in a model's repository, the form that the Hub reads today.

The Hub shows an entry on the pages of model and data set if it lists the data set as a benchmark.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import UTC, datetime
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from ...errors import CardError
from ...registry import METHODS
from ...result import Result
from ...text import one_line, p_phrase
from ..data_facts import chosen_subset, data_id, dataset_facts, mapping, on_illustrative_data, result_note
from ..lines import ReportRow, model_name
from ..numbers import ci_cell
from .entries import SCORE_DIGITS, headline_lines, measured_configs, validation_remark
from .front_matter import same_model
from .hub_tasks import declared_tasks, nearness, overall_tests, task_id
from .settings import chosen_options, known_options
from .subject import renamed

if TYPE_CHECKING:
    from huggingface_hub import EvalResultEntry

    _ByTask = dict[tuple[str, str], EvalResultEntry]

FOLDER = ".eval_results"
"""Folder of a model's repository in which the Hub looks for results."""

FILES = "evaluate-bias-*.yaml"
"""The files in it that this library writes."""

_HUB_ID = re.compile(r"[\w.-]+/[\w.-]+")
_NO_VARIANT = {"seed", "confidence_level"}
"""Options that do not make another measure of what is measured."""

_MODEL = re.compile(r"(?:^|; )model (?P<name>[^;]+)")
"""The model in the notes of an entry."""


def eval_results_files(
    results: Sequence[Result],
    *,
    model: str | None = None,
    existing: Mapping[str, str] = MappingProxyType({}),
    drop: Collection[str] = (),
    clock: Callable[[], datetime] = lambda: datetime.now(UTC),
) -> tuple[dict[str, str], list[str]]:
    """Return the files for ``.eval_results/`` by name, with an empty text for files to remove, and notes on them.

    A method has one file for its scores and one for their :func:`~.hub_tasks.nearness`, and the same again for every
    other choice of its options: the Hub wants variants of a task in files of their own. An entry that is there already
    and says the same keeps its date. As in ``model-index``, other tests and variants of a method on the same data in
    the same language are removed. Entries of other data, languages and models stay.

    Args:
        results: what was measured on one model.
        model: Hub id of the model, when the results call it something else.
        existing: the files of this library that are there now, by name.
        drop: names of models whose entries are taken out.
        clock: tells the time, for results that do not say when they were measured.

    Raises:
        CardError: a file that is there already does not contain evaluation results.
    """
    from huggingface_hub import eval_result_entries_to_yaml

    results = renamed(results, model)
    names = list(dict.fromkeys(model_name(r) for r in results))
    if len(names) > 1:
        return {}, [
            f"nothing is entered in {FOLDER}: it is about one model, and the results are of {len(names)}"
        ]
    made, left_out = _entries(results, f"{clock().astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}")
    before = {name: read_entries(name, text) for name, text in existing.items()}
    tasks = {(data_id(r), task_id(*place_of(r, line)[:3])) for r in results for line, _ in headline_lines(r)}
    dropped = {model for model in drop if not same_model(model, names[0])}
    files, others, replaced = {}, dict[str, None](), dict[str, None]()
    for name in dict.fromkeys([*before, *made]):
        stays = [e for e in before.get(name, ()) if not any(same_model(_model(e), m) for m in dropped)]
        current = [
            e
            for e in stays
            if not (same_model(_model(e), names[0]) and _is_replaced(e, made.get(name, {}), tasks))
        ]
        # Each new entry in the place of its task's entry, or at the end.
        by_task = _by_task(current)
        for key, entry in _by_task(eval_result_entries_to_yaml(list(made.get(name, {}).values()))).items():
            if undated(by_task.get(key, {})) != undated(entry):
                by_task[key] = entry
        entries = list(by_task.values())
        others |= _list_other_models(entries, names[0])
        replaced |= {
            m: None
            for m in _list_other_models(stays, names[0])
            if m not in _list_other_models(entries, names[0])
        }
        if entries != before.get(name):
            files[name] = _text(entries) if entries else ""
    notes = [f"not entered in {FOLDER}: {', '.join(left_out)}"] if left_out else []
    if replaced:
        notes.append(f"scores of {', '.join(replaced)} in {FOLDER} were replaced: a task there has one score")
    if others:
        flags = " and ".join(f"drop={name!r}" for name in others)
        stale = f"{FOLDER} also has scores of {', '.join(others)}. If these are no longer true, {flags} removes them"
        notes.append(stale)
    return files, notes


def _entries(results: Sequence[Result], now: str) -> tuple[dict[str, _ByTask], list[str]]:
    """Return the entries of results by file and task, and what cannot be entered, each with the reason."""
    from huggingface_hub import EvalResultEntry

    entries: dict[str, _ByTask] = {}
    left_out = dict[str, None]()
    for result in results:
        if on_illustrative_data(result):  # not entered in any form, as the card notes
            continue
        data, chosen, note = data_id(result), chosen_subset(dataset_facts(result)), result_note(result)
        if not _HUB_ID.fullmatch(data):
            left_out[f"{data} (no data set of the Hub)"] = None
            continue
        if chosen:
            left_out[f"{result.method} on {data} (only {one_line(', '.join(chosen))})"] = None
            continue
        known = {k: v for k, v in known_options(result).items() if k not in _NO_VARIANT}
        # A yes or no instead of "auto" follows from the model.
        options = {
            k: v
            for k, v in chosen_options(result).items()
            if k in known and not (known[k].default == "auto" and isinstance(v, bool))
        }
        stem = "-".join(filter(None, ("evaluate-bias", result.method, _digest(options))))
        for line, name in headline_lines(result):
            place = place_of(result, line)
            if reason := _no_task(result, line, place[1]):
                left_out[f"{result.method} {name} on {data} ({reason})"] = None
                continue
            declared = () if note is None else {task.id for task in declared_tasks(note.name)}
            for near in (False, True) if task_id(*place, near=True) in declared else (False,):
                entry = EvalResultEntry(
                    dataset_id=data,
                    task_id=task_id(*place, near=near),
                    value=round(nearness(line.score, line.ideal) if near else line.score, SCORE_DIGITS),
                    dataset_revision=_revision(result),
                    date=one_line(result.date or now),
                    notes=_notes(result, line, options, near=near),
                    **_source(result),
                )
                # If the same was measured more than once, the last one counts.
                file = f"{stem}-nearness.yaml" if near else f"{stem}.yaml"
                entries.setdefault(file, {})[entry.dataset_id, entry.task_id] = entry
    return entries, list(left_out)


def place_of(result: Result, line: ReportRow) -> tuple[str, str, str, str]:
    """Return the method, configuration, split (if there are several) and test of a score."""
    facts, note = dataset_facts(result), result_note(result)
    measured, configs = measured_configs(result, line), () if note is None else note.configs
    whole = isinstance(facts.get("config"), list) and {*measured} == {
        c.name for c in configs if c.publishable
    }
    config = "" if whole else "+".join(measured)
    several = any(len(c.splits) > 1 for c in configs if not config or c.name == config)
    split = str(facts.get("split") or "") if several or note is None else ""
    test = line.name.removesuffix(f" ({line.language})") if line.kind == "test" else ""
    return result.method, one_line(config), one_line(split), one_line(test)


def _no_task(result: Result, line: ReportRow, config: str) -> str:
    """Return why a score belongs to no task of our data, empty if it belongs to one. Other data may have any task."""
    note = result_note(result)
    if note is None:
        return ""
    configs = [c for c in note.configs if c.publishable]
    if config and config not in {c.name for c in configs}:
        return "no configuration of it on the Hub"
    measured = [row for row in result.rows_of("test") if row.score is not None]
    if not (line.headline and measured):
        return ""
    one_language = len({row.labels.get("language", "") for row in measured}) == 1
    usual = METHODS[result.method].dataset == note.hub_id
    whole = next(c for c in configs if c.name == config) if usual and config else None
    names = {row.name for row in measured}
    every = whole is not None and names == overall_tests(result.method, whole)
    return "" if every and one_language else "not all of its tests"


def _revision(result: Result) -> str | None:
    """Return the commit of the data set on the Hub, if the data come from there and not from a copy."""
    facts = dataset_facts(result)
    revision = str(facts.get("revision") or "unknown")
    from_there = str(facts.get("source") or "").partition("@")[0] == data_id(result)
    return one_line(revision) if from_there and revision != "unknown" else None


def _source(result: Result) -> dict[str, str]:
    """Return where the evaluation is described: the model's card. The Hub accepts its name only with an address."""
    if not _HUB_ID.fullmatch(model := model_name(result)):
        return {}
    version = mapping(result.provenance.get("versions")).get("evaluate-bias", "")
    name = one_line(f"evaluate-bias {version}")
    return {"source_url": f"https://huggingface.co/{model}", "source_name": name}


def _digest(options: Mapping[str, Any]) -> str:
    """Return a short name for a choice of options, empty for the defaults."""
    text = json.dumps(options, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:8] if options else ""


def _notes(result: Result, line: ReportRow, options: Mapping[str, Any], *, near: bool) -> str:
    ideal = f"{line.ideal:.4g}"
    notes = (
        [
            f"minus the distance of the score {line.score:.4f} from {'' if line.by_chance else 'its '}{line.ideal_text}"
        ]
        if near
        else []
    )
    notes.append(f"model {line.model}")
    if line.language:
        notes.append(f"language {line.language}")
    if not near:
        if line.row.ci_low is not None:
            notes.append(f"{100 * line.result.confidence_level:g}% CI {ci_cell(line.row)}")
        if line.row.p_value is not None:
            before = " before adjusting" if line.p_adjusted not in (None, line.row.p_value) else ""
            notes.append(p_phrase(line.row.p_value) + before)
        notes.append(f"ideal {ideal}")
    notes += [f"{name} {value}" for name, value in options.items()]
    if remark := validation_remark(result, line):
        notes.append(f"data: {remark}")
    return one_line("; ".join(notes))


def read_entries(name: str, text: str) -> list[dict[str, Any]]:
    """Return the entries of a file as data."""
    import yaml

    try:
        entries = list(yaml.safe_load(text) or ())
        _by_task(entries)
    except (yaml.YAMLError, ValueError, TypeError, KeyError, RecursionError) as error:
        problem = "does not contain evaluation results as evaluate-bias writes them: move it away"
        raise CardError(f"{FOLDER}/{name} {problem}") from error
    return entries


def _by_task(entries: Sequence[dict[str, Any]]) -> dict[tuple[str, str], dict[str, Any]]:
    return {(e["dataset"]["id"], e["dataset"]["task_id"]): e for e in entries}


def _model(entry: Mapping[str, Any]) -> str:
    """Return the model that an entry names in its notes, empty if it names none."""
    match = _MODEL.search(str(entry.get("notes", "")))
    return "" if match is None else match["name"]


def _list_other_models(entries: Sequence[Mapping[str, Any]], model: str) -> dict[str, None]:
    """Return the models that entries name, except this one."""
    return {name: None for e in entries if (name := _model(e)) and not same_model(name, model)}


def _is_replaced(entry: Mapping[str, Any], made: _ByTask, tasks: Collection[tuple[str, str]]) -> bool:
    """True if an entry is replaced by new scores of its method on its data in its language, and is not one of these."""
    data, task = entry["dataset"]["id"], entry["dataset"]["task_id"]
    of_task = any(data == theirs and f"{task}-".startswith(f"{start}-") for theirs, start in tasks)
    return of_task and (data, task) not in made


def _text(entries: Sequence[dict[str, Any]]) -> str:
    import yaml

    return str(yaml.safe_dump(list(entries), sort_keys=False, allow_unicode=True, width=1000))


def undated(entry: Mapping[str, Any]) -> dict[str, Any]:
    """Return an entry without its date."""
    return {key: value for key, value in entry.items() if key != "date"}
