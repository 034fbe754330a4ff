"""Decide whether a build may pass: conditions on scores, and proof that nothing got worse by more than a margin."""

from __future__ import annotations

import math
import operator
import re
import xml.etree.ElementTree as ET
from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass
from pathlib import Path

from ...data.dataset_record import is_control
from ...errors import InputError, UnknownNameError, quoted
from ...experiments.sources import results_of
from ...options import check_arguments
from ...result import Result, Row, option_order
from ...text import counted, singular
from ..lines import method_title, model_name
from ..table import Table, TableColumn, TablePage
from .change import Change
from .comparing import compare_results, of_model, row_key, row_name

_OPERATORS: Mapping[str, tuple[Callable[[float, float], bool], str]] = {
    ">=": (operator.ge, "at least"),
    "<=": (operator.le, "at most"),
    ">": (operator.gt, "above"),
    "<": (operator.lt, "below"),
    "==": (operator.eq, "equal to"),
    "!=": (operator.ne, "other than"),
}
_CONDITION = re.compile(
    r"\s*(?P<of>[^<>=!]+?)\s*(?P<how>>=|<=|==|!=|>|<)\s*(?P<limit>[-+]?[\d.]+(?:[eE][-+]?\d+)?)\s*"
)
_FIELDS = ("score", "ci_low", "ci_high", "p_value", "p_holm", "n", "ties")


@dataclass(frozen=True, slots=True)
class GateCheck:
    """One thing that was asked.

    Attributes:
        name: what it is about.
        passed: whether the check passes, ``None`` if it could not be made.
        reason: why, in a line.
        held: against a base, the smallest margin that these data can rule out: the upper 95% bound of the worsening. A
            larger margin passes. ``None`` without a bound.
    """

    name: str
    passed: bool | None
    reason: str
    held: float | None = None

    @property
    def outcome(self) -> str:
        """``"passed"``, ``"failed"`` or ``"not checked"``."""
        return "not checked" if self.passed is None else "passed" if self.passed else "failed"

    def __str__(self) -> str:
        return f"{self.outcome if self.passed else self.outcome.upper()}  {self.name}: {self.reason}"


