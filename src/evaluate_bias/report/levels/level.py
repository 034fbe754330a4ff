"""What the levels of a construct show: a row for each, whether they agree, and how they correlate across models."""

from __future__ import annotations

import html
import json
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Any

from ...text import counted, plain_p
from ..escape import html_list, html_table, markdown, markdown_table
from ..lines import ReportRow, short_title
from ..numbers import score_cell
from ..verdict import Verdict, line_verdict
from .construct import LEVELS, Construct

if TYPE_CHECKING:
    import pandas as pd

    from ...result import Result

AXIS = "score less its ideal value, in standard deviations of its null distribution"
"""The axis that levels share. Their scores have no scale in common, so sizes are not compared across levels."""


class LevelAgreement(Enum):
    """Whether the levels of a model agree; the values are the words of tables."""

    AGREE = "agree"
    """Every measured level, two at least, is found after Holm's correction, all on one side."""
    DISAGREE = "disagree"
    """Two levels are found on opposite sides."""
    NOT_SHOWN = "not shown"
    """Neither is shown."""
    ONE_LEVEL = "fewer than two levels"
    """There is nothing to compare."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LevelRow:
    """A level of a model: its result, or why there is none.

    Attributes:
        model: name of the model.
        level: name of the level.
        method: the method that measures it; of several that could not, the first.
        result: the result.
        line: its score with the p-value adjusted over everything measured; ``None`` where nothing was.
        reverse: whether the score falls where the association is that of the construct.
        reason: why there is no result.
    """

    model: str
    level: str
    method: str
    result: Result | None = None
    line: ReportRow | None = None
    reverse: bool = False
    reason: str = ""

    @property
    def deviation(self) -> float | None:
        """The score less its ideal value, divided by the standard deviation of its null distribution.

        Positive where the association is that of the construct.
        """
        sd = None if self.line is None else self.line.details.get("null_sd")
        if self.line is None or not isinstance(sd, int | float) or sd <= 0:
            return None
        return (-1.0 if self.reverse else 1.0) * (self.line.score - self.line.ideal) / float(sd)

    @property
    def verdict(self) -> Verdict | None:
        """What p-value and interval allow to say of the level."""
        return None if self.line is None else line_verdict(self.line)

    @property
    def side(self) -> int:
        """1 where the association of the construct is found, -1 where its reverse is, 0 where neither is."""
        if self.line is None or self.verdict is not Verdict.FOUND:
            return 0
        return 1 if (self.line.score > self.line.ideal) != self.reverse else -1

    @property
    def shows(self) -> str:
        """What the level shows, in a word or two."""
        if self.line is None:
            return "not measured"
        if self.side:
            return "the association" if self.side > 0 else "its reverse"
        return _OPEN.get(line_verdict(self.line), "not found")

    @property
    def remarks(self) -> tuple[str, ...]:
        """Why there is no result; or how much could be scored, where that is not all, and the result's warnings."""
        if self.result is None:
            return (self.reason,)
        covered = self.result.coverage
        partly = covered.asked and covered.found < covered.asked
        part = (f"{covered.found:,} of {covered.asked:,} could be scored",) if partly else ()
        return (*part, *self.result.warnings)


