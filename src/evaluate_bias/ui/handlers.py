"""Errors of a page's handlers, as one short sentence where the result would be."""

from __future__ import annotations

import functools
import html
import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from ..errors import BiasError

MAX_MESSAGE = 600

_LOG = logging.getLogger(__name__)
_SHOWN_SECONDS = 20.0
_FOREIGN = "That did not work, and the reason is in the log of the server."


@contextmanager
def shown_errors() -> Iterator[None]:
    """Show what went wrong as one short sentence; what is no error of this library goes into the server's log."""
    import gradio as gr

    try:
        yield
    except Exception as error:
        if isinstance(error, gr.Error):  # of a value that a field does not offer
            message = error.message
        elif isinstance(error, BiasError):
            message = f"That did not work: {sentence_of(error)}"
        else:
            _LOG.exception("a request failed")
            message = _FOREIGN
        message = message if len(message) <= MAX_MESSAGE else f"{message[: MAX_MESSAGE - 1]}…"
        # Gradio shows messages as HTML, and takes quotation marks off the ends of a text.
        raise gr.Error(html.escape(message, quote=False), _SHOWN_SECONDS, print_exception=False) from error


def sentence_of(error: BaseException) -> str:
    """Return what an error says as sentences: what was wrong, then what to do.

    Examples:
        >>> sentence_of(BiasError("unknown test 'weat77'", hint="did you mean 'weat7'?"))
        "unknown test 'weat77'. Did you mean 'weat7'?"
        >>> sentence_of(BiasError("no such test"))
        'no such test.'
    """
    text, hint = (error.text, error.hint) if isinstance(error, BiasError) else (str(error), "")
    ended = [part if part.endswith((".", "?", "!", "…")) else f"{part}." for part in (text, hint) if part]
    return " ".join([*ended[:1], *(part[:1].upper() + part[1:] for part in ended[1:])])


def wrap_errors(handler: Callable[..., Any], place: str = "") -> Callable[..., Any]:
    """The handler under :func:`shown_errors`; the visitor's session, its first input, keeps what failed at a place."""
    import gradio as gr

    @functools.wraps(handler)
    def run(*args: Any, **kwargs: Any) -> Any:
        try:
            with shown_errors():
                return handler(*args, **kwargs)
        except gr.Error as error:
            if place:
                args[0].errors[place] = html.unescape(error.message)
            raise

    return run
