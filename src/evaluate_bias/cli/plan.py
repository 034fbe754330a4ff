"""What a run measures with which options: those that every method takes, and those that name their method."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ..errors import InputError
from ..files import short_path
from .output import PYTHON_WORDS

if TYPE_CHECKING:
    from ..method import MethodRecord
    from ..options import Option

__all__ = ["DATA_FLAGS", "Plan", "parse_options", "plan_run", "typed_value"]

DATA_FLAGS = {"source": "--data", "language": "--language", "tests": "--test"}
"""Options of the data that have a flag of their own; the others are given with -O."""


@dataclass(slots=True)
class Plan:
    """What a run measures.

    Attributes:
        units: methods with their options.
        refused: values that a method refuses, each as what it is about and the error.
        notes: options that some methods are measured without, one sentence each.
    """

    units: list[tuple[MethodRecord, dict[str, Any]]] = field(default_factory=list)
    refused: list[tuple[str, InputError]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def parse_options(pairs: Sequence[str]) -> dict[str, str]:
    """Read ``name=value`` options.

    Raises:
        InputError: an entry has no ``=``, or a name is given twice.

    Examples:
        >>> parse_options(["ddof=0", 'bias-types=["age", "gender"]'])
        {'ddof': '0', 'bias_types': '["age", "gender"]'}
    """
    options: dict[str, str] = {}
    for pair in pairs:
        name, equals, value = pair.partition("=")
        key = name.strip().replace("-", "_")
        if not equals or not key:
            raise InputError(f"option {short_path(pair)!r} is not of the form name=value, for example ddof=0")
        if key in options:
            raise InputError(
                f'the option {key} is given twice; several values are one JSON list: \'{key}=["a", "b"]\''
            )
        options[key] = value
    return options


def typed_value(text: str, option: Option | None) -> Any:
    """Read a value as its option's type: as JSON or Python's ``True``, ``False``, ``None``, or as the text it is.

    What fits the option in none of these ways is returned as it reads, for the check to refuse.

    Examples:
        >>> from evaluate_bias.options import options_of
        >>> def load(*, name: str = "", allow_pickle: bool = False): ...
        >>> known = options_of(load)
        >>> typed_value("12", known["name"]), typed_value("False", known["allow_pickle"])
        ('12', False)
        >>> typed_value("12", None), typed_value("off", known["allow_pickle"])
        (12, 'off')
    """
    from ..options import checked_options

    readings: list[Any] = [text]
    with suppress(ValueError, RecursionError):  # no JSON, a number of 5,000 digits, brackets 5,000 deep
        readings.insert(0, json.loads(PYTHON_WORDS.get(text, text)))
    if option is None:
        return readings[0]
    for value in readings:
        with suppress(InputError):
            return checked_options({option.name: value}, {option.name: option}, "")[option.name]
    return readings[0]


def plan_run(
    records: Sequence[MethodRecord], choice: Mapping[str, Any], given: Mapping[str, str], seed: int
) -> Plan:
    """Give every method its options.

    An option goes to every method that takes it, and a note names the others; ``method.name`` goes to that method
    alone, before one without a method. A method whose value is refused is listed, unless all are.

    Args:
        records: the methods of the run.
        choice: options of the data that have a flag of their own.
        given: the others as text, by ``name`` or ``method.name``.
        seed: seed of everything random.

    Raises:
        InputError: an option that no method takes, or of a method that the run has not; a value that fits none.

    Examples:
        >>> from evaluate_bias.registry import get_method
        >>> plan = plan_run([get_method("weat"), get_method("crows_pairs")], {"tests": ["weat7"]},
        ...                 {"level": "0.9", "weat.level": "0.99"}, 0)
        >>> [(r.name, o["level"], o.get("tests")) for r, o in plan.units]
        [('weat', 0.99, ['weat7']), ('crows_pairs', 0.9, None)]
        >>> plan.notes
        ['crows_pairs is measured without --test, which it does not take']
    """
    shared, own = _by_method(records, given)
    for name in choice:
        if name in shared:
            raise InputError(f"{DATA_FLAGS[name]} and -O {name}=… are the same; give only one")
    if "seed" in {*shared, *(name for options in own.values() for name in options)}:
        raise InputError("give the seed with --seed; it holds for all methods of a run")
    plan = Plan()
    takes = {r.name: {**r.options(), **r.data_choices()} for r in records}
    for name in (*choice, *shared):
        without = [r for r in records if name not in takes[r.name]]
        if len(without) == len(records):
            raise _of_none(without, name, name in choice)
        if without:
            called = DATA_FLAGS[name] if name in choice else f"-O {name}=…"
            whom, verb = ", ".join(r.name for r in without), "it does" if len(without) == 1 else "they do"
            plan.notes.append(
                f"{whom} {'is' if len(without) == 1 else 'are'} measured without {called}, which {verb} not take"
            )
    for record in records:
        named = _typed(record, takes[record.name], own.get(record.name, {}))
        general = {k: v for k, v in choice.items() if k in takes[record.name] and k not in named}
        texts = {k: v for k, v in shared.items() if k in takes[record.name] and k not in named}
        seeded = {"seed": seed} if "seed" in record.options() else {}
        try:
            general = _typed(record, takes[record.name], texts, general)
        except InputError as error:
            plan.refused.append(("options", error))
        else:
            plan.units.append((record, {**general, **named, **seeded}))
    if not plan.units:
        raise plan.refused[0][1]
    return plan


def _by_method(
    records: Sequence[MethodRecord], given: Mapping[str, str]
) -> tuple[dict[str, str], dict[str, dict[str, str]]]:
    """Options for all methods, and those for one."""
    shared: dict[str, str] = {}
    own: dict[str, dict[str, str]] = {}
    names = [r.name for r in records]
    for key, text in given.items():
        method, dot, name = key.partition(".")
        if not dot:
            shared[key] = text
        elif method in names and name:
            own.setdefault(method, {})[name] = text
        else:
            raise InputError(
                f"-O {short_path(key)}=… names a method that is not measured here: {', '.join(names)[:200]}"
            )
    return shared, own


def _typed(
    record: MethodRecord, known: Mapping[str, Option], texts: Mapping[str, str], more: Mapping[str, Any] = {}
) -> dict[str, Any]:
    from ..options import checked_options

    typed = {name: typed_value(text, known.get(name)) for name, text in texts.items()}
    return checked_options({**more, **typed}, known, record.name)


def _of_none(records: Sequence[MethodRecord], name: str, flag: bool) -> InputError:
    """The error of an option that none of the methods takes."""
    if len(records) > 1:
        called = DATA_FLAGS[name] if flag else f"option {short_path(name)!r}"
        return InputError(f"none of {', '.join(r.name for r in records)[:200]} takes the {called}")
    (record,) = records
    if flag:
        takes = ", ".join(DATA_FLAGS.get(other, f"-O {other}=…") for other in record.data_choices())
        return InputError(f"{record.name} does not take {DATA_FLAGS[name]}; choose its data with {takes}")
    from ..options import checked_options

    try:
        checked_options({name: None}, {**record.options(), **record.data_choices()}, record.name)
    except InputError as error:
        return error
    raise AssertionError(name)
