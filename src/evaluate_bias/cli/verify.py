"""The command ``verify``; heavy imports are made inside it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ..errors import InputError, quoted
from ..files import atomic_write
from .output import JsonFlag, escape, new_console, print_table, refuse_irregular, say

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
    """Recompute every number of results, report and card from the recorded scores, without the model.

    Each is true, stale (from an earlier result), false, or not verifiable. Exit code 1: something is false or stale;
    3: nothing is, but something could not be verified.

    Example: 'evaluate-bias run -m glove-6b-50d --method weat -o out --record', then 'evaluate-bias verify out'
    """
    import json

    from ..report.verify import verify as verify_folder
    from ..report.verify.verdicts import VERDICTS

    refuse_irregular(out)
    folder = Path(place)
    if not folder.exists() and place.count("/") == 1 and not place.startswith((".", "~")):
        from ..hub.fetch_card import fetch_card

        if card is not None:
            raise InputError("--card belongs to a folder; a repository is verified with its own card")
        folder = fetch_card(place, revision=revision)
    elif revision is not None:
        raise InputError(f"--revision belongs to a Hub repository, but {quoted(place)} is a folder")
    found = verify_folder(folder, card=card)
    if out is not None:
        atomic_write(out, found.to_markdown())
    if as_json:
        typer.echo(json.dumps(found.to_dict(), ensure_ascii=False))
    else:
        counts = [(file, *(str(n[v]) for v in VERDICTS)) for file, n in found.counts().items()]
        print_table(f"Verified: {found.verdict}", ("file", *VERDICTS), counts)
        console = new_console()
        for check in found.problems[:_MOST]:
            words = [f"written {_short(check.shown)}"] if check.shown else []
            words += [f"recomputed {_short(check.expected)}"] if check.expected else []
            words += [check.reason] if check.reason else []
            console.print(
                f"[yellow]{check.verdict}[/] {escape(f'{check.where}: ' + '; '.join(words))}", highlight=False
            )
        if len(found.problems) > _MOST:
            console.print(f"… and {len(found.problems) - _MOST} more")
        for note in found.notes:
            say(f"note: {note}")
    raise typer.Exit(_EXIT[found.verdict])


_MOST = 30
"""Most numbers that are listed."""


def _short(text: str) -> str:
    return text if len(text) <= 100 else f"{text[:97]}…"
