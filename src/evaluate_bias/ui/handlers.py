"""What every handler of a page shares: clear errors, time limit and progress, and how buttons are bound."""

from __future__ import annotations

import functools
import html
import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Literal

from ..errors import BiasError
from .parts import note
from .session import Session

MAX_MESSAGE = 600

_LOG = logging.getLogger(__name__)
_SHOWN_SECONDS = 20.0
_FOREIGN = "That did not work, and the reason is in the log of the server."

# Where the result starts below the window, or near its end, as on a phone. The list of a drop-down that is open by
# then would stay behind, out of reach.
_GO_TO = """() => setTimeout(() => {
    if (document.querySelector("[role=listbox]")) return;
    const output = document.getElementById("%s"), top = output.getBoundingClientRect().top;
    if (top < 0 || top > window.innerHeight / 2) output.scrollIntoView();
}, 100)"""
# What a screen reader says of it: what was found, or why nothing was, and not every table.
_SAY = """() => {
    const told = document.querySelector("#told [role=status]");
    told.textContent = "";
    setTimeout(() => {
        const parts = [...document.querySelectorAll("#%s :is(.eb-finding, .eb-warning)")];
        told.textContent = parts.map(part => part.innerText).join(" ") || "The result is on the page.";
    }, 100);
}"""


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


def on_click(
    button: Any,
    handler: Callable[..., Any],
    inputs: list[Any],
    output: Any,
    *,
    api_name: str = "",
    about: str = "",
    at_once: int | Literal["default"] = "default",
) -> Any:
    """Bind a button, or what follows one, to a measurement, and go to what came out.

    When it fails, the reason stands where the result would, and no older result beside it. The first input is the
    visitor's session. ``api_name`` is the name for callers from outside the page, empty for none, and ``about`` what
    they are told of it. ``at_once`` bounds how many visitors compute, where no pool of models does.
    """
    bind = getattr(button, "click", None) or button.then
    api = {"api_name": api_name, "api_description": about} if api_name else {"api_visibility": "private"}
    outputs = output if isinstance(output, list) else [output]
    place = str(outputs[0].elem_id)
    run = wrap_errors(handler, place)
    if api_name:
        run.__name__ = api_name  # the name of the tool, where the page is a server of tools
    event = bind(run, inputs, outputs, concurrency_limit=at_once, **api)
    go_to = _GO_TO % place

    def failed(session: Session) -> list[Any]:
        return [note(session.errors.pop(place, ""), "warning"), *[None] * (len(outputs) - 1)]

    error = event.failure(failed, inputs[0], outputs, api_visibility="private", show_progress="hidden")
    for end in (error.then, event.success):
        for js in (go_to, _SAY % place):
            end(None, js=js, api_visibility="private")
    if api_name:  # what stands in for the result meanwhile may lie below the window too
        bind(None, js=go_to, api_visibility="private")
    return event
