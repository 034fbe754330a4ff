"""Reading a config from a file, with the line of what is wrong in it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from importlib import resources
from pathlib import Path
from typing import Any

import yaml
from pydantic import ValidationError

from ..data.recipes import record_of
from ..errors import BiasError, DataError, InputError, UnknownNameError, quoted
from ..files import is_there, read_text, short_path
from ..method_record import MethodRecord
from ..registry import get_method
from ..text import counted, name_key
from .config import GridConfig, MethodEntry, ModelEntry

LARGEST = 2**22
"""Bytes of the largest config that is read."""
MOST_VALUES = 1_000_000
"""Values in the largest config, those behind aliases counted each time."""
FIELDS = ("datasetname", "testname", "embeddings", "language", "modelname")
"""Of a line of the BIAS Detection Framework."""


def read_config(path: str | Path) -> GridConfig:
    """Read a config: YAML, or the line format of the BIAS Detection Framework in a ``.txt`` or ``.csv`` file.

    Raises:
        InputError: what is there is not a regular file.
        DataError: it cannot be read, or does not follow the schema. The text names the line and what was
            meant.
    """
    path = Path(path)
    try:
        if path.stat().st_size > LARGEST:
            raise DataError(f"{short_path(path)} has more than {LARGEST:,} bytes: it is not a config")
        text = read_text(path)
    except OSError as error:
        if isinstance(error, BiasError):
            raise
        raise DataError(f"{short_path(path)} cannot be read: {error.strerror or error}") from error
    if path.suffix.lower() in (".txt", ".csv"):
        return _framework_config(text, path)
    return config_of_yaml(text, path)


def config_of_yaml(text: str, path: Path) -> GridConfig:
    """Return the config that a YAML text describes, see :func:`read_config`."""
    name = short_path(path)
    try:
        node = yaml.compose(text, yaml.SafeLoader)
        _refuse_twice(node, name)
        content = yaml.safe_load(text)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f", line {mark.line + 1}" if mark else ""
        problem = str(getattr(error, "problem", None) or "unreadable")
        tab = ": indent with spaces, since YAML allows no tabs there" if "'\\t'" in problem else ""
        raise DataError(f"{name}{where}: not YAML: {problem}{tab}") from error
    except BiasError:
        raise
    # Tags on values that they do not fit, such as "!!int ''", are errors of the reader's own.
    except (RecursionError, ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        raise DataError(f"{name}: not YAML that can be read: {type(error).__name__}") from error
    if not isinstance(content, Mapping):
        raise DataError(
            f"{name} is not a grid config: it must have models and methods, such as 'models: [glove-6b-50d]'"
        )
    try:
        config = GridConfig(**{str(key): value for key, value in content.items()})
    except InputError as error:
        if not isinstance(error.__cause__, ValidationError):
            raise
        first = error.__cause__.errors(include_url=False)[0]
        place, value, hint = list(first["loc"]), first["input"], error.hint
        if first["type"] == "refused" and isinstance(value, Mapping):
            wrong = first["ctx"]["option"]
            place += ["options", wrong] if wrong in (value.get("options") or {}) else []
        if isinstance(value, bool) and not hint:
            words, word = ("yes or on", "yes") if value else ("no or off", "no")
            hint = f"YAML reads {words} without quotes as {value}, so write '{word}'"
        text = f"{name}, line {_line(node, place)}: {error.text}"
        raise DataError(text, option=error.option, hint=hint) from error
    fields = ("models", "methods", "data", "include", "exclude")
    entries = ((field, i) for field in fields for i in range(len(getattr(config, field))))
    return config.at(path.parent, {place: f"{name}, line {_line(node, place)}" for place in entries})


def _refuse_twice(node: Any, name: str) -> None:
    """Refuse two equal keys, of which YAML uses the last. Aliases are followed, and too many of them refused."""
    waiting = [(node, 0)]
    for _ in range(MOST_VALUES):
        if not waiting:
            return
        node, depth = waiting.pop()
        if depth > 50:
            raise DataError(f"{name}: nested more than 50 deep: it is not a grid config")
        if isinstance(node, yaml.MappingNode):
            seen: dict[str, int] = {}
            for key, value in node.value:
                if str(key.value) in seen:
                    raise DataError(
                        f"{name}, line {key.start_mark.line + 1}: {quoted(key.value)} is given twice, first in line "
                        f"{seen[str(key.value)]}"
                    )
                seen[str(key.value)] = key.start_mark.line + 1
                waiting.append((value, depth + 1))
        elif isinstance(node, yaml.SequenceNode):
            waiting.extend((value, depth + 1) for value in node.value)
    raise DataError(f"{name} has more than {MOST_VALUES:,} values, aliases counted: it is not a grid config")


def _line(node: Any, place: Sequence[Any]) -> int:
    """Return the line of the deepest node on the way to a place, or of its key if the key is wrong."""
    line = node.start_mark.line
    for step in place:
        if isinstance(node, yaml.MappingNode):
            pair = next(((k, v) for k, v in node.value if k.value == str(step)), None)
            if pair is None:
                break
            line, node = pair[0].start_mark.line, pair[1]
        elif isinstance(node, yaml.SequenceNode) and isinstance(step, int) and step < len(node.value):
            node = node.value[step]
            line = node.start_mark.line
    return int(line) + 1


def _framework_config(text: str, path: Path) -> GridConfig:
    """Read lines of the BIAS Detection Framework. Each line is one unit, except blank ones and comments (``#``).

    ``framework.yaml`` says what its names are called here, with their source. A data set is a test of the word
    lists that the library knows: ``WEAT_7``, ``SEAT_WEAT_7`` and ``WEAT7_DE_context`` are all ``weat7`` in
    the line's language, and ``CW1`` belongs to the lists that the framework published, which are fetched when they
    are measured. Word vectors without a model's name are the framework's own files, in the folder ``models``
    next to the file. A file with the name of the data set in ``datasets/LANGUAGE/TEST`` next to the file, as in
    the framework's repository, comes first.

    Raises:
        DataError: a line does not have five fields, or has an unknown name. The text names the line.
    """
    names = yaml.safe_load(resources.files(__package__).joinpath("framework.yaml").read_text("utf-8"))
    models: dict[str, ModelEntry] = {}
    methods: list[MethodEntry] = []
    for number, line in enumerate(text.splitlines(), 1):
        fields = [part.strip() for part in line.split(",")]
        if not line.strip() or line.lstrip().startswith("#") or fields == list(FIELDS):  # a line of headings
            continue
        try:
            model, method = _unit(names, fields, path.parent)
        except BiasError as error:
            raise DataError(f"{short_path(path)}, line {number}: {error}") from error
        models[model.model] = model
        if method not in methods:
            methods.append(method)
    if not methods:
        raise DataError(f"{short_path(path)} has no line such as 'WEAT_7,WEAT,glove,en,None'")
    return GridConfig(models=list(models.values()), methods=methods).at(path.parent)


def _unit(names: dict[str, Any], parts: list[str], folder: Path) -> tuple[ModelEntry, MethodEntry]:
    if len(parts) != len(FIELDS):
        raise DataError(f"{counted(len(parts), 'field')}, and a line has {len(FIELDS)}: {','.join(FIELDS)}")
    dataset, test, embeddings, language, model = parts
    tests = {name.lower(): entry for name, entry in names["tests"].items()}
    chosen = tests.get(test.lower())
    if chosen is None:
        raise UnknownNameError("testname", test, names["tests"])
    kinds = {name: kind for kind in ("static", "transformers") for name in names[kind]}
    if embeddings not in kinds:
        raise UnknownNameError("embeddings", embeddings, kinds)
    entry = chosen.get(kinds[embeddings])
    if entry is None:
        known = ", ".join(name for name, kind in kinds.items() if kind in chosen)
        raise DataError(f"{test} cannot be measured on {embeddings}: it takes {known}")
    spec = _model(names, kinds[embeddings], embeddings, language, model, folder)
    record = get_method(entry["method"])
    options: dict[str, Any] = {"language": language, **entry.get("options", {})}
    if entry.get("representation"):
        options["representation"] = names["transformers"][embeddings]
    files = (
        folder / "datasets" / language / test.upper() / f"{dataset}{end}"
        for end in (".txt", ".jsonl", ".csv")
    )
    if list_file := next((file for file in files if is_there(file)), None):
        # Its own list files, laid out as in its repository. The files for SEAT contain written-out sentences.
        options["source"] = list_file.relative_to(folder).as_posix()
        options |= entry.get("own_files", {})
    elif not chosen.get("whole_data_set"):
        options |= _test_options(record, dataset, language)
    return ModelEntry(model=spec), MethodEntry(
        method=record.name,
        options=options,
        # A file of vectors is called by its name alone, or by its whole path if it does not exist.
        models=[spec.rpartition("/")[2], spec] if kinds[embeddings] == "static" else [spec],
    )


def _model(names: dict[str, Any], kind: str, embeddings: str, language: str, model: str, folder: Path) -> str:
    """Return what to load: the model that is named, else the framework's own for these embeddings."""
    if model.lower() not in ("", "none"):
        folder_of_model = f"models/{model}"
        return folder_of_model if kind == "static" and is_there(folder / folder_of_model) else model
    if kind == "static":
        return f"models/{names['static'][embeddings].replace('XX', language)}"
    if embeddings in names:
        return str(names[embeddings])
    raise DataError(f"{embeddings} needs a modelname, such as google-bert/bert-base-uncased")


def _test_options(record: MethodRecord, dataset: str, language: str) -> dict[str, Any]:
    """Return the options that choose a test of the lists that are known."""
    # A data set's file has its family before the name of the test, and language and kind behind it.
    test = re.sub(r"^SEAT_|_[A-Z]{2}$", "", re.sub(r"_context$", "", dataset, flags=re.IGNORECASE))
    known = record_of({"source": record.dataset})
    for config in known.configs if known else ():
        if config.language == language and name_key(test) in config.tests:
            return {"tests": [test], "language": config.name}
    record.load_data(tests=[test], language=language)
    return {"tests": [test]}
