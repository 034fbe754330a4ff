"""Tasks on a Ray cluster, of one machine or many."""

from __future__ import annotations

import contextlib
import dataclasses
import socket
from collections.abc import Iterable, Iterator
from typing import Any

from ...errors import InputError, MeasurementError, install_extra
from ...text import one_line
from ..plan import ModelTask
from ..worker import Outcome, measured_units
from . import Attempt


class RayCluster:
    """Runs tasks on a Ray cluster. A task whose worker or node dies goes on elsewhere.

    The results come back to this process, which alone writes them. Every node must have this library, and models and
    data sets under the same names.

    Args:
        address: ``"auto"`` for the cluster of this machine, or its address.
        cpus: processors that each task needs.
        gpus: GPUs that each task needs, also a share of one.
        memory: GiB of memory that each task needs.

    Raises:
        InputError: a need is negative, or Ray is not installed.
    """

    def __init__(
        self, address: str = "auto", *, cpus: float = 1, gpus: float = 0, memory: float | None = None
    ) -> None:
        if cpus <= 0 or gpus < 0 or (memory is not None and memory <= 0):
            raise InputError(
                "a task needs a positive number of processors and memory, and no negative one of GPUs"
            )
        try:
            import ray
        except ImportError as error:
            raise InputError(f"Ray is not installed; {install_extra('ray')}") from error
        self._ray = ray
        self.address, self.cpus, self.gpus, self.memory = address, cpus, gpus, memory

    def run(self, tasks: Iterable[ModelTask]) -> Iterator[Outcome]:
        """See :class:`~.Executor`.

        Raises:
            MeasurementError: the address has no cluster, or the cluster is lost.
        """
        ray = self._ray
        started = not ray.is_initialized()
        if started:
            host, _, port = self.address.removeprefix("ray://").rpartition(":")
            try:
                if host and port.isdigit():  # Ray waits minutes for an answer
                    socket.create_connection((host, int(port)), timeout=10).close()
                ray.init(address=self.address, logging_level="ERROR", log_to_driver=False)
            except (OSError, RuntimeError, ValueError, ray.exceptions.RayError) as error:
                raise MeasurementError(
                    f"cannot connect to a Ray cluster at {self.address!r}: {one_line(str(error))[:300]}",
                    hint="start one with 'ray start --head' (if it has a token, set RAY_AUTH_MODE=token and "
                    "RAY_AUTH_TOKEN here too), or measure on this machine with --workers",
                ) from error
        active: dict[Any, Attempt] = {}
        try:
            yield from self._outcomes(iter(tasks), active)
        finally:
            for stream in active:
                with contextlib.suppress(Exception):
                    ray.cancel(stream, force=True)
            if started:
                ray.shutdown()

    def _outcomes(self, waiting: Iterator[ModelTask], active: dict[Any, Attempt]) -> Iterator[Outcome]:
        ray = self._ray
        while True:
            while len(active) < self._room() and (task := next(waiting, None)) is not None:
                self._start(Attempt(task), active)
            if not active:
                return
            ready, _ = ray.wait(list(active), num_returns=1, timeout=1.0, fetch_local=False)
            for stream in ready:
                attempt = active.pop(stream)
                try:
                    outcome = ray.get(next(stream))
                except StopIteration:
                    if attempt.is_done:
                        continue
                    lost: Any = "it ended early"
                except ray.exceptions.RayError as error:
                    lost = type(error).__name__
                else:
                    attempt.note_outcome(outcome)
                    active[stream] = attempt
                    yield outcome
                    continue
                yield from attempt.note_death(lost)
                if not attempt.is_done:
                    self._start(attempt, active)

    def _room(self) -> int:
        """Return how many tasks the cluster gets at a time: as many as it has room for, and one more to wait."""
        total = self._ray.cluster_resources()
        rooms = [total.get("CPU", 0) / self.cpus]
        if self.gpus:
            rooms.append(total.get("GPU", 0) / self.gpus)
        return int(min(rooms)) + 1

    def _start(self, attempt: Attempt, active: dict[Any, Attempt]) -> None:
        needs: dict[str, Any] = {"num_cpus": self.cpus, "num_gpus": self.gpus}
        if self.memory is not None:
            needs["memory"] = int(self.memory * 2**30)
        # Retries are ours: Ray's would begin the task again from its first unit.
        remote = self._ray.remote(_stream).options(
            **needs, max_retries=0, num_returns="streaming", scheduling_strategy="SPREAD", name="measure"
        )
        active[remote.remote(attempt.task)] = attempt


def _stream(task: ModelTask) -> Iterator[Outcome]:
    yield from measured_units(dataclasses.replace(task, store=None))  # a node may not reach the store's file
