"""Results as LaTeX: tables to paste into a paper, and one table of everything."""

from __future__ import annotations

from collections.abc import Sequence

from .latex_text import PREAMBLE, breakable, latex
from .lines import score_name
from .numbers import ci_cell, procedure, score_text
from .reading import Readable, Reading, RowReading, as_readings, found_means
from .row_tables import TEXT_COLUMNS, all_rows, notes, secondary_tables, table_columns
from .score_matrix import score_matrix
from .verdict import Verdict

_ALL = "tab:bias-all"
"""Label of the table of all scores; that of secondary values has a ``-`` and the method's name after it."""
_SIDE_BY_SIDE = 4
"""Models beside one another; more go into further tables."""
_STARS = ((0.001, "***"), (0.01, "**"), (0.05, "*"))
_DAGGER = r"\textsuperscript{\textdagger}"
_NEEDS = r"% Needs \usepackage{booktabs,longtable,array}; LaTeX aligns a longtable in its second run."
_NARROW = 22
"""Characters of a heading on one line."""
_CHARACTER, _GAP, _PAGE = 4.6, 3.0, 740.0
"""Points of a character at the size of the tables, of the space beside a column, and of a line of text: A4, landscape,
with margins of 15 mm."""


def to_latex(
    results: Readable, *, caption: str = "", label: str = "tab:bias", standalone: bool = False
) -> str:
    """Return one table per method and data in the style of ``booktabs``: tests or groups as rows, models as columns.

    A cell has the score with its interval below it; stars say how small the adjusted p-value of what was found is, a
    dagger that p-value and interval disagree. The caption says data, test and n.

    Args:
        results: any number of results, or their readings.
        caption: what captions begin with, as plain text.
        label: label for ``\\ref``; of several tables, method and number follow.
        standalone: a whole document that compiles by itself, with pdfLaTeX, XeLaTeX or LuaLaTeX.

    Examples:
        >>> from evaluate_bias.result import Result
        >>> result = Result(method="pll", score=55.0, score_range=(0, 100), direction="two_sided", ideal=50, n=9,
        ...                 ci_low=45.0, ci_high=65.0, provenance={"model": {"name": "tiny"}})
        >>> "overall & 55.00" in to_latex([result])
        True
    """
    readings = as_readings(results)
    matrix = score_matrix([r.result for r in readings])
    tables: dict[int, list[Reading]] = {}
    for (_, measurement), i in sorted(matrix.cells.items()):
        tables.setdefault(measurement, []).append(readings[i])
    text = [_NEEDS]
    for number, (_, own) in enumerate(sorted(tables.items()), 1):
        method = own[0].result.method
        key = label if len(tables) == 1 else f"{label}-{method}-{number}"
        for part in range(0, len(own), _SIDE_BY_SIDE):
            chosen = own[part : part + _SIDE_BY_SIDE]
            text += [
                "",
                *_paper_table(chosen, caption, key + (f"-{part // _SIDE_BY_SIDE + 1}" if part else "")),
            ]
    return _document(text, standalone)


def to_latex_full(results: Readable, *, standalone: bool = False) -> str:
    """Return every row and every number of the results as tables that break over pages.

    Args:
        results: any number of results, or their readings.
        standalone: a whole document that compiles by itself.
    """
    readings = as_readings(results)
    rows = all_rows(readings)
    scores = [
        (title, [cell(row) for row in rows], title in TEXT_COLUMNS) for title, cell in table_columns(rows)
    ]
    text = [_NEEDS, "", *_long_table(scores, "All scores", _ALL, notes(readings))]
    for title, own, columns, below in secondary_tables(rows):
        # A line for each value: beside one another they would not fit.
        names = [name for name, _ in columns if name in TEXT_COLUMNS]
        texts = [cell for name, cell in columns if name in TEXT_COLUMNS]
        values = [column for column in columns if column[0] not in TEXT_COLUMNS]
        lines = [(*(c(row) for c in texts), name, cell(row)) for row in own for name, cell in values]
        cells = zip(*(line for line in lines if line[-1] != "—"), strict=True)
        named = zip([*names, "value", ""], cells, strict=True)
        table = [(name, column, name != "") for name, column in named]
        text += ["", *_long_table(table, title, f"{_ALL}-{own[0].line.method}", below)]
    return _document(text, standalone)


def _document(text: Sequence[str], standalone: bool) -> str:
    if standalone:
        text = [*PREAMBLE, r"\begin{document}", *text, r"\end{document}"]
    return "\n".join(text) + "\n"


def _paper_table(readings: Sequence[Reading], begin: str, label: str) -> list[str]:
    """Tests or groups of one method by model; those of one name stay apart."""
    cells: dict[tuple[str, str, int], dict[int, RowReading]] = {}
    for column, reading in enumerate(readings):
        for row in _rows(reading):
            count = 0
            while column in cells.get((row.name, row.line.label, count), ()):
                count += 1
            cells.setdefault((row.name, row.line.label, count), {})[column] = row
    names = [f"{name}: {compared}" if compared else name for name, compared, _ in cells]
    body = []
    for name, own in zip(names, cells.values(), strict=True):
        shown = [own.get(column) for column in range(len(readings))]
        body.append(_row([breakable(name), *(map(_score, shown))]))
        if any(row is not None and row.published.ci_low is not None for row in shown):
            body.append(_row(["", *(map(_interval, shown))]))
        body.append(r"\addlinespace[2pt]")
    rows = [row for reading in readings for row in _rows(reading)]
    return [
        r"\begin{table}[htbp]",
        r"\centering\footnotesize",
        rf"\caption{{{latex(' '.join(filter(None, (begin, _caption(readings)))))}}}\label{{{_key(label)}}}",
        rf"\begin{{tabular}}{{{_text_width(names)}{'r' * len(readings)}}}",
        r"\toprule",
        _row(["", *(_heading(reading.model) for reading in readings)]),
        r"\midrule",
        *body,
        r"\bottomrule",
        r"\end{tabular}",
        *_legend(readings, rows),
        r"\end{table}",
    ]


