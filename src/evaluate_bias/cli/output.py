"""What the command line prints: tables, notes, spinners."""

from __future__ import annotations

import json
import os
import shlex
import sys
import unicodedata
import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..errors import BiasError
from ..files import require_regular_or_absent
from ..progress import SHOWS_PROGRESS
from ..text import counted, range_text

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table as RichTable

    from ..report.lines import ReportRow
    from ..report.table import Table
    from ..result import Result

_LONGEST_NAME = 200
_MOST_SKIPPED = 12

WRONG_USE = 2
"""Exit code if what was given is wrong, as for an unknown option."""
SOME_FAILED = 3
"""Exit code of a run that measured only part of the request."""

JsonFlag = Annotated[bool, typer.Option("--json", help="Print JSON for programs instead of a table.")]
QuietFlag = Annotated[
    bool, typer.Option("--quiet", "-q", help="Print results and errors, without progress and notes.")
]
LevelOption = Annotated[float, typer.Option(help="Confidence level of the intervals.")]
ResultsArgument = Annotated[Path, typer.Argument(help="results.jsonl, or its folder.")]
ModelsOption = Annotated[
    list[str] | None,
    typer.Option(
        "--model",
        "-m",
        help="Model to measure: a Hub id, a folder, a word-vector or GGUF file, a named asset "
        "(see 'evaluate-bias data list'), or corpus:PATH for texts. May be repeated. Omit it if the data "
        "are predictions, answers or scores.",
    ),
]
LoadingOption = Annotated[
    list[str] | None,
    typer.Option(
        "--model-option",
        help="Option of loading the model as name=value, such as case=lower. May be repeated.",
    ),
]
DATA_HELP = (
    "Data instead of the method's default: your own file (CSV, TSV, JSONL, JSON, YAML, Parquet or Excel, see 'Your "
    "own data' in the documentation), a folder, a Hub data set id, or a name from 'evaluate-bias data list'."
)


def printable(text: str, most: int = 2_000) -> str:
    """Return a text as a terminal may show it: control characters and marks of writing direction are escaped.

    The middle of a text of more than ``most`` characters is omitted, because nobody would read it to the end.

    Examples:
        >>> print(printable("g" + chr(27) + "[2Jx" + chr(0x202E)))
        g\\x1b[2Jx\\u202e
        >>> len(printable("x" * 100_000))
        2000
    """
    if len(text) > most:
        text = f"{text[: most // 2]}…{text[1 - most // 2 :]}"
    if text.isascii() and text.isprintable():
        return text
    return "".join(
        c.encode("unicode_escape").decode("ascii")
        if unicodedata.category(c) in ("Cc", "Cf", "Cs", "Zl", "Zp") and c not in "\n\u200c\u200d"
        else c
        for c in text
    )


def escape(text: str) -> str:
    """Make a text printable, and keep brackets in it from being read as markup."""
    from rich.markup import escape as escape_markup

    return escape_markup(printable(text))


def say(text: str, *, err: bool = False) -> None:
    """Print one line with names in it, on stderr if it is a note."""
    if not err or SHOWS_PROGRESS.get():
        typer.echo(printable(text), err=err)


def print_notes(notes: Iterable[str]) -> None:
    """Print notes on stderr, a line each."""
    for note in notes:
        say(f"note: {note}", err=True)


def print_error(error: Exception, where: str = "") -> None:
    """Print an error on stderr, also one from outside this library, such as a full disk. A hint gets its own line."""
    from rich.console import Console

    text, hint = str(error), ""
    if isinstance(error, BiasError):
        text, hint = error.text, error.hint
    elif isinstance(error, OSError):
        file_name = f"{str(error.filename)[:_LONGEST_NAME]}: " if error.filename else ""
        text = f"{file_name}{error.strerror or text}"
    elif isinstance(error, MemoryError):
        text = f"the memory is full{f' ({text})' if text else ''}"
    else:
        first, _, _ = text.partition("\n")
        text = f"unexpected {type(error).__name__}: {first[:_LONGEST_NAME]}"
    lines = [f"[bold red]error:[/] {escape(f'{where}: ' if where else '')}{escape(text)}"]
    if hint:
        lines.append(f"[bold]hint:[/] {escape(hint)}")
    Console(stderr=True).print("\n".join(lines), highlight=False, soft_wrap=True)


def cli_value(value: Any) -> str:
    """Write a value as it is given to ``-O name=…``, quoted for the shell if necessary.

    Examples:
        >>> cli_value("causal"), cli_value(None), cli_value((-1.0, 1.0)), cli_value(True)
        ('causal', 'null', "'[-1.0, 1.0]'", 'true')
    """
    if isinstance(value, (set, frozenset)):
        value = sorted(value)
    return shlex.quote(
        value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    )


