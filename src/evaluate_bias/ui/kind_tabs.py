"""Which tab measures which method: by its kind of data; one that has no tab of its own gets a table of its columns."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from ..data import kinds
from ..registry import MethodRecord
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
    build_tab(tab, _page(tab, tab.only, prefix))


def _page(tab: Tab, record: MethodRecord, prefix: str) -> KindPage:
    kind = record.data.name
    if counts_words(record):
        return texts_page(tab)
    if kind in OWN_TABS:
        return OWN_TABS[kind](tab)
    if kind == kinds.STEREOSET.name:
        return items_page(tab)
    return rows_page(tab, prefix or "rows")
