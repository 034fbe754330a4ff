"""The line format of the BIAS Detection Framework: ``datasetname,testname,embeddings,language,modelname``.

What its names are here stands in ``framework.yaml``, with its source.
"""

from __future__ import annotations

import re
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

import yaml

from ..data.recipes import record_of
from ..errors import BiasError, DataError, UnknownNameError, quoted
from ..files import is_there, short_path
from ..method_record import MethodRecord
from ..registry import get_method
from ..text import name_key
from .config import GridConfig, MethodEntry, ModelEntry

FIELDS = ("datasetname", "testname", "embeddings", "language", "modelname")


def framework_config(text: str, path: Path) -> GridConfig:
    """Read lines of the framework; each is one unit, and blank lines and those that begin with ``#`` are left out.

    A data set is a test of the word lists that the library knows: ``WEAT_7``, ``SEAT_WEAT_7`` and ``WEAT7_DE_context``
    are all ``weat7`` in the line's language, and ``CW1`` is of the lists that the framework published, which are
    fetched when they are measured. A line ``name = file`` gives a data set of one's own, by its place beside the file.
    Word vectors without a model's name are the framework's own files, in the folder ``models`` beside the file.

    Raises:
        DataError: a line has not five fields, or a name that is not known; the text names the line.
    """
    models: dict[str, ModelEntry] = {}
    methods: list[MethodEntry] = []
    files: dict[str, str] = {}
    lines = [(n, line.strip()) for n, line in enumerate(text.splitlines(), 1)]
    # Files of data sets first, whatever their position.
    for number, line in sorted(lines, key=lambda numbered: not _names_data_file(numbered[1])):
        if not line or line.startswith("#") or _fields(line) == list(FIELDS):  # a line of headings
            continue
        try:
            if _names_data_file(line):
                _add_data_file(files, *(part.strip() for part in line.split("=", 1)), folder=path.parent)
                continue
            model, method = _unit(_fields(line), files, path.parent)
        except BiasError as error:
            raise DataError(f"{short_path(path)}, line {number}: {error}") from error
        models[model.model] = model
        if method not in methods:
            methods.append(method)
    if not methods:
        raise DataError(f"{short_path(path)} has no line such as 'WEAT_7,WEAT,glove,en,None'")
    return GridConfig(models=list(models.values()), methods=methods).at(path.parent)


def _fields(line: str) -> list[str]:
    return [part.strip() for part in line.split(",")]


def _names_data_file(line: str) -> bool:
    return "=" in line.partition(",")[0] and not line.startswith("#")


def _add_data_file(files: dict[str, str], name: str, source: str, *, folder: Path) -> None:
    """Add the file of a data set that the lines name."""
    if not name or not source or name in files:
        what = "is given twice" if name in files else "needs a name and a file, as in 'CW9 = lists/cw9.jsonl'"
        raise DataError(f"a data set of one's own {what}: {quoted(f'{name} = {source}')}")
    if not is_there(folder / source):
        raise DataError(
            f"the file of {quoted(name)} is not there: {quoted(source)}, from the folder of the lines"
        )
    files[name] = source


def _unit(parts: list[str], files: dict[str, str], folder: Path) -> tuple[ModelEntry, MethodEntry]:
    if len(parts) != len(FIELDS):
        raise DataError(f"{len(parts)} fields, and a line has {len(FIELDS)}: {','.join(FIELDS)}")
    dataset, test, embeddings, language, model = parts
    names = _names()
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
    options |= _data(
        record, dataset, language, files.get(dataset), bool(chosen.get("whole_data_set")), folder
    )
    return ModelEntry(model=spec), MethodEntry(
        method=record.name,
        options=options,
        # A file of vectors is called by its name alone, and by its whole path where it is not there.
        models=[spec.rpartition("/")[2], spec] if kinds[embeddings] == "static" else [spec],
    )


def _model(names: dict[str, Any], kind: str, embeddings: str, language: str, model: str, folder: Path) -> str:
    """What to load: the model that is named, else the framework's own for these embeddings."""
    if model.lower() not in ("", "none"):
        folder_of_model = f"models/{model}"
        return folder_of_model if kind == "static" and is_there(folder / folder_of_model) else model
    if kind == "static":
        return f"models/{names['static'][embeddings].replace('XX', language)}"
    if embeddings in names:
        return str(names[embeddings])
    raise DataError(f"{embeddings} needs a modelname, such as google-bert/bert-base-uncased")


def _data(
    record: MethodRecord, dataset: str, language: str, source: str | None, whole: bool, folder: Path
) -> dict[str, Any]:
    """The options that choose a data set: the file given for its name, or a test of the lists that are known."""
    if source is not None:
        at = {"source": str((folder / source).resolve()), "language": language}
        names = [] if whole else [test.name for test in record.load_data(**at)]
        same = [
            name for name in names if name_key(name) in (name_key(dataset), name_key(_test_name(dataset)))
        ]
        if len(names) > 1 and not same:
            raise UnknownNameError(f"test of {short_path(Path(source))}", dataset, names)
        return {"source": source} | ({"tests": same} if len(names) > 1 else {})
    if whole:
        return {}
    test = _test_name(dataset)
    known = record_of({"source": record.dataset})
    for config in known.configs if known else ():
        if config.language == language and name_key(test) in config.tests:
            return {"tests": [test], "language": config.name}
    try:
        record.load_data(tests=[test], language=language)
    except UnknownNameError as error:
        raise DataError(
            f"{error}{'' if str(error).endswith('?') else ';'} a list of your own takes that name by a line "
            f"{quoted(f'{dataset} = its file')}"
        ) from error
    return {"tests": [test]}


def _test_name(dataset: str) -> str:
    """The test of a data set's file: without its family before and language and kind behind."""
    name = re.sub(r"_context$", "", dataset, flags=re.IGNORECASE)
    return re.sub(r"^SEAT_|_[A-Z]{2}$", "", name)


@cache
def _names() -> dict[str, Any]:
    text = resources.files(__package__).joinpath("framework.yaml").read_text(encoding="utf-8")
    return dict(yaml.safe_load(text))
