"""What may be said of a result: title, verdict, finding with direction, size and uncertainty, rows, remarks and marks.

Made once, in one language, from a result, its method's record and the texts. Terminal, notebook, report, LaTeX, HTML,
card, explorer, pictures and comparisons show it and decide nothing. Which verdict holds is decided in :mod:`.verdict`,
which size a score has in :mod:`.sizes`.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..method import MethodRecord
from ..registry import METHODS
from ..result import Result
from ..text import name_key
from .data_facts import dataset_facts, public_source, result_note
from .lines import (
    ALPHA,
    DECIDED,
    ReportRow,
    annotate,
    decided_lines,
    fill_labels,
    lines_by_result,
    method_title,
    model_name,
)
from .numbers import p_phrase, score_cell
from .revisions import outdated
from .sizes import detectable, size_in_words
from .texts import CardText, card_text, data_title, is_translated, method_text
from .verdict import FOUND, Verdict, line_verdict, result_verdict

__all__ = ["Reading", "RowReading", "found_means", "read", "read_all", "short_title"]

_NAMED = 3
"""Rows that a remark names; of more it says the number."""

_NO_TEST = (Verdict.ILLUSTRATIVE, Verdict.CONTROL, Verdict.TOO_FEW, Verdict.MEASUREMENT)
"""Verdicts that hold of a result as a whole, without a count of its tests."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RowReading:
    """What may be said of one row of a result.

    Attributes:
        line: the row as sentences and pictures read it: where a method counts ties, with the share of the decided.
        published: the row with the score as its paper defines it.
        verdict: what may be said of it.
        word: the verdict in a word or two.
        clause: its direction in words; what would be said of it were it found, where it is not.
        facts: score, interval, size in words and the p-value that decides.
    """

    line: ReportRow
    published: ReportRow
    verdict: Verdict
    word: str
    clause: str
    facts: str

    @property
    def name(self) -> str:
        """Name of the row."""
        return self.line.name

    @property
    def filled(self) -> bool:
        """Whether pictures fill its mark: it was found, itself."""
        return self.verdict is Verdict.FOUND

    @property
    def part(self) -> bool:
        """Whether it is one of several tests or groups, and not the score of all together."""
        return self.line.kind != "overall"


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What may be said of one result, in one language, as plain text.

    Attributes:
        result: the result.
        text: the sentences of the language.
        title: method and, on illustrative data, that remark.
        short: what people call the method.
        model: what was measured.
        looks_at: what the method looks at, in a few words.
        data: title and language of the data.
        verdict: the verdict on the whole result.
        k, n: of how many of its tests or groups it holds.
        word: the verdict in a few words, with these numbers where there are several tests.
        finding: one sentence: what was found or not, in which direction, how large, how sure.
        remarks: what else must be said, a sentence each: a side that was not asked for, control tests, rows with too
            few units, ties, what the test would have found.
        rows: its rows; the first stands for the result.
        telling: the rows that the finding speaks of.
    """

    result: Result
    text: CardText
    title: str
    short: str
    model: str
    looks_at: str
    data: str
    verdict: Verdict
    k: int
    n: int
    word: str
    finding: str
    remarks: tuple[str, ...]
    rows: tuple[RowReading, ...]
    telling: tuple[RowReading, ...]

    @property
    def head(self) -> RowReading:
        """The row that stands for the result."""
        return self.rows[0]

    @property
    def parts(self) -> tuple[RowReading, ...]:
        """Its tests or groups."""
        return tuple(row for row in self.rows if row.part)

    @property
    def found(self) -> bool:
        """Whether anything was found, in the whole or in a part."""
        return self.verdict in FOUND

    @property
    def filled(self) -> bool:
        """Whether pictures fill the mark of the whole result: all of it was found."""
        return self.verdict is Verdict.FOUND

    @property
    def short_word(self) -> str:
        """The verdict in a word or two, without numbers."""
        return _said(self.text, self.verdict)

    @property
    def decisive_p(self) -> float:
        """The p-value of the surest row that the finding speaks of; 1 where there is none."""
        return min((p for row in self.telling if (p := row.line.decisive_p) is not None), default=1.0)


def read(result: Result, text: CardText | None = None) -> Reading:
    """Return what may be said of one result; its p-values are adjusted over its own tests or groups.

    Examples:
        >>> labels = {"x": "math", "y": "arts", "a": "male terms", "b": "female terms"}
        >>> from evaluate_bias.result import Row
        >>> row = Row(name="weat7", kind="test", score=1.055, ci_low=0.31, ci_high=1.65, p_value=0.031, n=16,
        ...           labels=labels)
        >>> result = Result(method="weat", score=1.055, score_range=(-2, 2), direction="two_sided", ideal=0,
        ...                 n=16, rows=[row])
        >>> reading = read(result)
        >>> reading.word, reading.rows[0].facts
        ('found', '1.05 [0.31, 1.65], large, p = .031')
    """
    return read_all([result], text)[0]


def read_all(results: Sequence[Result], text: CardText | None = None) -> list[Reading]:
    """Return what may be said of each result, p-values adjusted over all results on the same model.

    Args:
        results: any number of results.
        text: sentences of a language, :func:`.texts.card_text`; English by default.
    """
    text = text or card_text("en")
    given = zip(results, lines_by_result(results), strict=True)
    return [_reading(text, result, _titled(text, lines)) for result, lines in given]


def short_title(method: str) -> str:
    """Return what people call a method: the part of its title that is its registry name, else the title.

    Examples:
        >>> short_title("weat"), short_title("stereoset")
        ('WEAT', 'StereoSet')
    """
    title = method_title(method)
    parts = re.findall(r"[^\s()]+", title)
    return next((part for part in parts if name_key(part) == name_key(method)), title)


def found_means(readings: Sequence[Reading]) -> str:
    """Return what "found" means in these readings: which p-values were adjusted over which."""
    text = readings[0].text
    lines = [row.line for r in readings for row in r.rows]
    if not any(line.p_adjusted is not None for line in lines):
        return text.means_unadjusted
    of_model = any(line.p_holm_all is not None for line in lines)
    return text.means_of_model if of_model else text.means_of_result


def _titled(text: CardText, lines: Sequence[ReportRow]) -> list[ReportRow]:
    """The lines with the name of the overall score in the language."""
    return [
        dataclasses.replace(r, name=r.name.replace("overall", text.overall, 1)) if r.kind == "overall" else r
        for r in lines
    ]


def _reading(text: CardText, result: Result, lines: Sequence[ReportRow]) -> Reading:
    # No sentence in two languages.
    words = method_text(text, result.method) if is_translated(text, result.method) else None
    decided = decided_lines(lines)
    judged = result_verdict(decided)
    rows = tuple(_row(text, words, result, *pair) for pair in zip(decided, lines, strict=True))
    by_line = {id(row.line): row for row in rows}
    telling = tuple(by_line[id(line)] for line in judged.telling)
    record = METHODS.get(result.method)
    of_what = () if record is None else (*record.needs, record.data.name)
    looks_at = next((text.looks_at[what] for what in of_what if what in text.looks_at), "")
    return Reading(
        result=result,
        text=text,
        title=annotate(method_title(result.method), lines, text.illustrative_title),
        short=short_title(result.method),
        model=model_name(result),
        looks_at=text.looks_at["measurement"] if judged.verdict is Verdict.MEASUREMENT else looks_at,
        data=_data(text, result),
        verdict=judged.verdict,
        k=judged.k,
        n=judged.n,
        word=_word(text, judged.verdict, rows, judged.k, judged.n),
        finding=_finding(text, judged.verdict, rows, telling, judged.k, judged.n),
        remarks=tuple(_remarks(text, words, result, judged.verdict, rows, telling)),
        rows=rows,
        telling=telling,
    )


def _row(
    text: CardText, words: MethodRecord | None, result: Result, line: ReportRow, published: ReportRow
) -> RowReading:
    verdict = line_verdict(line)
    if line.headline:
        verdict = Verdict.NO_INFERENCE  # its tests are found or not; it has no verdict of its own
    facts = [text.number(score_cell(line))]
    if size := size_in_words(line):
        facts.append(text.sentences["size_" + size.replace(" ", "_")])
    if (p := line.decisive_p) is not None and not line.headline:
        phrase = text.number(p_phrase(p))
        facts.append(phrase if line.p_adjusted in (None, line.p_value) else text.adjusted_p.format(p=phrase))
    return RowReading(
        line=line,
        published=published,
        verdict=verdict,
        word="—" if line.headline else text.sentences[f"verdict_{verdict.value}"],
        clause=_clause(text, words, result, line, verdict),
        facts=", ".join(facts),
    )


def _clause(
    text: CardText, words: MethodRecord | None, result: Result, line: ReportRow, verdict: Verdict
) -> str:
    """What the line's test says when it rejects: the direction by the record, by the lists, or by the ideal value."""
    above = line.score > line.ideal
    asked = None if words is None or words.p_value is None else words.p_value
    if asked is not None and line.kind != "overall" and asked.parts is not None:
        asked = asked.parts
    if asked is not None and verdict is not Verdict.FOUND:
        return _filled(asked.small, text, result.settings, line)
    # An absolute value of a score that has a sign shows no direction; its single tests keep theirs.
    signed = line.kind == "test" or words is None or result.direction == METHODS[result.method].direction
    if words is not None and signed and (clause := words.above if above else words.below):
        return _filled(clause, text, result.settings, line)
    if asked is not None:
        return _filled(asked.small, text, result.settings, line)
    side = text.above_ideal if above else text.below_ideal
    return side.format(ideal=text.number(f"{line.ideal:.4g}"))


