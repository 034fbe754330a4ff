"""The commands of grids, ``plan`` and ``results``, and what ``run CONFIG`` does; heavy imports are made inside them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from .cli_output import JsonFlag, escape, new_console, new_table, print_error, say
from .errors import InputError, MeasurementError

if TYPE_CHECKING:
    from .experiments.cost import Cost
    from .experiments.executors.base import Executor
    from .experiments.plan import Plan
    from .experiments.run import Summary
    from .experiments.store import Failure, State, Store
    from .experiments.worker import Outcome

__all__ = ["SOME_FAILED", "plan", "register", "results", "run_config"]

SOME_FAILED = 3
"""Exit code of a run some of whose units failed."""

_MOST_LISTED = 20


def register(app: typer.Typer) -> None:
    """Add the commands of this file to the command line."""
    app.command()(plan)
    app.command()(results)


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
    from .experiments.plan import make_plan
    from .experiments.reading import read_config
    from .experiments.run import run_grid
    from .progress import track

    executor = _executor(workers, threads, ray, cpus, gpus, memory)
    planned = make_plan(read_config(config))
    shown: list[str] = []

    with track("measuring", len(planned.units), delay=0.0, enabled=not as_json) as advance:

        def on_unit(outcome: Outcome) -> None:
            advance(1)
            shown.append(outcome.kind)

        summary = run_grid(planned, out, executor=executor, on_unit=on_unit)
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
    if ray is not None:
        if workers is not None:
            raise InputError(
                "--workers are processes of this machine and --ray is a cluster; give one of them"
            )
        from .experiments.executors.ray_cluster import RayCluster

        return RayCluster(ray, cpus=cpus, gpus=gpus, memory=memory)
    if workers is None:
        return None
    from .experiments.executors.processes import Processes

    return Processes(workers, threads=threads)


def _summary(summary: Summary) -> dict[str, Any]:
    def listed(failures: list[Failure]) -> list[dict[str, Any]]:
        return [{"unit": str(f.unit), "key": f.unit.key, "reason": f.reason} for f in failures]

    return {
        "planned": summary.planned,
        "kept": summary.kept,
        "measured": summary.measured,
        "elsewhere": summary.elsewhere,
        "unsuitable": listed(summary.unsuitable),
        "failed": listed(summary.failed),
        "seconds": round(summary.seconds, 3),
        "log": str(summary.log),
    }


def _print_summary(summary: Summary, out: Path) -> None:
    console = new_console()
    for kind, failures in (("unsuitable", summary.unsuitable), ("failed", summary.failed)):
        for failure in failures[:_MOST_LISTED]:
            if kind == "failed":
                print_error(InputError(failure.reason), str(failure.unit))
            else:
                console.print(f"[yellow]left out:[/] {escape(str(failure.unit))}: {escape(failure.reason)}")
        if len(failures) > _MOST_LISTED:
            console.print(f"… and {len(failures) - _MOST_LISTED} more {kind}; all are in the log")
    parts = [f"{summary.measured} measured", f"{summary.kept} were there"]
    parts += [f"{summary.elsewhere} measured by another run"] if summary.elsewhere else []
    parts += [f"{len(summary.unsuitable)} left out"] if summary.unsuitable else []
    parts += [f"{len(summary.failed)} failed"] if summary.failed else []
    console.print(f"{summary.planned} units: {', '.join(parts)}; {summary.seconds:.1f} s", highlight=False)
    console.print(
        f"next: evaluate-bias results {escape(str(out))}   log: {escape(str(summary.log))}", highlight=False
    )


def plan(
    config: Annotated[
        Path | None,
        typer.Argument(help="The config, in YAML or in the lines of the BIAS Detection Framework."),
    ] = None,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="Folder of the store, to see what is there already.")
    ] = None,
    schema: Annotated[
        bool, typer.Option("--schema", help="Print the JSON schema of the config and exit.")
    ] = False,
    as_json: JsonFlag = False,
) -> None:
    """Show what 'evaluate-bias run CONFIG' would measure: units, shared scoring work, cost, what is there already.

    Example: 'evaluate-bias plan grid.yaml --out out'
    """
    from .experiments.config import json_schema
    from .experiments.cost import estimate
    from .experiments.plan import make_plan
    from .experiments.reading import read_config
    from .experiments.store import Store, store_path

    if schema:
        typer.echo(json.dumps(json_schema(), indent=2, ensure_ascii=False))
        return
    if config is None:
        raise InputError("plan needs a config, such as 'evaluate-bias plan grid.yaml'")
    planned = make_plan(read_config(config))
    store: Store | None = None
    if out is not None and store_path(out).is_file():
        store = Store(out, read_only=True)
    try:
        states: dict[str, State] = {unit.key: "missing" for unit in planned.units}
        if store:
            states = store.states(planned.units)
        costs = estimate(planned, store)
    finally:
        if store:
            store.close()
    if as_json:
        typer.echo(json.dumps(_plan_facts(planned, states, costs), ensure_ascii=False))
    else:
        _print_plan(planned, states, costs)
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
    missing = [unit for unit in planned.units if states[unit.key] in ("missing", "failed")]
    return {
        "units": len(planned.units),
        "missing": len(missing),
        "seconds": round(sum(costs[unit.key].seconds for unit in missing), 3),
        "models": models,
        "problems": [{"unit": str(p.unit), "reason": p.reason} for p in planned.problems],
    }


def _print_plan(planned: Plan, states: dict[str, State], costs: dict[str, Cost]) -> None:
    console = new_console()
    table = new_table(
        "Plan", "model", "data read once", "rows", "methods that share it", "units", "there", "seconds"
    )
    for task in planned.tasks:
        name = task.name
        for data, units in planned.shared(task).items():
            there = sum(states[unit.key] in ("measured", "unsuitable") for unit in units)
            left = [costs[u.key] for u in units if states[u.key] not in ("measured", "unsuitable")]
            guess = "~" if any(cost.basis == "guessed" for cost in left) else ""
            shown = f"{guess}{sum(cost.seconds for cost in left):.1f}" if left else "—"
            methods = ", ".join(dict.fromkeys(unit.method for unit in units))
            about = f"{units[0].data} {units[0].language}".strip()
            cells = (name, about, str(planned.work[data].rows), methods, str(len(units)), str(there), shown)
            table.add_row(*map(escape, cells))
            name = ""
    console.print(table)
    missing = [unit for unit in planned.units if states[unit.key] in ("missing", "failed")]
    seconds = sum(costs[unit.key].seconds for unit in missing)
    guessed = sum(costs[unit.key].basis == "guessed" for unit in missing)
    note = f", guessed for {guessed} of them from the size of model and data" if guessed else ""
    about = f"{len(missing)} to measure: about {_duration(seconds)} on one core{note}"
    console.print(f"{len(planned.units)} units on {len(planned.tasks)} models, {about}", highlight=False)
    for problem in planned.problems[:_MOST_LISTED]:
        print_error(InputError(problem.reason), str(problem.unit))
    if len(planned.problems) > _MOST_LISTED:
        console.print(
            f"… and {len(planned.problems) - _MOST_LISTED} more that cannot be measured (--json lists all)"
        )


def _duration(seconds: float) -> str:
    if seconds < 90:
        return f"{seconds:.0f} seconds"
    return f"{seconds / 60:.0f} minutes" if seconds < 5400 else f"{seconds / 3600:.1f} hours"


def results(
    store: Annotated[Path, typer.Argument(help="The store: the folder given to 'run CONFIG --out'.")],
    model: Annotated[
        str, typer.Option("--model", "-m", help="Only models of this name; * stands for anything.")
    ] = "*",
    method: Annotated[str, typer.Option("--method", help="Only these methods.")] = "*",
    data: Annotated[str, typer.Option("--data", help="Only data sets of this name.")] = "*",
    language: Annotated[str, typer.Option("--language", "-l", help="Only data in this language.")] = "*",
    seed: Annotated[int | None, typer.Option("--seed", help="Only this seed.")] = None,
    by_model: Annotated[
        bool, typer.Option("--compare", help="One line per measurement, one column per model.")
    ] = False,
    items: Annotated[
        bool, typer.Option("--items", help="With --export: a line for every test, group and item too.")
    ] = False,
    history: Annotated[
        bool,
        typer.Option("--history", help="Also results that a later one of the same measurement replaces."),
    ] = False,
    failed: Annotated[bool, typer.Option("--failed", help="List what has no result, and why.")] = False,
    export: Annotated[
        Path | None,
        typer.Option(
            "--export", help="Write them to a .csv, .parquet or .jsonl file (for 'report', 'card')."
        ),
    ] = None,
    as_json: JsonFlag = False,
) -> None:
    """List, filter, compare and export the results of a grid.

    Example: 'evaluate-bias results out --method weat --compare'
    """
    from .experiments.export import chosen
    from .experiments.export import export as write
    from .experiments.store import Store

    if items and export is None:
        raise InputError("--items goes with --export FILE: every test, group and item is a long list")
    with Store(store, read_only=True) as opened:
        if failed:
            _print_failures([f for f in opened.failures() if _is_chosen(f, model, method)], as_json)
            return
        whole = export is not None and (items or export.suffix.lower() == ".jsonl")
        pairs = opened.results(history=history, rows=whole)
        broken = len(opened.failures())
    pairs = chosen(pairs, model=model, method=method, data=data, language=language, seed=seed)
    if export is not None:
        say(f"{len(pairs)} results: {write(pairs, export, items=items)}")
    elif as_json:
        from .experiments.export import lines

        typer.echo(json.dumps(lines(pairs), ensure_ascii=False))
    elif by_model:
        _print_comparison(pairs)
    else:
        _print_results(pairs, broken)


def _is_chosen(failure: Failure, model: str, method: str) -> bool:
    from fnmatch import fnmatchcase

    return fnmatchcase(failure.unit.model, model) and fnmatchcase(failure.unit.method, method)


def _print_failures(failures: list[Failure], as_json: bool) -> None:
    if as_json:
        facts = [
            {"unit": str(f.unit), "key": f.unit.key, "kind": f.kind, "reason": f.reason} for f in failures
        ]
        typer.echo(json.dumps(facts, ensure_ascii=False))
        return
    table = new_table("Without a result", "unit", "", "reason")
    for failure in failures:
        table.add_row(escape(str(failure.unit)), failure.kind, escape(failure.reason))
    new_console().print(table)


def _print_results(pairs: list[Any], broken: int) -> None:
    table = new_table(
        "Results", "model", "method", "data", "settings", "score", "95% interval", "p", "ideal", "n"
    )
    for unit, r in pairs:
        data = f"{unit.data} {unit.language}".strip()
        settings = f"{unit.settings} {f'seed={unit.seed}' if unit.seed else ''}".strip()
        interval = "—" if r.ci_low is None or r.ci_high is None else f"{r.ci_low:.2f} to {r.ci_high:.2f}"
        cells = (
            unit.model,
            unit.method,
            data,
            settings,
            f"{r.score:.3f}",
            interval,
            _p(r.p_value),
            f"{r.ideal:.3g}",
        )
        table.add_row(*map(escape, cells), str(r.n))
    console = new_console()
    console.print(table)
    more = f"; {broken} units have none (--failed)" if broken else ""
    console.print(f"{len(pairs)} results{more}", highlight=False)


def _p(value: float | None) -> str:
    if value is None:
        return "—"
    return "<0.001" if value < 0.001 else f"{value:.3f}"


def _print_comparison(pairs: list[Any]) -> None:
    from .experiments.export import compare

    models, table_lines = compare(pairs)
    table = new_table("Scores by model", "method", "data", "settings", "ideal", *models)
    for line in table_lines:
        found = line["results"]
        seed = f"seed={line['seed']}" if line["seed"] else ""
        first = next(iter(found.values()))
        cells = [
            line["method"],
            f"{line['data']} {line['language']}".strip(),
            f"{line['settings']} {seed}".strip(),
        ]
        cells.append(f"{first.ideal:.3g}" if len({r.ideal for r in found.values()}) == 1 else "")
        cells += [f"{found[m].score:.3f}" if m in found else "" for m in models]
        table.add_row(*map(escape, cells))
    new_console().print(table)
