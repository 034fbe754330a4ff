"""Run a grid: lock each model, measure its units without a result, and store the results."""

from __future__ import annotations

import contextlib
import dataclasses
import logging
import platform
import secrets
import shutil
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import Any

from ..errors import OutputError, quoted
from ..files import atomic_write, short_path
from ..models.endpoint.address import SERVED
from ..provenance import software_versions
from ..result import Result
from .config import GridConfig
from .executors import Executor, InProcess
from .plan import ModelTask, Plan, make_plan
from .sources import import_results, write_results_file
from .store import Failure, Store
from .unit import Unit
from .worker import Outcome

POLL_SECONDS = 0.5
"""How often a run checks on models that another run has locked."""
VIEW_SHARE = 0.1
"""Share of a run's time that writing ``results.jsonl`` may use."""


@dataclass
class RunSummary:
    """What a run did.

    Attributes:
        planned: number of units of the grid.
        already_stored: those that the store had already, unsuitable ones included.
        damaged: those whose result could not be read any more and was removed, to be measured again.
        measured: those measured by this run.
        measured_by_other_run: those that another run measured meanwhile.
        unsuitable: units whose model cannot do what the method needs.
        failed: units without a result, and why.
        notes: further remarks on units, one sentence each.
        seconds: how long it took.
        log: the log file.
    """

    planned: int = 0
    already_stored: int = 0
    damaged: list[Unit] = field(default_factory=list)
    measured: int = 0
    measured_by_other_run: int = 0
    unsuitable: list[Failure] = field(default_factory=list)
    failed: list[Failure] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    seconds: float = 0.0
    log: Path | None = None


def run_grid(
    config: GridConfig | Plan,
    out: str | Path,
    *,
    executor: Executor | None = None,
    on_unit: Callable[[Outcome], None] | None = None,
    replace: bool = False,
) -> RunSummary:
    """Measure what the store does not have yet.

    Several runs may work on one store at the same time: each locks models that no other run is working on, and ends
    when all units of its grid are settled. A unit that fails is listed, with its traceback in the log, and the next run
    tries it again.

    Args:
        config: the grid, or its plan.
        out: the folder of the store. It gets ``results.sqlite``, ``logs`` and, for people and other programs,
            ``results.jsonl``, which is written after each unit.
        executor: what runs the units. This process by default.
        on_unit: called with the outcome of each unit that this run measured.
        replace: discard the stored results when the first new one is added, and measure everything again.

    Raises:
        OutputError: the folder cannot be written, or is full. What was measured before is kept.
        KeyboardInterrupt: the same.

    Examples:
        >>> import tempfile
        >>> config = GridConfig(models=["demo-mlm-en"], methods=[{"method": "lpbs", "options": {"ci": "none"}}])
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     first, second = run_grid(config, folder), run_grid(config, folder)
        >>> first.measured, second.measured, second.already_stored
        (1, 0, 1)
    """
    start = time.monotonic()
    plan = config if isinstance(config, Plan) else make_plan(config)
    summary = RunSummary(planned=len(plan.units) + len(plan.problems))
    with (
        Store(out, replace=replace) as store,
        _open_log(store.path.parent, summary.planned) as (log, summary.log),
    ):
        run = _Run(plan, store, executor or InProcess(), summary, log, on_unit)
        try:
            run.measure_all()
        except BaseException as error:
            log.error("stopped after %d runs: %s: %s", summary.measured, type(error).__name__, error)
            raise
        finally:
            summary.seconds = time.monotonic() - start
        log.info(
            "ended: %d measured, %d kept, %d unsuitable, %d failed, %.1f s",
            summary.measured, summary.already_stored, len(summary.unsuitable), len(summary.failed), summary.seconds,
        )  # fmt: skip
    return summary


