"""All tasks in this process, one after the other."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ..worker import Outcome, Task, measured_units


class InProcess:
    """Runs tasks in this process."""

    def run(self, tasks: Iterable[Task]) -> Iterator[Outcome]:
        """See :class:`~.base.Executor`."""
        for task in tasks:
            yield from measured_units(task)
