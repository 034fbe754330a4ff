"""What a plan will cost: from how long its like took, else from the size of model and data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from .plan import ModelTask, Plan
from .store import Store
from .unit import Unit

__all__ = ["Cost", "estimate"]

READING = 500e6
"""Bytes a second of loading a model."""
ARITHMETIC = 40e9
"""Multiplications and additions a second of a model's passes, on one core."""
CHARACTERS = 4.5
"""Characters of a token."""
SMALLEST = 0.05
"""Seconds of a unit whose data are a few words."""


@dataclass(frozen=True, slots=True)
class Cost:
    """Seconds that a unit will take.

    Attributes:
        seconds: the estimate.
        basis: ``"timed"`` where the store has times of the method on these data, else ``"guessed"``.
    """

    seconds: float
    basis: str


def estimate(plan: Plan, store: Store | None = None) -> dict[str, Cost]:
    """Estimate the seconds of every unit, by key; what shares its scoring work with a unit before it counts little.

    A unit that was timed takes the median time of its method on data of the same name and language, whatever the
    model. Any other takes two operations per weight and token for each token of a row, which is what masking one token
    after the other costs, on one core; so a guess is right to a factor of ten at best, and too large where a method
    needs one pass a sentence.
    """
    timed: dict[tuple[str, str, str], list[float]] = {}
    for unit, seconds in store.seconds() if store is not None else ():
        timed.setdefault(_like(unit), []).append(seconds)
    out: dict[str, Cost] = {}
    for task in plan.tasks:
        seen: set[str] = set()
        for unit in task.units:
            data = plan.work_of[unit.key]
            if times := timed.get(_like(unit)):
                out[unit.key] = Cost(median(times), "timed")
            else:
                out[unit.key] = Cost(SMALLEST if data in seen else _guess(plan, task, data), "guessed")
            seen.add(data)
    return out


def _like(unit: Unit) -> tuple[str, str, str]:
    return unit.method, unit.data, unit.language


def _guess(plan: Plan, task: ModelTask, data: str) -> float:
    work = plan.work[data]
    if not work.rows or not _has_passes(task.spec):
        return SMALLEST
    tokens = work.characters / CHARACTERS
    masked = tokens / work.rows
    return max(SMALLEST, 2 * (task.size / 4) * tokens * masked / ARITHMETIC)


def _has_passes(spec: str) -> bool:
    """Whether a model is run, not looked up: a folder with a config, or an asset or repository of a language model."""
    from ..assets import CATALOGUE

    if spec in CATALOGUE:
        return CATALOGUE[spec].kind not in ("word vectors", "text", "data sets")
    path = Path(spec)
    return (path / "config.json").is_file() if path.exists() else True


def load_seconds(tasks: Mapping[str, ModelTask]) -> float:
    """Seconds of reading the models."""
    return sum(task.size / READING for task in tasks.values())