@dataclass
class _Run:
    plan: Plan
    store: Store
    executor: Executor
    summary: RunSummary
    log: logging.Logger
    on_unit: Callable[[Outcome], None] | None
    tried: set[str] = field(default_factory=set)
    counted: set[str] = field(default_factory=set)
    next_write: float = 0.0

    def __post_init__(self) -> None:
        tasks = self.plan.tasks
        self.task_of = {unit.key: task for task in tasks for unit in task.units}
        self.pending: dict[str, int] = {}
        self.systems = _systems(self.store) if any(t.spec.startswith(SERVED) for t in tasks) else {}

    def measure_all(self) -> None:
        """Measure until every unit is settled or was tried."""
        self._begin()
        n_waiting = 0
        while True:
            tasks = self._lock_tasks()
            if first := next(tasks, None):
                for outcome in self.executor.run(chain([first], tasks)):
                    self._store_outcome(outcome)
            elif n := self._remaining():
                if n != n_waiting:
                    self.log.info("waiting for another process, which is working on %d runs", n)
                n_waiting = n
                time.sleep(POLL_SECONDS)
            else:
                break
        self._write_results()

    def _begin(self) -> None:
        """Note the plan and its problems, and drop damaged results of its units."""
        self.store.note_plan([*self.plan.units, *(problem.unit for problem in self.plan.problems)])
        for problem in self.plan.problems:
            self._store_failure(problem.unit, "failed", problem.reason)
        damaged = import_results(self.store)
        self.summary.damaged = self.store.drop_damaged(u for u in self.plan.units if u.key in damaged)
        for unit in self.summary.damaged:
            self.log.warning("damaged, to be measured again: %s", unit)
            del damaged[unit.key]
        self.summary.notes += [
            f"{name} is damaged in the store, and what results.jsonl has of it is kept"
            for name in damaged.values()
        ]
        self._write_results()
        self.counted = self.store.settled(self.plan.units)
        self.summary.already_stored = len(self.counted)

    def _remaining(self) -> int:
        """Return the number of units that are not settled and were not tried by this run."""
        settled = self.store.settled(self.plan.units)
        self.summary.measured_by_other_run = len(settled - self.counted)
        return sum(unit.key not in settled | self.tried for unit in self.plan.units)

    def _lock_tasks(self) -> Iterator[ModelTask]:
        """Yield the tasks, each locked when the executor asks for it. Units of one model stay in one task.

        Units of a model leave scores to those after them. A run that continues after a killed one reads them, and so
        computes what is missing in the same batches: its numbers equal an unbroken run's, to the bit.
        """
        for model in self.plan.tasks:
            if not self.store.lock(model.key):
                continue
            settled = self.store.settled(model.units) | self.tried
            units = tuple(unit for unit in model.units if unit.key not in settled)
            self.pending[model.key] = len(units)
            if not units:
                self._end_task(model)
                continue
            self.log.info("%s: %d of %d runs to measure", model.name, len(units), len(model.units))
            files = (self._scores_of(unit) for unit in model.units)
            scores = tuple(file.read_bytes() for file in files if file.exists())
            yield dataclasses.replace(model, units=units, scores=scores, store=self.store.path.absolute())

    def _scores_of(self, unit: Unit) -> Path:
        """Return the file of the scores that a unit leaves."""
        folder = self.store.path.with_name(f"{self.store.path.stem}.scores")
        return folder / self.task_of[unit.key].key / f"{unit.key}.npz"

    def _end_task(self, model: ModelTask) -> None:
        """Remove the scores of a model and release it."""
        folder = self._scores_of(model.units[0]).parent
        shutil.rmtree(folder, ignore_errors=True)
        with contextlib.suppress(OSError):  # the folder does not exist, or has scores of other models
            folder.parent.rmdir()
        self.store.unlock(model.key)

    def _store_outcome(self, outcome: Outcome) -> None:
        unit = outcome.unit
        self.tried.add(unit.key)
        for note in outcome.notes:
            self.log.warning("%s: %s", unit, note)
        if outcome.kind != "measured":
            self._store_failure(unit, outcome.kind, outcome.reason, outcome.trace)
        else:
            # Scores before the result: a unit that has one has them too.
            if outcome.scores:
                atomic_write(self._scores_of(unit), outcome.scores)
            result = Result.from_json(outcome.result)
            if self.store.add(unit, result, seconds=outcome.seconds):
                self.summary.measured += 1
            self._note_changed_system(unit, result)
            self.counted.add(unit.key)
            if time.monotonic() >= self.next_write:
                self._write_results()
            self.log.info("measured %s in %.3f s", unit, outcome.seconds)
        model = self.task_of[unit.key]
        self.pending[model.key] -= 1
        if not self.pending[model.key]:
            self._end_task(model)
        if self.on_unit is not None:
            self.on_unit(outcome)

    def _write_results(self) -> None:
        """Write ``results.jsonl``."""
        start = time.monotonic()
        write_results_file(self.store)
        end = time.monotonic()
        self.next_write = end + (end - start) / VIEW_SHARE

    def _store_failure(self, unit: Unit, kind: str, reason: str, trace: str = "") -> None:
        failure = Failure(unit, "unsuitable" if kind == "unsuitable" else "failed", reason)
        self.store.add_failure(failure)
        self.counted.add(unit.key)
        (self.summary.unsuitable if kind == "unsuitable" else self.summary.failed).append(failure)
        level = logging.INFO if kind == "unsuitable" else logging.ERROR
        self.log.log(level, "%s: %s: %s%s", kind, unit, reason, f"\n{trace}" if trace else "")

    def _note_changed_system(self, unit: Unit, result: Result) -> None:
        """Add a note, once per server, that it has changed since it was last measured."""
        before, now = self.systems.get(unit.measurement), _system(result) or "one without a name"
        note = f"{unit.model} answered as {before} before and as {now} now: both results are kept, and the later counts"
        if before not in (None, now) and note not in self.summary.notes:
            self.summary.notes.append(note)


def _systems(store: Store) -> dict[tuple[Any, ...], str]:
    """Return the served systems with which each unit was measured last."""
    systems = {unit.measurement: _system(result) for unit, result in store.in_order(rows=False)}
    return {measurement: system for measurement, system in systems.items() if system}


def _system(result: Result) -> str:
    """Return the systems that answered for a served model, empty for any other."""
    model = result.provenance.get("model") or {}
    names = model.get("system_fingerprint", ()) if isinstance(model, Mapping) else ()
    return ", ".join(map(quoted, names))


@contextlib.contextmanager
def _open_log(folder: Path, units: int) -> Iterator[tuple[logging.Logger, Path]]:
    """Open a log for one run and for no other of this process. Yield the logger and its file.

    Args:
        folder: where the store is. The file is made in its folder ``logs``.
        units: how many units are planned.

    Raises:
        OutputError: the file cannot be made.
    """
    path = folder / "logs" / f"{time.strftime('%Y%m%dT%H%M%SZ', time.gmtime())}-{secrets.token_hex(4)}.log"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handler = _LogFile(path, encoding="utf-8")
    except OSError as error:
        raise OutputError(f"{short_path(path)} cannot be written ({error.strerror or error})") from error
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(message)s"))
    log = logging.Logger(__name__, logging.INFO)
    log.addHandler(handler)
    versions = ", ".join(f"{name} {version}" for name, version in software_versions().items())
    log.info("started on %s with %s: %d runs", platform.node(), versions, units)
    try:
        yield log, path
    finally:
        with contextlib.suppress(OSError):
            handler.close()


class _LogFile(logging.FileHandler):
    """A log that cannot be written, on a full disk, stops no measurement."""

    def handleError(self, record: logging.LogRecord) -> None:
        pass
