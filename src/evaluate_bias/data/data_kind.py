"""What a kind of data is: its columns, its loader, and the data set that is usual for it."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, cast

Holds: TypeAlias = Literal[
    "text", "label", "number", "words", "numbers", "sentence", "options", "answer", "completions", "probability",
    "ignored",
]  # fmt: skip
"""What a column holds: a text, a label (a text, an integer or a boolean), a number, a list of words, a list of
numbers, a sentence or its ready score, the options of an item (each a sentence or its score, with a label), a ready
answer, completions or a probability in place of a model's; ``"ignored"`` for what may be passed along and plays no
part."""

READY = ("completions", "probability")
"""What an optional column may hold that makes a model needless."""


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
        loader: ``module:function`` of this package that returns rows of this kind.
        options: options of the loader that choose the data.
        dataset: Hub id of the usual data set; empty where there is none.
        sample: what is packaged and read where no source is named, if that is another data set than the usual one.
        columns: all columns by name.
        groups: columns whose combinations are the groups that are compared; a part of the rows has as many of each.
        within: columns within whose combinations groups are compared; a part of the rows has whole combinations.
        crossed: columns, the widest first, of which a part of the rows has whole values, or a part of one: a score
            needs the same rows with each of their values.
        looks_at: what methods on such data look at, in a few words; empty where cards do not say it.
    """

    name: str
    loader: str
    options: tuple[str, ...] = ("source", "language")
    dataset: str = ""
    sample: str = ""
    columns: Mapping[str, Column]
    groups: tuple[str, ...] = ()
    within: tuple[str, ...] = ()
    crossed: tuple[str, ...] = ()
    looks_at: str = ""

    def load(self) -> Callable[..., Any]:
        """Import and return the loader."""
        module, _, function = self.loader.partition(":")
        return getattr(importlib.import_module(f".{module}", __package__), function)  # type: ignore[no-any-return]


def columns_of(table: str) -> dict[str, Column]:
    """Columns from lines of ``names | what they hold | text``; with ``?`` an empty text is not an absent one."""
    columns: dict[str, Column] = {}
    for line in filter(None, map(str.strip, table.split("\n"))):
        names, holds, text = (part.strip() for part in f"{line}||".split("|")[:3])
        column = Column(cast(Holds, holds.rstrip("?")), text, may_be_empty=holds.endswith("?"))
        columns |= dict.fromkeys(names.split(", "), column)
    return columns
