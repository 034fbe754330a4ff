"""The options that the methods have in common that count preferences, as one object."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any, Literal

from ...errors import InputError
from ...options import SharedOptions

PreferenceTest = Literal["binomial", "z", "score"]
Ties = Literal["drop", "keep"]


@dataclass(frozen=True, slots=True)
class Counting:
    """How preferences are counted, tested and given an interval.

    The fields are the options of these names, see :mod:`evaluate_bias.options`.

    Raises:
        InputError: the preset is given together with an option that contradicts it, or ``round_to`` is negative.
    """

    round_to: int | None = None
    lower: bool | Literal["auto"] = "auto"
    p_method: PreferenceTest = "binomial"
    ties: Ties = "drop"
    preset: Literal["thesis"] | None = None
    level: float = 0.95
    seed: int = 0

    def __post_init__(self) -> None:
        if self.round_to is not None and self.round_to < 0:
            raise InputError(
                f"round_to must be a number of decimals, 0 or more, or None, not {self.round_to!r}"
            )
        if self.preset is not None:
            if self.p_method == "score":
                raise InputError(
                    "preset='thesis' means p_method='z' and ties='keep': give the preset or the options"
                )
            object.__setattr__(self, "p_method", "z")
            object.__setattr__(self, "ties", "keep")


def counting_options(*without: str, **defaults: Any) -> SharedOptions:
    """The options of a method, with its defaults."""
    names = tuple(f.name for f in fields(Counting) if f.name not in without)
    return SharedOptions(Counting(**defaults), names)
