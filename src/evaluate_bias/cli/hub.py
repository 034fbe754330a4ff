"""The commands ``publish`` and ``doctor``. Heavy imports are made inside them."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..errors import AssetError, InputError
from ..paths import ORGANISATION
from ..text import counted
from .output import (
    SOME_FAILED,
    JsonFlag,
    LoadingOption,
    new_console,
    print_error,
    print_notes,
    say,
    status,
    terminal_table,
)

if TYPE_CHECKING:
    from rich.table import Table

    from ..hub.publish import RepoPlan

MOST_FILES = 8
WIDEST_SUBJECT = 26
CHANGE_SIGNS = {"add": "+", "update": "~", "delete": "-"}

_PROSE = 100
"""Columns of a table of sentences if no width is given."""

SourceOption = Annotated[
    Path | None,
    typer.Option(help="Folder with the upstream files of the data sets, laid out like their repositories."),
]


def publish(
    kinds: Annotated[
        list[str] | None, typer.Argument(help="modules, datasets or spaces (default: all).")
    ] = None,
    only: Annotated[
        list[str] | None, typer.Option("--only", help="Publish only this one, such as weat. May be repeated.")
    ] = None,
    org: Annotated[str, typer.Option(help="Hub organisation or user to publish as.")] = ORGANISATION,
    private: Annotated[
        bool, typer.Option("--private", help="Make new repositories private. Existing ones stay as they are.")
    ] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Print the plan and change nothing.")] = False,
    create_pr: Annotated[
        bool, typer.Option("--create-pr", help="Open pull requests instead of committing.")
    ] = False,
    yes: Annotated[
        bool, typer.Option("--yes", "-y", help="Do what the plan says without asking, as a script must.")
    ] = False,
    source: SourceOption = None,
    eval_yaml: Annotated[
        bool,
        typer.Option("--eval-yaml/--no-eval-yaml", help="With data sets: declare their tasks in eval.yaml."),
    ] = True,
    as_json: JsonFlag = False,
) -> None:
    """Publish modules, data sets and Spaces on the Hub.

    Each repository that changed gets one commit.

    Log in first with 'hf auth login' or HF_TOKEN. The plan is printed and you are asked before anything is
    sent. If nobody can be asked, only --yes sends. Repositories that this library has not published are left
    alone. Data sets whose sources cannot be downloaded are listed, and the rest is published (exit code 3).
    --dry-run lists the files even if the Hub cannot be reached.

    Example: 'evaluate-bias publish modules --only weat --dry-run'
    """
    from ..hub.client import find_token
    from ..hub.publish import carry_out, plan_publication

    token = find_token()
    try:
        with status("comparing with the Hub", quiet=as_json):
            plans = plan_publication(
                kinds, only, org, create_pr=create_pr, token=token, source=source, eval_yaml=eval_yaml,
                only_show=dry_run,
            )  # fmt: skip
        if not as_json:
            new_console().print(plan_table(plans, create_pr=create_pr))
        needs_consent = any(plan.action in ("create", "update") for plan in plans) and not dry_run
        can_ask = sys.stdin.isatty() and sys.stdout.isatty() and not as_json
        agreed = yes or not needs_consent or (can_ask and typer.confirm("Publish this?"))
        if planned := dry_run or not agreed:
            done = plans
        else:
            with status("publishing", quiet=as_json):
                done = carry_out(plans, token=token, private=private, create_pr=create_pr)
    except (KeyboardInterrupt, typer.Abort):
        say("stopped: run it again, and the plan shows what is left to do", err=True)
        raise KeyboardInterrupt from None
    if planned and not dry_run:
        say("nothing was changed: add --yes to do what the plan says", err=True)
    unavailable = [plan for plan in plans if plan.action == "unavailable"]
    print_notes({plan.problem for plan in plans if plan.action == "not compared"})
    for plan in unavailable:
        print_error(AssetError(plan.problem), plan.folder.repo_id)
    if as_json:
        typer.echo(json.dumps([p.to_dict() for p in done], ensure_ascii=False))
    else:
        for published in done:
            if published.url:
                say(f"{published.folder.repo_id}: {published.url}")
        if dry_run:
            typer.echo("dry run: nothing was changed")
        elif not (needs_consent or unavailable):
            typer.echo("nothing to publish: the Hub is up to date")
    if unavailable:
        raise typer.Exit(SOME_FAILED if len(unavailable) < len(plans) else 1)


def doctor(
    model: Annotated[
        str | None,
        typer.Argument(
            help="Say what this model can do, instead of checking the environment: anything that 'run --model' "
            "accepts, such as glove-6b-50d or endpoint:URL#NAME."
        ),
    ] = None,
    loading: LoadingOption = None,
    as_json: JsonFlag = False,
) -> None:
    """Check this environment, or what a model or server can do.

    Without a model, the versions, extras and caches of this environment are shown.

    Exit code 1 if there is a problem.

    Example: 'evaluate-bias doctor endpoint:http://127.0.0.1:8000/v1#NAME'
    """
    from ..hub.doctor import check_model, diagnose
    from ..report.table import table_of
    from .flags import parse_loading

    options = parse_loading(loading or [])
    if options and model is None:
        raise InputError("--model-option needs a model", hint="pass its name or address too")
    with status("checking", quiet=as_json):
        findings = diagnose() if model is None else list(check_model(model, **options))
    problems = sum(f.status == "problem" for f in findings)
    if as_json:
        listed = [asdict(f) for f in findings]
        typer.echo(json.dumps({"problems": problems, "findings": listed}, ensure_ascii=False))
    else:
        rows = [(f.status, f.subject, "\nfix: ".join(filter(None, (f.text, f.fix)))) for f in findings]
        table = terminal_table(
            table_of(("", "what", "found"), rows, title="This model" if model else "This environment")
        )
        table.columns[1].max_width = WIDEST_SUBJECT
        new_console(_PROSE).print(table)
        notes = sum(f.status == "note" for f in findings)
        typer.echo(f"{counted(problems, 'problem')}, {counted(notes, 'note')}")
    if problems:
        raise typer.Exit(1)


def plan_table(plans: Sequence[RepoPlan], *, create_pr: bool) -> Table:
    """Lay out what publishing will do as a terminal table: a row per repository."""
    from rich.filesize import decimal

    from ..report.table import table_of

    verb = "propose" if create_pr else "update"
    rows = []
    for plan in plans:
        files = [f"{CHANGE_SIGNS[c.change]} {c.path} ({decimal(c.size)})" for c in plan.changes]
        if len(files) > MOST_FILES:
            files[MOST_FILES - 1 :] = [f"… and {len(files) - MOST_FILES + 1} more"]
        action = verb if plan.action == "update" else plan.action
        sends = plan.action in ("create", "update", "not compared")
        upload = decimal(plan.upload_bytes) if sends else "—"
        rows.append((plan.folder.repo_id, plan.folder.kind, action, "\n".join(files) or "—", upload))
    titles = ("repository", "what", "action", "files", "upload")
    table = terminal_table(table_of(titles, rows, title="Plan"))
    table.caption = "+ added, ~ changed, - deleted"
    return table