def _filled(clause: str, text: CardText, settings: Mapping[str, Any], line: ReportRow) -> str:
    """A clause with the options of the measurement and the lists that the row compares."""
    return fill_labels(clause.format_map(_Settings(settings)), line, text.list_names)


class _Settings(dict[str, Any]):
    """Options by name; what is none, such as the name of a list, is left as it stands."""

    def __missing__(self, key: str) -> str:
        return f"{{{key}}}"


def _word(text: CardText, verdict: Verdict, rows: Sequence[RowReading], k: int, n: int) -> str:
    said = _said(text, verdict)
    if verdict in _NO_TEST or not _counted(verdict, n):
        return said
    return (text.of_tests if _has_tests(rows) else text.of_groups).format(k=k, n=n, verdict=said)


def _said(text: CardText, verdict: Verdict) -> str:
    return text.sentences[f"verdict_{(Verdict.FOUND if verdict in FOUND else verdict).value}"]


def _counted(verdict: Verdict, n: int) -> bool:
    """Whether a verdict is about parts of the result, and is said with their number."""
    return n > 1 or verdict is Verdict.FOUND_IN_PART


def _has_tests(rows: Sequence[RowReading]) -> bool:
    return any(row.line.kind == "test" for row in rows)


def _finding(
    text: CardText,
    verdict: Verdict,
    rows: Sequence[RowReading],
    telling: Sequence[RowReading],
    k: int,
    n: int,
) -> str:
    """What was found or not, as a sentence."""
    row = telling[0]
    if verdict in (Verdict.ILLUSTRATIVE, Verdict.CONTROL, Verdict.TOO_FEW):
        return _sentence(text.sentences[f"said_{verdict.value}"].format(least=row.line.min_n))
    if verdict is Verdict.MEASUREMENT:
        if row.line.decisive_p is None:
            return _sentence(text.said_measurement.format(finding=row.facts))
        clause = row.clause if row.line.significant else text.not_shown.format(clause=row.clause)
        return _sentence(text.said_measurement.format(finding=f"{clause} ({row.facts})"))
    if _counted(verdict, n):
        named = "; ".join(
            f"{own.name}: {own.clause} ({own.facts})"
            if own.verdict is Verdict.FOUND
            else f"{own.name}, {own.facts}"
            for own in telling
        )
        if verdict in FOUND:
            said = text.found_in_tests if _has_tests(rows) else text.found_in_groups
            return _sentence(said.format(k=k, n=n, named=named))
        said = text.sentences[f"verdict_{verdict.value}"]
        counted = (text.of_tests if _has_tests(rows) else text.of_groups).format(k=k, n=n, verdict=said)
        return _sentence(text.furthest.format(counted=counted, named=named))
    said = f"{_single(text, verdict, row)} ({row.facts})"
    # A test, or a part of the data, is named; of the score of all units nothing more is to be said.
    return _sentence(said) if row.name == text.overall else f"{row.name}: {said}."


