"""What runs the tasks of a grid: this process, processes of this machine, or a Ray cluster."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator
from typing import Protocol

from ..plan import ModelTask
from ..worker import Outcome, measured_units

RETRIES = 2
"""How often a unit is tried again after its worker died."""


class Executor(Protocol):
    """Runs tasks, each in one worker that holds one model."""

    def run(self, tasks: Iterable[ModelTask]) -> Iterator[Outcome]:
        """Yield the outcome of each unit as soon as it is known. Tasks are taken when a worker is free.

        Closing the iterator ends the workers.
        """
        ...


class InProcess:
    """Runs tasks in this process, one after the other."""

    def run(self, tasks: Iterable[ModelTask]) -> Iterator[Outcome]:
        """See :class:`Executor`."""
        for task in tasks:
            yield from measured_units(task)


class Attempt:
    """A task and its progress, so that another worker can continue with the same scores and so the same numbers."""

    def __init__(self, task: ModelTask) -> None:
        self.task = task
        self._deaths = 0

    @property
    def is_done(self) -> bool:
        """True if no unit is left."""
        return not self.task.units

    def note_outcome(self, outcome: Outcome) -> None:
        """Record the next outcome."""
        self._deaths = 0
        self._drop(1, outcome.scores)

    def _drop(self, n: int, scores: bytes = b"") -> None:
        all_scores = (*self.task.scores, scores) if scores else self.task.scores
        self.task = dataclasses.replace(self.task, units=self.task.units[n:], scores=all_scores)

    def note_death(self, why: str) -> list[Outcome]:
        """Record the death of the worker. Return the outcomes of units that are given up.

        A unit is given up after its worker has died several times. If the next unit ends the same way, all others are
        given up too.
        """
        self._deaths += 1
        if self._deaths <= RETRIES:
            return []
        n = 1 if self._deaths == RETRIES + 1 else len(self.task.units)
        lost = self.task.units[:n]
        self._drop(n)
        reason = f"the worker died {self._deaths} times ({why})"
        return [Outcome(unit=unit, kind="failed", reason=reason) for unit in lost]
