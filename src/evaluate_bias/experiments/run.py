"""Run a grid: claim the units that are missing, have them measured, keep what comes."""

from __future__ import annotations

import contextlib
import dataclasses
import logging
import platform
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..errors import OutputError, quoted
from ..files import atomic_write, short_path
from ..models.endpoint.address import SCHEME as ENDPOINT
from ..provenance import software_versions
from ..result import Result
from .config import GridConfig
from .executors.base import Executor, InProcess
from .plan import ModelTask, Plan, make_plan
from .sources import take_back, write_view
from .store import Failure, Store
from .unit import Unit
from .worker import Outcome, Task, UnitRecorder

POLL_SECONDS = 0.5
"""How often units that another run has claimed are looked for."""

ALWAYS_SHOWN = 50
"""Results up to which the view is written after each; of more, it takes a tenth of the time at most."""


@dataclass
class Summary:
    """What a run did.

    Attributes:
        planned: number of units of the grid.
        kept: those that the store had already, unsuitable ones included.
        damaged: those whose result could not be read any more and was removed, to be measured again.
        measured: those measured by this run.
        elsewhere: those that another run measured meanwhile.
        unsuitable: units whose model cannot do what the method needs.
        failed: units without a result, and why.
        notes: what else is to be said of units, in sentences.
        seconds: how long it took.
        log: the log file.
    """

    planned: int = 0
    kept: int = 0
    damaged: list[Unit] = field(default_factory=list)
    measured: int = 0
    elsewhere: int = 0
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
    recorder: UnitRecorder | None = None,
    replace: bool = False,
) -> Summary:
    """Measure what the store does not have yet.

    Several runs may work on one store at the same time: each takes the models that nobody is at, and ends when all
    units of its grid are settled. A unit that fails is listed, with its traceback in the log, and is tried again by the
    next run.

    Args:
        config: the grid, or its plan.
        out: the folder of the store; it gets ``results.sqlite``, ``logs`` and, for people and other programs,
            ``results.jsonl``, which is written after each unit.
        executor: what runs the units; this process by default.
        on_unit: called with what became of each unit that this run measured.
        recorder: keeps the answers of the models; what was measured without one is measured again.
        replace: let the first result take the place of all that are there, and measure these again too.

    Raises:
        OutputError: the folder cannot be written, or is full. What was measured before is kept.
        KeyboardInterrupt: likewise.

    Examples:
        >>> import tempfile
        >>> config = GridConfig(models=["demo-mlm-en"], methods=[{"method": "lpbs", "options": {"ci": "none"}}])
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     first, second = run_grid(config, folder), run_grid(config, folder)
        >>> first.measured, second.measured, second.kept
        (1, 0, 1)
    """
    start = time.monotonic()
    plan = config if isinstance(config, Plan) else make_plan(config)
    plan = plan if recorder is None else plan.recorded()
    summary = Summary(planned=len(plan.units) + len(plan.problems))
    with Store(out, replace=replace) as store, _log_file(store, summary) as log:
        run = _Run(plan, store, executor or InProcess(), summary, log, on_unit, recorder)
        try:
            run.all()
        except BaseException as error:
            log.error("stopped after %d units: %s: %s", summary.measured, type(error).__name__, error)
            raise
        finally:
            summary.seconds = time.monotonic() - start
        log.info(
            "ended: %d measured, %d kept, %d unsuitable, %d failed, %.1f s",
            summary.measured, summary.kept, len(summary.unsuitable), len(summary.failed), summary.seconds,
        )  # fmt: skip
    return summary


