"""The first screen of the bias section: what was found, in which direction, how sure, and on what."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from ...text import p_phrase
from ..compare.change import Change
from ..compare.comparison import Comparison
from ..data_facts import dataset_facts
from ..escape import Markdown, markdown
from ..lines import short_title
from ..numbers import decimals, score_cell
from ..reading import Reading
from ..texts import CardText
from ..trust import trust
from ..trust_rules import TrustVerdict
from ..verdict import Verdict
from .score_picture import ChartMark, marks_of, text_chart
from .score_table import score_title

_NBSP = "\u00a0"
_ROWS = 6
"""More rows than this are folded away, with the details of all methods."""
_FINDINGS, _WORDS = 2, 48
"""At most so many findings are said in full, and of two long ones the surer one only."""
_NAMES, _DATA = 4, 2
_ORDER = list(Verdict)


SummaryRow = tuple[str, str, Markdown]
"""Method, verdict and score of one result."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FirstScreen:
    """What is seen before anything is opened.

    Attributes:
        lead: whose bias was measured on what.
        sentences: what was found, and what was not.
        rows, more_rows: the table; what does not fit is folded.
        column: heading of the scores.
        picture: file name of the picture beside the card, empty where there is none.
        chart: lines of a chart in text, where no file can go.
        marks: what picture or chart show.
    """

    lead: Markdown
    sentences: Sequence[Markdown]
    rows: Sequence[SummaryRow]
    more_rows: Sequence[SummaryRow]
    column: str
    picture: str
    chart: Sequence[Markdown]
    marks: Sequence[ChartMark]


def first_screen(
    text: CardText, readings: Sequence[Reading], picture: str, change: Comparison | None = None
) -> FirstScreen:
    """Say in at most 12 lines and 150 words, a table and a picture what was measured."""
    labels = short_labels(readings)
    # Where there is no place for all, what was found comes first.
    named = list(zip(readings, labels, strict=True))
    if len(readings) > _ROWS:
        named.sort(key=lambda pair: _ORDER.index(pair[0].verdict))
    rows = [_row(text, reading, label) for reading, label in named]
    marks = marks_of([r for r, _ in named[:_ROWS]], [label for _, label in named[:_ROWS]])
    models = dict.fromkeys(f"**{markdown(text.known(r.model) or r.model)}**" for r in readings)
    data = list(dict.fromkeys(markdown(r.data) for r in readings))
    of_data = ", ".join(data) if len(data) <= _DATA else text.data_sets.format(n=len(data))
    return FirstScreen(
        lead=Markdown(text.first_measured.format(models=", ".join(models), data=of_data)),
        sentences=[Markdown(s) for s in _sentences(text, readings, labels, change)],
        rows=rows[:_ROWS],
        more_rows=rows[_ROWS:],
        column=f"{score_title(text, [r.head.line for r in readings])} ({text.column_ideal.lower()})",
        picture=picture,
        chart=() if picture else [Markdown(line) for line in text_chart(marks, text)],
        marks=marks,
    )


def short_labels(readings: Sequence[Reading]) -> list[str]:
    """What each result is called: its method, and, where these are several, the model and the language of the data."""
    models = len({r.model for r in readings}) > 1
    names = [f"{r.short} · {r.model}" if models else r.short for r in readings]
    languages = [str(dataset_facts(r.result).get("language") or "") for r in readings]
    return [
        f"{name} ({language})" if language and names.count(name) > 1 and len({*languages}) > 1 else name
        for name, language in zip(names, languages, strict=True)
    ]


def _row(text: CardText, reading: Reading, label: str) -> SummaryRow:
    line = reading.head.line
    score = text.number(score_cell(line)).replace(", ", f",{_NBSP}").replace("; ", f";{_NBSP}")
    return label, reading.word, Markdown(f"{score} ({text.number(f'{line.ideal:.3g}')})")


