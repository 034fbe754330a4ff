"""What a card's section is about: the categories, languages and days of its results, and what they do not cover."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from datetime import date

from ...data.dataset_record import is_control
from ...result import Result
from ...stats import FEWEST_UNITS
from ...text import name_key
from ..conclusions import Conclusion, Reason
from ..data_facts import chosen_subset, dataset_facts, public_source, result_note
from ..reading import Reading, RowReading
from ..score_matrix import result_language

_MAIN: Mapping[str, tuple[str, ...]] = {
    "gender": ("gender", "gender identity", "sex", "female", "male"),
    "race or ethnicity": ("race", "race color", "race ethnicity", "ethnicity"),
    "religion": ("religion",),
    "age": ("age",),
    "disability": ("disability", "disability status"),
    "sexual orientation": ("sexual orientation",),
    "nationality": ("nationality",),
    "socioeconomic status": ("socioeconomic", "socioeconomic status", "ses"),
}
"""The main categories, with what data sets call them, compared by :func:`name_key`. What is only near to one, such as
professions, dialects and illness, is a category of its own: it does not cover the main one."""

_FURTHER_CATEGORIES = (
    "physical appearance",
    "profession",
    "race and gender",
    "race and socioeconomic status",
)
"""Other categories that groups of benchmarks are named after. Other groups, such as verbs, are not categories."""

_LANGUAGES = (
    "ar Arabic, bg Bulgarian, ca Catalan, cs Czech, da Danish, de German, el Greek, en English, es Spanish, "
    "et Estonian, eu Basque, fa Persian, fi Finnish, fr French, gl Galician, he Hebrew, hi Hindi, hr Croatian, "
    "hu Hungarian, is Icelandic, it Italian, ja Japanese, ko Korean, lt Lithuanian, lv Latvian, mt Maltese, nl Dutch, "
    "no Norwegian, pl Polish, pt Portuguese, ro Romanian, ru Russian, sk Slovak, sl Slovenian, sr Serbian, "
    "sv Swedish, tr Turkish, uk Ukrainian, zh Chinese"
)
_LANGUAGE_NAMES = dict(pair.split(" ", 1) for pair in _LANGUAGES.split(", "))

MANY_LANGUAGES = 3
"""More languages than these are counted instead of named."""


def main_category(name: str) -> str:
    """Return the main category that a data set's name for a bias type belongs to, or else the name itself.

    What a benchmark adds in brackets, such as the context of a question, is omitted.

    Examples:
        >>> main_category("race-color"), main_category("Gender_identity (names)"), main_category("physical-appearance")
        ('race or ethnicity', 'gender', 'physical appearance')
        >>> main_category("Race_x_SES (ambiguous)")
        'race and socioeconomic status'
    """
    name = re.sub(r"(\s*\([^()]*\))+$", "", name)
    key = name_key(name)
    known = (main for main, names in _MAIN.items() if key in map(name_key, names))
    words = re.sub(r"[-_\s]+", " ", name).strip().lower()
    crossed = words.replace(" x ", " and ").replace(" and ses", " and socioeconomic status")
    return next(known, crossed)


def categories(reading: Reading, *, with_enough_items: bool = False) -> list[str]:
    """Return the categories that a result is about: of its tests or groups, the chosen data, or its data set.

    Args:
        reading: of the result.
        with_enough_items: only the categories of rows with enough items for a conclusion about the model.
    """
    lines = [row for row in reading.rows if not row.line.headline]
    enough = [row for row in lines if _has_enough_items(row)] if with_enough_items else lines
    of_tests = [(row, row.line.row.labels.get("bias_type", "")) for row in lines]
    rows = [(row, main_category(kind)) for row, kind in of_tests if kind and not is_control(kind)]
    if not rows:  # the groups of a benchmark are bias types, if any of them has such a name
        groups = [(row, main_category(row.line.row.name)) for row in lines if row.line.kind == "group"]
        rows = [(row, kind) for row, kind in groups if kind in _MAIN or kind in _FURTHER_CATEGORIES]
    if rows:  # no row of the data speaks for a category whose own rows have too few items
        return list(dict.fromkeys(kind for row, kind in rows if row in enough))
    if not enough:
        return []
    chosen, note = dataset_facts(reading.result).get("bias_types"), result_note(reading.result)
    kinds = [str(kind) for kind in chosen] if isinstance(chosen, list) else []
    if not kinds and note is not None:
        kinds = list(note.categories)
    return list(dict.fromkeys(main_category(kind) for kind in kinds))


def _has_enough_items(row: RowReading) -> bool:
    """True if a row has enough items for a conclusion. If nothing differs, it needs as many as a t-test."""
    judgement = row.judgement
    if judgement.reason is Reason.ALL_EQUAL:
        return not judgement.kind and (row.line.row.n or 0) >= FEWEST_UNITS
    return not judgement.kind and judgement.conclusion is not Conclusion.TOO_FEW


def categories_by_items(readings: Sequence[Reading]) -> tuple[list[str], list[str]]:
    """Return the categories that results with enough items are about, and the categories with too few items."""
    covered = dict.fromkeys(one for r in readings for one in categories(r, with_enough_items=True))
    about_model = [r for r in readings if not r.judgement.kind]
    measured = dict.fromkeys(one for r in about_model for one in categories(r))
    return list(covered), [one for one in measured if one not in covered]


def not_covered(readings: Sequence[Reading]) -> str:
    """Return the main categories that no result with enough items covers, and languages and uses, as text."""
    covered, too_few = categories_by_items(readings)
    missing = [one for one in _MAIN if one not in covered]
    missing += [one for one in too_few if one not in _MAIN]
    illustrative = [r for r in readings if r.judgement.kind == "illustrative"]
    reasons = {one: "illustrative data only" for r in illustrative for one in categories(r)}
    reasons |= dict.fromkeys(too_few, "too few items")
    by_reason = {
        reason: [one for one in missing if reasons.get(one) == reason] for reason in reasons.values()
    }
    known_languages = languages([r.result for r in readings])
    other = "other languages" if known_languages else "languages (not stated)"
    parts = [", ".join(one for one in missing if one not in reasons)]
    for reason, names in by_reason.items():
        if names:
            parts.append(f"{', '.join(names)} ({'each: ' if len(names) > 1 else ''}{reason})")
    return "; ".join(filter(None, [*parts, other, "your application."]))


def languages(results: Iterable[Result]) -> list[str]:
    """Return the English names of the languages of the data. A tag without a known name stays a tag."""
    tags: dict[str, None] = {}
    for result in results:
        of_tests = (row.labels.get("language", "") for row in result.rows_of("test"))
        known = [tag for tag in (*of_tests, result_language(result)) if tag not in ("", "und")]
        tags |= dict.fromkeys(known)
    return list(dict.fromkeys(_LANGUAGE_NAMES.get(tag.partition("-")[0], tag) for tag in tags))


def days(results: Iterable[Result]) -> str:
    """Return "on" and the day of the measurements, or "from" the first day "to" the last. Empty without any date."""
    measured_days = set()
    for result in results:
        with suppress(ValueError):  # of a result that was written by hand
            measured_days.add(date.fromisoformat(result.date))
    ends = [f"{day.day} {day:%B %Y}" for day in sorted(measured_days)]
    if len(ends) > 1:
        return f"from {ends[0]} to {ends[-1]}"
    return f"on {ends[0]}" if ends else ""


def data_part(reading: Reading, label: str) -> str:
    """Return the data of a result and which part of them was measured, such as "gender, 60 of 262 rows".

    Args:
        reading: of the result.
        label: name of the result. A data set of the same name is not named again.
    """
    facts, note = dataset_facts(reading.result), result_note(reading.result)
    title = note.title if note is not None else public_source(facts) or "own data"
    parts = chosen_subset(facts)
    protocol = str(reading.result.settings.get("protocol") or "")
    if protocol and protocol not in ", ".join(parts):  # what a protocol draws is a part that names it
        parts.append(f"{protocol} protocol")
    if name_key(title) in name_key(label) and parts:
        return ", ".join(parts)
    return ", ".join([title, *parts])
