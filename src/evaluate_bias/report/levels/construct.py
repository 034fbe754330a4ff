"""A construct: an association between two groups and two sets of attributes, and the test of it at each level.

Constructs are data: YAML files of this library (``data/packaged/constructs``) and of users.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from ...data.row_set import SourcedList
from ...errors import BiasError, DataError, InputError, UnknownNameError, quoted
from ...files import read_text, short_path
from ...options import checked_options
from ...paths import packaged_data
from ...registry import get_method

LEVELS = ("vectors", "likelihoods", "word choice", "decisions", "what is written")
"""The levels, from what a model has learned to what it does."""

Words = Annotated[str, Field(min_length=1, pattern=r"\S")]


class LevelTest(BaseModel):
    """A test of a construct at one level: a method with its options, and data of its own or part of its default data.

    Attributes:
        method: name of the method.
        options: of the method, and those that choose a part of its default data, such as ``tests``.
        data: rows in place of the default data.
        reverse: whether the score falls where the first group goes with the first attributes.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    method: str
    options: dict[str, Any] = Field(default_factory=dict)
    data: list[dict[str, Any]] | None = Field(default=None, min_length=1)
    reverse: bool = False

    def arguments(self, construct: str) -> dict[str, Any]:
        """What :func:`evaluate_bias.measure` takes; rows carry the name of the construct that they come from."""
        if self.data is None:
            return dict(self.options)
        source = {"source": f"construct {construct}", "language": self.data[0].get("language", "und")}
        return {**self.options, "data": SourcedList(self.data, source)}


class Construct(BaseModel):
    """An association and how each level measures it.

    Attributes:
        title: what it is called.
        groups: names of the two groups.
        attributes: names of the two sets of attributes; the stereotype gives the first to the first group.
        levels: for each level its tests; the first that a model can take part in is measured.
        name: of the file.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    title: Words
    groups: tuple[Words, Words]
    attributes: tuple[Words, Words]
    levels: dict[str, Annotated[list[LevelTest], Field(min_length=1)]] = Field(min_length=1)
    name: str = ""

    @property
    def association(self) -> str:
        """The association that a positive score stands for, in words: every measure of it is a comparison."""
        (first, second), (one, other) = self.groups, self.attributes
        return f"{one} rather than {other} with {first}, compared with {second}"


def construct_names() -> list[str]:
    """Return the names of the constructs of this library.

    Examples:
        >>> construct_names()
        ['age_pleasantness', 'gender_career', 'gender_math', 'race_pleasantness']
    """
    return sorted(path.name.removesuffix(".yaml") for path in packaged_data("constructs").iterdir())


def load_construct(construct: str | Path | Construct) -> Construct:
    """Load a construct: by its name, from a YAML file, or as it is.

    Raises:
        UnknownNameError: no construct of this library has this name.
        DataError: the file cannot be read or does not describe a construct; the text says where.

    Examples:
        >>> load_construct("gender_math").association
        'math rather than arts with men, compared with women'
    """
    if isinstance(construct, Construct):
        return construct
    if not isinstance(construct, str | Path):
        raise InputError(
            f"a construct is a name, such as {construct_names()[0]!r}, or a YAML file, not {quoted(construct)}"
        )
    if construct in construct_names():
        file = packaged_data(f"constructs/{construct}.yaml")
        return _checked(file.read_text(encoding="utf-8"), str(construct), str(construct))
    path = Path(construct)
    if path.suffix.lower() not in (".yaml", ".yml"):
        raise UnknownNameError("construct", str(construct), construct_names())
    try:
        text = read_text(path)
    except OSError as error:
        raise DataError(f"{short_path(path)} cannot be read: {error.strerror or error}") from error
    return _checked(text, short_path(path), path.stem)


def _checked(text: str, where: str, name: str) -> Construct:
    """The construct that a YAML text is, with methods, options and levels that exist."""
    try:
        content = yaml.safe_load(text)
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        mark = getattr(error, "problem_mark", None)
        raise DataError(f"{where}{f', line {mark.line + 1}' if mark else ''}: not YAML") from error
    if not isinstance(content, Mapping):
        raise DataError(f"{where} is not a construct: it must have title, groups, attributes and levels")
    try:
        construct = Construct(**{"name": name, **{str(key): value for key, value in content.items()}})
        _check_names(construct)
    except ValidationError as error:
        raise DataError(f"{where}: {_sentence(error)}") from error
    except BiasError as error:
        raise DataError(f"{where}: {error}") from error
    return construct


def _check_names(construct: Construct) -> None:
    if len(set(construct.groups)) < 2 or len(set(construct.attributes)) < 2:
        raise InputError("groups and attributes are two different names each")
    if unknown := [level for level in construct.levels if level not in LEVELS]:
        raise InputError(f"there is no level {unknown[0]!r}; the levels are {', '.join(LEVELS)}")
    for test in (test for tests in construct.levels.values() for test in tests):
        record = get_method(test.method)
        if not record.needs or record.direction != "two_sided":
            raise InputError(
                f"{record.name} measures no level: its score has no side for an association and one for its "
                "reverse, or is not that of a model"
            )
        checked_options(test.options, {**record.options(), **record.data_choices()}, record.name)


def _sentence(error: ValidationError) -> str:
    """What is wrong first; of values that are no text, in the words of pydantic."""
    first = error.errors(include_url=False)[0]
    place, message = ".".join(map(str, first["loc"])), first["msg"]
    if first["type"] == "missing":
        return f"{place} is missing"
    if first["type"] == "extra_forbidden":
        return f"unknown field {place}"
    if first["type"].startswith("string_"):
        quotes = "; yes and no need quotation marks" if isinstance(first["input"], bool) else ""
        return f"{place} must be text, not {quoted(first['input'])}{quotes}"
    return f"{place}: {message[:1].lower()}{message[1:]}, and it is {quoted(first['input'])}"
