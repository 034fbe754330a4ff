"""The options of a method, read off its signature: what they are called, what they take, whether a value fits.

One check for every way in (:func:`evaluate_bias.measure`, the evaluate modules, the command line), so that a
misspelt name or a value of the wrong kind is one clear sentence whatever the method.
"""

from __future__ import annotations

import collections.abc
import difflib
import functools
import inspect
import math
import types
import typing
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, fields
from numbers import Integral, Real
from pathlib import Path
from typing import Any, Literal, ParamSpec, TypeVar

from .errors import InputError, bad_option, quoted
from .text import docstring_entries

_P = ParamSpec("_P")
_R = TypeVar("_R")


@dataclass(frozen=True, slots=True)
class Option:
    """One keyword argument.

    Attributes:
        name: its name.
        default: its default value.
        takes: what it takes, in words.
        text: what it does: its entry in the docstring, up to the first blank line.
        kind: its type.
    """

    name: str
    default: Any
    takes: str
    text: str
    kind: Any


@dataclass(frozen=True, slots=True)
class SharedOptions:
    """Options of several functions, which each of them takes as one object and its callers give one by one.

    Attributes:
        defaults: a frozen dataclass with the values of a call that gives none.
        names: the fields that are options of this function; the others keep these values.
    """

    defaults: Any
    names: tuple[str, ...]

    def one_by_one(self, signature: inspect.Signature, parameter: str) -> inspect.Signature:
        """A signature with these options in place of the object."""
        kinds = typing.get_type_hints(type(self.defaults))
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


_RANGES: Mapping[str, tuple[str, Callable[[Any], bool]]] = {
    "seed": ("an integer, 0 or more", lambda v: v >= 0),
    "confidence_level": ("a number between 0 and 1, such as 0.95", lambda v: 0 < v < 1),
    "ddof": ("1 (sample standard deviation) or 0 (population)", lambda v: v in (0, 1)),
    "max_missing": ("a share between 0 and 1", lambda v: 0 <= v <= 1),
    "n_resamples": ("an integer from 1 to 10,000,000", lambda v: 1 <= v <= 10_000_000),
    "ci_resamples": (
        "an integer from 2 to 1,000,000, or 0 for no interval where the method says so",
        lambda v: v == 0 or 2 <= v <= 1_000_000,
    ),
    "n_subsets": ("an integer from 4 to 100,000", lambda v: 4 <= v <= 100_000),
    "subset_size": ("an integer, 2 or more", lambda v: v >= 2),
    "samples": ("an integer from 2 to 1,000,000", lambda v: 2 <= v <= 1_000_000),
    **dict.fromkeys(
        (
            *("k", "max_contexts", "max_vocabulary", "min_contexts", "min_sentences", "top_k"),
            *("concurrency", "max_requests", "max_tokens", "num_proc", "reply_tokens"),
        ),
        ("an integer, 1 or more", lambda v: v >= 1),
    ),
    **dict.fromkeys(("alpha", "threshold"), ("a number between 0 and 1", lambda v: 0 < v < 1)),
    "timeout": ("a number of seconds above 0", lambda v: v > 0),
    "ready_timeout": ("a number of seconds, 0 or more", lambda v: v >= 0),
    "n_pairs": ("an integer from 1 to 10,000", lambda v: 1 <= v <= 10_000),
    "window": ("an integer from 1 to 10,000", lambda v: 1 <= v <= 10_000),
}
"""The values that an option accepts, by its name, in words and as a check; the same in every method."""


def check_whole(name: str, value: object, least: int) -> None:
    """Refuse a value that is not an integer of at least ``least``, where no method checked its options before.

    Raises:
        InputError: it is not.

    Examples:
        >>> check_whole("n_subsets", 3, 4)
        Traceback (most recent call last):
        evaluate_bias.errors.InputError: `n_subsets` must be an integer, 4 or more, got 3
    """
    if isinstance(value, bool) or not isinstance(value, Integral) or int(value) < least:
        raise bad_option(name, value, f"an integer, {least} or more")


