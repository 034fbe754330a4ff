"""The command ``levels``; heavy imports are made inside it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ..files import atomic_write
from .output import SOME_FAILED, JsonFlag, print_notes, print_table, refuse_irregular, say

_PICTURES = ("levels.svg", "levels.png")
_FILES = ("levels.md", "levels.json", *_PICTURES, "results.jsonl")


def levels(
    model: Annotated[
        list[str], typer.Option("--model", "-m", help="Model to measure, as 'run' takes it; repeatable.")
    ],
    construct: Annotated[
        str, typer.Option("--construct", "-c", help="Name of a construct, or its YAML file.")
    ] = "gender_math",
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            "-o",
            help="Folder for levels.md, .json, .svg and .png; the results are added to those that it has.",
        ),
    ] = None,
    as_json: JsonFlag = False,
) -> None:
    """Measure one association in a model's vectors, likelihoods, word choice, decisions and texts.

    Each level is measured with the first method of the construct that the model can take part in. Exit code 3: no level
    of a model could be measured.

    Example: 'evaluate-bias levels -m glove-6b-50d -m minilm-l6 --construct gender_career'
    """
    from ..experiments.sources import add_results, holds_results
    from ..report.levels import levels as measured
    from ..report.levels import levels_plot

    refuse_irregular(*(out and out / name for name in _FILES))
    if out is not None and holds_results(out):
        add_results([], out)  # refused before anything is measured, where they cannot be added to
    outcome = measured(list(dict.fromkeys(model)), construct)
    if out is not None:
        atomic_write(out / "levels.md", outcome.to_markdown())
        atomic_write(out / "levels.json", outcome.to_json(indent=1) + "\n")
        if outcome.results:
            add_results(outcome.results, out)
        for name in _PICTURES:
            (out / name).unlink(missing_ok=True)
        if any(row.deviation is not None for row in outcome.rows):
            levels_plot(outcome, out / "levels")
    if as_json:
        typer.echo(outcome.to_json(indent=1))
    else:
        print_table(outcome.table)
        for sentence in outcome.sentences:
            say(sentence)
        if outcome.correlations:
            print_table(outcome.correlation_table)
        print_notes(outcome.notes)
    if any(all(row.line is None for row in outcome.rows if row.model == name) for name in outcome.models):
        raise typer.Exit(SOME_FAILED)
