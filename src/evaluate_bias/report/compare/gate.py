"""Whether a build may pass: conditions on scores, and the proof that nothing got worse by more than a margin."""

from __future__ import annotations

import math
import operator
import re
import xml.etree.ElementTree as ET
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from ...errors import InputError, UnknownNameError, quoted
from ...registry import METHODS
from ...result import Result, Row
from ..escape import markdown
from ..lines import model_name
from .comparing import compare_results, of_model
from .comparison import Change

__all__ = ["Check", "Gate", "gate"]

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
class Check:
    """One thing that was asked: what it is about, whether it holds, and why, in a line."""

    name: str
    passed: bool
    reason: str


@dataclass(frozen=True, slots=True)
class Gate:
    """The checks of a build.

    Examples:
        >>> print(Gate((Check("pll overall > 60", False, "it is 64.2"),)).to_markdown())
        **Bias gate: failed** (1 of 1 check)
        <BLANKLINE>
        | check | result | why |
        |---|---|---|
        | pll overall &gt; 60 | failed | it is 64.2 |
        <BLANKLINE>
    """

    checks: tuple[Check, ...]
    warnings: tuple[str, ...] = ()

    @property
    def passed(self) -> bool:
        """Whether every check holds."""
        return all(c.passed for c in self.checks)

    @property
    def failures(self) -> tuple[Check, ...]:
        """The checks that do not hold."""
        return tuple(c for c in self.checks if not c.passed)

    def to_markdown(self) -> str:
        """Return a summary for a pull request."""
        n, failed = len(self.checks), len(self.failures)
        count = (
            f"{failed} of {n} check{'' if n == 1 else 's'}" if failed else f"{n} check{'' if n == 1 else 's'}"
        )
        out = [f"**Bias gate: {'passed' if self.passed else 'failed'}** ({count})", ""]
        out += ["| check | result | why |", "|---|---|---|"]
        out += [
            f"| {markdown(c.name)} | {'passed' if c.passed else 'failed'} | {markdown(c.reason)} |"
            for c in sorted(self.checks, key=lambda c: c.passed)
        ]
        return (
            "\n".join([*out, *([""] if self.warnings else []), *(f"- {markdown(w)}" for w in self.warnings)])
            + "\n"
        )

    def to_junit(self) -> str:
        """Return the checks as JUnit XML, which build servers read."""
        suite = ET.Element(
            "testsuite",
            name="evaluate-bias gate",
            tests=str(len(self.checks)),
            failures=str(len(self.failures)),
            errors="0",
            skipped="0",
        )
        for check in self.checks:
            case = ET.SubElement(suite, "testcase", classname="evaluate-bias", name=_xml(check.name))
            if not check.passed:
                ET.SubElement(case, "failure", type="bias", message=_xml(check.reason))
        ET.indent(suite)
        return '<?xml version="1.0" encoding="utf-8"?>\n' + ET.tostring(suite, encoding="unicode") + "\n"


def _xml(text: str) -> str:
    """A text without the characters that XML cannot hold."""
    return "".join(c if c in "\t\n" or (c >= " " and c not in "\ufffe\uffff") else "\ufffd" for c in text)


def gate(
    results: Sequence[Result],
    *,
    against: Sequence[Result] = (),
    margin: float | None = None,
    margins: Mapping[str, float] | None = None,
    fail_if: str | Sequence[str] = (),
    groups: bool = False,
    model: str | None = None,
) -> Gate:
    """Check results against conditions, and against a base from which they must not be worse by more than a margin.

    Against a base, this is a test of non-inferiority: a score passes where the upper end of the one-sided 95 %
    interval of its worsening lies below the margin. Worsening is the growth of the score's distance from its ideal
    value. A score that got worse by less than can be told from chance fails, too, where the data are too few to rule
    out the margin; the reason says which. Scores are compared on the units that both have.

    Args:
        results: what was measured now.
        against: what was measured on the base.
        margin: the worsening that is allowed, in percent of the score's range: 2 is 2 points of a score in percent,
            0.08 of an effect size between -2 and 2.
        margins: margins of single methods in the score's own unit, by registry name.
        fail_if: conditions such as ``"pll.overall > 60"``: method, row (a test, a group, or ``overall``), and
            optionally a field (``score``, ``ci_low``, ``ci_high``, ``p_value``, ``p_holm``, ``n``, ``ties``, or a
            secondary value).
        groups: whether groups, such as bias types, must hold the margin as well.
        model: the model whose results are checked, where there are several; also in the base, unless that holds one.

    Raises:
        InputError: nothing was asked, a margin is not above 0, a base without a margin, a condition cannot be read, or
            the two have nothing in common.
        UnknownNameError: a condition or margin names a method, row or field that the results do not have, or there are
            none of the model.

    Examples:
        >>> import evaluate_bias as eb
        >>> pairs = [{"sent_more": -9.0, "sent_less": -9.5 + k % 2} for k in range(40)]
        >>> result = eb.measure("pll", None, data=pairs)
        >>> [check.reason for check in gate([result], fail_if=["pll.overall > 60"]).checks]
        ['50 is not above 60']
    """
    margins, fail_if = dict(margins or {}), [fail_if] if isinstance(fail_if, str) else fail_if
    for name, value in (("margin", margin), *margins.items()):
        number = isinstance(value, (int, float)) and not isinstance(value, bool)
        if value is not None and not (number and 0 < value < math.inf):
            raise InputError(
                f"the margin{'' if name == 'margin' else f' of {name}'} must be a finite number above 0, not "
                f"{quoted(value)}"
            )
    if (margin is not None or margins) and not against:
        raise InputError("a margin needs a base (against) from which the results must not be worse")
    if not fail_if and not against:
        raise InputError("nothing to check: give conditions (fail_if), or a base (against) with a margin")
    if against and margin is None and not margins:
        raise InputError("a base needs a margin: by how much a score may get worse")
    if not results:
        raise InputError("there is no result to check")
    if model is not None:
        results = of_model(results, model)
    checks = [_condition(text, results) for text in fail_if]
    warnings: tuple[str, ...] = ()
    if against:
        for several in (results, against):
            names = list(dict.fromkeys(map(model_name, several)))
            if len(names) > 1 and model is None:
                raise InputError(
                    f"the results are of several models ({', '.join(names[:5])[:200]}): choose one with model=…"
                )
        if len(set(map(model_name, against))) > 1:
            against = of_model(against, model)
        comparison = compare_results(against, results, level=0.9)
        kinds = {"overall", "test", *(["group"] if groups else [])}
        changes = [c for c in comparison.changes if c.kind in kinds]
        known = {c.method for c in comparison.changes}
        if unknown := sorted(margins.keys() - known):
            raise UnknownNameError("method that both were measured with", unknown[0], sorted(known))
        checks += [
            _non_inferior(c, margin, margins) for c in changes if margin is not None or c.method in margins
        ]
        checks += [
            Check(text.split(" was measured")[0], False, f"{text}: measure it on both")
            for text in comparison.left_out
            if text.endswith(f"{comparison.first} only")
        ]
        warnings = comparison.warnings
    return Gate(tuple(checks), warnings)


