"""The reading of a result: title, verdict, finding with direction, size and uncertainty, rows, remarks and marks.

Made once, from a result and its method's record. Terminal, notebook, report, LaTeX, HTML, card, explorer, pictures and
comparisons show it and decide nothing. Sizes are named by a convention with a source;
which verdict holds is decided in :mod:`.verdict`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from .. import stats
from ..method_record import MethodRecord
from ..registry import METHODS
from ..result import Result
from ..text import joined, name_list, p_phrase
from .data_facts import dataset_facts, outdated, public_source, result_note
from .lines import (
    ALPHA,
    SCORE_WITHOUT_TIES,
    ReportRow,
    annotate,
    decided_lines,
    fill_labels,
    lines_by_result,
    method_title,
    model_name,
    short_title,
    tested_units,
)
from .numbers import decimals, score_cell, score_text
from .verdict import FOUND, NOTHING_FOLLOWS, ResultVerdict, Verdict, line_verdict, result_verdict

_ENOUGH = 0.9
"""Share of what was asked from which on the score stands without its bounds."""
_NAMED = 3
"""The most rows that a remark names; beyond it, it gives the number."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RowReading:
    """What may be said of one row of a result.

    Attributes:
        line: the row as people read it: where a method counts ties, with the share of the decided units.
        published: the row with the score as its paper defines it, for programs.
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
    def with_ties(self) -> str:
        """The published score, which counts ties, with its ideal in brackets; empty where nothing ties."""
        if not self.line.row.ties or SCORE_WITHOUT_TIES not in self.line.row.estimates:
            return ""
        return f"{score_text(self.published.row)} ({self.published.ideal:.4g})"

    @property
    def filled(self) -> bool:
        """Whether pictures fill its mark: the row itself is found."""
        return self.verdict is Verdict.FOUND

    @property
    def part(self) -> bool:
        """Whether the row is one of several tests or groups, rather than the overall score."""
        return self.line.kind != "overall"


@dataclass(frozen=True, slots=True)
class Wording:
    """Puts into words what may be said of a result, by the verdict and, where there is one, its method's record."""

    record: MethodRecord | None
    result: Result
    judgement: ResultVerdict

    def row(self, line: ReportRow, published: ReportRow) -> RowReading:
        """What may be said of one row."""
        verdict = line_verdict(line)
        if line.headline:
            verdict = Verdict.NO_INFERENCE  # its tests are found or not; it has no verdict of its own
        facts = [score_cell(line.row)]
        if size := size_in_words(line):
            facts.append(size)
        if (p := line.decisive_p) is not None and not line.headline:
            same = line.p_adjusted in (None, line.row.p_value)
            facts.append(p_phrase(p) if same else f"adjusted {p_phrase(p)}")
        return RowReading(
            line=line,
            published=published,
            verdict=verdict,
            word="—" if line.headline else verdict.word,
            clause=self._clause(line, verdict),
            facts=", ".join(facts),
        )

    def _clause(self, line: ReportRow, verdict: Verdict) -> str:
        """What the line's test says when it rejects: the direction by the record, the lists, or the ideal value."""
        record, above = self.record, line.score > line.ideal
        question, clause = line.question, ""
        # An absolute value of a score that has a sign shows no direction; its single tests keep theirs.
        if record is not None and (line.kind == "test" or self.result.direction == record.direction):
            clause = record.above if above else record.below
        if question is not None and (verdict is not Verdict.FOUND or not clause):
            clause = question.small
        return self._fill(clause, line) or f"the score lies {'above' if above else 'below'} its ideal value"

    def _fill(self, clause: str, line: ReportRow) -> str:
        """A clause with the options of the measurement and the lists that the row compares."""
        settings = _Settings(self.result.settings, method=self.result.method)
        return fill_labels(clause.format_map(settings), line.row)

    @property
    def _about_parts(self) -> bool:
        """Whether the verdict is about parts of the result, so that their number is reported with it."""
        return self.judgement.n > 1 or self.judgement.verdict is Verdict.FOUND_IN_PART

    def _parts(self, rows: Sequence[RowReading]) -> str:
        """The number of tests, or of groups, to which the verdict applies."""
        return f"{self.judgement.k} of {self.judgement.n} {'tests' if _of_tests(rows) else 'groups'}"

    def word(self, rows: Sequence[RowReading]) -> str:
        """The verdict in a few words, with the number of tests or groups that it is about."""
        verdict = self.judgement.verdict
        with_number = self._about_parts and verdict not in (*NOTHING_FOLLOWS, Verdict.MEASUREMENT)
        return f"{self._parts(rows)}: {verdict.word}" if with_number else verdict.word

    def finding(self, rows: Sequence[RowReading], telling: Sequence[RowReading]) -> str:
        """The finding as a sentence."""
        verdict, row = self.judgement.verdict, telling[0]
        if verdict in NOTHING_FOLLOWS:
            return _sentence(_why_nothing_follows(verdict, row.line))
        if verdict is Verdict.MEASUREMENT:
            clause = row.clause if row.line.significant else f"it was not shown that {row.clause}"
            facts = row.facts if row.line.decisive_p is None else f"{clause} ({row.facts})"
            return _sentence(f"about the measurement, not the model: {facts}")
        if self._about_parts:
            furthest = "; ".join(
                f"{r.name}: {r.clause} ({r.facts})" if r.filled else f"{r.name}, {r.facts}" for r in telling
            )
            count = self.word(rows)
            if verdict in FOUND:
                where = "found in" if _of_tests(rows) else "not found overall, but in"
                count = f"{where} {self._parts(rows)}"
            scale = (
                ", in standard deviations under the null," if telling[0].line.row.labels.get("unit") else ""
            )
            return _sentence(f"{count}; furthest from the ideal{scale} is {furthest}")
        text = f"{self._one_score(row)} ({row.facts})"
        # A test, or a part of the data, is named; the overall score needs no name.
        return _sentence(text) if row.name == "overall" else f"{row.name}: {text}."

    def _one_score(self, row: RowReading) -> str:
        """The clause about one score."""
        line, ideal = row.line, f"{row.line.ideal:.4g}"
        one_sided = line.alternative != "two-sided"
        match self.judgement.verdict:
            case Verdict.FOUND:
                return row.clause
            case Verdict.ONLY_BEFORE:
                return "found only before the adjustment for several tests"
            case Verdict.UNDECIDED:
                small = f"the p-value is below 5% but the interval includes {ideal}"
                large = f"the interval excludes {ideal} but the p-value is not below 5%"
                return f"undecided, as {small if line.significant else large}; {_why_undecided(line)}"
            case Verdict.INTERVAL_EXCLUDES:
                return f"no p-value; the interval excludes {ideal}: {row.clause}"
            case Verdict.INTERVAL_INCLUDES:
                return f"no p-value; the interval includes {ideal}"
            case Verdict.AT_EDGE:
                return (
                    f"no p-value; as the score cannot pass {ideal}, its interval shows how far from {ideal} it lies, "
                    "and does not test whether chance alone explains that"
                )
            case Verdict.ALL_EQUAL:
                return line.nothing_to_test
            case Verdict.NO_INFERENCE:
                return "neither p-value nor interval, so chance is not ruled out"
        if one_sided and line.asks_about_the_ideal:
            side = f"; the interval lies wholly on the other side of {ideal}"
            return f"not found in the direction asked{side if line.interval_on_other_side else ''}"
        if line.question is None:
            return f"no difference from {ideal} was detected"
        return f"it was not shown that {row.clause}"

    def remarks(self, rows: Sequence[RowReading], telling: Sequence[RowReading]) -> Iterable[str]:
        """Further remarks on the result, one sentence each."""
        verdict = self.judgement.verdict
        if old := outdated(self.result):
            yield _sentence(old)
        if verdict in (Verdict.ILLUSTRATIVE, Verdict.OPTION_ORDER):
            return
        parts = [row for row in rows if not row.line.headline]
        tested = [row for row in parts if row.line.decisive_p is not None]
        if controls := [row.line for row in tested if row.verdict is Verdict.CONTROL]:
            n_found = sum(line.significant for line in controls)
            yield f"Control tests without social content: {n_found} of {len(controls)} found."
        few = [row for row in parts if row.verdict is Verdict.TOO_FEW]
        if few and verdict is not Verdict.TOO_FEW:
            names = name_list([row.name for row in few], _NAMED)
            yield f"Too few items for a finding: {names}."
        if verdict is not Verdict.ALL_EQUAL:
            yield from (
                f"{r.name}: {r.line.nothing_to_test}." for r in parts if r.verdict is Verdict.ALL_EQUAL
            )
        other_side = [row for row in parts if row.line.interval_on_other_side]
        if other_side and len(parts) > 1:
            names = name_list([row.name for row in other_side], _NAMED)
            yield f"The whole interval lies on the side that the test did not ask about: {names}."
        if close := [row for row in tested if row.line.too_close]:
            names = name_list([row.name for row in close], _NAMED)
            where = f" of {names}" if any(row.part for row in close) else ""
            more = " Increase `n_resamples` to decide." if "n_resamples" in self.result.settings else ""
            yield (
                f"The p-value{where} is within three Monte Carlo errors of {ALPHA:g}: other random draws could change "
                f"whether it is below.{more}"
            )
        if any(row.with_ties for row in rows):
            yield (
                f'Scores are shares of the decided pairs or items, ideal {rows[0].line.ideal:g}; "with ties" is the '
                "published score, which counts ties as not preferred, and its ideal in brackets."
            )
        rates = self.result.details.get("rates")
        for what, pairs in (rates if isinstance(rates, Mapping) else {}).items():
            yield f"{what.capitalize()} by group: {', '.join(f'{group} {rate:.1%}' for group, rate in pairs.items())}."
        if tested and (question := telling[0].line.question) is not None:
            yield self._fill(question.meaning, telling[0].line)
        row = telling[0].line.row
        sampled = row.sampled or self.result.sampled
        if sampled is not None:
            fixed_names = telling[0].line.question.fixed_names if telling[0].line.question is not None else ()
            of_p = replace(sampled, clusters=tuple(c for c in sampled.clusters if c not in fixed_names))
            known: dict[str, list[str]] = {}
            for name, end, about in (
                ("the p-value", row.p_value, of_p),
                ("the interval", row.ci_low, sampled),
            ):
                if end is not None:
                    known.setdefault(about.phrase(), []).append(name)
            for phrase, ends in known.items():
                yield _sentence(f"{joined(ends)} {'are' if len(ends) > 1 else 'is'} {phrase}")
        scale = "" if self.record is None else self.record.scale
        if verdict in (Verdict.CONTROL, Verdict.TOO_FEW):
            scale = ""
        if scale and any(size_in_words(row.line) for row in telling):
            yield f"Sizes are named after Cohen (1988): {scale_in_words(scale)}. They say nothing about harm."
        yield from self._detectable([row for row in telling if not row.filled])

    def _detectable(self, rows: Sequence[RowReading]) -> Iterable[str]:
        """The effect that the test could have detected in a row where it found nothing."""
        for row in rows[:1]:
            ends = zip(detectable(row.line, self.result), ("less", "more"), strict=True)
            scores = ", ".join(f"{end:.3g} or {way}" for end, way in ends if end is not None)
            if scores and row.verdict in (Verdict.NOT_FOUND, Verdict.ONLY_BEFORE, Verdict.UNDECIDED):
                whose = f"{row.name}: " if row.part else ""
                yield (
                    "True scores that this test would find in at least 80% of cases, before adjusting: "
                    f"{whose}{scores}."
                )


