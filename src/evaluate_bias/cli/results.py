"""The command ``results``: what the store of a grid holds; heavy imports are made inside it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..errors import InputError
from ..text import counted, plain_p
from .output import JsonFlag, new_console, print_table, printable, say

if TYPE_CHECKING:
    from ..experiments.store import Failure
    from ..experiments.unit import Unit
    from ..report.lines import ReportRow
    from ..result import Result

_MEASUREMENT, _MODEL = 40, 18
"""Columns of a terminal that what was measured and its ideal take, and that a model takes beside them."""

HistoryFlag = Annotated[
    bool,
    typer.Option(
        "--history",
        help="Also show results that a later measurement replaced; with --failed, also runs that the last "
        "command did not plan.",
    ),
]


def results(
    store: Annotated[Path, typer.Argument(help="The folder of 'run --out', or its file of results.")],
    model: Annotated[
        str, typer.Option("--model", "-m", help="Only models of this name; * matches anything.")
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
        _write_records([result for _, result in pairs], export)
    elif export is not None:
        say(f"{counted(len(pairs), 'result')}: {write(pairs, export, items=items)}")
    elif as_json:
        typer.echo(json.dumps(lines(pairs), ensure_ascii=False))
    else:
        (_print_comparison if by_model else _print_results)(pairs)
        more = f"; {counted(broken, 'run')} without one (--failed)" if broken else ""
        fit = f" of {n_stored:,} in {store} fit these filters" if n_stored and not pairs else ""
        say(f"{counted(len(pairs), 'result')}{fit}{more}")


def _write_records(results: list[Result], folder: Path) -> None:
    from ..files import atomic_write
    from ..integrations.every_eval_ever import every_eval_ever_files

    files, notes = every_eval_ever_files(results)
    for path, text in files.items():
        say(str(atomic_write(folder / path, text)))
    for note in notes:
        say(f"note: {note}")


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
    from ..report.reading import RowReading, read
    from ..report.row_tables import COLUMNS
    from ..report.table import Table, TableColumn

    levels = {r.confidence_level for _, r in pairs}
    interval = f"{100 * next(iter(levels)):g}% interval" if len(levels) == 1 else "interval"
    rows = [(unit, read(r).head) for unit, r in pairs]
    columns: list[TableColumn[tuple[Unit, RowReading]]] = [
        TableColumn("model", lambda r: r[0].model),
        TableColumn("measurement", lambda r: r[0].title),
        TableColumn("score", lambda r: _number(r[1].line.score), True),
        TableColumn(interval, lambda r: _interval(r[1].line, with_level=len(levels) > 1), True),
        TableColumn("p", lambda r: plain_p(r[1].line.row.p_value), True),
        TableColumn("ideal", lambda r: f"{r[1].line.ideal:.3g}", True),
        TableColumn("n", lambda r: r[1].line.row.n, True),
    ]
    if any(head.with_ties for _, head in rows):
        with_ties = COLUMNS["with_ties"]
        columns.append(TableColumn(with_ties.title, lambda r: with_ties.cell(r[1]), True))
    if rows:
        print_table(Table(columns, rows, "Results"))
    for old in dict.fromkeys(filter(None, (outdated(r) for _, r in pairs))):
        say(f"note: {old}")


def _number(value: float) -> str:
    return f"{value:.3f}" if value == 0 or abs(value) >= 0.01 else f"{value:.2g}"


def _interval(r: ReportRow, *, with_level: bool) -> str:
    if r.row.ci_low is None or r.row.ci_high is None:
        return "—"
    form = ".2f" if max(abs(r.row.ci_low), abs(r.row.ci_high)) >= 0.1 else ".2g"
    level = f" ({100 * r.result.confidence_level:g}%)" if with_level else ""
    return f"{r.row.ci_low:{form}} to {r.row.ci_high:{form}}{level}"


def _print_comparison(pairs: list[tuple[Unit, Result]]) -> None:
    from ..experiments.export import compare
    from ..report.reading import read
    from ..report.table import table_of

    models, table_lines = compare(pairs)
    at_once = max(1, (new_console().width - _MEASUREMENT) // _MODEL)
    for start in range(0, len(models), at_once):
        part = models[start : start + at_once]
        rows = []
        for line in table_lines:
            heads = {m: read(result).head for m, result in line["results"].items()}
            ideals = {f"{head.line.ideal:.3g}" for head in heads.values()}
            mixed = len(ideals) > 1
            scores = {
                m: f"{_number(head.line.score)}{f' ({head.line.ideal:.3g})' if mixed else ''}"
                for m, head in heads.items()
            }
            rows.append(
                (line["title"], "in brackets" if mixed else ideals.pop(), *(scores.get(m, "") for m in part))
            )
            if any(head.with_ties for head in heads.values()):
                with_ties = (heads[m].with_ties or "—" if m in heads else "" for m in part)
                rows.append(("… with ties", "in brackets", *with_ties))
        titles = ("measurement", "ideal", *part)
        print_table(table_of(titles, rows, numbers=(1,), title="Scores by model"))
