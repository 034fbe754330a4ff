"""The commands that judge results: ``compare``, ``gate``, ``trust`` and ``verify``."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..errors import InputError, quoted
from ..files import atomic_write
from ..text import counted
from .output import (
    JsonFlag,
    LevelOption,
    ResultsArgument,
    new_console,
    print_error,
    print_notes,
    print_table,
    printable,
    refuse_irregular,
    say,
)

if TYPE_CHECKING:
    from ..report.compare import Comparison

_COMPARISON_FILES = ("comparison.md", "comparison.json", "comparison.svg", "comparison.png")
_MOST_DIFFERENCES = 100
_VERIFY_EXIT = {"true": 0, "differs": 1, "not checked": 2}


def compare(
    first: Annotated[str, typer.Argument(help="A model, or results.jsonl or its folder.")],
    second: Annotated[str, typer.Argument(help="The model or results to compare with it.")],
    method: Annotated[
        list[str] | None,
        typer.Option("--method", "-m", help="Method to measure two models with (repeatable)."),
    ] = None,
    models: Annotated[
        tuple[str, str] | None,
        typer.Option(metavar="FIRST SECOND", help="Names of the two models, if a file contains several."),
    ] = None,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="Folder for comparison.md, .json, .svg and .png.")
    ] = None,
    confidence_level: LevelOption = 0.95,
    as_json: JsonFlag = False,
) -> None:
    """Compare two models, or two sets of results.

    They are compared on the pairs and words that both have.

    Example: 'evaluate-bias compare before/results.jsonl after/results.jsonl', or
    'evaluate-bias compare ./model ./model-debiased -m crows_pairs'
    """
    from ..report.compare import compare as compare_both
    from ..report.plots.canvas import save_picture
    from ..report.plots.forest import draw_changes

    refuse_irregular(*(out and out / name for name in _COMPARISON_FILES))
    comparison = compare_both(
        first, second, methods=method or (), models=models or (None, None), confidence_level=confidence_level
    )
    if out is not None:
        atomic_write(out / "comparison.md", comparison.to_markdown())
        atomic_write(out / "comparison.json", comparison.to_json(indent=1) + "\n")
        save_picture(out / "comparison", partial(draw_changes, comparison))
    if as_json:
        typer.echo(comparison.to_json(indent=1))
        return
    print_comparison(comparison)


def print_comparison(comparison: Comparison) -> None:
    """Print a comparison: its table, what changed, and notes."""
    print_table(comparison.table("first", "second"))
    for c in comparison.changed:
        say(c.sentence)
    say(comparison.summary)
    print_notes(comparison.notes)


def gate(
    results: Annotated[Path, typer.Argument(help="results.jsonl of this build, or its folder.")],
    against: Annotated[
        Path | None, typer.Option("--against", help="results.jsonl of the base, or its folder.")
    ] = None,
    margin: Annotated[
        list[str] | None,
        typer.Option(
            help="How much worse a score may be: percent of its range, or METHOD=NUMBER in its own unit (repeatable)."
        ),
    ] = None,
    fail_if: Annotated[
        list[str] | None,
        typer.Option(help="Condition METHOD.ROW[.FIELD], such as 'weat.weat7 > 0.5' (repeatable)."),
    ] = None,
    model: Annotated[
        str | None, typer.Option("--model", "-m", help="The model to check, if the results cover several.")
    ] = None,
    groups: Annotated[bool, typer.Option("--groups", help="Check the margin for groups, too.")] = False,
    junit: Annotated[Path | None, typer.Option(help="Write JUnit XML to this file.")] = None,
    summary: Annotated[
        Path | None, typer.Option(help="Write a Markdown summary for a pull request to this file.")
    ] = None,
) -> None:
    """Fail a build if a score is too biased, or may have become so.

    A check fails if its condition is met, or if a score may be worse than the base by the margin.

    Exit codes: 0 if every check passed, 1 if a check failed, 2 if something could not be checked, such as a damaged
    file, an unknown method, or a score whose pairs or words the base does not have.

    Example: 'evaluate-bias gate results.jsonl --against base.jsonl --margin 2 --fail-if "weat.weat7 > 0.5"'
    """
    from ..report.compare.gate import gate as check

    try:
        refuse_irregular(junit, summary)
        general, method_margins = _margins(margin or [])
        verdict = check(
            results,
            against=() if against is None else against,
            margin=general,
            margins=method_margins,
            fail_if=fail_if or (),
            groups=groups,
            model=model,
        )
        if junit is not None:
            atomic_write(junit, verdict.to_junit())
        if summary is not None:
            atomic_write(summary, verdict.to_markdown())
    except Exception as error:  # whatever it is, a build is not worse by it, as exit code 1 would say
        print_error(error)
        raise typer.Exit(2) from error
    print_notes(verdict.warnings)
    for c in verdict.checks:
        say(str(c))
    if verdict.exit_code:
        raise typer.Exit(verdict.exit_code)


def _margins(texts: list[str]) -> tuple[float | None, dict[str, float]]:
    general: float | None = None
    by_method: dict[str, float] = {}
    for text in texts:
        method, separator, number = text.rpartition("=")
        try:
            value = float(number)
            if separator and not method:
                raise ValueError(text)
        except ValueError:
            raise InputError(
                f"`margin` must be a number, such as 2, or METHOD=NUMBER, such as weat=0.2, got {quoted(text)}",
                option="margin",
            ) from None
        if method:
            by_method[method] = value
        else:
            general = value
    return general, by_method


def trust(
    results: ResultsArgument,
    as_json: JsonFlag = False,
) -> None:
    """Judge how far each score can be relied on.

    A score is robust, fragile or not testable, and the reason is given.

    Include results on robustness, such as results of 'run --method seed_sensitivity', in the same folder.

    Example: 'evaluate-bias trust out'
    """
    from ..report.trust import trust as judged

    table = judged(results)
    if as_json:
        frame = table.to_frame()
        lines = frame.astype(object).where(frame.notna(), None).to_dict("records")
        typer.echo(json.dumps(lines, ensure_ascii=False, allow_nan=False))
    elif not table.rows:
        say("no score to judge: these results are all about measurements")
    else:
        print_table(table.table)


def verify(
    folder: Annotated[Path, typer.Argument(help="Folder of the results.")],
    card: Annotated[
        Path | None, typer.Option(help="The model card (default: README.md in the folder).")
    ] = None,
    measure: Annotated[
        bool,
        typer.Option(
            "--measure",
            help="Also run the results again and compare their numbers, within 1e-6 of their size (1e-3 on a GPU).",
        ),
    ] = False,
    as_json: JsonFlag = False,
) -> None:
    """Check that card, report and page agree with the results.

    They are written again, and each line that differs is listed.

    Exit codes: 1 if a line differs, 2 if none does but something could not be checked.

    Example: 'evaluate-bias verify out', after 'evaluate-bias card out --card out/README.md'
    """
    from rich.text import Text

    from ..report.verify import verify as verify_folder

    verification = verify_folder(folder, card=card, measure=measure)
    if as_json:
        typer.echo(json.dumps(verification.to_dict(), ensure_ascii=False))
        raise typer.Exit(_VERIFY_EXIT[verification.verdict])
    console, differences = new_console(), verification.differences
    for difference in differences[:_MOST_DIFFERENCES]:
        where = f"{difference.file}, {difference.place}" if difference.place else difference.file
        lines = (
            ("@@ ", where, "yellow"),
            ("- ", difference.actual, "red"),
            ("+ ", difference.expected, "green"),
        )
        for sign, text, style in lines:
            if text:
                console.print(Text(printable(f"{sign}{text}"), style))
    if len(differences) > _MOST_DIFFERENCES:
        say(f"… and {len(differences) - _MOST_DIFFERENCES:,} more: --json lists all")
    for sentence in verification.unchecked:
        say(f"not checked: {sentence}")
    for sentence in verification.notes:
        say(f"note: {sentence}")
    for file, count in verification.compared.items():
        differing = sum(difference.file == file for difference in differences)
        say(f"{file}: {counted(count, 'line')} compared, {differing:,} differ")
    say(f"verdict: {verification.verdict}")
    raise typer.Exit(_VERIFY_EXIT[verification.verdict])