_OPEN = {
    Verdict.UNDECIDED: "undecided: p-value and interval disagree",
    Verdict.ONLY_BEFORE: "not found after correction",
    Verdict.TOO_FEW: "too few units for a test",
    Verdict.ILLUSTRATIVE: "illustrative data: nothing follows",
    Verdict.CONTROL: "a control without social content: nothing follows",
    Verdict.NO_INFERENCE: "no test: nothing follows",
    Verdict.INTERVAL_EXCLUDES: "no p-value: open",
    Verdict.INTERVAL_INCLUDES: "no p-value: open",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class LevelCorrelation:
    """How two levels correlate across models.

    Attributes:
        first, second: the levels.
        r: Pearson's correlation of their places on the common axis, -1 to 1.
        ci_low, ci_high: Fisher's interval; ``None`` where \\|r\\| is 1.
        p_holm: permutation p-value, adjusted over the pairs of levels.
        n: number of models.
    """

    first: str
    second: str
    r: float
    ci_low: float | None
    ci_high: float | None
    p_holm: float
    n: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Levels:
    """One construct at the levels of one model or of several.

    Attributes:
        construct: the construct.
        rows: a row for every model and level.
        correlations: of each two levels that four models or more have.
        caveats: what a reader must know.
    """

    construct: Construct
    rows: tuple[LevelRow, ...]
    correlations: tuple[LevelCorrelation, ...] = ()
    caveats: tuple[str, ...] = ()

    @property
    def models(self) -> list[str]:
        """Names of the models, in their order."""
        return list(dict.fromkeys(row.model for row in self.rows))

    @property
    def results(self) -> list[Result]:
        """The results, for cards and reports."""
        return [row.result for row in self.rows if row.result is not None]

    def agreement(self, model: str) -> LevelAgreement:
        """Whether the levels of a model agree."""
        sides = [row.side for row in self._measured(model)]
        if len(sides) < 2:
            return LevelAgreement.ONE_LEVEL
        if {1, -1} <= set(sides):
            return LevelAgreement.DISAGREE
        return LevelAgreement.AGREE if all(sides) else LevelAgreement.NOT_SHOWN

    def sentence(self, model: str) -> str:
        """Say what the levels of a model show together."""
        rows, what = self._measured(model), self.construct.association
        agreement = self.agreement(model)
        if not rows:
            return f"{model}: no level could be measured."
        if agreement is LevelAgreement.AGREE:
            shown = "the association" if rows[0].side > 0 else "the reverse of the association"
            every = "both" if len(rows) == 2 else f"all {len(rows)}"
            return f"{model}: {every} measured levels show {shown} ({what})."
        by_side = {side: [row.level for row in rows if row.side == side] for side in (1, -1)}
        seen = [
            f"the {'association' if side > 0 else 'reverse of the association'} ({what}) was found for {_listed(found)}"
            for side, found in by_side.items()
            if found
        ]
        if agreement is LevelAgreement.DISAGREE:
            seen = [
                f"the association ({what}) was found for {_listed(by_side[1])}, its reverse for {_listed(by_side[-1])}"
            ]
        rest: dict[str, list[str]] = {}
        for row in (row for row in rows if not row.side):
            rest.setdefault(row.shows.partition(":")[0], []).append(row.level)
        said = "; ".join([*seen, *(f"{shows}: {_listed(own)}" for shows, own in rest.items())])
        lead = {
            LevelAgreement.DISAGREE: "the levels disagree",
            LevelAgreement.ONE_LEVEL: "only one level could be measured",
        }.get(agreement, "agreement is not shown")
        return f"{model}: {lead}: {said}."

    def _measured(self, model: str) -> list[LevelRow]:
        return [row for row in self.rows if row.model == model and row.line is not None]

    @property
    def columns(self) -> tuple[str, ...]:
        """Headings of :meth:`table`."""
        tests = sum(row.line is not None and row.line.p_value is not None for row in self.rows)
        adjusted = f"p (Holm, {counted(tests, 'test')})" if tests else "p"
        head = ("level", "measured by", "score", adjusted, "null SDs", "shows")
        return ("model", *head) if len(self.models) > 1 else head

    def table(self) -> list[tuple[str, ...]]:
        """Return the table that every surface shows, as text."""
        out = []
        for row in self.rows:
            lead = (row.model,) if len(self.models) > 1 else ()
            if row.line is None:
                out.append((*lead, row.level, short_title(row.method), "", "", "", row.shows))
                continue
            p = "" if row.line.decisive_p is None else plain_p(row.line.decisive_p)
            at = "" if row.deviation is None else f"{row.deviation:+.2f}".replace("-", "−")
            out.append((*lead, row.level, short_title(row.method), score_cell(row.line), p, at, row.shows))
        return out

    def correlation_table(self) -> list[tuple[str, ...]]:
        """Return the correlations across models, as text: levels, r with its interval, p-value, number of models."""
        return [
            (
                f"{c.first}, {c.second}",
                f"{c.r:.2f}" + ("" if c.ci_low is None else f" [{c.ci_low:.2f}, {c.ci_high:.2f}]"),
                plain_p(c.p_holm),
                str(c.n),
            )
            for c in self.correlations
        ]

    CORRELATION_COLUMNS = ("levels", "Pearson's r across models", "p (Holm)", "models")

    @property
    def notes(self) -> tuple[str, ...]:
        """Why levels were not measured, what their results warn of, and what a reader must know of all."""
        several = len(self.models) > 1
        return (
            *(
                f"{f'{row.model}, ' if several else ''}{row.level}: {remark}"
                for row in self.rows
                for remark in row.remarks
            ),
            *self.caveats,
        )

    @property
    def sentences(self) -> list[str]:
        """A sentence on each model."""
        return [self.sentence(model) for model in self.models]

    def to_dict(self) -> dict[str, Any]:
        """Return plain Python values."""
        lines = []
        for row in self.rows:
            line: dict[str, Any] = {"model": row.model, "level": row.level, "method": row.method}
            if row.line is not None:
                names = ("score", "ideal", "ci_low", "ci_high", "p_value")
                line |= {name: getattr(row.line, name) for name in names}
                line |= {"p_holm": row.line.decisive_p, "null_sds": row.deviation}
            lines.append(line | {"shows": row.shows, "reason": row.reason})
        correlations = [{n: getattr(c, n) for n in c.__slots__} for c in self.correlations]
        return {
            "construct": self.construct.name,
            "association": self.construct.association,
            "rows": lines,
            "agreement": {model: self.agreement(model).value for model in self.models},
            "sentences": self.sentences,
            "correlations": correlations,
            "notes": list(self.notes),
        }

    def to_json(self, indent: int | None = None) -> str:
        """Return the levels as JSON text."""
        return json.dumps(self.to_dict(), ensure_ascii=False, allow_nan=False, indent=indent)

    def to_frame(self) -> pd.DataFrame:
        """Return one line per model and level."""
        import pandas as pd

        return pd.DataFrame(self.to_dict()["rows"])

    def to_markdown(self) -> str:
        """Return sentences, tables and notes as Markdown."""
        parts = [f"**{markdown(sentence)}**" for sentence in self.sentences]
        parts.append("\n".join(markdown_table(self.columns, self.table())))
        if self.correlations:
            parts.append("\n".join(markdown_table(self.CORRELATION_COLUMNS, self.correlation_table())))
        parts.append("\n".join(f"- {markdown(note)}" for note in self.notes))
        return "\n\n".join(part for part in parts if part) + "\n"

    def _repr_html_(self) -> str:
        """Notebook rendering: the sentences and the tables."""
        said = "".join(f"<p><b>{html.escape(sentence)}</b></p>" for sentence in self.sentences)
        across = html_table(self.CORRELATION_COLUMNS, self.correlation_table()) if self.correlations else ""
        return f"<div>{said}{html_table(self.columns, self.table())}{across}{html_list(self.notes)}</div>"

    def __str__(self) -> str:
        return "\n".join([*self.sentences, *(f"  {' · '.join(filter(None, row))}" for row in self.table())])


def _listed(names: Sequence[str]) -> str:
    """Names as a clause, in the order of the levels.

    Examples:
        >>> _listed(["vectors", "likelihoods", "decisions"])
        'vectors, likelihoods and decisions'
    """
    ordered = sorted(names, key=LEVELS.index)
    return " and ".join(filter(None, (", ".join(ordered[:-1]), ordered[-1]))) if ordered else ""
