"""The contract: what may come of a bad call."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from typing import Any

from evaluate_bias.errors import BiasError
from evaluate_bias.result import Result

__all__ = ["LONGEST", "Contract", "brief", "fault_of", "is_result"]

LONGEST = 600
"""Characters of an error's sentence."""


class Contract(AssertionError):
    """What came out is neither a result nor an error of ours."""


def fault_of(outcome: Any) -> str:
    """What breaks the contract in an outcome: an exception, a result, or a module's dictionary."""
    try:
        match outcome:
            case BiasError():
                _check_message(str(outcome))
            case BaseException():
                raise Contract(f"raw {type(outcome).__name__}: {brief(str(outcome))}")
            case Result():
                _check_result(outcome)
            case dict():
                _check_flat(outcome)
            case None:
                pass  # add_batch() took it
            case _:
                raise Contract(f"a {type(outcome).__name__} came back")
    except Contract as fault:
        return str(fault)
    return ""


def brief(text: str) -> str:
    """Text for a line of a report."""
    text = ascii(text)[1:-1]
    return text if len(text) < 160 else f"{text[:150]}… ({len(text)} characters)"


def _check_message(text: str) -> None:
    if len(text) > LONGEST:
        raise Contract(f"message of {len(text)} characters: {brief(text)}")
    if odd := [c for c in text if not (c.isprintable() or c in "\u00a0\u202f\u2009")]:
        raise Contract(f"message with {odd[0]!a}: {brief(text)}")
    if len(text.split()) < 2:
        raise Contract(f"message that is no sentence: {brief(text)}")


def _numbers(value: Any) -> Iterator[float]:
    if isinstance(value, Mapping):
        for inner in value.values():
            yield from _numbers(inner)
    elif isinstance(value, (list, tuple)):
        for inner in value:
            yield from _numbers(inner)
    elif isinstance(value, float):
        yield value


def _check_flat(found: Mapping[str, Any]) -> None:
    if not all(map(math.isfinite, _numbers(found))):
        raise Contract("the result holds NaN or infinity")
    name = found["method"]
    low, high = found["score_range"]
    score = found.get(name)
    if not isinstance(score, float):
        raise Contract(f"the score is {score!r}")
    if not (low is None or low - 1e-9 <= score) or not (high is None or score <= high + 1e-9):
        raise Contract(f"score {score} outside of {low} to {high}")
    for key in ("p_value", "p_error"):
        if found[key] is not None and not 0 <= found[key] <= 1:
            raise Contract(f"{key} = {found[key]}")
    if found["ci_low"] is not None and not found["ci_low"] <= found["ci_high"]:
        raise Contract(f"interval from {found['ci_low']} to {found['ci_high']}")
    try:
        json.dumps(found, allow_nan=False, ensure_ascii=False).encode("utf-8")
    except (TypeError, ValueError) as error:
        raise Contract(f"the result is no JSON: {brief(str(error))}") from None


def _check_result(result: Result) -> None:
    _check_flat({**result.to_flat_dict(), "rows": result.to_dict()["rows"]})


def is_result(outcome: Any) -> bool:
    """Whether a sane outcome has a result, not an error."""
    match outcome:
        case Result() | {"method": _}:
            return True
    return False
