"""The config of a grid: models, methods, data sets and languages, seeds, and which of their combinations are wanted.

It is written in YAML, or made in Python as a :class:`GridConfig`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, ClassVar, get_args

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, model_validator
from pydantic_core import PydanticCustomError

from ..errors import BiasError, InputError, UnknownNameError, quoted
from ..options import checked_options
from ..registry import METHODS, get_method

SCHEMA_ID = "evaluate-bias grid config"
Seed = Annotated[int, Field(ge=0, le=2**63 - 1)]

_LIMIT_IS_OF_ALL = "limit belongs at the top of the config and applies to all methods"

Language = Annotated[str, BeforeValidator(lambda tag: "no" if tag is False else tag)]
"""The tag of Norwegian is a truth value in YAML."""


class _Entry(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    _plain: ClassVar[str] = ""
    """The field that a plain string means."""

    @model_validator(mode="before")
    @classmethod
    def _from_plain_value(cls, entry: Any) -> Any:
        return {cls._plain: entry} if cls._plain and isinstance(entry, str | Path) else entry


def _refusable(check: Callable[[Any], None]) -> Any:
    """Return a validator that needs the registry. Its errors are reported like pydantic's own."""

    def after(self: Any) -> Any:
        try:
            check(self)
        except BiasError as error:
            raise PydanticCustomError(
                "refused", "{said}", {"said": str(error), "option": error.option}
            ) from error
        return self

    return model_validator(mode="after")(after)


class ModelEntry(_Entry):
    """A model: what ``load_model`` accepts as text, and the options of loading it."""

    _plain: ClassVar[str] = "model"

    model: Annotated[str, BeforeValidator(str)] = Field(
        description="Hub id, folder or file (from the config's folder), named asset, corpus:PATH, or none if "
        "the data contain ready scores or predictions."
    )
    name: str = Field(default="", description="Name in tables (by default the model's own).")
    options: dict[str, Any] = Field(
        default_factory=dict, description="Options of load_model, such as dtype or revision."
    )

    @_refusable
    def _known(self) -> None:
        from ..models.load import check_loading

        check_loading(self.options, "loading a model", without=("name", "progress"))


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
        description="The models it is for, by name with * for any characters, or as models says. By default all.",
    )

    @_refusable
    def _known(self) -> None:
        record = get_method(self.method)
        if "seed" in self.options:
            raise InputError(
                f"{record.name}: the seed is given under `seeds`, for all methods together", option="seed"
            )
        if "limit" in self.options:
            raise InputError(f"{record.name}: {_LIMIT_IS_OF_ALL}", option="limit")
        checked_options(self.options, {**record.options(), **record.data_choices()}, record.name)


class DataEntry(_Entry):
    """A data set other than the methods' own."""

    _plain: ClassVar[str] = "source"

    source: str = Field(
        description="File, folder, Hub data set or a name from 'evaluate-bias data list'. Files are from the config's "
        "folder."
    )
    languages: list[Language] = Field(
        default_factory=list, description="Its languages (by default the grid's)."
    )
    columns: dict[str, str] = Field(
        default_factory=dict,
        description="Its names of columns that it calls otherwise, by ours, such as {sent_more: sent1}.",
    )
    methods: list[str] = Field(
        default_factory=list, description="The methods that read it, by name. By default all that can."
    )

    @_refusable
    def _known(self) -> None:
        for name in self.methods:
            get_method(name)


