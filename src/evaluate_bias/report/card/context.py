"""All that the template of the bias section fills in: what stands on the first screen, and what is folded below it."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from ...methods.pair_scoring import SCORINGS
from ...result import Result
from ..compare.comparison import Comparison
from ..escape import markdown
from ..lines import Line, lines_by_result, method_title, with_remark
from .data import data_caveats, data_lines
from .first_screen import FirstScreen, first_screen, short_title
from .markup import Markdown, one_of_each
from .outcome import outcome_lines
from .settings import (
    LISTED,
    chosen_options,
    common_options,
    driver_lines,
    result_settings,
    shared_settings,
    skipped_lines,
)
from .tables import Table, overall_values, score_table, secondary_values
from .texts import CardText, MethodText, card_text, method_text

__all__ = ["Level", "MethodPart", "SectionContext", "SharedPart", "section_context"]

Level = Literal["summary", "full"]

_SUMMARY_NOTES = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class MethodPart:
    """What is folded away of one method; what several methods share stands in :class:`SharedPart`."""

    title: str
    definition: Markdown
    data: Sequence[Markdown]
    reading: Markdown
    notes: Sequence[Markdown]
    outcome: Sequence[Markdown]
    table: Table
    values: Sequence[Markdown]
    secondary: Sequence[Markdown]
    limits: Sequence[Markdown]
    words: Sequence[Markdown]
    skipped: Sequence[Markdown]
    settings: Sequence[Markdown]


@dataclass(frozen=True, slots=True, kw_only=True)
class SharedPart:
    """What holds for several methods, each thing once."""

    limits: Sequence[Markdown]
    notes: Sequence[Markdown]
    secondary: Sequence[Markdown]
    recommendations: Sequence[Markdown]
    settings: Sequence[Markdown]


@dataclass(frozen=True, slots=True, kw_only=True)
class SectionContext:
    """The whole section."""

    text: CardText
    heading: str
    first: FirstScreen
    methods: Sequence[MethodPart]
    shared: SharedPart


def section_context(
    text: CardText,
    results: Sequence[Result],
    level: Level,
    heading: int,
    picture: str,
    change: Comparison | None = None,
) -> SectionContext:
    """Gather what a section on these results says."""
    by_result = lines_by_result(results, headline=False)
    measured = [(r, _titled(text, lines)) for r, lines in zip(results, by_result, strict=True)]
    names = list(dict.fromkeys(r.method for r in results))
    chosen = {name: [r for r in results if r.method == name] for name in names}
    lines_of = {name: [line for r, lines in measured if r.method == name for line in lines] for name in names}
    first = first_screen(text, measured, picture, change)
    caveats = {name: _caveats(text, chosen[name]) for name in names}
    notes = {name: _notes(chosen[name]) for name in names}
    values_of = {name: _values(text, name, lines_of[name], level) for name in names}
    meanings = {
        name: [f"{markdown(t)}: {markdown(meaning)}" for _, t, meaning in values_of[name]] for name in names
    }
    common = common_options([_options(r, level) for r in results])
    settings = {
        name: [s for r in chosen[name] for s in result_settings(text, r, _options(r, level), common)]
        for name in names
    }
    shared_caveats, shared_notes, shared_meanings, shared_lines = (
        _shared(text, sentences) for sentences in (caveats, notes, meanings, settings)
    )
    parts = []
    for name in names:
        own = lines_of[name]
        words = method_text(text, name)
        values = values_of[name]
        # Of groups, those of the summary are those of the whole.
        in_table = level == "full" or own[0].kind != "overall"
        limits = [c for c in caveats[name] if c not in shared_caveats]
        if chosen[name][0].direction == "higher_is_more_robust":
            limits.insert(0, text.not_size)
        parts.append(
            MethodPart(
                title=with_remark(method_title(name), own, text.illustrative_title),
                definition=Markdown(_definition(text, words, chosen[name])),
                data=one_of_each(data_lines(text, chosen[name], own)),
                reading=Markdown(_reading(text, chosen[name][0], words, own)),
                notes=_cut(text, [n for n in notes[name] if n not in shared_notes], own, level),
                outcome=one_of_each(outcome_lines(text, words, own, chosen[name][0])),
                table=score_table(
                    text,
                    own,
                    [(i, title) for i, title, _ in values] if in_table else (),
                    full=level == "full",
                ),
                values=[] if in_table else one_of_each(overall_values(text, own, values)),
                secondary=one_of_each(m for m in meanings[name] if m not in shared_meanings),
                limits=one_of_each(limits),
                words=[w for r in chosen[name] for w in driver_lines(text, r)] if level == "full" else (),
                skipped=skipped_lines(text, chosen[name]) if level == "full" else (),
                settings=one_of_each(s for s in settings[name] if s not in shared_lines),
            )
        )
    advice = [text.advice_detected, *text.advice] if first.found else [*text.advice]
    general = [] if all(r.direction == "higher_is_more_robust" for r in results) else [text.not_absence]
    if any(r.p_adjusted is not None for own in lines_of.values() for r in own):
        general.append(text.adjusted)
    shared = SharedPart(
        limits=one_of_each([text.not_the_application, *general, *shared_caveats.values()]),
        notes=one_of_each(shared_notes.values()),
        recommendations=one_of_each(advice),
        secondary=one_of_each(shared_meanings.values()),
        settings=one_of_each(
            [
                *shared_lines.values(),
                *shared_settings(text, results, common),
                *([] if level == "full" else [text.settings_defaults]),
            ]
        ),
    )
    return SectionContext(text=text, heading="#" * heading, first=first, methods=parts, shared=shared)


def _options(result: Result, level: Level) -> Mapping[str, Any]:
    return result.settings if level == "full" else chosen_options(result)


def _titled(text: CardText, lines: Sequence[Line]) -> list[Line]:
    """The lines with the name of the overall score in the card's language."""
    return [
        dataclasses.replace(r, name=r.name.replace("overall", text.overall, 1)) if r.kind == "overall" else r
        for r in lines
    ]


