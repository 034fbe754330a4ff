"""The commands that measure what is not known of a score's robustness: on the same model, data, tests and options."""

from __future__ import annotations

import functools
import json
import shlex
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Any

from ..errors import BiasError, InputError
from ..method_record import Aspect, MethodRecord
from ..models.load import loading_options
from ..options import Option, checked_options
from ..registry import METHODS
from ..result import Result
from ..result.row import to_plain
from .data_facts import dataset_facts, provenance_facts

_LOADING = (
    "name", "case", "language", "accents", "multiword", "subwords", "revision", "subfolder", "system", "thinking",
    "reply_tokens", "reasoning_effort", "extra_body",
)  # fmt: skip
"""Options of loading that the provenance of a model holds as they were given."""

_ALIKE = ("scoring", "lower", "representation", "ddof", "max_missing", "same_vector")
"""Options that mean the same in a method and in one that measures its robustness."""

_OF_INTERVAL = ("seed", "confidence_level", "ci", "ci_resamples", "n_resamples")


def robustness_commands(result: Result, aspects: Collection[Aspect]) -> list[str]:
    """Return the commands that measure these aspects for a result, one for each method that does.

    There is none where no method that the command can run takes these data, or where the method compares models.

    Examples:
        >>> result = Result(method="weat", score=1.6, score_range=(-2, 2), direction="two_sided", ideal=0, n=16,
        ...                 settings={"ddof": 0}, provenance={"model": {"name": "glove"}})
        >>> for command in robustness_commands(result, ["seeds"]): print(command.replace(" -O", "\\n  -O"))
        evaluate-bias run -m glove --method seed_sensitivity
          -O measured_method=weat
          -O 'measured_options={"ddof": 0}'
    """
    measured = METHODS.get(result.method)
    if measured is None:
        return []
    commands = []
    for record in METHODS.values():
        about = record.robustness
        if about is None or about.aspect not in aspects or not record.needs or not record.speaks_of(measured):
            continue
        choice = _choice(record, measured, result)
        if choice is not None:
            words = [
                *_model(result),
                "--method",
                record.name,
                *_data(choice),
                *_options(record, measured, result),
            ]
            commands.append(shlex.join(["evaluate-bias", "run", *words]))
    return commands


def _model(result: Result) -> Iterator[str]:
    """The model, by what it is loaded from, and the options of loading it."""
    facts = provenance_facts(result, "model")
    name, source = str(facts.get("name") or ""), str(facts.get("source") or "")
    spec = str(facts.get("asset") or name)
    if facts.get("kind") == "endpoint" and source:  # its name is for readers
        spec = name = source if source.startswith("inspect:") else f"endpoint:{source}"
    yield from ("-m", spec)
    known = loading_options()
    options = {key: facts[key] for key in _LOADING if key in facts} | {"name": name if name != spec else None}
    options["dtype"] = facts.get("dtype") if facts.get("dtype") in ("bfloat16", "float16") else "auto"
    for key, value in _others(options, known):
        yield from ("--model-option", f"{key}={_text(value)}")


def _choice(record: MethodRecord, measured: MethodRecord, result: Result) -> dict[str, Any] | None:
    """What chooses the data for a method about robustness; ``None`` where it does not take those of the result.

    A method whose data are its own, such as a list of occupations, is given the language alone.
    """
    facts, known = dataset_facts(result), record.data_choices()
    language = facts.get("language")
    choice = {} if language in (None, "", "und") else {"language": language}
    columns = measured.columns if _names_the_method(record) else record.columns
    try:
        usual = _usual(record.name, **choice)
        if record.data.loader != measured.data.loader and measured.data.name != record.data.name:
            return None if _names_the_method(record) else choice
        source = facts.get("source")
        source = None if source in (None, "given by the caller") else str(source)
        if source is None and facts:
            return None
        is_usual = source in (None, usual.provenance.get("source"))
        choice |= {} if is_usual else {"source": source}
        choice |= {key: facts[key] for key in known if key in facts and key not in ("source", "language")}
        if tests := result.settings.get("tests"):
            choice["tests"] = list(tests)
        if source is None or is_usual or Path(source).is_file():
            rows = record.load_data(**choice)
            takes = all(getattr(rows[0], column, None) for column in columns)
            choice = {k: v for k, v in choice.items() if k != "tests" or [r.name for r in usual] != v}
        else:  # of a published data set, or of a file that is elsewhere
            takes = set(columns) <= set(measured.columns) and record.data.loader == measured.data.loader
    except (BiasError, AttributeError, LookupError, TypeError):
        return None
    return choice if takes else None


@functools.cache
def _usual(name: str, **choice: str) -> Any:
    """The data that a method takes in a language where nothing else is asked for."""
    return METHODS[name].load_data(**choice)


def _names_the_method(record: MethodRecord) -> bool:
    return record.robustness is not None and not record.robustness.data


def _data(choice: Mapping[str, Any]) -> Iterator[str]:
    flags = {"source": "--source", "language": "-l", "tests": "-t"}
    for key, value in choice.items():
        if (key, value) == ("language", "en"):
            continue
        for one in value if key == "tests" else [value]:
            yield from (flags[key], str(one)) if key in flags else ("-O", f"{key}={_text(one)}")


def _options(record: MethodRecord, measured: MethodRecord, result: Result) -> Iterator[str]:
    """The options of the method that are not its defaults, as the other one takes them; and the seed."""
    settings = result.settings
    if _names_the_method(record):
        yield from ("-O", f"measured_method={measured.name}")
        options = dict(
            _others({k: v for k, v in settings.items() if k not in _OF_INTERVAL}, measured.options())
        )
        if options:
            yield from ("-O", f"measured_options={json.dumps(options, ensure_ascii=False)}")
    else:
        for key, value in _others({k: settings[k] for k in _ALIKE if k in settings}, record.options()):
            yield from ("-O", f"{key}={_text(value)}")
    if seed := settings.get("seed"):
        yield from ("--seed", str(seed))


def _others(values: Mapping[str, Any], known: Mapping[str, Option]) -> Iterator[tuple[str, Any]]:
    """The values that these options take and that are not their defaults."""
    for key, value in values.items():
        if key in known and value != to_plain(known[key].default, key):
            try:
                checked_options({key: value}, {key: known[key]}, "")
            except InputError:  # a setting that is no option as it stands
                continue
            yield key, value


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
