"""The commands ``report`` and ``card``; heavy imports are made inside them."""

from __future__ import annotations

import enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from .cli_output import ResultsArgument, cli_syntax, say
from .errors import InputError
from .files import atomic_write, require_regular_or_absent

if TYPE_CHECKING:
    from .report.card import CardUpdate

__all__ = ["card", "register", "report"]


def register(app: typer.Typer) -> None:
    """Add the commands of this file to the command line."""
    app.command()(report)
    app.command()(card)


class CardLevel(enum.StrEnum):
    """How much the section of a model card says."""

    summary = "summary"
    full = "full"


def report(
    results: ResultsArgument,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="Folder for the report; default: next to it.")
    ] = None,
    html: Annotated[
        bool,
        typer.Option(
            "--html", help="One self-contained page, report.html, instead: table, pictures, every item."
        ),
    ] = False,
) -> None:
    """Write tables (Markdown, LaTeX, CSV) and plots (SVG, PNG) from results, or one HTML page.

    Example: 'evaluate-bias report out', or 'evaluate-bias report out --html'
    """
    from .report.results_io import read_results

    loaded = read_results(results)
    folder = out or (results if results.is_dir() else results.parent)
    if html:
        from .report.html import write_html

        written = write_html(loaded, folder / "report.html")
    else:
        from .report.write import write_report

        written = write_report(loaded, folder)
    for path in written:
        say(str(path))


def card(
    results: ResultsArgument,
    card_path: Annotated[
        Path, typer.Option("--card", "-c", help="The model card, README.md; made if it does not exist.")
    ] = Path("README.md"),
    language: Annotated[
        str, typer.Option("--language", "-l", help="Language of the text: en, de, es, fr, it.")
    ] = "en",
    level: Annotated[CardLevel, typer.Option(help="How much the section says.")] = CardLevel.summary,
    model_index: Annotated[
        bool,
        typer.Option("--model-index/--no-model-index", help="Also write the scores into the card's YAML."),
    ] = True,
    eval_results: Annotated[
        bool,
        typer.Option(
            "--eval-results", help="Also write .eval_results/*.yaml next to the card, with --push too."
        ),
    ] = False,
    preview: Annotated[
        Path | None, typer.Option(help="Also write an HTML preview of the card to this file.")
    ] = None,
    model: Annotated[
        str | None,
        typer.Option("--model", "-m", help="The model's name in the card; with --push its Hub id."),
    ] = None,
    push: Annotated[
        bool, typer.Option("--push", help="Update the card on the Hub instead, by a pull request.")
    ] = False,
    pull_request: Annotated[
        bool, typer.Option("--pull-request/--no-pull-request", help="With --push: or commit directly.")
    ] = True,
    scores: Annotated[
        bool,
        typer.Option(
            "--scores",
            help="With --push: also send results.jsonl and scores.parquet (of 'run --record'), by which anyone can "
            "verify the card. They hold what the model was asked and said.",
        ),
    ] = False,
    since: Annotated[
        Path | None,
        typer.Option(help="Earlier results.jsonl, or its folder: the card says what changed since then."),
    ] = None,
) -> None:
    """Write or update the bias section of a model card; running it twice changes nothing.

    Example: 'evaluate-bias card out --card README.md', or, on the Hub, 'evaluate-bias card out --push --model org/name'
    """
    from .report.card import card as write_card
    from .report.results_io import read_results

    if push and since is not None:
        raise InputError("--since is for a card on this machine: write it here, then push the file")
    if scores and not push:
        raise InputError(
            "--scores goes with --push; on this machine 'evaluate-bias verify' reads them where they are"
        )
    for path in (None if push else card_path, preview):  # before one of them is written
        if path is not None:
            require_regular_or_absent(path)
    if push:
        if model is None:
            raise InputError("--push needs --model with the Hub id of the model, such as your-org/your-model")
        from .hub.push_card import push_card
        from .report.verify import SCORES_FILE

        recording = (results if results.is_dir() else results.parent) / SCORES_FILE
        pushed = push_card(
            read_results(results),
            model,
            language=language,
            level=level.value,
            model_index=model_index,
            eval_results=eval_results,
            scores=recording if scores else None,
            create_pr=pull_request,
        )
        update = pushed.update
        for warning in update.warnings:
            say(f"note: {cli_syntax(warning)}", err=True)
        if recording.exists() and not scores:
            say(f"note: {SCORES_FILE} was not sent; with --scores anyone can verify the card", err=True)
        say(pushed.url or f"unchanged: the card of {model}")
        _write_preview(preview, update)
        return
    update = write_card(
        read_results(results),
        card_path,
        language=language,
        level=level.value,
        model_index=model_index,
        eval_results=eval_results,
        model=model,
        since=() if since is None else read_results(since),
    )
    for warning in update.warnings:
        say(f"note: {cli_syntax(warning)}", err=True)
    say(f"{update.outcome}: {card_path}")
    _write_preview(preview, update)


def _write_preview(path: Path | None, update: CardUpdate) -> None:
    if path is not None:
        from .report.card import preview_html

        atomic_write(path, preview_html(update.text, pictures=update.pictures))
        say(f"preview: {path}")
