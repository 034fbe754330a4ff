"""Results as LaTeX: tables to paste into a paper, or one document of all of them."""

from __future__ import annotations

import json
import re
import unicodedata
import zlib
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from importlib.resources import files
from typing import Any

from ..result import option_order
from ..text import one_line
from .conclusions import Reason
from .escape import templates
from .lines import score_name
from .numbers import ci_cell, procedure, score_text
from .reading import Readable, Reading, RowReading, as_readings, significance_note, unread_sentence
from .row_tables import WITH_TIES
from .score_matrix import score_matrix

_SIDE_BY_SIDE = 3
"""Models in one table, as many as fit into the text of a plain article. More go into further tables."""
_HEADING = 12
"""Characters of a word that fits into the heading of a model."""
_STARS = ((0.001, "***"), (0.01, "**"), (0.05, "*"))
_DAGGER = r"\textsuperscript{\textdagger}"


def to_latex(results: Readable, *, caption: str = "", label: str = "", standalone: bool = False) -> str:
    """Return one table per method and data in the style of ``booktabs``: tests or groups as rows, models as columns.

    A cell has the score with its interval below it. Stars show how small the adjusted p-value of a
    significant score is, and a dagger that p-value and interval disagree. The caption says data, test and n. The tables
    compile in a plain ``article`` with the packages that the comment in the first line names.

    Args:
        results: any number of results, or their readings.
        caption: what captions begin with, as plain text.
        label: label for ``\\ref``. Further tables have it with a number. By default each table has its own,
            made of the method and of a checksum of model, data and settings.
        standalone: whether to return a whole document that compiles alone, with pdfLaTeX, XeLaTeX or LuaLaTeX.

    Examples:
        >>> from evaluate_bias.result import Result
        >>> result = Result(method="pll", score=55.0, score_range=(0, 100), direction="two_sided", ideal=50, n=9,
        ...                 ci_low=45.0, ci_high=65.0, provenance={"model": {"name": "tiny"}})
        >>> "overall & 55.00" in to_latex([result])
        True
    """
    readings = as_readings(results)
    matrix = score_matrix([r.result for r in readings])
    tables = []
    seen: Counter[str] = Counter()
    for place, measurement in enumerate(matrix.measurements):
        of_models = [readings[i] for (_, column), i in sorted(matrix.cells.items()) if column == place]
        settings = measurement.label.removeprefix(measurement.method).strip(" ()")
        for first in range(0, len(of_models), _SIDE_BY_SIDE):
            chosen = of_models[first : first + _SIDE_BY_SIDE]
            rows = [row for reading in chosen for row in _rows(reading)]
            key = "".join(c for c in label if c.isascii() and (c.isalnum() or c in ":-.")) or _label(chosen)
            seen[key] += 1
            tables.append(
                {
                    "caption": latex(" ".join(filter(None, (caption, _caption(chosen, settings, rows))))),
                    "label": key if seen[key] == 1 else f"{key}-{seen[key]}",
                    "models": [breakable(reading.model, _HEADING) for reading in chosen],
                    "rows": _cells(chosen),
                    "legend": _legend(chosen, rows),
                }
            )
    source = files(__package__).joinpath("table.tex.jinja").read_text(encoding="utf-8")
    marks = ("<%", "%>", "<<", ">>", "<#", "#>")
    names = [f"{kind}_{end}_string" for kind in ("block", "variable", "comment") for end in ("start", "end")]
    options: dict[str, Any] = dict(zip(names, marks, strict=True))
    template = templates(autoescape=False, trim_blocks=True, keep_trailing_newline=True, **options)
    return template.from_string(source).render(tables=tables, standalone=standalone)


def _label(readings: Sequence[Reading]) -> str:
    """Return a label that no table of other models, data or settings has."""
    facts = [
        [r.result.settings, *(r.result.provenance.get(key) for key in ("model", "dataset"))] for r in readings
    ]
    checksum = zlib.crc32(json.dumps(facts, sort_keys=True, default=str).encode())
    return f"tab:{re.sub('[^a-z0-9]+', '-', readings[0].result.method.lower()).strip('-')}-{checksum:08x}"


def _rows(reading: Reading) -> list[RowReading]:
    """Return its rows without the score of all tests together, which has another scale."""
    return [row for row in reading.rows if not row.line.headline]


