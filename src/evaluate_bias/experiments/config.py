"""The config of a grid: models, methods, data sets and languages, seeds, and which of their combinations are wanted.

It is written in YAML, or made in Python as a :class:`GridConfig`.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, ClassVar

import yaml
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, model_validator
from pydantic_core import PydanticCustomError

from ..errors import BiasError, DataError, InputError, quoted
from ..files import read_text, short_path
from ..options import checked_options, options_of
from ..registry import METHODS, get_method

__all__ = [
    "SCHEMA_ID",
    "DataEntry",
    "GridConfig",
    "MethodEntry",
    "ModelEntry",
    "Pattern",
    "json_schema",
    "loading_options",
    "read_config",
]

SCHEMA_ID = "evaluate-bias grid config"
LARGEST = 2**22
"""Bytes of the largest config that is read."""

Seed = Annotated[int, Field(ge=0, le=2**63 - 1)]


class _Entry(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    _plain: ClassVar[str] = ""
    """The field that a plain text stands for."""

    @model_validator(mode="before")
    @classmethod
    def _of_text(cls, given: Any) -> Any:
        return {cls._plain: given} if cls._plain and isinstance(given, str | Path) else given


def _refusable(check: Callable[[Any], None]) -> Any:
    """A validator of what only the registry knows; its refusal is told like pydantic's own."""

    def after(self: Any) -> Any:
        try:
            check(self)
        except BiasError as error:
            raise PydanticCustomError("refused", "{said}", {"said": str(error)}) from error
        return self

    return model_validator(mode="after")(after)


def _check_model(entry: ModelEntry) -> None:
    checked_options(entry.options, loading_options(), "loading a model")


def _check_method(entry: MethodEntry) -> None:
    record = get_method(entry.method)
    if "seed" in entry.options:
        raise InputError(f"{record.name}: the seed is given under seeds, for all methods together")
    checked_options(entry.options, {**record.options(), **record.data_choices()}, record.name)


def _check_data(entry: DataEntry) -> None:
    for name in entry.methods:
        get_method(name)


class ModelEntry(_Entry):
    """A model: what ``load_model`` takes as text, and the options of loading it."""

    _plain: ClassVar[str] = "model"

    model: Annotated[str, BeforeValidator(str)] = Field(
        description="Hub id, folder or file (from the config's folder), named asset, or corpus:PATH."
    )
    name: str = Field(default="", description="Name in tables; by default the model's own.")
    options: dict[str, Any] = Field(
        default_factory=dict, description="Options of load_model, such as dtype or revision."
    )
    _known = _refusable(_check_model)


class MethodEntry(_Entry):
    """A method with its settings."""

    _plain: ClassVar[str] = "method"

    method: str = Field(description="Name of a method, see 'evaluate-bias methods'.")
    options: dict[str, Any] = Field(
        default_factory=dict,
        description="Options of the method, and those that choose its data, such as tests or bias_types.",
    )
    models: list[str] = Field(
        default_factory=list,
        description="The models it is for, by name, with * for any characters; by default all.",
    )
    _known = _refusable(_check_method)


class DataEntry(_Entry):
    """A data set other than the methods' own."""

    _plain: ClassVar[str] = "source"

    source: str = Field(
        description="File, folder, Hub data set or a name from 'evaluate-bias data list'; files from the config's "
        "folder."
    )
    languages: list[str] = Field(
        default_factory=list, description="Its languages; by default those of the grid."
    )
    methods: list[str] = Field(
        default_factory=list, description="The methods that read it, by name; by default all that can."
    )
    _known = _refusable(_check_data)


class Pattern(_Entry):
    """Which units are meant: all texts given must match, with * for any characters."""

    model: str | None = Field(default=None, description="Name of the model.")
    method: str | None = Field(default=None, description="Name of the method.")
    data: str | None = Field(default=None, description="Name of the data set.")
    language: str | None = Field(default=None, description="Language of the data.")
    seed: Seed | None = Field(default=None, description="Seed.")