class Pattern(_Entry):
    """Which runs are meant: all texts given must match, with * for any characters."""

    model: str | None = Field(default=None, description="Name of the model.")
    method: str | None = Field(default=None, description="Name of the method.")
    data: str | None = Field(default=None, description="Name of the data set.")
    language: str | None = Field(default=None, description="Language of the data.")
    seed: Seed | None = Field(default=None, description="Seed.")

    def fields_set(self) -> dict[str, str | int]:
        """Return the fields that are set."""
        return self.model_dump(exclude_none=True)


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

    models: list[ModelEntry] = Field(
        default_factory=list, description="The models. None need be named if no method uses one."
    )
    methods: list[MethodEntry] = Field(min_length=1, description="The methods.")
    data: list[DataEntry] = Field(
        default_factory=list, description="Data sets instead of the methods' own, for the methods they name."
    )
    languages: list[Language] = Field(
        default_factory=list,
        description="Languages of the data, for methods that say none. By default the method's.",
    )
    seeds: list[Seed] = Field(default=[0], min_length=1, description="Seeds of everything random.")
    limit: Annotated[int, Field(ge=1)] | None = Field(
        default=None,
        description="Measure only so many rows of each data set, for a quick look. Results say so.",
    )
    include: list[Pattern] = Field(
        default_factory=list, description="Only runs that match one of these, if any are given."
    )
    exclude: list[Pattern] = Field(
        default_factory=list, description="Runs that match one of these are excluded."
    )

    _folder: Path | None = None
    _places: Mapping[tuple[str, int], str] = {}

    @property
    def folder(self) -> Path:
        """The folder that relative paths start from: the folder of the file, else the working directory."""
        return self._folder or Path()

    @_refusable
    def _known(self) -> None:
        if not self.models and (
            needy := [entry.method for entry in self.methods if get_method(entry.method).needs]
        ):
            raise InputError(
                f"`models` is missing, and {needy[0]} needs one (none if its data are precomputed scores)",
                option="models",
            )

    def __init__(self, **fields: Any) -> None:
        try:
            super().__init__(**fields)
        except ValidationError as error:
            raise InputError(_sentence(error)) from error

    def at(self, folder: Path, places: Mapping[tuple[str, int], str] | None = None) -> GridConfig:
        """Return the same config with relative paths that start from ``folder``.

        Args:
            folder: the folder.
            places: where each entry of a field appears, such as ``{("models", 0): "grid.yaml, line 2"}``.
        """
        out = self.model_copy()
        object.__setattr__(out, "__pydantic_private__", {"_folder": folder, "_places": dict(places or {})})
        return out

    def located_message(self, entry: _Entry, what: object, hint: str = "") -> str:
        """Return a sentence about an entry, with its place in the file that the config was read from."""
        text = str(what)
        text += "" if "did you mean" in text else hint
        for (field, i), place in self._places.items():
            if getattr(self, field)[i] is entry:
                return f"{place}: {text}"
        return text


def json_schema() -> dict[str, Any]:
    """Return the JSON schema of the config, for editors and programs.

    Examples:
        >>> json_schema()["required"]
        ['methods']
    """
    schema = GridConfig.model_json_schema()
    for name in ("models", "methods", "data"):  # a string is short for an entry
        field = schema["properties"][name]
        field["items"] = {"anyOf": [{"type": "string"}, field["items"]]}
    method = schema["$defs"]["MethodEntry"]["properties"]["method"]
    method["examples"] = sorted(METHODS)
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema, "title": SCHEMA_ID}


def _sentence(error: ValidationError) -> str:
    """Return pydantic's first error as a sentence, with what was probably meant."""
    first, *rest = error.errors(include_url=False)
    more = f" (and {len(rest)} more)" if rest else ""
    place = ".".join(str(part) for part in first["loc"])
    if first["type"] == "extra_forbidden":
        *above, name = first["loc"]
        if name == "limit" and above[:1] == ["methods"]:
            return f"{_LIMIT_IS_OF_ALL}{more}"
        return f"{UnknownNameError('field', str(name), _fields_at(above))}{more}"
    if first["type"] == "refused":
        return f"{first['msg']}{more}"
    if first["type"] == "missing":
        return f"{place} is missing{more}"
    if first["type"] == "too_short":
        return f"{place} is empty, and must have one entry at least{more}"
    kind = _KINDS.get(first["type"])
    requirement = f"must be {kind}" if kind else f"{first['msg'][0].lower()}{first['msg'][1:]}"
    value = "nothing" if first["input"] is None else quoted(first["input"])
    return f"{place}{' ' if kind else ': '}{requirement}, got {value}{more}"


_KINDS = {
    "list_type": "a list, such as [a, b] or lines that begin with a hyphen",
    "dict_type": "a dict, such as {name: value}",
    "model_type": "a name or a dict, such as {name: value}",
    "string_type": "a string",
    "int_type": "an integer",
    "int_parsing": "an integer",
    "int_from_float": "an integer",
    "greater_than_equal": "0 or more",
}
"""What pydantic misses, in the words of a config."""


def _fields_at(place: Sequence[Any]) -> Mapping[str, Any]:
    entry: type[BaseModel] = (
        get_args(GridConfig.model_fields[place[0]].annotation)[0] if place else GridConfig
    )
    return entry.model_fields
