"""How far each score can be relied on: robust, fragile or not testable, with the reason, by one table of rules."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple

from ..errors import InputError
from ..experiments.sources import results_of
from ..method_record import Aspect, MethodRecord
from ..registry import METHODS
from ..result import Result, Row
from ..text import joined, plain_p
from .conclusions import Conclusion, Judgement, Reason, judge_line, judge_result
from .data_facts import on_illustrative_data
from .escape import public_name
from .lines import ReportRow, decided_lines, lines_by_result, model_name
from .numbers import score_cell
from .score_matrix import distinguishing_names
from .table import Table, TableColumn

if TYPE_CHECKING:
    import pandas as pd

SMALL_EFFECT_SHARE = 0.1
"""Share of the distance from the ideal value to the end of the range that counts as a small effect: 0.2 of an effect
size from -2 to 2, or 5 of 50 points (Cohen 1988)."""

MIN_COVERAGE = 0.5
"""Share of the requested items that must have been scored."""

MAX_WIDTH = 0.5
"""Width of an interval, as a share of the range, up to which it says how large an effect is."""

MIN_CONFIDENCE_LEVEL = 0.95
"""Least confidence level of the interval of a robustness value."""


class AspectRule(NamedTuple):
    """What a score may depend on, and when it is shown not to.

    Attributes:
        bound: the value that the lower end of the confidence interval must reach.
        across: what the score is then robust to, in words.
        min_items: fewest subsets, pairs or models that can show it: with fewer, the interval does not reach the bound
            even if all of them agree.
        mend: what gives enough of them, or ``""``.
    """

    bound: float
    across: str
    min_items: int = 0
    mend: str = ""


ASPECT_RULES: Mapping[Aspect, AspectRule] = {
    # Share of the subsets with the same conclusion: four of five.
    "seeds": AspectRule(0.8, "other subsets of the words or items", 16, "n_subsets of at least 16"),
    # Mean correlation. 0.5 is large (Cohen 1988).
    "templates": AspectRule(0.5, "other templates"),
    # Cohen's kappa. Moderate begins at 0.41 (Landis and Koch 1977).
    "paraphrases": AspectRule(0.4, "paraphrases", 8, "at least 8 pairs with paraphrases"),
    # Mean correlation.
    "representation": AspectRule(0.5, "other representations"),
    # Mean correlation: other measures must not rank the models the other way round.
    "agreement": AspectRule(0.0, "other measures across models", 8),
}

RobustState = Literal["holds", "fails", "not testable", "not measured", "does not apply"]


@dataclass(frozen=True, slots=True)
class Robust:
    """What is known of one aspect of a score's robustness.

    Attributes:
        state: ``"holds"``, ``"fails"`` (not shown to hold), ``"not testable"`` (measured, on too little), ``"not
            measured"``, or ``"does not apply"`` if no method measures this aspect of such a score.
        value: the measured value.
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
    confidence_level: float = MIN_CONFIDENCE_LEVEL,
) -> RobustState:
    """Return whether an aspect holds: whether the lower end of its confidence interval reaches the bound.

    Args:
        aspect: what the score may depend on.
        value: the measured value.
        low: lower end of its interval, ``None`` if it has none.
        high: upper end.
        n: number of subsets, pairs or models.
        confidence_level: of the interval.

    Returns:
        ``"holds"``, ``"fails"`` or ``"not testable"``. The last one means that so few items could not show it even if
        all agreed, or that a value above the bound has no interval. An interval wholly below the bound always fails.

    Examples:
        >>> [robust_state("paraphrases", 0.6, low, 0.8, n) for low, n in ((0.45, 60), (0.2, 60), (0.2, 7))]
        ['holds', 'fails', 'not testable']
    """
    rule = ASPECT_RULES[aspect]
    if high is not None and high < rule.bound:
        return "fails"
    if confidence_level < MIN_CONFIDENCE_LEVEL or n < rule.min_items or (low is None and value >= rule.bound):
        return "not testable"
    return "holds" if low is not None and low >= rule.bound else "fails"