def _single(text: CardText, verdict: Verdict, row: RowReading) -> str:
    """The sentence about one score."""
    line, ideal = row.line, text.number(f"{row.line.ideal:.4g}")
    if verdict is Verdict.FOUND:
        return row.clause
    if verdict is Verdict.UNDECIDED:
        said = text.undecided_small if line.significant else text.undecided_large
        p = line.decisive_p
        # Of a two-sided test the p-value would be twice as large, and the interval would agree.
        one_sided = line.alternative != "two-sided" and p is not None and ALPHA / 2 <= p < ALPHA
        return said.format(
            ideal=ideal, reason=text.reason_one_sided if one_sided else text.reason_assumptions
        )
    if verdict is Verdict.NOT_FOUND:
        if line.alternative != "two-sided" and line.asks_about_the_ideal:
            other = text.on_other_side if line.interval_on_other_side else text.not_in_direction
            return other.format(ideal=ideal)
        return (
            text.no_departure.format(ideal=ideal)
            if line.question is None
            else text.not_shown.format(clause=row.clause)
        )
    if verdict is Verdict.INTERVAL_EXCLUDES:
        return text.interval_excludes.format(ideal=ideal, clause=row.clause)
    return text.sentences[f"said_{verdict.value}"].format(ideal=ideal)


