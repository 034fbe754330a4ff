"""Exception types of the library.

Every error a user can cause is a :class:`BiasError`: what was got, what was expected, and what to do. Python, the
command line and the explorer show the same text, because an option has the same name in all three. Each error also
derives from the closest built-in type, so that ordinary ``except ValueError`` code works.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from numbers import Integral
from typing import Any

_MAX_LENGTH = 550
"""Number of characters of the longest sentence: what quotes whatever was given is cut in the middle. The command, which
puts model and method before it, stays below 600."""


class BiasError(Exception):
    """Base class of all errors raised on purpose by this library. Their ``str`` has at most 550 characters.

    Attributes:
        text: what was got and what was expected.
        option: the option whose value was refused, by the name it has in Python, in ``-O name=value`` on the command
            line and on the pages of the explorer. It is ``None`` if no single option is to blame.
        hint: what to do, empty if the text says it. ``str`` puts it after the text and a semicolon.

    Examples:
        >>> error = BiasError("unknown test 'weat77'", option="tests", hint="did you mean 'weat7'?")
        >>> str(error), error.option
        ("unknown test 'weat77'; did you mean 'weat7'?", 'tests')
    """

    def __init__(self, text: object = "", *, option: str | None = None, hint: str = "") -> None:
        self.option = option
        self.hint = _shorten(_printable(hint), _MAX_LENGTH - 200)
        room = _MAX_LENGTH - len(self.hint) - len("; ") if hint else _MAX_LENGTH
        self.text = _shorten(_printable(str(text)), room)
        super().__init__(f"{self.text}; {self.hint}" if hint else self.text)

    def __reduce__(self) -> tuple[Any, ...]:
        return _restore, (type(self), self.args, self.__dict__)


def _restore(kind: type[BiasError], args: tuple[Any, ...], fields: dict[str, Any]) -> BiasError:
    """Return an error from another process, whose ``__init__`` may accept other arguments than its text."""
    error = kind.__new__(kind, *args)
    error.__dict__.update(fields)
    return error


def _printable(text: str) -> str:
    """Return a text on one line, with control characters, direction marks and lone surrogates escaped."""
    text = " ".join(text.splitlines()) if len(text.splitlines()) > 1 else text.rstrip("\n")
    return text if text.isprintable() else "".join(c if c.isprintable() else repr(c)[1:-1] for c in text)


def _shorten(text: str, length: int) -> str:
    """Return the start and the end of a text that is longer than ``length`` characters."""
    return (
        text if len(text) <= length else f"{text[: length * 2 // 3]} … {text[len(text) - length // 3 + 3 :]}"
    )


def quoted(value: object, length: int = 80) -> str:
    """Return the ``repr`` of a value, cut to a maximum length, for errors that quote user input.

    Examples:
        >>> quoted("rose"), len(quoted("rose" * 1_000)), quoted(10**5_000)
        ("'rose'", 79, 'an int')
    """
    try:
        return _shorten(repr(value), length)
    except Exception:  # such as a number of more digits than Python writes
        name = type(value).__name__
        return f"{'an' if name[0] in 'aeiouAEIOU' else 'a'} {name}"


def install_extra(extra: str) -> str:
    """Return how to install an extra of this library, before and after its first release.

    Examples:
        >>> install_extra("ray")
        "install the extra ray with pip install 'evaluate-bias[ray]' (in a checkout, pip install '.[ray]')"
    """
    commands = f"pip install 'evaluate-bias[{extra}]' (in a checkout, pip install '.[{extra}]')"
    return f"install the extra {extra} with {commands}"


def bad_option(name: str, value: object, expected: str, *, owner: str = "", hint: str = "") -> InputError:
    """Return the error for a value that an option does not accept.

    Args:
        name: the option.
        value: the value it got.
        expected: what it accepts, such as ``"a number above 0"``.
        owner: the method or function that has the option.
        hint: what to do, if more is to be said.

    Examples:
        >>> raise bad_option("c", -1, "a number above 0", owner="wsv")
        Traceback (most recent call last):
        evaluate_bias.errors.InputError: wsv: `c` must be a number above 0, got -1
    """
    prefix = f"{owner}: " if owner else ""
    return InputError(f"{prefix}`{name}` must be {expected}, got {quoted(value)}", option=name, hint=hint)


def chosen_names(
    option: str, names: str | Iterable[str], what: str, omitted: str = "to use all"
) -> list[str]:
    """Return the names that were given for an option, at least one.

    Args:
        option: the option.
        names: one name or several.
        what: what each is the name of.
        omitted: why one would omit the option, for the error.

    Raises:
        InputError: no name was given, or the value is not a name or a list of names.

    Examples:
        >>> chosen_names("tests", [], "test")
        Traceback (most recent call last):
        evaluate_bias.errors.InputError: `tests` is empty; name a test, or omit `tests` to use all
    """
    if not isinstance(names, Iterable):
        raise bad_option(option, names, "a name or a list of names")
    chosen = [names] if isinstance(names, str) else list(names)
    if not chosen:
        raise InputError(
            f"`{option}` is empty", option=option, hint=f"name a {what}, or omit `{option}` {omitted}"
        )
    return chosen


def check_whole(name: str, value: object, least: int) -> None:
    """Refuse a value that is not an integer of at least ``least``, if that depends on what else is asked for.

    Raises:
        InputError: it is not.

    Examples:
        >>> check_whole("n_subsets", 3, 4)
        Traceback (most recent call last):
        evaluate_bias.errors.InputError: `n_subsets` must be an integer, 4 or more, got 3
    """
    if isinstance(value, bool) or not isinstance(value, Integral) or int(value) < least:
        raise bad_option(name, value, f"an integer, {least} or more")


class InputError(BiasError, ValueError):
    """An argument has the wrong shape, type or value."""


class UndefinedScoreError(BiasError, ValueError):
    """The score does not exist for this input (empty set, zero variance, no pair left)."""


class NothingReadError(UndefinedScoreError):
    """The model replied, and no reply could be read as an answer: more rows would not help."""


class CoverageError(BiasError, ValueError):
    """Too many of the requested words or sentences could not be scored with this model."""


class DataError(BiasError, ValueError):
    """A data file or data set does not follow its schema."""


class ModelError(BiasError, ValueError):
    """A model or vector file cannot be read or is not what it claims to be."""


class CapabilityError(BiasError, TypeError):
    """The model cannot do what the method needs (for example: no masked-LM head)."""


class AssetError(BiasError, OSError):
    """A file to be downloaded is unreachable or its checksum is wrong. Nothing was kept."""


class HubError(BiasError, OSError):
    """The Hub refused a request or could not be reached."""


class HubUnreachableError(HubError):
    """The Hub could not be asked: there is no connection, or the user forbade it."""


class CardError(BiasError, ValueError):
    """A model card cannot be edited safely (duplicate or unbalanced markers, not text)."""


class OutputError(BiasError, OSError):
    """Results cannot be written to the place that was asked for."""


class MeasurementError(BiasError, RuntimeError):
    """Something outside this library failed during a measurement. ``__cause__`` is its own error."""


class BudgetError(BiasError, RuntimeError):
    """More requests or tokens are needed than were allowed. What was answered before is kept."""


@contextmanager
def wrap_external_errors(what: str) -> Iterator[None]:
    """Turn errors of other code into one of this library, with the cause chained. Running out of memory stays as it is.

    Examples:
        >>> with wrap_external_errors("weat"):
        ...     [][0]
        Traceback (most recent call last):
        evaluate_bias.errors.MeasurementError: weat failed: IndexError: list index out of range
    """
    try:
        yield
    except (BiasError, MemoryError):
        raise
    except Exception as error:
        raise MeasurementError(f"{what} failed: {type(error).__name__}: {error}".rstrip(": ")) from error


@contextmanager
def expected_form(where: str) -> Iterator[None]:
    """Turn what is raised by data without the expected form into an error that names the data.

    Raises:
        DataError: the data do not have the expected form.

    Examples:
        >>> with expected_form("dev.json"):
        ...     {}["data"]
        Traceback (most recent call last):
        evaluate_bias.errors.DataError: dev.json does not have the expected form: KeyError('data')
    """
    try:
        yield
    except DataError as error:
        if where in error.text:
            raise
        raise DataError(f"{where}: {error.text}", option=error.option, hint=error.hint) from error
    except (AttributeError, IndexError, KeyError, SyntaxError, TypeError, ValueError) as error:
        raise DataError(f"{where} does not have the expected form: {error!r:.300}") from error


def _similar_names(name: str, known: Iterable[str], max_items: int = 3) -> list[str]:
    """Return the known names most similar to this one, the most similar first."""
    likeness = {k: difflib.SequenceMatcher(None, k.lower(), name.lower()).ratio() for k in known}
    best = max(likeness.values(), default=0.0)
    least = 0.5 if len(name) < 4 else 0.6  # half of "da" and "de" is the same
    close = [k for k, ratio in likeness.items() if ratio >= max(least, best - 0.15)]
    return sorted(close, key=lambda k: -likeness[k])[:max_items]


class UnknownNameError(BiasError, LookupError):
    """A method, test, language or data set name does not exist. The hint offers near matches."""

    def __init__(self, kind: str, name: object, known: Iterable[str], *, option: str | None = None) -> None:
        self.kind, self.known = kind, sorted(known)
        self.name = name if isinstance(name, str) else quoted(name)
        close = _similar_names(self.name[:100], self.known)
        if close:
            hint = "did you mean " + " or ".join(repr(k) for k in close) + "?"
        else:
            hint = "choose from " + ", ".join(self.known) if self.known else "none is known"
        super().__init__(f"unknown {kind} {quoted(self.name)}", option=option, hint=hint)


def network_errors() -> tuple[type[Exception], ...]:
    """Return the errors of the Hub's client and of the HTTP library below it, which differs between its versions.

    Examples:
        >>> from huggingface_hub.errors import OfflineModeIsEnabled, RepositoryNotFoundError
        >>> [issubclass(kind, network_errors()) for kind in (OfflineModeIsEnabled, RepositoryNotFoundError)]
        [True, True]
    """
    from huggingface_hub.errors import HfHubHTTPError

    return tuple(base for base in HfHubHTTPError.__bases__ if issubclass(base, Exception))
