"""What the HTML page says about each score, each result and each method, as plain values for its template."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ...registry import METHODS
from ...result import Result
from ..data_facts import data_sources, data_titles, public_source, result_notes
from ..escape import looks_like_path, one_line, public_name
from ..lines import (
    ALL_TESTS,
    Line,
    declared_secondary,
    lines_by_result,
    method_title,
    model_name,
    of_decided,
    report_lines,
    score_name,
    score_scale,
)
from ..numbers import ci_cell, decimals, estimate_cell, p_cell, plain_p, score_cell
from ..score_matrix import score_matrix
from ..trust import TrustRow, trust
from ..verdict import FOUND, Verdict, line_verdict, result_verdict

__all__ = ["MethodPart", "ResultPart", "ScoreRow", "method_parts", "result_parts", "score_rows", "tally"]

LISTED = 200
"""At most so many left-out things are listed one by one."""
_LONGEST = 300

WORDS: Mapping[Verdict, str] = {
    Verdict.FOUND: "found",
    Verdict.FOUND_IN_PART: "found in part",
    Verdict.ONLY_BEFORE: "only before adjusting",
    Verdict.UNDECIDED: "undecided",
    Verdict.NOT_FOUND: "not found",
    Verdict.INTERVAL_EXCLUDES: "interval excludes the ideal",
    Verdict.INTERVAL_INCLUDES: "interval includes the ideal",
    Verdict.AT_EDGE: "no p-value",
    Verdict.NO_INFERENCE: "neither p-value nor interval",
    Verdict.TOO_FEW: "too few units",
    Verdict.CONTROL: "control",
    Verdict.MEASUREMENT: "about the measurement",
    Verdict.ILLUSTRATIVE: "illustrative data",
}
"""Verdicts in a cell of a table."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreRow:
    """One line of a table of scores; ``…_sort`` are numbers to sort by, ``None`` where there is none."""

    anchor: str
    model: str
    method: str
    name: str
    label: str
    language: str
    overall: bool
    score: float
    score_text: str
    interval: str
    p: str
    p_sort: float | None
    adjusted: str
    adjusted_sort: float | None
    n: int | None
    coverage: str
    coverage_sort: float | None
    ideal: str
    verdict: str
    found: bool
    trust: str = ""
    reason: str = ""
    secondary: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ResultPart:
    """What the page says about one result.

    Attributes:
        anchor: of its place in the page.
        title: method, model and language, or what else tells it from others.
        method: registry name of the method.
        headline: score with interval and verdict.
        rows: its tests or groups.
        secondary: names of the secondary values that they have.
        facts: how interval and p-value were made, what was covered.
        warnings: of the measurement.
        skipped: what was left out, with where and why.
        more_skipped: how many more there are.
        settings, provenance: by name.
    """

    anchor: str
    title: str
    method: str
    headline: str
    rows: tuple[ScoreRow, ...]
    secondary: tuple[str, ...]
    facts: tuple[tuple[str, str], ...]
    warnings: tuple[str, ...]
    skipped: tuple[tuple[str, str, str], ...]
    more_skipped: int
    settings: tuple[tuple[str, str], ...]
    provenance: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class MethodPart:
    """What to know about a method and its data before quoting a score."""

    title: str
    name: str
    summary: str
    scale: str
    reading: str
    p_value: str
    caveats: tuple[str, ...]
    secondary: tuple[tuple[str, str], ...]
    paper: str
    url: str


def score_rows(results: Sequence[Result]) -> list[list[ScoreRow]]:
    """Return the lines of each result, with how far to trust each where that can be said."""
    table = trust(results)
    return [
        _score_rows(f"result-{i}", lines, head, own)
        for i, (lines, head, own) in enumerate(
            zip(lines_by_result(results), table.heads, table.by_result, strict=True), 1
        )
    ]


def _score_rows(
    anchor: str, lines: Sequence[Line], head: TrustRow | None, trusted: Sequence[TrustRow]
) -> list[ScoreRow]:
    """The lines of one result; ``head`` is how far to trust its tests together, ``trusted`` each other line."""
    rows, declared, others = [], declared_secondary(lines), iter(trusted)
    for line, decided in zip(lines, of_decided(lines), strict=True):
        verdict = Verdict.MEASUREMENT if line.direction == "higher_is_more_robust" else line_verdict(decided)
        if line.headline:
            verdict = result_verdict(of_decided(lines)).verdict
        judged = head if line.headline else next(others, None)
        coverage = line.coverage
        rows.append(
            ScoreRow(
                anchor=anchor,
                model=line.model,
                method=line.method,
                name=one_line(line.name),
                label=one_line(line.label),
                language=one_line(line.language),
                overall=line is lines[0],
                score=line.score,
                score_text=decimals(line.score),
                interval=ci_cell(line),
                p=p_cell(line),
                p_sort=line.p_value,
                adjusted=plain_p(line.p_adjusted),
                adjusted_sort=line.p_adjusted,
                n=line.n,
                coverage="—" if coverage is None else f"{coverage.found}/{coverage.asked}",
                coverage_sort=None if coverage is None else coverage.share,
                ideal=f"{line.ideal:.4g}",
                verdict=WORDS[verdict],
                found=verdict in FOUND,
                trust=judged.verdict.value if judged else "",
                reason=judged.reason if judged else "",
                secondary=tuple(estimate_cell(line.estimates.get(s.key)) for s in declared),
            )
        )
    return rows


