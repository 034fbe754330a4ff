"""The commands ``report`` and ``card``. Heavy imports are made inside them."""

from __future__ import annotations

import gc
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..errors import InputError
from ..files import atomic_write
from .output import ResultsArgument, print_notes, refuse_irregular, say

if TYPE_CHECKING:
    from ..result import Result


def report(
    results: ResultsArgument,
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", help="Folder for the report (default: the folder of the results)."),
    ] = None,
    html: Annotated[
        bool,
        typer.Option(
            "--html", help="Write one page instead, report.html, with tables, pictures and every item."
        ),
    ] = False,
    method: Annotated[
        list[str] | None, typer.Option("--method", help="Report only this method. May be repeated.")
    ] = None,
    all_pictures: Annotated[
        bool, typer.Option("--all-pictures", help="Draw every picture, not only the first (25 at most).")
    ] = False,
    png: Annotated[bool, typer.Option("--png", help="Write every picture as PNG too.")] = False,
) -> None:
    """Write a report: tables and plots, or one HTML page.

    Tables are in Markdown, LaTeX and CSV, plots in SVG. report.tex has tables for a paper, report.csv every number.

    Example: 'evaluate-bias report out', or 'evaluate-bias report out --html'
    """
    from ..experiments.sources import read_results
    from ..registry import get_method
    from ..report.reading import read_not_measured

    # Results are many objects that stay: a tenth of the time would go into looking for any that can go.
    gc.disable()
    try:
        chosen = {get_method(name).name for name in method or []}
        loaded = _select_methods(read_results(results), chosen)
        gc.freeze()
    finally:
        gc.enable()
    folder = out or (results if results.is_dir() else results.parent)
    missing = [one for one in read_not_measured(results) if not chosen or one.method in chosen]
    if html:
        from ..report.html import write_html

        written = write_html(loaded, folder / "report.html", not_measured=missing)
    else:
        from ..report.write import write_report

        written = write_report(loaded, folder, all_pictures=all_pictures, png=png, not_measured=missing)
    for path in written:
        say(str(path))


def _select_methods(results: list[Result], method_names: set[str]) -> list[Result]:
    """Return the results of the named methods, or all results if no method is named."""
    selected_results = [r for r in results if not method_names or r.method in method_names]
    if missing := sorted(method_names - {r.method for r in selected_results}):
        measured_methods = ", ".join(dict.fromkeys(r.method for r in results))
        raise InputError(f"no result of {', '.join(missing)} (available: {measured_methods})")
    return selected_results


CardModelOption = Annotated[
    str | None,
    typer.Option(
        "--model",
        "-m",
        help="The model's name in the card, or the model to choose from the results. With --push its Hub id.",
    ),
]
PullRequestFlag = Annotated[
    bool,
    typer.Option(
        "--pull-request/--no-pull-request", help="With --push: open a pull request or commit directly."
    ),
]
ForModelFlag = Annotated[
    bool,
    typer.Option(
        "--for-model",
        help="With --push: the results are of this model, though they call it something else.",
    ),
]


def card(
    results: ResultsArgument,
    card_path: Annotated[
        Path, typer.Option("--card", "-c", help="The model card (created if it does not exist).")
    ] = Path("README.md"),
    model_index: Annotated[
        bool,
        typer.Option("--model-index/--no-model-index", help="Also write the scores into the card's YAML."),
    ] = True,
    eval_results: Annotated[
        bool,
        typer.Option(
            "--eval-results/--no-eval-results",
            help="Also write .eval_results/*.yaml next to the card, for the leaderboards of the Hub.",
        ),
    ] = True,
    preview: Annotated[
        Path | None, typer.Option(help="Also write an HTML preview of the card to this file.")
    ] = None,
    model: CardModelOption = None,
    push: Annotated[
        bool, typer.Option("--push", help="Update the card on the Hub by a pull request.")
    ] = False,
    pull_request: PullRequestFlag = True,
    for_model: ForModelFlag = False,
    drop: Annotated[
        list[str] | None,
        typer.Option(
            help="Take this model's scores of earlier runs out of the YAML of both forms. May be repeated."
        ),
    ] = None,
    since: Annotated[
        Path | None,
        typer.Option(help="Earlier results.jsonl or its folder. The card says what changed since."),
    ] = None,
) -> None:
    """Write or update the bias section of a model card. A second run changes nothing.

    Example: 'evaluate-bias card out', or, on the Hub, 'evaluate-bias card out --push --model org/name'
    """
    from ..experiments.sources import read_pairs, read_results
    from ..report.card import card as write_card
    from ..report.card import preview_html

    if push and since:
        raise InputError("--since works only for a card on this machine: write it here, then push the file")
    refuse_irregular(None if push else card_path, preview)
    how: dict[str, Any] = {
        "model_index": model_index,
        "eval_results": eval_results,
        "drop": drop or (),
    }
    if push:
        if model is None:
            raise InputError("--push needs --model with the Hub id of the model, such as your-org/your-model")
        from ..hub.push_card import push_card
        from ..report.reading import read_not_measured

        how |= {"create_pr": pull_request, "for_model": for_model, "not_measured": read_not_measured(results)}
        update, url = push_card(read_results(results), model, **how)
        outcome = url or f"unchanged: the card of {model}"
    else:
        if model is None:
            _refuse_several_models([result for _, result in read_pairs(results, rows=False)[0]])
        before = () if since is None else read_results(since)
        update = write_card(results, card_path, model=model, since=before, **how)
        outcome = f"{update.outcome}: {card_path}"
    print_notes(update.warnings)
    say(outcome)
    if preview is not None:
        atomic_write(preview, preview_html(update.text, pictures=update.files))
        say(f"preview: {preview}")


def _refuse_several_models(results: list[Result]) -> None:
    from ..provenance import provenance_of
    from ..report.lines import model_name

    no_model = provenance_of(None)["model"]
    names = list(dict.fromkeys(model_name(r) for r in results if r.provenance.get("model") != no_model))
    if len(names) > 1:
        raise InputError(
            f"a card is about one model, but these results cover {len(names)}: {', '.join(names)[:300]}",
            hint=f"choose one with --model, such as --model {shlex.quote(names[0])}",
        )