def _caveats(text: CardText, results: Sequence[Result]) -> list[str]:
    """What to know of the data and of the method, as Markdown."""
    words = method_text(text, results[0].method)
    of_method = [] if words is None else [markdown(c) for c in words.caveats]
    return list(dict.fromkeys([*(c for r in results for c in data_caveats(text, r)), *of_method]))


def _values(text: CardText, method: str, lines: Sequence[Line], level: Level) -> list[tuple[int, str, str]]:
    """The secondary values of a method; in a summary none on illustrative data, from which nothing follows."""
    shown = level == "full" or not all(r.illustrative for r in lines)
    return secondary_values(method_text(text, method), lines) if shown else []


def _notes(results: Sequence[Result]) -> list[str]:
    """The warnings of the measurement, as Markdown."""
    return list(dict.fromkeys(markdown(w) for r in results for w in r.warnings))


def _cut(text: CardText, notes: Sequence[str], lines: Sequence[Line], level: Level) -> list[Markdown]:
    """Notes on the whole measurement, which are never cut off, then those on single tests."""
    tests = {markdown(r.name) for r in lines}
    of_tests = [n for n in notes if n.partition(": ")[0] in tests]
    most = LISTED if level == "full" else _SUMMARY_NOTES
    shown = [Markdown(n) for n in (*(n for n in notes if n not in of_tests), *of_tests[:most])]
    if len(of_tests) > most:
        shown.append(Markdown(text.more_in_file.format(n=len(of_tests) - most)))
    return shown


def _shared(text: CardText, sentences: Mapping[str, Sequence[str]]) -> dict[str, str]:
    """What more than one method says, each once with the methods that it holds for where these are not all."""
    holding = {
        sentence: [markdown(short_title(name)) for name, own in sentences.items() if sentence in own]
        for sentence in dict.fromkeys(s for own in sentences.values() for s in own)
    }
    return {
        s: s if len(methods) == len(sentences) else text.holds_for.format(text=s, methods=", ".join(methods))
        for s, methods in holding.items()
        if len(methods) > 1
    }


def _definition(text: CardText, words: MethodText | None, results: Sequence[Result]) -> str:
    """What the score is, and how the sentences were scored where an option chooses that."""
    if words is None:
        return ""
    ways = dict.fromkeys(str(r.settings.get("scoring")) for r in results)
    how = [text.scored_by.format(how=markdown(text.own(SCORINGS[s]))) for s in ways if s in SCORINGS]
    return " ".join([markdown(words.summary), *how])


def _reading(text: CardText, result: Result, words: MethodText | None, lines: Sequence[Line]) -> str:
    if words is not None and words.language != text.language:  # no sentence in two languages
        english = card_text("en")
        return text.english_only.format(
            text=_reading(english, result, method_text(english, result.method), lines)
        )
    low, high = lines[0].score_range
    # With ties, every result has an ideal of its own.
    ideals = dict.fromkeys(f"{r.ideal:.4g}" for r in [r for r in lines if r.kind == "overall"] or lines[:1])
    robust = result.direction == "higher_is_more_robust"
    span = (text.score_range_robust if robust else text.score_range).format(
        score=markdown(words.score_name if words is not None else result.method),
        low="−∞" if low is None else text.number(f"{low:.3g}"),
        high="∞" if high is None else text.number(f"{high:.3g}"),
        ideal=" / ".join(map(text.number, ideals)),
    )
    meaning = markdown(words.interpretation) if words is not None else getattr(text, result.direction)
    return f"{span} {meaning}"
