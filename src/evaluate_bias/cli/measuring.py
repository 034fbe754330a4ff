"""What ``run`` does: measure a plan into the store of a folder, and say what became of it."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from ..errors import InputError, MeasurementError
from ..files import require_regular_or_absent, short_path
from ..text import counted
from .output import (
    SOME_FAILED,
    WRONG_USE,
    cli_syntax,
    escape,
    new_console,
    print_error,
    print_notes,
    print_skipped,
    result_table,
    say,
    status,
)

if TYPE_CHECKING:
    from ..experiments.config import GridConfig
    from ..experiments.executors.base import Executor
    from ..experiments.plan import Plan, Problem
    from ..experiments.run import Summary
    from ..experiments.store import Failure
    from ..experiments.unit import Unit
    from ..experiments.worker import Outcome
    from ..result import Result
    from .flags import Asked

_MOST_LISTED = 20


@dataclass(frozen=True)
class Keeping:
    """Where results are kept, and what becomes of those that are there.

    Attributes:
        out: the folder.
        append: keep them.
        overwrite: replace them.
        record: keep the answers of the models too.
    """

    out: Path
    append: bool = False
    overwrite: bool = False
    record: bool = False

    def measure(self, plan: Plan, executor: Executor | None, on_unit: Callable[[Outcome], None]) -> Summary:
        """Measure what the folder does not have."""
        from ..experiments.run import run_grid
        from ..report.verify import SCORES_FILE, Recorder, RecordingStore

        scores = RecordingStore(self.out / SCORES_FILE, replace=self.overwrite) if self.record else None
        try:
            return run_grid(
                plan, self.out, executor=executor, on_unit=on_unit, replace=self.overwrite,
                recorder=None if scores is None else Recorder(scores),
            )  # fmt: skip
        except KeyboardInterrupt:
            say("stopped: the results are kept, and the same command continues from there", err=True)
            raise

    def prepare(self, plan: Plan) -> None:
        """Refuse a folder with results of other measurements, where nobody said what should become of them.

        Results whose recording somebody has deleted are to be measured again.

        Raises:
            InputError: it is such a folder, or its file of results is none.
        """
        from ..experiments.results_file import RESULTS_FILE
        from ..experiments.store import STORE_FILE, Store
        from ..experiments.unit import RECORDED
        from ..report.verify import SCORES_FILE

        file = require_regular_or_absent(self.out / RESULTS_FILE)
        others = file.exists()
        if (self.out / STORE_FILE).is_file() and not (self.append or self.overwrite):
            own = {unit.key for unit in (*plan.units, *(problem.unit for problem in plan.problems))}
            with Store(self.out, read_only=True) as store:
                others = any(unit.key.removesuffix(RECORDED) not in own for unit in store.units(history=True))
        if others and not (self.append or self.overwrite):
            raise InputError(
                f"{file} exists: add --append to keep its results or --overwrite to replace them"
            )
        if (
            self.record
            and not self.overwrite
            and (self.out / STORE_FILE).is_file()
            and not (self.out / SCORES_FILE).exists()
        ):
            with Store(self.out) as store:
                store.drop(plan.recorded().units)

    def drop_recording(self, outcome: Outcome) -> None:
        """Remove the recording of results that the first one has replaced, where this run makes none."""
        from ..report.verify import SCORES_FILE, discard_recording

        replaced = outcome.kind == "measured" and self.overwrite and not self.record
        if replaced and discard_recording(self.out / SCORES_FILE):
            say(f"note: removed {SCORES_FILE}, which belonged to the replaced results", err=True)

    def there(self, plan: Plan) -> dict[str, Result]:
        """The results of a plan that the folder has, by the keys of its units, in their order."""
        from ..experiments.store import STORE_FILE, Store
        from ..experiments.unit import RECORDED

        if not (self.out / STORE_FILE).is_file():
            return {}
        with Store(self.out, read_only=True) as store:
            found = {unit.key: result for unit, result in store.in_order(history=True)}
        ends = (RECORDED,) if self.record else (RECORDED, "")
        keys = [next((k + end for end in ends if k + end in found), "") for k in (u.key for u in plan.units)]
        return {key: found[key] for key in keys if key}


def run_asked(asked: Asked, keeping: Keeping, executor: Executor | None, *, as_json: bool) -> None:
    """Measure what flags ask for, and show each result as soon as it is there."""
    from ..experiments.results_file import RESULTS_FILE
    from ..result import Result

    plan = planned_units(asked.config, may_be_empty=bool(asked.refused))
    print_notes(asked.notes)
    keeping.prepare(plan)
    results = {} if keeping.overwrite else keeping.there(plan)
    for result in () if as_json else results.values():
        _show(result)
    with ExitStack() as spinner:

        def on_unit(outcome: Outcome) -> None:
            spinner.close()
            keeping.drop_recording(outcome)
            if outcome.kind == "measured":
                results[outcome.unit.key] = Result.from_json(outcome.result)
                if not as_json:
                    _show(results[outcome.unit.key])
            wait()

        def wait() -> None:
            done = f"{len(results):,} of {counted(len(plan.units), 'result')} there"
            spinner.enter_context(status(f"measuring, {done}", quiet=as_json))

        wait()
        summary = keeping.measure(plan, executor, on_unit)
    if not keeping.overwrite:
        results = keeping.there(plan)  # with those that another run has measured meanwhile
    print_notes(summary.notes)
    if as_json:
        typer.echo(json.dumps([r.to_dict() for r in results.values()], ensure_ascii=False))
    elif results:
        wrote = escape(str(keeping.out / RESULTS_FILE))
        new_console().print(
            f"[green]wrote[/] {wrote}; next: evaluate-bias report {escape(shlex.quote(str(keeping.out)))}"
        )
    failed = [*asked.refused, *_failures(keeping.out, plan, asked.config)]
    if not results and len(failed) == 1:
        raise failed[0][1]
    for what, error in failed:
        print_error(error, what)
    if failed:
        raise typer.Exit(SOME_FAILED if results else 1)


def _show(result: Result) -> None:
    console = new_console()
    console.print(result_table(result))
    for warning in result.warnings:
        console.print(f"[yellow]note:[/] {escape(cli_syntax(warning))}")
    print_skipped(result)


def _failures(out: Path, plan: Plan, config: GridConfig) -> list[tuple[str, MeasurementError]]:
    """What of a plan has no result, and why; what fails for a model fails once."""
    from ..experiments.identity import NO_MODEL, model_name
    from ..experiments.store import Store
    from ..experiments.unit import RECORDED

    units = {unit.key for unit in (*plan.units, *(problem.unit for problem in plan.problems))}
    with Store(out, read_only=True) as store:
        found = [f for f in store.failures() if f.unit.key.removesuffix(RECORDED) in units]
    models = [entry.name or entry.model for entry in config.models]
    methods = [entry.method for entry in config.methods]
    found.sort(key=lambda f: (models.index(f.unit.model), methods.index(f.unit.method)))
    not_found = {problem.reason for problem in plan.problems if problem.of_model}
    failed = {}
    for unit, reason in ((f.unit, f.reason) for f in found):
        what = unit.method if unit.model == NO_MODEL else f"{unit.method} on {model_name(unit.model)}"
        if reason in not_found:
            what = f"loading {short_path(unit.model)}"
        elif reason.startswith("loading "):  # as the worker says it
            what = ""
        failed[what, reason] = MeasurementError(reason)
    return [(what, error) for (what, _), error in failed.items()]


def run_config(config: Path, keeping: Keeping, executor: Executor | None, *, as_json: bool) -> None:
    """Measure what a config asks for, and say how many units were measured."""
    from ..experiments.reading import read_config
    from ..progress import track

    planned = planned_units(read_config(config), config)
    keeping.prepare(planned)
    if not as_json:
        say(f"{counted(len(planned.units), 'unit')} on {counted(len(planned.tasks), 'model')}")
    with track("measuring", len(planned.units), delay=0.0, enabled=not as_json) as advance:

        def on_unit(outcome: Outcome) -> None:
            keeping.drop_recording(outcome)
            advance(1)

        summary = keeping.measure(planned, executor, on_unit)
    if as_json:
        typer.echo(json.dumps(_summary(summary), ensure_ascii=False))
    else:
        _print_summary(summary, keeping.out)
    if summary.failed:
        some = summary.measured + summary.kept > 0
        if not some and not as_json:
            raise MeasurementError(f"no unit could be measured; the log is {summary.log}")
        raise typer.Exit(SOME_FAILED if some else 1)


def executor_of(
    workers: int | None, threads: int | None, ray: str | None, cpus: float, gpus: float, memory: float | None
) -> Executor | None:
    """What runs the units: processes, a cluster, or this process."""
    if threads is not None and workers is None:
        raise InputError("--threads sets the threads of each process: it goes with --workers")
    if ray is not None:
        if workers is not None:
            raise InputError(
                "--workers are processes of this machine and --ray is a cluster; give one of them"
            )
        from ..experiments.executors.ray_cluster import RayCluster

        return RayCluster(ray, cpus=cpus, gpus=gpus, memory=memory)
    if memory is not None or (cpus, gpus) != (1, 0):
        raise InputError("--cpus, --gpus and --memory describe the tasks of a cluster: they go with --ray")
    if workers is None:
        return None
    from ..experiments.executors.processes import Processes

    return Processes(workers, threads=threads)


def _summary(summary: Summary) -> dict[str, Any]:
    def listed(failures: list[Failure]) -> list[dict[str, Any]]:
        return [{"unit": str(f.unit), "key": f.unit.key, "reason": f.reason} for f in failures]

    return {
        "planned": summary.planned,
        "kept": summary.kept,
        "damaged": [{"unit": str(unit), "key": unit.key} for unit in summary.damaged],
        "measured": summary.measured,
        "elsewhere": summary.elsewhere,
        "unsuitable": listed(summary.unsuitable),
        "failed": listed(summary.failed),
        "seconds": round(summary.seconds, 3),
        "log": str(summary.log),
    }


def _print_summary(summary: Summary, out: Path) -> None:
    print_notes(summary.notes)
    for again in summary.damaged:
        say(f"the result was damaged and is measured again: {again}", err=True)
    for unit, reason in grouped(summary.unsuitable, "unsuitable"):
        say(f"left out: {unit}: {reason}", err=True)
    for unit, reason in grouped(summary.failed, "failed"):
        print_error(InputError(reason), unit)
    parts = [f"{summary.measured:,} measured", f"{summary.kept:,} were there"]
    parts += [f"{summary.elsewhere:,} measured by another run"] if summary.elsewhere else []
    parts += [f"{len(summary.unsuitable):,} left out"] if summary.unsuitable else []
    parts += [f"{len(summary.failed):,} failed"] if summary.failed else []
    say(f"{counted(summary.planned, 'unit')}: {', '.join(parts)}; {summary.seconds:.1f} s")
    say(f"next: evaluate-bias results {out}   log: {summary.log}")


def grouped(failures: Sequence[Failure | Problem], kind: str) -> Iterator[tuple[str, str]]:
    """Units that lack a result for the same reason in one, and the reason."""
    groups: dict[tuple[str, str], list[Unit]] = {}
    for failure in failures:
        groups.setdefault((failure.unit.model, failure.reason), []).append(failure.unit)
    for (_, reason), (unit, *others) in islice(groups.items(), _MOST_LISTED):
        more = f" and {counted(len(others), 'other')}" if others else ""
        yield f"{unit}{more}", reason
    if len(groups) > _MOST_LISTED:
        yield f"{len(groups) - _MOST_LISTED} more", f"{kind}; --json lists all"


def planned_units(config: GridConfig, file: Path | None = None, *, may_be_empty: bool = False) -> Plan:
    """The plan of a config, whose unused parts are said; one that has no unit is wrong use of the command.

    Args:
        config: the config.
        file: where it stands; none where flags made it.
        may_be_empty: whether something else was refused with a reason.
    """
    from ..experiments.plan import make_plan

    planned = make_plan(config)
    print_notes(planned.notes)
    if not (may_be_empty or planned.units or planned.problems):
        said = "there is nothing to measure: no method is for a model that was named"
        if file is not None:
            said = f"{short_path(file)} names no unit to measure: see its models, include and exclude"
        print_error(InputError(said))
        raise typer.Exit(WRONG_USE)
    return planned
