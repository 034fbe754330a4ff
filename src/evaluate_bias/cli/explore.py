"""The command ``explore``; heavy imports are made inside it."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

from ..errors import InputError, install_extra
from .output import say


def explore(
    model: Annotated[
        str | None,
        typer.Argument(help="Model to start with: a folder, a word-vector file, a Hub id or a named asset."),
    ] = None,
    port: Annotated[
        int | None, typer.Option(min=1, max=65535, help="Port; default: the first free port from 7860.")
    ] = None,
    browser: Annotated[
        bool, typer.Option("--browser/--no-browser", help="Open the page in the browser.")
    ] = True,
    mcp: Annotated[
        bool, typer.Option("--mcp", help="Also serve the measurements as tools for agents (MCP).")
    ] = False,
) -> None:
    """Open the bias explorer on this machine, with your own model if you name one.

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
