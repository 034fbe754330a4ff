"""The page of one evaluate module: the explorer's tab for its kind of data, with this method only."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from ..data import kinds
from ..data.recipes import record_of
from ..errors import InputError
from ..registry import get_method
from .limits import MODULE_SECONDS
from .pool import ModelPool
from .scores import scores_tab
from .sentence_pairs import pairs_tab
from .serve import new_page
from .stereoset import items_tab
from .tab import Tab
from .word_lists import words_tab
from .word_tables import FORMS, table_tab

if TYPE_CHECKING:
    import gradio as gr

__all__ = ["module_page"]

_TABS: dict[str, Callable[[Tab], None]] = {
    kinds.WORD_LISTS.name: words_tab,
    kinds.SENTENCE_PAIRS.name: pairs_tab,
    kinds.STEREOSET.name: items_tab,
    kinds.SCORES.name: scores_tab,
    **dict.fromkeys(FORMS, table_tab),
}
"""The tab for each kind of data."""

_OFFERED = {
    kinds.SENTENCE_PAIRS.name: "minimal_pairs",
    kinds.STEREOSET.name: "stereoset_style",
    kinds.PRONOUN_PAIRS.name: "winobias_style",
}
"""What provenance calls the data that a tab starts with, where they are not the method's default data set."""


def module_page(name: str, pool: ModelPool | None = None) -> gr.Blocks:
    """Build the page of one evaluate module.

    Args:
        name: registry name of a method.
        pool: where models come from; by default named assets and Hub models.

    Returns:
        The page; call ``launch()`` on it.

    Raises:
        UnknownNameError: no method has this name.
        InputError: there is no page for the kind of data the method takes.
    """
    import gradio as gr

    record = get_method(name)
    build = _TABS.get(record.data.name)
    if build is None:
        raise InputError(f"there is no page for {record.name}: it takes other data than {', '.join(_TABS)}")
    with new_page(record.title) as (page, session):
        gr.Markdown(f"# {record.title}\n\n{record.summary}", elem_id="intro")
        build(Tab(pool or ModelPool(), session, record, MODULE_SECONDS))
        note = record_of({"source": _OFFERED.get(record.data.name, record.dataset)})
        caveats = (*(note.caveats if note else ()), *record.caveats)
        gr.Markdown(
            "**Know before you quote it**\n\n" + "\n".join(f"- {c}" for c in caveats), elem_id="caveats"
        )
    return page
