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

from ..errors import BiasError, DataError, UnknownNameError
from ..files import short_path
from ..registry import get_method
from .config import GridConfig, MethodEntry, ModelEntry

__all__ = ["FIELDS", "framework_config"]

FIELDS = ("datasetname", "testname", "embeddings", "language", "modelname")


def framework_config(text: str, path: Path) -> GridConfig:
    """Read lines of the framework; each is one unit, and blank lines and those that begin with ``#`` are left out.

    A data set is a test of the packaged word lists: ``WEAT_7``, ``SEAT_WEAT_7`` and ``WEAT7_DE_context`` are all
    ``weat7`` in the line's language. Files of word vectors are those of the framework's own config, in the folder
    ``models`` beside the file.

    Raises:
        DataError: a line has not five fields, or a name that is not known; the text names the line.
    """
    models: dict[str, ModelEntry] = {}
    methods: list[MethodEntry] = []
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        try:
            model, method = _unit([part.strip() for part in line.split(",")])
        except BiasError as error:
            raise DataError(f"{short_path(path)}, line {number}: {error}") from error
        models[model.model] = model
        if method not in methods:
            methods.append(method)
    if not methods:
        raise DataError(f"{short_path(path)} has no line such as 'WEAT_7,WEAT,glove,en,None'")
    return GridConfig(models=list(models.values()), methods=methods).at(path.parent)


def _unit(parts: list[str]) -> tuple[ModelEntry, MethodEntry]:
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
    spec = _model(names, kinds[embeddings], embeddings, language, model)
    record = get_method(entry["method"])
    options: dict[str, Any] = {"language": language, **entry.get("options", {})}
    if entry.get("representation"):
        options["representation"] = names["transformers"][embeddings]
    if not chosen.get("whole_data_set"):
        options["tests"] = [_test_name(dataset)]
        record.load_data(tests=options["tests"], language=language)
    return ModelEntry(model=spec), MethodEntry(
        method=record.name,
        options=options,
        models=[spec.rpartition("/")[2] if kinds[embeddings] == "static" else spec],
    )


def _model(names: dict[str, Any], kind: str, embeddings: str, language: str, model: str) -> str:
    if kind == "static":
        return f"models/{names['static'][embeddings].replace('XX', language)}"
    if embeddings in names:
        return str(names[embeddings])
    if model.lower() in ("", "none"):
        raise DataError(f"{embeddings} needs a modelname, such as google-bert/bert-base-uncased")
    return model


def _test_name(dataset: str) -> str:
    """The test of a data set's file: without its family before and language and kind behind."""
    name = re.sub(r"_context$", "", dataset, flags=re.IGNORECASE)
    return re.sub(r"^SEAT_|_[A-Z]{2}$", "", name)


@cache
def _names() -> dict[str, Any]:
    text = resources.files(__package__).joinpath("framework.yaml").read_text(encoding="utf-8")
    return dict(yaml.safe_load(text))
