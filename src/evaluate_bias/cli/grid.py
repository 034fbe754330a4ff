"""The command ``plan`` of grids, and what ``run CONFIG`` does; heavy imports are made inside them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..errors import InputError, MeasurementError
from ..files import short_path
from ..text import counted
from .output import SOME_FAILED, JsonFlag, print_error, say
from .sheet import WideFlag, print_sheet

if TYPE_CHECKING:
    from ..experiments.cost import Cost
    from ..experiments.executors.base import Executor
    from ..experiments.plan import Plan, Problem
    from ..experiments.run import Summary
    from ..experiments.store import Failure, State, Store
    from ..experiments.unit import Unit
    from ..experiments.worker import Outcome

__all__ = ["plan", "register", "run_config"]

_MOST_LISTED = 20


def register(app: typer.Typer) -> None:
    """Add the command of this file to the command line."""
    app.command()(plan)


def run_config(
    config: Path,
    out: Path,
    *,
    workers: int | None,
    threads: int | None,
    ray: str | None,
    cpus: float,
    gpus: float,
    memory: float | None,
    as_json: bool,
) -> None:
    """Run a grid: what ``evaluate-bias run CONFIG`` does."""
    from ..experiments.run import run_grid
    from ..progress import track

    executor = _executor(workers, threads, ray, cpus, gpus, memory)
    planned = _planned(config)
    if not as_json:
        say(f"{counted(len(planned.units), 'unit')} on {counted(len(planned.tasks), 'model')}")
    with track("measuring", len(planned.units), delay=0.0, enabled=not as_json) as advance:

        def on_unit(outcome: Outcome) -> None:
            advance(1)

        try:
            summary = run_grid(planned, out, executor=executor, on_unit=on_unit)
        except KeyboardInterrupt:
            say("stopped: the results are kept, and the same command continues from there", err=True)
            raise
    if as_json:
        typer.echo(json.dumps(_summary(summary), ensure_ascii=False))
    else:
        _print_summary(summary, out)
    if summary.failed:
        some = summary.measured + summary.kept > 0
        if not some and not as_json:
            raise MeasurementError(f"no unit could be measured; the log is {summary.log}")
        raise typer.Exit(SOME_FAILED if some else 1)


def _executor(
    workers: int | None, threads: int | None, ray: str | None, cpus: float, gpus: float, memory: float | None
) -> Executor | None:
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
    for again in summary.damaged:
        say(f"the result was damaged and is measured again: {again}", err=True)
    for unit, reason in _grouped(summary.unsuitable, "unsuitable"):
        say(f"left out: {unit}: {reason}", err=True)
    for unit, reason in _grouped(summary.failed, "failed"):
        print_error(InputError(reason), unit)
    parts = [f"{summary.measured:,} measured", f"{summary.kept:,} were there"]
    parts += [f"{summary.elsewhere:,} measured by another run"] if summary.elsewhere else []
    parts += [f"{len(summary.unsuitable):,} left out"] if summary.unsuitable else []
    parts += [f"{len(summary.failed):,} failed"] if summary.failed else []
    say(f"{counted(summary.planned, 'unit')}: {', '.join(parts)}; {summary.seconds:.1f} s")
    say(f"next: evaluate-bias results {out}   log: {summary.log}")


def _grouped(failures: Sequence[Failure | Problem], kind: str) -> Iterator[tuple[str, str]]:
    """Units that lack a result for the same reason in one, and the reason."""
    groups: dict[tuple[str, str], list[Unit]] = {}
    for failure in failures:
        groups.setdefault((failure.unit.model, failure.reason), []).append(failure.unit)
    for (_, reason), (unit, *others) in islice(groups.items(), _MOST_LISTED):
        more = f" and {counted(len(others), 'other')}" if others else ""
        yield f"{unit}{more}", reason
    if len(groups) > _MOST_LISTED:
        yield f"{len(groups) - _MOST_LISTED} more", f"{kind}; --json lists all"


def _planned(config: Path) -> Plan:
    """The plan of a config, whose unused parts are said; one without a unit is refused."""
    from ..experiments.plan import make_plan
    from ..experiments.reading import read_config

    planned = make_plan(read_config(config))
    for note in planned.notes:
        say(f"note: {note}", err=True)
    if not planned.units and not planned.problems:
        raise InputError(
            f"{short_path(config)} names no unit to measure: see its models, include and exclude"
        )
    return planned


def plan(
    config: Annotated[
        Path | None,
        typer.Argument(help="The config, in YAML or in the line format of the BIAS Detection Framework."),
    ] = None,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="Folder of the store, to see which results it has.")
    ] = None,
    schema: Annotated[
        bool, typer.Option("--schema", help="Print the JSON schema of the config and exit.")
    ] = False,
    wide: WideFlag = False,
    as_json: JsonFlag = False,
) -> None:
    """Show what 'evaluate-bias run CONFIG' would measure: units, shared work, cost, and results in the store.

    Example: 'evaluate-bias plan grid.yaml --out out'
    """
    from ..experiments.config import json_schema
    from ..experiments.cost import estimate
    from ..experiments.store import Store, store_path

    if schema:
        typer.echo(json.dumps(json_schema(), indent=2, ensure_ascii=False))
        return
    if config is None:
        raise InputError("plan needs a config, such as 'evaluate-bias plan grid.yaml'")
    planned = _planned(config)
    store: Store | None = None
    if out is not None and store_path(out).is_file():
        store = Store(out, read_only=True)
    try:
        states: dict[str, State] = {unit.key: "missing" for unit in planned.units}
        if store:
            states = store.states(planned.units)
            states |= {unit.key: "missing" for unit in store.damaged(planned.units)}
        costs = estimate(planned, store)
    finally:
        if store:
            store.close()
    if as_json:
        typer.echo(json.dumps(_plan_facts(planned, states, costs), ensure_ascii=False))
    else:
        _print_plan(planned, states, costs, wide=wide)
    if planned.problems:
        raise typer.Exit(SOME_FAILED if planned.units else 1)


def _plan_facts(planned: Plan, states: dict[str, State], costs: dict[str, Cost]) -> dict[str, Any]:
    models = []
    for task in planned.tasks:
        shared = [
            {
                "data": units[0].data,
                "language": units[0].language,
                "rows": planned.work[data].rows,
                "characters": planned.work[data].characters,
                "units": [
                    {
                        "key": unit.key,
                        "method": unit.method,
                        "seed": unit.seed,
                        "options": dict(unit.options),
                        "state": states[unit.key],
                        "seconds": round(costs[unit.key].seconds, 3),
                        "basis": costs[unit.key].basis,
                    }
                    for unit in units
                ],
            }
            for data, units in planned.shared(task).items()
        ]
        models.append({"model": task.name, "bytes": task.size, "shared": shared})
    missing, unfit = _missing(planned, states, costs)
    return {
        "units": len(planned.units),
        "missing": len(missing),
        "unfit": len(unfit),
        "seconds": round(sum(costs[unit.key].seconds for unit in missing), 3),
        "models": models,
        "problems": [{"unit": str(p.unit), "reason": p.reason} for p in planned.problems],
    }


def _missing(
    planned: Plan, states: dict[str, State], costs: dict[str, Cost]
) -> tuple[list[Unit], list[Unit]]:
    """The units that a run will measure, and those that it will leave out because they do not fit their model."""
    left = [unit for unit in planned.units if states[unit.key] in ("missing", "failed")]
    unfit = [unit for unit in left if costs[unit.key].basis == "unfit"]
    return [unit for unit in left if costs[unit.key].basis != "unfit"], unfit


def _print_plan(planned: Plan, states: dict[str, State], costs: dict[str, Cost], *, wide: bool) -> None:
    rows = []
    for task in planned.tasks:
        for data, units in planned.shared(task).items():
            there = sum(states[unit.key] in ("measured", "unsuitable") for unit in units)
            left = [costs[u.key] for u in units if states[u.key] not in ("measured", "unsuitable")]
            left = [cost for cost in left if cost.basis != "unfit"]
            guess = "~" if any(cost.basis == "guessed" for cost in left) else ""
            shown = f"{guess}{sum(cost.seconds for cost in left):.1f}" if left else "—"
            methods = ", ".join(dict.fromkeys(unit.method for unit in units))
            about = f"{units[0].data} {units[0].language}".strip()
            rows.append(
                (task.name, about, methods, *map(str, (planned.work[data].rows, len(units), there)), shown)
            )
    headings = ("model", "data read once", "methods that share it", "rows", "units", "there", "seconds")
    if rows:
        print_sheet("Plan", headings, rows, names=3, wide=wide)
    missing, unfit = _missing(planned, states, costs)
    seconds = sum(costs[unit.key].seconds for unit in missing)
    guessed = sum(costs[unit.key].basis == "guessed" for unit in missing)
    note = f", guessed for {guessed:,} of them from the size of model and data" if guessed else ""
    about = (
        f"{len(missing):,} to measure: about {_duration(seconds)} on one core{note}"
        if missing
        else "all there"
        if planned.units
        else "nothing to measure"
    )
    say(f"{counted(len(planned.units), 'unit')} on {counted(len(planned.tasks), 'model')}, {about}")
    if unfit:
        methods = ", ".join(dict.fromkeys(unit.method for unit in unfit))
        verb = "does not fit its model" if len(unfit) == 1 else "do not fit their models"
        say(f"{counted(len(unfit), 'unit')} {verb} and will be left out: {methods}")
    for unit, reason in _grouped(planned.problems, "that cannot be measured"):
        print_error(InputError(reason), unit)


def _duration(seconds: float) -> str:
    if seconds < 90:
        return counted(max(1, round(seconds)), "second")
    return f"{seconds / 60:.0f} minutes" if seconds < 5400 else f"{seconds / 3600:,.1f} hours"
