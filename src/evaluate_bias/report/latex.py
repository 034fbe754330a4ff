"""Tables in LaTeX that compile with pdfLaTeX, XeLaTeX and LuaLaTeX whatever their text is, and stay on the page."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence

from .escape import one_line

__all__ = ["PREAMBLE", "latex", "latex_table"]

PREAMBLE = (
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
    r"\usepackage{booktabs,longtable,array}",
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
_INVISIBLE = re.compile("[\u200c\u200d\ufe00-\ufe0f]")
_CLUSTER = re.compile("([^\\W\\d_])([\u0300-\u036f]+)|(.)", re.DOTALL)

_UNBROKEN = 8
_PAGE = 740.0
"""Width of the text in points: A4, landscape, with margins of 15 mm."""
_DIGIT, _GAP, _LINES = 4.6, 8.0, 25
"""Width of a character, space between columns, and lines of a table on one page, at the size of the tables."""
_LONGEST = 120
"""Characters of a cell; what comes after them is cut off."""


def latex(text: str) -> str:
    """Return the text so that LaTeX shows it as it is, or names what it has no letter for.

    Accented and Greek letters and common signs become macros; what pdfLaTeX has in no font, such as Chinese, Arabic or
    an emoji, becomes its code point.

    Examples:
        >>> print(latex("50 % of a_b & {c}, é, Δ, 中"))
        50 \\% of a\\_b \\& \\{c\\}, \\'{e}, $\\Delta$, [U+4E2D]
    """
    return _joined(_pieces(one_line(text)))


def _pieces(line: str) -> list[str]:
    """The letters of a line, each as LaTeX writes it."""
    shown = unicodedata.normalize("NFD", _INVISIBLE.sub("", line))
    return [_accented(m[1], m[2]) if m[1] else _character(m[3]) for m in _CLUSTER.finditer(shown)]


def _joined(pieces: Iterable[str]) -> str:
    # Braces keep hyphens and quotes from growing together into dashes and curly quotes.
    return re.sub(r"(?<=[-',])(?=[-',])", "{}", "".join(pieces))


def _accented(letter: str, accents: str) -> str:
    if letter.isascii() and all(a in _ACCENTS for a in accents):
        written = (
            {"i": r"\i", "j": r"\j"}.get(letter, letter)
            if accents[0] not in "\u0323\u0327\u0328\u0331"
            else letter
        )
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
    if kind in ("small", "capital") and "\u0370" <= c <= "\u03ff" and name in _GREEK:
        return _greek(name, kind == "capital")
    return f"[U+{ord(c):04X}]"


_LIKE_LATIN = {
    "alpha": "A",
    "beta": "B",
    "epsilon": "E",
    "zeta": "Z",
    "eta": "H",
    "iota": "I",
    "kappa": "K",
    "mu": "M",
}
_LIKE_LATIN |= {"nu": "N", "omicron": "O", "rho": "P", "tau": "T", "chi": "X"}
_GREEK = {
    *_LIKE_LATIN,
    *["gamma", "delta", "theta", "lambda", "xi", "pi", "sigma", "upsilon", "phi", "psi", "omega"],
}


def _greek(name: str, capital: bool) -> str:
    if capital:
        return f"$\\mathrm{{{_LIKE_LATIN[name]}}}$" if name in _LIKE_LATIN else f"$\\{name.capitalize()}$"
    return "$o$" if name == "omicron" else f"$\\{name}$"


def latex_table(
    columns: Sequence[tuple[str, Sequence[str], bool]], caption: str, label: str, notes: Sequence[str]
) -> list[str]:
    """Return the lines of a table in the style of ``booktabs``, which breaks over pages where it is long.

    Text columns that would leave the page are broken into lines, and columns of numbers go into further tables.

    Args:
        columns: title, cells, and whether it is text.
        caption: caption.
        label: label for ``\\ref``.
        notes: how to read the table, as plain text; they stand below it.
    """
    columns = [(title, [_cut(c) for c in cells], is_text) for title, cells, is_text in columns]
    texts = [c for c in columns if c[2]]
    lines: list[str] = []
    for i, numbers in enumerate(_parts([c for c in columns if not c[2]])):
        chosen = columns if len(numbers) + len(texts) == len(columns) else [*texts, *numbers]
        key = "".join(c for c in label if c.isascii() and (c.isalnum() or c in ":-.")) + (
            f"-{i + 1}" if i else ""
        )
        titled = rf"\caption{{{latex(caption)}}}\label{{{key}}}"
        # Not in the caption, which LaTeX first sets in one line.
        lines += ["", *_table(chosen, titled, [])] if i else _table(chosen, titled, notes)
    return lines


def _cut(cell: str) -> str:
    return cell if len(cell) <= _LONGEST else f"{cell[: _LONGEST - 1]}…"


def _parts(numbers: Sequence[tuple[str, Sequence[str], bool]]) -> list[list[tuple[str, Sequence[str], bool]]]:
    """Columns of numbers, as many together as leave text a third of the page."""
    parts, used = [[]], 0.0  # type: list[list[tuple[str, Sequence[str], bool]]], float
    for column in numbers:
        width = _width(*column[:2]) + _GAP
        if parts[-1] and used + width > _PAGE * 2 / 3:
            parts, used = [*parts, []], 0.0
        parts[-1].append(column)
        used += width
    return parts


def _width(title: str, cells: Sequence[str]) -> float:
    """Points that a column of numbers takes; its title is broken between words."""
    return _DIGIT * max(map(len, [*title.split(), *cells, ""]))


def _table(
    columns: Sequence[tuple[str, Sequence[str], bool]], titled: str, notes: Sequence[str]
) -> list[str]:
    numbers = sum(_width(title, cells) for title, cells, is_text in columns if not is_text)
    room = _PAGE - numbers - _GAP * len(columns)
    wanted = [
        _DIGIT * max(map(_length, [title, *cells])) if is_text else 0.0 for title, cells, is_text in columns
    ]
    widths = _shared(wanted, room)
    align, head, body = [], [], []
    for (title, cells, is_text), own, width in zip(columns, wanted, widths, strict=True):
        broken = is_text and width < own
        align.append(
            rf">{{\raggedright\arraybackslash}}p{{{width:.0f}pt}}" if broken else "l" if is_text else "r"
        )
        body.append([_breakable(c) if broken else latex(c) for c in cells])
        tall = not is_text and len(title) * _DIGIT > _width(title, cells)
        place = rf"\multicolumn{{1}}{{>{{\raggedleft\arraybackslash}}p{{{_width(title, cells):.0f}pt}}}}"
        head.append(rf"{place}{{{latex(title)}}}" if tall else latex(title))
    heading = [r"\toprule", _row(head), r"\midrule"]
    rows = [_row(row) for row in zip(*body, strict=True)]
    deep = [
        max(
            -(-_DIGIT * _length(c[1][i]) // w) if c[2] and w else 1
            for c, w in zip(columns, widths, strict=True)
        )
        for i in range(len(rows))
    ]
    spacing = rf"\footnotesize\setlength\tabcolsep{{{_GAP / 2:.0f}pt}}"
    below = [rf"\par\noindent {latex(note)}" for note in notes]
    if sum(deep) + sum(map(len, notes)) * _DIGIT / _PAGE <= _LINES:
        return [
            r"\begin{table}[htbp]",
            rf"\centering{spacing}",
            titled,
            rf"\begin{{tabular}}{{{''.join(align)}}}",
            *heading,
            *rows,
            r"\bottomrule",
            r"\end{tabular}",
            *(r"\par\smallskip\raggedright" for _ in below[:1]),
            *below,
            r"\end{table}",
        ]
    return [
        rf"\begingroup{spacing}\setlength\LTcapwidth{{\linewidth}}",
        rf"\begin{{longtable}}{{{''.join(align)}}}",
        rf"{titled}\\",
        *heading,
        r"\endfirsthead",
        *heading,
        r"\endhead",
        r"\bottomrule",
        r"\endlastfoot",
        *rows,
        r"\end{longtable}",
        *below,
        r"\par\endgroup",
    ]


def _row(cells: Sequence[str]) -> str:
    # The end of the row before, or the line above, would take a bracket or asterisk for its argument.
    guard = "{}" if cells[0].startswith(("[", "*")) else ""
    return f"{guard}{' & '.join(cells)} \\\\"


def _length(cell: str) -> int:
    """Characters of a cell as LaTeX shows it."""
    return sum(map(_shown_length, _pieces(one_line(cell))))


def _shown_length(piece: str) -> int:
    return len(piece) if piece.startswith("[U+") else 1


def _shared(wanted: Sequence[float], room: float) -> list[float]:
    """Widths that fit into the room: those that want least get what they want, the others equal parts of the rest."""
    widths = list(wanted)
    for rank, i in enumerate(sorted(range(len(wanted)), key=lambda i: wanted[i])):
        widths[i] = min(wanted[i], max(room, 0.0) / (len(wanted) - rank)) if wanted[i] else 0.0
        room -= widths[i]
    return widths


def _breakable(cell: str) -> str:
    """A cell whose words may be broken where eight characters have passed since the last break."""
    words = []
    for word in one_line(cell).split(" "):
        out: list[str] = []
        since = 0
        for piece in _pieces(word):
            if since >= _UNBROKEN:
                out.append(r"\allowbreak{}")
                since = 0
            out.append(piece)
            since += _shown_length(piece)
        words.append(_joined(out))
    return " ".join(words)
