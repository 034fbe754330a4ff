"""The page of one evaluate module: the explorer's tab for its kind of data, with this method only."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from ..data import kinds
from ..data.recipes import record_of
from ..registry import MethodRecord, get_method
from .form import Tab, counts_words
from .limits import MODULE_SECONDS
from .pool import ModelPool
from .rows import rows_tab
from .sentence_pairs import pairs_tab
from .serve import new_page
from .texts import texts_tab
from .word_lists import words_tab

if TYPE_CHECKING:
    import gradio as gr

_OFFERED = {
    kinds.SENTENCE_PAIRS.name: "minimal_pairs",
    kinds.STEREOSET.name: "stereoset_style",
    kinds.TOKEN_SETS.name: "stereoset_style",
    kinds.PRONOUN_PAIRS.name: "winobias_style",
}
"""What provenance calls the data that a tab starts with, where they are not the method's default data set."""


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
