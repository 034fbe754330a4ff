"""Results as LaTeX, with pdfLaTeX, XeLaTeX and LuaLaTeX alike: tables to paste into a paper, and one of everything."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Any

from ..text import one_line
from .lines import score_name
from .numbers import ci_cell, procedure, score_text
from .reading import Readable, Reading, RowReading, as_readings, found_means
from .row_tables import WITH_TIES
from .score_matrix import score_matrix
from .table import Table, table_of
from .verdict import Verdict
from .wording import unread_sentence

_SIDE_BY_SIDE = 4
"""Models beside one another; more go into further tables."""
_STARS = ((0.001, "***"), (0.01, "**"), (0.05, "*"))
_DAGGER = r"\textsuperscript{\textdagger}"
_NEEDS = r"% Needs \usepackage{booktabs,array}."
_SPACE = r"\addlinespace[2pt]"
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
    text = [_NEEDS]
    for place, measurement in enumerate(matrix.measurements):
        several = len(matrix.measurements) > 1
        key = f"{label}-{measurement.method}-{place + 1}" if several else label
        of_models = [readings[i] for (_, column), i in sorted(matrix.cells.items()) if column == place]
        for part, first in enumerate(range(0, len(of_models), _SIDE_BY_SIDE), 1):
            chosen = of_models[first : first + _SIDE_BY_SIDE]
            text += ["", *_paper_table(chosen, caption, f"{key}-{part}" if part > 1 else key)]
    return _document(text, standalone)


def _document(text: Sequence[str], standalone: bool) -> str:
    if standalone:
        text = [*_PREAMBLE, r"\begin{document}", *text, r"\end{document}"]
    return "\n".join(text) + "\n"


def _paper_table(readings: Sequence[Reading], begin: str, label: str) -> list[str]:
    """Tests or groups of one method by model; those of one name stay apart."""
    by_name: dict[tuple[str, str, int], dict[int, RowReading]] = {}
    for column, reading in enumerate(readings):
        seen: Counter[tuple[str, str]] = Counter()
        for row in _rows(reading):
            key = row.name, row.line.label
            by_name.setdefault((*key, seen[key]), {})[column] = row
            seen[key] += 1
    cells: list[list[str]] = []
    for (name, compared, _), by_column in by_name.items():
        rows = [by_column.get(column) for column in range(len(readings))]
        title = f"{name}: {compared}" if compared else name
        lines = ([title, *map(_score, rows)], ["", *map(_interval, rows)], ["", *map(_with_ties, rows)])
        cells += [line for line in lines if any(line)]
    table = table_of(["", *(r.model for r in readings)], cells, numbers=range(1, len(readings) + 1))
    body: list[str] = []
    for (title, *_), line in zip(cells, _lines(table), strict=True):
        body += [_SPACE, line] if title and body else [line]
    all_rows = [row for reading in readings for row in _rows(reading)]
    return [
        r"\begin{table}[htbp]",
        r"\centering\footnotesize",
        rf"\caption{{{latex(' '.join(filter(None, (begin, _caption(readings, all_rows)))))}}}\label{{{_key(label)}}}",
        rf"\begin{{tabular}}{{{_column_type(_width(row[0] for row in cells))}{'r' * len(readings)}}}",
        *(r"\toprule", _head(table), r"\midrule", *body, _SPACE, r"\bottomrule", r"\end{tabular}"),
        *_legend(readings, all_rows),
        r"\end{table}",
    ]


def _rows(reading: Reading) -> list[RowReading]:
    """Its rows without the score of all tests together, whose scale is another."""
    return [row for row in reading.rows if not row.line.headline]


def _caption(readings: Sequence[Reading], row_readings: Sequence[RowReading]) -> str:
    """What was measured on what, with which test and how many units."""
    first, rows = readings[0], [row.line for row in row_readings]
    counts = sorted({line.row.n for line in rows if line.row.n is not None})
    facts = [f"n = {' to '.join(map(str, dict.fromkeys((counts[0], counts[-1]))))}"] if counts else []
    facts += {f"{100 * line.result.ci_level:g}% interval" for line in rows if line.row.ci_low is not None}
    if tests := dict.fromkeys(procedure(line.row.p_method) for line in rows if line.row.p_method):
        facts.append(f"test: {', '.join(tests)}")
    ideals = {f"ideal {line.ideal:.4g}" for line in rows}
    facts += ideals if len(ideals) == 1 else ()
    return f"{first.title}, {score_name(first.result)}, on {first.data}; {'; '.join(facts)}."


def _legend(readings: Sequence[Reading], rows: Sequence[RowReading]) -> list[str]:
    remarks = []
    if any(_stars(row) for row in rows):
        adjusted = "adjusted p" if any(row.line.p_adjusted is not None for row in rows) else "p"
        levels = ", ".join(f"{stars} {adjusted} < {str(level)[1:]}" for level, stars in reversed(_STARS))
        remarks.append(latex(f"{levels}. {found_means(readings)}"))
    if any(row.verdict is Verdict.UNDECIDED for row in rows):
        remarks.append(rf"{_DAGGER} p-value and interval disagree.")
    remarks += map(latex, _unread(readings))
    return [rf"\par\smallskip\raggedright {' '.join(remarks)}"] if remarks else []


def _unread(readings: Sequence[Reading]) -> list[str]:
    """Between which ends scores lie of which little was read, by method and model where there are several."""
    names = [f"{reading.title}, {reading.model}: " if len(readings) > 1 else "" for reading in readings]
    sentences = [unread_sentence(reading.result) for reading in readings]
    return [f"{name}{sentence}" for name, sentence in zip(names, sentences, strict=True) if sentence]


def _stars(row: RowReading) -> str:
    p = row.line.decisive_p
    return next((s for level, s in _STARS if p is not None and p < level), "") if row.filled else ""


class Latex(str):
    """Text that is LaTeX already: a table holds it as it is."""

    __slots__ = ()


def _score(row: RowReading | None) -> str:
    if row is None:
        return Latex("---")
    mark = _DAGGER if row.verdict is Verdict.UNDECIDED else _stars(row)
    return Latex(f"{_number(score_text(row.line.row))}{mark}")


def _interval(row: RowReading | None) -> str:
    return "" if row is None or row.line.row.ci_low is None else _small(ci_cell(row.line.row))


def _with_ties(row: RowReading | None) -> str:
    return _small(f"{WITH_TIES} {row.with_ties}") if row is not None and row.with_ties else ""


def _small(text: str) -> Latex:
    return Latex(rf"{{\scriptsize {_number(text)}}}")


def _number(text: str) -> str:
    return latex(text.replace("-", "−"))


def _lines(table: Table[Any]) -> Iterator[str]:
    """The rows of a table: LaTeX as it is, texts with places to break them."""
    for row in table.cells():
        pairs = zip(table.columns, row, strict=True)
        yield _row(
            [c if isinstance(c, Latex) else (latex if col.number else breakable)(c) for col, c in pairs]
        )


def _head(table: Table[Any]) -> str:
    return _row([_heading(c.title) if c.number else latex(c.title) for c in table.columns])


def _heading(title: str) -> str:
    """The heading of a column of numbers, on several lines where it is long."""
    if len(latex(title)) <= _NARROW:
        return latex(title)
    width = f"{_CHARACTER * _NARROW:.0f}pt"
    return rf"\multicolumn{{1}}{{>{{\raggedleft\arraybackslash}}p{{{width}}}}}{{{breakable(title)}}}"


def _column_type(width: float, most: float = 230.0) -> str:
    """How a column of text is set: as wide as its longest cell, and broken between words where that is too wide."""
    return "l" if width <= most else rf">{{\raggedright\arraybackslash}}p{{{most - 2 * _GAP:.0f}pt}}"


def _width(cells: Iterable[str]) -> float:
    """Points that a column takes at most."""
    lengths = (len(breakable(cell).replace(r"\allowbreak{}", "")) for cell in cells)
    return _CHARACTER * max(lengths, default=0) + 2 * _GAP


def _row(cells: Sequence[str]) -> str:
    # A bracket or a star would be the argument of the line end before.
    return ("{}" if cells[0][:1] in ("[", "*") else "") + " & ".join(cells) + r" \\"


def _key(label: str) -> str:
    return "".join(c for c in label if c.isascii() and (c.isalnum() or c in ":-."))


# --- any text as LaTeX shows it -----------------------------------------------------------------------------

_PREAMBLE = (
    r"\documentclass[a4paper,10pt]{article}",
    r"\usepackage[margin=15mm,landscape]{geometry}",
    r"\usepackage{iftex}",
    r"\ifPDFTeX",
    r"  \usepackage[T1]{fontenc}",
    r"  \usepackage[utf8]{inputenc}",
    r"  \IfFileExists{lmodern.sty}{\usepackage{lmodern}}{}",
    r"\else",
    r"  \usepackage{fontspec}",
    r"\fi",
    r"\usepackage{booktabs,array}",
    # A float takes a cycle at the end of the document, of which TeX allows 25 and LaTeX 100.
    r"\maxdeadcycles=1000",
)
_NAMED = '\\^~<>|`"—–…•°“”„‘’«»§¿¡©€ßæÆøØłŁœŒđĐðÐþÞıȷ'
_NAMES = (
    "textbackslash textasciicircum textasciitilde textless textgreater textbar textasciigrave textquotedbl textemdash "
    "textendash ldots textbullet textdegree textquotedblleft textquotedblright quotedblbase textquoteleft "
    "textquoteright guillemotleft guillemotright S textquestiondown textexclamdown textcopyright texteuro ss ae AE o O "
    "l L oe OE dj DJ dh DH th TH i j"
)
_SIGNS = (
    r"- \infty \pm \times \div \cdot \approx \le \ge \ne \to \leftarrow ^2 ^3 ^1 \mu \surd \sum \varsigma"
)
_MACROS = {c: f"\\{name}{{}}" for c, name in zip(_NAMED, _NAMES.split(), strict=True)}
_MACROS |= {c: f"\\{c}" for c in "{}$&#_%"}
_MATHS = dict(zip("−∞±×÷·≈≤≥≠→←²³¹µ√∑ς", _SIGNS.split(), strict=True))
_MARKS = "\u0300\u0301\u0302\u0303\u0304\u0306\u0307\u0308\u030a\u030b\u030c\u0323\u0327\u0328\u0331"
_ACCENTS = dict(zip(_MARKS, "`'^~=u.\"rHvdckb", strict=True))
_BELOW = "\u0323\u0327\u0328\u0331"
"""Marks below a letter, which leave it its dot."""
_LONG, _PART = 19, 8
"""Characters of a word that is not broken, and of the parts of a longer one."""
_ENDS = ("/", r"\_", "-", ".", ":")
_INVISIBLE = re.compile("[\u200c\u200d\ufe00-\ufe0f]")
_CLUSTER = re.compile("([^\\W\\d_])([\u0300-\u036f]+)|(.)", re.DOTALL)


def latex(text: str) -> str:
    """Return the text so that LaTeX shows it as it is, or names what it has no letter for.

    Accented and Greek letters and common signs become macros; what pdfLaTeX has in no font, such as Chinese, Arabic or
    an emoji, becomes its code point.

    Examples:
        >>> print(latex("50 % of a_b & {c}, é, Δ, 中"))
        50 \\% of a\\_b \\& \\{c\\}, \\'{e}, $\\Delta$, [U+4E2D]
    """
    return _joined(_pieces(one_line(text)))


@lru_cache(maxsize=10_000)
def breakable(text: str) -> str:
    """Return what :func:`latex` does, with places to break a word that is longer than a line: after its signs, else
    after so many characters as no word of a language has.

    Examples:
        >>> print(breakable("a model/with_a-name_of-24"))
        a model/\\allowbreak{}with\\_\\allowbreak{}a-\\allowbreak{}name\\_\\allowbreak{}of-\\allowbreak{}24
    """
    return " ".join(_broken(word) for word in one_line(text).split(" "))


def _broken(word: str) -> str:
    pieces = _pieces(word)
    lengths = [len(piece) if piece.startswith("[U+") else 1 for piece in pieces]
    if sum(lengths) <= _LONG:
        return _joined(pieces)
    out, since = [], 0
    for piece, length in zip(pieces, lengths, strict=True):
        out.append(piece)
        since += length
        if piece in _ENDS or since >= _PART:
            out.append(r"\allowbreak{}")
            since = 0
    return _joined(out)


def _pieces(line: str) -> list[str]:
    """The letters of a line, each as LaTeX writes it."""
    letters = unicodedata.normalize("NFD", _INVISIBLE.sub("", line))
    return [_accented(m[1], m[2]) if m[1] else _character(m[3]) for m in _CLUSTER.finditer(letters)]


def _joined(pieces: Iterable[str]) -> str:
    # Braces keep hyphens and quotes from growing together into dashes and curly quotes.
    return re.sub(r"(?<=[-',])(?=[-',])", "{}", "".join(pieces))


def _accented(letter: str, accents: str) -> str:
    if letter.isascii() and all(a in _ACCENTS for a in accents):
        written = f"\\{letter}" if letter in "ij" and accents[0] not in _BELOW else letter
        for accent in accents:
            written = f"\\{_ACCENTS[accent]}{{{written}}}"
        return written
    composed = unicodedata.normalize("NFC", letter + accents)
    return "".join(map(_character, composed))


def _character(c: str) -> str:
    if c in _MACROS:
        return _MACROS[c]
    if c.isascii():
        return c
    if c in _MATHS:
        return f"${_MATHS[c]}$"
    kind, _, name = unicodedata.name(c, "").lower().removeprefix("greek ").partition(" letter ")
    name = name.replace("lamda", "lambda")
    if kind not in ("small", "capital") or not "\u0370" <= c <= "\u03ff" or name not in _GREEK:
        return f"[U+{ord(c):04X}]"
    if kind == "small":
        return "$o$" if name == "omicron" else f"$\\{name}$"
    return f"$\\mathrm{{{_LIKE_LATIN[name]}}}$" if name in _LIKE_LATIN else f"$\\{name.capitalize()}$"


_LATIN, _LATIN_NAMES = "ABEZHIKMNOPTX", "alpha beta epsilon zeta eta iota kappa mu nu omicron rho tau chi"
_OTHER_NAMES = "gamma delta theta lambda xi pi sigma upsilon phi psi omega"
"""Greek capitals that look like Latin ones and have no macro, and those that have one."""
_LIKE_LATIN = dict(zip(_LATIN_NAMES.split(), _LATIN, strict=True))
_GREEK = {*_LIKE_LATIN, *_OTHER_NAMES.split()}
