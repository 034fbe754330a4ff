"""Results as entries: of ``model-index`` in a card's YAML, and of ``.eval_results/*.yaml``, which the Hub shows."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from ...errors import CardError
from ...result import Result
from ...text import one_line, p_phrase
from ..data_facts import (
    chosen_parts,
    data_id,
    dataset_facts,
    mapping,
    on_illustrative_data,
    result_note,
    result_notes,
)
from ..lines import ReportRow, model_name, score_name
from ..numbers import ci_cell
from ..reading import read
from ..verdict import Verdict
from .front_matter import ModelIndexEntry
from .hub_tasks import EVAL_YAML, declared_tasks, nearness, overall_tests, task_id
from .settings import chosen_options, known_options

if TYPE_CHECKING:
    from huggingface_hub import EvalResultEntry

TASK_TYPE = "bias-evaluation"
_DIGITS = 6
FOLDER = ".eval_results"
"""Folder of a model's repository in which the Hub looks for results."""

_HUB_ID = re.compile(r"[\w.-]+/[\w.-]+")
_NO_VARIANT = {"seed", "level"}
"""Options that do not make another measure of what is measured."""


def model_index_entries(results: Sequence[Result], name: str | None = None) -> list[ModelIndexEntry]:
    """Return one entry per test and one for all of them, or the overall score of a method that is not made of tests.

    Scores on illustrative data are no finding about a model and are not entered. The name of data that nobody is known
    to have validated says so. Where the same score was measured more than once, the last one counts.

    Args:
        results: any number of results.
        name: name to enter the scores under, in place of the model's own.
    """
    entries = {}
    for result in results:
        if on_illustrative_data(result):
            continue
        source, facts = data_id(result), dataset_facts(result)
        known = _is_published(result)
        for line, test in headline_lines(result):
            entry = ModelIndexEntry(
                model=one_line(name or model_name(result)),
                task_type=TASK_TYPE,
                task_name="Measured social bias",
                dataset_type=source,
                dataset_name=_dataset_name(result, line),
                dataset_config=_config(facts, line, known=known),
                dataset_split=one_line(str(facts.get("split") or ("test" if known else ""))) or None,
                metric_type=one_line(result.method),
                metric_name=f"{test}, {score_name(line)}",
                value=round(line.score, _DIGITS),
            )
            entries[entry.model, entry.dataset_type, entry.dataset_config, entry.metric_name] = entry
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
    entered = "is entered in model-index: these data are illustrative and not validated"
    remarked = "no validation is known of these data, and their entries in model-index say so"
    return [*(f"no score on {t} {entered}" for t in illustrative), *(f"{remarked}: {n}" for n in unvalidated)]


def headline_lines(result: Result) -> list[tuple[ReportRow, str]]:
    """The rows that stand for a result outside its own report, each with its name as a plain line.

    The score of several tests together is named by these, so that those of other tests are entered beside it. A row
    with too few units for any finding stands for nothing; a control test is named as one.
    """
    rows = [row for row in read(result).rows if row.verdict is not Verdict.TOO_FEW]
    if not result.rows_of("test"):
        rows = rows[:1]
    elif not any(row.line.kind == "test" for row in rows):
        return []
    chosen = [row.published for row in rows if row.line.kind != "group"]
    of_tests = ", ".join(r.name for r in chosen if r.kind == "test" and not r.control)
    own = [f"{r.name.removesuffix(f' ({r.language})')}{' (control)' * r.control}" for r in chosen]
    named = zip(chosen, own, strict=True)
    return [(r, one_line(f"{name} ({of_tests})" if r.headline else name)) for r, name in named]


def _dataset_name(result: Result, line: ReportRow) -> str:
    """What the data are called, with a remark where they are not known to have been validated."""
    note = result_note(result)
    name = note.title if note is not None else data_id(result).rpartition("/")[2]
    name = one_line(name + _chosen(dataset_facts(result)))
    remark = validation_remark(result, line)
    return f"{name} ({one_line(remark)})" if remark else name


def validation_remark(result: Result, line: ReportRow) -> str:
    """What a reader must know about the validation of the data, empty where the data set's note is enough."""
    if "not validated" in (origin := line.labels.get("origin", "")):
        return origin
    return "" if result_notes(result) else "no validation recorded"


