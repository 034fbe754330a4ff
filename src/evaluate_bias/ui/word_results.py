"""What a visitor sees of a result on word lists: every word, and the words that drive the score."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from markupsafe import Markup

from ..data.schemas import WORD_LISTS
from ..methods.word_lists import ON_AXIS
from ..registry import get_method
from ..report.lines import Line, list_names
from ..report.reading import Reading, read
from ..result import Result
from .outcome import result_page
from .parts import Bars, Note, Part, number, offers

__all__ = ["PICTURED", "words_html"]

PICTURED = (ON_AXIS, "value")
"""What pictures of their own show of every word: its place on an axis, its value with an interval."""
_DRIVERS = 3
_NO_VALUE = ("word", "list", "influence", "sentences")


def words_html(result: Result) -> Markup:
    """A result on word lists; of a single test, with its words."""
    reading = read(result)
    words: list[Part] = []
    if len(reading.rows) == 1:
        words = [*_word_bars(reading), _drivers(reading.head.line)]
    return result_page(reading, Note(_quick(result)), *words)


def _quick(result: Result) -> str:
    """What is said where the page's own options took the place of the method's defaults."""
    quick = offers()["word_lists"]["quick"].get(result.method, {"options": {}, "said": ""})
    used = all(result.settings.get(name) == value for name, value in quick["options"].items())
    return str(quick["said"]) if used else ""


def _word_bars(reading: Reading) -> list[Bars]:
    """Bars of what the method found of every word; which number that is, the words say."""
    line, roles = reading.head.line, reading.text.list_names
    given_names = list_names(line) or ("",) * len(roles)
    x, y, a, b = (own or role for own, role in zip(given_names, roles, strict=True))
    given = [w for key in ("words", "attributes") for w in line.details.get(key) or ()]
    key = next((k for w in given for k in w if k not in _NO_VALUE and isinstance(w[k], (int, float))), "")
    words: list[Mapping[str, Any]] = sorted(
        (w for w in given if isinstance(w.get(key), (int, float))), key=lambda w: float(w[key]), reverse=True
    )
    if not words or key in PICTURED:
        return []
    # In their own order, so that a list has its colour whichever word comes first.
    lists = sorted({str(w.get("list")) for w in words}, key=lambda n: [*WORD_LISTS, n].index(n))
    names = dict(zip(WORD_LISTS, (x, y, a, b), strict=True))
    series = {str(1 + i % 2): names.get(name, name) for i, name in enumerate(lists[:2])}
    classes = {name: str(1 + i % 2) if len(lists) <= 2 else "0" for i, name in enumerate(lists)}
    rows = [(str(w["word"]), classes[str(w.get("list"))], float(w[key])) for w in words]
    what, left, right = f"The {key.replace('_', ' ')} of every word", "below 0", "above 0"
    if key == "association":
        cosines = any("embeds" in need for need in get_method(line.method).needs)
        scale = (
            "mean cosine to A minus mean cosine to B, from −2 to 2"
            if cosines
            else "mean log-probability gained beside A minus beside B, from −∞ to ∞"
        )
        what, left, right = f"Association of every word: {scale}; ideal: both groups alike", b, a
    return [Bars(what, left, right, series if len(lists) <= 2 else {}, rows)]


def _drivers(line: Line) -> Note:
    sign = -1.0 if line.score < 0 else 1.0
    given = [w for key in ("words", "attributes") for w in line.details.get(key, ())]
    words = [w for w in given if w.get("influence") is not None]
    words.sort(key=lambda w: sign * float(w["influence"]), reverse=True)
    pushing = [w for w in words[:_DRIVERS] if sign * float(w["influence"]) > 0]
    if not pushing:
        return Note("")
    told = ", ".join(f"{w['word']} ({number(line.score - float(w['influence']))})" for w in pushing)
    name = get_method(line.method).score_name
    return Note(
        f"These words drive the score most; in brackets the score without the word: {told}. Now the {name} is "
        f"{number(line.score)}."
    )