@dataclass
class _Run:
    plan: Plan
    store: Store
    executor: Executor
    summary: Summary
    log: logging.Logger
    on_unit: Callable[[Outcome], None] | None
    recorder: UnitRecorder | None
    tried: set[str] = field(default_factory=set)
    counted: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        path, tasks = self.store.path, self.plan.tasks
        self.scores = _KeptScores(path.with_name(f"{path.stem}.scores"))
        self.task_of = {unit.key: task for task in tasks for unit in task.units}
        self.view = _View(self.store)
        self.systems = _systems(self.store) if any(t.spec.startswith(ENDPOINT) for t in tasks) else {}

    def all(self) -> None:
        """Measure until every unit is settled or was tried."""
        self.store.note_plan([*self.plan.units, *(problem.unit for problem in self.plan.problems)])
        for problem in self.plan.problems:
            self._fail(problem.unit, "failed", problem.reason)
        damaged = take_back(self.store)
        self.summary.damaged = self.store.drop_damaged(u for u in self.plan.units if u.key in damaged)
        for unit in self.summary.damaged:
            self.log.warning("damaged, to be measured again: %s", unit)
            del damaged[unit.key]
        self.summary.notes += [
            f"{name} is damaged in the store; what results.jsonl has of it is kept"
            for name in damaged.values()
        ]
        self.view.write()
        states = self.store.states(self.plan.units)
        self.counted = {key for key, state in states.items() if state in ("measured", "unsuitable")}
        self.summary.kept = len(self.counted)
        while True:
            for outcome in self.executor.run(self._tasks()):
                self._keep(outcome)
            left = self._left()
            if not left:
                break
            self.log.info("waiting for another run, which is at %d units", len(left))
            while self._left() and not self._claimable(left):
                time.sleep(POLL_SECONDS)
        self.view.write()
        with self.store.leaving() as last:
            if last:
                self.scores.end(self.plan.tasks)

    def _left(self) -> list[Unit]:
        """The units that are neither settled nor were tried here."""
        states = self.store.states(self.plan.units)
        settled = {key for key, state in states.items() if state in ("measured", "unsuitable")}
        self.summary.elsewhere = len(settled - self.counted)
        return [unit for unit in self.plan.units if unit.key not in settled | self.tried]

    def _claimable(self, units: list[Unit]) -> bool:
        claimed = self.store.claim(units)
        self.store.release(claimed)
        return bool(claimed)

    def _tasks(self) -> Iterator[Task]:
        """The tasks, each claimed when it is asked for; units of one model stay in one task."""
        for model in self.plan.tasks:
            units = self.store.claim([unit for unit in model.units if unit.key not in self.tried])
            if units:
                self.log.info("%s: %d of %d units to measure", model.name, len(units), len(model.units))
                task = dataclasses.replace(model, units=tuple(units))
                yield Task(task, self.scores.of(model), self.recorder, self.store.path.absolute())

    def _keep(self, outcome: Outcome) -> None:
        unit = outcome.unit
        self.tried.add(unit.key)
        for note in outcome.notes:
            self.log.warning("%s: %s", unit, note)
        if outcome.kind != "measured":
            self._fail(unit, outcome.kind, outcome.reason, outcome.trace)
        else:
            # Scores and recording before the result: a unit that has one has them too.
            self.scores.add(self.task_of[unit.key], unit, outcome.scores)
            if self.recorder is not None and (problem := self.recorder.add(outcome.recording)):
                self.summary.notes.append(f"{unit} cannot be verified later: {problem}")
            result = Result.from_json(outcome.result)
            if self.store.add(unit, result, seconds=outcome.seconds):
                self.summary.measured += 1
            self._note_system(unit, result)
            self.counted.add(unit.key)
            self.view.write_if_due()
            self.log.info("measured %s in %.3f s", unit, outcome.seconds)
        if self.on_unit is not None:
            self.on_unit(outcome)

    def _note_system(self, unit: Unit, result: Result) -> None:
        """Say once that a server has changed since it was last measured."""
        before, now = self.systems.get(unit.measurement), _system(result) or "one without a name"
        note = f"{unit.model} answered as {before} before and as {now} now: both results are kept, and the later counts"
        if before not in (None, now) and note not in self.summary.notes:
            self.summary.notes.append(note)

    def _fail(self, unit: Unit, kind: str, reason: str, trace: str = "") -> None:
        failure = Failure(unit, "unsuitable" if kind == "unsuitable" else "failed", reason)
        self.store.add_failure(failure)
        self.counted.add(unit.key)
        (self.summary.unsuitable if kind == "unsuitable" else self.summary.failed).append(failure)
        level = logging.INFO if kind == "unsuitable" else logging.ERROR
        self.log.log(level, "%s: %s: %s%s", kind, unit, reason, f"\n{trace}" if trace else "")


