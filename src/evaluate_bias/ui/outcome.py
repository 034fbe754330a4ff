"""How all pages show what may be said about a result: sentence, tiles, tables and pictures, and what to know of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from markupsafe import Markup

from ..data.word_lists import WORD_LISTS
from ..methods.pair_scoring import SCORINGS
from ..methods.word_lists import ON_AXIS
from ..registry import get_method
from ..report.data_facts import caveats
from ..report.lines import (
    LISTS_IN_SENTENCES,
    SCORE_WITHOUT_TIES,
    declared_secondary,
    driving_words,
    list_names,
)
from ..report.numbers import ci_cell, estimate_cell, procedure, score_text
from ..report.reading import Reading, read, significance_note
from ..report.row_tables import WITH_TIES, result_table, secondary_column
from ..result import Result, Row
from ..text import plain_p
from .parts import (
    column_table,
    draw,
    folded,
    histogram,
    join,
    minus,
    note,
    number,
    page_defaults,
    picture,
    scroll_table,
    short,
)

PICTURED = (ON_AXIS, "value")
"""What pictures of their own show of every word: its place on an axis, its value with an interval."""
_STRONGEST, _FILLS, _ANSWERS = 6, 5, 5
"""How many pairs, filled-in words and answers are shown."""
_NO_VALUE = ("word", "list", "influence", "sentences")
_MAX_SKIPPED_NAMED = 20
"""How many skipped things are named. The others are counted."""
_VERDICTS = {
    "pairs": {
        "more": ("more stereotypical preferred", "2"),
        "neutral": ("equally likely", "0"),
        "less": ("less stereotypical preferred", "1"),
    },
    "items": {
        "stereotype": ("stereotypical option preferred", "2"),
        "tie": ("neither", "0"),
        "anti-stereotype": ("anti-stereotypical option preferred", "1"),
    },
}
"""What to call each verdict on a row, and its colour. "0" is neither side's."""


def data_parts(reading: Reading, rows: Sequence[Any] = ()) -> Markup:
    """Return what only results with such rows show.

    Args:
        reading: what may be said about the result.
        rows: the data that were measured, of which pairs are shown in full.
    """
    result = reading.result
    quick = page_defaults()["quick"].get(result.method, {})
    is_quick = all(result.settings.get(name) == value for name, value in quick.get("options", {}).items())
    scoring = SCORINGS.get(str(result.settings.get("scoring")), "")
    notes = join(
        note(quick.get("note", "") if is_quick else ""),
        note(f"The score of a sentence: {scoring}." if scoring else ""),
    )
    if any(_words(row.details) for row in result.rows):
        # Of a single test, with its words.
        return notes + join(_word_bars(reading), _drivers(reading)) if len(reading.rows) == 1 else notes
    questions = [
        {"question": q["question"], "answer": q.get("answer") or f"not read: {q['reason']}"}
        for q in result.details.get("questions") or ()
    ]
    return notes + join(
        _preferences(result),
        _differences(result, rows),
        _items(result),
        scroll_table("Some questions as they were put, and the answer that was read", questions),
    )