@contextmanager
def plain_warnings() -> Iterator[None]:
    """Print the warnings of this library as one line, without the place in its source."""
    default = warnings.formatwarning

    def plain(
        message: Warning | str, category: type[Warning], filename: str, lineno: int, line: str | None = None
    ) -> str:
        if category.__module__.startswith("evaluate_bias"):
            return f"warning: {printable(str(message))}\n"
        return default(message, category, filename, lineno, line)

    warnings.formatwarning = plain
    try:
        yield
    finally:
        warnings.formatwarning = default


_UNFOLDED = 2_000


def new_console(unfolded: int = _UNFOLDED) -> Console:
    """Return a console on stdout that is so wide that no line folds, unless ``COLUMNS`` says how wide it is."""
    from rich.console import Console

    anywhere = sys.stdout.isatty() or "COLUMNS" in os.environ
    return Console() if anywhere else Console(width=unfolded)


def refuse_irregular(*paths: Path | None) -> None:
    """Refuse paths that lead to something other than a regular file, before anything is written.

    Raises:
        InputError: a folder, pipe, socket or device is there.
    """
    for path in paths:
        if path is not None:
            require_regular_or_absent(path)


_NARROW = 15
"""Characters of a column of numbers that stay in one piece. Wider ones leave room for names."""


def terminal_table(table: Table[Any]) -> RichTable:
    """Lay out a table for the terminal: names are folded to its width, numbers are never split."""
    from rich.table import Table as RichTable

    laid_out = RichTable(title=escape(table.title), title_justify="left")
    cells = table.cells()
    for column, *texts in zip(table.columns, *cells, strict=True):
        is_narrow = max(map(len, (column.title, *texts))) <= _NARROW
        laid_out.add_column(escape(column.title), overflow="fold", no_wrap=column.number and is_narrow)
    for row in cells:
        laid_out.add_row(*map(escape, row))
    return laid_out


def print_table(table: Table[Any]) -> None:
    """Print a table."""
    new_console().print(terminal_table(table))


def duration(seconds: float) -> str:
    """Write a duration in the largest unit that leaves two digits.

    Examples:
        >>> duration(0.05), duration(200), duration(9_000), duration(877_140)
        ('1 second', '3 minutes', '2.5 hours', '10.2 days')
    """
    if seconds < 90:
        return counted(max(1, round(seconds)), "second")
    if seconds < 5400:
        return f"{seconds / 60:.0f} minutes"
    return f"{seconds / 3600:.1f} hours" if seconds < 172_800 else f"{seconds / 86_400:,.1f} days"


def result_table(result: Result) -> RichTable:
    """Lay out one result as a terminal table: a line per test, or the overall score and one per group."""
    from ..registry import get_method
    from ..report.reading import read, significance_note
    from ..report.row_tables import result_table as rows_of

    record = get_method(result.method)
    reading = read(result)
    name = record.name_of(result.score_range)
    what = reading.title if name.lower() in reading.title.lower() else f"{reading.title}, {name}"
    table = terminal_table(replace(rows_of(reading, record.group_by), title=f"{what}, on {reading.model}"))
    scored = f"{result.coverage.found} of {result.coverage.asked} scored"
    scale = _scale(reading.line)
    facts = f"{scale}; {result.direction_text}; {scored}."
    if reading.line.headline:
        of_each = _scale(reading.rows[1].line)
        facts = facts if of_each == scale else f"Each test: {of_each}. All tests together: {facts}"
    facts = facts[:1].upper() + facts[1:]
    table.caption = escape(
        "\n".join([reading.finding, *reading.remarks, facts, significance_note([reading])])
    )
    table.caption_justify = "left"
    return table


def _scale(line: ReportRow) -> str:
    return f"range {range_text(line.score_range)}, {line.ideal_text}"


def print_skipped(result: Result) -> None:
    """Print what was omitted, at most a dozen items."""
    if not result.skipped:
        return
    console = new_console()
    once = sum(s.reason.endswith("counted once") for s in result.skipped)
    wrong = sum(s.reason.endswith("counts as wrong") for s in result.skipped)
    numbers = {
        "not scored": len(result.skipped) - once - wrong,
        "repeated": once,
        "without an answer, counted as wrong": wrong,
    }
    which = " and ".join(f"{n} {what}" for what, n in numbers.items() if n)
    console.print(f"[yellow]{which}[/] (all are listed in the results):")
    for s in result.skipped[:_MOST_SKIPPED]:
        place = f"{escape(s.where)}: " if s.where else ""
        console.print(f"  {place}{escape(s.item)}: {escape(s.reason)}", highlight=False)
    if len(result.skipped) > _MOST_SKIPPED:
        console.print(f"  … and {len(result.skipped) - _MOST_SKIPPED} more")


def status(text: str, *, quiet: bool) -> Any:
    """Show a spinner on stderr while something runs, but only to a terminal."""
    from rich.console import Console

    console = Console(stderr=True)
    if quiet or not (console.is_terminal and SHOWS_PROGRESS.get()):
        return nullcontext()
    return console.status(escape(text))
