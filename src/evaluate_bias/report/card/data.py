"""The part of the bias section on the data: which they are, what identifies them, and what is wrong with them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ...data.recipes import record_of
from ...result import Result
from ..data_facts import data_sources, public_source, result_notes
from ..escape import markdown
from ..lines import ReportRow
from ..reading import Reading
from ..texts import CardText, data_title
from .markup import names

__all__ = ["data_caveats", "data_lines"]

_UNKNOWN = ("", "und")


def data_lines(text: CardText, readings: Sequence[Reading]) -> list[str]:
    """Return what the data of one method's results are, one line per fact."""
    out = []
    for reading in readings:
        result = reading.result
        tests = [row.line for row in reading.rows if row.line.kind == "test"]
        main, *others = data_sources(result)
        facts = {"dataset": _identity(text, main, tests), "n": result.n, "names": names(tests)}
        out.append((text.data_tests if tests else text.data_units).format(**facts))
        out += [f"{_identity(text, facts)}." for facts in others]
        if not result_notes(result):
            out.append(text.data_not_validated)
    lines = [row.line for reading in readings for row in reading.rows if not row.line.headline]
    out += _origins(text, lines)
    if controls := [r for r in lines if r.control]:
        out.append(text.baseline.format(names=names(controls)))
    coverage = [reading.result.coverage for reading in readings]
    found, asked = sum(c.found for c in coverage), sum(c.asked for c in coverage)
    if found < asked:
        out.append(text.coverage_gap.format(found=found, asked=asked))
    return out


def data_caveats(text: CardText, result: Result) -> list[str]:
    """Return what to know about the data behind a result, as Markdown."""
    out = []
    for note in result_notes(result):
        caveats = [markdown(text.own(c)) for c in note.caveats]
        out += [f"**{c}**" for c in caveats] if note.illustrative else caveats
    return out


def _identity(text: CardText, facts: Mapping[str, Any], lines: Sequence[ReportRow] = ()) -> str:
    """Name and language, and whether nothing pins the data; where the lines name their languages, these count."""
    source, note = public_source(facts), record_of(facts)
    known = [r.language for r in lines] if any(r.language not in _UNKNOWN for r in lines) else []
    languages = [x for x in dict.fromkeys(known or [str(facts.get("language") or "")]) if x not in _UNKNOWN]
    spoken = text.data_no_language
    if languages:
        spoken = text.data_language.format(language=markdown(", ".join(languages)))
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


def _origins(text: CardText, lines: Sequence[ReportRow]) -> Iterator[str]:
    known = {
        "paper": text.origin_paper,
        "translated, not validated by native speakers": text.origin_translated,
        "given by the caller": text.origin_caller,
    }
    for origin in dict.fromkeys(filter(None, (r.labels.get("origin") for r in lines))):
        own = [r for r in lines if r.labels.get("origin") == origin]
        named = text.all_of_them if 1 < len(own) == len(lines) else names(own)
        yield known.get(origin, text.origin_other).format(names=named, origin=markdown(origin))
