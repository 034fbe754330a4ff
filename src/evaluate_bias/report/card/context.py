"""All that the template of the bias section fills in: what stands on the first screen, and what is folded below it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from ...method import MethodRecord, Secondary
from ...methods.pair_scoring import SCORINGS
from ...result import Result
from ..compare.comparison import Comparison
from ..escape import markdown
from ..lines import ReportRow, annotate, method_title, short_title
from ..reading import Reading, found_means, read_all
from ..texts import CardText, card_text, is_translated, method_text
from .first_screen import FirstScreen, first_screen
from .markup import Markdown, one_of_each, several
from .score_table import score_table, secondary_of, secondary_text
from .settings import (
    LISTED,
    chosen_options,
    common_options,
    data_caveats,
    data_lines,
    driver_lines,
    result_settings,
    shared_settings,
    skipped_lines,
)

Level = Literal["summary", "full"]
Part = tuple[str, Sequence[Markdown]]
"""Title and lines of a paragraph or list; left out where it has no lines."""

_SUMMARY_NOTES = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class MethodDetails:
    """What is folded away of one method: what it says before and after its table."""

    title: str
    before: Sequence[Part]
    table: Sequence[Sequence[Markdown]]
    after: Sequence[Part]


@dataclass(frozen=True, slots=True, kw_only=True)
class SectionContext:
    """The whole section; what holds for several methods is said once, in ``shared``."""

    text: CardText
    heading: str
    first: FirstScreen
    methods: Sequence[MethodDetails]
    shared: Sequence[Part]


def section_context(
    text: CardText,
    results: Sequence[Result],
    level: Level,
    heading: int,
    picture: str,
    change: Comparison | None = None,
) -> SectionContext:
    """Gather what a section on these results says."""
    full = level == "full"
    readings = read_all(results, text)
    options = [r.settings if full else chosen_options(r) for r in results]
    common = common_options(options)
    said: dict[str, dict[str, list[str]]] = {"limits": {}, "notes": {}, "secondary": {}, "settings": {}}
    by_method: dict[str, list[Reading]] = {}
    for reading, chosen in zip(readings, options, strict=True):
        result, name = reading.result, reading.result.method
        by_method.setdefault(name, []).append(reading)
        own = {k: v for k, v in chosen.items() if k not in common}
        said["limits"].setdefault(name, []).extend(data_caveats(text, result))
        said["notes"].setdefault(name, []).extend(map(markdown, result.warnings))
        said["settings"].setdefault(name, []).extend(result_settings(text, result, own))
    for name, of_method in by_method.items():
        if (words := method_text(text, name)) is not None:
            said["limits"][name] += map(markdown, words.caveats)
        meanings = (
            text.named(markdown(s.title), markdown(s.meaning)) for s in _values(text, of_method, full)
        )
        said["secondary"][name] = [*meanings]
    shared = {key: _shared(text, sentences) for key, sentences in said.items()}
    apart = {key: {n: [s for s in own[n] if s not in shared[key]] for n in own} for key, own in said.items()}
    first = first_screen(text, readings, picture, change)
    robust = [r.direction == "higher_is_more_robust" for r in results]
    limits = [text.not_the_application, *([] if all(robust) else [text.not_absence]), found_means(readings)]
    advice = [*([text.advice_detected] if first.found else []), *text.advice]
    defaults = [] if full else [text.settings_defaults]
    general = (
        (text.limits, [*limits, *shared["limits"].values()]),
        (text.notes, shared["notes"].values()),
        (text.secondary, shared["secondary"].values()),
        (text.recommendations, advice),
        (text.settings, [*shared["settings"].values(), *shared_settings(text, results, common), *defaults]),
    )
    return SectionContext(
        text=text,
        heading="#" * heading,
        first=first,
        methods=[
            _method(text, of_method, {key: own[name] for key, own in apart.items()}, full=full)
            for name, of_method in by_method.items()
        ],
        shared=_parts(general),
    )


def _method(
    text: CardText, readings: Sequence[Reading], said: Mapping[str, Sequence[str]], *, full: bool
) -> MethodDetails:
    """What is said of one method; ``said`` is what no other method says too."""
    results = [r.result for r in readings]
    rows = [row for r in readings for row in r.rows if not row.line.headline]
    lines = [row.published for row in rows]
    words = method_text(text, results[0].method)
    values = _values(text, readings, full)
    # Of groups, those of the summary are those of the whole.
    in_table = full or lines[0].kind != "overall"
    overall = [(r, secondary_text(text, r, values)) for r in lines if r.kind == "overall" and not in_table]
    numbers = [text.named(markdown(r.name), ", ".join(own)) for r, own in overall if own]
    trust = [text.not_size] if results[0].direction == "higher_is_more_robust" else []
    before = (
        ("", [_definition(text, words, results)]),
        (text.reading, [_reading(text, results[0], words, lines)]),
        (text.data, data_lines(text, readings)),
        (text.notes, _cut(text, said["notes"], lines, LISTED if full else _SUMMARY_NOTES)),
        (text.outcome, _outcome(readings)),
    )
    after = (
        (text.secondary, [*numbers, *said["secondary"]]),
        (text.limits, [*trust, *said["limits"]]),
        (text.words, [w for r in results for w in driver_lines(text, r)] if full else ()),
        (text.skipped, skipped_lines(text, results) if full else ()),
        (text.settings, said["settings"]),
    )
    return MethodDetails(
        title=annotate(method_title(results[0].method), lines, text.illustrative_title),
        before=_parts(before),
        table=score_table(text, rows, values if in_table else (), full=full),
        after=_parts(after),
    )


def _parts(parts: Iterable[tuple[str, Iterable[str]]]) -> list[Part]:
    return [(title, one_of_each(lines)) for title, lines in parts]


def _outcome(readings: Sequence[Reading]) -> list[str]:
    """What was found in each result of a method, then what else must be said."""
    several_models = several(r.model for r in readings)
    whose = [f"**{markdown(r.model)}**: " if several_models else "" for r in readings]
    found = [model + markdown(r.finding) for model, r in zip(whose, readings, strict=True)]
    return [*found, *(markdown(remark) for r in readings for remark in r.remarks)]


def _values(text: CardText, readings: Sequence[Reading], full: bool) -> list[Secondary]:
    """The secondary values of a method; in a summary none on illustrative data, from which nothing follows."""
    words = method_text(text, readings[0].result.method)
    lines = [row.published for r in readings for row in r.rows if not row.line.headline]
    if words is None or not (full or any(not r.illustrative for r in lines)):
        return []
    return secondary_of(words.secondary, lines)


def _cut(text: CardText, notes: Sequence[str], lines: Sequence[ReportRow], most: int) -> list[str]:
    """Notes on the whole measurement, which are never cut off, then at most so many on single tests."""
    tests = {markdown(r.name) for r in lines}
    of_tests = [n for n in dict.fromkeys(notes) if n.partition(": ")[0] in tests]
    more = [text.more_in_file.format(n=len(of_tests) - most)] if len(of_tests) > most else []
    return [*(n for n in notes if n not in of_tests), *of_tests[:most], *more]


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


def _definition(text: CardText, words: MethodRecord | None, results: Sequence[Result]) -> str:
    """What the score is, and how the sentences were scored where an option chooses that."""
    if words is None:
        return ""
    ways = dict.fromkeys(str(r.settings.get("scoring")) for r in results)
    how = [text.scored_by.format(how=markdown(text.own(SCORINGS[s]))) for s in ways if s in SCORINGS]
    return " ".join([markdown(words.summary), *how])


def _reading(text: CardText, result: Result, words: MethodRecord | None, lines: Sequence[ReportRow]) -> str:
    if not is_translated(text, result.method):  # no sentence in two languages
        english = card_text("en")
        return text.english_only.format(
            text=_reading(english, result, method_text(english, result.method), lines)
        )
    name = words.name_of(lines[0].score_range) if words is not None else result.method
    low, high = lines[0].score_range
    # With ties, every result has an ideal of its own.
    ideals = dict.fromkeys(f"{r.ideal:.4g}" for r in [r for r in lines if r.kind == "overall"] or lines[:1])
    robust = result.direction == "higher_is_more_robust"
    span = (text.score_range_robust if robust else text.score_range).format(
        score=markdown(name[:1].upper() + name[1:]),
        low="−∞" if low is None else text.number(f"{low:.3g}"),
        high="∞" if high is None else text.number(f"{high:.3g}"),
        ideal=" / ".join(map(text.number, ideals)),
    )
    meaning = markdown(words.interpretation) if words is not None else getattr(text, result.direction)
    return f"{span} {meaning}"
