"""What the levels of a construct show: a row for each, whether they agree, and how they correlate across models."""

from __future__ import annotations

import dataclasses
import json
import textwrap
from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...errors import InputError
from ...text import counted, joined, plain_p
from ..lines import ReportRow, short_title
from ..numbers import score_cell
from ..plots import canvas
from ..plots.canvas import DASHED, GREY
from ..table import Table, TableColumn, TablePage
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
        sd = None if self.line is None else self.line.row.details.get("null_sd")
        if self.line is None or not isinstance(sd, int | float) or sd <= 0:
            return None
        return (-1.0 if self.reverse else 1.0) * (self.line.score - self.line.ideal) / float(sd)

    @property
    def verdict(self) -> Verdict | None:
        """The verdict on the level, by p-value and interval."""
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
class Levels(TablePage):
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
        """Return a sentence on what the levels of a model show together."""
        rows, what = self._measured(model), self.construct.association
        agreement = self.agreement(model)
        if not rows:
            return f"{model}: no level could be measured."
        if agreement is LevelAgreement.AGREE:
            what_is_shown = "the association" if rows[0].side > 0 else "the reverse of the association"
            every = "both" if len(rows) == 2 else f"all {len(rows)}"
            return f"{model}: {every} measured levels show {what_is_shown} ({what})."
        above, below = (_listed([row.level for row in rows if row.side == side]) for side in (1, -1))
        seen = [f"the association ({what}) was found for {above}"] if above else []
        seen += [f"the reverse of the association ({what}) was found for {below}"] if below else []
        if agreement is LevelAgreement.DISAGREE:
            seen = [f"{seen[0]}, its reverse for {below}"]
        rest: dict[str, list[str]] = {}
        for row in (row for row in rows if not row.side):
            rest.setdefault(row.shows.partition(":")[0], []).append(row.level)
        parts = "; ".join(
            [*seen, *(f"{shows}: {_listed(level_names)}" for shows, level_names in rest.items())]
        )
        lead = {
            LevelAgreement.DISAGREE: "the levels disagree",
            LevelAgreement.ONE_LEVEL: "only one level could be measured",
        }.get(agreement, "agreement is not shown")
        return f"{model}: {lead}: {parts}."

    def _measured(self, model: str) -> list[LevelRow]:
        return [row for row in self.rows if row.model == model and row.line is not None]

    @property
    def table(self) -> Table[LevelRow]:
        """The table that every surface shows; the model is named where there are several."""
        tests = sum(row.line is not None and row.line.row.p_value is not None for row in self.rows)
        columns: list[TableColumn[LevelRow]] = [
            TableColumn("level", lambda r: r.level),
            TableColumn("measured by", lambda r: short_title(r.method)),
            TableColumn("score", lambda r: None if r.line is None else score_cell(r.line.row), True),
            TableColumn(f"p (Holm, {counted(tests, 'test')})" if tests else "p", _p_cell, True),
            TableColumn("null SDs", _deviation_cell, True),
            TableColumn("shows", lambda r: r.shows),
        ]
        if len(self.models) > 1:
            columns.insert(0, TableColumn("model", lambda r: r.model))
        return Table(columns, self.rows, self.construct.title)

    @property
    def correlation_table(self) -> Table[LevelCorrelation]:
        """The correlations across models."""
        columns: tuple[TableColumn[LevelCorrelation], ...] = (
            TableColumn("levels", lambda c: f"{c.first}, {c.second}"),
            TableColumn("Pearson's r across models", _r_cell, True),
            TableColumn("p (Holm)", lambda c: plain_p(c.p_holm), True),
            TableColumn("models", lambda c: c.n, True),
        )
        return Table(columns, self.correlations, "Levels across models")

    @property
    def tables(self) -> list[Table[Any]]:
        """The table of the levels, and that of the correlations where there are any."""
        return [self.table, self.correlation_table] if self.correlations else [self.table]

    @property
    def notes(self) -> tuple[str, ...]:
        """Why levels were not measured, what their results warn of, and what a reader must know of all."""
        names = [f"{row.model}, {row.level}" if len(self.models) > 1 else row.level for row in self.rows]
        remarks = (f"{n}: {r}" for n, row in zip(names, self.rows, strict=True) for r in row.remarks)
        return (*remarks, *self.caveats)

    @property
    def sentences(self) -> list[str]:
        """A sentence on each model."""
        return [self.sentence(model) for model in self.models]

    def to_dict(self) -> dict[str, Any]:
        """Return plain Python values."""
        lines = []
        for row in self.rows:
            line: dict[str, Any] = {name: getattr(row, name) for name in ("model", "level", "method")}
            if row.line is not None:
                line |= {"score": row.line.score, "ideal": row.line.ideal}
                line |= {name: getattr(row.line.row, name) for name in ("ci_low", "ci_high", "p_value")}
                line |= {"p_holm": row.line.decisive_p, "null_sds": row.deviation}
            lines.append(line | {"shows": row.shows, "reason": row.reason})
        return {
            "construct": self.construct.name,
            "association": self.construct.association,
            "rows": lines,
            "agreement": {model: self.agreement(model).value for model in self.models},
            "sentences": self.sentences,
            "correlations": [dataclasses.asdict(c) for c in self.correlations],
            "notes": list(self.notes),
        }

    def to_json(self, indent: int | None = None) -> str:
        """Return the levels as JSON text."""
        return json.dumps(self.to_dict(), ensure_ascii=False, allow_nan=False, indent=indent)

    def to_frame(self) -> pd.DataFrame:
        """Return one line per model and level."""
        import pandas as pd

        return pd.DataFrame(self.to_dict()["rows"])

    def __str__(self) -> str:
        return "\n".join(
            [*self.sentences, *(f"  {' · '.join(filter(None, row))}" for row in self.table.cells())]
        )


