"""How far each score can be relied on: significance, interval and robustness in one table, with a plain verdict.

What may be called found comes from :mod:`.verdict`; what a robustness result speaks of, from its method's record. The
rules of the verdict stand in :mod:`.trust_rules`, and nowhere else.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ..errors import BiasError, InputError, quoted
from ..method_record import Aspect, MethodRecord
from ..registry import METHODS
from ..result import Result, Row
from ..text import plain_p
from .data_facts import on_illustrative_data
from .escape import public_name
from .lines import ReportRow, decided_lines, lines_by_result, model_name
from .missing_robustness import robustness_commands
from .numbers import score_cell
from .table import Table, TableColumn
from .trust_rules import ASPECTS, FEWEST, Evidence, Robust, TrustVerdict, judge, robust_state
from .verdict import Verdict, line_verdict, result_verdict

if TYPE_CHECKING:
    import pandas as pd

MARGIN = 0.1
"""Share of the way from the ideal value to the end of the range that counts as nothing: a tenth, which is 0.2 of an
effect size from -2 to 2 and 5 of 50 points, small effects by Cohen's (1988) conventions."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TrustRow:
    """How far one score can be relied on.

    Attributes:
        model, method: of the score.
        name: the test, the group, or ``overall``.
        score, ci_low, ci_high: the score and its interval.
        p_adjusted: its p-value after correction, ``None`` where there is none.
        significance: what p-value and interval allow to say.
        width: width of the interval as a share of the range; ``None`` where there is none, or an open end.
        seeds, templates, paraphrases, representation, agreement: what is known of its robustness.
        verdict: the verdict.
        reason: why, in one sentence.
        rule: name of the rule that decided, see :data:`.trust_rules.RULES`.
        commands: what measures what is not known of its robustness, see :mod:`.missing_robustness`.
    """

    model: str
    method: str
    name: str
    score: float
    ci_low: float | None
    ci_high: float | None
    p_adjusted: float | None
    significance: Verdict
    width: float | None
    seeds: Robust
    templates: Robust
    paraphrases: Robust
    representation: Robust
    agreement: Robust
    verdict: TrustVerdict
    reason: str
    rule: str
    commands: tuple[str, ...] = ()

    @property
    def title(self) -> str:
        """Method and test, or group."""
        return self.method if self.name == "overall" else f"{self.method} {self.name}"

    @property
    def value(self) -> str:
        """The score with its interval."""
        return score_cell(
            Row(name=self.name, kind="overall", score=self.score, ci_low=self.ci_low, ci_high=self.ci_high)
        )

    @property
    def robustness(self) -> str:
        """The state of each applicable aspect, in words."""
        known = {a: getattr(self, a) for a in ASPECTS}
        missing = [a for a, r in known.items() if r.state == "not measured"]
        known_aspects = [f"{a} {r}" for a, r in known.items() if r.value is not None]
        return "; ".join([*known_aspects, *([f"not measured: {', '.join(missing)}"] if missing else [])])


