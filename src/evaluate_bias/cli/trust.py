"""The command ``trust``; heavy imports are made inside it."""

from __future__ import annotations

import json

import typer

from .output import JsonFlag, ResultsArgument, escape, new_console, new_table, say


def register(app: typer.Typer) -> None:
    """Add the command of this file to the command line."""
    app.command()(trust)


def trust(
    results: ResultsArgument,
    as_json: JsonFlag = False,
) -> None:
    """Say how far each score can be relied on, and why: solid, fragile or not measurable here.

    Include results on robustness, such as those of 'run --method seed_sensitivity', in the same file.

    Example: 'evaluate-bias trust out'
    """
    from ..experiments.sources import read_results
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
    shown = new_table("How far to trust each score", "model", "score", "robustness", "verdict", "why")
    for row in table.rows:
        cells = [row.model, f"{row.title} {row.value}", row.robustness, row.verdict.value, row.reason]
        shown.add_row(*map(escape, cells))
    new_console().print(shown)
