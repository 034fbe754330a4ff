"""What a plan will cost: estimated from the times of similar units, else from the size of model and data."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import median

from ..models.engine import TransformerModel
from .fitting import fits
from .model_class import model_classes
from .plan import ModelTask, Plan
from .store import Store
from .unit import Unit

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
        basis: ``"timed"`` where the store has times of the method on these data, else ``"guessed"``; ``"unfit"`` where
            the model cannot do what the method needs, so that a run leaves the unit out.
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
        classes = model_classes(task.spec, task.options)
        passes = any(issubclass(kind, TransformerModel) for kind in classes)
        for unit in task.units:
            if classes and not fits(unit.method, classes):
                out[unit.key] = Cost(0.0, "unfit")
                continue
            data = plan.work_of[unit.key]
            if times := timed.get(_like(unit)):
                out[unit.key] = Cost(median(times), "timed")
            else:
                out[unit.key] = Cost(
                    SMALLEST if data in seen else _guess(plan, task, data, passes), "guessed"
                )
            seen.add(data)
    return out


def _like(unit: Unit) -> tuple[str, str, str]:
    return unit.method, unit.data, unit.language


def _guess(plan: Plan, task: ModelTask, data: str, passes: bool) -> float:
    work = plan.work[data]
    if not work.rows or not passes:
        return SMALLEST
    tokens = work.characters / CHARACTERS
    masked = tokens / work.rows
    return max(SMALLEST, 2 * (task.size / 4) * tokens * masked / ARITHMETIC)