def _of_tests(rows: Sequence[RowReading]) -> bool:
    return any(row.line.kind == "test" for row in rows)


def _why_nothing_follows(verdict: Verdict, line: ReportRow) -> str:
    """Why a score says nothing about a model, whatever it is."""
    if verdict is Verdict.ILLUSTRATIVE:
        return "illustrative data: nothing follows about the model"
    if verdict is Verdict.OPTION_ORDER:
        return f"{line.option_order}, so nothing follows from the score"
    if verdict is Verdict.CONTROL:
        response = "they show that the measure responds and say nothing about people"
        return f"only control tests without social content; {response}"
    return f"too few items: {line.why_too_few}"


def _why_undecided(line: ReportRow) -> str:
    """An explanation of why p-value and interval of one score disagree."""
    # Of a two-sided test the p-value would be twice as large, and the interval would agree.
    if line.alternative != "two-sided" and ALPHA / 2 <= (line.decisive_p or 0.0) < ALPHA:
        return "the test is one-sided and the interval two-sided"
    different = "rest on different assumptions" if line.question is None else "ask different questions"
    return f"test and interval {different}"


class _Settings(dict[str, Any]):
    """Options by name, with the defaults of newer ones; unknown keys, such as names of lists, are left unchanged."""

    def __init__(self, settings: Mapping[str, Any], method: str) -> None:
        super().__init__(settings)
        self._method = method

    def __missing__(self, key: str) -> str:
        known = {} if key in "xyab" or self._method not in METHODS else METHODS[self._method].options()
        return str(known[key].default) if key in known else f"{{{key}}}"


