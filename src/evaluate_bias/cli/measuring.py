"""Measure the request of ``run``, store the results in a folder that may already have some, and report the outcome.

Commands import this module when they run: its imports are heavy.
"""

from __future__ import annotations

import dataclasses
import json
import shlex
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from itertools import islice
from pathlib import Path
from typing import Any

import typer

from ..errors import InputError, MeasurementError
from ..experiments.executors import Executor
from ..experiments.identity import model_name
from ..experiments.plan import Plan, Problem, make_plan
from ..experiments.requests import Requests, count_requests
from ..experiments.run import RunSummary, run_grid
from ..experiments.sources import RESULTS_FILE
from ..experiments.store import STORE_FILE, Failure, Store, store_path
from ..experiments.unit import Unit
from ..experiments.worker import Outcome
from ..files import require_regular_or_absent, short_path
from ..progress import SHOWS_PROGRESS
from ..result import Result
from ..text import counted
from .flags import RunRequest
from .output import (
    SOME_FAILED,
    WRONG_USE,
    duration,
    escape,
    new_console,
    print_error,
    print_notes,
    print_skipped,
    result_table,
    say,
    status,
)

_MOST_LISTED = 20
_MOST_REQUESTS = 10_000
"""Requests that a run makes without being told to."""


def run(
    request: RunRequest,
    out: Path,
    executor: Executor | None,
    *,
    keeps: bool = True,
    append: bool = False,
    overwrite: bool = False,
    yes: bool = False,
    as_json: bool = False,
) -> None:
    """Measure a request, show the results if flags made it, and say how many units were measured.

    Args:
        request: what is to be measured.
        out: the folder of the results.
        executor: what runs the units.
        keeps: False if the folder is removed afterwards, so that all results are printed.
        append: keep results of other measurements that the folder has.
        overwrite: replace the results that it has.
        yes: make more than 10,000 requests to models.
        as_json: print JSON.

    Raises:
        InputError: the folder has other results, which are neither to be kept nor to be replaced.
    """
    plan = planned_units(request)
    print_notes(request.notes)
    by_flags, n_settled = request.file is None, 0
    lists_results = by_flags or not keeps
    file = require_regular_or_absent(out / RESULTS_FILE)
    has_others, shows_results = file.exists(), lists_results and not as_json
    if (out / STORE_FILE).is_file() and not overwrite:
        with Store(out, read_only=True) as store:
            has_others = not {unit.key for unit in store.units(history=True)}.issubset(plan.keys)
            n_settled = len(store.settled(plan.units))
    if has_others and not (append or overwrite):
        raise InputError(
            f"{file} exists", hint="add --append to keep its results or --overwrite to replace them"
        )
    _check_requests(plan, out, yes=yes, overwrite=overwrite)
    if shows_results and not overwrite:
        show_results(_results_of(plan, out))
    total, spinner = len(plan.units), ExitStack()

    def wait() -> None:
        text = f"measuring, {n_settled:,} of {counted(total, 'run')} done"
        spinner.enter_context(status(text, quiet=as_json))

    def on_unit(outcome: Outcome) -> None:
        nonlocal n_settled
        spinner.close()
        n_settled += 1
        if total > 1 and not (as_json or sys.stderr.isatty()):
            end = {"measured": f"{outcome.seconds:.1f} s", "unsuitable": "left out", "failed": "failed"}
            say(f"{n_settled:,} of {total:,}: {_label(outcome.unit)}, {end[outcome.kind]}", err=True)
        if shows_results and outcome.kind == "measured":
            show_results([Result.from_json(outcome.result)])
        wait()

    with spinner:
        wait()
        try:
            summary = run_grid(plan, out, executor=executor, on_unit=on_unit, replace=overwrite)
        except KeyboardInterrupt:
            if keeps:
                say("stopped: the results are kept, and the same command continues from there", err=True)
            raise
    # A result that should have been replaced but was not is not a result of this run.
    results = _results_of(plan, out) if lists_results and (summary.measured or not overwrite) else []
    if as_json:
        facts: Any = [r.to_dict() for r in results] if lists_results else _summary_facts(summary)
        typer.echo(json.dumps(facts, ensure_ascii=False))
    else:
        print_notes(summary.notes)
        for unit in summary.damaged:
            say(f"the result was damaged and is measured again: {unit}", err=True)
    order = {key: i for i, key in enumerate(plan.keys)}
    with Store(out, read_only=True) as store:
        has_results = bool(results) if by_flags else any(u.key in order for u in store.units(history=True))
        failures = sorted(
            (f for f in store.failures(history=True) if f.unit.key in order), key=lambda f: order[f.unit.key]
        )
    # A grid combines models with methods that do not fit them. Somebody who names both in flags expects a result.
    unfit = [f for f in failures if f.kind == "unsuitable" and not by_flags]
    failed = [*request.refused, *_errors([f for f in failures if f not in unfit], plan)]
    if not has_results and len(failed) == 1:
        raise failed[0][1]
    if not as_json:
        for what, reason in grouped(unfit, "unsuitable"):
            say(f"left out: {what}: {reason}", err=True)
    if by_flags or not as_json:
        for what, error in failed:
            print_error(error, what)
    if has_results and not keeps:
        say("the results are not kept: add --out FOLDER to keep them, and for reports and cards", err=True)
    elif SHOWS_PROGRESS.get() and not as_json and (has_results or not by_flags):
        _print_summary(summary, out)
        if has_results:
            say(f"wrote {out / RESULTS_FILE}; next: evaluate-bias report {shlex.quote(str(out))}")
    if failed or (unfit and not has_results):
        raise typer.Exit(SOME_FAILED if has_results else 1)


