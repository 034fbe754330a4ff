"""Which tab measures which method: by its kind of data; one that has no tab of its own gets a table of its columns."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from ..data import kinds
from ..registry import MethodRecord
from .rows_tab import rows_tab
from .sentence_pairs import pairs_tab
from .stereoset import items_tab
from .tab import Tab, counts_words
from .texts import texts_tab
from .word_lists import words_tab
from .word_tables import FORMS, table_tab

__all__ = ["OWN_TABS", "tab_for"]

OWN_TABS: dict[str, Callable[[Tab], None]] = {
    kinds.WORD_LISTS.name: words_tab,
    kinds.SENTENCE_PAIRS.name: pairs_tab,
}
"""The tab for each kind of data that the explorer has a tab for."""


def tab_for(record: MethodRecord, prefix: str = "") -> Callable[[Tab], None]:
    """Return what builds the tab of a method.

    ``prefix`` begins the ids of its parts, where there are several on one page.
    """
    kind = record.data.name
    if counts_words(record):
        return texts_tab
    if kind in OWN_TABS:
        return OWN_TABS[kind]
    if kind == kinds.STEREOSET.name:
        return items_tab
    if kind in FORMS:
        return partial(table_tab, prefix=prefix or "table")
    return partial(rows_tab, prefix=prefix or "rows")