def _cells(readings: Sequence[Reading]) -> list[list[str]]:
    """Return the lines of a table: tests or groups by model, with intervals below. Rows of one name stay apart."""
    by_name: dict[tuple[str, str, int], dict[int, RowReading]] = {}
    for column, reading in enumerate(readings):
        seen: Counter[tuple[str, str]] = Counter()
        for row in _rows(reading):
            key = row.name, row.line.label
            by_name.setdefault((*key, seen[key]), {})[column] = row
            seen[key] += 1
    lines = []
    for (name, compared, _), by_column in by_name.items():
        rows = [by_column.get(column) for column in range(len(readings))]
        # A bracket or a star would be the argument of the line end before.
        title = re.sub(r"^(?=[*\[])", "{}", breakable(f"{name}: {compared}" if compared else name))
        lines.append([title, *map(_score, rows)])
        intervals = [
            "" if row is None or row.line.row.ci_low is None else ci_cell(row.line.row) for row in rows
        ]
        with_ties = [
            f"{WITH_TIES} {row.with_ties}" if row is not None and row.with_ties else "" for row in rows
        ]
        for texts in (intervals, with_ties):
            if any(texts):
                lines.append(["", *(rf"{{\scriptsize {_number(text)}}}" if text else "" for text in texts)])
    return lines


def _score(row: RowReading | None) -> str:
    if row is None:
        return "---"
    return _number(score_text(row.line.row)) + (
        _DAGGER if row.judgement.reason is Reason.DISAGREE else _stars(row)
    )


def _number(text: str) -> str:
    return latex(text.replace("-", "−"))


def _caption(readings: Sequence[Reading], settings: str, row_readings: Sequence[RowReading]) -> str:
    """Return what was measured on what, with which test and how many units."""
    first, rows = readings[0], [row.line for row in row_readings]
    counts = sorted({line.row.n for line in rows if line.row.n is not None})
    facts = [f"n = {' to '.join(map(str, dict.fromkeys((counts[0], counts[-1]))))}"] if counts else []
    facts += {
        f"{100 * line.result.confidence_level:g}% interval" for line in rows if line.row.ci_low is not None
    }
    # If the legend says that there is no test, none is named here.
    if tests := dict.fromkeys(
        procedure(line.row.p_method) for line in rows if line.row.p_method and not line.option_order
    ):
        facts.append(f"test: {', '.join(tests)}")
    ideals = {line.ideal_text for line in rows}
    facts += ideals if len(ideals) == 1 else ()
    title = f"{first.title} ({settings})" if settings else first.title
    return f"{title}, {score_name(first.result)}, on {first.data}; {'; '.join(facts)}."


def _legend(readings: Sequence[Reading], rows: Sequence[RowReading]) -> str:
    remarks = []
    if any(_stars(row) for row in rows):
        corrected = "corrected p" if any(row.line.p_adjusted is not None for row in rows) else "p"
        levels = ", ".join(f"{stars} {corrected} < {str(level)[1:]}" for level, stars in reversed(_STARS))
        remarks.append(latex(f"{levels}. {significance_note(readings)}"))
    if any(row.judgement.reason is Reason.DISAGREE for row in rows):
        remarks.append(rf"{_DAGGER} p-value and interval disagree.")
    # Named by method and model if there are several.
    for reading in readings:
        whose = f"{reading.title}, {reading.model}: " if len(readings) > 1 else ""
        clause = option_order(reading.result.details)
        sentences = [f"no test, as {clause}."] if clause else []
        if sentence := unread_sentence(reading.result):
            sentences.append(sentence)
        remarks += [latex(f"{whose}{text}" if whose else text[0].upper() + text[1:]) for text in sentences]
    return " ".join(remarks)


def _stars(row: RowReading) -> str:
    p = row.line.decisive_p
    return next((s for level, s in _STARS if p is not None and p < level), "") if row.filled else ""


# --- any text as LaTeX shows it -----------------------------------------------------------------------------

