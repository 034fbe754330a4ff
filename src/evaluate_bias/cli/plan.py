"""The command ``plan``. Heavy imports are made inside it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..errors import InputError
from ..text import counted
from .output import SOME_FAILED, JsonFlag, duration, print_error, print_table, say

if TYPE_CHECKING:
    from ..experiments.fitting import Cost
    from ..experiments.plan import Plan
    from ..experiments.store import State
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
    """Show what 'evaluate-bias run CONFIG' would measure.

    The plan shows the runs, shared work, cost, and the results already in the store.

    Example: 'evaluate-bias plan grid.yaml --out out'
    """
    from ..experiments.config import json_schema
    from ..experiments.config_file import read_config
    from ..experiments.fitting import estimate
    from ..experiments.requests import count_requests
    from ..experiments.store import Store, store_path
    from .flags import RunRequest
    from .measuring import planned_units, print_requests

    if schema:
        typer.echo(json.dumps(json_schema(), indent=2, ensure_ascii=False))
        return
    if config is None:
        raise InputError("plan needs a config, such as 'evaluate-bias plan grid.yaml'")
    planned = planned_units(RunRequest(read_config(config), config))
    states: dict[str, State] = {unit.key: "missing" for unit in planned.units}
    file = None if out is None or not store_path(out).is_file() else store_path(out)
    with nullcontext() if file is None else Store(file, read_only=True) as store:
        if store is not None:
            damaged = store.damaged_names()
            states = {
                key: "missing" if key in damaged else s for key, s in store.states(planned.units).items()
            }
        costs = estimate(planned, store)
    pending = [unit for unit in planned.units if states[unit.key] in ("missing", "failed")]
    requests = count_requests(planned, {unit.key for unit in pending}, file)
    costs |= {key: cost for of_model in requests for key, cost in of_model.costs.items()}
    rows = {key: n for of_model in requests for key, n in of_model.rows.items()}
    missing = {unit.key: cost for unit in pending if (cost := costs[unit.key]).basis != "unfit"}
    unfit = [unit for unit in pending if costs[unit.key].basis == "unfit"]
    if as_json:
        facts = {
            "runs": len(planned.units),
            "missing": len(missing),
            "unfit": len(unfit),
            "seconds": round(sum(cost.seconds for cost in missing.values()), 3),
            "models": _model_facts(planned, states, costs, rows),
            "problems": [{"run": str(p.unit), "reason": p.reason} for p in planned.problems],
            "requests": [
                {"model": r.model, "requests": r.number, "at_least": r.at_least,
                 "reply_tokens": r.reply_tokens, "questions": r.questions,
                 "seconds": round(r.number / r.rate, 3), "basis": r.basis, "problem": r.problem}
                for r in requests
            ],
        }  # fmt: skip
        typer.echo(json.dumps(facts, ensure_ascii=False))
    else:
        _print_plan(planned, states, missing, unfit, rows)
        print_requests(requests)
    if planned.problems:
        raise typer.Exit(SOME_FAILED if planned.units else 1)


def _model_facts(
    planned: Plan, states: dict[str, State], costs: dict[str, Cost], rows_asked: dict[str, int]
) -> list[dict[str, Any]]:
    def unit_facts(unit: Unit) -> dict[str, Any]:
        return {
            "key": unit.key,
            "method": unit.method,
            "seed": unit.seed,
            "options": dict(unit.options),
            "state": states[unit.key],
            "seconds": round(costs[unit.key].seconds, 3),
            "basis": costs[unit.key].basis,
        }

    return [
        {
            "model": task.name,
            "bytes": task.size,
            "shared": [
                {
                    "data": units[0].data,
                    "language": units[0].language,
                    "rows": _rows(planned, data, units, rows_asked),
                    "characters": planned.work[data].characters,
                    "runs": list(map(unit_facts, units)),
                }
                for data, units in planned.shared(task).items()
            ],
        }
        for task in planned.tasks
    ]


def _rows(planned: Plan, data: str, units: Sequence[Unit], rows_asked: dict[str, int]) -> int:
    """Return the number of rows that units read, or the smaller number that they together ask about."""
    n = planned.work[data].rows
    return min(n, max(rows_asked.get(unit.key, n) for unit in units))


def _print_plan(
    planned: Plan,
    states: dict[str, State],
    missing: dict[str, Cost],
    unfit: list[Unit],
    rows_asked: dict[str, int],
) -> None:
    from ..report.table import table_of
    from .measuring import grouped

    rows = []
    for task in planned.tasks:
        for data, units in planned.shared(task).items():
            todo = [missing[unit.key] for unit in units if unit.key in missing]
            bases = {cost.basis for cost in todo}
            guess = ">" if "at least" in bases else "~" if bases & {"guessed", "counted"} else ""
            time = f"{guess}{sum(cost.seconds for cost in todo):.1f}" if todo else "—"
            n_stored = sum(states[unit.key] in ("measured", "unsuitable") for unit in units)
            methods = ", ".join(dict.fromkeys(unit.method for unit in units))
            about = f"{units[0].data} {units[0].language}".strip()
            n = _rows(planned, data, units, rows_asked)
            rows.append((task.name, about, methods, n, len(units), n_stored, time))
    titles = ("model", "data read once", "methods that share it", "rows", "runs", "there", "seconds")
    if rows:
        print_table(table_of(titles, rows, numbers=range(3, 7), title="Plan"))
    guessed = sum(cost.basis == "guessed" for cost in missing.values())
    note = f", guessed for {guessed:,} of them from the size of model and data" if guessed else ""
    time = duration(sum(cost.seconds for cost in missing.values()))
    about = "all there" if planned.units else "nothing to measure"
    if missing:
        about = "at least" if any(cost.basis == "at least" for cost in missing.values()) else "about"
        about = f"{len(missing):,} to measure: {about} {time} on one core{note}"
    say(f"{counted(len(planned.units), 'run')} on {counted(len(planned.tasks), 'model')}, {about}")
    if unfit:
        methods_of: dict[str, dict[str, None]] = {}
        for unit in unfit:
            methods_of.setdefault(unit.model, {})[unit.method] = None
        which = "; ".join(f"{', '.join(methods)} on {model}" for model, methods in methods_of.items())
        say(f"not planned, because a method does not fit its model: {counted(len(unfit), 'run')}: {which}")
    for name, reason in grouped(planned.problems, "that cannot be measured"):
        print_error(InputError(reason), name)