class GridConfig(BaseModel):
    """A grid of measurements: every method on every model, data set, language and seed.

    Raises:
        InputError: a field, a method or an option does not exist or does not fit.

    Examples:
        >>> config = GridConfig(models=["glove-6b-50d"], methods=["weat"], languages=["en", "de"])
        >>> config.models[0].model, config.seeds
        ('glove-6b-50d', [0])
    """

    model_config = ConfigDict(extra="forbid", frozen=True, title=SCHEMA_ID)

    models: list[ModelEntry] = Field(min_length=1, description="The models.")
    methods: list[MethodEntry] = Field(min_length=1, description="The methods.")
    data: list[DataEntry] = Field(
        default_factory=list, description="Data sets in place of the methods' own, for the methods they name."
    )
    languages: list[str] = Field(
        default_factory=list,
        description="Languages of the data, for methods that say none; by default the method's.",
    )
    seeds: list[Seed] = Field(default=[0], min_length=1, description="Seeds of everything random.")
    include: list[Pattern] = Field(
        default_factory=list, description="Only units that match one of these, where any are given."
    )
    exclude: list[Pattern] = Field(
        default_factory=list, description="Units that match one of these are left out."
    )

    _folder: Path | None = None

    @property
    def folder(self) -> Path:
        """The folder that relative paths start from: that of the file, else the working directory."""
        return self._folder or Path()

    def __init__(self, **given: Any) -> None:
        try:
            super().__init__(**given)
        except ValidationError as error:
            raise InputError(_sentence(error)) from error

    def at(self, folder: Path) -> GridConfig:
        """The same config with relative paths that start from ``folder``."""
        out = self.model_copy()
        object.__setattr__(out, "__pydantic_private__", {"_folder": folder})
        return out


def loading_options() -> dict[str, Any]:
    """All options of loading a model, of whatever kind."""
    from ..models.load import load_model
    from ..models.static import StaticVectors
    from ..models.transformer import load_transformer

    known: dict[str, Any] = {}
    for function in (load_transformer, StaticVectors.__init__, load_model):
        known |= options_of(function)
    return {name: option for name, option in known.items() if name not in ("identity", "name", "progress")}


def json_schema() -> dict[str, Any]:
    """Return the JSON schema of the config, for editors and programs.

    Examples:
        >>> json_schema()["required"]
        ['models', 'methods']
    """
    schema = GridConfig.model_json_schema()
    _drop_titles(schema)
    for name in ("models", "methods", "data"):  # a text stands for an entry
        field = schema["properties"][name]
        field["items"] = {"anyOf": [{"type": "string"}, field["items"]]}
    method = schema["$defs"]["MethodEntry"]["properties"]["method"]
    method["examples"] = sorted(METHODS)
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema, "title": SCHEMA_ID}


def _drop_titles(node: Any) -> None:
    """Titles that only repeat the names of fields."""
    if isinstance(node, dict):
        if isinstance(node.get("title"), str):
            del node["title"]
        for value in node.values():
            _drop_titles(value)
    elif isinstance(node, list):
        for value in node:
            _drop_titles(value)


def read_config(path: str | Path) -> GridConfig:
    """Read a config: YAML, or the line format of the BIAS Detection Framework in a ``.txt`` or ``.csv`` file.

    Raises:
        InputError: what is there is no regular file.
        DataError: it cannot be read, or does not follow the schema; the text names the line and what was meant.
    """
    path = Path(path)
    try:
        if path.stat().st_size > LARGEST:
            raise DataError(f"{short_path(path)} has more than {LARGEST:,} bytes: it is no config")
        text = read_text(path)
    except OSError as error:
        if isinstance(error, BiasError):
            raise
        raise DataError(f"{short_path(path)} cannot be read: {error.strerror or error}") from error
    if path.suffix.lower() in (".txt", ".csv"):
        from .framework import framework_config

        return framework_config(text, path)
    return config_of_yaml(text, path)


