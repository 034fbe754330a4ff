"""The command ``plan``; heavy imports are made inside it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..errors import InputError
from ..text import counted
from .flags import RunRequest
from .measuring import grouped, planned_units
from .output import SOME_FAILED, JsonFlag, print_error, print_notes, say
from .sheet import duration, print_sheet

if TYPE_CHECKING:
    from ..experiments.fitting import Cost
    from ..experiments.plan import Plan
    from ..experiments.store import State, Store
    from ..experiments.unit import Unit


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
    as_json: JsonFlag = False,
) -> None:
    """Show what 'evaluate-bias run CONFIG' would measure: units, shared work, cost, and results in the store.

    Example: 'evaluate-bias plan grid.yaml --out out'
    """
    from ..experiments.config import json_schema
    from ..experiments.fitting import estimate
    from ..experiments.reading import read_config
    from ..experiments.requests import count_requests
    from ..experiments.store import Store, store_path

    if schema:
        typer.echo(json.dumps(json_schema(), indent=2, ensure_ascii=False))
        return
    if config is None:
        raise InputError("plan needs a config, such as 'evaluate-bias plan grid.yaml'")
    planned = planned_units(RunRequest(read_config(config), config))
    store: Store | None = None
    if out is not None and store_path(out).is_file():
        store = Store(out, read_only=True)
    try:
        states: dict[str, State] = {unit.key: "missing" for unit in planned.units}
        if store:
            states = store.states(planned.units)
            states |= {key: "missing" for key in store.damaged_names() if key in states}
        costs = estimate(planned, store)
    finally:
        if store:
            store.close()
    missing = {key for key, state in states.items() if state in ("missing", "failed")}
    requests = count_requests(planned, missing, store.path if store else None)
    costs |= {key: cost for of_model in requests for key, cost in of_model.costs.items()}
    if as_json:
        facts = _plan_facts(planned, states, costs)
        facts["requests"] = [
            {
                "model": r.model,
                "requests": r.number,
                "least_requests": r.least,
                "reply_tokens": r.reply_tokens,
                "questions": r.questions,
                "problem": r.problem,
                "risk": r.risk,
            }
            for r in requests
        ]
        typer.echo(json.dumps(facts, ensure_ascii=False))
    else:
        _print_plan(planned, states, costs)
        for request in requests:
            questions = f"{counted(request.questions, 'question')} about what the server can do"
            tokens = f" for at most {counted(request.reply_tokens, 'token')} of replies" * (
                request.reply_tokens > 0
            )
            most = "at most " * (request.least < request.number)
            say(f"{request.model}: {most}{counted(request.number, 'request')}{tokens}, and {questions}")
            if request.problem:
                print_error(InputError(request.problem), request.model)
            print_notes([f"{request.model}: {request.risk}"] if request.risk else [])
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
    pending_units = [unit for unit in planned.units if states[unit.key] in ("missing", "failed")]
    unfit = [unit for unit in pending_units if costs[unit.key].basis == "unfit"]
    return [unit for unit in pending_units if costs[unit.key].basis != "unfit"], unfit


def _print_plan(planned: Plan, states: dict[str, State], costs: dict[str, Cost]) -> None:
    from ..report.table import table_of

    rows = []
    for task in planned.tasks:
        for data, units in planned.shared(task).items():
            n_done = sum(states[unit.key] in ("measured", "unsuitable") for unit in units)
            todo = [costs[u.key] for u in units if states[u.key] not in ("measured", "unsuitable")]
            todo = [cost for cost in todo if cost.basis != "unfit"]
            guess = "~" if any(cost.basis == "guessed" for cost in todo) else ""
            time = f"{guess}{sum(cost.seconds for cost in todo):.1f}" if todo else "—"
            methods = ", ".join(dict.fromkeys(unit.method for unit in units))
            about = f"{units[0].data} {units[0].language}".strip()
            rows.append((task.name, about, methods, planned.work[data].rows, len(units), n_done, time))
    names, numbers = (
        ("model", "data read once", "methods that share it"),
        ("rows", "units", "there", "seconds"),
    )
    if rows:
        print_sheet(table_of((*names, *numbers), rows, numbers=range(3, 7), title="Plan"))
    missing, unfit = _missing(planned, states, costs)
    seconds = sum(costs[unit.key].seconds for unit in missing)
    guessed = sum(costs[unit.key].basis == "guessed" for unit in missing)
    note = f", guessed for {guessed:,} of them from the size of model and data" if guessed else ""
    about = (
        f"{len(missing):,} to measure: about {duration(seconds)} on one core{note}"
        if missing
        else "all there"
        if planned.units
        else "nothing to measure"
    )
    say(f"{counted(len(planned.units), 'unit')} on {counted(len(planned.tasks), 'model')}, {about}")
    if unfit:
        models = {unit.model: [u.method for u in unfit if u.model == unit.model] for unit in unfit}
        which = "; ".join(
            f"{', '.join(dict.fromkeys(methods_left))} on {model}" for model, methods_left in models.items()
        )
        verb = "does not fit its model" if len(unfit) == 1 else "do not fit their models"
        say(f"{counted(len(unfit), 'unit')} {verb} and will be left out: {which}")
    for unit, reason in grouped(planned.problems, "that cannot be measured"):
        print_error(InputError(reason), unit)
