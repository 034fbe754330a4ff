"""The reading of a result: title, conclusion, finding with direction, size and uncertainty, rows, remarks and marks.

Made once, from a result and its method's record. Terminal, notebook, report, LaTeX, HTML, card, explorer, pictures and
comparisons show it and decide nothing. Sizes are named by a convention with a source. Conclusions are drawn
in :mod:`.conclusions`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict

from .. import stats
from ..experiments.sources import read_failures
from ..method_record import MethodRecord
from ..registry import METHODS
from ..result import Result
from ..text import counted, joined, name_list, one_line, p_phrase, range_text
from .conclusions import Conclusion, Judgement, Reason, ResultJudgement, RowKind, judge_line, judge_result
from .data_facts import dataset_facts, outdated, public_source, result_note
from .escape import public_name
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
from .yardstick import published_scores

_READ_SHARE_WITHOUT_BOUNDS = 0.9
"""If at least this share of what was asked could be read, the score is shown without its bounds."""
_MAX_ROWS_NAMED = 3
"""The most rows that a remark names. Beyond it, it gives the number."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RowReading:
    """What may be said of one row of a result.

    Attributes:
        line: the row as people read it: the score without ties if its method counts ties.
        published: the row with the score as its paper defines it, for programs.
        judgement: what may be concluded.
        word: the conclusion in a word or two.
        clause: its direction in words. If it is not significant, what a significant score would mean.
        facts: score, interval, size in words and the p-value that decides.
    """

    line: ReportRow
    published: ReportRow
    judgement: Judgement
    word: str
    clause: str
    facts: str

    @property
    def name(self) -> str:
        """Name of the row."""
        return self.line.name

    @property
    def with_ties(self) -> str:
        """The published score, which counts ties, with its ideal in brackets. Empty without ties."""
        if not self.line.row.ties or SCORE_WITHOUT_TIES not in self.line.row.estimates:
            return ""
        return f"{score_text(self.published.row)} ({self.published.ideal:.4g})"

    @property
    def other_models(self) -> str:
        """Published scores of well-known models by the same method on the same data, empty if none is known."""
        scores = published_scores(self.line.result, self.published.row)
        own_score = f"{score_text(self.published.row)} with ties; " if scores and self.with_ties else ""
        return own_score + scores

    @property
    def filled(self) -> bool:
        """True if pictures fill its mark: the row itself is significant."""
        return self.judgement.significant

    @property
    def part(self) -> bool:
        """True if the row is one of several tests or groups, rather than the overall score."""
        return self.line.kind != "overall"


