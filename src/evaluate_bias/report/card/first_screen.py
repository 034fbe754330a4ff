"""The first screen of the bias section: what was found, in which direction, how sure, and on what."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from operator import itemgetter
from typing import Any

from ...text import name_list, p_phrase
from ..compare.change import Change, ChangeVerdict
from ..compare.comparison import Comparison
from ..escape import Markdown, markdown
from ..lines import score_name, short_title
from ..numbers import decimals, score_cell
from ..plots.forest import glance_marks
from ..reading import Reading, measured_on
from ..score_matrix import distinguishing_suffixes
from ..table import Table, TableColumn
from ..trust import TrustVerdict, trust
from ..verdict import Verdict
from .settings import score_title

_NBSP = "\u00a0"
_ROWS = 6
"""More rows than this are folded away, with the details of all methods."""
_FINDINGS, _WORDS = 2, 48
"""At most so many findings are said in full, and of two long ones the surer one only."""
_NAMES, _DATA = 4, 2
_ORDER = list(Verdict)
_SUMMED_UP = {
    Verdict.ONLY_BEFORE: "Found only before adjusting: {}.",
    Verdict.UNDECIDED: "Undecided, because p-value and interval disagree: {}.",
    Verdict.OPTION_ORDER: "Answers follow option order, so nothing follows from the score: {}.",
    Verdict.ALL_EQUAL: "Nothing to test, since no item differs: {}.",
    Verdict.NOT_FOUND: 'Not found: {}. "Not found" does not mean "absent".',
}
"""The sentences that results of one verdict share."""

CHANGE_LINE = re.compile(
    r"- (?:\*\*Changed since .+:\*\* .+\."
    r"|No change since .+ was found \(scores compared: .+\); that does not prove that there was none\."
    r"|Changes since .+ could not be tested; `evaluate-bias compare` says why\.)"
)
"""A line that says what changed since earlier results, as :func:`first_screen` writes it."""


def first_screen(
    readings: Sequence[Reading], picture: str, change: Comparison | None = None
) -> dict[str, Any]:
    """Say in at most 12 lines and 150 words, a table and a picture what was measured.

    Returns:
        For the template: ``lead``, whose bias was measured on what; ``sentences``, what was found, and what was not;
        ``table``, and in ``more`` what does not fit and is folded; ``picture``, the name of its file, and ``marks``,
        what it shows.
    """
    labels = short_labels(readings)
    # Where there is no place for all, what was found comes first.
    label_pairs = list(zip(readings, labels, strict=True))
    if len(readings) > _ROWS:
        label_pairs.sort(key=lambda pair: _ORDER.index(pair[0].verdict))
    marks = glance_marks([r for r, _ in label_pairs[:_ROWS]], [label for _, label in label_pairs[:_ROWS]])
    models = dict.fromkeys(f"**{markdown(r.model)}**" for r in readings)
    data = list(dict.fromkeys(markdown(r.data) for r in readings))
    of_data = ", ".join(data) if len(data) <= _DATA else f"{len(data)} data sets"
    score = f"{score_title([r.line for r in readings])} (ideal)"
    return {
        "lead": Markdown(measured_on(", ".join(models), of_data)),
        "sentences": [Markdown(s) for s in _sentences(readings, labels, change)],
        "table": _table(label_pairs[:_ROWS], score),
        "more": _table(label_pairs[_ROWS:], score),
        "picture": picture,
        "marks": marks,
    }


def short_labels(readings: Sequence[Reading]) -> list[str]:
    """A label for each result: its method and, if these are several, the model, then the score or settings."""
    models = len({r.model for r in readings}) > 1
    names = [f"{r.short} · {r.model}" if models else r.short for r in readings]
    for more in (
        [f" ({score_name(r.result)})" for r in readings],
        distinguishing_suffixes([r.result for r in readings]),
    ):
        pairs = list(zip(names, more, strict=True))
        names = [
            name + one if len({text for n, text in pairs if n == name}) > 1 else name for name, one in pairs
        ]
    return names


def _table(readings: Sequence[tuple[Reading, str]], score: str) -> Markdown:
    """Method, verdict and score of each result; empty where there is none."""
    columns: tuple[TableColumn[tuple[Reading, str]], ...] = (
        TableColumn("Method", itemgetter(1)),
        TableColumn("Verdict", lambda pair: pair[0].word),
        TableColumn(score, lambda pair: _score(pair[0])),
    )
    return Markdown(Table(columns, readings).to_markdown() if readings else "")


def _score(reading: Reading) -> Markdown:
    line = reading.line
    return Markdown(markdown(f"{score_cell(line.row)} ({line.ideal:.3g})").replace(", ", f",{_NBSP}"))


def _sentences(
    readings: Sequence[Reading], labels: Sequence[str], change: Comparison | None
) -> Iterable[str]:
    label_pairs = list(zip(readings, map(markdown, labels), strict=True))
    findings = sorted(((r, name) for r, name in label_pairs if r.found), key=lambda pair: pair[0].decisive_p)
    if len(label_pairs) == 1:
        findings = label_pairs
    n_sentences = 1 if sum(len(r.finding.split()) for r, _ in findings[:_FINDINGS]) > _WORDS else _FINDINGS
    for reading, name in findings[:n_sentences]:
        what = f" ({markdown(reading.looks_at)})" if reading.looks_at else ""
        yield f"**{name}**{what}: {markdown(reading.finding)}"
    if more := [name for _, name in findings[n_sentences:]]:
        yield f"Also found: {name_list(more, _NAMES)}."
    for verdict, sentence in _SUMMED_UP.items() if len(label_pairs) > 1 else ():
        if names := name_list([name for r, name in label_pairs if r.verdict is verdict], _NAMES):
            yield sentence.format(names)
    if any(r.line.headline for r in readings):
        yield "In brackets: the ideal value; for the mean of several effect sizes, what chance alone gives."
    if len(label_pairs) > 1 and not findings and all(r.verdict is Verdict.TOO_FEW for r in readings):
        yield "**Too few items for any finding:** whatever they show, no p-value could fall below 5%."
    if change is not None:
        yield from _changes(change, {r.result.method for r in readings})
    if any(r.verdict is Verdict.MEASUREMENT for r in readings):
        yield from _trust(readings, labels)


def _changes(change: Comparison, methods: Collection[str]) -> Iterable[str]:
    """One line for each change since earlier results that was found, the surest first, or that there is none."""
    same = change.first.removesuffix(" (first)") == change.second.removesuffix(" (second)")
    earlier = "the earlier results" if same else f"**{markdown(change.first)}**"
    tested = [c for c in change.changes if c.p_holm is not None and c.method in methods]
    if not tested:
        return [f"Changes since {earlier} could not be tested; `evaluate-bias compare` says why."]
    shown_changes = sorted((c for c in tested if c.found), key=lambda c: c.p_holm or 0.0)
    if not shown_changes:
        unproven = "that does not prove that there was none"
        return [f"No change since {earlier} was found (scores compared: {len(tested)}); {unproven}."]
    lines = [f"**Changed since {earlier}:** {_change(c)}" for c in shown_changes[:_FINDINGS]]
    if len(shown_changes) > _FINDINGS:
        lines[-1] += f"; and {len(shown_changes) - _FINDINGS} more"
    return [f"{line}." for line in lines]


def _change(c: Change) -> str:
    """One change in words: scores, certainty and direction."""
    p = p_phrase(c.p_holm or 0.0)
    p = p if c.p_holm == c.p_value else f"adjusted {p}"
    part = "" if c.kind == "overall" else f" {markdown(c.name)}"
    scores = f"{decimals(c.first)} → {decimals(c.second)}{c.decided_in_both} ({p})".replace(" ", _NBSP)
    way = {
        ChangeVerdict.NEARER: ", nearer to the ideal value",
        ChangeVerdict.FURTHER: ", further from the ideal value",
        ChangeVerdict.PASSED: ", past the ideal value",
    }.get(c.verdict, "")
    return f"{markdown(short_title(c.method))}{part} {scores}{way}"


def _trust(readings: Sequence[Reading], labels: Sequence[str]) -> Iterable[str]:
    """How far each score can be relied on, in one sentence; worth a line where something was measured of that."""
    labels_of: dict[TrustVerdict, list[str]] = {verdict: [] for verdict in TrustVerdict}
    for label, head in zip(labels, trust([r.result for r in readings]).heads, strict=True):
        if head is not None:
            labels_of[head.verdict].append(markdown(label))
    parts = [
        f"**{verdict.value}** {name_list(names, _NAMES)}" for verdict, names in labels_of.items() if names
    ]
    if parts:
        yield f"How far to rely on it: {'; '.join(parts)}."