@dataclass(frozen=True, slots=True)
class Gate(TablePage):
    """The checks of a build.

    Examples:
        >>> print(Gate((GateCheck("pll overall > 60", False, "it is 64.2"),)))
        Bias gate: failed (1 of 1 check)
        FAILED  pll overall > 60: it is 64.2
        >>> print(Gate((GateCheck("pll overall > 60", False, "it is 64.2"),)).to_markdown())
        **Bias gate: failed (1 of 1 check)**
        <BLANKLINE>
        | check | result | why |
        |---|---|---|
        | pll overall &gt; 60 | failed | it is 64.2 |
        <BLANKLINE>
    """

    checks: tuple[GateCheck, ...]
    warnings: tuple[str, ...] = ()

    @property
    def passed(self) -> bool:
        """True if every check passes."""
        return self.exit_code == 0

    @property
    def failures(self) -> tuple[GateCheck, ...]:
        """The checks that fail."""
        return tuple(c for c in self.checks if c.passed is False)

    @property
    def unchecked(self) -> tuple[GateCheck, ...]:
        """The checks that could not be made."""
        return tuple(c for c in self.checks if c.passed is None)

    @property
    def exit_code(self) -> int:
        """1 if a check fails, else 2 if a check could not be made or nothing was checked, else 0."""
        return 1 if self.failures else 2 if self.unchecked or not self.checks else 0

    @property
    def outcome(self) -> str:
        """``"passed"``, ``"failed"`` or ``"not checked"``."""
        return ("passed", "failed", "not checked")[self.exit_code]

    @property
    def sentences(self) -> list[str]:
        """The outcome, and how many checks it is about."""
        of_them, checks = self.failures or self.unchecked, counted(len(self.checks), "check")
        return [f"Bias gate: {self.outcome} ({f'{len(of_them)} of {checks}' if of_them else checks})"]

    @property
    def tables(self) -> list[Table[GateCheck]]:
        """The checks, with the failed ones first."""
        columns: tuple[TableColumn[GateCheck], ...] = (
            TableColumn("check", lambda c: c.name),
            TableColumn("result", lambda c: c.outcome),
            TableColumn("why", lambda c: c.reason),
        )
        return [Table(columns, (*self.failures, *self.unchecked, *(c for c in self.checks if c.passed)))]

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader must know."""
        return self.warnings

    def __str__(self) -> str:
        return "\n".join([*self.sentences, *map(str, self.checks), *self.warnings])

    def to_junit(self) -> str:
        """Return the checks as JUnit XML, which build servers read. Checks that could not be made are errors."""
        suite = ET.Element(
            "testsuite",
            name="evaluate-bias gate",
            tests=str(len(self.checks)),
            failures=str(len(self.failures)),
            errors=str(len(self.unchecked)),
            skipped="0",
        )
        for check in self.checks:
            case = ET.SubElement(suite, "testcase", classname="evaluate-bias", name=_xml(check.name))
            if not check.passed:
                kind = "error" if check.passed is None else "failure"
                ET.SubElement(case, kind, type="bias", message=_xml(check.reason))
        ET.indent(suite)
        return '<?xml version="1.0" encoding="utf-8"?>\n' + ET.tostring(suite, encoding="unicode") + "\n"


def _xml(text: str) -> str:
    """Return a text without the characters that XML cannot contain."""
    return "".join(c if c in "\t\n" or (c >= " " and c not in "\ufffe\uffff") else "\ufffd" for c in text)


def gate(
    results: str | Path | Result | Sequence[Result],
    *,
    against: str | Path | Result | Sequence[Result] = (),
    margin: float | None = None,
    margins: Mapping[str, float] | None = None,
    fail_if: str | Sequence[str] = (),
    groups: bool = False,
    model: str | None = None,
) -> Gate:
    """Check results against conditions, and against a base from which they must not be worse by more than a margin.

    Against a base, this is a test of non-inferiority at 5%. A score is worse by m if its distance from the
    ideal value c has grown by m: second - c >= m + |first - c|, or the mirror image. Each of the two is
    excluded if the upper 97.5% bound of the paired difference, or of the paired sum, lies below m. A
    score passes if both are excluded. If only one direction is bias, the score less its ideal value has grown
    by m, and one upper 95% bound decides. An ideal value may be a mean under chance. The reason gives this
    bound. Scores are compared over the units that both have, and pairs over those without a tie in both. A
    score whose units are not shared, or were not kept, is not checked.

    Args:
        results: what was measured now: results, or the path of a folder or file of them.
        against: what was measured on the base.
        margin: the worsening that is not allowed, in percent of the score's range: 2 is 2 points of a score in percent,
            0.08 of an effect size between -2 and 2.
        margins: margins of single methods in the score's own unit, by registry name. Without ``margin`` only
            these methods are checked.
        fail_if: conditions such as ``"pll.overall > 60"``: method, row (a test, a group, or ``overall``), and
            optionally a field (``score``, ``ci_low``, ``ci_high``, ``p_value``, ``p_holm``, ``n``, ``ties``, or a
            secondary value).
        groups: whether groups, such as bias types, must stay within the margin as well.
        model: the model whose results are checked, if there are several models. The base is
            restricted to it too, unless the base has only one model.

    Returns:
        The checks, with :attr:`Gate.passed` and a summary for a pull request.

    Raises:
        InputError: nothing was asked, a margin is not above 0, a base without a margin, a condition cannot be read, or
            the two have nothing in common.
        DataError: a file cannot be read, or a result is damaged.
        UnknownNameError: a condition or margin names a method, row or field that the results do not have, or there are
            no results of the model.

    Examples:
        >>> import evaluate_bias as eb
        >>> pairs = [{"sent_more": -9.0, "sent_less": -9.5 + k % 2} for k in range(400)]
        >>> result = eb.measure("pll", None, data=pairs)
        >>> [check.reason for check in eb.gate(result, fail_if="pll.overall > 60").checks]
        ['50 is not above 60']
        >>> [check.reason for check in eb.gate(result, against=result, margin=2).checks]
        ['50 to 50 on 400 pairs: worse by less than 0.951 (95%)']
    """
    fail_if = check_arguments(
        gate, margin=margin, margins=margins, fail_if=fail_if, groups=groups, model=model
    )["fail_if"]
    results, against = results_of(results, "results"), results_of(against, "against")
    margins, fail_if = dict(margins or {}), [fail_if] if isinstance(fail_if, str) else fail_if
    for of_what, value in (("", margin), *((f" of {name}", value) for name, value in margins.items())):
        number = isinstance(value, (int, float)) and not isinstance(value, bool)
        if value is not None and not (number and 0 < value < math.inf):
            raise InputError(
                f"the margin{of_what} must be a finite number above 0, got {quoted(value)}",
                option="margins" if of_what else "margin",
            )
    if (margin is not None or margins) and not against:
        raise InputError(
            "a margin needs `against`, a base from which the results must not be worse", option="against"
        )
    if not fail_if and not against:
        raise InputError(
            "nothing to check",
            option="fail_if",
            hint="give conditions as `fail_if`, or a base as `against` with a margin",
        )
    if against and margin is None and not margins:
        raise InputError(
            "`against` needs a margin",
            option="margin",
            hint="give as `margin` by how much a score may get worse",
        )
    if not results:
        raise InputError("no result to check")
    if model is not None:
        results = of_model(results, model)
    checks = [_condition(text, results) for text in fail_if]
    if not against:
        return Gate(tuple(checks))
    for several in (results, against):
        names = list(dict.fromkeys(map(model_name, several)))
        if len(names) > 1 and model is None:
            some_names = ", ".join(names[:5])[:200]
            raise InputError(
                f"the results are of several models ({some_names})",
                option="model",
                hint="choose one with `model`",
            )
    if len(names) > 1:
        against = of_model(against, model)
    kinds = {"overall", "test", "group"} if groups else {"overall", "test"}
    comparison = compare_results(against, results, confidence_level=0.95, one_sided_level=0.9)
    in_both = {r.method for r in against} & {r.method for r in results}
    if unknown := sorted(margins.keys() - in_both):
        raise UnknownNameError(
            "method among the results of both", unknown[0], sorted(in_both), option="margins"
        )
    gated_methods = {r.method for r in against if margin is not None or r.method in margins}
    checks += [
        _non_inferior(c, margin, margins.get(c.method))
        for c in comparison.changes
        if c.method in gated_methods and c.kind in kinds and not c.control
    ]
    checks += [
        GateCheck(text.partition(" was measured")[0], None, f"{text}: measure it on both")
        for text in comparison.left_out
        if text.endswith(f"{comparison.first} only") and text.partition(" on ")[0] in gated_methods
    ]
    checks += _missing(
        [r for r in against if r.method in gated_methods],
        results,
        kinds,
        {c.method for c in comparison.changes},
    )
    return Gate(tuple(checks), comparison.warnings)


def _missing(
    against: Sequence[Result], results: Sequence[Result], kinds: Set[str], compared: Set[str]
) -> list[GateCheck]:
    """Return the checks that could not be made, by methods of both: scores missing in the build, or none comparable."""
    measured = {r.method for r in results}
    scored_rows = {(r.method, row_key(row)) for r in results for row in r.rows if row.score is not None}
    reasons = {
        f"{method_title(r.method)}, {row_name(row, r)}": "the base has it and this build has not: measure it on both"
        for r in against
        for row in r.rows
        if row.kind in kinds and row.score is not None and (r.method, row_key(row)) not in scored_rows
        if r.method in measured and not is_control(row.labels.get("bias_type", ""))
    }
    nothing = (method_title(r.method) for r in against if r.method in measured - compared)
    reasons |= dict.fromkeys(nothing, "no score of it could be compared, as the notes explain")
    return [GateCheck(name, None, reason) for name, reason in reasons.items()]


def _non_inferior(change: Change, margin: float | None, method_margin: float | None) -> GateCheck:
    """Return the check that a score is not worse by the margin, in percent of its range or in its own unit."""
    allowed = method_margin
    if allowed is None:
        low, high = change.score_range
        if low is None or high is None:
            text = f"its scale has no ends, so it needs a margin of its own: {change.method}=NUMBER"
            return GateCheck(change.title, None, text)
        allowed = float(margin or 0) / 100 * (high - low)
    name = f"{change.title}, margin {allowed:g}"
    ends = change.worsening
    if ends is None and change.unchanged:
        ends = 0.0, 0.0  # nothing changed, so its change is known
    if ends is None:
        why = change.reason or "No interval exists of its change from items that both have."
        return GateCheck(name, None, f"{change.first:.4g} to {change.second:.4g}: not checked. {why}")
    lower, held = ends
    items = singular(change.items) if change.n == 1 else change.items
    reason = f"{change.first:.4g} to {change.second:.4g} on {change.n:,} {items}"
    if change.unchanged and held == 0:
        return GateCheck(name, True, f"{reason}: none of them changed", held)
    reason += f"{change.holds_for}: "
    if held <= 0:
        better = f"better by more than {-held:.3g}" if held else "not worse"
        return GateCheck(name, True, f"{reason}{better} (95%)", held)
    # As many digits as keep the number on its side of the margin.
    text = next(t for d in range(3, 18) if (float(t := f"{held:.{d}g}") < allowed) == (held < allowed))
    reason += f"worse by {f'more than {lower:.3g} and ' if lower > 0 else ''}less than {text} (95%)"
    if held < allowed:
        return GateCheck(name, True, reason, held)
    if lower <= 0:
        reason += (
            f", not shown to be worse, but {change.n:,} {change.items} are too few to rule out {allowed:g}: use more "
            f"{change.items}, or a margin above {text}"
        )
    return GateCheck(name, False, reason, held)


def _condition(text: str, results: Sequence[Result]) -> GateCheck:
    match = _CONDITION.fullmatch(text)
    if match is None:
        raise InputError(
            f"the condition {quoted(text)} cannot be read",
            option="fail_if",
            hint=f"write METHOD.ROW[.FIELD] > NUMBER, with one of {' '.join(_OPERATORS)}. The overall score is the "
            "row 'overall'",
        )
    try:
        limit = float(match["limit"])
    except ValueError:
        limit = math.nan
    if not math.isfinite(limit):
        raise InputError(f"the condition {quoted(text)} does not end in a number", option="fail_if")
    method, _, rest = match["of"].partition(".")
    matches = [r for r in results if r.method == method]
    if not matches:
        raise UnknownNameError(
            "method among these results", method, dict.fromkeys(r.method for r in results), option="fail_if"
        )
    if len(matches) > 1:
        raise InputError(
            f"the condition {quoted(text)} may mean {len(matches)} results "
            f"({', '.join(model_name(r) for r in matches[:5])})",
            option="model",
            hint="choose one with `model`, or check the results of one data set at a time",
        )
    if clause := option_order(matches[0].details):
        return GateCheck(f"fail if {text.strip()}", None, f"not checked: {clause}")
    row, field = _row_and_field(matches[0], rest or "overall")
    estimate = row.estimates.get(field)
    value = estimate.value if estimate is not None else getattr(row, field)
    if value is None:
        raise InputError(
            f"the condition {quoted(text)} cannot be checked: {quoted(row.name)} has no {field}",
            option="fail_if",
        )
    compare, how = _OPERATORS[match["how"]]
    holds = compare(float(value), limit)
    reason = f"{value:.6g} is {'' if holds else 'not '}{how} {limit:g}"
    return GateCheck(f"fail if {text.strip()}", not holds, reason)


def _row_and_field(result: Result, path: str) -> tuple[Row, str]:
    """Return the row and field of ``row``, ``row.field`` or ``field``. Names of rows may contain dots."""
    rows = {row.name: row for row in (result.overall, *reversed(result.rows))}
    name, _, field = path.rpartition(".")
    row = rows.get(name or "overall")
    meant = [(rows[path], "score")] if path in rows else []
    if row is not None and (field in _FIELDS or field in row.estimates):
        meant.append((row, field))
    # A category of a benchmark may bear the name of the whole, or of a field.
    if len(meant) > 1 or (meant and rows["overall"].kind != "overall" and "overall" in (path, name)):
        raise InputError(
            f"{result.method} has a row named {quoted(name or path)} and a score or field of this name",
            option="fail_if",
            hint=f"write {path}.score for a row, overall.{path} for a field. No category can be called 'overall'",
        )
    if not meant:
        row_names = [r.name for r in rows.values() if r.kind != "item"]
        known = dict.fromkeys([*row_names, *_FIELDS, *result.estimates])
        raise UnknownNameError(f"row or field of {result.method}", path, known, option="fail_if")
    return meant[0]
