"""The tab of the model card: the session's results written into a card, and nothing else in it touched."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ...errors import CardError, InputError
from ...report.card import CardUpdate, plan_card, preview_html
from ..handlers import explained
from ..limits import MAX_CARD, bounded
from ..parts import Frame, Link, Links, Note, show
from ..pool import hub_id
from ..session import Session

__all__ = ["CARD_LANGUAGES", "card_html", "card_tab", "fetch_card", "new_card"]

CARD_LANGUAGES = (
    ("English", "en"),
    ("Deutsch", "de"),
    ("Español", "es"),
    ("Français", "fr"),
    ("Italiano", "it"),
)


def fetch_card(text: str) -> str:
    """Return the card of a model on the Hub.

    Args:
        text: what the visitor typed: a Hub id and nothing else is accepted. No token of this machine is used.

    Raises:
        InputError: it is no Hub id.
        CardError: there is no such card, it is too large or no text, or the Hub cannot be reached.
    """
    import huggingface_hub
    from huggingface_hub.errors import (
        EntryNotFoundError,
        HfHubHTTPError,
        LocalEntryNotFoundError,
        RepositoryNotFoundError,
    )

    network = tuple(base for base in HfHubHTTPError.__bases__ if issubclass(base, Exception))
    repo_id = hub_id(text)
    try:
        found = huggingface_hub.HfApi().get_paths_info(repo_id, ["README.md"], token=False)
        if found and (getattr(found[0], "size", 0) or 0) > MAX_CARD:
            raise CardError(f"the card of {repo_id} is longer than the {MAX_CARD:,} bytes this page takes")
        path = huggingface_hub.hf_hub_download(repo_id, "README.md", token=False)
        return Path(path).read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise CardError(f"the card of {repo_id} is not UTF-8 text") from None
    except CardError:
        raise
    except RepositoryNotFoundError:
        raise CardError(f"there is no public model {repo_id} on the Hub") from None
    except network as error:
        if isinstance(error, EntryNotFoundError) and not isinstance(error, LocalEntryNotFoundError):
            raise CardError(f"{repo_id} has no card (README.md)") from None
        raise CardError(
            f"the Hub cannot be reached for the card of {repo_id}: paste the card instead"
        ) from None


def new_card(text: str, session: Session, model: str, language: str, level: str) -> CardUpdate:
    """Write the session's results of one model into a card.

    Args:
        text: the card, empty for a new one.
        session: what this visitor measured.
        model: the model whose results go into the card.
        language: language of the section's text.
        level: ``"summary"`` or ``"full"``.

    Raises:
        InputError: nothing was measured, or the card is too long.
        CardError: the card cannot be edited safely.
    """
    bounded(text, MAX_CARD, "model card", empty="allowed")
    results = session.of(model)
    if not results:
        raise InputError("there is no result yet: measure something in one of the other tabs first")
    if level not in ("summary", "full"):
        raise InputError("choose one of the levels that the page offers")
    return plan_card(text or "", results, language=language, level=level)  # type: ignore[arg-type]


def card_html(update: CardUpdate) -> str:
    """Warnings, download and preview of a new card."""
    return show(
        Note("" if update.changed else "The card holds these results already: nothing changed."),
        *(Note(w, "warning") for w in update.warnings),
        Links([Link("README.md", update.text, "text/markdown", "Download README.md")]),
        Frame("Preview of the model card", preview_html(update.text)),
    )


def card_tab(session_state: Any, tab: Any) -> None:
    """Build the tab inside the page that is being built; ``tab`` tells when it is opened."""
    import gradio as gr

    def models(session: Session) -> Any:
        names = session.models()
        label = "Results of" if names else "Results of (measure something in another tab first)"
        return gr.Dropdown(choices=names, value=names[0] if names else None, label=label)

    def write(session: Session, text: str, model: str | None, language: str, level: str) -> tuple[str, Any]:
        update = new_card(text, session, model or "", language, level)
        return card_html(update), gr.Code(value=update.text, visible=True)

    gr.Markdown(
        "Paste a model card, or fetch one, and add a section with what you measured here. Everything else in the "
        "card stays as it is. Nothing is published.",
        elem_id="card-help",
    )
    with gr.Row(equal_height=True):
        hub = gr.Textbox(
            label="Hub id of a model", placeholder="user/model", scale=3, min_width=220, elem_id="card-hub"
        )
        fetch = gr.Button("Fetch its card", scale=1, min_width=140, elem_id="card-fetch")
    text = gr.Textbox(
        label="Model card as Markdown (empty: a new card)",
        lines=6,
        max_lines=14,
        max_length=MAX_CARD,
        elem_id="card-text",
    )
    with gr.Row():
        model = gr.Dropdown(
            [],
            label="Results of (measure something in another tab first)",
            min_width=240,
            elem_id="card-model",
        )
        language = gr.Dropdown(
            list(CARD_LANGUAGES),
            value="en",
            label="Language of the section",
            min_width=200,
            elem_id="card-language",
        )
        level = gr.Radio(
            [("Summary", "summary"), ("Full", "full")],
            value="summary",
            label="Level of detail",
            min_width=200,
            elem_id="card-level",
        )
    run = gr.Button("Add the section", variant="primary", elem_id="card-run")
    preview = gr.HTML(elem_id="card-preview")
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

    tab.select(models, session_state, model, api_visibility="private")
    fetch.click(explained(fetch_card), hub, text, api_visibility="private")
    run.click(
        explained(write),
        [session_state, text, model, language, level],
        [preview, code],
        api_name="write_card",
    )
