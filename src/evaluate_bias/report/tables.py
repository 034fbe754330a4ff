"""Tables of results: a data frame, Markdown, LaTeX and CSV, all with the same columns."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING

from ..registry import METHODS
from ..result import Result
from .data_facts import data_titles
from .escape import markdown, spreadsheet
from .latex import PREAMBLE, latex_table
from .lines import ALL_TESTS, DECIDED, Line, declared_secondary, method_title, report_lines, score_scale
from .numbers import ci_cell, decimals, estimate_cell, p_cell, plain_p
from .verdict import found_means

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["summary_frame", "to_csv", "to_latex", "to_markdown"]


def summary_frame(results: Sequence[Result]) -> pd.DataFrame:
    """Return the results as a data frame: one line per test, or the overall score and one line per group.

    Several tests of one result come after a line of all of them together, ``"all tests"``.

    Args:
        results: any number of results, of any methods and models.

    Returns:
        Columns ``method``, ``test``, ``label``, ``model``, ``score``, ``ci_low``, ``ci_high``, ``p_value``,
        ``p_low``, ``p_high``, ``p_holm`` and ``p_bh`` (adjusted over the tests of one result), ``p_holm_all`` and
        ``p_bh_all`` (over all results on one model), ``n``, ``coverage`` (a share in [0, 1]) and
        ``ideal``; then ``ties`` where a method counts them, and secondary values of the methods, such as ``lms`` and
        ``icat``, with their intervals in ``lms_low`` and ``lms_high``. Missing numbers are ``NaN``.

    Examples:
        >>> from evaluate_bias.result import Row
        >>> row = Row(name="weat7", kind="test", score=1.5, ci_low=0.9, ci_high=1.8, p_value=0.0157)
        >>> result = Result(method="weat", score=1.5, score_range=(-2, 2), direction="two_sided", ideal=0,
        ...                 n=16, rows=[row])
        >>> summary_frame([result])[["test", "score", "ci_low", "ci_high", "p_value"]].values.tolist()
        [['weat7', 1.5, 0.9, 1.8, 0.0157]]
    """
    import pandas as pd

    lines = report_lines(results)
    frame = pd.DataFrame(
        {
            "method": [r.method for r in lines],
            "test": [r.name for r in lines],
            "label": [r.label for r in lines],
            "model": [r.model for r in lines],
        },
        dtype="object",
    )
    for name in _NUMBERS:
        frame[name] = pd.Series([getattr(r, name) for r in lines], dtype="float64")
    frame["n"] = pd.Series([r.n for r in lines], dtype="Int64")
    frame["coverage"] = pd.Series(
        [None if r.coverage is None else r.coverage.share for r in lines], dtype="float64"
    )
    frame["ideal"] = pd.Series([r.ideal for r in lines], dtype="float64")
    if any(DECIDED in r.estimates for r in lines):
        ties = [r.ties if DECIDED in r.estimates else None for r in lines]
        frame["ties"] = pd.Series(ties, dtype="float64")
    # All at once: pandas warns of a frame that grows by a hundred columns one by one.
    others = pd.DataFrame(_secondary_numbers(lines), index=frame.index, dtype="float64")
    return pd.concat([frame, others], axis=1)


def to_csv(results: Sequence[Result]) -> str:
    """Return :func:`summary_frame` as CSV with all digits.

    Text that a spreadsheet would run as a formula gets an apostrophe in front; numbers are left alone.
    """
    frame = summary_frame(results)
    for column in ("method", "test", "label", "model"):
        frame[column] = [spreadsheet(str(cell)) for cell in frame[column]]
    return frame.to_csv(index=False, lineterminator="\n")


def to_markdown(results: Sequence[Result]) -> str:
    """Return the results as a Markdown table with notes on how to read it, and the secondary values in tables below.

    Args:
        results: any number of results.

    Examples:
        >>> from evaluate_bias.result import Row
        >>> row = Row(name="weat7", kind="test", score=1.5, ci_low=0.9, ci_high=1.8, p_value=0.0157)
        >>> result = Result(method="weat", score=1.5, score_range=(-2, 2), direction="two_sided", ideal=0,
        ...                 n=16, rows=[row])
        >>> print(to_markdown([result]).splitlines()[2])
        | weat7 | 1.50 | [0.90, 1.80] | 0.0157 | — | — | 0 |
    """
    lines = report_lines(results)
    parts = [_markdown_table(lines, _columns(lines), _notes(results, lines))]
    for title, chosen, columns, notes in _secondary_tables(lines):
        parts.append(f"**{markdown(title)}**\n\n{_markdown_table(chosen, columns, notes)}")
    return "\n".join(parts)


def _markdown_table(lines: Sequence[Line], columns: Sequence[_Column], notes: Sequence[str]) -> str:
    text = [
        "| " + " | ".join(title for title, _ in columns) + " |",
        "| " + " | ".join("---" if title in _TEXT_COLUMNS else "---:" for title, _ in columns) + " |",
    ]
    text += [
        "| " + " | ".join(_markdown_cell(title, cell(r)) for title, cell in columns) + " |" for r in lines
    ]
    return "\n".join([*text, "", *(f"- {markdown(note)}" for note in notes), ""])


def to_latex(
    results: Sequence[Result],
    *,
    caption: str = "Measured social bias.",
    label: str = "tab:bias",
    standalone: bool = False,
) -> str:
    """Return the results as LaTeX tables in the style of ``booktabs``: the scores, then the secondary values.

    A long table breaks over pages.

    Args:
        results: any number of results.
        caption: caption as plain text; the notes on how to read the table stand below it.
        label: label for ``\\ref``; those of secondary values end in ``-`` and the method's name.
        standalone: a whole document that compiles by itself, with pdfLaTeX, XeLaTeX or LuaLaTeX.
    """
    lines = report_lines(results)
    tables = [(caption, lines, _columns(lines), _notes(results, lines))]
    text = [r"% Needs \usepackage{booktabs,longtable,array}; LaTeX aligns a longtable in its second run."]
    for title, chosen, columns, notes in [*tables, *_secondary_tables(lines)]:
        key = label if title is caption else f"{label}-{chosen[0].method}"
        cells = [(t, [cell(r) for r in chosen], t in _TEXT_COLUMNS) for t, cell in columns]
        text += ["", *latex_table(cells, title, key, notes)]
    if standalone:
        text = [*PREAMBLE, r"\begin{document}", *text, r"\end{document}"]
    return "\n".join(text) + "\n"


_Column = tuple[str, Callable[[Line], str]]
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
_TEXT_COLUMNS = ("method", "test", "what is compared", "model")


def _secondary_tables(lines: Sequence[Line]) -> Iterator[tuple[str, list[Line], list[_Column], list[str]]]:
    """Title, lines, columns and notes of one table per method, of the secondary values that its record declares."""
    for method in dict.fromkeys(r.method for r in lines):
        own = [r for r in lines if r.method == method]
        if not (shown := declared_secondary(own)):
            continue
        columns: list[_Column] = [("test", lambda r: r.name)]
        if len({r.model for r in lines}) > 1:
            columns.append(("model", lambda r: r.model))
        columns += [(s.title, partial(_estimate_cell, s.key)) for s in shown]
        having = [r for r in own if any(s.key in r.estimates for s in shown)]
        yield (
            f"Secondary values of {method_title(method)}",
            having,
            columns,
            [f"{s.title}: {s.meaning}" for s in shown],
        )


def _estimate_cell(key: str, line: Line) -> str:
    return estimate_cell(line.estimates.get(key))


def _secondary_numbers(lines: Sequence[Line]) -> dict[str, list[float | None]]:
    """Columns of numbers for every secondary value that a line has, under its key."""
    columns: dict[str, list[float | None]] = {}
    for place, line in enumerate(lines):
        for declared, found in zip(
            METHODS[line.method].secondary if line.secondary else (), line.secondary, strict=True
        ):
            for end, value in () if found is None else found.to_dict().items():
                key = declared.key if end == "value" else f"{declared.key}_{end}"
                if end != "p":
                    columns.setdefault(key, [None] * len(lines))[place] = value
    return columns


def _columns(lines: Sequence[Line]) -> list[_Column]:
    """Titles and cell writers of a table for people, without columns that would be empty, but for the interval's."""
    levels = {r.ci_level for r in lines if r.ci_low is not None}
    one_level = next(iter(levels)) if len(levels) == 1 else None

    def interval(line: Line) -> str:
        cell = ci_cell(line)
        return cell if one_level is not None or cell == "—" else f"{100 * line.ci_level:g}%: {cell}"

    columns: list[tuple[str, Callable[[Line], str], bool]] = [
        ("method", lambda r: r.method, len({r.method for r in lines}) > 1),
        ("test", lambda r: r.name, True),
        ("what is compared", lambda r: r.label, any(r.label for r in lines)),
        ("model", lambda r: r.model, len({r.model for r in lines}) > 1),
        ("score", lambda r: decimals(r.score), True),
        (f"{100 * one_level:g}% CI" if one_level is not None else "CI", interval, True),
        ("p", lambda r: p_cell(r), True),
        (
            "p (Holm)",
            lambda r: plain_p(r.p_adjusted),
            _has_holm(lines),
        ),
        ("n", lambda r: "—" if r.n is None else str(r.n), True),
        ("ties", lambda r: str(r.ties) if DECIDED in r.estimates else "—", any(r.ties for r in lines)),
        ("coverage", lambda r: "—" if r.coverage is None else f"{r.coverage.found}/{r.coverage.asked}", True),
        ("ideal", lambda r: f"{r.ideal:.4g}", True),
    ]
    return [(title, cell) for title, cell, shown in columns if shown]


