"""What a visitor reads about a result on word lists: a sentence, numbers, every word, and the words that drive it."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from markupsafe import Markup

from ..data.schemas import WORD_LISTS
from ..methods.vector_lists import ON_AXIS
from ..registry import MethodRecord, get_method
from ..report.lines import ALPHA, Line, list_names, report_lines
from ..result import Result
from .outcome import TOO_FEW, groups_table, measured, pictures, remarks, score_tiles, secondary_table, verdict
from .parts import Bars, Note, Verdict, number, offers, show

__all__ = ["FIELD_NAMES", "LIST_ROLES", "PICTURED", "words_html"]

FIELD_NAMES = ("first targets X", "second targets Y", "first attributes A", "second attributes B")
"""What the page calls the four lists."""
LIST_ROLES = ("first targets", "second targets", "first attributes", "second attributes")
"""What records call the four lists."""
PICTURED = (ON_AXIS, "value")
"""What pictures of their own show of every word: its place on an axis, its value with an interval."""
_DRIVERS = 3
_ELLIPSIS = re.compile(r"the (first|second) (targets|attributes) than to the (first|second)(?! \w)")
_NO_VALUE = ("word", "list", "influence", "sentences")


def words_html(result: Result) -> str:
    """What a visitor reads about a result on word lists: verdict, numbers, words, and what was left out."""
    lines = report_lines([result], headline=False)
    said = _verdict(result, lines[0]) if len(lines) == 1 else _several(lines)
    own = [*_word_bars(result, lines[0]), _drivers(lines[0])] if len(lines) == 1 else [groups_table(result)]
    head = [
        Verdict(said),
        *measured(result),
        Note(_quick(result)),
        score_tiles(result),
        secondary_table(result),
    ]
    return show(*head, *own, *pictures(result), *remarks(result))


def _quick(result: Result) -> str:
    """What is said where the page's own options took the place of the method's defaults."""
    quick = offers()["word_lists"]["quick"].get(result.method, {"options": {}, "said": ""})
    used = all(result.settings.get(name) == value for name, value in quick["options"].items())
    return str(quick["said"]) if used else ""


def _sides(line: Line) -> tuple[str, ...]:
    """What the four lists are called; without names, what the page calls their fields."""
    given = list_names(line) or ("",) * len(FIELD_NAMES)
    return tuple(own or field for own, field in zip(given, FIELD_NAMES, strict=True))


def _verdict(result: Result, line: Line) -> Markup:
    record = get_method(result.method)
    if line.too_small:
        return Markup(TOO_FEW.format("words"))
    if line.p_value is None or record.p_value is not None or not _four_sided(record):
        return verdict(result, _named(line))
    x, y, a, b = (Markup("<strong>{}</strong>").format(side) for side in _sides(line))
    who = (
        "These vectors associate"
        if get_method(result.method).needs == ("embeds words",)
        else "This model associates"
    )
    p = line.p_high if line.p_high is not None else line.p_value
    one_sided = result.settings.get("alternative", "two-sided") != "two-sided"
    if p is None or ALPHA <= p <= 1 - ALPHA or (p > ALPHA and not one_sided):
        return Markup(
            "These words show no association of {} with {} and {} with {} that chance could not explain. That does not "
            "show that there is none."
        ).format(x, a, y, b)
    if clause := record.above if line.score >= line.ideal else record.below:
        return Markup("More than chance alone would explain: {}.").format(_named(line)(clause))
    if line.score >= line.ideal:
        said = Markup("{} {} with {} and {} with {}, more than chance alone would explain.")
        return said.format(who, x, a, y, b)
    return Markup("{} {} with {} and {} with {}: the other way round than the test asks.").format(
        who, x, b, y, a
    )


def _four_sided(record: MethodRecord) -> bool:
    """Whether a method sets two lists against two others, so that its sign pairs them."""
    return record.direction == "two_sided" and "attributes_b" in record.columns


def _named(line: Line) -> Callable[[str], str]:
    """What puts the names of the four lists in place of what texts call them."""
    called = dict(zip(LIST_ROLES, list_names(line) or (), strict=False))

    def name(text: str) -> str:
        text = _ELLIPSIS.sub(r"the \1 \2 than to the \3 \2", text)
        for role, own in called.items():
            text = text.replace(f"the {role}", own) if own else text
        return text

    return name


def _several(lines: Sequence[Line]) -> Markup:
    social, controls = ([r for r in lines if r.control == control] for control in (False, True))
    found, shown = (sum(r.significant for r in group) for group in (social, controls))
    told = Markup(
        "<strong>{} of {}</strong> tests find an association that chance does not explain (p adjusted for the number "
        "of tests)."
    ).format(found, len(social))
    if found < len(social):
        told += " The others do not show that there is none."
    if controls:
        told += (
            f" Of the control tests, which have no social content, {shown} of {len(controls)} find theirs."
        )
    if few := sum(r.too_small for r in lines):
        told += f" In {few} of {len(lines)} there are too few words for a finding, whatever the model."
    return told


def _word_bars(result: Result, line: Line) -> list[Bars]:
    """Bars of what the method found of every word; which number that is, the words say."""
    x, y, a, b = _sides(line)
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
        cosines = any("embeds" in need for need in get_method(result.method).needs)
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