_SHARED: Mapping[str, str] = {
    "ddof": "1 for the sample standard deviation (the published values), 0 for the population's.",
    "alternative": '"two-sided", "greater" or "less".',
    "p_method": '"auto", "exact", "monte_carlo" or "normal", see evaluate_bias.stats.permutation_test; the '
    "p-value of several tests together is always sampled.",
    "strict": "count only rearrangements above the observed one; the default also counts equal ones.",
    "n_resamples": "number of random rearrangements, where these are sampled.",
    "ci": 'kind of bootstrap interval, or "none".',
    "ci_resamples": "number of bootstrap samples.",
    "confidence_level": "confidence level.",
    "max_missing": "largest share of a list that may be left out; more is an error that names the words.",
    "same_vector": '"merge": of words of a list that have the same vector, as in pruned vectors, the first counts, and '
    'a vector that both target lists have is left out of both; "keep": every word counts.',
    "seed": "of everything that is drawn; the same seed gives the same result.",
    "round_to": "decimals the scores are rounded to before they are compared; None compares them as they are.",
    "follow_up": "ask a chat model once more, for the label alone, if its reply states no option; the score of first "
    "replies is reported too.",
    "protocol": 'how much a chat model is asked: "quick" uses one prompt variant and as many option orders as there '
    'are options; "robust" uses every prompt variant (five in English) and every order of up to three options.',
    "prompt_variants": "of the instruction to a chat model: how many of the library's, or a list of texts of your own "
    "with the same fields in braces; by default as many as the protocol says.",
    "lower": 'lower-case the sentences first; "auto" does so for models that throw case away.',
    # Two families have an option of this name; its default tells them apart.
    "p_method=binomial": 'the test of the preferences against one half: "binomial" (exact), "z" (normal, variance of '
    'the sample) or "score" (normal, variance of one half).',
    "ties": '"drop" leaves ties out of the test, "keep" keeps them in its trials as not preferred.',
    "preset": '"thesis" sets p_method to "z" and ties to "keep", the test of Maddalozzo (2023). A contradicting '
    "option is an error.",
}
"""What shared options do; a method's docstring may say otherwise."""


def options_of(function: Callable[..., Any], names: Iterable[str] | None = None) -> dict[str, Option]:
    """Return the options of a function: its keyword-only parameters, or the named ones.

    Args:
        function: a method, or a loader of data.
        names: the parameters that are options; ``None`` for those that are keyword-only.

    Examples:
        >>> def method(model, data, *, confidence_level: float = 0.95, ci: Literal["bca", "none"] = "bca"):
        ...     '''Measure.
        ...
        ...     Args:
        ...         confidence_level: confidence level.
        ...     '''
        >>> [(o.name, o.default, o.takes, o.text) for o in options_of(method).values()]
        [('confidence_level', 0.95, 'a number between 0 and 1, such as 0.95', 'confidence level.'),
         ('ci', 'bca', "'bca' or 'none'", 'kind of bootstrap interval, or "none".')]
    """
    return dict(_options(function, None if names is None else frozenset(names)))


@functools.cache
def _options(function: Callable[..., Any], chosen: frozenset[str] | None) -> Mapping[str, Option]:
    texts = docstring_entries(inspect.getdoc(function) or "", "Args")
    options = {}
    for name, parameter in inspect.signature(function).parameters.items():
        if parameter.kind is parameter.KEYWORD_ONLY if chosen is None else name in chosen:
            kind = _type_of(parameter, function)
            takes = _words(kind)
            if name in _RANGES:
                takes = _RANGES[name][0] + (", or None" if _fits(None, kind) else "")
            shared = _SHARED.get(f"{name}={parameter.default}") or _SHARED.get(name, "")
            options[name] = Option(name, parameter.default, takes, texts.get(name) or shared, kind)
    return options


def _type_of(parameter: inspect.Parameter, function: Callable[..., Any]) -> Any:
    """The type of a parameter; anything where it has no annotation, or one that only type checkers import."""
    if parameter.annotation is parameter.empty:
        return Any
    annotated = types.SimpleNamespace(__annotations__={"type": parameter.annotation})
    try:
        return typing.get_type_hints(annotated, inspect.unwrap(function).__globals__)["type"]
    except NameError:
        return Any


def checked_options(
    values: Mapping[str, Any],
    known: Mapping[str, Option],
    owner: str,
    what: str = "option",
    names: Iterable[str] | None = None,
) -> dict[str, Any]:
    """Return the options as they were given, numbers of numpy as Python's.

    Args:
        values: values by name.
        known: the options there are.
        owner: whose they are, for the error.
        what: what they are called in the error.
        names: the names that the error offers; ``None`` for those of ``known``.

    Raises:
        InputError: there is no option of that name, or its value does not fit.

    Examples:
        >>> def method(*, confidence_level: float = 0.95, ci: Literal["bca", "none"] = "bca"): ...
        >>> checked_options({"confidence_level": 0.9}, options_of(method), "weat")
        {'confidence_level': 0.9}
        >>> checked_options({"confidence_levle": 0.9}, options_of(method), "weat")
        Traceback (most recent call last):
        evaluate_bias.errors.InputError: weat has no option 'confidence_levle'; did you mean 'confidence_level'? It has:
        confidence_level, ci
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
            hint=f"{meant}{'It' if near else 'it'} has: {', '.join(offered)}",
        )
    return {name: _checked(value, known[name], owner) for name, value in values.items()}


def check_arguments(function: Callable[..., Any], **values: Any) -> None:
    """Refuse values that do not fit the parameters of a function, by their annotations and names.

    Raises:
        InputError: one does not fit.

    Examples:
        >>> def compare(first, second, *, methods: str = "", seed: int = 0): ...
        >>> check_arguments(compare, methods="weat", seed=-1)
        Traceback (most recent call last):
        evaluate_bias.errors.InputError: compare: `seed` must be an integer, 0 or more, got -1
    """
    checked_options(values, options_of(function, values), function.__name__)


def _checked(value: Any, option: Option, owner: str) -> Any:
    fits = _fits(value, option.kind)
    if fits and option.name in _RANGES and isinstance(value, Real):
        fits = _RANGES[option.name][1](value)
    if not fits:
        raise bad_option(option.name, value, option.takes, owner=owner)
    return _of_python(value)


def _of_python(value: Any) -> Any:
    """Numbers of numpy as Python's."""
    if type(value) in (bool, int, float) or not isinstance(value, Real):
        return value
    return int(value) if isinstance(value, Integral) else float(value)