def _check_requests(plan: Plan, out: Path, *, yes: bool, overwrite: bool) -> None:
    """Say how many requests to models a run will make, and refuse too many."""
    missing, file = {unit.key for unit in plan.units}, None
    if store_path(out).is_file():
        file = store_path(out)
        if not overwrite:
            with Store(out, read_only=True) as store:
                missing -= store.settled(plan.units)
    requests = count_requests(plan, missing, file, contact=False)
    print_requests(requests, err=True)
    if (n := sum(one.number for one in requests)) > _MOST_REQUESTS and not yes:
        extent = "at least" if any(one.at_least for one in requests) else "up to"
        hint = "add --yes to make them, or measure fewer rows with --limit"
        print_error(
            InputError(f"this run may make {extent} {n:,} requests to models", option="yes", hint=hint)
        )
        raise typer.Exit(WRONG_USE)


def print_requests(requests: Sequence[Requests], *, err: bool = False) -> None:
    """Print how many requests each model gets at most, and how long they may take."""
    for r in requests:
        source = {
            "assumed": "assuming",
            "questions": "as the server answered at",
            "earlier runs": "as before at",
        }
        rate = f"{r.rate:,.0f}" if r.rate >= 10 else f"{r.rate:.2g}"
        time = f"about {duration(r.number / r.rate)}, {source[r.basis]} {rate} requests a second"
        tokens = f" for at most {counted(r.reply_tokens, 'token')} of replies" * (r.reply_tokens > 0)
        number = f"at most {counted(r.number, 'request')}{tokens}"
        if r.at_least:
            number, time = (
                f"at least {counted(r.number, 'request')}",
                f"at least {time.removeprefix('about ')}",
            )
        asks = f", and {counted(r.questions, 'question')} about what the server can do" * (r.questions > 0)
        say(f"{r.model}: {number}{asks}: {time}", err=err)
        print_notes([f"{r.model}: {r.problem}"] if r.problem else [])


def _results_of(plan: Plan, out: Path) -> list[Result]:
    """Return the stored results of a plan, in the order of its units."""
    if not (out / STORE_FILE).is_file():
        return []
    with Store(out, read_only=True) as store:
        stored = {unit.key: result for unit, result in store.in_order(history=True)}
    return [stored[unit.key] for unit in plan.units if unit.key in stored]


