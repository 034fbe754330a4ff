"""What the tabs of a page share: where models come from, whose results are kept, and the fields they have in common."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any

from ..errors import InputError
from ..registry import METHODS, MethodRecord
from .handlers import deadline_of
from .limits import REQUEST_SECONDS
from .parts import offers
from .pool import ModelPool, kinds_for, model_choices
from .uploads import uploaded_vectors

__all__ = ["FIELD_WIDTH", "Tab", "arrived", "choice", "methods_on", "model_box", "text_box", "upload_boxes"]

FIELD_WIDTH = 260
"""Pixels; narrower fields move below each other."""


def methods_on(kind: str) -> tuple[MethodRecord, ...]:
    """The methods that take a kind of data and a model; a corpus cannot be given on a page."""
    return tuple(r for r in METHODS.values() if r.data.name == kind and r.needs != ("counts words",))


@dataclass(frozen=True, slots=True)
class Tab:
    """A tab of a page.

    Attributes:
        pool: where models come from.
        session: gradio's state that holds the visitor's :class:`~.session.Session`.
        method: the only method that it offers; ``None`` for all that take its kind of data.
        seconds: time for one request.
    """

    pool: ModelPool
    session: Any
    method: MethodRecord | None = None
    seconds: float = REQUEST_SECONDS

    def lent(self, model: str, progress: Any, upload: str | None = None) -> AbstractContextManager[Any]:
        """The model that a visitor named, or the word vectors they uploaded, for one request."""
        deadline = deadline_of(progress, self.seconds)
        if upload:
            return self.pool.borrow_upload(upload, uploaded_vectors, deadline)
        return self.pool.borrow(model, deadline)


def choice(label: str, elem_id: str, choices: Sequence[Any], value: Any, **more: Any) -> Any:
    """A field to choose from."""
    import gradio as gr

    return gr.Dropdown(
        choices, value=value, label=label, elem_id=elem_id, **{"min_width": FIELD_WIDTH, **more}
    )


def text_box(label: str, elem_id: str, value: str = "", **more: Any) -> Any:
    """A field to type into."""
    import gradio as gr

    return gr.Textbox(value, label=label, elem_id=elem_id, **{"min_width": FIELD_WIDTH, **more})


def upload_boxes(what: str, prefix: str, types: Sequence[str], label: str, visible: bool = True) -> Any:
    """The box to tick for using an upload, and the field for it, which is there when the box is ticked."""
    import gradio as gr

    own = gr.Checkbox(False, label=f"Use my own {what}", visible=visible, elem_id=f"{prefix}-own")
    upload = gr.File(file_types=list(types), label=label, visible=False, elem_id=f"{prefix}-upload")
    own.input(lambda on: gr.File(value=None, visible=on), own, upload, api_visibility="private")
    return own, upload


def arrived(own: bool | None, upload: str | None) -> str | None:
    """The visitor's upload, ``None`` where none is wanted.

    Raises:
        InputError: one is wanted and there is none, as after one that was refused.
    """
    if own and not upload:
        raise InputError("your file has not arrived: upload it again, or untick the box that says to use it")
    return upload


def model_box(tab: Tab, kinds: Sequence[str], prefix: str, label: str = "Model") -> Any:
    """The field that names a model: those of some kinds, or those that fit the tab's only method."""
    if tab.method is None:
        choices = model_choices(tuple(kinds))
        value = None
    else:
        choices = model_choices(kinds_for(tab.method.needs), installed=False)
        value = offers()["models"].get(tab.method.needs[0])
    return choice(
        f"{label} (or type a Hub id)",
        f"{prefix}-model",
        choices,
        value or (choices[0][1] if choices else None),
        allow_custom_value=True,
    )