def _sentence(clause: str) -> str:
    """A clause as a sentence: with a capital, unless a name begins it that has none, and a full stop."""
    return f"{clause[:1].upper()}{clause[1:]}."


def unread_sentence(result: Result) -> str:
    """The bounds of a score of which less than 90 % could be read, as a sentence; empty for any other.

    Examples:
        >>> from dataclasses import replace
        >>> from evaluate_bias.result import Coverage, Estimate
        >>> bounds = {"low": 0.5, "high": 0.75, "of": "the score"}
        >>> result = Result(method="relative_decision", score=0.667, score_range=(0, 1), direction="two_sided",
        ...                 ideal=0.5, n=30, coverage=Coverage(30, 40), details={"bounds": bounds},
        ...                 estimates={"bounds": Estimate(0.667, 0.36, 0.86), "readable": Estimate(0.7512)})
        >>> unread_sentence(result)
        'Only 75% of what was asked could be read; whatever the other answers are, the score lies between 0.50 and 0.75
        (between 0.36 and 0.86 with the uncertainty of sampling).'

        Where the score has no interval, the uncertainty of sampling is not known and not named.

        >>> unread_sentence(replace(result, estimates={**result.estimates, "bounds": Estimate(0.667, 0.5, 0.75)}))
        'Only 75% of what was asked could be read; whatever the other answers are, the score lies between 0.50 and
        0.75.'
    """
    bounds, estimate = result.details.get("bounds"), result.estimates.get("bounds")
    readable = result.estimates.get("readable")
    share = min(1.0 if readable is None else readable.value, result.coverage.share)
    if bounds is None or estimate is None or share >= _ENOUGH:
        return ""
    ends = (bounds["low"], bounds["high"], estimate.low or 0.0, estimate.high or 0.0)
    low, high, wide_low, wide_high = map(decimals, ends)
    widened = f" (between {wide_low} and {wide_high} with the uncertainty of sampling)"
    if ends[:2] == ends[2:]:  # no interval, so nothing is known of the uncertainty
        widened = ""
    return (
        f"Only {int(100 * share)}% of what was asked could be read; whatever the other answers are, {bounds['of']} "
        f"lies between {low} and {high}{widened}."
    )