def show_results(results: Iterable[Result]) -> None:
    """Print results, each with its warnings and with what was omitted."""
    console = new_console()
    for result in results:
        console.print(result_table(result))
        for warning in result.warnings:
            console.print(f"[yellow]note:[/] {escape(warning)}")
        print_skipped(result)


def _errors(failures: Sequence[Failure], plan: Plan) -> list[tuple[str, Exception]]:
    """Return the units without a result, with the reason. An error that concerns a whole model is listed once."""
    not_found = {problem.reason: problem.unit.model for problem in plan.problems if problem.of_model}
    errors: dict[str, tuple[str, Exception]] = {}
    for what, reason in grouped(failures, "failed"):
        if reason in not_found:
            what = f"loading {short_path(not_found[reason])}"
        elif reason.startswith("loading "):  # as the worker says it
            what = ""
        errors.setdefault(reason, (what, MeasurementError(reason)))
    return list(errors.values())


def executor_of(
    workers: int | None, threads: int | None, ray: str | None, cpus: float, gpus: float, memory: float | None
) -> Executor | None:
    """Return the executor of the units: processes, a cluster, or this process."""
    if threads is not None and workers is None:
        raise InputError("--threads sets the threads of each process: it goes with --workers")
    if ray is not None:
        if workers is not None:
            raise InputError(
                "--workers are processes of this machine and --ray is a cluster", hint="give one of them"
            )
        from ..experiments.executors.ray_cluster import RayCluster

        return RayCluster(ray, cpus=cpus, gpus=gpus, memory=memory)
    if memory is not None or (cpus, gpus) != (1, 0):
        raise InputError("--cpus, --gpus and --memory describe the tasks of a cluster: they go with --ray")
    if workers is None:
        return None
    from ..experiments.executors.processes import Processes

    return Processes(workers, threads=threads)


def _summary_facts(summary: RunSummary) -> dict[str, Any]:
    def listed(failures: list[Failure]) -> list[dict[str, Any]]:
        return [{"run": str(f.unit), "key": f.unit.key, "reason": f.reason} for f in failures]

    return {
        **vars(summary),
        "damaged": [{"run": str(unit), "key": unit.key} for unit in summary.damaged],
        "unsuitable": listed(summary.unsuitable),
        "failed": listed(summary.failed),
        "seconds": round(summary.seconds, 3),
        "log": str(summary.log),
    }


def _print_summary(summary: RunSummary, out: Path) -> None:
    counts = {
        "already stored": summary.already_stored,
        "measured by another run": summary.measured_by_other_run,
        "left out": len(summary.unsuitable),
        "failed": len(summary.failed),
    }
    parts = [f"{summary.measured:,} measured", *(f"{n:,} {what}" for what, n in counts.items() if n)]
    say(f"{counted(summary.planned, 'run')}: {', '.join(parts)}; {summary.seconds:.1f} s; log: {summary.log}")


def _label(unit: Unit) -> str:
    return str(dataclasses.replace(unit, model=model_name(unit.model)))


def grouped(failures: Sequence[Failure | Problem], kind: str) -> Iterator[tuple[str, str]]:
    """Return units without a result, grouped by reason, with the reason."""
    groups: dict[tuple[str, str], list[Unit]] = {}
    for failure in failures:
        groups.setdefault((failure.unit.model, failure.reason), []).append(failure.unit)
    for (_, reason), (unit, *others) in islice(groups.items(), _MOST_LISTED):
        more = f" and {counted(len(others), 'other')}" if others else ""
        yield f"{_label(unit)}{more}", reason
    if len(groups) > _MOST_LISTED:
        yield f"{len(groups) - _MOST_LISTED} more", f"{kind}; --json lists all"


def planned_units(request: RunRequest) -> Plan:
    """Return the plan of a request. Entries that no unit uses are printed, and a plan without units is an error."""
    plan = make_plan(request.config)
    print_notes(plan.notes)
    if not (request.refused or plan.units or plan.problems):
        text = "there is nothing to measure: no method is for a model that was named"
        if request.file is not None:
            text = f"{short_path(request.file)} names no run to measure: see its models, include and exclude"
        print_error(InputError(text))
        raise typer.Exit(WRONG_USE)
    return plan
