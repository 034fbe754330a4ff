"""The command ``verify``; heavy imports are made inside it."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import Annotated

import typer

from ..errors import InputError, quoted
from ..files import atomic_write
from .output import JsonFlag, new_console, print_table, printable, refuse_irregular, say

_EXIT = {"true": 0, "stale": 1, "false": 1, "not verifiable": 3}


def verify(
    place: Annotated[str, typer.Argument(help="Folder with scores.parquet, or the Hub id of a model.")],
    card: Annotated[
        Path | None, typer.Option(help="The model card; default: README.md in the folder.")
    ] = None,
    revision: Annotated[str | None, typer.Option(help="Revision of the Hub repository.")] = None,
    out: Annotated[Path | None, typer.Option("--out", "-o", help="File for a summary in Markdown.")] = None,
    as_json: JsonFlag = False,
) -> None:
    """Recompute the results from the recorded scores, without the model; write card and report again and compare.

    Each line is true, stale (from an earlier result), false, or not verifiable; every other than a true one is listed.
    Exit code 1: something is false or stale; 3: nothing is, but something could not be verified.

    Example: 'evaluate-bias run -m glove-6b-50d --method weat -o out --record', then 'evaluate-bias verify out'
    """
    import json

    from rich.text import Text

    from ..report.verify import verify as verify_folder

    refuse_irregular(out)
    folder = Path(place)
    with ExitStack() as stack:
        if not folder.exists() and place.count("/") == 1 and not place.startswith((".", "~")):
            from ..hub.client import fetched_card

            if card is not None:
                raise InputError("--card belongs to a folder; a repository is verified with its own card")
            folder = stack.enter_context(fetched_card(place, revision=revision))
        elif revision is not None:
            raise InputError(f"--revision belongs to a Hub repository, but {quoted(place)} is a folder")
        verification = verify_folder(folder, card=card)
    if out is not None:
        atomic_write(out, verification.to_markdown())
    if as_json:
        typer.echo(json.dumps(verification.to_dict(), ensure_ascii=False))
    else:
        print_table(verification.table)
        console, problems = new_console(), verification.problems
        for line in (line for check in problems[:_MOST] for line in check.diff()):
            console.print(Text(printable(line), {"@": "yellow", "-": "red", "+": "green"}[line[0]]))
        if len(problems) > _MOST:
            console.print(f"… and {len(problems) - _MOST} more: --out and --json list all")
        for note in verification.notes:
            say(f"note: {note}")
    raise typer.Exit(_EXIT[verification.verdict])


_MOST = 100
"""Most differences that are printed."""