def _systems(store: Store) -> dict[tuple[Any, ...], str]:
    """The systems behind addresses by which units were measured last."""
    found = {unit.measurement: _system(result) for unit, result in store.in_order(rows=False)}
    return {measured: system for measured, system in found.items() if system}


def _system(result: Result) -> str:
    """The systems that answered, of a served model; empty of any other."""
    model = result.provenance.get("model") or {}
    names = model.get("system_fingerprint", ()) if isinstance(model, Mapping) else ()
    return ", ".join(map(quoted, names))


class _View:
    """``results.jsonl`` beside the store, written after each unit while it is small."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._results = 0
        self._due = 0.0

    def write(self) -> None:
        start = time.monotonic()
        self._results = write_view(self._store)
        end = time.monotonic()
        self._due = end + 10 * (end - start)

    def write_if_due(self) -> None:
        if self._results <= ALWAYS_SHOWN or time.monotonic() >= self._due:
            self.write()


class _KeptScores:
    """Scores that units of a model leave to those after them, on disk while the model is not done.

    A run that goes on after a killed one takes them over, and so computes what is missing in the same batches: its
    numbers are those of a run that was not killed, to the last bit.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def _path(self, model: ModelTask, unit: Unit) -> Path:
        return self._folder / f"{model.key}-{unit.key}.npz"

    def of(self, model: ModelTask) -> tuple[bytes, ...]:
        kept = []
        for unit in model.units:
            with contextlib.suppress(FileNotFoundError):  # none, or another run is done with the model
                kept.append(self._path(model, unit).read_bytes())
        return tuple(kept)

    def add(self, model: ModelTask, unit: Unit, scores: bytes) -> None:
        """Keep scores; with the last unit of a model they are of no more use."""
        if unit.key == model.units[-1].key:
            self.drop(model)
        elif scores:
            atomic_write(self._path(model, unit), scores)

    def drop(self, model: ModelTask) -> None:
        for unit in model.units:
            with contextlib.suppress(OSError):  # there are none
                self._path(model, unit).unlink()

    def end(self, models: Iterable[ModelTask]) -> None:
        """Drop what is left, once no other run is there, which might be about to write into the folder."""
        for model in models:
            self.drop(model)
        with contextlib.suppress(OSError):  # there is none, or it has scores of another grid
            self._folder.rmdir()


@contextlib.contextmanager
def _log_file(store: Store, summary: Summary) -> Iterator[logging.Logger]:
    """A file for what happens in this run and in no other of this process, beside the store."""
    name = f"{time.strftime('%Y%m%dT%H%M%SZ', time.gmtime())}-{store.runner[:8]}.log"
    path = store.path.parent / "logs" / name
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handler = _Handler(path, encoding="utf-8")
    except FileExistsError as error:
        raise OutputError(
            f"{short_path(path.parent)} is a file, and the run keeps its logs in a folder of this name: move it away"
        ) from error
    except OSError as error:
        raise OutputError(f"{short_path(path)} cannot be written ({error.strerror or error})") from error
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(message)s"))
    log = logging.Logger(__name__, logging.INFO)
    log.addHandler(handler)
    summary.log = path
    versions = ", ".join(f"{k} {v}" for k, v in software_versions().items())
    log.info("started on %s with %s: %d units", platform.node(), versions, summary.planned)
    try:
        yield log
    finally:
        with contextlib.suppress(OSError):
            handler.close()


class _Handler(logging.FileHandler):
    """A log that cannot be written, on a full disk, stops no measurement."""

    def handleError(self, record: logging.LogRecord) -> None:
        pass
