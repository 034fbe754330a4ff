"""The verdicts: one per line of a report and one per result, by fixed rules.

Every sentence, word and mark of cards, reports and pictures about what was found comes from here, so no two differ.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

from .lines import ALPHA, ReportRow


class Verdict(Enum):
    """What a p-value, or else an interval, allows to say; the value is how tables say it."""

    FOUND = "found"
    """The adjusted p-value is below 5%, and no interval contradicts it."""
    FOUND_IN_PART = "found in part"
    """Some of a result's tests, or of its groups where the overall score shows nothing, are found."""
    ONLY_BEFORE = "only before adjusting"
    """The p-value is below 5% only before it is adjusted."""
    UNDECIDED = "undecided"
    """P-value and interval, which answer the same question, disagree."""
    NOT_FOUND = "not found"
    """The p-value is not below 5%; that is no proof of absence."""
    INTERVAL_EXCLUDES = "interval excludes ideal"
    """No p-value; the interval excludes the ideal value."""
    INTERVAL_INCLUDES = "interval includes ideal"
    """No p-value; the interval includes the ideal value."""
    AT_EDGE = "no test"
    """No p-value; the score cannot pass its ideal value, so the interval says how far, and never whether."""
    NO_INFERENCE = "no inference"
    """Neither p-value nor interval: chance cannot be ruled out."""
    OPTION_ORDER = "option order"
    """The answers follow option order, and nothing follows from the score."""
    ALL_EQUAL = "all equal"
    """No item differs, or no answer says anything about people: there is nothing to test, and that is the finding."""
    TOO_FEW = "too few items"
    """Too few units for a p-value below 5%, whatever they show, or for a t test."""
    CONTROL = "control"
    """A test without social content, which shows that the measure responds."""
    MEASUREMENT = "about the measurement"
    """The score is about how far a measurement can be trusted, and not about the model."""
    ILLUSTRATIVE = "illustrative"
    """The data show how the method works, and nothing follows from them."""

    @property
    def word(self) -> str:
        """The verdict in a word or two; of what was found in a part, the part is said beside it."""
        words = {Verdict.FOUND_IN_PART: Verdict.FOUND.value}
        words |= dict.fromkeys((Verdict.OPTION_ORDER, Verdict.ALL_EQUAL), Verdict.AT_EDGE.value)
        return words.get(self, self.value)


FOUND = (Verdict.FOUND, Verdict.FOUND_IN_PART)
FILLED_MARK, PART_MARK, OPEN_MARK = "found", "a test or group that was found", "not found, or another verdict"
"""The legends of the marks in pictures."""

NOTHING_FOLLOWS = (Verdict.ILLUSTRATIVE, Verdict.OPTION_ORDER, Verdict.CONTROL, Verdict.TOO_FEW)
"""Nothing about a model follows from such a score, whatever it is."""

_PRECEDENCE = (
    Verdict.ONLY_BEFORE,
    Verdict.UNDECIDED,
    Verdict.NOT_FOUND,
    Verdict.INTERVAL_EXCLUDES,
    Verdict.INTERVAL_INCLUDES,
    Verdict.AT_EDGE,
    Verdict.NO_INFERENCE,
    Verdict.ALL_EQUAL,
)
"""The verdict on several tests when none of them is found: the first of these that any test has."""


@dataclass(frozen=True, slots=True)
class ResultVerdict:
    """What may be said of a whole result.

    Attributes:
        verdict: the verdict.
        line: the line that it rests on.
        k, n: of how many of its tests or groups it holds; equal where it holds of the result as a whole.
        others: where parts were found on both sides of the ideal value, the furthest on the other side.
    """

    verdict: Verdict
    line: ReportRow
    k: int = 1
    n: int = 1
    others: tuple[ReportRow, ...] = ()

    @property
    def cited_lines(self) -> tuple[ReportRow, ...]:
        """The lines that a sentence speaks of."""
        return (self.line, *self.others)


