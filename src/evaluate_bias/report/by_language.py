"""LaTeX tables per method and language: tests or groups by model."""

from __future__ import annotations

from collections.abc import Sequence

from ..registry import METHODS
from ..result import Result
from .escape import shorten
from .latex import PREAMBLE, latex, latex_table
from .lines import (
    ALL_TESTS,
    Line,
    lines_by_result,
    method_title,
    of_decided,
    score_name,
    score_scale,
    with_remark,
)
from .numbers import decimals
from .score_matrix import result_language, score_matrix
from .verdict import FOUND, found_means, line_verdict

__all__ = ["to_latex_by_language"]

_SIDE_BY_SIDE = 4
"""Up to so many models are columns; of more, each is a row, and the tests are columns."""

_NARROW, _LONGEST = 32, 60
"""Characters of a heading as LaTeX writes it, and of a name in a note."""

_Table = tuple[str, str, str]
"""Method, what tells its measurement from its others, and language of a table."""


def to_latex_by_language(
    results: Sequence[Result], *, label: str = "tab:bias", standalone: bool = False
) -> str:
    """Return one LaTeX table in the style of ``booktabs`` per method and language: tests or groups by model.

    Args:
        results: results of any methods and models.
        label: beginning of the labels for ``\\\\ref``; method and language follow.
        standalone: a whole document that compiles by itself, with pdfLaTeX, XeLaTeX or LuaLaTeX.

    Returns:
        LaTeX. A cell has the score, an asterisk where something was found, and a dash where there is no score. Up to
        four models stand side by side; of more, each has a row. Where the columns do not fit beside one another, the
        table goes on in further ones.

    Examples:
        >>> def result(model, score):
        ...     return Result(method="pll", score=score, score_range=(0, 100), direction="two_sided", ideal=50, n=9,
        ...                   provenance={"model": {"name": model}, "dataset": {"language": "de"}})
        >>> text = to_latex_by_language([result("a", 55.0), result("b", 60.0)])
        >>> next(line for line in text.splitlines() if line.startswith("overall"))
        'overall & 55.00 & 60.00 \\\\\\\\'
    """
    matrix = score_matrix(results)
    measured = {i: matrix.measurements[j] for (_, j), i in matrix.cells.items()}
    tables: dict[_Table, list[Line]] = {}
    for i, lines in enumerate(lines_by_result(results)):
        apart = measured[i].label.removeprefix(measured[i].method)
        for line in lines:
            key = (line.method, apart, line.language or result_language(results[i]))
            tables.setdefault(key, []).append(line)
    text = [r"% Needs \usepackage{booktabs,longtable,array}; LaTeX aligns a longtable in its second run."]
    for number, ((method, apart, language), lines) in enumerate(
        sorted(tables.items(), key=lambda t: t[0]), 1
    ):
        record = METHODS.get(method)
        said = (apart or (f" ({language})" if language else "")) if record else f" {apart}".rstrip()
        caption = with_remark(f"{method_title(method)}{said}", lines) + "."
        columns, headings = _columns(lines)
        notes = [*headings, *_notes(lines)]
        text += ["", *latex_table(columns, caption, f"{label}-{method}-{number}", notes)]
    if standalone:
        text = [*PREAMBLE, r"\begin{document}", *text, r"\end{document}"]
    return "\n".join(text) + "\n"


def _columns(lines: Sequence[Line]) -> tuple[list[tuple[str, list[str], bool]], list[str]]:
    """Columns of a table, and notes on their headings."""
    cells: dict[tuple[str, str, int], dict[str, str]] = {}
    for line, decided in zip(lines, of_decided(lines), strict=True):
        count = 0  # tests of one name stay apart
        while line.model in cells.get((line.name, line.label, count), ()):
            count += 1
        cells.setdefault((line.name, line.label, count), {})[line.model] = _cell(line, decided)
    models = list(dict.fromkeys(r.model for r in lines))
    if len(models) > _SIDE_BY_SIDE:
        names = [f"{name} #{count + 1}" if count else name for name, _, count in cells]
        by_test = zip(names, cells.values(), strict=True)
        numbers = [(name, [own.get(model, "—") for model in models]) for name, own in by_test]
        texts = [("model", models)]
    else:
        numbers = [(model, [own.get(model, "—") for own in cells.values()]) for model in models]
        texts = [("test", [name for name, _, _ in cells])]
        if any(label for _, label, _ in cells):
            texts.append(("what is compared", [label for _, label, _ in cells]))
    headed, notes = _headings([name for name, _ in numbers])
    columns = [(title, own, True) for title, own in texts]
    return [*columns, *((h, own, False) for h, (_, own) in zip(headed, numbers, strict=True))], notes


def _headings(names: Sequence[str]) -> tuple[list[str], list[str]]:
    """Names as headings; a number for one that LaTeX cannot set narrowly, with a note on which it is."""
    headings: list[str] = []
    notes: list[str] = []
    for name in names:
        if len(written := latex(name)) <= _NARROW and "[U+" not in written:
            headings.append(name)
            continue
        headings.append(f"[{len(notes) + 1}]")
        notes.append(f"{headings[-1]}: {shorten(name, _LONGEST)}")
    return headings, notes


def _cell(line: Line, decided: Line) -> str:
    found = not line.headline and line_verdict(decided) in FOUND
    return f"{decimals(line.score)}{'*' if found else ''}"


def _notes(lines: Sequence[Line]) -> list[str]:
    first = next((r for r in lines if not r.headline), lines[0])
    record = METHODS.get(first.method)
    compared = {r.name: r.label for r in lines if r.label}
    many = len({r.model for r in lines}) > _SIDE_BY_SIDE
    listed = (
        [f"{'; '.join(f'{name}: {label}' for name, label in compared.items())}."] if many and compared else []
    )
    notes = [
        *listed,
        f"{score_name(first.method)}: from {score_scale(lines)}.",
    ]
    if any(r.headline for r in lines) and record and record.aggregation:
        notes.append(f"{ALL_TESTS}: {record.aggregation}")
    if any(r.decisive_p is not None for r in lines):
        notes.append(f"* {found_means(lines)}.")
    return notes