def _remarks(
    text: CardText,
    words: MethodRecord | None,
    result: Result,
    verdict: Verdict,
    rows: Sequence[RowReading],
    telling: Sequence[RowReading],
) -> Iterable[str]:
    """What else must be said of the result."""
    parts = [row for row in rows if not row.line.headline]
    if old := outdated(result):
        yield _sentence(old)
    if verdict is Verdict.ILLUSTRATIVE:
        return
    controls = [
        row.line for row in parts if row.verdict is Verdict.CONTROL and row.line.decisive_p is not None
    ]
    if controls:
        yield text.controls_found.format(k=sum(line.significant for line in controls), n=len(controls))
    few = [row for row in parts if row.verdict is Verdict.TOO_FEW]
    if few and verdict is not Verdict.TOO_FEW:
        yield text.too_few_rows.format(least=few[0].line.min_n, names=_names(text, few))
    if any(row.line.interval_on_other_side for row in parts) and len(parts) > 1:
        yield text.other_side_rows.format(
            names=_names(text, [r for r in parts if r.line.interval_on_other_side])
        )
    if any(row.line.ties and DECIDED in row.line.estimates for row in rows):
        yield text.of_decided.format(ideal=text.number(f"{rows[0].line.ideal:g}"))
    asked = None if words is None or words.p_value is None else words.p_value
    if asked is not None and any(row.line.decisive_p is not None for row in parts):
        only_parts = asked.parts is not None and telling[0].part
        meaning = asked.parts.meaning if only_parts and asked.parts is not None else asked.meaning
        yield _filled(meaning, text, result.settings, telling[0].line)
    if verdict not in (Verdict.CONTROL, Verdict.TOO_FEW) and any(size_in_words(r.line) for r in telling):
        yield text.sizes.format(scale=text.sentences[METHODS[result.method].scale])
    yield from _detectable(text, result, [row for row in telling if not row.filled])


def _detectable(text: CardText, result: Result, rows: Sequence[RowReading]) -> Iterable[str]:
    """What the test would have found of a row for which it found nothing."""
    for row in rows[:1]:
        ends = zip((text.or_less, text.or_more), detectable(row.line, result), strict=True)
        shown = [way.format(score=text.number(f"{end:.3g}")) for way, end in ends if end is not None]
        if shown and row.verdict in (Verdict.NOT_FOUND, Verdict.ONLY_BEFORE, Verdict.UNDECIDED):
            where = "" if not row.part else f"{row.name}: "
            yield text.detectable.format(scores=where + ", ".join(shown))


def _names(text: CardText, rows: Sequence[RowReading]) -> str:
    names = [row.name for row in rows]
    if len(names) > _NAMED:
        names[_NAMED:] = [text.more.format(n=len(names) - _NAMED)]
    return ", ".join(names)


def _data(text: CardText, result: Result) -> str:
    facts, note = dataset_facts(result), result_note(result)
    title = data_title(text, note) if note is not None else public_source(facts) or text.own_data
    language = str(facts.get("language") or "")
    parts = [language if language != "und" else "", str(facts.get("part") or "")]
    known = ", ".join(filter(None, parts))
    return f"{title} ({known})" if known else title


def _sentence(clause: str) -> str:
    """A clause as a sentence: with a capital, unless a name begins it that has none, and a full stop."""
    return f"{clause[:1].upper()}{clause[1:]}."
