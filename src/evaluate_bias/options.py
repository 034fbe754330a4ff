"""The options of a method, read off its signature: what they are called, what they take, whether a value fits.

One check for every way in (:func:`evaluate_bias.measure`, the evaluate modules, the command line), so that a
misspelt name or a value of the wrong kind is one clear sentence whatever the method. The annotation of an option is all
that is known of it: its type, its bounds and, as a string, what it does. pydantic checks values by it.
"""

from __future__ import annotations

import difflib
import functools
import inspect
import types
import typing
from collections import abc
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, fields
from numbers import Integral, Real
from pathlib import Path
from typing import Annotated, Any, Literal, TypeAlias

from annotated_types import Ge, Gt, Le, Lt

from .errors import InputError, bad_option, quoted
from .text import docstring_entries

Seed: TypeAlias = Annotated[int, Ge(0), "of everything that is sampled. The same seed gives the same result."]
Level: TypeAlias = Annotated[float, Gt(0), Lt(1), "confidence level."]
Resamples: TypeAlias = Annotated[
    int, Ge(1), Le(10_000_000), "number of random rearrangements, if they are sampled."
]
BootstrapSamples: TypeAlias = Annotated[
    Literal[0] | Annotated[int, Ge(2), Le(1_000_000)],
    "number of bootstrap samples. 0 gives no interval if the method says so.",
]
Ddof: TypeAlias = Annotated[
    Literal[1, 0], "1 for the sample standard deviation (the published values), 0 for the population's."
]
LargestMissing: TypeAlias = Annotated[
    float,
    Ge(0),
    Le(1),
    "largest share of a list that may be dropped. More is an error that names the words.",
]
Lower: TypeAlias = Annotated[
    bool | Literal["auto"], 'lower-case the sentences first. "auto" does so for models that throw case away.'
]
Count: TypeAlias = Annotated[int, Ge(1)]
LimitedCount: TypeAlias = Annotated[int, Ge(1), Le(10_000)]
"""How often something slow is done."""
Subsets: TypeAlias = Annotated[int, Ge(4), Le(100_000)]
Share: TypeAlias = Annotated[float, Gt(0), Lt(1)]


@dataclass(frozen=True, slots=True)
class Option:
    """One keyword argument.

    Attributes:
        name: its name.
        default: its default value.
        takes: what it accepts, in words.
        text: what it does: its entry in the docstring, up to the first blank line, or what its annotation says.
        kind: its type, with bounds.
    """

    name: str
    default: Any
    takes: str
    text: str
    kind: Any

    @property
    def choices(self) -> tuple[Any, ...]:
        """The values that it accepts, if it accepts no others."""
        kind = typing.get_args(self.kind)[0] if typing.get_origin(self.kind) is Annotated else self.kind
        return typing.get_args(kind) if typing.get_origin(kind) is Literal else ()


@dataclass(frozen=True, slots=True)
class SharedOptions:
    """Options of several functions, which each of them takes as one object and its callers give one by one.

    Attributes:
        defaults: a frozen dataclass with the values of a call that gives none.
        names: the fields that are options of this function. The other options keep their values in ``defaults``.
    """

    defaults: Any
    names: tuple[str, ...]

    def one_by_one(self, signature: inspect.Signature, parameter: str) -> inspect.Signature:
        """Return a signature with these options instead of the object."""
        kinds = typing.get_type_hints(type(self.defaults), include_extras=True)
        single_options = [
            inspect.Parameter(
                f.name,
                inspect.Parameter.KEYWORD_ONLY,
                default=getattr(self.defaults, f.name),
                annotation=kinds[f.name],
            )
            for f in fields(self.defaults)
            if f.name in self.names
        ]
        parameters = signature.parameters.values()
        return signature.replace(
            parameters=[new for p in parameters for new in (single_options if p.name == parameter else [p])]
        )


def options_of(function: Callable[..., Any], names: Iterable[str] | None = None) -> dict[str, Option]:
    """Return the options of a function: its keyword-only parameters, or the named ones.

    Args:
        function: a method, or a loader of data.
        names: the parameters that are options. ``None`` for all keyword-only parameters.

    Examples:
        >>> def method(model, data, *, confidence_level: Level = 0.95, ci: Literal["bca", "none"] = "bca"):
        ...     '''Measure.
        ...
        ...     Args:
        ...         ci: kind of bootstrap interval.
        ...     '''
        >>> [(o.name, o.default, o.takes, o.text) for o in options_of(method).values()]
        [('confidence_level', 0.95, 'a number between 0 and 1', 'confidence level.'),
         ('ci', 'bca', "'bca' or 'none'", 'kind of bootstrap interval.')]
    """
    return dict(_options(function, None if names is None else frozenset(names)))


