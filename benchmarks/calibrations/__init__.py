"""Simulations of every p-value, interval and verdict that a user sees first, one module per family of methods.

A module has a tuple ``SITUATIONS``, the rows of the tables of methods' pages, or a tuple ``TABLES``, what
``docs/calibration.md`` shows. ``benchmarks/calibration.py`` runs them at length and writes the tables;
``tests/test_calibration.py`` runs each situation a few times.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, NamedTuple

import numpy as np

from evaluate_bias import Result

_NODES, _WEIGHTS = np.polynomial.hermite_e.hermegauss(61)


class Draw(NamedTuple):
    """One simulated measurement: what the result says first, and the value that its interval should contain."""

    p_value: float | None
    low: float | None
    high: float | None
    truth: float | None


@dataclass(frozen=True)
class Situation:
    """Data of a known kind and a method that measures them.

    Attributes:
        what: the situation in a few words, the sizes included.
        kind: ``"null"`` if the null hypothesis of the p-value is true, so that 5% should be rejected, ``"effect"`` if
            it is not, so that the share is the power.
        draw: makes data from the generator and measures them.
        runs: number of draws for the documentation.
        few: number of draws in the tests.
        misses: why rejection lies outside 3.5 to 6.5% or coverage outside 93.5 to 96.5%, if it does.
        method: registry name, see :func:`of_method`. The table goes to that method's page.
    """

    what: str
    kind: Literal["null", "effect"]
    draw: Callable[[np.random.Generator], Draw]
    runs: int = 2_000
    few: int = 40
    misses: str = ""
    method: str = ""


def null(what: str, draw: Callable[[np.random.Generator], Draw], **more: Any) -> Situation:
    """Return a situation in which the null hypothesis is true."""
    return Situation(what, "null", draw, **more)


def effect(what: str, draw: Callable[[np.random.Generator], Draw], **more: Any) -> Situation:
    """A situation in which it does not."""
    return Situation(what, "effect", draw, **more)


def of_method(method: str, *rows: Situation, **common: Any) -> tuple[Situation, ...]:
    """Return the table of a method. ``common`` is the same in all rows."""
    return tuple(replace(row, method=method, **common) for row in rows)


@dataclass(frozen=True)
class Case:
    """A row of a table of its own.

    Attributes:
        what: the first cells. They name the case, and with it its random stream.
        draw: makes data from the generator and returns what was found.
        cells: the other cells, from what all draws found.
        runs: number of draws for the documentation.
    """

    what: tuple[str, ...]
    draw: Callable[[np.random.Generator], Any]
    cells: Callable[[list[Any]], Sequence[str]]
    runs: int = 2_000


@dataclass(frozen=True)
class Table:
    """A table of ``docs/calibration.md``, whose file is ``docs/calibration/NAME.inc.md``."""

    name: str
    columns: tuple[str, ...]
    cases: tuple[Case, ...]


def of_result(result: Result, truth: float | None = None) -> Draw:
    """Return the p-value and interval that a result says first.

    ``truth`` is the true score, by default what is expected without bias.
    """
    return Draw(result.p_value, result.ci_low, result.ci_high, result.reference if truth is None else truth)


def seeded(rng: np.random.Generator) -> int:
    """A seed for a measurement."""
    return int(rng.integers(1 << 31))


def logistic(latent: Any) -> Any:
    return 1 / (1 + np.exp(-latent))


def logistic_mean(center: Any, sd: float) -> Any:
    """Mean of the logistic function of a normal number with this mean, of any shape, and standard deviation."""
    return logistic(np.asarray(center)[..., None] + sd * _NODES) @ _WEIGHTS / _WEIGHTS.sum()


def share(of: Sequence[Any]) -> str:
    """A share in percent, or a dash of nothing."""
    return f"{100 * np.mean(of):.1f}" if len(of) else "—"
