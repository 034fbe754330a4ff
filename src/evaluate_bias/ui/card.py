"""The tab of the model card: the session's results written into a card, and nothing else in it touched."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ..errors import CardError, InputError, network_errors
from ..report.card import CardUpdate, plan_card, preview_html
from .form import Answer, Click, Form, Tab
from .guard import bounded, hub_id
from .parts import draw, join, links, note
from .session import Session, wrap_errors

MAX_CARD = 500_000


def fetch_card(text: str) -> str:
    """Return the card of a model on the Hub. Only a Hub id is accepted, and no token of this machine is used.

    Raises:
        InputError: it is not a Hub id.
        CardError: the model has no card, it is too large or not text, or the Hub cannot be reached.
    """
    import huggingface_hub
    from huggingface_hub.errors import EntryNotFoundError, LocalEntryNotFoundError, RepositoryNotFoundError

    repo_id = hub_id(text)
    try:
        path_infos = huggingface_hub.HfApi().get_paths_info(repo_id, ["README.md"], token=False)
        if path_infos and (getattr(path_infos[0], "size", 0) or 0) > MAX_CARD:
            raise CardError(f"the card of {repo_id} is longer than the {MAX_CARD:,} bytes this page accepts")
        path = huggingface_hub.hf_hub_download(repo_id, "README.md", token=False)
        return Path(path).read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise CardError(f"the card of {repo_id} is not UTF-8 text") from error
    except RepositoryNotFoundError as error:
        raise CardError(f"no public model {repo_id} on the Hub") from error
    except network_errors() as error:
        if isinstance(error, EntryNotFoundError) and not isinstance(error, LocalEntryNotFoundError):
            raise CardError(f"{repo_id} has no card (README.md)") from error
        raise CardError(
            f"the Hub cannot be reached for the card of {repo_id}", hint="paste the card instead"
        ) from error


def new_card(text: str | None, session: Session, model: str | None) -> CardUpdate:
    """Write the session's results of one model, by default the latest, into a card, or into a new one.

    Raises:
        InputError: nothing was measured, or the card is too long.
        CardError: the card cannot be edited safely.
    """
    text = text or ""
    if text.strip():
        bounded(text, MAX_CARD, "model card")
    measured = session.models()
    if not measured:
        raise InputError("no result yet", hint="measure something in one of the other tabs first")
    if model and model not in measured:
        raise InputError(f"no result of {model[:60]!r} (available: {', '.join(measured)})")
    return plan_card(text, session.of(model or measured[0]))


def card_html(update: CardUpdate) -> str:
    """Return warnings, download and preview of a new card as HTML."""
    return join(
        note("" if update.changed else "The card already contains these results: nothing changed."),
        *(note(w, "warning") for w in update.warnings),
        links(("README.md", update.text, "text/markdown", "Download README.md")),
        draw("frame", "Preview of the model card", preview_html(update.text)),
    )


def card_tab(tab: Tab, opened: Any) -> None:
    """Draw the tab. ``opened`` is the event of gradio that a visitor opens it."""
    import gradio as gr

    none_yet = "Results of (measure something in another tab first)"

    def models(session: Session) -> Any:
        names = session.models()
        return gr.Dropdown(
            names, value=names[0] if names else None, label="Results of" if names else none_yet
        )

    def write(click: Click) -> Answer:
        v = click.values
        update = new_card(v["text"], click.session, v["model"])
        return card_html(update), update.text

    form = Form(tab, "card")
    form.help()
    with gr.Row(equal_height=True):
        hub = form.field("hub", "Textbox", value="", placeholder="user/model", scale=3, min_width=220)
        fetch = gr.Button("Fetch its card", scale=1, min_width=140, elem_id="card-fetch")
    text = form.field("text", "Textbox", value="", lines=6, max_lines=14, max_length=MAX_CARD)
    with gr.Row():
        # A caller from outside the page never opens the tab, which is what fills in the choices.
        model = form.field("model", label=none_yet, choices=[], allow_custom_value=True)
    run = form.button("write_card")
    preview = gr.HTML(label="Preview as HTML", show_label=False, elem_id="card-preview")
    code = gr.Code(
        label="The new card",
        language="markdown",
        interactive=False,
        wrap_lines=True,
        show_line_numbers=False,
        max_lines=24,
        visible=False,
        buttons=["copy"],
        elem_id="card-code",
    )
    opened.select(models, tab.session, model, api_visibility="private")
    fetch.click(wrap_errors(fetch_card), hub, text, api_visibility="private")
    written = form.on_measure(run, "write_card", write, [preview, code])
    written.success(lambda: gr.Code(visible=True), None, code, api_visibility="private")