class Reliability(Enum):
    """How far a score can be relied on."""

    ROBUST = "robust"
    """The interval is usable, and the conclusion survives correction and every measured aspect of robustness."""
    FRAGILE = "fragile"
    """There is a conclusion, but another check disagrees, or none was run."""
    NOT_TESTABLE = "not testable"
    """These data, or so few items, allow no conclusion."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """What is known of a score.

    Attributes:
        judgement: what the p-value and the interval allow us to conclude.
        coverage: share of the requested items that was scored.
        width: width of the interval as a share of the range, ``None`` without an interval or if the range is open.
        near: whether the whole interval lies within a small effect of the ideal value.
        robust: what is known of each aspect. A missing aspect was not measured.
    """

    judgement: Judgement
    coverage: float = 1.0
    width: float | None = None
    near: bool = False
    robust: Mapping[Aspect, Robust] = field(default_factory=dict)

    def aspects(self, *states: RobustState) -> list[Aspect]:
        """Return the aspects in these states."""
        return [a for a, known in self.robust.items() if known.state in states]

    @property
    def answers(self) -> bool:
        """True if there is an effect, or if any effect is shown to be small."""
        nothing = (
            self.judgement.conclusion is Conclusion.NOT_SIGNIFICANT
            or self.judgement.reason is Reason.INTERVAL_INCLUDES
        )
        return self.judgement.significant or (nothing and self.near)

    @property
    def tested(self) -> bool:
        """True if the robustness of this score itself was tested. Agreement with other scores does not count."""
        return bool({*self.aspects("holds", "fails")} - {"agreement"})


class Rule(NamedTuple):
    """How reliable a score is, when, and why. The first rule that applies decides.

    Attributes:
        name: of the rule, in documentation and tests.
        applies: whether it does.
        reliability: what follows.
        reason: one sentence, with the fields ``{answer}``, ``{evidence}`` and ``{aspects}``.
    """

    name: str
    applies: Callable[[Evidence], bool]
    reliability: Reliability
    reason: str


def _because_of(*reasons: Reason) -> Callable[[Evidence], bool]:
    return lambda e: e.judgement.reason in reasons


RELIABILITY_NOTE = (
    "Robust: the conclusion survives correction and every robustness test that was run. Fragile: another check "
    "disagrees, or no robustness test was run. Not testable: these data, or so few items, allow no conclusion."
)
"""What the three words mean, for cards and reports."""

_NO, _WEAK, _YES = Reliability.NOT_TESTABLE, Reliability.FRAGILE, Reliability.ROBUST
RULES = (
    Rule("illustrative data", lambda e: e.judgement.kind == "illustrative", _NO,
         "The data illustrate the method and allow no conclusion about a model."),
    Rule("control", lambda e: e.judgement.kind == "control", _NO,
         "The test has no social content. It only shows that the measure responds."),
    Rule("option order", _because_of(Reason.OPTION_ORDER), _NO,
         "The answers follow option order, so nothing follows from the score."),
    Rule("all equal", _because_of(Reason.ALL_EQUAL), _NO,
         "No item differs, so there is nothing to test."),
    Rule("too few items", lambda e: e.judgement.conclusion is Conclusion.TOO_FEW, _NO,
         "With so few items no result could be significant."),
    Rule("low coverage", lambda e: e.coverage < MIN_COVERAGE, _NO,
         "Only {evidence.coverage:.0%} of the requested items could be scored."),
    Rule("no test", _because_of(Reason.NO_INTERVAL, Reason.END_OF_RANGE), _NO,
         "No p-value was computed, so chance cannot be ruled out."),
    Rule("unclear", _because_of(Reason.DISAGREE), _WEAK,
         "The p-value and the confidence interval disagree."),
    Rule("only before correction", _because_of(Reason.BEFORE_CORRECTION), _WEAK,
         "The p-value is below 5% only before correction for multiple testing."),
    Rule("interval alone", _because_of(Reason.INTERVAL_EXCLUDES), _WEAK,
         "The interval excludes the ideal value, but without a p-value it cannot be corrected for multiple testing."),
    Rule("not robust", lambda e: e.answers and bool(e.aspects("fails")), _WEAK,
         "{answer}, but not shown to be robust to {aspects}."),
    Rule("wide interval", lambda e: e.judgement.significant and (e.width or 0.0) > MAX_WIDTH, _WEAK,
         "{answer}, but the interval spans {evidence.width:.0%} of the range, so the size of the effect is unknown."),
    Rule("robustness not testable", lambda e: e.answers and not e.tested and bool(e.aspects("not testable")), _NO,
         "{answer}, but its robustness was measured on too few items, or on illustrative data."),
    Rule("no robustness test run", lambda e: e.answers and not e.tested, _WEAK,
         "{answer}, but its robustness to other words, templates or paraphrases was not tested."),
    Rule("robust", lambda e: e.answers, _YES,
         "{answer}, and robust to {aspects}."),
    Rule("interval too wide", lambda e: True, _NO,
         "Not significant, but the interval does not exclude more than a small effect: use more words or items."),
)  # fmt: skip
"""The rules, in their order."""


def judge(evidence: Evidence) -> tuple[Reliability, str, str]:
    """Return how reliable a score is, the reason in one sentence, and the name of the rule.

    Examples:
        >>> found = Judgement(Conclusion.SIGNIFICANT)
        >>> judge(Evidence(judgement=found, width=0.3, robust={"seeds": Robust("holds", 0.97)}))[:2]
        (<Reliability.ROBUST: 'robust'>, 'Significant, and robust to other subsets of the words or items (0.97).')
    """
    rule = next(r for r in RULES if r.applies(evidence))
    state: RobustState = "fails" if rule.reliability is Reliability.FRAGILE else "holds"
    aspects = [f"{ASPECT_RULES[a].across} ({evidence.robust[a].value:.2f})" for a in evidence.aspects(state)]
    answer = "Significant" if evidence.judgement.significant else "No more than a small effect"
    reason = rule.reason.format(answer=answer, evidence=evidence, aspects=joined(aspects))
    return rule.reliability, reason, rule.name


@dataclass(frozen=True, slots=True, kw_only=True)
class TrustRow:
    """How far one score can be relied on.

    Attributes:
        line: the score, with its interval and its p-value after correction.
        evidence: significance, coverage, width of the interval and what is known of its robustness.
        reliability: how far it can be relied on.
        reason: why, in one sentence.
        rule: name of the rule that decided, see :data:`RULES`.
        mend: methods, each with its option, that test what is not tested of its robustness.
    """

    line: ReportRow
    evidence: Evidence
    reliability: Reliability
    reason: str
    rule: str
    mend: tuple[str, ...] = ()

    @property
    def robustness(self) -> str:
        """The state of each aspect that applies, in words."""
        measured = [f"{a} {r}" for a, r in self.evidence.robust.items() if r.value is not None]
        missing = ", ".join(self.evidence.aspects("not measured"))
        return "; ".join([*measured, *([f"not measured: {missing}"] if missing else [])])


@dataclass(frozen=True, slots=True, repr=False)
class Trust:
    """A table with a row for every score of a model, in the order of the results."""

    rows: tuple[TrustRow, ...]
    heads: tuple[TrustRow | None, ...]
    """For each result the row that its conclusion is about."""

    def __repr__(self) -> str:
        lines = self.table.choose("score", "value", "reliability", "reason").cells()
        return "\n".join(
            f"{score} {value}: {reliability}. {reason}" for score, reliability, value, reason in lines
        )

    def _repr_html_(self) -> str:
        """Notebook rendering."""
        return self.table.to_html()

    @property
    def table(self) -> Table[TrustRow]:
        """The scores as reports show them. The model is named if there are several."""
        several = len({row.line.model for row in self.rows}) > 1
        names = distinguishing_names([row.line for row in self.rows])
        name_of = dict(zip(map(id, self.rows), names, strict=True))

        def title(row: TrustRow) -> str:
            """Method and test, or group."""
            name = name_of[id(row)].removeprefix("overall").strip()
            return " ".join(filter(None, [f"{row.line.model}:" * several, row.line.method, name]))

        columns: tuple[TableColumn[TrustRow], ...] = (
            TableColumn("score", title),
            TableColumn("reliability", lambda r: r.reliability.value),
            TableColumn("value", lambda r: score_cell(r.line.row), True),
            TableColumn("p", lambda r: plain_p(r.line.decisive_p), True),
            TableColumn("width", lambda r: "—" if (w := r.evidence.width) is None else f"{w:.0%}", True),
            TableColumn("robustness", lambda r: r.robustness),
            TableColumn("reason", lambda r: r.reason),
            TableColumn("test next", lambda r: "; ".join(r.mend)),
        )
        return Table(columns, self.rows)

    def to_frame(self) -> pd.DataFrame:
        """Return the table as a data frame. Each aspect has a column with its state, and one ``…_value``."""
        import pandas as pd

        return pd.DataFrame([
            {
                "model": row.line.model, "method": row.line.method, "name": row.line.name, "score": row.line.score,
                "ci_low": row.line.row.ci_low, "ci_high": row.line.row.ci_high, "p_adjusted": row.line.decisive_p,
                "conclusion": row.evidence.judgement.conclusion.value, "width": row.evidence.width,
                **{a: r.state for a, r in row.evidence.robust.items()},
                **{f"{a}_value": r.value for a, r in row.evidence.robust.items()},
                "reliability": row.reliability.value, "reason": row.reason, "rule": row.rule,
                "test_next": "; ".join(row.mend),
            }
            for row in self.rows
        ])  # fmt: skip

    def to_markdown(self) -> str:
        """Return the table as Markdown, with the reasons. Empty without scores."""
        return self.table.to_markdown() if self.rows else ""


def trust(results: str | Path | Result | Sequence[Result]) -> Trust:
    """Judge how far each score can be relied on.

    Args:
        results: of any methods and models, or the path of a folder or file of them. Results about a measurement (seeds,
            templates, paraphrases, representation, agreement of measures) have no row of their own: they apply to
            scores of the same model.

    Returns:
        A table with a row for every score that reports show: significance after correction for all tests of the model,
        width of the interval, what is known of each aspect of its robustness, and how far it can be relied on with the
        reason. The rules are on the page "How far to trust a score".

    Raises:
        InputError: the list of results is empty, or contains something else.
        DataError: the path has no results, or they cannot be read.

    Examples:
        >>> score = Result(method="weat", score=1.6, score_range=(-2, 2), direction="two_sided", ideal=0, n=16,
        ...                ci_low=1.2, ci_high=1.8, p_value=0.001, provenance={"model": {"name": "glove"}})
        >>> row = trust([score]).rows[0]
        >>> row.reliability.value, row.rule, row.mend[0]
        ('fragile', 'no robustness test run', 'seed_sensitivity with measured_method=weat')
    """
    inputs = results_of(results, "results")
    if not inputs:
        raise InputError(
            "`results` is empty",
            option="results",
            hint="pass the results of a model, and those on their robustness",
        )
    all_rows: list[TrustRow] = []
    heads = []
    for result, lines in zip(inputs, lines_by_result(inputs), strict=True):
        of_measurement = result.direction == "higher_is_more_robust"
        judged = [] if of_measurement else decided_lines([line for line in lines if not line.headline])
        rows = tuple(_row(result, line, inputs) for line in judged)
        head = judge_result(judged).line if judged else None
        all_rows += rows
        heads.append(next((row for row in rows if row.line is head), None))
    return Trust(tuple(all_rows), tuple(heads))


def _row(result: Result, line: ReportRow, results: Sequence[Result]) -> TrustRow:
    (low, high), (ci_low, ci_high) = line.score_range, (line.row.ci_low, line.row.ci_high)
    width, near = None, False
    if ci_low is not None and ci_high is not None and low is not None and high is not None:
        if high > low:
            width = min(1.0, max(0.0, (ci_high - ci_low) / (high - low)))
        furthest = max(abs(low - line.ideal), abs(high - line.ideal))
        near = max(ci_high - line.ideal, line.ideal - ci_low) <= SMALL_EFFECT_SHARE * furthest
    tests = {r.robustness.aspect: r for r in METHODS.values() if r.robustness is not None}
    robust: dict[Aspect, Robust] = {}
    for aspect in ASPECT_RULES:  # the worst of what the results of a robustness test say of the score
        test, known = tests[aspect], []
        for other in results:
            row = _row_about(test, other, result, line) if other.method == test.name else None
            if row is not None and row.score is not None:
                n = other.settings.get("n_subsets") if aspect == "seeds" else row.n or other.n
                count = n if isinstance(n, int) else 0
                state = robust_state(
                    aspect, row.score, row.ci_low, row.ci_high, count, other.confidence_level
                )
                known.append(Robust("not testable" if on_illustrative_data(other) else state, row.score))
        scored = METHODS.get(result.method)
        unmeasured = Robust("not measured" if scored is None or test.speaks_of(scored) else "does not apply")
        worst = ("fails", "holds", "not testable")
        robust[aspect] = min(known, key=lambda r: (worst.index(r.state), r.value), default=unmeasured)
    evidence = Evidence(
        judgement=judge_line(line),
        coverage=(line.row.coverage or result.coverage).share,
        width=width,
        near=near,
        robust=robust,
    )
    reliability, reason, rule = judge(evidence)
    mend = []
    if result.method in METHODS and evidence.answers and not evidence.tested:
        for aspect in evidence.aspects("not measured", "not testable"):
            of_method = f"measured_method={result.method}" if aspect == "seeds" else ""
            more = ASPECT_RULES[aspect].mend if evidence.robust[aspect].state == "not testable" else ""
            option = joined([text for text in (of_method, more) if text])
            if aspect != "agreement":
                mend.append(f"{tests[aspect].name} with {option}" if option else tests[aspect].name)
    return TrustRow(
        line=line, evidence=evidence, reliability=reliability, reason=reason, rule=rule, mend=tuple(mend)
    )


def _row_about(record: MethodRecord, other: Result, result: Result, line: ReportRow) -> Row | None:
    """Return the row of a robustness result that applies to this score, or ``None``."""
    if record.robustness is not None and not record.robustness.data:
        measured = other.settings.get("measured_method")
        if measured is None:  # across models, a row for each method
            names = [public_name(str(name)) for name in other.details.get("models", ())]
            rows = [r for r in other.rows_of("group") if r.labels.get("method") == result.method]
            return min(rows, key=lambda r: r.score or 0.0) if rows and line.model in names else None
        if measured != result.method:
            return None
    else:
        scored = METHODS.get(result.method)
        if scored is None or not record.speaks_of(scored):
            return None
        ways = other.settings.get("scoring"), result.settings.get("scoring")
        if None not in ways and ways[0] != ways[1]:
            return None
    if model_name(other) != line.model:
        return None
    candidates = [r for r in other.rows if r.kind == line.kind]
    if line.kind == "overall" or not candidates:
        # What is about a measurement as a whole is about each of its tests, and not about one of its groups.
        return other.overall if line.kind != "group" else None
    for row in candidates:  # of a result in several languages, names carry the language
        language = row.labels.get("language", "")
        if line.name in (row.name, f"{row.name} ({language})") and language in ("", line.language):
            return row
    return None
