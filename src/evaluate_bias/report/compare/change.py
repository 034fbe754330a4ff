"""The change of one score between two measurements, and the one place that decides what may be said of it."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple

from ... import stats
from ...result import Direction, Sampled
from ...text import p_phrase
from ..lines import method_title


class ChangeVerdict(Enum):
    """What may be said of a change; the value is how tables say it."""

    NEARER = "nearer to the ideal"
    FURTHER = "further from the ideal"
    PASSED = "passed the ideal"
    CHANGED = "changed"
    UNDECIDED = "undecided"
    NOT_SHOWN = "not shown"
    SAME = "no change"
    TOO_FEW = "too few items"
    NOT_COMPARABLE = "not comparable"
    NOT_TESTED = "not tested"
    CONTROL = "control"


FOUND = (ChangeVerdict.NEARER, ChangeVerdict.FURTHER, ChangeVerdict.PASSED, ChangeVerdict.CHANGED)
"""The verdicts of a change that was found."""


class Ties(NamedTuple):
    """How many shared items tie in the first measurement only, in the second only, and in both."""

    first: int
    second: int
    both: int

    def __str__(self) -> str:
        return (
            f"{self.first:,} tie only in the first, {self.second:,} only in the second, {self.both:,} in both"
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """The change of one score between two measurements, the second minus the first, on the units that both have.

    Attributes:
        method, name, kind: the row: registry name, name of the test or group, and the row's kind.
        direction, score_range: how the score is read, and its lowest and highest value.
        control: whether the row has no social content, so that nothing follows from its change.
        first, second: the scores that are compared: on the shared units where the change is tested, and of scores that
            count ties on those that both measurements decide.
        ideal_first, ideal_second: the value that means that nothing was measured, in each.
        difference: second minus first.
        low, high: interval of the difference at the comparison's level.
        distance_low, distance_high: interval of the change of the distance from the ideal value, |second − ideal| less
            |first − ideal|, from the same units at the same level; ``None`` where there is none.
        excess: of scores whose ideal value is a mean under chance, the interval of the difference of what both are
            above it, which is computed anew for each resample.
        p_value, p_error: p-value that there is no change, and its Monte Carlo error; ``None`` where there is no test.
        p_holm: adjusted by Holm for everything that the comparison tests.
        verdict, reason: what may be said, and why where that needs a word.
        test, interval: how they were found.
        sampled: what they generalise to, where the results declare it.
        n: number of units compared; ``None`` where the units were not compared.
        items: what an item is.
        ties: of scores that count ties, the shared units left out because a measurement does not decide them.
        published_first, published_second: the scores that each measurement reports by itself, with ties and with units
            that the other has not, where these are others; they are not compared.
        detectable: where no change was found, the smallest one that would have been seen in 80 % of cases by a test at
            the level divided by the number of tests of the comparison.
        more_items: how many more items a change of a twentieth of the score's range needs, where it could not be seen.
    """

    method: str
    name: str
    kind: str
    direction: Direction
    score_range: tuple[float | None, float | None]
    control: bool = False
    first: float
    second: float
    ideal_first: float
    ideal_second: float
    difference: float
    low: float | None = None
    high: float | None = None
    distance_low: float | None = None
    distance_high: float | None = None
    excess: tuple[float, float] | None = None
    p_value: float | None = None
    p_error: float | None = None
    p_holm: float | None = None
    verdict: ChangeVerdict = ChangeVerdict.NOT_TESTED
    reason: str = ""
    test: str = ""
    interval: str = ""
    sampled: Sampled | None = None
    n: int | None = None
    items: str = ""
    ties: Ties | None = None
    published_first: float | None = None
    published_second: float | None = None
    detectable: float | None = None
    more_items: int | None = None

    @property
    def found(self) -> bool:
        """Whether a change was found."""
        return self.verdict in FOUND

    @property
    def title(self) -> str:
        """Method and row, for people."""
        title = method_title(self.method)
        return title if self.kind == "overall" else f"{title}, {self.name}"

    @property
    def interval_text(self) -> str:
        """The interval in words; empty where there is none."""
        return "" if self.low is None or self.high is None else f"{signed(self.low)} to {signed(self.high)}"

    @property
    def decided_in_both(self) -> str:
        """Of which units both scores are, where ties leave some out; empty elsewhere."""
        if self.n is None or self.ties is None or not any(self.ties):
            return ""
        return f" on the {self.n:,} {self.items} that both decide"

    @property
    def holds_for(self) -> str:
        """What the test generalizes to, after a comma; empty if it is other items of the same kind and no more."""
        if self.sampled is None or (len(self.sampled.clusters) == 1 and not self.sampled.fixed):
            return ""
        return f", {self.sampled.phrase()}"

    @property
    def worsening(self) -> tuple[float, float] | None:
        """Interval of how much worse the second score is, at the comparison's level; ``None`` where there is none.

        Of a score with two directions, the change of its distance from the ideal value. If only one direction is bias,
        the change in that direction of what the score exceeds its ideal value by, which may be a mean under chance.
        """
        if self.distance_low is None or self.distance_high is None:
            return None
        if self.direction == "two_sided":
            return self.distance_low, self.distance_high
        assert self.low is not None  # an interval of the distance is made from that of the difference
        assert self.high is not None
        moved = self.ideal_second - self.ideal_first
        low, high = self.excess or (self.low - moved, self.high - moved)
        return (low, high) if self.direction == "higher_is_more_biased" else (-high, -low)

    @property
    def sentence(self) -> str:
        """What changed, how surely, and what could have been seen, in a sentence or two."""
        text = f"{self.title}: {digits(self.first)} to {digits(self.second)}"
        text += self.decided_in_both
        if self.verdict is ChangeVerdict.SAME:
            text += ", no change"
        elif self.verdict is not ChangeVerdict.NOT_COMPARABLE:
            text += f", {'a change' if self.found else 'a difference'} of {signed(self.difference)}"
            text += f" ({self.interval_text})" if self.interval_text else ""
        if self.p_holm is not None and self.verdict is not ChangeVerdict.SAME:
            text += f", {p_phrase(self.p_holm).replace('p', 'p (Holm)', 1)}"
        elif self.p_value is not None and self.verdict is ChangeVerdict.CONTROL:
            text += f", {p_phrase(self.p_value)}"
        if self.p_value is not None and self.verdict is not ChangeVerdict.SAME:
            text += self.holds_for
        text += f"{_SAID.get(self.verdict, '').format(ideal=digits(self.ideal_second))}."
        if self.reason:
            text += f" {self.reason}"
        if self.detectable is not None:
            text += f" A change of {digits(self.detectable)} would have been seen in 80 % of cases."
        if self.more_items:
            low, high = self.score_range  # a share's range has both ends
            small = digits(((high or 0.0) - (low or 0.0)) / 20)
            text += f" To see one of {small}, about {self.more_items:,} more {self.items} are needed."
        return text


_SAID = {
    ChangeVerdict.NEARER: ": nearer to the ideal value {ideal}",
    ChangeVerdict.FURTHER: ": further from the ideal value {ideal}",
    ChangeVerdict.PASSED: ": it passed the ideal value {ideal}",
    ChangeVerdict.UNDECIDED: ": undecided",
    ChangeVerdict.NOT_SHOWN: ": no change is shown",
    ChangeVerdict.TOO_FEW: ": too few items",
    ChangeVerdict.NOT_COMPARABLE: ": not comparable",
    ChangeVerdict.NOT_TESTED: "; there is no test",
    ChangeVerdict.CONTROL: ": a control without social content, which is in no correction",
}


def with_verdict(
    change: Change, difference: stats.Difference | None, p_holm: float, tests: int, confidence_level: float
) -> Change:
    """Return a change that was tested with what may be said of it.

    Args:
        change: what was measured.
        difference: the difference between both measurements that it is of, if the test is of the score itself.
        p_holm: its p-value, adjusted for so many ``tests``.
        tests: number of tests of the comparison.
        confidence_level: level of the intervals; a p-value below 1 less this is small.
    """
    alpha = round(1 - confidence_level, 12)
    verdict, reason = _verdict(change, p_holm, tests, alpha=alpha)
    if change.p_value and change.p_error:
        error = change.p_error * p_holm / change.p_value
        if abs(p_holm - alpha) <= stats.ERRORS_APART * error:
            close = f"The p-value is within three Monte Carlo errors of {alpha:g}: another seed could change this."
            reason = f"{reason} {close}".lstrip()
    change = dataclasses.replace(change, p_holm=p_holm, verdict=verdict, reason=reason)
    if difference is None or change.found:
        return change
    seen, more = difference.detectable(alpha / tests), difference.more_units(alpha / tests)
    return dataclasses.replace(change, detectable=seen, more_items=more)


def _verdict(c: Change, p_holm: float, tests: int, alpha: float) -> tuple[ChangeVerdict, str]:
    assert c.p_value is not None
    if c.p_value == 1 and abs(c.difference) <= stats.TIE_TOLERANCE * max(1.0, abs(c.first)):
        return ChangeVerdict.SAME, ""
    holds_0 = None if c.low is None or c.high is None else c.low <= 0 <= c.high
    small = p_holm < alpha
    if (small and holds_0) or (c.p_value >= alpha and holds_0 is False):
        positive, negative = (c.test, c.interval) if small else (c.interval, c.test)
        text = (
            f"Test and interval disagree: one shows a change ({positive}), the other does not ({negative})."
        )
        return ChangeVerdict.UNDECIDED, text
    if not small:
        alone = f"By itself {p_phrase(c.p_value)}; it is adjusted for {tests} tests."
        return ChangeVerdict.NOT_SHOWN, alone if c.p_value < alpha else ""
    if (worse := c.worsening) is None:
        return ChangeVerdict.CHANGED, ""
    # Where one direction is bias, a score on the other side of its ideal value, such as a mean under chance, is no more
    # biased for being further away.
    sign = {"two_sided": 0, "higher_is_more_biased": 1}.get(c.direction, -1)
    biased = [sign * (s - ideal) >= 0 for s, ideal in ((c.first, c.ideal_first), (c.second, c.ideal_second))]
    if worse[1] < 0 and biased[0]:
        return ChangeVerdict.NEARER, ""
    if worse[0] > 0 and biased[1]:
        return ChangeVerdict.FURTHER, ""
    other_side = (c.first - c.ideal_first) * (c.second - c.ideal_second) < 0
    return (ChangeVerdict.PASSED if other_side and sign == 0 else ChangeVerdict.CHANGED), ""


def digits(value: float) -> str:
    """A score, with a true minus sign.

    Examples:
        >>> digits(-1.2984), digits(52.25)
        ('−1.298', '52.25')
    """
    return (f"{value:.2f}" if abs(value) >= 10 else f"{value:.3f}").replace("-", "−")


def signed(value: float) -> str:
    """A change, with its sign.

    Examples:
        >>> signed(1.5), signed(-0.00002), signed(0.0)
        ('+1.500', '−2e-05', '0.000')
    """
    text = digits(abs(value))
    if float(text) == 0 and value != 0:
        text = f"{abs(value):.1g}"  # a change too small for these digits is one all the same
    return text if value == 0 else ("−" if value < 0 else "+") + text