def _is_published(result: Result) -> bool:
    """Whether the data have configurations and splits: this library's, or a data set of the Hub."""
    source = data_id(result)
    return result_note(result) is not None or ("/" in source and not PurePath(source).suffix)


def _config(facts: Mapping[str, Any], line: ReportRow, *, known: bool) -> str | None:
    """The configuration of the data: the one that is named, else, where they have any, the language."""
    named = facts.get("config")
    config = (named if isinstance(named, str) else "") or line.language or str(facts.get("language") or "")
    return one_line((config if known or named else "") + _chosen(facts)) or None


def _chosen(facts: Mapping[str, Any]) -> str:
    """What was chosen of the data, such as bias types; without it a part would be found again as the whole."""
    chosen = chosen_parts(facts)
    return f" ({', '.join(chosen)})" if chosen else ""


# --- .eval_results ------------------------------------------------------------------------------------------


def eval_results_files(
    results: Sequence[Result],
    *,
    model: str | None = None,
    existing: Callable[[str], str] = lambda name: "",
    clock: Callable[[], datetime] = lambda: datetime.now(UTC),
) -> tuple[dict[str, str], list[str]]:
    """Return the files for ``.eval_results/``, by name, and what cannot be entered there, each with the reason.

    A method has one file for its scores and one for their :func:`~.hub_tasks.nearness`, and the same again for every
    other choice of its options: the Hub wants variants of a task in files of their own. An entry that is there already
    and says the same keeps its date; those of other tasks stay.

    Args:
        results: what was measured on one model.
        model: Hub id of the model, when the results call it something else.
        existing: returns the text of such a file as it is now, empty for none.
        clock: tells the time, for results that do not say when they were measured.

    Raises:
        CardError: a file that is there already does not hold evaluation results.
    """
    from huggingface_hub import EvalResultEntry

    names = list(dict.fromkeys(model_name(r) for r in results))
    if len(names) > 1:
        return {}, [f"everything (the results are of {len(names)} models: {', '.join(names)})"]
    now = f"{clock().astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}"
    entries: dict[str, dict[str, EvalResultEntry]] = {}
    left_out: list[str] = []
    for result in results:
        if reason := _unfit(result):
            left_out.append(reason)
            continue
        known = known_options(result).keys() - _NO_VARIANT
        options = {k: v for k, v in chosen_options(result).items() if k in known}
        stem = "-".join(filter(None, ("evaluate-bias", result.method, _digest(options))))
        for line, name in headline_lines(result):
            place = _place(result, line)
            nears = [near for near in (False, True) if _is_task(result, line, place, near=near)]
            if not nears:
                left_out.append(f"{result.method} {name} on {data_id(result)} (no task of its {EVAL_YAML})")
            for near in nears:
                entry = EvalResultEntry(
                    dataset_id=data_id(result),
                    task_id=task_id(*place, near=near),
                    value=round(nearness(line.score, line.ideal) if near else line.score, _DIGITS),
                    dataset_revision=_revision(result),
                    date=one_line(str(result.provenance.get("date") or now)),
                    notes=_notes(result, line, options, near=near),
                    **_source(result, model or names[0]),
                )
                # Where the same was measured more than once, the last one counts.
                file = f"{stem}-nearness.yaml" if near else f"{stem}.yaml"
                entries.setdefault(file, {})[entry.task_id] = entry
    files = {name: _merged(name, existing(name), list(own.values())) for name, own in entries.items()}
    return files, list(dict.fromkeys(left_out))


def _unfit(result: Result) -> str:
    """Which result cannot be entered and why; empty for one that can."""
    data, chosen = data_id(result), chosen_parts(dataset_facts(result))
    if not _HUB_ID.fullmatch(data):
        return f"{data} (no data set of the Hub)"
    if on_illustrative_data(result):
        return f"{data} (illustrative)"
    return f"{result.method} on {data} (only {one_line(', '.join(chosen))})" if chosen else ""