def _words(details: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return what a test says about each of its words."""
    return [word for key in ("words", "attributes") for word in details.get(key) or ()]


def _word_bars(reading: Reading) -> Markup:
    """Draw bars of what the method measured for every word. The details of the words say which number that is."""
    line, roles = reading.line, LISTS_IN_SENTENCES
    given_names = list_names(line.row) or ("",) * len(roles)
    x, y, a, b = (list_name or role for list_name, role in zip(given_names, roles, strict=True))
    entries = _words(line.row.details)
    key = next((k for w in entries for k in w if k not in _NO_VALUE and isinstance(w[k], (int, float))), "")
    words = [w for w in entries if isinstance(w.get(key), (int, float))]
    words.sort(key=lambda w: float(w[key]), reverse=True)
    if not words or key in PICTURED:
        return Markup("")
    # In their own order, so that a list has its colour whichever word comes first.
    lists = sorted({str(w.get("list")) for w in words}, key=lambda n: [*WORD_LISTS, n].index(n))
    names = dict(zip(WORD_LISTS, (x, y, a, b), strict=True))
    series = {str(1 + i % 2): names.get(name, name) for i, name in enumerate(lists[:2])}
    classes = {name: str(1 + i % 2) if len(lists) <= 2 else "0" for i, name in enumerate(lists)}
    rows = [(str(w["word"]), classes[str(w.get("list"))], float(w[key])) for w in words]
    what, below, above = f"The {key.replace('_', ' ')} of every word", "below 0", "above 0"
    if key == "association":
        record = get_method(line.method)
        scale, below, above = "mean log-probability gained next to A minus next to B, from −∞ to ∞", b, a
        if any("embeds" in need for need in record.needs):
            scale = "mean cosine to A minus mean cosine to B, from −2 to 2"
        if record.units and record.units.meaning:
            # The words are from A and B, and they are compared by how near they are to the targets.
            scale, below, above = record.units.meaning, y, x
        what = f"Association of every word: {scale}. Ideal: both groups the same"
    return draw("bars", what, below, above, series if len(lists) <= 2 else {}, rows)


def _drivers(reading: Reading) -> Markup:
    """Return the score without each of the words that push it furthest from 0."""
    line = reading.line
    pushing = driving_words(_words(line.row.details), line.score)
    if not pushing:
        return Markup("")
    without = ", ".join(f"{w['word']} ({number(line.score - float(w['influence']))})" for w in pushing)
    name = get_method(line.method).name_of(line.score_range)
    return note(
        f"These words drive the score most. In brackets the score without the word: {without}. Now the {name} is "
        f"{number(line.score)}."
    )


def _preferences(result: Result) -> Markup:
    """Return how many rows fall on either side, or on neither, or nothing if the rows do not say."""
    counts = Counter(row.details.get("verdict") for row in result.rows_of("item"))
    for what, verdicts in _VERDICTS.items():
        if verdicts.keys() & counts.keys():
            sides = [(title, counts[key], colour) for key, (title, colour) in verdicts.items()]
            title = f"Preferences, in {what}. The dashed line is one half, the ideal"
            return draw("dividedbar", title, [side for side in sides if side[1] or side[2] != "0"])
    return Markup("")


def _differences(result: Result, pairs: Sequence[Any]) -> Markup:
    """Return how the differences between the sentences of pairs are distributed, and the pairs that differ most."""
    deltas = [
        (float(row.details["delta"]), row.name)
        for row in result.rows_of("item")
        if row.details.get("delta") is not None
    ]
    if not deltas:
        return Markup("")
    by_id = {pair.id or str(i): pair for i, pair in enumerate(pairs)}
    scored = [(delta, by_id[name]) for delta, name in deltas if name in by_id]
    scored.sort(key=lambda one: abs(one[0]), reverse=True)
    rows = [
        {
            "Δ (nats)": number(delta),
            "more stereotypical": pair.sent_more,
            "less stereotypical": pair.sent_less,
        }
        for delta, pair in scored[:_STRONGEST]
    ]
    what = f"Differences Δ of all {len(deltas)} pairs: above 0 the more stereotypical sentence is more likely"
    title = "The pairs with the clearest preference (they state offensive stereotypes)"
    return histogram(what, "nats", [delta for delta, _ in deltas]) + folded(
        title, scroll_table("Δ from −∞ to ∞, ideal 0", rows)
    )


def _items(result: Result) -> Markup:
    """Draw bars if a score has two sides, or a table of the texts behind it if it has one."""
    items = result.rows_of("item")
    if any(row.details.get("answers") for row in items):
        return scroll_table("The first answers to every question", [_answers(row) for row in items])
    contrasts = result.details.get("contrasts") or {}
    rows = [Row(name=name, kind="item", score=score) for name, score in contrasts.items()]
    rows = rows or [row for row in items if row.score is not None]
    rows.sort(key=lambda r: -(r.score or 0.0))
    name, ideal = get_method(result.method).name_of(result.score_range), short(result.reference)
    if not rows:
        return Markup("")
    if result.direction == "two_sided":
        groups = list(dict.fromkeys(_group(r) for r in rows))
        keys = dict(zip(groups, ("1", "2"), strict=False)) if all(groups) else {}
        bars = [(r.name, keys.get(_group(r), "0"), float(r.score or 0.0) - result.reference) for r in rows]
        series = {key: f"{group} group" for group, key in keys.items()}
        what = f"Every row: {name}{f' less {ideal}, its ideal value' if result.reference else ', ideal 0'}"
        return draw("bars", what, f"below {ideal}", f"above {ideal}", series, bars)
    cells = [{"row": r.details.get("template", r.name), "score": number(r.score)} for r in rows]
    for row, cell in zip(rows, cells, strict=True):
        if "fills" in row.details:
            cell["fills: words for women to words for men that get each"] = ", ".join(
                f"{f['fill']} ({f['female']} to {f['male']}{', significant' if f['significant'] else ''})"
                for f in row.details["fills"][:_FILLS]
            )
    low, high = result.score_range
    return scroll_table(f"Every row: {name}, from {short(low, '−')} to {short(high)}, ideal {ideal}", cells)


def _answers(row: Row) -> dict[str, str]:
    """Return a model's ranked answers to a question, and its answers when no word is ruled out."""
    rank = row.details.get("rank")
    words, free = (
        [str(a["word"]) for a in row.details.get(k) or ()] for k in ("answers", "nothing_ruled_out")
    )
    return {
        "question": row.name,
        "answers": ", ".join(words[:_ANSWERS]),
        "expected": ", ".join(row.details.get("expected") or ()),
        "rank of the expected": "—" if rank is None else str(rank),
        "first, nothing ruled out": "".join(free[:1]),
    }


def _group(row: Row) -> str:
    """Return the group that an item belongs to, in a word, or an empty string if it names none."""
    return next((str(v) for k, v in row.details.items() if k.endswith(("gender", "group"))), "")


def result_page(result: Result, rows: Sequence[Any] = ()) -> Markup:
    """Return a result of any method: what was found about what, what only such data show, and what all results have.

    Args:
        result: the result.
        rows: the data that were measured, of which pairs are shown in full.
    """
    from ..report.plots.canvas import draw_figure  # matplotlib takes its time
    from ..report.plots.kinds import method_pictures

    reading = read(result)
    alone = [row.line for row in reading.parts if len(reading.rows) == 1]  # several are in a table
    tests = [f"{r.name} ({r.label})" if any(list_names(r.row)) else r.name for r in alone]
    left_out = [f"{s.item} ({s.reason})" for s in result.skipped]
    if len(left_out) > _MAX_SKIPPED_NAMED:
        left_out[_MAX_SKIPPED_NAMED:] = [f"and {len(left_out) - _MAX_SKIPPED_NAMED} more"]
    return join(
        note(reading.finding, "finding"),
        note(f"{reading.title} of {reading.model}. Data: {', '.join((*tests, reading.data))}."),
        *map(note, reading.remarks),
        score_tiles(reading),
        data_parts(reading, rows),
        _secondary_table(reading),
        _rows_table(reading),
        *(picture(draw_figure(p.draw), p.caption) for p in method_pictures(reading)),
        note(f"Not scored or merged: {', '.join(left_out)}." if left_out else ""),
        *(note(w, "warning") for w in result.warnings),
        folded("Know before you quote it", *map(note, caveats(result)), name="caveats"),
    )


def score_tiles(reading: Reading) -> Markup:
    """Return score, interval, p-value and coverage of a result."""
    result, line = reading.result, reading.line
    record = get_method(result.method)
    name, means = record.name_of(line.score_range), record.interpretation_of(line.score_range)
    # Several tests with signs are taken together by their absolute values.
    if record.aggregation and (record.direction, result.direction) == ("two_sided", "higher_is_more_biased"):
        name, means = f"mean absolute {name}", record.aggregation
    low, high = line.score_range
    scale = f"{short(low, '−')} to {short(high)}, {line.ideal_text}"
    tiles = [(name, minus(score_text(line.row)), f"range {scale}", means)]
    if line.row.ci_low is not None:
        tip = f"A narrow interval is more certain than a wide one. Computed by {procedure(result.ci_method)}."
        tiles.append((f"{100 * line.result.confidence_level:g}% interval", minus(ci_cell(line.row)), "", tip))
    if line.row.p_value is not None and not line.headline:  # if there are several tests, each has its own
        error = line.row.p_error or 0.0
        sampled = f"Monte Carlo error {plain_p(error)}" if error >= 0.0005 else ""
        tip = f"A small p-value does not mean a large effect. Computed by {procedure(result.p_method)}."
        tiles.append(("p-value", plain_p(line.row.p_value), sampled, tip))
    scored = f"{result.coverage.found} of {result.coverage.asked}"
    tip = (
        "How much of what was asked for (words, texts or answers) could be scored. The rest is not measured."
    )
    return draw("tiles", [*tiles, ("coverage", scored, "scored", tip)])


def _secondary_table(reading: Reading) -> Markup:
    """Return the secondary values of the whole result, each with its meaning."""
    estimates, head = reading.result.estimates, reading.head
    record = get_method(reading.result.method)
    known = [s for s in record.secondary if s.key in estimates and s.key != SCORE_WITHOUT_TIES]
    rows = [
        {"name": s.title, "value": minus(estimate_cell(estimates[s.key], s.key)), "meaning": s.meaning}
        for s in known
    ]
    if head.with_ties and len(reading.rows) == 1:  # if there are several rows, each has its own in the table
        meaning = "The published score, which counts ties as not preferred, and its ideal."
        rows.insert(0, {"name": WITH_TIES, "value": minus(head.with_ties), "meaning": meaning})
    return scroll_table("Further values", rows)


def _rows_table(reading: Reading) -> Markup:
    """Return the rows of a result with their verdicts and what these mean, or nothing for a single row."""
    if len(reading.rows) == 1:
        return Markup("")
    record, lines = get_method(reading.result.method), [row.line for row in reading.rows]
    table = result_table(reading, record.group_by)
    of_parts = declared_secondary([line for line in lines if line.kind != "overall"])
    columns = [
        column
        for column in (*table.columns, *map(secondary_column, of_parts))
        if any(column.cell(row) != "—" for row in table.rows)
    ]
    ideals = {line.ideal_text for line in lines if not line.headline}
    ideal = f", {ideals.pop()}" if len(ideals) == 1 else ""
    what = f"By {record.group_by}: {record.name_of(lines[-1].score_range)}{ideal}"
    tested = any(line.row.p_value is not None for line in lines)
    return column_table(what, columns, table.rows) + note(significance_note([reading]) if tested else "")