def line_verdict(line: ReportRow) -> Verdict:
    """Return what may be said of one line, which has the share of the decided units where the method counts ties."""
    if line.illustrative:
        return Verdict.ILLUSTRATIVE
    if line.option_order:
        return Verdict.OPTION_ORDER
    if line.nothing_to_test:
        return Verdict.ALL_EQUAL
    if line.why_too_few:
        return Verdict.TOO_FEW
    if line.control:
        return Verdict.CONTROL
    if line.decisive_p is None:
        if line.row.ci_low is None or line.row.ci_high is None:
            return Verdict.NO_INFERENCE
        if line.ideal in line.score_range:
            return Verdict.AT_EDGE
        return Verdict.INTERVAL_EXCLUDES if line.interval_excludes_ideal else Verdict.INTERVAL_INCLUDES
    compared = line.asks_about_the_ideal and line.row.ci_low is not None and line.row.ci_high is not None
    if line.significant:
        return Verdict.UNDECIDED if compared and not line.interval_excludes_ideal else Verdict.FOUND
    if line.p_adjusted is not None and line.row.p_value is not None and line.row.p_value < ALPHA:
        return Verdict.ONLY_BEFORE
    # A one-sided test cannot find what lies on the other side: that is not found in the direction asked.
    disagree = compared and line.interval_excludes_ideal and not line.interval_on_other_side
    return Verdict.UNDECIDED if disagree else Verdict.NOT_FOUND


def result_verdict(lines: Sequence[ReportRow]) -> ResultVerdict:
    """Return what may be said of a result by its lines: the tests, or the overall score and its groups.

    Of tests, those without social content and those with too few units decide nothing. The overall score decides for
    its groups; where it is not found and groups are, that is said.
    """
    first = lines[0]
    if all(r.illustrative for r in lines):
        return ResultVerdict(Verdict.ILLUSTRATIVE, first)
    if first.option_order:
        return ResultVerdict(Verdict.OPTION_ORDER, first)
    if first.result.direction == "higher_is_more_robust":
        return ResultVerdict(Verdict.MEASUREMENT, first)

    pairs = [(r, line_verdict(r)) for r in lines if not r.headline]
    overall = next((g for g in pairs if g[0].kind == "overall"), None)
    if overall is not None and overall[1] is Verdict.FOUND:
        return ResultVerdict(Verdict.FOUND, overall[0])
    parts = [(r, v) for r, v in pairs if r.kind != "overall" and v not in (Verdict.CONTROL, Verdict.TOO_FEW)]
    effects = [r for r, v in parts if v is Verdict.FOUND]
    if effects and (overall is None or overall[0].question == effects[0].question):
        whole, furthest = overall is None and len(effects) == len(parts), max(effects, key=_distance)
        above = furthest.score > furthest.ideal
        others = sorted((r for r in effects if (r.score > r.ideal) != above), key=_distance, reverse=True)[:1]
        verdict = Verdict.FOUND if whole else Verdict.FOUND_IN_PART
        return ResultVerdict(verdict, furthest, len(effects), len(parts), tuple(others))
    if overall is not None:
        return ResultVerdict(overall[1], overall[0])
    for kind in _PRECEDENCE:
        if of_kind := [r for r, v in parts if v is kind]:
            return ResultVerdict(kind, max(of_kind, key=_distance), len(of_kind), len(parts))
    few = [r for r, v in pairs if v is Verdict.TOO_FEW and not r.control]
    return ResultVerdict(Verdict.TOO_FEW, few[0]) if few else ResultVerdict(Verdict.CONTROL, first)


def _distance(line: ReportRow) -> float:
    """How far a score lies from its ideal; where tests differ in their unit, in standard deviations under the null."""
    sd = line.row.details.get("null_sd") if line.row.labels.get("unit") else None
    return abs(line.score - line.ideal) / (float(sd) if sd else 1.0)
