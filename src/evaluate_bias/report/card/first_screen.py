"""The first screen of the bias section: what was found, in which direction, how sure, and on what."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from ...registry import METHODS
from ...result import Result, format_p
from ...text import name_key
from ..compare.comparison import Change, Comparison
from ..data_facts import dataset_facts, public_source, result_note
from ..escape import markdown
from ..lines import Line, list_names, model_name, of_decided, report_lines
from ..numbers import ci_cell, decimals
from ..sizes import size_in_words
from ..trust import trust
from ..trust_rules import TrustVerdict
from ..verdict import FOUND, ResultVerdict, Verdict, line_verdict, result_verdict
from .chart import Mark, text_chart
from .markup import Markdown, several
from .outcome import size_text
from .settings import Settings
from .texts import CardText, data_title, method_text

__all__ = ["FirstScreen", "SummaryRow", "first_screen", "short_title"]

_NBSP = "\u00a0"
_ROWS = 6
"""More rows than this are folded away, with the details of all methods."""

_MARKS = 12
_PART = 40
"""Characters up to which the name of a part of the data is said with its score."""

_FINDINGS = 2
_NAMES = 3
_ORDER = list(Verdict)


@dataclass(frozen=True, slots=True, kw_only=True)
class SummaryRow:
    """One result in the table of the first screen."""

    method: str
    looks_at: str
    score: Markdown
    interval: Markdown
    verdict: str


@dataclass(frozen=True, slots=True, kw_only=True)
class FirstScreen:
    """What is seen before anything is opened.

    Attributes:
        sentences: two or three, in plain words.
        rows, more_rows: the table; what does not fit is folded.
        interval: heading of its intervals.
        picture: file name of the picture beside the card, empty where there is none.
        chart: lines of a chart in text, where no file can go.
        marks: what picture or chart show.
        found: whether anything was found.
    """

    sentences: Sequence[Markdown]
    rows: Sequence[SummaryRow]
    more_rows: Sequence[SummaryRow]
    interval: str
    picture: str
    chart: Sequence[Markdown]
    marks: Sequence[Mark]
    found: bool


@dataclass(frozen=True, slots=True)
class _Judged:
    """A result with its short name, the line that stands for it, and what may be said of it."""

    result: Result
    short: str
    line: Line
    parts: Sequence[tuple[Line, Verdict]]
    verdict: ResultVerdict


def first_screen(
    text: CardText,
    measured: Sequence[tuple[Result, Sequence[Line]]],
    picture: str,
    change: Comparison | None = None,
) -> FirstScreen:
    """Say in a few sentences, a table and a picture what was measured; at most 40 lines and 300 words."""
    models = several(model_name(r) for r, _ in measured)
    judged = [_judged(text, result, of_decided(lines), models) for result, lines in measured]
    # Where there is no place for all, what was found comes first.
    ranked = sorted(judged, key=lambda j: _ORDER.index(j.verdict.verdict)) if len(judged) > _ROWS else judged
    rows = [_row(text, j) for j in ranked]
    if len(judged) == 1:
        marks = [Mark(r.name, r, v is Verdict.FOUND) for r, v in judged[0].parts[:_MARKS]]
    else:
        marks = [_mark(j) for j in ranked[:_ROWS]]
    levels = {f"{100 * j.line.ci_level:g}" for j in judged if j.line.ci_low is not None}
    one = text.column_interval.format(level=next(iter(levels))) if len(levels) == 1 else ""
    return FirstScreen(
        sentences=[Markdown(s) for s in _sentences(text, judged, change)],
        rows=rows[:_ROWS],
        more_rows=rows[_ROWS:],
        interval=one or text.column_interval_mixed,
        picture=picture,
        chart=() if picture else list(map(Markdown, text_chart(marks, text.number))),
        marks=marks,
        found=any(j.verdict.verdict in FOUND for j in judged),
    )


def _judged(text: CardText, result: Result, lines: Sequence[Line], with_model: bool) -> _Judged:
    of_model = f" · {model_name(result)}" if with_model else ""
    line = lines[0]
    if line.kind == "test" and len(lines) > 1:
        (line,) = of_decided(report_lines([dataclasses.replace(result, rows=())]))
    return _Judged(
        result=result,
        short=short_title(result.method) + of_model,
        line=line,
        parts=[(r, line_verdict(r)) for r in lines],
        verdict=result_verdict(lines),
    )


def _mark(judged: _Judged) -> Mark:
    """A result in the picture, with the groups that were found where the overall score was not."""
    line, verdict = judged.line, judged.verdict.verdict
    parts = [r for r, v in judged.parts if verdict is Verdict.FOUND_IN_PART and v is Verdict.FOUND]
    on_axis = [r.score for r in parts if (r.score_range, r.ideal) == (line.score_range, line.ideal)]
    return Mark(judged.short, line, verdict is Verdict.FOUND, tuple(on_axis))


def _row(text: CardText, judged: _Judged) -> SummaryRow:
    line, record = judged.line, METHODS.get(judged.result.method)
    of_what = () if record is None else (*record.needs, record.data.name)
    looks_at = next((text.looks_at[what] for what in of_what if what in text.looks_at), "")
    if judged.result.direction == "higher_is_more_robust":
        looks_at = text.looks_at["measurement"]
    shown = text.score_and_ideal.format(
        score=text.number(decimals(line.score)), ideal=text.number(f"{line.ideal:.3g}")
    )
    return SummaryRow(
        method=judged.short,
        looks_at=looks_at or "—",
        score=Markdown(shown.replace(" ", _NBSP)),
        interval=Markdown(text.number(ci_cell(line)).replace(" ", _NBSP)),
        verdict=_word(text, judged.verdict, of_tests=_of_tests(judged)),
    )


def _of_tests(judged: _Judged) -> bool:
    """Whether the score is that of several tests together, about which the verdict is not."""
    return len(judged.parts) > 1 and judged.verdict.line.kind == "test"


_OF_NO_TESTS = (Verdict.ILLUSTRATIVE, Verdict.CONTROL, Verdict.TOO_FEW, Verdict.MEASUREMENT)
"""What is said without counting tests."""


def _word(text: CardText, verdict: ResultVerdict, *, of_tests: bool) -> str:
    if of_tests and verdict.verdict not in _OF_NO_TESTS:
        said = Verdict.FOUND if verdict.verdict in FOUND else verdict.verdict
        return text.verdict_of_tests.format(
            k=verdict.k, n=verdict.n, verdict=text.sentences[f"verdict_{said.value}"]
        )
    return text.sentences[f"verdict_{verdict.verdict.value}"].format(k=verdict.k, n=verdict.n)


def _sentences(text: CardText, judged: Sequence[_Judged], change: Comparison | None) -> list[str]:
    models = ", ".join(f"**{markdown(m)}**" for m in dict.fromkeys(model_name(j.result) for j in judged))
    data = list(dict.fromkeys(_data(text, j.result) for j in judged))
    out = [text.first_measured.format(models=models, data=_listed(text, data))]
    found = sorted((j for j in judged if j.verdict.verdict in FOUND), key=_uncertainty)
    if found:
        # The surest come first, and one finding per method before the other side of the first.
        sides = [(j, line) for place in (0, 1) for j in found for line in _sides(j)[place : place + 1]]
        first = {id(j) for j, _ in sides[:_FINDINGS]}
        shown = [(j, line) for j in found for k, line in sides if k is j and id(j) in first]
        findings = [_finding(text, j, line) for j, line in shown]
        count = sum(j.verdict.k for j in found)
        if count > len(shown):
            findings.append(text.more.format(n=count - len(shown)))
        out.append(text.first_found.format(findings="; ".join(findings)))
    elif all(j.verdict.verdict is Verdict.TOO_FEW for j in judged):
        out.append(text.first_too_few)
    else:
        out.append(text.first_nothing)
    if change is not None:
        out += _changes(text, change, {j.result.method for j in judged})
    if any(j.verdict.verdict is Verdict.MEASUREMENT for j in judged):
        out += _trust(text, judged)
    if any(map(_of_tests, judged)):
        out.append(text.first_all_tests)
    if any(j.verdict.verdict is not Verdict.FOUND for j in judged):
        out.append(text.first_open)
    return out


def _changes(text: CardText, change: Comparison, methods: Collection[str]) -> list[str]:
    """One line for each change since earlier results that was found, the surest first, or that there is none."""
    same = change.first.removesuffix(" (first)") == change.second.removesuffix(" (second)")
    earlier = text.earlier_results if same else f"**{markdown(change.first)}**"
    tested = [c for c in change.changes if c.p_value is not None and c.method in methods]
    if not tested:
        return [text.first_uncompared.format(earlier=earlier)]
    found = sorted((c for c in tested if c.found), key=lambda c: c.decisive_p or 0.0)
    if not found:
        return [text.first_unchanged.format(earlier=earlier, n=len(tested))]
    said = [_change(text, c) for c in found[:_FINDINGS]]
    if len(found) > _FINDINGS:
        said[-1] += f"; {text.more.format(n=len(found) - _FINDINGS)}"
    return [text.first_changed.format(earlier=earlier, change=one) for one in said]


def _change(text: CardText, c: Change) -> str:
    """What changed from what to what, how sure, and in which direction."""
    p = text.number(format_p(c.decisive_p or 0.0))
    p = p if c.p_holm is None else text.adjusted_p.format(p=p)
    shown = text.number(f"{decimals(c.first)} → {decimals(c.second)}")
    part = "" if c.kind == "overall" else f" {markdown(c.name)}"
    way = text.change_nearer if c.nearer > 0 else text.change_further
    return way.format(
        what=f"{markdown(short_title(c.method))}{part}", change=f"{shown} ({p})".replace(" ", _NBSP)
    )


def _trust(text: CardText, judged: Sequence[_Judged]) -> list[str]:
    """How far each score can be relied on, in one sentence; worth a line where something was measured of that."""
    words = {
        TrustVerdict.SOLID: text.trust_solid,
        TrustVerdict.FRAGILE: text.trust_fragile,
        TrustVerdict.NOT_MEASURABLE: text.trust_not_measurable,
    }
    named: dict[TrustVerdict, list[str]] = {verdict: [] for verdict in words}
    for own, head in zip(judged, trust([j.result for j in judged]).heads, strict=True):
        if head is not None:
            named[head.verdict].append(markdown(own.short))
    parts = [
        f"**{words[verdict]}** {_listed(text, list(dict.fromkeys(names)))}"
        for verdict, names in named.items()
        if names
    ]
    return [text.first_trust.format(parts="; ".join(parts))] if parts else []


def _uncertainty(judged: _Judged) -> float:
    """The p-value of the surest line that a sentence may speak of; 1 where there is none."""
    return min((1.0 if (p := r.decisive_p) is None else p for r in _sides(judged)), default=1.0)


def _sides(judged: _Judged) -> list[Line]:
    """The lines that sentences speak of: where parts were found on both sides of the ideal, the furthest of each."""
    if judged.verdict.verdict is Verdict.FOUND or list_names(judged.verdict.line):
        return [judged.verdict.line]
    found = [r for r, v in judged.parts if v is Verdict.FOUND and r.kind != "overall"]
    sides = [[r for r in found if r.score > r.ideal], [r for r in found if r.score <= r.ideal]]
    furthest = [max(side, key=lambda r: abs(r.score - r.ideal)) for side in sides if side]
    return sorted(furthest, key=lambda r: -abs(r.score - r.ideal))


def _finding(text: CardText, judged: _Judged, line: Line) -> str:
    """What was found, in which direction and how sure: a clause, then score, interval and p-value."""
    # Of the score of all units nothing more is said; of that of a part, which.
    named = line.kind != "overall" or (line.name not in (text.overall, "overall") and len(line.name) <= _PART)
    where = f"{markdown(line.name)}: " if named else ""
    facts = [text.number(decimals(line.score))]
    if size := size_in_words(line):
        facts.append(size_text(text, size))
    if line.ci_low is not None and line.ci_high is not None:
        facts.append(text.number(ci_cell(line)).replace(" ", _NBSP))
    if line.decisive_p is not None:
        p = text.number(format_p(line.decisive_p))
        facts.append((p if line.p_adjusted is None else text.adjusted_p.format(p=p)).replace(" ", _NBSP))
    return f"{where}{_clause(text, judged, line)} ({markdown(judged.short)} {', '.join(facts)})"


def _clause(text: CardText, judged: _Judged, line: Line) -> str:
    """The direction in words: by what the method's record says of it, else by the lists that a test compares."""
    above = line.score > line.ideal
    words = method_text(text, judged.result.method)
    if words is not None and words.language != text.language:
        words = None  # no sentence in two languages
    if words is not None and (clause := words.above if above else words.below):
        return markdown(clause)
    if compared := list_names(line):
        x, y, a, b = (own or other for own, other in zip(compared, text.list_names, strict=True))
        a, b = (a, b) if above else (b, a)
        return text.associates.format(x=markdown(x), y=markdown(y), a=markdown(a), b=markdown(b))
    p = None if words is None else words.p_value
    if p is not None:
        p = p if line.kind == "overall" or p.parts is None else p.parts
        small = p.small.format_map(Settings(judged.result.settings))
        return markdown(small)
    return text.above_ideal if above else text.below_ideal


def _data(text: CardText, result: Result) -> str:
    facts, note = dataset_facts(result), result_note(result)
    title = data_title(text, note) if note is not None else public_source(facts) or text.own_data
    language = str(facts.get("language") or "")
    return markdown(f"{title} ({language})" if language not in ("", "und") else title)


def _listed(text: CardText, parts: Sequence[str]) -> str:
    shown = list(parts[:_NAMES])
    if len(parts) > _NAMES:
        shown.append(text.more.format(n=len(parts) - _NAMES))
    return ", ".join(shown)


def short_title(method: str) -> str:
    """Return what people call a method: the part of its title that is its registry name, else the title.

    Examples:
        >>> short_title("weat"), short_title("stereoset")
        ('WEAT', 'StereoSet')
    """
    record = METHODS.get(method)
    title = method if record is None else record.title
    parts = re.findall(r"[^\s()]+", title)
    return next((part for part in parts if name_key(part) == name_key(method)), title)