@dataclass(frozen=True, slots=True, repr=False)
class Trust:
    """A table with a row for every score of a model, in the order of the results."""

    rows: tuple[TrustRow, ...]
    by_result: tuple[tuple[TrustRow, ...], ...] = field(repr=False)
    """The rows of each result, none of those about a measurement."""
    heads: tuple[TrustRow | None, ...] = field(repr=False)
    """For each result the row that its verdict speaks of."""

    def __str__(self) -> str:
        # One line a score: the fields of a row are many, and its reason is a sentence.
        lines = self._short.cells()
        width = max((len(name) for name, *_ in lines), default=0)
        return "\n".join(f"{name:<{width}}  {value}  {verdict}: {why}" for name, value, verdict, why in lines)

    def __repr__(self) -> str:
        return f"<Trust: {len(self.rows)} scores>"

    def _repr_html_(self) -> str:
        """Notebook rendering: the scores with verdict and reason."""
        return self._short.to_html()

    @property
    def table(self) -> Table[TrustRow]:
        """The scores as reports show them; the model is named where there are several."""
        several = len({row.model for row in self.rows}) > 1
        columns: tuple[TableColumn[TrustRow], ...] = (
            TableColumn("score", lambda r: f"{r.model}: {r.title}" if several else r.title),
            TableColumn("value", lambda r: r.value, True),
            TableColumn("p", lambda r: plain_p(r.p_adjusted), True),
            TableColumn("width", lambda r: "—" if r.width is None else f"{r.width:.0%}", True),
            TableColumn("robustness", lambda r: r.robustness),
            TableColumn("verdict", lambda r: r.verdict.value),
            TableColumn("reason", lambda r: r.reason),
        )
        return Table(columns, self.rows)

    @property
    def _short(self) -> Table[TrustRow]:
        return self.table.choose("score", "value", "verdict", "reason")

    def to_frame(self) -> pd.DataFrame:
        """Return the table as a data frame; states of robustness as text, their values as ``seeds_value`` …

        ``command`` measures what is not known of a score's robustness; several are separated by ``;``.
        """
        import pandas as pd

        lines = []
        for row in self.rows:
            fields = [f.name for f in dataclasses.fields(row) if f.name != "commands"]
            line: dict[str, Any] = {name: getattr(row, name) for name in fields}
            line |= {a: line[a].state for a in ASPECTS} | {f"{a}_value": line[a].value for a in ASPECTS}
            words = {
                "significance": row.significance.value,
                "verdict": row.verdict.value,
                "command": "; ".join(row.commands),
            }
            lines.append(line | words)
        return pd.DataFrame(lines)

    def to_markdown(self) -> str:
        """Return the table as Markdown, with the reasons; empty where there is no score."""
        return self.table.to_markdown() if self.rows else ""


def trust(results: Sequence[Result]) -> Trust:
    """Say of every score how far it can be relied on.

    Args:
        results: of any methods and models. Those about a measurement (seeds, templates, paraphrases, representation,
            agreement of measures) have no row of their own: they speak of scores of the same model. Agreement is worked
            out from the scores themselves where they are of eight models or more.

    Returns:
        A table with a row for every score that reports show: significance after correction for all tests of the model,
        width of the interval, what is known of each aspect of its robustness, and a verdict with its reason. The rules
        are on the page "How far to trust a score".

    Raises:
        InputError: there is no result, or something else is among them.

    Examples:
        >>> score = Result(method="weat", score=1.6, score_range=(-2, 2), direction="two_sided", ideal=0, n=16,
        ...                ci_low=1.2, ci_high=1.8, p_value=0.001, provenance={"model": {"name": "glove"}})
        >>> row = trust([score]).rows[0]
        >>> row.verdict.value, str(row.seeds), row.rule
        ('fragile', 'not measured', 'robustness not measured')
    """
    inputs: list[Any] = list(results) if isinstance(results, (list, tuple)) else [results]
    if wrong := [r for r in inputs if not isinstance(r, Result)]:
        raise InputError(f"trust takes a list of results, and there is {quoted(wrong[0])}")
    if not inputs:
        raise InputError("there is no result to judge: give those of a model, and of how robust they are")
    about = [r for r in inputs if _aspect(r.method)]
    about += _agreement(inputs, about)
    by_aspect = {aspect: [r for r in about if _aspect(r.method) == aspect] for aspect in ASPECTS}
    unmeasured = {name: _unmeasured(METHODS.get(name)) for name in {r.method for r in inputs}}
    by_result, heads = [], []
    for result, lines in zip(inputs, lines_by_result(inputs), strict=True):
        of_measurement = result.direction == "higher_is_more_robust"
        judged = [] if of_measurement else decided_lines([line for line in lines if not line.headline])
        rows = tuple(_row(result, line, by_aspect, unmeasured[result.method]) for line in judged)
        by_result.append(rows)
        head = result_verdict(judged).line if judged else None
        heads.append(
            next((row for judged_line, row in zip(judged, rows, strict=True) if judged_line is head), None)
        )
    return Trust(tuple(row for rows in by_result for row in rows), tuple(by_result), tuple(heads))


