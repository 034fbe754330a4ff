"""What a model is asked and answers, as text and numbers that give the same values back, bit for bit."""

from __future__ import annotations

import dataclasses
import importlib
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from ..errors import DataError, quoted

_CLASSES: Mapping[str, str] = {
    "Cooccurrences": "corpora.counts",
    "Encoded": "models.alignment",
    "GenerationSettings": "models.completions",
    "MaskedRequest": "models.masked",
    "Reply": "models.completions",
    "Representation": "models.pooling",
    "Skipped": "result.row",
}
"""The types of ours that go to and from models, and where they stand."""

_EXACT = (np.dtype(np.float16), np.dtype(np.float32), np.dtype(np.float64))
"""Numbers that a float64 holds exactly."""


class ValueEncoder:
    """Turns values into what JSON holds; the numbers of float arrays are collected in ``numbers``.

    Args:
        text: a text that is not written again where it occurs, since whoever reads the answer has it.

    Examples:
        >>> encoder = ValueEncoder("she")
        >>> encoded = encoder.encode([np.array([0.1, 0.2]), (1, "she"), None])
        >>> encoded
        [{'$array': ['<f8', [2], 0]}, {'$tuple': [1, {'$asked': 0}]}, None]
        >>> decoded(encoded, np.concatenate(encoder.numbers), "she")
        [array([0.1, 0.2]), (1, 'she'), None]
    """

    def __init__(self, text: str | None = None) -> None:
        self.numbers: list[np.ndarray[Any, Any]] = []
        self._asked = text
        self._count = 0

    def encode(self, value: Any) -> Any:
        """The value as JSON holds it.

        Raises:
            DataError: a part of it is of a type that cannot be kept.
        """
        if value is None or isinstance(value, (bool, int)):
            return value
        if isinstance(value, str):
            return {"$asked": 0} if value and value == self._asked else value
        if isinstance(value, np.generic):
            return {"$scalar": self.encode(np.asarray(value))}
        if isinstance(value, float):
            return value if math.isfinite(value) else {"$float": repr(value)}
        if isinstance(value, np.ndarray):
            return self._array(value)
        if isinstance(value, Mapping):
            return {"$map": [[self.encode(k), self.encode(v)] for k, v in value.items()]}
        if isinstance(value, (set, frozenset)):
            return {"$set": [self.encode(v) for v in sorted(value)]}
        if isinstance(value, tuple):
            return {"$tuple": [self.encode(v) for v in value]}
        name = type(value).__name__
        if dataclasses.is_dataclass(value) and name in _CLASSES:
            fields = {f.name: self.encode(getattr(value, f.name)) for f in dataclasses.fields(value)}
            return {"$new": [name, fields]}
        if isinstance(value, Sequence) and not isinstance(value, (bytes, bytearray)):
            return [self.encode(v) for v in value]
        raise DataError(f"a {name} cannot be kept in a recording")

    def _array(self, array: np.ndarray[Any, Any]) -> Any:
        if array.dtype in _EXACT:
            place, self._count = self._count, self._count + array.size
            self.numbers.append(np.ascontiguousarray(array, dtype=np.float64).ravel())
            return {"$array": [array.dtype.str, list(array.shape), place]}
        if array.dtype.kind in "iubU":
            return {"$list": [array.dtype.str, list(array.shape), array.ravel().tolist()]}
        raise DataError(f"an array of {array.dtype} cannot be kept in a recording")


def is_plain(value: Any) -> bool:
    """Whether a value can be kept.

    Examples:
        >>> is_plain(("a", 1)), is_plain(print)
        (True, False)
    """
    try:
        ValueEncoder().encode(value)
    except (DataError, TypeError):
        return False
    return True


def decoded(plain_value: Any, numbers: np.ndarray[Any, Any], text: str | None = None) -> Any:
    """The value that :meth:`ValueEncoder.encode` kept.

    Raises:
        DataError: it is none that it writes.
    """
    if isinstance(plain_value, list):
        return [decoded(v, numbers, text) for v in plain_value]
    if not isinstance(plain_value, dict):
        return plain_value
    ((tag, held),) = plain_value.items() if len(plain_value) == 1 else (("", None),)
    reader = _READ.get(tag)
    if reader is None:
        raise DataError(f"the recording holds {quoted(plain_value)}, which this version does not know")
    return reader(held, numbers, lambda v: decoded(v, numbers, text), text)


Read = Callable[[Any], Any]


def _floats(held: Any, numbers: np.ndarray[Any, Any], decode: Read, text: str | None) -> Any:
    dtype, shape, place = held
    size = math.prod(shape)
    part = numbers[place : place + size]
    if part.size != size:
        raise DataError("the recording lacks numbers that its answers are made of")
    return part.astype(np.dtype(dtype)).reshape(shape)


def _new(held: Any, numbers: np.ndarray[Any, Any], decode: Read, text: str | None) -> Any:
    name, fields = held
    if name not in _CLASSES:
        raise DataError(f"the recording holds a {quoted(name)}, which this version does not know")
    module = importlib.import_module(f"evaluate_bias.{_CLASSES[name]}")
    return getattr(module, name)(**{k: decode(v) for k, v in fields.items()})


_READ: Mapping[str, Callable[[Any, Any, Read, str | None], Any]] = {
    "$array": _floats,
    "$asked": lambda held, numbers, decode, text: text,
    "$float": lambda held, numbers, decode, text: float(held),
    "$list": lambda held, numbers, decode, text: np.array(held[2], dtype=held[0]).reshape(held[1]),
    "$map": lambda held, numbers, decode, text: {decode(k): decode(v) for k, v in held},
    "$new": _new,
    "$scalar": lambda held, numbers, decode, text: decode(held)[()],
    "$set": lambda held, numbers, decode, text: frozenset(decode(v) for v in held),
    "$tuple": lambda held, numbers, decode, text: tuple(decode(v) for v in held),
}
