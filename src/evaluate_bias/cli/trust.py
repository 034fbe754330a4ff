"""The command ``trust``; heavy imports are made inside it."""

from __future__ import annotations

import json

import typer

from .output import JsonFlag, ResultsArgument, print_table, say


def trust(
    results: ResultsArgument,
    as_json: JsonFlag = False,
) -> None:
    """Say how far each score can be relied on, and why: solid, fragile or not measurable here.

    Include results on robustness, such as those of 'run --method seed_sensitivity', in the same file.

    Example: 'evaluate-bias trust out'
    """
    from ..experiments.sources import read_results
    from ..report.table import Table, TableColumn
    from ..report.trust import TrustRow
    from ..report.trust import trust as judged

    table = judged(read_results(results))
    if as_json:
        frame = table.to_frame()
        lines = frame.astype(object).where(frame.notna(), None).to_dict("records")
        typer.echo(json.dumps(lines, ensure_ascii=False, allow_nan=False))
        return
    if not table.rows:
        say("no score to judge: these results are all about measurements")
        return
    columns: tuple[TableColumn[TrustRow], ...] = (
        TableColumn("model", lambda r: r.model),
        TableColumn("score", lambda r: f"{r.title} {r.value}"),
        TableColumn("robustness", lambda r: r.robustness),
        TableColumn("verdict", lambda r: r.verdict.value),
        TableColumn("why", lambda r: r.reason),
    )
    print_table(Table(columns, table.rows, "How far to trust each score"))
    if commands := dict.fromkeys(command for row in table.rows for command in row.commands):
        say("What is not measured; for the same folder add -o FOLDER --append:")
        for command in commands:
            say(f"  {command}")
