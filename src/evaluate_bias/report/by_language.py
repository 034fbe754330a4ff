"""LaTeX tables per method and language, with the models side by side."""

from __future__ import annotations

from collections.abc import Sequence

from ..registry import METHODS
from ..result import Result
from .latex import PREAMBLE, latex_table
from .lines import ALL_TESTS, Line, lines_by_result, of_decided, with_remark
from .score_matrix import result_language, score_matrix
from .verdict import FOUND, found_means, line_verdict

__all__ = ["to_latex_by_language"]

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
        LaTeX. A cell has the score, an asterisk where something was found, and a dash where there is no score. Where
        there are more models than fit beside one another, the table goes on in further ones.

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
        caption = with_remark(f"{record.title if record else method}{said}", lines) + "."
        text += ["", *latex_table(_columns(lines), caption, f"{label}-{method}-{number}", _notes(lines))]
    if standalone:
        text = [*PREAMBLE, r"\begin{document}", *text, r"\end{document}"]
    return "\n".join(text) + "\n"


def _columns(lines: Sequence[Line]) -> list[tuple[str, list[str], bool]]:
    cells: dict[tuple[str, str, int], dict[str, str]] = {}
    for line, decided in zip(lines, of_decided(lines), strict=True):
        count = 0  # tests of one name stay apart
        while line.model in cells.get((line.name, line.label, count), ()):
            count += 1
        cells.setdefault((line.name, line.label, count), {})[line.model] = _cell(line, decided)
    models = list(dict.fromkeys(r.model for r in lines))
    columns: list[tuple[str, list[str], bool]] = [("test", [name for name, _, _ in cells], True)]
    if any(label for _, label, _ in cells):
        columns.append(("what is compared", [label for _, label, _ in cells], True))
    return columns + [(model, [own.get(model, "—") for own in cells.values()], False) for model in models]


def _cell(line: Line, decided: Line) -> str:
    found = not line.headline and line_verdict(decided) in FOUND
    return f"{line.score:.2f}{'*' if found else ''}"


def _notes(lines: Sequence[Line]) -> list[str]:
    first = next((r for r in lines if not r.headline), lines[0])
    record = METHODS.get(first.method)
    low, high = ("open" if end is None else f"{end:.3g}" for end in first.score_range)
    notes = [f"{record.score_name if record else 'score'}: from {low} to {high}, ideal {first.ideal:.4g}."]
    if any(r.headline for r in lines) and record and record.aggregation:
        notes.append(f"{ALL_TESTS}: {record.aggregation}")
    if any(r.decisive_p is not None for r in lines):
        notes.append(f"* {found_means(lines)}.")
    return notes
