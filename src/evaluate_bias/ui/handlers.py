"""What every handler of a page shares: clear errors, time limit and progress, and how buttons are bound."""

from __future__ import annotations

import functools
import html
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from ..errors import BiasError
from .limits import Deadline

__all__ = ["deadline_of", "explained", "on_click", "shown_errors"]

_SHOWN_SECONDS = 20.0


@contextmanager
def shown_errors() -> Iterator[None]:
    """Show an error of this library to the visitor; anything else stays in the server's log."""
    import gradio as gr

    try:
        yield
    except BiasError as error:
        # Gradio shows messages as HTML, and takes quotation marks off the ends of a text.
        text = f"That did not work: {html.escape(str(error), quote=False)}."
        raise gr.Error(text, duration=_SHOWN_SECONDS, print_exception=False) from error


def explained(handler: Callable[..., Any]) -> Callable[..., Any]:
    """Show the library's own errors to the visitor, as text; anything else stays in the server's log."""

    @functools.wraps(handler)
    def run(*args: Any, **kwargs: Any) -> Any:
        with shown_errors():
            return handler(*args, **kwargs)

    return run


def on_click(
    button: Any,
    handler: Callable[..., Any],
    inputs: list[Any],
    output: Any,
    *,
    api_name: str,
) -> None:
    """Bind a button to a measurement; when it fails, no older result stands beside the error.

    Args:
        button: the button.
        handler: makes the output of the inputs.
        inputs: components.
        output: component that shows what came out.
        api_name: name for callers from outside the page; empty for none.
    """
    event = button.click(
        explained(handler),
        inputs,
        output,
        **({"api_name": api_name} if api_name else {"api_visibility": "private"}),
        scroll_to_output=True,
    )
    event.failure(lambda: "", None, output, api_visibility="private", show_progress="hidden")


def deadline_of(progress: Any, seconds: float) -> Deadline:
    """The time limit of one request, with its progress shown by gradio."""
    return Deadline(seconds, show=lambda share, doing: progress(share, desc=doing))
