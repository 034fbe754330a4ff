"""The two kinds of page: the explorer, tab by tab, and the page of one evaluate module."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from ..data import kinds
from ..data.recipes import record_of
from ..registry import METHODS, MethodRecord, get_method
from .card import card_tab
from .chat import chat_tab
from .compare import compare_tab
from .form import Form, Tab, Values, counts_words
from .guard import (
    MAX_ROWS,
    MAX_TABLE_BYTES,
    MAX_TEXT_BYTES,
    MAX_VECTOR_BYTES,
    REQUEST_SECONDS,
)
from .parts import render
from .pool import ModelPool
from .rows import rows_tab
from .sentence_pairs import pairs_tab
from .serve import new_page
from .texts import texts_tab
from .word_lists import words_tab

if TYPE_CHECKING:
    import gradio as gr

MODULE_SECONDS = 600.0

_INTRO = (
    "# Bias explorer\n"
    "Measure which social associations word vectors and language models carry: pick an example, look at the "
    "number, its uncertainty, and the words or sentences behind it."
)
_OFFERED = {
    kinds.SENTENCE_PAIRS.name: "minimal_pairs",
    kinds.STEREOSET.name: "stereoset_style",
    kinds.TOKEN_SETS.name: "stereoset_style",
    kinds.PRONOUN_PAIRS.name: "winobias_style",
}
"""What provenance calls the data that a tab starts with, if they are not the method's default data set."""


OWN_TABS: Mapping[str, Callable[[Tab], None]] = {
    kinds.WORD_LISTS.name: words_tab,
    kinds.SENTENCE_PAIRS.name: pairs_tab,
}
"""The tab for each kind of data that the explorer has a tab for."""


def method_tab(tab: Tab, record: MethodRecord, prefix: str = "rows") -> None:
    """Draw the tab of a tab's only method inside the page that is being built.

    ``prefix`` begins the ids of its parts if it has a table, as there are several on one page.
    """
    draw = texts_tab if counts_words(record) else OWN_TABS.get(record.data.name)
    if draw is None:
        rows_tab(tab, record, prefix)
    else:
        draw(tab)


def explorer_page(pool: ModelPool | None = None) -> gr.Blocks:
    """Build the page; :func:`~evaluate_bias.ui.launch` serves it.

    Args:
        pool: where models come from; by default named assets and Hub models.

    Returns:
        The page, with its queue set up.
    """
    import gradio as gr

    with new_page("Bias explorer") as (page, session):
        tab = Tab(pool or ModelPool(), session)
        gr.Markdown(_INTRO, elem_id="intro")
        with gr.Tabs(elem_id="tabs"):
            for name, title, draw in (
                ("words", "Word lists", words_tab),
                ("pairs", "Sentence pairs", pairs_tab),
                ("chat", "Chat", chat_tab),
                ("texts", "Texts", texts_tab),
                ("more", "More methods", more_tab),
                ("compare", "Compare", compare_tab),
            ):
                with gr.Tab(title, id=name, elem_id=f"tab-{name}"):
                    draw(tab)
            with gr.Tab("Model card", id="card", elem_id="tab-card") as opened:
                card_tab(tab, opened)
            with gr.Tab("About", id="about", elem_id="tab-about"):
                gr.HTML(about_html(), elem_id="about")
    return page


def other_methods() -> list[MethodRecord]:
    """The methods on kinds of data that the explorer has no tab for."""
    return [r for r in METHODS.values() if r.data.name not in OWN_TABS and not counts_words(r)]


def more_tab(tab: Tab) -> None:
    """Build the tab inside the page that is being built: a choice of methods, and the form of the one chosen."""
    import gradio as gr

    records = other_methods()

    form = Form(tab, "more", methods=records)
    form.method()
    for record in records:
        with gr.Column(visible=record is records[0], elem_id=f"more-{record.name}") as column:
            gr.Markdown(record.summary, elem_id=f"more-{record.name}-summary")
            one = dataclasses.replace(tab, method=record, names_method=True)
            method_tab(one, record, f"more-{record.name}")
        form.fields[record.name] = column

    def show_method(values: Values) -> Values:
        chosen = get_method(values["method"]).name
        return {r.name: gr.update(visible=r.name == chosen) for r in records}

    form.on_choice("method", show_method, (), [r.name for r in records])


def about_html() -> str:
    """What the numbers are not, how to read every method, and what happens to a visitor's data."""
    return render(
        "about",
        records=METHODS.values(),
        vectors=MAX_VECTOR_BYTES // 2**20,
        tables=MAX_TABLE_BYTES // 2**20,
        pairs=MAX_ROWS,
        texts=MAX_TEXT_BYTES // 2**20,
        seconds=REQUEST_SECONDS,
    )


def module_page(name: str, pool: ModelPool | None = None) -> gr.Blocks:
    """Build the page of one evaluate module.

    Args:
        name: registry name of a method.
        pool: where models come from; by default named assets and Hub models.

    Returns:
        The page; call ``launch()`` on it.

    Raises:
        UnknownNameError: no method has this name.
    """
    import gradio as gr

    record = get_method(name)
    with new_page(record.title) as (page, session):
        gr.Markdown(f"# {record.title}\n\n{record.summary}", elem_id="intro")
        method_tab(Tab(pool or ModelPool(), session, record, MODULE_SECONDS), record)
        note = record_of({"source": _OFFERED.get(record.data.name, record.dataset)})
        caveats = (*(note.caveats if note else ()), *record.caveats)
        gr.Markdown(
            "**Know before you quote it**\n\n" + "\n".join(f"- {c}" for c in caveats), elem_id="caveats"
        )
    return page
