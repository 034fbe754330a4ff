"""The change of one score between two measurements, and the one place that decides what may be said of it."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from enum import Enum
from typing import Literal, NamedTuple

from ... import stats
from ...result import Direction, Sampled
from ...text import p_phrase
from ..lines import method_title


class ChangeConclusion(Enum):
    """What may be concluded about a change. The value is what every surface shows."""

    INCREASED = "increased"
    """The score is higher in the second measurement: the corrected p-value is small, and the interval agrees."""
    DECREASED = "decreased"
    """The score is lower in the second measurement, as surely."""
    NOT_SIGNIFICANT = "no significant change"
    """The corrected p-value is not small, or no item changed."""
    UNCLEAR = "unclear"
    """p-value and interval disagree, the change is significant only before correction, or no test was run."""
    TOO_FEW = "too few items"
    """With so few items in both measurements no p-value can be small."""
    NOT_COMPARABLE = "not comparable"
    """The two scores answer different questions."""


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
        control: True if the row has no social content, so that nothing follows from its change.
        first, second: the scores that are compared. If the change is tested, they are over the shared units. For scores
            that count ties, these are the units without a tie in both measurements.
        ideal_first, ideal_second: the value that means that nothing was measured, in each.
        by_chance: whether this value is the score's mean under chance.
        difference: second minus first.
        low, high: interval of the difference at the comparison's level.
        distance_low, distance_high: interval of the change of the distance from the ideal value, |second − ideal| less
            |first − ideal|, from the same units at the same level, ``None`` if unknown.
        excess: for scores that are compared with their mean under chance, the interval of the difference in how far
            each is above it.
        p_value, p_error: p-value of the null hypothesis of no change, and its Monte Carlo error. ``None`` without a
            test.
        p_holm: adjusted by Holm for everything that the comparison tests.
        conclusion, reason: what may be concluded, and why if that needs a word.
        toward_ideal: for a significant change, "nearer to", "further from" or "past" the ideal value, if one applies.
        unchanged: True if no item changed.
        test, interval: how they were computed.
        sampled: what they generalise to, if the results declare it.
        n: number of units compared, ``None`` if the units were not compared.
        items: what an item is.
        ties: for scores that count ties, the numbers of shared units omitted because they tie in a measurement.
        published_first, published_second: the scores that each measurement reports alone, including ties and units
            that the other does not have, if they differ from ``first`` and ``second``. They are not compared.
        detectable: if no change is significant, the smallest change that a test at the level divided by the number of
            tests of the comparison would detect in 80% of cases. ``None`` if it is larger than any change.
        more_items: how many more items are needed to detect a change of a twentieth of the score's range, if it could
            not be detected.
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
    by_chance: bool = False
    difference: float
    low: float | None = None
    high: float | None = None
    distance_low: float | None = None
    distance_high: float | None = None
    excess: tuple[float, float] | None = None
    p_value: float | None = None
    p_error: float | None = None
    p_holm: float | None = None
    conclusion: ChangeConclusion = ChangeConclusion.UNCLEAR
    reason: str = ""
    toward_ideal: Literal["", "nearer to", "further from", "past"] = ""
    unchanged: bool = False
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
    def significant(self) -> bool:
        """True if the score increased or decreased. Never for a control."""
        changed = self.conclusion in (ChangeConclusion.INCREASED, ChangeConclusion.DECREASED)
        return changed and not self.control

    @property
    def word(self) -> str:
        """The conclusion as tables show it."""
        return f"{self.conclusion.value} (control)" if self.control else self.conclusion.value

    @property
    def title(self) -> str:
        """Method and row, for people."""
        title = method_title(self.method)
        return title if self.kind == "overall" else f"{title}, {self.name}"

    @property
    def ideal_name(self) -> str:
        """What the value is called that means that nothing was measured."""
        return "value expected by chance," if self.by_chance else "ideal value"

    @property
    def interval_text(self) -> str:
        """The interval in words, empty if it is missing."""
        return "" if self.low is None or self.high is None else f"{signed(self.low)} to {signed(self.high)}"

    @property
    def decided_in_both(self) -> str:
        """Which units both scores are over, if units that tie are omitted. Otherwise empty."""
        if self.n is None or self.ties is None or not any(self.ties):
            return ""
        return f" on the {self.n:,} {self.items} that both decide"

    @property
    def holds_for(self) -> str:
        """What the test generalises to, after a comma. Empty if it is only other items of the same kind."""
        if self.sampled is None or (len(self.sampled.clusters) == 1 and not self.sampled.fixed):
            return ""
        return f", {self.sampled.phrase()}"

    @property
    def worsening(self) -> tuple[float, float] | None:
        """Interval of how much worse the second score is, at the comparison's level, ``None`` if unknown.

        Of a score with two directions, the change of its distance from the ideal value. If only one direction is bias,
        the change in that direction of what the score exceeds its ideal value by, which may be a mean under chance.
        """
        if self.distance_low is None or self.distance_high is None:
            return None
        if self.direction == "two_sided":
            return self.distance_low, self.distance_high
        assert self.low is not None  # an interval of the distance is made from the interval of the difference
        assert self.high is not None
        moved = self.ideal_second - self.ideal_first
        low, high = self.excess or (self.low - moved, self.high - moved)
        return (low, high) if self.direction == "higher_is_more_biased" else (-high, -low)

    @property
    def sentence(self) -> str:
        """What changed, how surely, and what could have been seen, in a sentence or two."""
        text = f"{self.title}: {digits(self.first)} to {digits(self.second)}"
        text += self.decided_in_both
        if self.unchanged:
            return f"{text}, no change."
        if self.conclusion is not ChangeConclusion.NOT_COMPARABLE:
            text += f", a difference of {signed(self.difference)}"
            text += f" ({self.interval_text})" if self.interval_text else ""
        if self.p_holm is not None:
            text += f", {p_phrase(self.p_holm).replace('p', 'p (Holm)', 1)}"
        elif self.p_value is not None and self.control:
            text += f", {p_phrase(self.p_value)}"
        if self.p_value is not None:
            text += self.holds_for
        text += f": {self.word}"
        if self.conclusion is ChangeConclusion.UNCLEAR and self.p_value is None:
            text += ", because no test was run"
        if self.toward_ideal:
            text += f", {self.toward_ideal} the {self.ideal_name} {digits(self.ideal_second)}"
        text += "."
        if self.reason:
            text += f" {self.reason}"
        if self.detectable is not None:
            text += f" A change of {digits(self.detectable)} would have been detected in 80% of cases."
        if self.more_items:
            low, high = self.score_range  # a share's range has both ends
            small = digits(((high or 0.0) - (low or 0.0)) / 20)
            text += f" To detect one of {small}, about {self.more_items:,} more {self.items} are needed."
        return text


def with_conclusion(
    change: Change, difference: stats.Difference | None, p_holm: float, tests: int, confidence_level: float
) -> Change:
    """Return a change that was tested with what may be concluded.

    Args:
        change: what was measured.
        difference: the difference between both measurements, if the score itself is tested.
        p_holm: its p-value, corrected for the number of ``tests``. The p-value of a control is not corrected.
        tests: number of tests of the comparison.
        confidence_level: level of the intervals. A p-value below 1 less this is small.
    """
    alpha = round(1 - confidence_level, 12)
    conclusion, reason = _conclude(change, p_holm, tests, alpha=alpha)
    toward: Literal["", "nearer to", "further from", "past"] = ""
    if conclusion in (ChangeConclusion.INCREASED, ChangeConclusion.DECREASED) and not change.control:
        toward = _toward_ideal(change)
    if change.p_value and change.p_error:
        error = change.p_error * p_holm / change.p_value
        if abs(p_holm - alpha) <= stats.ERRORS_APART * error:
            close = f"The p-value is within three Monte Carlo errors of {alpha:g}: another seed could change this."
            reason = f"{reason} {close}".lstrip()
    change = dataclasses.replace(
        change,
        p_holm=None if change.control else p_holm,
        conclusion=conclusion,
        reason=reason,
        toward_ideal=toward,
    )
    if difference is None or change.significant or change.control:
        return change
    seen, more = difference.detectable(alpha / tests), difference.more_units(alpha / tests)
    least, most = change.score_range
    if seen is not None and least is not None and most is not None and seen > most - least:
        seen = None  # no change of the score is as large
    return dataclasses.replace(change, detectable=seen, more_items=more)


def _conclude(c: Change, p_holm: float, tests: int, alpha: float) -> tuple[ChangeConclusion, str]:
    assert c.p_value is not None
    includes_0 = None if c.low is None or c.high is None else c.low <= 0 <= c.high
    small = p_holm < alpha
    if (small and includes_0) or (c.p_value >= alpha and includes_0 is False):
        positive, negative = (c.test, c.interval) if small else (c.interval, c.test)
        text = f"p-value and interval disagree: one shows a change ({positive}), the other does not ({negative})."
        return ChangeConclusion.UNCLEAR, text
    if small:
        return ChangeConclusion.INCREASED if c.difference > 0 else ChangeConclusion.DECREASED, ""
    if c.p_value < alpha:
        return (
            ChangeConclusion.UNCLEAR,
            f"Only before correction for {tests} tests is it significant ({p_phrase(c.p_value)}).",
        )
    return ChangeConclusion.NOT_SIGNIFICANT, ""


def _toward_ideal(c: Change) -> Literal["", "nearer to", "further from", "past"]:
    """Return where a significant change moved the score, if its interval shows that."""
    if (worse := c.worsening) is None:
        return ""
    # If only one direction is bias, a score on the other side of its ideal value, such as a mean under chance, is not
    # more biased if it is further away.
    sign = {"two_sided": 0, "higher_is_more_biased": 1}.get(c.direction, -1)
    biased = [sign * (s - ideal) >= 0 for s, ideal in ((c.first, c.ideal_first), (c.second, c.ideal_second))]
    if worse[1] < 0 and biased[0]:
        return "nearer to"
    if worse[0] > 0 and biased[1]:
        return "further from"
    other_side = (c.first - c.ideal_first) * (c.second - c.ideal_second) < 0
    return "past" if other_side and sign == 0 else ""


def digits(value: float) -> str:
    """Return a score as text, with a true minus sign.

    Examples:
        >>> digits(-1.2984), digits(52.25)
        ('−1.298', '52.25')
    """
    return (f"{value:.2f}" if abs(value) >= 10 else f"{value:.3f}").replace("-", "−")


def signed(value: float) -> str:
    """Return a change as text, with its sign.

    Examples:
        >>> signed(1.5), signed(-0.00002), signed(0.0)
        ('+1.500', '−2e-05', '0.000')
    """
    text = digits(abs(value))
    if float(text) == 0 and value != 0:
        text = f"{abs(value):.1g}"  # a change too small for these digits is one all the same
    return text if value == 0 else ("−" if value < 0 else "+") + text
