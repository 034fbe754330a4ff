"""What the tabs of a page share: where models come from, whose results are kept, and the fields they have in common."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from ..registry import METHODS, MethodRecord
from .handlers import deadline_of
from .limits import REQUEST_SECONDS
from .parts import offers
from .pool import ModelPool, kinds_for, model_choices

__all__ = ["FIELD_WIDTH", "Tab", "methods_on", "model_box"]

FIELD_WIDTH = 260
"""Pixels; narrower fields move below each other."""


def methods_on(kind: str) -> tuple[MethodRecord, ...]:
    """The methods that take a kind of data."""
    return tuple(r for r in METHODS.values() if r.data.name == kind)


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

    @contextmanager
    def lent(self, model: str, progress: Any) -> Iterator[Any]:
        """The model that a visitor named, for one request."""
        with self.pool.borrow(model, deadline_of(progress, self.seconds)) as lent:
            yield lent


def model_box(tab: Tab, kinds: Sequence[str], prefix: str, label: str = "Model") -> Any:
    """The field that names a model: those of some kinds, or those that fit the tab's only method."""
    import gradio as gr

    if tab.method is None:
        choices = model_choices(tuple(kinds))
        value = choices[0][1] if choices else None
    else:
        needs = tab.method.needs
        choices = model_choices(kinds_for(needs), installed=False)
        value = offers()["models"].get(needs[0]) or (choices[0][1] if choices else None)
    return gr.Dropdown(
        choices,
        value=value,
        allow_custom_value=True,
        label=f"{label} (or type a Hub id such as user/model)",
        min_width=FIELD_WIDTH,
        elem_id=f"{prefix}-model",
    )
