"""What is known of a score's robustness, and the rules by which it is called solid, fragile or not measurable."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Literal, get_args

from ..method_record import Aspect
from ..text import joined
from .verdict import FOUND, Verdict

ASPECTS: tuple[Aspect, ...] = get_args(Aspect)

BOUNDS: Mapping[Aspect, float] = {
    "seeds": 0.8,
    "templates": 0.5,
    "paraphrases": 0.4,
    "representation": 0.5,
    "agreement": 0.0,
}
"""Value that the lower end of the interval must reach for a robustness to hold: the share of the parts of the words
with the same conclusion; the mean correlation of templates, or representations (0.5 is large, Cohen 1988); kappa with
the paraphrases (0.4 is the lower end of moderate, Landis and Koch 1977); the mean correlation with other measures,
which must not order models the other way round."""

FEWEST: Mapping[Aspect, int] = {"seeds": 16, "paraphrases": 8, "agreement": 8}
"""Number of parts of the words, of pairs with a paraphrase, and of models, below which nothing can be shown. With fewer
parts or pairs the 95 % interval does not reach the bound even if all of them agree."""

LEAST_LEVEL = 0.95
"""Level of the interval of a robustness."""

LEAST_COVERAGE = 0.5
"""Share of the requested items that must have been scored."""

WIDEST = 0.5
"""Share of the range over which an interval says how large something is."""


class TrustVerdict(Enum):
    """How far a score can be relied on."""

    SOLID = "solid"
    """The finding holds after correction, with a usable interval, and in every measured aspect of robustness."""
    FRAGILE = "fragile"
    """Something was found, but another check disagrees, or no check supports it."""
    NOT_MEASURABLE = "not measurable here"
    """These data, or this few units, allow no conclusion."""


RobustState = Literal["holds", "fails", "open", "not measured", "does not apply"]


@dataclass(frozen=True, slots=True)
class Robust:
    """What is known of one aspect of a score's robustness.

    Attributes:
        state: ``"holds"``, ``"fails"`` (it is not shown to hold), ``"open"`` (measured, on too little), ``"not
            measured"``, or ``"does not apply"`` where no method measures this aspect of such a score.
        value: the value that was measured; its interval is compared with :data:`BOUNDS`.
    """

    state: RobustState
    value: float | None = None

    def __str__(self) -> str:
        return self.state if self.value is None else f"{self.state} ({self.value:.2f})"


def robust_state(
    aspect: Aspect,
    value: float,
    low: float | None,
    high: float | None,
    n: int,
    confidence_level: float = LEAST_LEVEL,
) -> RobustState:
    """Return whether a robustness holds: the lower end of its interval reaches the bound.

    Args:
        aspect: what the score may depend on.
        value: the value that was measured.
        low: lower end of its interval, ``None`` where there is none.
        high: upper end.
        n: number of units that it was measured on.
        confidence_level: level of the interval.

    Returns:
        ``"holds"``; ``"fails"`` where it is not shown to hold; ``"open"`` where these units could not show it even if
        all of them agreed, unless all of the interval is below the bound, and where a value that reaches the bound has
        no interval.

    Examples:
        >>> [robust_state("paraphrases", 0.6, low, 0.8, n) for low, n in ((0.45, 60), (0.2, 60), (0.2, 7))]
        ['holds', 'fails', 'open']
    """
    bound = BOUNDS[aspect]
    if high is not None and high < bound:
        return "fails"
    if confidence_level < LEAST_LEVEL or n < FEWEST.get(aspect, 0) or (low is None and value >= bound):
        return "open"
    return "holds" if low is not None and low >= bound else "fails"


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """All that the verdict on a score rests on.

    Attributes:
        significance: what p-value and interval allow to say, see :mod:`evaluate_bias.report.verdict`.
        coverage: share of what was asked that was scored.
        width: width of the interval as a share of the score's range; ``None`` where there is none, or an open end.
        near: whether the interval stays within a tenth of the way to the end of the range of the ideal value.
        robust: what is known of every aspect; one that is left out was not measured.
    """

    significance: Verdict
    coverage: float = 1.0
    width: float | None = None
    near: bool = False
    robust: Mapping[Aspect, Robust] = field(default_factory=dict)

    def aspects(self, state: str) -> list[Aspect]:
        """The aspects in a state."""
        return [a for a in ASPECTS if a in self.robust and self.robust[a].state == state]

    @property
    def answers(self) -> bool:
        """Whether something was found, or that there is nothing beyond a small margin."""
        nothing = self.significance in (Verdict.NOT_FOUND, Verdict.INTERVAL_INCLUDES)
        return self.significance in FOUND or (nothing and self.near)

    @property
    def tested(self) -> bool:
        """Whether the robustness of this score itself was measured; agreement with other scores does not count."""
        return any(a != "agreement" for a in (*self.aspects("holds"), *self.aspects("fails")))


@dataclass(frozen=True, slots=True)
class Rule:
    """When a verdict is given, and the reason; the first rule that applies decides.

    Attributes:
        name: of the rule, for documentation and tests.
        applies: whether it does.
        verdict: the verdict.
        reason: one sentence, with fields of ``{answer}``, ``{coverage}``, ``{width}``, ``{failing}``, ``{holding}``.
    """

    name: str
    applies: Callable[[Evidence], bool]
    verdict: TrustVerdict
    reason: str


_NO, _WEAK, _YES = TrustVerdict.NOT_MEASURABLE, TrustVerdict.FRAGILE, TrustVerdict.SOLID


def _is(verdict: Verdict) -> Callable[[Evidence], bool]:
    return lambda e: e.significance is verdict


RULES: tuple[Rule, ...] = (
    Rule(
        "illustrative data",
        _is(Verdict.ILLUSTRATIVE),
        _NO,
        "The data show how the method works, and nothing follows from them.",
    ),
    Rule(
        "control",
        _is(Verdict.CONTROL),
        _NO,
        "The test has no social content: it only shows that the measure responds.",
    ),
    Rule(
        "too few items",
        _is(Verdict.TOO_FEW),
        _NO,
        "There are too few items for a finding, whatever they show.",
    ),
    Rule(
        "low coverage",
        lambda e: e.coverage < LEAST_COVERAGE,
        _NO,
        "Only {coverage:.0%} of what was asked could be scored.",
    ),
    Rule(
        "no inference",
        _is(Verdict.NO_INFERENCE),
        _NO,
        "There is neither a p-value nor an interval, so what is chance is open.",
    ),
    Rule(
        "at the edge",
        _is(Verdict.AT_EDGE),
        _NO,
        "There is no p-value, and a score that cannot pass its ideal value is off it by chance too.",
    ),
    Rule("undecided", _is(Verdict.UNDECIDED), _WEAK, "The p-value and the interval disagree."),
    Rule(
        "only before adjusting",
        _is(Verdict.ONLY_BEFORE),
        _WEAK,
        "The p-value is below 5% only before it is adjusted for the number of tests.",
    ),
    Rule(
        "interval alone",
        _is(Verdict.INTERVAL_EXCLUDES),
        _WEAK,
        "The interval excludes the ideal value, and there is no p-value that could be adjusted.",
    ),
    Rule(
        "not robust",
        lambda e: e.answers and bool(e.aspects("fails")),
        _WEAK,
        "{answer}, but it is not shown to hold with {failing}.",
    ),
    Rule(
        "wide interval",
        lambda e: e.significance in FOUND and e.width is not None and e.width > WIDEST,
        _WEAK,
        "{answer}, but the interval spans {width:.0%} of the range: how large it is stays open.",
    ),
    Rule(
        "robustness not measured",
        lambda e: e.answers and not e.tested,
        _WEAK,
        "{answer}, and whether it holds with other words, templates, prompt variants was not measured, or too little.",
    ),
    Rule("answered", lambda e: e.answers, _YES, "{answer}, and it holds with {holding}."),
    Rule(
        "wide around the ideal",
        lambda e: True,
        _NO,
        "Nothing was found, and the interval leaves room for more than a small effect: it takes more words or items.",
    ),
)
"""The rules of the verdict, in their order."""

_OTHER: Mapping[Aspect, str] = {
    "seeds": "other subsets of the words or items",
    "templates": "other templates",
    "paraphrases": "paraphrases",
    "representation": "other representations",
    "agreement": "other measures across models",
}


def judge(evidence: Evidence) -> tuple[TrustVerdict, str, str]:
    """Return the verdict on a score, its reason in one sentence, and the name of the rule that decided.

    Examples:
        >>> judge(Evidence(significance=Verdict.FOUND, width=0.3, robust={"seeds": Robust("holds", 0.97)}))[:2]
        (<TrustVerdict.SOLID: 'solid'>, 'Found, and it holds with other subsets of the words or items (0.97).')
    """
    rule = next(r for r in RULES if r.applies(evidence))

    def aspect_list(state: str) -> str:
        return joined([f"{_OTHER[a]} ({evidence.robust[a].value:.2f})" for a in evidence.aspects(state)])

    reason = rule.reason.format(
        answer="Found" if evidence.significance in FOUND else "Nothing was found beyond a tenth of the range",
        coverage=evidence.coverage,
        width=evidence.width or 0.0,
        failing=aspect_list("fails"),
        holding=aspect_list("holds"),
    )
    return rule.verdict, reason, rule.name
