"""The command ``evaluate-bias``.

Heavy imports are made inside the commands, so that ``--help`` answers at once.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from ..errors import InputError, UnknownNameError, install_extra
from ..paths import ORGANISATION
from . import compare, data, hub, methods, plan, report, results, run
from .output import WRONG_USE, plain_warnings, print_error, printable, say

_LONGEST_MESSAGE = 500
_UsageError: Any = typer.BadParameter.__base__  # of click, or of the copy of click in newer versions of typer


app = typer.Typer(
    name="evaluate-bias",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,  # rich help costs 0.15 s of imports at every start
    context_settings={"help_option_names": ["-h", "--help"]},
    help="Measure social bias in word vectors and language models, with published methods.\n\n"
    "A first run: 'evaluate-bias run --model glove-6b-50d --method weat' prints the results. Add '--out out' to keep "
    "them, for 'evaluate-bias report out' with tables and plots and 'evaluate-bias card out' with the "
    "model card. Every command has `--help`.\n\n"
    "Exit codes: 0 done, 1 failed with a reason, 2 wrong use of the command, such as an unknown method or option, 3 "
    "only a part could be done (the rest is listed), 130 interrupted.",
)


def main() -> None:
    """Run the command line."""
    guarded(lambda: run_words(sys.argv[1:]))


def run_words(words: Sequence[str]) -> None:
    """Run the command with these words, which come after the name of the program.

    Words that are empty are refused, and those that are quoted in an error are cut.
    """
    for before, word in zip(["", *words], words, strict=False):
        flag, is_given, value = word.partition("=") if word.startswith("--") else ("", "", word)
        if not (value.strip() or (flag and not is_given)):
            name = flag or (before if before.startswith("-") else "an argument")
            raise InputError(f"{name} is empty", hint="give it a value, such as a path or a name, or omit it")
    try:
        code = app(args=list(words), prog_name="evaluate-bias", standalone_mode=False)
    except _UsageError as error:
        error.message = printable(error.message, _LONGEST_MESSAGE)
        error.show()
        sys.exit(WRONG_USE)
    sys.exit(code)


def guarded(command: Callable[[], object]) -> None:
    """Run ``command``. Errors and warnings become one line each on stderr.

    The exit code of an error is 2 if what was given is wrong, otherwise 1.
    """
    try:
        with plain_warnings():
            command()
    except BrokenPipeError:
        sys.stderr.close()
        sys.exit(1)
    except Exception as error:
        print_error(error)
        sys.exit(WRONG_USE if isinstance(error, InputError | UnknownNameError) else 1)


def _version(value: bool) -> None:
    if value:
        from .. import __version__

        typer.echo(f"evaluate-bias {__version__}")
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    pass


@app.command()
def install(
    names: Annotated[list[str] | None, typer.Argument(help="Modules to install (default: all).")] = None,
    org: Annotated[str, typer.Option(help="Hub organisation in the names of the modules.")] = ORGANISATION,
) -> None:
    """Install the modules for offline use with 'evaluate'.

    They are copied to its local cache, so that 'evaluate.load("bias/weat")' works."""
    from ..hub.modules import install as install_modules

    installed = install_modules(names or None, org=org)
    for name in installed:
        typer.echo(f'evaluate.load("{name}")')
    typer.echo(
        f"installed: {len(installed)}. Next: set HF_EVALUATE_OFFLINE=1 and HF_HUB_OFFLINE=1 (else evaluate asks the "
        "Hub first), then in Python import evaluate and use one of these lines"
    )


@app.command()
def explore(
    model: Annotated[
        str | None,
        typer.Argument(help="Model to start with: a folder, a word-vector file, a Hub id or a named asset."),
    ] = None,
    port: Annotated[
        int | None, typer.Option(min=1, max=65535, help="Port (default: the first free port from 7860).")
    ] = None,
    browser: Annotated[
        bool, typer.Option("--browser/--no-browser", help="Open the page in the browser.")
    ] = True,
    mcp: Annotated[
        bool, typer.Option("--mcp", help="Also serve the measurements as tools for agents (MCP).")
    ] = False,
) -> None:
    """Open the bias explorer on this machine. It starts with your own model if you name one.

    Example: 'evaluate-bias explore ./my-model'
    """
    # Read when the libraries are imported: no telemetry, and no token of this machine.
    os.environ.setdefault("GRADIO_ANALYTICS_ENABLED", "False")
    os.environ.setdefault("HF_HUB_DISABLE_TELEMETRY", "1")
    try:
        import gradio  # noqa: F401
    except ImportError as error:
        raise InputError(f"the explorer needs gradio; {install_extra('space')}") from error
    from ..ui import explorer_page, launch
    from ..ui.pool import pool_with

    pool = None
    if model is not None:
        say(f"loading {model}")
        pool = pool_with(model)
    page = explorer_page(pool)
    if pool is not None:
        say(f"{Path(model or '').name or model} is selected in every tab that it fits")
    launch(page, mcp=mcp, server_port=port, inbrowser=browser)


_COMMANDS: tuple[Callable[..., None], ...] = (
    *(run.run, methods.methods, plan.plan, results.results),
    *(
        report.report,
        report.card,
        compare.compare,
        compare.gate,
        compare.trust,
        compare.verify,
    ),
    *(hub.publish, hub.doctor),
)
for _command in _COMMANDS:
    app.command()(_command)
app.add_typer(data.app, name="data")
