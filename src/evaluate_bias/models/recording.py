"""Requests to a model with its answers: recorded while a method measures it, and replayed without it.

No endpoint of a model is known here by more than its name: every call and every attribute that a method reads is kept
as it is, so that the same method on the same data finds the same answers.
"""

from __future__ import annotations

import dataclasses
import hashlib
import importlib
import json
import math
from collections.abc import Callable, Iterable, Iterator, KeysView, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Any

import numpy as np

from .. import errors
from ..errors import BiasError, DataError, quoted
from .base import capability_endpoints

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


MOST_NUMBERS = 40_000_000
"""Most numbers of one recording; distributions over a vocabulary for thousands of sentences are more."""

Array = np.ndarray[Any, Any]


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer, or its part about one item.

    Attributes:
        call: number of the call, from 0.
        door: what was called or read, such as ``"embed_words"``.
        request: checksum of what was asked.
        item: which of the items that were asked about; ``-1`` where the answer belongs to the whole call.
        answer: the answer as JSON.
        values: its numbers.
    """

    call: int
    door: str
    request: str
    item: int
    answer: str
    values: Array


class Tape:
    """All that a model answered in one measurement.

    Args:
        facts: its name, provenance and capabilities, what was read of it that is no value, and what it has not.
        answers: the answers in order.

    Attributes:
        problem: why the measurement cannot be repeated from this, empty where it can.
    """

    def __init__(self, facts: Mapping[str, Any] | None = None, answers: Iterable[Answer] = ()) -> None:
        self.facts: dict[str, Any] = {"parts": [], "absent": [], **(facts or {})}
        self.problem = ""
        self._size = 0
        self._calls: dict[str, list[Answer]] = {}
        for answer in answers:
            self._calls.setdefault(answer.request, []).append(answer)

    @property
    def answers(self) -> list[Answer]:
        """The answers in order."""
        return [answer for parts in self._calls.values() for answer in parts]

    def find(self, request: str, args: tuple[Any, ...]) -> tuple[Any] | None:
        """The answer to a request, alone in a tuple, ``None`` where there is none; an error that it was is raised."""
        parts = self._calls.get(request)
        if not parts:
            return None
        if parts[0].item >= 0:
            texts = [_text(item) for item in args[0]]
            return ([decoded(json.loads(p.answer), p.values, texts[p.item]) for p in parts],)
        kind, answer = decoded(json.loads(parts[0].answer), parts[0].values)
        if kind:
            error = getattr(errors, kind, None)
            raise (error if isinstance(error, type) and issubclass(error, BiasError) else BiasError)(answer)
        return (answer,)

    def keep(self, request: str, door: str, args: tuple[Any, ...], answer: Any, error: str = "") -> None:
        """Keep an answer; if that fails, set ``problem`` to the reason and keep nothing more."""
        if self.problem:
            return
        try:
            parts = list(_parts(args, answer, error))
        except (DataError, TypeError) as problem:
            self._give_up(f"{door}: {problem}")
            return
        self._size += sum(values.size for _, _, values in parts)
        if self._size > MOST_NUMBERS:
            self._give_up(f"the model's answers are more than {MOST_NUMBERS:,} numbers")
            return
        call = len(self._calls)
        self._calls[request] = [Answer(call, door, request, item, text, v) for item, text, v in parts]

    def _give_up(self, problem: str) -> None:
        self.problem = problem
        self._calls.clear()


def recorded(model: Any, tape: Tape) -> Any:
    """The model, behind endpoints that keep on the tape what it is asked and answers; its answers stay what they are.

    What was asked before is answered from the tape.

    Examples:
        >>> from evaluate_bias import load_model
        >>> tape = Tape()
        >>> model = recorded(load_model({"she": [1.0, 0.0], "he": [0.0, 1.0]}), tape)
        >>> model.embed_words(["he", "they"])
        (array([[0., 1.]]), [1])
        >>> replayed(tape).embed_words(["he", "they"])
        (array([[0., 1.]]), [1])
        >>> replayed(tape).embed_words(["she"])
        Traceback (most recent call last):
            ...
        evaluate_bias.errors.DataError: the recording has no answer to this call of embed_words
    """
    endpoints = {name for name in capability_endpoints() if callable(getattr(model, name, None))}
    tape.facts |= {
        "name": str(model.name),
        "provenance": dict(model.provenance()),
        "doors": sorted(endpoints),
    }
    return _model(model, tape)


def replayed(tape: Tape) -> Any:
    """A stand-in that answers what the recorded model answered, and raises a ``DataError`` for anything else."""
    return _model(None, tape)


def _model(target: Any, tape: Tape) -> Any:
    # A capability is what a class can do, so each set of them has a class of its own.
    endpoints = {str(name): _endpoint(str(name)) for name in tape.facts.get("doors", ())}
    return type("Recorded", (_RecordedModel,), endpoints)(target, tape, "")


def _endpoint(name: str) -> Callable[..., Any]:
    return lambda self, *args, **kwargs: self._ask(name, args, kwargs)


class _RecordedPart:
    """A model, or a part of one such as its tokenizer or a method; ``target`` is ``None`` in a replay."""

    def __init__(self, target: Any, tape: Tape, path: str) -> None:
        self._target, self._tape, self._path = target, tape, path

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        path, tape = f"{self._path}.{name}".lstrip("."), self._tape
        if path in tape.facts["absent"]:
            raise AttributeError(name)
        if path in tape.facts["parts"]:
            return _RecordedPart(getattr(self._target, name, None), tape, path)
        request = _request(f"{path} is", (), {})
        if (answer := tape.find(request, ())) is not None:
            return answer[0]
        if self._target is None:
            raise AttributeError(f"the recording has no {quoted(path)}")
        try:
            value = getattr(self._target, name)
        except AttributeError:
            tape.facts["absent"].append(path)
            raise
        value = list(value) if isinstance(value, (Iterator, KeysView)) else value
        if is_plain(value):
            tape.keep(request, f"{path} is", (), value)
            return value
        tape.facts["parts"].append(path)
        return _RecordedPart(value, tape, path)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._ask("", args, kwargs)

    def __len__(self) -> int:
        return int(self._ask("__len__", (), {}))

    def __contains__(self, item: object) -> bool:
        return bool(self._ask("__contains__", (item,), {}))

    def __bool__(self) -> bool:
        return True

    def _ask(self, name: str, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
        """Answer from the tape, else from the target, whose answer is kept."""
        door, tape = f"{self._path}.{name}".strip("."), self._tape
        function = None if self._target is None else getattr(self._target, name) if name else self._target
        try:
            request = _request(door, args, kwargs)
        except (DataError, TypeError) as problem:
            if function is None:
                raise DataError(f"the recording has no answer to this call of {door}") from problem
            tape.problem = tape.problem or f"{door}: {problem}"
            return function(*args, **kwargs)
        if (recorded_answer := tape.find(request, args)) is not None:
            return recorded_answer[0]
        if function is None:
            raise DataError(f"the recording has no answer to this call of {door}")
        try:
            answer = function(*args, **kwargs)
        except BiasError as error:
            # As what it is among the errors of this library, of which it may be a special case.
            kind = next(c.__name__ for c in type(error).__mro__ if c.__module__ == errors.__name__)
            tape.keep(request, door, args, str(error), kind)
            raise
        answer = list(answer) if isinstance(answer, Iterator) else answer
        tape.keep(request, door, args, answer)
        return answer


class _RecordedModel(_RecordedPart):
    """A model, which has a name and an identity."""

    @property
    def name(self) -> str:
        return str(self._tape.facts["name"])

    def provenance(self) -> Mapping[str, Any]:
        return dict(self._tape.facts["provenance"])

    def separate_warnings(self) -> AbstractContextManager[None]:
        separated: AbstractContextManager[None] = getattr(self._target, "separate_warnings", nullcontext)()
        return separated


def _request(door: str, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> str:
    """A checksum of what is asked."""
    encoder = ValueEncoder()
    arguments = [encoder.encode(list(args)), encoder.encode({k: kwargs[k] for k in sorted(kwargs)})]
    digest = hashlib.sha256(json.dumps([door, arguments]).encode())
    for numbers in encoder.numbers:
        digest.update(numbers.tobytes())
    return digest.hexdigest()[:32]


def _parts(args: tuple[Any, ...], answer: Any, error: str) -> Iterator[tuple[int, str, Array]]:
    """The answer item by item where it has one for each that was asked about."""
    items = args[0] if args and isinstance(args[0], Sequence) and not isinstance(args[0], str) else ()
    by_item = isinstance(answer, list) and len(answer) == len(items) > 0
    for item, part in enumerate(answer) if by_item else ((-1, (error, answer)),):
        encoder = ValueEncoder(_text(items[item]) if by_item else None)
        text = json.dumps(encoder.encode(part))
        yield item, text, np.concatenate(encoder.numbers) if encoder.numbers else np.empty(0)


def _text(request: Any) -> str | None:
    """The text that an item is about."""
    text = getattr(getattr(request, "encoded", request), "text", request)
    return text if isinstance(text, str) else None