def _non_inferior(change: Change, margin: float | None, margins: Mapping[str, float]) -> Check:
    allowed = margins.get(change.method)
    record = METHODS.get(change.method)
    if allowed is None:
        low, high = record.score_range if record is not None else (None, None)
        if low is None or high is None:
            return Check(
                change.title,
                False,
                f"its scale has no ends, so it needs a margin of its own: {change.method}=NUMBER",
            )
        allowed = float(margin or 0) / 100 * (high - low)
    worse = _worse(change, change.difference)
    if change.low is None or change.high is None:
        passed = worse < allowed
        return Check(
            f"{change.title} at most {allowed:g} worse",
            passed,
            f"{change.first:.4g} to {change.second:.4g}, {worse:+.3g}; it has no interval, so only the scores count",
        )
    upper = max(_worse(change, change.low), _worse(change, change.high), worse)
    passed = upper < allowed
    reason = f"{change.first:.4g} to {change.second:.4g}, {worse:+.3g} worse, at most {upper:.3g} (95 %)"
    if not passed:
        certain = min(_worse(change, change.low), _worse(change, change.high)) > 0 and worse > 0
        reason += (
            ": worse"
            if certain
            else ": not told from chance, but the data are too few to rule out the margin"
        )
    return Check(f"{change.title} at most {allowed:g} worse", passed, reason)


def _worse(change: Change, difference: float) -> float:
    """By how much a score is further from its ideal value after a change of this size."""
    return abs(change.first + difference - change.ideal_second) - abs(change.first - change.ideal_first)


def _condition(text: str, results: Sequence[Result]) -> Check:
    match = _CONDITION.fullmatch(text)
    if match is None:
        raise InputError(
            f"the condition {quoted(text)} cannot be read: write METHOD.ROW[.FIELD] > NUMBER, with one of "
            f"{' '.join(_OPERATORS)}; the overall score is the row 'overall'"
        )
    try:
        limit = float(match["limit"])
    except ValueError:
        limit = math.nan
    if not math.isfinite(limit):
        raise InputError(f"the condition {quoted(text)} does not end in a number")
    method, _, rest = match["of"].partition(".")
    found = [r for r in results if r.method == method]
    if not found:
        raise UnknownNameError("method with a result", method, dict.fromkeys(r.method for r in results))
    if len(found) > 1:
        raise InputError(
            f"the condition {quoted(text)} may mean {len(found)} results "
            f"({', '.join(model_name(r) for r in found[:5])}): choose one with model=…, or check "
            "the results of one data set at a time"
        )
    row, field = _row_and_field(found[0], rest or "overall", text)
    estimate = row.estimates.get(field)
    value = estimate.value if estimate is not None else getattr(row, field)
    if value is None:
        raise InputError(f"the condition {quoted(text)} cannot be checked: {quoted(row.name)} has no {field}")
    compare, how = _OPERATORS[match["how"]]
    holds = compare(float(value), limit)
    return Check(
        f"fail if {text.strip()}", not holds, f"{value:.6g} is {'' if holds else 'not '}{how} {limit:g}"
    )


def _row_and_field(result: Result, path: str, text: str) -> tuple[Row, str]:
    """The row and field of ``row``, ``row.field`` or ``field``; names of rows may hold dots."""
    rows = {r.name: r for r in reversed((result.overall, *result.rows))}
    if path in rows:
        return rows[path], "score"
    name, _, field = path.rpartition(".")
    row = rows.get(name or "overall")
    if row is None or (field not in _FIELDS and field not in row.estimates):
        known = dict.fromkeys(
            [*(r.name for r in rows.values() if r.kind != "item"), *_FIELDS, *result.estimates]
        )
        raise UnknownNameError(f"row or field of {result.method}", path, known)
    return row, field
