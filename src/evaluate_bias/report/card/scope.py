"""What a card's section is about: the categories, languages and days of its results, and what they do not cover."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import date

from ...data.dataset_record import is_control
from ...result import Result
from ...text import name_key
from ..conclusions import Conclusion
from ..data_facts import chosen_subset, dataset_facts, public_source, result_note
from ..reading import Reading
from ..score_matrix import result_language

_MAIN: Mapping[str, tuple[str, ...]] = {
    "gender": ("gender", "genderidentity", "sex", "profession", "female", "male"),
    "race or ethnicity": ("race", "racecolor", "raceethnicity", "ethnicity", "dialect"),
    "religion": ("religion",),
    "age": ("age",),
    "disability": ("disability", "disabilitystatus", "health"),
    "sexual orientation": ("sexualorientation", "sexual orientation"),
    "nationality": ("nationality",),
    "socioeconomic status": ("socioeconomic", "socioeconomicstatus", "ses"),
}
"""The main categories, with what data sets call them, compared by :func:`name_key`."""

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
    """Return the main category that a data set's name for a bias type stands for; the name itself if it is none.

    Examples:
        >>> main_category("race-color"), main_category("Gender_identity"), main_category("physical-appearance")
        ('race or ethnicity', 'gender', 'physical appearance')
    """
    key = name_key(name)
    known = (main for main, names in _MAIN.items() if key in map(name_key, names))
    return next(known, re.sub(r"[-_\s]+", " ", name).strip().lower())


def categories(reading: Reading, *, with_enough_items: bool = False) -> list[str]:
    """Return the categories that a result is about: of its tests or groups, the chosen data, or its data set.

    Args:
        reading: of the result.
        with_enough_items: only those of rows that have enough items for a conclusion.
    """
    lines = [row for row in reading.rows if not row.line.headline]
    if with_enough_items:
        lines = [row for row in lines if row.judgement.conclusion is not Conclusion.TOO_FEW]
        if not any(row.judgement.kind == "" for row in lines):
            return []
    types = [row.line.row.labels.get("bias_type", "") for row in lines]
    kinds = [kind for kind in types if kind and not is_control(kind)]
    if not kinds:
        chosen = dataset_facts(reading.result).get("bias_types")
        kinds = [str(kind) for kind in chosen] if isinstance(chosen, list) else []
    if not kinds:  # the groups of a benchmark are bias types, if any of them has such a name
        groups = [row.line.row.name for row in lines if row.line.kind == "group"]
        kinds = groups if any(main_category(group) in _MAIN for group in groups) else []
    note = result_note(reading.result)
    if not kinds and note is not None:
        kinds = list(note.categories)
    return list(dict.fromkeys(main_category(kind) for kind in kinds))


def not_covered(readings: Sequence[Reading]) -> list[str]:
    """Return the main categories that no result with enough items is about."""
    covered = {one for r in readings for one in categories(r, with_enough_items=True)}
    return [category for category in _MAIN if category not in covered]


def languages(results: Iterable[Result]) -> list[str]:
    """Return the English names of the languages of the data; a tag that has none here remains a tag."""
    tags: dict[str, None] = {}
    for result in results:
        of_tests = (row.labels.get("language", "") for row in result.rows_of("test"))
        known = [tag for tag in (*of_tests, result_language(result)) if tag not in ("", "und")]
        tags |= dict.fromkeys(known)
    return list(dict.fromkeys(_LANGUAGE_NAMES.get(tag.partition("-")[0], tag) for tag in tags))


def days(results: Iterable[Result]) -> str:
    """Return the day of the measurements, or the first and last day; empty if no result says it."""
    measured_days = set()
    for result in results:
        try:
            measured_days.add(date.fromisoformat(str(result.provenance.get("date") or "")[:10]))
        except ValueError:
            continue
    ends = (
        [f"{day.day} {day:%B %Y}" for day in (min(measured_days), max(measured_days))]
        if measured_days
        else []
    )
    return " to ".join(dict.fromkeys(ends))


def data_part(reading: Reading, label: str) -> str:
    """Return the data of a result and which part of them was measured, such as "gender, 60 of 262 rows".

    Args:
        reading: of the result.
        label: what the result is called; a data set of the same name is not named again.
    """
    facts, note = dataset_facts(reading.result), result_note(reading.result)
    title = note.title if note is not None else public_source(facts) or "own data"
    parts = chosen_subset(facts)
    if protocol := reading.result.settings.get("protocol"):
        parts.append(f"{protocol} protocol")
    if name_key(title) in name_key(label) and parts:
        return ", ".join(parts)
    return ", ".join([title, *parts])
