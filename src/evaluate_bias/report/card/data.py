"""The part of the bias section on the data: which they are, what identifies them, and what is wrong with them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ...data.recipes import record_of
from ...result import Result
from ..data_facts import data_sources, public_source, result_notes
from ..escape import markdown
from ..lines import Line, measures_tests, model_name
from .markup import names
from .texts import CardText, data_title

__all__ = ["data_caveats", "data_lines"]

_UNKNOWN = ("", "und")


def data_lines(text: CardText, results: Sequence[Result], lines: Sequence[Line]) -> list[str]:
    """Return what the data of one method's results are, one line per fact."""
    out = []
    for result in results:
        own = _own(result, lines)
        main, *others = data_sources(result)
        facts = {"dataset": _identity(text, main, own), "n": result.n, "names": names(own)}
        out.append((text.data_tests if measures_tests(result) else text.data_units).format(**facts))
        out += [f"{_identity(text, facts)}." for facts in others]
        if not result_notes(result):
            out.append(text.data_not_validated)
    out += _origins(text, lines)
    if controls := [r for r in lines if r.control]:
        out.append(text.baseline.format(names=names(controls)))
    found, asked = (sum(getattr(r.coverage, name) for r in results) for name in ("found", "asked"))
    if found < asked:
        out.append(text.coverage_gap.format(found=found, asked=asked))
    return list(dict.fromkeys(out))


def data_caveats(text: CardText, result: Result) -> list[str]:
    """Return what to know about the data behind a result, as Markdown."""
    out = []
    for note in result_notes(result):
        caveats = [markdown(text.own(c)) for c in note.caveats]
        out += [f"**{c}**" for c in caveats] if note.illustrative else caveats
    return out


def _own(result: Result, lines: Sequence[Line]) -> list[Line]:
    """The tests of one result among those of several."""
    tests = {(row.name, row.labels.get("language", "")) for row in result.rows_of("test")}
    return [
        r
        for r in lines
        if r.model == model_name(result) and (r.name.removesuffix(f" ({r.language})"), r.language) in tests
    ]


def _identity(text: CardText, facts: Mapping[str, Any], lines: Sequence[Line] = ()) -> str:
    """Name and language, and whether nothing pins the data; where the lines name their languages, these count."""
    source, note = public_source(facts), record_of(facts)
    languages = [
        language for language in dict.fromkeys(r.language for r in lines) if language not in _UNKNOWN
    ]
    if not languages and (language := str(facts.get("language") or "")) not in _UNKNOWN:
        languages = [language]
    spoken = text.data_language.format(language=markdown(", ".join(languages)))
    if not languages:
        spoken = text.data_no_language
    if not source:
        return f"{text.data_unknown}, {spoken}"
    title = source if note is None else data_title(text, note)
    parts = [markdown(title if title == source else f"{title} ({source})"), spoken]
    return ", ".join(parts if _pinned(facts) else [*parts, text.data_unpinned])


def _pinned(facts: Mapping[str, Any]) -> bool:
    """Whether a revision or checksum, which the settings have, pins the data or all their parts."""
    parts = facts.get("configs")
    if isinstance(parts, Sequence) and not isinstance(parts, str):
        return any(_pinned(part) for part in parts if isinstance(part, Mapping))
    return str(facts.get("revision") or "") not in ("", "unknown") or isinstance(facts.get("sha256"), str)


def _origins(text: CardText, lines: Sequence[Line]) -> list[str]:
    known = {
        "paper": text.origin_paper,
        "translated, not validated by native speakers": text.origin_translated,
        "given by the caller": text.origin_caller,
    }
    found = {}
    for origin in dict.fromkeys(filter(None, (r.labels.get("origin") for r in lines))):
        own = [r for r in lines if r.labels.get("origin") == origin]
        named = text.all_of_them if 1 < len(own) == len(lines) else names(own)
        found[origin] = known.get(origin, text.origin_other).format(names=named, origin=markdown(str(origin)))
    return list(found.values())