@functools.cache
def _options(function: Callable[..., Any], chosen: frozenset[str] | None) -> Mapping[str, Option]:
    texts = docstring_entries(inspect.getdoc(function) or "", "Args")
    options = {}
    for name, parameter in inspect.signature(function).parameters.items():
        if parameter.kind is parameter.KEYWORD_ONLY if chosen is None else name in chosen:
            kind = _type_of(parameter, function)
            notes = kind.__metadata__ if typing.get_origin(kind) is Annotated else ()
            text = texts.get(name) or next((note for note in notes if isinstance(note, str)), "")
            options[name] = Option(name, parameter.default, _words(kind), text, kind)
    return options


def _type_of(parameter: inspect.Parameter, function: Callable[..., Any]) -> Any:
    """Return the type of a parameter, ``Any`` if it has no annotation or one that only type checkers import."""
    if parameter.annotation is parameter.empty:
        return Any
    annotated = types.SimpleNamespace(__annotations__={"type": parameter.annotation})
    try:
        names = inspect.unwrap(function).__globals__
        return typing.get_type_hints(annotated, names, include_extras=True)["type"]
    except NameError:
        return Any


def checked_options(
    values: Mapping[str, Any],
    known: Mapping[str, Option],
    owner: str,
    what: str = "option",
    names: Iterable[str] | None = None,
) -> dict[str, Any]:
    """Return the options as their types have them: numbers of numpy as Python's, arrays and other iterables as lists.

    Booleans, numbers and strings are not converted into one another, and 5.0 is not an integer.

    Args:
        values: values by name.
        known: the options there are.
        owner: whose they are, for the error.
        what: what they are called in the error.
        names: the names that the error offers. ``None`` for the names in ``known``.

    Raises:
        InputError: an option of that name does not exist, or its value does not fit.

    Examples:
        >>> def method(*, confidence_level: float = 0.95, ci: Literal["bca", "none"] = "bca"): ...
        >>> checked_options({"confidence_level": 0.9}, options_of(method), "weat")
        {'confidence_level': 0.9}
        >>> checked_options({"confidence_levle": 0.9}, options_of(method), "weat")
        Traceback (most recent call last):
        evaluate_bias.errors.InputError: weat has no option 'confidence_levle'; did you mean 'confidence_level'? Choose
        from confidence_level, ci
        >>> checked_options({"ci": "bootstrap"}, options_of(method), "weat")
        Traceback (most recent call last):
        evaluate_bias.errors.InputError: weat: `ci` must be 'bca' or 'none', got 'bootstrap'
    """
    unknown = next((name for name in values if name not in known), None)
    if unknown is not None:
        offered = list(known if names is None else names)
        near = difflib.get_close_matches(unknown[:100], offered, n=1)
        meant = f"did you mean {near[0]!r}? " if near else ""
        raise InputError(
            f"{owner} has no {what} {quoted(unknown)}",
            option=str(unknown),
            hint=f"{meant}{'Choose' if near else 'choose'} from {', '.join(offered)}",
        )
    return {name: _checked(value, known[name], owner) for name, value in values.items()}


def check_arguments(function: Callable[..., Any], **values: Any) -> dict[str, Any]:
    """Return arguments of a function as the annotations of its parameters have them, see :func:`checked_options`.

    Raises:
        InputError: one does not fit.

    Examples:
        >>> def compare(first, second, *, methods: str = "", seed: Seed = 0): ...
        >>> check_arguments(compare, methods="weat", seed=-1)
        Traceback (most recent call last):
        evaluate_bias.errors.InputError: compare: `seed` must be an integer, 0 or more, got -1
    """
    return checked_options(values, options_of(function, values), function.__name__)


def _checked(value: Any, option: Option, owner: str) -> Any:
    from pydantic import ValidationError

    try:
        return _validator(option.kind)(value)
    except ValidationError:
        raise bad_option(option.name, value, option.takes, owner=owner) from None


@functools.cache
def _validator(kind: Any) -> Callable[[Any], Any]:
    """Return a function that converts to a type, or raises a ``ValidationError``."""
    from pydantic import ConfigDict, TypeAdapter

    config = ConfigDict(strict=True, allow_inf_nan=False, arbitrary_types_allowed=True)
    return TypeAdapter(_strict(kind), config=config).validate_python


def _strict(kind: Any) -> Any:
    """Return a type as pydantic must check it: values of Python's types, members of any iterable, other objects."""
    from pydantic import BeforeValidator, InstanceOf, WrapValidator

    origin, parts = typing.get_origin(kind), typing.get_args(kind)
    if origin is Annotated:
        return Annotated[(_strict(parts[0]), *parts[1:])]
    if origin in (typing.Union, types.UnionType):
        return typing.Union[tuple(_strict(part) for part in parts)]  # noqa: UP007
    if kind in (bool, int, float, str):
        return Annotated[kind, BeforeValidator(_of_python)]
    if origin is Literal:
        return Annotated[kind, BeforeValidator(functools.partial(_member, parts))]
    if origin is tuple:
        members: Any = tuple[tuple(part if part is Ellipsis else _strict(part) for part in parts)]  # type: ignore[misc]
        return Annotated[members, BeforeValidator(lambda value: tuple(_listed(value)))]
    if origin is abc.Iterable:
        return Annotated[list[_strict(parts[0])], WrapValidator(_unless_iterator)]  # type: ignore[misc]
    if origin in (abc.Sequence, abc.Collection, list):
        return Annotated[list[_strict(parts[0])], WrapValidator(_members_checked)]  # type: ignore[misc]
    kind = origin or kind
    is_class = isinstance(kind, type) and kind is not Any and not getattr(kind, "_is_protocol", False)
    return InstanceOf[kind] if is_class else Any  # type: ignore[misc]


