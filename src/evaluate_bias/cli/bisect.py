"""The command ``bisect``; heavy imports are made inside it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..errors import InputError
from ..files import atomic_write
from .flags import parse_options, typed_value
from .output import JsonFlag, LevelOption, SeedOption, print_notes, print_table, refuse_irregular, say, status

if TYPE_CHECKING:
    from ..checkpoints import Bisection

_FILES = ("bisection.md", "bisection.json", "bisection.svg", "bisection.png")


def bisect(
    run: Annotated[
        list[str],
        typer.Argument(
            help="Folder of a training run with checkpoint-N folders; or several models in the order of training, "
            "with NAME@REVISION for a revision on the Hub."
        ),
    ],
    *,
    method: Annotated[list[str], typer.Option("--method", "-m", help="Method to measure with; repeatable.")],
    out: Annotated[
        Path,
        typer.Option(
            "--out", "-o", help="Folder for bisection.md, .json, .svg, .png and the store of results."
        ),
    ],
    data: Annotated[
        list[str] | None, typer.Option("--data", help="Data in place of the methods' defaults; repeatable.")
    ] = None,
    option: Annotated[
        list[str] | None,
        typer.Option(
            "--option", "-O", help="Option of the method, or of its data, as name=value; repeatable."
        ),
    ] = None,
    every: Annotated[
        bool, typer.Option("--all", help="Measure every checkpoint, not only those that the search needs.")
    ] = False,
    level: LevelOption = 0.95,
    seed: SeedOption = 0,
    as_json: JsonFlag = False,
) -> None:
    """Find between which checkpoints of a training run a score changed, with few measurements.

    Example: 'evaluate-bias bisect runs/bert --method crows_pairs --out out'
    """
    from ..checkpoints import bisect as search
    from ..checkpoints import curve_plot

    refuse_irregular(*(out / name for name in _FILES))
    entries = [_entry(name, option or []) for name in method]
    with status("measuring", quiet=as_json) as shown:
        bisection = search(
            run[0] if len(run) == 1 else run,
            entries,
            out=out,
            data=data or (),
            every=every,
            level=level,
            seed=seed,
            on_checkpoint=lambda name: (
                shown.update(f"measuring {name}") if hasattr(shown, "update") else None
            ),
        )
    atomic_write(out / "bisection.md", bisection.to_markdown())
    atomic_write(out / "bisection.json", bisection.to_json(indent=1) + "\n")
    if bisection.curves:
        curve_plot(bisection, out / "bisection")
    if as_json:
        typer.echo(bisection.to_json(indent=1))
    else:
        _print(bisection)


def _entry(method: str, options: list[str]) -> dict[str, Any]:
    from ..registry import get_method

    record = get_method(method)
    texts = parse_options(options)
    if "seed" in texts:
        raise InputError("give the seed with --seed")
    known = {**record.options(), **record.data_choices()}
    return {
        "method": record.name,
        "options": {k: typed_value(v, known.get(k)) for k, v in texts.items()},
    }


def _print(bisection: Bisection) -> None:
    rows = bisection.rows()
    titles = ["", *(row[0] for row in rows)]
    shown = [
        ("" if row[0] == before else row[0], *row[1:]) for before, row in zip(titles, rows, strict=False)
    ]
    print_table("", ("score", "checkpoint", "value", "interval", "change", "p"), shown)
    say(bisection.footnote)
    for text in bisection.sentences:
        say(text)
    print_notes((*bisection.skipped, *bisection.warnings))