def _place(result: Result, line: ReportRow) -> tuple[str, str, str, str]:
    """Method, configuration, split where there are several, and test of a score."""
    facts, note = dataset_facts(result), result_note(result)
    config = facts.get("config")
    if not config:  # the language, of which the data set may have more configurations than one
        known = str(facts.get("language") or "")
        config = known if known.startswith(line.language) else line.language
    configs = () if note is None else note.configs
    if isinstance(config, list):
        whole = set(config) == {c.name for c in configs if c.publishable}
        config = "" if whole else "+".join(map(str, config))
    several = any(len(c.splits) > 1 for c in configs if not config or c.name == config)
    split = str(facts.get("split") or "") if several or note is None else ""
    test = line.name.removesuffix(f" ({line.language})") if line.kind == "test" else ""
    return result.method, one_line(str(config)), one_line(split), one_line(test)


def _is_task(result: Result, line: ReportRow, place: tuple[str, str, str, str], *, near: bool) -> bool:
    """Whether the data declare the task; those of others may declare anything, so theirs do."""
    note = result_note(result)
    if note is None:
        return not (near and line.control)
    if task_id(*place, near=near) not in {task.id for task in declared_tasks(note.name)}:
        return False
    if not line.headline:
        return True
    measured = [row for row in result.rows_of("test") if row.score is not None]
    config = next(c for c in note.configs if c.name == place[1])
    one_language = len({row.labels.get("language", "") for row in measured}) == 1
    return one_language and {row.name for row in measured} == overall_tests(result.method, config)


def _revision(result: Result) -> str | None:
    """The commit of the data set on the Hub, where the data come from there and from no copy."""
    facts = dataset_facts(result)
    revision = str(facts.get("revision") or "unknown")
    from_there = str(facts.get("source") or "").partition("@")[0] == data_id(result)
    return one_line(revision) if from_there and revision != "unknown" else None


def _source(result: Result, model: str) -> dict[str, str]:
    """Where the evaluation is described: in the model's card. The Hub takes a name of it only with an address."""
    if not _HUB_ID.fullmatch(model):
        return {}
    version = mapping(result.provenance.get("versions")).get("evaluate-bias", "")
    name = one_line(f"evaluate-bias {version}")
    return {"source_url": f"https://huggingface.co/{model}", "source_name": name}


def _digest(options: Mapping[str, Any]) -> str:
    """A short name for a choice of options; empty for the defaults."""
    text = json.dumps(options, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:8] if options else ""


def _notes(result: Result, line: ReportRow, options: Mapping[str, Any], *, near: bool) -> str:
    ideal = f"{line.ideal:.4g}"
    notes = [f"minus the distance of the score {line.score:.4f} from its ideal {ideal}"] if near else []
    notes.append(f"model {line.model}")
    if line.language:
        notes.append(f"language {line.language}")
    if not near:
        if line.ci_low is not None:
            notes.append(f"{100 * line.ci_level:g}% CI {ci_cell(line)}")
        if line.p_value is not None:
            notes.append(p_phrase(line.p_value))
        notes.append(f"ideal {ideal}")
    notes += [f"{name} {value}" for name, value in options.items()]
    if remark := validation_remark(result, line):
        notes.append(f"data: {remark}")
    return one_line("; ".join(notes))


def _merged(name: str, text: str, entries: Sequence[EvalResultEntry]) -> str:
    """A file with the entries put in: each in the place of that of its task, or at the end."""
    import yaml
    from huggingface_hub import eval_result_entries_to_yaml

    try:
        kept = {(e["dataset"]["id"], e["dataset"]["task_id"]): e for e in yaml.safe_load(text) or ()}
    except (yaml.YAMLError, ValueError, TypeError, KeyError, RecursionError) as error:
        said = "does not hold evaluation results as evaluate-bias writes them: move it away"
        raise CardError(f"{FOLDER}/{name} {said}") from error
    for entry in eval_result_entries_to_yaml(list(entries)):
        key = entry["dataset"]["id"], entry["dataset"]["task_id"]
        if _undated(kept.get(key, {})) != _undated(entry):
            kept[key] = entry
    return str(yaml.safe_dump(list(kept.values()), sort_keys=False, allow_unicode=True, width=1000))


def _undated(entry: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in entry.items() if key != "date"}
