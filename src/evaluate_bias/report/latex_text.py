"""Text as LaTeX shows it, with pdfLaTeX, XeLaTeX and LuaLaTeX alike, whatever it is."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from functools import lru_cache

from .escape import one_line

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
_LONG, _PART = 20, 8
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
