"""What the tabs of a page share: where models come from, whose results are kept, and the fields they have in common."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any

from ..errors import InputError
from ..registry import METHODS, MethodRecord
from ..result import Result
from .handlers import deadline_of, on_choice
from .limits import REQUEST_SECONDS
from .parts import FileLink, Links, page_defaults, show
from .pool import ModelPool, kinds_for, model_choices
from .session import Session
from .shared_results import SHARED_RESULTS
from .uploads import uploaded_vectors

__all__ = [
    "FIELD_WIDTH",
    "Tab",
    "answer",
    "upload_path",
    "choice",
    "counts_words",
    "methods_on",
    "model_box",
    "outputs",
    "text_box",
    "upload_boxes",
]

FIELD_WIDTH = 260
"""Pixels; narrower fields move below each other."""


_OF_TEXTS = "counts words"


def methods_on(kind: str) -> tuple[MethodRecord, ...]:
    """The methods that take a kind of data and a model."""
    return tuple(r for r in METHODS.values() if r.data.name == kind and not counts_words(r))


def counts_words(record: MethodRecord) -> bool:
    """Whether a method measures a text rather than a model."""
    return record.needs == (_OF_TEXTS,)


@dataclass(frozen=True, slots=True)
class Tab:
    """A tab of a page.

    Attributes:
        pool: where models come from.
        session: gradio's state that holds the visitor's :class:`~.session.Session`.
        method: the only method that it offers; ``None`` for all that take its kind of data.
        seconds: time for one request.
        named: whether the names of endpoints say the method, as where several methods are on one page.
    """

    pool: ModelPool
    session: Any
    method: MethodRecord | None = None
    seconds: float = REQUEST_SECONDS
    named: bool = False

    def endpoint(self, name: str) -> str:
        """The name of an endpoint for callers from outside the page."""
        return f"{name}_{self.method.name}" if self.named and self.method is not None else name

    def lent(self, model: str, progress: Any, upload: str | None = None) -> AbstractContextManager[Any]:
        """The model that a visitor named, or the word vectors they uploaded, for one request."""
        deadline = deadline_of(progress, self.seconds)
        if upload:
            return self.pool.borrow_upload(upload, uploaded_vectors, deadline)
        return self.pool.borrow(model, deadline)


def answer(session: Session, results: Sequence[Result], html: str, **more: Any) -> tuple[str, dict[str, Any]]:
    """What a measurement answers: HTML with links that reopen and save it, and the same as data.

    The results are those of the visitor's session from now on. ``more`` are further facts for the data.
    """
    from ..report.plots import picture_names

    if not results:
        return html, {"results": [], **more}
    session.add(results)
    own = picture_names(results[0]) if len(results) == 1 else []
    pictures = ["scores", *own]
    token = SHARED_RESULTS.keep(results, html, pictures)
    names = {
        "results.json": "JSON",
        "results.jsonl": "JSON lines",
        "rows.csv": "CSV of the rows",
        **{
            f"{name}.png": f"Picture: {name.replace('_', ' ')}"
            for name in (pictures if len(results) == 1 else [])
        },
    }
    files = {name: f"results/{token}/{name}" for name in names}
    links = Links(
        [
            FileLink("", f"?result={token}", "Link to this result, for a day"),
            *(FileLink(name, files[name], label) for name, label in names.items()),
        ]
    )
    data = {
        "results": [_no_file(r.to_dict()) for r in results],
        "link": f"?result={token}",
        "files": files,
        **more,
    }
    return html + show(links), data


def _no_file(value: Any) -> Any:
    """The same with another key for ``path``: gradio's client would fetch the file that it takes the value for."""
    if isinstance(value, dict):
        return {"file" if key == "path" else key: _no_file(inner) for key, inner in value.items()}
    return [_no_file(inner) for inner in value] if isinstance(value, list) else value


def outputs(elem_id: str) -> list[Any]:
    """Where a measurement goes: HTML that is shown, and the same as data for callers from outside the page."""
    import gradio as gr

    page = gr.HTML(label="Result as HTML", show_label=False, elem_id=elem_id)
    return [page, gr.JSON(label="Result as data", visible=False, elem_id=f"{page.elem_id}-data")]


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
    on_choice(own, lambda on: gr.File(value=None, visible=on), own, upload)
    return own, upload


def upload_path(own: bool | None, upload: str | None) -> str | None:
    """The visitor's upload, ``None`` where none is wanted.

    Raises:
        InputError: one is wanted and there is none, as after one that was refused.
    """
    if own and not upload:
        raise InputError("your file has not arrived: upload it again, or untick the box that says to use it")
    return upload


def model_box(
    tab: Tab, kinds: Sequence[str], prefix: str, label: str = "Model", none: str = "", visible: bool = True
) -> Any:
    """The field that names a model: those of some kinds, or those that fit the tab's only method.

    ``none`` is what no model is called, where the data may hold what one would have answered.
    """
    fitting = tuple(kinds) if tab.method is None else kinds_for(tab.method.needs)
    if tab.method is None:
        choices = model_choices(fitting)
        value = None
    else:
        choices = model_choices(fitting, installed=False)
        value = next(
            (page_defaults()["models"][n] for n in tab.method.needs if n in page_defaults()["models"]), None
        )
    if (mine := tab.pool.own) is not None and {*mine.kinds} & {*fitting}:
        choices, value = [(f"{mine.name} (yours)", mine.name), *choices], mine.name
    if none:
        choices = [*choices, (none, "")]
    return choice(
        f"{label} (or type a Hub id)",
        f"{prefix}-model",
        choices,
        value or (choices[0][1] if choices else None),
        allow_custom_value=True,
        visible=visible,
    )