def _sentences(
    text: CardText, readings: Sequence[Reading], labels: Sequence[str], change: Comparison | None
) -> Iterable[str]:
    named = list(zip(readings, map(markdown, labels), strict=True))
    found = sorted(((r, name) for r, name in named if r.found), key=lambda pair: pair[0].decisive_p)
    if len(named) == 1:
        found = named
    shown = 1 if sum(len(r.finding.split()) for r, _ in found[:_FINDINGS]) > _WORDS else _FINDINGS
    for reading, name in found[:shown]:
        what = f" ({markdown(reading.looks_at)})" if reading.looks_at else ""
        yield text.named(f"**{name}**{what}", markdown(reading.finding))
    if more := [name for _, name in found[shown:]]:
        yield text.also_found.format(names=text.listed(more, _NAMES))
    for verdict in (Verdict.ONLY_BEFORE, Verdict.UNDECIDED, Verdict.NOT_FOUND) if len(named) > 1 else ():
        if own := [name for r, name in named if r.verdict is verdict]:
            yield text.sentences[f"first_{verdict.value}"].format(names=text.listed(own, _NAMES))
    if any(r.head.line.headline for r in readings):
        yield text.first_ideal
    if len(named) > 1 and not found and all(r.verdict is Verdict.TOO_FEW for r in readings):
        yield text.first_too_few
    if change is not None:
        yield from _changes(text, change, {r.result.method for r in readings})
    if any(r.verdict is Verdict.MEASUREMENT for r in readings):
        yield from _trust(text, readings, labels)


def _changes(text: CardText, change: Comparison, methods: Collection[str]) -> Iterable[str]:
    """One line for each change since earlier results that was found, the surest first, or that there is none."""
    same = change.first.removesuffix(" (first)") == change.second.removesuffix(" (second)")
    earlier = text.earlier_results if same else f"**{markdown(change.first)}**"
    tested = [c for c in change.changes if c.p_value is not None and c.method in methods]
    if not tested:
        return [text.first_uncompared.format(earlier=earlier)]
    found = sorted((c for c in tested if c.found), key=lambda c: c.p_holm or 0.0)
    if not found:
        return [text.first_unchanged.format(earlier=earlier, n=len(tested))]
    said = [_change(text, c) for c in found[:_FINDINGS]]
    if len(found) > _FINDINGS:
        said[-1] += f"; {text.more.format(n=len(found) - _FINDINGS)}"
    return [text.first_changed.format(earlier=earlier, change=one) for one in said]


def _change(text: CardText, c: Change) -> str:
    """What changed from what to what, how sure, and in which direction."""
    p = text.number(p_phrase(c.p_holm or 0.0))
    p = p if c.p_holm == c.p_value else text.adjusted_p.format(p=p)
    shown = text.number(f"{decimals(c.first)} → {decimals(c.second)}")
    part = "" if c.kind == "overall" else f" {markdown(c.name)}"
    way = text.sentences.get(f"change_{c.verdict.name.lower()}", "{what} {change}")
    what, change = f"{markdown(short_title(c.method))}{part}", f"{shown} ({p})".replace(" ", _NBSP)
    return way.format(what=what, change=change)


def _trust(text: CardText, readings: Sequence[Reading], labels: Sequence[str]) -> Iterable[str]:
    """How far each score can be relied on, in one sentence; worth a line where something was measured of that."""
    named: dict[TrustVerdict, list[str]] = {verdict: [] for verdict in TrustVerdict}
    for label, head in zip(labels, trust([r.result for r in readings]).heads, strict=True):
        if head is not None:
            named[head.verdict].append(markdown(label))
    words = {verdict: text.sentences[f"trust_{verdict.name.lower()}"] for verdict in TrustVerdict}
    parts = [f"**{words[v]}** {text.listed(names, _NAMES)}" for v, names in named.items() if names]
    if parts:
        yield text.first_trust.format(parts="; ".join(parts))