def _rows(reading: Reading) -> list[RowReading]:
    """Its rows without the score of all tests together, whose scale is another."""
    return [row for row in reading.rows if not row.line.headline]


def _caption(readings: Sequence[Reading]) -> str:
    """What was measured on what, with which test and how many units."""
    first = readings[0]
    rows = [row.line for reading in readings for row in _rows(reading)]
    counts = sorted({line.n for line in rows if line.n is not None})
    n = f"n = {counts[0]}" + (f" to {counts[-1]}" if len(counts) > 1 else "") if counts else ""
    tests = dict.fromkeys(procedure(line.p_method) for line in rows if line.p_method)
    levels = {f"{100 * line.ci_level:g}% interval" for line in rows if line.ci_low is not None}
    ideals = {f"ideal {line.ideal:.4g}" for line in rows}
    facts = [
        n,
        *levels,
        *([f"test: {', '.join(tests)}"] if tests else []),
        *(ideals if len(ideals) == 1 else ()),
    ]
    return f"{first.title}, {score_name(first.result)}, on {first.data}; {'; '.join(filter(None, facts))}."


def _legend(readings: Sequence[Reading], rows: Sequence[RowReading]) -> list[str]:
    said = []
    if any(_stars(row) for row in rows):
        adjusted = "adjusted p" if any(row.line.p_adjusted is not None for row in rows) else "p"
        levels = ", ".join(f"{stars} {adjusted} < {str(level)[1:]}" for level, stars in reversed(_STARS))
        said.append(latex(f"{levels}. {found_means(readings)}"))
    if any(row.verdict is Verdict.UNDECIDED for row in rows):
        said.append(rf"{_DAGGER} p-value and interval disagree.")
    return [rf"\par\smallskip\raggedright {' '.join(said)}"] if said else []


def _stars(row: RowReading) -> str:
    p = row.line.decisive_p
    return next((s for level, s in _STARS if p is not None and p < level), "") if row.filled else ""


def _score(row: RowReading | None) -> str:
    if row is None:
        return "---"
    mark = _DAGGER if row.verdict is Verdict.UNDECIDED else _stars(row)
    return f"{_number(score_text(row.published))}{mark}"


def _interval(row: RowReading | None) -> str:
    if row is None or row.published.ci_low is None:
        return ""
    return rf"{{\scriptsize {_number(ci_cell(row.published))}}}"


def _number(text: str) -> str:
    return latex(text.replace("-", "−"))


def _long_table(
    columns: Sequence[tuple[str, Sequence[str], bool]], caption: str, label: str, below: Sequence[str]
) -> list[str]:
    """A table that breaks over pages; text is broken between words."""
    numbers = sum(_width((title, *cells)) for title, cells, is_text in columns if not is_text)
    wanted = sorted(_width((title, *cells)) for title, cells, is_text in columns if is_text)
    room = most = _PAGE - numbers
    for rank, width in enumerate(wanted):  # those that want least get it, the others equal parts of the rest
        most = room / (len(wanted) - rank)
        room -= min(width, most)
    align = "".join(
        _text_width((title, *cells), most) if is_text else "r" for title, cells, is_text in columns
    )
    written = [[(breakable if is_text else latex)(cell) for cell in cells] for _, cells, is_text in columns]
    head = _row([latex(title) if is_text else _heading(title) for title, _, is_text in columns])
    return [
        r"\begingroup\scriptsize\setlength\tabcolsep{3pt}",
        rf"\begin{{longtable}}{{{align}}}",
        rf"\caption{{{latex(caption)}}}\label{{{_key(label)}}} \\",
        *(r"\toprule", head, r"\midrule", r"\endfirsthead"),
        *(r"\toprule", head, r"\midrule", r"\endhead", r"\bottomrule", r"\endlastfoot"),
        *(_row(row) for row in zip(*written, strict=True)),
        r"\end{longtable}",
        *(rf"\par\noindent {latex(note)}" for note in below),
        r"\par\endgroup",
    ]


def _heading(title: str) -> str:
    """The heading of a column of numbers, on several lines where it is long."""
    if len(latex(title)) <= _NARROW:
        return latex(title)
    width = f"{_CHARACTER * _NARROW:.0f}pt"
    return rf"\multicolumn{{1}}{{>{{\raggedleft\arraybackslash}}p{{{width}}}}}{{{breakable(title)}}}"


def _text_width(cells: Sequence[str], most: float = 230.0) -> str:
    """How a column of text is set: as wide as its longest cell, and broken between words where that is too wide."""
    inner = most - 2 * _GAP
    return "l" if _width(cells) <= most else rf">{{\raggedright\arraybackslash}}p{{{inner:.0f}pt}}"


def _width(cells: Sequence[str]) -> float:
    """Points that a column takes at most."""
    return (
        _CHARACTER * max((len(breakable(cell).replace(r"\allowbreak{}", "")) for cell in cells), default=0)
        + 2 * _GAP
    )


def _row(cells: Sequence[str]) -> str:
    # A bracket or a star would be the argument of the line end before.
    return ("{}" if cells[0][:1] in ("[", "*") else "") + " & ".join(cells) + r" \\"


def _key(label: str) -> str:
    return "".join(c for c in label if c.isascii() and (c.isalnum() or c in ":-."))