_T1 = "ȘșȚț¡¿£«»–—‘’‚“”„‰‹›ẞ" + "".join(c for c in map(chr, range(0xC0, 0x180)) if c not in "×÷ĦħĸĿŀŉŦŧſ")
"""Beyond ASCII, the characters that pdfLaTeX has in the encoding T1 of every font."""
_GREEK = "αβγδεζηθικλμνξπρσςτυφχψωΓΔΘΛΞΠΣΥΦΨΩ"
_GREEK_NAMES = (
    "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi pi rho sigma varsigma tau upsilon phi "
    "chi psi omega Gamma Delta Theta Lambda Xi Pi Sigma Upsilon Phi Psi Omega"
)
_SIGNS = (
    r"- \infty \pm \times \div \cdot \approx \le \ge \ne \to \leftarrow ^2 ^3 ^1 ^\circ \mu \surd \sum \bullet "
    r"\ldots"
)
_NAMED = (
    "textbackslash textasciicircum textasciitilde textless textgreater textbar textasciigrave textquotedbl S"
)
_WRITTEN = {c: f"${sign}$" for c, sign in zip("−∞±×÷·≈≤≥≠→←²³¹°µ√∑•…", _SIGNS.split(), strict=True)}
_WRITTEN |= {c: f"$\\{name}$" for c, name in zip(_GREEK, _GREEK_NAMES.split(), strict=True)}
_WRITTEN |= {c: f"\\{macro}{{}}" for c, macro in zip('\\^~<>|`"§', _NAMED.split(), strict=True)}
_WRITTEN |= {c: f"\\{c}" for c in "{}$&#_%"}
_MARKS = "\u0300\u0301\u0302\u0303\u0304\u0306\u0307\u0308\u030a\u030b\u030c\u0323\u0327\u0328\u0331"
_ACCENTS = dict(zip(_MARKS, "`'^~=u.\"rHvdckb", strict=True))
_INVISIBLE = re.compile("[\u200c\u200d\ufe00-\ufe0f]")
_CLUSTER = re.compile("[A-Za-z][\u0300-\u036f]+|.", re.DOTALL)
_LETTER = r"[^/_.:\-\u0370-\U0010ffff]"
_PARTS = re.compile(rf"[^\0-\u036f]|(?:{_LETTER}{{11,12}}(?!{_LETTER})|{_LETTER}{{1,10}})[/_.:-]*|[/_.:-]+")
"""What a word may be broken into: after its signs, else after so many characters as few words of a language have, and
never before its last one or two.
"""


def latex(text: str) -> str:
    """Return the text so that LaTeX shows it as it is, or names what it has no letter for.

    Letters of European languages stay. Greek letters and common signs become macros. Characters that no pdfLaTeX
    font has, such as Chinese, Arabic or an emoji, become their code points.

    Examples:
        >>> print(latex("50 % of a_b & {c}, é, Δ, 中"))
        50 \\% of a\\_b \\& \\{c\\}, é, $\\Delta$, [U+4E2D]
    """
    line = unicodedata.normalize("NFC", _INVISIBLE.sub("", one_line(text)))
    # Braces keep hyphens and quotes from growing together into dashes and curly quotes.
    return re.sub(r"(?<=[-',])(?=[-',])", "{}", "".join(map(_character, _CLUSTER.findall(line))))


@lru_cache(maxsize=10_000)
def breakable(text: str, most: int = 18) -> str:
    """Return what :func:`latex` does, with places to break words of more characters than fit into a column.

    Examples:
        >>> print(breakable("a model/with_a-name_24"))
        a model/\\allowbreak{}with\\_\\allowbreak{}a-\\allowbreak{}name\\_\\allowbreak{}24
    """
    words = unicodedata.normalize("NFC", one_line(text)).split(" ")
    parts = (_PARTS.findall(word) if len(latex(word)) > most else [word] for word in words)
    return " ".join(r"\allowbreak{}".join(map(latex, word_parts)) for word_parts in parts)


def _character(cluster: str) -> str:
    """Return a character, or a letter and its accents, as LaTeX writes it."""
    if cluster in _WRITTEN:
        return _WRITTEN[cluster]
    if (cluster.isascii() and len(cluster) == 1) or cluster in _T1:
        return cluster
    letter, *accents = list(unicodedata.normalize("NFD", cluster))
    if accents and letter.isascii() and all(accent in _ACCENTS for accent in accents):
        for accent in accents:
            letter = f"\\{_ACCENTS[accent]}{{{letter}}}"
        return letter
    return "".join(c if c.isascii() else f"[U+{ord(c):04X}]" for c in cluster)
