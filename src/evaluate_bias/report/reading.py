"""What may be said of a result: title, verdict, finding with direction, size and uncertainty, rows, remarks and marks.

Made once, in one language, from a result, its method's record and the texts. Terminal, notebook, report, LaTeX, HTML,
card, explorer, pictures and comparisons show it and decide nothing. Which verdict holds is decided in :mod:`.verdict`,
which size a score has in :mod:`.sizes`.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from ..method import MethodRecord
from ..registry import METHODS
from ..result import Result
from ..text import p_phrase
from .data_facts import dataset_facts, outdated, public_source, result_note
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
    short_title,
)
from .numbers import score_cell
from .sizes import detectable, size_in_words
from .texts import CardText, card_text, data_title, is_translated, method_text
from .verdict import FOUND, NOTHING_FOLLOWS, ResultVerdict, Verdict, line_verdict, result_verdict

_NAMED = 3
"""Rows that a remark names; of more it says the number."""


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
    return [_reading(text, r, ls) for r, ls in zip(results, lines_by_result(results), strict=True)]


Readable = Sequence[Result] | Sequence[Reading]
"""What a writer takes: results, or their readings, so that several writers need not read the same results again."""


def as_readings(given: Readable) -> list[Reading]:
    """Return readings as they are, and of results their readings in English."""
    readings = [one for one in given if isinstance(one, Reading)]
    return readings or read_all([one for one in given if isinstance(one, Result)])


def found_means(readings: Sequence[Reading]) -> str:
    """Return what "found" means in these readings: which p-values were adjusted over which."""
    text = readings[0].text
    lines = [row.line for r in readings for row in r.rows]
    if not any(line.p_adjusted is not None for line in lines):
        return text.means_unadjusted
    of_model = any(line.p_holm_all is not None for line in lines)
    return text.means_of_model if of_model else text.means_of_result


def _reading(text: CardText, result: Result, own: Sequence[ReportRow]) -> Reading:
    lines = [
        dataclasses.replace(r, name=r.name.replace("overall", text.overall, 1)) if r.kind == "overall" else r
        for r in own
    ]
    decided = decided_lines(lines)
    judged = result_verdict(decided)
    wording = _Wording(text, method_text(text, result.method), result, judged)
    rows = tuple(map(wording.row, decided, lines))
    telling = tuple(row for line in judged.telling for row in rows if row.line is line)
    record = METHODS.get(result.method)
    of_what = () if record is None else (*record.needs, record.data.name)
    if judged.verdict is Verdict.MEASUREMENT:
        of_what = ("measurement",)
    return Reading(
        result=result,
        text=text,
        title=annotate(method_title(result.method), lines, text.illustrative_title),
        short=short_title(result.method),
        model=model_name(result),
        looks_at=next((text.looks_at[what] for what in of_what if what in text.looks_at), ""),
        data=_data(text, result),
        verdict=judged.verdict,
        k=judged.k,
        n=judged.n,
        word=wording.word(rows),
        finding=wording.finding(rows, telling),
        remarks=tuple(wording.remarks(rows, telling)),
        rows=rows,
        telling=telling,
    )


@dataclass(frozen=True, slots=True)
class _Wording:
    """Words what is said of a result: sentences of a language, the record in it if there is one, and the verdict."""

    text: CardText
    words: MethodRecord | None
    result: Result
    judged: ResultVerdict

    def row(self, line: ReportRow, published: ReportRow) -> RowReading:
        text, verdict = self.text, line_verdict(line)
        if line.headline:
            verdict = Verdict.NO_INFERENCE  # its tests are found or not; it has no verdict of its own
        facts = [text.number(score_cell(line))]
        if size := size_in_words(line):
            facts.append(text.sentences["size_" + size.replace(" ", "_")])
        if (p := line.decisive_p) is not None and not line.headline:
            phrase = text.number(p_phrase(p))
            same = line.p_adjusted in (None, line.p_value)
            facts.append(phrase if same else text.adjusted_p.format(p=phrase))
        return RowReading(
            line=line,
            published=published,
            verdict=verdict,
            word="—" if line.headline else text.sentences[f"verdict_{verdict.value}"],
            clause=self._clause(line, verdict),
            facts=", ".join(facts),
        )

    def _clause(self, line: ReportRow, verdict: Verdict) -> str:
        """What the line's test says when it rejects: the direction by the record, the lists, or the ideal value."""
        words, above = self.words, line.score > line.ideal
        asked = None if words is None else words.p_value
        if asked is not None and line.kind != "overall":
            asked = asked.parts or asked
        # An absolute value of a score that has a sign shows no direction; its single tests keep theirs.
        own = None if words is None else METHODS[words.name].direction
        signed = line.kind == "test" or self.result.direction == own
        clause = "" if words is None or not signed else words.above if above else words.below
        if asked is not None and (verdict is not Verdict.FOUND or not clause):
            clause = asked.small  # what the test asked is said in English rather than not at all
        elif not is_translated(self.text, self.result.method):
            clause = ""
        side = self.text.above_ideal if above else self.text.below_ideal
        return self._filled(clause, line) if clause else side.format(ideal=self._ideal(line))

    def _filled(self, clause: str, line: ReportRow) -> str:
        """A clause with the options of the measurement and the lists that the row compares."""
        return fill_labels(clause.format_map(_Settings(self.result.settings)), line, self.text.list_names)

    def _ideal(self, line: ReportRow) -> str:
        return self.text.number(f"{line.ideal:.4g}")

    @property
    def _counted(self) -> bool:
        """Whether the verdict is about parts of the result, and is said with their number."""
        return self.judged.n > 1 or self.judged.verdict is Verdict.FOUND_IN_PART

    def _of_parts(self, rows: Sequence[RowReading], sentence: str, **filled: Any) -> str:
        """A sentence about tests, or the same about groups, with their number."""
        kind = "tests" if any(row.line.kind == "test" for row in rows) else "groups"
        return self.text.sentences[f"{sentence}_{kind}"].format(k=self.judged.k, n=self.judged.n, **filled)

    def word(self, rows: Sequence[RowReading]) -> str:
        said = _said(self.text, self.judged.verdict)
        counted = self._counted and self.judged.verdict not in (*NOTHING_FOLLOWS, Verdict.MEASUREMENT)
        return self._of_parts(rows, "of", verdict=said) if counted else said

    def finding(self, rows: Sequence[RowReading], telling: Sequence[RowReading]) -> str:
        """What was found or not, as a sentence."""
        text, verdict, row = self.text, self.judged.verdict, telling[0]
        if verdict in NOTHING_FOLLOWS:
            return _sentence(text.sentences[f"said_{verdict.value}"].format(least=row.line.min_n))
        if verdict is Verdict.MEASUREMENT:
            clause = row.clause if row.line.significant else text.not_shown.format(clause=row.clause)
            said = row.facts if row.line.decisive_p is None else f"{clause} ({row.facts})"
            return _sentence(text.said_measurement.format(finding=said))
        if self._counted:
            named = "; ".join(
                text.named(r.name, f"{r.clause} ({r.facts})") if r.filled else f"{r.name}, {r.facts}"
                for r in telling
            )
            if verdict in FOUND:
                return _sentence(self._of_parts(rows, "found_in", named=named))
            counted = self._of_parts(rows, "of", verdict=_said(text, verdict))
            return _sentence(text.furthest.format(counted=counted, named=named))
        said = f"{self._single(row)} ({row.facts})"
        # A test, or a part of the data, is named; of the score of all units nothing more is to be said.
        return _sentence(said) if row.name == text.overall else text.named(row.name, f"{said}.")

    def _single(self, row: RowReading) -> str:
        """The sentence about one score."""
        text, verdict, line = self.text, self.judged.verdict, row.line
        one_sided, reason = line.alternative != "two-sided", ""
        said = text.sentences.get(f"said_{verdict.value}", "")
        if verdict is Verdict.FOUND:
            return row.clause
        if verdict is Verdict.UNDECIDED:
            said = text.undecided_small if line.significant else text.undecided_large
            # Of a two-sided test the p-value would be twice as large, and the interval would agree.
            halved = one_sided and ALPHA / 2 <= (line.decisive_p or 0.0) < ALPHA
            why = text.reason_assumptions if line.question is None else text.reason_question
            reason = text.reason_one_sided if halved else why
        elif verdict is Verdict.INTERVAL_EXCLUDES:
            said = text.interval_excludes
        elif verdict is Verdict.NOT_FOUND and one_sided and line.asks_about_the_ideal:
            said = text.on_other_side if line.interval_on_other_side else text.not_in_direction
        elif verdict is Verdict.NOT_FOUND:
            said = text.no_departure if line.question is None else text.not_shown
        return said.format(ideal=self._ideal(line), clause=row.clause, reason=reason)

    def remarks(self, rows: Sequence[RowReading], telling: Sequence[RowReading]) -> Iterable[str]:
        """What else must be said of the result."""
        text, verdict = self.text, self.judged.verdict
        if old := outdated(self.result):
            yield _sentence(old)
        if verdict is Verdict.ILLUSTRATIVE:
            return
        parts = [row for row in rows if not row.line.headline]
        tested = [row for row in parts if row.line.decisive_p is not None]
        if controls := [row.line for row in tested if row.verdict is Verdict.CONTROL]:
            yield text.controls_found.format(k=sum(line.significant for line in controls), n=len(controls))
        few = [row for row in parts if row.verdict is Verdict.TOO_FEW]
        if few and verdict is not Verdict.TOO_FEW:
            names = text.listed([row.name for row in few], _NAMED)
            yield text.too_few_rows.format(least=few[0].line.min_n, names=names)
        other_side = [row for row in parts if row.line.interval_on_other_side]
        if other_side and len(parts) > 1:
            yield text.other_side_rows.format(names=text.listed([r.name for r in other_side], _NAMED))
        if any(row.line.ties and DECIDED in row.line.estimates for row in rows):
            yield text.of_decided.format(ideal=text.number(f"{rows[0].line.ideal:g}"))
        asked = None if self.words is None else self.words.p_value
        if asked is not None and tested:
            of_parts = asked.parts if telling[0].part else None
            yield self._filled((of_parts or asked).meaning, telling[0].line)
        if verdict not in (Verdict.CONTROL, Verdict.TOO_FEW) and any(size_in_words(r.line) for r in telling):
            yield text.sizes.format(scale=text.sentences[METHODS[self.result.method].scale])
        yield from self._detectable([row for row in telling if not row.filled])

    def _detectable(self, rows: Sequence[RowReading]) -> Iterable[str]:
        """What the test would have found of a row for which it found nothing."""
        for row in rows[:1]:
            ends = zip((self.text.or_less, self.text.or_more), detectable(row.line, self.result), strict=True)
            shown = [way.format(score=self.text.number(f"{end:.3g}")) for way, end in ends if end is not None]
            if shown and row.verdict in (Verdict.NOT_FOUND, Verdict.ONLY_BEFORE, Verdict.UNDECIDED):
                said = ", ".join(shown)
                scores = self.text.named(row.name, said) if row.part else said
                yield self.text.detectable.format(scores=scores)


class _Settings(dict[str, Any]):
    """Options by name; what is none, such as the name of a list, is left as it stands."""

    def __missing__(self, key: str) -> str:
        return f"{{{key}}}"


def _said(text: CardText, verdict: Verdict) -> str:
    return text.sentences[f"verdict_{(Verdict.FOUND if verdict in FOUND else verdict).value}"]


def _data(text: CardText, result: Result) -> str:
    facts, note = dataset_facts(result), result_note(result)
    title = data_title(text, note) if note is not None else public_source(facts) or text.own_data
    language = str(facts.get("language") or "")
    known = ", ".join(filter(None, ("" if language == "und" else language, str(facts.get("part") or ""))))
    return f"{title} ({known})" if known else title


def _sentence(clause: str) -> str:
    """A clause as a sentence: with a capital, unless a name begins it that has none, and a full stop."""
    return f"{clause[:1].upper()}{clause[1:]}."