def config_of_yaml(text: str, path: Path) -> GridConfig:
    """The config that a YAML text is, see :func:`read_config`."""
    name = short_path(path)
    try:
        node = yaml.compose(text, yaml.SafeLoader)
        given = yaml.safe_load(text)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f", line {mark.line + 1}" if mark else ""
        raise DataError(
            f"{name}{where}: not YAML: {getattr(error, 'problem', None) or 'unreadable'}"
        ) from error
    except (RecursionError, ValueError) as error:
        raise DataError(f"{name}: not YAML that can be read: {type(error).__name__}") from error
    _refuse_twice(node, name)
    if not isinstance(given, Mapping):
        raise DataError(
            f"{name} is no grid config: it must have models and methods, such as 'models: [glove-6b-50d]'"
        )
    try:
        return GridConfig(**{str(key): value for key, value in given.items()}).at(path.parent)
    except InputError as error:
        if not isinstance(error.__cause__, ValidationError):
            raise
        raise DataError(f"{name}, line {_line_of(node, error.__cause__)}: {error}") from error


def _refuse_twice(node: Any, name: str, depth: int = 0) -> None:
    """YAML takes the last of two equal keys, and nobody sees what became of the first."""
    if depth > 50:
        raise DataError(f"{name}: nested more than 50 deep: it is no grid config")
    if isinstance(node, yaml.MappingNode):
        seen: dict[str, int] = {}
        for key, value in node.value:
            if str(key.value) in seen:
                raise DataError(
                    f"{name}, line {key.start_mark.line + 1}: {quoted(key.value)} is given twice, first in line "
                    f"{seen[str(key.value)]}"
                )
            seen[str(key.value)] = key.start_mark.line + 1
            _refuse_twice(value, name, depth + 1)
    elif isinstance(node, yaml.SequenceNode):
        for value in node.value:
            _refuse_twice(value, name, depth + 1)


def _line(node: Any, place: Sequence[Any]) -> int:
    """The line of the deepest node on the way to a place; of a key rather than of its value where the key is wrong."""
    line = node.start_mark.line
    for step in place:
        if isinstance(node, yaml.MappingNode):
            found = next(((k, v) for k, v in node.value if k.value == str(step)), None)
            if found is None:
                break
            line, node = found[0].start_mark.line, found[1]
        elif isinstance(node, yaml.SequenceNode) and isinstance(step, int) and step < len(node.value):
            node = node.value[step]
            line = node.start_mark.line
    return int(line) + 1


def _line_of(node: Any, error: ValidationError) -> int:
    """The line of the first thing that is wrong; of an option, its own."""
    first = error.errors(include_url=False)[0]
    place = list(first["loc"])
    entry = first["input"]
    if first["type"] == "refused" and isinstance(entry, Mapping):
        options = entry.get("options") or {}
        wrong = next((k for k in options if re.search(rf"\b{re.escape(str(k))}\b", first["msg"])), None)
        place += ["options", wrong] if wrong else []
    return _line(node, place)


def _sentence(error: ValidationError) -> str:
    """What pydantic found first, with what was probably meant."""
    first, *rest = error.errors(include_url=False)
    more = f" (and {len(rest)} more)" if rest else ""
    place = ".".join(str(part) for part in first["loc"])
    if first["type"] == "extra_forbidden":
        *above, name = first["loc"]
        known = list(_fields_at(above))
        near = difflib.get_close_matches(str(name)[:100], known, n=1)
        hint = f"did you mean {near[0]!r}?" if near else f"known are: {', '.join(known)}"
        return f"unknown field {quoted(str(name))}: {hint}{more}"
    if first["type"] == "refused":
        return f"{first['msg']}{more}"
    if first["type"] == "missing":
        return f"{place} is missing{more}"
    return f"{place}: {first['msg'][0].lower()}{first['msg'][1:]}, not {quoted(first['input'])}{more}"


def _fields_at(place: Sequence[Any]) -> Mapping[str, Any]:
    entries: dict[Any, type[BaseModel]] = {
        "models": ModelEntry, "methods": MethodEntry, "data": DataEntry, "include": Pattern, "exclude": Pattern,
    }  # fmt: skip
    return (entries[place[0]] if place else GridConfig).model_fields
