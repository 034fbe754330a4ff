"""The one table: its columns have a title, an alignment and a way to write a cell. Every surface writes the same."""

from __future__ import annotations

import csv
import html
import io
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from operator import itemgetter
from typing import Any, Generic, TypeAlias, TypeVar

from ..text import spreadsheet
from .escape import Markdown, html_list, markdown

Cell: TypeAlias = str | int | float | bool | None
T = TypeVar("T")

_TAG = re.compile(r"<(?=[A-Za-z/!?])")


@dataclass(frozen=True, slots=True)
class TableColumn(Generic[T]):
    """A column of a table.

    Attributes:
        title: its heading.
        cell: writes the cell of a row.
        number: whether its cells are numbers, which are aligned right and keep their signs in Markdown.
    """

    title: str
    cell: Callable[[T], Cell]
    number: bool = False


@dataclass(frozen=True, slots=True)
class Table(Generic[T]):
    """Rows of anything, and the columns that show them.

    Attributes:
        columns: the columns, from the left.
        rows: what the cells are written from.
        title: what the table shows. Empty if the text around it says so.
        notes: what a reader must know to read it, a sentence or two each.

    Examples:
        >>> table = Table((TableColumn("name", str.upper), TableColumn("letters", len, number=True)), ("a|b", "cd"))
        >>> print(table.to_markdown())
        | name | letters |
        |---|---:|
        | A\\|B | 3 |
        | CD | 2 |
        >>> table.to_csv()
        'name,letters\\nA|B,3\\nCD,2\\n'
        >>> table.to_html()[:62]
        '<table><thead><tr><th>name</th><th class="num">letters</th></t'
    """

    columns: Sequence[TableColumn[T]]
    rows: Sequence[T]
    title: str = ""
    notes: Sequence[str] = ()

    @property
    def titles(self) -> list[str]:
        """The headings."""
        return [column.title for column in self.columns]

    def choose(self, *titles: str) -> Table[T]:
        """Return the table with the columns of these headings only."""
        return replace(self, columns=[column for column in self.columns if column.title in titles])

    def cells(self) -> list[list[str]]:
        """Return the cells of each row as text, empty if a row has none."""
        return [
            ["" if c is None else c if isinstance(c, str) else str(c) for c in row] for row in self.values()
        ]

    def values(self) -> list[list[Cell]]:
        """Return the cells of each row as they are: numbers keep all their digits."""
        return [[column.cell(row) for column in self.columns] for row in self.rows]

    def records(self) -> list[dict[str, str]]:
        """Return each row as cells by heading."""
        return [dict(zip(self.titles, row, strict=True)) for row in self.cells()]

    def to_markdown(self) -> str:
        """Return headings and rows as Markdown. Texts are escaped, and numbers are right-aligned."""
        lines = [[_escaped(title) for title in self.titles]]
        for row in self.cells():
            pairs = zip(self.columns, row, strict=True)
            lines.append([_number(cell) if column.number else _escaped(cell) for column, cell in pairs])
        head, *body = (f"| {' | '.join(cells)} |" for cells in lines)
        rule = "".join("---:|" if column.number else "---|" for column in self.columns)
        return "\n".join([head, f"|{rule}", *body])

    def to_html(self) -> str:
        """Return the table as a notebook and a page show it. Cells of numbers have the class ``num``."""
        looks = [' class="num"' if column.number else "" for column in self.columns]
        heads = zip(self.titles, looks, strict=True)
        titles = "".join(f"<th{look}>{html.escape(title)}</th>" for title, look in heads)
        rows = (zip(row, looks, strict=True) for row in self.cells())
        lines = ("".join(f"<td{look}>{html.escape(cell)}</td>" for cell, look in row) for row in rows)
        body = "".join(f"<tr>{line}</tr>" for line in lines)
        return f"<table><thead><tr>{titles}</tr></thead><tbody>{body}</tbody></table>"

    def to_csv(self) -> str:
        """Return the table as CSV with all digits. No spreadsheet reads its texts as formulas."""
        out = io.StringIO()
        rows: list[Sequence[Cell]] = [self.titles, *self.values()]
        for row in rows:
            cells = [spreadsheet(c) if isinstance(c, str) else c for c in row]
            csv.writer(out, lineterminator="\n").writerow(cells)
        return out.getvalue()


def table_of(
    titles: Sequence[str], rows: Iterable[Sequence[Cell]], *, numbers: Collection[int] = (), title: str = ""
) -> Table[Sequence[Cell]]:
    """Return a table of cells that are written already.

    Args:
        titles: the headings.
        rows: the cells.
        numbers: places of the columns that contain numbers, from 0.
        title: of the table.
    """
    columns: list[TableColumn[Any]] = [
        TableColumn(name, itemgetter(i), i in numbers) for i, name in enumerate(titles)
    ]
    return Table(columns, list(rows), title)


class TablePage(ABC):
    """What people read of a comparison or a gate: sentences, tables and a list of notes."""

    __slots__ = ()

    @property
    @abstractmethod
    def sentences(self) -> Sequence[str]:
        """What was found, in a sentence or a few."""

    @property
    @abstractmethod
    def tables(self) -> Sequence[Table[Any]]:
        """The tables below."""

    @property
    @abstractmethod
    def notes(self) -> Sequence[str]:
        """What a reader must know."""

    def to_markdown(self) -> str:
        """Return sentences, tables and notes as Markdown."""
        lines = (f"**{markdown(sentence)}**" for sentence in self.sentences)
        notes = "\n".join(f"- {markdown(note)}" for note in self.notes)
        return "\n\n".join(filter(None, [*lines, *(t.to_markdown() for t in self.tables), notes])) + "\n"

    def _repr_html_(self) -> str:
        """Notebook rendering: the same."""
        lines = "".join(f"<p><b>{html.escape(sentence)}</b></p>" for sentence in self.sentences)
        return f"<div>{lines}{''.join(t.to_html() for t in self.tables)}{html_list(self.notes)}</div>"


def _escaped(text: str) -> str:
    return text if isinstance(text, Markdown) else markdown(text)


def _number(text: str) -> str:
    # An interval in brackets would be a link if a card defines one whose name is these numbers.
    return _TAG.sub("&lt;", re.sub(r"[*|\[]", r"\\\g<0>", text))