def _p_cell(row: LevelRow) -> str | None:
    return None if row.line is None or row.line.decisive_p is None else plain_p(row.line.decisive_p)


def _deviation_cell(row: LevelRow) -> str | None:
    return None if row.deviation is None else f"{row.deviation:+.2f}".replace("-", "−")


def _r_cell(correlation: LevelCorrelation) -> str:
    low, high = correlation.ci_low, correlation.ci_high
    return f"{correlation.r:.2f}" + ("" if low is None else f" [{low:.2f}, {high:.2f}]")


def _listed(names: Iterable[str]) -> str:
    """Names as a clause, in the order of the levels."""
    return joined(sorted(names, key=LEVELS.index))


# --- the picture: one row for each level, on the axis that they share -----------------------------------------

_STEP = 0.42
"""Inches from one level to the next; more models need more."""


def levels_plot(outcome: Levels, path: str | Path) -> list[Path]:
    """Draw the levels; a filled marker is an association, or its reverse, that was found.

    Args:
        outcome: what :func:`evaluate_bias.levels` returns.
        path: where to write, with or without ``.svg`` or ``.png``; both are written.

    Returns:
        The SVG and the PNG.

    Raises:
        InputError: no level has a place on the axis.
        OutputError: the files cannot be written.
    """
    return canvas.save_picture(canvas.picture_stem(path), partial(_draw, outcome))


def levels_figure(outcome: Levels) -> Any:
    """Draw what :func:`levels_plot` writes, as a figure of matplotlib.

    Raises:
        InputError: no level has a place on the axis.
    """
    return canvas.drawn_figure(partial(_draw, outcome))


def _draw(outcome: Levels) -> Any:
    level_names = list(dict.fromkeys(row.level for row in outcome.rows))
    models = outcome.models
    marks = [(row, row.deviation) for row in outcome.rows if row.deviation is not None]
    if not marks:
        raise InputError("there is no level to draw: none was measured with a null distribution")
    step = max(_STEP, 0.2 * len(models) + 0.14)
    figure, (axis,) = canvas.new_figure(4.3, step * len(level_names) + 0.12)
    axis.axvline(0.0, zorder=0, **DASHED)
    for row, at in marks:
        i = models.index(row.model)
        place = level_names.index(row.level) + (i - (len(models) - 1) / 2) * 0.8 / max(len(models), 1)
        colour, marker = canvas.series_look(i)
        axis.plot([0.0, at], [place, place], color=colour, linewidth=1.2, alpha=0.45, zorder=2)
        canvas.draw_mark(axis, at, place, colour, filled=bool(row.side), marker=marker, markersize=6)
        if len(models) == 1 and row.line is not None:
            canvas.write_beside(axis, place, f"{short_title(row.method)} {score_cell(row.line.row)}")
    where: dict[str, Any] = {"xycoords": ("axes fraction", "data"), "va": "center"}
    for place, level in enumerate(level_names):
        if not any(row.level == level for row, _ in marks):
            measured = any(row.level == level and row.line is not None for row in outcome.rows)
            text = "no place on this axis" if measured else "not measured"
            axis.annotate(text, (0.02, place), fontsize=8, color=GREY, **where)
    canvas.label_rows(axis, level_names, "\n".join(textwrap.wrap(canvas.fit(outcome.construct.title), 60)))
    reach = max(2.5, *(abs(at) * 1.08 for _, at in marks))
    axis.set_xlim(-reach, reach)
    axis.set_xlabel(f"{AXIS}\nright of 0: {canvas.fit(outcome.construct.association)}")
    looks = [(name, *canvas.series_look(i)) for i, name in enumerate(models) if len(models) > 1]
    entries = [canvas.legend_entry(canvas.fit(name), color=c, marker=marker) for name, c, marker in looks]
    kinds = ((True, "found after correction", GREY), (False, "not found, or another verdict", "white"))
    entries += [
        canvas.legend_entry(label, color=GREY, marker="o", markerfacecolor=face)
        for filled, label, face in kinds
        if any(bool(row.side) is filled for row, _ in marks)
    ]
    canvas.add_legend(axis, entries, columns=2, below=0.72)
    return figure
