"""What may be called found: one verdict per line of a report and one per result, by fixed rules and nothing else.

Every sentence, word and mark of a card about what was found comes from here, so no two of them can differ.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

from ...method import PValue
from ..lines import ALPHA, Line

__all__ = [
    "ResultVerdict",
    "Verdict",
    "line_verdict",
    "line_verdicts",
    "result_verdict",
    "asks_about_the_ideal",
]


class Verdict(Enum):
    """What a p-value, or else an interval, allows to say; the values name the sentences' words."""

    FOUND = "found"
    """The p-value, adjusted for the tests of its result, is below 5%, and no interval contradicts it."""
    FOUND_IN_PART = "found_in_part"
    """Some of a result's tests, or of its groups where the overall score shows nothing, are found."""
    FADES = "fades"
    """Found in its own result, and no longer when adjusted for all p-values of the card."""
    ONLY_BEFORE = "only_before"
    """Below 5% only before the adjustment for the tests of its result."""
    UNDECIDED = "undecided"
    """P-value and interval, which ask the same question, disagree."""
    NOT_FOUND = "not_found"
    """The p-value is not below 5%; that is no proof of absence."""
    INTERVAL_EXCLUDES = "interval_excludes"
    """No p-value; the interval excludes the ideal value."""
    INTERVAL_INCLUDES = "interval_includes"
    """No p-value; the interval includes the ideal value."""
    AT_EDGE = "at_edge"
    """No p-value; the score cannot pass its ideal value, so the interval says how far, and never whether."""
    NO_INFERENCE = "no_inference"
    """Neither p-value nor interval: what is chance is open."""
    TOO_FEW = "too_few"
    """Too few units for any p-value below 5%, whatever they show."""
    CONTROL = "control"
    """A test without social content, which shows that the measure responds."""
    MEASUREMENT = "measurement"
    """The score is about how far a measurement can be trusted, and not about the model."""
    ILLUSTRATIVE = "illustrative"
    """The data show how the method works, and nothing follows from them."""


_PRECEDENCE = (
    Verdict.FADES,
    Verdict.UNDECIDED,
    Verdict.ONLY_BEFORE,
    Verdict.NOT_FOUND,
    Verdict.INTERVAL_EXCLUDES,
    Verdict.INTERVAL_INCLUDES,
    Verdict.AT_EDGE,
    Verdict.NO_INFERENCE,
)
"""Which verdict stands for several tests of which none is found."""


@dataclass(frozen=True, slots=True)
class ResultVerdict:
    """What may be said of a whole result.

    Attributes:
        verdict: the verdict.
        line: the line that a sentence about it speaks of.
        k, n: of how many of its tests or groups it holds; equal where it holds of the result as a whole.
    """

    verdict: Verdict
    line: Line
    k: int = 1
    n: int = 1


def asks_about_the_ideal(p: PValue | None, direction: str, kind: str) -> bool:
    """Tell whether a p-value asks what the interval asks: whether the score has its ideal value.

    Args:
        p: what the method's record says of its p-value.
        direction: the result's direction; the null hypothesis of a one-sided score need not be its ideal value.
        kind: kind of the row; tests of associations always ask that.
    """
    return p is None and (direction == "two_sided" or kind == "test")


def line_verdict(line: Line, about_ideal: bool = True) -> Verdict:
    """Return what may be said of one line.

    Args:
        line: the line, with the share of the decided units where the method counts ties.
        about_ideal: see :func:`asks_about_the_ideal`.
    """
    if line.illustrative:
        return Verdict.ILLUSTRATIVE
    if line.too_small:
        return Verdict.TOO_FEW
    if line.control:
        return Verdict.CONTROL
    if line.decisive_p is None:
        return _by_interval(line)
    compared = about_ideal and line.ci_low is not None and line.ci_high is not None
    if line.significant:
        if compared and not line.interval_excludes_ideal:
            return Verdict.UNDECIDED
        stays = line.p_holm_all is None or line.p_holm_all < ALPHA
        return Verdict.FOUND if stays else Verdict.FADES
    if line.p_value is not None and line.p_value < ALPHA:
        return Verdict.ONLY_BEFORE
    return Verdict.UNDECIDED if compared and line.interval_excludes_ideal else Verdict.NOT_FOUND


def _by_interval(line: Line) -> Verdict:
    if line.ci_low is None or line.ci_high is None:
        return Verdict.NO_INFERENCE
    if line.ideal in line.score_range:
        return Verdict.AT_EDGE
    return Verdict.INTERVAL_EXCLUDES if line.interval_excludes_ideal else Verdict.INTERVAL_INCLUDES


def line_verdicts(
    lines: Sequence[Line], direction: str, p: PValue | None = None
) -> list[tuple[Line, Verdict]]:
    """Return the lines of one result, each with its verdict; the arguments are those of :func:`result_verdict`."""
    return [(r, line_verdict(r, asks_about_the_ideal(p, direction, r.kind))) for r in lines]


def result_verdict(lines: Sequence[Line], direction: str, p: PValue | None = None) -> ResultVerdict:
    """Return what may be said of a result by its lines: the tests, or the overall score and its groups.

    Of tests, those without social content and those with too few units decide nothing. The overall score decides for
    its groups; where it is not found and groups are, that is said.

    Args:
        lines: the lines of one result.
        direction: the result's direction.
        p: what the method's record says of its p-value.
    """
    first = lines[0]
    if all(r.illustrative for r in lines):
        return ResultVerdict(Verdict.ILLUSTRATIVE, first)
    if direction == "higher_is_more_robust":
        return ResultVerdict(Verdict.MEASUREMENT, first)

    given = line_verdicts(lines, direction, p)
    overall = next((g for g in given if g[0].kind == "overall"), None)
    if overall is not None and overall[1] is Verdict.FOUND:
        return ResultVerdict(Verdict.FOUND, overall[0])
    parts = [(r, v) for r, v in given if r.kind != "overall" and v not in (Verdict.CONTROL, Verdict.TOO_FEW)]
    found = [r for r, v in parts if v is Verdict.FOUND]
    if found and (p is None or p.parts is None):
        furthest = max(found, key=lambda r: abs(r.score - r.ideal))
        whole = overall is None and len(found) == len(parts)
        return ResultVerdict(
            Verdict.FOUND if whole else Verdict.FOUND_IN_PART, furthest, len(found), len(parts)
        )
    if overall is not None:
        return ResultVerdict(overall[1], overall[0])
    for wanted in _PRECEDENCE:
        of_kind = [r for r, v in parts if v is wanted]
        if of_kind:
            return ResultVerdict(wanted, of_kind[0], len(of_kind), len(parts))
    few = [r for r, v in given if v is Verdict.TOO_FEW and not r.control]
    return ResultVerdict(Verdict.TOO_FEW, few[0]) if few else ResultVerdict(Verdict.CONTROL, first)
