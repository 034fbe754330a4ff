"""The tab of all methods on other kinds of data, one at a time."""

from __future__ import annotations

import dataclasses
from typing import Any

from ...registry import METHODS, MethodRecord, get_method
from ..handlers import on_choice
from ..kind_tabs import OWN_TABS, tab_for
from ..tab import Tab, choice, counts_words

__all__ = ["more_tab", "other_methods"]


def other_methods() -> list[MethodRecord]:
    """The methods on kinds of data that the explorer has no tab for."""
    return [r for r in METHODS.values() if r.data.name not in OWN_TABS and not counts_words(r)]


def more_tab(tab: Tab) -> None:
    """Build the tab inside the page that is being built: a choice of methods, and the form of the one chosen."""
    import gradio as gr

    records = other_methods()

    def show_method(name: str) -> list[Any]:
        chosen = get_method(name).name
        return [gr.Column(visible=r.name == chosen) for r in records]

    chosen = choice("Method", "more-method", [(f"{r.title}", r.name) for r in records], records[0].name)
    columns = []
    for record in records:
        with gr.Column(visible=record is records[0], elem_id=f"more-{record.name}") as column:
            gr.Markdown(record.summary, elem_id=f"more-{record.name}-summary")
            tab_for(record, f"more-{record.name}")(dataclasses.replace(tab, method=record, named=True))
        columns.append(column)
    on_choice(chosen, show_method, chosen, columns)
