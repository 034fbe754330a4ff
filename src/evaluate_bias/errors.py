"""Exception types of the library.

Every error a user can cause is a :class:`BiasError` with one clear sentence: what was wrong and what would
work. Each also derives from the closest built-in type, so that ordinary ``except ValueError`` code works.
"""

from __future__ import annotations

import difflib
import os
import traceback
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

__all__ = [
    "AssetError",
    "BiasError",
    "CapabilityError",
    "CardError",
    "CoverageError",
    "DataError",
    "HubError",
    "InputError",
    "ModelError",
    "OutputError",
    "UndefinedScoreError",
    "UnexpectedError",
    "UnknownNameError",
    "network_errors",
    "our_errors",
]


_LONGEST_ERROR = 600


class BiasError(Exception):
    """Base class of all errors raised on purpose by this library; what a text quotes at great length is shortened."""

    def __str__(self) -> str:
        text = super().__str__()
        half = _LONGEST_ERROR // 2
        return text if len(text) <= _LONGEST_ERROR else f"{text[: half - 1]}…{text[-half:]}"


class InputError(BiasError, ValueError):
    """An argument has the wrong shape, type or value."""


class UndefinedScoreError(BiasError, ValueError):
    """The score does not exist for this input (empty set, zero variance, no pair left)."""


class CoverageError(BiasError, ValueError):
    """Too many of the requested words or sentences could not be scored with this model."""


class DataError(BiasError, ValueError):
    """A data file or data set does not follow its schema."""


class ModelError(BiasError, ValueError):
    """A model or vector file cannot be read or is not what it claims to be."""


class CapabilityError(BiasError, TypeError):
    """The model cannot do what the method needs (for example: no masked-LM head)."""


class AssetError(BiasError, OSError):
    """A file to be downloaded is unreachable or its checksum is wrong; nothing was kept."""


class HubError(BiasError, OSError):
    """The Hub refused a request or could not be reached."""


class CardError(BiasError, ValueError):
    """A model card cannot be edited safely (duplicate or unbalanced markers, not text)."""


class OutputError(BiasError, OSError):
    """Results cannot be written where they were asked for."""


class UnexpectedError(BiasError, RuntimeError):
    """Something failed in a way that this library does not foresee; ``__context__`` holds what was raised."""


_LONGEST_REASON = 300


@contextmanager
def our_errors() -> Iterator[None]:
    """Turn any exception that is not of this library into :class:`UnexpectedError`, one sentence and no traceback.

    It stands at the doors (the command, the modules). A pipe that its reader closed is left alone.

    Raises:
        UnexpectedError: in place of another exception, which stays within reach as its ``__context__``.

    Examples:
        >>> with our_errors():
        ...     {}["colour"]
        Traceback (most recent call last):
        evaluate_bias.errors.UnexpectedError: unexpected KeyError: 'colour' (<doctest ...>, line 2)
    """
    try:
        yield
    except (BiasError, BrokenPipeError):
        raise
    except OSError as error:
        named = f"{os.fsdecode(error.filename)[:200]}: " if isinstance(error.filename, (str, bytes)) else ""
        raise UnexpectedError(f"{named}{error.strerror or str(error)[:_LONGEST_REASON]}") from None
    except Exception as error:
        reason = next(iter(str(error).splitlines()), "")[:_LONGEST_REASON]
        place = traceback.extract_tb(error.__traceback__)[-1]
        where = f"{Path(place.filename).name}, line {place.lineno}"
        kind = type(error).__name__
        raise UnexpectedError(f"unexpected {kind}{f': {reason}' if reason else ''} ({where})") from None


def _near(name: str, known: Iterable[str], most: int = 3) -> list[str]:
    """The known names that are about as like this one as the most alike is, that one first."""
    likeness = {k: difflib.SequenceMatcher(None, k.lower(), name.lower()).ratio() for k in known}
    best = max(likeness.values(), default=0.0)
    least = 0.5 if len(name) < 4 else 0.6  # "da" and "de" are half alike
    close = [k for k, ratio in likeness.items() if ratio >= max(least, best - 0.15)]
    return sorted(close, key=lambda k: -likeness[k])[:most]


class UnknownNameError(BiasError, LookupError):
    """A method, test, language or data set name does not exist; the text offers near matches."""

    def __init__(self, kind: str, name: object, known: Iterable[str]) -> None:
        self.kind, self.name, self.known = kind, str(name), sorted(known)
        close = _near(self.name, self.known)
        if close:
            hint = "did you mean " + " or ".join(repr(k) for k in close) + "?"
        else:
            hint = "known are: " + ", ".join(self.known) if self.known else "none is known"
        super().__init__(f"unknown {kind} {self.name!r}: {hint}")


def network_errors() -> tuple[type[Exception], ...]:
    """Return the errors of the Hub's client and of the HTTP library below it, which differs between its versions.

    Examples:
        >>> from huggingface_hub.errors import OfflineModeIsEnabled, RepositoryNotFoundError
        >>> [issubclass(kind, network_errors()) for kind in (OfflineModeIsEnabled, RepositoryNotFoundError)]
        [True, True]
    """
    from huggingface_hub.errors import HfHubHTTPError

    return tuple(base for base in HfHubHTTPError.__bases__ if issubclass(base, Exception))
