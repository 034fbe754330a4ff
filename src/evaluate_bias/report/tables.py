"""Tables of results: a data frame, Markdown, LaTeX and CSV, all with the same columns."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from ..data.caveats import data_note
from ..registry import METHODS
from ..result import Result, format_p
from .data_facts import data_sources, public_source
from .escape import latex, markdown, spreadsheet
from .rows import ALPHA, Row, ci_cell, further_cell, p_cell, result_rows

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["summary_frame", "to_csv", "to_latex", "to_markdown"]

_STARS = ((0.001, "***"), (0.01, "**"), (ALPHA, "*"))


def summary_frame(results: Sequence[Result], *, formatted: bool = False) -> pd.DataFrame:
    """Return the results as a data frame: one row a test, or the overall score and one row a category.

    Args:
        results: any number of results, of any methods and models.
        formatted: text for people instead of numbers: the interval in one column, p-values in readable digits
            or as their bracket, coverage as "31/32".

    Returns:
        Columns ``method``, ``test``, ``label``, ``model``, ``score``, ``ci_low``, ``ci_high``, ``p_value``,
        ``p_low``, ``p_high``, ``p_holm`` and ``p_bh`` (adjusted over the tests of one result), ``p_holm_all`` and
        ``p_bh_all`` (adjusted over all of several results), ``n``, ``coverage`` (a share in [0, 1]) and ``ideal``;
        then the further values of the methods, such as ``lms`` and ``icat``, with the ends of their intervals.
        Missing numbers are ``NaN``. Formatted: ``method`` and ``model`` only where there are several, and no
        further values.

    Raises:
        DataError: a row of a result's breakdown has no score or no name.

    Examples:
        >>> item = {"name": "weat7", "effect_size": 1.5, "ci_low": 0.9, "ci_high": 1.8, "p_value": 0.0157}
        >>> result = Result(method="weat", score=1.5, score_range=(-2, 2), direction="two_sided", ideal=0,
        ...                 n=16, items=[item])
        >>> summary_frame([result], formatted=True)[["test", "score", "95% CI", "p"]].values.tolist()
        [['weat7', '1.50', '[0.90, 1.80]', '0.0157']]
    """
    import pandas as pd

    rows = result_rows(results)
    if formatted:
        return pd.DataFrame(
            {title: [cell(r) for r in rows] for title, cell in _columns(rows)}, dtype="object"
        )
    frame = pd.DataFrame(
        {
            "method": [r.method for r in rows],
            "test": [r.name for r in rows],
            "label": [r.label for r in rows],
            "model": [r.model for r in rows],
        },
        dtype="object",
    )
    for name in _NUMBERS:
        frame[name] = pd.Series([getattr(r, name) for r in rows], dtype="float64")
    frame["n"] = pd.Series([r.n for r in rows], dtype="Int64")
    frame["coverage"] = pd.Series([_share(r) for r in rows], dtype="float64")
    frame["ideal"] = pd.Series([r.ideal for r in rows], dtype="float64")
    for name, values in _further_numbers(rows).items():
        frame[name] = pd.Series(values, dtype="float64")
    return frame


def to_csv(results: Sequence[Result]) -> str:
    """Return :func:`summary_frame` as CSV with all digits.

    Text that a spreadsheet would run as a formula gets an apostrophe in front; numbers are left alone.

    Raises:
        DataError: a row of a result's breakdown has no score or no name.
    """
    frame = summary_frame(results)
    for column in ("method", "test", "label", "model"):
        frame[column] = [spreadsheet(str(cell)) for cell in frame[column]]
    return frame.to_csv(index=False, lineterminator="\n")


def to_markdown(results: Sequence[Result], *, stars: bool = False) -> str:
    """Return the results as a Markdown table with notes on how to read it, and the further values in tables below.

    Args:
        results: any number of results.
        stars: mark p-values below 0.05, 0.01 and 0.001, with the legend below the table.

    Raises:
        DataError: a row of a result's breakdown has no score or no name.

    Examples:
        >>> item = {"name": "weat7", "effect_size": 1.5, "ci_low": 0.9, "ci_high": 1.8, "p_value": 0.0157}
        >>> result = Result(method="weat", score=1.5, score_range=(-2, 2), direction="two_sided", ideal=0,
        ...                 n=16, items=[item])
        >>> print(to_markdown([result]).splitlines()[2])
        | weat7 | 1.50 | [0.90, 1.80] | 0.0157 | — | — | 0 |
    """
    rows = result_rows(results)
    parts = [_markdown_table(rows, _columns(rows, stars=stars), _notes(results, rows, stars=stars))]
    for title, chosen, columns, notes in _further_tables(rows):
        parts.append(f"**{markdown(title)}**\n\n{_markdown_table(chosen, columns, notes)}")
    return "\n".join(parts)


def _markdown_table(rows: Sequence[Row], columns: Sequence[_Column], notes: Sequence[str]) -> str:
    lines = [
        "| " + " | ".join(title for title, _ in columns) + " |",
        "| " + " | ".join("---" if title in _TEXT_COLUMNS else "---:" for title, _ in columns) + " |",
    ]
    lines += [
        "| " + " | ".join(_markdown_cell(title, cell(r)) for title, cell in columns) + " |" for r in rows
    ]
    return "\n".join([*lines, "", *(f"- {markdown(note)}" for note in notes), ""])


def to_latex(
    results: Sequence[Result],
    *,
    caption: str = "Measured social bias.",
    label: str = "tab:bias",
    stars: bool = False,
    standalone: bool = False,
) -> str:
    """Return the results as LaTeX tables in the style of ``booktabs``: the scores, then the further values.

    A long table breaks over pages.

    Args:
        results: any number of results.
        caption: caption as plain text; the notes on how to read the table follow it.
        label: label for ``\\ref``; those of further values end in ``-`` and the method's name.
        stars: mark p-values below 0.05, 0.01 and 0.001, explained in the notes.
        standalone: a whole document that compiles by itself, with pdfLaTeX, XeLaTeX or LuaLaTeX.

    Raises:
        DataError: a row of a result's breakdown has no score or no name.
    """
    rows = result_rows(results)
    lines = [r"% Needs \usepackage{booktabs,longtable,array}; LaTeX aligns a longtable in its second run."]
    lines += _latex_table(
        rows, _columns(rows, stars=stars), caption, label, _notes(results, rows, stars=stars)
    )
    for title, chosen, columns, notes in _further_tables(rows):
        lines += ["", *_latex_table(chosen, columns, title, f"{label}-{chosen[0].method}", notes)]
    if standalone:
        lines = [*_LATEX_PREAMBLE, r"\begin{document}", *lines, r"\end{document}"]
    return "\n".join(lines) + "\n"


def _latex_table(
    rows: Sequence[Row], columns: Sequence[_Column], caption: str, label: str, told: Sequence[str]
) -> list[str]:
    align = "".join(_LATEX_ALIGN.get(title, "l" if title in _TEXT_COLUMNS else "r") for title, _ in columns)
    head = " & ".join(latex(title) for title, _ in columns) + r" \\"
    body = [" & ".join(latex(cell(r)) for _, cell in columns) + r" \\" for r in rows]
    notes = " ".join(latex(note) for note in told)
    # The short caption keeps the notes out of the list of tables.
    titled = rf"\caption[{latex(caption)}]{{{latex(caption)} {notes}}}\label{{{_latex_key(label)}}}"
    if len(rows) <= _ONE_PAGE:
        return [
            r"\begin{table}[htbp]",
            r"\centering\small",
            titled,
            rf"\begin{{tabular}}{{{align}}}",
            r"\toprule",
            head,
            r"\midrule",
            *body,
            r"\bottomrule",
            r"\end{tabular}",
            r"\end{table}",
        ]
    repeated = [r"\toprule", head, r"\midrule"]
    return [
        r"\begingroup\small\setlength\LTcapwidth{\linewidth}",
        rf"\begin{{longtable}}{{{align}}}",
        rf"{titled}\\",
        *repeated,
        r"\endfirsthead",
        *repeated,
        r"\endhead",
        r"\bottomrule",
        r"\endlastfoot",
        *body,
        r"\end{longtable}",
        r"\endgroup",
    ]


_Column = tuple[str, Callable[[Row], str]]
"""Title and cell writer."""

_NUMBERS = (
    "score",
    "ci_low",
    "ci_high",
    "p_value",
    "p_low",
    "p_high",
    "p_holm",
    "p_bh",
    "p_holm_all",
    "p_bh_all",
)
_ONE_PAGE = 25
_TEXT_COLUMNS = ("method", "test", "what is compared", "model")
_LATEX_ALIGN = {"what is compared": r">{\raggedright\arraybackslash}p{5.5cm}"}
_LATEX_PREAMBLE = (
    r"\documentclass[a4paper,10pt]{article}",
    r"\usepackage[margin=15mm,landscape]{geometry}",
    r"\usepackage{iftex}",
    r"\ifPDFTeX",
    r"  \usepackage[T1]{fontenc}",
    r"  \usepackage[utf8]{inputenc}",
    r"\else",
    r"  \usepackage{fontspec}",
    r"\fi",
    r"\usepackage{booktabs,longtable,array}",
)


def _further_tables(rows: Sequence[Row]) -> Iterator[tuple[str, list[Row], list[_Column], list[str]]]:
    """Title, rows, columns and notes of a table a method, of the further values that its record declares."""
    for method in dict.fromkeys(r.method for r in rows):
        record = METHODS.get(method)
        declared = () if record is None else record.secondary
        own = [r for r in rows if r.method == method]
        there = [i for i in range(len(declared)) if any(r.further[i] is not None for r in own)]
        told = [r for r in own if any(r.further[i] is not None for i in there)]
        if record is None or not told:
            continue
        columns: list[_Column] = [("test", lambda r: r.name)]
        if len({r.model for r in rows}) > 1:
            columns.append(("model", lambda r: r.model))
        columns += [(declared[i].title, _further_writer(i)) for i in there]
        notes = [f"{declared[i].title}: {declared[i].meaning}" for i in there]
        yield f"Further values of {record.title}", told, columns, notes


def _further_writer(i: int) -> Callable[[Row], str]:
    return lambda row: further_cell(row.further[i])


def _further_numbers(rows: Sequence[Row]) -> dict[str, list[float | None]]:
    """Columns of numbers for every further value that a row has, under its key."""
    columns: dict[str, list[float | None]] = {}
    for method in dict.fromkeys(r.method for r in rows):
        record = METHODS.get(method)
        for i, declared in enumerate(() if record is None else record.secondary):
            found = [r.further[i] if r.method == method else None for r in rows]
            for key, end in ((declared.key, "value"), (declared.low, "low"), (declared.high, "high")):
                values = [None if f is None else getattr(f, end) for f in found]
                if any(v is not None for v in values):
                    old = columns.get(key, [None] * len(rows))
                    columns[key] = [v if v is not None else o for v, o in zip(values, old, strict=True)]
    return columns


def _columns(rows: Sequence[Row], *, stars: bool = False) -> list[_Column]:
    """Titles and cell writers of a table for people; a column that would be empty in every row is left out.

    The interval is the exception: where there is none, its column says so.
    """
    levels = {r.ci_level for r in rows if r.ci_low is not None}
    one_level = next(iter(levels)) if len(levels) == 1 else None

    def interval(row: Row) -> str:
        cell = ci_cell(row)
        return cell if one_level is not None or cell == "—" else f"{100 * row.ci_level:g}%: {cell}"

    columns: list[tuple[str, Callable[[Row], str], bool]] = [
        ("method", lambda r: r.method, len({r.method for r in rows}) > 1),
        ("test", lambda r: r.name, True),
        ("what is compared", lambda r: r.label, any(r.label for r in rows)),
        ("model", lambda r: r.model, len({r.model for r in rows}) > 1),
        ("score", lambda r: f"{r.score:.2f}", True),
        (f"{100 * one_level:g}% CI" if one_level is not None else "CI", interval, True),
        ("p", lambda r: p_cell(r) + (_star(r, r.p_value) if stars and not _has_holm(rows) else ""), True),
        ("p (Holm)", lambda r: _adjusted(r.p_holm) + (_star(r, r.p_holm) if stars else ""), _has_holm(rows)),
        ("p (Holm, whole report)", lambda r: _adjusted(r.p_holm_all), _has_holm_all(rows)),
        ("n", lambda r: "—" if r.n is None else str(r.n), True),
        ("coverage", lambda r: "—" if r.asked is None else f"{r.found}/{r.asked}", True),
        ("ideal", lambda r: f"{r.ideal:.4g}", True),
    ]
    return [(title, cell) for title, cell, shown in columns if shown]


def _markdown_cell(title: str, cell: str) -> str:
    return markdown(cell) if title in _TEXT_COLUMNS else cell.replace("*", r"\*")


def _has_holm(rows: Sequence[Row]) -> bool:
    return any(r.p_holm is not None for r in rows)


def _has_holm_all(rows: Sequence[Row]) -> bool:
    return any(r.p_holm_all is not None for r in rows)


def _adjusted(p: float | None) -> str:
    return "—" if p is None else format_p(p).removeprefix("p = ")


def _star(row: Row, p: float | None) -> str:
    return "" if p is None or row.illustrative else next((mark for level, mark in _STARS if p < level), "")


def _share(row: Row) -> float | None:
    return None if row.found is None or not row.asked else row.found / row.asked


def _notes(results: Sequence[Result], rows: Sequence[Row], *, stars: bool) -> list[str]:
    """What a reader must know to read the table rightly, one sentence or two a note."""
    notes = []
    for method in dict.fromkeys(r.method for r in results):
        record = METHODS.get(method)
        first = next(r for r in results if r.method == method)
        row = next(r for r in rows if r.method == method)
        low, high = (
            ("−∞" if row.score_range[0] is None else f"{row.score_range[0]:.3g}"),
            ("∞" if row.score_range[1] is None else f"{row.score_range[1]:.3g}"),
        )
        name = f"{record.title}, {record.score_name}" if record else method
        reading = record.reading if record else f"{first.direction_text.capitalize()}."
        ideals = {r.ideal for r in rows if r.method == method}
        ideal = f"ideal {row.ideal:g}" if len(ideals) == 1 else "ideal as in its column"
        if len(ideals) > 1 and any(r.decided is not None for r in rows if r.method == method):
            ideal += ", because ties lower it"
        notes.append(f"{name}: from {low} to {high}, {ideal}. {reading}")
    if told := _data(results):
        notes.append(f"Data: {'; '.join(told)}.")
    models = sorted({r.model for r in rows})
    if len(models) == 1:
        notes.append(f"Model: {models[0]}.")
    if _has_holm(rows):
        notes.append("p (Holm) is adjusted for the tests of one method on one model.")
    if _has_holm_all(rows):
        tests = sum(r.p_holm_all is not None for r in rows)
        but = ", without those on illustrative data" if any(r.illustrative for r in rows) else ""
        notes.append(f"p (Holm, whole report) is adjusted for all {tests} p-values of this table{but}.")
    if any(r.illustrative and r.p_value is not None for r in rows):
        notes.append("p-values on illustrative data show how the method works; nothing follows from them.")
    if stars:
        which = "Holm-adjusted p" if _has_holm(rows) else "p"
        notes.append(f"{which}: * below 0.05, ** below 0.01, *** below 0.001.")
    notes.append("coverage: words or sentences that could be scored, of those asked for.")
    return notes


def _data(results: Sequence[Result]) -> list[str]:
    """The data sets behind the results, with a remark on those that prove nothing."""
    told = {}
    for result in results:
        for facts in data_sources(result):
            note = data_note(facts)
            name = note.title if note is not None else public_source(facts)
            if name:
                told[name] = name + (
                    " (illustrative, not validated)" if note is not None and note.illustrative else ""
                )
    return list(told.values())


def _latex_key(label: str) -> str:
    return "".join(c for c in label if c.isascii() and (c.isalnum() or c in ":-."))
