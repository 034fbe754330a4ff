"""The command ``results``: the contents of a grid's store. Heavy imports are made inside it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..errors import InputError
from ..text import counted
from .output import JsonFlag, new_console, print_table, printable, say

if TYPE_CHECKING:
    from ..experiments.store import Failure
    from ..experiments.unit import Unit
    from ..result import Result

_MEASUREMENT, _MODEL = 40, 18
"""Columns of a terminal for what was measured and its ideal, and for a model next to them."""

HistoryFlag = Annotated[
    bool,
    typer.Option(
        "--history",
        help="Also show results that a later measurement replaced. With --failed, also runs that the last "
        "command did not plan.",
    ),
]


def results(
    store: Annotated[Path, typer.Argument(help="The folder of 'run --out', or its file of results.")],
    model: Annotated[
        str, typer.Option("--model", "-m", help="Only models of this name (* matches anything).")
    ] = "*",
    method: Annotated[str, typer.Option("--method", help="Only these methods.")] = "*",
    dataset: Annotated[str, typer.Option("--dataset", help="Only data sets of this name.")] = "*",
    language: Annotated[str, typer.Option("--language", "-l", help="Only data in this language.")] = "*",
    seed: Annotated[int | None, typer.Option("--seed", help="Only this seed.")] = None,
    by_model: Annotated[
        bool, typer.Option("--compare", help="One line per measurement, one column per model.")
    ] = False,
    items: Annotated[
        bool, typer.Option("--items", help="With --export: a line for every test, group and item, too.")
    ] = False,
    history: HistoryFlag = False,
    failed: Annotated[
        bool,
        typer.Option("--failed", help="List runs of the last command without a result, and the reasons."),
    ] = False,
    export: Annotated[
        Path | None,
        typer.Option(
            "--export",
            help="Write the results to a .csv, .parquet or .jsonl file (.jsonl for 'report' and 'card'), or as records "
            "of Every Eval Ever into a folder named eee.",
        ),
    ] = None,
    as_json: JsonFlag = False,
) -> None:
    """List, filter, compare and export the results of a grid.

    Example: 'evaluate-bias results out --method weat --compare'
    """
    from ..experiments.export import chosen, lines
    from ..experiments.export import export as write
    from ..experiments.sources import read_pairs

    as_records = export is not None and export.name == "eee"
    if items and (export is None or as_records):
        raise InputError("--items goes with --export FILE: the list of every test, group and item is long")
    filters: dict[str, Any] = {
        "model": model, "method": method, "data": dataset, "language": language, "seed": seed,
    }  # fmt: skip
    whole = as_records or (export is not None and (items or export.suffix.lower() == ".jsonl"))
    pairs, failures = read_pairs(store, history=history, rows=whole)
    if failed:
        _print_failures([f for _, f in chosen([(f.unit, f) for f in failures], **filters)], as_json=as_json)
        return
    broken = sum(failure.current for failure in failures)
    n_stored = len(pairs)
    pairs = chosen(pairs, **filters)
    if export is not None and as_records:
        from ..files import atomic_write
        from ..integrations.every_eval_ever import every_eval_ever_files

        files, notes = every_eval_ever_files([result for _, result in pairs])
        for path, text in files.items():
            say(str(atomic_write(export / path, text)))
        for note in notes:
            say(f"note: {note}")
    elif export is not None:
        say(f"{counted(len(pairs), 'result')}: {write(pairs, export, items=items)}")
    elif as_json:
        typer.echo(json.dumps(lines(pairs), ensure_ascii=False))
    else:
        (_print_comparison if by_model else _print_results)(pairs)
        more = f"; {counted(broken, 'run')} without one (--failed)" if broken else ""
        fit = f" of {n_stored:,} in {store} fit these filters" if n_stored and not pairs else ""
        say(f"{counted(len(pairs), 'result')}{fit}{more}")


def _print_failures(failures: list[Failure], *, as_json: bool) -> None:
    if as_json:
        facts = [
            {"run": str(f.unit), "key": f.unit.key, "kind": f.kind, "reason": f.reason, "current": f.current}
            for f in failures
        ]
        typer.echo(json.dumps(facts, ensure_ascii=False))
        return
    groups: dict[tuple[str, str], list[Unit]] = {}
    for failure in failures:
        kind = failure.kind if failure.current else f"{failure.kind}, not planned by the last run"
        groups.setdefault((kind, failure.reason), []).append(failure.unit)
    for (kind, reason), units in groups.items():
        typer.secho(printable(f"{kind}: {reason}"), bold=True)
        for unit in units:
            say(f"  {unit}")
    say(f"{counted(len(failures), 'run')} without a result")


def _print_results(pairs: list[tuple[Unit, Result]]) -> None:
    from ..report.data_facts import outdated
    from ..report.reading import read
    from ..report.row_tables import score_table
    from ..report.table import table_of

    scores = score_table([read(result).head for _, result in pairs])
    columns = [column for column in scores.columns if column.number and column.title != "coverage"]
    titles = ("model", "measurement", *(column.title for column in columns))
    rows = [
        (unit.model, unit.title, *(column.cell(head) for column in columns))
        for (unit, _), head in zip(pairs, scores.rows, strict=True)
    ]
    if rows:
        print_table(table_of(titles, rows, numbers=range(2, len(titles)), title="Results"))
    for old in dict.fromkeys(filter(None, (outdated(r) for _, r in pairs))):
        say(f"note: {old}")


def _print_comparison(pairs: list[tuple[Unit, Result]]) -> None:
    from ..report.reading import RowReading, read
    from ..report.row_tables import COLUMNS
    from ..report.table import table_of

    score, ideal, with_ties = (COLUMNS[name].cell for name in ("score", "ideal", "with_ties"))
    models = sorted({unit.model for unit, _ in pairs})
    measurements: dict[tuple[Any, ...], tuple[str, dict[str, RowReading]]] = {}
    for unit, result in pairs:
        _, heads = measurements.setdefault(unit.measurement[1:], (unit.title, {}))
        heads[unit.model] = read(result).head
    at_once = max(1, (new_console().width - _MEASUREMENT) // _MODEL)
    for start in range(0, len(models), at_once):
        part = models[start : start + at_once]
        rows = []
        for _, (title, heads) in sorted(measurements.items()):
            ideals = {str(ideal(head)) for head in heads.values()}
            mixed = len(ideals) > 1
            scores = {m: f"{score(h)}{f' ({ideal(h)})' if mixed else ''}" for m, h in heads.items()}
            of_models = (scores.get(m, "") for m in part)
            rows.append((title, "in brackets" if mixed else ideals.pop(), *of_models))
            if any(head.with_ties for head in heads.values()):
                with_all = (str(with_ties(heads[m])) if m in heads else "" for m in part)
                rows.append(("… with ties", "in brackets", *with_all))
        titles = ("measurement", "ideal", *part)
        print_table(table_of(titles, rows, numbers=(1,), title="Scores by model"))