def tally(results: Sequence[Result]) -> list[tuple[str, int]]:
    """Return how many results got which verdict, in the order in which verdicts are listed."""
    given = [result_verdict(of_decided(lines)).verdict for lines in lines_by_result(results)]
    return [(word, given.count(verdict)) for verdict, word in WORDS.items() if verdict in given]


def result_parts(results: Sequence[Result], rows: Sequence[Sequence[ScoreRow]]) -> list[ResultPart]:
    """Return what the page says about each result, whose lines are given."""
    matrix = score_matrix(results)
    labels = {i: matrix.measurements[j].label for (_, j), i in matrix.cells.items()}
    parts = zip(results, lines_by_result(results), rows, strict=True)
    return [
        _result_part(result, lines, own, labels[i].removeprefix(result.method))
        for i, (result, lines, own) in enumerate(parts)
    ]


def _result_part(result: Result, lines: Sequence[Line], rows: Sequence[ScoreRow], apart: str) -> ResultPart:
    """``apart``: what tells the measurement from others by the same method."""
    first = lines[0]
    verdict = WORDS[result_verdict(of_decided(lines)).verdict]
    where = apart or (f" ({first.language})" if first.language else "")
    skipped = [
        (one_line(s.item)[:_LONGEST], one_line(s.where)[:_LONGEST], one_line(s.reason)[:_LONGEST])
        for s in result.skipped[:LISTED]
    ]
    return ResultPart(
        anchor=rows[0].anchor,
        title=f"{method_title(result.method)} on {first.model}{where}",
        method=result.method,
        headline=f"{score_cell(first)}, {verdict}",
        rows=tuple(rows),
        secondary=tuple(s.title for s in declared_secondary(lines)),
        facts=tuple(_facts(result, first)),
        warnings=tuple(one_line(w) for w in result.warnings),
        skipped=tuple(skipped),
        more_skipped=len(result.skipped) - len(skipped),
        settings=tuple(_flat(result.settings)),
        provenance=tuple(_provenance(result)),
    )


def _facts(result: Result, first: Line) -> Iterable[tuple[str, str]]:
    yield "Range", f"{score_scale([dataclasses.replace(first, headline=False)])}; {result.direction_text}"
    yield "Units", f"{result.n}" + (f", {result.ties} of them ties" if result.ties else "")
    if result.coverage.asked:
        yield "Coverage", f"{result.coverage.found} of {result.coverage.asked} ({result.coverage.share:.1%})"
    if result.ci_method:
        yield f"{100 * result.ci_level:g}% interval", one_line(result.ci_method)
    if result.p_method:
        yield "p-value", one_line(result.p_method)
    if titles := data_titles([result]):
        yield "Data", "; ".join(one_line(t) for t in titles)


def _provenance(result: Result) -> Iterable[tuple[str, str]]:
    yield "model", model_name(result)
    for facts in data_sources(result):
        if source := public_source(facts):
            yield "data", source
    yield from _flat(result.provenance)


def _flat(facts: Mapping[str, Any], before: str = "") -> Iterable[tuple[str, str]]:
    """Names and values in one list; of paths only their last part, as they tell about someone's machine."""
    for key, value in facts.items():
        name = f"{before}{one_line(str(key))}"
        if isinstance(value, Mapping):
            yield from _flat(value, f"{name}.")
            continue
        text = (
            _public(value) if isinstance(value, str) else json.dumps(_public_parts(value), ensure_ascii=False)
        )
        yield name, text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"


def _public_parts(value: Any) -> Any:
    if isinstance(value, list):
        return [_public_parts(v) for v in value]
    return _public(value) if isinstance(value, str) else value


def _public(text: str) -> str:
    shown = one_line(text)
    return public_name(shown) if looks_like_path(shown) else shown


def method_parts(results: Sequence[Result]) -> list[MethodPart]:
    """Return what to know about each method, with the caveats of the data it was used on."""
    parts, lines = [], report_lines(results)
    for method in dict.fromkeys(r.method for r in results):
        own = [r for r in results if r.method == method]
        record, first = METHODS.get(method), own[0]
        scored = [line for line in lines if line.method == method]
        reading = record.interpretation if record else f"{first.direction_text.capitalize()}."
        if record and record.aggregation and any(line.headline for line in scored):
            reading += f" {ALL_TESTS.capitalize()}: {record.aggregation}"
        of_data = dict.fromkeys(c for r in own for note in result_notes(r) for c in note.caveats)
        parts.append(
            MethodPart(
                title=method_title(method),
                name=method,
                summary=record.summary if record else "",
                scale=f"{score_name(method)}, {score_scale(scored)}",
                reading=reading,
                p_value=record.p_value.meaning
                if record and record.p_value and "{" not in record.p_value.meaning
                else "",
                caveats=(*of_data, *(record.caveats if record else ())),
                secondary=tuple((s.title, s.meaning) for s in record.secondary) if record else (),
                paper=record.paper if record else "",
                url=record.url if record else "",
            )
        )
    return parts