@dataclass(frozen=True, slots=True)
class Wording:
    """Puts into words what may be said of a result, by the conclusion and its method's record, if it has one."""

    record: MethodRecord | None
    result: Result
    judgement: ResultJudgement

    def row(self, line: ReportRow, published: ReportRow) -> RowReading:
        """Return what may be said of one row."""
        judgement = judge_line(line)
        if line.headline:  # only its tests have conclusions
            judgement = Judgement(Conclusion.NO_TEST, Reason.NO_INTERVAL)
        facts = [score_cell(line.row)]
        if size := size_in_words(line):
            facts.append(size)
        if (p := line.decisive_p) is not None and not line.headline:
            same = line.p_adjusted in (None, line.row.p_value)
            facts.append(p_phrase(p) if same else f"corrected {p_phrase(p)}")
        return RowReading(
            line=line,
            published=published,
            judgement=judgement,
            word="—" if line.headline else judgement.word,
            clause=self._clause(line, judgement),
            facts=", ".join(facts),
        )

    def _clause(self, line: ReportRow, judgement: Judgement) -> str:
        """Return what a significant score says: the direction by the record, the lists or the ideal value."""
        record, above = self.record, line.score > line.ideal
        question, clause = line.question, ""
        # The absolute value of a signed score shows no direction, but its single tests and groups do.
        direction = line.row.direction or self.result.direction
        if record is not None and (line.kind == "test" or direction == record.direction):
            clause = record.above if above else record.below
        if question is not None and not (clause and judgement.significant):
            clause = question.small
        if clause:
            return self._fill(clause, line)
        compared = "the value expected by chance" if line.by_chance else "its ideal value"
        unsigned = record is not None and direction != record.direction
        scale = f", {range_text(line.score_range)} without a direction," if unsigned else ""
        return f"the score{scale} lies {'above' if above else 'below'} {compared}"

    def _fill(self, clause: str, line: ReportRow) -> str:
        """Return a clause with the options of the measurement and the lists that the row compares."""
        settings = _Settings(self.result.settings, method=self.result.method)
        return fill_labels(clause.format_map(settings), line.row)

    def _parts(self, rows: Sequence[RowReading]) -> str:
        """Return to how many tests or groups the conclusion applies, empty if it is about the whole result."""
        if self.judgement.n == 1 and not self.judgement.in_part:
            return ""
        kind = "test" if any(row.line.kind == "test" for row in rows) else "group"
        return f"{self.judgement.k} of {counted(self.judgement.n, kind)}"

    def word(self, rows: Sequence[RowReading]) -> str:
        """Return the conclusion in a few words, with the number of tests or groups that it is about."""
        parts = self._parts(rows)
        return f"{self.judgement.judgement.word} ({parts})" if parts else self.judgement.judgement.word

    def finding(self, rows: Sequence[RowReading], telling: Sequence[RowReading]) -> str:
        """Return the finding as a sentence."""
        judgement, row = self.judgement.judgement, telling[0]
        if judgement.nothing_follows:
            return _sentence(_why_nothing_follows(judgement, row.line))
        if judgement.kind:
            clause = row.clause if row.line.significant else f"it was not shown that {row.clause}"
            facts = row.facts if row.line.decisive_p is None else f"{clause} ({row.facts})"
            return _sentence(f"about the measurement, not the model: {facts}")
        if parts := self._parts(rows):
            scale = ", in standard deviations under the null," if row.line.row.labels.get("unit") else ""
            furthest = "; ".join(
                f"{r.name}: {r.clause} ({r.facts})" if r.filled else f"{r.name}, {r.facts}" for r in telling
            )
            word = "no p-value" if judgement.conclusion is Conclusion.NO_TEST else judgement.conclusion.value
            whole = next((r for r in rows if not r.part and not r.line.headline), None)
            if whole is not None and self.judgement.in_part:
                word = f"{whole.judgement.conclusion.value} overall, but {word}"
            reason = f": {judgement.reason.value}" if judgement.reason else ""
            return f"{_sentence(f'{word} in {parts}{reason}')} Furthest from the ideal{scale} is {furthest}."
        text = f"{self._one_score(row)} ({row.facts})"
        # Tests and subsets of the data are named. The overall score needs no name.
        return _sentence(text) if row.name == "overall" else f"{row.name}: {text}."

    def _one_score(self, row: RowReading) -> str:
        """Return the clause about one score."""
        line, ideal = row.line, f"{row.line.ideal:.4g}"
        one_sided = line.alternative != "two-sided"
        if row.judgement.conclusion is Conclusion.SIGNIFICANT:
            return row.clause
        match row.judgement.reason:
            case Reason.BEFORE_CORRECTION:
                return f"unclear: {Reason.BEFORE_CORRECTION.value}"
            case Reason.DISAGREE:
                small = f"the p-value is below 5% but the interval includes {ideal}"
                large = f"the interval excludes {ideal} but the p-value is not below 5%"
                return f"unclear, because {small if line.significant else large}; {_why_they_disagree(line)}"
            case Reason.INTERVAL_EXCLUDES:
                return f"no p-value, but the interval excludes {ideal}: {row.clause}"
            case Reason.INTERVAL_INCLUDES:
                return f"no p-value, and the interval includes {ideal}"
            case Reason.END_OF_RANGE:
                return (
                    f"no p-value: as the score cannot pass {ideal}, its interval shows how far from {ideal} it lies, "
                    "and does not test whether chance alone explains that"
                )
            case Reason.ALL_EQUAL:
                return line.nothing_to_test
            case Reason.NO_INTERVAL:
                return "neither p-value nor interval, so chance is not ruled out"
        if one_sided and line.asks_about_the_ideal:
            side = f": the interval lies wholly on the other side of {ideal}"
            return f"not significant in the direction tested{side if line.interval_on_other_side else ''}"
        if line.question is None:
            return f"no difference from {ideal} was detected"
        return f"it was not shown that {row.clause}"

    def remarks(self, rows: Sequence[RowReading], telling: Sequence[RowReading]) -> Iterable[str]:
        """Yield further remarks on the result, one sentence each."""
        judgement = self.judgement.judgement
        if old := outdated(self.result):
            yield _sentence(old)
        if judgement.kind == "illustrative" or judgement.reason is Reason.OPTION_ORDER:
            return
        parts = [row for row in rows if not row.line.headline]
        tested = [row for row in parts if row.line.decisive_p is not None]
        too_few = judgement.conclusion is Conclusion.TOO_FEW
        if controls := [
            row.line
            for row in tested
            if row.judgement.kind == "control" and row.judgement.conclusion is not Conclusion.TOO_FEW
        ]:
            n_significant = sum(line.significant for line in controls)
            yield f"Control tests without social content: {n_significant} of {len(controls)} significant."
        few = [row for row in parts if row.judgement.conclusion is Conclusion.TOO_FEW]
        if few and not too_few:
            names = name_list([row.name for row in few], _MAX_ROWS_NAMED)
            yield f"Too few items to be significant: {names}."
        if judgement.reason is not Reason.ALL_EQUAL:
            yield from (
                f"{r.name}: {r.line.nothing_to_test}."
                for r in parts
                if r.judgement.reason is Reason.ALL_EQUAL
            )
        other_side = [row for row in parts if row.line.interval_on_other_side]
        if other_side and len(parts) > 1:
            names = name_list([row.name for row in other_side], _MAX_ROWS_NAMED)
            yield f"The whole interval lies on the side that the test did not ask about: {names}."
        if close := [row for row in tested if row.line.too_close]:
            names = name_list([row.name for row in close], _MAX_ROWS_NAMED)
            where = f" of {names}" if any(row.part for row in close) else ""
            more = " Increase `n_resamples` to decide." if "n_resamples" in self.result.settings else ""
            yield (
                f"The p-value{where} is within three Monte Carlo errors of {ALPHA:g}: other random draws could change "
                f"whether it is below.{more}"
            )
        if any(row.with_ties for row in rows):
            yield (
                f"Scores are shares of the pairs or items without ties, ideal {rows[0].line.ideal:g}. The published "
                'score "with ties" counts them as not preferred. Its ideal is in brackets.'
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
        if judgement.kind == "control" or too_few:
            scale = ""
        if scale and any(size_in_words(row.line) for row in telling):
            yield f"Sizes are named after Cohen (1988): {scale_in_words(scale)}. They say nothing about harm."
        yield from self._detectable([row for row in telling if not row.filled])

    def _detectable(self, rows: Sequence[RowReading]) -> Iterable[str]:
        """Yield the effect that the test could have detected in a row that is not significant."""
        for row in rows[:1]:
            ends = zip(detectable(row.line, self.result), ("less", "more"), strict=True)
            scores = ", ".join(f"{end:.3g} or {way}" for end, way in ends if end is not None)
            if scores and row.judgement.conclusion in (Conclusion.NOT_SIGNIFICANT, Conclusion.UNCLEAR):
                whose = f"{row.name}: " if row.part else ""
                yield (
                    "True scores that this test would detect in at least 80% of cases, before correction: "
                    f"{whose}{scores}."
                )


def _why_nothing_follows(judgement: Judgement, line: ReportRow) -> str:
    """Return why a score says nothing about a model, whatever it is."""
    if judgement.kind == "illustrative":
        return "illustrative data: nothing follows about the model"
    if judgement.reason is Reason.OPTION_ORDER:
        return f"{line.option_order}, so nothing follows from the score"
    if judgement.conclusion is Conclusion.TOO_FEW:
        return f"too few items: {line.why_too_few}"
    response = "they show that the measure responds and say nothing about people"
    return f"only control tests without social content: {response}"


def _why_they_disagree(line: ReportRow) -> str:
    """Return an explanation of why p-value and interval of one score disagree."""
    # Of a two-sided test the p-value would be twice as large, and the interval would agree.
    if line.alternative != "two-sided" and ALPHA / 2 <= (line.decisive_p or 0.0) < ALPHA:
        return "the test is one-sided and the interval two-sided"
    different = "rest on different assumptions" if line.question is None else "ask different questions"
    return f"test and interval {different}"


class _Settings(dict[str, Any]):
    """Options by name, with defaults for newer options. Unknown keys, such as names of lists, are left unchanged."""

    def __init__(self, settings: Mapping[str, Any], method: str) -> None:
        super().__init__(settings)
        self._method = method

    def __missing__(self, key: str) -> str:
        known = {} if key in "xyab" or self._method not in METHODS else METHODS[self._method].options()
        return str(known[key].default) if key in known else f"{{{key}}}"


def _sentence(clause: str) -> str:
    """Return a clause as a sentence, with a capital letter and a full stop."""
    return f"{clause[:1].upper()}{clause[1:]}."


def unread_sentence(result: Result) -> str:
    """Return a sentence with the bounds of a score if less than 90% of its items could be read, else an empty string.

    Examples:
        >>> from dataclasses import replace
        >>> from evaluate_bias.result import Coverage, Estimate
        >>> bounds = {"low": 0.5, "high": 0.75, "of": "the score"}
        >>> result = Result(method="relative_decision", score=0.667, score_range=(0, 1), direction="two_sided",
        ...                 ideal=0.5, n=30, coverage=Coverage(30, 40), details={"bounds": bounds},
        ...                 estimates={"bounds": Estimate(0.667, 0.36, 0.86), "readable": Estimate(0.7512)})
        >>> unread_sentence(result)
        'Only 75% of what was asked could be read. Whatever the other answers are, the score lies between 0.50 and 0.75
        (between 0.36 and 0.86 with the uncertainty of sampling).'

        If the score has no interval, the uncertainty of sampling is not known and not named.

        >>> unread_sentence(replace(result, estimates={**result.estimates, "bounds": Estimate(0.667, 0.5, 0.75)}))
        'Only 75% of what was asked could be read. Whatever the other answers are, the score lies between 0.50 and
        0.75.'
    """
    bounds, estimate = result.details.get("bounds"), result.estimates.get("bounds")
    readable = result.estimates.get("readable")
    share = min(1.0 if readable is None else readable.value, result.coverage.share)
    if bounds is None or estimate is None or share >= _READ_SHARE_WITHOUT_BOUNDS:
        return ""
    ends = (bounds["low"], bounds["high"], estimate.low or 0.0, estimate.high or 0.0)
    low, high, wide_low, wide_high = map(decimals, ends)
    widened = f" (between {wide_low} and {wide_high} with the uncertainty of sampling)"
    if ends[:2] == ends[2:]:  # no interval, so nothing is known of the uncertainty
        widened = ""
    return (
        f"Only {int(100 * share)}% of what was asked could be read. Whatever the other answers are, {bounds['of']} "
        f"lies between {low} and {high}{widened}."
    )


def size_in_words(line: ReportRow) -> str:
    """Return "large", "medium", "small" or "below small" by Cohen (1988), empty if the method has no such scale.

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
    """Return the record of a line's method if its scale applies to this score, that is, if it has the record's name."""
    record = METHODS.get(line.method)
    if record is None or line.headline or record.name_of(line.score_range) != record.score_name:
        return None
    return record if record.scale else None


def detectable(line: ReportRow, result: Result) -> tuple[float | None, float | None]:
    """Return the scores below and above the ideal that the line's test detects in 80% of cases, before any adjustment.

    An end is ``None`` if no score beyond it is detected so often, or if this is unknown for the method's test.

    Args:
        line: of a report, with the share of the decided units if the method counts ties.
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
    """Return the value of the whole on the line's axis: 100 if it is in percent, else 1."""
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
        conclusion: what may be concluded from the whole result, and to how many of its tests or groups it applies.
        word: the conclusion in a few words, with these numbers if there are several tests.
        finding: what was shown or not, in which direction, how large, how sure.
        remarks: what else must be said, a sentence each: a side that was not tested, control tests, rows with too
            few items, ties, what the test could have detected.
        rows: its rows. The first represents the result.
        telling: the rows that the finding is about.
    """

    result: Result
    title: str
    short: str
    model: str
    looks_at: str
    data: str
    conclusion: ResultJudgement
    word: str
    finding: str
    remarks: tuple[str, ...]
    rows: tuple[RowReading, ...]
    telling: tuple[RowReading, ...]

    @property
    def head(self) -> RowReading:
        """The row that represents the result."""
        return self.rows[0]

    @property
    def parts(self) -> tuple[RowReading, ...]:
        """Its tests or groups."""
        return tuple(row for row in self.rows if row.part)

    @property
    def judgement(self) -> Judgement:
        """What may be concluded from the result."""
        return self.conclusion.judgement

    @property
    def significant(self) -> bool:
        """True if the whole result or a part of it is significant."""
        return self.judgement.significant

    @property
    def line(self) -> ReportRow:
        """The row that represents the whole result."""
        return self.head.line

    @property
    def filled(self) -> bool:
        """True if pictures fill the mark of the whole result."""
        return self.significant and not self.conclusion.in_part

    @property
    def decisive_p(self) -> float:
        """The smallest p-value of the rows that the finding is about, 1 if they have none."""
        return min((p for row in self.telling if (p := row.line.decisive_p) is not None), default=1.0)


def read(result: Result) -> Reading:
    """Return what may be said of one result. Its p-values are corrected over its own tests or groups.

    Examples:
        >>> labels = {"x": "math", "y": "arts", "a": "male terms", "b": "female terms"}
        >>> from evaluate_bias.result import Row
        >>> row = Row(name="weat7", kind="test", score=1.055, ci_low=0.31, ci_high=1.65, p_value=0.031, n=16,
        ...           labels=labels)
        >>> result = Result(method="weat", score=1.055, score_range=(-2, 2), direction="two_sided", ideal=0,
        ...                 n=16, rows=[row])
        >>> reading = read(result)
        >>> reading.word, reading.rows[0].facts
        ('significant', '1.05 [0.31, 1.65], large, p = .031')
    """
    return read_all([result])[0]


def read_all(results: Sequence[Result]) -> list[Reading]:
    """Return what may be said of each result, p-values corrected over all results on the same model."""
    return [_reading(*pair) for pair in zip(results, lines_by_result(results), strict=True)]


Readable = Sequence[Result] | Sequence[Reading]
"""Results, or their readings, so that several writers can share them."""


def as_readings(results: Readable) -> list[Reading]:
    """Return the readings of results. Readings are returned unchanged."""
    readings = [one for one in results if isinstance(one, Reading)]
    return readings or read_all([one for one in results if isinstance(one, Result)])


class NotMeasured(BaseModel):
    """A measurement of a run that has no result.

    Attributes:
        method: registry name of the method.
        model: what was to be measured.
        reason: why it has no result, as one clause without folders of this machine.
    """

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    method: str
    model: str
    reason: str


_PATH_START = r"""(?<![\w:/.])(?:file://|[A-Za-z]:[\\/]|~?/|\.{1,2}[\\/])"""
# Between quotes, a path may contain spaces.
_PATH = re.compile(rf"""(?<='){_PATH_START}[^'"]+(?=')|{_PATH_START}[^\s'"()\[\],;:]+""")
_MAX_REASON_CHARS = 200


def read_not_measured(path: str | Path) -> list[NotMeasured]:
    """Return what the run in a folder could not measure, each measurement of a method on a model once per reason.

    Raises:
        DataError: the results cannot be read.
    """
    missing = (
        NotMeasured(
            method=failure.unit.method,
            model=public_name(failure.unit.model),
            reason=shorten_reason(failure.reason, failure.unit.method),
        )
        for failure in read_failures(path)
    )
    return list(dict.fromkeys(missing))


def shorten_reason(reason: str, method: str) -> str:
    """Return the first clause of an error, without its hint, the folders of paths and the name of the method.

    Examples:
        >>> shorten_reason("weat needs a model that embeds words and m does not; use word vectors", "weat")
        'it needs a model that embeds words and m does not'
        >>> shorten_reason("/home/someone/pairs.csv has no column 'sent_more'; rename one", "pll")
        "pairs.csv has no column 'sent_more'"
        >>> shorten_reason("'/home/some one/my pairs.csv' is empty", "pll")
        "'my pairs.csv' is empty"
    """
    if reason.startswith(f"{method} "):
        reason = f"it{reason.removeprefix(method)}"
    clause = _PATH.sub(lambda match: public_name(match[0]), one_line(reason)).partition("; ")[0].rstrip(".")
    return clause if len(clause) <= _MAX_REASON_CHARS else f"{clause[: _MAX_REASON_CHARS - 1].rstrip()}…"


def not_measured_clauses(missing: Iterable[NotMeasured], *, several_models: bool) -> list[str]:
    """Return what could not be measured and why, one clause for each reason, with the model if there are several.

    Examples:
        >>> missing = [NotMeasured(method=name, model="m", reason="no mask token") for name in ("aul", "lpbs", "weat")]
        >>> not_measured_clauses(missing, several_models=False)
        ['AUL, LPBS, WEAT (no mask token)']
        >>> not_measured_clauses(missing[:1], several_models=True)
        ['AUL on m (no mask token)']
    """
    reasons: dict[tuple[str, ...], list[str]] = {}
    for one in missing:
        title = short_title(one.method).partition(" (")[0]
        of_method = title if one.reason.startswith("it ") else ""
        reasons.setdefault((one.model, one.reason, of_method), []).append(title)
    return [
        f"{name_list(titles, _MAX_ROWS_NAMED)}{f' on {model}' if several_models else ''} ({reason})"
        for (model, reason, _), titles in reasons.items()
    ]


_CONCLUSIONS = (
    Conclusion.SIGNIFICANT,
    Conclusion.UNCLEAR,
    Conclusion.NOT_SIGNIFICANT,
    Conclusion.NO_TEST,
    Conclusion.TOO_FEW,
)
_KINDS: Sequence[RowKind] = ("", "control", "about the measurement", "illustrative")


def finding_order(reading: Reading) -> tuple[float, ...]:
    """Return the sort key that puts significant results first, the surest first, and rows of other kinds last."""
    judgement = reading.judgement
    kind, conclusion = _KINDS.index(judgement.kind), _CONCLUSIONS.index(judgement.conclusion)
    return kind, conclusion, reading.conclusion.in_part, reading.decisive_p if reading.significant else 0.0


def significance_note(readings: Sequence[Reading]) -> str:
    """Return what "significant" means in these readings: which p-values were corrected over which tests."""
    lines = [row.line for r in readings for row in r.rows]
    corrected = ""
    if any(line.p_adjusted is not None for line in lines):
        of_model = any(line.p_holm_all is not None for line in lines)
        whole = "everything measured on the model except illustrative data"
        corrected = (
            f" after Holm correction over {whole if of_model else 'the tests or groups of the result'}"
        )
    return f'"Significant": p < .05{corrected}, and the interval agrees.'


def measured_on(models: str, data: str) -> str:
    """Return the sentence that cards and reports begin with: what was measured on what."""
    return f"Measured on {models} with {data}. These numbers describe the model on these data and do not certify it."


def _reading(result: Result, lines: Sequence[ReportRow]) -> Reading:
    record, decided = METHODS.get(result.method), decided_lines(lines)
    judgement = judge_result(decided)
    wording = Wording(record, result, judgement)
    rows = tuple(map(wording.row, decided, lines))
    telling = tuple(row for line in judgement.cited_lines for row in rows if row.line is line)
    looks_at = "" if record is None else record.data.schema.looks_at
    if record is not None and "counts words" in record.needs:
        looks_at = "which words occur together in texts"
    if judgement.judgement.kind == "about the measurement":
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
        conclusion=judgement,
        word=wording.word(rows),
        finding=f"{wording.finding(rows, telling)} {unread_sentence(result)}".rstrip(),
        remarks=tuple(wording.remarks(rows, telling)),
        rows=rows,
        telling=telling,
    )
