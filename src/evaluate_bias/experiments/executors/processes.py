"""Tasks in processes of this machine, each with one model at a time."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import threading
from collections.abc import Iterable, Iterator
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection, wait
from typing import Any

from ...errors import InputError
from ..plan import ModelTask
from ..worker import Outcome, measured_units
from . import Attempt


class Processes:
    """Runs tasks in processes that are started again (not forked), so that each has its own torch.

    Args:
        workers: number of processes.
        threads: threads of each, by default the machine's processors shared among them.

    Raises:
        InputError: there is not at least one process and one thread.
    """

    def __init__(self, workers: int, *, threads: int | None = None) -> None:
        if workers < 1 or (threads is not None and threads < 1):
            raise InputError(
                f"a grid needs at least one worker and one thread for each, got {workers} and {threads}"
            )
        self.workers = workers
        self.threads = threads or max(1, (os.cpu_count() or 1) // workers)

    def run(self, tasks: Iterable[ModelTask]) -> Iterator[Outcome]:
        """See :class:`~.Executor`."""
        waiting = iter(tasks)
        idle: list[_Worker] = []
        busy: dict[Connection, tuple[_Worker, Attempt]] = {}
        try:
            while True:
                while len(busy) < self.workers and (task := next(waiting, None)) is not None:
                    self._give(idle.pop() if idle else _Worker(self.threads), Attempt(task), busy)
                if not busy:
                    return
                for connection in wait(list(busy)):
                    assert isinstance(connection, Connection)
                    worker, attempt = busy.pop(connection)
                    try:
                        outcome = connection.recv()
                    except (EOFError, OSError):
                        yield from attempt.note_death(worker.stop())
                        if not attempt.is_done:
                            self._give(_Worker(self.threads), attempt, busy)
                        continue
                    if outcome is None:
                        idle.append(worker)
                        continue
                    attempt.note_outcome(outcome)
                    busy[connection] = worker, attempt
                    yield outcome
        finally:
            for worker in (*idle, *(worker for worker, _ in busy.values())):
                worker.stop()

    @staticmethod
    def _give(worker: _Worker, attempt: Attempt, busy: dict[Connection, tuple[_Worker, Attempt]]) -> None:
        with contextlib.suppress(OSError):  # it died meanwhile, which waiting for it tells
            worker.connection.send(attempt.task)
        busy[worker.connection] = worker, attempt


class _Worker:
    """A process and the connection to it."""

    def __init__(self, threads: int) -> None:
        context = multiprocessing.get_context("spawn")
        self.connection, theirs = context.Pipe()
        self._process = context.Process(target=_serve, args=(theirs, threads), daemon=True)
        with _without_ctrl_c():
            self._process.start()
        theirs.close()

    def stop(self) -> str:
        """End the process if it still runs. Return how it ended, in words."""
        self.connection.close()
        self._process.join(0.2)
        if self._process.is_alive():
            self._process.kill()
            self._process.join()
        code = self._process.exitcode
        return f"signal {-code}" if code is not None and code < 0 else f"exit code {code}"


@contextlib.contextmanager
def _without_ctrl_c() -> Iterator[None]:
    """Start processes inside the block with Ctrl-C blocked. This process receives it afterwards."""
    if not hasattr(signal, "pthread_sigmask"):  # not a POSIX system
        yield
        return
    resource_tracker.ensure_running()  # beginning with the first process, it would end what is set here
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _serve(connection: Any, threads: int) -> None:
    """A worker: takes tasks, answers with outcomes and, at the end of each task, with ``None``."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the run's, which stops its workers
    threading.Thread(target=_end_with_parent, daemon=True).start()
    try:
        while True:
            task = connection.recv()
            with contextlib.suppress(ImportError):
                import torch

                torch.set_num_threads(threads)
            for outcome in measured_units(task):
                connection.send(outcome)
            connection.send(None)
    except (EOFError, OSError):
        return


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os._exit(1)