def size_in_words(line: ReportRow) -> str:
    """Return "large", "medium", "small" or "below small" by Cohen (1988); empty where the method has no such scale.

    The score of several tests together has none: their sizes without signs are above 0 by chance alone.
    """
    record = _with_scale(line)
    if record is None or not record.scale or line.illustrative or line.option_order:
        return ""
    return stats.size_in_words((line.score - line.ideal) / _unit(line), record.scale)


def scale_in_words(scale: stats.Scale) -> str:
    """Return where small, medium and large begin on a scale.

    Examples:
        >>> scale_in_words("cohen_d"), scale_in_words("cohen_g")
        ('small from d = 0.2, medium from 0.5, large from 0.8',
         'small from 5 points off one half, medium from 15, large from 25')
    """
    small, medium, large = stats.SIZES[scale]
    if scale == "cohen_g":
        first = f"{100 * small:.0f} points off one half"
        return f"small from {first}, medium from {100 * medium:.0f}, large from {100 * large:.0f}"
    return f"small from {scale[-1]} = {small}, medium from {medium}, large from {large}"


def _with_scale(line: ReportRow) -> MethodRecord | None:
    """The record of a line's method where its scale is one for this score: not if the score bears another name."""
    record = METHODS.get(line.method)
    if record is None or line.headline or record.name_of(line.score_range) != record.score_name:
        return None
    return record if record.scale else None


def detectable(line: ReportRow, result: Result) -> tuple[float | None, float | None]:
    """Return the scores below and above the ideal that the line's test finds in 80 % of cases, before any adjustment.

    ``None`` at an end that is never found so often, or where the method's test has no such answer.

    Args:
        line: of a report, with the share of the decided units where the method counts ties.
        result: the result that it is a line of.
    """
    record = _with_scale(line)
    nothing = (None, None)
    if record is None or line.row.p_value is None:
        return nothing
    if record.scale == "cohen_g":
        units, tested = record.units_of(result), tested_units(line.row)
        if not tested or tested < 1 or units is None or units.clusters or not units.outcomes:
            return nothing
        share = _unit(line)
        low, high = stats.detectable_share(tested, line.ideal / share)
        return low if low is None else share * low, high if high is None else share * high
    if record.scale == "cohen_r":
        size = stats.detectable_correlation(line.row.n) if line.row.n else None
        return (None if size is None else -size), size
    n_x, n_y = (line.row.details.get(name) for name in ("n_x", "n_y"))
    if not (isinstance(n_x, int) and isinstance(n_y, int) and n_x and n_y):
        return nothing
    alternative = result.settings.get("alternative", "two-sided")
    size = stats.detectable_effect(n_x, n_y, two_sided=alternative == "two-sided")
    if size is None:
        return nothing
    return None if alternative == "greater" else -size, None if alternative == "less" else size