def _is_number(value: object) -> bool:
    try:
        return not isinstance(value, bool) and isinstance(value, Real) and math.isfinite(float(value))
    except OverflowError:  # an integer beyond what a float holds
        return False


_PLAIN_KINDS: Mapping[Any, tuple[list[str], Callable[[Any], bool]]] = {
    bool: (["true", "false"], lambda v: isinstance(v, bool)),
    int: (["an integer"], lambda v: isinstance(v, Integral) and not isinstance(v, bool)),
    float: (["a number"], _is_number),
    str: (["a string"], lambda v: isinstance(v, str)),
    Path: (["a path"], lambda v: isinstance(v, Path)),
    type(None): (["None"], lambda v: v is None),
}
"""Types, each with its words and whether a value is of it."""


def _fits(value: Any, kind: Any) -> bool:
    """Whether a value is of a type; ``True`` when that cannot be determined."""
    origin, parts = typing.get_origin(kind), typing.get_args(kind)
    if origin is Literal:
        return any(type(value) is type(member) and value == member for member in parts)
    if origin in (typing.Union, types.UnionType):
        return any(_fits(value, part) for part in parts)
    if origin is typing.Annotated:
        return _fits(value, parts[0])
    if kind in _PLAIN_KINDS:
        return _PLAIN_KINDS[kind][1](value)
    if origin is collections.abc.Callable:
        return callable(value)
    if origin is tuple:
        whole = len(parts) == 2 and parts[1] is Ellipsis
        return (
            isinstance(value, (tuple, list))
            and (whole or len(value) == len(parts))
            and all(_fits(v, parts[0 if whole else i]) for i, v in enumerate(value))
        )
    if origin is not None and isinstance(origin, type) and issubclass(origin, collections.abc.Iterable):
        if isinstance(value, (str, bytes)) or not isinstance(value, origin):
            return False
        # An iterator is not looked into: that would use it up.
        members = value if isinstance(value, (list, tuple, set, frozenset)) and parts else ()
        return all(_fits(member, parts[0]) for member in members)
    if kind is Any or not isinstance(kind, type) or getattr(kind, "_is_protocol", False):
        return True
    return isinstance(value, kind)


def _words(kind: Any) -> str:
    """A type in words."""
    words = dict.fromkeys(_alternatives(kind))
    if "None" in words:  # last
        del words["None"]
        words["None"] = None
    *rest, last = words or ("anything",)
    return f"{', '.join(rest)} or {last}" if rest else last


def _alternatives(kind: Any) -> list[str]:
    origin, parts = typing.get_origin(kind), typing.get_args(kind)
    if origin is Literal:
        return [repr(member) for member in parts]
    if origin in (typing.Union, types.UnionType):
        return [word for part in parts for word in _alternatives(part)]
    if origin is collections.abc.Callable:
        return ["a function"]
    if origin is typing.Annotated:
        return _alternatives(parts[0])
    if kind in _PLAIN_KINDS:
        return _PLAIN_KINDS[kind][0]
    if origin is tuple and parts and parts[-1] is not Ellipsis:
        return [f"a list of {len(parts)}: {', '.join(map(_words, parts))}"]
    if origin is not None and isinstance(origin, type) and issubclass(origin, collections.abc.Mapping):
        return ["a dict"]
    if origin is not None:
        inner = [word for part in parts[:1] for word in _alternatives(part)]
        return [f"a list of {_plural(inner)}"] if inner else ["a list"]
    return [f"a {kind.__name__}" if isinstance(kind, type) and kind is not Any else "anything"]


def _plural(words: list[str]) -> str:
    plurals = {"an integer": "integers", "a number": "numbers", "a string": "strings"}
    return " or ".join(plurals.get(word, word.removeprefix("a ")) for word in words)
