"""What may be concluded from a line of a report and from a whole result, by fixed rules.

Cards, reports, tables and pictures get their conclusions from here, so no two surfaces differ.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Literal

from .lines import ALPHA, ReportRow


class Conclusion(Enum):
    """What may be concluded about one score. The value is what every surface shows."""

    SIGNIFICANT = "significant"
    """The corrected p-value is below 5%, and the interval does not contradict it."""
    NOT_SIGNIFICANT = "not significant"
    """The corrected p-value is not below 5%. This does not show that bias is absent."""
    UNCLEAR = "unclear"
    """The score is significant only before correction, or p-value and interval disagree."""
    NO_TEST = "no test"
    """Without a p-value: the interval, or a sentence, says what is known."""
    TOO_FEW = "too few items"
    """With so few items no p-value can be below 5%, whatever they show."""


class Reason(Enum):
    """Why a score is unclear, or why it has no test."""

    BEFORE_CORRECTION = "significant only before correction for multiple testing"
    DISAGREE = "p-value and interval disagree"
    INTERVAL_EXCLUDES = "the interval excludes the ideal value"
    INTERVAL_INCLUDES = "the interval includes the ideal value"
    END_OF_RANGE = "the ideal value is an end of the range, which an interval never excludes"
    NO_INTERVAL = "neither p-value nor interval"
    OPTION_ORDER = "the answers follow the option order"
    ALL_EQUAL = "no item differs, or no answer names a person"


RowKind = Literal["", "control", "illustrative", "about the measurement"]
"""What a row is about, if it is not about the bias of a model: no finding follows from it."""


@dataclass(frozen=True, slots=True)
class Judgement:
    """What may be concluded from a row, why if it is unclear or without a test, and what the row is about."""

    conclusion: Conclusion
    reason: Reason | None = None
    kind: RowKind = ""

    @property
    def significant(self) -> bool:
        """True if the row is a finding about the model."""
        return self.conclusion is Conclusion.SIGNIFICANT and not self.kind

    @property
    def nothing_follows(self) -> bool:
        """True if nothing about a model follows from the score, whatever it is."""
        about_model = self.kind in ("", "about the measurement")
        return not about_model or self.conclusion is Conclusion.TOO_FEW or self.reason is Reason.OPTION_ORDER

    @property
    def word(self) -> str:
        """The conclusion as tables show it, with what the row is about. Illustrative data allow no conclusion."""
        if self.kind == "illustrative":
            return self.kind
        return f"{self.conclusion.value} ({self.kind})" if self.kind else self.conclusion.value


_UNCLEAR_OR_UNTESTED = (
    (Conclusion.UNCLEAR, Reason.BEFORE_CORRECTION),
    (Conclusion.UNCLEAR, Reason.DISAGREE),
    (Conclusion.NOT_SIGNIFICANT, None),
    *(
        (Conclusion.NO_TEST, reason)
        for reason in (
            Reason.INTERVAL_EXCLUDES,
            Reason.INTERVAL_INCLUDES,
            Reason.END_OF_RANGE,
            Reason.NO_INTERVAL,
            Reason.ALL_EQUAL,
        )
    ),
)
"""The conclusion from several tests of which none is significant: the first of these that any test has."""

FILLED_MARK, PART_MARK, OPEN_MARK = "significant", "significant in some tests or groups", "another conclusion"
"""The legends of the marks in pictures."""


@dataclass(frozen=True, slots=True)
class ResultJudgement:
    """What may be concluded from a whole result.

    Attributes:
        judgement: the conclusion.
        line: the line that it rests on.
        k, n: the conclusion applies to k of n tests or groups. They are equal if it applies to the whole result.
        in_part: True if some of its tests, or of its groups although the overall score is not, are significant.
        others: if parts are significant on both sides of the ideal value, the furthest one on the other side.
    """

    judgement: Judgement
    line: ReportRow
    k: int = 1
    n: int = 1
    in_part: bool = False
    others: tuple[ReportRow, ...] = ()

    @property
    def cited_lines(self) -> tuple[ReportRow, ...]:
        """The lines that a sentence is about."""
        return (self.line, *self.others)


def judge_line(line: ReportRow) -> Judgement:
    """Return what may be concluded from one line, with the score without ties if the method counts ties."""
    kind: RowKind = ""
    if line.illustrative:
        kind = "illustrative"
    elif line.control:
        kind = "control"
    elif line.result.direction == "higher_is_more_robust":
        kind = "about the measurement"
    if line.option_order:
        return Judgement(Conclusion.NO_TEST, Reason.OPTION_ORDER, kind)
    if line.nothing_to_test:
        return Judgement(Conclusion.NO_TEST, Reason.ALL_EQUAL, kind)
    if line.why_too_few:
        return Judgement(Conclusion.TOO_FEW, None, kind)
    has_interval = line.row.ci_low is not None and line.row.ci_high is not None
    if line.decisive_p is None:
        if not has_interval:
            reason = Reason.NO_INTERVAL
        elif line.ideal in line.score_range:
            reason = Reason.END_OF_RANGE
        else:
            reason = Reason.INTERVAL_EXCLUDES if line.interval_excludes_ideal else Reason.INTERVAL_INCLUDES
        return Judgement(Conclusion.NO_TEST, reason, kind)
    compared = line.asks_about_the_ideal and has_interval
    if line.significant:
        if compared and not line.interval_excludes_ideal:
            return Judgement(Conclusion.UNCLEAR, Reason.DISAGREE, kind)
        return Judgement(Conclusion.SIGNIFICANT, None, kind)
    if line.p_adjusted is not None and line.row.p_value is not None and line.row.p_value < ALPHA:
        return Judgement(Conclusion.UNCLEAR, Reason.BEFORE_CORRECTION, kind)
    # A one-sided test cannot find what lies on the other side: that is not significant in the direction tested.
    if compared and line.interval_excludes_ideal and not line.interval_on_other_side:
        return Judgement(Conclusion.UNCLEAR, Reason.DISAGREE, kind)
    return Judgement(Conclusion.NOT_SIGNIFICANT, None, kind)


def judge_result(lines: Sequence[ReportRow]) -> ResultJudgement:
    """Return what may be concluded from a result by its lines: the tests, or the overall score and its groups.

    Tests without social content and tests with too few items decide nothing. The overall score decides for its groups.
    If it is not significant and some groups are, the judgement says so.
    """
    pairs = [(r, judge_line(r)) for r in lines if not r.headline]
    first = next((pair for pair in pairs if pair[0] is lines[0]), (lines[0], judge_line(lines[0])))
    if all(r.illustrative for r in lines):
        return ResultJudgement(first[1], lines[0])
    if lines[0].option_order or lines[0].result.direction == "higher_is_more_robust":
        return ResultJudgement(first[1], lines[0])

    overall = next((pair for pair in pairs if pair[0].kind == "overall"), None)
    if overall is not None and overall[1].significant:
        return ResultJudgement(overall[1], overall[0])
    parts = [
        (r, j)
        for r, j in pairs
        if r.kind != "overall" and not j.kind and j.conclusion is not Conclusion.TOO_FEW
    ]
    effects = [r for r, j in parts if j.significant]
    if effects and (overall is None or overall[0].question == effects[0].question):
        furthest = max(effects, key=_distance)
        above = furthest.score > furthest.ideal
        others = sorted((r for r in effects if (r.score > r.ideal) != above), key=_distance, reverse=True)[:1]
        return ResultJudgement(
            judge_line(furthest),
            furthest,
            len(effects),
            len(parts),
            in_part=overall is not None or len(effects) < len(parts),
            others=tuple(others),
        )
    if overall is not None:
        return ResultJudgement(overall[1], overall[0])
    for conclusion, reason in _UNCLEAR_OR_UNTESTED:
        if alike := [(r, j) for r, j in parts if (j.conclusion, j.reason) == (conclusion, reason)]:
            line, judgement = max(alike, key=lambda pair: _distance(pair[0]))
            return ResultJudgement(judgement, line, len(alike), len(parts))
    few = [(r, j) for r, j in pairs if j.conclusion is Conclusion.TOO_FEW and not j.kind]
    line, judgement = (few or pairs or [first])[0]
    return ResultJudgement(judgement, line)


def _distance(line: ReportRow) -> float:
    """Return how far a score is from its ideal, in standard deviations under the null if tests differ in their unit."""
    sd = line.row.details.get("null_sd") if line.row.labels.get("unit") else None
    return abs(line.score - line.ideal) / (float(sd) if sd else 1.0)
