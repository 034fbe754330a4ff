"""Which tab measures which method: by its kind of data; one that has no tab of its own gets a table of its columns."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from ..data import kinds
from .build_tab import build_tab
from .kind_page import KindPage
from .rows_tab import rows_page
from .sentence_pairs import pairs_page
from .stereoset import items_page
from .tab import Tab, counts_words
from .texts import texts_page
from .word_lists import word_lists_page

OWN_TABS: Mapping[str, Callable[[Tab], KindPage]] = {
    kinds.WORD_LISTS.name: word_lists_page,
    kinds.SENTENCE_PAIRS.name: pairs_page,
}
"""The tab for each kind of data that the explorer has a tab for."""


def method_tab(tab: Tab, prefix: str = "") -> None:
    """Build the tab of a tab's only method inside the page that is being built.

    ``prefix`` begins the ids of its parts, where there are several on one page.
    """
    build_page = {**OWN_TABS, kinds.STEREOSET.name: items_page}.get(tab.only.data.name)
    build_page = texts_page if counts_words(tab.only) else build_page
    build_tab(tab, rows_page(tab, prefix or "rows") if build_page is None else build_page(tab))
