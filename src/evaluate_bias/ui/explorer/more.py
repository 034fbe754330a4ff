"""The tab of all methods on other kinds of data, one at a time."""

from __future__ import annotations

import dataclasses

from ...registry import METHODS, MethodRecord, get_method
from ..fields import Fields, Values, choice
from ..kind_tabs import OWN_TABS, method_tab
from ..tab import Tab, counts_words


def other_methods() -> list[MethodRecord]:
    """The methods on kinds of data that the explorer has no tab for."""
    return [r for r in METHODS.values() if r.data.name not in OWN_TABS and not counts_words(r)]


def more_tab(tab: Tab) -> None:
    """Build the tab inside the page that is being built: a choice of methods, and the form of the one chosen."""
    import gradio as gr

    records = other_methods()

    fields = Fields()
    titles = [(r.title, r.name) for r in records]
    fields.add("method", choice("Method", "more-method", titles, records[0].name))
    for record in records:
        with gr.Column(visible=record is records[0], elem_id=f"more-{record.name}") as column:
            gr.Markdown(record.summary, elem_id=f"more-{record.name}-summary")
            method_tab(dataclasses.replace(tab, method=record, names_method=True), f"more-{record.name}")
        fields.add(record.name, column)

    def show_method(values: Values) -> Values:
        chosen = get_method(values["method"]).name
        return {r.name: gr.update(visible=r.name == chosen) for r in records}

    fields.on_choice("method", show_method, (), [r.name for r in records])
