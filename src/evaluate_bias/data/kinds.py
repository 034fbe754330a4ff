"""The kinds of data that methods take: what columns they have, and who loads them.

A method names its kind and the columns it needs. Modules, pages and the command take everything else from here.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias, cast

from ..paths import hub_id

__all__ = [
    "ANALOGIES",
    "ASSOCIATION_TESTS",
    "BBQ",
    "BEC_PRO",
    "COMPLETIONS",
    "GENDERED_WORDS",
    "GUISE_TESTS",
    "LPBS_TESTS",
    "OCCUPATIONS",
    "OCCUPATION_TEST",
    "PREDICTIONS",
    "PRONOUN_PAIRS",
    "SCORES",
    "SEAT_TESTS",
    "SENTENCE_PAIRS",
    "STEREOSET",
    "WORD_LISTS",
    "WSV_WORDS",
    "Column",
    "DataKind",
]

Holds: TypeAlias = Literal[
    "text", "label", "number", "words", "numbers", "sentence", "options", "completions", "ignored"
]
"""What a column holds: a text, a label (a text, a whole number or a truth value), a number, a list of words or of
numbers, a sentence or its ready score, the options of an item (each a sentence or its score, with a label), ready completions in place of a
model's; ``"ignored"`` for what may be passed along and plays no part."""


@dataclass(frozen=True, slots=True)
class Column:
    """One column of a kind of data.

    Attributes:
        holds: see :data:`Holds`.
        text: what it is, in a few words.
        may_be_empty: whether an empty text is another thing than an absent one, as of a sentence.
    """

    holds: Holds
    text: str = ""
    may_be_empty: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class DataKind:
    """A kind of data.

    Attributes:
        name: its name; pages are chosen by it.
        loader: ``module:function`` that returns rows of this kind.
        options: options of the loader that choose the data.
        dataset: Hub id of the usual data set; empty where there is none.
        columns: all columns by name.
    """

    name: str
    loader: str
    options: tuple[str, ...]
    dataset: str
    columns: Mapping[str, Column]

    def load(self) -> Callable[..., Any]:
        """Import and return the loader."""
        module, _, function = self.loader.partition(":")
        return getattr(importlib.import_module(module), function)  # type: ignore[no-any-return]


def _columns(table: str) -> dict[str, Column]:
    """Columns from lines of ``names | what they hold | text``; with ``?`` an empty text is not an absent one."""
    columns: dict[str, Column] = {}
    for line in filter(None, map(str.strip, table.split("\n"))):
        names, holds, text = (part.strip() for part in f"{line}||".split("|")[:3])
        column = Column(cast(Holds, holds.rstrip("?")), text, may_be_empty=holds.endswith("?"))
        columns |= dict.fromkeys(names.split(", "), column)
    return columns


_TESTS = _columns("""
    name | text | a name for every test, one test per row
    targets_x | words | first target words of every test
    targets_y | words | second target words
    attributes_a | words | first attribute words
    attributes_b | words | second attribute words
    language | text | language of the words, such as 'en'
    title | text | what the test is about, for people
    x_label | text | what the list x is called in tables
    y_label | text | what the list y is called in tables
    a_label | text | what the list a is called in tables
    b_label | text | what the list b is called in tables
    origin | text | where the lists come from
    source, licence, bias_type, notes | text
""")

WORD_LISTS = DataKind(
    name="word_lists",
    loader="evaluate_bias.data.word_lists:load_word_lists",
    options=("source", "language", "tests"),
    dataset=hub_id("weat-word-lists"),
    columns=_TESTS,
)
SEAT_TESTS = replace(WORD_LISTS, loader="evaluate_bias.data.seat_tests:load_seat_tests")
LPBS_TESTS = replace(
    WORD_LISTS,
    loader="evaluate_bias.data.lpbs_tests:load_lpbs_tests",
    columns=_TESTS
    | _columns("""
    plural_targets | words | the targets that are plural
    singular_templates | words | templates of the singular targets
    plural_templates | words | templates of the plural targets
"""),
)
ASSOCIATION_TESTS = replace(
    WORD_LISTS,
    name="association_tests",
    loader="evaluate_bias.data.association_tests:load_association_tests",
    dataset=hub_id("word-association-tests"),
    columns=_TESTS
    | _columns("""
    answers | completions | ready answers of every test, a list of texts, in place of a model's
