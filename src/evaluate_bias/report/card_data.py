"""The part of the bias section on the data: which they are, what identifies them, and what is wrong with them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from ..data.caveats import data_note
from ..result import Result
from .card_markup import names
from .card_texts import CardText, data_text
from .data_facts import data_sources, public_source, result_notes
from .escape import markdown
from .rows import Row, breaks_down_by_test, model_name

__all__ = ["data_lines"]

_UNKNOWN = ("", "und")
_DIGEST = re.compile(r"[0-9a-f]{32,}")
_SHOWN = 12
"""Characters of a checksum or commit that are shown here; the settings have all of them."""


def data_lines(text: CardText, results: Sequence[Result], rows: Sequence[Row]) -> list[str]:
    """Return what to know about the data of one method's results, one line a fact.

    Args:
        text: sentences of the card's language.
        results: results of one method.
        rows: their rows.
    """
    by_test = breaks_down_by_test(results[0].method)
    lines = []
    for result in results:
        own = _own(result, rows)
        main, *others = data_sources(result)
        told = {"dataset": _identity(text, main, own), "n": result.n, "names": names(own)}
        lines.append((text.data_tests if by_test and result.items else text.data_units).format(**told))
        lines += [f"{_identity(text, facts)}." for facts in others]
        if not result_notes(result):
            lines.append(text.data_not_validated)
    for note in {note.name: note for r in results for note in result_notes(r)}.values():
        caveats = [markdown(c) for c in data_text(text, note).caveats]
        lines += [f"**{c}**" for c in caveats] if note.illustrative else caveats
    lines += _origins(text, rows)
    if baselines := [r for r in rows if r.baseline]:
        lines.append(text.baseline.format(names=names(baselines)))
    found, asked = (sum(getattr(r.coverage, name) for r in results) for name in ("found", "asked"))
    if found < asked:
        lines.append(text.coverage_gap.format(found=found, asked=asked))
    return list(dict.fromkeys(lines))


def _own(result: Result, rows: Sequence[Row]) -> list[Row]:
    """The rows of one result among those of several."""
    tests = {(str(item.get("name")), str(item.get("language") or "")) for item in result.items}
    return [
        r
        for r in rows
        if r.model == model_name(result) and (r.name.removesuffix(f" ({r.language})"), r.language) in tests
    ]


def _identity(text: CardText, facts: Mapping[str, Any], rows: Sequence[Row] = ()) -> str:
    """Name, language, and what pins the data; where the rows tell their languages, these count."""
    source, note = public_source(facts), data_note(facts)
    languages = [language for language in dict.fromkeys(r.language for r in rows) if language not in _UNKNOWN]
    if not languages and (language := str(facts.get("language") or "")) not in _UNKNOWN:
        languages = [language]
    spoken = text.data_language.format(language=markdown(", ".join(languages)))
    if not languages:
        spoken = text.data_no_language
    if not source:
        return f"{text.data_unknown}, {spoken}"
    title = source if note is None else data_text(text, note).title
    parts = [markdown(title if title == source else f"{title} ({source})"), spoken]
    if facts.get("repository"):
        parts.append(text.data_from.format(repository=markdown(str(facts["repository"]))))
    if facts.get("split"):
        parts.append(text.data_split.format(split=markdown(str(facts["split"]))))
    return ", ".join([*parts, *(_pins(text, facts) or [text.data_unpinned])])


def _pins(text: CardText, facts: Mapping[str, Any]) -> list[str]:
    """Revision and checksum, of the parts where the data are made of several."""
    parts = facts.get("configs")
    if isinstance(parts, Sequence) and not isinstance(parts, str):
        told = [pin for part in parts if isinstance(part, Mapping) for pin in _pins(text, part)]
        return list(dict.fromkeys(told))
    pins = []
    if (revision := str(facts.get("revision") or "")) not in ("", "unknown"):
        pins.append(text.data_revision.format(revision=markdown(_shortened(revision))))
    if isinstance(facts.get("sha256"), str):
        pins.append(f"sha256 {markdown(_shortened(facts['sha256']))}")
    return pins


def _shortened(pin: str) -> str:
    return pin[:_SHOWN] if _DIGEST.fullmatch(pin) else pin


def _origins(text: CardText, rows: Sequence[Row]) -> list[str]:
    known = {
        "paper": text.origin_paper,
        "translated, not validated by native speakers": text.origin_translated,
        "given by the caller": text.origin_caller,
    }
    return [
        known.get(origin, text.origin_other).format(
            names=names([r for r in rows if r.origin == origin]), origin=markdown(origin)
        )
        for origin in dict.fromkeys(r.origin for r in rows if r.origin)
    ]