def _unit(line: ReportRow) -> float:
    """What a whole is on the line's axis: 100 where it is in percent."""
    return 100.0 if line.score_range[1] == 100 else 1.0


NOT_ABSENCE = (
    "A value that is near the ideal or not significant does not show that such associations are absent: other words, "
    "groups and languages were not examined."
)
NOT_SIZE = (
    "This number shows how far the measurement can be trusted. It says nothing about the size of a bias."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What may be said of one result, as plain text.

    Attributes:
        result: the result.
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
    def line(self) -> ReportRow:
        """The row that stands for the whole result."""
        return self.head.line

    @property
    def filled(self) -> bool:
        """Whether pictures fill the mark of the whole result: all of it was found."""
        return self.verdict is Verdict.FOUND

    @property
    def short_word(self) -> str:
        """The verdict in a word or two, without numbers."""
        return self.verdict.word

    @property
    def decisive_p(self) -> float:
        """The smallest p-value of the rows that the finding is about; 1 if there is none."""
        return min((p for row in self.telling if (p := row.line.decisive_p) is not None), default=1.0)


def read(result: Result) -> Reading:
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
    return read_all([result])[0]


def read_all(results: Sequence[Result]) -> list[Reading]:
    """Return what may be said of each result, p-values adjusted over all results on the same model."""
    return [_reading(*pair) for pair in zip(results, lines_by_result(results), strict=True)]


Readable = Sequence[Result] | Sequence[Reading]
"""Results, or their readings, so that several writers can share them."""


def as_readings(results: Readable) -> list[Reading]:
    """Return the readings of results; readings are returned unchanged."""
    readings = [one for one in results if isinstance(one, Reading)]
    return readings or read_all([one for one in results if isinstance(one, Result)])


def found_means(readings: Sequence[Reading]) -> str:
    """Return what "found" means in these readings: which p-values were adjusted over which."""
    lines = [row.line for r in readings for row in r.rows]
    adjusted = ""
    if any(line.p_adjusted is not None for line in lines):
        of_model = any(line.p_holm_all is not None for line in lines)
        whole = "everything measured on the model except illustrative data"
        adjusted = f", adjusted (Holm) over {whole if of_model else 'the tests or groups of the result'}"
    return f'"Found" means p below 5%{adjusted}, and no interval that disagrees.'


def measured_on(models: str, data: str) -> str:
    """Return the sentence that cards and reports begin with: what was measured on what."""
    return f"Measured on {models} with {data}. These numbers describe the model on these data; they do not certify it."


def _reading(result: Result, lines: Sequence[ReportRow]) -> Reading:
    record, decided = METHODS.get(result.method), decided_lines(lines)
    judgement = result_verdict(decided)
    wording = Wording(record, result, judgement)
    rows = tuple(map(wording.row, decided, lines))
    telling = tuple(row for line in judgement.cited_lines for row in rows if row.line is line)
    looks_at = "" if record is None else record.data.schema.looks_at
    if record is not None and "counts words" in record.needs:
        looks_at = "which words stand together in texts"
    if judgement.verdict is Verdict.MEASUREMENT:
        looks_at = "how stable the measurement is"
    facts, note = dataset_facts(result), result_note(result)
    data = note.title if note is not None else public_source(facts) or "the user's own data"
    language = str(facts.get("language") or "")
    if part := ", ".join(
        filter(None, ("" if language == "und" else language, str(facts.get("subset") or "")))
    ):
        data = f"{data} ({part})"
    return Reading(
        result=result,
        title=annotate(method_title(result.method), lines),
        short=short_title(result.method),
        model=model_name(result),
        looks_at=looks_at,
        data=data,
        verdict=judgement.verdict,
        k=judgement.k,
        n=judgement.n,
        word=wording.word(rows),
        finding=f"{wording.finding(rows, telling)} {unread_sentence(result)}".rstrip(),
        remarks=tuple(wording.remarks(rows, telling)),
        rows=rows,
        telling=telling,
    )
