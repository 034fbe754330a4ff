"""Tables of grids: on a terminal folded between the parts of names, elsewhere one line per row."""

from __future__ import annotations

import re
import shutil
import sys
from collections.abc import Sequence
from itertools import zip_longest
from typing import TYPE_CHECKING, Any

import typer

from ..text import counted
from .output import printable

if TYPE_CHECKING:
    from ..report.table import Table

HEADING = 18
"""Columns that a heading takes at most on a terminal, before it is folded."""
_GAP = "  "
_NARROWEST = 10
_PARTS = re.compile(r"[^\s,/_-]*[\s,/_-]*")
"""Pieces that a name may be folded between."""


def print_sheet(table: Table[Any]) -> None:
    """Print a table; on a terminal its first columns are folded to the width, and the first is said once a group.

    Args:
        table: the table; its first columns hold names, which may be folded, the numbers after them may not.
    """
    headings, rows = table.titles, table.cells()
    names = next((i for i, column in enumerate(table.columns) if column.number), len(headings))
    width = room()
    lines = [[printable(cell) for cell in row] for row in rows]
    heads = [_cells(heading) if width is None else min(_cells(heading), HEADING) for heading in headings]
    widths = [max(head, *map(_cells, column)) for head, *column in zip(heads, *lines, strict=True)]
    if width is not None:
        widths = _fitting(widths, names, width)
        for i in range(len(lines) - 1, 0, -1):
            if lines[i][0] == lines[i - 1][0]:
                lines[i][0] = ""
    typer.secho(printable(table.title), bold=True)
    _print_folded(headings, widths, bold=True)
    typer.echo("─" * (sum(widths) + len(_GAP) * (len(widths) - 1)))
    for line in lines:
        _print_folded(line, widths)


def duration(seconds: float) -> str:
    """A length of time in the largest unit that leaves two digits.

    Examples:
        >>> duration(0.05), duration(200), duration(9_000)
        ('1 second', '3 minutes', '2.5 hours')
    """
    if seconds < 90:
        return counted(max(1, round(seconds)), "second")
    return f"{seconds / 60:.0f} minutes" if seconds < 5400 else f"{seconds / 3600:,.1f} hours"


def room() -> int | None:
    """The width of the terminal, ``None`` where the output goes elsewhere."""
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else None


def fold(text: str, width: int) -> list[str]:
    """Lines of a text that are no wider than asked, broken after blanks and the signs that join the parts of names.

    Examples:
        >>> fold("google-bert/bert-base-multilingual-cased", 18)
        ['google-bert/bert-', 'base-multilingual-', 'cased']
    """
    lines = [""]
    for piece in _PARTS.findall(text):
        if lines[-1] and _cells(lines[-1]) + _cells(piece.rstrip()) > width:
            lines.append("")
        for sign in piece:
            if _cells(lines[-1]) + _cells(sign) > width and not sign.isspace():
                lines.append("")
            lines[-1] += sign
    return [line.rstrip() for line in lines]


def _fitting(widths: Sequence[int], names: int, width: int) -> list[int]:
    """Widths of which those of names are cut, the widest first, until the row fits."""
    out = list(widths)
    excess = sum(out) + len(_GAP) * (len(out) - 1) - width
    while excess > 0 and names:
        widest = max(range(names), key=out.__getitem__)
        if out[widest] <= _NARROWEST:
            break
        out[widest] -= 1
        excess -= 1
    return out


def _print_folded(cells: Sequence[str], widths: Sequence[int], *, bold: bool = False) -> None:
    for parts in zip_longest(*map(fold, cells, widths), fillvalue=""):
        padded = (part + " " * (w - _cells(part)) for part, w in zip(parts, widths, strict=True))
        typer.secho(_GAP.join(padded).rstrip(), bold=bold)


def _cells(text: str) -> int:
    if text.isascii():
        return len(text)
    from rich.cells import cell_len

    return cell_len(text)