def _markdown_cell(title: str, cell: str) -> str:
    return markdown(cell) if title in _TEXT_COLUMNS else cell.replace("*", r"\*")


def _has_holm(lines: Sequence[Line]) -> bool:
    return any(r.p_adjusted is not None for r in lines)


def _notes(results: Sequence[Result], lines: Sequence[Line]) -> list[str]:
    """What a reader must know to read the table rightly, one sentence or two a note."""
    notes = []
    for method in dict.fromkeys(r.method for r in results):
        record = METHODS.get(method)
        first = next(r for r in results if r.method == method)
        own = [r for r in lines if r.method == method]
        name = f"{record.title}, {record.score_name}" if record else method
        interpretation = record.interpretation if record else f"{first.direction_text.capitalize()}."
        notes.append(f"{name}: from {score_scale(own)}. {interpretation}")
        if record and record.aggregation and any(r.headline for r in own):
            notes.append(f"{ALL_TESTS} of {record.title}: {record.aggregation}")
    if sources := data_titles(results):
        notes.append(f"Data: {'; '.join(sources)}.")
    models = sorted({r.model for r in lines})
    if len(models) == 1:
        notes.append(f"Model: {models[0]}.")
    if _has_holm(lines):
        notes.append(f"Where there is a p (Holm), it decides; else p. {found_means(lines)}.")
    if any(r.illustrative and r.p_value is not None for r in lines):
        notes.append("p-values on illustrative data show how the method works; nothing follows from them.")
    if any(r.ties for r in lines):
        notes.append("ties: units of n that count for neither side.")
    notes.append("coverage: words or sentences that could be scored, of those asked for.")
    return notes
