"""Simulations of every p-value and interval that a user sees first, one module per family of methods.

Each module has a tuple ``SITUATIONS``. ``benchmarks/calibration.py`` runs them at length and writes the tables of the
documentation; ``tests/test_calibration.py`` runs each a few times.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np

from evaluate_bias import Result


class Draw(NamedTuple):
    """One simulated measurement: what the result says first, and the value that its interval should hold."""

    p_value: float | None
    low: float | None
    high: float | None
    truth: float | None


@dataclass(frozen=True)
class Situation:
    """Data of a known kind and a method that measures them.

    Attributes:
        method: registry name; the table goes to that method's page.
        what: the situation in a few words, the sizes included.
        kind: ``"null"`` where the null hypothesis of the p-value holds, so that 5 % should be rejected; ``"effect"``
            where it does not, so that the share is the power.
        draw: makes data from the generator and measures them.
        runs: number of draws for the documentation.
        few: number of draws in the tests.
        misses: what the page says where rejection or coverage is off by more than 1.5 or 2 points, and why.
    """

    method: str
    what: str
    kind: Literal["null", "effect"]
    draw: Callable[[np.random.Generator], Draw]
    runs: int = 2_000
    few: int = 40
    misses: str = ""


def of_result(result: Result, truth: float | None = None) -> Draw:
    """The p-value and interval that a result says first; ``truth`` is the score's true value, by default its ideal."""
    return Draw(result.p_value, result.ci_low, result.ci_high, result.ideal if truth is None else truth)