def _agreement(results: Sequence[Result], about: Sequence[Result]) -> list[Result]:
    """How far measures agree across the models of these results, where they are enough and nothing says so already."""
    from ..api import measure

    method = next((name for name in METHODS if _aspect(name) == "agreement"), None)
    known = any(_aspect(r.method) == "agreement" for r in about)
    if method is None or known or len(set(map(model_name, results))) < FEWEST["agreement"]:
        return []
    try:
        return [measure(method, None, data=list(results), n_resamples=99)]
    except BiasError:  # a model measured twice with one method, too few models in common, equal scores
        return []


def _row(
    result: Result,
    line: ReportRow,
    about: Mapping[Aspect, Sequence[Result]],
    unmeasured: Mapping[Aspect, Robust],
) -> TrustRow:
    significance, (low, high) = line_verdict(line), line.score_range
    width, near = None, False
    if line.row.ci_low is not None and line.row.ci_high is not None and low is not None and high is not None:
        if high > low:
            width = min(1.0, max(0.0, (line.row.ci_high - line.row.ci_low) / (high - low)))
        furthest = max(abs(low - line.ideal), abs(high - line.ideal))
        near = max(line.row.ci_high - line.ideal, line.ideal - line.row.ci_low) <= MARGIN * furthest
    covered = line.row.coverage or result.coverage
    robust = {a: _robust(a, result, line, about[a]) or unmeasured[a] for a in ASPECTS}
    evidence = Evidence(
        significance=significance, coverage=covered.share, width=width, near=near, robust=robust
    )
    verdict, reason, rule = judge(evidence)
    return TrustRow(
        **robust,
        model=line.model,
        method=line.method,
        name=line.name,
        score=line.score,
        ci_low=line.row.ci_low,
        ci_high=line.row.ci_high,
        p_adjusted=line.decisive_p,
        significance=significance,
        width=width,
        verdict=verdict,
        reason=reason,
        rule=rule,
        commands=tuple(
            robustness_commands(result, [a for a in ASPECTS if robust[a].state == "not measured"])
        ),
    )


def _aspect(method: str) -> Aspect | None:
    """The aspect of other scores' robustness that a method measures."""
    record = METHODS.get(method)
    return None if record is None or record.robustness is None else record.robustness.aspect


def _robust(aspect: Aspect, result: Result, line: ReportRow, about: Sequence[Result]) -> Robust | None:
    """The state of one aspect: the worst of all results that are about this score; ``None`` where none is."""
    states = []
    for other in about:
        row = _row_about(METHODS[other.method], other, result, line)
        if row is not None and row.score is not None:
            n = other.settings.get("n_subsets") if aspect == "seeds" else row.n if row.n else other.n
            ends = row.ci_low, row.ci_high
            state = robust_state(
                aspect, row.score, *ends, n if isinstance(n, int) else 0, other.confidence_level
            )
            states.append(Robust("open" if on_illustrative_data(other) else state, row.score))
    return min(states, key=lambda r: (("fails", "holds", "open").index(r.state), r.value), default=None)


def _unmeasured(record: MethodRecord | None) -> dict[Aspect, Robust]:
    """What is known of every aspect of a method's scores where nothing speaks of them."""
    apply = {_aspect(name) for name, r in METHODS.items() if record is None or r.speaks_of(record)}
    return {a: Robust("not measured" if record is None or a in apply else "does not apply") for a in ASPECTS}


def _row_about(record: MethodRecord, other: Result, result: Result, line: ReportRow) -> Row | None:
    """The row of a robustness result that is about this score; ``None`` if there is none."""
    if record.robustness is not None and not record.robustness.data:
        measured = other.settings.get("measured_method")
        if measured is None:  # across models, a row for each method
            names = [public_name(str(name)) for name in other.details.get("models", ())]
            candidates = [r for r in other.rows_of("group") if r.labels.get("method") == result.method]
            return (
                min(candidates, key=lambda r: r.score or 0.0) if candidates and line.model in names else None
            )
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
    for row in candidates:  # in a report of several languages, names carry the language
        language = row.labels.get("language", "")
        if line.name in (row.name, f"{row.name} ({language})") and language in ("", line.language):
            return row
    return None