def _of_python(value: Any) -> Any:
    """Return a number, boolean or string of NumPy as Python's own."""
    if getattr(value, "ndim", None) == 0:
        value = value.item()
    if type(value) in (bool, int, float) or not isinstance(value, Real):
        return value
    return int(value) if isinstance(value, Integral) else float(value)


def _member(members: tuple[Any, ...], value: Any) -> Any:
    """Return the member that equals a value. Pydantic itself accepts True and 1.0 as 1."""
    value = _of_python(value)
    if not any(type(value) is type(member) and value == member for member in members):
        raise ValueError
    return value


def _listed(value: Any) -> list[Any]:
    """Return the members of an array, a column of a frame or any other iterable but a string or a mapping."""
    if isinstance(value, (str, bytes, Mapping)) or not isinstance(value, Iterable):
        raise ValueError
    if getattr(value, "ndim", 1) == 0:  # of numpy, which is iterable by type
        raise ValueError
    return list(value)


def _members_checked(value: Any, check: Callable[[Any], Any]) -> Any:
    """Return the checked members. A sequence of its own class, such as a lexicon, knows more and is kept."""
    members = check(_listed(value))
    return (
        value if isinstance(value, abc.Sequence) and not isinstance(value, (list, tuple, range)) else members
    )


def _unless_iterator(value: Any, check: Callable[[Any], Any]) -> Any:
    """Return the checked value. An iterator is returned unchecked, since a check would use it up."""
    return value if isinstance(value, abc.Iterator) else check(_listed(value))


def _words(kind: Any) -> str:
    """Return a type in words."""
    words = dict.fromkeys(_alternatives(kind))
    if "None" in words:  # last
        del words["None"]
        words["None"] = None
    *rest, last = words or ("anything",)
    comma = "," if any(", " in word for word in rest) else ""
    return f"{', '.join(rest)}{comma} or {last}" if rest else last


_PLAIN_WORDS: Mapping[Any, tuple[str, ...]] = {
    bool: ("true", "false"),
    int: ("an integer",),
    float: ("a number",),
    str: ("a string",),
    Path: ("a path",),
    type(None): ("None",),
}


def _alternatives(kind: Any) -> list[str]:
    origin, parts = typing.get_origin(kind), typing.get_args(kind)
    if origin is Literal:
        return [repr(member) for member in parts]
    if origin in (typing.Union, types.UnionType):
        return [word for part in parts for word in _alternatives(part)]
    if origin is abc.Callable:
        return ["a function"]
    if origin is Annotated:
        return [f"{word}{_bounds(parts[1:])}" for word in _alternatives(parts[0])]
    if kind in _PLAIN_WORDS:
        return [*_PLAIN_WORDS[kind]]
    if origin is tuple and parts and parts[-1] is not Ellipsis:
        return [f"a list of {len(parts)}: {', '.join(map(_words, parts))}"]
    if origin is not None and isinstance(origin, type) and issubclass(origin, Mapping):
        return ["a dict"]
    if origin is not None:
        inner = [word for part in parts[:1] for word in _alternatives(part)]
        return [f"a list of {_plural(inner)}"] if inner else ["a list"]
    return [f"a {kind.__name__}" if isinstance(kind, type) and kind is not Any else "anything"]


def _bounds(notes: Iterable[Any]) -> str:
    """Return the bounds of a number in words.

    Examples:
        >>> [_bounds(notes) for notes in ([Ge(0)], [Gt(0)], [Ge(1), Le(10_000)], [Gt(0), Lt(1)], [Gt(0), Le(1)])]
        [', 0 or more', ' above 0', ' from 1 to 10,000', ' between 0 and 1', ' above 0, at most 1']
    """
    ends: dict[type, Any] = {type(note): note for note in notes if isinstance(note, Ge | Gt | Le | Lt)}
    if Ge in ends:
        return f" from {ends[Ge].ge:,} to {ends[Le].le:,}" if Le in ends else f", {ends[Ge].ge:,} or more"
    if Gt in ends:
        if Lt in ends:
            return f" between {ends[Gt].gt:,} and {ends[Lt].lt:,}"
        return f" above {ends[Gt].gt:,}" + (f", at most {ends[Le].le:,}" if Le in ends else "")
    return ""


def _plural(words: list[str]) -> str:
    plurals = {"an integer": "integers", "a number": "numbers", "a string": "strings"}
    return " or ".join(plurals.get(word, word.removeprefix("a ")) for word in words)
