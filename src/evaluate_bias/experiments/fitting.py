"""What a model will be loaded as, which methods fit it, and what measuring it will cost, all without loading it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from statistics import median
from typing import Any

from ..models.base import can
from ..models.engine import TransformerModel
from ..models.kinds import classes_of
from ..registry import METHODS
from .identity import NO_MODEL
from .plan import Plan
from .store import Store


def model_classes(spec: str, options: Mapping[str, Any]) -> tuple[type, ...]:
    """Return the classes that a model may be loaded as, see :func:`.kinds.classes_of`, none for no model."""
    return () if spec == NO_MODEL else classes_of(spec, options)


def fits(method: str, classes: tuple[type, ...]) -> bool:
    """True if a method can measure models of one of these classes. Without classes, true if it needs no model."""
    record = METHODS[method]
    if not classes:
        return record.needs_no_model
    return any(
        can(model_class, need) and not any(can(model_class, what) for what in record.refuses)
        for model_class in classes
        for need in record.needs
    )


def needed_options(method: str, classes: tuple[type, ...]) -> Mapping[str, Any]:
    """Return the options without which a method refuses models of these classes, though it fits them.

    Examples:
        >>> from evaluate_bias.models.causal import CausalLM
        >>> needed_options("crows_pairs", (CausalLM,)), needed_options("gest", (CausalLM,))
        ({'variant': 'causal'}, {})
    """
    record = METHODS[method]
    abilities = [need for need in record.needs if any(can(c, need) for c in classes)]
    if "scores sequences" in abilities and "scores masked tokens" not in abilities:
        return record.causal
    return record.asks if abilities == ["chats"] else {}


def reasons_against(spec: str, options: Mapping[str, Any]) -> dict[str, str]:
    """Return why methods do not fit a model, by their names. Methods that fit are not among them.

    Args:
        spec: what to load.
        options: options of loading.

    Examples:
        >>> reasons = reasons_against("glove-6b-50d", {})
        >>> reasons["aul"], "weat" in reasons
        ('needs a model that scores masked tokens, not word vectors', False)
    """
    classes = model_classes(spec, options)
    kinds = dict.fromkeys(c.label for c in classes)  # type: ignore[attr-defined]
    return {
        name: f"needs a model that {' or '.join(record.needs)}, not {' or '.join(kinds) or 'no model'}"
        if record.needs
        else "needs no model"
        for name, record in METHODS.items()
        if not fits(name, classes)
    }


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
        basis: ``"timed"`` if the store has times of the method on these data. ``"counted"``: from the number
            of requests to a model. ``"at least"``: counting ended within the unit or before it, at more
            requests than are counted. ``"guessed"``: from the size of model and data. ``"unfit"``: the model
            cannot do what the method needs, so that a run omits the unit.
    """

    seconds: float
    basis: str


def estimate(plan: Plan, store: Store | None = None, *, alone: bool = False) -> dict[str, Cost]:
    """Estimate the seconds of every unit, by key.

    What shares its scoring work with a unit before it counts little, unless each is to be measured ``alone``.

    A unit that was timed takes the median time of its method on data of the same name and language, whatever the
    model. Any other takes two operations per weight and token for each token of a row, which is what masking one token
    after the other costs, on one core, so a guess is right to a factor of ten at best, and too large if a
    method needs one pass a sentence.
    """
    timed: dict[tuple[str, str, str], list[float]] = {}
    for unit, seconds in store.seconds() if store is not None else ():
        timed.setdefault((unit.method, unit.data, unit.language), []).append(seconds)
    out: dict[str, Cost] = {}
    for task in plan.tasks:
        seen: set[str] = set()
        classes = model_classes(task.spec, task.options)
        passes = any(issubclass(kind, TransformerModel) for kind in classes)
        for unit in task.units:
            if classes and not fits(unit.method, classes):
                out[unit.key] = Cost(0.0, "unfit")
                continue
            work = plan.work[data := plan.work_of[unit.key]]
            if times := timed.get((unit.method, unit.data, unit.language)):
                out[unit.key] = Cost(median(times), "timed")
            elif (data in seen and not alone) or not work.rows or not passes:
                out[unit.key] = Cost(SMALLEST, "guessed")
            else:
                tokens = work.characters / CHARACTERS
                guess = 2 * (task.size / 4) * tokens * (tokens / work.rows) / ARITHMETIC
                out[unit.key] = Cost(max(SMALLEST, guess), "guessed")
            seen.add(data)
    return out
